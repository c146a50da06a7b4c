//! The data of the compiler: what `#[kernel]` writes down, and what specialisation adds to it.
//!
//! A [`Function`] is complete but for types. Wherever a type, a callee or a constant is needed, it holds a
//! [`SlotId`]; rustc knows what belongs there, and the runtime brings it as a [`Filled`] slot. Nothing here knows how
//! a function was parsed or what it is compiled to.

mod bytes;
mod function;
mod intrinsic;
mod method;
mod program;
mod types;
mod visit;

pub use bytes::DecodeError;
pub use function::{
    BinaryOp, Block, Expr, ExprId, ExprKind, Function, Literal, Local, LocalId, LogicalOp, LoopId, Pattern, Range,
    SlotId, Span, Stmt, UnaryOp,
};
pub use intrinsic::Intrinsic;
pub use method::Method;
pub use program::{Callee, Constant, Filled, FunctionId, Instance, Program};
pub use types::{Field, Scalar, StructType, Type, dim3};
