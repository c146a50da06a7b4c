//! A kernel and its callees, specialised for one launch.

use std::sync::Arc;

use super::{Function, Intrinsic, Method, Scalar, Type};

/// A kernel and the device functions reachable from it, with all slots filled. Clones share the functions.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The entry point.
    pub kernel: Arc<Instance>,
    /// The device functions in topological order: callees precede their callers.
    pub functions: Vec<Arc<Instance>>,
    /// The type of indices and lengths: `usize`, or `u32` for a kernel with `index = u32`.
    pub index: Scalar,
}

/// The index of a device function in [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

impl FunctionId {
    /// Returns the index into [`Program::functions`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function for one instantiation of its generic parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The IR that the macro emitted.
    pub function: Function,
    /// The contents of the slots, as rustc inferred them.
    pub slots: Vec<Filled>,
    /// The source file, as `file!()` reports it.
    pub file: String,
    /// Whether integer overflow is a fault, as with `overflow-checks`; otherwise it wraps.
    pub overflow_checks: bool,
    /// Whether the function defines a built-in method: its faults have the position of the call, its loops terminate, and
    /// its constants of type `usize` are small or `usize::MAX`.
    pub built_in: bool,
}

/// The content of a slot.
#[derive(Clone, Debug, PartialEq)]
pub enum Filled {
    /// The type of a variable, a literal, a cast or a result.
    Type(Type),
    /// The target of a call.
    Callee(Callee),
    /// The value of a constant.
    Constant(Constant),
    /// The function that implements an operator; `None` if the operator is built in.
    Operator(Option<FunctionId>),
}

/// The target of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A device operation.
    Intrinsic(Intrinsic),
    /// A device function of the same program.
    Function(FunctionId),
    /// A built-in method of the first argument's type.
    Method(Method),
}

/// A constant evaluated by rustc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: ConstantValue,
}

/// The value of a [`Constant`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstantValue {
    /// The value of a scalar or an enum: its bits, in the low-order bits; the remaining bits are zero.
    Bits(u64),
    /// The value of an array, a tuple or a struct: the elements or fields, in order of declaration.
    Parts(Vec<ConstantValue>),
}

/// Returns the variant of a constant of an enum with data, the type of its payload, and the payload.
pub fn variant_of<'a>(ty: &'a Type, value: &'a ConstantValue) -> Option<(usize, &'a Type, &'a ConstantValue)> {
    let ConstantValue::Parts(parts) = value else { return None };
    let [ConstantValue::Bits(bits), payload] = parts.as_slice() else { return None };
    let variant = ty.tag()?.variants.iter().position(|variant| variant.bits == *bits)?;
    Some((variant, ty.payload(variant)?, payload))
}
