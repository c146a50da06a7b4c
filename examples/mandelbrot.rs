//! A picture of the Mandelbrot set, as a PNG file.
//!
//! ```text
//! cargo run --release --example mandelbrot
//! cargo run --release --example mandelbrot -- picture.png
//! ```

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cumbia::prelude::*;

const WIDTH: usize = 1200;
const HEIGHT: usize = 800;
/// The number of samples per pixel in each direction.
const SAMPLES: usize = 2;
/// The maximum number of iterations, after which a point counts as a member of the set.
const STEPS: u32 = 1200;

/// Colours the picture, one thread per pixel. `(x, y)` is its centre, `span` its width.
///
/// Whether a point near the border escapes depends on the last bit of each step. With `fmad = false` all devices round
/// identically.
#[kernel(fmad = false)]
fn mandelbrot(picture: &mut [u32], x: f32, y: f32, span: f32) {
    let (column, row) = grid(2);
    if column < WIDTH && row < HEIGHT {
        picture[row * WIDTH + column] = pixel(column, row, x, y, span);
    }
}

/// Returns the colour of a pixel: red in the lowest byte, then green, blue and opacity.
#[device]
fn pixel(column: usize, row: usize, x: f32, y: f32, span: f32) -> u32 {
    let scale = span / WIDTH as f32;
    let mut red = 0.0;
    let mut green = 0.0;
    let mut blue = 0.0;
    for i in 0..SAMPLES * SAMPLES {
        let right = column as f32 + (i % SAMPLES) as f32 / SAMPLES as f32 - WIDTH as f32 / 2.0;
        let down = row as f32 + (i / SAMPLES) as f32 / SAMPLES as f32 - HEIGHT as f32 / 2.0;
        let steps = escape(x + scale * right, y - scale * down);
        if steps >= 0.0 {
            // Each channel is a wave of a different phase along the logarithm of the number of steps.
            let t = (1.0 + steps).ln();
            red += wave(t, 3.6);
            green += wave(t, 4.2);
            blue += wave(t, 5.0);
        }
    }
    let brightness = 255.0 / (SAMPLES * SAMPLES) as f32;
    (brightness * red) as u32 | ((brightness * green) as u32) << 8 | ((brightness * blue) as u32) << 16 | 0xff << 24
}

/// Returns the fractional number of steps of z ← z² + c, from 0, until |z| exceeds 16; −1 if it never does.
#[device]
fn escape(cx: f32, cy: f32) -> f32 {
    let mut x = 0.0f32;
    let mut y = 0.0f32;
    for step in 0..STEPS {
        let square = x * x + y * y;
        if square > 256.0 {
            // The distance reached in the last step determines the fraction.
            return step as f32 - (square.log2() / 8.0).log2();
        }
        let next = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = next;
    }
    -1.0
}

/// Returns a wave between 0 and 1.
#[device]
fn wave(t: f32, phase: f32) -> f32 {
    0.5 - 0.5 * (2.0 * t - phase).cos()
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("mandelbrot.png"), PathBuf::from);
    let (x, y, span) = (-0.7459, 0.1131, 0.0092); // in the valley of the seahorses

    let device = Device::open()?;
    let mut picture = device.zeros::<u32>(WIDTH * HEIGHT)?;
    let start = Instant::now();
    mandelbrot(&mut picture, x, y, span).over((WIDTH, HEIGHT)).launch()?;
    device.synchronize()?;
    let time = start.elapsed();
    let picture = picture.to_host()?;

    check(&picture, x, y, span);
    write_png(&path, &picture)?;
    println!("mandelbrot on {device}: {WIDTH}×{HEIGHT} pixels in {time:.1?}, the result is correct");
    println!("  the picture is {}", path.display());
    Ok(())
}

/// Compares some pixels with those computed on the host, where `#[device]` functions can be called as well.
fn check(picture: &[u32], x: f32, y: f32, span: f32) {
    for row in (0..HEIGHT).step_by(40) {
        for column in (0..WIDTH).step_by(40) {
            let (found, expected) = (picture[row * WIDTH + column], pixel(column, row, x, y, span));
            // `ln` and `cos` may differ between devices in the last bits.
            let mut bytes = found.to_le_bytes().into_iter().zip(expected.to_le_bytes());
            let is_right = bytes.all(|(found, expected)| found.abs_diff(expected) <= 1);
            assert!(is_right, "pixel ({column}, {row}) is {found:08x}, expected {expected:08x}");
        }
    }
}

fn write_png(path: &Path, picture: &[u32]) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let bytes: Vec<u8> = picture.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(())
}
