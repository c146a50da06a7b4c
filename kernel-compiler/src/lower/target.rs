//! The destinations of values, and of `break` and `continue`.

use super::Label;
use super::value::Value;
use crate::ir::LoopId;

/// The destination of an expression's value.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are only as many as enclosing loops")]
pub(super) enum Target {
    /// The value is discarded.
    Discard,
    /// Assigned to these variables, which the expression does not read after having written them.
    Vars(Value),
    /// Returned from the function.
    Return,
}

/// An enclosing loop or labelled block.
pub(super) struct Loop {
    pub(super) id: LoopId,
    /// Whether it is a target of C's `break` and `continue`, unlike a labelled block.
    pub(super) repeats: bool,
    /// The number of `switch` statements that enclose it, which C's `break` would leave first.
    pub(super) switches: usize,
    /// The destination of a `break`'s value.
    pub(super) target: Target,
    /// The label at the end of the body, if a `continue` of an inner loop needs it.
    pub(super) next: Option<Label>,
    /// The label after the loop, if a `break` of an inner loop needs it.
    pub(super) end: Option<Label>,
}
