//! NVRTC, if it is available: in the file or directory that `CUMBIA_NVRTC` specifies, or else in the directory in which
//! `cargo xtask` installs it.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::{Library, Symbol};

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type SizeOf = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type BytesOf = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;

/// A loaded NVRTC library.
pub(crate) struct Nvrtc(Library);

impl Nvrtc {
    /// Returns `None`, and prints a message, if there is no NVRTC; panics in that case if `CUMBIA_REQUIRE_NVRTC` is 1.
    pub(crate) fn find() -> Option<Nvrtc> {
        let chosen = std::env::var_os("CUMBIA_NVRTC").filter(|value| !value.is_empty());
        let place = chosen.map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/nvrtc/nvidia/cu13/lib"),
            PathBuf::from,
        );
        let file = if place.is_dir() { library_in(&place) } else { Some(place.clone()) };
        // SAFETY: loading NVRTC runs its initialisers, as in every program that uses NVRTC.
        let library = file.and_then(|file| unsafe { Library::new(file) }.ok());
        if library.is_none() {
            let required = std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_some_and(|value| value == "1");
            assert!(!required, "no NVRTC in {}", place.display());
            eprintln!("skipped: no NVRTC in {}; `cargo xtask test` installs it", place.display());
        }
        library.map(Nvrtc)
    }

    /// Compiles to PTX for `compute_80`, or to machine code for `sm_80`; on failure returns NVRTC's log.
    pub(crate) fn compile(&self, text: &str, architecture: &str) -> Result<Vec<u8>, String> {
        let (size, bytes) = if architecture.starts_with("sm_") {
            ("nvrtcGetCUBINSize", "nvrtcGetCUBIN")
        } else {
            ("nvrtcGetPTXSize", "nvrtcGetPTX")
        };
        let text = CString::new(text).expect("text without NUL characters");
        let option = CString::new(format!("--gpu-architecture={architecture}")).expect("a name without NUL characters");
        let mut program: Program = ptr::null_mut();
        // SAFETY: the types are those of nvrtc.h, all pointers are valid during the calls, and the program is destroyed
        // last.
        unsafe {
            let name = c"kernel.cu".as_ptr();
            let created = self.get::<Create>("nvrtcCreateProgram")(
                &raw mut program,
                text.as_ptr(),
                name,
                0,
                ptr::null(),
                ptr::null(),
            );
            assert_eq!(created, 0, "nvrtcCreateProgram");
            let status = self.get::<Compile>("nvrtcCompileProgram")(program, 1, &option.as_ptr());
            let result = if status == 0 {
                Ok(self.read(program, size, bytes))
            } else {
                let log = self.read(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
                Err(String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned())
            };
            self.get::<Destroy>("nvrtcDestroyProgram")(&raw mut program);
            result
        }
    }

    /// # Safety
    ///
    /// The program has not been destroyed, and the functions are those of nvrtc.h that return a size and that many
    /// bytes.
    unsafe fn read(&self, program: Program, size: &str, bytes: &str) -> Vec<u8> {
        let mut len = 0;
        // SAFETY: guaranteed by the caller; the buffer has the size that NVRTC reported.
        unsafe {
            assert_eq!(self.get::<SizeOf>(size)(program, &raw mut len), 0, "{size}");
            let mut buffer = vec![0u8; len];
            assert_eq!(self.get::<BytesOf>(bytes)(program, buffer.as_mut_ptr().cast()), 0, "{bytes}");
            buffer
        }
    }

    /// # Safety
    ///
    /// `F` is the function's type in nvrtc.h.
    unsafe fn get<F>(&self, name: &str) -> Symbol<'_, F> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.get(name.as_bytes()) }.unwrap_or_else(|_| panic!("NVRTC does not export {name}"))
    }
}

/// `libnvrtc.so.13`, `nvrtc64_130_0.dll`
fn library_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    entries.into_iter().find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        (name.starts_with("libnvrtc.so") || name.starts_with("nvrtc64_"))
            && !name.contains("builtins")
            && !name.contains(".alt.")
    })
}
