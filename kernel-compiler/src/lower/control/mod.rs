//! Lowering of blocks, branches and loops, and of the destinations of their values.

mod choice;

use crate::ir::{self, BinaryOp, Block, ExprId, ExprKind, LoopId, Pattern, Stmt as IrStmt, Type, Unroll};

use super::function::Lowering;
use super::passes::unroll;
use super::target::{Loop, Target};
use super::types::is_empty;
use super::value::Value;
use super::variable::Declared;
use super::{Expr, Header, Label, NameOrigin, Op, Operator, Prefix, StmtKind};

impl Lowering<'_, '_> {
    /// Lowers the statements of a block, and its value into the target. The user's variables have distinct names in C,
    /// so a block needs no braces of its own.
    pub(super) fn block(&mut self, block: &Block, target: &Target) {
        self.stmts(block);
        match block.tail {
            Some(tail) => self.at_line(self.expr(tail).span, |this| this.into(tail, target)),
            None => self.store(Value::Unit, false, target),
        }
    }

    pub(super) fn stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                IrStmt::Let { pattern, init, span } => {
                    self.at_line(*span, |this| match init {
                        Some(init) => this.bind(pattern, *init),
                        None => this.declare(pattern),
                    });
                }
                IrStmt::Expr(expr) => self.at_line(self.expr(*expr).span, |this| this.into(*expr, &Target::Discard)),
            }
        }
    }

    /// `let x;`
    fn declare(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Local(local) => {
                self.locals[local.index()] = self.declared_local(*local);
            }
            Pattern::Tuple(parts) | Pattern::Array(parts) => parts.iter().for_each(|part| self.declare(part)),
            Pattern::Struct { name: _, fields } => fields.iter().for_each(|(_, field)| self.declare(field)),
            // `let _;`, and patterns that Rust does not allow without an initialiser.
            Pattern::Wild
            | Pattern::At(..)
            | Pattern::Literal(_)
            | Pattern::Constant(_)
            | Pattern::Range { .. }
            | Pattern::Or(_) => {}
        }
    }

    fn declare_vars(&mut self, value: &Value) {
        let mut vars = Vec::new();
        value.leaves(&mut |leaf| match leaf {
            Expr::Var(var) => vars.push(*var),
            // A reference that is chosen at run time is represented by a pointer.
            Expr::Deref(pointer) => {
                if let Expr::Var(var) = **pointer {
                    vars.push(var);
                }
            }
            _ => {}
        });
        for var in vars {
            self.push(StmtKind::Declare { var, init: None });
        }
    }

    /// Lowers an expression and stores its value in the target.
    pub(super) fn into(&mut self, id: ExprId, target: &Target) {
        let expr = self.expr(id);
        match &expr.kind {
            ExprKind::Block(block) => self.block(block, target),
            ExprKind::If { condition, then, otherwise } => match self.typed.constant_bool(*condition) {
                Some(true) => self.block(then, target),
                Some(false) => self.otherwise(*otherwise, target),
                None => {
                    let valued = !matches!(target, Target::Discard);
                    if valued && self.plain_size(id).is_some() {
                        let (value, effect) = self.root(id);
                        return self.store(value, effect, target);
                    }
                    self.branch(*condition, then, *otherwise, target);
                }
            },
            ExprKind::Match { scrutinee, arms } => self.match_(*scrutinee, arms, target),
            ExprKind::Labelled { id, body } => self.labelled(*id, body, target),
            ExprKind::Loop { id, body, unroll } => self.lower_loop(
                (*id, *unroll),
                target,
                |_| Header::open(None, Op::KeepLoop),
                |this| {
                    this.block(body, &Target::Discard);
                    false
                },
            ),
            ExprKind::While { id, condition, body, unroll } => self.while_loop((*id, *unroll), *condition, body),
            ExprKind::For { id, sequence, body, unroll } => self.for_loop((*id, *unroll), sequence, body),
            ExprKind::Break { target: end, value } => self.break_loop(*end, *value),
            ExprKind::Continue { target: next } => self.continue_loop(*next),
            ExprKind::Return(value) => {
                let returns = !is_empty(&self.typed.signature.result);
                if let Some(value) = value {
                    self.into(*value, if returns { &Target::Return } else { &Target::Discard });
                }
                if !returns {
                    self.push(StmtKind::Return(None));
                }
            }
            ExprKind::Panic(message) => self.panic(message, expr.span),
            ExprKind::Print(message) => {
                self.print(message, expr.span);
                self.store(Value::Unit, false, target);
            }
            ExprKind::Assign { place, value } => {
                self.assign(*place, *value);
                self.store(Value::Unit, false, target);
            }
            ExprKind::AssignOp { op, place, value, operator } => {
                self.assign_op(*op, *place, *value, *operator, expr.span);
                self.store(Value::Unit, false, target);
            }
            _ => {
                let (value, effect) = self.root(id);
                self.store(value, effect, target);
            }
        }
    }

    fn branch(&mut self, condition: ExprId, then: &Block, otherwise: Option<ExprId>, target: &Target) {
        let condition = self.value(condition).expr();
        let (then, ()) = self.scope(|this| this.block(then, target));
        let (otherwise, ()) = self.scope(|this| this.otherwise(otherwise, target));
        self.if_else(condition, then, otherwise);
    }

    fn otherwise(&mut self, otherwise: Option<ExprId>, target: &Target) {
        match otherwise {
            Some(otherwise) => self.at_line(self.expr(otherwise).span, |this| this.into(otherwise, target)),
            None => self.store(Value::Unit, false, target),
        }
    }

    /// Stores a value in the target. If `effect` is set, it has to be evaluated exactly once, and now.
    pub(super) fn store(&mut self, value: Value, effect: bool, target: &Target) {
        match target {
            Target::Discard => {
                let mut leaves = Vec::new();
                value.leaves(&mut |leaf| leaves.push(leaf.clone()));
                for leaf in leaves {
                    if effect || self.can_fault(&leaf) {
                        self.push(StmtKind::Expr(leaf));
                    }
                }
            }
            Target::Vars(vars) => {
                let value = if effect && matches!(vars, Value::Parts(_)) { self.perform(value) } else { value };
                self.write(vars, value);
            }
            Target::Return => {
                let typed = self.typed;
                if let Some(value) = self.whole(value, &typed.signature.result) {
                    self.push(StmtKind::Return(Some(value)));
                }
            }
        }
    }

    /// Declares the variables that receive the value of an expression of this type.
    pub(super) fn result_vars(&mut self, ty: &Type) -> Value {
        let value =
            self.vars_of("value", NameOrigin::Compiler, ty, Declared { constant: false, stable: true, split: true });
        self.declare_vars(&value);
        value
    }

    /// Declares the variables of a `let` without an initialiser.
    pub(super) fn declared_local(&mut self, local: ir::LocalId) -> Value {
        let value = self.local_vars(local, self.typed.local_type(local), false);
        self.declare_vars(&value);
        value
    }

    /// Emits an `if`, omitting empty branches.
    pub(super) fn if_else(&mut self, condition: Expr, then: Vec<super::Stmt>, otherwise: Vec<super::Stmt>) {
        match (then.is_empty(), otherwise.is_empty()) {
            (true, true) => {
                if self.can_fault(&condition) {
                    self.push(StmtKind::Expr(condition));
                }
            }
            (true, false) => self.push(StmtKind::If { condition: not(condition), then: otherwise, otherwise: then }),
            (false, _) => self.push(StmtKind::If { condition, then, otherwise }),
        }
    }

    /// Emits a loop around `body`, which returns whether the loop is proved to terminate.
    pub(super) fn lower_loop(
        &mut self,
        (id, unroll): (LoopId, Unroll),
        target: &Target,
        header: impl FnOnce(&mut Self) -> Header,
        body: impl FnOnce(&mut Self) -> bool,
    ) {
        self.enter(id, true, target);
        let (body, header) = self.scope(|this| {
            let header = header(this);
            let terminates = body(this);
            this.open_header(header, terminates, &this.out)
        });
        if let Some(Loop { next, end, .. }) = self.loops.pop() {
            let unroll = unroll::factor(unroll, &header, &body);
            self.push(StmtKind::Loop { header, body, next, end, unroll });
        }
    }

    fn enter(&mut self, id: LoopId, repeats: bool, target: &Target) {
        let switches = self.switches;
        self.loops.push(Loop { id, repeats, switches, target: target.clone(), next: None, end: None });
    }

    /// `'label: { .. }`
    fn labelled(&mut self, id: LoopId, body: &Block, target: &Target) {
        self.enter(id, false, target);
        let (body, ()) = self.scope(|this| this.block(body, target));
        match self.loops.pop().and_then(|block| block.end) {
            Some(end) => self.push(StmtKind::Block { body, end }),
            None => body.into_iter().for_each(|stmt| self.append(stmt)),
        }
    }

    fn while_loop(&mut self, id: (LoopId, Unroll), condition: ExprId, body: &Block) {
        // The body need not compile.
        if self.typed.constant_bool(condition) == Some(false) {
            return;
        }
        // Statements that the condition requires are executed at the top of each iteration.
        let header = |this: &mut Self| {
            let condition = this.value(condition).expr();
            if this.out.is_empty() {
                return Header::open(Some(condition), Op::KeepLoop);
            }
            let (leave, ()) = this.scope(|this| this.push(StmtKind::Break));
            this.push(StmtKind::If { condition: not(condition), then: leave, otherwise: Vec::new() });
            Header::open(None, Op::KeepLoop)
        };
        self.lower_loop(id, &Target::Discard, header, |this| {
            this.block(body, &Target::Discard);
            this.terminates(id.0, condition, body)
        });
    }

    fn break_loop(&mut self, id: LoopId, value: Option<ExprId>) {
        // `typify` has checked that the target exists.
        let Some(position) = self.loops.iter().position(|enclosing| enclosing.id == id) else { return };
        let target = self.loops[position].target.clone();
        match value {
            Some(value) => self.into(value, &target),
            None => self.store(Value::Unit, false, &target),
        }
        let enclosing = &self.loops[position];
        if enclosing.repeats && self.is_innermost(position) && enclosing.switches == self.switches {
            self.push(StmtKind::Break);
        } else {
            let label = self.loops[position].end.unwrap_or_else(|| self.label("end"));
            self.loops[position].end = Some(label);
            self.push(StmtKind::Goto(label));
        }
    }

    fn continue_loop(&mut self, id: LoopId) {
        let Some(position) = self.loops.iter().position(|enclosing| enclosing.id == id) else { return };
        if self.is_innermost(position) {
            self.push(StmtKind::Continue);
        } else {
            let label = self.loops[position].next.unwrap_or_else(|| self.label("next"));
            self.loops[position].next = Some(label);
            self.push(StmtKind::Goto(label));
        }
    }
    /// Returns whether no other loop is inside the one at this depth.
    fn is_innermost(&self, position: usize) -> bool {
        !self.loops[position + 1..].iter().any(|enclosing| enclosing.repeats)
    }

    pub(super) fn label(&mut self, name: &'static str) -> Label {
        self.labels += 1;
        Label { name, number: self.labels }
    }
}

/// Returns the negation of a condition. For floats, only `==` and `!=` can be negated by changing the operator.
pub(super) fn not(condition: Expr) -> Expr {
    match condition {
        Expr::Unary(Prefix::Not, operand) => *operand,
        Expr::Binary(Operator::Eq, left, right) => Expr::Binary(Operator::Ne, left, right),
        Expr::Binary(Operator::Ne, left, right) => Expr::Binary(Operator::Eq, left, right),
        condition => Expr::unary(Prefix::Not, condition),
    }
}

/// Returns the C operator of a binary operator.
pub(super) fn operator(op: BinaryOp) -> Operator {
    match op {
        BinaryOp::Add => Operator::Add,
        BinaryOp::Sub => Operator::Sub,
        BinaryOp::Mul => Operator::Mul,
        BinaryOp::Div => Operator::Div,
        BinaryOp::Rem => Operator::Rem,
        BinaryOp::BitAnd => Operator::And,
        BinaryOp::BitOr => Operator::Or,
        BinaryOp::BitXor => Operator::Xor,
        BinaryOp::Shl => Operator::Shl,
        BinaryOp::Shr => Operator::Shr,
        BinaryOp::Eq => Operator::Eq,
        BinaryOp::Ne => Operator::Ne,
        BinaryOp::Lt => Operator::Lt,
        BinaryOp::Le => Operator::Le,
        BinaryOp::Gt => Operator::Gt,
        BinaryOp::Ge => Operator::Ge,
    }
}
