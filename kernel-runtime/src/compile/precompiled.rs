//! Precompiled kernels shipped with a program: a directory written by [`precompile`](crate::inspect::precompile), which is
//! searched before the cache and NVRTC.
//!
//! ```text
//! saxpy-0123…/sm_90a.kernel    an image: its kernel, a hash of source and options, and its architecture
//! ```
//!
//! Images of any NVRTC version are used, so that the machine needs no NVRTC. Like the cache, the directory is read only
//! if no one but the user and root can have written it; beside the executable, its owner is trusted as well.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::cache::{COUNTS, Key, Readers, SUFFIX, TrustedOwners, Untrusted, decode, encode, file_stem, replace};
use crate::cuda::{Architecture, Image, variable};
use cumbia_kernel_sync::warn;

/// The name of the directory beside the executable.
pub(crate) const FOLDER_NAME: &str = "cumbia-kernels";

/// A directory of precompiled kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Precompiled {
    folder: PathBuf,
    /// The users whose files are trusted.
    owners: TrustedOwners,
}

/// The inputs of a compilation, without the architecture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompilationInputs<'a> {
    /// The kernel's name.
    pub(crate) kernel: &'a str,
    /// The CUDA C, then the options, then the linked files.
    pub(crate) parts: &'a [&'a [u8]],
    /// Whether files are linked, so that the PTX of an image is incomplete.
    pub(crate) links: bool,
}

impl Precompiled {
    /// Returns the directory of `CUMBIA_KERNELS`, or else `cumbia-kernels` beside the executable, if it exists and is
    /// trusted.
    pub(crate) fn of_process() -> Option<Precompiled> {
        static WARNED: AtomicBool = AtomicBool::new(false);
        if let Some(folder) = variable("CUMBIA_KERNELS") {
            let folder = PathBuf::from(folder);
            if folder.is_dir() {
                return Precompiled::checked(folder, TrustedOwners::of_process());
            }
            if !WARNED.swap(true, Ordering::Relaxed) {
                warn(
                    format!("CUMBIA_KERNELS is `{}`, which is not a directory", folder.display()),
                    "point it at a directory written by `cumbia::precompile`, or unset it",
                );
            }
        }
        let executable = std::env::current_exe().ok()?;
        let folder = executable.parent()?.join(FOLDER_NAME);
        if !folder.is_dir() {
            return None;
        }
        Precompiled::checked(folder, TrustedOwners::of_process().or_owner_of(&executable))
    }

    /// Returns the directory if only trusted users can have written it; warns otherwise.
    pub(crate) fn checked(folder: PathBuf, owners: TrustedOwners) -> Option<Precompiled> {
        match owners.check_folder(&folder) {
            Ok(()) => Some(Precompiled { folder, owners }),
            Err(error) => {
                Precompiled::warn_untrusted(&error);
                None
            }
        }
    }

    /// Warns once per process about an untrusted file or directory.
    fn warn_untrusted(error: &io::Error) {
        static WARNED: AtomicBool = AtomicBool::new(false);
        if let Some(untrusted) = Untrusted::of(error)
            && !WARNED.swap(true, Ordering::Relaxed)
        {
            warn(format!("precompiled kernels are not used: {untrusted}"), untrusted.help());
        }
    }

    /// Returns a directory to write to, without a check.
    pub(crate) fn in_folder(folder: &Path) -> Precompiled {
        Precompiled { folder: folder.to_owned(), owners: TrustedOwners::of_process() }
    }

    /// Returns the directory.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the image for exactly this architecture.
    pub(crate) fn get(&self, inputs: CompilationInputs<'_>, architecture: &Architecture) -> Option<Image> {
        let read = self
            .owners
            .check_inner_folder(&self.kernel_folder(inputs))
            .and_then(|()| self.owners.read(&self.path(inputs, architecture)));
        let (bytes, _) = read.inspect_err(Precompiled::warn_untrusted).ok()?;
        let image = decode(&bytes, &inputs.key(architecture));
        if image.is_none() {
            COUNTS.damaged();
        }
        image
    }

    /// Returns the most suitable image for a GPU: machine code for it or a compatible one, or else PTX.
    pub(crate) fn get_for_gpu(&self, inputs: CompilationInputs<'_>, gpu: &Architecture) -> Option<Image> {
        if let Some(image) = self.get(inputs, gpu) {
            return Some(image);
        }
        let mut choices = Vec::new();
        for file in std::fs::read_dir(self.kernel_folder(inputs)).ok()? {
            let name = file.ok()?.file_name().into_string().ok();
            let Some(name) = name.as_deref().and_then(|name| name.strip_suffix(SUFFIX)) else { continue };
            let Ok(architecture) = Architecture::parse(name) else { continue };
            if let Some(suitability) = architecture.suits(gpu) {
                choices.push((suitability, architecture.clone(), false));
            }
            // A file with machine code contains its PTX as well, which the driver compiles for newer GPUs.
            if architecture.is_real()
                && !inputs.links
                && let Some(suitability) = architecture.to_virtual().suits(gpu)
            {
                choices.push((suitability, architecture, true));
            }
        }
        choices.sort_by_key(|choice| std::cmp::Reverse(choice.0));
        choices.into_iter().find_map(|(_, architecture, as_ptx)| {
            let image = self.get(inputs, &architecture)?;
            Some(if as_ptx {
                Image { architecture: architecture.to_virtual().to_string(), cubin: None, ..image }
            } else {
                image
            })
        })
    }

    /// Writes an image, replacing an existing one, and returns the file and its size in bytes.
    pub(crate) fn put(
        &self,
        inputs: CompilationInputs<'_>,
        architecture: &Architecture,
        image: &Image,
    ) -> Result<(PathBuf, u64), (PathBuf, io::Error)> {
        let path = self.path(inputs, architecture);
        let bytes = encode(image, &inputs.key(architecture));
        match replace(&path, &bytes, Readers::All) {
            Ok(()) => Ok((path, bytes.len() as u64)),
            Err(error) => Err((path, error)),
        }
    }

    fn path(&self, inputs: CompilationInputs<'_>, architecture: &Architecture) -> PathBuf {
        self.kernel_folder(inputs).join(format!("{architecture}{SUFFIX}"))
    }

    fn kernel_folder(&self, inputs: CompilationInputs<'_>) -> PathBuf {
        let name = file_stem(inputs.kernel);
        self.folder.join(format!("{name}-{}", Key::of(inputs.parts)))
    }
}

impl CompilationInputs<'_> {
    /// Returns the key of the image for an architecture.
    pub(crate) fn key(&self, architecture: &Architecture) -> Key {
        let architecture = architecture.to_string();
        let parts: Vec<&[u8]> = std::iter::once(architecture.as_bytes()).chain(self.parts.iter().copied()).collect();
        Key::of(&parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUTS: CompilationInputs<'_> =
        CompilationInputs { kernel: "saxpy<f32>", parts: &[b"source", b"--option"], links: false };

    fn architecture(name: &str) -> Architecture {
        Architecture::parse(name).unwrap()
    }

    fn image(name: &str) -> Image {
        let cubin = name.starts_with("sm_").then(|| name.as_bytes().to_vec());
        Image { architecture: name.to_owned(), cubin, ptx: format!("PTX of {name}"), log: String::new() }
    }

    fn folder_of(names: &[&str]) -> (tempfile::TempDir, Precompiled) {
        let folder = tempfile::tempdir().unwrap();
        let precompiled = Precompiled::in_folder(folder.path());
        for name in names {
            precompiled.put(INPUTS, &architecture(name), &image(name)).unwrap();
        }
        (folder, precompiled)
    }

    #[test]
    fn a_gpu_gets_the_most_suitable_image() {
        let (_folder, precompiled) = folder_of(&["sm_80", "sm_90", "compute_75"]);
        let for_gpu = |major, minor| {
            let image = precompiled.get_for_gpu(INPUTS, &Architecture::of_device(major, minor));
            image.map(|Image { architecture, cubin, ptx, .. }| (architecture, cubin.is_some(), ptx))
        };
        let expected = |architecture: &str, cubin, ptx: &str| Some((architecture.to_owned(), cubin, ptx.to_owned()));
        assert_eq!(for_gpu(9, 0), expected("sm_90", true, "PTX of sm_90"));
        assert_eq!(for_gpu(8, 9), expected("sm_80", true, "PTX of sm_80"));
        assert_eq!(for_gpu(12, 0), expected("compute_90", false, "PTX of sm_90"));
        assert_eq!(for_gpu(7, 5), expected("compute_75", false, "PTX of compute_75"));
        assert_eq!(for_gpu(7, 0), None);
        // The PTX refers to functions that only the machine code contains.
        let linked = |major, minor| {
            let inputs = CompilationInputs { links: true, ..INPUTS };
            precompiled.get_for_gpu(inputs, &Architecture::of_device(major, minor)).is_some()
        };
        std::fs::remove_file(precompiled.path(INPUTS, &architecture("compute_75"))).unwrap();
        assert!(linked(9, 0) && !linked(12, 0));
    }

    #[test]
    fn other_sources_other_options_and_corruption_are_misses() {
        let (_folder, precompiled) = folder_of(&["sm_90"]);
        let sm_90 = architecture("sm_90");
        assert_eq!(precompiled.get(INPUTS, &sm_90), Some(image("sm_90")));
        for parts in [&[&b"edited"[..], b"--option"], &[b"source", b"--other"]] {
            assert_eq!(precompiled.get_for_gpu(CompilationInputs { parts, ..INPUTS }, &sm_90), None);
        }
        // One architecture's file under the name of another's.
        let from = precompiled.path(INPUTS, &sm_90);
        std::fs::copy(&from, from.with_file_name("sm_80.kernel")).unwrap();
        assert_eq!(precompiled.get(INPUTS, &architecture("sm_80")), None);
        std::fs::write(&from, "nonsense").unwrap();
        std::fs::write(from.with_file_name("readme"), "").unwrap();
        assert_eq!(precompiled.get_for_gpu(INPUTS, &sm_90), None);
    }
}
