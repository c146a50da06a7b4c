//! A GPU: its primary context, its streams, its limits, and waiting for it.
//!
//! There is one [`Context`] for each GPU of the process, and it lives as long as the process. It is the primary context,
//! which other CUDA libraries in the process share, so that their arrays and ours can meet.

#[cfg(feature = "cudarc")]
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use cudarc::driver::sys::CUdevice;

use super::architecture::Architecture;
use super::driver::Driver;
use super::event::Event;
use super::exit;
use super::hardware::{limits_of, name_of, properties_of};
use super::memory::pool_of;
use super::primary::Primary;
use super::refusal::Refusal;
use super::stream::{Kind, Stream};
use crate::error::{DeviceError, Error};
use crate::properties::{Limits, Properties};
use crate::sync::Mutex;

/// The GPUs that are open.
static OPEN: Mutex<BTreeMap<usize, Arc<Context>>> = Mutex::new(BTreeMap::new());

/// A GPU that is open.
pub(crate) struct Context {
    primary: Arc<Primary>,
    ordinal: usize,
    name: String,
    limits: Limits,
    properties: Properties,
    architecture: Architecture,
    /// The stream of what names no other.
    default: Arc<Stream>,
    /// All streams that we know, with the default one.
    streams: Mutex<Vec<Arc<Stream>>>,
    /// An event of the default stream, behind all that was done while there was no other one.
    alone: Mutex<Option<Event>>,
}

impl Context {
    /// How many GPUs there are.
    pub(crate) fn count() -> Result<usize, Error> {
        Driver::get()?.device_count()
    }

    /// GPU number `ordinal`; every call gives the same context.
    ///
    /// # Errors
    ///
    /// [`DeviceError::NoDriver`], [`DeviceError::NoSuchDevice`], or what the driver refused.
    pub(crate) fn open(ordinal: usize) -> Result<Arc<Context>, Error> {
        let mut open = OPEN.lock();
        if let Some(context) = open.get(&ordinal) {
            return Ok(context.clone());
        }
        let driver = Driver::get()?;
        let count = driver.device_count()?;
        if ordinal >= count {
            return Err(DeviceError::NoSuchDevice { ordinal, count }.into());
        }
        let context = Arc::new(Context::create(driver, ordinal)?);
        open.insert(ordinal, context.clone());
        exit::register();
        Ok(context)
    }

    /// Those that are open, or none where another thread is about to open one.
    pub(super) fn all_open() -> Vec<Arc<Context>> {
        OPEN.try_lock().map_or_else(Vec::new, |open| open.values().cloned().collect())
    }

    /// Frees what kernels write on the host, if no kernel runs and nobody looks at it. The process ends, and nothing of this
    /// waits.
    pub(super) fn give_back(&self) {
        let Some(streams) = self.streams.try_lock() else { return };
        if !streams.iter().all(|stream| stream.is_done().unwrap_or(false)) || !self.primary.close() {
            return;
        }
        for stream in &*streams {
            // A refusal means that the driver has been faster.
            // SAFETY: the streams are done, and the context is closed. A thread that outlives `main` could launch even now: if
            // its kernel faults, the GPU refuses the write, in a context that is about to end.
            let _ = unsafe { stream.free_host_memory() };
        }
    }

    fn create(driver: &'static Driver, ordinal: usize) -> Result<Context, Refusal> {
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
        let label = format!("cuda:{ordinal} ({name})");
        let primary = Arc::new(Primary::new(driver, raw, label, pool_of(driver, device)?, limits.total_memory));
        let default = Arc::new(Stream::create(&primary, Kind::default())?);
        let (major, minor) = limits.compute_capability.unwrap_or_default();
        Ok(Context {
            primary,
            ordinal,
            name,
            limits,
            properties: properties_of(driver, device)?,
            architecture: Architecture::of_device(major, minor),
            streams: Mutex::new(vec![default.clone()]),
            default,
            alone: Mutex::default(),
        })
    }

    /// The GPU's number, from 0.
    pub(crate) fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// The driver's handle of the GPU.
    pub(super) fn device(&self) -> Result<CUdevice, Refusal> {
        let (mut device, number) = (0, i32::try_from(self.ordinal).unwrap_or(i32::MAX));
        // SAFETY: the pointer is valid for the write.
        unsafe { self.driver().cuDeviceGet(&raw mut device, number) }?;
        Ok(device)
    }

    /// The GPU's name, such as `NVIDIA H200`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What a launch may ask for.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The hardware.
    pub(crate) fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Bytes of memory: free, and in all.
    pub(crate) fn memory(&self) -> Result<(usize, usize), Refusal> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the pointers are valid for the writes, and the context is current.
        unsafe { self.driver().cuMemGetInfo_v2(&raw mut free, &raw mut total) }?;
        Ok((free, total))
    }

    /// Tells a profiler to look.
    pub(crate) fn start_profiler(&self) -> Result<(), Refusal> {
        self.bind()?;
        // SAFETY: the context is current.
        unsafe { self.driver().cuProfilerStart() }
    }

    /// Tells a profiler to look no more.
    pub(crate) fn stop_profiler(&self) -> Result<(), Refusal> {
        self.bind()?;
        // SAFETY: the context is current.
        unsafe { self.driver().cuProfilerStop() }
    }

    /// What kernels for this GPU are compiled for.
    pub(crate) fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The functions of the driver.
    pub(crate) fn driver(&self) -> &'static Driver {
        self.primary.driver
    }

    /// What its streams share.
    pub(crate) fn primary(&self) -> &Arc<Primary> {
        &self.primary
    }

    /// The stream of what names no other.
    #[inline]
    pub(crate) fn default_stream(&self) -> &Arc<Stream> {
        &self.default
    }

    /// The priorities that streams can have: the one that goes last, and the one that goes first.
    pub(crate) fn priorities(&self) -> Result<(i32, i32), Refusal> {
        self.bind()?;
        let (mut last, mut first) = (0, 0);
        // SAFETY: the pointers are valid for the writes, and the context is current.
        unsafe { self.driver().cuCtxGetStreamPriorityRange(&raw mut last, &raw mut first) }?;
        Ok((last, first))
    }

    /// A stream that nobody else holds, behind all that was done while there was only the default one. Call
    /// [`Stream::let_go`] when it is held no more.
    pub(crate) fn stream(&self, kind: Kind) -> Result<Arc<Stream>, Refusal> {
        self.bind()?;
        let mut streams = self.streams.lock();
        for stream in &*streams {
            if stream.hold_again(kind)? {
                let stream = stream.clone();
                drop(streams);
                stream.write_out_prints();
                return Ok(stream);
            }
        }
        let stream = Arc::new(Stream::create(&self.primary, kind)?);
        self.let_in(&stream)?;
        streams.push(stream.clone());
        Ok(stream)
    }

    /// The stream that another library made; `owner` keeps it alive. Call [`Stream::let_go`] when it is held no more.
    ///
    /// # Safety
    ///
    /// `raw` is a stream of this context for as long as `owner` lives.
    #[cfg(feature = "cudarc")]
    pub(crate) unsafe fn foreign_stream(
        &self,
        raw: cudarc::driver::sys::CUstream,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Arc<Stream>, Refusal> {
        self.bind()?;
        // Dropped without the lock: an owner is foreign code.
        drop(self.take_idle_foreign_streams());
        let mut streams = self.streams.lock();
        // Held, so that the handle is still that of the same stream.
        if let Some(known) =
            streams.iter().find(|stream| stream.is_foreign() && stream.is_held() && stream.raw() == raw)
        {
            known.hold();
            return Ok(known.clone());
        }
        let stream = Arc::new(Stream::foreign(&self.primary, raw, owner)?);
        self.let_in(&stream)?;
        streams.push(stream.clone());
        Ok(stream)
    }

    /// Forgets the streams of other libraries that are done with; where one cannot be asked, it is kept.
    #[cfg(feature = "cudarc")]
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

    /// Lets a stream, which may be of another GPU, use memory of this one: from now on uses are noted, and what the stream
    /// is asked for happens behind all that was done before.
    pub(crate) fn let_in(&self, stream: &Stream) -> Result<(), Refusal> {
        if *stream == *self.default {
            return self.expect_company();
        }
        self.with_end_of_solitude(|event| stream.wait_event(event))
    }

    /// From now on uses are noted: streams of another GPU are to wait for some of this one.
    pub(crate) fn expect_company(&self) -> Result<(), Refusal> {
        self.with_end_of_solitude(|_| Ok(()))
    }

    fn with_end_of_solitude(&self, then: impl FnOnce(&Event) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let mut alone = self.alone.lock();
        let event = if let Some(event) = &*alone {
            event
        } else {
            // First this, then the event: see `order.rs`.
            self.primary.expect_several_streams();
            &*alone.insert(self.default.record()?)
        };
        then(event)
    }

    /// Makes the context current to this thread.
    #[inline]
    pub(crate) fn bind(&self) -> Result<(), Refusal> {
        self.primary.bind()
    }

    /// Waits until everything that was asked of the GPU is done, prints what kernels print, and gives out the fault of one.
    /// Those of other streams stay with them.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`], once for each fault, or what the driver refused.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        if !self.primary.has_several_streams() {
            return self.default.synchronize();
        }
        let streams = self.streams.lock().clone();
        // All of them are waited for and have their say, before the first fault is given out.
        let mut waited = Ok(());
        for stream in &streams {
            waited = waited.and(stream.wait_and_print());
        }
        waited?;
        streams.iter().try_for_each(|stream| stream.give_out_fault())
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.primary.label)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("ordinal", &self.ordinal).field("name", &self.name).finish_non_exhaustive()
    }
}
