//! What a recall replaces: every note scored.

use std::collections::HashMap;
use std::sync::Arc;

use soulmem_embed::{EmbeddingModel, LexicalModel};
use soulmem_engine::model::{Field, MemoryNote, NoteId};
use soulmem_engine::recall::Question;
use soulmem_engine::recall::similarity::{Scorer, Vector, Vectors};
use soulmem_engine::recall::weights::BlendWeights;

/// Every vector at hand.
pub struct AtHand {
    model: LexicalModel,
    passages: HashMap<String, Arc<[f32]>>,
}

impl AtHand {
    pub fn new(notes: &[MemoryNote]) -> Self {
        let model = LexicalModel::new();
        let mut passages = HashMap::new();
        for (_, text) in notes.iter().flat_map(MemoryNote::text_fields) {
            passages
                .entry(text.into_owned())
                .or_insert_with_key(|text| {
                    let made = model.embed_passages(&[text]).expect("a vector");
                    made.concat().into()
                });
        }
        Self { model, passages }
    }
}

/// The vectors of one question.
struct Asked<'a> {
    at_hand: &'a AtHand,
    texts: HashMap<String, Arc<[f32]>>,
}

impl Vectors for Asked<'_> {
    fn query(&self, text: &str) -> Option<Arc<[f32]>> {
        self.texts.get(text).cloned()
    }

    fn passage(&self, _: NoteId, _: Field, text: &str) -> Option<Vector<'_>> {
        self.at_hand
            .passages
            .get(text)
            .map(|vector| Vector::AtHand(vector))
    }
}

/// The ten best by scoring every note.
pub fn best(question: &Question, notes: &[MemoryNote], at_hand: &AtHand) -> Vec<(f64, NoteId)> {
    let query = &question.queries[0];
    let texts = query.texts();
    let made = at_hand.model.embed_queries(&texts).expect("vectors");
    let texts = texts.into_iter().map(str::to_owned);
    let asked = Asked {
        at_hand,
        texts: texts.zip(made.into_iter().map(Into::into)).collect(),
    };
    let weights = BlendWeights::default();
    let scorer = Scorer::new(&weights, &asked, query);
    let mut ranked: Vec<(f64, NoteId)> = notes
        .iter()
        .map(|note| (scorer.score(note).score, note.id))
        .collect();
    ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.truncate(10);
    ranked
}
