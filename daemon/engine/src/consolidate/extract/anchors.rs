//! What strikes in a text: quotes, names, numbers. Such passages fade last.

use std::sync::LazyLock;

use regex::Regex;

use super::clause::pattern;
use crate::model::{Anchor, AnchorKind, Field};

/// Passages that one text may have.
const MAX_ANCHORS: usize = 32;

static QUOTE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"“[^”]{1,200}”|「[^」]{1,200}」|"[^"]{1,200}""#));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\d[\d.,:]*(?:%|岁|号|月|年|点|块|元)?|[零一二三四五六七八九十百千万两]{1,8}(?:[多几])?(?:年|月|号|日|点|分|岁|块|元|斤|张|只|个|杯|秒|分钟|小时|天)",
    )
});

/// The passages of a text that strike, in their order, none overlapping another: of overlapping ones a quote wins over a
/// name, a name over a number.
pub fn anchors(field: Field, text: &str, names: &[String]) -> Vec<Anchor> {
    let mut found: Vec<(usize, usize, AnchorKind)> = Vec::new();
    let mut add = |start: usize, end: usize, kind| {
        if start < end && !found.iter().any(|(s, e, _)| start < *e && *s < end) {
            found.push((start, end, kind));
        }
    };
    for hit in QUOTE.find_iter(text) {
        add(hit.start(), hit.end(), AnchorKind::Quote);
    }
    for name in names.iter().filter(|name| !name.is_empty()) {
        for (at, hit) in text.match_indices(name.as_str()) {
            add(at, at + hit.len(), AnchorKind::Name);
        }
    }
    for hit in NUMBER.find_iter(text) {
        add(hit.start(), hit.end(), AnchorKind::Number);
    }
    found.sort_unstable_by_key(|(start, ..)| *start);
    found.truncate(MAX_ANCHORS);
    let anchor = |(start, end, kind)| Anchor {
        field,
        start,
        end,
        gist: None,
        kind: Some(kind),
    };
    found.into_iter().map(anchor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_quotes_strike() {
        let text = "墨点说“咪”，2024年在鸡鸣寺吃了三只鱼";
        let found = anchors(Field::Narrative, text, &["墨点".to_owned()]);
        let told: Vec<_> = found
            .iter()
            .map(|anchor| (&text[anchor.start..anchor.end], anchor.kind.unwrap()))
            .collect();
        assert_eq!(
            told,
            [
                ("墨点", AnchorKind::Name),
                ("“咪”", AnchorKind::Quote),
                ("2024年", AnchorKind::Number),
                ("三只", AnchorKind::Number),
            ]
        );
    }
}
