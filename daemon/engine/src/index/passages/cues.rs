//! What kind of text something is, by closed classes of words.

use crate::pack_fields;
use crate::text::{fold, has_time_expression, tells_liking, tells_person, tells_place};

/// Words by which one speaks of oneself.
const FIRST_PERSON: [&str; 10] = [
    "i", "i'm", "i've", "i'd", "i'll", "my", "me", "mine", "we", "our",
];

/// What a text is beside what it says.
#[expect(clippy::struct_excessive_bools, reason = "each is a cue of its own")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cues {
    /// Characters in it.
    pub chars: u32,
    /// Whether it ends as a question does.
    pub asks: bool,
    /// Whether somebody speaks of themselves in it.
    pub own: bool,
    /// Whether it says when something was or will be, or how long it took.
    pub tells_time: bool,
    /// Whether it names somebody.
    pub tells_person: bool,
    /// Whether it says where.
    pub tells_place: bool,
    /// Whether it says what is liked or not.
    pub tells_liking: bool,
}

pack_fields!(Cues {
    chars,
    asks,
    own,
    tells_time,
    tells_person,
    tells_place,
    tells_liking
});

impl Cues {
    /// Those of a text.
    pub fn of(text: &str) -> Self {
        let folded = fold(text);
        Self {
            chars: u32::try_from(text.chars().count()).unwrap_or(u32::MAX),
            asks: text.trim_end().ends_with(['?', '？']),
            own: folded.contains('我') || words(&folded).any(|word| FIRST_PERSON.contains(&word)),
            tells_time: has_time_expression(text),
            tells_person: tells_person(text),
            tells_place: tells_place(text),
            tells_liking: tells_liking(text),
        }
    }
}

fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|c: char| !c.is_alphanumeric() && c != '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_of_both_languages() {
        let cues = Cues::of("Did I tell you that we met in 2019?");
        assert!(cues.asks && cues.own && cues.tells_time);
        let cues = Cues::of("我三天前到的。");
        assert!(!cues.asks && cues.own && cues.tells_time);
        let cues = Cues::of("The kettle is new");
        assert!(!cues.asks && !cues.own && !cues.tells_time);
        let cues = Cues::of("水壶是新的吗？");
        assert!(cues.asks && !cues.own && !cues.tells_time);
    }
}
