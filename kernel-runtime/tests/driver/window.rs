//! A window in the middle of a driver call, in which another thread acts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::fake::Fake;

/// Set at the beginning of the driver call.
pub(crate) static OPEN: AtomicBool = AtomicBool::new(false);
/// Ends the wait of the driver call.
pub(crate) static DONE: AtomicBool = AtomicBool::new(false);

/// Waits for a flag; returns after a fifth of a second in any case.
pub(crate) fn wait_for(flag: &AtomicBool) {
    let start = Instant::now();
    while !flag.load(Ordering::SeqCst) && start.elapsed() < Duration::from_millis(200) {
        std::thread::yield_now();
    }
}

/// Opens the window in the next call of a driver function. The other thread may have to wait for the end of the call, so the
/// window is not open for long.
pub(crate) fn open_in(fake: &Fake, function: &str) {
    extern "C" fn open() {
        OPEN.store(true, Ordering::SeqCst);
        wait_for(&DONE);
    }
    fake.hook(function, open);
}

/// Runs `work` in the window, on another thread, while this one runs `call`.
pub(crate) fn during(fake: &Fake, function: &str, call: impl FnOnce(), work: impl FnOnce() + Send) {
    open_in(fake, function);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_for(&OPEN);
            work();
            DONE.store(true, Ordering::SeqCst);
        });
        call();
    });
    assert!(OPEN.swap(false, Ordering::SeqCst) && DONE.swap(false, Ordering::SeqCst), "{function} was called");
}
