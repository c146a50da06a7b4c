//! The disk cache: compiled kernels, kept from one process to the next.
//!
//! It is an aid and never a cause of failure: what cannot be read is compiled again, and what cannot be written is gone
//! after one warning. Files are only ever replaced whole, so that processes may share a folder without locks.
//!
//! `CUMBIA_CACHE_DIR` moves it from the user's cache folder, and `CUMBIA_CACHE=off` turns it off.
//!
//! ```text
//! ab/cdef…-13.5.kernel   an image; its key in hexadecimal, and the NVRTC that made it
//! nvrtc/0123…            where that NVRTC is, so that its version is known without loading it
//! refused/saxpy-….cu     a source that NVRTC refused, kept for the bug report
//! ```

mod entry;
mod key;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use key::Key;

use crate::cuda::Image;

/// A folder of compiled kernels.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache that the environment asks for; `None` where it is off.
    ///
    /// The environment is read at each call, which is nothing beside a compilation, so that a program may change it.
    pub(crate) fn of_process() -> Option<Cache> {
        let cache = Cache::from_settings(
            std::env::var_os("CUMBIA_CACHE"),
            std::env::var_os("CUMBIA_CACHE_DIR"),
            dirs::cache_dir,
        );
        match cache {
            Ok(cache) => cache,
            Err(reason) => {
                warn_once(reason);
                None
            }
        }
    }

    /// A cache in a folder of a test.
    #[cfg(test)]
    pub(crate) fn in_folder(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    fn from_settings(
        switch: Option<OsString>,
        folder: Option<OsString>,
        users: impl FnOnce() -> Option<PathBuf>,
    ) -> Result<Option<Cache>, &'static str> {
        let switch = switch.unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if matches!(switch.as_str(), "off" | "0" | "no" | "false") {
            return Ok(None);
        }
        match folder.filter(|folder| !folder.is_empty()) {
            Some(folder) => Ok(Some(Cache { folder: folder.into() })),
            None => match users() {
                Some(folder) => Ok(Some(Cache { folder: folder.join("cumbia") })),
                None => Err("this user has no cache folder"),
            },
        }
    }

    /// The image that the NVRTC of this version made for the key.
    pub(crate) fn get(&self, key: &Key, version: &str) -> Option<Image> {
        entry::decode(&std::fs::read(self.path(key, version)).ok()?, key)
    }

    /// The image that any NVRTC made for the key, of the newest one if there are several.
    pub(crate) fn get_any(&self, key: &Key) -> Option<Image> {
        let (folder, prefix) = self.place(key);
        let mut versions: Vec<String> = std::fs::read_dir(folder)
            .ok()?
            .filter_map(|file| {
                let name = file.ok()?.file_name().into_string().ok()?;
                Some(name.strip_prefix(&prefix)?.strip_prefix('-')?.strip_suffix(".kernel")?.to_owned())
            })
            .collect();
        versions.sort_by_cached_key(|version| version.split('.').map(|n| n.parse().unwrap_or(0)).collect::<Vec<u32>>());
        versions.iter().rev().find_map(|version| self.get(key, version))
    }

    /// Keeps an image, in place of what was there.
    pub(crate) fn put(&self, key: &Key, version: &str, image: &Image) {
        let _ = self.write(&self.path(key, version), &entry::encode(image, key));
    }

    /// A note that [`Cache::write_note`] left.
    pub(crate) fn read_note(&self, folder: &str, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(folder).join(name)).ok()
    }

    /// Leaves a text in a folder of the cache; gives its path if that worked.
    pub(crate) fn write_note(&self, folder: &str, name: &str, text: &str) -> Option<PathBuf> {
        let path = self.folder.join(folder).join(name);
        self.write(&path, text.as_bytes()).ok().map(|()| path)
    }

    fn path(&self, key: &Key, version: &str) -> PathBuf {
        let (folder, prefix) = self.place(key);
        folder.join(format!("{prefix}-{version}.kernel"))
    }

    /// The folder of a key and how its files begin; 256 folders keep each of them short.
    fn place(&self, key: &Key) -> (PathBuf, String) {
        let mut hex = key.to_string();
        let rest = hex.split_off(2);
        (self.folder.join(hex), rest)
    }

    /// Writes a file whole: readers see the old one or the new one.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let replace = || {
            let folder = path.parent().unwrap_or(&self.folder);
            std::fs::create_dir_all(folder)?;
            // In the same folder, because a rename is atomic within a file system only.
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(bytes)?;
            // No sync: a file that a power failure tore has the wrong checksum and is compiled again.
            file.persist(path)?;
            Ok(())
        };
        replace().inspect_err(|error| warn_once(format_args!("{} cannot be written: {error}", self.folder.display())))
    }
}

/// Says on stderr, once in a process, why there is no cache.
fn warn_once(reason: impl std::fmt::Display) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Ordering::Relaxed) {
        // `eprintln!` panics where stderr is closed.
        let _ = writeln!(
            io::stderr(),
            "warning: Cumbia compiles its kernels anew in each process, because {reason}\n  \
             help: point CUMBIA_CACHE_DIR at a folder that can be written, or set CUMBIA_CACHE=off"
        );
    }
}

#[cfg(test)]
mod tests;
