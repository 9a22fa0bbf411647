//! The stream cut into frames.

use bytes::{Bytes, BytesMut};
use soulmem_proto::{FrameCodec, FrameError};
use tokio_util::codec::{Decoder, Encoder};

#[test]
fn a_frame_is_a_big_endian_length_and_its_bytes() {
    let mut stream = BytesMut::new();
    FrameCodec::default()
        .encode(Bytes::from_static(b"abc"), &mut stream)
        .unwrap();
    assert_eq!(&stream[..], b"\0\0\0\x03abc");
}

#[test]
fn frames_come_whole_however_the_stream_is_cut() {
    let sent = b"\0\0\0\x03abc\0\0\0\0\0\0\0\x01d";
    let mut codec = FrameCodec::default();
    let (mut stream, mut frames) = (BytesMut::new(), Vec::new());
    for byte in sent {
        stream.extend_from_slice(&[*byte]);
        frames.extend(codec.decode(&mut stream).unwrap());
    }
    assert_eq!(frames, ["abc", "", "d"]);
    assert!(codec.decode_eof(&mut stream).unwrap().is_none());
}

#[test]
fn frames_that_come_at_once_are_told_apart() {
    let mut stream = BytesMut::from(&b"\0\0\0\x01a\0\0\0\x01b\0\0"[..]);
    let mut codec = FrameCodec::default();
    assert_eq!(codec.decode(&mut stream).unwrap().unwrap(), "a");
    assert_eq!(codec.decode(&mut stream).unwrap().unwrap(), "b");
    assert!(codec.decode(&mut stream).unwrap().is_none());
}

#[test]
fn a_frame_over_the_limit_is_refused_at_its_prefix() {
    let mut codec = FrameCodec::new(16);
    let mut stream = BytesMut::from(&[0, 0, 0, 17][..]);
    assert!(matches!(
        codec.decode(&mut stream),
        Err(FrameError::TooLong { limit: 16 })
    ));

    let mut codec = FrameCodec::default();
    let mut stream = BytesMut::from(&[0xff; 4][..]);
    assert!(matches!(
        codec.decode(&mut stream),
        Err(FrameError::TooLong { limit: 16_777_216 })
    ));
    assert!(
        stream.capacity() < 1024,
        "no room is made for a frame that is refused"
    );
}

#[test]
fn a_frame_at_the_limit_is_taken() {
    let mut stream = BytesMut::new();
    FrameCodec::new(16)
        .encode(Bytes::from_static(&[7; 16]), &mut stream)
        .unwrap();
    assert_eq!(
        FrameCodec::new(16).decode(&mut stream).unwrap().unwrap(),
        [7; 16][..]
    );
}

#[test]
fn a_frame_over_the_limit_is_not_written() {
    let mut stream = BytesMut::new();
    let written = FrameCodec::new(16).encode(Bytes::from_static(&[7; 17]), &mut stream);
    assert!(matches!(written, Err(FrameError::TooLong { limit: 16 })));
    assert!(stream.is_empty());
}

#[test]
fn an_end_inside_a_frame_is_told_from_an_end_between_frames() {
    for sent in [&b"\0"[..], b"\0\0\0\x03", b"\0\0\0\x03ab"] {
        let mut codec = FrameCodec::default();
        let mut stream = BytesMut::from(sent);
        assert!(codec.decode(&mut stream).unwrap().is_none());
        assert!(
            matches!(codec.decode_eof(&mut stream), Err(FrameError::Cut)),
            "{sent:?}"
        );
    }
}
