//! Statements.

use cumbia_kernel_ir::{Block, ExprId, ExprKind, Pattern, Stmt};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, ExprReference, Ident, Item, Local, Pat, Stmt as SynStmt, Type, TypeReference, UseName, UseRename,
    UseTree,
};

use super::pattern::binding_modes;
use super::pattern::matching::without_reference;
use super::pattern::{Binder, Bound};
use super::place::root;
use super::{Body, Category, GlobScope, Lowerer, Value, peeled, slot_name, sugar};
use crate::position::{self, Name, ours};
use crate::rules;

/// The statements lowered so far.
struct Statements {
    ir: Block,
    cpu: TokenStream,
    category: Category,
}

impl Lowerer<'_> {
    /// Lowers statements in the current scope.
    pub(super) fn statements(&mut self, stmts: &[SynStmt]) -> Body {
        // Items are in scope in the whole block, including the statements before them.
        for stmt in stmts {
            match stmt {
                SynStmt::Item(Item::Const(item)) => {
                    if self.lookup(&item.ident).is_none() && self.has_variable(&item.ident.unraw().to_string()) {
                        self.reject_named(&item.ident, &rules::HIDDEN_VARIABLE, &item.ident);
                    }
                    self.bind(Name::of(&item.ident), None);
                }
                SynStmt::Item(Item::Use(item)) => self.imports(&item.tree, None),
                _ => {}
            }
        }
        let mut statements = Statements { ir: Block::default(), cpu: TokenStream::new(), category: Category::Owned };
        for (position, stmt) in stmts.iter().enumerate() {
            let last = position + 1 == stmts.len();
            self.statement(stmt, last, &mut statements);
        }
        let Statements { ir, cpu, category } = statements;
        let checks = self.shadowing_checks();
        Body { ir, cpu: quote!(#checks #cpu), category }
    }

    /// Reports names imported by a `use` in the current scope that are also names of variables. If they are values,
    /// they shadow the variables of the enclosing scopes, and the tokens do not determine whether they are.
    fn imports(&mut self, tree: &UseTree, parent: Option<&Ident>) {
        let name = match tree {
            UseTree::Path(path) => return self.imports(&path.tree, Some(&path.ident)),
            UseTree::Group(group) => return group.items.iter().for_each(|item| self.imports(item, parent)),
            UseTree::Glob(_) => {
                let depth = self.scopes.len() - 1;
                return self.globs.push(GlobScope { depth, named: Vec::new() });
            }
            UseTree::Name(UseName { ident }) if ident == "self" => parent,
            UseTree::Name(UseName { ident }) => Some(ident),
            UseTree::Rename(UseRename { rename, .. }) => Some(rename),
        };
        if let Some(name) = name
            && self.has_variable(&name.unraw().to_string())
        {
            self.reject_named(name, &rules::HIDDEN_VARIABLE, name);
        }
    }

    /// Returns tokens that compile only if no glob import of the current scope shadows a variable that is used in it: a
    /// closure captures variables, but not items. The closure is unreachable, since the variable may be uninitialised or
    /// mutably borrowed; rustc infers its type nevertheless.
    fn shadowing_checks(&mut self) -> TokenStream {
        let depth = self.scopes.len() - 1;
        let mut checks = TokenStream::new();
        while let Some(glob) = self.globs.pop_if(|glob| glob.depth == depth) {
            for name in glob.named {
                let check = Ident::new("__check", ours(name.span()));
                checks.extend(quote_spanned! {ours(name.span())=>
                    #[allow(unreachable_code)]
                    {
                        let #check = ::cumbia::__private::Captured::new();
                        if false {
                            loop {}
                            #check.by(|| { let _ = &#name; });
                        }
                        #check.check();
                    }
                });
            }
        }
        checks
    }

    fn statement(&mut self, stmt: &SynStmt, last: bool, into: &mut Statements) {
        match stmt {
            SynStmt::Local(local) => self.local(local, into),
            SynStmt::Item(item @ (Item::Const(_) | Item::Use(_) | Item::Type(_))) => item.to_tokens(&mut into.cpu),
            SynStmt::Item(item) => {
                self.reject(item, &rules::ITEM);
            }
            // `;`
            SynStmt::Expr(Expr::Verbatim(nothing), Some(_)) if nothing.is_empty() => {}
            SynStmt::Expr(expr, semicolon) => {
                let value = self.expr(expr);
                into.expr(value, semicolon.as_ref(), last);
            }
            SynStmt::Macro(call) => {
                self.attributes(&call.attrs);
                let value = self.macro_call(&call.mac);
                into.expr(value, call.semi_token.as_ref(), last);
            }
        }
    }

    /// Returns the type of a variable that is a struct of arrays, or a reference to one.
    pub(in crate::lower) fn argument_type(&self, expr: &Expr) -> Option<&Type> {
        self.known[self.variable(peeled(expr))?.index()].argument.as_ref()
    }

    /// Returns whether an expression is a variable that is an argument of several parts, or a part of one.
    pub(in crate::lower) fn is_argument(&self, expr: &Expr) -> bool {
        match peeled(expr) {
            Expr::Field(field) => self.is_argument(&field.base),
            expr => self.variable(expr).is_some_and(|local| self.known[local.index()].category == Category::Argument),
        }
    }

    fn local(&mut self, local: &Local, into: &mut Statements) {
        self.attributes(&local.attrs);
        let (pattern, ty) = sugar::typed(&local.pat);
        let Some(init) = &local.init else {
            self.declarations(pattern, ty, local.let_token.span(), into);
            return;
        };
        if let Some((_, otherwise)) = &init.diverge {
            match sugar::let_else(local, init, otherwise) {
                Some(desugared) => self.statement(&desugared, false, into),
                None => {
                    self.reject(pattern, &rules::PATTERN);
                }
            }
            return;
        }
        if ty.is_none()
            && self.is_argument(&init.expr)
            && let Some(lets) = sugar::fields_of_argument(local, &init.expr)
        {
            let (span, value) = (ours(pattern.span()), &init.expr);
            // rustc checks the path and the fields of the pattern against the struct.
            into.cpu.extend(quote_spanned! {span=>
                #[allow(unreachable_code, unused_variables, unused_mut, clippy::all, clippy::pedantic)]
                if false {
                    let #pattern = ::cumbia::__private::host_of(#value);
                }
            });
            for stmt in lets {
                self.statement(&stmt, false, into);
            }
            return;
        }
        let extended = match peeled(&init.expr) {
            // rustc promotes the constant to a static.
            Expr::Reference(ExprReference { mutability: None, expr, .. }) if self.is_promoted(root(expr)) => None,
            init => sugar::extended_temporary(init, |root| self.variable(root).is_some()),
        };
        let extended_init;
        let init = match extended {
            Some((temporary, init)) => {
                self.statement(&temporary, false, into);
                extended_init = init;
                &extended_init
            }
            None => &*init.expr,
        };
        let mut coerced_init;
        let init = match ty {
            Some(ty) if sugar::has_reference(ty) => {
                coerced_init = init.clone();
                sugar::coerced_branches(&mut coerced_init, ty);
                &coerced_init
            }
            _ => init,
        };
        if ty.is_none() && is_shared_of_unknown_type(init) {
            self.reject(init, &rules::SHARED_TYPE);
            return;
        }
        let part = self.part_of_a_view(init).cloned();
        let argument = self.argument_type(referent(init)).cloned();
        let mut value = match pattern {
            Pat::Reference(_) => self.scrutinee(init, &[pattern]),
            _ => self.expr(init),
        };
        let annotation = ty.map(|ty| {
            if let Type::Reference(reference) = ty {
                value = self.coerced(reference, &mut value, init.span());
            }
            annotation(ty)
        });
        let category = ty.map_or(Category::Unknown, Category::of_type).unless_unknown(&value.category);
        let mut pattern = without_reference(pattern);
        let (reference, mut variables) = (Ident::new("__reference", ours(pattern.span())), Vec::new());
        let of_reference: Pat = binding_modes::variable(&reference);
        if let Category::Reference { mutable } = category
            && !matches!(pattern, Pat::Ident(_) | Pat::Wild(_))
        {
            let statements = binding_modes::statements(pattern, &reference, mutable, &quote!((*#reference)));
            let Some(statements) = statements else {
                self.reject(pattern, &rules::MATCHED_REFERENCE);
                return;
            };
            (pattern, variables) = (&of_reference, statements);
        }
        let mut binder = Binder::of(self.type_slot(value.id), shown_at(init));
        let Bound { ir, cpu: pattern, .. } = self.pattern(pattern, &category, &mut binder);
        let declared = ir.clone();
        into.declare(ir, Some(value.id), local.let_token.span());
        if let Pattern::Local(local) = declared {
            let known = &mut self.known[local.index()];
            (known.part, known.argument) = (part, argument);
            known.closure = matches!(peeled(init), Expr::Closure(_));
            known.ty =
                ty.and_then(|ty| if let Type::Reference(reference) = ty { Some(reference.clone()) } else { None });
        }
        let (cpu, learn, let_token) = (value.cpu, binder.learn, &local.let_token);
        let before = binder.before;
        into.cpu.extend(quote!(#before #let_token #pattern #annotation = #cpu; #learn));
        for variable in &variables {
            self.statement(variable, false, into);
        }
    }

    /// `let x;`, `let (x, mut y): (f32, u32);`: variables whose types are inferred from their assignments.
    fn declarations(&mut self, pattern: &Pat, ty: Option<&Type>, span: Span, into: &mut Statements) {
        match pattern {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                let category = ty.map_or(Category::Unknown, Category::of_type);
                let id = self.declare(&ident.ident, ident.mutability.is_some(), category);
                self.known[id.index()].deferred = true;
                if let Some(Type::Reference(reference)) = ty {
                    self.known[id.index()].ty = Some(reference.clone());
                }
                into.declare(Pattern::Local(id), None, span);
                let annotation = ty.map(annotation);
                into.cpu.extend(quote!(let #pattern #annotation;));
                if let Some(annotation) = annotation {
                    // Records the type of a variable that is never assigned.
                    let slot = slot_name(self.locals[id.index()].slot, ty.span());
                    let value = syn::Ident::new("__value", ours(ty.span()));
                    // With an annotated parameter the closure would be generic over the lifetime of a reference.
                    into.cpu.extend(quote_spanned!(ours(ty.span())=> let _ = |#value| {
                        let #value #annotation = #value;
                        #slot.tap(#value);
                    };));
                }
            }
            Pat::Wild(_) => {}
            Pat::Paren(inner) => self.declarations(&inner.pat, ty, span, into),
            Pat::Tuple(tuple) => {
                let types = match ty {
                    Some(Type::Tuple(types)) if types.elems.len() == tuple.elems.len() => Some(&types.elems),
                    _ => None,
                };
                for (position, elem) in tuple.elems.iter().enumerate() {
                    self.declarations(elem, types.map(|types| &types[position]), span, into);
                }
            }
            pattern => {
                self.reject(pattern, &rules::UNINITIALISED_PATTERN);
            }
        }
    }

    /// Coerces a value to the reference type that the variable is declared with: a reference to an array becomes a
    /// slice.
    pub(super) fn coerced(&mut self, ty: &TypeReference, value: &mut Value, span: Span) -> Value {
        let mutable = ty.mutability.is_some();
        let cpu = std::mem::take(&mut value.cpu);
        let name = |slice: bool| match (slice, mutable) {
            (true, false) => quote_spanned!(ours(span)=> ::cumbia::__private::IntoSlice::into_slice),
            (true, true) => quote_spanned!(ours(span)=> ::cumbia::__private::IntoSliceMut::into_slice_mut),
            (false, false) => quote_spanned!(ours(span)=> ::cumbia::__private::IntoPlace::into_place),
            (false, true) => quote_spanned!(ours(span)=> ::cumbia::__private::IntoPlaceMut::into_place_mut),
        };
        let slice = matches!(&*ty.elem, Type::Slice(_));
        let place = if slice {
            self.push(ExprKind::SubSlice { base: value.id, start: None, end: None, inclusive: false }, span)
        } else {
            self.push(ExprKind::Deref(value.id), span)
        };
        let (function, category) = (name(slice), if slice { Category::Slice } else { Category::Reference { mutable } });
        let cpu = quote_spanned!(ours(span)=> #function(#cpu));
        self.with_category(ExprKind::Borrow { place, mutable }, span, cpu, category)
    }

    /// Rejects attributes, which would have an effect on the CPU only. Doc comments are ignored.
    pub(super) fn attributes(&mut self, attributes: &[Attribute]) {
        let ignored = |attribute: &&Attribute| attribute.path().is_ident("doc") || sugar::is_otherwise(attribute);
        for attribute in attributes.iter().filter(|attribute| !ignored(attribute)) {
            let rule = if attribute.path().is_ident("unroll") { &rules::UNROLL_PLACE } else { &rules::ATTRIBUTE };
            self.errors.reject(attribute, rule);
        }
    }
}

/// `shared()` without a type, which a `let` has to have.
fn is_shared_of_unknown_type(init: &Expr) -> bool {
    let Expr::Call(call) = peeled(init) else { return false };
    let Expr::Path(path) = peeled(&call.func) else { return false };
    call.args.is_empty() && path.path.is_ident("shared")
}

impl Statements {
    fn expr(&mut self, value: Value, semicolon: Option<&syn::Token![;]>, last: bool) {
        let Value { id, cpu, category } = value;
        if semicolon.is_none() && last {
            self.ir.tail = Some(id);
            self.category = category;
        } else {
            self.ir.stmts.push(Stmt::Expr(id));
            // A block that ends in `return;` diverges as well.
            if last && category == Category::Never {
                self.category = Category::Never;
            }
        }
        self.cpu.extend(quote!(#cpu #semicolon));
    }

    fn declare(&mut self, pattern: Pattern, init: Option<ExprId>, span: Span) {
        self.ir.stmts.push(Stmt::Let { pattern, init, span: position::of(span) });
    }
}

/// Returns a type annotation for the CPU, where references are handles.
fn annotation(ty: &Type) -> TokenStream {
    let ty = cpu_type(ty);
    quote!(: #ty)
}

fn cpu_type(ty: &Type) -> TokenStream {
    match ty {
        Type::Reference(TypeReference { elem, mutability, .. }) => {
            let span = ours(ty.span());
            let access = if mutability.is_some() { quote!(Write) } else { quote!(Read) };
            match &**elem {
                Type::Slice(slice) => {
                    let element = &slice.elem;
                    quote_spanned!(span=> ::cumbia::__private::Slice<'_, #element, ::cumbia::__private::#access>)
                }
                target => {
                    quote_spanned!(span=> ::cumbia::__private::PlaceRef<'_, #target, ::cumbia::__private::#access>)
                }
            }
        }
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let parts = tuple.elems.iter().map(cpu_type);
            quote!((#(#parts,)*))
        }
        ty => ty.to_token_stream(),
    }
}

/// Returns the span of errors about the type of a variable initialised with `init`: the name of the called function, if
/// any. rustc may report the same error about the call, and reports errors at the same span once.
fn shown_at(init: &Expr) -> Option<Span> {
    match peeled(init) {
        Expr::Call(call) => Some(call.func.span()),
        Expr::MethodCall(call) => Some(call.method.span()),
        _ => None,
    }
}

/// Returns the expression behind the borrow `&x`, or the expression itself.
fn referent(expr: &Expr) -> &Expr {
    match peeled(expr) {
        Expr::Reference(ExprReference { mutability: None, expr, .. }) => expr,
        expr => expr,
    }
}
