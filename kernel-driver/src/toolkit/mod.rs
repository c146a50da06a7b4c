//! NVIDIA's software on this machine: where it is installed, and the compiler and the disassemblers among it.

mod architecture;
mod disassembler;
mod environment;
mod nvrtc;
mod searched;

pub use architecture::{Architecture, NotAnArchitecture, Suitability};
pub use disassembler::{NoDisassembler, disassemble, disassemblers};
pub use environment::{Environment, stamp_of, variable};
pub use nvrtc::{
    Image, Nvrtc, NvrtcArgument, NvrtcError, NvrtcFailure, SearchError, SourceText, UnsupportedArchitecture,
    UnsupportedReason,
};
pub use searched::{BadNvrtcReason, Joined, LibraryFailure, SearchOutcome, SearchPlace, Searched};

/// The version of NVRTC, which is that of its CUDA toolkit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The major number.
    pub major: u32,
    /// The minor number.
    pub minor: u32,
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
