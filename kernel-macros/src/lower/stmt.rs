//! Statements.

use cumbia_kernel_ir::ir::{Block, Pattern, Stmt};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Item, Pat, PatIdent, PatTuple, PatType, Stmt as SynStmt, Type};

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
            return TokenStream::new();
        };
        if let Some((else_token, _)) = &init.diverge {
            self.refuse(else_token, &rules::LET_ELSE);
        }
        let value = self.expr(&init.expr);
        let (pat, ty) = match &local.pat {
            Pat::Type(PatType { pat, ty, .. }) => (&**pat, Some(ty)),
            pat => (pat, None),
        };
        if let Some(ty) = ty
            && matches!(**ty, Type::Reference(_))
        {
            self.errors.refuse(ty, &rules::SLICE_ANNOTATION);
        }
        let mut learn = TokenStream::new();
        let pattern = self.pattern(pat, &mut learn);
        block.stmts.push(Stmt::Let { pattern, init: Some(value.id), span: position::of(local.let_token.span()) });
        let (cpu, ty) = (value.cpu, ty.map(|ty| quote!(: #ty)));
        quote!(let #pat #ty = #cpu; #learn)
    }

    /// Declares the variables of a pattern. `learn` receives the tokens that let their slots learn their types.
    fn pattern(&mut self, pat: &Pat, learn: &mut TokenStream) -> Pattern {
        match pat {
            Pat::Wild(_) => Pattern::Wild,
            Pat::Ident(PatIdent { by_ref: None, subpat: None, mutability, ident, .. }) => {
                let (local, tokens) = self.declare(ident, mutability.is_some(), ident.span());
                learn.extend(tokens);
                Pattern::Local(local)
            }
            Pat::Tuple(PatTuple { elems, .. }) => {
                Pattern::Tuple(elems.iter().map(|elem| self.pattern(elem, learn)).collect())
            }
            Pat::Paren(inner) => self.pattern(&inner.pat, learn),
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
