//! Expressions that compute a value.

use cumbia_kernel_ir::ir::{BinaryOp, ExprKind, Literal, LogicalOp, UnaryOp};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprBinary, ExprCast, ExprField, ExprLit, ExprPath, ExprTuple, ExprUnary, Lit, Member, UnOp};

use super::{Lowerer, Value, slot_name};
use crate::position::{self, ours, standing_for};
use crate::rules;

impl Lowerer<'_> {
    /// Any expression. Each kind of Rust's is named here: it is lowered, or a rule says why not.
    pub(super) fn expr(&mut self, expr: &Expr) -> Value {
        self.attributes(attributes_of(expr));
        match expr {
            Expr::Lit(lit) => self.literal(lit, None),
            Expr::Path(path) => self.path(path),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Field(field) => self.field(field),
            Expr::Tuple(tuple) => self.tuple(tuple),
            Expr::Paren(inner) => {
                let Value { id, cpu } = self.expr(&inner.expr);
                // To rustc the expression begins at the parenthesis.
                self.exprs[id.index()].span = position::of(inner.span());
                Value { id, cpu: standing_for(inner.span(), cpu) }
            }
            Expr::Group(inner) => {
                let Value { id, cpu } = self.expr(&inner.expr);
                Value { id, cpu: standing_for(inner.span(), cpu) }
            }
            Expr::Index(index) => self.element(index),
            Expr::Assign(assign) => self.assign(assign),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Macro(call) => self.macro_call(&call.mac),
            Expr::Block(block) => self.block_expr(block),
            Expr::If(branch) => self.if_expr(branch),
            Expr::Loop(inner) => self.loop_expr(inner),
            Expr::While(inner) => self.while_expr(inner),
            Expr::ForLoop(inner) => self.for_expr(inner),
            Expr::Break(jump) => self.break_expr(jump),
            Expr::Continue(jump) => self.continue_expr(jump),
            Expr::Return(jump) => self.return_expr(jump),

            Expr::Closure(closure) => self.refuse(closure, &rules::CLOSURE),
            Expr::Async(block) => self.refuse(block, &rules::ASYNC),
            Expr::Await(call) => self.refuse(call, &rules::AWAIT),
            Expr::Try(call) => self.refuse(&call.question_token, &rules::TRY),
            Expr::TryBlock(block) => self.refuse(block, &rules::TRY),
            Expr::Match(inner) => self.refuse(&inner.match_token, &rules::MATCH),
            Expr::Let(inner) => self.refuse(&inner.let_token, &rules::IF_LET),
            Expr::Reference(inner) => self.refuse(inner, &rules::REFERENCE),
            Expr::RawAddr(inner) => self.refuse(inner, &rules::RAW_ADDRESS),
            Expr::Array(array) => self.refuse(array, &rules::ARRAY),
            Expr::Repeat(array) => self.refuse(array, &rules::ARRAY),
            Expr::Struct(value) => self.refuse(value, &rules::STRUCT),
            Expr::Range(range) => self.refuse(range, &rules::RANGE),
            Expr::Unsafe(block) => self.refuse(&block.unsafe_token, &rules::UNSAFE),
            Expr::Const(block) => self.refuse(block, &rules::CONST_BLOCK),
            // `_`, `yield`, tokens that syn does not know, and what `syn::Expr` may grow by.
            _ => self.refuse(expr, &rules::UNKNOWN_EXPRESSION),
        }
    }

    /// A literal, with the minus before it if there is one: `-128` is an `i8`, and `128` is not.
    fn literal(&mut self, lit: &ExprLit, minus: Option<&syn::Token![-]>) -> Value {
        let value = match &lit.lit {
            Lit::Bool(value) => Literal::Bool(value.value),
            Lit::Byte(value) => Literal::Int { magnitude: value.value().into(), negative: false },
            Lit::Int(value) => match value.base10_parse() {
                // `1f32` is an integer to syn.
                Ok(magnitude) if matches!(value.suffix(), "f32" | "f64") => {
                    let magnitude: u128 = magnitude;
                    float_literal(&magnitude.to_string(), minus.is_some())
                }
                Ok(magnitude) => Literal::Int { magnitude, negative: minus.is_some() },
                Err(error) => {
                    self.errors.push(error);
                    return self.nothing(lit);
                }
            },
            Lit::Float(value) => float_literal(value.base10_digits(), minus.is_some()),
            Lit::Char(_) => return self.refuse(lit, &rules::CHAR),
            _ => return self.refuse(lit, &rules::STRING),
        };
        let slot = self.slot();
        let name = slot_name(slot, lit.span());
        let span = minus.map_or(lit.span(), Spanned::span);
        let cpu = standing_for(span, quote_spanned!(ours(lit.span())=> #name.tap(#minus #lit)));
        self.value(ExprKind::Literal { value, slot }, span, cpu)
    }

    /// A variable, or else a constant.
    fn path(&mut self, path: &ExprPath) -> Value {
        if let (None, Some(name)) = (&path.qself, path.path.get_ident())
            && let Some(local) = self.lookup(name)
        {
            return self.value(ExprKind::Local(local), path.span(), path.to_token_stream());
        }
        let slot = self.slot();
        let name = slot_name(slot, path.span());
        let cpu = standing_for(path.span(), quote_spanned!(ours(path.span())=> #name.constant(|| #path)));
        self.value(ExprKind::Constant(slot), path.span(), cpu)
    }

    fn unary(&mut self, unary: &ExprUnary) -> Value {
        let op = match unary.op {
            UnOp::Neg(minus) => {
                if let Expr::Lit(lit) = &*unary.expr
                    && matches!(lit.lit, Lit::Int(_) | Lit::Float(_))
                {
                    return self.literal(lit, Some(&minus));
                }
                UnaryOp::Neg
            }
            UnOp::Not(_) => UnaryOp::Not,
            UnOp::Deref(_) => return self.refuse(unary, &rules::DEREFERENCE),
            _ => return self.refuse(unary, &rules::UNKNOWN_EXPRESSION),
        };
        let Value { id: operand, cpu } = self.expr(&unary.expr);
        let cpu = if op == UnaryOp::Neg { self.operand_of(None, unary.span(), cpu) } else { cpu };
        let token = &unary.op;
        self.value(ExprKind::Unary { op, operand }, unary.span(), quote!(#token #cpu))
    }

    fn binary(&mut self, binary: &ExprBinary) -> Value {
        let Some(kind) = binary_kind(&binary.op) else {
            return self.refuse(binary, &rules::UNKNOWN_EXPRESSION);
        };
        if let BinaryKind::Assign(op) = kind {
            return self.assign_op(binary, op);
        }
        let Value { id: left, cpu: left_cpu } = self.expr(&binary.left);
        let Value { id: right, cpu: right_cpu } = self.expr(&binary.right);
        let token = &binary.op;
        let (kind, right_cpu) = match kind {
            BinaryKind::Logical(op) => (ExprKind::Logical { op, left, right }, right_cpu),
            BinaryKind::Both(op) | BinaryKind::Assign(op) => {
                (ExprKind::Binary { op, left, right }, self.operand_of(Some(op), binary.span(), right_cpu))
            }
        };
        self.value(kind, binary.span(), quote!(#left_cpu #token #right_cpu))
    }

    /// The last operand of an operator, or of a minus sign. On a generic type an operator is a call of the standard
    /// library's, which would name its own position where it panics.
    pub(super) fn operand_of(&mut self, op: Option<BinaryOp>, span: Span, operand: TokenStream) -> TokenStream {
        use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
        let may_panic = matches!(op, None | Some(Add | Sub | Mul | Div | Rem | Shl | Shr));
        if self.signature.types.is_empty() || !may_panic {
            return operand;
        }
        let (at, cx) = (self.at(span), &self.cx);
        quote_spanned!(ours(span)=> #cx.calling(#at, #operand))
    }

    fn cast(&mut self, cast: &ExprCast) -> Value {
        let Value { id: operand, cpu } = self.expr(&cast.expr);
        let slot = self.slot();
        let (name, ty) = (slot_name(slot, cast.ty.span()), &cast.ty);
        let cpu = standing_for(cast.span(), quote_spanned!(ours(cast.ty.span())=> #name.tap((#cpu) as #ty)));
        self.value(ExprKind::Cast { operand, slot }, cast.span(), cpu)
    }

    fn field(&mut self, field: &ExprField) -> Value {
        let Value { id: base, cpu } = self.expr(&field.base);
        let member = &field.member;
        let name = match member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        self.value(ExprKind::Field { base, name }, field.span(), quote!(#cpu.#member))
    }

    fn tuple(&mut self, tuple: &ExprTuple) -> Value {
        let parts: Vec<Value> = tuple.elems.iter().map(|elem| self.expr(elem)).collect();
        let cpu = parts.iter().map(|part| &part.cpu);
        let cpu = quote!((#(#cpu,)*));
        let ids = parts.iter().map(|part| part.id).collect();
        self.value(ExprKind::Tuple(ids), tuple.span(), cpu)
    }
}

fn float_literal(digits: &str, negative: bool) -> Literal {
    Literal::Float(if negative { format!("-{digits}") } else { digits.to_owned() })
}

/// What an operator of Rust's is.
enum BinaryKind {
    Both(BinaryOp),
    Logical(LogicalOp),
    Assign(BinaryOp),
}

fn binary_kind(op: &BinOp) -> Option<BinaryKind> {
    use BinaryKind::{Assign, Both, Logical};
    Some(match op {
        BinOp::Add(_) => Both(BinaryOp::Add),
        BinOp::Sub(_) => Both(BinaryOp::Sub),
        BinOp::Mul(_) => Both(BinaryOp::Mul),
        BinOp::Div(_) => Both(BinaryOp::Div),
        BinOp::Rem(_) => Both(BinaryOp::Rem),
        BinOp::BitAnd(_) => Both(BinaryOp::BitAnd),
        BinOp::BitOr(_) => Both(BinaryOp::BitOr),
        BinOp::BitXor(_) => Both(BinaryOp::BitXor),
        BinOp::Shl(_) => Both(BinaryOp::Shl),
        BinOp::Shr(_) => Both(BinaryOp::Shr),
        BinOp::Eq(_) => Both(BinaryOp::Eq),
        BinOp::Ne(_) => Both(BinaryOp::Ne),
        BinOp::Lt(_) => Both(BinaryOp::Lt),
        BinOp::Le(_) => Both(BinaryOp::Le),
        BinOp::Gt(_) => Both(BinaryOp::Gt),
        BinOp::Ge(_) => Both(BinaryOp::Ge),
        BinOp::And(_) => Logical(LogicalOp::And),
        BinOp::Or(_) => Logical(LogicalOp::Or),
        BinOp::AddAssign(_) => Assign(BinaryOp::Add),
        BinOp::SubAssign(_) => Assign(BinaryOp::Sub),
        BinOp::MulAssign(_) => Assign(BinaryOp::Mul),
        BinOp::DivAssign(_) => Assign(BinaryOp::Div),
        BinOp::RemAssign(_) => Assign(BinaryOp::Rem),
        BinOp::BitAndAssign(_) => Assign(BinaryOp::BitAnd),
        BinOp::BitOrAssign(_) => Assign(BinaryOp::BitOr),
        BinOp::BitXorAssign(_) => Assign(BinaryOp::BitXor),
        BinOp::ShlAssign(_) => Assign(BinaryOp::Shl),
        BinOp::ShrAssign(_) => Assign(BinaryOp::Shr),
        // `syn::BinOp` may grow with Rust.
        _ => return None,
    })
}

/// The attributes of the expressions that are lowered; the others are refused as a whole.
fn attributes_of(expr: &Expr) -> &[syn::Attribute] {
    match expr {
        Expr::ForLoop(inner) => &inner.attrs,
        Expr::While(inner) => &inner.attrs,
        Expr::Loop(inner) => &inner.attrs,
        Expr::Block(inner) => &inner.attrs,
        Expr::If(inner) => &inner.attrs,
        Expr::Macro(inner) => &inner.attrs,
        Expr::Assign(inner) => &inner.attrs,
        Expr::Call(inner) => &inner.attrs,
        Expr::MethodCall(inner) => &inner.attrs,
        Expr::Binary(inner) => &inner.attrs,
        _ => &[],
    }
}
