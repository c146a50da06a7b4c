//! Algorithms of warps and blocks with all kinds of operators, in blocks of one to three dimensions, and the kernels of
//! the algorithms on arrays.

use cumbia::algorithm::kernels::{
    Chunks, Differs, Holds, OfOne, OfTwo, States, argsort_of_block, copy_elements, count_bins, encode_tiles,
    fill_elements, number_segments, radix_count, radix_move, reduce_chunk_alone, reduce_chunks, reduce_runs, scan_runs,
    scan_tiles, select_tiles, sort_of_block, sort_of_block_into, store_segments, transform_itself,
    transform_itself_with, transform_of_two,
};
use cumbia::algorithm::{
    Access, Ascending, Blocked, Descending, Direction, Enumerated, EvenBins, Extreme, Function1, Function2, Identity,
    IndexedValue, Maximum, OwnBin, Plus, SortKey, Striped, Times, Transposed, block_exclusive_scan,
    block_exclusive_scan_array, block_histogram, block_inclusive_scan, block_inclusive_scan_array, block_load,
    block_reduce, block_reduce_array, block_sort, block_sort_by_key, block_store, device_fn, warp_exclusive_scan,
    warp_exclusive_scan_array, warp_inclusive_scan, warp_inclusive_scan_array, warp_reduce, warp_reduce_array,
};
use cumbia::prelude::*;

use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    in_blocks,
    with_arrays,
    sorted_in_blocks,
    small_sorts,
    zero_sized,
    of_arrays,
    of_strided_views,
    in_place,
    of_selections,
    of_runs,
    of_digits,
    of_segments
];

/// The second launch of a look-ahead with this memory.
fn second(words: &mut DeviceArray<u64>) -> States<'_> {
    States { words: words.as_slice_mut(), launch: 2 }
}

/// `x ↦ a x + b`, modulo 2³². The composition of two is associative, and does not commute.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Affine {
    a: u32,
    b: u32,
}

impl Affine {
    pub(crate) fn new(a: u32, b: u32) -> Self {
        Affine { a, b }
    }
}

/// The second function after the first.
#[derive(Clone, Copy, DeviceType)]
pub struct Then;

#[device]
impl Function2<Affine, Affine> for Then {
    type Output = Affine;

    fn call(self, a: Affine, b: Affine) -> Affine {
        Affine { a: a.a.wrapping_mul(b.a), b: a.b.wrapping_mul(b.a).wrapping_add(b.b) }
    }
}

/// Six results for each thread. The functions are called twice, so that their scratch memory is used again.
#[kernel]
pub fn of_blocks<T: DeviceType, F: Function2<T, T, Output = T>>(operator: F, initial: T, x: &[T], y: &mut [T]) {
    let (t, b) = (thread_idx(), block_dim());
    let threads = b.x * b.y * b.z;
    let i = block_idx().x * threads + t.x + b.x * (t.y + b.y * t.z);
    for _ in 0..2 {
        y[6 * i] = warp_reduce(x[i], operator);
        y[6 * i + 1] = warp_inclusive_scan(x[i], operator);
        y[6 * i + 2] = warp_exclusive_scan(x[i], initial, operator);
        y[6 * i + 3] = block_reduce(x[i], operator);
        y[6 * i + 4] = block_inclusive_scan(x[i], operator);
        y[6 * i + 5] = block_exclusive_scan(x[i], initial, operator);
    }
}

fn in_blocks(run: &mut Run<'_>) {
    fn of<T: DeviceType, F: Function2<T, T, Output = T>>(
        run: &mut Run<'_>,
        values: &[T],
        block: (usize, usize, usize),
        initial: T,
        operator: F,
    ) {
        let threads = block.0 * block.1 * block.2;
        let (x, mut y) = (run.array(values), run.array(&vec![initial; 6 * values.len()]));
        run.launch(of_blocks(operator, initial, &x, &mut y).grid(values.len() / threads).block(block));
        let call = |a: T, b: T| operator.call(a, b);
        let expected = (0..values.len()).flat_map(|i| {
            let results = |width: usize| {
                let group = &values[i / width * width..][..width];
                let fold = |part: &[T]| part[1..].iter().fold(part[0], |a, &b| call(a, b));
                let before = group[..i % width].iter().fold(initial, |a, &b| call(a, b));
                [fold(group), fold(&group[..=i % width]), before]
            };
            results(32).into_iter().chain(results(threads))
        });
        run.expect(std::any::type_name::<F>(), &y, &expected.collect::<Vec<_>>());
    }
    let mut random = Random::new(5);
    let mut affine = |n: usize| -> Vec<Affine> {
        (0..n).map(|_| Affine { a: random.bits() as u32 | 1, b: random.bits() as u32 }).collect()
    };
    for (n, block) in [(64, (32, 1, 1)), (192, (8, 4, 3)), (256, (16, 16, 1)), (1024, (1024, 1, 1))] {
        of(run, &affine(n), block, Affine { a: 3, b: 4 }, Then);
    }
}

/// Reductions and scans of three values of each thread, and copies of them.
#[kernel]
pub fn arrays_of_blocks<T: DeviceType, F: Function2<T, T, Output = T>, A: Access, B: Access>(
    operator: F,
    initial: T,
    from: A,
    to: B,
    x: &[T],
    totals: &mut [T],
    y: &mut [T],
) {
    let (t, b) = (thread_idx(), block_dim());
    let rank = t.x + b.x * (t.y + b.y * t.z);
    let tile = 3 * b.x * b.y * b.z;
    let own: [T; 3] = block_load(&x[..], initial, from);
    totals[2 * rank] = warp_reduce_array(own, operator);
    totals[2 * rank + 1] = block_reduce_array(own, operator);
    block_store(&mut y[..tile], warp_inclusive_scan_array(own, operator), to);
    block_store(&mut y[tile..2 * tile], warp_exclusive_scan_array(own, initial, operator), to);
    block_store(&mut y[2 * tile..3 * tile], block_inclusive_scan_array(own, operator), to);
    block_store(&mut y[3 * tile..], block_exclusive_scan_array(own, initial, operator), to);
}

fn with_arrays(run: &mut Run<'_>) {
    fn of<A: Access, B: Access>(run: &mut Run<'_>, block: (usize, usize, usize), from: A, to: B, random: &mut Random) {
        let tile = 3 * block.0 * block.1 * block.2;
        let initial = Affine { a: 3, b: 4 };
        let mut values: Vec<Affine> =
            (0..tile - 5).map(|_| Affine { a: random.bits() as u32 | 1, b: random.bits() as u32 }).collect();
        let x = run.array(&values);
        values.resize(tile, initial);
        let mut totals = run.array(&vec![initial; 2 * tile / 3]);
        let mut y = run.array(&vec![initial; 4 * tile]);
        let launch = arrays_of_blocks(Then, initial, from, to, &x, &mut totals, &mut y);
        run.launch(launch.grid(1).block(block));
        let fold = |part: &[Affine]| part[1..].iter().fold(part[0], |a, &b| Then.call(a, b));
        let (mut expected, mut sums) = (Vec::new(), Vec::new());
        for width in [96, tile] {
            expected.extend((0..tile).map(|i| fold(&values[i / width * width..=i])));
            let before = |i: usize| values[i / width * width..i].iter().fold(initial, |a, &b| Then.call(a, b));
            expected.extend((0..tile).map(before));
        }
        for i in (0..tile).step_by(3) {
            sums.extend([fold(&values[i / 96 * 96..][..96]), fold(&values)]);
        }
        run.expect("totals", &totals, &sums);
        run.expect("scans", &y, &expected);
    }
    let mut random = Random::new(21);
    of(run, (8, 4, 3), Transposed, Transposed, &mut random);
    of(run, (256, 1, 1), Blocked, Transposed, &mut random);
    of(run, (32, 1, 1), Transposed, Blocked, &mut random);
}

/// Sorts a tile, alone and with values, and counts the keys.
#[kernel]
pub fn tiles_in_order<K: SortKey, D: Direction, F: Function1<K, Output = usize>>(
    direction: D,
    bin: F,
    last: K,
    x: &[K],
    y: &mut [K],
    z: &mut [K],
    values: &mut [u32],
    counts: &mut [u32],
) {
    let mut found = shared::<[u32; 10]>();
    let own: [K; 4] = block_load(&x[..], last, Transposed);
    block_store(&mut y[..], block_sort(own, direction), Transposed);
    let (keys, moved) = block_sort_by_key(own, block_load(&values[..], u32::MAX, Transposed), direction);
    block_store(&mut z[..], keys, Blocked);
    block_store(&mut values[..], moved, Transposed);
    let striped: [K; 4] = block_load(&x[..], last, Striped);
    block_histogram(striped, bin, &mut found[..]);
    if grid(1) < 10 {
        counts[grid(1)] = found[grid(1)];
    }
}

fn sorted_in_blocks(run: &mut Run<'_>) {
    fn of<K: SortKey + PartialEq, D: Direction, F: Function1<K, Output = usize>>(
        run: &mut Run<'_>,
        block: usize,
        direction: D,
        bin: F,
        last: K,
        keys: &[K],
        order: impl Fn(&K, &K) -> std::cmp::Ordering,
    ) {
        let n = keys.len();
        let mut expected: Vec<usize> = (0..n).collect();
        expected.sort_by(|a, b| {
            let order = order(&keys[*a], &keys[*b]);
            if D::IS_DESCENDING { order.reverse() } else { order }
        });
        let sorted: Vec<K> = expected.iter().map(|i| keys[*i]).collect();
        let mut tallies = vec![0u32; 10];
        // Also of the elements beyond the end.
        let samples = (0..4 * block).map(|i| *keys.get(i).unwrap_or(&last));
        samples.map(|key| bin.call(key)).filter(|bin| *bin < 10).for_each(|bin| tallies[bin] += 1);
        let (x, mut y, mut z) = (run.array(keys), run.array(keys), run.array(keys));
        let mut values = run.array(&(0..n as u32).collect::<Vec<_>>());
        let mut counts = run.zeros(10);
        let launch = tiles_in_order(direction, bin, last, &x, &mut y, &mut z, &mut values, &mut counts);
        run.launch(launch.grid(1).block(block));
        run.expect("keys", &y, &sorted);
        run.expect("keys with values", &z, &sorted);
        run.expect("values", &values, &expected.iter().map(|i| *i as u32).collect::<Vec<_>>());
        run.expect("counts", &counts, &tallies);
    }
    let mut random = Random::new(22);
    let keys: Vec<u16> = (0..250).map(|_| (random.bits() % 12) as u16).collect();
    of(run, 64, Descending, OwnBin, 0, &keys, Ord::cmp);
    let keys: Vec<f64> = (0..700).map(|i| if i == 9 { -0.0 } else { (random.bits() % 500) as f64 - 200.0 }).collect();
    let bins = EvenBins::new(-100.0..50.0, 10).unwrap();
    of(run, 192, Ascending, bins, f64::INFINITY, &keys, f64::total_cmp);
}

/// The sorts of a single block.
fn small_sorts(run: &mut Run<'_>) {
    let mut random = Random::new(23);
    let keys: Vec<f32> = (0..900).map(|_| (random.bits() % 400) as f32 - 200.0).collect();
    let mut expected: Vec<u16> = (0..900).collect();
    expected.sort_by(|a, b| keys[usize::from(*b)].total_cmp(&keys[usize::from(*a)]));
    let (mut x, mut indices) = (run.array(&keys), run.array(&(0..900).collect::<Vec<u16>>()));
    let (mut sorted, mut moved) = (run.zeros::<f32>(900), run.zeros::<u16>(900));
    run.launch(sort_of_block_into::<_, _, true, 2>(true, &x, &indices, &mut sorted, &mut moved).grid(1));
    run.expect("moved indices", &moved, &expected);
    let mut order = run.zeros::<u16>(900);
    run.launch(argsort_of_block::<_, _, 2>(true, &x, &mut order).grid(1));
    run.expect("order", &order, &expected);
    run.launch(sort_of_block::<_, _, true, 2>(true, &mut x, &mut indices).grid(1));
    run.expect("indices", &indices, &expected);
    let in_order: Vec<f32> = expected.iter().map(|i| keys[usize::from(*i)]).collect();
    run.expect("keys", &x, &in_order);
    run.expect("moved keys", &sorted, &in_order);
    let keys: Vec<i64> = (0..1500).map(|_| random.bits() as i64).collect();
    let (mut x, mut none) = (run.array(&keys), run.zeros::<u8>(0));
    run.launch(sort_of_block::<_, _, false, 4>(false, &mut x, &mut none).grid(1));
    let mut expected = keys;
    expected.sort_unstable();
    run.expect("integers", &x, &expected);
}

/// Structs without fields as parameters, variables, fields, arguments and constants.
#[derive(Clone, Copy, DeviceType)]
pub struct Pair<F: DeviceType, G: DeviceType> {
    first: F,
    second: G,
}

#[derive(Clone, Copy, DeviceType)]
pub struct Negated;

#[device]
impl Function1<i32> for Negated {
    type Output = i32;

    fn call(self, a: i32) -> i32 {
        a.wrapping_neg()
    }
}

#[derive(Clone, Copy, DeviceType)]
pub struct Added(i32);

#[device]
impl Function1<i32> for Added {
    type Output = i32;

    fn call(self, a: i32) -> i32 {
        a.wrapping_add(self.0)
    }
}

#[device]
impl<F: Function1<i32, Output = i32>, G: Function1<i32, Output = i32>> Function1<i32> for Pair<F, G> {
    type Output = i32;

    fn call(self, a: i32) -> i32 {
        self.second.call(self.first.call(a))
    }
}

#[device]
impl Negated {
    fn twice(&self, a: i32) -> i32 {
        let same = *self;
        same.call(self.call(a))
    }
}

#[kernel]
pub fn composed<F: Function1<i32, Output = i32>>(one: F, empty: Negated, n: i32, two: Pair<F, Negated>, y: &mut [i32]) {
    const NEGATED: Negated = Negated;
    let i = grid(1);
    let chosen = if i % 2 == 0 { empty } else { NEGATED };
    let nested = Pair { first: chosen, second: two };
    let array = [empty; 2];
    y[i] = one.call(i as i32) + 100 * two.call(n) + 10_000 * nested.call(n) + 1_000_000 * array[i % 2].twice(3);
}

fn zero_sized(run: &mut Run<'_>) {
    let mut y = run.zeros(4);
    run.launch(composed(Negated, Negated, 7, Pair { first: Negated, second: Negated }, &mut y).grid(1).block(4));
    run.expect("without fields", &y, &[0, 1, 2, 3].map(|i: i32| -i + 700 - 70_000 + 3_000_000));
    let one = Added(5);
    run.launch(composed(one, Negated, 7, Pair { first: one, second: Negated }, &mut y).grid(1).block(4));
    run.expect("beside fields", &y, &[0, 1, 2, 3].map(|i: i32| i + 5 - 1200 + 20_000 + 3_000_000));
    let by = 3i16;
    let one = device_fn!([by: i16, offset: i32 = 5] |a: i32| -> i32 { by as i32 * a + offset });
    run.launch(composed(one, Negated, 7, Pair { first: one, second: Negated }, &mut y).grid(1).block(4));
    run.expect("an operator with captures", &y, &[0, 1, 2, 3].map(|i: i32| 3 * i + 5 - 2600 + 160_000 + 3_000_000));
}

/// Returns a view of all elements.
pub(crate) fn all<T: DeviceType>(x: &DeviceArray<T>) -> ArrayView1<'_, T> {
    x.reshape(x.len()).unwrap()
}

/// A grid of two chunks and of two tiles, with the last ones incomplete.
fn of_arrays(run: &mut Run<'_>) {
    let mut random = Random::new(7);
    let n = 8192 + 300;
    let values: Vec<f32> = (0..n).map(|_| (random.bits() % 16) as f32).collect();
    let x = run.array(&values);
    let (mut parts, mut finished, mut total) = (run.zeros(2), run.zeros(1), run.zeros(1));
    let none = run.zeros(0);
    let map = OfOne(Identity);
    run.launch(
        reduce_chunks::<_, _, _, _, _, 4>(
            Chunks { a: all(&x), b: all(&none), like: 0u8, map, operator: Plus, len: 8192 },
            0.5,
            true,
            1,
            &mut parts,
            &mut finished,
            &mut total,
        )
        .grid(2),
    );
    run.expect("sum", &total, &[values.iter().sum::<f32>() + 0.5]);
    run.expect("finished", &finished, &[(1 << 32) + 2]);
    let few = Chunks { a: all(&x), b: all(&none), like: 0u8, map, operator: Plus, len: n };
    run.launch(reduce_chunk_alone(few, 0.5, true, &mut total).grid(1));
    run.expect("sum by one block", &total, &[values.iter().sum::<f32>() + 0.5]);
    let one = IndexedValue { value: -1.0f32, index: 0 };
    let (mut parts, mut found) = (run.array(&[one; 2]), run.array(&[one]));
    let operator = Extreme::<true>;
    let launch = reduce_chunks::<_, _, _, _, _, 4>(
        Chunks { a: all(&x), b: all(&none), like: 0u8, map: Enumerated::<true>, operator, len: 8192 },
        one,
        false,
        2,
        &mut parts,
        &mut finished,
        &mut found,
    );
    run.launch(launch.grid(2));
    let index = values.iter().position(|v| *v == 15.0).unwrap();
    run.expect("greatest", &found, &[IndexedValue { value: 15.0, index }]);
    let mut filled = run.array(&[one; 3]);
    let two = IndexedValue { value: 2.5, index: 7 };
    run.launch(fill_elements(two, &mut filled).grid(1).block(4));
    run.expect("filled", &filled, &[two; 3]);

    // More tiles than blocks.
    let n = 4 * 1024 + 300;
    let values: Vec<f32> = (0..n).map(|_| (random.bits() % 4096) as f32).collect();
    let x = run.array(&values);
    let (mut y, mut states) = (run.zeros(n), run.zeros(5));
    let launch = scan_tiles::<_, _, 4, 32, true, false>(Maximum, 2.5, all(&x), &mut y, second(&mut states));
    run.launch(launch.grid(2).cooperative());
    let mut greatest = 2.5f32;
    let expected = values.iter().map(|&v| {
        let before = greatest;
        greatest = greatest.max(v);
        before
    });
    let expected: Vec<f32> = expected.collect();
    run.expect("maxima", &y, &expected);

    let values: Vec<Affine> = (0..n).map(|_| Affine { a: random.bits() as u32 | 1, b: random.bits() as u32 }).collect();
    let (x, one) = (run.array(&values), Affine { a: 1, b: 0 });
    let (mut y, mut states) = (run.array(&values), run.zeros(2 * 5));
    let launch = scan_tiles::<_, _, 4, 32, false, false>(Then, one, all(&x), &mut y, second(&mut states));
    run.launch(launch.grid(2).cooperative());
    let mut all = one;
    let expected: Vec<Affine> = values
        .iter()
        .map(|&v| {
            all = Then.call(all, v);
            all
        })
        .collect();
    run.expect("compositions", &y, &expected);
}

/// Every third element, and a column of a matrix, by the kernels for whole arrays.
fn of_strided_views(run: &mut Run<'_>) {
    let mut random = Random::new(31);
    let n = 4 * 1024 + 300;
    let values: Vec<f32> = (0..3 * n).map(|_| (random.bits() % 16) as f32).collect();
    let thirds: Vec<f32> = values.iter().copied().step_by(3).collect();
    let x = run.array(&values);
    let third = all(&x).step(3).unwrap();
    let column = x.reshape((n, 3)).unwrap().column(2).unwrap();
    let products = (0..n).map(|i| values[3 * i] * values[3 * i + 2]);
    let (mut parts, mut finished, mut total) = (run.zeros(2), run.zeros(1), run.zeros(1));
    let chunks = Chunks { a: third, b: column, like: 0.0, map: OfTwo(Times), operator: Plus, len: 4096 };
    let launch = reduce_chunks::<_, _, _, _, _, 4>(chunks, 0.5, true, 1, &mut parts, &mut finished, &mut total);
    run.launch(launch.grid(2));
    run.expect("dot product", &total, &[products.sum::<f32>() + 0.5]);

    let (mut y, mut states) = (run.zeros(n), run.zeros(5));
    let launch = scan_tiles::<_, _, 4, 32, false, false>(Plus, 0.0, third, &mut y, second(&mut states));
    run.launch(launch.grid(2).cooperative());
    let mut sum = 0.0;
    let expected = thirds.iter().map(|v| {
        sum += v;
        sum
    });
    run.expect("sums", &y, &expected.collect::<Vec<f32>>());

    let mut expected = thirds.clone();
    expected.dedup();
    let (mut y, mut rest) = (run.zeros(expected.len()), run.zeros(0));
    let (mut count, mut states) = (run.zeros(1), run.zeros(5));
    let launch = select_tiles::<_, _, u32, 4, 1024, 1024, false>(
        Differs,
        third,
        &mut y,
        &mut rest,
        &mut count,
        second(&mut states),
    );
    run.launch(launch.grid(2).cooperative());
    run.expect("unique", &y, &expected);
    run.expect("number of unique", &count, &[expected.len()]);

    let mut y = run.zeros(n);
    run.launch(copy_elements(third, &mut y).over(n));
    run.expect("copy", &y, &thirds);
    run.launch(transform_of_two(Plus, third, column, &mut y).over(n));
    let sums = (0..n).map(|i| values[3 * i] + values[3 * i + 2]);
    run.expect("sums of pairs", &y, &sums.collect::<Vec<f32>>());
}

/// Scans and transformations that overwrite their input.
fn in_place(run: &mut Run<'_>) {
    let mut random = Random::new(32);
    let n = 4 * 1024 + 300;
    let values: Vec<Affine> = (0..n).map(|_| Affine { a: random.bits() as u32 | 1, b: random.bits() as u32 }).collect();
    let first = Affine { a: 3, b: 4 };
    let none = run.array::<Affine>(&[]);
    let (mut x, mut states) = (run.array(&values), run.zeros(2 * 5));
    let launch = scan_tiles::<_, _, 4, 32, true, true>(Then, first, all(&none), &mut x, second(&mut states));
    run.launch(launch.grid(2).cooperative());
    let mut before = first;
    let expected = values.iter().map(|&v| {
        let result = before;
        before = Then.call(before, v);
        result
    });
    run.expect("compositions", &x, &expected.collect::<Vec<Affine>>());
    let (mut x, b) = (run.array(&[1.5f32, -2.0, 4.0]), run.array(&[2.0f32, 3.0, 0.5]));
    run.launch(transform_itself_with(Times, all(&b), &mut x).over(3));
    run.expect("products", &x, &[3.0, -6.0, 2.0]);
    let half = 0.5f32;
    run.launch(transform_itself(device_fn!([half: f32] |v: f32| -> f32 { v * half }), &mut x).over(3));
    run.expect("halves", &x, &[1.5, -3.0, 1.0]);
}

/// Whether a number is odd.
#[derive(Clone, Copy, DeviceType)]
pub struct Odd;

#[device]
impl Function1<u32> for Odd {
    type Output = bool;

    fn call(self, a: u32) -> bool {
        a % 2 != 0
    }
}

/// A partition, and the first of equal elements, of five tiles of two blocks; the last tile is incomplete.
fn of_selections(run: &mut Run<'_>) {
    let mut random = Random::new(11);
    let n = 4096 + 300;
    let values: Vec<u32> = (0..n).map(|_| (random.bits() % 4) as u32).collect();
    let x = run.array(&values);
    let (odd, even): (Vec<u32>, Vec<u32>) = values.iter().partition(|v| *v % 2 != 0);
    let (mut y, mut rest) = (run.zeros(odd.len()), run.zeros(even.len()));
    let (mut count, mut states) = (run.zeros(1), run.zeros(5));
    run.launch(
        select_tiles::<_, _, u32, 4, 1024, 1024, true>(
            Holds(Odd),
            all(&x),
            &mut y,
            &mut rest,
            &mut count,
            second(&mut states),
        )
        .grid(2)
        .cooperative(),
    );
    run.expect("odd", &y, &odd);
    run.expect("even", &rest, &even);
    run.expect("number of odd", &count, &[odd.len()]);

    let mut expected = values;
    expected.dedup();
    let (mut y, mut rest) = (run.zeros(expected.len()), run.zeros(0));
    let (mut count, mut states) = (run.zeros(1), run.zeros(2 * 5));
    run.launch(
        select_tiles::<_, _, u64, 4, 1024, 1024, false>(
            Differs,
            all(&x),
            &mut y,
            &mut rest,
            &mut count,
            second(&mut states),
        )
        .grid(2)
        .cooperative(),
    );
    run.expect("unique", &y, &expected);
    run.expect("number of unique", &count, &[expected.len()]);
}

/// Runs of equal keys in five tiles of two blocks; one run spans a boundary, and one a whole tile.
fn of_runs(run: &mut Run<'_>) {
    let mut random = Random::new(12);
    let n = 4 * 1024 + 300;
    let mut keys: Vec<u8> = (0..n).map(|_| (random.bits() % 2) as u8).collect();
    keys[1000..1050].fill(7);
    keys[2040..3100].fill(8);
    let values: Vec<Affine> = (0..n).map(|_| Affine { a: random.bits() as u32 | 1, b: random.bits() as u32 }).collect();
    let (x, first) = (run.array(&values), Affine { a: 3, b: 4 });
    let in_keys = run.array(&keys);
    let mut through: Vec<Affine> = Vec::new();
    let mut before: Vec<Affine> = Vec::new();
    let (mut firsts, mut lengths, mut totals) = (Vec::new(), Vec::<u32>::new(), Vec::new());
    for i in 0..n {
        if i == 0 || keys[i] != keys[i - 1] {
            before.push(first);
            through.push(values[i]);
            firsts.push(keys[i]);
            lengths.push(1);
            totals.push(values[i]);
        } else {
            before.push(Then.call(before[i - 1], values[i - 1]));
            through.push(Then.call(through[i - 1], values[i]));
            *lengths.last_mut().unwrap() += 1;
            *totals.last_mut().unwrap() = through[i];
        }
    }
    let mut y = run.array(&values);
    let mut states = run.zeros(3 * 5);
    let operator = Then;
    run.launch(
        scan_runs::<_, _, u32, _, 4, 32, false>(operator, first, all(&in_keys), all(&x), &mut y, second(&mut states))
            .grid(2)
            .cooperative(),
    );
    run.expect("inclusive", &y, &through);
    let mut states = run.zeros(3 * 5);
    run.launch(
        scan_runs::<_, _, u32, _, 4, 32, true>(operator, first, all(&in_keys), all(&x), &mut y, second(&mut states))
            .grid(2)
            .cooperative(),
    );
    run.expect("exclusive", &y, &before);
    let mut states = run.zeros(3 * 5);
    let (mut unique, mut y, mut count) = (run.zeros(firsts.len()), run.array(&vec![first; totals.len()]), run.zeros(1));
    run.launch(
        reduce_runs::<_, _, u32, _, 4, 1024, 1024>(
            operator,
            all(&in_keys),
            all(&x),
            &mut unique,
            &mut y,
            &mut count,
            second(&mut states),
        )
        .grid(2)
        .cooperative(),
    );
    run.expect("keys", &unique, &firsts);
    run.expect("totals", &y, &totals);
    run.expect("number of runs", &count, &[firsts.len()]);
    let mut states = run.zeros(2 * 5);
    let (mut unique, mut y, mut count) = (run.zeros(firsts.len()), run.zeros(lengths.len()), run.zeros(1));
    let launch =
        encode_tiles::<_, _, u32, 4, 1024, 1024>(all(&in_keys), &mut unique, &mut y, &mut count, second(&mut states));
    run.launch(launch.grid(2).cooperative());
    run.expect("elements", &unique, &firsts);
    run.expect("number of elements", &count, &[firsts.len()]);
    run.expect("lengths", &y, &lengths);
}

/// Two tiles of floats, the last one incomplete, in descending order of their highest digits; and a histogram of them.
fn of_digits(run: &mut Run<'_>) {
    const SIGN: u32 = 1 << 31;
    let mut random = Random::new(9);
    let n = 384 * 6 + 300;
    let keys: Vec<f32> = (0..n).map(|i| if i == 7 { -0.0 } else { (random.bits() % 4096) as f32 - 2000.0 }).collect();
    let digit = |key: f32, pass: u32| {
        let bits = key.to_bits();
        let ordered = if key.is_sign_negative() { !bits } else { bits ^ SIGN };
        (!ordered >> (8 * pass) & 255) as usize
    };
    let x = run.array(&keys);
    let (mut total, mut starts, mut next) = (run.zeros(1024), run.zeros(1024), run.zeros(1024));
    let mut tickets = run.zeros(9);
    let chunk = 2048;
    run.launch(radix_count::<_, _, true>(SIGN, u32::MAX, chunk, &x, &mut total, &mut starts, &mut tickets).grid(2));
    let mut before = vec![0; 1024];
    for pass in 0..4 {
        for d in 1..256 {
            let row = 256 * pass + d;
            before[row] = before[row - 1] + keys.iter().filter(|key| digit(**key, pass as u32) == d - 1).count();
        }
    }
    run.expect("starts", &starts, &before);
    run.expect("tickets", &tickets, &[0; 9]);

    let values: Vec<u16> = (0..n).map(|i| i as u16).collect();
    let (y, mut sorted, mut moved) = (run.array(&values), run.zeros(n), run.array(&vec![0u16; n]));
    let (mut states, mut cleared) = (run.zeros(512), run.array(&[1u32; 512]));
    run.launch(
        radix_move::<_, _, _, true, true, 6>(
            SIGN,
            u32::MAX,
            3,
            &x,
            &y,
            &mut sorted,
            &mut moved,
            &starts,
            &mut next,
            &mut states,
            &mut cleared,
            &mut tickets,
        )
        .grid(2)
        .shared_bytes(384 * 6 * 4),
    );
    let mut order = values;
    order.sort_by_key(|i| digit(keys[usize::from(*i)], 3));
    let expected: Vec<f32> = order.iter().map(|i| keys[usize::from(*i)]).collect();
    run.expect("keys", &sorted, &expected);
    run.expect("values", &moved, &order);
    run.expect("cleared", &cleared, &[0; 512]);

    let mut counts = run.array(&[0u32; 10]);
    let bins = EvenBins::new(-1000.0f32..1000.0, 10).unwrap();
    run.launch(count_bins::<_, _, _, 4>(bins, chunk, 2, all(&x), &mut counts).grid(2).shared_bytes(2 * 11 * 4));
    let mut expected = [0; 10];
    keys.iter().map(|key| bins.call(*key)).filter(|bin| *bin < 10).for_each(|bin| expected[bin] += 1);
    run.expect("counts", &counts, &expected);
}

/// Segments with elements before and after them, and an empty one.
fn of_segments(run: &mut Run<'_>) {
    let offsets = run.array(&[2u32, 5, 5, 40]);
    let mut numbers = run.array(&[9u32; 50]);
    run.launch(number_segments(all(&offsets), &mut numbers).grid(2).block(32));
    let number = |i| [2, 5, 5, 40].iter().filter(|offset| **offset <= i).count() as u32;
    run.expect("numbers", &numbers, &(0..50).map(number).collect::<Vec<u32>>());
    let sorted = run.array(&[1.5f64; 50]);
    let mut keys = run.zeros(50);
    run.launch(store_segments(all(&offsets), &sorted, &mut keys).grid(2).block(32));
    run.expect("keys", &keys, &(0..50).map(|i| if (2..40).contains(&i) { 1.5 } else { 0.0 }).collect::<Vec<f64>>());
}
