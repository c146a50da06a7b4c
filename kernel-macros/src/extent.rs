//! Spans of emitted expressions, at which rustc shows errors and suggestions.

use proc_macro2::{Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Expr, Token};

use crate::position::{ours, standing_for};

/// The first and the last token of an expression of the user's.
///
/// rustc computes the span of an expression from those of its first and its last token, and shows errors and suggestions there. Stable
/// Rust cannot join two spans, so the first and the last of the emitted tokens have the spans of the user's.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    first: Span,
    last: Span,
    /// Whether the expression needs parentheses before a method call.
    operation: bool,
}

impl Extent {
    /// Returns the extent of an expression.
    pub(crate) fn of(expr: &Expr) -> Extent {
        let operation = matches!(expr, Expr::Binary(_) | Expr::Unary(_) | Expr::Cast(_));
        Extent { operation, ..Extent::of_tokens(expr) }
    }

    /// Returns the extent of an expression that needs no parentheses before a method call.
    pub(crate) fn of_tokens(tokens: &(impl ToTokens + ?Sized)) -> Extent {
        let mut tokens = tokens.to_token_stream().into_iter();
        let Some(token) = tokens.next() else { return Extent::at(Span::call_site()) };
        let first = if let TokenTree::Group(group) = &token { group.span_open() } else { token.span() };
        let token = tokens.last().unwrap_or(token);
        let last = if let TokenTree::Group(group) = &token { group.span_close() } else { token.span() };
        Extent { first, last, operation: false }
    }

    /// Returns the extent of an expression that needs them.
    pub(crate) fn of_operation(tokens: &impl ToTokens) -> Extent {
        Extent { operation: true, ..Extent::of_tokens(tokens) }
    }

    /// Returns the extent of a single token.
    pub(crate) fn at(span: Span) -> Extent {
        Extent::between(span, span)
    }

    /// Returns the extent of an expression that begins and ends with these tokens.
    pub(crate) fn between(first: Span, last: Span) -> Extent {
        Extent { first, last, operation: false }
    }

    /// Returns the extent with spans that `shown` replaces.
    pub(crate) fn map(self, shown: impl Fn(Span) -> Span) -> Extent {
        Extent { first: shown(self.first), last: shown(self.last), ..self }
    }

    /// Returns the span of the first token.
    pub(crate) fn start(self) -> Span {
        self.first
    }

    /// Returns the span of the last token.
    pub(crate) fn end(self) -> Span {
        self.last
    }

    /// Returns a span for generated identifiers, located at the first token.
    pub(crate) fn hidden(self) -> Span {
        ours(self.first)
    }

    /// Returns the tokens in parentheses, as the first of the emitted tokens.
    pub(crate) fn opening(self, tokens: impl ToTokens) -> TokenStream {
        standing_for(self.first, tokens.to_token_stream())
    }

    /// Returns the arguments of a call in parentheses, as the last of the emitted tokens.
    pub(crate) fn closing(self, arguments: impl ToTokens) -> TokenStream {
        standing_for(self.last, arguments.to_token_stream())
    }

    /// Returns the field of a tuple of one element. A field is an expression whose base rustc checks without the type that is
    /// expected of it, so that an error about the type is shown at the whole.
    pub(crate) fn field(self, tuple: impl ToTokens) -> TokenStream {
        let mut zero = Literal::usize_unsuffixed(0);
        zero.set_span(self.last);
        self.value(quote!(#tuple.#zero))
    }

    /// Returns a block of statements as an expression that does not begin with a brace.
    pub(crate) fn block(self, statements: &TokenStream) -> TokenStream {
        self.field(self.opening(quote!({ #statements },)))
    }

    /// Returns the tokens that have the value of an expression. If it has an operator, so have the tokens, for which rustc suggests
    /// parentheses with a method call: a dereference, of a mutable reference, because a temporary may be borrowed mutably.
    pub(crate) fn value(self, tokens: TokenStream) -> TokenStream {
        if !self.operation {
            return tokens;
        }
        let [mut star, mut and] = ['*', '&'].map(|operator| Punct::new(operator, Spacing::Alone));
        star.set_span(self.first);
        and.set_span(self.first);
        let mutable = Token![mut](self.first);
        quote!(#star #and #mutable #tokens)
    }
}
