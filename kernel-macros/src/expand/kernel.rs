//! Expansion of `#[kernel]`: the function that creates a launch, and the type that implements `KernelImpl`.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Index, ItemFn, TypeArray};

use super::{allow, arguments, bare_params, body, bound_params, docs, params, type_tuple};
use crate::lints;
use crate::lower::Lowered;
use crate::lower::declared::Declared;
use crate::options::{Block, LaunchBounds, Options};
use crate::position;
use crate::signature::{Param, ParamKind, Signature, with_lifetime};

/// Returns the items of a kernel. `source` is the function as written.
pub(crate) fn kernel(
    function: &ItemFn,
    source: &TokenStream,
    options: &Options,
    signature: &Signature,
    lowered: &Lowered,
) -> TokenStream {
    let name = &signature.name;
    let allow = allow();
    let (attributes, vis) = (&function.attrs, &function.vis);
    let generics = &function.sig.generics;
    let (bounds, arguments, clause) = (bound_params(generics), arguments(generics), &generics.where_clause);
    let (docs, levels) = (docs(attributes), lints::levels(attributes));
    let declaration = declaration(function);
    let parameters = signature.params.iter().map(parameter);
    let bindings = signature.params.iter().map(binding);
    let checks = if options.unchecked { quote!(Unchecked) } else { quote!(Checked) };
    let info = info(signature, source);
    let inspection = inspection_functions();
    // Not the tokens of the bindings, which have the span of the only struct of arrays already.
    let launch = quote_spanned!(signature.argument_span()=> ::cumbia::Launch::new((#(#bindings,)*)));
    let (signature, aliases) = params::aliased(signature);
    let body = body::body(&signature, lowered, &quote!(<'k>), &quote!(Self));
    let kernel = kernel_impl(&signature, options, lowered, &info);
    let registration = if generics.type_params().next().is_none() && generics.const_params().next().is_none() {
        quote!(of::<#name>())
    } else {
        quote!(generic(#info))
    };
    quote! {
        #(#attributes)*
        #allow
        #vis fn #name<'a, #(#bounds),*>(
            #(#parameters),*
        ) -> ::cumbia::Launch<'a, #name<#(#arguments),*>, ::cumbia::__private::#checks> #clause {
            #launch
        }

        #(#docs)*
        #allow
        #[allow(missing_docs)] // documented at the function of the same name
        #vis #declaration

        #(#levels)*
        #allow
        const _: () = {
            #aliases

            impl<#(#bounds),*> #name<#(#arguments),*> #clause {
                #inspection
                #body
            }

            unsafe impl<#(#bounds),*> ::cumbia::__private::KernelImpl for #name<#(#arguments),*> #clause {
                #kernel
            }

            ::cumbia::__private::inventory::submit! { ::cumbia::__private::Registration::#registration }
        };
    }
}

/// Returns a stub for a kernel with errors. It can be called, so that its callers do not produce further errors.
pub(crate) fn kernel_stub(function: &ItemFn, signature: &Signature, body: &TokenStream) -> TokenStream {
    let name = &signature.name;
    let allow = allow();
    let vis = &function.vis;
    let generics = &function.sig.generics;
    let (bounds, arguments, clause) = (bound_params(generics), arguments(generics), &generics.where_clause);
    let declaration = declaration(function);
    // Those of the kernel, from which rustc infers the types of the arguments.
    let parameters = signature.params.iter().map(|param| match &param.kind {
        ParamKind::Rejected => {
            let name = &param.name;
            quote!(#name: impl ::core::marker::Sized)
        }
        _ => parameter(param),
    });
    let (options, inspection) = (options_value(&Options::default()), inspection_functions());
    quote! {
        #[allow(unused_variables)]
        #allow
        #vis fn #name<'a, #(#bounds),*>(
            #(#parameters),*
        ) -> ::cumbia::Launch<'a, #name<#(#arguments),*>, ::cumbia::__private::Checked> #clause {
            #body
        }

        #allow
        #[allow(missing_docs)] // documented at the function of the same name
        #vis #declaration

        #allow
        impl<#(#bounds),*> #name<#(#arguments),*> #clause {
            #inspection
        }

        #[allow(unused_variables)]
        #allow
        unsafe impl<#(#bounds),*> ::cumbia::__private::KernelImpl for #name<#(#arguments),*> #clause {
            type Args<'a> = ();
            const INFO: ::cumbia::KernelInfo = ::cumbia::KernelInfo::new("", "", "", 0, "");
            const OPTIONS: ::cumbia::__private::Options = #options;
            fn definition() -> ::cumbia::__private::Definition {
                loop {}
            }
            fn visit<'a>(__args: &'a Self::Args<'_>, __visitor: &mut impl ::cumbia::__private::Visitor<'a>) {}
            type Views<'k> = ();
            fn views<'k>(__args: &'k Self::Args<'_>) {}
            fn run(__cx: ::cumbia::__private::Cx<'_>, __views: ()) {}
        }
    }
}

/// Returns the declaration of the type with the kernel's name. A struct with braces is not in the value namespace. Its
/// fields are those that a call in a kernel initialises, so that the error about such a call is that a kernel cannot
/// call a kernel.
fn declaration(function: &ItemFn) -> TokenStream {
    let name = &function.sig.ident;
    let (params, types) = (bare_params(&function.sig.generics), type_tuple(&function.sig.generics));
    quote! {
        struct #name<#(#params),*> {
            call: ::cumbia::__private::Call<'static>,
            types: ::core::marker::PhantomData<fn() -> #types>,
        }
    }
}

/// Returns a parameter of the host function. Arrays are references to a generic type, not generic themselves: a variable of
/// type `&mut DeviceArray<T>` is then reborrowed implicitly by a call, not moved.
fn parameter(param: &Param) -> TokenStream {
    let (name, ty) = (&param.name, host_type(&param.kind));
    quote!(#name: #ty)
}

/// Returns the type of a parameter of the host function.
fn host_type(kind: &ParamKind) -> TokenStream {
    match kind {
        ParamKind::Value(ty) => quote!(#ty),
        ParamKind::Slice(element) => {
            quote!(&'a (impl ::cumbia::ReadArgument<Element = #element> + ?::core::marker::Sized))
        }
        ParamKind::SliceMut(element) => {
            quote!(&'a mut (impl ::cumbia::WriteArgument<Element = #element> + ?::core::marker::Sized))
        }
        ParamKind::View { element, dimensions, mutable } => {
            let (of_view, dimensions) = (view_trait(*mutable), usize::from(*dimensions));
            quote_spanned!(element.span()=> impl #of_view<'a, #dimensions, Element = #element>)
        }
        ParamKind::Argument(ty) => {
            let ty = with_lifetime(ty, "'a");
            quote!(#ty)
        }
        ParamKind::Tuple(_, parts) => {
            let parts = parts.iter().map(host_type);
            quote!((#(#parts,)*))
        }
        ParamKind::Array(TypeArray { len, .. }, element) => {
            let element = host_type(element);
            quote!([#element; #len])
        }
        // Rejected in a kernel.
        ParamKind::Ref(_) | ParamKind::RefMut(_) | ParamKind::ArgumentRef(_) | ParamKind::Rejected => {
            quote!(impl ::core::marker::Sized)
        }
    }
}

/// Returns an argument as a launch stores it.
fn binding(param: &Param) -> TokenStream {
    let name = &param.name;
    bound(&param.kind, &quote!(#name))
}

/// Returns `value`, an argument of the host function, as a launch stores it.
fn bound(kind: &ParamKind, value: &TokenStream) -> TokenStream {
    match kind {
        ParamKind::Value(_)
        | ParamKind::Ref(_)
        | ParamKind::RefMut(_)
        | ParamKind::ArgumentRef(_)
        | ParamKind::Rejected => value.clone(),
        ParamKind::Slice(_) => quote!(::cumbia::ReadArgument::bind(#value)),
        ParamKind::SliceMut(_) => quote!(::cumbia::WriteArgument::bind_mut(#value)),
        ParamKind::View { element: _, dimensions: _, mutable } => {
            let of_view = view_trait(*mutable);
            quote!(#of_view::bind(#value))
        }
        ParamKind::Argument(ty) => params::argument(ty, &quote_spanned!(ty.span()=> bind(#value))),
        ParamKind::Tuple(_, parts) => {
            let names = numbered("part", parts.len());
            let parts = parts.iter().zip(&names).map(|(part, name)| bound(part, &quote!(#name)));
            quote!({ let (#(#names,)*) = #value; (#(#parts,)*) })
        }
        ParamKind::Array(_, element) => {
            let name = Ident::new("__element", Span::mixed_site());
            let element = bound(element, &quote!(#name));
            quote!(#value.map(|#name| #element))
        }
    }
}

/// Returns hygienic names.
fn numbered(name: &str, number: usize) -> Vec<Ident> {
    (0..number).map(|i| Ident::new(&format!("__{name}{i}"), Span::mixed_site())).collect()
}

/// Returns the type in which a launch stores an argument.
fn kept(kind: &ParamKind) -> TokenStream {
    match kind {
        ParamKind::Value(ty) => quote!(#ty),
        ParamKind::Slice(element) => quote!(::cumbia::__private::ArraySlice<'a, #element, ::cumbia::__private::Read>),
        ParamKind::SliceMut(element) => {
            quote!(::cumbia::__private::ArraySlice<'a, #element, ::cumbia::__private::Write>)
        }
        ParamKind::View { element, dimensions, mutable } => {
            let (access, dimensions) = (params::access(*mutable), usize::from(*dimensions));
            quote!(::cumbia::__private::ViewArgument<'a, #element, #dimensions, #access>)
        }
        ParamKind::Argument(ty) => params::argument(ty, &quote_spanned!(ty.span()=> Bound<'a>)),
        ParamKind::Tuple(_, parts) => {
            let parts = parts.iter().map(kept);
            quote!((#(#parts,)*))
        }
        ParamKind::Array(TypeArray { len, .. }, element) => {
            let element = kept(element);
            quote!([#element; #len])
        }
        ParamKind::Ref(_) | ParamKind::RefMut(_) | ParamKind::ArgumentRef(_) | ParamKind::Rejected => quote!(()),
    }
}

/// Returns the statements that visit an argument behind the reference `value`. `text` is its name for messages.
fn visit(kind: &ParamKind, value: &TokenStream, text: &str, narrow: bool) -> TokenStream {
    match kind {
        ParamKind::Value(ty) => {
            // Located at the type, for errors, but resolved as below: the type may be the caller's of a `macro_rules!`
            // macro that contains the attribute.
            let visitor = position::called("__visitor", ty.span());
            let method = Ident::new(if narrow { "narrow_value" } else { "value" }, ty.span());
            quote_spanned!(ty.span()=> #visitor.#method::<#ty>(#value);)
        }
        ParamKind::Slice(_) | ParamKind::SliceMut(_) => quote!(__visitor.array(#text, #value);),
        ParamKind::View { element: _, dimensions: _, mutable: _ } => quote!(__visitor.view(#text, #value);),
        ParamKind::Argument(ty) => {
            let visitor = position::called("__visitor", ty.span());
            let visit = params::argument(ty, &quote_spanned!(ty.span()=> visit));
            quote_spanned!(ty.span()=> #visit(#value, #text, #narrow, #visitor);)
        }
        ParamKind::Tuple(_, parts) => parts
            .iter()
            .enumerate()
            .map(|(i, part)| {
                let (position, text) = (Index::from(i), format!("{text}.{i}"));
                // The slot of the tuple does not require it.
                let require = match part {
                    ParamKind::Value(ty) => quote_spanned!(ty.span()=> ::cumbia::__private::require_element::<#ty>();),
                    _ => TokenStream::new(),
                };
                let visit = visit(part, &quote!((&#value.#position)), &text, narrow);
                quote!(#require #visit)
            })
            .collect(),
        ParamKind::Array(_, element) => {
            let name = Ident::new("__element", Span::mixed_site());
            let element = visit(element, &quote!(#name), text, narrow);
            quote!(for #name in #value { #element })
        }
        ParamKind::Ref(_) | ParamKind::RefMut(_) | ParamKind::ArgumentRef(_) | ParamKind::Rejected => {
            TokenStream::new()
        }
    }
}

/// Returns an argument behind the reference `value` as the CPU body takes it.
fn view_of(kind: &ParamKind, value: &TokenStream) -> TokenStream {
    match kind {
        ParamKind::Value(_)
        | ParamKind::Ref(_)
        | ParamKind::RefMut(_)
        | ParamKind::ArgumentRef(_)
        | ParamKind::Rejected => quote!(*#value),
        ParamKind::Slice(_) | ParamKind::SliceMut(_) => quote!(#value.view()),
        ParamKind::View { element: _, dimensions: _, mutable: _ } => quote!(#value.elements()),
        ParamKind::Argument(ty) => params::argument(ty, &quote_spanned!(ty.span()=> handle(#value))),
        ParamKind::Tuple(_, parts) => {
            let parts = parts.iter().enumerate().map(|(i, part)| {
                let position = Index::from(i);
                view_of(part, &quote!((&#value.#position)))
            });
            quote!((#(#parts,)*))
        }
        ParamKind::Array(_, element) => {
            let name = Ident::new("__i", Span::mixed_site());
            let element = view_of(element, &quote!((&#value[#name])));
            quote!(::cumbia::__private::Handles::new(::core::array::from_fn(|#name| #element)))
        }
    }
}

/// Returns the trait of the arguments for a view parameter.
fn view_trait(mutable: bool) -> TokenStream {
    if mutable { quote!(::cumbia::WriteView) } else { quote!(::cumbia::ReadView) }
}

/// Returns the functions of the kernel's type that inspect the kernel. They are those of `Kernel`, callable without the trait
/// in scope.
fn inspection_functions() -> TokenStream {
    quote! {
        /// Returns the CUDA C that is compiled for this kernel.
        pub fn cuda_source() -> ::cumbia::Result<::std::string::String> {
            <Self as ::cumbia::Kernel>::cuda_source()
        }

        /// Returns the kernel's PTX for an architecture such as `sm_90`. Requires NVRTC, but no GPU.
        pub fn ptx(architecture: &::core::primitive::str) -> ::cumbia::Result<::std::string::String> {
            <Self as ::cumbia::Kernel>::ptx(architecture)
        }

        /// Returns the kernel's machine code for an architecture such as `sm_90`. Requires NVRTC, but no GPU.
        pub fn cubin(architecture: &::core::primitive::str) -> ::cumbia::Result<::std::vec::Vec<::core::primitive::u8>> {
            <Self as ::cumbia::Kernel>::cubin(architecture)
        }

        /// Returns the resources that the kernel uses on a device: registers, memory, the maximum number of threads per
        /// block. On a GPU, this compiles and loads the kernel unless it is loaded already.
        pub fn attributes(device: &::cumbia::Device) -> ::cumbia::Result<::cumbia::Attributes> {
            <Self as ::cumbia::Kernel>::attributes(device)
        }

        /// Returns the disassembled machine code for an architecture such as `sm_90`, annotated with the Rust source
        /// lines. Requires NVRTC, and `nvdisasm` or `cuobjdump` of the CUDA toolkit, but no GPU.
        pub fn sass(architecture: &::core::primitive::str) -> ::cumbia::Result<::std::string::String> {
            <Self as ::cumbia::Kernel>::sass(architecture)
        }

        /// Returns the checks of this kernel and of the device functions that it calls, and which of them a launch omits.
        pub fn checks() -> ::cumbia::Result<::cumbia::checks::Checks> {
            <Self as ::cumbia::Kernel>::checks()
        }

        /// Returns the typed IR of this kernel and of the device functions that it calls.
        pub fn ir() -> ::cumbia::Result<::std::string::String> {
            <Self as ::cumbia::Kernel>::ir()
        }

        /// Returns the kernel's name and the position of its definition.
        pub fn info() -> ::cumbia::KernelInfo {
            <Self as ::cumbia::Kernel>::info()
        }
    }
}

/// The items of `impl KernelImpl`.
fn kernel_impl(signature: &Signature, options: &Options, lowered: &Lowered, info: &TokenStream) -> TokenStream {
    let definition = body::definition(signature, lowered);
    let cx = &lowered.cx;
    let (narrow, options) = (options.index32, options_value(options));
    let kept = signature.params.iter().map(|param| kept(&param.kind));
    let (values_of_views, at) = Declared::new(signature).values();
    let views = signature.params.iter().zip(values_of_views);
    let views = views.map(|(param, value)| value.unwrap_or_else(|| params::body_type(param)));
    let argument = signature.argument_span();
    // The arguments are numbered, since the user's names could collide with generated ones.
    let names: Vec<Ident> =
        (0..signature.params.len()).map(|i| quote::format_ident!("__argument{i}", span = argument)).collect();
    let arguments = || signature.params.iter().zip(&names);
    let visits = arguments().map(|(param, name)| visit(&param.kind, &quote!(#name), &param.text(), narrow));
    let values = arguments().map(|(param, name)| view_of(&param.kind, &quote!(#name)));
    let visitor = position::called("__visitor", Span::call_site());
    let args = quote_spanned! {argument=>
        type Args<'a> = (#(#kept,)*);

        #[inline]
        fn visit<'a>(__args: &'a Self::Args<'_>, #visitor: &mut impl ::cumbia::__private::Visitor<'a>) {
            let (#(#names,)*) = __args;
            #(#visits)*
        }
    };
    let views = quote_spanned! {at.unwrap_or(argument)=>
        type Views<'k> = (#(#views,)*);

        fn views<'k>(__args: &'k Self::Args<'_>) -> Self::Views<'k> {
            let (#(#names,)*) = __args;
            (#(#values,)*)
        }

        #[inline(always)]
        fn run(#cx: ::cumbia::__private::Cx<'_>, __views: Self::Views<'_>) {
            let _ = Self::__body(#cx, __views);
        }
    };
    quote! {
        const INFO: ::cumbia::KernelInfo = #info;
        const OPTIONS: ::cumbia::__private::Options = #options;

        #[inline(never)] // inlined into those who pass its pointer, it would be compiled in several units of code
        fn definition() -> ::cumbia::__private::Definition {
            #definition
        }

        #args
        #views
    }
}

/// Returns the options as a value of the runtime's type.
fn options_value(options: &Options) -> TokenStream {
    let &Options { unchecked, fmad, fast_math, max_registers, launch_bounds, ref block, index32, prove, coarsen } =
        options;
    let bounds_checks = !unchecked;
    let max_registers = optional(max_registers.map(|registers| quote!(#registers)));
    let block = optional(block.as_ref().map(|block| match block {
        Block::Literals([x, y, z]) => quote!([#x, #y, #z]),
        Block::Constants(extents) => {
            let max_threads = launch_bounds.map_or(1024, |bounds| bounds.threads);
            let missing = (extents.len()..3).map(|_| quote!(1));
            quote!(::cumbia::__private::block_extents([#(#extents,)* #(#missing,)*], #max_threads))
        }
    }));
    let launch_bounds = optional(launch_bounds.map(|LaunchBounds { threads, min_blocks }| {
        let min_blocks = optional(min_blocks.map(|blocks| quote!(#blocks)));
        quote!((#threads, #min_blocks))
    }));
    let coarsen = optional(coarsen.map(|threads| quote!(#threads)));
    quote! {
        ::cumbia::__private::Options {
            bounds_checks: #bounds_checks,
            fmad: #fmad,
            fast_math: #fast_math,
            max_registers: #max_registers,
            launch_bounds: #launch_bounds,
            block: #block,
            index32: #index32,
            prove: #prove,
            coarsen: #coarsen,
        }
    }
}

/// Returns an `Option` as tokens.
fn optional(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(|| quote!(::core::option::Option::None), |value| quote!(::core::option::Option::Some(#value)))
}

/// Returns the entry for `cumbia::kernels()`.
fn info(signature: &Signature, source: &TokenStream) -> TokenStream {
    let name = signature.name.unraw().to_string();
    let line = position::of(signature.name.span()).line;
    let text = signature_text(source);
    quote! {
        ::cumbia::KernelInfo::new(#name, ::core::module_path!(), ::core::file!(), #line, #text)
    }
}

/// Returns the signature as the user wrote it: the tokens from `fn` to the body.
fn signature_text(source: &TokenStream) -> String {
    let is_fn = |token: &TokenTree| matches!(token, TokenTree::Ident(ident) if ident == "fn");
    let is_body = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let tokens = source.clone().into_iter().skip_while(|token| !is_fn(token));
    // A brace before the body would be a constant expression in a generic argument, which has a `<` before it; the last
    // brace is the body.
    let mut tokens: Vec<TokenTree> = tokens.collect();
    if tokens.last().is_some_and(is_body) {
        tokens.pop();
    }
    let text = tokens.into_iter().collect::<TokenStream>().to_string();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    [
        ("& mut", "&mut"),
        ("& [", "&["),
        (" :", ":"),
        (" ,", ","),
        (" ;", ";"),
        ("> (", ">("),
        ("< ", "<"),
        (" <", "<"),
        (" >", ">"),
        ("- >", "->"),
        ("( ", "("),
        (" )", ")"),
        (",)", ")"),
    ]
    .iter()
    .fold(text, |text, (printed, usual)| text.replace(printed, usual))
}
