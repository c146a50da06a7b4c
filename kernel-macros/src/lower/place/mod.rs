//! Place expressions: variables, fields, elements, and dereferenced references.
//!
//! In the IR a place is an expression. On the CPU it is either a Rust place (`v`, `v.position[2]`), or it is behind a
//! handle of `kernel-lang`, from which each projection derives another handle:
//!
//! ```text
//! x[i].position[2]   x.at(cx, i, AT).project(|p| unsafe { FieldOf::new(&raw mut (*p).position) }).at(cx, 2, AT)
//! ```

pub(in crate::lower) mod assign;
pub(in crate::lower) mod borrow;
pub(in crate::lower) mod effects;
pub(in crate::lower) mod operator;

use cumbia_kernel_ir::{ExprId, ExprKind};
use proc_macro2::{Delimiter, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, ExprField, ExprIndex, ExprUnary, Member, Type, UnOp};

use crate::extent::Extent;
use crate::lower::{Category, Lowerer, Value, foreign, grouped, peeled};
use crate::position::{self, ours, standing_for};
use crate::rules;
use crate::signature::ParamKind;

/// The kind of access to a place.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::lower) enum PlaceContext {
    Read,
    /// A shared borrow, which may outlive the statement.
    Shared,
    Write,
    /// The receiver of a method, which rustc borrows as the method requires.
    Receiver,
}

/// A lowered place, or a temporary.
pub(in crate::lower) struct Place {
    pub(in crate::lower) id: ExprId,
    pub(in crate::lower) cpu: TokenStream,
    pub(in crate::lower) form: Form,
    /// The category of the value in the place.
    pub(in crate::lower) category: Category,
}

/// The meaning of the tokens for the CPU.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::lower) enum Form {
    /// A Rust place.
    Variable,
    /// A value expression, whose temporary lives to the end of the statement.
    Computed,
    /// A handle of the place.
    Handle,
}

impl Place {
    /// Returns whether the tokens are a handle: that of the place, or a reference stored in it.
    pub(in crate::lower) fn is_behind_handle(&self) -> bool {
        self.form == Form::Handle || matches!(self.category, Category::Reference { .. })
    }

    /// Reads the place: the conversion of a place expression to its value.
    pub(in crate::lower) fn read(self, extent: Extent) -> Value {
        let Place { id, cpu, form, category } = self;
        match form {
            Form::Variable | Form::Computed => Value { id, cpu, category },
            Form::Handle => {
                let cpu = extent.field(quote_spanned!(extent.hidden()=> #cpu.read_value()));
                // Memory holds values only, never handles; an array of arguments is not in memory.
                let category = if category == Category::Argument { category } else { Category::Owned };
                Value { id, cpu, category }
            }
        }
    }
}

impl Lowerer<'_> {
    /// Lowers a place expression. Any other expression is a temporary.
    pub(in crate::lower) fn place(&mut self, expr: &Expr, context: PlaceContext) -> Place {
        match expr {
            Expr::Path(path) if let Some(local) = self.variable(expr) => {
                if let Some(name) = path.path.get_ident() {
                    self.note_globs(name, local);
                }
                let category = self.known[local.index()].category.clone();
                let id = self.push(ExprKind::Local(local), path.span());
                Place { id, cpu: path.to_token_stream(), form: Form::Variable, category }
            }
            Expr::Field(field) => self.field(field, context),
            Expr::Index(index) => self.element(index, context, index.span()),
            Expr::Unary(unary @ ExprUnary { op: UnOp::Deref(_), .. }) => self.target(unary, context),
            Expr::Paren(inner) => {
                let place = match peeled(&inner.expr) {
                    Expr::Index(index) => self.element(index, context, inner.span()),
                    _ => self.place(&inner.expr, context),
                };
                Place { cpu: standing_for(inner.span(), place.cpu), ..place }
            }
            Expr::Group(inner) => {
                let place = self.place(&inner.expr, context);
                Place { cpu: standing_for(inner.span(), place.cpu), ..place }
            }
            constant if context == PlaceContext::Shared && self.is_promoted(constant) => self.promoted(constant),
            computed => {
                let Value { id, cpu, category } = self.expr(computed);
                Place { id, cpu, form: Form::Computed, category }
            }
        }
    }

    /// Lowers an operand of an operator or a message, where Rust dereferences references implicitly.
    pub(in crate::lower) fn operand(&mut self, expr: &Expr) -> Value {
        if let Expr::Reference(reference) = peeled(expr) {
            return self.operand(&reference.expr);
        }
        let value = self.expr(expr);
        self.dereferenced(value, Extent::of(expr))
    }

    /// Returns the referent of a reference, and any other value unchanged.
    pub(in crate::lower) fn dereferenced(&mut self, value: Value, extent: Extent) -> Value {
        let Category::Reference { mutable: _ } = value.category else { return value };
        let id = self.push(ExprKind::Deref(value.id), extent.start());
        Place { id, cpu: value.cpu, form: Form::Handle, category: Category::Owned }.read(extent)
    }

    /// `v.x`, `t.0`
    fn field(&mut self, field: &ExprField, context: PlaceContext) -> Place {
        if self.variable(peeled(&field.base)).is_none()
            && let Expr::Path(path) = &*field.base
            && let Some(help) = foreign::geometry(path, &field.member)
        {
            self.errors.explain(field, &help);
            let Value { id, cpu, category } = self.placeholder(field);
            return Place { id, cpu, form: Form::Computed, category };
        }
        let base = self.place(&field.base, context);
        let member = &field.member;
        let name = match member {
            Member::Named(name) => name.unraw().to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        if base.category == Category::Slice {
            let Value { id, cpu, category } = self.reject_named(member, &rules::FIELD_OF_A_SLICE, &name);
            return Place { id, cpu, form: Form::Computed, category };
        }
        let (cpu, form, category) = if base.is_behind_handle() {
            let (span, base) = (ours(member.span()), &base.cpu);
            let place = Ident::new("__place", span);
            // The `unsafe` block contains no user code except the field's name.
            let cpu = quote_spanned! {span=>
                #base.project(|#place| unsafe { ::cumbia::__private::FieldOf::new(&raw mut (*#place).#member) })
            };
            (cpu, Form::Handle, Category::Owned)
        } else {
            let (cpu, dot) = (&base.cpu, &field.dot_token);
            (quote!(#cpu #dot #member), base.form, base.category.part(member))
        };
        let id = self.push(ExprKind::Field { base: base.id, name }, field.span());
        Place { id, cpu, form, category }
    }

    /// `x[i]`. Its faults are reported at `span`: that of the expression, or of the parentheses around it.
    pub(in crate::lower) fn element(&mut self, index: &ExprIndex, context: PlaceContext, span: Span) -> Place {
        if let Expr::Range(range) = peeled(&index.index) {
            return self.part(index, range, context);
        }
        self.reject_index(index);
        let base = self.place(&index.expr, context);
        let Value { id: position, cpu: position_cpu, category: _ } = self.expr(&index.index);
        let base_cpu = &base.cpu;
        let is_value = matches!(base.category, Category::Owned | Category::Tuple(_));
        let (cpu, form) = if base.form != Form::Handle && is_value {
            // An array in a variable is indexed by plain Rust, and so is what cannot be indexed.
            let brackets = grouped(Delimiter::Bracket, index.bracket_token.span.join(), position_cpu);
            let base_cpu = if position::is_ours(index.expr.span()) {
                standing_for(self.shown(index.expr.span()), base_cpu.clone())
            } else {
                base_cpu.clone()
            };
            (quote!(#base_cpu #brackets), base.form)
        } else {
            let at = self.at(span);
            let cx = &self.cx;
            let method = match context {
                PlaceContext::Read | PlaceContext::Shared | PlaceContext::Receiver => Ident::new("at", ours(span)),
                PlaceContext::Write => Ident::new("at_mut", ours(span)),
            };
            let arguments = quote_spanned!(ours(span)=> #cx, #position_cpu, #at);
            let arguments = Extent::of_tokens(index).closing(arguments);
            (quote_spanned!(ours(span)=> #base_cpu.#method #arguments), Form::Handle)
        };
        let id = self.push(ExprKind::Index { base: base.id, index: position }, span);
        let category = if base.category == Category::Argument { Category::Argument } else { Category::Owned };
        Place { id, cpu, form, category }
    }

    /// `*r`
    fn target(&mut self, unary: &ExprUnary, context: PlaceContext) -> Place {
        if let Expr::Reference(reference) = peeled(&unary.expr) {
            return self.place(&reference.expr, context);
        }
        if self.argument_type(&unary.expr).is_some() {
            let Value { id, cpu, category } = self.reject(unary, &rules::ARGUMENT_DEREF);
            return Place { id, cpu, form: Form::Computed, category };
        }
        let Value { id, cpu, category } = self.expr(&unary.expr);
        match category {
            Category::Reference { mutable: _ } => {
                let id = self.push(ExprKind::Deref(id), unary.span());
                Place { id, cpu, form: Form::Handle, category: Category::Owned }
            }
            // `&*x` and `(*x)[i]` are `x` and `x[i]`.
            Category::Slice => Place { id, cpu, form: Form::Variable, category: Category::Slice },
            Category::Unknown | Category::Owned | Category::Tuple(_) | Category::Argument | Category::Never => {
                let star = &unary.op;
                let id = self.push(ExprKind::Deref(id), unary.span());
                Place { id, cpu: quote!(#star #cpu), form: Form::Variable, category: Category::Unknown }
            }
        }
    }

    /// Rejects indices that are certainly invalid, for which rustc's error would mention types of `kernel-lang`.
    fn reject_index(&mut self, index: &ExprIndex) {
        if let Expr::Cast(cast) = peeled(&index.index)
            && let Type::Path(ty) = &*cast.ty
            && let Some(name) = ty.path.get_ident()
            && is_other_integer(name)
        {
            self.errors.reject_named(&index.index, &rules::INDEX_TYPE, name);
        }
        if let Expr::Index(outer) = peeled(&index.expr)
            && let Some(local) = self.variable(peeled(&outer.expr))
            && let Some(param) = self.signature.params.get(local.index())
            && let ParamKind::Slice(element) | ParamKind::SliceMut(element) = &param.kind
            && is_number(element)
            && !matches!(peeled(&outer.index), Expr::Range(_))
        {
            self.errors.reject_named(index, &rules::SECOND_INDEX, &param.text());
        }
    }

    /// Rejects a write through a read-only parameter, naming the parameter. For any other slice the trait bound on the
    /// handle does.
    pub(in crate::lower) fn reject_read_only(&mut self, place: &Expr) {
        let root = root(place);
        if !std::ptr::eq(root, peeled(place))
            && let Some(method) = self.part_of_a_view(root)
        {
            let method = method.clone();
            self.errors.reject_named(place, &rules::ASSIGN_TO_PART, &method);
            return;
        }
        let Some(local) = self.variable(root) else { return };
        // The parameters are the first locals. A parameter itself may be assigned to like any other variable.
        let Some(param) = self.signature.params.get(local.index()) else { return };
        let rule = match &param.kind {
            ParamKind::Slice(_) => &rules::ASSIGN_TO_SLICE,
            ParamKind::Ref(_) => &rules::ASSIGN_TO_REFERENCE,
            ParamKind::ArgumentRef(_) => &rules::ASSIGN_TO_ARGUMENT,
            ParamKind::View { mutable: false, .. } => &rules::ASSIGN_TO_VIEW,
            ParamKind::Value(_)
            | ParamKind::SliceMut(_)
            | ParamKind::RefMut(_)
            | ParamKind::View { mutable: true, .. }
            | ParamKind::Argument(_)
            | ParamKind::Tuple(..)
            | ParamKind::Array(..)
            | ParamKind::Rejected => return,
        };
        if !std::ptr::eq(root, peeled(place)) {
            self.errors.reject_named(place, rule, &param.shown());
        }
    }

    /// Returns the name of the method, if the expression is a read-only part of a view: `a.row(i)`, or a variable that
    /// was declared with it. Without types, only parameters and their parts are known to be views.
    pub(in crate::lower) fn part_of_a_view<'a>(&'a self, expr: &'a Expr) -> Option<&'a Ident> {
        let expr = peeled(expr);
        if let Some(local) = self.variable(expr) {
            return self.known[local.index()].part.as_ref();
        }
        let Expr::MethodCall(call) = expr else { return None };
        let is_part =
            ["row", "column", "plane", "volume"].iter().any(|name| call.method == name) && call.args.len() == 1;
        (is_part && self.is_a_view(&call.receiver)).then_some(&call.method)
    }

    /// Returns whether an expression is a view that is a parameter, or a part of one.
    fn is_a_view(&self, expr: &Expr) -> bool {
        if let Some(local) = self.variable(peeled(expr)) {
            let param = self.signature.params.get(local.index());
            return param.is_some_and(|param| matches!(param.kind, ParamKind::View { .. }))
                || self.known[local.index()].part.is_some();
        }
        let Expr::MethodCall(call) = peeled(expr) else { return false };
        let returns_a_view =
            ["row_mut", "column_mut", "plane_mut", "volume_mut", "t"].iter().any(|name| call.method == name);
        (returns_a_view && self.is_a_view(&call.receiver)) || self.part_of_a_view(expr).is_some()
    }
}

/// Returns the root of a place expression, without its projections.
pub(in crate::lower) fn root(place: &Expr) -> &Expr {
    match place {
        Expr::Index(index) => root(&index.expr),
        Expr::Field(field) => root(&field.base),
        Expr::Unary(ExprUnary { op: UnOp::Deref(_), expr, .. }) => root(expr),
        Expr::Paren(inner) => root(&inner.expr),
        Expr::Group(inner) => root(&inner.expr),
        expr => expr,
    }
}

/// Returns whether this is the name of an integer type other than `usize`.
fn is_other_integer(name: &Ident) -> bool {
    const NAMES: [&str; 9] = ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64"];
    NAMES.contains(&name.to_string().as_str())
}

/// Returns whether a type that is written out is a number or `bool`.
fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.get_ident().is_some_and(|name| crate::identity::is_primitive(&name.to_string())))
}
