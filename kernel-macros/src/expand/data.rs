//! Expansion of `#[derive(DeviceType)]`: the implementations of a struct or an enum that can be stored in device
//! memory.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{GenericParam, Generics, Member, Path, Type};

use super::{Bodies, arguments, bound_params, type_tuple};
use crate::derive::{Contents, DataEnumeration, DeviceType, Field, Variant};

/// Returns the implementations. Those of a type with errors are stubs, so that its uses do not produce further errors.
pub(crate) fn device_type(item: &DeviceType, bodies: Bodies) -> TokenStream {
    let invalid = bodies == Bodies::Invalid;
    let DeviceType { name, generics, data, is_suggested } = item;
    let unlisted = (!is_suggested).then(|| quote!(#[diagnostic::do_not_recommend]));
    let (bounds, arguments) = (bound_params(generics), arguments(generics));
    let this = quote_spanned!(name.span()=> #name<#(#arguments),*>);
    let implementation = match data {
        _ if invalid => stub(),
        Contents::Struct(fields) => structure(name, fields),
        Contents::Enum(variants) => enumeration(name, variants),
        Contents::Data(data) => data_enumeration(name, generics, data),
    };
    let Implementation { items, ty, sample, any_bits, load, store, placeholder, constant } = implementation;
    let held = if invalid { this.clone() } else { held(name, generics, data) };
    let (clause, own) = (clause(generics, data, (&this, &held), invalid), &generics.where_clause);
    let lane_value =
        matches!(data, Contents::Enum(_)).then(|| quote!(impl ::cumbia::__private::LaneValue for #this #clause {}));
    let copied = copied(generics, &bounds, &this, invalid);
    quote! {
        #[allow(
            non_snake_case, unreachable_code, unused_qualifications, unused_variables, clippy::all, clippy::pedantic,
            clippy::nursery, clippy::restriction
        )]
        const _: () = {
            #items

            #[diagnostic::do_not_recommend]
            impl<#(#bounds),*> ::cumbia::__private::HasDeviceLayout for #this #own {
                type This = Self;
            }

            impl<#(#bounds),*> ::cumbia::__private::VariableType for #this #clause {
                type Repr = #held;

                #[inline]
                fn sample(__variant: ::core::primitive::usize) -> ::core::option::Option<Self> {
                    #sample
                }
            }

            impl<#(#bounds),*> ::cumbia::__private::Repr for #this #clause {
                fn ty() -> ::cumbia::__private::ir::Type {
                    #ty
                }
            }

            impl<#(#bounds),*> ::cumbia::__private::ConstantType for #this #clause {
                type Repr = Self;
                type Value = Self;

                #[inline(always)]
                fn value(self) -> Self {
                    self
                }
            }

            // SAFETY: each field is a `DeviceType`, and is loaded and stored as one; for an enum only the bits of a
            // variant are converted to a value.
            #unlisted
            unsafe impl<#(#bounds),*> ::cumbia::DeviceType for #this #clause {
                type Held = #held;

                #any_bits

                #[inline(always)]
                unsafe fn __load(__place: *mut Self) -> Self {
                    #load
                }

                #[inline(always)]
                unsafe fn __store(__place: *mut Self, __value: Self) {
                    #store
                }

                #[inline(always)]
                fn __placeholder() -> Self {
                    #placeholder
                }

                fn __constant(&self) -> ::cumbia::__private::ir::ConstantValue {
                    #constant
                }
            }

            #lane_value
            #copied
        };
    }
}

/// The parts of the implementations that differ between structs and enums.
struct Implementation {
    /// Types with the layout of the variants.
    items: TokenStream,
    ty: TokenStream,
    /// A value of a variant.
    sample: TokenStream,
    /// `ANY_BITS` and `ZEROS`
    any_bits: TokenStream,
    load: TokenStream,
    store: TokenStream,
    placeholder: TokenStream,
    constant: TokenStream,
}

/// Returns the implementation of a struct, field by field: padding is neither read nor written.
fn structure(name: &Ident, fields: &[Field]) -> Implementation {
    let text = syn::ext::IdentExt::unraw(name).to_string();
    let texts = fields.iter().map(Field::text);
    let members: Vec<_> = fields.iter().map(|field| &field.member).collect();
    // Errors about a field are shown at its type, which occurs several times: rustc reports identical errors at the
    // same span once.
    let elements: Vec<TokenStream> = fields
        .iter()
        .map(|Field { member: _, ty }| quote_spanned!(ty.span()=> <#ty as ::cumbia::DeviceType>))
        .collect();
    let types = elements.iter().map(|element| quote!(<#element::Held as ::cumbia::__private::Repr>::ty));
    Implementation {
        items: TokenStream::new(),
        ty: quote! {
            ::cumbia::__private::structure::<Self>(#text, &[
                #((#texts, #types, ::core::mem::offset_of!(Self, #members)),)*
            ])
        },
        sample: quote!(::core::option::Option::Some(<Self as ::cumbia::DeviceType>::__placeholder())),
        any_bits: quote! {
            const ANY_BITS: bool = true #(&& #elements::ANY_BITS)*;
            const ZEROS: bool = true #(&& #elements::ZEROS)*;
        },
        load: quote!(unsafe { #name { #(#members: #elements::__load(&raw mut (*__place).#members),)* } }),
        store: quote!(unsafe { #(#elements::__store(&raw mut (*__place).#members, __value.#members);)* }),
        placeholder: quote!(#name { #(#members: #elements::__placeholder(),)* }),
        constant: quote! {
            ::cumbia::__private::ir::ConstantValue::Parts(::std::vec![#(#elements::__constant(&self.#members)),*])
        },
    }
}

/// Returns the implementation of an enum by its bits. Bits that represent no variant are loaded as the first variant.
fn enumeration(name: &Ident, variants: &[Ident]) -> Implementation {
    let text = syn::ext::IdentExt::unraw(name).to_string();
    let texts = variants.iter().map(|variant| syn::ext::IdentExt::unraw(variant).to_string());
    // With braces, even for `A()` and `A {}`, which are no values without.
    let values: Vec<TokenStream> = variants.iter().map(|variant| quote!((Self::#variant {}))).collect();
    let (first, rest) = match values.as_slice() {
        [] => return stub(),
        [first, rest @ ..] => (first, rest),
    };
    Implementation {
        items: TokenStream::new(),
        ty: quote! {
            ::cumbia::__private::enumeration::<Self>(#text, &[#((#texts, #values as ::core::primitive::i128)),*])
        },
        sample: sample(values.iter().cloned()),
        any_bits: quote!(const ZEROS: bool = false #(|| #values as ::core::primitive::i128 == 0)*;),
        load: quote! {
            const {
                ::core::assert!(
                    #(unsafe { ::cumbia::__private::is_tag(&#values, #values as ::core::primitive::i128) })&&*,
                    "an enum in device memory needs two variants or a `#[repr(..)]`"
                );
            }
            let bits = unsafe { ::cumbia::__private::load_bits::<Self>(__place) };
            #(if bits == ::cumbia::__private::bits_of::<Self>(#rest as ::core::primitive::i128) {
                return #rest;
            })*
            #first
        },
        store: quote! {
            unsafe {
                ::cumbia::__private::store_bits::<Self>(
                    __place,
                    ::cumbia::__private::bits_of::<Self>(__value as ::core::primitive::i128),
                )
            }
        },
        placeholder: first.clone(),
        constant: quote! {
            ::cumbia::__private::ir::ConstantValue::Bits(
                ::cumbia::__private::bits_of::<Self>(*self as ::core::primitive::i128),
            )
        },
    }
}

/// Returns the implementation of an enum with data, by its tag and the fields of its variants. Bits that represent no
/// variant are loaded as the first variant.
///
/// The layout is that of the structs which the Rust reference defines for it ("Type layout", "Primitive representation of
/// field-carrying enums" and "`repr(C)` field-carrying enums"): they are declared here, so that rustc computes the offsets.
fn data_enumeration(name: &Ident, generics: &Generics, data: &DataEnumeration) -> Implementation {
    let DataEnumeration { variants, tag: _, separate } = data;
    let text = syn::ext::IdentExt::unraw(name).to_string();
    let arguments = arguments(generics);
    let names: Vec<&Ident> = variants.iter().map(|variant| &variant.name).collect();
    let texts = variants.iter().map(|variant| syn::ext::IdentExt::unraw(&variant.name).to_string());
    let layouts: Vec<Ident> = (0..variants.len()).map(|i| format_ident!("__Variant{i}")).collect();
    let begin =
        if *separate { quote!(::core::mem::offset_of!(__Separate<#(#arguments),*>, payload)) } else { quote!(0) };
    let whole = if *separate { quote!(__Separate) } else { quote!(__Union) };
    let items = layout_items(name, generics, data, &layouts);
    let described: Vec<Described<'_>> = variants
        .iter()
        .zip(&layouts)
        .map(|(variant, layout)| {
            let fields = variant.fields.iter().enumerate().map(|(position, Field { member, ty })| {
                let at = syn::Index::from(position + usize::from(!separate));
                DescribedField {
                    member,
                    value: format_ident!("__value{position}"),
                    element: quote_spanned!(ty.span()=> <#ty as ::cumbia::DeviceType>),
                    offset: quote!(#begin + ::core::mem::offset_of!(#layout<#(#arguments),*>, #at)),
                }
            });
            let bits = &variant.name;
            let bits = quote!(::cumbia::__private::bits_of::<__Tag>(__Tag::#bits as ::core::primitive::i128));
            Described { name: &variant.name, bits, fields: fields.collect() }
        })
        .collect();
    let fields = variants.iter().zip(&described).map(|(variant, described)| {
        let (texts, elements) = (variant.fields.iter().map(Field::text), described.fields.iter());
        let fields = texts.zip(elements).map(|(text, DescribedField { element, offset, .. })| {
            quote!((#text, <#element::Held as ::cumbia::__private::Repr>::ty, #offset))
        });
        quote!(&[#(#fields),*])
    });
    let zeros = described.iter().map(|Described { name, bits: _, fields }| {
        let elements = fields.iter().map(|field| &field.element);
        quote!((__Tag::#name as ::core::primitive::i128 == 0 #(&& #elements::ZEROS)*))
    });
    let Some((first, rest)) = described.split_first() else { return stub() };
    let (first_loaded, rest_loaded) = (first.loaded(), rest.iter().map(Described::loaded));
    let rest_bits = rest.iter().map(|described| &described.bits);
    let stored = described.iter().map(Described::stored);
    let constants = described.iter().map(Described::constant);
    Implementation {
        items,
        ty: quote! {
            ::cumbia::__private::data_enumeration::<Self, __Tag>(
                #text, &[#((#texts, __Tag::#names as ::core::primitive::i128, #fields)),*],
            )
        },
        sample: sample(described.iter().map(Described::placeholder)),
        any_bits: quote!(const ZEROS: bool = false #(|| #zeros)*;),
        load: quote! {
            const {
                ::core::assert!(
                    ::core::mem::size_of::<Self>()
                        == ::core::mem::size_of::<#whole<#(#arguments),*>>()
                            .next_multiple_of(::core::mem::align_of::<Self>()),
                    "an enum with data has the layout that its `#[repr(..)]` defines"
                );
            }
            let bytes = __place.cast::<::core::primitive::u8>();
            let bits = unsafe { ::cumbia::__private::load_bits::<__Tag>(bytes.cast()) };
            #(if bits == #rest_bits {
                return #rest_loaded;
            })*
            #first_loaded
        },
        store: quote! {
            let bytes = __place.cast::<::core::primitive::u8>();
            match __value {
                #(#stored)*
            }
        },
        placeholder: first.placeholder(),
        constant: quote! {
            match *self {
                #(#constants)*
            }
        },
    }
}

/// Replaces `Self`, which is another type in the items that describe the layout.
fn without_self(tokens: TokenStream, this: &TokenStream) -> TokenStream {
    let replaced = |token| match token {
        TokenTree::Ident(name) if name == "Self" => this.clone(),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), without_self(group.stream(), this));
            inner.set_span(group.span());
            TokenTree::from(inner).into()
        }
        token => token.into(),
    };
    tokens.into_iter().flat_map(|token| -> TokenStream { replaced(token) }).collect()
}

/// Returns the types with the layout of an enum with data: the tag, a struct for each variant, and their union.
fn layout_items(name: &Ident, generics: &Generics, data: &DataEnumeration, layouts: &[Ident]) -> TokenStream {
    let DataEnumeration { variants, tag, separate } = data;
    let (bounds, arguments, types) = (bound_params(generics), arguments(generics), type_tuple(generics));
    let clause = &generics.where_clause;
    let this = if arguments.is_empty() { quote!(#name) } else { quote!(#name::<#(#arguments),*>) };
    let discriminants = variants.iter().map(|Variant { name, discriminant, .. }| {
        let discriminant = discriminant.as_ref().map(|discriminant| {
            let discriminant = without_self(discriminant.to_token_stream(), &this);
            quote!(= #discriminant)
        });
        quote!(#name #discriminant)
    });
    let structs = variants.iter().zip(layouts).map(|(variant, layout)| {
        let tag = (!separate).then(|| quote!(__Tag,));
        let fields = variant.fields.iter().map(|field| without_self(field.ty.to_token_stream(), &this));
        quote! {
            #[repr(C)]
            #[allow(dead_code)]
            struct #layout<#(#bounds),*>(#tag #(#fields,)* ::core::marker::PhantomData<#types>) #clause;
        }
    });
    let instances: Vec<TokenStream> = layouts.iter().map(|layout| quote!(#layout<#(#arguments),*>)).collect();
    let members: Vec<Ident> = (0..variants.len()).map(|i| format_ident!("variant{i}")).collect();
    quote! {
        #[repr(#tag)]
        #[derive(Clone, Copy)]
        #[allow(dead_code)]
        enum __Tag { #(#discriminants,)* }

        #(#structs)*

        #[repr(C)]
        #[allow(dead_code)]
        union __Union<#(#bounds),*> #clause {
            #(#members: ::core::mem::ManuallyDrop<#instances>,)*
        }

        #[repr(C)]
        #[allow(dead_code)]
        struct __Separate<#(#bounds),*> #clause {
            tag: __Tag,
            payload: __Union<#(#arguments),*>,
        }
    }
}

/// A variant of an enum with data.
struct Described<'a> {
    name: &'a Ident,
    /// The bits of the tag.
    bits: TokenStream,
    fields: Vec<DescribedField<'a>>,
}

/// A field of a variant.
struct DescribedField<'a> {
    member: &'a Member,
    /// The variable of a pattern.
    value: Ident,
    /// The implementation of `DeviceType`.
    element: TokenStream,
    /// The offset in bytes.
    offset: TokenStream,
}

impl Described<'_> {
    fn loaded(&self) -> TokenStream {
        let Described { name, bits: _, fields } = self;
        let fields = fields.iter().map(|DescribedField { member, element, offset, .. }| {
            quote!(#member: unsafe { #element::__load(bytes.add(#offset).cast()) })
        });
        quote!(Self::#name { #(#fields,)* })
    }

    fn placeholder(&self) -> TokenStream {
        let Described { name, bits: _, fields } = self;
        let fields =
            fields.iter().map(|DescribedField { member, element, .. }| quote!(#member: #element::__placeholder()));
        quote!(Self::#name { #(#fields,)* })
    }

    fn pattern(&self) -> TokenStream {
        let Described { name, bits: _, fields } = self;
        let fields = fields.iter().map(|DescribedField { member, value, .. }| quote!(#member: #value));
        quote!(Self::#name { #(#fields,)* })
    }

    fn stored(&self) -> TokenStream {
        let (pattern, Described { name: _, bits, fields }) = (self.pattern(), self);
        let fields = fields.iter().map(
            |DescribedField { value, element, offset, .. }| quote!(#element::__store(bytes.add(#offset).cast(), #value);),
        );
        quote! {
            #pattern => unsafe {
                ::cumbia::__private::store_bits::<__Tag>(bytes.cast(), #bits);
                #(#fields)*
            },
        }
    }

    fn constant(&self) -> TokenStream {
        let (pattern, Described { name: _, bits, fields }) = (self.pattern(), self);
        let fields = fields.iter().map(|DescribedField { value, element, .. }| quote!(#element::__constant(&#value)));
        let bits = quote!(::cumbia::__private::ir::ConstantValue::Bits(#bits));
        quote! {
            #pattern => ::cumbia::__private::ir::ConstantValue::Parts(::std::vec![
                #bits,
                ::cumbia::__private::ir::ConstantValue::Parts(::std::vec![#bits, #(#fields),*]),
            ]),
        }
    }
}

/// Returns a value of each variant, by its position.
fn sample(values: impl Iterator<Item = TokenStream>) -> TokenStream {
    let arms = values.enumerate().map(|(position, value)| {
        let position = proc_macro2::Literal::usize_unsuffixed(position);
        quote!(#position => #value,)
    });
    quote! {
        ::core::option::Option::Some(match __variant {
            #(#arms)*
            _ => return ::core::option::Option::None,
        })
    }
}

/// Returns the implementation of a type that was rejected.
fn stub() -> Implementation {
    let body = || quote!(loop {});
    let (ty, sample, load, store, placeholder, constant) = (body(), body(), body(), body(), body(), body());
    let (items, any_bits) = (TokenStream::new(), TokenStream::new());
    Implementation { items, ty, sample, any_bits, load, store, placeholder, constant }
}

/// Returns `Self` in a form that is only well-formed if the generic arguments are elements: a violation is then
/// reported once.
fn held(name: &Ident, generics: &Generics, data: &Contents) -> TokenStream {
    let fields = data.fields();
    // A parameter that is the type of a field is an element. A parameter with bounds is left as it is, since its
    // associated type need not satisfy them.
    let is_element = |param: &syn::TypeParam| {
        let is_param = |ty: &Type| matches!(ty, Type::Path(path) if path.path.is_ident(&param.ident));
        param.bounds.is_empty() && generics.where_clause.is_none() && fields.iter().any(|field| is_param(&field.ty))
    };
    let arguments = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) if is_element(param) => {
            let name = &param.ident;
            Some(quote!(<#name as ::cumbia::DeviceType>::Held))
        }
        GenericParam::Type(param) => Some(param.ident.to_token_stream()),
        GenericParam::Const(param) => Some(param.ident.to_token_stream()),
        GenericParam::Lifetime(_) => None,
    });
    quote!(#name<#(#arguments),*>)
}

/// Returns the `where` clause of the implementations.
///
/// rustc reports an unsatisfied bound without parameters at each implementation, in its own words. Field types are
/// therefore bounded here only if they depend on a parameter, and `Copy` is required in a form that rustc does not
/// check (`for<'a>`). [`copied`] verifies it once.
fn clause(
    generics: &Generics,
    data: &Contents,
    (this, held): (&TokenStream, &TokenStream),
    invalid: bool,
) -> TokenStream {
    let own = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let mut bounds: Vec<TokenStream> = own.map(|predicate| quote!(#predicate)).collect();
    bounds.push(quote!(for<'a> #this: ::cumbia::__private::DeviceCopy));
    if generics.type_params().next().is_some() {
        bounds.push(quote!(for<'a> #held: ::cumbia::__private::DeviceCopy));
    }
    if invalid {
        // Suppresses further errors about a field that was rejected.
        bounds.push(quote!(for<'a> #this: ::core::marker::Send + ::core::marker::Sync));
    }
    bounds.extend(generics.type_params().map(|param| {
        let name = &param.ident;
        quote!(#name: 'static)
    }));
    if !invalid {
        let fields = data.fields();
        let dependent = fields.into_iter().filter(|field| depends(&field.ty, generics));
        bounds.extend(dependent.map(|Field { member: _, ty }| quote_spanned!(ty.span()=> #ty: ::cumbia::DeviceType)));
    }
    quote!(where #(#bounds),*)
}

/// Returns the implementation of `DeviceCopy`, by which rustc checks that the type is `Copy`. As `#[derive(Copy)]` does, it requires that
/// the type parameters are.
fn copied(generics: &Generics, bounds: &[TokenStream], this: &TokenStream, invalid: bool) -> TokenStream {
    let own = generics.where_clause.iter().flat_map(|clause| &clause.predicates).map(|predicate| quote!(#predicate));
    let parameters = generics.type_params().map(|param| {
        let name = &param.ident;
        quote!(#name: ::core::marker::Copy)
    });
    // A type with a field that was rejected may be unable to be `Copy`.
    let assumed = invalid.then(|| quote!(for<'a> #this: ::core::marker::Copy));
    let clause = own.chain(parameters).chain(assumed);
    quote!(impl<#(#bounds),*> ::cumbia::__private::DeviceCopy for #this where #(#clause),* {})
}

/// Returns whether a type names one of the generic parameters.
pub(super) fn depends(ty: &Type, generics: &Generics) -> bool {
    struct Names<'a> {
        generics: &'a Generics,
        found: bool,
    }

    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_path(&mut self, path: &'ast Path) {
            if let Some(first) = path.segments.first() {
                let names = self.generics.type_params().map(|param| &param.ident);
                let mut names = names.chain(self.generics.const_params().map(|param| &param.ident));
                self.found |= names.any(|name| *name == first.ident);
            }
            visit::visit_path(self, path);
        }
    }

    let mut names = Names { generics, found: false };
    names.visit_type(ty);
    names.found
}
