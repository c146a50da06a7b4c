//! What rustc says to mistakes in kernels: each case of `tests/ui/` is named after the mistake, and has the message beside
//! it. `TRYBUILD=overwrite cargo test --test ui` rewrites the messages.

#[test]
fn mistakes() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
