//! Deferral of faults: in a loop without effects, a load that is out of bounds yields zero, and the thread faults at the
//! end of the current chunk of iterations.
//!
//! A bounds check inside a loop is a loop exit, which prevents the compiler from keeping several loads in flight: the
//! gather of a sparse product made the kernel 3.7 times slower on an H200. The indices that a loop loads from memory
//! cannot be tested ahead of the loop (`prove::loops`), nor at the launch (`prove`). But in a loop without
//! side effects or communication, the number of iterations that a thread executes after a fault is not observable. So the loop
//! records the first fault in program order, and continues:
//!
//! ```text
//! bool fault = false;
//! const float sum_before = sum;
//! for (usize k = start; k < end; ++k) { .. rt::load(x, i, x_len, fault) .. }
//! if (fault) {
//!     sum = sum_before;
//!     for (usize k = start; k < end; ++k) { .. x[rt::at(i, x_len, 3, launch)] .. }
//! }
//! ```
//!
//! The load is predicated, not clamped, because the array may be empty. A thread takes note only of whether there was a fault.
//! If so, it restores the variables that the loop assigns, and executes the loop again with all its checks, which finds the first
//! fault in program order. (If another thread has changed the memory meanwhile, it may find none: then the loop has been executed
//! with its checks.) To note the index and the site in the loop costs another 12 % in a sparse product on an H200.
//!
//! A corrupt loop end must not turn a fault into a hang. A loop that also loads an element whose check was removed, at
//! an index that changes in each iteration, has at most as many iterations as that array has elements, as in the
//! example above, where `values[k]` was tested ahead of the loop. Any other loop is divided into chunks of 64
//! iterations, and left after a chunk with a fault:
//!
//! ```text
//! for (usize k = start; k < end;) {
//!     const usize k_end = rt::chunk_up<usize>(k, end);
//!     for (; k < k_end; ++k) { .. }
//!     if (fault) break;
//! }
//! ```
//!
//! **Soundness.** What the iterations compute from the zeros reaches variables of the thread only, which are restored before they
//! are read again after the loop. Nothing else in such a loop can fault or fail to terminate: it contains no other kept check, no
//! inner loop, and no call of a function with one of these. A load whose check was *proved* is in bounds whatever the
//! loads yield, because `prove` assumes nothing about the contents of memory, and in the loops of [`candidates`] it
//! assumes nothing that follows from a check either.

use std::collections::HashSet;

use fixedbitset::FixedBitSet;
use litemap::LiteMap;

use crate::ir::{FunctionId, Scalar, Unroll};
use crate::lower::passes::unroll;
use crate::lower::passes::verify;
use crate::lower::{
    Body, CHUNK, CType, CallTarget, Case, Chunk, Deferred, Expr, Function, Header, Helper, Label, Module, NameOrigin,
    Next, Op, Operator, SiteRef, Stmt, StmtKind, Template, TypeDef, TypeKind, VarId, Variable, label_count,
};
use crate::set::Set;

/// Returns the loops whose faults may be deferred, depending on the checks that will be kept.
///
/// Whether a loop is among them does not depend on its checks, so that it stays true while checks are removed.
pub(crate) fn candidates(module: &Module) -> HashSet<*const Header> {
    let pure = pure_functions(module);
    let passing = passing(module);
    let mut found = HashSet::new();
    for function in module.functions.values().chain([&module.kernel]) {
        let Body::Stmts(stmts) = &function.body else { continue };
        let shared = shared_variables(stmts);
        let effects = Effects { vars: &function.vars, params: &[], shared: &shared, pure: &pure, passing: &passing };
        for_each_loop(stmts, &mut |header, body, next| {
            if effects.is_candidate(header, body, next) {
                found.insert(std::ptr::from_ref(header));
            }
        });
    }
    found
}

/// Defers the faults of the loops where that is possible.
pub(crate) fn program(module: &mut Module) {
    let pure = pure_functions(module);
    let passing = passing(module);
    let Module { types, functions, kernel, templates, .. } = module;
    let before = templates.clone();
    for function in functions.iter_mut().map(|(_, function)| function).chain([kernel]) {
        let Function { vars, params, body: Body::Stmts(stmts), .. } = function else { continue };
        let shared = shared_variables(stmts);
        let initialised = verify::initialised_before_loops(params, vars, stmts);
        let labels = label_count(stmts);
        Pass { vars, shared: &shared, pure: &pure, passing: &passing, types, templates, initialised, labels }
            .stmts(stmts);
    }
    if module.templates != before {
        module.helpers = crate::lower::helpers(module.functions.values().chain([&module.kernel]));
    }
}

/// How a function takes an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// By value, or by a reference to a few scalars, for which a temporary may stand.
    Value,
    /// By a reference through which it may write.
    Mutable,
    /// By any other reference, or as a pointer.
    Other,
}

/// Returns how the functions take their arguments.
fn passing(module: &Module) -> LiteMap<FunctionId, Vec<Passing>> {
    let of_function = |function: &Function| {
        let returns_reference = function.result.as_ref().is_some_and(is_reference);
        let of = |param: &VarId| match &function.vars[param.index()].ty {
            CType::Scalar(_) | CType::Named(_) | CType::Array(..) => Passing::Value,
            CType::Reference { target: _, mutable: true } => Passing::Mutable,
            CType::Reference { target, mutable: false } if !returns_reference && is_flat(target, &module.types) => {
                Passing::Value
            }
            CType::Reference { .. } | CType::Pointer { .. } => Passing::Other,
        };
        function.params.iter().map(of).collect()
    };
    module.functions.iter().map(|(id, function)| (*id, of_function(function))).collect()
}

fn is_reference(ty: &CType) -> bool {
    matches!(ty, CType::Reference { .. } | CType::Pointer { .. })
}

fn for_each_loop<'s>(stmts: &'s [Stmt], visit: &mut impl FnMut(&'s Header, &'s [Stmt], Option<Label>)) {
    for stmt in stmts {
        if let StmtKind::Loop { header, body, next, end: _, unroll: _ } = &stmt.kind {
            visit(header, body, *next);
        }
        stmt.kind.for_each_block(&mut |block| for_each_loop(block, visit));
    }
}

/// Returns the variables of a function that are in shared memory.
fn shared_variables(stmts: &[Stmt]) -> Set<u32> {
    fn collect(stmts: &[Stmt], found: &mut Set<u32>) {
        for stmt in stmts {
            if let StmtKind::Shared { var } = stmt.kind {
                found.insert(var.0);
            }
            stmt.kind.for_each_block(&mut |block| collect(block, found));
        }
    }
    let mut found = Set::new();
    collect(stmts, &mut found);
    found
}

/// Returns the functions that neither fault nor loop, and write nothing but what they take by reference.
fn pure_functions(module: &Module) -> Set<FunctionId> {
    let (mut pure, passing) = (Set::new(), passing(module));
    // Callees precede their callers.
    for (id, function) in &module.functions {
        let Body::Stmts(stmts) = &function.body else { continue };
        let Function { vars, params, .. } = function;
        let effects = Effects { vars, params, shared: &Set::new(), pure: &pure, passing: &passing };
        if !function.takes_launch && effects.allow(stmts, None) {
            pure.insert(*id);
        }
    }
    pure
}

/// The absence of effects other than assignments to variables of the thread.
struct Effects<'f> {
    vars: &'f [Variable],
    /// The parameters through which the function may write, if they are references.
    params: &'f [VarId],
    shared: &'f Set<u32>,
    pure: &'f Set<FunctionId>,
    passing: &'f LiteMap<FunctionId, Vec<Passing>>,
}

impl Effects<'_> {
    fn is_candidate(&self, header: &Header, body: &[Stmt], next: Option<Label>) -> bool {
        let mut labels: Vec<Label> = next.into_iter().collect();
        collect_labels(body, &mut labels);
        matches!(header, Header::For { .. }) && self.allow(body, Some(&labels))
    }

    /// Returns whether statements have no effects. `labels` are the targets of the jumps that are allowed in a loop;
    /// `None` for the body of a function.
    fn allow(&self, stmts: &[Stmt], labels: Option<&[Label]>) -> bool {
        stmts.iter().all(|stmt| {
            let allowed = match &stmt.kind {
                StmtKind::Declare { .. }
                | StmtKind::Expr(_)
                | StmtKind::If { .. }
                | StmtKind::Switch { .. }
                | StmtKind::Block { .. } => true,
                StmtKind::Assign { place, value: _ } | StmtKind::Update { op: _, place, value: _ } => {
                    self.is_local(place)
                }
                StmtKind::Continue => labels.is_some(),
                StmtKind::Goto(label) => labels.is_none_or(|labels| labels.contains(label)),
                StmtKind::Return(_) => labels.is_none(),
                StmtKind::Shared { .. }
                | StmtKind::Loop { .. }
                | StmtKind::Break
                | StmtKind::Fault { .. }
                | StmtKind::Print { .. }
                | StmtKind::InternalError(_) => false,
            };
            let mut pure = allowed;
            stmt.for_each_expr(&mut |expr| pure = pure && self.is_pure(expr));
            stmt.kind.for_each_block(&mut |block| pure = pure && self.allow(block, labels));
            pure
        })
    }

    /// Returns whether a place is a part of a variable that only this thread can access: a variable of the function that
    /// is not a reference, or a parameter for which that is required of the callers.
    fn is_local(&self, place: &Expr) -> bool {
        match place {
            Expr::Var(var) => match &self.vars[var.index()].ty {
                CType::Reference { .. } => self.params.contains(var),
                CType::Scalar(_) | CType::Named(_) | CType::Array(..) | CType::Pointer { .. } => {
                    !self.shared.contains(&var.0)
                }
            },
            Expr::Field(base, _, _) | Expr::Index(base, _) => !self.is_pointer(base) && self.is_local(base),
            _ => false,
        }
    }

    fn is_pointer(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Var(var) if matches!(self.vars[var.index()].ty, CType::Pointer { .. }))
    }

    fn is_pure(&self, expr: &Expr) -> bool {
        let mut pure = match expr {
            Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args) => match op {
                Op::OverflowingAdd | Op::OverflowingSub | Op::OverflowingMul => {
                    args.last().is_some_and(|output| matches!(output, Expr::Var(_)) && self.is_local(output))
                }
                op => !op.has_effect(),
            },
            Expr::Call(CallTarget::Function(id, _), args) => {
                let mut args = args.iter().zip(self.passing.get(id).into_iter().flatten());
                self.pure.contains(id) && args.all(|(arg, by)| *by != Passing::Mutable || self.is_local(arg))
            }
            Expr::Call(
                CallTarget::Outputs(_)
                | CallTarget::Effect(_)
                | CallTarget::Load { .. }
                | CallTarget::LoadIf
                | CallTarget::Inside { .. },
                _,
            ) => false,
            _ => true,
        };
        expr.for_each_child(&mut |child| pure = pure && self.is_pure(child));
        pure
    }
}

fn collect_labels(stmts: &[Stmt], found: &mut Vec<Label>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Block { body: _, end } => found.push(*end),
            StmtKind::Loop { next, end, .. } => found.extend(next.iter().chain(end)),
            _ => {}
        }
        stmt.kind.for_each_block(&mut |block| collect_labels(block, found));
    }
}

/// Adds a number to those of the labels in statements, and of the jumps to them.
pub(crate) fn renumber(stmts: &mut [Stmt], by: u32) {
    let mut labels = Vec::new();
    collect_labels(stmts, &mut labels);
    renumber_labels(stmts, &labels.iter().map(|label| label.number).collect(), by);
}

fn renumber_labels(stmts: &mut [Stmt], labels: &Set<u32>, by: u32) {
    let change = |label: &mut Label| {
        if labels.contains(&label.number) {
            label.number += by;
        }
    };
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::Block { body: _, end: label } | StmtKind::Goto(label) => change(label),
            StmtKind::Loop { body: _, header: _, next, end, unroll: _ } => next.iter_mut().chain(end).for_each(change),
            _ => {}
        }
        stmt.kind.for_each_block_mut(&mut |block| renumber_labels(block, labels, by));
    }
}

/// The pass over a function.
struct Pass<'m> {
    vars: &'m mut Vec<Variable>,
    shared: &'m Set<u32>,
    pure: &'m Set<FunctionId>,
    passing: &'m LiteMap<FunctionId, Vec<Passing>>,
    types: &'m [TypeDef],
    templates: &'m mut Set<Template>,
    /// The variables that are initialised before each counted loop, by its counter.
    initialised: LiteMap<u32, FixedBitSet>,
    /// A number above those of all labels.
    labels: u32,
}

/// The loop that a deferred loop replaces.
struct Loop<'s> {
    line: u32,
    header: &'s Header,
    body: &'s [Stmt],
    next: Option<Label>,
    unroll: Unroll,
}

/// The maximum number of scalars that a deferred loop may change: they are saved ahead of it.
const SAVED: u64 = 64;

impl Pass<'_> {
    fn stmts(&mut self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            if let StmtKind::Loop { header, body, next, end: _, unroll } = &stmt.kind {
                let original = Loop { line: stmt.line, header, body, next: *next, unroll: *unroll };
                if let Some(deferred) = self.deferred(&original) {
                    stmts.extend(deferred);
                    continue;
                }
            }
            stmt.kind.for_each_block_mut(&mut |block| self.stmts(block));
            stmts.push(stmt);
        }
    }

    /// Returns the loop with deferred faults, if that is possible and there is a check.
    fn deferred(&mut self, original: &Loop<'_>) -> Option<Vec<Stmt>> {
        let Loop { line, header, body, next, unroll } = *original;
        let Pass { vars, shared, pure, passing, .. } = self;
        let effects = Effects { vars, params: &[], shared, pure, passing };
        if !has_check_in(body) || !effects.is_candidate(header, body, next) {
            return None;
        }
        let (mut assigned, mut declared) = (Set::new(), Set::new());
        collect_assigned(body, self.passing, &mut assigned);
        collect_declared(body, &mut declared);
        let mut chunk = chunk(header, &assigned, self.vars)?;
        // The step of some loops assigns the user's counter, its first argument.
        if let Header::For { next: Next::Assign(Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args)), .. } =
            header
            && op.has_effect()
        {
            args.first().into_iter().for_each(|counter| collect_root(counter, &mut assigned));
        }
        let Header::For { var: counter, .. } = header else { return None };
        let initialised = self.initialised.get(&counter.0)?;
        let changed = assigned.iter().copied().filter(|var| !declared.contains(var));
        let changed: Vec<VarId> = changed.filter(|var| initialised.contains(*var as usize)).map(VarId).collect();
        if changed.iter().map(|var| self.vars[var.index()].ty.total(self.types, &|_| 1)).sum::<u64>() > SAVED {
            return None;
        }
        assigned.insert(counter.0);
        let fault = self.compiler_variable("fault".to_owned(), CType::BOOL, false);
        let mut conversion = Conversion {
            vars: self.vars,
            types: self.types,
            passing: self.passing,
            assigned,
            fault,
            narrow: Set::new(),
            copies: Vec::new(),
            has_loads: false,
            has_parts: false,
        };
        let mut converted = body.to_vec();
        let is_converted = conversion.stmts(&mut converted) && conversion.has_loads;
        if chunk.is_some() && conversion.is_bounded(&converted, *counter) {
            chunk = None;
        }
        if !is_converted || chunk.is_some() && unroll == Unroll::Full {
            self.vars.pop();
            return None;
        }
        let Conversion { copies, has_parts, .. } = conversion;
        for (var, ty) in copies {
            self.vars[var.index()].ty = ty;
            self.vars[var.index()].constant = true;
        }
        self.templates.insert(Template::Deferred);
        if has_parts {
            self.templates.insert(Template::DeferredParts);
        }
        let deferred = match chunk {
            None => header.clone(),
            Some(chunk) => self.chunked(header, *counter, chunk, fault)?,
        };
        let unrolled = if matches!(deferred, Header::Deferred(_)) { unroll::power_of_two(unroll) } else { unroll };
        let stmt = |kind: StmtKind| Stmt { line, kind };
        let mut stmts = vec![stmt(StmtKind::Declare { var: fault, init: Some(Expr::Literal(Scalar::Bool, 0)) })];
        let mut again = Vec::new();
        for var in changed {
            let Variable { hint, ty, .. } = &self.vars[var.index()];
            let (hint, ty) = (hint.clone(), ty.clone());
            let before = self.compiler_variable(format!("{hint}_before"), ty, false);
            stmts.push(stmt(StmtKind::Declare { var: before, init: Some(Expr::Var(var)) }));
            again.push(stmt(StmtKind::Assign { place: Expr::Var(var), value: Expr::Var(before) }));
        }
        stmts.push(stmt(StmtKind::Loop { header: deferred, body: converted, next, end: None, unroll: unrolled }));
        again.push(stmt(StmtKind::Loop { header: header.clone(), body: body.to_vec(), next, end: None, unroll }));
        let labels = label_count(&again);
        renumber(&mut again, self.labels);
        self.labels += labels;
        stmts.push(stmt(StmtKind::If { condition: Expr::Var(fault), then: again, otherwise: Vec::new() }));
        Some(stmts)
    }

    /// Returns the head of a loop that is left after a chunk with a fault.
    fn chunked(&mut self, header: &Header, counter: VarId, chunk: Chunk, fault: VarId) -> Option<Header> {
        let Variable { ty: CType::Scalar(scalar), hint, .. } = &self.vars[counter.index()] else { return None };
        let (scalar, hint) = (*scalar, hint.clone());
        let limit = if chunk == Chunk::Counted {
            self.compiler_variable("left".to_owned(), CType::Scalar(Scalar::U32), false)
        } else {
            self.templates.insert(Template::Chunk(chunk));
            self.compiler_variable(format!("{hint}_end"), CType::Scalar(scalar), true)
        };
        Some(Header::Deferred(Box::new(Deferred { header: header.clone(), chunk, limit, fault })))
    }

    fn compiler_variable(&mut self, hint: String, ty: CType, constant: bool) -> VarId {
        let var = VarId(self.vars.len() as u32);
        self.vars.push(Variable { hint, origin: NameOrigin::Compiler, ty, constant, stable: true });
        var
    }
}

/// Returns how the iterations of a loop are divided into chunks: `Some(None)` if there are few, and `None` if the bounds
/// may change in the loop.
#[allow(clippy::option_option, reason = "the two levels are explained above")]
fn chunk(header: &Header, assigned: &Set<u32>, vars: &[Variable]) -> Option<Option<Chunk>> {
    let Header::For { var, init, test, next } = header else { return None };
    let is_fixed = |expr: &Expr| is_invariant(expr, assigned, vars);
    if assigned.contains(&var.0) || has_check(test) {
        return None;
    }
    Some(Some(match (test, next) {
        (Expr::Binary(op @ (Operator::Lt | Operator::Le), left, limit), Next::Increment)
            if **left == Expr::Var(*var) && is_fixed(limit) =>
        {
            if trip_count(init, limit).is_some_and(|count| count < CHUNK) {
                return Some(None);
            }
            if *op == Operator::Lt { Chunk::Up } else { Chunk::UpTo }
        }
        (Expr::Binary(Operator::Gt, left, limit), Next::Decrement) if **left == Expr::Var(*var) && is_fixed(limit) => {
            if trip_count(limit, init).is_some_and(|count| count < CHUNK) {
                return Some(None);
            }
            Chunk::Down
        }
        (
            Expr::Binary(Operator::Lt, left, limit),
            Next::Assign(Expr::Call(CallTarget::Helper(Helper { op: Op::Step, .. }, None), args)),
        ) if **left == Expr::Var(*var) && args.iter().skip(1).all(is_fixed) && args.get(1) == Some(limit) => Chunk::By,
        // A step that is proved to stay within the type: see `prove::rewrite`.
        (Expr::Binary(Operator::Lt, left, limit), Next::Assign(value))
            if **left == Expr::Var(*var) && is_fixed(limit) && value.addend(*var).is_some_and(is_fixed) =>
        {
            Chunk::By
        }
        (
            Expr::Var(more),
            Next::Assign(Expr::Call(CallTarget::Helper(Helper { op: Op::StepTo | Op::StepDown, .. }, None), args)),
        ) if more == var && args.iter().skip(1).all(is_fixed) => Chunk::Counted,
        _ => return None,
    }))
}

/// Returns the difference of two bounds, if both are literals.
fn trip_count(first: &Expr, end: &Expr) -> Option<u64> {
    match (first, end) {
        (Expr::Literal(_, first), Expr::Literal(_, end)) => Some(end.wrapping_sub(*first)),
        _ => None,
    }
}

/// Returns whether an expression has the same value in all iterations, and reads no memory.
fn is_invariant(expr: &Expr, assigned: &Set<u32>, vars: &[Variable]) -> bool {
    match expr {
        Expr::Literal(..) | Expr::Special(_) => true,
        Expr::Var(var) => !assigned.contains(&var.0) && !is_reference(&vars[var.index()].ty),
        Expr::Unary(_, operand) | Expr::Cast(_, operand) => is_invariant(operand, assigned, vars),
        Expr::Binary(_, left, right) => is_invariant(left, assigned, vars) && is_invariant(right, assigned, vars),
        _ => false,
    }
}

fn collect_assigned(stmts: &[Stmt], passing: &LiteMap<FunctionId, Vec<Passing>>, found: &mut Set<u32>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Declare { var, init: _ } => {
                found.insert(var.0);
            }
            StmtKind::Assign { place, value: _ } | StmtKind::Update { op: _, place, value: _ } => {
                collect_root(place, found);
            }
            _ => {}
        }
        stmt.for_each_expr(&mut |expr| collect_outputs(expr, passing, found));
        stmt.kind.for_each_block(&mut |block| collect_assigned(block, passing, found));
    }
}

/// Collects the variables to which the calls in an expression write.
fn collect_outputs(expr: &Expr, passing: &LiteMap<FunctionId, Vec<Passing>>, found: &mut Set<u32>) {
    match expr {
        Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args) if op.has_effect() => match op.output() {
            Some(position) => args.get(position).into_iter().for_each(|output| collect_root(output, found)),
            None => args.iter().for_each(|arg| collect_root(arg, found)),
        },
        Expr::Call(CallTarget::Function(id, _), args) => {
            let args = args.iter().zip(passing.get(id).into_iter().flatten());
            args.filter(|(_, by)| **by == Passing::Mutable).for_each(|(arg, _)| collect_root(arg, found));
        }
        _ => {}
    }
    expr.for_each_child(&mut |child| collect_outputs(child, passing, found));
}

/// Collects the variable that a place is a part of.
fn collect_root(place: &Expr, found: &mut Set<u32>) {
    match place {
        Expr::Var(var) => {
            found.insert(var.0);
        }
        Expr::Field(base, _, _) | Expr::Index(base, _) => collect_root(base, found),
        _ => {}
    }
}

fn collect_declared(stmts: &[Stmt], found: &mut Set<u32>) {
    for stmt in stmts {
        if let StmtKind::Declare { var, init: _ } = &stmt.kind {
            found.insert(var.0);
        }
        stmt.kind.for_each_block(&mut |block| collect_declared(block, found));
    }
}

fn has_check_in(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| {
        let mut found = false;
        stmt.for_each_expr(&mut |expr| found = found || has_check(expr));
        found
    })
}

/// Returns whether an expression can fault.
fn has_check(expr: &Expr) -> bool {
    let mut found = match expr {
        Expr::Call(CallTarget::Helper(_, site) | CallTarget::Function(_, site), _) => site.is_some(),
        Expr::Call(CallTarget::Load { .. } | CallTarget::Inside { .. }, _) => true,
        _ => false,
    };
    expr.for_each_child(&mut |child| found = found || has_check(child));
    found
}

/// The replacement of the checks of a loop. The functions return whether they have replaced all of them.
struct Conversion<'p> {
    vars: &'p [Variable],
    types: &'p [TypeDef],
    passing: &'p LiteMap<FunctionId, Vec<Passing>>,
    /// The variables that the loop assigns.
    assigned: Set<u32>,
    fault: VarId,
    /// Whether a check has been replaced.
    has_loads: bool,
    /// The constants of type `usize` that are converted from a number of at most 32 bits.
    narrow: Set<u32>,
    /// The references that become copies, with their new types.
    copies: Vec<(VarId, CType)>,
    /// Whether an element has more than one index.
    has_parts: bool,
}

impl Conversion<'_> {
    fn stmts(&mut self, stmts: &mut [Stmt]) -> bool {
        stmts.iter_mut().all(|stmt| self.stmt(&mut stmt.kind))
    }

    fn stmt(&mut self, kind: &mut StmtKind) -> bool {
        match kind {
            StmtKind::Declare { var: _, init: None } | StmtKind::Continue | StmtKind::Goto(_) => true,
            StmtKind::Declare { var, init: Some(init) } => match &self.vars[var.index()].ty {
                CType::Reference { .. } if !has_check(init) => true,
                // A reference to an element that may not exist becomes a copy. Nothing writes the element meanwhile: neither
                // another thread, because it is borrowed, nor this loop.
                CType::Reference { target, mutable: false }
                    if is_flat(target, self.types) && !self.is_assigned(init) =>
                {
                    self.copies.push((*var, CType::clone(target)));
                    self.value(init)
                }
                CType::Reference { .. } => false,
                CType::Scalar(_) | CType::Named(_) | CType::Array(..) | CType::Pointer { .. } => {
                    let converted = self.value(init);
                    if self.vars[var.index()].constant && self.in_32_bits(init, false).is_some() {
                        self.narrow.insert(var.0);
                    }
                    converted
                }
            },
            StmtKind::Assign { place, value } | StmtKind::Update { op: _, place, value } => {
                !has_check(place) && self.value(value)
            }
            StmtKind::Expr(expr) => self.value(expr),
            StmtKind::If { condition, then, otherwise } => {
                self.value(condition) && self.stmts(then) && self.stmts(otherwise)
            }
            StmtKind::Switch { on, cases, otherwise } => {
                self.value(on)
                    && cases.iter_mut().all(|Case { values, body }| !values.iter().any(has_check) && self.stmts(body))
                    && self.stmts(otherwise)
            }
            StmtKind::Block { body, end: _ } => self.stmts(body),
            StmtKind::Shared { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Break
            | StmtKind::Return(_)
            | StmtKind::Fault { .. }
            | StmtKind::Print { .. }
            | StmtKind::InternalError(_) => false,
        }
    }

    /// Returns whether the loop assigns a part of the variable that a place belongs to.
    fn is_assigned(&self, place: &Expr) -> bool {
        match place {
            Expr::Var(var) => self.assigned.contains(&var.0),
            Expr::Field(base, _, _) | Expr::Index(base, _) => self.is_assigned(base),
            _ => true,
        }
    }

    /// Returns whether a place is a part of what a reference that the loop declares refers to. The reference may become a copy,
    /// whose address is not valid after the iteration.
    fn is_own_reference(&self, place: &Expr) -> bool {
        match place {
            Expr::Var(var) => self.assigned.contains(&var.0) && is_reference(&self.vars[var.index()].ty),
            Expr::Field(base, _, _) | Expr::Index(base, _) | Expr::Deref(base) => self.is_own_reference(base),
            _ => false,
        }
    }

    /// Replaces the checks in an expression whose value is used, not its address.
    fn value(&mut self, expr: &mut Expr) -> bool {
        match expr {
            Expr::Index(base, index) if has_check(base) => {
                // With a literal index, the array that contains it stays in registers.
                matches!(**index, Expr::Literal(..)) && self.value(base)
            }
            Expr::Index(base, index) => match &mut **index {
                Expr::Call(CallTarget::Helper(Helper { op: Op::At, .. }, Some(SiteRef::Own(_))), args) => {
                    let Ok([mut index, len]) = <[Expr; 2]>::try_from(std::mem::take(args)) else { return false };
                    if !self.value(&mut index) || !self.is_fixed(&len) {
                        return false;
                    }
                    self.has_loads = true;
                    let base = std::mem::replace(&mut **base, Expr::Literal(Scalar::Bool, 0));
                    let (index, len, short) = self.narrowed(index, len);
                    *expr = Expr::Call(CallTarget::Load { fault: self.fault, short }, vec![base, index, len]);
                    true
                }
                index if has_direct_check(index) => {
                    let mut inside = Vec::new();
                    if !self.parts(index, &mut inside) {
                        return false;
                    }
                    self.has_parts = true;
                    let inside = inside.into_iter().reduce(|all, part| Expr::binary(Operator::Both, all, part));
                    let Some(inside) = inside else { return false };
                    *expr = Expr::Call(CallTarget::LoadIf, vec![Expr::clone(base), index.clone(), inside]);
                    true
                }
                index => self.value(index),
            },
            Expr::AddressOf(place) => !has_check(place) && !self.is_own_reference(place),
            Expr::Call(CallTarget::Helper(_, Some(_)), _) => false,
            Expr::Call(CallTarget::Function(id, _), args) => {
                let Some(passing) = self.passing.get(id) else { return false };
                let mut args = args.iter_mut().zip(passing);
                args.all(|(arg, by)| if *by == Passing::Value { self.value(arg) } else { !has_check(arg) })
            }
            _ => {
                let mut all = true;
                expr.for_each_child_mut(&mut |child| all = all && self.value(child));
                all
            }
        }
    }

    /// Replaces the checks of an element's indices by the indices, and adds a test of each to `inside`.
    fn parts(&mut self, expr: &mut Expr, inside: &mut Vec<Expr>) -> bool {
        match expr {
            Expr::Call(CallTarget::Helper(Helper { op: Op::At, .. }, Some(SiteRef::Own(_))), args) => {
                let Ok([index, len]) = <[Expr; 2]>::try_from(std::mem::take(args)) else { return false };
                // It is evaluated twice.
                if !is_cheap(&index, self.vars) || !self.is_fixed(&len) {
                    return false;
                }
                self.has_loads = true;
                inside.push(Expr::Call(CallTarget::Inside { fault: self.fault }, vec![index.clone(), len]));
                *expr = index;
                true
            }
            expr if !has_check(expr) => true,
            Expr::Binary(_, left, right) => self.parts(left, inside) && self.parts(right, inside),
            Expr::Unary(_, operand) | Expr::Cast(_, operand) => self.parts(operand, inside),
            _ => false,
        }
    }

    /// Returns whether an expression has the same value in all iterations.
    fn is_fixed(&self, expr: &Expr) -> bool {
        is_invariant(expr, &self.assigned, self.vars)
    }

    /// Returns an index and a length for a comparison with 32 bits, if both are converted from numbers of at most 32 bits. A
    /// length that a narrow variant computes as `int` is not negative. Also returns whether they are.
    fn narrowed(&self, index: Expr, len: Expr) -> (Expr, Expr, bool) {
        match (self.in_32_bits(&index, false), self.in_32_bits(&len, true)) {
            (Some(index), Some(len)) => (index, len, true),
            _ => (index, len, false),
        }
    }

    /// Returns a number as `u32`, if it is a `usize` that is converted from a number of at most 32 bits.
    fn in_32_bits(&self, expr: &Expr, is_len: bool) -> Option<Expr> {
        let as_u32 = |expr: &Expr| Expr::Cast(CType::Scalar(Scalar::U32), Box::new(expr.clone()));
        match expr {
            Expr::Var(var) if self.narrow.contains(&var.0) => Some(as_u32(expr)),
            Expr::Cast(CType::Scalar(Scalar::Usize), inner) => match self.scalar(inner)? {
                Scalar::U32 => Some(Expr::clone(inner)),
                Scalar::U16 | Scalar::U8 => Some(as_u32(inner)),
                Scalar::I32 if is_len => Some(as_u32(inner)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the type of a scalar, if it is a variable or an element.
    fn scalar(&self, expr: &Expr) -> Option<Scalar> {
        let ty = |ty: &CType| match ty {
            CType::Scalar(scalar) => Some(*scalar),
            _ => None,
        };
        match expr {
            Expr::Var(var) => ty(&self.vars[var.index()].ty),
            Expr::Index(base, _) => self.element(base),
            Expr::Call(CallTarget::Load { .. }, args) => self.element(args.first()?),
            _ => None,
        }
    }

    /// Returns the type of the elements of a variable, if they are scalars.
    fn element(&self, base: &Expr) -> Option<Scalar> {
        let Expr::Var(var) = base else { return None };
        match &self.vars[var.index()].ty {
            CType::Pointer { target: element, .. } | CType::Array(element, _) => match **element {
                CType::Scalar(scalar) => Some(scalar),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether each iteration loads an element without a check, at an index that is different in all of them: then there
    /// are at most as many iterations as elements.
    fn is_bounded(&self, body: &[Stmt], counter: VarId) -> bool {
        let mut index = Index { conversion: self, counter, values: LiteMap::new() };
        for stmt in body {
            let found = match &stmt.kind {
                StmtKind::Declare { var: _, init } => init.as_ref().is_some_and(|init| index.is_loaded_in(init)),
                StmtKind::Assign { place, value } | StmtKind::Update { op: _, place, value } => {
                    index.is_loaded_in(place) || index.is_loaded_in(value)
                }
                StmtKind::Expr(expr)
                | StmtKind::If { condition: expr, then: _, otherwise: _ }
                | StmtKind::Switch { on: expr, cases: _, otherwise: _ } => index.is_loaded_in(expr),
                _ => false,
            };
            if found {
                return true;
            }
            // The statements that follow one with a jump are not executed in each iteration.
            if has_jump(std::slice::from_ref(stmt)) {
                return false;
            }
            if let StmtKind::Declare { var, init: Some(init) } = &stmt.kind {
                index.values.insert(var.0, init);
            }
        }
        false
    }
}

/// The search for an element without a check, at an index that is different in all iterations.
struct Index<'p> {
    conversion: &'p Conversion<'p>,
    counter: VarId,
    /// The values of the constants that the iteration has declared.
    values: LiteMap<u32, &'p Expr>,
}

impl Index<'_> {
    /// Returns whether the evaluation of an expression loads such an element.
    fn is_loaded_in(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Index(base, index) => {
                matches!(**base, Expr::Var(_)) && self.is_advancing(index)
                    || self.is_loaded_in(index)
                    || self.is_loaded_in(base)
            }
            Expr::Conditional(evaluated, _, _) | Expr::Binary(Operator::Both | Operator::Either, evaluated, _) => {
                self.is_loaded_in(evaluated)
            }
            // No element is loaded.
            Expr::AddressOf(_) => false,
            expr => {
                let mut found = false;
                expr.for_each_child(&mut |child| found = found || self.is_loaded_in(child));
                found
            }
        }
    }

    /// Returns whether an expression has a different value in each iteration: the counter, plus or minus an invariant.
    fn is_advancing(&self, expr: &Expr) -> bool {
        let is_fixed = |expr: &Expr| self.conversion.is_fixed(expr);
        match expr {
            Expr::Var(var) if *var == self.counter => true,
            Expr::Var(var) if self.conversion.vars[var.index()].constant => {
                self.values.get(&var.0).is_some_and(|value| self.is_advancing(value))
            }
            Expr::Cast(CType::Scalar(Scalar::Usize), inner) => self.is_advancing(inner),
            Expr::Binary(Operator::Add, left, right) => {
                self.is_advancing(left) && is_fixed(right) || is_fixed(left) && self.is_advancing(right)
            }
            Expr::Binary(Operator::Sub, left, right) => self.is_advancing(left) && is_fixed(right),
            _ => false,
        }
    }
}

fn has_jump(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| {
        let mut found = matches!(stmt.kind, StmtKind::Continue | StmtKind::Goto(_));
        stmt.kind.for_each_block(&mut |block| found = found || has_jump(block));
        found
    })
}

/// Returns whether a type consists of scalars only, without arrays.
fn is_flat(ty: &CType, types: &[TypeDef]) -> bool {
    match ty {
        CType::Scalar(_) => true,
        CType::Named(id) => match &types[id.index()].kind {
            TypeKind::Struct { members, layout: _ } => members.iter().all(|member| is_flat(&member.ty, types)),
            TypeKind::Enum { .. } => true,
        },
        CType::Array(..) | CType::Pointer { .. } | CType::Reference { .. } => false,
    }
}

/// Returns whether there is a check in an expression outside of the elements that it loads.
fn has_direct_check(expr: &Expr) -> bool {
    match expr {
        Expr::Call(CallTarget::Helper(Helper { op: Op::At, .. }, Some(SiteRef::Own(_))), _) => true,
        Expr::Binary(_, left, right) => has_direct_check(left) || has_direct_check(right),
        Expr::Unary(_, operand) | Expr::Cast(_, operand) => has_direct_check(operand),
        _ => false,
    }
}

/// Returns whether an expression is computed from variables without calls and memory accesses.
fn is_cheap(expr: &Expr, vars: &[Variable]) -> bool {
    match expr {
        Expr::Literal(..) | Expr::Special(_) => true,
        Expr::Var(var) => !is_reference(&vars[var.index()].ty),
        Expr::Unary(_, operand) | Expr::Cast(_, operand) => is_cheap(operand, vars),
        Expr::Binary(_, left, right) => is_cheap(left, vars) && is_cheap(right, vars),
        _ => false,
    }
}
