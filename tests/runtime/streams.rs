//! Streams: each is in order, arrays are ordered across streams, and each stream has its own faults.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use cumbia::Error;
use cumbia::prelude::*;

use crate::support::{alone, gpu, on_each_device, on_gpu, passes_in_process, spin};

/// Adds to all elements, after a number of iterations.
#[kernel]
fn slow_add(mut x: ArrayViewMut1<u32>, by: u32, turns: u32) {
    let i = grid(1);
    if i < x.len() {
        x[i] += by + spin(i as u32, turns);
    }
}

/// `y = x`, after a number of iterations.
#[kernel]
fn slow_copy(x: ArrayView1<u32>, mut y: ArrayViewMut1<u32>, turns: u32) {
    let i = grid(1);
    if i < x.len() {
        y[i] = x[i] + spin(i as u32, turns);
    }
}

#[kernel]
fn add(x: &mut [u32], by: u32) {
    let i = grid(1);
    if i < x.len() {
        x[i] += by;
    }
}

#[kernel]
fn fault_at(x: &mut [u32], at: usize) {
    x[at] = 1;
}

/// Returns the number of iterations that take a GPU 0.2 s or more; on the CPU a launch is synchronous.
fn turns(device: &Device) -> u32 {
    if device.is_cpu() { 20 } else { 40_000_000 }
}

const N: usize = 32;

#[test]
fn arrays_are_in_order_across_streams() {
    on_each_device(|device| {
        let turns = turns(device);
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        let mut x = device.zeros::<u32>(N).unwrap();
        let mut y = device.zeros::<u32>(N).unwrap();
        for round in 0..3 {
            // A read after a write.
            slow_add(x.reshape_mut(N).unwrap(), 5, turns).over(N).on(&first).launch().unwrap();
            slow_copy(x.reshape(N).unwrap(), y.reshape_mut(N).unwrap(), turns).over(N).on(&second).launch().unwrap();
            // A write after that read, on a third stream.
            add(&mut x, 2).over(N).launch().unwrap();
            assert_eq!(y.to_host().unwrap(), [7 * round + 5; N], "{device}");
            assert_eq!(x.to_host().unwrap(), [7 * round + 7; N], "{device}");
        }
    });
}

#[test]
fn freed_memory_is_not_reused_early() {
    on_each_device(|device| {
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        for round in 1..20 {
            let x = device.to_device(&[round; N]).unwrap();
            let mut y = device.zeros::<u32>(N).unwrap();
            let turns = turns(device) / 10;
            slow_copy(x.reshape(N).unwrap(), y.reshape_mut(N).unwrap(), turns).over(N).on(&first).launch().unwrap();
            drop(x);
            // Likely the address of `x`.
            let mut z = device.zeros::<u32>(N).unwrap();
            add(&mut z, 1000).over(N).on(&second).launch().unwrap();
            assert_eq!(y.to_host().unwrap(), [round; N], "{device}");
            assert_eq!(z.to_host().unwrap(), [1000; N], "{device}");
        }
    });
}

#[test]
fn disjoint_slices_run_concurrently() {
    on_each_device(|device| {
        let (slow, fast) = (device.stream().unwrap(), device.stream().unwrap());
        let mut x = device.zeros::<u32>(2 * N).unwrap();
        device.synchronize().unwrap();
        let (a, b) = x.reshape_mut(2 * N).unwrap().split_at(0, N).unwrap();
        slow_add(a, 1, turns(device)).over(N).on(&slow).launch().unwrap();
        slow_add(b, 2, 2).over(N).on(&fast).launch().unwrap();
        fast.synchronize().unwrap();
        if device.is_cuda() {
            assert!(!slow.is_done().unwrap(), "the fast stream has waited for the slow one");
        }
        // Both halves: waits for both streams.
        add(&mut x, 10).over(2 * N).on(&fast).launch().unwrap();
        let values = x.to_host().unwrap();
        assert!(values[..N] == [11; N] && values[N..] == [12; N], "{device}: {values:?}");
    });
}

#[test]
fn events_order_what_arrays_do_not() {
    on_each_device(|device| {
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        let mut x = device.zeros::<u32>(N).unwrap();
        let start = first.record().unwrap();
        slow_add(x.reshape_mut(N).unwrap(), 1, turns(device)).over(N).on(&first).launch().unwrap();
        let end = first.record().unwrap();
        second.wait(&end).unwrap();
        let behind = second.record().unwrap();
        behind.synchronize().unwrap();
        assert!(first.is_done().unwrap() && end.is_done().unwrap() && start.is_done().unwrap());
        let time = end.duration_since(&start).unwrap();
        if device.is_cuda() {
            assert!(time > Duration::from_millis(20) && time < Duration::from_secs(20), "{time:?}");
        }
        assert_eq!(start.duration_since(&end).unwrap(), Duration::ZERO.min(time));
        assert_eq!(end.device(), device);
    });
}

#[test]
fn a_fault_belongs_to_its_stream() {
    on_each_device(|device| {
        let (bad, good) = (device.stream().unwrap(), device.stream().unwrap());
        let mut x = device.zeros::<u32>(4).unwrap();
        let mut y = device.zeros::<u32>(4).unwrap();
        fault_at(&mut x, 7).grid(1).block(1).on(&bad).launch().unwrap();
        add(&mut y, 1).over(4).on(&good).launch().unwrap();
        good.synchronize().expect("the fault is not this stream's");
        assert_eq!(y.to_host().expect("nor this array's"), [1; 4]);
        assert!(matches!(bad.synchronize(), Err(Error::Fault { .. })), "{device}");
        bad.synchronize().expect("a fault is given out once");
        device.synchronize().expect("a fault is given out once");

        // A read of an array that was written on the stream.
        fault_at(&mut x, 7).grid(1).block(1).on(&bad).launch().unwrap();
        assert!(matches!(x.to_host(), Err(Error::Fault { .. })), "{device}");
        assert_eq!(x.to_host().expect("a fault is given out once"), [0; 4]);

        // A wait for an event of the stream.
        fault_at(&mut x, 7).grid(1).block(1).on(&bad).launch().unwrap();
        let event = bad.record().unwrap();
        assert!(matches!(event.synchronize(), Err(Error::Fault { .. })), "{device}");
        bad.synchronize().expect("a fault is given out once");

        // A wait for a copy to a page-locked buffer, which completes all the same.
        let mut buffer = device.to_pinned(&[9u32; 4]).unwrap();
        fault_at(&mut x, 7).grid(1).block(1).on(&bad).launch().unwrap();
        bad.copy(&x, &mut buffer).unwrap();
        assert!(matches!(buffer.as_slice(), Err(Error::Fault { .. })), "{device}");
        assert_eq!(buffer.as_slice().expect("a fault is given out once"), [0; 4]);
        bad.synchronize().expect("a fault is given out once");
    });
}

#[test]
fn a_reused_stream_has_no_earlier_faults() {
    on_each_device(|device| {
        let (mut x, event) = {
            let stream = device.stream().unwrap();
            let mut x = stream.to_device(&[1u32; 4]).unwrap();
            add(&mut x, 1).over(4).on(&stream).launch().unwrap();
            stream.synchronize().unwrap();
            (x, stream.record().unwrap())
        };
        event.synchronize().unwrap();
        // One of these reuses the same stream.
        let streams: Vec<_> = (0..8).map(|_| device.stream().unwrap()).collect();
        let mut y = device.zeros::<u32>(4).unwrap();
        for (round, bad) in streams.iter().enumerate() {
            fault_at(&mut y, 7).grid(1).block(1).on(bad).launch().unwrap();
            assert_eq!(x.to_host().expect("the fault is not this array's"), [2; 4]);
            // Nor does the use of the array without an explicit stream.
            if round % 2 == 0 {
                x.fill(2).unwrap();
            } else {
                x.copy_from_host(&[2; 4]).unwrap();
            }
            assert_eq!(x.to_host().expect("the fault is not this array's"), [2; 4]);
            event.synchronize().expect("the fault is not this event's");
            assert!(matches!(bad.synchronize(), Err(Error::Fault { .. })), "{device}");
        }
    });
}

#[test]
fn a_fault_belongs_to_the_last_holder_of_the_stream() {
    on_each_device(|device| {
        let mut x = device.zeros::<u32>(600).unwrap();
        // More uses than are tracked separately, by one holder of a stream and then by another.
        {
            let stream = device.stream().unwrap();
            for mut part in x.chunks_mut(2).take(256) {
                add(&mut part, 1).over(2).on(&stream).launch().unwrap();
            }
            stream.synchronize().unwrap();
        }
        let stream = device.stream().unwrap();
        let mut last = x.slice_mut(598..).unwrap();
        fault_at(&mut last, 7).grid(1).block(1).on(&stream).launch().unwrap();
        assert!(matches!(x.to_host(), Err(Error::Fault { .. })), "{device}");
        stream.synchronize().expect("a fault is given out once");
    });
}

#[test]
fn synchronizing_the_device_returns_faults_of_all_streams() {
    on_each_device(|device| {
        let mut x = device.zeros::<u32>(4).unwrap();
        for at in [5, 6] {
            // The handle is dropped while the kernel is in flight; its fault is not lost.
            let stream = device.stream().unwrap();
            fault_at(&mut x, at).grid(1).block(1).on(&stream).launch().unwrap();
        }
        fault_at(&mut x, 7).grid(1).block(1).launch().unwrap();
        let mut indices: Vec<String> = Vec::new();
        while let Err(error) = device.synchronize() {
            assert!(matches!(error, Error::Fault { .. }), "{device}: {error}");
            indices.push(error.to_string());
            assert!(indices.len() <= 3, "{device}: given out twice: {indices:?}");
        }
        for index in ["5", "6", "7"] {
            assert!(
                indices.iter().any(|text| text.ends_with(&format!("the index is {index}"))),
                "{device}: {indices:?}"
            );
        }
        assert_eq!(x.to_host().unwrap(), [0; 4]);
    });
}

#[test]
fn streams_are_reused() {
    on_each_device(|device| {
        let mut x = device.zeros::<u32>(N).unwrap();
        for _ in 0..500 {
            let stream = device.stream().unwrap();
            add(&mut x, 1).over(N).on(&stream).launch().unwrap();
            let clone = stream.clone();
            drop(stream);
            add(&mut x, 1).over(N).on(&clone).launch().unwrap();
        }
        assert_eq!(x.to_host().unwrap(), [1000; N]);
        let (a, b) = (device.stream().unwrap(), device.stream().unwrap());
        assert!(a != b && a == a.clone() && a != device.default_stream(), "{device}");
        assert_eq!(device.default_stream(), device.default_stream());
    });
}

#[test]
fn streams_have_priorities() {
    on_each_device(|device| {
        let priorities = device.stream_priorities().unwrap();
        assert!(priorities.contains(&0), "{priorities:?}");
        for priority in [*priorities.start(), *priorities.end(), i32::MIN, i32::MAX] {
            for blocking in [false, true] {
                let stream = Stream::builder(device).priority(priority).blocking(blocking).build().unwrap();
                let mut x = device.zeros::<u32>(N).unwrap();
                add(&mut x, 3).over(N).on(&stream).launch().unwrap();
                stream.synchronize().unwrap();
                assert_eq!(x.to_host().unwrap(), [3; N]);
            }
        }
    });
}

#[test]
fn many_threads_use_few_streams_and_arrays() {
    on_each_device(|device| {
        let streams: Vec<_> = (0..4).map(|_| device.stream().unwrap()).collect();
        let shared = device.to_device(&(0..N as u32).collect::<Vec<_>>()).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8usize {
                let (streams, shared) = (&streams, &shared);
                scope.spawn(move || {
                    let mut own = device.zeros::<u32>(N).unwrap();
                    for round in 0..100usize {
                        let mut copy = device.zeros::<u32>(N).unwrap();
                        let view = || shared.reshape(N).unwrap();
                        let stream = |i: usize| &streams[(thread * 7 + round * 3 + i) % 4];
                        slow_copy(view(), copy.reshape_mut(N).unwrap(), 2).over(N).on(stream(0)).launch().unwrap();
                        add(&mut copy, 1).over(N).on(stream(1)).launch().unwrap();
                        add(&mut own, 1).over(N).on(stream(2)).launch().unwrap();
                        if round % 10 == 0 {
                            let expected: Vec<u32> = (1..=N as u32).collect();
                            assert_eq!(copy.to_host().unwrap(), expected);
                        }
                    }
                    assert_eq!(own.to_host().unwrap(), [100; N]);
                });
            }
        });
        assert_eq!(shared.to_host().unwrap()[N - 1], N as u32 - 1);
    });
}

/// A second stream is created during launches by other threads, each of which passes its array to the thread with the
/// stream.
fn a_second_stream_appears(device: &Device) {
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let sender = sender.clone();
            scope.spawn(move || {
                for _ in 0..200 {
                    let mut x = device.zeros::<u32>(N).unwrap();
                    slow_add(x.reshape_mut(N).unwrap(), 1, 20_000).over(N).launch().unwrap();
                    sender.send(x).unwrap();
                }
            });
        }
        drop(sender);
        // With a delay, so that the others are launching.
        let mut stream = None;
        let mut finished = Vec::new();
        while let Ok(mut x) = receiver.recv() {
            let mut y = device.zeros::<u32>(N).unwrap();
            if finished.len() == 40 {
                stream = Some(device.stream().unwrap());
            }
            let launch = slow_copy(x.reshape(N).unwrap(), y.reshape_mut(N).unwrap(), 2).over(N);
            match &stream {
                Some(stream) => launch.on(stream).launch().unwrap(),
                None => launch.launch().unwrap(),
            }
            add(&mut x, 10).over(N).launch().unwrap();
            finished.push((x, y));
        }
        assert_eq!(finished.len(), 600);
        for (x, y) in finished {
            assert_eq!(y.to_host().unwrap(), [1; N]);
            assert_eq!(x.to_host().unwrap(), [11; N]);
        }
    });
}

#[test]
#[ignore = "run in a process of its own by `launches_continue_while_a_second_stream_is_created`"]
fn second_stream_in_this_process() {
    a_second_stream_appears(&Device::cpu());
    if let Some(gpu) = gpu() {
        a_second_stream_appears(gpu);
    }
}

#[test]
fn launches_continue_while_a_second_stream_is_created() {
    let _alone = alone();
    // The first creation happens once per process.
    let times = if gpu().is_some() { 5 } else { 1 };
    for _ in 0..times {
        passes_in_process("streams::second_stream_in_this_process", &[]);
    }
}

#[test]
fn a_stream_of_another_device_is_rejected() {
    on_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut x = Device::cpu().zeros::<u32>(N).unwrap();
        let error = add(&mut x, 1).over(N).on(&stream).launch().unwrap_err();
        assert!(matches!(error, Error::StreamElsewhere { .. }), "{error}");
        assert!(error.to_string().contains("help: use a stream of that device"), "{error}");
        let (here, there) = (Device::cpu().default_stream().record().unwrap(), stream.record().unwrap());
        assert!(matches!(here.duration_since(&there), Err(Error::EventsApart { .. })));
        // An event of the GPU delays the CPU, and one of the CPU delays nothing.
        Device::cpu().default_stream().wait(&there).unwrap();
        assert!(there.is_done().unwrap());
        stream.wait(&here).unwrap();
    });
}

#[test]
fn a_stream_selects_the_device() {
    /// Adds nothing to an empty array.
    #[kernel]
    fn nothing(at: usize) {
        assert!(at < 10);
    }
    on_each_device(|device| {
        let stream = device.stream().unwrap();
        nothing(3).grid(1).block(1).on(&stream).launch().unwrap();
        stream.synchronize().unwrap();
        nothing(30).grid(1).block(1).on(&stream).launch().unwrap();
        assert!(matches!(stream.synchronize(), Err(Error::Fault { .. })));
    });
}

#[test]
fn waiting_for_completed_work_is_quick() {
    on_each_device(|device| {
        let stream = device.stream().unwrap();
        let start = Instant::now();
        for _ in 0..1000 {
            stream.synchronize().unwrap();
            assert!(stream.is_done().unwrap());
        }
        assert!(start.elapsed() < Duration::from_secs(5));
    });
}

#[test]
fn handles_implement_debug() {
    let device = Device::cpu();
    assert_eq!(format!("{:?}", device.default_stream()), "Stream(on cpu, default)");
    assert_eq!(format!("{:?}", device.stream().unwrap()), "Stream(on cpu)");
    assert_eq!(format!("{:?}", device.default_stream().record().unwrap()), "Event(on cpu)");
    assert!(device.drop_errors().is_empty());
}

#[test]
fn callbacks_are_called_in_order_with_the_work() {
    on_each_device(|device| {
        let stream = device.stream().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        for number in 0..3 {
            let sender = sender.clone();
            stream.callback(move || sender.send(number).unwrap()).unwrap();
        }
        stream.synchronize().unwrap();
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [0, 1, 2]);
    });
}

#[test]
fn a_panic_of_a_callback_is_returned_by_the_next_wait() {
    on_each_device(|device| {
        let stream = device.stream().unwrap();
        stream.callback(|| panic!("in a callback")).unwrap();
        let error = stream.synchronize().unwrap_err();
        assert!(matches!(&error, cumbia::Error::Callback { message } if message == "in a callback"), "{error:?}");
        assert_eq!(error.to_string(), "a callback of a stream panicked: in a callback");
        stream.synchronize().unwrap();
    });
}
