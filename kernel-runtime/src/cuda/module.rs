//! A kernel on a GPU: loaded, measured, and launched.

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
use super::geometry::Geometry;
use super::image::{Image, Origin, Request, compile_for_gpu, compile_for_gpu_here};
use super::refusal::Refusal;
use super::stream::Stream;
use crate::attributes::Attributes;
use crate::block_picker;
use crate::error::{CompileError, Error};
use crate::warning::event;

/// A kernel that is loaded on a GPU.
pub(crate) struct Module {
    context: Arc<Context>,
    raw: CUmodule,
    function: CUfunction,
    /// Bytes of dynamic shared memory that a launch may ask for without [`Module::allow_shared`].
    allowed_shared: AtomicU32,
    /// Whether a launch may have clusters that not every GPU takes.
    allowed_large_clusters: AtomicBool,
    /// The threads of the blocks that fill a multiprocessor, by bytes of dynamic shared memory.
    fullest: Fullest,
    attributes: Attributes,
    image: Image,
}

// SAFETY: the handles may be used from any thread; each method makes the context current to its thread first.
unsafe impl Send for Module {}
// SAFETY: as above; the driver's functions are thread-safe, and what changes is atomic.
unsafe impl Sync for Module {}

impl Context {
    /// Compiles a kernel, or takes it from where it was compiled before, and loads it. What came with the program was made for
    /// some driver, and where this one refuses it, the kernel is compiled here.
    ///
    /// `entry` is the name of the `extern "C" __global__` function in the source.
    ///
    /// # Errors
    ///
    /// [`CompileError`], or what the driver refused.
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
                warn, target: "cumbia::compile", kernel, device, refused, "what came with the program does not load"
            );
            match compile_for_gpu_here(request, self.architecture()) {
                Ok(found) => {
                    (image, origin) = found;
                    compiled = Instant::now();
                    loaded = self.load_image(request, &image);
                }
                // Whoever ships kernels means to need none: what is wrong is what came with the program.
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
            fullest: Fullest::default(),
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

    /// Loads machine code, or the PTX where there is none or the driver does not take it.
    fn load_image(&self, request: Request<'_>, image: &Image) -> Result<CUmodule, Error> {
        let driver = self.driver();
        let mut reason = None;
        if let Some(cubin) = &image.cubin {
            match load_data(driver, cubin.as_ptr().cast()) {
                Ok(module) => return Ok(module),
                Err(refusal) if refusal.refusal.is_about_the_image() => {
                    reason = Some(refusal.describe(driver, "cubin"));
                }
                Err(refusal) => return Err(refusal.refusal.into()),
            }
        }
        let ptx = format!("{}\0", image.ptx);
        match load_data(driver, ptx.as_ptr().cast()) {
            Ok(module) => Ok(module),
            Err(refusal) if refusal.refusal.is_about_the_image() => {
                let ptx = refusal.describe(driver, "PTX");
                Err(CompileError::ImageRefused {
                    kernel: request.kernel.to_owned(),
                    architecture: image.architecture.clone(),
                    driver: driver.version(),
                    reason: reason.map_or_else(|| ptx.clone(), |cubin| format!("{cubin}; {ptx}")),
                }
                .into())
            }
            Err(refusal) => Err(refusal.refusal.into()),
        }
    }
}

impl Module {
    /// What the compiler made of the kernel.
    pub(crate) fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Launches the kernel on a stream of its context, and returns before it runs.
    ///
    /// # Safety
    ///
    /// `parameters` points to one value for each parameter of the kernel, in order and of its type; the pointers among
    /// them are memory of this context that lives until the kernel is over.
    #[inline]
    pub(crate) unsafe fn launch(
        &self,
        stream: &Stream,
        geometry: &Geometry,
        parameters: &mut [*mut c_void],
    ) -> Result<(), Refusal> {
        self.context.bind()?;
        let &Geometry { grid: [gx, gy, gz], block: [bx, by, bz], cluster, shared_bytes, cooperative } = geometry;
        self.allow_shared(shared_bytes)?;
        let (driver, stream, function) = (self.context.driver(), stream.raw(), self.function);
        let parameters = parameters.as_mut_ptr();
        if cluster.is_some() {
            return self.with_config(stream, geometry, |config| {
                // SAFETY: the caller's promise; the function and the stream belong to the current context.
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

    /// A launch in the form that has room for clusters. It is valid during the call.
    fn with_config<R>(
        &self,
        stream: CUstream,
        geometry: &Geometry,
        then: impl FnOnce(*const CUlaunchConfig) -> Result<R, Refusal>,
    ) -> Result<R, Refusal> {
        self.allow_cluster(geometry)?;
        let mut attributes = geometry.attributes();
        then(&geometry.config(stream, &mut attributes))
    }

    /// How many blocks of a launch one multiprocessor can hold at once.
    pub(crate) fn active_blocks(&self, block_threads: u32, shared_bytes: u32) -> Result<u32, Refusal> {
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

    /// How many clusters of a launch the GPU can hold at once.
    pub(crate) fn active_clusters(&self, geometry: &Geometry) -> Result<u64, Refusal> {
        self.context.bind()?;
        self.allow_shared(geometry.shared_bytes)?;
        let mut clusters = 0;
        self.with_config(std::ptr::null_mut(), geometry, |config| {
            // SAFETY: the pointers are valid, and the function belongs to the current context.
            unsafe { self.context.driver().cuOccupancyMaxActiveClusters(&raw mut clusters, self.function, config) }
        })?;
        Ok(u64::try_from(clusters).unwrap_or(0))
    }

    /// How many blocks a cluster of such blocks can have.
    pub(crate) fn largest_cluster(&self, geometry: &Geometry) -> Result<u64, Refusal> {
        self.context.bind()?;
        self.allow_shared(geometry.shared_bytes)?;
        let mut blocks = 0;
        self.with_config(std::ptr::null_mut(), geometry, |config| {
            // SAFETY: the pointers are valid, and the function belongs to the current context.
            unsafe { self.context.driver().cuOccupancyMaxPotentialClusterSize(&raw mut blocks, self.function, config) }
        })?;
        Ok(u64::try_from(blocks).unwrap_or(0))
    }

    /// How many blocks of a launch the GPU can hold at once; 0 where it has no cooperative launches.
    pub(crate) fn resident_blocks(&self, geometry: &Geometry) -> Result<u64, Refusal> {
        if !self.context.properties().cooperative_launch {
            return Ok(0);
        }
        if geometry.cluster.is_some() {
            return Ok(self.active_clusters(geometry)? * u64::from(geometry.cluster_blocks()));
        }
        let blocks = self.active_blocks(geometry.block_threads(), geometry.shared_bytes)?;
        Ok(u64::from(blocks) * self.context.limits().multiprocessors as u64)
    }

    /// The threads of the blocks of which a multiprocessor runs about the most threads at once. `bound` is the most of a
    /// block that the kernel's options allow, always the same.
    pub(crate) fn max_occupancy_block(&self, bound: Option<u32>, shared_bytes: u32) -> Result<u32, Refusal> {
        if let Some(threads) = self.fullest.get(shared_bytes) {
            return Ok(threads);
        }
        let most = (self.attributes.threads_per_block as u32).min(bound.unwrap_or(u32::MAX));
        let threads = block_picker::max_occupancy_threads(most, |threads| self.active_blocks(threads, shared_bytes))?;
        self.fullest.put(shared_bytes, threads);
        Ok(threads)
    }

    /// Asks for larger clusters than every GPU takes, where a launch needs them.
    pub(super) fn allow_cluster(&self, geometry: &Geometry) -> Result<(), Refusal> {
        if geometry.cluster_blocks() > PORTABLE_CLUSTER { self.allow_large_clusters() } else { Ok(()) }
    }

    /// Sees to it that launches can ask for so much dynamic shared memory.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    pub(crate) fn allow(&self, shared_bytes: u32) -> Result<(), Refusal> {
        self.context.bind()?;
        self.allow_shared(shared_bytes)
    }

    /// The GPU that it is loaded on.
    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// The driver's handle of the kernel.
    pub(super) fn function(&self) -> CUfunction {
        self.function
    }

    /// Allows clusters of more blocks than every GPU takes.
    #[cold]
    fn allow_large_clusters(&self) -> Result<(), Refusal> {
        // Relaxed: asking twice is harmless.
        if self.allowed_large_clusters.load(Ordering::Relaxed) {
            return Ok(());
        }
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        // SAFETY: the function belongs to the current context.
        unsafe { self.context.driver().cuFuncSetAttribute(self.function, attribute, 1) }?;
        self.allowed_large_clusters.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Asks for more dynamic shared memory than every GPU has, where a launch needs it.
    #[inline]
    pub(super) fn allow_shared(&self, bytes: u32) -> Result<(), Refusal> {
        // Relaxed: the value only ever says "not asked for yet" or the one maximum, and asking twice is harmless.
        if bytes <= self.allowed_shared.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.ask_for_all_shared()
    }

    /// Allows all that the GPU has besides the kernel's own arrays, so that this is done once for each kernel. What a
    /// launch occupies is still only what it asks for.
    #[cold]
    fn ask_for_all_shared(&self) -> Result<(), Refusal> {
        let limit = self.context.limits().shared_bytes_per_block_opt_in;
        let rest = limit.saturating_sub(self.attributes.shared_bytes);
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = c_int::try_from(rest).unwrap_or(c_int::MAX);
        // SAFETY: the function belongs to the current context.
        unsafe { self.context.driver().cuFuncSetAttribute(self.function, attribute, bytes) }?;
        self.allowed_shared.store(rest as u32, Ordering::Relaxed);
        Ok(())
    }

    fn read_attributes(&self) -> Result<Attributes, Refusal> {
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

    fn attribute(&self, attribute: Attribute) -> Result<usize, Refusal> {
        let mut value = 0;
        // SAFETY: the pointer is valid for the write, and the function belongs to the current context.
        unsafe { self.context.driver().cuFuncGetAttribute(&raw mut value, attribute, self.function) }?;
        Ok(usize::try_from(value).unwrap_or(0))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let primary = self.context.primary();
        // The manual does not say that unloading waits for a kernel of the module.
        // SAFETY: the module was loaded in this context, which is current, and nothing of it runs any more.
        let unload = || unsafe { self.context.driver().cuModuleUnload(self.raw) };
        if let Err(refusal) = primary.wait_for_everything().and_then(|()| unload()) {
            primary.note_dropped(refusal);
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

/// Blocks of a cluster that every GPU with clusters takes (CUDA C++ Programming Guide, "Thread Block Clusters").
const PORTABLE_CLUSTER: u32 = 8;

/// What was found of the blocks that fill a multiprocessor: a table that is read without waiting. Two sizes of shared memory
/// may fall on one place, and are then found anew.
#[derive(Default)]
struct Fullest([AtomicU64; 8]);

impl Fullest {
    fn get(&self, shared_bytes: u32) -> Option<u32> {
        // Relaxed: an entry is one number, whole in itself.
        let entry = self.place(shared_bytes).load(Ordering::Relaxed);
        let (threads, of) = (entry as u32, (entry >> 32) as u32);
        (threads != 0 && of == shared_bytes).then_some(threads)
    }

    fn put(&self, shared_bytes: u32, threads: u32) {
        self.place(shared_bytes).store(u64::from(shared_bytes) << 32 | u64::from(threads), Ordering::Relaxed);
    }

    fn place(&self, shared_bytes: u32) -> &AtomicU64 {
        // Sizes are mostly multiples of powers of two, which the multiplication spreads (Knuth's, by the golden ratio).
        &self.0[(shared_bytes.wrapping_mul(0x9e37_79b9) >> 29) as usize]
    }
}

/// An image that the driver did not load, and what its linker or assembler said.
struct ImageRefusal {
    refusal: Refusal,
    log: String,
}

impl ImageRefusal {
    fn describe(&self, driver: &Driver, what: &str) -> String {
        let (name, message) = (self.refusal.name(driver), self.refusal.message(driver));
        let log = self.log.trim();
        let colon = if log.is_empty() { "" } else { ": " };
        format!("the {what} was refused with {name} ({message}){colon}{log}")
    }
}

/// Loads a cubin, or PTX that ends in a NUL, into the current context.
fn load_data(driver: &Driver, image: *const c_void) -> Result<CUmodule, ImageRefusal> {
    let mut log = vec![0u8; 4096];
    let mut options = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The size is passed as a pointer's bits, as the manual has it.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(log.len())];
    let mut module = std::ptr::null_mut();
    // SAFETY: the image is a cubin, which holds its own length, or text with a NUL; options and values are two each, and
    // the buffer has the length that is passed.
    let loaded =
        unsafe { driver.cuModuleLoadDataEx(&raw mut module, image, 2, options.as_mut_ptr(), values.as_mut_ptr()) };
    loaded.map(|()| module).map_err(|refusal| {
        let text = log.split(|byte| *byte == 0).next().unwrap_or_default();
        ImageRefusal { refusal, log: String::from_utf8_lossy(text).into_owned() }
    })
}

impl Refusal {
    /// Whether other code for the same kernel might be taken.
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
    fn the_fullest_block_is_remembered_by_shared_bytes() {
        let fullest = Fullest::default();
        assert_eq!(fullest.get(0), None);
        fullest.put(0, 256);
        fullest.put(48 << 10, 512);
        assert_eq!((fullest.get(0), fullest.get(48 << 10), fullest.get(1024)), (Some(256), Some(512), None));
        for shared_bytes in (0..100).map(|i| i * 1024) {
            fullest.put(shared_bytes, 64);
            assert_eq!(fullest.get(shared_bytes), Some(64));
        }
    }
}
