//! NVTX, by which a program tells NVIDIA's profilers what it is doing.
//!
//! There is no library to call. A profiler that starts a program names its own library in `NVTX_INJECTION64_PATH`; the
//! program loads it, and calls its `InitializeInjectionNvtx2` with a function that hands out tables of pointers to the
//! program's variables. The profiler writes its functions into those it wants, and leaves the others null. This is what the
//! headers of NVTX 3 do in C (`nvtxDetail/nvtxInit.h` and `nvtxTypes.h`), whose names and numbers are here.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::Library;

use crate::sync::OnceLock;
use crate::variable::variable;

/// Begins a range of this thread. Says whether there is a profiler that was told.
pub(crate) fn push(name: &str) -> bool {
    let Some(push) = function(RANGE_PUSH_A) else {
        return false;
    };
    let name = text(name);
    // SAFETY: the profiler has written this function into the place of `nvtxRangePushA`, whose type this is, and its library
    // is never unloaded. The text ends in a NUL.
    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*const c_char) -> c_int>(push)(name.as_ptr()) };
    true
}

/// Ends the range of this thread that was begun last.
pub(crate) fn pop() {
    if let Some(pop) = function(RANGE_POP) {
        // SAFETY: as in `push`, with `nvtxRangePop`.
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(pop)() };
    }
}

/// Marks a moment.
pub(crate) fn mark(name: &str) {
    if let Some(mark) = function(MARK_A) {
        let name = text(name);
        // SAFETY: as in `push`, with `nvtxMarkA`.
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*const c_char)>(mark)(name.as_ptr()) };
    }
}

/// A name for C: what is before a NUL.
fn text(name: &str) -> CString {
    let name = name.split('\0').next().unwrap_or_default();
    CString::new(name).unwrap_or_default()
}

// `NvtxCallbackIdCore`.
const MARK_A: usize = 2;
const RANGE_PUSH_A: usize = 9;
const RANGE_POP: usize = 11;

/// How many functions each module has, with the invalid one at 0: `NvtxCallbackModule`, of which 0 is invalid as well, then
/// the core, CUDA, `OpenCL`, the CUDA runtime, the core's second part, and synchronisation.
const MODULES: [usize; 7] = [0, 16, 9, 15, 7, 16, 7];
const CORE: usize = 1;

/// A variable that the profiler writes a function into.
type Variable = AtomicPtr<c_void>;

/// `NvtxFunctionTable`s: a null, pointers to the variables of a module, and a null.
struct Tables([Vec<*const Variable>; MODULES.len()]);

// SAFETY: the tables are never changed once they are made, and what they point to is atomic and lives as long as the
// process.
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

/// The profiler's function with this number of the core, if there is a profiler and it wants to be called.
fn function(number: usize) -> Option<*mut c_void> {
    let variable = *profiler()?.0[CORE].get(number)?;
    // SAFETY: all pointers between the nulls lead to variables that live as long as the process.
    let function = unsafe { variable.as_ref() }?.load(Ordering::Relaxed);
    (!function.is_null()).then_some(function)
}

/// The tables, if there is a profiler that has filled them. The first call looks for one.
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

/// Loads the profiler's library and lets it fill the tables. Says whether it did.
fn inject(path: &Path) -> bool {
    // SAFETY: who starts the program with this variable wants the library's initialisers to run in it.
    let Ok(library) = (unsafe { Library::new(path) }) else {
        return false;
    };
    // SAFETY: the type is that of NVTX's headers for this name.
    let Ok(initialize) = (unsafe { library.get::<Initialize>(b"InitializeInjectionNvtx2\0") }) else {
        return false;
    };
    // SAFETY: the function hands out tables as the headers describe them.
    if unsafe { initialize(export_table) } == 0 {
        return false;
    }
    // Its functions are called for as long as the process runs.
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

/// `nvtxGetExportTable`: what the profiler asks for first, by `NvtxExportTableID`.
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

/// `nvtxEtiGetModuleFunctionTable`: gives the table of a module and its length without the last null.
unsafe extern "C" fn module_table(module: c_int, table: *mut *const *const Variable, size: *mut c_uint) -> c_int {
    let Some(found) = usize::try_from(module).ok().filter(|module| *module != 0).and_then(|i| Tables::get().0.get(i))
    else {
        return 0;
    };
    // SAFETY: the profiler passes pointers for the answers, or null for those that it does not want.
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

/// `nvtxEtiSetInjectionNvtxVersion`: which version the profiler was written for. There is but one of ours.
unsafe extern "C" fn set_injection_version(_version: u32) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_as_the_headers_have_them() {
        let tables = Tables::get();
        for (module, size) in MODULES.into_iter().enumerate().skip(1) {
            let (mut table, mut told) = (std::ptr::null(), 0);
            // SAFETY: both pointers are valid for the writes.
            assert_eq!(unsafe { module_table(module as c_int, &raw mut table, &raw mut told) }, 1);
            assert_eq!((told as usize, table), (size, tables.0[module].as_ptr()));
            let ends = (tables.0[module][0], tables.0[module][size]);
            assert!(ends.0.is_null() && ends.1.is_null() && tables.0[module].len() == size + 1);
            assert!(tables.0[module][1..size].iter().all(|variable| !variable.is_null()));
        }
        for module in [-1, 0, 7, 100] {
            // SAFETY: null says that no answer is wanted.
            assert_eq!(unsafe { module_table(module, std::ptr::null_mut(), std::ptr::null_mut()) }, 0);
        }
        // SAFETY: any number is allowed.
        assert!(unsafe { export_table(2) }.is_null());
    }

    #[test]
    fn a_library_that_is_no_profiler_is_left_alone() {
        assert!(!inject(Path::new("/no/such/library.so")));
        if cfg!(target_os = "linux") {
            assert!(!inject(Path::new("libc.so.6")));
        }
    }
}
