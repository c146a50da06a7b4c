//! Launch limits that a kernel declares (`block`, `launch_bounds`, `index`, grid barriers), the maximum size of
//! arguments, the shapes of views, and empty arguments.

use cumbia::intrinsics::*;
use cumbia::prelude::*;
use cumbia::{Dim3, Error, FaultKind, LaunchError, ShapeError};

use crate::support::{on_each_device, rejected};

#[kernel(block = (16, 4))]
fn in_blocks_of_16_by_4(y: &mut [u32]) {
    let (column, row) = grid(2);
    let at = row * grid_size(2).0 + column;
    if at < y.len() {
        y[at] = (block_dim().x * 10 + block_dim().y) as u32;
    }
}

#[test]
fn a_fixed_block_is_the_only_one() {
    on_each_device(|device| {
        let mut y = device.zeros::<u32>(64).unwrap();
        for block in [Dim3::from(64), (4, 16).into(), (16, 4, 2).into(), 1.into()] {
            let words = ["`in_blocks_of_16_by_4`", "(16, 4, 1)", "remove `.block(..)`"];
            let error = rejected(in_blocks_of_16_by_4(&mut y).grid(1).block(block).launch(), &words);
            let LaunchError::BlockFixed { requested, fixed, .. } = error else { panic!("{error:?}") };
            assert_eq!((requested, fixed), (block, Dim3 { x: 16, y: 4, z: 1 }));
        }
        rejected(launch!(in_blocks_of_16_by_4[1, 64](&mut y)), &["(16, 4, 1)"]);
        assert_eq!(y.to_host().unwrap(), [0; 64]);
        in_blocks_of_16_by_4(&mut y).grid(1).launch().unwrap();
        in_blocks_of_16_by_4(&mut y).grid(1).block((16, 4)).launch().unwrap();
        in_blocks_of_16_by_4(&mut y).over((16, 4)).launch().unwrap();
        launch!(in_blocks_of_16_by_4[1, (16, 4)](&mut y)).unwrap();
        assert_eq!(y.to_host().unwrap(), [164; 64]);
    });
}

#[kernel(launch_bounds(96))]
fn at_most_96(y: &mut [u32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] += 1;
    }
}

#[test]
fn launch_bounds_are_kept() {
    on_each_device(|device| {
        let mut y = device.zeros::<u32>(192).unwrap();
        let words = ["`at_most_96`", "97", "96", "launch_bounds"];
        let error = rejected(at_most_96(&mut y).grid(1).block(97).launch(), &words);
        let LaunchError::BlockTooLarge { requested, threads, limit, .. } = error else { panic!("{error:?}") };
        assert_eq!((requested, threads, limit), (97.into(), 97, 96));
        rejected(at_most_96(&mut y).grid(1).block((16, 7)).launch(), &["112 threads", "96"]);
        at_most_96(&mut y).grid(2).block(96).launch().unwrap();
        at_most_96(&mut y).grid(4).block((48, 1, 1)).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [2; 192]);
    });
}

#[kernel]
fn meets(y: &mut [u32]) {
    atomic_add(&mut y[0], 1);
    sync_grid();
    if grid(1) == 0 {
        y[1] = atomic_load(&y[0]);
    }
}

#[test]
fn a_cooperative_grid_is_resident() {
    on_each_device(|device| {
        let mut y = device.zeros::<u32>(2).unwrap();
        let error = rejected(meets(&mut y).grid(2).block(32).launch(), &["`meets`", "sync_grid", ".cooperative()"]);
        assert_eq!(error, LaunchError::NotCooperative { kernel: "meets" });
        let most = meets(&mut y).block(256).cooperative_blocks().unwrap();
        assert!(most > 0);
        let launch = meets(&mut y).grid(most + 1).block(256).cooperative().launch();
        let error = rejected(launch, &["`meets`", &(most + 1).to_string(), &most.to_string(), "cooperative_blocks"]);
        let LaunchError::GridNotResident { requested, possible, block, .. } = error else { panic!("{error:?}") };
        assert_eq!((requested, possible, block), (most as u64 + 1, most as u64, 256.into()));
        // `cooperative` does not permit a block that is too large.
        rejected(meets(&mut y).grid(1).block(2048).cooperative().launch(), &["2048", "1024"]);
        meets(&mut y).grid(3).block(64).cooperative().launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [192, 192]);
    });
}

#[kernel(index = u32)]
fn narrow(n: usize, x: &[u8], a: ArrayView2<u8>, y: &mut [u64]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = (n + x.len() + a.nrows()) as u64;
    }
}

#[test]
fn narrow_indices_reach_all_arguments_and_threads() {
    on_each_device(|device| {
        const LIMIT: usize = 1 << 32;
        let (x, mut y) = (device.to_device(&[1u8, 2, 3]).unwrap(), device.zeros::<u64>(2).unwrap());
        let a = x.reshape((1, 3)).unwrap();
        let too_large = |result: cumbia::Result<()>, number: usize| {
            let error = rejected(result, &["`narrow`", &number.to_string(), "`index = u32`", "2^32"]);
            assert_eq!(error, LaunchError::IndexTooLarge { kernel: "narrow", requested: number as u64 });
        };
        // A scalar.
        too_large(narrow(LIMIT, &x, a, &mut y).over(2).launch(), LIMIT);
        too_large(narrow(usize::MAX, &x, a, &mut y).over(2).launch(), usize::MAX);
        // Threads, in each dimension of the grid.
        too_large(narrow(1, &x, a, &mut y).grid(1 << 22).block(1024).launch(), LIMIT);
        too_large(narrow(1, &x, a, &mut y).over(LIMIT - 5).launch(), LIMIT);
        // An array and a view. On the CPU their memory is not committed until it is written.
        if device.is_cpu() {
            let large = device.zeros::<u8>(LIMIT).unwrap();
            too_large(narrow(1, &large, a, &mut y).over(2).launch(), LIMIT);
            let rows = large.reshape((1 << 20, 1 << 12)).unwrap();
            // Its length is the product, which indices in bounds reach.
            assert!(narrow(1, &x, rows, &mut y).over(2).launch().is_err());
            narrow(1, &x, rows.slice(..2, ..).unwrap(), &mut y).over(2).launch().unwrap();
            assert_eq!(y.to_host().unwrap(), [6; 2]);
        }
        // A view without elements still has lengths.
        let nothing = device.zeros::<u8>(0).unwrap();
        let wide = nothing.reshape((0, LIMIT)).unwrap();
        assert!(narrow(1, &x, wide, &mut y).over(2).launch().is_err());
        narrow(LIMIT - 5, &x, a, &mut y).over(2).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [LIMIT as u64 - 1; 2]);
    });
}

/// Returns the text of the error of inspecting a kernel.
#[track_caller]
fn rejected_source(source: cumbia::Result<String>, words: &[&str]) {
    let text = source.expect_err("a kernel that cannot be compiled").to_string();
    for word in words.iter().chain(&["index = u32", "why:", "help:"]) {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
}

/// Constants and results that a 32-bit `usize` cannot represent.
#[test]
fn narrow_indices_are_rejected_where_the_width_is_observable() {
    #[kernel(index = u32)]
    fn in_memory(x: &[usize], y: &mut [u32]) {
        y[0] = x[0] as u32;
    }
    #[kernel(index = u32)]
    fn large_literal(x: usize, y: &mut [u32]) {
        y[0] = (x < 5_000_000_000) as u32;
    }
    #[kernel(index = u32)]
    fn large_constant(x: usize, y: &mut [u32]) {
        y[0] = (x == usize::MAX) as u32;
    }
    #[kernel(index = u32)]
    fn leading(x: usize, y: &mut [u32]) {
        y[0] = x.leading_zeros() + (x as u32).leading_zeros();
    }
    #[device]
    fn turned(x: usize) -> usize {
        x.rotate_left(3)
    }
    #[kernel(index = u32)]
    fn in_a_function(x: usize, y: &mut [u32]) {
        y[0] = turned(x) as u32;
    }
    #[kernel(index = u32)]
    fn paired(x: usize, by: isize, y: &mut [u32]) {
        y[0] = x.wrapping_add_signed(by) as u32 + by.unsigned_abs() as u32;
    }
    rejected_source(in_memory::cuda_source(), &["`in_memory` has a parameter `x: &[usize]`"]);
    rejected_source(large_literal::cuda_source(), &["5000000000", "limits.rs"]);
    rejected_source(large_constant::cuda_source(), &["`large_constant` has a constant of 18446744073709551615"]);
    rejected_source(leading::cuda_source(), &["`leading_zeros` of `usize`", "`x as u32`", "limits.rs"]);
    rejected_source(in_a_function::cuda_source(), &["`rotate_left` of `usize`", "in `turned`"]);
    rejected_source(
        paired::cuda_source(),
        &["`wrapping_add_signed` of `usize`", "`unsigned_abs` of `isize`", "`isize`, which has 64"],
    );
    // The launch reports the same.
    let mut y = Device::cpu().zeros(1).unwrap();
    let error = leading(3, &mut y).over(1).launch().unwrap_err();
    assert!(matches!(&error, Error::Compile(_)) && error.to_string().contains("leading_zeros"), "{error}");
}

#[kernel]
fn large(a: [u64; 508], y: &mut [u64]) {
    y[0] = a[507];
}

#[kernel]
fn largest(a: [u64; 500], b: [u32; 11], c: u8, y: &mut [u64]) {
    y[0] = a[499] + b[10] as u64 + c as u64;
}

#[test]
fn arguments_may_take_4_kib() {
    on_each_device(|device| {
        let mut y = device.zeros::<u64>(1).unwrap();
        let words = ["`large`", "4080", "4064", "`&[_]`"];
        let error = rejected(large([7; 508], &mut y).grid(1).block(1).launch(), &words);
        let LaunchError::ArgumentsTooLarge { bytes, limit, .. } = error else { panic!("{error:?}") };
        assert_eq!((bytes, limit), (4064 + 16, 4064));
        largest([5; 500], [6; 11], 7, &mut y).grid(1).block(1).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [18]);
    });
}

#[test]
fn views_have_the_shape_of_their_array() {
    on_each_device(|device| {
        let mut x = device.zeros::<f32>(12).unwrap();
        let error = |error: Error| match error {
            Error::Shape(error) => error,
            other => panic!("{other:?}"),
        };
        let reshaped = |shape: &[usize]| ShapeError::Reshape { elements: 12, shape: shape.to_vec() };
        assert_eq!(error(x.reshape((3, 5)).unwrap_err()), reshaped(&[3, 5]));
        assert_eq!(error(x.reshape_mut((2, 3, 3)).unwrap_err()), reshaped(&[2, 3, 3]));
        assert_eq!(error(x.reshape(11).unwrap_err()), reshaped(&[11]));
        assert_eq!(error(x.reshape((0, 12)).unwrap_err()), reshaped(&[0, 12]));
        // Lengths whose product overflows `usize`.
        assert_eq!(error(x.reshape((1 << 63, 2)).unwrap_err()), reshaped(&[1 << 63, 2]));
        let text = x.reshape((3, 5)).unwrap_err().to_string();
        assert!(text.contains("12 elements") && text.contains("(3, 5)"), "{text}");

        let view = x.reshape((3, 4)).unwrap();
        let range = |start, end, axis, len| ShapeError::Range { start, end, axis, len };
        assert_eq!(error(view.slice(1..4, ..).unwrap_err()), range(1, 4, 0, 3));
        let (three, two) = (3, 2);
        assert_eq!(error(view.slice(.., three..two).unwrap_err()), range(3, 2, 1, 4));
        assert_eq!(error(view.slice(.., ..=usize::MAX).unwrap_err()), range(0, usize::MAX, 1, 4));
        assert_eq!(error(view.row(3).unwrap_err()), ShapeError::Index { index: 3, axis: 0, len: 3 });
        assert_eq!(error(view.column(4).unwrap_err()), ShapeError::Index { index: 4, axis: 1, len: 4 });
        assert_eq!(error(view.slice_axis(2, ..).unwrap_err()), ShapeError::Axis { axis: 2, dimensions: 2 });
        assert!(view.split_at(1, 5).is_err() && view.split_at(1, 4).is_ok());
        assert_eq!(view.slice(3.., 4..).unwrap().shape(), [0, 0]);
    });
}

/// Every kind of argument that can be empty.
#[kernel]
fn nothing(
    x: &[f32],
    a: ArrayView1<u8>,
    b: ArrayView2<u16>,
    mut c: ArrayViewMut3<f64>,
    z: &mut [bool],
    y: &mut [usize],
) {
    let i = grid(1);
    if i < z.len() {
        z[i] = x[i] > 0.0;
    }
    for v in x.iter() {
        y[0] += *v as usize;
    }
    for plane in 0..c.dim().0 {
        c[[plane, 0, 0]] = 1.0;
    }
    let tail = &x[x.len()..];
    let (left, right) = x.split_at(0);
    y[0] += x.len() + a.len() + b.len() + c.len() + z.len() + tail.len() + left.len() + right.len();
    y[1] = b.nrows() * 100 + b.ncols() + c.shape()[1] * 10_000 + a.is_empty() as usize * 1_000_000;
}

#[test]
fn arguments_may_be_empty() {
    on_each_device(|device| {
        let (x, a, b) =
            (device.zeros::<f32>(0).unwrap(), device.to_device::<u8>(&[]).unwrap(), device.zeros::<u16>(0).unwrap());
        let (mut c, mut z) = (device.zeros::<f64>(0).unwrap(), device.zeros::<bool>(0).unwrap());
        let mut y = device.zeros::<usize>(2).unwrap();
        for shape in [(0, 7), (3, 0)] {
            let (one, two) = (a.reshape(0).unwrap(), b.reshape(shape).unwrap());
            let three = c.reshape_mut((0, 5, 0)).unwrap();
            nothing(&x, one, two, three, &mut z, &mut y).grid(2).block(32).launch().unwrap();
            assert_eq!(y.to_host().unwrap(), [0, 1_050_000 + shape.0 * 100 + shape.1]);
        }
        assert_eq!((x.to_host().unwrap(), z.to_host().unwrap()), (vec![], vec![]));
        assert_eq!(c.to_host().unwrap(), [0.0; 0]);
        // Empty parts of non-empty arrays.
        let full = device.to_device(&[1u16, 2, 3, 4, 5, 6]).unwrap();
        let part = full.reshape((2, 3)).unwrap().slice(1..1, ..).unwrap();
        let three = c.reshape_mut((0, 1, 1)).unwrap();
        nothing(&x, a.reshape(0).unwrap(), part, three, &mut z, &mut y).grid(1).block(1).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [0, 1_010_003]);
    });
}

/// Lengths beyond any memory, of a view without elements: they are passed on, and nothing overflows.
#[test]
fn empty_views_may_have_any_lengths() {
    #[kernel]
    fn lengths(a: ArrayView3<u8>, y: &mut [usize]) {
        let shape = a.shape();
        y[0] = shape[0];
        y[1] = shape[1];
        y[2] = shape[2];
        y[3] = a.len();
        y[4] = if a.is_empty() { 1 } else { 0 };
        y[5] = a.t().len();
    }
    #[kernel]
    fn writes(mut a: ArrayViewMut3<u32>, i: usize, j: usize, k: usize) {
        a[[i, j, k]] += 1;
    }
    #[kernel]
    fn planes(mut a: ArrayViewMut3<u32>, i: usize, y: &mut [usize]) {
        let mut plane = a.plane_mut(i);
        y[0] = plane.len();
        y[1] = plane.row_mut(0).len();
        y[2] = plane.nrows();
    }
    const MAX: usize = usize::MAX;
    let values = [0, 1, 2, 3, 1 << 32, 1 << 33, MAX / 2 + 1, MAX - 1, MAX];
    let shapes = values.iter().flat_map(|&a| values.iter().map(move |&b| [a, b]));
    let shapes: Vec<[usize; 3]> = shapes.flat_map(|[a, b]| [[0, a, b], [a, 0, b], [a, b, 0]]).collect();
    on_each_device(|device| {
        let (nothing, mut y) = (device.zeros::<u8>(0).unwrap(), device.zeros::<usize>(6).unwrap());
        for &shape in &shapes {
            let view = nothing.reshape(shape).unwrap();
            let [a, b, c] = shape;
            for (view, [a, b, c]) in [(view, [a, b, c]), (view.t(), [c, b, a])] {
                assert_eq!((view.len(), view.is_empty(), view.to_host().unwrap().len()), (0, true, 0));
                lengths(view, &mut y).grid(1).block(1).launch().unwrap();
                assert_eq!(y.to_host().unwrap(), [a, b, c, 0, 1, 0]);
                for (axis, &len) in [a, b, c].iter().enumerate() {
                    assert_eq!(view.slice_axis(axis, len / 2..).unwrap().len(), 0);
                    assert_eq!(view.split_at(axis, len / 2).unwrap().0.len(), 0);
                }
            }
        }
        // A fault of the first index that is out of bounds, whatever the product of the others is.
        let mut nothing = device.zeros::<u32>(0).unwrap();
        for (shape, transposed, index, expected) in [
            ([0, MAX, MAX], true, [2, 3, 0], (0, 0)),
            ([0, MAX, MAX], true, [MAX - 1, MAX - 1, 5], (5, 0)),
            ([MAX, MAX, 0], false, [MAX - 1, MAX - 1, 0], (0, 0)),
            ([MAX, 0, MAX], false, [MAX - 1, 7, 1], (7, 0)),
            ([MAX, 0, 3], false, [MAX, 0, 0], (MAX, MAX)),
        ] {
            let view = nothing.reshape_mut(shape).unwrap();
            let view = if transposed { view.t() } else { view };
            let [i, j, k] = index;
            writes(view, i, j, k).grid(1).block(1).launch().unwrap();
            let error = device.synchronize().unwrap_err();
            let Error::Fault { kind: FaultKind::IndexOutOfBounds { index, len }, .. } = &error else {
                panic!("{shape:?}: {error}")
            };
            assert_eq!((*index, *len), (expected.0 as u64, expected.1 as u64), "{shape:?}");
        }
        let mut y = device.zeros::<usize>(3).unwrap();
        let mut check = |shape: [usize; 3], transposed, index: usize, expected: [usize; 3]| {
            let view = nothing.reshape_mut(shape).unwrap();
            let view = if transposed { view.t() } else { view };
            planes(view, index, &mut y).grid(1).block(1).launch().unwrap();
            device.synchronize().unwrap();
            assert_eq!(y.to_host().unwrap(), expected, "{shape:?}");
        };
        check([MAX, 3, 0], false, MAX - 1, [0, 0, 3]);
        check([0, MAX, MAX], true, MAX - 1, [0, 0, MAX]);
    });
}
