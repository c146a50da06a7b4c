//! Bodies that attract each other: each thread moves one of them, and the threads of a block fetch the others together
//! into shared memory.
//!
//! ```text
//! cargo run --release --example n_body
//! cargo run --release --example n_body -- 10000
//! ```

use std::time::Instant;

use cumbia::prelude::*;
use cumbia::vector::{Float3, Float4};

/// A mass somewhere, on its way.
#[derive(Clone, Copy, DeviceType)]
struct Body {
    position: Float3,
    mass: f32,
    velocity: Float3,
}

/// Added to the square of each distance, so that bodies that meet do not fling each other away.
const SOFTENING: f32 = 0.01;

#[device]
impl Body {
    /// Position and mass, in the 16 bytes that are read at once.
    fn source(&self) -> Float4 {
        Float4::new(self.position.x, self.position.y, self.position.z, self.mass)
    }

    /// The acceleration here by what is at `source`, in units where the constant of gravitation is 1.
    fn pull(&self, source: Float4) -> Float3 {
        let way = Float3::new(source.x, source.y, source.z) - self.position;
        let inverse = (way.dot(way) + SOFTENING).rsqrt();
        way * (source.w * inverse * inverse * inverse)
    }

    /// Where the body is after a time.
    fn after(&self, dt: f32, acceleration: Float3) -> Self {
        let velocity = self.velocity + acceleration * dt;
        Body { position: self.position + velocity * dt, velocity, ..*self }
    }
}

/// Threads in a block, and bodies that it fetches at a time.
const BLOCK: usize = 128;

/// Moves all bodies on by `dt`.
#[kernel]
fn step(bodies: &[Body], next: &mut [Body], dt: f32) {
    let mut tile = shared::<[Float4; BLOCK]>();
    let (i, n) = (grid(1), bodies.len());
    // A thread without a body helps to fetch the others.
    let body = bodies[i.min(n - 1)];

    let mut acceleration = Float3::ZERO;
    for first in (0..n).step_by(BLOCK) {
        let other = first + thread_idx().x;
        // Beyond the last body there is no mass, and nobody is attracted.
        tile[thread_idx().x] = if other < n { bodies[other].source() } else { Float4::ZERO };
        sync_threads(); // the tile is full
        for source in tile.iter() {
            acceleration += body.pull(*source);
        }
        sync_threads(); // nobody reads it any more
    }
    if i < n {
        next[i] = body.after(dt, acceleration);
    }
}

const STEPS: usize = 4;
const DT: f32 = 0.01;

fn main() -> cumbia::Result<()> {
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(3000);
    let bodies = disk(n);

    let device = Device::open()?;
    let mut here = device.to_device(&bodies)?;
    let mut there = device.to_device(&bodies)?;
    let start = Instant::now();
    for _ in 0..STEPS {
        step(&here, &mut there, DT).block(BLOCK).over(n).launch()?;
        std::mem::swap(&mut here, &mut there);
    }
    device.synchronize()?;
    let time = start.elapsed();

    check(&bodies, &here.to_host()?);
    println!("n_body on {device}: {n} bodies, {STEPS} steps in {time:.1?}, the result is right");
    Ok(())
}

/// A disk that turns around its centre.
fn disk(n: usize) -> Vec<Body> {
    let body = |i: usize| {
        let (radius, angle) = ((i as f32 + 0.5) / n as f32, 2.4 * i as f32); // 2.4 is the golden angle
        let (sin, cos) = angle.sin_cos();
        let speed = radius.sqrt();
        Body {
            position: Float3::new(radius * cos, radius * sin, 0.05 * (7.0 * angle).sin()),
            mass: 1.0 / n as f32,
            velocity: Float3::new(-speed * sin, speed * cos, 0.0),
        }
    };
    (0..n).map(body).collect()
}

/// Compares with what plain Rust computes, one body after the other and in `f64`.
fn check(start: &[Body], end: &[Body]) {
    let numbers = |v: Float3| [v.x, v.y, v.z].map(f64::from);
    let mut bodies: Vec<_> = start.iter().map(|body| (numbers(body.position), numbers(body.velocity))).collect();
    for _ in 0..STEPS {
        let before: Vec<_> = bodies.iter().map(|(position, _)| *position).collect();
        for (position, velocity) in &mut bodies {
            let at = *position;
            for (other, body) in before.iter().zip(start) {
                let way: [f64; 3] = std::array::from_fn(|k| other[k] - at[k]);
                let square = way.iter().map(|w| w * w).sum::<f64>() + f64::from(SOFTENING);
                let strength = f64::from(DT) * f64::from(body.mass) / (square * square.sqrt());
                (0..3).for_each(|k| velocity[k] += strength * way[k]);
            }
            (0..3).for_each(|k| position[k] += f64::from(DT) * velocity[k]);
        }
    }
    for (i, ((expected, _), body)) in bodies.iter().zip(end).enumerate() {
        let found = numbers(body.position);
        let is_right = (0..3).all(|k| (found[k] - expected[k]).abs() < 1e-5);
        assert!(is_right, "body {i} is at {found:?} and should be at {expected:?}");
    }
}
