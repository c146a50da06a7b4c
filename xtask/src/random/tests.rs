//! The generator against itself.

use super::{Language, Options, Overflow, kernel, print, reduce};

fn options(language: Language) -> Options {
    Options { seed: 5, language, overflow: Overflow::Faults }
}

#[test]
fn a_kernel_depends_on_nothing_but_its_seed_and_number() {
    for language in [Language::Numbers, Language::Full] {
        let options = options(language);
        let alone = super::text(&options, 7..8);
        let module = alone.split("/// Every kernel").next().expect("there is a kernel");
        assert!(super::text(&options, 0..9).contains(module));
    }
}

/// What is left out makes a program smaller, one by one and all together.
#[test]
fn edits_make_programs_smaller() {
    for number in 0..20 {
        let program = kernel::program(&options(Language::Full), number);
        let edits = reduce::edits(&program);
        let size = reduce::size(&program);
        for edit in &edits {
            let smaller = reduce::apply(&program, &[*edit]);
            assert!(reduce::size(&smaller) <= size, "{edit:?} of kernel {number}");
        }
        let together = reduce::apply(&program, &reduce::together(&edits));
        assert!(reduce::size(&together) < size, "kernel {number}");
        assert!(!print::file(&[(String::from("k"), together)]).is_empty());
    }
}
