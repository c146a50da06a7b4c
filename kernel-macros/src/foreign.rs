//! `#[device(unsafe(cuda = ".."))]`: a function whose body is given twice, in CUDA C and in Rust. The one is for a GPU and
//! the other for the CPU, and neither is looked into.

use cumbia_kernel_ir::ir::CudaC;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Block, Expr, LitStr, Macro, Stmt};

use crate::expand::to_host;
use crate::identity::{self, Known};
use crate::position;
use crate::signature::{Foreign, Signature};

/// The two bodies of a function.
pub(crate) fn body(cuda: &LitStr, signature: &Signature, block: &Block) -> Foreign {
    Foreign { cuda: CudaC { text: cuda.value(), line: position::of(cuda.span()).line }, cpu: cpu(signature, block) }
}

/// The body in Rust is the user's own, and sees the references that the signature says: that nothing else writes there
/// meanwhile is a part of what they vouched for.
fn cpu(signature: &Signature, block: &Block) -> TokenStream {
    if let Some(call) = unimplemented(block) {
        let (check, missing) = (identity::check(&call.path, Known::Macro), missing(signature));
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

/// The macro's call, where it says that there is no body in Rust: `{ unimplemented!() }`.
fn unimplemented(block: &Block) -> Option<&Macro> {
    let call = match block.stmts.as_slice() {
        [Stmt::Macro(call)] => &call.mac,
        [Stmt::Expr(Expr::Macro(call), _)] => &call.mac,
        _ => return None,
    };
    (call.path.is_ident("unimplemented") || call.path.is_ident("todo")).then_some(call)
}

/// What the CPU says of such a function.
fn missing(signature: &Signature) -> TokenStream {
    let cx = Ident::new("cx", Span::mixed_site());
    let text = format!("`{}` has a body for CUDA only", signature.path);
    let position = position::of(signature.name.span());
    let (line, column) = (position.line, position.column);
    quote! {
        #cx.panic(&::cumbia::__private::Location { file: ::core::file!(), line: #line, column: #column, id: 0 }, #text)
    }
}
