//! The intermediate representation (IR): the functions that `#[kernel]` emits, and the slots that specialisation fills.
//!
//! A [`Function`] is complete except for types. Wherever a type, a callee or a constant is required, it holds a
//! [`SlotId`]. rustc determines the content of each slot, and the runtime supplies it as a [`Filled`] slot. The IR is
//! independent of the parser that produces it and of the target that it is compiled for.
//!
//! The macros produce it, the language layer names its types, and `cumbia-kernel-compiler` compiles it. It is a crate of its
//! own so that a change of the compiler does not recompile the macros, and so that they do not wait for it.

mod alternatives;
mod bytes;
mod display;
mod function;
mod intrinsic;
mod message;
mod method;
mod program;
mod types;
mod visit;

pub use alternatives::{alternatives, binding_count, expanded};
pub use bytes::DecodeError;
pub use function::{
    Adapter, Arm, BinaryOp, Block, CudaC, Expr, ExprId, ExprKind, Foreign, Function, Literal, Local, LocalId,
    LogicalOp, LoopId, Message, Pattern, Piece, Range, Sequence, SlotId, Span, Stmt, UnaryOp, Unroll, variant_in_slot,
};
pub use intrinsic::{AtomicOp, Comparison, Fast, Intrinsic, Ordering, Predicate, Reduce, Scope, Shuffle, Vote};
pub use message::Text;
pub use method::{
    AnyMethod, ClassMethod, ConversionMethod, FloatFunction, FloatMethod, IntegerMethod, LengthMethod, Method,
    MethodGroup, NumberMethod, SequenceMethod, ViewMethod,
};
pub use program::{Callee, Constant, ConstantValue, Filled, FunctionId, Instance, Program, variant_of};
pub use types::dim3_of;
pub use types::{EnumType, FAILURE, Field, SUCCESS, Scalar, StructType, Type, Variant, dim3};
