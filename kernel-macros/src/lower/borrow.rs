//! Borrow expressions (`&x`, `&mut y[i]`, `&x[a..b]`), which on the CPU create handles of places and slices.

use cumbia_kernel_ir::ir::ExprKind;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprIndex, ExprRange, ExprReference, RangeLimits};

use super::place::{Access, Form, Place};
use super::{Lowerer, Shape, Value, peeled};
use crate::position::{ours, standing_for};
use crate::rules;

impl Lowerer<'_> {
    /// `&place`, `&mut place`, `&value`
    pub(super) fn reference(&mut self, reference: &ExprReference) -> Value {
        let mutable = reference.mutability.is_some();
        if let Expr::Range(range) = peeled(&reference.expr) {
            return self.refuse(range, &rules::RANGE);
        }
        // `&&x` is lowered as `&x`.
        if let Expr::Reference(inner) = peeled(&reference.expr) {
            return self.reference(inner);
        }
        if mutable {
            self.refuse_read_only(&reference.expr);
        }
        let access = if mutable { Access::Write } else { Access::Read };
        let place = self.place(&reference.expr, access);
        self.borrowed(place, reference, mutable)
    }

    /// Borrows a lowered place.
    fn borrowed(&mut self, place: Place, reference: &ExprReference, mutable: bool) -> Value {
        let Place { id, cpu, form, shape } = place;
        let span = reference.span();
        let to_value = Shape::Reference { mutable };
        let borrow = ExprKind::Borrow { place: id, mutable };
        match (form, shape) {
            (Form::Computed, shape @ (Shape::Slice | Shape::Reference { .. } | Shape::Never)) => {
                Value { id, cpu, shape }
            }
            (Form::Handle, _) => self.shaped(borrow, span, borrowed_again(cpu, mutable, span), to_value),
            (Form::Variable, Shape::Slice) => {
                self.shaped(borrow, span, borrowed_again(cpu, mutable, span), Shape::Slice)
            }
            (Form::Variable, Shape::Reference { .. }) => {
                self.shaped(borrow, span, borrowed_again(cpu, mutable, span), to_value)
            }
            (Form::Variable, Shape::Never)
            | (Form::Variable | Form::Computed, Shape::Owned | Shape::Unknown | Shape::Tuple(_)) => {
                self.shaped(borrow, span, lent(reference, &cpu), to_value)
            }
        }
    }

    /// `x[a..b]`: the slice of these elements.
    pub(super) fn part(&mut self, index: &ExprIndex, range: &ExprRange, mutable: bool) -> Value {
        let access = if mutable { Access::Write } else { Access::Read };
        let base = self.place(&index.expr, access);
        let start = range.start.as_ref().map(|start| self.expr(start));
        let end = range.end.as_ref().map(|end| self.expr(end));
        let limits = &range.limits;
        let inclusive = matches!(limits, RangeLimits::Closed(_));
        let at = self.at(index.span());
        let (cx, span) = (&self.cx, ours(index.span()));
        let method = Ident::new(if mutable { "part_mut" } else { "part" }, span);
        let bounds = {
            let [start, end] = [&start, &end].map(|bound| bound.as_ref().map(|bound| &bound.cpu));
            standing_for(range.span(), quote!(#start #limits #end))
        };
        let base_cpu = &base.cpu;
        let cpu = quote_spanned!(span=> #base_cpu.#method(#cx, #bounds, #at));
        let [start, end] = [start, end].map(|bound| bound.map(|bound| bound.id));
        let part = self.push(ExprKind::SubSlice { base: base.id, start, end, inclusive }, index.span());
        self.shaped(ExprKind::Borrow { place: part, mutable }, index.span(), cpu, Shape::Slice)
    }
}

/// Returns the handle of a Rust variable or a temporary.
fn lent(reference: &ExprReference, cpu: &TokenStream) -> TokenStream {
    let (and, mutability) = (&reference.and_token, &reference.mutability);
    let function = Ident::new(if mutability.is_some() { "borrow_mut" } else { "borrow" }, ours(reference.span()));
    let function = quote_spanned!(function.span()=> ::cumbia::__private::#function);
    standing_for(reference.span(), quote!(#function(#and #mutability #cpu)))
}

/// Reborrows a handle, read-only unless `mutable`.
pub(super) fn borrowed_again(handle: TokenStream, mutable: bool, span: Span) -> TokenStream {
    if mutable { standing_for(span, handle) } else { standing_for(span, quote_spanned!(ours(span)=> #handle.read())) }
}
