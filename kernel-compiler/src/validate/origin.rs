//! Validation that atomic operations are not applied to thread-local memory.
//!
//! A thread's variables are in registers or in local memory, for which PTX has no atomic operations ("atom": the state
//! space is global or shared, and generic addresses have to refer to these). No other thread can access them, so
//! nothing is lost. A reference may have been passed along, so the analysis tracks the possible origins of every
//! reference through variables and calls. It is flow-insensitive.

use crate::Diagnostic;
use crate::analyse::is_reference;
use crate::ir::{Arm, Block, Callee, ExprId, ExprKind, Filled, Intrinsic, LoopId, Pattern, Sequence, Stmt};
use crate::set::Set;
use litemap::LiteMap;

use super::Validator;
use super::place::Root;

/// A possible origin of a reference, other than memory that is visible to other threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// A variable or a temporary of the thread.
    Thread,
    /// The referent of this parameter.
    Param(usize),
}

type Origins = Set<Origin>;

/// The possible origins of the references in a function.
struct Sources {
    /// The origins of each variable.
    locals: Vec<Origins>,
    /// The values with which each loop or labelled block is left.
    breaks: LiteMap<LoopId, Vec<ExprId>>,
}

impl Validator<'_, '_> {
    /// Rejects atomic operations on thread-local memory, and returns, for each parameter, whether the function applies
    /// an atomic operation to its referent. `callees` holds this result for the preceding functions.
    pub(super) fn atomics(&mut self, callees: &[Vec<bool>]) -> Vec<bool> {
        let function = self.function;
        let mut params = vec![false; function.instance.function.params.len()];
        // The arguments to which an atomic operation is applied, with the name of the callee that applies it.
        let mut applied: Vec<(ExprId, &str)> = Vec::new();
        for id in function.reachable() {
            let (slot, args): (_, &[ExprId]) = match self.kind(id) {
                ExprKind::Call { callee, args } => (callee, args),
                ExprKind::Unary { op: _, operand, operator } => (operator, &[*operand]),
                ExprKind::Binary { op: _, left, right, operator } => (operator, &[*left, *right]),
                ExprKind::AssignOp { op: _, place, value, operator } => (operator, &[*place, *value]),
                _ => continue,
            };
            match &function.instance.slots[slot.index()] {
                Filled::Callee(Callee::Intrinsic(Intrinsic::Atomic { op, ordering: _, scope: _ })) => {
                    applied.extend(args.first().map(|place| (*place, op.name())));
                }
                Filled::Callee(Callee::Function(id)) | Filled::Operator(Some(id)) => {
                    let name = self.functions[id.index()].instance.function.name.as_str();
                    let inside = callees.get(id.index()).into_iter().flatten();
                    applied.extend(args.iter().zip(inside).filter(|(_, inside)| **inside).map(|(arg, _)| (*arg, name)));
                }
                Filled::Callee(Callee::Intrinsic(_) | Callee::Method(_))
                | Filled::Type(_)
                | Filled::Constant(_)
                | Filled::Operator(None) => {}
            }
        }
        if applied.is_empty() {
            return params;
        }
        let sources = self.sources();
        for (place, name) in applied {
            for origin in self.place_origins(place, &sources) {
                match origin {
                    Origin::Param(param) => params[param] = true,
                    Origin::Thread => self.error(
                        self.span(place),
                        Diagnostic::new(
                            format!("`{name}` is applied to a thread-local variable"),
                            "the hardware supports atomic operations on global and shared memory only; no other thread can \
                             access this variable",
                            "use ordinary arithmetic, or an element of an array parameter",
                        ),
                    ),
                }
            }
        }
        params
    }

    /// Computes the origins of the references in variables.
    fn sources(&self) -> Sources {
        let function = &self.function.instance.function;
        let mut sources = Sources { locals: vec![Origins::new(); function.locals.len()], breaks: LiteMap::new() };
        for (position, param) in function.params.iter().enumerate() {
            sources.locals[param.index()].insert(Origin::Param(position));
        }
        for id in self.function.reachable() {
            if let ExprKind::Break { target, value: Some(value) } = self.kind(id) {
                sources.breaks.entry(*target).or_default().push(*value);
            }
        }
        // Fixed-point iteration. Each pass propagates origins by at least one assignment, and a chain of assignments is
        // no longer than the number of variables.
        loop {
            let before: usize = sources.locals.iter().map(Set::len).sum();
            self.block_sources(&function.body, &mut sources);
            for id in self.function.reachable() {
                self.expr_sources(id, &mut sources);
            }
            if before == sources.locals.iter().map(Set::len).sum() {
                return sources;
            }
        }
    }

    fn block_sources(&self, block: &Block, sources: &mut Sources) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern, init: Some(init), span: _ } if self.function.is_reachable(*init) => {
                    self.bind(pattern, *init, sources);
                }
                Stmt::Let { .. } | Stmt::Expr(_) => {}
            }
        }
    }

    fn expr_sources(&self, id: ExprId, sources: &mut Sources) {
        let kind = self.kind(id);
        match kind {
            ExprKind::Assign { place, value } => {
                if let Root::Local(local) = self.root(*place) {
                    let origins = self.origins(*value, sources);
                    sources.locals[local.index()].extend(origins);
                }
            }
            ExprKind::Match { scrutinee, arms } => {
                for Arm { pattern, guard: _, body } in arms {
                    if self.function.is_reachable(*body) {
                        self.bind(pattern, *scrutinee, sources);
                    }
                }
            }
            ExprKind::For { sequence: Sequence::Elements { of, index: _, element: Some(element), .. }, .. }
                if is_reference(self.function.local_type(*element)) =>
            {
                let origins = self.place_origins(*of, sources);
                sources.locals[element.index()].extend(origins);
            }
            _ => {}
        }
        if let Some(block) = kind.block() {
            self.block_sources(block, sources);
        }
    }

    /// All variables of a pattern receive the origins of the whole value; parts are not distinguished.
    fn bind(&self, pattern: &Pattern, value: ExprId, sources: &mut Sources) {
        let origins = self.origins(value, sources);
        pattern.for_each_local(&mut |local| sources.locals[local.index()].extend(&origins));
    }

    /// Returns the origins of a reference to the place.
    fn place_origins(&self, place: ExprId, sources: &Sources) -> Origins {
        if self.ty(place).has_references() {
            return self.origins(place, sources);
        }
        match self.root(place) {
            Root::Local(_) | Root::Value => Origins::from([Origin::Thread]),
            Root::Through(base) => self.origins(base, sources),
        }
    }

    /// Returns the origins of the references in a value.
    fn origins(&self, id: ExprId, sources: &Sources) -> Origins {
        if !self.ty(id).has_references() {
            return Origins::new();
        }
        let of = |ids: &mut dyn Iterator<Item = ExprId>| {
            ids.filter(|id| self.function.is_reachable(*id)).flat_map(|id| self.origins(id, sources)).collect()
        };
        match self.kind(id) {
            ExprKind::Local(local) => sources.locals[local.index()].clone(),
            ExprKind::Borrow { place, mutable: _ } => match self.kind(*place) {
                ExprKind::SubSlice { base, .. } => self.place_origins(*base, sources),
                _ => self.place_origins(*place, sources),
            },
            ExprKind::Field { base, name: _ } | ExprKind::Index { base, index: _ } => self.origins(*base, sources),
            ExprKind::Tuple(parts) => of(&mut parts.iter().copied()),
            ExprKind::Call { callee, args } => match &self.function.instance.slots[callee.index()] {
                // `split_at` and the other methods return parts of their receiver.
                Filled::Callee(Callee::Method(_)) => {
                    args.first().map_or_else(Origins::new, |receiver| self.place_origins(*receiver, sources))
                }
                // Shared memory is visible to other threads; device functions do not return references.
                Filled::Callee(Callee::Intrinsic(_) | Callee::Function(_))
                | Filled::Type(_)
                | Filled::Constant(_)
                | Filled::Operator(_) => Origins::new(),
            },
            ExprKind::Block(body) => of(&mut body.tail.into_iter()),
            ExprKind::Labelled { id, body } => {
                of(&mut body.tail.into_iter().chain(sources.breaks.get(id).into_iter().flatten().copied()))
            }
            ExprKind::Loop { id, body: _, unroll: _ } => of(&mut sources.breaks.get(id).into_iter().flatten().copied()),
            ExprKind::If { condition: _, then, otherwise } => of(&mut then.tail.into_iter().chain(*otherwise)),
            ExprKind::Match { scrutinee: _, arms } => of(&mut arms.iter().map(|arm| arm.body)),
            // These expressions do not yield references.
            ExprKind::Literal { .. }
            | ExprKind::Constant(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Cast { .. }
            | ExprKind::SubSlice { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Deref(_)
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Panic(_)
            | ExprKind::Print(_) => Origins::new(),
        }
    }
}
