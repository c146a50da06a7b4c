//! Error collection, so that all errors of a function are reported at once.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

use crate::rules::Rule;

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Records that `tokens` violate `rule`.
    pub(crate) fn refuse(&mut self, tokens: impl ToTokens, rule: &Rule) {
        self.0.push(syn::Error::new_spanned(tokens, rule));
    }

    /// Records a violation of `rule` at `span`.
    pub(crate) fn refuse_at(&mut self, span: Span, rule: &Rule) {
        self.0.push(syn::Error::new(span, rule));
    }

    /// Records that `tokens` violate a rule whose text contains the name of the refused construct.
    pub(crate) fn refuse_named(&mut self, tokens: impl ToTokens, rule: &Rule, name: &dyn std::fmt::Display) {
        self.0.push(syn::Error::new_spanned(tokens, rule.named(name)));
    }

    /// Like [`Errors::refuse_named`], at `span`.
    pub(crate) fn refuse_named_at(&mut self, span: Span, rule: &Rule, name: &dyn std::fmt::Display) {
        self.0.push(syn::Error::new(span, rule.named(name)));
    }

    /// Records an error at `tokens` whose message is not that of a rule.
    pub(crate) fn explain(&mut self, tokens: impl ToTokens, message: &str) {
        self.0.push(syn::Error::new_spanned(tokens, message));
    }

    /// Records a syntax error reported by `syn`.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Returns the number of errors.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the errors as `compile_error!` invocations, if there are any.
    pub(crate) fn finish(self) -> Result<(), TokenStream> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0.iter().map(syn::Error::to_compile_error).collect()) }
    }
}
