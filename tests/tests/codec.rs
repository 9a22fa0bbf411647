//! The two codecs against each other: whatever one side writes the other reads as the same value and writes again
//! as the same bytes, and what one side refuses the other refuses too.
//!
//! One Elixir process lives through all cases of a test: `elixir_ambassador/test/support/echo_codec.exs`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Stdio};

use proptest::test_runner::{Config, TestRunner};
use proptest::{collection, prelude::*};
use soulmem_proto::{Value, decode, encode};
use soulmem_tests::{Guarded, elixir, frames};

/// Values, and damaged values, that each property is tried with.
const CASES: u32 = 1_500;

/// The Elixir codec: reads a frame as a value and writes it back.
struct Elixir {
    process: Guarded,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl Elixir {
    fn start() -> Self {
        let script = elixir::ambassador().join("test/support/echo_codec.exs");
        let mut command = elixir::script(&script);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = Guarded::start("the Elixir codec", &mut command);
        let stdin = process.child.stdin.take().unwrap();
        let stdout = process.child.stdout.take().unwrap();
        Self {
            process,
            stdin,
            stdout,
        }
    }

    /// What it makes of the bytes of a message: the same message written anew, or nothing where it refuses them.
    fn rewrite(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        frames::write(&mut self.stdin, bytes).unwrap();
        let answer = frames::read(&mut self.stdout).unwrap();
        (!answer.is_empty()).then_some(answer)
    }

    /// Ends its input and waits for its end.
    fn leave(mut self) {
        drop(self.stdin);
        assert!(self.process.ended().success());
    }
}

/// What Rust makes of the bytes of a message.
fn rewrite(bytes: &[u8]) -> Option<Vec<u8>> {
    decode(bytes).ok().map(|value| encode(&value).unwrap())
}

/// Lengths where the heads of MessagePack change, and small ones.
fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        8 => 0..40_usize,
        1 => prop::sample::select(vec![31_usize, 32, 255, 256, 300]),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => any::<String>(),
        2 => length().prop_map(|length| "记".repeat(length)),
        1 => prop::sample::select(vec![65_535_usize, 65_536]).prop_map(|length| "x".repeat(length)),
    ]
}

fn integer() -> impl Strategy<Value = Value> {
    let border = || prop::sample::select((0..64).map(|bit| 1_u64 << bit).collect::<Vec<_>>());
    let near = (border(), -1..=1_i64).prop_map(|(border, step)| border.wrapping_add_signed(step));
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        near.clone().prop_map(Value::from),
        near.prop_map(|number| Value::from(0_i64.wrapping_sub_unsigned(number))),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let finite = |number: &f64| number.is_finite();
    let any_bits = any::<u64>().prop_map(f64::from_bits);
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::from),
        integer(),
        any::<f64>()
            .prop_filter("finite", finite)
            .prop_map(Value::from),
        any_bits.prop_filter("finite", finite).prop_map(Value::from),
        text().prop_map(Value::from),
        length()
            .prop_flat_map(|length| collection::vec(any::<u8>(), length))
            .prop_map(Value::Bin),
    ];
    leaf.prop_recursive(6, 64, 20, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..40).prop_map(Value::Array),
            collection::btree_map(text(), inner, 0..20)
                .prop_map(|entries| Value::Map(entries.into_iter().collect())),
        ]
    })
}

fn runner() -> TestRunner {
    TestRunner::new(Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    })
}

#[test]
fn every_value_survives_rust_elixir_rust() {
    let elixir = RefCell::new(Elixir::start());
    let outcome = runner().run(&any_value(), |value| {
        let written = encode(&value).unwrap();
        let rewritten = elixir.borrow_mut().rewrite(&written);
        prop_assert_eq!(rewritten.as_ref(), Some(&written));
        prop_assert_eq!(decode(&rewritten.unwrap()).unwrap(), value);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    elixir.into_inner().leave();
}

/// One byte changed, a piece lost or a piece doubled: both sides still read the same value, or both refuse.
#[test]
fn both_sides_agree_on_every_damaged_frame() {
    let elixir = RefCell::new(Elixir::start());
    let at = || any::<prop::sample::Index>();
    let damaged = (any_value(), at(), at(), 0..3_u8, 1..=u8::MAX);
    let (taken, refused) = (Cell::new(0), Cell::new(0));
    let outcome = runner().run(&damaged, |(value, from, to, kind, flip)| {
        let mut bytes = encode(&value).unwrap();
        let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
        let piece = from.min(to)..=from.max(to);
        match kind {
            0 => bytes[from] ^= flip,
            1 => drop(bytes.drain(piece)),
            _ => {
                let doubled = bytes[piece].to_vec();
                bytes.splice(from..from, doubled);
            }
        }
        let rewritten = elixir.borrow_mut().rewrite(&bytes);
        let count = if rewritten.is_some() {
            &taken
        } else {
            &refused
        };
        count.set(count.get() + 1);
        prop_assert_eq!(rewritten, rewrite(&bytes));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let (taken, refused) = (taken.get(), refused.get());
    assert!(taken > 0 && refused > 0, "{taken} taken, {refused} refused");
    elixir.into_inner().leave();
}

/// The vectors that break a rule of the encoding, and each vector cut anywhere near its ends.
#[test]
fn both_sides_refuse_the_same_bad_frames() {
    let mut elixir = Elixir::start();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/wire");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let vectors: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|end| end == "msgpack"))
        .collect();
    assert!(vectors.len() > 100, "only {} vectors", vectors.len());
    for path in vectors {
        let bytes = fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let rewritten = elixir.rewrite(&bytes);
        assert_eq!(rewritten, rewrite(&bytes), "{name}");
        assert_eq!(rewritten.is_none(), name.starts_with("bad_"), "{name}");
        let cuts = (0..bytes.len()).filter(|cut| *cut < 40 || bytes.len() - cut < 40);
        for cut in cuts {
            let cut = &bytes[..cut];
            assert_eq!(
                elixir.rewrite(cut),
                rewrite(cut),
                "{name} cut at {}",
                cut.len()
            );
        }
    }
    elixir.leave();
}
