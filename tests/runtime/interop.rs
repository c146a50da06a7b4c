//! Interoperation with cudarc's arrays and streams, on a GPU.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use cumbia::prelude::*;
use cumbia::{DeviceError, Error};

use crate::support::{on_gpu, spin};

#[kernel]
fn slowly_add(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] += x[i] + spin(i as u32, 20_000);
    }
}

const LEN: usize = 100_000;

/// Runs `test` on the GPU, if there is one, with a context of cudarc, which panics without a GPU.
fn with_context(test: impl FnOnce(&Device, &Arc<CudaContext>)) {
    on_gpu(|gpu| test(gpu, &CudaContext::new(0).unwrap()));
}

/// Returns cudarc's default stream and another one.
fn streams(context: &Arc<CudaContext>) -> [Arc<CudaStream>; 2] {
    [context.default_stream(), context.new_stream().unwrap()]
}

#[test]
fn a_context_is_a_device() {
    with_context(|gpu, context| {
        assert_eq!(&Device::from_cudarc(context).unwrap(), gpu);
        // And a device has one, always the same, in which arrays come and go as in any other.
        let ours = gpu.to_cudarc().unwrap();
        assert!(ours == *context && Arc::ptr_eq(&ours, &gpu.to_cudarc().unwrap()));
        let stream = ours.new_stream().unwrap();
        for len in [0, 3] {
            let slice = gpu.to_device(&vec![7u32; len]).unwrap().into_cudarc(&stream).unwrap();
            assert_eq!(stream.clone_dtoh(&slice).unwrap(), vec![7; len]);
            assert_eq!(DeviceArray::from_cudarc(slice).unwrap().to_host().unwrap(), vec![7; len]);
        }
        ours.check_err().unwrap();
        let other = CudaContext::new_non_primary(0, 0).unwrap();
        let error = Device::from_cudarc(&other).unwrap_err();
        assert!(matches!(error, Error::Device(DeviceError::ForeignContext { .. })), "{error}");
    });
}

#[test]
fn cudarc_slices_are_arguments() {
    with_context(|gpu, context| {
        for stream in streams(context) {
            for ours in [gpu.default_stream(), gpu.stream().unwrap()] {
                let x = stream.clone_htod(&vec![1u32; LEN]).unwrap();
                let mut y = stream.alloc_zeros::<u32>(LEN).unwrap();
                for _ in 0..5 {
                    slowly_add(&x, &mut y).over(LEN).on(&ours).launch().unwrap();
                    // cudarc's work is ordered after ours, and ours after cudarc's.
                    let copy = stream.clone_dtod(&y).unwrap();
                    slowly_add(&copy, &mut y).over(LEN).on(&ours).launch().unwrap();
                    drop(copy);
                }
                assert!(
                    stream.clone_dtoh(&y).unwrap().iter().all(|&value| value == 62),
                    "{:?}",
                    stream.clone_dtoh(&y).unwrap()[0]
                );
                let mut part = y.slice_mut(10..20);
                slowly_add(&x.slice(..10), &mut part).over(10).launch().unwrap();
                assert_eq!(stream.clone_dtoh(&y).unwrap()[9..21], [62, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 62]);
            }
        }
        assert!(gpu.drop_errors().is_empty());
        context.check_err().unwrap();
    });
}

#[test]
fn slices_convert_to_arrays_and_back() {
    with_context(|gpu, context| {
        for stream in streams(context) {
            // From cudarc, and back.
            let x: CudaSlice<u32> = stream.clone_htod(&vec![1u32; LEN]).unwrap();
            let x = DeviceArray::from_cudarc(x).unwrap();
            let mut y = DeviceArray::from_cudarc(stream.alloc_zeros::<u32>(LEN).unwrap()).unwrap();
            for _ in 0..5 {
                slowly_add(&x, &mut y).over(LEN).launch().unwrap();
            }
            drop(x); // while it is used
            let mut y: CudaSlice<u32> = y.into_cudarc(&stream).unwrap();
            assert_eq!(y.stream(), &stream);
            stream.memset_zeros(&mut y.slice_mut(..10)).unwrap();
            let values = stream.clone_dtoh(&y).unwrap();
            assert!(values[..10].iter().all(|&value| value == 0) && values[10..].iter().all(|&value| value == 5));
            // From Cumbia to cudarc.
            let (x, mut z) = (gpu.to_device(&vec![3u32; LEN]).unwrap(), gpu.zeros(LEN).unwrap());
            slowly_add(&x, &mut z).over(LEN).launch().unwrap();
            let z = z.into_cudarc(&stream).unwrap();
            assert!(stream.clone_dtoh(&z).unwrap().iter().all(|&value| value == 3));
            drop(z);
            let error = Device::cpu().zeros::<u32>(3).unwrap().into_cudarc(&stream).unwrap_err();
            assert!(matches!(error, Error::Device(DeviceError::ForeignContext { .. })), "{error}");
            // SAFETY: the memory belongs to the array, which its other owner keeps alive.
            let alias =
                unsafe { DeviceArray::from_raw_parts(&gpu.default_stream(), x.as_ptr().cast_mut(), LEN, ()) }.unwrap();
            let error = alias.into_cudarc(&stream).unwrap_err();
            assert!(matches!(error, Error::Device(DeviceError::ForeignMemory { .. })), "{error}");
        }
        assert!(gpu.drop_errors().is_empty());
        context.check_err().unwrap();
    });
}

/// An array that is passed to one stream of cudarc is ordered on its other streams, whoever owns the memory.
#[test]
fn converted_arrays_are_ordered_on_every_stream() {
    with_context(|gpu, context| {
        let (first, second) = (context.new_stream().unwrap(), context.new_stream().unwrap());
        let x = gpu.to_device(&vec![1u32; LEN]).unwrap();
        for round in 0..10 {
            let theirs = first.alloc_zeros::<u32>(LEN).unwrap();
            for mut y in [gpu.zeros(LEN).unwrap(), DeviceArray::from_cudarc(theirs).unwrap()] {
                for _ in 0..5 {
                    slowly_add(&x, &mut y).over(LEN).launch().unwrap();
                }
                let mut y = y.into_cudarc(&first).unwrap();
                let values = second.clone_dtoh(&y).unwrap();
                second.synchronize().unwrap();
                assert!(values.iter().all(|&value| value == 5), "round {round}: {:?}", &values[..4]);
                second.memset_zeros(&mut y).unwrap();
                assert_eq!(first.clone_dtoh(&y.slice(..3)).unwrap(), [0; 3]);
            }
        }
        assert!(gpu.drop_errors().is_empty());
        context.check_err().unwrap();
    });
}

#[test]
fn streams_are_shared() {
    with_context(|gpu, context| {
        for stream in streams(context) {
            let ours = Stream::from_cudarc(&stream).unwrap();
            assert_eq!(ours, Stream::from_cudarc(&stream).unwrap());
            let x = stream.clone_htod(&vec![1u32; LEN]).unwrap();
            let mut y = ours.zeros::<u32>(LEN).unwrap();
            slowly_add(&x, &mut y).over(LEN).on(&ours).launch().unwrap();
            ours.synchronize().unwrap();
            assert!(y.to_host().unwrap().iter().all(|&value| value == 1));
            // SAFETY: cudarc is not used otherwise meanwhile.
            let back = unsafe { ours.to_cudarc(context) }.unwrap();
            assert!(Arc::ptr_eq(&back, &stream));
        }
        let ours = gpu.stream().unwrap();
        // SAFETY: the memory is used on this stream only.
        let stream = unsafe { ours.to_cudarc(context) }.unwrap();
        let x = stream.clone_htod(&[1u32, 2, 3]).unwrap();
        let mut y = ours.to_device(&[10u32, 20, 30]).unwrap();
        slowly_add(&x, &mut y).over(3).on(&ours).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [11, 22, 33]);
        // A fault on a stream of cudarc belongs to that stream.
        let theirs = Stream::from_cudarc(&context.new_stream().unwrap()).unwrap();
        slowly_add(&x.slice(..1), &mut y).over(3).on(&theirs).launch().unwrap();
        ours.synchronize().unwrap();
        assert!(matches!(theirs.synchronize(), Err(Error::Fault { .. })));
        theirs.synchronize().unwrap();
    });
}
