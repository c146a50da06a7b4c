//! The algorithms on matrices, at shapes around all boundaries of tiles, against loops on the host.

use cumbia::algorithm::transpose;
use cumbia::prelude::*;
use cumbia::{Error, ShapeError};

use crate::support::on_each_device;

/// 64 random bits for each index.
fn bits(i: usize) -> u64 {
    let mut z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ z >> 31
}

fn values<T>(len: usize, of: impl Fn(usize) -> T) -> Vec<T> {
    (0..len).map(of).collect()
}

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
