//! Interoperation with cudarc in one process: driver calls, ordering between streams, and ownership of memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError};
use cumbia::prelude::*;
use cumbia::{DeviceError, Error};

use crate::fake::{Fake, LastWait};
use crate::kernels::saxpy;
use crate::scenarios;

/// Returns Cumbia's device and cudarc's context for it.
fn both() -> (Device, Arc<CudaContext>, Fake) {
    let context = CudaContext::new(0).unwrap();
    (Device::from_cudarc(&context).unwrap(), context, Fake::of_process())
}

/// Runs `work`, and checks how many events it records and waits for.
#[track_caller]
fn check<R>(fake: &Fake, (records, waits): (i64, i64), work: impl FnOnce() -> R) -> R {
    let events = || (fake.calls("cuEventRecord"), fake.calls("cuStreamWaitEvent"));
    let before = events();
    let result = work();
    let after = events();
    assert_eq!((after.0 - before.0, after.1 - before.1), (records, waits), "records and waits");
    result
}

fn address(stream: &CudaStream) -> isize {
    stream.cu_stream() as isize
}

scenarios! {
    fn a_context_converts_to_a_device() {
        let (device, context, _) = both();
        assert_eq!(device, Device::cuda(0).unwrap());
        assert_eq!(Device::from_cudarc(&context).unwrap(), device);
    }

    fn a_device_converts_to_a_context("FAKE_DEVICES" = "2") {
        let fake = Fake::of_process();
        for (ordinal, device) in [Device::cuda(0).unwrap(), Device::cuda(1).unwrap()].into_iter().enumerate() {
            fake.reject("cuDevicePrimaryCtxRetain", 2, 0, 1);
            let error = device.to_cudarc().unwrap_err();
            assert!(matches!(error, Error::Driver { call: "cuDevicePrimaryCtxRetain", .. }), "{error}");
            // The error is not cached, but the context is.
            let context = device.to_cudarc().unwrap();
            assert!(Arc::ptr_eq(&context, &device.to_cudarc().unwrap()));
            assert_eq!((context.ordinal(), Device::from_cudarc(&context).unwrap()), (ordinal, device.clone()));
            let stream = context.new_stream().unwrap();
            let slice = device.to_device(&[1.0f32, 2.0]).unwrap().into_cudarc(&stream).unwrap();
            assert_eq!(stream.clone_dtoh(&slice).unwrap(), [1.0, 2.0]);
        }
        assert_eq!((fake.allocations(), fake.calls("cuDevicePrimaryCtxRelease_v2")), (0, 0));
        let error = Device::cpu().to_cudarc().unwrap_err();
        assert!(matches!(error, Error::Device(DeviceError::ForeignContext { .. })), "{error}");
    }

    fn a_slice_can_be_an_argument() {
        let (_, context, fake) = both();
        let stream = context.default_stream();
        let x = stream.clone_htod(&[1.0f32; 8]).unwrap();
        let mut y = stream.alloc_zeros::<f32>(8).unwrap();
        // For each array: Cumbia's stream waits for cudarc's before, and cudarc's for Cumbia's after the launch. cudarc has one
        // stream.
        check(&fake, (4, 4), || saxpy(1.0, &x, &mut y).over(8).launch().unwrap());
        check(&fake, (4, 4), || saxpy(1.0, &x.slice(2..6), &mut y.slice_mut(..4)).over(4).launch().unwrap());
        assert_eq!(fake.calls("cuLaunchKernel"), 2);
        // A prepared launch borrows them once, and cudarc's stream waits for each launch of it.
        let launch = check(&fake, (2, 2), || saxpy(1.0, &x, &mut y).over(8).prepare().unwrap());
        check(&fake, (20, 20), || (0..10).for_each(|_| launch.launch().unwrap()));
        stream.memset_zeros(&mut y).unwrap();
        drop((x, y));
        assert_eq!(fake.allocations(), 0);
        context.check_err().unwrap();
    }

    /// A prepared launch that is not used any more keeps none of its arrays, though it is still in scope.
    fn a_prepared_launch_does_not_keep_arrays() {
        let (device, context, fake) = both();
        let (x, mut y) = (device.zeros::<f32>(8).unwrap(), device.zeros::<f32>(8).unwrap());
        let launch = saxpy(1.0, &x, &mut y).over(8).prepare().unwrap();
        launch.launch().unwrap();
        let slice = y.into_cudarc(&context.default_stream()).unwrap();
        drop((x, slice));
        assert_eq!(fake.allocations(), 0);
    }

    fn a_slice_converts_to_an_array_and_back() {
        let (device, context, fake) = both();
        let stream = context.default_stream();
        let slice = stream.clone_htod(&[1.0f32, 2.0]).unwrap();
        let array = DeviceArray::from_cudarc(slice).unwrap();
        assert_eq!((array.device(), array.to_host().unwrap()), (&device, vec![1.0, 2.0]));
        let address = array.as_ptr().addr();
        let mut slice: CudaSlice<f32> = array.into_cudarc(&stream).unwrap();
        assert_eq!(fake.allocations(), 1);
        stream.memset_zeros(&mut slice).unwrap();
        let array = DeviceArray::from_cudarc(slice).unwrap();
        assert_eq!((array.as_ptr().addr(), array.to_host().unwrap()), (address, vec![0.0, 0.0]));
        drop(array);
        assert_eq!(fake.allocations(), 0);
        // An array of Cumbia's, which cudarc frees.
        let array = device.to_device(&[7u32; 3]).unwrap();
        let slice = array.into_cudarc(&stream).unwrap();
        assert_eq!((stream.clone_dtoh(&slice).unwrap(), fake.allocations()), (vec![7; 3], 1));
        drop(slice);
        assert_eq!(fake.allocations(), 0);
        context.check_err().unwrap();
        assert!(device.drop_errors().is_empty());
    }

    /// cudarc orders its other streams by the event recorded after the last use of a slice, and thereby after Cumbia's.
    fn a_converted_slice_is_ordered_on_other_streams() {
        let (device, context, fake) = both();
        let (first, second) = (context.new_stream().unwrap(), context.new_stream().unwrap());
        let x = device.to_device(&[1.0f32; 8]).unwrap();
        let ours = device.zeros::<f32>(8).unwrap();
        let theirs = DeviceArray::from_cudarc(first.alloc_zeros::<f32>(8).unwrap()).unwrap();
        for mut y in [ours, theirs] {
            saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
            let slice = y.into_cudarc(&first).unwrap();
            // The first stream waits for Cumbia's, and the event is recorded on it after that.
            let record = fake.calls("cuEventRecord") as isize;
            assert_eq!(second.clone_dtoh(&slice).unwrap(), [0.0; 8]);
            let expected = LastWait { stream: address(&second), recorded_on: address(&first), record };
            assert_eq!(fake.last_wait(), expected);
        }
        context.check_err().unwrap();
    }

    fn foreign_memory_cannot_be_converted() {
        let (device, context, fake) = both();
        let stream = context.default_stream();
        let x = device.to_device(&[7u32; 3]).unwrap();
        // SAFETY: the memory belongs to `x`, which outlives the alias.
        let alias = unsafe {
            DeviceArray::from_raw_parts(&device.default_stream(), x.as_ptr().cast_mut(), 3, "its owner").unwrap()
        };
        let error = alias.into_cudarc(&stream).unwrap_err();
        assert!(matches!(error, Error::Device(DeviceError::ForeignMemory { .. })), "{error}");
        let error = Device::cpu().to_device(&[1u32]).unwrap().into_cudarc(&stream).unwrap_err();
        assert!(matches!(error, Error::Device(DeviceError::ForeignContext { .. })), "{error}");
        assert_eq!(x.to_host().unwrap(), [7; 3]);
        drop(x);
        assert_eq!(fake.allocations(), 0);
    }

    fn a_stream_converts_both_ways() {
        let (device, context, fake) = both();
        let theirs = context.new_stream().unwrap();
        let stream = Stream::from_cudarc(&theirs).unwrap();
        assert_eq!((&stream, stream.device()), (&Stream::from_cudarc(&theirs).unwrap(), &device));
        let x = stream.to_device(&[1.0f32; 4]).unwrap();
        let mut y = stream.zeros::<f32>(4).unwrap();
        saxpy(1.0, &x, &mut y).over(4).on(&stream).launch().unwrap();
        stream.synchronize().unwrap();
        // SAFETY: the stream is not used.
        assert!(Arc::ptr_eq(&unsafe { stream.to_cudarc(&context) }.unwrap(), &theirs));
        // SAFETY: as above.
        let ours = unsafe { device.stream().unwrap().to_cudarc(&context) }.unwrap();
        assert_eq!(ours.context(), &context);
        let destroyed = fake.calls("cuStreamDestroy_v2");
        drop(ours);
        assert_eq!(fake.calls("cuStreamDestroy_v2"), destroyed);
        // SAFETY: as above.
        let error = unsafe { Device::cpu().default_stream().to_cudarc(&context) }.unwrap_err();
        assert!(matches!(error, Error::Device(DeviceError::ForeignContext { .. })), "{error}");
    }

    fn empty_slices_convert_both_ways() {
        let (device, context, fake) = both();
        let stream = context.default_stream();
        let one = stream.alloc_zeros::<f32>(1).unwrap().leak();
        // SAFETY: an allocation of the stream, with room for no elements.
        let slice = unsafe { stream.upgrade_device_ptr::<f32>(one, 0) };
        let mut array = DeviceArray::from_cudarc(slice).unwrap();
        assert_eq!(array.to_host().unwrap(), [0.0; 0]);
        saxpy(1.0, &device.zeros(0).unwrap(), &mut array).over(8).launch().unwrap();
        let slice = array.into_cudarc(&stream).unwrap();
        assert_eq!((slice.len(), slice.leak(), fake.allocations()), (0, one, 1));
        // SAFETY: as above.
        drop(unsafe { stream.upgrade_device_ptr::<f32>(one, 0) });
        assert_eq!(fake.allocations(), 0);
        // An array of Cumbia's without memory.
        for stream in [stream, context.new_stream().unwrap()] {
            let mut slice = device.zeros::<f32>(0).unwrap().into_cudarc(&stream).unwrap();
            assert_eq!((slice.len(), stream.clone_dtoh(&slice).unwrap()), (0, vec![]));
            saxpy(1.0, In(&[0.0; 0]), &mut slice).over(8).launch().unwrap();
            drop(slice);
            assert_eq!(fake.allocations(), 0);
        }
        context.check_err().unwrap();
        assert!(device.drop_errors().is_empty());
    }

    /// cudarc panics if it cannot create an event for a non-empty slice.
    fn an_array_without_cudarc_events_is_freed() {
        let (device, context, fake) = both();
        let stream = context.new_stream().unwrap();
        let printed = Arc::new(AtomicBool::new(false));
        let prints = printed.clone();
        std::panic::set_hook(Box::new(move |_| prints.store(true, Ordering::Relaxed)));
        // The first event is Cumbia's, for ordering; without it the host waits. Cumbia tests the creation of two events before
        // cudarc creates two. A single failure during that is retried.
        for (skip, times, succeeds) in
            [(0, 1, true), (1, 1, false), (2, 1, false), (3, 1, true), (4, 1, true), (1, 9, false), (3, 9, false), (5, 1, true)]
        {
            let array = device.to_device(&[7u32; 3]).unwrap();
            fake.reject("cuEventCreate", 2, skip, times);
            let result = array.into_cudarc(&stream);
            fake.reject("cuEventCreate", 2, 0, 0);
            match result {
                Ok(slice) => assert_eq!(stream.clone_dtoh(&slice).unwrap(), [7; 3]),
                Err(error) => {
                    assert!(matches!(error, Error::Driver { call: "cuEventCreate", .. }), "{error}");
                    assert!(!succeeds, "{skip} and {times}: {error}");
                    continue;
                }
            }
            assert!(succeeds, "{skip} and {times}");
        }
        // Without event tracking no event creation can fail.
        // SAFETY: one stream is used.
        unsafe { context.disable_event_tracking() };
        let array = device.to_device(&[7u32; 3]).unwrap();
        fake.reject("cuEventCreate", 2, 1, 9);
        assert_eq!(stream.clone_dtoh(&array.into_cudarc(&stream).unwrap()).unwrap(), [7; 3]);
        let _ = std::panic::take_hook();
        assert_eq!((fake.allocations(), printed.load(Ordering::Relaxed)), (0, false));
        context.check_err().unwrap();
        assert!(device.drop_errors().is_empty());
    }

    /// cudarc's deferred errors are queried before anything is enqueued without its ordering.
    fn failed_waits_of_cudarc_are_errors() {
        let (device, context, fake) = both();
        let stream = context.new_stream().unwrap();
        let x = stream.clone_htod(&[1.0f32; 8]).unwrap();
        let mut y = stream.alloc_zeros::<f32>(8).unwrap();
        let waits = fake.calls("cuStreamWaitEvent");
        saxpy(1.0, &x, &mut y).over(8).prepare().map(drop).unwrap();
        let waits = fake.calls("cuStreamWaitEvent") - waits;
        assert_eq!(waits, 5, "cudarc's for `x`, ours, cudarc's two for `y`, ours");
        for skip in 0..waits {
            fake.reject("cuStreamWaitEvent", 2, skip, 1);
            let error = saxpy(1.0, &x, &mut y).over(8).launch().unwrap_err().to_string();
            let parameter = if skip < 2 { "`x`" } else { "`y`" };
            assert!(error.contains(parameter) && error.contains("OUT_OF_MEMORY"), "{skip}: {error}");
            context.check_err().unwrap();
        }
        assert_eq!(fake.calls("cuLaunchKernel"), 0);
        saxpy(1.0, &x, &mut y).over(8).launch().unwrap();
        // A conversion in each direction.
        for (call, skip, times) in [("cuStreamWaitEvent", 1, 1), ("cuStreamWaitEvent", 2, 1), ("cuEventRecord", 1, 1)] {
            let array = device.to_device(&[1.0f32; 8]).unwrap();
            fake.reject(call, 2, skip, times);
            let error = array.into_cudarc(&stream).unwrap_err();
            assert!(matches!(error, Error::Driver { .. }), "{error}");
        }
        fake.reject("cuStreamWaitEvent", 2, 0, 1);
        assert!(DeviceArray::from_cudarc(y).is_err());
        drop(x);
        assert_eq!(fake.allocations(), 0);
        context.check_err().unwrap();
    }

    fn driver_errors_do_not_panic() {
        let (device, context, fake) = both();
        let stream = context.default_stream();
        let mut y = stream.alloc_zeros::<f32>(8).unwrap();
        fake.reject("cuEventCreate", 2, 0, 1);
        let error = saxpy(1.0, In(&[1.0; 8]), &mut y).over(8).launch().unwrap_err();
        assert!(error.to_string().contains("`y`") && error.to_string().contains("cuEventCreate"), "{error}");
        fake.reject("cuEventCreate", 2, 0, 1);
        let error = DeviceArray::from_cudarc(y).unwrap_err();
        assert!(matches!(error, Error::Driver { call: "cuEventCreate", .. }), "{error}");
        // Both the event and the fallback to a host wait fail; then cudarc's conversion fails at its start.
        for (skip, times) in [(0, 2), (1, 1)] {
            let array = device.to_device(&[1.0f32; 8]).unwrap();
            fake.reject("cuCtxGetCurrent", 700, skip, times);
            assert!(array.into_cudarc(&stream).is_err());
            let array = DeviceArray::from_cudarc(stream.alloc_zeros::<f32>(8).unwrap()).unwrap();
            fake.reject("cuCtxGetCurrent", 700, 0, 2);
            assert!(array.into_cudarc(&stream).is_err());
            assert_eq!(fake.allocations(), 0);
        }
        let _: Result<(), DriverError> = context.check_err();
    }
}
