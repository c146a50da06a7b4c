//! Repetitions of the algorithms: their results are the same bit for bit in each launch, on two streams at once, and on two GPUs.

use cumbia::algorithm::{
    Function1, OwnBin, Plus, histogram, inclusive_scan, inclusive_scan_by_key, reduce, reduce_by_key,
    run_length_encode, select, sort, unique,
};
use cumbia::prelude::*;

use crate::support::{alone, bits, gpu, on_each_device, values};

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

/// Counts the numbers that differ.
#[kernel]
fn compare(found: &[u32], expected: &[u32], count: &mut [u32]) {
    let i = grid(1);
    if i < found.len() && found[i] != expected[i] {
        atomic_add(&mut count[0], 1);
    }
}

/// Counts the numbers whose bits differ.
#[kernel]
fn compare_bits(found: &[f32], expected: &[f32], count: &mut [u32]) {
    let i = grid(1);
    if i < found.len() && found[i].to_bits() != expected[i].to_bits() {
        atomic_add(&mut count[0], 1);
    }
}

/// The results of the first launches.
struct Results {
    floats: Vec<DeviceArray<f32>>,
    numbers: Vec<DeviceArray<u32>>,
}

/// Runs algorithms on a stream again and again, each with the memory of the first launch, and returns the number of results that
/// differ from those of the first launch.
fn differences(device: &Device, stream: &Stream, n: usize, repetitions: usize) -> cumbia::Result<u32> {
    let x = device.to_device(&values(n, |i| bits(i) as u32 as f32 / 2.0f32.powi(31) - 1.0))?;
    let keys = device.to_device(&values(n, |i| bits(i / 8) as u32))?;
    let bytes = device.to_device(&values(n, |i| bits(i) as u8))?;
    let mut floats = [(); 4].map(|()| device.zeros::<f32>(n)).into_iter().collect::<cumbia::Result<Vec<_>>>()?;
    let mut numbers = [(); 5].map(|()| device.zeros::<u32>(n)).into_iter().collect::<cumbia::Result<Vec<_>>>()?;
    let mut bins = device.zeros::<u32>(256)?;
    let [scanned, selected, totals, scanned_by_key] = floats.as_mut_slice() else { unreachable!() };
    let [elements, lengths, firsts, unique_keys, sorted] = numbers.as_mut_slice() else { unreachable!() };
    let mut of_sum = reduce(&x, 0.0, Plus).on(stream).memory()?;
    let mut of_scan = inclusive_scan(&x, scanned, Plus).on(stream).memory()?;
    let mut of_selection = select(&x, selected, Positive).on(stream).memory()?;
    let mut of_lengths = run_length_encode(&keys, elements, lengths).on(stream).memory()?;
    let mut of_unique = unique(&keys, firsts).on(stream).memory()?;
    let mut of_totals = reduce_by_key(&keys, &x, unique_keys, totals, Plus).on(stream).memory()?;
    let mut of_runs = inclusive_scan_by_key(&keys, &x, scanned_by_key, Plus).on(stream).memory()?;
    let mut of_sort = sort(sorted).on(stream).memory()?;
    let mut count = device.zeros::<u32>(1)?;
    let mut expected: Option<Results> = None;
    for _ in 0..repetitions {
        reduce(&x, 0.0, Plus).on(stream).prepare_in(&mut of_sum)?.launch()?;
        inclusive_scan(&x, scanned, Plus).on(stream).prepare_in(&mut of_scan)?.launch()?;
        select(&x, selected, Positive).on(stream).prepare_in(&mut of_selection)?.launch()?;
        run_length_encode(&keys, elements, lengths).on(stream).prepare_in(&mut of_lengths)?.launch()?;
        unique(&keys, firsts).on(stream).prepare_in(&mut of_unique)?.launch()?;
        reduce_by_key(&keys, &x, unique_keys, totals, Plus).on(stream).prepare_in(&mut of_totals)?.launch()?;
        inclusive_scan_by_key(&keys, &x, scanned_by_key, Plus).on(stream).prepare_in(&mut of_runs)?.launch()?;
        stream.copy(&keys, sorted)?;
        sort(sorted).on(stream).prepare_in(&mut of_sort)?.launch()?;
        histogram(&bytes, &mut bins, OwnBin).on(stream).launch()?;
        let sum = of_sum.result();
        let found_floats = [scanned.as_slice(), selected.as_slice(), totals.as_slice(), scanned_by_key.as_slice(), sum];
        let found_numbers = [&*elements, &*lengths, &*firsts, &*unique_keys, &*sorted].map(DeviceArray::as_slice);
        let found_numbers = found_numbers.into_iter().chain([bins.as_slice()]);
        if let Some(Results { floats, numbers }) = &expected {
            for (found, expected) in found_floats.iter().zip(floats) {
                compare_bits(found, expected, &mut count).over(expected.len()).on(stream).launch()?;
            }
            for (found, expected) in found_numbers.zip(numbers) {
                compare(&found, expected, &mut count).over(expected.len()).on(stream).launch()?;
            }
        } else {
            let floats = found_floats.iter().map(|found| found.to_device(device)).collect::<cumbia::Result<_>>()?;
            let numbers = found_numbers.map(|found| found.to_device(device)).collect::<cumbia::Result<_>>()?;
            expected = Some(Results { floats, numbers });
        }
    }
    Ok(count.to_host()?[0])
}

/// On a GPU 10⁴ launches of each algorithm, on two streams at once.
#[test]
fn results_do_not_differ_on_two_streams() {
    on_each_device(|device| {
        let (n, repetitions) = if device.is_cpu() { (9_001, 3) } else { (100_003, 5_000) };
        std::thread::scope(|scope| {
            let work = |n: usize| move || differences(device, &device.stream().unwrap(), n, repetitions).unwrap();
            let (first, second) = (scope.spawn(work(n)), scope.spawn(work(n + 4_000)));
            assert_eq!((first.join().unwrap(), second.join().unwrap()), (0, 0));
        });
    });
}

#[test]
fn results_do_not_differ_on_two_gpus() {
    let _alone = alone();
    let (Some(first), Ok(second)) = (gpu(), Device::cuda(1)) else { return };
    std::thread::scope(|scope| {
        let work = |device| move || differences(device, &device.stream().unwrap(), 1_000_003, 1_000).unwrap();
        let (on_first, on_second) = (scope.spawn(work(first)), scope.spawn(work(&second)));
        assert_eq!((on_first.join().unwrap(), on_second.join().unwrap()), (0, 0));
    });
}
