//! Printing of expressions, with the parentheses required by precedence or by readability.

use std::fmt::Write;

use crate::coarsen::VIRTUAL_BLOCKS;
use crate::ir::{FunctionId, Scalar};
use crate::lower::{Body, CType, CallTarget, Expr, Helper, Op, Operator, Prefix, SiteRef, TypeId, TypeKind};

use super::names::Names;
use super::{Context, literal, types};
use crate::reserved;

/// The precedence of an operator in C++'s grammar (\[expr\]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// The lowest precedence.
    Any,
    Conditional,
    Either,
    Both,
    Or,
    Xor,
    And,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Prefix,
    Postfix,
}

/// The names that an expression can refer to.
#[derive(Clone, Copy)]
pub(super) struct ExprPrinter<'p> {
    pub(super) context: &'p Context<'p>,
    pub(super) names: &'p Names,
}

impl<'p> ExprPrinter<'p> {
    /// Prints a full expression that is converted to a type specified elsewhere.
    pub(super) fn top(self, expr: &Expr) -> String {
        let mut text = String::new();
        self.converted(&mut text, expr);
        text
    }

    /// Prints the initialiser of a variable whose type has been written: a struct or an array is a braced list only.
    pub(super) fn initial(self, expr: &Expr) -> String {
        let mut text = String::new();
        match expr {
            // The type of the variant selects the constructor.
            Expr::Struct(id, _) if types::is_union(self.context, *id) => self.converted(&mut text, expr),
            Expr::Struct(_, members) => self.braces(&mut text, members, ("{", "}")),
            Expr::Array(_, elements) => self.braces(&mut text, elements, ("{{", "}}")),
            expr => self.converted(&mut text, expr),
        }
        text
    }

    /// Prints members or elements, each of a type specified elsewhere.
    fn braces(self, text: &mut String, members: &[Expr], (open, close): (&str, &str)) {
        text.push_str(open);
        for (i, member) in members.iter().enumerate() {
            if i > 0 {
                text.push_str(", ");
            }
            text.push_str(&self.initial(member));
        }
        text.push_str(close);
    }

    /// Prints a full expression.
    pub(super) fn condition(self, expr: &Expr) -> String {
        let mut text = String::new();
        self.expr(&mut text, expr, Level::Any);
        text
    }

    /// Prints an expression in a context where C converts to a given type, so that literals need no suffix.
    fn converted(self, text: &mut String, expr: &Expr) {
        match expr {
            Expr::Literal(scalar, bits) => match literal::bare(*scalar, *bits) {
                Some(bare) => text.push_str(&bare),
                None => self.expr(text, expr, Level::Any),
            },
            expr => self.expr(text, expr, Level::Any),
        }
    }

    fn expr(self, text: &mut String, expr: &Expr, at_least: Level) {
        let parentheses = level(expr) < at_least;
        if parentheses {
            text.push('(');
        }
        match expr {
            Expr::Var(var) => text.push_str(&self.names.vars[var.index()]),
            Expr::Literal(scalar, bits) => {
                let scalar = if *scalar == Scalar::Usize { self.context.module.index } else { *scalar };
                text.push_str(&literal::number(scalar, *bits));
            }
            Expr::Special(VIRTUAL_BLOCKS) => {
                let _ = write!(text, "{}.blocks", self.names.launch);
            }
            Expr::Special(name) => text.push_str(name),
            Expr::Unary(op, operand) => {
                text.push(match op {
                    Prefix::Minus => '-',
                    Prefix::BitNot => '~',
                    Prefix::Not => '!',
                });
                // `--x` would be a decrement.
                let again = matches!(**operand, Expr::Unary(Prefix::Minus, _)) || is_negative(operand);
                self.expr(text, operand, if again { Level::Postfix } else { Level::Prefix });
            }
            Expr::Binary(op, left, right) => self.binary(text, *op, left, right),
            Expr::Cast(ty, operand) => {
                text.push('(');
                text.push_str(&self.context.ctype(ty));
                text.push(')');
                self.expr(text, operand, Level::Prefix);
            }
            Expr::Conditional(condition, then, otherwise) => {
                self.expr(text, condition, Level::Either);
                text.push_str(" ? ");
                self.expr(text, then, Level::Either);
                text.push_str(" : ");
                self.expr(text, otherwise, Level::Either);
            }
            Expr::Index(base, index) => {
                self.expr(text, base, Level::Postfix);
                text.push('[');
                self.converted(text, index);
                text.push(']');
            }
            Expr::Field(base, id, position) => {
                match &**base {
                    Expr::Deref(pointer) => {
                        self.expr(text, pointer, Level::Postfix);
                        text.push_str("->");
                    }
                    base => {
                        self.expr(text, base, Level::Postfix);
                        text.push('.');
                    }
                }
                text.push_str(self.member(*id, *position));
            }
            Expr::Deref(pointer) => {
                text.push('*');
                self.expr(text, pointer, Level::Prefix);
            }
            Expr::AddressOf(place) => {
                text.push('&');
                self.expr(text, place, Level::Prefix);
            }
            Expr::Struct(id, members) => {
                text.push_str(&self.context.ctype(&CType::Named(*id)));
                match members.as_slice() {
                    [payload] if types::is_union(self.context, *id) => {
                        text.push('(');
                        self.converted(text, payload);
                        text.push(')');
                    }
                    members => self.braces(text, members, ("{", "}")),
                }
            }
            Expr::Array(element, elements) => {
                let _ = write!(text, "rt::Array<{}, {}>", self.context.ctype(element), elements.len());
                self.braces(text, elements, ("{{", "}}"));
            }
            Expr::Filled(element, len, value) => {
                let _ = write!(text, "rt::filled<{}, {len}>(", self.context.ctype(element));
                self.converted(text, value);
                text.push(')');
            }
            Expr::Variant(id, position) => text.push_str(&self.context.variant(*id, *position)),
            Expr::Constant(id) => {
                let _ = write!(text, "constants::{}", types::name(id.index()));
            }
            Expr::Call(callee, args) => self.call(text, callee, args),
        }
        if parentheses {
            text.push(')');
        }
    }

    /// Returns the name of the member that represents a field.
    fn member(self, id: TypeId, position: usize) -> &'p str {
        let TypeKind::Struct { members, layout: _ } = &self.context.module.types[id.index()].kind else { return "" };
        let member = members.iter().position(|member| member.position == position);
        member.map_or("", |member| &self.context.types.inside[id.index()][member])
    }

    fn binary(self, text: &mut String, op: Operator, left: &Expr, right: &Expr) {
        let (symbol, level) = operator(op);
        // C's precedence of these operators is surprising, and compilers warn about it: nested operators are
        // parenthesised.
        let surprising = level < Level::Sum && !matches!(op, Operator::Both | Operator::Either);
        let (left_level, right_level) = match op {
            Operator::Both => (Level::Both, Level::Or),
            // Also for `a && b || c`.
            Operator::Either => (if is(left, Operator::Both) { Level::Or } else { Level::Either }, Level::Or),
            // Comparisons of sums and products are conventional without parentheses.
            _ if matches!(level, Level::Equality | Level::Relation) => (Level::Sum, Level::Sum),
            _ if surprising => (Level::Prefix, Level::Prefix),
            _ => (level, above(level)),
        };
        // The type of the operation is determined by the other operand, except for shifts, where the left operand
        // determines it.
        let shift = matches!(op, Operator::Shl | Operator::Shr);
        let (bare_left, bare_right) = (!shift && !is_literal(right), shift || !is_literal(left));
        self.operand(text, left, left_level, bare_left);
        text.push(' ');
        text.push_str(symbol);
        text.push(' ');
        self.operand(text, right, right_level, bare_right);
    }

    fn operand(self, text: &mut String, expr: &Expr, at_least: Level, bare: bool) {
        match expr {
            Expr::Literal(scalar, bits) if bare => match literal::bare(*scalar, *bits) {
                Some(number) => text.push_str(&number),
                None => self.expr(text, expr, at_least),
            },
            expr => self.expr(text, expr, at_least),
        }
    }

    fn function(self, id: FunctionId) -> String {
        let namespace = match self.context.module.functions[&id].body {
            Body::Stmts(_) => "device",
            Body::Foreign(_) => "foreign",
        };
        format!("{namespace}::{}", self.context.functions.device[&id])
    }

    /// Returns the number of a site.
    pub(super) fn site(self, site: SiteRef) -> String {
        match site {
            SiteRef::Own(number) => number.to_string(),
            SiteRef::Caller(0) => self.names.site.clone(),
            SiteRef::Caller(number) => format!("{} + {number}", self.names.site),
        }
    }

    fn call(self, text: &mut String, callee: &CallTarget, args: &[Expr]) {
        // User-defined functions and helpers convert their arguments; CUDA's functions are overloaded.
        let (name, converts) = match callee {
            CallTarget::Helper(helper, _) => (format!("rt::{}", helper.name()), true),
            CallTarget::Builtin(name) | CallTarget::Outputs(name) | CallTarget::Effect(name) => {
                debug_assert!(
                    reserved::is_reserved(name) || name.starts_with("__"),
                    "a user's name may capture `{name}`"
                );
                ((*name).to_owned(), false)
            }
            CallTarget::Function(id, _) => (self.function(*id), true),
            CallTarget::Load { fault: _, short: true } => ("rt::load_u32".to_owned(), true),
            CallTarget::Load { fault: _, short: false } | CallTarget::LoadIf => ("rt::load".to_owned(), true),
            CallTarget::Inside { .. } => ("rt::inside".to_owned(), true),
        };
        text.push_str(&name);
        let own_fault = match callee {
            CallTarget::Helper(Helper { op: Op::At, scalar: _ }, Some(SiteRef::Own(site))) => {
                self.context.own_faults.then_some(*site)
            }
            _ => None,
        };
        if let Some(site) = own_fault {
            let _ = write!(text, "<{site}>");
        }
        text.push('(');
        let mut separator = "";
        for arg in args {
            text.push_str(separator);
            separator = ", ";
            if converts {
                self.converted(text, arg);
            } else {
                self.expr(text, arg, Level::Any);
            }
        }
        match callee {
            CallTarget::Helper(..) if own_fault.is_some() => {
                let _ = write!(text, "{separator}{}", self.names.launch);
            }
            CallTarget::Helper(_, Some(site)) | CallTarget::Function(_, Some(site)) => {
                let _ = write!(text, "{separator}{}, {}", self.site(*site), self.names.launch);
            }
            CallTarget::Function(id, None) if self.context.module.functions[id].takes_launch => {
                text.push_str(separator);
                text.push_str(&self.names.launch);
            }
            CallTarget::Load { fault, short: _ } | CallTarget::Inside { fault } => {
                text.push_str(separator);
                text.push_str(&self.names.vars[fault.index()]);
            }
            CallTarget::Helper(_, None)
            | CallTarget::Builtin(_)
            | CallTarget::Outputs(_)
            | CallTarget::Effect(_)
            | CallTarget::Function(_, None)
            | CallTarget::LoadIf => {}
        }
        text.push(')');
    }
}

fn is(expr: &Expr, op: Operator) -> bool {
    matches!(expr, Expr::Binary(of, _, _) if *of == op)
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(..))
}

/// Returns whether an expression begins with a minus.
fn is_negative(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(scalar, bits) => literal::number(*scalar, *bits).starts_with('-'),
        _ => false,
    }
}

fn level(expr: &Expr) -> Level {
    match expr {
        Expr::Var(_)
        | Expr::Special(_)
        | Expr::Index(..)
        | Expr::Field(..)
        | Expr::Struct(..)
        | Expr::Array(..)
        | Expr::Filled(..)
        | Expr::Variant(..)
        | Expr::Constant(_)
        | Expr::Call(..) => Level::Postfix,
        Expr::Literal(..) => {
            if is_negative(expr) {
                Level::Prefix
            } else {
                Level::Postfix
            }
        }
        Expr::Unary(..) | Expr::Cast(..) | Expr::AddressOf(_) | Expr::Deref(_) => Level::Prefix,
        Expr::Binary(op, _, _) => operator(*op).1,
        Expr::Conditional(..) => Level::Conditional,
    }
}

fn operator(op: Operator) -> (&'static str, Level) {
    match op {
        Operator::Add => ("+", Level::Sum),
        Operator::Sub => ("-", Level::Sum),
        Operator::Mul => ("*", Level::Product),
        Operator::Div => ("/", Level::Product),
        Operator::Rem => ("%", Level::Product),
        Operator::And => ("&", Level::And),
        Operator::Or => ("|", Level::Or),
        Operator::Xor => ("^", Level::Xor),
        Operator::Shl => ("<<", Level::Shift),
        Operator::Shr => (">>", Level::Shift),
        Operator::Eq => ("==", Level::Equality),
        Operator::Ne => ("!=", Level::Equality),
        Operator::Lt => ("<", Level::Relation),
        Operator::Le => ("<=", Level::Relation),
        Operator::Gt => (">", Level::Relation),
        Operator::Ge => (">=", Level::Relation),
        Operator::Both => ("&&", Level::Both),
        Operator::Either => ("||", Level::Either),
    }
}

/// Returns the next higher precedence, for the right operand: all these operators of C are left-associative.
fn above(level: Level) -> Level {
    match level {
        Level::Sum => Level::Product,
        _ => Level::Prefix,
    }
}

/// Returns the operator of a compound assignment.
pub(super) fn update(op: Operator) -> &'static str {
    operator(op).0
}
