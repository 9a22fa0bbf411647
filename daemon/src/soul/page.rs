//! Lists, page by page.

use super::error::{Result, SoulError};
use crate::store::{Page, Seq};

/// Entries on a page where the caller does not say.
const USUAL: usize = 100;
/// Most entries on a page.
const MOST: usize = 1_000;
/// A page ends early where its entries come to this many bytes, so that it fits into a frame. It has one entry at
/// least, whatever the size.
const MOST_BYTES: usize = 4 << 20;

/// Where a list goes on and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Only what comes after this place in the sequence of writing.
    pub after: Option<Seq>,
    /// At most so many entries.
    pub limit: usize,
}

impl Span {
    /// From what a request says: the `cursor` of the page before, and a `limit`.
    pub fn new(cursor: Option<&str>, limit: Option<u32>) -> Result<Self> {
        let after = cursor
            .map(|cursor| {
                cursor
                    .parse()
                    .map_err(|_| SoulError::invalid("cursor", "is none that a page gave"))
            })
            .transpose()?;
        let limit = limit.map_or(USUAL, |limit| limit as usize);
        if !(1..=MOST).contains(&limit) {
            return Err(SoulError::invalid(
                "limit",
                format!("is {limit}, must be from 1 to {MOST}"),
            ));
        }
        Ok(Self { after, limit })
    }
}

/// The entries that fit on one page, and the cursor of the next.
pub fn fit<T>(
    page: Page<T>,
    seq: impl Fn(&T) -> Seq,
    bytes: impl Fn(&T) -> usize,
) -> (Vec<T>, Option<String>) {
    let Page {
        mut items,
        mut next,
    } = page;
    let ends = items.iter().scan(0_usize, |total, item| {
        *total = total.saturating_add(bytes(item));
        Some(*total)
    });
    let count = ends.take_while(|end| *end <= MOST_BYTES).count().max(1);
    if count < items.len() {
        items.truncate(count);
        next = items.last().map(seq);
    }
    (items, next.map(|seq| seq.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_where_its_bytes_do() {
        let page = Page {
            items: vec![(1, 3 << 20), (2, 1 << 20), (3, 1)],
            next: None,
        };
        let (items, cursor) = fit(page, |item| item.0, |item| item.1);
        assert_eq!(items, [(1, 3 << 20), (2, 1 << 20)]);
        assert_eq!(cursor.as_deref(), Some("2"));
    }

    #[test]
    fn a_large_entry_still_has_a_page_of_its_own() {
        let page = Page {
            items: vec![(7, 9 << 20)],
            next: Some(7),
        };
        let (items, cursor) = fit(page, |item| item.0, |item| item.1);
        assert_eq!((items.len(), cursor.as_deref()), (1, Some("7")));
    }

    #[test]
    fn a_foreign_cursor_and_a_limit_out_of_range_are_refused() {
        assert_eq!(
            Span::new(Some("12"), None).unwrap(),
            Span {
                after: Some(12),
                limit: 100
            }
        );
        assert!(
            Span::new(Some("x"), None)
                .unwrap_err()
                .to_string()
                .starts_with("cursor:")
        );
        for limit in [0, 1_001] {
            assert!(
                Span::new(None, Some(limit))
                    .unwrap_err()
                    .to_string()
                    .starts_with("limit:")
            );
        }
    }
}
