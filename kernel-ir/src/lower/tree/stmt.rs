//! Statements of the C tree.

use super::{Expr, Label, SiteRef, VarId};
use crate::ir::{Scalar, Unroll};
use crate::lower::{Helper, Op, Operator};

/// A statement and its source line.
pub(crate) struct Stmt {
    pub(crate) line: u32,
    pub(crate) kind: StmtKind,
}

/// The operation of a statement.
pub(crate) enum StmtKind {
    /// `const f32 x = e;`
    Declare { var: VarId, init: Option<Expr> },
    /// `__shared__ rt::Array<float, 16> tile;`
    Shared { var: VarId },
    /// `place = value;`
    Assign { place: Expr, value: Expr },
    /// `place += value;`, used only if it is equivalent in C to `place = place + value`.
    Update { op: Operator, place: Expr, value: Expr },
    /// `e;`
    Expr(Expr),
    /// `if (condition) { .. } else { .. }`
    If { condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// `switch (on) { case x: .. }`
    Switch { on: Expr, cases: Vec<Case>, otherwise: Vec<Stmt> },
    /// A loop. `next` is the target of a `continue` from an inner loop, `end` that of a `break`.
    Loop { header: Header, body: Vec<Stmt>, next: Option<Label>, end: Option<Label>, unroll: Unroll },
    /// `{ .. }`, followed by a label.
    Block { body: Vec<Stmt>, end: Label },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `goto label;`
    Goto(Label),
    /// `return e;`
    Return(Option<Expr>),
    /// Fills the launch's fault record, including the arguments of a message, and terminates the thread.
    Fault { site: SiteRef, args: Vec<Expr> },
    /// Appends a message to the launch's print buffer.
    Print { site: SiteRef, args: Vec<Expr> },
    /// A violated invariant of the compiler, with its description. The emitted text does not compile, so that the bug
    /// is reported instead of running incorrect code.
    InternalError(String),
}

/// A case of a [`StmtKind::Switch`].
pub(crate) struct Case {
    /// The values of the `case` labels.
    pub(crate) values: Vec<Expr>,
    /// The body, which does not fall through.
    pub(crate) body: Vec<Stmt>,
}

/// The head of a loop.
pub(crate) enum Header {
    /// `for (; test; progress)`, a loop that is not proved to terminate. `progress` is a side effect in each iteration,
    /// without which C++ would assume that the loop terminates.
    Open { test: Option<Expr>, progress: Option<Expr> },
    /// `for (T var = init; test; next)`
    For { var: VarId, init: Expr, test: Expr, next: Next },
}

impl Header {
    /// Returns the header of a loop that may not terminate, with a side effect in each iteration.
    pub(crate) fn open(test: Option<Expr>, progress: Op) -> Header {
        Header::Open { test, progress: Some(Expr::helper(Helper::new(progress, Scalar::Usize), Vec::new())) }
    }
}

/// The third expression of a `for`.
pub(crate) enum Next {
    /// `++var`
    Increment,
    /// `--var`
    Decrement,
    /// `var = e`
    Assign(Expr),
}

impl Stmt {
    /// Returns whether the statement that follows is unreachable.
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
            // Its label, which follows it, is reachable by jumps.
            StmtKind::Block { .. }
            | StmtKind::Declare { .. }
            | StmtKind::Shared { .. }
            | StmtKind::Assign { .. }
            | StmtKind::Update { .. }
            | StmtKind::Expr(_)
            | StmtKind::Print { .. }
            | StmtKind::InternalError(_)
            | StmtKind::Loop { .. } => false,
        }
    }

    /// Calls `visit` with the outermost expressions of this statement and of its nested statements.
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
                    Header::Open { test, progress } => {
                        test.iter().for_each(&mut *visit);
                        progress.iter().for_each(&mut *visit);
                    }
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
            | StmtKind::InternalError(_) => {}
        }
    }
}
