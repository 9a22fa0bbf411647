//! What an archive says of a message, a note and the window, read from several tables.

use soulmem_engine::model::MessageId;

use crate::soul::archive::{Remembered, Said, Summarised, Weakened, Window};
use crate::store::{Message, Result, Seq, StoredNote, View};

/// A message, when it was taken in, and how often it was recalled.
pub fn said(view: &View, message: Message) -> Result<Said> {
    let taken_in_at = view.taken_in_at(message.seq)?;
    let recalled = view.message_use(message.id)?;
    let mut said = Said::from(message);
    said.taken_in_at = taken_in_at;
    said.recalled = recalled;
    Ok(said)
}

/// A note with its wordings, and when those of its links were weakened that were.
pub fn remembered(view: &View, stored: StoredNote) -> Result<Remembered> {
    let wordings = view.wordings(stored.seq)?;
    let mut weakened = Vec::new();
    for link in &stored.note.mem_links {
        let at = view.link(link.id)?.and_then(|kept| kept.weakened_at);
        weakened.extend(at.map(|at| Weakened { link: link.id, at }));
    }
    Ok(Remembered::of(stored, wordings, weakened))
}

/// Where the window stands, of what was written through this place.
pub fn window(view: &View, through: Seq) -> Result<Window> {
    Ok(Window {
        summary: summary(view, through)?,
        consolidated_through: consolidated(view, through)?,
    })
}

fn summary(view: &View, through: Seq) -> Result<Option<Summarised>> {
    let Some(summary) = view.summary()? else {
        return Ok(None);
    };
    let last = view.last_message_before(summary.last_message.min(through))?;
    Ok(last.map(|through| Summarised {
        text: summary.text,
        through,
    }))
}

fn consolidated(view: &View, through: Seq) -> Result<Option<MessageId>> {
    match view.window_state()?.consolidated_through {
        0 => Ok(None),
        seen => view.last_message_before(seen.min(through)),
    }
}
