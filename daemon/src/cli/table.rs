//! Lists for people: columns that line up in any script, and stored text that cannot play with the terminal.

use std::fmt::{self, Write as _};

use unicode_width::UnicodeWidthStr;

/// Places of the widest cell that the others of its column are padded to. A longer one stands out by itself.
const WIDEST: usize = 60;

/// Rows under a heading. Every column but the last is padded to its widest cell up to a bound, counting a Chinese
/// character as the two places that it takes.
#[derive(Debug)]
pub struct Table<const N: usize> {
    heading: [&'static str; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    /// An empty table.
    pub fn new(heading: [&'static str; N]) -> Self {
        Self {
            heading,
            rows: Vec::new(),
        }
    }

    /// Adds a row. Control characters in its cells are shown, not obeyed.
    pub fn row(&mut self, cells: [&str; N]) {
        self.rows.push(cells.map(escape));
    }
}

impl<const N: usize> fmt::Display for Table<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = self.heading.map(str::to_owned);
        let lines = || std::iter::once(&heading).chain(&self.rows);
        let widths: [usize; N] = std::array::from_fn(|column| {
            lines()
                .map(|line| line[column].width())
                .filter(|width| *width <= WIDEST)
                .max()
                .unwrap_or_default()
        });
        for line in lines() {
            let mut text = String::new();
            for (cell, width) in line.iter().zip(widths) {
                let padding = width.saturating_sub(cell.width()) + 2;
                write!(text, "{cell}{:padding$}", "")?;
            }
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// Text as it may be shown: control characters and those that turn the direction of writing appear as
/// escapes. Joiners stay, emoji are made with them.
pub fn escape(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let breaks = matches!(character, '\u{2028}' | '\u{2029}');
        if character.is_control() || turns || breaks {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_with_double_width_text() {
        let mut table = Table::new(["name", "when", "text"]);
        table.row(["小红", "today", "你好"]);
        table.row(["ann", "now", "hi"]);
        assert_eq!(
            table.to_string(),
            "name  when   text\n\
             小红  today  你好\n\
             ann   now    hi\n"
        );
    }

    #[test]
    fn one_long_value_does_not_push_the_others_away() {
        let mut table = Table::new(["key", "value", "from"]);
        let long = "w".repeat(900);
        table.row(["port", "7411", "default"]);
        table.row(["weights", &long, "default"]);
        assert_eq!(
            table.to_string(),
            format!(
                "key      value  from\n\
                 port     7411   default\n\
                 weights  {long}  default\n"
            )
        );
    }

    #[test]
    fn a_stored_text_cannot_move_the_cursor_or_turn_the_line() {
        assert_eq!(escape("a\u{1b}[2J\nb\0"), "a\\u{1b}[2J\\nb\\u{0}");
        assert_eq!(escape("x\u{202e}y\u{9b}z"), "x\\u{202e}y\\u{9b}z");
        assert_eq!(escape("👩‍👩‍👧 é 안녕"), "👩‍👩‍👧 é 안녕");
    }
}
