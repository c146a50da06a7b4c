//! Source positions and hygiene of tokens, for the IR and for the generated code.

use cumbia_kernel_ir as ir;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;

/// Returns the line and column at which `span` begins.
pub(crate) fn of(span: Span) -> ir::Span {
    if !proc_macro::is_available() {
        return ir::Span::default(); // a unit test
    }
    let span = span.unwrap();
    ir::Span { line: span.line() as u32, column: span.column() as u32 }
}

/// Encloses generated tokens in parentheses that have the user's span. A panic inside an operator reports the position
/// at which the operator's operands begin; with these parentheses it is the user's position rather than the
/// attribute's.
pub(crate) fn standing_for(span: Span, tokens: TokenStream) -> TokenStream {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(span);
    TokenTree::from(group).into()
}

/// Returns a span for generated identifiers that is located at `span`: the identifiers are hygienic, and errors point
/// to the user's tokens.
pub(crate) fn ours(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// Returns an identifier that is located at `at` for errors, and resolved where the macro was called: `at` may be that of a type which
/// the caller of a `macro_rules!` macro wrote.
pub(crate) fn called(name: &str, at: Span) -> Ident {
    Ident::new(name, Span::call_site().located_at(at))
}

/// Sets the position of the first and the last token, keywords or delimiters, to `at`: that is where rustc locates the item.
pub(crate) fn enclosed(item: TokenStream, at: Span) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    if let [first, .., last] = &mut *tokens {
        first.set_span(at);
        last.set_span(at);
    }
    tokens.into_iter().collect()
}

/// Returns the only span, or that of the macro's call if there is none or several.
pub(crate) fn of_only(mut spans: impl Iterator<Item = Span>) -> Span {
    match (spans.next(), spans.next()) {
        (Some(only), None) => only,
        _ => Span::call_site(),
    }
}

/// Returns whether a span was created by [`ours`].
pub(crate) fn is_ours(span: Span) -> bool {
    proc_macro::is_available() && context(span).is_some() && context(span) == context(Span::mixed_site())
}

/// Returns the name of a variable as device code shows it. A variable of the expansion begins with `__` on the host: a pattern that is a
/// single name refers to a constant of this name, if the user has one, whatever the hygiene.
pub(crate) fn shown(variable: &Ident) -> String {
    let name = variable.unraw().to_string();
    match name.strip_prefix("__") {
        Some(shown) if is_ours(variable.span()) => shown.to_owned(),
        _ => name,
    }
}

/// An identifier with its hygiene: one produced by a `macro_rules!` macro differs from one that its caller wrote.
#[derive(PartialEq, Eq)]
pub(crate) struct Name {
    text: String,
    context: Option<u32>,
}

impl Name {
    /// Returns the name of an identifier.
    pub(crate) fn of(ident: &Ident) -> Name {
        Name { text: ident.unraw().to_string(), context: context(ident.span()) }
    }

    /// Returns the text of the identifier.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Returns the syntax context of a span, which identifies the macro that produced it. Stable Rust exposes it only in
/// the `Debug` output, as in `#3 bytes(120..121)`. If that format changes, names are compared by their text alone.
fn context(span: Span) -> Option<u32> {
    if !proc_macro::is_available() {
        return None; // a unit test
    }
    let shown = format!("{:?}", span.unwrap());
    let (context, _) = shown.strip_prefix('#')?.split_once(' ')?;
    context.parse().ok()
}
