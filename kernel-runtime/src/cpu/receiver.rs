//! What a method is called on where its receiver is in memory: `particles[i].accelerate(force)`.
//!
//! A method is a function of Rust's, and takes `&self` or `&mut self`; but no reference may lead into an array that other
//! threads access. So it gets a copy, which is made when it is asked for, and written back if it was borrowed mutably.

use std::cell::OnceCell;
use std::ops::{Deref, DerefMut};

use crate::cpu::access::{Access, Writable};

/// A place that a [`Receiver`] can copy from and write back to.
pub trait Handle {
    /// The value in that place.
    type Value: Copy;
    /// Whether it may be written.
    type Access: Access;

    /// Reads the value.
    fn load(&self) -> Self::Value;

    /// Writes the value.
    ///
    /// # Safety
    ///
    /// `Access` is [`Writable`].
    unsafe fn store(&self, value: Self::Value);
}

/// The receiver of a method call, for as long as the call lasts.
pub struct Receiver<H: Handle> {
    handle: H,
    copy: OnceCell<H::Value>,
    changed: bool,
}

impl<H: Handle> Receiver<H> {
    #[inline(always)]
    pub(super) fn new(handle: H) -> Self {
        Receiver { handle, copy: OnceCell::new(), changed: false }
    }

    /// The place itself.
    #[inline(always)]
    pub(crate) fn handle(&self) -> &H {
        &self.handle
    }
}

impl<H: Handle> Deref for Receiver<H> {
    type Target = H::Value;

    #[inline(always)]
    fn deref(&self) -> &H::Value {
        self.copy.get_or_init(|| self.handle.load())
    }
}

impl<H: Handle> DerefMut for Receiver<H>
where
    H::Access: Writable,
{
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut H::Value {
        self.changed = true;
        self.copy.get_or_init(|| self.handle.load());
        self.copy.get_mut().expect("it was made just now")
    }
}

impl<H: Handle> Drop for Receiver<H> {
    #[inline(always)]
    fn drop(&mut self) {
        if let (true, Some(&value)) = (self.changed, self.copy.get()) {
            // SAFETY: only `deref_mut` notes a change, whose bound is that the place is writable.
            unsafe { self.handle.store(value) };
        }
    }
}
