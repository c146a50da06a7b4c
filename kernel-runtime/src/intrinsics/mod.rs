//! The operations that only a device has, as a kernel names them.
//!
//! Each is a type with the operation's name: that is what a call in a kernel resolves to, by rustc's own name lookup,
//! so that importing, renaming and shadowing work as for functions. The type says which [`Intrinsic`] it is to the
//! compiler, and its method `call` is what it does on the CPU. Outside a kernel there is nothing to call.
//!
//! [`Intrinsic`]: cumbia_kernel_ir::ir::Intrinsic

#![allow(non_camel_case_types, reason = "the types stand for functions and are named like them")]
#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

mod atomic;
mod barrier;
mod geometry;
mod memory;

pub use atomic::{AtomicAdd, atomic_add};
pub use barrier::sync_threads;
pub use geometry::{block_dim, block_idx, grid, grid_dim, grid_size, thread_idx};
pub use memory::{dynamic_shared, dynamic_shared_at, shared};

/// Defines the type of an intrinsic, with its generic parameters, and what it is to the compiler.
macro_rules! intrinsic {
    ($(#[$doc:meta])* $name:ident$(<$param:ident: $bound:ident>)?$([const $n:ident])? = $intrinsic:expr) => {
        $(#[$doc])*
        pub struct $name<'k $(, $param)? $(, const $n: usize)?> {
            #[doc(hidden)]
            pub call: $crate::cpu::Call<'k>,
            #[doc(hidden)]
            pub types: std::marker::PhantomData<fn() -> ($($param,)?)>,
        }

        impl<$($param: $bound)? $(const $n: usize)?> $crate::kernel::Callee for $name<'_ $(, $param)? $(, $n)?> {
            type Key = $name<'static $(, $param)? $(, $n)?>;
            type This = Self;

            #[inline(always)]
            fn this(self) -> Self {
                self
            }
        }

        impl<$($param: $bound)? $(const $n: usize)?> $crate::kernel::CalleeKey for $name<'static $(, $param)? $(, $n)?> {
            fn content() -> $crate::slot::Content {
                use cumbia_kernel_ir::ir::Intrinsic;
                $crate::slot::Content::Intrinsic($intrinsic)
            }
        }
    };
}

use intrinsic;
