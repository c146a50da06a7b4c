//! The choice of thread coarsening for a launch: whether each CUDA thread executes several logical threads.
//!
//! More items per thread keep more bytes in flight, or load fewer, and leave fewer threads. The factor follows from the kernel
//! ([`cumbia_kernel_compiler::Coarsening`]); a launch uses it if the remaining threads still fill the device.

use crate::device::properties::Limits;
use crate::launch::config::ResolvedConfig;
use crate::layout::Layout;
use crate::options::Options;
use crate::specialise::{Coarsened, Specialised};
use cumbia_kernel_compiler::{Gain, Variant};

/// Returns the minimum number of CUDA threads, for a device with this many resident ones.
///
/// With fewer bytes in flight than in two waves, the tail of the last one costs more than is gained. A loop with common loads
/// is limited by its instructions, for which half of the resident threads suffice: on an H200, such launches were up to twice as
/// fast from a third to a half on.
const fn minimum_threads(gain: Gain, resident: u64) -> u64 {
    match gain {
        Gain::BytesInFlight => 2 * resident,
        Gain::CommonLoads => resident / 2,
    }
}

/// The smallest launch that is coarsened, in resident threads: that of four items with common loads.
const SMALLEST: u64 = 2;

/// Returns how the blocks of a launch are merged; `None` if each CUDA block executes one.
pub(super) fn select(
    specialised: &Specialised,
    (layout, variant): (Layout, Variant),
    config: &ResolvedConfig,
    limits: &Limits,
) -> Option<Coarsened> {
    let &ResolvedConfig { grid, block, cluster, shared_bytes, cooperative } = config;
    // Here the CUDA blocks matter to the user.
    if cluster.is_some() || shared_bytes > 0 || cooperative {
        return None;
    }
    let Options { coarsen, max_registers, launch_bounds, .. } = specialised.options;
    if coarsen.is_none() {
        // The user has tuned the number of resident threads.
        if max_registers.is_some() || launch_bounds.is_some_and(|(_, blocks)| blocks.is_some()) {
            return None;
        }
        // Before the analysis, which small launches do not need.
        let resident = (limits.multiprocessors * limits.threads_per_multiprocessor) as u64;
        let threads = grid.count().saturating_mul(block.count());
        if threads < SMALLEST * resident {
            return None;
        }
        let coarsened = specialised.coarsened(layout, variant)?;
        let factor = u64::from(coarsened.factor.get());
        let is_worthwhile = coarsened.is_worthwhile
            && coarsened.blocks(grid) as u64 >= factor
            && threads >= factor * minimum_threads(coarsened.gain, resident);
        return is_worthwhile.then_some(coarsened);
    }
    specialised.coarsened(layout, variant)
}
