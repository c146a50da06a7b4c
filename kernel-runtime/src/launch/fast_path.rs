//! Fast path: a per-thread cache of validated launches. A launch equal to the last one of its kernel is not validated again.
//!
//! If the kernel has variants, the launch also holds the values of the parameters that their predicates read. Other
//! values are accepted if they lead to the same variant.

use std::any::TypeId;
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::c_void;
use std::hash::{BuildHasher, BuildHasherDefault};

use cumbia_kernel_compiler::{GUARD_VALUES, Guard};
use rustc_hash::FxHasher;

use super::checked::{CheckedLaunch, is_traced};
use crate::argument::{Binder, FastBinder};
use crate::compile::build::Build;
use crate::compile::variants::{Candidates, LaunchShape, Parameter};
use crate::cuda::{DriverLaunch, LaunchParameter, Launched};
use crate::device::{Device, Identity};
use crate::launch::config::{CompactConfig, LaunchConfig};
use crate::layout::Layout;
use crate::stream::Stream;

/// A validated launch and its key. The fields of the key are adjacent in memory, and what a cache hit uses follows them.
#[repr(C, align(64))]
struct CachedLaunch {
    kernel: TypeId,
    device: Identity,
    config: CompactConfig,
    layout: Layout,
    /// The number of parameters in `condition`; 0 for a kernel without variants.
    watched: u8,
    driver_launch: DriverLaunch,
    condition: CachedCondition,
}

/// The values that the choice of a cached launch's variant depends on.
pub(super) struct CachedCondition {
    /// The first `watched` are used.
    parameters: [Watched; MAX_WATCHED],
    watched: u8,
    build: Build,
    /// The guard of the variant, made for the first launch with other values; `None` inside if the predicates have none.
    guard: OnceCell<Option<Guard>>,
    /// `None` for a kernel without variants.
    candidates: Option<&'static Candidates>,
    /// The shape of all launches with this configuration.
    shape: LaunchShape,
}

/// A parameter that a predicate reads, with its value in the last launch.
struct Watched {
    parameter: Parameter,
    value: Cell<u64>,
}

/// The maximum number of parameters that the predicates of a kernel read. A launch of a kernel with more is not cached.
const MAX_WATCHED: usize = 24;

impl CachedCondition {
    /// Returns the values in a validated launch with these arguments; `None` if there are too many.
    pub(super) fn new(checked: &CheckedLaunch, binder: &Binder<'_>) -> Option<CachedCondition> {
        // The checked variant of a kernel with `prove` runs only launches that are proved, which is not a property of the
        // variant: if the proven one needs too many registers, or `CUMBIA_VARIANT` excludes it.
        let CheckedLaunch { specialised, layout, build, .. } = *checked;
        if specialised.options.prove && build == Build::CHECKED && specialised.predicate(layout).is_some() {
            return None;
        }
        let candidates = checked.candidates();
        let read = candidates.map_or(&[][..], Candidates::parameters);
        if read.len() > MAX_WATCHED {
            return None;
        }
        let parameters = std::array::from_fn(|i| match read.get(i) {
            Some(&parameter) => {
                // SAFETY: the binder points at the arguments of the launch, in the order of the kernel's parameters.
                Watched { parameter, value: Cell::new(unsafe { parameter.read(binder.params.as_ptr()) }) }
            }
            None => Watched { parameter: Parameter::NONE, value: Cell::new(0) },
        });
        let (watched, shape) = (read.len() as u8, LaunchShape::from(&checked.config));
        Some(CachedCondition { parameters, watched, build, guard: OnceCell::new(), candidates, shape })
    }
}

impl CachedLaunch {
    /// Returns whether the variant of the launch is that of a launch with these parameters.
    ///
    /// # Safety
    ///
    /// The parameters are those of the kernel, in order.
    #[inline]
    unsafe fn has_variant_of(&self, params: *const *mut c_void) -> bool {
        let mut watched = self.condition.parameters.iter().take(self.watched.into());
        // SAFETY: upheld by the caller.
        let is_unchanged = |watched: &Watched| unsafe { watched.parameter.read(params) } == watched.value.get();
        // SAFETY: upheld by the caller.
        watched.all(is_unchanged) || unsafe { self.selects_again(params) }
    }

    /// Compares the values by the guard, and stores them if they lead to the same variant.
    ///
    /// # Safety
    ///
    /// As for [`has_variant_of`](CachedLaunch::has_variant_of).
    #[inline(never)]
    unsafe fn selects_again(&self, params: *const *mut c_void) -> bool {
        let CachedCondition { parameters, watched, guard, .. } = &self.condition;
        let parameters = &parameters[..usize::from(*watched).min(MAX_WATCHED)];
        let Some(Some(guard)) = guard.get() else {
            // SAFETY: upheld by the caller.
            return unsafe { self.is_selected_again(params) };
        };
        let mut values = [0; GUARD_VALUES];
        let mut is_accepted = true;
        for (Watched { parameter, .. }, value) in parameters.iter().zip(&mut values[1..]) {
            // SAFETY: upheld by the caller.
            let read = unsafe { parameter.read(params) };
            is_accepted &= guard.accepts(read);
            *value = read.cast_signed();
        }
        if !is_accepted || !guard.holds(&values) {
            // SAFETY: upheld by the caller.
            return unsafe { self.is_selected_again(params) };
        }
        // SAFETY: upheld by the caller.
        debug_assert!(unsafe { self.is_selected_again(params) }, "the guard holds, and the predicates do not");
        for (Watched { value, .. }, read) in parameters.iter().zip(&values[1..]) {
            value.set(read.cast_unsigned());
        }
        true
    }

    /// Evaluates the predicates, and stores the values if they lead to the same variant.
    ///
    /// # Safety
    ///
    /// As for [`has_variant_of`](CachedLaunch::has_variant_of).
    #[inline(never)]
    unsafe fn is_selected_again(&self, params: *const *mut c_void) -> bool {
        let CachedCondition { parameters, watched, build, guard, candidates, shape } = &self.condition;
        let Some(candidates) = candidates else { return true };
        // SAFETY: upheld by the caller.
        if unsafe { candidates.select(params, shape) } != Some(*build) {
            return false;
        }
        for Watched { parameter, value } in parameters.iter().take((*watched).into()) {
            // SAFETY: as above.
            value.set(unsafe { parameter.read(params) });
        }
        // SAFETY: as above.
        guard.get_or_init(|| unsafe { candidates.guard(*build, params, shape) });
        true
    }
}

/// The cache has no destructor: a launch may come from the destructor of another thread-local variable.
const _: () = assert!(!std::mem::needs_drop::<CachedLaunch>());

/// A guard has room for all parameters that are watched, after the value 0.
const _: () = assert!(MAX_WATCHED < GUARD_VALUES);

/// Entries of a thread's cache. The cache is direct-mapped: two kernels with the same index evict each other.
const CACHE_ENTRIES: usize = 32;

thread_local! {
    // Without a destructor, so that it is accessible until the thread ends.
    static CACHE: [RefCell<Option<CachedLaunch>>; CACHE_ENTRIES] =
        const { [const { RefCell::new(None) }; CACHE_ENTRIES] };
}

/// Returns the cache index of a kernel.
#[inline]
fn index_of(kernel: TypeId) -> usize {
    BuildHasherDefault::<FxHasher>::default().hash_one(kernel) as usize % CACHE_ENTRIES
}

/// A cache hit.
pub(super) enum CacheHit<'s> {
    /// The launch was enqueued.
    Launched(Launched<'s>),
    /// The launch is valid, but other streams may use its arrays, so that it was not enqueued: see [`cached`].
    Shared,
}

/// Enqueues the kernel on `on`, or on the default stream, if this thread's cache holds an equal launch, whose validation then
/// holds for this one. Returns `None` on a cache miss, or if the launch needs more than one driver call.
///
/// This is one function for all kernels, so that a loop over several kernels brings it into the instruction cache once.
///
/// # Safety
///
/// The parameters are those of the kernel, in order. They are borrowed by the launch, so that no access that conflicts with it
/// happens before it completes, except in the order of the stream.
#[inline(never)]
pub(super) unsafe fn launch<'s>(
    kernel: TypeId,
    device: Option<&Device>,
    stream: Option<&'s Stream>,
    config: &LaunchConfig,
    parameters: &mut FastBinder<'_, '_>,
) -> Option<CacheHit<'s>> {
    if !parameters.is_applicable() {
        return None;
    }
    let config = config.compact()?;
    let (on, on_device) = (stream.and_then(Stream::on_gpu), stream.map(|stream| stream.device().identity()));
    let device = parameters.device().or_else(|| device.map(Device::identity)).or(on_device)?;
    if on_device.is_some_and(|on_device| on_device != device) {
        return None;
    }
    let layout = parameters.layout();
    CACHE.with(|cache| {
        let cached = cache[index_of(kernel)].borrow();
        let cached = cached.as_ref()?;
        let hit =
            cached.kernel == kernel && cached.device == device && cached.layout == layout && cached.config == config;
        if !hit || is_traced() {
            return None;
        }
        // SAFETY: the caller's promise.
        if cached.watched != 0 && !unsafe { cached.has_variant_of(parameters.params()) } {
            return None;
        }
        let mut last = cached.driver_launch.parameter(on);
        let pointers = parameters.with_last(LaunchParameter::pointer_to(&mut last));
        // SAFETY: the caller's promise; the arrays and the stream are on the device; the cached launch was validated
        // with the same extents.
        let launched = unsafe { cached.driver_launch.launch(on, pointers, |key| parameters.are_arrays_owned_by(key)) };
        Some(launched.map_or(CacheHit::Shared, CacheHit::Launched))
    })
}

/// Returns the cached launch of a kernel after a [`CacheHit::Shared`]. It is not part of that, because each cache hit would pay
/// for the larger result.
#[cold]
pub(super) fn cached(kernel: TypeId) -> Option<DriverLaunch> {
    CACHE.with(|cache| cache[index_of(kernel)].borrow().as_ref().map(|cached| cached.driver_launch))
}

/// Caches a launch that was enqueued successfully. A launch whose validity depends on more than kernel, device, layout,
/// configuration and the condition of its variant is not cached.
pub(super) fn insert(
    kernel: TypeId,
    device: Identity,
    config: &LaunchConfig,
    checked: &CheckedLaunch,
    condition: CachedCondition,
) {
    // Whether 32-bit indices suffice depends on the lengths of the arrays.
    if checked.specialised.options.index32 {
        return;
    }
    let (Some(driver_launch), Some(config)) = (checked.driver_launch(), config.compact()) else { return };
    let layout = checked.layout;
    CACHE.with(|cache| {
        // A profiler that the driver calls back during a launch may itself launch a kernel.
        if let Ok(mut cached) = cache[index_of(kernel)].try_borrow_mut() {
            let watched = condition.watched;
            *cached = Some(CachedLaunch { kernel, device, config, layout, watched, driver_launch, condition });
        }
    });
}
