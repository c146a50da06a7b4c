//! The output of kernels and the messages of panics: arguments and Rust's formatting.

#![allow(clippy::all, clippy::pedantic, reason = "the messages are written as users would not, to find what breaks")]

use cumbia::prelude::*;

use crate::program::quietly;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![printed, printed_in_loops, panics, assertions, of_enums, of_compound_values];

#[derive(Clone, Copy, Debug, DeviceType)]
#[device(PartialEq)]
pub enum State {
    Idle,
    Busy,
    Done,
}

/// Messages, in the body of a kernel and formatted by the host.
macro_rules! texts {
    ($name:ident, $host:ident: $i:ident $n:ident $f:ident $d:ident $b:ident; $($text:tt)*) => {
        #[kernel]
        pub fn $name($i: i32, $n: u64, $f: f32, $d: f64, $b: bool) {
            $(print! $text;)*
        }

        fn $host($i: i32, $n: u64, $f: f32, $d: f64, $b: bool) -> String {
            let mut all = String::new();
            $(all.push_str(&format! $text);)*
            all
        }
    };
}

texts! { formats, formatted: i n f d b;
    ("{} {} {} {} {}\n", i, n, f, d, b)
    ("{i} {n:?} {f:.3} {d:e} {b:?}\n")
    ("{0} {0:x} {0:X} {0:#x} {0:o} {0:b} {0:#010b}\n", i)
    ("[{i:5}] [{i:<5}] [{i:^5}] [{i:>5}] [{i:05}] [{i:+}] [{i:*^9}]\n")
    ("[{f:8.2}] [{f:<8.2}] [{f:+08.1}] [{d:.0}] [{d:10.3e}] [{f:?}] [{d:?}]\n")
    ("{} {:?} {{}} {:>6} 100%\n", b, b, b)
    ("{width:4} {a}{a}{b}\n", width = n as u8, a = i as i8, b = n as u16)
    ("{}{}{}{}{}{}{}{}\n", i as i64, n as u8, i as i16, n as usize, i as isize, n as i8, f as u32, d as i64)
    ("no arguments, \t tabs, \"quotes\", \\ and ümläute\n")
    ("{}", 7)
    ("{:.2} {:5.1} {}\n", 1.0 / 3.0, f * 2.0, f16::from_f32(1.5))
    ("{} {} {}\n", i32::MIN, u64::MAX, f32::MAX)
    ("")
    ("{i:#?} {n:#X} {i:x?}\n")
}

fn printed(run: &mut Run<'_>) {
    let inputs = [
        (0, 0, 0.0f32, 0.0f64, false),
        (-1, 1, -1.5, 1e300, true),
        (i32::MAX, u64::MAX, f32::INFINITY, -f64::INFINITY, true),
        (i32::MIN, 1 << 33, f32::NAN, 0.1, false),
        (1234, 255, 1e-45, -0.0, true),
    ];
    for (i, n, f, d, b) in inputs {
        let device = run.device().clone();
        run.launch(formats(i, n, f, d, b).grid(1).block(1).on_device(&device));
        run.expect_printed(&formatted(i, n, f, d, b));
    }
}

#[device]
pub fn tell(value: f32, at: usize) -> f32 {
    println!("value {value} at {at}");
    value * 2.0
}

/// Output in loops, branches and device functions, one thread after another.
#[kernel]
pub fn telling(x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    println!();
    for k in 0..x.len() {
        if x[k] > 1.0 {
            y[k] = tell(x[k], k) + tell(-x[k], i);
            continue;
        }
        print!("{k}");
        print!(", ");
    }
    println!("{} of {}", i, grid_size(1));
}

fn printed_in_loops(run: &mut Run<'_>) {
    let values = [0.5f32, 1.5, 1.0, 2.0];
    let (x, mut y) = (run.array(&values), run.zeros(4));
    run.launch(telling(&x, &mut y).grid(1).block(1));
    run.expect_printed("\n0, value 1.5 at 1\nvalue -1.5 at 0\n2, value 2 at 3\nvalue -2 at 0\n0 of 1\n");
    run.expect("y", &y, &[0.0; 4]);
    let nothing = run.array::<f32>(&[]);
    run.launch(telling(&nothing, &mut y).grid(2).block(1));
    run.expect_printed("\n0 of 2\n\n1 of 2\n");
}

/// A function that panics, as a device function and as plain Rust.
macro_rules! panicking {
    ($which:ident $i:ident $f:ident $n:ident; $($body:tt)*) => {
        pub mod stopping_device {
            use cumbia::prelude::*;

            #[device]
            pub fn stop($which: u32, $i: i32, $f: f32, $n: u64) -> i32 {
                $($body)*
            }
        }

        mod host {
            pub(super) fn stop($which: u32, $i: i32, $f: f32, $n: u64) -> i32 {
                $($body)*
            }
        }
    };
}

const LIMIT: u8 = 200;

panicking! { which i f n;
    match which {
        0 => panic!(),
        1 => panic!("nothing"),
        2 => panic!("i is {i}, f is {f:.2} and n is {n:#x}"),
        3 => panic!("{} {} {} {} {} {}", i, f, n, i as i8, n as u16, f > 1.0),
        4 => unreachable!(),
        5 => unreachable!("{} was not expected", n),
        6 => todo!(),
        7 => todo!("{i}"),
        8 => unimplemented!("for {:?}", f),
        9 => assert!(i > 5),
        10 => assert!(i > 5 && n < 3, "i = {i}, {{n}} = {n}"),
        11 => assert_eq!(i, 5),
        12 => assert_eq!(i, 5, "with {} and {n}", f),
        13 => assert_ne!(i as u64 & 1, n & 1),
        14 => assert_ne!(f, 1.5, "f"),
        15 => debug_assert!(i != 7, "debug {i}"),
        16 => debug_assert_eq!(i % 2, 1),
        17 => { let _ = 10 / i; }
        18 => assert!(matches!(i, 1..=4), "{i:>4}|{i:<4}|{f:e}"),
        19 => assert_eq!((i > 0) as u8 + super::LIMIT, super::LIMIT),
        20 => assert_eq!(i > 3, f > 1.0),
        21 => { let list = [1, 2, 3]; return list[i as usize]; }
        _ => return i + 1,
    }
    0
}

#[kernel]
pub fn stopping(which: u32, i: i32, f: f32, n: u64, y: &mut [i32]) {
    y[0] = 1;
    y[1] = stopping_device::stop(which, i, f, n);
    y[2] = 3;
}

fn panics(run: &mut Run<'_>) {
    for which in 0..23 {
        for (i, f, n) in [(0, 1.5f32, 3u64), (7, -0.25, 1 << 40), (3, f32::NAN, 2)] {
            let expected = quietly(|| host::stop(which, i, f, n));
            let mut y = run.zeros(3);
            let launch = |run: &mut Run<'_>, y: &mut _| run.launch(stopping(which, i, f, n, y).grid(1).block(1));
            match expected {
                Ok(value) => {
                    launch(run, &mut y);
                    run.expect("y", &y, &[1, value, 3]);
                }
                Err(panic) => {
                    run.expect_fault(&format!("panic {which}"), |run| launch(run, &mut y));
                    run.expect_words(&panic);
                    run.expect("y", &y, &[1, 0, 0]);
                }
            }
        }
    }
}

/// An assertion that fails in one thread.
#[kernel]
pub fn asserted<T: Number>(x: &[T], limit: T) {
    let i = grid(1);
    assert!(x[i] <= limit, "x[{i}] is {} and not at most {limit}", x[i]);
}

fn assertions(run: &mut Run<'_>) {
    macro_rules! each {
        ($($ty:ident $values:expr, $bad:literal;)*) => {$({
            let values: Vec<$ty> = $values.to_vec();
            let limit = values[0];
            let x = run.array(&values);
            run.expect_fault(stringify!($ty), |run| run.launch(asserted(&x, limit).grid(3).block(2)));
            run.expect_words(&format!("x[{}] is {} and not at most {limit}", $bad, values[$bad]));
        })*};
    }
    each! {
        i8 [5i8, -5, 4, 3, 100, 0], 4;
        u16 [5u16, 5, 65535, 3, 1, 0], 2;
        i64 [-5i64, i64::MIN, -9, -6, -100, 1 << 40], 5;
        u64 [1u64 << 63, 0, 9, u64::MAX, 100, 1], 3;
        f32 [0.1f32, f32::MIN, -0.0, 1e-10, 0.05, 1e30], 5;
        f64 [0.1f64, f64::NAN, -0.0, 1e-10, 0.05, 0.0], 1;
    }
}

/// Enums are printed as numbers.
#[kernel]
pub fn states(x: &[State], y: &mut [State]) {
    for i in 0..x.len() {
        println!("{i}: {:?}", x[i] as u8);
        y[i] = if x[i] == State::Idle { State::Busy } else { State::Done };
        assert!(y[i] != x[i], "still {}", x[i] as i32);
    }
    assert_eq!(x[x.len() - 1] as u32, State::Busy as u32, "the last of {}", x.len());
}

fn of_enums(run: &mut Run<'_>) {
    let values = [State::Idle, State::Busy];
    let (x, mut y) = (run.array(&values), run.zeros(2));
    run.launch(states(&x, &mut y).grid(1).block(1));
    run.expect_printed("0: 0\n1: 1\n");
    run.expect("y", &y, &[State::Busy, State::Done]);
    let x = run.array(&[State::Idle; 2]);
    run.expect_fault("assert_eq", |run| run.launch(states(&x, &mut y).grid(1).block(1)));
    run.expect_words("assertion `left == right` failed: the last of 2\n  left: 0\n right: 1");
    run.expect_printed("0: 0\n1: 0\n");
    let x = run.array(&[State::Done]);
    run.expect_fault("assert", |run| run.launch(states(&x, &mut y).grid(1).block(1)));
    run.expect_words("still 2");
}

#[derive(Clone, Copy, Debug, DeviceType)]
#[device(PartialEq)]
pub struct Point {
    x: f32,
    r#type: State,
    seen: bool,
}

#[derive(Clone, Copy, Debug, DeviceType)]
pub struct Pair<T>(T, [T; 2]);

#[derive(Clone, Copy, Debug, DeviceType)]
pub struct Nothing;

#[derive(Clone, Copy, Debug, DeviceType)]
#[repr(u32)]
pub enum Shape {
    Empty,
    Circle(f32, u8),
    Box { at: Point, sides: [i16; 2] },
}

/// A message with a value of each kind, in the body of a kernel and formatted by the host.
macro_rules! compound_texts {
    ($name:ident, $host:ident: $($variable:ident: $ty:ty),*; $($text:tt)*) => {
        #[kernel]
        pub fn $name(shapes: &[Shape], i: i32, f: f32) {
            $(let $variable: $ty = values::$variable(i, f);)*
            $(print! $text;)*
            for k in 0..shapes.len() {
                println!("{k}: {:?} {:#?}", shapes[k], shapes[k]);
            }
            let first = &shapes[0];
            println!("{:?}", *first);
        }

        fn $host(shapes: &[Shape], i: i32, f: f32) -> String {
            let mut all = String::new();
            $(let $variable: $ty = values::$variable(i, f);)*
            $(all.push_str(&format! $text);)*
            for k in 0..shapes.len() {
                all.push_str(&format!("{k}: {:?} {:#?}\n", shapes[k], shapes[k]));
            }
            all.push_str(&format!("{:?}\n", shapes[0]));
            all
        }
    };
}

pub mod values {
    use cumbia::prelude::*;
    use cumbia::vector::Float4;

    use super::{Nothing, Pair, Point, State};

    #[device]
    pub fn point(i: i32, f: f32) -> Point {
        Point { x: f, r#type: if i > 0 { State::Busy } else { State::Done }, seen: i != 7 }
    }

    #[device]
    pub fn pair(i: i32, f: f32) -> Pair<f32> {
        Pair(f, [i as f32, 0.5])
    }

    #[device]
    pub fn nothing(_i: i32, _f: f32) -> Nothing {
        Nothing
    }

    #[device]
    pub fn tuple(i: i32, f: f32) -> (i32, (f32, bool), u8) {
        (i, (f, i > 0), i as u8)
    }

    #[device]
    pub fn grid_of(i: i32, _f: f32) -> [[i32; 3]; 2] {
        [[i, 1, 2], [3, 4, 5]]
    }

    #[device]
    pub fn vector(i: i32, f: f32) -> Float4 {
        Float4::new(f, i as f32, 1.0, -0.0)
    }

    #[device]
    pub fn option(i: i32, f: f32) -> Option<f32> {
        if i > 0 { Some(f) } else { None }
    }

    #[device]
    pub fn result(i: i32, f: f32) -> Result<f32, u32> {
        if i > 0 { Ok(f) } else { Err(9) }
    }
}

compound_texts! { compounds, formatted_compounds:
    point: Point, pair: Pair<f32>, nothing: Nothing, tuple: (i32, (f32, bool), u8), grid_of: [[i32; 3]; 2],
    vector: cumbia::vector::Float4, option: Option<f32>, result: Result<f32, u32>;
    ("{point:?} {pair:?} {nothing:?} {tuple:?}\n")
    ("{point:#?}\n{pair:#?}\n{nothing:#?} {tuple:#?}\n")
    ("{grid_of:?} {:?} {:#?}\n", grid_of[1], grid_of)
    ("[{grid_of:4?}] [{tuple:+08.2?}] [{pair:<7.1?}] [{point:*^9?}]\n")
    ("{vector:?} {option:?} {result:?} {option:#?} {result:#?}\n")
    ("{:?} {:?} {:x?} {1:?}\n", point.r#type, (point.x,), [tuple.0, 255])
    ("{:?}\n", [point; 2])
}

/// Values that are not scalars in messages of panics, which keep six scalars.
#[kernel]
pub fn stops_with(which: u32, i: i32, f: f32) {
    let point = values::point(i, f);
    match which {
        0 => panic!("{point:?} and {:?}", (i, f)),
        1 => assert_eq!((i, f), (5, 5.0)),
        2 => assert!(point == Point { x: 1.0, r#type: State::Idle, seen: true }, "{:#?}", point),
        _ => panic!("{:?}", [i; 8]),
    }
}

fn of_compound_values(run: &mut Run<'_>) {
    let host = [
        Shape::Box { at: Point { x: 0.1, r#type: State::Idle, seen: true }, sides: [-1, 2] },
        Shape::Empty,
        Shape::Circle(f32::NAN, 200),
    ];
    let shapes = run.array(&host);
    for (i, f) in [(3, 1.5f32), (-7, -0.0), (7, 1e20)] {
        run.launch(compounds(&shapes, i, f).grid(1).block(1));
        run.expect_printed(&formatted_compounds(&host, i, f));
        let point = values::point(i, f);
        let messages = [
            format!("{point:?} and {:?}", (i, f)),
            format!("assertion `left == right` failed\n  left: {:?}\n right: (5, 5.0)", (i, f)),
            format!("{point:#?}"),
        ];
        for (which, message) in messages.iter().enumerate() {
            let device = run.device().clone();
            run.expect_fault(message, |run| {
                run.launch(stops_with(which as u32, i, f).grid(1).block(1).on_device(&device))
            });
            run.expect_words(message);
        }
    }
}
