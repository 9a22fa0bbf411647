//! Markdown as far as an import needs it: front matter, headings, and the text under each.

/// The text under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// The document's title, and under a lower heading that too.
    pub(super) title: String,
    /// Other names, from the front matter; only of the document itself.
    pub(super) aliases: Vec<String>,
    /// Labels from the front matter.
    pub(super) tags: Vec<String>,
    /// The text, without the heading.
    pub(super) text: String,
    /// The line it begins at, from 1.
    pub(super) line: usize,
}

impl Section {
    /// A plain text under a title.
    pub(super) fn plain(title: &str, text: &str) -> Self {
        Self {
            title: title.to_owned(),
            aliases: Vec::new(),
            tags: Vec::new(),
            text: text.to_owned(),
            line: 1,
        }
    }
}

/// What stands before the text between two lines of `---`.
#[derive(Debug, Default, PartialEq, Eq)]
struct FrontMatter {
    title: Option<String>,
    aliases: Vec<String>,
    tags: Vec<String>,
}

/// The sections of a Markdown text. Its title is that of the front matter, else its first heading of the first level,
/// else `stem`.
pub(super) fn sections(text: &str, stem: &str) -> Vec<Section> {
    let lines: Vec<&str> = text.lines().collect();
    let (matter, body) = front_matter(&lines);
    let headings = headings(&lines, body);
    let first = headings
        .iter()
        .find(|heading| heading.level == 1)
        .map(|heading| heading.text.clone());
    let title = matter
        .title
        .clone()
        .or(first)
        .unwrap_or_else(|| stem.to_owned());
    let starts = std::iter::once(None).chain(headings.iter().map(Some));
    let ends = headings
        .iter()
        .map(|heading| heading.at)
        .chain([lines.len()]);
    let mut sections = Vec::new();
    for (heading, end) in starts.zip(ends) {
        let start = heading.map_or(body, |heading| heading.at + 1);
        let own = heading.is_none_or(|heading| heading.text == title);
        sections.push(Section {
            title: heading.filter(|_| !own).map_or_else(
                || title.clone(),
                |heading| format!("{title}: {}", heading.text),
            ),
            aliases: if own {
                matter.aliases.clone()
            } else {
                Vec::new()
            },
            tags: matter.tags.clone(),
            text: lines[start..end].join("\n").trim().to_owned(),
            line: start + 1,
        });
    }
    sections
}

struct Heading {
    at: usize,
    level: usize,
    text: String,
}

/// Headings that begin with `#`, outside of fenced code.
fn headings(lines: &[&str], body: usize) -> Vec<Heading> {
    let mut fence: Option<char> = None;
    let mut headings = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(body) {
        let trimmed = line.trim_start();
        let mark = ['`', '~']
            .into_iter()
            .find(|mark| trimmed.starts_with(&mark.to_string().repeat(3)));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => headings.extend(heading(at, line)),
            _ => {}
        }
    }
    headings
}

fn heading(at: usize, line: &str) -> Option<Heading> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = line[level..].strip_prefix([' ', '\t'])?;
    let text = rest.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !text.is_empty()).then(|| Heading {
        at,
        level,
        text: text.to_owned(),
    })
}

/// The front matter and the line after it. Of its YAML `title`, `aliases` and `tags` are read, as a word, as `[a, b]` or as
/// a list of `- a`; without its end it is text.
fn front_matter(lines: &[&str]) -> (FrontMatter, usize) {
    let none = (FrontMatter::default(), 0);
    if lines.first().map(|line| line.trim_end()) != Some("---") {
        return none;
    }
    let Some(end) = lines
        .iter()
        .skip(1)
        .position(|line| matches!(line.trim_end(), "---" | "..."))
    else {
        return none;
    };
    let mut matter = FrontMatter::default();
    let mut key = "";
    for line in &lines[1..=end] {
        let values = if let Some(item) = line.trim_start().strip_prefix("- ") {
            vec![unquoted(item)]
        } else if let Some((name, value)) = line.split_once(':') {
            key = name.trim();
            list(value)
        } else {
            continue;
        };
        match key {
            "title" => matter.title = values.into_iter().next().or(matter.title),
            "aliases" | "alias" => matter.aliases.extend(values),
            "tags" | "tag" => matter.tags.extend(values),
            _ => {}
        }
    }
    (matter, end + 2)
}

/// `[a, "b"]` as its items, anything else as one.
fn list(value: &str) -> Vec<String> {
    let value = value.trim();
    let items = match value
        .strip_prefix('[')
        .and_then(|open| open.strip_suffix(']'))
    {
        Some(items) => items.split(',').map(unquoted).collect(),
        None => vec![unquoted(value)],
    };
    items
        .into_iter()
        .filter(|item: &String| !item.is_empty())
        .collect()
}

fn unquoted(value: &str) -> String {
    value.trim().trim_matches(['"', '\'']).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_gives_title_aliases_and_tags() {
        let text = "---\ntitle: \"The tea house\"\naliases: [茶馆, tea room]\ntags:\n  - place\n  - old\n---\nBy the river.\n\n## History\nOld.";
        let found = sections(text, "file");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].title, "The tea house");
        assert_eq!(found[0].aliases, ["茶馆", "tea room"]);
        assert_eq!(found[0].tags, ["place", "old"]);
        assert_eq!(
            (found[0].text.as_str(), found[0].line),
            ("By the river.", 8)
        );
        assert_eq!(
            (found[1].title.as_str(), found[1].text.as_str()),
            ("The tea house: History", "Old.")
        );
        assert!(found[1].aliases.is_empty());
    }

    #[test]
    fn the_first_heading_is_the_title_and_code_holds_none() {
        let found = sections(
            "# Rain ##\nWet.\n```\n# no heading\n```\n#nor this\n",
            "file",
        );
        let shown: Vec<(&str, &str)> = found
            .iter()
            .map(|one| (one.title.as_str(), one.text.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("Rain", ""),
                ("Rain", "Wet.\n```\n# no heading\n```\n#nor this")
            ]
        );
    }

    #[test]
    fn without_either_the_file_names_it() {
        assert_eq!(sections("Text.", "notes")[0].title, "notes");
        // Front matter that does not end is text.
        assert_eq!(sections("---\ntitle: x\nText.", "notes")[0].title, "notes");
        assert_eq!(sections("", "notes")[0].text, "");
    }
}
