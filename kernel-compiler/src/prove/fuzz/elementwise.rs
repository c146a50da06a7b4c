//! Random element-wise kernels, which are all coarsened: each thread reads and writes its own elements, in any order and under
//! any conditions.

use std::fmt::Write;
use std::num::NonZeroU32;

use super::generate::{Kernel, Param, Rng};
use super::{Mode, Statistics, quietly, test_kernel, variable};
use crate::ir::Scalar;
use crate::{Options, check, common, write};

struct Generator {
    rng: Rng,
    text: String,
    /// The variables in scope, and those of them that are mutable.
    vars: Vec<(String, bool)>,
    next: usize,
    /// The number of enclosing loops.
    loops: usize,
}

impl Generator {
    fn expr(&mut self, depth: usize) -> String {
        if depth > 0 && self.rng.chance(55) {
            let (left, right) = (self.expr(depth - 1), self.expr(depth - 1));
            return match self.rng.below(6) {
                0 => format!("({left} ^ {right})"),
                1 => format!("({left} & {right})"),
                2 => format!("({left} | {right})"),
                3 => format!("{left}.min({right})"),
                4 => format!("{left}.wrapping_add({right})"),
                _ => format!("({left} / 3u32 + {right} % 5u32)"),
            };
        }
        match self.rng.below(12) {
            0 | 1 => "x[i]".to_owned(),
            2 | 3 => "y[i]".to_owned(),
            4 => "a[i]".to_owned(),
            5 => "a[i / 2]".to_owned(),
            6 => "b[i]".to_owned(),
            7 => format!("{}u32", self.rng.below(9)),
            8 => (*self.rng.pick(&[
                "(i as u32)",
                "(grid_size(1) as u32)",
                "(block_idx().x as u32)",
                "(grid_dim().x as u32)",
                "(thread_idx().x as u32)",
            ]))
            .to_owned(),
            _ if self.vars.is_empty() => "n".to_owned(),
            _ => self.rng.pick(&self.vars).0.clone(),
        }
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.expr(1), self.expr(1));
        match self.rng.below(5) {
            0 => "i % 2 == 0".to_owned(),
            1 => format!("{left} % 2u32 == 0u32"),
            2 => format!("{left} != {right} && i > 1"),
            _ => format!("{left} < {right}"),
        }
    }

    fn block(&mut self, size: usize) {
        let known = self.vars.len();
        for _ in 0..=self.rng.below(size) {
            self.stmt(size);
        }
        self.vars.truncate(known);
    }

    fn stmt(&mut self, size: usize) {
        let value = self.expr(2);
        let inner = size / 2;
        match self.rng.below(if inner > 0 { 13 } else { 8 }) {
            0 | 1 => {
                let is_mutable = self.rng.chance(40);
                let name = format!("v{}", self.next);
                self.next += 1;
                let mutable = if is_mutable { "mut " } else { "" };
                let _ = writeln!(self.text, "let {mutable}{name}: u32 = {value};");
                self.vars.push((name, is_mutable));
            }
            2 => {
                let mutable: Vec<String> =
                    self.vars.iter().filter(|(_, is_mutable)| *is_mutable).map(|(name, _)| name.clone()).collect();
                if !mutable.is_empty() {
                    let name = self.rng.pick(&mutable).clone();
                    let _ = writeln!(self.text, "{name} = {value};");
                }
            }
            3 | 4 => {
                let array = *self.rng.pick(&["x", "y"]);
                let _ = writeln!(self.text, "{array}[i] = {value};");
            }
            5 => {
                let array = *self.rng.pick(&["x", "y"]);
                let _ = writeln!(self.text, "{array}[i] ^= {value};");
            }
            6 | 7 => {
                let array = *self.rng.pick(&["x", "y"]);
                let _ = writeln!(self.text, "{array}[i] |= {value};");
            }
            8 | 9 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if {condition} {{");
                self.block(inner);
                if self.rng.chance(50) {
                    self.text.push_str("} else {\n");
                    self.block(inner);
                }
                self.text.push_str("}\n");
            }
            10 => {
                let condition = self.condition();
                let jump = if self.loops > 0 { *self.rng.pick(&["return", "break", "continue"]) } else { "return" };
                let _ = writeln!(self.text, "if {condition} {{ {jump}; }}");
            }
            11 => {
                let counter = format!("k{}", self.next);
                self.next += 1;
                // The same for all items, or not.
                let end = match self.rng.below(6) {
                    0 | 1 => "b.len().min(3)".to_owned(),
                    2 => "(n % 4u32)".to_owned(),
                    3 => "(x[i] % 3u32)".to_owned(),
                    _ => format!("{}", 1 + self.rng.below(3)),
                };
                let _ = writeln!(self.text, "for {counter} in 0..{end} {{");
                self.vars.push((format!("({counter} as u32)"), false));
                let has_element = end.starts_with('b');
                if has_element {
                    self.vars.push((format!("b[{counter}]"), false));
                }
                self.loops += 1;
                self.block(inner);
                self.loops -= 1;
                self.vars.truncate(self.vars.len() - 1 - usize::from(has_element));
                self.text.push_str("}\n");
            }
            _ => {
                let _ = writeln!(self.text, "match {value} % 3u32 {{\n0u32 => {{");
                self.block(inner);
                self.text.push_str("}\n1u32 => {\n");
                self.block(inner);
                self.text.push_str("}\n_ => {\n");
                self.block(inner);
                self.text.push_str("}\n}\n");
            }
        }
    }
}

/// Returns a kernel whose accesses are packed, of elements of several sizes.
fn packed(mut rng: Rng) -> Kernel {
    let types = [Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64];
    let [a, b, x, y] = [(); 4].map(|()| *rng.pick(&types));
    let mut text = format!("fn k(a: &[{a}], b: &[{b}], x: &mut [{x}], y: &mut [{y}], n: u32) {{\nlet i = grid(1);\n");
    text.push_str("if i < a.len() && i < b.len() && i < x.len() && i < y.len() {\n");
    let mut operands: Vec<String> = ["a[i]", "b[i]", "x[i]", "y[i]"].map(|of| format!("({of} as u64)")).into();
    operands.extend(["7u64".to_owned(), "(n as u64)".to_owned(), "(a[0usize] as u64)".to_owned()]);
    let is_indexed = rng.chance(30);
    operands.extend(is_indexed.then(|| "(i as u64)".to_owned()));
    let mut expr = |operands: &[String]| {
        let operator = *rng.pick(&["^", "|", "&"]);
        let (left, right) = (rng.pick(operands).clone(), rng.pick(operands).clone());
        if rng.chance(30) { format!("{left}.wrapping_mul({right})") } else { format!("({left} {operator} {right})") }
    };
    for local in 0..2 {
        let _ = writeln!(text, "let v{local}: u64 = {};", expr(&operands));
        operands.push(format!("v{local}"));
    }
    let (of_x, of_y) = (expr(&operands), expr(&operands));
    let _ = writeln!(text, "let z: u64 = {of_y};\nx[i] = {of_x} as {x};\ny[i] = z as {y};\n}}\n}}");
    let params = [a, b, x, y].map(Param::Slice).into_iter().chain([Param::Number(Scalar::U32)]).collect();
    Kernel { text, params }
}

/// Returns the kernel of a seed, and how it is compiled.
pub(super) fn kernel(seed: u64) -> (Kernel, Mode) {
    let mut rng = Rng::new(seed);
    let mode = Mode { overflow_checks: false, fixed_block: None, narrow: false, contiguous: false };
    if rng.chance(30) {
        return (packed(rng), mode);
    }
    let size = 2 + rng.below(7);
    let (returns, early) = (rng.chance(40), rng.chance(30));
    let mut generator = Generator { rng, text: String::new(), vars: Vec::new(), next: 0, loops: 0 };
    let text = "fn k(a: &[u32], b: &[u32], x: &mut [u32], y: &mut [u32], n: u32) {\nlet i = grid(1);\n";
    generator.text.push_str(text);
    if early {
        let _ = writeln!(generator.text, "let half: usize = i / 2;");
    }
    let lens = "i < a.len() && i < b.len() && i < x.len() && i < y.len()";
    if returns {
        let _ = writeln!(generator.text, "if !({lens}) {{ return; }}");
        generator.block(size);
    } else {
        let _ = writeln!(generator.text, "if {lens} {{");
        generator.block(size);
        generator.text.push_str("}\n");
    }
    generator.text.push_str("}\n");
    let slice = Param::Slice(Scalar::U32);
    let params = vec![slice, slice, slice, slice, Param::Number(Scalar::U32)];
    (Kernel { text: generator.text, params }, mode)
}

/// Returns whether the coarsened kernel has packed accesses, and whether it has loops that all items of a thread share.
fn forms(text: &str, mode: Mode) -> (bool, bool) {
    let Ok(validated) = check(common::program(text, mode.overflow_checks)) else { return (false, false) };
    let coarsen = NonZeroU32::new(4);
    let options = Options { bounds_checks: false, coarsen, ..Options::default() };
    let text = write(&validated, &options).text;
    // One loop for all items, another one for one after another, and the one over these.
    let fast = text.split("for (u32 number").next().unwrap_or_default();
    let loops = |text: &str| text.matches("for (").count();
    (text.contains("rt::store_packed(&"), loops(fast) > 0 && loops(fast) == loops(&text) - loops(fast) - 1)
}

#[test]
fn random_element_wise_kernels() {
    let count = variable("CUMBIA_PROOF_KERNELS").unwrap_or(100);
    let first = variable("CUMBIA_PROOF_SEED").unwrap_or(1);
    let mut statistics = Statistics::default();
    let (mut packed, mut jammed) = (0, 0);
    for seed in first..first + count {
        let (kernel, mode) = kernel(seed);
        let (is_packed, is_jammed) = forms(&kernel.text, mode);
        packed += usize::from(is_packed);
        jammed += usize::from(is_jammed);
        let result = quietly(|| test_kernel(&kernel, mode, seed, &mut statistics));
        result.unwrap_or_else(|what| panic!("seed {seed}: {what}\n{}", kernel.text));
    }
    let Statistics { kernels, rejected, launches, coarsened, unsupported, .. } = statistics;
    assert!(rejected * 10 < kernels, "{rejected} of {count} kernels are rejected");
    assert!(packed * 8 > kernels, "{packed} of {kernels} kernels have packed accesses");
    assert!(jammed * 40 > kernels, "{jammed} of {kernels} kernels have loops that items share");
    assert!(coarsened * 2 > launches, "{coarsened} of {launches} launches are coarsened; unsupported: {unsupported:?}");
}
