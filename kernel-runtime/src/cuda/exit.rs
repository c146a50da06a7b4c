//! What is given back when the process ends.
//!
//! Fault records and the buffers of `println!` live as long as their streams, and those that we made as long as the process.
//! The driver would take them back by itself; giving them back first is for tools that look for what was never freed, so that
//! a leak of the user's is all that they find.

use super::context::Context;
use crate::sync::OnceLock;

/// Has it done when the process ends in order. Call this when the driver has been initialised: its own handler then comes
/// later, since handlers run in the reverse order.
pub(super) fn register() {
    static REGISTERED: OnceLock<()> = OnceLock::new();
    REGISTERED.get_or_init(|| {
        // SAFETY: the handler may run at any time, and does not unwind. If it is not taken, nothing is given back.
        unsafe { libc::atexit(give_back) };
    });
}

extern "C" fn give_back() {
    for context in Context::all_open() {
        context.give_back();
    }
}
