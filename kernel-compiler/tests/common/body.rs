//! Statements and expressions, and their types as far as they are needed to build the IR.

use cumbia_kernel_ir::{
    Adapter, Arm, BinaryOp, Block, Expr, ExprId, ExprKind, Filled, Literal, Local, LocalId, LogicalOp, LoopId, Message,
    Range, Scalar, Sequence, SlotId, Span, Stmt, Type, UnaryOp, Unroll,
};

use super::items::{Items, member, scalar};
use super::span;

/// A function under construction.
pub(super) struct Builder<'a> {
    pub(super) items: &'a Items,
    /// The type of the function's result.
    result: Option<Type>,
    pub(super) locals: Vec<Local>,
    pub(super) exprs: Vec<Expr>,
    /// The known type of each expression.
    pub(super) types: Vec<Option<Type>>,
    pub(super) slots: Vec<Filled>,
    pub(super) scope: Vec<(String, LocalId)>,
    loops: Vec<(Option<String>, LoopId)>,
    loop_count: u32,
    /// The values with which a loop is left.
    pub(super) breaks: Vec<(LoopId, ExprId)>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(items: &'a Items, result: Option<Type>) -> Builder<'a> {
        Builder {
            items,
            result,
            locals: Vec::new(),
            exprs: Vec::new(),
            types: Vec::new(),
            slots: Vec::new(),
            scope: Vec::new(),
            loops: Vec::new(),
            loop_count: 0,
            breaks: Vec::new(),
        }
    }

    pub(super) fn slot(&mut self, filled: Filled) -> SlotId {
        self.slots.push(filled);
        SlotId(self.slots.len() as u32 - 1)
    }

    pub(super) fn type_slot(&mut self, ty: Type) -> SlotId {
        self.slot(Filled::Type(ty))
    }

    pub(super) fn slot_type(&self, slot: SlotId) -> Type {
        match &self.slots[slot.index()] {
            Filled::Type(ty) => ty.clone(),
            _ => panic!("expected a type"),
        }
    }

    pub(super) fn local(&mut self, name: &str, mutable: bool, ty: Type) -> LocalId {
        let slot = self.type_slot(ty);
        let name = name.trim_start_matches("r#").to_owned();
        self.locals.push(Local { name: name.clone(), mutable, slot });
        let id = LocalId(self.locals.len() as u32 - 1);
        self.scope.push((name, id));
        id
    }

    pub(super) fn local_type(&self, id: LocalId) -> &Type {
        match &self.slots[self.locals[id.index()].slot.index()] {
            Filled::Type(ty) => ty,
            _ => panic!("expected a type"),
        }
    }

    pub(super) fn named(&self, name: &str) -> Option<LocalId> {
        let name = name.trim_start_matches("r#");
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, id)| *id)
    }

    pub(super) fn param(&mut self, input: &syn::FnArg) -> LocalId {
        match input {
            syn::FnArg::Typed(input) => {
                let syn::Pat::Ident(name) = &*input.pat else { panic!("unsupported pattern as parameter") };
                let ty = self.items.ty(&input.ty);
                self.local(&name.ident.to_string(), name.mutability.is_some(), ty)
            }
            syn::FnArg::Receiver(receiver) => {
                let own = self.items.owner.clone().expect("an `impl`");
                let ty = match &receiver.kind {
                    syn::ReceiverKind::Value => own,
                    syn::ReceiverKind::Reference(_, _, mutable) => {
                        Type::Ref { target: Box::new(own), mutable: mutable.is_some() }
                    }
                    _ => panic!("unsupported receiver"),
                };
                self.local("self", receiver.mutability.is_some(), ty)
            }
        }
    }

    pub(super) fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let ty = self.infer(&kind);
        self.exprs.push(Expr { kind, span });
        self.types.push(ty);
        ExprId(self.exprs.len() as u32 - 1)
    }

    pub(super) fn block(&mut self, block: &syn::Block) -> Block {
        self.block_as(block, None)
    }

    pub(super) fn block_as(&mut self, block: &syn::Block, expected: Option<&Type>) -> Block {
        let depth = self.scope.len();
        let mut result = Block::default();
        for (i, stmt) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            match stmt {
                syn::Stmt::Local(local) => {
                    let of = match &local.pat {
                        syn::Pat::Type(typed) => Some(self.items.ty(&typed.ty)),
                        _ => None,
                    };
                    let init = local.init.as_ref().map(|init| self.expr_as(&init.expr, of.as_ref()));
                    let of = of.or_else(|| init.and_then(|init| self.of(init).cloned()));
                    let pattern = self.pattern(&local.pat, of.as_ref());
                    result.stmts.push(Stmt::Let { pattern, init, span: span(local) });
                }
                syn::Stmt::Expr(expr, None) if last => result.tail = Some(self.expr_as(expr, expected)),
                syn::Stmt::Expr(expr, _) => {
                    let id = self.expr(expr);
                    result.stmts.push(Stmt::Expr(id));
                }
                syn::Stmt::Macro(call) => {
                    let id = self.macro_call(&call.mac, span(call));
                    result.stmts.push(Stmt::Expr(id));
                }
                syn::Stmt::Item(_) => panic!("expected an item"),
            }
        }
        self.scope.truncate(depth);
        result
    }

    fn loop_id(&mut self, label: Option<&syn::Label>) -> LoopId {
        let id = LoopId(self.loop_count);
        self.loop_count += 1;
        self.loops.push((label.map(|label| label.name.ident.to_string()), id));
        id
    }

    fn target(&self, label: Option<&syn::Lifetime>) -> LoopId {
        let found = match label {
            None => self.loops.last(),
            Some(label) => self.loops.iter().rev().find(|(name, _)| name.as_deref() == Some(&label.ident.to_string())),
        };
        found.expect("a loop").1
    }

    /// Builds a literal with its type. A leading minus is part of the literal.
    pub(super) fn literal(lit: &syn::Lit, negated: bool, expected: Option<&Type>) -> (Literal, Scalar) {
        let signed = |digits: &str| if negated { format!("-{digits}") } else { digits.to_owned() };
        let expected = expected.and_then(Type::scalar);
        match lit {
            syn::Lit::Int(int) if scalar(int.suffix()).is_some_and(Scalar::is_float) => {
                (Literal::Float(signed(int.base10_digits())), scalar(int.suffix()).unwrap())
            }
            syn::Lit::Int(int) => {
                let digits = int.base10_digits();
                let negative = negated || digits.starts_with('-');
                let magnitude = digits.trim_start_matches('-').parse().unwrap();
                let of = scalar(int.suffix()).or(expected.filter(|of| of.is_integer()));
                (Literal::Int { magnitude, negative }, of.unwrap_or(Scalar::Usize))
            }
            syn::Lit::Float(float) => {
                let of = scalar(float.suffix()).or(expected.filter(|of| of.is_float()));
                (Literal::Float(signed(float.base10_digits())), of.unwrap_or(Scalar::F32))
            }
            syn::Lit::Bool(value) => (Literal::Bool(value.value), Scalar::Bool),
            _ => panic!("unsupported literal"),
        }
    }

    fn push_literal(&mut self, lit: &syn::Lit, negated: bool, expected: Option<&Type>, at: Span) -> ExprId {
        let (value, of) = Self::literal(lit, negated, expected);
        let slot = self.type_slot(Type::Scalar(of));
        self.push(ExprKind::Literal { value, slot }, at)
    }

    pub(super) fn expr(&mut self, expr: &syn::Expr) -> ExprId {
        self.expr_as(expr, None)
    }

    fn optional(&mut self, expr: Option<&syn::Expr>, expected: Option<&Type>) -> Option<ExprId> {
        expr.map(|expr| self.expr_as(expr, expected))
    }

    /// Builds an expression. `expected` is the type of literals without a suffix.
    #[allow(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    pub(super) fn expr_as(&mut self, expr: &syn::Expr, expected: Option<&Type>) -> ExprId {
        let at = span(expr);
        let kind = match expr {
            syn::Expr::Paren(inner) => return self.expr_as(&inner.expr, expected),
            syn::Expr::Group(inner) => return self.expr_as(&inner.expr, expected),
            syn::Expr::Lit(lit) => return self.push_literal(&lit.lit, false, expected, at),
            syn::Expr::Macro(call) => return self.macro_call(&call.mac, at),
            syn::Expr::Path(path) => self.path(&path.path),
            syn::Expr::Unary(syn::ExprUnary { op, expr, .. }) => match (op, &**expr) {
                (syn::UnOp::Neg(_), syn::Expr::Lit(lit)) => return self.push_literal(&lit.lit, true, expected, at),
                (syn::UnOp::Neg(_), operand) => self.unary(UnaryOp::Neg, operand, expected),
                (syn::UnOp::Not(_), operand) => self.unary(UnaryOp::Not, operand, expected),
                (syn::UnOp::Deref(_), operand) => ExprKind::Deref(self.expr(operand)),
                _ => panic!("unsupported unary operator"),
            },
            syn::Expr::Binary(binary) => self.binary(binary, expected),
            syn::Expr::Cast(cast) => {
                let operand = self.expr(&cast.expr);
                let slot = self.type_slot(self.items.ty(&cast.ty));
                ExprKind::Cast { operand, slot }
            }
            syn::Expr::Index(index) => self.index(index),
            syn::Expr::Field(field) => {
                let base = self.expr(&field.base);
                ExprKind::Field { base, name: member(&field.member) }
            }
            syn::Expr::Tuple(parts) => {
                let types = match expected {
                    Some(Type::Tuple(types)) => types.clone(),
                    _ => Vec::new(),
                };
                let parts = parts.elems.iter().enumerate();
                ExprKind::Tuple(parts.map(|(i, part)| self.expr_as(part, types.get(i))).collect())
            }
            syn::Expr::Array(array) => {
                let element = match expected {
                    Some(Type::Array(element, _)) => Some((**element).clone()),
                    _ => array.elems.iter().find_map(|element| self.infer_early(element)),
                };
                ExprKind::Array(array.elems.iter().map(|part| self.expr_as(part, element.as_ref())).collect())
            }
            syn::Expr::Repeat(repeat) => {
                let element = match expected {
                    Some(Type::Array(element, _)) => Some((**element).clone()),
                    _ => None,
                };
                let value = self.expr_as(&repeat.expr, element.as_ref());
                let element = element.or_else(|| self.of(value).cloned()).expect("the type of an element");
                let slot = self.type_slot(Type::Array(Box::new(element), self.items.len(&repeat.len)));
                ExprKind::Repeat { value, slot }
            }
            syn::Expr::Struct(literal) => self.structure(literal),
            syn::Expr::Call(call) => return self.call(call, at),
            syn::Expr::MethodCall(call) => return self.method(call, at),
            syn::Expr::Reference(reference) => {
                let expected = expected.map(Type::target);
                let place = self.expr_as(&reference.expr, expected);
                ExprKind::Borrow { place, mutable: reference.mutability.is_some() }
            }
            syn::Expr::Block(syn::ExprBlock { label: Some(label), block, .. }) => {
                let id = self.loop_id(Some(label));
                let body = self.block_as(block, expected);
                self.loops.pop();
                ExprKind::Labelled { id, body }
            }
            syn::Expr::Block(block) => ExprKind::Block(self.block_as(&block.block, expected)),
            syn::Expr::If(branch) => {
                let condition = self.expr(&branch.cond);
                let then = self.block_as(&branch.then_branch, expected);
                let otherwise = branch.else_branch.as_ref().map(|(_, otherwise)| self.expr_as(otherwise, expected));
                ExprKind::If { condition, then, otherwise }
            }
            syn::Expr::Match(matched) => self.arms(matched, expected),
            syn::Expr::Loop(looped) => {
                let id = self.loop_id(looped.label.as_ref());
                let body = self.block(&looped.body);
                self.loops.pop();
                ExprKind::Loop { id, body, unroll: unroll(&looped.attrs) }
            }
            syn::Expr::While(looped) => {
                let id = self.loop_id(looped.label.as_ref());
                let condition = self.expr(&looped.cond);
                let body = self.block(&looped.body);
                self.loops.pop();
                ExprKind::While { id, condition, body, unroll: unroll(&looped.attrs) }
            }
            syn::Expr::ForLoop(looped) => self.for_loop(looped),
            syn::Expr::Break(jump) => {
                let target = self.target(jump.label.as_ref());
                let value = self.optional(jump.expr.as_deref(), None);
                self.breaks.extend(value.map(|value| (target, value)));
                ExprKind::Break { target, value }
            }
            syn::Expr::Continue(jump) => ExprKind::Continue { target: self.target(jump.label.as_ref()) },
            syn::Expr::Return(jump) => {
                let result = self.result.clone();
                ExprKind::Return(self.optional(jump.expr.as_deref(), result.as_ref()))
            }
            syn::Expr::Assign(assign) => {
                let place = self.expr(&assign.left);
                let expected = self.of(place).cloned();
                ExprKind::Assign { place, value: self.expr_as(&assign.right, expected.as_ref()) }
            }
            _ => panic!("unsupported expression"),
        };
        self.push(kind, at)
    }

    fn path(&mut self, path: &syn::Path) -> ExprKind {
        if let Some(local) = path.get_ident().and_then(|name| self.named(&name.to_string())) {
            return ExprKind::Local(local);
        }
        let constant = self.items.constant_of(path).expect("a variable or a constant");
        ExprKind::Constant(self.slot(Filled::Constant(constant)))
    }

    pub(super) fn unary(&mut self, op: UnaryOp, operand: &syn::Expr, expected: Option<&Type>) -> ExprKind {
        let operand = self.expr_as(operand, expected);
        let name = match op {
            UnaryOp::Neg => "neg",
            UnaryOp::Not => "not",
        };
        let operator = self.operator(name, &[operand]);
        ExprKind::Unary { op, operand, operator }
    }

    /// Returns the slot of an operator, given its name in `std::ops`.
    fn operator(&mut self, name: &str, operands: &[ExprId]) -> SlotId {
        let types: Vec<Option<&Type>> = operands.iter().map(|operand| self.of(*operand)).collect();
        let function = match types[0].map(Type::target) {
            Some(Type::Struct(_)) => self.items.operator(name, &types),
            _ => None,
        };
        self.slot(Filled::Operator(function))
    }

    fn binary(&mut self, binary: &syn::ExprBinary, expected: Option<&Type>) -> ExprKind {
        use syn::BinOp as B;
        let (op, name, assigns) = match &binary.op {
            B::And(_) | B::Or(_) => {
                let (left, right) = (self.expr(&binary.left), self.expr(&binary.right));
                let op = if matches!(binary.op, B::And(_)) { LogicalOp::And } else { LogicalOp::Or };
                return ExprKind::Logical { op, left, right };
            }
            B::Add(_) => (BinaryOp::Add, "add", false),
            B::Sub(_) => (BinaryOp::Sub, "sub", false),
            B::Mul(_) => (BinaryOp::Mul, "mul", false),
            B::Div(_) => (BinaryOp::Div, "div", false),
            B::Rem(_) => (BinaryOp::Rem, "rem", false),
            B::BitAnd(_) => (BinaryOp::BitAnd, "bitand", false),
            B::BitOr(_) => (BinaryOp::BitOr, "bitor", false),
            B::BitXor(_) => (BinaryOp::BitXor, "bitxor", false),
            B::Shl(_) => (BinaryOp::Shl, "shl", false),
            B::Shr(_) => (BinaryOp::Shr, "shr", false),
            B::Eq(_) => (BinaryOp::Eq, "eq", false),
            B::Ne(_) => (BinaryOp::Ne, "eq", false),
            B::Lt(_) => (BinaryOp::Lt, "partial_cmp", false),
            B::Le(_) => (BinaryOp::Le, "partial_cmp", false),
            B::Gt(_) => (BinaryOp::Gt, "partial_cmp", false),
            B::Ge(_) => (BinaryOp::Ge, "partial_cmp", false),
            B::AddAssign(_) => (BinaryOp::Add, "add_assign", true),
            B::SubAssign(_) => (BinaryOp::Sub, "sub_assign", true),
            B::MulAssign(_) => (BinaryOp::Mul, "mul_assign", true),
            B::DivAssign(_) => (BinaryOp::Div, "div_assign", true),
            B::RemAssign(_) => (BinaryOp::Rem, "rem_assign", true),
            B::BitAndAssign(_) => (BinaryOp::BitAnd, "bitand_assign", true),
            B::BitOrAssign(_) => (BinaryOp::BitOr, "bitor_assign", true),
            B::BitXorAssign(_) => (BinaryOp::BitXor, "bitxor_assign", true),
            B::ShlAssign(_) => (BinaryOp::Shl, "shl_assign", true),
            B::ShrAssign(_) => (BinaryOp::Shr, "shr_assign", true),
            _ => panic!("unsupported operator"),
        };
        let shifts = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let expected = if op.is_comparison() { None } else { expected };
        let of_right = if shifts { None } else { self.infer_early(&binary.right) };
        let left = self.expr_as(&binary.left, expected.or(of_right.as_ref()));
        let of_left = self.of(left).cloned().filter(|_| !shifts);
        let right = self.expr_as(&binary.right, of_left.as_ref());
        let operator = self.operator(name, &[left, right]);
        if assigns {
            ExprKind::AssignOp { op, place: left, value: right, operator }
        } else {
            ExprKind::Binary { op, left, right, operator }
        }
    }

    fn index(&mut self, index: &syn::ExprIndex) -> ExprKind {
        let base = self.expr(&index.expr);
        match &*index.index {
            syn::Expr::Range(range) => {
                let start = self.optional(range.start.as_deref(), Some(&Type::USIZE));
                let end = self.optional(range.end.as_deref(), Some(&Type::USIZE));
                let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
                ExprKind::SubSlice { base, start, end, inclusive }
            }
            other => ExprKind::Index { base, index: self.expr(other) },
        }
    }

    fn structure(&mut self, literal: &syn::ExprStruct) -> ExprKind {
        let name = literal.path.segments.last().unwrap().ident.to_string();
        let ty = self.items.named(&name).expect("a struct").clone();
        let Type::Struct(structure) = &ty else { panic!("expected a struct") };
        let fields = literal.fields.iter().map(|given| {
            let name = member(&given.member);
            let of = structure.fields.iter().find(|field| field.name == name).map(|field| field.ty.clone());
            (name, self.expr_as(&given.expr, of.as_ref()))
        });
        let fields = fields.collect();
        let base = self.optional(literal.rest.as_deref(), None);
        ExprKind::Struct { slot: self.type_slot(ty), name, fields, base }
    }

    fn arms(&mut self, matched: &syn::ExprMatch, expected: Option<&Type>) -> ExprKind {
        let scrutinee = self.expr(&matched.expr);
        let of = self.of(scrutinee).cloned();
        let mut arms = Vec::new();
        for arm in &matched.arms {
            let depth = self.scope.len();
            let (pattern, guard) = match &arm.pat {
                syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
                other => (other, None),
            };
            let pattern = self.pattern(pattern, of.as_ref());
            let guard = self.optional(guard, None);
            let body = self.expr_as(&arm.body, expected);
            self.scope.truncate(depth);
            arms.push(Arm { pattern, guard, body });
        }
        ExprKind::Match { scrutinee, arms }
    }

    fn for_loop(&mut self, looped: &syn::ExprForLoop) -> ExprKind {
        let mut calls = Vec::new();
        let mut inner = &*looped.expr;
        loop {
            match inner {
                syn::Expr::Paren(paren) => inner = &paren.expr,
                syn::Expr::MethodCall(call)
                    if ["rev", "step_by", "iter", "iter_mut", "enumerate"].iter().any(|name| call.method == name) =>
                {
                    calls.push(call);
                    inner = &call.receiver;
                }
                _ => break,
            }
        }
        calls.reverse();
        let depth = self.scope.len();
        let sequence = match inner {
            syn::Expr::Range(bounds) => self.range(&looped.pat, bounds, &calls),
            of => self.elements(&looped.pat, of, &calls),
        };
        let id = self.loop_id(looped.label.as_ref());
        let body = self.block(&looped.body);
        self.loops.pop();
        self.scope.truncate(depth);
        ExprKind::For { id, sequence, body, unroll: unroll(&looped.attrs) }
    }

    fn range(&mut self, variable: &syn::Pat, bounds: &syn::ExprRange, calls: &[&syn::ExprMethodCall]) -> Sequence {
        let (start, end) = (bounds.start.as_ref().unwrap(), bounds.end.as_ref().unwrap());
        let of = self.infer_early(start).or_else(|| self.infer_early(end));
        let start = self.expr_as(start, of.as_ref());
        let end = self.expr_as(end, of.as_ref());
        let adapters = calls.iter().map(|call| match call.method.to_string().as_str() {
            "rev" => Adapter::Reversed,
            "step_by" => Adapter::StepBy(self.expr_as(&call.args[0], Some(&Type::USIZE))),
            other => panic!("unsupported method `{other}` of a range"),
        });
        let adapters = adapters.collect();
        let of = of.or_else(|| self.of(start).cloned()).unwrap_or(Type::USIZE);
        let local = self.variable(variable, of);
        let inclusive = matches!(bounds.limits, syn::RangeLimits::Closed(_));
        Sequence::Range { local, range: Range { start, end, inclusive, adapters } }
    }

    fn variable(&mut self, pattern: &syn::Pat, of: Type) -> Option<LocalId> {
        match pattern {
            syn::Pat::Wild(_) => None,
            syn::Pat::Ident(name) => Some(self.local(&name.ident.to_string(), name.mutability.is_some(), of)),
            _ => panic!("unsupported pattern of a `for`"),
        }
    }

    fn elements(&mut self, variable: &syn::Pat, of: &syn::Expr, calls: &[&syn::ExprMethodCall]) -> Sequence {
        let of = self.expr(of);
        let called = |name: &str| calls.iter().any(|call| call.method == name);
        let element = self.element(of).expect("the type of an element");
        let writes = called("iter_mut") || self.writes_through(of);
        let by_value = calls.is_empty() && matches!(self.of(of), Some(Type::Array(..)));
        let (index, variable) = match variable {
            syn::Pat::Tuple(pair) if called("enumerate") => {
                (self.variable(&pair.elems[0], Type::USIZE), &pair.elems[1])
            }
            other => (None, other),
        };
        let element = match variable {
            syn::Pat::Reference(inner) => self.variable(&inner.pat, element),
            other if by_value => self.variable(other, element),
            other => self.variable(other, Type::Ref { target: Box::new(element), mutable: writes }),
        };
        Sequence::Elements { of, index, element, reversed: called("rev") }
    }

    /// Builds a panic that is executed if a condition is false.
    pub(super) fn assert(&mut self, condition: &syn::Expr, message: Message, at: Span) -> ExprId {
        let kind = self.unary(UnaryOp::Not, condition, None);
        let condition = self.push(kind, at);
        let panic = self.push(ExprKind::Panic(message), at);
        let then = Block { stmts: vec![Stmt::Expr(panic)], tail: None };
        self.push(ExprKind::If { condition, then, otherwise: None }, at)
    }
}

/// `#[unroll]`, `#[unroll(4)]`
fn unroll(attrs: &[syn::Attribute]) -> Unroll {
    match attrs.iter().find(|attr| attr.path().is_ident("unroll")) {
        None => Unroll::Undecided,
        Some(attr) => match &attr.meta {
            syn::Meta::Path(_) => Unroll::Full,
            _ => Unroll::By(attr.parse_args::<syn::LitInt>().unwrap().base10_parse().unwrap()),
        },
    }
}
