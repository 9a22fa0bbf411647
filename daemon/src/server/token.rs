//! The secret that a client must show.

use std::fmt::{self, Write as _};

use subtle::ConstantTimeEq;

/// 256 random bits, new at every start. It has no `Display`, and its `Debug` hides it, so that it cannot
/// slip into a log.
#[derive(Clone)]
pub struct Token {
    hex: String,
}

impl Token {
    /// Draws a token from the system's randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes)?;
        let mut hex = String::with_capacity(64);
        for byte in bytes {
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        Ok(Self { hex })
    }

    /// The token as its holder must give it back: 64 lower-case hexadecimal digits.
    pub fn reveal(&self) -> &str {
        &self.hex
    }

    /// Whether `given` is this token. The time taken depends on the length of `given` alone.
    pub fn matches(&self, given: &str) -> bool {
        self.hex.as_bytes().ct_eq(given.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_256_bits_and_is_never_the_same() {
        let (one, two) = (Token::generate().unwrap(), Token::generate().unwrap());
        assert_eq!(one.reveal().len(), 64);
        assert!(
            one.reveal()
                .bytes()
                .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase())
        );
        assert_ne!(one.reveal(), two.reveal());
    }

    #[test]
    fn only_the_whole_token_matches() {
        let token = Token::generate().unwrap();
        let good = token.reveal().to_owned();
        assert!(token.matches(&good));
        assert!(!token.matches(&good[..63]));
        assert!(!token.matches(&format!("{good}0")));
        assert!(!token.matches(""));
        assert!(
            !token.matches(
                &good
                    .to_uppercase()
                    .replace(|c: char| c.is_ascii_digit(), "x")
            )
        );
    }

    #[test]
    fn debug_hides_it() {
        assert_eq!(format!("{:?}", Token::generate().unwrap()), "Token(hidden)");
    }
}
