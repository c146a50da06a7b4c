//! Method probing: of several methods with one name, Rust takes the first that accepts the receiver's type, then one
//! that accepts a borrow of it, then those of the dereferenced type. So `self`, `&self` and `&mut self` decide together
//! with whether the receiver is a value or a reference.
//!
//! The programs are compiled as plain Rust as well (`program.rs`), so that the expected results are rustc's.

#![allow(clippy::all, clippy::pedantic, reason = "the borrows are what is tested")]
#![allow(unused_mut, reason = "as above")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

programs! {
    items {
        #[device]
        pub trait ByValue {
            fn pick(self) -> i64;
            fn also(self) -> i64;
        }

        #[device]
        pub trait ByRef {
            fn pick(&self) -> i64;
            fn both(&self) -> i64 {
                self.pick().wrapping_mul(10)
            }
        }

        #[device]
        pub trait ByMut {
            fn pick(&mut self) -> i64;
            fn also(&mut self) -> i64;
            fn twice(&mut self) -> i64 {
                self.pick().wrapping_mul(3).wrapping_add(self.pick())
            }
        }

        /// A method with `self`, and trait methods of the same name with `&self`.
        #[derive(Clone, Copy, DeviceType)]
        pub struct Owned {
            n: i64,
        }

        #[device]
        impl Owned {
            fn pick(self) -> i64 {
                self.n ^ 1
            }

            fn inside(&self) -> i64 {
                self.pick()
            }

            fn inside_mut(&mut self) -> i64 {
                self.pick()
            }
        }

        #[device]
        impl ByRef for Owned {
            fn pick(&self) -> i64 {
                self.n ^ 2
            }
        }

        #[device]
        impl ByMut for Owned {
            fn pick(&mut self) -> i64 {
                self.n = self.n.wrapping_add(100);
                self.n ^ 4
            }

            fn also(&mut self) -> i64 {
                self.n = self.n.wrapping_sub(7);
                self.n
            }
        }

        /// A method with `&mut self`, and a trait method of the same name with `self`.
        #[derive(Clone, Copy, DeviceType)]
        pub struct Changed {
            n: i64,
        }

        #[device]
        impl Changed {
            fn also(&mut self) -> i64 {
                self.n = self.n.wrapping_mul(5);
                self.n
            }
        }

        #[device]
        impl ByValue for Changed {
            fn pick(self) -> i64 {
                self.n ^ 8
            }

            fn also(self) -> i64 {
                self.n ^ 16
            }
        }

        #[device]
        impl ByMut for Changed {
            fn pick(&mut self) -> i64 {
                self.n = self.n.wrapping_add(1000);
                self.n
            }

            fn also(&mut self) -> i64 {
                self.n ^ 32
            }
        }

        /// A type without inherent methods.
        #[derive(Clone, Copy, DeviceType)]
        pub struct Plain {
            inner: Owned,
            n: i64,
        }

        #[device]
        impl ByRef for Plain {
            fn pick(&self) -> i64 {
                self.n ^ 64
            }
        }

        #[device]
        impl ByValue for Plain {
            fn pick(self) -> i64 {
                self.n ^ 128
            }

            fn also(self) -> i64 {
                self.inner.pick()
            }
        }

        #[device]
        impl ByRef for i64 {
            fn pick(&self) -> i64 {
                *self ^ 256
            }
        }

        #[device]
        impl ByMut for i64 {
            fn pick(&mut self) -> i64 {
                *self = self.wrapping_add(9);
                *self
            }

            fn also(&mut self) -> i64 {
                *self
            }
        }

        #[device]
        pub fn of_parameters(owned: &Owned, changed: &mut Changed, plain: &mut Plain, y: &mut [i64]) {
            y[0] = owned.pick();
            y[1] = changed.pick();
            y[2] = changed.also();
            y[3] = plain.pick();
            y[4] = plain.inner.pick();
        }

        #[device]
        pub fn of_any<T: ByValue + ByMut + DeviceType>(mut value: T, y: &mut [i64]) {
            y[0] = value.pick();
            let r = &mut value;
            y[1] = r.pick();
            y[2] = r.also();
            y[3] = value.also();
            y[4] = (&mut value).pick();
        }
    }

    fn variables(x: &[i64], y: &mut [i64]) {
        let mut owned = Owned { n: x[0] };
        y[0] = owned.pick();
        y[1] = (&owned).pick();
        y[2] = (&mut owned).pick();
        y[3] = owned.inside();
        y[4] = owned.inside_mut();
        let mut changed = Changed { n: x[1] };
        y[5] = changed.pick();
        y[6] = (&mut changed).pick();
        y[7] = changed.also();
        y[8] = (&mut changed).also();
        y[9] = owned.n ^ changed.n;
    }

    fn borrowed_variables(x: &[i64], y: &mut [i64]) {
        let owned = Owned { n: x[0] };
        let plain = Plain { inner: owned, n: x[2] };
        y[0] = plain.pick();
        y[1] = (&plain).pick();
        y[2] = (&plain.inner).pick();
        y[3] = plain.also();
        y[4] = (&plain).both();
        y[5] = (&Plain { inner: owned, n: x[3] }).pick();
    }

    fn references(x: &[i64], y: &mut [i64]) {
        let mut owned = Owned { n: x[0] };
        let r = &owned;
        y[0] = r.pick();
        y[1] = r.inside();
        y[2] = (*r).pick();
        let m = &mut owned;
        y[3] = m.pick();
        y[4] = (*m).pick();
        y[5] = m.twice();
        y[6] = m.inside_mut();
        y[7] = owned.n;
    }

    fn mutable_references(x: &[i64], y: &mut [i64]) {
        let mut changed = Changed { n: x[1] };
        let c = &mut changed;
        y[0] = c.also();
        y[1] = c.pick();
        y[2] = (*c).pick();
        y[3] = changed.n;
        let mut plain = Plain { inner: Owned { n: x[0] }, n: x[2] };
        let p = &mut plain;
        y[4] = p.pick();
        y[5] = p.inner.pick();
        let inner = &mut p.inner;
        y[6] = inner.pick();
        y[7] = plain.inner.n;
    }

    fn elements(x: &[i64], y: &mut [i64]) {
        let mut owned = [Owned { n: x[0] }, Owned { n: x[1] }];
        let mut plain = [Plain { inner: Owned { n: x[2] }, n: x[3] }; 2];
        y[0] = owned[1].pick();
        y[1] = (&owned[1]).pick();
        y[2] = (&mut owned[1]).pick();
        for (i, r) in owned.iter_mut().enumerate() {
            y[3 + i] = r.pick();
        }
        for (i, r) in plain.iter().enumerate() {
            y[5 + i] = r.pick();
        }
        for r in &mut plain {
            r.n = r.pick();
            r.inner.n = r.inner.pick();
        }
        let part = &mut plain[1..];
        y[7] = part[0].pick();
        y[8] = (&mut part[0]).inner.pick();
        y[9] = (&mut part[0].inner).pick();
        let first = &mut owned[0];
        y[10] = first.pick();
        y[11] = owned[0].n ^ plain[1].inner.n;
    }

    fn parameters(x: &[i64], y: &mut [i64]) {
        let owned = Owned { n: x[0] };
        let mut changed = Changed { n: x[1] };
        let mut plain = Plain { inner: owned, n: x[2] };
        of_parameters(&owned, &mut changed, &mut plain, &mut y[0..5]);
        of_any(changed, &mut y[5..10]);
        y[10] = changed.n;
    }

    fn numbers(x: &[i64], y: &mut [i64]) {
        let mut n = x[0];
        y[0] = n.pick();
        y[1] = (&n).pick();
        y[2] = (&mut n).pick();
        let r = &mut n;
        y[3] = r.pick();
        y[4] = (*r).pick();
        y[5] = r.wrapping_add(1);
        y[6] = (&n).wrapping_mul(3);
        let values = [x[1], x[2]];
        for v in &values {
            y[7] = v.pick() ^ v.both();
        }
        y[8] = n;
    }
}
