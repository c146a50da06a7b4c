//! The flow past a cylinder by a lattice Boltzmann method, D2Q9 with BGK collisions (Y. H. Qian, D. d'Humières,
//! P. Lallemand, "Lattice BGK Models for Navier-Stokes Equation", 1992), and a picture of its speed as a PNG file.
//!
//! ```text
//! cargo run --release --example lattice_boltzmann [picture.png]
//! ```

use std::{error::Error, fs::File, io::BufWriter, path::PathBuf, time::Instant};

use cumbia::prelude::*;

/// The directions in which particles move to the neighbouring cells. The opposite of direction q is 8 − q.
const DX: [i32; 9] = [1, 0, 1, 1, 0, -1, -1, 0, -1];
const DY: [i32; 9] = [0, 1, 1, -1, 0, 1, -1, -1, 0];
/// The fractions of the particles that move in each direction if the cell is at rest, times 36.
const WEIGHT: [f32; 9] = [4.0, 4.0, 1.0, 1.0, 16.0, 1.0, 1.0, 4.0, 4.0];
/// The velocity of the inflow, in cells per step. The populations of the first column never change.
const INFLOW: f32 = 0.1;

/// Returns whether a cell belongs to the cylinder, given by its centre and its radius.
#[device]
fn is_solid(cylinder: [i32; 3], x: i32, y: i32) -> bool {
    let [centre_x, centre_y, radius] = cylinder;
    (x - centre_x).pow(2) + (y - centre_y).pow(2) <= radius.pow(2)
}

/// Returns the density and the velocity of a cell with the populations `f`.
#[device]
fn moments(f: [f32; 9]) -> (f32, f32, f32) {
    let (mut density, mut u, mut v) = (0.0, 0.0, 0.0);
    #[unroll]
    for q in 0..9 {
        density += f[q];
        u += f[q] * DX[q] as f32;
        v += f[q] * DY[q] as f32;
    }
    (density, u / density, v / density)
}

/// Returns population `q` of a cell in equilibrium.
#[device]
fn equilibrium(q: usize, density: f32, u: f32, v: f32) -> f32 {
    let along = 3.0 * (DX[q] as f32 * u + DY[q] as f32 * v);
    WEIGHT[q] / 36.0 * density * (1.0 + along + 0.5 * along * along - 1.5 * (u * u + v * v))
}

/// A time step of a cell: its neighbours' particles arrive and collide. `from[[q, y, x]]` is a cell's population `q`.
/// A collision removes the fraction `relaxation` of the difference to the equilibrium.
#[kernel]
fn step(cylinder: [i32; 3], relaxation: f32, from: ArrayView3<f32>, mut to: ArrayViewMut3<f32>) {
    let ((x, y), (_, height, width)) = (grid(2), from.dim());
    if x == 0 || x >= width || y >= height || is_solid(cylinder, x as i32, y as i32) {
        return;
    }
    // Beyond the last column, the cells are equal to those in it. The upper and the lower border are connected.
    let (left, right) = (x - 1, if x + 1 < width { x + 1 } else { x });
    let (below, above) = (if y > 0 { y - 1 } else { height - 1 }, if y + 1 < height { y + 1 } else { 0 });
    let mut f = [0.0; 9];
    #[unroll]
    for q in 0..9 {
        let (side, level) = (if DX[q] == 1 { left } else { right }, if DY[q] == 1 { below } else { above });
        let (column, row) = (if DX[q] == 0 { x } else { side }, if DY[q] == 0 { y } else { level });
        // The cylinder sends particles back to where they come from.
        let is_back = is_solid(cylinder, column as i32, row as i32);
        f[q] = if is_back { from[[8 - q, y, x]] } else { from[[q, row, column]] };
    }
    let (density, u, v) = moments(f);
    #[unroll]
    for q in 0..9 {
        to[[q, y, x]] = f[q] + relaxation * (equilibrium(q, density, u, v) - f[q]);
    }
}

/// Returns the populations after a step, in `f64`: each cell sends its particles to its neighbours.
fn step_on_host(cylinder: [i32; 3], relaxation: f64, (height, width): (i32, i32), from: &[f64]) -> Vec<f64> {
    let mut to = from.to_vec();
    let place = |q: usize, x: i32, y: i32| ((q as i32 * height + y) * width + x) as usize;
    let cells = (0..=width).flat_map(|x| (0..height).map(move |y| (x, y))).filter(|&(x, y)| !is_solid(cylinder, x, y));
    for ((x, y), q) in cells.clone().flat_map(|cell| (0..9).map(move |q| (cell, q))) {
        let (value, right, up) = (from[place(q, x.min(width - 1), y)], x + DX[q], (y + DY[q]).rem_euclid(height));
        if is_solid(cylinder, right, up) {
            to[place(8 - q, x, y)] = value;
        } else if (1..width).contains(&right) {
            to[place(q, right, up)] = value;
        }
    }
    for (x, y) in cells.filter(|&(x, _)| (1..width).contains(&x)) {
        let f: [f64; 9] = std::array::from_fn(|q| to[place(q, x, y)]);
        let sum = |by: [i32; 9]| f.iter().zip(by).map(|(f, by)| f * f64::from(by)).sum::<f64>();
        let (density, u, v) = (sum([1; 9]), sum(DX) / sum([1; 9]), sum(DY) / sum([1; 9]));
        for q in 0..9 {
            let along = f64::from(DX[q]) * u + f64::from(DY[q]) * v;
            let rest = density / 36.0 * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (u * u + v * v));
            to[place(q, x, y)] = f[q] + relaxation * (f64::from(WEIGHT[q]) * rest - f[q]);
        }
    }
    to
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("cylinder.png"), PathBuf::from);
    let device = Device::open()?;
    let (width, height, steps) = if device.is_cpu() { (160, 64, 1000) } else { (2048, 768, 60_000) };
    let (cells, shape) = (width * height, (9, height, width));
    let cylinder = [width / 5, height / 2 - 2, height / 12].map(|c| c as i32);
    let viscosity = 2.0 * cylinder[2] as f32 * INFLOW / 160.0; // for a Reynolds number of 160
    let relaxation = 1.0 / (3.0 * viscosity + 0.5);
    let noise = |i: usize| 1e-6 * (i * 7919 % 1009) as f32;
    let start: Vec<f32> = (0..9 * cells).map(|i| equilibrium(i / cells, 1.0, INFLOW, 0.0) + noise(i)).collect();
    let (mut here, mut there) = (device.to_device(&start)?, device.to_device(&start)?);

    // The first steps are compared with those on the host.
    let mut expected: Vec<f64> = start.into_iter().map(f64::from).collect();
    for _ in 0..10 {
        step(cylinder, relaxation, here.reshape(shape)?, there.reshape_mut(shape)?).over((width, height)).launch()?;
        std::mem::swap(&mut here, &mut there);
        expected = step_on_host(cylinder, f64::from(relaxation), (height as i32, width as i32), &expected);
    }
    for (found, expected) in here.to_host()?.iter().zip(&expected) {
        assert!((f64::from(*found) - expected).abs() < 1e-5, "a population is {found}, expected {expected}");
    }

    let start = Instant::now();
    for _ in 0..steps {
        step(cylinder, relaxation, here.reshape(shape)?, there.reshape_mut(shape)?).over((width, height)).launch()?;
        std::mem::swap(&mut here, &mut there);
    }
    device.synchronize()?;
    let time = start.elapsed() / steps;

    let f = here.to_host()?;
    let colour = |cell: usize| {
        let (_, u, v) = moments(std::array::from_fn(|q| f[q * cells + cell]));
        let is_fluid = !is_solid(cylinder, (cell % width) as i32, (cell / width) as i32);
        let speed = if is_fluid { u.hypot(v) / INFLOW } else { 0.0 };
        [255.0 * (speed - 1.0), 160.0 * speed, 255.0 * (1.0 - 0.5 * speed)].map(|c| c as u8)
    };
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(&path)?), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&(0..cells).flat_map(colour).collect::<Vec<u8>>())?;
    println!("lattice_boltzmann on {device}: {width}×{height} cells, {time:.1?} per step, the result is correct");
    println!("  the picture after {steps} steps is {}", path.display());
    Ok(())
}
