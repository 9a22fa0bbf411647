//! The settings of the language model.

use std::str::FromStr;
use std::time::Duration;

use super::Config;
use super::settings::{Setting, millis, path, whole};
use crate::llm::{Task, TaskModel};

/// What is said where a task is not to have a model.
const OFF: &str = "off";

/// Every setting of the language model, in the order in which they are shown.
pub(super) const LLM: &[Setting] = &[
    Setting {
        key: "llm.base_url",
        help: "address of an endpoint that takes chat completions, such as http://127.0.0.1:11434/v1; empty for none",
        set: |config, text| given(text).map(|url| config.llm.base_url = url),
        get: |config| shown(config.llm.base_url.as_ref()),
    },
    Setting {
        key: "llm.model",
        help: "model of every task that has none of its own, as the endpoint names it; empty for none",
        set: |config, text| name(text).map(|model| config.llm.model = model),
        get: |config| config.llm.model.clone(),
    },
    Setting {
        key: "llm.extract.model",
        help: "model that takes notes out of what was said; empty for llm.model, `off` for the rules",
        set: |config, text| set_task(config, Task::Extract, text),
        get: |config| task(config, Task::Extract),
    },
    Setting {
        key: "llm.summarise.model",
        help: "model that sums up what slides out of the window; empty for llm.model, `off` for the most telling sentences",
        set: |config, text| set_task(config, Task::Summarise, text),
        get: |config| task(config, Task::Summarise),
    },
    Setting {
        key: "llm.gist.model",
        help: "model that says what a masked span was about; empty for llm.model, `off` for the bare mask",
        set: |config, text| set_task(config, Task::Gist, text),
        get: |config| task(config, Task::Gist),
    },
    Setting {
        key: "llm.reimagine.model",
        help: "model that tells blurred memories anew; empty for llm.model, `off` for the mask",
        set: |config, text| set_task(config, Task::Reimagine, text),
        get: |config| task(config, Task::Reimagine),
    },
    Setting {
        key: "llm.sub_queries.model",
        help: "model that makes structured questions of plain ones; empty for llm.model, `off` (the default) for the rules",
        set: |config, text| set_task(config, Task::SubQueries, text),
        get: |config| task(config, Task::SubQueries),
    },
    Setting {
        key: "llm.sub_queries.timeout_ms",
        help: "how long a plain question waits for the structured ones that a model makes of it, in milliseconds",
        set: |config, text| wait(text).map(|time| config.llm.sub_queries_timeout = time),
        get: |config| config.llm.sub_queries_timeout.as_millis().to_string(),
    },
    Setting {
        key: "llm.key_env",
        help: "variable of the daemon's environment that holds the key; empty for none",
        set: |config, text| variable(text).map(|name| config.llm.key.variable = name),
        get: |config| config.llm.key.variable.clone().unwrap_or_default(),
    },
    Setting {
        key: "llm.key_file",
        help: "file that holds the key, readable by its owner alone (mode 600); empty for none",
        set: |config, text| {
            config.llm.key.file = (!text.is_empty()).then(|| path(text)).transpose()?;
            Ok(())
        },
        get: |config| {
            let file = config.llm.key.file.as_ref();
            file.map(|file| file.display().to_string())
                .unwrap_or_default()
        },
    },
    Setting {
        key: "llm.proxy",
        help: "proxy on the way to the endpoint; empty for none, `environment` for what HTTPS_PROXY and its like say",
        set: |config, text| text.parse().map(|proxy| config.llm.proxy = proxy),
        get: |config| config.llm.proxy.to_string(),
    },
    Setting {
        key: "llm.connect_timeout_ms",
        help: "how long connecting may take, in milliseconds",
        set: |config, text| wait(text).map(|time| config.llm.connect_timeout = time),
        get: |config| config.llm.connect_timeout.as_millis().to_string(),
    },
    Setting {
        key: "llm.timeout_ms",
        help: "how long one attempt may take with its whole reply, in milliseconds",
        set: |config, text| wait(text).map(|time| config.llm.timeout = time),
        get: |config| config.llm.timeout.as_millis().to_string(),
    },
    Setting {
        key: "llm.retries",
        help: "how often an attempt is repeated that failed for a reason that may pass",
        set: |config, text| {
            config.llm.retries = number(text, &20)?;
            Ok(())
        },
        get: |config| config.llm.retries.to_string(),
    },
    Setting {
        key: "llm.backoff_ms",
        help: "wait before the first repetition, in milliseconds; it doubles with each",
        set: |config, text| millis(text).map(|time| config.llm.backoff = time),
        get: |config| config.llm.backoff.as_millis().to_string(),
    },
    Setting {
        key: "llm.concurrency",
        help: "requests that are under way at once, over all characters",
        set: |config, text| whole(text, 1..=256).map(|n| config.llm.concurrency = n),
        get: |config| config.llm.concurrency.to_string(),
    },
    Setting {
        key: "llm.daily_tokens",
        help: "tokens, in and out, that one day (UTC) may take over all characters; 0 for no bound",
        set: |config, text| {
            config.llm.daily_tokens = number(text, &(u64::MAX >> 1))?;
            Ok(())
        },
        get: |config| config.llm.daily_tokens.to_string(),
    },
    Setting {
        key: "llm.max_reply_tokens",
        help: "tokens that one reply may have, thoughts among them",
        set: |config, text| {
            let tokens = number(text, &1_000_000)?;
            if tokens < 16 {
                return Err(format!(
                    "`{text}` is too few for any reply; give 16 or more"
                ));
            }
            config.llm.max_reply_tokens = tokens;
            Ok(())
        },
        get: |config| config.llm.max_reply_tokens.to_string(),
    },
    Setting {
        key: "llm.max_reply_bytes",
        help: "bytes of one reply that are read at most",
        set: |config, text| whole(text, 4_096..=67_108_864).map(|n| config.llm.max_reply_bytes = n),
        get: |config| config.llm.max_reply_bytes.to_string(),
    },
    Setting {
        key: "llm.mode",
        help: "how replies are made to be JSON: schema, json, plain, or auto for the best that the endpoint has",
        set: |config, text| text.parse().map(|mode| config.llm.mode = mode),
        get: |config| config.llm.mode.to_string(),
    },
];

/// Nothing comes in no time at all.
fn wait(text: &str) -> Result<Duration, String> {
    whole(text, 1..=3_600_000).map(|number| Duration::from_millis(number as u64))
}

fn given<T: FromStr<Err = String>>(text: &str) -> Result<Option<T>, String> {
    (!text.is_empty()).then(|| text.parse()).transpose()
}

fn shown<T: ToString>(value: Option<&T>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

fn name(text: &str) -> Result<String, String> {
    if text.chars().any(char::is_control) || text.trim() != text {
        return Err(format!(
            "`{}` is not the name of a model",
            text.escape_debug()
        ));
    }
    Ok(text.to_owned())
}

fn set_task(config: &mut Config, task: Task, text: &str) -> Result<(), String> {
    match text {
        "" => config.llm.tasks.remove(&task),
        OFF => config.llm.tasks.insert(task, TaskModel::Off),
        _ => config.llm.tasks.insert(task, TaskModel::Named(name(text)?)),
    };
    Ok(())
}

fn task(config: &Config, task: Task) -> String {
    match config.llm.tasks.get(&task) {
        None => String::new(),
        Some(TaskModel::Off) => OFF.to_owned(),
        Some(TaskModel::Named(name)) => name.clone(),
    }
}

/// A key by mistake stands out by its form: no variable is named so.
fn variable(text: &str) -> Result<Option<String>, String> {
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if !text.chars().all(is_name) {
        return Err(
            "is not the name of a variable (capitals, digits and `_`); the key itself does not belong here"
                .to_owned(),
        );
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

fn number<T>(text: &str, most: &T) -> Result<T, String>
where
    T: FromStr + PartialOrd + ToString,
{
    let wrong = || {
        format!(
            "`{text}` is not a whole number from 0 to {}",
            most.to_string()
        )
    };
    text.parse::<T>()
        .ok()
        .filter(|n| n <= most)
        .ok_or_else(wrong)
}
