//! Cost and dependencies of streams: no events with a single stream, and only the necessary ones with several.

use std::collections::HashMap;

use cumbia::prelude::*;
use cumbia::{DeviceArray, Error};

use crate::allocations;
use crate::fake::{Entry, Fake};
use crate::kernels::saxpy;
use crate::scenarios;

const ILLEGAL_VALUE: i32 = 1;
const NOT_READY: i32 = 600;

/// Returns the numbers of recorded events, and of waits for events.
fn events(fake: &Fake) -> (i64, i64) {
    (fake.calls("cuEventRecord"), fake.calls("cuStreamWaitEvent"))
}

/// Runs `work`, and checks how many events it records and waits for.
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

/// A launch that reads one array and writes another.
struct Done {
    stream: i64,
    /// The number of the launch on its stream, from 1.
    number: usize,
    read: usize,
    written: usize,
}

fn random_launches(seed: u64) {
    const ARRAYS: usize = 5;
    let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
    let first = fake.journal(0).len();
    let mut random = fastrand::Rng::with_seed(seed);
    let streams = [device.default_stream(), device.stream().unwrap(), device.stream().unwrap()];
    let mut arrays: Vec<_> = (0..ARRAYS).map(|_| zeros(&device)).collect();
    let mut launches = Vec::new();
    let (mut on, mut read, mut written) = (0, 0, 1);
    for _ in 0..600 {
        if random.u8(..) < 40 {
            on = random.usize(..streams.len());
        }
        if random.u8(..) < 60 {
            read = random.usize(..ARRAYS);
            written = (read + random.usize(1..ARRAYS)) % ARRAYS;
        }
        let [x, y] = arrays.get_disjoint_mut([read, written]).unwrap();
        if on == 0 && random.bool() {
            saxpy(1.0, &*x, y).over(1000).launch().unwrap();
        } else {
            step(&streams[on], x, y);
        }
        launches.push((read, written));
    }
    // For each stream, the launches of each other stream that its next operation is ordered after.
    let mut clocks: HashMap<i64, HashMap<i64, usize>> = HashMap::new();
    let mut records: HashMap<i64, HashMap<i64, usize>> = HashMap::new();
    let mut done: Vec<Done> = Vec::new();
    let mut launches = launches.into_iter();
    let mut hazards = 0;
    for entry in fake.journal(first) {
        match entry {
            Entry::Record { stream, record } => _ = records.insert(record, clocks.entry(stream).or_default().clone()),
            Entry::Wait { stream, record } => {
                let clock = clocks.entry(stream).or_default();
                for (other, number) in records.get(&record).into_iter().flatten() {
                    let known = clock.entry(*other).or_default();
                    *known = (*known).max(*number);
                }
            }
            Entry::Launch { stream } => {
                let (read, written) = launches.next().expect("a launch of this test");
                let clock = clocks.entry(stream).or_default();
                for earlier in done.iter().filter(|earlier| earlier.stream != stream) {
                    if earlier.written == written || earlier.read == written || earlier.written == read {
                        hazards += 1;
                        let known = clock.get(&earlier.stream).copied().unwrap_or(0);
                        assert!(known >= earlier.number, "seed {seed}, launch {}: overtakes one", done.len());
                    }
                }
                let number = clock.entry(stream).or_default();
                *number += 1;
                done.push(Done { stream, number: *number, read, written });
            }
        }
    }
    assert!(launches.next().is_none() && hazards > 1000, "seed {seed}: {hazards} hazards");
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
        // It waits for the owner of `y` (RAW) and the allocation of `z`, on the same stream: one event covers both. Its own event is the second.
        check(&fake, (2, 1), || step(&second, &y, &mut z));
        let wait = fake.last_wait();
        assert!(wait.stream != wait.recorded_on && wait.record != 0);
        // The former owner waits for the reader (WAR), and reads `x` without a wait.
        check(&fake, (1, 1), || launch(&x, &mut y));
        // Two readers have no hazard, whoever owns the array.
        check(&fake, (1, 0), || step(&second, &x, &mut z));
    }

    /// Random launches on random streams, most of them on the stream of the last one so that streams become owners: each
    /// launch is ordered after all earlier ones that it has a hazard with.
    fn random_launches_wait_for_all_hazards() {
        for seed in 0..20 {
            random_launches(seed);
        }
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
        fake.refuse("cuEventRecord", ILLEGAL_VALUE, 0, i64::MAX);
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
        fake.refuse("cuStreamWaitEvent", ILLEGAL_VALUE, 0, 1);
        let error = saxpy(1.0, &x, &mut y).over(1000).on(&stream).launch().unwrap_err();
        assert!(matches!(error, Error::Driver { call: "cuStreamWaitEvent", .. }), "{error}");
        assert_eq!(fake.calls("cuLaunchKernel"), 0);
        step(&stream, &x, &mut y);
        assert_eq!(fake.calls("cuLaunchKernel"), 1);
    }

    fn errors_in_destructors_are_kept() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device), zeros(&device));
        fake.refuse("cuMemFreeAsync", ILLEGAL_VALUE, 0, 1);
        drop(x);
        let event = device.default_stream().record().unwrap();
        fake.refuse("cuEventDestroy_v2", ILLEGAL_VALUE, 0, 1);
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
        fake.refuse("cuStreamQuery", NOT_READY, 0, i64::MAX);
    }
}
