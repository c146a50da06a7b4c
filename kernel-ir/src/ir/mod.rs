//! The data of the compiler: what `#[kernel]` writes down, and what specialisation adds to it.
//!
//! A [`Function`] is complete but for types. Wherever a type, a callee or a constant is needed, it holds a
//! [`SlotId`]; rustc knows what belongs there, and the runtime brings it as a [`Filled`] slot. Nothing here knows how
//! a function was parsed or what it is compiled to.

mod alternatives;
mod bytes;
mod display;
mod function;
mod intrinsic;
mod method;
mod narrow;
mod program;
mod types;
mod visit;

pub(crate) use alternatives::{alternatives, bound, expanded};
pub use bytes::DecodeError;
pub use function::{
    Adapter, Arm, BinaryOp, Block, CudaC, Expr, ExprId, ExprKind, Function, Literal, Local, LocalId, LogicalOp, LoopId,
    Message, Pattern, Piece, Range, Sequence, SlotId, Span, Stmt, UnaryOp, Unroll,
};
pub use intrinsic::{AtomicOp, Comparison, Fast, Intrinsic, Ordering, Predicate, Reduce, Scope, Shuffle, Vote};
pub use method::Method;
pub use program::{Callee, Constant, ConstantValue, Filled, FunctionId, Instance, Program};
pub(crate) use types::dim3_of;
pub use types::{EnumType, Field, Scalar, StructType, Type, Variant, dim3};
