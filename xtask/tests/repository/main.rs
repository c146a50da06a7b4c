//! Tests of the repository itself: the module graph, environment variables, and references to tests in comments and
//! documents.

mod crates;
mod imports;
mod layers;
mod module_graph;
mod references;
mod variables;

use std::path::{Path, PathBuf};

/// Returns the root directory of the repository.
fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask is a directory of the repository").to_owned()
}

/// Returns every file below `folder` for which `is_wanted` holds, in the order of their paths. Build outputs and hidden
/// directories are skipped.
fn files_below(folder: &Path, is_wanted: fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if name != "target" && !name.to_string_lossy().starts_with('.') {
                files.extend(files_below(&path, is_wanted));
            }
        } else if is_wanted(&path) {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Returns the text of a file.
#[track_caller]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
