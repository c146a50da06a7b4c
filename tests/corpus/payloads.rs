//! Enums with data: as values, in arrays, in shared memory, of each representation.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unused_assignments, unused_variables, reason = "as above")]

use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![layouts, through_shared_memory, shuffled, positions, rays]];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq, PartialOrd)]
        #[repr(u32)]
        pub enum Shape {
            Nothing,
            Circle(f32),
            Rectangle { width: f32, height: f32 },
            Path([i32; 3], bool),
        }

        /// The payloads have different alignments, and one of them is an enum.
        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq)]
        #[repr(C)]
        pub enum Token {
            End,
            Number(f64),
            Byte(u8),
            Drawn { shape: Shape, at: i16 },
        }

        #[derive(Clone, Copy, DeviceType)]
        #[repr(u8)]
        pub enum Tree<T: DeviceType> {
            Empty = 7,
            Leaf(T) = 2,
            Two(T, T),
        }

        /// An angle in degrees, equal to those a turn away.
        #[derive(Clone, Copy, DeviceType)]
        pub struct Angle(i32);

        #[device]
        impl PartialEq for Angle {
            fn eq(&self, other: &Angle) -> bool {
                self.0.wrapping_sub(other.0) % 360 == 0
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq)]
        #[repr(i16)]
        pub enum Turn {
            By { angle: Angle, times: u8 },
            To(Angle) = -7,
            Never,
        }

        /// Payloads that are compared by loops.
        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq)]
        #[repr(u32)]
        pub enum Long {
            Few([i32; 2]),
            Many([i32; 9]),
            Pairs([[u64; 2]; 5], u8),
        }

        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq)]
        pub struct Mark;

        /// A field without a size ahead of a field with an alignment.
        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq)]
        #[repr(C)]
        pub enum Marked {
            Narrow(u8),
            Wide { mark: Mark, value: f64 },
        }

        #[device]
        pub fn marks(n: i32) -> [Mark; 3] {
            let marks = [Mark; 3];
            if n > 3 { [marks[1]; 3] } else { marks }
        }

        #[device]
        pub fn long(n: i32, m: i32) -> Long {
            let mut many = [n; 9];
            match n & 3 {
                0 => Long::Few([n, m]),
                1 => Long::Many(many),
                2 => {
                    many[8] = m;
                    Long::Many(many)
                }
                _ => Long::Pairs([[n as u64, m as u64]; 5], 3),
            }
        }

        pub const UNIT: Shape = Shape::Circle(1.0);
        pub const SQUARE: Token = Token::Drawn { shape: Shape::Rectangle { width: 2.0, height: 2.0 }, at: -5 };

        #[device]
        pub fn shape(n: i32, m: i32) -> Shape {
            match n & 3 {
                0 => Shape::Nothing,
                1 => Shape::Circle(m as f32),
                2 => Shape::Rectangle { height: 0.5, width: m as f32 },
                _ => Shape::Path([n, m, 3], m > 2),
            }
        }

        #[device]
        impl Shape {
            pub fn area(&self) -> f32 {
                match self {
                    Shape::Nothing => 0.0,
                    Shape::Circle(r) => 3.0 * *r * *r,
                    Shape::Rectangle { width: w, height } => *w * *height,
                    Shape::Path(points, _) => points[0] as f32,
                }
            }

            pub fn scaled(self, by: f32) -> Shape {
                match self {
                    Self::Circle(r) => Self::Circle(by * r),
                    Self::Rectangle { width, height } => Self::Rectangle { width: by * width, height: by * height },
                    other => other,
                }
            }

            pub fn grow(&mut self) {
                *self = match *self {
                    Shape::Circle(r) => Shape::Rectangle { width: r, height: r },
                    other => other.scaled(2.0),
                };
            }
        }

        #[device]
        pub fn token(n: i32, m: i32) -> Token {
            if n < 0 {
                return SQUARE;
            }
            match n % 4 {
                0 => Token::End,
                1 => Token::Number(m as f64 / 4.0),
                2 => Token::Byte(m as u8),
                _ => Token::Drawn { shape: shape(m, n), at: m as i16 },
            }
        }

        #[device]
        pub fn sum<T: Number>(tree: Tree<T>) -> T {
            let mut sum = T::ZERO;
            match tree {
                Tree::Leaf(one) => sum += one,
                Tree::Two(left, right) => {
                    sum += left;
                    sum += right;
                }
                _ => {}
            }
            sum
        }
    }

    fn values(x: &[i32], y: &mut [f64]) {
        let a = shape(x[0], x[1]);
        let mut b = shape(x[2], x[3]).scaled(3.0);
        y[0] = a.area() as f64;
        y[1] = b.area() as f64;
        b.grow();
        y[2] = b.area() as f64;
        if let Shape::Circle(r @ 2.0..) = a {
            y[3] = r as f64;
        }
        let Shape::Path([first, ..], long) = shape(x[4], x[5]) else {
            y[4] = 1.0;
            return;
        };
        y[5] = first as f64 + if long { 0.5 } else { 0.0 };
        y[6] = matches!(a, Shape::Nothing | Shape::Circle(_)) as u8 as f64 + 2.0 * matches!(a, UNIT) as u8 as f64;
        y[7] = (a == b) as u8 as f64 + 2.0 * (a < b) as u8 as f64 + 4.0 * (a == shape(x[0], x[1])) as u8 as f64;
        y[8] = match (a, b) {
            (Shape::Circle(r), Shape::Circle(q)) if r < q => 1.0,
            (Shape::Circle(r), _) | (_, Shape::Circle(r)) => r as f64,
            (Shape::Rectangle { width, .. }, Shape::Rectangle { .. }) => width as f64,
            _ => -1.0,
        };
        // A struct literal in the place of a condition or of the value of a `match`.
        assert!(Shape::Rectangle { width: 1.0, height: 2.0 }.area() > 1.0);
        assert!(matches!(Shape::Rectangle { width: 1.0, height: 2.0 }.scaled(2.0), Shape::Rectangle { width: 2.0, .. }));
        let some = if x[6] > 0 { Some(a) } else { None };
        y[9] = match some { Some(Shape::Circle(r)) => r as f64, Some(_) => 10.0, None => 20.0 };
    }

    /// `==` of payloads with a function behind it, and alternatives that bind the same variable.
    fn compared(x: &[i32], y: &mut [f64]) {
        let turns = [Turn::By { angle: Angle(x[0]), times: x[1] as u8 }, Turn::To(Angle(x[2])), Turn::Never];
        let other = match x[3] & 3 {
            0 => Turn::By { angle: Angle(x[0].wrapping_add(360)), times: x[1] as u8 },
            1 => Turn::To(Angle(x[2] ^ 1)),
            2 => Turn::To(Angle(x[2].wrapping_sub(720))),
            _ => Turn::Never,
        };
        for i in 0..3 {
            y[i] = (turns[i] == other) as u8 as f64 + 2.0 * (Some(turns[i]) != Some(other)) as u8 as f64;
        }
        y[3] = match other {
            Turn::By { angle: Angle(n @ ..0), .. } | Turn::To(Angle(n)) if n < 100 => n as f64,
            Turn::By { angle: Angle(n), times: 0..9 } | Turn::To(Angle(n)) => n as f64 / 2.0,
            Turn::By { .. } | Turn::Never => 0.25,
        };
        let result = if x[4] > 2 { Ok(Angle(x[4])) } else { Err(x[5]) };
        y[4] = (result == Ok(Angle(3))) as u8 as f64 + 2.0 * (result == Err(x[6])) as u8 as f64;
    }

    /// Payloads of other variants are not initialised: they are neither compared nor read.
    fn of_many(x: &[i32], y: &mut [f64]) {
        let mut all = [Long::Few([0; 2]); 4];
        for i in 0..4 {
            all[i] = long(x[i], x[i + 1]);
        }
        let mut same = 0;
        for i in 0..4 {
            for j in 0..4 {
                same = 2 * same + (all[i] == all[j]) as u32;
            }
        }
        y[0] = same as f64;
        let wide = if x[0] > 2 { Marked::Wide { mark: marks(x[1])[2], value: 0.5 } } else { Marked::Narrow(x[1] as u8) };
        y[1] = (wide == Marked::Wide { mark: Mark, value: 0.5 }) as u8 as f64;
        y[2] = match wide { Marked::Narrow(n) => n as f64, Marked::Wide { value, .. } => value };
        y[3] = (marks(x[2]) == [Mark; 3]) as u8 as f64;
    }

    fn tokens(x: &[i32], y: &mut [f64]) {
        let mut tokens = [Token::End; 4];
        for i in 0..4 {
            tokens[i] = token(x[2 * i], x[2 * i + 1]);
        }
        for i in 0..4 {
            y[i] = match tokens[i] {
                Token::End => -1.0,
                Token::Number(n) => n,
                Token::Byte(b) => b as f64,
                Token::Drawn { shape: Shape::Nothing, at } => at as f64 + 0.5,
                Token::Drawn { shape, .. } => shape.area() as f64,
            };
            let same = &tokens[i];
            if let Token::Drawn { shape: _, at: 2.. } = *same {
                y[4] += 1.0;
            }
        }
        y[5] = (tokens[0] == tokens[1]) as u8 as f64 + 2.0 * (tokens[2] != SQUARE) as u8 as f64;
        let tree = match x[0] { 0 => Tree::Empty, 1 => Tree::Leaf(x[1] as i16), _ => Tree::Two(3, 4) };
        y[6] = sum(tree) as f64;
        y[7] = sum(Tree::Two(0.5, 1.5));
    }
}

use device::{Shape, Token, Tree};

/// Reads and writes elements of arrays, and takes one as an argument.
#[kernel]
pub fn convert(given: Shape, shapes: &mut [Shape], tokens: &mut [Token], trees: &mut [Tree<f64>], areas: &mut [f32]) {
    let i = grid(1);
    if i < shapes.len() {
        areas[i] = shapes[i].area() + given.area();
        let before = shapes[i];
        shapes[i].grow();
        trees[i] = match trees[i] {
            Tree::Leaf(one) => Tree::Two(one, 2.0 * one),
            Tree::Two(left, _) => Tree::Leaf(left),
            empty => empty,
        };
        tokens[i] = match tokens[i] {
            Token::Drawn { shape: Shape::Circle(r), at } => Token::Number(r as f64 + at as f64),
            Token::Number(n) => Token::Drawn { shape: before, at: n as i16 },
            other => other,
        };
    }
}

fn layouts(run: &mut Run<'_>) {
    let shapes = [
        Shape::Nothing,
        Shape::Circle(2.0),
        Shape::Rectangle { width: 3.0, height: 4.0 },
        Shape::Path([5, 6, 7], true),
    ];
    let tokens = [
        Token::Number(3.0),
        Token::Byte(9),
        Token::Drawn { shape: shapes[1], at: -3 },
        Token::Drawn { shape: shapes[2], at: 1 },
    ];
    let trees = [Tree::Empty, Tree::Leaf(1.5), Tree::Two(2.5, 3.5), Tree::Leaf(-1.0)];
    let (mut x, mut t, mut leaves) = (run.array(&shapes), run.array(&tokens), run.array(&trees));
    let mut areas = run.zeros(4);
    run.launch(convert(shapes[1], &mut x, &mut t, &mut leaves, &mut areas).over(4));
    run.expect("areas", &areas, &[12.0, 24.0, 24.0, 17.0]);
    let grown = [
        Shape::Nothing,
        Shape::Rectangle { width: 2.0, height: 2.0 },
        Shape::Rectangle { width: 6.0, height: 8.0 },
        shapes[3],
    ];
    run.expect("shapes", &x, &grown);
    let expected = [Token::Drawn { shape: shapes[0], at: 3 }, tokens[1], Token::Number(-1.0), tokens[3]];
    run.expect("tokens", &t, &expected);
    let expected = [Tree::Empty, Tree::Two(1.5, 3.0), Tree::Leaf(2.5), Tree::Two(-1.0, -2.0)];
    run.expect("trees", &leaves, &expected);
}

/// Reverses the elements of each block.
#[kernel]
pub fn reversed(x: &[Token], y: &mut [Token]) {
    let (i, t) = (grid(1), thread_idx().x);
    let tile = shared::<[Token; 32]>();
    tile[t] = x[i];
    sync_threads();
    y[i] = tile[31 - t];
}

fn through_shared_memory(run: &mut Run<'_>) {
    let tokens: [Token; 64] = std::array::from_fn(|i| device::token(i as i32, 3 * i as i32));
    let mut expected = tokens;
    expected.chunks_mut(32).for_each(<[Token]>::reverse);
    let (x, mut y) = (run.array(&tokens), run.array(&[Token::End; 64]));
    run.launch(reversed(&x, &mut y).grid(2).block(32));
    run.expect("y", &y, &expected);
}

/// Each lane receives the element of the next one.
#[kernel]
pub fn passed_on(x: &[Token], y: &mut [Token]) {
    let i = grid(1);
    y[i] = shfl_down_sync(u32::MAX, x[i], 1u32);
}

fn shuffled(run: &mut Run<'_>) {
    let tokens: [Token; 32] = std::array::from_fn(|i| device::token(7 * i as i32, i as i32));
    let expected: [Token; 32] = std::array::from_fn(|i| tokens[(i + 1).min(31)]);
    let (x, mut y) = (run.array(&tokens), run.array(&[Token::End; 32]));
    run.launch(passed_on(&x, &mut y).grid(1).block(32));
    run.expect("y", &y, &expected);
}

#[device]
fn position(x: &[u16], wanted: u16) -> Option<usize> {
    for i in 0..x.len() {
        if x[i] == wanted {
            return Some(i);
        }
    }
    None
}

/// With indices of 32 bits.
#[kernel(index = u32)]
pub fn found(x: &[u16], y: &mut [u16]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = match position(x, i as u16) {
            Some(at) if at < 3 => x[at + 1],
            Some(at) => at as u16,
            None => 99,
        };
    }
}

fn positions(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[3u16, 5, 0, 4, 6]), run.zeros(7));
    run.launch(found(&x, &mut y).over(7));
    run.expect("y", &y, &[4, 99, 99, 5, 3, 0, 4]);
}

#[derive(Clone, Copy, DeviceType)]
pub struct Ray {
    pub origin: [f32; 3],
    pub direction: [f32; 3],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
pub enum Body {
    Sphere { centre: [f32; 3], radius: f32 },
    Floor { height: f32 },
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C, u16)]
pub enum Hit {
    Miss,
    Sphere { t: f32, id: u32 },
    Floor { t: f32 },
}

#[device]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[device]
impl Body {
    fn distance(&self, ray: Ray) -> Option<f32> {
        let t = match self {
            Body::Sphere { centre, radius } => {
                let to = [ray.origin[0] - centre[0], ray.origin[1] - centre[1], ray.origin[2] - centre[2]];
                let (b, c) = (dot(to, ray.direction), dot(to, to) - *radius * *radius);
                let root = b * b - c;
                if root < 0.0 {
                    return None;
                }
                -b - root.sqrt()
            }
            Body::Floor { height } if ray.direction[1] != 0.0 => (*height - ray.origin[1]) / ray.direction[1],
            Body::Floor { .. } => return None,
        };
        if t > 0.0 { Some(t) } else { None }
    }
}

#[device]
fn trace(ray: Ray, bodies: &[Body]) -> Hit {
    let mut nearest = None;
    for id in 0..bodies.len() {
        let Some(t) = bodies[id].distance(ray) else { continue };
        nearest = match nearest {
            Some((before, _)) if before <= t => nearest,
            _ => Some((t, id)),
        };
    }
    match nearest {
        None => Hit::Miss,
        Some((t, id)) => match bodies[id] {
            Body::Sphere { .. } => Hit::Sphere { t, id: id as u32 },
            Body::Floor { .. } => Hit::Floor { t },
        },
    }
}

#[kernel]
pub fn first_hits(rays: &[Ray], bodies: &[Body], hits: &mut [Hit]) {
    let i = grid(1);
    if i < rays.len() {
        hits[i] = trace(rays[i], bodies);
    }
}

fn rays(run: &mut Run<'_>) {
    let ray = |origin, direction| Ray { origin, direction };
    let rays = [
        ray([0.0, 0.0, -5.0], [0.0, 0.0, 1.0]),
        ray([0.0, 3.0, -5.0], [0.0, -1.0, 0.0]),
        ray([9.0, 3.0, -5.0], [0.0, 0.0, 1.0]),
        ray([3.0, 0.0, -5.0], [0.0, 0.0, 1.0]),
    ];
    let sphere = |centre| Body::Sphere { centre, radius: 1.0 };
    let bodies = [sphere([0.0, 0.0, 4.0]), Body::Floor { height: -1.0 }, sphere([0.0; 3]), sphere([3.0, 0.0, 2.0])];
    let (x, b, mut hits) = (run.array(&rays), run.array(&bodies), run.array(&[Hit::Miss; 4]));
    run.launch(first_hits(&x, &b, &mut hits).over(4));
    let expected = [Hit::Sphere { t: 4.0, id: 2 }, Hit::Floor { t: 4.0 }, Hit::Miss, Hit::Sphere { t: 6.0, id: 3 }];
    run.expect("hits", &hits, &expected);
}
