//! The phrases that speak for an intent, each list with its weight.
//!
//! A weight of 3 or more is a phrase that decides by itself (liking outweighs a question about what or who), 2 one that
//! nearly does, less one that helps; the lists of the two
//! languages answer each other, so that neither is read better.

use super::intent::Intent;
use Intent as I;

/// Intent, weight of each phrase, phrases.
pub(super) const TABLE: &[(Intent, f64, &str)] = &[
    // What somebody likes.
    (
        I::Preference,
        4.0,
        "最喜欢|更喜欢|不喜欢|喜不喜欢|喜欢吃|喜欢喝|喜欢听|喜欢看|最爱|爱吃|爱喝|爱看|爱听|讨厌|偏爱|偏好|热爱|钟爱|受不了|宁愿|宁可|反感|口味|爱好|忌口|合胃口|感兴趣|迷上|情有独钟|嫌弃|上瘾|厌恶",
    ),
    (
        I::Preference,
        4.0,
        "favorite|favourite|prefer|prefers|preferred|preference|preferences|can't stand|cannot stand|hate|hates|hated|dislike|dislikes|would rather|fond of|big fan|a fan of|into jazz|allergic|craving|hobby|hobbies|not a fan|can't bear|adore|adores|obsessed with|my taste|his taste|her taste|taste in",
    ),
    (
        I::Preference,
        2.0,
        "喜欢|喜爱|想吃|兴趣|嫌|不吃|不喝|怕辣|过敏|不感冒|中意|看不惯|享受|挑食|合我的|对胃口",
    ),
    (
        I::Preference,
        2.0,
        "like|likes|love|loves|enjoy|enjoys|enjoyed|don't like|doesn't like|interested in|too sweet for|don't eat|doesn't eat|don't drink|doesn't drink|appeals to|picky|would love|keen on|into",
    ),
    // "like" that likens.
    (
        I::Preference,
        -2.0,
        "look like|looks like|looked like|feel like|feels like|felt like|something like|what was it like|what is it like|what's it like|like this|like that|sounds like|sound like|seems like|is like|would like to know|was like",
    ),
    // What is so.
    (
        I::Knowledge,
        3.0,
        "什么是|是什么意思|什么意思|定义|原理|含义|概念|解释一下|科普|首都|由来|为什么会|有什么区别|区别是|指的是|是谁发明|谁发明|历史上|知识|属于什么|位于|起源",
    ),
    (
        I::Knowledge,
        3.0,
        "what is a|what is an|what is the|what are the|what does it mean|meaning of|mean by|stands for|stand for|define|definition|explain|difference between|capital of|who invented|who wrote|who discovered|who founded|history of|how does|theory|why is the|why does the|origin of|located in|concept of|fun fact",
    ),
    (
        I::Knowledge,
        2.0,
        "是什么|是谁|谁是|意思|解释|介绍|区别|历史|科学|多高|多重|多少度|哪个国家|哪个朝代|职业|做什么工作|叫什么|生日是|几岁|多大|属什么|籍贯|电话号码|地址|国家|发明|人口|面积|光速|公式|成语|作者",
    ),
    (
        I::Knowledge,
        2.0,
        "what is|what's|who is|who's|what are|explain|fact|facts|science|how old is|how tall|how far is|which country|what country|what does|occupation|for a living|phone number|address|birthday|population|invented|inventor|formula|author of|word for|synonym|name of|named|called|why is|what causes|boiling point|tell me about the",
    ),
    // What happened or will.
    (
        I::Experience,
        3.0,
        "上次|那次|那天|当时|经历|发生了|发生过|小时候|旅行|旅游|一起去|还记得|记不记得|记得我们|聊过|说过|遇到|遇见|见过|去过|参加了|第一次|那时候|做了什么|干了什么|干什么了|回忆|搬家|出差|婚礼|聚会|吵架|考试那|面试那",
    ),
    (
        I::Experience,
        3.0,
        "last time|that time|that day|remember when|do you remember|what happened|happened|experience|went to|have you ever|had i ever|did we|did i|did you|did she|did he|did they|when i was|when we|when you|first time|trip|vacation|wedding|party|used to|we met|we talked|we went|i went|visited|moved to|as a child|as a kid|argued|childhood|what did",
    ),
    (
        I::Experience,
        1.5,
        "了吗|去了|来了|做了|看了|吃了|买了|见了|过了|曾经|以前|之前|后来|刚才|刚刚|打算|计划|准备去|约好|约了|约定|要去|参加|毕业|生病|下班路上|记得",
    ),
    (
        I::Experience,
        1.5,
        "went|saw|took|bought|came|told me|told you|met|ate|was at|were at|had a|have been|has been|i've been|ago|once|earlier|later|planned|plan to|plans to|going to|agreed to meet|attended|graduated|got sick|remember|recall|gave|drove|flew|spent|cooked|watched",
    ),
    // Programs.
    (
        I::Code,
        3.0,
        "代码|函数|编译|报错|变量|数组|脚本|编程|算法|数据库|正则|调试|递归|指针|内存泄漏|命令行|空指针|死锁|线程|前端|后端|单元测试|源码|语法错误|依赖包|栈溢出|接口文档|爬虫|冒泡排序|二分查找|排序算法|异步|容器镜像|循环语句|类型推断|版本控制|提交记录|合并分支|分支合并|重构",
    ),
    (
        I::Code,
        3.0,
        "code|function|compile|compiler|compiles|debug|debugging|python|javascript|typescript|rust|java|golang|c++|sql|regex|array|stack trace|exception|null pointer|segfault|recursion|recursive|database|git|docker|kubernetes|json|api|async|mutex|thread|threads|unit test|unit tests|refactor|refactoring|script|bug|bugs|merge conflict|pull request|linker|npm|cargo|html|css|backend|frontend|hash map|linked list|binary search|variable|bash|shell command|syntax error|memory leak|programming|algorithm|codebase|for loop|while loop|deadlock|race condition|iterator|struct",
    ),
    (
        I::Code,
        2.0,
        "程序|循环|接口|异常|部署|仓库|终端|服务器|框架|类型|日志|配置文件|字符串|测试用例|文件|崩溃|软件包|端口|缓存|运行时|服务端|线上",
    ),
    (
        I::Code,
        2.0,
        "loop|deploy|deployment|repo|repository|branch|terminal|server|framework|type error|log file|config file|string|test case|test cases|file|files|shell|crash|crashes|crashed|library|package|port|cache|runtime|commit|merge|query|endpoint|class|method|parse|import error|linux",
    ),
    // What asks for nothing that is remembered.
    (
        I::General,
        3.0,
        "你好|您好|早上好|晚安|谢谢|再见|拜拜|哈哈|在吗|辛苦了|吃了吗|好久不见|早安|晚上好|多谢|不客气|下午好|加油|嗨|好的呀|随便聊聊|聊聊天|陪我聊|讲个笑话|笑话|无聊|新年快乐|生日快乐|恭喜",
    ),
    (
        I::General,
        3.0,
        "hello|hi|good morning|good night|good evening|thanks|thank you|bye|goodbye|haha|how are you|how's it going|what's up|nice to meet you|see you|you're welcome|long time no see|good luck|hey there|let's chat|just chatting|talk to me|tell me a joke|a joke|bored|congratulations|happy new year|happy birthday|take care|good afternoon",
    ),
    (
        I::General,
        1.5,
        "嗯|好的|没事|没关系|心情|累|难过|开心|加班|烦|困了|睡不着|唉|好吧|今天天气|天气不错|真好|怎么办呢|有点冷|好热|饿了|压力",
    ),
    (
        I::General,
        1.5,
        "ok|okay|sure|never mind|no problem|feeling|tired|sad|lonely|stressed|sleepy|can't sleep|sigh|alright|the weather|nice weather|nice day|mood|i'm fine|that's great|sounds good|hungry|cold today|so hot|cheer me up|exhausted|anxious",
    ),
];
