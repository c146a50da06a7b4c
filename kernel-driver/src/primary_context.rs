//! The primary context of a GPU: the state that all of its streams share.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::sys::{CUcontext, CUmemoryPool};

use crate::driver::Driver;
use crate::error::{CudaError, DEINITIALIZED, NOT_PERMITTED};
use crate::sync::Mutex;
use cumbia_kernel_sync::event;

thread_local! {
    /// Whether this thread executes a host function of a stream.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Calls a host function of a stream, in which [`PrimaryContext::bind`] fails. The function does not unwind.
pub(crate) fn without_api(function: impl FnOnce()) {
    IN_CALLBACK.set(true);
    function();
    IN_CALLBACK.set(false);
}

/// The maximum number of pending drop errors.
const MAX_DROP_ERRORS: usize = 64;

/// The ordinal and the name of a GPU, displayed as `cuda:0 (NVIDIA H200)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuName {
    pub ordinal: usize,
    pub name: String,
}

impl fmt::Display for GpuName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cuda:{} ({})", self.ordinal, self.name)
    }
}

/// A retained primary context. It is never released: it lives as long as the process.
// The fields that each launch reads come first, so that they share a cache line.
#[repr(C)]
pub struct PrimaryContext {
    pub(crate) driver: &'static Driver,
    pub(crate) raw: CUcontext,
    /// See [`PrimaryContext::stream_epoch`].
    stream_epoch: AtomicU64,
    pub(crate) gpu: GpuName,
    /// The stream-ordered allocation pool; `None` if the GPU does not support memory pools.
    pub(crate) pool: Option<CUmemoryPool>,
    pub(crate) total_memory: usize,
    /// Errors of destructors that could not be returned.
    drop_errors: Mutex<Vec<CudaError>>,
    /// The number of threads that are reading host memory written by kernels.
    readers: AtomicUsize,
    /// That memory is freed or about to be: the process is ending.
    closed: AtomicBool,
}

// SAFETY: the handles may be used from any thread (CUDA Driver API, "Context Management": a context can be current to
// several threads), and each use first makes the context current to its thread.
unsafe impl Send for PrimaryContext {}
// SAFETY: as above; the driver's functions are thread-safe.
unsafe impl Sync for PrimaryContext {}

impl PrimaryContext {
    pub(crate) fn new(
        driver: &'static Driver,
        raw: CUcontext,
        gpu: GpuName,
        pool: Option<CUmemoryPool>,
        total_memory: usize,
    ) -> PrimaryContext {
        let (stream_epoch, drop_errors) = (AtomicU64::new(0), Mutex::default());
        let (readers, closed) = (AtomicUsize::new(0), AtomicBool::new(false));
        PrimaryContext { driver, raw, stream_epoch, gpu, pool, total_memory, drop_errors, readers, closed }
    }

    /// Returns the driver's context handle.
    #[inline]
    pub fn raw(&self) -> CUcontext {
        self.raw
    }

    /// Makes the context current to the calling thread. Fails in a callback of a stream, which must not use the API.
    ///
    /// The current context is queried from the driver each time rather than cached: another library may have changed it
    /// meanwhile, and the driver's query reads a thread-local variable as well.
    #[inline]
    pub fn bind(&self) -> Result<(), CudaError> {
        if IN_CALLBACK.get() {
            return Err(CudaError { call: "cuLaunchHostFunc", code: NOT_PERMITTED });
        }
        let mut current = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write.
        unsafe { self.driver.cuCtxGetCurrent(&raw mut current) }?;
        if current == self.raw {
            return Ok(());
        }
        // SAFETY: the context is retained for as long as the process runs.
        unsafe { self.driver.cuCtxSetCurrent(self.raw) }
    }

    /// Returns the ordinal and the name of the GPU.
    pub fn gpu(&self) -> &GpuName {
        &self.gpu
    }

    /// Returns the free and the total memory in bytes; 0 free if the driver does not report it.
    pub fn memory(&self) -> (usize, usize) {
        let (mut free, mut total) = (0, 0);
        let asked = self.bind().and_then(|()| {
            // SAFETY: the pointers are valid for the writes, and the context is current.
            unsafe { self.driver.cuMemGetInfo_v2(&raw mut free, &raw mut total) }
        });
        if asked.is_ok() { (free, total) } else { (0, self.total_memory) }
    }

    /// Waits for all streams of the context, including those of other libraries.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the context is current.
        unsafe { self.driver.cuCtxSynchronize() }
    }

    /// Returns whether streams besides the default one are in use, so that accesses are recorded. See `hazards/mod.rs`.
    #[inline]
    pub fn is_multi_stream(&self) -> bool {
        self.stream_epoch() & 1 == 1
    }

    /// Returns the number of times that the use of streams besides the default one has begun or ended: odd while they are in use.
    #[inline]
    pub fn stream_epoch(&self) -> u64 {
        self.stream_epoch.load(Ordering::SeqCst)
    }

    /// Sets whether streams besides the default one are in use. Not called concurrently.
    pub(crate) fn set_multi_stream(&self, multi_stream: bool) {
        self.stream_epoch.fetch_add(u64::from(self.is_multi_stream() != multi_stream), Ordering::SeqCst);
    }

    /// Runs `access`, which reads host memory written by kernels, unless that memory has been closed.
    pub(crate) fn while_open<R>(&self, access: impl FnOnce() -> R) -> Option<R> {
        // `close` sets the flag before it checks for readers, so at least one side sees the other.
        self.readers.fetch_add(1, Ordering::SeqCst);
        let result = (!self.closed.load(Ordering::SeqCst)).then(access);
        self.readers.fetch_sub(1, Ordering::SeqCst);
        result
    }

    /// Closes the host memory that kernels write. Returns `false`, without closing it, while a thread reads it.
    pub(crate) fn close(&self) -> bool {
        self.closed.store(true, Ordering::SeqCst);
        let is_unused = self.readers.load(Ordering::SeqCst) == 0;
        if !is_unused {
            self.closed.store(false, Ordering::SeqCst);
        }
        is_unused
    }

    /// Keeps an error that a destructor could not return.
    pub fn note_drop_error(&self, error: CudaError) {
        if error.code == DEINITIALIZED {
            return;
        }
        let (device, what) = (self.gpu.to_string(), error.to_string());
        event!(error, target: "cumbia::drop", device, error = what, "an error while dropping");
        let mut drop_errors = self.drop_errors.lock();
        // The first errors identify the cause; a lost context fails every later call as well.
        if drop_errors.len() < MAX_DROP_ERRORS {
            drop_errors.push(error);
        }
    }

    /// Returns the errors of destructors and clears them.
    pub fn take_drop_errors(&self) -> Vec<CudaError> {
        std::mem::take(&mut self.drop_errors.lock())
    }
}

impl fmt::Debug for PrimaryContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrimaryContext").field("gpu", &self.gpu).finish_non_exhaustive()
    }
}
