//! The stack overflow report, and the record of the running thread that it needs.
//!
//! Stacks are sized by the kernel's frames. What remains is host code that a kernel calls, such as the Rust body of a
//! function in CUDA C, which may recurse without bound. It runs into the guard page below its stack, and cannot unwind
//! from there: frames may be incomplete. So the process ends, as with a stack overflow of any Rust thread, and reports
//! the kernel and the thread. The report is written by a signal handler on the thread's alternate stack; all other
//! memory faults are passed to the previously installed handler.

use std::cell::Cell;

use crate::cpu::block::BlockGeometry;
use crate::cpu::executor::stack_pool::StackSize;

/// The thread that a worker runs, for the report of a stack overflow.
pub(super) struct RunningThread {
    kernel: &'static str,
    size: StackSize,
    geometry: Cell<BlockGeometry>,
    thread: Cell<Option<usize>>,
    /// The address of the guard page of the current stack.
    guard_page: Cell<usize>,
}

impl RunningThread {
    /// Creates the record of a worker that runs no thread yet.
    pub(super) fn new(kernel: &'static str, size: StackSize) -> RunningThread {
        let (geometry, thread, guard_page) = (Cell::new(BlockGeometry::SINGLE), Cell::new(None), Cell::new(0));
        RunningThread { kernel, size, geometry, thread, guard_page }
    }

    /// Records that the threads of a block run next.
    #[inline]
    pub(super) fn set_block(&self, geometry: BlockGeometry) {
        self.geometry.set(geometry);
    }

    /// Records that a thread of the block runs next, on the stack with this guard page.
    #[inline]
    pub(super) fn set_thread_on_stack(&self, thread: usize, guard_page: usize) {
        self.thread.set(Some(thread));
        self.guard_page.set(guard_page);
    }

    /// Records that a thread of the block runs next, on the same stack.
    #[inline]
    pub(super) fn set_thread(&self, thread: usize) {
        self.thread.set(Some(thread));
    }

    /// Records that all threads run on the stack with this guard page.
    pub(super) fn set_guard_page(&self, guard_page: usize) {
        self.guard_page.set(guard_page);
    }

    /// Records that the running thread is unknown.
    pub(super) fn clear_thread(&self) {
        self.thread.set(None);
    }

    /// Runs the `work` of a worker, and reports its stack overflows.
    pub(super) fn monitor<R>(&self, work: impl FnOnce() -> R) -> R {
        report::monitor(self, work)
    }
}

#[cfg(unix)]
mod report {
    use std::alloc::{Layout, alloc, dealloc};
    use std::cell::Cell;
    use std::mem::MaybeUninit;
    use std::ptr::{self, null_mut};

    use libc::{c_int, c_void, siginfo_t};

    use super::RunningThread;
    use crate::dim::Dim3;
    use crate::sync::OnceLock;

    thread_local! {
        /// The record of the worker on this thread.
        static RUNNING: Cell<*const RunningThread> = const { Cell::new(ptr::null()) };
        /// The alternate stack, on a thread that had none.
        static ALTERNATE: Option<AlternateStack> = AlternateStack::install();
    }

    /// The signals that an access to a guard page raises.
    const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

    /// The previously installed handlers, and the page size.
    static PREVIOUS: OnceLock<([libc::sigaction; 2], usize)> = OnceLock::new();

    pub(super) fn monitor<R>(running: &RunningThread, work: impl FnOnce() -> R) -> R {
        struct Restore(*const RunningThread);
        impl Drop for Restore {
            fn drop(&mut self) {
                RUNNING.set(self.0);
            }
        }
        install();
        // In a destructor of a thread-local variable it may have been destroyed; the report is then lost.
        let _ = ALTERNATE.try_with(Option::is_some);
        let _restore = Restore(RUNNING.replace(running));
        work()
    }

    fn install() {
        static INSTALLED: OnceLock<()> = OnceLock::new();
        INSTALLED.get_or_init(|| {
            // SAFETY: it has no preconditions.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize };
            let previous = SIGNALS.map(|signal| {
                let mut action = MaybeUninit::zeroed();
                // SAFETY: with a null pointer it only returns the current action; all zeros are `SIG_DFL`.
                unsafe {
                    libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
                    action.assume_init()
                }
            });
            // Before ours is installed, which reads them.
            PREVIOUS.get_or_init(|| (previous, page));
            for signal in SIGNALS {
                // SAFETY: all zeros are a valid action; the handler has the signature that `SA_SIGINFO` requires, and
                // only calls async-signal-safe functions.
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

    /// The signal handler. It runs on the alternate stack of a few KiB and may interrupt any code: so it neither
    /// allocates, nor locks, nor formats.
    extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let Some((previous, page)) = PREVIOUS.get() else { return };
        let running = RUNNING.get();
        if !running.is_null() {
            // SAFETY: the pointer is set only while it refers to a live `RunningThread` of this thread, which is
            // interrupted and does not modify it meanwhile. The signal information is valid.
            let (running, address) = unsafe { (&*running, (*info).si_addr() as usize) };
            let guard_page = running.guard_page.get();
            if guard_page != 0 && address >= guard_page && address < guard_page + page {
                report(running);
                // SAFETY: it ends the process, and is async-signal-safe.
                unsafe { libc::abort() }
            }
        }
        let index = usize::from(signal != SIGNALS[0]);
        let action = &previous[index];
        match action.sa_sigaction {
            // Restores the previous action: the access is repeated when this returns.
            // SAFETY: the action was returned by `sigaction`.
            libc::SIG_DFL | libc::SIG_IGN => unsafe {
                libc::sigaction(signal, action, null_mut());
            },
            // SAFETY: a handler that was installed with `SA_SIGINFO` has this signature, and receives its own
            // arguments.
            handler if action.sa_flags & libc::SA_SIGINFO != 0 => unsafe {
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = std::mem::transmute(handler);
                handler(signal, info, context);
            },
            // SAFETY: a handler that was installed without it has this signature.
            handler => unsafe {
                let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
                handler(signal);
            },
        }
    }

    /// Writes which thread overflowed its stack.
    fn report(running: &RunningThread) {
        let geometry = running.geometry.get();
        write("\nthe stack of a thread overflowed on the CPU device: kernel `");
        write(running.kernel);
        write("`, block ");
        write_dim(geometry.block_idx);
        if let Some(thread) = running.thread.get() {
            write(", thread ");
            write_dim(geometry.block_dim.position(thread as u64));
        }
        write("\n  why: it needs more than the ");
        write_number(running.size.bytes() / 1024);
        write(
            " KiB that its variables were estimated to take\n  help: bound the recursion of the host functions that the \
             kernel calls, or make their local arrays smaller; a process cannot continue after a stack overflow\n",
        );
    }

    fn write(text: &str) {
        // SAFETY: the bytes are those of the text. An error is ignored.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }

    fn write_dim(dim: Dim3) {
        write("(");
        write_number(dim.x);
        write(", ");
        write_number(dim.y);
        write(", ");
        write_number(dim.z);
        write(")");
    }

    fn write_number(number: usize) {
        if number > 9 {
            write_number(number / 10);
        }
        let digit = number % 10;
        write(&"0123456789"[digit..=digit]);
    }

    /// An alternate signal stack, for a thread to which neither Rust's standard library nor other code has given one.
    struct AlternateStack(*mut u8);

    impl AlternateStack {
        const LAYOUT: Layout = match Layout::from_size_align(64 * 1024, 16) {
            Ok(layout) => layout,
            Err(_) => unreachable!(),
        };

        fn install() -> Option<AlternateStack> {
            // SAFETY: with a null pointer it only returns the current stack.
            let is_installed = unsafe {
                let mut present = MaybeUninit::<libc::stack_t>::zeroed();
                libc::sigaltstack(ptr::null(), present.as_mut_ptr());
                present.assume_init().ss_flags & libc::SS_DISABLE == 0
            };
            if is_installed {
                return None;
            }
            // SAFETY: the size is not 0.
            let memory = unsafe { alloc(Self::LAYOUT) };
            if memory.is_null() {
                return None;
            }
            let stack = libc::stack_t { ss_sp: memory.cast(), ss_flags: 0, ss_size: Self::LAYOUT.size() };
            // SAFETY: the memory belongs to the stack until the destructor has uninstalled it.
            unsafe { libc::sigaltstack(&raw const stack, null_mut()) };
            Some(AlternateStack(memory))
        }
    }

    impl Drop for AlternateStack {
        fn drop(&mut self) {
            let none = libc::stack_t { ss_sp: null_mut(), ss_flags: libc::SS_DISABLE, ss_size: Self::LAYOUT.size() };
            // SAFETY: no handler runs on this thread, whose thread-locals are being destroyed; the memory was allocated
            // with this layout.
            unsafe {
                libc::sigaltstack(&raw const none, null_mut());
                dealloc(self.0, Self::LAYOUT);
            }
        }
    }
}

/// Windows has no signals; its own report names the process only.
#[cfg(not(unix))]
mod report {
    use super::RunningThread;

    pub(super) fn monitor<R>(_running: &RunningThread, work: impl FnOnce() -> R) -> R {
        work()
    }
}
