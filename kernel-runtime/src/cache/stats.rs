//! What the cache did in this process, and what is in it.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bytesize::ByteSize;

use super::trim::{self, Kind};
use super::{Cache, Settings};

/// What became of the kernels of this process, and what is in the cache. From [`stats`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The cache's folder; `None` where the cache is off.
    pub folder: Option<PathBuf>,
    /// The size that the folder is kept below, in bytes.
    pub limit: u64,
    /// Compiled kernels in the folder, of all processes.
    pub entries: u64,
    /// The bytes of all that is in the folder.
    pub bytes: u64,
    /// Kernels that this process took from the folder.
    pub hits: u64,
    /// Kernels that this process looked for in the folder in vain.
    pub misses: u64,
    /// Files that this process found damaged, and treated as missing.
    pub damaged: u64,
    /// Kernels that came with the program, from [`precompile`](crate::precompile).
    pub precompiled: u64,
    /// Kernels that this process had NVRTC compile.
    pub compilations: u64,
    /// Files that this process removed to keep the folder below its limit.
    pub evictions: u64,
    /// The time that NVRTC took to compile, over all threads.
    pub compiling: Duration,
    /// The time that it took to find NVRTC and to load it.
    pub loading_nvrtc: Duration,
}

/// What became of the kernels of this process, and what is in the cache.
///
/// The counts are of this process, and what is in the folder is of all: each file of it is looked at, so that this takes
/// milliseconds where there are thousands.
///
/// ```
/// let stats = cumbia::cache::stats();
/// println!("{stats}");
/// assert!(stats.hits + stats.misses >= stats.compilations || stats.folder.is_none());
/// ```
pub fn stats() -> Stats {
    let cache = Settings::of_process().cache(dirs::cache_dir).ok().flatten();
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

/// The counts of this process.
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

/// See [`Stats`]; the times are nanoseconds. Relaxed throughout: each number stands for itself.
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
