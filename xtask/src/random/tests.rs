//! The generator against itself.

use super::{Options, edit, generate, print, text};

fn options(kernels: std::ops::Range<u64>) -> Options {
    Options { seed: 5, kernels, ..Options::default() }
}

#[test]
fn a_kernel_depends_on_nothing_but_its_seed_and_number() {
    let alone = text(&options(7..8));
    let module = alone.split("/// Every kernel").next().expect("there is a kernel");
    assert!(text(&options(0..9)).contains(module));
}

/// What is left out makes a program smaller, one by one and all together.
#[test]
fn edits_make_programs_smaller() {
    for number in 0..6 {
        let program = generate::program(&options(0..6), number);
        let edits = edit::edits(&program);
        let size = edit::size(&program);
        for edit in &edits {
            let smaller = edit::apply(&program, &[*edit]);
            assert!(edit::size(&smaller) <= size, "{edit:?} of kernel {number}");
        }
        let together = edit::apply(&program, &edit::together(&edits));
        assert!(edit::size(&together) < size, "kernel {number}");
        assert!(!print::file(&[(String::from("k"), together)]).is_empty());
    }
}
