//! The language layer: everything that the expanded body of a `#[kernel]` or `#[device]` function names, and the CPU executor.
//!
//! Types, numbers, methods and intrinsics carry what rustc resolves into the IR. The handles in [`cpu`] implement the same
//! operations on the host, and its executor runs grids on raw memory. CUDA, arrays, launches and caches belong to the runtime.
//!
//! Use it through the `cumbia` crate. Its items are public for the runtime and for expanded code.

#![doc(hidden)]

pub mod absent;
pub mod cpu;
pub mod definition;
pub mod dim;
pub mod equality;
pub mod evaluation_order;
pub mod fault;
pub mod handles;
pub mod intrinsics;
pub mod matched;
pub mod message;
pub mod methods;
pub mod named;
pub mod number;
pub mod operator;
pub mod slot;
pub mod types;

// The expansion of the macros refers to this crate as `::cumbia`, a crate that depends on it.
extern crate self as cumbia;

use cumbia_kernel_sync as sync;

pub use half::{bf16, f16};

pub use crate::fault::{FaultKind, Waiting};

pub use crate::number::{Components, Float, Integer, Number};
pub use crate::types::{DeviceType, Scalar};

/// Items for the expansion of the macros only: those that bodies, device functions and device types name.
pub mod __private {
    pub use crate::absent::{HasDeviceAttribute, HostFunction};
    pub use crate::cpu::fault::overflows;
    pub use crate::cpu::{Call, Cx, Literal, Location, NoLiteral};
    pub use crate::definition::{
        CalleeKey, Content, Definition, DeviceFunction, LinkedFile, LinkedKind, MethodResult, NoKey, Returned, key_of,
        same_method,
    };
    pub use crate::handles::access::{Read, Write};
    pub use crate::handles::{
        BorrowExpr, FieldOf, Handle, Handles, Indexed, IntoHandles, IntoPlace, IntoPlaceMut, IntoShared, IntoSlice,
        IntoSliceMut, IntoView, IntoViewMut, LengthOf, LocalMut, LocalRef, PathReceiver, PathReceiverMut, PlaceRef,
        Share, Slice, View, borrow, borrow_mut,
    };
    pub use crate::intrinsics::LaneValue;
    pub use crate::matched::{MatchedConstant, MatchedVariant};
    pub use crate::methods::{array, cloned};
    pub use crate::named;
    pub use crate::number::{CastLiteral, Lossless};
    pub use crate::operator::{self as op, BuiltIn, Equal, Operator, Ordered};
    pub use crate::slot::{Captured, Slot, Slots, callee_content, contents_of, variant_content};
    pub use crate::types::{
        Branched, ConstantType, DeviceCopy, DeviceType, HasDeviceLayout, Repr, VariableType, argument_struct, bits_of,
        branch, copied, data_enumeration, declared, enumeration, from_failure, is_tag, load_bits, require_element,
        store_bits, structure,
    };
    pub use cumbia_kernel_ir as ir;

    /// The traits whose methods expanded bodies call.
    pub mod body {
        // The name is unlikely to be one of the program, which it would shadow.
        pub use crate::absent::HostFunction as __cumbia_host_function;
        pub use crate::definition::MethodResult as _;
        pub use crate::evaluation_order::FallbackOrder as _;
        pub use crate::handles::{IndexedPlace as _, LocalArray as _, LocalSlice as _};
        pub use crate::matched::MatchedHostType as _;
        pub use crate::methods::{
            ArrayMethods as _, ElementMethods as _, ElementMethodsMut as _, OptionMethods as _, OwnIterator as _,
            ResultMethods as _,
        };
        pub use crate::number::{
            BitsMethods as _, FloatMethods as _, HalfMethods as _, IntegerMethods as _, IntoMethods as _,
            LargeFloatCast as _, LargeMethods as _, Lossless as _, MixedMethods as _, Number as _, NumberCast as _,
            NumberMethods as _, SignedMethods as _, TryConversion as _, UnsignedMethods as _,
        };
        pub use crate::types::CloneMethod as _;
    }
}
