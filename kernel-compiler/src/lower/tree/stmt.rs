//! Statements of the C tree.

use super::{Expr, Label, SiteRef, VarId};
use crate::ir::{Scalar, Unroll};
use crate::lower::{Helper, Op, Operator};

/// A statement and its source line.
#[derive(Clone)]
pub(crate) struct Stmt {
    pub(crate) line: u32,
    pub(crate) kind: StmtKind,
}

/// The operation of a statement.
#[derive(Clone)]
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

impl StmtKind {
    /// Calls `visit` with the nested blocks.
    pub(crate) fn for_each_block<'s>(&'s self, visit: &mut impl FnMut(&'s [Stmt])) {
        match self {
            StmtKind::If { condition: _, then, otherwise } => {
                visit(then);
                visit(otherwise);
            }
            StmtKind::Switch { on: _, cases, otherwise } => {
                for case in cases {
                    visit(&case.body);
                }
                visit(otherwise);
            }
            StmtKind::Block { body, end: _ } | StmtKind::Loop { header: _, body, next: _, end: _, unroll: _ } => {
                visit(body);
            }
            StmtKind::Declare { .. }
            | StmtKind::Shared { .. }
            | StmtKind::Assign { .. }
            | StmtKind::Update { .. }
            | StmtKind::Expr(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Return(_)
            | StmtKind::Fault { .. }
            | StmtKind::Print { .. }
            | StmtKind::InternalError(_) => {}
        }
    }

    /// Calls `visit` with the nested blocks, which it may change.
    pub(crate) fn for_each_block_mut(&mut self, visit: &mut impl FnMut(&mut Vec<Stmt>)) {
        match self {
            StmtKind::If { condition: _, then, otherwise } => {
                visit(then);
                visit(otherwise);
            }
            StmtKind::Switch { on: _, cases, otherwise } => {
                for case in cases {
                    visit(&mut case.body);
                }
                visit(otherwise);
            }
            StmtKind::Block { body, end: _ } | StmtKind::Loop { header: _, body, next: _, end: _, unroll: _ } => {
                visit(body);
            }
            StmtKind::Declare { .. }
            | StmtKind::Shared { .. }
            | StmtKind::Assign { .. }
            | StmtKind::Update { .. }
            | StmtKind::Expr(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Return(_)
            | StmtKind::Fault { .. }
            | StmtKind::Print { .. }
            | StmtKind::InternalError(_) => {}
        }
    }
}

/// A case of a [`StmtKind::Switch`].
#[derive(Clone)]
pub(crate) struct Case {
    /// The values of the `case` labels.
    pub(crate) values: Vec<Expr>,
    /// The body, which does not fall through.
    pub(crate) body: Vec<Stmt>,
}

/// The head of a loop.
#[derive(Clone)]
pub(crate) enum Header {
    /// `for (; test; progress)`, a loop that is not proved to terminate. `progress` is a side effect in each iteration,
    /// without which C++ would assume that the loop terminates.
    Open { test: Option<Expr>, progress: Option<Expr> },
    /// `for (T var = init; test; next)`
    For { var: VarId, init: Expr, test: Expr, next: Next },
    /// A loop whose faults are deferred, in chunks: see [`defer`](crate::lower::defer). It occurs only after the
    /// removal of checks.
    Deferred(Box<Deferred>),
}

impl Header {
    /// Returns the header of a loop that may not terminate, with a side effect in each iteration.
    pub(crate) fn open(test: Option<Expr>, progress: Op) -> Header {
        Header::Open { test, progress: Some(Expr::helper(Helper::new(progress, Scalar::Usize), Vec::new())) }
    }

    /// Returns the end of a counted loop, and the step if it has one.
    pub(crate) fn bounds(&self) -> Option<Vec<&Expr>> {
        match self {
            Header::For { var, init: _, test: Expr::Binary(_, _, end), next } => Some(match next {
                Next::Increment | Next::Decrement => vec![end],
                Next::Assign(Expr::Call(_, args)) => args.iter().skip(1).collect(),
                Next::Assign(value) => vec![end, value.addend(*var)?],
            }),
            Header::For { .. } | Header::Open { .. } | Header::Deferred(_) => None,
        }
    }

    /// Calls `visit` with the outermost expressions.
    fn for_each_expr<'s>(&'s self, visit: &mut impl FnMut(&'s Expr)) {
        match self {
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
            Header::Deferred(deferred) => {
                deferred.header.for_each_expr(&mut *visit);
            }
        }
    }
}

/// The number of iterations of a chunk.
pub(crate) const CHUNK: u64 = 64;

/// The head of a loop whose iterations are divided into chunks, and that is left after a chunk with a fault.
#[derive(Clone)]
pub(crate) struct Deferred {
    /// The head of the loop without chunks.
    pub(crate) header: Header,
    /// How the iterations are divided into chunks.
    pub(crate) chunk: Chunk,
    /// The variable of the chunk.
    pub(crate) limit: VarId,
    /// Whether there was a fault.
    pub(crate) fault: VarId,
}

/// The division of a loop into chunks. Its variable is the end of the chunk, or the number of iterations left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Chunk {
    /// `i < end; ++i`
    Up,
    /// `i <= last; ++i`
    UpTo,
    /// `i > end; --i`
    Down,
    /// `i < end; i = step(i, end, by)`
    By,
    /// Any other loop: the iterations are counted.
    Counted,
}

/// The third expression of a `for`.
#[derive(Clone)]
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
                header.for_each_expr(&mut *visit);
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

/// Returns a number above those of all labels.
pub(crate) fn label_count(stmts: &[Stmt]) -> u32 {
    let above = |label: Option<Label>| label.map_or(0, |label| label.number + 1);
    let of = |stmt: &Stmt| {
        let mut most = match &stmt.kind {
            StmtKind::Loop { next, end, .. } => above(*next).max(above(*end)),
            StmtKind::Block { end, .. } => above(Some(*end)),
            _ => 0,
        };
        stmt.kind.for_each_block(&mut |block| most = most.max(label_count(block)));
        most
    };
    stmts.iter().map(of).max().unwrap_or(0)
}
