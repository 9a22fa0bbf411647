//! Packed forms: what is derived, as bytes, so that it need not be derived anew at every start.
//!
//! A packed form holds no names and no versions: it is read back only by the program that wrote it, and only after its
//! hash was found right; whoever keeps one puts a stamp beside it that changes when a layout or a rule does. Reading
//! something else than what was packed gives `None`, never a panic and never a huge allocation. Numbers are
//! little-endian; lists begin with their length.

mod collections;
mod values;

/// Something with a packed form.
pub trait Pack: Sized {
    /// Appends its packed form.
    fn pack(&self, into: &mut Vec<u8>);

    /// Reads a packed form from the beginning of `from`, and moves past it.
    fn unpack(from: &mut &[u8]) -> Option<Self>;
}

/// Takes the first `count` bytes.
pub(crate) fn take<'b>(from: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(taken)
}

/// Appends the length of a list.
pub(crate) fn pack_len(len: usize, into: &mut Vec<u8>) {
    (len as u64).pack(into);
}

/// Reads the length of a list whose elements take at least one byte each.
pub(crate) fn unpack_len(from: &mut &[u8]) -> Option<usize> {
    let len = usize::try_from(u64::unpack(from)?).ok()?;
    (len <= from.len()).then_some(len)
}

/// Packs a struct field by field. A field that is not named is an error at compile time, on both ways.
#[macro_export]
macro_rules! pack_fields {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::pack::Pack for $name {
            fn pack(&self, into: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($crate::pack::Pack::pack($field, into);)*
            }

            fn unpack(from: &mut &[u8]) -> Option<Self> {
                $(let $field = $crate::pack::Pack::unpack(from)?;)*
                Some(Self { $($field),* })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashMap};
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;

    fn again<T: Pack>(value: &T) -> Option<T> {
        let mut bytes = Vec::new();
        value.pack(&mut bytes);
        let mut rest = bytes.as_slice();
        let read = T::unpack(&mut rest);
        rest.is_empty().then_some(read).flatten()
    }

    type Everything = (
        Vec<(u8, u16)>,
        (BTreeMap<String, Option<f64>>, BTreeSet<u32>),
    );

    proptest! {
        #[test]
        fn what_was_packed_is_read_back(value in any::<Everything>(), more in any::<HashMap<i64, Box<[u8]>>>()) {
            prop_assert_eq!(again(&value), Some(value));
            prop_assert_eq!(again(&more), Some(more));
        }

        #[test]
        fn anything_else_is_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = Everything::unpack(&mut bytes.as_slice());
            let _ = HashMap::<Arc<str>, Vec<u64>>::unpack(&mut bytes.as_slice());
        }
    }

    #[test]
    fn a_length_that_cannot_be_is_refused() {
        let mut bytes = Vec::new();
        u64::MAX.pack(&mut bytes);
        assert_eq!(Vec::<u8>::unpack(&mut bytes.as_slice()), None);
        assert_eq!(String::unpack(&mut bytes.as_slice()), None);
    }
}
