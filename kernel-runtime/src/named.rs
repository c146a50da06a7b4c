//! The items that the macros recognise by name: those of [`cumbia_kernel_lang::named`], and the views.

#![allow(non_snake_case, reason = "each module has the name of its item")]
#![allow(unused_imports, reason = "the generated code imports the items")]

pub use cumbia_kernel_lang::named::*;

cumbia_kernel_lang::named! {
    ArrayView0: crate::ArrayView0 as the_view_ArrayView0;
    ArrayView1: crate::ArrayView1 as the_view_ArrayView1;
    ArrayView2: crate::ArrayView2 as the_view_ArrayView2;
    ArrayView3: crate::ArrayView3 as the_view_ArrayView3;
    ArrayView4: crate::ArrayView4 as the_view_ArrayView4;
    ArrayViewMut0: crate::ArrayViewMut0 as the_view_ArrayViewMut0;
    ArrayViewMut1: crate::ArrayViewMut1 as the_view_ArrayViewMut1;
    ArrayViewMut2: crate::ArrayViewMut2 as the_view_ArrayViewMut2;
    ArrayViewMut3: crate::ArrayViewMut3 as the_view_ArrayViewMut3;
    ArrayViewMut4: crate::ArrayViewMut4 as the_view_ArrayViewMut4;
}
