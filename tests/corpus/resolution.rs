//! User-defined items with names of built-in ones: rustc's name resolution decides, on every device.
//!
//! The programs are compiled as plain Rust as well (`program.rs`), so that the expected results are rustc's.

#![allow(clippy::all, clippy::pedantic, reason = "the items are named as users would not, to find what breaks")]
#![allow(non_upper_case_globals, non_camel_case_types, dead_code, unused_macros, reason = "as above")]

use cumbia::prelude::*;

use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS, listed![converted, overridden, extended, called]];

/// Shadows the standard library's, in the whole file.
macro_rules! line {
    () => {
        77u32
    };
}

/// Shadows the standard library's.
macro_rules! column {
    () => {
        78u32
    };
}

/// Shadows the standard library's.
macro_rules! cfg {
    ($any:ident) => {
        true
    };
}

/// Constants, functions and modules with names of items of kernels.
pub mod named {
    pub const WARP_SIZE: i64 = 7;
    pub const PI: i64 = 4;
    pub const MAX: i64 = -1;
    pub const limit: i64 = 11;
    pub const most: i64 = 13;

    /// Shadows the standard library's.
    pub const fn size_of<T>() -> usize {
        3
    }

    /// Shadows the standard library's.
    pub const fn align_of<T>() -> usize {
        5
    }
}

programs! {
    items {
        use super::named::{self, MAX, PI, WARP_SIZE, align_of, size_of};

        /// Methods and functions with the names of those of numbers, slices and the standard traits.
        #[derive(Clone, Copy, DeviceType)]
        pub struct Meter {
            n: i64,
        }

        #[device]
        impl Meter {
            fn clone(&self) -> Meter {
                Meter { n: self.n.wrapping_add(1) }
            }

            fn from(n: i64) -> Meter {
                Meter { n: n.wrapping_mul(3) }
            }

            fn cast(n: i64) -> Meter {
                Meter { n: n.wrapping_mul(5) }
            }

            fn from_f64(x: f64) -> Meter {
                Meter { n: x as i64 }
            }

            fn len(&self) -> i64 {
                self.n ^ 1
            }

            fn is_empty(&self) -> i64 {
                self.n ^ 2
            }

            fn split_at(&self, by: i64) -> (i64, i64) {
                (self.n.wrapping_sub(by), by)
            }

            fn sqrt(self) -> i64 {
                self.n ^ 3
            }

            fn min(self, other: Meter) -> i64 {
                self.n.wrapping_mul(2).wrapping_sub(other.n)
            }

            fn wrapping_add(self, by: i64) -> i64 {
                self.n ^ by
            }

            fn shape(&self) -> i64 {
                self.n ^ 4
            }

            fn to_bits(self) -> i64 {
                self.n ^ 5
            }
        }

        /// The conversions of numbers as functions of a trait.
        #[device]
        pub trait Convert {
            fn from(n: i64) -> Self;
            fn cast(n: i64) -> Self;
            fn from_f64(n: i64) -> Self;
            fn value(&self) -> i64;
            fn clone(&self) -> i64 {
                self.value().wrapping_mul(9)
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Scaled {
            n: i64,
        }

        #[device]
        impl Convert for Scaled {
            fn from(n: i64) -> Self {
                Scaled { n: n.wrapping_mul(2) }
            }

            fn cast(n: i64) -> Self {
                Scaled { n: n.wrapping_mul(4) }
            }

            fn from_f64(n: i64) -> Self {
                Scaled { n: n ^ 1 }
            }

            fn value(&self) -> i64 {
                self.n
            }
        }

        #[device]
        impl Convert for i64 {
            fn from(n: i64) -> Self {
                n.wrapping_sub(1)
            }

            fn cast(n: i64) -> Self {
                n.wrapping_sub(2)
            }

            fn from_f64(n: i64) -> Self {
                n.wrapping_sub(3)
            }

            fn value(&self) -> i64 {
                *self
            }

            fn clone(&self) -> i64 {
                *self ^ 6
            }
        }

        #[device]
        pub fn converted_by<T: Convert>(n: i64, y: &mut [i64]) {
            let made = T::from(n);
            y[0] = made.value();
            y[1] = T::cast(n).value();
            y[2] = T::from_f64(n).value();
            y[3] = made.clone();
            y[4] = T::clone(&made).wrapping_add(<T as Convert>::cast(n).value());
        }

        /// The names of operations of a device.
        #[device]
        pub fn lane_id(x: i64) -> i64 {
            x.wrapping_mul(6)
        }

        #[device]
        pub fn sync_threads(x: i64) -> i64 {
            x.wrapping_mul(7)
        }

        #[device]
        pub fn atomic_add(x: i64, by: i64) -> i64 {
            x.wrapping_sub(by)
        }

        #[device]
        pub fn shared(x: i64) -> i64 {
            x.wrapping_mul(8)
        }

        #[device]
        pub fn thread_idx() -> i64 {
            9
        }

        #[device]
        pub fn grid(x: i64) -> i64 {
            x.wrapping_mul(10)
        }

        /// The names of functions of the standard library and of CUDA C.
        #[device]
        pub fn max(a: i64, b: i64) -> i64 {
            if a < b { a } else { b }
        }

        #[device]
        pub fn drop(x: i64) -> i64 {
            !x
        }

        #[device]
        pub fn sqrt(x: i64) -> i64 {
            x ^ 10
        }

        /// The name of a crate.
        #[device]
        pub fn core(x: i64) -> i64 {
            x.wrapping_mul(11)
        }

        /// Imported by a glob, where a function of the same name is in an outer scope.
        pub mod inner {
            #[allow(unused_imports, reason = "for the device")]
            use super::*;

            #[device]
            pub fn max(a: i64, b: i64) -> i64 {
                a ^ b ^ 16
            }
        }

        pub mod u64 {
            pub const MAX: i64 = 12;
        }

        pub mod math {
            #[allow(unused_imports, reason = "for the device")]
            use super::*;

            pub const min: i64 = 14;

            #[device]
            pub fn abs(x: i64) -> i64 {
                x ^ 15
            }
        }

        /// The names of types that allocate, and of the device's own.
        #[derive(Clone, Copy, DeviceType)]
        pub struct Arc {
            radius: i64,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Box {
            side: i64,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Slot {
            arc: Arc,
            inside: Box,
        }

        #[device]
        pub fn area(arc: Arc, inside: &Box) -> i64 {
            arc.radius.wrapping_mul(inside.side)
        }

        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq)]
        pub enum Ordering {
            Less,
            Equal,
        }
    }

    fn methods(x: &[i64], y: &mut [i64]) {
        let meter = Meter { n: x[0] };
        y[0] = meter.clone().n;
        y[1] = Meter::clone(&meter).n;
        y[2] = meter.len().wrapping_add(meter.is_empty());
        let (a, b) = meter.split_at(x[1]);
        y[3] = a ^ b;
        y[4] = meter.sqrt().wrapping_add(meter.min(Meter { n: x[2] }));
        y[5] = meter.wrapping_add(x[3]);
        let both = [meter, Meter { n: x[4] }];
        y[6] = both[1].clone().n.wrapping_add(both[0].len());
        y[7] = meter.shape().wrapping_sub(meter.to_bits());
        y[8] = Meter::from(x[5]).n.wrapping_add(Meter::cast(x[6]).n);
        y[9] = Meter::from_f64(2.5).n;
        let r = &both[1];
        y[10] = r.clone().n.wrapping_add(r.split_at(3).0);
    }

    fn traits(x: &[i64], y: &mut [i64]) {
        converted_by::<Scaled>(x[0], &mut y[0..5]);
        converted_by::<i64>(x[1], &mut y[5..10]);
        y[10] = <Scaled as Convert>::from(x[2]).value().wrapping_add(Scaled::cast(x[3]).n);
        let made = <Scaled as Convert>::from_f64(x[4]);
        y[11] = Convert::clone(&made);
    }

    fn functions(x: &[i64], y: &mut [i64]) {
        y[0] = lane_id(x[0]);
        y[1] = sync_threads(x[1]);
        let v = x[2];
        y[2] = atomic_add(v, x[3]);
        y[3] = shared(x[4]).wrapping_add(thread_idx());
        y[4] = max(x[5], x[6]);
        y[5] = drop(x[7]).wrapping_add(sqrt(x[0]));
        y[6] = math::abs(x[1]);
        y[8] = grid(2).wrapping_add(grid(x[3]));
        let shared = x[2];
        let grid = shared ^ 1;
        y[7] = shared.wrapping_add(grid);
        y[9] = core(x[0]);
        {
            use inner::*;
            y[10] = max(x[5], x[6]);
        }
    }

    fn constants(x: &[i64], y: &mut [i64]) {
        y[0] = WARP_SIZE.wrapping_add(PI).wrapping_mul(MAX);
        y[1] = size_of::<i64>() as i64;
        y[2] = align_of::<[f32; 4]>() as i64 * 10 + named::size_of::<u8>() as i64;
        y[3] = u64::MAX ^ math::min;
        y[4] = line!() as i64 + column!() as i64;
        y[5] = if cfg!(nothing) { 1 } else { 2 };
        y[6] = i64::MAX ^ x[0];
    }

    fn types(x: &[i64], y: &mut [i64]) {
        let (arc, inside) = (Arc { radius: x[0] }, Box { side: x[1] });
        y[0] = area(arc, &inside);
        let slot = Slot { arc, inside };
        y[1] = area(slot.arc, &slot.inside).wrapping_add(slot.inside.side);
        let order = if x[2] < x[3] { Ordering::Less } else { Ordering::Equal };
        y[2] = if order == Ordering::Less { 1 } else { 2 };
    }

    fn scopes(x: &[i64], y: &mut [i64]) {
        let n = x[0];
        let limit = x[1];
        {
            use super::named::most;
            y[0] = most.wrapping_add(limit);
            {
                const n: i64 = 5;
                y[1] = n;
            }
            y[2] = n;
        }
        {
            use Ordering::*;
            let order = if n < limit { Less } else { Equal };
            y[3] = match order {
                Less => n,
                Equal => limit,
            };
        }
        let most = n ^ limit;
        y[4] = most;
        {
            use super::named::limit as bound;
            let limit = limit ^ bound;
            y[5] = limit;
        }
        use super::named::WARP_SIZE as n_of_lanes;
        y[6] = n_of_lanes;
    }
}

/// Conversions in `impl` blocks, where the type parameter is that of the `impl`.
#[derive(Clone, Copy, DeviceType)]
pub struct Pair<T: Float> {
    a: T,
    b: T,
}

#[device]
impl<T: Float> Pair<T> {
    fn mean(&self) -> T {
        (self.a + self.b) * T::from_f64(0.5)
    }

    fn counted(n: u32) -> Self {
        Pair { a: T::cast(n), b: T::cast(n + 1) }
    }
}

#[device]
impl<T: Float> std::ops::Add for Pair<T> {
    type Output = Pair<T>;

    fn add(self, other: Pair<T>) -> Pair<T> {
        Pair { a: self.a + other.a * T::from_f64(2.0), b: self.b + other.b * T::cast(3u8) }
    }
}

#[device]
pub trait Halved: Float {
    fn halved(self) -> Self {
        self * Self::from_f64(0.5) + Self::cast(1)
    }
}

#[device]
impl Halved for f32 {}

#[device]
impl Halved for f64 {}

/// User-defined bounds.
#[device]
pub fn widened<T: Number>(x: T) -> f64
where
    f64: From<T>,
{
    f64::from(x)
}

#[device]
pub fn from_byte<T: Number + From<u8>>(x: u8) -> T {
    T::from(x) + T::from(T::ONE)
}

#[kernel]
pub fn conversions<T: Halved>(x: &[u8], y: &mut [T], wide: &mut [f64]) {
    let i = grid(1);
    if i < x.len() {
        let pair = Pair::<T>::counted(x[i] as u32);
        y[i] =
            pair.mean() + (pair + pair).a * T::cast(100) + (pair + pair).b * T::cast(10_000) + T::cast(x[i]).halved();
        wide[i] = widened(x[i])
            + widened(x[i] as i32)
            + from_byte::<f32>(x[i]) as f64
            + from_byte::<u16>(x[i]) as f64
            + f64::from(f32::from_f64(0.25))
            + u32::from(x[i] > 2) as f64
            + f64::from(f16::from(x[i]))
            + u8::from(x[i]) as f64;
    }
}

fn converted(run: &mut Run<'_>) {
    let xs = [0u8, 1, 2, 7, 255];
    let value = |x: u8| {
        let n = f64::from(x);
        n + 0.5 + 3.0 * n * 100.0 + 4.0 * (n + 1.0) * 10_000.0 + n / 2.0 + 1.0
    };
    let wide = |x: u8| {
        let n = f64::from(x);
        2.0 * n + 2.0 * (n + 1.0) + 0.25 + f64::from(u8::from(x > 2)) + 2.0 * n
    };
    let x = run.array(&xs);
    let (mut y, mut w) = (run.zeros(xs.len()), run.zeros(xs.len()));
    run.launch(conversions::<f64>(&x, &mut y, &mut w).over(xs.len()));
    run.expect("f64", &y, &xs.map(value));
    run.expect("wide", &w, &xs.map(wide));
    let (mut y, mut w) = (run.zeros(xs.len()), run.zeros(xs.len()));
    run.launch(conversions::<f32>(&x, &mut y, &mut w).over(xs.len()));
    run.expect("f32", &y, &xs.map(|x| value(x) as f32));
    run.expect("wide beside f32", &w, &xs.map(wide));
}

/// Default methods: inherited, overridden, and overridden for some types only.
#[device]
pub trait Weight: DeviceType {
    fn base(&self) -> u32;

    fn weight(&self) -> u32 {
        self.base() * 10
    }

    fn total(&self) -> u32 {
        self.weight() + self.extra()
    }

    fn extra(&self) -> u32 {
        1
    }
}

#[derive(Clone, Copy, DeviceType)]
pub struct Kept(u32);

#[derive(Clone, Copy, DeviceType)]
pub struct Partly(u32);

#[derive(Clone, Copy, DeviceType)]
pub struct Wrapped<T: DeviceType> {
    inner: T,
}

#[device]
impl Weight for Kept {
    fn base(&self) -> u32 {
        self.0
    }
}

#[device]
impl Weight for Partly {
    fn base(&self) -> u32 {
        self.0
    }

    fn extra(&self) -> u32 {
        5
    }
}

#[device]
impl<T: Weight> Weight for Wrapped<T> {
    fn base(&self) -> u32 {
        self.inner.total()
    }

    fn weight(&self) -> u32 {
        self.inner.weight() + 1000
    }
}

/// A trait whose functions all have defaults.
#[device]
pub trait Tag: DeviceType {
    fn tag() -> u32 {
        7
    }
}

#[device]
impl Tag for Kept {}

#[device]
impl Tag for Partly {
    fn tag() -> u32 {
        8
    }
}

#[device]
pub fn weighed<T: Weight>(value: T) -> u32 {
    value.total() * 10_000 + value.weight() + value.base()
}

#[kernel]
pub fn weights(out: &mut [u32]) {
    out[0] = weighed(Kept(2));
    out[1] = weighed(Partly(2));
    out[2] = weighed(Wrapped { inner: Partly(3) });
    out[3] = Kept::tag() * 100 + <Partly as Tag>::tag();
}

fn overridden(run: &mut Run<'_>) {
    let mut out = run.zeros(4);
    run.launch(weights(&mut out).grid(1).block(1));
    let expected = [weighed(Kept(2)), weighed(Partly(2)), weighed(Wrapped { inner: Partly(3) }), 708];
    assert_eq!(expected, [210_022, 250_022, 10_311_065, 708]);
    run.expect("out", &out, &expected);
}

/// Extension traits of all types, whose methods have the names of those that the macro calls.
pub mod extensions {
    pub trait Extensions: Sized {
        fn tap(self, _: impl FnOnce(&Self)) {}
        fn is(self) {}
        fn left(self) {}
        fn right(self) {}
        fn method(self) {}
        fn callee(self) {}
        fn constant(self) {}
        fn result(self) {}
        fn operand(self) {}
        fn elements(self) -> std::iter::Empty<f32> {
            std::iter::empty()
        }
        fn values(self) -> std::iter::Empty<f32> {
            std::iter::empty()
        }
    }

    impl<T> Extensions for T {}
}

/// A module with these traits in scope.
pub mod extended_kernels {
    use cumbia::prelude::*;

    #[allow(unused_imports, reason = "none of its methods is to be found")]
    use super::extensions::Extensions;

    const FACTOR: f32 = 2.0;

    #[kernel]
    pub fn sums(x: &[f32], y: &mut [f32]) {
        let i = grid(1);
        let mut row = [x[i], 1.0, -FACTOR];
        for v in row.iter_mut() {
            *v *= FACTOR;
        }
        for &v in row.iter() {
            y[i] += v;
        }
        for v in row {
            y[i] += v.abs();
        }
        for v in x.iter().cloned() {
            y[i] += v;
        }
        for v in row.iter() {
            y[i] -= -*v;
        }
    }
}

fn extended(run: &mut Run<'_>) {
    let xs = [3.0f32, -1.5, 0.25, 8.0];
    let (x, mut y) = (run.array(&xs), run.zeros(xs.len()));
    run.launch(extended_kernels::sums(&x, &mut y).grid(1).block(xs.len()));
    let total: f32 = xs.iter().sum();
    run.expect("y", &y, &xs.map(|x| 2.0 * (2.0 * x + 2.0 - 4.0) + (2.0 * x).abs() + 6.0 + total));
}

/// Device functions that are in scope in other ways than by their own import.
pub mod reached {
    use cumbia::prelude::*;

    /// Has the name of a macro.
    #[device]
    pub fn line(v: u32) -> u32 {
        v + 1000
    }

    /// Has the name of a macro of the standard library.
    #[device]
    pub fn vec(v: u32) -> u32 {
        v + 2000
    }

    #[device]
    pub fn greater<T: Number>(a: T, b: T) -> T {
        if a > b { a } else { b }
    }
}

/// A kernel that calls functions which come by a glob, under another name, and from a block.
pub mod called_kernels {
    use cumbia::prelude::*;

    use super::reached::greater as max;
    use super::reached::*;

    /// Has the name of the type that stands for a function without `#[device]`.
    #[derive(Clone, Copy, DeviceType)]
    pub struct HostFunction {
        pub v: u32,
    }

    #[kernel]
    pub fn sums(y: &mut [u32]) {
        let function = HostFunction { v: 5 };
        y[0] = line(vec(max(y[0], function.v)));
    }

    #[device]
    fn paths(v: u32) -> u32 {
        v + 1
    }

    /// Has the name of a module of the standard library, functions with the name of the module and of its parent's, and an item with
    /// the name under which a call imports its function.
    pub mod mem {
        use cumbia::prelude::*;

        pub use super::super::reached::greater as renamed;

        #[device]
        pub fn mem(v: u32) -> u32 {
            super::paths(v) + self::swap(v)
        }

        #[device]
        pub(super) fn swap<T: Number>(v: T) -> T {
            v + v
        }

        #[device]
        pub fn __cumbia_host_function(v: u32) -> u32 {
            v + 10_000
        }
    }

    /// Has the name of an attribute of rustc.
    #[device]
    fn path(v: u32) -> u32 {
        v
    }

    #[deprecated]
    #[device]
    fn old(v: u32) -> u32 {
        path(v)
    }

    /// The levels of lints are those of the body, too.
    #[kernel]
    #[expect(deprecated, unused_variables)]
    pub fn by_paths(y: &mut [u32]) {
        let unused = y[0];
        let v = old(y[0]);
        y[1] = mem::mem(v) + self::mem::swap::<u32>(v);
        y[2] = mem::renamed(v, 7) + self::paths(v) + mem::__cumbia_host_function(v);
        y[3] = crate::resolution::called_kernels::mem::swap(v) + super::reached::greater(v, 20);
    }
}

fn called(run: &mut Run<'_>) {
    #[device]
    fn local(v: u32) -> u32 {
        v * 2
    }

    #[kernel]
    fn of_block(y: &mut [u32]) {
        y[0] = local(y[0]);
    }

    mod here {
        use cumbia::prelude::*;

        #[device]
        pub(super) fn local(v: u32) -> u32 {
            v * 3
        }
    }

    #[kernel]
    fn by_path_of_block(y: &mut [u32]) {
        y[4] = here::local(y[0]) + local(y[0]);
    }

    let mut y = run.array(&[3u32, 0, 0, 0, 0]);
    run.launch(called_kernels::by_paths(&mut y).grid(1).block(1));
    run.launch(by_path_of_block(&mut y).grid(1).block(1));
    run.launch(called_kernels::sums(&mut y).grid(1).block(1));
    run.launch(of_block(&mut y).grid(1).block(1));
    run.expect("y", &y, &[2 * (5 + 3000), 4 + 6 + 6, 7 + 4 + 10_003, 6 + 20, 9 + 6]);
}
