//! The locks of Cumbia's crates, and the rule that none of them is held while foreign code runs.
//!
//! Foreign code is code that the program supplies: a `tracing` subscriber, the writer behind stdout and stderr, a panic
//! hook, a closure, a destructor. It may wait for another thread or call this library, so that a lock held meanwhile
//! can deadlock. An initialiser of a `OnceLock` is such a lock as well: other threads wait for it, and the same thread
//! cannot re-enter it.
//!
//! For events and warnings the rule holds by construction: each thread counts the locks that it holds, and
//! [`when_unlocked`], through which every event and every warning goes (`event!`, `warning::warn`), defers the call
//! until the count is zero. Other calls of foreign code assert the rule by [`assert_unlocked`]. A test reads the
//! sources for locks and events that bypass this module.
//!
//! The locks are those of the standard library. `parking_lot` would replace the part that ignores poison, a few lines, but
//! neither the count nor the deferral.
//!
//! The locks have no poison. A lock is poisoned when a thread panics while it holds it, so that others do not observe
//! the inconsistent state. Without foreign code under a lock, nothing panics there; and one grid that panicked must not
//! make every later one panic.

#![doc(hidden)]

mod warning;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{self, PoisonError, TryLockError};

#[doc(hidden)]
pub use tracing;
pub use warning::warn;

thread_local! {
    /// The number of locks of this module that the thread holds.
    static HELD: Cell<usize> = const { Cell::new(0) };
    /// Whether [`DEFERRED`] may be non-empty. A separate variable, since it has no destructor and is read by a single
    /// load.
    static HAS_DEFERRED: Cell<bool> = const { Cell::new(false) };
    /// The calls that are deferred until the thread holds no lock, in order.
    static DEFERRED: RefCell<VecDeque<Box<dyn FnOnce()>>> = const { RefCell::new(VecDeque::new()) };
}

/// Calls foreign code: immediately if this thread holds no lock, and otherwise as soon as it has released the last one.
///
/// In a destructor of a thread-local variable, under a lock, the call is dropped.
#[inline]
pub fn when_unlocked(call: impl FnOnce() + 'static) {
    if HELD.get() == 0 {
        call();
    } else {
        defer(Box::new(call));
    }
}

#[cold]
fn defer(call: Box<dyn FnOnce()>) {
    if DEFERRED.try_with(|deferred| deferred.borrow_mut().push_back(call)).is_ok() {
        HAS_DEFERRED.set(true);
    }
}

/// Makes the deferred calls. The thread must hold no lock.
///
/// Calls that a deferred call defers itself are made before it returns: they belong to it, and a subscriber that
/// ignores the events of its own work has to receive them before it returns.
#[cold]
fn run_deferred() {
    /// The calls that remain; if one panics, the others are made when the thread next releases a lock.
    struct Rest(VecDeque<Box<dyn FnOnce()>>);
    impl Drop for Rest {
        fn drop(&mut self) {
            if self.0.is_empty() {
                return;
            }
            let _ = DEFERRED.try_with(|deferred| {
                let mut deferred = deferred.borrow_mut();
                self.0.append(&mut deferred);
                *deferred = std::mem::take(&mut self.0);
            });
            HAS_DEFERRED.set(true);
        }
    }
    HAS_DEFERRED.set(false);
    let mut rest = Rest(DEFERRED.try_with(RefCell::take).unwrap_or_default());
    while let Some(call) = rest.0.pop_front() {
        if std::thread::panicking() {
            // This is a destructor of an unwinding thread, where a second panic would abort the process.
            let _ = catch_unwind(AssertUnwindSafe(call));
        } else {
            call();
        }
    }
}

/// Returns whether this thread holds a lock of the crate.
#[inline]
pub fn is_locked() -> bool {
    HELD.get() > 0
}

/// Asserts that foreign code may be called here.
///
/// # Panics
///
/// With debug assertions, if this thread holds a lock of the crate.
#[inline]
#[track_caller]
pub fn assert_unlocked() {
    debug_assert!(!is_locked(), "foreign code is called while a lock of the crate is held");
}

/// A counted lock of this thread.
struct Held(PhantomData<*const ()>);

impl Held {
    #[inline]
    fn new() -> Held {
        HELD.set(HELD.get() + 1);
        Held(PhantomData)
    }
}

impl Drop for Held {
    #[inline]
    fn drop(&mut self) {
        let held = HELD.get() - 1;
        HELD.set(held);
        if held == 0 && HAS_DEFERRED.get() {
            run_deferred();
        }
    }
}

/// A guard of the standard library, counted.
pub struct Guard<G> {
    // Declared before `held`, and so dropped first: deferred calls are made after the lock is released.
    guard: G,
    held: Held,
}

impl<G> Guard<G> {
    #[inline]
    fn new(lock: impl FnOnce() -> G) -> Guard<G> {
        let guard = lock();
        Guard { guard, held: Held::new() }
    }
}

impl<G: Deref> Deref for Guard<G> {
    type Target = G::Target;

    #[inline]
    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Guard<G> {
    #[inline]
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

/// The guard of a [`Mutex`].
pub type MutexGuard<'a, T> = Guard<sync::MutexGuard<'a, T>>;
/// The guard of a [`RwLock`] that is locked for reading.
pub type RwLockReadGuard<'a, T> = Guard<sync::RwLockReadGuard<'a, T>>;
/// The guard of a [`RwLock`] that is locked for writing.
pub type RwLockWriteGuard<'a, T> = Guard<sync::RwLockWriteGuard<'a, T>>;

/// [`std::sync::Mutex`] without poison.
#[derive(Debug, Default)]
pub struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    /// Acquires the lock; blocks until it is available.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        Guard::new(|| self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Acquires the lock, if it is available.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let guard = match self.0.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Guard::new(|| guard))
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// [`std::sync::RwLock`] without poison.
#[derive(Debug, Default)]
pub struct RwLock<T>(sync::RwLock<T>);

impl<T> RwLock<T> {
    pub const fn new(value: T) -> RwLock<T> {
        RwLock(sync::RwLock::new(value))
    }

    /// Acquires the lock for reading; blocks while another thread writes.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        Guard::new(|| self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Acquires the lock for writing; blocks while another thread reads or writes.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        Guard::new(|| self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// [`std::sync::Condvar`] for a [`Mutex`] without poison.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    pub const fn new() -> Condvar {
        Condvar(sync::Condvar::new())
    }

    /// Waits for a notification; may wake spuriously.
    pub fn wait<'a, T>(&self, Guard { guard, held }: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        Guard { guard: self.0.wait(guard).unwrap_or_else(PoisonError::into_inner), held }
    }

    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// [`std::sync::OnceLock`], whose initialisers count as locks.
#[derive(Debug)]
pub struct OnceLock<T>(sync::OnceLock<T>);

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T> OnceLock<T> {
    pub const fn new() -> OnceLock<T> {
        OnceLock(sync::OnceLock::new())
    }

    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Returns the value, which the first call initialises.
    #[inline]
    pub fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
        match self.0.get() {
            Some(value) => value,
            None => self.initialise(init),
        }
    }

    #[cold]
    fn initialise(&self, init: impl FnOnce() -> T) -> &T {
        let _held = Held::new();
        self.0.get_or_init(init)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::path::Path;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn a_panic_does_not_poison_a_lock() {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(2));
        let panicked = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let (_mutex, _lock) = (mutex.lock(), lock.write());
                std::panic::resume_unwind(Box::new("a panic without a message"));
            });
            thread.join().is_err()
        });
        assert!(panicked);
        assert_eq!(*mutex.lock(), 1);
        assert_eq!(mutex.try_lock().map(|guard| *guard), Some(1));
        assert_eq!(*lock.read(), 2);
        assert_eq!(*lock.write(), 2);
        assert_eq!(mutex.into_inner(), 1);
    }

    /// Records messages, and asserts that no lock is held then.
    #[derive(Clone, Default)]
    struct Recorder(Rc<RefCell<String>>);

    impl Recorder {
        fn record(&self, message: &'static str) {
            let recorder = self.clone();
            when_unlocked(move || {
                assert_unlocked();
                recorder.0.borrow_mut().write_str(message).unwrap();
            });
        }

        #[track_caller]
        fn check(&self, expected: &str) {
            assert_eq!(*self.0.borrow(), expected);
        }
    }

    #[test]
    fn foreign_code_runs_when_the_last_lock_is_released() {
        let recorder = Recorder::default();
        let (outer, inner, once) = (Mutex::new(()), RwLock::new(()), OnceLock::new());
        recorder.record("a");
        recorder.check("a");
        let guard = outer.lock();
        recorder.record("b");
        {
            let _inner = inner.read();
            recorder.record("c");
        }
        once.get_or_init(|| recorder.record("d"));
        recorder.check("a");
        drop(guard);
        recorder.check("abcd");
        OnceLock::new().get_or_init(|| {
            recorder.record("e");
            recorder.check("abcd");
        });
        recorder.check("abcde");
        assert!(!is_locked());
    }

    #[test]
    fn a_lock_stays_counted_while_it_waits_for_a_condition() {
        let (lock, changed) = (Mutex::new(false), Condvar::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                *lock.lock() = true;
                changed.notify_all();
            });
            let mut ready = lock.lock();
            while !*ready {
                ready = changed.wait(ready);
            }
            assert!(is_locked());
        });
        assert!(!is_locked());
    }

    #[test]
    fn calls_deferred_by_a_call_are_made_before_it_returns() {
        let recorder = Recorder::default();
        let lock = Rc::new(Mutex::new(()));
        let guard = lock.lock();
        let (again, also) = (recorder.clone(), lock.clone());
        when_unlocked(move || {
            again.record("a");
            let guard = also.lock();
            again.record("b");
            again.check("a");
            drop(guard);
            // Before the call returns.
            again.check("ab");
        });
        recorder.record("c");
        drop(guard);
        recorder.check("abc");
    }

    #[test]
    fn a_panic_of_foreign_code_does_not_drop_the_other_calls() {
        let recorder = Recorder::default();
        let lock = Mutex::new(());
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _guard = lock.lock();
            when_unlocked(|| std::panic::resume_unwind(Box::new("a panic without a message")));
            recorder.record("a");
        }));
        assert!(panicked.is_err());
        assert!(!is_locked());
        drop(lock.lock());
        recorder.check("a");
        // While a thread unwinds, no panic propagates out of its destructors.
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _guard = lock.lock();
            when_unlocked(|| std::panic::resume_unwind(Box::new("another")));
            recorder.record("b");
            std::panic::resume_unwind(Box::new("the first"));
        }));
        assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"the first"));
        recorder.check("ab");
    }

    /// The rule holds for code that uses this module: so all locks, events and warnings have to.
    #[test]
    fn all_locks_and_events_go_through_this_module() {
        let words = |names: &[&str], before: &str, after: &str| -> Vec<String> {
            names.iter().map(|name| format!("{before}{name}{after}")).collect()
        };
        let locks = ["Mutex", "RwLock", "Condvar", "OnceLock", "LazyLock", "Once", "Barrier"];
        let macros = ["trace", "debug", "info", "warn", "error", "event", "span"];
        let events = words(&macros, "tracing::", "!");
        let mut found = Vec::new();
        let mut check = |path: &Path, text: &str| {
            // Tests are exempt.
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for (line, code) in text.lines().enumerate().filter(|(_, code)| !code.trim_start().starts_with("//")) {
                let imported = code.contains("std::sync::")
                    && locks.iter().any(|name| code.split(|c: char| !c.is_alphanumeric()).any(|word| word == *name));
                let emits = events.iter().any(|name| code.contains(name.as_str())) || code.contains("eprintln!");
                if imported || emits && !path.ends_with("src/print.rs") {
                    found.push(format!("{}:{}: {}", path.display(), line + 1, code.trim()));
                }
            }
        };
        // The crates that hold these locks.
        let mut files = 0;
        for name in ["kernel-driver", "kernel-lang", "kernel-runtime"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(name).join("src");
            sources(&folder, &mut |path, text| {
                files += 1;
                check(path, text);
            });
        }
        assert!(files > 100, "the sources of these crates");
        assert!(found.is_empty(), "use `crate::sync` and `event!`:\n{}", found.join("\n"));
    }

    fn sources(folder: &Path, each: &mut impl FnMut(&Path, &str)) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, each);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
                each(&path, &std::fs::read_to_string(&path).unwrap());
            }
        }
    }
}
