//! The function table of nvJitLink's C interface.
//!
//! `nvJitLink.h` maps each name to one with the version of the header, such as `__nvJitLinkCreate_13_0`, unless it is
//! included with `NVJITLINK_NO_INLINE`. The library exports the plain names for that case, with the same types.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::driver::Version;
use crate::toolkit::library::{self, BytesOf, SUCCESS, SizeOf, Status};
use crate::toolkit::searched::LibraryFailure;

/// `nvJitLinkHandle`.
pub(super) type RawHandle = *mut c_void;

/// The functions that are used, without the prefix `nvJitLink`.
#[derive(Debug)]
pub(super) struct Functions {
    version: unsafe extern "C" fn(*mut c_uint, *mut c_uint) -> Status,
    pub(super) create: unsafe extern "C" fn(*mut RawHandle, u32, *const *const c_char) -> Status,
    pub(super) destroy: unsafe extern "C" fn(*mut RawHandle) -> Status,
    pub(super) add_data: unsafe extern "C" fn(RawHandle, c_int, *const c_void, usize, *const c_char) -> Status,
    pub(super) complete: unsafe extern "C" fn(RawHandle) -> Status,
    pub(super) get_linked_cubin_size: SizeOf,
    /// Declared with `void*` in the header.
    pub(super) get_linked_cubin: BytesOf,
    pub(super) get_error_log_size: SizeOf,
    pub(super) get_error_log: BytesOf,
}

impl Functions {
    /// Loads the library for the lifetime of the process. Also returns its path, where the system reports it.
    pub(super) fn open(path: &Path) -> Result<(Functions, Option<PathBuf>), LibraryFailure> {
        // SAFETY: loading nvJitLink runs its initialisers, as every user of nvJitLink does.
        unsafe { library::open(path, Functions::from_library, |functions| functions.version as *const c_void) }
    }

    fn from_library(library: &Library) -> Result<Functions, LibraryFailure> {
        /// Resolves a function.
        fn get<F: Copy>(library: &Library, name: &'static CStr) -> Result<F, LibraryFailure> {
            // SAFETY: the caller's type is that of nvJitLink.h for this name, unchanged since CUDA 12.0.
            unsafe { library::function(library, name, "nvJitLink of CUDA 12.3") }
        }
        Ok(Functions {
            version: get(library, c"nvJitLinkVersion")?,
            create: get(library, c"nvJitLinkCreate")?,
            destroy: get(library, c"nvJitLinkDestroy")?,
            add_data: get(library, c"nvJitLinkAddData")?,
            complete: get(library, c"nvJitLinkComplete")?,
            get_linked_cubin_size: get(library, c"nvJitLinkGetLinkedCubinSize")?,
            get_linked_cubin: get(library, c"nvJitLinkGetLinkedCubin")?,
            get_error_log_size: get(library, c"nvJitLinkGetErrorLogSize")?,
            get_error_log: get(library, c"nvJitLinkGetErrorLog")?,
        })
    }

    pub(super) fn version(&self) -> Result<Version, LibraryFailure> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the pointers are valid for the writes.
        let status = unsafe { (self.version)(&raw mut major, &raw mut minor) };
        if status == SUCCESS {
            return Ok(Version { major, minor });
        }
        Err(LibraryFailure::CallFailed { call: "nvJitLinkVersion", message: format!("status {status}") })
    }
}
