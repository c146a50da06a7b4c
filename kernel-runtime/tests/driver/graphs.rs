//! Graphs: when nodes are added, updated and rebuilt.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use cumbia::prelude::*;
use cumbia::{DeviceArray, Error, Graph};

use crate::fake::Fake;
use crate::journal::{self, Access};
use crate::kernels::saxpy;
use crate::scenarios;
use crate::window::{self, DONE, OPEN};

const NOT_SUPPORTED: i32 = 801;

/// The counted calls: kernel nodes added and updated, copy nodes added and updated, graphs instantiated and launched.
const CALLS: [&str; 6] = [
    "cuGraphAddKernelNode",
    "cuGraphExecKernelNodeSetParams",
    "cuGraphAddMemcpyNode",
    "cuGraphExecMemcpyNodeSetParams",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
];

#[track_caller]
fn check(fake: &Fake, expected: [i64; 6], work: impl FnOnce()) {
    let before = CALLS.map(|call| fake.calls(call));
    work();
    let after = CALLS.map(|call| fake.calls(call));
    let difference: Vec<i64> = after.iter().zip(before).map(|(after, before)| after - before).collect();
    assert_eq!(difference, expected, "{CALLS:?}");
}

fn arrays(device: &Device) -> [DeviceArray<f32>; 3] {
    [(); 3].map(|()| device.zeros(1000).unwrap())
}

/// Two launches and a copy.
fn run(graph: &mut Graph, a: f32, [x, y, z]: &mut [DeviceArray<f32>; 3]) {
    graph
        .run(|g| {
            g.launch(saxpy(a, &*x, &mut *y).over(1000))?;
            g.launch(saxpy(2.0, &*y, &mut *z).over(1000))?;
            g.copy(z, x)
        })
        .unwrap();
}

/// Checks that all launches and graphs since entry `first` are ordered. All of them write one array.
#[track_caller]
fn check_order(fake: &Fake, first: usize, operations: usize) {
    let mut count = 0;
    let checked = journal::check(&fake.journal(first), |_, _| {
        count += 1;
        vec![Access { array: 0, elements: 0..1, writes: true }]
    });
    assert!(checked.is_ok_and(|hazards| hazards > 0) && count == operations, "{checked:?} of {count} operations");
}

/// Another thread launches on the stream that `stream_of` returns while the driver launches a graph of the stream `of_graph`.
/// Both write an array, which is borrowed through a lock.
fn launch_during_a_graph_launch(of_graph: fn(&Device) -> Stream, stream_of: fn(&Device) -> Stream) {
    let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
    let (x, y) = (device.zeros::<f32>(1000).unwrap(), Mutex::new(device.zeros(1000).unwrap()));
    let mut graph = Graph::new(&of_graph(&device));
    let first = fake.journal(0).len();
    let run = || graph.run(|g| g.launch(saxpy(1.0, &x, &mut *y.lock().unwrap()).over(1000))).unwrap();
    window::during(&fake, "cuGraphLaunch", run, || {
        let stream = stream_of(&device);
        saxpy(1.0, &x, &mut *y.lock().unwrap()).over(1000).on(&stream).launch().unwrap();
    });
    check_order(&fake, first, 2);
}

/// The driver launches a graph while another thread launches on another stream. That thread has launched some times before the
/// recording of the graph, and between the recording and the launch; after some of them, its stream would own the arrays.
fn graph_launch_during_a_launch(before: usize, between: usize) {
    let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
    let (x, y) = (device.zeros::<f32>(1000).unwrap(), Mutex::new(device.zeros(1000).unwrap()));
    let mut graph = Graph::new(&device.stream().unwrap());
    let stream = device.stream().unwrap();
    let launch = || saxpy(1.0, &x, &mut *y.lock().unwrap()).over(1000).on(&stream).launch().unwrap();
    (0..before).for_each(|_| launch());
    let first = fake.journal(0).len();
    let recorded = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // With an entry in the cache of this thread.
            launch();
            window::wait_for(&recorded);
            (0..between).for_each(|_| launch());
            window::open_in(&fake, "cuLaunchKernel");
            launch();
        });
        graph
            .run(|g| {
                while fake.journal(first).is_empty() {
                    std::thread::yield_now();
                }
                g.launch(saxpy(1.0, &x, &mut *y.lock().unwrap()).over(1000))?;
                recorded.store(true, Ordering::SeqCst);
                window::wait_for(&OPEN);
                Ok(())
            })
            .unwrap();
        DONE.store(true, Ordering::SeqCst);
    });
    assert!(OPEN.load(Ordering::SeqCst));
    check_order(&fake, first, between + 3);
}

scenarios! {
    fn only_changed_nodes_are_updated() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut arrays = arrays(&device);
        let mut graph = Graph::new(&device.default_stream());
        check(&fake, [2, 0, 1, 0, 1, 1], || run(&mut graph, 1.0, &mut arrays));
        check(&fake, [0, 0, 0, 0, 0, 1], || run(&mut graph, 1.0, &mut arrays));
        check(&fake, [0, 1, 0, 0, 0, 1], || run(&mut graph, 2.0, &mut arrays));
        check(&fake, [0, 0, 0, 0, 0, 1], || run(&mut graph, 2.0, &mut arrays));
        // Other arrays: every node is updated.
        arrays.rotate_left(1);
        check(&fake, [0, 2, 0, 1, 0, 1], || run(&mut graph, 2.0, &mut arrays));
        assert_eq!((graph.builds(), fake.calls("cuLaunchKernel")), (1, 0));
        drop(graph);
        assert_eq!((fake.calls("cuGraphExecDestroy"), fake.calls("cuGraphDestroy")), (1, 1));
    }

    fn a_different_sequence_is_rebuilt() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut arrays = arrays(&device);
        let mut graph = Graph::new(&device.default_stream());
        check(&fake, [2, 0, 1, 0, 1, 1], || run(&mut graph, 1.0, &mut arrays));
        let [x, y, _] = &mut arrays;
        check(&fake, [1, 0, 0, 0, 1, 1], || {
            graph.run(|g| g.launch(saxpy(1.0, &*x, &mut *y).over(1000))).unwrap();
        });
        check(&fake, [0, 0, 0, 0, 0, 0], || graph.run(|_| Ok(())).unwrap());
        check(&fake, [2, 0, 1, 0, 1, 1], || run(&mut graph, 1.0, &mut arrays));
        assert_eq!(graph.builds(), 3);
    }

    /// If the driver rejects an update, the graph is rebuilt; if it rejects the launch, that is an error.
    fn a_rejected_update_causes_a_rebuild() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut arrays = arrays(&device);
        let mut graph = Graph::new(&device.default_stream());
        run(&mut graph, 1.0, &mut arrays);
        fake.reject("cuGraphExecKernelNodeSetParams", NOT_SUPPORTED, 0, 1);
        check(&fake, [2, 1, 1, 0, 1, 1], || run(&mut graph, 2.0, &mut arrays));
        fake.reject("cuGraphLaunch", NOT_SUPPORTED, 0, 1);
        let [x, y, _] = &mut arrays;
        let error = graph.run(|g| g.launch(saxpy(1.0, &*x, &mut *y).over(1000))).unwrap_err();
        assert!(matches!(error, Error::Driver { call: "cuGraphLaunch", .. }), "{error}");
        run(&mut graph, 2.0, &mut arrays);
    }

    /// An error or a panic during the recording leaves no steps that a later launch would include.
    fn an_aborted_recording_leaves_no_steps() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut arrays = arrays(&device);
        let mut graph = Graph::new(&device.default_stream());
        run(&mut graph, 1.0, &mut arrays);
        let [x, y, _] = &mut arrays;
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            graph.run(|g| {
                g.launch(saxpy(5.0, &*x, &mut *y).over(1000))?;
                panic!("in the recording");
            })
        }));
        assert!(panicked.is_err());
        check(&fake, [2, 0, 1, 0, 1, 1], || run(&mut graph, 1.0, &mut arrays));
    }

    /// Another thread borrows an array between the recording of a graph and its launch.
    fn a_launch_on_another_stream_is_ordered_with_a_graph() {
        launch_during_a_graph_launch(|device| device.stream().unwrap(), |device| device.stream().unwrap());
    }

    fn a_launch_on_the_default_stream_is_ordered_with_a_graph() {
        launch_during_a_graph_launch(|device| device.stream().unwrap(), Device::default_stream);
    }

    /// The graph begins while the device has a single stream.
    fn a_launch_on_a_new_stream_is_ordered_with_a_graph() {
        launch_during_a_graph_launch(Device::default_stream, |device| device.stream().unwrap());
    }

    fn a_graph_is_ordered_with_a_launch_on_another_stream() {
        graph_launch_during_a_launch(0, 0);
    }

    fn a_graph_is_ordered_with_a_launch_of_an_owner() {
        graph_launch_during_a_launch(100, 0);
    }

    fn a_graph_is_ordered_with_a_launch_of_a_stream_that_uses_its_arrays() {
        graph_launch_during_a_launch(0, 100);
    }

    fn memory_used_by_a_launch_is_freed_after_it() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut y = device.zeros(1000).unwrap();
        let mut graph = Graph::new(&device.stream().unwrap());
        for _ in 0..10 {
            graph
                .run(|g| {
                    let x = device.to_device(&[1.0; 1000])?;
                    g.launch(saxpy(1.0, &x, &mut y).over(1000))?;
                    drop(x);
                    assert_eq!(fake.allocations(), 2, "the array lives until the graph's launch completes");
                    Ok(())
                })
                .unwrap();
            assert_eq!(fake.allocations(), 1);
        }
        drop((y, graph));
        assert_eq!(fake.allocations(), 0);
    }
}
