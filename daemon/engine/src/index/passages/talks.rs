//! What was said in which talk, in order.

use hashbrown::HashMap;
use jiff::Timestamp;

use super::super::DocKey;
use crate::pack_fields;

/// A talk.
pub type TalkId = u32;

/// The place of something said: its talk, and where in it. Places are ordered as things were said; they do not change
/// when something else goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn {
    /// Which talk.
    pub talk: TalkId,
    /// When it was said, and which in the order of writing among what was said then.
    order: (Timestamp, u64),
}

pack_fields!(Turn { talk, order });

pack_fields!(Talks {
    numbers,
    turns,
    written
});

/// Turns by talk.
#[derive(Debug, Default)]
pub(super) struct Talks {
    numbers: HashMap<String, TalkId>,
    turns: Vec<Vec<((Timestamp, u64), DocKey)>>,
    written: u64,
}

impl Talks {
    /// Forgets the names of talks of which nothing is left.
    pub(super) fn compact(&mut self) {
        let turns = &self.turns;
        let filled = |talk: TalkId| {
            turns
                .get(talk as usize)
                .is_some_and(|turns| !turns.is_empty())
        };
        self.numbers.retain(|_, talk| filled(*talk));
    }

    /// Puts something said into its place. What was there `before` and only was cut anew stays where it was, also among what
    /// was said at the same time.
    pub(super) fn put(
        &mut self,
        talk: &str,
        at: Timestamp,
        key: DocKey,
        before: Option<Turn>,
    ) -> Turn {
        let next = self.turns.len() as TalkId;
        let talk = *self.numbers.entry(talk.to_owned()).or_insert(next);
        if talk == next {
            self.turns.push(Vec::new());
        }
        let same = before.filter(|turn| turn.talk == talk && turn.order.0 == at);
        let order = same.map_or((at, self.written), |turn| turn.order);
        self.written += u64::from(same.is_none());
        let turns = &mut self.turns[talk as usize];
        let place = turns.partition_point(|(earlier, _)| *earlier < order);
        turns.insert(place, (order, key));
        Turn { talk, order }
    }

    pub(super) fn remove(&mut self, turn: Turn, key: DocKey) {
        let turns = &mut self.turns[turn.talk as usize];
        let place = turns.partition_point(|(earlier, _)| *earlier < turn.order);
        if turns.get(place).is_some_and(|(_, there)| *there == key) {
            turns.remove(place);
        }
    }

    pub(super) fn beside(&self, turn: Turn, distance: i64) -> Option<DocKey> {
        let turns = self.turns.get(turn.talk as usize)?;
        let place = turns.partition_point(|(earlier, _)| *earlier < turn.order);
        let other = i64::try_from(place).ok()?.checked_add(distance)?;
        turns.get(usize::try_from(other).ok()?).map(|(_, key)| *key)
    }

    pub(super) fn all(&self, talk: TalkId) -> impl Iterator<Item = DocKey> + '_ {
        let turns = self.turns.get(talk as usize).into_iter().flatten();
        turns.map(|(_, key)| *key)
    }
}
