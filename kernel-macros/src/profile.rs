//! Whether the crate that is being compiled has overflow checks.
//!
//! No stable `cfg` says so: `cfg(overflow_checks)` is a feature, and `debug_assertions`, whose value is the default, can be
//! set apart in a profile. Nor can the program find out: an addition that overflows answers by a panic, which ends a process
//! that was built with `panic = "abort"`. But a procedural macro runs in the compiler's process, whose arguments have the
//! answer, for just the crate whose tokens it is given.

use std::ffi::OsString;

/// What the compiler's arguments say of overflow checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverflowChecks {
    /// They are set: `-C overflow-checks=on`.
    Set(bool),
    /// They are not set, and as `debug_assertions`.
    AsDebugAssertions,
    /// These are no arguments of rustc's.
    Unknown,
}

impl OverflowChecks {
    /// Those of this process.
    pub(crate) fn of_process() -> OverflowChecks {
        let mut arguments: Vec<OsString> = std::env::args_os().collect();
        if arguments.is_empty() {
            // A library is not handed them by every C library: musl's does not.
            arguments = of_proc();
        }
        let read = |path: &str| std::fs::read_to_string(path).ok();
        OverflowChecks::of_arguments(arguments.into_iter().map(|it| it.to_string_lossy().into_owned()), read)
    }

    /// Those that arguments ask for, the compiler's name first. `read` reads a file of more of them, one in each line.
    fn of_arguments(arguments: impl Iterator<Item = String>, read: impl Fn(&str) -> Option<String>) -> OverflowChecks {
        let mut all = Vec::new();
        for argument in arguments {
            match argument.strip_prefix('@').map(&read) {
                Some(Some(file)) => all.extend(file.lines().map(str::to_owned)),
                // What it says nobody knows.
                Some(None) => return OverflowChecks::Unknown,
                None => all.push(argument),
            }
        }
        let mut found = OverflowChecks::Unknown;
        let mut set = None;
        let mut rest = all.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            if argument == "--crate-name" || argument.starts_with("--crate-name=") || has_name_of_compiler(argument) {
                found = OverflowChecks::AsDebugAssertions;
            }
            let option = match argument {
                "-C" | "--codegen" => rest.next(),
                _ => argument.strip_prefix("--codegen=").or_else(|| argument.strip_prefix("-C")),
            };
            // The last one counts.
            set = option.and_then(overflow_checks).or(set);
        }
        match (found, set) {
            (OverflowChecks::AsDebugAssertions, Some(set)) => OverflowChecks::Set(set),
            (found, _) => found,
        }
    }
}

/// Whether it is rustc, or what stands for it: `rustc`, `/usr/bin/rustc.exe`, `clippy-driver`, `rustdoc`.
fn has_name_of_compiler(argument: &str) -> bool {
    let name = argument.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    ["rustc", "rustdoc", "clippy-driver"].contains(&name)
}

/// What one codegen option says of overflow checks. rustc takes `_` for `-`, and these words for a `bool`.
fn overflow_checks(option: &str) -> Option<bool> {
    let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
    if name.trim_start().replace('_', "-") != "overflow-checks" {
        return None;
    }
    match value {
        None | Some("y" | "yes" | "on" | "true") => Some(true),
        Some("n" | "no" | "off" | "false") => Some(false),
        // rustc refuses it.
        Some(_) => None,
    }
}

/// The arguments of this process by the file system of Linux.
fn of_proc() -> Vec<OsString> {
    let text = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let text = text.strip_suffix(b"\0").unwrap_or(&text);
    text.split(|&byte| byte == 0).map(|argument| String::from_utf8_lossy(argument).into_owned().into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expected: OverflowChecks) {
        let read = |path: &str| (path == "more").then(|| "--crate-name\nx\n-C\noverflow-checks=off\n".to_owned());
        let arguments = arguments.split(' ').map(str::to_owned);
        assert_eq!(OverflowChecks::of_arguments(arguments, read), expected);
    }

    #[test]
    fn the_last_argument_of_rustc_counts() {
        use OverflowChecks::{AsDebugAssertions, Set, Unknown};
        check("rustc main.rs", AsDebugAssertions);
        check("/opt/bin/rustc --crate-name x -C opt-level=3 -C panic=abort -C debug-assertions=on", AsDebugAssertions);
        check(r"C:\bin\rustc.exe main.rs -O", AsDebugAssertions);
        check("my-driver --crate-name x", AsDebugAssertions);
        check("clippy-driver rustc --crate-name x -Coverflow-checks", Set(true));
        check("rustc x.rs -C overflow-checks=on", Set(true));
        check("rustc x.rs -C overflow-checks=off", Set(false));
        check("rustc x.rs -Coverflow-checks=no", Set(false));
        check("rustc x.rs -Coverflow_checks=yes", Set(true));
        check("rustc x.rs --codegen overflow-checks=y", Set(true));
        check("rustc x.rs --codegen=overflow-checks=n", Set(false));
        check("rustc x.rs -C overflow-checks", Set(true));
        check("rustc x.rs -C overflow-checks=on -C overflow-checks=off", Set(false));
        check("rustc x.rs -C overflow-checks=off -C opt-level=1 -Coverflow-checks=true", Set(true));
        check("rustc @more", Set(false));
        check("rustc @more -C overflow-checks=on", Set(true));
        check("rustc @elsewhere", Unknown);
        check("rust-analyzer-proc-macro-srv", Unknown);
        check("", Unknown);
    }

    /// The tests of this crate are no arguments of rustc's.
    #[test]
    fn another_process_has_none() {
        assert_eq!(OverflowChecks::of_process(), OverflowChecks::Unknown);
        assert!(std::fs::metadata("/proc/self/cmdline").is_err() || !of_proc().is_empty());
    }
}
