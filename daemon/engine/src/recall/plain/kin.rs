//! What a question calls something, and what a statement of it says instead: one asks for an age and is told years.
//!
//! Closed, general classes of what is asked of people and things, the same in both languages. Words of one line stand for
//! each other, weakly.

use std::collections::HashMap;
use std::sync::LazyLock;

const LINES: &str = "
年龄 岁数 岁 多大 几岁
生日 出生 诞生
职业 职位 职务 工作 上班 岗位
公司 单位 就职 任职 上班
学历 教育背景 教育 毕业 本科 硕士 博士 专科 大专 学位
家乡 老家 籍贯 来自 故乡 人
爱好 兴趣 喜欢 热爱 喜爱 爱
电话 号码 手机号 联系电话 联系方式
身高 个子 厘米 高
名字 姓名 叫 名叫
地点 地址 举办 举行 位置
规模 人数 参加者
内容 介绍 讲述
价格 价钱 花费 元
age old born
birthday born
job work profession career occupation
company employer firm
education degree graduate university college study
hometown grow
hobby interest like love enjoy favorite favourite
phone number contact
height tall
name call
place location venue
price cost pay
child kid son daughter
marry wedding husband wife married
pet dog cat
movie film
trip travel vacation visit
book read novel
";

static KIN: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut kin: HashMap<&str, Vec<&str>> = HashMap::new();
    for line in LINES.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for word in &words {
            let others = kin.entry(word).or_default();
            let new = words.iter().filter(|other| *other != word);
            for other in new {
                if !others.contains(other) {
                    others.push(other);
                }
            }
        }
    }
    kin
});

/// Words that may stand for a word (folded, as it is written) in an answer; none for most.
pub(super) fn kin(word: &str) -> &'static [&'static str] {
    KIN.get(word).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_finds_what_answers_it_and_not_itself() {
        assert!(kin("年龄").contains(&"岁"));
        assert!(kin("birthday").contains(&"born"));
        assert!(!kin("年龄").contains(&"年龄"));
        assert!(kin("kettle").is_empty());
    }

    #[test]
    fn a_word_of_two_lines_has_the_kin_of_both() {
        assert!(kin("上班").contains(&"职位") && kin("上班").contains(&"公司"));
    }
}
