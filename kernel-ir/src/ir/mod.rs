//! The intermediate representation (IR): the functions that `#[kernel]` emits, and the slots that specialisation fills.
//!
//! A [`Function`] is complete except for types. Wherever a type, a callee or a constant is required, it holds a
//! [`SlotId`]. rustc determines the content of each slot, and the runtime supplies it as a [`Filled`] slot. The IR is
//! independent of the parser that produces it and of the target that it is compiled for.

mod alternatives;
mod bytes;
mod display;
mod function;
mod intrinsic;
mod method;
mod program;
mod types;
mod visit;

pub(crate) use alternatives::{alternatives, binding_count, expanded};
pub use bytes::DecodeError;
pub use function::{
    Adapter, Arm, BinaryOp, Block, CudaC, Expr, ExprId, ExprKind, Function, Literal, Local, LocalId, LogicalOp, LoopId,
    Message, Pattern, Piece, Range, Sequence, SlotId, Span, Stmt, UnaryOp, Unroll,
};
pub use intrinsic::{AtomicOp, Comparison, Fast, Intrinsic, Ordering, Predicate, Reduce, Scope, Shuffle, Vote};
pub use method::Method;
pub(crate) use method::{
    AnyMethod, ClassMethod, ConversionMethod, FloatFunction, FloatMethod, IntegerMethod, LengthMethod, MethodGroup,
    NumberMethod, SequenceMethod, ViewMethod,
};
pub(crate) use program::variant_of;
pub use program::{Callee, Constant, ConstantValue, Filled, FunctionId, Instance, Program};
pub(crate) use types::dim3_of;
pub use types::{EnumType, FAILURE, Field, SUCCESS, Scalar, StructType, Type, Variant, dim3};
