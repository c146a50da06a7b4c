//! The cache's configuration from environment variables.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use bytesize::ByteSize;

use super::Cache;
use crate::cuda::variable;
use cumbia_kernel_sync::warn;

/// The default size limit, in bytes, without `CUMBIA_CACHE_SIZE`.
pub(super) const DEFAULT_LIMIT: u64 = 1 << 30;

/// The values of the variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    /// `CUMBIA_CACHE`: `off`, or anything else.
    pub(super) switch: Option<OsString>,
    /// `CUMBIA_CACHE_DIR`.
    pub(super) folder: Option<OsString>,
    /// `CUMBIA_CACHE_SIZE`.
    pub(super) size: Option<OsString>,
}

impl Settings {
    /// Reads the variables of this process. They are read at each call, since the cost is negligible compared with a
    /// compilation, so that a program may change them.
    pub(super) fn of_process() -> Settings {
        Settings {
            switch: variable("CUMBIA_CACHE"),
            folder: variable("CUMBIA_CACHE_DIR"),
            size: variable("CUMBIA_CACHE_SIZE"),
        }
    }

    /// Returns the configured cache; `None` if it is disabled. `user_folder` returns the user's cache directory.
    ///
    /// # Errors
    ///
    /// Why there is no cache although it is enabled.
    pub(super) fn cache(self, user_folder: impl FnOnce() -> Option<PathBuf>) -> Result<Option<Cache>, &'static str> {
        let switch = self.switch.unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if matches!(switch.as_str(), "off" | "0" | "no" | "false") {
            return Ok(None);
        }
        let limit = match &self.size {
            None => DEFAULT_LIMIT,
            Some(size) => parse(&size.to_string_lossy()),
        };
        let folder = match self.folder.filter(|folder| !folder.is_empty()) {
            Some(folder) => PathBuf::from(folder),
            None => user_folder().ok_or("this user has no cache directory")?.join("cumbia"),
        };
        Ok(Some(Cache { folder, limit }))
    }
}

/// Returns the user's directory for caches: `$XDG_CACHE_HOME` or `~/.cache` (XDG Base Directory Specification),
/// `~/Library/Caches` on macOS, and `%LOCALAPPDATA%` on Windows.
pub(super) fn user_cache_folder() -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from);
    if cfg!(windows) {
        absolute(folder("LOCALAPPDATA"))
    } else if cfg!(target_os = "macos") {
        absolute(env::home_dir()).map(|home| home.join("Library/Caches"))
    } else {
        absolute(folder("XDG_CACHE_HOME")).or_else(|| absolute(env::home_dir()).map(|home| home.join(".cache")))
    }
}

/// Drops a relative path, which would lead to another directory in each working directory.
fn absolute(folder: Option<PathBuf>) -> Option<PathBuf> {
    folder.filter(|folder| folder.is_absolute())
}

/// Parses a size such as `1 GiB`, `500MB` or `1073741824`. An invalid size gives a warning and the default limit, since
/// a cache of the default size is better than none.
fn parse(size: &str) -> u64 {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if let Ok(ByteSize(bytes)) = size.trim().parse() {
        return bytes;
    }
    if !WARNED.swap(true, Ordering::Relaxed) {
        warn(
            format!("CUMBIA_CACHE_SIZE is `{size}`, which is not a size; the limit is 1 GiB"),
            "write a number of bytes, or one with a unit, such as `512 MiB` or `2GB`",
        );
    }
    DEFAULT_LIMIT
}
