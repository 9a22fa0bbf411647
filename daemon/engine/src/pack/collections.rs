//! Lists, sets, maps, pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hash};

use super::{Pack, pack_len, unpack_len};

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, into: &mut Vec<u8>) {
        self.is_some().pack(into);
        if let Some(value) = self {
            value.pack(into);
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        if bool::unpack(from)? {
            T::unpack(from).map(Some)
        } else {
            Some(None)
        }
    }
}

impl<A: Pack, B: Pack> Pack for (A, B) {
    fn pack(&self, into: &mut Vec<u8>) {
        self.0.pack(into);
        self.1.pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?))
    }
}

impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_len(self.len(), into);
        for value in self {
            value.pack(into);
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let len = unpack_len(from)?;
        // No more than the bytes could hold, whatever the length says.
        let mut values = Self::with_capacity(len.min(from.len() / size_of::<T>().max(1) + 1));
        for _ in 0..len {
            values.push(T::unpack(from)?);
        }
        Some(values)
    }
}

impl<T: Pack + Ord> Pack for BTreeSet<T> {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_len(self.len(), into);
        for value in self {
            value.pack(into);
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let len = unpack_len(from)?;
        (0..len).map(|_| T::unpack(from)).collect()
    }
}

impl<K: Pack + Ord, V: Pack> Pack for BTreeMap<K, V> {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_len(self.len(), into);
        for (key, value) in self {
            key.pack(into);
            value.pack(into);
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let len = unpack_len(from)?;
        (0..len).map(|_| Pack::unpack(from)).collect()
    }
}

/// Packs a map in its order, which is another one each time; whatever is made of it must not depend on that.
macro_rules! pack_map {
    ($map:ty) => {
        impl<K: Pack + Eq + Hash, V: Pack, S: BuildHasher + Default> Pack for $map {
            fn pack(&self, into: &mut Vec<u8>) {
                pack_len(self.len(), into);
                for (key, value) in self {
                    key.pack(into);
                    value.pack(into);
                }
            }

            fn unpack(from: &mut &[u8]) -> Option<Self> {
                let len = unpack_len(from)?;
                let mut map = Self::with_capacity_and_hasher(len, S::default());
                for _ in 0..len {
                    map.insert(K::unpack(from)?, V::unpack(from)?);
                }
                Some(map)
            }
        }
    };
}

pack_map!(std::collections::HashMap<K, V, S>);
pack_map!(hashbrown::HashMap<K, V, S>);
