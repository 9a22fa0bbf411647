//! What a line does: tell, ask, beg, promise, correct, greet.

use std::sync::LazyLock;

use super::cues::Cues;
use super::normal::Normal;
use super::question::QuestionKind;

/// What somebody does by saying a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpeechAct {
    /// Tells something.
    Statement,
    /// Asks for an answer.
    Question,
    /// Wants something done.
    Request,
    /// Binds the speaker.
    Promise,
    /// Puts something right that was said or remembered.
    Correction,
    /// Says hello, thanks or goodbye, and nothing else.
    Greeting,
}

static CORRECTION: LazyLock<Cues<()>> = LazyLock::new(|| {
    Cues::new([(
        (),
        "你记错|记错了|我说错|说错了|弄错了|搞错了|更正|纠正|口误|不是这样|应该是|其实不是|其实是|actually it's|actually it was|actually i|that's wrong|that's not right|that is wrong|that isn't right|i meant|i was wrong|you're wrong|correction|i misspoke|you got it wrong|you got that wrong|you misremember|you've got it wrong|not what i said|let me correct|no it's|no it was|no that's",
    )])
});

static PROMISE: LazyLock<Cues<()>> = LazyLock::new(|| {
    Cues::new([(
        (),
        "我答应|我保证|我发誓|我一定|我会的|一言为定|说话算话|我肯定会|包在我身上|我向你保证|我下次一定|我以后会|我不会再|i promise|i swear|i'll|i will|we'll|you have my word|i give you my word|count on me|i won't|i'm going to make sure|i shall",
    )])
});

static REQUEST: LazyLock<Cues<()>> = LazyLock::new(|| {
    Cues::new([(
        (),
        "请你|请帮|请把|请给|请不要|请记|请提醒|帮我|帮忙|麻烦你|麻烦您|拜托|提醒我|记得提醒|别忘了|给我讲|介绍一下|解释一下|给我推荐|推荐一下|推荐几|推荐一|告诉我|替我|让我们|帮他|帮她|写一个|写一段|写一篇|please|explain|remind me|can you|could you|would you mind|will you|help me|let's|don't forget to|make sure you|write me|write a|give me|show me|do me a favor|do me a favour|recommend|tell me|i need you to|i'd like you to|would you",
    )])
});

static GREETING: LazyLock<Cues<()>> = LazyLock::new(|| {
    Cues::new([(
        (),
        "你好|您好|早上好|早安|晚上好|晚安|中午好|下午好|嗨|哈喽|再见|拜拜|回头见|明天见|谢谢|多谢|感谢|不客气|辛苦了|好久不见|在吗|在不在|吃了吗|吃饭了吗|hello|hi|hey|good morning|good evening|good afternoon|good night|goodnight|bye|goodbye|see you|see ya|thanks|thank you|you're welcome|nice to meet you|how are you|how's it going|what's up|take care|cheers|long time no see",
    )])
});

/// More words (or characters of an unspaced script) than this, and a greeting only opens what is said.
const GREETING_MAX_UNITS: usize = 6;

/// What the line does.
pub(super) fn act(normal: &Normal, question: Option<QuestionKind>) -> SpeechAct {
    if is_greeting(normal) {
        return SpeechAct::Greeting;
    }
    // "Can you tell me when…" wants to know; "Can you open the window?" wants it opened.
    let asks = question.is_some_and(|kind| kind != QuestionKind::YesNo);
    if !asks && (CORRECTION.any(normal) || opens_with_denial(normal)) {
        return SpeechAct::Correction;
    }
    if question.is_none() && PROMISE.any(normal) {
        return SpeechAct::Promise;
    }
    if !asks && REQUEST.any(normal) {
        return SpeechAct::Request;
    }
    if question.is_some() {
        return SpeechAct::Question;
    }
    SpeechAct::Statement
}

/// "不对，是周四": the first clause says no more than that something is wrong.
fn opens_with_denial(normal: &Normal) -> bool {
    matches!(
        normal.words().next(),
        Some("不对" | "不不" | "错了" | "不是")
    ) && normal.words().nth(1).is_some()
}

fn is_greeting(normal: &Normal) -> bool {
    let units: usize = normal
        .words()
        .filter(|word| !matches!(*word, "?" | "!"))
        .map(|word| {
            if word.is_ascii() {
                1
            } else {
                word.chars().count()
            }
        })
        .sum();
    (1..=GREETING_MAX_UNITS).contains(&units) && GREETING.any(normal)
}
