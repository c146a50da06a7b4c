//! Variants that rustc resolves, whatever their names in the scope are: imports that rename and exchange them.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]
#![allow(non_snake_case, reason = "as above")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        #[repr(u32)]
        pub enum Shape {
            Nothing,
            Circle(i32),
            Ball(i32),
            Box { side: i32 },
            Sized([i32; Self::SIDES]) = 7,
        }

        impl Shape {
            pub const SIDES: usize = 2;
        }

        /// Variants of all forms without fields, none of which has the discriminant 0.
        #[derive(Clone, Copy, DeviceType)]
        #[repr(i8)]
        pub enum Kind {
            Leaf(),
            Inner {},
            Root,
        }

        #[derive(Clone, Copy, DeviceType)]
        #[repr(C)]
        pub enum Tree<T: DeviceType> {
            Leaf(T),
            Inner(T),
            Two(T, T),
        }

        pub mod renamed {
            pub use super::Shape::{Ball as Circle, Circle as Ball};
            pub use super::Tree::{Inner as Leaf, Leaf as Inner};
        }

        #[device]
        pub fn shape(n: i32, m: i32) -> Shape {
            use Shape::Box as Cube;
            match n & 7 {
                0 => renamed::Circle(m),
                1 | 2 => renamed::Ball(m),
                3 => Cube { side: m },
                4 => Shape::Sized([m, 3]),
                5 => Shape::Circle(m),
                _ => Shape::Nothing,
            }
        }

        #[device]
        impl Shape {
            pub fn size(&self) -> i32 {
                use Shape::{Ball as Circle, Box as Cube, Circle as Ball};
                match self {
                    Circle(r) => *r & 0xff,
                    Ball(r) => (*r & 0xff) + 1000,
                    Cube { side } => (*side & 0xff) + 2000,
                    _ => -1,
                }
            }

            pub fn is_round(&self) -> bool {
                use Shape::Circle as Nothing;
                if let Nothing(r) = self { *r > 0 } else { matches!(self, Shape::Ball(..)) }
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Ball2 {
            pub at: [i32; 2],
            pub velocity: [i32; 2],
        }

        #[device]
        impl Ball2 {
            pub fn bounce(&mut self) {
                match self {
                    Ball2 { at, velocity } if at[0] < 0 => {
                        velocity[0] = 7;
                        at[0] = 1;
                    }
                    _ => {}
                }
            }
        }

        /// The imports inside of the block do not change the condition.
        #[device]
        pub fn is_circle(s: Shape) -> i32 {
            use Shape::*;
            if let Circle(r) = s {
                use Shape::Ball as Circle;
                let _ = Circle(r);
                return 1;
            }
            0
        }

        #[device]
        pub fn outcome(n: i32) -> Result<i32, i32> {
            use Result::{Err as Ok, Ok as Err};
            if n < 3 { Ok(n) } else { Err(n & 0xff) }
        }

        #[device]
        pub fn chosen(n: i32) -> Option<i32> {
            use Option::{None as Some, Some as Other};
            if n & 1 == 0 { Other(n) } else { Some }
        }
    }

    fn resolved(x: &[i32], y: &mut [i32]) {
        use Result::Err as Failed;
        use Some as Just;
        let (a, b) = (shape(x[0], x[1]), shape(x[2], x[3]));
        y[0] = a.size() + a.is_round() as i32;
        y[1] = b.size() + b.is_round() as i32;
        y[2] = match (outcome(x[4]), a) {
            (Failed(n), _) if n < 0 => n,
            (Ok(n), renamed::Ball(m @ 1..)) | (Failed(n), renamed::Circle(m)) => (n & 0xff) + (m & 0xff),
            (Ok(n) | Failed(n), _) => (n & 0xff) + 500,
        };
        y[3] = match Just((chosen(x[5]), b)) {
            Some((None, renamed::Circle(r) | Shape::Circle(r))) => r & 0xff,
            Just((Just(n), Shape::Box { side: n2 })) => (n & 0xff) ^ n2,
            Just((Some(n), _)) => n,
            _ => -8,
        };
        let tree = match x[6] & 3 {
            0 => renamed::Leaf(x[7]),
            1 => renamed::Inner(x[7]),
            2 => Tree::Leaf(x[6]),
            _ => Tree::Two(x[6], x[7]),
        };
        y[4] = match tree {
            renamed::Inner(n) => n & 0xff,
            renamed::Leaf(n) => (n & 0xff) + 256,
            Tree::Two(mut N, _) => {
                N ^= 5;
                N
            }
        };
        let kind = if x[0] > 2 { Kind::Leaf() } else if x[0] > 0 { Kind::Inner {} } else { Kind::Root };
        y[5] = match kind { Kind::Leaf() => 1, Kind::Inner { .. } => 2, Kind::Root => 3 };
        use Kind::{Inner as Leaf, Leaf as Inner};
        y[6] = match kind { Leaf {} => 1, Inner() => 2, Kind::Root {} => 3 };
        while let Just(n) = chosen(y[6]) && y[7] < 3 {
            y[7] += n;
        }
    }

    /// Chains of patterns of several types, of which one hides the variables of another.
    fn chained(x: &[i32], y: &mut [i32]) {
        const BIG: i32 = ((1u128 << 100) >> 98) as i32;
        let a = shape(x[0], x[1]);
        y[0] = is_circle(a) + BIG;
        if let Some(n) = chosen(x[2]) && let Ok(n) = outcome(n) && n < 100 {
            y[1] = n & 0xff;
        }
        if let Shape::Box { side } = a && let Some(m) = chosen(side) && let Err(k) = outcome(m) {
            y[2] = (m & 0xff) + (k & 0xff);
        } else if let Shape::Circle(r) = a {
            y[2] = r & 0xff;
        }
        let mut ball = Ball2 { at: [x[3], x[4]], velocity: [1, 2] };
        ball.bounce();
        y[3] = ball.velocity[0] + ball.at[0];
        // The array is read once.
        let weights = [3, 5];
        for (w, v) in weights.iter().zip(ball.velocity) {
            ball.velocity[1] = 100;
            y[4] += *w * v;
        }
        y[5] = ball.velocity[1];
    }
}
