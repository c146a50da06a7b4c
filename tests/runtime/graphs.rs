//! Graphs: the same results as the individual launches and copies, whatever changes between runs.

use cumbia::intrinsics::*;
use cumbia::prelude::*;
use cumbia::{Error, FaultKind, Graph, GraphError, In, PinnedArray, Result};

use crate::support::{on_each_device, on_gpu};

#[kernel]
fn scale(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + 1.0;
    }
}

#[kernel]
fn add(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] += x[i];
    }
}

#[kernel]
fn fault_at(x: &mut [f32], at: usize) {
    x[at] = 1.0;
}

/// Numbers the elements, then reverses them.
#[kernel]
fn number_and_reverse(x: &mut [u32], y: &mut [u32]) {
    for i in (grid(1)..x.len()).step_by(grid_size(1)) {
        x[i] = i as u32;
    }
    sync_grid();
    for i in (grid(1)..y.len()).step_by(grid_size(1)) {
        y[i] = x[x.len() - 1 - i];
    }
}

#[kernel]
fn in_shared(x: &mut [u32]) {
    let mut words = dynamic_shared::<u32>();
    words[thread_idx().x] = x[grid(1)];
    sync_threads();
    x[grid(1)] = words[block_dim().x - 1 - thread_idx().x];
}

const N: usize = 1000;

/// The parameters that differ between the runs of [`rounds`].
struct Round {
    a: f32,
    grid: usize,
    swapped: bool,
    copied: bool,
}

/// Runs the same steps as graphs and individually.
fn rounds(device: &Device, rounds: &[Round]) -> Result<usize> {
    let values: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let arrays = || -> Result<[_; 4]> {
        Ok([device.to_device(&values)?, device.to_device(&values)?, device.zeros(N)?, device.zeros(N)?])
    };
    let (mut graphed, mut single) = (arrays()?, arrays()?);
    let mut graph = Graph::new(&device.stream()?);
    for Round { a, grid, swapped, copied } in rounds {
        let [w, x, y, z] = &mut graphed;
        let (from, to) = if *swapped { (&*x, w) } else { (&*w, x) };
        graph.run(|g| {
            g.launch(scale(*a, from, y).grid(*grid).block(100))?;
            g.launch(scale(2.0 * a, from, z).over(N))?;
            g.launch(add(z, y).over(N))?;
            if *copied { g.copy(y, to) } else { Ok(()) }
        })?;
        let [w, x, y, z] = &mut single;
        let (from, to) = if *swapped { (&*x, w) } else { (&*w, x) };
        scale(*a, from, y).grid(*grid).block(100).launch()?;
        scale(2.0 * a, from, z).over(N).launch()?;
        add(z, y).over(N).launch()?;
        if *copied {
            to.copy_from_host(&y.to_host()?)?;
        }
    }
    for (number, (graphed, single)) in graphed.iter().zip(&single).enumerate() {
        assert_eq!(graphed.to_host()?, single.to_host()?, "array {number} on {device}");
    }
    Ok(graph.builds())
}

fn same(a: f32) -> Round {
    Round { a, grid: 10, swapped: false, copied: true }
}

#[track_caller]
fn check(all: &[Round], builds: usize) {
    on_each_device(|device| {
        let expected = if device.is_cpu() { 0 } else { builds };
        assert_eq!(rounds(device, all).unwrap(), expected, "{device}");
    });
}

#[test]
fn a_graph_is_built_once() {
    check(&[same(1.0), same(1.0), same(1.0)], 1);
}

#[test]
fn arguments_and_grids_change() {
    check(&[same(1.0), same(0.5), Round { grid: 7, ..same(0.25) }, same(3.0)], 1);
}

#[test]
fn arrays_change() {
    let swapped = |a| Round { swapped: true, ..same(a) };
    check(&[same(1.0), swapped(0.5), same(0.25), swapped(0.125), swapped(0.5)], 1);
}

#[test]
fn another_sequence_instantiates_another_graph() {
    let short = |a| Round { copied: false, ..same(a) };
    check(&[same(1.0), short(0.5), short(0.25), same(0.5), same(0.25)], 3);
}

#[test]
fn other_dependencies_instantiate_another_graph() {
    on_each_device(|device| {
        let mut graph = Graph::new(&device.stream().unwrap());
        let x = device.to_device(&[1.0f32; N]).unwrap();
        let (mut y, mut z) = (device.zeros(N).unwrap(), device.zeros(N).unwrap());
        // First both read `x`, then the second waits for the first.
        for round in 0..4 {
            graph
                .run(|g| {
                    g.launch(scale(2.0, &x, &mut y).over(N))?;
                    g.launch(scale(3.0, if round < 2 { &x } else { &y }, &mut z).over(N))
                })
                .unwrap();
            let expected = if round < 2 { 4.0 } else { 10.0 };
            assert_eq!(z.to_host().unwrap(), [expected; N], "{device}, round {round}");
        }
        assert_eq!(graph.builds(), if device.is_cpu() { 0 } else { 2 });
    });
}

#[test]
fn arrays_are_in_order_around_a_graph() {
    on_each_device(|device| {
        let (stream, other) = (device.stream().unwrap(), device.stream().unwrap());
        let mut graph = Graph::new(&stream);
        let mut x = device.to_device(&[1.0f32; N]).unwrap();
        let mut y = device.zeros(N).unwrap();
        for round in 1..=5 {
            scale(1.0, &y, &mut x).over(N).on(&other).launch().unwrap(); // x = y + 1
            graph.run(|g| g.launch(add(&x, &mut y).over(N))).unwrap(); // y += x
            let mut z = device.zeros(N).unwrap();
            scale(1.0, &y, &mut z).over(N).launch().unwrap();
            let expected = (0..round).fold(0.0, |y: f32, _| 2.0 * y + 1.0);
            assert_eq!(y.to_host().unwrap(), [expected; N], "{device}");
            assert_eq!(z.to_host().unwrap(), [expected + 1.0; N], "{device}");
        }
    });
}

#[test]
fn arrays_dropped_during_recording_outlive_the_run() {
    on_each_device(|device| {
        let mut graph = Graph::new(&device.stream().unwrap());
        let mut y = device.to_device(&[1.0f32; N]).unwrap();
        for round in 1..=20 {
            graph
                .run(|g| {
                    let x = device.to_device(&[round as f32; N])?;
                    g.launch(add(&x, &mut y).over(N))?;
                    drop(x);
                    // Likely the address of `x`, if it had been freed.
                    let mut other = device.zeros::<f32>(N)?;
                    other.copy_from_host(&[1e9; N])
                })
                .unwrap();
        }
        assert_eq!(y.to_host().unwrap(), [211.0; N], "{device}");
        assert!(graph.builds() <= 1);
    });
}

#[test]
fn an_error_enqueues_nothing() {
    on_each_device(|device| {
        let mut graph = Graph::new(&device.stream().unwrap());
        let x = device.to_device(&[1.0f32; 4]).unwrap();
        let mut y = device.zeros(4).unwrap();
        let run = |graph: &mut Graph, y: &mut DeviceArray<f32>, block: usize| {
            graph.run(|g| {
                g.launch(add(&x, &mut *y).over(4))?;
                g.launch(add(&x, &mut *y).over(4).block(block))
            })
        };
        run(&mut graph, &mut y, 32).unwrap();
        assert!(matches!(run(&mut graph, &mut y, 5000), Err(Error::Launch(_))));
        // On the CPU the first of the two has run.
        let expected = if device.is_cpu() { 3.0 } else { 2.0 };
        assert_eq!(y.to_host().unwrap(), [expected; 4], "{device}");
        run(&mut graph, &mut y, 32).unwrap();
        assert_eq!(y.to_host().unwrap(), [expected + 2.0; 4], "{device}");
        graph.run(|_| Ok(())).unwrap();
        graph.run(|g| g.launch(add(&x, &mut y).over(0))).unwrap();
        assert_eq!(y.to_host().unwrap(), [expected + 2.0; 4], "{device}");
    });
}

#[test]
fn a_fault_of_a_graph_is_that_of_its_stream() {
    on_each_device(|device| {
        let stream = device.stream().unwrap();
        let mut graph = Graph::new(&stream);
        let mut x = device.zeros::<f32>(4).unwrap();
        for at in [1, 9, 2] {
            graph.run(|g| g.launch(fault_at(&mut x, at).grid(1).block(1))).unwrap();
            match (at, stream.synchronize()) {
                (9, Err(Error::Fault { kind, .. })) => {
                    assert_eq!(kind, FaultKind::IndexOutOfBounds { index: 9, len: 4 });
                }
                (1 | 2, Ok(())) => {}
                (_, other) => panic!("{device}: {other:?}"),
            }
        }
        assert_eq!(x.to_host().unwrap(), [0.0, 1.0, 1.0, 0.0]);
    });
}

#[test]
fn kernels_with_a_barrier_of_the_grid_and_with_shared_memory() {
    on_each_device(|device| {
        let mut graph = Graph::new(&device.stream().unwrap());
        let (mut x, mut y) = (device.zeros(N).unwrap(), device.zeros(N).unwrap());
        let mut z = device.to_device(&(0..256u32).collect::<Vec<_>>()).unwrap();
        for _ in 0..3 {
            graph
                .run(|g| {
                    g.launch(number_and_reverse(&mut x, &mut y).grid(2).block(64).cooperative())?;
                    g.launch(number_and_reverse(&mut y, &mut x).grid(2).block(64).cooperative())?;
                    // More than the default limit of a block.
                    g.launch(in_shared(&mut z).grid(1).block(256).shared_bytes(60 << 10))?;
                    g.launch(in_shared(&mut z).grid(1).block(256).shared_bytes(1024))
                })
                .unwrap();
        }
        let expected: Vec<u32> = (0..N as u32).rev().collect();
        assert_eq!(x.to_host().unwrap(), expected, "{device}");
        assert_eq!(z.to_host().unwrap(), (0..256).collect::<Vec<u32>>(), "{device}");
        assert!(graph.builds() <= 1, "{device}");
    });
}

#[test]
fn steps_that_graphs_cannot_hold_are_rejected() {
    on_each_device(|device| {
        let (stream, other) = (device.stream().unwrap(), device.stream().unwrap());
        let mut graph = Graph::new(&stream);
        let mut y = device.zeros(4).unwrap();
        let x = device.to_device(&[1.0f32; 4]).unwrap();
        let error = graph.run(|g| g.launch(add(&x, &mut y).over(4).on(&other))).unwrap_err();
        assert!(matches!(error, Error::Graph(GraphError::OtherStream { kernel: "add" })), "{error}");
        graph.run(|g| g.launch(add(&x, &mut y).over(4).on(&stream))).unwrap();
        let mut short = device.zeros::<f32>(3).unwrap();
        let error = graph.run(|g| g.copy(&x, &mut short)).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { .. }), "{error}");
        let host = [1.0f32; 4];
        let error = graph.run(|g| g.launch(add(In(&host), &mut y).over(4))).unwrap_err();
        assert!(matches!(error, Error::Graph(GraphError::HostArgument { kernel: "add" })), "{error}");
        let (from, mut to) = (device.to_pinned(&host).unwrap(), device.pinned_zeros::<f32>(4).unwrap());
        let error = graph.run(|g| g.copy(&from, &mut to)).unwrap_err();
        assert!(matches!(error, Error::Graph(GraphError::HostCopy)), "{error}");
        if device.is_cuda() {
            let unlocked = Device::cpu().to_pinned(&host).unwrap();
            let error = graph.run(|g| g.copy(&unlocked, &mut y)).unwrap_err();
            assert!(matches!(error, Error::Graph(GraphError::HostCopy)), "{error}");
        }
        assert_eq!(y.to_host().unwrap(), [1.0; 4]);
    });
}

#[test]
fn other_kernels_instantiate_another_graph() {
    on_each_device(|device| {
        let mut graph = Graph::new(&device.stream().unwrap());
        let x = device.to_device(&[1.0f32; N]).unwrap();
        let mut y = device.zeros(N).unwrap();
        let mut expected = 0.0f32;
        for round in 0..6 {
            let added_first = round % 2 == 0;
            graph
                .run(|g| {
                    if added_first {
                        g.launch(add(&x, &mut y).over(N))?;
                        g.launch(scale(3.0, &x, &mut y.slice_mut(..N / 2)?).over(N))
                    } else {
                        g.launch(scale(5.0, &x, &mut y.slice_mut(..N / 2)?).over(N))?;
                        g.launch(add(&x, &mut y).over(N))
                    }
                })
                .unwrap();
            expected += 1.0;
            let first = if added_first { 4.0 } else { 7.0 };
            let values = y.to_host().unwrap();
            assert_eq!((values[0], values[N - 1]), (first, expected), "{device}, round {round}");
        }
    });
}

#[test]
fn page_locked_buffers_are_copied_in_a_graph() {
    on_each_device(|device| {
        let stream = device.stream().unwrap();
        let mut graph = Graph::new(&stream);
        let mut input = device.pinned_zeros::<f32>(N).unwrap();
        let mut output = device.pinned_zeros::<f32>(2 * N).unwrap();
        let (mut x, mut y) = (device.zeros(N).unwrap(), device.zeros(N).unwrap());
        for round in 1..20 {
            // Each of these waits for the copy of the previous run.
            input.as_mut_slice().unwrap().fill(round as f32);
            graph
                .run(|g| {
                    g.copy(&input, &mut x)?;
                    g.launch(scale(10.0, &x, &mut y).over(N))?;
                    g.copy(&y, &mut output.slice_mut(..N)?)?;
                    g.launch(scale(1.0, &y, &mut x).over(N))?;
                    g.copy(&x, &mut output.slice_mut(N..)?)
                })
                .unwrap();
            let expected = [10.0 * round as f32 + 1.0, 10.0 * round as f32 + 2.0];
            let halves = output.as_slice().unwrap().chunks(N);
            assert!(halves.zip(expected).all(|(half, value)| half.iter().all(|it| *it == value)), "{device}, {round}");
        }
        assert!(graph.builds() <= 1);
        // Another buffer of the same kind updates the existing graph; another kind instantiates a new one.
        let mut other = device.to_pinned(&[7.0f32; N]).unwrap();
        for way in 0..4 {
            let mut run = |from: &PinnedArray<f32>, to: &mut PinnedArray<f32>| {
                graph.run(|g| {
                    g.copy(from, &mut x)?;
                    g.copy(&x, to)
                })
            };
            let (from, to) = if way % 2 == 0 { (&other, &mut input) } else { (&input, &mut other) };
            run(from, to).unwrap();
            assert_eq!(to.as_slice().unwrap(), [7.0; N], "{device}");
        }
        assert!(graph.builds() <= 2, "{}", graph.builds());
    });
}

#[test]
fn destination_buffers_are_inaccessible_until_the_run() {
    on_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut graph, mut second) = (Graph::new(&stream), Graph::new(&stream));
        let mut x = gpu.to_device(&[3.0f32; 8]).unwrap();
        let mut buffer = gpu.to_pinned(&[1.0f32; 8]).unwrap();
        let is_planned = |error: &Error| matches!(error, Error::Graph(GraphError::HostCopyPlanned));
        graph
            .run(|g| {
                g.copy(&x.slice(..4)?, &mut buffer.slice_mut(..4)?)?;
                assert!(is_planned(&buffer.as_slice().unwrap_err()));
                assert!(is_planned(&stream.copy(&x, &mut buffer).unwrap_err()));
                assert!(is_planned(&second.run(|other| other.copy(&buffer, &mut x)).unwrap_err()));
                assert_eq!(buffer.slice(4..)?.as_slice()?, [1.0; 4], "the other part is nobody's");
                Ok(())
            })
            .unwrap();
        assert_eq!(buffer.as_slice().unwrap(), [3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0]);
        // A source buffer may be read, but not written.
        graph
            .run(|g| {
                g.copy(&buffer, &mut x)?;
                assert_eq!(buffer.as_slice()?[0], 3.0);
                assert!(is_planned(&buffer.as_mut_slice().unwrap_err()));
                Ok(())
            })
            .unwrap();
        // A recording that ends early, or panics, releases the buffer; the copy of a dropped one still runs.
        let error = graph.run(|g| g.copy(&x, &mut buffer).and(Err(GraphError::HostCopy.into()))).unwrap_err();
        assert!(matches!(error, Error::Graph(GraphError::HostCopy)), "{error}");
        buffer.as_mut_slice().unwrap().fill(5.0);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            graph.run(|g| {
                g.copy(&x, &mut buffer)?;
                std::panic::resume_unwind(Box::new("a panic that says nothing"))
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(buffer.as_slice().unwrap(), [5.0; 8]);
        graph
            .run(|g| {
                let buffer = gpu.to_pinned(&[9.0f32; 8])?;
                g.copy(&buffer, &mut x)
            })
            .unwrap();
        assert_eq!(x.to_host().unwrap(), [9.0; 8]);
    });
}

#[test]
fn a_graph_is_dropped_while_it_runs() {
    on_each_device(|device| {
        let mut x = device.zeros::<f32>(N).unwrap();
        let y = device.to_device(&[1.0f32; N]).unwrap();
        for _ in 0..50 {
            let mut graph = Graph::new(&device.stream().unwrap());
            graph
                .run(|g| {
                    for _ in 0..20 {
                        g.launch(add(&y, &mut x).over(N))?;
                    }
                    Ok(())
                })
                .unwrap();
        }
        assert_eq!(x.to_host().unwrap(), [1000.0; N], "{device}");
        assert!(device.drop_errors().is_empty(), "{device}");
    });
}

#[test]
fn graphs_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<Graph>();
    let graph = Graph::new(&Device::cpu().default_stream());
    assert_eq!(format!("{graph:?}"), "Graph(0 steps on cpu)");
    assert_eq!(graph.stream(), &Device::cpu().default_stream());
}
