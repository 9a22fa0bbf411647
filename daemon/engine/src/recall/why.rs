//! Why something came to mind: the evidence of each stage, kept with every hit.

use crate::graph::Path;
use crate::model::{LinkId, NoteId};
use crate::recall::plain::PlainScore;
use crate::recall::similarity::Similarity;

/// Why a note came up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Why {
    /// By structured similarity: which sub-query, and what its score is made of.
    pub similar: Vec<(usize, Similarity)>,
    /// By the plain line.
    pub plain: Option<PlainScore<NoteId>>,
    /// True where it stands behind the messages that it was made of, with less of its score.
    pub behind_talk: bool,
    /// True where the walk started from it.
    pub seed: bool,
    /// How it was reached along links, for each walk that reached it.
    pub walks: Vec<Reached>,
    /// Where it is a procedure that something known speaks of: how it came along.
    pub way: Option<OwnWay>,
    /// How much of it is retained, 0 to 1.
    pub retention: f64,
}

/// What a walk started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The sub-query at this place.
    Query(usize),
    /// The plain line.
    Line,
}

/// How a walk reached a note.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// What the walk started for.
    pub asked: Asked,
    /// How often the walk was at the note, 0 to 1.
    pub score: f64,
    /// The likeliest path to it, from the seed that it starts at. A seed's own path has no steps.
    pub path: Path,
}

/// How a procedure came up as knowledge of oneself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnWay {
    /// What is known, and says so.
    pub from: NoteId,
    /// The link from there.
    pub link: LinkId,
    /// What of the score of `from` the procedure gets, 0 to 1.
    pub weight: f64,
}

impl Why {
    /// Every link that it was reached by, each once, ordered by id.
    pub fn links(&self) -> Vec<LinkId> {
        let steps = self.walks.iter().flat_map(|walk| &walk.path.steps);
        let mut links: Vec<LinkId> = steps
            .map(|step| step.link)
            .chain(self.way.map(|way| way.link))
            .collect();
        links.sort_unstable();
        links.dedup();
        links
    }
}
