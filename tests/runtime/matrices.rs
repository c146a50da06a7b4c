//! The algorithms on matrices, at shapes around all boundaries of tiles and of the threads of a row, against loops on the host.

use cumbia::algorithm::{
    Function2, Maximum, Plus, Times, argmax_rows, argmin_rows, device_fn, layer_norm_rows, mean_rows, reduce_rows,
    segmented_reduce, softmax_rows, transform_reduce_rows, transpose,
};
use cumbia::prelude::*;
use cumbia::{Error, FaultKind, ShapeError};

use crate::support::{Affine, Then, affine, bits, on_each_device, values, wrong_length};

/// Transposes matrices of elements of a type.
fn transposes<T: DeviceType + PartialEq>(device: &Device, shapes: &[(usize, usize)], of: fn(usize) -> T) {
    for &(rows, columns) in shapes {
        let x = values(rows * columns, of);
        // Elements around the target keep their values.
        let (array, mut y) = (device.to_device(&x).unwrap(), device.to_device(&vec![of(9); x.len() + 2]).unwrap());
        let inner = y.slice_mut(1..=x.len()).unwrap().reshape((columns, rows)).unwrap();
        transpose(array.reshape((rows, columns)).unwrap(), inner).launch().unwrap();
        let found = y.to_host().unwrap();
        let expected = values(x.len(), |k| x[k % rows * columns + k / rows]);
        let size = size_of::<T>();
        assert!(found[1..=x.len()] == expected, "{rows} × {columns} of {size} bytes");
        assert!(found[0] == of(9) && found[x.len() + 1] == of(9), "{rows} × {columns} of {size} bytes");
    }
}

/// An element of 12 bytes, whose size is no power of two.
#[derive(Clone, Copy, PartialEq, DeviceType)]
struct Vector {
    parts: [f32; 3],
}

#[test]
fn transpositions() {
    on_each_device(|device| {
        let edges = [(1, 1), (0, 5), (5, 0), (1, 300), (300, 1), (31, 33), (32, 32), (63, 65), (64, 64), (65, 129)];
        transposes(device, &edges, |i| bits(i) as f32);
        transposes(device, &edges, bits);
        let some = [(33, 31), (65, 63), (3, 200)];
        transposes(device, &some, |i| bits(i) as u8);
        transposes(device, &some, |i| bits(i).is_multiple_of(2));
        transposes(device, &some, |i| bits(i) as i16);
        transposes(device, &some, |i| Vector { parts: [bits(i) as f32; 3] });
        // Elements that are moved through shared memory, and those that are not.
        transposes(device, &some, |i| [bits(i); 4]);
        transposes(device, &some, |i| [bits(i) as u8; 33]);
        transposes(device, &some, |i| [bits(i); 100]);
    });
}

/// Views whose rows, columns or neither are contiguous.
#[test]
fn transpositions_of_strided_views() {
    on_each_device(|device| {
        let (rows, columns) = (70, 45);
        let x = values(rows * columns, |i| bits(i) as u32);
        let array = device.to_device(&x).unwrap();
        let matrix = array.reshape((rows, columns)).unwrap();
        let mut y = device.zeros::<u32>(x.len()).unwrap();
        // A copy of the matrix, by one view that is transposed.
        transpose(matrix.t(), y.reshape_mut((rows, columns)).unwrap()).launch().unwrap();
        assert!(y.to_host().unwrap() == x);
        y.fill(0).unwrap();
        transpose(matrix, y.reshape_mut((rows, columns)).unwrap().t()).launch().unwrap();
        assert!(y.to_host().unwrap() == x);
        // Both transposed, and twice by one object.
        let expected = values(x.len(), |k| x[k % rows * columns + k / rows]);
        let stream = device.stream().unwrap();
        let mut both = transpose(matrix.t(), y.reshape_mut((columns, rows)).unwrap().t()).on(&stream);
        both.launch().unwrap();
        both.launch().unwrap();
        assert!(y.to_host().unwrap() == expected);
        // Parts of matrices, and every third row of a matrix.
        y.fill(7).unwrap();
        let part = matrix.slice(3..68, 2..40).unwrap();
        let target = y.reshape_mut((columns, rows)).unwrap().slice(5..43, 1..66).unwrap();
        transpose(part, target).launch().unwrap();
        let expected = values(x.len(), |k| {
            let (i, j) = (k / rows, k % rows);
            if (5..43).contains(&i) && (1..66).contains(&j) { x[(j + 2) * columns + i - 3] } else { 7 }
        });
        assert!(y.to_host().unwrap() == expected);
        let thirds = array.reshape((rows / 2, 2, columns)).unwrap().t().plane(4).unwrap();
        let mut z = device.zeros::<u32>(rows).unwrap();
        transpose(thirds, z.reshape_mut((rows / 2, 2)).unwrap()).launch().unwrap();
        assert!(z.to_host().unwrap() == values(rows, |i| x[i * columns + 4]));

        let error = transpose(matrix, y.reshape_mut((rows, columns)).unwrap()).launch().unwrap_err();
        let Error::Shape(ShapeError::Mismatch { operation: "transpose", expected, found }) = &error else {
            panic!("{error:?}")
        };
        assert_eq!((&expected[..], &found[..]), (&[columns, rows][..], &[rows, columns][..]));
        assert_eq!(error.to_string(), "transpose: expected an array of shape (45, 70), but found (70, 45)");
    });
}

/// Lengths of rows around those of a warp, of rows of 4 elements for each lane, and of rows that a block reduces.
const LENGTHS: [usize; 15] = [0, 1, 2, 31, 32, 33, 159, 161, 255, 1023, 1024, 1025, 1281, 2048, 4099];

/// Reduces rows, and segments of the same elements.
fn reduces<T: DeviceType + PartialEq, F: Function2<T, T, Output = T>>(
    device: &Device,
    [rows, columns]: [usize; 2],
    of: fn(usize) -> T,
    operator: F,
) {
    let (x, initial) = (values(rows * columns, of), of(usize::MAX / 2));
    let array = device.to_device(&x).unwrap();
    let mut y = device.to_device(&vec![of(3); rows]).unwrap();
    let expected =
        values(rows, |i| x[i * columns..(i + 1) * columns].iter().fold(initial, |a, b| operator.call(a, *b)));
    reduce_rows(array.reshape((rows, columns)).unwrap(), &mut y, initial, operator).launch().unwrap();
    assert!(y.to_host().unwrap() == expected, "{rows} × {columns}");
    let offsets = device.to_device(&values(rows + 1, |i| (i * columns) as u32)).unwrap();
    y.fill(of(3)).unwrap();
    segmented_reduce(&array, &offsets, &mut y, initial, operator).launch().unwrap();
    assert!(y.to_host().unwrap() == expected, "{rows} segments of {columns}");
}

#[test]
fn reductions_of_rows() {
    on_each_device(|device| {
        for columns in LENGTHS {
            reduces(device, [3, columns], |i| bits(i) as u32 >> 16, Plus);
            reduces(device, [3, columns], affine, Then);
        }
        for rows in [0, 1, 7, 8, 9, 17] {
            reduces(device, [rows, 37], |i| bits(i) as i16, Maximum);
            reduces(device, [rows, 37], affine, Then);
        }
        // Transposed and sliced.
        let x = values(40 * 50, |i| bits(i) as u32 >> 16);
        let array = device.to_device(&x).unwrap();
        let (mut y, stream) = (device.zeros(50).unwrap(), device.stream().unwrap());
        let matrix = array.reshape((40, 50)).unwrap();
        let mut sums = reduce_rows(matrix.t().slice(.., 3..).unwrap(), &mut y, 1, Plus).on(&stream);
        sums.launch().unwrap();
        sums.launch().unwrap();
        assert!(y.to_host().unwrap() == values(50, |j| (3..40).map(|i| x[50 * i + j]).sum::<u32>() + 1));
        let error = reduce_rows(matrix, &mut y, 0, Plus).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("reduce_rows", "y", 50));
    });
}

/// The columns of extreme elements, of which some are equal or NaN, and sums and products of functions of the elements.
#[test]
fn searches_and_functions_of_rows() {
    on_each_device(|device| {
        for columns in LENGTHS {
            let rows = 9;
            // Rows of few values, with NaNs; one of NaNs, one without any, and one of which only the last element is a number.
            let x = values(rows * columns, |k| match (k / columns, k % columns) {
                (1, _) => f32::NAN,
                (2, j) => j as f32,
                (3, j) if j + 1 < columns => f32::NAN,
                _ if bits(k).is_multiple_of(5) => f32::NAN,
                _ => (bits(k) % 7) as f32 - 3.0,
            });
            let array = device.to_device(&x).unwrap();
            let matrix = array.reshape((rows, columns)).unwrap();
            let [mut least, mut greatest] = [0; 2].map(|_| device.zeros::<u32>(rows).unwrap());
            if columns == 0 {
                let error = argmax_rows(matrix, &mut greatest).launch().unwrap_err();
                assert_eq!(wrong_length(&error), ("argmax_rows", "x.row(i)", 0));
            } else {
                argmin_rows(matrix, &mut least).launch().unwrap();
                argmax_rows(matrix, &mut greatest).launch().unwrap();
                let found = |is_better: fn(f32, f32) -> bool| {
                    values(rows, |i| {
                        let row = &x[i * columns..(i + 1) * columns];
                        let best = (0..columns)
                            .filter(|j| !row[*j].is_nan())
                            .reduce(|a, b| if is_better(row[b], row[a]) { b } else { a });
                        best.unwrap_or(0) as u32
                    })
                };
                assert_eq!(least.to_host().unwrap(), found(|a, b| a < b), "{columns}");
                assert_eq!(greatest.to_host().unwrap(), found(|a, b| a > b), "{columns}");
            }
            let mut squares = device.zeros::<f64>(rows).unwrap();
            let square = device_fn!(|a: f32| -> f64 { if a == a { a as f64 * a as f64 } else { 0.0 } });
            transform_reduce_rows(matrix, &mut squares, square, 0.5, Plus).launch().unwrap();
            let of_row = |i: usize| x[i * columns..(i + 1) * columns].iter().filter(|v| !v.is_nan());
            let expected = values(rows, |i| of_row(i).map(|v| f64::from(*v).powi(2)).sum::<f64>() + 0.5);
            assert_eq!(squares.to_host().unwrap(), expected, "{columns}");
        }
        // A type that represents exactly the columns, and one that does not.
        let array = device.to_device(&values(3 * 257, |i| (i * 100 % 257) as u16)).unwrap();
        let (matrix, mut columns) = (array.reshape((3, 257)).unwrap(), device.zeros::<u8>(3).unwrap());
        argmin_rows(matrix.slice(.., ..256).unwrap(), &mut columns).launch().unwrap();
        assert_eq!(columns.to_host().unwrap(), [0; 3]);
        let error = argmin_rows(matrix, &mut columns).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("argmin_rows", "x.row(i)", 257));
        // The columns of a matrix, on a stream; and no rows.
        let (mut rows, stream) = (device.zeros::<i64>(257).unwrap(), device.stream().unwrap());
        argmax_rows(matrix.t(), &mut rows).on(&stream).launch().unwrap();
        assert_eq!(rows.to_host().unwrap(), [0; 257]);
        argmax_rows(matrix.slice(..0, ..).unwrap(), &mut rows.slice_mut(..0).unwrap()).launch().unwrap();
        let word = device_fn!(|a: u16| -> u32 { a as u32 + 1 });
        let mut products = device.zeros::<u32>(3).unwrap();
        transform_reduce_rows(matrix.slice(.., 250..253).unwrap(), &mut products, word, 2, Times).launch().unwrap();
        let expected = values(3, |i| (250..253).map(|j| (j + 257 * i) * 100 % 257 + 1).product::<usize>() as u32 * 2);
        assert_eq!(products.to_host().unwrap(), expected);
    });
}

#[test]
fn means_of_rows() {
    on_each_device(|device| {
        for columns in [1, 31, 1024, 3000] {
            let x = values(4 * columns, |k| (bits(k) % 64) as f32);
            let means = values(4, |i| x[i * columns..(i + 1) * columns].iter().sum::<f32>() / columns as f32);
            let array = device.to_device(&x).unwrap();
            let mut y = device.zeros::<f32>(4).unwrap();
            mean_rows(array.reshape((4, columns)).unwrap(), &mut y).launch().unwrap();
            assert_eq!(y.to_host().unwrap(), means, "{columns}");
            // The sum of halves exceeds their range.
            let halves = device.to_device(&values(4 * columns, |k| f16::from_f32(x[k] + 100.0))).unwrap();
            let mut y = device.zeros::<f16>(4).unwrap();
            mean_rows(halves.reshape((4, columns)).unwrap(), &mut y).launch().unwrap();
            let sum = |i: usize| x[i * columns..(i + 1) * columns].iter().map(|v| v + 100.0).sum::<f32>();
            assert_eq!(y.to_host().unwrap(), values(4, |i| f16::from_f32(sum(i) / columns as f32)), "{columns}");
        }
        let (none, mut y) = (device.zeros::<f64>(0).unwrap(), device.zeros::<f64>(2).unwrap());
        mean_rows(none.reshape((2, 0)).unwrap(), &mut y).launch().unwrap();
        assert!(y.to_host().unwrap().iter().all(|v| v.is_nan()));
        let error = mean_rows(none.reshape((3, 0)).unwrap(), &mut y).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("mean_rows", "y", 2));
    });
}

/// Empty segments, long ones among short ones, a single one, and offsets that are no segments.
#[test]
fn segments() {
    on_each_device(|device| {
        let check = |lengths: &[usize], skipped: usize| {
            let mut offsets = vec![skipped as u64];
            for length in lengths {
                offsets.push(offsets[offsets.len() - 1] + *length as u64);
            }
            let end = *offsets.last().unwrap() as usize;
            let x = values(end + 5, affine);
            let expected = offsets
                .windows(2)
                .map(|ends| x[ends[0] as usize..ends[1] as usize].iter().fold(affine(7), |a, b| Then.call(a, *b)));
            let expected: Vec<Affine> = expected.collect();
            let (array, at) = (device.to_device(&x).unwrap(), device.to_device(&offsets).unwrap());
            let mut y = device.to_device(&vec![affine(1); lengths.len()]).unwrap();
            let mut reduction = segmented_reduce(&array, &at, &mut y, affine(7), Then);
            reduction.launch().unwrap();
            reduction.launch().unwrap();
            assert!(y.to_host().unwrap() == expected, "{lengths:?}");
        };
        check(&[], 0);
        check(&[0], 0);
        check(&[5000], 3);
        check(&[0, 0, 0, 1, 0, 33, 0, 0, 1025, 0, 5, 1024, 0], 0);
        check(&[1, 5000, 0, 2000, 3, 0, 0, 0, 1, 3000], 2);
        check(&[1100; 9], 0);
        check(&values(300, |i| bits(i) as usize % 40), 1);

        let x = device.to_device(&[1u32, 2, 3]).unwrap();
        let mut y = device.zeros::<u32>(2).unwrap();
        for (offsets, segment) in
            [([0, 2, 1], "segmented_reduce: segment 1 is 2..1"), ([0, 4, 4], "segmented_reduce: segment ")]
        {
            let offsets = device.to_device(&offsets).unwrap();
            let launch = segmented_reduce(&x, &offsets, &mut y, 0, Plus).launch();
            let fault = launch.and_then(|()| device.synchronize()).unwrap_err();
            let Error::Fault { kind: FaultKind::Panic(message), .. } = &fault else { panic!("{fault:?}") };
            assert!(message.starts_with(segment), "{message}");
        }
        let negative = device.to_device(&[-1i32, 2, 3]).unwrap();
        let launch = segmented_reduce(&x, &negative, &mut y, 0, Plus).launch();
        let fault = launch.and_then(|()| device.synchronize()).unwrap_err().to_string();
        assert!(fault.contains("segment 0 is -1..2, but the length of x is 3"), "{fault}");
        let error = segmented_reduce(&x, &x, &mut y.slice_mut(..1).unwrap(), 0, Plus).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("segmented_reduce", "offsets", 3));
    });
}

/// Lengths of rows around those that a warp or a block holds.
const WIDTHS: [usize; 14] = [1, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1025, 16383, 16384, 16385];

/// Compares the softmax and the normalisation of rows with those in `f64`.
fn normalises<T: Float>(device: &Device, [rows, columns]: [usize; 2], tolerance: f64) {
    let at = |i: usize| T::from_f64((bits(i) % 2001) as f64 / 100.0 - 10.0);
    let x = values(rows * columns, at);
    let wide = values(x.len(), |i| f64::cast(x[i]));
    let array = device.to_device(&x).unwrap();
    let matrix = array.reshape((rows, columns)).unwrap();
    let mut y = device.to_device(&vec![T::NAN; x.len()]).unwrap();
    let check = |y: &DeviceArray<T>, name: &str, expected: &dyn Fn(&[f64]) -> Vec<f64>| {
        for (found, row) in y.to_host().unwrap().chunks(columns).zip(wide.chunks(columns)) {
            for (found, expected) in found.iter().zip(expected(row)) {
                let found = f64::cast(*found);
                let error = (found - expected).abs();
                assert!(error <= tolerance * (1.0 + expected.abs()), "{name} of {columns}: {found}, not {expected}");
            }
        }
    };
    softmax_rows(matrix, y.reshape_mut((rows, columns)).unwrap()).launch().unwrap();
    check(&y, "softmax", &|row| {
        let greatest = row.iter().copied().fold(f64::MIN, f64::max);
        let powers = values(row.len(), |j| (row[j] - greatest).exp());
        let sum: f64 = powers.iter().sum();
        powers.iter().map(|power| power / sum).collect()
    });
    let sums = y.to_host().unwrap();
    for row in sums.chunks(columns) {
        let sum: f64 = row.iter().map(|v| f64::cast(*v)).sum();
        assert!((sum - 1.0).abs() <= tolerance * 10.0, "the sum of {columns} is {sum}");
    }

    let (gammas, betas) = (values(columns, |j| at(j + 3)), values(columns, |j| at(j + 5)));
    let (gamma, beta) = (device.to_device(&gammas).unwrap(), device.to_device(&betas).unwrap());
    y.fill(T::NAN).unwrap();
    layer_norm_rows(matrix, &gamma, &beta, 0.25, y.reshape_mut((rows, columns)).unwrap()).launch().unwrap();
    check(&y, "layer norm", &|row| {
        let len = row.len() as f64;
        let mean = row.iter().sum::<f64>() / len;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / len;
        let scale = 1.0 / (variance + 0.25).sqrt();
        values(row.len(), |j| (row[j] - mean) * scale * f64::cast(gammas[j]) + f64::cast(betas[j]))
    });
}

#[test]
fn normalisations() {
    on_each_device(|device| {
        for columns in WIDTHS {
            normalises::<f32>(device, [2, columns], 1e-5);
        }
        for rows in [1, 7, 8, 9] {
            normalises::<f32>(device, [rows, 40], 1e-5);
        }
        for columns in [33, 513, 16385] {
            normalises::<f64>(device, [2, columns], 1e-13);
            normalises::<bf16>(device, [2, columns], 1e-2);
            normalises::<f16>(device, [2, columns], 2e-3);
        }
    });
}

/// Rows with large differences, infinities and NaNs, and views that are transposed.
#[test]
fn special_rows() {
    on_each_device(|device| {
        for columns in [3, 600, 16400] {
            let row = |special: f32| values(columns, |j| if j == columns / 2 { special } else { -1e30 });
            let infinite = values(columns, |_| f32::NEG_INFINITY);
            let mut half = infinite.clone();
            half[..2].fill(3e38);
            let x = [row(3e38), row(f32::NEG_INFINITY), row(f32::NAN), row(f32::INFINITY), infinite, half].concat();
            let (array, mut y) = (device.to_device(&x).unwrap(), device.zeros::<f32>(x.len()).unwrap());
            let shape = (6, columns);
            softmax_rows(array.reshape(shape).unwrap(), y.reshape_mut(shape).unwrap()).launch().unwrap();
            let y = y.to_host().unwrap();
            let rows: Vec<&[f32]> = y.chunks(columns).collect();
            assert!((0..columns).all(|j| rows[0][j] == if j == columns / 2 { 1.0 } else { 0.0 }));
            let even = 1.0 / (columns - 1) as f32;
            let is_even = |j: usize, v: f32| if j == columns / 2 { v == 0.0 } else { (v / even - 1.0).abs() < 1e-5 };
            assert!((0..columns).all(|j| is_even(j, rows[1][j])));
            assert!(rows[2..5].iter().all(|row| row.iter().all(|v| v.is_nan())));
            assert!((0..columns).all(|j| rows[5][j] == if j < 2 { 0.5 } else { 0.0 }));
        }
        // The mean square and the square of the mean are equal in `f32`, and the variance is not 0.
        let x = [10000.0f32, 10001.0, 10002.0, 10001.0];
        let (array, one) = (device.to_device(&x).unwrap(), device.to_device(&[1.0; 4]).unwrap());
        let (zero, mut y) = (device.zeros(4).unwrap(), device.zeros::<f32>(4).unwrap());
        layer_norm_rows(array.reshape((1, 4)).unwrap(), &one, &zero, 0.0, y.reshape_mut((1, 4)).unwrap())
            .launch()
            .unwrap();
        let root = 2.0f32.sqrt();
        assert!(y.to_host().unwrap().iter().zip([-root, 0.0, root, 0.0]).all(|(y, v)| (y - v).abs() < 1e-5));

        let (matrix, stream) = (array.reshape((2, 2)).unwrap(), device.stream().unwrap());
        let mut both = softmax_rows(matrix.t(), y.reshape_mut((2, 2)).unwrap()).on(&stream);
        both.launch().unwrap();
        both.launch().unwrap();
        let (low, equal) = (1.0 / (1.0 + 2.0f32.exp()), 0.5);
        let found = y.to_host().unwrap();
        assert!(found.iter().zip([low, 1.0 - low, equal, equal]).all(|(y, v)| (y - v).abs() < 1e-6), "{found:?}");

        let nothing = device.zeros::<f32>(0).unwrap();
        let mut none = device.zeros::<f32>(0).unwrap();
        for shape in [(0, 5), (5, 0), (0, 0)] {
            let (x, y) = (nothing.reshape(shape).unwrap(), none.reshape_mut(shape).unwrap());
            softmax_rows(x, y).launch().unwrap();
        }
        let error = softmax_rows(matrix, y.reshape_mut((4, 1)).unwrap()).launch().unwrap_err();
        assert_eq!(error.to_string(), "softmax_rows: expected an array of shape (2, 2), but found (4, 1)");
        let y = y.reshape_mut((2, 2)).unwrap();
        let error = layer_norm_rows(matrix, &one, &zero.slice(..2).unwrap(), 0.0, y).launch().unwrap_err();
        assert_eq!(wrong_length(&error), ("layer_norm_rows", "gamma", 4));
    });
}
