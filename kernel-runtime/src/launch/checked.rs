//! A validated launch, ready to be enqueued: the resolved configuration, checked against the device, and the machine code.
//!
//! Every validation happens here, so that a [`CheckedLaunch`] can be enqueued any number of times with the same arguments.

use crate::argument::ArgumentFacts;
use crate::block_picker;
use crate::config::{KernelRequirements, LaunchConfig, ResolvedConfig, resident_on_cpu};
use crate::cpu;
use crate::cuda::{self, DriverLaunch, Geometry, LaunchParameter, Module};
use crate::device::{Backend, Device};
use crate::dim::Dim3;
use crate::error::{BlockLimit, LaunchError, Result};
use crate::gpu::Gpu;
use crate::inspect::Kernel;
use crate::specialise::{self, Layout, Specialised};
use crate::sync::assert_unlocked;
use cumbia_kernel_sync::event;

/// A validated launch. Its arguments are bound separately, at each launch.
#[derive(Clone, Copy)]
pub(crate) struct CheckedLaunch {
    pub(crate) specialised: &'static Specialised,
    pub(crate) layout: Layout,
    pub(crate) config: ResolvedConfig,
    /// The loaded module; `None` on the CPU device.
    pub(crate) module: Option<&'static Module>,
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
        let (kernel, device) = (self.specialised.instance, device.clone());
        event!(
            trace, target: "cumbia::launch", kernel, %device, %grid, %block, shared_bytes, cooperative, "launch"
        );
    }

    /// Validates a launch of `K`. Returns `None` if it covers no items.
    pub(crate) fn new<K: Kernel>(
        config: &LaunchConfig,
        device: &Device,
        arguments: ArgumentFacts,
    ) -> Result<Option<CheckedLaunch>> {
        if config.is_empty() {
            return Ok(None);
        }
        let checked = CheckedLaunch::without_residency_check::<K>(config, device, arguments)?;
        if K::OPTIONS.index32 {
            checked.config.check_narrow_indices(K::INFO.name, arguments.max_index)?;
        }
        // The CPU device runs blocks one after another if their threads do not wait for each other.
        let side_by_side = checked.module.is_some() || checked.specialised.facts.needs_other_threads;
        if checked.config.cooperative && side_by_side {
            checked.config.check_resident(K::INFO.name, device, checked.resident_blocks()?)?;
        }
        Ok(Some(checked))
    }

    /// Validates a launch that covers at least one item, as [`CheckedLaunch::new`] does, except that a cooperative grid may
    /// have more blocks than can be resident at once.
    pub(super) fn without_residency_check<K: Kernel>(
        config: &LaunchConfig,
        device: &Device,
        ArgumentFacts { layout, max_index: _ }: ArgumentFacts,
    ) -> Result<CheckedLaunch> {
        let kernel = K::INFO.name;
        let specialised = specialise::of::<K>()?;
        let pick = |items| pick_block::<K>(config, device, specialised, layout, items);
        let config = config.resolve(kernel, K::OPTIONS.block, pick)?;
        config.check(kernel, device, requirements::<K>(specialised))?;
        match device.backend() {
            Backend::Cpu(_) => {
                let (requested, limit) = (specialised.facts.stack_bytes, cpu::MAX_STACK_BYTES);
                if requested > limit {
                    let device = device.to_string();
                    return Err(LaunchError::StackTooLarge { kernel, requested, limit, device }.into());
                }
                Ok(CheckedLaunch { specialised, layout, config, module: None })
            }
            Backend::Cuda(context) => {
                let module = specialised.module(context, layout)?;
                let checked = CheckedLaunch { specialised, layout, config, module: Some(module) };
                checked.check_module(kernel, device, context, module)?;
                Ok(checked)
            }
        }
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
            let device = device.to_string();
            return Err(LaunchError::BlockTooLarge { kernel, requested, threads, limit, reason, device }.into());
        }
        // A cluster of portable size needs no driver call.
        if let Some(cluster) = self.config.cluster
            && cluster.count() > gpu.limits().blocks_per_cluster as u64
        {
            let limit = module.largest_cluster(&self.geometry())?;
            if cluster.count() > limit {
                let (blocks, device) = (cluster.count(), device.to_string());
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
    pub(crate) fn ready(&self) -> Option<DriverLaunch> {
        let &CheckedLaunch { specialised, layout, config: _, module } = self;
        let module = module?;
        if specialised.source(layout).prints || specialised.facts.syncs_grid {
            return None;
        }
        DriverLaunch::new(module, &self.geometry(), self.parameter(module.context().default_stream()))
    }

    /// Returns the hidden last parameter for a launch on `stream`, if the kernel takes it. The addresses of a print buffer
    /// and of a grid barrier are added by the launches that need them.
    pub(crate) fn parameter(&self, stream: &cuda::Stream) -> Option<LaunchParameter> {
        let &CheckedLaunch { specialised, layout, .. } = self;
        let takes_launch = specialised.source(layout).takes_launch;
        takes_launch.then(|| LaunchParameter::new(stream.fault_pointer(), specialised.number))
    }

    /// Returns the launch configuration in the driver's types. Validation has bounded every extent by the GPU's limits, which
    /// are below 2³².
    pub(crate) fn geometry(&self) -> Geometry {
        let ResolvedConfig { grid, block, cluster, shared_bytes, cooperative } = self.config;
        let extents = |dim: Dim3| [dim.x as u32, dim.y as u32, dim.z as u32];
        Geometry {
            grid: extents(grid),
            block: extents(block),
            cluster: cluster.map(extents),
            shared_bytes: shared_bytes as u32,
            cooperative,
        }
    }
}

/// Picks a block for a launch over `items`.
fn pick_block<K: Kernel>(
    config: &LaunchConfig,
    device: &Device,
    specialised: &'static Specialised,
    layout: Layout,
    items: Dim3,
) -> Result<Dim3> {
    let bound = K::OPTIONS.max_threads();
    let context = match device.backend() {
        Backend::Cpu(_) => {
            let threads = block_picker::default_threads(bound.unwrap_or(block_picker::DEFAULT_THREADS));
            return Ok(block_picker::block_dims(threads, items, device.limits().block));
        }
        Backend::Cuda(context) => context,
    };
    let loaded = specialised.loaded(context, layout)?;
    let limits = context.limits();
    let room = (limits.shared_bytes_per_block_opt_in as u64).saturating_sub(specialised.facts.static_shared_bytes);
    if config.shared_bytes as u64 > room {
        // Validation rejects the launch, whatever the block is.
        return Ok(block_picker::block_dims(
            block_picker::default_threads(block_picker::DEFAULT_THREADS),
            items,
            limits.block,
        ));
    }
    let mut threads = loaded.max_occupancy_block(bound, config.shared_bytes as u32)?;
    // If the threads of a block cooperate, a smaller block changes how the work is divided.
    if !specialised.facts.needs_other_threads {
        threads = block_picker::spread(threads, items.count(), limits.multiprocessors);
    }
    Ok(block_picker::block_dims(threads, items, limits.block))
}

/// Returns the kernel's requirements on every launch.
fn requirements<K: Kernel>(specialised: &Specialised) -> KernelRequirements {
    KernelRequirements {
        static_shared_bytes: specialised.facts.static_shared_bytes,
        cooperative: specialised.facts.syncs_grid,
        max_threads: K::OPTIONS.launch_bounds.map(|(threads, _)| threads),
    }
}
