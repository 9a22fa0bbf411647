//! How alike a sub-query and a note are, field by field: the Similarity stage's score.
//!
//! - Each text of the query meets the note's texts of the same field; of several, the best counts.
//! - Texts that share a field (a person's name and role) are averaged with their weights; a part the query leaves out is
//!   not counted in the divisor.
//! - The fields of a situation, and the elements of a query, combine by maximum.
//! - Tags are blended in, where the query has any.
//! - The string channel can only add: `max(e, α·e + (1 − α)·s)`.

use std::sync::Arc;

use jiff::Timestamp;

use super::query::{
    EnvironmentQuery, EventQuery, IntervalQuery, LocationQuery, ParticipantQuery, QueryVariant,
    SemanticQuery, SituationQuery, SubQuery,
};
use super::weights::BlendWeights;
use crate::model::{
    AbstractSituation, Context, Environment, Event, Field, Location, MemoryNote, MemoryType,
    NoteId, Participant, SemMemory, SituationMemory, SpecificSituation, TimeSpan,
};
use crate::text;

/// Where similarity gets its vectors from. All of one call have the same dimension and unit length (or are all zero, for
/// a text in which the model sees nothing).
pub trait Vectors {
    /// The query-side vector of a text of the query.
    fn query(&self, text: &str) -> Option<Arc<[f32]>>;
    /// The passage-side vector of a text of a note.
    fn passage(&self, note: NoteId, field: Field, text: &str) -> Option<Arc<[f32]>>;
}

/// What a score is made of, each part from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Similarity {
    /// The blended score.
    pub score: f64,
    /// Cosine of the tags, where the query has tags.
    pub tags: Option<f64>,
    /// Blended cosines of the fields.
    pub vectors: f64,
    /// String similarity of names, 0 where the string channel does not apply.
    pub strings: f64,
}

/// Scores notes against sub-queries.
pub struct Scorer<'a> {
    weights: &'a BlendWeights,
    vectors: &'a dyn Vectors,
}

/// A weighted mean over the parts that are asked for: `(weight, score)` each, `None` for a part left out.
fn blend(parts: &[(f64, Option<f64>)]) -> Option<f64> {
    let (sum, divisor) = parts
        .iter()
        .filter_map(|&(weight, score)| score.map(|score| (weight, score)))
        .fold((0.0, 0.0), |(sum, divisor), (weight, score)| {
            (sum + weight * score, divisor + weight)
        });
    (divisor > 0.0).then(|| sum / divisor)
}

/// The larger of two scores, where either may be missing.
fn best(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (one, other) => one.or(other),
    }
}

fn shown(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str)
        .filter(|text| !text.trim().is_empty())
}

/// Cosine of two vectors of unit length, with what is unlike counted as unrelated.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    f64::from(dot).clamp(0.0, 1.0)
}

impl<'a> Scorer<'a> {
    /// A scorer with checked weights.
    pub fn new(weights: &'a BlendWeights, vectors: &'a dyn Vectors) -> Self {
        Self { weights, vectors }
    }

    /// How alike the note is to what is asked. A note of a kind that the query does not ask for, a procedure above all,
    /// scores 0.
    pub fn score(&self, query: &SubQuery, note: &MemoryNote) -> Similarity {
        let (vectors, strings) = match (&query.variant, &note.mem_type) {
            (QueryVariant::Semantic(concepts), MemoryType::Semantic(known)) => {
                self.semantic(concepts, note.id, known)
            }
            (
                QueryVariant::Situation(situations),
                MemoryType::Situation(SituationMemory::SpecificSituation(lived)),
            ) => (self.specific(situations, note.id, lived), 0.0),
            (
                QueryVariant::Situation(situations),
                MemoryType::Situation(SituationMemory::AbstractSituation(element)),
            ) => self.abstract_situation(situations, note, element),
            _ => return Similarity::default(),
        };
        let tags = self.tags(&query.tag, note);
        let blended =
            blend(&[(self.weights.tag, tags), (self.weights.variant, vectors)]).unwrap_or(0.0);
        let alpha = self.weights.string_blend_alpha;
        let score = blended.max(alpha * blended + (1.0 - alpha) * strings);
        Similarity {
            score,
            tags,
            vectors: vectors.unwrap_or(0.0),
            strings,
        }
    }

    /// Each tag asked for meets the note's best; the mean over the tags asked for.
    fn tags(&self, asked: &[String], note: &MemoryNote) -> Option<f64> {
        let asked: Vec<&str> = asked
            .iter()
            .map(String::as_str)
            .filter(|tag| !tag.trim().is_empty())
            .collect();
        if asked.is_empty() {
            return None;
        }
        let sum: f64 = asked
            .iter()
            .map(|tag| {
                note.tags
                    .iter()
                    .map(|own| self.cosine(tag, note.id, Field::Tag, own))
                    .fold(0.0, f64::max)
            })
            .sum();
        Some(sum / asked.len() as f64)
    }

    fn cosine(&self, asked: &str, note: NoteId, field: Field, own: &str) -> f64 {
        match (
            self.vectors.query(asked),
            self.vectors.passage(note, field, own),
        ) {
            (Some(a), Some(b)) => cosine(&a, &b),
            _ => 0.0,
        }
    }

    /// Cosine of a part, or `None` where the query leaves it out; 0 where only the note does.
    fn part(&self, asked: Option<&String>, note: NoteId, field: Field, own: &str) -> Option<f64> {
        let asked = shown(asked)?;
        Some(if own.trim().is_empty() {
            0.0
        } else {
            self.cosine(asked, note, field, own)
        })
    }

    fn semantic(
        &self,
        concepts: &[SemanticQuery],
        note: NoteId,
        known: &SemMemory,
    ) -> (Option<f64>, f64) {
        let mut vectors = None;
        let mut strings = 0.0_f64;
        for concept in concepts {
            let name = Some(&concept.concept_identifier);
            let named = known
                .aliases
                .iter()
                .map(|alias| self.part(name, note, Field::Alias, alias))
                .fold(self.part(name, note, Field::Content, &known.content), best);
            let described = self.part(
                concept.description.as_ref(),
                note,
                Field::Description,
                &known.description,
            );
            let score = blend(&[
                (self.weights.sem_concept, named),
                (self.weights.sem_description, described),
            ]);
            vectors = best(vectors, score);
            if let Some(name) = shown(name) {
                let own_names = known.aliases.iter().chain([&known.content]);
                strings = own_names
                    .map(|own| text::similarity(name, own))
                    .fold(strings, f64::max);
            }
        }
        (vectors, strings)
    }

    fn specific(
        &self,
        situations: &[SituationQuery],
        note: NoteId,
        lived: &SpecificSituation,
    ) -> Option<f64> {
        situations
            .iter()
            .map(|asked| self.one_specific(asked, note, lived))
            .fold(None, best)
    }

    fn one_specific(
        &self,
        asked: &SituationQuery,
        note: NoteId,
        lived: &SpecificSituation,
    ) -> Option<f64> {
        let narrative = self.part(
            asked.narrative.as_ref(),
            note,
            Field::Narrative,
            &lived.narrative,
        );
        let narrative = blend(&[(self.weights.sit_narrative, narrative)]);
        let fields = best(narrative, self.context(asked, note, &lived.context));
        with_time(fields, time_match(&asked.time_span, lived.time_span))
    }

    /// The best of the structured fields that are asked for.
    fn context(&self, asked: &SituationQuery, note: NoteId, own: &Context) -> Option<f64> {
        let places = asked.location.iter().map(|place| match &own.location {
            Some(own) => self.location(place, note, own),
            None => asked_for(place.name.as_ref().or(place.coordinates.as_ref())),
        });
        let people = asked.participants.iter().map(|person| {
            let met = own
                .participants
                .iter()
                .map(|own| self.participant(person, note, own))
                .fold(None, best);
            met.or_else(|| asked_for(person.name.as_ref().or(person.role.as_ref())))
        });
        let events = asked.event.iter().map(|event| {
            let done = own
                .event
                .iter()
                .map(|own| self.event(event, note, own))
                .fold(None, best);
            done.or_else(|| {
                asked_for(
                    event
                        .action
                        .as_ref()
                        .or(event.initiator.as_ref())
                        .or(event.target.as_ref()),
                )
            })
        });
        let air = asked
            .environment
            .iter()
            .map(|air| self.environment(air, note, &own.environment));
        places
            .chain(people)
            .chain(events)
            .chain(air)
            .chain([self.feelings(asked, note, own)])
            .fold(None, best)
    }

    fn feelings(&self, asked: &SituationQuery, note: NoteId, own: &Context) -> Option<f64> {
        let closest = |asked: &[super::query::FeelingQuery], field, own: Vec<&str>| {
            let names = asked
                .iter()
                .map(|feeling| feeling.name.as_str())
                .filter(|name| !name.trim().is_empty());
            let scores = names.map(|name| {
                Some(
                    own.iter()
                        .map(|own| self.cosine(name, note, field, own))
                        .fold(0.0, f64::max),
                )
            });
            scores.fold(None, best)
        };
        let emotions = own
            .emotions
            .iter()
            .map(|emotion| emotion.name.as_str())
            .collect();
        let sensed = own
            .sensory_data
            .iter()
            .map(|sensed| sensed.name.as_str())
            .collect();
        blend(&[
            (
                self.weights.sit_emotion,
                closest(&asked.emotions, Field::Emotion, emotions),
            ),
            (
                self.weights.sit_sensory,
                closest(&asked.sensory_data, Field::Sensory, sensed),
            ),
        ])
    }

    fn location(&self, asked: &LocationQuery, note: NoteId, own: &Location) -> Option<f64> {
        let coordinates = own.coordinates.as_deref().unwrap_or("");
        blend(&[
            (
                self.weights.sit_location_name,
                self.part(asked.name.as_ref(), note, Field::LocationName, &own.name),
            ),
            (
                self.weights.sit_location_coordinates,
                self.part(
                    asked.coordinates.as_ref(),
                    note,
                    Field::LocationCoordinates,
                    coordinates,
                ),
            ),
        ])
    }

    fn participant(
        &self,
        asked: &ParticipantQuery,
        note: NoteId,
        own: &Participant,
    ) -> Option<f64> {
        blend(&[
            (
                self.weights.sit_participant_name,
                self.part(asked.name.as_ref(), note, Field::ParticipantName, &own.name),
            ),
            (
                self.weights.sit_participant_role,
                self.part(asked.role.as_ref(), note, Field::ParticipantRole, &own.role),
            ),
        ])
    }

    fn environment(
        &self,
        asked: &EnvironmentQuery,
        note: NoteId,
        own: &Environment,
    ) -> Option<f64> {
        let atmosphere = self.part(
            asked.atmosphere.as_ref(),
            note,
            Field::EnvironmentAtmosphere,
            &own.atmosphere,
        );
        let tone = self.part(asked.tone.as_ref(), note, Field::EnvironmentTone, &own.tone);
        blend(&[
            (self.weights.sit_environment_atmosphere, atmosphere),
            (self.weights.sit_environment_tone, tone),
        ])
    }

    fn event(&self, asked: &EventQuery, note: NoteId, own: &Event) -> Option<f64> {
        let initiator = self.part(
            asked.initiator.as_ref(),
            note,
            Field::EventRole,
            &own.initiator,
        );
        let target = self.part(asked.target.as_ref(), note, Field::EventRole, &own.target);
        blend(&[
            (
                self.weights.sit_event_action,
                self.part(asked.action.as_ref(), note, Field::EventAction, &own.action),
            ),
            (
                self.weights.sit_event_roles,
                blend(&[(0.5, initiator), (0.5, target)]),
            ),
        ])
    }

    /// An abstract situation meets the fields of its own element, and a narrative where the query tells one.
    fn abstract_situation(
        &self,
        situations: &[SituationQuery],
        note: &MemoryNote,
        element: &AbstractSituation,
    ) -> (Option<f64>, f64) {
        let mut vectors = None;
        let mut strings = 0.0_f64;
        for asked in situations {
            vectors = best(
                vectors,
                best(
                    self.element(asked, note.id, element),
                    self.told(asked, note),
                ),
            );
            strings = strings.max(element_strings(asked, element));
        }
        (vectors, strings)
    }

    fn element(
        &self,
        asked: &SituationQuery,
        note: NoteId,
        element: &AbstractSituation,
    ) -> Option<f64> {
        match element {
            AbstractSituation::Location(own) => asked
                .location
                .iter()
                .map(|place| self.location(place, note, own))
                .fold(None, best),
            AbstractSituation::Participant(own) => asked
                .participants
                .iter()
                .map(|person| self.participant(person, note, own))
                .fold(None, best),
            AbstractSituation::Environment(own) => asked
                .environment
                .as_ref()
                .and_then(|air| self.environment(air, note, own)),
            AbstractSituation::Event(own) => asked
                .event
                .iter()
                .map(|event| self.event(event, note, own))
                .fold(None, best),
        }
    }

    /// A narrative against the texts of an abstract situation, the best of which counts.
    fn told(&self, asked: &SituationQuery, note: &MemoryNote) -> Option<f64> {
        let narrative = shown(asked.narrative.as_ref())?;
        let texts = note.text_fields();
        let own = texts.iter().filter(|(field, _)| *field != Field::Tag);
        own.map(|(field, own)| Some(self.cosine(narrative, note.id, *field, own)))
            .fold(None, best)
    }
}

/// A score of 0 for what was asked for and is not there; nothing for what was not asked for.
fn asked_for(text: Option<&String>) -> Option<f64> {
    shown(text).map(|_| 0.0)
}

/// String similarity of the fields of an abstract situation with those asked for.
fn element_strings(asked: &SituationQuery, element: &AbstractSituation) -> f64 {
    let alike = |asked: Option<&String>, own: &str| {
        shown(asked).map_or(0.0, |asked| text::similarity(asked, own))
    };
    match element {
        AbstractSituation::Location(own) => asked
            .location
            .iter()
            .map(|place| alike(place.name.as_ref(), &own.name))
            .fold(0.0, f64::max),
        AbstractSituation::Participant(own) => asked
            .participants
            .iter()
            .map(|person| alike(person.name.as_ref(), &own.name))
            .fold(0.0, f64::max),
        AbstractSituation::Environment(own) => asked.environment.as_ref().map_or(0.0, |air| {
            alike(air.atmosphere.as_ref(), &own.atmosphere).max(alike(air.tone.as_ref(), &own.tone))
        }),
        AbstractSituation::Event(own) => asked
            .event
            .iter()
            .map(|event| alike(event.action.as_ref(), &own.action))
            .fold(0.0, f64::max),
    }
}

/// The share of a score that a situation far from every time asked for keeps.
const OUT_OF_TIME: f64 = 0.8;

/// Half of the match in time is gone after this many days outside the interval.
const TIME_HALF_DAYS: f64 = 7.0;

/// Time is soft: it scales what the other fields say, and speaks alone only where they are silent.
fn with_time(fields: Option<f64>, time: Option<f64>) -> Option<f64> {
    match (fields, time) {
        (Some(score), Some(time)) => Some(score * (OUT_OF_TIME + (1.0 - OUT_OF_TIME) * time)),
        (fields, time) => fields.or(time),
    }
}

/// 1 inside one of the intervals, falling by half with each week outside; `None` where no time is asked for.
fn time_match(asked: &[IntervalQuery], own: TimeSpan) -> Option<f64> {
    asked
        .iter()
        .filter(|span| span.start.is_some() || span.end.is_some())
        .map(|span| {
            let before = span
                .start
                .map_or(0.0, |start| days_between(own.end(), start));
            let after = span.end.map_or(0.0, |end| days_between(end, own.start()));
            Some((-before.max(after) / TIME_HALF_DAYS).exp2())
        })
        .fold(None, best)
}

/// Days from `earlier` to `later`, 0 where they are the other way round.
fn days_between(earlier: Timestamp, later: Timestamp) -> f64 {
    (later.duration_since(earlier).as_secs_f64() / 86_400.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FixedClock, NoteDraft, SequentialIds};

    /// Texts as arrows in a plane: `(text, angle in degrees)`; the cosine of two texts is that of the angle between them.
    struct Plane(&'static [(&'static str, f64)]);

    impl Plane {
        fn at(&self, text: &str) -> Option<Arc<[f32]>> {
            let &(_, degrees) = self.0.iter().find(|(known, _)| *known == text)?;
            let (sine, cosine) = degrees.to_radians().sin_cos();
            Some(Arc::from([cosine as f32, sine as f32]))
        }
    }

    impl Vectors for Plane {
        fn query(&self, text: &str) -> Option<Arc<[f32]>> {
            self.at(text)
        }

        fn passage(&self, _: NoteId, _: Field, text: &str) -> Option<Arc<[f32]>> {
            self.at(text)
        }
    }

    fn note(json: &str, tags: &[&str]) -> MemoryNote {
        let draft =
            NoteDraft::new(serde_json::from_str(json).unwrap()).tagged(tags.iter().copied());
        draft
            .build(
                &FixedClock("2026-01-01T00:00:00Z".parse().unwrap()),
                &SequentialIds::new(),
            )
            .unwrap()
    }

    fn score(plane: &Plane, query: &str, note: &MemoryNote) -> Similarity {
        let query: SubQuery = serde_json::from_str(query).unwrap();
        Scorer::new(&BlendWeights::default(), plane).score(&query, note)
    }

    fn assert_close(score: f64, expected: f64) {
        assert!((score - expected).abs() < 1e-6, "{score} is not {expected}");
    }

    const TEA: &str = r#"{"Semantic": {"content": "tea", "aliases": ["cha"], "concept_type": "Entity", "description": "hot"}}"#;

    #[test]
    fn a_concept_blends_its_name_and_its_description() {
        // cos 60° = 0.5 for the description, 1 for the name: (0.7·1 + 0.3·0.5) / 1.
        let plane = Plane(&[("tea", 0.0), ("cha", 90.0), ("hot", 0.0), ("warm", 60.0)]);
        let query =
            r#"{"variant": {"Semantic": [{"concept_identifier": "tea", "description": "warm"}]}}"#;
        assert_close(score(&plane, query, &note(TEA, &[])).vectors, 0.85);
    }

    #[test]
    fn what_the_query_leaves_out_is_not_in_the_divisor() {
        let plane = Plane(&[("tea", 0.0), ("cha", 90.0), ("drink", 60.0)]);
        let query = r#"{"variant": {"Semantic": [{"concept_identifier": "drink"}]}}"#;
        // The alias is 30° away, the content 60°: the better one counts, alone.
        assert_close(
            score(&plane, query, &note(TEA, &[])).vectors,
            30f64.to_radians().cos(),
        );
    }

    #[test]
    fn tags_count_only_where_the_query_has_some() {
        let plane = Plane(&[
            ("tea", 0.0),
            ("cha", 90.0),
            ("drinks", 0.0),
            ("dishes", 90.0),
        ]);
        let with = |tags: &str| {
            format!(
                r#"{{"tag": [{tags}], "variant": {{"Semantic": [{{"concept_identifier": "tea"}}]}}}}"#
            )
        };
        let tea = note(TEA, &["drinks"]);
        assert_close(score(&plane, &with(r#""drinks""#), &tea).score, 1.0);
        assert_eq!(score(&plane, &with(""), &tea).tags, None);
        // One of two tags is there: 0.3·0.5 + 0.7·1, and the string channel, at 1, lifts it to 0.6·0.85 + 0.4 = 0.91.
        assert_close(
            score(&plane, &with(r#""drinks", "dishes""#), &tea).score,
            0.91,
        );
    }

    #[test]
    fn strings_only_ever_add() {
        // Nothing alike by vector, the same by spelling: 0.4. Alike by vector, unlike by spelling: the vector's score.
        let apart = Plane(&[("tea", 0.0), ("cha", 0.0), ("TEA", 90.0), ("zzz", 0.0)]);
        let query = |name: &str| {
            format!(r#"{{"variant": {{"Semantic": [{{"concept_identifier": "{name}"}}]}}}}"#)
        };
        assert_close(score(&apart, &query("TEA"), &note(TEA, &[])).score, 0.4);
        assert_close(score(&apart, &query("zzz"), &note(TEA, &[])).score, 1.0);
    }

    const RAIN: &str = r#"{"Situation": {"SpecificSituation": {"narrative": "rain fell", "time_span": "2026-03-08T12:00:00Z",
        "context": {"location": {"name": "quay"}, "participants": [{"name": "Ann", "role": "aunt"}, {"name": "Bo", "role": "boy"}],
        "emotions": [{"name": "joy", "intensity": 0.5}]}}}}"#;

    const WORDS: Plane = Plane(&[
        ("rain fell", 0.0),
        ("quay", 0.0),
        ("Ann", 0.0),
        ("aunt", 0.0),
        ("Bo", 90.0),
        ("boy", 90.0),
        ("joy", 0.0),
        ("it rained", 60.0),
    ]);

    #[test]
    fn fields_of_a_situation_combine_by_maximum() {
        let rain = note(RAIN, &[]);
        let told = r#"{"variant": {"Situation": [{"narrative": "it rained"}]}}"#;
        assert_close(score(&WORDS, told, &rain).score, 0.5);
        let told_and_placed = r#"{"variant": {"Situation": [{"narrative": "it rained", "location": [{"name": "quay"}]}]}}"#;
        assert_close(score(&WORDS, told_and_placed, &rain).score, 1.0);
    }

    #[test]
    fn a_person_is_matched_as_a_whole() {
        // Ann is no boy and Bo no aunt: 0.7 for the right name, 0.3 for the right role, of different people.
        let query =
            r#"{"variant": {"Situation": [{"participants": [{"name": "Ann", "role": "boy"}]}]}}"#;
        assert_close(score(&WORDS, query, &note(RAIN, &[])).score, 0.7);
    }

    #[test]
    fn what_the_note_lacks_scores_nothing() {
        let bare = r#"{"Situation": {"SpecificSituation": {"narrative": "rain fell", "time_span": "2026-03-08T12:00:00Z"}}}"#;
        let query = r#"{"variant": {"Situation": [{"location": [{"name": "quay"}], "event": [{"action": "joy"}]}]}}"#;
        assert_close(score(&WORDS, query, &note(bare, &[])).score, 0.0);
    }

    #[test]
    fn time_scales_what_the_other_fields_say() {
        let rain = note(RAIN, &[]);
        let at = |span: &str| {
            format!(
                r#"{{"variant": {{"Situation": [{{"narrative": "rain fell", "time_span": [{span}]}}]}}}}"#
            )
        };
        let march = r#"{"start": "2026-03-01T00:00:00Z", "end": "2026-03-31T00:00:00Z"}"#;
        assert_close(score(&WORDS, &at(march), &rain).score, 1.0);
        // A week after the interval: half of the match in time, so 0.8 + 0.2·0.5.
        let week_before = r#"{"end": "2026-03-01T12:00:00Z"}"#;
        assert_close(score(&WORDS, &at(week_before), &rain).score, 0.9);
        let alone =
            r#"{"variant": {"Situation": [{"time_span": {"start": "2026-03-15T12:00:00Z"}}]}}"#;
        assert_close(score(&WORDS, alone, &rain).score, 0.5);
    }

    #[test]
    fn an_abstract_situation_meets_its_own_element() {
        let quay = note(
            r#"{"Situation": {"AbstractSituation": {"Location": {"name": "quay"}}}}"#,
            &[],
        );
        let placed = r#"{"variant": {"Situation": [{"location": {"name": "quay"}, "participants": {"name": "Bo"}}]}}"#;
        assert_close(score(&WORDS, placed, &quay).score, 1.0);
        let told = r#"{"variant": {"Situation": [{"narrative": "it rained"}]}}"#;
        assert_close(score(&WORDS, told, &quay).score, 0.5);
    }

    #[test]
    fn a_kind_that_is_not_asked_for_scores_nothing() {
        let habit = note(
            r#"{"Procedure": {"action": {"content": "tea", "action_type": "Think"}}}"#,
            &["tea"],
        );
        let query = r#"{"tag": ["tea"], "variant": {"Semantic": [{"concept_identifier": "tea"}]}}"#;
        assert_eq!(
            score(&Plane(&[("tea", 0.0)]), query, &habit),
            Similarity::default()
        );
    }
}
