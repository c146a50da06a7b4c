//! Operators. The slot of each learns the types of its operands, by functions that give back what they are given: so the
//! tokens stay an operator of Rust's, and rustc infers types as ever. What the operator is to the device is asked of its
//! result (`.of(op::Add)`, `.equal()`, `.ordered()`), so that an operator that does not exist is rustc's one error.

use cumbia_kernel_ir::ir::{BinaryOp, ExprKind, LogicalOp, SlotId, UnaryOp};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprBinary, ExprUnary, Lit, UnOp};

use super::{Lowerer, Value, slot_name};
use crate::position::{ours, standing_for};
use crate::rules;

impl Lowerer<'_> {
    /// `-x`, `!x`
    pub(super) fn unary(&mut self, unary: &ExprUnary, around: Option<Span>) -> Value {
        let span = around.unwrap_or(unary.span());
        let (op, name) = match unary.op {
            UnOp::Neg(minus) => {
                if let Expr::Lit(lit) = &*unary.expr
                    && matches!(lit.lit, Lit::Int(_) | Lit::Float(_))
                {
                    return self.literal(lit, Some(&minus));
                }
                (UnaryOp::Neg, "Neg")
            }
            UnOp::Not(_) => (UnaryOp::Not, "Not"),
            // `*x` is a place.
            _ => return self.refuse(unary, &rules::UNKNOWN_EXPRESSION),
        };
        let Value { id: operand, cpu, shape: _ } = self.operand(&unary.expr);
        let cpu = self.noted(op == UnaryOp::Neg, span, cpu);
        let operator = self.slot();
        let (token, slot) = (&unary.op, slot_name(operator, unary.op.span()));
        let cpu = quote_spanned!(ours(unary.op.span())=> #slot.operand(#cpu));
        let cpu = standing_for(self.shown(unary.expr.span()), cpu);
        let result = enclosed(quote!(#token #cpu), around);
        let cpu = applied(&slot, &Ident::new(name, Span::call_site()), &result, span);
        self.value(ExprKind::Unary { op, operand, operator }, span, cpu)
    }

    /// `x + y`, `p && q`, `x += y`. With parentheses `around` it, an operator is to rustc where these are, and so are its faults.
    pub(super) fn binary(&mut self, binary: &ExprBinary, around: Option<Span>) -> Value {
        let span = around.unwrap_or(binary.span());
        let ExprBinary { left, op: token, right, .. } = binary;
        match kind_of(token) {
            Some(Kind::Both(op)) => {
                let (left_value, right_value) = (self.operand(left), self.operand(right));
                let operator = self.slot();
                let slot = |span| slot_name(operator, span);
                let (left_cpu, right_cpu) = (left_value.cpu, right_value.cpu);
                let right_cpu = self.noted(may_panic(op), span, right_cpu);
                // An error about an operand's type is shown at the operand.
                let [left_slot, right_slot] = [slot(left.span()), slot(right.span())];
                let left_cpu = quote_spanned!(left_slot.span()=> #left_slot.left(#left_cpu));
                let right_cpu = quote_spanned!(right_slot.span()=> #right_slot.right(#right_cpu));
                let left_cpu = standing_for(self.shown(left.span()), left_cpu);
                let right_cpu = standing_for(self.shown(right.span()), right_cpu);
                let result = enclosed(quote!(#left_cpu #token #right_cpu), around);
                let cpu = applied(&slot(token.span()), &marker(op), &result, span);
                let kind = ExprKind::Binary { op, left: left_value.id, right: right_value.id, operator };
                self.value(kind, span, cpu)
            }
            Some(Kind::Logical(op)) => {
                let (left_value, right_value) = (self.expr(left), self.expr(right));
                let left_cpu = standing_for(left.span(), left_value.cpu);
                let right_cpu = standing_for(right.span(), right_value.cpu);
                let kind = ExprKind::Logical { op, left: left_value.id, right: right_value.id };
                self.value(kind, span, quote!(#left_cpu #token #right_cpu))
            }
            Some(Kind::Assign(op)) => self.assign_op(binary, op),
            None => self.refuse(binary, &rules::UNKNOWN_EXPRESSION),
        }
    }

    /// The right operand of `x += y`, where the slot learns the type of `x` by itself.
    pub(super) fn assigned_operand(
        &mut self,
        op: BinaryOp,
        operator: SlotId,
        binary: &ExprBinary,
        cpu: TokenStream,
    ) -> TokenStream {
        let cpu = self.noted(may_panic(op), binary.span(), cpu);
        let name = slot_name(operator, binary.right.span());
        standing_for(self.shown(binary.right.span()), quote_spanned!(name.span()=> #name.right(#cpu)))
    }

    /// Lets the operand of an operator that may panic note where it stands. On a generic type the operator is a call of the
    /// standard library's, which would name its own position.
    fn noted(&mut self, may_panic: bool, span: Span, operand: TokenStream) -> TokenStream {
        if self.signature.types.is_empty() || !may_panic {
            return operand;
        }
        let (at, cx) = (self.at(span), &self.cx);
        quote_spanned!(ours(span)=> #cx.calling(#at, #operand))
    }
}

/// Tokens in the user's parentheses, if there are any.
fn enclosed(tokens: TokenStream, around: Option<Span>) -> TokenStream {
    match around {
        Some(around) => standing_for(around, tokens),
        None => tokens,
    }
}

/// The value of an operator, at `span`. An error about it is shown where the operator's slot is, at its token.
pub(super) fn applied(slot: &Ident, marker: &Ident, value: &TokenStream, span: Span) -> TokenStream {
    let at = slot.span();
    asked(&quote_spanned!(at=> #slot.result(#value)), marker, at, span)
}

/// The value of an operator whose slot has learned its operands: what is left is to ask whether the device has it. An error
/// about that is shown at `at`.
pub(super) fn asked(learned: &TokenStream, marker: &Ident, at: Span, span: Span) -> TokenStream {
    // Comparisons have diagnostics of their own.
    let asked = match marker.to_string().as_str() {
        "Eq" => quote_spanned!(at=> equal()),
        "Order" => quote_spanned!(at=> ordered()),
        _ => quote_spanned!(at=> of(::cumbia::__private::op::#marker)),
    };
    standing_for(span, quote_spanned!(at=> #learned.#asked))
}

/// Whether an operator faults on some numbers.
fn may_panic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr)
}

/// The type that stands for an operator in its slot.
fn marker(op: BinaryOp) -> Ident {
    let name = match op {
        BinaryOp::Add => "Add",
        BinaryOp::Sub => "Sub",
        BinaryOp::Mul => "Mul",
        BinaryOp::Div => "Div",
        BinaryOp::Rem => "Rem",
        BinaryOp::BitAnd => "BitAnd",
        BinaryOp::BitOr => "BitOr",
        BinaryOp::BitXor => "BitXor",
        BinaryOp::Shl => "Shl",
        BinaryOp::Shr => "Shr",
        BinaryOp::Eq | BinaryOp::Ne => "Eq",
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => "Order",
    };
    Ident::new(name, Span::call_site())
}

/// The type that stands for `+=` and its like.
pub(super) fn assign_marker(op: BinaryOp) -> Ident {
    Ident::new(&format!("{}Assign", marker(op)), Span::call_site())
}

/// What an operator of Rust's is.
enum Kind {
    Both(BinaryOp),
    Logical(LogicalOp),
    Assign(BinaryOp),
}

fn kind_of(op: &BinOp) -> Option<Kind> {
    use Kind::{Assign, Both, Logical};
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
