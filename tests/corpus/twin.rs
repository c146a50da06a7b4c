//! Twins: a function of one number as a `#[device]` function, and the same text as plain Rust for comparison.

/// For each function: `device::f`, the kernel `kernels::f` that calls it for each element, and `host::f`. Defines
/// `run_all`, which runs every kernel over the inputs of `$inputs`.
macro_rules! twins {
    ($inputs:expr; $($(#[$attribute:meta])* fn $name:ident($x:ident: $from:ident) -> $to:ident { $($body:tt)* })*) => {
        pub mod device {
            #[allow(unused_imports, reason = "not every module of twins calls an intrinsic")]
            use cumbia::prelude::*;
            #[allow(unused_imports, reason = "not every module of twins has constants")]
            use super::*;

            $(#[device] $(#[$attribute])* pub fn $name($x: $from) -> $to { $($body)* })*
        }

        pub mod kernels {
            use cumbia::prelude::*;

            $(#[kernel] pub fn $name(x: &[$from], out: &mut [$to]) {
                let i = grid(1);
                if i < out.len() {
                    out[i] = super::device::$name(x[i]);
                }
            })*
        }

        pub mod host {
            #[allow(unused_imports, reason = "not every module of twins has constants")]
            use super::*;

            $($(#[$attribute])* pub fn $name($x: $from) -> $to { $($body)* })*
        }

        fn run_all(run: &mut $crate::Run<'_>) {
            $({
                let values: Vec<$from> = $inputs.into_iter().map(|x| x as $from).collect();
                let (x, mut out) = (run.array(&values), run.zeros(values.len()));
                run.launch(kernels::$name(&x, &mut out).over(values.len()));
                run.expect(stringify!($name), &out, &values.iter().map(|&x| host::$name(x)).collect::<Vec<$to>>());
            })*
        }
    };
}

pub(crate) use twins;
