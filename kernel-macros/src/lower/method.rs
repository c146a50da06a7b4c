//! Method calls on numbers, slices, arrays and user types.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall};

use super::call::{CalledMethod, Guard, hidden_name};
use super::place::Access;
use super::{Lowerer, Shape, Value, foreign, peeled};
use crate::position::standing_for;
use crate::rules;

impl Lowerer<'_> {
    /// `x.sqrt()`, `particles[i].push(force)`
    pub(super) fn method_call(&mut self, call: &ExprMethodCall) -> Value {
        let text = call.method.unraw().to_string();
        if let Some((iterator, name)) = iterator_of(call) {
            return self.refuse_named(iterator, &rules::ITERATOR_METHOD, &name);
        }
        if let Expr::Range(range) = peeled(&call.receiver) {
            return self.refuse(range, &rules::RANGE);
        }
        if let Expr::Path(module) = peeled(&call.receiver)
            && self.variable(peeled(&call.receiver)).is_none()
            && let Some(help) = foreign::method(module, &call.method)
        {
            self.errors.explain(call, &help);
            return self.placeholder(call);
        }
        // A method call dereferences its receiver implicitly.
        let (receiver, access) = borrowed(&call.receiver);
        let place = self.place(receiver, access);
        let (method, turbofish) = (hidden_name(&call.method), &call.turbofish);
        let (place_cpu, dot) = (&place.cpu, &call.dot_token);
        let (guard, callee) = if place.is_behind_handle() {
            let guard = Guard::new(place_cpu, receiver.span());
            let name = &guard.receiver;
            // The guard provides the methods of an array that need no copy of it. For any other method, rustc's error
            // should mention the type behind the guard.
            let of_guard = ["len", "is_empty", "split_at", "split_at_mut"].contains(&text.as_str());
            let target = if of_guard { quote!(#name) } else { standing_for(receiver.span(), quote!(*#name)) };
            let callee = quote!(#target #dot #method #turbofish);
            (Some(guard), callee)
        } else {
            (None, quote!(#place_cpu #dot #method #turbofish))
        };
        let receiver = Value { id: place.id, cpu: TokenStream::new(), shape: place.shape };
        let args: Vec<Value> = call.args.iter().map(|arg| self.expr(arg)).collect();
        self.fallbacks.method(&call.method, args.len());
        let shape = match text.as_str() {
            "split_at" | "split_at_mut" => Shape::Tuple(vec![Shape::Slice; 2]),
            // The `clone` of a slice is the copy of the handle.
            "clone" if receiver.shape == Shape::Slice => Shape::Slice,
            _ => Shape::Unknown,
        };
        let hidden = CalledMethod { check: TokenStream::new(), guard, callee, shown: call.method.span(), shape };
        self.hidden_call(hidden, &[receiver], &args, call.span())
    }
}

/// Returns the receiver without the borrows around it, and the kind of access that they require.
fn borrowed(receiver: &Expr) -> (&Expr, Access) {
    match peeled(receiver) {
        Expr::Reference(reference) => {
            let (inner, access) = borrowed(&reference.expr);
            (inner, if reference.mutability.is_some() { Access::Write } else { access })
        }
        _ => (receiver, Access::Read),
    }
}

/// Returns the method that creates an iterator, if this chain of calls begins with one.
fn iterator_of(call: &ExprMethodCall) -> Option<(&Ident, String)> {
    let inner = match peeled(&call.receiver) {
        Expr::MethodCall(inner) => iterator_of(inner),
        _ => None,
    };
    let name = call.method.to_string();
    let creates_one = ["iter", "iter_mut", "into_iter", "chunks", "chunks_exact", "windows"].contains(&name.as_str());
    inner.or_else(|| creates_one.then_some((&call.method, name)))
}
