//! Taking in whole files: graphs of notes, and conversations.

use std::collections::HashMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use soulmem_engine::model::{MessageId, NoteId, graph_file};
use soulmem_proto::SoulName;
use soulmem_proto::ops::import::{ImportFormat, ImportReport};
use soulmem_proto::ops::push::PushMessage;
use uuid::Uuid;

use super::character::Soul;
use super::error::{Result, SoulError};
use super::import_archive::{self, Archive, TakenIn};
use super::outside::Outside;
use super::push::checked_message;
use super::write::WriteOrder;
use crate::store::{Change, Links, NewMessage, NoteWrite, OnExisting, StoreError, Tx};

/// Namespace of the ids of imported messages. Fixed for ever: a change would let a file be imported twice.
const MESSAGE_NAMESPACE: Uuid = Uuid::from_u128(0x4c1e_6a90_3d57_5b0e_8f21_7ac9_05d2_e3b8);

/// The name of a file whose name was not given.
const UNNAMED: &str = "the file";

/// What a file was found to hold.
enum Content {
    Notes(Vec<NoteWrite>),
    Messages(Vec<NewMessage>),
    Archive(Box<Archive>),
}

impl Soul {
    /// Takes in a file: everything in it that is not there yet, or nothing.
    pub async fn import(
        &self,
        bytes: Vec<u8>,
        format: ImportFormat,
        file: Option<String>,
        order: WriteOrder,
    ) -> Result<ImportReport> {
        let file = file.unwrap_or_else(|| UNNAMED.to_owned());
        let (name, outside) = (self.name().clone(), self.world().outside.clone());
        let read = move || match format {
            ImportFormat::Graph => notes(&bytes, &file, &name, &outside).map(Content::Notes),
            ImportFormat::Messages => {
                messages(&bytes, &file, &name, &outside).map(Content::Messages)
            }
            ImportFormat::Archive => {
                let text = utf8(&bytes, &file)?;
                import_archive::read(text, &file, &outside)
                    .map(|archive| Content::Archive(Box::new(archive)))
            }
        };
        match self.world().pool.run(read).await? {
            Content::Notes(writes) => self.import_notes(writes, order).await,
            Content::Messages(messages) => self.import_messages(messages, order).await,
            Content::Archive(archive) => self.import_archive(*archive, order).await,
        }
    }

    /// The first answer to a last piece whose upload is gone, because the file was taken in already.
    pub async fn imported_before(&self, order: WriteOrder) -> Result<ImportReport> {
        let gone = || {
            let reason = "is not 0, but nothing of this upload is here: begin it again";
            StoreError::Invalid {
                field: "offset".to_owned(),
                reason: reason.to_owned(),
            }
        };
        Ok(self.write(order, move |_| Err(gone())).await?.value)
    }

    async fn import_notes(
        &self,
        writes: Vec<NoteWrite>,
        order: WriteOrder,
    ) -> Result<ImportReport> {
        let writes = Arc::new(writes);
        let kept = Arc::clone(&writes);
        let write = self.write(order, move |tx| {
            let written = tx.put_notes(&kept)?;
            let mut report = ImportReport::default();
            for (write, written) in kept.iter().zip(&written) {
                match written.change {
                    Change::Unchanged => report.known += 1,
                    Change::Created | Change::Replaced => {
                        report.notes += 1;
                        report.links += write.note.mem_links.len() as u64;
                    }
                }
            }
            Ok(report)
        });
        let outcome = write.await?;
        if outcome.value.notes > 0 && !outcome.duplicate {
            self.tell_changed(
                writes
                    .iter()
                    .map(|write| write.note.id)
                    .collect::<Vec<NoteId>>(),
            );
        }
        Ok(outcome.value)
    }

    async fn import_archive(&self, archive: Archive, order: WriteOrder) -> Result<ImportReport> {
        let outcome = self.write(order, move |tx: &Tx| archive.write(tx)).await?;
        let TakenIn { report, created } = outcome.value;
        if !outcome.duplicate {
            self.tell_changed(created);
        }
        Ok(report)
    }

    async fn import_messages(
        &self,
        messages: Vec<NewMessage>,
        order: WriteOrder,
    ) -> Result<ImportReport> {
        let write = self.write(order, move |tx: &Tx| {
            let mut new = Vec::new();
            for message in &messages {
                if tx.message(message.id)?.is_none() {
                    new.push(message.clone());
                }
            }
            if !new.is_empty() {
                tx.push(&new)?;
            }
            let (all, new) = (messages.len() as u64, new.len() as u64);
            Ok(ImportReport {
                messages: new,
                known: all - new,
                ..ImportReport::default()
            })
        });
        let outcome = write.await?;
        if outcome.value.messages > 0 && !outcome.duplicate {
            self.summarise_soon();
        }
        Ok(outcome.value)
    }
}

fn notes(bytes: &[u8], file: &str, soul: &SoulName, outside: &Outside) -> Result<Vec<NoteWrite>> {
    let graph = graph_file::parse(bytes, file, soul.as_str())
        .map_err(|error| SoulError::InFile(error.to_string()))?;
    let built = graph.notes.into_iter().enumerate().map(|(index, draft)| {
        let note = draft
            .build(&*outside.clock, &*outside.ids)
            .map_err(|error| {
                SoulError::InFile(format!(
                    "{file}: [{index}].{}: {}",
                    error.field, error.reason
                ))
            })?;
        Ok(NoteWrite {
            note,
            on_existing: OnExisting::Keep,
            links: Links::Set,
        })
    });
    built.collect()
}

fn messages(
    bytes: &[u8],
    file: &str,
    soul: &SoulName,
    outside: &Outside,
) -> Result<Vec<NewMessage>> {
    let at_line =
        |line: usize, reason: String| SoulError::InFile(format!("{file}:{line}: {reason}"));
    let text = utf8(bytes, file)?;
    let now = outside.clock.now();
    let mut seen: HashMap<Uuid, u32> = HashMap::new();
    let lines = text
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(line, number)| {
            let message: PushMessage = parse(line).map_err(|reason| at_line(number, reason))?;
            let id = message_id(soul, &message, &mut seen);
            let mut message = checked_message(message, now, id, str::to_owned)
                .map_err(|error| at_line(number, error.to_string()))?;
            message.source.get_or_insert_with(|| file.to_owned());
            Ok(message)
        })
        .collect()
}

fn utf8<'b>(bytes: &'b [u8], file: &str) -> Result<&'b str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.iter().take(error.valid_up_to());
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        SoulError::InFile(format!("{file}:{line}: is not UTF-8"))
    })
}

/// Reads one line. A key that its type does not have is refused: a misspelt one would be lost in silence.
pub(super) fn parse<T: DeserializeOwned>(line: &str) -> Result<T, String> {
    let mut unknown = None;
    let mut json = serde_json::Deserializer::from_str(line);
    let message = serde_ignored::deserialize(&mut json, |key| {
        unknown.get_or_insert_with(|| key.to_string());
    });
    let message = message.map_err(|error: serde_json::Error| error.to_string())?;
    json.end().map_err(|error| error.to_string())?;
    match unknown {
        Some(key) => Err(format!("unknown key `{key}`")),
        None => Ok(message),
    }
}

/// An id that depends on what is said alone, and on how often the same was said before in the file.
fn message_id(soul: &SoulName, message: &PushMessage, seen: &mut HashMap<Uuid, u32>) -> MessageId {
    let said = serde_json::json!([
        soul,
        message.role,
        message.name,
        message.text,
        message.at,
        message.session
    ]);
    let first = Uuid::new_v5(&MESSAGE_NAMESPACE, said.to_string().as_bytes());
    let before = seen.entry(first).or_default();
    *before += 1;
    MessageId(match *before {
        1 => first,
        again => Uuid::new_v5(&first, &again.to_be_bytes()),
    })
}
