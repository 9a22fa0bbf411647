//! `import`: takes in a whole file, sent piece by piece.

use soulmem_proto::ops::import::{ImportRequest, ImportResponse};

use crate::server::dispatch::{Call, Outcome, done};
use crate::soul::uploads::{Last, Stand};

/// Answers with where the next piece begins, or with what the whole file brought.
pub async fn run(mut call: Call) -> Outcome {
    let name = call.name()?;
    let order = call.order().await?;
    let ImportRequest {
        upload,
        offset,
        bytes,
        done: last,
        format,
        file,
    } = call.payload()?;
    let soul = call.soul().await?;
    let ends = offset.saturating_add(bytes.len() as u64);
    let last = if last { Last::Yes } else { Last::No };
    let stand = call
        .server
        .souls
        .uploads()
        .take(&name, &upload, offset, &bytes, last)?;
    let report = match stand {
        Stand::Partial(offset) => {
            return done(&ImportResponse {
                offset,
                report: None,
            });
        }
        Stand::Whole(bytes) => soul.import(bytes, format, file, order).await?,
        Stand::Unknown => soul.imported_before(order).await?,
    };
    done(&ImportResponse {
        offset: ends,
        report: Some(report),
    })
}
