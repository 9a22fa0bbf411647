//! `soulmem config`: the configuration in effect.

use serde_json::json;

use crate::cli::args::GlobalArgs;
use crate::cli::config::{Effective, settings};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::table::Table;

/// Prints every key with its value, where that came from, and what it means.
pub fn run(effective: &Effective, global: &GlobalArgs) -> Result<(), Failure> {
    if global.json {
        let shown: serde_json::Map<_, _> = settings()
            .map(|setting| {
                let value = (setting.get)(&effective.config);
                let origin = effective.origin(setting.key).to_string();
                let entry = json!({"value": value, "origin": origin, "help": setting.help, "env": setting.env()});
                (setting.key.to_owned(), entry)
            })
            .collect();
        return output::json(&shown);
    }
    let mut table = Table::new(["key", "value", "from", "meaning"]);
    for setting in settings() {
        let value = (setting.get)(&effective.config);
        table.row([
            setting.key,
            &value,
            &effective.origin(setting.key).to_string(),
            setting.help,
        ]);
    }
    output::text(&table)
}
