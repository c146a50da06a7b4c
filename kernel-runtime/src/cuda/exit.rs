//! Release of host memory at process exit.
//!
//! Fault records and print buffers live as long as their streams, and those of our own streams as long as the process.
//! The driver would release them itself; they are freed explicitly for leak checkers, so that these report only the
//! user's own leaks.

use super::context::Context;
use crate::sync::OnceLock;

/// Registers the exit handler. Call it after the driver has been initialised: handlers run in reverse order, so the
/// driver's own handler then runs later.
pub(super) fn register() {
    static REGISTERED: OnceLock<()> = OnceLock::new();
    REGISTERED.get_or_init(|| {
        // SAFETY: the handler may run at any time, and does not unwind. If the registration fails, nothing is released.
        unsafe { libc::atexit(release_all) };
    });
}

extern "C" fn release_all() {
    for context in Context::all_open() {
        context.release_host_memory();
    }
}
