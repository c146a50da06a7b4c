//! A validated launch, ready to be enqueued: the resolved configuration, checked against the device, and the machine code.
//!
//! Every validation happens here, so that a [`CheckedLaunch`] can be enqueued any number of times with the same arguments.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::coarsening;
use crate::argument::ArgumentFacts;
use crate::block_picker::{self, Extents};
use crate::compile::build::Build;
use crate::compile::variants::{Candidates, LaunchShape};
use crate::cpu;
use crate::cuda::{self, DriverLaunch, Geometry, LaunchParameter, Module};
use crate::device::gpu::Gpu;
use crate::device::properties::Limits;
use crate::device::{Backend, Device};
use crate::dim::Dim3;
use crate::error::{BlockLimit, Error, LaunchError, Result};
use crate::kernel::ErasedKernel;
use crate::launch::config::{KernelRequirements, LaunchConfig, ResolvedConfig, resident_on_cpu};
use crate::layout::Layout;
use crate::specialise::{Coarsened, Specialised};
use crate::sync::assert_unlocked;
use cumbia_kernel_compiler::Variant;
use cumbia_kernel_sync::event;

/// A validated launch. Its arguments are bound separately, at each launch.
#[derive(Clone, Copy)]
pub(crate) struct CheckedLaunch {
    pub(crate) specialised: &'static Specialised,
    pub(crate) layout: Layout,
    /// The build of a launch that is not coarsened: [`Build::CHECKED`] on the CPU device, which checks every index.
    pub(crate) build: Build,
    /// The blocks of the launch that a CUDA block executes, if there are several.
    pub(crate) coarsened: Option<Coarsened>,
    /// The launch as the user sees it.
    pub(crate) config: ResolvedConfig,
    /// The loaded module; `None` on the CPU device.
    pub(crate) module: Option<&'static Module>,
}

/// The purpose of a validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Launch,
    /// The occupancy of a block of the launch, whatever the grid is.
    Occupancy,
}

/// Returns whether a `tracing` subscriber is interested in launches. Without a subscriber this is a load and a comparison.
#[inline]
pub(crate) fn is_traced() -> bool {
    // This may call the subscriber.
    assert_unlocked();
    tracing::enabled!(target: "cumbia::launch", tracing::Level::TRACE)
}

impl CheckedLaunch {
    /// Emits a `tracing` event for a launch.
    #[inline]
    pub(crate) fn trace(&self, device: &Device) {
        if is_traced() {
            self.emit_trace(device);
        }
    }

    #[cold]
    fn emit_trace(&self, device: &Device) {
        let ResolvedConfig { grid, block, shared_bytes, cooperative, .. } = self.config;
        let (kernel, variant, device) = (self.specialised.instance, self.build, device.clone());
        let coarsened = self.coarsened.map_or(1, |coarsened| coarsened.factor.get());
        event!(
            trace, target: "cumbia::launch",
            kernel, %variant, coarsened, %device, %grid, %block, shared_bytes, cooperative, "launch"
        );
    }

    /// Emits a warning event, once for each kernel, if a launch leaves more than half of the multiprocessors of a GPU without a
    /// block.
    pub(crate) fn report_idle_multiprocessors(&self, device: &Device, multiprocessors: usize) {
        let blocks: u64 = self.geometry().grid.into_iter().map(u64::from).product();
        if blocks.saturating_mul(2) >= multiprocessors as u64 {
            return;
        }
        // This may call the subscriber.
        assert_unlocked();
        if !tracing::enabled!(target: "cumbia::launch", tracing::Level::WARN)
            || self.specialised.small_grid_reported.swap(true, Ordering::Relaxed)
        {
            return;
        }
        let (kernel, device) = (self.specialised.instance, device.clone());
        event!(
            warn, target: "cumbia::launch",
            kernel, %device, blocks, multiprocessors, "the grid fills less than half of the multiprocessors"
        );
    }

    /// Validates a launch. Returns `None` if it covers no items.
    pub(crate) fn new(
        kernel: ErasedKernel,
        config: &LaunchConfig,
        device: &Device,
        arguments: ArgumentFacts<'_>,
    ) -> Result<Option<CheckedLaunch>> {
        if config.is_empty() {
            return Ok(None);
        }
        CheckedLaunch::validated(kernel.specialised()?, config, device, arguments, Purpose::Launch).map(Some)
    }

    /// Validates a launch that covers at least one item, as [`CheckedLaunch::new`] does, except that the grid may be
    /// omitted: it is replaced by a single block or cluster, after it has selected the variant.
    pub(super) fn for_occupancy(
        kernel: ErasedKernel,
        config: &LaunchConfig,
        device: &Device,
        arguments: ArgumentFacts<'_>,
    ) -> Result<CheckedLaunch> {
        CheckedLaunch::validated(kernel.specialised()?, config, device, arguments, Purpose::Occupancy)
    }

    fn validated(
        specialised: &'static Specialised,
        config: &LaunchConfig,
        device: &Device,
        arguments: ArgumentFacts<'_>,
        purpose: Purpose,
    ) -> Result<CheckedLaunch> {
        let (kernel, layout, params) = (specialised.info.name, arguments.layout, arguments.params);
        if purpose == Purpose::Launch {
            specialised.require_provable(layout)?;
            specialised.require_coarsenable(layout)?;
        }
        let max_index = arguments.max_index;
        let (build, coarsened, config) = match device.backend() {
            Backend::Cpu(_) => {
                let config = resolve(config, specialised, |items| Ok(cpu_block(specialised, device, items)))?;
                (Build::CHECKED, None, config)
            }
            Backend::Cuda(context) => select(config, specialised, context, arguments)?,
        };
        let config = match purpose {
            Purpose::Launch => config,
            Purpose::Occupancy => ResolvedConfig { grid: config.cluster.unwrap_or(Dim3::ONE), ..config },
        };
        config.check(kernel, device, requirements(specialised))?;
        if purpose == Purpose::Launch && specialised.options.index32 {
            config.check_narrow_indices(kernel, max_index)?;
        }
        if purpose == Purpose::Launch {
            // SAFETY: the binder points at the arguments, which the launch borrows, in the order of the kernel's
            // parameters: `K::visit` visits those of the IR.
            unsafe { specialised.require_proof(layout, params.as_ptr(), &(&config).into()) }?;
        }
        let checked = CheckedLaunch { specialised, layout, build, coarsened, config, module: None };
        match device.backend() {
            Backend::Cpu(_) => {
                let (requested, limit) = (specialised.facts.stack_bytes, cpu::MAX_STACK_BYTES);
                if requested > limit {
                    let device = device.into();
                    return Err(LaunchError::StackTooLarge { kernel, requested, limit, device }.into());
                }
                // The CPU device runs blocks one after another if their threads do not wait for each other.
                if purpose == Purpose::Launch && specialised.facts.needs_other_threads {
                    checked.check_resident(device)?;
                }
                Ok(checked)
            }
            Backend::Cuda(context) => checked.with_resources(device, context, purpose),
        }
    }

    /// Adds the module, and checks the launch against the resources that the machine code needs.
    ///
    /// The variants differ in that. A launch is valid if the checked variant can run it, as without variants. It is
    /// also valid if a preferred variant could but for its predicate: a launch out of bounds must report the index, not
    /// the registers. It then runs the checked variant with as few registers as the preferred one needs.
    fn with_resources(self, device: &Device, context: &Arc<Gpu>, purpose: Purpose) -> Result<CheckedLaunch> {
        let with = |build| self.with_build(build, device, context, purpose);
        if let (Some(_), Build::Of(variant)) = (self.coarsened, self.build) {
            return match with(Build::Coarsened(variant)) {
                // Several items need more registers than one.
                Err(Error::Launch(_)) => {
                    CheckedLaunch { coarsened: None, ..self }.with_resources(device, context, purpose)
                }
                result => result,
            };
        }
        let result = with(self.build);
        let Err(Error::Launch(_)) = result else { return result };
        let checked = CheckedLaunch { build: Build::CHECKED, ..self };
        let with_checked = |build| checked.with_build(build, device, context, purpose);
        if self.build != Build::CHECKED {
            match with_checked(Build::CHECKED) {
                Err(Error::Launch(_)) => {}
                checked => return checked,
            }
        }
        let preferred = self.specialised.candidates(self.layout).preferred();
        if preferred == Variant::Checked || with(Build::Of(preferred)).is_err() {
            return result;
        }
        match with_checked(Build::Limited) {
            // The compiler cannot satisfy every limit.
            Err(Error::Launch(_)) => result,
            limited => limited,
        }
    }

    /// Adds the module of a build, and checks the launch against its resources.
    fn with_build(self, build: Build, device: &Device, context: &Arc<Gpu>, purpose: Purpose) -> Result<CheckedLaunch> {
        let module = self.specialised.module(context, self.layout, build)?;
        let checked = CheckedLaunch { module: Some(module), ..self };
        checked.check_module(self.specialised.info.name, device, context, module)?;
        if purpose == Purpose::Launch {
            checked.check_resident(device)?;
        }
        Ok(checked)
    }

    /// Checks that all blocks of a cooperative launch can be resident at once.
    fn check_resident(&self, device: &Device) -> Result<()> {
        if self.config.cooperative {
            let possible = self.resident_blocks()?;
            self.config.check_resident(self.specialised.info.name, device, possible)?;
        }
        Ok(())
    }

    /// Returns the variants that the launch could choose besides the checked one; `None` on the CPU device.
    pub(super) fn candidates(&self) -> Option<&'static Candidates> {
        let candidates = self.specialised.candidates(self.layout);
        (self.module.is_some() && candidates.iter().next().is_some()).then_some(candidates)
    }

    /// Returns the number of blocks that can be resident on the device at once, whatever variant a launch chooses.
    pub(super) fn least_resident_blocks(&self, device: &Device) -> Result<u64> {
        let mut least = self.resident_blocks()?;
        let (Backend::Cuda(context), Some(candidates)) = (device.backend(), self.candidates()) else {
            return Ok(least);
        };
        for build in candidates.builds().filter(|build| *build != self.build) {
            // A block that is too large for a variant does not run it.
            if let Ok(checked) = self.with_build(build, device, context, Purpose::Occupancy) {
                least = least.min(checked.resident_blocks()?);
            }
        }
        Ok(least)
    }

    /// Checks the block and the cluster against the limits of the loaded machine code.
    fn check_module(&self, kernel: &'static str, device: &Device, gpu: &Gpu, module: &Module) -> Result<()> {
        let attributes = module.attributes();
        let (requested, threads) = (self.config.block, self.config.block.count());
        let limit = attributes.threads_per_block as u64;
        if threads > limit {
            let per_block = gpu.limits().registers_per_block;
            let registers = attributes.registers as u64 * threads.next_multiple_of(32);
            let reason = if registers > per_block as u64 {
                BlockLimit::Registers { per_thread: attributes.registers, per_block }
            } else {
                BlockLimit::Code
            };
            let device = device.into();
            return Err(LaunchError::BlockTooLarge { kernel, requested, threads, limit, reason, device }.into());
        }
        // A cluster of portable size needs no driver call.
        if let Some(cluster) = self.config.cluster
            && cluster.count() > gpu.limits().blocks_per_cluster as u64
        {
            let limit = module.largest_cluster(&self.geometry())?;
            if cluster.count() > limit {
                let (blocks, device) = (cluster.count(), device.into());
                return Err(LaunchError::ClusterTooLarge { kernel, requested: cluster, blocks, limit, device }.into());
            }
        }
        Ok(())
    }

    /// Returns the number of blocks of this launch that can be resident on the device at once.
    pub(crate) fn resident_blocks(&self) -> Result<u64> {
        match self.module {
            None => Ok(resident_on_cpu(self.config.block.count())),
            Some(module) => Ok(module.resident_blocks(&self.geometry())?),
        }
    }

    /// Returns the number of blocks of this launch that can be resident on one multiprocessor.
    pub(crate) fn active_blocks(&self) -> Result<u32> {
        match self.module {
            None => Ok(1),
            Some(module) => {
                let ResolvedConfig { block, shared_bytes, .. } = self.config;
                Ok(module.active_blocks(block.count() as u32, shared_bytes as u32)?)
            }
        }
    }

    /// Returns the launch with everything but its parameters filled in. Returns `None` if it needs more than one driver
    /// call, or is for the CPU device.
    pub(crate) fn driver_launch(&self) -> Option<DriverLaunch> {
        let &CheckedLaunch { specialised, layout, module, .. } = self;
        let module = module?;
        if specialised.interface(layout).prints || specialised.facts.syncs_grid {
            return None;
        }
        DriverLaunch::new(module, &self.geometry(), self.parameter(module.context().default_stream(), 0, 0))
    }

    /// Returns the hidden last parameter for a launch on `stream`, if the kernel takes it, with the addresses of a print buffer
    /// and of a grid barrier, which are 0 for a kernel without them.
    pub(crate) fn parameter(&self, stream: &cuda::Stream, print: u64, grid_barrier: u64) -> Option<LaunchParameter> {
        let &CheckedLaunch { specialised, layout, .. } = self;
        let takes_launch = specialised.interface(layout).takes_launch;
        let blocks = self.coarsened.map_or(0, |coarsened| coarsened.blocks(self.config.grid) as u32);
        let (fault, kernel) = (stream.fault_pointer(), specialised.number);
        takes_launch.then_some(LaunchParameter { fault, print, grid_barrier, kernel, blocks })
    }

    /// Returns the launch configuration of the CUDA blocks in the driver's types. Validation has bounded every extent
    /// by the GPU's limits, which are below 2³².
    pub(crate) fn geometry(&self) -> Geometry {
        let ResolvedConfig { grid, block, cluster, shared_bytes, cooperative } = self.config;
        let extents = |dim: Dim3| [dim.x as u32, dim.y as u32, dim.z as u32];
        let grid = self.coarsened.map_or(grid, |coarsened| coarsened.hardware_grid(grid));
        Geometry {
            grid: extents(grid),
            block: extents(block),
            cluster: cluster.map(extents),
            shared_bytes: shared_bytes as u32,
            cooperative,
        }
    }
}

/// Resolves a configuration for a kernel. `pick` picks a block for a number of items.
fn resolve(
    config: &LaunchConfig,
    specialised: &Specialised,
    pick: impl FnOnce(Dim3) -> Result<Dim3>,
) -> Result<ResolvedConfig> {
    config.resolve(specialised.info.name, specialised.options.block, pick)
}

impl From<&ResolvedConfig> for LaunchShape {
    fn from(&ResolvedConfig { grid, block, cluster: _, shared_bytes, cooperative: _ }: &ResolvedConfig) -> Self {
        let extents = |Dim3 { x, y, z }| [x, y, z].map(|extent| extent as u64);
        LaunchShape::new(extents(grid), extents(block), shared_bytes as u64)
    }
}

/// Selects the variant of a launch on a GPU, and whether it is coarsened, and resolves its configuration.
///
/// The block of `.over(..)` depends on the registers of the variant, and the variant, by its predicate, on the block. A
/// variant is therefore tried with the default block if it is not loaded. If its predicate holds, it is loaded and
/// picks the block, and the predicate has to hold for that as well. The first launch so compiles a single variant,
/// unless the blocks differ.
///
/// A launch of a kernel with `prove` does not run the checked variant if the predicate does not hold: it is rejected.
/// So that the same launches are rejected whatever is loaded, the final block decides.
fn select(
    config: &LaunchConfig,
    specialised: &'static Specialised,
    context: &Arc<Gpu>,
    ArgumentFacts { layout, params, max_index: _ }: ArgumentFacts<'_>,
) -> Result<(Build, Option<Coarsened>, ResolvedConfig)> {
    let mut is_picked = false;
    let default = resolve(config, specialised, |items| {
        is_picked = true;
        Ok(default_block(specialised, context, items))
    })?;
    let with_block_of =
        |build| resolve(config, specialised, |items| pick_block(config, context, specialised, (layout, build), items));
    // By the default block: the number of threads is nearly the same for any block.
    let coarsened = |variant| coarsening::select(specialised, (layout, variant), &default, context.limits());
    let build_of = |variant, coarsened: Option<Coarsened>| match coarsened {
        Some(_) => Build::Coarsened(variant),
        None => Build::Of(variant),
    };
    let (mut rejected, mut tried) = (None, default);
    for candidate in specialised.candidates(layout).iter() {
        // SAFETY: the binder points at the arguments, which the launch borrows, in the order of the kernel's
        // parameters: `K::visit` visits those of the IR.
        let is_valid = |config: &ResolvedConfig| unsafe { candidate.is_valid(params.as_ptr(), &config.into()) };
        let coarsened = coarsened(candidate.variant);
        let build = build_of(candidate.variant, coarsened);
        // The condition of the narrow variant is also one on the magnitude of the numbers.
        let must_hold = specialised.options.prove && candidate.variant != Variant::Narrow;
        let is_loaded = || specialised.loaded_before(context, layout, build).is_some();
        if is_picked && !must_hold && !is_loaded() && !is_valid(&tried) {
            continue;
        }
        let config = if is_picked { with_block_of(build)? } else { default };
        if is_valid(&config) {
            return Ok((candidate.build, coarsened, config));
        }
        if must_hold {
            rejected = Some(config);
        }
        // An index that is out of bounds in a variant probably is in the next, so that loading it would be wasted work.
        tried = config;
    }
    if let Some(config) = rejected {
        return Ok((Build::CHECKED, None, config));
    }
    // SAFETY: as above.
    let selected = unsafe { specialised.select_or_compile(context, layout, params.as_ptr(), &(&tried).into()) }?;
    if let Build::Partial(_) = selected {
        let config = if is_picked { with_block_of(selected)? } else { default };
        // SAFETY: as above.
        let selected_again = unsafe { specialised.candidates(layout).select(params.as_ptr(), &(&config).into()) };
        if selected_again == Some(selected) {
            return Ok((selected, None, config));
        }
    }
    let coarsened = coarsened(Variant::Checked);
    let config = if is_picked { with_block_of(build_of(Variant::Checked, coarsened))? } else { default };
    Ok((Build::CHECKED, coarsened, config))
}

/// Picks a block for a launch over `items` on the CPU device.
fn cpu_block(specialised: &Specialised, device: &Device, items: Dim3) -> Dim3 {
    block_picker::block_dims(default_threads(specialised), items, extents(specialised, device.limits()))
}

/// Picks a block for a launch over `items` on a GPU, for machine code whose occupancy is unknown.
fn default_block(specialised: &Specialised, context: &Gpu, items: Dim3) -> Dim3 {
    block_for(default_threads(specialised), specialised, context, items)
}

fn default_threads(specialised: &Specialised) -> u32 {
    let bound = specialised.options.max_threads();
    block_picker::default_threads(bound.unwrap_or(block_picker::DEFAULT_THREADS))
}

/// Picks a block for a launch over `items` on a GPU.
fn pick_block(
    config: &LaunchConfig,
    context: &Arc<Gpu>,
    specialised: &'static Specialised,
    (layout, build): (Layout, Build),
    items: Dim3,
) -> Result<Dim3> {
    let loaded = specialised.loaded(context, layout, build)?;
    let limits = context.limits();
    let room = (limits.shared_bytes_per_block_opt_in as u64).saturating_sub(specialised.facts.static_shared_bytes);
    if config.shared_bytes as u64 > room {
        // Validation rejects the launch, whatever the block is.
        return Ok(block_picker::block_dims(
            block_picker::default_threads(block_picker::DEFAULT_THREADS),
            items,
            extents(specialised, limits),
        ));
    }
    let is_coarsened = matches!(build, Build::Coarsened(_));
    let bound = specialised.options.max_threads();
    let threads = loaded.max_occupancy_block(bound, is_coarsened, config.shared_bytes as u32)?;
    Ok(block_for(threads, specialised, context, items))
}

/// Returns the dimensions of a block of at most `threads` threads for a launch over `items`.
fn block_for(mut threads: u32, specialised: &Specialised, context: &Gpu, items: Dim3) -> Dim3 {
    let limits = context.limits();
    // If the threads of a block cooperate, a smaller block changes how the work is divided.
    if !specialised.facts.needs_other_threads {
        threads = block_picker::spread(threads, items.count(), limits.multiprocessors);
    }
    block_picker::block_dims(threads, items, extents(specialised, limits))
}

/// Returns the maximum extents of a kernel's blocks and grids on a device.
fn extents(specialised: &Specialised, limits: &Limits) -> Extents {
    let limits = Extents::from(limits);
    let threads = specialised.options.max_threads().map_or(limits.threads, |bound| limits.threads.min(bound as usize));
    Extents { threads, ..limits }
}

/// Returns the kernel's requirements on every launch.
fn requirements(specialised: &Specialised) -> KernelRequirements {
    KernelRequirements {
        static_shared_bytes: specialised.facts.static_shared_bytes,
        cooperative: specialised.facts.syncs_grid,
        max_threads: specialised.options.launch_bounds.map(|(threads, _)| threads),
    }
}
