//! Launches on an emulator of a GPU, for tests of the emitted CUDA C.

use std::ffi::c_void;

use super::{ErasedLaunch, Launch};
use crate::argument::{Binder, run_in_place};
use crate::block_picker;
use crate::compile::build::Build;
use crate::compile::variants::LaunchShape;
use crate::cuda::RawFault;
use crate::device::Device;
use crate::dim::Dim3;
use crate::error::Result;
use crate::fault;
use crate::inspect::Kernel;
use cumbia_kernel_compiler::Variant;

/// The inputs of one launch on an emulator.
#[doc(hidden)]
pub struct Emulation<'a> {
    /// The emitted CUDA C.
    pub source: &'a cumbia_kernel_compiler::Source,
    /// The variant that a launch on a GPU would run.
    pub variant: Variant,
    /// Whether CUDA blocks execute several blocks of the launch.
    pub is_coarsened: bool,
    /// The kernel's number in a fault record.
    pub kernel: u32,
    /// Pointers to the kernel parameters, without the launch parameter.
    pub params: &'a mut [*mut c_void],
    /// The number of CUDA blocks.
    pub grid: Dim3,
    /// The number of blocks of the launch along the axis of
    /// [`Source::coarsening`](cumbia_kernel_compiler::Source::coarsening), if the text is coarsened; otherwise 0.
    pub blocks: u32,
    /// The number of threads of each block.
    pub block: Dim3,
    /// Dynamic shared memory of each block, in bytes.
    pub shared_bytes: usize,
    /// Whether all blocks are resident at once.
    pub cooperative: bool,
}

impl<K: Kernel, C> Launch<'_, K, C> {
    /// Runs the launch on `emulator` instead of a GPU. For tests of the emitted CUDA C.
    #[doc(hidden)]
    pub fn emulate(&self, emulator: &mut dyn FnMut(Emulation<'_>) -> Option<RawFault>) -> Result<()> {
        self.erased().emulate(emulator)
    }
}

impl dyn ErasedLaunch + '_ {
    fn emulate(&self, emulator: &mut dyn FnMut(Emulation<'_>) -> Option<RawFault>) -> Result<()> {
        let mut binder = Binder::new(self.kernel().name);
        self.bind(&mut binder);
        let layout = binder.arguments().layout;
        binder.finish()?;
        let Binder { mut params, transfers, .. } = binder;
        if self.config().is_empty() {
            return Ok(());
        }
        let pick =
            |items| Ok(block_picker::block_dims(block_picker::DEFAULT_THREADS, items, Device::cpu().limits().into()));
        let specialised = self.kernel().specialised()?;
        let config = self.config().resolve(self.kernel().name, specialised.options.block, pick)?;
        // SAFETY: these are pointers to the parameters of the kernel, in order: `bind` visits the parameters of the IR.
        let selected = unsafe { specialised.candidates(layout).select(params.as_ptr(), &LaunchShape::from(&config)) };
        // Partial variants are compiled for launches on a GPU only.
        let variant = match selected {
            Some(Build::Of(variant)) => variant,
            _ => Variant::Checked,
        };
        // Small launches are coarsened as well: a GPU would not, but so the sources are tested.
        let is_plain = config.cluster.is_some() || config.shared_bytes > 0 || config.cooperative;
        let coarsened = if is_plain { None } else { specialised.coarsened(layout, variant) };
        let coarsened =
            coarsened.filter(|coarsened| coarsened.blocks(config.grid) > 1 || specialised.options.coarsen.is_some());
        let build = if coarsened.is_some() { Build::Coarsened(variant) } else { Build::Of(variant) };
        let source = specialised.source(layout, build);
        let grid = coarsened.map_or(config.grid, |coarsened| coarsened.hardware_grid(config.grid));
        let blocks = coarsened.map_or(0, |coarsened| coarsened.blocks(config.grid) as u32);
        let mut raw = None;
        let run = || {
            raw = emulator(Emulation {
                source,
                variant,
                is_coarsened: coarsened.is_some(),
                kernel: specialised.number,
                params: &mut params,
                grid,
                blocks,
                block: config.block,
                shared_bytes: config.shared_bytes,
                cooperative: config.cooperative,
            });
        };
        run_in_place(&transfers, run, || Ok(()))?;
        raw.map_or(Ok(()), |raw| Err(fault::resolve(raw)))
    }
}
