//! The algorithms of a block with arrays of elements, in blocks of one to three dimensions, against loops on the host.

use std::cmp::Ordering;

use cumbia::algorithm::{
    Access, Arrangement, Ascending, Blocked, Descending, Direction, EvenBins, Function1, Function2, OwnBin, Plus,
    SortKey, Striped, Transposed, argsort, block_exchange, block_exclusive_scan_array, block_histogram,
    block_histogram_add, block_inclusive_scan_array, block_load, block_reduce_array, block_sort, block_sort_by_key,
    block_store, sort, sort_by_key, warp_exclusive_scan_array, warp_inclusive_scan_array, warp_reduce_array,
};
use cumbia::prelude::*;
use cumbia::{Error, FaultKind};

use crate::support::{Then, affine, bits, on_each_device, values};

/// Blocks of 32 to 1024 threads.
const BLOCKS: [(usize, usize, usize); 6] = [(32, 1, 1), (64, 1, 1), (8, 4, 3), (16, 16, 1), (32, 8, 2), (1024, 1, 1)];

fn threads(block: (usize, usize, usize)) -> usize {
    block.0 * block.1 * block.2
}

/// The number of threads of the block before this one.
#[device]
fn rank() -> usize {
    let (t, b) = (thread_idx(), block_dim());
    t.x + b.x * (t.y + b.y * t.z)
}

/// Reductions and scans of the tile of each block and of each warp, twice, so that shared memory is used again.
#[kernel(launch_bounds(1024))]
fn of_arrays<T: DeviceType, F: Function2<T, T, Output = T>, const N: usize>(
    operator: F,
    initial: T,
    x: &[T],
    totals: &mut [T],
    through: &mut [T],
    before: &mut [T],
) {
    let b = block_dim();
    let threads = b.x * b.y * b.z;
    let thread = block_idx().x * threads + rank();
    let mut own = [initial; N];
    for k in 0..N {
        own[k] = x[thread * N + k];
    }
    let n = x.len();
    for _ in 0..2 {
        totals[2 * thread] = block_reduce_array(own, operator);
        totals[2 * thread + 1] = warp_reduce_array(own, operator);
        let (a, c) = (block_inclusive_scan_array(own, operator), warp_inclusive_scan_array(own, operator));
        let (d, e) =
            (block_exclusive_scan_array(own, initial, operator), warp_exclusive_scan_array(own, initial, operator));
        for k in 0..N {
            let i = thread * N + k;
            through[i] = a[k];
            through[n + i] = c[k];
            before[i] = d[k];
            before[n + i] = e[k];
        }
    }
}

#[track_caller]
fn check_arrays<T: DeviceType + PartialEq, F: Function2<T, T, Output = T>, const N: usize>(
    device: &Device,
    block: (usize, usize, usize),
    initial: T,
    operator: F,
    of: impl Fn(usize) -> T,
) {
    let threads = threads(block);
    let n = 2 * threads * N;
    let x = values(n, of);
    let array = device.to_device(&x).unwrap();
    let [mut totals, mut through, mut before] =
        [4 * threads, 2 * n, 2 * n].map(|len| device.to_device(&vec![initial; len]).unwrap());
    of_arrays::<_, _, N>(operator, initial, &array, &mut totals, &mut through, &mut before)
        .grid(2)
        .block(block)
        .launch()
        .unwrap();
    let (totals, through, before) = (totals.to_host().unwrap(), through.to_host().unwrap(), before.to_host().unwrap());
    for (part, width) in [threads * N, 32 * N].into_iter().enumerate() {
        for (group, start) in x.chunks(width).zip((0..).step_by(width)) {
            let mut sum = None;
            let mut sum_before = initial;
            for (i, &v) in group.iter().enumerate() {
                assert!(before[part * n + start + i] == sum_before, "exclusive scan, {block:?}, {N} values");
                sum_before = operator.call(sum_before, v);
                let next = sum.map_or(v, |sum| operator.call(sum, v));
                assert!(through[part * n + start + i] == next, "inclusive scan, {block:?}, {N} values");
                sum = Some(next);
            }
            let is_total = |t: usize| totals[2 * t + part] == sum.unwrap();
            assert!((start / N..(start + width) / N).all(is_total), "reduction, {block:?}, {N} values");
        }
    }
}

#[test]
fn reductions_and_scans_of_arrays() {
    on_each_device(|device| {
        for block in BLOCKS {
            check_arrays::<_, _, 1>(device, block, affine(9), Then, affine);
            check_arrays::<_, _, 3>(device, block, affine(9), Then, affine);
        }
        check_arrays::<_, _, 8>(device, (8, 4, 3), affine(9), Then, affine);
        check_arrays::<_, _, 4>(device, (96, 1, 1), 5u64, Plus, |i| bits(i) >> 20);
    });
}

/// Loads tiles with one access, and stores them with another one of the same arrangement.
#[kernel(launch_bounds(1024))]
fn copied<T: DeviceType, A: Access, B: Access, const N: usize>(from: A, to: B, default: T, x: &[T], y: &mut [T]) {
    let b = block_dim();
    let first = block_idx().x * b.x * b.y * b.z * N;
    let own: [T; N] = block_load(&x[first.min(x.len())..], default, from);
    block_store(&mut y[first..], own, to);
}

/// Loads tiles without an exchange, and exchanges them. The bound limits the registers of a thread, as for all kernels here.
#[kernel(launch_bounds(1024))]
fn exchanged<T: DeviceType, A: Arrangement, B: Arrangement, const N: usize>(from: A, to: B, x: &[T], y: &mut [T]) {
    let b = block_dim();
    let threads = b.x * b.y * b.z;
    let mut own = [x[0]; N];
    for k in 0..N {
        own[k] = x[from.position(rank(), threads, k, N)];
    }
    own = block_exchange(block_exchange(own, from, from), from, to);
    for k in 0..N {
        y[to.position(rank(), threads, k, N)] = own[k];
    }
}

#[track_caller]
fn check_copies<T: DeviceType + PartialEq, A: Access, B: Access, const N: usize>(
    device: &Device,
    block: (usize, usize, usize),
    (from, to): (A, B),
    of: impl Fn(usize) -> T,
) {
    let tile = threads(block) * N;
    for n in [0, 1, tile - 1, tile, tile + 1, 2 * tile - N] {
        let (x, default) = (values(n, &of), of(tile + 7));
        let array = device.to_device(&x).unwrap();
        // The elements beyond the end are the default, and those beyond the tiles keep their values.
        let mut y = device.to_device(&vec![of(3); 2 * tile + 1]).unwrap();
        copied::<_, _, _, N>(from, to, default, &array, &mut y.slice_mut(..2 * tile).unwrap())
            .grid(2)
            .block(block)
            .launch()
            .unwrap();
        let mut expected = x;
        expected.resize(2 * tile, default);
        expected.push(of(3));
        assert!(y.to_host().unwrap() == expected, "{n} elements, {block:?}, {N} per thread");
        // Stores end with the array.
        let mut short = device.to_device(&vec![default; 2 * tile]).unwrap();
        let mut part = short.slice_mut(..=tile + N / 2).unwrap();
        copied::<_, _, _, N>(from, to, default, &array, &mut part).grid(2).block(block).launch().unwrap();
        expected.truncate(tile + N / 2 + 1);
        expected.resize(2 * tile, default);
        assert!(short.to_host().unwrap() == expected, "{n} elements, stored in part");
    }
}

#[track_caller]
fn check_exchange<T: DeviceType + PartialEq, const N: usize>(
    device: &Device,
    block: (usize, usize, usize),
    of: impl Fn(usize) -> T,
) {
    let x = values(threads(block) * N, of);
    let (array, mut y) = (device.to_device(&x).unwrap(), device.to_device(&x).unwrap());
    exchanged::<_, _, _, N>(Blocked, Striped, &array, &mut y).grid(1).block(block).launch().unwrap();
    assert!(y.to_host().unwrap() == x, "blocked to striped, {block:?}, {N} elements");
    exchanged::<_, _, _, N>(Striped, Blocked, &array, &mut y).grid(1).block(block).launch().unwrap();
    assert!(y.to_host().unwrap() == x, "striped to blocked, {block:?}, {N} elements");
}

#[test]
fn loads_stores_and_exchanges() {
    on_each_device(|device| {
        for block in [(32, 1, 1), (8, 4, 3), (256, 1, 1), (48, 1, 1)] {
            check_copies::<_, _, _, 4>(device, block, (Blocked, Blocked), |i| bits(i) as u32);
            check_copies::<_, _, _, 3>(device, block, (Striped, Striped), |i| bits(i) as u8);
            check_copies::<_, _, _, 4>(device, block, (Transposed, Blocked), |i| bits(i) as f32);
            check_copies::<_, _, _, 5>(device, block, (Blocked, Transposed), bits);
            check_copies::<_, _, _, 1>(device, block, (Transposed, Transposed), affine);
        }
        for block in BLOCKS {
            check_exchange::<_, 2>(device, block, |i| bits(i) as u16);
            check_exchange::<_, 4>(device, block, |i| bits(i) as u32);
            check_exchange::<_, 7>(device, block, bits);
            // In several rounds.
            check_exchange::<_, 16>(device, block, affine);
            check_exchange::<_, 3>(device, block, |i| [bits(i); 10]);
        }
    });
}

#[kernel(launch_bounds(1024))]
fn sorted<K: SortKey, D: Direction, const N: usize>(direction: D, x: &mut [K]) {
    let mut own = [x[0]; N];
    for k in 0..N {
        own[k] = x[rank() * N + k];
    }
    own = block_sort(own, direction);
    for k in 0..N {
        x[rank() * N + k] = own[k];
    }
}

#[kernel(launch_bounds(1024))]
fn sorted_pairs<K: SortKey, V: DeviceType, D: Direction, const N: usize>(direction: D, x: &mut [K], y: &mut [V]) {
    let (mut keys, mut values) = ([x[0]; N], [y[0]; N]);
    for k in 0..N {
        keys[k] = x[rank() * N + k];
        values[k] = y[rank() * N + k];
    }
    (keys, values) = block_sort_by_key(keys, values, direction);
    for k in 0..N {
        x[rank() * N + k] = keys[k];
        y[rank() * N + k] = values[k];
    }
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

#[track_caller]
fn check_sort<K: SortKey, D: Direction, const N: usize>(
    device: &Device,
    block: (usize, usize, usize),
    direction: D,
    order: impl Fn(&K, &K) -> Ordering,
    of: impl Fn(usize) -> K,
) {
    let n = threads(block) * N;
    let keys = values(n, of);
    let expected = order_of(&keys, D::IS_DESCENDING, &order);
    let mut x = device.to_device(&keys).unwrap();
    sorted::<_, _, N>(direction, &mut x).grid(1).block(block).launch().unwrap();
    let is_sorted = |found: Vec<K>| found.iter().zip(&expected).all(|(found, i)| order(found, &keys[*i]).is_eq());
    assert!(is_sorted(x.to_host().unwrap()), "{n} keys in {block:?}");
    x.copy_from_host(&keys).unwrap();
    let mut y = device.to_device(&values(n, |i| [i, 7])).unwrap();
    sorted_pairs::<_, _, _, N>(direction, &mut x, &mut y).grid(1).block(block).launch().unwrap();
    assert!(is_sorted(x.to_host().unwrap()), "{n} keys with values in {block:?}");
    assert!(y.to_host().unwrap().iter().zip(&expected).all(|(found, i)| *found == [*i, 7]), "values in {block:?}");
}

const SPECIAL: [f64; 10] =
    [f64::NAN, -f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 5e-324, -5e-324, 1.5, -2.0];

#[test]
fn sorts_in_a_block() {
    on_each_device(|device| {
        for block in BLOCKS {
            check_sort::<_, _, 1>(device, block, Ascending, Ord::cmp, |i| bits(i) as u32);
            check_sort::<_, _, 4>(device, block, Descending, Ord::cmp, |i| bits(i) as i16);
        }
        let block = (8, 4, 3);
        check_sort::<_, _, 5>(device, block, Ascending, f64::total_cmp, |i| SPECIAL[bits(i) as usize % 10]);
        check_sort::<_, _, 5>(device, block, Descending, f64::total_cmp, |i| SPECIAL[bits(i) as usize % 10]);
        check_sort::<_, _, 2>(device, block, Descending, f16::total_cmp, |i| f16::from_bits(bits(i) as u16));
        check_sort::<_, _, 2>(device, block, Ascending, bf16::total_cmp, |i| bf16::from_bits(bits(i) as u16));
        check_sort::<_, _, 3>(device, block, Ascending, Ord::cmp, |i| bits(i) as u8);
        check_sort::<_, _, 3>(device, block, Descending, Ord::cmp, |i| bits(i) as i8);
        check_sort::<_, _, 3>(device, block, Ascending, Ord::cmp, |i| bits(i) as i64);
        for of in [|_| 7, |i| i as u32, |i| u32::MAX - i as u32, |i| bits(i) as u32 % 3, |i| (bits(i) as u32) << 24] {
            check_sort::<_, _, 4>(device, (64, 1, 1), Ascending, Ord::cmp, of);
        }
    });
}

/// Counts the samples of two tiles in shared memory of a constant size, and stores the counts.
#[kernel(launch_bounds(1024))]
fn counted<T: DeviceType, F: Function1<T, Output = usize>, const N: usize, const BINS: usize>(
    bin: F,
    outside: T,
    x: &[T],
    y: &mut [u32],
) {
    let mut counts = shared::<[u32; BINS]>();
    let b = block_dim();
    let tile = b.x * b.y * b.z * N;
    let own: [T; N] = block_load(&x[..], outside, Striped);
    block_histogram(own, bin, &mut counts[..]);
    for i in (rank()..BINS).step_by(tile / N) {
        y[i] = counts[i];
    }
    block_histogram(own, bin, &mut counts[..]);
    let own: [T; N] = block_load(&x[tile.min(x.len())..], outside, Blocked);
    block_histogram_add(own, bin, &mut counts[..]);
    for i in (rank()..BINS).step_by(tile / N) {
        y[BINS + i] = counts[i];
    }
}

#[test]
fn histograms_of_a_block() {
    on_each_device(|device| {
        for block in BLOCKS {
            let tile = 4 * threads(block);
            for n in [0, 1, tile - 1, tile, tile + 1, 2 * tile] {
                let x = values(n, |i| (bits(i) % 300) as u16);
                let (array, mut y) = (device.to_device(&x).unwrap(), device.zeros(600).unwrap());
                counted::<_, _, 4, 300>(OwnBin, u16::MAX, &array, &mut y).grid(1).block(block).launch().unwrap();
                let mut expected = vec![0; 600];
                for (i, v) in x.iter().enumerate() {
                    expected[usize::from(*v) + 300] += 1;
                    if i < tile {
                        expected[usize::from(*v)] += 1;
                    }
                }
                assert!(y.to_host().unwrap() == expected, "{n} samples in {block:?}");
            }
        }
        let x = values(500, |i| (bits(i) % 12) as f32 / 10.0);
        let bins = EvenBins::new(0.0..1.0, 7).unwrap();
        let (array, mut y) = (device.to_device(&x).unwrap(), device.zeros(14).unwrap());
        counted::<_, _, 8, 7>(bins, f32::NAN, &array, &mut y).grid(1).block((16, 4, 1)).launch().unwrap();
        let mut expected = vec![0; 7];
        x.iter().map(|v| bins.call(*v)).filter(|bin| *bin < 7).for_each(|bin| expected[bin] += 1);
        assert_eq!(y.slice(..7).unwrap().to_host().unwrap(), expected);
    });
}

#[test]
fn blocks_of_parts_of_warps_are_faults() {
    on_each_device(|device| {
        let mut x = device.to_device(&[5u32; 96]).unwrap();
        for block in [(48, 1, 1), (5, 3, 2)] {
            let result = sorted::<_, _, 2>(Ascending, &mut x).grid(1).block(block).launch();
            let error = result.and_then(|()| device.synchronize()).unwrap_err();
            let Error::Fault { kind: FaultKind::Panic(message), .. } = error else { panic!("{error}") };
            assert!(message.contains("is not a whole number of warps of 32 threads"), "{message}");
        }
    });
}

/// The lengths around those at which a single block sorts in one launch, with the results of the other launches.
#[test]
fn small_arrays() {
    #[track_caller]
    fn check<K: SortKey, V: DeviceType + PartialEq>(
        device: &Device,
        lengths: &[usize],
        order: impl Fn(&K, &K) -> Ordering,
        of: impl Fn(usize) -> K,
        value: impl Fn(usize) -> V,
    ) {
        for &n in lengths {
            let keys = values(n, &of);
            let is_descending = n % 2 == 1;
            let expected = order_of(&keys, is_descending, &order);
            let is_sorted =
                |found: Vec<K>| found.iter().zip(&expected).all(|(found, i)| order(found, &keys[*i]).is_eq());
            let (mut x, mut y) = (device.to_device(&keys).unwrap(), device.to_device(&values(n, &value)).unwrap());
            let mut indices = device.zeros::<u32>(n).unwrap();
            let order = argsort(&x, &mut indices);
            if is_descending { order.descending() } else { order }.launch().unwrap();
            assert!(indices.to_host().unwrap().iter().zip(&expected).all(|(a, b)| *a as usize == *b), "{n} indices");
            let pairs = sort_by_key(&mut x, &mut y);
            if is_descending { pairs.descending() } else { pairs }.launch().unwrap();
            assert!(is_sorted(x.to_host().unwrap()), "{n} keys with values");
            assert!(y.to_host().unwrap().iter().zip(&expected).all(|(a, b)| *a == value(*b)), "{n} values");
            x.copy_from_host(&keys).unwrap();
            let alone = sort(&mut x);
            if is_descending { alone.descending() } else { alone }.launch().unwrap();
            assert!(is_sorted(x.to_host().unwrap()), "{n} keys");
        }
    }
    on_each_device(|device| {
        let narrow = [2, 31, 33, 1023, 1024, 1025, 4095, 4096, 4097];
        check(device, &narrow, Ord::cmp, |i| bits(i) as u32, |i| i as u16);
        check(device, &[1, 1024, 4096], Ord::cmp, |i| bits(i) as i8, |i| [i as u32; 4]);
        check(device, &[513, 2047, 2048, 2049], f64::total_cmp, |i| SPECIAL[bits(i) as usize % 10], |i| i);
        // The greatest keys are equal to the elements beyond the end, and values of 20 bytes are sorted by several launches.
        check(device, &[700, 3000], Ord::cmp, |i| if i % 3 == 0 { u8::MAX } else { 0 }, |i| [i as u32; 5]);
        for of in [|_| 7, |i| i as u64, |i| u64::MAX - i as u64, |i| bits(i) << 40] {
            check(device, &[1500], Ord::cmp, of, |i| i as u32);
        }
    });
}
