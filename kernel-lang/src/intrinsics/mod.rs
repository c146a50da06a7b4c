//! Device intrinsics: the operations that are available in kernels only.
//!
//! Each is a type with the operation's name: a call in a kernel resolves to it by rustc's own name lookup, so that
//! importing, renaming and shadowing work as for functions. The type determines the [`Intrinsic`] for the compiler, and
//! its method `call` implements the operation on the CPU. They cannot be called outside a kernel or device function: the function of
//! the same name that a call in host code resolves to has a bound that is never satisfied, so that the error says so.
//!
//! `cumbia::prelude` has those that most kernels use; `use cumbia::intrinsics::*;` imports all.
//!
//! - Thread indices: [`grid`], [`global_id`], [`grid_size`], [`thread_idx`], [`block_idx`], [`block_dim`], [`grid_dim`],
//!   [`lane_id`].
//! - Shared memory: [`shared`], [`dynamic_shared`], [`dynamic_shared_at`].
//! - Barriers: [`sync_threads`], [`sync_threads_count`], [`sync_threads_and`], [`sync_threads_or`], [`sync_warp`],
//!   [`sync_grid`]; fences: [`thread_fence`], [`thread_fence_block`], [`thread_fence_system`].
//! - Atomics: [`atomic_add`], [`atomic_sub`], [`atomic_min`], [`atomic_max`], [`atomic_and`], [`atomic_or`],
//!   [`atomic_xor`], [`atomic_exch`], [`atomic_cas`], [`atomic_inc`], [`atomic_dec`], [`atomic_load`],
//!   [`atomic_store`]. They are relaxed, with device scope; with the suffix `_explicit` they take an ordering and a
//!   scope: `atomic_add_explicit::<AcqRel, BlockScope>(&mut y[i], v)`.
//! - Operations of a warp of [`WARP_SIZE`] threads: [`shfl_sync`], [`shfl_up_sync`], [`shfl_down_sync`],
//!   [`shfl_xor_sync`], [`all_sync`], [`any_sync`], [`uni_sync`], [`ballot_sync`], [`match_any_sync`],
//!   [`match_all_sync`], [`reduce_add_sync`] and the other reductions, [`active_mask`], [`lanemask_lt`] and the other
//!   lane masks.
//! - Fast approximations: [`fast`].
//!
//! [`Intrinsic`]: cumbia_kernel_ir::Intrinsic

#![allow(non_camel_case_types, reason = "the types stand for functions and are named like them")]
#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

mod atomic;
mod barrier;
pub mod fast;
mod fence;
mod geometry;
pub(crate) mod memory;
mod predicate;
mod warp;

pub use atomic::{
    AcqRel, Acquire, AtomicAdd, AtomicBits, AtomicCount, AtomicExchange, AtomicLoad, AtomicMinMax, BlockScope,
    DeviceScope, LoadOrdering, MemoryOrdering, MemoryScope, Relaxed, Release, SeqCst, StoreOrdering, SystemScope,
    atomic_add, atomic_add_explicit, atomic_and, atomic_and_explicit, atomic_cas, atomic_cas_explicit, atomic_dec,
    atomic_dec_explicit, atomic_exch, atomic_exch_explicit, atomic_inc, atomic_inc_explicit, atomic_load,
    atomic_load_explicit, atomic_max, atomic_max_explicit, atomic_min, atomic_min_explicit, atomic_or,
    atomic_or_explicit, atomic_store, atomic_store_explicit, atomic_sub, atomic_sub_explicit, atomic_xor,
    atomic_xor_explicit,
};
pub use barrier::{has_faulted, sync_grid, sync_threads, sync_threads_and, sync_threads_count, sync_threads_or};
pub use fence::{thread_fence, thread_fence_block, thread_fence_system};
pub use geometry::{block_dim, block_idx, global_id, grid, grid_dim, grid_size, lane_id, thread_idx};
pub use memory::{dynamic_shared, dynamic_shared_at, shared};
pub use predicate::Predicate;
pub use warp::{
    LaneInteger, LaneNumber, LaneValue, WARP_SIZE, active_mask, all_sync, any_sync, ballot_sync, lanemask_eq,
    lanemask_ge, lanemask_gt, lanemask_le, lanemask_lt, match_all_sync, match_any_sync, reduce_add_sync,
    reduce_and_sync, reduce_max_sync, reduce_min_sync, reduce_or_sync, reduce_xor_sync, shfl_down_sync, shfl_sync,
    shfl_up_sync, shfl_xor_sync, sync_warp, uni_sync,
};

/// Defines an intrinsic: its type and its function. `[const N]` declares one whose only argument is the number of dimensions, the literal
/// `N`.
macro_rules! intrinsic {
    (
        $(#[$doc:meta])*
        $name:ident$(<$($param:ident: $bound:ident),+>)?$([const $n:ident])?($($argument:ident),*) = $intrinsic:expr
    ) => {
        $crate::intrinsics::intrinsic_type! {
            $(#[$doc])*
            $name$(<$($param: $bound),+>)?$([const $n])? = $intrinsic
        }

        $crate::intrinsics::host_function!($name$(<$($param),+>)?($($argument),*));
    };
}

/// Defines the type of an intrinsic, with its generic parameters, and its representation in the IR.
macro_rules! intrinsic_type {
    (@call $k:lifetime) => { $crate::cpu::Call<$k> };
    (@call $k:lifetime $n:ident) => { $crate::cpu::DimensionCall<$k, $n> };
    (
        $(#[$doc:meta])*
        $name:ident$(<$($param:ident: $bound:ident),+>)?$([const $n:ident])? = $intrinsic:expr
    ) => {
        $(#[$doc])*
        pub struct $name<'k $(, $($param),+)? $(, const $n: usize)?> {
            #[doc(hidden)]
            pub call: $crate::intrinsics::intrinsic_type!(@call 'k $($n)?),
            #[doc(hidden)]
            pub types: std::marker::PhantomData<fn() -> ($($($param,)+)?)>,
        }

        impl<$($($param: $bound),+)? $(const $n: usize)?> $crate::definition::DeviceFunction
            for $name<'_ $(, $($param),+)? $(, $n)?>
        {
            type Key = $name<'static $(, $($param),+)? $(, $n)?>;
            type This = Self;

            #[inline(always)]
            fn this(self) -> Self {
                self
            }
        }

        impl<$($($param: $bound),+)? $(const $n: usize)?> $crate::definition::CalleeKey
            for $name<'static $(, $($param),+)? $(, $n)?>
        {
            fn content() -> $crate::definition::Content {
                use cumbia_kernel_ir::Intrinsic;
                $crate::definition::Content::Intrinsic($intrinsic)
            }
        }
    };
}

/// Defines the function that a call of an intrinsic in host code resolves to. It has a bound that is never satisfied.
macro_rules! host_function {
    ($name:ident$(<$($param:ident),+>)?($($argument:ident),*)) => {
        // Of two items of a name, rustdoc links to neither if both are hidden, as all of this crate.
        #[cfg(not(doc))]
        #[doc(hidden)]
        pub fn $name$(<$($param),+>)?($($argument: impl Sized),*) -> <() as $crate::absent::InDeviceCode<'static>>::Result
        where
            for<'k> (): $crate::absent::InDeviceCode<'k>,
        {
            $(let _ = $argument;)*
            <() as $crate::absent::InDeviceCode<'static>>::result()
        }
    };
}

use host_function;
use intrinsic;
use intrinsic_type;
