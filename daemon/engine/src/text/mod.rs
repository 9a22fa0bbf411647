//! Text as the memory reads it: folded, cut into tokens, words and sentences, counted, compared.
//!
//! * [`Segmenter`] cuts any Unicode text into the [`Token`]s that are indexed and asked for; the names of one
//!   character can be added to it live.
//! * [`words`] are the units that forgetting masks, [`sentences`] those that long text is split on.
//! * [`fold`] and [`key`] give the form in which two spellings of one text are equal.
//! * [`similarity`] is the string channel's measure; [`estimate_tokens`] is what a text costs in a
//!   prompt, [`pieces`] cuts one to a cost.
//! * [`understand`] tells what a line is about, asks and does; [`time_expressions`] what times it names.
//!
//! Everything here is a pure function of the text (and of the names added), takes linear time and accepts
//! every string: NUL, lone combining marks, right-to-left text, a mebibyte of one letter.

mod budget;
mod certain;
mod cjk;
mod folded;
mod latin;
mod names;
mod script;
mod segment;
mod sentences;
mod similarity;
mod simplified;
mod stop;
mod tells;
mod token;
mod understand;
mod when;
mod words;

pub use budget::{estimate_tokens, pieces};
pub use cjk::is_known_word;
pub use folded::{fold, key};
pub use script::is_unspaced;
pub use segment::Segmenter;
pub use sentences::sentences;
pub use similarity::{SIMILARITY_MAX_CHARS, Spelling, similarity};
pub use tells::{tells_liking, tells_person, tells_place};
pub use token::{Token, TokenKind, TokenRef};
pub use understand::{
    By, Intent, IntentScores, Language, LanguageRun, Line, Mention, Participant, QuestionKind,
    SpeechAct, Understanding, instances, language_runs, synonyms, understand,
};
pub use when::{
    Grain, TimeExpression, TimeReading, has_time_expression, interval_fit, time_expressions,
    time_fit,
};
pub use words::words;
