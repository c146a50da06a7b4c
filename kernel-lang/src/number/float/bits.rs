//! The bits of floats.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use cumbia_kernel_ir::Method;
use half::{bf16, f16};

use crate::cpu::Call;
use crate::definition::{CalleeKey, MethodKey, Returned};

/// The bit representation of floats. `from_bits` has a key of its own for each type, since the type is part of the
/// operation.
#[allow(missing_docs, reason = "each is named after the method")]
pub trait BitsMethods: Copy {
    type Bits;
    type FromBits: CalleeKey;

    fn __device_to_bits(self, call: Call<'_>, _: ()) -> Returned<MethodKey<{ Method::ToBits as usize }>, Self::Bits>;
    fn __device_from_bits(bits: Self::Bits, call: Call<'_>, _: ()) -> Returned<Self::FromBits, Self>;
}

/// Implements [`BitsMethods`].
macro_rules! bits {
    ($($float:ident $bits:ident $from_bits:ident),*) => {$(
        impl BitsMethods for $float {
            type Bits = $bits;
            type FromBits = MethodKey<{ Method::$from_bits as usize }>;

            #[inline(always)]
            fn __device_to_bits(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::ToBits as usize }>, $bits> {
                Returned::new(self.to_bits())
            }

            #[inline(always)]
            fn __device_from_bits(bits: $bits, _call: Call<'_>, (): ()) -> Returned<Self::FromBits, Self> {
                Returned::new($float::from_bits(bits))
            }
        }
    )*};
}

bits!(f16 u16 F16FromBits, bf16 u16 Bf16FromBits, f32 u32 F32FromBits, f64 u64 F64FromBits);

/// The methods of this module.
#[cfg(test)]
pub(in crate::number) fn primitives() -> [Method; 5] {
    [Method::ToBits, Method::F16FromBits, Method::Bf16FromBits, Method::F32FromBits, Method::F64FromBits]
}
