//! Refuses what is typed but cannot be compiled, in the user's terms.
//!
//! rustc has accepted the kernel by now, so everything here is a limit of Cumbia or of a GPU, never a rule of Rust. The
//! writer relies on every check below.

mod place;
mod types;

use std::fmt;

use crate::ir::{Block, Callee, ExprId, ExprKind, Filled, Intrinsic, Span, Stmt, Type};
use crate::typify::{Typed, TypedFunction};
use crate::{Error, Errors, What};

/// A program that is typed and checked: the proof that [`write`](crate::write()) asks for.
pub struct Validated<'a> {
    typed: Typed<'a>,
}

impl<'a> Validated<'a> {
    /// Only [`check`](crate::check) makes one, after it has seen that there are no errors.
    pub(crate) fn new(typed: Typed<'a>) -> Validated<'a> {
        Validated { typed }
    }

    /// The device functions, each before its callers, and the kernel at the end.
    pub(crate) fn functions(&self) -> &[TypedFunction<'a>] {
        &self.typed.functions
    }
}

impl fmt::Debug for Validated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.functions().iter().map(|typed| &typed.instance.function.name);
        f.debug_tuple("Validated").field(&names.collect::<Vec<_>>()).finish()
    }
}

/// The static shared memory of one kernel. More has to be dynamic (CUDA C++ Programming Guide, "Shared Memory" of each
/// compute capability: "static shared memory allocations remain limited to 48 KB").
pub(crate) const STATIC_SHARED_LIMIT: u64 = 48 * 1024;

/// Checks all functions that typing found no error in.
pub(crate) fn program(typed: &Typed<'_>, errors: &mut Errors) {
    let mut shared = 0;
    let kernel = typed.functions.len().saturating_sub(1);
    for (i, function) in typed.functions.iter().enumerate() {
        if function.sound {
            let mut check = Check { function, errors, shared: &mut shared };
            check.signature(i == kernel);
            check.locals();
            check.exprs();
            check.block(&function.instance.function.body);
        }
    }
}

/// A function while it is checked.
struct Check<'a, 'e> {
    function: &'a TypedFunction<'a>,
    errors: &'e mut Errors,
    /// The bytes of static shared memory so far, over all functions.
    shared: &'e mut u64,
}

impl<'a> Check<'a, '_> {
    fn error(&mut self, span: Span, what: What) {
        let instance = self.function.instance;
        self.errors.0.push(Error { function: instance.function.name.clone(), file: instance.file.clone(), span, what });
    }

    fn ty(&self, id: ExprId) -> &'a Type {
        self.function.expr_type(id)
    }

    fn kind(&self, id: ExprId) -> &'a ExprKind {
        &self.function.instance.function.expr(id).kind
    }

    fn span(&self, id: ExprId) -> Span {
        self.function.instance.function.expr(id).span
    }

    /// Each expression by itself, with a look at its operands.
    fn exprs(&mut self) {
        for expr in &self.function.instance.function.exprs {
            match &expr.kind {
                ExprKind::Index { base, index } => {
                    self.values(&[*index]);
                    self.index_base(*base);
                }
                // `len()` needs no value of the row.
                ExprKind::Method { receiver: _, method: _, args } => self.values(args),
                ExprKind::Field { base, name: _ } => self.values(&[*base]),
                ExprKind::Borrow(place) => self.borrow(*place),
                ExprKind::Assign { place, value } | ExprKind::AssignOp { op: _, place, value } => {
                    self.values(&[*value]);
                    self.assigned(*place);
                }
                ExprKind::Call { callee, args } => {
                    self.call(&self.function.instance.slots[callee.index()], args, expr.span);
                }
                ExprKind::If { condition, then, otherwise } => {
                    self.values(&[*condition]);
                    self.values(otherwise.as_slice());
                    self.block(then);
                }
                ExprKind::Block(block) | ExprKind::Loop { id: _, body: block } => self.block(block),
                ExprKind::While { id: _, condition, body } => {
                    self.values(&[*condition]);
                    self.block(body);
                }
                ExprKind::For { id: _, local: _, range, body } => {
                    self.values(&[range.start, range.end]);
                    self.values(range.step.as_slice());
                    self.block(body);
                }
                ExprKind::Break { target: _, value } | ExprKind::Return(value) => self.values(value.as_slice()),
                ExprKind::Unary { op: _, operand } | ExprKind::Cast { operand, slot: _ } => self.values(&[*operand]),
                ExprKind::Binary { op: _, left, right } | ExprKind::Logical { op: _, left, right } => {
                    self.values(&[*left, *right]);
                }
                ExprKind::Tuple(parts) => self.values(parts),
                ExprKind::Literal { .. }
                | ExprKind::Local(_)
                | ExprKind::Constant(_)
                | ExprKind::Continue { .. }
                | ExprKind::Panic { .. } => {}
            }
        }
        for id in (0u32..).take(self.function.exprs.len()).map(ExprId) {
            if matches!(self.kind(id), ExprKind::If { .. } | ExprKind::Loop { .. })
                && matches!(self.ty(id), Type::Shared(_))
            {
                self.error(
                    self.span(id),
                    What::new(
                        "a shared array cannot be chosen at run time",
                        "its address is fixed when the kernel is compiled",
                        "declare one array of twice the size, and choose the index",
                    ),
                );
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern: _, init, span: _ } => self.values(init.as_slice()),
                Stmt::Expr(expr) => self.values(&[*expr]),
            }
        }
        self.values(block.tail.as_slice());
    }

    /// These operands are used as values, which not everything has.
    fn values(&mut self, operands: &[ExprId]) {
        for &id in operands {
            match self.ty(id) {
                Type::Array(..) => self.error(
                    self.span(id),
                    What::new(
                        "a row of a shared array is used as a value",
                        "it would be copied into the registers of each thread",
                        "index it down to one element, as in `tile[y][x]`",
                    ),
                ),
                Type::Place(_) => self.error(
                    self.span(id),
                    What::new(
                        "a reference to an element is used as a value",
                        "only the atomic functions take one",
                        "use the element itself, or its index",
                    ),
                ),
                Type::Unit
                | Type::Never
                | Type::Scalar(_)
                | Type::Tuple(_)
                | Type::Struct(_)
                | Type::Slice { .. }
                | Type::Shared(_) => {}
            }
        }
    }

    fn call(&mut self, callee: &Filled, args: &[ExprId], span: Span) {
        match callee {
            Filled::Callee(Callee::Intrinsic(intrinsic)) => self.intrinsic(intrinsic, args, span),
            Filled::Callee(Callee::Function(_)) => self.values(args),
            Filled::Type(_) | Filled::Constant(_) => {}
        }
    }

    fn intrinsic(&mut self, intrinsic: &Intrinsic, args: &[ExprId], span: Span) {
        match intrinsic {
            Intrinsic::Shared(ty) => self.shared_storage(ty, span),
            Intrinsic::DynamicShared(ty) | Intrinsic::DynamicSharedAt(ty) => {
                self.values(args);
                self.memory_element(ty, "dynamic shared memory", span);
            }
            Intrinsic::AtomicAdd => {
                self.values(&args[1..]);
                self.atomic(args[0], span);
            }
            Intrinsic::Grid(_)
            | Intrinsic::GridSize(_)
            | Intrinsic::ThreadIdx
            | Intrinsic::BlockIdx
            | Intrinsic::BlockDim
            | Intrinsic::GridDim
            | Intrinsic::SyncThreads => self.values(args),
        }
    }
}
