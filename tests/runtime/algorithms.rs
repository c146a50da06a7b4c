//! The algorithms on arrays, at sizes around all boundaries of tiles, chunks and groups, against loops on the host.

use cumbia::algorithm::{
    And, EvenBins, Function1, Function2, Function3, Maximum, Minimum, Or, OwnBin, Plus, Times, Xor, all, any, argmax,
    argmin, argsort, count, exclusive_scan, gather, histogram, inclusive_scan, iota, min_max, reduce, scatter, select,
    transform, transform_reduce, transform2, transform3,
};
use cumbia::prelude::*;
use cumbia::vector::Uint4;
use cumbia::{AlgorithmError, Error, FaultKind};

use crate::support::{Affine, Joined, Then, affine, bits, on_each_device, on_gpu, values, wide, wrong_length};

/// The first or the second operand, of any type.
#[derive(Clone, Copy, DeviceType)]
struct Operand<const SECOND: bool>;

#[device]
impl<T: DeviceType, const SECOND: bool> Function2<T, T> for Operand<SECOND> {
    type Output = T;

    fn call(self, a: T, b: T) -> T {
        if SECOND { b } else { a }
    }
}

/// `scale · a + offset`, with state.
#[derive(Clone, Copy, DeviceType)]
struct Line {
    scale: f32,
    offset: f32,
}

#[device]
impl Function1<i16> for Line {
    type Output = f32;

    fn call(self, a: i16) -> f32 {
        self.scale * a as f32 + self.offset
    }
}

/// `a · b + c`, modulo 2³².
#[derive(Clone, Copy, DeviceType)]
struct Fused;

#[device]
impl Function3<u32, u32, u32> for Fused {
    type Output = u32;

    fn call(self, a: u32, b: u32, c: u32) -> u32 {
        a.wrapping_mul(b).wrapping_add(c)
    }
}

/// Whether a number is below this one.
#[derive(Clone, Copy, DeviceType)]
struct Below(i64);

#[device]
impl Function1<i64> for Below {
    type Output = bool;

    fn call(self, a: i64) -> bool {
        a < self.0
    }
}

/// Compares a reduction, and both scans, with a loop.
#[track_caller]
fn check<T: DeviceType + PartialEq + std::fmt::Debug, F: Function2<T, T, Output = T>>(
    device: &Device,
    x: &[T],
    initial: T,
    operator: F,
) {
    let n = x.len();
    let array = device.to_device(x).unwrap();
    let total = x.iter().fold(initial, |a, b| operator.call(a, *b));
    assert_eq!(reduce(&array, initial, operator).value().unwrap(), total, "the reduction of {n}");
    let mut y = device.to_device(&vec![initial; n]).unwrap();
    inclusive_scan(&array, &mut y, operator).launch().unwrap();
    let mut sum = None;
    let through = x.iter().map(|&b| *sum.insert(sum.map_or(b, |a| operator.call(a, b))));
    let through: Vec<T> = through.collect();
    assert!(y.to_host().unwrap() == through, "the inclusive scan of {n}");
    exclusive_scan(&array, &mut y, initial, operator).launch().unwrap();
    let mut sum = initial;
    let before = x.iter().map(|&b| {
        let next = operator.call(sum, b);
        std::mem::replace(&mut sum, next)
    });
    let before: Vec<T> = before.collect();
    assert!(y.to_host().unwrap() == before, "the exclusive scan of {n}");
}

#[test]
fn integers() {
    on_each_device(|device| {
        for n in [0, 1, 33, 4095, 4096, 4097] {
            check(device, &values(n, |i| bits(i) as u32 >> 16), 7, Plus);
        }
        for n in [0, 300] {
            check(device, &values(n, |i| bits(i) as u8), 255, And);
            check(device, &values(n, |i| bits(i) as i16), 0, Or);
            check(device, &values(n, bits), 1, Xor);
            check(device, &values(n, |i| bits(i) as i32), i32::MIN, Maximum);
            check(device, &values(n, |i| bits(i) as i64), i64::MAX, Minimum);
            check(device, &values(n, |_| true), true, And);
        }
    });
}

/// Results do not depend on the parentheses, but on the order.
#[test]
fn operators_that_do_not_commute() {
    on_each_device(|device| {
        for n in [0, 1, 31, 32, 257, 2047, 2049] {
            check(device, &values(n, affine), Affine { a: 3, b: 5 }, Then);
        }
        for n in [33, 600] {
            check(device, &values(n, |i| bits(i) as u32), 5, Operand::<false>);
            check(device, &values(n, |i| bits(i) as u16), 5, Operand::<true>);
        }
    });
}

/// Values that are not published in a word with their state; 31 to 33 tiles, and several groups of 32.
#[test]
fn large_elements() {
    on_each_device(|device| {
        for n in [255, 257, 33 * 256 + 1] {
            check(device, &values(n, wide), wide(n), Joined);
        }
        for n in [1, 1023, 1025] {
            check(device, &values(n, |i| Uint4::splat(bits(i) as u32 >> 12)), Uint4::splat(3), Plus);
        }
    });
}

/// Reductions of values that a thread reduces one by one, which are too large for scans, up to the largest.
#[test]
fn large_reductions() {
    #[derive(Clone, Copy, DeviceType)]
    struct Sums<const COMMUTATIVE: bool>;

    #[device]
    impl<const COMMUTATIVE: bool, const N: usize> Function2<[u32; N], [u32; N]> for Sums<COMMUTATIVE> {
        type Output = [u32; N];
        const COMMUTATIVE: bool = COMMUTATIVE;

        fn call(self, a: [u32; N], b: [u32; N]) -> [u32; N] {
            let mut sums = a;
            for k in 0..N {
                sums[k] = sums[k].wrapping_add(b[k]);
            }
            // The last operand's last number tells the order.
            if !COMMUTATIVE {
                sums[N - 1] = b[N - 1];
            }
            sums
        }
    }

    fn agrees<const N: usize, const COMMUTATIVE: bool>(device: &Device, n: usize) {
        let x = values(n, |i| std::array::from_fn::<u32, N, _>(|k| bits(i + 7 * k) as u32));
        let expected = x.iter().fold([9; N], |sums, next| Sums::<COMMUTATIVE>.call(sums, *next));
        let found = reduce(&device.to_device(&x).unwrap(), [9; N], Sums::<COMMUTATIVE>).value().unwrap();
        assert!(found == expected, "{n} values of {N} words");
    }

    on_each_device(|device| {
        for n in [0, 1, 33, 255, 257, 4097, 9000] {
            agrees::<9, true>(device, n);
            agrees::<9, false>(device, n);
        }
        agrees::<256, false>(device, 300);
        agrees::<256, false>(device, 2048 + 3);
    });
}

/// Arrays of about as many tiles as a reduction has blocks, and of more.
#[test]
fn reductions_of_many_tiles() {
    on_each_device(|device| {
        let tiles = 264 * 8192;
        let sizes = [tiles + 8192 + 77, tiles - 1, tiles, tiles + 1];
        for n in sizes.into_iter().take(if device.is_cpu() { 1 } else { 4 }) {
            let x = values(n, |i| bits(i) >> 30);
            let on_device = device.to_device(&x).unwrap();
            let sum = reduce(&on_device, 5, Plus).value().unwrap();
            assert_eq!(sum, 5 + x.iter().sum::<u64>(), "the sum of {n} numbers");
            let largest = (0..n).max_by_key(|&i| (x[i], std::cmp::Reverse(i)));
            assert_eq!(on_device.argmax().unwrap(), largest, "the largest of {n} numbers");
        }
        let n = 3 * 8192 + 77;
        let x = values(n, affine);
        let composed = x.iter().fold(Affine { a: 3, b: 5 }, |all, next| Then.call(all, *next));
        let found = reduce(&device.to_device(&x).unwrap(), Affine { a: 3, b: 5 }, Then).value().unwrap();
        assert!(found == composed, "the composition of {n} functions");
    });
}

/// Sums of integers that floats represent exactly, products of signs, and extremes.
#[test]
fn floats() {
    on_each_device(|device| {
        for n in [33, 600] {
            check(device, &values(n, |i| (bits(i) % 7) as f32 - 3.0), 1.0, Plus);
            check(device, &values(n, |i| (bits(i) % 7) as f64 - 3.0), 1.0, Plus);
            check(device, &values(n, |i| if bits(i).is_multiple_of(2) { 1.0f32 } else { -1.0 }), 1.0, Times);
        }
        // NaNs are ignored, and infinities are not.
        let special = [f32::NAN, -0.0, 0.0, f32::NEG_INFINITY, 3.5, f32::INFINITY, f32::MIN_POSITIVE];
        for n in [7, 300] {
            let x = values(n, |i| special[bits(i) as usize % special.len()]);
            check(device, &x, f32::MAX, Minimum);
            check(device, &x, f32::MIN, Maximum);
        }
        let x = device.to_device(&[f32::NAN; 300]).unwrap();
        assert!(reduce(&x, f32::NAN, Maximum).value().unwrap().is_nan());
        assert!(reduce(&x, 0.0, Plus).value().unwrap().is_nan());
        let zeros = device.to_device(&vec![-0.0f32; 5000]).unwrap();
        assert_eq!(reduce(&zeros, -0.0, Plus).value().unwrap().to_bits(), (-0.0f32).to_bits());
        let halves = device.to_device(&[f16::from_f32(0.5); 1000]).unwrap();
        assert_eq!(reduce(&halves, f16::ZERO, Plus).value().unwrap().to_f32(), 500.0);
    });
}

/// Rounding errors are the same each time, and on each device.
#[test]
fn floats_are_deterministic() {
    let n = 4096 + 100;
    let x = values(n, |i| bits(i) as f32 / 1e9 - 9e9);
    let bits_of = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    let expected = std::cell::RefCell::new(None);
    on_each_device(|device| {
        let array = device.to_device(&x).unwrap();
        let mut y = device.zeros(n).unwrap();
        let mut sum = reduce(&array, 0.5, Plus).prepare().unwrap();
        let rounds = if device.is_cpu() { 3 } else { 1000 };
        for _ in 0..rounds {
            inclusive_scan(&array, &mut y, Plus).launch().unwrap();
            let found = (sum.value().unwrap().to_bits(), bits_of(y.to_host().unwrap()));
            let mut expected = expected.borrow_mut();
            assert!(*expected.get_or_insert_with(|| found.clone()) == found, "{device}");
        }
        let exact = x.iter().map(|&v| f64::from(v)).sum::<f64>() + 0.5;
        let magnitude = x.iter().map(|&v| f64::from(v).abs()).sum::<f64>();
        let found = f64::from(sum.value().unwrap());
        assert!((found - exact).abs() <= 50.0 * f64::from(f32::EPSILON) * magnitude, "{found}, expected {exact}");
    });
}

#[test]
fn transformations() {
    on_each_device(|device| {
        for n in [0, 1, 255, 257, 4097] {
            let x = values(n, |i| bits(i) as i16);
            let (array, mut y) = (device.to_device(&x).unwrap(), device.zeros(n).unwrap());
            let line = Line { scale: 0.5, offset: 2.0 };
            transform(&array, &mut y, line).launch().unwrap();
            assert!(y.to_host().unwrap() == values(n, |i| f32::from(x[i]) * 0.5 + 2.0));
            let sum = transform_reduce(&array, line, f32::MIN, Maximum).value().unwrap();
            assert_eq!(sum, x.iter().fold(f32::MIN, |a, &b| a.max(f32::from(b) * 0.5 + 2.0)));

            let abc = [0, 1, 2].map(|k| values(n, |i| bits(3 * i + k) as u32 >> 2));
            let [a, b, c] = [0, 1, 2].map(|k: usize| device.to_device(&abc[k]).unwrap());
            let mut y = device.zeros(n).unwrap();
            transform2(&a, &b, &mut y, Plus).launch().unwrap();
            assert!(y.to_host().unwrap() == values(n, |i| abc[0][i] + abc[1][i]));
            let mut fused = transform3(&a, &b, &c, &mut y, Fused);
            fused.launch().unwrap();
            fused.launch().unwrap();
            assert!(y.to_host().unwrap() == values(n, |i| Fused.call(abc[0][i], abc[1][i], abc[2][i])));
        }
    });
}

#[test]
fn selections() {
    on_each_device(|device| {
        // Tiles of 2304 elements.
        let many = if device.is_cpu() { 2 * 2304 + 1 } else { 1_000_001 };
        for (n, limit) in [(0, 5), (1, 5), (33, 5), (2303, 0), (2304, 9), (2305, 5), (many, 5)] {
            let x = values(n, |i| (bits(i) % 9) as i64);
            let expected: Vec<i64> = x.iter().copied().filter(|v| *v < limit).collect();
            let (array, mut y) = (device.to_device(&x).unwrap(), device.to_device(&vec![-1; n]).unwrap());
            assert_eq!(select(&array, &mut y, Below(limit)).value().unwrap(), expected.len());
            let mut found = y.to_host().unwrap();
            assert!(found.split_off(expected.len()).iter().all(|v| *v == -1) && found == expected, "{n} below {limit}");
        }
        let (x, mut y) = (device.to_device(&[1i64, 2, 3, 4, 5]).unwrap(), device.zeros(2).unwrap());
        let error = select(&x, &mut y, Below(5)).value().unwrap_err();
        assert_eq!(wrong_length(&error), ("select", "y", 2));
        assert_eq!(y.to_host().unwrap(), [1, 2]);
    });
}

/// Slices that begin anywhere, other streams, and temporary memory that is used again.
#[test]
fn slices_streams_and_repetitions() {
    on_each_device(|device| {
        let x = values(10_000, |i| bits(i) as u32 >> 20);
        let array = device.to_device(&x).unwrap();
        let stream = device.stream().unwrap();
        let (slice, expected) = (array.slice(3..9001).unwrap(), &x[3..9001]);
        assert_eq!(reduce(&slice, 1, Plus).on(&stream).value().unwrap(), expected.iter().sum::<u32>() + 1);
        let mut y = device.zeros(10_000).unwrap();
        inclusive_scan(&slice, &mut y.slice_mut(1..8999).unwrap(), Plus).on(&stream).launch().unwrap();
        let mut sum = 0;
        let mut all = vec![0];
        all.extend(expected.iter().map(|v| {
            sum += v;
            sum
        }));
        all.resize(10_000, 0);
        assert!(y.to_host().unwrap() == all);

        let mut part = y.slice_mut(1..8999).unwrap();
        let mut scan = exclusive_scan(&slice, &mut part, 9, Plus).on(&stream).prepare().unwrap();
        scan.launch().unwrap();
        scan.launch().unwrap();
        assert_eq!(scan.temporary_bytes(), 8 * 3);
        assert_eq!(part.slice(8997..).unwrap().to_host().unwrap(), [sum + 9 - expected[8997]]);
        let mut total = reduce(&slice, 0, Maximum).prepare().unwrap();
        assert_eq!(total.value().unwrap(), total.value().unwrap());
        assert_eq!(total.temporary_bytes(), 4 * (2 + 1) + 8);
    });
}

/// The methods of arrays, with NaNs, equal elements and nothing.
#[test]
fn methods_of_arrays() {
    on_each_device(|device| {
        let none = device.zeros::<f32>(0).unwrap();
        assert_eq!((none.sum().unwrap(), none.min().unwrap(), none.max().unwrap()), (0.0, None, None));
        assert_eq!((none.argmin().unwrap(), none.argmax().unwrap()), (None, None));
        assert!(none.mean().unwrap().is_nan());
        let infinite = device.to_device(&[f32::INFINITY; 40]).unwrap();
        assert_eq!((infinite.min().unwrap(), infinite.argmin().unwrap()), (Some(f32::INFINITY), Some(0)));
        let nans = device.to_device(&[f32::NAN; 300]).unwrap();
        assert!(
            nans.min_max().unwrap().is_some_and(|(a, b)| a.is_nan() && b.is_nan()) && none.min_max().unwrap().is_none()
        );
        assert!(nans.max().unwrap().unwrap().is_nan() && nans.argmax().unwrap() == Some(0));
        let n = 4200;
        let mut x = values(n, |i| (bits(i) % 50) as f32);
        (x[5], x[4100]) = (f32::NAN, f32::NAN);
        let array = device.to_device(&x).unwrap();
        let first = |wanted: f32| x.iter().position(|v| *v == wanted);
        assert_eq!((array.min().unwrap(), array.argmin().unwrap()), (Some(0.0), first(0.0)));
        assert_eq!(array.min_max().unwrap(), Some((0.0, 49.0)));
        assert_eq!((array.max().unwrap(), array.argmax().unwrap()), (Some(49.0), first(49.0)));
        let (a, b) = (values(n, |i| (bits(i) % 9) as i64), values(n, |i| i as i64));
        let (c, d) = (device.to_device(&a).unwrap(), device.to_device(&b).unwrap());
        assert_eq!(c.dot(&d).unwrap(), a.iter().zip(&b).map(|(a, b)| a * b).sum::<i64>());
        assert_eq!(d.mean().unwrap(), (n - 1) as f64 / 2.0);
        let error = c.dot(&d.slice(1..).unwrap()).unwrap_err();
        assert_eq!(wrong_length(&error), ("dot", "other", n - 1));
        assert_eq!(count(&c, Below(4)).value().unwrap(), a.iter().filter(|v| **v < 4).count() as u64);
        assert!(any(&c, Below(1)).value().unwrap() && !any(&c, Below(0)).value().unwrap());
        assert!(all(&c, Below(9)).value().unwrap() && !all(&c, Below(8)).value().unwrap());
    });
}

/// Searches on a stream and repeated ones, norms, and sorts in place.
#[test]
fn searches_and_norms() {
    on_each_device(|device| {
        let stream = device.stream().unwrap();
        for n in [0, 1, 33, 4095, 4097, 9000] {
            let x = values(n, |i| (bits(i) % 1000) as i16);
            let array = device.to_device(&x).unwrap();
            let (least, greatest) = (x.iter().min().copied(), x.iter().max().copied());
            let first = |wanted: Option<i16>| x.iter().position(|v| Some(*v) == wanted);
            let mut search = argmin(&array).on(&stream).prepare().unwrap();
            for _ in 0..2 {
                search.launch().unwrap();
                assert_eq!(search.value().unwrap(), first(least), "{n}");
            }
            assert_eq!(argmax(&array).on(&stream).value().unwrap(), first(greatest), "{n}");
            let mut extent = min_max(&array).prepare().unwrap();
            extent.launch().unwrap();
            assert_eq!(extent.value().unwrap(), least.zip(greatest), "{n}");
            let norm = x.iter().fold(0.0, |sum, &v| sum + f64::from(v) * f64::from(v)).sqrt();
            assert_eq!(array.norm().unwrap().to_bits(), norm.to_bits(), "{n}"); // the squares are exact
            let mut sorted = array.to_device(device).unwrap();
            sorted.sort().unwrap();
            let mut expected = x;
            expected.sort_unstable();
            assert!(sorted.to_host().unwrap() == expected, "{n}");
        }
        let special = device.to_device(&[f32::NAN, f32::INFINITY, -2.0, f32::NAN, f32::NEG_INFINITY, 0.0]).unwrap();
        assert_eq!(argmin(&special).value().unwrap(), Some(4));
        assert_eq!(argmax(&special).value().unwrap(), Some(1));
        assert_eq!(min_max(&special).value().unwrap(), Some((f32::NEG_INFINITY, f32::INFINITY)));
        assert!(special.norm().unwrap().is_nan());
        let zeros = device.to_device(&[0.0f64, -0.0, 0.0]).unwrap();
        assert_eq!((argmin(&zeros).value().unwrap(), argmax(&zeros).value().unwrap()), (Some(0), Some(0)));
        let mut part = device.to_device(&[3u8, 2, 1, 0]).unwrap();
        part.slice_mut(1..3).unwrap().sort().unwrap();
        assert_eq!(part.to_host().unwrap(), [3, 1, 2, 0]);
    });
}

/// Indices, elements at indices, and their faults.
#[test]
fn indices() {
    on_each_device(|device| {
        for n in [0, 1, 255, 257, 1000] {
            let x = values(n, |i| bits(i) as u16);
            let at = values(n, |i| ((i * 7 + 3) % n.max(1)) as u32);
            let (array, places) = (device.to_device(&x).unwrap(), device.to_device(&at).unwrap());
            let (mut y, mut z) = (device.zeros::<u16>(n).unwrap(), device.zeros::<u16>(n).unwrap());
            let mut all = device.zeros::<i64>(n).unwrap();
            iota(&mut all).launch().unwrap();
            assert!(all.to_host().unwrap() == values(n, |i| i as i64));
            gather(&array, &places, &mut y).launch().unwrap();
            assert!(y.to_host().unwrap() == values(n, |i| x[at[i] as usize]));
            scatter(&y, &places, &mut z).launch().unwrap();
            assert!(z.to_host().unwrap() == x);
        }
        let (x, places) = (device.to_device(&[1.0, 2.0]).unwrap(), device.to_device(&[1, 2, -1]).unwrap());
        let mut y = device.zeros(3).unwrap();
        let fault = gather(&x, &places, &mut y).launch().and_then(|()| device.synchronize()).unwrap_err();
        let Error::Fault { kind: FaultKind::Panic(message), .. } = &fault else { panic!("{fault:?}") };
        // Which of the two threads faults first is not determined on a GPU.
        let messages =
            [(1, 2), (2, -1)].map(|(i, at)| format!("gather: indices[{i}] is {at}, but the length of x is 2"));
        assert!(messages.iter().any(|expected| **expected == **message), "{message}");
        let launch = scatter(&x, &device.to_device(&[0u8, 3]).unwrap(), &mut y).launch();
        let fault = launch.and_then(|()| device.synchronize()).unwrap_err().to_string();
        assert!(fault.contains("scatter: indices[1] is 3, but the length of y is 3"), "{fault}");
        let error = scatter(&x, &places, &mut y).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("scatter", "indices", 3));
        let mut short = device.zeros::<i8>(129).unwrap();
        iota(&mut short.slice_mut(..128).unwrap()).launch().unwrap();
        assert_eq!(short.to_host().unwrap()[126..], [126, 127, 0]);
        let error = iota(&mut short).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("iota", "y", 129));
    });
}

/// Uniform, skewed and empty, with bins in shared and in global memory, and floats at the edges of bins.
#[test]
fn histograms() {
    on_each_device(|device| {
        for n in [0, 1, 4095, 4097] {
            for of in [|i| bits(i) as u8, |_| 200u8, |i| bits(i) as u8 % 3] {
                let x = values(n, of);
                let mut counts = device.to_device(&[9u32; 256]).unwrap();
                histogram(&device.to_device(&x).unwrap(), &mut counts, OwnBin).launch().unwrap();
                let mut expected = [0; 256];
                for v in &x {
                    expected[usize::from(*v)] += 1;
                }
                assert_eq!(counts.to_host().unwrap(), expected);
            }
        }
        let x = values(5000, |i| bits(i) as u16 % 20_000);
        let array = device.to_device(&x).unwrap();
        for bins in [1, 1000, 12_288, 12_289] {
            let mut counts = device.zeros::<u64>(bins).unwrap();
            let mut counting = histogram(&array, &mut counts, OwnBin);
            counting.launch().unwrap();
            counting.launch().unwrap();
            let mut expected = vec![0; bins];
            x.iter().filter(|v| usize::from(**v) < bins).for_each(|v| expected[usize::from(*v)] += 1);
            assert!(counts.to_host().unwrap() == expected);
        }
        let x = [0.0f32, -0.0, 0.5, 0.99, 1.0, 1.5, -0.1, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.25];
        let mut counts = device.zeros::<u32>(4).unwrap();
        histogram(&device.to_device(&x).unwrap(), &mut counts, EvenBins::new(0.0..1.0, 4).unwrap()).launch().unwrap();
        assert_eq!(counts.to_host().unwrap(), [2, 1, 1, 2]);
    });
}

#[test]
fn lengths_that_differ_are_errors() {
    on_each_device(|device| {
        let (x, mut y) = (device.zeros::<u32>(5).unwrap(), device.zeros::<u32>(4).unwrap());
        let error = inclusive_scan(&x, &mut y, Plus).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("inclusive_scan", "y", 4));
        let error = exclusive_scan(&x, &mut y, 0, Plus).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("exclusive_scan", "y", 4));
        assert_eq!(wrong_length(&x.cumsum(&mut y).unwrap_err()), ("cumsum", "sums", 4));
        let error = transform2(&x, &x, &mut y, Plus).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("transform2", "a", 5));
        assert_eq!(y.to_host().unwrap(), [0; 4]);
    });
}

/// Sizes of many chunks and groups, which take too long on the CPU.
#[test]
fn large_arrays() {
    on_gpu(|device| {
        for n in
            [31, 33, 8191, 8193, 12_289, 135_168, 135_169, 2048 * 4096 - 1, 2048 * 4096, 2048 * 4096 + 1, 10_000_019]
        {
            check(device, &values(n, |i| bits(i) as u32 >> 29), 7, Plus);
            check(device, &values(n, affine), Affine { a: 3, b: 5 }, Then);
        }
        for n in [31 * 256 + 1, 32 * 256, 65 * 256 + 77, 1_000_001] {
            check(device, &values(n, wide), wide(7), Joined);
        }
        // More blocks, of which a thread reduces several partial results.
        for n in [(1 << 27) - 1, 1 << 27, (1 << 27) + 8193] {
            let x = values(n, |i| bits(i) as u8);
            let found = reduce(&device.to_device(&x).unwrap(), 77, Xor).value().unwrap();
            assert_eq!(found, x.iter().fold(77, |all, next| all ^ next), "{n} numbers");
        }
    });
}

/// A fault of the operator in one block, for whose prefix others wait.
#[test]
fn operators_that_fault() {
    #[derive(Clone, Copy, DeviceType)]
    struct Rejecting;

    #[device]
    impl Function2<u32, u32> for Rejecting {
        type Output = u32;

        fn call(self, a: u32, b: u32) -> u32 {
            assert!(b != 7, "seven");
            a ^ b
        }
    }

    #[derive(Clone, Copy, DeviceType)]
    struct NotSeven;

    #[device]
    impl Function1<u32> for NotSeven {
        type Output = bool;

        fn call(self, a: u32) -> bool {
            assert!(a != 7, "seven");
            a == 0
        }
    }

    on_each_device(|device| {
        // The thread that publishes, another one, the last tile of a group of values in words, and all threads of a block.
        let n = if device.is_cpu() { 3 * 4096 } else { 4_000_000 };
        for faulting in [1..2, 4100..4101, 31 * 4096..31 * 4096 + 1, 4096..8192] {
            let is_block = faulting.len() > 1;
            let x = values(n, |i| if faulting.contains(&i) { 7 } else { 0 });
            if faulting.start >= n {
                continue;
            }
            let (x, mut y) = (device.to_device(&x).unwrap(), device.zeros(n).unwrap());
            let began = std::time::Instant::now();
            let scanned = inclusive_scan(&x, &mut y, Rejecting).launch().and_then(|()| device.synchronize());
            let selected = select(&x, &mut y, NotSeven).value();
            // If no thread of a block is left that publishes the fault, others wait for seconds.
            assert!(began.elapsed().as_secs() < if is_block { 40 } else { 10 }, "{:?}", began.elapsed());
            for error in [scanned.unwrap_err(), selected.unwrap_err(), reduce(&x, 0, Rejecting).value().unwrap_err()] {
                assert!(matches!(&error, Error::Fault { .. }) && error.to_string().contains("seven"), "{error}");
            }
            // The next ones are not affected.
            inclusive_scan(&x, &mut y, Maximum).launch().unwrap();
            assert_eq!(y.slice(n - 1..).unwrap().to_host().unwrap(), [7]);
        }
    });
}

/// Faults behind which later tiles wait for a group: in the lanes that ask for the earlier groups, in the lane that publishes the
/// prefix of a group, and in all threads of a tile in the middle of a group.
#[test]
fn operators_that_fault_between_groups() {
    #[derive(Clone, Copy, DeviceType)]
    struct Below(i32);

    #[device]
    impl Function2<i32, i32> for Below {
        type Output = i32;

        fn call(self, a: i32, b: i32) -> i32 {
            assert!(a + b < self.0, "too much");
            a + b
        }
    }

    on_each_device(|device| {
        const TILE: usize = 4096;
        let (mut long, mut sums) = (vec![1; 34 * TILE * 2], device.zeros(34 * TILE * 2).unwrap());
        for (len, limit, faulty) in [
            // Of the last tile of the second group: the sum of its group, and the sum of both.
            (64 * TILE, 32 * TILE - 100, 0..0),
            (64 * TILE, 31 * TILE - 3000, 0..0),
            (66 * TILE, 64 * TILE, 0..0),
            (66 * TILE, i32::MAX as usize / 2, TILE..2 * TILE),
        ] {
            long.truncate(len);
            long.resize(len, 1);
            long[faulty.clone()].fill(i32::MAX / 2);
            let x = device.to_device(&long).unwrap();
            let mut y = sums.slice_mut(..len).unwrap();
            let below = Below(limit as i32);
            let error = inclusive_scan(&x, &mut y, below).launch().and_then(|()| device.synchronize()).unwrap_err();
            assert!(matches!(&error, Error::Fault { .. }), "{error}");
            long.fill(1);
        }
    });
}

/// Bins that do not exist, and elements that are in none.
#[test]
fn bins_of_floats() {
    for (range, bins) in [
        (0.0..1.0, 0),
        (1.0..1.0, 4),
        (2.0..1.0, 4),
        (0.0..f32::INFINITY, 4),
        (f32::MIN..f32::MAX, 4),
        (f32::NAN..1.0, 4),
    ] {
        let error = EvenBins::new(range, bins).unwrap_err();
        let Error::Algorithm(AlgorithmError::Bins { bins: found, .. }) = error else { panic!("{error}") };
        assert_eq!(found, bins);
    }
    on_each_device(|device| {
        let x = device.to_device(&[f32::NAN, 5.0, -3.0, 1.0, 0.0, f32::INFINITY]).unwrap();
        let mut counts = device.zeros::<u32>(8).unwrap();
        histogram(&x, &mut counts, EvenBins::new(0.0..1.0, 4).unwrap()).launch().unwrap();
        assert_eq!(counts.to_host().unwrap(), [1, 0, 0, 1, 0, 0, 0, 0]);
        let mut indices = device.zeros::<u8>(300).unwrap();
        let error = argsort(&device.to_device(&[1u32; 256]).unwrap(), &mut indices).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("argsort", "indices", 300));
    });
}

/// A block that is no whole number of warps.
#[test]
fn blocks_of_part_of_a_warp() {
    use cumbia::algorithm::block_reduce;

    #[kernel]
    fn sums(x: &[u32], y: &mut [u32]) {
        let sum = block_reduce(x[thread_idx().x], Plus);
        if thread_idx().x == 0 {
            y[0] = sum;
        }
    }

    on_each_device(|device| {
        let (x, mut y) = (device.to_device(&[1u32; 64]).unwrap(), device.zeros(1).unwrap());
        sums(&x, &mut y).grid(1).block(64).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [64]);
        let fault = sums(&x, &mut y).grid(1).block(48).launch().and_then(|()| device.synchronize()).unwrap_err();
        let Error::Fault { kind: FaultKind::Panic(message), .. } = &fault else { panic!("{fault:?}") };
        assert_eq!(&**message, "a block of 48 threads is not a whole number of warps of 32 threads");
    });
}
