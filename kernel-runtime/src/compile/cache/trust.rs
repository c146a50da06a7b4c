//! The trust boundary of compiled kernels on disk: which files are loaded.
//!
//! The machine code and PTX of a file run in the user's process, on a GPU that can access the process's memory. A
//! checksum detects corruption, not tampering. A file is therefore read only if no one but the user and root can have
//! written it:
//!
//! - the directory, the directories in it and the file belong to the effective user or to root (or, beside the
//!   executable, to the owner of that), and neither the group nor others may write them;
//! - the directories in it and the file are not symbolic links, and the file is a regular file. It is opened without
//!   following links and without blocking on a FIFO, and the opened file is checked (`fstat`), so that it cannot be
//!   exchanged between the check and the use.
//!
//! On systems other than Unix, a user's directories are protected by their location, and only the kind of a file is
//! checked.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The size limit of a file, in bytes. Compiled kernels are far smaller.
pub(crate) const MAX_FILE_BYTES: u64 = 256 << 20;

/// The users whose files are trusted, as user IDs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrustedOwners(Vec<u32>);

/// A file or directory that is not trusted. It is carried inside an `io::Error`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Untrusted {
    pub(crate) path: PathBuf,
    pub(crate) reason: Reason,
}

/// Why a file or directory is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "owners and modes are Unix's"))]
pub(crate) enum Reason {
    /// Another user owns it.
    Owner { uid: u32 },
    /// Its group or others may write it, by these permissions.
    Writable { mode: u32 },
    /// It is not of the expected kind.
    Kind { is: &'static str, wanted: &'static str },
    /// It is larger than [`MAX_FILE_BYTES`].
    Size { bytes: u64 },
}

impl TrustedOwners {
    /// Returns the effective user and root.
    pub(crate) fn of_process() -> TrustedOwners {
        #[cfg(unix)]
        {
            // SAFETY: the function has no preconditions, and cannot fail.
            TrustedOwners(vec![0, unsafe { libc::geteuid() }])
        }
        #[cfg(not(unix))]
        TrustedOwners(Vec::new())
    }

    /// Adds the owner of a file, for the executable: its owner controls what the process does anyway.
    pub(crate) fn or_owner_of(mut self, file: &Path) -> TrustedOwners {
        #[cfg(unix)]
        self.0.extend(fs::metadata(file).map(|file| std::os::unix::fs::MetadataExt::uid(&file)));
        #[cfg(not(unix))]
        let _ = (&mut self, file);
        self
    }

    /// Checks a directory that the user has named, which may be a link.
    ///
    /// # Errors
    ///
    /// [`Untrusted`], inside an `io::Error`, or an error of the operating system.
    pub(crate) fn check_folder(&self, path: &Path) -> io::Result<()> {
        self.check_metadata(path, &fs::metadata(path)?, true)
    }

    /// Checks a directory inside a directory that was checked.
    ///
    /// # Errors
    ///
    /// As for [`TrustedOwners::check_folder`].
    pub(crate) fn check_inner_folder(&self, path: &Path) -> io::Result<()> {
        self.check_metadata(path, &fs::symlink_metadata(path)?, true)
    }

    /// Checks and reads a file. Returns its contents, and the open file.
    ///
    /// # Errors
    ///
    /// As for [`TrustedOwners::check_folder`].
    pub(crate) fn read(&self, path: &Path) -> io::Result<(Vec<u8>, File)> {
        let mut options = File::options();
        options.read(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC);
        }
        let file = options.open(path).map_err(|error| {
            // The kind of the file explains the failure better than the error: `ELOOP` has several causes, and sockets and
            // devices have various errors.
            let found = fs::symlink_metadata(path);
            found.ok().and_then(|found| self.check_metadata(path, &found, false).err()).unwrap_or(error)
        })?;
        let metadata = file.metadata()?;
        self.check_metadata(path, &metadata, false)?;
        let too_large = |bytes| Untrusted { path: path.to_owned(), reason: Reason::Size { bytes } };
        if metadata.len() > MAX_FILE_BYTES {
            return Err(too_large(metadata.len()).into());
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        // The file may grow while it is read.
        (&file).take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(too_large(bytes.len() as u64).into());
        }
        Ok((bytes, file))
    }

    fn check_metadata(&self, path: &Path, metadata: &Metadata, folder: bool) -> io::Result<()> {
        let reason = if metadata.is_dir() != folder || metadata.is_file() == folder {
            Some(Reason::Kind { is: kind(metadata), wanted: if folder { "directory" } else { "regular file" } })
        } else {
            self.violation(metadata)
        };
        reason.map_or(Ok(()), |reason| Err(Untrusted { path: path.to_owned(), reason }.into()))
    }

    #[cfg(unix)]
    fn violation(&self, metadata: &Metadata) -> Option<Reason> {
        use std::os::unix::fs::MetadataExt;
        let (uid, mode) = (metadata.uid(), metadata.mode() & 0o7777);
        if !self.0.contains(&uid) {
            Some(Reason::Owner { uid })
        } else if mode & 0o022 != 0 {
            Some(Reason::Writable { mode })
        } else {
            None
        }
    }

    #[cfg(not(unix))]
    #[allow(clippy::unused_self, reason = "as on Unix")]
    fn violation(&self, _metadata: &Metadata) -> Option<Reason> {
        None
    }
}

/// Returns the kind of a file, for a message.
fn kind(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "FIFO";
        } else if kind.is_socket() {
            return "socket";
        } else if kind.is_char_device() || kind.is_block_device() {
            return "device";
        }
    }
    if kind.is_symlink() {
        "symbolic link"
    } else if kind.is_dir() {
        "directory"
    } else if kind.is_file() {
        "regular file"
    } else {
        "special file"
    }
}

impl Untrusted {
    /// Returns the reason inside an `io::Error`, if it is of this type.
    pub(crate) fn of(error: &io::Error) -> Option<&Untrusted> {
        error.get_ref()?.downcast_ref()
    }

    /// Returns the remedy.
    pub(crate) fn help(&self) -> &'static str {
        match self.reason {
            Reason::Owner { .. } => {
                "compiled kernels are executed: set CUMBIA_CACHE_DIR or CUMBIA_KERNELS to a directory owned by this user, \
                 or set CUMBIA_CACHE=off"
            }
            Reason::Writable { .. } => {
                "compiled kernels are executed: remove files that others may have put there, and revoke their write \
                 permission with `chmod -R go-w`"
            }
            Reason::Kind { .. } | Reason::Size { .. } => "remove it",
        }
    }
}

impl fmt::Display for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Untrusted { path, reason } = self;
        write!(f, "{} ", path.display())?;
        match reason {
            Reason::Owner { uid } => write!(f, "belongs to another user (uid {uid})"),
            Reason::Writable { mode } => write!(f, "is writable by other users (mode {mode:04o})"),
            Reason::Kind { is, wanted } => write!(f, "is a {is}, not a {wanted}"),
            Reason::Size { bytes } => write!(f, "has {bytes} bytes, which exceeds the size limit of a compiled kernel"),
        }
    }
}

impl std::error::Error for Untrusted {}

impl From<Untrusted> for io::Error {
    fn from(untrusted: Untrusted) -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, untrusted)
    }
}

#[cfg(all(test, unix))]
mod tests;
