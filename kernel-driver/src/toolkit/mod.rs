//! NVIDIA's software on this machine: where it is installed, and the compiler and the disassemblers among it.

mod architecture;
mod disassembler;
mod environment;
mod library;
mod nvjitlink;
mod nvrtc;
mod search;
mod searched;

pub use architecture::{Architecture, NotAnArchitecture, Suitability};
pub use disassembler::{NoDisassembler, disassemble, disassemblers};
pub use environment::{Environment, stamp_of, variable};
pub use nvjitlink::{LinkError, LinkFailure, LinkInput, LinkInputKind, NoNvJitLink, NvJitLink};
pub use nvrtc::{
    Image, Nvrtc, NvrtcArgument, NvrtcError, NvrtcFailure, SearchError, SourceText, UnsupportedArchitecture,
    UnsupportedReason,
};
pub use searched::{BadNvrtcReason, Joined, LibraryFailure, SearchOutcome, SearchPlace, Searched};
