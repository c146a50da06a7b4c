//! The methods of slices that are defined in Rust, on slices and arrays in all memories; loops over several sequences and over
//! sub-slices; the checked operations of integers.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unused_assignments, unused_variables, unused_mut, reason = "as above")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        pub struct Rows {
            rows: [[i32; 3]; 2],
        }

        #[device]
        impl Rows {
            pub fn flip(&mut self) {
                self.rows.swap(0, 1);
                self.rows[0].reverse();
            }
        }

        #[device]
        pub fn shuffled(x: &mut [i32]) {
            x.swap(0, 1);
            x[1..].reverse();
        }

        #[derive(Clone, Copy, DeviceType)]
        #[device(PartialEq)]
        pub struct Pair(i32, u8);

        #[device]
        pub fn reduced<T: Integer>(x: &[T]) -> Option<T> {
            let sum: T = x[..1].iter().copied().max()?;
            x.iter().copied().min()?.checked_add(sum)
        }

        #[device]
        pub fn all_checked<T: Integer>(a: T, b: T, n: u32) -> [Option<T>; 9] {
            [
                a.checked_add(b),
                a.checked_sub(b),
                a.checked_mul(b),
                a.checked_div(b),
                a.checked_rem(b),
                a.checked_neg(),
                a.checked_shl(n),
                a.checked_shr(n),
                a.checked_pow(n & 7),
            ]
        }

        #[device]
        pub fn hashed<T: Integer>(results: [Option<T>; 9]) -> i64 {
            let mut hash = 0i64;
            for result in results {
                let value = match result { Some(value) => i64::cast(value), None => 0x55_5555 };
                hash = hash.wrapping_mul(31).wrapping_add(value);
            }
            hash
        }

        #[device]
        pub fn of_array(x: &mut [i32; 3], at: usize) {
            x.swap(0, at);
            (*x).swap(1, 2);
        }
    }

    fn modified(x: &[i32], y: &mut [i32]) {
        let mut list = [x[0], x[1], x[2]];
        list.swap(0, 1);
        y[0] = list[0];
        list.reverse();
        y[1] = list[0];
        y[2..5].fill(x[3]);
        y[3..6].swap(0, 2);
        let mut rows = Rows { rows: [[x[0], x[1], x[2]], [x[3], x[4], x[5]]] };
        rows.flip();
        y[6] = rows.rows[0][0];
        rows.rows[1].swap(1, 2);
        y[7] = rows.rows[1][1];
        shuffled(&mut list);
        shuffled(&mut y[3..8]);
        of_array(&mut list, 2);
        y[8] = list[0];
        list[1..].fill(x[6]);
        y[9] = list[2];
        let all = &mut list;
        all.reverse();
        y[10] = list[0];
        let none = &mut list[3..];
        none.reverse();
        none.fill(1);
        y[11] = none.len() as i32;
    }

    fn out_of_bounds(x: &[i32], y: &mut [i32]) {
        y[0] = 1;
        let mut list = [x[0], x[1], x[2]];
        list.swap((x[3] & 3) as usize, 1);
        y[1] = list[1];
        y[1..5].swap(0, (x[4] & 7) as usize);
        y[2] = 5;
    }

    fn sorted(x: &[i32], y: &mut [i32]) {
        let mut list = [x[0], x[1], x[2], x[3], x[4]];
        list[1..4].copy_from_slice(&x[3..6]);
        list.sort();
        y[..5].copy_from_slice(&list);
        y[5] = list.contains(&x[6]) as i32 + 2 * x[2..5].contains(&list[0]) as i32;
        let pairs = [Pair(x[0], 1), Pair(x[1], x[2] as u8)];
        y[5] += 4 * pairs.contains(&Pair(x[2], x[3] as u8)) as i32;
        let mut many = [0u8; 80];
        for (i, byte) in many.iter_mut().enumerate() {
            *byte = (i as i32).wrapping_mul(x[i % 8]).wrapping_add(x[(i / 9) % 8]) as u8;
        }
        many[..70].sort_unstable();
        let mut hash = 7u32;
        for byte in many {
            hash = hash.wrapping_mul(33) ^ byte as u32;
        }
        y[6] = hash as i32;
        y[7..11].copy_from_slice(&list[..(x[7] & 5) as usize]);
        y[11] = 1;
    }

    fn reductions(x: &[i32], y: &mut [i32]) {
        y[0] = x.iter().copied().max().unwrap_or(-1);
        y[1] = x[..(x[0] & 3) as usize].iter().copied().min().unwrap_or(-1);
        let floats = [x[0] as f32, 0.25, x[1] as f32];
        y[2] = floats.iter().sum::<f32>() as i32;
        y[3] = floats[1..].iter().copied().product::<f32>().to_bits() as i32;
        y[4] = floats[..0].iter().sum::<f32>().to_bits() as i32;
        let mut bytes = [1u8, 2, 3];
        bytes[1] = x[2] as u8;
        y[5] = reduced(&bytes).unwrap_or(99) as i32;
        let n: u8 = bytes.iter().product();
        y[7] = n as i32;
        y[8] = x.iter().sum();
    }

    fn zipped(x: &[i32], y: &mut [i32]) {
        let mut list = [1, 2, 3, 4, 5];
        for (a, &b) in list.iter_mut().zip(x) {
            *a += b & 0xff;
        }
        for (i, (a, b)) in y.iter_mut().zip(list.iter().copied()).enumerate() {
            if b == 3 {
                continue;
            }
            *a = b * 2 + i as i32;
        }
        'pairs: for ((a, b), (i, _)) in x[1..].iter().zip(&list).zip(x.iter().enumerate()).rev() {
            if *a == 2 {
                break 'pairs;
            }
            y[5] = y[5].wrapping_mul(3).wrapping_add(*a ^ *b).wrapping_add(i as i32);
        }
        for w in x.windows(3) {
            y[6] = y[6].wrapping_mul(5).wrapping_add(w[0] ^ w[2]).wrapping_add(w.len() as i32);
        }
        for (chunk, first) in y[7..].chunks_mut(2).zip(x.windows((x[0] & 7) as usize)) {
            chunk[0] = first[0];
            chunk.reverse();
        }
        for (i, chunk) in x.chunks_exact((x[1] & 3) as usize).enumerate() {
            y[11] = y[11].wrapping_add((chunk[0] ^ i as i32) & 0xff);
        }
        for _ in x.chunks(3) {
            y[11] += 1000;
        }
        for part in list[..4].chunks_exact_mut(2) {
            let [a, b] = [part[1], part[0]];
            part[0] = a;
            part[1] = b;
        }
        y[4] = list[0] ^ list[2];
    }

    fn checked(x: &[i32], y: &mut [i64]) {
        for i in 0..2 {
            let (a, b, n) = (x[2 * i], x[2 * i + 1], x[4 + i] as u32 & 0x7f);
            y[6 * i] = hashed(all_checked(a, b, n));
            y[6 * i + 1] = hashed(all_checked(a as i8, b as i8, n));
            y[6 * i + 2] = hashed(all_checked(a as u8, b as u8, n));
            y[6 * i + 3] = hashed(all_checked(a as i64 * 0x1_0000_0001, b as i64 * 0x1_0000_0001, n));
            y[6 * i + 4] = hashed(all_checked(a as u64, b as u64, n));
            y[6 * i + 5] = hashed(all_checked(i16::MIN, b as i16, n));
        }
    }
}
