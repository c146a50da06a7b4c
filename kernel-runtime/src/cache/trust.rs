//! The trust boundary of compiled kernels on disk: whose files are loaded.
//!
//! Machine code and PTX of a file run in the user's process, on a GPU that reaches the process's memory. A checksum finds
//! damage and not malice. So a file is read only where nobody but the user and root can have written it:
//!
//! - the folder, the folders in it and the file belong to the effective user or to root (or, beside the executable, to the
//!   owner of that), and neither the group nor others may write them;
//! - the folders in it and the file are no symbolic links, and the file is a regular one. It is opened without following
//!   links and without waiting for the other end of a FIFO, and what counts is what was opened (`fstat`), so that nothing can
//!   be swapped in between.
//!
//! Elsewhere than on Unix the folders of a user are protected by their place, and only the kind of a file is looked at.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The most bytes that are read of a file. No compiled kernel is as large.
pub(crate) const LARGEST: u64 = 256 << 20;

/// Whose files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owners(Vec<u32>);

/// A file or folder that is not used, for what it is and not for what went wrong.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) path: PathBuf,
    pub(crate) reason: Reason,
}

/// Why something is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "owners and modes are Unix's"))]
pub(crate) enum Reason {
    /// Another user owns it.
    Owner { uid: u32 },
    /// Its group or everyone may write it; the permissions.
    Writable { mode: u32 },
    /// It is not what is kept there.
    Kind { is: &'static str, wanted: &'static str },
    /// It has more bytes than [`LARGEST`].
    Size { bytes: u64 },
}

impl Owners {
    /// The effective user and root.
    pub(crate) fn of_process() -> Owners {
        #[cfg(unix)]
        {
            // SAFETY: the function has no conditions, and cannot fail.
            Owners(vec![0, unsafe { libc::geteuid() }])
        }
        #[cfg(not(unix))]
        Owners(Vec::new())
    }

    /// These and the owner of a file: who owns a program can make it do anything.
    pub(crate) fn or_that_of(mut self, file: &Path) -> Owners {
        #[cfg(unix)]
        self.0.extend(fs::metadata(file).map(|file| std::os::unix::fs::MetadataExt::uid(&file)));
        #[cfg(not(unix))]
        let _ = (&mut self, file);
        self
    }

    /// Checks a folder that is named by the user, who may have made it a link.
    ///
    /// # Errors
    ///
    /// [`Refused`], as an `io::Error`, or why it cannot be looked at.
    pub(crate) fn check_folder(&self, path: &Path) -> io::Result<()> {
        self.check_metadata(path, &fs::metadata(path)?, true)
    }

    /// Checks a folder inside of one that was checked.
    ///
    /// # Errors
    ///
    /// As for [`Owners::check_folder`].
    pub(crate) fn check_inner_folder(&self, path: &Path) -> io::Result<()> {
        self.check_metadata(path, &fs::symlink_metadata(path)?, true)
    }

    /// The bytes of a file, and the file.
    ///
    /// # Errors
    ///
    /// As for [`Owners::check_folder`], or what reading it gives.
    pub(crate) fn read(&self, path: &Path) -> io::Result<(Vec<u8>, File)> {
        let mut options = File::options();
        options.read(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC);
        }
        let file = options.open(path).map_err(|error| {
            // `ELOOP` has other causes, and the errors of sockets and devices are many.
            let found = fs::symlink_metadata(path);
            found.ok().and_then(|found| self.check_metadata(path, &found, false).err()).unwrap_or(error)
        })?;
        let metadata = file.metadata()?;
        self.check_metadata(path, &metadata, false)?;
        let refused = |bytes| Refused { path: path.to_owned(), reason: Reason::Size { bytes } };
        if metadata.len() > LARGEST {
            return Err(refused(metadata.len()).into());
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        // It may grow meanwhile.
        (&file).take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            return Err(refused(bytes.len() as u64).into());
        }
        Ok((bytes, file))
    }

    fn check_metadata(&self, path: &Path, metadata: &Metadata, folder: bool) -> io::Result<()> {
        let reason = if metadata.is_dir() != folder || metadata.is_file() == folder {
            Some(Reason::Kind { is: kind(metadata), wanted: if folder { "folder" } else { "regular file" } })
        } else {
            self.distrust(metadata)
        };
        reason.map_or(Ok(()), |reason| Err(Refused { path: path.to_owned(), reason }.into()))
    }

    #[cfg(unix)]
    fn distrust(&self, metadata: &Metadata) -> Option<Reason> {
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
    fn distrust(&self, _metadata: &Metadata) -> Option<Reason> {
        None
    }
}

/// What something is that is not what is wanted.
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
        "folder"
    } else if kind.is_file() {
        "regular file"
    } else {
        "special file"
    }
}

impl Refused {
    /// What an error says of this kind.
    pub(crate) fn of(error: &io::Error) -> Option<&Refused> {
        error.get_ref()?.downcast_ref()
    }

    /// What to do.
    pub(crate) fn help(&self) -> &'static str {
        match self.reason {
            Reason::Owner { .. } => {
                "compiled kernels are run: use a folder of this user's own, by CUMBIA_CACHE_DIR or CUMBIA_KERNELS, \
                 or set CUMBIA_CACHE=off"
            }
            Reason::Writable { .. } => {
                "compiled kernels are run: remove what others may have put there, and take their permission away with \
                 `chmod -R go-w`"
            }
            Reason::Kind { .. } | Reason::Size { .. } => "remove it",
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused { path, reason } = self;
        write!(f, "{} ", path.display())?;
        match reason {
            Reason::Owner { uid } => write!(f, "belongs to another user (uid {uid})"),
            Reason::Writable { mode } => write!(f, "can be written by other users (mode {mode:04o})"),
            Reason::Kind { is, wanted } => write!(f, "is a {is} and not a {wanted}"),
            Reason::Size { bytes } => write!(f, "has {bytes} bytes, more than any compiled kernel"),
        }
    }
}

impl std::error::Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, refused)
    }
}

#[cfg(all(test, unix))]
mod tests;
