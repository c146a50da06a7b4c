//! Checks of the pages of documentation against the repository.
//!
//! - Links between pages lead to files and headings that exist, and the source files that pages name exist.
//! - The messages of rustc in `docs/troubleshooting.md` are those of `tests/messages/ui`; `CUMBIA_BLESS=1` rewrites them.
//! - The run-time messages there occur in the sources.
//! - The names of functions, methods, types and options in tables exist, and those that are "not yet" there do not.
//! - The terms of the glossary are sorted and used.
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

/// The comment before a block that quotes a file of `tests/messages/ui`: `<!-- tests/messages/ui/mistake.stderr, first 5 lines -->`.
const QUOTE: &str = "<!-- tests/messages/ui/";

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
        let message = read(Path::new("tests/messages/ui").join(name));
        let count: usize = count.parse().expect("a number of lines");
        let lines: Vec<&str> = message.lines().take(count).collect();
        let _ = write!(written, "{QUOTE}{name}, first {count} lines -->\n```text\n{}\n```{rest}", lines.join("\n"));
        quotes += 1;
    }
    assert!(quotes > 5);
    if std::env::var_os("CUMBIA_BLESS").is_some_and(|value| value == "1") {
        fs::write(root().join(TROUBLESHOOTING), written).expect("a writable page");
    } else {
        assert!(
            page == written,
            "{TROUBLESHOOTING} quotes other messages than tests/messages/ui\nto update: cargo xtask bless"
        );
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

/// The glossary.
const GLOSSARY: &str = "docs/glossary.md";

/// The terms of the glossary, in its order: each paragraph begins with one or several in bold type.
fn terms(page: &str) -> Vec<&str> {
    let entries = page.lines().filter(|line| line.starts_with("**"));
    entries.flat_map(|line| line.split("**:").next().unwrap_or_default().split("**").skip(1).step_by(2)).collect()
}

#[test]
fn the_glossary_is_sorted_and_its_terms_are_used() {
    let page = read(GLOSSARY);
    let terms = terms(&page);
    assert!(terms.len() > 30, "{terms:?}");
    let key = |term: &str| term.trim_matches('`').to_lowercase();
    assert!(terms.is_sorted_by_key(|term| key(term)), "{GLOSSARY} is not in alphabetical order: {terms:?}");
    let mut text = String::new();
    for path in pages().iter().filter(|path| !path.ends_with("glossary.md")) {
        text.push_str(&read(path).to_lowercase());
    }
    for name in crates() {
        sources(&root().join(name).join("src"), &mut text);
    }
    // A line break can be within a term.
    let text = text.replace('\n', " ");
    let unused: Vec<_> = terms.iter().filter(|term| !text.contains(&key(term))).collect();
    assert!(unused.is_empty(), "{GLOSSARY} defines terms that no page and no source uses: {unused:?}");
}

/// Rust's own names in the tables of [`names_in_tables_exist`].
const OF_RUST: &[&str] = &[
    "Clone",
    "Copy",
    "From",
    "None",
    "Ok",
    "PartialEq",
    "PartialOrd",
    "Some",
    "assert",
    "bool",
    "break",
    "chunks_exact",
    "const",
    "continue",
    "copied",
    "derive",
    "enum",
    "enumerate",
    "f32",
    "f64",
    "for",
    "i64",
    "i8",
    "if",
    "impl",
    "isize",
    "iter",
    "iter_mut",
    "let",
    "loop",
    "match",
    "println",
    "return",
    "rev",
    "static",
    "step_by",
    "struct",
    "u32",
    "u64",
    "u8",
    "unsafe",
    "usize",
    "while",
    "windows",
];

/// The programs and crates in those tables.
const OF_OTHERS: &[&str] = &["cudarc", "cuobjdump", "ndarray", "nvdisasm"];

/// The words of a text that can be identifiers, each with the text before and behind it.
fn words(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit())).map(|word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        (&text[..start], word, &text[start + word.len()..])
    })
}

/// The names of the public items that a source file declares or re-exports, as rustfmt formats it: functions, methods,
/// also of public traits, types, variants, fields, modules and constants.
fn declared(source: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for part in source.split("pub use ").skip(1) {
        names.extend(words(part.split(';').next().unwrap_or_default()).map(|(_, word, _)| word));
    }
    let mut item = "";
    for line in source.lines() {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix("pub ") {
            let modifiers = ["async", "const", "unsafe"];
            let kinds = ["const", "enum", "fn", "mod", "static", "struct", "trait", "type"];
            let is_kind = |word: &str| modifiers.contains(&word) || kinds.contains(&word);
            names.extend(rest.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| !is_kind(word)));
        }
        let top = |prefix| line.starts_with(prefix);
        if top("}") {
            item = "";
        } else if top("pub trait ") || top("pub unsafe trait ") {
            item = "trait";
        } else if top("pub enum ") {
            item = "enum";
        } else if let Some(text) = line.strip_prefix("    ") {
            let member = match item {
                "trait" => text.strip_prefix("fn "),
                "enum" => Some(text).filter(|text| text.starts_with(|c: char| c.is_ascii_uppercase())),
                _ => None,
            };
            names.extend(member.and_then(|member| words(member).next()).map(|(_, word, _)| word));
        }
    }
    names
}

/// The code spans of a cell of a table, without the contents of string literals.
fn spans(cell: &str) -> Vec<String> {
    let spans = cell.split('`').skip(1).step_by(2);
    spans.map(|span| span.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")).collect()
}

/// The cells of the rows of a page's tables.
fn rows(page: &str) -> impl Iterator<Item = Vec<String>> {
    prose(page).filter(|line| line.starts_with('|')).map(|line| {
        let line = line.trim().trim_matches('|').replace("\\|", "\u{1}");
        line.split('|').map(|cell| cell.replace('\u{1}', "|")).collect()
    })
}

/// The names in a code span that an item must have: those that are called, follow `::`, begin with a capital letter
/// followed by others, or are the whole span; but not those that the span declares.
fn named(span: &str) -> Vec<&str> {
    let whole = span.trim();
    let is_name = |&(before, word, behind): &(&str, &str, &str)| {
        let is_called = ["(", "!(", "::<"].iter().any(|next| behind.starts_with(next));
        let is_type = word.starts_with(|c: char| c.is_ascii_uppercase()) && word.contains(|c: char| c.is_lowercase());
        let is_declared = ["fn ", "for ", "let "].iter().any(|keyword| before.ends_with(keyword));
        // `_mut` and `BLOCK_LOAD_DIRECT` are a suffix and a name of CUB.
        let is_item = word.len() > 1 && !word.starts_with('_') && word.contains(|c: char| c.is_lowercase());
        is_item && !is_declared && (is_called || is_type || before.ends_with("::") || word == whole)
    };
    words(span).filter(is_name).map(|(_, word, _)| word).collect()
}

/// The names of Cumbia's items that users can refer to.
fn existing() -> BTreeSet<String> {
    let mut files = Vec::new();
    for folder in crates().iter().map(|name| root().join(name).join("src")).chain([root().join("src")]) {
        rust_files(&folder, &mut files);
    }
    let mut names = BTreeSet::new();
    for file in files {
        let source = fs::read_to_string(file).expect("a source");
        names.extend(declared(&source).into_iter().map(str::to_owned));
    }
    // A test of the compiler compares this page with the methods. Vectors and `fast::` are defined by macros.
    for row in rows(&read("docs/methods.md")) {
        names.extend(spans(&row[0]).iter().flat_map(|span| named(span)).map(str::to_owned));
    }
    let vectors = read("kernel-std/src/vector.rs");
    names.extend(words(&vectors).map(|(_, word, _)| word).filter(|word| *word == "Float4").map(str::to_owned));
    let fast = read("kernel-lang/src/intrinsics/fast.rs");
    let functions = fast.lines().filter(|line| line.contains("(x) -> f32 = ")).filter_map(|line| words(line).next());
    names.extend(functions.map(|(_, word, _)| word.to_owned()));
    let rules = read("kernel-macros/src/rules.rs");
    let (_, options) = rules.split_once("why \"the options are ").expect("the list of the options of `#[kernel]`");
    names.extend(spans(options.split(';').next().unwrap_or_default()));
    names
}

/// Selects the cells of a row.
type Columns = fn(&[String]) -> &[String];

/// The pages with tables of Cumbia's names, and the columns that have them: the last, the first or all.
const TABLES: [(&str, Columns); 6] = [
    ("docs/from-cuda.md", |row| &row[row.len() - 1..]),
    ("docs/from-numba.md", |row| &row[row.len() - 1..]),
    ("docs/from-cupy.md", |row| &row[row.len() - 1..]),
    ("docs/from-thrust.md", |row| &row[row.len() - 1..]),
    ("docs/algorithms.md", |row| &row[..1]),
    ("docs/language.md", |row| row),
];

#[test]
fn names_in_tables_exist() {
    let existing = existing();
    let (mut missing, mut count) = (String::new(), 0);
    for (path, cells) in TABLES {
        for row in rows(&read(path)) {
            for span in cells(&row).iter().flat_map(|cell| spans(cell)) {
                for name in named(&span) {
                    count += 1;
                    let is_known = existing.contains(name) || OF_RUST.contains(&name) || OF_OTHERS.contains(&name);
                    if !is_known {
                        let _ = writeln!(missing, "{path}: `{name}` in `{span}`");
                    }
                }
            }
        }
    }
    assert!(count > 500, "{count} names");
    assert!(missing.is_empty(), "names that do not exist:\n{missing}");
}

#[test]
fn features_that_exist_are_not_missing_in_tables() {
    let existing = existing();
    let (mut wrong, mut count) = (String::new(), 0);
    for path in ["docs/from-cuda.md", "docs/from-numba.md", "docs/from-cupy.md", "docs/from-thrust.md"] {
        for row in rows(&read(path)).filter(|row| row.last().is_some_and(|cell| cell.trim().starts_with("not yet"))) {
            for span in spans(&row[0]) {
                // `nanosleep` in `cuda.nanosleep(ns)`
                let path_of_name = span.split('(').next().unwrap_or_default();
                let name = path_of_name.rsplit(['.', ':', '@']).next().unwrap_or_default();
                count += 1;
                if existing.contains(name) {
                    let _ = writeln!(wrong, "{path}: `{name}` of `{span}` exists");
                }
            }
        }
    }
    assert!(count > 10, "{count} names");
    assert!(wrong.is_empty(), "rows that say \"not yet\":\n{wrong}");
}
