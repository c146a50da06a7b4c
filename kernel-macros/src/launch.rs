//! `launch!(kernel[grid, block](arguments))`

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprPath, Token, bracketed, parenthesized};

/// The parts of the launch.
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
                "a launch has its grid and block in brackets: `launch!(kernel[grid, block](arguments))`\n\
                 why: this is Numba's order, and Rust has no `<<<` `>>>`\n\
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
                "a launch has a grid and a block: `launch!(kernel[grid, block](arguments))`\n\
                 why: they say how many threads run\n\
                 help: for more options use the methods: `kernel(arguments).grid(..).block(..).shared_bytes(..).launch()`",
            ));
        };
        let content;
        parenthesized!(content in input);
        let arguments = Punctuated::parse_terminated(&content)?;
        Ok(Launch { kernel, grid, block, arguments })
    }
}

impl Launch {
    /// The launch as calls of its methods.
    pub(crate) fn expand(&self) -> TokenStream {
        let Launch { kernel, grid, block, arguments } = self;
        quote!(#kernel(#arguments).grid(#grid).block(#block).launch())
    }
}
