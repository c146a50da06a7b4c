//! Tests of the proofs.

use crate::{Options, Source, Variant, check, common, write};

fn sources(text: &str, overflow_checks: bool, block: Option<[u32; 3]>) -> (Source, Source, crate::Validated, Options) {
    let program = common::program(text, overflow_checks);
    let validated = check(&program).unwrap_or_else(|errors| panic!("{errors}"));
    let options = Options { block, ..Options::default() };
    let checked = write(&validated, &options);
    let proven = write(&validated, &Options { variant: Variant::Proven, ..options });
    (checked, proven, validated, options)
}

#[test]
fn show() {
    let Ok(file) = std::env::var("SHOW") else { return };
    let text = std::fs::read_to_string(file).unwrap();
    let block = std::env::var("BLOCK").ok().map(|n| [n.parse().unwrap(), 1, 1]);
    let (checked, proven, validated, options) = sources(&text, std::env::var("OVERFLOW").is_ok(), block);
    let start = proven.text.find("#line").unwrap();
    println!("{}\n{:#?}", &proven.text[start..], checked.predicate.is_some());
    for check in crate::checks(&validated, &options) {
        println!("CHECK {}: {}: {:?}", check.site.span.line, check.site.kind, check.proof);
    }
}
