//! The crates of the workspace, as their manifests declare them.

use std::path::PathBuf;

use crate::{read, root};

/// A package of the workspace.
pub(crate) struct Package {
    /// The directory below the root of the repository: `kernel-ir`, or `.` for the facade.
    pub(crate) folder: String,
    /// The names of the packages under `[dependencies]`, without those for tests and build scripts.
    pub(crate) dependencies: Vec<String>,
    /// The root module of the library, or of the program where there is no library.
    pub(crate) root_module: Option<PathBuf>,
}

/// Returns every package of the workspace, the root package first.
pub(crate) fn packages() -> Vec<Package> {
    let manifest = read(&root().join("Cargo.toml"));
    let members = manifest.lines().find_map(|line| line.strip_prefix("members = ")).expect("a list of members");
    let members = members.split('"').skip(1).step_by(2);
    [".".to_owned()].into_iter().chain(members.map(str::to_owned)).map(package).collect()
}

fn package(folder: String) -> Package {
    let path = root().join(&folder);
    let manifest = read(&path.join("Cargo.toml"));
    let section = |name: &str| {
        let lines = manifest.lines().skip_while(move |line| line.trim() != format!("[{name}]")).skip(1);
        lines.take_while(|line| !line.starts_with('[')).collect::<Vec<_>>()
    };
    let is_name = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let dependencies = section("dependencies")
        .into_iter()
        .filter(|line| line.starts_with(is_name))
        .map(|line| line.split(|c| !is_name(c)).next().unwrap_or_default().to_owned())
        .collect();
    let stated = section("lib").into_iter().find_map(|line| line.strip_prefix("path = \""));
    let stated = stated.map(|path| path.trim_end_matches('"'));
    let candidates = stated.into_iter().chain(["src/lib.rs", "src/main.rs"]);
    let root_module = candidates.map(|file| path.join(file)).find(|file| file.exists());
    Package { folder, dependencies, root_module }
}
