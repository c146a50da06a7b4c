//! A function as the macro wrote it down: its structure, its names and its places in the source, but no types.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Method;

/// Defines a newtype over an index into one of a function's tables.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table.
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
    /// A variable of a [`Function`]: a parameter, a `let`, or the variable of a `for`.
    LocalId
);
index!(
    /// A gap that rustc fills: a type, a callee or a constant.
    SlotId
);
index!(
    /// A loop of a [`Function`], the target of `break` and `continue`.
    LoopId
);

/// A kernel or a device function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// The name the user gave it.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// The parameters, in order. A parameter's type is in its local's slot.
    pub params: Vec<LocalId>,
    /// The slot of the declared result type; `None` for a function that returns nothing.
    pub result: Option<SlotId>,
    /// All variables, parameters first, then in order of appearance.
    pub locals: Vec<Local>,
    /// All expressions. Operands come before the expressions that use them.
    pub exprs: Vec<Expr>,
    /// The statements.
    pub body: Block,
    /// How many slots there are.
    pub slots: u32,
}

impl Function {
    /// The expression `id` names.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// The variable `id` names.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }
}

/// A variable. Two variables of one name (shadowing) are two locals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Local {
    /// The name in the source, without `r#`.
    pub name: String,
    /// Declared `mut`.
    pub mutable: bool,
    /// The slot of its type.
    pub slot: SlotId,
}

/// A position in the source file: both count from 1, as editors and `column!()` do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// Statements, and the value of the last expression where there is one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// The expression without a semicolon at the end.
    pub tail: Option<ExprId>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stmt {
    /// `let pattern = init;`, or `let x;` assigned later.
    Let {
        /// What is bound.
        pattern: Pattern,
        /// The value.
        init: Option<ExprId>,
        /// The `let` itself.
        span: Span,
    },
    /// An expression whose value is dropped.
    Expr(ExprId),
}

/// What a `let` binds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Pattern {
    /// `_`
    Wild,
    /// `x` or `mut x`
    Local(LocalId),
    /// `(x, y)`
    Tuple(Vec<Pattern>),
}

/// An expression and where it begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expr {
    /// What it does.
    pub kind: ExprKind,
    /// The position that a fault reports.
    pub span: Span,
}

/// What an expression does. The meaning of each is Rust's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExprKind {
    /// `2`, `2.0f32`, `true`. A leading minus belongs to the literal.
    Literal {
        /// The value as written.
        value: Literal,
        /// Its type, which rustc may have inferred.
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
    },
    /// `x + y` and its like. Both operands are evaluated, left first.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Evaluated first.
        left: ExprId,
        /// Evaluated second.
        right: ExprId,
    },
    /// `p && q`, `p || q`. The right operand may not be evaluated.
    Logical {
        /// The operator.
        op: LogicalOp,
        /// Always evaluated.
        left: ExprId,
        /// Evaluated where `left` does not decide.
        right: ExprId,
    },
    /// `x as T`, and the lossless `T::from(x)`.
    Cast {
        /// What is converted.
        operand: ExprId,
        /// The target type.
        slot: SlotId,
    },
    /// `x[i]`: a place. Faults where `i` is not below the length.
    Index {
        /// A slice or a shared array.
        base: ExprId,
        /// Of type `usize`.
        index: ExprId,
    },
    /// `v.x`, `t.0`
    Field {
        /// A struct or a tuple.
        base: ExprId,
        /// The field's name, or its position in decimal.
        name: String,
    },
    /// `(x, y)`; the empty tuple is `()`.
    Tuple(Vec<ExprId>),
    /// `f(x, y)`: a device function or an intrinsic.
    Call {
        /// The slot of the callee.
        callee: SlotId,
        /// Evaluated in order.
        args: Vec<ExprId>,
    },
    /// `x.sqrt()`: a method that every program has.
    Method {
        /// `self`
        receiver: ExprId,
        /// Which one.
        method: Method,
        /// The other arguments, evaluated in order after the receiver.
        args: Vec<ExprId>,
    },
    /// `&mut y[i]` as an argument: the place itself, not its value.
    Borrow(ExprId),
    /// `{ .. }`
    Block(Block),
    /// `if condition { .. } else { .. }`
    If {
        /// Of type `bool`.
        condition: ExprId,
        /// Where it holds.
        then: Block,
        /// Where it does not: a block or another `if`.
        otherwise: Option<ExprId>,
    },
    /// `loop { .. }`, whose value is that of its `break`s.
    Loop {
        /// What `break` and `continue` name.
        id: LoopId,
        /// Repeated.
        body: Block,
    },
    /// `while condition { .. }`
    While {
        /// What `break` and `continue` name.
        id: LoopId,
        /// Evaluated before each turn.
        condition: ExprId,
        /// Repeated.
        body: Block,
    },
    /// `for x in range { .. }`
    For {
        /// What `break` and `continue` name.
        id: LoopId,
        /// The variable, fresh in each turn; `None` for `_`.
        local: Option<LocalId>,
        /// Evaluated once.
        range: Range,
        /// Repeated.
        body: Block,
    },
    /// `break`, `break 'label value`
    Break {
        /// The loop that ends.
        target: LoopId,
        /// Its value.
        value: Option<ExprId>,
    },
    /// `continue`, `continue 'label`
    Continue {
        /// The loop whose next turn begins.
        target: LoopId,
    },
    /// `return`, `return x`
    Return(Option<ExprId>),
    /// `place = value`. The value is evaluated before the place.
    Assign {
        /// A variable, or an element of a mutable slice or shared array.
        place: ExprId,
        /// What it becomes.
        value: ExprId,
    },
    /// `place += value`. For numbers, the value is evaluated before the place.
    AssignOp {
        /// The operator, never a comparison.
        op: BinaryOp,
        /// As in [`ExprKind::Assign`].
        place: ExprId,
        /// The right operand.
        value: ExprId,
    },
    /// `panic!("..")`, and what a failed `assert!` does.
    Panic {
        /// The message.
        message: String,
    },
}

/// The numbers a `for` counts through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The first.
    pub start: ExprId,
    /// The bound.
    pub end: ExprId,
    /// `..=`: the bound belongs to the range.
    pub inclusive: bool,
    /// `.step_by(n)`, a `usize`; zero is a fault.
    pub step: Option<ExprId>,
}

/// A literal as written. Its type is in a slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Literal {
    /// `true`
    Bool(bool),
    /// `2`, `-2`, `0xff`
    Int {
        /// Without its sign.
        magnitude: u128,
        /// With a leading minus.
        negative: bool,
    },
    /// `2.0`, `-1e-3`: the digits with their sign, without suffix or underscores. They are read at the precision of
    /// the literal's type, not before.
    Float(String),
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnaryOp {
    /// `-x`
    Neg,
    /// `!x`
    Not,
}

/// An operator that evaluates both of its operands.
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
    /// Gives a `bool` whatever its operands are.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

/// An operator that may leave its right operand unevaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogicalOp {
    /// `&&`
    And,
    /// `||`
    Or,
}
