//! The small part of C that kernels need, as a tree.
//!
//! Nothing in it is implicit: overflow, bounds, the order of effects and the widths of integers are spelled out by the
//! time a program is in this form, so the printer only has to put down what it sees.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{CudaC, FunctionId, Scalar, Unroll};
use crate::source::Site;

use super::helper::Helper;

/// A program as C.
pub(crate) struct Module {
    /// The structs, tuples and enums that it names, each after those inside it.
    pub(crate) types: Vec<TypeDef>,
    /// The constants that have storage of their own.
    pub(crate) constants: Vec<Constant>,
    /// The device functions that are reached, each before its callers.
    pub(crate) functions: BTreeMap<FunctionId, Function>,
    /// The entry point.
    pub(crate) kernel: Function,
    /// What a `usize` of the text is: `usize`, or `u32`.
    pub(crate) index: Scalar,
    /// Where it can fault or print.
    pub(crate) sites: Vec<Site>,
    /// The functions of ours that it calls, without those that they call.
    pub(crate) helpers: BTreeSet<Helper>,
    /// The templates of ours that it uses.
    pub(crate) templates: BTreeSet<Template>,
}

/// A template of ours, besides the helpers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Template {
    /// `rt::Array`
    Array,
    /// `rt::filled`
    Filled,
    /// `rt::panic`
    Panic,
    /// `rt::print`
    Print,
}

/// A type that a program names, one of [`Module::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeId(pub(crate) u32);

impl TypeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A struct, a tuple or an enum.
pub(crate) struct TypeDef {
    /// The name that it should have.
    pub(crate) wish: String,
    /// As Rust writes it.
    pub(crate) path: String,
    pub(crate) kind: TypeKind,
}

/// What a [`TypeDef`] is.
pub(crate) enum TypeKind {
    /// Members in the order of their offsets.
    Struct {
        members: Vec<Member>,
        /// What rustc gave it; `None` for a tuple, which only exists in registers.
        layout: Option<Layout>,
    },
    /// The name of an integer, and of some of its values.
    Enum { repr: Scalar, variants: Vec<(String, u64)> },
}

/// In bytes.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) size: u64,
    pub(crate) align: u64,
}

/// A member of a C struct.
pub(crate) struct Member {
    /// The position among the fields in Rust.
    pub(crate) position: usize,
    /// The name that it should have.
    pub(crate) wish: String,
    pub(crate) ty: CType,
    /// In bytes.
    pub(crate) offset: u64,
}

/// A constant with storage of its own, one of [`Module::constants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConstantId(pub(crate) u32);

impl ConstantId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A constant with storage of its own.
pub(crate) struct Constant {
    pub(crate) ty: CType,
    /// Literals and braces only.
    pub(crate) value: Expr,
    /// In bytes.
    pub(crate) size: u64,
}

/// A function.
pub(crate) struct Function {
    /// As the user named it.
    pub(crate) name: String,
    /// The source file.
    pub(crate) file: String,
    /// The line in it.
    pub(crate) line: u32,
    /// `None` is `void`.
    pub(crate) result: Option<CType>,
    /// The parameters, in order.
    pub(crate) params: Vec<VarId>,
    /// All variables.
    pub(crate) vars: Vec<Variable>,
    /// It can fault or print, itself or through what it calls, and so takes the launch as its last parameter.
    pub(crate) takes_launch: bool,
    /// The statements.
    pub(crate) body: Body,
}

/// What a function does.
pub(crate) enum Body {
    /// What the user wrote in Rust.
    Stmts(Vec<Stmt>),
    /// What the user wrote in CUDA C.
    Text(CudaC),
}

/// A variable of a [`Function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VarId(pub(crate) u32);

impl VarId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A target of `goto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// What it is for.
    pub(crate) name: &'static str,
    /// All of a function's labels have numbers of their own.
    pub(crate) number: u32,
}

/// A variable. C names are chosen when it is printed.
pub(crate) struct Variable {
    /// The name that it should have.
    pub(crate) wish: String,
    /// Whose name that is.
    pub(crate) named: Named,
    /// Its C type.
    pub(crate) ty: CType,
    /// Declared `const`.
    pub(crate) constant: bool,
    /// As long as the user's variable of it lives, reading it gives the same.
    pub(crate) stable: bool,
}

/// Who chose the name of a variable: the user's names go before ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    ByUser,
    ByUs,
}

impl Named {
    /// By the user, if there is a name of the user's.
    pub(crate) fn by_user(by_user: bool) -> Named {
        if by_user { Named::ByUser } else { Named::ByUs }
    }
}

/// The type of a variable, in memory as in registers: there is no `bool` behind a pointer or inside another type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CType {
    /// A number or a `bool`.
    Scalar(Scalar),
    /// A struct, a tuple or an enum.
    Named(TypeId),
    /// `rt::Array<T, N>`
    Array(Box<CType>, u64),
    /// `T*`, the first element of a slice or the place of a variable.
    Pointer {
        /// What it leads to.
        target: Box<CType>,
        /// Not through a pointer to `const`.
        mutable: bool,
        /// No other pointer of the function leads there.
        restrict: bool,
    },
    /// `T&`
    Reference {
        /// What it leads to.
        target: Box<CType>,
        /// Not to `const`.
        mutable: bool,
    },
}

impl CType {
    pub(crate) const BOOL: CType = CType::Scalar(Scalar::Bool);
    pub(crate) const USIZE: CType = CType::Scalar(Scalar::Usize);

    /// `T*`
    pub(crate) fn pointer(target: CType, mutable: bool) -> CType {
        CType::Pointer { target: Box::new(target), mutable, restrict: false }
    }

    /// `T&`
    pub(crate) fn reference(target: CType, mutable: bool) -> CType {
        CType::Reference { target: Box::new(target), mutable }
    }
}

/// A statement and its line in the source.
pub(crate) struct Stmt {
    pub(crate) line: u32,
    pub(crate) kind: StmtKind,
}

/// What a statement does.
pub(crate) enum StmtKind {
    /// `const f32 x = e;`
    Declare { var: VarId, init: Option<Expr> },
    /// `__shared__ rt::Array<float, 16> tile;`
    Shared { var: VarId },
    /// `place = value;`
    Assign { place: Expr, value: Expr },
    /// `place += value;`, only where C means the same by it as by `place = place + value`.
    Update { op: Operator, place: Expr, value: Expr },
    /// `e;`
    Expr(Expr),
    /// `if (condition) { .. } else { .. }`
    If { condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// `switch (on) { case x: .. }`
    Switch { on: Expr, cases: Vec<Case>, otherwise: Vec<Stmt> },
    /// A loop. `next` is where a `continue` from an inner loop goes, `end` where such a `break` goes.
    Loop { header: Header, body: Vec<Stmt>, next: Option<Label>, end: Option<Label>, unroll: Unroll },
    /// `{ .. }`, with a label behind it.
    Block { body: Vec<Stmt>, end: Label },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `goto label;`
    Goto(Label),
    /// `return e;`
    Return(Option<Expr>),
    /// Fills the record of the launch, with the numbers of a message, and ends the thread.
    Fault { site: u32, args: Vec<Expr> },
    /// Appends to what the launch prints.
    Print { site: u32, args: Vec<Expr> },
    /// What `typify` rules out: the text does not compile, so that nothing is left out in silence.
    Contradiction,
}

/// A case of a [`StmtKind::Switch`].
pub(crate) struct Case {
    /// One of these.
    pub(crate) values: Vec<Expr>,
    /// Does not fall through to the next.
    pub(crate) body: Vec<Stmt>,
}

/// The head of a loop.
pub(crate) enum Header {
    /// `for (;;)`
    Forever,
    /// `while (condition)`
    While(Expr),
    /// `for (T var = init; test; next)`
    For { var: VarId, init: Expr, test: Expr, next: Next },
}

/// The third part of a `for`.
pub(crate) enum Next {
    /// `++var`
    Increment,
    /// `--var`
    Decrement,
    /// `var = e`
    Assign(Expr),
}

/// An expression without effects, but for calls of what has one. It may fault.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    /// A variable.
    Var(VarId),
    /// A number by its bits, in the low end.
    Literal(Scalar, u64),
    /// A name of CUDA's, as in `threadIdx.x`: constant in a thread, of type `unsigned int`.
    Special(&'static str),
    /// `-x`, `~x`, `!x`
    Unary(Prefix, Box<Expr>),
    /// `x + y`
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `(T)x`
    Cast(CType, Box<Expr>),
    /// `c ? x : y`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `x[i]`, of a pointer or an array
    Index(Box<Expr>, Box<Expr>),
    /// `x.f`: the member that is the field at this position in Rust
    Field(Box<Expr>, TypeId, usize),
    /// `*x`
    Deref(Box<Expr>),
    /// `&x`
    AddressOf(Box<Expr>),
    /// `types::T{x, y}`: the members in C's order
    Struct(TypeId, Vec<Expr>),
    /// `rt::Array<T, 2>{{x, y}}`
    Array(CType, Vec<Expr>),
    /// `rt::filled<T, N>(x)`
    Filled(CType, u64, Box<Expr>),
    /// A variant of an enum
    Variant(TypeId, usize),
    /// A constant with storage of its own
    Constant(ConstantId),
    /// `f(x, y)`
    Call(Callee, Vec<Expr>),
}

/// What an [`Expr::Call`] calls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Callee {
    /// A function of ours. With a site it can fault there, and takes the site and the launch after its arguments.
    Helper(Helper, Option<u32>),
    /// A function of CUDA's, named in the list of `cuda::reserved`, that gives the same for the same arguments.
    Builtin(&'static str),
    /// A function of CUDA's that writes or waits.
    Effect(&'static str),
    /// A device function.
    Function(FunctionId),
}

/// A prefix operator of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Minus,
    BitNot,
    Not,
}

/// A binary operator of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Both,
    Either,
}

impl Expr {
    /// A number of an integer type.
    pub(crate) fn int(scalar: Scalar, value: u64) -> Expr {
        Expr::Literal(scalar, value)
    }

    pub(crate) fn unary(op: Prefix, operand: Expr) -> Expr {
        Expr::Unary(op, Box::new(operand))
    }

    pub(crate) fn binary(op: Operator, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub(crate) fn cast(scalar: Scalar, operand: Expr) -> Expr {
        Expr::Cast(CType::Scalar(scalar), Box::new(operand))
    }

    pub(crate) fn field(base: Expr, ty: TypeId, position: usize) -> Expr {
        Expr::Field(Box::new(base), ty, position)
    }

    pub(crate) fn index(base: Expr, index: Expr) -> Expr {
        Expr::Index(Box::new(base), Box::new(index))
    }

    pub(crate) fn conditional(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
        Expr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise))
    }

    /// A call of a helper that cannot fault.
    pub(crate) fn helper(helper: Helper, args: Vec<Expr>) -> Expr {
        Expr::Call(Callee::Helper(helper, None), args)
    }

    /// A call of a helper that can fault at `site`.
    pub(crate) fn faulting(helper: Helper, site: u32, args: Vec<Expr>) -> Expr {
        Expr::Call(Callee::Helper(helper, Some(site)), args)
    }

    /// The expressions directly inside.
    pub(crate) fn for_each_child<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        match self {
            Expr::Var(_) | Expr::Literal(..) | Expr::Special(_) | Expr::Variant(..) | Expr::Constant(_) => {}
            Expr::Unary(_, operand)
            | Expr::Cast(_, operand)
            | Expr::Field(operand, _, _)
            | Expr::Deref(operand)
            | Expr::AddressOf(operand)
            | Expr::Filled(_, _, operand) => visit(operand),
            Expr::Binary(_, left, right) | Expr::Index(left, right) => {
                visit(left);
                visit(right);
            }
            Expr::Conditional(condition, then, otherwise) => {
                visit(condition);
                visit(then);
                visit(otherwise);
            }
            Expr::Call(_, parts) | Expr::Struct(_, parts) | Expr::Array(_, parts) => parts.iter().for_each(visit),
        }
    }
}

impl Stmt {
    /// What follows directly is not reached.
    pub(crate) fn diverges(&self) -> bool {
        match &self.kind {
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) | StmtKind::Return(_) | StmtKind::Fault { .. } => {
                true
            }
            StmtKind::If { condition: _, then, otherwise } => {
                then.last().is_some_and(Stmt::diverges) && otherwise.last().is_some_and(Stmt::diverges)
            }
            StmtKind::Switch { on: _, cases, otherwise } => {
                cases.iter().all(|case| case.body.last().is_some_and(Stmt::diverges))
                    && otherwise.last().is_some_and(Stmt::diverges)
            }
            // What jumps to its end is behind it.
            StmtKind::Block { .. }
            | StmtKind::Declare { .. }
            | StmtKind::Shared { .. }
            | StmtKind::Assign { .. }
            | StmtKind::Update { .. }
            | StmtKind::Expr(_)
            | StmtKind::Print { .. }
            | StmtKind::Contradiction
            | StmtKind::Loop { .. } => false,
        }
    }

    /// Calls `visit` with the expressions of this statement and of those inside it, outermost expressions only.
    pub(crate) fn for_each_expr<'s>(&'s self, visit: &mut impl FnMut(&'s Expr)) {
        match &self.kind {
            StmtKind::Declare { var: _, init } => init.iter().for_each(visit),
            StmtKind::Assign { place, value } | StmtKind::Update { op: _, place, value } => {
                visit(place);
                visit(value);
            }
            StmtKind::Expr(expr) => visit(expr),
            StmtKind::If { condition, then, otherwise } => {
                visit(condition);
                then.iter().chain(otherwise).for_each(|stmt| stmt.for_each_expr(&mut *visit));
            }
            StmtKind::Switch { on, cases, otherwise } => {
                visit(on);
                cases.iter().flat_map(|case| &case.values).for_each(&mut *visit);
                let bodies = cases.iter().flat_map(|case| &case.body);
                bodies.chain(otherwise).for_each(|stmt| stmt.for_each_expr(&mut *visit));
            }
            StmtKind::Block { body, end: _ } => body.iter().for_each(|stmt| stmt.for_each_expr(&mut *visit)),
            StmtKind::Loop { header, body, next: _, end: _, unroll: _ } => {
                match header {
                    Header::Forever => {}
                    Header::While(condition) => visit(condition),
                    Header::For { var: _, init, test, next } => {
                        visit(init);
                        visit(test);
                        match next {
                            Next::Increment | Next::Decrement => {}
                            Next::Assign(value) => visit(value),
                        }
                    }
                }
                for stmt in body {
                    stmt.for_each_expr(&mut *visit);
                }
            }
            StmtKind::Return(value) => value.iter().for_each(visit),
            StmtKind::Fault { site: _, args } | StmtKind::Print { site: _, args } => args.iter().for_each(visit),
            StmtKind::Shared { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Contradiction => {}
        }
    }
}
