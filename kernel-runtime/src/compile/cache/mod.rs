//! The disk cache of compiled kernels, shared by processes.
//!
//! It is enabled by default, in the user's cache directory; `CUMBIA_CACHE_DIR` sets another directory,
//! `CUMBIA_CACHE_SIZE` the size limit (default 1 GiB), and `CUMBIA_CACHE=off` disables it. [`stats`] returns its
//! counters, and [`clear`] empties it.
//!
//! The cache never causes an error: an unreadable entry is a miss, and a failed write gives one warning. Files are replaced
//! atomically, so processes share a directory without locks. When the directory exceeds its limit, the least recently
//! used entries are evicted.
//!
//! The key of an entry is everything that the machine code depends on: a hash of the CUDA C, the architecture and the options,
//! and the version of NVRTC. An edit of a kernel, or of a device function that it calls in any crate, is therefore a miss.
//!
//! Compiled kernels are code that runs in the process. On Unix the cache is therefore private to its user (directories
//! 0700, files 0600), and a directory or file is not used if a user other than this one and root owns it, if its group
//! or others may write it, or if it is a symbolic link or not a regular file; this gives one warning, and kernels are
//! compiled. The cache directory itself may be a link. A process trusts its user, root, and the environment variables
//! that name directories.

// ```text
// ab/cdef…-13.5.kernel   an image: its key in hexadecimal, and the version of the NVRTC that compiled it
// nvrtc/0123…            the path of that NVRTC, so that its version is known without loading it
// rejected/saxpy-….cu     a source that NVRTC rejected, kept for the bug report
// ```

mod entry;
mod file;
mod key;
mod settings;
mod stats;
mod trim;
mod trust;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::SystemTime;

pub(crate) use entry::{decode, encode};
pub(crate) use file::{Readers, file_stem, replace};
pub(crate) use key::Key;
use settings::Settings;
pub(crate) use stats::COUNTS;
pub use stats::{Stats, stats};
use trust::Reason;
pub(crate) use trust::{TrustedOwners, Untrusted};

use crate::cuda::Image;
use crate::error::{Error, Result};
use cumbia_kernel_sync::event;

/// The directory of [`Cache::write_note`]'s notes about NVRTC.
pub(crate) const NOTES: &str = "nvrtc";
/// The directory of sources that NVRTC rejected.
pub(crate) const REJECTED: &str = "rejected";
/// The file name extension of a compiled kernel.
pub(crate) const SUFFIX: &str = ".kernel";

/// The `tracing` target of the cache's events.
const TARGET: &str = "cumbia::cache";

/// A directory of compiled kernels.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    /// The size limit, in bytes.
    limit: u64,
}

/// Removes all of Cumbia's files from the cache directory. Other files in the directory stay, and loaded kernels stay
/// loaded. Does nothing if the cache is disabled.
///
/// # Errors
///
/// [`Error::File`] if a file cannot be removed; all others are removed nevertheless.
///
/// ```no_run
/// cumbia::cache::clear()?;
/// assert_eq!(cumbia::cache::stats().entries, 0);
/// # Ok::<(), cumbia::Error>(())
/// ```
pub fn clear() -> Result<()> {
    Cache::of_process().map_or(Ok(()), |cache| cache.clear())
}

impl Cache {
    /// Returns the cache configured by the environment; `None` if it is disabled.
    pub(crate) fn of_process() -> Option<Cache> {
        Settings::of_process().cache(settings::user_cache_folder).unwrap_or_else(|reason| {
            warn_once(reason, WRITABLE);
            None
        })
    }

    /// Returns a cache in a test's directory.
    #[cfg(test)]
    pub(crate) fn in_folder(folder: PathBuf) -> Cache {
        Cache { folder, limit: settings::DEFAULT_LIMIT }
    }

    /// Returns the cache directory.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the image for the key, compiled by this version of NVRTC.
    pub(crate) fn get(&self, key: &Key, version: &str) -> Option<Image> {
        let path = self.path(key, version);
        let image = decode(&self.read_used(&path)?, key);
        if image.is_none() {
            COUNTS.damaged();
            event!(debug, target: TARGET, path = %path.display(), "damaged");
        }
        image
    }

    /// Returns the image for the key, compiled by the newest version of NVRTC that has an entry.
    pub(crate) fn get_any_version(&self, key: &Key) -> Option<Image> {
        let (folder, prefix) = self.location(key);
        let mut versions: Vec<String> = std::fs::read_dir(folder)
            .ok()?
            .filter_map(|file| {
                let name = file.ok()?.file_name().into_string().ok()?;
                Some(name.strip_prefix(&prefix)?.strip_prefix('-')?.strip_suffix(SUFFIX)?.to_owned())
            })
            .collect();
        // Such as `13.10`, or `13.10-nvjitlink.13.5`.
        let numbers =
            |version: &String| version.split(['.', '-']).map(|n| n.parse().unwrap_or(0)).collect::<Vec<u32>>();
        versions.sort_by_cached_key(numbers);
        versions.iter().rev().find_map(|version| self.get(key, version))
    }

    /// Stores an image, replacing an existing entry.
    pub(crate) fn put(&self, key: &Key, version: &str, image: &Image) {
        let bytes = encode(image, key);
        if bytes.len() as u64 > trust::MAX_FILE_BYTES {
            return;
        }
        if self.write(&self.path(key, version), &bytes).is_ok() {
            self.trim_periodically(bytes.len() as u64);
        }
    }

    /// Returns a note written by [`Cache::write_note`].
    pub(crate) fn read_note(&self, folder: &str, name: &str) -> Option<String> {
        String::from_utf8(self.read_used(&self.folder.join(folder).join(name))?).ok()
    }

    /// Writes a note into a directory of the cache, and returns its path on success.
    pub(crate) fn write_note(&self, folder: &str, name: &str, text: &str) -> Option<PathBuf> {
        let path = self.folder.join(folder).join(name);
        self.write(&path, text.as_bytes()).ok().map(|()| path)
    }

    /// Checks that the cache directory is writable and trusted.
    pub(crate) fn try_writing(&self) -> io::Result<()> {
        file::make_folder(&self.folder, Readers::User)?;
        TrustedOwners::of_process().check_folder(&self.folder)?;
        tempfile::tempfile_in(&self.folder).map(drop)
    }

    fn clear(&self) -> Result<()> {
        let mut done = Ok(());
        for entry in trim::entries(&self.folder) {
            if let Err(source) = std::fs::remove_file(&entry.path)
                && source.kind() != io::ErrorKind::NotFound
            {
                done = Err(Error::File { operation: "removing", path: entry.path, source });
            } else if let Some(folder) = entry.path.parent() {
                // Fails while the directory is not empty.
                let _ = std::fs::remove_dir(folder);
            }
        }
        done
    }

    fn path(&self, key: &Key, version: &str) -> PathBuf {
        let (folder, prefix) = self.location(key);
        folder.join(format!("{prefix}-{version}{SUFFIX}"))
    }

    /// Returns the directory of a key and the prefix of its file names. Entries are spread over 256 directories.
    fn location(&self, key: &Key) -> (PathBuf, String) {
        let mut hex = key.to_string();
        let rest = hex.split_off(2);
        (self.folder.join(hex), rest)
    }

    /// Returns the contents of a file, and updates its time of last use. Returns `None` if it does not exist or is not trusted.
    fn read_used(&self, path: &Path) -> Option<Vec<u8>> {
        let owners = TrustedOwners::of_process();
        let checked = owners.check_folder(&self.folder).and_then(|()| match path.parent() {
            Some(folder) if folder != self.folder => owners.check_inner_folder(folder),
            _ => Ok(()),
        });
        match checked.and_then(|()| owners.read(path)) {
            Ok((bytes, file)) => {
                // This fails in a read-only directory. The time only determines the eviction order, and files in such a
                // directory are not evicted.
                let _ = file.set_modified(SystemTime::now());
                Some(bytes)
            }
            Err(error) => {
                if let Some(untrusted) = Untrusted::of(&error) {
                    self.warn_untrusted(untrusted);
                }
                None
            }
        }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let write = || {
            let owners = TrustedOwners::of_process();
            file::make_folder(&self.folder, Readers::User)?;
            owners.check_folder(&self.folder)?;
            if let Some(folder) = path.parent() {
                match owners.check_inner_folder(folder) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    checked => checked?,
                }
            }
            file::replace(path, bytes, Readers::User)
        };
        write().inspect_err(|error| match Untrusted::of(error) {
            Some(untrusted) => self.warn_untrusted(untrusted),
            None => warn_once(&format!("{} is not writable: {error}", self.folder.display()), WRITABLE),
        })
    }

    /// Warns once per process about an untrusted file or directory.
    fn warn_untrusted(&self, untrusted: &Untrusted) {
        static WARNED: AtomicBool = AtomicBool::new(false);
        if untrusted.path == self.folder {
            match untrusted.reason {
                Reason::Kind { is, wanted } => {
                    let reason = format!("{} is not writable: it is a {is}, not a {wanted}", self.folder.display());
                    warn_once(&reason, WRITABLE);
                }
                _ => warn_once(&untrusted.to_string(), untrusted.help()),
            }
        } else if !WARNED.swap(true, Ordering::Relaxed) {
            let message = format!("part of the cache of compiled kernels is not used: {untrusted}");
            cumbia_kernel_sync::warn(message, untrusted.help());
        }
    }

    /// Enforces the size limit. Listing the directory takes milliseconds, so this runs on a separate thread, after the
    /// process's first write and then whenever it has written a 64th of the limit.
    fn trim_periodically(&self, written: u64) {
        static UNTRIMMED: AtomicU64 = AtomicU64::new(u64::MAX / 2);
        let untrimmed = UNTRIMMED.fetch_add(written, Ordering::Relaxed).saturating_add(written);
        if untrimmed <= self.limit / 64 {
            return;
        }
        UNTRIMMED.store(0, Ordering::Relaxed);
        let cache = self.clone();
        // If no thread can be created, trimming is left to another process.
        let _ = std::thread::Builder::new().name("cumbia-cache".to_owned()).spawn(move || cache.trim());
    }

    fn trim(&self) {
        let removed = trim::trim(&self.folder, self.limit);
        COUNTS.evicted(removed);
        if removed > 0 {
            let folder = self.folder.clone();
            event!(debug, target: TARGET, folder = %folder.display(), files = removed, "trimmed");
        }
    }
}

/// The remedy for a directory that is not writable.
const WRITABLE: &str = "point CUMBIA_CACHE_DIR at a writable directory, or set CUMBIA_CACHE=off";

/// Warns once per process that there is no cache: through `tracing` if there is a subscriber, otherwise on stderr.
fn warn_once(reason: &str, help: &'static str) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Ordering::Relaxed) {
        cumbia_kernel_sync::warn(format!("kernels are recompiled in each process, because {reason}"), help);
    }
}

#[cfg(test)]
mod tests;
