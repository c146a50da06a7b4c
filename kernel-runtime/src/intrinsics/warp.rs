//! What the threads of a warp do together.

#![allow(clippy::return_self_not_must_use, reason = "only the operations call these methods")]

use std::marker::PhantomData;

use cumbia_kernel_ir::ir::{Comparison, Reduce, Shuffle, Vote};

use super::{Predicate, intrinsic};
use crate::cpu::warp::{self, Exchange, Lanes};
use crate::types::{Element, Scalar};

/// The threads of a warp, on every NVIDIA GPU and on the CPU device.
pub const WARP_SIZE: usize = warp::SIZE;

intrinsic! {
    /// `sync_warp(mask)`: waits until all lanes that `mask` names have come here, and makes what each wrote before visible
    /// to the others; CUDA's `__syncwarp`.
    ///
    /// As for every operation with a mask, a bit of it stands for a lane, and the lane that calls is one of them; lanes
    /// that have returned, or that the block does not have, are not waited for. All others that the mask names must come to
    /// the same operation with the same mask. Threads are independent, as on Volta and later: nothing else makes them
    /// run in step. The CPU device finds lanes that wait for each other in vain, as
    /// [`FaultKind::Deadlock`](crate::FaultKind::Deadlock).
    sync_warp = Intrinsic::SyncWarp
}

intrinsic! {
    /// `shfl_sync(mask, v, lane)`: the value of `v` in another lane; CUDA's `__shfl_sync`.
    ///
    /// `v` is of any type that memory can hold: a number, a `bool`, an enum, a struct, an array. `lane` is an integer,
    /// of which the low five bits count. From a lane that does not take part a value comes that is not specified: on the CPU
    /// device it is the thread's own. About masks see [`sync_warp`].
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// /// The first lane's number in all lanes.
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
    shfl_sync = Intrinsic::Shuffle(Shuffle::Index)
}

intrinsic! {
    /// `shfl_up_sync(mask, v, delta)`: the value of `v` in the lane that is `delta` below; in the lowest `delta` lanes their
    /// own; CUDA's `__shfl_up_sync`. See [`shfl_sync`].
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// /// The sum of the elements up to each one.
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
    shfl_up_sync = Intrinsic::Shuffle(Shuffle::Up)
}

intrinsic! {
    /// `shfl_down_sync(mask, v, delta)`: the value of `v` in the lane that is `delta` above; in the highest `delta` lanes
    /// their own; CUDA's `__shfl_down_sync`. See [`shfl_sync`].
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
    shfl_down_sync = Intrinsic::Shuffle(Shuffle::Down)
}

intrinsic! {
    /// `shfl_xor_sync(mask, v, x)`: the value of `v` in the lane whose number is this lane's `^ x`; CUDA's
    /// `__shfl_xor_sync`. Of `x` the low five bits count. See [`shfl_sync`].
    shfl_xor_sync = Intrinsic::Shuffle(Shuffle::Xor)
}

intrinsic! {
    /// `all_sync(mask, p)`: whether `p` holds in all lanes that `mask` names; CUDA's `__all_sync`.
    ///
    /// `p` is a `bool`, or an integer of any width that is not 0 where the condition holds. About masks see [`sync_warp`].
    all_sync = Intrinsic::Vote(Vote::All)
}

intrinsic! {
    /// `any_sync(mask, p)`: whether `p` holds in any of the lanes that `mask` names; CUDA's `__any_sync`. `p` is as for
    /// [`all_sync`].
    any_sync = Intrinsic::Vote(Vote::Any)
}

intrinsic! {
    /// `uni_sync(mask, p)`: whether `p` is the same in all lanes that `mask` names; PTX's `vote.uni`. `p` is as for
    /// [`all_sync`].
    uni_sync = Intrinsic::Vote(Vote::Uni)
}

intrinsic! {
    /// `ballot_sync(mask, p)`: the lanes that `mask` names and in which `p` holds, as a `u32` with a bit for each; CUDA's
    /// `__ballot_sync`. `p` is as for [`all_sync`].
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// /// Keeps what is positive, in order.
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
    ballot_sync = Intrinsic::Vote(Vote::Ballot)
}

intrinsic! {
    /// `match_any_sync(mask, v)`: the lanes that `mask` names and in which `v` is what it is in this lane, as a `u32`; CUDA's
    /// `__match_any_sync`.
    ///
    /// `v` is a number, a `bool` or an enum. Floats are compared by their bits: a NaN is equal to itself, and −0 is not equal
    /// to +0. About masks see [`sync_warp`].
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// /// How often each element's value occurs in its warp.
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
    match_any_sync = Intrinsic::MatchAny
}

intrinsic! {
    /// `match_all_sync(mask, v)`: `(lanes, true)` if `v` is the same in all lanes that `mask` names, and else `(0, false)`;
    /// CUDA's `__match_all_sync`. The lanes are those that take part, as a `u32`. `v` is as for [`match_any_sync`].
    match_all_sync = Intrinsic::MatchAll
}

/// Declares a reduction.
macro_rules! reduction {
    ($(#[$doc:meta])* $name:ident $reduce:ident) => {
        intrinsic! {
            $(#[$doc])*
            ///
            /// `v` is an `i32` or a `u32`. About masks see [`sync_warp`].
            $name = Intrinsic::Reduce(Reduce::$reduce)
        }
    };
}

reduction! {
    /// `reduce_add_sync(mask, v)`: the sum of `v` over the lanes that `mask` names, which wraps; CUDA's `__reduce_add_sync`.
    ///
    /// ```
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
    /// `reduce_min_sync(mask, v)`: the least `v` of the lanes that `mask` names; CUDA's `__reduce_min_sync`.
    reduce_min_sync Min
}

reduction! {
    /// `reduce_max_sync(mask, v)`: the greatest `v` of the lanes that `mask` names; CUDA's `__reduce_max_sync`.
    reduce_max_sync Max
}

reduction! {
    /// `reduce_and_sync(mask, v)`: `&` over the lanes that `mask` names; CUDA's `__reduce_and_sync`.
    reduce_and_sync And
}

reduction! {
    /// `reduce_or_sync(mask, v)`: `|` over the lanes that `mask` names; CUDA's `__reduce_or_sync`.
    reduce_or_sync Or
}

reduction! {
    /// `reduce_xor_sync(mask, v)`: `^` over the lanes that `mask` names; CUDA's `__reduce_xor_sync`.
    reduce_xor_sync Xor
}

intrinsic! {
    /// `active_mask()`: lanes of the warp that are here together with this one, as a `u32`; CUDA's `__activemask`.
    ///
    /// It makes nobody wait, and says nothing of where these lanes will be next. What it gives may be fewer lanes than
    /// could have come together; only the calling lane is always among them. Each call in the source stands for itself: the
    /// arms of an `if` never become one. To have lanes agree on who takes part, use [`ballot_sync`].
    active_mask = Intrinsic::ActiveMask
}

intrinsic! {
    /// `lanemask_eq()`: this lane, as a `u32` with its bit; PTX's `%lanemask_eq`.
    lanemask_eq = Intrinsic::LaneMask(Comparison::Eq)
}

intrinsic! {
    /// `lanemask_lt()`: the lanes below this one, as a `u32`; PTX's `%lanemask_lt`. For an example see [`ballot_sync`].
    lanemask_lt = Intrinsic::LaneMask(Comparison::Lt)
}

intrinsic! {
    /// `lanemask_le()`: this lane and those below, as a `u32`; PTX's `%lanemask_le`.
    lanemask_le = Intrinsic::LaneMask(Comparison::Le)
}

intrinsic! {
    /// `lanemask_gt()`: the lanes above this one, as a `u32`; PTX's `%lanemask_gt`.
    lanemask_gt = Intrinsic::LaneMask(Comparison::Gt)
}

intrinsic! {
    /// `lanemask_ge()`: this lane and those above, as a `u32`; PTX's `%lanemask_ge`.
    lanemask_ge = Intrinsic::LaneMask(Comparison::Ge)
}

/// What names a lane, or says how far it is away: an integer of any width.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a lane",
    label = "not an integer",
    note = "why: the lanes of a warp are numbered",
    note = "help: use an integer, such as a `usize` below `WARP_SIZE`"
)]
pub trait LaneNumber: Scalar {
    /// The number, with its sign extended.
    #[doc(hidden)]
    fn extended(self) -> u64;
}

macro_rules! lane_numbers {
    ($($integer:ident)*) => {$(
        impl LaneNumber for $integer {
            #[inline(always)]
            #[allow(clippy::cast_lossless, reason = "it is so for some of them")]
            fn extended(self) -> u64 {
                self as u64
            }
        }
    )*};
}

lane_numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// What [`match_any_sync`] and [`match_all_sync`] compare: numbers, `bool` and enums.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compared between lanes",
    label = "not a number, `bool` or enum",
    note = "why: the hardware compares up to 64 bits of each lane",
    note = "help: compare a field, or several and combine the masks: `match_any_sync(m, v.x) & match_any_sync(m, v.y)`"
)]
pub trait LaneValue: Element {}

// `#[derive(DeviceType)]` implements it for enums.
#[diagnostic::do_not_recommend]
impl<T: Scalar> LaneValue for T {}

/// What [`reduce_add_sync`] and its like take: `i32` and `u32`.
#[diagnostic::on_unimplemented(
    message = "lanes cannot reduce a `{Self}` together",
    label = "not an `i32` or `u32`",
    note = "why: the hardware reduces integers of 32 bits",
    note = "help: convert it, or add up what `shfl_down_sync` gives, in steps of 16, 8, 4, 2 and 1 lanes"
)]
pub trait LaneInteger: Scalar {
    #[doc(hidden)]
    fn sum(self, other: Self) -> Self;
    #[doc(hidden)]
    fn min(self, other: Self) -> Self;
    #[doc(hidden)]
    fn max(self, other: Self) -> Self;
    #[doc(hidden)]
    fn and(self, other: Self) -> Self;
    #[doc(hidden)]
    fn or(self, other: Self) -> Self;
    #[doc(hidden)]
    fn xor(self, other: Self) -> Self;
}

macro_rules! lane_integers {
    ($($integer:ident)*) => {$(
        impl LaneInteger for $integer {
            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn min(self, other: Self) -> Self {
                Ord::min(self, other)
            }

            fn max(self, other: Self) -> Self {
                Ord::max(self, other)
            }

            fn and(self, other: Self) -> Self {
                self & other
            }

            fn or(self, other: Self) -> Self {
                self | other
            }

            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )*};
}

lane_integers!(i32 u32);

/// Defines shuffles: the lane that a lane's value comes from, by its own number and what it asks for.
macro_rules! shuffles {
    ($($name:ident $exchange:ident: $source:expr;)*) => {$(
        /// The exchange.
        struct $exchange<T>(PhantomData<fn() -> T>);

        impl<T: Element> Exchange for $exchange<T> {
            type Brings = (T, u64);
            type Gets = T;
            const NAME: &'static str = stringify!($name);

            fn exchange(lane: u32, &(own, asked): &(T, u64), lanes: &Lanes<'_, (T, u64)>) -> T {
                let source: fn(u32, u64) -> Option<u32> = $source;
                source(lane, asked).and_then(|lane| lanes.of(lane)).map_or(own, |&(value, _)| value)
            }
        }

        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call<T: Element>(self, mask: u32, value: T, lane: impl LaneNumber) -> T {
                self.call.cx.meet::<$exchange<T>>(self.call.at, mask, (value, lane.extended()))
            }
        }
    )*};
}

shuffles! {
    shfl_sync ByIndex: |_, asked| Some(asked as u32 % 32);
    shfl_up_sync FromBelow: |lane, asked| lane.checked_sub(u32::try_from(asked).ok()?);
    shfl_down_sync FromAbove: |lane, asked| lane.checked_add(u32::try_from(asked).ok()?);
    shfl_xor_sync ByXor: |lane, asked| Some(lane ^ (asked as u32 % 32));
}

/// Defines votes: what lanes get for what all of them bring.
macro_rules! votes {
    ($($name:ident $exchange:ident -> $result:ty: $verdict:expr;)*) => {$(
        /// The exchange.
        struct $exchange;

        impl Exchange for $exchange {
            type Brings = bool;
            type Gets = $result;
            const NAME: &'static str = stringify!($name);

            fn exchange(_: u32, _: &bool, lanes: &Lanes<'_, bool>) -> $result {
                let verdict: fn(u32, u32) -> $result = $verdict;
                verdict(lanes.mask(|_| true), lanes.mask(|holds| *holds))
            }
        }

        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call(self, mask: u32, predicate: impl Predicate) -> $result {
                self.call.cx.meet::<$exchange>(self.call.at, mask, predicate.holds())
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

/// Defines matches, which compare the bytes of values that have no padding.
macro_rules! matches_ {
    ($($name:ident $exchange:ident -> $result:ty: $verdict:expr;)*) => {$(
        /// The exchange.
        struct $exchange<T>(PhantomData<fn() -> T>);

        impl<T: Element> Exchange for $exchange<T> {
            type Brings = T;
            type Gets = $result;
            const NAME: &'static str = stringify!($name);

            fn exchange(_: u32, own: &T, lanes: &Lanes<'_, T>) -> $result {
                let verdict: fn(u32, u32) -> $result = $verdict;
                let own = own.constant();
                verdict(lanes.mask(|_| true), lanes.mask(|value| value.constant() == own))
            }
        }

        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call<T: LaneValue>(self, mask: u32, value: T) -> $result {
                self.call.cx.meet::<$exchange<T>>(self.call.at, mask, value)
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
        /// The exchange.
        struct $exchange<T>(PhantomData<fn() -> T>);

        impl<T: LaneInteger> Exchange for $exchange<T> {
            type Brings = T;
            type Gets = T;
            const NAME: &'static str = stringify!($name);

            fn exchange(_: u32, own: &T, lanes: &Lanes<'_, T>) -> T {
                lanes.iter().map(|(_, value)| *value).reduce(T::$operation).unwrap_or(*own)
            }
        }

        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call<T: LaneInteger>(self, mask: u32, value: T) -> T {
                self.call.cx.meet::<$exchange<T>>(self.call.at, mask, value)
            }
        }
    )*};
}

reductions! {
    reduce_add_sync ReduceAdd sum;
    reduce_min_sync ReduceMin min;
    reduce_max_sync ReduceMax max;
    reduce_and_sync ReduceAnd and;
    reduce_or_sync ReduceOr or;
    reduce_xor_sync ReduceXor xor;
}

/// The lanes only wait for each other.
struct Nothing;

impl Exchange for Nothing {
    type Brings = ();
    type Gets = ();
    const NAME: &'static str = "sync_warp";

    fn exchange(_: u32, (): &(), _: &Lanes<'_, ()>) {}
}

impl sync_warp<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self, mask: u32) {
        self.call.cx.meet::<Nothing>(self.call.at, mask, ());
    }
}

impl active_mask<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) -> u32 {
        self.call.cx.gather(self.call.at, "active_mask")
    }
}

/// Implements the masks of lanes that compare with the own one.
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
