//! Expansion of `#[derive(KernelArgument)]`: the struct that represents the argument in a kernel, and the implementation
//! that binds, visits and converts each field.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Generics, Member, Type, TypePath, parse_quote};

use super::data::depends;
use super::{arguments, bound_params, params};
use crate::argument::{KernelArgument, Part};
use crate::identity::may_be_declared;
use crate::position::{self, called};

/// Returns the items of an argument.
///
/// The struct in a kernel is generic over the types of its fields, so that it is covariant in their lifetimes, and so that a
/// field of an unsupported type is an error of the implementation of `KernelArgument` alone.
pub(crate) fn kernel_argument(argument: &KernelArgument) -> TokenStream {
    let KernelArgument { name, generics, fields } = argument;
    let (bounds, arguments, clause) = (bound_params(generics), arguments(generics), &generics.where_clause);
    let handle = format_ident!("{}InKernel", name.unraw(), span = name.span());
    let text = name.unraw().to_string();
    let members: Vec<&Member> = fields.iter().map(|field| &field.member).collect();
    let texts: Vec<String> = members.iter().map(|member| member_text(member)).collect();
    let paths = texts.iter().map(|field| format!("{text}.{field}"));
    let parts: Vec<&Part> = fields.iter().map(|field| &field.part).collect();
    let at = span_of(&parts);
    let (values, types): (Vec<Ident>, Vec<Ident>) =
        (0..fields.len()).map(|i| (format_ident!("__field{i}", span = at), format_ident!("F{i}"))).unzip();
    let vis = fields.iter().map(|field| &field.vis);
    // A tuple struct has the same fields, by position.
    let marker = quote!(::core::marker::PhantomData<fn() -> A>);
    let (declaration, last) = match members.first() {
        Some(Member::Unnamed(_)) => (quote!((#(#vis #types,)* #marker);), Member::from(fields.len())),
        _ => (quote!({ #(#vis #members: #types,)* __argument: #marker }), parse_quote!(__argument)),
    };
    let items = Handle {
        name: &handle,
        text: &text,
        members: &members,
        types: &types,
        marker: &last,
        declaration: &declaration,
    }
    .items();
    let of_kernel = parts.iter().map(|part| handle_type(part, false, generics));
    let shared = parts.iter().map(|part| handle_type(part, true, generics));
    let lent = parts.iter().zip(&values).map(|(part, value)| shared_on_host(part, &quote!(#value)));
    let reborrows = parts.iter().zip(&values).map(|(part, value)| reborrow(part, &quote!(#value), generics));
    let bound = parts.iter().map(|part| bound_type(part));
    let bindings = parts.iter().zip(&values).map(|(part, value)| bind(part, &quote!(#value)));
    let visits =
        parts.iter().zip(&values).zip(paths).map(|((part, value), path)| visit(part, &quote!(#value), &path, generics));
    let handles = parts.iter().zip(&values).map(|(part, value)| handle_of(part, &quote!(#value)));
    let hosts = parts.iter().zip(&values).map(|(part, value)| on_host(part, &quote!(#value)));
    let (visitor, narrow) = (called("__visitor", Span::call_site()), called("__narrow", Span::call_site()));
    let handle_there = Ident::new(&handle.to_string(), at);
    // SAFETY: the type of the handle has these fields in this order, and each is visited as what it is.
    let implementation = quote_spanned! {at=>
        unsafe impl<#(#bounds),*> ::cumbia::KernelArgument for #name<'static, #(#arguments),*> #clause {
            type Host<'a> = #name<'a, #(#arguments),*>;
            type Bound<'a> = (#(#bound,)*);
            type Handle<'k> = #handle_there<Self, #(#of_kernel),*>;
            type Shared<'k> = #handle_there<Self, #(#shared),*>;

            #[inline]
            fn bind(__argument: Self::Host<'_>) -> Self::Bound<'_> {
                let #name { #(#members: #values,)* } = __argument;
                (#(#bindings,)*)
            }

            #[inline]
            fn visit<'v>(
                __bound: &'v Self::Bound<'_>,
                __name: &'static ::core::primitive::str,
                #narrow: ::core::primitive::bool,
                #visitor: &mut impl ::cumbia::__private::Visitor<'v>,
            ) {
                let (#(#values,)*) = __bound;
                #(#visits)*
            }

            #[inline]
            fn handle<'k>(__bound: &'k Self::Bound<'_>) -> Self::Handle<'k> {
                let (#(#values,)*) = __bound;
                #handle_there { #(#members: #handles,)* #last: ::core::marker::PhantomData }
            }

            fn on_host(__argument: Self::Host<'_>) -> Self::Handle<'_> {
                let #name { #(#members: #values,)* } = __argument;
                #handle_there { #(#members: #hosts,)* #last: ::core::marker::PhantomData }
            }

            fn shared_on_host<'h>(__argument: &'h Self::Host<'_>) -> Self::Shared<'h> {
                let #name { #(#members: #values,)* } = __argument;
                #handle_there { #(#members: #lent,)* #last: ::core::marker::PhantomData }
            }

            fn reborrow<'h>(__argument: &'h mut Self::Host<'_>) -> Self::Host<'h> {
                let #name { #(#members: #values,)* } = __argument;
                #name { #(#members: #reborrows,)* }
            }
        }
    };
    quote! {
        #[allow(
            dead_code, non_snake_case, private_bounds, private_interfaces, unreachable_pub, unused_qualifications,
            unreachable_code, unused_variables, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction
        )]
        const _: () = {
            #items

            impl<'a, #(#bounds),*> ::cumbia::Reborrow for #name<'a, #(#arguments),*> #clause {
                type Reborrowed<'b> = #name<'b, #(#arguments),*> where Self: 'b;

                fn reborrow(&mut self) -> Self::Reborrowed<'_> {
                    <#name<'static, #(#arguments),*> as ::cumbia::KernelArgument>::reborrow(self)
                }
            }

            // A parameter without the lifetime, an error, is no other error.
            #[diagnostic::do_not_recommend]
            impl<'a, #(#bounds),*> ::cumbia::__private::HasDeviceLayout for #name<'a, #(#arguments),*> #clause {
                type This = Self;
            }

            #implementation
        };
    }
}

/// Returns the span of the implementation: that of the only field whose type the user may have declared. rustc reports a field of an
/// unsupported type in several items, and merges the errors if the spans are the same.
fn span_of(parts: &[&Part]) -> Span {
    let others = parts.iter().map(|part| part.innermost()).filter(|part| match part {
        Part::Argument(Type::Path(TypePath { path, .. })) => path.segments.last().is_none_or(|last| {
            let name = last.ident.to_string();
            !(name.starts_with("DeviceSlice") || name.starts_with("ArrayView"))
        }),
        Part::Argument(ty) => !matches!(ty, Type::Reference(_)),
        Part::Value(ty) => may_be_declared(ty),
        Part::Rejected(_) | Part::Host(..) | Part::Array(..) => false,
    });
    position::of_only(others.map(Part::span))
}

/// The struct that represents the argument in a kernel.
struct Handle<'a> {
    /// Its name.
    name: &'a Ident,
    /// The name of the argument in messages.
    text: &'a str,
    /// The fields, with a type parameter for the type of each.
    members: &'a [&'a Member],
    types: &'a [Ident],
    /// The field behind them, which marks the argument's type.
    marker: &'a Member,
    /// The fields as declared.
    declaration: &'a TokenStream,
}

impl Handle<'_> {
    /// Returns the declaration and the implementations that do not depend on the argument's generic parameters.
    fn items(&self) -> TokenStream {
        let Handle { name: handle, text, members, types, marker: last, declaration } = self;
        let texts = members.iter().map(|member| member_text(member));
        quote! {
            #[doc(hidden)]
            pub struct #handle<A, #(#types),*> #declaration

            impl<A, #(#types: ::core::marker::Copy),*> ::core::clone::Clone for #handle<A, #(#types),*> {
                #[inline(always)]
                fn clone(&self) -> Self {
                    *self
                }
            }

            impl<A, #(#types: ::core::marker::Copy),*> ::core::marker::Copy for #handle<A, #(#types),*> {}

            #[diagnostic::do_not_recommend]
            impl<A, #(#types),*> ::cumbia::__private::HasDeviceLayout for #handle<A, #(#types),*> {
                type This = Self;
            }

            impl<A: 'static, #(#types: ::cumbia::__private::VariableType),*> ::cumbia::__private::VariableType
                for #handle<A, #(#types),*>
            {
                type Repr = #handle<A, #(<#types as ::cumbia::__private::VariableType>::Repr),*>;
            }

            impl<A: 'static, #(#types: ::cumbia::__private::Repr),*> ::cumbia::__private::Repr for #handle<A, #(#types),*> {
                fn ty() -> ::cumbia::__private::ir::Type {
                    ::cumbia::__private::argument_struct(
                        #text,
                        ::core::any::type_name::<Self>(),
                        ::std::vec![#((#texts, <#types as ::cumbia::__private::Repr>::ty())),*],
                    )
                }
            }

            // Called if a variable is a reference to a field of this type, which the macro takes for a value.
            impl<A, #(#types),*> #handle<A, #(#types),*> {
                pub fn receiver<R>(self) -> R
                where
                    Self: ::cumbia::__private::ReferenceToField,
                {
                    loop {}
                }

                pub fn read_value<R>(self) -> R
                where
                    Self: ::cumbia::__private::ReferenceToField,
                {
                    loop {}
                }

                pub fn project<R, F>(self, _: F) -> R
                where
                    Self: ::cumbia::__private::ReferenceToField,
                {
                    loop {}
                }
            }

            impl<A, #(#types),*> ::cumbia::__private::HostOf for #handle<A, #(#types),*> {
                type Host = A;
            }

            impl<A, #(#types: ::cumbia::__private::Share),*> ::cumbia::__private::Share for #handle<A, #(#types),*> {
                type Shared = #handle<A, #(<#types as ::cumbia::__private::Share>::Shared),*>;

                #[inline(always)]
                fn share(self) -> Self::Shared {
                    #handle {
                        #(#members: ::cumbia::__private::Share::share(self.#members),)*
                        #last: ::core::marker::PhantomData,
                    }
                }
            }

            // `Grid::cell(&world.grid, i)`
            impl<A, #(#types: ::cumbia::__private::Share + ::core::marker::Copy),*> ::cumbia::__private::Share
                for &#handle<A, #(#types),*>
            {
                type Shared = #handle<A, #(<#types as ::cumbia::__private::Share>::Shared),*>;

                #[inline(always)]
                fn share(self) -> Self::Shared {
                    ::cumbia::__private::Share::share(*self)
                }
            }

            impl<A, #(#types: ::cumbia::__private::Share),*> ::cumbia::__private::BorrowExpr<'_>
                for #handle<A, #(#types),*>
            {
                type Reference = <Self as ::cumbia::__private::Share>::Shared;

                #[inline(always)]
                fn borrow(&self) -> Self::Reference {
                    ::cumbia::__private::Share::share(*self)
                }
            }
        }
    }
}

/// Returns the name or the position of a field as text.
fn member_text(member: &Member) -> String {
    match member {
        Member::Named(name) => name.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

/// Returns the type of a value. That of a type which may lack its derive is a projection: rustc reports the type once, and nothing
/// that the implementation does with its values.
fn value_type(ty: &Type, generics: &Generics) -> TokenStream {
    if is_projected(ty, generics) {
        quote_spanned!(ty.span()=> <#ty as ::cumbia::__private::HasDeviceLayout>::This)
    } else {
        quote!(#ty)
    }
}

fn is_projected(ty: &Type, generics: &Generics) -> bool {
    may_be_declared(ty) && !depends(ty, generics)
}

/// Returns the type of a field in a kernel, or with `shared`, behind a shared reference to the struct.
fn handle_type(part: &Part, shared: bool, generics: &Generics) -> TokenStream {
    match part {
        Part::Value(ty) | Part::Rejected(ty) => value_type(ty, generics),
        Part::Host(_, None) => quote!(()),
        Part::Host(_, Some(element)) => {
            let access = params::access(!shared);
            quote!(::cumbia::__private::Slice<'k, #element, #access>)
        }
        Part::Argument(ty) => {
            let handle = if shared { quote!(Shared) } else { quote!(Handle) };
            params::argument(ty, &quote_spanned!(part.span()=> #handle<'k>))
        }
        Part::Array(part, len) => {
            let part = handle_type(part, shared, generics);
            quote!(::cumbia::__private::Handles<#part, { #len }>)
        }
    }
}

/// Returns the type of a field as a launch stores it.
fn bound_type(part: &Part) -> TokenStream {
    match part {
        Part::Value(ty) | Part::Rejected(ty) => quote!(#ty),
        Part::Host(..) => quote!(()),
        Part::Argument(ty) => params::argument(ty, &quote_spanned!(part.span()=> Bound<'a>)),
        Part::Array(part, len) => {
            let part = bound_type(part);
            quote!([#part; #len])
        }
    }
}

/// Returns the value of a field of a host type, which was rejected.
fn host() -> TokenStream {
    quote!(::core::unreachable!())
}

fn bind(part: &Part, value: &TokenStream) -> TokenStream {
    match part {
        Part::Value(_) | Part::Rejected(_) => value.clone(),
        Part::Host(..) => quote!(()),
        Part::Argument(ty) => params::argument(ty, &quote_spanned!(part.span()=> bind(#value))),
        Part::Array(part, _) => {
            let element = bind(part, &quote!(__element));
            quote!(#value.map(|__element| #element))
        }
    }
}

/// Visits a field behind a reference.
fn visit(part: &Part, value: &TokenStream, path: &str, generics: &Generics) -> TokenStream {
    let (visitor, narrow) = (called("__visitor", part.span()), called("__narrow", part.span()));
    match part {
        Part::Value(ty) => {
            let ty = value_type(ty, generics);
            quote_spanned! {part.span()=>
                ::cumbia::__private::require_element::<#ty>();
                if #narrow {
                    #visitor.narrow_value::<#ty>(#value);
                } else {
                    #visitor.value::<#ty>(#value);
                }
            }
        }
        Part::Rejected(_) | Part::Host(..) => quote!(_ = #value;),
        Part::Argument(ty) => {
            let visit = params::argument(ty, &quote_spanned!(part.span()=> visit));
            quote_spanned!(part.span()=> #visit(#value, #path, #narrow, #visitor);)
        }
        Part::Array(part, _) => {
            let element = visit(part, &quote!(__element), path, generics);
            quote! {
                for __element in #value {
                    #element
                }
            }
        }
    }
}

/// Returns a field in the kernel, for a field behind a reference.
fn handle_of(part: &Part, value: &TokenStream) -> TokenStream {
    match part {
        Part::Value(_) | Part::Rejected(_) => quote!(*#value),
        Part::Host(..) => host(),
        Part::Argument(ty) => params::argument(ty, &quote_spanned!(part.span()=> handle(#value))),
        Part::Array(part, _) => {
            let element = handle_of(part, &quote_spanned!(part.span()=> __element));
            quote_spanned! {part.span()=>
                ::cumbia::__private::Handles::new(::core::array::from_fn(|__i| {
                    let __element = &#value[__i];
                    #element
                }))
            }
        }
    }
}

fn on_host(part: &Part, value: &TokenStream) -> TokenStream {
    match part {
        Part::Value(_) | Part::Rejected(_) => value.clone(),
        Part::Host(..) => host(),
        Part::Argument(ty) => params::argument(ty, &quote_spanned!(part.span()=> on_host(#value))),
        Part::Array(part, _) => {
            let element = on_host(part, &quote_spanned!(part.span()=> __element));
            quote_spanned! {part.span()=>
                {
                    let elements = #value.map(|__element| #element);
                    ::cumbia::__private::Handles::new(elements)
                }
            }
        }
    }
}

/// Returns a field in a device function that the host calls with a reference, for a field behind one.
fn shared_on_host(part: &Part, value: &TokenStream) -> TokenStream {
    match part {
        Part::Value(_) | Part::Rejected(_) => quote!(*#value),
        Part::Host(..) => host(),
        Part::Argument(ty) => params::argument(ty, &quote_spanned!(part.span()=> shared_on_host(#value))),
        Part::Array(part, _) => {
            let element = shared_on_host(part, &quote_spanned!(part.span()=> __element));
            quote_spanned! {part.span()=>
                {
                    let elements = #value.each_ref().map(|__element| #element);
                    ::cumbia::__private::Handles::new(elements)
                }
            }
        }
    }
}

/// Reborrows a field behind a mutable reference.
fn reborrow(part: &Part, value: &TokenStream, generics: &Generics) -> TokenStream {
    match part {
        Part::Value(ty) if is_projected(ty, generics) => {
            let ty = value_type(ty, generics);
            quote_spanned!(part.span()=> ::cumbia::__private::copied::<_, #ty, _>(#value))
        }
        Part::Value(_) | Part::Rejected(_) => quote!(*#value),
        Part::Host(..) => host(),
        // Not `Reborrow`: a field of an unsupported type is an error of `KernelArgument` only.
        Part::Argument(ty) => params::argument(ty, &quote_spanned!(part.span()=> reborrow(#value))),
        Part::Array(part, _) => {
            let element = reborrow(part, &quote_spanned!(part.span()=> __element), generics);
            quote_spanned!(part.span()=> #value.each_mut().map(|__element| #element))
        }
    }
}
