//! Parser for `#[device(unsafe(cuda = ".."))]` and `#[device(unsafe(link = ".."))]` on a function.

use std::path::Path;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprArray, ExprLit, ExprMacro, Lit, LitStr, MetaNameValue, Token, parenthesized};

use crate::report::Errors;
use crate::rules;

/// The definition of a device function on a GPU that is not its Rust body.
pub(crate) enum ForeignBody {
    /// `cuda = "return __brev(x);"`
    CudaC(LitStr),
    /// `link = "filter.cu"`
    Linked(Linked),
}

/// `link = "filter.cu", symbol = "filter_row"`
pub(crate) struct Linked {
    /// The files, in order.
    pub(crate) files: Vec<LinkedFile>,
    /// The symbol, if it is not the name of the function.
    pub(crate) symbol: Option<LitStr>,
    /// The place of the option.
    pub(crate) span: Span,
}

/// A file that is linked.
#[derive(Clone)]
pub(crate) struct LinkedFile {
    /// The path: a string literal, or a macro that expands to one.
    pub(crate) path: TokenStream,
    /// The variant of `LinkedKind` for its contents.
    pub(crate) kind: &'static str,
    /// The place of the path.
    pub(crate) span: Span,
}

/// The extensions of linked files, with the variants of `LinkedKind`.
const KINDS: [(&str, &str); 8] = [
    ("cu", "CudaC"),
    ("ptx", "Ptx"),
    ("cubin", "Cubin"),
    ("fatbin", "Fatbin"),
    ("o", "Object"),
    ("obj", "Object"),
    ("a", "Library"),
    ("lib", "Library"),
];

/// Parses the argument of `#[device(..)]` on a function.
pub(crate) fn parse_device(tokens: TokenStream, errors: &mut Errors) -> Option<ForeignBody> {
    if tokens.is_empty() {
        return None;
    }
    let Ok(Arguments { trusted, options }) = syn::parse2(tokens.clone()) else {
        errors.reject(tokens, &rules::DEVICE_OPTION);
        return None;
    };
    let body = body(&options, errors);
    if body.is_none() {
        errors.reject(&tokens, &rules::DEVICE_OPTION);
    }
    match &body {
        Some(ForeignBody::CudaC(_)) if !trusted => errors.reject(&tokens, &rules::CUDA_IS_UNSAFE),
        Some(ForeignBody::Linked(_)) if !trusted => errors.reject(&tokens, &rules::LINKED_IS_UNSAFE),
        _ => {}
    }
    body
}

/// Returns the body that the options define; `None` if one of them is unknown or none defines it. A body is returned after
/// other errors, since it suppresses errors about the Rust body.
fn body(options: &[MetaNameValue], errors: &mut Errors) -> Option<ForeignBody> {
    let mut body = None;
    let mut symbol = None;
    let mut seen: Vec<String> = Vec::new();
    for option in options {
        let name = option.path.get_ident()?.to_string();
        if seen.contains(&name) {
            errors.reject_named(option, &rules::OPTION_TWICE, &name);
            continue;
        }
        let is_cuda = name == "cuda";
        if seen.iter().any(|earlier| (earlier == "cuda") != is_cuda) {
            errors.reject_named(option, &rules::LINKED_OR_CUDA, &name);
            continue;
        }
        match name.as_str() {
            "cuda" => body = Some(ForeignBody::CudaC(cuda(&option.value, errors))),
            "link" => {
                let (files, span) = (files(&option.value, errors), option.path.span());
                body = Some(ForeignBody::Linked(Linked { files, symbol: None, span }));
            }
            "symbol" => symbol = self::symbol(&option.value, errors),
            _ => return None,
        }
        seen.push(name);
    }
    Some(match body? {
        ForeignBody::Linked(linked) => ForeignBody::Linked(Linked { symbol, ..linked }),
        body @ ForeignBody::CudaC(_) => body,
    })
}

fn cuda(value: &Expr, errors: &mut Errors) -> LitStr {
    string(value).cloned().unwrap_or_else(|| {
        errors.reject(value, &rules::CUDA_TEXT);
        LitStr::new("", value.span())
    })
}

fn symbol(value: &Expr, errors: &mut Errors) -> Option<LitStr> {
    let is_identifier = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let symbol = string(value).filter(|symbol| is_identifier(&symbol.value()));
    if symbol.is_none() {
        errors.reject(value, &rules::LINKED_SYMBOL);
    }
    symbol.cloned()
}

fn files(value: &Expr, errors: &mut Errors) -> Vec<LinkedFile> {
    match value {
        Expr::Array(ExprArray { elems, .. }) if !elems.is_empty() => {
            elems.iter().filter_map(|value| file(value, errors)).collect()
        }
        value => file(value, errors).into_iter().collect(),
    }
}

/// Returns a file, whose kind is that of the last string literal in its path.
fn file(value: &Expr, errors: &mut Errors) -> Option<LinkedFile> {
    let (path, last) = match value {
        Expr::Lit(ExprLit { lit: Lit::Str(path), .. }) => (quote::quote!(#path), path.value()),
        Expr::Macro(ExprMacro { mac, .. }) if mac.path.segments.last().is_some_and(|last| last.ident == "concat") => {
            let literals = mac.tokens.clone().into_iter().filter_map(|token| match token {
                TokenTree::Literal(literal) => syn::parse_str::<LitStr>(&literal.to_string()).ok(),
                TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => None,
            });
            (quote::quote!(#mac), literals.last().map(|last| last.value()).unwrap_or_default())
        }
        other => {
            errors.reject(other, &rules::LINKED_FILE);
            return None;
        }
    };
    let extension = Path::new(&last).extension().and_then(|extension| extension.to_str());
    let Some((_, kind)) = KINDS.iter().find(|(known, _)| Some(*known) == extension) else {
        errors.reject_named(value, &rules::LINKED_KIND, &last);
        return None;
    };
    Some(LinkedFile { path, kind, span: value.span() })
}

fn string(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

/// `unsafe(link = "filter.cu", symbol = "filter_row")`
struct Arguments {
    trusted: bool,
    options: Vec<MetaNameValue>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let options = |input: ParseStream<'_>| {
            let options = Punctuated::<MetaNameValue, Token![,]>::parse_terminated(input)?;
            Ok::<_, syn::Error>(options.into_iter().collect())
        };
        if input.parse::<Option<Token![unsafe]>>()?.is_none() {
            return Ok(Arguments { trusted: false, options: options(input)? });
        }
        let content;
        parenthesized!(content in input);
        Ok(Arguments { trusted: true, options: options(&content)? })
    }
}
