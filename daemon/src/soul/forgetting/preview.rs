//! What a round of forgetting would come to, before it does.

use jiff::Timestamp;
use soulmem_engine::forget::Stage;
use soulmem_proto::ops::forget::{FadedNote, ForgetAction, ForgetReport};

use super::assess::{Assessed, Batch};
use super::telling::tell;
use crate::soul::character::Soul;
use crate::soul::error::Result;
use crate::soul::report::wire_kind;

impl Soul {
    /// What a round at `now` would do, and up to `limit` of the notes that time has changed, as they would be told. Nothing is
    /// written.
    pub async fn preview_forgetting(
        &self,
        now: Option<Timestamp>,
        limit: usize,
    ) -> Result<(ForgetReport, Vec<FadedNote>)> {
        let now = now.unwrap_or_else(|| self.world().outside.clock.now());
        let mut report = ForgetReport::default();
        let mut faded = Vec::new();
        let mut after = None;
        loop {
            let Batch { notes, next } = self.batch(now, after).await?;
            for assessed in &notes {
                assessed.count(&mut report);
                assessed.count_writes(&mut report);
            }
            let room = limit - faded.len();
            let affected: Vec<Assessed> = notes
                .into_iter()
                .filter(Assessed::is_affected)
                .take(room)
                .collect();
            faded.extend(self.told(affected).await?);
            after = next;
            if after.is_none() {
                return Ok((report, faded));
            }
        }
    }

    async fn told(&self, affected: Vec<Assessed>) -> Result<Vec<FadedNote>> {
        let profile = self.mind().curves().notes;
        let is_told_anew = self.reteller.is_some();
        self.read(move |view| {
            let mut notes = Vec::with_capacity(affected.len());
            for assessed in affected {
                let told = tell(view, &profile, &assessed.note, assessed.retention)?;
                notes.push(faded(&assessed, is_told_anew, &told.note.summary_text()));
            }
            Ok(notes)
        })
        .await
    }
}

/// Without somebody who tells memories anew, those stay masked that were not told anew before.
fn faded(assessed: &Assessed, is_told_anew: bool, text: &str) -> FadedNote {
    let settled = assessed.settled.as_ref();
    FadedNote {
        id: assessed.note.id.0,
        kind: wire_kind(assessed.note.kind()),
        degree: assessed.retention.missing_degree(),
        action: match assessed.stage {
            Stage::Whole => ForgetAction::None,
            Stage::Reimagined if is_told_anew || assessed.reimagined => ForgetAction::Reimagine,
            Stage::Masked | Stage::Reimagined => ForgetAction::Mask,
        },
        text: text.to_owned(),
        archive: assessed.archive,
        resolve: settled.is_some_and(|settled| settled.resolved),
        fall_dormant: settled.is_some_and(|settled| settled.dormant),
    }
}
