//! Every golden vector is read and written byte for byte, and every bad one refused.

use soulmem_proto::{
    DecodeError, ErrorPayload, MAX_DEPTH, Reply, Request, Value, decode, encode, weight,
};

use crate::vectors;

#[test]
fn good_vectors_are_read_as_their_twins_say() {
    for (vector, value) in vectors::good() {
        let read = decode(&vector.bytes).unwrap_or_else(|error| panic!("{}: {error}", vector.name));
        assert!(
            same(&read, &value),
            "{}: {read:?} is not {value:?}",
            vector.name
        );
    }
}

#[test]
fn good_vectors_are_written_byte_for_byte() {
    for (vector, value) in vectors::good() {
        assert_eq!(
            encode(&value).unwrap(),
            vector.canonical(),
            "{}",
            vector.name
        );
    }
}

#[test]
fn bad_vectors_are_refused_for_the_right_reason() {
    for vector in vectors::all() {
        let Some(code) = &vector.twin.error else {
            continue;
        };
        let error = decode(&vector.bytes).expect_err(&vector.name);
        let reason = match &error {
            DecodeError::Malformed { reason, .. } => reason.as_str(),
            DecodeError::NonFinite { .. } => "non_finite",
        };
        assert_eq!(
            Some(reason),
            vector.twin.detail.as_deref(),
            "{}",
            vector.name
        );
        assert_eq!(
            ErrorPayload::from(error).code.as_str(),
            code,
            "{}",
            vector.name
        );
    }
}

#[test]
fn every_truncation_of_every_vector_is_an_error() {
    for (vector, _) in vectors::good() {
        for end in 0..vector.bytes.len() {
            let cut = &vector.bytes[..end];
            assert!(
                decode(cut).is_err(),
                "{} is taken without its last bytes, at {end}",
                vector.name
            );
        }
    }
}

#[test]
fn every_truncation_of_every_frame_is_refused_as_a_frame() {
    for (vector, _) in vectors::good()
        .into_iter()
        .filter(|(vector, _)| vector.name.starts_with("frame_"))
    {
        for end in 0..vector.bytes.len() {
            let cut = &vector.bytes[..end];
            let rejection = Request::parse(cut).expect_err(&vector.name);
            assert_eq!(
                rejection.error.code.as_str(),
                "bad_envelope",
                "{} at {end}",
                vector.name
            );
            assert!(Reply::parse(cut).is_err(), "{} at {end}", vector.name);
        }
    }
}

// The heads of 16 and 32 bits are worth 900 KB of fixtures to nobody.
#[test]
fn maps_of_65_535_and_65_536_entries_have_heads_of_two_and_four_bytes() {
    for (count, head) in [
        (65_535, &[0xde, 0xff, 0xff][..]),
        (65_536, &[0xdf, 0, 1, 0, 0][..]),
    ] {
        let map = Value::Map(
            (0..count)
                .map(|number| (format!("{number:05}"), Value::Bool(true)))
                .collect(),
        );
        let bytes = encode(&map).unwrap();
        assert!(bytes.starts_with(head), "{count}");
        assert_eq!(decode(&bytes).unwrap(), map, "{count}");
    }
}

#[test]
fn a_message_weighs_its_bytes_and_64_more_for_each_value_in_it() {
    // A map of one entry: the map, its key and its value.
    assert_eq!(weight(b"\x81\xa1a\x01"), 4 + 3 * 64);
    // What is declared and does not come is not counted.
    assert_eq!(weight(b"\xdd\xff\xff\xff\xff"), 5 + 64);
    assert_eq!(weight(b"\xdb\xff\xff\xff\xff"), 5 + 64);
    assert_eq!(weight(b""), 0);
    for (vector, value) in vectors::good() {
        let values = count(&value);
        assert_eq!(
            weight(&vector.bytes),
            vector.bytes.len() + values * 64,
            "{}",
            vector.name
        );
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Map(entries) => {
            1 + entries
                .iter()
                .map(|(_, value)| 1 + count(value))
                .sum::<usize>()
        }
        _ => 1,
    }
}

#[test]
fn a_writer_nests_no_deeper_than_a_reader() {
    let nested =
        |depth: usize| (1..depth).fold(Value::Array(vec![]), |inner, _| Value::Array(vec![inner]));
    assert!(encode(&nested(MAX_DEPTH)).is_ok());
    assert_eq!(
        encode(&nested(MAX_DEPTH + 1)),
        Err(soulmem_proto::EncodeError::Depth)
    );
}

#[test]
fn errors_say_where_the_bytes_went_wrong() {
    let array_then_c1 = [0x92, 0x01, 0xc1];
    let error = decode(&array_then_c1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "malformed message at byte 3: the byte c1 is never used"
    );
}

/// Equality that tells −0.0 from 0.0.
fn same(first: &Value, second: &Value) -> bool {
    match (first, second) {
        (Value::Float(first), Value::Float(second)) => first.to_bits() == second.to_bits(),
        (Value::Array(first), Value::Array(second)) => {
            first.len() == second.len()
                && first
                    .iter()
                    .zip(second)
                    .all(|(first, second)| same(first, second))
        }
        (Value::Map(first), Value::Map(second)) => {
            let same_entry =
                |((key, value), (other, as_well)): (&(String, Value), &(String, Value))| {
                    key == other && same(value, as_well)
                };
            first.len() == second.len() && first.iter().zip(second).all(same_entry)
        }
        _ => first == second,
    }
}
