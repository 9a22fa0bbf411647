//! Finding the places of a reply where JSON may stand.

/// Places that are looked at. A reply with more of them is no answer.
const MAX_PIECES: usize = 32;

/// Tags between which models think aloud.
const THOUGHTS: [&str; 4] = ["think", "thinking", "thought", "reasoning"];

/// What is left of a reply without the thoughts before the answer.
pub(super) fn thoughtless(reply: &str) -> &str {
    let mut answer = reply.trim();
    loop {
        let Some(rest) = after_thought(answer) else {
            return answer;
        };
        answer = rest.trim();
    }
}

/// What comes after the thought that a reply starts with. The opening tag may be missing: some servers swallow it.
fn after_thought(reply: &str) -> Option<&str> {
    for tag in THOUGHTS {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        let opens = reply.starts_with(&open);
        match reply.find(&close) {
            Some(at) if opens || !is_quoted(reply, at) => return Some(&reply[at + close.len()..]),
            None if opens => return Some(""),
            _ => {}
        }
    }
    None
}

/// Whether a place is inside a string of JSON: then what stands there is content.
fn is_quoted(reply: &str, at: usize) -> bool {
    let before = &reply[..at];
    let start = before.find(['{', '[']);
    start.is_some_and(|start| matches!(scan(&before[start..]), Scan::InText))
}

/// The pieces that may be JSON, as they stand in the reply: what is in fences, then every outermost object or list, the
/// last of them without its end if that is missing, then all from the first brace to the last.
pub(super) fn pieces(answer: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for fenced in fences(answer) {
        add(&mut found, fenced);
    }
    let mut from = 0;
    while let Some(start) = answer[from..].find(['{', '[']).map(|at| from + at) {
        if found.len() >= MAX_PIECES {
            return found;
        }
        let Scan::Ended(length) = scan(&answer[start..]) else {
            add(&mut found, &answer[start..]);
            break;
        };
        add(&mut found, &answer[start..start + length]);
        from = start + length;
    }
    if let (Some(first), Some(last)) = (answer.find('{'), answer.rfind('}'))
        && first < last
    {
        add(&mut found, &answer[first..=last]);
    }
    found
}

fn add<'r>(found: &mut Vec<&'r str>, piece: &'r str) {
    let piece = piece.trim();
    if piece.starts_with(['{', '[']) && !found.contains(&piece) {
        found.push(piece);
    }
}

/// What stands between the fences of Markdown, whatever language they name. The last need not be closed.
fn fences(answer: &str) -> impl Iterator<Item = &str> {
    let parts = answer.split("```").skip(1).step_by(2).take(MAX_PIECES);
    parts.map(|part| {
        let start = part.find(['{', '[']).unwrap_or(part.len());
        let language = &part[..start];
        let named = language
            .chars()
            .all(|c| c.is_alphanumeric() || c.is_whitespace());
        if named { &part[start..] } else { part }
    })
}

/// Where the object or list ends that a text starts with.
enum Scan {
    /// After so many bytes.
    Ended(usize),
    /// Not in the text, which breaks off inside a string of it.
    InText,
    /// Not in the text.
    Open,
}

/// Follows the object or list that a text starts with. Brackets in strings do not count.
fn scan(text: &str) -> Scan {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Scan::Ended(at + 1);
                }
            }
            _ => {}
        }
    }
    if quoted { Scan::InText } else { Scan::Open }
}
