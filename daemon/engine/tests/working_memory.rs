//! Working memory against a plain list, under any sequence of uses.

use std::sync::Arc;

use proptest::prelude::*;
use soulmem_engine::graph::activation::{Consolidation, WorkingMemory};
use soulmem_engine::model::*;
use uuid::Uuid;

fn note(number: u8, pinned: bool) -> Arc<MemoryNote> {
    let body = MemoryType::Procedure(ProcMemory {
        action: Action {
            content: "hums".into(),
            action_type: ActionType::Think,
        },
    });
    let mut draft = NoteDraft::new(body).with_id(id(number));
    draft.affect.pinned = Some(pinned);
    let clock = FixedClock(jiff::Timestamp::UNIX_EPOCH);
    Arc::new(
        draft
            .build(&clock, &SequentialIds::new())
            .expect("a valid note"),
    )
}

fn id(number: u8) -> NoteId {
    NoteId(Uuid::from_u128(u128::from(number)))
}

#[derive(Debug, Clone, Copy)]
enum Use {
    Put {
        number: u8,
        pinned: bool,
        pending: bool,
    },
    Activate(u8),
    Consolidated(u8),
    Remove(u8),
}

fn any_use() -> impl Strategy<Value = Use> {
    prop_oneof![
        4 => (0..12u8, prop::bool::weighted(0.2), prop::bool::weighted(0.3))
            .prop_map(|(number, pinned, pending)| Use::Put { number, pinned, pending }),
        4 => (0..12u8).prop_map(Use::Activate),
        1 => (0..12u8).prop_map(Use::Consolidated),
        1 => (0..12u8).prop_map(Use::Remove),
    ]
}

/// What should be there: number, pinned, pending; least recently activated first.
#[derive(Default)]
struct Expected(Vec<(u8, bool, bool)>);

impl Expected {
    fn take(&mut self, number: u8) -> Option<(u8, bool, bool)> {
        let position = self.0.iter().position(|it| it.0 == number)?;
        Some(self.0.remove(position))
    }

    fn apply(&mut self, it: Use, capacity: usize) {
        match it {
            Use::Put {
                number,
                pinned,
                pending,
            } => {
                self.take(number);
                self.0.push((number, pinned, pending));
            }
            Use::Activate(number) => {
                let taken = self.take(number);
                self.0.extend(taken);
            }
            Use::Consolidated(number) => {
                for it in self.0.iter_mut().filter(|it| it.0 == number) {
                    it.2 = false;
                }
            }
            Use::Remove(number) => {
                self.take(number);
            }
        }
        while self.0.len() > capacity {
            let Some(leaves) = self.0.iter().position(|it| !it.1 && !it.2) else {
                return;
            };
            self.0.remove(leaves);
        }
    }
}

proptest! {
    #[test]
    fn the_least_recently_activated_leave_first(
        capacity in 0..6usize,
        uses in prop::collection::vec(any_use(), 0..60),
    ) {
        let mut memory = WorkingMemory::new(capacity);
        let mut expected = Expected::default();
        for it in uses {
            match it {
                Use::Put { number, pinned, pending } => {
                    let consolidation = if pending { Consolidation::Pending } else { Consolidation::Done };
                    memory.put(note(number, pinned), consolidation);
                }
                Use::Activate(number) => {
                    let there = expected.0.iter().any(|it| it.0 == number);
                    let found = memory.activate(id(number));
                    prop_assert_eq!(found.map(|note| note.id), there.then(|| id(number)));
                }
                Use::Consolidated(number) => memory.consolidated(id(number)),
                Use::Remove(number) => {
                    let there = expected.0.iter().any(|it| it.0 == number);
                    prop_assert_eq!(memory.remove(id(number)).is_some(), there);
                }
            }
            expected.apply(it, capacity);
            prop_assert_eq!(memory.len(), expected.0.len());
        }
        for number in 0..12 {
            let there = expected.0.iter().any(|it| it.0 == number);
            prop_assert_eq!(memory.remove(id(number)).is_some(), there, "{}", number);
        }
        prop_assert!(memory.is_empty());
    }
}
