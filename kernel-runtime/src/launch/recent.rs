//! The last launch of each kernel on this thread: one like it need not be checked again.

use std::any::TypeId;
use std::cell::RefCell;
use std::hash::{BuildHasher, BuildHasherDefault};

use rustc_hash::FxHasher;

use super::plan::{Plan, is_traced};
use crate::argument::Plain;
use crate::config::{Asked, Config};
use crate::cuda::{DriverLaunch, Launched};
use crate::device::Identity;
use crate::kernel::Kernel;
use crate::specialise::Layout;

/// A launch that the device took. What is compared lies together, and what is then used behind it.
#[repr(C, align(64))]
struct Recent {
    kernel: TypeId,
    device: Identity,
    asked: Asked,
    layout: Layout,
    ready: DriverLaunch,
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

/// Launches as the last launch of the kernel on this thread did, if that was alike: then its checks hold for this one. `None`
/// where it was not, or where there is more to do than the call of the driver.
///
/// It is one function for all kernels, so that a loop over several of them fetches it once.
///
/// # Safety
///
/// The parameters are those of the kernel, in order. Their arrays are on the device, and nothing conflicts with the launch until
/// it is over, but in the order of the device's stream.
#[inline(never)]
pub(super) unsafe fn launch(
    kernel: TypeId,
    device: Identity,
    asked: &Asked,
    parameters: &mut Plain<'_, '_>,
) -> Option<Launched> {
    let layout = parameters.layout();
    RECENT.with(|places| {
        let recent = places[place(kernel)].borrow();
        let recent = recent.as_ref()?;
        let alike =
            recent.kernel == kernel && recent.device == device && recent.layout == layout && recent.asked == *asked;
        if !alike || !recent.ready.is_alone() || is_traced() {
            return None;
        }
        let mut last = recent.ready.parameter();
        let parameters = parameters.with_last(last.as_mut().map(|last| std::ptr::from_mut(last).cast()));
        // SAFETY: the caller's promise; the launch before was checked with the same extents.
        Some(unsafe { recent.ready.launch(parameters) })
    })
}

/// Remembers a launch that the device took. What depends on more than kernel, device, layout and configuration is not
/// remembered.
pub(super) fn note<K: Kernel>(device: Identity, config: &Config, plan: &Plan) {
    // What indices of 32 bits reach depends on the lengths of the arrays.
    if K::OPTIONS.index32 {
        return;
    }
    let (Some(ready), Some(asked)) = (plan.ready(), config.asked()) else { return };
    // Beside others the stream has to note what is used, and no launch asks for this.
    if !ready.is_alone() {
        return;
    }
    let (kernel, layout) = (TypeId::of::<K>(), plan.layout);
    RECENT.with(|places| {
        // A profiler that the driver calls within a launch may launch something itself.
        if let Ok(mut recent) = places[place(kernel)].try_borrow_mut() {
            *recent = Some(Recent { kernel, device, asked, layout, ready });
        }
    });
}
