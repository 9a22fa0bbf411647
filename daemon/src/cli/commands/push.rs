//! `soulmem push`: gives messages to a character.

use soulmem_proto::ops::push::{PushMessage, PushRequest, PushResponse};
use soulmem_proto::{Op, Value};

use crate::cli::args::PushArgs;
use crate::cli::client::{Ask, typed};
use crate::cli::failure::Failure;
use crate::cli::session::Session;
use crate::cli::{input, output};

/// Messages that are pushed at once.
const BATCH: usize = 500;
/// Bytes of text after which a batch is full.
const BATCH_BYTES: usize = 4 << 20;

/// Pushes one text, or the messages of a file.
pub async fn run(session: &mut Session, args: &PushArgs) -> Result<(), Failure> {
    let batches = match &args.file {
        Some(file) => {
            let messages = messages(&input::text(file)?, &input::shown(file))?;
            if messages.is_empty() {
                return Err(nothing(&input::shown(file)));
            }
            batches(messages)
        }
        None => vec![vec![one(args)?]],
    };
    let numbered = batches.len() > 1;
    for (number, messages) in batches.into_iter().enumerate() {
        let key = args.key.as_ref().map(|key| {
            if numbered {
                format!("{key}#{number}")
            } else {
                key.clone()
            }
        });
        let ask = Ask {
            op: Op::Push,
            soul: Some(&args.soul.soul),
            payload: &PushRequest {
                messages,
                origin: None,
            },
            key,
        };
        let answer = session.client.ask(ask).await?;
        show(session, answer)?;
    }
    Ok(())
}

fn show(session: &Session, answer: Value) -> Result<(), Failure> {
    if session.json {
        return output::json(&answer);
    }
    let PushResponse {
        ids,
        window,
        duplicate,
    } = typed(answer)?;
    let messages = if ids.len() == 1 {
        "message"
    } else {
        "messages"
    };
    let kept = if duplicate {
        "was there already"
    } else {
        "kept"
    };
    output::text(&format!(
        "{} {messages} {kept}; window {} of {}\n",
        ids.len(),
        window.len,
        window.capacity
    ))
}

fn one(args: &PushArgs) -> Result<PushMessage, Failure> {
    let text = if args.text.is_empty() {
        let text = input::text("-".as_ref())?;
        // The line feed that ends the input is not part of what is said.
        text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)
    } else {
        args.text.join(" ")
    };
    if text.is_empty() {
        return Err(nothing("standard input, or the text on the command line,"));
    }
    Ok(PushMessage {
        role: args.role,
        text,
        name: args.name.clone(),
        at: args.at,
        tz: args.tz.clone(),
        session: args.session.clone(),
        tag: args.tag.then_some(true),
        source: args.source.clone(),
    })
}

fn nothing(place: &str) -> Failure {
    Failure::data(format!("{place} is empty: there is nothing to push"))
}

fn messages(text: &str, file: &str) -> Result<Vec<PushMessage>, Failure> {
    let lines = text
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty());
    let parsed = lines.map(|(line, number)| {
        serde_json::from_str(line)
            .map_err(|error| Failure::data(format!("{file}:{number}: {error}")))
    });
    parsed.collect()
}

fn batches(messages: Vec<PushMessage>) -> Vec<Vec<PushMessage>> {
    let mut batches: Vec<Vec<PushMessage>> = Vec::new();
    let mut bytes = 0;
    for message in messages {
        bytes += message.text.len();
        let room = batches
            .last_mut()
            .filter(|batch| batch.len() < BATCH && bytes <= BATCH_BYTES);
        if let Some(batch) = room {
            batch.push(message);
        } else {
            bytes = message.text.len();
            batches.push(vec![message]);
        }
    }
    batches
}
