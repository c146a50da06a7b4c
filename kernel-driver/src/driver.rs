//! The CUDA driver API, loaded at run time as a complete function table.
//!
//! The bindings are our own. cudarc's resolve a symbol on first use and panic if the library or the symbol is missing, even
//! while an error is formatted; and they return the status as a Rust enum, although a newer driver may return values that
//! the enum does not define, which is undefined behaviour. Here every function is resolved before the first is called, and
//! a status stays an integer. [`sys`](crate::sys) has the types.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};
use std::fmt;
use std::path::PathBuf;

use crate::sys::{
    CUDA_KERNEL_NODE_PARAMS_v1, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUcontext, CUdevice, CUdevice_attribute,
    CUdeviceptr, CUevent, CUfunction, CUfunction_attribute, CUgraph, CUgraphExec, CUgraphNode, CUjit_option,
    CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchConfig, CUmemAccessDesc, CUmemPool_attribute, CUmemoryPool,
    CUmodule, CUstream,
};
use libloading::Library;

use crate::error::{CudaError, NOT_SUPPORTED};
use crate::loader::{library_of, loader_message, resolve};
use crate::sync::OnceLock;

/// Declares [`Driver`]: a field for the address of each function, and a method that calls it. Functions under `newer`
/// are optional: a driver that lacks them loads, too.
macro_rules! functions {
    (
        newer { $($newer:ident($($newer_parameter:ident: $newer_type:ty),*);)* }
        $($name:ident($($parameter:ident: $type:ty),*);)*
    ) => {
        /// The function table of a loaded and complete driver.
        #[allow(non_snake_case, reason = "the fields and methods have the names of NVIDIA's manual")]
        pub struct Driver {
            $($name: unsafe extern "C" fn($($type),*) -> c_uint,)*
            $($newer: Option<unsafe extern "C" fn($($newer_type),*) -> c_uint>,)*
        }

        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the methods are as in NVIDIA's manual")]
        impl Driver {
            /// Resolves all functions. Fails with the name of a missing one.
            fn from_library(library: &Library) -> Result<Driver, &'static str> {
                /// Returns a name as a C string.
                macro_rules! symbol {
                    ($symbol:ident) => {
                        const { c_string(concat!(stringify!($symbol), "\0")) }
                    };
                }
                Ok(Driver {
                    // SAFETY: the types are those of cuda.h for this exported name, and a name with a version suffix
                    // never changes its meaning. The addresses stay valid, because the library is never unloaded.
                    $($name: unsafe { resolve(library, symbol!($name)) }.ok_or(stringify!($name))?,)*
                    // SAFETY: as above.
                    $($newer: unsafe { resolve(library, symbol!($newer)) },)*
                })
            }

            $(
                /// Calls the driver function of this name.
                ///
                /// # Safety
                ///
                /// The arguments satisfy the requirements of the CUDA Driver API.
                #[inline]
                pub(crate) unsafe fn $name(&self, $($parameter: $type),*) -> Result<(), CudaError> {
                    // SAFETY: upheld by the caller.
                    match unsafe { (self.$name)($($parameter),*) } {
                        0 => Ok(()),
                        code => Err(CudaError { call: stringify!($name), code }),
                    }
                }
            )*

            $(
                /// Calls the driver function of this name; returns [`NOT_SUPPORTED`] if the driver lacks it.
                ///
                /// # Safety
                ///
                /// The arguments satisfy the requirements of the CUDA Driver API.
                #[inline]
                pub(crate) unsafe fn $newer(&self, $($newer_parameter: $newer_type),*) -> Result<(), CudaError> {
                    let code = match self.$newer {
                        // SAFETY: upheld by the caller.
                        Some(function) => unsafe { function($($newer_parameter),*) },
                        None => NOT_SUPPORTED,
                    };
                    if code == 0 { Ok(()) } else { Err(CudaError { call: stringify!($newer), code }) }
                }
            )*
        }

        /// The names of all functions, for tests that replace the driver by a mock library.
        #[doc(hidden)]
        pub const DRIVER_FUNCTIONS: &[&str] = &[$(stringify!($name),)* $(stringify!($newer),)*];
    };
}

functions! {
    newer {
        // CUDA 11.8: thread block clusters.
        cuLaunchKernelEx(
            config: *const CUlaunchConfig, function: CUfunction, parameters: *mut *mut c_void, extra: *mut *mut c_void
        );
        cuOccupancyMaxPotentialClusterSize(blocks: *mut c_int, function: CUfunction, config: *const CUlaunchConfig);
        cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: CUfunction, config: *const CUlaunchConfig);
        // CUDA 11.4: graphs.
        cuGraphCreate(graph: *mut CUgraph, flags: c_uint);
        cuGraphDestroy(graph: CUgraph);
        cuGraphAddKernelNode(
            node: *mut CUgraphNode, graph: CUgraph, waits: *const CUgraphNode, count: usize,
            params: *const CUDA_KERNEL_NODE_PARAMS_v1
        );
        cuGraphAddMemcpyNode(
            node: *mut CUgraphNode, graph: CUgraph, waits: *const CUgraphNode, count: usize,
            params: *const CUDA_MEMCPY3D, context: CUcontext
        );
        cuGraphAddMemsetNode(
            node: *mut CUgraphNode, graph: CUgraph, waits: *const CUgraphNode, count: usize,
            params: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext
        );
        cuGraphKernelNodeSetAttribute(
            node: CUgraphNode, attribute: CUlaunchAttributeID, value: *const CUlaunchAttributeValue
        );
        cuGraphInstantiateWithFlags(executable: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong);
        cuGraphExecDestroy(executable: CUgraphExec);
        cuGraphExecKernelNodeSetParams(
            executable: CUgraphExec, node: CUgraphNode, params: *const CUDA_KERNEL_NODE_PARAMS_v1
        );
        cuGraphExecMemcpyNodeSetParams(
            executable: CUgraphExec, node: CUgraphNode, params: *const CUDA_MEMCPY3D, context: CUcontext
        );
        cuGraphExecMemsetNodeSetParams(
            executable: CUgraphExec, node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext
        );
        cuGraphLaunch(executable: CUgraphExec, stream: CUstream);
    }

    cuInit(flags: c_uint);
    // The two functions that each launch calls, side by side.
    cuCtxGetCurrent(context: *mut CUcontext);
    cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared_bytes: c_uint, stream: CUstream, parameters: *mut *mut c_void, extra: *mut *mut c_void
    );

    cuDriverGetVersion(version: *mut c_int);
    cuGetErrorName(code: c_uint, name: *mut *const c_char);
    cuGetErrorString(code: c_uint, text: *mut *const c_char);

    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
    cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);

    cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    cuCtxSetCurrent(context: CUcontext);
    cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
    cuCtxSynchronize();
    cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
    cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, priority: c_int);
    cuStreamDestroy_v2(stream: CUstream);
    cuStreamSynchronize(stream: CUstream);
    cuStreamQuery(stream: CUstream);
    cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
    cuLaunchHostFunc(stream: CUstream, function: unsafe extern "C" fn(*mut c_void), data: *mut c_void);
    cuEventCreate(event: *mut CUevent, flags: c_uint);
    cuEventDestroy_v2(event: CUevent);
    cuEventRecord(event: CUevent, stream: CUstream);
    cuEventQuery(event: CUevent);
    cuEventSynchronize(event: CUevent);
    cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);

    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemAlloc_v2(pointer: *mut CUdeviceptr, bytes: usize);
    cuMemFree_v2(pointer: CUdeviceptr);
    cuMemAllocAsync(pointer: *mut CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemFreeAsync(pointer: CUdeviceptr, stream: CUstream);
    cuDeviceGetDefaultMemPool(pool: *mut CUmemoryPool, device: CUdevice);
    cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void);
    cuMemPoolSetAccess(pool: CUmemoryPool, accesses: *const CUmemAccessDesc, count: usize);
    cuMemPoolTrimTo(pool: CUmemoryPool, keep: usize);
    cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemcpyPeerAsync(
        to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, bytes: usize,
        stream: CUstream
    );
    cuMemsetD8Async(to: CUdeviceptr, value: c_uchar, bytes: usize, stream: CUstream);
    cuMemsetD16Async(to: CUdeviceptr, value: c_ushort, count: usize, stream: CUstream);
    cuMemsetD32Async(to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
    cuMemHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint);
    cuMemFreeHost(pointer: *mut c_void);
    cuMemHostGetDevicePointer_v2(pointer: *mut CUdeviceptr, host: *mut c_void, flags: c_uint);

    cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void,
        count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void
    );
    cuModuleUnload(module: CUmodule);
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
    cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
    cuLaunchCooperativeKernel(
        function: CUfunction,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared_bytes: c_uint, stream: CUstream, parameters: *mut *mut c_void
    );
    cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, function: CUfunction, block_threads: c_int, shared_bytes: usize
    );

    cuProfilerStart();
    cuProfilerStop();
}

/// Returns a text that ends with NUL as a C string.
const fn c_string(text: &str) -> &CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the text ends with its only NUL"),
    }
}

/// The result of locating the driver.
static DRIVER: OnceLock<Result<Driver, NoDriver>> = OnceLock::new();

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

impl Driver {
    /// Returns the driver of this process. The first call loads and initialises it.
    ///
    /// # Errors
    ///
    /// [`NoDriver`] if it is missing, incomplete or fails to initialise.
    pub fn get() -> Result<&'static Driver, NoDriver> {
        DRIVER.get_or_init(|| Driver::open(&library_names())).as_ref().map_err(Clone::clone)
    }

    /// Returns the driver of this process if it has been loaded already.
    pub(crate) fn if_open() -> Option<&'static Driver> {
        DRIVER.get()?.as_ref().ok()
    }

    /// Loads the first of `names` that the loader finds.
    fn open(names: &[String]) -> Result<Driver, NoDriver> {
        let no_driver = |reason: DriverFailure| NoDriver { searched: names.to_vec(), reason };
        let mut rejections = Vec::new();
        for name in names {
            // SAFETY: loading the driver runs its initialisers, which every CUDA program runs.
            match unsafe { Library::new(name) } {
                Ok(library) => {
                    let driver = Driver::from_library(&library)
                        .map_err(|function| no_driver(DriverFailure::Incomplete { library: name.clone(), function }))?;
                    // The driver's own threads may outlive all of our handles, so it stays loaded.
                    std::mem::forget(library);
                    // SAFETY: `cuInit` takes only its flags, which must be 0.
                    unsafe { driver.cuInit(0) }.map_err(|error| no_driver(driver.init_failure(error)))?;
                    return Ok(driver);
                }
                Err(error) => rejections.push(loader_message(&error)),
            }
        }
        // The loader reports the same for each name, so the first and most common name is enough.
        Err(no_driver(DriverFailure::NotLoaded { message: rejections.into_iter().next().unwrap_or_default() }))
    }

    /// Returns whether the driver supports thread block clusters.
    pub fn has_clusters(&self) -> bool {
        self.cuLaunchKernelEx.is_some() && self.cuOccupancyMaxActiveClusters.is_some()
    }

    /// Returns the failure of `cuInit` with this status.
    fn init_failure(&self, error: CudaError) -> DriverFailure {
        DriverFailure::Init { code: error.code, name: self.error_name(error), message: self.error_message(error) }
    }

    /// Returns the name of a status, such as `CUDA_ERROR_INVALID_VALUE`.
    pub fn error_name(&self, error: CudaError) -> String {
        let mut text = std::ptr::null();
        // SAFETY: the pointer is valid for the write; an unknown code yields a null pointer.
        let known = unsafe { self.cuGetErrorName(error.code, &raw mut text) };
        // SAFETY: on success the driver returns a string that lives as long as the library.
        known.ok().and_then(|()| unsafe { text_of(text) }).unwrap_or_else(|| format!("CUDA error {}", error.code))
    }

    /// Returns the driver's message for a status.
    pub(crate) fn error_message(&self, error: CudaError) -> String {
        let mut text = std::ptr::null();
        // SAFETY: the pointer is valid for the write; an unknown code yields a null pointer.
        let known = unsafe { self.cuGetErrorString(error.code, &raw mut text) };
        // SAFETY: on success the driver returns a string that lives as long as the library.
        known.ok().and_then(|()| unsafe { text_of(text) }).unwrap_or_else(|| "no description".to_owned())
    }

    /// Returns the driver's message for a status, and whether the context is lost.
    pub fn error_description(&self, error: CudaError) -> String {
        let mut message = self.error_message(error);
        if error.is_sticky() {
            message.push_str("; the CUDA context is lost, and the process must be restarted to use this GPU again");
        }
        message
    }

    /// Returns the number of GPUs.
    pub(crate) fn device_count(&self) -> Result<usize, CudaError> {
        let mut count = 0;
        // SAFETY: the pointer is valid for the write.
        unsafe { self.cuDeviceGetCount(&raw mut count) }?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Returns the path of the library, where the system reports it.
    pub fn path(&self) -> Option<PathBuf> {
        library_of(self.cuInit as *const c_void)
    }

    /// Returns the latest CUDA version that the driver supports; `None` if the driver does not report it.
    pub fn version(&self) -> Option<Version> {
        let mut version = 0;
        // SAFETY: the pointer is valid for the write.
        unsafe { self.cuDriverGetVersion(&raw mut version) }.ok()?;
        Some(Version::from_driver(version.unsigned_abs()))
    }
}

/// A version of CUDA: that of the toolkit to which an NVRTC belongs, or the latest that a driver supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The major number.
    pub major: u32,
    /// The minor number.
    pub minor: u32,
}

impl Version {
    /// Decodes a version as `cuDriverGetVersion` returns it: 1000 times the major number plus 10 times the minor number.
    fn from_driver(version: u32) -> Version {
        Version { major: version / 1000, minor: version % 1000 / 10 }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Returns the names of the driver library, the one installed by the driver itself first: `libcuda.so` comes with
/// development packages, and may be the toolkit's stub.
fn library_names() -> Vec<String> {
    let names: &[&str] = if cfg!(target_os = "windows") {
        &["nvcuda.dll"]
    } else if cfg!(target_os = "macos") {
        &["libcuda.dylib"]
    } else {
        &["libcuda.so.1", "libcuda.so"]
    };
    names.iter().map(ToString::to_string).collect()
}

/// Why there is no usable driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoDriver {
    /// The library names that were tried.
    pub searched: Vec<String>,
    /// Why none of them is usable.
    pub reason: DriverFailure,
}

/// Why the driver is not usable, in [`NoDriver`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverFailure {
    /// The loader cannot load the library.
    NotLoaded {
        /// The loader's message for the first of the searched names.
        message: String,
    },
    /// The library lacks a function.
    Incomplete {
        /// The library.
        library: String,
        /// The missing function.
        function: &'static str,
    },
    /// `cuInit` failed.
    Init {
        /// The status, a `CUresult`.
        code: u32,
        /// CUDA's name of the status, such as `CUDA_ERROR_NO_DEVICE`.
        name: String,
        /// CUDA's description of the status.
        message: String,
    },
}

impl fmt::Display for NoDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoDriver { searched, reason } = self;
        write!(f, "no usable CUDA driver was found (looked for {}): ", searched.join(", "))?;
        match reason {
            DriverFailure::NotLoaded { message } => f.write_str(message),
            DriverFailure::Incomplete { library, function } => {
                write!(f, "{library} was found, but it has no {function}, so it is older than CUDA 12.0")
            }
            DriverFailure::Init { code: _, name, message } => write!(f, "cuInit failed with {name} ({message})"),
        }
    }
}

impl std::error::Error for NoDriver {}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &CudaError { call, code } = self;
        match Driver::if_open() {
            Some(driver) => {
                let (name, message) = (driver.error_name(*self), driver.error_description(*self));
                write!(f, "{call} of the CUDA driver failed with {name} ({message})")
            }
            None => write!(f, "{call} of the CUDA driver failed with status {code}"),
        }
    }
}

impl std::error::Error for CudaError {}

/// # Safety
///
/// `text` is null or a C string.
unsafe fn text_of(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: upheld by the caller.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_reported_by_name() {
        let error = Driver::open(&["libcumbia-no-such-driver.so".to_owned()]).unwrap_err();
        let NoDriver { searched, reason } = error;
        assert_eq!(searched, ["libcumbia-no-such-driver.so"]);
        assert!(matches!(reason, DriverFailure::NotLoaded { message } if !message.is_empty()));
    }

    #[test]
    fn a_library_without_the_functions_is_rejected() {
        if cfg!(target_os = "linux") {
            let error = Driver::open(&["libc.so.6".to_owned()]).unwrap_err();
            assert!(error.to_string().contains("it has no cuInit"), "{error}");
        }
    }
}
