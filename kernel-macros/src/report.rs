//! Collects mistakes, so that all of a function's are shown at once.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

use crate::rules::Rule;

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Notes that `tokens` break `rule`.
    pub(crate) fn refuse(&mut self, tokens: impl ToTokens, rule: &Rule) {
        self.0.push(syn::Error::new_spanned(tokens, rule));
    }

    /// Notes that what begins at `span` breaks `rule`.
    pub(crate) fn refuse_at(&mut self, span: Span, rule: &Rule) {
        self.0.push(syn::Error::new(span, rule));
    }

    /// Notes that `tokens` break a rule that names what it refuses.
    pub(crate) fn refuse_named(&mut self, tokens: impl ToTokens, rule: &Rule, name: &dyn std::fmt::Display) {
        self.0.push(syn::Error::new_spanned(tokens, rule.named(name)));
    }

    /// As [`Errors::refuse_named`], of what begins at `span`.
    pub(crate) fn refuse_named_at(&mut self, span: Span, rule: &Rule, name: &dyn std::fmt::Display) {
        self.0.push(syn::Error::new(span, rule.named(name)));
    }

    /// Notes a mistake of `tokens` in words that no rule has.
    pub(crate) fn explain(&mut self, tokens: impl ToTokens, message: &str) {
        self.0.push(syn::Error::new_spanned(tokens, message));
    }

    /// Notes a mistake that `syn` found.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The mistakes as `compile_error!`s, if there are any.
    pub(crate) fn finish(self) -> Result<(), TokenStream> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0.iter().map(syn::Error::to_compile_error).collect()) }
    }
}
