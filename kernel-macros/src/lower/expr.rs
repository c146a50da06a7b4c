//! Value expressions: the dispatch over all kinds of Rust expressions, and the lowering of the simple ones.

use cumbia_kernel_ir::{ExprId, ExprKind, Literal, variant_in_slot};
use proc_macro2::{Delimiter, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Expr, ExprArray, ExprCast, ExprConst, ExprLit, ExprPath, ExprRepeat, ExprStruct, ExprTuple, ExprUnary, Lit, Member,
    Path, Type, UnOp,
};

use super::place::PlaceContext;
use super::{Category, Lowerer, Value, foreign, grouped, peeled, slot_name, tapped, variant_test};
use crate::extent::Extent;
use crate::lower::sugar::is_upper_case;
use crate::position::{ours, standing_for};
use crate::rules;
use crate::signature::Scope;

impl Lowerer<'_> {
    /// Lowers any expression. Each kind of Rust expression is listed: it is lowered, or rejected by a rule.
    pub(super) fn expr(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::ForLoop(inner) => return self.for_expr(inner),
            Expr::While(inner) => return self.while_expr(inner),
            Expr::Loop(inner) => return self.loop_expr(inner),
            expr => self.attributes(attributes_of(expr)),
        }
        match expr {
            Expr::Lit(lit) => self.literal(lit, None),
            Expr::Path(path) => self.path(path),
            Expr::Unary(ExprUnary { op: UnOp::Deref(_), .. }) | Expr::Field(_) | Expr::Index(_) => {
                self.place(expr, PlaceContext::Read).read(Extent::of(expr))
            }
            Expr::Unary(unary) => self.unary(unary, None),
            Expr::Binary(binary) => self.binary(binary, None),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Tuple(tuple) => self.tuple(tuple),
            Expr::Struct(value) => self.structure(value),
            Expr::Array(array) => self.array(array),
            Expr::Repeat(array) => self.repeat(array),
            Expr::Const(block) => self.const_block(block),
            Expr::Paren(inner) => {
                let Value { id, cpu, category } = self.enclosed(&inner.expr, inner.span());
                Value { id, cpu: standing_for(inner.span(), cpu), category }
            }
            Expr::Group(inner) => {
                let Value { id, cpu, category } = self.expr(&inner.expr);
                Value { id, cpu: standing_for(inner.span(), cpu), category }
            }
            Expr::Reference(reference) => self.reference(reference),
            Expr::Assign(assign) => self.assign(assign),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Macro(call) => self.macro_call(&call.mac),
            Expr::Block(block) => self.block_expr(block),
            Expr::If(_) | Expr::Match(_) if let Some(coerced) = self.slices(expr) => self.expr(&coerced),
            Expr::If(branch) => self.if_expr(branch),
            Expr::Match(inner) => self.match_expr(inner),
            Expr::ForLoop(inner) => self.for_expr(inner),
            Expr::While(inner) => self.while_expr(inner),
            Expr::Loop(inner) => self.loop_expr(inner),
            Expr::Break(jump) => self.break_expr(jump),
            Expr::Continue(jump) => self.continue_expr(jump),
            Expr::Return(jump) => self.return_expr(jump),

            Expr::Closure(closure) => self.reject(closure, &rules::CLOSURE),
            Expr::Async(block) => self.reject(block, &rules::ASYNC),
            Expr::Await(call) => self.reject(call, &rules::AWAIT),
            Expr::Try(call) => self.try_expr(call),
            Expr::TryBlock(block) => self.reject(block, &rules::TRY_BLOCK),
            Expr::Let(inner) => self.reject(&inner.let_token, &rules::LET_AS_A_VALUE),
            Expr::RawAddr(inner) => self.reject(inner, &rules::RAW_ADDRESS),
            Expr::Range(range) => self.reject(range, &rules::RANGE),
            Expr::Unsafe(block) => self.reject(&block.unsafe_token, &rules::UNSAFE),
            Expr::Infer(underscore) => self.reject(underscore, &rules::UNDERSCORE),
            // `yield`, tokens that syn does not parse, and future variants of `syn::Expr`.
            _ => self.reject(expr, &rules::UNKNOWN_EXPRESSION),
        }
    }

    /// Lowers an expression in parentheses at `around`, which is its span for rustc.
    fn enclosed(&mut self, expr: &Expr, around: Span) -> Value {
        match expr {
            Expr::Paren(inner) => self.enclosed(&inner.expr, around),
            Expr::Binary(binary) => {
                self.attributes(&binary.attrs);
                self.binary(binary, Some(around))
            }
            Expr::Unary(unary) if !matches!(unary.op, UnOp::Deref(_)) => self.unary(unary, Some(around)),
            Expr::Index(index) => self.element(index, PlaceContext::Read, around).read(Extent::at(around)),
            expr => self.expr(expr),
        }
    }

    /// Lowers a literal together with the minus before it, if any: `-128` is a valid `i8`, and `128` is not.
    pub(super) fn literal(&mut self, lit: &ExprLit, minus: Option<&syn::Token![-]>) -> Value {
        self.literal_as(lit, minus, None)
    }

    /// Lowers a literal that is cast to a type, if any: the type of a literal without a suffix is then that of the cast, if the literal
    /// can have it.
    fn literal_as(&mut self, lit: &ExprLit, minus: Option<&syn::Token![-]>, cast: Option<&Type>) -> Value {
        let Some(value) = self.literal_value(lit, minus.is_some()) else {
            return self.placeholder(lit);
        };
        let slot = self.slot();
        let span = minus.map_or(lit.span(), Spanned::span);
        let extent = Extent::between(span, lit.span());
        let kind = match &lit.lit {
            Lit::Int(lit) if lit.suffix().is_empty() => Some("Int"),
            Lit::Float(lit) if lit.suffix().is_empty() => Some("Float"),
            _ => None,
        };
        let (name, at) = (extent.opening(slot_name(slot, lit.span())), ours(lit.span()));
        let of_cast = cast.zip(kind).map(|(ty, kind)| {
            let kind = Ident::new(kind, at);
            quote_spanned!(at=> ::<<#ty as ::cumbia::__private::CastLiteral>::#kind>)
        });
        let cpu = extent.field(quote_spanned!(at=> #name.value #of_cast(#minus #lit)));
        self.value(ExprKind::Literal { value, slot }, span, cpu)
    }

    /// Returns the value of a literal. In a pattern the minus is part of the literal.
    pub(super) fn literal_value(&mut self, lit: &ExprLit, minus: bool) -> Option<Literal> {
        Some(match &lit.lit {
            Lit::Bool(value) => Literal::Bool(value.value),
            Lit::Byte(value) => Literal::Int { magnitude: value.value().into(), negative: false },
            Lit::Int(value) => {
                let digits = value.base10_digits();
                let (digits, negative) = digits.strip_prefix('-').map_or((digits, minus), |digits| (digits, true));
                // `1f32` is an integer to syn.
                if matches!(value.suffix(), "f32" | "f64") {
                    return Some(float_literal(digits, negative));
                }
                let Ok(magnitude) = digits.parse() else {
                    self.errors.reject(lit, &rules::HUGE_LITERAL);
                    return None;
                };
                Literal::Int { magnitude, negative }
            }
            Lit::Float(value) => {
                let digits = value.base10_digits();
                let (digits, negative) = digits.strip_prefix('-').map_or((digits, minus), |digits| (digits, true));
                float_literal(digits, negative)
            }
            Lit::Char(_) => {
                self.errors.reject(lit, &rules::CHAR);
                return None;
            }
            _ => {
                self.errors.reject(lit, &rules::STRING);
                return None;
            }
        })
    }

    /// Lowers a path: a variable or a constant.
    fn path(&mut self, path: &ExprPath) -> Value {
        if let (None, Some(name)) = (&path.qself, path.path.get_ident())
            && let Some(local) = self.lookup(name)
        {
            self.note_globs(name, local);
            let category = self.known[local.index()].category.clone();
            return self.with_category(ExprKind::Local(local), path.span(), path.to_token_stream(), category);
        }
        if let Some(name) = path.path.get_ident()
            && let Some(help) = foreign::constant(name)
        {
            self.errors.explain(path, &help);
            return self.placeholder(path);
        }
        if let (None, Some(name)) = (&path.qself, path.path.get_ident())
            && self.is_uncaptured(name)
        {
            self.errors.reject_named(path, &rules::UNCAPTURED, name);
            return self.placeholder(path);
        }
        self.constant(path.span(), path)
    }

    /// Returns whether a name that is not a variable can only be one of the function around `device_fn!`: it is written like a
    /// variable, and not that of an item or an import of the body.
    fn is_uncaptured(&self, name: &syn::Ident) -> bool {
        let is_item = || self.scopes.iter().flatten().any(|(known, _)| name.unraw() == known.text());
        self.signature.scope == Scope::Expression && !is_upper_case(name) && self.globs.is_empty() && !is_item()
    }

    /// Lowers a constant, which rustc evaluates; the device code contains its bits.
    pub(super) fn constant(&mut self, span: Span, tokens: &dyn ToTokens) -> Value {
        self.constant_by("constant", span, tokens)
    }

    /// Like [`Lowerer::constant`], by another method of the slot.
    fn constant_by(&mut self, method: &str, span: Span, tokens: &dyn ToTokens) -> Value {
        let slot = self.slot();
        let (extent, method) = (Extent::of_tokens(tokens), Ident::new(method, ours(span)));
        let (name, closure) =
            (extent.opening(slot_name(slot, span)), extent.closing(quote_spanned!(ours(span)=> || #tokens)));
        let path: Option<Path> = syn::parse2(tokens.to_token_stream()).ok();
        let given = path.and_then(|path| self.declared.given_of_variant(&path));
        let cpu = quote_spanned!(ours(span)=> #name #given.#method #closure);
        self.value(ExprKind::Constant(slot), span, cpu)
    }

    /// `const { .. }`
    fn const_block(&mut self, block: &ExprConst) -> Value {
        let bare = ExprConst { attrs: Vec::new(), ..block.clone() };
        self.constant_by("computed", block.span(), &bare)
    }

    fn cast(&mut self, cast: &ExprCast) -> Value {
        let Value { id: operand, cpu, category: _ } = match (peeled(&cast.expr), &*cast.ty) {
            (_, Type::Infer(_)) => self.expr(&cast.expr),
            (Expr::Lit(lit), ty) => self.literal_as(lit, None, Some(ty)),
            (Expr::Unary(ExprUnary { op: UnOp::Neg(minus), expr, .. }), ty) if let Expr::Lit(lit) = &**expr => {
                self.literal_as(lit, Some(minus), Some(ty))
            }
            _ => self.expr(&cast.expr),
        };
        let slot = self.slot();
        let (ty, span) = (&cast.ty, cast.ty.span());
        let cpu = tapped(slot, span, &quote_spanned!(ours(span)=> (#cpu) as #ty), Extent::of_operation(cast));
        self.value(ExprKind::Cast { operand, slot }, cast.span(), cpu)
    }

    fn tuple(&mut self, tuple: &ExprTuple) -> Value {
        let parts: Vec<Value> = tuple.elems.iter().map(|elem| self.expr(elem)).collect();
        let cpu = parts.iter().map(|part| &part.cpu);
        let cpu = grouped(Delimiter::Parenthesis, tuple.paren_token.span.join(), quote!(#(#cpu,)*));
        let ids = parts.iter().map(|part| part.id).collect();
        let category = Category::Tuple(parts.into_iter().map(|part| part.category).collect());
        self.with_category(ExprKind::Tuple(ids), tuple.span(), cpu, category)
    }

    /// `[x, y]`
    fn array(&mut self, array: &ExprArray) -> Value {
        if array.elems.is_empty() {
            return self.empty_array(array);
        }
        let elements: Vec<Value> = array.elems.iter().map(|elem| self.expr(elem)).collect();
        let cpu = elements.iter().map(|element| &element.cpu);
        let cpu = grouped(Delimiter::Bracket, array.bracket_token.span.join(), quote!(#(#cpu),*));
        let ids = elements.iter().map(|element| element.id).collect();
        self.value(ExprKind::Array(ids), array.span(), cpu)
    }

    /// `[]`: lowered as `[(); 0]`, which has a slot for its type.
    fn empty_array(&mut self, array: &ExprArray) -> Value {
        let value = self.unit(array.span());
        let slot = self.slot();
        let cpu = grouped(Delimiter::Bracket, array.bracket_token.span.join(), TokenStream::new());
        let cpu = tapped(slot, array.span(), &cpu, Extent::of_tokens(array));
        self.value(ExprKind::Repeat { value, slot }, array.span(), cpu)
    }

    /// `[x; N]`
    fn repeat(&mut self, array: &ExprRepeat) -> Value {
        let Value { id: value, cpu: element, category: _ } = self.expr(&array.expr);
        let slot = self.slot();
        let len = &array.len;
        let cpu = grouped(Delimiter::Bracket, array.bracket_token.span.join(), quote!(#element; #len));
        let cpu = tapped(slot, array.span(), &cpu, Extent::of_tokens(array));
        self.value(ExprKind::Repeat { value, slot }, array.span(), cpu)
    }

    /// `Point { x: 1.0, y, ..base }`
    fn structure(&mut self, value: &ExprStruct) -> Value {
        if value.qself.is_some() {
            return self.reject(value, &rules::UNKNOWN_EXPRESSION);
        }
        let mut fields = Vec::new();
        let mut fields_cpu = TokenStream::new();
        for field in &value.fields {
            self.attributes(&field.attrs);
            let (member, Value { id, cpu, category: _ }) = (&field.member, self.expr(&field.expr));
            fields.push((member_name(member), id));
            fields_cpu.extend(quote!(#member: #cpu,));
        }
        let base = value.rest.as_ref().map(|rest| self.expr(rest));
        let rest = base.as_ref().map(|Value { cpu, .. }| {
            let dots = &value.dot2_token;
            quote!(#dots #cpu)
        });
        let braces = grouped(Delimiter::Brace, value.brace_token.span.join(), quote!(#fields_cpu #rest));
        let path = &value.path;
        // Only a struct has a base, and `Self` is a struct.
        let is_struct = base.is_some() || path.is_ident("Self");
        let pattern = (!is_struct).then(|| quote!(#path { .. }));
        self.built(path, &braces, pattern.as_ref(), fields, base.map(|base| base.id), Extent::of_tokens(value))
    }

    /// `Pair(x, y)`: a tuple struct. It is emitted with braces, which the name of a function does not allow.
    pub(super) fn tuple_structure(&mut self, call: &syn::ExprCall, path: &Path) -> Value {
        let mut fields = Vec::new();
        let mut fields_cpu = TokenStream::new();
        for (position, arg) in call.args.iter().enumerate() {
            let Value { id, cpu, category } = self.expr(arg);
            if matches!(category, Category::Reference { .. } | Category::Slice) && is_standard_variant(path) {
                return self.reject(arg, &rules::REFERENCE_IN_OPTION);
            }
            fields.push((position.to_string(), id));
            let position = syn::Index { index: position as u32, span: ours(arg.span()) };
            fields_cpu.extend(quote!(#position: #cpu,));
        }
        let braces = grouped(Delimiter::Brace, call.paren_token.span.join(), fields_cpu);
        // A function can have the same name as the struct, but only a constructor can be a pattern.
        self.built(path, &braces, Some(&quote!(#path(..))), fields, None, Extent::of_tokens(call))
    }

    /// Builds a struct or a variant. `pattern` is that of the path, which tells rustc's resolution of it.
    fn built(
        &mut self,
        path: &Path,
        braces: &TokenStream,
        pattern: Option<&TokenStream>,
        fields: Vec<(String, ExprId)>,
        base: Option<ExprId>,
        extent: Extent,
    ) -> Value {
        let slot = self.slot();
        let last = path.segments.last().map(|last| last.ident.unraw().to_string()).unwrap_or_default();
        let (name, cpu) = match pattern {
            Some(pattern) => {
                let value = quote!(#path #braces);
                let given = self.declared.given(path).or_else(|| self.declared.given_of_variant(path));
                let (span, slot_given) = (path.span(), (slot, given.as_ref()));
                let content = quote_spanned!(ours(span)=> ::cumbia::__private::variant_content(__is));
                let test = variant_test(pattern, span, slot_given, &value, &content, extent);
                (variant_in_slot(&last, slot), test)
            }
            None => (last, tapped(slot, path.span(), &quote!(#path #braces), extent)),
        };
        self.value(ExprKind::Struct { slot, name, fields, base }, extent.start(), cpu)
    }
}

/// Returns whether a path names a variant of `Option` or `Result`.
fn is_standard_variant(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| ["Some", "Ok", "Err"].iter().any(|name| last.ident == name))
}

/// Returns the name of a field, or its decimal position.
pub(super) fn member_name(member: &Member) -> String {
    match member {
        Member::Named(name) => name.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

fn float_literal(digits: &str, negative: bool) -> Literal {
    Literal::Float(if negative { format!("-{digits}") } else { digits.to_owned() })
}

/// Returns the attributes of an expression of a kind that is lowered; other kinds are rejected as a whole.
fn attributes_of(expr: &Expr) -> &[syn::Attribute] {
    match expr {
        Expr::Block(inner) => &inner.attrs,
        Expr::If(inner) => &inner.attrs,
        Expr::Match(inner) => &inner.attrs,
        Expr::Macro(inner) => &inner.attrs,
        Expr::Assign(inner) => &inner.attrs,
        Expr::Call(inner) => &inner.attrs,
        Expr::MethodCall(inner) => &inner.attrs,
        Expr::Binary(inner) => &inner.attrs,
        Expr::Break(inner) => &inner.attrs,
        Expr::Continue(inner) => &inner.attrs,
        Expr::Return(inner) => &inner.attrs,
        _ => &[],
    }
}
