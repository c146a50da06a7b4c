//! The small part of C that kernels need, as a tree.
//!
//! Nothing in it is implicit: overflow, bounds, the order of effects and the widths of integers are spelled out by the
//! time a program is in this form, so the printer only has to put down what it sees.

mod expr;
mod stmt;

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{CudaC, FunctionId, Scalar};
use crate::source::Site;

use super::helper::Helper;

pub(crate) use expr::{Callee, Expr, Operator, Prefix};
pub(crate) use stmt::{Case, Header, Next, Stmt, StmtKind};

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
