//! Eviction: keeps the cache's directory below its limit by removing the least recently used files.
//!
//! A file's modification time is the time of its last use. Only files whose directory and name match the cache's
//! patterns are considered, so other files in the same directory are safe.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::file::UNFINISHED;
use super::key::HASH_BYTES;
use super::{NOTES, REJECTED, SUFFIX};

/// The age after which an unfinished file is considered abandoned by a killed process.
const ABANDONED_AFTER: Duration = Duration::from_hours(1);

/// A file of the cache.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) used: SystemTime,
    pub(super) kind: Kind,
}

/// The kind of a file of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A compiled kernel.
    Kernel,
    /// A note, or a rejected source.
    Text,
    /// A file that a process is writing, or did not finish because it was killed.
    Unfinished,
}

/// Returns all files of the cache in a directory. Unreadable files are skipped.
pub(super) fn entries(folder: &Path) -> Vec<Entry> {
    let mut entries = Vec::new();
    // Links are not followed: their targets may belong to other users.
    for inner in files(folder).filter(|inner| inner.file_type().is_ok_and(|kind| kind.is_dir())) {
        let Some(name) = inner.file_name().into_string().ok() else { continue };
        let kind_of = match name.as_str() {
            NOTES => |name: &str| is_note(name).then_some(Kind::Text),
            REJECTED => |name: &str| is_rejected(name).then_some(Kind::Text),
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

/// Removes abandoned files, and then, if the directory exceeds the limit, the least recently used files until it is at
/// most seven eighths of the limit. Returns the number of evicted kernels and texts.
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
    // Below the limit by a margin, so that the next file does not cause another eviction.
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
            // Another process evicts concurrently.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            // It cannot be removed; the next one is evicted instead.
            Err(_) => continue,
        }
        total -= entry.bytes;
    }
    removed
}

/// Returns whether a name is that of a compiled kernel: the key without the directory's two digits, NVRTC's version,
/// and the extension.
fn is_kernel(name: &str) -> bool {
    let parts = || name.strip_suffix(SUFFIX)?.split_once('-');
    parts().is_some_and(|(key, _)| is_hex(key, 2 * HASH_BYTES - 2))
}

/// Returns whether a name is that of a note on NVRTC: a hash of the inputs of the search for it. The name is checked because
/// other software uses directories named `nvrtc`, too.
fn is_note(name: &str) -> bool {
    is_hex(name, 2 * HASH_BYTES)
}

/// Returns whether a name is that of a source that NVRTC rejected: the kernel's name, and the prefix of a hash.
fn is_rejected(name: &str) -> bool {
    let parts = || name.strip_suffix(".cu")?.rsplit_once('-');
    parts().is_some_and(|(kernel, hash)| !kernel.is_empty() && is_hex(hash, 16))
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn files(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}
