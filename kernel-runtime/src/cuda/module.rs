//! A loaded kernel: attributes, occupancy, and launch.

use std::ffi::{CString, c_int, c_void};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use cudarc::driver::sys::{
    CUfunction, CUfunction_attribute as Attribute, CUjit_option, CUlaunchConfig, CUmodule, CUstream,
};

use super::context::Context;
use super::driver::Driver;
use super::error::CudaError;
use super::geometry::Geometry;
use super::image::{Image, Origin, Request, compile_for_gpu, compile_without_precompiled};
use super::stream::Stream;
use crate::attributes::Attributes;
use crate::block_picker;
use crate::error::{CompileError, Error, ImageForm, ImageRejection};
use cumbia_kernel_sync::event;

/// A kernel that is loaded on a GPU.
pub(crate) struct Module {
    context: Arc<Context>,
    raw: CUmodule,
    function: CUfunction,
    /// The dynamic shared memory in bytes that a launch may request without [`Module::allow_shared`].
    allowed_shared: AtomicU32,
    /// Whether a launch may use clusters larger than the portable size.
    allowed_large_clusters: AtomicBool,
    /// The block sizes of maximum occupancy, by dynamic shared memory.
    block_sizes: OccupancyCache,
    attributes: Attributes,
    image: Image,
}

// SAFETY: the handles may be used from any thread; each method first makes the context current to its thread.
unsafe impl Send for Module {}
// SAFETY: as above; the driver's functions are thread-safe, and mutable state is atomic.
unsafe impl Sync for Module {}

impl Context {
    /// Compiles a kernel, or finds its compiled image, and loads it. A precompiled image was built for some range of
    /// drivers; if this driver rejects it, the kernel is compiled here.
    ///
    /// `entry` is the name of the `extern "C" __global__` function in the source.
    ///
    /// # Errors
    ///
    /// [`CompileError`], or a CUDA driver error.
    pub(crate) fn load(self: &Arc<Context>, request: Request<'_>, entry: &str) -> Result<Module, Error> {
        let start = Instant::now();
        let (mut image, mut origin) = compile_for_gpu(request, self.architecture())?;
        let mut compiled = Instant::now();
        self.bind()?;
        let mut loaded = self.load_image(request, &image);
        if let Err(refused @ Error::Compile(CompileError::ImageRefused { .. })) = &loaded
            && origin == Origin::Precompiled
        {
            let (kernel, device, refused) = (request.instance.to_owned(), self.to_string(), refused.to_string());
            event!(
                warn, target: "cumbia::compile", kernel, device, refused, "the precompiled image does not load"
            );
            match compile_without_precompiled(request, self.architecture()) {
                Ok(found) => {
                    (image, origin) = found;
                    compiled = Instant::now();
                    loaded = self.load_image(request, &image);
                }
                // A program that ships precompiled kernels does not expect NVRTC: report the precompiled image instead.
                Err(CompileError::NoNvrtc { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let raw = loaded?;
        let mut module = Module {
            context: self.clone(),
            raw,
            function: std::ptr::null_mut(),
            allowed_shared: AtomicU32::new(0),
            allowed_large_clusters: AtomicBool::new(false),
            block_sizes: OccupancyCache::default(),
            attributes: Attributes::default(),
            image,
        };
        let name = CString::new(entry).unwrap_or_default();
        // SAFETY: the pointer is valid for the write, the module is loaded, and the name is a C string.
        unsafe { self.driver().cuModuleGetFunction(&raw mut module.function, raw, name.as_ptr()) }?;
        module.attributes = module.read_attributes()?;
        let limit = self.limits().shared_bytes_per_block;
        *module.allowed_shared.get_mut() = limit.saturating_sub(module.attributes.shared_bytes) as u32;
        let (kernel, device) = (request.instance.to_owned(), self.to_string());
        let architecture = module.image.architecture.clone();
        let compile_milliseconds = (compiled - start).as_secs_f64() * 1e3;
        let load_milliseconds = compiled.elapsed().as_secs_f64() * 1e3;
        let Attributes { registers, shared_bytes, local_bytes, .. } = module.attributes;
        event!(
            debug, target: "cumbia::compile",
            kernel, device, architecture, ?origin, compile_milliseconds, load_milliseconds, registers, shared_bytes,
            local_bytes, "loaded"
        );
        Ok(module)
    }

    /// Loads the machine code, or the PTX if there is none or the driver rejects it.
    fn load_image(&self, request: Request<'_>, image: &Image) -> Result<CUmodule, Error> {
        let driver = self.driver();
        let mut rejections = Vec::new();
        if let Some(cubin) = &image.cubin {
            match load_data(driver, cubin.as_ptr().cast()) {
                Ok(module) => return Ok(module),
                Err(error) if error.error.is_about_the_image() => {
                    rejections.push(error.rejection(driver, ImageForm::Cubin));
                }
                Err(error) => return Err(error.error.into()),
            }
        }
        let ptx = format!("{}\0", image.ptx);
        match load_data(driver, ptx.as_ptr().cast()) {
            Ok(module) => Ok(module),
            Err(error) if error.error.is_about_the_image() => {
                rejections.push(error.rejection(driver, ImageForm::Ptx));
                Err(CompileError::ImageRefused {
                    kernel: request.kernel.to_owned(),
                    architecture: image.architecture.clone(),
                    driver: driver.version(),
                    rejections,
                }
                .into())
            }
            Err(error) => Err(error.error.into()),
        }
    }
}

impl Module {
    /// Returns the attributes of the compiled kernel.
    pub(crate) fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Enqueues the kernel on a stream of its context.
    ///
    /// # Safety
    ///
    /// `parameters` points to one value for each parameter of the kernel, in order and of its type; the pointers among
    /// them are memory of this context that stays allocated until the kernel has completed.
    #[inline]
    pub(crate) unsafe fn launch(
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
    pub(crate) fn active_blocks(&self, block_threads: u32, shared_bytes: u32) -> Result<u32, CudaError> {
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
    pub(crate) fn largest_cluster(&self, geometry: &Geometry) -> Result<u64, CudaError> {
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
    pub(crate) fn resident_blocks(&self, geometry: &Geometry) -> Result<u64, CudaError> {
        if !self.context.properties().cooperative_launch {
            return Ok(0);
        }
        if geometry.cluster.is_some() {
            return Ok(self.active_clusters(geometry)? * u64::from(geometry.cluster_blocks()));
        }
        let blocks = self.active_blocks(geometry.block_threads(), geometry.shared_bytes)?;
        Ok(u64::from(blocks) * self.context.limits().multiprocessors as u64)
    }

    /// Returns the block size, in threads, of about the highest occupancy. `bound` is the kernel's limit of threads per
    /// block, a constant of the kernel.
    pub(crate) fn max_occupancy_block(&self, bound: Option<u32>, shared_bytes: u32) -> Result<u32, CudaError> {
        if let Some(threads) = self.block_sizes.get(shared_bytes) {
            return Ok(threads);
        }
        let most = (self.attributes.threads_per_block as u32).min(bound.unwrap_or(u32::MAX));
        let threads = block_picker::max_occupancy_threads(most, |threads| self.active_blocks(threads, shared_bytes))?;
        self.block_sizes.put(shared_bytes, threads);
        Ok(threads)
    }

    /// Allows a cluster larger than the portable size if the launch needs it.
    pub(super) fn allow_cluster(&self, geometry: &Geometry) -> Result<(), CudaError> {
        if geometry.cluster_blocks() > PORTABLE_CLUSTER { self.allow_large_clusters() } else { Ok(()) }
    }

    /// Allows launches with so much dynamic shared memory.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub(crate) fn allow(&self, shared_bytes: u32) -> Result<(), CudaError> {
        self.context.bind()?;
        self.allow_shared(shared_bytes)
    }

    /// Returns the GPU on which the kernel is loaded.
    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the driver's function handle.
    pub(super) fn function(&self) -> CUfunction {
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
    pub(super) fn allow_shared(&self, bytes: u32) -> Result<(), CudaError> {
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
            .field("architecture", &self.image.architecture)
            .field("attributes", &self.attributes)
            .finish_non_exhaustive()
    }
}

/// The portable cluster size, in blocks (CUDA C++ Programming Guide, "Thread Block Clusters").
const PORTABLE_CLUSTER: u32 = 8;

/// A lock-free, direct-mapped cache of block sizes of maximum occupancy, keyed by dynamic shared memory. A collision
/// evicts the older entry, which is then computed again.
#[derive(Default)]
struct OccupancyCache([AtomicU64; 8]);

impl OccupancyCache {
    fn get(&self, shared_bytes: u32) -> Option<u32> {
        // Relaxed: an entry is a single self-contained number.
        let entry = self.entry(shared_bytes).load(Ordering::Relaxed);
        let (threads, of) = (entry as u32, (entry >> 32) as u32);
        (threads != 0 && of == shared_bytes).then_some(threads)
    }

    fn put(&self, shared_bytes: u32, threads: u32) {
        self.entry(shared_bytes).store(u64::from(shared_bytes) << 32 | u64::from(threads), Ordering::Relaxed);
    }

    fn entry(&self, shared_bytes: u32) -> &AtomicU64 {
        // Sizes are mostly multiples of powers of two; Fibonacci hashing spreads them.
        &self.0[(shared_bytes.wrapping_mul(0x9e37_79b9) >> 29) as usize]
    }
}

/// An image that the driver failed to load, with the log of its linker or assembler.
struct ImageError {
    error: CudaError,
    log: String,
}

impl ImageError {
    fn rejection(self, driver: &Driver, form: ImageForm) -> ImageRejection {
        ImageRejection::new(form, self.error.name(driver), self.error.message(driver), self.log)
    }
}

/// Loads a cubin, or NUL-terminated PTX, into the current context.
fn load_data(driver: &Driver, image: *const c_void) -> Result<CUmodule, ImageError> {
    let mut log = vec![0u8; 4096];
    let mut options = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The size is passed in the bits of a pointer, as the CUDA Driver API demands.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(log.len())];
    let mut module = std::ptr::null_mut();
    // SAFETY: the image is a cubin, which contains its own length, or NUL-terminated text; there are two options and
    // two values, and the buffer has the length that is passed.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_sizes_are_cached_by_shared_memory() {
        let block_sizes = OccupancyCache::default();
        assert_eq!(block_sizes.get(0), None);
        block_sizes.put(0, 256);
        block_sizes.put(48 << 10, 512);
        assert_eq!(
            (block_sizes.get(0), block_sizes.get(48 << 10), block_sizes.get(1024)),
            (Some(256), Some(512), None)
        );
        for shared_bytes in (0..100).map(|i| i * 1024) {
            block_sizes.put(shared_bytes, 64);
            assert_eq!(block_sizes.get(shared_bytes), Some(64));
        }
    }
}
