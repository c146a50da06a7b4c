//! Counters of the cache in this process, and its contents.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bytesize::ByteSize;

use super::trim::{self, Kind};
use super::{Cache, Settings, settings};

/// The counters of this process and the contents of the cache, from [`stats`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The cache's directory; `None` if the cache is disabled.
    pub folder: Option<PathBuf>,
    /// The size limit of the directory, in bytes.
    pub limit: u64,
    /// Compiled kernels in the directory, from all processes.
    pub entries: u64,
    /// The size of all of Cumbia's files in the directory, in bytes.
    pub bytes: u64,
    /// Cache hits of this process.
    pub hits: u64,
    /// Cache misses of this process.
    pub misses: u64,
    /// Corrupt files that this process found and treated as misses.
    pub damaged: u64,
    /// Kernels that this process loaded from a directory of [`precompile`](crate::inspect::precompile).
    pub precompiled: u64,
    /// Compilations with NVRTC in this process.
    pub compilations: u64,
    /// Files that this process evicted.
    pub evictions: u64,
    /// The total compile time of NVRTC, summed over all threads.
    pub compiling: Duration,
    /// The time to find and load NVRTC.
    pub loading_nvrtc: Duration,
}

/// Returns the counters of this process and the contents of the cache.
///
/// The contents are those of all processes. Each file of the directory is examined, which takes milliseconds for
/// thousands of files.
///
/// ```
/// let stats = cumbia::cache::stats();
/// println!("{stats}");
/// assert!(stats.hits + stats.misses >= stats.compilations || stats.folder.is_none());
/// ```
pub fn stats() -> Stats {
    let cache = Settings::of_process().cache(settings::user_cache_folder).ok().flatten();
    let mut stats = COUNTS.stats();
    if let Some(Cache { folder, limit }) = cache {
        for entry in trim::entries(&folder) {
            stats.entries += u64::from(entry.kind == Kind::Kernel);
            stats.bytes += entry.bytes;
        }
        (stats.folder, stats.limit) = (Some(folder), limit);
    }
    stats
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats {
            folder, limit, entries, bytes, hits, misses, damaged, precompiled, compilations, evictions, ..
        } = self;
        match folder {
            None => f.write_str("off")?,
            Some(folder) => {
                let (bytes, limit) = (ByteSize(*bytes).display().iec(), ByteSize(*limit).display().iec());
                write!(f, "{}: {entries} kernels, {bytes} of at most {limit}", folder.display())?;
            }
        }
        write!(
            f,
            "; in this process {hits} hits, {misses} misses ({damaged} damaged), {precompiled} precompiled, \
             {compilations} compiled in {:.1?}, {evictions} removed",
            self.compiling
        )
    }
}

/// The counters of this process.
pub(crate) static COUNTS: Counts = Counts {
    hits: AtomicU64::new(0),
    misses: AtomicU64::new(0),
    damaged: AtomicU64::new(0),
    precompiled: AtomicU64::new(0),
    compilations: AtomicU64::new(0),
    evictions: AtomicU64::new(0),
    compiling: AtomicU64::new(0),
    loading_nvrtc: AtomicU64::new(0),
};

/// The counters behind [`Stats`]; times are in nanoseconds. Relaxed ordering suffices, since the counters are independent.
#[derive(Debug)]
pub(crate) struct Counts {
    hits: AtomicU64,
    misses: AtomicU64,
    damaged: AtomicU64,
    precompiled: AtomicU64,
    compilations: AtomicU64,
    evictions: AtomicU64,
    compiling: AtomicU64,
    loading_nvrtc: AtomicU64,
}

impl Counts {
    pub(crate) fn hit(&self) {
        self.hits.fetch_add(1, Relaxed);
    }

    pub(crate) fn miss(&self) {
        self.misses.fetch_add(1, Relaxed);
    }

    pub(crate) fn damaged(&self) {
        self.damaged.fetch_add(1, Relaxed);
    }

    pub(crate) fn precompiled(&self) {
        self.precompiled.fetch_add(1, Relaxed);
    }

    pub(crate) fn compiled(&self, took: Duration) {
        self.compilations.fetch_add(1, Relaxed);
        self.compiling.fetch_add(nanoseconds(took), Relaxed);
    }

    pub(crate) fn evicted(&self, files: u64) {
        self.evictions.fetch_add(files, Relaxed);
    }

    pub(crate) fn loaded_nvrtc(&self, took: Duration) {
        self.loading_nvrtc.fetch_add(nanoseconds(took), Relaxed);
    }

    fn stats(&self) -> Stats {
        let Counts { hits, misses, damaged, precompiled, compilations, evictions, compiling, loading_nvrtc } = self;
        Stats {
            hits: hits.load(Relaxed),
            misses: misses.load(Relaxed),
            damaged: damaged.load(Relaxed),
            precompiled: precompiled.load(Relaxed),
            compilations: compilations.load(Relaxed),
            evictions: evictions.load(Relaxed),
            compiling: Duration::from_nanos(compiling.load(Relaxed)),
            loading_nvrtc: Duration::from_nanos(loading_nvrtc.load(Relaxed)),
            ..Stats::default()
        }
    }
}

fn nanoseconds(took: Duration) -> u64 {
    u64::try_from(took.as_nanos()).unwrap_or(u64::MAX)
}
