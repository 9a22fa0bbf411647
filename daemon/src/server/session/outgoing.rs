//! What waits to be written to one connection: bounded in bytes, so that a client that does not read costs
//! no more than that.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures::SinkExt;
use soulmem_proto::{EventName, FrameCodec, LaggedEvent, SoulName};
use tokio::io::AsyncWrite;
use tokio::sync::mpsc;
use tokio_util::codec::FramedWrite;
use tokio_util::sync::CancellationToken;

use crate::soul::events::{Subscriber, event_frame};

/// The end that frames are put into; its clones share one queue.
#[derive(Clone)]
pub struct Outgoing {
    frames: mpsc::UnboundedSender<Bytes>,
    queue: Arc<Queue>,
}

/// The end that writes them to the socket.
pub struct Writer {
    frames: mpsc::UnboundedReceiver<Bytes>,
    queue: Arc<Queue>,
}

struct Queue {
    /// Bytes in the channel.
    waiting: AtomicUsize,
    limit: usize,
    /// Events that found no room, per character, since their subscriber was last told of such.
    dropped: Mutex<BTreeMap<SoulName, u64>>,
    /// Cancelled when more waits than may.
    overrun: CancellationToken,
}

/// A queue for up to `limit` bytes.
pub fn queue(limit: usize) -> (Outgoing, Writer) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let queue = Arc::new(Queue {
        waiting: AtomicUsize::new(0),
        limit,
        dropped: Mutex::default(),
        overrun: CancellationToken::new(),
    });
    (
        Outgoing {
            frames: sender,
            queue: Arc::clone(&queue),
        },
        Writer {
            frames: receiver,
            queue,
        },
    )
}

impl Outgoing {
    /// Puts in an answer. Past the limit the connection is given up instead.
    pub fn send(&self, frame: Bytes) {
        let before = self.queue.waiting.fetch_add(frame.len(), Ordering::Relaxed);
        if before > 0 && before + frame.len() > self.queue.limit {
            self.queue.overrun.cancel();
        } else {
            // The writer is gone when the connection is: nobody is left to answer.
            let _ = self.frames.send(frame);
        }
    }

    /// Whether half of the room is taken: events are dropped and new requests refused from here on, which
    /// keeps the other half for the answers to what runs already.
    pub fn is_congested(&self) -> bool {
        self.queue.waiting.load(Ordering::Relaxed) > self.queue.limit / 2
    }

    /// Cancelled when the client let more wait than may.
    pub fn overrun(&self) -> &CancellationToken {
        &self.queue.overrun
    }
}

impl Subscriber for Outgoing {
    /// The gap left by dropped events is told before the next one that finds room.
    fn deliver(&self, soul: &SoulName, frame: Bytes) {
        let mut dropped = self.queue.dropped();
        if self.is_congested() {
            *dropped.entry(soul.clone()).or_default() += 1;
            return;
        }
        if let Some(gap) = dropped.remove(soul).and_then(|count| lagged(soul, count)) {
            self.send(gap);
        }
        self.send(frame);
    }
}

impl Queue {
    fn dropped(&self) -> MutexGuard<'_, BTreeMap<SoulName, u64>> {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_gaps(&self) -> Vec<Bytes> {
        let dropped = std::mem::take(&mut *self.dropped());
        dropped
            .iter()
            .filter_map(|(soul, count)| lagged(soul, *count))
            .collect()
    }
}

fn lagged(soul: &SoulName, dropped: u64) -> Option<Bytes> {
    event_frame(soul, EventName::Lagged, &LaggedEvent { dropped })
}

impl Writer {
    /// The next frame, where nothing writes it to a socket.
    pub async fn next(&mut self) -> Option<Bytes> {
        let frame = self.frames.recv().await?;
        self.queue.waiting.fetch_sub(frame.len(), Ordering::Relaxed);
        Some(frame)
    }

    /// Writes frames until every [`Outgoing`] is gone and the queue is empty. Flushes whenever nothing more
    /// is waiting, so that answers that are ready together leave together.
    pub async fn run<W: AsyncWrite + Unpin>(
        mut self,
        sink: &mut FramedWrite<W, FrameCodec>,
    ) -> io::Result<()> {
        while let Some(frame) = self.frames.recv().await {
            let mut next = Some(frame);
            while let Some(frame) = next {
                let length = frame.len();
                sink.feed(frame).await.map_err(io::Error::other)?;
                self.queue.waiting.fetch_sub(length, Ordering::Relaxed);
                next = self.frames.try_recv().ok();
            }
            for gap in self.queue.take_gaps() {
                sink.feed(gap).await.map_err(io::Error::other)?;
            }
            sink.flush().await.map_err(io::Error::other)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;
    use soulmem_proto::{NoteChangedEvent, Reply, Value};
    use tokio_util::codec::FramedRead;

    use super::*;

    fn soul(name: &str) -> SoulName {
        name.parse().unwrap()
    }

    fn event(soul: &SoulName) -> Bytes {
        event_frame(
            soul,
            EventName::NoteChanged,
            &NoteChangedEvent { ids: vec![] },
        )
        .unwrap()
    }

    /// What a client reads from the queue once nobody puts anything in any more.
    async fn read(outgoing: Outgoing, writer: Writer) -> Vec<(String, String, u64)> {
        drop(outgoing);
        let (near, far) = tokio::io::duplex(1 << 20);
        let mut sink = FramedWrite::new(near, FrameCodec::default());
        writer.run(&mut sink).await.unwrap();
        drop(sink);
        let frames: Vec<_> = FramedRead::new(far, FrameCodec::default()).collect().await;
        let told = |frame: &bytes::BytesMut| match Reply::parse(frame).unwrap() {
            Reply::Event(event) => {
                let dropped = event
                    .payload
                    .get("dropped")
                    .and_then(Value::as_u64)
                    .unwrap_or_default();
                (event.soul.unwrap().to_string(), event.name, dropped)
            }
            other => panic!("{other:?}"),
        };
        frames
            .iter()
            .map(|frame| told(frame.as_ref().unwrap()))
            .collect()
    }

    fn entry(soul: &str, name: &str, dropped: u64) -> (String, String, u64) {
        (soul.to_owned(), name.to_owned(), dropped)
    }

    #[tokio::test]
    async fn what_finds_no_room_is_dropped_and_counted_for_each_soul() {
        let (ann, bo) = (soul("ann"), soul("bo"));
        // Room for two: the third and later ones find more than half of it taken.
        let (outgoing, writer) = queue(2 * event(&ann).len() + 1);
        for soul in [&ann, &ann, &ann, &bo, &ann] {
            outgoing.deliver(soul, event(soul));
        }
        let told = read(outgoing, writer).await;
        let expected = [
            entry("ann", "note.changed", 0),
            entry("ann", "note.changed", 0),
            entry("ann", "lagged", 2),
            entry("bo", "lagged", 1),
        ];
        assert_eq!(told, expected);
    }

    #[tokio::test]
    async fn the_gap_stands_before_the_next_event_that_finds_room() {
        let ann = soul("ann");
        let (outgoing, mut writer) = queue(2 * event(&ann).len() + 1);
        for _ in 0..4 {
            outgoing.deliver(&ann, event(&ann));
        }
        // The client reads both that waited.
        for _ in 0..2 {
            let frame = writer.frames.recv().await.unwrap();
            writer
                .queue
                .waiting
                .fetch_sub(frame.len(), Ordering::Relaxed);
        }
        outgoing.deliver(&ann, event(&ann));
        assert_eq!(
            read(outgoing, writer).await,
            [entry("ann", "lagged", 2), entry("ann", "note.changed", 0)]
        );
    }

    #[tokio::test]
    async fn answers_past_the_limit_give_the_connection_up() {
        let (outgoing, _writer) = queue(100);
        outgoing.send(Bytes::from_static(&[0; 200]));
        assert!(
            !outgoing.overrun().is_cancelled(),
            "one answer may be larger than all the room"
        );
        outgoing.send(Bytes::from_static(&[0; 1]));
        assert!(outgoing.overrun().is_cancelled());
    }
}
