//! Arguments that consist of several: structs of arrays, views and values, tuples, and arrays of slices.

use cumbia::prelude::*;
use cumbia::{DeviceSlice, DeviceSliceMut};

use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    structs,
    generic,
    nested,
    methods_of_fields,
    methods_by_path,
    values,
    borrowed,
    tuples,
    arrays,
    selected,
    views,
    outside,
    functions,
    destructured,
    narrow,
    atomics,
    references,
    methods,
    called_on_host,
    reborrowed,
    aliased,
    in_macro
];

/// The particles of a simulation.
#[derive(KernelArgument)]
pub struct Particles<'a> {
    position: DeviceSliceMut<'a, f32>,
    velocity: DeviceSlice<'a, f32>,
    mass: &'a DeviceArray<f32>,
    forces: ArrayView2<'a, f32>,
    step: f32,
    reflect: bool,
}

#[kernel(fmad = false)]
pub fn advance(particles: Particles<'_>) {
    let i = grid(1);
    if i < particles.position.len() {
        let mut force = 0.0;
        for k in 0..particles.forces.ncols() {
            force += particles.forces[[i, k]];
        }
        let v = particles.velocity[i] + particles.step * force / particles.mass[i];
        particles.position[i] += if particles.reflect { -v } else { v };
    }
}

fn structs(run: &mut Run<'_>) {
    let mut random = Random::new(3);
    let n = 300;
    let (x, v, m) = (random.floats(n, 1.0), random.floats(n, 2.0), random.floats(n, 1.0));
    let f = random.floats(n * 4, 1.0);
    let m: Vec<f32> = m.iter().map(|m| m.abs() + 0.5).collect();
    for (reflect, transposed) in [(false, false), (true, true)] {
        let (mut position, velocity, mass, forces) = (run.array(&x), run.array(&v), run.array(&m), run.array(&f));
        let forces = forces.reshape(if transposed { (4, n) } else { (n, 4) }).unwrap();
        let particles = Particles {
            position: position.as_slice_mut(),
            velocity: velocity.as_slice(),
            mass: &mass,
            forces: if transposed { forces.t() } else { forces },
            step: 0.25,
            reflect,
        };
        run.launch(advance(particles).over(n));
        let at = |i: usize, k: usize| if transposed { f[k * n + i] } else { f[4 * i + k] };
        let expected: Vec<f32> = (0..n)
            .map(|i| {
                let v = v[i] + 0.25 * (0..4).fold(0.0, |sum, k| sum + at(i, k)) / m[i];
                x[i] + if reflect { -v } else { v }
            })
            .collect();
        run.expect("position", &position, &expected);
    }
}

/// A struct with type and const parameters, by position.
#[derive(KernelArgument)]
pub struct Pair<'a, T: DeviceType, const N: usize>(DeviceSlice<'a, [T; N]>, DeviceSliceMut<'a, T>, [usize; N]);

#[kernel]
pub fn gathered<T: Number, const N: usize>(pair: Pair<'_, T, N>) {
    let i = grid(1);
    if i < pair.1.len() {
        let mut sum = T::ZERO;
        for k in 0..N {
            sum += pair.0[i][pair.2[k]];
        }
        pair.1[i] = sum;
    }
}

fn generic(run: &mut Run<'_>) {
    let x = run.array(&[[1i64, 2, 3], [4, 5, 6], [7, 8, 9]]);
    let mut y = run.zeros(3);
    run.launch(gathered::<i64, 3>(Pair(x.as_slice(), y.as_slice_mut(), [0, 2, 0])).over(3));
    run.expect("y", &y, &[5, 14, 23]);
    let x = run.array(&[[0.5f64], [1.5]]);
    let mut y = run.zeros(2);
    run.launch(gathered(Pair(x.as_slice(), y.as_slice_mut(), [0])).over(2));
    run.expect("y", &y, &[0.5, 1.5]);
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct Cell {
    kind: u8,
    at: [i32; 2],
}

#[derive(KernelArgument)]
pub struct Grid<'a> {
    cells: DeviceSliceMut<'a, Cell>,
    width: usize,
}

#[derive(KernelArgument)]
pub struct World<'a> {
    grid: Grid<'a>,
    origin: Cell,
    limits: [[i32; 2]; 2],
    counts: [DeviceSliceMut<'a, u32>; 2],
}

/// Arguments in arguments, and structs and arrays of values in them.
#[kernel]
pub fn explored(mut world: World<'_>) {
    let i = grid(1);
    let cells = world.grid.cells;
    if i < cells.len() {
        cells[i].at[1] += world.origin.at[0] + (i / world.grid.width) as i32;
        world.grid.cells[i].kind += world.origin.kind;
        atomic_add(&mut world.counts[i % 2][i / 2], world.limits[1][i % 2] as u32);
        world.limits[0][1] = 7;
        world.origin.kind = 5;
        let limit = world.limits[0][1] + world.origin.kind as i32;
        atomic_add(&mut world.counts[1 - i % 2][i / 2], limit as u32 * 1000);
    }
}

fn nested(run: &mut Run<'_>) {
    let mut cells = run.array(&(0..6).map(|i| Cell { kind: i, at: [10, 20] }).collect::<Vec<_>>());
    let (mut a, mut b) = (run.zeros(3), run.zeros(3));
    let world = World {
        grid: Grid { cells: cells.as_slice_mut(), width: 4 },
        origin: Cell { kind: 2, at: [100, 0] },
        limits: [[1, 2], [3, 4]],
        counts: [a.as_slice_mut(), b.as_slice_mut()],
    };
    run.launch(explored(world).grid(6).block(1));
    let at = |i: u8| Cell { kind: i + 2, at: [10, 120 + i32::from(i / 4)] };
    run.expect("cells", &cells, &(0..6).map(at).collect::<Vec<_>>());
    run.expect("a", &a, &[12_003; 3]);
    run.expect("b", &b, &[12_004; 3]);
}

#[device]
impl Grid<'_> {
    /// Adds to the kind of a cell, and returns the width.
    pub fn raise(self, i: usize, by: &[u8], more: Cell) -> usize {
        self.cells[i].kind += by[i % by.len()] + more.kind;
        self.width
    }

    pub fn column(&self, i: usize) -> i32 {
        self.cells[i].at[0] + self.width as i32
    }
}

#[derive(KernelArgument)]
pub struct Worlds<'a> {
    world: World<'a>,
    grid: Grid<'a>,
}

#[device]
pub fn columns(worlds: &Worlds<'_>, i: usize) -> i32 {
    worlds.world.grid.column(i) + 100 * worlds.grid.column(i)
}

/// Methods of fields that are structs of arrays, by value and by reference, of a reference and of a variable.
#[kernel]
pub fn raised(worlds: Worlds<'_>, by: &[u8], y: &mut [i32]) {
    let i = grid(1);
    if i < y.len() {
        let width = worlds.world.grid.raise(i, by, worlds.world.origin);
        let inner = worlds.world;
        y[i] = (&worlds.grid).column(i) + 10 * inner.grid.column(i) + width as i32 + columns(&worlds, i);
        y[i] += worlds.world.counts[0].len() as i32 + worlds.grid.cells.len() as i32;
        let other = worlds.grid;
        other.raise(i, &by[1..], Cell { kind: 0, at: [0, 0] });
    }
}

fn methods_of_fields(run: &mut Run<'_>) {
    let cells = |at| (0..6).map(|i| Cell { kind: i, at: [at, 0] }).collect::<Vec<_>>();
    let (mut first, mut second) = (run.array(&cells(3)), run.array(&cells(5)));
    let (mut a, mut b, mut y) = (run.zeros(3), run.zeros(3), run.zeros(6));
    let by = run.array(&[10u8, 20]);
    let worlds = Worlds {
        world: World {
            grid: Grid { cells: first.as_slice_mut(), width: 4 },
            origin: Cell { kind: 2, at: [100, 0] },
            limits: [[1, 2], [3, 4]],
            counts: [a.as_slice_mut(), b.as_slice_mut()],
        },
        grid: Grid { cells: second.as_slice_mut(), width: 7 },
    };
    run.launch(raised(worlds, &by, &mut y).over(6));
    run.expect("y", &y, &[12 + 10 * 7 + 4 + 7 + 100 * 12 + 3 + 6; 6]);
    let kind = |i: u8| Cell { kind: i + 12 + 10 * (i % 2), at: [3, 0] };
    run.expect("first", &first, &(0..6).map(kind).collect::<Vec<_>>());
    run.expect("second", &second, &(0..6).map(|i| Cell { kind: i + 20, at: [5, 0] }).collect::<Vec<_>>());
}

/// An argument whose arrays are assigned to variables and exchanged.
#[kernel]
pub fn exchanged(mut pair: Grid<'_>, other: Grid<'_>, swap: bool) {
    let chosen = if swap { other } else { pair };
    let i = grid(1);
    if i < chosen.cells.len() {
        chosen.cells[i].kind += chosen.width as u8;
    }
    if swap {
        pair.width += 10;
        pair.cells = other.cells;
    }
    if i < pair.cells.len() {
        pair.cells[i].at = [pair.width as i32, i as i32];
    }
}

fn values(run: &mut Run<'_>) {
    for swap in [false, true] {
        let cells = [Cell { kind: 1, at: [0, 0] }; 2];
        let (mut a, mut b) = (run.array(&cells), run.array(&cells));
        let first = Grid { cells: a.as_slice_mut(), width: 3 };
        let second = Grid { cells: b.as_slice_mut(), width: 5 };
        run.launch(exchanged(first, second, swap).over(2));
        let written = |i: i32| Cell { kind: if swap { 6 } else { 4 }, at: [if swap { 13 } else { 3 }, i] };
        let (changed, same) = if swap { (&b, &a) } else { (&a, &b) };
        run.expect("changed", changed, &[written(0), written(1)]);
        run.expect("same", same, &cells);
    }
}

#[device]
pub fn set(flag: &mut bool, to: bool) -> bool {
    let before = *flag;
    *flag = to;
    before
}

#[device]
pub fn bump(value: &mut f32, by: &f32) {
    *value += *by;
}

#[device]
pub fn reflects(particles: Particles<'_>) -> f32 {
    if particles.reflect { 1.0 } else { 0.0 }
}

/// References to the values of an argument.
#[kernel]
pub fn changed(mut particles: Particles<'_>, y: &mut [f32]) {
    let before = set(&mut particles.reflect, true);
    y[0] = before as u8 as f32 + 2.0 * particles.reflect as u8 as f32;
    bump(&mut particles.step, &particles.velocity[1]);
    y[1] = particles.step;
    let step = &particles.step;
    y[2] = *step + particles.velocity[1..].len() as f32;
    let copy = particles;
    particles.reflect = false;
    y[3] = reflects(copy) + 2.0 * reflects(particles);
}

fn borrowed(run: &mut Run<'_>) {
    let (mut position, velocity, mass) = (run.zeros(1), run.array(&[0.5, 1.5, 2.5]), run.zeros(1));
    let forces = run.zeros(0);
    let mut y = run.zeros(4);
    let particles = Particles {
        position: position.as_slice_mut(),
        velocity: velocity.as_slice(),
        mass: &mass,
        forces: forces.reshape((0, 3)).unwrap(),
        step: 2.0,
        reflect: false,
    };
    run.launch(changed(particles, &mut y).grid(1).block(1));
    run.expect("y", &y, &[2.0, 3.5, 5.5, 1.0]);
}

/// Tuples of arguments.
#[kernel]
pub fn added(inputs: (&[i32], ArrayView1<i32>, i32), output: (&mut [i32], (u8, bool))) {
    let (x, y, by) = inputs;
    let i = grid(1);
    if i < output.0.len() {
        let (times, negated) = output.1;
        let v = x[i] + y[i] * by * times as i32;
        output.0[i] = if negated { -v } else { v };
    }
}

fn tuples(run: &mut Run<'_>) {
    let (x, y) = (run.array(&[1, 2, 3]), run.array(&[10, 20, 30, 40]));
    let mut z = run.zeros(3);
    let view = y.reshape((2, 2)).unwrap().t().row(0).unwrap();
    let every = y.reshape(4).unwrap().slice(1..).unwrap();
    run.launch(added((&x, every, 2), (&mut z, (3, true))).over(3));
    run.expect("z", &z, &[-121, -182, -243]);
    let mut short = run.zeros(2);
    run.launch(added((&x, view, 1), (&mut short, (1, false))).over(2));
    run.expect("short", &short, &[11, 32]);
}

#[device]
pub fn sum(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for v in x {
        sum += *v;
    }
    sum
}

/// Arrays of slices, with indices that are constant, of a loop, and of a thread.
#[kernel]
pub fn planes(xs: [&[f64]; 3], ys: [&mut [f64]; 2]) {
    let i = grid(1);
    if i < ys[0].len() {
        let mut all = 0.0;
        for k in 0..xs.len() {
            all = all * 2.0 + xs[k][i];
        }
        ys[0][i] = all + xs[2][0];
        let which = xs[i % 3];
        ys[1][i] += which[i] + sum(&xs[(i + 1) % 3][1..]) + sum(xs[0]);
        for x in xs {
            ys[1][i] += x[x.len() - 1];
        }
        ys[i % 2][i] += 0.5;
    }
}

fn arrays(run: &mut Run<'_>) {
    let values: Vec<Vec<f64>> = (0..3).map(|k| (0..5).map(|i| f64::from(10 * k + i)).collect()).collect();
    let xs: Vec<_> = values.iter().map(|values| run.array(values)).collect();
    let (mut a, mut b) = (run.zeros(5), run.array(&[1.0; 5]));
    run.launch(planes([&xs[0], &xs[1], &xs[2]], [&mut a, &mut b]).over(5));
    let half = |odd: usize, i: usize| if i % 2 == odd { 0.5 } else { 0.0 };
    let first = |i: usize| values.iter().fold(0.0, |all, x| all * 2.0 + x[i]) + values[2][0] + half(0, i);
    let of = |x: &[f64]| x.iter().sum::<f64>();
    let second = |i: usize| {
        let ends: f64 = values.iter().map(|x| x[4]).sum();
        1.0 + values[i % 3][i] + of(&values[(i + 1) % 3][1..]) + of(&values[0]) + ends + half(1, i)
    };
    run.expect("a", &a, &(0..5).map(first).collect::<Vec<_>>());
    run.expect("b", &b, &(0..5).map(second).collect::<Vec<_>>());
}

#[derive(KernelArgument)]
pub struct Banks<'a> {
    values: [DeviceSliceMut<'a, i32>; 3],
    scales: [i16; 3],
    shifts: [[i32; 2]; 3],
    which: DeviceSlice<'a, u32>,
}

/// Arrays of slices and of values, selected by an index in memory.
#[kernel]
pub fn banked(banks: Banks<'_>) {
    let i = grid(1);
    if i < banks.which.len() {
        let which = banks.which[i] as usize;
        let values = banks.values[which];
        values[i] = values[i] * banks.scales[which] as i32 + banks.shifts[which][i % 2];
        banks.values[1][i] += banks.scales[i % 3] as i32;
    }
}

fn selected(run: &mut Run<'_>) {
    let which = run.array(&[2u32, 0, 2, 0]);
    let start: Vec<i32> = (0..4).map(|i| i + 1).collect();
    let mut arrays = [run.array(&start), run.array(&start), run.array(&start)];
    let banks = Banks {
        values: arrays.each_mut().map(DeviceArray::as_slice_mut),
        scales: [2, 3, -5],
        shifts: [[10, 20], [30, 40], [50, 60]],
        which: which.as_slice(),
    };
    run.launch(banked(banks).over(4));
    run.expect("a", &arrays[0], &[1, 24, 3, 28]);
    run.expect("b", &arrays[1], &[3, 5, -2, 6]);
    run.expect("c", &arrays[2], &[45, 2, 35, 4]);
}

/// Arrays of views, of which some are strided.
#[kernel]
pub fn stacked(levels: [ArrayView2<u32>; 2], mut to: (ArrayViewMut1<u32>, ArrayView0<u32>)) {
    let i = grid(1);
    if i < to.0.len() {
        let level = levels[i % 2];
        let row = level.row(i / 2);
        to.0[i] = row[1] + level[[0, 0]] * 10 + levels[1].ncols() as u32 * 100 + to.1[[]];
        let tail = &mut to.0[i..];
        tail[0] += 5000;
    }
}

fn views(run: &mut Run<'_>) {
    let values: Vec<u32> = (1..=12).collect();
    let (x, one) = (run.array(&values), run.array(&[100_000]));
    let mut y = run.zeros(6);
    for transposed in [false, true] {
        let second = x.reshape((4, 3)).unwrap();
        let second = if transposed { second.t() } else { second };
        let levels = [x.reshape((3, 4)).unwrap(), second];
        let to = (y.reshape_mut(6).unwrap(), one.reshape(()).unwrap());
        run.launch(stacked(levels, to).over(6));
        let at = |i: usize| {
            let (row, columns) = (i / 2, if transposed { 4 } else { 3 });
            let element = match (i % 2, transposed) {
                (0, _) => values[4 * row + 1],
                (_, false) => values[3 * row + 1],
                (_, true) => values[3 + row],
            };
            element + 10 + columns * 100 + 105_000
        };
        run.expect("y", &y, &(0..6).map(at).collect::<Vec<_>>());
    }
}

/// Indices out of bounds, of an array of slices and of its elements.
#[kernel]
pub fn element(xs: [&[u32]; 2], grid: Grid<'_>, k: usize, i: usize, y: &mut [u32]) {
    y[0] = 1;
    let x = xs[k];
    y[0] = 2;
    y[1] = x[i];
    y[0] = 3;
    y[1] += grid.cells[i].kind as u32;
}

fn outside(run: &mut Run<'_>) {
    let (a, b) = (run.array(&[1, 2, 3]), run.array(&[4, 5]));
    for (k, i, reached) in [(0, 1, 4), (1, 1, 4), (2, 0, 1), (usize::MAX, 0, 1), (0, 3, 2), (1, 2, 2), (0, 2, 3)] {
        let mut cells = run.array(&[Cell { kind: 100, at: [0, 0] }; 2]);
        let mut y = run.zeros(2);
        let grid = Grid { cells: cells.as_slice_mut(), width: 1 };
        if reached == 4 {
            run.launch(element([&a, &b], grid, k, i, &mut y).grid(1).block(1));
            run.expect("y", &y, &[3, if k == 0 { 102 } else { 105 }]);
        } else {
            run.expect_fault("outside", |run| run.launch(element([&a, &b], grid, k, i, &mut y).grid(1).block(1)));
            run.expect("y", &y, &[reached, if reached == 3 { 3 } else { 0 }]);
        }
    }
}

#[device]
pub fn total(world: World<'_>, factor: u32) -> u32 {
    world.counts[0][0] + factor * world.counts[1][0] + wide(world.grid) + last(world.counts)
}

#[device]
pub fn wide(grid: Grid<'_>) -> u32 {
    (grid.width * grid.cells.len()) as u32
}

#[device]
pub fn last(xs: [&[u32]; 2]) -> u32 {
    xs[1][xs[1].len() - 1]
}

#[device]
pub fn put(pair: (&mut [u32], &[u32]), at: usize, scale: &mut u32) {
    pair.0[at] = pair.1[at] * *scale;
    *scale += 1;
}

/// Arguments of device functions.
#[kernel]
pub fn passed(world: World<'_>, y: &mut [u32]) {
    let mut scale = 3;
    y[0] = total(world, 2);
    put((&mut y[1..], world.counts[1]), 0, &mut scale);
    put((&mut y[..], world.counts[0]), 2, &mut scale);
    y[3] = scale;
}

fn functions(run: &mut Run<'_>) {
    let mut cells = run.array(&[Cell { kind: 0, at: [0, 0] }; 3]);
    let (mut a, mut b, mut y) = (run.array(&[5, 6, 7]), run.array(&[8, 9]), run.zeros(4));
    let world = World {
        grid: Grid { cells: cells.as_slice_mut(), width: 4 },
        origin: Cell { kind: 2, at: [100, 0] },
        limits: [[1, 2], [3, 4]],
        counts: [a.as_slice_mut(), b.as_slice_mut()],
    };
    run.launch(passed(world, &mut y).grid(1).block(1));
    run.expect("y", &y, &[5 + 16 + 12 + 9, 24, 28, 5]);
}

/// Arguments that are destructured.
#[kernel]
pub fn parts(world: World<'_>, pair: Pair<'_, u32, 1>, y: &mut [u32]) {
    let World { grid: Grid { cells, mut width }, limits: [[low, _], _], counts, .. } = world;
    width += 1;
    y[0] = cells[0].kind as u32 + width as u32 + low as u32 + counts[1][0];
    let Pair(x, to, [which]) = pair;
    to[0] = x[0][0] + which as u32;
    let Pair(again, ..) = pair;
    y[1] = again[1][which];
}

fn destructured(run: &mut Run<'_>) {
    let mut cells = run.array(&[Cell { kind: 9, at: [0, 0] }]);
    let (mut a, mut b, mut y) = (run.array(&[5]), run.array(&[8]), run.zeros(2));
    let (x, mut to) = (run.array(&[[30], [40]]), run.zeros(1));
    let world = World {
        grid: Grid { cells: cells.as_slice_mut(), width: 4 },
        origin: Cell { kind: 2, at: [100, 0] },
        limits: [[1, 2], [3, 4]],
        counts: [a.as_slice_mut(), b.as_slice_mut()],
    };
    run.launch(parts(world, Pair(x.as_slice(), to.as_slice_mut(), [0]), &mut y).grid(1).block(1));
    run.expect("y", &y, &[9 + 5 + 1 + 8, 40]);
    run.expect("to", &to, &[30]);
}

#[derive(KernelArgument)]
pub struct Window<'a> {
    x: DeviceSlice<'a, f32>,
    start: usize,
    len: usize,
}

/// Structs and tuples in a kernel with 32-bit indices.
#[kernel(index = u32)]
pub fn narrowed(window: Window<'_>, limits: (usize, &mut [f32]), sizes: &mut [u32]) {
    let i = grid(1);
    if i < window.len && i < limits.1.len() {
        limits.1[i] = window.x[window.start + i % limits.0];
        sizes[i] = (window.x.len() * window.len + i) as u32;
    }
}

fn narrow(run: &mut Run<'_>) {
    let x = run.array(&[0.0, 1.0, 2.0, 3.0, 4.0]);
    let (mut y, mut sizes) = (run.zeros(4), run.zeros(4));
    let window = Window { x: x.as_slice(), start: 2, len: 3 };
    run.launch(narrowed(window, (2, &mut y), &mut sizes).over(4));
    run.expect("y", &y, &[2.0, 3.0, 2.0, 0.0]);
    run.expect("sizes", &sizes, &[15, 16, 17, 0]);
}

#[derive(KernelArgument)]
pub struct Counters<'a> {
    counts: [DeviceSliceMut<'a, u32>; 2],
    total: ArrayViewMut0<'a, u64>,
}

/// Atomic operations on arrays of an argument, also in a device function and through a variable.
#[kernel]
pub fn counted(x: &[u8], counters: Counters<'_>) {
    let i = grid(1);
    if i < x.len() {
        let of_parity = counters.counts[i % 2];
        atomic_add(&mut of_parity[x[i] as usize], 1);
        atomic_add(&mut counters.counts[0][3], 2);
        count_all(counters, x[i] as u64);
    }
}

#[device]
pub fn count_all(counters: Counters<'_>, by: u64) {
    let mut total = counters.total;
    atomic_add(&mut total[[]], by);
}

fn atomics(run: &mut Run<'_>) {
    let x: Vec<u8> = Random::new(5).below(200, 3).iter().map(|&v| v as u8).collect();
    let values = run.array(&x);
    let (mut even, mut odd, mut total) = (run.zeros(4), run.zeros(3), run.zeros(1));
    let counters =
        Counters { counts: [even.as_slice_mut(), odd.as_slice_mut()], total: total.reshape_mut(()).unwrap() };
    run.launch(counted(&values, counters).over(200));
    let of = |parity: usize, value: u8| x.iter().skip(parity).step_by(2).filter(|&&v| v == value).count() as u32;
    run.expect("even", &even, &[of(0, 0), of(0, 1), of(0, 2), 400]);
    run.expect("odd", &odd, &[of(1, 0), of(1, 1), of(1, 2)]);
    run.expect("total", &total, &[x.iter().map(|&v| u64::from(v)).sum()]);
}

#[device]
pub fn kinetic(particles: &Particles<'_>, i: usize) -> f32 {
    let v = particles.velocity[i];
    0.5 * particles.mass[i] * v * v
}

#[device]
pub fn all_kinetic(particles: &Particles<'_>, from: usize) -> f32 {
    let mut sum = 0.0;
    for i in from..particles.velocity.len() {
        sum += kinetic(particles, i);
    }
    sum + particles.position[0] * particles.step
}

#[device]
pub fn area(grid: &Grid<'_>) -> usize {
    grid.width * grid.cells.len() + grid.cells[0].kind as usize
}

#[device]
pub fn described(world: &World<'_>, at: usize) -> u32 {
    let counts = world.counts;
    area(&world.grid) as u32 + counts[at][0] + last(world.counts) + world.limits[1][at] as u32
}

/// References to arguments, to arguments in them, and to copies of them.
#[kernel]
pub fn referenced(mut particles: Particles<'_>, world: World<'_>, y: &mut [f32], z: &mut [u32]) {
    let shared = &particles;
    y[0] = kinetic(shared, 1);
    y[1] = all_kinetic(&particles, 1);
    particles.step = 10.0;
    particles.position[0] += 1.0;
    y[2] = all_kinetic(&particles, 2);
    y[3] = shared.step;
    let copy = particles;
    y[4] = kinetic(&copy, 0) + kinetic(if y[0] > 0.0 { &copy } else { shared }, 2);
    z[0] = described(&world, 1);
    world.grid.cells[0].kind += 1;
    z[1] = area(&world.grid) as u32;
    let grid = world.grid;
    z[2] = area(&grid) as u32;
}

fn references(run: &mut Run<'_>) {
    let (mut position, velocity) = (run.array(&[4.0]), run.array(&[2.0, 4.0, 6.0]));
    let (mass, forces) = (run.array(&[1.0, 0.5, 2.0]), run.zeros(0));
    let mut cells = run.array(&[Cell { kind: 7, at: [0, 0] }; 3]);
    let (mut a, mut b) = (run.array(&[5, 6]), run.array(&[8, 9]));
    let (mut y, mut z) = (run.zeros(5), run.zeros(3));
    let particles = Particles {
        position: position.as_slice_mut(),
        velocity: velocity.as_slice(),
        mass: &mass,
        forces: forces.reshape((0, 3)).unwrap(),
        step: 0.5,
        reflect: false,
    };
    let world = World {
        grid: Grid { cells: cells.as_slice_mut(), width: 4 },
        origin: Cell { kind: 2, at: [100, 0] },
        limits: [[1, 2], [3, 4]],
        counts: [a.as_slice_mut(), b.as_slice_mut()],
    };
    run.launch(referenced(particles, world, &mut y, &mut z).grid(1).block(1));
    run.expect("y", &y, &[4.0, 4.0 + 36.0 + 2.0, 36.0 + 50.0, 0.5, 2.0 + 36.0]);
    run.expect("z", &z, &[19 + 8 + 9 + 4, 20, 20]);
}

#[device]
impl<'a> Grid<'a> {
    /// The cell in a row and a column, with its kind.
    pub fn kind(&self, row: usize, column: usize) -> u8 {
        self.cells[self.index(row, column)].kind
    }

    pub fn index(&self, row: usize, column: usize) -> usize {
        row * self.width + column
    }

    pub fn set(self, row: usize, column: usize, kind: u8) {
        self.cells[self.index(row, column)].kind = kind;
    }

    /// An index in three grids of the same width.
    pub fn indices(&self, second: &Self, third: Self, row: usize) -> usize {
        self.index(row, 1) + second.index(row, 0) + third.index(0, row)
    }

    pub fn offset(by: i32) -> i32 {
        by + Self::BASE
    }

    const BASE: i32 = 40;
}

#[device]
impl<T: Number, const N: usize> Pair<'_, T, N> {
    pub fn dot(&self, i: usize, weights: [T; N]) -> T {
        let mut sum = T::ZERO;
        for k in 0..N {
            sum += self.0[i][k] * weights[k];
        }
        sum
    }
}

#[device]
pub fn doubled(grid: &Grid<'_>, row: usize) -> u32 {
    2 * grid.kind(row, 1) as u32
}

/// Methods of arguments, by value, by reference and by path, in kernels, in device functions and in each other.
#[kernel]
pub fn surveyed(grid: Grid<'_>, pair: Pair<'_, i32, 2>, y: &mut [u32]) {
    let i = thread_idx().x;
    if i < 2 {
        y[i] = grid.kind(i, 1) as u32;
        grid.set(i, 0, 50 + i as u8);
        y[i] += doubled(&grid, i) * 1000;
        let copy = grid;
        copy.set(i, 1, 60);
        y[i + 2] = Grid::kind(&copy, i, 0) as u32 + (&grid).index(i, 3) as u32 * 1000;
        let shared = &copy;
        y[i + 4] = shared.kind(i, 1) as u32 + Grid::offset(i as i32) as u32 * 1000;
        y[i + 4] += shared.indices(&grid, copy, i) as u32 * 100_000;
        pair.1[i] = pair.dot(i, [1, 10]);
    }
}

/// Methods of a field that is a struct of arrays, and of a copy of it, by path.
#[kernel]
pub fn surveyed_by_path(world: World<'_>, y: &mut [u32]) {
    let i = thread_idx().x;
    let copy = world.grid;
    y[i] = Grid::kind(&world.grid, i, 1) as u32 + 1000 * Grid::kind(&copy, 1 - i, 0) as u32;
    y[i + 2] = Grid::index(&world.grid, i, 3) as u32 + doubled(&copy, i);
}

fn methods_by_path(run: &mut Run<'_>) {
    let mut cells = run.array(&(0..4).map(|i| Cell { kind: i, at: [0, 0] }).collect::<Vec<_>>());
    let (mut a, mut b, mut y) = (run.array(&[5]), run.array(&[8]), run.zeros(4));
    let world = World {
        grid: Grid { cells: cells.as_slice_mut(), width: 2 },
        origin: Cell { kind: 2, at: [100, 0] },
        limits: [[1, 2], [3, 4]],
        counts: [a.as_slice_mut(), b.as_slice_mut()],
    };
    run.launch(surveyed_by_path(world, &mut y).grid(1).block(2));
    run.expect("y", &y, &[2001, 3, 3 + 2, 5 + 6]);
}

fn methods(run: &mut Run<'_>) {
    let mut cells = run.array(&(0..4).map(|i| Cell { kind: i, at: [0, 0] }).collect::<Vec<_>>());
    let (x, mut to, mut y) = (run.array(&[[1, 2], [3, 4]]), run.zeros(2), run.zeros(6));
    let grid = Grid { cells: cells.as_slice_mut(), width: 2 };
    run.launch(surveyed(grid, Pair(x.as_slice(), to.as_slice_mut(), [0, 0]), &mut y).grid(1).block(2));
    run.expect("y", &y, &[2_001, 6_003, 3_050, 5_051, 140_060, 641_060]);
    run.expect("to", &to, &[21, 43]);
    let kinds = [50, 60, 51, 60].map(|kind| Cell { kind, at: [0, 0] });
    run.expect("cells", &cells, &kinds);
}

/// Device functions and methods that take references to arguments, called by the host with arrays of the CPU.
fn called_on_host(run: &mut Run<'_>) {
    let device = Device::cpu();
    let mut cells = device.to_device(&[Cell { kind: 7, at: [0, 0] }; 3]).unwrap();
    let (mut a, mut b) = (device.to_device(&[5, 6]).unwrap(), device.to_device(&[8, 9]).unwrap());
    let world = World {
        grid: Grid { cells: cells.as_slice_mut(), width: 4 },
        origin: Cell { kind: 2, at: [100, 0] },
        limits: [[1, 2], [3, 4]],
        counts: [a.as_slice_mut(), b.as_slice_mut()],
    };
    let results = [described(&world, 0), world.grid.kind(0, 2).into(), world.grid.index(1, 1) as u32];
    let results = run.array(&results);
    run.expect("results", &results, &[19 + 5 + 9 + 3, 7, 5]);
    let World { grid, .. } = world;
    grid.set(0, 1, 9);
    let cells = run.array(&cells.to_host().unwrap());
    run.expect("cells", &cells, &[7, 9, 7].map(|kind| Cell { kind, at: [0, 0] }));
}

/// A step of a simulation, launched repeatedly with the same struct.
fn reborrowed(run: &mut Run<'_>) {
    let (mut position, velocity, mass) = (run.zeros(2), run.array(&[1.0, -2.0]), run.array(&[1.0, 1.0]));
    let forces = run.zeros(0);
    let mut particles = Particles {
        position: position.as_slice_mut(),
        velocity: velocity.as_slice(),
        mass: &mass,
        forces: forces.reshape((2, 0)).unwrap(),
        step: 0.25,
        reflect: false,
    };
    for step in 0..4 {
        particles.reflect = step == 3;
        run.launch(advance(particles.reborrow()).over(2));
    }
    run.expect("position", &position, &[2.0, -4.0]);
    let (x, mut y) = (run.array(&[[1], [2]]), run.zeros(2));
    let mut pair = Pair(x.as_slice(), y.as_slice_mut(), [0]);
    run.launch(gathered::<i64, 1>(pair.reborrow()).over(2));
    run.launch(gathered(pair).over(1));
    run.expect("y", &y, &[1, 2]);
    let mut arrays = [run.array(&[1]), run.array(&[2]), run.array(&[3])];
    let which = run.array(&[1, 0]);
    let mut banks = Banks {
        values: arrays.each_mut().map(DeviceArray::as_slice_mut),
        scales: [1, 1, 1],
        shifts: [[1, 0]; 3],
        which: which.slice(..1).unwrap(),
    };
    for _ in 0..3 {
        run.launch(banked(banks.reborrow()).over(1));
    }
    run.expect("b", &arrays[1], &[8]);
}

#[device]
pub fn both(a: &mut f32, b: &mut f32) -> f32 {
    *a = 1.0;
    *b = 2.0;
    let read = *a;
    *a += 10.0;
    read + *b
}

#[device]
pub fn all(cell: &mut Cell, kind: &mut u8, at: &mut [i32; 2]) -> i32 {
    cell.kind = 1;
    *kind = 2;
    let read = cell.kind as i32;
    *cell = Cell { kind: 3, at: [4, 5] };
    at[1] += read;
    cell.at[1] * 10 + *kind as i32
}

#[device]
pub fn shifted(from: &[f32], to: &mut [f32], other: &mut [f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..to.len() {
        to[i] = from[i] + 1.0;
        other[0] *= 2.0;
        sum += from[i + 1];
    }
    sum
}

/// Several mutable references to one place, which rustc would reject and a kernel may have. All accesses happen in the order
/// of the program.
#[kernel]
pub fn aliases(x: &mut [f32], cells: &mut [Cell], y: &mut [f32], z: &mut [i32]) {
    y[0] = both(&mut x[0], &mut x[0]);
    let (first, second) = (&mut x[1], &mut x[1]);
    *first = 5.0;
    *second += 1.0;
    y[1] = *first;
    z[0] = all(&mut cells[0], &mut cells[0].kind, &mut cells[0].at);
    y[2] = shifted(&x[2..], &mut x[3..6], &mut x[5..]);
    let same = &x[6..];
    x[6] = 9.0;
    y[3] = same[0];
    let tile = shared::<[f32; 4]>();
    tile[1] = 3.0;
    y[4] = both(&mut tile[1], &mut tile[1]) + tile[1];
}

fn aliased(run: &mut Run<'_>) {
    let mut x = run.array(&[0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let mut cells = run.array(&[Cell { kind: 0, at: [0, 0] }]);
    let (mut y, mut z) = (run.zeros(5), run.zeros(1));
    run.launch(aliases(&mut x, &mut cells, &mut y, &mut z).grid(1).block(1));
    run.expect("x", &x, &[12.0, 6.0, 1.0, 2.0, 3.0, 8.0, 9.0]);
    run.expect("cells", &cells, &[Cell { kind: 3, at: [4, 7] }]);
    run.expect("y", &y, &[2.0 + 12.0, 6.0, 2.0 + 3.0 + 8.0, 9.0, 14.0 + 12.0]);
    run.expect("z", &z, &[73]);
}

/// Declares an argument and a kernel, given the types of the fields.
macro_rules! argument {
    ($name:ident, $kernel:ident, $nested:ty, $value:ty, $element:ty) => {
        #[derive(KernelArgument)]
        pub struct $name<'a> {
            nested: $nested,
            value: $value,
            slices: [DeviceSlice<'a, $element>; 2],
            out: DeviceSliceMut<'a, $element>,
        }

        #[kernel]
        pub fn $kernel(mut all: $name<'_>, scale: $value) {
            let i = grid(1);
            if i < all.out.len() {
                all.out[i] = all.nested.weights[i] * all.value.0 + all.slices[0][i] - scale.0 * all.slices[1][i];
            }
        }
    };
}

#[derive(Clone, Copy, DeviceType)]
pub struct Factor(f32);

#[derive(KernelArgument)]
pub struct Weights<'a> {
    weights: DeviceSlice<'a, f32>,
}

argument!(Weighted, weighted, Weights<'a>, Factor, f32);

fn in_macro(run: &mut Run<'_>) {
    let (x, y, z) = (run.array(&[1.0f32, 2.0, 3.0]), run.array(&[4.0f32, 5.0, 6.0]), run.array(&[7.0f32, 8.0, 9.0]));
    let mut out = run.array(&[0.0f32; 3]);
    let nested = Weights { weights: x.as_slice() };
    let all = Weighted { nested, value: Factor(10.0), slices: [y.as_slice(), z.as_slice()], out: out.as_slice_mut() };
    run.launch(weighted(all, Factor(0.5)).over(3));
    run.output("out", &out);
}
