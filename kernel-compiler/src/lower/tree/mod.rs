//! A syntax tree for the subset of C that kernels need.
//!
//! The tree has no implicit semantics: overflow, bounds checks, the order of side effects and integer widths are
//! explicit in it, so the printer translates it node by node.

mod expr;
mod quantity;
mod stmt;

use crate::ir::{Foreign, FunctionId, Scalar};
use crate::set::Set;
use crate::source::Site;
use litemap::LiteMap;

use super::helper::Helper;

pub(crate) use expr::{CallTarget, Expr, Operator, Prefix, SiteRef};
pub use quantity::{Axis, Quantity};
pub(crate) use stmt::{CHUNK, Case, Chunk, Deferred, Header, Next, Stmt, StmtKind, label_count};

/// A program as a C syntax tree.
pub(crate) struct Module {
    /// The structs, tuples and enums that the program uses, in dependency order.
    pub(crate) types: Vec<TypeDef>,
    /// The stored constants.
    pub(crate) constants: Vec<Constant>,
    /// The reachable device functions in topological order: callees precede their callers.
    pub(crate) functions: LiteMap<FunctionId, Function>,
    /// The entry point.
    pub(crate) kernel: Function,
    /// The type that represents `usize`: `usize` itself, or `u32`.
    pub(crate) index: Scalar,
    /// The sites that can fault or print.
    pub(crate) sites: Vec<Site>,
    /// Whether the kernel takes the launch parameter.
    pub(crate) takes_launch: bool,
    /// Whether the kernel reads the extent of the grid from it: see [`coarsen`](crate::coarsen).
    pub(crate) reads_blocks: bool,
    /// The helpers that are called directly.
    pub(crate) helpers: Set<Helper>,
    /// The templates that are used.
    pub(crate) templates: Set<Template>,
}

/// A template of the runtime prelude, besides the helpers.
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
    /// `rt::Deferred`, and the loads that note a fault in it
    Deferred,
    /// `rt::inside`, and the load that depends on it
    DeferredParts,
    /// The end of a chunk of iterations
    Chunk(Chunk),
}

/// The index of a type in [`Module::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeId(pub(crate) u32);

impl TypeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A struct, a tuple or an enum.
pub(crate) struct TypeDef {
    /// The preferred name.
    pub(crate) hint: String,
    /// The path in Rust.
    pub(crate) path: String,
    pub(crate) kind: TypeKind,
}

/// The kind of a [`TypeDef`].
pub(crate) enum TypeKind {
    /// A struct or a tuple, with its members ordered by offset.
    Struct {
        members: Vec<Member>,
        /// The memory layout that rustc chose; `None` for a tuple, which exists only in registers.
        layout: Option<Layout>,
    },
    /// An alias of an integer type, with named values.
    Enum { repr: Scalar, variants: Vec<(String, u64)> },
}

/// The size and the alignment in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) size: u64,
    pub(crate) align: u64,
    /// The members overlap: the tag and the variants of an enum with data.
    pub(crate) is_union: bool,
}

/// A member of a C struct.
pub(crate) struct Member {
    /// The index of the field in Rust.
    pub(crate) position: usize,
    /// The preferred name.
    pub(crate) hint: String,
    pub(crate) ty: CType,
    /// The offset in bytes.
    pub(crate) offset: u64,
    /// The alignment, if it is greater than that of the type.
    pub(crate) align: Option<u64>,
}

/// The index of a stored constant in [`Module::constants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConstantId(pub(crate) u32);

impl ConstantId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A constant with static storage.
pub(crate) struct Constant {
    pub(crate) ty: CType,
    /// Consists of literals and braced initialisers only.
    pub(crate) value: Expr,
    /// The size in bytes.
    pub(crate) size: u64,
}

/// A function.
pub(crate) struct Function {
    /// The name in the user's source.
    pub(crate) name: String,
    /// The source file.
    pub(crate) file: String,
    /// The line of its declaration.
    pub(crate) line: u32,
    /// The result type; `None` for `void`.
    pub(crate) result: Option<CType>,
    /// The parameters, in order.
    pub(crate) params: Vec<VarId>,
    /// The parameters in the user's terms, as many.
    pub(crate) quantities: Vec<Quantity>,
    /// All variables.
    pub(crate) vars: Vec<Variable>,
    /// Whether it can fault or print, directly or in a callee, and so takes the launch as its last parameter.
    pub(crate) takes_launch: bool,
    /// Whether it takes the first of its caller's sites, before the launch.
    pub(crate) takes_site: bool,
    /// The statements.
    pub(crate) body: Body,
}

impl Function {
    /// Calls `visit` with each expression of the body and everything in it, in the order of the text.
    pub(crate) fn for_each_expr<'f>(&'f self, visit: &mut impl FnMut(&'f Expr)) {
        let Body::Stmts(stmts) = &self.body else { return };
        for stmt in stmts {
            stmt.for_each_expr(&mut |expr| expr.for_each(visit));
        }
    }
}

/// The body of a function.
pub(crate) enum Body {
    /// Statements lowered from Rust.
    Stmts(Vec<Stmt>),
    /// Code that the user wrote in CUDA C, or that is linked.
    Foreign(Foreign),
}

/// A variable of a [`Function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VarId(pub(crate) u32);

impl VarId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The target of a `goto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// The purpose, as a part of its name.
    pub(crate) name: &'static str,
    /// The number, unique within the function.
    pub(crate) number: u32,
}

/// A variable. The printer chooses its C name.
pub(crate) struct Variable {
    /// The preferred name.
    pub(crate) hint: String,
    /// The origin of that name.
    pub(crate) origin: NameOrigin,
    /// Its C type.
    pub(crate) ty: CType,
    /// Whether it is declared `const`.
    pub(crate) constant: bool,
    /// Whether reads yield the same value throughout the lifetime of the user's variable that it represents.
    pub(crate) stable: bool,
}

/// The origin of a variable's name. The user's names have precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameOrigin {
    User,
    Compiler,
}

impl NameOrigin {
    /// Returns `User` if the user has named the variable.
    pub(crate) fn by_user(by_user: bool) -> NameOrigin {
        if by_user { NameOrigin::User } else { NameOrigin::Compiler }
    }
}

/// The type of a variable, with the same representation in memory and in registers: `bool` does not occur as the target
/// of a pointer or inside another type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CType {
    /// A number or a `bool`.
    Scalar(Scalar),
    /// A struct, a tuple or an enum.
    Named(TypeId),
    /// `rt::Array<T, N>`
    Array(Box<CType>, u64),
    /// `T*`, the first element of a slice or the place of a variable
    Pointer {
        /// The type pointed to.
        target: Box<CType>,
        /// Whether the target is not `const`.
        mutable: bool,
        /// Whether the pointer does not alias any other pointer of the function.
        restrict: bool,
    },
    /// `T&`
    Reference {
        /// The type referred to.
        target: Box<CType>,
        /// Whether the target is not `const`.
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

    /// Returns the sum of a measure over the scalars, enums, pointers and references that a value consists of.
    pub(crate) fn total(&self, types: &[TypeDef], of_part: &impl Fn(&CType) -> u64) -> u64 {
        match self {
            CType::Scalar(_) | CType::Pointer { .. } | CType::Reference { .. } => of_part(self),
            CType::Array(element, len) => element.total(types, of_part).saturating_mul(*len),
            CType::Named(id) => match &types[id.index()].kind {
                TypeKind::Struct { members, layout: _ } => {
                    members.iter().map(|member| member.ty.total(types, of_part)).fold(0, u64::saturating_add)
                }
                TypeKind::Enum { .. } => of_part(self),
            },
        }
    }

    /// `T&`
    pub(crate) fn reference(target: CType, mutable: bool) -> CType {
        CType::Reference { target: Box::new(target), mutable }
    }
}
