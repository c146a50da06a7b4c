//! Tests that `docs/limits.md` lists the rules. `cargo xtask bless` regenerates the list.

use std::fmt::Write;
use std::fs;

use super::{ALL, Body, Rule};

/// The markers around the generated list.
const START: &str = "<!-- the rules: written by `cargo xtask bless` -->\n";
const END: &str = "<!-- the end of the rules -->\n";

#[test]
fn the_page_of_limits_lists_the_rules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/limits.md");
    // The published package does not contain the documentation of the repository.
    let Ok(page) = fs::read_to_string(path) else { return };
    let (before, rest) = page.split_once(START).expect("the start of the list");
    let (_, after) = rest.split_once(END).expect("the end of the list");
    let written = [before, START, &tables(), END, after].concat();
    if std::env::var_os("CUMBIA_BLESS").is_some_and(|value| value == "1") {
        fs::write(path, written).expect("a writable page");
    } else {
        assert!(page == written, "the rules in docs/limits.md are out of date\nto regenerate them: cargo xtask bless");
    }
}

/// Returns the Markdown tables, one for each section.
fn tables() -> String {
    let mut text = String::new();
    for (section, Rule { what, why, help }) in ALL {
        if let Some(section) = section {
            let _ = writeln!(text, "\n### {section}\n\n| what | why | instead |\n|---|---|---|");
        }
        let [what, why, help] =
            [what, why, help].map(|part| part.replace("{body}", &Body::Kernel.to_string()).replace('|', "\\|"));
        let _ = writeln!(text, "| {what} | {why} | {help} |");
    }
    text.push('\n');
    text
}

#[test]
fn messages_are_single_lines_in_lower_case_without_a_full_stop() {
    for (_, Rule { what, why, help }) in ALL {
        for part in [what, why, help] {
            // An initialism such as `GPU` may begin a text.
            let capitalised = matches!(part.as_bytes(), [b'A'..=b'Z', b'a'..=b'z', ..]);
            assert!(!capitalised && !part.ends_with('.') && !part.contains('\n'), "{part}");
        }
    }
}
