//! The variables that statements assign, and those to which references may exist.

use litemap::LiteMap;

use super::value::Slot;
use crate::lower::{CType, CallTarget, Expr, Function, Header, Helper, Module, Next, Op, Operator, Stmt, StmtKind};
use crate::set::Set;

/// The direction in which the assignments of a loop change a variable, as far as their form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
    Either,
}

/// The variables and the fields that a loop assigns.
#[derive(Default)]
pub(super) struct Directions {
    pub(super) of: LiteMap<Slot, Direction>,
    /// The number of assignments in the text.
    pub(super) times: LiteMap<Slot, usize>,
}

impl Directions {
    /// Adds an assignment.
    pub(super) fn note(&mut self, slot: Slot, direction: Direction) {
        *self.times.entry(slot.clone()).or_default() += 1;
        self.of
            .entry(slot)
            .and_modify(|now| {
                if *now != direction {
                    *now = Direction::Either;
                }
            })
            .or_insert(direction);
    }

    /// Adds the assignment of a value.
    pub(super) fn assign(&mut self, slot: Slot, value: &Expr) {
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
        self.note(slot, direction);
    }

    /// Returns the slots, in such an order that a struct precedes its fields, which are not listed if it is assigned as a whole.
    pub(super) fn slots(&self) -> impl Iterator<Item = (&Slot, Direction)> {
        self.of.iter().filter(|(slot, _)| !self.is_in_another(slot)).map(|(slot, direction)| (slot, *direction))
    }

    /// Returns whether a struct that the slot is a field of is assigned as a whole.
    fn is_in_another(&self, slot: &Slot) -> bool {
        let is_assigned = |len: usize| {
            let outer = Slot { var: slot.var, path: slot.path.iter().copied().take(len).collect() };
            self.of.contains_key(&outer)
        };
        (0..slot.path.len()).any(is_assigned)
    }
}

/// Collects the variables and the fields that statements assign.
pub(super) fn collect_assigned(stmts: &[Stmt], found: &mut Directions) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Declare { var, init: _ } | StmtKind::Shared { var } => {
                found.note((*var).into(), Direction::Either);
            }
            StmtKind::Assign { place, value } => {
                if let Some(slot) = Slot::of(place) {
                    found.assign(slot, value);
                }
            }
            StmtKind::Update { op, place, value: _ } => {
                let direction = match op {
                    Operator::Add => Direction::Up,
                    Operator::Sub | Operator::Div | Operator::Shr => Direction::Down,
                    _ => Direction::Either,
                };
                if let Some(slot) = Slot::of(place) {
                    found.note(slot, direction);
                }
            }
            StmtKind::Loop { header: Header::For { var, next, .. }, .. } => {
                found.note((*var).into(), Direction::Either);
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
        if let Some(slot) = op.output().and_then(|position| args.get(position)).and_then(Slot::of) {
            found.note(slot, Direction::Either);
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
                        let ty = &callee.vars[param.index()].ty;
                        // Nothing changes a value while a shared reference to it exists.
                        let is_shared = matches!(ty, CType::Reference { mutable: false, .. });
                        if is_reference(ty) && !is_shared {
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
