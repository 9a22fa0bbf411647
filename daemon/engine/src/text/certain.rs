//! The terms that a text is certain to have if it holds a name, however it was cut.

use std::ops::Range;

use super::folded::Folded;
use super::latin;
use super::script::Class;
use super::segment::Segmenter;

impl Segmenter {
    /// Terms that every text has in which `name` may be found as a name, whatever other names there are. Where none is
    /// certain there are none, and any text may hold it.
    ///
    /// Of unspaced scripts these are the bigrams, which are tokens wherever they stand; of others the words, as long as the way in
    /// which a word is cut does not depend on what stands beside the name.
    ///
    /// ```
    /// use soulmem_engine::text::Segmenter;
    /// assert_eq!(Segmenter::certain_terms("林小满"), ["林小", "小满"]);
    /// assert_eq!(Segmenter::certain_terms("New Orleans"), ["new", "orlean"]);
    /// ```
    pub fn certain_terms(name: &str) -> Vec<String> {
        let folded = Folded::new(name);
        let mut terms = Vec::new();
        let mut at = 0;
        while at < folded.units.len() {
            let class = folded.class(at);
            let end = if class.is_unspaced() {
                let end = folded.run_end(at, Class::is_unspaced);
                bigrams(&folded, at..end, &mut terms);
                end
            } else if class.is_spaced() {
                let end = piece_end(&folded, at);
                terms.extend(latin::certain_term(folded.slice(at..end)));
                end
            } else {
                at + 1
            };
            at = end;
        }
        terms
    }
}

fn bigrams(folded: &Folded, run: Range<usize>, terms: &mut Vec<String>) {
    if run.len() == 1 {
        terms.push(folded.slice(run).to_owned());
        return;
    }
    let pairs = run.clone().zip(run.skip(1));
    terms.extend(pairs.map(|(first, second)| folded.slice(first..second + 1).to_owned()));
}

/// The end of the letters or digits that begin at `start`, over apostrophes between letters.
fn piece_end(folded: &Folded, start: usize) -> usize {
    let digit = folded.class(start) == Class::Digit;
    let same = |class: Class| class.is_spaced() && (class == Class::Digit) == digit;
    let mut end = folded.run_end(start, same);
    while folded.slice(end..end + 1) == "'" && same(folded.class(end + 1)) {
        end = folded.run_end(end + 1, same);
    }
    end
}
