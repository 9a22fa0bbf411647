//! How far a file has come that is written piece by piece.

use std::str::FromStr;

use crate::soul::error::{Result, SoulError};
use crate::store::Seq;

/// What is written next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What was said.
    Messages,
    /// What is remembered.
    Notes,
    /// What came to mind together.
    Recalls,
    /// What requests with a key were answered.
    Answers,
    /// The end.
    End,
}

/// How far a file has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// What is written next.
    pub part: Part,
    /// The last row that was written of this part.
    pub after: Seq,
    /// The last change that is in the file.
    pub through: Seq,
    /// Words in the file so far.
    pub words: u64,
    /// Messages in it.
    pub messages: u64,
    /// Notes in it.
    pub notes: u64,
    /// Recalls in it.
    pub recalls: u64,
    /// Answers in it.
    pub answers: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let part = match self.part {
            Part::Messages => "messages",
            Part::Notes => "notes",
            Part::Recalls => "recalls",
            Part::Answers => "answers",
            Part::End => "end",
        };
        let Self {
            after,
            through,
            words,
            messages,
            notes,
            recalls,
            answers,
            ..
        } = self;
        write!(
            f,
            "{part}/{after}/{through}/{words}/{messages}/{notes}/{recalls}/{answers}"
        )
    }
}

impl FromStr for Place {
    type Err = SoulError;

    fn from_str(text: &str) -> Result<Self> {
        let foreign = || SoulError::invalid("cursor", "is none that a piece gave");
        let mut parts = text.split('/');
        let part = match parts.next() {
            Some("messages") => Part::Messages,
            Some("notes") => Part::Notes,
            Some("recalls") => Part::Recalls,
            Some("answers") => Part::Answers,
            Some("end") => Part::End,
            _ => return Err(foreign()),
        };
        let numbers: Vec<u64> = parts
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()
            .map_err(|_| foreign())?;
        let &[after, through, words, messages, notes, recalls, answers] = numbers.as_slice() else {
            return Err(foreign());
        };
        Ok(Self {
            part,
            after: Seq::try_from(after).map_err(|_| foreign())?,
            through: Seq::try_from(through).map_err(|_| foreign())?,
            words,
            messages,
            notes,
            recalls,
            answers,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_and_a_foreign_one_is_refused() {
        let place = Place {
            part: Part::Notes,
            after: 12,
            through: 310,
            words: 1,
            messages: 80,
            notes: 5,
            recalls: 2,
            answers: 3,
        };
        assert_eq!(place.to_string().parse::<Place>().unwrap(), place);
        for foreign in [
            "",
            "notes",
            "notes/1/2/3/4/5/6",
            "notes/1/2/3/4/5/6/7/8",
            "x/1/2/3/4/5/6/7",
            "end/-1/2/3/4/5/6/7",
        ] {
            let refused = foreign.parse::<Place>().unwrap_err();
            assert!(refused.to_string().starts_with("cursor:"), "{foreign}");
        }
    }
}
