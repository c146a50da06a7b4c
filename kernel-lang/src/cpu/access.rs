//! Access modes: read-only and writable.

/// The access mode of a place, slice or view.
pub trait Access: Copy + Send + Sync + 'static {
    /// Whether the place was borrowed mutably.
    const MUTABLE: bool;

    /// The Rust reference of this access mode: `&T` or `&mut T`.
    type Reference<'r, T: 'r>;

    /// Reborrows a value with this access mode.
    fn reborrow<T>(value: &mut T) -> Self::Reference<'_, T>;
}

/// The access of `&[T]` and `&T`.
#[derive(Clone, Copy, Debug)]
pub struct Read;

/// The access of `&mut [T]` and `&mut T`, and of shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Write;

impl Access for Read {
    const MUTABLE: bool = false;
    type Reference<'r, T: 'r> = &'r T;

    #[inline(always)]
    fn reborrow<T>(value: &mut T) -> &T {
        value
    }
}

impl Access for Write {
    const MUTABLE: bool = true;
    type Reference<'r, T: 'r> = &'r mut T;

    #[inline(always)]
    fn reborrow<T>(value: &mut T) -> &mut T {
        value
    }
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
