//! Additional bounds on the generic parameters of device code.
//!
//! Type parameters are `'static`: an instance of a function is identified by the `TypeId`s of its type arguments. For
//! an operator bound (`T: Add<Output = T>`) the device needs the function that implements the operator, or the
//! guarantee that it is built in; for a conversion (`T: From<u8>`), the guarantee that it is built in.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    GenericArgument, Generics, Path, PathArguments, PredicateType, Token, TraitBound, Type, TypeParamBound,
    WherePredicate, parse_quote,
};

use crate::position::ours;
use crate::signature::{Param, ParamKind, Signature};

/// An operator trait.
pub(crate) struct OperatorTrait {
    /// The name in the standard library.
    pub(crate) name: &'static str,
    /// The name of the operator's marker type in the runtime.
    pub(crate) marker: &'static str,
    /// Whether the operator is binary.
    pub(crate) binary: bool,
}

/// The operator traits that are supported on a device.
const OPERATORS: [OperatorTrait; 24] = {
    const fn binary(name: &'static str) -> OperatorTrait {
        OperatorTrait { name, marker: name, binary: true }
    }
    const fn unary(name: &'static str) -> OperatorTrait {
        OperatorTrait { name, marker: name, binary: false }
    }
    [
        binary("Add"),
        binary("Sub"),
        binary("Mul"),
        binary("Div"),
        binary("Rem"),
        binary("BitAnd"),
        binary("BitOr"),
        binary("BitXor"),
        binary("Shl"),
        binary("Shr"),
        binary("AddAssign"),
        binary("SubAssign"),
        binary("MulAssign"),
        binary("DivAssign"),
        binary("RemAssign"),
        binary("BitAndAssign"),
        binary("BitOrAssign"),
        binary("BitXorAssign"),
        binary("ShlAssign"),
        binary("ShrAssign"),
        unary("Neg"),
        unary("Not"),
        OperatorTrait { name: "PartialEq", marker: "Eq", binary: true },
        OperatorTrait { name: "PartialOrd", marker: "Order", binary: true },
    ]
};

/// Returns the operator whose trait `path` names, if any.
pub(crate) fn operator(path: &Path) -> Option<&'static OperatorTrait> {
    let name = path.segments.last()?.ident.to_string();
    OPERATORS.iter().find(|operator| operator.name == name)
}

/// Returns the type of the right operand: `B` for `Add<B>`, `this` for `Add`, `()` for `Neg`.
pub(crate) fn right_operand(operator: &OperatorTrait, path: &Path, this: &Type) -> Type {
    if !operator.binary {
        return parse_quote!(());
    }
    first_type(path).unwrap_or_else(|| this.clone())
}

/// Returns the first generic argument of a path that is a type.
fn first_type(path: &Path) -> Option<Type> {
    let PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    })
}

/// Returns the device bound that complements `From<source>`.
fn conversion(path: &Path) -> Option<TypeParamBound> {
    let source = first_type(path).filter(|_| path.segments.last().is_some_and(|last| last.ident == "From"))?;
    let span = ours(path.span());
    syn::parse2(quote_spanned!(span=> ::cumbia::__private::Lossless<#source>)).ok()
}

/// Adds the bound `DeviceType` to the type parameters that are types of elements, and returns a check that their own bounds imply
/// it: so a missing bound is one error, at the type parameter, and not one at each use of an element.
pub(crate) fn complete_elements(generics: &mut Generics, signature: &Signature) -> TokenStream {
    let declared = generics.clone();
    let (params, clause) = (&declared.params, &declared.where_clause);
    let mut checks = TokenStream::new();
    for param in generics.type_params_mut() {
        // A parameter without bounds is rejected.
        let is_rejected = param.bounds.is_empty() && clause.is_none();
        if is_rejected
            || is_number(&param.bounds)
            || !signature.params.iter().any(|of| has_element(of, signature, &param.ident))
        {
            continue;
        }
        let name = &param.ident;
        let span = ours(name.span());
        checks.extend(quote_spanned!(span=> ::cumbia::__private::require_element::<#name>();));
        param.bounds.push(parse_quote!(::cumbia::DeviceType));
    }
    if checks.is_empty() {
        return checks;
    }
    quote! {
        const _: () = {
            #[allow(dead_code, clippy::all, clippy::pedantic)]
            fn check<#params>() #clause {
                #checks
            }
        };
    }
}

/// Returns whether a parameter is an element of this type, or a sequence of them. A device function also takes values of other
/// types.
fn has_element(param: &Param, signature: &Signature, name: &Ident) -> bool {
    let of = match &param.kind {
        ParamKind::Value(ty) if signature.kernel => ty,
        ParamKind::Slice(ty)
        | ParamKind::SliceMut(ty)
        | ParamKind::Ref(ty)
        | ParamKind::RefMut(ty)
        | ParamKind::View { element: ty, dimensions: _, mutable: _ } => ty,
        ParamKind::Value(_)
        | ParamKind::Argument(_)
        | ParamKind::ArgumentRef(_)
        | ParamKind::Tuple(..)
        | ParamKind::Array(..)
        | ParamKind::Rejected => return false,
    };
    let of = match of {
        Type::Array(array) => &array.elem,
        of => of,
    };
    matches!(of, Type::Path(path) if path.path.is_ident(name))
}

/// Returns whether one of the bounds has the name of a trait of Cumbia that implies `DeviceType`. For another trait of that name,
/// a missing bound is reported at each use.
fn is_number(bounds: &Punctuated<TypeParamBound, Token![+]>) -> bool {
    const NAMES: [&str; 5] = ["DeviceType", "Number", "Float", "Integer", "Scalar"];
    bounds.iter().any(|bound| {
        let TypeParamBound::Trait(TraitBound { path, .. }) = bound else { return false };
        path.segments.last().is_some_and(|last| NAMES.iter().any(|name| last.ident == name))
    })
}

/// Adds the device bounds to the generic parameters of a function, an `impl` or a trait.
pub(crate) fn complete(generics: &mut Generics) {
    for param in generics.type_params_mut() {
        let name = &param.ident;
        complete_bounds(&parse_quote!(#name), &mut param.bounds);
        param.bounds.push(parse_quote!('static));
    }
    for predicate in generics.where_clause.iter_mut().flat_map(|clause| &mut clause.predicates) {
        if let WherePredicate::Type(PredicateType { bounded_ty, bounds, .. }) = predicate {
            complete_bounds(bounded_ty, bounds);
        }
    }
}

/// Adds the device bounds that complement the operator and conversion bounds of a type.
pub(crate) fn complete_bounds(this: &Type, bounds: &mut Punctuated<TypeParamBound, Token![+]>) {
    let added: Vec<TypeParamBound> = bounds
        .iter()
        .filter_map(|bound| {
            let TypeParamBound::Trait(TraitBound { path, .. }) = bound else { return None };
            let Some(operator) = operator(path) else { return conversion(path) };
            let right = right_operand(operator, path, this);
            // Device operators take their operands by value, never by reference.
            if matches!(right, Type::Reference(_)) || matches!(this, Type::Reference(_)) {
                return None;
            }
            let span = ours(path.span());
            let marker = Ident::new(operator.marker, span);
            let bound = match operator.marker {
                "Eq" => quote_spanned!(span=> ::cumbia::__private::Equal<#right>),
                "Order" => quote_spanned!(span=> ::cumbia::__private::Ordered<#right>),
                _ => quote_spanned!(span=> ::cumbia::__private::Operator<::cumbia::__private::op::#marker, #right>),
            };
            syn::parse2(bound).ok()
        })
        .collect();
    bounds.extend(added);
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;

    use super::*;

    #[track_caller]
    fn check(item: syn::ItemFn, expected: syn::ItemFn) {
        let mut item = item;
        complete(&mut item.sig.generics);
        let [found, expected] = [item, expected].map(|item| {
            let text = item.to_token_stream().to_string().replace(' ', "");
            text.replace(",>", ">").replace(",{", "{")
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn comparison_bounds_add_device_bounds() {
        check(
            parse_quote!(
                fn f<T: DeviceType + PartialEq + PartialOrd<f32>>() {}
            ),
            parse_quote!(
                fn f<
                    T: DeviceType
                        + PartialEq
                        + PartialOrd<f32>
                        + ::cumbia::__private::Equal<T>
                        + ::cumbia::__private::Ordered<f32>
                        + 'static,
                >() {
                }
            ),
        );
    }

    #[test]
    fn operator_bounds_add_device_bounds() {
        check(
            parse_quote!(
                fn f<T: DeviceType + Add<Output = T> + Mul<f32>, const N: usize>()
                where
                    [T; N]: Neg,
                    f64: From<T>,
                    for<'a> &'a T: Add,
                {
                }
            ),
            parse_quote!(
                fn f<
                    T: DeviceType
                        + Add<Output = T>
                        + Mul<f32>
                        + ::cumbia::__private::Operator<::cumbia::__private::op::Add, T>
                        + ::cumbia::__private::Operator<::cumbia::__private::op::Mul, f32>
                        + 'static,
                    const N: usize,
                >()
                where
                    [T; N]: Neg + ::cumbia::__private::Operator<::cumbia::__private::op::Neg, ()>,
                    f64: From<T> + ::cumbia::__private::Lossless<T>,
                    for<'a> &'a T: Add,
                {
                }
            ),
        );
    }
}
