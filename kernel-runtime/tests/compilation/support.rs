//! Processes with a modified environment, and detection of NVRTC.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use cumbia::cache::Stats;
use cumbia::{CompileError, Error};

use crate::kernels::tagged;

/// Returns whether NVRTC is installed. Prints a note if it is not, or fails if `CUMBIA_REQUIRE_NVRTC` is 1.
pub(crate) fn has_nvrtc() -> bool {
    let Err(Error::Compile(error @ CompileError::NoNvrtc { .. })) = tagged::<0>::cubin("sm_90") else { return true };
    assert!(std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "{error}");
    eprintln!("skipped: NVRTC is not here");
    false
}

/// An ignored test of this executable, run as a process with none of Cumbia's variables set but `CUMBIA_NVRTC`.
pub(crate) struct Process(Command);

impl Process {
    pub(crate) fn new(test: &str) -> Process {
        Process::of(&std::env::current_exe().expect("tests know their executable"), test)
    }

    /// As `new`, for a copy of this executable.
    pub(crate) fn of(executable: &Path, test: &str) -> Process {
        let mut command = Command::new(executable);
        command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
        for (name, _) in std::env::vars_os() {
            let ours = name.to_str().is_some_and(|name| name.starts_with("CUMBIA_"));
            if ours && name != "CUMBIA_NVRTC" {
                command.env_remove(name);
            }
        }
        Process(command)
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Process {
        self.0.env(name, value);
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Process {
        self.0.env_remove(name);
        self
    }

    pub(crate) fn start(mut self) -> Child {
        self.0.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process")
    }

    /// Runs the process, which has to succeed, and returns its output.
    #[track_caller]
    pub(crate) fn passes(self) -> Said {
        Said::of(self.start().wait_with_output().expect("a process"))
    }
}

/// The output of a process.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    /// Returns the output of a process that has to have succeeded.
    #[track_caller]
    pub(crate) fn of(output: Output) -> Said {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let (status, said) = (output.status, Said { out: text(output.stdout), err: text(output.stderr) });
        assert!(status.success() && said.out.contains("1 passed"), "{status}\n{}{}", said.out, said.err);
        said
    }

    /// Returns the counters printed by [`tell`].
    pub(crate) fn counts(&self) -> BTreeMap<String, u64> {
        let pairs = self.out.split_whitespace().filter_map(|word| word.split_once('='));
        pairs.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect()
    }
}

/// Prints the counters, for the parent process.
pub(crate) fn tell(stats: &Stats) {
    println!(
        "\nentries={} bytes={} hits={} misses={} damaged={} precompiled={} compilations={} evictions={} loading={}",
        stats.entries,
        stats.bytes,
        stats.hits,
        stats.misses,
        stats.damaged,
        stats.precompiled,
        stats.compilations,
        stats.evictions,
        stats.loading_nvrtc.as_nanos()
    );
}
