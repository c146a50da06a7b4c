//! The heart of Cumbia's compiler.
pub mod ir;
