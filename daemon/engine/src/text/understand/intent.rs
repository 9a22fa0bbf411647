//! What a line is about: one of five intents, by phrases and by the shape of what is written.

use std::sync::LazyLock;

use super::cues::Cues;
use super::intent_cues::TABLE;
use super::normal::Normal;
use super::question::QuestionKind;

/// What a line is about; the intent sets how the channels of recall are mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intent {
    /// What somebody likes, dislikes or would rather have.
    Preference,
    /// What is so: facts, meanings, reasons.
    Knowledge,
    /// What happened or will: events, days, places one went to.
    Experience,
    /// Programs and how to make them work.
    Code,
    /// Anything else: greetings, small talk, how one feels.
    General,
}

impl Intent {
    /// All of them, in the order in which one of two equal ones is taken.
    pub const ALL: [Self; 5] = [
        Self::Preference,
        Self::Knowledge,
        Self::Experience,
        Self::Code,
        Self::General,
    ];
}

/// How much each intent speaks from a line; the five add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntentScores([f64; 5]);

impl IntentScores {
    /// The share of one.
    pub fn of(&self, intent: Intent) -> f64 {
        self.0[intent as usize]
    }

    /// The one with the largest share.
    pub fn top(&self) -> Intent {
        let mut best = Intent::General;
        for intent in Intent::ALL {
            if self.of(intent) > self.of(best) {
                best = intent;
            }
        }
        best
    }
}

/// What a line without any sign is: nobody's in particular.
const GENERAL_BASE: f64 = 1.0;

/// What an expression of time adds to `Experience`: enough to outweigh a line that has no other sign.
const TIME: f64 = 1.5;

/// What the kind of question adds to the intent that it mostly goes with.
const QUESTION: f64 = 1.5;

/// What a shape that only program text has adds to `Code`.
const SHAPE: f64 = 3.0;

static CUES: LazyLock<Cues<(Intent, f64)>> = LazyLock::new(|| {
    Cues::new(
        TABLE
            .iter()
            .map(|(intent, weight, list)| ((*intent, *weight), *list)),
    )
});

/// What else than its phrases is known of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signs {
    pub(super) question: Option<QuestionKind>,
    pub(super) tells_time: bool,
}

/// Scores a line. `text` is the line as it is written, for the shapes.
pub(super) fn scores(text: &str, normal: &Normal, signs: Signs) -> IntentScores {
    let mut sums = [0.0; 5];
    sums[Intent::General as usize] = GENERAL_BASE;
    for found in CUES.find(normal) {
        let (intent, weight) = found.meaning;
        sums[intent as usize] += weight;
    }
    sums[Intent::Code as usize] += SHAPE * f64::from(u8::from(has_code_shape(text)));
    if signs.tells_time {
        sums[Intent::Experience as usize] += TIME;
    }
    match signs.question {
        Some(QuestionKind::When) => sums[Intent::Experience as usize] += QUESTION,
        Some(
            QuestionKind::What | QuestionKind::Who | QuestionKind::Why | QuestionKind::HowMany,
        ) => {
            sums[Intent::Knowledge as usize] += QUESTION;
        }
        _ => {}
    }
    let total: f64 = sums.iter().sum();
    IntentScores(sums.map(|sum| sum / total))
}

/// Whether a piece of the text is written as only programs are: `snake_case`, `call()`, `a::b`, `main.rs`, `=>`.
fn has_code_shape(text: &str) -> bool {
    const SIGNS: [&str; 10] = ["()", "::", "=>", "->", "==", "!=", "{}", "[]", "```", "&&"];
    SIGNS.iter().any(|sign| text.contains(sign))
        || text
            .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
            .any(|piece| is_identifier(piece) || is_source_file(piece))
}

fn is_identifier(piece: &str) -> bool {
    let joined = |(at, _): (usize, &str)| {
        let side = |c: Option<u8>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let bytes = piece.as_bytes();
        side(
            at.checked_sub(1)
                .and_then(|before| bytes.get(before).copied()),
        ) && side(bytes.get(at + 1).copied())
    };
    piece.match_indices('_').any(joined)
}

fn is_source_file(piece: &str) -> bool {
    const EXTENSIONS: [&str; 16] = [
        "py", "rs", "js", "ts", "go", "java", "cpp", "rb", "sh", "sql", "json", "toml", "yaml",
        "yml", "html", "css",
    ];
    piece
        .rsplit_once('.')
        .is_some_and(|(name, extension)| !name.is_empty() && EXTENSIONS.contains(&extension))
}
