//! NVTX annotations for NVIDIA's profilers.
//!
//! No library is linked. A profiler that starts a program names its injection library in `NVTX_INJECTION64_PATH`; the
//! program loads it, and calls its `InitializeInjectionNvtx2` with a function that returns tables of pointers to the
//! program's function variables. The profiler stores its functions into those that it implements, and leaves the others
//! null. The headers of NVTX 3 do the same in C (`nvtxDetail/nvtxInit.h` and `nvtxTypes.h`), whose names and constants
//! are used here.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::Library;

use crate::loader::resolve;
use crate::sync::OnceLock;
use crate::toolkit::variable;

/// Begins a range on this thread. Returns whether a profiler has recorded it.
pub fn push(name: &str) -> bool {
    let Some(push) = function(RANGE_PUSH_A) else {
        return false;
    };
    let name = text(name);
    // SAFETY: the profiler has stored this function in the slot of `nvtxRangePushA`, whose type this is, and its
    // library is never unloaded. The text ends in a NUL.
    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*const c_char) -> c_int>(push)(name.as_ptr()) };
    true
}

/// Ends the innermost range of this thread.
pub fn pop() {
    if let Some(pop) = function(RANGE_POP) {
        // SAFETY: as in `push`, with `nvtxRangePop`.
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(pop)() };
    }
}

/// Records an instantaneous marker.
pub fn mark(name: &str) {
    if let Some(mark) = function(MARK_A) {
        let name = text(name);
        // SAFETY: as in `push`, with `nvtxMarkA`.
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*const c_char)>(mark)(name.as_ptr()) };
    }
}

/// Converts a name to a C string, truncated at the first NUL.
fn text(name: &str) -> CString {
    let name = name.split('\0').next().unwrap_or_default();
    CString::new(name).unwrap_or_default()
}

// `NvtxCallbackIdCore`.
const MARK_A: usize = 2;
const RANGE_PUSH_A: usize = 9;
const RANGE_POP: usize = 11;

/// The number of entries per module, including the invalid entry 0: `NvtxCallbackModule`, whose index 0 is invalid as
/// well, then the core, CUDA, `OpenCL`, the CUDA runtime, the second part of the core, and synchronisation.
const MODULES: [usize; 7] = [0, 16, 9, 15, 7, 16, 7];
const CORE: usize = 1;

/// A function pointer that the profiler sets.
type Variable = AtomicPtr<c_void>;

/// `NvtxFunctionTable`s: a null, pointers to the function variables of a module, and a null.
struct Tables([Vec<*const Variable>; MODULES.len()]);

// SAFETY: the tables are immutable once created, and they point to atomics that live as long as the process.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

impl Tables {
    fn get() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(|| {
            Tables(MODULES.map(|size| {
                let variables: &[Variable] = Vec::leak((1..size).map(|_| Variable::default()).collect());
                let null = std::ptr::null();
                [null].into_iter().chain(variables.iter().map(std::ptr::from_ref)).chain([null]).collect()
            }))
        })
    }
}

/// Returns the profiler's function with this index in the core module, if a profiler is attached and implements it.
fn function(number: usize) -> Option<*mut c_void> {
    let variable = *profiler()?.0[CORE].get(number)?;
    // SAFETY: all pointers between the nulls refer to variables that live as long as the process.
    let function = unsafe { variable.as_ref() }?.load(Ordering::Relaxed);
    (!function.is_null()).then_some(function)
}

/// Returns the tables if a profiler has filled them. The first call looks for a profiler.
fn profiler() -> Option<&'static Tables> {
    static PROFILER: OnceLock<Option<&'static Tables>> = OnceLock::new();
    *PROFILER.get_or_init(|| {
        let name = if cfg!(target_pointer_width = "64") { "NVTX_INJECTION64_PATH" } else { "NVTX_INJECTION32_PATH" };
        let path = variable(name)?;
        inject(Path::new(&path)).then(Tables::get)
    })
}

/// `NvtxInitializeInjectionNvtxFunc_t`.
type Initialize = unsafe extern "C" fn(unsafe extern "C" fn(u32) -> *const c_void) -> c_int;

/// Loads the profiler's library and lets it fill the tables. Returns whether it did.
fn inject(path: &Path) -> bool {
    // SAFETY: setting this variable requests that the library's initialisers run in the program.
    let Ok(library) = (unsafe { Library::new(path) }) else {
        return false;
    };
    // SAFETY: the type is that of NVTX's headers for this name.
    let Some(initialize) = (unsafe { resolve::<Initialize>(&library, c"InitializeInjectionNvtx2") }) else {
        return false;
    };
    // SAFETY: the function returns tables in the layout of the headers.
    if unsafe { initialize(export_table) } == 0 {
        return false;
    }
    // Its functions may be called until the process ends.
    std::mem::forget(library);
    true
}

/// `NvtxExportTableCallbacks`.
#[repr(C)]
struct Callbacks {
    struct_size: usize,
    module_table: unsafe extern "C" fn(c_int, *mut *const *const Variable, *mut c_uint) -> c_int,
}

/// `NvtxExportTableVersionInfo`.
#[repr(C)]
struct VersionInfo {
    struct_size: usize,
    version: u32,
    reserved: u32,
    set_injection_version: unsafe extern "C" fn(u32),
}

/// `nvtxGetExportTable`: returns an interface table by its `NvtxExportTableID`.
unsafe extern "C" fn export_table(id: u32) -> *const c_void {
    static CALLBACKS: Callbacks = Callbacks { struct_size: size_of::<Callbacks>(), module_table };
    static VERSION: VersionInfo =
        VersionInfo { struct_size: size_of::<VersionInfo>(), version: 3, reserved: 0, set_injection_version };
    match id {
        1 => (&raw const CALLBACKS).cast(),
        3 => (&raw const VERSION).cast(),
        _ => std::ptr::null(),
    }
}

/// `nvtxEtiGetModuleFunctionTable`: returns the table of a module and its length without the terminating null.
unsafe extern "C" fn module_table(module: c_int, table: *mut *const *const Variable, size: *mut c_uint) -> c_int {
    let Some(found) = usize::try_from(module).ok().filter(|module| *module != 0).and_then(|i| Tables::get().0.get(i))
    else {
        return 0;
    };
    // SAFETY: the profiler passes valid pointers for the results, or null for those that it does not need.
    unsafe {
        if let Some(size) = size.as_mut() {
            *size = found.len() as c_uint - 1;
        }
        if let Some(table) = table.as_mut() {
            *table = found.as_ptr();
        }
    }
    1
}

/// `nvtxEtiSetInjectionNvtxVersion`: the NVTX version of the profiler. Ignored, since only one version is implemented.
unsafe extern "C" fn set_injection_version(_version: u32) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_match_the_headers() {
        let tables = Tables::get();
        for (module, size) in MODULES.into_iter().enumerate().skip(1) {
            let (mut table, mut reported) = (std::ptr::null(), 0);
            // SAFETY: both pointers are valid for the writes.
            assert_eq!(unsafe { module_table(module as c_int, &raw mut table, &raw mut reported) }, 1);
            assert_eq!((reported as usize, table), (size, tables.0[module].as_ptr()));
            let ends = (tables.0[module][0], tables.0[module][size]);
            assert!(ends.0.is_null() && ends.1.is_null() && tables.0[module].len() == size + 1);
            assert!(tables.0[module][1..size].iter().all(|variable| !variable.is_null()));
        }
        for module in [-1, 0, 7, 100] {
            // SAFETY: null means that the result is not needed.
            assert_eq!(unsafe { module_table(module, std::ptr::null_mut(), std::ptr::null_mut()) }, 0);
        }
        // SAFETY: any number is allowed.
        assert!(unsafe { export_table(2) }.is_null());
    }

    #[test]
    fn a_library_without_the_injection_function_is_ignored() {
        assert!(!inject(Path::new("/no/such/library.so")));
        if cfg!(target_os = "linux") {
            assert!(!inject(Path::new("libc.so.6")));
        }
    }
}
