//! What the program should know and no call can return: `tracing` events, and warnings.
//!
//! Both run foreign code, a subscriber or whoever holds the lock of stderr, and so go through
//! [`when_unlocked`](crate::sync::when_unlocked).

use std::io::Write;

use crate::sync::when_unlocked;

/// Emits a `tracing` event of a level, as `event!(debug, target: "cumbia::cache", key, "hit")`, as soon as this thread holds no
/// lock of the crate. What the fields name is moved into it.
macro_rules! event {
    ($level:ident, $($fields:tt)+) => {
        $crate::sync::when_unlocked(move || tracing::$level!($($fields)+))
    };
}
pub(crate) use event;

/// Warns through `tracing`, or on stderr where no subscriber is set. Callers see to it that each thing is said once.
pub(crate) fn warn(message: String, help: &'static str) {
    when_unlocked(move || {
        if tracing::dispatcher::has_been_set() {
            tracing::warn!(target: "cumbia", help, "{message}");
        } else {
            // `eprintln!` panics where stderr is closed.
            let _ = writeln!(std::io::stderr(), "warning: {message}\n  help: {help}");
        }
    });
}
