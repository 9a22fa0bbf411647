//! Telling subscribers what happens to a character, in the order in which it happened.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use serde::Serialize;
use soulmem_proto::{Event, EventName, SoulName};

/// Who wants to be told. It must not wait: an event that finds no room is dropped and counted there.
pub trait Subscriber: Send + Sync {
    /// Takes an encoded event frame about `soul`.
    fn deliver(&self, soul: &SoulName, frame: Bytes);
}

/// Names a subscriber; one connection is one subscriber.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubscriberId(pub u64);

struct Subscription {
    subscriber: Arc<dyn Subscriber>,
    events: BTreeSet<EventName>,
}

/// Every subscription of this daemon.
#[derive(Default)]
pub struct EventHub {
    souls: Mutex<HashMap<SoulName, HashMap<SubscriberId, Subscription>>>,
}

impl EventHub {
    /// Lets `subscriber` be told these events about `soul`, beside those it is told already.
    pub fn subscribe(
        &self,
        id: SubscriberId,
        subscriber: Arc<dyn Subscriber>,
        soul: SoulName,
        events: impl IntoIterator<Item = EventName>,
    ) {
        let mut souls = self.souls();
        let subscription =
            souls
                .entry(soul)
                .or_default()
                .entry(id)
                .or_insert_with(|| Subscription {
                    subscriber,
                    events: BTreeSet::new(),
                });
        subscription.events.extend(events);
    }

    /// Ends the telling of these events about `soul`.
    pub fn unsubscribe(&self, id: SubscriberId, soul: &SoulName, events: &[EventName]) {
        let mut souls = self.souls();
        let Some(subscriptions) = souls.get_mut(soul) else {
            return;
        };
        if let Some(subscription) = subscriptions.get_mut(&id) {
            subscription.events.retain(|event| !events.contains(event));
            if subscription.events.is_empty() {
                subscriptions.remove(&id);
            }
        }
        if subscriptions.is_empty() {
            souls.remove(soul);
        }
    }

    /// Ends every subscription of a subscriber that is gone.
    pub fn forget(&self, id: SubscriberId) {
        self.souls().retain(|_, subscriptions| {
            subscriptions.remove(&id);
            !subscriptions.is_empty()
        });
    }

    /// Tells everyone who asked. Events of one character reach each subscriber in the order of the calls.
    pub fn publish(&self, soul: &SoulName, name: EventName, payload: &impl Serialize) {
        let souls = self.souls();
        let Some(subscriptions) = souls.get(soul) else {
            return;
        };
        let mut told = subscriptions
            .values()
            .filter(|asked| asked.events.contains(&name))
            .peekable();
        if told.peek().is_none() {
            return;
        }
        if let Some(frame) = event_frame(soul, name, payload) {
            told.for_each(|asked| asked.subscriber.deliver(soul, frame.clone()));
        }
    }

    fn souls(&self) -> MutexGuard<'_, HashMap<SoulName, HashMap<SubscriberId, Subscription>>> {
        self.souls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The frame of an event. There is none, and a line in the log, where the payload breaks the rules of the
/// encoding: no payload of ours does.
pub fn event_frame(soul: &SoulName, name: EventName, payload: &impl Serialize) -> Option<Bytes> {
    let event = |payload| Event {
        name: name.to_string(),
        soul: Some(soul.clone()),
        payload,
    };
    match soulmem_proto::to_value(payload).and_then(|payload| event(payload).to_frame()) {
        Ok(frame) => Some(frame.into()),
        Err(error) => {
            tracing::error!(%soul, event = %name, %error, "an event cannot be written");
            None
        }
    }
}
