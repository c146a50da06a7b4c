//! Calls: device functions, intrinsics, and methods of numbers and slices.

use cumbia_kernel_ir::ir::{ExprKind, Method};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprIndex, ExprLit, ExprMethodCall, ExprPath, ExprReference, Ident, Lit, PathArguments};

use super::{Lowerer, Value, slot_name};
use crate::position::{ours, standing_for};
use crate::rules;
use crate::signature::is_heap_name;

/// The types whose functions can be called by their path.
const NUMBERS: [&str; 13] =
    ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];

impl Lowerer<'_> {
    /// `f(x, y)`
    pub(super) fn call(&mut self, call: &ExprCall) -> Value {
        let path = match &*call.func {
            Expr::Path(path) => path,
            Expr::Paren(inner) if matches!(*inner.expr, Expr::Closure(_)) => return self.expr(&inner.expr),
            other => return self.refuse(other, &rules::CALLEE),
        };
        if let Some(name) = self.number_type(path) {
            return self.associated_call(call, path, &name);
        }
        if let Some(heap) = path.path.segments.iter().find(|segment| is_heap_name(&segment.ident.to_string())) {
            return self.refuse_named(path, &rules::HEAP, &heap.ident);
        }
        if path.path.is_ident(&self.signature.name) {
            return self.refuse(path, &rules::RECURSION);
        }
        if let Some(dimension) = dimension_of(path) {
            return self.geometry(call, path, &dimension);
        }
        let args: Vec<Value> = call.args.iter().map(|arg| self.argument(arg)).collect();
        self.resolved_call(call, &path.to_token_stream(), &args)
    }

    /// A call of what `path` names.
    fn resolved_call(&mut self, call: &ExprCall, path: &TokenStream, args: &[Value]) -> Value {
        let callee = self.slot();
        let span = call.func.span();
        let name = slot_name(callee, span);
        let at = self.at(call.span());
        let cx = &self.cx;
        let cpu_args = args.iter().map(|arg| &arg.cpu);
        // The name is looked up as a type's, by a struct literal: so the generic arguments may be left out, and a
        // function of the host's is refused where it is named.
        let cpu = quote_spanned! {ours(span)=>
            #name
                .callee(#path { call: #cx.call(#at), types: ::core::marker::PhantomData }, |of| ::cumbia::__private::give(of))
                .call(#(#cpu_args),*)
        };
        let args = args.iter().map(|arg| arg.id).collect();
        self.value(ExprKind::Call { callee, args }, call.span(), standing_for(call.span(), cpu))
    }

    /// An argument: a value, or the place of an element for an atomic.
    fn argument(&mut self, arg: &Expr) -> Value {
        let Expr::Reference(ExprReference { mutability: Some(_), expr, .. }) = arg else {
            return self.expr(arg);
        };
        match &**expr {
            Expr::Index(index) => self.borrow(arg, index),
            _ => self.refuse(arg, &rules::REFERENCE),
        }
    }

    /// `&mut y[i]`
    fn borrow(&mut self, arg: &Expr, index: &ExprIndex) -> Value {
        self.refuse_read_only(index);
        let Value { id, cpu } = self.element_place(index);
        self.value(ExprKind::Borrow(id), arg.span(), cpu)
    }

    /// `grid(2)` stands for `grid::<2>()`: the dimension decides the type, so it has to be a constant of the type's.
    fn geometry(&mut self, call: &ExprCall, path: &ExprPath, name: &Ident) -> Value {
        let dimension = match call.args.first() {
            Some(Expr::Lit(ExprLit { lit: Lit::Int(value), .. })) if call.args.len() == 1 => {
                value.base10_parse::<usize>().ok().filter(|dimension| (1..=3).contains(dimension))
            }
            _ => None,
        };
        let Some(dimension) = dimension else {
            let shown: &dyn ToTokens = if call.args.is_empty() { call } else { &call.args };
            return self.refuse_named(&shown, &rules::GRID_DIMENSION, name);
        };
        self.resolved_call(call, &quote_spanned!(ours(path.span())=> #path::<#dimension>), &[])
    }

    /// The type in `f32::max` or `T::from_f64`, if the path is a function of a number type.
    fn number_type(&self, path: &ExprPath) -> Option<Ident> {
        let segments = &path.path.segments;
        let (Some(ty), Some(_), 2) = (segments.first(), segments.last(), segments.len()) else {
            return None;
        };
        let known = self.signature.types.contains(&ty.ident) || NUMBERS.contains(&ty.ident.to_string().as_str());
        (known && path.qself.is_none()).then(|| ty.ident.clone())
    }

    /// `f32::max(a, b)`, `u64::from(x)`, `T::from_f64(x)`
    fn associated_call(&mut self, call: &ExprCall, path: &ExprPath, ty: &Ident) -> Value {
        let function = &path.path.segments.last().expect("`number_type` found two segments").ident;
        let text = function.to_string();
        let method = Method::from_name(&text);
        let mut args: Vec<Value> = call.args.iter().map(|arg| self.expr(arg)).collect();
        self.note_call(method, &mut args, call.span());
        let cpu_args = args.iter().map(|arg| &arg.cpu);
        let cpu = if self.signature.types.contains(ty) {
            quote!(#path(#(#cpu_args),*))
        } else {
            // Not the user's path: a module or type of theirs may have the name of a number type.
            let arguments = &path.path.segments.last().expect("`number_type` found two segments").arguments;
            quote_spanned!(path.span()=> <::core::primitive::#ty>::#function #arguments (#(#cpu_args),*))
        };
        if matches!(text.as_str(), "from" | "from_f64") && args.len() == 1 {
            let slot = self.slot();
            let name = slot_name(slot, path.span());
            let cpu = quote_spanned!(ours(path.span())=> #name.tap(#cpu));
            return self.value(ExprKind::Cast { operand: args[0].id, slot }, call.span(), cpu);
        }
        let Some(method) = method else {
            return self.refuse_named(path, &rules::ASSOCIATED_FUNCTION, &format!("{ty}::{function}"));
        };
        if args.is_empty() {
            return Value { cpu, ..self.nothing(call) }; // rustc says which argument is missing
        }
        let receiver = args.remove(0).id;
        let args = args.iter().map(|arg| arg.id).collect();
        self.value(ExprKind::Method { receiver, method, args }, call.span(), cpu)
    }

    /// `x.sqrt()`
    pub(super) fn method_call(&mut self, call: &ExprMethodCall) -> Value {
        let ExprMethodCall { receiver, method: name, turbofish, args, .. } = call;
        let text = name.to_string();
        let Some(method) = Method::from_name(&text) else {
            let rule = match text.as_str() {
                "into" | "try_into" | "unwrap" | "expect" => &rules::CONVERSION,
                text if is_iterator_method(text) => &rules::ITERATOR_METHOD,
                _ => &rules::METHOD,
            };
            return self.refuse_named(name, rule, &text);
        };
        if turbofish.is_some() {
            return self.refuse(turbofish, &rules::METHOD_GENERICS);
        }
        let receiver = match &**receiver {
            Expr::Index(index) if matches!(method, Method::Len | Method::IsEmpty) => self.element_place(index),
            receiver => self.expr(receiver),
        };
        let mut operands = vec![receiver];
        operands.extend(args.iter().map(|arg| self.expr(arg)));
        self.note_call(Some(method), &mut operands, call.span());
        let (receiver_cpu, args_cpu) = (&operands[0].cpu, operands[1..].iter().map(|arg| &arg.cpu));
        let cpu = quote!(#receiver_cpu.#name(#(#args_cpu),*));
        let receiver = operands.remove(0).id;
        let args = operands.iter().map(|arg| arg.id).collect();
        self.value(ExprKind::Method { receiver, method, args }, call.span(), cpu)
    }

    /// Lets the last operand of a method that may panic note the call: the panic would name a position in the standard
    /// library.
    fn note_call(&mut self, method: Option<Method>, operands: &mut [Value], span: Span) {
        if let (true, Some(last)) = (method.is_some_and(may_panic), operands.last_mut()) {
            let (at, cx, operand) = (self.at(span), &self.cx, &last.cpu);
            last.cpu = standing_for(span, quote_spanned!(ours(span)=> #cx.calling(#at, #operand)));
        }
    }
}

/// Whether the standard library's method panics on some values.
fn may_panic(method: Method) -> bool {
    use Method::{Abs, Clamp, DivCeil, DivEuclid, Pow, RemEuclid};
    matches!(method, Abs | Clamp | DivCeil | DivEuclid | Pow | RemEuclid)
}

/// The name in `grid(..)` and `grid_size(..)`, however the path to it is written, if it has no generic arguments.
fn dimension_of(path: &ExprPath) -> Option<Ident> {
    let last = path.path.segments.last()?;
    let named = last.ident == "grid" || last.ident == "grid_size";
    (named && matches!(last.arguments, PathArguments::None)).then(|| last.ident.clone())
}

/// Whether a method of this name makes or adapts an iterator.
fn is_iterator_method(name: &str) -> bool {
    const NAMES: [&str; 24] = [
        "iter",
        "iter_mut",
        "into_iter",
        "map",
        "filter",
        "zip",
        "enumerate",
        "rev",
        "step_by",
        "take",
        "skip",
        "chain",
        "fold",
        "sum",
        "product",
        "for_each",
        "chunks",
        "windows",
        "collect",
        "any",
        "all",
        "count",
        "cloned",
        "copied",
    ];
    NAMES.contains(&name)
}
