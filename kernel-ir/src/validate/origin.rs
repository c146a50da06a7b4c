//! Which memory atomic operations are applied to: never a thread's own.
//!
//! A thread's variables are in registers or in local memory, for which PTX has no atomic operations ("atom": the state
//! space is global or shared, and generic addresses lead there). No other thread sees them, so nothing is lost. A
//! reference may have come a long way, so this follows where each can come from, through variables and calls; it does not
//! follow the order of statements.

use std::collections::{BTreeMap, BTreeSet};

use crate::What;
use crate::ir::{Arm, Block, Callee, ExprId, ExprKind, Filled, Intrinsic, LoopId, Pattern, Sequence, Stmt, Type};

use super::Check;
use super::place::{Root, is_handle};

/// What a reference can lead to, beside memory that other threads see.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// A variable or a value of the thread's own.
    Thread,
    /// What this parameter leads to.
    Param(usize),
}

type Origins = BTreeSet<Origin>;

/// Where the references of a function come from.
struct Sources {
    /// Of each variable.
    locals: Vec<Origins>,
    /// The values that leave each loop or labelled block.
    breaks: BTreeMap<LoopId, Vec<ExprId>>,
}

impl Check<'_, '_> {
    /// Refuses atomic operations on the thread's own memory, and gives the parameters whose targets the function applies
    /// some to. `callees` are these parameters of the functions before this one.
    pub(super) fn atomics(&mut self, callees: &[Vec<bool>]) -> Vec<bool> {
        let function = self.function;
        let mut params = vec![false; function.instance.function.params.len()];
        // Of each argument that an atomic operation is applied to, the name of what does so.
        let mut applied: Vec<(ExprId, &str)> = Vec::new();
        for id in function.alive() {
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
                        What::new(
                            format!("`{name}` is applied to a variable of the thread"),
                            "the hardware has atomic operations on global and shared memory only, and no other thread sees \
                             this variable",
                            "use plain arithmetic, or an element of an array",
                        ),
                    ),
                }
            }
        }
        params
    }

    /// Finds where the references in variables come from.
    fn sources(&self) -> Sources {
        let function = &self.function.instance.function;
        let mut sources = Sources { locals: vec![Origins::new(); function.locals.len()], breaks: BTreeMap::new() };
        for (position, param) in function.params.iter().enumerate() {
            sources.locals[param.index()].insert(Origin::Param(position));
        }
        for id in self.function.alive() {
            if let ExprKind::Break { target, value: Some(value) } = self.kind(id) {
                sources.breaks.entry(*target).or_default().push(*value);
            }
        }
        // Each turn brings what is known one assignment further, and there are no more assignments than variables in a
        // chain of them.
        loop {
            let before: usize = sources.locals.iter().map(BTreeSet::len).sum();
            self.block_sources(&function.body, &mut sources);
            for id in self.function.alive() {
                self.expr_sources(id, &mut sources);
            }
            if before == sources.locals.iter().map(BTreeSet::len).sum() {
                return sources;
            }
        }
    }

    fn block_sources(&self, block: &Block, sources: &mut Sources) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern, init: Some(init), span: _ } if self.function.is_alive(*init) => {
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
                    if self.function.is_alive(*body) {
                        self.bind(pattern, *scrutinee, sources);
                    }
                }
            }
            ExprKind::For { sequence: Sequence::Elements { of, index: _, element: Some(element), .. }, .. }
                if is_handle(self.function.local_type(*element)) =>
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

    /// All that a pattern binds comes from the whole value: which part of it does not matter.
    fn bind(&self, pattern: &Pattern, value: ExprId, sources: &mut Sources) {
        let origins = self.origins(value, sources);
        pattern.for_each_local(&mut |local| sources.locals[local.index()].extend(&origins));
    }

    /// What a place leads to, or is in: what a reference to it leads to.
    fn place_origins(&self, place: ExprId, sources: &Sources) -> Origins {
        if is_handle(self.ty(place)) {
            return self.origins(place, sources);
        }
        match self.root(place) {
            Root::Local(_) | Root::Value => Origins::from([Origin::Thread]),
            Root::Through(base) => self.origins(base, sources),
        }
    }

    /// What the references in a value lead to.
    fn origins(&self, id: ExprId, sources: &Sources) -> Origins {
        if !holds_handle(self.ty(id)) {
            return Origins::new();
        }
        let of = |ids: &mut dyn Iterator<Item = ExprId>| {
            ids.filter(|id| self.function.is_alive(*id)).flat_map(|id| self.origins(id, sources)).collect()
        };
        match self.kind(id) {
            ExprKind::Local(local) => sources.locals[local.index()].clone(),
            ExprKind::Borrow { place, mutable: _ } => match self.kind(*place) {
                ExprKind::SubSlice { base, .. } => self.place_origins(*base, sources),
                _ => self.place_origins(*place, sources),
            },
            ExprKind::Field { base, name: _ } => self.origins(*base, sources),
            ExprKind::Tuple(parts) => of(&mut parts.iter().copied()),
            ExprKind::Call { callee, args } => match &self.function.instance.slots[callee.index()] {
                // `split_at` and its like give parts of their receiver.
                Filled::Callee(Callee::Method(_)) => {
                    args.first().map_or_else(Origins::new, |receiver| self.place_origins(*receiver, sources))
                }
                // Shared memory. A device function gives no references.
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
            // None of these gives a reference.
            ExprKind::Literal { .. }
            | ExprKind::Constant(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Index { .. }
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

/// Whether a value of the type leads to memory, or a part of it does.
fn holds_handle(ty: &Type) -> bool {
    match ty {
        Type::Tuple(parts) => parts.iter().any(holds_handle),
        _ => is_handle(ty),
    }
}
