//! An n-body simulation: each thread integrates one body, and the threads of a block cooperatively load the others into
//! shared memory.
//!
//! ```text
//! cargo run --release --example n_body
//! cargo run --release --example n_body -- 10000
//! ```

use std::time::Instant;

use cumbia::prelude::*;
use cumbia::vector::{Float3, Float4};

/// A point mass.
#[derive(Clone, Copy, DeviceType)]
struct Body {
    position: Float3,
    mass: f32,
    velocity: Float3,
}

/// The softening term added to the square of each distance, which bounds the force between close bodies.
const SOFTENING: f32 = 0.01;

#[device]
impl Body {
    /// Returns the position and the mass in 16 bytes, which are read in one access.
    fn source(&self) -> Float4 {
        Float4::new(self.position.x, self.position.y, self.position.z, self.mass)
    }

    /// Returns the acceleration by the body at `source`, in units in which the gravitational constant is 1.
    fn pull(&self, source: Float4) -> Float3 {
        let distance = Float3::new(source.x, source.y, source.z) - self.position;
        let inverse = (distance.dot(distance) + SOFTENING).rsqrt();
        distance * (source.w * inverse * inverse * inverse)
    }

    /// Returns the body after a time step.
    fn after(&self, dt: f32, acceleration: Float3) -> Self {
        let velocity = self.velocity + acceleration * dt;
        Body { position: self.position + velocity * dt, velocity, ..*self }
    }
}

/// The number of threads of a block, and of the bodies that it loads at a time.
const BLOCK: usize = 128;

/// Advances all bodies by `dt`.
#[kernel]
fn step(bodies: &[Body], next: &mut [Body], dt: f32) {
    let mut tile = shared::<[Float4; BLOCK]>();
    let (i, n) = (grid(1), bodies.len());
    // A thread without a body of its own takes part in loading the others.
    let body = bodies[i.min(n - 1)];

    let mut acceleration = Float3::ZERO;
    for first in (0..n).step_by(BLOCK) {
        let other = first + thread_idx().x;
        // Beyond the last body the mass is zero and exerts no force.
        tile[thread_idx().x] = if other < n { bodies[other].source() } else { Float4::ZERO };
        sync_threads(); // the tile is complete
        for source in tile.iter() {
            acceleration += body.pull(*source);
        }
        sync_threads(); // all reads of the tile are done
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
    println!("n_body on {device}: {n} bodies, {STEPS} steps in {time:.1?}, the result is correct");
    Ok(())
}

/// Returns a rotating disk of bodies.
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

/// Compares with a sequential computation in `f64` on the host.
fn check(start: &[Body], end: &[Body]) {
    let numbers = |v: Float3| [v.x, v.y, v.z].map(f64::from);
    let mut bodies: Vec<_> = start.iter().map(|body| (numbers(body.position), numbers(body.velocity))).collect();
    for _ in 0..STEPS {
        let before: Vec<_> = bodies.iter().map(|(position, _)| *position).collect();
        for (position, velocity) in &mut bodies {
            let at = *position;
            for (other, body) in before.iter().zip(start) {
                let distance: [f64; 3] = std::array::from_fn(|k| other[k] - at[k]);
                let square = distance.iter().map(|d| d * d).sum::<f64>() + f64::from(SOFTENING);
                let strength = f64::from(DT) * f64::from(body.mass) / (square * square.sqrt());
                (0..3).for_each(|k| velocity[k] += strength * distance[k]);
            }
            (0..3).for_each(|k| position[k] += f64::from(DT) * velocity[k]);
        }
    }
    for (i, ((expected, _), body)) in bodies.iter().zip(end).enumerate() {
        let found = numbers(body.position);
        let is_right = (0..3).all(|k| (found[k] - expected[k]).abs() < 1e-5);
        assert!(is_right, "body {i} is at {found:?}, expected {expected:?}");
    }
}
