//! Ranges: empty, reversed, inclusive, stepped, of every integer type, and up to the type's maximum.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use crate::twin::twins;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![run_all, bounds];

twins! { -12i32..13;
    fn exclusive(x: i32) -> i64 {
        let mut n = 0i64;
        for i in x..5 {
            n = n * 31 + i as i64;
            n %= 1_000_003;
        }
        n
    }

    fn inclusive(x: i32) -> i64 {
        let mut n = 0i64;
        for i in x..=5 {
            n = n * 31 + i as i64;
            n %= 1_000_003;
        }
        n
    }

    fn stepped(x: i32) -> i64 {
        let mut n = 0i64;
        for i in (x..11).step_by(3) {
            n = n * 31 + i as i64;
            n %= 1_000_003;
        }
        for i in (x..=11).step_by(4) {
            n = n * 31 + i as i64;
            n %= 1_000_003;
        }
        n
    }

    /// The bounds are evaluated once, before the loop, and the variable is new in each iteration.
    fn evaluated_once(x: i32) -> i64 {
        let mut end = x;
        let mut n = 0i64;
        for mut i in 0..({ n += 1; end }) {
            end += 1;
            i *= 2;
            n = n * 10 + i as i64;
            n %= 1_000_003;
        }
        let mut step = 1;
        for i in (0..end as usize % 64).step_by(step) {
            step += 1;
            n += i as i64 * step as i64;
        }
        n
    }

    fn signed_bytes(x: i32) -> i64 {
        let mut n = 0i64;
        for i in (x as i8)..=i8::MAX {
            n += i as i64 * 3 + 1;
        }
        for i in i8::MIN..x as i8 {
            n ^= i as i64;
        }
        for i in (i8::MIN..=i8::MAX).step_by(100) {
            n = n * 7 + i as i64;
        }
        n
    }

    fn unsigned_bytes(x: i32) -> i64 {
        let mut n = 0i64;
        for i in (x.unsigned_abs() as u8)..=u8::MAX {
            n += i as i64 * 3 + 1;
        }
        for i in (250..u8::MAX).step_by(4) {
            n = n * 7 + i as i64;
        }
        for i in (0..=u8::MAX).step_by(255) {
            n = n * 7 + i as i64;
        }
        for i in (3..=u8::MAX).step_by(1000) {
            n = n * 7 + i as i64;
        }
        n
    }

    /// A count that is computed as an unsigned difference would be large.
    fn start_past_the_end(x: i32) -> i64 {
        let mut n = 0i64;
        for _ in 5u32..x.unsigned_abs() % 6 {
            n += 1;
        }
        for _ in 5usize..=(x.unsigned_abs() % 4) as usize {
            n += 100;
        }
        for _ in (7u64..3).step_by(2) {
            n += 10_000;
        }
        for _ in 100..x {
            n += 1_000_000;
        }
        n
    }

    fn last_numbers(x: i32) -> i64 {
        let mut n = 0i64;
        for i in i32::MAX - 2..=i32::MAX {
            n += i as i64;
        }
        for i in (u64::MAX - 4..u64::MAX).step_by(3) {
            n ^= i as i64;
        }
        for i in u32::MAX - 1..=u32::MAX {
            n += i as i64;
            if i as i64 == x as i64 {
                break;
            }
        }
        for i in (i64::MAX - 10..=i64::MAX).step_by(4) {
            n ^= i;
        }
        for i in (i64::MIN..=i64::MAX).step_by(usize::MAX) {
            n ^= i / 3;
        }
        for i in (i16::MAX - 1)..=i16::MAX {
            n += i as i64;
            continue;
        }
        n
    }

    fn nested_of_each_other(x: i32) -> i64 {
        let mut n = 0i64;
        for i in 0..x {
            for j in i..x {
                for k in (i..=j).step_by(2) {
                    n += (i * 100 + j * 10 + k) as i64;
                }
            }
        }
        n
    }

    fn inferred_types(x: i32) -> i64 {
        let mut n = 0i64;
        let bytes: u8 = 5;
        for i in 0..bytes {
            n += i as i64;
        }
        for i in -3..=3 {
            n = n * 3 + i;
        }
        for i in 0..4 {
            n += (x as i64) >> i;
        }
        n
    }
}

use cumbia::prelude::*;

/// Counts the iterations of a range with any bounds.
#[kernel]
pub fn count_turns(starts: &[i64], ends: &[i64], turns: &mut [u32], last: &mut [i64]) {
    let at = grid(1);
    if at < starts.len() {
        for i in starts[at]..ends[at] {
            turns[2 * at] += 1;
            last[2 * at] = i;
            if turns[2 * at] == 9 {
                break;
            }
        }
        for i in starts[at]..=ends[at] {
            turns[2 * at + 1] += 1;
            last[2 * at + 1] = i;
            if turns[2 * at + 1] == 9 {
                break;
            }
        }
    }
}

fn bounds(run: &mut Run<'_>) {
    let ends = [i64::MIN, i64::MIN + 1, -2, -1, 0, 1, 2, i64::MAX - 1, i64::MAX];
    let pairs: Vec<(i64, i64)> = ends.iter().flat_map(|&start| ends.map(|end| (start, end))).collect();
    let (starts, ends): (Vec<i64>, Vec<i64>) = pairs.iter().copied().unzip();
    let (starts, ends, len) = (run.array(&starts), run.array(&ends), pairs.len());
    let (mut turns, mut last) = (run.zeros(2 * len), run.zeros(2 * len));
    run.launch(count_turns(&starts, &ends, &mut turns, &mut last).over(len));
    let count = |numbers: &mut dyn Iterator<Item = i64>| numbers.take(9).fold((0, 0), |(turns, _), i| (turns + 1, i));
    let expected: Vec<(u32, i64)> =
        pairs.iter().flat_map(|&(start, end)| [count(&mut (start..end)), count(&mut (start..=end))]).collect();
    let (turns_expected, last_expected): (Vec<u32>, Vec<i64>) = expected.into_iter().unzip();
    run.expect("turns", &turns, &turns_expected);
    run.expect("last", &last, &last_expected);
}
