//! Sorts at sizes around all boundaries of tiles, with all types of keys, against the stable sort of the standard library.

use std::cmp::Ordering;

use cumbia::algorithm::{SortKey, argsort, segmented_sort, sort, sort_by_key, sort_by_key_into, sort_into, top_k};
use cumbia::prelude::*;
use cumbia::{Error, FaultKind, Graph};

use crate::support::{bits, on_each_device, on_gpu, values, wrong_length};

/// The number of elements of a tile: of keys and values of 4 bytes, and of values of 16 bytes.
const TILE: usize = 384 * 24;
const TILE_OF_16: usize = 384 * 6;

/// A value of 20 bytes, which is not written through shared memory.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
struct Wide {
    parts: [u32; 5],
}

/// The order in which a stable sort leaves the keys.
fn order_of<K>(keys: &[K], is_descending: bool, order: impl Fn(&K, &K) -> Ordering) -> Vec<usize> {
    let mut expected: Vec<usize> = (0..keys.len()).collect();
    expected.sort_by(|a, b| {
        let order = order(&keys[*a], &keys[*b]);
        if is_descending { order.reverse() } else { order }
    });
    expected
}

/// Sorts the keys with values, in launches of at most so many tiles: in place, and into other arrays.
#[track_caller]
fn check<K: SortKey, V: DeviceType + PartialEq>(
    device: &Device,
    keys: &[K],
    is_descending: bool,
    tiles: usize,
    order: impl Fn(&K, &K) -> Ordering,
    value: impl Fn(usize) -> V,
) {
    let n = keys.len();
    let expected = order_of(keys, is_descending, &order);
    let (mut x, mut y) = (device.to_device(keys).unwrap(), device.to_device(&values(n, &value)).unwrap());
    let (mut sorted_x, mut sorted_y) = (device.to_device(keys).unwrap(), device.to_device(&values(n, &value)).unwrap());
    let sorts = sort_by_key_into(&x, &y, &mut sorted_x, &mut sorted_y).in_launches_of(tiles);
    if is_descending { sorts.descending() } else { sorts }.launch().unwrap();
    // The inputs are as before: their sort in place has the same results.
    let sorts = sort_by_key(&mut x, &mut y).in_launches_of(tiles);
    if is_descending { sorts.descending() } else { sorts }.launch().unwrap();
    for (x, y) in [(sorted_x, sorted_y), (x, y)] {
        let (keys_found, values_found) = (x.to_host().unwrap(), y.to_host().unwrap());
        // Floats are compared by `total_cmp`.
        assert!(keys_found.iter().zip(&expected).all(|(a, b)| order(a, &keys[*b]).is_eq()), "{n} keys");
        assert!(values_found.iter().zip(&expected).all(|(a, b)| *a == value(*b)), "the values of {n} keys");
    }
}

#[track_caller]
fn check_alone<K: SortKey>(device: &Device, keys: &[K], is_descending: bool, order: impl Fn(&K, &K) -> Ordering) {
    let expected = order_of(keys, is_descending, &order);
    let (mut x, mut sorted) = (device.to_device(keys).unwrap(), device.to_device(keys).unwrap());
    let sorts = sort_into(&x, &mut sorted);
    if is_descending { sorts.descending() } else { sorts }.launch().unwrap();
    assert!(x.to_host().unwrap().iter().zip(keys).all(|(a, b)| order(a, b).is_eq()), "the input is not written");
    if is_descending { sort(&mut x).descending() } else { sort(&mut x) }.launch().unwrap();
    for x in [sorted, x] {
        let is_same = x.to_host().unwrap().iter().zip(&expected).all(|(a, b)| order(a, &keys[*b]).is_eq());
        assert!(is_same, "{} keys", keys.len());
    }
}

/// A number of launches that no test exceeds.
const ONE: usize = 1 << 20;

#[test]
fn sizes() {
    on_each_device(|device| {
        let value = |i| [i as u32; 4];
        for n in [0, 1, 2, 31, 32, 33, TILE_OF_16 - 1, TILE_OF_16, TILE_OF_16 + 1] {
            check(device, &values(n, |i| bits(i) as u8), n == 33, ONE, Ord::cmp, value);
        }
        // Several launches for each pass.
        check(device, &values(3 * TILE_OF_16 + 5, |i| bits(i) as u8), false, 2, Ord::cmp, value);
        let n = if device.is_cpu() { 100 } else { 5 * TILE_OF_16 };
        check(device, &values(n, |i| bits(i) as i64), false, 2, Ord::cmp, |i| [i; 2]);
    });
}

/// All equal, sorted, reversed, few distinct, and one digit.
#[test]
fn distributions() {
    on_each_device(|device| {
        let n = if device.is_cpu() { 1000 } else { 3 * TILE };
        for of in [|_| 7, |i| i as u32, |i| u32::MAX - i as u32, |i| bits(i) as u32 % 3, |i| (bits(i) as u32) << 24] {
            check(device, &values(n, of), false, ONE, Ord::cmp, |i| i as u32);
            check_alone(device, &values(n, of), true, Ord::cmp);
        }
    });
}

#[test]
fn types_of_keys_and_values() {
    on_each_device(|device| {
        let n = 200;
        for is_descending in [false, true] {
            let integers = values(n, |i| bits(i) as i32 >> 24);
            check(device, &integers, is_descending, ONE, Ord::cmp, |i| Wide { parts: [i as u32; 5] });
            let special =
                [f64::NAN, -f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 5e-324, -5e-324, 1.5, -2.0];
            let floats = values(n, |i| special[bits(i) as usize % 10]);
            check(device, &floats, is_descending, ONE, f64::total_cmp, |i| i as u8);
            check_alone(device, &values(n, |i| f16::from_bits(bits(i) as u16)), is_descending, f16::total_cmp);
        }
    });
}

#[test]
fn indices_slices_streams_and_repetitions() {
    on_each_device(|device| {
        let x = values(500, |i| (bits(i) % 50) as f32 - 25.0);
        let array = device.to_device(&x).unwrap();
        let stream = device.stream().unwrap();
        let mut order = device.zeros::<u16>(200).unwrap();
        argsort(&array.slice(150..350).unwrap(), &mut order).descending().on(&stream).launch().unwrap();
        let expected = order_of(&x[150..350], true, f32::total_cmp);
        assert!(order.to_host().unwrap().iter().zip(&expected).all(|(a, b)| usize::from(*a) == *b));

        let mut bytes = device.to_device(&values(1000, |i| bits(i) as u8)).unwrap();
        let mut part = bytes.slice_mut(1..999).unwrap();
        let mut again = sort(&mut part).on(&stream).prepare().unwrap();
        for round in 1..4 {
            let mut expected = values(998, |i| bits(round * i) as u8);
            again.keys_mut().copy_from_host(&expected).unwrap();
            again.launch().unwrap();
            expected.sort_unstable();
            assert_eq!(again.keys_mut().to_host().unwrap(), expected);
        }
        assert_eq!(again.temporary_bytes(), 0);
        assert_eq!(bytes.slice(..1).unwrap().to_host().unwrap(), [bits(0) as u8]);

        let (mut long, mut short) = (device.zeros::<i32>(5).unwrap(), device.zeros::<Wide>(4).unwrap());
        let error = sort_by_key(&mut long, &mut short).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("sort_by_key", "values", 4));
        let error = argsort(&array, &mut device.zeros::<u16>(2000).unwrap()).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("argsort", "indices", 2000));
    });
}

/// Every second key with every second value, or with contiguous ones; a single one, and none.
#[test]
fn strided_keys_and_values_into_other_arrays() {
    on_each_device(|device| {
        for n in [0, 1, 700, 5000] {
            let (keys, numbers) = (values(2 * n, |i| bits(i) as u8), values(2 * n, |i| i as u16));
            let (x, y) = (device.to_device(&keys).unwrap(), device.to_device(&numbers).unwrap());
            let (mut sorted_x, mut sorted_y) = (device.zeros::<u8>(n).unwrap(), device.zeros::<u16>(n).unwrap());
            let odd = x.reshape(2 * n).unwrap().slice(n.min(1)..).unwrap().step(2).unwrap();
            let even = y.reshape(2 * n).unwrap().step(2).unwrap();
            let picked = values(n, |i| keys[2 * i + 1]);
            let order = order_of(&picked, false, Ord::cmp);
            let expected: Vec<u8> = order.iter().map(|i| picked[*i]).collect();
            sort_into(&odd, &mut sorted_x).launch().unwrap();
            assert!(sorted_x.to_host().unwrap() == expected, "{n}");
            sorted_x.fill(0).unwrap();
            let mut both = sort_by_key_into(&odd, &even, &mut sorted_x, &mut sorted_y).prepare().unwrap();
            for _ in 0..2 {
                both.launch().unwrap();
                assert!(both.keys_mut().to_host().unwrap() == expected, "{n}");
            }
            assert!(sorted_y.to_host().unwrap() == order.iter().map(|i| 2 * *i as u16).collect::<Vec<_>>(), "{n}");
            let first = y.slice(..n).unwrap();
            sort_by_key_into(&odd, &first, &mut sorted_x, &mut sorted_y).launch().unwrap();
            assert!(sorted_y.to_host().unwrap() == order.iter().map(|i| *i as u16).collect::<Vec<_>>(), "{n}");
        }
        let x = device.zeros::<i32>(5).unwrap();
        let (mut five, mut four) = (device.zeros::<i32>(5).unwrap(), device.zeros::<i32>(4).unwrap());
        let error = sort_into(&x, &mut four).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("sort_into", "sorted", 4));
        let error = sort_by_key_into(&x, &x.slice(1..).unwrap(), &mut five, &mut four).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("sort_by_key_into", "values", 4));
        let error = sort_by_key_into(&x, &x, &mut five, &mut four).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("sort_by_key_into", "sorted_values", 4));
        let error = sort_by_key_into(&x, &x, &mut four, &mut five).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("sort_by_key_into", "sorted_keys", 4));
    });
}

/// The greatest and the least elements, with the first of equal ones.
#[test]
fn greatest_elements() {
    on_each_device(|device| {
        let special = [f32::NAN, -f32::NAN, -0.0, 0.0, f32::INFINITY, 2.5, -2.5];
        let mut memory = None;
        for (n, k) in [(0, 0), (1, 1), (7, 0), (7, 7), (300, 33), (3000, 1000)] {
            let x = values(n, |i| special[bits(i) as usize % 7]);
            let array = device.to_device(&x).unwrap();
            let (mut y, mut indices) = (device.zeros::<f32>(k).unwrap(), device.zeros::<u16>(k).unwrap());
            for is_least in [false, true] {
                let top = top_k(&array, &mut y, &mut indices);
                let top = if is_least { top.least() } else { top };
                let mut found = top.memory().unwrap();
                let memory = memory.get_or_insert(found);
                top.prepare_in(memory).unwrap().launch().unwrap();
                found = top_k(&array, &mut y, &mut indices).memory().unwrap();
                assert!(found.bytes() <= memory.bytes());
                let expected = &order_of(&x, !is_least, f32::total_cmp)[..k];
                let found: Vec<usize> = indices.to_host().unwrap().into_iter().map(usize::from).collect();
                assert_eq!(found, expected, "{k} of {n}");
                assert!(y.to_host().unwrap().iter().zip(expected).all(|(a, b)| a.to_bits() == x[*b].to_bits()));
            }
        }
        let x = device.zeros::<i64>(300).unwrap();
        let (mut y, mut indices) = (device.zeros::<i64>(9).unwrap(), device.zeros::<u16>(9).unwrap());
        let mut few = device.zeros::<u8>(9).unwrap();
        let error = top_k(&x.slice(..8).unwrap(), &mut y, &mut indices).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("top_k", "y", 9));
        let error = top_k(&x, &mut y, &mut indices.slice_mut(1..).unwrap()).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("top_k", "indices", 8));
        let error = top_k(&x, &mut y, &mut few).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("top_k", "x", 300));
    });
}

/// Segments of all lengths, among them empty ones, and elements that are in none.
#[test]
fn segments() {
    on_each_device(|device| {
        let stream = device.stream().unwrap();
        let mut memory = None;
        for (n, offsets) in [
            (0, vec![0u32]),
            (0, vec![0, 0, 0]),
            (1, vec![0, 1]),
            (300, vec![300]),
            (300, vec![7, 7, 8, 40, 40, 290]),
            (3000, vec![0, 1, 3, 2500, 3000]),
            (2000, (0..=1000).map(|s| 2 * s).collect()),
        ] {
            let host = values(n, |i| bits(i) as i16);
            let places = device.to_device(&offsets).unwrap();
            for is_descending in [false, true] {
                let mut keys = device.to_device(&host).unwrap();
                let sorts = segmented_sort(&mut keys, &places).on(&stream);
                let sorts = if is_descending { sorts.descending() } else { sorts };
                let new = sorts.memory().unwrap();
                let mut prepared = sorts.prepare_in(memory.get_or_insert(new)).unwrap();
                prepared.launch().unwrap();
                prepared.launch().unwrap();
                let mut expected = host.clone();
                for pair in offsets.windows(2) {
                    let segment = &mut expected[pair[0] as usize..pair[1] as usize];
                    segment.sort_unstable();
                    if is_descending {
                        segment.reverse();
                    }
                }
                assert!(keys.to_host().unwrap() == expected, "{n} in {} segments", offsets.len() - 1);
            }
        }
        let mut keys = device.zeros::<f32>(10).unwrap();
        let none = device.zeros::<u64>(0).unwrap();
        let error = segmented_sort(&mut keys, &none).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("segmented_sort", "offsets", 0));
        for wrong in [&[0i32, 5, 4][..], &[0, 5, 11], &[-1, 5, 10], &[11], &[-5]] {
            let wrong = device.to_device(wrong).unwrap();
            let sorted = segmented_sort(&mut keys, &wrong).launch().and_then(|()| device.synchronize());
            let Err(Error::Fault { kind: FaultKind::Panic(message), .. }) = sorted else { panic!("{sorted:?}") };
            let (segment, offset) = ("segmented_sort: segment ", "segmented_sort: offsets[");
            assert!(message.starts_with(segment) || message.starts_with(offset), "{message}");
        }
    });
}

/// An enum without a variant of discriminant 0, of which no array of zeros exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeviceType)]
#[repr(u8)]
enum Suit {
    Hearts = 3,
    Spades = 7,
}

#[test]
fn values_without_zeros() {
    on_each_device(|device| {
        let mut keys = device.to_device(&[2u8, 1, 3]).unwrap();
        let mut suits = device.to_device(&[Suit::Hearts, Suit::Spades, Suit::Hearts]).unwrap();
        sort_by_key(&mut keys, &mut suits).launch().unwrap();
        assert_eq!(suits.to_host().unwrap(), [Suit::Spades, Suit::Hearts, Suit::Hearts]);
    });
}

/// A launch in the recording of a graph precedes the steps of the graph, and another one follows them.
#[test]
fn launches_beside_a_graph_with_the_same_memory() {
    on_each_device(|device| {
        let n = 3 * 8192 + 5;
        let shuffled = values(n, |i| bits(i) as u8);
        let mut expected = shuffled.clone();
        expected.sort_unstable();
        let mut keys = device.to_device(&shuffled).unwrap();
        let mut memory = sort(&mut keys).memory().unwrap();
        let mut graph = Graph::new(&device.stream().unwrap());
        for _ in 0..2 {
            keys.copy_from_host(&shuffled).unwrap();
            graph
                .run(|g| {
                    let mut sorted = sort(&mut keys).prepare_in(&mut memory)?;
                    sorted.record(g)?;
                    sorted.launch()
                })
                .unwrap();
            assert!(keys.to_host().unwrap() == expected);
            keys.copy_from_host(&shuffled).unwrap();
            sort(&mut keys).prepare_in(&mut memory).unwrap().launch().unwrap();
            assert!(keys.to_host().unwrap() == expected);
        }
    });
}

/// Sizes of many tiles, and two sorts at once.
#[test]
fn large_arrays_and_concurrent_sorts() {
    on_gpu(|device| {
        for n in [TILE - 1, TILE, TILE + 1, 100 * TILE - 1, 100 * TILE, 1_000_003, 20_000_000] {
            check(device, &values(n, |i| bits(i) as u32), false, ONE, Ord::cmp, |i| i as u32);
            check(device, &values(n, |i| bits(i) as u32 % 5), false, 7, Ord::cmp, |i| i as u32);
            check(device, &values(n, |i| bits(i) as i64), true, ONE, Ord::cmp, |i| [i; 2]);
        }
        let streams = [device.stream().unwrap(), device.stream().unwrap()];
        let x = values(3_000_000, |i| bits(i) as u32);
        let mut expected = x.clone();
        expected.sort_unstable();
        let mut arrays = [0, 1].map(|_| device.to_device(&x).unwrap());
        let [a, b] = &mut arrays;
        let mut sorts = [sort(a).on(&streams[0]).prepare().unwrap(), sort(b).on(&streams[1]).prepare().unwrap()];
        for _ in 0..50 {
            for sort in &mut sorts {
                sort.launch().unwrap();
            }
        }
        for sort in &mut sorts {
            assert!(sort.keys_mut().to_host().unwrap() == expected);
        }
    });
}
