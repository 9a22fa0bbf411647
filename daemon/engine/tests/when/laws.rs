//! What holds for every text.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use proptest::prelude::*;
use soulmem_engine::text::{has_time_expression, time_expressions};

const PIECES: [&str; 60] = [
    "昨天",
    "上上",
    "周",
    "三",
    "个",
    "月",
    "前",
    "后",
    "年",
    "春节",
    "晚上",
    "8点",
    "半",
    "两",
    "到",
    "从",
    "五一",
    "农历",
    "初",
    "十五",
    "号",
    "2022",
    "-",
    "05",
    "/",
    "99999999",
    "世纪",
    "年代",
    "几",
    "的",
    "last",
    "next",
    "the",
    "two",
    "Fridays",
    "ago",
    "in",
    "May",
    "of",
    "before",
    "after",
    "between",
    "and",
    "end of",
    "weekend",
    "Christmas",
    "Eve",
    "3rd",
    "pm",
    "at",
    "half past",
    "90s",
    "quarter",
    "year",
    "century",
    " ",
    ",",
    "😀",
    "e\u{301}",
    "\u{0}",
];

fn mixture() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => (0_u32..100_000).prop_map(|number| number.to_string()),
    ];
    let joint = proptest::sample::select(&["", " "][..]);
    proptest::collection::vec((piece, joint), 0..14).prop_map(|pieces| {
        pieces
            .into_iter()
            .map(|(piece, joint)| piece + joint)
            .collect()
    })
}

fn moments() -> impl Strategy<Value = ZonedDateTime> {
    const ZONES: [&str; 5] = [
        "UTC",
        "Asia/Shanghai",
        "America/New_York",
        "Pacific/Apia",
        "Asia/Kathmandu",
    ];
    let seconds = prop_oneof![
        4 => -2_000_000_000_i64..4_000_000_000,
        1 => proptest::sample::select(vec![Timestamp::MIN.as_second(), Timestamp::MAX.as_second()]),
    ];
    (seconds, proptest::sample::select(&ZONES[..])).prop_map(|(seconds, zone)| {
        let zone = TimeZone::get(zone).expect("a bundled zone");
        Timestamp::from_second(seconds)
            .expect("a moment in range")
            .to_zoned_datetime(zone)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn spans_stand_in_order_and_readings_are_likely(text in mixture(), said in moments()) {
        let found = time_expressions(&text, &said);
        let mut before = 0;
        for one in &found {
            prop_assert!(text.get(one.range.clone()).is_some_and(|phrase| !phrase.is_empty()));
            prop_assert!(one.range.start >= before);
            before = one.range.end;
            prop_assert!(!one.readings.is_empty());
            let sum: f64 = one.readings.iter().map(|reading| reading.confidence).sum();
            prop_assert!(sum <= 1.0 + 1e-9, "{sum}");
            for pair in one.readings.windows(2) {
                prop_assert!(pair[0].confidence >= pair[1].confidence);
            }
            for reading in &one.readings {
                prop_assert!(reading.confidence > 0.0);
                prop_assert!(reading.interval.start() <= reading.interval.end());
            }
        }
        prop_assert_eq!(time_expressions(&text, &said), found);
    }

    #[test]
    fn a_text_has_a_time_if_one_is_found(text in mixture()) {
        let said = "2026-05-13T15:00[Asia/Shanghai]".parse().unwrap();
        prop_assert!(time_expressions(&text, &said).is_empty() || has_time_expression(&text));
    }
}

#[test]
fn nothing_stands_in_what_says_nothing() {
    let said = "2026-05-13T15:00[Asia/Shanghai]".parse().unwrap();
    for text in ["", " ", "😀😀", "的了吗", "the of and", "\u{0}\u{301}"] {
        assert_eq!(time_expressions(text, &said), [], "{text:?}");
    }
}

#[test]
fn a_line_of_ten_thousand_characters_is_read_whole() {
    let said = "2026-05-13T15:00[Asia/Shanghai]".parse().unwrap();
    let text = "昨天下雨".repeat(2_500);
    assert_eq!(time_expressions(&text, &said).len(), 2_500);
    let text = "第三百零八 the last of the ".repeat(500);
    assert_eq!(time_expressions(&text, &said), []);
}
