//! Calls by path: device functions, intrinsics, associated functions, tuple structs.

pub(in crate::lower) mod fallback;
mod import;
pub(in crate::lower) mod intrinsic;
pub(in crate::lower) mod method;

use cumbia_kernel_ir::ExprKind;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprLit, ExprPath, GenericArgument, Ident, Lit, Path, PathArguments, Type};

use crate::extent::Extent;
use crate::identity::{self, Known, is_primitive};
use crate::lower::place::PlaceContext;
use crate::lower::sugar::is_upper_case;
use crate::lower::{Category, Lowerer, Value, foreign, peeled, slot_name};
use crate::position::{ours, standing_for};
use crate::rules;
use crate::signature::{ParamKind, is_heap_name};

/// The kind of item that a call's path names, by Rust's naming convention: the names of types and variants are upper camel
/// case.
enum PathKind {
    /// `helper`, `math::helper`
    Function,
    /// `Complex::new`, `f32::max`, `<T as Shape>::area`
    Associated,
    /// `Pair`
    TupleStruct,
}

impl Lowerer<'_> {
    /// `f(x, y)`
    pub(in crate::lower) fn call(&mut self, call: &ExprCall) -> Value {
        let path = match peeled(&call.func) {
            Expr::Path(path) => path,
            closure @ Expr::Closure(_) => return self.expr(closure),
            other => return self.reject(other, &rules::CALLEE),
        };
        if let Some(help) = foreign::call(call, path) {
            self.errors.explain(path, &help);
            return self.placeholder(call);
        }
        if is_shared_slice(&path.path) {
            return self.reject(path, &rules::SHARED_SLICE);
        }
        if let Some(heap) = path.path.segments.iter().find(|segment| is_heap_name(&segment.ident.to_string())) {
            return self.reject_named(path, &rules::HEAP, &heap.ident);
        }
        match path_kind(path) {
            PathKind::Associated => self.associated_call(call, path),
            PathKind::TupleStruct => self.tuple_structure(call, &path.path),
            PathKind::Function => self.function_call(call, path),
        }
    }

    fn function_call(&mut self, call: &ExprCall, path: &ExprPath) -> Value {
        if is_layout(path) && call.args.is_empty() {
            // Whichever function the path resolves to, the value is a constant.
            return self.constant(call.span(), &quote!(const { #call }));
        }
        if let Some(name) = path.path.get_ident() {
            if let Some(variable) = self.lookup(name) {
                // A parameter of a rejected type has its error already, and so has a closure.
                let param = self.signature.params.get(variable.index());
                if param.is_some_and(|param| matches!(param.kind, ParamKind::Rejected))
                    || self.known[variable.index()].closure
                {
                    return self.placeholder(call);
                }
                return self.reject(path, &rules::CALLEE);
            }
            if *name == self.signature.name && !self.signature.associated {
                return self.reject(path, &rules::RECURSION);
            }
        }
        let args: Vec<Value> = call.args.iter().map(|arg| self.argument(arg)).collect();
        let Some(category) = intrinsic::handle(path, args.len()) else {
            let category = intrinsic::category_of_result(path, args.len());
            return self.resolved_call(call, path, &args, category);
        };
        let Value { id, cpu, category } = self.resolved_call(call, path, &args, category);
        let check = identity::check(&path.path, Known::Intrinsic);
        Value { id, cpu: Extent::of_tokens(call).block(&quote!(#check #cpu)), category }
    }

    /// A call of the item that `path` resolves to.
    fn resolved_call(&mut self, call: &ExprCall, path: &ExprPath, args: &[Value], category: Category) -> Value {
        let slot = self.slot();
        // Errors are shown at the function's name. The span of a path is that of its first segment.
        let span = path.path.segments.last().map_or_else(|| path.span(), |last| last.ident.span());
        let name = slot_name(slot, span);
        let at = self.at(call.span());
        let cx = &self.cx;
        let cpu_args = args.iter().map(|arg| &arg.cpu);
        // The type of the result may depend on a literal argument: that of `grid(2)`.
        let literal = literal_type(call);
        let context = quote_spanned!(ours(call.args.first().map_or(span, Spanned::span))=> call_of::<#literal, _>);
        let callee = import::callee(path, span, self.globs.is_empty(), &quote_spanned!(ours(span)=> #cx.#context(#at)));
        let extent = Extent::of_tokens(call);
        let (name, cpu_args) = (extent.opening(name), extent.closing(quote_spanned!(ours(span)=> #(#cpu_args),*)));
        let cpu = quote_spanned! {ours(span)=>
            #name
                .callee(#callee, |__of| ::cumbia::__private::callee_content(__of))
                .call #cpu_args
        };
        let args = args.iter().map(|arg| arg.id).collect();
        self.with_category(ExprKind::Call { callee: slot, args }, call.span(), cpu, category)
    }

    /// `Complex::new(a)`, `f32::max(a, b)`, `T::from_f64(x)`
    fn associated_call(&mut self, call: &ExprCall, path: &ExprPath) -> Value {
        let Some(function) = path.path.segments.last().map(|last| last.ident.clone()) else {
            return self.reject(path, &rules::CALLEE);
        };
        let mut args = call.args.iter();
        let first = args.next().map(|first| self.receiving_argument(first));
        let mut guard = None;
        let mut values = Vec::new();
        if let Some((value, before)) = first {
            values.push(value);
            guard = before;
        }
        values.extend(args.map(|arg| self.argument(arg)));
        // A first argument in memory is passed as a handle. The type in the path is the function's own, or one that
        // implements its trait.
        let by_reference = guard.is_some() && path.qself.is_none() && !self.is_number(path);
        let hidden = if by_reference { by_reference_name(&function) } else { hidden_name(&function) };
        self.fallbacks.associated(&function, hidden.clone(), values.len());
        let named = hidden_path(path, hidden);
        let mut check = TokenStream::new();
        if let Some(primitive) = primitive_of(path)
            && !path.path.segments.first().is_some_and(|ty| self.signature.types.contains(&ty.ident))
        {
            // rustc skips a module of this name that does not contain the hidden function.
            check = identity::check(&primitive, Known::Primitive);
        }
        let (shown, arguments) = (path.span(), call.paren_token.span.join());
        let method = CalledMethod { check, guard, callee: named, shown, arguments, category: Category::Unknown };
        let (first, rest) = values.split_at(values.len().min(1));
        self.hidden_call(method, first, rest, Extent::of_tokens(call))
    }

    /// Lowers the first argument of an associated function, and returns the guard that has to precede the call, if any.
    /// The parameter may be a receiver, which is a Rust reference, or another reference, which is a handle; the
    /// returned value converts to both.
    fn receiving_argument(&mut self, arg: &Expr) -> (Value, Option<Guard>) {
        let reference = match peeled(arg) {
            Expr::Reference(reference) if !matches!(peeled(&reference.expr), Expr::Reference(_) | Expr::Range(_)) => {
                reference
            }
            _ => {
                let value = self.expr(arg);
                let Category::Reference { mutable } = value.category else { return (value, None) };
                return received(value, mutable, arg.span());
            }
        };
        if self.argument_type(&reference.expr).is_some() {
            return (self.reference(reference), None);
        }
        let mutable = reference.mutability.is_some();
        if mutable {
            self.reject_read_only(&reference.expr);
        }
        let context = if mutable { PlaceContext::Write } else { PlaceContext::Read };
        let place = self.place(&reference.expr, context);
        let id = self.push(ExprKind::Borrow { place: place.id, mutable }, reference.span());
        let to_value = Category::Reference { mutable };
        if place.is_behind_handle() {
            return received(Value { id, cpu: place.cpu, category: to_value }, mutable, reference.span());
        }
        let (cpu, and, mutability) = (place.cpu, &reference.and_token, &reference.mutability);
        let cpu = if place.category == Category::Slice { cpu } else { quote!(#and #mutability #cpu) };
        (Value { id, cpu, category: to_value }, None)
    }

    /// Returns whether a path names an associated function of a numeric type or of a type parameter.
    fn is_number(&self, path: &ExprPath) -> bool {
        path.path.segments.first().is_some_and(|ty| {
            let name = ty.ident.to_string();
            is_primitive(&name) || name == "f16" || name == "bf16" || self.signature.types.contains(&ty.ident)
        })
    }

    /// Lowers a call of the hidden device counterpart of a method or an associated function. The call context is passed
    /// after the first value, which is the receiver or the first argument, or `()` if there is none; a receiver has no tokens here, since
    /// it precedes the method's name.
    pub(in crate::lower) fn hidden_call(
        &mut self,
        method: CalledMethod,
        first: &[Value],
        rest: &[Value],
        extent: Extent,
    ) -> Value {
        let CalledMethod { check, guard, callee, shown, arguments, category } = method;
        let (slot, span) = (self.slot(), extent.start());
        let name = slot_name(slot, shown);
        let at = self.at(span);
        let cx = &self.cx;
        let without_first = first.is_empty().then(|| standing_for(arguments, TokenStream::new()));
        let before = first.iter().map(|value| &value.cpu).filter(|cpu| !cpu.is_empty());
        let before: Vec<_> = before.chain(&without_first).collect();
        let behind: Vec<_> = rest.iter().map(|value| &value.cpu).collect();
        let call = quote_spanned!(ours(shown)=> #cx.call(#at));
        let method = |call: &TokenStream| {
            let args = standing_for(arguments, quote!(#(#behind,)*));
            let called = quote_spanned!(ours(shown)=> #callee(#(#before,)* #call, #args));
            let (name, result) = (extent.opening(&name), extent.closing(called));
            quote_spanned!(ours(shown)=> #name.method #result)
        };
        let cpu = if let Some(guard) = guard {
            let called = &guard.call;
            let result = if let Some(other) = &guard.other {
                let reference = guard.reference_statement();
                // The arguments are evaluated once, outside the closure.
                let args: Vec<_> =
                    (0..behind.len()).map(|i| format_ident!("__argument{i}", span = ours(shown))).collect();
                let passed = standing_for(arguments, quote!(#(#args,)*));
                quote_spanned! {ours(shown)=>
                    #(let #args = #behind;)*
                    #name.method(::cumbia::__private::same_method(#callee(#(#before,)* #called, #passed), || {
                        #reference
                        ::cumbia::__private::key_of(#other(#called, #passed))
                    }))
                }
            } else {
                let (reference, result) = (guard.reference_statement(), method(&called.to_token_stream()));
                quote!(#reference #result)
            };
            let Guard { receiver, place, .. } = &guard;
            extent.block(&quote_spanned! {ours(shown)=>
                #check
                let mut #receiver = #place.receiver();
                let #called = #receiver.called(#call);
                #result
            })
        } else if check.is_empty() {
            method(&call)
        } else {
            let called = method(&call);
            extent.block(&quote!(#check #called))
        };
        let args = first.iter().chain(rest).map(|value| value.id).collect();
        self.with_category(ExprKind::Call { callee: slot, args }, span, cpu, category)
    }
}

/// A receiver in memory. It is evaluated before the arguments, and the call context carries its place.
pub(in crate::lower) struct Guard {
    /// The variable that holds the receiver.
    pub(in crate::lower) receiver: Ident,
    /// The variable that holds the call context.
    call: Ident,
    /// The handle of the place.
    place: TokenStream,
    /// The variable that holds the receiver as a reference, if the method is called on a reference.
    reference: Option<Ident>,
    /// The callee of a call that has to resolve to the same method.
    other: Option<TokenStream>,
}

impl Guard {
    /// Creates the guard of a handle, or that of a reference which the handle represents. Errors about it are shown at
    /// `span`.
    pub(in crate::lower) fn new(handle: &TokenStream, span: Span, of_reference: bool) -> Guard {
        let [receiver, call, reference] =
            ["__receiver", "__call", "__reference"].map(|name| Ident::new(name, ours(span)));
        Guard { receiver, call, place: handle.clone(), reference: of_reference.then_some(reference), other: None }
    }

    /// Requires that `callee` resolves to the same method.
    pub(in crate::lower) fn checked(self, callee: TokenStream) -> Guard {
        Guard { other: Some(callee), ..self }
    }

    /// Returns the expression of the type on which the user calls the method: a reference, or its referent.
    pub(in crate::lower) fn referent(&self) -> TokenStream {
        let variable = self.reference.as_ref().unwrap_or(&self.receiver);
        quote_spanned!(variable.span()=> *#variable)
    }

    /// Returns the declaration of `reference`.
    fn reference_statement(&self) -> Option<TokenStream> {
        let Guard { receiver, reference, .. } = self;
        let reference = reference.as_ref()?;
        Some(quote_spanned!(ours(reference.span())=> let mut #reference = #receiver.reference();))
    }
}

/// The callee of a hidden function's call.
pub(in crate::lower) struct CalledMethod {
    /// Verifies that the identifiers that the macro recognised resolve to the expected items.
    pub(in crate::lower) check: TokenStream,
    /// The guard of a receiver in memory.
    pub(in crate::lower) guard: Option<Guard>,
    /// The tokens before the parentheses.
    pub(in crate::lower) callee: TokenStream,
    /// The span of errors about the function.
    pub(in crate::lower) shown: Span,
    /// The span of the parentheses.
    pub(in crate::lower) arguments: Span,
    /// The category of the result.
    pub(in crate::lower) category: Category,
}

/// Returns a reference to a value in memory for a function that may take a Rust reference, and its guard; see
/// [`crate::lower::call::method`].
fn received(value: Value, mutable: bool, span: Span) -> (Value, Option<Guard>) {
    let Value { id, cpu, category } = value;
    let guard = Guard::new(&cpu, span, false);
    let (name, span) = (&guard.receiver, ours(span));
    let cpu = if mutable { quote_spanned!(span=> &mut #name) } else { quote_spanned!(span=> &#name) };
    (Value { id, cpu, category }, Some(guard))
}

/// Returns the type that represents the arguments of a call to `Cx::call_of` of the language layer: `Literal<N>` if the
/// only argument is the `usize` literal `N`, and `NoLiteral` otherwise. A missing argument is an error of its own.
fn literal_type(call: &ExprCall) -> TokenStream {
    let number = match call.args.first() {
        None => return quote!(::cumbia::__private::Literal<1>),
        Some(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) if call.args.len() == 1 => number,
        _ => return quote!(::cumbia::__private::NoLiteral),
    };
    match number.base10_parse::<usize>() {
        Ok(value) if matches!(number.suffix(), "" | "usize") => quote!(::cumbia::__private::Literal<#value>),
        _ => quote!(::cumbia::__private::NoLiteral),
    }
}

/// Returns whether a path is `shared::<[T]>`. No function has such an argument: the type has no size.
fn is_shared_slice(path: &Path) -> bool {
    let Some(last) = path.segments.last() else { return false };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
    let has_slice = arguments.args.iter().any(|argument| matches!(argument, GenericArgument::Type(Type::Slice(_))));
    has_slice && (last.ident == "shared" || last.ident == "dynamic_shared")
}

fn path_kind(path: &ExprPath) -> PathKind {
    let mut segments = path.path.segments.iter().rev();
    let (last, before) = (segments.next(), segments.next());
    let of_type = path.qself.is_some() || before.is_some_and(|before| is_type_name(&before.ident));
    match last {
        Some(last) if is_upper_case(&last.ident) => PathKind::TupleStruct,
        Some(_) if of_type => PathKind::Associated,
        _ => PathKind::Function,
    }
}

/// Returns whether an identifier before `::` names a type rather than a module.
fn is_type_name(name: &Ident) -> bool {
    let text = name.to_string();
    is_upper_case(name) || is_primitive(&text) || text == "f16" || text == "bf16" || is_vector(&text)
}

/// Returns whether this is the name of a CUDA C vector type, such as `float4`, which ported programs use for their own
/// types.
fn is_vector(name: &str) -> bool {
    const ELEMENTS: [&str; 13] = [
        "half",
        "char",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "longlong",
        "ulonglong",
        "float",
        "double",
    ];
    name.strip_suffix(['1', '2', '3', '4']).is_some_and(|element| ELEMENTS.contains(&element))
}

/// Returns the path with its last identifier replaced by the hidden name: `Complex::__device_new` for `Complex::new`.
fn hidden_path(path: &ExprPath, hidden: Ident) -> TokenStream {
    let mut path = path.clone();
    if let Some(last) = path.path.segments.last_mut() {
        last.ident = hidden;
    }
    path.to_token_stream()
}

/// Returns the path of the primitive type in a path to its function: `f32` for `f32::max`.
fn primitive_of(path: &ExprPath) -> Option<Path> {
    let mut segments = path.path.segments.iter();
    let (Some(ty), Some(_), None) = (segments.next(), segments.next(), segments.next()) else { return None };
    let primitive = path.qself.is_none() && ty.arguments.is_none() && is_primitive(&ty.ident.to_string());
    primitive.then(|| ty.ident.clone().into())
}

/// Returns the name of the hidden device counterpart of an associated function.
pub(in crate::lower) fn hidden_name(name: &Ident) -> Ident {
    Ident::new(&format!("__device_{}", name.unraw()), name.span())
}

/// Returns the name of the variant of that counterpart whose first argument is a reference to a value in memory.
pub(in crate::lower) fn by_reference_name(name: &Ident) -> Ident {
    Ident::new(&format!("__device_by_reference_{}", name.unraw()), name.span())
}

/// Returns whether a path is `size_of::<T>` or `align_of::<T>`.
fn is_layout(path: &ExprPath) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|last| !last.arguments.is_none() && (last.ident == "size_of" || last.ident == "align_of"))
}
