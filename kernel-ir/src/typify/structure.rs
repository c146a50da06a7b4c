//! Whether a decoded function holds together at all: ids in range, operands before users, loops around their breaks.
//!
//! After this, every phase may index a function's tables and recurse into its expressions.

use crate::ir::{ExprId, ExprKind, Filled, Function, LocalId, LoopId, Pattern, SlotId, Span, Stmt};

use super::Scope;

/// Deeper nesting is refused, so that the phases can recurse on the stack of any thread. People's code stays below 50;
/// a sum of this many terms, as a code generator may write it, still passes.
pub(super) const MAX_DEPTH: u32 = 400;

/// Checks a function; whether it holds together. Errors go to the scope.
pub(super) fn check(scope: &mut Scope<'_, '_>) -> bool {
    let function = &scope.instance.function;
    let mut check = Check {
        function,
        slots: &scope.instance.slots,
        used: vec![false; function.exprs.len()],
        depth: vec![1; function.exprs.len()],
        bound: vec![false; function.locals.len()],
        loops: Vec::new(),
        problems: Vec::new(),
    };
    check.function();
    let problems = check.problems;
    let holds = problems.is_empty();
    for (span, message) in problems {
        scope.inconsistent(span, message);
    }
    holds
}

struct Check<'a> {
    function: &'a Function,
    slots: &'a [Filled],
    /// Stands inside another expression or the body. An expression stands at one place only.
    used: Vec<bool>,
    /// How deep the expression's operands nest.
    depth: Vec<u32>,
    /// Declared by a parameter, a pattern or a `for`.
    bound: Vec<bool>,
    /// All loops seen so far.
    loops: Vec<LoopId>,
    problems: Vec<(Span, String)>,
}

impl Check<'_> {
    fn problem(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push((span, message.into()));
    }

    fn function(&mut self) {
        let function = self.function;
        if function.slots as usize != self.slots.len() {
            let (declared, filled) = (function.slots, self.slots.len());
            self.problem(function.span, format!("the function declares {declared} slots, and {filled} are filled"));
        }
        for local in &function.locals {
            self.type_slot(local.slot, function.span);
        }
        if let Some(slot) = function.result {
            self.type_slot(slot, function.span);
        }
        for param in &function.params {
            self.bind(*param, function.span);
        }
        for (id, expr) in (0u32..).map(ExprId).zip(&function.exprs) {
            let mut depth = 0;
            let mut inside = Vec::new();
            expr.kind.for_each_child(&mut |child| inside.push(child));
            for child in inside {
                if child.index() >= id.index() {
                    self.problem(expr.span, format!("{id} comes before its operand {child}"));
                } else {
                    self.used_once(child, expr.span);
                    depth = depth.max(self.depth[child.index()]);
                }
            }
            self.depth[id.index()] = depth + 1;
            if depth >= MAX_DEPTH {
                self.problem(expr.span, format!("the expression nests deeper than {MAX_DEPTH} levels"));
            }
            self.tables(&expr.kind, expr.span);
        }
        let mut roots = Vec::new();
        function.body.for_each_child(&mut |root| roots.push(root));
        for root in &roots {
            if root.index() < function.exprs.len() {
                self.used_once(*root, function.span);
            } else {
                self.problem(function.span, format!("the body names {root}, which does not exist"));
            }
        }
        self.patterns(&function.body.stmts);
        self.locals_are_bound();
        // The walk recurses, so it needs what was checked above.
        if self.problems.is_empty() {
            for root in roots {
                self.jumps(root, &mut Vec::new());
            }
        }
    }

    fn used_once(&mut self, id: ExprId, span: Span) {
        if std::mem::replace(&mut self.used[id.index()], true) {
            self.problem(span, format!("{id} stands at two places"));
        }
    }

    fn bind(&mut self, local: LocalId, span: Span) {
        match self.bound.get_mut(local.index()) {
            None => self.problem(span, format!("{local} does not exist")),
            Some(bound) => {
                if std::mem::replace(bound, true) {
                    self.problem(span, format!("{local} is declared twice"));
                }
            }
        }
    }

    fn patterns(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let { pattern, init: _, span } => self.pattern(pattern, *span),
                Stmt::Expr(_) => {}
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern, span: Span) {
        match pattern {
            Pattern::Wild => {}
            Pattern::Local(local) => self.bind(*local, span),
            Pattern::Tuple(parts) => parts.iter().for_each(|part| self.pattern(part, span)),
        }
    }

    fn locals_are_bound(&mut self) {
        for expr in &self.function.exprs {
            if let ExprKind::Local(local) = expr.kind {
                match self.bound.get(local.index()) {
                    Some(true) => {}
                    Some(false) => self.problem(expr.span, format!("{local} is used but never declared")),
                    None => self.problem(expr.span, format!("{local} does not exist")),
                }
            }
        }
    }

    /// The slots, variables and loops that an expression names.
    fn tables(&mut self, kind: &ExprKind, span: Span) {
        match kind {
            ExprKind::Literal { value: _, slot } | ExprKind::Cast { operand: _, slot } => self.type_slot(*slot, span),
            ExprKind::Constant(slot) => match self.slots.get(slot.index()) {
                Some(Filled::Constant(_)) => {}
                Some(Filled::Type(_) | Filled::Callee(_)) | None => {
                    self.problem(span, format!("{slot} holds no constant"));
                }
            },
            ExprKind::Call { callee, args: _ } => match self.slots.get(callee.index()) {
                Some(Filled::Callee(_)) => {}
                Some(Filled::Type(_) | Filled::Constant(_)) | None => {
                    self.problem(span, format!("{callee} holds no callee"));
                }
            },
            ExprKind::Loop { id, body: _ } | ExprKind::While { id, condition: _, body: _ } => self.new_loop(*id, span),
            ExprKind::For { id, local, range: _, body: _ } => {
                self.new_loop(*id, span);
                if let Some(local) = local {
                    self.bind(*local, span);
                }
            }
            ExprKind::Local(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Index { .. }
            | ExprKind::Field { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Method { .. }
            | ExprKind::Borrow(_)
            | ExprKind::Block(_)
            | ExprKind::If { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Panic { .. } => {}
        }
        if let Some(block) = kind.block() {
            self.patterns(&block.stmts);
        }
    }

    fn new_loop(&mut self, id: LoopId, span: Span) {
        if self.loops.contains(&id) {
            self.problem(span, format!("two loops are {id}"));
        }
        self.loops.push(id);
    }

    fn type_slot(&mut self, slot: SlotId, span: Span) {
        match self.slots.get(slot.index()) {
            Some(Filled::Type(_)) => {}
            Some(Filled::Callee(_) | Filled::Constant(_)) | None => {
                self.problem(span, format!("{slot} holds no type"));
            }
        }
    }

    /// Every `break` and `continue` inside `id` stands in the body of the loop that it names.
    fn jumps(&mut self, id: ExprId, around: &mut Vec<LoopId>) {
        let function = self.function;
        let expr = function.expr(id);
        match &expr.kind {
            ExprKind::Break { target, value: _ } | ExprKind::Continue { target } if !around.contains(target) => {
                self.problem(expr.span, format!("{target} is not around the jump to it"));
            }
            ExprKind::For { id, local: _, range, body } => {
                let inside_range = [Some(range.start), Some(range.end), range.step];
                inside_range.into_iter().flatten().for_each(|part| self.jumps(part, around));
                around.push(*id);
                body.for_each_child(&mut |child| self.jumps(child, around));
                around.pop();
                return;
            }
            ExprKind::Loop { id, body: _ } | ExprKind::While { id, condition: _, body: _ } => {
                around.push(*id);
                expr.kind.for_each_child(&mut |child| self.jumps(child, around));
                around.pop();
                return;
            }
            _ => {}
        }
        expr.kind.for_each_child(&mut |child| self.jumps(child, around));
    }
}
