//! Rows of talk as messages of `push`.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value as Json;
use soulmem_proto::SoulName;
use soulmem_proto::ops::push::{PushMessage, Role};

use super::lines::rows;
use super::skipped::Skipped;
use crate::cli::failure::Failure;

/// A row: a text with its speaker, or what a user said with the reply to it. Keys that are not named here are left aside.
#[derive(Debug, Deserialize)]
struct Row {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    reply: Option<String>,
    #[serde(default)]
    speaker: String,
    #[serde(default)]
    time: String,
    #[serde(default)]
    session: Option<Json>,
    #[serde(default)]
    conv: Option<String>,
}

/// Names by which the side of the character goes in rows of talk.
const CHARACTER: [&str; 5] = ["assistant", "ai", "bot", "agent", "model"];

/// The messages of a file as lines of JSON, and the rows that are none. Times without a zone are read in `zone`, by default
/// that of this machine.
pub(super) fn read(
    bytes: &[u8],
    soul: &SoulName,
    zone: Option<&str>,
    file: &str,
) -> Result<(Vec<u8>, Vec<Skipped>), Failure> {
    let zone = match zone {
        Some(name) => TimeZone::get(name).map_err(|_| {
            Failure::usage(format!(
                "--tz {name}: is no IANA time zone, such as Asia/Shanghai"
            ))
        })?,
        None => TimeZone::system(),
    };
    let (rows, mut skipped) = rows::<Row>(bytes, file);
    let mut lines = Vec::new();
    for (line, row) in rows {
        match row.messages(soul, &zone) {
            Ok(messages) => {
                for message in messages {
                    let json = serde_json::to_vec(&message)
                        .map_err(|error| Failure::data(format!("{file}:{line}: {error}")))?;
                    lines.extend(json);
                    lines.push(b'\n');
                }
            }
            Err(why) => skipped.push(Skipped::at(file, Some(line), why)),
        }
    }
    skipped.sort_by_key(|entry| entry.line);
    Ok((lines, skipped))
}

impl Row {
    fn messages(self, soul: &SoulName, zone: &TimeZone) -> Result<Vec<PushMessage>, String> {
        let at = moment(&self.time, zone)?;
        let session = self.session();
        let message = |role, name: &str, text: String| PushMessage {
            role,
            text,
            name: (!name.is_empty()).then(|| name.to_owned()),
            at,
            tz: at.and_then(|_| zone.iana_name().map(str::to_owned)),
            session: session.clone(),
            tag: None,
            source: self.id.clone(),
        };
        let pair = [
            (Role::User, self.user.clone()),
            (Role::Assistant, self.reply.clone()),
        ];
        let mut messages = Vec::new();
        for (role, text) in pair {
            let name = if role == Role::User {
                self.speaker.as_str()
            } else {
                ""
            };
            messages.extend(
                text.filter(|text| !text.trim().is_empty())
                    .map(|text| message(role, name, text)),
            );
        }
        if messages.is_empty() && !self.text.trim().is_empty() {
            messages.push(message(self.role(soul), &self.speaker, self.text.clone()));
        }
        if messages.is_empty() {
            return Err("is empty".to_owned());
        }
        Ok(messages)
    }

    /// The character's own words are those of its name.
    fn role(&self, soul: &SoulName) -> Role {
        let speaker = self.speaker.to_lowercase();
        if speaker == soul.as_str() || CHARACTER.contains(&speaker.as_str()) {
            Role::Assistant
        } else {
            Role::User
        }
    }

    /// The talk: of a conversation its session. Session 0 means that there is none.
    fn session(&self) -> Option<String> {
        let number = match self.session.as_ref()? {
            Json::String(name) if !name.is_empty() => name.clone(),
            Json::Number(number) if number.as_i64() != Some(0) => number.to_string(),
            _ => return None,
        };
        Some(match &self.conv {
            Some(conv) if !conv.is_empty() => format!("{conv}/{number}"),
            _ => number,
        })
    }
}

/// A moment (RFC 3339), a date and time of the zone, or a date, which is its noon; none for an empty text.
fn moment(text: &str, zone: &TimeZone) -> Result<Option<Timestamp>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(Some(moment));
    }
    let civil = text
        .parse::<Date>()
        .ok()
        .filter(|_| !text.contains([':', 'T', ' ']))
        .map(|day| day.at(12, 0, 0, 0))
        .or_else(|| text.parse::<DateTime>().ok());
    let moment = civil.and_then(|civil| zone.to_ambiguous_timestamp(civil).compatible().ok());
    moment
        .map(Some)
        .ok_or_else(|| format!("time `{text}` is no date or time, such as 2026-05-13T15:00"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(rows: &str) -> (Vec<Json>, Vec<Skipped>) {
        let soul = "ann".parse().unwrap();
        let (lines, skipped) = read(rows.as_bytes(), &soul, Some("Asia/Shanghai"), "f").unwrap();
        let lines = String::from_utf8(lines).unwrap();
        (
            lines
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
            skipped,
        )
    }

    #[test]
    fn a_row_is_a_message_with_its_speaker_time_and_talk() {
        let (messages, skipped) = read_all(
            r#"{"id": "r1", "text": "在吗", "speaker": "阿哲", "time": "2026-05-13T15:00:00", "session": 2, "conv": "c", "turn": 0}
               {"text": "yes", "speaker": "Ann", "time": "2026-05-13", "session": 0}"#,
        );
        assert_eq!(skipped, []);
        assert_eq!(messages[0]["role"], "user");
        assert_eq!(messages[0]["name"], "阿哲");
        assert_eq!(messages[0]["at"], "2026-05-13T07:00:00Z");
        assert_eq!(messages[0]["tz"], "Asia/Shanghai");
        assert_eq!(messages[0]["session"], "c/2");
        assert_eq!(messages[0]["source"], "r1");
        // The name of the character is its own side; a date is its noon.
        assert_eq!(messages[1]["role"], "assistant");
        assert_eq!(messages[1]["at"], "2026-05-13T04:00:00Z");
        assert_eq!(messages[1]["session"], Json::Null);
    }

    #[test]
    fn a_line_with_its_reply_is_two_messages() {
        let (messages, _) = read_all(
            r#"{"id": "r", "text": "a\nb", "user": "a", "reply": "b", "speaker": "阿哲", "time": ""}"#,
        );
        let said: Vec<_> = messages
            .iter()
            .map(|one| (one["role"].as_str().unwrap(), one["text"].as_str().unwrap()))
            .collect();
        assert_eq!(said, [("user", "a"), ("assistant", "b")]);
        assert_eq!(messages[1]["name"], Json::Null);
        assert_eq!(messages[0]["at"], Json::Null);
    }

    #[test]
    fn what_is_wrong_is_skipped_with_its_line() {
        let (messages, skipped) = read_all(
            "{\"text\": \"a\", \"speaker\": \"x\"}\n{oh\n\n{\"text\": \" \"}\n{\"text\": \"b\", \"time\": \"yesterday\"}\n[1]",
        );
        assert_eq!(messages.len(), 1);
        let lines: Vec<_> = skipped.iter().filter_map(|one| one.line).collect();
        assert_eq!(lines, [2, 4, 5, 6]);
        assert_eq!(skipped[1].why, "is empty");
        assert!(skipped[2].why.contains("yesterday"), "{skipped:?}");
    }
}
