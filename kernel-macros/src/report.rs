//! Error collection, so that all errors of a function are reported at once.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

use crate::rules::{Body, Rule};

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Errors {
    errors: Vec<syn::Error>,
    /// The kind of the function whose body is being lowered.
    body: Body,
}

impl Errors {
    /// Makes the messages that follow name this kind of function.
    pub(crate) fn about(&mut self, body: Body) {
        self.body = body;
    }

    /// Records that `tokens` violate `rule`.
    pub(crate) fn reject(&mut self, tokens: impl ToTokens, rule: &Rule) {
        self.errors.push(syn::Error::new_spanned(tokens, rule.text(self.body)));
    }

    /// Records a violation of `rule` at `span`.
    pub(crate) fn reject_at(&mut self, span: Span, rule: &Rule) {
        self.errors.push(syn::Error::new(span, rule.text(self.body)));
    }

    /// Records that `tokens` violate a rule whose text contains the name of the rejected construct.
    pub(crate) fn reject_named(&mut self, tokens: impl ToTokens, rule: &Rule, name: &dyn std::fmt::Display) {
        self.errors.push(syn::Error::new_spanned(tokens, rule.named(self.body, name)));
    }

    /// Like [`Errors::reject_named`], at `span`.
    pub(crate) fn reject_named_at(&mut self, span: Span, rule: &Rule, name: &dyn std::fmt::Display) {
        self.errors.push(syn::Error::new(span, rule.named(self.body, name)));
    }

    /// Records an error at `tokens` whose message is not that of a rule.
    pub(crate) fn explain(&mut self, tokens: impl ToTokens, message: &str) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Records a syntax error reported by `syn`.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Returns the number of errors.
    pub(crate) fn count(&self) -> usize {
        self.errors.len()
    }

    /// Returns the errors as `compile_error!` invocations, if there are any.
    pub(crate) fn finish(self) -> Result<(), TokenStream> {
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(self.errors.iter().map(syn::Error::to_compile_error).collect())
        }
    }
}
