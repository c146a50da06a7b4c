//! Parser for the arguments of `#[kernel(..)]` and `#[device(..)]`; those that replace the body of a function on a GPU are
//! parsed in [`foreign`].

mod foreign;

use proc_macro2::{Span, TokenStream};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprTuple, Lit, Meta, MetaNameValue, Token};

use crate::report::Errors;
use crate::rules::{self, Rule};

pub(crate) use foreign::{ForeignBody, Linked, LinkedFile, parse_device};

/// Options of a kernel.
#[allow(clippy::struct_excessive_bools, reason = "each is an independent option")]
pub(crate) struct Options {
    /// `unchecked`
    pub(crate) unchecked: bool,
    /// `true` unless `fmad = false`
    pub(crate) fmad: bool,
    /// `fast_math`
    pub(crate) fast_math: bool,
    /// `max_registers = 64`
    pub(crate) max_registers: Option<u32>,
    /// `launch_bounds(256, 2)`
    pub(crate) launch_bounds: Option<LaunchBounds>,
    /// `block = (16, 16)`
    pub(crate) block: Option<Block>,
    /// `index = u32`
    pub(crate) index32: bool,
    /// `prove`
    pub(crate) prove: bool,
    /// `coarsen = 4`; 1 for `coarsen = false`
    pub(crate) coarsen: Option<u32>,
}

/// The only block size of a kernel.
pub(crate) enum Block {
    /// Integer literals, which have been checked.
    Literals([u32; 3]),
    /// Up to three constant expressions of type `usize`, which rustc evaluates.
    Constants(Vec<Expr>),
}

/// CUDA's `__launch_bounds__`.
#[derive(Clone, Copy)]
pub(crate) struct LaunchBounds {
    /// The maximum number of threads per block.
    pub(crate) threads: u32,
    /// The minimum number of resident blocks per multiprocessor.
    pub(crate) min_blocks: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            unchecked: false,
            fmad: true,
            fast_math: false,
            max_registers: None,
            launch_bounds: None,
            block: None,
            index32: false,
            prove: false,
            coarsen: None,
        }
    }
}

/// Parses the arguments of `#[kernel(..)]`.
pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Options {
    let mut options = Options::default();
    let metas = match Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens) {
        Ok(metas) => metas,
        Err(error) => {
            errors.push(error);
            return options;
        }
    };
    let mut seen: Vec<String> = Vec::new();
    for meta in &metas {
        let name = name(meta);
        if seen.contains(&name) {
            errors.reject_named(meta, &rules::OPTION_TWICE, &name);
        } else if let Err((span, rule)) = options.set(&name, meta) {
            errors.reject_named_at(span, rule, &name);
        }
        seen.push(name);
    }
    if let (Some(LaunchBounds { threads, min_blocks: _ }), Some(Block::Literals(block))) =
        (options.launch_bounds, &options.block)
        && block.iter().product::<u32>() > threads
    {
        let bounds = metas.iter().find(|meta| meta.path().is_ident("launch_bounds"));
        errors.reject(bounds, &rules::BLOCK_ABOVE_BOUNDS);
    }
    if options.unchecked && options.prove {
        let prove = metas.iter().find(|meta| meta.path().is_ident("prove"));
        errors.reject(prove, &rules::PROVE_UNCHECKED);
    }
    options
}

/// A violated rule, and the span at which to report it.
type Violation = (Span, &'static Rule);

impl Options {
    fn set(&mut self, name: &str, meta: &Meta) -> Result<(), Violation> {
        match name {
            "unchecked" => self.unchecked = flag(meta)?,
            "fast_math" => self.fast_math = flag(meta)?,
            "fmad" => self.fmad = boolean(meta)?,
            "max_registers" => {
                let value = &assigned(meta, &rules::MAX_REGISTERS)?.value;
                self.max_registers = Some(number(value, 16..=255, &rules::MAX_REGISTERS)?);
            }
            "launch_bounds" => self.launch_bounds = Some(launch_bounds(meta)?),
            "block" => self.block = Some(block(&assigned(meta, &rules::BLOCK)?.value)?),
            "prove" => self.prove = flag(meta)?,
            "coarsen" => self.coarsen = coarsen(&assigned(meta, &rules::COARSEN)?.value)?,
            "index" => self.index32 = index(&assigned(meta, &rules::INDEX)?.value)?,
            _ => return Err((meta.span(), &rules::UNKNOWN_OPTION)),
        }
        Ok(())
    }
}

fn name(meta: &Meta) -> String {
    meta.path().get_ident().map_or_else(|| String::from("this"), ToString::to_string)
}

/// `unchecked`, without a value.
fn flag(meta: &Meta) -> Result<bool, Violation> {
    match meta {
        Meta::Path(_) => Ok(true),
        Meta::List(_) | Meta::NameValue(_) => Err((meta.span(), &rules::FLAG_OPTION)),
    }
}

/// `fmad = false`
fn boolean(meta: &Meta) -> Result<bool, Violation> {
    match &assigned(meta, &rules::BOOLEAN_OPTION)?.value {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Ok(value.value),
        other => Err((other.span(), &rules::BOOLEAN_OPTION)),
    }
}

/// `name = value`
fn assigned<'a>(meta: &'a Meta, rule: &'static Rule) -> Result<&'a MetaNameValue, Violation> {
    match meta {
        Meta::NameValue(value) => Ok(value),
        Meta::Path(_) | Meta::List(_) => Err((meta.span(), rule)),
    }
}

/// Parses an integer literal within a range.
fn number(expr: &Expr, range: std::ops::RangeInclusive<u32>, rule: &'static Rule) -> Result<u32, Violation> {
    let value = match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(value), .. }) => value.base10_parse::<u32>().ok(),
        _ => None,
    };
    value.filter(|value| range.contains(value)).ok_or((expr.span(), rule))
}

/// `launch_bounds(threads)`, `launch_bounds(threads, min_blocks)`
fn launch_bounds(meta: &Meta) -> Result<LaunchBounds, Violation> {
    const RULE: &Rule = &rules::LAUNCH_BOUNDS;
    let Meta::List(list) = meta else { return Err((meta.span(), RULE)) };
    let numbers = Punctuated::<Expr, Token![,]>::parse_terminated
        .parse2(list.tokens.clone())
        .map_err(|error| (error.span(), RULE))?;
    let mut numbers = numbers.iter();
    let (Some(threads), min_blocks, None) = (numbers.next(), numbers.next(), numbers.next()) else {
        return Err((meta.span(), RULE));
    };
    let threads = number(threads, 1..=1024, RULE)?;
    let min_blocks = min_blocks.map(|blocks| number(blocks, 1..=32, RULE)).transpose()?;
    Ok(LaunchBounds { threads, min_blocks })
}

/// `block = 256`, `block = (16, 16)`, `block = (8, 8, 8)`, `block = (TILE, TILE)`
fn block(value: &Expr) -> Result<Block, Violation> {
    const RULE: &Rule = &rules::BLOCK;
    let extents: Vec<&Expr> = match value {
        Expr::Tuple(ExprTuple { elems, .. }) => elems.iter().collect(),
        value => vec![value],
    };
    if !(1..=3).contains(&extents.len()) {
        return Err((value.span(), RULE));
    }
    let mut block = [1; 3];
    let is_literal = |extent: &&&Expr| matches!(extent, Expr::Lit(_));
    for ((extent, limit), value) in block.iter_mut().zip([1024, 1024, 64]).zip(&extents).filter(|(_, v)| is_literal(v))
    {
        *extent = number(value, 1..=limit, RULE)?;
    }
    if block.iter().product::<u32>() > 1024 {
        return Err((value.span(), RULE));
    }
    if extents.iter().all(|extent| is_literal(&extent)) {
        Ok(Block::Literals(block))
    } else {
        Ok(Block::Constants(extents.into_iter().cloned().collect()))
    }
}

/// `index = u32`, or the default, `index = usize`. Returns whether it is `u32`.
fn index(value: &Expr) -> Result<bool, Violation> {
    match value {
        Expr::Path(path) if path.path.is_ident("u32") => Ok(true),
        Expr::Path(path) if path.path.is_ident("usize") => Ok(false),
        other => Err((other.span(), &rules::INDEX)),
    }
}

/// `coarsen = 4`, or `coarsen = false`, the same as 1; `coarsen = true` is the default
fn coarsen(value: &Expr) -> Result<Option<u32>, Violation> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Ok((!value.value).then_some(1)),
        value => number(value, 1..=16, &rules::COARSEN).map(Some),
    }
}

/// Reports arguments of `#[device]` on an `impl` or a `trait`, which takes none.
pub(crate) fn reject_device(tokens: TokenStream, errors: &mut Errors) {
    if !tokens.is_empty() {
        errors.reject(tokens, &rules::DEVICE_OPTION_OF_AN_ITEM);
    }
}

/// Parses the traits of `#[device(PartialEq, PartialOrd)]` on a struct or an enum.
pub(crate) fn parse_comparisons(tokens: TokenStream, errors: &mut Errors) -> Vec<syn::Ident> {
    let Ok(names) = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens.clone()) else {
        errors.reject(tokens, &rules::NOT_COMPARED);
        return Vec::new();
    };
    let mut found: Vec<syn::Ident> = Vec::new();
    for meta in names {
        match &meta {
            Meta::Path(path)
                if let Some(name) = path.get_ident()
                    && Comparison::NAMED.iter().any(|(known, _)| name == known) =>
            {
                if found.contains(name) {
                    errors.reject_named(name, &rules::OPTION_TWICE, name);
                } else {
                    found.push(name.clone());
                }
            }
            other => errors.reject(other, &rules::NOT_COMPARED),
        }
    }
    found
}

/// A comparison trait that `#[device(..)]` on a type derives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// `==` and `!=`
    PartialEq,
    /// `<`, `<=`, `>` and `>=`
    PartialOrd,
}

impl Comparison {
    /// All comparison traits, with their names in the standard library.
    pub(crate) const NAMED: [(&str, Comparison); 2] =
        [("PartialEq", Comparison::PartialEq), ("PartialOrd", Comparison::PartialOrd)];
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[track_caller]
    fn parsed(tokens: TokenStream) -> Options {
        let mut errors = Errors::default();
        let options = parse(tokens, &mut errors);
        assert!(errors.finish().is_ok());
        options
    }

    fn literals(options: &Options) -> Option<[u32; 3]> {
        match &options.block {
            Some(Block::Literals(block)) => Some(*block),
            Some(Block::Constants(_)) | None => None,
        }
    }

    #[track_caller]
    fn check_rejected(tokens: TokenStream, what: &str) {
        let mut errors = Errors::default();
        parse(tokens, &mut errors);
        let errors = errors.finish().expect_err("the options were accepted").to_string();
        assert!(errors.contains(what), "{errors}");
    }

    #[test]
    fn all_options_at_once() {
        let options = parsed(quote! {
            unchecked, fmad = false, fast_math, max_registers = 64, launch_bounds(256, 2), block = (16, 16), index = u32
        });
        assert!(options.unchecked && !options.fmad && options.fast_math && options.index32);
        assert!(!options.prove && parsed(quote!(prove)).prove);
        assert_eq!((options.max_registers, literals(&options)), (Some(64), Some([16, 16, 1])));
        let LaunchBounds { threads, min_blocks } = options.launch_bounds.expect("launch bounds");
        assert_eq!((threads, min_blocks), (256, Some(2)));
    }

    #[test]
    fn defaults() {
        let options = parsed(quote!());
        assert!(!options.unchecked && options.fmad && !options.fast_math && !options.index32 && !options.prove);
        assert!(options.max_registers.is_none() && options.block.is_none() && options.launch_bounds.is_none());
        assert!(options.coarsen.is_none() && parsed(quote!(coarsen = true)).coarsen.is_none());
        assert_eq!(parsed(quote!(coarsen = false)).coarsen, Some(1));
        assert_eq!(parsed(quote!(coarsen = 16)).coarsen, Some(16));
        assert_eq!(literals(&parsed(quote!(block = 1024))), Some([1024, 1, 1]));
        assert_eq!(literals(&parsed(quote!(block = (4, 4, 64)))), Some([4, 4, 64]));
        let constants = parsed(quote!(block = (TILE, 2 * ROWS))).block;
        assert!(matches!(constants, Some(Block::Constants(constants)) if constants.len() == 2));
    }

    #[test]
    fn invalid_values_are_rejected() {
        check_rejected(quote!(max_registers = 15), "16 to 255");
        check_rejected(quote!(max_registers = 256), "16 to 255");
        check_rejected(quote!(max_registers), "16 to 255");
        check_rejected(quote!(launch_bounds = 3), "launch_bounds(256, 2)");
        check_rejected(quote!(launch_bounds(1025)), "launch_bounds(256, 2)");
        check_rejected(quote!(launch_bounds(1, 2, 3)), "launch_bounds(256, 2)");
        check_rejected(quote!(block = 0), "at most 64 along z");
        check_rejected(quote!(block = (1, 1, 65)), "at most 64 along z");
        check_rejected(quote!(block = (33, 32)), "at most 64 along z");
        check_rejected(quote!(block = (1, 1, 1, 1)), "at most 64 along z");
        check_rejected(quote!(block = 16.0), "at most 64 along z");
        check_rejected(quote!(block = (TILE, 1025)), "at most 64 along z");
        check_rejected(quote!(block = ()), "at most 64 along z");
        check_rejected(quote!(block = 512, launch_bounds(256)), "could never be launched");
        check_rejected(quote!(index = u64), "`u32` or `usize`");
        check_rejected(quote!(fmad = 1), "`true` or `false`");
        check_rejected(quote!(unchecked = true), "takes no value");
        check_rejected(quote!(unchecked, unchecked), "given twice");
        check_rejected(quote!(prove = true), "takes no value");
        check_rejected(quote!(coarsen = 0), "1 to 16");
        check_rejected(quote!(coarsen = 17), "1 to 16");
        check_rejected(quote!(coarsen), "1 to 16");
        check_rejected(quote!(unchecked, prove), "has no bounds checks to prove");
        check_rejected(quote!(fast), "is not an option");
    }
}
