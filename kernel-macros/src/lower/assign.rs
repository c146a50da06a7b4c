//! Assignments.

use cumbia_kernel_ir::ir::{BinaryOp, ExprKind};
use proc_macro2::{Delimiter, Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprAssign, ExprBinary};

use super::operator::{applied, assign_marker};
use super::place::{Access, Form, Place};
use super::{Lowerer, Shape, Value, grouped, peeled, slot_name, sugar};
use crate::position::{ours, standing_for};
use crate::rules;

impl Lowerer<'_> {
    /// `place = value`, `(a, b) = value`, `_ = value`
    pub(super) fn assign(&mut self, assign: &ExprAssign) -> Value {
        let ExprAssign { left, eq_token, right, .. } = assign;
        if let Expr::Infer(underscore) = peeled(left) {
            let Value { id, cpu, shape: _ } = self.expr(right);
            let dropped = cumbia_kernel_ir::ir::Block {
                stmts: vec![cumbia_kernel_ir::ir::Stmt::Expr(id)],
                tail: None,
            };
            return self.value(ExprKind::Block(dropped), assign.span(), quote!(#underscore #eq_token #cpu));
        }
        if let Some(written_out) = sugar::destructuring(assign) {
            return self.expr(&written_out);
        }
        // Rust evaluates the value first. The IR lists the place after it for the same reason.
        let value = self.expr(right);
        let Some(place) = self.assigned(left) else {
            return self.nothing(assign);
        };
        let (left_cpu, value_cpu) = (place.cpu, value.cpu);
        let cpu = match (place.form, self.deferred(left)) {
            (Form::Handle, _) => {
                let new = Ident::new("value", ours(right.span()));
                let set = quote_spanned!(ours(left.span())=> let #new = #value_cpu; #left_cpu.set(#new););
                grouped(Delimiter::Brace, ours(left.span()), set)
            }
            (Form::Variable | Form::Computed, Some(local)) => {
                self.known[local].shape = value.shape.clone().unless_unknown(&self.known[local].shape);
                let slot = slot_name(self.locals[local].slot, right.span());
                let learned = quote_spanned!(ours(right.span())=> #slot.tap(#value_cpu));
                quote!(#left_cpu #eq_token #learned)
            }
            (Form::Variable | Form::Computed, None) => quote!(#left_cpu #eq_token #value_cpu),
        };
        self.value(ExprKind::Assign { place: place.id, value: value.id }, assign.span(), cpu)
    }

    /// The variable's index, if it was declared without a value.
    fn deferred(&self, left: &Expr) -> Option<usize> {
        let local = self.variable(peeled(left))?.index();
        self.known[local].deferred.then_some(local)
    }

    /// `place += value`
    pub(super) fn assign_op(&mut self, binary: &ExprBinary, op: BinaryOp) -> Value {
        let ExprBinary { left, op: token, right, .. } = binary;
        let value = self.operand(right);
        let Some(place) = self.assigned(left) else {
            return self.nothing(binary);
        };
        if matches!(place.shape, Shape::Reference { .. }) {
            return self.refuse(left, &rules::CHANGED_REFERENCE);
        }
        let operator = self.slot();
        let (slot, marker) = (slot_name(operator, token.span()), assign_marker(op));
        let target = quote_spanned!(ours(token.span())=> #slot.target);
        let changed_by = |statement: &TokenStream| {
            let applied = applied(&slot, &marker, statement, binary.span());
            quote!(#applied;)
        };
        let span = ours(left.span());
        let [reference, new] = ["place", "value"].map(|name| Ident::new(name, span));
        let operand = Ident::new("operand", ours(right.span()));
        let (left_cpu, value_cpu) = (&place.cpu, value.cpu);
        let statements = match place.form {
            Form::Handle => {
                let changed = standing_for(left.span(), quote!(#new));
                let by = self.assigned_operand(op, operator, binary, quote!(#operand));
                let changed_by = changed_by(&quote!(#changed #token #by));
                quote_spanned! {span=>
                    let #operand = #value_cpu;
                    let mut #reference = #left_cpu;
                    let mut #new = #reference.get();
                    #target(&#new);
                    #changed_by
                    #reference.set(#new);
                }
            }
            // An index is evaluated once, and after the operand.
            Form::Variable | Form::Computed if is_indexed(left) => {
                let changed = standing_for(left.span(), quote!(*#reference));
                let by = self.assigned_operand(op, operator, binary, quote!(#operand));
                let changed_by = changed_by(&quote!(#changed #token #by));
                quote_spanned! {span=>
                    let #operand = #value_cpu;
                    let #reference = &mut #left_cpu;
                    #target(&*#reference);
                    #changed_by
                }
            }
            Form::Variable | Form::Computed => {
                let by = self.assigned_operand(op, operator, binary, value_cpu);
                let changed_by = changed_by(&quote!(#left_cpu #token #by));
                quote_spanned!(span=> #target(&#left_cpu); #changed_by)
            }
        };
        let cpu = grouped(Delimiter::Brace, span, statements);
        self.value(ExprKind::AssignOp { op, place: place.id, value: value.id, operator }, binary.span(), cpu)
    }

    /// The left side of an assignment.
    fn assigned(&mut self, left: &Expr) -> Option<Place> {
        self.refuse_read_only(left);
        let place = self.place(left, Access::Write);
        if place.form == Form::Computed {
            if place.shape != Shape::Never {
                self.errors.refuse(left, &rules::ASSIGN_PLACE);
            }
            return None;
        }
        Some(place)
    }
}

/// Whether the path to a place goes through an index.
fn is_indexed(place: &Expr) -> bool {
    match place {
        Expr::Index(_) => true,
        Expr::Field(field) => is_indexed(&field.base),
        Expr::Unary(unary) => is_indexed(&unary.expr),
        Expr::Paren(inner) => is_indexed(&inner.expr),
        Expr::Group(inner) => is_indexed(&inner.expr),
        _ => false,
    }
}
