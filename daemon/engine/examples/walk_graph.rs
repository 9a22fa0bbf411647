//! Writes a random memory, queries and the walk's answers, for comparison with other programs.
//!
//! `cargo run --release -p soulmem-engine --example walk_graph -- NOTES QUERIES FOLDER` writes
//!
//! - `links.bin`: for each link `from: u32`, `to: u32`, `weight: f64`, little-endian, with the
//!   weight that the walk gives it;
//! - `walk.json`: `{"notes", "damping", "queries": [{"sources": [[note, weight]], "micros", "best":
//!   [[note, score]], "left"}]}`, where `micros` is how long the walk took, at the fastest of eleven
//!   rounds over all queries.

use std::error::Error;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use petgraph::visit::{EdgeRef, IntoEdgeReferences};
use serde_json::{Value, json};
use soulmem_engine::graph::weight::factor;
use soulmem_engine::graph::{Preference, Scratch, WalkError, WalkOptions, walk};
use soulmem_engine::model::NoteId;

#[path = "../benches/power_law/mod.rs"]
mod power_law;
use power_law::{PowerLaw, Sources};

const USAGE: &str = "usage: walk_graph NOTES QUERIES FOLDER";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [notes, queries, folder] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    let memory = power_law::memory(notes.parse()?);
    write_links(&memory, &folder.join("links.bin"))?;
    let queries = memory.queries(queries.parse()?);
    let mut scratch = Scratch::new();
    let micros = fastest(&memory, &queries, &mut scratch)?;
    let answers = queries
        .iter()
        .zip(micros)
        .map(|(query, micros)| answer(&memory, query, micros, &mut scratch))
        .collect::<Result<Vec<Value>, Box<dyn Error>>>()?;
    let file = json!({
        "notes": memory.notes.len(),
        "damping": WalkOptions::default().damping,
        "queries": answers,
    });
    fs::write(folder.join("walk.json"), file.to_string())?;
    Ok(())
}

fn write_links(memory: &PowerLaw, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    for edge in memory.graph.structure().edge_references() {
        let link = edge.weight();
        let weight = link.intensity * factor(link.kind, Preference::Situation);
        file.write_all(&(edge.source().index() as u32).to_le_bytes())?;
        file.write_all(&(edge.target().index() as u32).to_le_bytes())?;
        file.write_all(&weight.to_le_bytes())?;
    }
    Ok(file.flush()?)
}

/// For each query the fastest of eleven walks, in microseconds. Round by round, so that each walk
/// finds in the processor's cache what the others have left there, not its own traces.
fn fastest(
    memory: &PowerLaw,
    queries: &[Sources],
    scratch: &mut Scratch,
) -> Result<Vec<f64>, WalkError> {
    let options = WalkOptions::default();
    let mut micros = vec![f64::INFINITY; queries.len()];
    for _ in 0..11 {
        for (query, fastest) in queries.iter().zip(&mut micros) {
            let start = Instant::now();
            walk(&memory.graph, query, &options, |_| 1.0, scratch)?.top(10);
            *fastest = fastest.min(start.elapsed().as_secs_f64() * 1e6);
        }
    }
    Ok(micros)
}

fn answer(
    memory: &PowerLaw,
    query: &Sources,
    micros: f64,
    scratch: &mut Scratch,
) -> Result<Value, Box<dyn Error>> {
    let number = |note: NoteId| {
        let index = memory.graph.index_of(note).ok_or("a note is missing")?;
        Ok::<usize, &str>(index.index())
    };
    let options = WalkOptions::default();
    let found = walk(&memory.graph, query, &options, |_| 1.0, scratch)?;
    let sources = query
        .iter()
        .map(|(note, weight)| Ok(json!([number(*note)?, weight])))
        .collect::<Result<Vec<Value>, &str>>()?;
    let best = found
        .top(10)
        .iter()
        .map(|scored| Ok(json!([number(scored.note)?, scored.score])))
        .collect::<Result<Vec<Value>, &str>>()?;
    Ok(json!({"sources": sources, "micros": micros, "best": best, "left": found.left()}))
}
