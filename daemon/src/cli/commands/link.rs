//! `soulmem link`: writes links.

use soulmem_engine::model::LinkDraft;
use soulmem_proto::Op;
use soulmem_proto::ops::link_put::{LinkPutRequest, LinkPutResponse};

use crate::cli::args::LinkCommand;
use crate::cli::client::{Ask, typed};
use crate::cli::failure::Failure;
use crate::cli::session::Session;
use crate::cli::{input, output};

/// Runs the subcommand. The ids of the links are printed, one a line.
pub async fn run(session: &mut Session, command: &LinkCommand) -> Result<(), Failure> {
    let LinkCommand::Put { soul, file } = command;
    let payload = &LinkPutRequest::<LinkDraft> {
        links: input::list(file)?,
    };
    let ask = Ask {
        op: Op::LinkPut,
        soul: Some(&soul.soul),
        payload,
        key: None,
    };
    let answer = session.client.ask(ask).await?;
    if session.json {
        return output::json(&answer);
    }
    let LinkPutResponse { ids } = typed(answer)?;
    let lines: Vec<String> = ids.iter().map(ToString::to_string).collect();
    output::text(
        &(lines.join(
            "
",
        ) + "
"),
    )
}
