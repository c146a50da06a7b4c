//! Arrays, slices of arrays and page-locked buffers: data round-trips on every device, in any order of drops.

use std::sync::Arc;

use cumbia::prelude::*;
use cumbia::{
    ArrayView, CopySource, DeviceChunks, Error, MemoryInfo, PinnedArray, PinnedSlice, PinnedSliceMut, StreamBuilder,
};
use cumbia::{DeviceSlice, DeviceSliceMut, Event};

use crate::support::{alone, gpu, on_each_device, on_gpu, spin};

#[kernel]
fn add(by: u32, x: &mut [u32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] += by;
    }
}

/// Takes time proportional to the number of iterations.
#[kernel]
fn add_after(turns: u32, by: u32, x: &mut [u32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] += by + spin(i as u32, turns);
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
struct Uneven {
    a: u8,
    b: f64,
    c: [u16; 3],
}

/// Returns the number of iterations for which a kernel on a GPU outlasts its launch call. On the CPU the launch is
/// synchronous.
fn turns(device: &Device) -> u32 {
    if device.is_cpu() { 1 } else { 20_000 }
}

/// Returns distinct numbers, to which more can be added without overflow.
fn numbers(len: u32) -> Vec<u32> {
    (0..len).map(|i| i.wrapping_mul(2_654_435_761) >> 4).collect()
}

#[test]
fn data_round_trips() {
    on_each_device(|device| {
        for len in [0, 1, 31, 4096, 1_000_003] {
            let values = numbers(len);
            let array = device.to_device(&values).unwrap();
            assert_eq!(array.to_host().unwrap(), values);
            let middle = len as usize / 3..len as usize / 2;
            assert_eq!(array.slice(middle.clone()).unwrap().to_host().unwrap(), values[middle]);
            assert_eq!(device.zeros::<u32>(len as usize).unwrap().to_host().unwrap(), vec![0; len as usize]);
        }
        let records: Vec<Uneven> =
            (0..9u8).map(|i| Uneven { a: i, b: f64::from(i) / 3.0, c: [1, u16::from(i), 3] }).collect();
        assert_eq!(device.to_device(&records).unwrap().to_host().unwrap(), records);
        // SAFETY: all elements are written before they are read.
        let mut array = unsafe { device.uninitialized::<u8>(3) }.unwrap();
        array.copy_from_host(b"abc").unwrap();
        assert_eq!(array.to_host().unwrap(), b"abc");
    });
}

#[test]
fn values_of_any_size_fill() {
    /// Fills a part of an array, and checks the whole array.
    #[track_caller]
    fn check<T: DeviceType + PartialEq + std::fmt::Debug>(device: &Device, before: T, value: T) {
        for len in [1, 2, 3, 7, 64, 1001] {
            let mut array = device.to_device(&vec![before; len + 4]).unwrap();
            array.slice_mut(3..3 + len).unwrap().fill(value).unwrap();
            let mut expected = vec![before; len + 4];
            expected[3..3 + len].fill(value);
            assert_eq!(array.to_host().unwrap(), expected, "{len} on {device}");
        }
    }
    on_each_device(|device| {
        check(device, 1u8, 0xab);
        check(device, false, true);
        check(device, 1i16, -2);
        check(device, 1.0f32, -0.0);
        check(device, 1u32, 0x0102_0304);
        check(device, 1.0f64, std::f64::consts::PI);
        check(device, 1u64, 0x0101_0101_0101_0101);
        check(device, [1u8; 3], [7, 8, 9]);
        check(device, [1u16; 3], [7, 8, 9]);
        check(device, [0u32; 5], [1, 2, 3, 4, 5]);
        check(device, Uneven::default(), Uneven { a: 1, b: 2.5, c: [3, 4, 5] });
        device.zeros::<f32>(0).unwrap().fill(1.0).unwrap();
    });
}

#[test]
fn arrays_are_copied_to_each_other() {
    on_each_device(|device| {
        let values = numbers(1000);
        let x = device.to_device(&values).unwrap();
        let mut y = device.zeros(1000).unwrap();
        y.copy_from(&x).unwrap();
        assert_eq!(y.to_host().unwrap(), values);
        // Within one array, between its parts.
        let (mut left, right) = y.split_at_mut(400).unwrap();
        left.copy_from(&right.slice(200..).unwrap()).unwrap();
        assert_eq!(y.slice(..400).unwrap().to_host().unwrap(), values[600..]);
        let error = y.copy_from(&x.slice(1..).unwrap()).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { operation: "copy_from", from: 999, to: 1000 }), "{error}");
        // To each device, and back.
        for other in [Some(&Device::cpu()), gpu()].into_iter().flatten() {
            let mut there = x.slice(10..20).unwrap().to_device(other).unwrap();
            assert_eq!(there.device(), other);
            add(1, &mut there).over(10).launch().unwrap();
            y.slice_mut(..10).unwrap().copy_from(&there).unwrap();
            let expected: Vec<u32> = values[10..20].iter().map(|value| value + 1).collect();
            assert_eq!(y.slice(..10).unwrap().to_host().unwrap(), expected);
        }
    });
}

#[test]
fn copies_are_ordered_after_earlier_kernels() {
    on_each_device(|device| {
        let mut x = device.to_device(&vec![1u32; 5000]).unwrap();
        let mut y = device.zeros(5000).unwrap();
        let mut buffer = device.pinned_zeros(5000).unwrap();
        let stream = device.stream().unwrap();
        for round in 1..=5 {
            add_after(turns(device), 1, &mut x).over(5000).launch().unwrap();
            stream.copy(&x, &mut y).unwrap();
            add(10, &mut y).over(5000).launch().unwrap();
            stream.copy(&y, &mut buffer).unwrap();
            // The next kernel writes the source of the copy, and the next copy writes the data that the host reads.
            assert!(buffer.as_slice().unwrap().iter().all(|&value| value == 11 + round), "round {round} on {device}");
        }
    });
}

#[test]
fn buffers_wait_for_the_copies_that_use_them() {
    on_each_device(|device| {
        let len = 1 << 20;
        let streams = [device.stream().unwrap(), device.stream().unwrap()];
        let mut x = device.to_device(&vec![0u32; len]).unwrap();
        let mut buffer = device.to_pinned(&vec![1u32; len]).unwrap();
        for round in 1..10 {
            // A copy to the device; then the host modifies the buffer, another stream writes it, and the first one
            // reads it.
            streams[0].copy(&buffer, &mut x).unwrap();
            buffer.as_mut_slice().unwrap().fill(1000);
            add_after(turns(device), 1, &mut x).over(len).on(&streams[1]).launch().unwrap();
            streams[1].copy(&x, &mut buffer).unwrap();
            streams[0].copy(&buffer, &mut x).unwrap();
            assert!(x.to_host().unwrap().iter().all(|&value| value == round + 1), "round {round} on {device}");
            assert!(buffer.as_slice().unwrap().iter().all(|&value| value == round + 1), "round {round} on {device}");
        }
    });
}

#[test]
fn parts_of_a_buffer_do_not_wait_for_each_other() {
    on_each_device(|device| {
        let values = numbers(1 << 16);
        let source = device.to_pinned(&values).unwrap();
        let mut result = device.pinned_zeros::<u32>(values.len()).unwrap();
        let mut arrays: Vec<_> = (0..4).map(|_| device.zeros(1 << 12).unwrap()).collect();
        let streams: Vec<_> = (0..4).map(|_| device.stream().unwrap()).collect();
        // A pipeline: each chunk is copied to the device, processed, and copied back, on one of four streams.
        for (i, range) in (0..values.len()).step_by(1 << 12).map(|start| start..start + (1 << 12)).enumerate() {
            let (stream, array) = (&streams[i % 4], &mut arrays[i % 4]);
            stream.copy(&source.slice(range.clone()).unwrap(), array).unwrap();
            add(i as u32, &mut *array).over(1 << 12).on(stream).launch().unwrap();
            let mut part = result.slice_mut(range).unwrap();
            stream.copy(array, &mut part).unwrap();
            // The buffer tracks the copy, whatever happens to the handle.
            #[allow(clippy::forget_non_drop, reason = "that it has no destructor is not to matter")]
            std::mem::forget(part);
        }
        let expected: Vec<u32> =
            values.iter().enumerate().map(|(at, value)| value.wrapping_add(at as u32 / (1 << 12))).collect();
        assert_eq!(result.as_slice().unwrap(), expected);
    });
}

#[test]
fn handles_are_dropped_in_any_order() {
    on_each_device(|device| {
        for order in 0..6 {
            let stream = device.stream().unwrap();
            let mut x = stream.to_device(&numbers(10_000)).unwrap();
            let mut buffer = device.pinned_zeros::<u32>(10_000).unwrap();
            add_after(turns(device), 1, &mut x).over(10_000).on(&stream).launch().unwrap();
            stream.copy(&x, &mut buffer).unwrap();
            // All of them while the kernel is in flight.
            match order {
                0 => drop((x, buffer, stream)),
                1 => drop((x, stream, buffer)),
                2 => drop((buffer, x, stream)),
                3 => drop((buffer, stream, x)),
                4 => drop((stream, x, buffer)),
                _ => drop((stream, buffer, x)),
            }
            // Dropped handles do not write to reused memory.
            let zeros = device.zeros::<u32>(10_000).unwrap();
            assert_eq!(zeros.to_host().unwrap(), vec![0; 10_000]);
        }
        device.synchronize().unwrap();
        assert!(device.drop_errors().is_empty());
    });
}

#[test]
fn empty_arrays_are_valid() {
    on_each_device(|device| {
        let mut x = device.zeros::<u32>(0).unwrap();
        let stream = device.stream().unwrap();
        let mut buffer = device.pinned_zeros::<u32>(0).unwrap();
        stream.copy(&buffer, &mut x).unwrap();
        stream.copy(&x, &mut buffer).unwrap();
        x.copy_from(&device.zeros(0).unwrap()).unwrap();
        assert!(x.to_device(&Device::cpu()).unwrap().is_empty() && buffer.as_slice().unwrap().is_empty());
        add(1, &mut x).grid(1).block(32).launch().unwrap();
        assert!(x.slice(0..0).unwrap().to_host().unwrap().is_empty());
        device.synchronize().unwrap();
    });
}

#[test]
fn out_of_memory_reports_sizes() {
    on_each_device(|device| {
        for len in [1 << 44, usize::MAX / 8] {
            let error = device.zeros::<u64>(len).unwrap_err();
            let Error::OutOfMemory { requested, free, total, .. } = error else { panic!("{error}") };
            assert!(requested >= 1 << 47 && free <= total, "{requested} {free} {total}");
            let text = error.to_string();
            assert!(text.contains(&requested.to_string()) && text.contains(&total.to_string()), "{text}");
        }
        // The remaining memory can still be allocated.
        assert_eq!(device.zeros::<u8>(1000).unwrap().to_host().unwrap(), [0; 1000]);
        let error = device.pinned_zeros::<u64>(1 << 44).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { requested, .. } if requested == 1 << 47), "{error}");
    });
}

/// Allocates and frees a million arrays. The free memory is unchanged, up to fragmentation and the allocations of other
/// processes.
#[test]
fn a_million_arrays_do_not_leak() {
    const COUNT: usize = 1_000_000;
    on_each_device(|device| {
        let used = || {
            let MemoryInfo { free, total, .. } = device.memory().unwrap();
            if device.is_cpu() { resident_bytes() } else { total - free }
        };
        // 4 KiB each: 4 GB without frees. Some live longer, so that memory is freed in another order.
        let mut some = Vec::new();
        let values = [7u8; 4096];
        let before = used();
        for i in 0..COUNT {
            let mut array = device.zeros::<u8>(4096).unwrap();
            if i % 1000 == 0 {
                array.copy_from_host(&values).unwrap();
            }
            if i % 7 == 0 {
                some.push(array);
            }
            if some.len() == 1000 {
                some.clear();
            }
        }
        drop(some);
        device.synchronize().unwrap();
        let growth = used().saturating_sub(before);
        assert!(growth < 256 << 20, "{growth} bytes more are in use on {device}");
    });
}

/// Returns the resident memory of this process; 0 if the system does not report it.
fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok()).map_or(0, |pages| pages * 4096)
}

#[test]
fn parts_cross_threads() {
    on_each_device(|device| {
        let mut x = device.zeros::<u32>(8000).unwrap();
        std::thread::scope(|scope| {
            for (i, mut part) in x.chunks_mut(1000).enumerate() {
                scope.spawn(move || {
                    let stream = part.device().stream().unwrap();
                    for _ in 0..20 {
                        add(i as u32, &mut part).over(1000).on(&stream).launch().unwrap();
                    }
                    stream.synchronize().unwrap();
                });
            }
        });
        let expected: Vec<u32> = (0..8000).map(|at| 20 * (at / 1000)).collect();
        assert_eq!(x.to_host().unwrap(), expected);
    });
}

#[test]
fn foreign_memory_becomes_an_array() {
    struct Owner(Arc<std::sync::atomic::AtomicUsize>, #[allow(dead_code)] Vec<u32>);

    impl Drop for Owner {
        fn drop(&mut self) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }

    let dropped = Arc::default();
    let mut numbers = numbers(100);
    let (pointer, stream) = (numbers.as_mut_ptr(), Device::cpu().default_stream());
    let owner = Owner(Arc::clone(&dropped), numbers);
    // SAFETY: the vector has that many elements, and outlives the array.
    let mut array = unsafe { DeviceArray::from_raw_parts(&stream, pointer, 100, owner) }.unwrap();
    assert_eq!(array.as_mut_ptr(), pointer);
    add(1, &mut array).over(100).launch().unwrap();
    assert_eq!(array.slice(1..2).unwrap().to_host().unwrap(), [(2_654_435_761 >> 4) + 1]);
    assert_eq!(dropped.load(std::sync::atomic::Ordering::Relaxed), 0);
    drop(array);
    assert_eq!(dropped.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[test]
fn a_device_pointer_becomes_an_array() {
    on_gpu(|gpu| {
        let mut x = gpu.to_device(&numbers(100)).unwrap();
        let pointer = x.slice_mut(50..).unwrap().as_mut_ptr();
        // SAFETY: the array has 50 elements from there on, and outlives the slice; both are used on the default stream.
        let mut alias = unsafe { DeviceArray::from_raw_parts(&gpu.default_stream(), pointer, 50, ()) }.unwrap();
        add(5, &mut alias).over(50).launch().unwrap();
        drop(alias);
        assert_eq!(x.slice(50..51).unwrap().to_host().unwrap(), [numbers(51)[50] + 5]);
    });
}

#[test]
fn two_gpus_copy_between_each_other() {
    let _alone = alone();
    let (Some(first), Ok(second)) = (gpu(), Device::cuda(1)) else { return };
    let values = numbers(1 << 20);
    let mut x = first.to_device(&values).unwrap();
    let mut y = second.zeros::<u32>(values.len()).unwrap();
    for round in 1..=10u32 {
        add_after(20_000, 1, &mut x).over(values.len()).launch().unwrap();
        y.copy_from(&x).unwrap();
        add_after(20_000, 1, &mut y).over(values.len()).launch().unwrap();
        // This time on a stream of the first GPU.
        first.default_stream().copy(&y, &mut x).unwrap();
        assert_eq!(x.slice(7..8).unwrap().to_host().unwrap()[0], values[7].wrapping_add(2 * round));
    }
    let expected: Vec<u32> = values.iter().map(|value| value.wrapping_add(20)).collect();
    assert_eq!(x.to_host().unwrap(), expected);
    assert_eq!(x.to_device(&second).unwrap().to_host().unwrap(), expected);
    let third = Device::cpu().default_stream();
    assert!(matches!(third.copy(&x, &mut y), Err(Error::StreamElsewhere { .. })));
}

/// All handles are `Send` and `Sync` where possible.
#[test]
fn handles_are_send_and_sync() {
    fn send<T: Send>() {}
    fn sync<T: Sync>() {}
    macro_rules! both {
        ($($type:ty),* $(,)?) => {$(
            send::<$type>();
            sync::<$type>();
        )*};
    }
    both!(
        Device,
        Stream,
        StreamBuilder<'static>,
        Event,
        DeviceArray<f32>,
        DeviceSlice<'static, f32>,
        DeviceSliceMut<'static, Uneven>,
        DeviceChunks<'static, f32>,
        ArrayView<'static, f32, 2>,
        ArrayViewMut2<'static, f32>,
        PinnedArray<f32>,
        PinnedSlice<'static, f32>,
        PinnedSliceMut<'static, bool>,
        Error,
    );
    // So are objects that are read through a trait object.
    let array = Device::cpu().zeros::<u32>(1).unwrap();
    let _: &dyn CopySource<Element = u32> = &array;
}
