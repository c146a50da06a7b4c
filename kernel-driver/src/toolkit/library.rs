//! What the function tables of NVIDIA's libraries have in common: how they are loaded, and the pairs of functions that
//! return bytes.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use libloading::Library;

use super::searched::LibraryFailure;
use crate::loader::{library_of, loader_message, resolve};

/// The status that a function returns, as an integer: a newer library may return unknown values.
pub(super) type Status = c_int;

/// The status of success, in all of these libraries.
pub(super) const SUCCESS: Status = 0;

/// A function that returns a size, and its counterpart that writes as many bytes.
pub(super) type SizeOf = unsafe extern "C" fn(*mut c_void, *mut usize) -> Status;
pub(super) type BytesOf = unsafe extern "C" fn(*mut c_void, *mut c_char) -> Status;

/// Loads a library for the lifetime of the process. Also returns its path, where the system reports it. `table` resolves the
/// functions, and `address` returns that of one.
///
/// # Safety
///
/// The initialisers of the library are safe to run.
pub(super) unsafe fn open<F>(
    path: &Path,
    table: impl FnOnce(&Library) -> Result<F, LibraryFailure>,
    address: impl FnOnce(&F) -> *const c_void,
) -> Result<(F, Option<PathBuf>), LibraryFailure> {
    // SAFETY: the caller's guarantee.
    let library =
        unsafe { Library::new(path) }.map_err(|error| LibraryFailure::NotLoaded { message: loader_message(&error) })?;
    let functions = table(&library)?;
    std::mem::forget(library);
    let path = if path.is_absolute() { Some(path.to_owned()) } else { library_of(address(&functions)) };
    Ok((functions, path))
}

/// Loads a library of NVIDIA's that another one opens by its name, for the lifetime of the process. The other one reports it if that
/// fails.
pub(super) fn keep_loaded(path: &Path) {
    // SAFETY: as for the library that would load it; it has no initialisers of its own.
    if let Ok(library) = unsafe { Library::new(path) } {
        std::mem::forget(library);
    }
}

/// Resolves a function. `oldest` names the library and the oldest version with the function.
///
/// # Safety
///
/// `F` is a function pointer of the type that the library gives to this name.
pub(super) unsafe fn function<F: Copy>(
    library: &Library,
    name: &'static CStr,
    oldest: &'static str,
) -> Result<F, LibraryFailure> {
    // SAFETY: the caller's guarantee.
    let found = unsafe { resolve(library, name) };
    found
        .ok_or_else(|| LibraryFailure::MissingFunction { library: oldest, function: name.to_str().unwrap_or_default() })
}

/// Returns the output of a pair of functions.
///
/// # Errors
///
/// The status of the one that failed.
///
/// # Safety
///
/// The handle is one that the functions take, and alive.
pub(super) unsafe fn output(handle: *mut c_void, size_of: SizeOf, bytes_of: BytesOf) -> Result<Vec<u8>, Status> {
    let mut size = 0;
    // SAFETY: the caller's guarantee; the pointer is valid for the write.
    let mut status = unsafe { size_of(handle, &raw mut size) };
    // The size of a log of nvJitLink may exclude its NUL.
    let mut bytes = vec![0; size + 1];
    if status == SUCCESS && size != 0 {
        // SAFETY: the caller's guarantee; there is room for the number of bytes that the library reported.
        status = unsafe { bytes_of(handle, bytes.as_mut_ptr().cast()) };
    }
    bytes.truncate(size);
    if status == SUCCESS { Ok(bytes) } else { Err(status) }
}

/// Returns the text of a C string, without its NUL.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}
