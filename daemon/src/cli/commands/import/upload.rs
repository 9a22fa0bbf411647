//! One upload: bytes sent piece by piece, applied whole.

use std::fmt::Write as _;

use indicatif::ProgressBar;
use sha2::{Digest, Sha256};
use soulmem_proto::ops::import::{ImportFormat, ImportReport, ImportRequest, ImportResponse};
use soulmem_proto::{Op, SoulName};
use sysexits::ExitCode;

use crate::cli::client::{Ask, Client, typed};
use crate::cli::failure::Failure;

/// Bytes that are sent at once.
const PIECE: usize = 1 << 20;

/// Something to send.
pub(super) struct Upload<'u> {
    /// The character that it is for.
    pub(super) soul: &'u SoulName,
    /// What it holds.
    pub(super) format: ImportFormat,
    /// Name of the file it comes from.
    pub(super) file: Option<String>,
    /// All of it.
    pub(super) bytes: &'u [u8],
}

impl Upload<'_> {
    /// Sends it, moves the bar on by its bytes and gives what it brought.
    pub(super) async fn send(
        self,
        client: &mut Client,
        bar: &ProgressBar,
    ) -> Result<ImportReport, Failure> {
        let name = name(self.bytes);
        let mut offset = 0;
        loop {
            let end = self.bytes.len().min(offset + PIECE);
            let payload = ImportRequest {
                upload: name.clone(),
                offset: offset as u64,
                bytes: self.bytes.get(offset..end).unwrap_or_default().to_vec(),
                done: end == self.bytes.len(),
                format: self.format,
                file: self.file.clone(),
            };
            let ask = Ask {
                op: Op::Import,
                soul: Some(self.soul),
                payload: &payload,
                key: None,
            };
            let answer: ImportResponse = typed(client.ask(ask).await?)?;
            bar.inc((end - offset) as u64);
            offset = end;
            if payload.done {
                let missing = || {
                    Failure::new(
                        ExitCode::Protocol,
                        "the daemon did not say what the import brought",
                    )
                };
                return answer.report.ok_or_else(missing);
            }
        }
    }
}

/// Uploads of different bytes never meet; those of the same are the same.
fn name(bytes: &[u8]) -> String {
    let mut name = String::new();
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
}
