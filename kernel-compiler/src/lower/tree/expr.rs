//! Expressions of the C tree.

use super::{CType, ConstantId, TypeId, VarId};
use crate::ir::{FunctionId, Scalar};
use crate::lower::helper::Helper;

/// An expression without side effects, except for calls of functions that have some. It may fault.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    /// A variable.
    Var(VarId),
    /// A scalar literal by its bits, in the low-order bits.
    Literal(Scalar, u64),
    /// A built-in variable of CUDA such as `threadIdx.x`: constant within a thread, of type `unsigned int`.
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
    /// `x.f`: the member that represents the field with this index in Rust
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
    /// A stored constant
    Constant(ConstantId),
    /// `f(x, y)`
    Call(CallTarget, Vec<Expr>),
}

/// The target of an [`Expr::Call`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CallTarget {
    /// A helper. With a site it can fault there, and takes the site and the launch after its arguments.
    Helper(Helper, Option<SiteRef>),
    /// A function of CUDA without side effects, listed in `reserved`, whose result depends only on its arguments.
    Builtin(&'static str),
    /// A function of CUDA with several results. It stores them in variables of the thread, whose addresses are its last
    /// arguments, and has no other effect.
    Outputs(&'static str),
    /// A function of CUDA with side effects: it writes memory or synchronises.
    Effect(&'static str),
    /// A device function. The definition of a built-in method that can fault takes the first of its sites.
    Function(FunctionId, Option<SiteRef>),
    /// `rt::load`: the element of a pointer or an array at an index below a length; zero if it is not, which `fault`
    /// notes. See [`defer`](crate::lower::defer). A `short` index and its length have 32 bits.
    Load { fault: VarId, short: bool },
    /// `rt::load`: the element of a pointer or an array, or zero if a condition is false.
    LoadIf,
    /// `rt::inside`: whether an index is below a length; `fault` notes if it is not.
    Inside { fault: VarId },
}

/// A reference to a site that can fault or print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SiteRef {
    /// The index in [`Module::sites`](super::Module::sites).
    Own(u32),
    /// In the definition of a built-in method, the index relative to the site that the caller passes.
    Caller(u32),
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
    /// Calls `visit` with the expression and everything in it, in the order of the text.
    pub(crate) fn for_each<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        visit(self);
        self.for_each_child(&mut |child| child.for_each(visit));
    }

    /// Returns an integer literal.
    pub(crate) fn int(scalar: Scalar, value: u64) -> Expr {
        Expr::Literal(scalar, value)
    }

    /// Returns what is added to a variable, if the expression is such a sum.
    pub(crate) fn addend(&self, var: VarId) -> Option<&Expr> {
        match self {
            Expr::Binary(Operator::Add, left, addend) => matches!(**left, Expr::Var(of) if of == var).then_some(addend),
            Expr::Cast(_, sum) => sum.addend(var),
            _ => None,
        }
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

    /// Returns a call of a helper that cannot fault.
    pub(crate) fn helper(helper: Helper, args: Vec<Expr>) -> Expr {
        Expr::Call(CallTarget::Helper(helper, None), args)
    }

    /// Returns a call of a helper that can fault at `site`.
    pub(crate) fn faulting(helper: Helper, site: SiteRef, args: Vec<Expr>) -> Expr {
        Expr::Call(CallTarget::Helper(helper, Some(site)), args)
    }

    /// Calls `visit` with the direct children.
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

    /// Calls `visit` with the direct children, in the order of [`Expr::for_each_child`].
    pub(crate) fn for_each_child_mut(&mut self, visit: &mut impl FnMut(&mut Expr)) {
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
            Expr::Call(_, parts) | Expr::Struct(_, parts) | Expr::Array(_, parts) => parts.iter_mut().for_each(visit),
        }
    }
}
