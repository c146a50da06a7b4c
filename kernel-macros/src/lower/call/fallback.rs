//! Diagnostics for methods that do not exist on the device.
//!
//! The CPU body calls methods by hidden names (`__device_norm` for `norm`), which rustc's error would mention. The body
//! therefore declares, for each called name, a trait with that function. The trait applies to every type, but its bound
//! is never satisfied, and `#[diagnostic::on_unimplemented]` on the bound supplies the message of the rule. An existing
//! method takes precedence: the trait is implemented for `&mut T`, which method probing tries last.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use crate::lower::call::hidden_name;
use crate::position::ours;
use crate::rules::{self, Body, Rule};

/// The hidden functions that a body calls.
#[derive(Default)]
pub(in crate::lower) struct Fallbacks(Vec<Fallback>);

struct Fallback {
    /// The name that the user wrote.
    name: Ident,
    /// The hidden name.
    hidden: Ident,
    /// The number of arguments, without the receiver.
    arguments: usize,
    /// How it is called.
    form: Form,
}

/// The form of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `x.name(..)`
    Method,
    /// `Type::name(..)`
    Function,
    /// `x.name(..)` on a struct of arrays, which is called as a function of its type
    ArgumentMethod,
}

impl Fallbacks {
    /// Records a call `x.name(..)`.
    pub(in crate::lower) fn method(&mut self, name: &Ident, arguments: usize) {
        self.note(name, hidden_name(name), arguments, Form::Method);
    }

    /// Records a call `Type::name(..)` of the function `hidden`.
    pub(in crate::lower) fn associated(&mut self, name: &Ident, hidden: Ident, arguments: usize) {
        self.note(name, hidden, arguments, Form::Function);
    }

    /// Records a call `x.name(..)` on a struct of arrays. `arguments` includes the receiver.
    pub(in crate::lower) fn of_argument(&mut self, name: &Ident, arguments: usize) {
        self.note(name, hidden_name(name), arguments, Form::ArgumentMethod);
    }

    fn note(&mut self, name: &Ident, hidden: Ident, arguments: usize, form: Form) {
        let known = |known: &Fallback| known.hidden == hidden && known.arguments == arguments && known.form == form;
        if !self.0.iter().any(known) {
            self.0.push(Fallback { name: name.clone(), hidden, arguments, form });
        }
    }

    /// Returns the declarations of the traits, for a function of this kind.
    pub(in crate::lower) fn items(&self, body: Body) -> TokenStream {
        self.0.iter().enumerate().map(|(i, fallback)| fallback.items(self.number(i), body)).collect()
    }

    /// Returns the suffix of the names of a fallback's traits: the number of arguments, if another fallback differs only in
    /// that.
    fn number(&self, position: usize) -> Option<usize> {
        let Fallback { name: _, hidden, arguments, form } = &self.0[position];
        let others = |other: &Fallback| other.hidden == *hidden && other.form == *form;
        (self.0.iter().filter(|other| others(other)).count() > 1).then_some(*arguments)
    }
}

impl Fallback {
    fn items(&self, number: Option<usize>, body: Body) -> TokenStream {
        let Fallback { name, hidden: function, arguments, form } = self;
        let method = *form == Form::Method;
        let name = written(&name.unraw().to_string());
        // Item names have no hygiene, hence the prefixes. rustc shows the names of the traits.
        let kind = match form {
            Form::Method => "Method",
            Form::Function => "Function",
            Form::ArgumentMethod => "ArgumentMethod",
        };
        let text = function.to_string();
        let text = text.trim_start_matches("__device");
        let number = number.map_or_else(String::new, |number| format!("_{number}"));
        let [condition, fallback] = ["Device", "NoDevice"]
            .map(|prefix| format_ident!("{prefix}{kind}{text}{number}", span = Span::call_site()));
        let [what, why, help] = rule(&name, *form, *arguments).formats(body, &name);
        let label = match form {
            Form::Method | Form::ArgumentMethod => "not a device method",
            Form::Function => "not a device function",
        };
        let (why, help) = (format!("why: {why}"), format!("help: {help}"));
        let types: Vec<Ident> = (0..*arguments).map(|i| format_ident!("A{i}")).collect();
        // The call context is passed after the receiver or the first argument.
        let (before, behind) = types.split_at(if method { 0 } else { types.len().min(1) });
        let receiver = method.then(|| quote!(self,));
        let target = if method { quote!(&mut T) } else { quote!(T) };
        let signature = quote! {
            fn #function<#(#types),*>(
                #receiver #(_: #before,)* _: ::cumbia::__private::Call<'_>, #(_: #behind,)*
            ) -> ::cumbia::__private::Returned<::cumbia::__private::NoKey, ::core::convert::Infallible>
        };
        quote_spanned! {ours(Span::call_site())=>
            #[diagnostic::on_unimplemented(message = #what, label = #label, note = #why, note = #help)]
            trait #condition {}
            #[allow(dead_code)]
            trait #fallback: ::core::marker::Sized {
                #signature;
            }
            impl<T: #condition> #fallback for #target {
                #signature {
                    loop {}
                }
            }
        }
    }
}

/// Returns the name that the user wrote for a method that stands for two: `as_slice` for `as_slice_unwrapped`.
fn written(name: &str) -> String {
    let suffixes = ["_unwrapped", "_copied"];
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name).to_owned()
}

/// Returns the rule for a method or an associated function of this name.
fn rule(name: &str, form: Form, arguments: usize) -> &'static Rule {
    const CONVERSIONS: [&str; 6] = ["into", "try_into", "unwrap", "expect", "unwrap_or", "ok"];
    const PLACES: [&str; 5] = ["replace", "insert", "get_or_insert", "as_ref", "as_mut"];
    const ELEMENTS: [&str; 6] = ["get", "get_mut", "first", "first_mut", "last", "last_mut"];
    const ITERATORS: [&str; 17] = [
        "map",
        "filter",
        "zip",
        "enumerate",
        "rev",
        "step_by",
        "take",
        "skip",
        "chain",
        "fold",
        "sum",
        "product",
        "for_each",
        "collect",
        "any",
        "all",
        "count",
    ];
    const VIEWS: [&str; 4] = ["as_slice", "to_slice", "as_slice_mut", "into_slice"];
    const PARTS: [&str; 8] = ["row", "row_mut", "column", "column_mut", "plane", "plane_mut", "volume", "volume_mut"];
    const HEAP: [&str; 7] = ["to_string", "to_owned", "to_vec", "push", "pop", "extend", "resize"];
    const SLICES: [&str; 16] = [
        "partition_point",
        "select_nth_unstable",
        "split_first",
        "split_last",
        "starts_with",
        "ends_with",
        "is_sorted",
        "sort_by",
        "sort_by_key",
        "sort_unstable_by",
        "sort_unstable_by_key",
        "binary_search",
        "rotate_left",
        "rotate_right",
        "clone_from_slice",
        "copy_within",
    ];
    match name {
        _ if form == Form::Function => &rules::ASSOCIATED_FUNCTION,
        _ if form == Form::ArgumentMethod => &rules::ARGUMENT_METHOD,
        "take" if arguments == 0 => &rules::OPTION_PLACE,
        name if PLACES.contains(&name) => &rules::OPTION_PLACE,
        name if ELEMENTS.contains(&name) => &rules::ELEMENT,
        name if VIEWS.contains(&name) => &rules::SLICE_OF_A_VIEW,
        name if CONVERSIONS.contains(&name) => &rules::CONVERSION,
        name if ITERATORS.contains(&name) => &rules::ITERATOR_METHOD_OF,
        name if PARTS.contains(&name) => &rules::PART_OF_A_VIEW,
        name if HEAP.contains(&name) => &rules::HEAP_METHOD,
        name if SLICES.contains(&name) => &rules::SLICE_METHOD,
        "powf" | "powi" | "pow" => &rules::POWER,
        "category" | "size" | "length" => &rules::LENGTH,
        "clone" => &rules::CLONE,
        _ => &rules::METHOD,
    }
}
