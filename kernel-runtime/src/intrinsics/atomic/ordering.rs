//! Orderings by their Rust names and scopes by their CUDA names, as types.

use std::sync::atomic::Ordering;

use cumbia_kernel_ir::ir;

/// The ordering of an atomic operation, as Rust's [`Ordering`] has it: [`Relaxed`], [`Acquire`], [`Release`], [`AcqRel`]
/// or [`SeqCst`].
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
    /// Of a comparison that fails, which writes nothing.
    #[doc(hidden)]
    const FAILED: Ordering;
}

/// The ordering of a load: [`Relaxed`], [`Acquire`] or [`SeqCst`].
#[diagnostic::on_unimplemented(
    message = "a load cannot have the ordering `{Self}`",
    label = "not an ordering of a load",
    note = "why: what does not write has nothing to release",
    note = "help: use `Relaxed`, `Acquire` or `SeqCst`"
)]
pub trait LoadOrdering: MemoryOrdering {}

/// The ordering of a store: [`Relaxed`], [`Release`] or [`SeqCst`].
#[diagnostic::on_unimplemented(
    message = "a store cannot have the ordering `{Self}`",
    label = "not an ordering of a store",
    note = "why: what does not read has nothing to acquire",
    note = "help: use `Relaxed`, `Release` or `SeqCst`"
)]
pub trait StoreOrdering: MemoryOrdering {}

/// Between whom an operation is atomic, CUDA's thread scope: [`BlockScope`], [`DeviceScope`] or [`SystemScope`].
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
    /// Keeps the traits to the types of this module.
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
    /// Nothing but the operation itself: Rust's [`Ordering::Relaxed`], and what `atomic_add` and its like are.
    Relaxed Relaxed;
    /// What another thread did before the [`Release`] that wrote the value which is read here, is seen behind it: Rust's
    /// [`Ordering::Acquire`].
    Acquire Acquire;
    /// What this thread did before is seen behind an [`Acquire`] that reads the value: Rust's [`Ordering::Release`].
    Release Relaxed;
    /// [`Acquire`] and [`Release`]: Rust's [`Ordering::AcqRel`].
    AcqRel Acquire;
    /// As [`AcqRel`], and all such operations have one order that all threads agree on: Rust's [`Ordering::SeqCst`].
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
    /// Atomic between the threads of a block: CUDA's `thread_scope_block`, and `_block` behind its functions' names. Other
    /// blocks must not touch the place meanwhile.
    BlockScope Block;
    /// Atomic between all threads of the device: CUDA's `thread_scope_device`.
    DeviceScope Device;
    /// Atomic between all devices and the host: CUDA's `thread_scope_system`, and `_system` behind its functions' names.
    SystemScope System;
}
