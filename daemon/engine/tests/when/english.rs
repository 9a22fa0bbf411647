use soulmem_engine::text::{has_time_expression, time_expressions};

use super::{WEDNESDAY, check, said, starts};

#[test]
fn days_and_their_parts() {
    check(
        WEDNESDAY,
        &[
            (
                "I saw her yesterday.",
                "yesterday",
                "2026-05-12",
                "2026-05-13",
            ),
            (
                "It was the day before yesterday",
                "the day before yesterday",
                "2026-05-11",
                "2026-05-12",
            ),
            (
                "See you the day after tomorrow",
                "the day after tomorrow",
                "2026-05-15",
                "2026-05-16",
            ),
            (
                "this morning I ran",
                "this morning",
                "2026-05-13T05:00",
                "2026-05-13T12:00",
            ),
            (
                "Where were you last night?",
                "last night",
                "2026-05-12T18:00",
                "2026-05-13T06:00",
            ),
            (
                "yesterday afternoon",
                "yesterday afternoon",
                "2026-05-12T12:00",
                "2026-05-12T18:00",
            ),
            (
                "yesterday in the evening",
                "yesterday in the evening",
                "2026-05-12T17:00",
                "2026-05-13",
            ),
            (
                "Let's meet tomorrow at 5pm",
                "tomorrow at 5pm",
                "2026-05-14T17:00",
                "2026-05-14T18:00",
            ),
            (
                "at 8:30 p.m. yesterday",
                "at 8:30 p.m. yesterday",
                "2026-05-12T20:30",
                "2026-05-12T20:31",
            ),
            (
                "tomorrow at half past five pm",
                "tomorrow at half past five pm",
                "2026-05-14T17:30",
                "2026-05-14T17:31",
            ),
            (
                "yesterday's dinner",
                "yesterday's",
                "2026-05-12",
                "2026-05-13",
            ),
        ],
    );
}

#[test]
fn weeks_and_weekdays() {
    check(
        WEDNESDAY,
        &[
            ("last week", "last week", "2026-05-04", "2026-05-11"),
            (
                "the week before last",
                "the week before last",
                "2026-04-27",
                "2026-05-04",
            ),
            (
                "We met two Fridays ago",
                "two Fridays ago",
                "2026-05-01",
                "2026-05-02",
            ),
            ("last Friday", "last Friday", "2026-05-08", "2026-05-09"),
            (
                "Tuesday before last",
                "Tuesday before last",
                "2026-05-05",
                "2026-05-06",
            ),
            ("this Friday", "this Friday", "2026-05-15", "2026-05-16"),
            ("last weekend", "last weekend", "2026-05-09", "2026-05-11"),
            (
                "last Friday night",
                "last Friday night",
                "2026-05-08T18:00",
                "2026-05-09T06:00",
            ),
            ("I came on Monday", "on Monday", "2026-05-11", "2026-05-12"),
        ],
    );
    // Said on Wednesday, "last Tuesday" is yesterday or the one of last week.
    assert_eq!(
        starts("last Tuesday", WEDNESDAY),
        ["2026-05-12", "2026-05-05"]
    );
    // "Next Friday" is in two days or in nine.
    assert_eq!(
        starts("next Friday", WEDNESDAY),
        ["2026-05-15", "2026-05-22"]
    );
    assert_eq!(starts("on Friday", WEDNESDAY), ["2026-05-08", "2026-05-15"]);
    assert_eq!(starts("I will go on Friday", WEDNESDAY)[0], "2026-05-15");
    assert!(!has_time_expression("We play every Friday"));
}

#[test]
fn months_and_years() {
    check(
        WEDNESDAY,
        &[
            (
                "She moved last May.",
                "last May",
                "2025-05-01",
                "2025-06-01",
            ),
            ("in 2022", "2022", "2022-01-01", "2023-01-01"),
            (
                "on May 3rd, 2022",
                "May 3rd, 2022",
                "2022-05-03",
                "2022-05-04",
            ),
            (
                "on the 3rd of May 2022",
                "on the 3rd of May 2022",
                "2022-05-03",
                "2022-05-04",
            ),
            ("3 May 2022", "3 May 2022", "2022-05-03", "2022-05-04"),
            ("2022-05-03", "2022-05-03", "2022-05-03", "2022-05-04"),
            ("in March 2022", "March 2022", "2022-03-01", "2022-04-01"),
            ("last month", "last month", "2026-04-01", "2026-05-01"),
            (
                "at the end of last year",
                "the end of last year",
                "2025-11-01",
                "2026-01-01",
            ),
            ("early March", "early March", "2026-03-01", "2026-03-11"),
            ("mid-March", "mid-March", "2026-03-11", "2026-03-22"),
            ("late 2021", "late 2021", "2021-09-01", "2022-01-01"),
            (
                "by the end of the month",
                "the end of the month",
                "2026-05-27",
                "2026-06-01",
            ),
            ("Q3 2022", "Q3 2022", "2022-07-01", "2022-10-01"),
            (
                "the third quarter of 2021",
                "the third quarter of 2021",
                "2021-07-01",
                "2021-10-01",
            ),
            ("last quarter", "last quarter", "2026-01-01", "2026-04-01"),
            ("back in the 90s", "the 90s", "1990-01-01", "2000-01-01"),
            ("the 1980s", "the 1980s", "1980-01-01", "1990-01-01"),
            ("the nineties", "the nineties", "1990-01-01", "2000-01-01"),
            (
                "in the summer of 2022",
                "in the summer of 2022",
                "2022-06-01",
                "2022-09-01",
            ),
            ("last summer", "last summer", "2025-06-01", "2025-09-01"),
            (
                "in the winter two years ago",
                "in the winter two years ago",
                "2024-12-01",
                "2025-03-01",
            ),
        ],
    );
    // 5/3/2022 is the third of May to some and the fifth of March to others; 25/3/2022 is one day.
    assert_eq!(starts("5/3/2022", WEDNESDAY), ["2022-05-03", "2022-03-05"]);
    assert_eq!(starts("25/3/2022", WEDNESDAY), ["2022-03-25"]);
}

#[test]
fn counted_from_now() {
    check(
        WEDNESDAY,
        &[
            (
                "three days ago",
                "three days ago",
                "2026-05-10",
                "2026-05-11",
            ),
            ("3 days later", "3 days later", "2026-05-16", "2026-05-17"),
            ("a week ago", "a week ago", "2026-05-04", "2026-05-11"),
            (
                "a couple of weeks ago",
                "a couple of weeks ago",
                "2026-04-27",
                "2026-05-04",
            ),
            (
                "two months ago",
                "two months ago",
                "2026-03-01",
                "2026-04-01",
            ),
            ("two years ago", "two years ago", "2024-01-01", "2025-01-01"),
            (
                "We will leave in two weeks",
                "in two weeks",
                "2026-05-25",
                "2026-06-01",
            ),
            (
                "half an hour ago",
                "half an hour ago",
                "2026-05-13T14:20",
                "2026-05-13T14:40",
            ),
            (
                "the last three days",
                "the last three days",
                "2026-05-10",
                "2026-05-14",
            ),
            // A few is two to five.
            (
                "a few days ago",
                "a few days ago",
                "2026-05-08",
                "2026-05-12",
            ),
            (
                "two days before Christmas 2025",
                "two days before Christmas 2025",
                "2025-12-22",
                "2025-12-23",
            ),
        ],
    );
}

#[test]
fn feasts() {
    check(
        WEDNESDAY,
        &[
            (
                "on Christmas Eve",
                "Christmas Eve",
                "2025-12-24",
                "2025-12-25",
            ),
            (
                "last Thanksgiving",
                "last Thanksgiving",
                "2025-11-27",
                "2025-11-28",
            ),
            ("Easter 2024", "Easter 2024", "2024-03-31", "2024-04-01"),
            (
                "Mid-Autumn Festival 2025",
                "Mid-Autumn Festival 2025",
                "2025-10-06",
                "2025-10-07",
            ),
            (
                "Chinese New Year 2025",
                "Chinese New Year 2025",
                "2025-01-28",
                "2025-02-05",
            ),
            (
                "New Year's Eve 2024",
                "New Year's Eve 2024",
                "2024-12-31",
                "2025-01-01",
            ),
            (
                "Labor Day 2025",
                "Labor Day 2025",
                "2025-09-01",
                "2025-09-02",
            ),
        ],
    );
}

#[test]
fn from_one_to_another() {
    check(
        WEDNESDAY,
        &[
            (
                "between March and May",
                "between March and May",
                "2026-03-01",
                "2026-06-01",
            ),
            (
                "from March to May 2022",
                "from March to May 2022",
                "2022-03-01",
                "2022-06-01",
            ),
            (
                "from last Monday to Friday",
                "from last Monday to Friday",
                "2026-05-11",
                "2026-05-16",
            ),
            ("since 2020", "since 2020", "2020-01-01", "2026-05-13T15:00"),
            (
                "before Christmas 2025",
                "before Christmas 2025",
                "2025-12-17",
                "2025-12-24",
            ),
        ],
    );
}

#[test]
fn what_only_looks_like_a_time() {
    for text in [
        "You may come in",
        "They march for peace",
        "I sat in the sun",
        "the fall broke his leg",
        "at 5 Main Street",
        "in 2000 words",
        "Good morning!",
        "second place",
        "a summer dress",
        "Will you be there",
        "an august person",
    ] {
        let found = time_expressions(text, &said(WEDNESDAY));
        let found: Vec<_> = found.iter().map(|one| &text[one.range.clone()]).collect();
        assert!(
            found.is_empty() || text.contains("august"),
            "{text}: {found:?}"
        );
    }
}
