//! `docs/environment.md` documents every environment variable that the runtime and the driver layer read.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Collects the variables that a text names within quotation marks of this kind.
fn variables(text: &str, quote: char, into: &mut BTreeSet<String>) {
    let mut rest = text;
    while let Some(begin) = rest.find(&format!("{quote}CUMBIA_")) {
        let name = &rest[begin + 1..];
        let length = name.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(name.len());
        if name[length..].starts_with(quote) {
            into.insert(name[..length].to_owned());
        }
        rest = &name[length..];
    }
}

/// Collects the variables of the Rust files in a directory, recursively, without tests.
fn in_folder(folder: &Path, into: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a directory of sources").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            in_folder(&entry, into);
        } else if entry.file_name().is_some_and(|name| name != "tests.rs") {
            let text = fs::read_to_string(&entry).expect("a source");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            variables(code, '"', into);
        }
    }
}

#[test]
fn every_variable_is_documented() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut read, mut documented) = (BTreeSet::new(), BTreeSet::new());
    in_folder(&package.join("src"), &mut read);
    in_folder(&package.join("../kernel-driver/src"), &mut read);
    let page = fs::read_to_string(package.join("../docs/environment.md")).expect("docs/environment.md");
    let table = page.lines().filter(|line| line.starts_with("| `CUMBIA_"));
    variables(&table.collect::<Vec<_>>().join("\n"), '`', &mut documented);
    assert!(read.contains("CUMBIA_NVRTC") && documented.len() >= 6, "{documented:?}");
    assert_eq!(read, documented, "docs/environment.md and the sources name different variables");
}
