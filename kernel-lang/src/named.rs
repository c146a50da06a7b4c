//! The items that the macros recognise by name: macros, primitive types and operator traits of the standard library,
//! and the intrinsics that return handles. The runtime adds its views.
//!
//! A procedural macro sees the tokens of a path, not the item that it resolves to. Where the tokens determine the
//! generated code, the macro emits an import of the user's path under the name that the item has here, and in an inner
//! scope a glob import of the item's module:
//!
//! ```text
//! { use assert as the_standard_assert; { use named::assert::*; use the_standard_assert as _; } }
//! ```
//!
//! If the two imports name different items, the inner name is ambiguous to rustc (E0659: a glob import and an outer
//! scope); otherwise it is not.

#![allow(non_snake_case, reason = "each module has the name of its item")]
#![allow(unused_imports, reason = "the generated code imports the items")]

/// Declares the module of each item.
#[macro_export]
#[doc(hidden)]
macro_rules! named {
    ($($name:ident: $path:path as $here:ident;)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`")]
            pub mod $name {
                pub use $path as $here;
            }
        )*
    };
}

crate::named! {
    assert: ::std::assert as the_standard_assert;
    assert_eq: ::std::assert_eq as the_standard_assert_eq;
    assert_ne: ::std::assert_ne as the_standard_assert_ne;
    debug_assert: ::std::debug_assert as the_standard_debug_assert;
    debug_assert_eq: ::std::debug_assert_eq as the_standard_debug_assert_eq;
    debug_assert_ne: ::std::debug_assert_ne as the_standard_debug_assert_ne;
    panic: ::std::panic as the_standard_panic;
    unreachable: ::std::unreachable as the_standard_unreachable;
    todo: ::std::todo as the_standard_todo;
    unimplemented: ::std::unimplemented as the_standard_unimplemented;
    println: ::std::println as the_standard_println;
    print: ::std::print as the_standard_print;
    matches: ::std::matches as the_standard_matches;
    bool: ::core::primitive::bool as the_primitive_bool;
    i8: ::core::primitive::i8 as the_primitive_i8;
    i16: ::core::primitive::i16 as the_primitive_i16;
    i32: ::core::primitive::i32 as the_primitive_i32;
    i64: ::core::primitive::i64 as the_primitive_i64;
    isize: ::core::primitive::isize as the_primitive_isize;
    u8: ::core::primitive::u8 as the_primitive_u8;
    u16: ::core::primitive::u16 as the_primitive_u16;
    u32: ::core::primitive::u32 as the_primitive_u32;
    u64: ::core::primitive::u64 as the_primitive_u64;
    usize: ::core::primitive::usize as the_primitive_usize;
    f32: ::core::primitive::f32 as the_primitive_f32;
    f64: ::core::primitive::f64 as the_primitive_f64;
    Add: ::core::ops::Add as the_operator_Add;
    Sub: ::core::ops::Sub as the_operator_Sub;
    Mul: ::core::ops::Mul as the_operator_Mul;
    Div: ::core::ops::Div as the_operator_Div;
    Rem: ::core::ops::Rem as the_operator_Rem;
    BitAnd: ::core::ops::BitAnd as the_operator_BitAnd;
    BitOr: ::core::ops::BitOr as the_operator_BitOr;
    BitXor: ::core::ops::BitXor as the_operator_BitXor;
    Shl: ::core::ops::Shl as the_operator_Shl;
    Shr: ::core::ops::Shr as the_operator_Shr;
    AddAssign: ::core::ops::AddAssign as the_operator_AddAssign;
    SubAssign: ::core::ops::SubAssign as the_operator_SubAssign;
    MulAssign: ::core::ops::MulAssign as the_operator_MulAssign;
    DivAssign: ::core::ops::DivAssign as the_operator_DivAssign;
    RemAssign: ::core::ops::RemAssign as the_operator_RemAssign;
    BitAndAssign: ::core::ops::BitAndAssign as the_operator_BitAndAssign;
    BitOrAssign: ::core::ops::BitOrAssign as the_operator_BitOrAssign;
    BitXorAssign: ::core::ops::BitXorAssign as the_operator_BitXorAssign;
    ShlAssign: ::core::ops::ShlAssign as the_operator_ShlAssign;
    ShrAssign: ::core::ops::ShrAssign as the_operator_ShrAssign;
    Neg: ::core::ops::Neg as the_operator_Neg;
    Not: ::core::ops::Not as the_operator_Not;
    PartialEq: ::core::cmp::PartialEq as the_operator_PartialEq;
    PartialOrd: ::core::cmp::PartialOrd as the_operator_PartialOrd;
    shared: crate::intrinsics::memory::types::shared as the_device_shared;
    dynamic_shared: crate::intrinsics::memory::types::dynamic_shared as the_device_dynamic_shared;
    dynamic_shared_at: crate::intrinsics::memory::types::dynamic_shared_at as the_device_dynamic_shared_at;
}
