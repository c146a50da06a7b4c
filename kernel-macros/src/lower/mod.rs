//! The body of a function, walked once into both of its uses: the IR, and the tokens that rustc compiles for the CPU.
//!
//! The two must agree on their slots, so they are made together: each construct gives a [`Value`] with both sides. The
//! user's tokens stay the user's, with their spans; every name of ours is hygienic, so that no variable can collide
//! with one.

mod assign;
mod call;
mod control;
mod expr;
mod macros;
mod stmt;

use cumbia_kernel_ir::ir::{Block, Expr, ExprId, ExprKind, Function, Local, LocalId, LoopId, SlotId, Span as Position};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ItemFn;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::position::{self, Name, ours};
use crate::report::Errors;
use crate::rules::Rule;
use crate::signature::{ParamKind, Signature};

/// A function on its way out.
pub(crate) struct Lowered {
    /// What the device runs.
    pub(crate) ir: Function,
    /// What the CPU runs: the statements of the body. They use `cx` and the slots.
    pub(crate) cpu: TokenStream,
    /// The variable that holds the thread.
    pub(crate) cx: Ident,
}

impl Lowered {
    /// The variables of the slots, in order.
    pub(crate) fn slots(&self) -> Vec<Ident> {
        (0..self.ir.slots).map(|slot| slot_name(SlotId(slot), Span::call_site())).collect()
    }
}

/// The name of the label around a body, which `return` breaks to.
pub(crate) fn body_label() -> syn::Lifetime {
    syn::Lifetime::new("'kernel", Span::mixed_site())
}

/// Lowers the body of a function.
pub(crate) fn function(function: &ItemFn, signature: &Signature, errors: &mut Errors) -> Lowered {
    let mut lowerer = Lowerer {
        signature,
        errors,
        cx: Ident::new("cx", Span::mixed_site()),
        exprs: Vec::new(),
        locals: Vec::new(),
        scopes: vec![Vec::new()],
        open_loops: Vec::new(),
        loops: 0,
        slots: 0,
    };
    let (params, learn_params) = lowerer.params();
    let result = signature.result.as_ref().map(|ty| (lowerer.slot(), ty.span()));
    let (body, statements) = lowerer.block(&function.block);
    let learn_result = result.map(|(slot, span)| {
        let (slot, result) = (slot_name(slot, span), Ident::new("result", ours(span)));
        quote_spanned!(ours(span)=> #slot.scalar(&#result);)
    });
    let result = result.map(|(slot, _)| slot);
    let (result_name, label) = (result_name(), body_label());
    let result_type = signature.result.as_ref().map_or_else(|| quote!(()), ToTokens::to_token_stream);
    let cpu = quote! {
        #learn_params
        let #result_name: #result_type = #label: { #statements };
        #learn_result
    };
    let Lowerer { exprs, locals, slots, cx, .. } = lowerer;
    let name = &function.sig.ident;
    let span = position::of(name.span());
    let ir = Function { name: name.unraw().to_string(), span, params, result, locals, exprs, body, slots };
    Lowered { ir, cpu, cx }
}

/// The variable of a slot. `span` is where an error about its type is shown.
fn slot_name(slot: SlotId, span: Span) -> Ident {
    Ident::new(&format!("s{}", slot.0), ours(span))
}

/// The variable of the body's value.
pub(crate) fn result_name() -> Ident {
    Ident::new("result", Span::mixed_site())
}

/// Tokens in the place of a block's, so that rustc's errors about the block point to the user's braces.
fn in_braces(block: &syn::Block, tokens: TokenStream) -> TokenStream {
    let mut group = Group::new(Delimiter::Brace, tokens);
    group.set_span(block.brace_token.span.join());
    TokenTree::from(group).into()
}

/// An expression in both of its uses.
struct Value {
    id: ExprId,
    cpu: TokenStream,
}

/// The state of the walk.
struct Lowerer<'a> {
    signature: &'a Signature,
    errors: &'a mut Errors,
    cx: Ident,
    exprs: Vec<Expr>,
    locals: Vec<Local>,
    /// The variables in scope by name, innermost scope last; of two with one name the later one counts.
    scopes: Vec<Vec<(Name, LocalId)>>,
    /// The loops around, innermost last.
    open_loops: Vec<OpenLoop>,
    loops: u32,
    slots: u32,
}

/// A loop whose body is being lowered.
struct OpenLoop {
    label: Option<Name>,
    id: LoopId,
}

impl Lowerer<'_> {
    /// Declares the parameters. The tokens let their slots learn their types.
    fn params(&mut self) -> (Vec<LocalId>, TokenStream) {
        let signature = self.signature;
        let mut learn = TokenStream::new();
        let mut ids = Vec::new();
        for param in &signature.params {
            let learn_by = if matches!(param.kind, ParamKind::Value(_)) { "scalar" } else { "is" };
            let (id, tokens) = self.declare_by(learn_by, &param.name, param.mutable, param.span());
            learn.extend(tokens);
            ids.push(id);
        }
        (ids, learn)
    }

    /// Declares a variable. The tokens let its slot learn its type, and belong after it; an error about the type is
    /// shown at `span`.
    fn declare(&mut self, name: &Ident, mutable: bool, span: Span) -> (LocalId, TokenStream) {
        self.declare_by("is", name, mutable, span)
    }

    /// As [`Lowerer::declare`], with the name of the slot's method that learns the type.
    fn declare_by(&mut self, method: &str, name: &Ident, mutable: bool, span: Span) -> (LocalId, TokenStream) {
        let slot = self.slot();
        let id = LocalId(self.locals.len() as u32);
        let known = Name::of(name);
        self.locals.push(Local { name: known.text().to_owned(), mutable, slot });
        self.scopes.last_mut().expect("the function's own scope stays open").push((known, id));
        let slot = slot_name(slot, span);
        let mut shown = name.clone();
        shown.set_span(name.span().located_at(span));
        let method = Ident::new(method, ours(span));
        (id, quote_spanned!(ours(span)=> #slot.#method(&#shown);))
    }

    /// The variable of this name, if there is one.
    fn lookup(&self, name: &Ident) -> Option<LocalId> {
        let name = Name::of(name);
        self.scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev())
            .find(|(known, _)| *known == name)
            .map(|&(_, id)| id)
    }

    /// Lowers what `inner` lowers in a scope of its own.
    fn scoped<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(Vec::new());
        let result = inner(self);
        self.scopes.pop();
        result
    }

    fn slot(&mut self) -> SlotId {
        let slot = SlotId(self.slots);
        self.slots += 1;
        slot
    }

    /// A new expression that begins at `span`.
    fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(Expr { kind, span: position::of(span) });
        id
    }

    /// A new expression with its tokens.
    fn value(&mut self, kind: ExprKind, span: Span, cpu: TokenStream) -> Value {
        Value { id: self.push(kind, span), cpu }
    }

    /// `()`
    fn unit(&mut self, span: Span) -> ExprId {
        self.push(ExprKind::Tuple(Vec::new()), span)
    }

    /// Notes a mistake. What is returned in the place of the expression is never used.
    fn refuse(&mut self, tokens: &impl ToTokens, rule: &Rule) -> Value {
        self.errors.refuse(tokens, rule);
        self.nothing(tokens)
    }

    /// As [`Lowerer::refuse`], for a rule that names what it refuses.
    fn refuse_named(&mut self, tokens: &impl ToTokens, rule: &Rule, name: &dyn std::fmt::Display) -> Value {
        self.errors.refuse_named(tokens, rule, name);
        self.nothing(tokens)
    }

    /// A stand-in for an expression that was refused.
    fn nothing(&mut self, tokens: &impl ToTokens) -> Value {
        let id = self.unit(tokens.span());
        Value { id, cpu: TokenStream::new() }
    }

    /// The static that names a place in the source.
    fn at(&mut self, span: Span) -> TokenStream {
        let Position { line, column } = position::of(span);
        let id = self.exprs.len() as u32;
        quote! {
            &::cumbia::__private::At { file: ::core::file!(), line: #line, column: #column, id: #id }
        }
    }

    /// The statements of a block in its braces, in a scope of their own.
    fn braced(&mut self, block: &syn::Block) -> (Block, TokenStream) {
        let (ir, statements) = self.block(block);
        (ir, in_braces(block, statements))
    }

    /// The statements of a block, without braces, in a scope of their own.
    fn block(&mut self, block: &syn::Block) -> (Block, TokenStream) {
        self.scoped(|lowerer| lowerer.statements(&block.stmts))
    }
}
