//! Method calls on numbers, slices, arrays and user types.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprMethodCall, ExprReference, Lit, LitStr, Type};

use crate::extent::Extent;
use crate::lower::call::{CalledMethod, Guard, hidden_name};
use crate::lower::place::borrow::reborrowed;
use crate::lower::place::{Form, Place, PlaceContext};
use crate::lower::{Category, Lowerer, Value, foreign, peeled};
use crate::position::{ours, standing_for};
use crate::rules;
use crate::signature::with_lifetime;

impl Lowerer<'_> {
    /// `x.sqrt()`, `particles[i].push(force)`
    pub(in crate::lower) fn method_call(&mut self, call: &ExprMethodCall) -> Value {
        let text = call.method.unraw().to_string();
        if let Some(single) = copied_element(call).or_else(|| reduced_elements(call)).or_else(|| unwrapped_slice(call))
        {
            return self.method_call(&single);
        }
        if let Some(checked) = expected_slice(call) {
            return self.expr(&checked);
        }
        if let Some((iterator, name)) = iterator_of(call) {
            return self.reject_named(iterator, &rules::ITERATOR_METHOD, &name);
        }
        if let Expr::Range(range) = peeled(&call.receiver) {
            return self.reject(range, &rules::RANGE);
        }
        if let Expr::Path(module) = peeled(&call.receiver)
            && self.variable(peeled(&call.receiver)).is_none()
            && let Some(help) = foreign::method(module, &call.method)
        {
            self.errors.explain(call, &help);
            return self.placeholder(call);
        }
        if text == "expect"
            && let Some(value) = self.expect(call)
        {
            return value;
        }
        if (text == "slice" || text == "slice_mut") && call.args.iter().any(|arg| matches!(peeled(arg), Expr::Range(_)))
        {
            return self.reject(&call.method, &rules::SLICE_OF_RANGES);
        }
        if let Some(ty) = self.argument_type(borrowed(&call.receiver).0).cloned() {
            return self.argument_method(call, &ty);
        }
        // A method call dereferences its receiver implicitly.
        let (receiver, borrow) = borrowed(&call.receiver);
        let mutable = borrow.is_some_and(|borrow| borrow.mutability.is_some());
        let context = match borrow {
            Some(_) if mutable => PlaceContext::Write,
            Some(_) => PlaceContext::Read,
            None => PlaceContext::Receiver,
        };
        let place = self.place(receiver, context);
        let (method, turbofish) = (hidden_name(&call.method), &call.turbofish);
        let (place_cpu, dot) = (&place.cpu, &call.dot_token);
        let (guard, callee) = if place.is_behind_handle() {
            // Rust probes the methods of a reference in another order than those of its referent.
            let of_reference = borrow.is_some() || place.form != Form::Handle;
            let handle = match borrow {
                Some(borrow) => reborrowed(place_cpu, mutable, Extent::of_tokens(borrow)),
                None => place_cpu.clone(),
            };
            let guard = Guard::new(&handle, receiver.span(), of_reference);
            let target = standing_for(receiver.span(), guard.referent());
            let callee = quote!(#target #dot #method #turbofish);
            // The guard provides the methods of an array that need no copy of it. For any other method, rustc's error
            // should mention the type behind the guard.
            if ["len", "is_empty", "split_at", "split_at_mut"].contains(&text.as_str()) {
                let name = &guard.receiver;
                let of_guard = quote!(#name #dot #method #turbofish);
                (Some(guard.checked(callee)), of_guard)
            } else {
                (Some(guard), callee)
            }
        } else {
            let target = match borrow {
                Some(ExprReference { and_token, mutability, .. }) => {
                    standing_for(receiver.span(), quote!(#and_token #mutability #place_cpu))
                }
                None => place_cpu.clone(),
            };
            (None, quote!(#target #dot #method #turbofish))
        };
        let receiver = Value { id: place.id, cpu: TokenStream::new(), category: place.category };
        let args: Vec<Value> = call.args.iter().map(|arg| self.argument(arg)).collect();
        if self.is_argument(borrowed(&call.receiver).0) {
            self.fallbacks.method_of_part(&call.method, args.len());
        } else {
            self.fallbacks.method(&call.method, args.len());
        }
        let category = match text.as_str() {
            "split_at" | "split_at_mut" => Category::Tuple(vec![Category::Slice; 2]),
            // The `clone` of a slice is the copy of the handle.
            "clone" if receiver.category == Category::Slice => Category::Slice,
            "as_slice_unwrapped" | "as_slice_mut_unwrapped" => Category::Slice,
            _ => Category::Unknown,
        };
        let (shown, arguments) = (call.method.span(), call.paren_token.span.join());
        let hidden = CalledMethod { check: TokenStream::new(), guard, callee, shown, arguments, category };
        self.hidden_call(hidden, &[receiver], &args, Extent::of_tokens(call))
    }
}

impl Lowerer<'_> {
    /// `particles.energy(i)`, a method of a struct of arrays. The struct has another type in a kernel, which has no methods of
    /// the user's: rustc resolves the method as an associated function of the struct.
    fn argument_method(&mut self, call: &ExprMethodCall, ty: &Type) -> Value {
        let (receiver, method) = (borrowed(&call.receiver).0, &call.method);
        let Place { id, cpu, form: _, category } = self.place(receiver, PlaceContext::Read);
        let receiver = Value { id, cpu, category };
        let args: Vec<Value> = call.args.iter().map(|arg| self.argument(arg)).collect();
        let hidden = hidden_name(method);
        self.fallbacks.of_argument(method, args.len() + 1);
        let (ty, turbofish) = (with_lifetime(ty, "'static"), &call.turbofish);
        let (span, category) = (method.span(), Category::Unknown);
        let callee = quote_spanned!(span=> <#ty>::#hidden #turbofish);
        let arguments = call.paren_token.span.join();
        let hidden = CalledMethod { check: TokenStream::new(), guard: None, callee, shown: span, arguments, category };
        self.hidden_call(hidden, &[receiver], &args, Extent::of_tokens(call))
    }
}

/// Returns the receiver without the borrows around it, and the innermost of them.
fn borrowed(receiver: &Expr) -> (&Expr, Option<&ExprReference>) {
    match peeled(receiver) {
        Expr::Reference(reference) => {
            let (inner, borrow) = borrowed(&reference.expr);
            (inner, borrow.or(Some(reference)))
        }
        _ => (receiver, None),
    }
}

/// Returns the call of the single method that stands for `x.get(i).copied()`, `x.first().copied()` or
/// `x.last().copied()`: the `Option` between the two calls would hold a reference.
fn copied_element(call: &ExprMethodCall) -> Option<ExprMethodCall> {
    let is_copy = call.args.is_empty() && (call.method == "copied" || call.method == "cloned");
    match peeled(&call.receiver) {
        Expr::MethodCall(inner) if is_copy && ["get", "first", "last"].iter().any(|name| inner.method == name) => {
            let method = Ident::new(&format!("{}_copied", inner.method), inner.method.span());
            Some(ExprMethodCall { method, ..inner.clone() })
        }
        _ => None,
    }
}

/// Returns the call of the single method that stands for `v.as_slice().unwrap()` and the like: the `Option` between the two
/// calls would hold a slice.
fn unwrapped_slice(call: &ExprMethodCall) -> Option<ExprMethodCall> {
    let inner = slice_of_a_view(call)?;
    let mutable = inner.method == "as_slice_mut" || inner.method == "into_slice";
    let name = if mutable { "as_slice_mut_unwrapped" } else { "as_slice_unwrapped" };
    let method = Ident::new(name, inner.method.span());
    (call.method == "unwrap" && call.args.is_empty()).then(|| ExprMethodCall { method, ..inner.clone() })
}

/// Returns `{ let view = v; if !view.is_standard_layout() { panic!("text") } view.as_slice().unwrap() }` for
/// `v.as_slice().expect("text")` and the like.
fn expected_slice(call: &ExprMethodCall) -> Option<Expr> {
    let inner = slice_of_a_view(call)?;
    let (Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })), 1) = (call.args.first(), call.args.len()) else {
        return None;
    };
    if call.method != "expect" {
        return None;
    }
    let (view, receiver, method) = (Ident::new("__view", ours(inner.receiver.span())), &inner.receiver, &inner.method);
    let text = LitStr::new(&text.value().replace('{', "{{").replace('}', "}}"), text.span());
    syn::parse2(quote_spanned! {ours(call.receiver.span())=> {
        let #view = #receiver;
        if !#view.is_standard_layout() {
            panic!(#text)
        }
        #view.#method().unwrap()
    }})
    .ok()
}

/// Returns the receiver of a call, if it is `v.as_slice()` or a similar method of views without arguments.
fn slice_of_a_view(call: &ExprMethodCall) -> Option<&ExprMethodCall> {
    const NAMES: [&str; 4] = ["as_slice", "to_slice", "as_slice_mut", "into_slice"];
    match peeled(&call.receiver) {
        Expr::MethodCall(inner) if inner.args.is_empty() && NAMES.iter().any(|name| inner.method == name) => {
            Some(inner)
        }
        _ => None,
    }
}

/// Returns the call of the single method that stands for `x.iter().sum()`, `x.iter().copied().max()` and the like: iterators
/// are not values.
fn reduced_elements(call: &ExprMethodCall) -> Option<ExprMethodCall> {
    let name = call.method.to_string();
    let (of_references, of_values) = (["sum", "product"], ["max", "min"]);
    let Expr::MethodCall(inner) = peeled(&call.receiver) else { return None };
    let (elements, copied) = match peeled(&inner.receiver) {
        Expr::MethodCall(elements) if inner.method == "copied" || inner.method == "cloned" => (elements, true),
        _ => (inner, false),
    };
    let takes_none = [call, inner, elements].iter().all(|call| call.args.is_empty());
    let is_known = of_references.contains(&name.as_str()) || copied && of_values.contains(&name.as_str());
    (takes_none && is_known && elements.method == "iter").then(|| ExprMethodCall {
        receiver: elements.receiver.clone(),
        method: Ident::new(&format!("iter_{name}"), call.method.span()),
        ..call.clone()
    })
}

/// Returns the method that creates an iterator, if this chain of calls begins with one.
fn iterator_of(call: &ExprMethodCall) -> Option<(&Ident, String)> {
    let inner = match peeled(&call.receiver) {
        Expr::MethodCall(inner) if reduced_elements(inner).is_none() => iterator_of(inner),
        _ => None,
    };
    let name = call.method.to_string();
    let creates_one = ["iter", "iter_mut", "into_iter", "chunks", "chunks_exact", "windows"].contains(&name.as_str());
    inner.or_else(|| creates_one.then_some((&call.method, name)))
}
