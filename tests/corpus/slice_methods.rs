//! The methods of slices that are defined in Rust: `swap`, `fill`, `reverse`; on slices and arrays in all memories.

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
}
