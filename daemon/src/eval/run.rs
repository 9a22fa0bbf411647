//! Running a suite over files of cases.

mod forget;
mod retrieve;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::character::Character;
use super::data::forget_file::ForgetFile;
use super::data::query_file::QueryFile;
use super::data::sweep::Variation;
use super::embedding::CachedModel;
use super::error::EvalError;
use super::parallel::in_parallel;
use super::report::results::{FileResults, Results};
use super::suite::Suite;

/// What is to be run.
pub struct Run<'a> {
    /// Which suite.
    pub suite: Suite,
    /// The files of cases; results come in the same order.
    pub files: &'a [PathBuf],
    /// Weights to run every case with, instead of those that its file sweeps.
    pub weights: Option<&'a [Variation]>,
    /// How many threads work at once, each on a file and one set of weights.
    pub workers: NonZeroUsize,
    /// The embedding model.
    pub model: &'a CachedModel<'a>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Everything is read; there are so many cases to run.
    Ready(usize),
    /// One case is done.
    CaseDone,
}

/// Somebody who is told of the progress, from any thread.
pub type Watcher<'a> = &'a (dyn Fn(Progress) + Sync);

impl Run<'_> {
    /// Runs the suite. Every file is read before the first case is run, so that a fault in one of them is told at once.
    ///
    /// # Errors
    ///
    /// [`EvalError`] with all files that are refused, or the first case that cannot be run.
    pub fn results(&self, watcher: Watcher<'_>) -> Result<Results, EvalError> {
        if self.suite == Suite::Forget {
            let files = self.read_all(|file| ForgetFile::read(file))?;
            let of_files = forget::results(&files, watcher)?;
            return Ok(Results::new(self.suite, "no model".to_owned(), of_files));
        }
        let files = self.read_all(|file| QueryFile::read(file))?;
        let characters = all(in_parallel(&files, self.workers, |file| {
            Character::build(&file.graph, &file.graph_file, self.model)
        }))?;
        let jobs: Vec<(usize, &Variation)> = files
            .iter()
            .enumerate()
            .flat_map(|(place, file)| {
                let variations = self.weights.unwrap_or(&file.variations);
                variations.iter().map(move |weights| (place, weights))
            })
            .collect();
        let cases = jobs
            .iter()
            .map(|(place, _)| files[*place].cases.len())
            .sum();
        watcher(Progress::Ready(cases));
        let done = all(in_parallel(&jobs, self.workers, |(place, weights)| {
            let job = retrieve::Job {
                suite: self.suite,
                file: &files[*place],
                character: &characters[*place],
                weights,
                model: self.model,
            };
            job.run(watcher)
        }))?;
        let mut of_files: Vec<FileResults> = files.iter().map(empty_results).collect();
        for ((place, _), variation) in jobs.into_iter().zip(done) {
            of_files[place].variations.push(variation);
        }
        let model = self.model.model().identity().to_string();
        Ok(Results::new(self.suite, model, of_files))
    }

    fn read_all<T: Send>(
        &self,
        read: impl Fn(&PathBuf) -> Result<T, EvalError> + Sync,
    ) -> Result<Vec<T>, EvalError> {
        let (read, mut refused): (Vec<_>, Vec<_>) = in_parallel(self.files, self.workers, read)
            .into_iter()
            .partition(Result::is_ok);
        match refused.len() {
            0 => all(read),
            1 => refused.remove(0).map(|_| Vec::new()),
            _ => Err(EvalError::Several(
                refused.into_iter().filter_map(Result::err).collect(),
            )),
        }
    }
}

fn empty_results(file: &QueryFile) -> FileResults {
    FileResults {
        file: file.file.display().to_string(),
        name: file.name.clone(),
        variations: Vec::with_capacity(file.variations.len()),
    }
}

/// All values, or the first error.
fn all<T>(results: Vec<Result<T, EvalError>>) -> Result<Vec<T>, EvalError> {
    results.into_iter().collect()
}
