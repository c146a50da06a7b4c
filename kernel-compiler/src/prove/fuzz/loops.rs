//! Random loops with exits that compare their counters, also with the values at which these start: see
//! [`lower::opaque`](crate::lower::opaque).

use std::fmt::Write;

use super::generate::{Kernel, Param, Rng};
use super::{Mode, Statistics, quietly, test_kernel, variable};
use crate::ir::Scalar;

struct Generator {
    rng: Rng,
    text: String,
    /// The type of the counters.
    ty: Scalar,
    /// The number of names.
    names: usize,
}

impl Generator {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// Returns a value that the loops do not change.
    fn invariant(&mut self) -> String {
        let ty = self.ty;
        match self.rng.below(9) {
            0..=3 => "a".to_owned(),
            4 | 5 => "b".to_owned(),
            6 => "n".to_owned(),
            7 => format!("{}{ty}", self.rng.below(9)),
            _ => format!("{}.wrapping_{}(1{ty})", self.rng.pick(&["a", "b"]), self.rng.pick(&["add", "sub"])),
        }
    }

    /// Returns a comparison of one of these with an invariant value, or of two of them.
    fn comparison(&mut self, counters: &[String]) -> String {
        let ty = self.ty;
        let mut left = self.rng.pick(counters).clone();
        if self.rng.chance(20) {
            left = format!("{left}.wrapping_add({}{ty})", 1 + self.rng.below(3));
        }
        let right = if self.rng.chance(10) { self.rng.pick(counters).clone() } else { self.invariant() };
        if self.rng.chance(25) {
            return self.disguised(&left, &right);
        }
        let op = *self.rng.pick(&["<", "<", "<=", ">", ">=", "==", "!="]);
        match self.rng.below(7) {
            0 => format!("less({left}, {right})"),
            1 => format!("outside({left}, {right}, n)"),
            2 => format!("{right} {op} {left}"),
            _ => format!("{left} {op} {right}"),
        }
    }

    /// Returns a comparison of two numbers that is written as another operation, whose result is a variable.
    fn disguised(&mut self, left: &str, right: &str) -> String {
        let ty = self.ty;
        // The operation, the type of its result if it is another one, and the test. `X` is the second number.
        let unsigned: [(&str, Option<Scalar>, &str); 4] = [
            ("(L).saturating_add((X).wrapping_neg())", None, "V == !0T"),
            ("(L).wrapping_sub(X)", None, "V > L"),
            ("(L).saturating_sub(X)", None, "V == 0T"),
            ("(L).div_ceil((X).max(1T))", None, "V < 2T"),
        ];
        // The negative of the second number is another variable.
        let sums: [(&str, Option<Scalar>, &str); 4] = [
            ("{ let m: T = (X).wrapping_neg(); m.wrapping_add(L) }", None, "V == 0T"),
            ("{ let m: T = (X).wrapping_neg(); (L).wrapping_add(m) }", None, "V < 1T"),
            ("{ let m: i64 = (X as i64).wrapping_neg(); m.wrapping_add(L as i64) }", Some(Scalar::I64), "V < 0i64"),
            ("{ let m: i64 = (X as i64).wrapping_neg(); (L as i64).wrapping_add(m) }", Some(Scalar::I64), "V >= 1i64"),
        ];
        let any = [
            ("(L).min(X)", None, "V != X"),
            ("(L).max(X)", None, "V != L"),
            ("(L).abs_diff(X)", Some(ty.to_unsigned()), "V != 0U"),
            // A zero would be a fault of the kernel.
            ("if X == 0T { 1T } else { L / X }", None, "V == 0T"),
            ("if X == 0T { 1T } else { L % X }", None, "V == L"),
        ];
        let short = [
            ("(L as i64).wrapping_sub(X as i64)", Some(Scalar::I64), "V < 0i64"),
            ("(X as i64).wrapping_neg().wrapping_add(L as i64)", Some(Scalar::I64), "V < 0i64"),
        ];
        let bits = [
            ("f64::from_bits(L as u64).to_bits() as T", None, "V < X"),
            ("f32::from_bits(L as u32).to_bits() as T", None, "V < X"),
        ];
        let (operation, of, test) = match self.rng.below(10) {
            8 | 9 => *self.rng.pick(&sums),
            0 | 1 if !ty.is_signed() => *self.rng.pick(&unsigned),
            2 if ty.bits() <= 32 => *self.rng.pick(&short),
            3 => *self.rng.pick(&bits),
            _ => *self.rng.pick(&any),
        };
        let filled = |text: &str, value: &str| {
            let part = |c: char| match c {
                'L' => left.to_owned(),
                'X' => right.to_owned(),
                'V' => value.to_owned(),
                'T' => ty.to_string(),
                'U' => ty.to_unsigned().to_string(),
                c => c.to_string(),
            };
            text.chars().map(part).collect::<String>()
        };
        let name = self.name("d");
        self.line(&format!("let {name}: {} = {};", of.unwrap_or(ty), filled(operation, "")));
        filled(test, &name)
    }

    /// Writes the body of a loop with these counters.
    fn body(&mut self, mut counters: Vec<String>, depth: usize) {
        let ty = self.ty;
        if self.rng.chance(35) {
            let (derived, base, counter) = (self.name("j"), self.invariant(), self.rng.pick(&counters).clone());
            let op = *self.rng.pick(&["wrapping_add", "wrapping_add", "wrapping_sub", "min", "max"]);
            self.line(&format!("let {derived}: {ty} = {base}.{op}({counter});"));
            counters.push(derived);
        }
        for _ in 0..=self.rng.below(3) {
            let comparison = self.comparison(&counters);
            let counter = self.rng.pick(&counters).clone();
            match self.rng.below(9) {
                0 => {
                    let name = self.name("c");
                    self.line(&format!("let {name}: bool = {comparison};"));
                    self.line(&format!("if {name} {{ break; }}"));
                }
                1 => self.line(&format!("assert!(!({comparison}));")),
                2 => self.line(&format!("s = s.wrapping_add(v[{counter} as usize]);")),
                3 => self.line(&format!("if {comparison} {{ s = s.wrapping_add(7u32); }}")),
                4 => {
                    let other = self.comparison(&counters);
                    self.line(&format!("if {comparison} && {other} {{ break; }}"));
                }
                5 if depth == 0 => self.a_loop(counters.clone(), 1),
                _ => self.line(&format!("if {comparison} {{ break; }}")),
            }
        }
        let value = format!("{} as u32", self.rng.pick(&counters));
        self.line(&format!("s = s.wrapping_mul(3u32).wrapping_add({value});"));
    }

    fn a_loop(&mut self, mut counters: Vec<String>, depth: usize) {
        let ty = self.ty;
        let start = self.invariant();
        if self.rng.chance(50) {
            let counter = self.name("i");
            let end = self.invariant();
            let range = match self.rng.below(5) {
                0 => format!("({start}..{end}).rev()"),
                1 => format!("{start}..={end}"),
                2 => format!("({start}..{end}).step_by(2usize)"),
                3 => format!("0{ty}..{end}"),
                _ => format!("{start}..{end}"),
            };
            self.line(&format!("for {counter} in {range} {{"));
            counters.push(counter);
            self.body(counters, depth);
            self.line("}");
            return;
        }
        // The counter is a variable, a field, an element of an array of the thread, or one of a slice.
        let counter = match self.rng.below(if depth == 0 { 7 } else { 5 }) {
            0 => {
                let name = self.name("p");
                self.line(&format!("let mut {name}: Part = Part {{ from: {start}, at: {start} }};"));
                format!("{name}.at")
            }
            1 => {
                let name = self.name("t");
                self.line(&format!("let mut {name}: [{ty}; 3] = [{start}; 3];"));
                format!("{name}[1usize]")
            }
            5 | 6 => {
                self.line(&format!("w[t] = {start};"));
                "w[t]".to_owned()
            }
            _ => {
                let name = self.name("i");
                self.line(&format!("let mut {name}: {ty} = {start};"));
                name
            }
        };
        let left = self.name("left");
        self.line(&format!("let mut {left}: u32 = 0u32;"));
        counters.push(counter.clone());
        let test = match self.rng.below(4) {
            0 => "true".to_owned(),
            1 => format!("{counter} < {}", self.invariant()),
            2 => format!("{counter} >= {}", self.invariant()),
            _ => self.comparison(&counters),
        };
        self.line(&format!("while {test} {{"));
        self.line(&format!("if {left} > 12u32 {{ break; }} {left} += 1u32;"));
        self.body(counters, depth);
        let op = *self.rng.pick(&["wrapping_add", "wrapping_add", "wrapping_sub"]);
        let step = *self.rng.pick(&["1", "1", "2", "!0"]);
        self.line(&format!("{counter} = {counter}.{op}({step}{ty});"));
        self.line("}");
    }
}

/// Returns the kernel of a seed, and how it is compiled.
pub(super) fn kernel(seed: u64) -> (Kernel, Mode) {
    let mut rng = Rng::new(seed);
    let types =
        [Scalar::Usize, Scalar::Usize, Scalar::U32, Scalar::I32, Scalar::I64, Scalar::U64, Scalar::U8, Scalar::I16];
    let ty = *rng.pick(&types);
    let mode = Mode { overflow_checks: rng.chance(30), fixed_block: None, narrow: false, contiguous: false };
    let mut generator = Generator { rng, text: String::new(), ty, names: 0 };
    let _ = write!(
        generator.text,
        "struct Part {{ from: {ty}, at: {ty} }}
fn less(p: {ty}, q: {ty}) -> bool {{ p < q }}
fn outside(p: {ty}, q: {ty}, r: {ty}) -> bool {{ less(p, q) || p > r }}
fn k(v: &[u32], y: &mut [u32], w: &mut [{ty}]) {{
    let t: usize = grid(1);
    if t >= y.len() || t >= w.len() || v.len() < 4usize {{ return; }}
    let a: {ty} = (v[t % v.len()] % 5u32) as {ty};
    let b: {ty} = (v[(t + 1usize) % v.len()] % 7u32) as {ty};
    let n: {ty} = (v[(t + 2usize) % v.len()] % 11u32) as {ty};
    let mut s: u32 = 0u32;
"
    );
    for _ in 0..=generator.rng.below(2) {
        generator.a_loop(Vec::new(), 0);
    }
    generator.text.push_str("    y[t] = s;\n}\n");
    let params = vec![Param::Slice(Scalar::U32), Param::Slice(Scalar::U32), Param::Slice(ty)];
    (Kernel { text: generator.text, params }, mode)
}

#[test]
fn random_loops() {
    let count = variable("CUMBIA_PROOF_KERNELS").unwrap_or(100);
    let first = variable("CUMBIA_PROOF_SEED").unwrap_or(1);
    let mut statistics = Statistics::default();
    for seed in first..first + count {
        let (kernel, mode) = kernel(seed);
        let result = quietly(|| test_kernel(&kernel, mode, seed, &mut statistics));
        result.unwrap_or_else(|what| panic!("seed {seed}: {what}\n{}", kernel.text));
    }
    let Statistics { kernels, rejected, unsupported, .. } = statistics;
    assert!(rejected * 10 < kernels, "{rejected} of {count} kernels are rejected");
    assert!(unsupported.is_empty(), "{unsupported:?}");
}
