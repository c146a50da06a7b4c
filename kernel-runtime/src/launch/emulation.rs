//! A launch on something that stands in for a GPU: for tests of the emitted CUDA C.

use std::ffi::c_void;

use super::Launch;
use crate::argument::{Arguments, Binder, on_host};
use crate::cuda::RawFault;
use crate::device::Device;
use crate::dim::Dim3;
use crate::error::Result;
use crate::fault;
use crate::kernel::Kernel;
use crate::over;
use crate::specialise;

/// What an emulator of a GPU needs for a launch.
#[doc(hidden)]
pub struct Emulation<'a> {
    /// The emitted CUDA C.
    pub source: &'a cumbia_kernel_ir::Source,
    /// What a fault record is to call the kernel.
    pub kernel: u32,
    /// Pointers to the parameters, but for the fault parameter.
    pub params: &'a mut [*mut c_void],
    /// Blocks.
    pub grid: Dim3,
    /// Threads of each.
    pub block: Dim3,
    /// Bytes of dynamic shared memory of each.
    pub shared_bytes: usize,
}

impl<K: Kernel, C> Launch<'_, K, C> {
    /// Runs the launch with `emulator` in the place of a GPU; for tests of the emitted CUDA C.
    #[doc(hidden)]
    pub fn emulate(&self, emulator: &mut dyn FnMut(Emulation<'_>) -> Option<RawFault>) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        K::visit(&self.args, &mut binder);
        let Arguments { layout, largest: _ } = binder.arguments();
        binder.finish()?;
        let Binder { mut params, transfers, .. } = binder;
        if self.config.is_over_nothing() {
            return Ok(());
        }
        let pick = |items| Ok(over::block(over::USUAL, items, Device::cpu().limits().block));
        let shape = self.config.shape(K::INFO.name, K::OPTIONS.block, pick)?;
        let specialised = specialise::of::<K>()?;
        let source = specialised.source(layout);
        let mut raw = None;
        let run = || {
            raw = emulator(Emulation {
                source,
                kernel: specialised.number,
                params: &mut params,
                grid: shape.grid,
                block: shape.block,
                shared_bytes: shape.shared_bytes,
            });
        };
        on_host(&transfers, run, || Ok(()))?;
        raw.map_or(Ok(()), |raw| Err(fault::resolve(raw)))
    }
}
