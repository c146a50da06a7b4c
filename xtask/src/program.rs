//! Execution of other programs, and the directories of the repository.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The error message of a command.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

/// The result of a command.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Returns the root directory of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Returns the target directory of Cargo.
pub(crate) fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Returns a command for the Cargo that runs this program, in the root directory.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments).current_dir(root());
    cargo
}

/// Prints a command and runs it.
///
/// # Errors
///
/// If the command fails or cannot be started.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line_of(command);
    eprintln!("+ {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure(format!("`{line}` failed"))),
        Err(error) => Err(Failure(format!("`{line}` cannot be started: {error}"))),
    }
}

/// Returns a command as a user would type it: without the path of the program.
fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let words = [program].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Returns the string value of a field in a line of JSON. The only escape in the paths of Cargo's messages is `\\`.
pub(crate) fn value_of(json: &str, name: &str) -> Option<String> {
    let start = json.find(&format!(r#""{name}":""#))? + name.len() + 4;
    let text = &json[start..];
    Some(text[..text.find('"')?].replace(r"\\", r"\"))
}
