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
    pub(crate) cooperative: bool,
}

/// A grid of blocks, neither of them empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) shared_bytes: usize,
    /// All blocks are to be on the device at once.
    pub(crate) cooperative: bool,
}

/// What a kernel asks of a launch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Needs {
    /// Bytes of its shared arrays.
    pub(crate) static_shared_bytes: u64,
    /// It has a barrier for the whole grid.
    pub(crate) cooperative: bool,
    /// Its threads may wait for each other.
    pub(crate) other_threads: bool,
    /// The most threads of a block, by its `launch_bounds`.
    pub(crate) most_threads: Option<u32>,
}

impl Config {
    /// The shape of the launch, or `None` for one over nothing. `fixed` is the only block that the kernel is launched with,
    /// if there is such a one.
    pub(crate) fn shape(&self, kernel: &'static str, fixed: Option<[u32; 3]>) -> Result<Option<Shape>, LaunchError> {
        let &Config { grid, block: _, over, shared_bytes, cooperative } = self;
        if over.is_some_and(|items| items.count() == 0) {
            return Ok(None);
        }
        let missing = if grid.is_none() { "a grid and a block" } else { "a block" };
        let block = self.block(fixed).ok_or(LaunchError::NotConfigured { kernel, missing })?;
        if block.count() == 0 {
            return Err(LaunchError::ZeroDimension { kernel, what: "block", requested: block });
        }
        if let Some(fixed) = fixed.map(Dim3::from).filter(|fixed| *fixed != block) {
            return Err(LaunchError::BlockFixed { kernel, requested: block, fixed });
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
        Ok(Some(Shape { grid, block, shared_bytes, cooperative }))
    }

    /// The block that was asked for, or else that of the kernel, or one for the items.
    pub(crate) fn block(&self, fixed: Option<[u32; 3]>) -> Option<Dim3> {
        self.block.or(fixed.map(Dim3::from)).or(self.over.map(block_for))
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
    /// Refuses what the device cannot run. Which blocks of a GPU can be resident is for the GPU to say.
    pub(crate) fn check(&self, kernel: &'static str, device: &Device, needs: Needs) -> Result<(), LaunchError> {
        let &Shape { grid, block, shared_bytes, cooperative } = self;
        let limits = device.limits();
        let threads = block.count();
        let bounds = needs.most_threads.map(|most| (u64::from(most), "the kernel's `launch_bounds`"));
        for (limit, reason) in
            bounds.into_iter().chain([(limits.threads_per_block as u64, "the device's limit for any kernel")])
        {
            if threads > limit {
                let device = device.to_string();
                return Err(LaunchError::BlockTooLarge { kernel, requested: block, threads, limit, reason, device });
            }
        }
        for (what, requested, limit) in [("block", block, limits.block), ("grid", grid, limits.grid)] {
            if requested.x > limit.x || requested.y > limit.y || requested.z > limit.z {
                let device = device.to_string();
                return Err(LaunchError::DimensionTooLarge { kernel, what, requested, limit, device });
            }
        }
        let (fixed, dynamic) = (needs.static_shared_bytes, shared_bytes as u64);
        let requested = fixed.saturating_add(dynamic);
        let limit = limits.shared_bytes_per_block_opt_in as u64;
        if requested > limit {
            let device = device.to_string();
            return Err(LaunchError::SharedMemoryTooLarge { kernel, requested, fixed, dynamic, limit, device });
        }
        if needs.cooperative && !cooperative {
            return Err(LaunchError::NotCooperative { kernel });
        }
        Ok(())
    }

    /// Refuses what indices of 32 bits do not reach: `largest` is what the arguments come to.
    pub(crate) fn check_narrow_indices(&self, kernel: &'static str, largest: usize) -> Result<(), LaunchError> {
        let &Shape { grid, block, .. } = self;
        let threads = [(grid.x, block.x), (grid.y, block.y), (grid.z, block.z)].map(|(grid, block)| {
            // Dimensions of a device are far below the root of 2⁶⁴; others are refused elsewhere.
            (grid as u64).saturating_mul(block as u64)
        });
        let requested = threads.into_iter().fold(largest as u64, u64::max);
        if requested > u64::from(u32::MAX) {
            return Err(LaunchError::IndexTooLarge { kernel, requested });
        }
        Ok(())
    }

    /// Refuses a cooperative launch of more blocks than the `possible` ones that a device can hold at once.
    pub(crate) fn check_resident(
        &self,
        kernel: &'static str,
        device: &Device,
        possible: u64,
    ) -> Result<(), LaunchError> {
        let &Shape { grid, block, .. } = self;
        let requested = grid.count();
        if self.cooperative && requested > possible {
            let device = device.to_string();
            return Err(LaunchError::GridNotResident { kernel, requested, block, possible, device });
        }
        Ok(())
    }

    /// The shape for the CPU device.
    pub(crate) fn on_cpu(self, side_by_side: bool) -> cpu::Shape {
        let Shape { grid, block, shared_bytes, cooperative } = self;
        cpu::Shape { grid, block, shared_bytes, side_by_side, cooperative }
    }
}

/// How many blocks of so many threads the CPU device can hold at once: each thread has a stack.
pub(crate) fn resident_on_cpu(block_threads: u64) -> u64 {
    cpu::RESIDENT as u64 / block_threads.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    #[allow(clippy::needless_pass_by_value, reason = "so that a case is one line")]
    fn check(config: Config, expected: Result<Option<(Dim3, Dim3)>, LaunchError>) {
        assert_eq!(config.shape("k", None).map(|shape| shape.map(|shape| (shape.grid, shape.block))), expected);
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
    fn a_kernel_can_fix_its_block() {
        let blocks = |config: Config| config.shape("k", Some([64, 2, 1])).map(|shape| shape.map(|shape| shape.block));
        let grid = Config { grid: Some(3.into()), ..Config::default() };
        assert_eq!(blocks(grid), Ok(Some((64, 2).into())));
        assert_eq!(blocks(Config { block: Some((64, 2).into()), ..grid }), Ok(Some((64, 2).into())));
        assert_eq!(blocks(Config { over: Some(1000.into()), ..Config::default() }), Ok(Some((64, 2).into())));
        let fixed = LaunchError::BlockFixed { kernel: "k", requested: 128.into(), fixed: (64, 2).into() };
        assert_eq!(blocks(Config { block: Some(128.into()), ..grid }), Err(fixed));
    }

    #[test]
    fn the_cpu_holds_only_so_many_blocks() {
        let shape =
            |grid: usize, cooperative| Shape { grid: grid.into(), block: 1024.into(), shared_bytes: 0, cooperative };
        let check =
            |grid, cooperative| shape(grid, cooperative).check_resident("k", &Device::cpu(), resident_on_cpu(1024));
        assert!(check(16, true).is_ok() && check(17, false).is_ok());
        let error = check(17, true).unwrap_err();
        assert!(matches!(error, LaunchError::GridNotResident { requested: 17, possible: 16, .. }), "{error}");
    }

    #[test]
    fn a_barrier_of_the_grid_needs_a_cooperative_launch() {
        let needs = Needs { cooperative: true, ..Needs::default() };
        let shape = Shape { grid: 1.into(), block: 1.into(), shared_bytes: 0, cooperative: false };
        let check = |shape: Shape| shape.check("k", &Device::cpu(), needs);
        assert_eq!(check(shape), Err(LaunchError::NotCooperative { kernel: "k" }));
        assert_eq!(check(Shape { cooperative: true, ..shape }), Ok(()));
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
