//! The order of loads and stores in the PTX of coarsened kernels.

mod common;
#[path = "common/nvrtc.rs"]
mod compiler;

use std::num::NonZeroU32;

use compiler::Nvrtc;
use cumbia_kernel_compiler::{Options, Variant, check, write};

/// Returns the PTX of a kernel, coarsened by the factor that it chooses, and the factor.
fn ptx(nvrtc: &Nvrtc, text: &str) -> (String, usize) {
    let program = common::program(text, true);
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let options = Options { variant: Variant::Proven, ..Options::default() };
    let coarsening = write(&validated, &options).coarsening.unwrap_or_else(|obstacle| panic!("{obstacle:?}\n{text}"));
    let source = write(&validated, &Options { coarsen: NonZeroU32::new(coarsening.factor), ..options }).text;
    let ptx = nvrtc.compile(&source, "compute_90").unwrap_or_else(|log| panic!("{log}\n{source}"));
    (String::from_utf8_lossy(&ptx).into_owned(), coarsening.factor as usize)
}

/// Checks that the loads of all items precede all stores. `loads` is the number of an item, and `common` of those that all items
/// have in common. In a kernel with one index, the items are first executed by packed accesses.
#[track_caller]
fn check_order(nvrtc: &Nvrtc, text: &str, factor: usize, loads: usize, common: usize) {
    let (ptx, chosen) = ptx(nvrtc, text);
    assert_eq!(chosen, factor);
    let accesses: Vec<&str> = ptx
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("ld.global") || line.starts_with("st.global"))
        .collect();
    let is_load = |line: &&str| line.starts_with("ld");
    let runs: Vec<&[&str]> = accesses.chunk_by(|one, other| is_load(one) == is_load(other)).collect();
    let loads_of = |run: Option<&&[&str]>| run.map(|run| run.iter().filter(|line| is_load(line)).count());
    let interleaved = Some(factor * loads + common);
    if text.contains("grid(2)") {
        assert_eq!(loads_of(runs.first()), interleaved, "{ptx}");
    } else {
        // A vector, or a word with several elements.
        assert_eq!(loads_of(runs.first()), Some(loads), "{ptx}");
        assert_eq!(runs[1].len(), 1, "{ptx}");
        assert_eq!(loads_of(runs.get(2)), interleaved, "{ptx}");
    }
    // Up to the loop over the items.
    let fast = ptx.split_once(".pragma \"nounroll\"").expect("a loop that is not unrolled").0;
    let slow_words: &[&str] = if text.contains("grid(2)") { &[".local"] } else { &["rem.", ".local"] };
    let slow: Vec<&str> = fast.lines().filter(|line| slow_words.iter().any(|word| line.contains(word))).collect();
    assert!(slow.is_empty(), "{slow:?} in\n{ptx}");
}

#[test]
fn the_loads_of_all_items_precede_all_stores() {
    let Some(nvrtc) = Nvrtc::find() else { return };
    let saxpy =
        "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) { let i = grid(1); if i < y.len() { y[i] = a * x[i] + y[i]; } }";
    check_order(&nvrtc, saxpy, 4, 2, 0);
    let add = "fn add(x: &[f32], y: &[f32], z: &mut [f32]) { let i = grid(1); if i >= z.len() { return; } z[i] = x[i] + y[i]; }";
    check_order(&nvrtc, add, 4, 2, 0);
    let gelu = "fn gelu(x: &[f32], y: &mut [f32]) {
        let i = grid(1);
        if i < x.len() && i < y.len() {
            let v = x[i];
            y[i] = 0.5 * v * (1.0 + (0.797_884_6 * (v + 0.044_715 * v * v * v)).tanh());
        }
    }";
    check_order(&nvrtc, gelu, 4, 1, 0);
    // The bias is the same for all rows.
    let relu = "fn relu(x: &[f32], bias: &[f32], y: &mut [f32], w: usize, h: usize) {
        let (c, r) = grid(2);
        if c < w && r < h { let i = r * w + c; y[i] = (x[i] + bias[c]).max(0.0); }
    }";
    check_order(&nvrtc, relu, 4, 1, 1);
    let bytes = "fn bytes(x: &[u8], y: &mut [u8]) { let i = grid(1); if i < y.len() { y[i] = x[i] / 2u8; } }";
    check_order(&nvrtc, bytes, 8, 1, 0);
    let in_place = "fn double(x: &mut [f64]) { let i = grid(1); if i < x.len() { x[i] *= 2.0; } }";
    check_order(&nvrtc, in_place, 2, 1, 0);
}
