//! Loads through shared borrows do not write: memory on a read-only page is the argument of launches on the CPU device, and of
//! device functions called on the host, with loads of each size and ordering. A write ends the process.

#![cfg(unix)]

use cumbia::intrinsics::*;
use cumbia::prelude::*;

#[derive(Clone, Copy, Debug, DeviceType)]
#[device(PartialEq)]
#[repr(u16)]
enum Phase {
    Solid = 1,
    Liquid = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
struct Particle {
    position: [f64; 3],
    phase: Phase,
    alive: bool,
    pair: [u8; 2],
}

/// Copies elements to a page of their own, which is then protected and never unmapped.
fn read_only<T: Copy>(elements: &[T]) -> &'static [T] {
    let bytes = size_of_val(elements).max(1);
    // SAFETY: a new mapping of that size, aligned to a page, which is never unmapped; it is filled before it is protected.
    unsafe {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let page = libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0);
        assert_ne!(page, libc::MAP_FAILED);
        page.cast::<T>().copy_from_nonoverlapping(elements.as_ptr(), elements.len());
        assert_eq!(libc::mprotect(page, bytes, libc::PROT_READ), 0);
        std::slice::from_raw_parts(page.cast(), elements.len())
    }
}

#[kernel]
fn copy<T: Number>(x: &[T], y: &mut [T]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = x[i];
    }
}

#[kernel]
fn copy_particles(x: &[Particle], y: &mut [Particle]) {
    let i = grid(1);
    sync_threads();
    if i < y.len() {
        let first = &x[i];
        y[i] = *first;
        y[i].position[1] = sum(&x[i].position);
        y[i].alive = x[i].alive && x[i].phase == Phase::Liquid;
    }
}

#[device]
fn sum(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for &value in x {
        sum += value;
    }
    sum
}

#[device]
fn next(n: &u64) -> u64 {
    *n + 1
}

#[device]
fn all_orderings(n: &u64) -> u64 {
    atomic_load(n)
        + atomic_load_explicit::<Relaxed, DeviceScope>(n)
        + atomic_load_explicit::<Acquire, SystemScope>(n)
        + atomic_load_explicit::<SeqCst, DeviceScope>(n)
}

macro_rules! ordered {
    ($($name:ident $number:ty;)*) => {$(
        #[kernel]
        fn $name(x: &[$number], y: &mut [$number]) {
            let i = grid(1);
            if i < y.len() {
                y[3 * i] = atomic_load(&x[i]);
                y[3 * i + 1] = atomic_load_explicit::<Acquire, DeviceScope>(&x[i]);
                y[3 * i + 2] = atomic_load_explicit::<SeqCst, SystemScope>(&x[i]);
            }
        }
    )*};
}

ordered! {
    ordered_u8 u8;
    ordered_i16 i16;
    ordered_u32 u32;
    ordered_f32 f32;
    ordered_i64 i64;
    ordered_f64 f64;
    ordered_bool bool;
}

const LEN: usize = 100;

#[test]
fn loads_of_each_scalar_size_do_not_write() {
    fn check<T: Number + PartialEq + std::fmt::Debug>(value: impl Fn(usize) -> T) {
        let values: Vec<T> = (0..LEN).map(value).collect();
        let mut y = vec![values[0]; LEN];
        copy(In(read_only(&values)), InOut(&mut y)).over(LEN).on_device(&Device::cpu()).launch().unwrap();
        assert_eq!(y, values);
    }
    check(|i| i as u8);
    check(|i| i as i16 - 50);
    check(|i| i as u32 * 7);
    check(|i| i as f32 / 3.0);
    check(|i| i as u64 * 7);
    check(|i| i as f64 / 3.0);
}

#[test]
fn loads_of_structs_and_enums_do_not_write() {
    let particles: Vec<Particle> = (0..LEN)
        .map(|i| Particle {
            position: [i as f64, 1.0, 2.0],
            phase: if i % 3 == 0 { Phase::Solid } else { Phase::Liquid },
            alive: i % 2 == 0,
            pair: [i as u8, 1],
        })
        .collect();
    let mut y = particles.clone();
    copy_particles(In(read_only(&particles)), InOut(&mut y)).over(LEN).on_device(&Device::cpu()).launch().unwrap();
    for (i, (particle, made)) in particles.iter().zip(&y).enumerate() {
        let position = [particle.position[0], i as f64 + 3.0, 2.0];
        let expected = Particle { position, alive: i % 2 == 0 && i % 3 != 0, ..*particle };
        assert_eq!(*made, expected);
    }
}

#[test]
fn atomic_loads_of_each_ordering_do_not_write() {
    macro_rules! check {
        ($($name:ident $value:expr;)*) => {$(
            let values: Vec<_> = (0..LEN).map($value).collect();
            let mut y = vec![values[0]; 3 * LEN];
            $name(In(read_only(&values)), InOut(&mut y)).grid(1).block(LEN).on_device(&Device::cpu()).launch().unwrap();
            Device::cpu().synchronize().unwrap();
            assert!(values.iter().enumerate().all(|(i, value)| y[3 * i..3 * i + 3] == [*value; 3]), stringify!($name));
        )*};
    }
    check! {
        ordered_u8 |i| i as u8;
        ordered_i16 |i| i as i16 - 50;
        ordered_u32 |i| i as u32;
        ordered_f32 |i| i as f32;
        ordered_i64 |i| -(i as i64);
        ordered_f64 |i| i as f64;
        ordered_bool |i| i % 2 == 0;
    }
}

#[test]
fn device_functions_called_on_the_host_do_not_write() {
    static NUMBER: u64 = 41;
    let values = read_only(&[1.0, 2.0, 3.5]);
    assert_eq!(sum(values), 6.5);
    assert_eq!((next(&NUMBER), all_orderings(&NUMBER)), (42, 164));
    assert_eq!(all_orderings(&read_only(&[7])[0]), 28);
}
