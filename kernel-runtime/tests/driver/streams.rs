//! What streams cost, and what they wait for: nothing while there is one, and no more than is needed then.

use cumbia::prelude::*;
use cumbia::{DeviceArray, Error};

use crate::fake::Fake;
use crate::kernels::saxpy;
use crate::scenarios;

const ILLEGAL_VALUE: i32 = 1;
const NOT_READY: i32 = 600;

/// How many events were recorded and waited for by streams.
fn events(fake: &Fake) -> (i64, i64) {
    (fake.calls("cuEventRecord"), fake.calls("cuStreamWaitEvent"))
}

/// Does `work`, which is to record so many events and wait for so many.
#[track_caller]
fn check(fake: &Fake, (records, waits): (i64, i64), work: impl FnOnce()) {
    let before = events(fake);
    work();
    let after = events(fake);
    assert_eq!((after.0 - before.0, after.1 - before.1), (records, waits), "records and waits");
}

fn zeros(device: &Device) -> DeviceArray<f32> {
    device.zeros(1000).unwrap()
}

/// Ends the process with 77 if, after all that Cumbia does at its end, this many of the allocations that the GPU writes on the
/// host are left.
fn leave_at_the_end<const LEFT: i64>() {
    extern "C" fn check<const LEFT: i64>() {
        let fake = Fake::of_process();
        if fake.calls("cuMemHostAlloc") - fake.calls("cuMemFreeHost") != LEFT {
            // SAFETY: it ends the process.
            unsafe { libc::_exit(77) };
        }
    }
    // Handlers run in the reverse order, and Cumbia's comes with the first device.
    // SAFETY: the handler does not unwind.
    assert_eq!(unsafe { libc::atexit(check::<LEFT>) }, 0);
}

/// A kernel that reads `x` and writes `y`.
fn step(stream: &Stream, x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) {
    saxpy(1.0, x, y).over(1000).on(stream).launch().unwrap();
}

scenarios! {
    fn one_stream_needs_no_events() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device), zeros(&device));
        for _ in 0..100 {
            step(&device.default_stream(), &x, &mut y);
        }
        y.to_host().unwrap();
        drop((x, y));
        device.synchronize().unwrap();
        assert_eq!((events(&fake), fake.calls("cuEventCreate")), ((0, 0), 0));
        assert_eq!(fake.calls("cuStreamCreateWithPriority"), 1);
    }

    fn a_stream_that_nobody_waits_for_needs_no_events() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        let (x, mut y, mut z) = (zeros(&device), zeros(&device), zeros(&device));
        device.synchronize().unwrap();
        // Nobody has waited for the first yet; that somebody may is expected of a new stream for a while.
        for _ in 0..100 {
            step(&first, &x, &mut y);
        }
        check(&fake, (0, 0), || (0..1000).for_each(|_| step(&first, &x, &mut y)));
        // Who waits now waits for all of it, and for the allocation on the default stream.
        check(&fake, (2, 2), || step(&second, &y, &mut z));
        // From there on its operations have events of their own. The first one waits for who read the array.
        check(&fake, (1, 1), || step(&first, &x, &mut y));
        check(&fake, (3, 0), || (0..3).for_each(|_| step(&first, &x, &mut y)));
    }

    fn a_second_stream_waits_for_what_was_done_before() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device), zeros(&device));
        step(&device.default_stream(), &x, &mut y);
        check(&fake, (1, 1), || drop(device.stream().unwrap()));
        // The same one again.
        check(&fake, (0, 0), || drop(device.stream().unwrap()));
        let first = device.stream().unwrap();
        check(&fake, (0, 1), || drop(device.stream().unwrap()));
        // What was asked for before was not noted, and need not be.
        check(&fake, (1, 0), || step(&first, &x, &mut y));
    }

    fn a_stream_waits_for_what_it_must_not_overtake() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (a, b) = (device.stream().unwrap(), device.stream().unwrap());
        let [x, mut y, mut z, mut w] = [(); 4].map(|()| zeros(&device));
        check(&fake, (1, 1), || step(&a, &x, &mut y)); // both were allocated on the default stream: one wait
        check(&fake, (1, 0), || step(&a, &x, &mut y));
        check(&fake, (1, 2), || step(&b, &y, &mut z)); // for the write on `a`, and the allocation of `z`
        check(&fake, (1, 0), || step(&b, &y, &mut z)); // it has waited for that
        check(&fake, (1, 0), || step(&b, &x, &mut z)); // two streams read `x`
        check(&fake, (1, 1), || step(&a, &x, &mut y)); // `b` has read `y`
        check(&fake, (1, 1), || step(&a, &x, &mut w)); // it was allocated last of all
        check(&fake, (1, 1), || step(&device.default_stream(), &x, &mut w));
        // A copy waits where the array was written last, and what was read elsewhere is no matter.
        check(&fake, (1, 0), || drop(y.to_host().unwrap()));
        check(&fake, (1, 1), || step(&a, &z, &mut y));
    }

    fn parts_of_an_array_do_not_wait_for_each_other() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (a, b) = (device.stream().unwrap(), device.stream().unwrap());
        let (x, mut y) = (zeros(&device), zeros(&device));
        // Both streams have seen the allocation.
        step(&a, &x, &mut y);
        step(&b, &x, &mut y);
        step(&a, &x, &mut y);
        a.synchronize().unwrap();
        let (mut first, mut second) = y.split_at_mut(500).unwrap();
        check(&fake, (1, 1), || saxpy(1.0, &x, &mut second).over(500).on(&b).launch().unwrap());
        check(&fake, (1, 0), || saxpy(1.0, &x, &mut first).over(500).on(&a).launch().unwrap());
        check(&fake, (1, 0), || saxpy(1.0, &x, &mut second).over(500).on(&b).launch().unwrap());
        check(&fake, (1, 1), || step(&a, &x, &mut y));
    }

    /// Two GPUs with a stream each: a copy between them is an operation that either has to wait for.
    fn a_copy_between_gpus_is_waited_for_on_both("FAKE_DEVICES" = "2") {
        let (first, second, fake) = (Device::cuda(0).unwrap(), Device::cuda(1).unwrap(), Fake::of_process());
        let [mut x, z] = [(); 2].map(|()| zeros(&first));
        let [mut y, w] = [(); 2].map(|()| zeros(&second));
        // Each GPU's solitude ends with an event; the copy waits for what the other had done, and is noted.
        check(&fake, (3, 1), || y.copy_from(&x).unwrap());
        // `x` is written on the first GPU: behind the copy, which read it on a stream of the second.
        check(&fake, (1, 1), || step(&first.default_stream(), &z, &mut x));
        // On the second GPU it is the same stream.
        check(&fake, (1, 0), || step(&second.default_stream(), &w, &mut y));
    }

    /// Streams are kept and handed out again, with what belongs to them.
    fn very_many_streams_are_few() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device), zeros(&device));
        for _ in 0..10_000 {
            let stream = device.stream().unwrap();
            step(&stream, &x, &mut y);
        }
        assert_eq!(fake.calls("cuStreamCreateWithPriority"), 2);
        assert!(fake.calls("cuEventCreate") < 200, "{}", fake.calls("cuEventCreate"));
        let kept: Vec<Stream> = (0..10).map(|_| device.stream().unwrap()).collect();
        assert_eq!(fake.calls("cuStreamCreateWithPriority"), 11);
        drop(kept);
        let _urgent = Stream::builder(&device).priority(-1).build().unwrap();
        assert_eq!(fake.calls("cuStreamCreateWithPriority"), 12);
    }

    /// Where there is no event to wait for, the operation itself is waited for.
    fn without_events_all_is_in_order() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let stream = device.stream().unwrap();
        let (x, mut y) = (zeros(&device), zeros(&device));
        fake.refuse("cuEventRecord", ILLEGAL_VALUE, 0, i64::MAX);
        let before = fake.calls("cuStreamSynchronize");
        step(&stream, &x, &mut y);
        assert_eq!(fake.calls("cuStreamSynchronize") - before, 1);
        drop((x, y));
        assert_eq!(fake.allocations(), 0);
    }

    fn a_wait_that_is_refused_is_an_error_and_nothing_runs() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let stream = device.stream().unwrap();
        let (x, mut y) = (zeros(&device), zeros(&device));
        fake.refuse("cuStreamWaitEvent", ILLEGAL_VALUE, 0, 1);
        let error = saxpy(1.0, &x, &mut y).over(1000).on(&stream).launch().unwrap_err();
        assert!(matches!(error, Error::Driver { call: "cuStreamWaitEvent", .. }), "{error}");
        assert_eq!(fake.calls("cuLaunchKernel"), 0);
        step(&stream, &x, &mut y);
        assert_eq!(fake.calls("cuLaunchKernel"), 1);
    }

    fn errors_while_dropping_are_kept() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device), zeros(&device));
        fake.refuse("cuMemFreeAsync", ILLEGAL_VALUE, 0, 1);
        drop(x);
        let event = device.default_stream().record().unwrap();
        fake.refuse("cuEventDestroy_v2", ILLEGAL_VALUE, 0, 1);
        drop(event);
        // No call that has nothing to do with it says so.
        let x = zeros(&device);
        step(&device.default_stream(), &x, &mut y);
        device.synchronize().unwrap();
        let errors = device.drop_errors();
        let calls: Vec<_> = errors
            .iter()
            .map(|error| match error {
                Error::Driver { call, .. } => *call,
                other => panic!("{other}"),
            })
            .collect();
        assert_eq!(calls, ["cuMemFreeAsync", "cuEventDestroy_v2"]);
        assert!(device.drop_errors().is_empty(), "each is given once");
    }

    /// Uses of an array by many threads on many streams: nothing is left, and nothing hangs.
    fn many_threads_and_streams() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let streams: Vec<Stream> = (0..4).map(|_| device.stream().unwrap()).collect();
        let shared = zeros(&device);
        std::thread::scope(|scope| {
            for thread in 0..8usize {
                let (device, streams, shared) = (&device, &streams, &shared);
                scope.spawn(move || {
                    for round in 0..500usize {
                        let mut own = zeros(device);
                        step(&streams[(thread + round) % 4], shared, &mut own);
                        step(&streams[(thread * 3 + round) % 4], shared, &mut own);
                        streams[round % 4].wait(&streams[(round + 1) % 4].record().unwrap()).unwrap();
                    }
                });
            }
        });
        device.synchronize().unwrap();
        drop(shared);
        assert_eq!(fake.allocations(), 0);
        assert!(device.drop_errors().is_empty());
    }

    fn nothing_is_left_at_the_end() {
        leave_at_the_end::<0>();
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let kept = device.stream().unwrap();
        let (x, mut y) = (zeros(&device), zeros(&device));
        step(&kept, &x, &mut y);
        step(&device.stream().unwrap(), &x, &mut y);
        assert_eq!(fake.calls("cuMemHostAlloc"), 3);
        // A handle that is never dropped is nobody's fault.
        std::mem::forget(kept);
    }

    /// Where the GPU is at work when the process ends, what its kernels write stays.
    fn the_end_waits_for_nothing() {
        leave_at_the_end::<2>();
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let _stream = device.stream().unwrap();
        assert_eq!(fake.calls("cuMemHostAlloc"), 2);
        fake.refuse("cuStreamQuery", NOT_READY, 0, i64::MAX);
    }
}
