//! How far long work has come.

/// One step of long work, for a progress bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is being done, such as `copying xiaohong`.
    pub what: String,
    /// How much of it is done, in whatever unit `total` is in.
    pub done: u64,
    /// How much there is to do; 0 if that is not known.
    pub total: u64,
}

/// Where long work reports to.
pub type Watcher<'w> = &'w mut dyn FnMut(Step);

/// Reports a step.
pub(super) fn tell(watcher: &mut dyn FnMut(Step), what: &str, done: u64, total: u64) {
    watcher(Step {
        what: what.to_owned(),
        done,
        total,
    });
}
