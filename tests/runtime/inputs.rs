//! Strided views as the inputs of algorithms, against contiguous copies of their elements, and algorithms in place.

use cumbia::algorithm::{
    EvenBins, Function1, Maximum, OwnBin, Plus, Times, argmax, argmin, argsort, count, device_fn, exclusive_scan,
    exclusive_scan_by_key, exclusive_scan_in_place, gather, histogram, inclusive_scan, inclusive_scan_by_key,
    inclusive_scan_in_place, iota, layer_norm_rows, min_max, partition, reduce, reduce_by_key, run_length_encode,
    scatter, segmented_reduce, segmented_sort, select, top_k, transform, transform_in_place, transform_reduce2,
    transform2, transform2_in_place, transform3, unique,
};
use cumbia::prelude::*;
use cumbia::{ArrayView1, DeviceSlice, Graph};

use crate::support::{Affine, Joined, Then, affine, bits, on_each_device, values, wide, wrong_length};

/// Lengths around those of tiles and chunks.
const LENGTHS: [usize; 11] = [0, 1, 31, 33, 255, 257, 1279, 1281, 4095, 4096, 9733];

/// Whether a number is even.
#[derive(Clone, Copy, DeviceType)]
struct Even;

#[device]
impl Function1<u32> for Even {
    type Output = bool;

    fn call(self, a: u32) -> bool {
        a % 2 == 0
    }
}

/// The elements of a column of a matrix on the device, and of an array with the same elements.
struct Twice<T> {
    matrix: DeviceArray<T>,
    column: DeviceArray<T>,
    columns: usize,
}

impl<T: DeviceType> Twice<T> {
    fn new(device: &Device, len: usize, columns: usize, of: impl Fn(usize) -> T) -> Self {
        let host = values(len * columns, of);
        let column = values(len, |i| host[i * columns + columns - 1]);
        Twice { matrix: device.to_device(&host).unwrap(), column: device.to_device(&column).unwrap(), columns }
    }

    fn view(&self) -> ArrayView1<'_, T> {
        let shape = (self.column.len(), self.columns);
        self.matrix.reshape(shape).unwrap().column(self.columns - 1).unwrap()
    }

    fn slice(&self) -> DeviceSlice<'_, T> {
        self.column.as_slice()
    }
}

/// Returns whether two arrays have the same elements up to `len`.
fn same<T: DeviceType + PartialEq>(a: &DeviceArray<T>, b: &DeviceArray<T>, len: usize) -> bool {
    a.slice(..len).unwrap().to_host().unwrap() == b.slice(..len).unwrap().to_host().unwrap()
}

#[test]
fn reductions_and_scans_of_views() {
    on_each_device(|device| {
        for n in LENGTHS {
            let x = Twice::new(device, n, 3, |i| bits(i) as f32 / 1e18);
            let other = Twice::new(device, n, 2, |i| bits(i + 7) as f32 / 1e18);
            assert_eq!(x.view().strides(), [3]);
            let of = |value: f32| value.to_bits();
            let sums = [reduce(&x.view(), 0.5, Plus).value().unwrap(), reduce(&x.slice(), 0.5, Plus).value().unwrap()];
            assert_eq!(of(sums[0]), of(sums[1]), "{n}");
            // Both strided, and one of them.
            let product = transform_reduce2(&x.slice(), &other.slice(), Times, 0.0, Plus).value().unwrap();
            let strided = transform_reduce2(&x.view(), &other.view(), Times, 0.0, Plus).value().unwrap();
            assert_eq!(of(strided), of(product), "{n}");
            let mixed = transform_reduce2(&x.slice(), &other.view(), Times, 0.0, Plus).value().unwrap();
            assert_eq!(of(mixed), of(product), "{n}");
            assert_eq!(of(x.view().dot(&other.slice()).unwrap()), of(product), "{n}");
            assert_eq!(argmax(&x.view()).value().unwrap(), argmax(&x.slice()).value().unwrap(), "{n}");
            assert_eq!(argmin(&x.view()).value().unwrap(), argmin(&x.slice()).value().unwrap(), "{n}");
            assert_eq!(min_max(&x.view()).value().unwrap(), min_max(&x.slice()).value().unwrap(), "{n}");
            let (mut y, mut z) = (device.zeros(n).unwrap(), device.zeros(n).unwrap());
            inclusive_scan(&x.view(), &mut y, Plus).launch().unwrap();
            inclusive_scan(&x.slice(), &mut z, Plus).launch().unwrap();
            assert!(same(&y, &z, n), "{n}");
            x.view().cumsum(&mut z).unwrap();
            assert!(same(&y, &z, n), "{n}");

            let x = Twice::new(device, n, 2, affine);
            let one = Affine { a: 3, b: 5 };
            let found = reduce(&x.view(), one, Then).value().unwrap();
            assert!(found == reduce(&x.slice(), one, Then).value().unwrap(), "{n}");
            let [mut y, mut z] = [0, 1].map(|_| device.to_device(&vec![one; n]).unwrap());
            exclusive_scan(&x.view(), &mut y, one, Then).launch().unwrap();
            exclusive_scan(&x.slice(), &mut z, one, Then).launch().unwrap();
            assert!(same(&y, &z, n), "{n}");
        }
        let lines = Twice::new(device, 600, 5, wide);
        let first = wide(9);
        assert!(
            reduce(&lines.view(), first, Joined).value().unwrap()
                == reduce(&lines.slice(), first, Joined).value().unwrap()
        );
    });
}

#[test]
fn transformations_of_views() {
    on_each_device(|device| {
        for n in LENGTHS {
            let x = Twice::new(device, n, 4, |i| bits(i) as u32 >> 8);
            let other = Twice::new(device, n, 2, |i| bits(i + 5) as u32 >> 8);
            let (mut y, mut z) = (device.zeros(n).unwrap(), device.zeros(n).unwrap());
            let doubled = device_fn!(|a: u32| -> u32 { 2 * a });
            transform(&x.view(), &mut y, doubled).launch().unwrap();
            transform(&x.slice(), &mut z, doubled).launch().unwrap();
            assert!(same(&y, &z, n), "{n}");
            transform2(&x.view(), &other.slice(), &mut y, Plus).launch().unwrap();
            transform2(&x.slice(), &other.view(), &mut z, Plus).launch().unwrap();
            assert!(same(&y, &z, n), "{n}");
            let sum = device_fn!(|a: u32, b: u32, c: u32| -> u32 { a + 3 * b + c });
            transform3(&x.view(), &other.view(), &x.slice(), &mut y, sum).launch().unwrap();
            transform3(&x.slice(), &other.slice(), &x.view(), &mut z, sum).launch().unwrap();
            assert!(same(&y, &z, n), "{n}");

            let bytes = Twice::new(device, n, 3, |i| bits(i) as u8);
            let (mut counts, mut expected) = (device.zeros::<u32>(256).unwrap(), device.zeros::<u32>(256).unwrap());
            histogram(&bytes.view(), &mut counts, OwnBin).launch().unwrap();
            histogram(&bytes.slice(), &mut expected, OwnBin).launch().unwrap();
            assert!(same(&counts, &expected, 256), "{n}");
            assert_eq!(counts.sum().unwrap() as usize, n);

            // A permutation, at every second place.
            let at = Twice::new(device, n, 2, |i| if i % 2 == 1 { (n - 1 - i / 2) as u32 } else { u32::MAX });
            gather(&x.view(), &at.view(), &mut y).launch().unwrap();
            gather(&x.slice(), &at.slice(), &mut z).launch().unwrap();
            assert!(same(&y, &z, n), "{n}");
            scatter(&x.view(), &at.view(), &mut z).launch().unwrap();
            assert!(same(&y, &z, n), "{n}: a permutation that is its own inverse");
        }
        let x = Twice::new(device, 5000, 2, |i| bits(i) as f64 / 2f64.powi(64));
        let (mut counts, mut expected) = (device.zeros::<u64>(9).unwrap(), device.zeros::<u64>(9).unwrap());
        let bins = EvenBins::new(0.0..1.0, 9).unwrap();
        histogram(&x.view(), &mut counts, bins).launch().unwrap();
        histogram(&x.slice(), &mut expected, bins).launch().unwrap();
        assert!(same(&counts, &expected, 9));
    });
}

#[test]
fn selections_and_runs_of_views() {
    on_each_device(|device| {
        for n in LENGTHS {
            let keys = Twice::new(device, n, 3, |i| (bits(i / 12) % 5) as u32);
            let x = Twice::new(device, n, 2, |i| bits(i) as u32 >> 16);
            let [mut y, mut z, mut rest, mut others] = [0; 4].map(|_| device.zeros::<u32>(n).unwrap());
            let found = select(&x.view(), &mut y, Even).value().unwrap();
            assert_eq!(select(&x.slice(), &mut z, Even).value().unwrap(), found, "{n}");
            assert_eq!(count(&x.view(), Even).value().unwrap() as usize, found, "{n}");
            assert!(same(&y, &z, found), "{n}");
            assert_eq!(partition(&x.view(), &mut y, &mut rest, Even).value().unwrap(), found, "{n}");
            partition(&x.slice(), &mut z, &mut others, Even).value().unwrap();
            assert!(same(&y, &z, found) && same(&rest, &others, n - found), "{n}");
            let runs = unique(&keys.view(), &mut y).value().unwrap();
            assert_eq!(unique(&keys.slice(), &mut z).value().unwrap(), runs, "{n}");
            assert!(same(&y, &z, runs), "{n}");
            assert_eq!(run_length_encode(&keys.view(), &mut y, &mut rest).value().unwrap(), runs, "{n}");
            run_length_encode(&keys.slice(), &mut z, &mut others).value().unwrap();
            assert!(same(&y, &z, runs) && same(&rest, &others, runs), "{n}");
            // Keys that are contiguous, with values that are not, and the reverse.
            assert_eq!(reduce_by_key(&keys.slice(), &x.view(), &mut y, &mut rest, Plus).value().unwrap(), runs, "{n}");
            reduce_by_key(&keys.view(), &x.slice(), &mut z, &mut others, Plus).value().unwrap();
            assert!(same(&y, &z, runs) && same(&rest, &others, runs), "{n}");
            inclusive_scan_by_key(&keys.view(), &x.view(), &mut y, Plus).launch().unwrap();
            inclusive_scan_by_key(&keys.slice(), &x.slice(), &mut z, Plus).launch().unwrap();
            assert!(same(&y, &z, n), "{n}");
            exclusive_scan_by_key(&keys.view(), &x.slice(), &mut y, 3, Plus).launch().unwrap();
            exclusive_scan_by_key(&keys.slice(), &x.view(), &mut z, 3, Plus).launch().unwrap();
            assert!(same(&y, &z, n), "{n}");
        }
    });
}

#[test]
fn sorts_segments_and_rows_of_views() {
    on_each_device(|device| {
        // Short arrays are sorted by a single block.
        for n in [0, 1, 300, 4096, 5000, 20_000] {
            let x = Twice::new(device, n, 3, |i| (bits(i) % 1000) as f32 - 500.0);
            let [mut order, mut expected] = [0; 2].map(|_| device.zeros::<u32>(n).unwrap());
            argsort(&x.view(), &mut order).launch().unwrap();
            argsort(&x.slice(), &mut expected).launch().unwrap();
            assert!(same(&order, &expected, n), "{n}");
            let few = n.min(10);
            let [mut y, mut z] = [0; 2].map(|_| device.zeros::<f32>(few).unwrap());
            top_k(&x.view(), &mut y, &mut order.slice_mut(..few).unwrap()).launch().unwrap();
            top_k(&x.slice(), &mut z, &mut expected.slice_mut(..few).unwrap()).launch().unwrap();
            assert!(same(&order, &expected, few) && same(&y, &z, few), "{n}");
        }
        let n = 5000;
        let x = Twice::new(device, n, 2, |i| bits(i) as u32 >> 16);
        let offsets = Twice::new(device, 5, 2, |i| [0u32, 7, 7, 3000, 5000][i / 2]);
        let [mut y, mut z] = [0; 2].map(|_| device.zeros::<u32>(4).unwrap());
        segmented_reduce(&x.view(), &offsets.view(), &mut y, 1, Plus).launch().unwrap();
        segmented_reduce(&x.slice(), &offsets.slice(), &mut z, 1, Plus).launch().unwrap();
        assert!(same(&y, &z, 4));
        let [mut y, mut z] = [0; 2].map(|_| x.column.to_device(device).unwrap());
        segmented_sort(&mut y, &offsets.view()).launch().unwrap();
        segmented_sort(&mut z, &offsets.slice()).launch().unwrap();
        assert!(same(&y, &z, n));

        let (rows, columns) = (3, 70);
        let matrix = device.to_device(&values(rows * columns, |i| bits(i) as f32 / 1e18)).unwrap();
        let matrix = matrix.reshape((rows, columns)).unwrap();
        let gamma = Twice::new(device, columns, 2, |i| i as f32);
        let [mut y, mut z] = [0; 2].map(|_| device.zeros::<f32>(rows * columns).unwrap());
        let to = y.reshape_mut((rows, columns)).unwrap();
        layer_norm_rows(matrix, &gamma.view(), &gamma.slice(), 1e-5, to).launch().unwrap();
        let to = z.reshape_mut((rows, columns)).unwrap();
        layer_norm_rows(matrix, &gamma.slice(), &gamma.view(), 1e-5, to).launch().unwrap();
        assert!(same(&y, &z, rows * columns));
    });
}

/// Views as the inputs of prepared algorithms, on streams and in graphs, and their lengths in errors.
#[test]
fn views_in_repeated_launches() {
    on_each_device(|device| {
        let x = Twice::new(device, 1000, 3, |i| i as u32);
        let (stream, mut y) = (device.stream().unwrap(), device.zeros(1000).unwrap());
        let view = x.view();
        let mut sum = reduce(&view, 0, Plus).on(&stream).prepare().unwrap();
        let expected = x.column.sum().unwrap();
        assert_eq!([sum.value().unwrap(), sum.value().unwrap()], [expected; 2]);
        let mut memory = inclusive_scan(&view, &mut y, Plus).memory().unwrap();
        let mut graph = Graph::new(&stream);
        for _ in 0..3 {
            y.fill(0).unwrap();
            graph.run(|g| inclusive_scan(&view, &mut y, Plus).prepare_in(&mut memory)?.record(g)).unwrap();
            assert_eq!(y.slice(999..).unwrap().to_host().unwrap(), [expected]);
        }
        let mut short = device.zeros::<u32>(400).unwrap();
        let error = inclusive_scan(&view.step(2).unwrap(), &mut short, Plus).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("inclusive_scan", "y", 400));
    });
}

#[test]
fn scans_in_place() {
    on_each_device(|device| {
        for n in LENGTHS {
            let floats = values(n + 2, |i| bits(i) as f32 / 1e18);
            let mut x = device.to_device(&floats).unwrap();
            let mut y = device.zeros::<f32>(n).unwrap();
            inclusive_scan(&x.slice(1..=n).unwrap(), &mut y, Plus).launch().unwrap();
            // The elements around the array keep their values.
            inclusive_scan_in_place(&mut x.slice_mut(1..=n).unwrap(), Plus).launch().unwrap();
            let (found, expected) = (x.to_host().unwrap(), y.to_host().unwrap());
            assert!(found[1..=n] == expected, "{n}");
            assert!(found[0] == floats[0] && found[n + 1] == floats[n + 1], "{n}");

            let one = Affine { a: 3, b: 5 };
            let mut x = device.to_device(&values(n, affine)).unwrap();
            let mut y = device.to_device(&vec![one; n]).unwrap();
            exclusive_scan(&x, &mut y, one, Then).launch().unwrap();
            exclusive_scan_in_place(&mut x, one, Then).launch().unwrap();
            assert!(same(&x, &y, n), "{n}");
        }
        // More tiles than blocks, elements that a thread has one of, and repetitions.
        let n = if device.is_cpu() { 300_000 } else { 30_000_000 };
        let mut x = device.to_device(&vec![1u32; n]).unwrap();
        inclusive_scan_in_place(&mut x, Plus).launch().unwrap();
        let mut y = device.zeros(n).unwrap();
        iota(&mut y).launch().unwrap();
        let differs = device_fn!(|a: u32, b: u32| -> u32 { a ^ (b + 1) });
        assert_eq!(transform_reduce2(&x, &y, differs, 0, Maximum).value().unwrap(), 0);
        let mut x = device.to_device(&values(700, wide)).unwrap();
        let mut y = device.to_device(&values(700, wide)).unwrap();
        inclusive_scan(&x, &mut y, Joined).launch().unwrap();
        inclusive_scan_in_place(&mut x, Joined).launch().unwrap();
        assert!(same(&x, &y, 700));
        let mut x = device.to_device(&vec![1u64; 5000]).unwrap();
        let mut scan = inclusive_scan_in_place(&mut x, Plus).prepare().unwrap();
        scan.launch().unwrap();
        scan.launch().unwrap();
        drop(scan);
        assert!(x.to_host().unwrap() == values(5000, |i| ((i + 1) * (i + 2) / 2) as u64));
        let mut memory = inclusive_scan_in_place(&mut x, Plus).memory().unwrap();
        let mut graph = Graph::new(&device.stream().unwrap());
        for _ in 0..3 {
            x.fill(1).unwrap();
            graph.run(|g| inclusive_scan_in_place(&mut x, Plus).prepare_in(&mut memory)?.record(g)).unwrap();
            assert!(x.to_host().unwrap() == values(5000, |i| (i + 1) as u64));
        }
    });
}

#[test]
fn transformations_in_place() {
    on_each_device(|device| {
        for n in LENGTHS {
            let host = values(n + 2, |i| bits(i) as u8);
            let mut x = device.to_device(&host).unwrap();
            let half = device_fn!(|a: u8| -> u8 { a / 2 });
            transform_in_place(&mut x.slice_mut(1..=n).unwrap(), half).launch().unwrap();
            let expected = values(n + 2, |i| if (1..=n).contains(&i) { host[i] / 2 } else { host[i] });
            assert!(x.to_host().unwrap() == expected, "{n}");
            let others = Twice::new(device, n, 2, |i| i as f32);
            let [mut x, mut y] = [0; 2].map(|_| device.to_device(&vec![0.5f32; n]).unwrap());
            let added = device_fn!(|x: f32, b: f32| -> f32 { x + 2.0 * b });
            transform2_in_place(&mut x, &others.view(), added).launch().unwrap();
            transform2_in_place(&mut y, &others.slice(), added).launch().unwrap();
            let expected = values(n, |i| 0.5 + 2.0 * (2 * i + 1) as f32);
            assert!(x.to_host().unwrap() == expected && same(&x, &y, n), "{n}");
        }
        let (mut x, b) = (device.to_device(&[1, 2, 3]).unwrap(), device.to_device(&[1, 2]).unwrap());
        let error = transform2_in_place(&mut x, &b, Plus).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("transform2_in_place", "b", 2));
        let mut graph = Graph::new(&device.stream().unwrap());
        let b = device.to_device(&[10, 20, 30]).unwrap();
        for _ in 0..2 {
            graph
                .run(|g| {
                    transform2_in_place(&mut x, &b, Plus).record(g)?;
                    transform_in_place(&mut x, device_fn!(|a: i32| -> i32 { -a })).record(g)
                })
                .unwrap();
        }
        assert_eq!(x.to_host().unwrap(), [1, 2, 3]);
    });
}
