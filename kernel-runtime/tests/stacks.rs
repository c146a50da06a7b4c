//! Kernels with much memory in their variables on the CPU device, in the profile that the tests are built in: without
//! optimisation, values are copied on their way. Each scenario of an overflow runs in a process of its own.

use cumbia::prelude::*;

#[kernel]
fn plain<const N: usize>(y: &mut [u32]) {
    let i = grid(1);
    let mut a = [0u32; N];
    for k in 0..N {
        a[k] = k as u32 ^ i as u32;
    }
    let mut sum = 0u32;
    for k in 0..N {
        sum = sum.wrapping_add(a[(k * 7 + i) % N]);
    }
    y[i] = sum;
}

#[kernel]
fn with_barrier<const N: usize>(y: &mut [u32]) {
    let i = grid(1);
    let mut a = [0u32; N];
    for k in 0..N {
        a[k] = k as u32 ^ i as u32;
    }
    sync_threads();
    let mut sum = 0u32;
    for k in 0..N {
        sum = sum.wrapping_add(a[(k * 7 + i) % N]);
    }
    sync_threads();
    y[i] = sum;
}

fn expected<const N: usize>(i: usize) -> u32 {
    (0..N).fold(0u32, |sum, k| sum.wrapping_add(((k * 7 + i) % N) as u32 ^ i as u32))
}

macro_rules! sizes {
    ($($n:literal)*) => {$(
        let mut y = Device::cpu().zeros::<u32>(70).unwrap();
        plain::<$n>(&mut y).grid(2).block(35).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), (0..70).map(expected::<$n>).collect::<Vec<_>>());
        with_barrier::<$n>(&mut y).grid(2).block(35).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), (0..70).map(expected::<$n>).collect::<Vec<_>>());
    )*};
}

#[test]
fn an_array_of_any_size_fits() {
    sizes!(1 1000 10_000 50_000 100_000 250_000 500_000);
}
