//! The table of environment variables in `CONTRIBUTING.md` lists exactly the variables that the code reads.
//!
//! `CUMBIA_TEST_..` is not listed: a test sets such a variable for a process that it starts itself.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{files_below, read, root};

/// Returns the names of the variables that occur in a text as a string literal, or in a script behind a `$`.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("CUMBIA_").filter_map(|(start, _)| {
        let is_read = ["\"", "$", "${", "${!"].iter().any(|before| text[..start].ends_with(before));
        let name = &text[start..];
        let end = name.find(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit() && c != '_').unwrap_or(name.len());
        let name = &name[..end];
        let is_prefix = name.ends_with('_');
        (is_read && !is_prefix && !name.starts_with("CUMBIA_TEST_")).then_some(name)
    })
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["rs", "sh", "c", "h", "py"].iter().any(|known| extension == *known))
}

/// Variables whose names are not literals: `tests/random/build.rs` builds them from the names of the options.
const BUILT: [&str; 5] = [
    "CUMBIA_RANDOM_SEED",
    "CUMBIA_RANDOM_KERNELS",
    "CUMBIA_RANDOM_KERNEL",
    "CUMBIA_RANDOM_OVERFLOW",
    "CUMBIA_RANDOM_TALLIES",
];

#[test]
fn contributing_lists_every_variable_that_the_code_reads() {
    let texts: Vec<String> = files_below(&root(), is_source).iter().map(|file| read(file)).collect();
    let mut used: BTreeSet<&str> = texts.iter().flat_map(|text| variables(text)).collect();
    used.extend(BUILT);
    let page = read(&root().join("CONTRIBUTING.md"));
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let listed: BTreeSet<&str> = cells
        .flat_map(|cell| cell.split('`'))
        .map(|word| word.split('=').next().unwrap_or_default())
        .filter(|word| word.starts_with("CUMBIA_") && !word.contains(' '))
        .collect();
    let missing: Vec<_> = used.difference(&listed).collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md lacks {missing:?} in its table of variables");
    let stale: Vec<_> = listed.difference(&used).collect();
    assert!(stale.is_empty(), "CONTRIBUTING.md lists variables that nothing reads: {stale:?}");
}
