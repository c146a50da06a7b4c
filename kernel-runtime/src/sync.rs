//! The standard library's locks without poison.
//!
//! A lock is poisoned when a thread panics while it holds it, so that others do not see what that thread left half changed.
//! Nothing that holds a lock of ours leaves anything so: what can panic, such as the code of a user's type or of a listener
//! to `tracing`, is done before the first change or behind the last. A launch that panicked must not make every later one
//! panic, so that poison would only do harm. Who adds a lock has to see that this stays true.

use std::sync::{self, PoisonError, TryLockError};
pub(crate) use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

/// [`std::sync::Mutex`] without poison.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    /// Waits for the lock.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, if nobody holds it.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// [`std::sync::RwLock`] without poison.
#[derive(Debug, Default)]
pub(crate) struct RwLock<T>(sync::RwLock<T>);

impl<T> RwLock<T> {
    pub(crate) const fn new(value: T) -> RwLock<T> {
        RwLock(sync::RwLock::new(value))
    }

    /// Waits until nobody writes.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else reads or writes.
    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// [`std::sync::Condvar`] for a [`Mutex`] without poison.
#[derive(Debug, Default)]
pub(crate) struct Condvar(sync::Condvar);

impl Condvar {
    pub(crate) const fn new() -> Condvar {
        Condvar(sync::Condvar::new())
    }

    /// Waits to be notified, or for no reason.
    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_leaves_a_lock_as_it_was() {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(2));
        let panicked = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let (_mutex, _lock) = (mutex.lock(), lock.write());
                std::panic::resume_unwind(Box::new("a panic that says nothing"));
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
}
