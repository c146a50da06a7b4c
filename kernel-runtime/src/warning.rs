//! What the user should know and no call can return.

use std::io::Write;

/// Tells whoever listens to `tracing`; where nobody does, it goes to stderr. Callers see to it that each thing is said once.
pub(crate) fn warn(message: &str, help: &str) {
    if tracing::dispatcher::has_been_set() {
        tracing::warn!(target: "cumbia", help, "{message}");
    } else {
        // `eprintln!` panics where stderr is closed.
        let _ = writeln!(std::io::stderr(), "warning: {message}\n  help: {help}");
    }
}
