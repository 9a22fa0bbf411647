//! Numbers, texts, ids and times.

use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::{Pack, pack_len, take, unpack_len};
use crate::index::{DocKey, Interval};
use crate::model::{Field, LinkId, MessageId, NoteId, NoteKind};

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Pack for $type {
            fn pack(&self, into: &mut Vec<u8>) {
                into.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn unpack(from: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(Self::from_le_bytes(*bytes))
            }
        }
    )*};
}

number!(u8, u16, u32, u64, i64, i128, f32, f64);

impl Pack for usize {
    fn pack(&self, into: &mut Vec<u8>) {
        (*self as u64).pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Self::try_from(u64::unpack(from)?).ok()
    }
}

impl Pack for bool {
    fn pack(&self, into: &mut Vec<u8>) {
        into.push(u8::from(*self));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        match u8::unpack(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Pack for String {
    fn pack(&self, into: &mut Vec<u8>) {
        self.as_str().pack_text(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        unpack_text(from).map(str::to_owned)
    }
}

impl Pack for Arc<str> {
    fn pack(&self, into: &mut Vec<u8>) {
        self.pack_text(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        unpack_text(from).map(Self::from)
    }
}

impl Pack for Box<str> {
    fn pack(&self, into: &mut Vec<u8>) {
        self.pack_text(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        unpack_text(from).map(Self::from)
    }
}

impl Pack for Box<[u8]> {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_len(self.len(), into);
        into.extend_from_slice(self);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let len = unpack_len(from)?;
        take(from, len).map(Self::from)
    }
}

trait PackText {
    fn pack_text(&self, into: &mut Vec<u8>);
}

impl PackText for str {
    fn pack_text(&self, into: &mut Vec<u8>) {
        pack_len(self.len(), into);
        into.extend_from_slice(self.as_bytes());
    }
}

fn unpack_text<'b>(from: &mut &'b [u8]) -> Option<&'b str> {
    let len = unpack_len(from)?;
    std::str::from_utf8(take(from, len)?).ok()
}

impl Pack for Uuid {
    fn pack(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(self.as_bytes());
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let (bytes, rest) = from.split_first_chunk()?;
        *from = rest;
        Some(Self::from_bytes(*bytes))
    }
}

macro_rules! id {
    ($($type:ident),*) => {$(
        impl Pack for $type {
            fn pack(&self, into: &mut Vec<u8>) {
                self.0.pack(into);
            }

            fn unpack(from: &mut &[u8]) -> Option<Self> {
                Uuid::unpack(from).map(Self)
            }
        }
    )*};
}

id!(NoteId, LinkId, MessageId);

impl Pack for Timestamp {
    fn pack(&self, into: &mut Vec<u8>) {
        self.as_nanosecond().pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Self::from_nanosecond(i128::unpack(from)?).ok()
    }
}

impl Pack for Interval {
    fn pack(&self, into: &mut Vec<u8>) {
        (self.start(), self.end()).pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        <(Timestamp, Timestamp)>::unpack(from).map(|(start, end)| Self::new(start, end))
    }
}

impl Pack for Field {
    fn pack(&self, into: &mut Vec<u8>) {
        (*self as u8).pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Self::ALL.get(usize::from(u8::unpack(from)?)).copied()
    }
}

/// In the order of their declaration.
const KINDS: [NoteKind; 4] = [
    NoteKind::Semantic,
    NoteKind::SpecificSituation,
    NoteKind::AbstractSituation,
    NoteKind::Procedure,
];

impl Pack for NoteKind {
    fn pack(&self, into: &mut Vec<u8>) {
        let place = KINDS.iter().position(|kind| kind == self);
        into.push(place.map_or(u8::MAX, |place| place as u8));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        KINDS.get(usize::from(u8::unpack(from)?)).copied()
    }
}

impl Pack for DocKey {
    fn pack(&self, into: &mut Vec<u8>) {
        match self {
            Self::Note(id) => (0_u8, *id).pack(into),
            Self::NoteText(id, field, place) => (1_u8, (*id, (*field, *place))).pack(into),
            Self::Message(id) => (2_u8, *id).pack(into),
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        match u8::unpack(from)? {
            0 => Pack::unpack(from).map(Self::Note),
            1 => {
                let (id, (field, place)) = Pack::unpack(from)?;
                Some(Self::NoteText(id, field, place))
            }
            2 => Pack::unpack(from).map(Self::Message),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_and_kind_is_read_back() {
        let mut bytes = Vec::new();
        for field in Field::ALL {
            field.pack(&mut bytes);
        }
        for kind in KINDS {
            kind.pack(&mut bytes);
        }
        let mut rest = bytes.as_slice();
        for field in Field::ALL {
            assert_eq!(Field::unpack(&mut rest), Some(field));
        }
        for kind in KINDS {
            assert_eq!(NoteKind::unpack(&mut rest), Some(kind));
        }
        assert!(rest.is_empty());
        assert_eq!(Field::unpack(&mut [16].as_slice()), None);
        assert_eq!(NoteKind::unpack(&mut [4].as_slice()), None);
    }
}
