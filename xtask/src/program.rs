//! Running other programs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a command failed, for its user.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

/// What the commands give.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The folder where Cargo builds.
pub(crate) fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The Cargo that runs us, in the root of the repository.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments).current_dir(root());
    cargo
}

/// Shows a command, runs it, and fails if it does.
///
/// # Errors
///
/// Where the command fails, or is not there.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line_of(command);
    eprintln!("+ {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure(format!("`{line}` failed"))),
        Err(error) => Err(Failure(format!("`{line}` cannot be run: {error}"))),
    }
}

/// A command as it would be typed: without the folders of the program.
fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let words = [program].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// The text after `"name":` in a line of JSON. Paths of Cargo's have no character that JSON escapes, but for `\`.
pub(crate) fn value_of(json: &str, name: &str) -> Option<String> {
    let start = json.find(&format!(r#""{name}":""#))? + name.len() + 4;
    let text = &json[start..];
    Some(text[..text.find('"')?].replace(r"\\", r"\"))
}
