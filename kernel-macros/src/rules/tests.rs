//! `docs/limits.md` lists the rules as they are. `cargo xtask bless` writes the list anew.

use std::fmt::Write;
use std::fs;

use super::{ALL, Rule};

/// What stands around the list.
const START: &str = "<!-- the rules: written by `cargo xtask bless` -->\n";
const END: &str = "<!-- the end of the rules -->\n";

#[test]
fn the_page_of_limits_lists_the_rules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/limits.md");
    // A package of crates.io has no documentation of the repository.
    let Ok(page) = fs::read_to_string(path) else { return };
    let (before, rest) = page.split_once(START).expect("the start of the list");
    let (_, after) = rest.split_once(END).expect("the end of the list");
    let written = [before, START, &tables(), END, after].concat();
    if std::env::var_os("CUMBIA_BLESS").is_some_and(|value| value == "1") {
        fs::write(path, written).expect("a writable page");
    } else {
        assert!(page == written, "docs/limits.md does not list the rules as they are\nto list them: cargo xtask bless");
    }
}

/// A table for each section.
fn tables() -> String {
    let mut text = String::new();
    for (section, Rule { what, why, help }) in ALL {
        if let Some(section) = section {
            let _ = writeln!(text, "\n### {section}\n\n| what | why | instead |\n|---|---|---|");
        }
        let [what, why, help] = [what, why, help].map(|part| part.replace('|', "\\|"));
        let _ = writeln!(text, "| {what} | {why} | {help} |");
    }
    text.push('\n');
    text
}

#[test]
fn a_message_is_one_line_and_no_sentence() {
    for (_, Rule { what, why, help }) in ALL {
        for part in [what, why, help] {
            // `C` and `GPU` are names.
            let capitalised = matches!(part.as_bytes(), [b'A'..=b'Z', b'a'..=b'z', ..]);
            assert!(!capitalised && !part.ends_with('.') && !part.contains('\n'), "{part}");
        }
    }
}
