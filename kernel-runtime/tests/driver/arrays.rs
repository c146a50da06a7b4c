//! Driver calls of copies, fills and page-locked buffers, and their error handling.

use cumbia::prelude::*;
use cumbia::{DeviceArray, Error};

use crate::fake::Fake;
use crate::kernels::saxpy;
use crate::scenarios;

const OUT_OF_MEMORY: i32 = 2;
const INVALID_VALUE: i32 = 1;

/// Runs `work`, and checks how often it calls each function.
#[track_caller]
fn check(fake: &Fake, expected: &[(&str, i64)], work: impl FnOnce()) {
    let before: Vec<i64> = expected.iter().map(|(call, _)| fake.calls(call)).collect();
    work();
    for ((call, times), before) in expected.iter().zip(before) {
        assert_eq!(fake.calls(call) - before, *times, "{call}");
    }
}

/// A type with a larger alignment than any scalar.
#[derive(Clone, Copy, DeviceType)]
#[repr(C, align(256))]
struct Broad {
    value: f32,
}

/// Fills ten elements inside an array of fourteen, and checks the numbers of memsets and copies.
#[track_caller]
fn fill<T: DeviceType + PartialEq + std::fmt::Debug>(device: &Device, before: T, value: T, calls: &[(&str, i64)]) {
    let mut array = device.to_device(&[before; 14]).unwrap();
    check(&Fake::of_process(), calls, || array.slice_mut(2..12).unwrap().fill(value).unwrap());
    let mut expected = [before; 14];
    expected[2..12].fill(value);
    assert_eq!(array.to_host().unwrap(), expected);
}

scenarios! {
    fn writes_into_views_are_one_operation_per_run() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut x = device.to_device(&(0..12u32).collect::<Vec<_>>()).unwrap();
        let (write, set, copy) = ("cuMemcpyHtoDAsync_v2", "cuMemsetD32Async", "cuMemcpyDtoDAsync_v2");
        let mut matrix = x.reshape_mut((3, 4)).unwrap();
        check(&fake, &[(write, 1)], || matrix.copy_from_host(&(20..32).collect::<Vec<_>>()).unwrap());
        let mut part = matrix.view_mut().slice(1.., 2..).unwrap();
        check(&fake, &[(write, 2)], || part.copy_from_host(&[1, 2, 3, 4]).unwrap());
        check(&fake, &[(set, 3)], || matrix.view_mut().column(0).unwrap().fill(9).unwrap());
        let (mut left, right) = matrix.view_mut().split_at(1, 2).unwrap();
        check(&fake, &[(copy, 3)], || left.copy_from(&right).unwrap());
        check(&fake, &[(write, 0)], || matrix.view_mut().slice(1..1, ..).unwrap().copy_from_host(&[]).unwrap());
        assert_eq!(x.to_host().unwrap(), [22, 23, 22, 23, 1, 2, 1, 2, 3, 4, 3, 4]);
    }

    fn fills_are_memsets() {
        let device = Device::cuda(0).unwrap();
        let (d8, d16, d32, copy) = ("cuMemsetD8Async", "cuMemsetD16Async", "cuMemsetD32Async", "cuMemcpyDtoDAsync_v2");
        fill(&device, 1u8, 7, &[(d8, 1), (d16, 0), (d32, 0), (copy, 0)]);
        fill(&device, 1.0f64, 0.0, &[(d8, 1), (d16, 0), (d32, 0), (copy, 0)]);
        fill(&device, 1u16, 0x0102, &[(d8, 0), (d16, 1), (d32, 0), (copy, 0)]);
        fill(&device, 1.0f32, 2.5, &[(d8, 0), (d16, 0), (d32, 1), (copy, 0)]);
        fill(&device, 0u64, 0x0001_0203_0001_0203, &[(d8, 0), (d16, 0), (d32, 1), (copy, 0)]);
        // Two words, then copies that double the filled part, and the remainder.
        fill(&device, 1.0f64, 2.1, &[(d8, 0), (d16, 0), (d32, 2), (copy, 4)]);
        fill(&device, [0u8; 3], [1, 2, 3], &[(d8, 3), (d16, 0), (d32, 0), (copy, 4)]);
    }

    fn copies_between_arrays_are_asynchronous() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let x = device.to_device(&[1, 2, 3, 4]).unwrap();
        let mut y = device.zeros::<i32>(6).unwrap();
        check(&fake, &[("cuStreamSynchronize", 0), ("cuMemcpyDtoDAsync_v2", 1)], || {
            y.slice_mut(1..3).unwrap().copy_from(&x.slice(2..).unwrap()).unwrap();
        });
        assert_eq!(y.to_host().unwrap(), [0, 3, 4, 0, 0, 0]);
        check(&fake, &[("cuMemcpyDtoDAsync_v2", 0)], || y.slice_mut(0..0).unwrap().copy_from(&x.slice(4..).unwrap()).unwrap());
    }

    fn peer_copies_between_gpus("FAKE_DEVICES" = "2") {
        let (first, second) = (Device::cuda(0).unwrap(), Device::cuda(1).unwrap());
        let fake = Fake::of_process();
        let x = first.to_device(&[1, 2, 3]).unwrap();
        let mut y = second.zeros::<i32>(3).unwrap();
        check(&fake, &[("cuMemcpyPeerAsync", 1), ("cuStreamSynchronize", 0)], || y.copy_from(&x).unwrap());
        assert_eq!(y.to_host().unwrap(), [1, 2, 3]);
        // Peer access is enabled once in each direction.
        let reached = |fake: &Fake| [fake.calls("cuMemPoolSetAccess"), fake.calls("cuCtxEnablePeerAccess")];
        assert_eq!(reached(&fake), [2, 2]);
        assert_eq!(y.to_device(&first).unwrap().device(), &first);
        let mut z = first.zeros::<i32>(3).unwrap();
        first.default_stream().copy(&y, &mut z).unwrap();
        second.default_stream().copy(&z, &mut y).unwrap();
        assert_eq!((fake.calls("cuMemcpyPeerAsync"), z.to_host().unwrap()), (4, vec![1, 2, 3]));
        assert_eq!(reached(&fake), [2, 2]);
        // The stream has to belong to one of the devices.
        assert!(matches!(Device::cpu().default_stream().copy(&x, &mut y), Err(Error::StreamElsewhere { .. })));
        drop((x, y, z));
        assert_eq!(fake.allocations(), 0);
    }

    fn host_arguments_are_copied_for_one_launch() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = ([1.0f32; 100], [2.0f32; 100]);
        let copies = |to: i64, back: i64| [("cuMemcpyHtoDAsync_v2", to), ("cuMemcpyDtoHAsync_v2", back), ("cuLaunchKernel", 1)];
        check(&fake, &copies(2, 1), || {
            saxpy(1.0, In(&x), InOut(&mut y)).over(100).on_device(&device).launch().unwrap();
        });
        assert_eq!(y, [2.0; 100]); // no kernel ran
        check(&fake, &copies(1, 1), || saxpy(1.0, In(&x), Out(&mut y)).over(100).on_device(&device).launch().unwrap());
        assert_eq!(y, [0.0; 100]);
        let mut there = device.zeros(100).unwrap();
        check(&fake, &copies(1, 0), || saxpy(1.0, In(&x), &mut there).over(100).launch().unwrap());
        check(&fake, &copies(0, 0), || saxpy(1.0, In(&[]), Out(&mut [])).over(1).on_device(&device).launch().unwrap());
        drop(there);
        assert_eq!(fake.allocations(), 0);
    }

    fn driver_errors_around_a_launch_leak_nothing() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = ([1.0f32; 100], [2.0f32; 100]);
        saxpy(1.0, In(&x), InOut(&mut y)).over(100).on_device(&device).launch().unwrap();
        // Fails each call of a launch with copies, at its first or second occurrence.
        for call in ["cuMemAllocAsync", "cuMemcpyHtoDAsync_v2", "cuLaunchKernel", "cuMemcpyDtoHAsync_v2"] {
            for skip in 0..2 {
                fake.reject(call, INVALID_VALUE, skip, 1);
                let launched = saxpy(1.0, In(&x), InOut(&mut y)).over(100).on_device(&device).launch();
                let rejected = skip == 0 || !matches!(call, "cuLaunchKernel" | "cuMemcpyDtoHAsync_v2");
                assert_eq!(launched.is_err(), rejected, "{call}, {skip}: {launched:?}");
                fake.reject(call, 0, 0, 0);
                assert_eq!((fake.allocations(), y), (0, [2.0; 100]), "{call}, {skip}");
            }
        }
        assert!(device.drop_errors().is_empty());
    }

    fn page_locked_copies_are_asynchronous() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut buffer = device.to_pinned(&[1u32, 2, 3, 4]).unwrap();
        let mut x = device.zeros(4).unwrap();
        let stream = device.default_stream();
        let waits = |streams: i64, events: i64| [("cuStreamSynchronize", streams), ("cuEventSynchronize", events)];
        check(&fake, &waits(0, 0), || {
            stream.copy(&buffer, &mut x).unwrap();
            stream.copy(&x.slice(..2).unwrap(), &mut buffer.slice_mut(2..).unwrap()).unwrap();
        });
        // The host reads a part that no copy writes, then one that a copy writes (RAW), then writes one that a copy reads (WAR).
        check(&fake, &waits(0, 0), || assert_eq!(buffer.slice(..2).unwrap().as_slice().unwrap(), [1, 2]));
        check(&fake, &waits(0, 1), || assert_eq!(buffer.as_slice().unwrap(), [1, 2, 1, 2]));
        check(&fake, &waits(0, 1), || buffer.as_mut_slice().unwrap()[0] = 7);
        check(&fake, &waits(0, 0), || buffer.as_mut_slice().unwrap()[0] = 8);
        stream.copy(&buffer, &mut x).unwrap();
        // Freed after the copy.
        let before = fake.locked();
        check(&fake, &waits(0, 1), || drop(buffer));
        assert_eq!(fake.locked(), before - 1);
    }

    fn copies_wait_for_copies_on_other_streams() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (a, b) = (device.stream().unwrap(), device.stream().unwrap());
        let mut buffer = device.pinned_zeros::<u32>(8).unwrap();
        let [mut x, mut y] = [a.zeros(8).unwrap(), b.zeros(8).unwrap()];
        let waits = |count: i64| [("cuStreamWaitEvent", count), ("cuEventSynchronize", 0)];
        check(&fake, &waits(0), || a.copy(&buffer, &mut x).unwrap());
        check(&fake, &waits(0), || b.copy(&buffer, &mut y).unwrap());
        // After both copies that read it, one of which is on the same stream.
        check(&fake, &waits(2), || b.copy(&y, &mut buffer).unwrap());
        check(&fake, &waits(1), || a.copy(&buffer.slice(4..).unwrap(), &mut x.slice_mut(4..).unwrap()).unwrap());
        // Disjoint parts.
        buffer.as_mut_slice().unwrap();
        check(&fake, &waits(0), || a.copy(&x.slice(..4).unwrap(), &mut buffer.slice_mut(..4).unwrap()).unwrap());
        check(&fake, &waits(0), || b.copy(&y.slice(4..).unwrap(), &mut buffer.slice_mut(4..).unwrap()).unwrap());
    }

    fn a_copy_without_an_event_is_synchronised_by_its_stream() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut buffer = device.to_pinned(&[true, false]).unwrap();
        let x = device.to_device(&[0xffu8, 0]).unwrap();
        // SAFETY: two bytes of the array, which outlives the alias; on a device any bits are read as a `bool`.
        let bits = unsafe {
            DeviceArray::from_raw_parts(&device.default_stream(), x.as_ptr().cast_mut().cast::<bool>(), 2, ()).unwrap()
        };
        fake.reject("cuEventCreate", OUT_OF_MEMORY, 0, 1);
        device.default_stream().copy(&bits, &mut buffer).unwrap();
        check(&fake, &[("cuStreamSynchronize", 1)], || assert_eq!(buffer.as_slice().unwrap(), [true, false]));
        // SAFETY: a `bool` is a byte, and this is the buffer's first.
        assert_eq!(unsafe { buffer.as_slice().unwrap().as_ptr().cast::<u8>().read() }, 1);
    }

    fn a_buffer_that_may_be_in_use_is_not_freed() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut buffer = device.pinned_zeros::<u32>(4).unwrap();
        let x = device.zeros(4).unwrap();
        device.default_stream().copy(&x, &mut buffer).unwrap();
        fake.reject("cuEventSynchronize", INVALID_VALUE, 0, 2);
        assert!(buffer.as_slice().is_err());
        let before = fake.locked();
        drop(buffer);
        assert_eq!(fake.locked(), before);
    }

    fn out_of_page_locked_memory() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.reject("cuMemHostAlloc", OUT_OF_MEMORY, 0, 1);
        let error = device.pinned_zeros::<f64>(100).unwrap_err();
        let Error::OutOfMemory { device: place, requested: 800, .. } = &error else { panic!("{error}") };
        assert_eq!(*place, cumbia::error::DeviceName::PageLocked);
        let before = fake.locked();
        device.pinned_zeros::<f64>(100).unwrap();
        assert_eq!(fake.locked(), before);
    }

    /// An empty page-locked buffer makes no driver call, and zero-sized elements cause no division by zero.
    fn page_locked_memory_of_no_bytes() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut nothing = device.pinned_zeros::<[bool; 0]>(3).unwrap();
        let mut x = device.zeros::<[bool; 0]>(3).unwrap();
        device.default_stream().copy(&x, &mut nothing).unwrap();
        device.default_stream().copy(&nothing, &mut x).unwrap();
        assert_eq!((nothing.as_slice().unwrap(), x.to_host().unwrap()), (&[[]; 3][..], vec![[]; 3]));
        assert_eq!(x.reshape((3, 1)).unwrap().t().to_host().unwrap(), [[]; 3]);
        let broad = device.pinned_zeros::<Broad>(0).unwrap();
        assert_eq!(broad.as_slice().unwrap().as_ptr().addr() % align_of::<Broad>(), 0);
        assert_eq!(device.zeros::<Broad>(0).unwrap().as_ptr().addr() % align_of::<Broad>(), 0);
        assert_eq!(fake.locked(), 1, "the record of faults");
    }
}
