//! The result of the legality analysis: how a program can be coarsened, or why not.

use std::fmt;

use crate::lower::Axis;

/// The property of a program that each CUDA block can execute several blocks of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coarsening {
    /// The axis along which adjacent blocks are merged.
    pub axis: Axis,
    /// The number of blocks per CUDA block that is expected to be the fastest; 1 if there is nothing to gain.
    pub factor: u32,
    /// The benefit.
    pub gain: Gain,
}

/// The benefit of coarsening a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// More bytes in flight, which saturate the memory.
    BytesInFlight,
    /// Fewer loads: those that all items of a thread have in common.
    CommonLoads,
}

/// The reason why a program cannot be coarsened, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The reason.
    pub kind: ObstacleKind,
    /// The function's name in the user's source.
    pub function: String,
    /// The source file, as `file!()` reports it.
    pub file: String,
    /// The line in that file.
    pub line: u32,
}

/// The reason why a program cannot be coarsened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObstacleKind {
    /// The kernel does not read the index of its block, so that all blocks do the same.
    NoBlockIndex,
    /// The block index is read in a device function.
    BlockIndexInFunction,
    /// The text contains a check that can fail, or a panic.
    Check,
    /// The text contains a check of an overflow that can fail.
    OverflowCheck,
    /// Threads communicate: a barrier, a warp operation, an atomic operation or a fence.
    Communication,
    /// Shared memory.
    SharedMemory,
    /// A message is printed.
    Print,
    /// A loop whose number of iterations is not fixed when it begins.
    Loop,
    /// A body in CUDA C.
    CudaC,
    /// A function in a linked file.
    Linked,
    /// A parameter of the kernel is assigned.
    MutableParameter,
}

impl fmt::Display for ObstacleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ObstacleKind::NoBlockIndex => "the kernel does not read the block index",
            ObstacleKind::BlockIndexInFunction => "a device function reads the block index",
            ObstacleKind::Check => "it contains a check that is not proved",
            ObstacleKind::OverflowCheck => "it contains an overflow check that is not proved",
            ObstacleKind::Communication => "its threads synchronise or communicate",
            ObstacleKind::SharedMemory => "it uses shared memory",
            ObstacleKind::Print => "it prints",
            ObstacleKind::Loop => "it contains a loop whose trip count is not fixed when it begins",
            ObstacleKind::CudaC => "it calls a device function with a body in CUDA C++",
            ObstacleKind::Linked => "it calls a device function in a linked file",
            ObstacleKind::MutableParameter => "it assigns to a parameter of the kernel",
        })
    }
}
