//! Making again, in a rebuilt database, what follows from the rest of it.

use std::num::NonZeroU32;
use std::path::Path;

use jiff::Timestamp;
use soulmem_engine::model::Affect;
use soulmem_proto::SoulName;

use super::super::column::{Id, Micros, json};
use super::super::error::{Result, StoreError};
use super::super::note::{NOTE, STATE};
use super::super::options::StoreOptions;
use super::super::profile::NewSoul;
use super::super::tables::COUNTED;
use super::super::tx::{JOURNAL, Seq, Tx};
use super::super::window::WindowState;
use super::check::evidence as messages_of;

/// A memory that does not know whose it is belongs to the character that its folder is named after.
pub(super) fn profile(
    tx: &Tx,
    folder: &Path,
    options: &StoreOptions,
    remade: &mut Vec<String>,
) -> Result<()> {
    if tx.profile().is_ok() {
        return Ok(());
    }
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let soul = SoulName::try_from(name).map_err(|error| StoreError::Invalid {
        field: "folder".to_owned(),
        reason: format!(
            "the memory does not know its character any more, and {}: {error}",
            folder.display()
        ),
    })?;
    tx.write_profile(&NewSoul::named(soul).profile(tx.now(), options.ids.next_uuid()))?;
    remade.push("whose memory it is, from the name of its folder".to_owned());
    Ok(())
}

/// A note whose state is lost gets the state of one that was never used.
pub(super) fn states(tx: &Tx, remade: &mut Vec<String>) -> Result<()> {
    let sql = "SELECT seq, created_at FROM note WHERE seq NOT IN (SELECT note FROM note_state)";
    let bare = tx.all(sql, [], |row| {
        Ok((row.get::<_, Seq>(0)?, row.get::<_, Micros>(1)?))
    })?;
    for (note, at) in bare {
        let affect = json("affect", &Affect::at(Timestamp::UNIX_EPOCH))?;
        STATE.insert(
            &tx.connection,
            &[&note, &0, &at, &0.0, &at, &affect, &None::<Micros>],
        )?;
        remade.push(format!(
            "the counts and the feeling of note {note}, as if it were new"
        ));
    }
    Ok(())
}

/// A window that is lost goes on from what the journal and the summary say.
pub(super) fn window(tx: &Tx, capacity: NonZeroU32, remade: &mut Vec<String>) -> Result<()> {
    if tx.one("SELECT 1 FROM window", [], |_| Ok(()))?.is_some() {
        return Ok(());
    }
    let consolidated = "SELECT max(message.seq) FROM message JOIN journal ON journal.subject = message.id \
                        WHERE journal.what = 'consolidated'";
    tx.set_window_state(&WindowState {
        capacity: i64::from(capacity.get()),
        pushed: number(tx, "SELECT count(*) FROM message")?,
        summarised_through: number(tx, "SELECT max(last_message) FROM summary")?,
        consolidated_through: number(tx, consolidated)?,
    })?;
    remade.push("where the window stands".to_owned());
    Ok(())
}

/// Which messages the notes rest on, as the notes say.
pub(super) fn evidence(tx: &Tx) -> Result<()> {
    let mut pairs = Vec::new();
    tx.each(NOTE.select(), [], |row| {
        let seq: Seq = row.get(0)?;
        let source: String = row.get(12)?;
        let source: Vec<_> = serde_json::from_str(&source).unwrap_or_default();
        pairs.extend(messages_of(&source).map(|message| (message, seq)));
        Ok(())
    })?;
    for (message, note) in pairs {
        let sql = "INSERT OR IGNORE INTO note_evidence (message, note) VALUES (?, ?)";
        tx.connection
            .prepare_cached(sql)?
            .execute((Id(message), note))?;
    }
    Ok(())
}

/// Every place in the sequence has an entry again, so that nobody takes a gap for new damage.
pub(super) fn journal(tx: &Tx, marked: Seq) -> Result<()> {
    let mut last = marked.max(tx.last_seq()?);
    for table in [
        "note",
        "link",
        "message",
        "summary",
        "recall",
        "job",
        "llm_reply",
    ] {
        last = last.max(number(tx, &format!("SELECT max(seq) FROM {table}"))?);
    }
    let known = tx.all("SELECT seq FROM journal ORDER BY seq", [], |row| {
        Ok(row.get::<_, Seq>(0)?)
    })?;
    let mut known = known.into_iter().peekable();
    for seq in 1..=last {
        if known.next_if_eq(&seq).is_none() {
            let (no_subject, no_detail) = (None::<Id>, None::<String>);
            JOURNAL.insert(
                &tx.connection,
                &[&seq, &Micros(tx.now()), &"lost", &no_subject, &no_detail],
            )?;
        }
    }
    Ok(())
}

/// How many rows there are now.
pub(super) fn tally(tx: &Tx) -> Result<()> {
    let notes = number(tx, "SELECT count(*) FROM note")?;
    let links = number(tx, "SELECT count(*) FROM link")?;
    let messages = number(tx, "SELECT count(*) FROM message")?;
    COUNTED.put(&tx.connection, &[&1, &notes, &links, &messages])
}

fn number(tx: &Tx, sql: &str) -> Result<i64> {
    let found = tx.one(sql, [], |row| Ok(row.get::<_, Option<i64>>(0)?))?;
    Ok(found.flatten().unwrap_or(0))
}
