//! Statements.

use cumbia_kernel_ir::ir::{Block, Pattern, Stmt};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Item, Pat, PatIdent, PatTuple, PatType, Stmt as SynStmt, Type};

use super::Lowerer;
use crate::position;
use crate::rules;

impl Lowerer<'_> {
    /// Statements in order, in the scope that is open.
    pub(super) fn statements(&mut self, stmts: &[SynStmt]) -> (Block, TokenStream) {
        let mut block = Block::default();
        let mut cpu = TokenStream::new();
        for (position, stmt) in stmts.iter().enumerate() {
            let last = position + 1 == stmts.len();
            cpu.extend(self.statement(stmt, last, &mut block));
        }
        (block, cpu)
    }

    fn statement(&mut self, stmt: &SynStmt, last: bool, block: &mut Block) -> TokenStream {
        match stmt {
            SynStmt::Local(local) => self.local(local, block),
            SynStmt::Item(item @ (Item::Const(_) | Item::Use(_))) => item.to_token_stream(),
            SynStmt::Item(item) => {
                self.refuse(item, &rules::ITEM);
                TokenStream::new()
            }
            SynStmt::Expr(expr, semicolon) => {
                let value = self.expr(expr);
                match (semicolon, last) {
                    (None, true) => block.tail = Some(value.id),
                    _ => block.stmts.push(Stmt::Expr(value.id)),
                }
                let cpu = value.cpu;
                quote!(#cpu #semicolon)
            }
            SynStmt::Macro(call) => {
                self.attributes(&call.attrs);
                let value = self.macro_call(&call.mac);
                match (&call.semi_token, last) {
                    (None, true) => block.tail = Some(value.id),
                    _ => block.stmts.push(Stmt::Expr(value.id)),
                }
                let (cpu, semicolon) = (value.cpu, &call.semi_token);
                quote!(#cpu #semicolon)
            }
        }
    }

    fn local(&mut self, local: &syn::Local, block: &mut Block) -> TokenStream {
        self.attributes(&local.attrs);
        let Some(init) = &local.init else {
            self.refuse(local, &rules::UNINITIALISED);
            // Declared all the same, so that what uses it is not a mistake too.
            self.pattern(untyped(&local.pat), None, &mut TokenStream::new());
            return TokenStream::new();
        };
        if let Some((else_token, _)) = &init.diverge {
            self.refuse(else_token, &rules::LET_ELSE);
            return TokenStream::new();
        }
        let value = self.expr(&init.expr);
        let ty = match &local.pat {
            Pat::Type(PatType { ty, .. }) => Some(ty),
            _ => None,
        };
        let pat = untyped(&local.pat);
        if let Some(ty) = ty
            && matches!(**ty, Type::Reference(_))
        {
            self.errors.refuse(ty, &rules::SLICE_ANNOTATION);
        }
        let mut learn = TokenStream::new();
        let pattern = self.pattern(pat, shown_at(&init.expr), &mut learn);
        block.stmts.push(Stmt::Let { pattern, init: Some(value.id), span: position::of(local.let_token.span()) });
        let (cpu, ty) = (value.cpu, ty.map(|ty| quote!(: #ty)));
        quote!(let #pat #ty = #cpu; #learn)
    }

    /// Declares the variables of a pattern. `learn` receives the tokens that let their slots learn their types.
    /// An error about the type of one is shown `at`, or else at its name.
    fn pattern(&mut self, pat: &Pat, at: Option<Span>, learn: &mut TokenStream) -> Pattern {
        match pat {
            Pat::Wild(_) => Pattern::Wild,
            Pat::Ident(PatIdent { by_ref: None, subpat: None, mutability, ident, .. }) => {
                let (local, tokens) = self.declare(ident, mutability.is_some(), at.unwrap_or(ident.span()));
                learn.extend(tokens);
                Pattern::Local(local)
            }
            Pat::Tuple(PatTuple { elems, .. }) => {
                Pattern::Tuple(elems.iter().map(|elem| self.pattern(elem, at, learn)).collect())
            }
            Pat::Paren(inner) => self.pattern(&inner.pat, at, learn),
            other => {
                self.refuse(other, &rules::PATTERN);
                Pattern::Wild
            }
        }
    }

    /// Refuses attributes: they would have a meaning on the CPU only. Comments are not lost.
    pub(super) fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes.iter().filter(|attribute| !attribute.path().is_ident("doc")) {
            self.errors.refuse(attribute, &rules::ATTRIBUTE);
        }
    }
}

/// A pattern without its type.
fn untyped(pat: &Pat) -> &Pat {
    match pat {
        Pat::Type(PatType { pat, .. }) => pat,
        pat => pat,
    }
}

/// Where an error about the type of the variable that `init` is the value of is shown: at the name of the function that is
/// called, where rustc may have the same to say of the call, and says it once.
fn shown_at(init: &Expr) -> Option<Span> {
    match init {
        Expr::Call(call) => Some(call.func.span()),
        _ => None,
    }
}
