//! The function that runs on the CPU and whose return type carries the slots, and the IR beside it.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::Ident;

use super::params;
use crate::lower::{Lowered, result_name};
use crate::profile::OverflowChecks;
use crate::signature::Signature;

/// The body as an associated function of the type with the function's name. `lifetime` declares `'k`, where the type
/// does not; `owner` is the type without lifetimes, which shared arrays belong to.
pub(super) fn body(
    signature: &Signature,
    lowered: &Lowered,
    lifetime: &TokenStream,
    owner: &TokenStream,
) -> TokenStream {
    let Lowered { ir: _, cpu, cx } = lowered;
    let patterns = params::patterns(signature);
    let types = signature.params.iter().map(params::body_type);
    let result = result_type(signature);
    let (result_name, slots) = (result_name(), lowered.slots());
    let tree = tree(&slots);
    quote! {
        #[inline(always)]
        fn __body #lifetime (
            #cx: ::cumbia::__private::Cx<'k>,
            (#(#patterns,)*): (#(#types,)*),
        ) -> (#result, impl ::cumbia::__private::Slots) {
            let #cx = #cx.within::<#owner>();
            #(let #slots = ::cumbia::__private::Slot::new();)*
            #cpu
            (#result_name, #tree)
        }
    }
}

/// What the body gives.
pub(super) fn result_type(signature: &Signature) -> TokenStream {
    signature.result.as_ref().map_or_else(|| quote!(()), |result| quote!(#result))
}

/// The slots as a balanced tree of pairs: rustc's work for a type grows with its depth.
fn tree(slots: &[Ident]) -> TokenStream {
    match slots {
        [] => quote!(()),
        [slot] => quote!(#slot),
        _ => {
            let (left, right) = slots.split_at(slots.len() / 2);
            let (left, right) = (tree(left), tree(right));
            quote!((#left, #right))
        }
    }
}

/// How the runtime gets at the IR and what is in its slots.
pub(super) fn definition(signature: &Signature, lowered: &Lowered) -> TokenStream {
    let path = &signature.path;
    let ir = Literal::byte_string(&lowered.ir.to_bytes());
    let overflow_checks = overflow_checks();
    // Nothing of the user's is inside of the `unsafe`.
    quote! {
        unsafe {
            ::cumbia::__private::Definition::new(
                ::core::any::TypeId::of::<Self>(),
                ::core::concat!(::core::module_path!(), "::", #path),
                ::core::file!(),
                #ir,
                || ::cumbia::__private::contents_of(Self::__body),
                || #overflow_checks,
            )
        }
    }
}

/// Whether the crate that is being compiled has overflow checks. Where its compiler does not tell, an addition that overflows
/// is asked, if a panic of it can be caught.
fn overflow_checks() -> TokenStream {
    match OverflowChecks::of_process() {
        OverflowChecks::Set(checks) => quote!(#checks),
        OverflowChecks::AsDebugAssertions => quote!(::core::cfg!(debug_assertions)),
        OverflowChecks::Unknown => quote! {
            if ::core::cfg!(panic = "unwind") {
                ::cumbia::__private::overflows(|| {
                    ::core::hint::black_box(::core::primitive::u8::MAX) + ::core::hint::black_box(1)
                })
            } else {
                ::core::cfg!(debug_assertions)
            }
        },
    }
}
