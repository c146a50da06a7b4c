//! References in the documents and comments: to source files, and in the documents and the corpus to tests, where
//! `tests/ptx.rs`: `name` names a function of that file.

use std::path::Path;

use crate::{files_below, read, root};

/// Returns the references of a text: the file, and the function.
fn references(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices(".rs`: `").filter_map(|(at, separator)| {
        let start = text[..at].rfind('`')? + 1;
        let rest = &text[at + separator.len()..];
        Some((&text[start..at + ".rs".len()], &rest[..rest.find('`')?]))
    })
}

#[test]
fn references_to_tests_lead_to_functions() {
    let is_text = |path: &Path| {
        let is_corpus = path.parent().is_some_and(|folder| folder.ends_with("tests/corpus"));
        path.extension().is_some_and(|extension| extension == "md") || is_corpus
    };
    let mut checked = 0;
    let mut failures = Vec::new();
    for file in files_below(&root(), is_text) {
        let text = read(&file);
        for (path, function) in references(&text).filter(|(path, _)| path.starts_with("tests/")) {
            checked += 1;
            let source = std::fs::read_to_string(root().join(path)).unwrap_or_default();
            if !source.contains(&format!("fn {function}(")) {
                failures.push(format!("{}: `{function}` is not in {path}", file.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(checked > 0, "no reference was found");
}

#[test]
fn references_to_source_files_lead_to_files() {
    fn is_source(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "rs")
    }
    let sources: Vec<String> =
        files_below(&root(), is_source).iter().map(|path| path.to_string_lossy().replace('\\', "/")).collect();
    let is_text = |path: &Path| is_source(path) || path.extension().is_some_and(|extension| extension == "md");
    let mut checked = 0;
    let mut failures = Vec::new();
    for file in files_below(&root(), is_text) {
        let text = read(&file);
        let quoted = text.split('`').skip(1).step_by(2);
        let is_path = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        let names_file = |path: &&str| path.strip_suffix(".rs").is_some_and(|stem| !stem.is_empty());
        for path in quoted.filter(names_file).filter(|path| path.chars().all(is_path)) {
            checked += 1;
            // A file of the standard library.
            let is_foreign = path.starts_with("core/src/");
            if !is_foreign && !sources.iter().any(|source| source.ends_with(&format!("/{path}"))) {
                failures.push(format!("{}: there is no `{path}`", file.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(checked > 100, "{checked} references were found");
}
