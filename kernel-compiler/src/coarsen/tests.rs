//! Tests of which kernels are coarsened, how, and in which order the emitted text loads and stores.

use std::num::NonZeroU32;

use crate::{Axis, Coarsening, Gain, ObstacleKind, Options, Source, Variant, check, common, write};

fn source(text: &str, factor: u32) -> Source {
    compiled(text, factor, false)
}

fn compiled(text: &str, factor: u32, overflow_checks: bool) -> Source {
    let program = common::program(text, overflow_checks);
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
    let options = Options { variant: Variant::Proven, coarsen: NonZeroU32::new(factor), ..Options::default() };
    write(&validated, &options)
}

/// Returns the statements of the kernel, without `#line` directives and indentation.
fn body(text: &str, factor: u32) -> Vec<String> {
    let source = source(text, factor);
    let at = source.text.find("extern \"C\"").expect("a kernel");
    let lines = source.text[at..].lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

#[track_caller]
fn check_choice(text: &str, axis: Axis, factor: u32, gain: Gain) {
    assert_eq!(source(text, 0).coarsening, Ok(Coarsening { axis, factor, gain }), "{text}");
}

#[track_caller]
fn check_obstacle(text: &str, expected: ObstacleKind) {
    let plain = source(text, 0);
    assert_eq!(plain.coarsening.clone().map_err(|obstacle| obstacle.kind), Err(expected), "{text}");
    assert_eq!(plain.text, source(text, 4).text);
}

const SAXPY: &str =
    "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) { let i = grid(1); if i < y.len() { y[i] = a * x[i] + y[i]; } }";

#[test]
fn the_factor_follows_from_the_bytes_of_an_item() {
    check_choice(SAXPY, Axis::X, 4, Gain::BytesInFlight);
    for (ty, factor) in [("u8", 8), ("f32", 4), ("f64", 2)] {
        let text =
            format!("fn copy(x: &[{ty}], y: &mut [{ty}]) {{ let i = grid(1); if i < y.len() {{ y[i] = x[i]; }} }}");
        check_choice(&text, Axis::X, factor, Gain::BytesInFlight);
    }
    // There is nothing to load early.
    let even = "fn even(x: &[f32], y: &mut [f32]) { let i = grid(1); if i % 2 == 0 && i < y.len() { y[i] = x[i]; } }";
    check_choice(even, Axis::X, 1, Gain::BytesInFlight);
    check_choice(
        "fn fill(y: &mut [u32]) { let i = grid(1); if i < y.len() { y[i] = 7u32; } }",
        Axis::X,
        1,
        Gain::BytesInFlight,
    );
}

#[test]
fn rows_are_merged_in_two_dimensions() {
    let text = "fn relu(x: &[f32], bias: &[f32], y: &mut [f32], w: usize, h: usize) {
        let (c, r) = grid(2);
        if c < w && r < h { y[r * w + c] = (x[r * w + c] + bias[c]).max(0.0); }
    }";
    check_choice(text, Axis::Y, 4, Gain::BytesInFlight);
}

/// All loads precede all stores, and an item that is outside ends alone. The accesses of consecutive items are packed if the arrays
/// are aligned.
#[test]
fn loads_precede_stores() {
    let text = body(SAXPY, 2);
    let expected = "
        const u32 first = blockIdx.x * 2;
        const bool is_packed = ((first + 2 <= launch.blocks) & rt::is_aligned(x, 8)) & rt::is_aligned(y, 8);
        if (is_packed) {
        const usize i_4 = first * (usize)blockDim.x + threadIdx.x * 2;
        const usize i_5 = first * (usize)blockDim.x + (threadIdx.x * 2 + 1);
        if (i_5 < y_len) {
        rt::Array<float, 2> packed;
        rt::load_packed(&x[i_4], packed);
        const float loaded_7 = packed[0];
        const float loaded_9 = packed[1];
        rt::Array<float, 2> packed_2;
        rt::load_packed(&y[i_4], packed_2);
        const float loaded_8 = packed_2[0];
        const float loaded_10 = packed_2[1];
        rt::store_packed(&y[i_4], rt::Array<float, 2>{{a * loaded_7 + loaded_8, a * loaded_9 + loaded_10}});
        return;
        }
        } else if (first + 2 <= launch.blocks) {
        const usize i_2 = first * (usize)blockDim.x + threadIdx.x;
        const usize i_3 = (first + 1) * (usize)blockDim.x + threadIdx.x;
        if (i_2 < y_len && i_3 < y_len) {
        const float loaded_3 = x[i_2];
        const float loaded_5 = x[i_3];
        const float loaded_4 = y[i_2];
        const float loaded_6 = y[i_3];
        y[i_2] = a * loaded_3 + loaded_4;
        y[i_3] = a * loaded_5 + loaded_6;
        return;
        }
        }
        for (u32 number = 0; number < 2; ++number) {
        const u32 thread = is_packed ? threadIdx.x * 2 + number : threadIdx.x;
        const u32 block = is_packed ? first : first + number;
        if (block < rt::opaque(launch.blocks)) {
        const usize i = block * (usize)blockDim.x + thread;
        if (i < rt::opaque(y_len)) {
        y[i] = a * x[i] + y[i];
        }
        }
        }
        }";
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(text[1..], expected);
}

const PRODUCT: &str = "fn product(a: &[f32], b: &[f32], y: &mut [f32], n: usize) {
    let (j, i) = grid(2);
    if i < n && j < n {
        let mut sum = 0f32;
        for k in 0..n { sum += a[i * n + k] * b[k * n + j]; }
        y[i * n + j] = sum;
    }
}";

/// A loop whose bounds all items share is executed once for all of them.
#[test]
fn common_loops_are_jammed() {
    let text = body(PRODUCT, 2);
    let expected = [
        "if (i_2 < n && j_2 < n && (i_3 < n && j_3 < n)) {",
        "float sum_2 = 0.0f;",
        "float sum_3 = 0.0f;",
        "for (usize k_2 = 0; k_2 < n; ++k_2) {",
        "sum_2 += a[i_2 * n + k_2] * b[k_2 * n + j_2];",
        "sum_3 += a[i_3 * n + k_2] * b[k_2 * n + j_3];",
        "}",
        "y[i_2 * n + j_2] = sum_2;",
        "y[i_3 * n + j_3] = sum_3;",
        "return;",
    ];
    assert!(text.windows(expected.len()).any(|window| window == expected), "{text:#?}");
    // One item after another.
    assert_eq!(text.iter().filter(|line| line.starts_with("for (usize k")).count(), 2);
    // So are loops within loops.
    let text = "fn area(x: &[f32], f: &[f32], y: &mut [f32], n: usize, m: usize) {
        let (c, r) = grid(2);
        if c < n && r < n {
            let mut sum = 0f32;
            for k in 0..m { let w = f[k]; for l in 0..k { sum += x[(r + k) * (n + m) + c + l] * w; } }
            y[r * n + c] = sum;
        }
    }";
    let text = body(text, 3);
    let loops: Vec<&String> = text.iter().filter(|line| line.starts_with("for (usize")).collect();
    assert_eq!(loops.len(), 4, "{text:#?}");
}

/// A kernel with loops gains from coarsening if the items have loads in common, and the compiler can schedule their bodies together.
#[test]
fn loops_that_gain() {
    let of = |params: &str, body: &str| {
        let text = format!(
            "fn k(x: &[f32], f: &[f32], {params}, y: &mut [f32]) {{
                let i = grid(1);
                if i < y.len() && i < x.len() {{ let mut s = 0f32; {body} y[i] = s; }}
            }}"
        );
        source(&text, 0).coarsening.unwrap_or_else(|obstacle| panic!("{obstacle:?}\n{text}"))
    };
    for (params, body) in [
        ("n: usize", "for k in 0..f.len() { s = s * x[i] + f[k]; }"),
        ("n: usize", "for k in 0..n { s += (x[i] * f[k]).min(1f32).exp(); }"),
        ("n: usize", "let v = x[i]; for k in 1..f.len() { let d = f[k] - v; if d > s { s = d; } }"),
        ("n: u32", "for k in 0..n { s += f[(k / 2u32) as usize]; }"),
        ("n: usize", "for k in 0..f.len() { s += x[i + k] * f[k]; }"),
        ("n: usize", "for k in 0..f.len() { let at = k * n + i; s += x[at] * f[k] * x[block_idx().x * n + k]; }"),
        ("n: usize", "let m = n / 2; for k in m..f.len() { for l in 0..k { s += f[l] * x[i]; } }"),
    ] {
        let Coarsening { factor, gain, .. } = of(params, body);
        assert_eq!((factor, gain), (4, Gain::CommonLoads), "{body}");
    }
    for body in [
        // No load is the same for all items.
        "for k in 0..n { s += k as f32 * x[i]; }",
        "for k in 0..f.len() { s += f[(k + i) % 8]; }",
        // A division, a function with branches, and a branch with a load.
        "for k in 0..f.len() { s += x[i] / f[k]; }",
        "for k in 0..f.len() { s += (x[i] * f[k]).sin(); }",
        "for k in 0..f.len() { if f[k] > s { s += f[k] * x[k]; } }",
        // Each thread reads a row of its own.
        "let m = f.len(); for k in 0..m { s += x[i * m + k] * f[k]; }",
        "let first = i * 4usize; for k in 0..f.len() { s += x[first + k] * f[k]; }",
        "let first = (x[i] as usize).min(3usize); for k in 0..f.len() { s += x[first + k] * f[k]; }",
        // Items have iterations of their own.
        "for k in 0..i { s += f[k]; }",
        "for k in 0..f.len() { if f[k] > x[i] { break; } s += f[k]; }",
        "for k in 0..f.len() { if k == i { continue; } s += f[k]; }",
        "for k in 0..f.len() { if f[k] > x[i] { return; } s += f[k]; }",
        "if x[i] > 0f32 { for k in 0..f.len() { s += f[k]; } }",
    ] {
        let body = format!("let n = n.min(x.len()); {body}");
        assert_eq!(of("n: usize", &body).factor, 1, "{body}");
    }
    // The array may change between the loads.
    let own = "fn k(y: &mut [f32], n: usize) {
        let i = grid(1);
        if i < y.len() && n < y.len() { for k in 0..n { y[i] = y[i] + y[k]; } }
    }";
    check_choice(own, Axis::X, 1, Gain::CommonLoads);
}

/// A counted loop ends, whatever its limit is, as long as the limit does not change.
#[test]
fn loops_that_end() {
    let of = |statement: &str| {
        let text = format!(
            "fn k(x: &[u32], y: &mut [u32]) {{ let i = grid(1); if i < y.len() && i < x.len() {{ {statement} }} }}"
        );
        source(&text, 0).coarsening.map_err(|obstacle| obstacle.kind)
    };
    for body in [
        "let n = x[i]; for k in 0u32..n { y[i] ^= k; }",
        "for k in 0u32..x[i] { y[i] ^= k; }",
        "let mut n = x[i]; for k in 0u32..n { n = n / 2u32; y[i] ^= k; }",
        "for k in i..x.len() { y[i] ^= x[k]; }",
    ] {
        assert!(of(body).is_ok(), "{body}");
    }
    // The beginning and the end of a range are expressions of the item.
    let of_device = |function: &str, range: &str| {
        let text = format!(
            "fn first(x: &[u32], i: usize) -> u32 {{ {function} }}
             fn k(x: &[u32], y: &mut [u32], n: u32) {{
                let i = grid(1);
                if i < y.len() && i < x.len() {{ for k in {range} {{ y[i] ^= k; }} }}
            }}"
        );
        source(&text, 0).coarsening.map_err(|obstacle| obstacle.kind)
    };
    assert!(of_device("i as u32", "first(x, i)..n").is_ok());
    assert_eq!(of_device("x[x[i] as usize]", "first(x, i)..n"), Err(ObstacleKind::Check));
    assert_eq!(of_device("sync_warp(4294967295u32); 0u32", "first(x, i)..n"), Err(ObstacleKind::Communication));
    assert_eq!(of_device("block_idx().x as u32", "0u32..first(x, i)"), Err(ObstacleKind::BlockIndexInFunction));
    for body in ["let mut n = x[i]; while n > 0u32 { n /= 2u32; y[i] ^= n; }", "loop { if x[i] > 0u32 { break; } }"] {
        assert_eq!(of(body), Err(ObstacleKind::Loop), "{body}");
    }
}

/// Accesses are packed only if each is at the index of the item, or the same for all items.
#[test]
fn accesses_that_are_packed() {
    let is_packed = |params: &str, statement: &str| {
        let text = format!("fn k({params}, y: &mut [f32]) {{ let i = grid(1); if i < y.len() {{ {statement} }} }}");
        body(&text, 4).iter().any(|line| line.contains("rt::store_packed"))
    };
    for (params, statement) in [
        ("x: &[f32]", "y[i] = x[i];"),
        ("x: &[f32], a: &[f32]", "y[i] = x[i] * a[0];"),
        ("x: &[f64], z: &mut [u8]", "y[i] = x[i] as f32; z[i] = 1;"),
        ("x: &[f32], n: usize", "y[i] = x[i] - x[n];"),
        ("x: &[f32]", "let v = x[i] * 2.0; y[i] = v.sin();"),
    ] {
        assert!(is_packed(params, statement), "{statement}");
    }
    for (params, statement) in [
        ("x: &[f32]", "y[i] = x[i + 1];"),
        ("x: &[f32]", "y[i] = x[i] + x[i / 2];"),
        ("x: &[f32]", "y[i] = x[i] + thread_idx().x as f32;"),
        ("x: &[f32]", "y[i] = x[i] + i as u16 as f32 + x[i as u16 as usize];"),
        ("x: &[u32]", "y[x[i] as usize] = 1.0;"),
        ("x: &[f32]", "if x[i] > 0.0 { y[i] = x[i]; }"),
        ("x: &[f32]", "y[i] = x[i]; y[i + 1] = 1.0;"),
        ("x: &[f32], z: &mut [f32]", "z[i] = x[i]; y[i] = z[i];"),
        ("n: usize", "y[i] = n as f32;"),
        // The element need not exist.
        ("x: &[f32]", "let b = if i < x.len() { x[i] } else { 0.0 }; y[i] = y[i] + b;"),
        ("x: &[f32]", "let b = i < x.len() && x[i] > 0.0; y[i] = y[i] + b as u32 as f32;"),
        // Other elements than those of the item.
        ("x: &[f32]", "let j = i as u32 as usize; if j < x.len() { y[i] = x[i] - x[j]; }"),
        ("x: &[f32]", "let j = block_idx().x * block_dim().x + thread_idx().x as u8 as usize; y[i] = x[j];"),
        ("x: &[f32]", "let j = block_idx().x * (block_dim().x as u8 as usize) + thread_idx().x; y[i] = x[j];"),
        ("x: &[f32]", "let j = (block_idx().x as u32 * block_dim().x as u32) as usize + thread_idx().x; y[i] = x[j];"),
    ] {
        assert!(!is_packed(params, statement), "{statement}");
    }
    // A device function reads the thread of the item.
    let text = "fn odd(v: u32) -> u32 { if thread_idx().x % 2usize == 1usize { v } else { 0u32 } }
        fn k(x: &[u32], y: &mut [u32]) { let i = grid(1); if i < x.len() && i < y.len() { y[i] = odd(x[i]); } }";
    assert!(!body(text, 4).iter().any(|line| line.contains("rt::store_packed")));
}

/// A load of an array that its item has stored before stays behind the store.
#[test]
fn a_load_does_not_pass_a_store_of_its_array() {
    let text = body(
        "fn twice(x: &mut [f32], y: &mut [f32]) {
            let i = grid(1);
            if i < x.len() && i < y.len() {
                x[i] = 1.0;
                y[i] = x[i / 2] + y[i / 2];
            }
        }",
        2,
    );
    let position = |what: &str| text.iter().position(|line| line.contains(what)).unwrap_or_else(|| panic!("{text:#?}"));
    assert!(position("= y[i_2 / 2];") < position("x[i_2] = 1.0f;"));
    assert!(position("x[i_2] = 1.0f;") < position("y[i_2] = x[i_2 / 2] + "));
}

/// `return` ends the item, and a condition on data is evaluated by each item alone.
#[test]
fn items_return_alone() {
    let text = body(
        "fn positive(x: &[f32], y: &mut [f32]) {
            let i = grid(1);
            if i >= y.len() { return; }
            let v = x[i];
            if v < 0.0 { return; }
            y[i] = v;
        }",
        3,
    );
    assert_eq!(text.iter().filter(|line| *line == "return;").count(), 1, "{text:#?}");
    let jumps = text.iter().filter(|line| line.starts_with("goto item_")).count();
    assert_eq!(jumps, 3 + 2, "{text:#?}");
    let loads = text.iter().filter(|line| line.starts_with("const float v_") && line.contains("= x[i_")).count();
    assert_eq!(loads, 3, "{text:#?}");
}

#[test]
fn the_extent_of_the_grid_is_the_launchs() {
    let text = body(
        "fn last(x: &[f32], y: &mut [f32]) {
            let i = grid(1);
            if i < y.len() { y[i] = x[i] + (grid_size(1) as f32) + (grid_dim().x as f32) + (grid_dim().y as f32); }
        }",
        2,
    );
    let text = text.join("\n");
    assert!(text.contains("launch.blocks * (usize)blockDim.x") && text.contains("gridDim.y"), "{text}");
    assert!(!text.contains("gridDim.x"), "{text}");
}

/// A kernel without sites takes the launch parameter as well, in every text.
#[test]
fn the_parameters_do_not_depend_on_the_text() {
    let text = "fn first(x: &[f32], y: &mut [f32]) { let i = grid(1); if i < y.len() { y[i] = x[i]; } }";
    let program = common::program(text, false);
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}"));
    let options = Options { bounds_checks: false, ..Options::default() };
    for coarsen in [None, NonZeroU32::new(4)] {
        let source = write(&validated, &Options { coarsen, ..options });
        assert!(source.takes_launch && source.sites.is_empty(), "{}", source.text);
    }
}

/// Sums of data are checked in debug builds, those of indices are proved.
#[test]
fn overflow_checks() {
    let of = |text: &str| compiled(text, 0, true).coarsening.map_err(|obstacle| obstacle.kind);
    let indices = "fn next(x: &[f32], y: &mut [f32]) { let i = grid(1); if i + 1 < y.len() { y[i] = x[i + 1]; } }";
    assert_eq!(of(indices), Ok(Coarsening { axis: Axis::X, factor: 4, gain: Gain::BytesInFlight }));
    let data = "fn add(x: &[u32], y: &mut [u32]) { let i = grid(1); if i < y.len() { y[i] += x[i]; } }";
    assert_eq!(of(data), Err(ObstacleKind::OverflowCheck));
}

#[test]
fn obstacles() {
    check_obstacle(
        "fn none(y: &mut [u32]) { if thread_idx().x < y.len() { y[thread_idx().x] = 1u32; } }",
        ObstacleKind::NoBlockIndex,
    );
    check_obstacle(
        "fn gather(i: &[usize], x: &[f32], y: &mut [f32]) { let t = grid(1); if t < y.len() { y[t] = x[i[t]]; } }",
        ObstacleKind::Check,
    );
    check_obstacle(
        "fn stride(x: &[f32], y: &mut [f32]) { let mut i = grid(1); while i < y.len() { y[i] = x[i]; i += grid_size(1); } }",
        ObstacleKind::Loop,
    );
    check_obstacle(
        "fn barrier(y: &mut [u32]) { let i = grid(1); sync_threads(); if i < y.len() { y[i] = 1u32; } }",
        ObstacleKind::Communication,
    );
    check_obstacle(
        "fn count(y: &mut [u32]) { let i = grid(1); if i < y.len() { atomic_add(&mut y[i], 1u32); } }",
        ObstacleKind::Communication,
    );
    check_obstacle(
        "fn lane(y: &mut [u32]) { let i = grid(1); if i < y.len() { y[i] = lane_id() as u32; } }",
        ObstacleKind::Communication,
    );
    check_obstacle(
        "fn tile(y: &mut [u32]) { let t = shared::<[u32; 4]>(); let i = grid(1); t[0] = 1u32; if i < y.len() { y[i] = t[0]; } }",
        ObstacleKind::SharedMemory,
    );
    check_obstacle(
        "#[cuda(\"return x;\")] fn same(x: f32) -> f32 { x }
         fn foreign(x: &[f32], y: &mut [f32]) { let i = grid(1); if i < y.len() { y[i] = same(x[i]); } }",
        ObstacleKind::CudaC,
    );
    check_obstacle(
        "#[link(\"same\")] fn same(x: f32) -> f32 { x }
         fn linked(x: &[f32], y: &mut [f32]) { let i = grid(1); if i < y.len() { y[i] = same(x[i]); } }",
        ObstacleKind::Linked,
    );
    check_obstacle(
        "fn number() -> usize { grid(1) } fn call(y: &mut [u32]) { let i = number(); if i < y.len() { y[i] = 1u32; } }",
        ObstacleKind::BlockIndexInFunction,
    );
    check_obstacle(
        "fn assigned(mut n: u32, y: &mut [u32]) { let i = grid(1); n += 1u32; if i < y.len() { y[i] = n; } }",
        ObstacleKind::MutableParameter,
    );
}

/// The iterations of a grid-stride loop that loads few bytes are divided into strips of constant length, and the rest.
#[test]
fn a_grid_stride_loop_is_divided() {
    let of = |ty: &str, what: &str| {
        format!(
            "fn sum(x: &[{ty}], y: &mut [{ty}]) {{
                let mut s = x[0];
                for i in (grid(1)..x.len()).step_by(grid_size(1)) {{ {what} }}
                y[0] = s;
            }}"
        )
    };
    let lines = body(&of("f32", "s += x[i];"), 0);
    let expected = [
        "usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;",
        "const u64 whole = (u64)x_len > (u64)step * 8 ? (u64)x_len - (u64)step * 8 : 0ull;",
        "for (; (u64)i < rt::opaque(whole);) {",
        "#pragma unroll",
        "for (i32 copy = 0; copy < 8; ++copy) {",
        "s += x[i];",
        "i = i + (usize)step;",
        "}",
        "}",
        "for (; i < x_len;) {",
        "s += x[i];",
        "i = rt::step_u64(i, x_len, step);",
        "}",
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let expected: Vec<&str> = expected.into_iter().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.windows(expected.len()).any(|window| window == expected), "{lines:#?}");

    let is_divided = |text: &str| source(text, 0).text.contains("copy < 8");
    assert!(is_divided(&of("u8", "s ^= x[i];")));
    // The compiler unrolls it by four, which suffices.
    assert!(!is_divided(&of("f64", "s += x[i];")));
    assert!(!is_divided(&of("f32", "s += x[i] + x[i];")));
    // It stores, has control flow or a check, or is unrolled by the user.
    assert!(!is_divided(&of("f32", "y[i] = x[i];")));
    assert!(!is_divided(&of("f32", "if x[i] > 0.0 { s += x[i]; }")));
    assert!(!is_divided(&of("f32", "s += x[i] + x[i + 1];")));
    assert!(!is_divided(&of("f32", "s += x[i];").replace("for i", "#[unroll(2)] for i")));
    // The step is not that of the grid.
    assert!(!is_divided(&of("f32", "s += x[i];").replace("grid_size(1)", "64")));
}
