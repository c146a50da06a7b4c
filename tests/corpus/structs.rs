//! Structs: literals, functional updates, nested fields, fields of elements, generics; and layouts: every bit of an array of
//! structs must be transferred, whatever field order rustc chose.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use cumbia::Components;
use cumbia::intrinsics::*;
use cumbia::prelude::*;
use cumbia::unaligned::{self, Unaligned};

use crate::inputs::Random;
use crate::program::programs;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[&[Case]] =
    &[PROGRAMS, listed![layouts, by_value, fields_of_elements, invalid_bits, packed_records, references_to_nothing]];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        pub struct Point {
            pub x: i32,
            pub y: i64,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Pair<A: DeviceType, B: DeviceType> {
            first: A,
            second: B,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Tagged(pub u8, pub i64, pub bool);

        #[derive(Clone, Copy, DeviceType)]
        pub struct Deep {
            flag: bool,
            points: [Point; 3],
            inner: Pair<Tagged, [i16; 2]>,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Array<T: DeviceType, const N: usize> {
            items: [T; N],
        }

        #[device]
        impl PartialEq for Point {
            fn eq(&self, other: &Point) -> bool {
                self.x == other.x && self.y == other.y
            }
        }

        #[device]
        pub fn moved(p: Point, by: i32) -> Point {
            Point { x: p.x.wrapping_add(by), ..p }
        }

        #[device]
        pub fn swapped<A: DeviceType, B: DeviceType>(pair: Pair<A, B>) -> Pair<B, A> {
            let Pair { first, second } = pair;
            Pair { first: second, second: first }
        }

        #[device]
        pub fn deep(x: &[i32]) -> Deep {
            Deep {
                flag: x[0] > 2,
                points: [Point { x: x[1], y: x[2] as i64 }; 3],
                inner: Pair { first: Tagged(x[3] as u8, x[4] as i64, x[5] < 0), second: [x[6] as i16, x[7] as i16] },
            }
        }
    }

    fn literals(x: &[i32], y: &mut [i64]) {
        let (a, b) = (x[0], x[1] as i64);
        let p = Point { x: a, y: b };
        let q = Point { y: 7, x: x[2] };
        let y_ = 100;
        let r = Point { x: y_, ..q };
        let s = Point { ..p };
        y[0] = p.x as i64 + q.y;
        y[1] = r.x as i64 * 10 + r.y;
        y[2] = s.y - s.x as i64;
        y[3] = Point { x: 5, y: b }.y;
        y[4] = { Point { x: 5, y: 6 } }.x as i64;
    }

    /// The fields of a struct literal are evaluated in the order in which they are written.
    fn order_of_fields(x: &[i32], y: &mut [i64]) {
        let mut n = x[0] as i64 % 100;
        let p = Point { y: { n = n * 3 + 1; n }, x: { n = n * 5 + 2; n as i32 } };
        y[0] = p.x as i64;
        y[1] = p.y;
        y[2] = n;
        let t = Tagged({ n += 1; n as u8 }, { n += 10; n }, { n += 100; n % 2 == 0 });
        y[3] = t.0 as i64 + t.1 + t.2 as i64 + n;
    }

    fn copies(x: &[i32], y: &mut [i64]) {
        let mut p = Point { x: x[0], y: x[1] as i64 };
        let q = p;
        p.x = x[2];
        p.y += 5;
        let mut points = [p, q, p];
        points[1].x = 77;
        let whole = points;
        points[0] = q;
        points[2].y -= 1;
        y[0] = q.x as i64 + q.y;
        y[1] = whole[0].x as i64 + whole[1].x as i64 * 3 + whole[2].y;
        y[2] = points[0].y + points[1].x as i64 + points[2].y;
        y[3] = moved(p, 3).x as i64 + p.x as i64;
    }

    fn nested(x: &[i32], y: &mut [i64]) {
        let mut d = deep(x);
        d.points[1].x = x[0];
        d.points[(x[2] & 1) as usize + 1].y = 9;
        d.inner.first.1 ^= 0x55;
        d.inner.second[1] = d.inner.second[0] / 2;
        let Deep { flag, points: [a, b, c], inner: Pair { first: Tagged(tag, value, _), second } } = d;
        y[0] = flag as i64 + a.x as i64 + b.x as i64 + c.x as i64;
        y[1] = a.y + b.y * 2 + c.y * 4;
        y[2] = tag as i64 + value;
        y[3] = second[0] as i64 * 100 + second[1] as i64;
        d.inner.first = Tagged(1, 2, true);
        d.points[0] = moved(d.points[0], 10);
        y[4] = d.inner.first.0 as i64 + d.inner.first.1 + d.points[0].x as i64;
        y[5] = if d.inner.first.2 { 1 } else { 0 };
    }

    fn generics(x: &[i32], y: &mut [i64]) {
        let pair = Pair { first: x[0] as u8, second: Pair { first: x[1], second: x[2] > 0 } };
        let other = swapped(pair);
        let again = swapped(other.first);
        y[0] = other.second as i64;
        y[1] = again.first as i64 * 1000 + again.second as i64;
        let list = Array::<i64, 4> { items: [x[3] as i64, 2, 3, x[4] as i64] };
        let lists = Array { items: [list; 2] };
        y[2] = lists.items[1].items[3] + lists.items[0].items[0] + list.items.len() as i64;
        y[3] = Array { items: [1u8; 3] }.items[2] as i64;
    }

    fn branches(x: &[i32], y: &mut [i64]) {
        let p = if x[0] > 3 { Point { x: 1, y: 2 } } else if x[0] > 1 { moved(Point { x: 3, y: 4 }, x[1]) } else { Point { x: 0, y: 0 } };
        let mut best = p;
        for i in 1..8 {
            let candidate = Point { x: x[i], y: i as i64 };
            if candidate.x > best.x {
                best = candidate;
            }
        }
        let found = loop {
            if best.y > 4 {
                break Point { x: best.x, y: -1 };
            }
            best.y += 2;
        };
        y[0] = p.x as i64;
        y[1] = best.x as i64 * 10 + best.y;
        y[2] = found.x as i64 + found.y;
        y[3] = (p == best) as i64 + 2 * (best != found) as i64;
    }
}

/// A small field before a wide one.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
#[repr(C)]
pub struct Odd {
    a: u8,
    b: f64,
    c: bool,
    d: [u16; 3],
    e: i8,
}

/// The same fields, in the order of rustc's layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Sorted {
    a: u8,
    b: f64,
    c: bool,
    d: [u16; 3],
    e: i8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
#[repr(C, align(32))]
pub struct Aligned {
    a: i16,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
#[repr(align(8))]
pub struct SixteenBits(u16);

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub enum Phase {
    #[default]
    Gas,
    Liquid,
    Solid,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Nested<T: DeviceType> {
    flag: bool,
    outer: [[T; 2]; 2],
    phase: Phase,
    odd: Odd,
    short: SixteenBits,
    sorted: [Sorted; 2],
    one: [u8; 1],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Bytes {
    a: u8,
    b: u8,
    c: u8,
}

/// Random values of structs.
trait Any: DeviceType + Default {
    fn any(random: &mut Random) -> Self;
}

macro_rules! any {
    ($($ty:ty: $random:ident => $value:expr;)*) => {
        $(impl Any for $ty {
            fn any($random: &mut Random) -> Self {
                $value
            }
        })*
    };
}

any! {
    u16: random => random.bits() as u16;
    f32: random => random.unit() as f32;
    bool: random => random.bits() % 2 == 0;
    Phase: random => [Phase::Gas, Phase::Liquid, Phase::Solid][random.bits() as usize % 3];
    Odd: random => Odd {
        a: random.bits() as u8,
        b: random.unit(),
        c: Any::any(random),
        d: [(); 3].map(|()| Any::any(random)),
        e: random.bits() as i8,
    };
    Sorted: random => {
        let Odd { a, b, c, d, e } = Any::any(random);
        Sorted { a, b, c, d, e }
    };
    Aligned: random => Aligned { a: random.bits() as i16 };
    SixteenBits: random => SixteenBits(random.bits() as u16);
    Nested<f32>: random => nested_of(random);
    Nested<bool>: random => nested_of(random);
    Nested<Aligned>: random => nested_of(random);
    Bytes: random => Bytes { a: random.bits() as u8, b: random.bits() as u8, c: random.bits() as u8 };
    [Bytes; 2]: random => [Any::any(random), Any::any(random)];
}

fn nested_of<T: Any>(random: &mut Random) -> Nested<T> {
    Nested {
        flag: Any::any(random),
        outer: [(); 2].map(|()| [(); 2].map(|()| T::any(random))),
        phase: Any::any(random),
        odd: Any::any(random),
        short: Any::any(random),
        sorted: [(); 2].map(|()| Any::any(random)),
        one: [random.bits() as u8],
    }
}

/// Copies each element through shared memory and a local array, and inserts an argument that was passed by value.
#[kernel]
pub fn through<T: DeviceType>(one: T, x: &[T], y: &mut [T]) {
    let mut tile = shared::<[[T; 2]; 8]>();
    let (i, t) = (grid(1), thread_idx().x);
    tile[t][0] = x[i];
    tile[t][1] = one;
    sync_threads();
    let mut local = [one; 3];
    local[1] = tile[7 - t][0];
    local[2] = tile[(t + 1) % 8][1];
    y[2 * i] = local[1];
    y[2 * i + 1] = local[(i % 2) * 2];
}

fn layouts(run: &mut Run<'_>) {
    macro_rules! each {
        ($($ty:ty),*) => {$({
            let mut random = Random::new(4);
            let one = <$ty>::any(&mut random);
            let values = [(); 16].map(|()| <$ty>::any(&mut random));
            let (x, mut y) = (run.array(&values), run.zeros(32));
            run.launch(through(one, &x, &mut y).grid(2).block(8));
            let expected: Vec<$ty> = (0..32).map(|k| if k % 2 == 1 { one } else { values[k / 16 * 8 + 7 - k / 2 % 8] }).collect();
            run.expect(stringify!($ty), &y, &expected);
        })*};
    }
    each!(
        Odd,
        Sorted,
        Aligned,
        SixteenBits,
        Nested<f32>,
        Nested<bool>,
        Nested<Aligned>,
        Bytes,
        [Bytes; 2],
        Phase,
        bool
    );
}

/// Consecutive arguments of different alignment: structs and arrays.
#[kernel]
pub fn arguments(a: u8, b: Aligned, c: Bytes, d: Odd, e: [[i16; 2]; 3], f: Nested<f32>, y: &mut [f64]) {
    y[0] = a as f64;
    y[1] = b.a as f64;
    y[2] = c.a as f64 + 256.0 * c.b as f64 + 65536.0 * c.c as f64;
    y[3] = d.b;
    y[4] = d.d[2] as f64;
    y[5] = e[2][1] as f64 - e[0][1] as f64;
    y[6] = f.outer[1][0] as f64;
    y[7] = f.sorted[1].b;
    y[8] = f.one[0] as f64 + f.flag as u8 as f64 / 2.0;
    let last = [f; 2][1].odd;
    y[9] = last.e as f64;
}

fn by_value(run: &mut Run<'_>) {
    let mut random = Random::new(8);
    for _ in 0..4 {
        let (b, c, d, f) =
            (Aligned::any(&mut random), Bytes::any(&mut random), Odd::any(&mut random), nested_of(&mut random));
        let e = [[-5, 6], [7, 8], [9, random.bits() as i16]];
        let mut y = run.zeros(10);
        run.launch(arguments(200, b, c, d, e, f, &mut y).grid(1).block(1));
        let expected = [
            200.0,
            f64::from(b.a),
            f64::from(c.a) + 256.0 * f64::from(c.b) + 65536.0 * f64::from(c.c),
            d.b,
            f64::from(d.d[2]),
            f64::from(e[2][1]) - 6.0,
            f64::from(f.outer[1][0]),
            f.sorted[1].b,
            f64::from(f.one[0]) + f64::from(u8::from(f.flag)) / 2.0,
            f64::from(f.odd.e),
        ];
        run.expect("y", &y, &expected);
    }
}

/// Fields of elements in global and shared memory: reads, assignments and compound assignments.
#[kernel]
pub fn change(cells: &mut [Nested<f32>], out: &mut [i64]) {
    let mut tile = shared::<[Sorted; 4]>();
    let i = grid(1);
    tile[i].d[1] = cells[i].odd.d[1];
    tile[i].c = !cells[i].flag;
    tile[i].e = -3;
    tile[i].e += cells[i].odd.e / 2;
    sync_threads();
    cells[i].outer[1][0] *= 2.0;
    cells[i].outer[0][1] = cells[i].outer[1][0] + 1.0;
    cells[i].odd.a = cells[i].odd.a.wrapping_add(1);
    cells[i].phase = Phase::Solid;
    cells[i].sorted[i % 2].d[i % 3] ^= 0xff;
    cells[i].sorted[1].c = cells[i].odd.c;
    cells[i].short.0 <<= 3;
    out[i] = tile[3 - i].d[1] as i64 + tile[3 - i].c as i64 * 100_000 + tile[3 - i].e as i64 * 1_000_000;
}

fn fields_of_elements(run: &mut Run<'_>) {
    let mut random = Random::new(9);
    let before: [Nested<f32>; 4] = [(); 4].map(|()| nested_of(&mut random));
    let (mut cells, mut out) = (run.array(&before), run.zeros(4));
    run.launch(change(&mut cells, &mut out).grid(1).block(4));
    let mut after = before;
    for (i, cell) in after.iter_mut().enumerate() {
        cell.outer[1][0] *= 2.0;
        cell.outer[0][1] = cell.outer[1][0] + 1.0;
        cell.odd.a = cell.odd.a.wrapping_add(1);
        cell.phase = Phase::Solid;
        cell.sorted[i % 2].d[i % 3] ^= 0xff;
        cell.sorted[1].c = cell.odd.c;
        cell.short.0 <<= 3;
    }
    run.expect("cells", &cells, &after);
    let of = |cell: &Nested<f32>| {
        i64::from(cell.odd.d[1]) + i64::from(!cell.flag) * 100_000 + (i64::from(cell.odd.e / 2) - 3) * 1_000_000
    };
    let expected: Vec<i64> = before.iter().rev().map(of).collect();
    run.expect("out", &out, &expected);
}

/// Memory with bits that are invalid for `bool` or an enum: read as `true`, and on the host as the first variant.
#[kernel]
pub fn no_values(bits: &[u8], bools: &mut [bool], phases: &mut [Phase], structs: &mut [Nested<bool>], odd: &mut [u32]) {
    let mut raw = dynamic_shared::<u8>();
    for i in 0..bits.len() {
        raw[i] = bits[i];
    }
    let as_bools = dynamic_shared_at::<bool>(0, bits.len());
    let as_phases = dynamic_shared_at::<Phase>(0, bits.len());
    for i in 0..bits.len() {
        bools[i] = as_bools[i];
        phases[i] = as_phases[i];
        structs[0].outer[i / 2 % 2][i % 2] = as_bools[i];
        let both = as_bools[i] & true;
        odd[i] = as_bools[i] as u32 + 2 * both as u32 + 4 * (as_bools[i] == true) as u32;
        odd[i] += match as_phases[i] {
            Phase::Gas => 0,
            Phase::Liquid => 0,
            Phase::Solid => 0,
        };
    }
    structs[0].phase = as_phases[bits.len() - 1];
}

fn invalid_bits(run: &mut Run<'_>) {
    let bits = run.array(&[0u8, 1, 2, 255, 128, 3, 77]);
    let (mut bools, mut phases, mut structs, mut odd) = (run.zeros(7), run.zeros(7), run.zeros(1), run.zeros(7));
    run.launch(no_values(&bits, &mut bools, &mut phases, &mut structs, &mut odd).grid(1).block(1).shared_bytes(16));
    run.expect("bools", &bools, &[false, true, true, true, true, true, true]);
    let gas = Phase::Gas;
    run.expect("phases", &phases, &[gas, Phase::Liquid, Phase::Solid, gas, gas, gas, gas]);
    run.expect("odd", &odd, &[0, 7, 7, 7, 7, 7, 7]);
    // The seventh element is the last one written to the third.
    let expected = Nested { outer: [[true, true], [true, true]], ..Nested::default() };
    run.expect("structs", &structs, &[expected]);
}

/// A record without padding, of 39 bytes.
#[derive(Clone, Copy, Debug, Components, DeviceType)]
#[device(PartialEq)]
#[repr(C)]
pub struct Packed {
    a: u8,
    b: Unaligned<f64>,
    c: Unaligned<i16>,
    d: Unaligned<u64>,
    e: Unaligned<f16>,
    f: Unaligned<f32>,
    g: u8,
    h: Unaligned<isize>,
    i: [Unaligned<u16>; 2],
    j: Unaligned<i8>,
}

#[device]
fn next<T: unaligned::Bytes + Number>(value: Unaligned<T>) -> Unaligned<T> {
    Unaligned::new(value.get() + T::ONE)
}

/// Changes the fields in place, and those of copies in shared memory.
#[kernel]
pub fn packed(records: &mut [Packed], reversed: &mut [Packed], are_equal: &mut [bool]) {
    let i = thread_idx().x;
    let n = records.len();
    let mut tile = shared::<[Packed; 4]>();
    records[i].b = next(records[i].b);
    records[i].c = Unaligned::new(records[i].c.get().wrapping_sub(2));
    records[i].d = next(records[i].d);
    tile[i] = records[i];
    sync_threads();
    let mut record = tile[n - 1 - i];
    record.e = Unaligned::new(record.e.get() * f16::from_f32(2.0));
    record.f = next(record.f);
    record.h = next(record.h);
    record.i[1] = record.i[0];
    record.i[0] = next(record.i[0]);
    record.j = Unaligned::new(-record.j.get());
    are_equal[i] = record == reversed[i] || record.b == reversed[i].b;
    reversed[i] = record;
}

fn packed_records(run: &mut Run<'_>) {
    let record = |i: u32| Packed {
        a: i as u8,
        b: Unaligned::new(0.1 + f64::from(i)),
        c: Unaligned::new(i16::MIN + i as i16),
        d: Unaligned::new((1 << 63) + u64::from(i)),
        e: Unaligned::new(f16::from_f32(1.5 * i as f32)),
        f: Unaligned::new(-1.25 * i as f32),
        g: 255,
        h: Unaligned::new(-(i as isize) << 40),
        i: [Unaligned::new(0x1234), Unaligned::new(7)],
        j: Unaligned::new(i as i8 - 2),
    };
    let changed = |record: Packed| Packed {
        b: Unaligned::new(record.b.get() + 1.0),
        c: Unaligned::new(record.c.get().wrapping_sub(2)),
        d: Unaligned::new(record.d.get() + 1),
        ..record
    };
    let last = |record: Packed| Packed {
        e: Unaligned::new(record.e.get() * f16::from_f32(2.0)),
        f: Unaligned::new(record.f.get() + 1.0),
        h: Unaligned::new(record.h.get() + 1),
        i: [Unaligned::new(0x1235), Unaligned::new(0x1234)],
        j: Unaligned::new(-record.j.get()),
        ..record
    };
    let xs = [0, 1, 2, 3].map(record);
    // The second one is equal to what is written there, and the third one in a field only.
    let before = [record(9), last(changed(record(2))), changed(record(1)), record(9)];
    let (mut records, mut reversed, mut are_equal) = (run.array(&xs), run.array(&before), run.zeros(4));
    run.launch(packed(&mut records, &mut reversed, &mut are_equal).grid(1).block(4));
    run.expect("are equal", &are_equal, &[false, true, true, false]);
    run.expect("records", &records, &xs.map(changed));
    let mut expected = xs.map(changed).map(last);
    expected.reverse();
    run.expect("reversed", &reversed, &expected);
    assert_eq!((size_of::<Packed>(), align_of::<Packed>()), (39, 1));
}

/// A law of forces without parameters, and its use by references.
#[device]
pub trait Law {
    fn at(&self, x: f64) -> f64;

    fn twice(&self, x: f64) -> f64 {
        2.0 * Law::at(self, x)
    }

    fn count(&mut self) -> usize;
}

#[derive(Clone, Copy, DeviceType)]
pub struct Spring;

#[device]
impl Law for Spring {
    fn at(&self, x: f64) -> f64 {
        x + 1.0
    }

    fn count(&mut self) -> usize {
        7
    }
}

#[derive(Clone, Copy, DeviceType)]
pub struct Scaled<L: DeviceType> {
    law: L,
    by: f64,
}

#[device]
impl<L: Law + DeviceType> Law for Scaled<L> {
    fn at(&self, x: f64) -> f64 {
        self.by * self.law.at(x)
    }

    fn count(&mut self) -> usize {
        1 + self.law.count()
    }
}

#[device]
fn by_reference<L: Law + DeviceType>(law: &L, x: f64) -> f64 {
    law.at(x)
}

#[device]
fn counted<L: Law + DeviceType>(law: &mut L) -> usize {
    law.count()
}

#[device]
fn of_three<L: Law + DeviceType>(a: &L, b: &L, c: (&L, f64)) -> f64 {
    a.at(1.0) + 10.0 * b.at(2.0) + 100.0 * c.0.at(c.1)
}

#[kernel]
pub fn laws<L: Law + DeviceType>(law: L, y: &mut [f64], counts: &mut [usize]) {
    let (mut own, scaled) = (law, Scaled { law, by: 3.0 });
    let reference = &law;
    y[0] = by_reference(&law, 1.0);
    y[1] = Law::at(&own, 2.0);
    y[2] = reference.at(3.0);
    y[3] = by_reference(&scaled.law, scaled.by);
    y[4] = by_reference(&scaled, 4.0);
    y[5] = scaled.law.twice(5.0);
    y[6] = of_three(reference, &law, (&own, 6.0));
    y[7] = by_reference(&Scaled { law: own, by: 0.5 }.law, 7.0);
    counts[0] = counted(&mut own);
    let mut changed = scaled;
    counts[1] = counted(&mut changed.law) + counted(&mut changed);
    let other = &mut own;
    counts[2] = other.count();
}

fn references_to_nothing(run: &mut Run<'_>) {
    let (mut y, mut counts) = (run.zeros(8), run.zeros(3));
    run.launch(laws(Spring, &mut y, &mut counts).grid(1).block(1));
    run.expect("y", &y, &[2.0, 3.0, 4.0, 4.0, 15.0, 12.0, 732.0, 8.0]);
    run.expect("counts", &counts, &[7, 15, 7]);
    let law = Scaled { law: Spring, by: -1.0 };
    run.launch(laws(law, &mut y, &mut counts).grid(1).block(1));
    run.expect("y of a struct with a field", &y, &[-2.0, -3.0, -4.0, -4.0, -15.0, -12.0, -732.0, -8.0]);
    run.expect("counts of a struct with a field", &counts, &[8, 17, 8]);
}
