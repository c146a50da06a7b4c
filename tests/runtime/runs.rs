//! Partitions, and the algorithms on runs of equal elements, at sizes around the boundaries of tiles and groups,
//! against loops on the host.

use cumbia::algorithm::{
    Equatable, Function1, Function2, Maximum, Plus, exclusive_scan_by_key, inclusive_scan_by_key, partition,
    reduce_by_key, run_length_encode, unique,
};
use cumbia::prelude::*;
use cumbia::{Error, FaultKind};

use crate::support::{Affine, Joined, Then, affine, bits, on_each_device, on_gpu, values, wide, wrong_length};

/// The second operand, of any type.
#[derive(Clone, Copy, DeviceType)]
struct Second;

#[device]
impl<T: DeviceType> Function2<T, T> for Second {
    type Output = T;

    fn call(self, _a: T, b: T) -> T {
        b
    }
}

/// Whether a number is below this one.
#[derive(Clone, Copy, DeviceType)]
struct Below(u32);

#[device]
impl Function1<u32> for Below {
    type Output = bool;

    fn call(self, a: u32) -> bool {
        a < self.0
    }
}

#[test]
fn partitions() {
    on_each_device(|device| {
        // Tiles of 4864 elements of a partition.
        let many = if device.is_cpu() { 2 * 4864 + 1 } else { 1_000_001 };
        for (n, limit) in [(0, 5), (1, 5), (1, 0), (33, 5), (4863, 0), (4864, 9), (4865, 5), (many, 5)] {
            let x = values(n, |i| (bits(i) % 9) as u32);
            let (low, high): (Vec<u32>, Vec<u32>) = x.iter().partition(|v| **v < limit);
            // Elements beyond the results keep their values.
            let (array, mut y) = (device.to_device(&x).unwrap(), device.to_device(&vec![77; n + 1]).unwrap());
            let mut rest = device.to_device(&vec![88; n + 1]).unwrap();
            assert_eq!(partition(&array, &mut y, &mut rest, Below(limit)).value().unwrap(), low.len());
            let padded = |part: &[u32], value: u32| {
                let mut part = part.to_vec();
                part.resize(n + 1, value);
                part
            };
            assert!(y.to_host().unwrap() == padded(&low, 77), "{n} below {limit}");
            assert!(rest.to_host().unwrap() == padded(&high, 88), "{n} not below {limit}");
            // Into the two parts of one array.
            let stream = device.stream().unwrap();
            let (mut left, mut right) = y.split_at_mut(low.len()).unwrap();
            let found = partition(&array, &mut left, &mut right, Below(limit)).on(&stream).value().unwrap();
            assert_eq!(found, low.len());
            assert!(y.slice(..n).unwrap().to_host().unwrap() == [low, high].concat());
        }
        let x = device.to_device(&[1u32, 7, 2, 8, 9]).unwrap();
        let (mut y, mut rest) = (device.zeros(5).unwrap(), device.zeros(2).unwrap());
        let error = partition(&x, &mut y, &mut rest, Below(5)).value().unwrap_err();
        assert_eq!(wrong_length(&error), ("partition", "rest", 2));
        assert_eq!((y.to_host().unwrap(), rest.to_host().unwrap()), (vec![1, 2, 0, 0, 0], vec![7, 8]));
        let error = partition(&x, &mut rest, &mut y, Below(9)).value().unwrap_err();
        assert_eq!(wrong_length(&error), ("partition", "y", 2));
    });
}

/// Returns whether a key differs from itself, as a NaN does.
fn differs<K: PartialEq + Copy>(key: K) -> bool {
    let copy = key;
    key != copy
}

/// Applies all algorithms on runs, and compares them with a loop.
#[track_caller]
fn check<K: Equatable, V: DeviceType + PartialEq, F: Function2<V, V, Output = V>>(
    device: &Device,
    keys: &[K],
    x: &[V],
    initial: V,
    operator: F,
) {
    let n = keys.len();
    let (mut through, mut before) = (Vec::<V>::new(), Vec::<V>::new());
    let (mut firsts, mut lengths, mut totals) = (Vec::<K>::new(), Vec::<u64>::new(), Vec::<V>::new());
    for i in 0..n {
        if i == 0 || keys[i] != keys[i - 1] {
            before.push(initial);
            through.push(x[i]);
            firsts.push(keys[i]);
            lengths.push(1);
            totals.push(x[i]);
        } else {
            before.push(operator.call(before[i - 1], x[i - 1]));
            through.push(operator.call(through[i - 1], x[i]));
            *lengths.last_mut().unwrap() += 1;
            *totals.last_mut().unwrap() = through[i];
        }
    }
    let runs = firsts.len();
    let (array_of_keys, array) = (device.to_device(keys).unwrap(), device.to_device(x).unwrap());
    let mut y = device.to_device(&vec![initial; n]).unwrap();
    inclusive_scan_by_key(&array_of_keys, &array, &mut y, operator).launch().unwrap();
    assert!(y.to_host().unwrap() == through, "the inclusive scan of {n} in {runs} runs");
    exclusive_scan_by_key(&array_of_keys, &array, &mut y, initial, operator).launch().unwrap();
    assert!(y.to_host().unwrap() == before, "the exclusive scan of {n} in {runs} runs");

    // As long as the results, and an element that keeps its value.
    let placeholder = keys.first().copied();
    let is_same = |found: &[K]| found.iter().zip(&firsts).all(|(a, b)| a == b || (differs(*a) && differs(*b)));
    let mut unique_keys = device.to_device(&values(runs, |_| placeholder.unwrap())).unwrap();
    let mut sums = device.to_device(&vec![initial; runs + 1]).unwrap();
    let found = reduce_by_key(&array_of_keys, &array, &mut unique_keys, &mut sums, operator).value().unwrap();
    assert_eq!(found, runs, "the runs of {n}");
    assert!(is_same(&unique_keys.to_host().unwrap()), "the keys of {n} in {runs} runs");
    let mut found = sums.to_host().unwrap();
    assert!(found.pop() == Some(initial) && found == totals, "the reductions of {n} in {runs} runs");

    let mut unique_keys = device.to_device(&values(runs, |_| placeholder.unwrap())).unwrap();
    let mut counts = device.to_device(&vec![99u64; runs + 1]).unwrap();
    assert_eq!(run_length_encode(&array_of_keys, &mut unique_keys, &mut counts).value().unwrap(), runs);
    assert!(is_same(&unique_keys.to_host().unwrap()), "the elements of {n} in {runs} runs");
    let mut found = counts.to_host().unwrap();
    assert!(found.pop() == Some(99) && found == lengths, "the lengths of {n} in {runs} runs");

    let mut unique_keys = device.to_device(&values(runs, |_| placeholder.unwrap())).unwrap();
    assert_eq!(unique(&array_of_keys, &mut unique_keys).value().unwrap(), runs);
    assert!(is_same(&unique_keys.to_host().unwrap()), "the unique elements of {n} in {runs} runs");
}

/// Runs of one element, of random lengths, of the whole array, and runs that end and begin at the boundaries of tiles.
#[test]
fn runs_of_all_lengths() {
    on_each_device(|device| {
        // Tiles of 4352 or 2304 elements of an encoding, of 4864 or 2304 of `unique`, and of 2816 or 1280 pairs of a reduction.
        for n in [0, 1, 2, 31, 33, 255, 1280, 2303, 2304, 2305, 2815, 2816, 2817, 4351, 4352, 4353, 4864, 4865, 5632] {
            let x = values(n, |i| bits(i) as u32 >> 16);
            check(device, &values(n, |i| bits(i) as u16 % 3), &x, 7, Plus);
            if n > 2000 && n % 64 < 2 {
                check(device, &values(n, |i| i), &x, 7, Plus);
                check(device, &vec![1u8; n], &x, 7, Plus);
                check(device, &values(n, |i| (i / 1280) as i64), &x, 7, Plus);
                check(device, &values(n, |i| (i + 1) / 1280), &x, 7, Maximum);
                check(device, &values(n, |i| i.is_multiple_of(2)), &x, 7, Maximum);
            }
        }
    });
}

/// Results do not depend on the parentheses, but on the order. Tiles of 1024 pairs.
#[test]
fn operators_that_do_not_commute_by_key() {
    on_each_device(|device| {
        for n in [1, 33, 1023, 1024, 1025, 2500] {
            let x = values(n, affine);
            check(device, &values(n, |i| if bits(i).is_multiple_of(40) { i } else { 0 }), &x, affine(n), Then);
            check(device, &vec![Affine { a: 1, b: 2 }; n], &x, affine(n), Then);
            check(device, &values(n, |i| affine(i / 300)), &x, affine(n), Then);
        }
        // Tiles of 256 pairs, and more than one group of 32 tiles.
        for n in [255, 257, 33 * 256 + 1] {
            let x = values(n, wide);
            check(device, &values(n, |i| i / 700), &x, wide(n), Joined);
            check(device, &values(n, |_| wide(3)), &x, wide(n), Joined);
        }
        // The largest values.
        check(device, &values(300, |i| i / 70), &values(300, |i| [bits(i); 19]), [5; 19], Second);
    });
}

/// NaNs differ from themselves, and zeros are equal.
#[test]
fn floats_as_keys() {
    on_each_device(|device| {
        let special = [f32::NAN, -0.0, 0.0, f32::INFINITY, 1.5];
        for n in [1, 33, 5000] {
            let keys = values(n, |i| special[bits(i) as usize % special.len()]);
            check(device, &keys, &values(n, |i| i as u64), 1, Plus);
        }
        check(device, &[f32::NAN; 300], &[1u8; 300], 3, Plus);
    });
}

/// Slices that begin anywhere, and results that are too short.
#[test]
fn slices_and_lengths() {
    on_each_device(|device| {
        let keys = values(9000, |i| (i / 7) as u32);
        let (array, stream) = (device.to_device(&keys).unwrap(), device.stream().unwrap());
        let part = array.slice(3..8998).unwrap();
        let (mut y, mut lengths) = (device.zeros::<u32>(3).unwrap(), device.zeros::<u8>(2000).unwrap());
        let error = unique(&part, &mut y).on(&stream).value().unwrap_err();
        assert_eq!(wrong_length(&error), ("unique", "y", 3));
        assert_eq!(y.to_host().unwrap(), [0, 1, 2]);
        let error = run_length_encode(&part, &mut y, &mut lengths).on(&stream).value().unwrap_err();
        assert_eq!(wrong_length(&error), ("run_length_encode", "unique_elements", 3));
        assert_eq!(lengths.slice(..1287).unwrap().to_host().unwrap()[1284..], [7, 3, 0]);
        let (mut firsts, mut short) = (device.zeros::<u32>(2000).unwrap(), device.zeros::<u32>(1285).unwrap());
        let error = reduce_by_key(&part, &part, &mut firsts, &mut short, Maximum).value().unwrap_err();
        assert_eq!(wrong_length(&error), ("reduce_by_key", "y", 1285));

        let error = reduce_by_key(&part, &array, &mut firsts, &mut short, Plus).value().unwrap_err();
        assert_eq!(wrong_length(&error), ("reduce_by_key", "x", 9000));
        let error = inclusive_scan_by_key(&part, &array, &mut firsts, Plus).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("inclusive_scan_by_key", "x", 9000));
        let error = exclusive_scan_by_key(&array, &array, &mut firsts, 0, Plus).on(&stream).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("exclusive_scan_by_key", "y", 2000));
    });
}

/// Runs as long as the type of the lengths represents, and one longer, at the end of the array and before.
#[test]
fn lengths_that_are_not_represented() {
    on_each_device(|device| {
        for (run, n) in [(255, 255), (255, 9000), (256, 256), (256, 9000), (5000, 9000)] {
            let x = values(n, |i| if i < run { 0 } else { 1 + i as u32 / 200 });
            let (mut y, mut lengths) = (device.zeros::<u32>(n).unwrap(), device.zeros::<u8>(n).unwrap());
            let outcome = run_length_encode(&device.to_device(&x).unwrap(), &mut y, &mut lengths).value();
            if run < 256 {
                assert!(outcome.unwrap() > 0);
                assert_eq!(lengths.to_host().unwrap()[0], 255);
            } else {
                let fault = outcome.unwrap_err().to_string();
                let expected =
                    format!("run_length_encode: a run has {run} elements, which the type of `lengths` does not");
                assert!(fault.contains(&expected), "{fault}");
            }
        }
    });
}

/// Many groups of tiles, which take too long on the CPU.
#[test]
fn many_runs() {
    on_gpu(|device| {
        for n in [65_535, 65_536, 65_537, 135_168, 1_000_001, 10_000_019] {
            let x = values(n, |i| bits(i) as u32 >> 20);
            check(device, &values(n, |i| bits(i) as u8 % 2), &x, 3, Maximum);
            check(device, &vec![5u8; n], &values(n, |i| bits(i) as u32 >> 30), 3, Plus);
            check(device, &values(n, |i| i / 100_000), &values(n, affine), affine(1), Then);
        }
    });
}

/// A fault of the operator in one tile, for whose prefix others wait.
#[test]
fn operators_that_fault_by_key() {
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

    on_each_device(|device| {
        let n = 5 * 2048;
        for faulting in [1, 2049, 2815, 2816, 4095, n - 1] {
            let x = device.to_device(&values(n, |i| if i == faulting { 7 } else { 0 })).unwrap();
            let (keys, mut y) = (device.zeros::<u8>(n).unwrap(), device.zeros::<u32>(n).unwrap());
            let mut firsts = device.zeros::<u8>(n).unwrap();
            let scan = inclusive_scan_by_key(&keys, &x, &mut y, Rejecting).launch();
            let scanned = scan.and_then(|()| device.synchronize()).unwrap_err();
            let reduced = reduce_by_key(&keys, &x, &mut firsts, &mut y, Rejecting).value().unwrap_err();
            for error in [scanned, reduced] {
                let Error::Fault { kind: FaultKind::Panic(message), .. } = &error else { panic!("{error:?}") };
                assert!(message.contains("seven"), "{message}");
            }
            // The next one is not affected.
            assert_eq!(reduce_by_key(&keys, &x, &mut firsts, &mut y, Plus).value().unwrap(), 1);
            assert_eq!(y.slice(..1).unwrap().to_host().unwrap(), [7]);
        }
    });
}
