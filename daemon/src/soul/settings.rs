//! What can be set about characters, with the memory model's defaults.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use soulmem_engine::graph::activation::DEFAULT_CAPACITY;
use soulmem_engine::recall::plain::channel::FusionWeights;

use super::forgetting::ForgetConfig;
use super::keep::BackupSettings;

/// Most messages that a sliding window may hold.
pub const MAX_WINDOW: u32 = 10_000;

/// Limits and times of the characters of one daemon.
#[derive(Debug, Clone)]
pub struct SoulSettings {
    /// Characters that may be open at once; the longest unused is closed and reopened on need.
    pub max_open: usize,
    /// How long without a request until a character counts as idle.
    pub idle_after: Duration,
    /// Messages that the sliding window of a character holds, where it does not say otherwise itself.
    pub window_capacity: NonZeroU32,
    /// What the channels of a plain line are worth.
    pub fusion: FusionWeights,
    /// The `tokenizer.json` of the model that reads contexts; tokens are estimated where none is named.
    pub tokenizer: Option<PathBuf>,
    /// Bodies of notes that a character keeps at hand; those that the talk called up least recently leave first.
    pub working_notes: usize,
    /// How memories fade, where a character does not say otherwise itself.
    pub forget: ForgetConfig,
    /// Bytes that uploads on their way may hold, all together.
    pub max_upload_bytes: usize,
    /// Pieces of heavy work that run at once.
    pub workers: usize,
    /// Backups on a schedule.
    pub backup: BackupSettings,
    /// Jobs of characters (summaries, consolidations) that run at once, over all of them.
    pub jobs: usize,
    /// Tokens that a running summary may have.
    pub summary_tokens: usize,
}

impl Default for SoulSettings {
    fn default() -> Self {
        const WINDOW: NonZeroU32 = NonZeroU32::new(12).unwrap();
        Self {
            max_open: 64,
            idle_after: Duration::from_secs(120),
            window_capacity: WINDOW,
            fusion: FusionWeights::default(),
            tokenizer: None,
            working_notes: DEFAULT_CAPACITY,
            forget: ForgetConfig::default(),
            max_upload_bytes: 256 << 20,
            workers: std::thread::available_parallelism()
                .map_or(2, std::num::NonZeroUsize::get)
                .max(2),
            backup: BackupSettings::default(),
            jobs: 2,
            summary_tokens: 400,
        }
    }
}
