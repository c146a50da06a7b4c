//! Checks of the pages of documentation against the repository.
//!
//! - Links between pages lead to files and headings that exist, and the source files that pages name exist.
//! - The messages of rustc in `docs/troubleshooting.md` are those of `tests/ui`; `CUMBIA_BLESS=1` rewrites them.
//! - The run-time messages there occur in the sources.
//! - The tables of crates in `ARCHITECTURE.md` list the modules of each crate.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The paths of all pages, relative to the root.
fn pages() -> Vec<PathBuf> {
    let in_folder = |folder: &str| -> Vec<PathBuf> {
        let entries = fs::read_dir(root().join(folder)).expect("a directory").map(|entry| entry.expect("an entry"));
        entries.map(|entry| Path::new(folder).join(entry.file_name())).collect()
    };
    let mut pages = [in_folder(""), in_folder("docs")].concat();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    assert!(pages.len() > 10, "{pages:?}");
    pages
}

/// The lines of a page outside of its code blocks.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// The anchors of a page's headings, as GitHub derives them: lower case, without punctuation, and hyphens for spaces.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let kept = heading.trim_start_matches('#').trim().chars();
        let kept = kept.filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_to_existing_files_and_headings() {
    let mut broken = String::new();
    for path in pages() {
        let page = read(&path);
        for line in prose(&page) {
            // Code spans are left out: `kernel[grid, block](x, y)` is no link.
            let line: String = line.split('`').step_by(2).collect();
            for link in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                if link.starts_with("http") {
                    continue;
                }
                let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target =
                    if file.is_empty() { path.clone() } else { path.parent().unwrap_or(Path::new("")).join(file) };
                let found =
                    root().join(&target).exists() && (anchor.is_empty() || anchors(&read(&target)).contains(anchor));
                if !found {
                    let _ = writeln!(broken, "{}: {link}", path.display());
                }
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{broken}");
}

/// The paths of the Rust files in a directory and in those in it, with `/` between names.
fn rust_files(folder: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a directory").map(|entry| entry.expect("an entry").path()) {
        let is_output = entry.file_name().is_some_and(|name| name == "target" || name == ".git");
        if entry.is_dir() && !is_output {
            rust_files(&entry, files);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(entry.to_string_lossy().replace('\\', "/"));
        }
    }
}

#[test]
fn named_source_files_exist() {
    let mut files = Vec::new();
    rust_files(&root(), &mut files);
    let mut missing = String::new();
    // A changelog names what was.
    for path in pages().iter().filter(|path| !path.ends_with("CHANGELOG.md")) {
        let page = read(path);
        for name in prose(&page).flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let is_source = Path::new(name).extension().is_some_and(|extension| extension == "rs");
            let is_path = is_source && name.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
            if is_path && !files.iter().any(|file| file.ends_with(&format!("/{name}"))) {
                let _ = writeln!(missing, "{}: {name}", path.display());
            }
        }
    }
    assert!(missing.is_empty(), "source files that do not exist:\n{missing}");
}

/// The page of symptoms.
const TROUBLESHOOTING: &str = "docs/troubleshooting.md";

/// The comment before a block that quotes a file of `tests/ui`: `<!-- tests/ui/mistake.stderr, first 5 lines -->`.
const QUOTE: &str = "<!-- tests/ui/";

/// The comment before a block whose lines occur in the sources, with `…` for the parts that differ.
const IN_SOURCES: &str = "<!-- in the sources -->";

/// The code block at the start of a text, without its fences, and what follows it.
fn code_block(text: &str) -> (&str, &str) {
    let block = text.trim_start_matches('\n').strip_prefix("```text\n").expect("a block of text");
    block.split_once("```").expect("the end of the block")
}

#[test]
fn quoted_compiler_messages_are_those_of_the_ui_tests() {
    let page = read(TROUBLESHOOTING);
    let mut parts = page.split(QUOTE);
    let mut written = parts.next().unwrap_or_default().to_owned();
    let mut quotes = 0;
    for part in parts {
        let (name, rest) = part.split_once(", first ").expect("the number of lines");
        let (count, rest) = rest.split_once(" lines -->").expect("the end of the comment");
        let (_, rest) = code_block(rest);
        let message = read(Path::new("tests/ui").join(name));
        let count: usize = count.parse().expect("a number of lines");
        let lines: Vec<&str> = message.lines().take(count).collect();
        let _ = write!(written, "{QUOTE}{name}, first {count} lines -->\n```text\n{}\n```{rest}", lines.join("\n"));
        quotes += 1;
    }
    assert!(quotes > 5);
    if std::env::var_os("CUMBIA_BLESS").is_some_and(|value| value == "1") {
        fs::write(root().join(TROUBLESHOOTING), written).expect("a writable page");
    } else {
        assert!(page == written, "{TROUBLESHOOTING} quotes other messages than tests/ui\nto update: cargo xtask bless");
    }
}

/// Appends the Rust files of a directory and of those in it. Strings that continue on the next line are joined.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("a directory").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            sources(&entry, text);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let file = fs::read_to_string(&entry).expect("a source");
            let mut parts = file.split("\\\n");
            text.push_str(parts.next().unwrap_or_default());
            parts.for_each(|part| text.push_str(part.trim_start()));
        }
    }
}

/// The directories of the workspace's crates, relative to the root.
fn crates() -> Vec<String> {
    let entries = fs::read_dir(root()).expect("the root").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.filter_map(|name| name.into_string().ok()).collect();
    names.retain(|name| name.starts_with("kernel-"));
    names.sort();
    names
}

#[test]
fn quoted_run_time_messages_occur_in_the_sources() {
    let mut text = String::new();
    for name in crates() {
        sources(&root().join(name).join("src"), &mut text);
    }
    let page = read(TROUBLESHOOTING);
    let (mut missing, mut quotes) = (String::new(), 0);
    for part in page.split(IN_SOURCES).skip(1) {
        let (block, _) = code_block(part);
        for fragment in block.lines().flat_map(|line| line.split('…')).map(str::trim) {
            quotes += 1;
            if !text.contains(fragment) {
                let _ = writeln!(missing, "{fragment}");
            }
        }
    }
    assert!(quotes > 10);
    assert!(missing.is_empty(), "{TROUBLESHOOTING} quotes messages that no source contains:\n{missing}");
}

/// The modules at the top of a crate, by their names.
fn modules(name: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(name).join("src")).expect("sources").map(|entry| entry.expect("an entry"));
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let names = names.map(|name| name.trim_end_matches(".rs").to_owned());
    names.filter(|name| !matches!(&**name, "lib" | "tests")).collect()
}

#[test]
fn architecture_lists_the_modules_of_each_crate() {
    let page = read("ARCHITECTURE.md");
    let mut wrong = String::new();
    for name in crates() {
        let Some((_, table)) = page.split_once(&format!("\n| `{name}` |")) else {
            let _ = writeln!(wrong, "no table of `{name}`");
            continue;
        };
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        let cells = rows.filter_map(|row| row.split('|').nth(1));
        let listed: BTreeSet<String> = cells
            .flat_map(|cell| cell.split('`').skip(1).step_by(2))
            .map(|module| module.trim_end_matches('/').to_owned())
            .collect();
        let existing = modules(&name);
        for module in existing.difference(&listed) {
            let _ = writeln!(wrong, "the table of `{name}` lacks `{module}`");
        }
        for module in listed.difference(&existing) {
            let _ = writeln!(wrong, "the table of `{name}` lists `{module}`, which does not exist");
        }
    }
    assert!(wrong.is_empty(), "ARCHITECTURE.md:\n{wrong}");
}
