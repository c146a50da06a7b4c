//! Launch configurations: grid, block, cluster and shared memory as requested, resolved, and checked against a device's limits.

use cumbia_kernel_compiler::Facts;

use crate::cpu;
use crate::device::Device;
use crate::dim::Dim3;
use crate::error::{BlockLimit, LaunchError, LaunchExtent, MissingConfig, NoClusters, Result};

/// A launch configuration as requested by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LaunchConfig {
    pub(crate) grid: Option<Dim3>,
    pub(crate) block: Option<Dim3>,
    pub(crate) over: Option<Dim3>,
    /// The cluster size, in blocks.
    pub(crate) cluster: Option<Dim3>,
    pub(crate) shared_bytes: usize,
    pub(crate) cooperative: bool,
}

/// A launch configuration in a compact form that is cheap to compare: each extent plus one, or 0 for an extent not requested.
///
/// The fast path compares it in each launch, and a launch costs 1.03 of the bare driver call: it has 40 bytes, and a
/// [`LaunchConfig`] more than three times as many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CompactConfig {
    grid: [u32; 3],
    block: [u32; 3],
    over: [u32; 3],
    shared_bytes: u32,
}

/// A launch configuration whose grid and block are determined and not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedConfig {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    /// The cluster size in blocks, if the launch uses clusters.
    pub(crate) cluster: Option<Dim3>,
    pub(crate) shared_bytes: usize,
    /// Whether all blocks have to be resident at once.
    pub(crate) cooperative: bool,
}

/// The requirements of a kernel on its launches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KernelRequirements {
    /// Size of its static shared arrays, in bytes.
    pub(crate) static_shared_bytes: u64,
    /// Whether it has a grid-wide barrier.
    pub(crate) cooperative: bool,
    /// The maximum number of threads of a block, from `launch_bounds`.
    pub(crate) max_threads: Option<u32>,
}

impl LaunchConfig {
    /// Returns the compact form; `None` for clusters, cooperative launches, and extents that exceed every GPU's limits.
    #[inline]
    pub(crate) fn compact(&self) -> Option<CompactConfig> {
        let &LaunchConfig { grid, block, over, cluster, shared_bytes, cooperative } = self;
        if cluster.is_some() || cooperative {
            return None;
        }
        let shared_bytes = u32::try_from(shared_bytes).ok()?;
        Some(CompactConfig { grid: plus_one(grid)?, block: plus_one(block)?, over: plus_one(over)?, shared_bytes })
    }

    /// Returns whether the launch covers no items, so that nothing runs.
    pub(crate) fn is_empty(&self) -> bool {
        self.over.is_some_and(Dim3::is_empty)
    }

    /// Determines grid and block. `fixed` is the block of `#[kernel(block = ..)]`, if given; `pick` picks a block for a number of
    /// items.
    pub(crate) fn resolve(
        &self,
        kernel: &'static str,
        fixed: Option<[u32; 3]>,
        pick: impl FnOnce(Dim3) -> Result<Dim3>,
    ) -> Result<ResolvedConfig> {
        let &LaunchConfig { grid, block, over, cluster, shared_bytes, cooperative } = self;
        let block = match (block.or(fixed.map(Dim3::from)), over) {
            (Some(block), _) => block,
            (None, Some(items)) => pick(items)?,
            (None, None) => {
                let missing = if grid.is_none() { MissingConfig::GridAndBlock } else { MissingConfig::Block };
                return Err(LaunchError::NotConfigured { kernel, missing }.into());
            }
        };
        let zero = |extent, requested| Err(LaunchError::ZeroDimension { kernel, extent, requested }.into());
        if block.is_empty() {
            return zero(LaunchExtent::Block, block);
        }
        if let Some(cluster) = cluster.filter(|cluster| cluster.is_empty()) {
            return zero(LaunchExtent::Cluster, cluster);
        }
        if let Some(grid) = grid.filter(|grid| grid.is_empty()) {
            return zero(LaunchExtent::Grid, grid);
        }
        if let Some(fixed) = fixed.map(Dim3::from).filter(|fixed| *fixed != block) {
            return Err(LaunchError::BlockFixed { kernel, requested: block, fixed }.into());
        }
        let covering = || over.map(|items| covering(items, block, cluster.unwrap_or(Dim3::ONE)));
        let grid = grid.or_else(covering).ok_or(LaunchError::NotConfigured { kernel, missing: MissingConfig::Grid })?;
        Ok(ResolvedConfig { grid, block, cluster, shared_bytes, cooperative })
    }
}

#[inline]
fn plus_one(extents: Option<Dim3>) -> Option<[u32; 3]> {
    let Some(Dim3 { x, y, z }) = extents else { return Some([0; 3]) };
    let fits = |extent: usize| u32::try_from(extent).ok()?.checked_add(1);
    Some([fits(x)?, fits(y)?, fits(z)?])
}

/// Returns the smallest grid of whole clusters that covers the items.
fn covering(items: Dim3, block: Dim3, cluster: Dim3) -> Dim3 {
    let blocks = |items: usize, block: usize, cluster: usize| {
        let blocks = items.div_ceil(block);
        // If the multiple overflows, the grid exceeds every device's limits in any case, and `check` reports that.
        blocks.checked_next_multiple_of(cluster).unwrap_or(blocks)
    };
    Dim3 {
        x: blocks(items.x, block.x, cluster.x),
        y: blocks(items.y, block.y, cluster.y),
        z: blocks(items.z, block.z, cluster.z),
    }
}

impl ResolvedConfig {
    /// Checks the configuration against the device's limits and the kernel's requirements. Residency on a GPU is checked
    /// elsewhere, since it depends on the loaded module.
    pub(crate) fn check(
        &self,
        kernel: &'static str,
        device: &Device,
        requirements: KernelRequirements,
    ) -> Result<(), LaunchError> {
        let &ResolvedConfig { grid, block, cluster, shared_bytes, cooperative } = self;
        let limits = device.limits();
        let threads = block.count();
        let bound = requirements.max_threads.map_or(u64::MAX, u64::from);
        if threads > bound.min(limits.threads_per_block as u64) {
            let of_kernel = threads > bound;
            let reason = if of_kernel { BlockLimit::LaunchBounds } else { BlockLimit::Device };
            let limit = if of_kernel { bound } else { limits.threads_per_block as u64 };
            let device = device.into();
            return Err(LaunchError::BlockTooLarge { kernel, requested: block, threads, limit, reason, device });
        }
        let too_large = |extent, requested, limit| {
            let device = device.into();
            Err(LaunchError::DimensionTooLarge { kernel, extent, requested, limit, device })
        };
        if !block.is_within(limits.block) {
            return too_large(LaunchExtent::Block, block, limits.block);
        }
        if !grid.is_within(limits.grid) {
            return too_large(LaunchExtent::Grid, grid, limits.grid);
        }
        let (fixed, dynamic) = (requirements.static_shared_bytes, shared_bytes as u64);
        let requested = fixed.saturating_add(dynamic);
        let limit = limits.shared_bytes_per_block_opt_in as u64;
        if requested > limit {
            let device = device.into();
            return Err(LaunchError::SharedMemoryTooLarge { kernel, requested, fixed, dynamic, limit, device });
        }
        if requirements.cooperative && !cooperative {
            return Err(LaunchError::NotCooperative { kernel });
        }
        cluster.map_or(Ok(()), |cluster| self.check_cluster(kernel, device, cluster))
    }

    /// Checks that the device supports clusters of this size, and that they divide the grid.
    fn check_cluster(&self, kernel: &'static str, device: &Device, cluster: Dim3) -> Result<(), LaunchError> {
        let limits = device.limits();
        if limits.blocks_per_cluster == 0 {
            let capability = limits.compute_capability.unwrap_or_default();
            let reason = if capability < (9, 0) {
                NoClusters::ComputeCapability(capability)
            } else {
                NoClusters::Driver { version: device.driver_version() }
            };
            return Err(LaunchError::NoClusters { kernel, device: device.into(), reason });
        }
        let (blocks, limit) = (cluster.count(), limits.blocks_per_cluster_opt_in as u64);
        if blocks > limit {
            let device = device.into();
            return Err(LaunchError::ClusterTooLarge { kernel, requested: cluster, blocks, limit, device });
        }
        let grid = self.grid;
        if !(grid.x.is_multiple_of(cluster.x) && grid.y.is_multiple_of(cluster.y) && grid.z.is_multiple_of(cluster.z)) {
            return Err(LaunchError::ClusterDoesNotDivide { kernel, cluster, grid });
        }
        Ok(())
    }

    /// Checks that 32-bit indices suffice. `max_index` is the largest index that the arguments allow.
    pub(crate) fn check_narrow_indices(&self, kernel: &'static str, max_index: usize) -> Result<(), LaunchError> {
        let &ResolvedConfig { grid, block, .. } = self;
        let threads = [(grid.x, block.x), (grid.y, block.y), (grid.z, block.z)].map(|(grid, block)| {
            // Extents within a device's limits are far below 2³², so the product cannot overflow; others fail another check.
            (grid as u64).saturating_mul(block as u64)
        });
        let requested = threads.into_iter().fold(max_index as u64, u64::max);
        if requested > u64::from(u32::MAX) {
            return Err(LaunchError::IndexTooLarge { kernel, requested });
        }
        Ok(())
    }

    /// Checks that a cooperative grid has at most `possible` blocks, the number that can be resident on the device at once.
    pub(crate) fn check_resident(
        &self,
        kernel: &'static str,
        device: &Device,
        possible: u64,
    ) -> Result<(), LaunchError> {
        let &ResolvedConfig { grid, block, .. } = self;
        let requested = grid.count();
        if self.cooperative && requested > possible {
            let device = device.into();
            return Err(LaunchError::GridNotResident { kernel, requested, block, possible, device });
        }
        Ok(())
    }

    /// Returns the configuration for the CPU executor.
    pub(crate) fn on_cpu(self, facts: &Facts) -> cpu::GridConfig {
        let ResolvedConfig { grid, block, cluster: _, shared_bytes, cooperative } = self;
        let &Facts { needs_other_threads: concurrent, stack_bytes, calls_host_code, .. } = facts;
        cpu::GridConfig { grid, block, shared_bytes, concurrent, cooperative, stack_bytes, calls_host_code }
    }
}

/// Returns the number of blocks of `block_threads` threads that can be resident on the CPU device at once, where each thread
/// occupies a stack.
pub(crate) fn resident_on_cpu(block_threads: u64) -> u64 {
    cpu::MAX_RESIDENT_THREADS as u64 / block_threads.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_picker::{self, Extents};
    use crate::error::{DeviceName, Error};

    /// Resolves a configuration, with blocks picked as for the CPU device.
    fn resolve(config: &LaunchConfig, fixed: Option<[u32; 3]>) -> Result<ResolvedConfig, LaunchError> {
        let limits = Extents::from(Device::cpu().limits());
        config
            .resolve("k", fixed, |items| Ok(block_picker::block_dims(block_picker::DEFAULT_THREADS, items, limits)))
            .map_err(|error| match error {
                Error::Launch(error) => error,
                other => panic!("{other}"),
            })
    }

    #[track_caller]
    #[allow(clippy::needless_pass_by_value, reason = "so that a case is one line")]
    fn check(config: LaunchConfig, expected: Result<(Dim3, Dim3), LaunchError>) {
        assert_eq!(resolve(&config, None).map(|resolved| (resolved.grid, resolved.block)), expected);
    }

    #[test]
    fn over_covers_the_items() {
        let over = |items: Dim3| LaunchConfig { over: Some(items), ..LaunchConfig::default() };
        check(over(1.into()), Ok((1.into(), 256.into())));
        check(over(257.into()), Ok((2.into(), 256.into())));
        check(over((33, 16).into()), Ok(((2, 2).into(), (32, 8).into())));
        check(over((9, 1, 5).into()), Ok((1.into(), (32, 1, 8).into())));
        check(LaunchConfig { block: Some(32.into()), ..over(33.into()) }, Ok((2.into(), 32.into())));
        let clusters = |items, cluster| LaunchConfig { cluster: Some(cluster), ..over(items) };
        check(clusters(257.into(), 4.into()), Ok((4.into(), 256.into())));
        check(clusters((33, 16).into(), (1, 4).into()), Ok(((2, 4).into(), (32, 8).into())));
        assert!(over(0.into()).is_empty() && over((5, 0).into()).is_empty());
        assert!(!over(1.into()).is_empty() && !LaunchConfig::default().is_empty());
    }

    #[test]
    fn a_kernel_can_fix_its_block() {
        let blocks = |config: LaunchConfig| resolve(&config, Some([64, 2, 1])).map(|resolved| resolved.block);
        let grid = LaunchConfig { grid: Some(3.into()), ..LaunchConfig::default() };
        assert_eq!(blocks(grid), Ok((64, 2).into()));
        assert_eq!(blocks(LaunchConfig { block: Some((64, 2).into()), ..grid }), Ok((64, 2).into()));
        assert_eq!(blocks(LaunchConfig { over: Some(1000.into()), ..LaunchConfig::default() }), Ok((64, 2).into()));
        let fixed = LaunchError::BlockFixed { kernel: "k", requested: 128.into(), fixed: (64, 2).into() };
        assert_eq!(blocks(LaunchConfig { block: Some(128.into()), ..grid }), Err(fixed));
    }

    #[test]
    fn clusters_divide_the_grid() {
        let check = |grid: Dim3, cluster: Dim3| {
            let config = LaunchConfig {
                grid: Some(grid),
                block: Some(1.into()),
                cluster: Some(cluster),
                ..LaunchConfig::default()
            };
            resolve(&config, None)?.check("k", &Device::cpu(), KernelRequirements::default())
        };
        assert_eq!(check(8.into(), 2.into()), Ok(()));
        assert_eq!(check((6, 4).into(), (3, 2).into()), Ok(()));
        assert_eq!(check(16.into(), 16.into()), Ok(()));
        let uneven = |grid, cluster| Err(LaunchError::ClusterDoesNotDivide { kernel: "k", cluster, grid });
        assert_eq!(check(9.into(), 2.into()), uneven(9.into(), 2.into()));
        assert_eq!(check((2, 3).into(), (2, 2).into()), uneven((2, 3).into(), (2, 2).into()));
        let large = check(17.into(), 17.into()).unwrap_err();
        assert!(matches!(large, LaunchError::ClusterTooLarge { blocks: 17, limit: 16, .. }), "{large}");
        let zero = LaunchError::ZeroDimension { kernel: "k", extent: LaunchExtent::Cluster, requested: (0, 1).into() };
        assert_eq!(check(1.into(), (0, 1).into()), Err(zero));
    }

    #[test]
    fn register_pressure_is_reported_with_a_remedy() {
        let rejected = |threads: usize, reason| {
            let (requested, device) = (threads.into(), DeviceName::Gpu { ordinal: 0, name: "GPU".into() });
            let threads = threads as u64;
            LaunchError::BlockTooLarge { kernel: "k", requested, threads, limit: 256, reason, device }.to_string()
        };
        let text = rejected(1024, BlockLimit::Registers { per_thread: 255, per_block: 65_536 });
        assert!(
            text.contains("this kernel needs 255 registers per thread, and the threads of a block share 65536"),
            "{text}"
        );
        assert!(text.contains("launch_bounds(1024)") && text.contains("max_registers = 64)"), "{text}");
        assert!(rejected(2000, BlockLimit::Device).contains("help: launch more blocks of at most 256 threads"));
    }

    #[test]
    fn resident_blocks_on_the_cpu_are_limited() {
        let config = |grid: usize, cooperative| ResolvedConfig {
            grid: grid.into(),
            block: 1024.into(),
            cluster: None,
            shared_bytes: 0,
            cooperative,
        };
        let check =
            |grid, cooperative| config(grid, cooperative).check_resident("k", &Device::cpu(), resident_on_cpu(1024));
        assert!(check(16, true).is_ok() && check(17, false).is_ok());
        let error = check(17, true).unwrap_err();
        assert!(matches!(error, LaunchError::GridNotResident { requested: 17, possible: 16, .. }), "{error}");
    }

    #[test]
    fn a_grid_wide_barrier_needs_a_cooperative_launch() {
        let requirements = KernelRequirements { cooperative: true, ..KernelRequirements::default() };
        let config =
            ResolvedConfig { grid: 1.into(), block: 1.into(), cluster: None, shared_bytes: 0, cooperative: false };
        let check = |config: ResolvedConfig| config.check("k", &Device::cpu(), requirements);
        assert_eq!(check(config), Err(LaunchError::NotCooperative { kernel: "k" }));
        assert_eq!(check(ResolvedConfig { cooperative: true, ..config }), Ok(()));
    }

    #[test]
    fn a_launch_needs_a_grid_and_a_block() {
        let zero = |extent, requested| Err(LaunchError::ZeroDimension { kernel: "k", extent, requested });
        let missing = |missing| Err(LaunchError::NotConfigured { kernel: "k", missing });
        let config = |grid: Option<Dim3>, block: Option<Dim3>| LaunchConfig { grid, block, ..LaunchConfig::default() };
        check(config(None, None), missing(MissingConfig::GridAndBlock));
        check(config(Some(1.into()), None), missing(MissingConfig::Block));
        check(config(None, Some(32.into())), missing(MissingConfig::Grid));
        check(config(Some(1.into()), Some((4, 0).into())), zero(LaunchExtent::Block, (4, 0).into()));
        check(config(Some(0.into()), Some(4.into())), zero(LaunchExtent::Grid, 0.into()));
    }
}
