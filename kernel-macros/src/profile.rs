//! Detection of overflow checks in the crate that is being compiled.
//!
//! No stable `cfg` provides it: `cfg(overflow_checks)` is unstable, and `debug_assertions`, which is the default value,
//! can be set independently in a profile. A test at run time is not possible either: an overflowing addition panics,
//! which terminates a process built with `panic = "abort"`. But a procedural macro runs in the compiler's process,
//! whose command-line arguments determine the setting for exactly the crate whose tokens the macro receives.

use std::ffi::OsString;

/// The setting of overflow checks in the compiler's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverflowChecks {
    /// Set explicitly: `-C overflow-checks=on`.
    Set(bool),
    /// Not set, so that they follow `debug_assertions`.
    AsDebugAssertions,
    /// Unknown: these are not the arguments of rustc.
    Unknown,
}

impl OverflowChecks {
    /// Returns the setting of this process.
    pub(crate) fn of_process() -> OverflowChecks {
        let mut arguments: Vec<OsString> = std::env::args_os().collect();
        if arguments.is_empty() {
            // Not every C library passes the arguments to shared libraries: musl does not.
            arguments = of_proc();
        }
        let read = |path: &str| std::fs::read_to_string(path).ok();
        OverflowChecks::of_arguments(arguments.into_iter().map(|it| it.to_string_lossy().into_owned()), read)
    }

    /// Returns the setting in a list of arguments, the compiler's name first. `read` reads an argument file (`@path`),
    /// which has one argument per line.
    fn of_arguments(arguments: impl Iterator<Item = String>, read: impl Fn(&str) -> Option<String>) -> OverflowChecks {
        let mut all = Vec::new();
        for argument in arguments {
            match argument.strip_prefix('@').map(&read) {
                Some(Some(file)) => all.extend(file.lines().map(str::to_owned)),
                // The contents of an unreadable argument file are unknown.
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
            // The last occurrence takes precedence.
            set = option.and_then(overflow_checks).or(set);
        }
        match (found, set) {
            (OverflowChecks::AsDebugAssertions, Some(set)) => OverflowChecks::Set(set),
            (found, _) => found,
        }
    }
}

/// Returns whether an argument is the path of rustc or of a driver that replaces it: `rustc`, `/usr/bin/rustc.exe`,
/// `clippy-driver`, `rustdoc`.
fn has_name_of_compiler(argument: &str) -> bool {
    let name = argument.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    ["rustc", "rustdoc", "clippy-driver"].contains(&name)
}

/// Parses a codegen option, if it sets overflow checks. rustc treats `_` as `-`, and accepts these words as a `bool`.
fn overflow_checks(option: &str) -> Option<bool> {
    let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
    if name.trim_start().replace('_', "-") != "overflow-checks" {
        return None;
    }
    match value {
        None | Some("y" | "yes" | "on" | "true") => Some(true),
        Some("n" | "no" | "off" | "false") => Some(false),
        // rustc rejects it.
        Some(_) => None,
    }
}

/// Returns the arguments of this process from Linux's `/proc`.
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
    fn last_codegen_option_takes_precedence() {
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

    /// The test binary is not started with arguments of rustc.
    #[test]
    fn process_other_than_rustc_is_unknown() {
        assert_eq!(OverflowChecks::of_process(), OverflowChecks::Unknown);
        assert!(std::fs::metadata("/proc/self/cmdline").is_err() || !of_proc().is_empty());
    }
}
