//! Thread coarsening: each CUDA thread executes several *items*, the logical threads, which are those of the launch as the
//! user sees it.
//!
//! One element per thread does not saturate the memory: too few bytes are in flight on a multiprocessor (Little's law). A
//! thread that first loads the operands of `K` items and then computes and stores them has `K` times as many. The items are
//! block-strided: CUDA block `b` executes the logical blocks `b * K` to `b * K + K - 1`, so that each load instruction
//! still accesses contiguous memory across a warp. If the accesses of an item are simple, and the arrays of a launch are aligned,
//! they are consecutive instead, and their accesses [packed].
//!
//! ```text
//! const u32 first = blockIdx.x * 4;
//! if (first + 4 <= launch.blocks) {              the four blocks are in the logical grid
//!     const usize i = first * ..;                for each of the four items
//!     if (i < n && i_2 < n && ..) {              the guards of all items hold
//!         const float loaded = x[i];             the loads of all items
//!         y[i] = f(loaded);                      the rest of each item
//!         return;
//!     }
//! }
//! for (u32 item = 0; item < 4; ++item) {         otherwise: one item after another
//!     const u32 block = first + item;
//!     if (block < launch.blocks) { .. }
//! }
//! ```
//!
//! The extent of the logical grid is in a part of the launch parameter that is unused otherwise, so that all builds of a
//! kernel have the same parameters. [`legality`] decides which programs may be coarsened, [`split`] which loads of an
//! item can be issued first, [`jam`] which loops are executed once for all items, and [`packed`] which accesses are packed;
//! [`write`] assembles the kernel. The pass follows the removal of checks: a program that can fault is not coarsened, since a fault
//! ends the CUDA thread and reports its block.

mod grid_stride;
mod jam;
mod legality;
mod packed;
mod result;
mod split;
#[cfg(test)]
mod tests;
mod write;

use crate::lower::{Axis, Body, Module, StmtKind, Template};
use crate::source::Options;

use jam::Jam;
use packed::Packing;
use split::Item;
use write::Writer;

pub(crate) use grid_stride::program as grid_stride;
pub use result::{Coarsening, Gain, Obstacle, ObstacleKind};

/// The built-in value of a coarsened kernel that replaces `gridDim` along the coarsened axis: a member of the launch parameter.
pub(crate) const VIRTUAL_BLOCKS: &str = "launch.blocks";

/// The bytes that a thread should read and write. With 2048 resident threads, 64 KiB of a multiprocessor are in flight, at
/// least half of them loads: Little's law demands 24 to 48 KiB of an H200, where scalar code with four items per
/// thread was as fast as `float4` for one operand (8 bytes per item) and for two (12 bytes per item).
const BYTES_PER_THREAD: u64 = 32;

/// The maximum factor that is chosen automatically.
const MAX_FACTOR: u64 = 8;

/// The maximum number of statements of an item that is coarsened automatically. Each of them is printed once per item.
const MAX_STMTS: usize = 48;

/// The same, for an item with loops: the values that an item keeps during a loop take registers for all items at once.
const MAX_STMTS_OF_LOOPS: usize = 24;

/// The factor of an item with common loops. On an H200 it was the fastest of 2, 4 and 8 for products, convolutions and nearest
/// neighbours, and within 5 % of 8 for polynomials.
const FACTOR_OF_LOOPS: u32 = 4;

/// Returns why a program cannot be coarsened.
pub(crate) fn obstacle(module: &Module) -> Option<Obstacle> {
    legality::axis(module).err()
}

/// Determines how a kernel that takes the launch parameter can be coarsened, and coarsens it if the options demand it.
pub(crate) fn program(module: &mut Module, options: Options) -> Result<Coarsening, Obstacle> {
    let axis = legality::axis(module)?;
    let Body::Stmts(stmts) = &module.kernel.body else { unreachable!("the kernel is not written in CUDA C") };
    let block = names(axis).0;
    let (item, split) = split::item(module, stmts, block);
    let jam = Jam::of(&split, &item);
    let (best, gain) = factor(&item, jam.as_ref());
    let coarsening = Coarsening { axis, factor: best, gain };
    if let Some(factor) = options.coarsen {
        module.reads_blocks = true;
        let stmts = stmts.clone();
        let packing =
            if axis == Axis::X && factor.is_power_of_two() { Packing::of(module, &item, &stmts) } else { None };
        if packing.is_some() {
            module.templates.insert(Template::Array);
            module.helpers.extend(packed::HELPERS);
        }
        let mut writer = Writer { axis, factor: factor.get(), vars: item.vars.iter().map(split::copy).collect() };
        let body = writer.body(&item, (packing.as_ref(), jam.as_ref()), &stmts);
        module.kernel.vars = writer.vars;
        module.kernel.body = Body::Stmts(body);
    }
    Ok(coarsening)
}

/// Returns the factor that is expected to be the fastest, and why; 1 if there is nothing to gain.
fn factor(Item { levels, early, late, loaded, stored, vars: _ }: &Item, jam: Option<&Jam>) -> (u32, Gain) {
    let mut stmts = early.len() + levels.len();
    let mut has_loops = false;
    legality::each(late, &mut |stmt| {
        stmts += 1;
        has_loops |= matches!(stmt.kind, StmtKind::Loop { .. });
    });
    if has_loops {
        let is_worthwhile = stmts <= MAX_STMTS_OF_LOOPS && jam.is_some_and(Jam::is_worthwhile);
        return (if is_worthwhile { FACTOR_OF_LOOPS } else { 1 }, Gain::CommonLoads);
    }
    let bytes = loaded + stored;
    let is_worthwhile = *loaded > 0 && stmts <= MAX_STMTS;
    let factor = if is_worthwhile { BYTES_PER_THREAD.div_ceil(bytes).next_power_of_two().min(MAX_FACTOR) } else { 1 };
    (factor as u32, Gain::BytesInFlight)
}

/// Returns the names of the block index and of the extent of the grid along an axis.
fn names(axis: Axis) -> (&'static str, &'static str) {
    match axis {
        Axis::X => ("blockIdx.x", "gridDim.x"),
        Axis::Y => ("blockIdx.y", "gridDim.y"),
        Axis::Z => ("blockIdx.z", "gridDim.z"),
    }
}
