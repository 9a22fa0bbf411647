//! General words, and what falls under them: one asks for a pet and is told of a dog, for an age and is told years.
//!
//! Everyday classes of people, things and what is asked of people, each in both languages. It goes one way: who asks for a
//! dog is not answered by a cat.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::text::latin::stemmed;

/// General words, and after the bar what falls under them, as folded text.
const CLASSES: &str = "\
family relative relatives 家人 家庭 亲人 亲戚|mother father mom dad sister brother son daughter grandmother grandfather grandma grandpa aunt uncle cousin niece nephew husband wife 妈妈 爸爸 母亲 父亲 姐姐 妹妹 哥哥 弟弟 儿子 女儿 爷爷 奶奶 外公 外婆 叔叔 阿姨 姑姑 舅舅 表哥 表姐 表弟 表妹 侄子 侄女
parent parents 父母 爸妈 家长|mother father mom dad 妈妈 爸爸 母亲 父亲
sibling siblings 兄弟姐妹 兄弟 姐妹|brother sister 哥哥 弟弟 姐姐 妹妹
child children kid kids 孩子 子女 小孩|son daughter baby 儿子 女儿 宝宝
grandparent grandparents 祖父母|grandmother grandfather grandma grandpa 爷爷 奶奶 外公 外婆
spouse partner 配偶 伴侣 对象 另一半|husband wife boyfriend girlfriend fiance fiancee married 丈夫 妻子 老公 老婆 男朋友 女朋友 结婚
pet pets animal animals 宠物 动物|dog cat puppy kitten rabbit hamster parrot bird fish turtle horse 狗 猫 小狗 小猫 兔子 仓鼠 鹦鹉 鸟 金鱼 乌龟 马
fruit fruits 水果|apple banana orange grape peach pear strawberry cherry mango lemon melon watermelon 苹果 香蕉 橙子 橘子 葡萄 桃子 梨 草莓 樱桃 芒果 柠檬 西瓜
vegetable vegetables 蔬菜 青菜|carrot tomato potato onion cabbage spinach cucumber pepper broccoli 胡萝卜 番茄 西红柿 土豆 洋葱 白菜 菠菜 黄瓜 辣椒 西兰花
drink drinks beverage 饮料 饮品|tea coffee juice milk beer wine water soda lemonade 茶 咖啡 果汁 牛奶 啤酒 红酒 水 汽水 可乐 奶茶
food meal dish cuisine 食物 美食 菜 饭 吃的|rice noodles dumplings soup bread pizza pasta salad steak sandwich curry sushi 米饭 面条 饺子 汤 面包 披萨 意面 沙拉 牛排 三明治 咖喱 寿司 火锅 烧烤
dessert sweets snack 甜品 甜点 零食|cake cookie pie chocolate pudding candy 蛋糕 饼干 派 巧克力 布丁 糖果 冰淇淋
sport sports exercise 运动 体育 锻炼|football soccer basketball tennis badminton volleyball baseball swimming running cycling hiking yoga skiing climbing golf boxing 足球 篮球 网球 羽毛球 排球 乒乓球 棒球 游泳 跑步 骑车 徒步 瑜伽 滑雪 攀岩 高尔夫 拳击 健身
instrument instruments 乐器|piano guitar violin drums flute cello trumpet saxophone harp 钢琴 吉他 小提琴 鼓 长笛 大提琴 小号 萨克斯 古筝 二胡
music 音乐|song album concert band singer jazz rock classical 歌 专辑 演唱会 乐队 歌手 爵士 摇滚 古典
art craft 艺术 手工|painting drawing sculpture pottery photography sketch knitting 绘画 画画 素描 雕塑 陶艺 摄影 书法 编织 剪纸
book books 书 书籍|novel poem poetry memoir biography story author 小说 诗 诗集 传记 散文 故事 作者
film films movie movies 电影 影片|comedy drama thriller cartoon documentary actor director 喜剧 剧情片 动画 纪录片 演员 导演
game games 游戏|chess cards puzzle console 象棋 围棋 扑克 麻将 桌游 拼图
hobby hobbies interest interests pastime 爱好 兴趣 嗜好|like love enjoy fond reading painting hiking fishing gardening dancing singing collecting cooking 喜欢 热爱 喜爱 阅读 看书 画画 徒步 钓鱼 园艺 跳舞 唱歌 收藏 做饭 下棋
job profession occupation career work 职业 工作 职位 职务|teacher doctor nurse engineer lawyer driver chef writer artist programmer designer accountant manager journalist scientist 老师 教师 医生 护士 工程师 律师 司机 厨师 作家 艺术家 程序员 设计师 会计 经理 记者 科学家 上班 任职 当
employer workplace 雇主 单位 公司|company firm office factory work works 公司 工厂 企业 任职 就职 上班 工作
education schooling degree 学历 学位 教育 文化程度|bachelor master doctorate phd graduate graduated university college diploma 本科 硕士 博士 大专 高中 毕业 大学 学士
subject major 专业 学科 科目|mathematics physics chemistry biology history law medicine economics philosophy literature 数学 物理 化学 生物 历史 法律 医学 经济 哲学 文学 计算机
school 学校|university college kindergarten class 大学 学院 中学 小学 幼儿园
colour color colours colors 颜色|red blue green yellow black white purple pink orange brown grey 红色 蓝色 绿色 黄色 黑色 白色 紫色 粉色 橙色 棕色 灰色
season 季节|spring summer autumn fall winter 春天 夏天 秋天 冬天
weather 天气|rain snow sunny wind cloudy storm hot cold 下雨 下雪 晴 风 多云 暴雨 热 冷
clothes clothing outfit 衣服 服装 穿的|shirt dress coat jacket trousers jeans skirt sweater hat shoes 衬衫 裙子 大衣 外套 裤子 毛衣 帽子 鞋
vehicle transport 交通工具 车|car bus train bicycle bike plane ship subway taxi motorcycle 汽车 公交 火车 自行车 飞机 轮船 地铁 出租车 摩托车 高铁
furniture 家具|table chair sofa bed desk shelf wardrobe 桌子 椅子 沙发 床 书桌 书架 衣柜
illness disease sickness 病 疾病 毛病|cold fever flu headache cough allergy cancer asthma diabetes 感冒 发烧 流感 头痛 头疼 咳嗽 过敏 癌症 哮喘 糖尿病
injury 伤 受伤|broken fracture sprain sprained cut bruise burn 骨折 扭伤 摔 烫伤 擦伤
feeling feelings emotion mood 心情 情绪 感觉 感受|happy sad angry afraid worried excited nervous proud lonely tired 高兴 开心 难过 生气 害怕 担心 激动 紧张 骄傲 孤独 疲惫
place venue destination 地方 地点 场所|restaurant park museum library beach hotel theatre cafe mall 餐厅 饭店 公园 博物馆 图书馆 海边 酒店 剧院 咖啡馆 商场
trip travel journey vacation holiday 旅行 旅游 出行|flight hotel airport beach tour visited 机票 航班 酒店 机场 海边 景点 去了
event activity activities 活动 事件|party wedding concert festival exhibition conference workshop meeting race show 聚会 婚礼 音乐会 展览 会议 讲座 比赛 演出 典礼
festival celebration 节日|christmas easter thanksgiving halloween 春节 中秋节 端午节 元宵节 国庆节 圣诞节 元旦
device gadget electronics 设备 电器 电子产品|phone computer laptop tablet camera television headphones 手机 电脑 平板 相机 电视 耳机 冰箱 洗衣机
flower flowers plant plants 花 植物|rose tulip lily sunflower orchid daisy tree cactus 玫瑰 郁金香 百合 向日葵 兰花 菊花 树 仙人掌
language languages 语言 外语|english french german spanish chinese japanese korean italian russian 英语 法语 德语 西班牙语 中文 日语 韩语 意大利语 俄语
gift gifts present presents 礼物|necklace ring book flowers watch toy card 项链 戒指 书 鲜花 手表 玩具 贺卡
age 年龄 年纪 岁数 多大 几岁|years old aged 岁 周岁
birthday birthdate 生日 出生日期|born 出生 生于
birthplace hometown 家乡 老家 故乡 籍贯 出生地|born grew raised native from 出生 来自 长大
address residence home 住址 住处 地址|live lives lived living moved apartment house street 住 住在 搬到 公寓 小区
height 身高 个子|tall cm centimetres 高 厘米
weight 体重|kilograms kg pounds heavy 公斤 斤 重
price cost 价格 价钱 花费 费用|paid pay dollars euros cheap expensive 元 块 钱 便宜 贵
contact 联系方式|phone number email 电话 号码 手机号 邮箱 微信
salary income wage 工资 收入 薪水|earn earns paid 挣 赚 月薪
name 名字 姓名 名称|called named 叫 名叫
relationship 感情 关系 婚姻|married single divorced dating engaged boyfriend girlfriend husband wife 结婚 单身 离婚 恋爱 订婚 男朋友 女朋友 丈夫 妻子
";

type Instances = HashMap<String, Vec<&'static str>>;

static INSTANCES: LazyLock<Instances> = LazyLock::new(|| {
    let mut instances = Instances::new();
    for (general, under) in CLASSES.lines().filter_map(|line| line.split_once('|')) {
        for word in general.split_whitespace() {
            let known = instances.entry(stemmed(word)).or_default();
            let new = under.split_whitespace().filter(|other| *other != word);
            for other in new {
                if !known.contains(&other) {
                    known.push(other);
                }
            }
        }
    }
    instances
});

/// What falls under a general word, or how what it asks for is told: for a folded word or its stem; none for most words.
///
/// ```
/// use soulmem_engine::text::instances;
/// assert!(instances("pets").contains(&"dog") && instances("宠物").contains(&"狗"));
/// assert!(instances("dog").is_empty());
/// ```
pub fn instances(word: &str) -> &'static [&'static str] {
    let known = INSTANCES
        .get(word)
        .or_else(|| INSTANCES.get(&stemmed(word)));
    known.map_or(&[], Vec::as_slice)
}
