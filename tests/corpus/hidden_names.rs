//! Constants with the names that the variables of a macro's expansion might have. A pattern that is a single name refers to such a
//! constant, whatever the hygiene of the name.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![constants_of_all_names];

/// Declares constants.
macro_rules! constants {
    ($($name:ident)*) => {$(
        #[allow(dead_code, non_upper_case_globals)]
        const $name: u8 = 77;
    )*};
}

constants! {
    a0 a1 args argument argument0 argument1 at bound by call check count cx element elements field0 field1 handle i index is
    items0 items1 left length name narrow of operand other part part0 part1 place reference receiver result right s0 s1 s2 s3
    size0 size1 temporary this value value0 value1 variant variant0 variant1 view views visitor whole
}

#[derive(Clone, Copy, DeviceType)]
#[device(PartialEq)]
pub struct Point {
    x: f32,
    y: [u32; 2],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
pub enum Hit {
    Miss,
    Sphere { t: f32, id: u32 },
}

#[device]
impl Point {
    fn new(x: f32) -> Point {
        Point { x, y: [1, 2] }
    }

    fn push(&mut self, force: f32) {
        self.x += force;
    }
}

#[device]
impl std::ops::Add for Point {
    type Output = Point;
    fn add(self, p: Point) -> Point {
        Point { x: self.x + p.x, y: p.y }
    }
}

#[device]
trait Area {
    fn area(&self, factor: f32) -> f32;
}

#[device]
impl Area for Point {
    fn area(&self, factor: f32) -> f32 {
        self.x * factor
    }
}

#[device]
fn positive(x: f32) -> Option<f32> {
    if x > 0.0 { Some(x) } else { None }
}

#[device]
fn doubled(x: f32) -> Result<f32, u32> {
    let y = positive(x).ok_or(3u32)?;
    Ok(y * 2.0)
}

#[kernel]
pub fn everything(points: &mut [Point], hits: &[Hit], pair: (&[f32], &mut [f32]), both: [&[u32]; 2]) {
    let n = grid(1);
    if n >= points.len() {
        return;
    }
    points[n].push(1.5);
    points[n].x += points[n].area(0.5);
    points[n].y[1] += match hits[n] {
        Hit::Miss => 1,
        Hit::Sphere { t, id } if t > 0.5 => id,
        Hit::Sphere { .. } => 7,
    };
    let sum = points[n] + Point::new(2.0);
    for (x, &k) in pair.0.iter().zip(both[1].iter()) {
        pair.1[n] += *x * k as f32;
    }
    for (k, w) in pair.0.windows(2).enumerate() {
        pair.1[n] += (w[0] - w[1]) * k as f32;
    }
    let mut local = [1.0f32; 4];
    local.swap(0, 1);
    let (low, high) = local.split_at_mut(2);
    (low[0], high[1]) = (3.0, 4.0);
    let r = if low[0] > high[1] { &mut low[1] } else { &mut high[0] };
    *r += sum.x;
    let Ok(d) = doubled(*r) else { return };
    assert!(d > 0.0, "not positive: {d}");
    assert_eq!(local[1], 1.0);
    pair.1[n] += if sum == points[n] { 0.0 } else { local[2] + d };
    println!("{n} {d:?}");
}

fn constants_of_all_names(run: &mut Run<'_>) {
    let mut points = run.array(&[1.0, 2.0, 3.0].map(|x| Point { x, y: [4, 5] }));
    let hits = run.array(&[Hit::Miss, Hit::Sphere { t: 1.0, id: 9 }, Hit::Sphere { t: 0.0, id: 8 }]);
    let (x, mut y) = (run.array(&[1.0f32, 2.5, 4.0]), run.array(&[0.25f32, 0.5, 1.0]));
    let (k, m) = (run.array(&[1u32, 2, 3]), run.array(&[4u32, 5, 6]));
    run.launch(everything(&mut points, &hits, (&x, &mut y), [&k, &m]).grid(1).block(1));
    run.launch(everything(&mut points, &hits, (&x, &mut y), [&k, &m]).grid(3).block(1));
    run.output("y", &y);
}
