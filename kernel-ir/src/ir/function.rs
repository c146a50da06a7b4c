//! A function as the macro wrote it down: its structure, its names and its places in the source, but no types.

use std::fmt;

use serde::{Deserialize, Serialize};

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
    /// What the function is on CUDA, where the user wrote it in CUDA C. The parameters have their names.
    pub cuda: Option<CudaC>,
    /// All variables, parameters first, then in order of appearance.
    pub locals: Vec<Local>,
    /// All expressions. Operands come before the expressions that use them.
    pub exprs: Vec<Expr>,
    /// The statements.
    pub body: Block,
    /// How many slots there are.
    pub slots: u32,
}

/// Statements that the user wrote in CUDA C.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CudaC {
    /// As they are.
    pub text: String,
    /// The line of the source file in which the text begins. Each line of the text is one of the file.
    pub line: u32,
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

/// What a `let` or an arm of a `match` binds, and what a value has to be for it.
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
    /// `Point { x, y: 0, .. }`, `Pair(a, b)`: fields by name, or by position in decimal. Those left out may be any. Also
    /// `(a, ..)` and `[a, ..]`, whose length is not known to the macro.
    Struct(Vec<(String, Pattern)>),
    /// `[a, b, c]`, one pattern for each element of an array.
    Array(Vec<Pattern>),
    /// `-3`, `true`, of the type of what is matched.
    Literal(Literal),
    /// `LIMIT`, `Kind::Leaf`: a constant that rustc evaluates.
    Constant(SlotId),
    /// `a..=b`, `a..b`, `a..`, `..=b`: each end is a literal or a constant.
    Range {
        /// The least value.
        start: Option<Box<Pattern>>,
        /// The bound.
        end: Option<Box<Pattern>>,
        /// `..=`: the bound belongs to the range.
        inclusive: bool,
    },
    /// `a | b`: each binds the same variables.
    Or(Vec<Pattern>),
}

/// An arm of a `match`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// What the value has to be.
    pub pattern: Pattern,
    /// `if condition`, evaluated once the pattern fits.
    pub guard: Option<ExprId>,
    /// The value of the `match`.
    pub body: ExprId,
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
        /// The slot of the function that the operator calls, where it is not built in.
        operator: SlotId,
    },
    /// `x + y` and its like. Both operands are evaluated, left first.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Evaluated first.
        left: ExprId,
        /// Evaluated second.
        right: ExprId,
        /// The slot of the function that the operator calls, where it is not built in.
        operator: SlotId,
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
        /// A slice, an array, a view, or a reference to an array.
        base: ExprId,
        /// Of type `usize`; for a view an array of them, as in `a[[i, j]]`. A view of one dimension takes either.
        index: ExprId,
    },
    /// `x[a..b]`, always inside a [`ExprKind::Borrow`]. Faults where the range is reversed or not inside.
    SubSlice {
        /// A slice, an array, or a reference to an array.
        base: ExprId,
        /// Of type `usize`; the first element without it.
        start: Option<ExprId>,
        /// Of type `usize`; the length without it.
        end: Option<ExprId>,
        /// `..=`
        inclusive: bool,
    },
    /// `v.x`, `t.0`
    Field {
        /// A struct, a tuple, or a reference to a struct.
        base: ExprId,
        /// The field's name, or its position in decimal.
        name: String,
    },
    /// `(x, y)`; the empty tuple is `()`.
    Tuple(Vec<ExprId>),
    /// `Point { x: 1.0, y }`, `Pair(a, b)`
    Struct {
        /// The slot of the struct's type.
        slot: SlotId,
        /// Fields by name, or by position in decimal, evaluated in this order.
        fields: Vec<(String, ExprId)>,
        /// `..base`, evaluated last: the fields that are not named.
        base: Option<ExprId>,
    },
    /// `[x, y]`, never empty.
    Array(Vec<ExprId>),
    /// `[x; N]`; `[]` is `()` no times.
    Repeat {
        /// Evaluated once, even if `N` is 0.
        value: ExprId,
        /// The slot of the array's type.
        slot: SlotId,
    },
    /// `f(x, y)`, `x.f(y)`, `T::f(x)`: a device function, an operation of the device, or a method that every program has.
    Call {
        /// The slot of the callee.
        callee: SlotId,
        /// Evaluated in order; the receiver comes first. Where the callee takes its receiver by reference, and a value
        /// is given, that is borrowed here: the place itself if it is one, wherever that is, and else a temporary of the
        /// thread. Where the callee takes a value, and a reference to one is given, that is read; a reference to an
        /// array is given where a slice is taken.
        args: Vec<ExprId>,
    },
    /// `&x`, `&mut y[i]`, `&x[a..b]`: the place itself, not its value. A slice or a reference is borrowed again.
    Borrow {
        /// A place, or a value, which gets a place of the thread's own.
        place: ExprId,
        /// `&mut`
        mutable: bool,
    },
    /// `*r`: a place.
    Deref(ExprId),
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
    /// `match scrutinee { .. }`: the first arm that fits. rustc has seen that one does.
    Match {
        /// Evaluated once.
        scrutinee: ExprId,
        /// In order.
        arms: Vec<Arm>,
    },
    /// `'label: { .. }`, whose value is that of its end and of its `break`s.
    Labelled {
        /// What `break` names.
        id: LoopId,
        /// Run once.
        body: Block,
    },
    /// `loop { .. }`, whose value is that of its `break`s.
    Loop {
        /// What `break` and `continue` name.
        id: LoopId,
        /// Repeated.
        body: Block,
        /// `#[unroll]`
        unroll: Unroll,
    },
    /// `while condition { .. }`
    While {
        /// What `break` and `continue` name.
        id: LoopId,
        /// Evaluated before each turn.
        condition: ExprId,
        /// Repeated.
        body: Block,
        /// `#[unroll]`
        unroll: Unroll,
    },
    /// `for x in sequence { .. }`
    For {
        /// What `break` and `continue` name.
        id: LoopId,
        /// Evaluated once.
        sequence: Sequence,
        /// Repeated.
        body: Block,
        /// `#[unroll]`
        unroll: Unroll,
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
        /// A variable, an element of what is mutable, what a `&mut` leads to, or a field of one of these.
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
        /// The slot of the function that the operator calls, where it is not built in.
        operator: SlotId,
    },
    /// `panic!("..")`, and what a failed `assert!` does.
    Panic(Message),
    /// `println!("..")`, `print!("..")`: the message goes to the host, which prints it.
    Print(Message),
}

/// A text with numbers in it, as `format!` takes it. The host makes the text, by Rust's own rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// In order.
    pub pieces: Vec<Piece>,
    /// Numbers and `bool`s, evaluated in order.
    pub args: Vec<ExprId>,
}

impl Message {
    /// A text without numbers.
    pub fn text(text: impl Into<String>) -> Message {
        Message { pieces: vec![Piece::Text(text.into())], args: Vec::new() }
    }
}

/// A part of a [`Message`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Piece {
    /// As it stands.
    Text(String),
    /// `{}`, `{:?}`, `{:>8.3}`, `{:#x}`
    Number {
        /// The position among the arguments.
        position: u32,
        /// What stands behind the colon.
        format: String,
    },
}

/// What `#[unroll]` asks of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unroll {
    /// Nothing: the compiler decides.
    #[default]
    Undecided,
    /// `#[unroll]`: all turns.
    Full,
    /// `#[unroll(n)]`: this many turns at a time; 1 is not at all.
    By(u32),
}

/// What a `for` goes through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sequence {
    /// `for i in a..b`
    Range {
        /// The variable, fresh in each turn; `None` for `_`.
        local: Option<LocalId>,
        /// The numbers.
        range: Range,
    },
    /// `for v in x.iter()`, `for (i, v) in x.iter_mut().enumerate()`, `for &v in x`, `for v in [a, b]`
    Elements {
        /// A slice, an array, a view of one dimension, or a reference to an array.
        of: ExprId,
        /// The variable of the position, a `usize`.
        index: Option<LocalId>,
        /// The variable of the element: the element itself, or a reference to it, as its slot says.
        element: Option<LocalId>,
        /// `.rev()`; behind `.enumerate()` the positions are reversed too.
        reversed: bool,
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
    /// `.rev()` and `.step_by(n)`, in the order that they are written.
    pub adapters: Vec<Adapter>,
}

/// What a [`Range`] is made to count through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Adapter {
    /// `.rev()`
    Reversed,
    /// `.step_by(n)`: every `n`-th number, from the first. A `usize`; zero is a fault.
    StepBy(ExprId),
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
