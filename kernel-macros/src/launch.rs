//! Parser and expansion of `launch!(kernel[grid, block](arguments))`, also with `.shared_bytes(n)` and other methods.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{AngleBracketedGenericArguments, Expr, ExprPath, Ident, Token, bracketed, parenthesized};

/// A parsed launch.
pub(crate) struct Launch {
    kernel: ExprPath,
    grid: Expr,
    block: Expr,
    arguments: Punctuated<Expr, Token![,]>,
    methods: Vec<Method>,
}

/// A method of `Launch` after the arguments: `.shared_bytes(n)`.
struct Method {
    dot: Token![.],
    name: Ident,
    turbofish: Option<AngleBracketedGenericArguments>,
    arguments: Punctuated<Expr, Token![,]>,
}

impl Parse for Method {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let dot = input.parse()?;
        let name: Ident = input.parse()?;
        if name == "launch" {
            return Err(syn::Error::new(
                name.span(),
                "`launch!` calls `.launch()` itself\n\
                 why: it expands to `kernel(arguments).grid(..).block(..)`, the methods, and `.launch()`\n\
                 help: remove this call",
            ));
        }
        let turbofish = input.peek(Token![::]).then(|| input.parse()).transpose()?;
        if !input.peek(syn::token::Paren) {
            return Err(syn::Error::new(
                name.span(),
                format!(
                    "expected a method of the launch, `.{name}(..)`\n\
                         why: `launch!` takes `kernel[grid, block](arguments)` and methods after it\n\
                         help: write `.{name}(..)`"
                ),
            ));
        }
        let content;
        parenthesized!(content in input);
        Ok(Method { dot, name, turbofish, arguments: Punctuated::parse_terminated(&content)? })
    }
}

impl Parse for Launch {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let kernel = input.parse()?;
        if !input.peek(syn::token::Bracket) {
            return Err(input.error(
                "expected the grid and the block in brackets: `launch!(kernel[grid, block](arguments))`\n\
                 why: `launch!` uses Numba's syntax, since Rust has no `<<<` and `>>>`\n\
                 help: write `launch!(kernel[grid, block](arguments))`, or `kernel(arguments).grid(..).block(..).launch()`",
            ));
        }
        let content;
        let bracket = bracketed!(content in input);
        let configuration = Punctuated::<Expr, Token![,]>::parse_terminated(&content)?;
        let mut configuration = configuration.into_iter();
        let (Some(grid), Some(block), None) = (configuration.next(), configuration.next(), configuration.next()) else {
            return Err(syn::Error::new(
                bracket.span.join(),
                "expected a grid and a block: `launch!(kernel[grid, block](arguments))`\n\
                 why: they are the launch configuration\n\
                 help: write other options as methods: `launch!(kernel[grid, block](arguments).shared_bytes(..))`",
            ));
        };
        let content;
        parenthesized!(content in input);
        let arguments = Punctuated::parse_terminated(&content)?;
        let mut methods = Vec::new();
        while input.peek(Token![.]) {
            methods.push(input.parse()?);
        }
        Ok(Launch { kernel, grid, block, arguments, methods })
    }
}

impl Launch {
    /// Returns the launch as a chain of method calls.
    pub(crate) fn expand(&self) -> TokenStream {
        let Launch { kernel, grid, block, arguments, methods } = self;
        let methods = methods.iter().map(|method| {
            let Method { dot, name, turbofish, arguments } = method;
            quote!(#dot #name #turbofish (#arguments))
        });
        quote!(#kernel(#arguments).grid(#grid).block(#block)#(#methods)*.launch())
    }
}
