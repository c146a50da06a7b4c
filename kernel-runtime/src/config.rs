//! How a kernel is to be run: grid, block and shared memory, checked before a device sees them.

use cumbia_kernel_ir::Facts;

use crate::cpu;
use crate::device::Device;
use crate::dim::Dim3;
use crate::error::{BlockLimit, LaunchError, NoClusters, Result};

/// What the user asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) grid: Option<Dim3>,
    pub(crate) block: Option<Dim3>,
    pub(crate) over: Option<Dim3>,
    /// Blocks of a cluster.
    pub(crate) cluster: Option<Dim3>,
    pub(crate) shared_bytes: usize,
    pub(crate) cooperative: bool,
}

/// What the user asked for, in few bytes: extents, each with one added, and 0 where nothing was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    grid: [u32; 3],
    block: [u32; 3],
    over: [u32; 3],
    shared_bytes: u32,
}

/// A grid of blocks, neither of them empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    /// Blocks of a cluster, where they are in clusters.
    pub(crate) cluster: Option<Dim3>,
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
    /// The most threads of a block, by its `launch_bounds`.
    pub(crate) most_threads: Option<u32>,
}

impl Config {
    /// The same in few bytes; `None` for clusters, cooperation, and numbers that no GPU takes.
    #[inline]
    pub(crate) fn asked(&self) -> Option<Asked> {
        let &Config { grid, block, over, cluster, shared_bytes, cooperative } = self;
        if cluster.is_some() || cooperative {
            return None;
        }
        let shared_bytes = u32::try_from(shared_bytes).ok()?;
        Some(Asked { grid: one_more(grid)?, block: one_more(block)?, over: one_more(over)?, shared_bytes })
    }

    /// Whether the launch is over no items, so that nothing runs.
    pub(crate) fn is_over_nothing(&self) -> bool {
        self.over.is_some_and(Dim3::is_empty)
    }

    /// The shape of the launch. `fixed` is the only block that the kernel is launched with, if there is such a one, and
    /// `pick` picks one for items.
    pub(crate) fn shape(
        &self,
        kernel: &'static str,
        fixed: Option<[u32; 3]>,
        pick: impl FnOnce(Dim3) -> Result<Dim3>,
    ) -> Result<Shape> {
        let &Config { grid, block, over, cluster, shared_bytes, cooperative } = self;
        let block = match (block.or(fixed.map(Dim3::from)), over) {
            (Some(block), _) => block,
            (None, Some(items)) => pick(items)?,
            (None, None) => {
                let missing = if grid.is_none() { "a grid and a block" } else { "a block" };
                return Err(LaunchError::NotConfigured { kernel, missing }.into());
            }
        };
        let zero = |what, requested| Err(LaunchError::ZeroDimension { kernel, what, requested }.into());
        if block.is_empty() {
            return zero("block", block);
        }
        if let Some(cluster) = cluster.filter(|cluster| cluster.is_empty()) {
            return zero("cluster", cluster);
        }
        if let Some(grid) = grid.filter(|grid| grid.is_empty()) {
            return zero("grid", grid);
        }
        if let Some(fixed) = fixed.map(Dim3::from).filter(|fixed| *fixed != block) {
            return Err(LaunchError::BlockFixed { kernel, requested: block, fixed }.into());
        }
        let covering = || over.map(|items| covering(items, block, cluster.unwrap_or(Dim3::ONE)));
        let grid = grid.or_else(covering).ok_or(LaunchError::NotConfigured { kernel, missing: "a grid" })?;
        Ok(Shape { grid, block, cluster, shared_bytes, cooperative })
    }
}

#[inline]
fn one_more(extents: Option<Dim3>) -> Option<[u32; 3]> {
    let Some(Dim3 { x, y, z }) = extents else { return Some([0; 3]) };
    let fits = |extent: usize| u32::try_from(extent).ok()?.checked_add(1);
    Some([fits(x)?, fits(y)?, fits(z)?])
}

/// The grid that covers the items with whole clusters of blocks.
fn covering(items: Dim3, block: Dim3, cluster: Dim3) -> Dim3 {
    let blocks = |items: usize, block: usize, cluster: usize| {
        let blocks = items.div_ceil(block);
        // Where that is beyond all numbers, the device will say that it is too much.
        blocks.checked_next_multiple_of(cluster).unwrap_or(blocks)
    };
    Dim3 {
        x: blocks(items.x, block.x, cluster.x),
        y: blocks(items.y, block.y, cluster.y),
        z: blocks(items.z, block.z, cluster.z),
    }
}

impl Shape {
    /// Refuses what the device cannot run. Which blocks of a GPU can be resident is for the GPU to say.
    pub(crate) fn check(&self, kernel: &'static str, device: &Device, needs: Needs) -> Result<(), LaunchError> {
        let &Shape { grid, block, cluster, shared_bytes, cooperative } = self;
        let limits = device.limits();
        let threads = block.count();
        let bound = needs.most_threads.map_or(u64::MAX, u64::from);
        if threads > bound.min(limits.threads_per_block as u64) {
            let of_kernel = threads > bound;
            let reason = if of_kernel { BlockLimit::LaunchBounds } else { BlockLimit::Device };
            let limit = if of_kernel { bound } else { limits.threads_per_block as u64 };
            let device = device.to_string();
            return Err(LaunchError::BlockTooLarge { kernel, requested: block, threads, limit, reason, device });
        }
        let too_long = |what, requested, limit| {
            let device = device.to_string();
            Err(LaunchError::DimensionTooLarge { kernel, what, requested, limit, device })
        };
        if !block.is_within(limits.block) {
            return too_long("block", block, limits.block);
        }
        if !grid.is_within(limits.grid) {
            return too_long("grid", grid, limits.grid);
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
        cluster.map_or(Ok(()), |cluster| self.check_cluster(kernel, device, cluster))
    }

    /// Refuses clusters that the device does not have, or that the grid does not consist of.
    fn check_cluster(&self, kernel: &'static str, device: &Device, cluster: Dim3) -> Result<(), LaunchError> {
        let limits = device.limits();
        if limits.blocks_per_cluster == 0 {
            let capability = limits.compute_capability.unwrap_or_default();
            let reason = if capability < (9, 0) {
                NoClusters::ComputeCapability(capability)
            } else {
                NoClusters::Driver { version: device.driver_version().unwrap_or_default() }
            };
            return Err(LaunchError::NoClusters { kernel, device: device.to_string(), reason });
        }
        let (blocks, limit) = (cluster.count(), limits.blocks_per_cluster_opt_in as u64);
        if blocks > limit {
            let device = device.to_string();
            return Err(LaunchError::ClusterTooLarge { kernel, requested: cluster, blocks, limit, device });
        }
        let grid = self.grid;
        if !(grid.x.is_multiple_of(cluster.x) && grid.y.is_multiple_of(cluster.y) && grid.z.is_multiple_of(cluster.z)) {
            return Err(LaunchError::ClusterDoesNotDivide { kernel, cluster, grid });
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
    pub(crate) fn on_cpu(self, facts: &Facts) -> cpu::GridConfig {
        let Shape { grid, block, cluster: _, shared_bytes, cooperative } = self;
        let &Facts { needs_other_threads: concurrent, stack_bytes, calls_host_code, .. } = facts;
        cpu::GridConfig { grid, block, shared_bytes, concurrent, cooperative, stack_bytes, calls_host_code }
    }
}

/// How many blocks of so many threads the CPU device can hold at once: each thread has a stack.
pub(crate) fn resident_on_cpu(block_threads: u64) -> u64 {
    cpu::MAX_RESIDENT_THREADS as u64 / block_threads.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::over;

    /// The shape with blocks as the CPU device picks them.
    fn shape(config: &Config, fixed: Option<[u32; 3]>) -> Result<Shape, LaunchError> {
        let limit = Device::cpu().limits().block;
        config.shape("k", fixed, |items| Ok(over::block(over::USUAL, items, limit))).map_err(|error| match error {
            Error::Launch(error) => error,
            other => panic!("{other}"),
        })
    }

    #[track_caller]
    #[allow(clippy::needless_pass_by_value, reason = "so that a case is one line")]
    fn check(config: Config, expected: Result<(Dim3, Dim3), LaunchError>) {
        assert_eq!(shape(&config, None).map(|shape| (shape.grid, shape.block)), expected);
    }

    #[test]
    fn over_covers_the_items() {
        let over = |items: Dim3| Config { over: Some(items), ..Config::default() };
        check(over(1.into()), Ok((1.into(), 256.into())));
        check(over(257.into()), Ok((2.into(), 256.into())));
        check(over((33, 16).into()), Ok(((2, 2).into(), (32, 8).into())));
        check(over((9, 1, 5).into()), Ok((1.into(), (32, 1, 8).into())));
        check(Config { block: Some(32.into()), ..over(33.into()) }, Ok((2.into(), 32.into())));
        let clusters = |items, cluster| Config { cluster: Some(cluster), ..over(items) };
        check(clusters(257.into(), 4.into()), Ok((4.into(), 256.into())));
        check(clusters((33, 16).into(), (1, 4).into()), Ok(((2, 4).into(), (32, 8).into())));
        assert!(over(0.into()).is_over_nothing() && over((5, 0).into()).is_over_nothing());
        assert!(!over(1.into()).is_over_nothing() && !Config::default().is_over_nothing());
    }

    #[test]
    fn a_kernel_can_fix_its_block() {
        let blocks = |config: Config| shape(&config, Some([64, 2, 1])).map(|shape| shape.block);
        let grid = Config { grid: Some(3.into()), ..Config::default() };
        assert_eq!(blocks(grid), Ok((64, 2).into()));
        assert_eq!(blocks(Config { block: Some((64, 2).into()), ..grid }), Ok((64, 2).into()));
        assert_eq!(blocks(Config { over: Some(1000.into()), ..Config::default() }), Ok((64, 2).into()));
        let fixed = LaunchError::BlockFixed { kernel: "k", requested: 128.into(), fixed: (64, 2).into() };
        assert_eq!(blocks(Config { block: Some(128.into()), ..grid }), Err(fixed));
    }

    #[test]
    fn clusters_divide_the_grid() {
        let check = |grid: Dim3, cluster: Dim3| {
            let config =
                Config { grid: Some(grid), block: Some(1.into()), cluster: Some(cluster), ..Config::default() };
            shape(&config, None)?.check("k", &Device::cpu(), Needs::default())
        };
        assert_eq!(check(8.into(), 2.into()), Ok(()));
        assert_eq!(check((6, 4).into(), (3, 2).into()), Ok(()));
        assert_eq!(check(16.into(), 16.into()), Ok(()));
        let uneven = |grid, cluster| Err(LaunchError::ClusterDoesNotDivide { kernel: "k", cluster, grid });
        assert_eq!(check(9.into(), 2.into()), uneven(9.into(), 2.into()));
        assert_eq!(check((2, 3).into(), (2, 2).into()), uneven((2, 3).into(), (2, 2).into()));
        let large = check(17.into(), 17.into()).unwrap_err();
        assert!(matches!(large, LaunchError::ClusterTooLarge { blocks: 17, limit: 16, .. }), "{large}");
        let nothing = LaunchError::ZeroDimension { kernel: "k", what: "cluster", requested: (0, 1).into() };
        assert_eq!(check(1.into(), (0, 1).into()), Err(nothing));
    }

    #[test]
    fn registers_are_named_with_what_to_do() {
        let refused = |threads: usize, reason| {
            let (requested, device) = (threads.into(), "cuda:0 (GPU)".to_owned());
            let threads = threads as u64;
            LaunchError::BlockTooLarge { kernel: "k", requested, threads, limit: 256, reason, device }.to_string()
        };
        let text = refused(1024, BlockLimit::Registers { per_thread: 255, per_block: 65_536 });
        assert!(text.contains("this kernel needs 255 registers per thread, and a block has 65536"), "{text}");
        assert!(text.contains("launch_bounds(1024)") && text.contains("max_registers = 64)"), "{text}");
        assert!(!refused(2000, BlockLimit::Device).contains("help"));
    }

    #[test]
    fn the_cpu_holds_only_so_many_blocks() {
        let shape = |grid: usize, cooperative| Shape {
            grid: grid.into(),
            block: 1024.into(),
            cluster: None,
            shared_bytes: 0,
            cooperative,
        };
        let check =
            |grid, cooperative| shape(grid, cooperative).check_resident("k", &Device::cpu(), resident_on_cpu(1024));
        assert!(check(16, true).is_ok() && check(17, false).is_ok());
        let error = check(17, true).unwrap_err();
        assert!(matches!(error, LaunchError::GridNotResident { requested: 17, possible: 16, .. }), "{error}");
    }

    #[test]
    fn a_barrier_of_the_grid_needs_a_cooperative_launch() {
        let needs = Needs { cooperative: true, ..Needs::default() };
        let shape = Shape { grid: 1.into(), block: 1.into(), cluster: None, shared_bytes: 0, cooperative: false };
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
