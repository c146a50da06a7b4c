//! Diagnostics that no call can return: `tracing` events, and warnings.
//!
//! Both run foreign code, a subscriber or the writer behind stderr, and so go through
//! [`when_unlocked`](crate::when_unlocked).

use std::io::Write;

use crate::when_unlocked;

/// Emits a `tracing` event, as in `event!(debug, target: "cumbia::cache", key, "hit")`, as soon as this thread holds no
/// lock of the crate. The variables in the fields are moved into it.
#[macro_export]
macro_rules! event {
    ($level:ident, $($fields:tt)+) => {
        $crate::when_unlocked(move || $crate::tracing::$level!($($fields)+))
    };
}

/// Emits a warning through `tracing`, or on stderr if no subscriber is set. Callers emit each warning once.
pub fn warn(message: String, help: &'static str) {
    when_unlocked(move || {
        if tracing::dispatcher::has_been_set() {
            tracing::warn!(target: "cumbia", help, "{message}");
        } else {
            // `eprintln!` would panic if stderr is closed.
            let _ = writeln!(std::io::stderr(), "warning: {message}\n  help: {help}");
        }
    });
}
