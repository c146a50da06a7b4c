//! Compiled kernels that come with a program: a folder that [`precompile`](crate::precompile) made, and that is looked in
//! before the cache and NVRTC.
//!
//! ```text
//! saxpy-0123…/sm_90a.kernel    an image; its kernel, a hash of source and options, and its architecture
//! ```
//!
//! Whatever NVRTC made it will do, so that a machine needs none. Like the cache, it is only read where nobody but the user
//! and root can have written it, or beside the executable the owner of that.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cache::{COUNTS, Key, Owners, Readers, Refused, SUFFIX, decode, encode, file_stem, replace};
use crate::cuda::{Architecture, Image};
use crate::variable::variable;
use crate::warning::warn;

/// The name of the folder beside the executable.
pub(crate) const BESIDE: &str = "cumbia-kernels";

/// A folder of precompiled kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Precompiled {
    folder: PathBuf,
    /// Whose files are taken from it.
    owners: Owners,
}

/// A kernel's CUDA C with the options, whatever it is compiled for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe<'a> {
    /// The kernel's name.
    pub(crate) kernel: &'a str,
    /// Its source, then the options.
    pub(crate) parts: &'a [&'a str],
}

impl Precompiled {
    /// The folder that `CUMBIA_KERNELS` names, or else `cumbia-kernels` beside the executable, if it is there.
    pub(crate) fn of_process() -> Option<Precompiled> {
        static WARNED: AtomicBool = AtomicBool::new(false);
        if let Some(folder) = variable("CUMBIA_KERNELS") {
            let folder = PathBuf::from(folder);
            if folder.is_dir() {
                return Precompiled::checked(folder, Owners::of_process());
            }
            if !WARNED.swap(true, Ordering::Relaxed) {
                warn(
                    format!("CUMBIA_KERNELS is `{}`, which is no folder", folder.display()),
                    "point it at a folder that `cumbia::precompile` filled, or unset it",
                );
            }
        }
        let executable = std::env::current_exe().ok()?;
        let folder = executable.parent()?.join(BESIDE);
        if !folder.is_dir() {
            return None;
        }
        Precompiled::checked(folder, Owners::of_process().or_that_of(&executable))
    }

    /// A folder whose files are loaded into the process, if it is one that only its owners can have written.
    pub(crate) fn checked(folder: PathBuf, owners: Owners) -> Option<Precompiled> {
        match owners.check_folder(&folder) {
            Ok(()) => Some(Precompiled { folder, owners }),
            Err(error) => {
                Precompiled::refuse(&error);
                None
            }
        }
    }

    /// Says, once in a process, what is not trusted.
    fn refuse(error: &io::Error) {
        static WARNED: AtomicBool = AtomicBool::new(false);
        if let Some(refused) = Refused::of(error)
            && !WARNED.swap(true, Ordering::Relaxed)
        {
            warn(format!("kernels that were compiled ahead are not used: {refused}"), refused.help());
        }
    }

    /// A folder that is to be filled.
    pub(crate) fn in_folder(folder: &Path) -> Precompiled {
        Precompiled { folder: folder.to_owned(), owners: Owners::of_process() }
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The image for this very architecture.
    pub(crate) fn get(&self, recipe: Recipe<'_>, architecture: &Architecture) -> Option<Image> {
        let read = self
            .owners
            .check_inner_folder(&self.kernel_folder(recipe))
            .and_then(|()| self.owners.read(&self.path(recipe, architecture)));
        let (bytes, _) = read.inspect_err(Precompiled::refuse).ok()?;
        let image = decode(&bytes, &recipe.key(architecture));
        if image.is_none() {
            COUNTS.damaged();
        }
        image
    }

    /// The image that serves a GPU best.
    pub(crate) fn get_for_gpu(&self, recipe: Recipe<'_>, gpu: &Architecture) -> Option<Image> {
        if let Some(image) = self.get(recipe, gpu) {
            return Some(image);
        }
        let mut choices = Vec::new();
        for file in std::fs::read_dir(self.kernel_folder(recipe)).ok()? {
            let name = file.ok()?.file_name().into_string().ok();
            let Some(name) = name.as_deref().and_then(|name| name.strip_suffix(SUFFIX)) else { continue };
            let Ok(architecture) = Architecture::parse(name) else { continue };
            if let Some(suitability) = architecture.suits(gpu) {
                choices.push((suitability, architecture.clone(), false));
            }
            // A file of machine code has its PTX as well, which runs on newer GPUs.
            if architecture.is_real()
                && let Some(suitability) = architecture.to_virtual().suits(gpu)
            {
                choices.push((suitability, architecture, true));
            }
        }
        choices.sort_by_key(|choice| std::cmp::Reverse(choice.0));
        choices.into_iter().find_map(|(_, architecture, as_ptx)| {
            let image = self.get(recipe, &architecture)?;
            Some(if as_ptx {
                Image { architecture: architecture.to_virtual().to_string(), cubin: None, ..image }
            } else {
                image
            })
        })
    }

    /// Writes an image, in place of what was there; gives the file and its size.
    pub(crate) fn put(
        &self,
        recipe: Recipe<'_>,
        architecture: &Architecture,
        image: &Image,
    ) -> Result<(PathBuf, u64), (PathBuf, io::Error)> {
        let path = self.path(recipe, architecture);
        let bytes = encode(image, &recipe.key(architecture));
        match replace(&path, &bytes, Readers::All) {
            Ok(()) => Ok((path, bytes.len() as u64)),
            Err(error) => Err((path, error)),
        }
    }

    fn path(&self, recipe: Recipe<'_>, architecture: &Architecture) -> PathBuf {
        self.kernel_folder(recipe).join(format!("{architecture}{SUFFIX}"))
    }

    fn kernel_folder(&self, recipe: Recipe<'_>) -> PathBuf {
        let name = file_stem(recipe.kernel);
        let hash = Key::of(recipe.parts).to_string();
        self.folder.join(format!("{name}-{}", &hash[..32]))
    }
}

impl Recipe<'_> {
    /// The key of the image for an architecture.
    pub(crate) fn key(&self, architecture: &Architecture) -> Key {
        let architecture = architecture.to_string();
        let parts: Vec<&str> = std::iter::once(architecture.as_str()).chain(self.parts.iter().copied()).collect();
        Key::of(&parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: Recipe<'_> = Recipe { kernel: "saxpy<f32>", parts: &["source", "--option"] };

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
            precompiled.put(RECIPE, &architecture(name), &image(name)).unwrap();
        }
        (folder, precompiled)
    }

    #[test]
    fn a_gpu_gets_what_serves_it_best() {
        let (_folder, precompiled) = folder_of(&["sm_80", "sm_90", "compute_75"]);
        let for_gpu = |major, minor| {
            let image = precompiled.get_for_gpu(RECIPE, &Architecture::of_device(major, minor));
            image.map(|Image { architecture, cubin, ptx, .. }| (architecture, cubin.is_some(), ptx))
        };
        let expected = |architecture: &str, cubin, ptx: &str| Some((architecture.to_owned(), cubin, ptx.to_owned()));
        assert_eq!(for_gpu(9, 0), expected("sm_90", true, "PTX of sm_90"));
        assert_eq!(for_gpu(8, 9), expected("sm_80", true, "PTX of sm_80"));
        assert_eq!(for_gpu(12, 0), expected("compute_90", false, "PTX of sm_90"));
        assert_eq!(for_gpu(7, 5), expected("compute_75", false, "PTX of compute_75"));
        assert_eq!(for_gpu(7, 0), None);
    }

    #[test]
    fn other_sources_options_and_damage_are_misses() {
        let (_folder, precompiled) = folder_of(&["sm_90"]);
        let sm_90 = architecture("sm_90");
        assert_eq!(precompiled.get(RECIPE, &sm_90), Some(image("sm_90")));
        for parts in [&["edited", "--option"], &["source", "--other"]] {
            assert_eq!(precompiled.get_for_gpu(Recipe { parts, ..RECIPE }, &sm_90), None);
        }
        // One architecture's file under the name of another's.
        let from = precompiled.path(RECIPE, &sm_90);
        std::fs::copy(&from, from.with_file_name("sm_80.kernel")).unwrap();
        assert_eq!(precompiled.get(RECIPE, &architecture("sm_80")), None);
        std::fs::write(&from, "nonsense").unwrap();
        std::fs::write(from.with_file_name("readme"), "").unwrap();
        assert_eq!(precompiled.get_for_gpu(RECIPE, &sm_90), None);
    }
}
