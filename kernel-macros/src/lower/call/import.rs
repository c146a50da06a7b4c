//! The import of a function that is called, so that a host function is rejected by a message of ours: see
//! `cumbia_kernel_lang::absent`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{ExprPath, Ident};

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

/// The attributes of rustc, and the modules of tools' attributes. An import of a function with such a name is ambiguous.
const ATTRIBUTES: &[&str] = &[
    "allocator",
    "allow",
    "automatically_derived",
    "cfg",
    "cfg_attr",
    "clippy",
    "coinductive",
    "cold",
    "collapse_debuginfo",
    "compiler_builtins",
    "const_trait",
    "coverage",
    "crate_name",
    "crate_type",
    "debugger_visualizer",
    "default_lib_allocator",
    "deny",
    "deprecated",
    "deprecated_safe",
    "diagnostic",
    "do_not_recommend",
    "doc",
    "expect",
    "export_name",
    "export_stable",
    "feature",
    "ffi_const",
    "ffi_pure",
    "forbid",
    "fundamental",
    "ignore",
    "inline",
    "instruction_set",
    "lang",
    "link",
    "link_name",
    "link_ordinal",
    "link_section",
    "linkage",
    "loop_match",
    "macro_escape",
    "macro_export",
    "macro_use",
    "marker",
    "may_dangle",
    "miri",
    "must_use",
    "naked",
    "needs_allocator",
    "needs_panic_runtime",
    "no_builtins",
    "no_core",
    "no_implicit_prelude",
    "no_link",
    "no_main",
    "no_mangle",
    "no_std",
    "non_exhaustive",
    "omit_gdb_pretty_printer_section",
    "optimize",
    "panic_handler",
    "panic_runtime",
    "patchable_function_entry",
    "path",
    "pointee",
    "prelude_import",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
    "profiler_runtime",
    "recursion_limit",
    "register_tool",
    "repr",
    "rust_analyzer",
    "rustfmt",
    "sanitize",
    "should_panic",
    "splat",
    "stable",
    "staged_api",
    "start",
    "target_feature",
    "test_runner",
    "thread_local",
    "track_caller",
    "type_const",
    "type_length_limit",
    "unstable",
    "used",
    "warn",
    "windows_subsystem",
];

/// Returns the value of a call's callee: a literal of the struct that the path resolves to, with the call context `call`, and
/// errors at `span`. A struct
/// literal resolves the path in the type namespace: generic arguments can be inferred, and a host function is rejected at its name.
///
/// A function in the scope of a glob import in the body is not imported, because the glob may shadow others, nor is one with generic
/// arguments, which the placeholder has not got.
pub(super) fn callee(path: &ExprPath, span: Span, no_globs: bool, call: &TokenStream) -> TokenStream {
    let span = ours(span);
    let fields = quote_spanned!(span=> { call: #call, types: ::core::marker::PhantomData });
    let is_imported = no_globs
        && path.qself.is_none()
        && path.path.segments.iter().all(|segment| segment.arguments.is_none())
        && path.path.get_ident().is_none_or(|name| {
            let name = name.to_string();
            ![WITHOUT_IMPORT, ATTRIBUTES].iter().any(|names| names.contains(&name.as_str()))
        });
    if !is_imported {
        return quote!(#path #fields);
    }
    let name = Ident::new("__cumbia_host_function", span);
    // If there is no function of this name, the import finds the macro, and is no error of its own.
    let placeholder = path.path.get_ident().map(|function| {
        quote! {
            #[allow(unused_macros)]
            macro_rules! #function {
                () => {};
            }
        }
    });
    quote! {
        {
            #placeholder
            #[allow(unused_imports)]
            use #path as #name;
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
