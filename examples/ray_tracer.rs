//! A picture of mirrored spheres by ray tracing, as a PNG file: each thread follows the ray of a pixel. Intersections
//! are computed as by E. Haines et al., "Precision Improvements for Ray/Sphere Intersection", 2019.
//!
//! ```text
//! cargo run --release --example ray_tracer [picture.png]
//! ```

use std::{error::Error, fs::File, io::BufWriter, path::PathBuf, time::Instant};

use cumbia::prelude::*;
use cumbia::vector::{Double3, Float3};

#[derive(Clone, Copy, DeviceType)]
struct Sphere {
    centre: Float3,
    radius: f32,
    colour: Float3,
}

/// The first intersection of a ray with the scene.
#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum Hit {
    Miss,
    Sphere { t: f32, id: u32 },
}

/// The fraction of the light that a sphere reflects.
const MIRROR: f32 = 0.3;
/// The number of spheres that a ray meets at most.
const BOUNCES: usize = 4;
/// The minimum distance of an intersection: a reflected ray does not meet the sphere that it leaves.
const NEAR: f32 = 1e-3;

/// Returns the distance to a sphere along a ray, if the ray meets it.
#[device]
fn distance(origin: Float3, direction: Float3, sphere: &Sphere) -> Option<f32> {
    let to_centre = sphere.centre - origin;
    let middle = to_centre.dot(direction);
    let offset = to_centre - direction * middle;
    let half = (sphere.radius * sphere.radius - offset.dot(offset)).sqrt(); // NaN if the ray misses the sphere
    let t = if middle - half > NEAR { middle - half } else { middle + half };
    if t > NEAR { Some(t) } else { None }
}

#[device]
fn first_hit(origin: Float3, direction: Float3, spheres: &[Sphere]) -> Hit {
    let (mut hit, mut nearest) = (Hit::Miss, f32::INFINITY);
    for (id, sphere) in spheres.iter().enumerate() {
        let t = distance(origin, direction, sphere).unwrap_or(f32::INFINITY);
        if t < nearest {
            (hit, nearest) = (Hit::Sphere { t, id: id as u32 }, t);
        }
    }
    hit
}

/// Returns the light that arrives along a ray: red, green and blue, from 0 to 1. The lamp is in the direction `lamp`.
#[device]
fn light_along(mut origin: Float3, mut direction: Float3, lamp: Float3, spheres: &[Sphere]) -> Float3 {
    let (mut colour, mut weight) = (Float3::ZERO, 1.0);
    for _ in 0..BOUNCES {
        let Hit::Sphere { t, id } = first_hit(origin, direction, spheres) else {
            return colour + Float3::new(0.75 - 0.25 * direction.y, 0.85 - 0.15 * direction.y, 1.0) * weight;
        };
        let sphere = spheres[id as usize];
        origin += direction * t;
        let normal = (origin - sphere.centre) / sphere.radius;
        let is_lit = matches!(first_hit(origin, lamp, spheres), Hit::Miss);
        let brightness = 0.2 + if is_lit { 0.8 * normal.dot(lamp).max(0.0) } else { 0.0 };
        colour += sphere.colour * (weight * (1.0 - MIRROR) * brightness);
        weight *= MIRROR;
        direction -= normal * (2.0 * direction.dot(normal));
    }
    colour
}

/// Renders the picture: one thread per pixel, with red in the lowest byte, then green, blue and opacity.
#[kernel]
fn render(spheres: &[Sphere], lamp: Float3, width: usize, height: usize, picture: &mut [u32]) {
    let (column, row) = grid(2);
    if column < width && row < height {
        let (x, y) = (column as f32 - width as f32 / 2.0, height as f32 / 4.0 - row as f32);
        let direction = Float3::new(x, y, height as f32).normalize();
        let colour = light_along(Float3::new(0.0, 3.0, -6.0), direction, lamp, spheres) * 255.0;
        picture[row * width + column] = colour.x as u32 | (colour.y as u32) << 8 | (colour.z as u32) << 16 | 0xff << 24;
    }
}

/// Returns the same light in `f64`, by recursion, with intersections from the roots of quadratic equations.
fn expected(spheres: &[Sphere], origin: Double3, direction: Double3, lamp: Float3, bounces: usize) -> Double3 {
    let wide = |v: Float3| Double3::new(v.x.into(), v.y.into(), v.z.into());
    let first_hit = |origin: Double3, direction: Double3| {
        let roots = |sphere: &Sphere| {
            let from = origin - wide(sphere.centre);
            let b = from.dot(direction);
            let root = (b * b - from.dot(from) + f64::from(sphere.radius).powi(2)).sqrt();
            [-b - root, -b + root]
        };
        let hits = spheres.iter().flat_map(|sphere| roots(sphere).map(|t| (t, sphere)));
        hits.filter(|(t, _)| *t > f64::from(NEAR)).min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let Some((t, sphere)) = first_hit(origin, direction) else {
        return Double3::new(0.75 - 0.25 * direction.y, 0.85 - 0.15 * direction.y, 1.0);
    };
    let point = origin + direction * t;
    let normal = (point - wide(sphere.centre)).normalize();
    let lit = if first_hit(point, wide(lamp)).is_none() { 0.8 * normal.dot(wide(lamp)).max(0.0) } else { 0.0 };
    let own = wide(sphere.colour) * ((1.0 - f64::from(MIRROR)) * (0.2 + lit));
    let next = direction - normal * (2.0 * direction.dot(normal));
    if bounces > 1 { own + expected(spheres, point, next, lamp, bounces - 1) * f64::from(MIRROR) } else { own }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("ray_tracer.png"), PathBuf::from);
    let device = Device::open()?;
    let (width, height) = if device.is_cpu() { (480, 270) } else { (3840, 2160) };
    let lamp = Float3::new(0.48, 0.8, -0.36); // of length 1
    let mut spheres = vec![Sphere { centre: Float3::new(0.0, -100.0, 0.0), radius: 100.0, colour: Float3::splat(0.7) }];
    for (x, z) in (-2..3).flat_map(|x| (0..5).map(move |z| (x as f32, z as f32))) {
        let colour = Float3::new(0.55 + 0.2 * x, 0.5 + 0.3 * (2.0 * z).sin(), 0.6 - 0.2 * x);
        spheres.push(Sphere { centre: Float3::new(1.8 * x, 0.6, 1.8 * z - 1.0), radius: 0.6, colour });
    }

    let (on_device, mut picture) = (device.to_device(&spheres)?, device.zeros::<u32>(width * height)?);
    let prepared = render(&on_device, lamp, width, height, &mut picture).over((width, height)).prepare()?;
    let start = Instant::now();
    prepared.launch()?;
    device.synchronize()?;
    let time = start.elapsed();
    let picture = picture.to_host()?;
    let differs = |i: &usize| {
        let (x, y) = ((i % width) as f64 - width as f64 / 2.0, height as f64 / 4.0 - (i / width) as f64);
        let direction = Double3::new(x, y, height as f64).normalize();
        let light = expected(&spheres, Double3::new(0.0, 3.0, -6.0), direction, lamp, BOUNCES) * 255.0;
        let [red, green, blue, _] = picture[*i].to_le_bytes().map(f64::from);
        (Double3::new(red, green, blue) - light).length() > 3.0
    };
    let different = (0..10_000).map(|i| 7919 * i % picture.len()).filter(differs).count();
    // At the edge of a sphere or a shadow, the last digits decide what a ray meets.
    assert!(different < 50, "{different} of 10000 pixels differ from those computed on the host");

    let mut encoder = png::Encoder::new(BufWriter::new(File::create(&path)?), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgba);
    let bytes: Vec<u8> = picture.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    println!("ray_tracer on {device}: {width}×{height} pixels in {time:.1?}, the result is correct");
    println!("  the picture is {}", path.display());
    Ok(())
}
