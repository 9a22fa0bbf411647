//! Each operation does what it says, and a memory that is opened again is the same.

use jiff::SignedDuration;
use soulmem::store::{
    Change, Condition, Idempotency, Links, MessageFilter, NewSoul, NoteFilter, NoteVector,
    NoteWrite, OnExisting, Recalled, SCHEMA, Store, StoreError, VectorModel, held_at,
};
use soulmem_engine::model::Field;
use soulmem_proto::ops::stats::NoteState;
use tempfile::tempdir;

use crate::support::{
    TestClock, create, created, link, link_id, message, message_id, note, note_id, options,
    options_at, reopen, replacing, time, with_window,
};

#[test]
fn a_memory_is_made_once_and_opened_by_one() {
    let home = tempdir().unwrap();
    let folder = home.path().join("xiaohong");
    assert!(matches!(
        Store::open(&folder, &options()),
        Err(StoreError::NotFound(_))
    ));
    let store = create(&folder);
    assert!(matches!(
        Store::open(&folder, &options()),
        Err(StoreError::InUse { .. })
    ));
    let profile = store.read(soulmem::store::View::profile).unwrap();
    assert_eq!(profile.soul.as_str(), "xiaohong");
    drop(store);
    let again = Store::create(
        &folder,
        NewSoul::named("xiaohong".parse().unwrap()),
        &options(),
    );
    assert!(matches!(again, Err(StoreError::Conflict(_))));
    let store = Store::open(&folder, &options()).unwrap();
    assert_eq!(store.read(soulmem::store::View::profile).unwrap(), profile);
    assert!(matches!(store.condition(), Condition::Ready));
    assert_eq!(
        store
            .read(|view| view.stats(time("2026-06-01T00:00:00Z")))
            .unwrap()
            .schema,
        SCHEMA
    );
}

#[test]
fn nobody_else_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempdir().unwrap();
    let folder = home.path().join("souls/xiaohong");
    let store = create(&folder);
    store
        .write(|tx| tx.push(&[message(1, "嘘")]))
        .wait()
        .unwrap();
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn messages_come_back_whole_and_in_order() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let texts = ["你好", "", "a\0b", "👩‍👩‍👧‍👦", "שלום", "e\u{301}"];
    let messages: Vec<_> = (1..).zip(texts).map(|(n, text)| message(n, text)).collect();
    let pushed = store
        .write({
            let messages = messages.clone();
            move |tx| tx.push(&messages)
        })
        .wait()
        .unwrap();
    assert_eq!(pushed.ids, (1..=6).map(message_id).collect::<Vec<_>>());
    assert_eq!((pushed.len, pushed.capacity), (6, 12));
    let store = reopen(store);
    let read = store
        .read(|view| view.list_messages(&MessageFilter::default(), None, 100))
        .unwrap();
    assert_eq!(read.next, None);
    let expected: Vec<_> = messages
        .iter()
        .zip(&read.items)
        .map(|(new, kept)| new.at_seq(kept.seq, false))
        .collect();
    assert_eq!(read.items, expected);
    assert!(read.items.is_sorted_by_key(|message| message.seq));
    assert_eq!(store.read(soulmem::store::View::window).unwrap(), expected);
}

#[test]
fn pages_of_the_log_join_without_gap() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let mut messages: Vec<_> = (1..=10).map(|n| message(n, "m")).collect();
    for (hour, message) in messages.iter_mut().enumerate() {
        message.at =
            time("2026-06-01T00:00:00Z") + SignedDuration::from_hours(i64::try_from(hour).unwrap());
        message.session = (hour % 2 == 0).then(|| "even".to_owned());
    }
    store.write(move |tx| tx.push(&messages)).wait().unwrap();
    let filter = MessageFilter {
        from: Some(time("2026-06-01T02:00:00Z")),
        to: Some(time("2026-06-01T09:00:00Z")),
        session: Some("even".to_owned()),
    };
    let first = store
        .read(|view| view.list_messages(&filter, None, 3))
        .unwrap();
    let second = store
        .read(|view| view.list_messages(&filter, first.next, 3))
        .unwrap();
    let ids: Vec<_> = first
        .items
        .iter()
        .chain(&second.items)
        .map(|message| message.id)
        .collect();
    assert_eq!(ids, [3, 5, 7, 9].map(message_id));
    assert_eq!(second.next, None);
}

#[test]
fn every_message_that_fills_the_window_asks_for_a_summary_on_leaving() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let options = with_window(options(), 3);
    let store = Store::create(&folder, NewSoul::named("x".parse().unwrap()), &options).unwrap();
    for n in 1..=5 {
        let pushed = store
            .write(move |tx| tx.push(&[message(n, "m")]))
            .wait()
            .unwrap();
        assert_eq!(pushed.len, n.min(3) as u64);
        assert!(!pushed.summary_due);
    }
    assert_eq!(
        store
            .read(|view| Ok(view
                .window()?
                .iter()
                .map(|m| (m.id, m.tag))
                .collect::<Vec<_>>()))
            .unwrap(),
        [
            (message_id(3), true),
            (message_id(4), false),
            (message_id(5), false)
        ]
    );
    drop(store);
    let store = Store::open(&folder, &options).unwrap();
    assert!(
        store
            .write(move |tx| tx.push(&[message(6, "m")]))
            .wait()
            .unwrap()
            .summary_due
    );
    let due = store.read(soulmem::store::View::summaries_due).unwrap();
    assert_eq!(
        due.iter().map(|m| m.id).collect::<Vec<_>>(),
        [message_id(3)]
    );
    store
        .write(move |tx| tx.set_summary("they talked", message_id(6)))
        .wait()
        .unwrap();
    assert!(
        store
            .read(soulmem::store::View::summaries_due)
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        store
            .read(soulmem::store::View::summary)
            .unwrap()
            .unwrap()
            .text,
        "they talked"
    );
    assert!(
        store
            .write(soulmem::store::Tx::clear_summary)
            .wait()
            .unwrap()
    );
    assert_eq!(store.read(soulmem::store::View::summary).unwrap(), None);
}

#[test]
fn a_note_comes_back_to_the_bit_with_its_links() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let mut first = note(1, "杨枝甘露");
    first.mem_links = vec![link(1, 1, 2), link(2, 1, 3)];
    let second = note(2, "小红");
    let writes = vec![created(first.clone()), created(second.clone())];
    let written = store.write(move |tx| tx.put_notes(&writes)).wait().unwrap();
    assert_eq!(
        written
            .iter()
            .map(|w| (w.revision, w.change))
            .collect::<Vec<_>>(),
        [(1, Change::Created); 2]
    );
    let store = reopen(store);
    let read = store
        .read(|view| view.notes(&[note_id(2), note_id(9), note_id(1)]))
        .unwrap();
    assert_eq!(
        read.into_iter()
            .map(|stored| stored.note)
            .collect::<Vec<_>>(),
        [second, first]
    );
    let mut waiting = Vec::new();
    store
        .read(|view| {
            view.for_each_link(|link| {
                waiting.push(link.link.to);
                Ok(())
            })
        })
        .unwrap();
    assert_eq!(waiting, [note_id(2), note_id(3)]);
}

#[test]
fn replacing_needs_the_revision_that_was_read() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    store
        .write(|tx| tx.put_notes(&[created(note(1, "茶"))]))
        .wait()
        .unwrap();
    let again = store
        .write(|tx| tx.put_notes(&[created(note(1, "茶"))]))
        .wait();
    assert!(matches!(again, Err(StoreError::Conflict(_))));
    let written = store
        .write(|tx| tx.put_notes(&[replacing(note(1, "绿茶"), 1)]))
        .wait()
        .unwrap();
    assert_eq!(
        (written[0].revision, written[0].change),
        (2, Change::Replaced)
    );
    let late = store
        .write(|tx| tx.put_notes(&[replacing(note(1, "红茶"), 1)]))
        .wait();
    assert!(matches!(late, Err(StoreError::Conflict(_))));
    let same = store
        .write(|tx| tx.put_notes(&[replacing(note(1, "绿茶"), 2)]))
        .wait()
        .unwrap();
    assert_eq!((same[0].revision, same[0].change), (2, Change::Unchanged));
    let missing = store
        .write(|tx| tx.put_notes(&[replacing(note(2, "水"), 1)]))
        .wait();
    assert!(matches!(missing, Err(StoreError::Conflict(_))));
    let kept = NoteWrite {
        note: note(1, "咖啡"),
        on_existing: OnExisting::Keep,
        links: Links::Keep,
    };
    let kept = store
        .write(move |tx| tx.put_notes(std::slice::from_ref(&kept)))
        .wait()
        .unwrap();
    assert_eq!(kept[0].change, Change::Unchanged);
}

#[test]
fn one_bad_note_keeps_all_out_and_is_named() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let mut bad = note(2, "b");
    bad.mem_links = vec![link(1, 2, 2)];
    let failed = store
        .write(move |tx| tx.put_notes(&[created(note(1, "a")), created(bad.clone())]))
        .wait();
    let Err(StoreError::Invalid { field, .. }) = failed else {
        panic!("{failed:?}")
    };
    assert_eq!(field, "notes[1].mem_links[0].to");
    assert!(store.read(|view| view.note(note_id(1))).unwrap().is_none());
}

#[test]
fn a_deleted_note_takes_its_links_along_and_can_come_back() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let mut first = note(1, "a");
    first.mem_links = vec![link(1, 1, 2)];
    let mut second = note(2, "b");
    second.mem_links = vec![link(2, 2, 1)];
    let writes = vec![created(first), created(second)];
    store.write(move |tx| tx.put_notes(&writes)).wait().unwrap();
    let deleted = store
        .write(|tx| tx.delete_notes(&[note_id(1), note_id(7)]))
        .wait()
        .unwrap();
    assert_eq!(deleted, [note_id(1)]);
    let store = reopen(store);
    assert!(store.read(|view| view.note(note_id(1))).unwrap().is_none());
    assert!(store.read(|view| view.link(link_id(1))).unwrap().is_none());
    assert!(store.read(|view| view.link(link_id(2))).unwrap().is_none());
    let back = store
        .write(|tx| tx.put_notes(&[created(note(1, "c"))]))
        .wait()
        .unwrap();
    assert_eq!((back[0].revision, back[0].change), (2, Change::Created));
}

#[test]
fn a_link_needs_its_source_and_waits_for_its_target() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    assert!(matches!(
        store.write(|tx| tx.put_links(&[link(1, 1, 2)])).wait(),
        Err(StoreError::NotFound(_))
    ));
    store
        .write(|tx| tx.put_notes(&[created(note(1, "a"))]))
        .wait()
        .unwrap();
    store
        .write(|tx| tx.put_links(&[link(1, 1, 2)]))
        .wait()
        .unwrap();
    assert!(
        store
            .write(|tx| tx.set_intensity(link_id(1), 1.5, None))
            .wait()
            .unwrap()
    );
    let kept = store.read(|view| view.links_to(note_id(2))).unwrap();
    assert_eq!(
        kept.iter()
            .map(|link| link.link.intensity)
            .collect::<Vec<_>>(),
        [1.5]
    );
    assert!(
        store
            .write(|tx| tx.set_intensity(link_id(1), f64::NAN, None))
            .wait()
            .is_err()
    );
    assert_eq!(
        store
            .write(|tx| tx.delete_links(&[link_id(1)]))
            .wait()
            .unwrap(),
        [link_id(1)]
    );
}

#[test]
fn a_repeated_key_returns_the_first_answer_for_a_day() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let clock = TestClock::new();
    let store = Store::create(
        &folder,
        NewSoul::named("x".parse().unwrap()),
        &options_at(&clock),
    )
    .unwrap();
    let key = Idempotency::new("k", "push", b"payload");
    let push = |n| move |tx: &soulmem::store::Tx| tx.push(&[message(n, "m")]);
    let first = store.write_once(Some(key.clone()), push(1)).wait().unwrap();
    assert!(!first.duplicate);
    drop(store);
    let store = Store::open(&folder, &options_at(&clock)).unwrap();
    let second = store.write_once(Some(key.clone()), push(2)).wait().unwrap();
    assert!(second.duplicate);
    assert_eq!(second.value, first.value);
    assert!(
        store
            .read(|view| view.message(message_id(2)))
            .unwrap()
            .is_none()
    );
    let other = Idempotency::new("k", "push", b"another payload");
    assert!(matches!(
        store.write_once(Some(other), push(3)).wait(),
        Err(StoreError::Conflict(_))
    ));
    clock.turn(SignedDuration::from_hours(24));
    assert!(
        !store
            .write_once(Some(key), push(4))
            .wait()
            .unwrap()
            .duplicate
    );
}

#[test]
fn a_failed_write_leaves_its_key_free() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let key = || Some(Idempotency::new("k", "link.put", b"p"));
    assert!(
        store
            .write_once(key(), |tx| tx.put_links(&[link(1, 1, 2)]))
            .wait()
            .is_err()
    );
    store
        .write(|tx| tx.put_notes(&[created(note(1, "a"))]))
        .wait()
        .unwrap();
    assert!(
        !store
            .write_once(key(), |tx| tx.put_links(&[link(1, 1, 2)]))
            .wait()
            .unwrap()
            .duplicate
    );
}

#[test]
fn recalls_are_counted_and_never_run_backwards() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    store
        .write(|tx| {
            tx.put_notes(&[created(note(1, "a")), created(note(2, "b"))])?;
            tx.push(&[message(1, "m")])
        })
        .wait()
        .unwrap();
    for at in ["2026-06-02T00:00:00Z", "2026-05-01T00:00:00Z"] {
        let recalled = Recalled {
            notes: vec![note_id(2), note_id(1), note_id(9)],
            messages: vec![message_id(1)],
            at: time(at),
            mode: "retrieve".to_owned(),
        };
        store
            .write(move |tx| tx.record_recall(&recalled))
            .wait()
            .unwrap();
    }
    let store = reopen(store);
    let kept = store
        .read(|view| view.note(note_id(1)))
        .unwrap()
        .unwrap()
        .note;
    assert_eq!(kept.retrieval_count, 2);
    assert_eq!(kept.last_accessed_at, time("2026-06-02T00:00:00Z"));
    assert!((kept.affect.activation_count - 2.0).abs() < f64::EPSILON);
    assert_eq!(kept.revision, 1);
    assert_eq!(
        store
            .read(|view| view.message_use(message_id(1)))
            .unwrap()
            .unwrap()
            .retrieval_count,
        2
    );
    let recalls = store.read(|view| view.recalls(0, 10)).unwrap();
    assert_eq!(recalls.len(), 2);
    assert_eq!(recalls[0].notes, [note_id(1), note_id(2)]);
    assert!(recalls[0].seq < recalls[1].seq);
}

#[test]
fn a_correction_takes_over_and_the_past_stays_as_it_was() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let mut new = note(2, "住在上海");
    new.created_at = time("2026-07-01T00:00:00Z");
    new.last_accessed_at = new.created_at;
    new.valid_from = new.created_at;
    store
        .write(move |tx| tx.put_notes(&[created(note(1, "住在北京")), created(new.clone())]))
        .wait()
        .unwrap();
    let at = time("2026-07-01T00:00:00Z");
    assert_eq!(
        store
            .write(move |tx| tx.supersede(note_id(1), note_id(2), at))
            .wait()
            .unwrap(),
        2
    );
    let listed = |filter: NoteFilter| {
        let page = store
            .read(|view| view.list_notes(&filter, time("2026-08-01T00:00:00Z"), None, 10))
            .unwrap();
        page.items
            .into_iter()
            .map(|stored| stored.note.id)
            .collect::<Vec<_>>()
    };
    let state = |state| NoteFilter {
        state: Some(state),
        ..NoteFilter::default()
    };
    assert_eq!(listed(state(NoteState::Current)), [note_id(2)]);
    assert_eq!(listed(state(NoteState::Superseded)), [note_id(1)]);
    let as_of = |at| NoteFilter {
        as_of: Some(time(at)),
        ..NoteFilter::default()
    };
    assert_eq!(listed(as_of("2026-06-15T00:00:00Z")), [note_id(1)]);
    assert_eq!(listed(as_of("2026-07-01T00:00:00Z")), [note_id(2)]);
    let old = store
        .read(|view| view.note(note_id(1)))
        .unwrap()
        .unwrap()
        .note;
    assert!(held_at(&old, time("2026-06-30T23:59:59Z")) && !held_at(&old, at));
    let twice = store.write(move |tx| {
        tx.put_notes(&[created(note(3, "c"))])?;
        tx.supersede(note_id(1), note_id(3), at)
    });
    assert!(matches!(twice.wait(), Err(StoreError::Conflict(_))));
}

#[test]
fn vectors_belong_to_a_model_and_a_revision() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let model = VectorModel {
        name: "lexical".to_owned(),
        digest: "1".to_owned(),
        pooling: "mean".to_owned(),
        dimension: 3,
    };
    let vector = |revision| NoteVector {
        note: note_id(1),
        field: Field::Content,
        part: 0,
        revision,
        vector: vec![0.6, -0.0, 0.8],
    };
    store
        .write(|tx| tx.put_notes(&[created(note(1, "a"))]))
        .wait()
        .unwrap();
    assert_eq!(
        store
            .read(|view| view.notes_without_vectors(&model, 9))
            .unwrap(),
        [note_id(1)]
    );
    let put = |vector: NoteVector, model: VectorModel| {
        store
            .write(move |tx| tx.put_note_vectors(&model, std::slice::from_ref(&vector)))
            .wait()
    };
    assert_eq!(put(vector(1), model.clone()).unwrap(), 1);
    assert_eq!(put(vector(1), model.clone()).unwrap(), 1);
    assert_eq!(put(vector(7), model.clone()).unwrap(), 0);
    assert!(
        put(
            NoteVector {
                vector: vec![1.0],
                ..vector(1)
            },
            model.clone()
        )
        .is_err()
    );
    let all = |model: &VectorModel| {
        let mut all = Vec::new();
        store
            .read(|view| {
                view.for_each_note_vector(model, |vector| {
                    all.push(vector);
                    Ok(())
                })
            })
            .unwrap();
        all
    };
    assert_eq!(all(&model), [vector(1)]);
    assert_eq!(
        all(&VectorModel {
            digest: "2".to_owned(),
            ..model.clone()
        }),
        []
    );
    store
        .write(|tx| tx.put_notes(&[replacing(note(1, "b"), 1)]))
        .wait()
        .unwrap();
    assert_eq!(all(&model), [], "the text changed");
}

#[test]
fn requests_that_wait_share_a_commit_and_one_that_fails_fails_alone() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let pending: Vec<_> = (0..200_u128)
        .map(|n| {
            store.write(move |tx| {
                tx.push(&[message(n, "m")])?;
                if n % 10 == 3 {
                    Err(StoreError::NotFound("told to fail".to_owned()))
                } else {
                    Ok(n)
                }
            })
        })
        .collect();
    for (n, pending) in (0..200).zip(pending) {
        assert_eq!(pending.wait().is_ok(), n % 10 != 3);
    }
    let store = reopen(store);
    let kept = store
        .read(|view| view.list_messages(&MessageFilter::default(), None, 1000))
        .unwrap()
        .items;
    assert_eq!(
        kept.iter().map(|m| m.id).collect::<Vec<_>>(),
        (0..200)
            .filter(|n| n % 10 != 3)
            .map(message_id)
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_panic_undoes_only_its_own_request() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let panics = store.write(|tx| -> Result<(), _> {
        tx.push(&[message(1, "m")])?;
        panic!("on purpose")
    });
    let goes_well = store.write(|tx| tx.push(&[message(2, "m")]));
    assert!(matches!(panics.wait(), Err(StoreError::Panicked(text)) if text == "on purpose"));
    assert_eq!(goes_well.wait().unwrap().len, 1);
}

#[test]
fn the_log_is_emptied_on_demand_and_on_closing() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let store = create(&folder);
    store
        .write(|tx| tx.push(&[message(1, "m")]))
        .wait()
        .unwrap();
    let log = folder.join("memory.db-wal");
    assert!(std::fs::metadata(&log).unwrap().len() > 0);
    assert!(store.checkpoint().wait().unwrap() > 0);
    assert_eq!(std::fs::metadata(&log).unwrap().len(), 0);
    store
        .write(|tx| tx.push(&[message(2, "m")]))
        .wait()
        .unwrap();
    store.close();
    assert!(!log.exists());
    assert!(matches!(
        store.write(|tx| tx.push(&[message(3, "m")])).wait(),
        Err(StoreError::Closed)
    ));
}

#[test]
fn the_log_stays_small_while_others_read() {
    let home = tempdir().unwrap();
    let store = create(&home.path().join("x"));
    let text = "x".repeat(10_000);
    let log = home.path().join("x/memory.db-wal");
    let mut largest = 0;
    for batch in 0..80 {
        let messages: Vec<_> = (0..50).map(|n| message(batch * 50 + n, &text)).collect();
        store.write(move |tx| tx.push(&messages)).wait().unwrap();
        let listed = store
            .read(|view| view.list_messages(&MessageFilter::default(), None, 20))
            .unwrap();
        assert_eq!(listed.items.len(), 20);
        largest = largest.max(std::fs::metadata(&log).unwrap().len());
    }
    // 40 MB went through it.
    assert!(largest < 12_000_000, "{largest}");
}

#[test]
fn order_is_that_of_writing_whatever_the_clock_says() {
    let home = tempdir().unwrap();
    let folder = home.path().join("x");
    let clock = TestClock::new();
    let store = Store::create(
        &folder,
        NewSoul::named("x".parse().unwrap()),
        &options_at(&clock),
    )
    .unwrap();
    for (n, hours) in (1..).zip([0, 48, -96, 10_000, -20_000]) {
        clock.turn(SignedDuration::from_hours(hours));
        let mut said = message(n, "m");
        said.at = soulmem_engine::model::Clock::now(&*clock);
        store
            .write(move |tx| tx.push(std::slice::from_ref(&said)))
            .wait()
            .unwrap();
    }
    drop(store);
    let store = Store::open(&folder, &options_at(&clock)).unwrap();
    let ids =
        |messages: Vec<soulmem::store::Message>| messages.iter().map(|m| m.id).collect::<Vec<_>>();
    let all = store
        .read(|view| view.list_messages(&MessageFilter::default(), None, 10))
        .unwrap();
    assert_eq!(ids(all.items), [1, 2, 3, 4, 5].map(message_id));
    assert_eq!(
        ids(store.read(soulmem::store::View::window).unwrap()),
        [1, 2, 3, 4, 5].map(message_id)
    );
    let changes = store.read(|view| view.changes(0)).unwrap();
    assert!(changes.is_sorted_by(|a, b| a.seq < b.seq));
}
