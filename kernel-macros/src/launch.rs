//! Parser and expansion of `launch!(kernel[grid, block](arguments))`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprPath, Token, bracketed, parenthesized};

/// A parsed launch.
pub(crate) struct Launch {
    kernel: ExprPath,
    grid: Expr,
    block: Expr,
    arguments: Punctuated<Expr, Token![,]>,
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
                 help: for other options use the methods: `kernel(arguments).grid(..).block(..).shared_bytes(..).launch()`",
            ));
        };
        let content;
        parenthesized!(content in input);
        let arguments = Punctuated::parse_terminated(&content)?;
        Ok(Launch { kernel, grid, block, arguments })
    }
}

impl Launch {
    /// Returns the launch as a chain of method calls.
    pub(crate) fn expand(&self) -> TokenStream {
        let Launch { kernel, grid, block, arguments } = self;
        quote!(#kernel(#arguments).grid(#grid).block(#block).launch())
    }
}
