//! The algorithms of `cumbia::algorithm` at several sizes, with temporary memory that is allocated before, and the size of their code.
//!
//! `compare.py` reads the output, and that of `cub.cu` and `libraries.py`, whose rows have the same names and data.

use cumbia::algorithm::{Enumerated, Extreme, kernels};
use cumbia::algorithm::{
    Function1, Function2, Identity, OwnBin, Plus, argmax, argmax_rows, argsort, histogram, inclusive_scan,
    inclusive_scan_by_key, inclusive_scan_in_place, layer_norm_rows, partition, reduce, reduce_by_key, reduce_rows,
    run_length_encode, segmented_reduce, select, softmax_rows, sort, sort_by_key, sort_by_key_into, sort_into,
    transform, transform2, transpose, unique,
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
pub(crate) const SIZES: [usize; 3] = [1_000, 1_000_000, 1 << 28];

/// Prints the median time of the work on the device, and the size of its temporary memory in bytes.
fn row(device: &Device, name: &str, temporary: usize, n: usize, mut work: impl FnMut() -> cumbia::Result<()>) {
    let rounds = if n > 1 << 24 { 15 } else { 61 };
    let mut time = || device.time(&mut work).expect("a good launch").as_secs_f64();
    time();
    let mut times: Vec<f64> = (0..rounds).map(|_| time()).collect();
    times.sort_by(f64::total_cmp);
    println!("    {name:<36} {:>10.2} us, temporary memory {temporary}", times[rounds / 2] * 1e6);
}

/// Prints the times of the algorithms on matrices: a square one, and one with rows of 4096 elements, or a single one.
fn on_matrices(device: &Device, x: DeviceSlice<'_, f32>, mut y: DeviceSliceMut<'_, f32>) -> cumbia::Result<()> {
    let (n, side, columns) = (x.len(), x.len().isqrt(), x.len().min(4096));
    let (square, rows) = (side * side, n / columns);
    let len = rows * columns;
    let gamma = device.to_device(&vec![1.5f32; columns])?;
    let (mut sums, mut indices) = (device.zeros::<f32>(rows)?, device.zeros::<u32>(rows)?);
    let offsets = device.to_device(&(0..=rows).map(|i| i * columns).collect::<Vec<_>>())?;
    row(device, "transpose", 0, n, || {
        let target = y.as_slice_mut().slice(..square)?.reshape((side, side))?;
        transpose(x.slice(..square)?.reshape((side, side))?, target).launch()
    });
    let matrix = x.slice(..len)?.reshape((rows, columns))?;
    row(device, "sum of rows", 0, n, || reduce_rows(matrix, &mut sums, 0.0, Plus).launch());
    row(device, "argmax of rows", 0, n, || argmax_rows(matrix, &mut indices).launch());
    let segments = x.slice(..len)?;
    row(device, "segmented sum, of the rows", 0, n, || {
        segmented_reduce(&segments, &offsets, &mut sums, 0.0, Plus).launch()
    });
    row(device, "softmax of rows", 0, n, || {
        softmax_rows(matrix, y.as_slice_mut().slice(..len)?.reshape((rows, columns))?).launch()
    });
    row(device, "layer norm of rows", 0, n, || {
        let target = y.as_slice_mut().slice(..len)?.reshape((rows, columns))?;
        layer_norm_rows(matrix, &gamma, &gamma, 1e-5, target).launch()
    });
    Ok(())
}

/// Prints the number of lines of code of the source of an algorithm, without comments, and the bytes of its machine code.
macro_rules! code {
    ($($name:literal: $($file:literal),+ => $kernel:ty;)*) => {
        println!("  code");
        $(
            let sources = [$(include_str!(concat!("../../kernel-algorithm/src/", $file))),+];
            let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
            let lines: usize = sources.iter().map(|source| source.lines().filter(is_code).count()).sum();
            println!("    {:<36} {lines} lines, {} bytes", $name, <$kernel>::cubin("sm_90")?.len());
        )*
    };
}

/// Prints the size of the code of the algorithms, for the types that are measured.
fn code() -> cumbia::Result<()> {
    use kernels::{
        Differs, Holds, OfOne, count_bins, encode_tiles, radix_move, reduce_chunks, reduce_each_row, reduce_runs,
        scan_runs, scan_tiles, select_tiles, softmax_of_rows, transform_of_one, transpose_tiles,
    };
    code! {
        "copy": "transform.rs" => transform_of_one<f32, Identity>;
        "sum": "reduce/mod.rs", "reduce/chunks.rs" => reduce_chunks<f32, u8, f32, OfOne<Identity>, Plus, 4>;
        "argmax": "search.rs" => reduce_chunks<f32, u8, cumbia::algorithm::IndexedValue<f32>, Enumerated<true>, Extreme<true>, 4>;
        "inclusive scan": "scan/mod.rs", "scan/look_ahead.rs" => scan_tiles<f32, Plus, 16, 128, false, false>;
        "inclusive scan of f64": "scan/mod.rs", "scan/look_ahead.rs" => scan_tiles<f64, Plus, 8, 64, false, false>;
        "select, one of two": "scan/select.rs" => select_tiles<f32, Holds<Positive>, u32, 19, 4864, 4864, false>;
        "partition, one of two": "scan/select.rs" => select_tiles<f32, Holds<Positive>, u32, 19, 4864, 4864, true>;
        "unique of u32, one of eight": "scan/select.rs" => select_tiles<u32, Differs, u32, 19, 4864, 4864, false>;
        "run-length encode, runs of eight": "scan/run_lengths.rs" => encode_tiles<u32, u32, u32, 17, 4352, 4352>;
        "reduce by key, runs of eight": "scan/reduce_by_key.rs" => reduce_runs<u32, f32, u32, Plus, 11, 2816, 2816>;
        "inclusive scan by key": "scan/by_key.rs" => scan_runs<u32, f32, u32, Plus, 16, 128, false>;
        "histogram of u8, 256 bins": "histogram.rs" => count_bins<u8, OwnBin, u32, 16>;
        "sort of u32": "sort/radix.rs", "sort/buffers.rs", "sort/count.rs", "sort/onesweep.rs", "sort/small.rs" =>
            radix_move<u32, u32, u8, false, false, 24>;
        "transpose": "matrix/transpose.rs" => transpose_tiles<f32, 64, 65>;
        "sum of rows": "matrix/reduce_rows.rs", "matrix/runs.rs" =>
            reduce_each_row<f32, f32, OfOne<Identity>, Plus, Identity, 256>;
        "softmax of rows": "matrix/rows.rs" => softmax_of_rows<f32, f32, 16, false>;
    }
    Ok(())
}

pub(crate) fn figures(device: &Device, sizes: &[usize]) -> cumbia::Result<()> {
    let largest = sizes.iter().copied().max().unwrap_or(0).next_multiple_of(8);
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
    let skew = |v: u32| if (v >> 16).is_multiple_of(16) { (v >> 24) as u8 } else { 200 };
    let skewed = device.to_device(&bits.iter().map(|v| skew(*v)).collect::<Vec<_>>())?;
    let (numbers, mut rest) = (device.zeros::<u32>(largest)?, device.zeros::<f32>(largest)?);
    let keys = device.to_device(&(0..largest).map(|i| bits[i / 8]).collect::<Vec<_>>())?;
    let (mut sorted, mut order, mut counts) =
        (device.zeros::<u32>(largest)?, device.zeros::<u32>(largest)?, device.zeros::<u32>(256)?);
    let (mut y, mut sums) = (device.zeros::<f32>(largest)?, device.zeros::<f64>(largest / 2)?);
    println!("algorithms of {device}");
    for &n in sizes {
        let (x, other, mut y) = (x.slice(..n)?, other.slice(..n)?, y.slice_mut(..n)?);
        println!("  n = {n}");
        row(device, "copy", 0, n, || transform(&x, &mut y, Identity).launch());
        row(device, "sum of two arrays", 0, n, || transform2(&x, &other, &mut y, Plus).launch());
        let mut sum = reduce(&x, 0.0, Plus).prepare()?;
        row(device, "sum", sum.temporary_bytes(), n, || sum.launch());
        row(device, "sum, with the copy to the host", 0, n, || x.sum().map(drop));
        let every_second = x.reshape(n)?.step(2)?;
        let mut sum = reduce(&every_second, 0.0, Plus).prepare()?;
        row(device, "sum of every second element", sum.temporary_bytes(), n, || sum.launch());
        let mut greatest = argmax(&x).prepare()?;
        row(device, "argmax", greatest.temporary_bytes(), n, || greatest.launch());
        let mut scan = inclusive_scan(&x, &mut y, Plus).prepare()?;
        row(device, "inclusive scan", scan.temporary_bytes(), n, || scan.launch());
        let mut scan = inclusive_scan_in_place(&mut y, Plus).prepare()?;
        row(device, "inclusive scan in place", scan.temporary_bytes(), n, || scan.launch());
        let mut selection = select(&x, &mut y, Positive).prepare()?;
        row(device, "select, one of two", selection.temporary_bytes(), n, || selection.launch());
        let mut others = rest.slice_mut(..n)?;
        let mut division = partition(&x, &mut y, &mut others, Positive).prepare()?;
        row(device, "partition, one of two", division.temporary_bytes(), n, || division.launch());
        on_matrices(device, x, y.as_slice_mut())?;
        let functions = affine.slice(..n / 2)?;
        let mut composition = reduce(&functions, Affine { a: 1, b: 0 }, Then).prepare()?;
        row(device, "composition of affine functions", composition.temporary_bytes(), n, || composition.launch());
        let doubles = doubles.slice(..n / 2)?;
        let mut output = sums.slice_mut(..n / 2)?;
        let mut scan = inclusive_scan(&doubles, &mut output, Plus).prepare()?;
        row(device, "inclusive scan of f64", scan.temporary_bytes(), n, || scan.launch());
        row(device, "histogram of u8, 256 bins", 0, n, || histogram(&bytes.slice(..n)?, &mut counts, OwnBin).launch());
        let skewed = skewed.slice(..n)?;
        row(device, "histogram of u8, most equal", 0, n, || histogram(&skewed, &mut counts, OwnBin).launch());
        let (keys, mut firsts, mut lengths) = (keys.slice(..n)?, sorted.slice_mut(..n)?, order.slice_mut(..n)?);
        let mut selection = unique(&keys, &mut firsts).prepare()?;
        row(device, "unique of u32, one of eight", selection.temporary_bytes(), n, || selection.launch());
        let mut runs = run_length_encode(&keys, &mut firsts, &mut lengths).prepare()?;
        row(device, "run-length encode, runs of eight", runs.temporary_bytes(), n, || runs.launch());
        let mut runs = reduce_by_key(&keys, &x, &mut firsts, &mut y, Plus).prepare()?;
        row(device, "reduce by key, runs of eight", runs.temporary_bytes(), n, || runs.launch());
        let mut scan = inclusive_scan_by_key(&keys, &x, &mut y, Plus).prepare()?;
        row(device, "inclusive scan by key", scan.temporary_bytes(), n, || scan.launch());
        let (words, mut sorted, mut order) = (words.slice(..n)?, sorted.slice_mut(..n)?, order.slice_mut(..n)?);
        let mut keys = sort_into(&words, &mut sorted).prepare()?;
        row(device, "sort of u32", keys.temporary_bytes(), n, || keys.launch());
        let numbers = numbers.slice(..n)?;
        let mut pairs = sort_by_key_into(&words, &numbers, &mut sorted, &mut order).prepare()?;
        row(device, "sort of u32 with u32", pairs.temporary_bytes(), n, || pairs.launch());
        // The same in place, of a copy of the keys.
        let mut keys = sort(&mut sorted).prepare()?;
        row(device, "copy and sort in place", keys.temporary_bytes(), n, || {
            keys.keys_mut().copy_from(&words)?;
            keys.launch()
        });
        let mut pairs = sort_by_key(&mut sorted, &mut order).prepare()?;
        row(device, "copy and sort in place with u32", pairs.temporary_bytes(), n, || {
            pairs.keys_mut().copy_from(&words)?;
            pairs.launch()
        });
        let mut sort = argsort(&words, &mut order).prepare()?;
        row(device, "argsort of u32", sort.temporary_bytes(), n, || sort.launch());
    }
    code()
}
