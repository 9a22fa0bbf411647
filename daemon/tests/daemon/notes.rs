//! Notes and links: all or none, by revision, with errors that name the field.

use soulmem_proto::{ErrorCode, Op};

use crate::support::{Daemon, code, map};
use crate::wire::{created, list, note, number, put, text, with};

#[test]
fn notes_are_created_read_listed_and_replaced_by_revision() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let notes = put(
        &mut client,
        "ann",
        vec![
            note("rain"),
            with(&note("tea"), "tags", vec!["drink"].into()),
        ],
    )
    .unwrap();
    let (rain, tea) = (
        text(&notes[0], "id").to_owned(),
        text(&notes[1], "id").to_owned(),
    );
    assert_eq!(number(&notes[0], &["revision"]), 1);

    let ids = map([("ids", vec![tea.clone(), rain.clone()].into())]);
    let read = list(
        &client.call(Op::NoteGet, Some("ann"), ids).unwrap(),
        "notes",
    );
    assert_eq!(
        (text(&read[0], "id"), text(&read[1], "id")),
        (&*tea, &*rain)
    );

    let tagged = map([("filter", map([("tag", "drink".into())]))]);
    let listed = list(
        &client.call(Op::NoteList, Some("ann"), tagged).unwrap(),
        "notes",
    );
    assert_eq!(
        listed
            .iter()
            .map(|note| text(note, "id"))
            .collect::<Vec<_>>(),
        [&tea]
    );

    let again = with(&note("rain"), "id", rain.clone().into());
    assert_eq!(
        put(&mut client, "ann", vec![again.clone()])
            .unwrap_err()
            .code,
        ErrorCode::Conflict
    );
    let wrong = with(&again, "if_revision", 7_u64.into());
    assert_eq!(
        put(&mut client, "ann", vec![wrong]).unwrap_err().code,
        ErrorCode::Conflict
    );
    let right = with(
        &with(&again, "if_revision", 1_u64.into()),
        "tags",
        vec!["weather"].into(),
    );
    assert_eq!(
        number(
            &put(&mut client, "ann", vec![right]).unwrap()[0],
            &["revision"]
        ),
        2
    );

    let missing = "0190163d-8694-739b-aea5-966c26f8ad91";
    let refused = client.call(
        Op::NoteGet,
        Some("ann"),
        map([("ids", vec![rain, missing.to_owned()].into())]),
    );
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotFound);
    assert!(refused.message.contains(missing), "{}", refused.message);
}

#[test]
fn one_bad_note_keeps_the_good_ones_out_and_is_named() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let refused = put(&mut client, "ann", vec![note("good"), note("  ")]).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    assert_eq!(refused.field(), Some("notes[1].mem_type.Semantic.content"));
    assert_eq!(
        list(
            &client.call(Op::NoteList, Some("ann"), map([])).unwrap(),
            "notes"
        ),
        []
    );
}

#[test]
fn links_join_notes_and_wait_for_those_to_come() {
    let daemon = Daemon::start();
    let mut client = created(&daemon, "ann");
    let notes = put(&mut client, "ann", vec![note("rain"), note("umbrella")]).unwrap();
    let (from, to) = (text(&notes[0], "id"), text(&notes[1], "id"));
    let verb = map([("verb", "calls for".into()), ("confidence", 0.9.into())]);
    let link = map([
        ("from", from.into()),
        ("to", to.into()),
        ("link_type", map([("Sem", verb)])),
    ]);
    let later = with(&link, "to", "0190163d-8694-739b-aea5-966c26f8ad91".into());
    let links = map([("links", vec![link.clone(), later].into())]);
    let ids = list(
        &client.call(Op::LinkPut, Some("ann"), links).unwrap(),
        "ids",
    );
    assert_eq!(ids.len(), 2);
    let read = client
        .call(Op::NoteGet, Some("ann"), map([("ids", vec![from].into())]))
        .unwrap();
    assert_eq!(list(&list(&read, "notes")[0], "mem_links").len(), 2);

    let itself = with(&link, "to", from.into());
    let refused = client
        .call(
            Op::LinkPut,
            Some("ann"),
            map([("links", vec![itself].into())]),
        )
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    assert_eq!(refused.field(), Some("links[0].to"));
    let nowhere = with(&link, "from", "0190163d-8694-739b-aea5-966c26f8ad91".into());
    assert_eq!(
        code(client.call(
            Op::LinkPut,
            Some("ann"),
            map([("links", vec![nowhere].into())])
        )),
        ErrorCode::NotFound
    );
}
