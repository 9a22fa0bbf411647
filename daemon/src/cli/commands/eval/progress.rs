//! How far a run is, on standard error.

use indicatif::{ProgressBar, ProgressStyle};

use crate::eval::run::Progress;

/// A bar that fills as cases are done. It is not drawn where standard error is no terminal.
pub struct Bar(ProgressBar);

impl Bar {
    pub fn new() -> Self {
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} cases  {elapsed}");
        let bar = ProgressBar::new(0);
        Self(match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        })
    }

    pub fn on(&self, progress: Progress) {
        match progress {
            Progress::Ready(cases) => self.0.set_length(cases as u64),
            Progress::CaseDone => self.0.inc(1),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
