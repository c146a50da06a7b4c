//! Assignments.

use cumbia_kernel_ir::ir::{BinaryOp, ExprKind};
use proc_macro2::{Delimiter, Ident};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprAssign, ExprBinary};

use super::operator::{applied, assign_marker};
use super::place::{Access, Form, Place, root};
use super::{Lowerer, Shape, Value, grouped, peeled, slot_name, sugar};
use crate::position::{ours, standing_for};
use crate::rules;

impl Lowerer<'_> {
    /// `place = value`, `(a, b) = value`, `_ = value`
    pub(super) fn assign(&mut self, assign: &ExprAssign) -> Value {
        let ExprAssign { left, eq_token, right, .. } = assign;
        if let Expr::Infer(underscore) = peeled(left) {
            let Value { id, cpu, shape: _ } = self.expr(right);
            let dropped = cumbia_kernel_ir::ir::Block { stmts: vec![cumbia_kernel_ir::ir::Stmt::Expr(id)], tail: None };
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
    ///
    /// Of numbers Rust evaluates the value first, and of types with a function behind the operator the place; generic code is
    /// of the second kind. On the CPU that is rustc's choice where the place is one of Rust's. Behind a handle, and in generic
    /// code, the value comes first on both devices, which only a program can tell whose place and value both have effects.
    pub(super) fn assign_op(&mut self, binary: &ExprBinary, op: BinaryOp) -> Value {
        let ExprBinary { left, op: token, right, .. } = binary;
        let is_rusts = self.signature.types.is_empty() && self.is_in_variable(left);
        if !is_rusts
            && may_have_effects(left)
            && may_have_effects(right)
            && let Some(in_order) = sugar::value_first(binary)
        {
            return self.expr(&in_order);
        }
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
        let (shown, span) = (self.shown(left.span()), ours(left.span()));
        let [reference, new] = ["place", "value"].map(|name| Ident::new(name, span));
        let operand = Ident::new("operand", ours(right.span()));
        let (left_cpu, value_cpu) = (&place.cpu, value.cpu);
        let statements = match place.form {
            Form::Handle => {
                let changed = standing_for(shown, quote!(#new));
                let by = self.assigned_operand(op, operator, binary, quote!(#operand));
                let change = applied(&slot, &marker, &quote!(#changed #token #by), binary.span());
                quote_spanned! {span=>
                    let #operand = #value_cpu;
                    let mut #reference = #left_cpu;
                    let mut #new = #reference.get();
                    #target(&#new);
                    #change;
                    #reference.set(#new);
                }
            }
            Form::Variable | Form::Computed => {
                let changed = standing_for(shown, left_cpu.clone());
                let by = self.assigned_operand(op, operator, binary, value_cpu);
                let change = applied(&slot, &marker, &quote!(#changed #token #by), binary.span());
                // The type is that of any element: so the index is evaluated once, and when rustc says.
                let alike = sugar::first_elements(left);
                quote_spanned!(span=> if false { #target(&#alike); } #change;)
            }
        };
        let cpu = grouped(Delimiter::Brace, span, statements);
        self.value(ExprKind::AssignOp { op, place: place.id, value: value.id, operator }, binary.span(), cpu)
    }

    /// Whether a place is a variable, or a part of one, and behind no handle.
    fn is_in_variable(&self, place: &Expr) -> bool {
        let local = self.variable(root(place));
        local.is_some_and(|local| {
            !matches!(self.known[local.index()].shape, Shape::Reference { .. } | Shape::Slice | Shape::Unknown)
        })
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

/// Whether evaluating an expression could change something, or depend on when it happens.
fn may_have_effects(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Path(_) | Expr::Const(_) => false,
        Expr::Paren(inner) => may_have_effects(&inner.expr),
        Expr::Group(inner) => may_have_effects(&inner.expr),
        Expr::Field(field) => may_have_effects(&field.base),
        Expr::Index(index) => may_have_effects(&index.expr) || may_have_effects(&index.index),
        Expr::Unary(unary) => may_have_effects(&unary.expr),
        Expr::Reference(reference) => may_have_effects(&reference.expr),
        Expr::Cast(cast) => may_have_effects(&cast.expr),
        Expr::Binary(binary) => may_have_effects(&binary.left) || may_have_effects(&binary.right),
        Expr::Tuple(tuple) => tuple.elems.iter().any(may_have_effects),
        Expr::Array(array) => array.elems.iter().any(may_have_effects),
        _ => true,
    }
}
