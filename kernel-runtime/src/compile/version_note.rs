//! The persistent note of NVRTC's version, which avoids loading NVRTC on a warm start.
//!
//! Cached kernels are keyed by the version of NVRTC that compiled them, and loading NVRTC (140 MB) to learn its version
//! takes longer than the rest of a warm start. So a process that loads it writes a note: in this environment, the
//! search ends at this file, with this size and modification time, and its version is this. The note is valid while the
//! file and the inputs of the search are unchanged. An invalid note costs one load. The only possible inaccuracy is the
//! choice between two installed NVRTCs: one that was added at a location searched earlier is noticed when a kernel has
//! to be compiled.

use std::path::Path;

use super::cache::{Cache, NOTES};
use crate::cuda::{Version, stamp_of};

/// Returns the noted version for the environment with this fingerprint, if the file is unchanged.
pub(super) fn read(cache: &Cache, fingerprint: &str) -> Option<Version> {
    let note = cache.read_note(NOTES, fingerprint)?;
    let mut lines = note.lines();
    let (path, stamp, version) = (lines.next()?, lines.next()?, lines.next()?);
    if stamp_of(Path::new(path))? != stamp {
        return None;
    }
    let (major, minor) = version.split_once('.')?;
    Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

/// Notes the version of the library that the search found in the environment with this fingerprint.
pub(super) fn write(cache: &Cache, fingerprint: &str, path: Option<&Path>, version: Version) {
    // A path that is not UTF-8 or contains a line break is not noted: NVRTC is then loaded each time.
    let Some(path) = path.and_then(Path::to_str).filter(|path| !path.contains('\n')) else { return };
    if let Some(stamp) = stamp_of(Path::new(path)) {
        cache.write_note(NOTES, fingerprint, &format!("{path}\n{stamp}\n{version}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: Version = Version { major: 13, minor: 5 };
    const ENVIRONMENT: &str = "4567";

    #[test]
    fn a_note_is_valid_until_the_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().join("cache"));
        let library = folder.path().join("libnvrtc.so.13");
        std::fs::write(&library, "one").unwrap();

        assert_eq!(read(&cache, ENVIRONMENT), None);
        write(&cache, ENVIRONMENT, Some(&library), VERSION);
        assert_eq!(read(&cache, ENVIRONMENT), Some(VERSION));
        assert_eq!(read(&cache, "89ab"), None);

        std::fs::write(&library, "another size").unwrap();
        assert_eq!(read(&cache, ENVIRONMENT), None);
        write(&cache, ENVIRONMENT, Some(&library), VERSION);
        std::fs::remove_file(&library).unwrap();
        assert_eq!(read(&cache, ENVIRONMENT), None);
    }

    #[test]
    fn malformed_notes_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().to_owned());
        for text in ["", "\n\n\n", "/nowhere\n0 0\n13.5\n", "\0\u{7f}"] {
            cache.write_note(NOTES, ENVIRONMENT, text).unwrap();
            assert_eq!(read(&cache, ENVIRONMENT), None);
        }
    }
}
