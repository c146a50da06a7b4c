//! Golden files: the CUDA C of selected kernels, in `tests/golden/`, so that a change of the CUDA C writer shows as a
//! diff of its output.
//!
//! The files hold the output of a debug build, with overflow checks. In a release build the comparison is skipped.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use cumbia_corpus::{kernels, left_out};

/// The kernels: a small set that covers the output of the writer.
const GOLDEN: &[&str] = &[
    "linear::saxpy",
    "linear::vector_add",
    "linear::relu_bias",
    "shared_memory::matmul_tiled<16>",
    "shared_memory::block_sums<f32, 64>",
    "shared_memory::histogram",
    "shared_memory::dynamic_parts",
    "device_functions::calling",
    "device_functions::unchecked_copy",
    "geometry::mandelbrot",
    "indices::nested",
    "deferred::sparse",
    "operators::div<i8>",
    "operators::shl<i32, u64>",
    "order::effects",
    "control::kernels::three_labels",
    "ranges::kernels::stepped",
    "float_methods::rounded<f32>",
    "foreign_names::__global__",
    // methods that are defined in Rust
    "integer_results::isqrt<i32>",
    "integer_results::wrapping_rem_euclid<i64>",
    // loops and patterns
    "control::kernels::outer_loop_with_value",
    "sequences::kernels::directions",
    "sequences::kernels::elements",
    "matching::kernels::enums",
    "matching::kernels::integers",
    "matching::kernels::tuples",
    "bindings::kernels::destructuring",
    // structs, arrays, references, sub-slices
    "structs::kernels::nested",
    // an enum with data, and an `Option`
    "payloads::first_hits",
    "arrays::unrolled_sums<4>",
    "slices::shared_parts",
    "slices::kernels::parts",
    "views::transpose<i16>",
    "views::product<f32>",
    "views::lines_of",
    "vectors::axpy",
    // methods, operators, traits
    "methods::kernels::methods",
    "methods::kernels::operators",
    "methods::kernels::traits",
    // communication between threads
    "atomics::tallies",
    "warps::in_arms",
    "warps::scan<u32>",
    "cooperation::summed",
    // messages of kernels
    "messages::telling",
    "messages::stopping",
    // options
    "narrow::product",
    "narrow::stencil",
    "options::in_bricks",
    "options::few_registers",
    "options::fast_kernel",
    "options::foreign",
    "cuda_bodies::calls_others",
    "comparisons::same_poses",
    "unchecked::relaxed",
    "halves::weighted",
];

#[test]
fn emitted_c_matches_the_golden_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let bless = std::env::var_os("CUMBIA_BLESS").is_some_and(|value| value == "1");
    if !cfg!(debug_assertions) {
        return left_out("golden CUDA C", "a release build emits no overflow checks", "CUMBIA_REQUIRE_GOLDEN");
    }
    if !folder.is_dir() && !bless {
        return left_out("golden CUDA C", &format!("{} does not exist", folder.display()), "CUMBIA_REQUIRE_GOLDEN");
    }
    let kernels = kernels();
    let mut failures = String::new();
    let mut names = BTreeSet::new();
    for &kernel in GOLDEN {
        let look = kernels.get(format!("cumbia_corpus::{kernel}").as_str()).unwrap_or_else(|| panic!("no {kernel}"));
        let source = (look.cuda_source)().expect("valid kernels");
        let name = file_name(kernel);
        let path = folder.join(&name);
        names.insert(name.clone());
        if bless {
            fs::create_dir_all(&folder).and_then(|()| fs::write(&path, &source)).expect("a writable directory");
            continue;
        }
        let golden = fs::read_to_string(&path).unwrap_or_default();
        if golden != source {
            let _ = writeln!(failures, "tests/golden/{name} against the current output:\n{}", diff(&golden, &source));
        }
    }
    for stale in files_of(&folder).difference(&names) {
        if bless {
            fs::remove_file(folder.join(stale)).expect("a writable directory");
        } else {
            let _ = writeln!(failures, "tests/golden/{stale} has no kernel");
        }
    }
    assert!(failures.is_empty(), "{failures}\nto accept the current output: cargo xtask bless");
}

/// Returns the file name of a kernel: `generic_scale_f32.cu` for `generic::scale<f32>`.
fn file_name(kernel: &str) -> String {
    let words: Vec<_> =
        kernel.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    words.join("_") + ".cu"
}

fn files_of(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a directory that can be read");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// Returns the lines that differ, with two lines of context. A crate for this, `similar`, would be a dependency of this
/// function only.
fn diff(before: &str, after: &str) -> String {
    const CONTEXT: usize = 2;
    let (before, after): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    // `common[i][j]` is the length of the longest common subsequence of `before[i..]` and `after[j..]`.
    let mut common = vec![vec![0u32; after.len() + 1]; before.len() + 1];
    for i in (0..before.len()).rev() {
        for j in (0..after.len()).rev() {
            common[i][j] =
                if before[i] == after[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < before.len() || j < after.len() {
        if i < before.len() && j < after.len() && before[i] == after[j] {
            lines.push((' ', before[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == after.len() || (i < before.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(('-', before[i]));
            i += 1;
        } else {
            lines.push(('+', after[j]));
            j += 1;
        }
    }
    let near = |line: usize| {
        let around = line.saturating_sub(CONTEXT)..lines.len().min(line + CONTEXT + 1);
        lines[around].iter().any(|(mark, _)| *mark != ' ')
    };
    let mut text = String::new();
    for (number, (mark, line)) in lines.iter().enumerate().filter(|(number, _)| near(*number)) {
        if number > 0 && !near(number - 1) {
            text.push_str("  ...\n");
        }
        let _ = writeln!(text, "{mark} {line}");
    }
    text
}

#[test]
fn diffs_show_changed_lines_with_context() {
    assert_eq!(diff("a\nb\nc\nd\ne\nf", "a\nb\nc\nx\ne\nf"), "  ...\n  b\n  c\n- d\n+ x\n  e\n  f\n");
    assert_eq!(diff("a", "a"), "");
    assert_eq!(diff("", "a"), "+ a\n");
}
