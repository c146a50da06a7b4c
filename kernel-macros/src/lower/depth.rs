//! The nesting of the expressions of a body, which is limited: the compilers of kernels process them recursively.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{Visit, visit_expr};
use syn::{Block, Expr};

/// The maximum number of nested expressions, which the rule's text repeats. That of the IR, which is 400, is not reached by what the
/// macro adds to them.
const MAX_DEPTH: usize = 300;

/// Returns the position of an expression that is nested too deep, if there is one. Visits nothing deeper.
pub(super) fn first_too_deep(block: &Block) -> Option<Span> {
    let mut search = Search { depth: 0, found: None };
    search.visit_block(block);
    search.found
}

struct Search {
    depth: usize,
    found: Option<Span>,
}

impl<'a> Visit<'a> for Search {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if self.depth == MAX_DEPTH {
            // The first token of a sum of many terms, which is deepest.
            self.found.get_or_insert_with(|| expr.span());
            return;
        }
        self.depth += 1;
        visit_expr(self, expr);
        self.depth -= 1;
    }
}
