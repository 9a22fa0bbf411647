//! What is counted, when a day is over, and what survives.

use jiff::Timestamp;
use soulmem_engine::model::Clock;

use super::*;

/// A clock that tests set.
struct SetClock(Mutex<Timestamp>);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

fn clock(time: &str) -> Arc<SetClock> {
    Arc::new(SetClock(Mutex::new(time.parse().unwrap())))
}

/// A call that took so many tokens.
fn call(ledger: &Arc<Ledger>, soul: &str, task: Task, tokens: (u64, u64)) {
    let mut entry = ledger.begin(soul, task, tokens.0 + tokens.1).unwrap();
    (entry.counts.tokens_in, entry.counts.tokens_out) = tokens;
}

#[test]
fn what_is_counted_survives_a_restart_by_character_task_and_day() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock("2026-03-01T23:59:59Z");
    let ledger = Arc::new(Ledger::open(folder.path(), clock.clone(), 0));
    call(&ledger, "ann", Task::Extract, (100, 20));
    call(&ledger, "ann", Task::Gist, (7, 1));
    call(&ledger, "bo", Task::Extract, (1, 1));
    *clock.0.lock().unwrap() = "2026-03-02T00:00:00Z".parse().unwrap();
    call(&ledger, "ann", Task::Extract, (10, 2));
    ledger.save();

    let again = Ledger::open(folder.path(), clock, 0);
    assert_eq!(again.tokens_today(), 12);
    let ann = again.account("ann");
    let extract = ann.total[&Task::Extract];
    assert_eq!(
        (extract.calls, extract.tokens_in, extract.tokens_out),
        (2, 110, 22)
    );
    let today = &ann.days[&again.today()];
    assert_eq!((today.len(), today[&Task::Extract].tokens()), (1, 12));
    assert_eq!(again.account("bo").total[&Task::Extract].tokens(), 2);
    assert_eq!(again.account("cy"), Account::default());
}

#[test]
fn past_the_budget_no_call_begins_until_the_next_day() {
    let clock = clock("2026-03-01T12:00:00Z");
    let ledger = Arc::new(Ledger::unkept(clock.clone(), 100));
    call(&ledger, "ann", Task::Extract, (60, 30));
    let refused = ledger.begin("bo", Task::Gist, 11).err();
    assert_eq!(
        refused,
        Some(OverBudget {
            needed: 11,
            left: 10
        })
    );
    *clock.0.lock().unwrap() = "2026-03-02T00:00:00Z".parse().unwrap();
    assert!(ledger.begin("bo", Task::Gist, 100).is_ok());
}

#[test]
fn calls_at_once_do_not_pass_the_budget_together() {
    let ledger = Arc::new(Ledger::unkept(clock("2026-03-01T12:00:00Z"), 100));
    let first = ledger.begin("ann", Task::Extract, 60).unwrap();
    assert!(ledger.begin("ann", Task::Extract, 60).is_err());
    // It took less than it might have.
    drop(first);
    assert!(ledger.begin("ann", Task::Extract, 60).is_ok());
}

#[test]
fn a_character_that_is_gone_leaves_nothing_but_the_tokens_of_the_day() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock("2026-03-01T12:00:00Z");
    let ledger = Arc::new(Ledger::open(folder.path(), clock, 0));
    call(&ledger, "ann", Task::Extract, (3, 4));
    ledger.save();
    ledger.forget("ann");
    assert_eq!(ledger.tokens_today(), 7);
    let kept = std::fs::read_to_string(folder.path().join(LEDGER_FILE)).unwrap();
    assert!(!kept.contains("ann"), "{kept}");
}

#[test]
fn only_the_last_days_are_kept_one_by_one() {
    let clock = clock("2026-01-01T12:00:00Z");
    let ledger = Arc::new(Ledger::unkept(clock.clone(), 0));
    for day in 0..40 {
        let time: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        *clock.0.lock().unwrap() = time + jiff::SignedDuration::from_hours(24 * day);
        call(&ledger, "ann", Task::Extract, (1, 0));
    }
    let ann = ledger.account("ann");
    assert_eq!((ann.days.len(), ann.total[&Task::Extract].calls), (31, 40));
}

#[test]
fn a_ledger_that_cannot_be_read_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(LEDGER_FILE);
    std::fs::write(&file, "{\"tokens\":").unwrap();
    let ledger = Ledger::open(folder.path(), clock("2026-03-01T12:00:00Z"), 0);
    assert_eq!(ledger.tokens_today(), 0);
    assert!(!file.exists());
    assert!(folder.path().join("llm-ledger.json.unreadable").exists());
}
