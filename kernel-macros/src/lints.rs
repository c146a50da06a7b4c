//! The user's levels of lints: `#[allow(..)]`, `#[expect(..)]` and the others.
//!
//! A function becomes two items, the host function with its signature, and another one with the body on the CPU. Both get the levels.

use syn::spanned::Spanned;
use syn::{Attribute, Ident, Meta};

/// Replaces `expect` by `allow`, since a lint of the body is missed in the other item, and one of the signature in the body; and
/// `forbid` by `deny`, since generated code has levels of its own.
pub(crate) fn relax(attributes: &mut [Attribute]) {
    for attribute in attributes {
        let level = match attribute.path() {
            path if path.is_ident("expect") => "allow",
            path if path.is_ident("forbid") => "deny",
            _ => continue,
        };
        let path = Ident::new(level, attribute.path().span()).into();
        match &mut attribute.meta {
            Meta::Path(old) => *old = path,
            Meta::List(list) => list.path = path,
            Meta::NameValue(value) => value.path = path,
        }
    }
}

/// Returns the levels among the attributes of a function or an `impl`, after [`relax`].
pub(crate) fn levels(attributes: &[Attribute]) -> Vec<&Attribute> {
    let is_level =
        |attribute: &&Attribute| ["allow", "warn", "deny"].iter().any(|level| attribute.path().is_ident(level));
    attributes.iter().filter(is_level).collect()
}
