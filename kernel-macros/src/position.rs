//! Where tokens stand, for the IR and for the code that is written.

use cumbia_kernel_ir::ir;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;

/// The line and column where `span` begins.
pub(crate) fn of(span: Span) -> ir::Span {
    if !proc_macro::is_available() {
        return ir::Span::default(); // a unit test
    }
    let span = span.unwrap();
    ir::Span { line: span.line() as u32, column: span.column() as u32 }
}

/// Tokens of ours in the place of the user's at `span`. A panic of Rust's inside an operator names the position where the
/// operator's operands begin; behind parentheses of the user's span, that is the user's, and not the attribute's.
pub(crate) fn standing_for(span: Span, tokens: TokenStream) -> TokenStream {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(span);
    TokenTree::from(group).into()
}

/// A span for names of ours that is shown at `span`: the user's code cannot see such names, and errors point to the
/// user's tokens.
pub(crate) fn ours(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// Whether a span is one that [`ours`] gives.
pub(crate) fn is_ours(span: Span) -> bool {
    proc_macro::is_available() && context(span).is_some() && context(span) == context(Span::mixed_site())
}

/// A name as rustc compares it: one that a `macro_rules!` macro wrote is not the one that its caller wrote.
#[derive(PartialEq, Eq)]
pub(crate) struct Name {
    text: String,
    context: Option<u32>,
}

impl Name {
    /// The name that `ident` is.
    pub(crate) fn of(ident: &Ident) -> Name {
        Name { text: ident.unraw().to_string(), context: context(ident.span()) }
    }

    /// Its letters.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// The syntax context of a span: which macro wrote it. Stable Rust shows it in `Debug` only, as in `#3 bytes(120..121)`.
/// Where that is written in another way, names are told apart by their letters alone.
fn context(span: Span) -> Option<u32> {
    if !proc_macro::is_available() {
        return None; // a unit test
    }
    let shown = format!("{:?}", span.unwrap());
    let (context, _) = shown.strip_prefix('#')?.split_once(' ')?;
    context.parse().ok()
}
