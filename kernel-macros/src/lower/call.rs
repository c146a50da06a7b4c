//! Calls by name: device functions, intrinsics, functions of types, tuple structs.

use cumbia_kernel_ir::ir::ExprKind;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprLit, ExprPath, Ident, Lit, Path, PathArguments};

use super::place::Access;
use super::sugar::is_upper_case;
use super::{Lowerer, Shape, Value, foreign, peeled, slot_name};
use crate::identity::{self, Known};
use crate::position::{ours, standing_for};
use crate::rules;
use crate::signature::is_heap_name;

/// Whether a type of this name is Rust's own.
pub(super) fn is_primitive(name: &str) -> bool {
    const NAMES: [&str; 13] =
        ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];
    NAMES.contains(&name)
}

/// What the path of a call names, as far as its letters tell: types and their variants begin with an upper-case one.
enum Callee {
    /// `helper`, `math::helper`
    Function,
    /// `Complex::new`, `f32::max`, `<T as Shape>::area`
    Associated,
    /// `Pair`
    TupleStruct,
}

impl Lowerer<'_> {
    /// `f(x, y)`
    pub(super) fn call(&mut self, call: &ExprCall) -> Value {
        let path = match peeled(&call.func) {
            Expr::Path(path) => path,
            closure @ Expr::Closure(_) => return self.expr(closure),
            other => return self.refuse(other, &rules::CALLEE),
        };
        if let Some(help) = foreign::call(call, path) {
            self.errors.explain(path, &help);
            return self.nothing(call);
        }
        if let Some(heap) = path.path.segments.iter().find(|segment| is_heap_name(&segment.ident.to_string())) {
            return self.refuse_named(path, &rules::HEAP, &heap.ident);
        }
        match callee_of(path) {
            Callee::Associated => self.associated_call(call, path),
            Callee::TupleStruct => self.tuple_structure(call, &path.path),
            Callee::Function => self.function_call(call, path),
        }
    }

    fn function_call(&mut self, call: &ExprCall, path: &ExprPath) -> Value {
        if is_layout(path) && call.args.is_empty() {
            // Whichever function it is: its value is a constant.
            return self.constant(call.span(), &quote!(const { #call }));
        }
        if let Some(name) = path.path.get_ident() {
            if self.lookup(name).is_some() {
                return self.refuse(path, &rules::CALLEE);
            }
            if *name == self.signature.name && !self.signature.associated {
                return self.refuse(path, &rules::RECURSION);
            }
        }
        if let Some(dimension) = dimension_of(path) {
            return self.geometry(call, path, &dimension);
        }
        let args: Vec<Value> = call.args.iter().map(|arg| self.expr(arg)).collect();
        let shape = shape_of_result(path, args.len());
        let known = shape != Shape::Unknown;
        let Value { id, cpu, shape } = self.resolved_call(call, &path.to_token_stream(), &args, shape);
        if !known {
            return Value { id, cpu, shape };
        }
        let check = identity::check(&path.path, Known::Operation);
        Value { id, cpu: standing_for(call.span(), quote!({ #check #cpu })), shape }
    }

    /// A call of what `path` names.
    fn resolved_call(&mut self, call: &ExprCall, path: &TokenStream, args: &[Value], shape: Shape) -> Value {
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
                .callee(#path { call: #cx.call(#at), types: ::core::marker::PhantomData }, |of| ::cumbia::__private::callee_content(of))
                .call(#(#cpu_args),*)
        };
        let args = args.iter().map(|arg| arg.id).collect();
        self.shaped(ExprKind::Call { callee, args }, call.span(), standing_for(call.span(), cpu), shape)
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
        let check = identity::check(&path.path, Known::Operation);
        let path = quote_spanned!(ours(path.span())=> #path::<#dimension>);
        let Value { id, cpu, shape } = self.resolved_call(call, &path, &[], Shape::Owned);
        Value { id, cpu: standing_for(call.span(), quote!({ #check #cpu })), shape }
    }

    /// `Complex::new(a)`, `f32::max(a, b)`, `T::from_f64(x)`
    fn associated_call(&mut self, call: &ExprCall, path: &ExprPath) -> Value {
        let Some(function) = path.path.segments.last().map(|last| last.ident.clone()) else {
            return self.refuse(path, &rules::CALLEE);
        };
        let mut args = call.args.iter();
        let first = args.next().map(|first| self.receiving_argument(first));
        let mut guard = None;
        let mut values = Vec::new();
        if let Some((value, before)) = first {
            values.push(value);
            guard = before;
        }
        values.extend(args.map(|arg| self.expr(arg)));
        // What is in memory is lent to the function; a type before it is the function's own, or one that implements its trait.
        let lent = guard.is_some() && path.qself.is_none() && !self.is_number(path);
        let hidden = if lent { lent_name(&function) } else { hidden_name(&function) };
        self.fallbacks.associated(&function, hidden.clone(), values.len());
        let named = hidden_path(path, hidden);
        let mut check = TokenStream::new();
        if let Some(primitive) = primitive_of(path)
            && !path.path.segments.first().is_some_and(|ty| self.signature.types.contains(&ty.ident))
        {
            // A module of this name is passed over by rustc where it does not have the hidden function.
            check = identity::check(&primitive, Known::Primitive);
        }
        let method = CalledMethod { check, guard, callee: named, shown: path.span(), shape: Shape::Unknown };
        let (first, rest) = values.split_at(values.len().min(1));
        self.hidden_call(method, first, rest, call.span())
    }

    /// The first argument of a function of a type, and what belongs before the call. It may be the receiver of a method, which
    /// is a Rust reference, or another reference, which is a handle; what is given here becomes either.
    fn receiving_argument(&mut self, arg: &Expr) -> (Value, Option<Guard>) {
        let reference = match peeled(arg) {
            Expr::Reference(reference) if !matches!(peeled(&reference.expr), Expr::Reference(_) | Expr::Range(_)) => {
                reference
            }
            _ => {
                let value = self.expr(arg);
                let Shape::Reference { mutable } = value.shape else { return (value, None) };
                return received(value, mutable, arg.span());
            }
        };
        let mutable = reference.mutability.is_some();
        if mutable {
            self.refuse_read_only(&reference.expr);
        }
        let access = if mutable { Access::Write } else { Access::Read };
        let place = self.place(&reference.expr, access);
        let id = self.push(ExprKind::Borrow { place: place.id, mutable }, reference.span());
        let to_value = Shape::Reference { mutable };
        if place.leads_to_handle() {
            return received(Value { id, cpu: place.cpu, shape: to_value }, mutable, reference.span());
        }
        let (cpu, and, mutability) = (place.cpu, &reference.and_token, &reference.mutability);
        let cpu = if place.shape == Shape::Slice { cpu } else { quote!(#and #mutability #cpu) };
        (Value { id, cpu, shape: to_value }, None)
    }

    /// Whether a path is that of a function of a number's, or of a type parameter's.
    fn is_number(&self, path: &ExprPath) -> bool {
        path.path.segments.first().is_some_and(|ty| {
            let name = ty.ident.to_string();
            is_primitive(&name) || name == "f16" || name == "bf16" || self.signature.types.contains(&ty.ident)
        })
    }

    /// A call of the function that the device has beside a method or an associated function of the user's: that of the hidden
    /// name. Who calls is said behind the first value, which is the receiver or the first argument; the tokens of a receiver
    /// are none, since it stands before the name.
    pub(super) fn hidden_call(&mut self, method: CalledMethod, first: &[Value], rest: &[Value], span: Span) -> Value {
        let CalledMethod { check, guard, callee, shown, shape } = method;
        let slot = self.slot();
        let name = slot_name(slot, shown);
        let at = self.at(span);
        let cx = &self.cx;
        let before: Vec<_> = first.iter().map(|value| &value.cpu).filter(|cpu| !cpu.is_empty()).collect();
        let behind: Vec<_> = rest.iter().map(|value| &value.cpu).collect();
        let call = quote_spanned!(ours(shown)=> #cx.call(#at));
        let method =
            |call: &TokenStream| quote_spanned!(ours(shown)=> #name.method(#callee(#(#before,)* #call, #(#behind),*)));
        let cpu = if let Some(Guard { receiver, call: called, place }) = guard {
            let result = method(&called.to_token_stream());
            quote_spanned! {ours(shown)=>
                {
                    #check
                    let mut #receiver = #place.receiver();
                    let #called = #receiver.called(#call);
                    #result
                }
            }
        } else if check.is_empty() {
            method(&call)
        } else {
            let called = method(&call);
            quote!({ #check #called })
        };
        let args = first.iter().chain(rest).map(|value| value.id).collect();
        self.shaped(ExprKind::Call { callee: slot, args }, span, standing_for(span, cpu), shape)
    }
}

/// The receiver of a call that is in memory. It is evaluated before the arguments, and the call carries its place.
pub(super) struct Guard {
    /// The variable of the receiver.
    pub(super) receiver: Ident,
    /// The variable of the call.
    call: Ident,
    /// The handle of the place.
    place: TokenStream,
}

impl Guard {
    /// That of a handle. An error about it is shown at `span`.
    pub(super) fn new(handle: &TokenStream, span: Span) -> Guard {
        let [receiver, call] = ["receiver", "call"].map(|name| Ident::new(name, ours(span)));
        Guard { receiver, call, place: handle.clone() }
    }
}

/// What a hidden function is called by.
pub(super) struct CalledMethod {
    /// Verifies that names which the macro recognised mean what it takes them for.
    pub(super) check: TokenStream,
    /// The receiver, if it is in memory.
    pub(super) guard: Option<Guard>,
    /// All that stands before the parentheses.
    pub(super) callee: TokenStream,
    /// Where an error about the function is shown.
    pub(super) shown: Span,
    /// Of the result.
    pub(super) shape: Shape,
}

/// A reference to what is in memory, for a function that may take a Rust reference: the guard that [`super::method`] calls
/// methods on.
fn received(value: Value, mutable: bool, span: Span) -> (Value, Option<Guard>) {
    let Value { id, cpu, shape } = value;
    let guard = Guard::new(&cpu, span);
    let (name, span) = (&guard.receiver, ours(span));
    let cpu = if mutable { quote_spanned!(span=> &mut #name) } else { quote_spanned!(span=> &#name) };
    (Value { id, cpu, shape }, Some(guard))
}

fn callee_of(path: &ExprPath) -> Callee {
    let mut segments = path.path.segments.iter().rev();
    let (last, before) = (segments.next(), segments.next());
    let of_type = path.qself.is_some() || before.is_some_and(|before| is_type_name(&before.ident));
    match last {
        Some(last) if is_upper_case(&last.ident) => Callee::TupleStruct,
        Some(_) if of_type => Callee::Associated,
        _ => Callee::Function,
    }
}

/// Whether a name before `::` is that of a type, and not of a module.
fn is_type_name(name: &Ident) -> bool {
    let text = name.to_string();
    is_upper_case(name) || is_primitive(&text) || text == "f16" || text == "bf16" || is_vector(&text)
}

/// Whether a type of this name is one of CUDA C's vectors, as users who port a program name theirs: `float4`.
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

/// A path with the hidden name for its last: `Complex::new` as `Complex::__device_new`.
fn hidden_path(path: &ExprPath, hidden: Ident) -> TokenStream {
    let mut path = path.clone();
    if let Some(last) = path.path.segments.last_mut() {
        last.ident = hidden;
    }
    path.to_token_stream()
}

/// The path of a primitive type before the name of its function: `f32` of `f32::max`.
fn primitive_of(path: &ExprPath) -> Option<Path> {
    let mut segments = path.path.segments.iter();
    let (Some(ty), Some(_), None) = (segments.next(), segments.next(), segments.next()) else { return None };
    let primitive = path.qself.is_none() && ty.arguments.is_none() && is_primitive(&ty.ident.to_string());
    primitive.then(|| ty.ident.clone().into())
}

/// The name of the function for the device beside one of a type's.
pub(super) fn hidden_name(name: &Ident) -> Ident {
    Ident::new(&format!("__device_{}", name.unraw()), name.span())
}

/// The name of the same where its first argument is a reference to what is in memory.
pub(super) fn lent_name(name: &Ident) -> Ident {
    Ident::new(&format!("__device_lent_{}", name.unraw()), name.span())
}

/// The name in `grid(..)` and `grid_size(..)`, however the path to it is written, if it has no generic arguments.
fn dimension_of(path: &ExprPath) -> Option<Ident> {
    let last = path.path.segments.last()?;
    let named = last.ident == "grid" || last.ident == "grid_size";
    (named && matches!(last.arguments, PathArguments::None)).then(|| last.ident.clone())
}

/// Whether a path is `size_of::<T>` or `align_of::<T>`.
fn is_layout(path: &ExprPath) -> bool {
    last_of(&path.path).is_some_and(|(name, generic)| generic && (name == "size_of" || name == "align_of"))
}

/// What is known of the result of a function. A device function gives a value or a tuple of them; the intrinsics that give
/// shared memory are the exceptions. Under another name their result counts as unknown, which works where it is indexed.
fn shape_of_result(path: &ExprPath, arguments: usize) -> Shape {
    match (last_of(&path.path), arguments) {
        (Some((name, _)), 0) if name == "shared" => Shape::Reference { mutable: true },
        (Some((name, _)), 0) if name == "dynamic_shared" => Shape::Slice,
        (Some((name, _)), 2) if name == "dynamic_shared_at" => Shape::Slice,
        _ => Shape::Unknown,
    }
}

/// The last name of a path, and whether it has generic arguments.
fn last_of(path: &Path) -> Option<(&Ident, bool)> {
    path.segments.last().map(|last| (&last.ident, !last.arguments.is_none()))
}
