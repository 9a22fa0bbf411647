//! What the zone and the moment of speaking do.

use jiff::Timestamp;
use soulmem_engine::text::time_expressions;

use super::{all, check, said};

fn utc(text: &str, at: &str) -> (Timestamp, Timestamp) {
    let interval = time_expressions(text, &said(at))[0].readings[0].interval;
    (interval.start(), interval.end())
}

fn moment(text: &str) -> Timestamp {
    text.parse().expect("a moment")
}

#[test]
fn yesterday_is_the_day_before_where_it_is_said() {
    // Ten to midnight on the tenth in Shanghai is ten to four in the afternoon in Greenwich.
    let expected = (
        moment("2026-05-08T16:00:00Z"),
        moment("2026-05-09T15:59:59.999999Z"),
    );
    assert_eq!(utc("昨天", "2026-05-10T23:50[Asia/Shanghai]"), expected);
    assert_eq!(
        utc("yesterday", "2026-05-10T23:50[Asia/Shanghai]"),
        expected
    );
    // A quarter of an hour later it is another day.
    assert_eq!(
        utc("昨天", "2026-05-11T00:05[Asia/Shanghai]").0,
        moment("2026-05-09T16:00:00Z")
    );
}

#[test]
fn a_day_on_which_the_clocks_change_is_shorter_or_longer() {
    // Berlin goes forward on 29 March 2026 and back on 25 October 2026.
    let hours = |(start, end): (Timestamp, Timestamp)| end.duration_since(start).as_hours() + 1;
    assert_eq!(
        hours(utc("yesterday", "2026-03-30T12:00[Europe/Berlin]")),
        23
    );
    assert_eq!(
        hours(utc("yesterday", "2026-10-26T12:00[Europe/Berlin]")),
        25
    );
    // Half past two does not exist that night; the moment an hour after half past one stands for it.
    let (start, _) = utc("yesterday at 2:30 am", "2026-03-30T12:00[Europe/Berlin]");
    assert_eq!(start, moment("2026-03-29T01:30:00Z"));
}

#[test]
fn borders_of_months_and_years() {
    check(
        "2026-01-01T00:30[Asia/Shanghai]",
        &[
            ("昨天", "昨天", "2025-12-31", "2026-01-01"),
            ("上个月", "上个月", "2025-12-01", "2026-01-01"),
            ("last month", "last month", "2025-12-01", "2026-01-01"),
            ("上周", "上周", "2025-12-22", "2025-12-29"),
        ],
    );
    // There is no 31 April, and 29 February only in leap years.
    check(
        "2024-03-31T12:00[UTC]",
        &[("一个月前", "一个月前", "2024-02-01", "2024-03-01")],
    );
}

#[test]
fn what_is_under_way_is_likelier_than_what_was_a_year_ago() {
    let readings = all("五月", "2026-05-13T15:00[Asia/Shanghai]");
    assert_eq!(readings[0].0, "2026-05-01");
    assert_eq!(readings[1].0, "2025-05-01");
}
