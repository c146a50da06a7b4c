//! The algorithms of `cumbia::algorithm` at several sizes, against a copy of as many bytes on the same device.

use cumbia::algorithm::{
    Function1, Function2, Identity, OwnBin, Plus, argsort, exclusive_scan, histogram, inclusive_scan, reduce, select,
    sort, transform, transform2,
};
use cumbia::prelude::*;

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
    let (mut sorted, mut order, mut counts) =
        (device.zeros::<u32>(largest)?, device.zeros::<u32>(largest)?, device.zeros::<u32>(256)?);
    let (mut y, mut sums) = (device.zeros::<f32>(largest)?, device.zeros::<f64>(largest / 2)?);
    println!("algorithms: f32, unless said otherwise; scratch memory is allocated before, except of select");
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
        row(device, "select, one of two", 6 * n, copy, || select(&x, &mut y, Positive).value().map(drop));
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
