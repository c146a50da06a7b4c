//! Patterns that are matched against references, and bind references to the parts of the referent.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(unused_assignments, unused_variables, unused_mut, reason = "as above")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

programs! {
    items {
        pub const LIMIT: i32 = 4;

        #[derive(Clone, Copy, DeviceType)]
        pub enum Kind {
            Leaf = 0,
            Inner = 1,
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Node {
            kind: Kind,
            size: i32,
            links: [i32; 2],
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Pair(i32, i32);

        #[device]
        impl Node {
            pub fn weight(&self) -> i32 {
                match self {
                    Node { kind: Kind::Leaf, size, .. } => size.wrapping_mul(2),
                    Node { kind: Kind::Inner, size: LIMIT, links } => links[0],
                    Node { kind: Kind::Inner, size, links: [a, b] } if *size > 5 => a.wrapping_sub(*b),
                    Node { size: small @ 0..=3, .. } => *small + 100,
                    _ => 9,
                }
            }

            pub fn grow(&mut self) {
                match self {
                    Node { kind: Kind::Leaf, size, .. } => *size = size.wrapping_add(1),
                    Node { links: [first, _], size, .. } => {
                        *first = first.wrapping_add(7);
                        *size -= 1;
                    }
                }
            }
        }

        #[device]
        pub fn sum(node: &Node) -> i32 {
            let Node { size, links, .. } = node;
            let Node { links: [a, b], .. } = node;
            size.wrapping_add(links[0]).wrapping_add(*a ^ *b)
        }
    }

    fn matches_of_references(x: &[i32], y: &mut [i32]) {
        let mut node = Node { kind: Kind::Leaf, size: x[0] & 7, links: [x[1], x[2]] };
        y[0] = node.weight();
        node.grow();
        y[1] = node.size;
        node.kind = Kind::Inner;
        y[2] = node.weight();
        node.grow();
        y[3] = node.links[0];
        y[4] = sum(&node);
        if let Node { kind: Kind::Inner, size, .. } = &mut node {
            *size += 1;
        }
        let r = &node;
        if let Node { kind: Kind::Inner, size: r, .. } = r {
            y[8] = *r;
        }
        y[5] = if let Node { kind: Kind::Leaf, size, .. } = r { *size } else { r.weight() };
        let mut pair = (x[3], [x[4], x[5]]);
        match &mut pair {
            (0, [a, _]) => *a = 5,
            (n, [_, b]) => {
                *n = n.wrapping_add(1);
                *b = *n;
            }
        }
        y[6] = pair.0;
        y[7] = pair.1[1];
    }

    fn lets_of_references(x: &[i32], y: &mut [i32]) {
        let mut node = Node { kind: Kind::Leaf, size: x[0], links: [x[1], x[2]] };
        let r = &mut node;
        let Node { size, links: [first, ..], .. } = r;
        *size = size.wrapping_add(*first);
        *first = 3;
        y[0] = node.size;
        y[1] = node.links[0];
        let Pair(a, b) = &Pair(x[3], x[4]);
        y[2] = a.wrapping_mul(*b);
    }

    fn loops_over_references(x: &[i32], y: &mut [i32]) {
        let pairs = [(x[0], x[1]), (x[2], x[3])];
        for (a, b) in pairs.iter() {
            y[0] = y[0].wrapping_add(a.wrapping_mul(*b));
        }
        for (i, (a, _)) in pairs.iter().enumerate() {
            y[1] = y[1].wrapping_add(a.wrapping_mul(i as i32));
        }
        let mut cells = [Pair(x[4], x[5]), Pair(x[6], x[7])];
        for Pair(a, b) in &mut cells {
            if *a < 0 {
                continue;
            }
            *b = b.wrapping_sub(*a);
        }
        for Pair(_, b) in cells.iter() {
            y[2] ^= *b;
        }
    }
}
