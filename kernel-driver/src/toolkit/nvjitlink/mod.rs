//! nvJitLink, CUDA's run-time linker: located and loaded on first use, and called through its C interface.
//!
//! It links relocatable device code (cubins, PTX, fatbins, host objects and libraries with these) to a cubin. The input has
//! to be from the same major version of CUDA and no newer than the library (nvJitLink's manual, "Compatibility"), so the
//! search prefers the directory of NVRTC.

mod error;
mod library;
mod search;

use std::borrow::Cow;
use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};

pub use error::{LinkError, LinkFailure, NoNvJitLink};
use library::{Functions, RawHandle};

use super::architecture::Architecture;
use super::environment::Environment;
use super::library::{BytesOf, SUCCESS, SizeOf, Status, output, text};
use super::nvrtc::Nvrtc;
use super::searched::{LibraryFailure, Searched};
use crate::driver::Version;
use crate::sync::{Mutex, OnceLock};
use cumbia_kernel_sync::event;

/// A loaded nvJitLink. It is never unloaded.
#[derive(Debug)]
pub struct NvJitLink {
    functions: Functions,
    version: Version,
    path: Option<PathBuf>,
}

/// A part of the code that is linked.
#[derive(Clone, Copy, Debug)]
pub struct LinkInput<'a> {
    /// The name in nvJitLink's log.
    pub name: &'a str,
    /// The kind of the contents.
    pub kind: LinkInputKind,
    /// The contents.
    pub bytes: &'a [u8],
}

/// The kind of a [`LinkInput`]; the numbers are those of `nvJitLinkInputType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkInputKind {
    /// Machine code for one architecture.
    Cubin = 1,
    /// PTX.
    Ptx = 2,
    /// PTX and machine code for several architectures.
    Fatbin = 4,
    /// An object file of the host that contains a fatbin.
    Object = 5,
    /// An archive of such object files.
    Library = 6,
}

static LOADED: OnceLock<NvJitLink> = OnceLock::new();

impl NvJitLink {
    /// Returns nvJitLink for the output of an NVRTC, locating and loading it if no earlier call has succeeded. The call that
    /// loads it also calls `on_load`, with the inputs of the search.
    ///
    /// # Errors
    ///
    /// [`NoNvJitLink`] with each place that was searched.
    pub fn load(
        nvrtc: &Nvrtc,
        on_load: impl FnOnce(&NvJitLink, &Environment),
    ) -> Result<&'static NvJitLink, NoNvJitLink> {
        static LOADING: Mutex<()> = Mutex::new(());
        if let Some(linker) = LOADED.get() {
            return Ok(linker);
        }
        let _loading = LOADING.lock();
        if let Some(linker) = LOADED.get() {
            return Ok(linker);
        }
        let environment = Environment::of_process();
        let (linker, _) = search::find(&environment, nvrtc.path(), |path| NvJitLink::open(path, nvrtc))
            .map_err(|searched| NoNvJitLink { searched, nvrtc: nvrtc.version() })?;
        let (version, path) = (linker.version, linker.path.clone());
        event!(debug, target: "cumbia::compile", %version, ?path, "nvJitLink loaded");
        on_load(&linker, &environment);
        Ok(LOADED.get_or_init(|| linker))
    }

    /// Repeats the search. Returns its result, and the outcome at each location searched before.
    ///
    /// # Errors
    ///
    /// As for [`NvJitLink::load`].
    pub fn look(nvrtc: &Nvrtc) -> Result<(NvJitLink, Vec<Searched>), NoNvJitLink> {
        search::find(&Environment::of_process(), nvrtc.path(), |path| NvJitLink::open(path, nvrtc))
            .map_err(|searched| NoNvJitLink { searched, nvrtc: nvrtc.version() })
    }

    /// Returns the library that [`NvJitLink::load`] has loaded.
    pub fn loaded() -> Option<&'static NvJitLink> {
        LOADED.get()
    }

    /// Opens a library by its path, or by a name that the loader resolves.
    fn open(path: &Path, nvrtc: &Nvrtc) -> Result<NvJitLink, LibraryFailure> {
        let (functions, path) = Functions::open(path)?;
        let version = functions.version()?;
        let nvrtc = nvrtc.version();
        if version.major != nvrtc.major || version < nvrtc {
            return Err(LibraryFailure::OtherThanNvrtc { version, nvrtc });
        }
        Ok(NvJitLink { functions, version, path })
    }

    /// Returns the version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns the path of the library, where the system reports it.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Links relocatable device code to a cubin for an `sm_` architecture, with these options besides the architecture.
    ///
    /// # Errors
    ///
    /// [`LinkError`].
    pub fn link(
        &self,
        inputs: &[LinkInput<'_>],
        options: &[String],
        architecture: &Architecture,
    ) -> Result<Vec<u8>, LinkError> {
        // nvJitLink refers to the names when it reports errors, so they outlive the link, and with them the contents.
        let inputs: Vec<Input<'_>> = inputs.iter().map(|input| self.input(*input)).collect::<Result<_, _>>()?;
        let link = Link::new(self, options, architecture)?;
        for input in &inputs {
            link.add(input)?;
        }
        // SAFETY: the handle is alive.
        link.check("nvJitLinkComplete", unsafe { (self.functions.complete)(link.raw) })?;
        let functions = &self.functions;
        link.bytes("nvJitLinkGetLinkedCubin", functions.get_linked_cubin_size, functions.get_linked_cubin)
    }

    fn input<'a>(&self, LinkInput { name, kind, bytes }: LinkInput<'a>) -> Result<Input<'a>, LinkError> {
        let name = CString::new(name).map_err(|_| self.failed("nvJitLinkAddData", LinkFailure::NulCharacter))?;
        let bytes = match kind {
            // The size of PTX includes the NUL of the C string.
            LinkInputKind::Ptx => {
                let text = CString::new(bytes.strip_suffix(&[0]).unwrap_or(bytes));
                let text = text.map_err(|_| self.failed("nvJitLinkAddData", LinkFailure::NulCharacter))?;
                Cow::Owned(text.into_bytes_with_nul())
            }
            LinkInputKind::Cubin | LinkInputKind::Fatbin | LinkInputKind::Object | LinkInputKind::Library => {
                Cow::Borrowed(bytes)
            }
        };
        Ok(Input { name, kind, bytes })
    }

    fn failed(&self, call: &'static str, failure: LinkFailure) -> LinkError {
        LinkError { version: self.version, call, failure }
    }
}

/// A [`LinkInput`] in the form that nvJitLink takes.
struct Input<'a> {
    name: CString,
    kind: LinkInputKind,
    bytes: Cow<'a, [u8]>,
}

/// An `nvJitLinkHandle`, destroyed when dropped.
struct Link<'a> {
    linker: &'a NvJitLink,
    raw: RawHandle,
    /// The options, which nvJitLink may refer to.
    _options: Vec<CString>,
}

impl<'a> Link<'a> {
    fn new(linker: &'a NvJitLink, options: &[String], architecture: &Architecture) -> Result<Link<'a>, LinkError> {
        let architecture = format!("-arch={architecture}");
        let options = options.iter().map(String::as_str).chain([architecture.as_str()]).map(CString::new);
        let options: Vec<CString> = options
            .collect::<Result<_, _>>()
            .map_err(|_| linker.failed("nvJitLinkCreate", LinkFailure::NulCharacter))?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = u32::try_from(pointers.len()).unwrap_or(0);
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write, and `count` C strings are passed, which live as long as the handle.
        let status = unsafe { (linker.functions.create)(&raw mut raw, count, pointers.as_ptr()) };
        if status == SUCCESS {
            Ok(Link { linker, raw, _options: options })
        } else {
            Err(linker.failed("nvJitLinkCreate", LinkFailure::Status { code: status, log: String::new() }))
        }
    }

    /// The input has to outlive the link.
    fn add(&self, Input { name, kind, bytes }: &Input<'_>) -> Result<(), LinkError> {
        let (kind, data) = (*kind as i32, bytes.as_ptr().cast());
        // SAFETY: the handle is alive, the data has this length, and the name is a C string; both outlive the handle.
        let status = unsafe { (self.linker.functions.add_data)(self.raw, kind, data, bytes.len(), name.as_ptr()) };
        self.check("nvJitLinkAddData", status)
    }

    fn check(&self, call: &'static str, status: Status) -> Result<(), LinkError> {
        if status == SUCCESS {
            return Ok(());
        }
        Err(self.linker.failed(call, LinkFailure::Status { code: status, log: self.log() }))
    }

    fn log(&self) -> String {
        let functions = &self.linker.functions;
        let log = self.output(functions.get_error_log_size, functions.get_error_log).unwrap_or_default();
        text(&log).trim_end().to_owned()
    }

    fn bytes(&self, call: &'static str, size_of: SizeOf, bytes_of: BytesOf) -> Result<Vec<u8>, LinkError> {
        self.output(size_of, bytes_of)
            .map_err(|code| self.linker.failed(call, LinkFailure::Status { code, log: String::new() }))
    }

    fn output(&self, size_of: SizeOf, bytes_of: BytesOf) -> Result<Vec<u8>, Status> {
        // SAFETY: these functions take a handle, and it is alive.
        unsafe { output(self.raw, size_of, bytes_of) }
    }
}

impl Drop for Link<'_> {
    fn drop(&mut self) {
        // SAFETY: created in `new`, and not used again.
        unsafe { (self.linker.functions.destroy)(&raw mut self.raw) };
    }
}

#[cfg(test)]
mod tests;
