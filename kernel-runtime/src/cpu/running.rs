//! The thread of a kernel that runs on a stack of ours, and the report of a stack overflow.
//!
//! Stacks are sized by what a kernel needs. What is left is code of the host's that a kernel calls, such as the Rust body
//! of a function in CUDA C, which may recurse without bound. It runs into the guard page below its stack, and no unwinding
//! is possible from there: frames may be half set up. So the process ends, as with an overflow of any thread of Rust's, and
//! says what overflowed. The report is written by a signal handler on the alternate stack of the thread; all other faults of
//! memory go to the handler that was there before.

use std::cell::Cell;

use crate::cpu::block::Position;
use crate::cpu::stacks::Size;

/// What a worker runs, for the report of a stack overflow.
pub(crate) struct Running {
    kernel: &'static str,
    size: Size,
    position: Cell<Position>,
    thread: Cell<Option<usize>>,
    /// Where the guard page of the stack begins that is in use.
    guard: Cell<usize>,
}

impl Running {
    /// Nothing runs yet.
    pub(crate) fn new(kernel: &'static str, size: Size) -> Running {
        let (position, thread, guard) = (Cell::new(Position::SINGLE), Cell::new(None), Cell::new(0));
        Running { kernel, size, position, thread, guard }
    }

    /// The threads of a block are next.
    #[inline]
    pub(crate) fn begin(&self, position: Position) {
        self.position.set(position);
    }

    /// A thread of the block is next, on the stack whose guard page begins at `guard`.
    #[inline]
    pub(crate) fn resume(&self, thread: usize, guard: usize) {
        self.thread.set(Some(thread));
        self.guard.set(guard);
    }

    /// A thread of the block is next, on the same stack.
    #[inline]
    pub(crate) fn next(&self, thread: usize) {
        self.thread.set(Some(thread));
    }

    /// All threads are on the stack whose guard page begins at `guard`.
    pub(crate) fn on(&self, guard: usize) {
        self.guard.set(guard);
    }

    /// None that is known is next.
    pub(crate) fn between_threads(&self) {
        self.thread.set(None);
    }

    /// Does the `work` of a worker, whose stack overflows are reported.
    pub(crate) fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        report::during(self, work)
    }
}

#[cfg(unix)]
mod report {
    use std::alloc::{Layout, alloc, dealloc};
    use std::cell::Cell;
    use std::mem::MaybeUninit;
    use std::ptr::{self, null_mut};

    use libc::{c_int, c_void, siginfo_t};

    use super::Running;
    use crate::dim::Dim3;
    use crate::sync::OnceLock;

    thread_local! {
        /// What runs on this thread.
        static RUNNING: Cell<*const Running> = const { Cell::new(ptr::null()) };
        /// The stack for the handler, on a thread that had none.
        static ALTERNATE: Option<Alternate> = Alternate::install();
    }

    /// The signals of an access to a guard page.
    const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

    /// The handlers that were there before, and the size of a page.
    static BEFORE: OnceLock<([libc::sigaction; 2], usize)> = OnceLock::new();

    pub(super) fn during<R>(running: &Running, work: impl FnOnce() -> R) -> R {
        struct Restore(*const Running);
        impl Drop for Restore {
            fn drop(&mut self) {
                RUNNING.set(self.0);
            }
        }
        install();
        // In the destructor of a thread's variable it may be gone; the report is then lost.
        let _ = ALTERNATE.try_with(Option::is_some);
        let _restore = Restore(RUNNING.replace(running));
        work()
    }

    fn install() {
        static INSTALLED: OnceLock<()> = OnceLock::new();
        INSTALLED.get_or_init(|| {
            // SAFETY: it has no preconditions.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize };
            let before = SIGNALS.map(|signal| {
                let mut action = MaybeUninit::zeroed();
                // SAFETY: with a null pointer it only writes the present action; all zeros are `SIG_DFL`.
                unsafe {
                    libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
                    action.assume_init()
                }
            });
            // Before ours is there: it reads them.
            BEFORE.get_or_init(|| (before, page));
            for signal in SIGNALS {
                // SAFETY: all zeros are an action; the handler has the type that `SA_SIGINFO` asks for, and does only what
                // is allowed in one.
                unsafe {
                    let mut action: libc::sigaction = std::mem::zeroed();
                    let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = handle;
                    action.sa_sigaction = handler as *const () as usize;
                    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                    libc::sigemptyset(&raw mut action.sa_mask);
                    libc::sigaction(signal, &raw const action, null_mut());
                }
            }
        });
    }

    /// The handler. It runs on the alternate stack, of a few KiB, in the middle of anything: so it neither allocates, nor
    /// locks, nor formats.
    extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let Some((before, page)) = BEFORE.get() else { return };
        let running = RUNNING.get();
        if !running.is_null() {
            // SAFETY: the pointer is set for as long as it leads to a live `Running` of this thread, which has been
            // interrupted: nothing changes it meanwhile. The information is the kernel's.
            let (running, address) = unsafe { (&*running, (*info).si_addr() as usize) };
            let guard = running.guard.get();
            if guard != 0 && address >= guard && address < guard + page {
                report(running);
                // SAFETY: it ends the process, and may be called in a handler.
                unsafe { libc::abort() }
            }
        }
        let index = usize::from(signal != SIGNALS[0]);
        let action = &before[index];
        match action.sa_sigaction {
            // Back to what there was: the access is tried again when this returns.
            // SAFETY: the action is one that `sigaction` gave.
            libc::SIG_DFL | libc::SIG_IGN => unsafe {
                libc::sigaction(signal, action, null_mut());
            },
            // SAFETY: the handler that was set with `SA_SIGINFO` has this type, and gets what it would have got.
            handler if action.sa_flags & libc::SA_SIGINFO != 0 => unsafe {
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = std::mem::transmute(handler);
                handler(signal, info, context);
            },
            // SAFETY: the handler that was set without it has this type.
            handler => unsafe {
                let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
                handler(signal);
            },
        }
    }

    /// Says which thread overflowed its stack.
    fn report(running: &Running) {
        let position = running.position.get();
        say("\nthe stack of a thread overflowed on the CPU device: kernel `");
        say(running.kernel);
        say("`, block ");
        say_dim(position.block_idx);
        if let Some(thread) = running.thread.get() {
            say(", thread ");
            say_dim(position.block_dim.position(thread as u64));
        }
        say("\n  why: it needs more than the ");
        say_number(running.size.bytes() / 1024);
        say(
            " KiB that its variables were estimated to take\n  help: bound the recursion of the host functions that the \
             kernel calls, or make their local arrays smaller; a process cannot go on after a stack overflow\n",
        );
    }

    fn say(text: &str) {
        // SAFETY: the bytes are those of the text. Where nobody takes them, they are lost.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }

    fn say_dim(dim: Dim3) {
        say("(");
        say_number(dim.x);
        say(", ");
        say_number(dim.y);
        say(", ");
        say_number(dim.z);
        say(")");
    }

    fn say_number(number: usize) {
        if number > 9 {
            say_number(number / 10);
        }
        let digit = number % 10;
        say(&"0123456789"[digit..=digit]);
    }

    /// An alternate signal stack, on a thread that neither Rust's standard library nor anyone else gave one.
    struct Alternate(*mut u8);

    impl Alternate {
        const LAYOUT: Layout = match Layout::from_size_align(64 * 1024, 16) {
            Ok(layout) => layout,
            Err(_) => unreachable!(),
        };

        fn install() -> Option<Alternate> {
            // SAFETY: with a null pointer it only writes the present stack.
            let there_is = unsafe {
                let mut present = MaybeUninit::<libc::stack_t>::zeroed();
                libc::sigaltstack(ptr::null(), present.as_mut_ptr());
                present.assume_init().ss_flags & libc::SS_DISABLE == 0
            };
            if there_is {
                return None;
            }
            // SAFETY: the size is not 0.
            let memory = unsafe { alloc(Self::LAYOUT) };
            if memory.is_null() {
                return None;
            }
            let stack = libc::stack_t { ss_sp: memory.cast(), ss_flags: 0, ss_size: Self::LAYOUT.size() };
            // SAFETY: the memory is the stack's until the destructor has taken the stack away.
            unsafe { libc::sigaltstack(&raw const stack, null_mut()) };
            Some(Alternate(memory))
        }
    }

    impl Drop for Alternate {
        fn drop(&mut self) {
            let none = libc::stack_t { ss_sp: null_mut(), ss_flags: libc::SS_DISABLE, ss_size: Self::LAYOUT.size() };
            // SAFETY: no handler runs on this thread, whose variables are being destroyed; the memory was allocated with
            // this layout.
            unsafe {
                libc::sigaltstack(&raw const none, null_mut());
                dealloc(self.0, Self::LAYOUT);
            }
        }
    }
}

/// Windows has no signals; its own report names the process.
#[cfg(not(unix))]
mod report {
    use super::Running;

    pub(super) fn during<R>(_running: &Running, work: impl FnOnce() -> R) -> R {
        work()
    }
}
