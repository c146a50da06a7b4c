//! The types of the variables of the parameters and of the result, by projections.
//!
//! The projection of a type to itself is an error if the type lacks its derive, and the type of the variable stays unknown then. So rustc
//! reports the type once, where it is declared, and nothing that the body does with its values.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type};

use crate::identity::may_be_declared;
use crate::position::ours;
use crate::signature::{Param, ParamKind, Signature, mentions};

/// The types of a signature that may lack their derive.
pub(crate) struct Declared<'a> {
    signature: &'a Signature,
    /// The tokens of the first declaration of each type, by its text: rustc reports an error at the same tokens once.
    types: Vec<(String, TokenStream)>,
}

impl<'a> Declared<'a> {
    /// Finds the types of the parameters and of the result.
    pub(crate) fn new(signature: &'a Signature) -> Self {
        let mut declared = Declared { signature, types: Vec::new() };
        let params = signature.params.iter().zip(&signature.aliases);
        let params = params.filter_map(|(param, alias)| Some((type_of(&param.kind)?, alias.as_ref())));
        for (ty, alias) in params.chain(signature.result.iter().map(|ty| (ty, None))) {
            if declared.may_lack_derive(ty) && declared.projection(ty).is_none() {
                let tokens = alias.map_or_else(|| ty.to_token_stream(), ToTokens::to_token_stream);
                declared.types.push((text(ty), tokens));
            }
        }
        declared
    }

    /// Returns the statements that declare the variables of the parameters by the projections of their types.
    pub(super) fn params(&self) -> TokenStream {
        self.signature.params.iter().filter_map(|param| self.param(param)).collect()
    }

    fn param(&self, Param { name, mutable, kind, .. }: &Param) -> Option<TokenStream> {
        let ty = self.projection(type_of(kind)?)?;
        let span = ours(ty.span());
        let ty = match kind {
            ParamKind::Slice(_) | ParamKind::SliceMut(_) => {
                quote_spanned!(span=> ::cumbia::__private::Slice<'_, #ty, _>)
            }
            ParamKind::Ref(_) | ParamKind::RefMut(_) => {
                quote_spanned!(span=> ::cumbia::__private::PlaceRef<'_, #ty, _>)
            }
            &ParamKind::View { element: _, dimensions, mutable: _ } => {
                let dimensions = usize::from(dimensions);
                quote_spanned!(span=> ::cumbia::__private::View<'_, #ty, #dimensions, _>)
            }
            _ => ty,
        };
        let mutability = mutable.then(|| quote!(mut));
        let value = if let ParamKind::Value(_) = kind {
            quote_spanned!(span=> ::cumbia::__private::declared(#name))
        } else {
            quote_spanned!(span=> #name.declared())
        };
        Some(quote_spanned!(span=> let #mutability #name: #ty = #value;))
    }

    /// Returns the projections of the types of the parameters that are values, and the span of the first of them, if any. They are `Copy`
    /// also where the types are not, for lack of a derive.
    pub(crate) fn values(&self) -> (Vec<Option<TokenStream>>, Option<Span>) {
        let mut at = None;
        let values = self.signature.params.iter().map(|param| {
            let ParamKind::Value(ty) = &param.kind else { return None };
            let projection = self.projection(ty)?;
            at.get_or_insert(ty.span());
            Some(projection)
        });
        let values = values.collect();
        (values, at)
    }

    /// Returns the type of the result, if it is not `()`.
    pub(super) fn result(&self) -> Option<TokenStream> {
        let ty = self.signature.result.as_ref()?;
        Some(self.projection(ty).unwrap_or_else(|| ty.to_token_stream()))
    }

    /// Returns the call that makes a slot depend on a type of the signature that may lack its derive, with the given tokens: `.given::<..>()`.
    pub(super) fn given(&self, ty: &impl ToTokens) -> Option<TokenStream> {
        let projection = self.projection(ty)?;
        Some(quote_spanned!(ours(projection.span())=> .given::<#projection>()))
    }

    /// As [`given`](Self::given), for the type of a variant: that of `Kind::Leaf` is `Kind`.
    pub(super) fn given_of_variant(&self, path: &Path) -> Option<TokenStream> {
        let mut ty = path.clone();
        ty.segments.pop();
        ty.segments.pop_punct();
        self.given(&ty)
    }

    /// Returns the projection of a type that may lack its derive.
    fn projection(&self, ty: &impl ToTokens) -> Option<TokenStream> {
        let (_, ty) = self.types.iter().find(|(known, _)| *known == text(ty))?;
        Some(quote_spanned!(ty.span()=> <#ty as ::cumbia::__private::HasDeviceLayout>::This))
    }

    /// Returns whether a type is the path of a type that is not generic over the parameters of the function, which have bounds.
    fn may_lack_derive(&self, ty: &Type) -> bool {
        let is_generic = || self.signature.types.iter().any(|param| mentions(ty.to_token_stream(), param));
        may_be_declared(ty) && !is_generic() && !has_lifetimes(ty.to_token_stream())
    }
}

fn text(ty: &impl ToTokens) -> String {
    ty.to_token_stream().to_string()
}

/// Returns the type of a parameter's values.
fn type_of(kind: &ParamKind) -> Option<&Type> {
    match kind {
        ParamKind::Value(ty)
        | ParamKind::Slice(ty)
        | ParamKind::SliceMut(ty)
        | ParamKind::Ref(ty)
        | ParamKind::RefMut(ty)
        | ParamKind::View { element: ty, dimensions: _, mutable: _ } => Some(ty),
        ParamKind::Argument(_)
        | ParamKind::ArgumentRef(_)
        | ParamKind::Tuple(..)
        | ParamKind::Array(..)
        | ParamKind::Rejected => None,
    }
}

/// Returns whether a type has lifetimes, which the body does not name.
fn has_lifetimes(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '\'',
        TokenTree::Group(group) => has_lifetimes(group.stream()),
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}
