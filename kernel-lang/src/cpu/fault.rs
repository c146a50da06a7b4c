//! Faults of the CPU executor: a thread that faults unwinds with the fault as its payload.
//!
//! Faults raised by the executor unwind without the panic hook, so that nothing is printed. Rust's own panics (integer
//! overflow, division by zero, a panic in a called function) do run the panic hook: while a kernel runs on the thread,
//! a hook installed here records their position and message silently; other panics go to the previously installed hook.
//! If the program installs another hook later, that hook receives the next such panic, whose position is then unknown:
//! Rust passes it to hooks only, and the installed hook cannot be queried without removing it for a moment. The next
//! grid installs our hook again, in front of the other one.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use crate::cpu::location::Location;
use crate::fault::FaultKind;
use crate::sync::{Mutex, assert_unlocked};

/// A fault with its source location.
#[derive(Debug)]
pub struct Fault {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub kind: FaultKind,
}

/// Ends the thread with an out-of-bounds fault.
#[cold]
#[inline(never)]
pub fn out_of_bounds(at: &'static Location, index: usize, len: usize) -> ! {
    raise(at, FaultKind::IndexOutOfBounds { index: index as u64, len: len as u64 })
}

/// Ends the thread with the fault of a `panic!` or a failed assertion.
#[cold]
#[inline(never)]
pub fn panic(at: &'static Location, message: &dyn Display) -> ! {
    raise(at, FaultKind::Panic(message.to_string().into()))
}

/// Ends the thread with the fault of a warp operation whose mask does not contain the thread's lane.
#[cold]
#[inline(never)]
pub fn not_in_mask(at: &'static Location, operation: &str, lane: u32, mask: u32) -> ! {
    let message = format!("`{operation}` by lane {lane} with the mask {mask:#010x}, which does not name that lane");
    raise(at, FaultKind::Panic(message.into()))
}

/// Unwinds with a fault, or panics if no kernel runs on this thread.
fn raise(at: &'static Location, kind: FaultKind) -> ! {
    let &Location { file, line, column, id: _ } = at;
    if IN_KERNEL.get() {
        panic::resume_unwind(Box::new(Fault { file: file.to_owned(), line, column, kind }))
    }
    // The host called a device function, where a fault is an ordinary panic.
    panic!("{file}:{line}:{column}: {kind}")
}

thread_local! {
    /// Whether a kernel runs on this thread, so that a panic is a fault.
    static IN_KERNEL: Cell<bool> = const { Cell::new(false) };
    /// The location of the last call, in a kernel on this thread, of a library function that may panic.
    static LAST_CALL: Cell<Option<&'static Location>> = const { Cell::new(None) };
    /// The last panic raised by Rust in a kernel on this thread.
    static LAST_PANIC: RefCell<Option<Fault>> = const { RefCell::new(None) };
}

/// Runs a part of a kernel. Returns the fault that ended it, if any.
pub fn catch<R>(part: impl FnOnce() -> R) -> Result<R, Fault> {
    let outer = IN_KERNEL.replace(true);
    LAST_CALL.set(None);
    // Unwind safety: of the state that the part modifies, only the user's arrays are read after a fault, and they hold
    // plain numbers.
    let result = panic::catch_unwind(AssertUnwindSafe(part));
    IN_KERNEL.set(outer);
    result.map_err(from_payload)
}

/// Returns whether a kernel runs on this thread.
pub fn in_kernel() -> bool {
    IN_KERNEL.get()
}

/// Runs code that may panic, and suppresses the panic's message. Returns `None` if it panicked. Call [`install_hook`]
/// first, while no lock is held.
pub fn quietly<R>(part: impl FnOnce() -> R) -> Option<R> {
    let outer = IN_KERNEL.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(part));
    IN_KERNEL.set(outer);
    if LAST_PANIC.take().is_none() && result.is_err() {
        INSTALLED.store(false, Ordering::Relaxed);
    }
    result.ok()
}

/// Returns the fault of a caught panic.
fn from_payload(payload: Box<dyn Any + Send>) -> Fault {
    match payload.downcast::<Fault>() {
        Ok(fault) => *fault,
        Err(payload) => LAST_PANIC.take().unwrap_or_else(|| {
            // Another hook has replaced ours, so that the position is unknown. The next grid installs ours again.
            INSTALLED.store(false, Ordering::Relaxed);
            let kind = classify(message_of(payload.as_ref()));
            Fault { file: String::from("unknown"), line: 0, column: 0, kind }
        }),
    }
}

/// Returns whether `addition`, which overflows, panics. The macros call it where overflow checks cannot be queried
/// otherwise.
pub fn overflows(addition: fn() -> u8) -> bool {
    install_hook();
    catch(addition).is_err()
}

/// Whether our hook is installed, as far as is known.
static INSTALLED: AtomicBool = AtomicBool::new(false);

/// The hook that was installed last.
static HOOK: Mutex<Option<InstalledHook>> = Mutex::new(None);

/// The identity of an installed hook.
struct InstalledHook {
    address: usize,
    /// Whether the hook still exists, so that no other hook can have its address.
    alive: Weak<()>,
}

/// Installs the hook that makes panics of kernels silent, unless it is known to be installed.
pub fn install_hook() {
    if INSTALLED.load(Ordering::Relaxed) || std::thread::panicking() {
        return; // `set_hook` is not allowed while this thread unwinds; the next grid installs it
    }
    // `take_hook` waits for running hooks, and so for whatever these wait for.
    assert_unlocked();
    // One thread at a time: another one would take the hook while none is set.
    let mut installed = HOOK.lock();
    if INSTALLED.load(Ordering::Relaxed) {
        return;
    }
    let previous = panic::take_hook();
    // A kernel may have panicked without running the hook, by `resume_unwind`.
    if installed.as_ref().is_some_and(|hook| hook.alive.strong_count() > 0 && hook.address == address_of(&*previous)) {
        panic::set_hook(previous);
    } else {
        let alive = Arc::new(());
        let weak = Arc::downgrade(&alive);
        let hook: Box<Hook> = Box::new(move |info| {
            let _ = &alive;
            if IN_KERNEL.get() { LAST_PANIC.set(Some(from_hook(info))) } else { previous(info) }
        });
        *installed = Some(InstalledHook { address: address_of(&*hook), alive: weak });
        panic::set_hook(hook);
    }
    INSTALLED.store(true, Ordering::Relaxed);
}

type Hook = dyn Fn(&PanicHookInfo<'_>) + Send + Sync;

fn address_of(hook: &Hook) -> usize {
    std::ptr::from_ref(hook).addr()
}

/// Records the location of a call to a library function that may panic.
#[inline(always)]
pub fn note_call(at: &'static Location) {
    LAST_CALL.set(Some(at));
}

/// Returns the fault that corresponds to a panic raised by Rust.
fn from_hook(info: &PanicHookInfo<'_>) -> Fault {
    let kind = classify(message_of(info.payload()));
    let Some(location) = info.location() else {
        return Fault { file: String::from("unknown"), line: 0, column: 0, kind };
    };
    match LAST_CALL.get() {
        Some(&Location { file, line, column, .. }) if is_in_library(location.file()) || forwards(location.file()) => {
            Fault { file: file.to_owned(), line, column, kind }
        }
        _ => Fault { file: location.file().to_owned(), line: location.line(), column: location.column(), kind },
    }
}

/// Returns whether a source file belongs to the standard library: `/rustc/<commit>/library/core/src/num/mod.rs`, or the
/// same path under the toolchain's directory if its sources are installed.
fn is_in_library(file: &str) -> bool {
    let file = file.replace('\\', "/");
    ["core", "std", "alloc"].iter().any(|name| file.contains(&format!("/library/{name}/src/")))
}

/// Returns whether a source file is one of this crate's, which forward a kernel's calls to the standard library: a
/// `#[track_caller]` function reports the forwarding line as its caller.
fn forwards(file: &str) -> bool {
    let sources = Path::new(file!()).ancestors().nth(2).expect("this file is in a directory of the sources");
    Path::new(file).starts_with(sources)
}

fn message_of(payload: &dyn Any) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

/// Classifies a panic by Rust's own message. The texts are those of `core::panicking`.
fn classify(message: &str) -> FaultKind {
    match message {
        "attempt to divide by zero" | "attempt to calculate the remainder with a divisor of zero" => {
            FaultKind::DivisionByZero
        }
        text if text.starts_with("attempt to ") && text.ends_with(" overflow") => FaultKind::Overflow(text.into()),
        text => index_of(text).unwrap_or_else(|| FaultKind::Panic(text.into())),
    }
}

/// Parses the message of `panic_bounds_check`, which Rust raises for an index of a local array.
fn index_of(message: &str) -> Option<FaultKind> {
    let numbers = message.strip_prefix("index out of bounds: the len is ")?;
    let (len, index) = numbers.split_once(" but the index is ")?;
    Some(FaultKind::IndexOutOfBounds { index: index.parse().ok()?, len: len.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_panic_messages_are_classified() {
        assert_eq!(
            classify("attempt to add with overflow"),
            FaultKind::Overflow("attempt to add with overflow".into())
        );
        assert_eq!(classify("attempt to divide by zero"), FaultKind::DivisionByZero);
        let four = std::hint::black_box(4);
        install_hook();
        let fault = catch(|| [1, 2, 3][four]).unwrap_err();
        assert_eq!(fault.kind, FaultKind::IndexOutOfBounds { index: 4, len: 3 });
        let text = "index out of bounds: the len is 4 but the index is mine";
        assert_eq!(classify(text), FaultKind::Panic(text.into()));
    }
}
