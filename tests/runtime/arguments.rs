//! Arguments other than whole arrays: slices, and host arrays that the launch copies.

use cumbia::prelude::*;
use cumbia::{Error, FaultKind, LaunchError};

use crate::support::on_each_device;

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// Writes every second element.
#[kernel]
fn mark_even(y: &mut [u32]) {
    let i = 2 * grid(1);
    if i < y.len() {
        y[i] = 7;
    }
}

#[kernel]
fn gather(indices: &[usize], x: &[i64], y: &mut [i64]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = x[indices[i]];
    }
}

#[kernel]
fn sum_of_rows(matrix: ArrayView2<i32>, mut sums: ArrayViewMut1<i32>) {
    let line = grid(1);
    if line < matrix.nrows() {
        for column in 0..matrix.ncols() {
            sums[line] += matrix[[line, column]];
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
enum Colour {
    Red = 3,
    Green = 5,
}

#[kernel]
fn paint(colours: &mut [Colour]) {
    let i = grid(1);
    if i < colours.len() && i % 2 == 1 {
        colours[i] = Colour::Green;
    }
}

#[kernel]
fn nothing_at_all(n: u32) {
    assert!(n == 7);
}

#[test]
fn slices_are_arguments() {
    on_each_device(|device| {
        let x = device.to_device(&[1.0f32, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let mut y = device.zeros(6).unwrap();
        let (mut left, mut right) = y.split_at_mut(2).unwrap();
        saxpy(1.0, &x.slice(1..).unwrap(), &mut left).over(2).launch().unwrap();
        let part = x.slice(..4).unwrap();
        saxpy(10.0, &part, &mut right).over(4).launch().unwrap();
        saxpy(100.0, &x, &mut right.slice(3..).unwrap()).over(1).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [2.0, 3.0, 10.0, 20.0, 30.0, 140.0]);
        // A writable slice is readable, too.
        let mut z = device.zeros(3).unwrap();
        saxpy(1.0, &y.slice_mut(3..).unwrap(), &mut z).over(3).launch().unwrap();
        assert_eq!(z.to_host().unwrap(), [20.0, 30.0, 140.0]);
        // The kernel sees the length of the slice.
        let error = saxpy(1.0, &x.slice(2..4).unwrap(), &mut z).over(3).launch().and_then(|()| device.synchronize());
        let Err(Error::Fault { kind: FaultKind::IndexOutOfBounds { index: 2, len: 2 }, .. }) = error else {
            panic!("{error:?}");
        };
    });
}

/// A variable of type `&mut DeviceArray` is reborrowed by each launch, for `&mut [T]` and for `&[T]`.
#[test]
fn a_mutable_reference_is_an_argument_again() {
    fn both(x: &mut DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
        saxpy(1.0, x, y).over(3).launch()?;
        saxpy(1.0, y, x).over(3).launch()?;
        saxpy(1.0, x, y).over(3).launch()
    }
    on_each_device(|device| {
        let (mut x, mut y) = (device.to_device(&[1.0f32; 3]).unwrap(), device.zeros(3).unwrap());
        both(&mut x, &mut y).unwrap();
        assert_eq!((x.to_host().unwrap(), y.to_host().unwrap()), (vec![2.0; 3], vec![3.0; 3]));
    });
}

#[test]
fn slices_have_views() {
    on_each_device(|device| {
        let x = device.to_device(&(0..10).collect::<Vec<i32>>()).unwrap();
        let mut sums = device.zeros(4).unwrap();
        let matrix = x.slice(2..8).unwrap().reshape((2, 3)).unwrap();
        let behind = sums.slice_mut(1..3).unwrap().reshape(2).unwrap();
        sum_of_rows(matrix, behind).over(2).launch().unwrap();
        assert_eq!(sums.to_host().unwrap(), [0, 2 + 3 + 4, 5 + 6 + 7, 0]);
        assert_eq!(matrix.slice(.., 1..).unwrap().t().to_host().unwrap(), [3, 6, 4, 7]);
    });
}

#[test]
fn host_arrays_are_copied_both_ways() {
    on_each_device(|device| {
        let (x, mut y) = (vec![1.0f32, 2.0, 3.0], [10.0f32, 20.0, 30.0]);
        saxpy(2.0, In(&x), InOut(&mut y)).over(3).on_device(device).launch().unwrap();
        assert_eq!(y, [12.0, 24.0, 36.0]);
        saxpy(2.0, In(&x[1..]), InOut(&mut y[..2])).over(2).on_device(device).launch().unwrap();
        assert_eq!(y, [16.0, 30.0, 36.0]);
        // One array on the device says where to run.
        let on_device = device.to_device(&y).unwrap();
        let mut z = vec![5.0f32; 3];
        saxpy(1.0, &on_device, Out(&mut z)).over(3).launch().unwrap();
        assert_eq!(z, y);
        let mut on_device = on_device;
        saxpy(-1.0, In(&z), &mut on_device).over(3).launch().unwrap();
        assert_eq!(on_device.to_host().unwrap(), [0.0; 3]);
        let none: [f32; 0] = [];
        saxpy(1.0, In(&none), Out(&mut [])).over(1).on_device(device).launch().unwrap();
    });
}

#[test]
fn unwritten_output_elements_are_zero() {
    on_each_device(|device| {
        let mut y = vec![0xdead_beef_u32; 5];
        mark_even(Out(&mut y)).over(5).on_device(device).launch().unwrap();
        assert_eq!(y, [7, 0, 7, 0, 7]);
        let mut y = vec![1u32; 5];
        mark_even(InOut(&mut y)).over(5).on_device(device).launch().unwrap();
        assert_eq!(y, [7, 1, 7, 1, 7]);
        // All-zero bits are not a variant of the enum, so that the first variant replaces them.
        let mut colours = [Colour::Green; 4];
        paint(Out(&mut colours)).over(4).on_device(device).launch().unwrap();
        assert_eq!(colours, [Colour::Red, Colour::Green, Colour::Red, Colour::Green]);
    });
}

#[test]
fn a_launch_that_copies_back_returns_its_fault() {
    on_each_device(|device| {
        let (indices, x) = ([2usize, 9, 0], [10i64, 20, 30]);
        let mut y = [0i64; 3];
        let launch = gather(In(&indices), In(&x), Out(&mut y)).over(3).on_device(device).launch();
        let Err(Error::Fault { kind: FaultKind::IndexOutOfBounds { index: 9, len: 3 }, .. }) = launch else {
            panic!("{launch:?}");
        };
        assert_eq!(y[1], 0);
        device.synchronize().expect("the fault has been given out");
        // Without a copy back, the fault stays pending until the next synchronization.
        let mut y = device.zeros(3).unwrap();
        gather(In(&indices), In(&x), &mut y).over(3).launch().unwrap();
        assert!(matches!(y.to_host(), Err(Error::Fault { .. })));
        device.synchronize().unwrap();
    });
}

#[test]
fn host_arrays_alone_determine_no_device() {
    let mut y = [1u32; 2];
    let error = mark_even(InOut(&mut y)).over(2).launch().unwrap_err();
    assert!(matches!(error, Error::Launch(LaunchError::NoDevice { kernel: "mark_even" })), "{error}");
    assert!(error.to_string().contains(".on_device(&device)"), "{error}");
    // A rejected launch leaves the arrays unchanged.
    let error = mark_even(Out(&mut y)).grid(1).block(4096).on_device(&Device::cpu()).launch().unwrap_err();
    assert!(matches!(error, Error::Launch(LaunchError::BlockTooLarge { .. })), "{error}");
    assert_eq!(y, [1, 1]);
    assert!(nothing_at_all(7).grid(1).block(1).launch().is_err());
}

mod with_ndarray {
    use cumbia::{LaunchError, ShapeError};
    use ndarray::{Array1, Array2, array, s};

    use super::*;

    #[test]
    fn arrays_of_ndarray_are_arguments() {
        on_each_device(|device| {
            let matrix = Array2::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as i32);
            let mut sums = Array1::from_elem(3, 100);
            sum_of_rows(In(&matrix), InOut(&mut sums)).over(3).on_device(device).launch().unwrap();
            assert_eq!(sums, array![106, 146, 186]);
            sum_of_rows(In(&matrix.slice(s![1.., ..])), Out(&mut sums.slice_mut(s![..2])))
                .over(2)
                .on_device(device)
                .launch()
                .unwrap();
            assert_eq!(sums, array![46, 86, 186]);
            let x = Array1::from_vec(vec![1.0f32, 2.0]);
            let mut y = Array1::zeros(2);
            saxpy(3.0, In(&x), Out(&mut y)).over(2).on_device(device).launch().unwrap();
            assert_eq!(y, array![3.0, 6.0]);
        });
    }

    #[test]
    fn non_contiguous_arrays_are_rejected() {
        let matrix = array![[1, 2, 3], [4, 5, 6]];
        let mut sums = Array1::zeros(3);
        let launch = sum_of_rows(In(&matrix.t()), Out(&mut sums)).over(3).on_device(&Device::cpu()).launch();
        let Err(Error::Launch(LaunchError::Argument { parameter: "matrix", cause, .. })) = launch else {
            panic!("{launch:?}");
        };
        let not_contiguous = ShapeError::NotContiguous { shape: vec![3, 2], strides: vec![1, 3] };
        assert!(matches!(cause.get(), Error::Shape(error) if *error == not_contiguous), "{cause}");
    }
}
