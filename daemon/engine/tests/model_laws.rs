//! Laws of every valid note: it reads back as it was written, and always has a text to show.

mod strategies;

use proptest::prelude::*;
use soulmem_engine::model::*;

/// The notes made into a memory that a graph file can hold: distinct, at the first revision, and
/// each link with an id of its own and a target among them.
fn closed(mut notes: Vec<MemoryNote>) -> Vec<MemoryNote> {
    let mut seen = std::collections::BTreeSet::new();
    notes.retain(|note| seen.insert(note.id));
    let ids: Vec<NoteId> = notes.iter().map(|note| note.id).collect();
    let link_ids = SequentialIds::new();
    for (position, note) in notes.iter_mut().enumerate() {
        note.revision = 1;
        for (step, link) in note.mem_links.iter_mut().enumerate() {
            link.id = link_ids.link_id();
            link.to = ids[(position + 1 + step) % ids.len()];
        }
        note.mem_links.retain(|link| link.to != link.from);
    }
    notes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_note_reads_back_from_json(note in strategies::note()) {
        let json = serde_json::to_string(&note).unwrap();
        prop_assert_eq!(serde_json::from_str::<MemoryNote>(&json).unwrap(), note);
    }

    #[test]
    fn a_note_reads_back_from_messagepack(note in strategies::note()) {
        let bytes = rmp_serde::to_vec_named(&note).unwrap();
        prop_assert_eq!(rmp_serde::from_slice::<MemoryNote>(&bytes).unwrap(), note);
    }

    #[test]
    fn a_note_reads_back_strictly(note in strategies::note()) {
        let value = strict::parse_json(serde_json::to_string(&note).unwrap().as_bytes()).unwrap();
        prop_assert_eq!(strict::from_value::<MemoryNote>(&value).unwrap(), note);
    }

    #[test]
    fn a_draft_reads_back(draft in strategies::draft()) {
        let json = serde_json::to_string(&draft).unwrap();
        prop_assert_eq!(serde_json::from_str::<NoteDraft>(&json).unwrap(), draft);
    }

    #[test]
    fn the_draft_of_a_note_builds_the_same_note(note in strategies::note()) {
        let later = FixedClock("9950-01-01T00:00:00Z".parse().unwrap());
        let again = NoteDraft::from(note.clone()).build(&later, &SequentialIds::new()).unwrap();
        prop_assert_eq!(again, note);
    }

    #[test]
    fn the_json_of_a_note_is_a_draft_of_it(note in strategies::note()) {
        let draft: NoteDraft = serde_json::from_str(&serde_json::to_string(&note).unwrap()).unwrap();
        let again = draft.build(&FixedClock(note.created_at), &SequentialIds::new()).unwrap();
        prop_assert_eq!(again, note);
    }

    #[test]
    fn no_note_is_without_text(note in strategies::note()) {
        let texts = note.text_fields();
        prop_assert!(texts.iter().any(|(field, _)| *field != Field::Tag));
        for (field, text) in &texts {
            prop_assert!(!check::is_blank(text), "{}", field);
        }
        let summary = note.summary_text();
        prop_assert!(!check::is_blank(&summary));
        prop_assert!(!summary.contains('\n'));
    }

    #[test]
    fn building_never_depends_on_the_clock(draft in strategies::draft(), now in strategies::time()) {
        prop_assert!(draft.build(&FixedClock(now), &SequentialIds::new()).is_ok());
    }

    #[test]
    fn a_graph_file_reads_back(notes in prop::collection::vec(strategies::note(), 0..5)) {
        let notes = closed(notes);
        let export = graph_file::export(&notes, "xiaohong").unwrap();
        let file = graph_file::parse(export.json.as_bytes(), "memory.json", "xiaohong").unwrap();
        let again: Vec<MemoryNote> = file
            .notes
            .into_iter()
            .map(|draft| {
                draft
                    .build(&FixedClock(jiff::Timestamp::UNIX_EPOCH), &SequentialIds::new())
                    .unwrap()
            })
            .collect();
        prop_assert_eq!(again, notes);
    }
}
