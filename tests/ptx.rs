//! Properties of the PTX that NVRTC generates from the emitted C, which is written with its optimisations in mind.
//! Needs NVRTC, but no GPU.
//!
//! The tests of the whole corpus ask for architectures that `nvrtc.rs` compiles for, so that the cache has the images.

mod compiler;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cumbia::intrinsics::*;
use cumbia::prelude::*;
use cumbia::vector::{Double2, Float4, Ushort4};
use cumbia::{CompileError, Error};
use cumbia_corpus::{endless, left_out, linear, narrow, vectors, views};
use cumbia_kernel_ir::{Method, Scalar};

use compiler::{for_each, with_nvrtc};

/// C promotes `float` to `double` implicitly in many places, Rust never does. A kernel without `f64` has none in its
/// source and PTX either.
#[test]
fn f32_kernels_have_no_f64() {
    let Some(kernels) = with_nvrtc("the search for f64 in the PTX of f32 kernels") else {
        return;
    };
    let (checked, trigonometric) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = for_each(&kernels, |kernel, look| {
        let source = match (look.cuda_source)() {
            Ok(source) => source,
            Err(error) => return error.to_string(),
        };
        let usage = (look.usage)();
        // In the `f32` instance of a generic kernel, `T::from_f64(0.5)` is not an `f64`; an array of `f64` is.
        let has_f64 = usage.has_f64() && (!kernel.ends_with("<f32>") || source.contains("double*"));
        // The single rounding of `mul_add` for `bf16` needs more precision than `f32`.
        let is_exact = usage.scalars.contains(&Scalar::Bf16) && usage.methods.contains(&Method::MulAdd);
        if has_f64 || is_exact {
            return String::new();
        }
        let words = || source.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words().any(|word| word == "double") {
            return format!("`double` in\n{source}");
        }
        let reduces = words().any(|word| ["sinf", "cosf", "tanf", "sincosf"].contains(&word));
        let allowed: &[&str] = if reduces { REDUCTION } else { &[] };
        checked.fetch_add(1, Relaxed);
        trigonometric.fetch_add(usize::from(reduces), Relaxed);
        match (look.ptx)("sm_75") {
            Err(error) => error.to_string(),
            Ok(ptx) => {
                let is_double = |line: &&str| line.contains(".f64") && !allowed.iter().any(|op| line.contains(op));
                ptx.lines().find(is_double).map_or(String::new(), |line| format!("`{}` in the PTX", line.trim()))
            }
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let (checked, trigonometric) = (checked.into_inner(), trigonometric.into_inner());
    assert!(checked > 500 && trigonometric > 5, "{checked} kernels without f64, {trigonometric} with sine or cosine");
    println!("{checked} kernels without f64, of which {trigonometric} have NVIDIA's argument reduction");
}

/// The `f64` instructions of NVIDIA's argument reduction for large angles, which multiplies a 64-bit integer by π/2¹²⁵.
const REDUCTION: &[&str] = &["cvt.rn.f64.s64", "mul.f64", "mul.rn.f64", "cvt.rn.f32.f64", ".reg .f64"];

/// Returns the PTX, or `None` with a report if there is no NVRTC.
fn found(what: &str, ptx: cumbia::Result<String>) -> Option<String> {
    match ptx {
        Ok(ptx) => Some(ptx),
        Err(Error::Compile(error @ CompileError::NoNvrtc { .. })) => {
            left_out(what, &error.to_string(), "CUMBIA_REQUIRE_NVRTC");
            None
        }
        Err(error) => panic!("{what}: {error}"),
    }
}

/// The PTX of a kernel for `sm_80`; returns from the test if there is no NVRTC.
macro_rules! ptx {
    ($($kernel:tt)*) => {
        match found(stringify!($($kernel)*), $($kernel)*::ptx("compute_80")) {
            Some(ptx) => ptx,
            None => return,
        }
    };
}

/// Returns the number of instructions that begin with one of these, with or without a predicate.
fn count(ptx: &str, instructions: &[&str]) -> usize {
    let operation = |line: &str| {
        let line = line.trim();
        line.strip_prefix('@').and_then(|line| line.split_once(' ')).map_or(line, |(_, rest)| rest).to_owned()
    };
    let is_one = |line: &&str| instructions.iter().any(|instruction| operation(line).starts_with(instruction));
    ptx.lines().filter(is_one).count()
}

/// 64-bit multiplications, each of which is several machine instructions. `mul.wide`, of two 32-bit numbers, is a
/// single instruction, used in address computations.
const WIDE_MULTIPLICATIONS: &[&str] =
    &["mul.lo.s64", "mul.lo.u64", "mad.lo.s64", "mad.lo.u64", "mul.hi.s64", "mul.hi.u64"];

#[test]
fn narrow_indices_need_no_wide_multiplication() {
    let narrow = [
        ("saxpy", ptx!(narrow::saxpy)),
        ("product of slices", ptx!(narrow::product)),
        ("product of views", ptx!(narrow::product_of_views)),
        ("stencil", ptx!(narrow::stencil)),
    ];
    for (kernel, ptx) in &narrow {
        assert_eq!(count(ptx, WIDE_MULTIPLICATIONS), 0, "{kernel}:\n{ptx}");
    }
    // Without the option there are such multiplications, so that the check is not vacuous.
    let wide = ptx!(views::product::<f32>);
    assert!(count(&wide, WIDE_MULTIPLICATIONS) > 0, "{wide}");
}

#[test]
fn vectors_are_accessed_by_vector_instructions() {
    let ptx = ptx!(vectors::axpy);
    assert_eq!(count(&ptx, &["ld.global.v4.f32", "ld.global.nc.v4.f32"]), 2, "{ptx}");
    assert_eq!(count(&ptx, &["st.global.v4.f32"]), 1, "{ptx}");
    assert_eq!(count(&ptx, &["ld.global.f32", "ld.global.nc.f32", "st.global.f32"]), 0, "{ptx}");

    /// Through a device function, a sub-slice and a reference.
    #[device]
    fn exchange(to: &mut Float4, from: &Float4) {
        let before = *to;
        *to = *from + before;
    }

    #[kernel]
    fn moved(x: &[Float4], y: &mut [Float4], z: &mut [Double2], w: &mut [Ushort4]) {
        let i = grid(1);
        if i + 1 < x.len() {
            exchange(&mut y[i], &x[1..][i]);
            z[i] = z[i] * 2.0;
            let v = w[i];
            w[i + 1] = Ushort4::new(v.w, v.z, v.y, v.x);
        }
    }
    let ptx = ptx!(moved);
    assert_eq!(count(&ptx, &["ld.global.v4.f32", "ld.global.nc.v4.f32"]), 2, "{ptx}");
    assert_eq!(count(&ptx, &["st.global.v4.f32"]), 1, "{ptx}");
    assert_eq!(count(&ptx, &["ld.global.v2.f64"]) + count(&ptx, &["st.global.v2.f64"]), 2, "{ptx}");
    assert_eq!(count(&ptx, &["ld.global.v4.u16"]) + count(&ptx, &["st.global.v4.u16"]), 2, "{ptx}");
}

/// A local array whose indices are constants after unrolling.
#[kernel]
fn averaged<const N: usize>(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        let mut part = [0.0; N];
        #[unroll]
        for k in 0..N {
            part[k] = x[i * N + k];
        }
        let mut sum = 0.0;
        #[unroll]
        for k in (0..N).rev() {
            sum += part[k] * part[(k + 1) % N];
        }
        y[i] = sum;
    }
}

/// A sorting network for eight numbers.
#[kernel]
fn sorted(x: &mut [u32]) {
    let i = 8 * grid(1);
    if i + 8 <= x.len() {
        let mut v = [0; 8];
        #[unroll]
        for k in 0..8 {
            v[k] = x[i + k];
        }
        #[unroll]
        for round in 0..8 {
            #[unroll]
            for k in (round % 2..7).step_by(2) {
                if v[k] > v[k + 1] {
                    (v[k], v[k + 1]) = (v[k + 1], v[k]);
                }
            }
        }
        #[unroll]
        for (k, value) in v.iter().enumerate() {
            x[i + k] = *value;
        }
    }
}

#[derive(Clone, Copy, DeviceType)]
struct Matrix {
    rows: [[f32; 3]; 3],
}

#[device]
impl Matrix {
    fn times(&self, other: &Matrix) -> Matrix {
        let mut product = Matrix { rows: [[0.0; 3]; 3] };
        #[unroll]
        for i in 0..3 {
            #[unroll]
            for j in 0..3 {
                #[unroll]
                for k in 0..3 {
                    product.rows[i][j] += self.rows[i][k] * other.rows[k][j];
                }
            }
        }
        product
    }
}

/// Arrays of arrays in structs, through references.
#[kernel]
fn squared(matrices: &mut [Matrix]) {
    let i = grid(1);
    if i < matrices.len() {
        let a = matrices[i];
        matrices[i] = a.times(&a);
    }
}

/// An array that is indexed in a loop without unrolling is in local memory.
#[kernel]
fn looked_up(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    if i < y.len() {
        let mut table = [0; 16];
        for k in 0..16 {
            table[k] = x[k] * x[i];
        }
        y[i] = table[x[i] as usize % 16];
    }
}

#[test]
fn arrays_in_unrolled_loops_are_in_registers() {
    let in_registers = [ptx!(averaged::<4>), ptx!(averaged::<16>), ptx!(sorted), ptx!(squared)];
    for ptx in &in_registers {
        assert!(!ptx.contains(".local"), "{ptx}");
    }
    let ptx = ptx!(looked_up);
    assert!(ptx.contains(".local"), "{ptx}");
}

/// The same warp operation in both branches.
#[kernel]
fn in_both_arms(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    if x[i] > 7 {
        y[i] = active_mask();
    } else {
        y[i] = active_mask();
    }
}

#[kernel]
fn votes_in_both_arms(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    let v = x[i];
    y[i] = if v > 7 {
        ballot_sync(u32::MAX, v % 2 == 0) + shfl_xor_sync(u32::MAX, v, 1)
    } else {
        ballot_sync(u32::MAX, v % 2 == 0) + shfl_xor_sync(u32::MAX, v, 1)
    };
}

/// The same operation twice in succession: lanes may have diverged in between.
#[kernel]
fn twice(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    let v = x[i];
    let mask = active_mask();
    let first = any_sync(mask, v > 7) as u32 + shfl_sync(mask, v, 3) + match_any_sync(mask, v);
    let second = any_sync(mask, v > 7) as u32 + shfl_sync(mask, v, 3) + match_any_sync(mask, v);
    y[i] = first + second * 2 + active_mask();
}

/// The operands of the shuffle, the vote and the barrier are loop-invariant.
#[kernel]
fn in_a_loop(x: &[u32], y: &mut [u32], n: u32) {
    let i = grid(1);
    let v = x[i];
    let mut sum = 0u32;
    #[unroll(1)]
    for _ in 0..n {
        sum = sum.wrapping_add(shfl_down_sync(u32::MAX, v, 1));
        sum = sum.wrapping_add(ballot_sync(u32::MAX, v > 3));
        sum = sum.wrapping_add(sync_threads_count(v > 5));
    }
    y[i] = sum;
}

#[test]
fn warp_operations_are_neither_merged_nor_moved() {
    let ptx = ptx!(in_both_arms);
    assert_eq!(count(&ptx, &["activemask.b32"]), 2, "{ptx}");
    let ptx = ptx!(votes_in_both_arms);
    assert_eq!((count(&ptx, &["vote.sync.ballot.b32"]), count(&ptx, &["shfl.sync.bfly.b32"])), (2, 2), "{ptx}");
    let ptx = ptx!(twice);
    let of = |instruction| count(&ptx, &[instruction]);
    assert_eq!(of("activemask.b32"), 2, "{ptx}");
    assert_eq!((of("vote.sync.any.pred"), of("shfl.sync.idx.b32"), of("match.any.sync.b32")), (2, 2, 2), "{ptx}");
    let ptx = ptx!(in_a_loop);
    let looped = loop_of(&ptx);
    for instruction in ["shfl.sync.down.b32", "vote.sync.ballot.b32", "bar.red.popc.u32", "barrier.sync.red.popc.u32"] {
        assert_eq!(count(&ptx, &[instruction]), count(looped, &[instruction]), "{instruction} in\n{ptx}");
    }
    let barriers = count(looped, &["bar.red.popc", "barrier.red.popc", "bar.cta.red.popc", "barrier.cta.red.popc"]);
    assert_eq!((count(looped, &["shfl"]), count(looped, &["vote"]), barriers), (1, 1, 1), "{ptx}");
}

/// Returns the only loop: from its label to the backward branch.
#[track_caller]
fn loop_of(ptx: &str) -> &str {
    let labels = ptx.lines().filter_map(|line| line.strip_suffix(':'));
    let mut loops = labels.filter_map(|label| {
        let start = ptx.find(&format!("{label}:"))?;
        let length = ptx[start..].rfind(&format!("bra.uni \t{label};")).or(ptx[start..].rfind(&format!("{label};")))?;
        Some(&ptx[start..start + length])
    });
    let found = loops.next().unwrap_or_else(|| panic!("no loop in\n{ptx}"));
    assert!(loops.next().is_none(), "two loops in\n{ptx}");
    found
}

/// The architectures with different compilers in NVRTC: those after `sm_90` use one based on a later LLVM.
const COMPILERS: [&str; 3] = ["compute_90", "compute_100", "compute_120"];

/// Returns whether there is a backward branch.
fn has_loop(ptx: &str) -> bool {
    let mut labels = Vec::new();
    for line in ptx.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':') {
            labels.push(label);
        }
        if line.contains("bra") && labels.iter().any(|label| line.ends_with(&format!("{label};"))) {
            return true;
        }
    }
    false
}

/// C++ assumes that a loop without side effects terminates ([intro.progress]); Rust does not.
#[test]
fn potentially_infinite_loops_are_kept() {
    for architecture in COMPILERS {
        macro_rules! all {
            ($($kernel:ident),*) => {
                [$((stringify!($kernel), match found("loops", endless::$kernel::ptx(architecture)) {
                    Some(ptx) => ptx,
                    None => return,
                })),*]
            };
        }
        let kernels = all![
            while_outside,
            loop_outside,
            steps_by,
            counts,
            in_a_function,
            known_result,
            nested,
            in_a_branch,
            between_stores,
            halved
        ];
        for (kernel, ptx) in &kernels {
            assert!(has_loop(ptx), "{kernel} for {architecture}:\n{ptx}");
            // The assembler removes a loop without side effects and used results; `pmevent` prevents that.
            assert!(count(ptx, &["pmevent"]) > 0, "{kernel} for {architecture}:\n{ptx}");
        }
    }
}

/// C++'s strict aliasing lets a compiler assume that a `float` and an `unsigned` do not overlap. A load after the store
/// of a float is a load from memory nevertheless.
#[test]
fn accesses_of_different_types_may_alias() {
    #[kernel]
    fn overlapping(y: &mut [u32], value: f32, at: usize) {
        let mut floats = dynamic_shared_at::<f32>(0, 64);
        let mut bits = dynamic_shared_at::<u32>(0, 64);
        bits[3] = 7;
        floats[at] = value;
        y[0] = bits[3];
    }
    for architecture in COMPILERS {
        let Some(ptx) = found("overlapping", overlapping::ptx(architecture)) else { return };
        let (stores, loads) = (count(&ptx, &["st.shared"]), count(&ptx, &["ld.shared"]));
        assert_eq!((stores, loads), (2, 1), "{architecture}:\n{ptx}");
    }
}

/// Of two loads of an index only the first would be bounds-checked, and another thread may store in between.
#[test]
fn an_index_in_memory_is_loaded_once() {
    #[kernel]
    fn scattered(at: &mut [u32], y: &mut [f32]) {
        let i = grid(1);
        let place = at[i] as usize;
        if place < y.len() {
            y[place] = 1.0;
            y[at[i + 1] as usize] = 2.0;
        }
    }
    for architecture in COMPILERS {
        let Some(ptx) = found("scattered", scattered::ptx(architecture)) else { return };
        assert_eq!(count(&ptx, &["ld.global"]), 2, "{architecture}:\n{ptx}");
    }
}

/// A predicate is true if any of its bits is set, but CUDA's function takes an `int`. The results are compared in the
/// corpus, in `cooperation::votes`.
#[test]
fn a_wide_predicate_is_compared_with_zero() {
    #[kernel]
    fn counted(x: &[u64], y: &mut [u32]) {
        let i = grid(1);
        y[i] = sync_threads_count(x[i]);
    }
    let ptx = ptx!(counted);
    assert_eq!((count(&ptx, &["setp.ne.s64"]), count(&ptx, &["bar.red.popc.u32"])), (1, 1), "{ptx}");
}

/// No other argument of the launch overlaps a slice, which `__restrict__` expresses.
#[test]
fn read_only_slices_use_the_read_only_cache() {
    let ptx = ptx!(linear::saxpy);
    assert_eq!(count(&ptx, &["ld.global.nc.f32"]), 1, "{ptx}");
}

/// A name in a CUDA C body is that of CUDA, even in a device function of the same name, which would otherwise call
/// itself.
#[test]
#[allow(non_snake_case, non_camel_case_types, reason = "CUDA's names are the point")]
fn cuda_bodies_resolve_names_to_those_of_cuda() {
    #[device(unsafe(cuda = "return ldexp(x, n);"))]
    fn ldexp(x: f64, n: i32) -> f64 {
        x * 2f64.powi(n)
    }
    #[device(unsafe(cuda = "return sinf(x);"))]
    fn sinf(x: f32) -> f32 {
        x.sin()
    }
    #[device(unsafe(cuda = "return rsqrtf(x);"))]
    fn rsqrtf(x: f32) -> f32 {
        1.0 / x.sqrt()
    }
    #[device(unsafe(cuda = "return min(a, b);"))]
    fn min(a: i32, b: i32) -> i32 {
        a.min(b)
    }
    #[device(unsafe(cuda = "return atomicAdd(&n, by);"))]
    fn atomicAdd(n: &mut i32, by: i32) -> i32 {
        *n += by;
        *n - by
    }
    #[device(unsafe(cuda = r#"printf("%d\n", n);"#))]
    fn printf(n: i32) {
        println!("{n}");
    }
    #[device(unsafe(cuda = "assert(n > 0);"))]
    fn assert(n: i32) {
        assert!(n > 0);
    }
    #[device(unsafe(cuda = "return clock64();"))]
    fn clock64() -> i64 {
        unimplemented!()
    }
    #[device(unsafe(cuda = "float4 v = make_float4(x, x, x, 2.0f); return v.w * v.x;"))]
    fn make_float4(x: f32) -> f32 {
        x * 2.0
    }
    #[device(unsafe(cuda = "float4 v = make_float4(x, x, x, 3.0f); return v.w * v.x;"))]
    fn float4(x: f32) -> f32 {
        x * 3.0
    }
    #[device(unsafe(cuda = "dim3 d(threadIdx.x, 2); return d.x * d.y;"))]
    fn dim3() -> u32 {
        unimplemented!()
    }
    #[device(unsafe(cuda = "return threadIdx.y;"))]
    fn threadIdx() -> u32 {
        unimplemented!()
    }

    #[kernel]
    fn calling(x: &mut [f32], d: &mut [f64], n: &mut [i32], clock: &mut [i64]) {
        d[0] = ldexp(d[0], n[0]);
        x[0] = sinf(x[0]) + rsqrtf(x[1]);
        n[1] = min(n[1], n[2]);
        n[3] = atomicAdd(&mut n[4], 2);
        printf(n[5]);
        assert(n[6]);
        clock[0] = clock64();
        x[2] = make_float4(x[2]) + float4(x[3]);
        n[7] = (dim3() + threadIdx()) as i32;
    }
    let ptx = ptx!(calling);
    // 2/π, of the argument reduction.
    let parts = ["vprintf", "__assertfail", "%clock64", "%tid.x", "%tid.y", "0f3F22F983", "0f40400000"];
    for part in parts {
        assert!(ptx.contains(part), "no {part} in\n{ptx}");
    }
    for instructions in [&["mul.f64", "mul.rn.f64"][..], &["rsqrt.approx"], &["min.s32"], &["atom.", "red."]] {
        assert!(count(&ptx, instructions) > 0, "none of {instructions:?} in\n{ptx}");
    }
}

/// NVRTC emits a `trap` where it detects undefined behaviour, such as an atomic operation on a local copy. No kernel of
/// the corpus has one.
#[test]
fn no_kernel_has_a_trap() {
    let Some(kernels) = with_nvrtc("the search for traps in the PTX") else {
        return;
    };
    let checked = AtomicUsize::new(0);
    let failures = for_each(&kernels, |_, look| {
        let failures = ["sm_90", "sm_120"].iter().filter_map(|architecture| {
            checked.fetch_add(1, Relaxed);
            match (look.ptx)(architecture) {
                Ok(ptx) if count(&ptx, &["trap", "brkpt"]) == 0 => None,
                Ok(_) => Some(format!("{architecture}: a trap")),
                Err(error) => Some(format!("{architecture}: {error}")),
            }
        });
        failures.collect::<Vec<_>>().join("\n")
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{} compilations without a trap, of {} kernels", checked.into_inner(), kernels.len());
}

/// Data that one thread publishes, and a flag that others wait for.
#[derive(Clone, Copy, DeviceType)]
struct Gate {
    data: u32,
    ready: u32,
    count: u32,
}

#[device]
trait Publish: DeviceType {
    fn publish(&mut self, data: u32);

    fn publish_by_default(&mut self, data: u32) {
        self.publish(data);
    }

    fn is_ready(&self) -> bool;
}

#[device]
impl Publish for Gate {
    fn publish(&mut self, data: u32) {
        self.data = data;
        thread_fence();
        self.ready = 1;
    }

    fn is_ready(&self) -> bool {
        atomic_load(&self.ready) != 0
    }
}

#[device]
impl Gate {
    fn bump(&mut self) {
        atomic_add(&mut self.count, 1);
    }
}

#[derive(Clone, Copy, DeviceType)]
struct Gates {
    front: Gate,
    rows: [Gate; 2],
}

#[device]
impl Gates {
    fn publish_inner(&mut self, data: u32) {
        self.rows[1].publish(data);
    }

    fn bump_inner(&mut self) {
        self.front.bump();
    }
}

#[device]
impl std::ops::AddAssign<u32> for Gate {
    fn add_assign(&mut self, by: u32) {
        atomic_add(&mut self.count, by);
    }
}

/// Returns the instructions of the kernel, without those of the fault handler.
fn entry(ptx: &str) -> &str {
    let start = ptx.find(".visible .entry").expect("a kernel");
    let body = start + ptx[start..].find("\n{").expect("its body");
    let end = ptx[body..].find("\n}").expect("the end of its body");
    &ptx[body..body + end]
}

/// Returns the memory operations in program order: `S` is a store, `L` a load, `A` an atomic operation, and `F` a
/// fence.
fn operations(ptx: &str) -> String {
    const KINDS: [(char, &[&str]); 4] = [
        ('F', &["membar", "fence"]),
        ('A', &["atom", "red."]),
        ('L', &["ld.global", "ld.shared", "ld.local", "ld.relaxed", "ld.acquire", "ld.volatile", "ld.u", "ld.v"]),
        ('S', &["st.global", "st.shared", "st.local", "st.relaxed", "st.release", "st.volatile", "st.u", "st.v"]),
    ];
    let kind = |line| KINDS.iter().find(|(_, instructions)| count(line, instructions) > 0).map(|(kind, _)| *kind);
    ptx.lines().filter_map(kind).collect()
}

/// Checks the memory operations of kernels for each of the architectures.
macro_rules! check_operations {
    ($($kernel:ident)*; $expected:literal) => {$(
        for architecture in COMPILERS {
            let Some(ptx) = found(stringify!($kernel), $kernel::ptx(architecture)) else { return };
            assert_eq!(operations(entry(&ptx)), $expected, "{} for {architecture}:\n{ptx}", stringify!($kernel));
        }
    )*};
}

#[test]
fn methods_store_in_program_order() {
    #[kernel]
    fn of_an_element(x: &mut [Gate]) {
        x[0].publish(5);
    }
    #[kernel]
    fn of_a_field(x: &mut [Gates]) {
        x[0].front.publish(5);
    }
    #[kernel]
    fn of_an_element_of_a_field(x: &mut [Gates]) {
        x[0].rows[1].publish(5);
    }
    #[kernel]
    fn of_a_field_of_self(x: &mut [Gates]) {
        x[0].publish_inner(5);
    }
    #[kernel]
    fn by_default(x: &mut [Gate]) {
        x[0].publish_by_default(5);
    }
    #[kernel]
    fn by_path(x: &mut [Gate]) {
        Publish::publish(&mut x[0], 5);
    }
    #[kernel]
    fn by_reference(x: &mut [Gates]) {
        let gate = &mut x[0].front;
        gate.publish(5);
    }
    #[kernel]
    fn of_a_view(mut x: ArrayViewMut1<Gate>) {
        x[0].publish(5);
    }
    #[device]
    fn publish_any<T: Publish>(gate: &mut T) {
        gate.publish(5);
    }
    #[kernel]
    fn in_generic_code(x: &mut [Gate]) {
        publish_any(&mut x[0]);
    }
    check_operations! {
        of_an_element of_a_field of_an_element_of_a_field of_a_field_of_self by_default by_path by_reference of_a_view
        in_generic_code;
        "SFS"
    }
    #[kernel]
    fn of_shared_memory(x: &mut [Gate]) {
        let mut gates = shared::<[Gate; 4]>();
        gates[thread_idx().x].publish(5);
        sync_threads();
        x[0].data = gates[1].data;
    }
    check_operations!(of_shared_memory; "SFSLS");
}

#[test]
fn atomics_in_methods_operate_on_the_place() {
    #[kernel]
    fn of_an_element(x: &mut [Gate]) {
        x[0].bump();
    }
    #[kernel]
    fn of_a_field(x: &mut [Gates]) {
        x[0].rows[1].bump();
    }
    #[kernel]
    fn of_a_field_of_self(x: &mut [Gates]) {
        x[0].bump_inner();
    }
    #[kernel]
    fn by_path(x: &mut [Gate]) {
        Gate::bump(&mut x[0]);
    }
    #[kernel]
    fn by_an_operator(x: &mut [Gate]) {
        x[0] += 1;
    }
    check_operations!(of_an_element of_a_field of_a_field_of_self by_path by_an_operator; "A");
}

#[test]
fn methods_in_spin_loops_load_in_each_iteration() {
    #[kernel]
    fn waited(x: &mut [Gate], y: &mut [u32]) {
        while !x[0].is_ready() {}
        y[0] = 1;
    }
    #[kernel]
    fn waited_by_path(x: &[Gates], y: &mut [u32]) {
        while !Publish::is_ready(&x[0].rows[1]) {}
        y[0] = 1;
    }
    #[kernel]
    fn waited_by_reference(x: &mut [Gate], y: &mut [u32]) {
        let gate = &x[0];
        while !gate.is_ready() {}
        y[0] = 1;
    }
    macro_rules! check {
        ($($kernel:ident)*) => {$(
            for architecture in COMPILERS {
                let Some(ptx) = found(stringify!($kernel), $kernel::ptx(architecture)) else { return };
                assert_eq!(operations(loop_of(&ptx)), "L", "{} for {architecture}:\n{ptx}", stringify!($kernel));
                // The first iteration may be peeled off.
                let all = operations(entry(&ptx));
                assert!(["LS", "LLS"].contains(&all.as_str()), "{} for {architecture}: {all}\n{ptx}", stringify!($kernel));
            }
        )*};
    }
    check!(waited waited_by_path waited_by_reference);
}
