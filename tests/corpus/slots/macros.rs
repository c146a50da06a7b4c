//! Kernels from `macro_rules!` expansions, in modules and functions, with rustc's hygiene.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![family_cases, hygiene_cases, nested_cases, label_cases];

/// A family of kernels.
macro_rules! elementwise {
    ($($(#[$doc:meta])* $name:ident<$ty:ty> |$x:ident, $y:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        #[kernel]
        pub fn $name(x: &[$ty], out: &mut [$ty]) {
            let i = grid(1);
            if i < out.len() {
                let $x = x[i];
                let $y = out[i];
                out[i] = $body;
            }
        }
    )*};
}

elementwise! {
    /// x + y
    added<f32> |a, b| a + b;
    /// With variables of the macro's names.
    mixed<i64> |i, x| i * 10 + x;
    /// With a block, a branch and literals.
    chosen<u8> |a, out| { let x = a / 2; if x > out { x } else { out + 1 } };
}

fn family_cases(run: &mut Run<'_>) {
    let (x, mut out) = (run.array(&[1.5f32, 2.0]), run.array(&[0.25f32, 0.5]));
    run.launch(added(&x, &mut out).over(2));
    run.expect("added", &out, &[1.75, 2.5]);
    let (x, mut out) = (run.array(&[3i64, 4]), run.array(&[5i64, 6]));
    run.launch(mixed(&x, &mut out).over(2));
    run.expect("mixed", &out, &[35, 46]);
    let (x, mut out) = (run.array(&[200u8, 10]), run.array(&[50u8, 60]));
    run.launch(chosen(&x, &mut out).over(2));
    run.expect("chosen", &out, &[100, 61]);
}

/// The macro's `a` is not the caller's.
macro_rules! hygienic {
    ($name:ident, $a:ident, $value:expr) => {
        /// The caller's variable, the macro's of the same letters, and both in one expression.
        #[kernel]
        pub fn $name(out: &mut [i32]) {
            let $a = 1;
            let a = 20;
            out[0] = $a;
            out[1] = a;
            out[2] = $a * 100 + a;
            out[3] = $value;
            {
                let $a = a + 1;
                out[4] = $a + $value;
                let a = $a + 1;
                out[5] = a;
            }
            for a in 0..2 {
                out[6] += $a + a;
            }
        }
    };
}

hygienic!(same_letters, a, a + 2);
hygienic!(other_letters, b, b + 2);

fn hygiene_cases(run: &mut Run<'_>) {
    let expected = [1, 20, 120, 3, 21 + 23, 22, 3];
    let mut out = run.zeros(7);
    run.launch(same_letters(&mut out).grid(1).block(1));
    run.expect("same letters", &out, &expected);
    let mut out = run.zeros(7);
    run.launch(other_letters(&mut out).grid(1).block(1));
    run.expect("other letters", &out, &expected);
}

fn nested_cases(run: &mut Run<'_>) {
    /// A kernel in a function.
    #[kernel]
    fn inside(out: &mut [u32]) {
        out[0] = helper(TWICE);
    }

    /// A device function in a function.
    #[device]
    fn helper(x: u32) -> u32 {
        x + 1
    }

    const TWICE: u32 = 2;

    let mut out = run.zeros(1);
    run.launch(inside(&mut out).grid(1).block(1));
    run.expect("inside", &out, &[3]);
    run.launch(hidden::deeper::inside(&mut out).grid(1).block(1));
    run.expect("in a module", &out, &[500]);
}

mod hidden {
    pub(super) mod deeper {
        use cumbia::prelude::*;

        /// Visible in the crate only.
        #[kernel]
        pub(crate) fn inside(out: &mut [u32]) {
            out[0] = super::private(5);
        }
    }

    use cumbia::prelude::*;

    #[device]
    fn private(x: u32) -> u32 {
        x * 100
    }
}

/// The macro's `'turn` is not the caller's.
macro_rules! labelled {
    ($name:ident, $label:lifetime, $leave:expr) => {
        /// The caller leaves its own loop from inside the macro's.
        #[kernel]
        pub fn $name(out: &mut [u32]) {
            $label: loop {
                out[0] += 1;
                'turn: loop {
                    out[1] += 1;
                    if out[1] > 2 {
                        $leave;
                    }
                    break 'turn;
                }
                out[2] += 1;
            }
        }
    };
}

labelled!(same_label, 'turn, break 'turn);
labelled!(other_label, 'outer, break 'outer);

fn label_cases(run: &mut Run<'_>) {
    let mut out = run.zeros(3);
    run.launch(same_label(&mut out).grid(1).block(1));
    run.expect("same label", &out, &[3, 3, 2]);
    let mut out = run.zeros(3);
    run.launch(other_label(&mut out).grid(1).block(1));
    run.expect("other label", &out, &[3, 3, 2]);
}
