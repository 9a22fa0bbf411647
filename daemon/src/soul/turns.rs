//! The order of writes: what one connection sends to one character is applied in the order of sending,
//! though its requests run side by side.

use std::collections::HashMap;

use soulmem_proto::SoulName;
use tokio::sync::oneshot;

/// Hands out turns, one after the other for each character.
#[derive(Debug, Default)]
pub struct Turns {
    last: HashMap<SoulName, oneshot::Receiver<()>>,
}

/// A place in the order of writes. Dropping it lets the next one go.
#[derive(Debug)]
pub struct Turn {
    before: Option<oneshot::Receiver<()>>,
    _after: oneshot::Sender<()>,
}

impl Turns {
    /// The next turn for `soul`.
    pub fn take(&mut self, soul: &SoulName) -> Turn {
        let (done, next) = oneshot::channel();
        Turn {
            before: self.last.insert(soul.clone(), next),
            _after: done,
        }
    }
}

impl Turn {
    /// Waits until every earlier turn was dropped.
    pub async fn come(&mut self) {
        if let Some(before) = &mut self.before {
            // Nothing is ever sent: the channel ends when the turn before is dropped.
            let _ = before.await;
            self.before = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn turns_come_in_order_and_only_for_the_same_soul() {
        let mut turns = Turns::default();
        let (ann, bo) = ("ann".parse().unwrap(), "bo".parse().unwrap());
        let mut first = turns.take(&ann);
        let mut second = turns.take(&ann);
        let mut other = turns.take(&bo);
        first.come().await;
        other.come().await;
        assert!(second.come().now_or_never().is_none());
        drop(first);
        second.come().await;
    }
}
