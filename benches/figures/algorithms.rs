//! The algorithms of `cumbia::algorithm` at several sizes, against a copy of as many bytes on the same device.

use cumbia::algorithm::{
    Function1, Function2, Identity, OwnBin, Plus, argsort, exclusive_scan, histogram, inclusive_scan,
    inclusive_scan_by_key, layer_norm_rows, partition, reduce, reduce_by_key, reduce_rows, run_length_encode,
    segmented_reduce, select, softmax_rows, sort, transform, transform2, transpose, unique,
};
use cumbia::prelude::*;
use cumbia::{DeviceSlice, DeviceSliceMut};

/// `x ↦ a x + b`, modulo 2³².
#[derive(Clone, Copy, DeviceType)]
struct Affine {
    a: u32,
    b: u32,
}

/// The second function after the first, which does not commute.
#[derive(Clone, Copy, DeviceType)]
struct Then;

#[device]
impl Function2<Affine, Affine> for Then {
    type Output = Affine;

    fn call(self, a: Affine, b: Affine) -> Affine {
        Affine { a: a.a.wrapping_mul(b.a), b: a.b.wrapping_mul(b.a).wrapping_add(b.b) }
    }
}

/// Holds for about half of the numbers.
#[derive(Clone, Copy, DeviceType)]
struct Positive;

#[device]
impl Function1<f32> for Positive {
    type Output = bool;

    fn call(self, a: f32) -> bool {
        a > 0.0
    }
}

/// The numbers of elements.
const SIZES: [usize; 6] = [1_000, 100_000, 1_000_000, 1 << 22, 1 << 24, 1 << 28];

/// Prints the median time of the work on the device, and the rate for so many bytes, also relative to `copy` bytes per second.
fn row(device: &Device, name: &str, bytes: usize, copy: f64, mut work: impl FnMut() -> cumbia::Result<()>) -> f64 {
    let rounds = if bytes > 1 << 26 { 15 } else { 61 };
    let mut time = || device.time(&mut work).expect("a good launch").as_secs_f64();
    time();
    let mut times: Vec<f64> = (0..rounds).map(|_| time()).collect();
    times.sort_by(f64::total_cmp);
    let seconds = times[rounds / 2];
    let rate = bytes as f64 / seconds;
    println!("    {name:<36} {:>10.2} µs {:>8.1} GB/s {:>6.3} of copy", seconds * 1e6, rate / 1e9, rate / copy);
    rate
}

/// Prints the rates of the algorithms on matrices: a square one, and one with rows of 4096 elements.
fn on_matrices(
    device: &Device,
    x: DeviceSlice<'_, f32>,
    mut y: DeviceSliceMut<'_, f32>,
    copy: f64,
) -> cumbia::Result<()> {
    let (side, columns) = (x.len().isqrt(), x.len().min(4096));
    let (square, rows) = (side * side, x.len() / columns);
    let len = rows * columns;
    let gamma = device.to_device(&vec![1.5f32; columns])?;
    let mut sums = device.zeros::<f32>(rows)?;
    let offsets = device.to_device(&(0..=rows).map(|i| i * columns).collect::<Vec<_>>())?;
    row(device, "transpose, of a square", 8 * square, copy, || {
        let target = y.as_slice_mut().slice(..square)?.reshape((side, side))?;
        transpose(x.slice(..square)?.reshape((side, side))?, target).launch()
    });
    let matrix = x.slice(..len)?.reshape((rows, columns))?;
    row(device, "reduce_rows, Plus", 4 * len, copy, || reduce_rows(matrix, &mut sums, 0.0, Plus).launch());
    let segments = x.slice(..len)?;
    row(device, "segmented_reduce, of the rows", 4 * len, copy, || {
        segmented_reduce(&segments, &offsets, &mut sums, 0.0, Plus).launch()
    });
    row(device, "softmax_rows", 8 * len, copy, || {
        softmax_rows(matrix, y.as_slice_mut().slice(..len)?.reshape((rows, columns))?).launch()
    });
    row(device, "layer_norm_rows", 8 * len, copy, || {
        let target = y.as_slice_mut().slice(..len)?.reshape((rows, columns))?;
        layer_norm_rows(matrix, &gamma, &gamma, 1e-5, target).launch()
    });
    Ok(())
}

pub(crate) fn figures(device: &Device) -> cumbia::Result<()> {
    let largest = *SIZES.last().expect("there are sizes");
    let mut random = 1u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random
    };
    let bits: Vec<u32> = (0..largest).map(|_| next()).collect();
    let x = device.to_device(&bits.iter().map(|v| *v as f32 / 2.0f32.powi(31) - 1.0).collect::<Vec<_>>())?;
    let pairs = bits.chunks_exact(2).map(|pair| Affine { a: pair[0] | 1, b: pair[1] });
    let affine = device.to_device(&pairs.collect::<Vec<_>>())?;
    let doubles = device.to_device(&bits[..largest / 2].iter().map(|v| f64::from(*v)).collect::<Vec<_>>())?;
    let other = x.to_device(device)?;
    let words = device.to_device(&bits)?;
    let bytes = device.to_device(&bits.iter().map(|v| (*v >> 24) as u8).collect::<Vec<_>>())?;
    let mut rest = device.zeros::<f32>(largest)?;
    let keys = device.to_device(&(0..largest).map(|i| bits[i / 8]).collect::<Vec<_>>())?;
    let (mut sorted, mut order, mut counts) =
        (device.zeros::<u32>(largest)?, device.zeros::<u32>(largest)?, device.zeros::<u32>(256)?);
    let (mut y, mut sums) = (device.zeros::<f32>(largest)?, device.zeros::<f64>(largest / 2)?);
    println!("algorithms: f32, unless said otherwise; temporary memory is allocated before");
    for n in SIZES {
        let (x, other, mut y) = (x.slice(..n)?, other.slice(..n)?, y.slice_mut(..n)?);
        println!("  n = {n}");
        let copy =
            row(device, "transform, Identity (copy)", 8 * n, f64::NAN, || transform(&x, &mut y, Identity).launch());
        row(device, "transform2, Plus", 12 * n, copy, || transform2(&x, &other, &mut y, Plus).launch());
        let mut sum = reduce(&x, 0.0, Plus).prepare()?;
        row(device, "reduce, Plus", 4 * n, copy, || sum.launch());
        row(device, "sum, with the copy to the host", 4 * n, copy, || x.sum().map(drop));
        row(device, "argmax, with the copy to the host", 4 * n, copy, || x.argmax().map(drop));
        let mut scan = inclusive_scan(&x, &mut y, Plus).prepare()?;
        row(device, "inclusive_scan, Plus", 8 * n, copy, || scan.launch());
        println!("    temporary memory: {} bytes, of the sum {}", scan.temporary_bytes(), sum.temporary_bytes());
        let mut scan = exclusive_scan(&x, &mut y, 1.0, Plus).prepare()?;
        row(device, "exclusive_scan, Plus", 8 * n, copy, || scan.launch());
        let mut selection = select(&x, &mut y, Positive).prepare()?;
        row(device, "select, one of two", 6 * n, copy, || selection.launch());
        let mut others = rest.slice_mut(..n)?;
        let mut division = partition(&x, &mut y, &mut others, Positive).prepare()?;
        row(device, "partition, one of two", 8 * n, copy, || division.launch());
        on_matrices(device, x, y.as_slice_mut(), copy)?;
        let functions = affine.slice(..n / 2)?;
        let mut composition = reduce(&functions, Affine { a: 1, b: 0 }, Then).prepare()?;
        row(device, "reduce, affine functions, in order", 4 * n, copy, || composition.launch());
        let doubles = doubles.slice(..n / 2)?;
        let mut output = sums.slice_mut(..n / 2)?;
        let mut scan = inclusive_scan(&doubles, &mut output, Plus).prepare()?;
        row(device, "inclusive_scan, Plus of f64", 8 * n, copy, || scan.launch());
        row(device, "histogram of u8, 256 bins", n, copy, || {
            histogram(&bytes.slice(..n)?, &mut counts, OwnBin).launch()
        });
        let (keys, mut firsts, mut lengths) = (keys.slice(..n)?, sorted.slice_mut(..n)?, order.slice_mut(..n)?);
        let mut selection = unique(&keys, &mut firsts).prepare()?;
        row(device, "unique of u32, one of eight", 4 * n + n / 2, copy, || selection.launch());
        let mut runs = run_length_encode(&keys, &mut firsts, &mut lengths).prepare()?;
        row(device, "run_length_encode of u32, runs of eight", 5 * n, copy, || runs.launch());
        let mut runs = reduce_by_key(&keys, &x, &mut firsts, &mut y, Plus).prepare()?;
        row(device, "reduce_by_key, runs of eight", 9 * n, copy, || runs.launch());
        let mut scan = inclusive_scan_by_key(&keys, &x, &mut y, Plus).prepare()?;
        row(device, "inclusive_scan_by_key, runs of eight", 12 * n, copy, || scan.launch());
        // A radix sort takes as long for sorted keys, up to the order of its writes. Here the keys are copied first.
        let (words, mut sorted) = (words.slice(..n)?, sorted.slice_mut(..n)?);
        let mut keys = sort(&mut sorted).prepare()?;
        println!("    temporary memory of the sort: {} bytes", keys.temporary_bytes());
        row(device, "copy and sort of u32", (1 + 8) * 4 * n, copy, || {
            keys.keys_mut().copy_from(&words)?;
            keys.launch()
        });
        let mut order = order.slice_mut(..n)?;
        row(device, "argsort of u32, with allocation", (1 + 16) * 4 * n, copy, || argsort(&words, &mut order).launch());
    }
    Ok(())
}
