//! A GPU: its primary context, one stream, its limits, and waiting for it.
//!
//! There is one [`Context`] for each GPU of the process, and it lives as long as the process. It is the primary context,
//! which other CUDA libraries in the process share, so that their arrays and ours can meet.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdevice_attribute, CUdevice_attribute as Attribute, CUmemoryPool, CUstream,
};

use super::architecture::Architecture;
use super::driver::{Driver, Refusal};
use super::fault::FaultRecord;
use super::memory::pool_of;
use super::print::Prints;
use crate::dim::Dim3;
use crate::error::{DeviceError, Error};
use crate::fault;
use crate::properties::{Limits, Pci, Properties};

/// `CU_STREAM_NON_BLOCKING`: the stream does not wait for the legacy default stream of other libraries.
const NON_BLOCKING: u32 = 1;

/// A GPU that is open.
pub(crate) struct Context {
    driver: &'static Driver,
    ordinal: usize,
    raw: CUcontext,
    stream: CUstream,
    pool: Option<CUmemoryPool>,
    name: String,
    limits: Limits,
    properties: Properties,
    architecture: Architecture,
    fault: FaultRecord,
    prints: Prints,
}

// SAFETY: the handles may be used from any thread (CUDA Driver API, "Context Management": a context can be current to
// several threads), and each method makes the context current to its thread first.
unsafe impl Send for Context {}
// SAFETY: as above; the driver's functions are thread-safe.
unsafe impl Sync for Context {}

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
        static OPEN: Mutex<BTreeMap<usize, Arc<Context>>> = Mutex::new(BTreeMap::new());
        // A panic in between leaves the map as it was, so a poisoned lock is as good.
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
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
        Ok(context)
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
        let mut stream = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write, and the context is current.
        unsafe { driver.cuStreamCreate(&raw mut stream, NON_BLOCKING) }?;
        let (major, minor) = limits.compute_capability.unwrap_or_default();
        Ok(Context {
            driver,
            ordinal,
            raw,
            stream,
            pool: pool_of(driver, device)?,
            name: name_of(driver, device)?,
            limits,
            properties: properties_of(driver, device)?,
            architecture: Architecture::of_device(major, minor),
            fault: FaultRecord::new(driver)?,
            prints: Prints::default(),
        })
    }

    /// The GPU's number, from 0.
    pub(crate) fn ordinal(&self) -> usize {
        self.ordinal
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
        unsafe { self.driver.cuMemGetInfo_v2(&raw mut free, &raw mut total) }?;
        Ok((free, total))
    }

    /// What kernels for this GPU are compiled for.
    pub(crate) fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The functions of the driver.
    pub(crate) fn driver(&self) -> &'static Driver {
        self.driver
    }

    /// The stream on which all that this context does is ordered.
    pub(crate) fn stream(&self) -> CUstream {
        self.stream
    }

    /// The memory pool, where the GPU has one.
    pub(super) fn pool(&self) -> Option<CUmemoryPool> {
        self.pool
    }

    pub(super) fn fault_record(&self) -> &FaultRecord {
        &self.fault
    }

    /// Launches a kernel that prints: `launch` gets the address for the `print` member of a kernel's `struct Launch`.
    pub(crate) fn launch_printing(&self, launch: impl FnOnce(u64) -> Result<(), Refusal>) -> Result<(), Refusal> {
        self.bind()?;
        self.prints.launch(self.driver, launch)
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

    /// Waits until everything that was asked of this context is done, prints what kernels print, and gives out the fault of
    /// a kernel.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`], once for each fault, or what the driver refused.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        let done = self.wait();
        // Also where the context was lost: what was printed before that may say why.
        self.prints.write_out(|| self.wait_for_everything());
        done?;
        self.give_out_fault()
    }

    /// The fault of a kernel that has ended, as an error.
    pub(super) fn give_out_fault(&self) -> Result<(), Error> {
        match self.take_fault()? {
            None => Ok(()),
            Some(raw) => Err(fault::resolve(raw)),
        }
    }

    /// Waits for the stream.
    pub(super) fn wait(&self) -> Result<(), Refusal> {
        self.bind()?;
        // SAFETY: the stream is this context's and is never destroyed.
        unsafe { self.driver.cuStreamSynchronize(self.stream) }
    }

    /// Waits for all streams of the context, those of other libraries too.
    pub(super) fn wait_for_everything(&self) -> Result<(), Refusal> {
        self.bind()?;
        // SAFETY: the context is current.
        unsafe { self.driver.cuCtxSynchronize() }
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cuda:{} ({})", self.ordinal, self.name)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("ordinal", &self.ordinal).field("name", &self.name).finish_non_exhaustive()
    }
}

fn name_of(driver: &Driver, device: CUdevice) -> Result<String, Refusal> {
    let mut name = [0; 256];
    // SAFETY: the buffer is one byte longer than is said.
    unsafe { driver.cuDeviceGetName(name.as_mut_ptr(), 255, device) }?;
    // SAFETY: the last byte of the buffer is still 0, because the driver did not know of it.
    Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
}

fn limits_of(driver: &Driver, device: CUdevice) -> Result<Limits, Refusal> {
    let get = |attribute| attribute_of(driver, device, attribute);
    let mut total_memory = 0;
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuDeviceTotalMem_v2(&raw mut total_memory, device) }?;
    let compute_capability = (
        get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? as u32,
        get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)? as u32,
    );
    // Clusters came with 9.0 and CUDA 11.8. Eight blocks are what every GPU with clusters takes, sixteen the most that any
    // does (CUDA C++ Programming Guide, "Thread Block Clusters").
    let clusters = compute_capability >= (9, 0) && driver.has_clusters();
    Ok(Limits {
        threads_per_block: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        block: Dim3 {
            x: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            y: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            z: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        },
        grid: Dim3 {
            x: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            y: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            z: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        },
        blocks_per_cluster: if clusters { 8 } else { 0 },
        blocks_per_cluster_opt_in: if clusters { 16 } else { 0 },
        shared_bytes_per_block: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        shared_bytes_per_block_opt_in: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        shared_bytes_per_multiprocessor: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        registers_per_block: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        registers_per_multiprocessor: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        threads_per_multiprocessor: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        blocks_per_multiprocessor: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        multiprocessors: get(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        total_memory,
        compute_capability: Some(compute_capability),
    })
}

fn properties_of(driver: &Driver, device: CUdevice) -> Result<Properties, Refusal> {
    // A driver of another time may not know some of these, and a launch needs only the last but one.
    let get = |attribute| attribute_of(driver, device, attribute).unwrap_or(0);
    Ok(Properties {
        // The driver counts in kHz.
        clock_hz: get(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE) as u64 * 1000,
        memory_clock_hz: get(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) as u64 * 1000,
        memory_bus_bits: get(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
        l2_cache_bytes: get(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        constant_bytes: get(Attribute::CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        copy_engines: get(Attribute::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT),
        ecc: get(Attribute::CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0,
        integrated: get(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0,
        cooperative_launch: attribute_of(driver, device, Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0,
        pci: Pci {
            domain: get(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID) as u32,
            bus: get(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) as u32,
            device: get(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) as u32,
        },
    })
}

/// An attribute of a device; none that is asked for is negative.
pub(super) fn attribute_of(driver: &Driver, device: CUdevice, attribute: CUdevice_attribute) -> Result<usize, Refusal> {
    let mut value = 0;
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuDeviceGetAttribute(&raw mut value, attribute, device) }?;
    Ok(usize::try_from(value).unwrap_or(0))
}
