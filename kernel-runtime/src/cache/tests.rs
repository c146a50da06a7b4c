//! The cache under corruption, strangers and races.

use std::process::Command;

use super::*;

fn image(text: &str) -> Image {
    Image {
        architecture: "sm_90a".to_owned(),
        cubin: Some(text.bytes().cycle().take(5000).collect()),
        ptx: text.to_owned(),
        log: String::new(),
    }
}

fn fresh() -> (tempfile::TempDir, Cache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache { folder: folder.path().join("not yet there") };
    (folder, cache)
}

#[test]
fn what_goes_in_comes_out() {
    let (_folder, cache) = fresh();
    let key = Key::of(&["source"]);
    assert_eq!(cache.get(&key, "13.5"), None);
    let without_cubin = Image { cubin: None, log: "warning".to_owned(), ..image("ptx") };
    for image in [image("a"), without_cubin] {
        cache.put(&key, "13.5", &image);
        assert_eq!(cache.get(&key, "13.5"), Some(image));
    }
    assert_eq!(cache.get(&key, "13.4"), None);
    assert_eq!(cache.get(&Key::of(&["other"]), "13.5"), None);
}

#[test]
fn any_version_is_the_newest() {
    let (_folder, cache) = fresh();
    let key = Key::of(&["source"]);
    assert_eq!(cache.get_any(&key), None);
    for version in ["12.9", "13.10", "13.9"] {
        cache.put(&key, version, &image(version));
    }
    assert_eq!(cache.get_any(&key).unwrap().ptx, "13.10");
    std::fs::write(cache.path(&key, "13.10"), b"broken").unwrap();
    assert_eq!(cache.get_any(&key).unwrap().ptx, "13.9");
}

#[test]
fn any_damage_is_a_miss_and_then_replaced() {
    let (_folder, cache) = fresh();
    let key = Key::of(&["source"]);
    let image = Image { cubin: Some(vec![7; 40]), ..image("ptx") };
    cache.put(&key, "13.5", &image);
    let path = cache.path(&key, "13.5");
    let whole = std::fs::read(&path).unwrap();

    for length in 0..whole.len() {
        assert_eq!(entry::decode(&whole[..length], &key), None, "cut at {length}");
    }
    for position in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[position] ^= 0x10;
        assert_eq!(entry::decode(&flipped, &key), None, "flipped at {position}");
    }
    for foreign in [b"".as_slice(), b"\x7fELF", &[0; 4096], &[whole.clone(), whole.clone()].concat()] {
        std::fs::write(&path, foreign).unwrap();
        assert_eq!(cache.get(&key, "13.5"), None);
        cache.put(&key, "13.5", &image);
        assert_eq!(cache.get(&key, "13.5").as_ref(), Some(&image));
    }
    // A whole entry, but of another key: someone renamed it.
    let other = Key::of(&["other"]);
    std::fs::create_dir_all(cache.path(&other, "13.5").parent().unwrap()).unwrap();
    std::fs::copy(&path, cache.path(&other, "13.5")).unwrap();
    assert_eq!(cache.get(&other, "13.5"), None);
}

#[test]
fn lengths_that_lie_are_a_miss() {
    let key = Key::of(&["source"]);
    for length in [1u64, 1 << 40, u64::MAX] {
        let mut bytes = b"cumbia\0\0".to_vec();
        bytes.extend(key.0);
        bytes.extend(length.to_le_bytes());
        let checksum = *blake3::hash(&bytes).as_bytes();
        bytes.extend(checksum);
        assert_eq!(entry::decode(&bytes, &key), None);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    std::fs::write(&file, "").unwrap();
    let cache = Cache { folder: file };
    let key = Key::of(&["source"]);
    cache.put(&key, "13.5", &image("a"));
    assert_eq!(cache.get(&key, "13.5"), None);
    assert_eq!(cache.get_any(&key), None);
    assert_eq!(cache.write_note("nvrtc", "a", "b"), None);
}

#[test]
fn the_environment_decides() {
    let settings = |switch: &str, folder: &str| {
        let users = || Some(PathBuf::from("/home/ana/.cache"));
        Cache::from_settings(Some(switch.into()), Some(folder.into()), users).unwrap().map(|cache| cache.folder)
    };
    assert_eq!(settings("", ""), Some(PathBuf::from("/home/ana/.cache/cumbia")));
    assert_eq!(settings("on", "/scratch/c"), Some(PathBuf::from("/scratch/c")));
    for off in ["off", "OFF", "0", "false", "no"] {
        assert_eq!(settings(off, "/scratch/c"), None);
    }
    assert!(Cache::from_settings(None, None, || None).is_err());
}

/// Reads and writes one entry again and again; whatever is read must be whole.
fn race(cache: &Cache, text: &str) {
    let key = Key::of(&["raced"]);
    for _ in 0..200 {
        cache.put(&key, "13.5", &image(text));
        let read = cache.get(&key, "13.5").expect("an entry is replaced, never absent");
        assert_eq!(read, image(&read.ptx));
    }
}

#[test]
fn threads_and_processes_may_race() {
    let folder = tempfile::tempdir().unwrap();
    let processes: Vec<_> = (0..3)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["cache::tests::racing_process", "--exact", "--ignored"])
                .env("CUMBIA_TEST_RACE", folder.path())
                .spawn()
                .unwrap()
        })
        .collect();
    let cache = Cache { folder: folder.path().to_owned() };
    std::thread::scope(|scope| {
        for text in ["one", "two", "three"] {
            let cache = &cache;
            scope.spawn(move || race(cache, text));
        }
    });
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    let (place, _) = cache.place(&Key::of(&["raced"]));
    assert_eq!(std::fs::read_dir(place).unwrap().count(), 1, "no temporary file is left");
}

#[test]
#[ignore = "the other processes of `threads_and_processes_may_race`"]
fn racing_process() {
    if let Some(folder) = std::env::var_os("CUMBIA_TEST_RACE") {
        race(&Cache { folder: folder.into() }, "a process");
    }
}
