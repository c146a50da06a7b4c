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
    /// Whether a receiver is a part of a struct of arrays, and may be such a struct itself.
    of_part: bool,
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

    /// Records a call `x.part.name(..)` of a part of a struct of arrays.
    pub(in crate::lower) fn method_of_part(&mut self, name: &Ident, arguments: usize) {
        let fallback = self.note(name, hidden_name(name), arguments, Form::Method);
        fallback.of_part = true;
    }

    /// Records a call `Type::name(..)` of the function `hidden`.
    pub(in crate::lower) fn associated(&mut self, name: &Ident, hidden: Ident, arguments: usize) {
        self.note(name, hidden, arguments, Form::Function);
    }

    /// Records a call `x.name(..)` on a struct of arrays. `arguments` includes the receiver.
    pub(in crate::lower) fn of_argument(&mut self, name: &Ident, arguments: usize) {
        self.note(name, hidden_name(name), arguments, Form::ArgumentMethod);
    }

    fn note(&mut self, name: &Ident, hidden: Ident, arguments: usize, form: Form) -> &mut Fallback {
        let known = |known: &Fallback| known.hidden == hidden && known.arguments == arguments && known.form == form;
        let position = self.0.iter().position(known).unwrap_or_else(|| {
            self.0.push(Fallback { name: name.clone(), hidden, arguments, form, of_part: false });
            self.0.len() - 1
        });
        &mut self.0[position]
    }

    /// Returns the declarations of the traits, for a function of this kind.
    pub(in crate::lower) fn items(&self, body: Body) -> TokenStream {
        self.0.iter().enumerate().map(|(i, fallback)| fallback.items(self.number(i), body)).collect()
    }

    /// Returns the suffix of the names of a fallback's traits: the number of arguments, if another fallback differs only in
    /// that.
    fn number(&self, position: usize) -> Option<usize> {
        let Fallback { name: _, hidden, arguments, form, of_part: _ } = &self.0[position];
        let others = |other: &Fallback| other.hidden == *hidden && other.form == *form;
        (self.0.iter().filter(|other| others(other)).count() > 1).then_some(*arguments)
    }
}

impl Fallback {
    fn items(&self, number: Option<usize>, body: Body) -> TokenStream {
        let Fallback { name, hidden: function, arguments, form, of_part } = self;
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
        let condition = format_ident!("Device{kind}{text}{number}", span = Span::call_site());
        // For a type parameter rustc suggests it as a bound, and has no other text: the name says what is missing.
        let fallback = format_ident!("{kind}WithoutDeviceAttribute{text}{number}", span = Span::call_site());
        let rule = rule(&name, *form, *arguments);
        let [what, why, mut help] = rule.unwrap_or(&rules::METHOD).formats(body, &name);
        if method && rule.is_some() {
            // The rule is about the type that has a method of this name in Rust.
            help.push_str("; for a method of your own type, add `#[device]` to the `impl` that defines it");
        }
        let label = match form {
            Form::Method | Form::ArgumentMethod => "not a device method",
            Form::Function => "not a device function",
        };
        let (why, help) = (format!("why: {why}"), format!("help: {help}"));
        let types: Vec<Ident> = (0..*arguments).map(|i| format_ident!("A{i}")).collect();
        // The call context is passed after the receiver or the first argument, and before the tuple of the others.
        let (before, behind) = types.split_at(if method { 0 } else { types.len().min(1) });
        let first = if method { quote!(self) } else { quote!(_: (#(#before)*)) };
        let target = if method { quote!(&mut T) } else { quote!(T) };
        // Method probing ends with the slice that an array unsizes to, and reports the bounds that it does not satisfy.
        let any = method.then(|| quote!(?::core::marker::Sized+));
        let signature = quote! {
            fn #function<#(#types),*>(
                #first, _: ::cumbia::__private::Call<'_>, _: (#(#behind,)*)
            ) -> ::cumbia::__private::Returned<::cumbia::__private::NoKey, ::core::convert::Infallible>
        };
        let of_part = of_part.then(|| method_of_part(function, &format_ident!("Part{kind}{text}{number}"), &types));
        quote_spanned! {ours(Span::call_site())=>
            #of_part
            #[diagnostic::on_unimplemented(message = #what, label = #label, note = #why, note = #help)]
            trait #condition {}
            #[allow(dead_code)]
            trait #fallback: ::core::marker::Sized {
                #signature;
            }
            impl<T: #any #condition> #fallback for #target {
                #signature {
                    loop {}
                }
            }
        }
    }
}

/// Returns a trait with the method `function`, which calls the method of a struct of arrays: see `expand::methods`. The types of
/// other receivers do not implement it.
fn method_of_part(function: &Ident, name: &Ident, types: &[Ident]) -> TokenStream {
    let (number, span) = (method_number(function), ours(Span::call_site()));
    let method = quote!(::cumbia::__private::ArgumentMethod<'k, #number, (#(#types,)*)>);
    let signature = quote_spanned! {span=>
        fn #function<'k, #(#types),*>(
            self, __call: ::cumbia::__private::Call<'k>, __args: (#(#types,)*)
        ) -> ::cumbia::__private::Returned<
            <Self::Host as #method>::Key,
            <Self::Host as #method>::Result,
        >
        where
            Self::Host: #method,
            Self: ::cumbia::__private::Received<<Self::Host as #method>::By, <Self::Host as #method>::Receiver>
    };
    quote_spanned! {span=>
        #[allow(dead_code)]
        trait #name: ::cumbia::__private::HostOf + ::core::marker::Sized {
            #signature;
        }
        impl<T: ::cumbia::__private::HostOf> #name for T {
            #[inline(always)]
            #signature {
                <Self::Host as #method>::call(::cumbia::__private::Received::received(self), __call, __args)
            }
        }
    }
}

/// Returns the number that stands for the name of a method in [`ArgumentMethod`](method_of_part): a 64-bit FNV-1a hash.
pub(crate) fn method_number(name: &Ident) -> u64 {
    name.to_string()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Returns the name that the user wrote for a method that stands for two: `as_slice` for `as_slice_unwrapped`, and
/// `sum` for `iter_sum`.
fn written(name: &str) -> String {
    let suffixes = ["_unwrapped", "_copied"];
    let name = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    name.strip_prefix("iter_").filter(|name| *name != "mut").unwrap_or(name).to_owned()
}

/// Returns the rule for a method or an associated function of this name, if it has one.
fn rule(name: &str, form: Form, arguments: usize) -> Option<&'static Rule> {
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
    Some(match name {
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
        name if (2..=4).contains(&name.len()) && name.chars().all(|lane| "xyzw".contains(lane)) => &rules::SWIZZLE,
        "category" | "size" | "length" => &rules::LENGTH,
        "clone" => &rules::CLONE,
        _ => return None,
    })
}
