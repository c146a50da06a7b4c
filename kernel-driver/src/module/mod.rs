//! A loaded kernel: attributes, occupancy, and launch.

mod driver_launch;
mod geometry;

use std::ffi::{CString, c_int, c_void};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::sys::{CUfunction, CUfunction_attribute as Attribute, CUjit_option, CUlaunchConfig, CUmodule, CUstream};

use crate::context::Context;
use crate::driver::Driver;
use crate::error::CudaError;
use crate::stream::Stream;
use crate::toolkit::{Image, Joined};

pub use driver_launch::{DriverLaunch, Launched};
pub use geometry::Geometry;

/// The portable cluster size, in blocks (CUDA C++ Programming Guide, "Thread Block Clusters").
const PORTABLE_CLUSTER: u32 = 8;

/// A kernel that is loaded on a GPU.
pub struct Module {
    context: Arc<Context>,
    raw: CUmodule,
    function: CUfunction,
    /// The dynamic shared memory in bytes that a launch may request without [`Module::allow_shared`].
    allowed_shared: AtomicU32,
    /// Whether a launch may use clusters larger than the portable size.
    allowed_large_clusters: AtomicBool,
    attributes: Attributes,
}

// SAFETY: the handles may be used from any thread; each method first makes the context current to its thread.
unsafe impl Send for Module {}
// SAFETY: as above; the driver's functions are thread-safe, and mutable state is atomic.
unsafe impl Sync for Module {}

impl Context {
    /// Loads the kernel `entry` of an image, which is the name of an `extern "C" __global__` function.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    ///
    /// # Safety
    ///
    /// The machine code of the image is a complete cubin, as NVRTC writes it: the driver reads as many bytes as its
    /// header states.
    pub unsafe fn load(self: &Arc<Context>, image: &Image, entry: &str) -> Result<Module, LoadError> {
        self.bind()?;
        // SAFETY: upheld by the caller.
        let raw = unsafe { self.load_image(image) }?;
        let mut module = Module {
            context: self.clone(),
            raw,
            function: std::ptr::null_mut(),
            allowed_shared: AtomicU32::new(0),
            allowed_large_clusters: AtomicBool::new(false),
            attributes: Attributes::default(),
        };
        let name = CString::new(entry).unwrap_or_default();
        // SAFETY: the pointer is valid for the write, the module is loaded, and the name is a C string.
        unsafe { self.driver().cuModuleGetFunction(&raw mut module.function, raw, name.as_ptr()) }?;
        module.attributes = module.read_attributes()?;
        let limit = self.limits().shared_bytes_per_block;
        *module.allowed_shared.get_mut() = limit.saturating_sub(module.attributes.shared_bytes) as u32;
        Ok(module)
    }

    /// Loads the machine code, or the PTX if there is none or the driver rejects it. An empty PTX is not loaded. The
    /// context is current.
    ///
    /// # Safety
    ///
    /// As for [`Context::load`].
    unsafe fn load_image(&self, image: &Image) -> Result<CUmodule, LoadError> {
        let driver = self.driver();
        let mut rejections = Vec::new();
        if let Some(cubin) = &image.cubin {
            // SAFETY: upheld by the caller.
            match unsafe { load_data(driver, cubin.as_ptr().cast()) } {
                Ok(module) => return Ok(module),
                Err(error) if error.error.is_about_the_image() => {
                    rejections.push(error.rejection(driver, ImageForm::Cubin));
                }
                Err(error) => return Err(error.error.into()),
            }
        }
        if image.ptx.is_empty() {
            return Err(LoadError::ImageRejected { rejections });
        }
        let ptx = format!("{}\0", image.ptx);
        // SAFETY: the text ends in a NUL.
        match unsafe { load_data(driver, ptx.as_ptr().cast()) } {
            Ok(module) => Ok(module),
            Err(error) if error.error.is_about_the_image() => {
                rejections.push(error.rejection(driver, ImageForm::Ptx));
                Err(LoadError::ImageRejected { rejections })
            }
            Err(error) => Err(error.error.into()),
        }
    }
}

/// The resource usage of a kernel on a device: `kernel::attributes(&device)`.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     let i = grid(1);
///     if i < x.len() {
///         x[i] *= 2.0;
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let attributes = double::attributes(&Device::open()?)?;
/// assert_eq!(attributes.local_bytes, 0); // nothing is spilled
/// println!("{} registers, {} threads at most", attributes.registers, attributes.threads_per_block);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attributes {
    /// The maximum number of threads per block for this kernel: less than the device's limit if its register usage is
    /// high, or if it has `launch_bounds`.
    pub threads_per_block: usize,
    /// The number of 32-bit registers per thread; 0 on the CPU.
    pub registers: usize,
    /// The static shared memory per block, in bytes.
    pub shared_bytes: usize,
    /// The local memory per thread, in bytes: spilled registers, and arrays that are indexed dynamically. 0 on the CPU.
    pub local_bytes: usize,
    /// The constant memory in bytes; 0 on the CPU.
    pub constant_bytes: usize,
    /// The architecture of the PTX that the machine code was compiled from, such as `(9, 0)`; `None` on the CPU.
    pub ptx_version: Option<(u32, u32)>,
    /// The architecture of the machine code, such as `(9, 0)`; `None` on the CPU.
    pub binary_version: Option<(u32, u32)>,
}

/// Why a module is not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The driver rejected the image.
    ImageRejected {
        /// The driver's reason for each form of the code that it rejected: the machine code, if there is any, and the
        /// PTX.
        rejections: Vec<ImageRejection>,
    },
    /// A driver call failed.
    Cuda(CudaError),
}

/// The driver's rejection of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageRejection {
    /// The form of the code.
    pub form: ImageForm,
    /// CUDA's name of the error, such as `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`.
    pub name: String,
    /// CUDA's description of the error.
    pub message: String,
    /// The log of the driver's linker or assembler; may be empty.
    pub log: String,
}

/// A form of compiled code, in [`ImageRejection`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageForm {
    /// Machine code.
    Cubin,
    /// PTX, which the driver compiles.
    Ptx,
}

impl From<CudaError> for LoadError {
    fn from(error: CudaError) -> Self {
        LoadError::Cuda(error)
    }
}

impl Module {
    /// Returns the attributes of the compiled kernel.
    #[inline]
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Enqueues the kernel on a stream of its context.
    ///
    /// # Safety
    ///
    /// The stream belongs to the context. `parameters` points to one value for each parameter of the kernel, in order and
    /// of its type; the pointers among them are memory of this context that stays allocated until the kernel has
    /// completed.
    #[inline]
    pub unsafe fn launch(
        &self,
        stream: &Stream,
        geometry: &Geometry,
        parameters: &mut [*mut c_void],
    ) -> Result<(), CudaError> {
        self.context.bind()?;
        let &Geometry { grid: [gx, gy, gz], block: [bx, by, bz], cluster, shared_bytes, cooperative } = geometry;
        self.allow_shared(shared_bytes)?;
        let (driver, stream, function) = (self.context.driver(), stream.raw(), self.function);
        let parameters = parameters.as_mut_ptr();
        if cluster.is_some() {
            return self.with_config(stream, geometry, |config| {
                // SAFETY: upheld by the caller; the function and the stream belong to the current context.
                unsafe { driver.cuLaunchKernelEx(config, function, parameters, std::ptr::null_mut()) }
            });
        }
        // SAFETY: as above.
        unsafe {
            if cooperative {
                driver.cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters)
            } else {
                let extra = std::ptr::null_mut();
                driver.cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters, extra)
            }
        }
    }

    /// Calls `then` with the extended launch configuration, which is valid during the call.
    fn with_config<R>(
        &self,
        stream: CUstream,
        geometry: &Geometry,
        then: impl FnOnce(*const CUlaunchConfig) -> Result<R, CudaError>,
    ) -> Result<R, CudaError> {
        self.allow_cluster(geometry)?;
        let mut attributes = geometry.attributes();
        then(&geometry.config(stream, &mut attributes))
    }

    /// Returns the number of resident blocks per multiprocessor.
    pub fn active_blocks(&self, block_threads: u32, shared_bytes: u32) -> Result<u32, CudaError> {
        self.context.bind()?;
        self.allow_shared(shared_bytes)?;
        let mut blocks = 0;
        let threads = c_int::try_from(block_threads).unwrap_or(c_int::MAX);
        // SAFETY: the pointer is valid for the write, and the function belongs to the current context.
        unsafe {
            self.context.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut blocks,
                self.function,
                threads,
                shared_bytes as usize,
            )
        }?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// Returns the number of resident clusters on the whole GPU.
    pub(crate) fn active_clusters(&self, geometry: &Geometry) -> Result<u64, CudaError> {
        self.context.bind()?;
        self.allow_shared(geometry.shared_bytes)?;
        let mut clusters = 0;
        self.with_config(std::ptr::null_mut(), geometry, |config| {
            // SAFETY: the pointers are valid, and the function belongs to the current context.
            unsafe { self.context.driver().cuOccupancyMaxActiveClusters(&raw mut clusters, self.function, config) }
        })?;
        Ok(u64::try_from(clusters).unwrap_or(0))
    }

    /// Returns the maximum cluster size, in blocks, for such a launch.
    pub fn largest_cluster(&self, geometry: &Geometry) -> Result<u64, CudaError> {
        self.context.bind()?;
        self.allow_shared(geometry.shared_bytes)?;
        let mut blocks = 0;
        self.with_config(std::ptr::null_mut(), geometry, |config| {
            // SAFETY: the pointers are valid, and the function belongs to the current context.
            unsafe { self.context.driver().cuOccupancyMaxPotentialClusterSize(&raw mut blocks, self.function, config) }
        })?;
        Ok(u64::try_from(blocks).unwrap_or(0))
    }

    /// Returns the number of resident blocks on the whole GPU; 0 if it does not support cooperative launches.
    pub fn resident_blocks(&self, geometry: &Geometry) -> Result<u64, CudaError> {
        if !self.context.properties().cooperative_launch {
            return Ok(0);
        }
        if geometry.cluster.is_some() {
            return Ok(self.active_clusters(geometry)? * u64::from(geometry.cluster_blocks()));
        }
        let blocks = self.active_blocks(geometry.block_threads(), geometry.shared_bytes)?;
        Ok(u64::from(blocks) * self.context.limits().multiprocessors as u64)
    }

    /// Allows a cluster larger than the portable size if the launch needs it.
    #[inline]
    pub(crate) fn allow_cluster(&self, geometry: &Geometry) -> Result<(), CudaError> {
        if geometry.cluster_blocks() > PORTABLE_CLUSTER { self.allow_large_clusters() } else { Ok(()) }
    }

    /// Allows launches with so much dynamic shared memory.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn allow(&self, shared_bytes: u32) -> Result<(), CudaError> {
        self.context.bind()?;
        self.allow_shared(shared_bytes)
    }

    /// Returns the GPU on which the kernel is loaded.
    #[inline]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the driver's function handle.
    #[inline]
    pub(crate) fn function(&self) -> CUfunction {
        self.function
    }

    /// Allows clusters larger than the portable size.
    #[cold]
    fn allow_large_clusters(&self) -> Result<(), CudaError> {
        // Relaxed: setting the attribute twice is harmless.
        if self.allowed_large_clusters.load(Ordering::Relaxed) {
            return Ok(());
        }
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        // SAFETY: the function belongs to the current context.
        unsafe { self.context.driver().cuFuncSetAttribute(self.function, attribute, 1) }?;
        self.allowed_large_clusters.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Raises the limit of dynamic shared memory if the launch needs it.
    #[inline]
    pub(crate) fn allow_shared(&self, bytes: u32) -> Result<(), CudaError> {
        // Relaxed: the value is either the initial one or the maximum, and setting the attribute twice is harmless.
        if bytes <= self.allowed_shared.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.opt_in_shared()
    }

    /// Raises the limit to the maximum of the GPU less the kernel's static shared memory, so that it is done once per
    /// kernel. A launch still occupies only what it requests.
    #[cold]
    fn opt_in_shared(&self) -> Result<(), CudaError> {
        let limit = self.context.limits().shared_bytes_per_block_opt_in;
        let rest = limit.saturating_sub(self.attributes.shared_bytes);
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = c_int::try_from(rest).unwrap_or(c_int::MAX);
        // SAFETY: the function belongs to the current context.
        unsafe { self.context.driver().cuFuncSetAttribute(self.function, attribute, bytes) }?;
        self.allowed_shared.store(rest as u32, Ordering::Relaxed);
        Ok(())
    }

    fn read_attributes(&self) -> Result<Attributes, CudaError> {
        let version = |number: usize| Some((number as u32 / 10, number as u32 % 10));
        Ok(Attributes {
            threads_per_block: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            registers: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            shared_bytes: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            constant_bytes: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
            ptx_version: version(self.attribute(Attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION)?),
            binary_version: version(self.attribute(Attribute::CU_FUNC_ATTRIBUTE_BINARY_VERSION)?),
        })
    }

    fn attribute(&self, attribute: Attribute) -> Result<usize, CudaError> {
        let mut value = 0;
        // SAFETY: the pointer is valid for the write, and the function belongs to the current context.
        unsafe { self.context.driver().cuFuncGetAttribute(&raw mut value, attribute, self.function) }?;
        Ok(usize::try_from(value).unwrap_or(0))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let primary = self.context.primary();
        // The documentation does not say that unloading waits for kernels of the module.
        // SAFETY: the module was loaded in this context, which is current, and none of its kernels is in flight.
        let unload = || unsafe { self.context.driver().cuModuleUnload(self.raw) };
        if let Err(error) = primary.synchronize().and_then(|()| unload()) {
            primary.note_drop_error(error);
        }
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("context", &self.context)
            .field("attributes", &self.attributes)
            .finish_non_exhaustive()
    }
}

/// An image that the driver failed to load, with the log of its linker or assembler.
struct ImageError {
    error: CudaError,
    log: String,
}

impl ImageError {
    fn rejection(self, driver: &Driver, form: ImageForm) -> ImageRejection {
        let (name, message) = (driver.error_name(self.error), driver.error_message(self.error));
        ImageRejection { form, name, message, log: self.log }
    }
}

/// Loads a cubin, or NUL-terminated PTX, into the current context.
///
/// # Safety
///
/// `image` is a complete cubin, or text that ends in a NUL.
unsafe fn load_data(driver: &Driver, image: *const c_void) -> Result<CUmodule, ImageError> {
    let mut log = vec![0u8; 4096];
    let mut options = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The size is passed in the bits of a pointer, as the CUDA Driver API demands.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(log.len())];
    let mut module = std::ptr::null_mut();
    // SAFETY: the caller's promise for the image; a cubin contains its own length. There are two options and two
    // values, and the buffer has the length that is passed.
    let loaded =
        unsafe { driver.cuModuleLoadDataEx(&raw mut module, image, 2, options.as_mut_ptr(), values.as_mut_ptr()) };
    loaded.map(|()| module).map_err(|error| {
        let text = log.split(|byte| *byte == 0).next().unwrap_or_default();
        ImageError { error, log: String::from_utf8_lossy(text).into_owned() }
    })
}

impl CudaError {
    /// Returns whether another image of the same kernel might load.
    fn is_about_the_image(self) -> bool {
        // INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX, JIT_COMPILER_NOT_FOUND, UNSUPPORTED_PTX_VERSION,
        // JIT_COMPILATION_DISABLED, INVALID_SOURCE, SHARED_OBJECT_INIT_FAILED.
        matches!(self.code, 200 | 209 | 218 | 221..=223 | 300 | 303)
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::ImageRejected { rejections } => Joined(rejections).fmt(f),
            LoadError::Cuda(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

impl fmt::Display for ImageRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ImageRejection { form, name, message, log } = self;
        write!(f, "the {form} was rejected with {name} ({message})")?;
        let log = log.trim();
        if log.is_empty() { Ok(()) } else { write!(f, ": {log}") }
    }
}

impl fmt::Display for ImageForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ImageForm::Cubin => "cubin",
            ImageForm::Ptx => "PTX",
        })
    }
}
