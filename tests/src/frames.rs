//! Frames on a stream: a length of four bytes, big-endian, then so many bytes.

use std::io::{self, Read, Write};

/// Writes one frame.
pub fn write(stream: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    let length = u32::try_from(frame.len()).map_err(io::Error::other)?;
    stream.write_all(&[&length.to_be_bytes(), frame].concat())?;
    stream.flush()
}

/// Reads one frame.
pub fn read(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut frame = vec![0; u32::from_be_bytes(length).try_into().unwrap()];
    stream.read_exact(&mut frame)?;
    Ok(frame)
}
