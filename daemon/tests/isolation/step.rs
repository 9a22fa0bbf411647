//! What is done to one of the characters: every operation of the wire that is about one.

use proptest::prelude::*;
use soulmem_proto::Op;

/// One step. Numbers choose among few ids, texts and keys, so that the characters meet in all of them.
#[derive(Debug, Clone)]
pub enum Step {
    /// Pushes a text, as an outbox may, under a key or none; one with the summary tag is summed up.
    Push {
        text: u8,
        tag: bool,
        origin: Option<u8>,
        key: Option<u8>,
    },
    /// Takes in a message with an id of the caller's choosing.
    Say {
        id: u8,
        text: u8,
    },
    /// Gives the character a word of its own.
    Word {
        word: u8,
    },
    /// Sends a half of a file under a name that the other character's upload has too.
    Upload {
        last: bool,
    },
    /// Takes it out as a file and in again, as a machine that it moves to does.
    Carry,
    Put {
        id: u8,
        text: u8,
        revision: Option<u64>,
        key: Option<u8>,
    },
    Get {
        id: u8,
    },
    Link {
        id: u8,
        from: u8,
        to: u8,
    },
    Unlink {
        id: u8,
    },
    Hide {
        id: u8,
    },
    Correct {
        old: u8,
        new: u8,
    },
    Erase {
        note: u8,
        message: u8,
    },
    /// Asks, which may count as remembering, and may be about what was believed before.
    Ask {
        text: u8,
        record: bool,
        hours_ago: Option<i64>,
    },
    Praise {
        id: u8,
    },
    Consolidate,
    Forget,
    Preview,
    TakeBack {
        id: u8,
    },
    Own {
        state: u8,
        mark: u8,
    },
    Subscribe {
        event: u8,
    },
    Unsubscribe {
        event: u8,
    },
    Checkpoint,
    Repair,
    /// Drops it and makes one of the same name.
    Anew,
    /// Erases all of it and makes one of the same name.
    Gone,
    /// Brings it back out of a backup; of all characters of the house, or of it alone.
    Back {
        of_all: bool,
    },
    /// Time passes, for every character.
    Wait {
        hours: i64,
    },
    /// Every character is closed.
    Close,
}

impl Step {
    /// The operation that writes in it, where one does.
    pub fn writes(&self) -> Option<Op> {
        Some(match self {
            Step::Push { .. } => Op::Push,
            Step::Say { .. } | Step::Word { .. } | Step::Upload { .. } => Op::Import,
            Step::Put { .. } => Op::NotePut,
            Step::Link { .. } => Op::LinkPut,
            Step::Unlink { .. } => Op::LinkDelete,
            Step::Hide { .. } => Op::NoteDelete,
            Step::Correct { .. } => Op::NoteSupersede,
            Step::Erase { .. } | Step::Gone => Op::Erase,
            Step::Praise { .. } => Op::Feedback,
            Step::Consolidate => Op::Consolidate,
            Step::Forget | Step::TakeBack { .. } => Op::Forget,
            Step::Checkpoint => Op::Checkpoint,
            Step::Anew | Step::Carry => Op::SoulDrop,
            Step::Get { .. }
            | Step::Ask { .. }
            | Step::Preview
            | Step::Own { .. }
            | Step::Subscribe { .. }
            | Step::Unsubscribe { .. }
            | Step::Repair
            | Step::Back { .. }
            | Step::Wait { .. }
            | Step::Close => return None,
        })
    }
}

/// Every operation of the wire is a part of some step or of what is compared at the end, or is about no character. A new
/// one is missed here until it has a place.
pub fn is_about_a_character(op: Op) -> bool {
    match op {
        Op::Hello | Op::Ping | Op::Health | Op::Shutdown => false,
        // Steps.
        Op::SoulCreate
        | Op::SoulOwner
        | Op::Push
        | Op::Retrieve
        | Op::Consolidate
        | Op::Checkpoint
        | Op::NoteGet
        | Op::NotePut
        | Op::LinkPut
        | Op::LinkDelete
        | Op::NoteDelete
        | Op::Feedback
        | Op::Forget
        | Op::Subscribe
        | Op::Unsubscribe
        | Op::Import
        | Op::SoulDrop
        | Op::NoteSupersede
        | Op::Erase
        | Op::Backup
        | Op::Restore
        | Op::Doctor
        | Op::Export
        // Compared at the end.
        | Op::SoulList
        | Op::NoteList
        | Op::MessageList
        | Op::Stats => true,
    }
}

pub fn step() -> impl Strategy<Value = Step> {
    use Step::{
        Anew, Ask, Back, Carry, Checkpoint, Close, Consolidate, Correct, Erase, Forget, Get, Gone,
        Hide, Link, Own, Praise, Preview, Push, Put, Repair, Say, Subscribe, TakeBack, Unlink,
        Unsubscribe, Upload, Wait, Word,
    };
    let n = || 0..4_u8;
    let maybe = || prop::option::of(0..4_u8);
    let said = prop_oneof![
        6 => (n(), prop::bool::weighted(0.3), maybe(), maybe())
            .prop_map(|(text, tag, origin, key)| Push { text, tag, origin, key }),
        3 => (n(), n()).prop_map(|(id, text)| Say { id, text }),
        1 => n().prop_map(|word| Word { word }),
        1 => any::<bool>().prop_map(|last| Upload { last }),
    ];
    let noted = prop_oneof![
        6 => (n(), n(), prop::option::of(1..3_u64), maybe())
            .prop_map(|(id, text, revision, key)| Put { id, text, revision, key }),
        1 => n().prop_map(|id| Get { id }),
        3 => (n(), n(), n()).prop_map(|(id, from, to)| Link { id, from, to }),
        1 => n().prop_map(|id| Unlink { id }),
        1 => n().prop_map(|id| Hide { id }),
        2 => (n(), n()).prop_map(|(old, new)| Correct { old, new }),
    ];
    let remembered = prop_oneof![
        5 => (n(), any::<bool>(), prop::option::of(1..200_i64))
            .prop_map(|(text, record, hours_ago)| Ask { text, record, hours_ago }),
        2 => n().prop_map(|id| Praise { id }),
        2 => Just(Consolidate),
        1 => Just(Forget),
        1 => Just(Preview),
        1 => n().prop_map(|id| TakeBack { id }),
    ];
    let kept = prop_oneof![
        2 => (n(), n()).prop_map(|(note, message)| Erase { note, message }),
        1 => (n(), n()).prop_map(|(state, mark)| Own { state, mark }),
        2 => (0..8_u8).prop_map(|event| Subscribe { event }),
        1 => (0..8_u8).prop_map(|event| Unsubscribe { event }),
        1 => Just(Checkpoint),
        1 => Just(Repair),
        1 => Just(Anew),
        1 => Just(Gone),
        1 => Just(Carry),
        2 => any::<bool>().prop_map(|of_all| Back { of_all }),
        3 => (1..2_000_i64).prop_map(|hours| Wait { hours }),
        1 => Just(Close),
    ];
    prop_oneof![4 => said, 5 => noted, 4 => remembered, 4 => kept]
}
