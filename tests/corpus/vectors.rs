//! `cumbia::vector` and `cumbia::random`, which are written in Cumbia's own language.

use cumbia::prelude::*;
use cumbia::random::{Philox, Xoroshiro128p};
use cumbia::vector::{
    Bfloat2, Bfloat3, Component, Double2, Float2, Float3, Float4, Half4, Int2, Int3, Int4, Uchar4, Ulonglong2, Vec2,
    Vec3, Vec4,
};

use crate::Tolerance::UlpsOr;
use crate::inputs::{Edges, Random};
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    axpy_cases,
    numbers_as_vectors,
    lane_by_lane,
    geometry,
    mixed_vectors,
    shared_vectors,
    random_bits,
    states_in_an_array,
    of_halves,
    updated_vectors,
    scaled_vectors,
    components_out_of_bounds,
    random_numbers,
    normal_numbers
];

/// One load and one store of 16 bytes for each thread.
#[kernel(fmad = false)]
pub fn axpy(a: f32, x: &[Float4], y: &mut [Float4]) {
    let i = grid(1);
    if i < y.len() {
        y[i] += x[i] * a;
    }
}

fn axpy_cases(run: &mut Run<'_>) {
    let numbers = Random::new(1).floats(80, 10.0);
    let vectors: Vec<Float4> = numbers.chunks(4).map(|v| Float4::new(v[0], v[1], v[2], v[3])).collect();
    let (x, mut y) = (run.array(&vectors[..10]), run.array(&vectors[10..]));
    run.launch(axpy(1.5, &x, &mut y).over(10));
    let expected: Vec<Float4> = (0..10)
        .map(|i| {
            let (x, y) = (&numbers[4 * i..], &numbers[40 + 4 * i..]);
            let of = |k: usize| y[k] + x[k] * 1.5;
            Float4::new(of(0), of(1), of(2), of(3))
        })
        .collect();
    run.expect("y", &y, &expected);
}

/// Arrays of numbers as arguments for slices of vectors.
fn numbers_as_vectors(run: &mut Run<'_>) {
    let numbers = Random::new(31).floats(52, 10.0);
    let (x, mut y) = (run.array(&numbers), run.array(&numbers));
    run.launch(axpy(0.5, &x.cast().unwrap(), &mut y.cast_mut().unwrap()).over(13));
    run.expect("all", &y, &numbers.iter().map(|v| v + v * 0.5).collect::<Vec<_>>());
    // A slice at an offset that is aligned for a vector, and vectors reinterpreted as numbers.
    let mut z = run.zeros::<Float4>(10);
    let (from, mut to) = (x.slice(8..28).unwrap().cast().unwrap(), z.slice_mut(5..).unwrap());
    run.launch(axpy(2.0, &from, &mut to).over(5));
    let mut expected = [0.0; 40];
    (0..20).for_each(|i| expected[20 + i] = numbers[8 + i] * 2.0);
    let back: Vec<Float4> = expected.chunks(4).map(|v| Float4::new(v[0], v[1], v[2], v[3])).collect();
    run.expect("a part", &z, &back);
    assert!(x.slice(2..18).unwrap().cast::<Float4>().is_err() && x.slice(..50).unwrap().cast::<Float4>().is_err());
    assert_eq!(z.cast::<f32>().unwrap().len(), 40);
}

/// All operators on vectors of two to four components of any numeric type.
#[kernel(fmad = false)]
pub fn all_operators<T: Component>(
    two: &[Vec2<T>],
    three: &[Vec3<T>],
    four: &[Vec4<T>],
    twos: &mut [Vec2<T>],
    threes: &mut [Vec3<T>],
    fours: &mut [Vec4<T>],
    dots: &mut [T],
    by: T,
) {
    let i = grid(1);
    if i + 1 < two.len() {
        let (a, b) = (two[i], two[i + 1]);
        let mut c = a + b * by - Vec2::splat(T::ONE);
        c *= by;
        c += a;
        twos[i] = c / Vec2::<T>::new(by, T::ONE);
        let (a, b) = (three[i], three[i + 1]);
        let mut c = a * b + Vec3::<T>::ZERO;
        c -= b;
        c /= by;
        threes[i] = c.cross(a) + b;
        let (a, b) = (four[i], four[i + 1]);
        fours[i] = Vec4::<T>::new(a.w, a.z + b.x, b.y * by, T::ZERO) / by;
        fours[i].y += by;
        dots[3 * i] = two[i].dot(two[i + 1]);
        dots[3 * i + 1] = three[i].dot(three[i + 1]);
        dots[3 * i + 2] = a.dot(b);
    }
}

fn lane_by_lane(run: &mut Run<'_>) {
    fn of<T: Component + Edges>(run: &mut Run<'_>) {
        // Small, so that nothing overflows.
        let numbers: Vec<T> = (0..24).map(|i| T::small(i % 3 + 1)).collect();
        let two: Vec<Vec2<T>> = numbers.chunks_exact(2).map(|v| Vec2::new(v[0], v[1])).take(5).collect();
        let three: Vec<Vec3<T>> = numbers.chunks_exact(3).map(|v| Vec3::new(v[0], v[2], v[2])).take(5).collect();
        let four: Vec<Vec4<T>> = numbers.chunks_exact(4).map(|v| Vec4::new(v[0], v[1], v[2], v[3])).take(5).collect();
        let (a, b, c) = (run.array(&two), run.array(&three), run.array(&four));
        let (mut twos, mut threes, mut fours) = (run.zeros(4), run.zeros(4), run.zeros(4));
        let mut dots = run.zeros(12);
        let by = T::small(2);
        run.launch(all_operators(&a, &b, &c, &mut twos, &mut threes, &mut fours, &mut dots, by).over(5));
        let name = std::any::type_name::<T>();
        let of = |i: usize| {
            let lane = |a: T, b: T, by2: T| ((a + b * by - T::ONE) * by + a) / by2;
            Vec2::new(lane(two[i].x, two[i + 1].x, by), lane(two[i].y, two[i + 1].y, T::ONE))
        };
        run.expect(&format!("{name} two"), &twos, &[0, 1, 2, 3].map(of));
        let of = |i: usize| {
            let (a, b) = (three[i], three[i + 1]);
            let lane = |a: T, b: T| (a * b + T::ZERO - b) / by;
            let c = [lane(a.x, b.x), lane(a.y, b.y), lane(a.z, b.z)];
            Vec3::new(c[1] * a.z - c[2] * a.y + b.x, c[2] * a.x - c[0] * a.z + b.y, c[0] * a.y - c[1] * a.x + b.z)
        };
        run.expect(&format!("{name} three"), &threes, &[0, 1, 2, 3].map(of));
        let of = |i: usize| {
            let (a, b) = (four[i], four[i + 1]);
            Vec4::new(a.w / by, (a.z + b.x) / by + by, b.y * by / by, T::ZERO / by)
        };
        run.expect(&format!("{name} four"), &fours, &[0, 1, 2, 3].map(of));
        let of = |i: usize| {
            let (p, q) = (two[i], two[i + 1]);
            let (r, s) = (three[i], three[i + 1]);
            let (t, u) = (four[i], four[i + 1]);
            [p.x * q.x + p.y * q.y, r.x * s.x + r.y * s.y + r.z * s.z, t.x * u.x + t.y * u.y + t.z * u.z + t.w * u.w]
        };
        run.expect(&format!("{name} dot"), &dots, &(0..4).flat_map(of).collect::<Vec<_>>());
    }
    of::<f32>(run);
    of::<f64>(run);
    of::<i8>(run);
    of::<i16>(run);
    of::<i32>(run);
    of::<i64>(run);
}

/// Lengths and directions.
#[kernel(fmad = false)]
pub fn directions(x: &[Float3], y: &mut [Float3], z: &mut [Double2], lengths: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        lengths[i] = x[i].length();
        y[i] = -x[i].normalize();
        z[i] = Double2::new(x[i].x as f64, lengths[i] as f64).normalize() * 2.0;
    }
}

fn geometry(run: &mut Run<'_>) {
    let numbers = Random::new(4).floats(60, 5.0);
    let vectors: Vec<Float3> = numbers.chunks(3).map(|v| Float3::new(v[0], v[1], v[2])).collect();
    let (x, mut y, mut z, mut lengths) = (run.array(&vectors), run.zeros(20), run.zeros(20), run.zeros(20));
    run.launch(directions(&x, &mut y, &mut z, &mut lengths).over(20));
    let length = |v: &Float3| (v.x * v.x + v.y * v.y + v.z * v.z).sqrt();
    run.expect("lengths", &lengths, &vectors.iter().map(length).collect::<Vec<_>>());
    let of = |v: &Float3| Float3::new(-(v.x / length(v)), -(v.y / length(v)), -(v.z / length(v)));
    run.expect("y", &y, &vectors.iter().map(of).collect::<Vec<_>>());
    let of = |v: &Float3| {
        let (a, b) = (f64::from(v.x), f64::from(length(v)));
        let length = (a * a + b * b).sqrt();
        Double2::new(a / length * 2.0, b / length * 2.0)
    };
    run.expect("z", &z, &vectors.iter().map(of).collect::<Vec<_>>());
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Pixel {
    depth: u8,
    colour: Uchar4,
    at: Int2,
    next: Float2,
}

/// Vectors in structs, as arguments and results, and in local arrays.
#[device]
pub fn moved(at: Int2, by: Int4) -> (Int2, Int3) {
    (at + Int2::new(by.x, by.w), Int3::new(by.z, at.y, at.x))
}

#[kernel]
pub fn pixels(x: &mut [Pixel], by: Int4, sums: &mut [Ulonglong2]) {
    let i = grid(1);
    let (at, more) = moved(x[i].at, by);
    x[i].at = at;
    x[i].colour = x[i].colour / 2 + Uchar4::splat(100);
    x[i].colour.w = 255;
    x[i].depth += more.z as u8;
    x[i].next += Float2::new(0.5, -0.5);
    let kept = [x[i].at, Int2::splat(3), -x[i].at];
    sums[i] = Ulonglong2::new(kept[i % 3].x as u64, 1 << 40);
}

fn mixed_vectors(run: &mut Run<'_>) {
    let before: Vec<Pixel> = (0..3u8)
        .map(|i| {
            let n = i32::from(i);
            let next = Float2::new(f32::from(i), 1.0);
            Pixel { depth: i, colour: Uchar4::new(10, 20, 30 + i, 40), at: Int2::new(n, 5 * n), next }
        })
        .collect();
    let (mut x, mut sums) = (run.array(&before), run.zeros(3));
    run.launch(pixels(&mut x, Int4::new(1, 2, 3, 4), &mut sums).grid(1).block(3));
    let after: Vec<Pixel> = before
        .iter()
        .map(|p| Pixel {
            depth: p.depth + p.at.x as u8,
            colour: Uchar4::new(105, 110, p.colour.z / 2 + 100, 255),
            at: Int2::new(p.at.x + 1, p.at.y + 4),
            next: Float2::new(p.next.x + 0.5, p.next.y - 0.5),
        })
        .collect();
    run.expect("x", &x, &after);
    let sums_of = [after[0].at.x as u64, 3, -after[2].at.x as u64];
    run.expect("sums", &sums, &sums_of.map(|x| Ulonglong2::new(x, 1 << 40)));
}

/// Vectors in static and dynamic shared memory, and in warp shuffles.
#[kernel(fmad = false)]
pub fn through_shared(x: &[Float4], y: &mut [Float4], z: &mut [Double2]) {
    let mut tile = shared::<[[Float4; 4]; 8]>();
    let mut rows = dynamic_shared::<Double2>();
    let t = thread_idx().x;
    tile[t % 8][t / 8] = x[t];
    rows[t] = Double2::new(x[t].x as f64, t as f64);
    sync_threads();
    y[t] = tile[t / 4][t % 4] + shfl_xor_sync(u32::MAX, x[t], 1);
    z[t] = rows[31 - t] * 0.5;
    z[t].y += rows[t].x;
}

fn shared_vectors(run: &mut Run<'_>) {
    let numbers = Random::new(6).floats(128, 2.0);
    let vectors: Vec<Float4> = numbers.chunks(4).map(|v| Float4::new(v[0], v[1], v[2], v[3])).collect();
    let (x, mut y, mut z) = (run.array(&vectors), run.zeros(32), run.zeros(32));
    run.launch(through_shared(&x, &mut y, &mut z).grid(1).block(32).shared_bytes(32 * 16));
    let of = |t: usize| {
        let (a, b) = (vectors[t / 4 + t % 4 * 8], vectors[t ^ 1]);
        Float4::new(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w)
    };
    run.expect("y", &y, &(0..32).map(of).collect::<Vec<_>>());
    let of =
        |t: usize| Double2::new(f64::from(vectors[31 - t].x) * 0.5, (31 - t) as f64 * 0.5 + f64::from(vectors[t].x));
    run.expect("z", &z, &(0..32).map(of).collect::<Vec<_>>());
}

/// The stream of a thread, from any offset.
#[kernel]
pub fn bits(seed: u64, first: u64, offset: u64, words: &mut [u32], longs: &mut [u64], states: &mut [Philox]) {
    let i = grid(1);
    if i < states.len() {
        let mut random = Philox::new(seed, first + i as u64, offset);
        for k in 0..9 {
            words[9 * i + k] = random.next_u32();
        }
        longs[i] = random.next_u64();
        states[i] = random;
        longs[i] ^= states[i].below(1000) as u64;
    }
}

/// Philox4x32-10 as its authors describe it, with cuRAND's counter.
fn philox(seed: u64, subsequence: u64, index: u64) -> u32 {
    let block = u128::from(index / 4) | u128::from(subsequence) << 64;
    let mut counter = [0, 1, 2, 3].map(|k| (block >> (32 * k)) as u32);
    let mut key = [seed as u32, (seed >> 32) as u32];
    for _ in 0..10 {
        let (a, b) = (0xd251_1f53 * u64::from(counter[0]), 0xcd9e_8d57 * u64::from(counter[2]));
        counter = [(b >> 32) as u32 ^ counter[1] ^ key[0], b as u32, (a >> 32) as u32 ^ counter[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    counter[index as usize % 4]
}

fn random_bits(run: &mut Run<'_>) {
    let cases =
        [(0, 0, 0), (7, 3, 1), (u64::MAX, 1 << 40, 2), (0x1234_5678_9abc_def0, u64::MAX - 40, 3), (1, 5, 1 << 34)];
    for (seed, first, offset) in cases {
        let (mut words, mut longs, mut states) = (run.zeros(360), run.zeros(40), run.zeros(40));
        run.launch(bits(seed, first, offset, &mut words, &mut longs, &mut states).block(32).over(40));
        let of = |i: u64, k: u64| philox(seed, first + i, offset + k);
        let expected: Vec<u32> = (0..40).flat_map(|i| (0..9).map(move |k| (i, k))).map(|(i, k)| of(i, k)).collect();
        run.expect("words", &words, &expected);
        let long = |i: u64| {
            let below = (u64::from(of(i, 11)) * 1000) >> 32;
            (u64::from(of(i, 9)) | u64::from(of(i, 10)) << 32) ^ below
        };
        run.expect("longs", &longs, &(0..40).map(long).collect::<Vec<_>>());
        let state = |i: u64| {
            let mut random = Philox::new(seed, first + i, offset + 11);
            random.next_u32();
            random
        };
        run.expect("states", &states, &(0..40).map(state).collect::<Vec<_>>());
    }
}

#[kernel(fmad = false)]
pub fn uniform(seed: u64, singles: &mut [f32], doubles: &mut [f64]) {
    let i = grid(1);
    let mut random = Philox::new(seed, i as u64, 0);
    for k in 0..4 {
        singles[4 * i + k] = random.uniform_f32();
        doubles[4 * i + k] = random.uniform_f64();
    }
}

fn random_numbers(run: &mut Run<'_>) {
    let (mut singles, mut doubles) = (run.zeros(160), run.zeros(160));
    run.launch(uniform(99, &mut singles, &mut doubles).grid(2).block(20));
    let at = |i: usize| ((i / 4) as u64, (i % 4) as u64 * 3);
    let of = |i: usize| (philox(99, at(i).0, at(i).1) >> 8) as f32 / 16_777_216.0;
    run.expect("f32", &singles, &(0..160).map(of).collect::<Vec<_>>());
    let of = |i: usize| {
        let (low, high) = (philox(99, at(i).0, at(i).1 + 1), philox(99, at(i).0, at(i).1 + 2));
        ((u64::from(low) | u64::from(high) << 32) >> 11) as f64 / 9_007_199_254_740_992.0
    };
    run.expect("f64", &doubles, &(0..160).map(of).collect::<Vec<_>>());
}

#[kernel(fmad = false)]
pub fn normal(seed: u64, singles: &mut [f32], doubles: &mut [f64]) {
    let i = grid(1);
    let mut random = Philox::new(seed, i as u64, 5);
    (singles[2 * i], singles[2 * i + 1]) = random.normal_pair_f32();
    (doubles[2 * i], doubles[2 * i + 1]) = random.normal_pair_f64();
    singles[2 * i] += random.normal_f32();
    doubles[2 * i] += random.normal_f64();
}

fn normal_numbers(run: &mut Run<'_>) {
    let (mut singles, mut doubles) = (run.zeros(200), run.zeros(200));
    run.launch(normal(3, &mut singles, &mut doubles).grid(5).block(20));
    // The sum can cancel the differences of its terms.
    run.output_within("f32", &singles, UlpsOr(16, 1e-6));
    run.output_within("f64", &doubles, UlpsOr(16, 1e-14));
}

/// Numba's generator, with its states in an array.
#[kernel]
pub fn stored_states(states: &mut [Xoroshiro128p], longs: &mut [u64], doubles: &mut [f64]) {
    let i = grid(1);
    if i < states.len() {
        longs[3 * i] = states[i].next_u64();
        longs[3 * i + 1] = states[i].next_u32() as u64;
        longs[3 * i + 2] = states[i].below(1000) as u64;
        doubles[2 * i] = states[i].uniform_f32() as f64;
        doubles[2 * i + 1] = states[i].uniform_f64();
        let mut other = Xoroshiro128p::new(i as u64);
        other.jump();
        longs[3 * i] ^= other.next_u64();
    }
}

fn states_in_an_array(run: &mut Run<'_>) {
    let mut host = Xoroshiro128p::states(5, 40);
    let (mut states, mut longs, mut doubles) = (run.array(&host), run.zeros(120), run.zeros(80));
    run.launch(stored_states(&mut states, &mut longs, &mut doubles).block(32).over(40));
    let (mut expected_longs, mut expected_doubles) = (Vec::new(), Vec::new());
    for (seed, state) in host.iter_mut().enumerate() {
        let mut other = Xoroshiro128p::states(seed as u64, 2)[1];
        expected_longs.push(state.next_u64() ^ other.next_u64());
        expected_longs.push(u64::from(state.next_u32()));
        expected_longs.push(u64::from(state.below(1000)));
        expected_doubles.push(f64::from(state.uniform_f32()));
        expected_doubles.push(state.uniform_f64());
    }
    run.expect("states", &states, &host);
    run.expect("longs", &longs, &expected_longs);
    run.expect("doubles", &doubles, &expected_doubles);
}

/// Vectors of 16-bit floats, and vectors from vectors.
#[kernel(fmad = false)]
pub fn halves(x: &[Half4], y: &[Bfloat2], z: &mut [Half4], sums: &mut [f32], w: &mut [Bfloat3]) {
    let i = grid(1);
    if i < x.len() {
        let doubled = (x[i] + x[i]) * f16::from_f32(0.5);
        z[i] = doubled.truncate().truncate().extend(doubled.z).extend(doubled.component(i % 4));
        sums[i] = x[i].component(3 - i % 4).to_f32() + y[i].component(i % 2).to_f32();
        w[i] = y[i].extend(y[i].x - y[i].y);
        sums[i] += w[i].component(i % 3).to_f32();
    }
}

fn of_halves(run: &mut Run<'_>) {
    let half = |i: usize, k: usize| f16::from_f32(i as f32 * 0.5 - k as f32);
    let brain = |i: usize, k: usize| bf16::from_f32(i as f32 + k as f32 * 0.25);
    let xs: Vec<Half4> = (0..9).map(|i| Half4::new(half(i, 0), half(i, 1), half(i, 2), half(i, 3))).collect();
    let ys: Vec<Bfloat2> = (0..9).map(|i| Bfloat2::new(brain(i, 0), brain(i, 1))).collect();
    let (x, y) = (run.array(&xs), run.array(&ys));
    let mut z = run.array(&[Half4::ZERO; 9]);
    let (mut sums, mut w) = (run.zeros(9), run.array(&[Bfloat3::ZERO; 9]));
    run.launch(halves(&x, &y, &mut z, &mut sums, &mut w).block(4).over(9));
    let last = |i: usize| Half4::new(half(i, 0), half(i, 1), half(i, 2), half(i, i % 4));
    run.expect("z", &z, &(0..9).map(last).collect::<Vec<_>>());
    let extended = |i: usize| [brain(i, 0), brain(i, 1), bf16::from_f32(-0.25)];
    let vectors = (0..9).map(|i| Bfloat3::new(extended(i)[0], extended(i)[1], extended(i)[2]));
    run.expect("w", &w, &vectors.collect::<Vec<_>>());
    let sum = |i: usize| half(i, 3 - i % 4).to_f32() + brain(i, i % 2).to_f32() + extended(i)[i % 3].to_f32();
    run.expect("sums", &sums, &(0..9).map(sum).collect::<Vec<_>>());
}

/// Struct update syntax, components by index, and vectors from vectors.
#[kernel(fmad = false)]
pub fn updates<T: Component>(x: &[Vec4<T>], by: T, four: &mut [Vec4<T>], three: &mut [Vec3<T>], two: &mut [Vec2<T>]) {
    let i = grid(1);
    if i < x.len() {
        let v = x[i];
        four[4 * i] = Vec4 { x: by, ..v };
        four[4 * i + 1] = Vec4 { w: v.x + by, y: by, ..x[i] };
        four[4 * i + 2] = v.zw().concat(v.xy());
        four[4 * i + 3] = x[i].with_component(i % 4, by).with_component((i + 1) % 4, v.component((i + 2) % 4));
        let xyz = v.truncate();
        three[2 * i] = Vec3 { z: by, ..xyz };
        three[2 * i + 1] = xyz.with_component(i % 3, v.w);
        two[2 * i] = Vec2 { y: by, ..v.zw() };
        two[2 * i + 1] = v.xy().with_component(i % 2, by);
    }
}

/// The product of a number and a vector, and linear interpolation.
#[kernel(fmad = false)]
pub fn scaled(x: &[Float4], y: &mut [Float4], z: &mut [Half4], n: &mut [Int3]) {
    let i = grid(1);
    if i + 1 < x.len() {
        y[i] = 2.0 * x[i].lerp(x[i + 1], 0.25) - x[i].x * x[i];
        z[i] = f16::from_f32(0.5) * Half4::splat(f16::from_f32(x[i].y));
        n[i] = -3 * n[i];
    }
}

fn scaled_vectors(run: &mut Run<'_>) {
    let numbers = Random::new(77).floats(20, 4.0);
    let vectors: Vec<Float4> = numbers.chunks(4).map(|v| Float4::new(v[0], v[1], v[2], v[3])).collect();
    let x = run.array(&vectors);
    let (mut y, mut z, mut n) = (run.zeros(4), run.array(&[Half4::ZERO; 4]), run.array(&[Int3::new(1, 2, 3); 4]));
    run.launch(scaled(&x, &mut y, &mut z, &mut n).over(4));
    let of = |i: usize, k: usize| {
        let (a, b) = (numbers[4 * i + k], numbers[4 * i + 4 + k]);
        (a * 0.75 + b * 0.25) * 2.0 - a * numbers[4 * i]
    };
    let expected = (0..4).map(|i| Float4::new(of(i, 0), of(i, 1), of(i, 2), of(i, 3)));
    run.expect("y", &y, &expected.collect::<Vec<_>>());
    let half = |i: usize| Half4::splat(f16::from_f32(0.5) * f16::from_f32(numbers[4 * i + 1]));
    run.expect("z", &z, &(0..4).map(half).collect::<Vec<_>>());
    run.expect("n", &n, &[Int3::new(-3, -6, -9); 4]);
}

fn updated_vectors(run: &mut Run<'_>) {
    fn of<T: Component + Edges>(run: &mut Run<'_>) {
        let values: Vec<Vec4<T>> =
            (0..5).map(|i| Vec4::new(T::small(i), T::small(i + 10), T::small(i + 20), T::small(i + 30))).collect();
        let (x, by, n) = (run.array(&values), T::small(7), values.len());
        let (mut four, mut three, mut two) = (run.zeros(4 * n), run.zeros(2 * n), run.zeros(2 * n));
        run.launch(updates(&x, by, &mut four, &mut three, &mut two).over(n));
        let (mut fours, mut threes, mut twos) = (Vec::new(), Vec::new(), Vec::new());
        for (i, &v) in values.iter().enumerate() {
            let components = [v.x, v.y, v.z, v.w];
            let with = |mut array: [T; 4], index: usize, value: T| {
                array[index] = value;
                array
            };
            let [a, b, c, d] = with(with(components, i % 4, by), (i + 1) % 4, components[(i + 2) % 4]);
            fours.extend([
                Vec4 { x: by, ..v },
                Vec4::new(v.x, by, v.z, v.x + by),
                Vec4::new(v.z, v.w, v.x, v.y),
                Vec4::new(a, b, c, d),
            ]);
            let [a, b, c, _] = with(components, i % 3, v.w);
            threes.extend([Vec3::new(v.x, v.y, by), Vec3::new(a, b, c)]);
            let [a, b, ..] = with(components, i % 2, by);
            twos.extend([Vec2::new(v.z, by), Vec2::new(a, b)]);
        }
        let name = std::any::type_name::<T>();
        run.expect(&format!("{name} four"), &four, &fours);
        run.expect(&format!("{name} three"), &three, &threes);
        run.expect(&format!("{name} two"), &two, &twos);
    }
    of::<f32>(run);
    of::<f64>(run);
    of::<i8>(run);
    of::<i64>(run);
}

#[kernel]
pub fn component_at(x: &[Float3], index: usize, set: bool, y: &mut [f32]) {
    y[0] = 1.0;
    if set {
        y[1] = x[0].with_component(index, 5.0).z;
    } else {
        y[1] = x[0].component(index);
    }
    y[0] = 2.0;
}

fn components_out_of_bounds(run: &mut Run<'_>) {
    let x = run.array(&[Float3::new(7.0, 8.0, 9.0)]);
    for set in [false, true] {
        let mut y = run.zeros(2);
        run.launch(component_at(&x, 2, set, &mut y).grid(1).block(1));
        run.expect("inside", &y, &[2.0, if set { 5.0 } else { 9.0 }]);
        let mut y = run.zeros(2);
        run.expect_fault("outside", |run| run.launch(component_at(&x, 3, set, &mut y).grid(1).block(1)));
        run.expect("outside", &y, &[1.0, 0.0]);
    }
}
