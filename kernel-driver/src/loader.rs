//! Queries to the dynamic loader.

use std::ffi::{CStr, c_void};
use std::path::PathBuf;
use std::ptr::NonNull;

use libloading::Library;

/// Resolves a function. Its address stays valid as long as the library is loaded.
///
/// # Safety
///
/// `F` is a function pointer of the type that the library gives to this name.
pub(crate) unsafe fn resolve<F: Copy>(library: &Library, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<NonNull<c_void>>(), "F is a function pointer") };
    // SAFETY: the address is that of a function of type F, whose representation is its address.
    address(library, name).map(|address| unsafe { std::mem::transmute_copy(&address) })
}

/// Returns the address of a symbol. It is not generic, so that a table of functions compiles quickly.
fn address(library: &Library, name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: every symbol has an address, and it is not dereferenced here.
    *unsafe { library.get::<Option<NonNull<c_void>>>(name.to_bytes_with_nul()) }.ok()?
}

/// Returns the loader's error message, which `libloading` keeps as the source of its error.
pub(crate) fn loader_message(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the library file that contains the code at an address, as the loader opened it.
#[cfg(unix)]
pub(crate) fn library_of(address: *const c_void) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;

    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `dladdr` accepts any address, and fills the structure if it returns non-zero.
    if unsafe { libc::dladdr(address, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: zero is a valid value of a structure of pointers, and `dladdr` has filled it.
    let name = unsafe { info.assume_init() }.dli_fname;
    if name.is_null() {
        return None;
    }
    // SAFETY: the name is a C string that lives as long as the library is loaded.
    let name = unsafe { CStr::from_ptr(name) };
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()))).filter(|path| path.is_absolute())
}

/// Not implemented on other systems: NVRTC is then loaded once in each process to learn its version.
#[cfg(not(unix))]
pub(crate) fn library_of(_address: *const c_void) -> Option<PathBuf> {
    None
}
