//! Files that are only ever replaced whole, so that processes may share a folder without locks.

use std::io::{self, Write};
use std::path::Path;

/// How the name of a file begins that is not whole yet.
pub(super) const UNFINISHED: &str = ".unfinished-";

/// Who may read what is written. Nobody but the user may write it: see [`trust`](super::trust).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// The user.
    User,
    /// Whoever the user's umask lets read: the folder is to be shipped.
    All,
}

/// A kernel's name as the beginning of a file's: generic arguments and paths have characters that no file should.
pub(crate) fn file_stem(kernel: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    kernel.chars().map(plain).take(100).collect()
}

/// Makes a folder and those above it, where they are missing.
pub(crate) fn make_folder(path: &Path, readers: Readers) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(match readers {
            Readers::User => 0o700,
            Readers::All => 0o755,
        });
    }
    #[cfg(not(unix))]
    let _ = readers;
    builder.create(path)
}

/// Writes a file aside and renames it: readers see the old one or the new one, and never a part. What is there already is
/// replaced, whatever it is, but for a folder.
///
/// # Errors
///
/// Where the folder cannot be made or the file not be written; nothing is left then.
pub(crate) fn replace(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut attempts = 0;
    loop {
        match write(folder, path, bytes, readers) {
            // Another process may have cleared the folder away between two of our steps.
            Err(error) if error.kind() == io::ErrorKind::NotFound && attempts < 3 => attempts += 1,
            done => return done,
        }
    }
}

fn write(folder: &Path, path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    make_folder(folder, readers)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(match readers {
            Readers::User => 0o600,
            Readers::All => 0o644,
        }));
    }
    // In the same folder, because a rename is atomic within a file system only.
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    // No sync: a file that a power failure tore has the wrong checksum and is compiled again.
    file.persist(path)?;
    Ok(())
}
