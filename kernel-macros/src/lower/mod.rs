//! The body of a function, walked once into both of its uses: the IR, and the tokens that rustc compiles for the CPU.
//!
//! The two must agree on their slots, so they are made together: each construct gives a [`Value`] with both sides. The
//! user's tokens stay the user's, with their spans; every name of ours is hygienic, so that no variable can collide
//! with one.
//!
//! What is shorthand for something else (`assert_eq!`, `(a, b) = (b, a)`, `let .. else`) is written out in Rust first, by
//! [`sugar`], and then lowered like what a user wrote.

mod assign;
mod borrow;
mod call;
mod control;
mod effects;
mod expr;
mod fallback;
mod foreign;
mod format;
mod macros;
mod matching;
mod method;
mod operator;
mod pattern;
mod place;
mod sequence;
mod shape;
mod stmt;
mod sugar;
#[cfg(test)]
mod tests;

use cumbia_kernel_ir::ir::{Block, Expr, ExprId, ExprKind, Function, Local, LocalId, LoopId, SlotId, Span as Position};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use self::fallback::Fallbacks;
use self::shape::Shape;
use crate::identity;
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
pub(crate) fn function(block: &syn::Block, signature: &Signature, errors: &mut Errors) -> Lowered {
    let mut lowerer = Lowerer {
        signature,
        errors,
        cx: Ident::new("cx", Span::mixed_site()),
        exprs: Vec::new(),
        locals: Vec::new(),
        known: Vec::new(),
        scopes: vec![Vec::new()],
        globs: Vec::new(),
        open: Vec::new(),
        loops: 0,
        slots: 0,
        fallbacks: Fallbacks::default(),
    };
    let (params, learn_params) = lowerer.params();
    let result = signature.result.as_ref().map(|ty| (lowerer.slot(), ty.span()));
    let Body { ir: body, cpu: statements, shape: _ } = match &signature.foreign {
        Some(foreign) => Body { ir: Block::default(), cpu: foreign.cpu.clone(), shape: Shape::Owned },
        None => lowerer.block(block),
    };
    let learn_result = result.map(|(slot, span)| {
        let (slot, result) = (slot_name(slot, span), Ident::new("result", ours(span)));
        quote_spanned!(ours(span)=> #slot.is(&#result);)
    });
    let result = result.map(|(slot, _)| slot);
    let (result_name, label) = (result_name(), body_label());
    let result_type = signature.result.as_ref().map_or_else(|| quote!(()), ToTokens::to_token_stream);
    let fallbacks = lowerer.fallbacks.items();
    let views = signature.views.iter().map(|path| identity::check(path, identity::Known::View));
    let cpu = quote! {
        #[allow(unused_imports)]
        use ::cumbia::__private::body::*;
        #fallbacks
        #(#views)*
        #learn_params
        let #result_name: #result_type = #label: { #statements };
        #learn_result
    };
    let Lowerer { exprs, locals, slots, cx, .. } = lowerer;
    let ir = Function {
        name: signature.device_name.clone(),
        span: position::of(signature.name.span()),
        params,
        result,
        cuda: signature.foreign.as_ref().map(|foreign| foreign.cuda.clone()),
        locals,
        exprs,
        body,
        slots,
    };
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
    grouped(Delimiter::Brace, block.brace_token.span.join(), tokens)
}

/// Tokens between delimiters that stand at `span`.
fn grouped(delimiter: Delimiter, span: Span, tokens: TokenStream) -> TokenStream {
    let mut group = Group::new(delimiter, tokens);
    group.set_span(span);
    TokenTree::from(group).into()
}

/// An expression without the parentheses around it.
fn peeled(expr: &syn::Expr) -> &syn::Expr {
    match expr {
        syn::Expr::Paren(inner) => peeled(&inner.expr),
        syn::Expr::Group(inner) => peeled(&inner.expr),
        expr => expr,
    }
}

/// An expression in both of its uses.
struct Value {
    id: ExprId,
    cpu: TokenStream,
    shape: Shape,
}

/// Statements in both of their uses.
struct Body {
    ir: Block,
    cpu: TokenStream,
    /// Of the value at the end.
    shape: Shape,
}

/// The state of the walk.
struct Lowerer<'a> {
    signature: &'a Signature,
    errors: &'a mut Errors,
    cx: Ident,
    exprs: Vec<Expr>,
    locals: Vec<Local>,
    /// What is known of each local.
    known: Vec<Known>,
    /// The names in scope, innermost scope last; of two that are alike the later one counts. A name without a local is that
    /// of an item in the body.
    scopes: Vec<Vec<(Name, Option<LocalId>)>>,
    /// The scopes with a glob import, whose names nobody knows here, innermost last.
    globs: Vec<GlobScope>,
    /// The loops and labelled blocks around, innermost last.
    open: Vec<Open>,
    loops: u32,
    slots: u32,
    fallbacks: Fallbacks,
}

/// A scope with a glob import.
struct GlobScope {
    /// Its position among the scopes.
    depth: usize,
    /// The variables of the scopes around it that are named in it. Rust would find an item of the import first.
    named: Vec<Ident>,
}

/// What the tokens tell of a variable.
struct Known {
    shape: Shape,
    /// Declared without a value: its slot learns from what is assigned.
    deferred: bool,
}

/// A loop or a labelled block whose body is being lowered.
struct Open {
    label: Option<Name>,
    id: LoopId,
    /// Not a loop: only `break` with its label leads here.
    block: bool,
}

impl Lowerer<'_> {
    /// Declares the parameters. The tokens let their slots learn their types.
    fn params(&mut self) -> (Vec<LocalId>, TokenStream) {
        let signature = self.signature;
        let mut learn = TokenStream::new();
        let mut ids = Vec::new();
        for param in &signature.params {
            let (by, shape) = match &param.kind {
                ParamKind::Value(_) if signature.kernel => ("element", Shape::Owned),
                ParamKind::Value(_) => ("is", Shape::Owned),
                ParamKind::Slice(_) | ParamKind::SliceMut(_) | ParamKind::View { .. } => ("is", Shape::Slice),
                ParamKind::Ref(_) => ("is", Shape::Reference { mutable: false }),
                ParamKind::RefMut(_) => ("is", Shape::Reference { mutable: true }),
                ParamKind::Refused => ("is", Shape::Unknown),
            };
            let id = self.declare(&param.name, param.mutable, shape);
            learn.extend(self.learn(by, id, &param.name, param.span()));
            ids.push(id);
        }
        (ids, learn)
    }

    /// Declares a variable.
    fn declare(&mut self, name: &Ident, mutable: bool, shape: Shape) -> LocalId {
        let slot = self.slot();
        self.declare_typed(name, mutable, shape, slot)
    }

    /// Declares a variable whose type is in a slot that there is.
    fn declare_typed(&mut self, name: &Ident, mutable: bool, shape: Shape, slot: SlotId) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        let name = Name::of(name);
        self.locals.push(Local { name: name.text().to_owned(), mutable, slot });
        self.known.push(Known { shape, deferred: false });
        self.bind(name, Some(id));
        id
    }

    /// The tokens that let a variable's slot learn its type, by the slot's `method`. They belong behind the declaration; an
    /// error about the type is shown at `span`.
    fn learn(&self, method: &str, local: LocalId, name: &Ident, span: Span) -> TokenStream {
        let slot = slot_name(self.locals[local.index()].slot, span);
        let mut shown = name.clone();
        shown.set_span(name.span().located_at(span));
        let method = Ident::new(method, ours(span));
        quote_spanned!(ours(span)=> #slot.#method(&#shown);)
    }

    /// The slot that the type of an expression is in, if it has one of its own.
    fn type_slot(&self, expr: ExprId) -> Option<SlotId> {
        match self.exprs[expr.index()].kind {
            ExprKind::Literal { slot, .. }
            | ExprKind::Cast { slot, .. }
            | ExprKind::Struct { slot, .. }
            | ExprKind::Repeat { slot, .. } => Some(slot),
            ExprKind::Local(local) => Some(self.locals[local.index()].slot),
            _ => None,
        }
    }

    /// Brings a name into the innermost scope.
    fn bind(&mut self, name: Name, local: Option<LocalId>) {
        self.scopes.last_mut().expect("the function's own scope stays open").push((name, local));
    }

    /// The variable of this name, if there is one.
    fn lookup(&self, name: &Ident) -> Option<LocalId> {
        let name = Name::of(name);
        self.scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev())
            .find(|(known, _)| *known == name)
            .and_then(|&(_, local)| local)
    }

    /// Notes that a variable is named where a glob import of an inner block could hide it.
    fn note_globs(&mut self, name: &Ident, local: LocalId) {
        let declared = self.scopes.iter().rposition(|scope| scope.iter().any(|&(_, known)| known == Some(local)));
        let Some(declared) = declared else { return };
        for glob in self.globs.iter_mut().filter(|glob| glob.depth > declared) {
            if !glob.named.contains(name) {
                glob.named.push(name.clone());
            }
        }
    }

    /// Whether there is a variable of these letters, whatever macro wrote it: to an item that is all the same.
    fn has_variable(&self, text: &str) -> bool {
        self.scopes.iter().flatten().any(|(known, local)| local.is_some() && known.text() == text)
    }

    /// The variable that an expression names, if it names one.
    fn variable(&self, expr: &syn::Expr) -> Option<LocalId> {
        match expr {
            syn::Expr::Path(path) if path.qself.is_none() => path.path.get_ident().and_then(|name| self.lookup(name)),
            _ => None,
        }
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

    /// A new expression with its tokens, whose value is nothing that has to be looked through.
    fn value(&mut self, kind: ExprKind, span: Span, cpu: TokenStream) -> Value {
        self.shaped(kind, span, cpu, Shape::Owned)
    }

    /// A new expression with its tokens and what is known of its value.
    fn shaped(&mut self, kind: ExprKind, span: Span, cpu: TokenStream, shape: Shape) -> Value {
        Value { id: self.push(kind, span), cpu, shape }
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
        Value { id, cpu: TokenStream::new(), shape: Shape::Never }
    }

    /// The same place, as one of the user's. `self` is a name of ours, and a panic of Rust's in an expression that begins with
    /// it would name the attribute.
    fn shown(&self, span: Span) -> Span {
        if position::is_ours(span) { self.signature.name.span().located_at(span) } else { span }
    }

    /// The static that names a place in the source.
    fn at(&mut self, span: Span) -> TokenStream {
        let Position { line, column } = position::of(span);
        let id = self.exprs.len() as u32;
        quote! {
            &::cumbia::__private::Location { file: ::core::file!(), line: #line, column: #column, id: #id }
        }
    }

    /// The statements of a block in its braces, in a scope of their own.
    fn braced(&mut self, block: &syn::Block) -> Body {
        let Body { ir, cpu, shape } = self.block(block);
        Body { ir, cpu: in_braces(block, cpu), shape }
    }

    /// The statements of a block, without braces, in a scope of their own.
    fn block(&mut self, block: &syn::Block) -> Body {
        self.scoped(|lowerer| lowerer.statements(&block.stmts))
    }
}
