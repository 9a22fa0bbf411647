//! What holds for all values and all bytes.

use proptest::{collection, prelude::*};
use soulmem_proto::{Reply, Request, Value, decode, encode, from_value, to_value};

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-200_i64..70_000).prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        collection::vec(any::<u8>(), 0..40).prop_map(Value::Bin),
    ];
    leaf.prop_recursive(6, 64, 20, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
            collection::btree_map(any::<String>(), inner, 0..20)
                .prop_map(|entries| Value::Map(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_comes_back(value in any_value()) {
        let bytes = encode(&value).unwrap();
        let read = decode(&bytes).unwrap();
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(encode(&read).unwrap(), bytes);
    }

    #[test]
    fn another_reader_reads_the_same_value(value in any_value()) {
        let read: Value = rmp_serde::from_slice(&encode(&value).unwrap()).unwrap();
        prop_assert_eq!(read, value);
    }

    #[test]
    fn the_order_of_entries_does_not_show(
        entries in collection::btree_map(any::<String>(), any_value(), 0..8).prop_map(Vec::from_iter),
    ) {
        let reversed = entries.iter().rev().cloned().collect();
        prop_assert_eq!(encode(&Value::Map(entries)).unwrap(), encode(&Value::Map(reversed)).unwrap());
    }

    #[test]
    fn typed_reading_and_writing_lose_nothing_but_nil(value in any_value()) {
        let typed: Value = from_value(value.clone()).unwrap();
        prop_assert_eq!(to_value(&value).unwrap(), typed.clone());
        prop_assert_eq!(from_value::<Value>(typed.clone()).unwrap(), typed);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in collection::vec(any::<u8>(), 0..200)) {
        reads_or_refuses(&bytes)?;
    }

    #[test]
    fn damaged_messages_are_read_or_refused(
        value in any_value(),
        at in any::<prop::sample::Index>(),
        damage in 1_u8..,
    ) {
        let mut bytes = encode(&value).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= damage;
        reads_or_refuses(&bytes)?;
    }
}

fn reads_or_refuses(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(value) = decode(bytes) {
        prop_assert_eq!(decode(&encode(&value).unwrap()).unwrap(), value);
    }
    if let Ok(request) = Request::parse(bytes) {
        prop_assert_eq!(
            Request::parse(&request.clone().to_frame().unwrap()).unwrap(),
            request
        );
    }
    if let Ok(reply) = Reply::parse(bytes) {
        prop_assert_eq!(
            Reply::parse(&reply.clone().to_frame().unwrap()).unwrap(),
            reply
        );
    }
    Ok(())
}
