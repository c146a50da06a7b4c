//! The runtime of Cumbia: devices, arrays, launches, and the caches behind them.
//!
//! Use it through the `cumbia` crate. What is marked hidden here is for the code that `#[kernel]` and `#[device]`
//! write.

mod argument;
mod array;
mod array_view;
mod cache;
mod config;
#[doc(hidden)]
pub mod cpu;
mod cuda;
mod device;
mod dim;
mod error;
mod fault;
#[doc(hidden)]
pub mod inspect;
pub mod intrinsics;
mod kernel;
mod launch;
mod message;
#[doc(hidden)]
pub mod methods;
mod number;
#[doc(hidden)]
pub mod op;
mod print;
#[doc(hidden)]
pub mod slot;
mod specialise;
mod types;

pub use argument::{ReadArgument, ReadView, WriteArgument, WriteView};
pub use array::DeviceArray;
pub use array_view::{
    ArrayView, ArrayView1, ArrayView2, ArrayView3, ArrayViewMut1, ArrayViewMut2, ArrayViewMut3, Shape,
};
pub use device::{Device, Limits};
pub use dim::Dim3;
pub use error::{CompileError, DeviceError, Error, FaultKind, LaunchError, Result, ShapeError, Waiting};
pub use half;
pub use half::{bf16, f16};
pub use kernel::{KernelInfo, kernels};
pub use launch::{Checked, Launch, Unchecked};
pub use number::{Float, Integer, Number};
pub use types::{DeviceType, Element, Lanes, Scalar};

/// For the macros only.
#[doc(hidden)]
pub mod __private {
    pub use crate::argument::{ArraySlice, Binder};
    pub use crate::array_view::ArrayView;
    pub use crate::cpu::access::{Read, Write};
    pub use crate::cpu::fault::overflows;
    pub use crate::cpu::{
        At, Call, Cx, IntoPlace, IntoPlaceMut, IntoSlice, IntoSliceMut, IntoView, IntoViewMut, LocalMut, LocalRef,
        Place, Slice, View, lend, lend_mut,
    };
    pub use crate::cuda::RawFault;
    pub use crate::inspect;
    pub use crate::kernel::{Callee, CalleeKey, Definition, Kernel, MethodResult, NoKey, Options, Returned};
    pub use crate::launch::{Checked, Emulation, Unchecked};
    pub use crate::op::{self, BuiltIn, Operator};
    pub use crate::print::text_of as printed;
    pub use crate::slot::{Content, Slot, Slots, contents_of, give};
    pub use crate::types::{
        ConstantType, DerivesCopy, DeviceType, Element, Repr, bits_of, enumeration, is_tag, load_bits, store_bits,
        structure,
    };
    pub use cumbia_kernel_ir::ir;
    pub use inventory;

    /// The traits whose methods a body calls.
    pub mod body {
        pub use crate::cpu::LocalArray as _;
        pub use crate::kernel::MethodResult as _;
        pub use crate::methods::{
            ArrayMethods as _, BitsMethods as _, CloneMethod as _, HalfMethods as _, LargeMethods as _,
            MixedMethods as _, NumberMethods as _, SignedMethods as _, UnsignedMethods as _,
        };
        pub use crate::number::{FloatMethods as _, IntegerMethods as _, Number as _};
    }
}
