//! Times for people.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Shows times in one zone.
pub struct When {
    zone: TimeZone,
}

impl When {
    /// In the zone of this machine.
    pub fn here() -> Self {
        Self {
            zone: TimeZone::system(),
        }
    }

    /// Day and minute.
    pub fn show(&self, at: Timestamp) -> String {
        at.to_zoned_datetime(self.zone.clone())
            .strftime("%Y-%m-%d %H:%M")
            .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_in_its_zone() {
        let when = When {
            zone: TimeZone::get("Asia/Shanghai").unwrap(),
        };
        assert_eq!(
            when.show("2026-05-01T16:30:59Z".parse().unwrap()),
            "2026-05-02 00:30"
        );
    }
}
