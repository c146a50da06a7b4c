//! A kernel on a GPU: loaded, measured, and launched.

use std::ffi::{CString, c_int, c_void};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cudarc::driver::sys::{CUfunction, CUfunction_attribute as Attribute, CUjit_option, CUmodule};

use super::context::Context;
use super::driver::{Driver, Refusal};
use super::image::{Flags, Image, Request, compile_for_gpu};
use super::stream::Stream;
use crate::error::{CompileError, Error};

/// A kernel that is loaded on a GPU.
pub(crate) struct Module {
    context: Arc<Context>,
    raw: CUmodule,
    function: CUfunction,
    /// Bytes of dynamic shared memory that a launch may ask for without [`Module::allow_shared`].
    allowed_shared: AtomicU32,
    attributes: Attributes,
    image: Image,
}

/// What the compiler made of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attributes {
    /// The most threads in a block of this kernel.
    pub(crate) threads_per_block: usize,
    /// Registers of a thread.
    pub(crate) registers: usize,
    /// Bytes of shared memory in the kernel's own arrays.
    pub(crate) static_shared_bytes: usize,
    /// Bytes of local memory of a thread: spilled registers, and arrays that are indexed by variables.
    pub(crate) local_bytes: usize,
}

// SAFETY: the handles may be used from any thread; each method makes the context current to its thread first.
unsafe impl Send for Module {}
// SAFETY: as above; the driver's functions are thread-safe, and what changes is atomic.
unsafe impl Sync for Module {}

impl Context {
    /// Compiles a kernel, or takes it from the disk cache where it was compiled before, and loads it.
    ///
    /// `kernel` is for errors, and `entry` the name of the `extern "C" __global__` function in `source`.
    ///
    /// # Errors
    ///
    /// [`CompileError`], or what the driver refused.
    pub(crate) fn load(
        self: &Arc<Context>,
        kernel: &str,
        source: &str,
        entry: &str,
        flags: Flags,
    ) -> Result<Module, Error> {
        let request = Request { kernel, source, flags };
        let image = compile_for_gpu(request, self.architecture())?;
        self.bind()?;
        let raw = self.load_image(request, &image)?;
        let mut module = Module {
            context: self.clone(),
            raw,
            function: std::ptr::null_mut(),
            allowed_shared: AtomicU32::new(0),
            attributes: Attributes { threads_per_block: 0, registers: 0, static_shared_bytes: 0, local_bytes: 0 },
            image,
        };
        let name = CString::new(entry).unwrap_or_default();
        // SAFETY: the pointer is valid for the write, the module is loaded, and the name is a C string.
        unsafe { self.driver().cuModuleGetFunction(&raw mut module.function, raw, name.as_ptr()) }?;
        module.attributes = module.read_attributes()?;
        let limit = self.limits().shared_bytes_per_block;
        *module.allowed_shared.get_mut() = limit.saturating_sub(module.attributes.static_shared_bytes) as u32;
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
    /// The most threads in a block of this kernel.
    pub(crate) fn max_threads_per_block(&self) -> u32 {
        self.attributes.threads_per_block as u32
    }

    /// Launches the kernel on a stream of its context, and returns before it runs. The blocks of a `cooperative` launch are all
    /// on the GPU at once.
    ///
    /// # Safety
    ///
    /// `parameters` points to one value for each parameter of the kernel, in order and of its type; the pointers among
    /// them are memory of this context that lives until the kernel is over.
    #[inline]
    pub(crate) unsafe fn launch(
        &self,
        stream: &Stream,
        grid: [u32; 3],
        block: [u32; 3],
        shared_bytes: u32,
        cooperative: bool,
        parameters: &mut [*mut c_void],
    ) -> Result<(), Refusal> {
        self.context.bind()?;
        self.allow_shared(shared_bytes)?;
        let (driver, stream, function) = (self.context.driver(), stream.raw(), self.function);
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        let parameters = parameters.as_mut_ptr();
        // SAFETY: the caller's promise; the function and the stream belong to the current context.
        unsafe {
            if cooperative {
                driver.cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters)
            } else {
                let extra = std::ptr::null_mut();
                driver.cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters, extra)
            }
        }
    }

    /// How many blocks of the kernel the GPU can hold at once; 0 where it has no cooperative launches.
    pub(crate) fn resident_blocks(&self, block_threads: u32, shared_bytes: u32) -> Result<u64, Refusal> {
        self.context.bind()?;
        if !self.context.launches_cooperatively()? {
            return Ok(0);
        }
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
        Ok(u64::try_from(blocks).unwrap_or(0) * self.context.limits().multiprocessors as u64)
    }

    /// Asks for more dynamic shared memory than every GPU has, where a launch needs it.
    #[inline]
    fn allow_shared(&self, bytes: u32) -> Result<(), Refusal> {
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
        let rest = limit.saturating_sub(self.attributes.static_shared_bytes);
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = c_int::try_from(rest).unwrap_or(c_int::MAX);
        // SAFETY: the function belongs to the current context.
        unsafe { self.context.driver().cuFuncSetAttribute(self.function, attribute, bytes) }?;
        self.allowed_shared.store(rest as u32, Ordering::Relaxed);
        Ok(())
    }

    fn read_attributes(&self) -> Result<Attributes, Refusal> {
        Ok(Attributes {
            threads_per_block: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            registers: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            static_shared_bytes: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
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
