//! Well-formedness of a deserialised function: ids in range, operands before users, jumps inside their loops.
//!
//! Once this check has passed, every phase may index a function's tables and recurse into its expressions, patterns and
//! constants.

use crate::ir::{
    Constant, ConstantValue, ExprId, ExprKind, Filled, Function, LocalId, LoopId, Message, Pattern, Piece, SlotId,
    Span, Stmt, StructType, Type, Unroll, variant_of,
};

use super::Scope;

/// The maximum nesting depth, which bounds the recursion of all phases on any thread's stack. Hand-written code stays
/// below 50; a generated sum of this many terms is still accepted.
pub(super) const MAX_DEPTH: u32 = 400;

/// Returns whether a function is well-formed. Errors are reported to the scope.
pub(super) fn check(scope: &mut Scope<'_, '_>) -> bool {
    let function = &scope.instance.function;
    let mut check = Verifier {
        function,
        slots: &scope.instance.slots,
        used: vec![false; function.exprs.len()],
        depth: vec![1; function.exprs.len()],
        bound: vec![false; function.locals.len()],
        loops: Vec::new(),
        borrowed: vec![false; function.exprs.len()],
        problems: Vec::new(),
    };
    check.function();
    let problems = check.problems;
    let well_formed = problems.is_empty();
    for (span, message) in problems {
        scope.inconsistent(span, message);
    }
    well_formed
}

struct Verifier<'a> {
    function: &'a Function,
    slots: &'a [Filled],
    /// Whether the expression is a child of another expression or of the body. Every expression has at most one parent.
    used: Vec<bool>,
    /// The nesting depth of the expression's operands.
    depth: Vec<u32>,
    /// Whether the variable is declared by a parameter, a pattern or a `for`.
    bound: Vec<bool>,
    /// All loops and labelled blocks encountered so far.
    loops: Vec<LoopId>,
    /// Whether the expression is the direct operand of a `&` or `&mut`.
    borrowed: Vec<bool>,
    problems: Vec<(Span, String)>,
}

/// A loop or a labelled block that encloses an expression.
#[derive(Clone, Copy)]
struct Enclosing {
    id: LoopId,
    /// Whether it can be continued.
    repeats: bool,
}

impl Verifier<'_> {
    fn problem(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push((span, message.into()));
    }

    fn function(&mut self) {
        let function = self.function;
        if function.slots as usize != self.slots.len() {
            let (declared, filled) = (function.slots, self.slots.len());
            self.problem(function.span, format!("the function declares {declared} slots, but {filled} are filled"));
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
            self.operands(id, &expr.kind, expr.span);
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
        self.uses();
        // The traversal recurses, which is safe only after the checks above.
        if self.problems.is_empty() {
            for root in roots {
                self.jumps(root, &mut Vec::new());
            }
        }
    }

    fn operands(&mut self, id: ExprId, kind: &ExprKind, span: Span) {
        let mut depth = 0;
        let mut inside = Vec::new();
        kind.for_each_child(&mut |child| inside.push(child));
        for child in inside {
            if child.index() >= id.index() {
                self.problem(span, format!("{id} comes before its operand {child}"));
            } else {
                self.used_once(child, span);
                depth = depth.max(self.depth[child.index()]);
                if matches!(kind, ExprKind::Borrow { .. }) {
                    self.borrowed[child.index()] = true;
                }
            }
        }
        self.depth[id.index()] = depth + 1;
        if depth >= MAX_DEPTH {
            self.problem(span, format!("the expression nests deeper than {MAX_DEPTH} levels"));
        }
    }

    fn used_once(&mut self, id: ExprId, span: Span) {
        if std::mem::replace(&mut self.used[id.index()], true) {
            self.problem(span, format!("{id} has two parents"));
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

    /// Checks a complete pattern and the variables that it declares.
    fn pattern(&mut self, pattern: &Pattern, span: Span) {
        if self.is_pattern_well_formed(pattern, span, 0) {
            pattern.for_each_local(&mut |local| self.bind(local, span));
        }
    }

    fn is_pattern_well_formed(&mut self, pattern: &Pattern, span: Span, depth: u32) -> bool {
        if depth >= MAX_DEPTH {
            self.problem(span, format!("the pattern nests deeper than {MAX_DEPTH} levels"));
            return false;
        }
        match pattern {
            Pattern::Wild | Pattern::Local(_) | Pattern::Literal(_) => true,
            Pattern::At(_, inner) => self.is_pattern_well_formed(inner, span, depth + 1),
            Pattern::Tuple(parts) | Pattern::Array(parts) => self.are_patterns_well_formed(parts, span, depth),
            Pattern::Struct { name: _, fields } => {
                self.are_patterns_well_formed(fields.iter().map(|(_, field)| field), span, depth)
            }
            Pattern::Constant(slot) => {
                self.constant_slot(*slot, span);
                true
            }
            Pattern::Range { start, end, inclusive } => {
                if start.is_none() && end.is_none() || *inclusive && end.is_none() {
                    self.problem(span, "a range pattern has no bound");
                }
                for bound in [start, end].into_iter().flatten() {
                    match &**bound {
                        Pattern::Literal(_) => {}
                        Pattern::Constant(slot) => self.constant_slot(*slot, span),
                        _ => self.problem(span, "a range pattern has a bound that is not a constant"),
                    }
                }
                true
            }
            Pattern::Or(choices) => {
                let well_formed = self.are_patterns_well_formed(choices, span, depth);
                let mut bound = choices.iter().map(|choice| {
                    let mut locals = Vec::new();
                    choice.for_each_local(&mut |local| locals.push(local));
                    locals.sort_unstable();
                    locals
                });
                let first = bound.next();
                if first.is_none() || bound.any(|other| Some(other) != first) {
                    self.problem(span, "the alternatives of a pattern declare different variables");
                }
                well_formed
            }
        }
    }

    fn are_patterns_well_formed<'p>(
        &mut self,
        parts: impl IntoIterator<Item = &'p Pattern>,
        span: Span,
        depth: u32,
    ) -> bool {
        parts.into_iter().all(|part| self.is_pattern_well_formed(part, span, depth + 1))
    }

    /// Checks that every used variable is declared, and that every sub-slice is borrowed.
    fn uses(&mut self) {
        for (expr, borrowed) in self.function.exprs.iter().zip(self.borrowed.clone()) {
            match expr.kind {
                ExprKind::Local(local) => match self.bound.get(local.index()) {
                    Some(true) => {}
                    Some(false) => self.problem(expr.span, format!("{local} is used but never declared")),
                    None => self.problem(expr.span, format!("{local} does not exist")),
                },
                ExprKind::SubSlice { .. } if !borrowed => {
                    self.problem(expr.span, "a sub-slice is used without `&`");
                }
                _ => {}
            }
        }
    }

    /// Checks the slots, variables and loops that an expression refers to.
    fn tables(&mut self, kind: &ExprKind, span: Span) {
        match kind {
            ExprKind::Literal { value: _, slot }
            | ExprKind::Cast { operand: _, slot }
            | ExprKind::Struct { slot, name: _, fields: _, base: _ }
            | ExprKind::Repeat { value: _, slot } => self.type_slot(*slot, span),
            ExprKind::Constant(slot) => self.constant_slot(*slot, span),
            ExprKind::Call { callee, args: _ } => match self.slots.get(callee.index()) {
                Some(Filled::Callee(_)) => {}
                Some(Filled::Type(_) | Filled::Constant(_) | Filled::Operator(_)) | None => {
                    self.problem(span, format!("{callee} does not hold a callee"));
                }
            },
            ExprKind::Unary { op: _, operand: _, operator }
            | ExprKind::Binary { op: _, left: _, right: _, operator }
            | ExprKind::AssignOp { op: _, place: _, value: _, operator } => match self.slots.get(operator.index()) {
                Some(Filled::Operator(_)) => {}
                Some(Filled::Type(_) | Filled::Constant(_) | Filled::Callee(_)) | None => {
                    self.problem(span, format!("{operator} does not hold an operator"));
                }
            },
            ExprKind::Labelled { id, body: _ } => self.new_loop(*id, Unroll::Undecided, span),
            ExprKind::Loop { id, body: _, unroll } | ExprKind::While { id, condition: _, body: _, unroll } => {
                self.new_loop(*id, *unroll, span);
            }
            ExprKind::For { id, sequence, body: _, unroll } => {
                self.new_loop(*id, *unroll, span);
                sequence.for_each_local(&mut |local| self.bind(local, span));
            }
            ExprKind::Match { scrutinee: _, arms } => arms.iter().for_each(|arm| self.pattern(&arm.pattern, span)),
            ExprKind::Array(elements) if elements.is_empty() => self.problem(span, "an array has no type"),
            ExprKind::Panic(message) | ExprKind::Print(message) => self.message(message, span),
            ExprKind::Local(_)
            | ExprKind::Logical { .. }
            | ExprKind::Index { .. }
            | ExprKind::SubSlice { .. }
            | ExprKind::Field { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Borrow { .. }
            | ExprKind::Deref(_)
            | ExprKind::Block(_)
            | ExprKind::If { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. } => {}
        }
        if let Some(block) = kind.block() {
            self.patterns(&block.stmts);
        }
    }

    fn message(&mut self, message: &Message, span: Span) {
        let Message { pieces, args } = message;
        for piece in pieces {
            match piece {
                Piece::Text(_) => {}
                Piece::Number { position, format: _ } => {
                    if *position as usize >= args.len() {
                        self.problem(
                            span,
                            format!("a message with {} arguments refers to argument {position}", args.len()),
                        );
                    }
                }
            }
        }
    }

    fn new_loop(&mut self, id: LoopId, unroll: Unroll, span: Span) {
        if self.loops.contains(&id) {
            self.problem(span, format!("two loops are {id}"));
        }
        self.loops.push(id);
        if unroll == Unroll::By(0) {
            self.problem(span, "a loop is unrolled by a factor of zero");
        }
    }

    fn type_slot(&mut self, slot: SlotId, span: Span) {
        match self.slots.get(slot.index()) {
            Some(Filled::Type(_)) => {}
            Some(Filled::Callee(_) | Filled::Constant(_) | Filled::Operator(_)) | None => {
                self.problem(span, format!("{slot} does not hold a type"));
            }
        }
    }

    fn constant_slot(&mut self, slot: SlotId, span: Span) {
        match self.slots.get(slot.index()) {
            Some(Filled::Constant(Constant { ty, value })) => {
                if !is_value(ty, value) {
                    self.problem(span, format!("{slot} does not hold a `{ty}`"));
                }
            }
            Some(Filled::Type(_) | Filled::Callee(_) | Filled::Operator(_)) | None => {
                self.problem(span, format!("{slot} does not hold a constant"));
            }
        }
    }

    /// Checks that every `break` and `continue` inside `id` is enclosed by its target loop.
    fn jumps(&mut self, id: ExprId, enclosing: &mut Vec<Enclosing>) {
        let function = self.function;
        let expr = function.expr(id);
        let inside = match &expr.kind {
            ExprKind::Break { target, value: _ } => {
                if !enclosing.iter().any(|enclosing| enclosing.id == *target) {
                    self.problem(expr.span, format!("{target} does not enclose the jump to it"));
                }
                None
            }
            ExprKind::Continue { target } => {
                match enclosing.iter().find(|enclosing| enclosing.id == *target) {
                    Some(Enclosing { id: _, repeats: true }) => {}
                    Some(Enclosing { id: _, repeats: false }) => {
                        self.problem(expr.span, format!("{target} cannot be continued"));
                    }
                    None => self.problem(expr.span, format!("{target} does not enclose the jump to it")),
                }
                None
            }
            ExprKind::For { id, sequence, body, unroll: _ } => {
                sequence.for_each_child(&mut |part| self.jumps(part, enclosing));
                enclosing.push(Enclosing { id: *id, repeats: true });
                body.for_each_child(&mut |child| self.jumps(child, enclosing));
                enclosing.pop();
                return;
            }
            ExprKind::Labelled { id, body: _ } => Some(Enclosing { id: *id, repeats: false }),
            ExprKind::Loop { id, body: _, unroll: _ } | ExprKind::While { id, condition: _, body: _, unroll: _ } => {
                Some(Enclosing { id: *id, repeats: true })
            }
            _ => None,
        };
        enclosing.extend(inside);
        expr.kind.for_each_child(&mut |child| self.jumps(child, enclosing));
        if inside.is_some() {
            enclosing.pop();
        }
    }
}

/// Returns whether a value has the structure and the range of its type.
fn is_value(ty: &Type, value: &ConstantValue) -> bool {
    match (ty, value) {
        (Type::Scalar(scalar), ConstantValue::Bits(bits)) => {
            bits.checked_shr(scalar.bits()).unwrap_or(0) == 0 && (*ty != Type::BOOL || *bits <= 1)
        }
        (Type::Enum(choice), ConstantValue::Bits(bits)) => choice.variants.iter().any(|variant| variant.bits == *bits),
        (Type::Unit, ConstantValue::Parts(parts)) => parts.is_empty(),
        (ty, ConstantValue::Parts(_)) if ty.tag().is_some() => {
            variant_of(ty, value).is_some_and(|(_, ty, payload)| is_value(ty, payload))
        }
        (Type::Array(element, len), ConstantValue::Parts(parts)) => {
            parts.len() as u64 == *len && parts.iter().all(|part| is_value(element, part))
        }
        (Type::Tuple(types), ConstantValue::Parts(parts)) => {
            types.len() == parts.len() && types.iter().zip(parts).all(|(ty, part)| is_value(ty, part))
        }
        (Type::Struct(StructType { fields, .. }), ConstantValue::Parts(parts)) => {
            fields.len() == parts.len() && fields.iter().zip(parts).all(|(field, part)| is_value(&field.ty, part))
        }
        _ => false,
    }
}
