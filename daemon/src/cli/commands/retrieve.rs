//! `soulmem retrieve`: what comes to a character's mind.

use soulmem_proto::ops::note_list::NoteKind;
use soulmem_proto::ops::push::Role;
use soulmem_proto::ops::retrieve::{ActionChannel, RetrieveRequest, RetrieveResponse};
use soulmem_proto::ops::retrieve_options::RetrieveOptions;
use soulmem_proto::{Op, Value};

use crate::cli::args::RetrieveArgs;
use crate::cli::client::{Ask, typed};
use crate::cli::failure::Failure;
use crate::cli::session::Session;
use crate::cli::table::Table;
use crate::cli::when::When;
use crate::cli::{input, output};

/// Asks, and prints what came: score, kind, when, text.
pub async fn run(session: &mut Session, args: &RetrieveArgs) -> Result<(), Failure> {
    let payload = &request(args)?;
    let ask = Ask {
        op: Op::Retrieve,
        soul: Some(&args.soul.soul),
        payload,
        key: None,
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    let found: RetrieveResponse = typed(answer)?;
    if let Some(reason) = &found.degraded {
        eprintln!("soulmem: recall works with less than it could: {reason}");
    }
    match found.context {
        Some(context) => output::text(&(context.trim_end().to_owned() + "\n")),
        None => output::text(&listed(&found)),
    }
}

fn request(args: &RetrieveArgs) -> Result<RetrieveRequest, Failure> {
    let queries: Vec<Value> = args
        .queries
        .as_deref()
        .map(input::list)
        .transpose()?
        .unwrap_or_default();
    let text = (!args.text.is_empty()).then(|| args.text.join(" "));
    if queries.is_empty() && text.is_none() {
        return Err(Failure::usage(
            "nothing is asked: give a question or --queries FILE",
        ));
    }
    let options = RetrieveOptions {
        limit: args.limit,
        floor: args.floor,
        now: args.now,
        utterances: args.no_utterances.then_some(false),
        verbatim: args.verbatim.then_some(true),
        include_archived: args.include_archived.then_some(true),
        wait_revision: args.wait_revision.then_some(true),
        record: args.no_record.then_some(false),
        context: args.context.then_some(true),
        explain: args.explain.then_some(true),
        ..RetrieveOptions::default()
    };
    Ok(RetrieveRequest {
        queries,
        text,
        options,
    })
}

/// Notes, then what was said, then what the character tends to do; each best first.
fn listed(found: &RetrieveResponse) -> String {
    let when = When::here();
    let mut table = Table::new(["score", "kind", "when", "text"]);
    for note in &found.notes {
        let at = note.at.map(|at| when.show(at)).unwrap_or_default();
        table.row([&score(note.score), kind(note.kind), &at, &note.text]);
    }
    for said in &found.utterances {
        let who = said.name.as_deref().unwrap_or(role(said.role));
        let text = format!("{who}: {}", said.text);
        table.row([&score(said.score), "said", &when.show(said.at), &text]);
    }
    for action in &found.actions {
        table.row([
            &score(action.score),
            channel(action.channel),
            "",
            &action.text,
        ]);
    }
    if found.notes.is_empty() && found.utterances.is_empty() && found.actions.is_empty() {
        return "nothing comes to mind\n".to_owned();
    }
    table.to_string()
}

fn score(score: f64) -> String {
    format!("{score:.3}")
}

fn kind(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::Semantic => "known",
        NoteKind::SpecificSituation => "lived",
        NoteKind::AbstractSituation => "pattern",
        NoteKind::Procedure => "habit",
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
    }
}

fn channel(channel: ActionChannel) -> &'static str {
    match channel {
        ActionChannel::Speak => "would say",
        ActionChannel::Skill => "would do",
        ActionChannel::Think => "would think",
    }
}
