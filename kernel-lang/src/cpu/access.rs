//! Access modes: read-only and writable.

/// The access mode of a place, slice or view.
pub trait Access: Copy + Send + Sync + 'static {
    /// Whether the place was borrowed mutably.
    const MUTABLE: bool;
}

/// The access of `&[T]` and `&T`.
#[derive(Clone, Copy, Debug)]
pub struct Read;

/// The access of `&mut [T]` and `&mut T`, and of shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Write;

impl Access for Read {
    const MUTABLE: bool = false;
}

impl Access for Write {
    const MUTABLE: bool = true;
}

/// The access mode that an assignment requires of its target.
#[diagnostic::on_unimplemented(
    message = "cannot assign through a `&[_]` or `&_`",
    label = "this is read-only",
    note = "why: a kernel must not write through a shared reference",
    note = "help: make the parameter a `&mut [_]` or `&mut _`"
)]
pub trait Writable: Access {}

impl Writable for Write {}
