//! How a kernel is to be run: grid, block and shared memory, checked before a device sees them.

use crate::cpu;
use crate::device::Device;
use crate::dim::Dim3;
use crate::error::LaunchError;

/// What the user asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Config {
    pub(crate) grid: Option<Dim3>,
    pub(crate) block: Option<Dim3>,
    pub(crate) over: Option<Dim3>,
    pub(crate) shared_bytes: usize,
}

/// A grid of blocks, neither of them empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) shared_bytes: usize,
}

impl Config {
    /// The shape of the launch, or `None` for one over nothing.
    pub(crate) fn shape(&self, kernel: &'static str) -> Result<Option<Shape>, LaunchError> {
        let &Config { grid, block, over, shared_bytes } = self;
        if over.is_some_and(|items| items.count() == 0) {
            return Ok(None);
        }
        let missing = if grid.is_none() { "a grid and a block" } else { "a block" };
        let block = block.or(over.map(block_for)).ok_or(LaunchError::NotConfigured { kernel, missing })?;
        if block.count() == 0 {
            return Err(LaunchError::ZeroDimension { kernel, what: "block", requested: block });
        }
        let covering = over.map(|items| Dim3 {
            x: items.x.div_ceil(block.x),
            y: items.y.div_ceil(block.y),
            z: items.z.div_ceil(block.z),
        });
        let grid = grid.or(covering).ok_or(LaunchError::NotConfigured { kernel, missing: "a grid" })?;
        if grid.count() == 0 {
            return Err(LaunchError::ZeroDimension { kernel, what: "grid", requested: grid });
        }
        Ok(Some(Shape { grid, block, shared_bytes }))
    }
}

/// A block of 256 threads in the dimensions that the items have: enough warps to hide latency, few enough that several
/// blocks share a multiprocessor.
fn block_for(items: Dim3) -> Dim3 {
    match items {
        Dim3 { y: 1, z: 1, .. } => Dim3 { x: 256, y: 1, z: 1 },
        Dim3 { z: 1, .. } => Dim3 { x: 16, y: 16, z: 1 },
        _ => Dim3 { x: 8, y: 8, z: 4 },
    }
}

impl Shape {
    /// Refuses what the device cannot run. `fixed` is the bytes of the kernel's shared arrays.
    pub(crate) fn check(&self, kernel: &'static str, device: &Device, fixed: u64) -> Result<(), LaunchError> {
        let &Shape { grid, block, shared_bytes } = self;
        let limits = device.limits();
        let threads = block.count();
        if threads > limits.threads_per_block as u64 {
            let reason = "the device's limit for any kernel";
            let limit = limits.threads_per_block as u64;
            let device = device.to_string();
            return Err(LaunchError::BlockTooLarge { kernel, requested: block, threads, limit, reason, device });
        }
        for (what, requested, limit) in [("block", block, limits.block), ("grid", grid, limits.grid)] {
            if requested.x > limit.x || requested.y > limit.y || requested.z > limit.z {
                let device = device.to_string();
                return Err(LaunchError::DimensionTooLarge { kernel, what, requested, limit, device });
            }
        }
        let dynamic = shared_bytes as u64;
        let requested = fixed.saturating_add(dynamic);
        let limit = limits.shared_bytes_per_block_opt_in as u64;
        if requested > limit {
            let device = device.to_string();
            return Err(LaunchError::SharedMemoryTooLarge { kernel, requested, fixed, dynamic, limit, device });
        }
        Ok(())
    }

    /// The shape for the CPU device.
    pub(crate) fn on_cpu(self, side_by_side: bool) -> cpu::Shape {
        let Shape { grid, block, shared_bytes } = self;
        cpu::Shape { grid, block, shared_bytes, side_by_side }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    #[allow(clippy::needless_pass_by_value, reason = "so that a case is one line")]
    fn check(config: Config, expected: Result<Option<(Dim3, Dim3)>, LaunchError>) {
        assert_eq!(config.shape("k").map(|shape| shape.map(|shape| (shape.grid, shape.block))), expected);
    }

    #[test]
    fn over_covers_the_items() {
        let over = |items: Dim3| Config { over: Some(items), ..Config::default() };
        check(over(1.into()), Ok(Some((1.into(), 256.into()))));
        check(over(257.into()), Ok(Some((2.into(), 256.into()))));
        check(over((33, 16).into()), Ok(Some(((3, 1).into(), (16, 16).into()))));
        check(over((9, 1, 5).into()), Ok(Some(((2, 1, 2).into(), (8, 8, 4).into()))));
        check(over(0.into()), Ok(None));
        check(over((5, 0).into()), Ok(None));
        check(Config { block: Some(32.into()), ..over(33.into()) }, Ok(Some((2.into(), 32.into()))));
    }

    #[test]
    fn a_launch_needs_a_grid_and_a_block() {
        let zero = |what, requested| Err(LaunchError::ZeroDimension { kernel: "k", what, requested });
        let missing = |missing| Err(LaunchError::NotConfigured { kernel: "k", missing });
        let config = |grid: Option<Dim3>, block: Option<Dim3>| Config { grid, block, ..Config::default() };
        check(config(None, None), missing("a grid and a block"));
        check(config(Some(1.into()), None), missing("a block"));
        check(config(None, Some(32.into())), missing("a grid"));
        check(config(Some(1.into()), Some((4, 0).into())), zero("block", (4, 0).into()));
        check(config(Some((-1).into()), Some(4.into())), zero("grid", 0.into()));
    }
}
