//! The disk cache across processes: hits, corruption, permissions and races.

use std::path::{Path, PathBuf};

use crate::kernels::{NUMBERS, cubin_of};
use crate::support::{Process, Said, has_nvrtc, tell};

/// Compiles the kernels of `CUMBIA_TEST_NUMBERS`, and prints the counters.
#[test]
#[ignore = "run as a process of its own"]
fn compiles() {
    let numbers = std::env::var("CUMBIA_TEST_NUMBERS").unwrap();
    for number in numbers.split_whitespace() {
        cubin_of(number.parse().unwrap());
    }
    tell(&cumbia::cache::stats());
}

fn compile(folder: &Path, numbers: &str) -> Process {
    Process::new("cache::compiles").env("CUMBIA_CACHE_DIR", folder).env("CUMBIA_TEST_NUMBERS", numbers)
}

/// Returns the files of compiled kernels in a cache.
fn kernels_in(folder: &Path) -> Vec<PathBuf> {
    let files = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect::<Vec<_>>();
    let folders = files(folder).into_iter().filter(|path| path.is_dir());
    folders
        .flat_map(|folder| files(&folder))
        .filter(|path| path.extension().is_some_and(|extension| extension == "kernel"))
        .collect()
}

#[test]
fn a_second_process_hits_the_cache() {
    if !has_nvrtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let first = compile(folder.path(), "0 1 2").passes().counts();
    assert_eq!((first["misses"], first["compilations"], first["hits"], first["entries"]), (3, 3, 0, 3));
    assert!(first["loading"] > 0 && first["bytes"] > 3000);

    let second = compile(folder.path(), "0 1 2").passes().counts();
    assert_eq!((second["misses"], second["compilations"], second["hits"], second["entries"]), (0, 0, 3, 3));
    assert_eq!(second["loading"], 0, "NVRTC is not even loaded");

    let third = compile(folder.path(), "2 3").passes().counts();
    assert_eq!((third["misses"], third["compilations"], third["hits"], third["entries"]), (1, 1, 1, 4));
}

#[test]
fn the_cache_is_on_by_default_and_can_be_disabled() {
    if !has_nvrtc() || !cfg!(target_os = "linux") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let compile = |cache: &str| {
        Process::new("cache::compiles")
            .env("CUMBIA_TEST_NUMBERS", "0")
            .env("CUMBIA_CACHE", cache)
            .env("HOME", home.path())
            .without("XDG_CACHE_HOME")
    };
    let off = compile("off").passes().counts();
    assert_eq!((off["hits"], off["misses"], off["compilations"], off["entries"]), (0, 0, 1, 0));
    assert!(!home.path().join(".cache").exists());
    compile("").passes();
    assert_eq!(kernels_in(&home.path().join(".cache/cumbia")).len(), 1);
    assert_eq!(compile("").passes().counts()["hits"], 1);
}

#[test]
fn corrupt_files_are_misses_and_replaced() {
    if !has_nvrtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "0 1 2 3").passes();
    let files = kernels_in(folder.path());
    let whole: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    let mut flipped = whole[1].clone();
    flipped[100] ^= 1;
    std::fs::write(&files[0], &whole[0][..whole[0].len() / 2]).unwrap();
    std::fs::write(&files[1], &flipped).unwrap();
    std::fs::write(&files[2], "").unwrap();
    // An intact file of another kernel.
    std::fs::write(&files[3], &whole[0]).unwrap();

    let counts = compile(folder.path(), "0 1 2 3").passes().counts();
    assert_eq!((counts["misses"], counts["compilations"], counts["hits"]), (4, 4, 0));
    assert!(counts["damaged"] >= 4);
    assert_eq!(compile(folder.path(), "0 1 2 3").passes().counts()["hits"], 4);
}

#[test]
fn the_size_limit_is_enforced() {
    if !has_nvrtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let bytes = compile(folder.path(), "0 1 2 3 4 5 6 7").passes().counts()["bytes"];
    // The next process that writes evicts half of the files. Eviction runs on a thread, which may finish after that process reads
    // its counters, or not before it ends.
    let limit = bytes / 2;
    for number in 8..NUMBERS {
        compile(folder.path(), &number.to_string()).env("CUMBIA_CACHE_SIZE", limit.to_string()).passes();
        let left: u64 = kernels_in(folder.path()).iter().map(|file| std::fs::metadata(file).unwrap().len()).sum();
        if left <= limit {
            return;
        }
    }
    panic!("the cache is larger than {limit} bytes");
}

/// Runs a test in a process that cannot write to the cache directory, and checks that it gives exactly one warning.
#[track_caller]
fn check_unwritable(test: &str, folder: &Path) -> Said {
    let said = Process::new(test).env("CUMBIA_CACHE_DIR", folder).passes();
    let warning = "warning: kernels are recompiled in each process, because";
    assert_eq!(said.err.matches(warning).count(), 1, "one warning:\n{}", said.err);
    assert!(said.err.contains(&format!("{} is not writable: ", folder.display())), "{}", said.err);
    assert!(said.err.contains("help: point CUMBIA_CACHE_DIR at a writable directory"), "{}", said.err);
    said
}

#[test]
#[ignore = "run as a process of its own"]
fn compiles_three() {
    for number in [0, 1, 2, 0] {
        cubin_of(number);
    }
    tell(&cumbia::cache::stats());
}

#[test]
fn a_file_as_cache_folder_gives_one_warning() {
    if !has_nvrtc() {
        return;
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    let counts = check_unwritable("cache::compiles_three", file.path()).counts();
    assert_eq!((counts["misses"], counts["compilations"], counts["entries"]), (4, 4, 0));
}

#[test]
#[cfg(unix)]
#[ignore = "run as a process of its own"]
fn compiles_three_without_permissions() {
    cubin_of(0);
    // Root may write anywhere, so the process drops its privileges. NVRTC is loaded by now, wherever it is.
    // SAFETY: the call changes the user of this process, on which nothing else in the process depends.
    let changed = unsafe { libc::setuid(if libc::getuid() == 0 { 65534 } else { libc::getuid() }) };
    assert_eq!(changed, 0);
    compiles_three();
}

#[test]
#[cfg(unix)]
fn a_read_only_folder_is_read() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    if !has_nvrtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    compile(folder.path(), "0").passes();
    let folders = || std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    // A cache prepared for other users is readable for them.
    for file in folders().flat_map(|inner| std::fs::read_dir(inner).unwrap()) {
        set_permissions(file.unwrap().path(), Permissions::from_mode(0o644)).unwrap();
    }
    for inner in folders().chain([folder.path().to_owned()]) {
        set_permissions(inner, Permissions::from_mode(0o555)).unwrap();
    }
    let counts = check_unwritable("cache::compiles_three_without_permissions", folder.path()).counts();
    for inner in folders().chain([folder.path().to_owned()]) {
        set_permissions(inner, Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!((counts["hits"], counts["misses"], counts["compilations"], counts["entries"]), (3, 2, 2, 1));
}

/// Neither kernels nor the note on NVRTC are used if another user could have written them.
#[test]
#[cfg(unix)]
fn a_folder_writable_by_others_gives_one_warning_and_is_not_used() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::{PermissionsExt, chown};

    if !has_nvrtc() {
        return;
    }
    let prepared = || {
        let folder = tempfile::tempdir().unwrap();
        compile(folder.path(), "0 1 2").passes();
        folder
    };
    let check = |folder: &Path, words: &[&str]| {
        let entries = || std::fs::read_dir(folder).unwrap().count();
        let before = entries();
        let said = Process::new("cache::compiles_three").env("CUMBIA_CACHE_DIR", folder).passes();
        assert_eq!(said.err.matches("warning: ").count(), 1, "one warning:\n{}", said.err);
        for word in ["warning: kernels are recompiled", &folder.display().to_string()].iter().chain(words) {
            assert!(said.err.contains(word), "no {word} in\n{}", said.err);
        }
        let counts = said.counts();
        assert_eq!((counts["hits"], counts["misses"], counts["compilations"]), (0, 4, 4));
        assert!(counts["loading"] > 0 && entries() == before, "nothing is read or written there");
    };
    let folder = prepared();
    for mode in [0o777, 0o1777, 0o770] {
        set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
        check(folder.path(), &["is writable by other users", &format!("(mode {mode:04o})"), "chmod -R go-w"]);
    }
    set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
    assert_eq!(compile(folder.path(), "0 1 2").passes().counts()["hits"], 3);
    if chown(folder.path(), Some(12_345), None).is_ok() {
        check(folder.path(), &["belongs to another user (uid 12345)", "CUMBIA_CACHE_DIR", "CUMBIA_CACHE=off"]);
    }
}

#[test]
#[cfg(unix)]
fn special_files_in_the_folder_do_not_block() {
    if !has_nvrtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "0 1 2").passes();
    let notes = std::fs::read_dir(folder.path().join("nvrtc")).unwrap().map(|note| note.unwrap().path());
    for path in kernels_in(folder.path()).into_iter().chain(notes) {
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    }
    let mut process = compile(folder.path(), "0 1 2").start();
    let limit = std::time::Instant::now() + std::time::Duration::from_mins(2);
    while process.try_wait().unwrap().is_none() {
        if std::time::Instant::now() > limit {
            process.kill().unwrap();
            panic!("the process blocks on a FIFO");
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let said = Said::of(process.wait_with_output().unwrap());
    assert_eq!(said.err.matches("warning: ").count(), 1, "one warning:\n{}", said.err);
    assert!(said.err.contains("is a FIFO, not a regular file"), "{}", said.err);
    assert_eq!(said.counts()["compilations"], 3);
    assert_eq!(compile(folder.path(), "0 1 2").passes().counts()["hits"], 3, "they were replaced");
}

#[test]
#[cfg(unix)]
#[ignore = "run as a process of its own"]
fn compiles_three_on_a_full_disk() {
    // Limits the file size of this process; exceeding it is an error instead of a signal.
    let limit = libc::rlimit { rlim_cur: 1000, rlim_max: 1000 };
    // SAFETY: the structure is initialised, and the signal may be ignored.
    unsafe {
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit), 0);
        assert_ne!(libc::signal(libc::SIGXFSZ, libc::SIG_IGN), libc::SIG_ERR);
    }
    compiles_three();
}

#[test]
#[cfg(unix)]
fn a_full_disk_gives_one_warning_and_leaves_no_files() {
    if !has_nvrtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let counts = check_unwritable("cache::compiles_three_on_a_full_disk", folder.path()).counts();
    assert_eq!((counts["misses"], counts["compilations"], counts["entries"]), (4, 4, 0));
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .flat_map(|inner| std::fs::read_dir(inner.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .filter(|file| file.parent().is_some_and(|folder| !folder.ends_with("nvrtc")))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Sixteen processes compile the same and different kernels concurrently, and some are killed at random times.
#[test]
fn sixteen_processes_compile_at_a_time() {
    const PROCESSES: usize = 16;
    if !has_nvrtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::new();
    let mut processes: Vec<_> =
        (0..PROCESSES).map(|i| (i, compile(folder.path(), &format!("0 1 2 {}", 3 + i)).start())).collect();
    for _ in 0..5 {
        std::thread::sleep(std::time::Duration::from_millis(random.u64(0..400)));
        let (_, mut process) = processes.swap_remove(random.usize(0..processes.len()));
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let survivors: Vec<usize> = processes
        .into_iter()
        .map(|(i, process)| {
            let counts = Said::of(process.wait_with_output().unwrap()).counts();
            assert_eq!(counts["damaged"], 0);
            assert_eq!(counts["hits"] + counts["compilations"], 4);
            i
        })
        .collect();

    let all: Vec<String> = (0..3).chain(survivors.iter().map(|i| 3 + i)).map(|number| number.to_string()).collect();
    let counts = compile(folder.path(), &all.join(" ")).passes().counts();
    assert_eq!((counts["hits"], counts["compilations"], counts["damaged"]), (all.len() as u64, 0, 0));
}

#[test]
#[ignore = "run as a process of its own"]
fn clears() {
    cubin_of(0);
    assert_eq!(cumbia::cache::stats().entries, 1);
    cumbia::cache::clear().unwrap();
    let stats = cumbia::cache::stats();
    assert_eq!((stats.entries, stats.bytes), (0, 0));
    cubin_of(0);
    let stats = cumbia::cache::stats();
    assert_eq!((stats.entries, stats.compilations), (1, 2));
    let text = stats.to_string();
    assert!(
        text.contains("1 kernels, ") && text.contains("of at most 1.0 GiB; in this process 0 hits, 2 misses"),
        "{text}"
    );
}

#[test]
fn the_cache_can_be_cleared() {
    if has_nvrtc() {
        let folder = tempfile::tempdir().unwrap();
        Process::new("cache::clears").env("CUMBIA_CACHE_DIR", folder.path().join("new")).passes();
    }
}
