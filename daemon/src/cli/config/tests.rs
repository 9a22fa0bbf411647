//! The order of the layers, and errors that name what is wrong.

use super::*;

fn folders() -> Folders {
    Folders {
        config: None,
        data: Some("/home/ann/.local/share/soulmem".into()),
        runtime: None,
    }
}

fn nothing(_: &str) -> Option<String> {
    None
}

fn flag(flag: &str, key: &str, value: &str) -> Flags {
    Flags {
        file: None,
        values: vec![(flag.to_owned(), key.to_owned(), value.to_owned())],
    }
}

fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn without_anything_the_defaults_of_the_protocol_hold() {
    let effective = Effective::load(&Flags::default(), nothing, folders()).unwrap();
    let server = &effective.config.server;
    assert_eq!(server.listen.to_string(), "127.0.0.1:7411");
    assert_eq!(server.max_frame_bytes, 16 * 1024 * 1024);
    assert_eq!(server.max_in_flight, 256);
    assert_eq!(server.max_outgoing_bytes, 32 * 1024 * 1024);
    assert_eq!(server.lock_wait.as_secs(), 10);
    assert_eq!(server.drain.as_secs(), 5);
    assert_eq!(
        effective.config.data_dir,
        Path::new("/home/ann/.local/share/soulmem")
    );
    assert_eq!(effective.origin("server.listen"), &Origin::Default);
}

#[test]
fn flag_beats_environment_beats_file() {
    let (_folder, path) = written("[server]\nmax_in_flight = 1\nmax_connections = 2\ndrain_ms = 3");
    let env = |name: &str| match name {
        "SOULMEM_SERVER_MAX_IN_FLIGHT" => Some("10".to_owned()),
        "SOULMEM_SERVER_MAX_CONNECTIONS" => Some("20".to_owned()),
        _ => None,
    };
    let mut flags = flag("--set", "server.max_in_flight", "100");
    flags.file = Some(path.clone());
    let effective = Effective::load(&flags, env, folders()).unwrap();
    let server = &effective.config.server;
    assert_eq!((server.max_in_flight, server.max_connections), (100, 20));
    assert_eq!(server.drain.as_millis(), 3);
    assert_eq!(
        effective.origin("server.max_in_flight").to_string(),
        "--set"
    );
    assert_eq!(
        effective.origin("server.max_connections").to_string(),
        "SOULMEM_SERVER_MAX_CONNECTIONS"
    );
    assert_eq!(effective.origin("server.drain_ms"), &Origin::File(path, 4));
}

#[test]
fn an_unknown_key_is_named_with_its_place_and_the_nearest_known_one() {
    let (_folder, path) = written("\n[server]\nlisen = \"127.0.0.1:1\"\n");
    let flags = Flags {
        file: Some(path.clone()),
        values: vec![],
    };
    let error = Effective::load(&flags, nothing, folders()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}:3: unknown key `server.lisen`; did you mean `server.listen`?",
            path.display()
        )
    );
}

#[test]
fn a_key_like_no_other_points_to_the_list() {
    let error = Effective::load(&flag("--set", "zzz", "1"), nothing, folders()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "--set: unknown key `zzz`; `soulmem config` lists the known ones"
    );
}

#[test]
fn a_value_out_of_range_says_the_range() {
    let flags = flag("--set", "server.max_in_flight", "0");
    let error = Effective::load(&flags, nothing, folders()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "--set: server.max_in_flight: `0` is not a whole number from 1 to 65536"
    );
}

#[test]
fn a_named_file_must_be_there_but_the_usual_one_need_not() {
    let flags = Flags {
        file: Some("/nowhere/soulmem.toml".into()),
        values: vec![],
    };
    let error = Effective::load(&flags, nothing, folders()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/nowhere/soulmem.toml: no such file (named by --config)"
    );
    let usual = Folders {
        config: Some("/nowhere".into()),
        ..folders()
    };
    assert!(Effective::load(&Flags::default(), nothing, usual).is_ok());
}

#[test]
fn without_a_home_the_data_directory_must_be_given() {
    let error = Effective::load(&Flags::default(), nothing, Folders::default()).unwrap_err();
    assert!(error.to_string().contains("--data-dir"), "{error}");
    let flags = flag("--data-dir", "data_dir", "/srv/soulmem");
    assert!(Effective::load(&flags, nothing, Folders::default()).is_ok());
}

#[test]
fn every_setting_takes_back_what_it_shows() {
    let effective = Effective::load(&Flags::default(), nothing, folders()).unwrap();
    for setting in settings() {
        let mut config = effective.config.clone();
        let shown = (setting.get)(&config);
        assert_eq!(
            (setting.set)(&mut config, &shown),
            Ok(()),
            "{}",
            setting.key
        );
        assert_eq!((setting.get)(&config), shown, "{}", setting.key);
    }
}
