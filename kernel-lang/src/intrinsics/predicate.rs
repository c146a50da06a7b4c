//! Predicates of votes and barriers.

use crate::types::Scalar;

/// The predicate of a vote: a `bool`, or an integer of any width that is non-zero if the condition holds, as in CUDA.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a condition",
    label = "neither a `bool` nor an integer",
    note = "why: a condition is a `bool`, or an integer that is non-zero if the condition holds",
    note = "help: compare: `x != 0.0`"
)]
pub trait Predicate: Scalar {
    #[doc(hidden)]
    fn holds(this: Self) -> bool;
}

impl Predicate for bool {
    #[inline(always)]
    fn holds(this: Self) -> bool {
        this
    }
}

macro_rules! integers {
    ($($integer:ident)*) => {$(
        impl Predicate for $integer {
            #[inline(always)]
            fn holds(this: Self) -> bool {
                this != 0
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
