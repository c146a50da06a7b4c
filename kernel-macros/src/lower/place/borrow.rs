//! Borrow expressions (`&x`, `&mut y[i]`, `&x[a..b]`), which on the CPU create handles of places and slices.

use cumbia_kernel_ir::{ExprKind, Local, LocalId, Pattern, Stmt};
use proc_macro2::{Delimiter, Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprIndex, ExprRange, ExprReference, ExprUnary, Lit, RangeLimits, UnOp};

use crate::extent::Extent;
use crate::lower::place::{Form, Place, PlaceContext, root};
use crate::lower::{Category, Known, Lowerer, Value, grouped, peeled, slot_name};
use crate::position::{self, ours, standing_for};
use crate::rules;

impl Lowerer<'_> {
    /// `&place`, `&mut place`, `&value`
    pub(in crate::lower) fn reference(&mut self, reference: &ExprReference) -> Value {
        let mutable = reference.mutability.is_some();
        if let Expr::Range(range) = peeled(&reference.expr) {
            return self.reject(range, &rules::RANGE);
        }
        // `&&x` is lowered as `&x`.
        if let Expr::Reference(inner) = peeled(&reference.expr) {
            return self.reference(inner);
        }
        if mutable {
            self.reject_read_only(&reference.expr);
        }
        let context = if mutable { PlaceContext::Write } else { PlaceContext::Shared };
        let place = self.place(&reference.expr, context);
        self.borrowed(place, reference, mutable)
    }

    /// Lowers an argument of a function. A borrow in it need not outlive the call.
    pub(in crate::lower) fn argument(&mut self, arg: &Expr) -> Value {
        match peeled(arg) {
            Expr::Reference(reference)
                if reference.mutability.is_none()
                    && !matches!(peeled(&reference.expr), Expr::Reference(_) | Expr::Range(_)) =>
            {
                let place = self.place(&reference.expr, PlaceContext::Read);
                let Value { id, cpu, category } = self.borrowed(place, reference, false);
                let cpu = if let Expr::Reference(_) = arg { cpu } else { standing_for(arg.span(), cpu) };
                Value { id, cpu, category }
            }
            _ => self.expr(arg),
        }
    }

    /// The place of a borrowed constant, which rustc promotes to a static, so that it outlives the statement. In the IR
    /// it is a variable of the whole function.
    pub(in crate::lower) fn promoted(&mut self, constant: &Expr) -> Place {
        let (span, slot) = (constant.span(), self.slot());
        let local = LocalId(self.locals.len() as u32);
        let of_local = self.slot();
        self.locals.push(Local { name: "constant".to_owned(), mutable: false, slot: of_local });
        self.known.push(Known {
            category: Category::Owned,
            deferred: false,
            ty: None,
            part: None,
            argument: None,
            closure: false,
        });
        let init = self.push(ExprKind::Constant(slot), span);
        self.promoted.push(Stmt::Let { pattern: Pattern::Local(local), init: Some(init), span: position::of(span) });
        let id = self.push(ExprKind::Local(local), span);
        let [value, local] = [slot, of_local].map(|slot| slot_name(slot, span));
        let cpu = quote_spanned!(ours(span)=> *#local.shared(#value.promoted(|| #constant, &#constant)));
        Place { id, cpu: standing_for(span, cpu), form: Form::Variable, category: Category::Owned }
    }

    /// Returns whether rustc promotes a borrow of this expression: whether it consists of literals and constants.
    pub(in crate::lower) fn is_promoted(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(lit) => matches!(lit.lit, Lit::Int(_) | Lit::Float(_) | Lit::Bool(_) | Lit::Byte(_)),
            Expr::Path(_) => self.variable(expr).is_none(),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => matches!(peeled(expr), Expr::Lit(_)),
            Expr::Paren(inner) => self.is_promoted(&inner.expr),
            Expr::Group(inner) => self.is_promoted(&inner.expr),
            Expr::Array(array) => !array.elems.is_empty() && array.elems.iter().all(|elem| self.is_promoted(elem)),
            Expr::Repeat(array) => self.is_promoted(&array.expr),
            _ => false,
        }
    }

    /// Borrows a lowered place.
    fn borrowed(&mut self, place: Place, reference: &ExprReference, mutable: bool) -> Value {
        let Place { id, cpu, form, category } = place;
        let (span, extent) = (reference.span(), Extent::of_tokens(reference));
        let is_argument = self.argument_type(&reference.expr).is_some();
        if is_argument && mutable {
            return self.reject(reference, &rules::ARGUMENT_BORROW_MUT);
        }
        // A reference to a struct of arrays is a struct of read-only arrays.
        let to_value = if is_argument { Category::Argument } else { Category::Reference { mutable } };
        let borrow = ExprKind::Borrow { place: id, mutable };
        match (form, category) {
            (Form::Computed, category @ (Category::Slice | Category::Reference { .. } | Category::Never)) => {
                Value { id, cpu, category }
            }
            (Form::Handle, _) => self.with_category(borrow, span, reborrowed(&cpu, mutable, extent), to_value),
            (Form::Variable, Category::Slice) => {
                self.with_category(borrow, span, reborrowed(&cpu, mutable, extent), Category::Slice)
            }
            (Form::Variable, Category::Reference { .. }) => {
                self.with_category(borrow, span, reborrowed(&cpu, mutable, extent), to_value)
            }
            (Form::Variable, Category::Never)
            | (
                Form::Variable | Form::Computed,
                Category::Owned | Category::Unknown | Category::Tuple(_) | Category::Argument,
            ) => self.with_category(borrow, span, handle_of(reference, &cpu), to_value),
        }
    }

    /// `x[a..b]`: the slice of these elements.
    pub(in crate::lower) fn part(&mut self, index: &ExprIndex, range: &ExprRange, context: PlaceContext) -> Place {
        let base = self.place(&index.expr, context);
        let start = range.start.as_ref().map(|start| self.expr(start));
        let end = range.end.as_ref().map(|end| self.expr(end));
        let limits = &range.limits;
        let inclusive = matches!(limits, RangeLimits::Closed(_));
        let at = self.at(index.span());
        let (cx, span) = (&self.cx, ours(index.span()));
        let bounds = {
            let [start, end] = [&start, &end].map(|bound| bound.as_ref().map(|bound| &bound.cpu));
            standing_for(range.span(), quote!(#start #limits #end))
        };
        let base_cpu = &base.cpu;
        let in_rust = context == PlaceContext::Receiver
            && base.form == Form::Variable
            && base.category == Category::Owned
            && is_path(&index.expr);
        let (cpu, form, category) = if in_rust {
            // A part of an array in a variable is a place of Rust's, which rustc borrows as the method requires.
            // A borrow for the length would conflict with that; unreachable, it only infers the length.
            let length = Ident::new("__length", span);
            let of = quote_spanned! {span=> {
                let #length = ::cumbia::__private::LengthOf::new();
                #[allow(unreachable_code)]
                if false {
                    loop {}
                    #length.of(&#base_cpu);
                }
                #cx.range(#length, #bounds, #at)
            }};
            (grouped_index(base_cpu, index, of), Form::Variable, Category::Owned)
        } else {
            let method = match context {
                PlaceContext::Write => "part_mut",
                PlaceContext::Receiver => "part_of_place",
                PlaceContext::Read | PlaceContext::Shared => "part",
            };
            let method = Ident::new(method, span);
            let arguments = Extent::of_tokens(index).closing(quote_spanned!(span=> #cx, #bounds, #at));
            (quote_spanned!(span=> #base_cpu.#method #arguments), Form::Computed, Category::Slice)
        };
        // The method may modify the array.
        let mutable = context == PlaceContext::Write || in_rust && self.is_mutable(&index.expr);
        let [start, end] = [start, end].map(|bound| bound.map(|bound| bound.id));
        let part = self.push(ExprKind::SubSlice { base: base.id, start, end, inclusive }, index.span());
        let id = self.push(ExprKind::Borrow { place: part, mutable }, index.span());
        Place { id, cpu, form, category }
    }

    /// Returns whether a place is part of a variable that is declared `mut`.
    fn is_mutable(&self, place: &Expr) -> bool {
        self.variable(root(place)).is_some_and(|local| self.locals[local.index()].mutable)
    }
}

/// Returns whether a place consists of a variable and fields, so that its tokens can be repeated.
fn is_path(place: &Expr) -> bool {
    match peeled(place) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_path(&field.base),
        _ => false,
    }
}

/// Returns `base[index]`, with the brackets of the user's expression.
fn grouped_index(base: &TokenStream, written: &ExprIndex, index: TokenStream) -> TokenStream {
    let brackets = grouped(Delimiter::Bracket, written.bracket_token.span.join(), index);
    quote!(#base #brackets)
}

/// Returns the handle of a Rust variable or a temporary.
fn handle_of(reference: &ExprReference, cpu: &TokenStream) -> TokenStream {
    let (and, mutability) = (&reference.and_token, &reference.mutability);
    let function = Ident::new(if mutability.is_some() { "borrow_mut" } else { "borrow" }, ours(reference.span()));
    let function = quote_spanned!(function.span()=> ::cumbia::__private::#function);
    let extent = Extent::of_tokens(reference);
    extent.field(extent.opening(quote!(#function(#and #mutability #cpu),)))
}

/// Reborrows a handle, read-only unless `mutable`, for the borrow of this extent.
pub(in crate::lower) fn reborrowed(handle: &TokenStream, mutable: bool, borrow: Extent) -> TokenStream {
    let handle = if mutable { quote!(#handle,) } else { quote_spanned!(borrow.hidden()=> #handle.read(),) };
    borrow.field(borrow.opening(handle))
}
