//! A small dictionary of everyday words that mean nearly the same, within one language and across the two.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::text::latin::stemmed;

/// Groups of words, one a line, as folded text. A word stands in one group.
const GROUPS: &str = "\
妈妈 母亲 妈 娘 mother mom mum mommy
爸爸 父亲 爸 爹 father dad daddy
爷爷 祖父 grandfather grandpa
奶奶 祖母 grandmother grandma
外婆 姥姥
外公 姥爷
哥哥 brother
妹妹 sister
丈夫 老公 先生 husband
妻子 老婆 太太 wife
孩子 小孩 child kid
朋友 好友 friend buddy pal
老师 教师 teacher
医生 大夫 doctor physician
老板 上司 boss manager
同事 colleague coworker
喜欢 喜爱 like enjoy
讨厌 厌恶 hate dislike
高兴 开心 快乐 happy glad
难过 伤心 悲伤 sad unhappy
生气 发火 恼火 angry mad upset
害怕 恐惧 afraid scared
担心 担忧 worried anxious
累 疲惫 疲倦 tired exhausted
漂亮 美丽 好看 beautiful pretty
便宜 cheap inexpensive
自行车 单车 脚踏车 bicycle bike
汽车 轿车 car automobile
出租车 计程车 taxi cab
地铁 subway metro
飞机 plane airplane
手机 移动电话 phone cellphone smartphone
电脑 计算机 computer laptop
电影 影片 movie film
照片 相片 photo picture
医院 hospital clinic
饭店 餐馆 餐厅 restaurant
超市 supermarket grocery
家 住处 home house
公寓 apartment flat
学校 school
大学 university college
工作 职业 job occupation profession
上班 work
搬家 搬走 move relocate
旅行 旅游 trip travel vacation holiday
生日 诞辰 birthday
婚礼 wedding marriage
礼物 gift present
土豆 马铃薯 potato
西红柿 番茄 tomato
猫 猫咪 小猫 cat kitten kitty
狗 小狗 狗狗 dog puppy
感冒 着凉 cold flu
买 购买 buy purchase
学习 study learn
聊天 谈话 chat talk conversation
吵架 争吵 argue quarrel fight
跑步 慢跑 run jog
锻炼 健身 exercise workout
唱歌 sing
做饭 烹饪 cook
睡觉 sleep
钱 money cash
名字 姓名 name
城市 city town
雨 下雨 rain
雪 下雪 snow
";

static GROUP_OF: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut groups = HashMap::new();
    for line in GROUPS.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for word in &words {
            let others = words
                .iter()
                .copied()
                .filter(|other| other != word)
                .collect();
            groups.insert(stemmed(word), others);
        }
    }
    groups
});

/// Other words for a folded word or its stem, those of its own language first; none if the dictionary does not have it.
///
/// ```
/// use soulmem_engine::text::synonyms;
/// assert!(synonyms("土豆").contains(&"马铃薯"));
/// assert!(synonyms("movies").contains(&"film"));
/// assert!(synonyms("umbrella").is_empty());
/// ```
pub fn synonyms(word: &str) -> &'static [&'static str] {
    let known = GROUP_OF.get(word).or_else(|| GROUP_OF.get(&stemmed(word)));
    known.map_or(&[], Vec::as_slice)
}
