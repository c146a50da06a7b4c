//! Tests of the cache: corruption, foreign files and races.

use std::process::{Child, Command, Stdio};

use super::trim::Kind;
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
    let cache = Cache::in_folder(folder.path().join("not yet there"));
    (folder, cache)
}

#[test]
fn stored_images_are_returned() {
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
fn get_any_version_returns_the_newest() {
    let (_folder, cache) = fresh();
    let key = Key::of(&["source"]);
    assert_eq!(cache.get_any_version(&key), None);
    for version in ["12.9", "13.10", "13.9"] {
        cache.put(&key, version, &image(version));
    }
    assert_eq!(cache.get_any_version(&key).unwrap().ptx, "13.10");
    std::fs::write(cache.path(&key, "13.10"), b"broken").unwrap();
    assert_eq!(cache.get_any_version(&key).unwrap().ptx, "13.9");
    for version in ["13.10-nvjitlink.13.9", "13.10-nvjitlink.13.10", "13.9-nvjitlink.13.10"] {
        cache.put(&key, version, &image(version));
    }
    assert_eq!(cache.get_any_version(&key).unwrap().ptx, "13.10-nvjitlink.13.10");
}

#[test]
fn any_corruption_is_a_miss_and_is_replaced() {
    let (_folder, cache) = fresh();
    let key = Key::of(&["source"]);
    let image = Image { cubin: Some(vec![7; 40]), ..image("ptx") };
    cache.put(&key, "13.5", &image);
    let path = cache.path(&key, "13.5");
    let whole = std::fs::read(&path).unwrap();

    for length in 0..whole.len() {
        assert_eq!(decode(&whole[..length], &key), None, "cut at {length}");
    }
    for position in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[position] ^= 0x10;
        assert_eq!(decode(&flipped, &key), None, "flipped at {position}");
    }
    for foreign in [b"".as_slice(), b"\x7fELF", &[0; 4096], &[whole.clone(), whole.clone()].concat()] {
        std::fs::write(&path, foreign).unwrap();
        assert_eq!(cache.get(&key, "13.5"), None);
        cache.put(&key, "13.5", &image);
        assert_eq!(cache.get(&key, "13.5").as_ref(), Some(&image));
    }
    // An intact entry of another key, as after a rename.
    let other = Key::of(&["other"]);
    std::fs::create_dir_all(cache.path(&other, "13.5").parent().unwrap()).unwrap();
    std::fs::copy(&path, cache.path(&other, "13.5")).unwrap();
    assert_eq!(cache.get(&other, "13.5"), None);
}

#[test]
fn invalid_lengths_are_a_miss() {
    let key = Key::of(&["source"]);
    for length in [1u64, 1 << 40, u64::MAX] {
        let mut bytes = b"cumbia\0\0".to_vec();
        bytes.extend(key.0);
        bytes.extend(length.to_le_bytes());
        let checksum = key::hash(&bytes);
        bytes.extend(checksum);
        assert_eq!(decode(&bytes, &key), None);
    }
}

#[test]
fn an_unwritable_folder_causes_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    std::fs::write(&file, "").unwrap();
    let cache = Cache::in_folder(file);
    let key = Key::of(&["source"]);
    cache.put(&key, "13.5", &image("a"));
    assert_eq!(cache.get(&key, "13.5"), None);
    assert_eq!(cache.get_any_version(&key), None);
    assert_eq!(cache.write_note("nvrtc", "a", "b"), None);
}

#[test]
fn settings_determine_folder_and_limit() {
    let cache = |switch: &str, folder: &str, size: &str| {
        let settings = Settings { switch: Some(switch.into()), folder: Some(folder.into()), size: Some(size.into()) };
        settings.cache(|| Some(PathBuf::from("/home/ana/.cache"))).unwrap().map(|cache| (cache.folder, cache.limit))
    };
    assert_eq!(cache("", "", "1 GiB"), Some((PathBuf::from("/home/ana/.cache/cumbia"), 1 << 30)));
    assert_eq!(cache("on", "/scratch/c", "5000"), Some((PathBuf::from("/scratch/c"), 5000)));
    assert_eq!(cache("on", "/scratch/c", " 2MB ").unwrap().1, 2_000_000);
    // An invalid size gives a warning and the default limit.
    for nonsense in ["much", "-1", "1 parsec"] {
        assert_eq!(cache("on", "/scratch/c", nonsense).unwrap().1, settings::DEFAULT_LIMIT);
    }
    for off in ["off", "OFF", "0", "false", "no"] {
        assert_eq!(cache(off, "/scratch/c", "1 GiB"), None);
    }
    let Some(Cache { folder, limit }) = Settings::default().cache(|| Some("/c".into())).unwrap() else { panic!("off") };
    assert_eq!((folder, limit), (PathBuf::from("/c/cumbia"), 1 << 30));
    assert!(Settings::default().cache(|| None).is_err());
}

/// Sets a file's time of last use to some seconds ago.
fn age(path: &Path, seconds: u64) {
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
}

#[test]
fn least_recently_used_entries_are_evicted_first() {
    let folder = tempfile::tempdir().unwrap();
    let keys: Vec<Key> = (0..10).map(|i| Key::of(&[&i.to_string()])).collect();
    // Each of the ten has about 5 kB.
    let cache = Cache { folder: folder.path().to_owned(), limit: 32_000 };
    for (i, key) in keys.iter().enumerate() {
        file::replace(&cache.path(key, "13.5"), &encode(&image("text"), key), Readers::User).unwrap();
        age(&cache.path(key, "13.5"), 1000 - i as u64);
    }
    // Old entries, used just now.
    assert!(cache.get(&keys[0], "13.5").is_some() && cache.get(&keys[3], "13.5").is_some());
    cache.trim();
    let left: Vec<usize> = (0..10).filter(|&i| cache.get(&keys[i], "13.5").is_some()).collect();
    assert_eq!(left, [0, 3, 7, 8, 9]);
    let bytes: u64 = trim::entries(&cache.folder).iter().map(|entry| entry.bytes).sum();
    assert!(bytes <= cache.limit, "{bytes}");

    // Below the limit nothing is evicted; a single file may exceed the limit.
    cache.trim();
    assert_eq!(trim::entries(&cache.folder).len(), 5);
    Cache { limit: 10, ..cache.clone() }.trim();
    assert_eq!(trim::entries(&cache.folder).len(), 0);
}

#[test]
fn foreign_and_unfinished_files_are_kept() {
    let (_folder, cache) = fresh();
    let key = Key::of(&["source"]);
    cache.put(&key, "13.5", &image("text"));
    let (note, source) = (key.to_string(), format!("saxpy_f32_-{}.cu", &key.to_string()[..16]));
    cache.write_note(NOTES, &note, "text").unwrap();
    cache.write_note(REJECTED, &source, "text").unwrap();
    let (place, _) = cache.location(&key);
    let foreign = [
        cache.folder.join("thesis.tex"),
        cache.folder.join("ab/notes.txt"),
        cache.folder.join("photos/1.kernel"),
        place.join("short-13.5.kernel"),
        cache.folder.join("nvrtc/libnvrtc.so.13"),
        cache.folder.join("nvrtc/note"),
        cache.folder.join("nvrtc").join(&note[..31]),
        cache.folder.join("nvrtc").join(&source),
        cache.folder.join("rejected/saxpy.cu"),
        cache.folder.join("rejected").join(&note),
        cache.folder.join("rejected").join(&source[10..]),
        cache.folder.join("rejected").join(source.replace(".cu", ".txt")),
        cache.folder.join("rejected/letter-of-2026-05-01.cu"),
    ];
    for path in &foreign {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, [0; 1000]).unwrap();
    }
    let (unfinished, abandoned) = (place.join(".unfinished-new"), place.join(".unfinished-old"));
    std::fs::write(&unfinished, "half").unwrap();
    std::fs::write(&abandoned, "half").unwrap();
    age(&abandoned, 2 * 60 * 60);

    Cache { limit: 0, ..cache.clone() }.trim();
    assert!(unfinished.exists() && !abandoned.exists());
    let text = |folder, name: &str| cache.read_note(folder, name);
    assert!(cache.get(&key, "13.5").is_none() && text(NOTES, &note).is_none() && text(REJECTED, &source).is_none());
    let gone = || foreign.iter().filter(|path| !path.exists()).collect::<Vec<_>>();
    assert!(gone().is_empty(), "trimmed: {:?}", gone());
    cache.put(&key, "13.5", &image("text"));
    cache.write_note(NOTES, &note, "text").unwrap();
    cache.write_note(REJECTED, &source, "text").unwrap();
    cache.clear().unwrap();
    assert!(cache.get(&key, "13.5").is_none() && !unfinished.exists());
    assert!(text(NOTES, &note).is_none() && text(REJECTED, &source).is_none());
    assert!(gone().is_empty(), "cleared: {:?}", gone());
    cache.put(&key, "13.5", &image("text"));
    assert!(cache.get(&key, "13.5").is_some());
}

#[test]
fn an_older_format_has_a_different_key() {
    let older = |format: u32| {
        let mut bytes = Vec::from(format.to_le_bytes());
        bytes.extend(6u64.to_le_bytes());
        bytes.extend(b"source");
        Key(key::hash(&bytes))
    };
    let key = Key::of(&["source"]);
    assert_eq!(older(key::FORMAT), key);
    // Also if its file has the name of the current key.
    let bytes = encode(&image("text"), &older(key::FORMAT - 1));
    assert_eq!(decode(&bytes, &key), None);
    assert!(decode(&encode(&image("text"), &key), &key).is_some());
}

/// Reads and writes one entry repeatedly; every read has to return an intact image.
fn race(cache: &Cache, text: &str) {
    let key = Key::of(&["raced"]);
    for _ in 0..200 {
        cache.put(&key, "13.5", &image(text));
        let read = cache.get(&key, "13.5").expect("an entry is replaced, never absent");
        assert_eq!(read, image(&read.ptx));
    }
}

#[test]
fn concurrent_threads_read_intact_entries() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path().to_owned());
    std::thread::scope(|scope| {
        for text in ["one", "two", "three"] {
            let cache = &cache;
            scope.spawn(move || race(cache, text));
        }
    });
    let (place, _) = cache.location(&Key::of(&["raced"]));
    assert_eq!(std::fs::read_dir(place).unwrap().count(), 1, "no temporary file is left");
}

const PROCESSES: usize = 16;
const RACED_KEYS: usize = 8;

fn start_racing(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["compile::cache::tests::racing_process", "--exact", "--ignored", "--nocapture"])
        .env("CUMBIA_TEST_RACE", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sixteen processes write and read the same few files; some are killed at random times, and some clear the directory.
#[test]
fn concurrent_processes_survive_kills() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::new();
    let mut processes: Vec<Child> = (0..PROCESSES).map(|_| start_racing(folder.path())).collect();
    for _ in 0..3 * PROCESSES {
        std::thread::sleep(std::time::Duration::from_millis(random.u64(0..40)));
        let i = random.usize(0..PROCESSES);
        processes[i].kill().unwrap();
        processes[i].wait().unwrap();
        processes[i] = start_racing(folder.path());
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    for process in &mut processes {
        // A process that found an error has ended with a panic; the others run until they are killed.
        let ended = process.try_wait().unwrap();
        let mut stderr = String::new();
        let _ = process.kill();
        let _ = std::io::Read::read_to_string(process.stderr.as_mut().unwrap(), &mut stderr);
        assert!(ended.is_none(), "{ended:?}: {stderr}");
        process.wait().unwrap();
    }

    // Each file is intact, or has the name of an unfinished file.
    let cache = Cache::in_folder(folder.path().to_owned());
    let keys: Vec<Key> = (0..RACED_KEYS).map(raced_key).collect();
    let mut whole = 0;
    for entry in trim::entries(folder.path()) {
        match entry.kind {
            Kind::Kernel => {
                let bytes = std::fs::read(&entry.path).unwrap();
                assert!(keys.iter().any(|key| decode(&bytes, key).is_some()), "{} is damaged", entry.path.display());
                whole += 1;
            }
            Kind::Unfinished => age(&entry.path, 2 * 60 * 60),
            Kind::Text => panic!("{} was not written", entry.path.display()),
        }
    }
    // There may be none: the last process that was killed may have cleared the directory.
    assert!(whole <= RACED_KEYS, "{whole}");
    cache.trim();
    assert!(trim::entries(folder.path()).iter().all(|entry| entry.kind == Kind::Kernel));
    cache.put(&keys[0], "13.5", &image("after"));
    assert_eq!(cache.get(&keys[0], "13.5"), Some(image("after")));
}

fn raced_key(i: usize) -> Key {
    Key::of(&["raced", &i.to_string()])
}

#[test]
#[ignore = "run as a separate process by `concurrent_processes_survive_kills`"]
fn racing_process() {
    let Some(folder) = std::env::var_os("CUMBIA_TEST_RACE") else { return };
    let cache = Cache::in_folder(folder.into());
    let mut random = fastrand::Rng::new();
    loop {
        let key = raced_key(random.usize(0..RACED_KEYS));
        match random.u32(0..100) {
            0 => cache.clear().unwrap(),
            1..50 => {
                let text = random.u64(..).to_string();
                let cubin = text.bytes().cycle().take(random.usize(1..300_000)).collect();
                cache.put(&key, "13.5", &Image { cubin: Some(cubin), ..image(&text) });
            }
            _ => {
                if let Some(Image { cubin: Some(cubin), ptx, .. }) = cache.get(&key, "13.5") {
                    assert!(cubin.iter().eq(ptx.as_bytes().iter().cycle().take(cubin.len())), "two images in one");
                }
                assert_eq!(stats().damaged, 0, "a partial file was read");
            }
        }
    }
}
