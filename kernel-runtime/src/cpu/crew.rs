//! Who helps a thread with its launches: threads of rayon's pool, as far as they come.
//!
//! A launch opens a call for help and closes it when its own thread has nothing left to do. It then waits for those
//! that have come, and for nobody else: whoever comes later finds the call closed, and touches nothing of the launch.
//! So the workers of the pool may be busy, or wait for a lock that the launching thread holds, and the launch ends all
//! the same. Nor does it wait through rayon, which would run other work of the user's on this thread meanwhile, work
//! that may want a lock which this thread has. A GPU does neither.
//!
//! Who helps waits for nothing but other blocks, and so not for the standard output either, which the launching thread
//! may have locked: what a helper's blocks print is left with the crew, and the launching thread writes it out. A launch
//! that uses stacks of the pool writes when it is over ([`withhold`]), as a GPU does: the thread that has the standard
//! output may be waiting for those stacks.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cpu::fault;
use crate::print;
use crate::sync::{Condvar, Mutex, MutexGuard};

/// The helpers of one thread.
#[derive(Default)]
struct Crew {
    state: Mutex<State>,
    /// A helper has left or said something, and the thread waits for it.
    changed: Condvar,
    /// There may be words to write out.
    has_said: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Jobs that the pool has and has not begun. They are for whatever call is open when they begin: so the pool never
    /// has more of them than the thread can use, however many launches are over by then.
    asked: usize,
    /// The calls that are open, each of a launch inside the one before.
    calls: Vec<Call>,
    /// What helpers have printed.
    said: String,
    /// The thread waits for `changed`.
    waits: bool,
}

/// A call for help.
struct Call {
    help: Help,
    /// How many may still come.
    wanted: usize,
    /// How many have come and not left.
    inside: usize,
    /// What a helper unwound with.
    panic: Option<Box<dyn Any + Send>>,
}

/// What helpers do. Only those that are `inside` its call may use it.
#[derive(Clone, Copy)]
struct Help(*const (dyn Fn() + Sync));

// SAFETY: it stands for a shared reference to something that is `Sync`.
unsafe impl Send for Help {}

thread_local! {
    /// This thread's helpers.
    static OWN: Arc<Crew> = Arc::default();
    /// The crew that this thread helps in.
    static HELPS: RefCell<Option<Arc<Crew>>> = const { RefCell::new(None) };
    /// How many launches of this thread withhold what is printed.
    static WITHHELD: Cell<usize> = const { Cell::new(0) };
}

/// The text that kernels print on this thread is buffered until this is dropped.
pub(super) struct Withheld(());

/// Buffers what kernels print on this thread.
pub(super) fn withhold() -> Withheld {
    WITHHELD.set(WITHHELD.get() + 1);
    Withheld(())
}

impl Drop for Withheld {
    fn drop(&mut self) {
        WITHHELD.set(WITHHELD.get() - 1);
        write_out();
    }
}

fn is_withheld() -> bool {
    WITHHELD.get() > 0
}

/// Runs `lead` on this thread, and `help` on up to `helpers` threads of the pool beside it, or on fewer, or on none.
/// Those that have begun are waited for.
///
/// # Panics
///
/// As `lead` does, or one of those that helped.
pub(super) fn run(helpers: usize, help: &(dyn Fn() + Sync), lead: impl FnOnce()) {
    if helpers == 0 {
        return lead();
    }
    // A launch in the destructor of a thread's variable may find its crew gone.
    let crew = OWN.try_with(Arc::clone).unwrap_or_default();
    // From here on nothing may unwind before the call is closed.
    let missing = crew.open(help, helpers);
    let ended = panic::catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..missing {
            let crew = Arc::clone(&crew);
            rayon::spawn(move || crew.help());
        }
        lead();
    }));
    let unwound = crew.close();
    if let Some(panic) = ended.err().or(unwound) {
        panic::resume_unwind(panic);
    }
}

/// Prints what a kernel, or a device function that the host calls, says on this thread.
pub(super) fn say(text: &str) {
    if !fault::in_kernel() {
        print!("{text}"); // the host's own, with what becomes of that where it cannot be
    } else if let Some(crew) = helped() {
        crew.leave_word(text);
    } else if let Some(own) = is_withheld().then(|| OWN.try_with(Arc::clone).ok()).flatten() {
        own.leave_word(text);
    } else {
        write_out(); // what others said first may be what this is the answer to
        print::to_stdout(text);
    }
}

/// Writes out what this thread's helpers have printed so far, unless it is withheld.
#[inline]
pub(super) fn write_out() {
    if is_withheld() {
        return;
    }
    let _ = OWN.try_with(|crew| {
        if crew.has_said.load(Ordering::Relaxed) {
            let said = crew.take_words(&mut crew.state());
            pass_on(&said);
        }
    });
}

/// Prints what helpers of this thread said; where this thread is a helper itself, that is up to the thread it helps.
fn pass_on(text: &str) {
    match helped() {
        Some(crew) => crew.leave_word(text),
        None => print::to_stdout(text),
    }
}

/// The crew that this thread helps in.
fn helped() -> Option<Arc<Crew>> {
    HELPS.try_with(|crew| crew.borrow().clone()).ok().flatten()
}

impl Crew {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in between can panic and leave the state half changed.
        self.state.lock()
    }

    /// Opens a call for help, and says how many jobs the pool is to get for it. It has to be closed before `help` ends.
    #[expect(clippy::transmute_ptr_to_ptr, reason = "rustc need not let `as` prolong the life of a trait object")]
    fn open(&self, help: &(dyn Fn() + Sync), wanted: usize) -> usize {
        let help = std::ptr::from_ref(help);
        // SAFETY: the two differ in a lifetime alone, which a raw pointer promises nothing about.
        let help =
            Help(unsafe { std::mem::transmute::<*const (dyn Fn() + Sync + '_), *const (dyn Fn() + Sync)>(help) });
        let mut state = self.state();
        state.calls.push(Call { help, wanted, inside: 0, panic: None });
        let missing = wanted.saturating_sub(state.asked);
        state.asked += missing;
        missing
    }

    /// Closes the call that was opened last, waits for those that have come, and gives what one of them unwound with.
    fn close(&self) -> Option<Box<dyn Any + Send>> {
        let mut state = self.state();
        if let Some(call) = state.calls.last_mut() {
            call.wanted = 0;
        }
        loop {
            if !state.said.is_empty() && !is_withheld() {
                let said = self.take_words(&mut state);
                drop(state);
                pass_on(&said);
                state = self.state();
            } else if state.calls.last().is_some_and(|call| call.inside > 0) {
                state.waits = true;
                state = self.changed.wait(state);
                state.waits = false;
            } else {
                return state.calls.pop().and_then(|call| call.panic);
            }
        }
    }

    /// A job of the pool: helps with the innermost launch that wants it, if there is one.
    fn help(self: Arc<Self>) {
        let mut state = self.state();
        state.asked -= 1;
        // A kernel on this thread may wait for the pool, which then begins whatever it has. Blocks that it began would
        // wait for those below them on this very stack.
        if fault::in_kernel() {
            return;
        }
        let Some(number) = state.calls.iter().rposition(|call| call.wanted > 0) else { return };
        let call = &mut state.calls[number];
        call.wanted -= 1;
        call.inside += 1;
        let Help(help) = call.help;
        drop(state);
        let before = HELPS.replace(Some(Arc::clone(&self)));
        let helped = panic::catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the call was found open, and this thread counted as being inside, under one lock. Until it is not
            // any more, `close` does not return, and `run` borrows `help` until then.
            unsafe { (*help)() }
        }));
        HELPS.set(before);
        let mut state = self.state();
        // The call stands where it stood: it is closed after those inside of it, and not before this thread has left.
        let Call { inside, panic, .. } = &mut state.calls[number];
        *inside -= 1;
        let last = *inside == 0;
        let surplus = match helped {
            Err(payload) if panic.is_none() => panic.replace(payload),
            other => other.err(),
        };
        if last && state.waits {
            self.changed.notify_one();
        }
        drop(state);
        // Behind the lock: what another panic carries may do anything when it is dropped.
        drop(surplus);
    }

    /// Leaves what a helper prints for the thread that it helps.
    fn leave_word(&self, text: &str) {
        let mut state = self.state();
        state.said.push_str(text);
        self.has_said.store(true, Ordering::Relaxed);
        if state.waits {
            self.changed.notify_one();
        }
    }

    fn take_words(&self, state: &mut State) -> String {
        self.has_said.store(false, Ordering::Relaxed);
        std::mem::take(&mut state.said)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn wait_for(what: impl Fn() -> bool) {
        while !what() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn who_comes_late_finds_nothing_to_do() {
        for _ in 0..2000 {
            // Helpers that came after `run` would write to what is gone.
            let helping = AtomicUsize::new(0);
            let help = || {
                helping.fetch_add(1, Ordering::SeqCst);
                std::thread::yield_now();
                helping.fetch_sub(1, Ordering::SeqCst);
            };
            run(8, &help, || ());
            assert_eq!(helping.load(Ordering::SeqCst), 0);
        }
        let crew = OWN.with(Arc::clone);
        assert!(crew.state().asked <= 8, "the pool has no more than was wanted");
        assert!(crew.state().calls.is_empty());
    }

    #[test]
    fn a_launch_inside_a_launch_has_helpers_too() {
        let (outer, inner) = (AtomicUsize::new(0), AtomicUsize::new(0));
        run(1, &|| _ = outer.fetch_add(1, Ordering::SeqCst), || {
            wait_for(|| outer.load(Ordering::SeqCst) == 1);
            run(1, &|| _ = inner.fetch_add(1, Ordering::SeqCst), || wait_for(|| inner.load(Ordering::SeqCst) == 1));
        });
        assert_eq!((outer.into_inner(), inner.into_inner()), (1, 1));
    }

    #[test]
    fn who_unwinds_is_waited_for_and_heard() {
        fn message(run: impl FnOnce()) -> &'static str {
            let payload = panic::catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
            payload.downcast_ref::<&str>().copied().expect("a text")
        }
        let (come, left) = (AtomicBool::new(false), AtomicBool::new(false));
        let helper = || {
            come.store(true, Ordering::SeqCst);
            panic::resume_unwind(Box::new("the helper"));
        };
        assert_eq!(message(|| run(1, &helper, || wait_for(|| come.load(Ordering::SeqCst)))), "the helper");
        come.store(false, Ordering::SeqCst);
        let helper = || {
            come.store(true, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(20));
            left.store(true, Ordering::SeqCst);
        };
        let lead = || {
            wait_for(|| come.load(Ordering::SeqCst));
            panic::resume_unwind(Box::new("the first"));
        };
        assert_eq!(message(|| run(1, &helper, lead)), "the first");
        assert!(left.into_inner());
    }
}
