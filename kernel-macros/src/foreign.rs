//! `#[device(unsafe(cuda = ".."))]` and `#[device(unsafe(link = ".."))]`: device functions with a body in CUDA C, or a
//! definition in a linked file, for the GPU and a body in Rust for the CPU. Neither is parsed or lowered.

use cumbia_kernel_ir::{self as ir, CudaC};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::{Block, Expr, GenericParam, Generics, LitStr, Macro, Stmt};

use crate::identity::{self, Known};
use crate::options::{ForeignBody, Linked};
use crate::position;
use crate::report::Errors;
use crate::rules;
use crate::signature::{Foreign, Param, ParamKind, Signature, text_of};

/// Returns the two bodies of a function.
///
/// Reports parameters that the Rust body could not take.
pub(crate) fn body(body: &ForeignBody, signature: &Signature, block: &Block, errors: &mut Errors) -> Foreign {
    for param in &signature.params {
        let ty = match &param.kind {
            ParamKind::Argument(ty) | ParamKind::ArgumentRef(ty) | ParamKind::Tuple(ty, _) => text_of(ty),
            ParamKind::Array(ty, _) => text_of(ty),
            ParamKind::Value(_)
            | ParamKind::Slice(_)
            | ParamKind::SliceMut(_)
            | ParamKind::Ref(_)
            | ParamKind::RefMut(_)
            | ParamKind::View { element: _, dimensions: _, mutable: _ }
            | ParamKind::Rejected => continue,
        };
        errors.reject_named_at(param.span(), &rules::FOREIGN_ARGUMENT, &ty);
    }
    let (device, files, elsewhere) = match body {
        ForeignBody::CudaC(cuda) => {
            let text = CudaC { text: cuda.value(), line: position::of(cuda.span()).line };
            (ir::Foreign::CudaC(text), Vec::new(), "has a body in CUDA C only")
        }
        ForeignBody::Linked(Linked { files, symbol, span: _ }) => {
            let symbol = symbol.as_ref().map_or_else(|| signature.name.unraw().to_string(), LitStr::value);
            (ir::Foreign::Linked(symbol), files.clone(), "is defined in a linked file only")
        }
    };
    Foreign { device, files, cpu: cpu(signature, block, elsewhere) }
}

/// Reports type and constant parameters of a linked function and of its `impl`.
pub(crate) fn reject_generics<'a>(
    body: &ForeignBody,
    generics: impl IntoIterator<Item = &'a Generics>,
    errors: &mut Errors,
) {
    let ForeignBody::Linked(_) = body else { return };
    for generics in generics {
        let first = generics.params.iter().find(|param| !matches!(param, GenericParam::Lifetime(_)));
        if let Some(param) = first {
            errors.reject(param, &rules::LINKED_GENERIC);
            return;
        }
    }
}

/// Reports a linked function that is the default of a trait, and so generic over `Self`.
pub(crate) fn reject_default(body: &ForeignBody, errors: &mut Errors) {
    if let ForeignBody::Linked(linked) = body {
        errors.reject_at(linked.span, &rules::LINKED_GENERIC);
    }
}

/// Returns the CPU body: the user's Rust body, with the parameters converted to the types of the signature. That no
/// other thread writes through these references meanwhile is part of the user's `unsafe` promise.
fn cpu(signature: &Signature, block: &Block, elsewhere: &str) -> TokenStream {
    if let Some(call) = unimplemented(block) {
        let (check, missing) = (identity::check(&call.path, Known::Macro), missing(signature, elsewhere));
        return quote!({ #check #missing });
    }
    let params = signature.params.iter().map(to_host);
    let result = signature.result.as_ref().map(|result| quote!(-> #result));
    quote! {
        {
            #(#params)*
            (move || #result #block)()
        }
    }
}

/// Returns the macro invocation of a body that is only `unimplemented!()` or `todo!()`: there is no Rust body.
fn unimplemented(block: &Block) -> Option<&Macro> {
    let call = match block.stmts.as_slice() {
        [Stmt::Macro(call)] => &call.mac,
        [Stmt::Expr(Expr::Macro(call), _)] => &call.mac,
        _ => return None,
    };
    (call.path.is_ident("unimplemented") || call.path.is_ident("todo")).then_some(call)
}

/// Returns the panic that the CPU executes in place of a missing Rust body. `elsewhere` states where the function is
/// defined.
fn missing(signature: &Signature, elsewhere: &str) -> TokenStream {
    let cx = Ident::new("__cx", Span::mixed_site());
    let text = format!("`{}` {elsewhere}", signature.path);
    let position = position::of(signature.name.span());
    let (line, column) = (position.line, position.column);
    quote! {
        #cx.panic(&::cumbia::__private::Location { file: ::core::file!(), line: #line, column: #column, id: 0 }, #text)
    }
}

/// Converts a parameter's handle to the declared type, for the Rust body of a foreign function.
fn to_host(param: &Param) -> TokenStream {
    let name = &param.name;
    let mutability = param.mutable.then(|| quote!(mut));
    let converted = match &param.kind {
        ParamKind::Value(_)
        | ParamKind::View { element: _, dimensions: _, mutable: _ }
        | ParamKind::Argument(_)
        | ParamKind::ArgumentRef(_)
        | ParamKind::Tuple(..)
        | ParamKind::Array(..)
        | ParamKind::Rejected => {
            quote!(#name)
        }
        ParamKind::Slice(_) | ParamKind::Ref(_) => quote!(unsafe { #name.as_host() }),
        ParamKind::SliceMut(_) | ParamKind::RefMut(_) => quote!(unsafe { #name.as_host_mut() }),
    };
    quote!(let #mutability #name = #converted;)
}
