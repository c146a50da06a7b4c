//! A test front end: builds the IR from Rust text, like `#[kernel]` and rustc, for programs with explicit types.
//!
//! The tests of this crate do not depend on the macros, which depend on this crate, and compile hundreds of small programs
//! at run time, also invalid ones, of which rustc would accept none. Programs for all layers are in `tests/corpus`.
//!
//! The text consists of functions, methods (`impl P { .. }`, `impl Add for P { .. }`), structs, enums and constants,
//! each declared before its uses; the last function is the kernel. A `let` whose type this front end cannot determine
//! requires a type annotation; a literal of undetermined type is a `usize` or an `f32`. `#[cuda("return x;")]` on a
//! function is its body in CUDA C.
#![allow(dead_code, reason = "each test uses only a part")]

mod body;
mod call;
pub(crate) mod host;
mod inference;
mod items;
mod message;
mod pattern;

use std::sync::Arc;

use cumbia_kernel_ir::{CudaC, Foreign, Function, Instance, Program, Span};
use syn::spanned::Spanned;

use body::Builder;
use items::Items;

/// Builds a program from its text.
pub(crate) fn program(text: &str, overflow_checks: bool) -> Program {
    let file = syn::parse_file(text).expect("the test's text is Rust");
    let mut items = Items::default();
    let mut instances = Vec::new();
    for item in &file.items {
        match item {
            syn::Item::Fn(item) => instances.push(function(&mut items, &item.attrs, &item.sig, &item.block)),
            syn::Item::Struct(item) => items.structure(item),
            syn::Item::Enum(item) => items.choice(item),
            syn::Item::Const(item) => items.constant(item),
            syn::Item::Impl(item) => {
                items.owner = Some(items.ty(&item.self_ty));
                items.in_trait = item.trait_.is_some();
                for item in &item.items {
                    match item {
                        syn::ImplItem::Fn(item) => {
                            instances.push(function(&mut items, &item.attrs, &item.sig, &item.block));
                        }
                        // `type Output = ..` repeats the method's result type.
                        syn::ImplItem::Type(_) => {}
                        _ => panic!("only methods in an `impl`"),
                    }
                }
                items.owner = None;
            }
            _ => panic!("unsupported item"),
        }
    }
    for instance in &mut instances {
        instance.overflow_checks = overflow_checks;
    }
    let kernel = Arc::new(instances.pop().expect("a kernel"));
    let functions = instances.into_iter().map(Arc::new).collect();
    Program { kernel, functions, index: cumbia_kernel_ir::Scalar::Usize }
}

/// Returns the position at which a node begins.
fn span(node: &impl Spanned) -> Span {
    let start = node.span().start();
    Span { line: start.line as u32, column: start.column as u32 + 1 }
}

/// Builds a function, and makes it available to those after it.
fn function(items: &mut Items, attrs: &[syn::Attribute], sig: &syn::Signature, body: &syn::Block) -> Instance {
    let result = match &sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, result) => Some(items.ty(result)),
    };
    let mut builder = Builder::new(items, result.clone());
    let params: Vec<_> = sig.inputs.iter().map(|input| builder.param(input)).collect();
    let types = params.iter().map(|param| builder.local_type(*param).clone()).collect();
    let result_slot = result.clone().map(|result| builder.type_slot(result));
    let body = builder.block_as(body, result.as_ref());
    let attribute = |name: &str| {
        let attribute = attrs.iter().find(|attr| attr.path().is_ident(name));
        attribute.map(|attribute| attribute.parse_args::<syn::LitStr>().expect("a string"))
    };
    let cuda = attribute("cuda").map(|cuda| Foreign::CudaC(CudaC { text: cuda.value(), line: span(&cuda).line }));
    let Builder { locals, exprs, slots, .. } = builder;
    let function = Function {
        name: sig.ident.to_string(),
        span: span(&sig.ident),
        params,
        result: result_slot,
        foreign: cuda.or_else(|| attribute("link").map(|symbol| Foreign::Linked(symbol.value()))),
        locals,
        exprs,
        body,
        slots: slots.len() as u32,
    };
    items.function(&function.name, types, result);
    Instance { function, slots, file: "src/kernels.rs".to_owned(), overflow_checks: false, built_in: false }
}
