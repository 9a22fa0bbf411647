//! `soulmem export`: writes a character as a file.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use soulmem_proto::Op;
use soulmem_proto::ops::export::{ExportRequest, ExportResponse};
use soulmem_proto::ops::import::ImportFormat;
use sysexits::ExitCode;

use crate::cli::args::{ExportArgs, Format};
use crate::cli::failure::Failure;
use crate::cli::input::shown;
use crate::cli::session::{Session, steps};

/// Writes piece by piece. A file that cannot be finished is removed again.
pub async fn run(session: &mut Session, args: &ExportArgs) -> Result<(), Failure> {
    if args.file == Path::new("-") {
        let mut stdout = io::stdout();
        return write(session, args, &mut stdout).await;
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&args.file)
        .map_err(|error| Failure::new(ExitCode::CantCreat, said(&args.file, &error)))?;
    let written = match write(session, args, &mut file).await {
        Ok(()) => file
            .sync_all()
            .map_err(|error| Failure::new(ExitCode::IoErr, said(&args.file, &error))),
        failed => failed,
    };
    if written.is_err() {
        // The failure is what is told; half a file that stays is told by its missing end.
        let _ = std::fs::remove_file(&args.file);
    }
    written
}

async fn write(
    session: &mut Session,
    args: &ExportArgs,
    file: &mut impl Write,
) -> Result<(), Failure> {
    let format = Some(match args.format {
        Format::Archive => ImportFormat::Archive,
        Format::Graph => ImportFormat::Graph,
        Format::Messages => ImportFormat::Messages,
    });
    let bar = steps();
    bar.set_message(format!("exporting {}", args.soul.soul));
    let mut cursor = None;
    loop {
        let payload = ExportRequest {
            format,
            cursor,
            answers: false,
        };
        let piece: ExportResponse = session
            .client
            .call(Op::Export, Some(&args.soul.soul), &payload)
            .await?;
        let written = file.write_all(&piece.bytes).and_then(|()| file.flush());
        match written {
            // A reader that has seen enough (`| head`) is no failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => {
                written.map_err(|error| Failure::new(ExitCode::IoErr, said(&args.file, &error)))?;
            }
        }
        bar.inc_length(1);
        bar.inc(1);
        if piece.done {
            bar.finish_and_clear();
            return Ok(());
        }
        cursor = piece.cursor;
    }
}

fn said(file: &Path, error: &io::Error) -> String {
    format!("{}: {error}", shown(file))
}
