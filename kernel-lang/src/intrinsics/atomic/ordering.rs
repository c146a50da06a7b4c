//! Memory orderings, with Rust's names, and thread scopes, with CUDA's names, as types.

use std::sync::atomic::Ordering;

use cumbia_kernel_ir as ir;

/// The ordering of an atomic operation, like Rust's [`Ordering`]: [`Relaxed`], [`Acquire`], [`Release`], [`AcqRel`] or
/// [`SeqCst`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a memory ordering",
    label = "not an ordering",
    note = "help: write `atomic_add_explicit::<AcqRel, BlockScope>(..)`: first `Relaxed`, `Acquire`, `Release`, `AcqRel` or `SeqCst`, then the scope"
)]
pub trait MemoryOrdering: sealed::Sealed + 'static {
    #[doc(hidden)]
    const IR: ir::Ordering;
    #[doc(hidden)]
    const CPU: Ordering;
    /// The ordering of a failed comparison, which does not write.
    #[doc(hidden)]
    const FAILED: Ordering;
}

/// The ordering of a load: [`Relaxed`], [`Acquire`] or [`SeqCst`].
#[diagnostic::on_unimplemented(
    message = "a load cannot have the ordering `{Self}`",
    label = "not an ordering of a load",
    note = "why: a load does not write, so that it cannot release",
    note = "help: use `Relaxed`, `Acquire` or `SeqCst`"
)]
pub trait LoadOrdering: MemoryOrdering {}

/// The ordering of a store: [`Relaxed`], [`Release`] or [`SeqCst`].
#[diagnostic::on_unimplemented(
    message = "a store cannot have the ordering `{Self}`",
    label = "not an ordering of a store",
    note = "why: a store does not read, so that it cannot acquire",
    note = "help: use `Relaxed`, `Release` or `SeqCst`"
)]
pub trait StoreOrdering: MemoryOrdering {}

/// The thread scope of an atomic operation: [`BlockScope`], [`DeviceScope`] or [`SystemScope`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scope",
    label = "not a scope",
    note = "help: write `atomic_add_explicit::<AcqRel, BlockScope>(..)`: first the ordering, then `BlockScope`, `DeviceScope` or `SystemScope`"
)]
pub trait MemoryScope: sealed::Sealed + 'static {
    #[doc(hidden)]
    const IR: ir::Scope;
}

mod sealed {
    /// Seals the traits.
    pub trait Sealed {}
}

/// Declares the orderings.
macro_rules! orderings {
    ($($(#[$doc:meta])* $name:ident $failed:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl sealed::Sealed for $name {}

        impl MemoryOrdering for $name {
            const IR: ir::Ordering = ir::Ordering::$name;
            const CPU: Ordering = Ordering::$name;
            const FAILED: Ordering = Ordering::$failed;
        }
    )*};
}

orderings! {
    /// Orders no other memory access: Rust's [`Ordering::Relaxed`], and the ordering of `atomic_add` and the others.
    Relaxed Relaxed;
    /// Writes of another thread before the [`Release`] that wrote the value read here are visible after this operation:
    /// Rust's [`Ordering::Acquire`].
    Acquire Acquire;
    /// Writes of this thread before this operation are visible after an [`Acquire`] that reads the value: Rust's
    /// [`Ordering::Release`].
    Release Relaxed;
    /// Both [`Acquire`] and [`Release`]: Rust's [`Ordering::AcqRel`].
    AcqRel Acquire;
    /// Like [`AcqRel`], and all such operations have a single total order: Rust's [`Ordering::SeqCst`].
    SeqCst SeqCst;
}

impl LoadOrdering for Relaxed {}
impl LoadOrdering for Acquire {}
impl LoadOrdering for SeqCst {}

impl StoreOrdering for Relaxed {}
impl StoreOrdering for Release {}
impl StoreOrdering for SeqCst {}

/// Declares the scopes.
macro_rules! scopes {
    ($($(#[$doc:meta])* $name:ident $ir:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl sealed::Sealed for $name {}

        impl MemoryScope for $name {
            const IR: ir::Scope = ir::Scope::$ir;
        }
    )*};
}

scopes! {
    /// Atomic with respect to the threads of the block: CUDA's `thread_scope_block`, and the suffix `_block` of its
    /// functions. Other blocks must not access the place concurrently.
    BlockScope Block;
    /// Atomic with respect to all threads of the device: CUDA's `thread_scope_device`.
    DeviceScope Device;
    /// Atomic with respect to all devices and the host: CUDA's `thread_scope_system`, and the suffix `_system` of its
    /// functions.
    SystemScope System;
}
