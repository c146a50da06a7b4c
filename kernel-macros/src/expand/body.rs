//! The CPU body, whose return type carries the types of the slots, and the definition that holds the IR.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

use super::params;
use crate::lower::{Lowered, result_name};
use crate::options::LinkedFile;
use crate::profile::OverflowChecks;
use crate::signature::Signature;

/// Returns the body as an associated function of the type with the function's name. `lifetime` declares `'k` if the
/// type does not; `owner` is the type without lifetimes, which identifies shared arrays.
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
    let header = quote_spanned! {signature.argument_span()=>
        fn __body #lifetime (
            #cx: ::cumbia::__private::Cx<'k>,
            (#(#patterns,)*): (#(#types,)*),
        ) -> (#result, impl ::cumbia::__private::Slots)
    };
    // Without optimisation, a copy of the body in each unit of code that calls it takes longer to compile than the calls take.
    quote! {
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #header {
            let #cx = #cx.within::<#owner>();
            #(let #slots = ::cumbia::__private::Slot { of: ::core::marker::PhantomData };)*
            #cpu
            (#result_name, #tree)
        }
    }
}

/// Returns the result type of the body.
pub(super) fn result_type(signature: &Signature) -> TokenStream {
    signature.result.as_ref().map_or_else(|| quote!(()), |result| quote!(#result))
}

/// Returns the slots as a balanced tree of tuples: the cost of a type in rustc grows with its depth, and each tuple costs a function
/// per instance of the body.
fn tree(slots: &[Ident]) -> TokenStream {
    /// The maximum number of elements of a tuple: see `Slots`.
    const ELEMENTS: usize = 16;
    if let [slot] = slots {
        return quote!(#slot);
    }
    // The parts are full, except the last.
    let mut part = 1;
    while part * ELEMENTS < slots.len() {
        part *= ELEMENTS;
    }
    let parts = slots.chunks(part).map(tree);
    quote!((#(#parts),*))
}

/// Returns the definition from which the runtime obtains the IR and the contents of its slots.
pub(super) fn definition(signature: &Signature, lowered: &Lowered) -> TokenStream {
    let path = &signature.path;
    let ir = Literal::byte_string(&lowered.ir.to_bytes());
    let overflow_checks = overflow_checks();
    let files = signature.foreign.iter().flat_map(|foreign| &foreign.files).map(linked_file);
    let files: Vec<TokenStream> = files.collect();
    let linking = if files.is_empty() { TokenStream::new() } else { quote!(.linking(const { &[#(#files),*] })) };
    let body = quote_spanned!(signature.argument_span()=> Self::__body);
    // The `unsafe` block contains no user code.
    quote! {
        unsafe {
            ::cumbia::__private::Definition::new(
                ::core::any::TypeId::of::<Self>(),
                ::core::concat!(::core::module_path!(), "::", #path),
                ::core::file!(),
                #ir,
                || ::cumbia::__private::contents_of(|| #body),
                || #overflow_checks,
            ) #linking
        }
    }
}

/// Returns an expression for a file whose contents the executable contains. rustc reports a missing one at its path.
fn linked_file(LinkedFile { path, kind, span }: &LinkedFile) -> TokenStream {
    let kind = Ident::new(kind, Span::call_site());
    quote_spanned! {*span=>
        ::cumbia::__private::LinkedFile {
            path: #path,
            kind: ::cumbia::__private::LinkedKind::#kind,
            bytes: ::core::include_bytes!(#path),
        }
    }
}

/// Returns an expression that tells whether the crate has overflow checks. If the compiler's arguments are unknown, it
/// tests an overflowing addition, provided that the panic can be caught.
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
