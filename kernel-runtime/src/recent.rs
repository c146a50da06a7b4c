//! The last launch of each kernel on this thread: one like it need not be checked again.

use std::any::TypeId;
use std::cell::RefCell;
use std::hash::{BuildHasher, BuildHasherDefault};

use rustc_hash::FxHasher;

use crate::config::Config;
use crate::cuda::Ready;
use crate::device::Identity;
use crate::kernel::Kernel;
use crate::plan::Plan;
use crate::specialise::Layout;

/// A launch that the device took.
struct Recent {
    kernel: TypeId,
    device: Identity,
    layout: Layout,
    config: Config,
    ready: Ready,
}

/// How many launches a thread remembers. Two kernels may fall on one place, and are then checked each time.
const PLACES: usize = 32;

thread_local! {
    // Without a destructor, so that it is there to the end of the thread.
    static RECENT: [RefCell<Option<Recent>>; PLACES] = const { [const { RefCell::new(None) }; PLACES] };
}

/// The place of a kernel.
#[inline]
fn place(kernel: TypeId) -> usize {
    BuildHasherDefault::<FxHasher>::default().hash_one(kernel) as usize % PLACES
}

/// The launch of `K` that was the last on this thread, if it was alike: then its checks hold for this one.
#[inline]
pub(crate) fn find<K: Kernel>(device: Identity, layout: Layout, config: &Config) -> Option<Ready> {
    let kernel = TypeId::of::<K>();
    RECENT.with(|places| {
        let recent = places[place(kernel)].borrow();
        let recent = recent.as_ref()?;
        let alike =
            recent.kernel == kernel && recent.device == device && recent.layout == layout && recent.config == *config;
        alike.then_some(recent.ready)
    })
}

/// Remembers a launch that the device took. What depends on more than kernel, device, layout and configuration is not
/// remembered.
pub(crate) fn note<K: Kernel>(device: Identity, config: &Config, plan: &Plan) {
    // What indices of 32 bits reach depends on the lengths of the arrays.
    if K::OPTIONS.index32 {
        return;
    }
    let Some(ready) = plan.ready() else { return };
    // Beside others the stream has to note what is used, and no launch asks for this.
    if !ready.is_alone() {
        return;
    }
    let (kernel, layout, config) = (TypeId::of::<K>(), plan.layout, *config);
    RECENT.with(|places| *places[place(kernel)].borrow_mut() = Some(Recent { kernel, device, layout, config, ready }));
}
