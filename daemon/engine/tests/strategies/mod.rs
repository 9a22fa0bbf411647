//! Random valid notes, for laws that every note obeys.
//!
//! The larger strategies are boxed: by value their nested tuples would overflow a test's stack.

use jiff::Timestamp;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use soulmem_engine::model::*;
use uuid::Uuid;

/// Any text that shows something: words of several scripts, emoji, controls and spaces in between.
pub fn shown_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9]{1,8}( [a-z]{1,6}){0,4}",
        "[雨猫学校记忆的是]{1,12}[。！]?",
        "\\PC{0,6}[a-zé漢カ한]\\PC{0,6}",
        Just("a\0b\n\u{202e}👩‍👩‍👧 e\u{301}".to_owned()),
    ]
}

/// Any text, the empty one too.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), shown_text()]
}

pub fn note_id() -> impl Strategy<Value = NoteId> {
    any::<u128>().prop_map(|bits| NoteId(Uuid::from_u128(bits)))
}

fn link_id() -> impl Strategy<Value = LinkId> {
    any::<u128>().prop_map(|bits| LinkId(Uuid::from_u128(bits)))
}

/// From 0 to 1, the ends included.
pub fn unit() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0f64]
}

/// A time between the years 1 and 9900, with nanoseconds.
pub fn time() -> impl Strategy<Value = Timestamp> {
    (-62_135_596_800_i64..=250_000_000_000, 0..1_000_000_000_i32).prop_map(
        |(second, nanosecond)| {
            Timestamp::new(second, nanosecond).expect("within what a timestamp holds")
        },
    )
}

/// Two times in order.
fn times_in_order() -> impl Strategy<Value = (Timestamp, Timestamp)> {
    (time(), time()).prop_map(|(a, b)| (a.min(b), a.max(b)))
}

fn time_span() -> impl Strategy<Value = TimeSpan> {
    prop_oneof![
        time().prop_map(TimeSpan::Instant),
        times_in_order().prop_map(|(start, end)| TimeSpan::Range { start, end }),
    ]
}

fn semantic() -> impl Strategy<Value = SemMemory> {
    (
        shown_text(),
        vec(shown_text(), 0..4),
        prop_oneof![Just(ConceptType::Entity), Just(ConceptType::Abstract)],
        text(),
    )
        .prop_map(|(content, aliases, concept_type, description)| SemMemory {
            content,
            aliases,
            concept_type,
            description,
        })
}

fn location() -> impl Strategy<Value = Location> {
    (shown_text(), option::of(text()))
        .prop_map(|(name, coordinates)| Location { name, coordinates })
}

fn participant() -> impl Strategy<Value = Participant> {
    (shown_text(), text()).prop_map(|(name, role)| Participant { name, role })
}

fn event() -> impl Strategy<Value = Event> {
    (shown_text(), unit(), text(), text()).prop_map(
        |(action, action_intensity, initiator, target)| Event {
            action,
            action_intensity,
            initiator,
            target,
        },
    )
}

fn environment() -> impl Strategy<Value = Environment> {
    (text(), text()).prop_map(|(atmosphere, tone)| Environment { atmosphere, tone })
}

fn shown_environment() -> impl Strategy<Value = Environment> {
    (shown_text(), text(), any::<bool>()).prop_map(|(one, other, first)| {
        let (atmosphere, tone) = if first { (one, other) } else { (other, one) };
        Environment { atmosphere, tone }
    })
}

fn context() -> BoxedStrategy<Context> {
    let emotion = (shown_text(), unit()).prop_map(|(name, intensity)| Emotion { name, intensity });
    let sensed =
        (shown_text(), unit()).prop_map(|(name, intensity)| SensoryData { name, intensity });
    (
        option::of(location()),
        vec(participant(), 0..3),
        vec(emotion, 0..3),
        vec(sensed, 0..3),
        environment(),
        vec(event(), 0..3),
    )
        .prop_map(
            |(location, participants, emotions, sensory_data, environment, event)| Context {
                location,
                participants,
                emotions,
                sensory_data,
                environment,
                event,
            },
        )
        .boxed()
}

fn situation() -> BoxedStrategy<SituationMemory> {
    prop_oneof![
        (shown_text(), time_span(), context()).prop_map(|(narrative, time_span, context)| {
            SituationMemory::SpecificSituation(SpecificSituation {
                narrative,
                time_span,
                context,
            })
        }),
        prop_oneof![
            location().prop_map(AbstractSituation::Location),
            participant().prop_map(AbstractSituation::Participant),
            shown_environment().prop_map(AbstractSituation::Environment),
            event().prop_map(AbstractSituation::Event),
        ]
        .prop_map(SituationMemory::AbstractSituation),
    ]
    .boxed()
}

fn procedure() -> impl Strategy<Value = ProcMemory> {
    let action_type = prop_oneof![
        Just(ActionType::Speak),
        Just(ActionType::Skill {}),
        Just(ActionType::Think),
    ];
    (shown_text(), action_type).prop_map(|(content, action_type)| ProcMemory {
        action: Action {
            content,
            action_type,
        },
    })
}

/// The body of a note of any kind.
pub fn memory_type() -> BoxedStrategy<MemoryType> {
    prop_oneof![
        semantic().prop_map(MemoryType::Semantic),
        situation().prop_map(MemoryType::Situation),
        procedure().prop_map(MemoryType::Procedure),
    ]
    .boxed()
}

fn link_type() -> impl Strategy<Value = LinkType> {
    prop_oneof![
        (shown_text(), unit())
            .prop_map(|(verb, confidence)| LinkType::Sem(SemLink { verb, confidence })),
        unit().prop_map(|prob| LinkType::Proc(ProcLink::TrigToAction { prob })),
        Just(LinkType::Situation(SituationLink::AbstractToSpecific {})),
        Just(LinkType::Situation(SituationLink::SpecificToAbstract {})),
    ]
}

fn link_draft() -> BoxedStrategy<LinkDraft> {
    (
        option::of(link_id()),
        note_id(),
        option::of(prop_oneof![unit(), 0.0..=1e6f64]),
        link_type(),
    )
        .prop_map(|(id, to, intensity, link_type)| LinkDraft {
            id,
            from: None,
            to,
            intensity,
            link_type,
        })
        .boxed()
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        any::<u128>().prop_map(|bits| Source::Message {
            id: MessageId(Uuid::from_u128(bits)),
        }),
        (text(), text()).prop_map(|(file, id)| Source::Import { file, id }),
        text().prop_map(|job| Source::Consolidation { job }),
        Just(Source::Given),
    ]
}

fn bucket() -> impl Strategy<Value = Bucket> {
    prop_oneof![
        Just(Bucket::Dynamic),
        Just(Bucket::Permanent),
        Just(Bucket::Feel),
        Just(Bucket::Dormant),
    ]
}

fn affect() -> BoxedStrategy<AffectDraft> {
    let numbers = (
        option::of(1..=10u8),
        option::of(unit()),
        option::of(unit()),
        option::of(unit()),
        option::of(0.0..1e9f64),
        option::of(time()),
    );
    let flags = any::<[Option<bool>; 4]>();
    let labels = (
        option::of(bucket()),
        option::of(vec(shown_text(), 0..=2)),
        option::of(shown_text()),
    );
    (numbers, flags, labels)
        .prop_map(
            |(
                (importance, valence, arousal, model_valence, activation_count, last_active_at),
                [pinned, protected, resolved, digested],
                (bucket, domain, name),
            )| AffectDraft {
                importance,
                valence,
                arousal,
                model_valence,
                activation_count,
                last_active_at,
                pinned,
                protected,
                resolved,
                digested,
                bucket,
                domain,
                name,
            },
        )
        .boxed()
}

/// Everything about a note but its body and links.
fn frame() -> BoxedStrategy<NoteDraft> {
    let stays = MemoryType::Procedure(ProcMemory {
        action: Action {
            content: "overwritten by the body".into(),
            action_type: ActionType::Think,
        },
    });
    let times = (
        option::of(times_in_order()),
        option::of(times_in_order()),
        option::of(note_id()),
    );
    (
        option::of(note_id()),
        vec(shown_text(), 0..4),
        times,
        any::<u64>(),
        vec(source(), 0..3),
        affect(),
    )
        .prop_map(
            move |(id, tags, (lived, valid, superseded_by), count, source, affect)| NoteDraft {
                id,
                tags,
                mem_type: stays.clone(),
                created_at: lived.map(|(created, _)| created),
                last_accessed_at: lived.map(|(_, accessed)| accessed),
                retrieval_count: count,
                valid_from: valid.map(|(from, _)| from),
                valid_until: valid.map(|(_, until)| until),
                superseded_by,
                source,
                affect,
                anchors: Vec::new(),
                mem_links: Vec::new(),
                if_revision: None,
            },
        )
        .boxed()
}

/// A draft that builds: any kind, any set of given parts, with an anchor over the whole of the
/// text where it can have one.
pub fn draft() -> BoxedStrategy<NoteDraft> {
    (
        frame(),
        memory_type(),
        vec(link_draft(), 0..4),
        option::of(shown_text()),
    )
        .prop_map(|(frame, mem_type, mem_links, gist)| {
            let anchored = match &mem_type {
                MemoryType::Semantic(semantic) => Some((Field::Content, semantic.content.len())),
                MemoryType::Situation(SituationMemory::SpecificSituation(specific)) => {
                    Some((Field::Narrative, specific.narrative.len()))
                }
                _ => None,
            };
            let anchors = anchored
                .map(|(field, end)| Anchor {
                    field,
                    start: 0,
                    end,
                    gist,
                    kind: Some(AnchorKind::Quote),
                })
                .into_iter()
                .collect();
            NoteDraft {
                mem_type,
                mem_links,
                anchors,
                ..frame
            }
        })
        .boxed()
}

/// A valid note.
pub fn note() -> BoxedStrategy<MemoryNote> {
    (draft(), time())
        .prop_map(|(draft, now)| {
            draft
                .build(&FixedClock(now), &SequentialIds::new())
                .expect("the strategy makes drafts that build")
        })
        .boxed()
}
