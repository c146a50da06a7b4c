//! The import of a function that is called by its name alone, so that a host function is rejected by a message of ours: see
//! `cumbia_kernel_lang::absent`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ExprPath;

use crate::position::ours;

/// The names that a module has without an explicit import: functions and macros of the preludes, and crates. A function of the user
/// may shadow them, which rustc accepts in a call, but not in an import.
const WITHOUT_IMPORT: &[&str] = &[
    "align_of",
    "align_of_val",
    "alloc",
    "atomic_add",
    "atomic_cas",
    "atomic_exch",
    "atomic_max",
    "atomic_min",
    "atomic_sub",
    "block_dim",
    "block_idx",
    "core",
    "cumbia",
    "device",
    "drop",
    "dynamic_shared",
    "global_id",
    "grid",
    "grid_dim",
    "grid_size",
    "half",
    "kernel",
    "lane_id",
    "launch",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "size_of",
    "size_of_val",
    "std",
    "sync_threads",
    "sync_warp",
    "thread_idx",
];

/// Returns the value of a call's callee: a struct literal with these fields.
///
/// A path to a function in a module is not imported. If there is no such function, the import would be an error besides that of the
/// call. Nor is a function in the scope of a glob import in the body, which may shadow others.
pub(super) fn callee(path: &ExprPath, no_globs: bool, fields: &TokenStream) -> TokenStream {
    let function = path
        .path
        .get_ident()
        .filter(|_| no_globs)
        .filter(|function| !WITHOUT_IMPORT.contains(&function.to_string().as_str()));
    let Some(function) = function else {
        return quote!(#path #fields);
    };
    let name = format_ident!("__cumbia_host_function", span = ours(function.span()));
    // If there is no function of this name, the import finds the macro, and is no error of its own.
    quote! {
        {
            #[allow(unused_macros)]
            macro_rules! #function {
                () => {};
            }
            #[allow(unused_imports)]
            use #function as #name;
            #name #fields
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_of_the_prelude_are_not_imported() {
        let facade = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/lib.rs");
        let text = std::fs::read_to_string(facade).expect("the workspace's facade");
        let (_, prelude) = text.split_once("pub mod prelude {").expect("the prelude");
        let (_, list) = prelude.split_once("pub use crate::intrinsics::{").expect("its intrinsics");
        let (list, _) = list.split_once('}').expect("the end of the list");
        let functions: Vec<&str> = list.split([',', '\n']).map(str::trim).filter(|name| !name.is_empty()).collect();
        assert!(functions.contains(&"grid"), "{functions:?}");
        for name in functions {
            assert!(name == "WARP_SIZE" || WITHOUT_IMPORT.contains(&name), "{name}");
        }
    }
}
