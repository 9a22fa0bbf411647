//! `soulmem consolidate`: makes memories of what was said.

use std::fmt::Write as _;

use soulmem_engine::model::MemoryNote;
use soulmem_proto::Op;
use soulmem_proto::ops::consolidate::{
    ConsolidateRequest, ConsolidateResponse, ConsolidationReport,
};
use soulmem_proto::ops::note_get::{NoteGetRequest, NoteGetResponse};
use uuid::Uuid;

use crate::cli::args::ConsolidateArgs;
use crate::cli::client::{Ask, typed};
use crate::cli::failure::Failure;
use crate::cli::session::{Session, steps};
use crate::cli::{output, table};

/// Notes whose texts are shown of each list; the others are counted.
const SHOWN: usize = 40;

/// Begins a consolidation, and with `--wait` shows what came of it.
pub async fn run(session: &mut Session, args: &ConsolidateArgs) -> Result<(), Failure> {
    if args.wait {
        let souls = std::slice::from_ref(&args.soul.soul);
        session.client.watch(souls, steps()).await?;
    }
    let ask = Ask {
        op: Op::Consolidate,
        soul: Some(&args.soul.soul),
        payload: &ConsolidateRequest { wait: args.wait },
        key: args.key.clone(),
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    let ConsolidateResponse { job, report } = typed(answer)?;
    match report {
        None => output::text(&format!("job {job} began\n")),
        Some(report) => {
            let text = told(session, args, &report).await?;
            output::text(&text)
        }
    }
}

/// The report as a person reads it, with the texts of the notes.
async fn told(
    session: &mut Session,
    args: &ConsolidateArgs,
    report: &ConsolidationReport,
) -> Result<String, Failure> {
    let mut text = format!(
        "{} messages, understood by {}\n",
        report.messages, report.by
    );
    if let Some(notice) = &report.notice {
        let _ = writeln!(text, "note: {}", table::escape(notice));
    }
    for (title, ids) in [
        ("created", &report.created),
        ("merged into", &report.merged),
        ("no longer current", &report.superseded),
    ] {
        let _ = writeln!(text, "{title}: {}", ids.len());
        for line in texts(session, args, ids).await? {
            let _ = writeln!(text, "  {}", table::escape(&line));
        }
        if ids.len() > SHOWN {
            let _ = writeln!(text, "  and {} more", ids.len() - SHOWN);
        }
    }
    let _ = writeln!(
        text,
        "links: {} new, {} stronger, {} weaker, {} gone",
        report.linked, report.strengthened, report.weakened, report.pruned
    );
    if report.summary_cleared {
        text.push_str("the summary was cleared: it is in the notes now\n");
    }
    Ok(text)
}

/// The first notes of a list, in one line each.
async fn texts(
    session: &mut Session,
    args: &ConsolidateArgs,
    ids: &[Uuid],
) -> Result<Vec<String>, Failure> {
    let ids: Vec<Uuid> = ids.iter().take(SHOWN).copied().collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ask = NoteGetRequest { ids };
    let answer: NoteGetResponse<MemoryNote> = session
        .client
        .call(Op::NoteGet, Some(&args.soul.soul), &ask)
        .await?;
    Ok(answer
        .notes
        .iter()
        .map(|note| format!("{} {}", kind(note), note.summary_text()))
        .collect())
}

fn kind(note: &MemoryNote) -> &'static str {
    use soulmem_engine::model::NoteKind;
    match note.kind() {
        NoteKind::Semantic => "knows  ",
        NoteKind::SpecificSituation => "lived  ",
        NoteKind::AbstractSituation => "pattern",
        NoteKind::Procedure => "does   ",
    }
}
