use super::*;

fn contested() -> Ownership {
    let claim = |node: &str, position| Claim {
        node: node.to_owned(),
        position,
    };
    Ownership {
        state: OwnerState::Contested,
        node: None,
        claims: vec![claim("soulmem@desktop", 7), claim("soulmem@laptop", 9)],
        restored: false,
    }
}

#[tokio::test]
async fn what_is_set_is_there_after_a_restart_and_gone_when_it_is_the_owner_again() {
    let home = tempfile::tempdir().unwrap();
    let (mei, tom): (SoulName, SoulName) = ("mei".parse().unwrap(), "tom".parse().unwrap());
    fs::create_dir(home.path().join("mei")).unwrap();
    fs::create_dir(home.path().join("tom")).unwrap();
    let names = [mei.clone(), tom.clone()];

    let ownerships = Ownerships::find(home.path(), names.iter()).unwrap();
    ownerships.must_own(&mei, Op::Push).unwrap();
    ownerships.set(&mei, contested()).await.unwrap();
    let refused = ownerships.must_own(&mei, Op::Push).unwrap_err().to_string();
    assert!(
        refused.contains("soulmem@desktop at 7, soulmem@laptop at 9"),
        "{refused}"
    );

    let ownerships = Ownerships::find(home.path(), names.iter()).unwrap();
    assert_eq!(ownerships.of(&mei), contested());
    ownerships.must_own(&mei, Op::Push).unwrap_err();
    ownerships.must_own(&tom, Op::Push).unwrap();

    let arriving = Ownership {
        state: OwnerState::Arriving,
        ..Ownership::default()
    };
    ownerships.set(&mei, arriving).await.unwrap();
    ownerships.must_own(&mei, Op::Import).unwrap();
    ownerships.must_own(&mei, Op::SoulDrop).unwrap();
    ownerships.must_own(&mei, Op::Push).unwrap_err();
    ownerships.set(&mei, Ownership::default()).await.unwrap();

    let ownerships = Ownerships::find(home.path(), names.iter()).unwrap();
    ownerships.must_own(&mei, Op::Push).unwrap();
}

#[tokio::test]
async fn a_copy_becomes_another_only_after_those_who_may_write_have_handed_that_on() {
    let home = tempfile::tempdir().unwrap();
    let mei: SoulName = "mei".parse().unwrap();
    fs::create_dir(home.path().join("mei")).unwrap();
    let ownerships = Arc::new(Ownerships::find(home.path(), [mei.clone()].iter()).unwrap());
    let first = ownerships.leave(&mei, Op::Push).await.unwrap();
    let second = ownerships.leave(&mei, Op::Push).await.unwrap();
    let setting = tokio::spawn({
        let (ownerships, mei) = (Arc::clone(&ownerships), mei.clone());
        async move { ownerships.set(&mei, contested()).await }
    });
    // Behind it in the queue: whoever comes now is refused when it is done.
    tokio::task::yield_now().await;
    let late = tokio::spawn({
        let (ownerships, mei) = (Arc::clone(&ownerships), mei.clone());
        async move { ownerships.leave(&mei, Op::Push).await.map(drop) }
    });
    tokio::task::yield_now().await;
    drop(first);
    tokio::task::yield_now().await;
    assert!(ownerships.is_owner(&mei), "one of them still writes");
    drop(second);
    setting.await.unwrap().unwrap();
    late.await.unwrap().unwrap_err();
    assert!(!ownerships.is_owner(&mei));
}

#[test]
fn a_restored_copy_is_what_the_one_before_it_was_or_one_that_nobody_has_asked_about() {
    let home = tempfile::tempdir().unwrap();
    let mei: SoulName = "mei".parse().unwrap();
    let ownerships = Ownerships::find(home.path(), [].iter()).unwrap();
    let kept = |bytes: Option<Vec<u8>>| -> Option<Ownership> {
        bytes.map(|bytes| serde_json::from_slice(&bytes).unwrap())
    };
    assert_eq!(kept(ownerships.of_restored(&mei, true).unwrap()), None);
    let fresh = kept(ownerships.of_restored(&mei, false).unwrap()).unwrap();
    assert_eq!((fresh.state, fresh.restored), (OwnerState::Owner, true));

    ownerships.begin(&mei, contested()).unwrap();
    let before = kept(ownerships.of_restored(&mei, true).unwrap());
    assert_eq!(before, Some(contested()));
    fs::write(
        home.path().join("mei").join(FILE),
        serde_json::to_vec(&fresh).unwrap(),
    )
    .unwrap();
    ownerships.look_again(&mei).unwrap();
    ownerships.must_own(&mei, Op::Push).unwrap();
}

#[test]
fn a_file_that_cannot_be_read_is_no_leave_to_write() {
    let home = tempfile::tempdir().unwrap();
    let mei: SoulName = "mei".parse().unwrap();
    fs::create_dir(home.path().join("mei")).unwrap();
    fs::write(home.path().join("mei").join(FILE), "{\"state\":\"ow").unwrap();
    let refused = Ownerships::find(home.path(), [mei].iter()).err().unwrap();
    assert!(refused.to_string().contains("ownership.json"), "{refused}");
}
