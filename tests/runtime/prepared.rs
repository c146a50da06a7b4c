//! Prepared algorithms: temporary memory that is used for arrays of different lengths and contents, and results on the device.

use cumbia::algorithm::{
    Function1, Plus, Times, argmax, argsort, exclusive_scan, inclusive_scan_by_key, partition, reduce, reduce_by_key,
    run_length_encode, select, sort, sort_by_key, transform_reduce2, unique,
};
use cumbia::prelude::*;

use crate::support::{on_each_device, wrong_length};

/// Whether a number is odd.
#[derive(Clone, Copy, DeviceType)]
struct Odd;

#[device]
impl Function1<u32> for Odd {
    type Output = bool;

    fn call(self, a: u32) -> bool {
        a % 2 != 0
    }
}

/// Reads a result and counts where they are.
#[kernel]
fn gathered(sum: &[u32], counts: &[usize], runs: &[usize], all: &mut [u64]) {
    all[0] = sum[0] as u64;
    all[1] = counts[0] as u64;
    all[2] = runs[0] as u64;
}

fn numbers(len: usize, seed: u32, below: u32) -> Vec<u32> {
    (0..len as u32).map(|i| ((i + seed).wrapping_mul(2_654_435_761) >> 7) % below).collect()
}

/// Lengths that fit into memory of earlier ones, and that do not.
const LENGTHS: [usize; 7] = [9000, 5000, 9000, 0, 20_000, 1, 12_000];

/// The same memory for arrays of other lengths, with results as of memory of their own.
#[test]
fn memory_is_reused() {
    on_each_device(|device| {
        let none = device.to_device(&numbers(0, 0, 8)).unwrap();
        let keys = device.zeros::<u8>(0).unwrap();
        let (mut y, mut z) = (device.zeros::<u32>(0).unwrap(), device.zeros::<u32>(0).unwrap());
        let mut small = device.zeros::<u8>(0).unwrap();
        let mut of_sum = reduce(&none, 0, Plus).memory().unwrap();
        let mut of_dot = transform_reduce2(&none, &none, Times, 0, Plus).memory().unwrap();
        let mut of_search = argmax(&none).memory().unwrap();
        let mut of_scan = exclusive_scan(&none, &mut y, 0, Plus).memory().unwrap();
        let mut of_selection = select(&none, &mut y, Odd).memory().unwrap();
        let mut of_lengths = run_length_encode(&keys, &mut small, &mut y).memory().unwrap();
        let mut of_runs = reduce_by_key(&keys, &none, &mut small, &mut y, Plus).memory().unwrap();
        let mut of_sort = sort_by_key(&mut small, &mut y).memory().unwrap();
        let mut of_keys = sort(&mut z).memory().unwrap();
        let mut of_order = argsort(&none, &mut y).memory().unwrap();
        for (seed, n) in LENGTHS.into_iter().enumerate() {
            let host = numbers(n, seed as u32, 5);
            let x = device.to_device(&host).unwrap();
            let (mut y, mut z) = (device.zeros::<u32>(n).unwrap(), device.zeros::<u32>(n).unwrap());

            let sum = reduce(&x, 7, Plus).prepare_in(&mut of_sum).unwrap().value().unwrap();
            assert_eq!(sum, 7 + host.iter().sum::<u32>(), "{n}");
            let dot = transform_reduce2(&x, &x, Times, 0, Plus).prepare_in(&mut of_dot).unwrap().value().unwrap();
            assert_eq!(dot, host.iter().map(|v| v * v).sum::<u32>(), "{n}");
            let greatest = argmax(&x).prepare_in(&mut of_search).unwrap().value().unwrap();
            let expected = host.iter().max().and_then(|most| host.iter().position(|v| v == most));
            assert_eq!(greatest, expected, "{n}");

            exclusive_scan(&x, &mut y, 3, Plus).prepare_in(&mut of_scan).unwrap().launch().unwrap();
            let mut sum = 3;
            let before = host.iter().map(|v| {
                sum += v;
                sum - v
            });
            let before: Vec<u32> = before.collect();
            assert!(y.to_host().unwrap() == before, "{n}");

            let (odd, even): (Vec<u32>, Vec<u32>) = host.iter().partition(|v| *v % 2 != 0);
            for _ in 0..2 {
                let found = select(&x, &mut y, Odd).prepare_in(&mut of_selection).unwrap().value().unwrap();
                assert!(y.slice(..found).unwrap().to_host().unwrap() == odd, "{n}");
            }
            partition(&x, &mut y, &mut z, Odd).prepare_in(&mut of_selection).unwrap().launch().unwrap();
            assert_eq!(of_selection.read().unwrap(), odd.len(), "{n}");
            assert!(z.slice(..even.len()).unwrap().to_host().unwrap() == even, "{n}");
            let found = unique(&x, &mut y).prepare_in(&mut of_selection).unwrap().value().unwrap();
            let mut expected = host.clone();
            expected.dedup();
            assert!(y.slice(..found).unwrap().to_host().unwrap() == expected, "{n}");

            // Runs of keys that are neighbours, in memory that the reductions and the scans share.
            let keys: Vec<u8> = (0..n).map(|i| (i / (3 + seed)) as u8).collect();
            let array = device.to_device(&keys).unwrap();
            let mut unique_keys = device.zeros::<u8>(n).unwrap();
            let totals: Vec<u32> = host.chunks(3 + seed).map(|run| run.iter().sum()).collect();
            let reduction = reduce_by_key(&array, &x, &mut unique_keys, &mut y, Plus);
            let found = reduction.prepare_in(&mut of_runs).unwrap().value().unwrap();
            assert!(y.slice(..found).unwrap().to_host().unwrap() == totals, "{n}");
            inclusive_scan_by_key(&array, &x, &mut y, Plus).prepare_in(&mut of_runs).unwrap().launch().unwrap();
            let through = host.chunks(3 + seed).flat_map(|run| (1..=run.len()).map(|k| run[..k].iter().sum::<u32>()));
            assert!(y.to_host().unwrap() == through.collect::<Vec<_>>(), "{n}");
            let encoding = run_length_encode(&array, &mut unique_keys, &mut y);
            encoding.prepare_in(&mut of_lengths).unwrap().launch().unwrap();
            assert_eq!(of_lengths.read().unwrap(), totals.len(), "{n}");
            assert!(y.slice(..found).unwrap().to_host().unwrap().iter().all(|&length| length <= 3 + seed as u32));

            // An odd and an even number of passes.
            let mut values = device.to_device(&host).unwrap();
            let mut digits = device.to_device(&host.iter().map(|v| *v as u8).collect::<Vec<_>>()).unwrap();
            let mut pairs = sort_by_key(&mut digits, &mut values).prepare_in(&mut of_sort).unwrap();
            pairs.launch().unwrap();
            pairs.launch().unwrap();
            let mut sorted = host.clone();
            sorted.sort_unstable();
            assert!(values.to_host().unwrap() == sorted, "{n}");
            let mut many = device.to_device(&numbers(n, seed as u32, u32::MAX)).unwrap();
            sort(&mut many).prepare_in(&mut of_keys).unwrap().launch().unwrap();
            assert!(many.to_host().unwrap().is_sorted(), "{n}");
            argsort(&x, &mut y).prepare_in(&mut of_order).unwrap().launch().unwrap();
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by_key(|i| host[*i as usize]);
            assert!(y.to_host().unwrap() == order, "{n}");
        }
        assert!(of_sum.bytes() > 4 && of_scan.bytes() > 8 && of_selection.bytes() > 8 && of_runs.bytes() > 8);
        assert!(of_sort.bytes() > 12_000 && of_order.bytes() > of_keys.bytes());
    });
}

/// A kernel reads the results, and the host does not wait.
#[test]
fn results_are_on_the_device() {
    on_each_device(|device| {
        let (stream, n) = (device.stream().unwrap(), 5000);
        let mut x = device.to_device(&numbers(n, 1, 3)).unwrap();
        let (mut y, mut lengths) = (device.zeros::<u32>(n).unwrap(), device.zeros::<u32>(n).unwrap());
        let mut all = device.zeros::<u64>(3).unwrap();
        let mut sum = reduce(&x, 0, Plus).on(&stream).memory().unwrap();
        let mut selected = select(&x, &mut y, Odd).on(&stream).memory().unwrap();
        let mut runs = run_length_encode(&x, &mut y, &mut lengths).on(&stream).memory().unwrap();
        assert_eq!((sum.read().unwrap(), selected.read().unwrap(), runs.read().unwrap()), (0, 0, 0));
        for seed in 1..4 {
            let host = numbers(n, seed, 3);
            x.copy_from_host(&host).unwrap();
            reduce(&x, 0, Plus).on(&stream).prepare_in(&mut sum).unwrap().launch().unwrap();
            select(&x, &mut y, Odd).on(&stream).prepare_in(&mut selected).unwrap().launch().unwrap();
            let encoding = run_length_encode(&x, &mut y, &mut lengths).on(&stream);
            encoding.prepare_in(&mut runs).unwrap().launch().unwrap();
            let (total, odd, found) = (sum.result(), selected.count(), runs.count());
            gathered(&total, &odd, &found, &mut all).grid(1).block(1).on(&stream).launch().unwrap();
            let changes = host.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64;
            let odd = host.iter().filter(|v| *v % 2 != 0).count() as u64;
            assert_eq!(all.to_host().unwrap(), [u64::from(host.iter().sum::<u32>()), odd, changes + 1]);
        }
    });
}

/// Outputs that are too short have the first elements; the number of all is known.
#[test]
fn short_outputs() {
    on_each_device(|device| {
        let x = device.to_device(&[1u32, 1, 2, 3, 5]).unwrap();
        let (mut y, mut lengths) = (device.zeros::<u32>(2).unwrap(), device.zeros::<u32>(9).unwrap());
        let mut selection = select(&x, &mut y, Odd).prepare().unwrap();
        selection.launch().unwrap();
        assert_eq!(selection.count().to_host().unwrap(), [4]);
        let error = selection.read().unwrap_err();
        assert_eq!(wrong_length(&error), ("select", "y", 2));
        assert_eq!(selection.output_mut().to_host().unwrap(), [1, 1]);
        let mut runs = run_length_encode(&x, &mut y, &mut lengths).prepare().unwrap();
        runs.launch().unwrap();
        assert_eq!(runs.count().to_host().unwrap(), [4]);
        assert_eq!(wrong_length(&runs.value().unwrap_err()), ("run_length_encode", "unique_elements", 2));
        let short = x.slice(1..).unwrap();
        let mut memory = transform_reduce2(&x, &x, Times, 0, Plus).memory().unwrap();
        let error = transform_reduce2(&x, &short, Times, 0, Plus).prepare_in(&mut memory).map(drop).unwrap_err();
        assert_eq!(wrong_length(&error), ("transform_reduce2", "b", 4));
    });
}
