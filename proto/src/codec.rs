use std::io;

use bytes::{Bytes, BytesMut};
use tokio_util::codec::{
    Decoder, Encoder, LengthDelimitedCodec, length_delimited::LengthDelimitedCodecError,
};

use crate::Limits;

/// Cuts a byte stream into frames: a 4-byte big-endian length, then that many bytes. Both ends use it.
#[derive(Debug)]
pub struct FrameCodec {
    inner: LengthDelimitedCodec,
    /// Whether a length prefix was read and its frame was not.
    inside_frame: bool,
}

/// A stream that cannot be cut into frames any further: the connection must be closed.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// A frame is longer than the limit. When reading, only its length prefix was read.
    #[error("a frame has at most {limit} bytes")]
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The stream ended in the middle of a frame.
    #[error("the connection ended in the middle of a frame")]
    Cut,
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Io(#[from] io::Error),
}

impl FrameCodec {
    /// A codec that neither reads nor writes frames of more than that many bytes.
    pub fn new(max_frame_bytes: usize) -> Self {
        let inner = LengthDelimitedCodec::builder()
            .max_frame_length(max_frame_bytes)
            .new_codec();
        Self {
            inner,
            inside_frame: false,
        }
    }

    fn error(&self, error: io::Error) -> FrameError {
        match error.get_ref() {
            Some(cause) if cause.is::<LengthDelimitedCodecError>() => FrameError::TooLong {
                limit: self.inner.max_frame_length(),
            },
            _ => FrameError::Io(error),
        }
    }
}

/// A codec with the limit of [`Limits::default`].
impl Default for FrameCodec {
    fn default() -> Self {
        Self::new(usize::try_from(Limits::default().frame_bytes).unwrap_or(usize::MAX))
    }
}

impl Decoder for FrameCodec {
    type Item = BytesMut;
    type Error = FrameError;

    fn decode(&mut self, stream: &mut BytesMut) -> Result<Option<BytesMut>, FrameError> {
        let waiting = stream.len();
        let frame = self
            .inner
            .decode(stream)
            .map_err(|error| self.error(error))?;
        let prefix_taken = stream.len() < waiting;
        self.inside_frame = frame.is_none() && (self.inside_frame || prefix_taken);
        Ok(frame)
    }

    fn decode_eof(&mut self, stream: &mut BytesMut) -> Result<Option<BytesMut>, FrameError> {
        match self.decode(stream)? {
            None if self.inside_frame || !stream.is_empty() => Err(FrameError::Cut),
            frame => Ok(frame),
        }
    }
}

impl Encoder<Bytes> for FrameCodec {
    type Error = FrameError;

    fn encode(&mut self, frame: Bytes, stream: &mut BytesMut) -> Result<(), FrameError> {
        self.inner
            .encode(frame, stream)
            .map_err(|error| self.error(error))
    }
}
