//! The small part of C that kernels need, as a tree.
//!
//! Nothing in it is implicit: overflow, bounds, the order of effects and the widths of integers are spelled out by the
//! time a program is in this form, so the printer only has to put down what it sees.

use std::collections::BTreeSet;

use crate::ir::{FunctionId, Scalar};
use crate::source::Site;

use super::helper::Helper;

/// A program as C.
pub(crate) struct Module {
    /// The device functions, each before its callers, and the kernel at the end.
    pub(crate) functions: Vec<Function>,
    /// Where it can fault.
    pub(crate) sites: Vec<Site>,
    /// The functions of ours that it calls, without those that they call.
    pub(crate) helpers: BTreeSet<Helper>,
}

/// A function.
pub(crate) struct Function {
    /// As the user named it.
    pub(crate) name: String,
    /// The source file.
    pub(crate) file: String,
    /// The line in it.
    pub(crate) line: u32,
    /// An entry point.
    pub(crate) kernel: bool,
    /// `None` is `void`.
    pub(crate) result: Option<Scalar>,
    /// The parameters, in order.
    pub(crate) params: Vec<VarId>,
    /// All variables.
    pub(crate) vars: Vec<Variable>,
    /// It can fault, itself or through what it calls, and so takes the launch as its last parameter.
    pub(crate) faults: bool,
    /// The statements.
    pub(crate) body: Vec<Stmt>,
}

/// A variable of a [`Function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VarId(pub(crate) u32);

impl VarId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A target of `goto`. All of a function's labels have numbers of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub(crate) u32);

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

/// The type of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CType {
    /// A number or a `bool`.
    Scalar(Scalar),
    /// The first element of a slice.
    Pointer {
        /// Of the elements in memory.
        element: Scalar,
        /// Not through a pointer to `const`.
        mutable: bool,
        /// No other pointer of the function leads there.
        restrict: bool,
    },
    /// A reference to an array of the block, as a parameter.
    Array {
        /// Of the elements in memory.
        element: Scalar,
        /// The dimensions, outermost first.
        lens: Vec<u64>,
    },
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
    /// `__shared__ f32 tile[16][16];`
    Shared { var: VarId },
    /// `place = value;`
    Assign { place: Expr, value: Expr },
    /// `place += value;`, only where C means the same by it as by `place = place + value`.
    Update { op: Operator, place: Expr, value: Expr },
    /// `e;`
    Expr(Expr),
    /// `if (condition) { .. } else { .. }`
    If { condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// A loop. `next` is where a `continue` from an inner loop goes, `end` where such a `break` goes.
    Loop { header: Header, body: Vec<Stmt>, next: Option<Label>, end: Option<Label> },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `goto label;`
    Goto(Label),
    /// `return e;`
    Return(Option<Expr>),
    /// Fills the record of the launch and ends the thread.
    Fault { site: u32 },
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
    /// `x[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `&x`
    AddressOf(Box<Expr>),
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
            Expr::Var(_) | Expr::Literal(..) | Expr::Special(_) => {}
            Expr::Unary(_, operand) | Expr::Cast(_, operand) | Expr::AddressOf(operand) => visit(operand),
            Expr::Binary(_, left, right) | Expr::Index(left, right) => {
                visit(left);
                visit(right);
            }
            Expr::Conditional(condition, then, otherwise) => {
                visit(condition);
                visit(then);
                visit(otherwise);
            }
            Expr::Call(_, args) => args.iter().for_each(visit),
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
            StmtKind::Declare { .. }
            | StmtKind::Shared { .. }
            | StmtKind::Assign { .. }
            | StmtKind::Update { .. }
            | StmtKind::Expr(_)
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
            StmtKind::Loop { header, body, next: _, end: _ } => {
                match header {
                    Header::Forever => {}
                    Header::While(condition) => visit(condition),
                    Header::For { var: _, init, test, next } => {
                        visit(init);
                        visit(test);
                        match next {
                            Next::Increment => {}
                            Next::Assign(value) => visit(value),
                        }
                    }
                }
                for stmt in body {
                    stmt.for_each_expr(&mut *visit);
                }
            }
            StmtKind::Return(value) => value.iter().for_each(visit),
            StmtKind::Shared { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Fault { .. } => {}
        }
    }
}
