//! Calls of the intrinsics that need a lowering of their own.
//!
//! rustc resolves the name of an intrinsic like that of any other function, and the slot of the call holds what it
//! resolved to. Six intrinsics are recognised by identifier nevertheless, because they determine the tokens around the
//! call:
//!
//! - `grid`, `global_id` and `grid_size`: the number of dimensions determines the type of the result, so the literal
//!   argument becomes a const generic argument.
//! - `shared`, `dynamic_shared` and `dynamic_shared_at`: the result is a handle, which is accessed by method calls (see
//!   [`shape`](super::shape)). Any other function returns a value or a tuple of values.
//!
//! An import that rustc accepts only for the intrinsic itself verifies each of them ([`identity::check`]). Under
//! another name an intrinsic of the second group has a result of unknown shape, which is sufficient for indexing.

use proc_macro2::Ident;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprLit, ExprPath, Lit, PathArguments};

use super::{Lowerer, Shape, Value};
use crate::identity::{self, Known};
use crate::position::{ours, standing_for};
use crate::rules;

impl Lowerer<'_> {
    /// Lowers `grid(2)` as `grid::<2>()`. `name` is the identifier that [`dimensioned`] found.
    pub(super) fn dimensioned_call(&mut self, call: &ExprCall, path: &ExprPath, name: &Ident) -> Value {
        let dimension = match call.args.first() {
            Some(Expr::Lit(ExprLit { lit: Lit::Int(value), .. })) if call.args.len() == 1 => {
                value.base10_parse::<usize>().ok().filter(|dimension| (1..=3).contains(dimension))
            }
            _ => None,
        };
        let Some(dimension) = dimension else {
            let shown: &dyn ToTokens = if call.args.is_empty() { call } else { &call.args };
            return self.refuse_named(&shown, &rules::GRID_DIMENSION, name);
        };
        let check = identity::check(&path.path, Known::Intrinsic);
        let path = quote_spanned!(ours(path.span())=> #path::<#dimension>);
        let Value { id, cpu, shape } = self.resolved_call(call, &path, &[], Shape::Owned);
        Value { id, cpu: standing_for(call.span(), quote!({ #check #cpu })), shape }
    }
}

/// Returns the identifier of an intrinsic that takes the number of dimensions, if `path` ends in one without generic
/// arguments.
pub(super) fn dimensioned(path: &ExprPath) -> Option<&Ident> {
    let last = path.path.segments.last()?;
    let named = last.ident == "grid" || last.ident == "global_id" || last.ident == "grid_size";
    (named && matches!(last.arguments, PathArguments::None)).then_some(&last.ident)
}

/// Returns the shape of the result of a call with this number of arguments, as far as the identifier of the function
/// determines it. A device function returns a value. An intrinsic under another name may return a reference.
pub(super) fn shape_of_result(path: &ExprPath, arguments: usize) -> Shape {
    let Some(last) = path.path.segments.last() else { return Shape::Unknown };
    match arguments {
        0 if last.ident == "shared" => Shape::Reference { mutable: true },
        0 if last.ident == "dynamic_shared" => Shape::Slice,
        2 if last.ident == "dynamic_shared_at" => Shape::Slice,
        0 | 2 if !last.arguments.is_none() => Shape::Unknown,
        _ => Shape::Owned,
    }
}
