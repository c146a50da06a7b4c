//! A GPU: its primary context, streams, limits and device-wide synchronisation.
//!
//! The process has one [`Context`] per GPU, which lives as long as the process. It wraps the primary context, which the
//! process shares with other CUDA libraries, so that memory can be exchanged with them.

mod page_locked;
mod peer_access;

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::sys::{CUdevice, CUstream};

use crate::driver::{Driver, NoDriver};
use crate::error::CudaError;
use crate::hardware::{Properties, RawLimits, limits_of, name_of, properties_of};
use crate::primary_context::{GpuName, PrimaryContext};
use crate::stream::Event;
use crate::stream::{Stream, StreamOptions, pool_of};
use crate::sync::{Mutex, OnceLock};
use crate::toolkit::Architecture;

pub use page_locked::PageLocked;
pub use peer_access::enable_peer_access;

/// The open GPUs by ordinal.
static OPEN: Mutex<BTreeMap<usize, Arc<Context>>> = Mutex::new(BTreeMap::new());

/// An open GPU.
pub struct Context {
    primary: Arc<PrimaryContext>,
    limits: RawLimits,
    properties: Properties,
    architecture: Architecture,
    /// The stream of operations that name no other.
    default: Arc<Stream>,
    /// All known streams, including the default stream.
    streams: Mutex<Vec<Arc<Stream>>>,
    single_stream_end: Mutex<SingleStreamEnd>,
}

/// The end of the last period in which only the default stream was in use.
#[derive(Default)]
struct SingleStreamEnd {
    /// An event on the default stream, created once, that covers all work enqueued until then.
    event: Option<Event>,
    /// Whether the period has ended, and the event is recorded.
    is_recorded: bool,
    /// Whether streams of another GPU access the memory of this one, or the converse: no such period begins again.
    has_peers: bool,
}

impl Context {
    /// Returns the number of GPUs.
    pub fn count() -> Result<usize, OpenError> {
        Ok(Driver::get()?.device_count()?)
    }

    /// Opens GPU number `ordinal`; every call returns the same context.
    ///
    /// # Errors
    ///
    /// [`OpenError`].
    pub fn open(ordinal: usize) -> Result<Arc<Context>, OpenError> {
        let mut open = OPEN.lock();
        if let Some(context) = open.get(&ordinal) {
            return Ok(context.clone());
        }
        let driver = Driver::get()?;
        let count = driver.device_count()?;
        if ordinal >= count {
            return Err(OpenError::NoSuchDevice { ordinal, count });
        }
        let context = Arc::new(Context::create(driver, ordinal)?);
        open.insert(ordinal, context.clone());
        register_exit_handler();
        Ok(context)
    }

    /// Returns the open GPUs, or none while another thread is opening one.
    fn all_open() -> Vec<Arc<Context>> {
        OPEN.try_lock().map_or_else(Vec::new, |open| open.values().cloned().collect())
    }

    /// Frees the host memory that kernels write, unless a kernel is in flight or another thread reads the memory. Never
    /// blocks: the process is about to end.
    fn release_host_memory(&self) {
        let Some(streams) = self.streams.try_lock() else { return };
        if !streams.iter().all(|stream| stream.is_done().unwrap_or(false)) || !self.primary.close() {
            return;
        }
        for stream in &*streams {
            // An error means that the driver has already been unloaded.
            // SAFETY: the streams are idle, and the context is closed. A thread that outlives `main` could launch even now:
            // if its kernel faults, the GPU rejects the write, in a context that is about to be destroyed.
            let _ = unsafe { stream.free_host_memory() };
        }
    }

    fn create(driver: &'static Driver, ordinal: usize) -> Result<Context, CudaError> {
        let mut device: CUdevice = 0;
        let number = i32::try_from(ordinal).unwrap_or(i32::MAX);
        // SAFETY: the pointer is valid for the write.
        unsafe { driver.cuDeviceGet(&raw mut device, number) }?;
        let limits = limits_of(driver, device)?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write. The context is never released: it lives as long as the process.
        unsafe { driver.cuDevicePrimaryCtxRetain(&raw mut raw, device) }?;
        // SAFETY: the context was retained just above.
        unsafe { driver.cuCtxSetCurrent(raw) }?;
        let name = name_of(driver, device)?;
        let primary = Arc::new(PrimaryContext::new(
            driver,
            raw,
            GpuName { ordinal, name },
            pool_of(driver, device)?,
            limits.total_memory,
        ));
        let default = Arc::new(Stream::create(&primary, StreamOptions::default())?);
        let (major, minor) = limits.compute_capability;
        Ok(Context {
            primary,
            limits,
            properties: properties_of(driver, device)?,
            architecture: Architecture::of_device(major, minor),
            streams: Mutex::new(vec![default.clone()]),
            default,
            single_stream_end: Mutex::default(),
        })
    }

    /// Returns the GPU's ordinal, from 0.
    #[inline]
    pub fn ordinal(&self) -> usize {
        self.primary.gpu.ordinal
    }

    /// Returns the driver's device handle.
    pub(crate) fn device(&self) -> Result<CUdevice, CudaError> {
        let (mut device, number) = (0, i32::try_from(self.ordinal()).unwrap_or(i32::MAX));
        // SAFETY: the pointer is valid for the write.
        unsafe { self.driver().cuDeviceGet(&raw mut device, number) }?;
        Ok(device)
    }

    /// Returns the GPU's name, such as `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.primary.gpu.name
    }

    /// Returns the limits of a launch.
    pub fn limits(&self) -> &RawLimits {
        &self.limits
    }

    /// Returns the hardware properties.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Returns the free and the total memory in bytes.
    pub fn memory(&self) -> Result<(usize, usize), CudaError> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the pointers are valid for the writes, and the context is current.
        unsafe { self.driver().cuMemGetInfo_v2(&raw mut free, &raw mut total) }?;
        Ok((free, total))
    }

    /// Starts the capture of an attached profiler.
    pub fn start_profiler(&self) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the context is current.
        unsafe { self.driver().cuProfilerStart() }
    }

    /// Stops the capture of an attached profiler.
    pub fn stop_profiler(&self) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the context is current.
        unsafe { self.driver().cuProfilerStop() }
    }

    /// Returns the architecture that kernels for this GPU are compiled for.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Returns the driver's function table.
    #[inline]
    pub fn driver(&self) -> &'static Driver {
        self.primary.driver
    }

    /// Returns the state shared by all streams of the context.
    #[inline]
    pub fn primary(&self) -> &Arc<PrimaryContext> {
        &self.primary
    }

    /// Returns the default stream.
    #[inline]
    pub fn default_stream(&self) -> &Arc<Stream> {
        &self.default
    }

    /// Returns the stream priorities: the least and the greatest, numerically the largest and the smallest.
    pub fn priorities(&self) -> Result<(i32, i32), CudaError> {
        self.bind()?;
        let (mut last, mut first) = (0, 0);
        // SAFETY: the pointers are valid for the writes, and the context is current.
        unsafe { self.driver().cuCtxGetStreamPriorityRange(&raw mut last, &raw mut first) }?;
        Ok((last, first))
    }

    /// Returns an idle stream from the pool, or creates one. It waits for all work enqueued while the default stream
    /// was the only one. Call [`Stream::release`] to return it to the pool. A stream from the pool may have output of
    /// earlier kernels: call [`Stream::collect_prints`].
    pub fn stream(&self, options: StreamOptions) -> Result<Arc<Stream>, CudaError> {
        self.bind()?;
        let mut streams = self.streams.lock();
        for stream in &*streams {
            if stream.try_acquire(options)? {
                let stream = stream.clone();
                // SAFETY: it was acquired above, and nothing was enqueued since.
                self.admit(&stream).inspect_err(|_| unsafe { stream.release() })?;
                return Ok(stream);
            }
        }
        let stream = Arc::new(Stream::create(&self.primary, options)?);
        self.admit(&stream)?;
        streams.push(stream.clone());
        Ok(stream)
    }

    /// Wraps a stream of another library, which `owner` keeps alive. Call [`Stream::release`] when the last handle is
    /// dropped.
    ///
    /// # Safety
    ///
    /// `raw` is a stream of this context for as long as `owner` lives.
    pub unsafe fn foreign_stream(
        &self,
        raw: CUstream,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Arc<Stream>, CudaError> {
        self.bind()?;
        // Dropped without holding the lock: an owner runs foreign code.
        drop(self.take_idle_foreign_streams());
        let mut streams = self.streams.lock();
        // Only while it is held: otherwise the raw handle may have been reused for another stream.
        if let Some(known) =
            streams.iter().find(|stream| stream.is_foreign() && stream.is_held() && stream.raw() == raw)
        {
            known.add_holder();
            return Ok(known.clone());
        }
        let stream = Arc::new(Stream::foreign(&self.primary, raw, owner)?);
        self.admit(&stream)?;
        streams.push(stream.clone());
        Ok(stream)
    }

    /// Removes the wrappers of other libraries' streams that are idle and unused. A stream that cannot be queried is
    /// kept.
    fn take_idle_foreign_streams(&self) -> Vec<Arc<Stream>> {
        let mut streams = self.streams.lock();
        let is_done = |stream: &mut Arc<Stream>| {
            stream.is_foreign()
                && !stream.is_held()
                && Arc::strong_count(stream) == 1
                && stream.is_idle().unwrap_or(false)
        };
        streams.extract_if(.., is_done).collect()
    }

    /// Admits a stream, possibly of another GPU, to the memory of this one: from now on accesses are recorded, and the
    /// stream's work is ordered after everything that was enqueued before.
    pub fn admit(&self, stream: &Stream) -> Result<(), CudaError> {
        if *stream == *self.default {
            return self.enable_hazard_tracking();
        }
        let is_peer = !stream.is_on_same_gpu(&self.default);
        self.with_single_stream_end(is_peer, |event| {
            if !is_peer && stream.note_admission(self.primary.stream_epoch()) {
                return Ok(());
            }
            stream.wait_event(event).inspect_err(|_| _ = stream.note_admission(0))
        })
    }

    /// Starts recording accesses: streams of another GPU are about to depend on streams of this one.
    pub fn enable_hazard_tracking(&self) -> Result<(), CudaError> {
        self.with_single_stream_end(true, |_| Ok(()))
    }

    fn with_single_stream_end(
        &self,
        has_peers: bool,
        then: impl FnOnce(&Event) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let end = &mut *self.single_stream_end.lock();
        end.has_peers |= has_peers;
        if !end.is_recorded {
            // The flag first, then the event: see `hazards/mod.rs`.
            self.primary.set_multi_stream(true);
            match &end.event {
                Some(event) => self.default.record_again(event)?,
                None => end.event = Some(self.default.record()?),
            }
            end.is_recorded = true;
        }
        end.event.as_ref().map_or(Ok(()), then)
    }

    /// Stops recording accesses if no stream besides the default one has holders, work in flight, a pending fault or unread
    /// output: see `hazards/mod.rs`. Called by operations that wait anyway.
    pub fn try_leave_multi_stream(&self) {
        if !self.primary.is_multi_stream() {
            return;
        }
        // Under this lock, no stream without holders gets one.
        let Some(streams) = self.streams.try_lock() else { return };
        let others = || streams.iter().filter(|stream| **stream != self.default);
        if others().any(|stream| stream.is_held()) {
            return;
        }
        let end = &mut *self.single_stream_end.lock();
        let is_over = |stream: &Arc<Stream>| stream.is_idle().unwrap_or(false) && stream.has_no_output();
        if end.has_peers || !others().all(is_over) {
            return;
        }
        end.is_recorded = false;
        self.primary.set_multi_stream(false);
    }

    /// Makes the context current to the calling thread.
    #[inline]
    pub(crate) fn bind(&self) -> Result<(), CudaError> {
        self.primary.bind()
    }

    /// Returns all known streams, the default stream first.
    pub fn streams(&self) -> Vec<Arc<Stream>> {
        self.streams.lock().clone()
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.primary.gpu, f)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("gpu", &self.primary.gpu).finish_non_exhaustive()
    }
}

/// Why a GPU is not opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// There is no usable driver.
    NoDriver(NoDriver),
    /// The ordinal is too large.
    NoSuchDevice {
        /// The requested ordinal, from 0.
        ordinal: usize,
        /// The number of GPUs.
        count: usize,
    },
    /// A driver call failed.
    Cuda(CudaError),
}

impl From<NoDriver> for OpenError {
    fn from(error: NoDriver) -> Self {
        OpenError::NoDriver(error)
    }
}

impl From<CudaError> for OpenError {
    fn from(error: CudaError) -> Self {
        OpenError::Cuda(error)
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::NoDriver(error) => error.fmt(f),
            OpenError::NoSuchDevice { ordinal, count } => {
                write!(f, "CUDA device {ordinal} does not exist: this machine has {count}")
            }
            OpenError::Cuda(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {}

/// Registers the release of host memory at process exit. Call it after the driver has been initialised: handlers run in
/// reverse order, so the driver's own handler then runs later.
///
/// Fault records and print buffers live as long as their streams, and those of our own streams as long as the process.
/// The driver would release them itself; they are freed explicitly for leak checkers, so that these report only the
/// user's own leaks.
fn register_exit_handler() {
    static REGISTERED: OnceLock<()> = OnceLock::new();
    REGISTERED.get_or_init(|| {
        // SAFETY: the handler may run at any time, and does not unwind. If the registration fails, nothing is released.
        unsafe { libc::atexit(release_all) };
    });
}

extern "C" fn release_all() {
    for context in Context::all_open() {
        context.release_host_memory();
    }
}
