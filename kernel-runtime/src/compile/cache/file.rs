//! Atomic replacement of files, so that processes share a directory without locks.

use std::io::{self, Write};
use std::path::Path;

/// The prefix of the name of a file that is being written.
pub(super) const UNFINISHED: &str = ".unfinished-";

/// The readers of a written file. Only the user may write it: see [`trust`](super::trust).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Only the user.
    User,
    /// Everyone that the user's umask permits, for a directory that is shipped with a program.
    All,
}

/// Returns a kernel's name as a file name prefix: characters of paths and generic arguments that are unsuitable for file names
/// become underscores.
pub(crate) fn file_stem(kernel: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    kernel.chars().map(plain).take(100).collect()
}

/// Creates a directory and its parents, if they are missing.
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

/// Replaces a file atomically, by writing a temporary file and renaming it: readers see the old or the new contents, never a
/// part. Anything but a directory is replaced.
///
/// # Errors
///
/// If the directory cannot be created or the file not be written. The temporary file is then removed.
pub(crate) fn replace(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut attempts = 0;
    loop {
        match write(folder, path, bytes, readers) {
            // Another process may have removed the directory between two steps.
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
    // In the same directory, because a rename is atomic only within a file system.
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    // No `fsync`: a file torn by a power failure fails its checksum, which is a miss.
    file.persist(path)?;
    Ok(())
}
