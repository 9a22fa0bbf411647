//! Asking: a call, its reading, and one more call that says what was wrong.

use std::time::Duration;

use serde_json::Value;
use soulmem_engine::text::estimate_tokens;
use tokio::time::{sleep, timeout};

use super::dialect::Dialect;
use super::endpoint::Endpoint;
use super::error::{LlmError, LlmFailure};
use super::fault::Fault;
use super::ledger::Entry;
use super::reply;
use super::said::Said;
use super::settings::ModeChoice;
use super::talk::Prompt;
use super::task::Task;
use super::{Llm, health::Seen};

/// Characters of what is wrong with a reply that are told on.
const MAX_WRONG: usize = 500;

/// A question.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// What is asked for.
    pub task: Task,
    /// The character on whose account it is.
    pub soul: &'a str,
    /// The question itself.
    pub prompt: &'a Prompt,
    /// How long it may take all in all: waiting for its turn, repetitions and the second call included.
    pub timeout: Option<Duration>,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    /// What was read out of the reply.
    pub value: T,
    /// The reply as it came, for the record.
    pub raw: String,
    /// Whether the first reply could not be used.
    pub again: bool,
}

/// A question on its way: whom it goes to and how.
pub(super) struct Way<'a> {
    pub ask: Ask<'a>,
    pub endpoint: &'a Endpoint,
    pub model: &'a str,
    /// Tokens that a reply may have.
    pub max_reply_tokens: u32,
    /// Whether another mode may be tried where the endpoint objects.
    pub mode_is_free: bool,
}

/// A call that brought a reply.
pub(super) struct Called {
    pub said: Said,
    /// How it was asked for in the end.
    pub dialect: Dialect,
    /// Its place in the ledger, counted when this goes.
    pub entry: Entry,
}

/// A reply, read.
struct Turn<T> {
    /// As it came.
    raw: String,
    /// Whether it was cut off for its length.
    cut: bool,
    /// What it means, or what is wrong with it.
    meaning: Result<T, String>,
}

/// Why there is no answer, and the last reply.
type Failed = (LlmFailure, Option<String>);

impl Llm {
    /// Asks. `read` maps what the reply holds, or says in words, for the model, what is wrong with it. Where it finds
    /// something wrong the model is told so and asked once more. After that, and where there is no reply at all, it is
    /// an error, and the fallback is due.
    pub async fn ask<T>(
        &self,
        ask: Ask<'_>,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Result<Answer<T>, LlmError> {
        let asking = self.ask_patiently(ask, &read);
        let asked = match ask.timeout {
            None => asking.await,
            Some(time) => timeout(time, asking)
                .await
                .unwrap_or(Err((LlmFailure::Timeout(time), None))),
        };
        self.saw(match &asked {
            Ok(_) => Some(Seen::Good),
            Err((reason, _)) => Seen::of(ask.task, reason, self.ledger.today()),
        });
        self.ledger.save_soon();
        asked.map_err(|(reason, raw)| LlmError {
            task: ask.task,
            reason,
            raw,
        })
    }

    async fn ask_patiently<T>(
        &self,
        ask: Ask<'_>,
        read: &impl Fn(&Value) -> Result<T, String>,
    ) -> Result<Answer<T>, Failed> {
        let way = self.way(ask).map_err(|reason| (reason, None))?;
        let _place = self.places.acquire().await;
        let Turn { raw, meaning, .. } = self.turn(&way, None, read).await?;
        let wrong = match meaning {
            Ok(value) => {
                let again = false;
                return Ok(Answer { value, raw, again });
            }
            Err(wrong) => wrong,
        };
        tracing::debug!(task = %ask.task, "the reply cannot be used; the model is asked once more");
        let Turn { raw, cut, meaning } = self.turn(&way, Some((&raw, &wrong)), read).await?;
        match meaning {
            Ok(value) => {
                let again = true;
                Ok(Answer { value, raw, again })
            }
            // Whoever reads the record of it could not tell that it is a part.
            Err(wrong) => Err((LlmFailure::Reply(wrong), Some(raw).filter(|_| !cut))),
        }
    }

    /// Whom a task asks.
    pub(super) fn way<'a>(&'a self, ask: Ask<'a>) -> Result<Way<'a>, LlmFailure> {
        let model = self.model_for(ask.task);
        let (Some(model), Some(endpoint)) = (model, &self.endpoint) else {
            return Err(LlmFailure::NotConfigured(ask.task));
        };
        let endpoint = endpoint.as_ref();
        Ok(Way {
            ask,
            endpoint: endpoint.map_err(|reason| LlmFailure::Unusable(reason.clone()))?,
            model,
            max_reply_tokens: self.settings.max_reply_tokens,
            mode_is_free: self.settings.mode == ModeChoice::Auto,
        })
    }

    /// One call, and its reply read. `before` is the reply before it and what was wrong with that.
    async fn turn<T>(
        &self,
        way: &Way<'_>,
        before: Option<(&str, &str)>,
        read: &impl Fn(&Value) -> Result<T, String>,
    ) -> Result<Turn<T>, Failed> {
        let raw = || before.map(|(raw, _)| raw.to_owned());
        let dialect = self.dialect(way).await.map_err(|reason| (reason, raw()))?;
        let called = self.call(way, dialect, before).await;
        let mut called = called.map_err(|reason| (reason, raw()))?;
        if called.dialect != dialect {
            self.learn(way, called.dialect).await;
        }
        let meaning = meaning(&called.said, way, read);
        if meaning.is_ok() {
            called.entry.counts.failures = 0;
        }
        Ok(Turn {
            raw: called.said.text,
            cut: called.said.cut,
            meaning,
        })
    }

    /// One call with its repetitions, counted. It counts as failed until somebody finds its reply good.
    pub(super) async fn call(
        &self,
        way: &Way<'_>,
        mut dialect: Dialect,
        before: Option<(&str, &str)>,
    ) -> Result<Called, LlmFailure> {
        let sent = tokens_of(&way.ask.prompt.messages(dialect.mode, before));
        let most = sent + u64::from(way.max_reply_tokens);
        let entry = self.ledger.begin(way.ask.soul, way.ask.task, most);
        let mut entry = entry.map_err(LlmFailure::Budget)?;
        entry.counts.failures = 1;
        loop {
            let messages = way.ask.prompt.messages(dialect.mode, before);
            let request =
                dialect.request(way.model, way.ask.prompt, &messages, way.max_reply_tokens);
            // Whoever asks may stop waiting at any moment: until the outcome is known it counts as sent.
            entry.counts.tokens_in += sent;
            let answer = way.endpoint.chat(&request).await;
            let most = self.most_tokens(way, dialect, &request);
            let fault = match answer.and_then(|answer| Said::of(&answer)) {
                Ok(said) => {
                    entry.counts.tokens_in -= sent;
                    let (taken, given) = said.tokens(sent, most);
                    entry.counts.tokens_in += taken;
                    entry.counts.tokens_out += given;
                    return Ok(Called {
                        said,
                        dialect,
                        entry,
                    });
                }
                Err(fault) => fault,
            };
            if !fault.may_have_cost() {
                entry.counts.tokens_in -= sent;
            }
            let objection = fault.objection();
            if let Some(next) = objection.and_then(|said| dialect.after(said, way.mode_is_free)) {
                tracing::debug!(%fault, ?next, "the endpoint is asked otherwise");
                dialect = next;
                continue;
            }
            let done = u32::try_from(entry.counts.retries).unwrap_or(u32::MAX);
            let Some(wait) = self.retries.wait(&fault, done, fastrand::f64()) else {
                return Err(LlmFailure::of(fault));
            };
            tracing::debug!(task = %way.ask.task, %fault, ?wait, "the endpoint is asked again");
            entry.counts.retries += 1;
            sleep(wait).await;
        }
    }

    /// The most that a request and its reply can come to, whatever the endpoint counts: no token is less than a byte.
    fn most_tokens(&self, way: &Way<'_>, dialect: Dialect, request: &Value) -> (u64, u64) {
        let sent = request.to_string().len() as u64;
        let given = if dialect.bounds_replies() {
            u64::from(way.max_reply_tokens)
        } else {
            self.settings.max_reply_bytes as u64
        };
        (sent, given)
    }

    /// How the model of a question is asked; found out where nobody has yet.
    async fn dialect(&self, way: &Way<'_>) -> Result<Dialect, LlmFailure> {
        let mut known = self.dialects.lock().await;
        let model = way.model.to_owned();
        let own = known.get(&(model.clone(), way.ask.prompt.schema_name));
        if let Some(dialect) = own.or_else(|| known.get(&(model.clone(), ""))) {
            return Ok(*dialect);
        }
        let dialect = match self.settings.mode {
            ModeChoice::Fixed(mode) => Dialect::new(mode),
            ModeChoice::Auto => self.probe(way).await?,
        };
        known.insert((model, ""), dialect);
        Ok(dialect)
    }

    /// Remembers how this schema is to be asked for from now on.
    async fn learn(&self, way: &Way<'_>, dialect: Dialect) {
        let schema = way.ask.prompt.schema_name;
        let mut known = self.dialects.lock().await;
        known.insert((way.model.to_owned(), schema), dialect);
    }
}

impl LlmFailure {
    fn of(fault: Fault) -> Self {
        match fault {
            Fault::Key(reason) => Self::Unusable(reason),
            fault => Self::Endpoint(fault),
        }
    }
}

/// What a reply means, or what is wrong with it.
fn meaning<T>(
    said: &Said,
    way: &Way<'_>,
    read: &impl Fn(&Value) -> Result<T, String>,
) -> Result<T, String> {
    let schema = &way.ask.prompt.schema;
    let values = if said.cut {
        reply::whole_values(&said.text, schema)
    } else {
        reply::values(&said.text, schema)
    };
    let wrong = match values {
        Ok(values) => {
            let mut wrong = None;
            for value in &values {
                match read(value) {
                    Ok(meaning) => return Ok(meaning),
                    Err(said) => {
                        wrong.get_or_insert(said);
                    }
                }
            }
            wrong.unwrap_or_default()
        }
        // In its own words it might repeat what was said, which has no place in a log.
        Err(_) if said.refused => "the model refuses to reply".to_owned(),
        Err(unreadable) => unreadable.to_string(),
    };
    let end = wrong.char_indices().nth(MAX_WRONG);
    let wrong = end.map_or(&*wrong, |(end, _)| &wrong[..end]);
    if said.cut {
        return Err(format!(
            "it was cut off for its length, and as far as it goes {wrong}; a larger llm.max_reply_tokens (now {}) gives it room",
            way.max_reply_tokens
        ));
    }
    Err(wrong.to_owned())
}

/// About how many tokens messages take.
fn tokens_of(messages: &[Value]) -> u64 {
    let texts = messages
        .iter()
        .filter_map(|message| message["content"].as_str());
    texts.map(|text| estimate_tokens(text) as u64 + 4).sum()
}
