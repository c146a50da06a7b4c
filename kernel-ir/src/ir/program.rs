//! A kernel with all that it calls, at the types of one launch.

use super::{Function, Intrinsic, Method, Scalar, Type};

/// A kernel and the device functions it reaches, with every slot filled.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The entry point.
    pub kernel: Instance,
    /// The device functions, each before its callers.
    pub functions: Vec<Instance>,
    /// What positions and lengths are: `usize`, or `u32` by [`Program::with_narrow_indices`].
    pub index: Scalar,
}

/// A device function of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

impl FunctionId {
    /// The position among [`Program::functions`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function at one choice of its generic arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// What the macro wrote down.
    pub function: Function,
    /// What rustc inferred, one for each slot.
    pub slots: Vec<Filled>,
    /// The source file, as `file!()` gives it.
    pub file: String,
    /// Integer overflow is a fault, as where `overflow-checks` are on; otherwise it wraps.
    pub overflow_checks: bool,
}

/// What a slot holds once rustc has spoken.
#[derive(Clone, Debug, PartialEq)]
pub enum Filled {
    /// The type of a variable, a literal, a cast or a result.
    Type(Type),
    /// What is called.
    Callee(Callee),
    /// The value of a constant.
    Constant(Constant),
    /// The function that an operator calls; `None` where it is built in.
    Operator(Option<FunctionId>),
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// An operation of the device.
    Intrinsic(Intrinsic),
    /// A device function of the same program.
    Function(FunctionId),
    /// A method that every program has, of the first argument's type.
    Method(Method),
}

/// A value that rustc computed.
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
    /// Of a number, a `bool` or an enum: the bits, in the low end; the rest are zero.
    Bits(u64),
    /// Of an array, a tuple or a struct: the elements or fields, in order of declaration.
    Parts(Vec<ConstantValue>),
}
