//! Compilation of device operations with NVRTC, for all architectures for which their text differs.

mod common;
#[path = "common/nvrtc.rs"]
mod compiler;

use std::fmt::Write as _;

use compiler::Nvrtc;
use cumbia_kernel_compiler::{Options, check, write};
use cumbia_kernel_ir::{AtomicOp, Method, Scalar};

const ARCHITECTURES: [&str; 5] = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"];

fn emitted(text: &str, bounds_checks: bool) -> String {
    let program = common::program(text, true);
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    write(&validated, &Options { bounds_checks, ..Options::default() }).text
}

/// Compiles a program for all architectures.
#[track_caller]
fn compiles(nvrtc: &Nvrtc, text: &str) {
    let source = emitted(text, true);
    for architecture in ARCHITECTURES {
        if let Err(log) = nvrtc.compile(&source, architecture) {
            panic!("{architecture}: {log}\n{source}");
        }
    }
}

const OPS: [AtomicOp; 13] = [
    AtomicOp::Add,
    AtomicOp::Sub,
    AtomicOp::Min,
    AtomicOp::Max,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exchange,
    AtomicOp::CompareExchange,
    AtomicOp::Inc,
    AtomicOp::Dec,
    AtomicOp::Load,
    AtomicOp::Store,
];

/// Returns the calls of a kernel with slices named after their elements, for all orderings that an operation supports.
fn atomics(scalar: Scalar, scopes: &[&str], orderings: &[&str]) -> String {
    let mut calls = String::new();
    for op in OPS.into_iter().filter(|op| op.supports(scalar)) {
        for ordering in orderings {
            let impossible = match op {
                AtomicOp::Load => ["_release", "_acq_rel"].contains(ordering),
                AtomicOp::Store => ["_acquire", "_acq_rel"].contains(ordering),
                _ => false,
            };
            if impossible {
                continue;
            }
            for scope in scopes {
                let name = op.name();
                let _ = match op {
                    AtomicOp::Load => writeln!(calls, "x[1] = {name}{ordering}{scope}(&x[i]);"),
                    AtomicOp::Store => writeln!(calls, "{name}{ordering}{scope}(&mut x[i], v);"),
                    AtomicOp::CompareExchange => {
                        writeln!(calls, "x[1] = {name}{ordering}{scope}(&mut x[i], v, w);")
                    }
                    _ => writeln!(calls, "x[1] = {name}{ordering}{scope}(&mut x[i], v);"),
                };
            }
        }
    }
    format!("fn k(x: &mut [{scalar}], v: {scalar}, w: {scalar}) {{ let i = grid(1); {calls} }}")
}

#[test]
fn atomics_of_all_types() {
    let Some(nvrtc) = Nvrtc::find() else { return };
    for scalar in NUMBERS.into_iter().chain([Scalar::Bool]) {
        compiles(&nvrtc, &atomics(scalar, &["", "_block", "_system"], &[""]));
    }
}

#[test]
fn atomics_of_all_orderings() {
    let Some(nvrtc) = Nvrtc::find() else { return };
    for scalar in [Scalar::U32, Scalar::F64, Scalar::Bf16] {
        let orderings = ["", "_acquire", "_release", "_acq_rel", "_seq_cst"];
        compiles(&nvrtc, &atomics(scalar, &["", "_block", "_system"], &orderings));
    }
}

/// The orderings in PTX, with fences of one direction where there are any.
#[test]
fn orderings_are_fences() {
    let Some(nvrtc) = Nvrtc::find() else { return };
    let ptx = |call: &str, architecture: &str| {
        let source = emitted(&format!("fn k(x: &mut [u32]) {{ {call} }}"), false);
        let ptx = nvrtc.compile(&source, architecture).unwrap_or_else(|log| panic!("{log}\n{source}"));
        let ptx = String::from_utf8_lossy(&ptx).into_owned();
        let words = ["fence.", "membar.", "atom.", "red.", "ld.volatile", "st.volatile"];
        let lines = ptx.lines().map(str::trim).filter(|line| words.iter().any(|word| line.starts_with(word)));
        lines.map(|line| line.split_whitespace().next().unwrap_or_default().trim_end_matches(';').to_owned()).collect()
    };
    let expect = |call: &str, expected: &[&str]| {
        let found: Vec<String> = ptx(call, "compute_90");
        assert_eq!(found, expected, "{call}");
        let found: Vec<String> = ptx(call, "compute_80");
        let in_both =
            |line: &&str| line.replace("fence.release", "fence.acq_rel").replace("fence.acquire", "fence.acq_rel");
        assert_eq!(found, expected.iter().map(in_both).collect::<Vec<_>>(), "{call}");
    };
    expect("x[1] = atomic_add(&mut x[0], 1u32);", &["atom.global.add.u32"]);
    expect("x[1] = atomic_add_block(&mut x[0], 1u32);", &["atom.global.cta.add.u32"]);
    expect("x[1] = atomic_add_system(&mut x[0], 1u32);", &["atom.global.sys.add.u32"]);
    expect("x[1] = atomic_add_acquire(&mut x[0], 1u32);", &["atom.global.add.u32", "fence.acquire.gpu"]);
    expect("x[1] = atomic_add_release_block(&mut x[0], 1u32);", &["fence.release.cta", "atom.global.cta.add.u32"]);
    expect(
        "x[1] = atomic_add_acq_rel_system(&mut x[0], 1u32);",
        &["fence.release.sys", "atom.global.sys.add.u32", "fence.acquire.sys"],
    );
    expect("x[1] = atomic_add_seq_cst(&mut x[0], 1u32);", &["membar.gl", "atom.global.add.u32", "fence.acquire.gpu"]);
    expect("x[1] = atomic_load_acquire(&x[0]);", &["ld.volatile.global.u32", "fence.acquire.gpu"]);
    expect("atomic_store_release(&mut x[0], 1u32);", &["fence.release.gpu", "st.volatile.global.u32"]);
}

/// Returns whether PTX has a branch to an earlier label.
fn has_loop(ptx: &str) -> bool {
    let lines: Vec<&str> = ptx.lines().map(str::trim).collect();
    lines.iter().enumerate().any(|(position, line)| {
        line.contains("bra") && {
            let label = line.trim_end_matches(';').rsplit([' ', '\t']).next().unwrap_or_default();
            lines[..position].iter().any(|line| line.strip_suffix(':') == Some(label))
        }
    })
}

/// Loops with an exit that compares a counter with the value at which it starts. NVRTC 13.0 and 13.5 assume a single iteration of
/// each, unless an operand is opaque.
#[test]
fn loops_have_their_iterations() {
    let Some(nvrtc) = Nvrtc::find() else { return };
    for body in [
        "for i in a..n { if i < a { break; } s += x[i]; }",
        "for i in a..n { let c = i < a; if c { break; } s += x[i]; }",
        "for i in a..n { if is_less(i, a) { break; } s += x[i]; }",
        "for i in 0..n { let j = a + i; if j < a { break; } s += x[j]; }",
        "let mut i = a; while i >= a { s += x[i]; if s > n as u32 { break; } i += 1; }",
        "let mut p = Part { from: a, at: a }; for i in 0..n { if p.at < p.from { break; } s += x[i]; p.at += 1; }",
    ] {
        let kernel = format!(
            "#[derive(Clone, Copy)] struct Part {{ from: usize, at: usize }}
            fn is_less(i: usize, a: usize) -> bool {{ i < a }}
            fn k(x: &[u32], y: &mut [u32], a: usize, n: usize) {{ let mut s = 0u32; {body} y[0] = s; }}"
        );
        for bounds_checks in [false, true] {
            let text = emitted(&kernel, bounds_checks);
            let compiled = |text: &str| {
                let ptx = nvrtc.compile(text, "compute_90").unwrap_or_else(|log| panic!("{log}\n{text}"));
                has_loop(&String::from_utf8_lossy(&ptx))
            };
            assert!(compiled(&text), "{body}: {text}");
            println!("{body} without the opaque operand: a loop: {}", compiled(&text.replace("rt::opaque(", "(")));
        }
    }
}

#[test]
fn warp_operations() {
    let Some(nvrtc) = Nvrtc::find() else { return };
    let mut calls = String::new();
    for scalar in
        ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f16", "bf16", "f32", "f64"]
    {
        let _ = writeln!(
            calls,
            "fn of_{scalar}(m: u32, v: {scalar}, n: usize) -> u32 {{
                let a: {scalar} = shfl_sync(m, v, n);
                let b: {scalar} = shfl_up_sync(m, a, n);
                let c: {scalar} = shfl_down_sync(m, b, 16u32);
                let d: {scalar} = shfl_xor_sync(m, c, 1i32);
                let (lanes, same): (u32, bool) = match_all_sync(m, d);
                let any: u32 = match_any_sync(m, d);
                if same {{ lanes }} else {{ any }}
            }}"
        );
    }
    let text = format!(
        "struct Pair {{ a: f32, b: u8, c: [u16; 3] }}
        {calls}
        fn k(x: &mut [u32], y: &mut [Pair], p: u64, q: i8) {{
            let i = grid(1);
            let m: u32 = active_mask();
            let y0: Pair = shfl_down_sync(m, y[i], i);
            y[i] = shfl_sync(m, y0, 3u32);
            x[i] = of_bool(m, p == 1u64, i) + of_i8(m, q, i) + of_f16(m, f16::from_bits(1u16), i) + of_f64(m, 1.0f64, i)
                + of_bf16(m, bf16::from_bits(1u16), i) + of_u64(m, p, i) + of_i16(m, 1i16, i) + of_isize(m, 1isize, i)
                + of_f32(m, 1.0f32, i) + of_u8(m, 1u8, i) + of_u16(m, 1u16, i) + of_u32(m, 1u32, i) + of_usize(m, i, i)
                + of_i32(m, 1i32, i) + of_i64(m, 1i64, i);
            if all_sync(m, p) {{ x[0] = ballot_sync(m, q); }}
            if any_sync(m, p > 3u64) {{ x[1] = reduce_add_sync(m, x[i]); }}
            if uni_sync(m, p) {{ x[2] = reduce_min_sync(m, x[i]) ^ reduce_max_sync(m, x[i]); }}
            let s: i32 = reduce_add_sync(m, x[i] as i32) + reduce_min_sync(m, x[i] as i32);
            let t: i32 = reduce_and_sync(m, s) | reduce_or_sync(m, s) ^ reduce_xor_sync(m, s);
            x[3] = reduce_and_sync(m, x[i]) | reduce_or_sync(m, x[i]) ^ reduce_xor_sync(m, t as u32);
            sync_warp(m);
            x[4] = sync_threads_count(p);
            if sync_threads_and(q) && sync_threads_or(p) {{ x[5] = lane_id() as u32; }}
            x[6] = lanemask_eq() ^ lanemask_lt() ^ lanemask_le() ^ lanemask_gt() ^ lanemask_ge();
            thread_fence();
            thread_fence_block();
            thread_fence_system();
            sync_grid();
        }}"
    );
    compiles(&nvrtc, &text);
}

/// NVCC has been observed to merge the mask with that of the other branch.
#[test]
fn active_masks_are_never_merged() {
    let Some(nvrtc) = Nvrtc::find() else { return };
    let source = emitted(
        "fn lanes() -> u32 { active_mask() }
        fn k(x: &mut [u32], n: usize) {
            let i = grid(1);
            if i < n { x[i] = active_mask(); } else { x[i] = active_mask(); }
            x[i] ^= if i % 2 == 0 { lanes() } else { lanes() };
        }",
        true,
    );
    for architecture in ["compute_75", "compute_90", "compute_120"] {
        let ptx = nvrtc.compile(&source, architecture).unwrap_or_else(|log| panic!("{log}\n{source}"));
        assert_eq!(String::from_utf8_lossy(&ptx).matches("activemask").count(), 4, "{architecture}\n{source}");
    }
}

#[test]
fn halves_and_approximations() {
    let Some(nvrtc) = Nvrtc::find() else { return };
    compiles(
        &nvrtc,
        "fn k(x: &mut [f16], y: &mut [bf16], z: &mut [f32], w: &mut [f64]) {
            let i = grid(1);
            x[i] = x[i] * x[0] + x[1] / x[2] - x[3] % -x[4];
            x[i] += x[1].mul_add(x[2], x[3]).max(x[4]).min(x[5]).clamp(x[6], x[7]).abs().exp();
            y[i] = y[i] * y[0] + y[1] / y[2] - y[3] % -y[4];
            y[i] += y[1].mul_add(y[2], y[3]).max(y[4]).min(y[5]).clamp(y[6], y[7]).abs().ln();
            z[i] = x[i].to_f32() + y[i].to_f32() + if x[0] < x[1] && y[0] >= y[1] { 1.0f32 } else { z[0] };
            x[1] = f16::from_f64(w[i]);
            y[1] = bf16::from_f64(w[i]);
            w[i] = x[2].to_f64() + y[2].to_f64();
            let (s, c): (f16, f16) = x[3].sin_cos();
            x[4] = s.recip() + c.powf(s).sqrt();
            z[1] = fast::sin(z[0]) + fast::cos(z[0]) + fast::tan(z[0]) + fast::tanh(z[0]) + fast::exp(z[0]);
            z[2] = fast::exp2(z[0]) + fast::exp10(z[0]) + fast::ln(z[0]) + fast::log2(z[0]) + fast::log10(z[0]);
            z[3] = fast::pow(z[0], z[1]) + fast::div(z[0], z[1]) + fast::rcp(z[0]) + fast::sqrt(z[0]) + fast::rsqrt(z[0]);
            let (a, b): (f32, f32) = fast::sin_cos(z[0]);
            let (d, e): (f64, f64) = w[0].sin_cos();
            z[4] = a.rsqrt() + b.erf() + a.erfc() + a.sinpi() + a.cospi() + a.normcdf() + a.log(b);
            w[1] = d.rsqrt() + e.erf() + d.erfc() + d.sinpi() + d.cospi() + d.normcdf() + d.log(e);
        }",
    );
}

const NUMBERS: [Scalar; 14] = [
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::Isize,
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
    Scalar::Usize,
    Scalar::F16,
    Scalar::Bf16,
    Scalar::F32,
    Scalar::F64,
];

/// Returns a function that calls a method, with the parameter and result types that type resolution accepts; `None` if
/// the type has no such method.
fn calling(method: Method, number: Scalar) -> Option<String> {
    let own = number.name();
    let other = if number.is_signed() { number.to_unsigned() } else { number.to_signed() };
    let name = method.name();
    let function = |params: &[&str], result: &str| {
        let names = ["b", "c"].into_iter().zip(params);
        let declared = names.clone().fold(String::new(), |all, (name, ty)| all + ", " + name + ": " + ty);
        let given = names.map(|(name, _)| name).collect::<Vec<_>>().join(", ");
        let call = if name.contains("::") { format!("{name}(a)") } else { format!("a.{name}({given})") };
        let f = name.replace("::", "_");
        let body = if result.is_empty() { format!("let _ = {call};") } else { call };
        let arrow = if result.is_empty() { String::new() } else { format!("-> {result}") };
        format!("fn {f}_{own}(a: {own}{declared}) {arrow} {{ {body} }}\n")
    };
    let accepts = |function: &str| {
        let name = function.split(['(', ' ']).nth(1).expect("a name");
        let inputs = function.split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("parameters").0;
        let given =
            inputs.split(", ").filter_map(|input| Some(input.split_once(':')?.0)).collect::<Vec<_>>().join(", ");
        check(common::program(&format!("{function} fn k({inputs}) {{ {name}({given}); }}"), false)).is_ok()
    };
    let params: [&[&str]; 6] = [&[], &[own], &["u32"], &["i32"], &[other.name()], &[own, own]];
    let params = params.into_iter().find(|params| accepts(&function(params, "")))?;
    let (pair, overflowing) = (format!("({own}, {own})"), format!("({own}, bool)"));
    let results = [own, "bool", "u32", other.name(), "f32", "f64", "f16", "bf16", "u16", "u64", &pair, &overflowing];
    let result = results.into_iter().find(|result| accepts(&function(params, result)));
    Some(function(params, result.unwrap_or_else(|| panic!("the result of `{name}` of {own}"))))
}

#[test]
fn every_method_of_every_number() {
    let nvrtc = Nvrtc::find();
    let mut found = 0;
    for number in NUMBERS {
        let functions: Vec<String> = Method::ALL.iter().filter_map(|method| calling(*method, number)).collect();
        found += functions.len();
        let mut calls = String::new();
        let mut params = String::new();
        for (i, function) in functions.iter().enumerate() {
            let name = function.split(['(', ' ']).nth(1).expect("a name");
            let inputs = function.split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("parameters").0;
            let mut given = Vec::new();
            for input in inputs.split(", ") {
                let (name, ty) = input.split_once(": ").expect("a type");
                let _ = write!(params, "{name}{i}: &mut [{ty}], ");
                given.push(format!("{name}{i}[0]"));
            }
            let result = function.split_once("-> ").and_then(|(_, rest)| rest.split_once(" {")).expect("a result").0;
            let first = if result.starts_with('(') { ".0" } else { "" };
            let stored = result.trim_start_matches('(').split([',', ')']).next().expect("a type");
            let _ = write!(params, "r{i}: &mut [{stored}], ");
            let _ = writeln!(calls, "r{i}[0] = {name}({}){first};", given.join(", "));
        }
        let text = format!("{}fn k({params}) {{ {calls} }}", functions.concat());
        let source = emitted(&text, false);
        for body in source.split("static __device__ inline ").skip(1) {
            assert!(body.contains("return "), "nothing was lowered of\n{body}");
        }
        for architecture in ["sm_75", "sm_90"] {
            if let Some(Err(log)) = nvrtc.as_ref().map(|nvrtc| nvrtc.compile(&source, architecture)) {
                panic!("{architecture}: {log}\n{source}");
            }
        }
    }
    assert!(found > 600, "{found} methods of numbers");
}
