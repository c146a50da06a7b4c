//! Attributes of compiled kernels.

pub use crate::cuda::Attributes;
use crate::device::{Backend, Device};
use crate::error::Result;
use crate::kernel::{KernelImpl, specialised};
use crate::layout::Layout;

/// Returns the attributes of a kernel. On a GPU, compiles and loads it first if necessary. They are those of the
/// preferred variant, which nearly all launches run.
pub(crate) fn of<K: KernelImpl>(device: &Device) -> Result<Attributes> {
    let specialised = specialised::<K>()?;
    match device.backend() {
        Backend::Cpu(_) => {
            let limits = device.limits();
            let mut attributes = Attributes::default();
            attributes.threads_per_block =
                K::OPTIONS.max_threads().map_or(limits.threads_per_block, |most| most as usize);
            attributes.shared_bytes = specialised.facts.static_shared_bytes as usize;
            Ok(attributes)
        }
        Backend::Cuda(context) => {
            let layout = Layout::Contiguous;
            let build = specialised.preferred_build(layout);
            Ok(*specialised.module(context, layout, build)?.attributes())
        }
    }
}
