//! Launch overhead in microseconds per launch, back to back, against a bare loop over `cuLaunchKernel` with the same
//! arguments; and the block sizes that `.over(..)` chooses, against 256 threads.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::time::Duration;

use cumbia::{DeviceArray, prelude::*};

use crate::raw::{RawKernel, memory};
use crate::time::{medians, ratio, row};

// Empty kernels with the number of arrays in their names: in CUDA C a pointer and a length for each array, and one more
// parameter for faults.

#[kernel]
fn one(n: usize, y: &mut [f32]) {
    if n > 0 {
        y[0] = 1.0;
    }
}

#[kernel]
fn four(n: usize, a: &[f32], b: &[f32], c: &[f32], y: &mut [f32]) {
    if n > 0 {
        y[0] = a[0] + b[0] + c[0];
    }
}

#[kernel]
#[allow(clippy::too_many_arguments)]
fn eight(n: usize, a: &[f32], b: &[f32], c: &[f32], d: &[f32], e: &[f32], f: &[f32], g: &[f32], y: &mut [f32]) {
    if n > 0 {
        y[0] = a[0] + b[0] + c[0] + d[0] + e[0] + f[0] + g[0];
    }
}

#[kernel]
#[allow(clippy::too_many_arguments)]
fn sixteen(
    n: usize,
    a: &[f32],
    b: &[f32],
    c: &[f32],
    d: &[f32],
    e: &[f32],
    f: &[f32],
    g: &[f32],
    h: &[f32],
    i: &[f32],
    j: &[f32],
    k: &[f32],
    l: &[f32],
    m: &[f32],
    o: &[f32],
    p: &[f32],
    y: &mut [f32],
) {
    if n > 0 {
        y[0] = a[0] + b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0];
        y[1] = i[0] + j[0] + k[0] + l[0] + m[0] + o[0] + p[0];
    }
}

// The variants are measured alternately in many rounds, since the drift of the launch time exceeds the differences.
const LAUNCHES: u32 = 1000;
const ROUNDS: usize = 180;

pub(crate) fn figures(device: &Device) -> cumbia::Result<()> {
    let x: Vec<DeviceArray<f32>> = (0..15).map(|_| device.zeros(256)).collect::<Result<_, _>>()?;
    let (mut y, mut z) = (device.zeros(256)?, device.zeros(256)?);
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = std::array::from_fn(|i| &x[i]);

    println!("a launch, back to back");
    /// Measures one kernel with these arrays.
    macro_rules! figures {
        ($arrays:literal, $kernel:ident($($array:expr),*) $(on $stream:expr)?) => {
            let prepared = $kernel(0, $($array,)* &mut z).grid(1).block(256)$(.on($stream))?.prepare()?;
            row_of(
                device,
                $arrays,
                stringify!($kernel),
                &mut || $kernel(0, $($array,)* &mut y).grid(1).block(256)$(.on($stream))?.launch().expect("a good launch"),
                Some(&mut || prepared.launch().expect("a good launch")),
            )?;
        };
    }
    figures!(1, one());
    figures!(4, four(a, b, c));
    figures!(8, eight(a, b, c, d, e, f, g));
    figures!(16, sixteen(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p));
    over(device)?;
    // From here on, launches own their arrays or record their accesses.
    let second = device.stream()?;
    println!("a launch, back to back, beside a second stream");
    figures!(1, one());
    figures!(16, sixteen(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p));
    println!("a launch on a created stream, back to back");
    figures!(1, one() on &second);
    figures!(16, sixteen(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p) on &second);
    println!("a launch, back to back, with 15 arrays that a second stream reads as well");
    let mut w = device.zeros(256)?;
    for _ in 0..100 {
        sixteen(0, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, &mut w).grid(1).block(256).on(&second).launch()?;
    }
    figures!(16, sixteen(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p));
    println!("a launch, back to back, with one array that two streams write alternately");
    let (first, shared) = (device.default_stream(), RefCell::new(device.zeros(256)?));
    let next = Cell::new(false);
    let mut alternate = || {
        let on = if next.replace(!next.get()) { &first } else { &second };
        one(0, &mut *shared.borrow_mut()).grid(1).block(256).on(on).launch().expect("a good launch");
    };
    row_of(device, 1, "one", &mut alternate, None)?;
    drop(second);
    device.synchronize()?;
    println!("a launch, back to back, after the second stream was dropped");
    figures!(1, one());
    figures!(16, sixteen(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p));
    Ok(())
}

/// Measures a launch with this number of arrays, the same launch prepared, if given, and the bare driver call.
fn row_of(
    device: &Device,
    arrays: usize,
    kernel: &str,
    launch: &mut dyn FnMut(),
    mut prepared: Option<&mut dyn FnMut()>,
) -> cumbia::Result<()> {
    let parameters: Vec<_> = (0..arrays).map(|i| format!("float* x{i}, unsigned long long n{i}")).collect();
    let parameters = parameters.join(", ");
    let by_hand = |more: &str| -> cumbia::Result<RawKernel> {
        let source = format!(
            "struct Launch {{ unsigned long long fault, print, grid_barrier; unsigned kernel; }};\n\
             extern \"C\" __global__ void {kernel}(unsigned long long n, {parameters}{more}) {{ if (n > 0) x0[0] = 1.0f; }}"
        );
        RawKernel::new(&source, kernel, "sm_90a")
    };
    // The second one has the additional parameter of Cumbia's kernels, for faults.
    let (by_hand, alike) = (by_hand("")?, by_hand(", Launch launch")?);
    let mut values = vec![0u64];
    values.extend((0..arrays).flat_map(|_| [memory(1024), 256]));
    let mut params: Vec<*mut c_void> = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
    let mut params_alike = params.clone();
    let mut last = [0u64; 4];
    params_alike.push((&raw mut last).cast());
    let wait = || device.synchronize().expect("no fault");
    let times = medians(
        ROUNDS,
        [
            &mut || {
                (0..LAUNCHES).for_each(|_| launch());
                wait();
            },
            &mut || {
                if let Some(prepared) = &mut prepared {
                    (0..LAUNCHES).for_each(|_| prepared());
                    wait();
                }
            },
            &mut || {
                for _ in 0..LAUNCHES {
                    // SAFETY: the parameters are those of the kernel above.
                    unsafe { by_hand.launch([1, 1], [256, 1], &mut params) };
                }
                by_hand.synchronize();
            },
            &mut || {
                for _ in 0..LAUNCHES {
                    // SAFETY: the parameters are those of the kernel above.
                    unsafe { alike.launch([1, 1], [256, 1], &mut params_alike) };
                }
                alike.synchronize();
            },
        ],
    );
    let is_prepared = prepared.is_some();
    let [ours, prepared, bare, bare_alike] = times.map(|time| time / LAUNCHES);
    // `Duration` has a resolution of a nanosecond, which is too coarse for differences of a few nanoseconds.
    let more = |total: Duration| (total.as_secs_f64() - times[2].as_secs_f64()) * 1e9 / f64::from(LAUNCHES);
    let note = |time, total| format!("{:.3} times as long, {:+.0} ns", ratio(time, bare), more(total));
    row(&format!("{arrays:>2} arrays: cuLaunchKernel in a loop"), bare, "");
    row("           with the additional parameter", bare_alike, &note(bare_alike, times[3]));
    row("           #[kernel]", ours, &note(ours, times[0]));
    if is_prepared {
        row("           #[kernel], prepared", prepared, &note(prepared, times[1]));
    }
    Ok(())
}

/// A compute-bound kernel.
#[kernel]
fn iterate(x: &mut [f32], times: u32) {
    let i = grid(1);
    if i < x.len() {
        let mut value = x[i];
        for _ in 0..times {
            value = value * 0.999 + 0.5;
        }
        x[i] = value;
    }
}

/// A memory-bound kernel on a matrix.
#[kernel]
fn add_to_rows(matrix: &mut [f32], row: &[f32], rows: usize, columns: usize) {
    let (x, y) = grid(2);
    if y < rows && x < columns {
        matrix[y * columns + x] += row[x];
    }
}

/// Measures the chosen block sizes against common defaults.
fn over(device: &Device) -> cumbia::Result<()> {
    println!("the block size that .over(..) chooses, 200 launches");
    for (n, times) in
        [(1_000usize, 5_000), (10_000, 5_000), (20_000, 5_000), (50_000, 5_000), (1 << 20, 500), (1 << 26, 1)]
    {
        let x = RefCell::new(device.zeros(n)?);
        let [picked, fixed] = in_batches(
            device,
            [&mut || iterate(&mut *x.borrow_mut(), times).over(n).launch().expect("a good launch"), &mut || {
                iterate(&mut *x.borrow_mut(), times).over(n).block(256).launch().expect("a good launch");
            }],
        );
        row(&format!("{n} items, {times} steps: block of 256"), fixed, "");
        row("           picked", picked, &format!("{:.3} times as long", ratio(picked, fixed)));
    }
    for (rows, columns) in [(4096usize, 4096usize), (100, 1 << 17), (1 << 19, 16)] {
        let matrix = RefCell::new(device.zeros(rows * columns)?);
        let line = device.zeros(columns)?;
        let [picked, fixed] = in_batches(
            device,
            [
                &mut || {
                    let mut matrix = matrix.borrow_mut();
                    add_to_rows(&mut *matrix, &line, rows, columns)
                        .over((columns, rows))
                        .launch()
                        .expect("a good launch");
                },
                &mut || {
                    let mut matrix = matrix.borrow_mut();
                    let launch = add_to_rows(&mut *matrix, &line, rows, columns).block((16, 16));
                    launch.over((columns, rows)).launch().expect("a good launch");
                },
            ],
        );
        row(&format!("{rows} × {columns}: block of 16 × 16"), fixed, "");
        row("           chosen", picked, &format!("{:.3} times as long", ratio(picked, fixed)));
    }
    Ok(())
}

/// Returns the median time of each workload, in batches of 200.
fn in_batches(device: &Device, [first, second]: [&mut dyn FnMut(); 2]) -> [Duration; 2] {
    let batch = |work: &mut dyn FnMut()| {
        (0..200).for_each(|_| work());
        device.synchronize().expect("no fault");
    };
    medians(9, [&mut || batch(first), &mut || batch(second)]).map(|time| time / 200)
}
