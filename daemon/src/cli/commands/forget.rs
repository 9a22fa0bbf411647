//! `soulmem forget`: a round of forgetting, what it would come to, taking back, and curves as a picture.

mod args;
mod plot;

use soulmem_proto::Op;
use soulmem_proto::Value;
use soulmem_proto::ops::forget::{
    FadedNote, ForgetAction, ForgetReport, ForgetRequest, ForgetResponse,
};
use soulmem_proto::ops::note_get::{NoteGetRequest, NoteGetResponse};
use uuid::Uuid;

pub use self::args::ForgetArgs;
use self::plot::Curve;
use crate::cli::client::{Ask, typed};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::session::Session;
use crate::cli::table::Table;

/// Draws the curves of a profile, where that is asked for: no daemon is needed for it. Answers whether it was.
pub fn draw_profile(args: &ForgetArgs) -> Result<bool, Failure> {
    let (Some(file), None) = (&args.plot, args.note) else {
        return Ok(false);
    };
    let name = args.profile.unwrap_or_default();
    plot::write(file, &format!("profile {name}"), &plot::of_profile(name))?;
    Ok(true)
}

/// Runs what is asked for on the daemon.
pub async fn run(session: &mut Session, args: &ForgetArgs) -> Result<(), Failure> {
    let Some(soul) = &args.soul else {
        return Err(Failure::usage(
            "whose memory? give --soul NAME; only --plot of a profile goes without",
        ));
    };
    if let (Some(file), Some(note)) = (&args.plot, args.note) {
        let ids = vec![note];
        let answer: NoteGetResponse<Value> = session
            .client
            .call(Op::NoteGet, Some(soul), &NoteGetRequest { ids })
            .await?;
        return plot::write(file, &note.to_string(), &[of_note(note, &answer)?]);
    }
    let payload = &ForgetRequest {
        now: args.now,
        dry_run: args.preview,
        limit: args.limit,
        restore: args.restore.clone(),
    };
    let ask = Ask {
        op: Op::Forget,
        soul: Some(soul),
        payload,
        key: None,
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    output::text(&shown(&typed(answer)?, args))
}

fn of_note(id: Uuid, answer: &NoteGetResponse<Value>) -> Result<Curve, Failure> {
    let remembered = answer.remembered.iter().find(|note| note.id == id);
    let half_life = remembered.and_then(|note| note.half_life_hours);
    let hours = half_life.ok_or_else(|| Failure::data(format!("the note {id} does not fade")))?;
    Ok(Curve {
        label: format!("half-life {:.1} days", hours / 24.0),
        half_life_hours: hours,
    })
}

fn shown(answer: &ForgetResponse, args: &ForgetArgs) -> String {
    if !args.restore.is_empty() {
        let (count, are) = match answer.restored.len() {
            1 => (1, "note is"),
            count => (count, "notes are"),
        };
        return format!("{count} {are} in recall as written, and rehearsed\n");
    }
    if !args.preview {
        return summary(&answer.report);
    }
    let mut table = Table::new(["id", "missing", "and", "as it is told"]);
    for note in &answer.notes {
        let degree = format!("{:.2}", note.degree);
        table.row([&note.id.to_string(), &degree, &fate(note), &note.text]);
    }
    format!("{table}\n{}", summary(&answer.report))
}

fn fate(note: &FadedNote) -> String {
    let told = match note.action {
        ForgetAction::None => None,
        ForgetAction::Mask => Some("masked"),
        ForgetAction::Reimagine => Some("told anew"),
    };
    let fates = [
        told,
        note.resolve.then_some("resolved"),
        note.fall_dormant.then_some("dormant"),
        note.archive.then_some("out of recall"),
    ];
    fates.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn summary(report: &ForgetReport) -> String {
    let mut table = Table::new(["", "notes", "", "links"]);
    let row = |name: &'static str, count: u64| (name, count.to_string());
    let notes = [
        row("checked", report.checked),
        row("masked", report.masked),
        row("told anew", report.revised),
        row("resolved", report.resolved),
        row("dormant", report.dormant),
        row("out of recall", report.archived),
    ];
    let links = [
        row("weakened", report.edges_weakened),
        row("lead nowhere", report.edges_pruned),
    ];
    for (place, (name, count)) in notes.iter().enumerate() {
        let (of_links, links) = links
            .get(place)
            .map_or(("", ""), |(name, count)| (*name, count.as_str()));
        table.row([*name, count.as_str(), of_links, links]);
    }
    table.to_string()
}
