//! Operators. The slot of an operator records the types of its operands by identity functions, so that the tokens
//! remain a Rust operator and type inference is unchanged. The device counterpart is resolved on the result
//! (`.of::<op::Add>()`, `.equal()`, `.ordered()`), so that an operator that does not exist produces rustc's error only.

use cumbia_kernel_ir::{BinaryOp, ExprKind, LogicalOp, SlotId, UnaryOp};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprBinary, ExprUnary, Lit, UnOp};

use crate::extent::Extent;
use crate::lower::{Lowerer, Value, passed, slot_name, sugar};
use crate::position::{ours, standing_for};
use crate::rules;

impl Lowerer<'_> {
    /// `-x`, `!x`
    pub(in crate::lower) fn unary(&mut self, unary: &ExprUnary, around: Option<Span>) -> Value {
        let span = around.unwrap_or(unary.span());
        if let Some(desugared) = sugar::negated(unary) {
            return self.expr(&desugared);
        }
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
            _ => return self.reject(unary, &rules::UNKNOWN_EXPRESSION),
        };
        let Value { id: operand, cpu, category: _ } = self.operand(&unary.expr);
        let cpu = self.with_position(op == UnaryOp::Neg, span, cpu);
        let operator = self.slot();
        let (token, slot) = (&unary.op, slot_name(operator, unary.op.span()));
        let cpu = passed(&slot, "operand", &cpu, self.extent(&unary.expr));
        let result = enclosed(quote!(#token #cpu), around);
        let cpu = applied(&slot, &Ident::new(name, Span::call_site()), &result, Extent::of_operation(unary), around);
        self.value(ExprKind::Unary { op, operand, operator }, span, cpu)
    }

    /// `x + y`, `p && q`, `x += y`. For rustc the span of a parenthesised operator is that of the parentheses,
    /// `around`, and so is the position of its faults.
    pub(in crate::lower) fn binary(&mut self, binary: &ExprBinary, around: Option<Span>) -> Value {
        let span = around.unwrap_or(binary.span());
        let ExprBinary { left, op: token, right, .. } = binary;
        match kind_of(token) {
            Some(Kind::Strict(op)) => {
                let (left_value, right_value) = (self.operand(left), self.operand(right));
                let operator = self.slot();
                let slot = |span| slot_name(operator, span);
                let (left_cpu, right_cpu) = (left_value.cpu, right_value.cpu);
                let right_cpu = self.with_position(may_panic(op), span, right_cpu);
                let left_cpu = passed(&slot(left.span()), "left", &left_cpu, self.extent(left));
                let right_cpu = passed(&slot(right.span()), "right", &right_cpu, self.extent(right));
                let result = enclosed(quote!(#left_cpu #token #right_cpu), around);
                let cpu = applied(&slot(token.span()), &marker(op), &result, Extent::of_operation(binary), around);
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
            None => self.reject(binary, &rules::UNKNOWN_EXPRESSION),
        }
    }

    /// Returns the right operand of `x += y`; the slot records the type of `x` separately.
    pub(in crate::lower) fn assigned_operand(
        &mut self,
        op: BinaryOp,
        operator: SlotId,
        binary: &ExprBinary,
        cpu: TokenStream,
    ) -> TokenStream {
        let cpu = self.with_position(may_panic(op), binary.span(), cpu);
        let name = slot_name(operator, binary.right.span());
        passed(&name, "right", &cpu, self.extent(&binary.right))
    }

    /// Returns the extent of an expression, for the tokens that stand for it.
    fn extent(&self, expr: &Expr) -> Extent {
        Extent::of(expr).map(|span| self.shown(span))
    }

    /// Makes an operand record the position of its operator, if that may panic. On a generic type the operator is a
    /// call into the standard library, whose panic would report a position there.
    fn with_position(&mut self, may_panic: bool, span: Span, operand: TokenStream) -> TokenStream {
        if self.signature.types.is_empty() || !may_panic {
            return operand;
        }
        let (at, cx) = (self.at(span), &self.cx);
        quote_spanned!(ours(span)=> #cx.calling(#at, #operand))
    }
}

/// Encloses tokens in the user's parentheses, if there are any.
fn enclosed(tokens: TokenStream, around: Option<Span>) -> TokenStream {
    match around {
        Some(around) => standing_for(around, tokens),
        None => tokens,
    }
}

/// Returns the value of an operator, in the user's parentheses if there are any. Errors about the operator are shown at its token, the
/// span of the slot.
pub(in crate::lower) fn applied(
    slot: &Ident,
    marker: &Ident,
    value: &TokenStream,
    extent: Extent,
    around: Option<Span>,
) -> TokenStream {
    let receiver = extent.opening(slot);
    let recorded = quote_spanned!(slot.span()=> #receiver.result(#value));
    let resolved = resolved(&recorded, marker, slot.span(), extent);
    // The user's parentheses may be the receiver of a method that borrows the value mutably.
    match around {
        Some(around) => standing_for(around, resolved),
        None => extent.value(resolved),
    }
}

/// Resolves the device counterpart of an operator whose slot has recorded the operand types. Errors about it are shown
/// at `at`.
pub(in crate::lower) fn resolved(recorded: &TokenStream, marker: &Ident, at: Span, extent: Extent) -> TokenStream {
    // Comparisons have their own diagnostics.
    let method = match marker.to_string().as_str() {
        "Eq" => quote_spanned!(at=> equal),
        "Order" => quote_spanned!(at=> ordered),
        _ => quote_spanned!(at=> of::<::cumbia::__private::op::#marker>),
    };
    let arguments = extent.closing(TokenStream::new());
    quote!(#recorded.#method #arguments)
}

/// Returns whether an operator faults for some operands.
fn may_panic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr)
}

/// Returns the marker type of an operator.
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

/// Returns the marker type of a compound assignment such as `+=`.
pub(in crate::lower) fn assign_marker(op: BinaryOp) -> Ident {
    Ident::new(&format!("{}Assign", marker(op)), Span::call_site())
}

/// The kind of a binary operator.
enum Kind {
    Strict(BinaryOp),
    Logical(LogicalOp),
    Assign(BinaryOp),
}

fn kind_of(op: &BinOp) -> Option<Kind> {
    use Kind::{Assign, Logical, Strict};
    Some(match op {
        BinOp::Add(_) => Strict(BinaryOp::Add),
        BinOp::Sub(_) => Strict(BinaryOp::Sub),
        BinOp::Mul(_) => Strict(BinaryOp::Mul),
        BinOp::Div(_) => Strict(BinaryOp::Div),
        BinOp::Rem(_) => Strict(BinaryOp::Rem),
        BinOp::BitAnd(_) => Strict(BinaryOp::BitAnd),
        BinOp::BitOr(_) => Strict(BinaryOp::BitOr),
        BinOp::BitXor(_) => Strict(BinaryOp::BitXor),
        BinOp::Shl(_) => Strict(BinaryOp::Shl),
        BinOp::Shr(_) => Strict(BinaryOp::Shr),
        BinOp::Eq(_) => Strict(BinaryOp::Eq),
        BinOp::Ne(_) => Strict(BinaryOp::Ne),
        BinOp::Lt(_) => Strict(BinaryOp::Lt),
        BinOp::Le(_) => Strict(BinaryOp::Le),
        BinOp::Gt(_) => Strict(BinaryOp::Gt),
        BinOp::Ge(_) => Strict(BinaryOp::Ge),
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
        // Future variants of `syn::BinOp`.
        _ => return None,
    })
}
