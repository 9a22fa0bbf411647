//! Pieces of an expression put together: 去年 + 五月 + 三号 + 晚上, "Friday night" + "two weeks ago".

use jiff::civil::DateTime;

use super::lean::Lean;
use super::partial::{Partial, Readings};
use super::token::Tokens;
use super::{chinese, english};

/// What the rules know of a line.
#[derive(Debug)]
pub(super) struct Context<'t> {
    pub(super) tokens: &'t Tokens<'t>,
    /// The civil time of speaking.
    pub(super) now: DateTime,
    pub(super) lean: Lean,
}

/// A piece of an expression.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    /// A time by itself.
    Whole(Readings),
    /// A time that needs another around it.
    Partial(Partial),
}

/// A piece and the place after it.
pub(super) type Found = Option<(Piece, usize)>;

/// An expression under way has at most this many pieces: year, month, day, weekday, part of day, clock.
const MAX_PIECES: usize = 6;

/// Of what an expression can mean so many are kept.
const MAX_READINGS: usize = 4;

/// Pieces that belong together.
#[derive(Debug)]
pub(super) struct Chain {
    /// What they mean, never empty.
    pub(super) readings: Readings,
    /// Whether one of them says when by itself, so that the others do not depend on the moment of speaking.
    pub(super) anchored: bool,
    /// The place after them.
    pub(super) next: usize,
}

/// The longest chain of pieces that begins here.
pub(super) fn chain(context: &Context<'_>, at: usize) -> Option<Chain> {
    let (first, mut end) = piece(context, at, Place::First)?;
    let mut pieces = vec![first];
    let mut readings = resolve(context, &pieces);
    let mut anchored = matches!(pieces[..], [Piece::Whole(_)]);
    while pieces.len() < MAX_PIECES {
        let start = skip_connectors(context.tokens, end);
        let Some((piece, next)) = piece(context, start, Place::Later) else {
            break;
        };
        let whole = matches!(piece, Piece::Whole(_));
        pieces.push(piece);
        let longer = resolve(context, &pieces);
        if longer.is_empty() {
            break;
        }
        anchored |= whole;
        (readings, end) = (longer, next);
    }
    (!readings.is_empty()).then_some(Chain {
        readings,
        anchored,
        next: end,
    })
}

/// Where in an expression a piece stands: some are pieces only after others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    First,
    Later,
}

fn piece(context: &Context<'_>, at: usize, place: Place) -> Found {
    chinese::piece(context, at, place).or_else(|| english::piece(context, at, place))
}

/// Puts every partial time into the whole one, the coarsest first; without a whole one the coarsest stands for itself.
fn resolve(context: &Context<'_>, pieces: &[Piece]) -> Readings {
    let mut wholes = pieces.iter().filter_map(|piece| match piece {
        Piece::Whole(readings) => Some(readings.clone()),
        Piece::Partial(_) => None,
    });
    let mut partials: Vec<Partial> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Partial(partial) => Some(*partial),
            Piece::Whole(_) => None,
        })
        .collect();
    partials.sort_by_key(|partial| partial.rank());
    let whole = wholes.next();
    if wholes.next().is_some() {
        return Vec::new();
    }
    let mut partials = partials.into_iter();
    let start = whole.or_else(|| partials.next().map(|partial| bare(context, partial)));
    let resolved = partials.fold(start.unwrap_or_default(), |readings, partial| {
        readings
            .into_iter()
            .flat_map(|(whole, confidence)| {
                let inside = partial.inside(&whole).into_iter();
                inside.map(move |(stretch, share)| (stretch, confidence * share))
            })
            .collect()
    });
    merged(resolved)
}

/// What a partial time means by itself.
fn bare(context: &Context<'_>, partial: Partial) -> Readings {
    /// A part of a day without its day may be a habit; today's is only a guess.
    const HABIT: f64 = 0.4;
    let today = context.now.date();
    match partial {
        Partial::Part(part) => part
            .of(today)
            .into_iter()
            .map(|stretch| (stretch, HABIT))
            .collect(),
        Partial::Clock(clock) => clock.on(today),
        Partial::Edge(_) => Vec::new(),
        // 月底 is the end of this month, unless it is told as past and has not come.
        Partial::YearEdge(_) | Partial::MonthEdge(_) if context.lean != Lean::Past => {
            let of = |(offset, share)| Some((partial.in_cycle(today, offset)?, share));
            [(0, 0.7), (-1, 0.3)].into_iter().filter_map(of).collect()
        }
        _ => context.lean.choose(&partial.around(today), context.now),
    }
}

/// Equal stretches as one, the likeliest first, at most a few.
pub(super) fn merged(readings: Readings) -> Readings {
    let mut merged: Readings = Vec::with_capacity(readings.len());
    for (stretch, confidence) in readings {
        match merged.iter_mut().find(|(other, _)| *other == stretch) {
            Some((_, sum)) => *sum += confidence,
            None => merged.push((stretch, confidence)),
        }
    }
    merged.sort_by(|(a, one), (b, other)| other.total_cmp(one).then_with(|| a.start.cmp(&b.start)));
    merged.truncate(MAX_READINGS);
    merged
}

/// Words that may stand between two pieces.
fn skip_connectors(tokens: &Tokens<'_>, at: usize) -> usize {
    const WORDS: [&str; 5] = ["of", "in", "on", "at", "the"];
    let mut next = at;
    for _ in 0..3 {
        let is_connector = tokens.word(next).is_some_and(|word| WORDS.contains(&word))
            || tokens.han(next) == Some('的')
            || tokens.is_sign(next, ',')
            || tokens.is_sign(next, '-');
        if !is_connector {
            break;
        }
        next += 1;
    }
    next
}
