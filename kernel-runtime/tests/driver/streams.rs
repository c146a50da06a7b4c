//! Cost and dependencies of streams: no events with a single stream, and only the necessary ones with several.

use cumbia::prelude::*;
use cumbia::{DeviceArray, Error};

use crate::allocations;
use crate::fake::{Entry, Fake, Operation};
use crate::kernels::saxpy;
use crate::scenarios;
use crate::window;

const ILLEGAL_VALUE: i32 = 1;
const NOT_READY: i32 = 600;

/// Returns the numbers of recorded events, and of waits for events.
fn events(fake: &Fake) -> (i64, i64) {
    (fake.calls("cuEventRecord"), fake.calls("cuStreamWaitEvent"))
}

/// Runs `work`, and checks how many events it records and waits for.
#[track_caller]
fn check<R>(fake: &Fake, (records, waits): (i64, i64), work: impl FnOnce() -> R) -> R {
    let before = events(fake);
    let result = work();
    let after = events(fake);
    assert_eq!((after.0 - before.0, after.1 - before.1), (records, waits), "records and waits");
    result
}

fn zeros(device: &Device) -> DeviceArray<f32> {
    device.zeros(1000).unwrap()
}

/// Ends the process with status 77 unless exactly `LEFT` page-locked allocations are live after Cumbia's exit handler.
fn expect_leaks_at_exit<const LEFT: i64>() {
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

/// Returns whether the last launch of the journal waits for an event that was recorded after the last launch of another stream.
/// `None` without such a wait.
fn last_wait_is_after_last_launch_of_other(fake: &Fake) -> Option<bool> {
    let journal = fake.journal(0);
    let launches = || {
        journal.iter().enumerate().rev().filter_map(|(at, entry)| match *entry {
            Entry::Operation { stream, operation: Operation::Launch, .. } => Some((at, stream)),
            _ => None,
        })
    };
    let (_, own) = launches().next()?;
    let (other, _) = launches().find(|(_, stream)| *stream != own)?;
    let waited_for = journal.iter().rev().find_map(|entry| match *entry {
        Entry::Wait { stream, record } if stream == own => Some(record),
        _ => None,
    })?;
    let recorded =
        journal.iter().position(|entry| matches!(entry, Entry::Record { record, .. } if *record == waited_for))?;
    Some(recorded > other)
}

scenarios! {
    fn a_single_stream_records_no_events() {
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

    fn a_stream_without_waiters_records_no_events() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        let (x, mut y, mut z) = (zeros(&device), zeros(&device), zeros(&device));
        device.synchronize().unwrap();
        // No stream has waited for the first one yet; a new stream nevertheless records events for a number of operations.
        for _ in 0..100 {
            step(&first, &x, &mut y);
        }
        check(&fake, (0, 0), || (0..1000).for_each(|_| step(&first, &x, &mut y)));
        // A waiter now waits for all earlier operations, and for the allocation on the default stream.
        check(&fake, (2, 2), || step(&second, &y, &mut z));
        // From now on each operation records an event. The first one waits for the reader of the array (WAR).
        check(&fake, (1, 1), || step(&first, &x, &mut y));
        check(&fake, (3, 0), || (0..3).for_each(|_| step(&first, &x, &mut y)));
    }

    fn a_second_stream_waits_for_earlier_work() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device), zeros(&device));
        step(&device.default_stream(), &x, &mut y);
        check(&fake, (1, 1), || drop(device.stream().unwrap()));
        // The same pooled stream again.
        check(&fake, (0, 0), || drop(device.stream().unwrap()));
        let first = device.stream().unwrap();
        check(&fake, (0, 1), || drop(device.stream().unwrap()));
        // Earlier operations were not recorded, and need not be.
        check(&fake, (1, 0), || step(&first, &x, &mut y));
    }

    fn a_stream_waits_for_its_hazards() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (a, b) = (device.stream().unwrap(), device.stream().unwrap());
        let [x, mut y, mut z, mut w] = [(); 4].map(|()| zeros(&device));
        check(&fake, (1, 1), || step(&a, &x, &mut y)); // both were allocated on the default stream: one wait
        check(&fake, (1, 0), || step(&a, &x, &mut y));
        check(&fake, (1, 2), || step(&b, &y, &mut z)); // for the write on `a`, and the allocation of `z`
        check(&fake, (1, 0), || step(&b, &y, &mut z)); // it has waited for that already
        check(&fake, (1, 0), || step(&b, &x, &mut z)); // two streams read `x`
        check(&fake, (1, 1), || step(&a, &x, &mut y)); // `b` has read `y`
        check(&fake, (1, 1), || step(&a, &x, &mut w)); // it was allocated last of all
        check(&fake, (1, 1), || step(&device.default_stream(), &x, &mut w));
        // A copy to the host waits for the last write (RAW), not for reads.
        check(&fake, (1, 0), || drop(y.to_host().unwrap()));
        check(&fake, (1, 1), || step(&a, &z, &mut y));
    }

    /// A stream that alone uses arrays launches as if there were no other stream: without locks, records and allocations. The
    /// first use by another stream waits for all of that.
    fn an_owner_of_arrays_records_nothing() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let second = device.stream().unwrap();
        let (x, mut y, mut z) = (zeros(&device), zeros(&device), zeros(&device));
        let launch = |x: &DeviceArray<f32>, y: &mut DeviceArray<f32>| saxpy(1.0, x, y).over(1000).launch().unwrap();
        // A new stream records events for a number of operations.
        (0..100).for_each(|_| launch(&x, &mut y));
        assert_eq!(allocations::each_time(|| (0..100).for_each(|_| launch(&x, &mut y))), 0);
        check(&fake, (0, 0), || (0..100).for_each(|_| launch(&x, &mut y)));
        let prepared = saxpy(1.0, &x, &mut y).over(1000).prepare().unwrap();
        check(&fake, (0, 0), || (0..100).for_each(|_| prepared.launch().unwrap()));
        drop(prepared);
        // It waits for the owner of `y` (RAW) and the allocation of `z`, on the same stream: one event covers both. Its
        // own event is the second.
        check(&fake, (2, 1), || step(&second, &y, &mut z));
        let wait = fake.last_wait();
        assert!(wait.stream != wait.recorded_on && wait.record != 0);
        // The former owner waits for the reader (WAR), and reads `x` without a wait.
        check(&fake, (1, 1), || launch(&x, &mut y));
        // Two readers have no hazard, whoever owns the array.
        check(&fake, (1, 0), || step(&second, &x, &mut z));
    }

    /// The same on a created stream.
    fn an_owner_that_is_a_created_stream_records_nothing() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        let (x, mut y, mut z) = (zeros(&device), zeros(&device), zeros(&device));
        (0..100).for_each(|_| step(&first, &x, &mut y));
        assert_eq!(allocations::each_time(|| (0..100).for_each(|_| step(&first, &x, &mut y))), 0);
        check(&fake, (0, 0), || (0..100).for_each(|_| step(&first, &x, &mut y)));
        let (calls, journal) = (fake.all_calls(), fake.journal(0).len());
        (0..100).for_each(|_| step(&first, &x, &mut y));
        assert_eq!(fake.all_calls() - calls, 200);
        let prepared = saxpy(1.0, &x, &mut y).over(1000).on(&first).prepare().unwrap();
        prepared.launch().unwrap();
        let launches = fake.journal(journal);
        assert!(launches.len() == 101 && launches.iter().all(|launch| *launch == launches[0]));
        assert_ne!(fake.journal(0)[0], launches[0], "the allocation on the default stream");
        assert_eq!(allocations::each_time(|| (0..100).for_each(|_| prepared.launch().unwrap())), 0);
        check(&fake, (0, 0), || (0..100).for_each(|_| prepared.launch().unwrap()));
        drop(prepared);
        // It waits for the owner of `y` (RAW), and for the allocation of `z` on the default stream.
        check(&fake, (2, 2), || step(&second, &y, &mut z));
        // The default stream waits for the reader (WAR) and the writer (WAW).
        check(&fake, (1, 2), || saxpy(1.0, &x, &mut y).over(1000).launch().unwrap());
        // A cached launch is not enqueued on a stream of another device.
        let error = saxpy(1.0, &x, &mut y).over(1000).on(&Device::cpu().default_stream()).launch().unwrap_err();
        assert!(matches!(error, Error::StreamElsewhere { .. }), "{error}");
    }

    /// Several streams that read an array record nothing; a writer waits for all of them.
    fn streams_that_read_an_array_record_nothing() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let streams = [device.default_stream(), device.stream().unwrap(), device.stream().unwrap()];
        let mut x = zeros(&device);
        let mut own = [(); 3].map(|()| zeros(&device));
        let mut read = |x: &DeviceArray<f32>| {
            for (stream, own) in streams.iter().zip(&mut own) {
                step(stream, x, own);
            }
        };
        // New streams record events for a number of operations.
        (0..100).for_each(|_| read(&x));
        assert_eq!(allocations::each_time(|| (0..100).for_each(|_| read(&x))), 0);
        check(&fake, (0, 0), || (0..100).for_each(|_| read(&x)));
        // It waits for the two others (WAR).
        let first = fake.journal(0).len();
        x.fill(0.0).unwrap();
        let waits = fake.journal(first).iter().filter(|entry| matches!(entry, Entry::Wait { .. })).count();
        assert_eq!(waits, 2);
        // Each reader waits for the write (RAW), once.
        let waits = fake.calls("cuStreamWaitEvent");
        (0..100).for_each(|_| read(&x));
        assert_eq!(fake.calls("cuStreamWaitEvent") - waits, 2);
        let records = fake.calls("cuEventRecord");
        (0..100).for_each(|_| read(&x));
        assert_eq!(fake.calls("cuEventRecord") - records, 0);
    }

    /// An array that two streams write alternately costs one event and one wait for each launch, and no validation.
    fn an_array_that_streams_write_alternately_is_not_validated_again() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let streams = [device.default_stream(), device.stream().unwrap()];
        let (x, mut y) = (zeros(&device), zeros(&device));
        let mut alternate = || streams.iter().for_each(|stream| step(stream, &x, &mut y));
        (0..10).for_each(|_| alternate());
        assert_eq!(allocations::each_time(|| (0..100).for_each(|_| alternate())), 0);
        check(&fake, (200, 200), || (0..100).for_each(|_| alternate()));
    }

    /// An empty array is never accessed, and does not keep a launch from the fast path.
    fn empty_arrays_have_no_owner() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let stream = device.stream().unwrap();
        let (empty, full, mut y) = (device.zeros::<f32>(0).unwrap(), zeros(&device), zeros(&device));
        for stream in [device.default_stream(), stream] {
            let mut launch = || {
                step(&stream, &empty, &mut y);
                saxpy(1.0, &full.slice(7..7).unwrap(), &mut y).over(1000).on(&stream).launch().unwrap();
            };
            (0..50).for_each(|_| launch());
            assert_eq!(allocations::each_time(|| (0..10).for_each(|_| launch())), 0);
            check(&fake, (0, 0), || (0..10).for_each(|_| launch()));
        }
    }

    /// Once only the default stream is left, accesses are not recorded any more.
    fn the_single_stream_state_returns() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let on_default = device.default_stream();
        let [x, mut y, mut z, mut w] = [(); 4].map(|()| zeros(&device));
        let first = device.stream().unwrap();
        step(&first, &x, &mut y);
        // It is in use.
        device.synchronize().unwrap();
        check(&fake, (1, 0), || step(&on_default, &x, &mut z));
        drop(first);
        // It is busy: all streams are queried, of which there is one.
        fake.reject("cuStreamQuery", NOT_READY, 0, 1);
        device.synchronize().unwrap();
        check(&fake, (1, 0), || step(&on_default, &x, &mut w));
        check(&fake, (1, 1), || step(&on_default, &x, &mut y));
        device.synchronize().unwrap();
        check(&fake, (0, 0), || [&mut y, &mut z, &mut w].map(|own| step(&on_default, &x, own)));
        // A copy to the host is in the order of the default stream, though the array was written on the other one last time that
        // an access was recorded.
        let journal = fake.journal(0).len();
        y.to_host().unwrap();
        let [Entry::Operation { stream, operation: Operation::Copy, .. }, Entry::Synchronise { .. }] = fake.journal(journal)[..]
        else {
            panic!("{:?}", fake.journal(journal));
        };
        // The pooled stream again: it waits for everything that was enqueued meanwhile.
        let again = check(&fake, (1, 1), || device.stream().unwrap());
        assert_eq!((fake.last_wait().recorded_on as i64, fake.calls("cuStreamCreateWithPriority")), (stream, 2));
        check(&fake, (1, 0), || step(&again, &x, &mut y));
        check(&fake, (1, 1), || step(&on_default, &x, &mut y));
    }

    /// External memory is freed in the order of its stream, also after accesses that were not recorded.
    fn external_memory_is_freed_after_all_accesses() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (stream, on_default) = (device.stream().unwrap(), device.default_stream());
        let (mut x, mut y) = (zeros(&device), zeros(&device));
        let mut external = || {
            // SAFETY: `x` has that many elements, and is not accessed otherwise.
            let array = unsafe { DeviceArray::from_raw_parts(&stream, x.as_mut_ptr(), 1000, ()) };
            array.unwrap()
        };
        let [first, second] = [external(), external()];
        step(&on_default, &first, &mut y);
        check(&fake, (0, 1), || drop(first));
        drop(stream);
        device.synchronize().unwrap();
        check(&fake, (0, 0), || step(&on_default, &second, &mut y));
        check(&fake, (1, 1), || drop(second));
        let wait = fake.last_wait();
        assert!(wait.stream != wait.recorded_on);
    }

    /// A device whose memory a stream of another one accesses records accesses forever.
    fn a_peer_copy_ends_the_single_stream_state("FAKE_DEVICES" = "2") {
        let (first, second, fake) = (Device::cuda(0).unwrap(), Device::cuda(1).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&first), zeros(&second));
        y.copy_from(&x).unwrap();
        drop(first.stream().unwrap());
        for device in [&first, &second] {
            device.synchronize().unwrap();
            let (x, mut y) = (zeros(device), zeros(device));
            check(&fake, (1, 0), || step(&device.default_stream(), &x, &mut y));
        }
    }

    /// A launch of the only stream is recorded if a second one is created while the driver enqueues it.
    fn a_stream_that_is_created_during_a_launch_waits_for_it() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y, mut z) = (zeros(&device), zeros(&device), zeros(&device));
        let mut launch = || saxpy(1.0, &x, &mut y).over(1000).launch().unwrap();
        launch();
        let mut second = None;
        window::during(&fake, "cuLaunchKernel", &mut launch, || second = Some(device.stream().unwrap()));
        check(&fake, (1, 1), || step(&second.unwrap(), &y, &mut z));
        assert_eq!(last_wait_is_after_last_launch_of_other(&fake), Some(true));
    }

    /// An owner's launch is recorded if the ownership is revoked while the driver enqueues it. Both launches read `x`.
    fn an_ownership_that_is_revoked_during_a_launch() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let second = device.stream().unwrap();
        let (mut x, mut y, mut z) = (zeros(&device), zeros(&device), zeros(&device));
        (0..10).for_each(|_| x.fill(0.0).unwrap());
        (0..100).for_each(|_| saxpy(1.0, &x, &mut y).over(1000).launch().unwrap());
        // The thread has the launch in its cache.
        let launch = || saxpy(1.0, &x, &mut y).over(1000).launch().unwrap();
        window::during(&fake, "cuLaunchKernel", launch, || step(&second, &x, &mut z));
        // It waits for that read of the default stream (WAR).
        check(&fake, (1, 1), || step(&second, &z, &mut x));
        assert_eq!(last_wait_is_after_last_launch_of_other(&fake), Some(true));
    }

    /// A launch of the only stream is recorded after another stream has become the owner of the array by reading another part.
    fn an_ownership_that_begins_during_a_launch() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y, mut z) = (zeros(&device), zeros(&device), zeros(&device));
        let mut second = None;
        saxpy(1.0, &x, &mut y).over(1000).launch().unwrap();
        let (mut lower, upper) = y.split_at_mut(500).unwrap();
        let launch = || saxpy(1.0, &x, &mut lower).over(1000).launch().unwrap();
        window::during(&fake, "cuLaunchKernel", launch, || {
            let stream = second.insert(device.stream().unwrap());
            (0..10).for_each(|_| saxpy(1.0, &upper, &mut z).over(1000).on(stream).launch().unwrap());
        });
        step(&second.unwrap(), &y, &mut z);
        assert_eq!(last_wait_is_after_last_launch_of_other(&fake), Some(true));
    }

    fn disjoint_slices_have_no_hazards() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (a, b) = (device.stream().unwrap(), device.stream().unwrap());
        let (x, mut y) = (zeros(&device), zeros(&device));
        // Both streams have waited for the allocation.
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

    /// Two GPUs with one stream each: a peer copy is a dependency for both.
    fn a_peer_copy_is_a_dependency_on_both_gpus("FAKE_DEVICES" = "2") {
        let (first, second, fake) = (Device::cuda(0).unwrap(), Device::cuda(1).unwrap(), Fake::of_process());
        let [mut x, z] = [(); 2].map(|()| zeros(&first));
        let [mut y, w] = [(); 2].map(|()| zeros(&second));
        // Each GPU leaves its single-stream state with an event; the copy waits for the other GPU's work, and is recorded.
        check(&fake, (3, 1), || y.copy_from(&x).unwrap());
        // `x` is written on the first GPU, after the copy that read it on a stream of the second (WAR).
        check(&fake, (1, 1), || step(&first.default_stream(), &z, &mut x));
        // On the second GPU it is the same stream.
        check(&fake, (1, 0), || step(&second.default_stream(), &w, &mut y));
    }

    /// Streams and their resources are pooled and reused.
    fn streams_are_pooled() {
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

    /// If an event cannot be recorded, the stream is synchronised instead.
    fn a_failed_event_record_falls_back_to_synchronisation() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let stream = device.stream().unwrap();
        let (x, mut y) = (zeros(&device), zeros(&device));
        fake.reject("cuEventRecord", ILLEGAL_VALUE, 0, i64::MAX);
        let before = fake.calls("cuStreamSynchronize");
        step(&stream, &x, &mut y);
        assert_eq!(fake.calls("cuStreamSynchronize") - before, 1);
        drop((x, y));
        assert_eq!(fake.allocations(), 0);
    }

    fn a_failed_wait_prevents_the_launch() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let stream = device.stream().unwrap();
        let (x, mut y) = (zeros(&device), zeros(&device));
        fake.reject("cuStreamWaitEvent", ILLEGAL_VALUE, 0, 1);
        let error = saxpy(1.0, &x, &mut y).over(1000).on(&stream).launch().unwrap_err();
        assert!(matches!(error, Error::Driver { call: "cuStreamWaitEvent", .. }), "{error}");
        assert_eq!(fake.calls("cuLaunchKernel"), 0);
        step(&stream, &x, &mut y);
        assert_eq!(fake.calls("cuLaunchKernel"), 1);
    }

    fn errors_in_destructors_are_kept() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device), zeros(&device));
        fake.reject("cuMemFreeAsync", ILLEGAL_VALUE, 0, 1);
        drop(x);
        let event = device.default_stream().record().unwrap();
        fake.reject("cuEventDestroy_v2", ILLEGAL_VALUE, 0, 1);
        drop(event);
        // Unrelated calls do not return these errors.
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
        assert!(device.drop_errors().is_empty(), "each error is returned once");
    }

    /// Uses of an array by many threads on many streams: no leaks and no deadlock.
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

    fn callbacks_are_called_on_another_thread_and_cannot_use_the_gpu() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let stream = device.stream().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let here = std::thread::current().id();
        let inside = stream.clone();
        stream
            .callback(move || {
                let zeros = inside.device().zeros::<f32>(1000).map(drop);
                sender.send((std::thread::current().id(), zeros, inside.synchronize())).unwrap();
            })
            .unwrap();
        let (thread, zeros, waited) = receiver.recv().unwrap();
        assert_ne!(thread, here);
        for result in [zeros, waited] {
            assert!(matches!(result, Err(Error::Driver { call: "cuLaunchHostFunc", .. })), "{result:?}");
        }
        stream.synchronize().unwrap();
        device.zeros::<f32>(10).unwrap();
        assert_eq!(fake.calls("cuLaunchHostFunc"), 1);
    }

    fn a_panic_of_a_callback_is_returned_once() {
        let device = Device::cuda(0).unwrap();
        let stream = device.stream().unwrap();
        stream.callback(|| panic!("the first")).unwrap();
        stream.callback(|| panic!("the second")).unwrap();
        let error = stream.synchronize().unwrap_err();
        assert!(matches!(&error, Error::Callback { message } if message == "the first"), "{error:?}");
        stream.synchronize().unwrap();
        // It is not lost with the stream.
        stream.callback(|| panic!("the third")).unwrap();
        drop(stream);
        let other = device.stream().unwrap();
        other.synchronize().unwrap();
        assert!(matches!(device.synchronize(), Err(Error::Callback { message }) if message == "the third"));
    }

    fn a_rejected_callback_is_dropped() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let owned = std::sync::Arc::new(());
        let inside = owned.clone();
        fake.reject("cuLaunchHostFunc", ILLEGAL_VALUE, 0, 1);
        let result = device.default_stream().callback(move || drop(inside));
        assert!(matches!(result, Err(Error::Driver { call: "cuLaunchHostFunc", .. })), "{result:?}");
        assert_eq!(std::sync::Arc::strong_count(&owned), 1);
        device.synchronize().unwrap();
    }

    fn process_exit_frees_everything() {
        expect_leaks_at_exit::<0>();
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let kept = device.stream().unwrap();
        let (x, mut y) = (zeros(&device), zeros(&device));
        step(&kept, &x, &mut y);
        step(&device.stream().unwrap(), &x, &mut y);
        assert_eq!(fake.calls("cuMemHostAlloc"), 3);
        // A leaked handle does not count.
        std::mem::forget(kept);
    }

    /// If the GPU is busy when the process ends, memory that its kernels write is not freed.
    fn process_exit_does_not_wait_for_the_gpu() {
        expect_leaks_at_exit::<2>();
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let _stream = device.stream().unwrap();
        assert_eq!(fake.calls("cuMemHostAlloc"), 2);
        fake.reject("cuStreamQuery", NOT_READY, 0, i64::MAX);
    }
}
