//! The item that encloses a function, read from the source file: an attribute receives the function only, and the type that a
//! kernel needs cannot be declared in an `impl` or a trait.
//!
//! This serves one error message. Where the file cannot be read, or contains the function in a macro, rustc reports the items that
//! the attribute declares. Only a function that has one of the attributes, by their usual names, is taken for the one in question:
//! a kernel in a macro may have the name of any method.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ImplItemFn, ItemFn, PathSegment, Signature, TraitItemFn};

/// The functions of a source file, by name.
#[derive(Default)]
struct Functions {
    found: HashMap<String, Occurrences>,
}

/// The kinds of functions with one name.
#[derive(Clone, Copy, Default)]
struct Occurrences {
    /// A function of an `impl` or a trait, with an attribute for functions of devices.
    associated: bool,
    free: bool,
}

/// Returns whether the function `name`, whose attribute is at `attribute`, is in an `impl` or a trait. Returns `false` if this is
/// unknown, and if the file also contains a free function of that name.
pub(crate) fn is_associated(name: &Ident, attribute: Span) -> bool {
    thread_local! {
        /// A file is parsed once, and only if it contains a function that is indented.
        static FILES: RefCell<HashMap<PathBuf, Functions>> = RefCell::default();
    }
    if !proc_macro::is_available() || attribute.unwrap().column() == 1 {
        return false;
    }
    let Some(path) = attribute.unwrap().local_file() else { return false };
    FILES.with_borrow_mut(|files| {
        let functions = files.entry(path).or_insert_with_key(|path| Functions::of_file(path));
        let Occurrences { associated, free } = functions.found.get(&name.to_string()).copied().unwrap_or_default();
        associated && !free
    })
}

impl Functions {
    fn of_file(path: &Path) -> Functions {
        let mut functions = Functions::default();
        if let Some(file) = fs::read_to_string(path).ok().and_then(|text| syn::parse_file(&text).ok()) {
            functions.visit_file(&file);
        }
        functions
    }

    fn occurrences(&mut self, signature: &Signature) -> &mut Occurrences {
        self.found.entry(signature.ident.to_string()).or_default()
    }

    fn associated(&mut self, attributes: &[Attribute], signature: &Signature) {
        let is_ours = |name: &PathSegment| name.ident == "kernel" || name.ident == "device";
        let is_for_devices = attributes.iter().any(|attribute| attribute.path().segments.last().is_some_and(is_ours));
        self.occurrences(signature).associated |= is_for_devices;
    }
}

impl Visit<'_> for Functions {
    fn visit_item_fn(&mut self, function: &ItemFn) {
        self.occurrences(&function.sig).free = true;
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &ImplItemFn) {
        self.associated(&function.attrs, &function.sig);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &TraitItemFn) {
        self.associated(&function.attrs, &function.sig);
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::Functions;
    use syn::visit::Visit;

    #[test]
    fn functions_of_impls_and_traits_are_found_at_any_depth() {
        let file = syn::parse_file(
            "fn free() { struct S; impl S { #[device] fn in_a_body() {} } }
             mod m { trait T { #[cumbia::kernel] fn of_a_trait() {} } impl T { #[device] fn free() {} fn of_the_host() {} } }",
        );
        let mut functions = Functions::default();
        functions.visit_file(&file.expect("valid Rust"));
        let places = |name: &str| {
            let found = functions.found[name];
            (found.associated, found.free)
        };
        assert_eq!(places("free"), (true, true));
        assert_eq!(places("in_a_body"), (true, false));
        assert_eq!(places("of_a_trait"), (true, false));
        assert_eq!(places("of_the_host"), (false, false));
    }
}
