//! Legality of coarsening: which programs mean the same whatever number of logical threads a CUDA thread executes.
//!
//! The analysis is a whitelist over the lowered tree, after the removal of checks. Threads that do not communicate are
//! unordered, so they may run one after another in one CUDA thread, if three things hold:
//!
//! - a thread cannot wait for another one: there are no barriers, no warp operations, no atomics, and the only loops are
//!   counted ones, whose number of iterations is fixed when they begin;
//! - a thread ends only itself: there are no faults, which end the CUDA thread, and `return` ends the item;
//! - a thread depends on the CUDA thread only through `threadIdx`, `blockIdx`, `blockDim` and `gridDim`. The first and the
//!   third are those of the CUDA thread, the others are replaced in the kernel by those of the item.

use crate::ir::{Foreign, FunctionId, Scalar};
use crate::lower::Axis;
use crate::lower::{
    Body, CType, CallTarget, Case, Expr, Function, Header, Helper, IndexOp, Module, Next, Op, OpGroup, Operator, Stmt,
    StmtKind, VarId,
};
use crate::set::Set;
use litemap::LiteMap;

use super::{Obstacle, ObstacleKind};

/// Returns the axis along which the blocks of a kernel can be merged, or the first obstacle.
///
/// The axis is that of the rows if the kernel has rows, so that the accesses of a warp stay contiguous.
pub(super) fn axis(module: &Module) -> Result<Axis, Obstacle> {
    let mut legality = Legality::new(module);
    legality.function(&module.kernel, true)?;
    let reads = |name: &'static str| legality.blocks.contains(&name);
    if reads("blockIdx.y") {
        Ok(Axis::Y)
    } else if reads("blockIdx.x") {
        Ok(Axis::X)
    } else if reads("blockIdx.z") {
        Ok(Axis::Z)
    } else {
        Err(obstacle(&module.kernel, module.kernel.line, ObstacleKind::NoBlockIndex))
    }
}

/// Returns the first obstacle to the reordering of statements with those of other logical threads.
pub(super) fn obstacle_in(stmts: &[Stmt], module: &Module) -> Option<Obstacle> {
    let mut legality = Legality::new(module);
    let context = Context { function: &module.kernel, is_kernel: true, line: module.kernel.line };
    legality.stmts(stmts, context).err()
}

struct Legality<'m> {
    module: &'m Module,
    /// The device functions that have been checked.
    known: LiteMap<FunctionId, Result<(), Obstacle>>,
    /// The built-in variables that the kernel reads.
    blocks: Set<&'static str>,
}

fn obstacle(function: &Function, line: u32, kind: ObstacleKind) -> Obstacle {
    Obstacle { kind, function: function.name.clone(), file: function.file.clone(), line }
}

/// The context of a statement.
#[derive(Clone, Copy)]
struct Context<'f> {
    function: &'f Function,
    is_kernel: bool,
    line: u32,
}

impl Context<'_> {
    fn obstacle(self, kind: ObstacleKind) -> Obstacle {
        obstacle(self.function, self.line, kind)
    }
}

impl<'m> Legality<'m> {
    fn new(module: &'m Module) -> Legality<'m> {
        Legality { module, known: LiteMap::new(), blocks: Set::new() }
    }

    fn function(&mut self, function: &Function, is_kernel: bool) -> Result<(), Obstacle> {
        let stmts = match &function.body {
            Body::Stmts(stmts) => stmts,
            Body::Foreign(Foreign::CudaC(_)) => return Err(obstacle(function, function.line, ObstacleKind::CudaC)),
            Body::Foreign(Foreign::Linked(_)) => return Err(obstacle(function, function.line, ObstacleKind::Linked)),
        };
        let mutated = mutated(stmts, function, self.module);
        if is_kernel && function.params.iter().any(|param| mutated.contains(&param.0)) {
            return Err(obstacle(function, function.line, ObstacleKind::MutableParameter));
        }
        self.stmts(stmts, Context { function, is_kernel, line: function.line })
    }

    fn stmts(&mut self, stmts: &[Stmt], context: Context<'_>) -> Result<(), Obstacle> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt, context))
    }

    fn stmt(&mut self, stmt: &Stmt, context: Context<'_>) -> Result<(), Obstacle> {
        let context = if stmt.line > 0 { Context { line: stmt.line, ..context } } else { context };
        let rejected = |kind| Err(context.obstacle(kind));
        match &stmt.kind {
            StmtKind::Declare { var: _, init } => init.iter().try_for_each(|init| self.expr(init, context)),
            StmtKind::Assign { place, value } | StmtKind::Update { op: _, place, value } => {
                self.expr(place, context)?;
                self.expr(value, context)
            }
            StmtKind::Expr(expr) => self.expr(expr, context),
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition, context)?;
                self.stmts(then, context)?;
                self.stmts(otherwise, context)
            }
            StmtKind::Switch { on, cases, otherwise } => {
                self.expr(on, context)?;
                for Case { values, body } in cases {
                    values.iter().try_for_each(|value| self.expr(value, context))?;
                    self.stmts(body, context)?;
                }
                self.stmts(otherwise, context)
            }
            StmtKind::Block { body, end: _ } => self.stmts(body, context),
            StmtKind::Loop { header, body, next: _, end: _, unroll: _ } => {
                if !self.is_counted(header, body, context.function) {
                    return rejected(ObstacleKind::Loop);
                }
                if let Header::For { init, test, .. } = header {
                    self.expr(init, context)?;
                    self.expr(test, context)?;
                }
                self.stmts(body, context)
            }
            StmtKind::Return(value) => value.iter().try_for_each(|value| self.expr(value, context)),
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => Ok(()),
            StmtKind::Shared { var: _ } => rejected(ObstacleKind::SharedMemory),
            StmtKind::Fault { .. } | StmtKind::InternalError(_) => rejected(ObstacleKind::Check),
            StmtKind::Print { .. } => rejected(ObstacleKind::Print),
        }
    }

    /// Returns whether a loop ends whatever other threads do: its counter increases up to a limit that does not change.
    fn is_counted(&self, header: &Header, body: &[Stmt], function: &Function) -> bool {
        let Header::For { var, init, test: Expr::Binary(op, left, end), next: Next::Increment } = header else {
            return false;
        };
        let mutated = mutated(body, function, self.module);
        // Such a counter does not overflow, in any type.
        let is_small = |expr: &Expr| matches!(expr, Expr::Literal(_, bits) if *bits < 127);
        let ends = match op {
            Operator::Lt => is_fixed(end, &mutated, function),
            Operator::Le => is_small(init) && is_small(end),
            _ => false,
        };
        ends && matches!(&**left, Expr::Var(counter) if counter == var) && !mutated.contains(&var.0)
    }

    fn expr(&mut self, expr: &Expr, context: Context<'_>) -> Result<(), Obstacle> {
        match expr {
            Expr::Special(name) => self.special(name, context)?,
            Expr::Call(callee, _) => self.callee(callee, context)?,
            Expr::Var(_)
            | Expr::Literal(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Conditional(..)
            | Expr::Index(..)
            | Expr::Field(..)
            | Expr::Deref(_)
            | Expr::AddressOf(_)
            | Expr::Struct(..)
            | Expr::Array(..)
            | Expr::Filled(..)
            | Expr::Variant(..)
            | Expr::Constant(_) => {}
        }
        let mut result = Ok(());
        expr.for_each_child(&mut |child| {
            if result.is_ok() {
                result = self.expr(child, context);
            }
        });
        result
    }

    fn special(&mut self, name: &'static str, context: Context<'_>) -> Result<(), Obstacle> {
        match name {
            "threadIdx.x" | "threadIdx.y" | "threadIdx.z" | "blockDim.x" | "blockDim.y" | "blockDim.z" => Ok(()),
            "blockIdx.x" | "blockIdx.y" | "blockIdx.z" | "gridDim.x" | "gridDim.y" | "gridDim.z" => {
                if !context.is_kernel {
                    return Err(context.obstacle(ObstacleKind::BlockIndexInFunction));
                }
                self.blocks.insert(name);
                Ok(())
            }
            _ => Err(context.obstacle(ObstacleKind::SharedMemory)),
        }
    }

    fn callee(&mut self, callee: &CallTarget, context: Context<'_>) -> Result<(), Obstacle> {
        let rejected = |kind| Err(context.obstacle(kind));
        match callee {
            // These fault only with overflow checks.
            CallTarget::Helper(
                Helper {
                    op:
                        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::ShiftAmount | Op::CheckedAbs | Op::CheckedNextMultipleOf,
                    ..
                },
                Some(_),
            ) => rejected(ObstacleKind::OverflowCheck),
            CallTarget::Helper(_, Some(_))
            | CallTarget::Load { .. }
            | CallTarget::LoadIf
            | CallTarget::Inside { .. } => rejected(ObstacleKind::Check),
            CallTarget::Helper(helper, None) => match helper.op.group() {
                OpGroup::IndexOp(IndexOp::DynamicSharedBytes | IndexOp::DynamicSharedAt) => {
                    rejected(ObstacleKind::SharedMemory)
                }
                OpGroup::ThreadOp(_) => rejected(ObstacleKind::Communication),
                // Those with a side effect only write a variable of the thread.
                OpGroup::IndexOp(_)
                | OpGroup::IntegerOp(_)
                | OpGroup::CastOp(_)
                | OpGroup::ExactOp(_)
                | OpGroup::NumberOp(_)
                | OpGroup::ClassOp(_)
                | OpGroup::HalfOp(_)
                | OpGroup::FastOp(_) => Ok(()),
            },
            CallTarget::Builtin(_) | CallTarget::Outputs(_) => Ok(()),
            CallTarget::Effect(_) => rejected(ObstacleKind::Communication),
            CallTarget::Function(id, _) => {
                if let Some(known) = self.known.get(id) {
                    return known.clone();
                }
                // There is no recursion.
                let result = self.function(&self.module.functions[id], false);
                self.known.insert(*id, result.clone());
                result
            }
        }
    }
}

/// Returns whether an expression has the same value whenever a loop evaluates it that changes these variables.
fn is_fixed(expr: &Expr, mutated: &Set<u32>, function: &Function) -> bool {
    let is_fixed_part = match expr {
        Expr::Var(VarId(var)) => {
            matches!(function.vars[*var as usize].ty, CType::Scalar(_) | CType::Named(_)) && !mutated.contains(var)
        }
        Expr::Literal(..)
        | Expr::Special(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Cast(..)
        | Expr::Conditional(..)
        | Expr::Field(..) => true,
        Expr::Call(CallTarget::Helper(helper, None), _) => !helper.op.has_effect(),
        _ => false,
    };
    let mut all = is_fixed_part;
    expr.for_each_child(&mut |child| all = all && is_fixed(child, mutated, function));
    all
}

/// Returns the variables that the statements assign, or to which they take a mutable reference, except through memory.
pub(super) fn mutated(stmts: &[Stmt], function: &Function, module: &Module) -> Set<u32> {
    let mut found = Set::new();
    each(stmts, &mut |stmt| match &stmt.kind {
        StmtKind::Assign { place, .. } | StmtKind::Update { place, .. } => found.extend(root(place, function)),
        StmtKind::Declare { var, init: Some(init) }
            if matches!(function.vars[var.index()].ty, CType::Reference { mutable: true, .. }) =>
        {
            found.extend(root(init, function));
        }
        _ => {}
    });
    for stmt in stmts {
        stmt.for_each_expr(&mut |expr| taken(expr, function, module, &mut found));
    }
    found
}

/// Collects the variables to which an expression takes a mutable reference.
fn taken(expr: &Expr, function: &Function, module: &Module, found: &mut Set<u32>) {
    match expr {
        Expr::AddressOf(place) => found.extend(root(place, function)),
        Expr::Call(CallTarget::Function(id, _), args) => {
            let callee = &module.functions[id];
            for (arg, param) in args.iter().zip(&callee.params) {
                if matches!(callee.vars[param.index()].ty, CType::Reference { mutable: true, .. }) {
                    found.extend(root(arg, function));
                }
            }
        }
        Expr::Call(CallTarget::Helper(helper, _), args) if helper.op.has_effect() => {
            found.extend(args.iter().filter_map(|arg| root(arg, function)));
        }
        _ => {}
    }
    expr.for_each_child(&mut |child| taken(child, function, module, found));
}

/// Returns the variable that a place is a part of; `None` if it is in memory.
pub(super) fn root(place: &Expr, function: &Function) -> Option<u32> {
    match place {
        Expr::Var(VarId(var)) => Some(*var),
        Expr::Field(base, _, _) => root(base, function),
        Expr::Index(base, _) => match &**base {
            Expr::Var(var) if matches!(function.vars[var.index()].ty, CType::Pointer { .. }) => None,
            base => root(base, function),
        },
        _ => None,
    }
}

/// Calls `visit` with all statements, outer ones first.
pub(super) fn each<'s>(stmts: &'s [Stmt], visit: &mut impl FnMut(&'s Stmt)) {
    for stmt in stmts {
        visit(stmt);
        stmt.kind.for_each_block(&mut |block| each(block, visit));
    }
}

/// Returns the size of a value in bytes.
pub(super) fn size(ty: &CType, module: &Module) -> u64 {
    use crate::lower::TypeKind;
    let bytes = |scalar: Scalar| u64::from(scalar.bits() / 8).max(1);
    match ty {
        CType::Scalar(scalar) => bytes(*scalar),
        CType::Array(element, len) => size(element, module) * len,
        CType::Named(id) => match &module.types[id.index()].kind {
            TypeKind::Struct { layout: Some(layout), .. } => layout.size,
            TypeKind::Struct { members, layout: None } => members.iter().map(|member| size(&member.ty, module)).sum(),
            TypeKind::Enum { repr, .. } => bytes(*repr),
        },
        CType::Pointer { .. } | CType::Reference { .. } => 8,
    }
}
