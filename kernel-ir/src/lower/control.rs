//! Blocks, branches and loops, and where their values go.

use crate::ir::{self, BinaryOp, Block, ExprId, ExprKind, LoopId, Pattern, Stmt as IrStmt, Type};
use crate::source::SiteKind;

use super::function::{Declared, Lowering};
use super::value::Value;
use super::{Expr, Header, Label, Named, Operator, Prefix, StmtKind};

/// Where the value of an expression goes.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// Nowhere.
    Discard,
    /// Into these variables, which the expression does not read after it has written to them.
    Vars(Value),
    /// Out of the function.
    Return,
}

/// A loop while its body is lowered.
pub(super) struct Loop {
    id: LoopId,
    /// Where the value of a `break` goes.
    target: Target,
    /// The label at the end of the body, once a `continue` of an inner loop needs it.
    next: Option<Label>,
    /// The label behind the loop, once a `break` of an inner loop needs it.
    end: Option<Label>,
}

impl Lowering<'_, '_> {
    /// The statements of a block, and its value to the target. User variables have distinct names in C, so a block
    /// needs no braces of its own.
    pub(super) fn block(&mut self, block: &Block, target: &Target) {
        self.stmts(block);
        match block.tail {
            Some(tail) => self.at_line(self.expr(tail).span, |this| this.into(tail, target)),
            None => self.give(Value::Unit, false, target),
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
            Pattern::Wild => {}
            Pattern::Local(local) => {
                self.locals[local.index()] = self.declared_local(*local);
            }
            Pattern::Tuple(parts) => parts.iter().for_each(|part| self.declare(part)),
        }
    }

    fn declare_vars(&mut self, value: &Value) {
        let mut vars = Vec::new();
        value.leaves(&mut |leaf| {
            if let Expr::Var(var) = leaf {
                vars.push(*var);
            }
        });
        for var in vars {
            self.push(StmtKind::Declare { var, init: None });
        }
    }

    /// Lowers an expression and brings its value to the target.
    pub(super) fn into(&mut self, id: ExprId, target: &Target) {
        let expr = self.expr(id);
        match &expr.kind {
            ExprKind::Block(block) => self.block(block, target),
            ExprKind::If { condition, then, otherwise } => {
                let valued = !matches!(target, Target::Discard);
                if valued && self.plain_size(id).is_some() {
                    let (value, effect) = self.root(id);
                    return self.give(value, effect, target);
                }
                let leaves = !self.loops.is_empty()
                    && (self.leaves(then) || otherwise.is_some_and(|otherwise| *self.ty(otherwise) == Type::Never));
                let outer = std::mem::replace(&mut self.leaving, leaves);
                let condition = self.value(*condition).expr();
                self.leaving = outer;
                let (then, ()) = self.scope(|this| this.block(then, target));
                let (otherwise, ()) = self.scope(|this| match otherwise {
                    Some(otherwise) => this.at_line(this.expr(*otherwise).span, |this| this.into(*otherwise, target)),
                    None => this.give(Value::Unit, false, target),
                });
                self.if_else(condition, then, otherwise);
            }
            ExprKind::Loop { id, body } => self.lower_loop(
                *id,
                target,
                |_| Header::Forever,
                |this| {
                    this.block(body, &Target::Discard);
                },
            ),
            ExprKind::While { id, condition, body } => self.while_loop(*id, *condition, body),
            ExprKind::For { id, local, range, body } => self.for_loop(*id, *local, range, body),
            ExprKind::Break { target: end, value } => self.break_loop(*end, *value),
            ExprKind::Continue { target: next } => self.continue_loop(*next),
            ExprKind::Return(value) => {
                if self.typed.signature.result.scalar().is_some() {
                    if let Some(value) = value {
                        self.into(*value, &Target::Return);
                    }
                } else {
                    if let Some(value) = value {
                        self.into(*value, &Target::Discard);
                    }
                    self.push(StmtKind::Return(None));
                }
            }
            ExprKind::Panic { message } => {
                let site = self.site(SiteKind::Panic(message.clone()), expr.span);
                self.push(StmtKind::Fault { site });
            }
            ExprKind::Assign { place, value } => {
                self.assign(*place, *value);
                self.give(Value::Unit, false, target);
            }
            ExprKind::AssignOp { op, place, value } => {
                self.assign_op(*op, *place, *value, expr.span);
                self.give(Value::Unit, false, target);
            }
            _ => {
                let (value, effect) = self.root(id);
                self.give(value, effect, target);
            }
        }
    }

    /// Brings a value to the target. With `effect`, it has to be evaluated exactly once and now.
    pub(super) fn give(&mut self, value: Value, effect: bool, target: &Target) {
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
            Target::Vars(vars) => self.write(vars, &value),
            Target::Return => match value {
                Value::Scalar(expr, _) => self.push(StmtKind::Return(Some(expr))),
                // Not reached, or the function returns nothing.
                Value::Never
                | Value::Unit
                | Value::Parts(_)
                | Value::Slice { .. }
                | Value::Array { .. }
                | Value::Place { .. } => {}
            },
        }
    }

    /// Assigns each part of a value to its variable.
    pub(super) fn write(&mut self, vars: &Value, value: &Value) {
        let mut places = Vec::new();
        vars.leaves(&mut |leaf| places.push(leaf.clone()));
        let mut values = Vec::new();
        value.leaves(&mut |leaf| values.push(leaf.clone()));
        for (place, value) in places.into_iter().zip(values) {
            self.push(StmtKind::Assign { place, value });
        }
    }

    /// The variables that an expression of this type gives its value to, declared.
    pub(super) fn receiver(&mut self, ty: &Type) -> Value {
        let value = self.vars_of("value", Named::ByUs, ty, Declared { constant: false, stable: true });
        self.declare_vars(&value);
        value
    }

    /// The variables of a `let`, declared without a value.
    pub(super) fn declared_local(&mut self, local: ir::LocalId) -> Value {
        let value = self.local_vars(local, self.typed.local_type(local), false);
        self.declare_vars(&value);
        value
    }

    /// `if`, with as few braces as its arms allow.
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

    /// A loop around `body`. `header` may look at the loop's body as it became.
    pub(super) fn lower_loop(
        &mut self,
        id: LoopId,
        target: &Target,
        header: impl FnOnce(&mut Self) -> Header,
        body: impl FnOnce(&mut Self),
    ) {
        self.loops.push(Loop { id, target: target.clone(), next: None, end: None });
        let (body, header) = self.scope(|this| {
            let header = header(this);
            body(this);
            header
        });
        if let Some(Loop { id: _, target: _, next, end }) = self.loops.pop() {
            self.push(StmtKind::Loop { header, body, next, end });
        }
    }

    /// Whether a block does not come to its end.
    fn leaves(&self, block: &Block) -> bool {
        let never = |id: ExprId| *self.ty(id) == Type::Never;
        block.tail.is_some_and(never)
            || block.stmts.iter().any(|stmt| match stmt {
                IrStmt::Let { pattern: _, init, span: _ } => init.is_some_and(never),
                IrStmt::Expr(id) => never(*id),
            })
    }

    fn while_loop(&mut self, id: LoopId, condition: ExprId, body: &Block) {
        // What the condition needs to do first is done at the top of each turn.
        let header = |this: &mut Self| {
            let condition = this.value(condition).expr();
            if this.out.is_empty() {
                return Header::While(condition);
            }
            let (leave, ()) = this.scope(|this| this.push(StmtKind::Break));
            this.push(StmtKind::If { condition: not(condition), then: leave, otherwise: Vec::new() });
            Header::Forever
        };
        self.lower_loop(id, &Target::Discard, header, |this| this.block(body, &Target::Discard));
    }

    fn break_loop(&mut self, id: LoopId, value: Option<ExprId>) {
        // `typify` has seen that the loop is there.
        let Some(position) = self.loops.iter().position(|around| around.id == id) else { return };
        let target = self.loops[position].target.clone();
        match value {
            Some(value) => self.into(value, &target),
            None => self.give(Value::Unit, false, &target),
        }
        if position + 1 == self.loops.len() {
            self.push(StmtKind::Break);
        } else {
            let label = self.loops[position].end.unwrap_or_else(|| self.label());
            self.loops[position].end = Some(label);
            self.push(StmtKind::Goto(label));
        }
    }

    fn continue_loop(&mut self, id: LoopId) {
        let Some(position) = self.loops.iter().position(|around| around.id == id) else { return };
        if position + 1 == self.loops.len() {
            self.push(StmtKind::Continue);
        } else {
            let label = self.loops[position].next.unwrap_or_else(|| self.label());
            self.loops[position].next = Some(label);
            self.push(StmtKind::Goto(label));
        }
    }

    fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }
}

/// The opposite of a condition. Only `==` and `!=` have an opposite for floats too.
pub(super) fn not(condition: Expr) -> Expr {
    match condition {
        Expr::Unary(Prefix::Not, operand) => *operand,
        Expr::Binary(Operator::Eq, left, right) => Expr::Binary(Operator::Ne, left, right),
        Expr::Binary(Operator::Ne, left, right) => Expr::Binary(Operator::Eq, left, right),
        condition => Expr::unary(Prefix::Not, condition),
    }
}

/// The operator that C has for one of Rust's.
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
