//! What is remembered, and what is not.

use std::sync::Mutex;

use soulmem_embed::{LexicalModel, ModelIdentity, Pooling};

use super::*;

/// The built-in model, writing down what it is asked; its identity and what it answers can be changed.
struct Watched {
    model: LexicalModel,
    digest: &'static str,
    asked: Mutex<Vec<String>>,
    answers: fn(Vec<Vec<f32>>) -> Vec<Vec<f32>>,
}

impl Watched {
    fn new(digest: &'static str) -> Self {
        Self {
            model: LexicalModel::new(),
            digest,
            asked: Mutex::default(),
            answers: |vectors| vectors,
        }
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    fn note(&self, side: &str, texts: &[&str]) {
        let lines = texts.iter().map(|text| format!("{side}:{text}"));
        self.asked.lock().unwrap().extend(lines);
    }
}

impl EmbeddingModel for Watched {
    fn identity(&self) -> ModelIdentity {
        ModelIdentity {
            name: "watched".into(),
            digest: self.digest.into(),
            pooling: Pooling::Mean,
        }
    }

    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    fn token_limit(&self) -> usize {
        self.model.token_limit()
    }

    fn floor(&self) -> f32 {
        self.model.floor()
    }

    fn embed_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.note("query", texts);
        self.model.embed_queries(texts).map(self.answers)
    }

    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.note("passage", texts);
        self.model.embed_passages(texts).map(self.answers)
    }
}

#[test]
fn a_text_is_embedded_once_a_side_and_the_order_is_kept() {
    let model = Watched::new("1");
    let cache = CachedModel::new(&model);
    let first = cache.passages(&["rain", "snow"]).unwrap();
    let again = cache.passages(&["snow", "wind", "rain", "wind"]).unwrap();
    assert_eq!(again[0], first[1]);
    assert_eq!(again[2], first[0]);
    assert_eq!(again[3], again[1]);
    cache.queries(&["rain"]).unwrap();
    assert_eq!(
        model.asked(),
        ["passage:rain", "passage:snow", "passage:wind", "query:rain"]
    );
    assert_eq!(
        first[0].to_vec(),
        model.model.embed_passages(&["rain"]).unwrap()[0]
    );
}

#[test]
fn what_is_saved_is_there_for_the_same_model_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("cache");
    let model = Watched::new("1");
    let cache = CachedModel::open(&model, &folder).unwrap();
    let made = cache.passages(&["雨", "rain"]).unwrap();
    cache.save(&folder).unwrap();
    model.asked();

    let reopened = CachedModel::open(&model, &folder).unwrap();
    assert_eq!(reopened.passages(&["雨", "rain"]).unwrap(), made);
    assert_eq!(model.asked(), [] as [&str; 0]);

    let other = Watched::new("2");
    let reopened = CachedModel::open(&other, &folder).unwrap();
    assert!(reopened.is_empty(), "another digest is another model");
}

#[test]
fn a_damaged_file_is_as_good_as_none() {
    let folder = tempfile::tempdir().unwrap();
    let model = Watched::new("1");
    let cache = CachedModel::new(&model);
    cache.queries(&["rain", "snow"]).unwrap();
    cache.save(folder.path()).unwrap();
    let file = cache_path(folder.path(), &model);
    let whole = std::fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    flipped[60] ^= 1;
    for damaged in [&whole[..whole.len() - 1], &flipped[..], &b""[..]] {
        std::fs::write(&file, damaged).unwrap();
        let reopened = CachedModel::open(&model, folder.path()).unwrap();
        assert!(reopened.is_empty());
    }
    std::fs::write(&file, whole).unwrap();
    let reopened = CachedModel::open(&model, folder.path()).unwrap();
    assert_eq!(reopened.len(), 2);
}

#[test]
fn a_model_that_answers_something_else_is_told_off() {
    let mut model = Watched::new("1");
    model.answers = |mut vectors| {
        vectors.pop();
        vectors
    };
    let error = CachedModel::new(&model).queries(&["a", "b"]).unwrap_err();
    assert!(
        error.to_string().contains("1 vectors for 2 texts"),
        "{error}"
    );
    model.answers = |vectors| vectors.into_iter().map(|_| vec![1.0]).collect();
    let error = CachedModel::new(&model).queries(&["a"]).unwrap_err();
    assert!(
        error.to_string().contains("a vector of 1 components"),
        "{error}"
    );
}
