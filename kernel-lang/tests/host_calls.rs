//! Device functions called by the host, on memory of every kind: read-only, borrowed mutably, on the stack, and on the
//! heap.
//!
//! The accesses have to be valid in Rust's memory model, which Miri checks: see "Working on it" in CONTRIBUTING.md.

use cumbia::intrinsics::atomic_load;
use cumbia::prelude::*;

/// Elements on a read-only page.
static NUMBERS: [u32; 6] = [3, 1, 4, 1, 5, 9];
static HALVES: [f16; 3] = [f16::ONE, f16::ZERO, f16::NEG_ONE];
static FLAGS: [bool; 4] = [true, false, true, true];
static PARTICLES: [Particle; 2] = [
    Particle { kind: Kind::Heavy, position: [1.0, 2.0, 3.0], charge: -1 },
    Particle { kind: Kind::Light, position: [0.5, 0.0, -1.0], charge: 1 },
];

#[derive(Clone, Copy, Debug, DeviceType)]
#[device(PartialEq)]
#[repr(u8)]
enum Kind {
    Light,
    Heavy,
}

/// A struct with padding.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
struct Particle {
    kind: Kind,
    position: [f64; 3],
    charge: i16,
}

#[device]
impl Particle {
    fn mass(&self) -> f64 {
        match self.kind {
            Kind::Light => 1.0,
            Kind::Heavy => 10.0,
        }
    }

    fn shift(&mut self, by: f64) -> f64 {
        for i in 0..3 {
            self.position[i] += by;
        }
        self.position[0]
    }

    fn charged(self, charge: i16) -> Particle {
        Particle { charge, ..self }
    }
}

#[device]
fn sum(x: &[u32]) -> u32 {
    let mut sum = 0;
    for v in x {
        sum += *v;
    }
    sum + x[0] + x[1..3].len() as u32
}

#[device]
fn first_half(x: &[f16]) -> f32 {
    x[0].to_f32() + x[x.len() - 1].to_f32()
}

#[device]
fn count(flags: &[bool]) -> usize {
    let mut n = 0;
    for i in 0..flags.len() {
        if flags[i] {
            n += 1;
        }
    }
    n
}

#[device]
fn energy(particles: &[Particle]) -> f64 {
    let mut sum = 0.0;
    for p in particles.iter() {
        sum += p.mass() * p.position[1] + p.charged(3).charge as f64;
    }
    let last = &particles[particles.len() - 1];
    sum + last.mass() + particles[0].mass()
}

#[device]
fn shift_all(particles: &mut [Particle], sums: &mut [f64]) {
    for i in 0..particles.len() {
        sums[i] += particles[i].shift(0.5);
        let p = &mut particles[i];
        sums[i] += p.shift(1.0) + p.mass();
        p.charge = p.charged(7).charge;
        p.kind = if p.kind == Kind::Heavy { Kind::Light } else { Kind::Heavy };
    }
    let (left, right) = particles.split_at_mut(1);
    left[0] = right[0];
}

#[device]
fn count_into(n: &mut u32, values: &[u32], limit: &u32) {
    for v in values {
        if *v > *limit {
            *n += 1;
        }
    }
    atomic_add(n, 1);
    *n += atomic_load(&*n);
}

/// The value of the assignment may have effects, so that its order counts, whatever the place is made of.
#[device]
fn add_behind(x: &mut [u32], i: usize, n: &[u32]) {
    x[1..][i] += sum(n);
    x[i..][1..][0] ^= sum(n);
}

#[device]
fn local(x: &[u32]) -> u32 {
    let mut values = [0u32; 4];
    for i in 0..values.len() {
        values[i] = x[i] * 2;
    }
    let r = &mut values[1];
    *r += 1;
    sum(&values) + values[3]
}

#[test]
fn read_only_memory_is_read() {
    assert_eq!(sum(&NUMBERS), 23 + 3 + 2);
    assert_eq!(first_half(&HALVES), 0.0);
    assert_eq!(count(&FLAGS), 3);
    assert_eq!(energy(&PARTICLES), 20.0 + 3.0 + 0.0 + 3.0 + 1.0 + 10.0);
    assert_eq!(local(&NUMBERS), (3 + 1 + 4 + 1) * 2 + 1 + 6 + 2 + 2);
    assert_eq!(PARTICLES[0].mass(), 10.0);
    assert_eq!(PARTICLES[1].charged(4).charge, 4);
}

#[test]
fn two_shared_borrows_of_one_slice_are_read() {
    let values = vec![1, 2, 3, 4];
    let (a, b) = (&values[..3], &values[1..]);
    assert_eq!((sum(a), sum(b)), (6 + 1 + 2, 9 + 2 + 2));
    assert_eq!(values, [1, 2, 3, 4]);
}

#[test]
fn borrowed_memory_is_written() {
    let mut particles = PARTICLES.to_vec();
    let mut sums = [0.0; 2];
    shift_all(&mut particles, &mut sums);
    assert_eq!(sums, [1.5 + 2.5 + 10.0, 1.0 + 2.0 + 1.0]);
    assert_eq!(particles[0], particles[1]);
    assert_eq!(particles[1], Particle { kind: Kind::Heavy, position: [2.0, 1.5, 0.5], charge: 7 });
    assert_eq!(particles[0].shift(1.0), 3.0);
    let mut numbers = [1, 2, 3];
    add_behind(&mut numbers, 1, &NUMBERS[..3]);
    assert_eq!(numbers, [1, 2, (3 + 13) ^ 0b1101]);
    let mut n = 0;
    count_into(&mut n, &NUMBERS, &NUMBERS[0]);
    assert_eq!(n, 8);
}
