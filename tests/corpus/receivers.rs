//! Methods on places in memory: elements of slices, views and shared arrays, fields of them, and what references lead to. The
//! receiver is the place itself, whoever else works on it at the same time.

use std::ops::{AddAssign, BitOrAssign, SubAssign};

use cumbia::intrinsics::*;
use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    tallies,
    tallies_by_path,
    generic_tallies,
    tallies_of_shared_memory,
    tallies_of_views,
    numbers_and_arrays,
    fields_of_one_element,
    assignments_to_one_element,
    gates,
    waiting_in_a_block,
    locks_as_methods,
    barriers_in_methods,
    fences_in_methods,
    order_of_evaluation,
    values_of_receivers,
    enums_and_bools,
    faults_of_receivers,
];

/// What threads count together.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Counter {
    n: u32,
    most: u32,
}

#[device]
impl Counter {
    pub fn bump(&mut self) -> u32 {
        atomic_add(&mut self.n, 1)
    }

    /// Calls of methods on `self`.
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

    /// Without `self`, by a reference.
    pub fn both(one: &mut Counter, other: &mut Counter) {
        one.bump();
        Counter::bump(other);
    }
}

#[device]
pub trait Tally: DeviceType {
    fn count(&mut self, by: u32);

    fn counted(&self) -> u32;

    /// Defaults, of which one calls the other.
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
    /// So that the first field is another one.
    title: u64,
    first: Counter,
    rows: [[Counter; 2]; 3],
}

#[device]
impl Board {
    /// Methods of fields, and of elements of fields.
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

/// The other implementation, that overrides a default.
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

/// Many blocks, one element.
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
            run.wrong("two threads were given the same count");
        }
    }
}

/// Calls by path.
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

/// A number has methods too.
#[device]
impl Tally for u32 {
    fn count(&mut self, by: u32) {
        atomic_add(self, by);
    }

    fn counted(&self) -> u32 {
        atomic_load(self)
    }
}

/// And an array.
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

/// A generic struct around a generic field.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Pair<T: DeviceType> {
    left: T,
    right: T,
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

/// Through `&mut T`, `&mut [T]` and an array of them.
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
                run.wrong(&format!("{counts:?} was counted, and {expected} should have been"));
            }
        }
        let pairs = pairs.to_host().expect("no fault");
        let expected = [(2 * all + 5 * all / 2, all + 5 * all / 2), (2 * all, all)];
        for (pair, (left, right)) in pairs.iter().zip(expected) {
            let there = (values(&pair.left), values(&pair.right));
            if there.0.iter().any(|&count| count != left) || there.1.iter().any(|&count| count != right) {
                run.wrong(&format!("{there:?} was counted, and ({left}, {right}) should have been"));
            }
        }
    }
    of::<u32>(run, |&n| vec![n], 1);
    of::<Counter>(run, |counter| vec![counter.n], 1);
    of::<[u32; 3]>(run, |list| list.to_vec(), 3);
    of::<[[Counter; 2]; 2]>(run, |list| list.as_flattened().iter().map(|counter| counter.n).collect(), 4);
}

/// Counters of a block, of which the grid makes a sum.
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

/// Elements of views, whatever their strides.
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

/// Methods of the user's beside the built-in ones, on elements that are numbers and arrays.
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

/// What different threads write of one element.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Shares {
    parts: [u32; 16],
    sum: u64,
}

#[device]
impl Shares {
    pub fn put(&mut self, at: usize, value: u32) {
        self.parts[at] = value;
    }

    pub fn add(&mut self, at: usize, value: u32) {
        self.parts[at] += value;
    }
}

/// Block `b` works on part `b` of each element, in no order: none of it may be lost.
#[kernel]
pub fn shared_out(x: &mut [Shares], rounds: u32) {
    let (b, t) = (block_idx().x, thread_idx().x);
    for round in 0..rounds {
        x[t].put(b, round * 10);
        x[t].add(b, b as u32);
        Shares::add(&mut x[t], b, 1);
        let one = &mut x[t];
        one.add(b, 2);
    }
}

fn fields_of_one_element(run: &mut Run<'_>) {
    let rounds = 50;
    let mut x = run.array(&[Shares { sum: 7, ..Shares::default() }; 8]);
    run.launch(shared_out(&mut x, rounds).grid(16).block(8));
    let parts = std::array::from_fn(|b| (rounds - 1) * 10 + b as u32 + 3);
    run.expect("x", &x, &[Shares { parts, sum: 7 }; 8]);
}

/// One share.
#[derive(Clone, Copy, DeviceType)]
pub struct Share {
    at: u32,
    value: u32,
}

#[device]
impl AddAssign<Share> for Shares {
    fn add_assign(&mut self, share: Share) {
        self.parts[share.at as usize] += share.value;
    }
}

#[device]
impl SubAssign<u32> for Shares {
    fn sub_assign(&mut self, by: u32) {
        atomic_sub(&mut self.parts[15], by);
    }
}

#[device]
impl BitOrAssign<u32> for Counter {
    fn bitor_assign(&mut self, bits: u32) {
        thread_fence();
        atomic_or(&mut self.most, bits);
        self.bump();
    }
}

/// An operator of the fields.
#[device]
impl BitOrAssign<u32> for Pair<Counter> {
    fn bitor_assign(&mut self, bits: u32) {
        self.left |= bits;
        self.right |= bits << 1;
    }
}

/// `x[i] += share`, whose function gets the element itself.
#[kernel]
pub fn assigned_out(x: &mut [Shares], counters: &mut [Counter], pairs: &mut [Pair<Counter>], rounds: u32) {
    let mut mine = shared::<[Counter; 1]>();
    let (b, t) = (block_idx().x, thread_idx().x);
    if t == 0 {
        mine[0] = Counter { n: 0, most: 0 };
    }
    sync_threads();
    for round in 0..rounds {
        x[t] += Share { at: b as u32, value: round };
        x[{
            let at = t;
            at
        }] += Share { at: b as u32, value: { 1 } };
        let one = &mut x[t];
        *one += Share { at: b as u32, value: 1 };
        x[0] -= 1;
        counters[0] |= 1 << b;
        mine[0] |= 2 << t;
        pairs[1] |= 1 << t;
        pairs[0].left |= 4;
    }
    sync_threads();
    if t == 0 {
        counters[1].count(mine[0].n);
        counters[1] |= mine[0].most;
    }
}

fn assignments_to_one_element(run: &mut Run<'_>) {
    let (blocks, threads, rounds) = (15, 8, 40);
    let (mut x, mut counters, mut pairs) =
        (run.zeros::<Shares>(threads), run.zeros::<Counter>(2), run.zeros::<Pair<Counter>>(2));
    run.launch(assigned_out(&mut x, &mut counters, &mut pairs, rounds).grid(blocks).block(threads));
    let mut expected = vec![Shares::default(); threads];
    for shares in &mut expected {
        shares.parts[..blocks].fill(rounds * (rounds - 1) / 2 + 2 * rounds);
    }
    let all = (blocks * threads) as u32 * rounds;
    expected[0].parts[15] = 0u32.wrapping_sub(all);
    run.expect("x", &x, &expected);
    let of = |n, most| Counter { n, most };
    run.expect("counters", &counters, &[of(all, 0x7fff), of(all + blocks as u32, 0x1fe)]);
    let none = of(0, 0);
    run.expect(
        "pairs",
        &pairs,
        &[Pair { left: of(all, 4), right: none }, Pair { left: of(all, 0xff), right: of(all, 0x1fe) }],
    );
}

/// Something that one thread makes and others wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Gate {
    data: [u64; 3],
    ready: u32,
}

#[device]
pub trait Signal: DeviceType {
    fn is_ready(&self) -> bool;

    fn wait(&self) {
        while !self.is_ready() {}
    }
}

#[device]
impl Signal for Gate {
    fn is_ready(&self) -> bool {
        atomic_load_explicit::<Acquire, DeviceScope>(&self.ready) != 0
    }
}

#[device]
impl Gate {
    /// What is written before the fence is seen by whoever sees the flag.
    pub fn publish(&mut self, data: u64) {
        self.data[0] = data;
        self.data[2] = data * 2;
        thread_fence();
        atomic_store(&mut self.ready, 1);
    }

    pub fn sum(&self) -> u64 {
        self.data[0] + self.data[2]
    }
}

/// Block by block: each waits for the one before it, in one of the ways that there are.
#[kernel]
pub fn passed_on(x: &mut [Gate], y: &mut [u64]) {
    let (b, t) = (block_idx().x, thread_idx().x);
    if b > 0 {
        if b % 4 == 0 {
            while !x[b - 1].is_ready() {}
        } else if b % 4 == 1 {
            x[b - 1].wait();
        } else if b % 4 == 2 {
            let before = &x[b - 1];
            while !before.is_ready() {}
        } else {
            Signal::wait(&x[b - 1]);
        }
        y[b * block_dim().x + t] = x[b - 1].sum();
    }
    sync_threads();
    if t == 0 {
        let before = if b > 0 { x[b - 1].sum() } else { 1 };
        x[b].publish(before + b as u64);
    }
}

fn gates(run: &mut Run<'_>) {
    for (blocks, threads) in [(2, 1), (8, 4)] {
        let (mut x, mut y) = (run.zeros::<Gate>(blocks), run.zeros(blocks * threads));
        run.launch(passed_on(&mut x, &mut y).grid(blocks).block(threads));
        let (mut all, mut sums) = (Vec::new(), vec![0u64; blocks * threads]);
        let mut before = 1;
        for b in 0..blocks {
            if b > 0 {
                sums[b * threads..][..threads].fill(before);
            }
            let data = before + b as u64;
            all.push(Gate { data: [data, 0, 2 * data], ready: 1 });
            before = 3 * data;
        }
        run.expect("x", &x, &all);
        run.expect("y", &y, &sums);
    }
}

/// Threads of one block that wait for each other, in shared memory.
#[kernel]
pub fn passed_around(y: &mut [u64]) {
    let mut gates = shared::<[Gate; 16]>();
    let t = thread_idx().x;
    gates[t] = Gate { data: [0; 3], ready: 0 };
    sync_threads();
    if t == 15 {
        gates[15].publish(7);
    } else {
        gates[t + 1].wait();
        let sum = gates[t + 1].sum();
        gates[t].publish(sum);
    }
    y[block_idx().x * 16 + t] = gates[t].sum();
}

fn waiting_in_a_block(run: &mut Run<'_>) {
    let mut y = run.zeros(48);
    run.launch(passed_around(&mut y).grid(3).block(16));
    let sums: Vec<u64> = (0..48).map(|i| 7 * 3u64.pow(16 - i % 16)).collect();
    run.expect("y", &y, &sums);
}

/// A lock, and what it guards.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Guarded {
    held: u32,
    entries: u32,
    total: u64,
}

#[device]
impl Guarded {
    fn lock(&mut self) {
        while atomic_cas_explicit::<Acquire, DeviceScope>(&mut self.held, 0, 1) != 0 {}
    }

    fn unlock(&mut self) {
        atomic_store_explicit::<Release, DeviceScope>(&mut self.held, 0);
    }

    pub fn enter(&mut self, value: u64) {
        self.lock();
        self.total = atomic_load(&self.total) + value;
        self.entries = atomic_load(&self.entries) + 1;
        self.unlock();
    }
}

#[kernel]
pub fn entered(x: &mut [Guarded]) {
    let i = grid(1);
    x[1].enter(i as u64);
    Guarded::enter(&mut x[i % 3], 1);
}

fn locks_as_methods(run: &mut Run<'_>) {
    let (blocks, threads) = (12, 16);
    let n = (blocks * threads) as u64;
    let mut x = run.zeros::<Guarded>(3);
    run.launch(entered(&mut x).grid(blocks).block(threads));
    let of = |entries: u64, total| Guarded { held: 0, entries: entries as u32, total };
    run.expect("x", &x, &[of(n / 3, n / 3), of(n + n / 3, n * (n - 1) / 2 + n / 3), of(n / 3, n / 3)]);
}

/// What the threads of a block exchange.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct Ring {
    cells: [u32; 32],
    turns: u32,
}

#[device]
impl Ring {
    /// Each thread gives its value to the next one. All threads call it.
    pub fn turn(&mut self, value: u32) -> u32 {
        let t = thread_idx().x;
        self.cells[t] = value;
        sync_threads();
        let got = self.cells[(t + 1) % 32];
        if t == 0 {
            self.turns += 1;
        }
        sync_threads();
        got
    }

    pub fn turn_twice(&mut self, value: u32) -> u32 {
        let once = self.turn(value);
        self.turn(once * 2)
    }
}

#[kernel]
pub fn turned(rings: &mut [Ring], y: &mut [u32]) {
    let mut mine = shared::<[Ring; 2]>();
    let (b, t) = (block_idx().x, thread_idx().x);
    if t < 2 {
        mine[t].turns = 0;
    }
    let mut value = mine[1].turn(grid(1) as u32);
    value = mine[b % 2].turn_twice(value);
    value += rings[b].turn(value);
    value += Ring::turn_twice(&mut rings[b], value);
    y[grid(1)] = value;
}

fn barriers_in_methods(run: &mut Run<'_>) {
    let blocks = 20;
    let (mut rings, mut y) = (run.array(&vec![Ring { cells: [0; 32], turns: 100 }; blocks]), run.zeros(blocks * 32));
    run.launch(turned(&mut rings, &mut y).grid(blocks).block(32));
    let (mut expected, mut after) = (Vec::new(), Vec::new());
    for b in 0..blocks {
        let mut values: Vec<u32> = (0..32).map(|t| (b * 32 + t) as u32).collect();
        let next = |values: &[u32]| -> Vec<u32> { (0..32).map(|t| values[(t + 1) % 32]).collect() };
        let twice = |values: &[u32]| -> Vec<u32> { next(&next(values).iter().map(|v| v * 2).collect::<Vec<_>>()) };
        values = next(&values);
        values = twice(&values);
        values = values.iter().zip(next(&values)).map(|(v, got)| v + got).collect();
        let cells: Vec<u32> = next(&values).iter().map(|v| v * 2).collect();
        values = values.iter().zip(twice(&values)).map(|(v, got)| v + got).collect();
        expected.extend(values);
        after.push(Ring { cells: cells.try_into().expect("32 of them"), turns: 103 });
    }
    run.expect("y", &y, &expected);
    run.expect("rings", &rings, &after);
}

/// The last block makes the sum of what the others published.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Partial {
    sum: u64,
    done: u32,
}

#[device]
impl Partial {
    pub fn publish(&mut self, sum: u64) {
        self.sum = sum;
        thread_fence();
    }

    /// Whether all others have come before.
    pub fn is_last(&mut self, of: u32) -> bool {
        atomic_inc(&mut self.done, of - 1) == of - 1
    }
}

#[kernel]
pub fn sum_of_blocks(partials: &mut [Partial], total: &mut [u64]) {
    let mut last = shared::<[bool; 1]>();
    let (b, t) = (block_idx().x, thread_idx().x);
    if t == 0 {
        partials[b].publish(b as u64 + 1);
        last[0] = partials[0].is_last(grid_dim().x as u32);
    }
    sync_threads();
    if last[0] && t == 0 {
        let mut sum = 0;
        for partial in partials.iter() {
            sum += atomic_load(&partial.sum);
        }
        total[0] = sum;
    }
}

fn fences_in_methods(run: &mut Run<'_>) {
    let blocks = 200;
    let (mut partials, mut total) = (run.zeros::<Partial>(blocks), run.zeros(1));
    run.launch(sum_of_blocks(&mut partials, &mut total).grid(blocks).block(32));
    run.expect("total", &total, &[(blocks * (blocks + 1) / 2) as u64]);
    run.expect("partials", &partials, &(1..=blocks as u64).map(|sum| Partial { sum, done: 0 }).collect::<Vec<_>>());
}

/// A list whose methods note what they were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Notes {
    list: [u32; 6],
    len: u32,
}

#[device]
impl Notes {
    pub fn note(&mut self, value: u32) -> u32 {
        self.list[self.len as usize % 6] = value;
        self.len += 1;
        self.len
    }

    pub fn note_two(&mut self, one: u32, other: u32) {
        self.note(one);
        self.note(other);
    }

    /// By value: as it was before the arguments were evaluated.
    pub fn with(self, value: u32) -> u32 {
        self.len * 100 + value
    }

    /// By reference: as it is now.
    pub fn and(&self, value: u32) -> u32 {
        self.len * 100 + value
    }

    pub fn clear(&mut self) {
        *self = Notes { list: [0; 6], len: 0 };
    }

    pub fn add_all(&mut self, other: &Notes) {
        for k in 0..other.len as usize {
            self.note(other.list[k]);
        }
    }
}

#[device]
pub fn next(n: &mut u32) -> u32 {
    *n += 1;
    *n
}

/// The receiver is evaluated once, before the arguments.
#[kernel]
pub fn noted(x: &mut [Notes], y: &mut [u32]) {
    let mut n = 0;
    x[next(&mut n) as usize].note(next(&mut n));
    x[next(&mut n) as usize].note_two(next(&mut n), next(&mut n));
    y[0] = n;
    let mut at = 1;
    x[at].note({
        at += 1;
        at as u32
    });
    Notes::note(
        &mut x[{
            at += 1;
            at
        }],
        {
            at += 10;
            at as u32
        },
    );
    y[1] = at as u32;
    y[2] = x[0].with({
        x[0].note(5);
        1
    });
    y[3] = x[0].and({
        x[0].note(6);
        2
    });
    y[4] = Notes::with(x[0], {
        x[0].note(7);
        3
    });
    y[5] = x[0].note({
        x[0].note(8);
        x[0].note(9)
    });
    y[6] = if n > 100 {
        0
    } else {
        x[0].clear();
        x[0].note(50)
    };
    x[4].add_all(&x[1]);
    x[4].add_all(&x[3]);
    let which = &mut x[5];
    which.note(1);
    which.note_two(2, 3);
    y[7] = which.with(which.note(4)) + which.and(which.len);
}

fn order_of_evaluation(run: &mut Run<'_>) {
    let (mut x, mut y) = (run.zeros::<Notes>(6), run.zeros(8));
    run.launch(noted(&mut x, &mut y).grid(1).block(1));
    let of = |values: &[u32]| {
        let mut list = [0; 6];
        list[..values.len()].copy_from_slice(values);
        Notes { list, len: values.len() as u32 }
    };
    run.expect("x", &x, &[of(&[50]), of(&[2, 2]), of(&[]), of(&[4, 5, 13]), of(&[2, 2, 4, 5, 13]), of(&[1, 2, 3, 4])]);
    run.expect("y", &y, &[5, 13, 1, 202, 203, 6, 1, 304 + 404]);
}

/// Methods on what is not in memory work on it as before.
#[kernel]
pub fn on_values(x: &[Notes], y: &mut [u32]) {
    let i = grid(1);
    let mut mine = x[i];
    mine.note(9);
    let mut list = [mine; 2];
    list[i % 2].note(8);
    let first = list[0];
    list[1].add_all(&first);
    let mut pair = (mine, [mine]);
    pair.0.note(1);
    pair.1[0].note_two(2, 3);
    let one = &mut list[0];
    one.note(4);
    y[6 * i] = mine.len;
    y[6 * i + 1] = list[0].len * 10 + list[1].len;
    y[6 * i + 2] = pair.0.and(1) + pair.1[0].with(2);
    y[6 * i + 3] = x[i].and(x[i].len) + x[i].with(1);
    y[6 * i + 4] = {
        let mut copy = x[i];
        copy.note(3);
        copy
    }
    .len;
    y[6 * i + 5] = list[0].list[1] * 100 + list[1].list[1];
}

fn values_of_receivers(run: &mut Run<'_>) {
    let before = [Notes::default(), Notes { list: [1, 2, 0, 0, 0, 0], len: 2 }];
    let (x, mut y) = (run.array(&before), run.zeros(12));
    run.launch(on_values(&x, &mut y).grid(1).block(2));
    let expected: Vec<u32> = before
        .iter()
        .enumerate()
        .flat_map(|(i, before)| {
            let mut mine = *before;
            mine.note(9);
            let mut list = [mine; 2];
            list[i % 2].note(8);
            let first = list[0];
            list[1].add_all(&first);
            let (mut one, mut other) = (mine, mine);
            one.note(1);
            other.note_two(2, 3);
            list[0].note(4);
            [
                mine.len,
                list[0].len * 10 + list[1].len,
                one.and(1) + other.with(2),
                before.and(before.len) + before.with(1),
                before.len + 1,
                list[0].list[1] * 100 + list[1].list[1],
            ]
        })
        .collect();
    run.expect("y", &y, &expected);
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub enum Light {
    Red,
    Green,
    Amber,
}

#[device]
impl Light {
    pub fn change(&mut self) {
        *self = match *self {
            Light::Red => Light::Green,
            Light::Green => Light::Amber,
            Light::Amber => Light::Red,
        };
    }

    pub fn is_red(&self) -> bool {
        match *self {
            Light::Red => true,
            Light::Green | Light::Amber => false,
        }
    }
}

#[device]
pub trait Flip: DeviceType {
    fn flip(&mut self) -> bool;

    fn is_up(&self) -> bool;
}

#[device]
impl Flip for bool {
    fn flip(&mut self) -> bool {
        let before = *self;
        *self = !before;
        before
    }

    fn is_up(&self) -> bool {
        *self
    }
}

#[kernel]
pub fn switched(lights: &mut [Light], flags: &mut [bool], y: &mut [u32]) {
    let mut mine = shared::<[bool; 4]>();
    let t = thread_idx().x;
    mine[t] = t % 2 == 0;
    lights[t].change();
    y[t] = lights[t].is_red() as u32 + 2 * flags[t].flip() as u32 + 4 * mine[t].flip() as u32;
    y[t] += 8 * flags[t].is_up() as u32 + 16 * mine[t].is_up() as u32;
    Flip::flip(&mut flags[t]);
    let light = &mut lights[t];
    light.change();
    let mut own = mine[t];
    own.flip();
    y[t] += 32 * own.is_up() as u32;
}

fn enums_and_bools(run: &mut Run<'_>) {
    use Light::{Amber, Green, Red};
    let (mut lights, mut flags, mut y) =
        (run.array(&[Red, Green, Amber, Red]), run.array(&[true, false, true, false]), run.zeros(4));
    run.launch(switched(&mut lights, &mut flags, &mut y).grid(1).block(4));
    run.expect("lights", &lights, &[Amber, Red, Green, Amber]);
    run.expect("flags", &flags, &[true, false, true, false]);
    let even = |red: u32| red + 2 + 4 + 32;
    let odd = |red: u32| red + 8 + 16;
    run.expect("y", &y, &[even(0), odd(0), even(1), odd(0)]);
}

/// An index outside is found before the arguments are evaluated, and nothing of the method happens.
#[kernel]
pub fn outside(x: &mut [Notes], y: &mut [u32], at: usize) {
    y[0] = 1;
    x[at].note({
        y[1] = 1;
        y[at]
    });
    y[2] = 1;
}

fn faults_of_receivers(run: &mut Run<'_>) {
    for (at, expected) in [(1usize, [1, 1, 1]), (2, [1, 0, 0]), (3, [1, 0, 0])] {
        let (mut x, mut y) = (run.zeros::<Notes>(2), run.zeros(3));
        if at < 2 {
            run.launch(outside(&mut x, &mut y, at).grid(1).block(1));
        } else {
            run.expect_fault("outside", |run| run.launch(outside(&mut x, &mut y, at).grid(1).block(1)));
            run.expect_words(&format!("index out of bounds: the len is 2 but the index is {at}"));
        }
        run.expect("y", &y, &expected);
    }
}
