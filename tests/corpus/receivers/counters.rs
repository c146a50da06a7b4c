//! Atomic counters: methods of structs, numbers, arrays and generic types, on elements of slices, of shared arrays and of
//! views, which many threads update concurrently.

use cumbia::intrinsics::atomic_load;
use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![tallies, tallies_by_path, generic_tallies, tallies_of_shared_memory, tallies_of_views, numbers_and_arrays,];

/// A counter that the threads of a grid share.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Counter {
    pub n: u32,
    pub most: u32,
}

#[device]
impl Counter {
    pub fn bump(&mut self) -> u32 {
        atomic_add(&mut self.n, 1)
    }

    /// Calls other methods on `self`.
    pub fn bump_twice(&mut self, value: u32) {
        self.bump();
        self.see(value);
        self.bump();
    }

    pub fn see(&mut self, value: u32) {
        atomic_max(&mut self.most, value);
    }

    pub fn now(&self) -> u32 {
        atomic_load(&self.n)
    }

    /// An associated function with reference parameters.
    pub fn both(one: &mut Counter, other: &mut Counter) {
        one.bump();
        Counter::bump(other);
    }
}

#[device]
pub trait Tally: DeviceType {
    fn count(&mut self, by: u32);

    fn counted(&self) -> u32;

    /// A default method that calls another one.
    fn count_twice(&mut self, by: u32) {
        self.count(by);
        self.count_once_more(by);
    }

    fn count_once_more(&mut self, by: u32) {
        Self::count(self, by);
    }

    fn is_past(&self, limit: u32) -> bool {
        self.counted() >= limit
    }
}

#[device]
impl Tally for Counter {
    fn count(&mut self, by: u32) {
        atomic_add(&mut self.n, by);
    }

    fn counted(&self) -> u32 {
        self.now()
    }
}

/// Counters in a struct, an array and another struct.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Board {
    /// Before the counters, so that none of them has the offset 0.
    title: u64,
    first: Counter,
    rows: [[Counter; 2]; 3],
}

#[device]
impl Board {
    /// Calls methods of fields and of elements of fields.
    pub fn mark(&mut self, row: usize, value: u32) {
        self.first.bump();
        self.rows[row % 3][1].bump_twice(value);
        let inner = &mut self.rows[2];
        inner[0].count(2);
        self.mark_first(value);
    }

    fn mark_first(&mut self, value: u32) {
        let first = &mut self.rows[0][0];
        first.see(value);
        Counter::bump(first);
        Counter::bump(&mut self.rows[1][0]);
    }
}

/// An implementation that overrides a default method.
#[device]
impl Tally for Board {
    fn count(&mut self, by: u32) {
        self.first.count(by);
    }

    fn counted(&self) -> u32 {
        self.first.counted()
    }

    fn count_once_more(&mut self, by: u32) {
        self.rows[2][1].count(by * 10);
    }
}

/// Method calls of many blocks on the same element.
#[kernel]
pub fn tally(x: &mut [Counter], boards: &mut [Board], old: &mut [u32]) {
    let i = grid(1);
    let before = x[0].bump();
    old[before as usize] += 1;
    x[1].bump_twice(i as u32);
    (x[i % 3 + 2]).bump();
    boards[1].first.bump();
    boards[i % 2].rows[i % 3][1].see(i as u32);
    boards[1].mark(i, i as u32);
    let board = &mut boards[0];
    board.mark(i, 7);
    board.first.bump();
    let counter = &mut x[5];
    counter.bump();
    (*counter).see(i as u32);
    for one in x.iter_mut() {
        one.count(3);
    }
}

fn tallies(run: &mut Run<'_>) {
    let (blocks, threads) = (120, 64);
    let n = blocks * threads;
    let (mut x, mut boards, mut old) =
        (run.zeros::<Counter>(6), run.array(&[Board { title: 9, ..Board::default() }; 2]), run.zeros(4 * n + n));
    run.launch(tally(&mut x, &mut boards, &mut old).grid(blocks).block(threads));
    let all = n as u32;
    let of = |n: u32| Counter { n, most: 0 };
    let mut expected = [of(all), Counter { n: 2 * all, most: all - 1 }, of(0), of(0), of(0), of(0)];
    for i in 0..n {
        expected[i % 3 + 2].n += 1;
    }
    expected[5] = Counter { n: all, most: all - 1 };
    for counter in &mut expected {
        counter.n += 3 * all;
    }
    run.expect("x", &x, &expected);
    let mut both = [Board { title: 9, ..Board::default() }; 2];
    for i in 0..n {
        let value = i as u32;
        both[1].first.n += 1;
        both[0].first.n += 1;
        let row = &mut both[i % 2].rows[i % 3][1];
        row.most = row.most.max(value);
        for (board, value) in both.iter_mut().zip([7, value]) {
            board.first.n += 1;
            board.rows[i % 3][1].n += 2;
            board.rows[i % 3][1].most = board.rows[i % 3][1].most.max(value);
            board.rows[2][0].n += 2;
            board.rows[0][0].n += 1;
            board.rows[0][0].most = board.rows[0][0].most.max(value);
            board.rows[1][0].n += 1;
        }
    }
    run.expect("boards", &boards, &both);
    // The old values of `x[0].n` are distinct.
    if !run.is_nowhere() {
        let twice = old.to_host().expect("no fault").iter().any(|&times| times > 1);
        if twice {
            run.wrong("two threads received the same count");
        }
    }
}

/// The same methods, called by path.
#[kernel]
pub fn tally_by_path(x: &mut [Counter], boards: &mut [Board]) {
    let i = grid(1);
    Counter::bump(&mut x[0]);
    Counter::bump_twice(&mut x[1], i as u32);
    Tally::count(&mut x[2], 2);
    <Counter as Tally>::count(&mut x[3], 3);
    Counter::count_twice(&mut x[4], 4);
    Tally::count_twice(&mut boards[0], 1);
    <Board as Tally>::count_once_more(&mut boards[1], 1);
    Board::mark(&mut boards[1], i, 5);
    let (front, back) = x.split_at_mut(6);
    Counter::both(&mut front[5], &mut back[0]);
    Tally::count(&mut back[i % 2].n, 1);
}

fn tallies_by_path(run: &mut Run<'_>) {
    let (blocks, threads) = (100, 32);
    let all = (blocks * threads) as u32;
    let (mut x, mut boards) = (run.zeros::<Counter>(8), run.zeros::<Board>(2));
    run.launch(tally_by_path(&mut x, &mut boards).grid(blocks).block(threads));
    let mut expected = [1, 2, 2, 3, 8, 1, 1, 0].map(|times| Counter { n: times * all, most: 0 });
    expected[1].most = all - 1;
    expected[6].n += all / 2;
    expected[7].n += all / 2;
    run.expect("x", &x, &expected);
    let mut both = [Board::default(); 2];
    both[0].first.n = all;
    both[0].rows[2][1].n = 10 * all;
    both[1].first.n = all;
    both[1].rows[2][1].n = 10 * all;
    for i in 0..all as usize {
        both[1].rows[i % 3][1].n += 2;
        both[1].rows[i % 3][1].most = 5;
    }
    both[1].rows[2][0].n = 2 * all;
    both[1].rows[0][0] = Counter { n: all, most: 5 };
    both[1].rows[1][0].n = all;
    run.expect("boards", &boards, &both);
}

/// A method of a scalar type.
#[device]
impl Tally for u32 {
    fn count(&mut self, by: u32) {
        atomic_add(self, by);
    }

    fn counted(&self) -> u32 {
        atomic_load(self)
    }
}

/// A method of an array type.
#[device]
impl<T: Tally, const N: usize> Tally for [T; N] {
    fn count(&mut self, by: u32) {
        for k in 0..N {
            self[k].count(by);
        }
    }

    fn counted(&self) -> u32 {
        let mut sum = 0;
        for one in self.iter() {
            sum += one.counted();
        }
        sum
    }
}

/// A generic struct with fields of the type parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Pair<T: DeviceType> {
    pub left: T,
    pub right: T,
}

#[device]
impl<T: Tally> Pair<T> {
    pub fn left_or_right(&mut self, left: bool, by: u32) {
        if left {
            self.left.count(by);
        } else {
            T::count(&mut self.right, by);
        }
    }
}

#[device]
impl<T: Tally> Tally for Pair<T> {
    fn count(&mut self, by: u32) {
        self.left.count_twice(by);
        self.left_or_right(false, by);
    }

    fn counted(&self) -> u32 {
        self.left.counted() + self.right.counted()
    }
}

/// Calls on `&mut T` and on the elements of `&mut [T]`, in generic code.
#[device]
pub fn count_in<T: Tally>(one: &mut T, list: &mut [T], by: u32) {
    one.count(by);
    T::count_twice(one, by);
    let last = list.len() - 1;
    list[last].count(by);
    count_all(list, by);
}

#[device]
pub fn count_all<T: Tally>(list: &mut [T], by: u32) {
    for one in list.iter_mut() {
        one.count(by);
        Tally::count(one, by);
    }
}

#[kernel]
pub fn tally_any<T: Tally>(x: &mut [T], pairs: &mut [Pair<T>], y: &mut [u32]) {
    let i = grid(1);
    x[0].count(1);
    x[i % x.len()].count_twice(2);
    T::count(&mut x[1], 1);
    let (front, back) = x.split_at_mut(1);
    count_in(&mut front[0], back, 1);
    pairs[0].count(1);
    pairs[0].left_or_right(i % 2 == 0, 5);
    pairs[1].left.count(2);
    Pair::left_or_right(&mut pairs[1], false, 1);
    if x[0].is_past(1) && pairs[0].is_past(1) {
        y[i] = 1;
    }
}

fn generic_tallies(run: &mut Run<'_>) {
    fn of<T: Tally + Default + Copy>(run: &mut Run<'_>, values: impl Fn(&T) -> Vec<u32>, per: u32) {
        let (blocks, threads) = (60, 32);
        let all = (blocks * threads) as u32;
        let (mut x, mut pairs, mut y) = (run.zeros::<T>(3), run.zeros::<Pair<T>>(2), run.zeros(all as usize));
        run.launch(tally_any(&mut x, &mut pairs, &mut y).grid(blocks).block(threads));
        run.expect("y", &y, &vec![1; all as usize]);
        run.output("x", &x);
        run.output("pairs", &pairs);
        if run.is_nowhere() {
            return;
        }
        let third = all / 3;
        let expected = [all + 4 * third + 3 * all, 4 * third + all + 2 * all, 4 * third + all + 2 * all];
        let counts: Vec<Vec<u32>> = x.to_host().expect("no fault").iter().map(&values).collect();
        for (counts, expected) in counts.iter().zip(expected) {
            if counts.iter().any(|&count| count != expected) || counts.len() != per as usize {
                run.wrong(&format!("the counts are {counts:?}, expected {expected}"));
            }
        }
        let pairs = pairs.to_host().expect("no fault");
        let expected = [(2 * all + 5 * all / 2, all + 5 * all / 2), (2 * all, all)];
        for (pair, (left, right)) in pairs.iter().zip(expected) {
            let there = (values(&pair.left), values(&pair.right));
            if there.0.iter().any(|&count| count != left) || there.1.iter().any(|&count| count != right) {
                run.wrong(&format!("the counts are {there:?}, expected ({left}, {right})"));
            }
        }
    }
    of::<u32>(run, |&n| vec![n], 1);
    of::<Counter>(run, |counter| vec![counter.n], 1);
    of::<[u32; 3]>(run, |list| list.to_vec(), 3);
    of::<[[Counter; 2]; 2]>(run, |list| list.as_flattened().iter().map(|counter| counter.n).collect(), 4);
}

/// Counters in shared memory, which are added to counters in global memory.
#[kernel]
pub fn tally_shared(x: &mut [Counter], y: &mut [u32]) {
    let mut mine = shared::<[Counter; 4]>();
    let mut one = shared::<[Board; 1]>();
    let mut plain = shared::<[u32; 2]>();
    let t = thread_idx().x;
    if t < 4 {
        mine[t] = Counter { n: 0, most: 0 };
    }
    if t == 0 {
        one[0] = Board { title: 1, first: mine[0], rows: [[mine[0]; 2]; 3] };
        plain[0] = 0;
        plain[1] = 5;
    }
    sync_threads();
    mine[t % 2].bump();
    mine[2].bump_twice(t as u32);
    Counter::bump(&mut mine[3]);
    one[0].mark(t, 3);
    one[0].first.count(1);
    Tally::count_twice(&mut one[0].rows[0][1], 4);
    plain[1].count(1);
    Tally::count(&mut plain[0], 2);
    plain.count(1);
    sync_threads();
    if t < 4 {
        x[t].count(mine[t].now());
        x[t].see(mine[t].most);
    }
    if t == 0 {
        x[4].count(one[0].first.counted());
        x[5].count(one[0].rows[0][1].n);
        y[block_idx().x] = plain.counted();
    }
}

fn tallies_of_shared_memory(run: &mut Run<'_>) {
    for (blocks, threads) in [(1u32, 32u32), (40, 96)] {
        let (mut x, mut y) = (run.zeros::<Counter>(6), run.zeros(blocks as usize));
        run.launch(tally_shared(&mut x, &mut y).grid(blocks as usize).block(threads as usize));
        let n = blocks * threads;
        let third = (0..threads).filter(|t| t % 3 == 0).count() as u32 * blocks;
        let of = |n, most| Counter { n, most };
        let expected =
            [of(n / 2, 0), of(n / 2, 0), of(2 * n, threads - 1), of(n, 0), of(2 * n, 0), of(8 * n + 2 * third, 0)];
        run.expect("x", &x, &expected);
        run.expect("y", &y, &vec![5 + threads + 2 * threads + 2 * threads; blocks as usize]);
    }
}

/// Elements of views, contiguous and strided.
#[kernel]
pub fn tally_views(mut a: ArrayViewMut2<Counter>, mut b: ArrayViewMut1<Board>) {
    let i = grid(1);
    a[[0, 1]].bump();
    a[[i % 2, 2]].bump_twice(i as u32);
    Counter::bump(&mut a[[1, 0]]);
    let mut row = a.row_mut(1);
    row[1].count_twice(1);
    b[0].mark(i, 1);
    b[1].rows[2][1].bump();
}

fn tallies_of_views(run: &mut Run<'_>) {
    let (blocks, threads) = (50, 32);
    let n = (blocks * threads) as u32;
    let of = |n, most| Counter { n, most };
    for transposed in [false, true] {
        let (mut a, mut b) = (run.zeros::<Counter>(6), run.zeros::<Board>(2));
        let there = if transposed { a.reshape_mut((3, 2)).unwrap().t() } else { a.reshape_mut((2, 3)).unwrap() };
        run.launch(tally_views(there, b.reshape_mut(2).unwrap()).grid(blocks).block(threads));
        let rows = [[of(0, 0), of(n, 0), of(n, n - 2)], [of(n, 0), of(2 * n, 0), of(n, n - 1)]];
        let expected: Vec<Counter> =
            if transposed { (0..6).map(|at| rows[at % 2][at / 2]).collect() } else { rows.as_flattened().to_vec() };
        run.expect("a", &a, &expected);
        let mut boards = [Board::default(); 2];
        boards[0].first.n = n;
        for i in 0..n as usize {
            boards[0].rows[i % 3][1].n += 2;
            boards[0].rows[i % 3][1].most = 1;
        }
        boards[0].rows[2][0].n = 2 * n;
        boards[0].rows[0][0] = of(n, 1);
        boards[0].rows[1][0].n = n;
        boards[1].rows[2][1].n = n;
        run.expect("b", &b, &boards);
    }
}

/// User-defined and built-in methods, on elements that are numbers and arrays.
#[kernel]
pub fn tally_numbers(x: &mut [u32], lists: &mut [[u32; 4]], y: &mut [u32]) {
    let i = grid(1);
    x[0].count(x[1].min(3) + lists[0][2].count_ones());
    lists[1].count(1);
    lists[2][i % 4].count_twice(2);
    let (front, back) = lists[4].split_at_mut(1);
    front[0].count(1);
    back[2].count(2);
    let list = &mut lists[3];
    list.count(2);
    list[1].count(1);
    y[i] = lists[1].len() as u32 + x[2].pow(2) + lists[0].counted() + lists[0][0].counted();
}

fn numbers_and_arrays(run: &mut Run<'_>) {
    let (blocks, threads) = (50, 32);
    let n = (blocks * threads) as u32;
    let (mut x, mut lists, mut y) = (
        run.array(&[1u32, 2, 3]),
        run.array(&[[1u32, 2, 3, 4], [0; 4], [0; 4], [0; 4], [0; 4]]),
        run.zeros(n as usize),
    );
    run.launch(tally_numbers(&mut x, &mut lists, &mut y).grid(blocks).block(threads));
    run.expect("x", &x, &[1 + 4 * n, 2, 3]);
    run.expect("lists", &lists, &[[1, 2, 3, 4], [n; 4], [n; 4], [2 * n, 3 * n, 2 * n, 2 * n], [n, 0, 0, 2 * n]]);
    run.expect("y", &y, &vec![4 + 9 + 10 + 1; n as usize]);
}
