//! The items that the macros recognise by name: those of [`cumbia_kernel_lang::named`], and the views.

#![allow(non_snake_case, reason = "each module has the name of its item")]
#![allow(unused_imports, reason = "the generated code imports the items")]

pub use cumbia_kernel_lang::named::*;

cumbia_kernel_lang::named! {
    ArrayView1: crate::ArrayView1 as the_view_ArrayView1;
    ArrayView2: crate::ArrayView2 as the_view_ArrayView2;
    ArrayView3: crate::ArrayView3 as the_view_ArrayView3;
    ArrayViewMut1: crate::ArrayViewMut1 as the_view_ArrayViewMut1;
    ArrayViewMut2: crate::ArrayViewMut2 as the_view_ArrayViewMut2;
    ArrayViewMut3: crate::ArrayViewMut3 as the_view_ArrayViewMut3;
}
