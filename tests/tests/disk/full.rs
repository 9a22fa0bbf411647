//! A disk without room, and one that is read-only.

use soulmem_proto::ErrorCode;
use soulmem_tests::{Daemon, SmallDisk, until};

use crate::talk::{Talk, create, is_full, is_well, refused, tells};

#[test]
fn a_full_disk_refuses_what_is_new_gives_what_is_there_and_takes_again_once_it_has_room() {
    let Some(disk) = SmallDisk::mount("24m") else {
        return;
    };
    let data = disk.path().join("data");
    let daemon = Daemon::start(&data);
    let mut client = daemon.connect();
    create(&mut client, "mei").unwrap();
    let mut talk = Talk::default();
    let ballast = disk.fill(4_000_000);
    let refusal = loop {
        if let Err(refusal) = talk.push(&mut client) {
            break refusal;
        }
    };
    assert!(talk.next > 10, "there was room for {} pushes", talk.next);
    let memory = data.join("souls/mei");
    is_full::<()>(Err(refusal), &memory);
    for _ in 0..3 {
        talk.hold_against(&mut client);
        // What is small, such as the record of a recall, may find room yet, and then nothing is wrong for a moment.
        until("it is told that there is no room", || {
            is_full(talk.push(&mut client), &memory);
            tells(&mut client, "mei", "no room left").then_some(())
        });
    }
    // Whoever comes now is served as well.
    talk.hold_against(&mut daemon.connect());

    drop(ballast);
    talk.push(&mut client).unwrap();
    is_well(&mut client, "mei");
    talk.push(&mut client).unwrap();
    talk.hold_against(&mut client);
    assert!(daemon.leave().success());
    talk.hold_against(&mut Daemon::start(&data).connect());
}

#[test]
fn a_daemon_that_starts_on_a_full_disk_gives_what_is_there_and_takes_again_once_it_has_room() {
    let Some(disk) = SmallDisk::mount("24m") else {
        return;
    };
    let data = disk.path().join("data");
    let mut daemon = Daemon::start(&data);
    let mut client = daemon.connect();
    let mut talk = Talk::default();
    create(&mut client, "mei").unwrap();
    talk.push(&mut client).unwrap();

    for is_killed in [false, true] {
        let ballast = disk.fill(0);
        if is_killed {
            daemon.kill();
        } else {
            assert!(daemon.leave().success());
        }
        // What the daemon gave back when it left is taken too.
        ballast.grow();
        daemon = Daemon::start(&data);
        client = daemon.connect();
        talk.hold_against(&mut client);
        is_full(talk.push(&mut client), &data.join("souls/mei"));
        assert!(tells(&mut client, "mei", "no room left"));
        is_full(create(&mut client, "tom"), &data.join("souls/tom"));
        talk.hold_against(&mut client);

        drop(ballast);
        talk.push(&mut client).unwrap();
        is_well(&mut client, "mei");
        talk.hold_against(&mut client);
    }
    create(&mut client, "tom").unwrap();
    is_well(&mut client, "tom");
    assert!(daemon.leave().success());
    talk.hold_against(&mut Daemon::start(&data).connect());
}

#[test]
fn a_read_only_disk_is_read_and_written_to_again_once_it_can_be() {
    let Some(disk) = SmallDisk::mount("24m") else {
        return;
    };
    let data = disk.path().join("data");
    let mut talk = Talk::default();
    let daemon = Daemon::start(&data);
    create(&mut daemon.connect(), "mei").unwrap();
    talk.push(&mut daemon.connect()).unwrap();
    assert!(daemon.leave().success());

    disk.remount("ro");
    let daemon = Daemon::start(&data);
    let mut client = daemon.connect();
    talk.hold_against(&mut client);
    let error = refused(talk.push(&mut client));
    assert_eq!(error.code, ErrorCode::Unavailable, "{error}");
    assert!(error.message.contains("Read-only file system"), "{error}");
    assert!(tells(&mut client, "mei", "Read-only file system"));
    let error = refused(create(&mut client, "tom"));
    assert!(error.message.contains("souls/tom"), "{error}");
    talk.hold_against(&mut client);

    disk.remount("rw");
    talk.push(&mut client).unwrap();
    is_well(&mut client, "mei");
    create(&mut client, "tom").unwrap();
    talk.hold_against(&mut client);
    assert!(daemon.leave().success());
    talk.hold_against(&mut Daemon::start(&data).connect());
}
