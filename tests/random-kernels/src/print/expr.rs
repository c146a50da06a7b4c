//! Expressions as Rust text.

use super::Printer;
use super::level::{self, ends_in_a_type, level_of, level_of_operator};
use crate::tree::{Expr, ExprKind, Head};
use crate::types::{Int, Type};

impl Printer {
    /// Writes the operand of an `if`, `while`, `for` or `match`, which counts as a statement in comparisons of faults.
    fn head(&mut self, expr: &Expr) {
        self.noting_lines(|printer| printer.expr(expr, level::JUMP + 1, false));
    }

    fn list(&mut self, open: &str, exprs: &[Expr], close: &str, expected: impl Fn(&Expr) -> bool) {
        self.put(open);
        for (i, expr) in exprs.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            self.expr(expr, 0, expected(expr));
        }
        self.put(close);
    }

    /// Writes an expression, in parentheses if its precedence is below `least`. A literal is written without a suffix
    /// if the context determines its type: if it is `expected`.
    pub(super) fn expr(&mut self, expr: &Expr, least: u8, expected: bool) {
        let level = level_of(expr);
        if level < least {
            self.put("(");
            self.bare(expr, false);
            self.put(")");
        } else {
            self.bare(expr, expected);
        }
    }

    fn bare(&mut self, expr: &Expr, expected: bool) {
        match &expr.kind {
            ExprKind::Literal(text) => {
                self.put(text);
                let constant = text.contains("::");
                if !expected && !constant && expr.ty != Type::Bool {
                    self.put(&expr.ty.to_string());
                }
            }
            ExprKind::Name(name) => self.put(name),
            ExprKind::Unary(op, operand) => {
                self.put(op);
                self.expr(operand, level::UNARY, false);
            }
            ExprKind::Binary(op, left, right) => self.binary(op, left, right),
            ExprKind::Cast(operand) => {
                self.expr(operand, level::CAST, false);
                self.put(&format!(" as {}", expr.ty));
            }
            ExprKind::Call(callee, args) => self.list(&format!("{callee}("), args, ")", |_| !callee.contains("::")),
            ExprKind::Method(receiver, name, args) => {
                self.expr(receiver, level::POSTFIX, false);
                self.list(&format!(".{name}("), args, ")", |arg| arg.ty == receiver.ty);
            }
            ExprKind::Field(base, name) => {
                self.expr(base, level::POSTFIX, false);
                self.put(&format!(".{name}"));
            }
            ExprKind::Index(base, index) => {
                self.expr(base, level::POSTFIX, false);
                self.put("[");
                self.expr(index, 0, true);
                self.put("]");
            }
            ExprKind::Let(pattern, value) => {
                self.put(&format!("let {pattern} = "));
                // `&&` would begin another condition.
                self.expr(value, level::COMPARE, false);
            }
            ExprKind::Range(start, dots, end) => {
                let both = start.as_ref().zip(end.as_ref());
                let expected = both.is_some_and(|(start, end)| start.is_literal() != end.is_literal());
                if let Some(start) = start {
                    self.expr(start, level::RANGE + 1, expected);
                }
                self.put(dots);
                if let Some(end) = end {
                    self.expr(end, level::RANGE + 1, expected);
                }
            }
            ExprKind::Tuple(parts) => self.list("(", parts, if parts.len() == 1 { ",)" } else { ")" }, |_| false),
            ExprKind::Array(elements) => self.list("[", elements, "]", |_| false),
            ExprKind::Repeat(element, len) => {
                self.put("[");
                self.expr(element, 0, false);
                self.put(&format!("; {len}]"));
            }
            ExprKind::Struct { fields, base } => self.structure(&expr.ty, fields, base.as_deref()),
            ExprKind::Borrow(mutable, place) => {
                self.put(if *mutable { "&mut " } else { "&" });
                self.expr(place, level::UNARY, false);
            }
            ExprKind::Block(_)
            | ExprKind::If { .. }
            | ExprKind::Match { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Labelled(..) => self.block_like(expr),
            ExprKind::Jump { word, label, value } => {
                self.put(word);
                if let Some(label) = label {
                    self.put(&format!(" '{label}"));
                }
                if let Some(value) = value {
                    self.put(" ");
                    self.expr(value, level::JUMP + 1, false);
                }
            }
            ExprKind::Macro(name, args, rest) => {
                self.list(&format!("{name}!("), args, "", |_| false);
                if let Some(rest) = rest {
                    self.put(if args.is_empty() { "" } else { ", " });
                    self.put(rest);
                }
                self.put(")");
            }
        }
    }

    /// Writes an expression that ends with a brace.
    fn block_like(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { condition, then, otherwise } => {
                self.put("if ");
                self.head(condition);
                self.put(" ");
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.put(" else ");
                    match otherwise.value.as_deref() {
                        Some(chained @ Expr { kind: ExprKind::If { .. }, .. }) if otherwise.stmts.is_empty() => {
                            self.bare(chained, false);
                        }
                        _ => self.block(otherwise),
                    }
                }
            }
            ExprKind::Match { scrutinee, arms } => {
                self.put("match ");
                self.head(scrutinee);
                self.put(" {");
                self.end();
                self.indent += 1;
                for arm in arms {
                    self.put(&arm.pattern);
                    if let Some(guard) = &arm.guard {
                        self.put(" if ");
                        self.head(guard);
                    }
                    self.put(" => ");
                    self.block(&arm.body);
                    self.end();
                }
                self.indent -= 1;
                self.put("}");
            }
            ExprKind::Loop { unroll, label, head, body } => {
                match unroll {
                    Some(0) => self.put("#[unroll] "),
                    Some(turns) => self.put(&format!("#[unroll({turns})] ")),
                    None => {}
                }
                if let Some(label) = label {
                    self.put(&format!("'{label}: "));
                }
                match head {
                    Head::Loop => self.put("loop "),
                    Head::While(condition) => {
                        self.put("while ");
                        self.head(condition);
                        self.put(" ");
                    }
                    Head::For { pattern, sequence } => {
                        self.put(&format!("for {pattern} in "));
                        self.head(sequence);
                        self.put(" ");
                    }
                }
                self.block(body);
            }
            ExprKind::Labelled(label, block) => {
                self.put(&format!("'{label}: "));
                self.block(block);
            }
            _ => {}
        }
    }

    fn binary(&mut self, op: &str, left: &Expr, right: &Expr) {
        let level = level_of_operator(op);
        // Comparisons do not chain, and `x as T < y` would be the start of generic arguments.
        let comparing = level == level::COMPARE;
        let cut = op.starts_with('<') && ends_in_a_type(left);
        let left_least = if cut { level::ATOM } else { level + u8::from(comparing || level == level::ASSIGN) };
        let knows_left = comparing && left.is_literal() && !right.is_literal();
        self.expr(left, left_least, knows_left);
        self.put(&format!(" {op} "));
        // A shift amount may have any type; without a suffix it is an `i32`.
        let shifts = op.contains("<<") || op.contains(">>");
        let knows_right =
            if shifts { right.ty == Type::Int(Int::I32) } else { !left.is_literal() && right.ty == left.ty };
        self.expr(right, if level == level::ASSIGN { 0 } else { level + 1 }, knows_right);
    }

    fn structure(&mut self, ty: &Type, fields: &[(String, Expr)], base: Option<&Expr>) {
        if let Type::Struct(structure) = ty
            && structure.is_tuple()
        {
            self.put(&format!("{ty}("));
            for (i, (_, value)) in fields.iter().enumerate() {
                self.put(if i == 0 { "" } else { ", " });
                self.expr(value, 0, false);
            }
            return self.put(")");
        }
        self.put(&format!("{ty} {{ "));
        for (name, value) in fields {
            match &value.kind {
                ExprKind::Name(variable) if variable == name => self.put(name),
                _ => {
                    self.put(&format!("{name}: "));
                    self.expr(value, 0, true);
                }
            }
            self.put(", ");
        }
        if let Some(base) = base {
            self.put("..");
            self.expr(base, 0, false);
            self.put(" ");
        }
        self.put("}");
    }
}
