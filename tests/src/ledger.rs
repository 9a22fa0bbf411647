//! What was asked and what was acknowledged, held against what is there.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

/// One write among those of its caller, which come one after the other. It writes one to three things, all or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Write {
    /// Who writes.
    pub caller: u64,
    /// The place among the caller's writes, from 0.
    pub number: u64,
}

impl Write {
    /// The texts that it writes, each of them in no other write. `beam/callers.exs` makes the same.
    pub fn texts(self) -> Vec<String> {
        let Self { caller, number } = self;
        (0..=number % 3)
            .map(|part| format!("c{caller}-{number}-{part}"))
            .collect()
    }

    /// Its idempotency key.
    pub fn key(self) -> String {
        format!("c{}-{}", self.caller, self.number)
    }

    fn of(text: &str) -> Option<(Self, usize)> {
        let mut numbers = text.strip_prefix('c')?.splitn(3, '-');
        let mut next = || numbers.next()?.parse().ok();
        let write = Self {
            caller: next()?,
            number: next()?,
        };
        Some((write, next()?.try_into().ok()?))
    }
}

/// The writes of one test.
#[derive(Debug, Default)]
pub struct Ledger {
    asked: BTreeSet<Write>,
    acknowledged: BTreeMap<Write, Vec<Uuid>>,
    kept: BTreeSet<Write>,
}

impl Ledger {
    /// A write was sent, or may have been.
    pub fn ask(&mut self, write: Write) {
        self.asked.insert(write);
    }

    /// A caller is gone, and with it the word of whether its next write was done.
    pub fn ask_next(&mut self, caller: u64) {
        let written = self.asked.iter().filter(|write| write.caller == caller);
        let number = written.map(|write| write.number + 1).max().unwrap_or(0);
        self.ask(Write { caller, number });
    }

    /// A write was acknowledged with these ids.
    pub fn acknowledge(&mut self, write: Write, ids: &[Uuid]) {
        assert_eq!(ids.len(), write.texts().len(), "{write:?}");
        let before = self.acknowledged.insert(write, ids.to_owned());
        assert!(
            before.is_none_or(|before| before == ids),
            "{write:?} was answered twice, each time otherwise"
        );
    }

    /// A write was acknowledged, and will have its ids later.
    pub fn keep(&mut self, write: Write) {
        self.kept.insert(write);
    }

    /// How many writes were acknowledged.
    pub fn acknowledged(&self) -> usize {
        self.acknowledged.len() + self.kept.len()
    }

    /// How many writes were asked for and never acknowledged.
    pub fn unanswered(&self) -> usize {
        self.asked.len() - self.acknowledged()
    }

    /// Asserts, of everything that is there in its order, with ids and texts: each acknowledged write is there
    /// once and whole under the ids that were told, each other once and whole or not at all, nothing else is
    /// there, and the writes of each caller are in their order.
    pub fn hold_against(&self, there: &[(Uuid, String)]) {
        let mut found = BTreeMap::new();
        let mut rest = there;
        while let Some((_, text)) = rest.first() {
            let (write, _) = Write::of(text).unwrap_or_else(|| panic!("{text:?} is of no write"));
            let texts = write.texts();
            let (whole, after) = rest.split_at(texts.len().min(rest.len()));
            let (ids, come): (Vec<Uuid>, Vec<&String>) =
                whole.iter().map(|(id, text)| (*id, text)).unzip();
            assert_eq!(come, texts.iter().collect::<Vec<_>>(), "in pieces");
            assert!(self.asked.contains(&write), "{write:?} was never asked");
            let place = (there.len() - rest.len(), ids);
            assert!(found.insert(write, place).is_none(), "{write:?} is doubled");
            rest = after;
        }
        for (write, ids) in &self.acknowledged {
            let told = found.get(write).map(|(_, ids)| ids);
            assert_eq!(told, Some(ids), "{write:?} was acknowledged");
        }
        for write in &self.kept {
            assert!(found.contains_key(write), "{write:?} was acknowledged");
        }
        in_order(&found);
    }
}

/// Writes come sorted by caller and number, so within a caller their places must rise.
fn in_order(found: &BTreeMap<Write, (usize, Vec<Uuid>)>) {
    let places: Vec<_> = found.iter().map(|(write, (at, _))| (write, at)).collect();
    for pair in places.windows(2) {
        let [(first, earlier), (second, later)] = pair else {
            continue;
        };
        let same = first.caller == second.caller;
        assert!(
            !same || earlier < later,
            "{second:?} is before {first:?}, which was asked before it"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Write = Write {
        caller: 0,
        number: 0,
    };
    const SECOND: Write = Write {
        caller: 0,
        number: 1,
    };

    fn ledger() -> Ledger {
        let mut ledger = Ledger::default();
        ledger.ask(FIRST);
        ledger.ask(SECOND);
        ledger.acknowledge(FIRST, &[Uuid::from_u128(1)]);
        ledger
    }

    fn there(texts: &[&str]) -> Vec<(Uuid, String)> {
        let ids = (1..).map(Uuid::from_u128);
        ids.zip(texts.iter().map(|text| (*text).to_owned()))
            .collect()
    }

    #[test]
    fn what_was_not_acknowledged_may_be_there_or_not() {
        ledger().hold_against(&there(&["c0-0-0"]));
        ledger().hold_against(&there(&["c0-0-0", "c0-1-0", "c0-1-1"]));
    }

    #[test]
    #[should_panic(expected = "was acknowledged")]
    fn a_loss_is_found() {
        ledger().hold_against(&[]);
    }

    #[test]
    #[should_panic(expected = "was acknowledged")]
    fn another_id_is_found() {
        ledger().hold_against(&[(Uuid::from_u128(2), "c0-0-0".to_owned())]);
    }

    #[test]
    #[should_panic(expected = "is doubled")]
    fn a_double_is_found() {
        ledger().hold_against(&there(&["c0-0-0", "c0-0-0"]));
    }

    #[test]
    #[should_panic(expected = "in pieces")]
    fn half_a_write_is_found() {
        ledger().hold_against(&there(&["c0-0-0", "c0-1-0"]));
    }

    #[test]
    #[should_panic(expected = "was never asked")]
    fn what_nobody_asked_is_found() {
        ledger().hold_against(&there(&["c0-0-0", "c7-0-0"]));
    }

    #[test]
    #[should_panic(expected = "which was asked before it")]
    fn a_changed_order_is_found() {
        let texts = there(&["c0-0-0", "c0-1-0", "c0-1-1"]);
        let turned = [&texts[1..], &texts[..1]].concat();
        ledger().hold_against(&turned);
    }
}
