//! Warp-level operations: shuffles, votes, matches, reductions and lane masks.

#![allow(clippy::return_self_not_must_use, reason = "only the operations call these methods")]

use std::marker::PhantomData;

use cumbia_kernel_ir::{Comparison, Reduce, Shuffle, Vote};

use super::{Predicate, intrinsic};
use crate::cpu::block::{self, Exchange, LaneInputs};
use crate::types::{DeviceType, Scalar};

/// The number of threads of a warp, on every NVIDIA GPU and on the CPU device.
pub const WARP_SIZE: usize = block::WARP_SIZE;

intrinsic! {
    /// `sync_warp(mask)`: waits until all lanes that `mask` names have arrived, and makes the earlier writes of each
    /// visible to the others; CUDA's `__syncwarp`.
    ///
    /// As for every operation with a mask, each bit of the mask represents a lane, and the mask must name the calling
    /// lane; lanes that have returned, or that the block does not have, are not waited for. All other lanes that the
    /// mask names must execute the same operation with the same mask. Threads are scheduled independently, as on Volta
    /// and later: nothing else makes them converge. The CPU device detects lanes that wait for each other, as
    /// [`FaultKind::Deadlock`](crate::FaultKind::Deadlock).
    sync_warp(mask) = Intrinsic::SyncWarp
}

intrinsic! {
    /// `shfl_sync(mask, v, lane)`: the value of `v` in another lane; CUDA's `__shfl_sync`.
    ///
    /// `v` has any type that memory can hold: a number, a `bool`, an enum, a struct, an array. `lane` is an integer, of
    /// which only the low five bits are used. All lanes that `mask` names must call it. The value from a lane that has
    /// returned early, or that the mask does not name, is unspecified, as it is undefined in CUDA, and no device detects
    /// that: on the CPU device it is the thread's own. So a thread without an element takes part with a neutral one,
    /// `let v = if i < n { x[i] } else { 0.0 };`. For masks see [`sync_warp`].
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// /// Copies the first lane's number to all lanes.
    /// #[kernel]
    /// fn broadcast(x: &mut [f32]) {
    ///     let i = grid(1);
    ///     x[i] = shfl_sync(0xffff_ffff, x[i], 0);
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::cpu().to_device(&[3.0, 1.0, 4.0, 1.0])?;
    /// broadcast(&mut x).grid(1).block(4).launch()?;
    /// assert_eq!(x.to_host()?, [3.0; 4]);
    /// # Ok(())
    /// # }
    /// ```
    shfl_sync(mask, value, lane) = Intrinsic::Shuffle(Shuffle::Index)
}

intrinsic! {
    /// `shfl_up_sync(mask, v, delta)`: the value of `v` in the lane that is `delta` lanes below; the lowest `delta`
    /// lanes keep their own; CUDA's `__shfl_up_sync`. See [`shfl_sync`].
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// /// Computes the inclusive prefix sum.
    /// #[kernel]
    /// fn scan(x: &mut [u32]) {
    ///     let mut sum = x[grid(1)];
    ///     let mut delta = 1;
    ///     while delta < WARP_SIZE {
    ///         let below = shfl_up_sync(0xffff_ffff, sum, delta);
    ///         if lane_id() >= delta {
    ///             sum += below;
    ///         }
    ///         delta *= 2;
    ///     }
    ///     x[grid(1)] = sum;
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::cpu().to_device(&[1; 32])?;
    /// scan(&mut x).grid(1).block(32).launch()?;
    /// assert_eq!(x.to_host()?, (1..=32).collect::<Vec<_>>());
    /// # Ok(())
    /// # }
    /// ```
    shfl_up_sync(mask, value, delta) = Intrinsic::Shuffle(Shuffle::Up)
}

intrinsic! {
    /// `shfl_down_sync(mask, v, delta)`: the value of `v` in the lane that is `delta` lanes above; the highest `delta`
    /// lanes keep their own; CUDA's `__shfl_down_sync`. See [`shfl_sync`].
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn warp_sums(x: &[f32], sums: &mut [f32]) {
    ///     let mut sum = x[grid(1)];
    ///     for delta in [16, 8, 4, 2, 1] {
    ///         sum += shfl_down_sync(0xffff_ffff, sum, delta);
    ///     }
    ///     if lane_id() == 0 {
    ///         sums[grid(1) / WARP_SIZE] = sum;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(&[0.5; 64])?;
    /// let mut sums = device.zeros(2)?;
    /// warp_sums(&x, &mut sums).grid(1).block(64).launch()?;
    /// assert_eq!(sums.to_host()?, [16.0, 16.0]);
    /// # Ok(())
    /// # }
    /// ```
    shfl_down_sync(mask, value, delta) = Intrinsic::Shuffle(Shuffle::Down)
}

intrinsic! {
    /// `shfl_xor_sync(mask, v, x)`: the value of `v` in the lane with the number of this lane `^ x`; CUDA's
    /// `__shfl_xor_sync`. Only the low five bits of `x` are used. See [`shfl_sync`].
    shfl_xor_sync(mask, value, lane_mask) = Intrinsic::Shuffle(Shuffle::Xor)
}

intrinsic! {
    /// `all_sync(mask, p)`: whether `p` holds in all lanes that `mask` names; CUDA's `__all_sync`.
    ///
    /// `p` is a `bool`, or an integer of any width that is non-zero if the condition holds. For masks see
    /// [`sync_warp`].
    all_sync(mask, predicate) = Intrinsic::Vote(Vote::All)
}

intrinsic! {
    /// `any_sync(mask, p)`: whether `p` holds in any lane that `mask` names; CUDA's `__any_sync`. `p` is as for
    /// [`all_sync`].
    any_sync(mask, predicate) = Intrinsic::Vote(Vote::Any)
}

intrinsic! {
    /// `uni_sync(mask, p)`: whether `p` is the same in all lanes that `mask` names; PTX's `vote.uni`. `p` is as for
    /// [`all_sync`].
    uni_sync(mask, predicate) = Intrinsic::Vote(Vote::Uni)
}

intrinsic! {
    /// `ballot_sync(mask, p)`: the mask of the lanes that `mask` names and in which `p` holds, a `u32`; CUDA's
    /// `__ballot_sync`. `p` is as for [`all_sync`].
    ///
    /// ```
    /// use cumbia::intrinsics::*;
    /// use cumbia::prelude::*;
    ///
    /// /// Keeps the positive elements, in order.
    /// #[kernel]
    /// fn compact(x: &[i32], kept: &mut [i32]) {
    ///     let v = x[thread_idx().x];
    ///     let keep = ballot_sync(0xffff_ffff, v > 0);
    ///     if v > 0 {
    ///         kept[(keep & lanemask_lt()).count_ones() as usize] = v;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(&[3, -1, 4, -1, 5])?;
    /// let mut kept = device.zeros(3)?;
    /// compact(&x, &mut kept).grid(1).block(5).launch()?;
    /// assert_eq!(kept.to_host()?, [3, 4, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ballot_sync(mask, predicate) = Intrinsic::Vote(Vote::Ballot)
}

intrinsic! {
    /// `match_any_sync(mask, v)`: the mask of the lanes that `mask` names and in which `v` is the same as in this lane,
    /// a `u32`; CUDA's `__match_any_sync`.
    ///
    /// `v` is a number, a `bool` or an enum. Floats are compared by their bits: a NaN is equal to itself, and −0 is not
    /// equal to +0. For masks see [`sync_warp`].
    ///
    /// ```
    /// use cumbia::intrinsics::*;
    /// use cumbia::prelude::*;
    ///
    /// /// Counts the occurrences of each element's value in its warp.
    /// #[kernel]
    /// fn occurrences(x: &[u8], counts: &mut [u32]) {
    ///     let i = thread_idx().x;
    ///     counts[i] = match_any_sync(0xffff_ffff, x[i]).count_ones();
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(b"banana")?;
    /// let mut counts = device.zeros(6)?;
    /// occurrences(&x, &mut counts).grid(1).block(6).launch()?;
    /// assert_eq!(counts.to_host()?, [1, 3, 2, 3, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    match_any_sync(mask, value) = Intrinsic::MatchAny
}

intrinsic! {
    /// `match_all_sync(mask, v)`: `(lanes, true)` if `v` is the same in all lanes that `mask` names, and otherwise `(0,
    /// false)`; CUDA's `__match_all_sync`. `lanes` is the mask of the participating lanes, a `u32`. `v` is as for
    /// [`match_any_sync`].
    match_all_sync(mask, value) = Intrinsic::MatchAll
}

/// Declares a reduction.
macro_rules! reduction {
    ($(#[$doc:meta])* $name:ident $reduce:ident) => {
        intrinsic! {
            $(#[$doc])*
            ///
            /// `v` is an `i32` or a `u32`. For masks see [`sync_warp`].
            $name(mask, value) = Intrinsic::Reduce(Reduce::$reduce)
        }
    };
}

reduction! {
    /// `reduce_add_sync(mask, v)`: the wrapping sum of `v` over the lanes that `mask` names; CUDA's
    /// `__reduce_add_sync`.
    ///
    /// ```
    /// use cumbia::intrinsics::*;
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn warp_sum(x: &mut [i32]) {
    ///     let i = grid(1);
    ///     x[i] = reduce_add_sync(0xffff_ffff, x[i]);
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::cpu().to_device(&[1, 2, 3, -10])?;
    /// warp_sum(&mut x).grid(1).block(4).launch()?;
    /// assert_eq!(x.to_host()?, [-4; 4]);
    /// # Ok(())
    /// # }
    /// ```
    reduce_add_sync Add
}

reduction! {
    /// `reduce_min_sync(mask, v)`: the minimum of `v` over the lanes that `mask` names; CUDA's `__reduce_min_sync`.
    reduce_min_sync Min
}

reduction! {
    /// `reduce_max_sync(mask, v)`: the maximum of `v` over the lanes that `mask` names; CUDA's `__reduce_max_sync`.
    reduce_max_sync Max
}

reduction! {
    /// `reduce_and_sync(mask, v)`: the bitwise AND of `v` over the lanes that `mask` names; CUDA's `__reduce_and_sync`.
    reduce_and_sync And
}

reduction! {
    /// `reduce_or_sync(mask, v)`: the bitwise OR of `v` over the lanes that `mask` names; CUDA's `__reduce_or_sync`.
    reduce_or_sync Or
}

reduction! {
    /// `reduce_xor_sync(mask, v)`: the bitwise XOR of `v` over the lanes that `mask` names; CUDA's `__reduce_xor_sync`.
    reduce_xor_sync Xor
}

intrinsic! {
    /// `active_mask()`: the mask of lanes of the warp that are converged with this one, a `u32`; CUDA's `__activemask`.
    ///
    /// It does not synchronise, and guarantees nothing about where these lanes are afterwards. The mask may omit lanes
    /// that could have converged; it always includes the calling lane. Calls at different locations are never merged:
    /// the branches of an `if` have separate masks. To make lanes agree on who takes part, use [`ballot_sync`].
    active_mask() = Intrinsic::ActiveMask
}

intrinsic! {
    /// `lanemask_eq()`: the mask of this lane, a `u32`; PTX's `%lanemask_eq`.
    lanemask_eq() = Intrinsic::LaneMask(Comparison::Eq)
}

intrinsic! {
    /// `lanemask_lt()`: the mask of the lanes below this one, a `u32`; PTX's `%lanemask_lt`. For an example see
    /// [`ballot_sync`].
    lanemask_lt() = Intrinsic::LaneMask(Comparison::Lt)
}

intrinsic! {
    /// `lanemask_le()`: the mask of this lane and those below, a `u32`; PTX's `%lanemask_le`.
    lanemask_le() = Intrinsic::LaneMask(Comparison::Le)
}

intrinsic! {
    /// `lanemask_gt()`: the mask of the lanes above this one, a `u32`; PTX's `%lanemask_gt`.
    lanemask_gt() = Intrinsic::LaneMask(Comparison::Gt)
}

intrinsic! {
    /// `lanemask_ge()`: the mask of this lane and those above, a `u32`; PTX's `%lanemask_ge`.
    lanemask_ge() = Intrinsic::LaneMask(Comparison::Ge)
}

/// A lane number or a distance between lanes: an integer of any width.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a lane number",
    label = "not an integer",
    note = "why: the lanes of a warp are numbered",
    note = "help: use an integer, such as a `usize` below `WARP_SIZE`"
)]
pub trait LaneNumber: Scalar {
    /// Returns the number, sign-extended.
    #[doc(hidden)]
    fn extended(this: Self) -> u64;
}

macro_rules! lane_numbers {
    ($($integer:ident)*) => {$(
        impl LaneNumber for $integer {
            #[inline(always)]
            #[allow(clippy::cast_lossless, reason = "the macro casts every integer type")]
            fn extended(this: Self) -> u64 {
                this as u64
            }
        }
    )*};
}

lane_numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// The operand of [`match_any_sync`] and [`match_all_sync`]: a number, a `bool` or an enum.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compared between lanes",
    label = "not a number, `bool` or enum",
    note = "why: the hardware compares up to 64 bits of each lane",
    note = "help: compare a field, or several and combine the masks: `match_any_sync(m, v.x) & match_any_sync(m, v.y)`"
)]
pub trait LaneValue: DeviceType {}

// `#[derive(DeviceType)]` implements it for enums.
#[diagnostic::do_not_recommend]
impl<T: Scalar> LaneValue for T {}

/// The operand of [`reduce_add_sync`] and the other reductions: `i32` or `u32`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be reduced across lanes",
    label = "not an `i32` or `u32`",
    note = "why: the hardware reduces integers of 32 bits",
    note = "help: convert it, or reduce it with `shfl_down_sync`, in steps of 16, 8, 4, 2 and 1 lanes"
)]
pub trait LaneInteger: Scalar {
    // Functions without a receiver, under names that no standard trait has: programs import this trait by `intrinsics::*`.
    #[doc(hidden)]
    fn sum(this: Self, other: Self) -> Self;
    #[doc(hidden)]
    fn lesser(this: Self, other: Self) -> Self;
    #[doc(hidden)]
    fn greater(this: Self, other: Self) -> Self;
    #[doc(hidden)]
    fn and(this: Self, other: Self) -> Self;
    #[doc(hidden)]
    fn or(this: Self, other: Self) -> Self;
    #[doc(hidden)]
    fn xor(this: Self, other: Self) -> Self;
}

macro_rules! lane_integers {
    ($($integer:ident)*) => {$(
        impl LaneInteger for $integer {
            fn sum(this: Self, other: Self) -> Self {
                this.wrapping_add(other)
            }

            fn lesser(this: Self, other: Self) -> Self {
                Ord::min(this, other)
            }

            fn greater(this: Self, other: Self) -> Self {
                Ord::max(this, other)
            }

            fn and(this: Self, other: Self) -> Self {
                this & other
            }

            fn or(this: Self, other: Self) -> Self {
                this | other
            }

            fn xor(this: Self, other: Self) -> Self {
                this ^ other
            }
        }
    )*};
}

lane_integers!(i32 u32);

/// Defines shuffles: the source lane as a function of the lane's own number and its operand.
macro_rules! shuffles {
    ($($name:ident $exchange:ident: $source:expr;)*) => {$(
        /// The exchange of the operation.
        struct $exchange<T>(PhantomData<fn() -> T>);

        impl<T: DeviceType> Exchange for $exchange<T> {
            type Input = (T, u64);
            type Output = T;
            const NAME: &'static str = stringify!($name);

            fn exchange(lane: u32, &(own, operand): &(T, u64), lanes: &LaneInputs<'_, (T, u64)>) -> T {
                let source: fn(u32, u64) -> Option<u32> = $source;
                source(lane, operand).and_then(|lane| lanes.of(lane)).map_or(own, |&(value, _)| value)
            }
        }

        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call<T: DeviceType>(self, mask: u32, value: T, lane: impl LaneNumber) -> T {
                self.call.cx.exchange::<$exchange<T>>(self.call.at, mask, (value, LaneNumber::extended(lane)))
            }
        }
    )*};
}

shuffles! {
    shfl_sync ByIndex: |_, operand| Some(operand as u32 % 32);
    shfl_up_sync FromBelow: |lane, operand| lane.checked_sub(u32::try_from(operand).ok()?);
    shfl_down_sync FromAbove: |lane, operand| lane.checked_add(u32::try_from(operand).ok()?);
    shfl_xor_sync ByXor: |lane, operand| Some(lane ^ (operand as u32 % 32));
}

/// Defines votes: the output of each lane as a function of the participating lanes and those whose predicate holds.
macro_rules! votes {
    ($($name:ident $exchange:ident -> $result:ty: $outcome:expr;)*) => {$(
        /// The exchange of the operation.
        struct $exchange;

        impl Exchange for $exchange {
            type Input = bool;
            type Output = $result;
            const NAME: &'static str = stringify!($name);

            fn exchange(_: u32, _: &bool, lanes: &LaneInputs<'_, bool>) -> $result {
                let outcome: fn(u32, u32) -> $result = $outcome;
                outcome(lanes.mask(|_| true), lanes.mask(|holds| *holds))
            }
        }

        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call(self, mask: u32, predicate: impl Predicate) -> $result {
                self.call.cx.exchange::<$exchange>(self.call.at, mask, Predicate::holds(predicate))
            }
        }
    )*};
}

votes! {
    all_sync All -> bool: |lanes, holds| holds == lanes;
    any_sync Any -> bool: |_, holds| holds != 0;
    uni_sync Uni -> bool: |lanes, holds| holds == 0 || holds == lanes;
    ballot_sync Ballot -> u32: |_, holds| holds;
}

/// Defines matches, which compare the bytes of values without padding.
macro_rules! matches_ {
    ($($name:ident $exchange:ident -> $result:ty: $outcome:expr;)*) => {$(
        /// The exchange of the operation.
        struct $exchange<T>(PhantomData<fn() -> T>);

        impl<T: DeviceType> Exchange for $exchange<T> {
            type Input = T;
            type Output = $result;
            const NAME: &'static str = stringify!($name);

            fn exchange(_: u32, own: &T, lanes: &LaneInputs<'_, T>) -> $result {
                let outcome: fn(u32, u32) -> $result = $outcome;
                let own = own.__constant();
                outcome(lanes.mask(|_| true), lanes.mask(|value| value.__constant() == own))
            }
        }

        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call<T: LaneValue>(self, mask: u32, value: T) -> $result {
                self.call.cx.exchange::<$exchange<T>>(self.call.at, mask, value)
            }
        }
    )*};
}

matches_! {
    match_any_sync MatchAny -> u32: |_, same| same;
    match_all_sync MatchAll -> (u32, bool): |lanes, same| if same == lanes { (lanes, true) } else { (0, false) };
}

/// Defines reductions.
macro_rules! reductions {
    ($($name:ident $exchange:ident $operation:ident;)*) => {$(
        /// The exchange of the operation.
        struct $exchange<T>(PhantomData<fn() -> T>);

        impl<T: LaneInteger> Exchange for $exchange<T> {
            type Input = T;
            type Output = T;
            const NAME: &'static str = stringify!($name);

            fn exchange(_: u32, own: &T, lanes: &LaneInputs<'_, T>) -> T {
                lanes.iter().map(|(_, value)| *value).reduce(T::$operation).unwrap_or(*own)
            }
        }

        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call<T: LaneInteger>(self, mask: u32, value: T) -> T {
                self.call.cx.exchange::<$exchange<T>>(self.call.at, mask, value)
            }
        }
    )*};
}

reductions! {
    reduce_add_sync ReduceAdd sum;
    reduce_min_sync ReduceMin lesser;
    reduce_max_sync ReduceMax greater;
    reduce_and_sync ReduceAnd and;
    reduce_or_sync ReduceOr or;
    reduce_xor_sync ReduceXor xor;
}

/// The exchange of `sync_warp`, which only synchronises.
struct Nothing;

impl Exchange for Nothing {
    type Input = ();
    type Output = ();
    const NAME: &'static str = "sync_warp";

    fn exchange(_: u32, (): &(), _: &LaneInputs<'_, ()>) {}
}

impl sync_warp<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self, mask: u32) {
        self.call.cx.exchange::<Nothing>(self.call.at, mask, ());
    }
}

impl active_mask<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) -> u32 {
        self.call.cx.active_mask(self.call.at, "active_mask")
    }
}

/// Implements the lane masks, as functions of this lane's bit.
macro_rules! lane_masks {
    ($($name:ident: $mask:expr;)*) => {$(
        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call(self) -> u32 {
                let mask: fn(u32) -> u32 = $mask;
                mask(1 << self.call.cx.lane())
            }
        }
    )*};
}

lane_masks! {
    lanemask_eq: |own| own;
    lanemask_lt: |own| own - 1;
    lanemask_le: |own| own | (own - 1);
    lanemask_gt: |own| !(own | (own - 1));
    lanemask_ge: |own| !(own - 1);
}
