//! The runtime of Cumbia: devices, arrays, kernel launches, and the caches of compiled kernels.
//!
//! Use it through the `cumbia` crate. Items marked `#[doc(hidden)]` are for the code that `#[kernel]` and `#[device]` expand to.

mod argument;
mod array;
mod array_view;
mod attributes;
mod block_picker;
pub mod cache;
mod config;
#[doc(hidden)]
pub mod cpu;
mod cuda;
mod device;
mod dim;
pub mod doctor;
mod equality;
mod error;
#[doc(hidden)]
pub mod evaluation_order;
mod event;
mod fault;
mod graph;
mod hazards;
mod host;
#[doc(hidden)]
pub mod inspect;
pub mod intrinsics;
mod kernel;
mod launch;
mod memory;
mod message;
#[doc(hidden)]
pub mod methods;
#[doc(hidden)]
pub mod named;
mod number;
#[doc(hidden)]
pub mod operator;
mod pinned;
pub mod precompile;
mod precompiled;
mod print;
pub mod profile;
mod properties;
#[doc(hidden)]
pub mod slot;
mod specialise;
mod stream;
mod sync;
mod timing;
mod types;
mod variable;
mod warning;

pub use argument::{HostView, HostViewMut, In, InOut, Out, ReadArgument, ReadView, WriteArgument, WriteView};
pub use array::shape::Shape;
pub use array::{CopySource, CopyTarget, DeviceArray, DeviceChunks, DeviceSlice, DeviceSliceMut};
pub use array_view::{ArrayView, ArrayView1, ArrayView2, ArrayView3, ArrayViewMut1, ArrayViewMut2, ArrayViewMut3};
pub use attributes::Attributes;
pub use device::Device;
pub use dim::Dim3;
pub use doctor::doctor;
pub use error::{
    BlockLimit, CompileError, DeviceError, Diagnostic, DriverFailure, Error, FaultKind, GraphError, LaunchError,
    LaunchExtent, MissingConfig, NoClusters, Position, Result, ShapeError, SharedError, Waiting,
};
pub use event::Event;
pub use graph::{Graph, Recorder};
pub use half;
pub use half::{bf16, f16};
pub use host::{HostArray, HostArrayMut};
pub use kernel::{KernelInfo, kernels};
pub use launch::{Checked, Launch, Occupancy, Prepared, Unchecked};
pub use number::{Float, Integer, Number};
pub use pinned::{PinnedArray, PinnedSlice, PinnedSliceMut};
pub use properties::{Limits, MemoryInfo, Pci, Properties};
pub use stream::{Stream, StreamBuilder};
pub use types::{Components, DeviceType, Element, Scalar};

/// Items for the expansion of the macros only.
#[doc(hidden)]
pub mod __private {
    pub use crate::argument::{ArraySlice, ViewArgument, Visitor};
    pub use crate::attributes::of as attributes;
    pub use crate::cpu::access::{Read, Write};
    pub use crate::cpu::fault::overflows;
    pub use crate::cpu::{
        Call, Cx, FieldOf, Handle, IntoPlace, IntoPlaceMut, IntoSlice, IntoSliceMut, IntoView, IntoViewMut, LocalMut,
        LocalRef, Location, PathReceiver, PathReceiverMut, Place, Slice, View, borrow, borrow_mut,
    };
    pub use crate::cuda::{DRIVER_FUNCTIONS, RawFault};
    pub use crate::inspect;
    pub use crate::intrinsics::LaneValue;
    pub use crate::kernel::{Callee, CalleeKey, Definition, Kernel, MethodResult, NoKey, Options, Returned};
    pub use crate::launch::{Checked, Emulation, Unchecked};
    pub use crate::methods::{Lossless, array, cloned};
    pub use crate::named;
    pub use crate::operator::{self as op, BuiltIn, Equal, Operator, Ordered};
    pub use crate::precompile::Instance;
    pub use crate::print::decode as printed;
    pub use crate::slot::{Content, Slot, Slots, callee_content, captured, contents_of};
    pub use crate::types::{
        ConstantType, DerivesCopy, DeviceType, Element, Repr, bits_of, enumeration, is_tag, load_bits, store_bits,
        structure,
    };
    pub use cumbia_kernel_ir::ir;
    pub use inventory;

    /// The traits whose methods expanded bodies call.
    pub mod body {
        pub use crate::cpu::LocalArray as _;
        pub use crate::evaluation_order::FallbackOrder as _;
        pub use crate::kernel::MethodResult as _;
        pub use crate::methods::{
            ArrayMethods as _, BitsMethods as _, CloneMethod as _, HalfMethods as _, LargeFloatCast as _,
            LargeMethods as _, Lossless as _, MixedMethods as _, NumberCast as _, NumberMethods as _, OwnIterator as _,
            SignedMethods as _, UnsignedMethods as _,
        };
        pub use crate::number::{FloatMethods as _, IntegerMethods as _, Number as _};
    }
}
