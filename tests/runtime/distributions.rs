//! Algorithms with inputs of all kinds: every type of keys, halves, infinities and NaNs, sorted and equal elements; and
//! on two streams.

use std::cell::RefCell;

use cumbia::algorithm::{
    Function1, Maximum, Minimum, OwnBin, Plus, SortKey, argmax, argmin, argsort, exclusive_scan, exclusive_scan_by_key,
    histogram, inclusive_scan, partition, reduce, reduce_by_key, run_length_encode, segmented_sort, select, sort,
    top_k, unique,
};
use cumbia::prelude::*;
use cumbia::vector::Float4;

use crate::support::{bits, on_each_device};

/// Whether a number is at least this one.
#[derive(Clone, Copy, DeviceType)]
struct AtLeast<T: DeviceType>(T);

#[device]
impl<T: Number> Function1<T> for AtLeast<T> {
    type Output = bool;

    fn call(self, a: T) -> bool {
        a >= self.0
    }
}

#[track_caller]
fn check_sort<K: SortKey>(device: &Device, of: impl Fn(u64) -> K, order: impl Fn(&K, &K) -> std::cmp::Ordering) {
    let host: Vec<K> = (0..150).map(|i| of(bits(i))).collect();
    for is_descending in [false, true] {
        let mut x = device.to_device(&host).unwrap();
        if is_descending { sort(&mut x).descending() } else { sort(&mut x) }.launch().unwrap();
        let mut expected = host.clone();
        expected.sort_by(|a, b| if is_descending { order(b, a) } else { order(a, b) });
        let found = x.to_host().unwrap();
        assert!(found.iter().zip(&expected).all(|(a, b)| order(a, b).is_eq()), "{}", std::any::type_name::<K>());
    }
}

#[test]
fn sorts_of_every_type_of_keys() {
    on_each_device(|device| {
        check_sort(device, |b| b as u8, Ord::cmp);
        check_sort(device, |b| b as i8, Ord::cmp);
        check_sort(device, |b| b as u16, Ord::cmp);
        check_sort(device, |b| b as i16, Ord::cmp);
        check_sort(device, |b| b as u32, Ord::cmp);
        check_sort(device, |b| b as i32, Ord::cmp);
        check_sort(device, |b| b, Ord::cmp);
        check_sort(device, |b| b as i64, Ord::cmp);
        check_sort(device, |b| b as usize, Ord::cmp);
        check_sort(device, |b| b as isize, Ord::cmp);
        check_sort(device, |b| f16::from_bits(b as u16), f16::total_cmp);
        check_sort(device, |b| bf16::from_bits(b as u16), bf16::total_cmp);
        check_sort(device, |b| f32::from_bits(b as u32), f32::total_cmp);
        check_sort(device, f64::from_bits, f64::total_cmp);
    });
}

/// Sums of halves that are exact, and selections of them.
#[track_caller]
fn check_halves<T: Number>(device: &Device, n: usize) {
    let of = |i: usize| T::cast((bits(i) % 3) as f32);
    let host: Vec<T> = (0..n).map(of).collect();
    let x = device.to_device(&host).unwrap();
    let mut y = device.zeros::<T>(n).unwrap();
    let sums: Vec<f32> = host
        .iter()
        .scan(0.0, |sum, v| {
            *sum += f32::cast(*v);
            Some(*sum)
        })
        .collect();
    let floats = |y: &DeviceArray<T>| y.to_host().unwrap().into_iter().map(f32::cast).collect::<Vec<f32>>();
    assert_eq!(f32::cast(reduce(&x, T::ZERO, Plus).value().unwrap()), sums[n - 1]);
    assert_eq!(f32::cast(reduce(&x, T::ZERO, Maximum).value().unwrap()), 2.0);
    assert_eq!(f32::cast(reduce(&x, T::ONE, Minimum).value().unwrap()), 0.0);
    inclusive_scan(&x, &mut y, Plus).launch().unwrap();
    assert!(floats(&y) == sums);
    exclusive_scan(&x, &mut y, T::ONE, Plus).launch().unwrap();
    assert!(floats(&y).iter().skip(1).zip(&sums).all(|(found, sum)| *found == sum + 1.0));
    let found = select(&x, &mut y, AtLeast(T::ONE)).value().unwrap();
    let expected: Vec<f32> = host.iter().map(|v| f32::cast(*v)).filter(|v| *v >= 1.0).collect();
    assert!(floats(&y)[..found] == expected);
}

#[test]
fn halves() {
    on_each_device(|device| {
        check_halves::<f16>(device, 700);
        // Integers up to 256 are exact.
        check_halves::<bf16>(device, 130);
    });
}

/// From an infinity on, sums are infinite, and from the opposite one or a NaN on they are NaNs.
#[test]
fn scans_of_infinities_and_nans() {
    on_each_device(|device| {
        let n = 4096 + 500;
        for places in [[10, 4100], [100, 3000], [4097, 4300], [0, 4595]] {
            for last in [f32::NEG_INFINITY, f32::NAN] {
                let mut host = vec![1.0f32; n];
                (host[places[0]], host[places[1]]) = (f32::INFINITY, last);
                let x = device.to_device(&host).unwrap();
                let mut y = device.zeros::<f32>(n).unwrap();
                inclusive_scan(&x, &mut y, Plus).launch().unwrap();
                let expected = host.iter().scan(0.0, |sum, v| {
                    *sum += v;
                    Some(*sum)
                });
                let is_same = |(a, b): (&f32, f32)| *a == b || a.is_nan() && b.is_nan();
                assert!(y.to_host().unwrap().iter().zip(expected).all(is_same), "{places:?}");
                exclusive_scan(&x, &mut y, f32::NEG_INFINITY, Maximum).launch().unwrap();
                let found = y.to_host().unwrap();
                let expected = |i| {
                    if i == 0 {
                        f32::NEG_INFINITY
                    } else if i > places[0] {
                        f32::INFINITY
                    } else {
                        1.0
                    }
                };
                assert!(found.iter().enumerate().all(|(i, v)| *v == expected(i)), "{places:?}");
                let sum = reduce(&x, 0.0, Plus).value().unwrap();
                assert!(sum.is_nan(), "{places:?}");
            }
        }
    });
}

/// All algorithms with equal, ascending and descending elements, and alternating ones.
#[test]
fn equal_and_ordered_elements() {
    on_each_device(|device| {
        for n in [600, 4100] {
            for of in [|_| 3, |i| i, |i| 5000 - i, |i| i % 2] {
                let host: Vec<u32> = (0..n as u32).map(of).collect();
                let x = device.to_device(&host).unwrap();
                let (mut y, mut z) = (device.zeros::<u32>(n).unwrap(), device.zeros::<u32>(n).unwrap());
                let (least, greatest) = (*host.iter().min().unwrap(), *host.iter().max().unwrap());
                let first = |wanted: u32| host.iter().position(|v| *v == wanted);
                assert_eq!(reduce(&x, 0, Plus).value().unwrap(), host.iter().sum::<u32>());
                assert_eq!(x.min_max().unwrap(), Some((least, greatest)));
                assert_eq!(argmin(&x).value().unwrap(), first(least));
                assert_eq!(argmax(&x).value().unwrap(), first(greatest));
                inclusive_scan(&x, &mut y, Plus).launch().unwrap();
                let sums: Vec<u32> = host
                    .iter()
                    .scan(0, |sum, v| {
                        *sum += v;
                        Some(*sum)
                    })
                    .collect();
                assert!(y.to_host().unwrap() == sums);

                let (kept, rest): (Vec<u32>, Vec<u32>) = host.iter().partition(|v| **v >= 3);
                let found = partition(&x, &mut y, &mut z, AtLeast(3)).value().unwrap();
                assert!(y.slice(..found).unwrap().to_host().unwrap() == kept);
                assert!(z.slice(..rest.len()).unwrap().to_host().unwrap() == rest);
                assert_eq!(select(&x, &mut y, AtLeast(u32::MAX)).value().unwrap(), 0);
                let mut runs = host.clone();
                runs.dedup();
                let found = unique(&x, &mut y).value().unwrap();
                assert!(y.slice(..found).unwrap().to_host().unwrap() == runs);
                let length = (n / runs.len()) as u32;
                let found = run_length_encode(&x, &mut y, &mut z).value().unwrap();
                assert!(y.slice(..found).unwrap().to_host().unwrap() == runs);
                assert!(z.slice(..found).unwrap().to_host().unwrap() == vec![length; runs.len()]);
                let found = reduce_by_key(&x, &x, &mut y, &mut z, Maximum).value().unwrap();
                assert!(z.slice(..found).unwrap().to_host().unwrap() == runs);
                exclusive_scan_by_key(&x, &x, &mut y, 7, Maximum).launch().unwrap();
                let before = |i: usize| if i > 0 && host[i] == host[i - 1] { 7.max(host[i]) } else { 7 };
                assert!(y.to_host().unwrap() == (0..n).map(before).collect::<Vec<_>>());

                let mut expected: Vec<u32> = (0..n as u32).collect();
                expected.sort_by_key(|i| host[*i as usize]);
                argsort(&x, &mut y).launch().unwrap();
                assert!(y.to_host().unwrap() == expected);
                let mut keys = x.to_device(device).unwrap();
                let offsets = device.to_device(&[0u32, 1, 500, n as u32]).unwrap();
                segmented_sort(&mut keys, &offsets).launch().unwrap();
                let mut sorted = host.clone();
                sorted[1..500].sort_unstable();
                sorted[500..].sort_unstable();
                assert!(keys.to_host().unwrap() == sorted);
                let mut greatest = device.zeros::<u32>(50).unwrap();
                let mut at = device.zeros::<u32>(50).unwrap();
                top_k(&x, &mut greatest, &mut at).launch().unwrap();
                let mut expected: Vec<u32> = (0..n as u32).collect();
                expected.sort_by_key(|i| u32::MAX - host[*i as usize]);
                assert!(at.to_host().unwrap() == expected[..50]);
                let mut counts = device.zeros::<u32>(64).unwrap();
                histogram(&x, &mut counts, OwnBin).launch().unwrap();
                let expected = (0..64).map(|b| host.iter().filter(|v| **v == b).count() as u32);
                assert!(counts.to_host().unwrap() == expected.collect::<Vec<_>>());
            }
        }
    });
}

/// Reductions, scans and selections on two streams at once, each with memory of its own, without waiting in between.
#[test]
fn two_streams() {
    on_each_device(|device| {
        let (n, rounds) = if device.is_cpu() { (9000, 3) } else { (1 << 20, 200) };
        let streams = [device.stream().unwrap(), device.stream().unwrap()];
        let host: [Vec<u32>; 2] = [0, n].map(|from| (from..from + n).map(|i| bits(i) as u32 % 8).collect());
        let x = host.each_ref().map(|host| device.to_device(host).unwrap());
        let mut sums = [0, 1].map(|k| reduce(&x[k], 0, Plus).on(&streams[k]).prepare().unwrap());
        let mut scanned = [0, 1].map(|_| device.zeros::<u32>(n).unwrap());
        let mut kept = [0, 1].map(|_| device.zeros::<u32>(n).unwrap());
        let mut of_scan = [0, 1].map(|k| exclusive_scan(&x[k], &mut scanned[k], 0, Plus).memory().unwrap());
        let mut selected = [0, 1].map(|k| select(&x[k], &mut kept[k], AtLeast(3)).memory().unwrap());
        for _ in 0..rounds {
            for k in [0, 1] {
                sums[k].launch().unwrap();
                let scan = exclusive_scan(&x[k], &mut scanned[k], 0, Plus).on(&streams[k]);
                scan.prepare_in(&mut of_scan[k]).unwrap().launch().unwrap();
                let selection = select(&x[k], &mut kept[k], AtLeast(3)).on(&streams[k]);
                selection.prepare_in(&mut selected[k]).unwrap().launch().unwrap();
            }
        }
        for k in [0, 1] {
            assert_eq!(sums[k].read().unwrap(), host[k].iter().sum::<u32>());
            let before = host[k].iter().scan(0, |sum, v| {
                *sum += v;
                Some(*sum - v)
            });
            assert!(scanned[k].to_host().unwrap() == before.collect::<Vec<_>>());
            let expected: Vec<u32> = host[k].iter().copied().filter(|v| *v >= 3).collect();
            assert_eq!(selected[k].read().unwrap(), expected.len());
            assert!(kept[k].slice(..expected.len()).unwrap().to_host().unwrap() == expected);
        }
    });
}

/// Rounding errors of scans over several groups of 32 tiles, and of reductions of several chunks: the same each time, and on each
/// device.
#[test]
fn floats_are_deterministic_over_groups() {
    let n = 70 * 1024 + 7;
    let host: Vec<Float4> = (0..n).map(|i| Float4::splat(bits(i) as u32 as f32 / 1e9 - 2.0)).collect();
    let expected = RefCell::new(None);
    on_each_device(|device| {
        let x = device.to_device(&host).unwrap();
        let mut y = device.to_device(&vec![Float4::splat(0.0); n]).unwrap();
        for _ in 0..if device.is_cpu() { 2 } else { 500 } {
            let sum = reduce(&x, Float4::splat(0.5), Plus).value().unwrap();
            inclusive_scan(&x, &mut y, Plus).launch().unwrap();
            let scanned = y.to_host().unwrap();
            let found: Vec<u32> = scanned.iter().chain([&sum]).map(|v| v.x.to_bits()).collect();
            let mut expected = expected.borrow_mut();
            assert!(*expected.get_or_insert_with(|| found.clone()) == found, "{device}");
            let (mut exact, mut magnitude) = (0.0, 0.0);
            for (value, through) in host.iter().zip(&scanned) {
                exact += f64::from(value.x);
                magnitude += f64::from(value.x.abs());
                // The documented bound, for elements of 16 bytes in tiles of 1024.
                let bound = (n as f64 / f64::from(1 << 15) + 40.0) * f64::from(f32::EPSILON) / 2.0;
                assert!((f64::from(through.x) - exact).abs() <= bound * magnitude);
            }
            assert!((f64::from(sum.x) - exact - 0.5).abs() <= 25.1 * f64::from(f32::EPSILON) * (magnitude + 0.5));
        }
    });
}
