//! Work sharing: lets idle threads of rayon's pool run a part of the calling thread's work.
//!
//! [`run`] opens a region, queues jobs in the pool, and closes the region when the calling thread has no work left. It
//! then waits for the helpers that have entered the region, and for no others: a job that starts later finds the region
//! closed and returns without touching its data. So the call completes even if all workers of the pool are busy, or
//! wait for a lock that the calling thread holds. It does not wait through rayon, which would run unrelated jobs on the
//! calling thread meanwhile; these may need a lock which that thread holds. Neither can happen on
//! a GPU.
//!
//! A helper waits for nothing but other blocks, and so not for the standard output, which the calling thread may have
//! locked: the output of a helper's blocks is buffered, and the calling thread writes it. A grid that uses pooled
//! stacks writes its output when it has ended ([`buffer_output`]), as on a GPU: the thread that holds the lock of the
//! standard output may be waiting for those stacks.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cpu::fault;
use crate::sync::{Condvar, Mutex, MutexGuard, assert_unlocked};

/// The work-sharing state of one thread.
#[derive(Default)]
struct WorkSharing {
    state: Mutex<State>,
    /// Notified when a helper has left the region or printed, and the owner waits.
    changed: Condvar,
    /// Whether there may be buffered output.
    has_output: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The number of queued jobs that have not started. A job serves whichever region is open when it starts, so that
    /// the number of queued jobs never exceeds what the thread can use, however many regions have been closed
    /// meanwhile.
    queued_jobs: usize,
    /// The open regions, innermost last.
    regions: Vec<Region>,
    /// The buffered output of helpers.
    output: String,
    /// Whether the owner waits for `changed`.
    owner_waits: bool,
}

/// A call of [`run`] that helpers may enter.
struct Region {
    task: Task,
    /// The number of helpers that may still enter.
    wanted: usize,
    /// The number of helpers that have entered and not left.
    inside: usize,
    /// The payload of the first panic of a helper.
    panic: Option<Box<dyn Any + Send>>,
}

/// The work of a helper. It may be called only by threads that are counted in [`Region::inside`].
#[derive(Clone, Copy)]
struct Task(*const (dyn Fn() + Sync));

// SAFETY: it represents a shared reference to a value that is `Sync`.
unsafe impl Send for Task {}

thread_local! {
    /// The state that this thread owns.
    static OWN: Arc<WorkSharing> = Arc::default();
    /// The state of the thread that this thread helps.
    static HELPED: RefCell<Option<Arc<WorkSharing>>> = const { RefCell::new(None) };
    /// The number of [`OutputBuffer`]s of this thread.
    static OUTPUT_BUFFERS: Cell<usize> = const { Cell::new(0) };
}

/// A guard that buffers the output of kernels on this thread, and flushes it when dropped.
pub(super) struct OutputBuffer(());

/// Buffers the output of kernels on this thread until the result is dropped.
pub(super) fn buffer_output() -> OutputBuffer {
    OUTPUT_BUFFERS.set(OUTPUT_BUFFERS.get() + 1);
    OutputBuffer(())
}

impl Drop for OutputBuffer {
    fn drop(&mut self) {
        OUTPUT_BUFFERS.set(OUTPUT_BUFFERS.get() - 1);
        flush();
    }
}

fn is_buffering() -> bool {
    OUTPUT_BUFFERS.get() > 0
}

/// Runs `lead` on this thread, and `task` on up to `helpers` threads of the pool in parallel, or on fewer, or on none.
/// Returns when `lead` and all helpers that have started have ended.
///
/// # Panics
///
/// If `lead` or a helper panics.
pub(super) fn run(helpers: usize, task: &(dyn Fn() + Sync), lead: impl FnOnce()) {
    if helpers == 0 {
        return lead();
    }
    // In a destructor of a thread-local variable, the thread's own state may have been destroyed.
    let sharing = OWN.try_with(Arc::clone).unwrap_or_default();
    // From here on nothing may unwind before the region is closed.
    let missing = sharing.open_region(task, helpers);
    let ended = panic::catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..missing {
            let sharing = Arc::clone(&sharing);
            rayon::spawn(move || sharing.run_job());
        }
        lead();
    }));
    let unwound = sharing.close_region();
    if let Some(panic) = ended.err().or(unwound) {
        panic::resume_unwind(panic);
    }
}

/// Prints text of a kernel, or of a device function that the host calls, on this thread.
pub(super) fn print_text(text: &str) {
    if !fault::in_kernel() {
        print!("{text}"); // called by the host: an error of the standard output is reported as usual
    } else if let Some(helped) = helped() {
        helped.buffer(text);
    } else if let Some(own) = is_buffering().then(|| OWN.try_with(Arc::clone).ok()).flatten() {
        own.buffer(text);
    } else {
        flush(); // the text may respond to earlier output of helpers
        to_stdout(text);
    }
}

/// Writes the buffered output of this thread's helpers, unless an [`OutputBuffer`] exists.
#[inline]
pub(super) fn flush() {
    if is_buffering() {
        return;
    }
    let _ = OWN.try_with(|own| {
        if own.has_output.load(Ordering::Relaxed) {
            let output = own.take_output(&mut own.state());
            forward(&output);
        }
    });
}

/// Prints the output of this thread's helpers. If this thread is a helper itself, the text is buffered for its owner.
fn forward(text: &str) {
    match helped() {
        Some(helped) => helped.buffer(text),
        None => to_stdout(text),
    }
}

/// Returns the state of the thread that this thread helps, if it helps one.
fn helped() -> Option<Arc<WorkSharing>> {
    HELPED.try_with(|helped| helped.borrow().clone()).ok().flatten()
}

impl WorkSharing {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code under the lock can panic and leave the state inconsistent.
        self.state.lock()
    }

    /// Opens a region, and returns the number of jobs to queue. The region must be closed before `task` ends.
    #[expect(clippy::transmute_ptr_to_ptr, reason = "rustc does not let `as` extend the lifetime of a trait object")]
    fn open_region(&self, task: &(dyn Fn() + Sync), wanted: usize) -> usize {
        let task = std::ptr::from_ref(task);
        // SAFETY: the types differ only in a lifetime, and a raw pointer guarantees nothing about it.
        let task =
            Task(unsafe { std::mem::transmute::<*const (dyn Fn() + Sync + '_), *const (dyn Fn() + Sync)>(task) });
        let mut state = self.state();
        state.regions.push(Region { task, wanted, inside: 0, panic: None });
        let missing = wanted.saturating_sub(state.queued_jobs);
        state.queued_jobs += missing;
        missing
    }

    /// Closes the innermost region, waits for the helpers inside, and returns the first panic of a helper.
    fn close_region(&self) -> Option<Box<dyn Any + Send>> {
        let mut state = self.state();
        if let Some(region) = state.regions.last_mut() {
            region.wanted = 0;
        }
        loop {
            if !state.output.is_empty() && !is_buffering() {
                let output = self.take_output(&mut state);
                drop(state);
                forward(&output);
                state = self.state();
            } else if state.regions.last().is_some_and(|region| region.inside > 0) {
                state.owner_waits = true;
                state = self.changed.wait(state);
                state.owner_waits = false;
            } else {
                return state.regions.pop().and_then(|region| region.panic);
            }
        }
    }

    /// The body of a queued job: runs the task of the innermost region that wants a helper, if there is one.
    fn run_job(self: Arc<Self>) {
        let mut state = self.state();
        state.queued_jobs -= 1;
        // A kernel on this thread may wait for the pool, which then runs any queued job on the same stack. Blocks
        // started here would wait for the blocks below them on this stack.
        if fault::in_kernel() {
            return;
        }
        let Some(number) = state.regions.iter().rposition(|region| region.wanted > 0) else { return };
        let region = &mut state.regions[number];
        region.wanted -= 1;
        region.inside += 1;
        let Task(task) = region.task;
        drop(state);
        let previous = HELPED.replace(Some(Arc::clone(&self)));
        let result = panic::catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the region was open and this thread was counted as being inside, under one lock. While it is
            // counted, `close_region` does not return, and `run` borrows `task` until then.
            unsafe { (*task)() }
        }));
        HELPED.set(previous);
        let mut state = self.state();
        // The region has kept its position: it is closed after the regions inside it, and not before this thread has
        // left.
        let Region { inside, panic, .. } = &mut state.regions[number];
        *inside -= 1;
        let last = *inside == 0;
        let surplus = match result {
            Err(payload) if panic.is_none() => panic.replace(payload),
            other => other.err(),
        };
        if last && state.owner_waits {
            self.changed.notify_one();
        }
        drop(state);
        // After the lock is released: the destructor of a panic's payload is foreign code.
        drop(surplus);
    }

    /// Buffers output for the owner.
    fn buffer(&self, text: &str) {
        let mut state = self.state();
        state.output.push_str(text);
        self.has_output.store(true, Ordering::Relaxed);
        if state.owner_waits {
            self.changed.notify_one();
        }
    }

    fn take_output(&self, state: &mut State) -> String {
        self.has_output.store(false, Ordering::Relaxed);
        std::mem::take(&mut state.output)
    }
}

/// Prints messages. If the standard output is closed they are lost, as those of a C program.
///
/// It waits for the lock of the standard output, so this thread must hold no lock of the crate. The caller must have
/// called [`fault::install_hook`], which may wait for the hooks of other threads, before it locks the output itself.
pub fn to_stdout(text: &str) {
    if text.is_empty() {
        return;
    }
    assert_unlocked();
    if cfg!(panic = "unwind") {
        // `print!` can be captured by a test harness, and panics if it cannot print.
        fault::quietly(|| print!("{text}"));
    } else {
        let _ = io::stdout().write_all(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn wait_until(condition: impl Fn() -> bool) {
        while !condition() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn late_helpers_find_the_region_closed() {
        for _ in 0..2000 {
            // Helpers that started after `run` would write to a variable that no longer exists.
            let helping = AtomicUsize::new(0);
            let help = || {
                helping.fetch_add(1, Ordering::SeqCst);
                std::thread::yield_now();
                helping.fetch_sub(1, Ordering::SeqCst);
            };
            run(8, &help, || ());
            assert_eq!(helping.load(Ordering::SeqCst), 0);
        }
        let sharing = OWN.with(Arc::clone);
        assert!(sharing.state().queued_jobs <= 8, "no more jobs are queued than were wanted");
        assert!(sharing.state().regions.is_empty());
    }

    #[test]
    fn nested_regions_have_helpers() {
        let (outer, inner) = (AtomicUsize::new(0), AtomicUsize::new(0));
        run(1, &|| _ = outer.fetch_add(1, Ordering::SeqCst), || {
            wait_until(|| outer.load(Ordering::SeqCst) == 1);
            run(1, &|| _ = inner.fetch_add(1, Ordering::SeqCst), || wait_until(|| inner.load(Ordering::SeqCst) == 1));
        });
        assert_eq!((outer.into_inner(), inner.into_inner()), (1, 1));
    }

    #[test]
    fn panics_of_helpers_are_propagated_after_all_have_left() {
        fn message(run: impl FnOnce()) -> &'static str {
            let payload = panic::catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
            payload.downcast_ref::<&str>().copied().expect("a text")
        }
        let (started, left) = (AtomicBool::new(false), AtomicBool::new(false));
        let helper = || {
            started.store(true, Ordering::SeqCst);
            panic::resume_unwind(Box::new("the helper"));
        };
        assert_eq!(message(|| run(1, &helper, || wait_until(|| started.load(Ordering::SeqCst)))), "the helper");
        started.store(false, Ordering::SeqCst);
        let helper = || {
            started.store(true, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(20));
            left.store(true, Ordering::SeqCst);
        };
        let lead = || {
            wait_until(|| started.load(Ordering::SeqCst));
            panic::resume_unwind(Box::new("the first"));
        };
        assert_eq!(message(|| run(1, &helper, lead)), "the first");
        assert!(left.into_inner());
    }
}
