//! The disk cache: compiled kernels, kept from one process to the next.
//!
//! It is on by default, in the user's cache folder; `CUMBIA_CACHE_DIR` moves it, `CUMBIA_CACHE_SIZE` sets its limit (1 GiB
//! otherwise), and `CUMBIA_CACHE=off` turns it off. [`stats`] tells what became of this process's kernels, and [`clear`]
//! empties it.
//!
//! It is an aid and never a cause of failure: what cannot be read is compiled again, and what cannot be written is gone
//! after one warning. Files are only ever replaced whole, so that processes may share a folder without locks. What was used
//! least recently is removed when the folder grows beyond its limit.
//!
//! A kernel's file is found by what its machine code depends on: a hash of its CUDA C, the architecture and the options,
//! and the version of NVRTC. So an edit of a kernel or of a device function that it calls, in whatever crate, is a miss.
//!
//! Compiled kernels are code that runs in the process. So on Unix the cache is private to its user (folders 0700, files
//! 0600), and a folder or file is not used where another user than this one and root owns it, where its group or everyone
//! may write it, or where it is a symbolic link or no regular file; one warning says so, and kernels are compiled. The
//! folder itself may be a link. A process trusts its user, root, and the environment variables that name folders.

// ```text
// ab/cdef…-13.5.kernel   an image; its key in hexadecimal, and the NVRTC that made it
// nvrtc/0123…            where that NVRTC is, so that its version is known without loading it
// refused/saxpy-….cu     a source that NVRTC refused, kept for the bug report
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
pub(crate) use trust::{Owners, Refused};

use crate::cuda::Image;
use crate::error::{Error, Result};
use crate::warning::event;

/// The folder of [`Cache::write_note`]'s texts about NVRTC.
pub(crate) const NOTES: &str = "nvrtc";
/// The folder of sources that NVRTC refused.
pub(crate) const REFUSED: &str = "refused";
/// How the name of a compiled kernel ends.
pub(crate) const SUFFIX: &str = ".kernel";

/// The target of what is said through `tracing`.
const TARGET: &str = "cumbia::cache";

/// A folder of compiled kernels.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    /// The bytes that it is kept below.
    limit: u64,
}

/// Removes every compiled kernel from the cache, and what else Cumbia keeps there. Other files in the folder stay, and
/// kernels that are loaded stay loaded. Where the cache is off, nothing happens.
///
/// # Errors
///
/// [`Error::File`] where a file cannot be removed; those that can be are gone then.
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
    /// The cache that the environment asks for; `None` where it is off.
    pub(crate) fn of_process() -> Option<Cache> {
        Settings::of_process().cache(dirs::cache_dir).unwrap_or_else(|reason| {
            warn_once(reason, WRITABLE);
            None
        })
    }

    /// A cache in a folder of a test.
    #[cfg(test)]
    pub(crate) fn in_folder(folder: PathBuf) -> Cache {
        Cache { folder, limit: settings::DEFAULT_LIMIT }
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The image that the NVRTC of this version made for the key.
    pub(crate) fn get(&self, key: &Key, version: &str) -> Option<Image> {
        let path = self.path(key, version);
        let image = decode(&self.read_used(&path)?, key);
        if image.is_none() {
            COUNTS.damaged();
            event!(debug, target: TARGET, path = %path.display(), "damaged");
        }
        image
    }

    /// The image that any NVRTC made for the key, of the newest one if there are several.
    pub(crate) fn get_any(&self, key: &Key) -> Option<Image> {
        let (folder, prefix) = self.place(key);
        let mut versions: Vec<String> = std::fs::read_dir(folder)
            .ok()?
            .filter_map(|file| {
                let name = file.ok()?.file_name().into_string().ok()?;
                Some(name.strip_prefix(&prefix)?.strip_prefix('-')?.strip_suffix(SUFFIX)?.to_owned())
            })
            .collect();
        versions.sort_by_cached_key(|version| version.split('.').map(|n| n.parse().unwrap_or(0)).collect::<Vec<u32>>());
        versions.iter().rev().find_map(|version| self.get(key, version))
    }

    /// Keeps an image, in place of what was there.
    pub(crate) fn put(&self, key: &Key, version: &str, image: &Image) {
        let bytes = encode(image, key);
        if bytes.len() as u64 > trust::LARGEST {
            return;
        }
        if self.write(&self.path(key, version), &bytes).is_ok() {
            self.trim_now_and_then(bytes.len() as u64);
        }
    }

    /// A note that [`Cache::write_note`] left.
    pub(crate) fn read_note(&self, folder: &str, name: &str) -> Option<String> {
        String::from_utf8(self.read_used(&self.folder.join(folder).join(name))?).ok()
    }

    /// Leaves a text in a folder of the cache; gives its path if that worked.
    pub(crate) fn write_note(&self, folder: &str, name: &str, text: &str) -> Option<PathBuf> {
        let path = self.folder.join(folder).join(name);
        self.write(&path, text.as_bytes()).ok().map(|()| path)
    }

    /// Whether something can be written there; if not, why.
    pub(crate) fn try_writing(&self) -> io::Result<()> {
        file::make_folder(&self.folder, Readers::User)?;
        Owners::of_process().check_folder(&self.folder)?;
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
                // Fails as long as something is in it.
                let _ = std::fs::remove_dir(folder);
            }
        }
        done
    }

    fn path(&self, key: &Key, version: &str) -> PathBuf {
        let (folder, prefix) = self.place(key);
        folder.join(format!("{prefix}-{version}{SUFFIX}"))
    }

    /// The folder of a key and how its files begin; 256 folders keep each of them short.
    fn place(&self, key: &Key) -> (PathBuf, String) {
        let mut hex = key.to_string();
        let rest = hex.split_off(2);
        (self.folder.join(hex), rest)
    }

    /// The bytes of a file, which counts as used from now on; `None` where there is none, or where it is not to be trusted.
    fn read_used(&self, path: &Path) -> Option<Vec<u8>> {
        let owners = Owners::of_process();
        let checked = owners.check_folder(&self.folder).and_then(|()| match path.parent() {
            Some(folder) if folder != self.folder => owners.check_inner_folder(folder),
            _ => Ok(()),
        });
        match checked.and_then(|()| owners.read(path)) {
            Ok((bytes, file)) => {
                // In a folder that is read-only a file keeps its time: nothing depends on it but the order in which files
                // are removed, and those are not removed.
                let _ = file.set_modified(SystemTime::now());
                Some(bytes)
            }
            Err(error) => {
                if let Some(refused) = Refused::of(&error) {
                    self.refuse(refused);
                }
                None
            }
        }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let write = || {
            let owners = Owners::of_process();
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
        write().inspect_err(|error| match Refused::of(error) {
            Some(refused) => self.refuse(refused),
            None => warn_once(&format!("{} cannot be written: {error}", self.folder.display()), WRITABLE),
        })
    }

    /// Says, once in a process, what is not trusted.
    fn refuse(&self, refused: &Refused) {
        static WARNED: AtomicBool = AtomicBool::new(false);
        if refused.path == self.folder {
            match refused.reason {
                Reason::Kind { is, wanted } => {
                    let reason =
                        format!("{} cannot be written: it is a {is} and not a {wanted}", self.folder.display());
                    warn_once(&reason, WRITABLE);
                }
                _ => warn_once(&refused.to_string(), refused.help()),
            }
        } else if !WARNED.swap(true, Ordering::Relaxed) {
            let message = format!("part of the cache of compiled kernels is not used: {refused}");
            crate::warning::warn(message, refused.help());
        }
    }

    /// Keeps the folder below its limit. Looking at all of it takes milliseconds, so it is done on a thread of its own, at
    /// the first file that a process writes and then whenever it has written a 64th of the limit.
    fn trim_now_and_then(&self, written: u64) {
        static UNSEEN: AtomicU64 = AtomicU64::new(u64::MAX / 2);
        let unseen = UNSEEN.fetch_add(written, Ordering::Relaxed).saturating_add(written);
        if unseen <= self.limit / 64 {
            return;
        }
        UNSEEN.store(0, Ordering::Relaxed);
        let cache = self.clone();
        // Where no thread can be had, another process trims.
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

/// What to do where a folder cannot be written.
const WRITABLE: &str = "point CUMBIA_CACHE_DIR at a folder that can be written, or set CUMBIA_CACHE=off";

/// Says, once in a process, why there is no cache: to whoever listens to `tracing`, and otherwise on stderr.
fn warn_once(reason: &str, help: &'static str) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Ordering::Relaxed) {
        crate::warning::warn(format!("Cumbia compiles its kernels anew in each process, because {reason}"), help);
    }
}

#[cfg(test)]
mod tests;
