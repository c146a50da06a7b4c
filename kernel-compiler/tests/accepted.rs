//! Accepted programs: each language construct at least once, so that it is typed, validated and emitted.

mod common;

use cumbia_kernel_compiler::{Options, check, write};

#[track_caller]
fn accepts(text: &str) {
    let program = common::program(text, true);
    let validated = check(program).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    for bounds_checks in [true, false] {
        let source = write(&validated, &Options { bounds_checks, ..Options::default() });
        assert!(source.text.contains("__global__"));
        assert!(!source.text.contains("bug in Cumbia"), "{}", source.text);
    }
}

const POINT: &str = "
    struct Point { x: f32, y: f32 }
    impl Point {
        fn norm(&self) -> f32 { (self.x * self.x + self.y * self.y).sqrt() }
        fn scaled(self, by: f32) -> Point { Point { x: self.x * by, y: self.y * by } }
        fn grow(&mut self, by: f32) { self.x *= by; self.y *= by; }
        fn new(x: f32, y: f32) -> Point { Point { x, y } }
    }
    impl Add for Point { fn add(self, other: Point) -> Point { Point::new(self.x + other.x, self.y + other.y) } }
    impl Mul for Point { fn mul(self, by: f32) -> Point { self.scaled(by) } }
    impl Neg for Point { fn neg(self) -> Point { Point { x: -self.x, y: -self.y } } }
    impl AddAssign for Point { fn add_assign(&mut self, other: Point) { self.x += other.x; self.y += other.y; } }
    impl PartialEq for Point { fn eq(&self, other: &Point) -> bool { self.x == other.x && self.y == other.y } }
";

#[test]
fn structs() {
    accepts(&format!(
        "{POINT}
        struct Pair(i32, bool);
        struct Body {{ at: Point, history: [Point; 3], tag: Pair }}
        fn first(b: &Body) -> Point {{ b.history[0] }}
        fn k(p: Point, b: &mut [Body], out: &mut [f32]) {{
            let i = grid(1);
            let q = Point {{ x: 1.0, ..p }};
            let Point {{ x, y }} = q;
            let Pair(n, flag) = Pair(3, true);
            b[i].history[1].x = x + p.y;
            b[i].at = q;
            b[i].at.grow(2.0);
            b[i].tag.0 += n;
            b[i] = Body {{ at: first(&b[0]), ..b[1] }};
            let mut own = b[i];
            own.history[2] = first(&own);
            own.at.grow(y);
            out[i] = own.at.norm() + b[i].history[0].scaled(2.0).norm() + Point::new(1.0, 2.0).norm();
        }}"
    ));
}

#[test]
fn operators() {
    accepts(&format!(
        "{POINT}
        fn k(p: Point, out: &mut [Point], same: &mut [bool]) {{
            let mut q = -(p + p) * 2.0;
            q += out[0];
            out[1] += q;
            out[2] = out[0] + out[1];
            same[0] = q == p;
            same[1] = out[0] != out[1];
        }}"
    ));
}

#[test]
fn enums_and_matches() {
    accepts(
        "#[repr(i16)]
        enum Kind { Leaf = -1, Node, Root = 300 }
        const LIMIT: u32 = 7;
        struct Point { x: i32, y: i32 }
        struct Pair(u32, bool);
        fn weight(kind: Kind) -> u32 {
            match kind {
                Kind::Leaf | Kind::Root => 1,
                Kind::Node => 2,
            }
        }
        fn k(kinds: &mut [Kind], n: u32, p: Point, x: f32, out: &mut [u32]) {
            let kind = kinds[0];
            kinds[1] = Kind::Root;
            out[0] = weight(kind) + kind as u32;
            if kind == Kind::Node && kinds[1] != kind { return; }
            out[1] = match n {
                0 => 1,
                LIMIT => 2,
                1..=3 | 5 => 3,
                m @ 10..20 if m % 2 == 0 => m,
                100.. => { out[2] = 3; 4 }
                ..=50 => return,
                other => other,
            };
            out[2] = match (n, kind, x > 1.0) {
                (1 | 2, Kind::Leaf, _) | (_, Kind::Node, true) if n > 1 => 1,
                (_, Kind::Leaf, b) | (_, Kind::Root, b) if b => 2,
                _ => 3,
            };
            out[3] = match p {
                Point { x: 0, y } if y > 1 => 1,
                Point { x: -3..=3, .. } => 2,
                Point { .. } => 3,
            };
            out[4] = match Pair(n, true) { Pair(a, true) => a, Pair(..) => 1 };
            out[5] = match [n, n] { [0, b] => b, [a, _] => a };
            out[6] = match x { 0.0 => 1, -1.5..=2.5 => 2, _ => 3 };
            match n { 1 => println!(\"one\"), _ => {} }
        }",
    );
}

#[test]
fn arrays_and_references() {
    accepts(
        "fn sum(x: &[f32]) -> f32 { let mut s = 0.0; for v in x.iter() { s += *v; } s }
        fn bump(x: &mut f32) { *x += 1.0; }
        fn swap(x: &mut f32, y: &mut f32) { let t = *x; *x = *y; *y = t; }
        fn fill(x: &mut [f32; 4], v: f32) { x[0] = v; bump(&mut x[1]); for e in x.iter_mut() { bump(e); } }
        fn three() -> [f32; 3] { [1.0, 2.0, 3.0] }
        fn both(x: f32) -> (f32, [i32; 2]) { (x, [1, 2]) }
        fn k(x: &[f32], y: &mut [f32], grid2: &mut [[f32; 4]]) {
            let mut a = [0.0; 4];
            let nested = [[1u32; 2]; 3];
            let pairs = [(1u32, true), (2u32, false)];
            let none = [1.0; 0];
            fill(&mut a, 1.0);
            fill(&mut grid2[1], 2.0);
            grid2[2] = a;
            a = grid2[0];
            swap(&mut a[0], &mut y[1]);
            let (one, two) = both(sum(&a) + sum(&grid2[0]) + sum(&x[1..3]) + sum(&a[..2]) + sum(x) + sum(&y[1..=2]));
            let r = &mut y[3];
            *r = one + three()[2];
            bump(r);
            bump(&mut *r);
            let part = &mut y[1..];
            part[0] = x[nested[1][0] as usize];
            let (l, r) = part.split_at_mut(2);
            l[0] = r[0];
            let e = &y[1];
            *e = pairs[0].0 as f32;
            let row = &mut grid2[0];
            row[1] = 2.0;
            sum(row);
            y[two[0] as usize] = none.len() as f32;
        }",
    );
}

#[test]
fn views() {
    accepts(
        "fn row(v: ArrayView2<f32>, i: usize) -> f32 { v[[i, 0]] }
        fn k(a: ArrayView2<f32>, b: ArrayView3<f32>, c: ArrayViewMut2<f32>, d: ArrayViewMut1<f32>) {
            let (i, j) = grid(2);
            c[[i, j]] = a[[j, i]] + b[[i, j, 0]] + row(a, i) + row(c, j);
            c[[i, j]] += d[[0]] + d[i];
            d[j] = 1.0;
            for v in d.iter_mut() { *v = 1.0; }
            let at = [i, j];
            let r = &mut c[at];
            *r = 1.0;
        }",
    );
}

#[test]
fn loops_and_labels() {
    accepts(
        "fn k(x: &mut [i32], n: i32) {
            for i in (0..n).rev() { x[i as usize] = i; }
            for i in (0..10).step_by(3).rev() { x[i] += 1; }
            for i in (1..=n).rev().step_by(2) { x[0] += i; }
            #[unroll] for i in 0..4 { x[i] = 0; }
            #[unroll(2)] while x[0] < 3 { x[0] += 1; }
            for (i, v) in x.iter_mut().enumerate().rev() { *v = i as i32; }
            for &v in x { if v == 3 { break; } }
            for v in [1i32, 2] { x[0] = v; }
            for _ in x.iter() { continue; }
            let found = 'search: {
                for i in 0..3 { if x[i] == n { break 'search i; } }
                if n > 3 { break 'search 7; }
                9
            };
            let value = loop { if x[0] > 3 { break x[1]; } x[0] += 1; };
            let late: i32;
            if found > 3 { late = value; } else { late = 1; }
            let t: (i32, bool);
            t = (late, true);
            x[found] = t.0;
        }",
    );
}

#[test]
fn shared_memory_and_the_device() {
    accepts(
        "struct Cell { n: u32, live: bool }
        enum State { Off, On }
        fn load(tile: &mut [[f32; 4]; 4], x: &[f32]) { tile[thread_idx().y][thread_idx().x] = x[0]; }
        fn k(x: &[f32], hits: &mut [u32], on: bool) {
            let tile = shared::<[[f32; 4]; 4]>();
            let cells = shared::<[Cell; 4]>();
            let one = shared::<f32>();
            let states = shared::<[State; 2]>();
            *one = 1.0;
            load(tile, x);
            load(&mut tile, x);
            sync_threads();
            let row = tile[0];
            cells[0].n += row[1] as u32;
            cells[1] = Cell { n: 1, live: cells[0].live };
            let chosen = if on { &mut tile[0] } else { &mut tile[1] };
            chosen[0] = *one;
            states[0] = State::On;
            atomic_add(&mut cells[0].n, 1u32);
            atomic_max(&mut hits[0], hits.len() as u32);
            let old: u32 = atomic_cas(&mut hits[0], 1u32, 2u32);
            let cell = shfl_sync(0xffffffffu32, cells[0], 1);
            let v = shfl_xor_sync(0xffffffffu32, row[0], 1);
            let (mask, all): (u32, bool) = match_all_sync(0xffffffffu32, old);
            if ballot_sync(mask, all) == 0 { thread_fence(); }
        }",
    );
}

#[test]
fn messages() {
    accepts(
        "fn k(x: f32, n: i32, b: bool) {
            println!(\"{} {n:?} {1:.3} {{{b}}}\", n, x);
            print!(\"\");
            assert!(n > 0);
            assert!(b, \"{n}\");
            if x > 1.0 { panic!(\"{:#x} is not {}\", n, b); }
        }",
    );
}

#[test]
fn references_are_read_as_values() {
    accepts(
        "impl Half for f32 { fn half(self) -> f32 { self / 2.0 } fn halve(&mut self) { *self /= 2.0; } }
        fn k(x: &mut [f32]) {
            for v in x.iter_mut() { *v = v.half() + v.sqrt(); v.halve(); x[0].halve(); }
        }",
    );
}

#[test]
fn functions_in_cuda_c() {
    accepts(
        "#[cuda(\"return __brev(x);\")] fn reverse(x: u32) -> u32 { }
        fn k(x: &mut [u32]) { x[0] = reverse(x[1]); }",
    );
}

#[test]
fn linked_functions() {
    accepts(
        "#[link(\"reverse\")] fn reverse(x: u32) -> u32 { }
        fn k(x: &mut [u32]) { x[0] = reverse(x[1]); }",
    );
}

#[test]
fn diverging_expressions_have_every_type() {
    accepts(
        "fn f(n: i32) -> i32 { if n > 1 { return 1; } panic!(\"no\") }
        fn k(n: i32, x: &mut [i32]) {
            let v: i32 = match n { 0 => return, 1 => panic!(\"one\"), _ => 3 };
            let w: [i32; 2] = [v, return];
            let (a, b): (i32, i32) = return;
            x[0] = a + b + w[0] + f(v);
        }",
    );
}
