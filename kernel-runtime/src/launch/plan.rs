//! What a launch comes to: its shape, checked against the device, and the code that runs.
//!
//! All that can be refused is refused here, so that a plan can be run any number of times with the same arguments.

use cumbia_kernel_ir::Source;

use crate::argument::Arguments;
use crate::config::{Config, Needs, Shape, resident_on_cpu};
use crate::cpu;
use crate::cuda::{Context, DriverLaunch, Geometry, Module};
use crate::device::{Backend, Device};
use crate::dim::Dim3;
use crate::error::{BlockLimit, LaunchError, Result};
use crate::kernel::Kernel;
use crate::over;
use crate::specialise::{self, Layout, Specialised};
use crate::sync::assert_unlocked;
use crate::warning::event;

/// A launch that the device takes.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) specialised: &'static Specialised,
    pub(crate) layout: Layout,
    pub(crate) shape: Shape,
    /// The machine code, on a GPU.
    pub(crate) module: Option<&'static Module>,
}

/// Whether anybody listens to launches. Where nobody does, that is a load and a comparison.
#[inline]
pub(crate) fn is_traced() -> bool {
    // A subscriber may be asked.
    assert_unlocked();
    tracing::enabled!(target: "cumbia::launch", tracing::Level::TRACE)
}

impl Plan {
    /// Tells who listens of a launch.
    #[inline]
    pub(crate) fn trace(&self, device: &Device) {
        if is_traced() {
            self.tell(device);
        }
    }

    #[cold]
    fn tell(&self, device: &Device) {
        let Shape { grid, block, shared_bytes, cooperative, .. } = self.shape;
        let (kernel, device) = (self.specialised.instance, device.clone());
        event!(
            trace, target: "cumbia::launch", kernel, %device, %grid, %block, shared_bytes, cooperative, "launch"
        );
    }

    /// Checks a launch of `K`; `None` where it is over nothing.
    pub(crate) fn new<K: Kernel>(config: &Config, device: &Device, arguments: Arguments) -> Result<Option<Plan>> {
        if config.is_over_nothing() {
            return Ok(None);
        }
        let plan = Plan::of_any_grid::<K>(config, device, arguments)?;
        if K::OPTIONS.index32 {
            plan.shape.check_narrow_indices(K::INFO.name, arguments.largest)?;
        }
        // The CPU runs blocks whose threads wait for nobody one after the other.
        let side_by_side = plan.module.is_some() || plan.specialised.facts.needs_other_threads;
        if plan.shape.cooperative && side_by_side {
            plan.shape.check_resident(K::INFO.name, device, plan.resident_blocks()?)?;
        }
        Ok(Some(plan))
    }

    /// As [`Plan::new`], but that more blocks may be asked for than there is room for at once. The launch is over something.
    pub(super) fn of_any_grid<K: Kernel>(
        config: &Config,
        device: &Device,
        Arguments { layout, largest: _ }: Arguments,
    ) -> Result<Plan> {
        let kernel = K::INFO.name;
        let specialised = specialise::of::<K>()?;
        let pick = |items| pick_block::<K>(config, device, specialised, layout, items);
        let shape = config.shape(kernel, K::OPTIONS.block, pick)?;
        shape.check(kernel, device, needs::<K>(specialised))?;
        match device.backend() {
            Backend::Cpu(_) => {
                let (requested, limit) = (specialised.facts.stack_bytes, cpu::LARGEST_STACK);
                if requested > limit {
                    let device = device.to_string();
                    return Err(LaunchError::StackTooLarge { kernel, requested, limit, device }.into());
                }
                Ok(Plan { specialised, layout, shape, module: None })
            }
            Backend::Cuda(context) => {
                let module = specialised.module(context, layout)?;
                let plan = Plan { specialised, layout, shape, module: Some(module) };
                plan.check_module(kernel, device, context, module)?;
                Ok(plan)
            }
        }
    }

    /// Refuses what the machine code does not allow.
    fn check_module(&self, kernel: &'static str, device: &Device, context: &Context, module: &Module) -> Result<()> {
        let attributes = module.attributes();
        let (requested, threads) = (self.shape.block, self.shape.block.count());
        let limit = attributes.threads_per_block as u64;
        if threads > limit {
            let per_block = context.limits().registers_per_block;
            let registers = attributes.registers as u64 * threads.next_multiple_of(32);
            let reason = if registers > per_block as u64 {
                BlockLimit::Registers { per_thread: attributes.registers, per_block }
            } else {
                BlockLimit::Code
            };
            let device = device.to_string();
            return Err(LaunchError::BlockTooLarge { kernel, requested, threads, limit, reason, device }.into());
        }
        // A cluster that every GPU takes needs no question.
        if let Some(cluster) = self.shape.cluster
            && cluster.count() > context.limits().blocks_per_cluster as u64
        {
            let limit = module.largest_cluster(&self.geometry())?;
            if cluster.count() > limit {
                let (blocks, device) = (cluster.count(), device.to_string());
                return Err(LaunchError::ClusterTooLarge { kernel, requested: cluster, blocks, limit, device }.into());
            }
        }
        Ok(())
    }

    /// How many blocks of this launch the device can hold at once.
    pub(crate) fn resident_blocks(&self) -> Result<u64> {
        match self.module {
            None => Ok(resident_on_cpu(self.shape.block.count())),
            Some(module) => Ok(module.resident_blocks(&self.geometry())?),
        }
    }

    /// How many blocks of this launch a multiprocessor can hold at once.
    pub(crate) fn active_blocks(&self) -> Result<u32> {
        match self.module {
            None => Ok(1),
            Some(module) => {
                let Shape { block, shared_bytes, .. } = self.shape;
                Ok(module.active_blocks(block.count() as u32, shared_bytes as u32)?)
            }
        }
    }

    /// The launch with all but its parameters settled; `None` for one that needs more than one call of the driver, or is
    /// for the CPU.
    pub(crate) fn ready(&self) -> Option<DriverLaunch> {
        let &Plan { specialised, layout, shape: _, module } = self;
        let module = module?;
        let &Source { prints, takes_launch, .. } = specialised.source(layout);
        if prints || specialised.facts.syncs_grid {
            return None;
        }
        DriverLaunch::new(module, &self.geometry(), takes_launch, specialised.number)
    }

    /// The shape for a GPU, whose limits it has been compared with: they are below 2³².
    pub(crate) fn geometry(&self) -> Geometry {
        let Shape { grid, block, cluster, shared_bytes, cooperative } = self.shape;
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

/// A block for a launch over `items`.
fn pick_block<K: Kernel>(
    config: &Config,
    device: &Device,
    specialised: &'static Specialised,
    layout: Layout,
    items: Dim3,
) -> Result<Dim3> {
    let bound = K::OPTIONS.most_threads();
    let context = match device.backend() {
        Backend::Cpu(_) => {
            let threads = over::usual(bound.unwrap_or(over::USUAL));
            return Ok(over::block(threads, items, device.limits().block));
        }
        Backend::Cuda(context) => context,
    };
    let module = specialised.module(context, layout)?;
    let limits = context.limits();
    let room = (limits.shared_bytes_per_block_opt_in as u64).saturating_sub(specialised.facts.static_shared_bytes);
    if config.shared_bytes as u64 > room {
        // It will be refused, whatever the block is.
        return Ok(over::block(over::usual(over::USUAL), items, limits.block));
    }
    let mut threads = module.max_occupancy_block(bound, config.shared_bytes as u32)?;
    // A kernel whose threads work together has its own idea of how many that should be.
    if !specialised.facts.needs_other_threads {
        threads = over::spread(threads, items.count(), limits.multiprocessors);
    }
    Ok(over::block(threads, items, limits.block))
}

/// What the kernel asks of its launches.
fn needs<K: Kernel>(specialised: &Specialised) -> Needs {
    Needs {
        static_shared_bytes: specialised.facts.static_shared_bytes,
        cooperative: specialised.facts.syncs_grid,
        most_threads: K::OPTIONS.launch_bounds.map(|(threads, _)| threads),
    }
}
