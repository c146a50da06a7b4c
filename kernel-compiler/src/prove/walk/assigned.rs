//! The variables that statements assign, and those to which references may exist.

use litemap::LiteMap;

use crate::lower::{
    CType, CallTarget, Expr, Function, Header, Helper, Module, Next, Op, Operator, Stmt, StmtKind, VarId,
};
use crate::set::Set;

/// The direction in which the assignments of a loop change a variable, as far as their form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
    Either,
}

/// The variables that a loop assigns.
#[derive(Default)]
pub(super) struct Directions {
    pub(super) of: LiteMap<u32, Direction>,
    /// The number of assignments in the text.
    pub(super) times: LiteMap<u32, usize>,
}

impl Directions {
    /// Adds an assignment.
    pub(super) fn note(&mut self, var: VarId, direction: Direction) {
        *self.times.entry(var.0).or_default() += 1;
        self.of
            .entry(var.0)
            .and_modify(|now| {
                if *now != direction {
                    *now = Direction::Either;
                }
            })
            .or_insert(direction);
    }

    /// Adds the assignment of a value.
    pub(super) fn assign(&mut self, var: VarId, value: &Expr) {
        let direction = match value {
            Expr::Binary(Operator::Add, ..) => Direction::Up,
            Expr::Binary(Operator::Div | Operator::Shr | Operator::Sub, ..) => Direction::Down,
            Expr::Call(CallTarget::Helper(Helper { op, .. }, _), _) => match op {
                Op::Add | Op::WrappingAdd | Op::Step | Op::Max => Direction::Up,
                Op::Sub | Op::WrappingSub | Op::Div | Op::SaturatingSub | Op::Min => Direction::Down,
                _ => Direction::Either,
            },
            _ => Direction::Either,
        };
        self.note(var, direction);
    }
}

/// Collects the variables that statements assign.
pub(super) fn collect_assigned(stmts: &[Stmt], found: &mut Directions) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Declare { var, init: _ } | StmtKind::Shared { var } => found.note(*var, Direction::Either),
            StmtKind::Assign { place: Expr::Var(var), value } => found.assign(*var, value),
            StmtKind::Update { op, place: Expr::Var(var), value: _ } => found.note(
                *var,
                match op {
                    Operator::Add => Direction::Up,
                    Operator::Sub | Operator::Div | Operator::Shr => Direction::Down,
                    _ => Direction::Either,
                },
            ),
            StmtKind::Loop { header: Header::For { var, next, .. }, .. } => {
                found.note(*var, Direction::Either);
                if let Next::Assign(value) = next {
                    collect_outputs(value, found);
                }
            }
            _ => {}
        }
        for_each_block(&stmt.kind, &mut |block| collect_assigned(block, found));
        // Nested statements are visited more than once, which only makes the number of assignments too large.
        stmt.for_each_expr(&mut |expr| collect_outputs(expr, found));
    }
}

/// Collects the variables that helpers assign through references.
pub(super) fn collect_outputs(expr: &Expr, found: &mut Directions) {
    expr.for_each(&mut |expr| {
        let Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args) = expr else { return };
        if let Some(Expr::Var(var)) = op.output().and_then(|position| args.get(position)) {
            found.note(*var, Direction::Either);
        }
    });
}

/// Collects the variables to which references or pointers may exist. Variables that only the stepping and the
/// overflowing helpers change are not among them: see [`collect_outputs`].
pub(super) fn collect_borrowed(module: &Module, function: &Function, stmts: &[Stmt], found: &mut Set<u32>) {
    let is_reference = |ty: &CType| matches!(ty, CType::Reference { .. } | CType::Pointer { .. });
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(value) } | StmtKind::Assign { place: Expr::Var(var), value }
                if is_reference(&function.vars[var.index()].ty) =>
            {
                collect_roots(value, found);
            }
            // Other threads change it.
            StmtKind::Shared { var } => {
                found.insert(var.0);
            }
            _ => {}
        }
        for_each_block(&stmt.kind, &mut |block| collect_borrowed(module, function, block, found));
        stmt.for_each_expr(&mut |expr| {
            expr.for_each(&mut |expr| match expr {
                Expr::AddressOf(place) => collect_roots(place, found),
                Expr::Call(CallTarget::Function(id, _), args) => {
                    let Some(callee) = module.functions.get(id) else { return };
                    for (param, arg) in callee.params.iter().zip(args) {
                        if is_reference(&callee.vars[param.index()].ty) {
                            collect_roots(arg, found);
                        }
                    }
                }
                Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args)
                    if op.has_effect() && op.output().is_none() =>
                {
                    for arg in args {
                        collect_roots(arg, found);
                    }
                }
                _ => {}
            });
        });
    }
}

/// Collects the variables that are written, or a part of which is, after their declarations.
pub(super) fn collect_written(stmts: &[Stmt], found: &mut Set<u32>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Assign { place, value: _ } | StmtKind::Update { op: _, place, value: _ } => {
                collect_roots(place, found);
            }
            // It is assigned later.
            StmtKind::Declare { var, init: None } | StmtKind::Shared { var } => {
                found.insert(var.0);
            }
            _ => {}
        }
        for_each_block(&stmt.kind, &mut |block| collect_written(block, found));
        stmt.for_each_expr(&mut |expr| {
            expr.for_each(&mut |expr| {
                if let Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args) = expr
                    && let Some(output) = op.output().and_then(|position| args.get(position))
                {
                    collect_roots(output, found);
                }
            });
        });
    }
}

/// Returns the variable that a place is a field of, at any depth.
pub(in crate::prove) fn root(place: &Expr) -> Option<VarId> {
    match place {
        Expr::Field(base, _, _) => match &**base {
            Expr::Var(var) => Some(*var),
            base => root(base),
        },
        _ => None,
    }
}

/// Collects the variables that a place may be a part of.
fn collect_roots(place: &Expr, found: &mut Set<u32>) {
    match place {
        Expr::Var(var) => {
            found.insert(var.0);
        }
        Expr::Field(base, _, _) | Expr::Index(base, _) | Expr::AddressOf(base) | Expr::Deref(base) => {
            collect_roots(base, found);
        }
        Expr::Binary(_, base, _) => collect_roots(base, found),
        Expr::Conditional(_, then, otherwise) => {
            collect_roots(then, found);
            collect_roots(otherwise, found);
        }
        _ => {}
    }
}

/// Calls `visit` with the blocks of a statement.
fn for_each_block<'s>(kind: &'s StmtKind, visit: &mut impl FnMut(&'s [Stmt])) {
    match kind {
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
        StmtKind::Loop { body, .. } | StmtKind::Block { body, end: _ } => visit(body),
        _ => {}
    }
}
