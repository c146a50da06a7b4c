//! `for` loops over ranges and over the elements of slices and arrays.

use cumbia_kernel_ir::{Adapter, Block, ExprId, ExprKind, LocalId, Range, Sequence, Stmt as IrStmt};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, ExprMethodCall, ExprRange, Pat, PatIdent, RangeLimits, Stmt};

use crate::extent::Extent;
use crate::lower::call::hidden_name;
use crate::lower::control::zipped::is_zipped;
use crate::lower::pattern::binding_modes;
use crate::lower::pattern::{Binder, Bound};
use crate::lower::place::{Form, PlaceContext, root};
use crate::lower::{Body, Category, Lowerer, Value, in_braces, peeled};
use crate::position::{self, ours, standing_for};
use crate::rules;
use crate::signature::ParamKind;

/// The range of a counted loop, with its adapters.
struct Counted {
    ir: Range,
    cpu: TokenStream,
}

/// An iteration over the elements of a slice or an array.
struct Elements {
    of: ExprId,
    /// The slice or the array itself, if `of` borrows it.
    value: ExprId,
    /// The tokens of the slice or the array.
    base: TokenStream,
    by: By,
    /// `.enumerate()`
    enumerated: bool,
    /// An odd number of `.rev()` calls.
    reversed: bool,
    /// The adapters, except `.copied()`.
    adapters: TokenStream,
    /// `.cloned()`, which is only accepted for types whose clone is a copy.
    cloned: bool,
    /// Tokens that compile only if `.iter()` is the inherent method of the array.
    check: TokenStream,
    /// The span of `.iter()`, or otherwise of the slice or the array.
    span: Span,
    /// The extent of the expression that is iterated over by value.
    extent: Extent,
}

/// How a loop binds an element.
#[derive(Clone, Copy, PartialEq)]
enum By {
    /// `for v in x.iter()`
    Reference { mutable: bool },
    /// `for v in x.iter().copied()`, `for &v in x`
    Copy,
    /// `for v in [a, b]`
    Value,
    /// `for x in xs`, of an array of slices, or an array in an argument of several parts
    Argument,
}

impl Lowerer<'_> {
    /// `for i in a..b { .. }`, `for v in x.iter() { .. }`
    pub(in crate::lower) fn for_expr(&mut self, expr: &ExprForLoop) -> Value {
        if is_zipped(&expr.expr) {
            return match self.zipped(expr) {
                Some(desugared) => self.expr(&desugared),
                None => self.placeholder(expr),
            };
        }
        let unroll = self.unroll(&expr.attrs);
        let looped = if counts(&expr.expr) {
            self.range(&expr.expr).map(|range| self.counted(expr, range))
        } else {
            self.elements(&expr.expr).map(|elements| self.iterated(expr, &elements))
        };
        let Some(Looped { id, sequence, body, pattern, iterator }) = looped else {
            return self.placeholder(expr);
        };
        let (label, for_token, in_token, body_cpu) = (&expr.label, &expr.for_token, &expr.in_token, &body.cpu);
        let cpu = quote!(#label #for_token #pattern #in_token #iterator #body_cpu);
        self.value(ExprKind::For { id, sequence, body: body.ir, unroll }, expr.span(), cpu)
    }

    fn counted(&mut self, expr: &ExprForLoop, range: Counted) -> Looped {
        let (id, _, (local, Bound { ir: _, cpu: pattern, .. }, body)) =
            self.opened(expr.label.as_ref(), false, |lowerer, _| {
                lowerer.scoped(|lowerer| {
                    let mut binder = Binder::irrefutable(None);
                    let (local, bound) = lowerer.single(&expr.pat, &Category::Owned, &mut binder);
                    (local, bound, lowerer.iteration(expr, &[binder.learn], Vec::new()))
                })
            });
        Looped { id, sequence: Sequence::Range { local, range: range.ir }, body, pattern, iterator: range.cpu }
    }

    fn iterated(&mut self, expr: &ExprForLoop, elements: &Elements) -> Looped {
        let (index_pattern, element_pattern) = if elements.enumerated {
            match self.pair(&expr.pat) {
                Some((index, element)) => (Some(index), element),
                None => (None, &*expr.pat),
            }
        } else {
            (None, &*expr.pat)
        };
        let (element_pattern, by) = match (element_pattern, elements.by) {
            (Pat::Reference(reference), By::Reference { .. }) => (&*reference.pat, By::Copy),
            (pattern, by) => (pattern, by),
        };
        let of_reference;
        let (mut expr, mut element_pattern, mut by, mut of) = (expr, element_pattern, by, elements.of);
        let element = Ident::new("__element", ours(element_pattern.span()));
        let hidden: Pat = binding_modes::variable(&element);
        if let Some((statements, by_copy)) = self.parts_of_references(expr, element_pattern, by, &element) {
            let mut desugared = expr.clone();
            desugared.body.stmts.splice(..0, statements);
            of_reference = desugared;
            (expr, element_pattern) = (&of_reference, &hidden);
            if by_copy {
                // The array itself, in place of the borrow.
                if elements.value != of {
                    self.exprs[of.index()].kind = ExprKind::Tuple(Vec::new());
                }
                (by, of) = (By::Copy, elements.value);
            }
        }
        let category = match by {
            By::Reference { mutable } => Category::Reference { mutable },
            By::Argument => Category::Argument,
            By::Copy | By::Value => Category::Owned,
        };
        let iterator = elements.iterator(by);
        let (id, _, (index, element, pattern, body)) = self.opened(expr.label.as_ref(), false, |lowerer, _| {
            lowerer.scoped(|lowerer| {
                let mut binder = Binder::irrefutable(None);
                let index = index_pattern.map(|pattern| lowerer.single(pattern, &Category::Owned, &mut binder));
                let mut first = Vec::new();
                let (element, bound, destructuring) =
                    lowerer.element_variable(element_pattern, &category, &mut binder, &mut first);
                let (index, pattern) = match index {
                    Some((index, Bound { ir: _, cpu, .. })) => {
                        let element = bound.cpu;
                        (index, quote!((#cpu, #element)))
                    }
                    None => (None, bound.cpu),
                };
                (index, element, pattern, lowerer.iteration(expr, &[binder.learn, destructuring], first))
            })
        });
        let reversed = elements.reversed;
        Looped { id, sequence: Sequence::Elements { of, index, element, reversed }, body, pattern, iterator }
    }

    /// Returns the statements that bind references to the parts of each element, for a loop whose pattern destructures a
    /// reference, and whether the loop binds a copy of the element instead. That suffices for a shared reference, and there
    /// are no references to tuples.
    fn parts_of_references(
        &self,
        expr: &ExprForLoop,
        pattern: &Pat,
        by: By,
        element: &Ident,
    ) -> Option<(Vec<Stmt>, bool)> {
        let By::Reference { mutable } = by else { return None };
        match pattern {
            Pat::Wild(_) | Pat::Ident(PatIdent { by_ref: None, subpat: None, .. }) | Pat::Paren(_) => None,
            Pat::Tuple(_) if mutable || self.is_of_slice(&expr.expr) => None,
            Pat::Tuple(_) => Some((binding_modes::statements(pattern, element, false, &quote!(#element))?, true)),
            _ => Some((binding_modes::statements(pattern, element, mutable, &quote!((*#element)))?, false)),
        }
    }

    /// Returns whether a loop iterates over a variable that is a slice, whose elements are not tuples.
    fn is_of_slice(&self, sequence: &Expr) -> bool {
        match peeled(sequence) {
            Expr::MethodCall(call) if is_iteration(call) => self.is_of_slice(&call.receiver),
            Expr::Reference(reference) => self.is_of_slice(&reference.expr),
            place => {
                let variable = self.variable(root(place));
                variable.is_some_and(|local| self.known[local.index()].category == Category::Slice)
            }
        }
    }

    /// Lowers the body of a loop, preceded by the tokens and the statements that begin each iteration.
    fn iteration(&mut self, expr: &ExprForLoop, before: &[TokenStream], first: Vec<IrStmt>) -> Body {
        let Body { ir: Block { stmts, tail }, cpu, category } = self.block(&expr.body);
        let stmts = first.into_iter().chain(stmts).collect();
        Body { ir: Block { stmts, tail }, cpu: in_braces(&expr.body, quote!(#(#before)* #cpu)), category }
    }

    /// Lowers the variable of a counted loop: an identifier or `_`.
    fn single(&mut self, pattern: &Pat, category: &Category, binder: &mut Binder) -> (Option<LocalId>, Bound) {
        match pattern {
            Pat::Wild(_) | Pat::Ident(PatIdent { by_ref: None, subpat: None, .. }) => {
                let bound = self.pattern(pattern, category, binder);
                let local = match &bound.ir {
                    cumbia_kernel_ir::Pattern::Local(local) => Some(*local),
                    _ => None,
                };
                (local, bound)
            }
            Pat::Paren(inner) => self.single(&inner.pat, category, binder),
            pattern => {
                self.errors.reject(pattern, &rules::FOR_PATTERN);
                (None, Bound::new(cumbia_kernel_ir::Pattern::Wild, TokenStream::new()))
            }
        }
    }

    /// Lowers the variable of a loop over elements. A pattern is matched by the first statement of the body, whose
    /// tokens are the third result.
    fn element_variable(
        &mut self,
        pattern: &Pat,
        category: &Category,
        binder: &mut Binder,
        first: &mut Vec<IrStmt>,
    ) -> (Option<LocalId>, Bound, TokenStream) {
        if let Pat::Wild(_) | Pat::Ident(PatIdent { by_ref: None, subpat: None, .. }) = pattern {
            let (local, bound) = self.single(pattern, category, binder);
            return (local, bound, TokenStream::new());
        }
        if matches!(category, Category::Reference { .. }) {
            let rule = if matches!(pattern, Pat::Tuple(_)) { &rules::FOR_PAIRS } else { &rules::FOR_REFERENCES };
            self.errors.reject(pattern, rule);
        }
        let span = ours(pattern.span());
        let name = Ident::new("__element", span);
        let local = self.declare(&name, false, category.clone());
        let learn_element = self.learn("is", local, &name, pattern.span());
        let value = self.push(ExprKind::Local(local), pattern.span());
        let mut inner = Binder::irrefutable(None);
        let Bound { ir, cpu, .. } = self.pattern(pattern, category, &mut inner);
        first.push(IrStmt::Let { pattern: ir, init: Some(value), span: position::of(pattern.span()) });
        let learn = inner.learn;
        let destructuring = quote_spanned!(span=> #learn_element let #cpu = #name; #learn);
        let bound = Bound::new(cumbia_kernel_ir::Pattern::Local(local), name.to_token_stream());
        (Some(local), bound, destructuring)
    }

    /// `(index, element)`
    fn pair<'p>(&mut self, pattern: &'p Pat) -> Option<(&'p Pat, &'p Pat)> {
        match pattern {
            Pat::Tuple(tuple) if tuple.elems.len() == 2 => Some((&tuple.elems[0], &tuple.elems[1])),
            Pat::Paren(inner) => self.pair(&inner.pat),
            pattern => {
                self.errors.reject(pattern, &rules::ENUMERATE_PATTERN);
                None
            }
        }
    }

    /// `a..b`, `a..=b`, with `.rev()` and `.step_by(n)` in any order.
    fn range(&mut self, expr: &Expr) -> Option<Counted> {
        match peeled(expr) {
            Expr::Range(range) => self.plain_range(range),
            Expr::MethodCall(call) => {
                let Counted { mut ir, cpu } = self.range(&call.receiver)?;
                let (name, dot) = (&call.method, &call.dot_token);
                let cpu = standing_for(call.receiver.span(), cpu);
                if name == "rev" && call.args.is_empty() {
                    ir.adapters.push(Adapter::Reversed);
                    return Some(Counted { ir, cpu: quote!(#cpu #dot #name()) });
                }
                if name == "step_by" && call.args.len() == 1 {
                    let step = &call.args[0];
                    let Value { id, cpu: step_cpu, category: _ } = self.expr(step);
                    ir.adapters.push(Adapter::StepBy(id));
                    let (at, cx) = (self.at(step.span()), &self.cx);
                    let step = quote_spanned!(ours(step.span())=> #cx.step(#step_cpu, #at));
                    return Some(Counted { ir, cpu: quote!(#cpu #dot #name(#step)) });
                }
                self.errors.reject_named(name, &rules::RANGE_ADAPTER, name);
                None
            }
            other => {
                self.errors.reject(other, &rules::UNKNOWN_EXPRESSION);
                None
            }
        }
    }

    fn plain_range(&mut self, range: &ExprRange) -> Option<Counted> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.errors.reject(range, &rules::UNBOUNDED_RANGE);
            return None;
        };
        let spans = [start.span(), end.span()];
        let Value { id: start, cpu: start_cpu, category: _ } = self.expr(start);
        let Value { id: end, cpu: end_cpu, category: _ } = self.expr(end);
        let (start_cpu, end_cpu) = (standing_for(spans[0], start_cpu), standing_for(spans[1], end_cpu));
        let limits = &range.limits;
        let inclusive = matches!(limits, RangeLimits::Closed(_));
        Some(Counted {
            ir: Range { start, end, inclusive, adapters: Vec::new() },
            cpu: quote!(#start_cpu #limits #end_cpu),
        })
    }

    /// `x`, `&x`, `x.iter()`, with `.enumerate()`, `.rev()` and `.copied()`.
    fn elements(&mut self, expr: &Expr) -> Option<Elements> {
        match peeled(expr) {
            Expr::MethodCall(call) if is_iteration(call) => self.adapted(call),
            Expr::Reference(reference) => {
                let mutable = reference.mutability.is_some();
                Some(self.borrowed_elements(&reference.expr, mutable, reference.span()))
            }
            other => {
                // A variable can be a reference or a slice, which yield their elements by reference.
                let value = self.expr(other);
                let by = match value.category {
                    Category::Reference { mutable } => By::Reference { mutable },
                    Category::Slice => By::Reference { mutable: self.is_mutable_slice(other) },
                    Category::Argument => By::Argument,
                    Category::Owned | Category::Unknown | Category::Tuple(_) | Category::Never => By::Value,
                };
                let elements = Elements::new(value.id, value.cpu, by, other.span());
                Some(Elements { extent: Extent::of_tokens(other), ..elements })
            }
        }
    }

    /// Returns whether a variable is a `&mut [_]` parameter. Any other slice is treated as `&[_]`.
    pub(in crate::lower) fn is_mutable_slice(&self, expr: &Expr) -> bool {
        let param = self.variable(expr).and_then(|local| self.signature.params.get(local.index()));
        param.is_some_and(|param| matches!(param.kind, ParamKind::SliceMut(_) | ParamKind::View { mutable: true, .. }))
    }

    /// The elements of a borrowed slice or array.
    fn borrowed_elements(&mut self, expr: &Expr, mutable: bool, span: Span) -> Elements {
        if mutable {
            match self.part_of_a_view(expr).cloned() {
                Some(method) => self.errors.reject_named(expr, &rules::ASSIGN_TO_PART, &method),
                None => self.reject_read_only(expr),
            }
        }
        let context = if mutable { PlaceContext::Write } else { PlaceContext::Read };
        let place = self.place(expr, context);
        let of = match (place.form, &place.category) {
            (Form::Computed | Form::Variable, Category::Slice | Category::Reference { .. }) => place.id,
            (Form::Computed | Form::Variable | Form::Handle, _) => {
                self.push(ExprKind::Borrow { place: place.id, mutable }, span)
            }
        };
        Elements { value: place.id, ..Elements::new(of, place.cpu, By::Reference { mutable }, span) }
    }

    /// Returns tokens that compile only if a method of an array in a variable is not that of a user's trait: the hidden
    /// method of such a trait would make the call ambiguous. Only arrays in variables have these methods on the CPU.
    fn own_iterator(&self, receiver: &Expr, method: &Ident) -> TokenStream {
        let owned = self.variable(peeled(receiver)).is_some_and(|local| {
            matches!(self.known[local.index()].category, Category::Owned | Category::Unknown)
                && !self.known[local.index()].deferred
        });
        if !owned {
            return TokenStream::new();
        }
        let hidden = hidden_name(method);
        quote_spanned!(ours(method.span())=> let _ = || #receiver.#hidden();)
    }

    /// `x.iter()`, `x.iter().rev()`
    fn adapted(&mut self, call: &ExprMethodCall) -> Option<Elements> {
        let ExprMethodCall { receiver, dot_token, method, args, .. } = call;
        if let Some(argument) = args.first() {
            self.errors.reject_named(argument, &rules::ITERATOR_ADAPTER, method);
            return None;
        }
        let name = method.to_string();
        match name.as_str() {
            "iter" | "iter_mut" => {
                let check = self.own_iterator(receiver, method);
                let elements = self.borrowed_elements(receiver, name == "iter_mut", method.span());
                return Some(Elements { check, ..elements });
            }
            "into_iter" => {
                let check = self.own_iterator(receiver, method);
                return self.elements(receiver).map(|elements| Elements { check, ..elements });
            }
            _ => {}
        }
        let mut elements = match peeled(receiver) {
            Expr::MethodCall(inner) if is_iteration(inner) => self.adapted(inner)?,
            _ => {
                self.errors.reject_named(method, &rules::ITERATOR_ADAPTER, method);
                return None;
            }
        };
        match name.as_str() {
            "rev" => elements.reversed = !elements.reversed,
            "enumerate" if elements.reversed => {
                self.errors.reject(method, &rules::ENUMERATED_BACKWARDS);
                return None;
            }
            "enumerate" if elements.enumerated => {
                self.errors.reject_named(method, &rules::ITERATOR_ADAPTER, method);
                return None;
            }
            "enumerate" => elements.enumerated = true,
            "copied" | "cloned" if matches!(elements.by, By::Reference { .. }) && !elements.enumerated => {
                elements.by = By::Copy;
                elements.cloned = name == "cloned";
                return Some(elements);
            }
            _ => {
                self.errors.reject_named(method, &rules::ITERATOR_ADAPTER, method);
                return None;
            }
        }
        elements.adapters.extend(quote!(#dot_token #method()));
        Some(elements)
    }
}

/// A lowered `for` loop.
struct Looped {
    id: cumbia_kernel_ir::LoopId,
    sequence: Sequence,
    body: Body,
    pattern: TokenStream,
    iterator: TokenStream,
}

impl Elements {
    fn new(of: ExprId, base: TokenStream, by: By, span: Span) -> Elements {
        let (adapters, check) = (TokenStream::new(), TokenStream::new());
        let (enumerated, reversed, cloned) = (false, false, false);
        let extent = Extent::at(span);
        Elements { of, value: of, base, by, enumerated, reversed, adapters, cloned, check, span, extent }
    }

    /// Returns the iterator for the CPU.
    fn iterator(&self, by: By) -> TokenStream {
        let Elements { base, adapters, check, span, extent, .. } = self;
        let (span, end) = (*span, ours(*span));
        let elements = match by {
            By::Reference { mutable: false } => quote_spanned!(end=> #base.__elements()),
            By::Reference { mutable: true } => quote_spanned!(end=> #base.__elements_mut()),
            By::Copy => quote_spanned!(end=> #base.__values()),
            By::Value | By::Argument if adapters.is_empty() => {
                // The path has the span of the operand, at which rustc reports it as well: it reports equal errors once.
                let (array, arguments) = (Ident::new("array", extent.end()), extent.closing(base));
                quote_spanned!(extent.start()=> ::cumbia::__private::#array #arguments)
            }
            By::Value | By::Argument => {
                quote_spanned!(end=> ::core::iter::IntoIterator::into_iter(::cumbia::__private::array(#base)))
            }
        };
        let elements = if check.is_empty() { elements } else { quote!({ #check #elements }) };
        let elements = standing_for(span, elements);
        if self.cloned {
            return quote_spanned!(end=> ::cumbia::__private::cloned(#elements #adapters));
        }
        quote!(#elements #adapters)
    }
}

/// Returns whether a `for` iterates over a range.
fn counts(expr: &Expr) -> bool {
    match peeled(expr) {
        Expr::Range(_) => true,
        Expr::MethodCall(call) => counts(&call.receiver),
        _ => false,
    }
}

/// Returns whether a method creates or adapts an iterator. Any other call is the expression that is iterated over.
fn is_iteration(call: &ExprMethodCall) -> bool {
    const NAMES: [&str; 24] = [
        "iter",
        "iter_mut",
        "into_iter",
        "enumerate",
        "rev",
        "copied",
        "cloned",
        "step_by",
        "zip",
        "map",
        "filter",
        "take",
        "skip",
        "chain",
        "chunks",
        "chunks_exact",
        "chunks_mut",
        "windows",
        "take_while",
        "skip_while",
        "cycle",
        "flat_map",
        "scan",
        "inspect",
    ];
    NAMES.contains(&call.method.to_string().as_str())
}
