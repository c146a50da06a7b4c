//! Keeping the cache's folder below its limit: what was used least recently goes first.
//!
//! The time of a file's change is when it was last used. Only files that are ours by their place and name are ever looked
//! at: a folder that somebody else uses too is safe.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::file::UNFINISHED;
use super::{NOTES, REFUSED, SUFFIX};

/// A process that writes a file is done with it after this time, or it was killed.
const ABANDONED_AFTER: Duration = Duration::from_hours(1);

/// A file of the cache.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) used: SystemTime,
    pub(super) kind: Kind,
}

/// What a file of the cache is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A compiled kernel.
    Kernel,
    /// A note, or a refused source.
    Text,
    /// What a process is writing, or left when it was killed.
    Unfinished,
}

/// All files of the cache in a folder. What cannot be read is not there.
pub(super) fn entries(folder: &Path) -> Vec<Entry> {
    let mut entries = Vec::new();
    // No links: what they lead to may be anybody's.
    for inner in files(folder).filter(|inner| inner.file_type().is_ok_and(|kind| kind.is_dir())) {
        let Some(name) = inner.file_name().into_string().ok() else { continue };
        let kind_of = match name.as_str() {
            NOTES => |name: &str| is_note(name).then_some(Kind::Text),
            REFUSED => |name: &str| is_refused(name).then_some(Kind::Text),
            _ if is_hex(&name, 2) => |name: &str| is_kernel(name).then_some(Kind::Kernel),
            _ => continue,
        };
        entries.extend(files(&inner.path()).filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            let kind = if name.starts_with(UNFINISHED) { Kind::Unfinished } else { kind_of(&name)? };
            let metadata = file.metadata().ok().filter(fs::Metadata::is_file)?;
            Some(Entry { path: file.path(), bytes: metadata.len(), used: metadata.modified().ok()?, kind })
        }));
    }
    entries
}

/// Removes what a killed process left, and then, of the rest, what was used least recently until seven eighths of the
/// limit are left. Gives how many kernels and texts that were.
pub(super) fn trim(folder: &Path, limit: u64) -> u64 {
    let now = SystemTime::now();
    let mut entries = entries(folder);
    entries.retain(|entry| {
        let abandoned = entry.kind == Kind::Unfinished
            && now.duration_since(entry.used).is_ok_and(|age| age > ABANDONED_AFTER)
            && fs::remove_file(&entry.path).is_ok();
        !abandoned
    });
    let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
    if total <= limit {
        return 0;
    }
    // Some room, so that the next file does not ask for the same again.
    let goal = limit - limit / 8;
    entries.retain(|entry| entry.kind != Kind::Unfinished);
    entries.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
    let mut removed = 0;
    for entry in entries {
        if total <= goal {
            break;
        }
        match fs::remove_file(&entry.path) {
            Ok(()) => removed += 1,
            // Another process trims as well.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            // It stays, and something younger goes in its place.
            Err(_) => continue,
        }
        total -= entry.bytes;
    }
    removed
}

/// The name of a compiled kernel: what its key has behind the folder's two digits, NVRTC's version, and the suffix.
fn is_kernel(name: &str) -> bool {
    let parts = || name.strip_suffix(SUFFIX)?.split_once('-');
    parts().is_some_and(|(key, _)| is_hex(key, 62))
}

/// The name of a note on NVRTC: a hash of what the search for it depends on. Others have folders of the name `nvrtc` too.
fn is_note(name: &str) -> bool {
    is_hex(name, 64)
}

/// The name of a source that NVRTC refused: the kernel's, and the beginning of a hash.
fn is_refused(name: &str) -> bool {
    let parts = || name.strip_suffix(".cu")?.rsplit_once('-');
    parts().is_some_and(|(kernel, hash)| !kernel.is_empty() && is_hex(hash, 16))
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn files(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}
