//! The function table of NVRTC's C interface.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::driver::Version;
use crate::toolkit::library::{self, BytesOf, SUCCESS, SizeOf, Status};
use crate::toolkit::searched::LibraryFailure;

/// `nvrtcProgram`.
pub(super) type RawProgram = *mut c_void;

/// `NVRTC_ERROR_INVALID_OPTION`.
pub(super) const INVALID_OPTION: Status = 5;
/// `NVRTC_ERROR_COMPILATION`.
pub(super) const COMPILATION: Status = 6;

/// The functions that are used, without the prefix `nvrtc`.
#[derive(Debug)]
pub(super) struct Functions {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    get_error_string: unsafe extern "C" fn(Status) -> *const c_char,
    get_num_supported_archs: unsafe extern "C" fn(*mut c_int) -> Status,
    get_supported_archs: unsafe extern "C" fn(*mut c_int) -> Status,
    pub(super) create_program: unsafe extern "C" fn(
        *mut RawProgram,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    pub(super) destroy_program: unsafe extern "C" fn(*mut RawProgram) -> Status,
    pub(super) compile_program: unsafe extern "C" fn(RawProgram, c_int, *const *const c_char) -> Status,
    pub(super) get_cubin_size: SizeOf,
    pub(super) get_cubin: BytesOf,
    pub(super) get_ptx_size: SizeOf,
    pub(super) get_ptx: BytesOf,
    pub(super) get_program_log_size: SizeOf,
    pub(super) get_program_log: BytesOf,
}

impl Functions {
    /// Loads the library for the lifetime of the process. Also returns its path, where the system reports it.
    pub(super) fn open(path: &Path) -> Result<(Functions, Option<PathBuf>), LibraryFailure> {
        // SAFETY: loading NVRTC runs its initialisers, as every user of NVRTC does.
        unsafe { library::open(path, Functions::from_library, |functions| functions.version as *const c_void) }
    }

    fn from_library(library: &Library) -> Result<Functions, LibraryFailure> {
        /// Resolves a function.
        fn get<F: Copy>(library: &Library, name: &'static CStr) -> Result<F, LibraryFailure> {
            // SAFETY: the caller's type is that of nvrtc.h for this name, unchanged since CUDA 11.2.
            unsafe { library::function(library, name, "NVRTC of CUDA 11.2") }
        }
        Ok(Functions {
            version: get(library, c"nvrtcVersion")?,
            get_error_string: get(library, c"nvrtcGetErrorString")?,
            get_num_supported_archs: get(library, c"nvrtcGetNumSupportedArchs")?,
            get_supported_archs: get(library, c"nvrtcGetSupportedArchs")?,
            create_program: get(library, c"nvrtcCreateProgram")?,
            destroy_program: get(library, c"nvrtcDestroyProgram")?,
            compile_program: get(library, c"nvrtcCompileProgram")?,
            get_cubin_size: get(library, c"nvrtcGetCUBINSize")?,
            get_cubin: get(library, c"nvrtcGetCUBIN")?,
            get_ptx_size: get(library, c"nvrtcGetPTXSize")?,
            get_ptx: get(library, c"nvrtcGetPTX")?,
            get_program_log_size: get(library, c"nvrtcGetProgramLogSize")?,
            get_program_log: get(library, c"nvrtcGetProgramLog")?,
        })
    }

    pub(super) fn version(&self) -> Result<Version, LibraryFailure> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the pointers are valid for the writes.
        let status = unsafe { (self.version)(&raw mut major, &raw mut minor) };
        self.check("nvrtcVersion", status)?;
        Ok(Version { major: major.unsigned_abs(), minor: minor.unsigned_abs() })
    }

    /// Returns the supported compute capabilities without the dot: 90 for 9.0.
    pub(super) fn supported_architectures(&self) -> Result<Vec<u32>, LibraryFailure> {
        let mut count = 0;
        // SAFETY: the pointer is valid for the write.
        let status = unsafe { (self.get_num_supported_archs)(&raw mut count) };
        self.check("nvrtcGetNumSupportedArchs", status)?;
        let mut numbers = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: there is room for the number of entries that NVRTC reported.
        let status = unsafe { (self.get_supported_archs)(numbers.as_mut_ptr()) };
        self.check("nvrtcGetSupportedArchs", status)?;
        Ok(numbers.into_iter().map(c_int::unsigned_abs).collect())
    }

    /// Returns NVRTC's description of a status.
    pub(super) fn message(&self, status: Status) -> String {
        // SAFETY: any number is allowed.
        let text = unsafe { (self.get_error_string)(status) };
        if text.is_null() {
            return format!("NVRTC error {status}");
        }
        // SAFETY: the text is a constant of the library, which is never unloaded.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    fn check(&self, call: &'static str, status: Status) -> Result<(), LibraryFailure> {
        if status == SUCCESS {
            return Ok(());
        }
        Err(LibraryFailure::CallFailed { call, message: self.message(status) })
    }
}
