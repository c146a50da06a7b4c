//! How a thread of the CPU device stops: it unwinds, with what happened as the payload.
//!
//! Our own faults unwind without going through the panic hook, so that nothing is printed. Rust's own panics (integer
//! overflow, division by zero, a panic inside a called function) do go through it: a hook of ours takes their
//! position and message while a kernel runs on the thread, and is silent; all other panics go to the hook that was
//! there before. Where the program sets another hook later, that one hears of the next such panic, whose position is then
//! not known: Rust tells it to hooks alone, and nobody can ask which hook is set without taking it away for a moment. The
//! launch after that puts ours before the other one.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use crate::cpu::at::At;
use crate::error::FaultKind;
use crate::sync::{Mutex, assert_unlocked};
use crate::{methods, number};

/// A fault on its way up.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) kind: FaultKind,
}

/// Ends the thread with an index out of bounds.
#[cold]
#[inline(never)]
pub(crate) fn out_of_bounds(at: &'static At, index: usize, len: usize) -> ! {
    raise(at, FaultKind::IndexOutOfBounds { index: index as u64, len: len as u64 })
}

/// Ends the thread with a `panic!` of the user's, or an assertion of theirs.
#[cold]
#[inline(never)]
pub(crate) fn panic(at: &'static At, message: &dyn Display) -> ! {
    raise(at, FaultKind::Panic(message.to_string()))
}

/// Ends the thread with an operation of the warp whose mask does not name the thread's lane.
#[cold]
#[inline(never)]
pub(crate) fn not_in_mask(at: &'static At, operation: &str, lane: u32, mask: u32) -> ! {
    let message = format!("`{operation}` by lane {lane} with the mask {mask:#010x}, which does not name that lane");
    raise(at, FaultKind::Panic(message))
}

/// Unwinds with a fault.
fn raise(at: &'static At, kind: FaultKind) -> ! {
    let &At { file, line, column, id: _ } = at;
    if IN_KERNEL.get() {
        panic::resume_unwind(Box::new(Fault { file: file.to_owned(), line, column, kind }))
    }
    // The host called a device function: there it is an ordinary panic.
    panic!("{file}:{line}:{column}: {kind}")
}

thread_local! {
    /// A kernel runs on this thread, so that a panic is a fault.
    static IN_KERNEL: Cell<bool> = const { Cell::new(false) };
    /// The call, in a kernel on this thread, of a method of the standard library's that may panic.
    static LAST_CALL: Cell<Option<&'static At>> = const { Cell::new(None) };
    /// The last panic of Rust's in a kernel on this thread.
    static LAST_PANIC: RefCell<Option<Fault>> = const { RefCell::new(None) };
}

/// Runs part of a kernel, and gives the fault that ended it.
pub(crate) fn catch<R>(part: impl FnOnce() -> R) -> Result<R, Fault> {
    let outer = IN_KERNEL.replace(true);
    LAST_CALL.set(None);
    // Unwind safety: after a fault nothing reads what the part was changing but the user's arrays, which hold plain
    // numbers.
    let result = panic::catch_unwind(AssertUnwindSafe(part));
    IN_KERNEL.set(outer);
    result.map_err(from_payload)
}

/// Whether a kernel runs on this thread.
pub(crate) fn in_kernel() -> bool {
    IN_KERNEL.get()
}

/// Does what may panic for a reason that nobody is to hear of; `None` where it did. Call [`install_hook`] before, where no lock
/// is held.
pub(crate) fn quietly<R>(part: impl FnOnce() -> R) -> Option<R> {
    let outer = IN_KERNEL.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(part));
    IN_KERNEL.set(outer);
    if LAST_PANIC.take().is_none() && result.is_err() {
        INSTALLED.store(false, Ordering::Relaxed);
    }
    result.ok()
}

/// The fault in a caught panic.
fn from_payload(payload: Box<dyn Any + Send>) -> Fault {
    match payload.downcast::<Fault>() {
        Ok(fault) => *fault,
        Err(payload) => LAST_PANIC.take().unwrap_or_else(|| {
            // Another hook has replaced ours, so that the position is not known. The next launch looks for it.
            INSTALLED.store(false, Ordering::Relaxed);
            let kind = classify(message_of(payload.as_ref()));
            Fault { file: String::from("unknown"), line: 0, column: 0, kind }
        }),
    }
}

/// Whether `addition`, which overflows, is a panic: for the macros, where a panic unwinds and nothing else tells.
pub fn overflows(addition: fn() -> u8) -> bool {
    install_hook();
    catch(addition).is_err()
}

/// Our hook is the one that hears of panics, as far as we know.
static INSTALLED: AtomicBool = AtomicBool::new(false);

/// Our hook, as we set it last.
static OURS: Mutex<Option<Ours>> = Mutex::new(None);

/// How our hook is known again.
struct Ours {
    address: usize,
    /// It is still there, so that nothing else is at its address.
    alive: Weak<()>,
}

/// Makes panics of kernels silent: sees that the hook of the process is ours, if that is not known already.
pub(crate) fn install_hook() {
    if INSTALLED.load(Ordering::Relaxed) || std::thread::panicking() {
        return; // `set_hook` is not allowed while this thread unwinds; the next launch installs it
    }
    // `take_hook` waits for hooks that run, and so for what they wait for.
    assert_unlocked();
    // One at a time: another would take the hook while there is none.
    let mut ours = OURS.lock();
    if INSTALLED.load(Ordering::Relaxed) {
        return;
    }
    let previous = panic::take_hook();
    // A panic of a kernel may have come by without a hook, by `resume_unwind`.
    if ours.as_ref().is_some_and(|ours| ours.alive.strong_count() > 0 && ours.address == address_of(&*previous)) {
        panic::set_hook(previous);
    } else {
        let alive = Arc::new(());
        let weak = Arc::downgrade(&alive);
        let hook: Box<Hook> = Box::new(move |info| {
            let _ = &alive;
            if IN_KERNEL.get() { LAST_PANIC.set(Some(from_hook(info))) } else { previous(info) }
        });
        *ours = Some(Ours { address: address_of(&*hook), alive: weak });
        panic::set_hook(hook);
    }
    INSTALLED.store(true, Ordering::Relaxed);
}

type Hook = dyn Fn(&PanicHookInfo<'_>) + Send + Sync;

fn address_of(hook: &Hook) -> usize {
    std::ptr::from_ref(hook).addr()
}

/// Remembers a call of a method of the standard library's that may panic.
#[inline(always)]
pub(crate) fn note_call(at: &'static At) {
    LAST_CALL.set(Some(at));
}

/// The fault that a panic of Rust's is.
fn from_hook(info: &PanicHookInfo<'_>) -> Fault {
    let kind = classify(message_of(info.payload()));
    let Some(location) = info.location() else {
        return Fault { file: String::from("unknown"), line: 0, column: 0, kind };
    };
    match LAST_CALL.get() {
        Some(&At { file, line, column, .. }) if is_in_library(location.file()) || forwards(location.file()) => {
            Fault { file: file.to_owned(), line, column, kind }
        }
        _ => Fault { file: location.file().to_owned(), line: location.line(), column: location.column(), kind },
    }
}

/// Whether a source file is the standard library's: `/rustc/<commit>/library/core/src/num/mod.rs`, or the same below the
/// toolchain's folder where its sources are installed.
fn is_in_library(file: &str) -> bool {
    let file = file.replace('\\', "/");
    ["core", "std", "alloc"].iter().any(|name| file.contains(&format!("/library/{name}/src/")))
}

/// Whether a source file is one of ours that calls methods of the standard library for a kernel: where such a method tracks
/// its caller, that is what it names.
fn forwards(file: &str) -> bool {
    [methods::FORWARDING, number::FORWARDING].contains(&file)
}

fn message_of(payload: &dyn Any) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

/// What Rust's own message says happened. The texts are those of `core::panicking`.
fn classify(message: &str) -> FaultKind {
    match message {
        "attempt to divide by zero" | "attempt to calculate the remainder with a divisor of zero" => {
            FaultKind::DivisionByZero
        }
        text if text.starts_with("attempt to ") && text.ends_with(" overflow") => FaultKind::Overflow(text.to_owned()),
        text => index_of(text).unwrap_or_else(|| FaultKind::Panic(text.to_owned())),
    }
}

/// An index of a local array, which Rust itself has checked: its message is that of `panic_bounds_check`.
fn index_of(message: &str) -> Option<FaultKind> {
    let numbers = message.strip_prefix("index out of bounds: the len is ")?;
    let (len, index) = numbers.split_once(" but the index is ")?;
    Some(FaultKind::IndexOutOfBounds { index: index.parse().ok()?, len: len.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_rust_are_read() {
        assert_eq!(
            classify("attempt to add with overflow"),
            FaultKind::Overflow("attempt to add with overflow".to_owned())
        );
        assert_eq!(classify("attempt to divide by zero"), FaultKind::DivisionByZero);
        let four = std::hint::black_box(4);
        install_hook();
        let fault = catch(|| [1, 2, 3][four]).unwrap_err();
        assert_eq!(fault.kind, FaultKind::IndexOutOfBounds { index: 4, len: 3 });
        let text = "index out of bounds: the len is 4 but the index is mine";
        assert_eq!(classify(text), FaultKind::Panic(text.to_owned()));
    }
}
