//! `soulmem note`: reads and writes notes.

use serde::Serialize;
use soulmem_engine::model::{MemoryNote, NoteDraft};
use soulmem_proto::ops::note_get::{NoteGetRequest, NoteGetResponse, RememberedNote};
use soulmem_proto::ops::note_list::{NoteFilter, NoteListRequest, NoteListResponse};
use soulmem_proto::ops::note_put::{NotePutRequest, NotePutResponse};
use soulmem_proto::ops::note_supersede::{NoteSupersedeRequest, NoteSupersedeResponse};
use soulmem_proto::{Op, SoulName, Value};

use crate::cli::args::NoteCommand;
use crate::cli::client::{Ask, typed};
use crate::cli::failure::Failure;
use crate::cli::session::Session;
use crate::cli::table::Table;
use crate::cli::when::When;
use crate::cli::{input, output};

/// Most notes on one page of the daemon's.
const PAGE: usize = 200;

/// Runs the subcommand.
pub async fn run(session: &mut Session, command: &NoteCommand) -> Result<(), Failure> {
    match command {
        NoteCommand::Get { soul, ids } => {
            let payload = &NoteGetRequest { ids: ids.clone() };
            let ask = Ask {
                op: Op::NoteGet,
                soul: Some(&soul.soul),
                payload,
                key: None,
            };
            let answer = session.client.ask(ask).await?;
            let NoteGetResponse::<Value> { notes, remembered } = typed(answer)?;
            let remembered: Vec<_> = remembered.into_iter().filter(differs).collect();
            if session.json {
                return notes.iter().try_for_each(|note| {
                    let id = note.get("id").and_then(Value::as_str);
                    let same = |other: &&RememberedNote| id == Some(&*other.id.to_string());
                    output::json(&BothSides {
                        note,
                        remembered: remembered.iter().find(same),
                    })
                });
            }
            show(session, notes)?;
            show_remembered(&remembered)
        }
        NoteCommand::Put { soul, file } => {
            let payload = &NotePutRequest::<NoteDraft> {
                notes: input::list(file)?,
            };
            let ask = Ask {
                op: Op::NotePut,
                soul: Some(&soul.soul),
                payload,
                key: None,
            };
            let answer = session.client.ask(ask).await?;
            let NotePutResponse::<Value> { notes } = typed(answer)?;
            show(session, notes)
        }
        NoteCommand::Supersede {
            soul,
            old,
            by,
            file,
            at,
        } => {
            let note = file.as_deref().map(input::one).transpose()?;
            let payload = &NoteSupersedeRequest::<NoteDraft> {
                old: *old,
                new: *by,
                note,
                at: *at,
            };
            let ask = Ask {
                op: Op::NoteSupersede,
                soul: Some(&soul.soul),
                payload,
                key: None,
            };
            let answer = session.client.ask(ask).await?;
            let NoteSupersedeResponse::<Value> { old, new } = typed(answer)?;
            show(session, vec![old, new])
        }
        NoteCommand::List {
            soul,
            kind,
            tag,
            limit,
        } => {
            let filter = NoteFilter {
                kind: *kind,
                tag: tag.clone(),
            };
            let notes = list(session, &soul.soul, filter, *limit).await?;
            show(session, notes)
        }
    }
}

async fn list(
    session: &mut Session,
    soul: &SoulName,
    filter: NoteFilter,
    most: usize,
) -> Result<Vec<Value>, Failure> {
    let mut found = Vec::new();
    let mut cursor = None;
    while found.len() < most {
        let limit = u32::try_from((most - found.len()).min(PAGE)).ok();
        let request = NoteListRequest {
            filter: filter.clone(),
            cursor,
            limit,
        };
        let page: NoteListResponse<Value> = session
            .client
            .call(Op::NoteList, Some(soul), &request)
            .await?;
        found.extend(page.notes);
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(found)
}

/// A note as it was written and, where that differs, as it is remembered.
#[derive(Serialize)]
struct BothSides<'n> {
    #[serde(flatten)]
    note: &'n Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    remembered: Option<&'n RememberedNote>,
}

/// Whether a note is remembered otherwise than it was written.
fn differs(note: &RememberedNote) -> bool {
    note.masked || note.archived_at.is_some()
}

/// What has faded or is out of recall, as the character remembers it.
fn show_remembered(remembered: &[RememberedNote]) -> Result<(), Failure> {
    if remembered.is_empty() {
        return Ok(());
    }
    let when = When::here();
    let mut table = Table::new(["id", "missing", "out of recall since", "remembered as"]);
    for note in remembered {
        let degree = format!("{:.2}", note.degree.unwrap_or_default());
        let since = note.archived_at.map(|at| when.show(at));
        table.row([
            &note.id.to_string(),
            &degree,
            since.as_deref().unwrap_or("-"),
            &note.text,
        ]);
    }
    output::text(&table)
}

/// One line a note; the whole of it as JSON, one note a line.
fn show(session: &Session, notes: Vec<Value>) -> Result<(), Failure> {
    if session.json {
        return notes.iter().try_for_each(output::json);
    }
    let when = When::here();
    let mut table = Table::new(["id", "kind", "when", "text"]);
    for note in notes {
        let note: MemoryNote = typed(note)?;
        let at = soulmem_engine::recall::told_time(&note);
        table.row([
            &note.id.to_string(),
            note.kind().as_str(),
            &when.show(at),
            &note.summary_text(),
        ]);
    }
    output::text(&table)
}
