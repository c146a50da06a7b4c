//! Checks of `docs/ir.md` and `docs/methods.md` against the IR: both list everything that there is.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use cumbia_kernel_ir::Method;

/// A page of the repository's documentation; `None` in a packaged crate, which has none.
fn page(name: &str) -> Option<String> {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name)).ok()
}

/// A source file of the language layer that defines methods.
fn definitions(file: &str) -> String {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel-lang/src");
    fs::read_to_string(sources.join(file)).expect("a source of the language layer")
}

/// The names of the methods that a source file defines.
fn defined(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split('<').next())
}

/// The enums of a source file as rustfmt formats it, with the names of their variants.
fn enums(source: &str) -> Vec<(&str, Vec<&str>)> {
    let declarations = source.split("\npub enum ").skip(1).filter_map(|rest| rest.split_once(" {\n"));
    declarations
        .map(|(name, body)| (name, body.lines().take_while(|line| *line != "}").filter_map(variant).collect()))
        .collect()
}

/// The name of the variant that a line of an enum declares.
fn variant(line: &str) -> Option<&str> {
    let line = line.strip_prefix("    ")?;
    let end = line.find(|c: char| !c.is_alphanumeric())?;
    line.starts_with(|c: char| c.is_ascii_uppercase()).then(|| &line[..end])
}

#[test]
fn the_ir_reference_lists_every_variant() {
    let Some(page) = page("ir.md") else { return };
    let ir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel-ir/src");
    let (mut missing, mut count) = (String::new(), 0);
    for file in ["function.rs", "message.rs", "types.rs", "program.rs", "intrinsic.rs"] {
        let source = fs::read_to_string(ir.join(file)).expect("a source of the IR");
        for (name, variants) in enums(&source) {
            let Some((_, rest)) = page.split_once(&format!("\n### {name}\n")) else {
                let _ = writeln!(missing, "a section for `{name}`");
                continue;
            };
            let section = rest.split("\n## ").next().unwrap_or_default();
            let section = section.split("\n### ").next().unwrap_or_default();
            for variant in variants {
                count += 1;
                if !section.contains(&format!("`{variant}`")) {
                    let _ = writeln!(missing, "`{name}::{variant}`");
                }
            }
        }
    }
    assert!(count > 100, "{count} variants were found in the sources");
    assert!(missing.is_empty(), "docs/ir.md lacks:\n{missing}");
}

#[test]
fn the_page_of_methods_lists_every_method() {
    let Some(page) = page("methods.md") else { return };
    // The methods that a kernel cannot call, and the conversions, which are none, are in tables of their own.
    let others = ["| method on the host |", "| conversion |"];
    let tables = page.split("\n\n").filter(|table| !others.iter().any(|other| table.starts_with(other)));
    let rows = tables.flat_map(str::lines).filter(|line| line.starts_with("| `"));
    let first_cells = rows.filter_map(|row| row.split('|').nth(1));
    let signatures = first_cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let listed: BTreeSet<&str> = signatures.map(|call| call.split('(').next().unwrap_or_default()).collect();
    let sources = [
        "number/integer/definitions.rs",
        "number/float/definitions.rs",
        "methods/slice.rs",
        "methods/fallible/option.rs",
        "methods/fallible/result.rs",
    ];
    let sources = sources.map(definitions);
    let defined = sources.iter().flat_map(|source| defined(source));
    let existing: BTreeSet<&str> = Method::ALL.iter().map(|method| method.name()).chain(defined).collect();
    let lacking: Vec<_> = existing.difference(&listed).collect();
    let unknown: Vec<_> = listed.difference(&existing).collect();
    assert!(lacking.is_empty() && unknown.is_empty(), "docs/methods.md lacks {lacking:?}, and lists {unknown:?}");
}
