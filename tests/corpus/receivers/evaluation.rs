//! Evaluation order of receivers and arguments, receivers that are values, and receivers that are out of bounds.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![order_of_evaluation, values_of_receivers, enums_and_bools, faults_of_receivers,];

/// A list whose methods record their arguments.
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

    /// Takes `self` by value: the list before the arguments are evaluated.
    pub fn with(self, value: u32) -> u32 {
        self.len * 100 + value
    }

    /// Takes `self` by reference: the list after the arguments are evaluated.
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

/// Methods on values in variables, temporaries and copies.
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

/// An index out of bounds is a fault before the arguments are evaluated, and the method is not called.
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
