//! Nothing crosses between characters: one that lives beside another, with the same ids and the same texts, answers in
//! every way, and tells its subscribers, as it does alone.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod house;
mod step;
mod told;

use proptest::prelude::*;
use soulmem_engine::model::{LinkId, MessageId, NoteId};
use soulmem_proto::{Op, SoulName};
use uuid::Uuid;

use crate::house::House;
use crate::step::{Step, is_about_a_character, step};

/// When everything begins.
const NOW: &str = "2026-06-01T08:00:00Z";

/// Texts that both characters have in common.
const TEXTS: [&str; 4] = [
    "雨天的猫",
    "老钟停在三点",
    "a walk in the rain",
    "다리 아래의 강",
];

/// Ids that the test chooses are not below this one; those that a house makes up are.
const CHOSEN: u128 = 1 << 127;

fn note_id(n: u8) -> NoteId {
    NoteId(Uuid::from_u128(CHOSEN + 0x100 + u128::from(n)))
}

fn link_id(n: u8) -> LinkId {
    LinkId(Uuid::from_u128(CHOSEN + 0x200 + u128::from(n)))
}

fn message_id(n: u8) -> MessageId {
    MessageId(Uuid::from_u128(CHOSEN + 0x300 + u128::from(n)))
}

#[test]
fn only_these_operations_are_about_no_character() {
    let apart = Op::ALL.into_iter().filter(|op| !is_about_a_character(*op));
    assert!(apart.eq([Op::Hello, Op::Ping, Op::Health, Op::Shutdown]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_character_beside_another_is_as_it_is_alone(
        life in prop::collection::vec((any::<bool>(), step()), 1..60)
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let [ann, bo]: [SoulName; 2] = ["ann", "bo"].map(|name| name.parse().unwrap());
            let both = House::with(&[&ann, &bo]).await;
            let alone = [House::with(&[&ann]).await, House::with(&[&bo]).await];
            for (is_bo, step) in &life {
                let name = if *is_bo { &bo } else { &ann };
                if matches!(step, Step::Wait { .. } | Step::Close) {
                    for house in alone.iter().chain([&both]) {
                        house.pass(step).await;
                    }
                    continue;
                }
                let beside = both.step(name, step).await;
                let apart = alone[usize::from(*is_bo)].step(name, step).await;
                prop_assert_eq!(beside, apart, "{:?}", step);
            }
            for (house, name) in alone.iter().zip([&ann, &bo]) {
                prop_assert_eq!(both.all_of(name).await, house.all_of(name).await);
            }
            let lists = [alone[0].souls.list().await, alone[1].souls.list().await].concat();
            prop_assert_eq!(both.souls.list().await, lists);
            Ok(())
        })?;
    }
}
