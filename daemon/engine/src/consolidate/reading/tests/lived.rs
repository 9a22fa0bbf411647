//! What happened.

use super::*;

#[test]
fn a_relative_time_is_worked_out_against_the_message_and_its_zone() {
    // 23:50 at UTC+8 on the 5th: "yesterday evening" is the 4th there, though it is 15:50 UTC.
    let talk = [said(
        1,
        "阿哲",
        "昨天晚上我和苏晚去听松茶馆喝茶了",
        zoned("2026-06-05T23:50", "Asia/Shanghai"),
    )];
    let told = ReadSituation {
        when: "昨天晚上".to_owned(),
        place: "听松茶馆".to_owned(),
        people: ["阿哲", "苏晚", "李雷"].map(str::to_owned).to_vec(),
        acts: vec![ReadAct {
            action: "喝茶".to_owned(),
            by: "阿哲".to_owned(),
            to: "李雷".to_owned(),
        }],
        ..situation("阿哲和苏晚去听松茶馆喝茶", &[1])
    };
    let taken = read(&of_situations(vec![told]), &talk, &[]);
    assert_eq!((taken.findings.len(), taken.dropped), (1, 0));
    let finding = &taken.findings[0];
    let lived = lived(finding);
    let span = lived.time_span;
    let day = |at: jiff::Timestamp| {
        at.to_zoned_datetime(TimeZone::get("Asia/Shanghai").unwrap())
            .date()
    };
    assert_eq!(day(span.start()), date(2026, 6, 4));
    assert!(finding.timed);
    // Somebody who does not stand in the talk takes part in nothing.
    let people: Vec<&str> = lived
        .context
        .participants
        .iter()
        .map(|p| p.name.as_str())
        .collect();
    assert_eq!(people, ["阿哲", "苏晚"]);
    assert_eq!(lived.context.location.as_ref().unwrap().name, "听松茶馆");
    assert_eq!(
        (
            lived.context.event[0].initiator.as_str(),
            lived.context.event[0].target.as_str()
        ),
        ("阿哲", "")
    );
    assert_eq!(finding.sources, [talk[0].id]);
    assert!(
        finding
            .anchors
            .iter()
            .any(|anchor| anchor.kind == Some(AnchorKind::Name))
    );
}

#[test]
fn two_days_ago_crosses_a_change_of_the_clock() {
    // Clocks went forward on 2026-03-29 in London.
    let talk = [said(
        1,
        "Bo",
        "Two days ago I sold the old boat in Whitby.",
        zoned("2026-03-30T12:00", "Europe/London"),
    )];
    let told = ReadSituation {
        when: "Two days ago".to_owned(),
        ..situation("Bo sold the old boat in Whitby", &[1])
    };
    let taken = read(&of_situations(vec![told]), &talk, &[]);
    let span = lived(&taken.findings[0]).time_span;
    assert_eq!(span.start().to_string(), "2026-03-28T00:00:00Z");
}

#[test]
fn a_time_that_nobody_told_is_not_believed() {
    let talk = [said(
        1,
        "Bo",
        "I sold the old boat in Whitby.",
        zoned("2026-06-05T12:00", "UTC"),
    )];
    let told = ReadSituation {
        when: "2019-01-01".to_owned(),
        ..situation("Bo sold the old boat in Whitby", &[1])
    };
    let taken = read(&of_situations(vec![told]), &talk, &[]);
    assert_eq!(
        lived(&taken.findings[0]).time_span,
        TimeSpan::Instant(talk[0].at.timestamp())
    );
    assert!(!taken.findings[0].timed);
}

#[test]
fn a_lesson_keeps_its_order_and_needs_what_went_wrong_and_what_helped() {
    let at = zoned("2026-06-05T12:00", "UTC");
    let talk = [said(
        1,
        "Bo",
        "The boiler leaked, I replaced the valve and it works again.",
        at,
    )];
    let lesson_of = |lesson: [&str; 3]| ReadSituation {
        people: vec!["Bo".to_owned()],
        lesson: lesson.map(str::to_owned),
        acts: vec![ReadAct {
            action: "replaced the valve".to_owned(),
            by: "Bo".to_owned(),
            to: String::new(),
        }],
        ..situation(
            "The boiler leaked, Bo replaced the valve and it works again",
            &[1],
        )
    };
    let reading = of_situations(vec![
        lesson_of(["the boiler leaked", "replaced the valve", "it works again"]),
        lesson_of(["the boiler leaked", "", ""]),
    ]);
    let taken = read(&reading, &talk, &[]);
    let acts = |finding: &Finding| -> Vec<String> {
        lived(finding)
            .context
            .event
            .iter()
            .map(|event| event.action.clone())
            .collect()
    };
    assert_eq!(
        acts(&taken.findings[0]),
        ["the boiler leaked", "replaced the valve", "it works again"]
    );
    assert!(taken.findings[0].tags.iter().any(|tag| tag == "lesson"));
    assert_eq!(acts(&taken.findings[1]), ["replaced the valve"]);
    assert!(!taken.findings[1].tags.iter().any(|tag| tag == "lesson"));
}
