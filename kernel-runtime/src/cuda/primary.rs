//! The primary context of a GPU: what all of its streams share.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cudarc::driver::sys::{CUcontext, CUmemoryPool};

use super::driver::Driver;
use super::refusal::{DEINITIALIZED, Refusal};
use crate::error::Error;
use crate::sync::Mutex;
use crate::warning::event;

/// How many errors of destructors are kept until someone asks for them.
const KEPT_ERRORS: usize = 64;

/// A primary context. It is never released: it lives as long as the process.
// What each launch looks at comes first, so that it lies together.
#[repr(C)]
pub(crate) struct Primary {
    pub(super) driver: &'static Driver,
    pub(super) raw: CUcontext,
    /// More than one stream is in play, so that uses of memory are noted. Never reset.
    several: AtomicBool,
    /// `cuda:0 (NVIDIA H200)`
    pub(super) label: String,
    /// Where memory comes from; `None` where the GPU has no pools.
    pub(super) pool: Option<CUmemoryPool>,
    pub(super) total_memory: usize,
    /// What went wrong in destructors.
    dropped: Mutex<Vec<Error>>,
    /// How many look at host memory that kernels write.
    readers: AtomicUsize,
    /// That memory is gone, or about to be: the process ends.
    closed: AtomicBool,
}

// SAFETY: the handles may be used from any thread (CUDA Driver API, "Context Management": a context can be current to
// several threads), and each use makes the context current to its thread first.
unsafe impl Send for Primary {}
// SAFETY: as above; the driver's functions are thread-safe.
unsafe impl Sync for Primary {}

impl Primary {
    pub(super) fn new(
        driver: &'static Driver,
        raw: CUcontext,
        label: String,
        pool: Option<CUmemoryPool>,
        total_memory: usize,
    ) -> Primary {
        let (several, dropped) = (AtomicBool::new(false), Mutex::default());
        let (readers, closed) = (AtomicUsize::new(0), AtomicBool::new(false));
        Primary { driver, raw, several, label, pool, total_memory, dropped, readers, closed }
    }

    /// Makes the context current to this thread.
    ///
    /// The driver is asked each time instead of a variable of ours: another library may have set its own context
    /// meanwhile, and the driver answers from a thread-local variable as well.
    #[inline]
    pub(crate) fn bind(&self) -> Result<(), Refusal> {
        let mut current = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write.
        unsafe { self.driver.cuCtxGetCurrent(&raw mut current) }?;
        if current == self.raw {
            return Ok(());
        }
        // SAFETY: the context is retained for as long as the process runs.
        unsafe { self.driver.cuCtxSetCurrent(self.raw) }
    }

    /// Waits for all streams of the context, those of other libraries too.
    pub(crate) fn wait_for_everything(&self) -> Result<(), Refusal> {
        self.bind()?;
        // SAFETY: the context is current.
        unsafe { self.driver.cuCtxSynchronize() }
    }

    /// Whether more than one stream is in play. See `order.rs`.
    #[inline]
    pub(crate) fn has_several_streams(&self) -> bool {
        self.several.load(Ordering::SeqCst)
    }

    /// From now on there is more than one stream.
    pub(super) fn expect_several_streams(&self) {
        self.several.store(true, Ordering::SeqCst);
    }

    /// Looks at host memory that kernels write, unless the process ends and it is gone.
    pub(super) fn while_open<R>(&self, look: impl FnOnce() -> R) -> Option<R> {
        // Whoever closes looks for readers after it has said so: one of the two sees the other.
        self.readers.fetch_add(1, Ordering::SeqCst);
        let result = (!self.closed.load(Ordering::SeqCst)).then(look);
        self.readers.fetch_sub(1, Ordering::SeqCst);
        result
    }

    /// From now on nobody looks at host memory that kernels write. False, and as before, where someone does just now.
    pub(super) fn close(&self) -> bool {
        self.closed.store(true, Ordering::SeqCst);
        let nobody_looks = self.readers.load(Ordering::SeqCst) == 0;
        if !nobody_looks {
            self.closed.store(false, Ordering::SeqCst);
        }
        nobody_looks
    }

    /// Keeps what a destructor could not return.
    pub(crate) fn note_dropped(&self, refusal: Refusal) {
        if refusal.code == DEINITIALIZED {
            return;
        }
        let error = Error::from(refusal);
        let (device, what) = (self.label.clone(), error.to_string());
        event!(error, target: "cumbia::drop", device, error = what, "an error while dropping");
        let mut dropped = self.dropped.lock();
        // The first ones say what happened; a lost context refuses every call that follows.
        if dropped.len() < KEPT_ERRORS {
            dropped.push(error);
        }
    }

    /// What destructors could not return, once.
    pub(crate) fn take_dropped(&self) -> Vec<Error> {
        std::mem::take(&mut self.dropped.lock())
    }
}

impl fmt::Debug for Primary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Primary").field("label", &self.label).finish_non_exhaustive()
    }
}
