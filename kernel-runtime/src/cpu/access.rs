//! Whether a view may be written through.

/// How a view may be used.
pub trait Access: Copy + 'static {
    /// It comes from a `&mut [T]`.
    const MUTABLE: bool;
}

/// The access of `&[T]`.
#[derive(Clone, Copy, Debug)]
pub struct Read;

/// The access of `&mut [T]` and of shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Write;

impl Access for Read {
    const MUTABLE: bool = false;
}

impl Access for Write {
    const MUTABLE: bool = true;
}

/// What an assignment needs of its place.
#[diagnostic::on_unimplemented(
    message = "cannot assign to an element of a `&[_]`",
    label = "this slice cannot be written",
    note = "why: the kernel promises not to change the array behind a `&[_]` parameter",
    note = "help: make the parameter a `&mut [_]`"
)]
pub trait Writable: Access {}

impl Writable for Write {}
