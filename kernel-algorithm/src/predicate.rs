//! Predicates over the elements of an array.

use cumbia::DeviceType;
use cumbia_kernel_macros::{DeviceType, device};

use crate::arrays::Input;
use crate::operator::{And, Function1, Or, Plus};
use crate::reduce::chunks::OfOne;
use crate::reduce::{Reduce, transform_reduce};

/// 1 if a predicate holds, otherwise 0.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct Indicator<P: DeviceType>(P);

#[device]
impl<A: DeviceType, P: Function1<A, Output = bool>> Function1<A> for Indicator<P> {
    type Output = u64;

    fn call(self, a: A) -> u64 {
        self.0.call(a) as u64
    }
}

/// Counts the elements for which a predicate holds.
///
/// ```
/// use cumbia::algorithm::{Function1, any, count};
/// use cumbia::prelude::*;
///
/// #[derive(Clone, Copy, DeviceType)]
/// struct Above(f32);
///
/// #[device]
/// impl Function1<f32> for Above {
///     type Output = bool;
///
///     fn call(self, a: f32) -> bool {
///         a > self.0
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let x = Device::open()?.to_device(&[1.0, 2.0, 3.0])?;
/// assert_eq!(count(&x, Above(1.5)).value()?, 2);
/// assert!(!any(&x, Above(3.0)).value()?);
/// # Ok(())
/// # }
/// ```
pub fn count<A: DeviceType, P: Function1<A, Output = bool>>(
    x: &(impl Input<Element = A> + ?Sized),
    predicate: P,
) -> Reduce<'_, A, u8, OfOne<Indicator<P>>, u64, Plus> {
    transform_reduce(x, Indicator(predicate), 0, Plus)
}

/// Computes whether a predicate holds for all elements; of an empty array, `true`.
pub fn all<A: DeviceType, P: Function1<A, Output = bool>>(
    x: &(impl Input<Element = A> + ?Sized),
    predicate: P,
) -> Reduce<'_, A, u8, OfOne<P>, bool, And> {
    transform_reduce(x, predicate, true, And)
}

/// Computes whether a predicate holds for any element; of an empty array, `false`.
pub fn any<A: DeviceType, P: Function1<A, Output = bool>>(
    x: &(impl Input<Element = A> + ?Sized),
    predicate: P,
) -> Reduce<'_, A, u8, OfOne<P>, bool, Or> {
    transform_reduce(x, predicate, false, Or)
}
