//! The IR of a function as the macro emits it: structure, names and source positions, but no types.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Defines a newtype of an index into one of a function's tables.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the index into the table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", stringify!($name), self.0)
            }
        }
    };
}

index!(
    /// An expression of a [`Function`].
    ExprId
);
index!(
    /// A variable of a [`Function`]: a parameter, or a variable bound by a `let`, a `match` or a `for`.
    LocalId
);
index!(
    /// A placeholder for a type, a callee or a constant, which rustc fills.
    SlotId
);
index!(
    /// A loop of a [`Function`], the target of `break` and `continue`.
    LoopId
);

/// A kernel or a device function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// The name in the user's source.
    pub name: String,
    /// The position of the name.
    pub span: Span,
    /// The parameters, in order. A parameter's type is in the slot of its local.
    pub params: Vec<LocalId>,
    /// The slot of the declared result type; `None` if the function returns `()`.
    pub result: Option<SlotId>,
    /// The function's definition on a GPU, if it is not the lowered body.
    pub foreign: Option<Foreign>,
    /// All variables, parameters first, then in order of appearance.
    pub locals: Vec<Local>,
    /// All expressions. Operands precede the expressions that use them.
    pub exprs: Vec<Expr>,
    /// The statements.
    pub body: Block,
    /// The number of slots.
    pub slots: u32,
}

/// The definition of a device function on a GPU that is not lowered from Rust.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Foreign {
    /// Statements in CUDA C, which refer to the parameters by name.
    CudaC(CudaC),
    /// A function in a linked file, with C linkage and this symbol.
    Linked(String),
}

/// Statements that the user wrote in CUDA C.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CudaC {
    /// The text, verbatim.
    pub text: String,
    /// The source line in which the text begins. The lines of the text are consecutive lines of the file.
    pub line: u32,
}

impl Function {
    /// Returns the expression with this id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// Returns the variable with this id.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }

    /// Replaces each [`variant_in_slot`] by the name of the variant to which rustc resolved the path, or by the path's last
    /// identifier if the path names no variant but a struct.
    pub fn name_variants(&mut self, variant: &dyn Fn(SlotId) -> Option<String>) {
        for expr in &mut self.exprs {
            match &mut expr.kind {
                ExprKind::Struct { name, .. } => resolve(name, variant),
                ExprKind::Match { arms, .. } => arms.iter_mut().for_each(|arm| arm.pattern.name_variants(variant)),
                _ => {}
            }
        }
    }
}

/// Separates the identifier from the slot in a [`variant_in_slot`].
const IN_SLOT: char = '#';

/// Returns the name of a variant that rustc resolves, in an [`ExprKind::Struct`] or a refutable pattern: the last
/// identifier of the path, and the slot that receives the variant.
pub fn variant_in_slot(written: &str, slot: SlotId) -> String {
    format!("{written}{IN_SLOT}{}", slot.0)
}

fn resolve(name: &mut String, variant: &dyn Fn(SlotId) -> Option<String>) {
    let Some((written, slot)) = name.rsplit_once(IN_SLOT) else { return };
    let resolved = slot.parse().ok().and_then(|slot| variant(SlotId(slot)));
    *name = resolved.unwrap_or_else(|| written.to_owned());
}

/// A variable. Variables of the same name (shadowing) are distinct locals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Local {
    /// The name in the source, without `r#`.
    pub name: String,
    /// Declared `mut`.
    pub mutable: bool,
    /// The slot of its type.
    pub slot: SlotId,
}

/// A source position. Lines and columns count from 1, as in editors and `column!()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// Statements, and an optional tail expression, whose value is the block's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The statements, in order.
    pub stmts: Vec<Stmt>,
    /// The tail expression.
    pub tail: Option<ExprId>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stmt {
    /// `let pattern = init;`, or `let x;` with deferred initialisation.
    Let {
        /// The pattern that is bound.
        pattern: Pattern,
        /// The initialiser.
        init: Option<ExprId>,
        /// The position of the `let`.
        span: Span,
    },
    /// An expression statement; the value is discarded.
    Expr(ExprId),
}

/// A pattern of a `let` or of an arm of a `match`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Pattern {
    /// `_`
    Wild,
    /// `x` or `mut x`
    Local(LocalId),
    /// `x @ pattern`
    At(LocalId, Box<Pattern>),
    /// `(x, y)`
    Tuple(Vec<Pattern>),
    /// `Point { x, y: 0, .. }`, `Pair(a, b)`, `Some(x)`: fields by name, or by index in decimal. Omitted fields match any
    /// value. Also `(a, ..)` and `[a, ..]`, whose length the macro does not know.
    Struct {
        /// The variant, if the value is an enum, which the macro does not know: a [`variant_in_slot`] until the slots are
        /// filled.
        name: Option<String>,
        /// The fields that are matched.
        fields: Vec<(String, Pattern)>,
    },
    /// `[a, b, c]`, one pattern for each element of an array.
    Array(Vec<Pattern>),
    /// `-3`, `true`. The literal has the scrutinee's type.
    Literal(Literal),
    /// `LIMIT`, `Kind::Leaf`: a constant that rustc evaluates.
    Constant(SlotId),
    /// `a..=b`, `a..b`, `a..`, `..=b`: each bound is a literal or a constant.
    Range {
        /// The lower bound.
        start: Option<Box<Pattern>>,
        /// The upper bound.
        end: Option<Box<Pattern>>,
        /// `..=`: the upper bound is part of the range.
        inclusive: bool,
    },
    /// `a | b`: all alternatives bind the same variables.
    Or(Vec<Pattern>),
}

impl Pattern {
    fn name_variants(&mut self, variant: &dyn Fn(SlotId) -> Option<String>) {
        match self {
            Pattern::Wild
            | Pattern::Local(_)
            | Pattern::Literal(_)
            | Pattern::Constant(_)
            | Pattern::Range { start: _, end: _, inclusive: _ } => {}
            Pattern::At(_, inner) => inner.name_variants(variant),
            Pattern::Tuple(parts) | Pattern::Array(parts) | Pattern::Or(parts) => {
                for part in parts {
                    part.name_variants(variant);
                }
            }
            Pattern::Struct { name, fields } => {
                if let Some(name) = name {
                    resolve(name, variant);
                }
                for (_, field) in fields {
                    field.name_variants(variant);
                }
            }
        }
    }
}

/// An arm of a `match`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// The pattern that the scrutinee has to match.
    pub pattern: Pattern,
    /// `if condition`, evaluated after the pattern has matched.
    pub guard: Option<ExprId>,
    /// The value of the `match`.
    pub body: ExprId,
}

/// An expression and the position at which it begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expr {
    /// The operation.
    pub kind: ExprKind,
    /// The position that a fault reports.
    pub span: Span,
}

/// The operation of an expression. The semantics are Rust's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExprKind {
    /// `2`, `2.0f32`, `true`. A leading minus is part of the literal.
    Literal {
        /// The value as written.
        value: Literal,
        /// The slot of its type, which rustc may have inferred.
        slot: SlotId,
    },
    /// A variable.
    Local(LocalId),
    /// A `const`, an associated constant or a const generic, evaluated by rustc.
    Constant(SlotId),
    /// `-x`, `!x`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: ExprId,
        /// The slot of the operator's function, which is `None` for a built-in operator.
        operator: SlotId,
    },
    /// `x + y` and the other binary operators. Both operands are evaluated, left to right.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Evaluated first.
        left: ExprId,
        /// Evaluated second.
        right: ExprId,
        /// The slot of the operator's function, which is `None` for a built-in operator.
        operator: SlotId,
    },
    /// `p && q`, `p || q`: short-circuit evaluation.
    Logical {
        /// The operator.
        op: LogicalOp,
        /// Always evaluated.
        left: ExprId,
        /// Evaluated if `left` does not determine the result.
        right: ExprId,
    },
    /// `x as T`, and the lossless `T::from(x)`.
    Cast {
        /// The operand.
        operand: ExprId,
        /// The slot of the target type.
        slot: SlotId,
    },
    /// `x[i]`: a place expression. Faults unless `i` is less than the length.
    Index {
        /// A slice, an array, a view, or a reference to an array.
        base: ExprId,
        /// A `usize`; for a view, an array of `usize`, as in `a[[i, j]]`. A one-dimensional view accepts both.
        index: ExprId,
    },
    /// `x[a..b]`, always the operand of an [`ExprKind::Borrow`]. Its value is a slice, or a part of a view. Faults if the range is reversed or exceeds the length.
    SubSlice {
        /// A slice, an array, a one-dimensional view, or a reference to an array.
        base: ExprId,
        /// A `usize`. The default is 0.
        start: Option<ExprId>,
        /// A `usize`. The default is the length.
        end: Option<ExprId>,
        /// `..=`
        inclusive: bool,
    },
    /// `v.x`, `t.0`
    Field {
        /// A struct, a tuple, or a reference to a struct.
        base: ExprId,
        /// The field's name, or its index in decimal.
        name: String,
    },
    /// `(x, y)`. The empty tuple is `()`.
    Tuple(Vec<ExprId>),
    /// `Point { x: 1.0, y }`, `Pair(a, b)`, `Some(x)`
    Struct {
        /// The slot of the type, a struct or an enum with data.
        slot: SlotId,
        /// The variant, if the type is an enum: a [`variant_in_slot`] until the slots are filled.
        name: String,
        /// Fields by name, or by index in decimal, evaluated in this order.
        fields: Vec<(String, ExprId)>,
        /// `..base`, evaluated last: the source of the omitted fields.
        base: Option<ExprId>,
    },
    /// `[x, y]`, never empty.
    Array(Vec<ExprId>),
    /// `[x; N]`. `[]` is represented as `()` repeated zero times.
    Repeat {
        /// Evaluated once, even if `N` is 0.
        value: ExprId,
        /// The slot of the array's type.
        slot: SlotId,
    },
    /// `f(x, y)`, `x.f(y)`, `T::f(x)`: a device function, a device operation or a built-in method.
    Call {
        /// The slot of the callee.
        callee: SlotId,
        /// Evaluated in order; the receiver comes first. If the callee takes its receiver by reference and the argument
        /// is a value, the argument is auto-borrowed: directly if it is a place expression in any memory, otherwise
        /// through a thread-local temporary. If the callee takes a value and the argument is a reference, the referent
        /// is read. A reference to an array is accepted where the callee takes a slice.
        args: Vec<ExprId>,
    },
    /// `&x`, `&mut y[i]`, `&x[a..b]`: refers to the place itself, not to a copy. A slice or a reference is reborrowed.
    Borrow {
        /// A place expression, or a value expression, which is stored in a thread-local temporary.
        place: ExprId,
        /// `&mut`
        mutable: bool,
    },
    /// `*r`: a place expression.
    Deref(ExprId),
    /// A block expression.
    Block(Block),
    /// `if condition { .. } else { .. }`
    If {
        /// Of type `bool`.
        condition: ExprId,
        /// Evaluated if the condition is true.
        then: Block,
        /// Evaluated if the condition is false: a block or another `if`.
        otherwise: Option<ExprId>,
    },
    /// `match scrutinee { .. }`: evaluates the first arm that matches. rustc has checked exhaustiveness.
    Match {
        /// Evaluated once.
        scrutinee: ExprId,
        /// The arms, in order.
        arms: Vec<Arm>,
    },
    /// `'label: { .. }`. Its value comes from its tail expression or from a `break`.
    Labelled {
        /// The target of `break`.
        id: LoopId,
        /// Executed once.
        body: Block,
    },
    /// `loop { .. }`. Its value comes from a `break`.
    Loop {
        /// The target of `break` and `continue`.
        id: LoopId,
        /// The body.
        body: Block,
        /// `#[unroll]`
        unroll: Unroll,
    },
    /// `while condition { .. }`
    While {
        /// The target of `break` and `continue`.
        id: LoopId,
        /// Evaluated before each iteration.
        condition: ExprId,
        /// The body.
        body: Block,
        /// `#[unroll]`
        unroll: Unroll,
    },
    /// `for x in sequence { .. }`
    For {
        /// The target of `break` and `continue`.
        id: LoopId,
        /// Evaluated once, before the first iteration.
        sequence: Sequence,
        /// The body.
        body: Block,
        /// `#[unroll]`
        unroll: Unroll,
    },
    /// `break`, `break 'label value`
    Break {
        /// The loop that is left.
        target: LoopId,
        /// The value of the loop.
        value: Option<ExprId>,
    },
    /// `continue`, `continue 'label`
    Continue {
        /// The loop whose next iteration begins.
        target: LoopId,
    },
    /// `return`, `return x`
    Return(Option<ExprId>),
    /// `place = value`. The value is evaluated before the place.
    Assign {
        /// A variable, an element of a mutable sequence, the referent of a `&mut`, or a field of one of these.
        place: ExprId,
        /// The new value.
        value: ExprId,
    },
    /// `place += value`. For scalars, the value is evaluated before the place.
    AssignOp {
        /// The operator, never a comparison.
        op: BinaryOp,
        /// A place expression, as in [`ExprKind::Assign`].
        place: ExprId,
        /// The right operand.
        value: ExprId,
        /// The slot of the operator's function, which is `None` for a built-in operator.
        operator: SlotId,
    },
    /// `panic!("..")`, or a failed `assert!`.
    Panic(Message),
    /// `println!("..")`, `print!("..")`: the message goes to the host, which prints it.
    Print(Message),
}

/// A format string and its arguments, as in `format!`. The host formats the text according to Rust's rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The pieces of the format string, in order.
    pub pieces: Vec<Piece>,
    /// Scalars and enums, evaluated in order.
    pub args: Vec<ExprId>,
}

impl Message {
    /// Returns a message without arguments.
    pub fn text(text: impl Into<String>) -> Message {
        Message { pieces: vec![Piece::Text(text.into())], args: Vec::new() }
    }
}

/// A piece of a [`Message`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// `{}`, `{:?}`, `{:>8.3}`, `{:#x}`
    Number {
        /// The index of the argument.
        position: u32,
        /// The format specification: the text after the colon.
        format: String,
    },
}

/// The unrolling that `#[unroll]` requests for a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unroll {
    /// No attribute: the compiler decides.
    #[default]
    Undecided,
    /// `#[unroll]`: unroll completely.
    Full,
    /// `#[unroll(n)]`: unroll by this factor; 1 prevents unrolling.
    By(u32),
}

/// The sequence that a `for` iterates over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sequence {
    /// `for i in a..b`
    Range {
        /// The loop variable, a new one in each iteration; `None` for `_`.
        local: Option<LocalId>,
        /// The range.
        range: Range,
    },
    /// `for v in x.iter()`, `for (i, v) in x.iter_mut().enumerate()`, `for &v in x`, `for v in [a, b]`
    Elements {
        /// A slice, an array, a one-dimensional view, or a reference to an array.
        of: ExprId,
        /// The variable of the index, a `usize`.
        index: Option<LocalId>,
        /// The variable of the element: the element itself, or a reference to it, depending on the type in its slot.
        element: Option<LocalId>,
        /// `.rev()`. After `.enumerate()` it reverses the indices, too.
        reversed: bool,
    },
}

/// An integer range that a `for` iterates over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The lower bound.
    pub start: ExprId,
    /// The upper bound.
    pub end: ExprId,
    /// `..=`: the upper bound is part of the range.
    pub inclusive: bool,
    /// `.rev()` and `.step_by(n)`, in source order.
    pub adapters: Vec<Adapter>,
}

/// An iterator adapter of a [`Range`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Adapter {
    /// `.rev()`
    Reversed,
    /// `.step_by(n)`: every `n`-th element, beginning with the first. `n` is a `usize`; zero is a fault.
    StepBy(ExprId),
}

/// A literal as written. Its type is in a slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Literal {
    /// `true`
    Bool(bool),
    /// `2`, `-2`, `0xff`
    Int {
        /// The absolute value.
        magnitude: u128,
        /// Whether there is a leading minus.
        negative: bool,
    },
    /// `2.0`, `-1e-3`: the digits and the sign, without suffix and underscores. They are converted directly to the
    /// literal's type, to avoid double rounding.
    Float(String),
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnaryOp {
    /// `-x`
    Neg,
    /// `!x`
    Not,
}

/// A binary operator that evaluates both operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl BinaryOp {
    /// Returns whether the operator is a comparison, whose result is a `bool`.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

/// A binary operator with short-circuit evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogicalOp {
    /// `&&`
    And,
    /// `||`
    Or,
}
