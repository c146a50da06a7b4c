//! References to tests, in the documents and in the corpus: `tests/ptx.rs`: `name` names a function of that file.

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
