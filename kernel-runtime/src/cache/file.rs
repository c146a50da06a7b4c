//! Files that are only ever replaced whole, so that processes may share a folder without locks.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::SystemTime;

/// How the name of a file begins that is not whole yet.
pub(super) const UNFINISHED: &str = ".unfinished-";

/// A kernel's name as the beginning of a file's: generic arguments and paths have characters that no file should.
pub(crate) fn file_stem(kernel: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    kernel.chars().map(plain).take(100).collect()
}

/// Writes a file aside and renames it: readers see the old one or the new one, and never a part.
///
/// # Errors
///
/// Where the folder cannot be made or the file not be written; nothing is left then.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut attempts = 0;
    loop {
        match write(folder, path, bytes) {
            // Another process may have cleared the folder away between two of our steps.
            Err(error) if error.kind() == io::ErrorKind::NotFound && attempts < 3 => attempts += 1,
            done => return done,
        }
    }
}

fn write(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Readable to whoever the user's umask lets read: a folder may be shared, or shipped.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // In the same folder, because a rename is atomic within a file system only.
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    // No sync: a file that a power failure tore has the wrong checksum and is compiled again.
    file.persist(path)?;
    Ok(())
}

/// The bytes of a file, which counts as used from now on.
pub(super) fn read_used(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // A file of another user's, or in a folder that is read-only, keeps its time: nothing depends on it but the order in
    // which files are removed, and those are not removed.
    let _ = file.set_modified(SystemTime::now());
    Ok(bytes)
}
