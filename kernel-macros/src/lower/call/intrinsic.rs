//! Intrinsics whose result is a handle.
//!
//! rustc resolves the name of an intrinsic like that of any other function, and the slot of the call holds what it resolved to,
//! so the macro needs no list of intrinsics. [`HANDLES`] is the exception. The macro has to know which values are handles before
//! rustc resolves any name, because `*total`, `tile.len()` and `for v in tile` have different tokens for a handle and for a value
//! (see [`category`](crate::lower::category)). A `#[device]` function returns no references, so only an intrinsic can return a
//! handle.

use syn::ExprPath;

use crate::lower::Category;

/// The intrinsics whose result is a handle: the name, the number of arguments, and the category of the result.
///
/// An import that rustc accepts only for the intrinsic itself verifies the name
/// ([`identity::check`](crate::identity::check)). Under another name the result has an unknown category, which is
/// sufficient for indexing.
const HANDLES: [(&str, usize, Category); 3] = [
    // The place of a variable of the block.
    ("shared", 0, Category::Reference { mutable: true }),
    // Slices of the launch's dynamic shared memory.
    ("dynamic_shared", 0, Category::Slice),
    ("dynamic_shared_at", 2, Category::Slice),
];

/// Returns the category of the handle that a call with this number of arguments returns, if its callee has the name of one
/// of the [`HANDLES`].
pub(in crate::lower) fn handle(path: &ExprPath, arguments: usize) -> Option<Category> {
    let last = &path.path.segments.last()?.ident;
    HANDLES.into_iter().find(|(name, arity, _)| last == name && *arity == arguments).map(|(_, _, category)| category)
}

/// Returns the category of the result of any other call with this number of arguments: a device function returns a value,
/// and one of the [`HANDLES`] under another name has generic arguments.
pub(in crate::lower) fn category_of_result(path: &ExprPath, arguments: usize) -> Category {
    let generic = path.path.segments.last().is_none_or(|last| !last.arguments.is_none());
    if generic && HANDLES.iter().any(|(_, arity, _)| *arity == arguments) { Category::Unknown } else { Category::Owned }
}
