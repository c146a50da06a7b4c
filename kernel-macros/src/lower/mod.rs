//! Lowering of a function body, in one traversal, to the IR and to the tokens that rustc compiles for the CPU.
//!
//! The two must agree on their slots, so they are produced together: lowering a construct returns a [`Value`] with
//! both. The user's tokens keep their spans; every generated identifier is hygienic, so that it cannot collide with a
//! variable.
//!
//! Syntactic sugar (`assert_eq!`, `(a, b) = (b, a)`, `let .. else`) is first expanded to Rust, by [`sugar`], and then
//! lowered like code that the user wrote.

mod call;
pub(crate) mod category;
mod control;
pub(crate) mod declared;
mod depth;
mod expr;
mod fallible;
mod foreign;
mod macros;
mod pattern;
mod place;
mod stmt;
mod sugar;
#[cfg(test)]
mod tests;

use cumbia_kernel_ir::{
    Block, Expr, ExprId, ExprKind, Function, Local, LocalId, LoopId, SlotId, Span as Position, Stmt,
};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;

use self::call::fallback::Fallbacks;
pub(crate) use self::call::fallback::method_number;
use self::category::Category;
use self::declared::Declared;
use crate::extent::Extent;
use crate::identity;
use crate::position::{self, Name, ours};
use crate::report::Errors;
use crate::rules::{self, Rule};
use crate::signature::{ParamKind, Signature};

/// A lowered function.
pub(crate) struct Lowered {
    /// The IR for the device.
    pub(crate) ir: Function,
    /// The statements of the CPU body, which refer to `cx` and to the slots.
    pub(crate) cpu: TokenStream,
    /// The variable that holds the thread context.
    pub(crate) cx: Ident,
}

impl Lowered {
    /// Returns the variables of the slots, in order.
    pub(crate) fn slots(&self) -> Vec<Ident> {
        (0..self.ir.slots).map(|slot| slot_name(SlotId(slot), Span::call_site())).collect()
    }
}

/// Returns the label of the block around a body, the target of `return`.
pub(crate) fn body_label() -> syn::Lifetime {
    syn::Lifetime::new("'kernel", Span::mixed_site())
}

/// Returns the span at which a slot is inferred from a value of a parameter or of the result: that of the declaration of a type parameter,
/// where rustc reports a missing bound once.
fn learnt_at(signature: &Signature, ty: &syn::Type) -> Span {
    signature.type_param(ty).map_or_else(|| ty.span(), Ident::span)
}

/// Lowers the body of a function.
pub(crate) fn function(block: &syn::Block, signature: &Signature, errors: &mut Errors) -> Lowered {
    let kind = if signature.kernel { rules::Body::Kernel } else { rules::Body::DeviceFunction };
    errors.about(kind);
    let mut lowerer = Lowerer {
        signature,
        declared: Declared::new(signature),
        errors,
        cx: Ident::new("__cx", Span::mixed_site()),
        exprs: Vec::new(),
        locals: Vec::new(),
        known: Vec::new(),
        scopes: vec![Vec::new()],
        globs: Vec::new(),
        open: Vec::new(),
        loops: 0,
        slots: 0,
        fallbacks: Fallbacks::default(),
        promoted: Vec::new(),
    };
    let too_deep = depth::first_too_deep(block);
    if let Some(span) = too_deep {
        lowerer.errors.reject(Ident::new("deep", span), &rules::NESTING);
    } else {
        lowerer.wide_integers(block);
    }
    let (params, learn_params) = lowerer.params();
    let result = signature.result.as_ref().map(|ty| (lowerer.slot(), ty));
    let Body { ir: mut body, cpu: statements, category: _ } = match &signature.foreign {
        Some(foreign) => Body { ir: Block::default(), cpu: foreign.cpu.clone(), category: Category::Owned },
        None if too_deep.is_some() => Body { ir: Block::default(), cpu: TokenStream::new(), category: Category::Never },
        None => lowerer.block(block),
    };
    body.stmts.splice(..0, std::mem::take(&mut lowerer.promoted));
    let learn_result = result.map(|(slot, ty)| {
        let span = learnt_at(signature, ty);
        let (slot, result) = (slot_name(slot, span), Ident::new("__result", ours(span)));
        quote_spanned!(ours(span)=> #slot.is(&#result);)
    });
    let result = result.map(|(slot, _)| slot);
    let (result_name, label) = (result_name(), body_label());
    let declared = &lowerer.declared;
    let (declarations, result_type) = (declared.params(), declared.result().unwrap_or_else(|| quote!(())));
    let fallbacks = lowerer.fallbacks.items(kind);
    let views = signature.views.iter().map(|path| identity::check(path, identity::Known::View));
    let cpu = quote! {
        #[allow(unused_imports)]
        use ::cumbia::__private::body::*;
        #fallbacks
        #(#views)*
        #declarations
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
        foreign: signature.foreign.as_ref().map(|foreign| foreign.device.clone()),
        locals,
        exprs,
        body,
        slots,
    };
    Lowered { ir, cpu, cx }
}

/// The first integer of 128 bits.
struct WideInteger(Option<Span>);

impl<'a> Visit<'a> for WideInteger {
    fn visit_path(&mut self, path: &'a syn::Path) {
        if let Some(first) = path.segments.first()
            && (first.ident == "u128" || first.ident == "i128")
        {
            self.0.get_or_insert(first.ident.span());
        }
        syn::visit::visit_path(self, path);
    }

    // rustc evaluates constants.
    fn visit_item(&mut self, _: &'a syn::Item) {}

    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}

    fn visit_lit_int(&mut self, literal: &'a syn::LitInt) {
        if matches!(literal.suffix(), "u128" | "i128") {
            self.0.get_or_insert(literal.span());
        }
    }
}

/// Returns the variable of a slot. Errors about the slot's type are shown at `span`.
fn slot_name(slot: SlotId, span: Span) -> Ident {
    Ident::new(&format!("__s{}", slot.0), ours(span))
}

/// Returns a value that is passed through a slot, which infers its type. Errors about the slot are shown at `shown`.
fn tapped(slot: SlotId, shown: Span, value: &TokenStream, extent: Extent) -> TokenStream {
    passed(&slot_name(slot, shown), "value", value, extent)
}

/// Returns a value that is passed through a method of a slot. An error about its type is shown at the value.
fn passed(slot: &Ident, method: &str, value: &TokenStream, extent: Extent) -> TokenStream {
    let (receiver, method) = (extent.opening(slot), Ident::new(method, slot.span()));
    extent.field(quote_spanned!(slot.span()=> #receiver.#method(#value)))
}

/// Returns the call that passes a value to a slot, with a closure that matches it against the pattern of a path. `given` makes the slot
/// depend on the type: see [`Declared::given`]. `content` returns the slot's content, from that closure under the name `is`.
fn variant_test(
    pattern: &TokenStream,
    span: Span,
    (slot, given): (SlotId, Option<&TokenStream>),
    value: &impl ToTokens,
    content: &TokenStream,
    extent: Extent,
) -> TokenStream {
    let name = extent.opening(slot_name(slot, span));
    let arguments = extent.closing(quote_spanned! {ours(span)=>
        #value,
        |__value| if let #pattern = __value { true } else { false },
        |__is| #content,
    });
    quote_spanned!(ours(span)=> #name #given.variant #arguments)
}

/// Returns the variable that holds the value of the body.
pub(crate) fn result_name() -> Ident {
    Ident::new("__result", Span::mixed_site())
}

/// Encloses tokens in braces with the spans of the user's block, to which rustc's errors about the block then point.
fn in_braces(block: &syn::Block, tokens: TokenStream) -> TokenStream {
    grouped(Delimiter::Brace, block.brace_token.span.join(), tokens)
}

/// Encloses tokens in delimiters located at `span`.
fn grouped(delimiter: Delimiter, span: Span, tokens: TokenStream) -> TokenStream {
    let mut group = Group::new(delimiter, tokens);
    group.set_span(span);
    TokenTree::from(group).into()
}

/// Returns the expression inside any enclosing parentheses.
fn peeled(expr: &syn::Expr) -> &syn::Expr {
    match expr {
        syn::Expr::Paren(inner) => peeled(&inner.expr),
        syn::Expr::Group(inner) => peeled(&inner.expr),
        expr => expr,
    }
}

/// A lowered expression.
struct Value {
    id: ExprId,
    cpu: TokenStream,
    category: Category,
}

/// Lowered statements.
struct Body {
    ir: Block,
    cpu: TokenStream,
    /// The category of the tail expression's value.
    category: Category,
}

/// The state of the traversal.
struct Lowerer<'a> {
    signature: &'a Signature,
    /// The types of the signature that may lack their derive.
    declared: Declared<'a>,
    errors: &'a mut Errors,
    cx: Ident,
    exprs: Vec<Expr>,
    locals: Vec<Local>,
    /// The known properties of each local.
    known: Vec<Known>,
    /// The names in scope, innermost scope last; a later name shadows an earlier one. A name without a local is an item
    /// of the body.
    scopes: Vec<Vec<(Name, Option<LocalId>)>>,
    /// The scopes with a glob import, whose names are unknown to the macro, innermost last.
    globs: Vec<GlobScope>,
    /// The enclosing loops and labelled blocks, innermost last.
    open: Vec<Open>,
    loops: u32,
    slots: u32,
    fallbacks: Fallbacks,
    /// The declarations of the borrowed constants.
    promoted: Vec<Stmt>,
}

/// A scope with a glob import.
struct GlobScope {
    /// Its index among the scopes.
    depth: usize,
    /// The variables of enclosing scopes that are named in it. An imported item of the same name would shadow them.
    named: Vec<Ident>,
}

/// The properties of a variable that follow from the tokens.
struct Known {
    category: Category,
    /// Declared without an initializer: an assignment determines the type in its slot.
    deferred: bool,
    /// The reference type that it is declared with, to which an assigned value coerces.
    ty: Option<syn::TypeReference>,
    /// The method that returned it, if it is a read-only part of a view: `row`, `column`, `plane` or `volume`.
    part: Option<Ident>,
    /// The type, if it is a struct of arrays or a reference to one.
    argument: Option<syn::Type>,
    /// It holds a closure, which was rejected.
    closure: bool,
}

/// A loop or a labelled block whose body is being lowered.
struct Open {
    label: Option<Name>,
    id: LoopId,
    /// A labelled block, not a loop: only `break` with its label targets it.
    block: bool,
    /// The join of the categories of the values of its `break`s.
    category: Category,
}

impl Lowerer<'_> {
    /// Declares the parameters. The returned tokens record their types in their slots.
    fn params(&mut self) -> (Vec<LocalId>, TokenStream) {
        let signature = self.signature;
        let mut learn = TokenStream::new();
        let mut ids = Vec::new();
        for param in &signature.params {
            let (by, span) = match &param.kind {
                ParamKind::Value(ty) => (if signature.kernel { "element" } else { "is" }, learnt_at(signature, ty)),
                _ => ("is", param.span()),
            };
            let category = Category::of_param(&param.kind);
            let id = self.declare(&param.name, param.mutable, category);
            if let ParamKind::Argument(ty) | ParamKind::ArgumentRef(ty) = &param.kind {
                self.known[id.index()].argument = Some(ty.clone());
            }
            let given = match &param.kind {
                ParamKind::Value(ty) => self.declared.given(ty),
                _ => None,
            };
            learn.extend(self.learn_given(by, id, &param.name, span, given.as_ref()));
            ids.push(id);
        }
        (ids, learn)
    }

    /// Reports the first integer of 128 bits in the parameters, the result or the body. rustc would report its type at each
    /// operation.
    fn wide_integers(&mut self, block: &syn::Block) {
        let signature = self.signature;
        let mut found = WideInteger(None);
        for param in &signature.params {
            param.kind.visit(&mut |ty| found.visit_type(ty));
        }
        if let Some(result) = &signature.result {
            found.visit_type(result);
        }
        if signature.foreign.is_none() {
            found.visit_block(block);
        }
        if let Some(span) = found.0 {
            self.errors.reject(Ident::new("wide", span), &rules::WIDE);
        }
    }

    /// Declares a variable.
    fn declare(&mut self, name: &Ident, mutable: bool, category: Category) -> LocalId {
        let slot = self.slot();
        self.declare_typed(name, mutable, category, slot)
    }

    /// Declares a variable whose type is in an existing slot.
    fn declare_typed(&mut self, name: &Ident, mutable: bool, category: Category, slot: SlotId) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: position::shown(name), mutable, slot });
        let name = Name::of(name);
        self.known.push(Known { category, deferred: false, ty: None, part: None, argument: None, closure: false });
        self.bind(name, Some(id));
        id
    }

    /// Returns the tokens that record a variable's type in its slot, by the slot's method `method`. They are placed
    /// after the declaration; errors about the type are shown at `span`.
    fn learn(&self, method: &str, local: LocalId, name: &Ident, span: Span) -> TokenStream {
        self.learn_given(method, local, name, span, None)
    }

    /// As [`learn`](Self::learn), for a variable of a type that may lack its derive: see [`Declared::given`].
    fn learn_given(
        &self,
        method: &str,
        local: LocalId,
        name: &Ident,
        span: Span,
        given: Option<&TokenStream>,
    ) -> TokenStream {
        let slot = slot_name(self.locals[local.index()].slot, span);
        let mut shown = name.clone();
        shown.set_span(name.span().located_at(span));
        let method = Ident::new(method, ours(span));
        quote_spanned!(ours(span)=> #slot #given.#method(&#shown);)
    }

    /// Returns the slot that holds the type of an expression, if there is one.
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

    /// Adds a name to the innermost scope.
    fn bind(&mut self, name: Name, local: Option<LocalId>) {
        self.scopes.last_mut().expect("the function's own scope stays open").push((name, local));
    }

    /// Returns the variable of this name, if there is one.
    fn lookup(&self, name: &Ident) -> Option<LocalId> {
        let name = Name::of(name);
        self.scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev())
            .find(|(known, _)| *known == name)
            .and_then(|&(_, local)| local)
    }

    /// Records the use of a variable that a glob import of an inner block could shadow.
    fn note_globs(&mut self, name: &Ident, local: LocalId) {
        let declared = self.scopes.iter().rposition(|scope| scope.iter().any(|&(_, known)| known == Some(local)));
        let Some(declared) = declared else { return };
        for glob in self.globs.iter_mut().filter(|glob| glob.depth > declared) {
            if !glob.named.contains(name) {
                glob.named.push(name.clone());
            }
        }
    }

    /// Returns whether there is a variable of this name, regardless of hygiene, which does not apply to items.
    fn has_variable(&self, text: &str) -> bool {
        self.scopes.iter().flatten().any(|(known, local)| local.is_some() && known.text() == text)
    }

    /// Returns the variable that an expression names, if it names one.
    fn variable(&self, expr: &syn::Expr) -> Option<LocalId> {
        match expr {
            syn::Expr::Path(path) if path.qself.is_none() => path.path.get_ident().and_then(|name| self.lookup(name)),
            _ => None,
        }
    }

    /// Runs `inner` in a new scope.
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

    /// Adds an expression that begins at `span`.
    fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(Expr { kind, span: position::of(span) });
        id
    }

    /// Adds an expression with its tokens, whose value is not a reference.
    fn value(&mut self, kind: ExprKind, span: Span, cpu: TokenStream) -> Value {
        self.with_category(kind, span, cpu, Category::Owned)
    }

    /// Adds an expression with its tokens and the category of its value.
    fn with_category(&mut self, kind: ExprKind, span: Span, cpu: TokenStream, category: Category) -> Value {
        Value { id: self.push(kind, span), cpu, category }
    }

    /// `()`
    fn unit(&mut self, span: Span) -> ExprId {
        self.push(ExprKind::Tuple(Vec::new()), span)
    }

    /// Reports that `tokens` violate a rule. The returned placeholder never reaches the output.
    fn reject(&mut self, tokens: &impl ToTokens, rule: &Rule) -> Value {
        self.errors.reject(tokens, rule);
        self.placeholder(tokens)
    }

    /// Like [`Lowerer::reject`], for a rule whose text contains the name of the rejected construct.
    fn reject_named(&mut self, tokens: &impl ToTokens, rule: &Rule, name: &dyn std::fmt::Display) -> Value {
        self.errors.reject_named(tokens, rule, name);
        self.placeholder(tokens)
    }

    /// Returns a placeholder for an expression that was rejected.
    fn placeholder(&mut self, tokens: &impl ToTokens) -> Value {
        let id = self.unit(tokens.span());
        Value { id, cpu: TokenStream::new(), category: Category::Never }
    }

    /// Returns the span, or that of the function's name if the span is a generated one. `self` is replaced by a
    /// generated identifier, and a panic in an expression that begins with it would otherwise report the position of
    /// the attribute.
    fn shown(&self, span: Span) -> Span {
        if position::is_ours(span) { self.signature.name.span().located_at(span) } else { span }
    }

    /// Returns a static that holds a source position.
    fn at(&mut self, span: Span) -> TokenStream {
        let Position { line, column } = position::of(span);
        let id = self.exprs.len() as u32;
        quote! {
            &::cumbia::__private::Location { file: ::core::file!(), line: #line, column: #column, id: #id }
        }
    }

    /// Lowers the statements of a block in a new scope, with the block's braces.
    fn braced(&mut self, block: &syn::Block) -> Body {
        let Body { ir, cpu, category } = self.block(block);
        Body { ir, cpu: in_braces(block, cpu), category }
    }

    /// Lowers the statements of a block in a new scope, without braces.
    fn block(&mut self, block: &syn::Block) -> Body {
        self.scoped(|lowerer| lowerer.statements(&block.stmts))
    }
}
