use std::fmt;

/// A whole number of the wire, −2^63 to 2^64 − 1.
///
/// One number has one form, whichever Rust type or width it came in, so that equality is that of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Integer(Form);

/// The two halves of the range; `Negative` holds only what is under zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    Negative(i64),
    Natural(u64),
}

impl Integer {
    pub(crate) fn form(self) -> Form {
        self.0
    }

    /// The number, unless it is too large for the type.
    pub fn as_i64(self) -> Option<i64> {
        match self.0 {
            Form::Negative(number) => Some(number),
            Form::Natural(number) => i64::try_from(number).ok(),
        }
    }

    /// The number, unless it is negative.
    pub fn as_u64(self) -> Option<u64> {
        match self.0 {
            Form::Negative(_) => None,
            Form::Natural(number) => Some(number),
        }
    }
}

impl From<i64> for Integer {
    fn from(number: i64) -> Self {
        Integer(u64::try_from(number).map_or(Form::Negative(number), Form::Natural))
    }
}

impl From<u64> for Integer {
    fn from(number: u64) -> Self {
        Integer(Form::Natural(number))
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Form::Negative(number) => number.fmt(f),
            Form::Natural(number) => number.fmt(f),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
