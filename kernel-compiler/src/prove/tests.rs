//! Tests of the proofs of the analysis, and of the conditions that it reports.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use super::{EXTENT, analyse, narrowed};
use crate::{Check, LaunchCondition, Options, Proof, Variant, check, checks, common, lower, write};

/// Compiles a kernel, without overflow checks and for blocks of 256 threads.
fn compiled(text: &str) -> (String, Vec<Check>) {
    let program = common::program(text, false);
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
    let options = Options { block: Some([256, 1, 1]), variant: Variant::Proven, ..Options::default() };
    let text = write(&validated, &options).text;
    (text, checks(&validated, &options))
}

/// The conditions of a loop's invariants are part of those of the checks, so that the predicate has a flat form.
#[test]
fn predicates_of_loops_are_flat() {
    for text in [
        "fn stride(n: usize, x: &[f32], y: &mut [f32]) {
            let mut i = grid(1);
            while i < n { y[i] = x[i]; i += grid_size(1); }
        }",
        "fn halves(n: usize, x: &[f32], y: &mut [f32]) {
            let t = thread_idx().x;
            let mut s = n / 2;
            while s > 0 {
                if t < s { y[t] = x[t + s]; }
                s /= 2;
            }
        }",
    ] {
        let validated = check(common::program(text, false)).unwrap_or_else(|errors| panic!("{errors}"));
        for variant in [Variant::Proven, Variant::Narrow] {
            let options = Options { block: Some([256, 1, 1]), variant, ..Options::default() };
            let predicate = write(&validated, &options).predicate.unwrap_or_else(|| panic!("{variant:?}: {text}"));
            assert!(predicate.is_flat(), "{variant:?}: {text}\n{}", predicate.describe());
        }
    }
}

/// Kernels as users write them: every check is proved, at the latest at a launch.
#[test]
fn everyday_kernels_need_no_checks() {
    for text in [
        "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) { let i = grid(1); if i < y.len() { y[i] = a * x[i] + y[i]; } }",
        "fn stride(x: &[f32], y: &mut [f32]) {
            let mut i = grid(1);
            while i < y.len() { y[i] = x[i]; i += grid_size(1); }
        }",
        "fn stencil(x: &[f32], y: &mut [f32], w: usize, h: usize) {
            let (c, r) = grid(2);
            if r > 0 && c > 0 && r + 1 < h && c + 1 < w {
                let i = r * w + c;
                y[i] = 0.25 * (x[i - 1] + x[i + 1] + x[i - w] + x[i + w]) - x[i];
            }
        }",
        "fn triangle(x: &[f32], y: &mut [f32]) {
            let i = grid(1);
            if i < y.len() {
                let mut sum = 0.0f32;
                for j in 0..i { sum += x[i - j]; }
                y[i] = sum;
            }
        }",
        "fn rows(x: &[f32], y: &mut [f32], w: usize) {
            let r = grid(1);
            if r < y.len() {
                let row = &x[r * w..(r + 1) * w];
                let mut sum = 0.0f32;
                for j in 0..w { sum += row[j]; }
                y[r] = sum;
            }
        }",
        "fn reduce(x: &[f32], out: &mut [f32]) {
            let tile = shared::<[f32; 256]>();
            let t = thread_idx().x;
            let i = grid(1);
            tile[t] = if i < x.len() { x[i] } else { 0.0 };
            sync_threads();
            let mut s = block_dim().x / 2;
            while s > 0 {
                if t < s { tile[t] += tile[t + s]; }
                sync_threads();
                s /= 2;
            }
            if t == 0 { out[block_idx().x] = tile[0]; }
        }",
        "fn search(x: &[u32], keys: &[u32], out: &mut [usize]) {
            let i = grid(1);
            if i < out.len() {
                let mut lo = 0usize;
                let mut hi = x.len();
                while lo < hi {
                    let mid = lo + (hi - lo) / 2;
                    if x[mid] < keys[i] { lo = mid + 1; } else { hi = mid; }
                }
                out[i] = lo;
            }
        }",
        "fn tiles(y: &mut [f32]) {
            let t = thread_idx().x;
            let tile = shared::<[f32; 256]>();
            tile[(t / 16) * 16 + t % 16] = 1.0;
            tile[(t >> 4) * 16 + (t & 15)] = 2.0;
            tile[t ^ 1] = 3.0;
        }",
    ] {
        needs_no_checks(text);
    }
}

/// The values of fields are those that they were given, also by device functions.
#[test]
fn fields_of_structs_are_known() {
    for text in [
        "struct Cell { x: usize, y: usize }
        impl Cell {
            fn index(&self, width: usize) -> usize { self.y * width + self.x }
        }
        fn cells(a: &[f32], b: &mut [f32], width: usize, height: usize) {
            let (x, y) = grid(2);
            if x < width && y < height {
                let cell = Cell { x, y };
                b[cell.index(width)] = a[cell.index(width)];
            }
        }",
        "fn split(i: usize, n: usize) -> (usize, usize) { (i / n, i % n) }
        fn tuple(x: &[f32], y: &mut [f32]) {
            let i = grid(1);
            if i < y.len() && i < x.len() {
                let (row, column) = split(i, 16);
                y[row * 16 + column] = x[row * 16 + column];
            }
        }",
        "struct Span { at: usize, end: usize }
        fn spans(x: &[f32], y: &mut [f32]) {
            let i = grid(1);
            let mut span = Span { at: i * 8, end: x.len() };
            if i < y.len() {
                let mut sum = 0.0f32;
                while span.at < span.end { sum += x[span.at]; span.at += 1; }
                y[i] = sum;
            }
        }",
        "struct Found { tag: u32, at: usize }
        fn find(x: &[u32], of: u32) -> Found {
            for i in 0..x.len() { if x[i] == of { return Found { tag: 1, at: i }; } }
            Found { tag: 0, at: 0 }
        }
        fn search(x: &[u32], y: &mut [u32]) {
            let i = grid(1);
            if i < y.len() {
                let found = find(x, i as u32);
                if found.tag == 1 { y[i] = x[found.at]; }
            }
        }",
    ] {
        needs_no_checks(text);
    }
}

#[track_caller]
fn needs_no_checks(text: &str) {
    let (text, checks) = compiled(text);
    let kernel = &text[text.find("__global__").expect("a kernel")..];
    assert!(!kernel.contains("rt::at(") && !kernel.contains("rt::part_len("), "{kernel}\n{checks:#?}");
}

#[test]
fn conditions_have_the_names_of_the_parameters() {
    let proof = |proof| match proof {
        Proof::Always => "always".to_owned(),
        Proof::AtLaunch(condition) => condition.to_string(),
        Proof::DependsOnMemory => "depends on memory".to_owned(),
        Proof::Unknown => "unknown".to_owned(),
    };
    let proofs = |text: &str| compiled(text).1.into_iter().map(|check| proof(check.proof)).collect::<Vec<_>>();
    assert_eq!(
        proofs("fn k(x: &[f32], y: &mut [f32]) { let i = grid(1); if i < y.len() { y[i] = x[i]; } }"),
        ["x.len() >= y.len() || x.len() >= 256 * grid_dim().x", "always"],
    );
    assert_eq!(
        proofs("fn k(x: &[u32], y: &mut [u32]) { y[x[0] as usize] = 1u32; }"),
        ["x.len() > 0", "depends on memory"],
    );
    assert_eq!(proofs("fn k(n: usize, y: &mut [usize]) { y[0] = 7usize / n; }"), ["n > 0", "y.len() > 0"]);
}

/// A test before the loop would fail in the last blocks, where the guard excludes some iterations.
#[test]
fn guarded_loops_need_no_test() {
    let (text, checks) = compiled(
        "fn k(y: &mut [f32], n: usize) {
            let i = grid(1);
            for k in 0..n {
                if i + 256 * k < y.len() { y[i + 256 * k] = 1.0; }
            }
        }",
    );
    let kernel = &text[text.find("__global__").expect("a kernel")..];
    assert!(!kernel.contains("rt::at(") && !kernel.contains("rt::within("), "{kernel}");
    assert!(checks.iter().all(|check| check.proof == Proof::Always), "{checks:#?}");
}

/// The elements of a register tile are in rows that are computed from quotients and remainders of constants.
#[test]
fn rows_of_a_register_tile() {
    let (_, checks) = compiled(
        "fn k(c: &mut [f32], n: usize) {
            let t = thread_idx().x;
            let (tx, ty) = (t % 16, t / 16);
            let first_row = block_idx().y * 128;
            let first_vector = block_idx().x * 32;
            for i in 0..8usize {
                let row = first_row + i / 4 * 64 + 4 * ty + i % 4;
                let vector = row * (n / 4) + first_vector + tx;
                c[vector] = 1.0;
                c[vector + 16] = 1.0;
            }
        }",
    );
    let exact = "c.len() + (n / 4) >= 128 * grid_dim().y * (n / 4) + 32 * grid_dim().x";
    assert!(
        matches!(&checks[1].proof, Proof::AtLaunch(LaunchCondition::Any(ways)) if ways.iter().any(|way| way.to_string() == exact)),
        "{checks:#?}"
    );
}

/// The last value of a counter with a step is known exactly, and a counter that cannot exceed its type is a sum.
#[test]
fn counters_with_a_step() {
    let (text, checks) = compiled(
        "fn k(x: &[f32], y: &mut [f32]) {
            let tile = shared::<[[f32; 33]; 32]>();
            let (tx, ty) = (thread_idx().x % 32, thread_idx().x / 32);
            for k in (0..32).step_by(8) { tile[ty + k][tx] = 1.0; }
            let mut sum = 0.0f32;
            for i in (grid(1)..x.len()).step_by(256) { sum += x[i]; }
            for i in (thread_idx().x as u8..9).step_by(3) { sum += tile[i as usize][0]; }
            y[grid(1)] = sum;
        }",
    );
    assert_eq!(checks.iter().filter(|check| check.proof != Proof::Always).count(), 1, "{checks:#?}");
    let kernel = &text[text.find("__global__").expect("a kernel")..];
    assert!(!kernel.contains("rt::step"), "{kernel}");
}

/// Returns the body of the narrow variant for blocks of 256 threads, and its condition.
fn narrow(text: &str, overflow_checks: bool) -> (String, Option<String>) {
    let program = common::program(text, overflow_checks);
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
    let options = Options { block: Some([256, 1, 1]), variant: Variant::Narrow, ..Options::default() };
    let source = write(&validated, &options);
    let kernel = &source.text[source.text.find("__global__").expect("a kernel")..];
    let body = kernel[kernel.find('{').expect("a body")..].to_owned();
    (body, source.predicate.map(|predicate| predicate.describe()))
}

fn narrow_text(text: &str) -> String {
    let program = common::program(text, false);
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
    let options = Options { block: Some([256, 1, 1]), variant: Variant::Narrow, ..Options::default() };
    let text = write(&validated, &options).text;
    text[text.find("namespace device").unwrap_or_default()..].to_owned()
}

/// Kernels as users write them: no number has 64 bits.
#[test]
fn everyday_kernels_are_narrow() {
    for text in [
        "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) { let i = grid(1); if i < y.len() { y[i] = a * x[i] + y[i]; } }",
        "fn stride(x: &[f32], y: &mut [f32]) {
            let mut i = grid(1);
            while i < y.len() { y[i] = x[i]; i += grid_size(1); }
        }",
        "fn steps(x: &[f32], y: &mut [f32]) {
            for i in (grid(1)..y.len()).step_by(grid_size(1)) { y[i] = x[i]; }
            for i in (0..=7usize).rev() { y[i] = x[i]; }
        }",
        "fn stencil(x: &[f32], y: &mut [f32], w: usize, h: usize) {
            let (c, r) = grid(2);
            if r > 0 && c > 0 && r + 1 < h && c + 1 < w {
                let i = r * w + c;
                y[i] = 0.25 * (x[i - 1] + x[i + 1] + x[i - w] + x[i + w]) - x[i];
            }
        }",
        "fn rows(x: &[f32], y: &mut [f32], w: usize) {
            let r = grid(1);
            if r < y.len() {
                let row = &x[r * w..(r + 1) * w];
                let mut sum = 0.0f32;
                for j in 0..w { sum += row[j] / w as f32; }
                y[r] = sum;
            }
        }",
        "fn product(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
            let (j, i) = grid(2);
            if i < n && j < n {
                let mut sum = 0.0f32;
                for k in 0..n { sum += a[i * n + k] * b[k * n + j]; }
                c[i * n + j] = sum;
            }
        }",
        "fn search(x: &[u32], keys: &[u32], out: &mut [u32]) {
            let i = grid(1);
            if i < out.len() {
                let mut lo = 0usize;
                let mut hi = x.len();
                while lo < hi {
                    let mid = lo + (hi - lo) / 2;
                    if x[mid] < keys[i] { lo = mid + 1; } else { hi = mid; }
                }
                out[i] = lo as u32;
            }
        }",
    ] {
        for overflow_checks in [false, true] {
            let (body, condition) = narrow(text, overflow_checks);
            assert!(condition.is_some(), "{body}");
            let narrow = body.replace("(usize)(i32)gridDim.x", "").replace("(usize)((i32)gridDim.x", "");
            assert!(!narrow.contains("usize") && !narrow.contains("u64"), "{body}\n{condition:?}");
        }
    }
}

/// Numbers that do not fit, or are not known to, have 64 bits.
#[test]
fn other_numbers_stay_wide() {
    assert_eq!(narrow("fn k(x: &[usize], y: &mut [usize]) { y[0] = x[0] + x[1]; }", false).1, None);
    let (body, _) = narrow("fn k(n: u64, y: &mut [u64]) { y[grid(1)] = n * 3 + grid(1) as u64; }", false);
    assert!(body.contains("n * 3 + "), "{body}");
    // A hash is not an index, but its remainder is.
    let text = "fn k(y: &mut [u32]) {
        let i = grid(1);
        if i < y.len() {
            let hash = i * 2654435761usize;
            y[hash & 255] = 1u32;
        }
    }";
    let (body, _) = narrow(text, false);
    assert!(body.contains("const usize hash = (usize)i * "), "{body}");
    let text = "fn k(start: &[u32], x: &[f32], y: &mut [f32]) {
        let i = grid(1);
        if i < y.len() {
            let mut sum = 0.0f32;
            for k in start[i] as usize..start[i + 1] as usize { sum += x[k]; }
            y[i] = sum;
        }
    }";
    let (body, condition) = narrow(text, false);
    assert!(body.contains("for (usize k = ") && body.contains("const i32 i = "), "{body}");
    assert!(condition.is_some());
    // Nothing is computed.
    assert_eq!(narrow("fn k(y: &mut [f32]) { y[0] = 1.0; }", false).1, None);
    assert_eq!(narrow("fn k(y: &mut [u32], n: u32) { y[0] = n * 2; }", false).1, None);
}

#[test]
fn narrow_kernels_have_a_condition_on_the_magnitude() {
    let text = "fn k(y: &mut [f32], w: usize) { let i = grid(1); if i < w { y[i * w] = 1.0; } }";
    let condition = narrow(text, false).1.expect("a condition");
    // y.len(), w and grid_dim().x; the index is below y.len(), and so below 2³¹.
    let expected = "(+2147483648-256*s2 >= 0 && (-1+1*s0+1*s1-256*s1*s2 >= 0 || -1+1*s0+1*s1-1*s1*s1 >= 0))";
    assert_eq!(condition, expected);
}

/// A guard bounds a counter better than the checks before it do, which relate it to the length of another array.
#[test]
fn guards_precede_the_checks_before_them() {
    let text = "fn k(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
        let t = thread_idx().x;
        let (a_first, b_first) = ((block_idx().y * 128 + t / 8) * n + t % 8, t / 32 * (n / 4) + block_idx().x * 32 + t % 32);
        let tiles = n / 8;
        let mut sum = 0.0f32;
        for tile in 0..tiles {
            if tile + 1 < tiles {
                let i = a_first + (tile + 1) * 8;
                sum += a[i] + a[i + n] + a[i + 2 * n] + b[b_first + (tile + 1) * 8 * (n / 4)];
            }
        }
        if t < c.len() { c[t] = sum; }
    }";
    let condition = narrow(text, false).1.expect("a condition");
    // The index of b by b.len(), n / 4, n / 8 and grid_dim().x, and not by a.len() and n / 4.
    assert!(condition.contains("+1*s1+1*s6-8*s6*s7-32*s4 >= 0"), "{condition}");
    assert!(!condition.contains("*s0*s6"), "{condition}");
}

/// Other threads change a variable in shared memory.
#[test]
fn shared_variables_are_not_tracked() {
    let text = "fn k(y: &mut [u32]) {
        let s = shared::<usize>();
        let t = thread_idx().x;
        *s = t;
        sync_threads();
        if t < y.len() { y[*s] = 1u32; }
    }";
    let (text, checks) = compiled(text);
    assert!(text.contains("y[rt::at(s, y_len"), "{text}\n{checks:#?}");
}

/// The facts of a branch do not hold for the operands before it, and a width is that of all evaluations of an expression.
#[test]
fn widths_are_those_of_every_evaluation() {
    // `a + b` is computed also if `even` is not called.
    let text = "fn even(x: usize) -> bool { x % 2usize == 0usize }
        fn k(y: &mut [f32], a: usize, b: usize) { if a + b < 1000usize && even(a) { y[a] = 1.0; } }";
    let condition = narrow(text, false).1.expect("a condition");
    assert!(condition.contains("+2147483647-1*s1-1*s2 >= 0"), "{condition}");
    // The product of the result has 64 bits, although the result has 32.
    let text = "fn f(x: usize) -> usize { if x > 10usize { x } else { 10usize } }
        fn k(out: &mut [usize], a: usize, b: usize) { out[0] = f(a * b) * 1000usize; }";
    let (body, _) = narrow(text, false);
    assert!(body.contains("out[0] = (usize)device::f(a * b) * 1000;"), "{body}");
    // The sum does not fit in the second call.
    let text = "fn below(flag: bool, a: usize, b: usize, n: usize) -> bool { (if flag { a } else { a.rotate_left(b as u32) }) < n }
        fn k(y: &mut [u32], flag: bool, a: usize, b: usize, n: usize) {
            y[0] = below(true, a, b, n) as u32;
            y[1] = below(flag, a, b, n) as u32;
        }";
    let text = narrow_text(text);
    assert!(text.contains("return (flag ? (usize)a : rt::rotate_left_u64((usize)a, (u32)b)) < (usize)n;"), "{text}");
}

/// The elements of arrays that nothing changes are known, in each iteration of a loop over them.
#[test]
fn elements_of_constant_arrays_are_known() {
    let kernel = |array: &str, then: &str| {
        format!(
            "fn k(y: &mut [f32]) {{
                let i: usize = grid(1);
                let {array}: [usize; 3] = [8usize, 64usize, 512usize];
                {then}
                for k in 0usize..3usize {{
                    let width: usize = widths[k];
                    if i < 1024usize && y.len() >= 8192usize {{ y[(i - (i & (width - 1usize))) * 8usize + 7usize * width] = 1.0; }}
                }}
            }}"
        )
    };
    let text = narrow_text(&kernel("widths", ""));
    assert!(text.contains("const i32 width = (i32)widths[k];"), "{text}");
    assert!(text.contains("y[(i - (i & (width - 1))) * 8 + 7 * width] = 1.0f;"), "{text}");
    // An array that changes.
    let text = narrow_text(&kernel("mut widths", "widths[i % 3usize] = i;"));
    assert!(text.contains("const usize width = widths[k];") && text.contains("rt::at("), "{text}");
}

/// Walking iterations one by one neither takes long nor uses up the calls that are walked.
#[test]
fn nested_loops_over_constant_arrays_are_analysed_quickly() {
    let elements = (1..=16).map(|number| format!("{number}usize")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "fn k(x: &mut [u32], n: usize) {{
            let mut v: usize = n;
            let few: [usize; 2] = [1usize, 2usize];
            let many: [usize; 16] = [{elements}];
            for a in 0usize..2usize {{
                for b in 0usize..16usize {{
                    v -= v / 4usize;
                    v -= v >> 3u32;
                    x[v * many[b] * few[a]] = 1u32;
                }}
            }}
        }}"
    );
    let start = std::time::Instant::now();
    let (_, checks) = compiled(&text);
    assert!(!checks.is_empty());
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    let text = "fn put(x: &mut [u32], i: usize) { if i < x.len() { x[i] = 1u32; } }
        fn k(x: &mut [u32]) {
            let i: usize = grid(1);
            for a in 0usize..16usize {
                for b in 0usize..16usize {
                    if i & ((1usize << a as u32) | (1usize << b as u32)) != 0usize { put(x, i); put(x, i + b); }
                }
            }
        }";
    let (text, checks) = compiled(text);
    assert!(!text.contains("rt::at("), "{text}\n{checks:#?}");
}

/// A shift by a counter is known in each iteration; another one has a range.
#[test]
fn shifts_by_numbers_have_ranges() {
    let text = narrow_text(
        "fn k(y: &mut [f32]) {
            let i: usize = grid(1);
            for pass in 0u32..4u32 {
                let width: usize = 1usize << (3u32 * pass);
                if i < 1024usize && y.len() >= 8192usize { y[(i & (width - 1usize)) + 15usize * width] = 1.0; }
            }
        }",
    );
    assert!(text.contains("const i32 width = (i32)(1u << ((3 * pass) & 63));"), "{text}");
    assert!(text.contains("y[(i & (width - 1)) + 15 * width] = 1.0f;"), "{text}");
    let text = narrow_text(
        "fn k(y: &mut [f32]) {
            let at: usize = 3usize << (thread_idx().x as u32 & 15u32);
            if y.len() > 98304usize { y[at] = 1.0; }
        }",
    );
    assert!(text.contains("const i32 at = (i32)(3u << ("), "{text}");
    assert!(text.contains("y[at] = 1.0f;"), "{text}");
    // An even number loses its bits, so that a result that fits does not limit the amount.
    let text =
        narrow_text("fn k(y: &mut [f32], n: u32) { let at: usize = 2usize << n; if at < y.len() { y[at] = 1.0; } }");
    assert!(text.contains("2ull << "), "{text}");
}

/// The host passes the same parameters to all variants.
#[test]
fn variants_have_the_same_parameters() {
    // The narrow variant does not assign a parameter, but a copy of it.
    let text = "fn k(mut n: usize, x: &[f32], y: &mut [f32]) { let i = grid(1); n /= 2; if i < n { y[i] = x[i]; } }";
    let program = common::program(text, false);
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
    let takes_launch = Variant::ALL.map(|variant| {
        write(&validated, &Options { bounds_checks: false, variant, ..Options::default() }).takes_launch
    });
    assert_eq!(takes_launch, [false; 3]);
}

/// Returns the least duration of some work, in units of the insertion of a thousand random keys into an ordered map: about 40 µs
/// on an idle machine in a release build. They are measured in turns: a slow machine slows both.
fn relative_duration(mut work: impl FnMut()) -> f64 {
    let mut least = [Duration::MAX; 2];
    for _ in 0..40 {
        let start = Instant::now();
        let mut rng = 1u64;
        let mut map = BTreeMap::new();
        for _ in 0..1000 {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            map.insert(rng >> 20, rng);
        }
        std::hint::black_box(map);
        let middle = Instant::now();
        work();
        least = [least[0].min(middle - start), least[1].min(middle.elapsed())];
    }
    least[1].as_secs_f64() / least[0].as_secs_f64()
}

/// A first launch analyses a kernel twice: for the proven and for the narrow variant.
#[test]
fn a_kernel_of_400_lines_is_analysed_in_milliseconds() {
    let mut text =
        String::from("fn k(x: &[f32], y: &mut [f32], z: &mut [f32], n: usize, m: usize) {\n    let i = grid(1);\n");
    for part in 0..36 {
        let (a, b) = (part + 1, part % 5 + 2);
        writeln!(
            text,
            "    if i + {a} < n {{
        let mut sum = 0.0f32;
        for j in 0..{b} {{
            sum += x[i * {b} + j];
            if j + i < m {{
                sum += z[i + j];
            }}
        }}
        y[i + {a}] = sum;
        z[(i + {a}) % n] = sum * 2.0f32;
    }}"
        )
        .unwrap();
    }
    text.push_str("}\n");
    let program = common::program(&text, false);
    let validated = check(program).unwrap();
    let module = lower::program(&validated, Options::default());
    let duration = relative_duration(|| {
        assert!(analyse(&module, None, EXTENT, false).predicate.is_some());
        assert!(narrowed(&module, Options::default()).is_some());
    });
    // Twice what it takes; 5 ms are the target on an idle machine.
    assert!(duration < 240.0, "{} lines: {duration}", text.lines().count());
}

/// A launch whose lengths differ from those of the launch before evaluates the conditions: see `benches/figures/predicate.rs`.
#[test]
fn ten_conditions_are_evaluated_quickly() {
    let text =
        "fn k(n: usize, a: &[f32], b: &[f32], c: &[f32], d: &[f32], e: &[f32], f: &[f32], g: &[f32], h: &[f32], \
        o: &[f32], y: &mut [f32]) {
            let i = grid(1);
            if i < n { y[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i] + o[i]; }
        }";
    let program = common::program(text, false);
    let validated = check(program).unwrap();
    for variant in [Variant::Proven, Variant::Narrow] {
        let source = write(&validated, &Options { variant, ..Options::default() });
        let predicate = source.predicate.expect("a predicate");
        let values: Vec<i128> = predicate.symbols().iter().map(|_| 192).collect();
        assert_eq!(predicate.verdict(&values), predicate.best());
        let duration = relative_duration(|| {
            for _ in 0..1000 {
                std::hint::black_box(std::hint::black_box(&predicate).verdict(std::hint::black_box(&values)));
            }
        });
        // Twice what it takes; 100 µs are the target on an idle machine. Checks of a debug build evaluate the nodes too.
        let limit = if cfg!(debug_assertions) { 50.0 } else { 5.0 };
        assert!(duration < limit, "{variant:?}: {duration}");
    }
}
