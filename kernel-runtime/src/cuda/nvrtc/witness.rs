//! What version NVRTC has, without loading it.
//!
//! A cached kernel is kept under the version of the NVRTC that made it, and loading NVRTC (140 MB) to learn its version
//! takes longer than everything else in a warm start. So the process that loads it leaves a note: in this environment the
//! search ends at this file, of this size and time, and it has this version. The note holds as long as the file and what
//! the search depends on are unchanged; a note that does not hold costs one loading, and nothing is ever wrong but the
//! choice between two NVRTCs that are both there: one installed in a place searched earlier is noticed when a kernel
//! has to be compiled.

use std::path::Path;

use super::Version;
use crate::cache::{Cache, NOTES};
use crate::cuda::environment::{Environment, stamp_of};

/// The version that was noted in this environment, if the file is still the same.
pub(super) fn read(cache: &Cache, environment: &Environment) -> Option<Version> {
    let note = cache.read_note(NOTES, &environment.fingerprint())?;
    let mut lines = note.lines();
    let (path, stamp, version) = (lines.next()?, lines.next()?, lines.next()?);
    if stamp_of(Path::new(path))? != stamp {
        return None;
    }
    let (major, minor) = version.split_once('.')?;
    Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

/// Notes the version of a file that the search found in this environment.
pub(super) fn write(cache: &Cache, environment: &Environment, path: Option<&Path>, version: Version) {
    // A path that is no text, or of several lines, is left alone: NVRTC is then loaded each time.
    let Some(path) = path.and_then(Path::to_str).filter(|path| !path.contains('\n')) else { return };
    if let Some(stamp) = stamp_of(Path::new(path)) {
        cache.write_note(NOTES, &environment.fingerprint(), &format!("{path}\n{stamp}\n{version}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: Version = Version { major: 13, minor: 5 };

    #[test]
    fn a_note_holds_until_the_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().join("cache"));
        let library = folder.path().join("libnvrtc.so.13");
        std::fs::write(&library, "one").unwrap();
        let environment = Environment::default();

        assert_eq!(read(&cache, &environment), None);
        write(&cache, &environment, Some(&library), VERSION);
        assert_eq!(read(&cache, &environment), Some(VERSION));
        let other = Environment { cuda_home: Some("/elsewhere".into()), ..Environment::default() };
        assert_eq!(read(&cache, &other), None);

        std::fs::write(&library, "another size").unwrap();
        assert_eq!(read(&cache, &environment), None);
        write(&cache, &environment, Some(&library), VERSION);
        std::fs::remove_file(&library).unwrap();
        assert_eq!(read(&cache, &environment), None);
    }

    #[test]
    fn nonsense_is_no_note() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().to_owned());
        let environment = Environment::default();
        for text in ["", "\n\n\n", "/nowhere\n0 0\n13.5\n", "\0\u{7f}"] {
            cache.write_note(NOTES, &environment.fingerprint(), text).unwrap();
            assert_eq!(read(&cache, &environment), None);
        }
    }
}
