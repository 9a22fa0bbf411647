//! `soulmem soul`: makes, lists, counts and drops characters.

use soulmem_proto::ops::soul_create::SoulCreateRequest;
use soulmem_proto::ops::soul_drop::{SoulDropRequest, SoulDropResponse};
use soulmem_proto::ops::soul_list::{SoulListRequest, SoulListResponse};
use soulmem_proto::ops::stats::{StatsRequest, StatsResponse};
use soulmem_proto::{Op, SoulName};

use crate::cli::args::SoulCommand;
use crate::cli::client::{Ask, typed};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::session::Session;
use crate::cli::table::Table;
use crate::cli::when::When;

/// Runs the subcommand.
pub async fn run(session: &mut Session, command: &SoulCommand) -> Result<(), Failure> {
    match command {
        SoulCommand::Create {
            name,
            display_name,
            locale,
        } => {
            let about = SoulCreateRequest {
                display_name: display_name.clone(),
                locale: locale.clone(),
                config: None,
                ownership: None,
            };
            create(session, name, &about).await
        }
        SoulCommand::List => list(session).await,
        SoulCommand::Stats { name } => stats(session, name).await,
        SoulCommand::Drop { name, confirm } => drop(session, name, confirm).await,
    }
}

async fn create(
    session: &mut Session,
    name: &SoulName,
    about: &SoulCreateRequest,
) -> Result<(), Failure> {
    let ask = Ask {
        op: Op::SoulCreate,
        soul: Some(name),
        payload: about,
        key: None,
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    output::text(&format!("{name} is there\n"))
}

async fn drop(session: &mut Session, name: &SoulName, confirm: &SoulName) -> Result<(), Failure> {
    let ask = Ask {
        op: Op::SoulDrop,
        soul: Some(name),
        payload: &SoulDropRequest {
            confirm: confirm.clone(),
        },
        key: None,
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    let SoulDropResponse { folder, kept_until } = typed(answer)?;
    let until = When::here().show(kept_until);
    output::text(&format!("{name} is in {folder} until {until}\n"))
}

async fn list(session: &mut Session) -> Result<(), Failure> {
    let ask = Ask {
        op: Op::SoulList,
        soul: None,
        payload: &SoulListRequest {},
        key: None,
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    let SoulListResponse { souls } = typed(answer)?;
    if souls.is_empty() {
        return output::text(&"no characters yet; `soulmem soul create NAME` makes one\n");
    }
    let mut table = Table::new(["soul", "name", "locale"]);
    for entry in souls {
        let [name, locale] = [entry.display_name, entry.locale].map(Option::unwrap_or_default);
        table.row([entry.soul.as_str(), &name, &locale]);
    }
    output::text(&table)
}

async fn stats(session: &mut Session, name: &SoulName) -> Result<(), Failure> {
    let ask = Ask {
        op: Op::Stats,
        soul: Some(name),
        payload: &StatsRequest {},
        key: None,
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    let stats: StatsResponse = typed(answer)?;
    let notes: u64 = stats.notes_by_type.values().sum();
    output::text(&format!(
        "{notes} notes, {} links, {} messages\n{} texts and {} vectors in the indexes, embedding {}\n",
        stats.links, stats.messages, stats.index.documents, stats.index.vectors, stats.model.name,
    ))?;
    if stats.llm.is_empty() {
        return Ok(());
    }
    let mut table = Table::new([
        "LLM task",
        "when",
        "calls",
        "failed",
        "retries",
        "tokens in",
        "tokens out",
    ]);
    for entry in &stats.llm {
        for (when, counts) in [("today", entry.today), ("ever", entry.total)] {
            let (calls, failures, retries) = (counts.calls, counts.failures, counts.retries);
            let numbers = [
                calls,
                failures,
                retries,
                counts.tokens_in,
                counts.tokens_out,
            ];
            let [calls, failures, retries, sent, came] = numbers.map(|number| number.to_string());
            table.row([&entry.task, when, &calls, &failures, &retries, &sent, &came]);
        }
    }
    output::text(&format!("\n{table}"))
}
