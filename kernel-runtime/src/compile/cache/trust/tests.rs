//! Hostile files and directories at each location of the cache and of precompiled kernels. A bug may block forever, so
//! each case runs on a thread with a timeout.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::super::{Cache, Key, NOTES, encode};
use super::*;
use crate::cuda::{Architecture, Image};
use crate::precompiled::{CompilationInputs, Precompiled};

const TIMEOUT: Duration = Duration::from_mins(1);
const OTHER_USER: u32 = 12_345;
const INPUTS: CompilationInputs<'_> = CompilationInputs { kernel: "saxpy", parts: &[b"source"], links: false };

fn image(text: &str) -> Image {
    Image { architecture: "sm_90".to_owned(), cubin: Some(vec![7; 100]), ptx: text.to_owned(), log: String::new() }
}

fn sm_90() -> Architecture {
    Architecture::parse("sm_90").unwrap()
}

fn key() -> Key {
    INPUTS.key(&sm_90())
}

fn in_time<R: Send + 'static>(what: &str, work: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, over) = channel();
    std::thread::spawn(move || done.send(work()));
    over.recv_timeout(TIMEOUT).unwrap_or_else(|_| panic!("{what}: timeout or panic"))
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn fifo(path: &Path) {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a C string.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

fn remove(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
        fs::remove_dir_all(path).unwrap();
    } else {
        let _ = fs::remove_file(path);
    }
}

/// Returns whether the process may change the owner of a file. If not, prints that the cases which need it are skipped.
fn may_change_owners() -> bool {
    // SAFETY: the function has no conditions.
    let root = unsafe { libc::geteuid() } == 0;
    if !root {
        eprintln!("skipped: files of other users, which only root can create");
    }
    root
}

/// A manipulation that makes a path untrusted. It receives the path of a valid file or directory, and replaces or
/// modifies it.
type Tamper = fn(&Path);

/// Returns the manipulations of a file, each with a part of the expected message.
fn tampered_files() -> Vec<(&'static str, Tamper)> {
    let mut cases: Vec<(&'static str, Tamper)> = vec![
        ("FIFO", |path| {
            remove(path);
            fifo(path);
        }),
        ("symbolic link", |path| {
            let elsewhere = path.with_file_name("elsewhere");
            fs::rename(path, &elsewhere).unwrap();
            symlink(&elsewhere, path).unwrap();
        }),
        ("symbolic link", |path| {
            remove(path);
            symlink("/dev/zero", path).unwrap();
        }),
        ("symbolic link", |path| {
            remove(path);
            symlink(path.file_name().unwrap(), path).unwrap(); // to itself
        }),
        ("socket", |path| {
            remove(path);
            // Its path may be too long for a socket.
            let short = tempfile::tempdir().unwrap();
            let at = short.path().join("s");
            let _listener = UnixListener::bind(&at).unwrap();
            fs::rename(&at, path).unwrap();
        }),
        ("directory", |path| {
            remove(path);
            fs::create_dir(path).unwrap();
        }),
        ("(mode 0666)", |path| set_mode(path, 0o666)),
        ("(mode 0620)", |path| set_mode(path, 0o620)),
        ("(mode 0602)", |path| set_mode(path, 0o602)),
        ("bytes", |path| File::options().write(true).open(path).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap()),
    ];
    if may_change_owners() {
        cases.push(("(uid 12345)", |path| chown(path, Some(OTHER_USER), Some(OTHER_USER)).unwrap()));
    }
    cases
}

/// Returns the manipulations of a directory of the cache, each with a part of the expected message.
fn tampered_folders() -> Vec<(&'static str, Tamper)> {
    let mut cases: Vec<(&'static str, Tamper)> = vec![
        ("FIFO", |path| {
            remove(path);
            fifo(path);
        }),
        ("regular file", |path| {
            remove(path);
            fs::write(path, "").unwrap();
        }),
        ("(mode 0777)", |path| set_mode(path, 0o777)),
        ("(mode 0770)", |path| set_mode(path, 0o770)),
        ("(mode 1777)", |path| set_mode(path, 0o1777)),
    ];
    if may_change_owners() {
        cases.push(("(uid 12345)", |path| chown(path, Some(OTHER_USER), Some(OTHER_USER)).unwrap()));
    }
    cases
}

/// Replaces a directory by a link to it, which is not permitted for an inner directory.
fn linked(path: &Path) {
    let elsewhere = path.with_file_name("elsewhere");
    fs::rename(path, &elsewhere).unwrap();
    symlink(&elsewhere, path).unwrap();
}

fn cache() -> (tempfile::TempDir, Cache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path().join("cache"));
    cache.put(&key(), "13.5", &image("good"));
    assert!(cache.write_note(NOTES, "note", "good").is_some());
    (folder, cache)
}

fn get(what: &str, cache: &Cache) -> Option<String> {
    let cache = cache.clone();
    in_time(what, move || cache.get(&key(), "13.5").or_else(|| cache.get_any_version(&key())).map(|image| image.ptx))
}

fn note(what: &str, cache: &Cache) -> Option<String> {
    let cache = cache.clone();
    in_time(what, move || cache.read_note(NOTES, "note"))
}

/// Checks that reading a path fails with the expected message.
#[track_caller]
fn check_reason(path: &Path, expected: &str) {
    let at = path.to_owned();
    let error = in_time(expected, move || TrustedOwners::of_process().read(&at)).map(drop).unwrap_err();
    let message = Untrusted::of(&error).unwrap_or_else(|| panic!("{expected}: {error}")).to_string();
    assert!(message.contains(expected) && message.contains(path.to_str().unwrap()), "{expected}: {message}");
}

#[test]
fn written_files_are_private() {
    let (_folder, cache) = cache();
    let path = cache.path(&key(), "13.5");
    assert_eq!(mode(&path), 0o600);
    for folder in [path.parent().unwrap(), &cache.folder, &cache.folder.join(NOTES)] {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
    assert_eq!(mode(&cache.folder.join(NOTES).join("note")), 0o600);
    assert_eq!((get("", &cache).as_deref(), note("", &cache).as_deref()), (Some("good"), Some("good")));
}

#[test]
fn an_untrusted_file_is_a_miss_and_is_replaced() {
    for (what, tamper) in tampered_files() {
        let (_folder, cache) = cache();
        let (kernel, text) = (cache.path(&key(), "13.5"), cache.folder.join(NOTES).join("note"));
        for path in [&kernel, &text] {
            tamper(path);
            check_reason(path, what);
        }
        assert_eq!((get(what, &cache), note(what, &cache)), (None, None), "{what}");
        cache.put(&key(), "13.5", &image("new"));
        cache.write_note(NOTES, "note", "new");
        // A directory cannot be replaced by a file.
        let expected = (what != "directory").then_some("new");
        assert_eq!((get(what, &cache).as_deref(), note(what, &cache).as_deref()), (expected, expected), "{what}");
        assert!(expected.is_none() || mode(&kernel) == 0o600 && fs::symlink_metadata(&kernel).unwrap().is_file());
    }
}

#[test]
fn an_untrusted_folder_is_neither_read_nor_written() {
    let inner = |cache: &Cache| cache.path(&key(), "13.5").parent().unwrap().to_owned();
    let root = |cache: &Cache| cache.folder.clone();
    let mut cases: Vec<(&str, Tamper, bool)> = tampered_folders()
        .into_iter()
        .flat_map(|(what, tamper)| [(what, tamper, false), (what, tamper, true)])
        .collect();
    cases.push(("symbolic link", linked, true));
    for (what, tamper, is_inner) in cases {
        let (_folder, cache) = cache();
        let path = if is_inner { inner(&cache) } else { root(&cache) };
        tamper(&path);
        let owners = TrustedOwners::of_process();
        let checked = if is_inner { owners.check_inner_folder(&path) } else { owners.check_folder(&path) };
        let error = checked.unwrap_err();
        assert!(Untrusted::of(&error).unwrap().to_string().contains(what), "{what}: {error}");
        assert_eq!(get(what, &cache), None, "{what}");
        let listed = || fs::read_dir(&path).map(Iterator::count).ok();
        let before = listed();
        {
            let cache = cache.clone();
            in_time(what, move || {
                cache.put(&key(), "13.5", &image("new"));
                cache.put(&key(), "99.9", &image("new"));
            });
        }
        assert_eq!((listed(), get(what, &cache)), (before, None), "{what}: nothing is written there");
        if !is_inner {
            assert!(cache.try_writing().is_err(), "{what}: `doctor` reports it");
        }
    }
}

/// For example, a user's link from the home directory to a large disk.
#[test]
fn the_cache_folder_itself_may_be_a_link() {
    let (folder, cache) = cache();
    linked(&cache.folder);
    assert_eq!(get("", &cache).as_deref(), Some("good"));
    cache.put(&key(), "13.5", &image("new"));
    assert_eq!(get("", &cache).as_deref(), Some("new"));
    set_mode(&folder.path().join("elsewhere"), 0o777);
    assert_eq!(get("", &cache), None);
}

/// Read permission for others is harmless.
#[test]
fn files_readable_by_others_are_used() {
    let (_folder, cache) = cache();
    let path = cache.path(&key(), "13.5");
    set_mode(&path, 0o644);
    set_mode(path.parent().unwrap(), 0o755);
    set_mode(&cache.folder, 0o755);
    assert_eq!(get("", &cache).as_deref(), Some("good"));
}

#[test]
fn trimming_and_clearing_do_not_follow_links() {
    let (folder, cache) = cache();
    let inner = cache.path(&key(), "13.5").parent().unwrap().to_owned();
    linked(&inner);
    let kept = inner.with_file_name("elsewhere").join(cache.path(&key(), "13.5").file_name().unwrap());
    assert!(kept.exists());
    Cache { limit: 0, ..cache.clone() }.trim();
    cache.clear().unwrap();
    assert!(kept.exists());
    drop(folder);
}

fn precompiled() -> (tempfile::TempDir, PathBuf, Precompiled) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernels");
    let precompiled = Precompiled::in_folder(&path);
    let (file, _) = precompiled.put(INPUTS, &sm_90(), &image("good")).unwrap();
    (folder, file, precompiled)
}

fn find(what: &str, precompiled: &Precompiled) -> Option<String> {
    let precompiled = precompiled.clone();
    in_time(what, move || precompiled.get_for_gpu(INPUTS, &sm_90()).map(|image| image.ptx))
}

#[test]
fn precompiled_kernels_have_the_same_trust_rules() {
    let (_folder, file, whole) = precompiled();
    assert_eq!(mode(&file) & !0o044, 0o600);
    assert_eq!(mode(file.parent().unwrap()) & !0o055, 0o700);
    assert_eq!(find("", &whole).as_deref(), Some("good"));
    for (what, tamper) in tampered_files() {
        let (_folder, file, precompiled) = precompiled();
        tamper(&file);
        assert_eq!(find(what, &precompiled), None, "{what}");
    }
    for (what, tamper) in tampered_folders().into_iter().chain([("symbolic link", linked as Tamper)]) {
        let (_folder, file, precompiled) = precompiled();
        tamper(file.parent().unwrap());
        assert_eq!(find(what, &precompiled), None, "{what}");
        let (_folder, file, _) = self::precompiled();
        let root = file.parent().unwrap().parent().unwrap();
        if what != "symbolic link" {
            tamper(root);
            assert_eq!(Precompiled::checked(root.to_owned(), TrustedOwners::of_process()), None, "{what}");
        }
    }
}

/// Files of the executable's owner beside it are no more dangerous than the executable.
#[test]
fn the_owner_of_the_executable_is_trusted() {
    if !may_change_owners() {
        return;
    }
    let (folder, file, _) = precompiled();
    let executable = folder.path().join("program");
    fs::write(&executable, "").unwrap();
    let root = file.parent().unwrap().parent().unwrap();
    for path in [&executable, root, file.parent().unwrap(), &file] {
        chown(path, Some(OTHER_USER), None).unwrap();
    }
    assert_eq!(Precompiled::checked(root.to_owned(), TrustedOwners::of_process()), None);
    let beside = Precompiled::checked(root.to_owned(), TrustedOwners::of_process().or_owner_of(&executable)).unwrap();
    assert_eq!(find("", &beside).as_deref(), Some("good"));
    chown(&file, Some(OTHER_USER + 1), None).unwrap();
    assert_eq!(find("", &beside), None);
}

/// The checked file is the file that is used, even if it is repeatedly exchanged for one that another user could have written.
#[test]
fn exchanging_a_file_does_not_bypass_the_check() {
    let (_folder, cache) = cache();
    let path = cache.path(&key(), "13.5");
    let bad = encode(&image("bad"), &key());
    std::thread::scope(|scope| {
        let exchanging = scope.spawn(|| {
            for i in 0..300 {
                let aside = path.with_file_name("aside");
                let _ = fs::remove_file(&aside);
                match i % 3 {
                    0 => fifo(&aside),
                    1 => symlink("/dev/zero", &aside).unwrap(),
                    _ => {
                        fs::write(&aside, &bad).unwrap();
                        set_mode(&aside, 0o666);
                    }
                }
                fs::rename(&aside, &path).unwrap();
                cache.put(&key(), "13.5", &image("good"));
            }
        });
        while !exchanging.is_finished() {
            assert_ne!(cache.get(&key(), "13.5").map(|image| image.ptx).as_deref(), Some("bad"));
        }
    });
    assert_eq!(get("", &cache).as_deref(), Some("good"));
}
