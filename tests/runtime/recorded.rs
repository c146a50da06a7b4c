//! Algorithms as steps of graphs: the same results as their launches, in each run.

use cumbia::Graph;
use cumbia::algorithm::{
    Function1, OwnBin, Plus, Times, argmax, argsort, exclusive_scan, gather, histogram, inclusive_scan_by_key, iota,
    layer_norm_rows, min_max, partition, reduce, reduce_by_key, reduce_rows, run_length_encode, scatter,
    segmented_reduce, select, softmax_rows, sort, sort_by_key, sort_into, transform, transform_reduce2, transform2,
    transpose, unique,
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

/// The number modulo another one.
#[derive(Clone, Copy, DeviceType)]
struct Modulo(u32);

#[device]
impl Function1<u32> for Modulo {
    type Output = u32;

    fn call(self, a: u32) -> u32 {
        a % self.0
    }
}

fn numbers(len: usize, seed: u32, below: u32) -> Vec<u32> {
    (0..len as u32).map(|i| ((i + seed).wrapping_mul(2_654_435_761) >> 7) % below).collect()
}

/// The graph is built once: its steps, among them those that prepare temporary memory, are the same in each run.
fn check_builds(device: &Device, graph: &Graph) {
    assert_eq!(graph.builds(), usize::from(!device.is_cpu()));
}

/// Reductions, selections and runs: their results are read after the run, and launches between runs do not disturb them.
#[test]
fn reductions_and_selections() {
    on_each_device(|device| {
        let n = 9000;
        let mut x = device.to_device(&numbers(n, 0, 4)).unwrap();
        let (mut y, mut z) = (device.zeros::<u32>(n).unwrap(), device.zeros::<u32>(n).unwrap());
        let mut sum = reduce(&x, 5, Plus).memory().unwrap();
        let mut dot = transform_reduce2(&x, &x, Times, 0, Plus).memory().unwrap();
        let mut greatest = argmax(&x).memory().unwrap();
        let mut extent = min_max(&x).memory().unwrap();
        let mut selected = select(&x, &mut y, Odd).memory().unwrap();
        let mut first = unique(&x, &mut y).memory().unwrap();
        let mut runs = run_length_encode(&x, &mut y, &mut z).memory().unwrap();
        let mut graph = Graph::new(&device.stream().unwrap());
        for seed in 0..3 {
            let host = numbers(n, seed, 4);
            x.copy_from_host(&host).unwrap();
            let run = graph.run(|g| {
                reduce(&x, 5, Plus).prepare_in(&mut sum)?.record(g)?;
                transform_reduce2(&x, &x, Times, 0, Plus).prepare_in(&mut dot)?.record(g)?;
                argmax(&x).prepare_in(&mut greatest)?.record(g)?;
                min_max(&x).prepare_in(&mut extent)?.record(g)?;
                partition(&x, &mut y, &mut z, Odd).prepare_in(&mut selected)?.record(g)?;
                unique(&x, &mut y).prepare_in(&mut first)?.record(g)?;
                run_length_encode(&x, &mut y, &mut z).prepare_in(&mut runs)?.record(g)
            });
            run.unwrap();
            let total = host.iter().sum::<u32>();
            assert_eq!((sum.read().unwrap(), dot.read().unwrap()), (5 + total, host.iter().map(|v| v * v).sum()));
            let most = host.iter().max().unwrap();
            assert_eq!(Some(greatest.read().unwrap().index), host.iter().position(|v| v == most));
            assert_eq!((extent.read().unwrap().min, extent.read().unwrap().max), (0, *most));
            assert_eq!(selected.read().unwrap(), host.iter().filter(|v| *v % 2 != 0).count());
            let mut expected = host.clone();
            expected.dedup();
            assert_eq!((first.read().unwrap(), runs.read().unwrap()), (expected.len(), expected.len()));
            assert!(y.slice(..expected.len()).unwrap().to_host().unwrap() == expected);
            assert_eq!(z.slice(..expected.len()).unwrap().sum().unwrap() as usize, n);
            assert_eq!(reduce(&x, 0, Plus).prepare_in(&mut sum).unwrap().value().unwrap(), total);
            let found = select(&x, &mut y, Odd).prepare_in(&mut selected).unwrap().value().unwrap();
            assert_eq!(found, host.iter().filter(|v| *v % 2 != 0).count());
        }
        check_builds(device, &graph);
    });
}

/// Scans and sorts, with an odd and an even number of passes, in order after other steps. A recording that fails leaves
/// their memory usable.
#[test]
fn scans_and_sorts() {
    on_each_device(|device| {
        let n = 9000;
        let mut x = device.to_device(&numbers(n, 0, 200)).unwrap();
        let keys: Vec<u8> = (0..n).map(|i| (i / 40) as u8).collect();
        let keys = device.to_device(&keys).unwrap();
        let (mut scanned, mut by_key) = (device.zeros::<u32>(n).unwrap(), device.zeros::<u32>(n).unwrap());
        let (mut first, mut totals) = (device.zeros::<u8>(n).unwrap(), device.zeros::<u32>(n).unwrap());
        let (mut small, mut values) = (device.zeros::<u8>(n).unwrap(), device.zeros::<u32>(n).unwrap());
        let (mut sorted, mut order) = (device.zeros::<u32>(n).unwrap(), device.zeros::<u32>(n).unwrap());
        let mut of_scan = exclusive_scan(&x, &mut scanned, 0, Plus).memory().unwrap();
        let mut of_runs = inclusive_scan_by_key(&keys, &x, &mut by_key, Plus).memory().unwrap();
        let mut of_pairs = sort_by_key(&mut small, &mut values).memory().unwrap();
        let mut of_sort = sort(&mut sorted).memory().unwrap();
        let mut of_order = argsort(&x, &mut order).memory().unwrap();
        let mut graph = Graph::new(&device.stream().unwrap());
        for seed in 0..3 {
            let host = numbers(n, seed, 200);
            let bytes: Vec<u8> = host.iter().map(|v| *v as u8).collect();
            x.copy_from_host(&host).unwrap();
            let mut run = |fails: bool| {
                small.copy_from_host(&bytes).unwrap();
                graph.run(|g| {
                    exclusive_scan(&x, &mut scanned, 0, Plus).prepare_in(&mut of_scan)?.record(g)?;
                    inclusive_scan_by_key(&keys, &x, &mut by_key, Plus).prepare_in(&mut of_runs)?.record(g)?;
                    reduce_by_key(&keys, &x, &mut first, &mut totals, Plus).prepare_in(&mut of_runs)?.record(g)?;
                    iota(&mut values).record(g)?;
                    sort_by_key(&mut small, &mut values).prepare_in(&mut of_pairs)?.record(g)?;
                    sort_into(&x, &mut sorted).prepare_in(&mut of_sort)?.record(g)?;
                    argsort(&x, &mut order).prepare_in(&mut of_order)?.record(g)?;
                    // Of another length than the output: an error at the end of the recording.
                    if fails { transform(&x, &mut by_key.slice_mut(1..)?, Modulo(7)).record(g) } else { Ok(()) }
                })
            };
            if seed == 1 {
                run(true).unwrap_err();
            }
            run(false).unwrap();
            let before: Vec<u32> = (0..n)
                .scan(0, |sum, i| {
                    *sum += host[i];
                    Some(*sum - host[i])
                })
                .collect();
            assert!(scanned.to_host().unwrap() == before);
            let through = host.chunks(40).flat_map(|run| (1..=run.len()).map(|k| run[..k].iter().sum::<u32>()));
            assert!(by_key.to_host().unwrap() == through.collect::<Vec<_>>());
            let runs = of_runs.read().unwrap();
            assert_eq!(runs, n / 40);
            let expected = host.chunks(40).map(|run| run.iter().sum::<u32>());
            assert!(totals.slice(..runs).unwrap().to_host().unwrap() == expected.collect::<Vec<_>>());
            let mut expected: Vec<u32> = (0..n as u32).collect();
            expected.sort_by_key(|i| host[*i as usize]);
            assert!(order.to_host().unwrap() == expected);
            assert!(values.to_host().unwrap() == expected);
            let expected = expected.iter().map(|i| host[*i as usize]).collect::<Vec<_>>();
            assert!(sorted.to_host().unwrap() == expected);
        }
        // Built again after the recording that failed.
        assert_eq!(graph.builds(), if device.is_cpu() { 0 } else { 2 });
    });
}

/// Scans with the same temporary memory in a graph and on a stream, in turn, of different lengths: the graph executes again without a
/// recording.
#[test]
fn scans_between_the_runs_of_a_graph() {
    on_each_device(|device| {
        let stream = device.stream().unwrap();
        let (n, m) = (30_000, 9000);
        let mut x = device.to_device(&numbers(n, 0, 200)).unwrap();
        let (mut y, mut z) = (device.zeros::<u32>(n).unwrap(), device.zeros::<u32>(n).unwrap());
        let mut memory = exclusive_scan(&x, &mut y, 0, Plus).memory().unwrap();
        let expected = |host: &[u32]| -> Vec<u32> {
            (0..host.len()).scan(0, |sum, i| Some(std::mem::replace(sum, *sum + host[i]))).collect()
        };
        let mut graph = Graph::new(&stream);
        for seed in 0..4 {
            let host = numbers(n, seed, 200);
            x.copy_from_host(&host).unwrap();
            graph.run(|g| exclusive_scan(&x, &mut y, 0, Plus).prepare_in(&mut memory)?.record(g)).unwrap();
            assert!(y.to_host().unwrap() == expected(&host));
            for len in [n, m].into_iter().cycle().take(seed as usize) {
                let (x, mut z) = (x.slice(..len).unwrap(), z.slice_mut(..len).unwrap());
                let scan = exclusive_scan(&x, &mut z, 0, Plus).on(&stream);
                scan.prepare_in(&mut memory).unwrap().launch().unwrap();
                assert!(z.to_host().unwrap() == expected(&host[..len]));
            }
        }
        check_builds(device, &graph);
    });
}

/// The algorithms without temporary memory.
#[test]
fn maps_and_matrices() {
    on_each_device(|device| {
        let n = 600;
        let mut x = device.to_device(&numbers(n, 0, 100)).unwrap();
        let offsets = device.to_device(&[0u32, 100, 100, 600]).unwrap();
        let mut counts = device.zeros::<u32>(7).unwrap();
        let [mut y, mut z, mut at, mut back, mut turned] = std::array::from_fn(|_| device.zeros::<u32>(n).unwrap());
        let (mut rows, mut empty) = (device.zeros::<u32>(20).unwrap(), device.zeros::<u32>(5).unwrap());
        let mut segments = device.zeros::<u32>(3).unwrap();
        let floats: Vec<f32> = numbers(n, 9, 50).into_iter().map(|v| v as f32).collect();
        let floats = device.to_device(&floats).unwrap();
        let (gamma, beta) = (device.to_device(&[1.0; 30]).unwrap(), device.to_device(&[0.5; 30]).unwrap());
        let [mut soft, mut norm, mut expected] = std::array::from_fn(|_| device.zeros::<f32>(n).unwrap());
        let mut graph = Graph::new(&device.stream().unwrap());
        for seed in 0..3 {
            let host = numbers(n, seed, 100);
            x.copy_from_host(&host).unwrap();
            let matrix = floats.reshape((20, 30)).unwrap();
            let run = graph.run(|g| {
                transform(&x, &mut y, Modulo(7)).record(g)?;
                transform2(&x, &y, &mut z, Plus).record(g)?;
                histogram(&y, &mut counts, OwnBin).record(g)?;
                iota(&mut at).record(g)?;
                gather(&x, &at, &mut back).record(g)?;
                scatter(&back, &at, &mut turned).record(g)?;
                transpose(x.reshape((20, 30))?, turned.reshape_mut((30, 20))?).record(g)?;
                reduce_rows(x.reshape((20, 30))?, &mut rows, 1, Plus).record(g)?;
                reduce_rows(x.slice(..0)?.reshape((5, 0))?, &mut empty, 4, Plus).record(g)?;
                segmented_reduce(&x, &offsets, &mut segments, 2, Plus).record(g)?;
                softmax_rows(matrix, soft.reshape_mut((20, 30))?).record(g)?;
                layer_norm_rows(matrix, &gamma, &beta, 1e-5, norm.reshape_mut((20, 30))?).record(g)
            });
            run.unwrap();
            assert!(z.to_host().unwrap() == host.iter().map(|v| v + v % 7).collect::<Vec<_>>());
            let bins: Vec<u32> = (0..7).map(|b| host.iter().filter(|v| *v % 7 == b).count() as u32).collect();
            assert!(counts.to_host().unwrap() == bins && back.to_host().unwrap() == host);
            assert!(turned.to_host().unwrap() == (0..n).map(|i| host[i % 20 * 30 + i / 20]).collect::<Vec<_>>());
            let sums: Vec<u32> = host.chunks(30).map(|row| 1 + row.iter().sum::<u32>()).collect();
            assert!(rows.to_host().unwrap() == sums && empty.to_host().unwrap() == [4; 5]);
            let of = |from: usize, to: usize| 2 + host[from..to].iter().sum::<u32>();
            assert_eq!(segments.to_host().unwrap(), [of(0, 100), 2, of(100, 600)]);
            softmax_rows(matrix, expected.reshape_mut((20, 30)).unwrap()).launch().unwrap();
            assert!(soft.to_host().unwrap() == expected.to_host().unwrap());
            layer_norm_rows(matrix, &gamma, &beta, 1e-5, expected.reshape_mut((20, 30)).unwrap()).launch().unwrap();
            assert!(norm.to_host().unwrap() == expected.to_host().unwrap());
        }
        check_builds(device, &graph);
        // Wrong lengths are errors of the recording.
        let error = graph.run(|g| transform(&x, &mut counts, Modulo(7)).record(g)).unwrap_err();
        assert_eq!(wrong_length(&error), ("transform", "x", 600));
    });
}
