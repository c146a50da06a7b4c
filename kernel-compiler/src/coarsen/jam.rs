//! Unroll-and-jam: a loop that all items of a thread execute alike is executed once, each iteration for all items.
//!
//! ```text
//! for (i32 k = 0; k < n; ++k) {                  the bounds are the same for all items
//!     sum = sum + a[i * n + k] * b[k];           the body of each item
//!     sum_2 = sum_2 + a[i_2 * n + k] * b[k];
//! }
//! ```
//!
//! Items are unordered, so their statements may be executed in any order that keeps the order within each item. A load whose
//! address is the same for all items, as `b[k]`, is then issued once per thread instead of once per item: a loop that is limited
//! by the rate at which loads are issued becomes up to twice as fast. The compiler schedules the bodies of all items together
//! only if their machine code has no branches. A loop with a division or `sin` is limited by those, and gains nothing.
//!
//! The other loads have to be contiguous across a warp, or at one address. If the threads of a warp read in rows of their own, the
//! cache holds the part of each row that the next iterations read. With four times as many rows it does not: on an H200, such a
//! product of a matrix and a vector took two to three times as long.

use crate::lower::{Body, CallTarget, Case, Expr, Function, Header, Helper, Next, Op, Operator, Stmt, StmtKind, VarId};
use crate::set::Set;
use litemap::LiteMap;

use super::legality::each;
use super::packed::WIDEST;
use super::split::{Item, Split};

/// The functions of CUDA's mathematical library that take few instructions and no branch, besides its intrinsic functions.
const WITHOUT_BRANCHES: [&str; 18] = [
    "ceil",
    "ceilf",
    "copysign",
    "copysignf",
    "expf",
    "exp2f",
    "fabs",
    "fabsf",
    "floor",
    "floorf",
    "fma",
    "fmaf",
    "fmax",
    "fmaxf",
    "fmin",
    "fminf",
    "trunc",
    "truncf",
];

/// The loops of an item that its thread executes once for all items.
pub(super) struct Jam {
    /// The variables that count their iterations, which all items share.
    pub(super) counters: Set<u32>,
    /// Whether an iteration loads from an address that is the same for all items.
    shares_loads: bool,
    /// Whether the bodies of the loops are expected to have no branches in machine code.
    is_branch_free: bool,
    /// Whether the loads that differ between items are contiguous across a warp, or at one address.
    is_contiguous: bool,
}

/// How a number depends on the position of a thread in its warp.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AcrossWarp {
    Same,
    /// It increases by one from thread to thread.
    Consecutive,
    Other,
}

impl Jam {
    /// Returns the loops of the late statements of an item; `None` if there are none, or one of them or a jump prevents it.
    pub(super) fn of(split: &Split<'_>, Item { levels, early, late, .. }: &Item) -> Option<Jam> {
        let mut search = Search {
            split,
            shared: split.shared_values(),
            from_memory: split.values_from_memory().clone(),
            across: LiteMap::new(),
            jam: Jam { counters: Set::new(), shares_loads: false, is_branch_free: true, is_contiguous: true },
            in_loop: false,
        };
        for stmt in levels.iter().flat_map(|level| &level.prefix).chain(early) {
            if let StmtKind::Declare { var, init: Some(init) } = &stmt.kind {
                let across = search.across(init);
                search.across.insert(var.0, across);
            }
        }
        (search.stmts(late) && !search.jam.counters.is_empty()).then_some(search.jam)
    }

    /// Returns whether the items are expected to gain from the loops that they share.
    pub(super) fn is_worthwhile(&self) -> bool {
        self.shares_loads && self.is_branch_free && self.is_contiguous
    }
}

struct Search<'s, 'm> {
    split: &'s Split<'m>,
    /// The variables that have the same value in all items.
    shared: Set<u32>,
    /// Those of them that depend on memory.
    from_memory: Set<u32>,
    /// How the constants that have been declared depend on the thread. Parameters are the same for all.
    across: LiteMap<u32, AcrossWarp>,
    jam: Jam,
    in_loop: bool,
}

impl Search<'_, '_> {
    /// Returns whether statements can be interleaved with those of other items, and visits their loads.
    fn stmts(&mut self, stmts: &[Stmt]) -> bool {
        stmts.iter().all(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Declare { var, init } => {
                if let Some(init) = init {
                    self.visit(init);
                    let is_constant = self.split.is_constant(*var);
                    let across = if is_constant { self.across(init) } else { AcrossWarp::Other };
                    self.across.insert(var.0, across);
                    if is_constant && self.is_shared(init) {
                        if self.reads_memory(init) {
                            self.from_memory.insert(var.0);
                        }
                        self.shared.insert(var.0);
                    }
                }
                true
            }
            StmtKind::Assign { place, value } | StmtKind::Update { op: _, place, value } => {
                self.visit(place);
                self.visit(value);
                true
            }
            StmtKind::Expr(expr) => {
                self.visit(expr);
                true
            }
            StmtKind::If { condition, then, otherwise } => {
                self.visit(condition);
                self.branch(then) && self.branch(otherwise)
            }
            StmtKind::Switch { on, cases, otherwise } => {
                self.visit(on);
                cases.iter().all(|Case { body, .. }| self.branch(body)) && self.branch(otherwise)
            }
            StmtKind::Loop { header, body, next: None, end: None, unroll: _ } => self.counted(header, body),
            StmtKind::Loop { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Return(_)
            | StmtKind::Shared { .. }
            | StmtKind::Fault { .. }
            | StmtKind::Print { .. }
            | StmtKind::InternalError(_) => false,
        }
    }

    /// Visits statements that are executed by some items only, without loops.
    fn branch(&mut self, stmts: &[Stmt]) -> bool {
        let mut has_loops = false;
        each(stmts, &mut |stmt| {
            has_loops |= matches!(stmt.kind, StmtKind::Loop { .. });
            // What only selects a value needs no branch.
            stmt.for_each_expr(&mut |expr| self.jam.is_branch_free &= !self.in_loop || !self.accesses_memory(expr));
        });
        !has_loops && self.stmts(stmts)
    }

    fn counted(&mut self, header: &Header, body: &[Stmt]) -> bool {
        let Header::For { var, init, test: Expr::Binary(_, _, end), next: Next::Increment } = header else {
            return false;
        };
        let is_alike = |expr: &Expr| self.is_shared(expr) && !self.reads_memory(expr);
        if !is_alike(init) || !is_alike(end) {
            return false;
        }
        let across = self.across(init);
        self.across.insert(var.0, across);
        self.shared.insert(var.0);
        self.jam.counters.insert(var.0);
        let outer = std::mem::replace(&mut self.in_loop, true);
        let is_jammed = self.stmts(body);
        self.in_loop = outer;
        is_jammed
    }

    /// Notes the loads and the operations of an expression that is evaluated in each iteration.
    fn visit(&mut self, expr: &Expr) {
        if !self.in_loop {
            return;
        }
        let is_shared = self.split.is_constant_load(expr) && self.is_shared(expr);
        self.jam.shares_loads |= is_shared;
        if !is_shared
            && let Expr::Index(_, index) = expr
            && self.split.is_load(expr)
        {
            self.jam.is_contiguous &= match self.across(index) {
                AcrossWarp::Same => true,
                AcrossWarp::Consecutive => self.split.size_of(expr).is_some_and(|size| size <= WIDEST),
                AcrossWarp::Other => false,
            };
        }
        self.jam.is_branch_free &= self.is_branch_free(expr);
        expr.for_each_child(&mut |child| self.visit(child));
    }

    /// Returns whether the operation of an expression takes few instructions and no branch.
    fn is_branch_free(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Binary(Operator::Div | Operator::Rem, _, divisor) => {
                matches!(**divisor, Expr::Literal(scalar, _) if scalar.is_integer())
            }
            Expr::Call(CallTarget::Helper(Helper { op, .. }, _), _) => {
                !matches!(op, Op::Div | Op::Rem | Op::DivCeil | Op::NextMultipleOf | Op::IsMultipleOf)
            }
            Expr::Call(CallTarget::Builtin(name), _) => name.starts_with("__") || WITHOUT_BRANCHES.contains(name),
            Expr::Call(CallTarget::Function(id, _), _) => {
                self.is_function_branch_free(&self.split.module().functions[id])
            }
            Expr::Call(..) => false,
            _ => true,
        }
    }

    fn is_function_branch_free(&self, function: &Function) -> bool {
        let Body::Stmts(stmts) = &function.body else { return false };
        let mut is_free = true;
        each(stmts, &mut |stmt| {
            is_free &= !matches!(stmt.kind, StmtKind::Loop { .. } | StmtKind::If { .. } | StmtKind::Switch { .. });
            stmt.for_each_expr(&mut |expr| expr.for_each(&mut |part| is_free = is_free && self.is_branch_free(part)));
        });
        is_free
    }

    fn accesses_memory(&self, expr: &Expr) -> bool {
        let mut found = self.split.is_load(expr) || matches!(expr, Expr::Deref(_));
        expr.for_each_child(&mut |child| found = found || self.accesses_memory(child));
        found
    }

    /// Returns how the value of an expression depends on the position of the thread in its warp.
    fn across(&self, expr: &Expr) -> AcrossWarp {
        use AcrossWarp::{Consecutive, Other, Same};
        match expr {
            Expr::Var(VarId(var)) => {
                let is_parameter = self.split.module().kernel.params.iter().any(|param| param.0 == *var);
                self.across.get(var).copied().unwrap_or(if is_parameter { Same } else { Other })
            }
            Expr::Special("threadIdx.x") => Consecutive,
            Expr::Cast(_, operand) => self.across(operand),
            Expr::Binary(Operator::Add, left, right) => match (self.across(left), self.across(right)) {
                (Same, other) | (other, Same) => other,
                _ => Other,
            },
            Expr::Binary(Operator::Sub, left, right) if self.across(right) == Same => self.across(left),
            Expr::Call(CallTarget::Function(..), _) => Other,
            _ => {
                let mut all = Same;
                expr.for_each_child(&mut |child| {
                    if self.across(child) != Same {
                        all = Other;
                    }
                });
                all
            }
        }
    }

    /// Returns whether an expression has the same value in all items.
    fn is_shared(&self, expr: &Expr) -> bool {
        let is_shared = match expr {
            Expr::Var(VarId(var)) => self.shared.contains(var),
            Expr::Special(name) => !self.split.is_block(name),
            Expr::Index(..) => self.split.is_constant_load(expr),
            Expr::Call(CallTarget::Helper(helper, None), _) => !helper.op.has_effect(),
            Expr::Call(..) | Expr::Deref(_) | Expr::AddressOf(_) => false,
            _ => true,
        };
        let mut all = is_shared;
        expr.for_each_child(&mut |child| all = all && self.is_shared(child));
        all
    }

    fn reads_memory(&self, expr: &Expr) -> bool {
        let mut found =
            matches!(expr, Expr::Index(..)) || matches!(expr, Expr::Var(VarId(var)) if self.from_memory.contains(var));
        expr.for_each_child(&mut |child| found |= self.reads_memory(child));
        found
    }
}
