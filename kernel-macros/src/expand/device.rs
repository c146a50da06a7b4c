//! Expansion of `#[device]` on a function: the host function, and the type to which a call in a kernel resolves.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Generics, Ident, ItemFn};

use super::{allow, arguments, bare_params, body, bound_params, bounds, docs, params, type_tuple};
use crate::lints;
use crate::lower::Lowered;
use crate::signature::{Param, Signature};

/// Returns the items of a device function.
pub(crate) fn device_function(function: &ItemFn, signature: &Signature, lowered: &Lowered) -> TokenStream {
    let name = &signature.name;
    let allow = allow();
    let (attributes, vis, sig) = (&function.attrs, &function.vis, &function.sig);
    let generics = &sig.generics;
    let (bounds, arguments, clause) = (bound_params(generics), arguments(generics), &generics.where_clause);
    let (docs, levels) = (docs(attributes), lints::levels(attributes));
    let declaration = declaration(function);
    let (inputs, output) = (params::host_inputs(sig), &sig.output);
    let host_args = signature.params.iter().map(params::from_host);
    let (with_aliases, aliases) = params::aliased(signature);
    let (bare, call) = (bare_params(generics), call(&with_aliases, generics));
    let body = body::body(&with_aliases, lowered, &TokenStream::new(), &quote!(#name<'static, #(#arguments),*>));
    let definition = body::definition(signature, lowered);
    let callee = callee(function, generics, &quote!(::cumbia::__private::Content::Function(#definition)));
    let cx = &lowered.cx;
    quote! {
        #(#attributes)*
        #allow
        #[allow(dead_code)] // kernels use the type of the same name
        #vis fn #name<#(#bounds),*>(#inputs) #output #clause {
            ::cumbia::__private::Cx::host(|#cx| #name::<#(#arguments),*>::__body(#cx, (#(#host_args,)*)).0)
        }

        #(#docs)*
        #allow
        #[allow(missing_docs)] // documented at the function of the same name
        #vis #declaration

        #(#levels)*
        #allow
        const _: () = {
            #aliases

            impl<'k, #(#bare),*> #name<'k, #(#arguments),*> {
                #call
            }

            impl<'k, #(#bounds),*> #name<'k, #(#arguments),*> #clause {
                #body
            }

            #callee
        };
    }
}

/// Returns the implementations that make the type callable. `content` is the content of a call's slot.
fn callee(function: &ItemFn, generics: &Generics, content: &TokenStream) -> TokenStream {
    let name = &function.sig.ident;
    let (bounds, arguments, clause) = (bound_params(generics), arguments(generics), &generics.where_clause);
    quote! {
        impl<#(#bounds),*> ::cumbia::__private::DeviceFunction for #name<'_, #(#arguments),*> #clause {
            type Key = #name<'static, #(#arguments),*>;
            type This = Self;

            #[inline(always)]
            fn this(self) -> Self {
                self
            }
        }

        impl<#(#bounds),*> ::cumbia::__private::CalleeKey for #name<'static, #(#arguments),*> #clause {
            fn content() -> ::cumbia::__private::Content {
                #content
            }
        }
    }
}

/// Returns the method that a call in a kernel invokes. Its arity is that of the user's function, so that rustc's errors
/// about the number of arguments are right. The bounds are on the method rather than on the type: an unsatisfied bound
/// is then reported as such, and not as a missing method.
fn call(signature: &Signature, generics: &Generics) -> TokenStream {
    let bounds = bounds(generics);
    // rustc points to it in errors about the arguments.
    let method = Ident::new("call", signature.name.span());
    let params = signature.params.iter().map(params::call_param);
    let args = signature.params.iter().map(params::from_call);
    let result = signature.result.as_ref().map(|result| quote!(-> #result));
    quote! {
        #[doc(hidden)]
        #[inline(always)]
        pub fn #method(self, #(#params),*) #result #bounds {
            Self::__body(self.call.cx, (#(#args,)*)).0
        }
    }
}

/// Returns the declaration of the type with the function's name, of which each call creates a value. A struct with
/// braces is not in the value namespace.
fn declaration(function: &ItemFn) -> TokenStream {
    let name = &function.sig.ident;
    let (params, types) = (bare_params(&function.sig.generics), type_tuple(&function.sig.generics));
    quote! {
        struct #name<'k, #(#params),*> {
            #[doc(hidden)]
            pub call: ::cumbia::__private::Call<'k>,
            #[doc(hidden)]
            pub types: ::core::marker::PhantomData<fn() -> #types>,
        }
    }
}

/// Returns a stub for a device function with errors. It can be called, so that its callers do not produce further
/// errors.
pub(crate) fn device_stub(function: &ItemFn, signature: &Signature, body: &TokenStream) -> TokenStream {
    let name = &signature.name;
    let allow = allow();
    let vis = &function.vis;
    let generics = &function.sig.generics;
    let (bounds, arguments, clause) = (bound_params(generics), arguments(generics), &generics.where_clause);
    let declaration = declaration(function);
    let callee = callee(function, generics, &quote!(loop {}));
    let params: Vec<TokenStream> =
        signature.params.iter().map(|Param { name, .. }| quote!(#name: impl ::core::marker::Sized)).collect();
    let result = signature.result.as_ref().map(|result| quote!(-> #result));
    quote! {
        #[allow(unused_variables)]
        #allow
        #vis fn #name<#(#bounds),*>(#(#params),*) #result #clause {
            #body
        }

        #allow
        #[allow(missing_docs)] // documented at the function of the same name
        #vis #declaration

        #[allow(unused_variables)]
        #allow
        const _: () = {
            impl<'k, #(#bounds),*> #name<'k, #(#arguments),*> #clause {
                #[doc(hidden)]
                pub fn call(self, #(#params),*) #result {
                    #body
                }
            }

            #callee
        };
    }
}
