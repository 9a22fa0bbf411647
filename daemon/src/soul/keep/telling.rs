//! Telling subscribers how far long work has come.

use std::sync::Arc;

use soulmem_proto::{EventName, Op, ProgressEvent, SoulName};

use crate::soul::events::EventHub;
use crate::store::Step;

/// Tells of work on one character, each hundredth of a step once. Whoever listens to another hears nothing of it.
pub(super) struct Telling {
    events: Arc<EventHub>,
    soul: SoulName,
    op: Op,
    last: Option<(String, u64)>,
}

impl Telling {
    /// Work of `op` on this character.
    pub fn new(events: &Arc<EventHub>, op: Op, soul: SoulName) -> Self {
        Self {
            events: Arc::clone(events),
            soul,
            op,
            last: None,
        }
    }

    /// Tells of a step, unless nothing of note has changed.
    pub fn tell(&mut self, step: Step) {
        let hundredths = step.done.saturating_mul(100).checked_div(step.total);
        let now = (step.what.clone(), hundredths.unwrap_or_default());
        if self.last.as_ref() == Some(&now) {
            return;
        }
        self.last = Some(now);
        let Step { what, done, total } = step;
        let event = ProgressEvent {
            op: self.op.to_string(),
            what,
            done,
            total,
        };
        self.events.publish(&self.soul, EventName::Progress, &event);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use bytes::Bytes;

    use super::*;
    use crate::soul::events::{Subscriber, SubscriberId};

    #[derive(Default)]
    struct Heard(Mutex<usize>);

    impl Subscriber for Heard {
        fn deliver(&self, _soul: &SoulName, _frame: Bytes) {
            *self.0.lock().unwrap() += 1;
        }
    }

    #[test]
    fn each_hundredth_is_told_once() {
        let events = Arc::new(EventHub::default());
        let (heard, ann): (_, SoulName) = (Arc::new(Heard::default()), "ann".parse().unwrap());
        let subscriber = Arc::clone(&heard);
        events.subscribe(SubscriberId(1), subscriber, ann.clone(), EventName::ALL);
        let mut telling = Telling::new(&events, Op::Backup, ann);
        for done in 0..=10_000 {
            telling.tell(Step {
                what: "copying ann".to_owned(),
                done,
                total: 10_000,
            });
        }
        telling.tell(Step {
            what: "summing ann".to_owned(),
            done: 0,
            total: 0,
        });
        assert_eq!(*heard.0.lock().unwrap(), 102);
    }
}
