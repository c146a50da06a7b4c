//! Host functions that a stream executes in order with its other work.
//!
//! CUDA calls a host function on a thread of its own, which must not call the CUDA API (CUDA Driver API,
//! `cuLaunchHostFunc`): [`PrimaryContext::bind`](crate::PrimaryContext::bind), which precedes each use of the API, fails
//! there with `CUDA_ERROR_NOT_PERMITTED`. A panic must not unwind into CUDA: it is caught, and its message kept until it is
//! reported.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::Stream;
use crate::error::CudaError;
use crate::primary_context::without_api;
use crate::sync::Mutex;

/// A host function.
type HostFunction = Box<dyn FnOnce() + Send>;

/// The message of the first panic of a stream's host functions that has not been reported.
#[derive(Default)]
pub(super) struct PendingPanic(Mutex<Option<String>>);

impl PendingPanic {
    pub(super) fn take(&self) -> Option<String> {
        self.0.lock().take()
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.lock().is_some()
    }
}

/// A host function that was enqueued.
struct Callback {
    /// `None` once it has been called, or the driver has rejected it.
    function: Mutex<Option<HostFunction>>,
    panic: Arc<PendingPanic>,
}

impl Callback {
    /// Calls the function. Does not unwind.
    fn call(&self) {
        let function = self.function.lock().take();
        if let Some(function) = function
            && let Err(message) = run(function)
        {
            self.panic.0.lock().get_or_insert(message);
        }
    }
}

impl Stream {
    /// Enqueues a host function. If it panics, [`Stream::take_callback_panic`] returns the message.
    ///
    /// # Errors
    ///
    /// A CUDA driver error; then the function is dropped, and never called.
    pub fn callback(&self, function: Box<dyn FnOnce() + Send>) -> Result<(), CudaError> {
        self.primary.bind()?;
        let callback = Arc::new(Callback { function: Mutex::new(Some(function)), panic: self.panic.clone() });
        let data = Arc::into_raw(callback.clone()).cast_mut().cast::<c_void>();
        // SAFETY: the stream is alive, and the context current. `host_function` accepts any thread, and `data` owns a
        // reference, which its only call consumes.
        let result = unsafe { self.driver().cuLaunchHostFunc(self.raw, host_function, data) };
        if result.is_err() {
            // The error may be one of earlier work, so the reference in `data` is left to a call that could still come.
            let rejected = callback.function.lock().take();
            drop(rejected);
        }
        result
    }

    /// Returns the message of the first panic of a host function since the last call, if there was one.
    pub fn take_callback_panic(&self) -> Option<String> {
        self.panic.take()
    }
}

/// Calls the function of a [`Callback`].
///
/// # Safety
///
/// `data` is from `Arc::<Callback>::into_raw`, and this is the only call with it.
unsafe extern "C" fn host_function(data: *mut c_void) {
    // SAFETY: upheld by the caller.
    let callback = unsafe { Arc::from_raw(data.cast_const().cast::<Callback>()) };
    without_api(|| callback.call());
}

/// Calls a host function, and returns the message of its panic as an error. Does not unwind.
pub fn run(function: impl FnOnce()) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(function)).map_err(|payload| {
        let message = message_of(&*payload);
        // The destructor of a payload is foreign code, too.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
        }
        message
    })
}

/// Returns the message of a panic.
fn message_of(payload: &(dyn Any + Send)) -> String {
    let message = payload.downcast_ref::<&str>().map(|message| (*message).to_owned());
    message.or_else(|| payload.downcast_ref().cloned()).unwrap_or_else(|| String::from("a value that is not text"))
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn panics_are_caught() {
        struct PanicsWhenDropped;
        impl Drop for PanicsWhenDropped {
            fn drop(&mut self) {
                panic!("dropped");
            }
        }
        assert_eq!(run(|| {}), Ok(()));
        assert_eq!(run(|| panic!("text")), Err(String::from("text")));
        assert_eq!(run(|| panic!("number {}", 7)), Err(String::from("number 7")));
        let other = run(|| std::panic::panic_any(PanicsWhenDropped));
        assert_eq!(other, Err(String::from("a value that is not text")));
    }
}
