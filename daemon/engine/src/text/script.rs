//! The class of a character: which rules cut it.

use unicode_properties::{EmojiStatus, GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

/// The classes that segmentation tells apart. Runs of one class are cut by one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Chinese characters, also in Japanese and Korean text.
    Han,
    /// Hiragana.
    Hiragana,
    /// Katakana, with the prolonged sound mark.
    Katakana,
    /// Hangul syllables and letters.
    Hangul,
    /// Scripts of South-East Asia that put no space between words.
    Unspaced,
    /// Letters of the Latin alphabet.
    Latin,
    /// Letters of every other alphabet.
    Letter,
    /// Numbers.
    Digit,
    /// Emoji and other symbols.
    Symbol,
    /// White space.
    Space,
    /// Punctuation, controls, lone marks: between tokens.
    Gap,
}

impl Class {
    /// Whether words of this class are written without spaces, so that characters and bigrams are indexed.
    pub(super) fn is_unspaced(self) -> bool {
        matches!(
            self,
            Self::Han | Self::Hiragana | Self::Katakana | Self::Hangul | Self::Unspaced
        )
    }

    /// Whether words of this class stand between spaces or punctuation.
    pub(super) fn is_spaced(self) -> bool {
        matches!(self, Self::Latin | Self::Letter | Self::Digit)
    }

    /// The class of a folded character.
    pub(super) fn of(c: char) -> Self {
        if c.is_ascii() {
            return Self::of_ascii(c);
        }
        match c {
            '\u{4E00}'..='\u{9FFF}' => Self::Han,
            '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}' => Self::Hiragana,
            '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' => Self::Katakana,
            '\u{AC00}'..='\u{D7A3}' => Self::Hangul,
            _ => Self::of_any(c),
        }
    }

    fn of_ascii(c: char) -> Self {
        if c.is_ascii_alphabetic() {
            Self::Latin
        } else if c.is_ascii_digit() {
            Self::Digit
        } else if c.is_ascii_whitespace() {
            Self::Space
        } else {
            Self::Gap
        }
    }

    fn of_any(c: char) -> Self {
        use GeneralCategory as G;
        match c.general_category() {
            G::DecimalNumber | G::OtherNumber => Self::Digit,
            // A letter number is no digit: 〇 is a Chinese character to a reader.
            G::UppercaseLetter
            | G::LowercaseLetter
            | G::TitlecaseLetter
            | G::ModifierLetter
            | G::OtherLetter
            | G::LetterNumber => Self::of_letter(c),
            G::OtherSymbol | G::MathSymbol | G::CurrencySymbol => Self::Symbol,
            _ if c.is_whitespace() => Self::Space,
            _ if shows_as_emoji(c) => Self::Symbol,
            _ => Self::Gap,
        }
    }

    fn of_letter(c: char) -> Self {
        match c.script() {
            Script::Han => Self::Han,
            Script::Hiragana => Self::Hiragana,
            Script::Katakana => Self::Katakana,
            Script::Hangul => Self::Hangul,
            Script::Thai | Script::Lao | Script::Khmer | Script::Myanmar | Script::Tibetan => {
                Self::Unspaced
            }
            Script::Latin => Self::Latin,
            _ => Self::Letter,
        }
    }
}

/// Whether marks on this letter are left out of the folded form, so that text written without them finds it:
/// accents of Latin and Greek, vowel points of Hebrew and Arabic. Elsewhere a mark makes another letter (й, が).
pub(super) fn drops_marks(c: char) -> bool {
    c.is_ascii_alphabetic()
        || matches!(
            c.script(),
            Script::Latin | Script::Greek | Script::Hebrew | Script::Arabic
        )
}

/// Whether the character is a combining mark of any kind.
pub(super) fn is_mark(c: char) -> bool {
    matches!(
        c.general_category(),
        GeneralCategory::NonspacingMark
            | GeneralCategory::SpacingMark
            | GeneralCategory::EnclosingMark
    )
}

/// Whether the character is drawn as an emoji without a selector asking for it.
pub(super) fn shows_as_emoji(c: char) -> bool {
    !c.is_ascii()
        && matches!(
            c.emoji_status(),
            EmojiStatus::EmojiPresentation
                | EmojiStatus::EmojiPresentationAndModifierBase
                | EmojiStatus::EmojiPresentationAndEmojiComponent
                | EmojiStatus::EmojiPresentationAndModifierAndEmojiComponent
        )
}

/// Whether a grapheme cluster is an emoji: drawn so by itself, or asked to be (`❤️`, `1️⃣`).
pub(super) fn is_emoji(grapheme: &str) -> bool {
    let asked = || grapheme.contains(['\u{FE0F}', '\u{20E3}']);
    grapheme
        .chars()
        .next()
        .is_some_and(|c| shows_as_emoji(c) || (c.is_emoji_char() && asked()))
}

/// `Default_Ignorable_Code_Point`: characters that show nothing and must not tell two texts apart.
pub(super) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Whether words of this character's script are written without spaces between them: Chinese, kana, Hangul, Thai and
/// the like.
///
/// ```
/// use soulmem_engine::text::is_unspaced;
/// assert!(is_unspaced('雨') && is_unspaced('カ') && !is_unspaced('r'));
/// ```
pub fn is_unspaced(c: char) -> bool {
    Class::of(c).is_unspaced()
}
