//! Disassembly of machine code by NVIDIA's disassemblers.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::searched::{Joined, SearchOutcome, SearchPlace, Searched};
use crate::toolkit::environment::{Environment, nvidia_packages};

/// The disassemblers and their arguments: `nvdisasm` first, because it shows source lines.
const PROGRAMS: [(&str, &[&str]); 2] =
    [("nvdisasm", &["--print-code", "--print-line-info"]), ("cuobjdump", &["-sass"])];

/// Disassembles a cubin.
///
/// # Errors
///
/// [`NoDisassembler`], with each program that was tried and its error.
pub fn disassemble(cubin: &[u8]) -> Result<String, NoDisassembler> {
    disassemble_in(&Environment::of_process(), cubin)
}

/// Returns the disassemblers and their locations on this machine.
pub fn disassemblers() -> Vec<(&'static str, Option<PathBuf>)> {
    let environment = Environment::of_process();
    PROGRAMS
        .iter()
        .map(|&(program, _)| (program, find(&environment, program, &mut Vec::new()).into_iter().next()))
        .collect()
}

/// No disassembler is installed, or none can disassemble the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoDisassembler {
    /// Every searched location, with the result of the search there.
    pub searched: Vec<Searched>,
}

impl fmt::Display for NoDisassembler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no disassembler was found: {}", Joined(&self.searched))
    }
}

impl std::error::Error for NoDisassembler {}

fn disassemble_in(environment: &Environment, cubin: &[u8]) -> Result<String, NoDisassembler> {
    let mut searched = Vec::new();
    for (program, arguments) in PROGRAMS {
        for path in find(environment, program, &mut searched) {
            match run(&path, arguments, cubin) {
                Ok(text) => return Ok(text),
                // It may predate the architecture.
                Err(outcome) => searched.push(Searched::new(SearchPlace::Path { origin: "", path }, outcome)),
            }
        }
    }
    Err(NoDisassembler { searched })
}

/// Returns the locations of a program, and appends to `searched` those that lack it.
fn find(environment: &Environment, program: &'static str, searched: &mut Vec<Searched>) -> Vec<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let mut found: Vec<PathBuf> =
        which::which_in(program, environment.path.as_ref(), environment.root.as_path()).into_iter().collect();
    if found.is_empty() {
        searched.push(Searched::new(SearchPlace::ProgramPath(program), SearchOutcome::NotFound));
    }
    let toolkits = environment.toolkits().into_iter().filter_map(|(label, folder)| Some((label, vec![folder?])));
    let pythons =
        environment.pythons().into_iter().filter_map(|(label, prefix)| Some((label, nvidia_packages(&prefix?))));
    for (origin, folders) in toolkits.chain(pythons) {
        let files: Vec<PathBuf> = folders.into_iter().map(|folder| folder.join("bin").join(&name)).collect();
        for file in files {
            if file.is_file() {
                found.push(file);
            } else {
                searched.push(Searched::new(SearchPlace::Path { origin, path: file }, SearchOutcome::NotFound));
            }
        }
    }
    found
}

/// Returns the output of a disassembler for a cubin, or the reason of its failure.
fn run(program: &Path, arguments: &[&str], cubin: &[u8]) -> Result<String, SearchOutcome> {
    let not_run = |error: std::io::Error| SearchOutcome::ProgramNotRun(error.kind());
    let mut file = tempfile::Builder::new().prefix("cumbia-").suffix(".cubin").tempfile().map_err(not_run)?;
    file.write_all(cubin).map_err(not_run)?;
    let output = Command::new(program).args(arguments).arg(file.path()).output().map_err(not_run)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(SearchOutcome::ProgramFailed { message, status: output.status })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Installs a script under the name of a program.
    #[cfg(unix)]
    fn program(path: &Path, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn the_next_program_is_tried_if_one_fails() {
        let root = tempfile::tempdir().unwrap();
        let environment = Environment {
            root: root.path().to_owned(),
            path: Some(root.path().join("on path").into()),
            virtual_env: Some(root.path().join("venv").into()),
            ..Environment::default()
        };
        let error = disassemble_in(&environment, b"code").unwrap_err().to_string();
        for expected in ["nvdisasm on PATH", "usr/local/cuda/bin/cuobjdump: not found"] {
            assert!(error.contains(expected), "{expected} is not in {error}");
        }

        program(&root.path().join("usr/local/cuda-13.9/bin/cuobjdump"), "echo from the toolkit; test $1 = -sass");
        assert_eq!(disassemble_in(&environment, b"code").unwrap(), "from the toolkit\n");
        program(&root.path().join("on path/nvdisasm"), "echo no such architecture >&2; exit 3");
        assert_eq!(disassemble_in(&environment, b"code").unwrap(), "from the toolkit\n");
        // The cubin is passed as a file.
        let in_wheel = root.path().join("venv/lib/python3.12/site-packages/nvidia/cu13/bin/nvdisasm");
        program(&in_wheel, "for file; do :; done; cat $file");
        assert_eq!(disassemble_in(&environment, b"code").unwrap(), "code");

        std::fs::remove_dir_all(root.path().join("usr")).unwrap();
        std::fs::remove_file(in_wheel).unwrap();
        let error = disassemble_in(&environment, b"code").unwrap_err().to_string();
        assert!(error.contains("on path/nvdisasm: no such architecture (exit status: 3)"), "{error}");
    }
}
