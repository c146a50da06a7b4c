//! Assignments and compound assignments.

use cumbia_kernel_ir::{BinaryOp, Block, ExprKind};
use proc_macro2::{Delimiter, Ident, Span};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprAssign, ExprBinary, Type};

use crate::extent::Extent;
use crate::identity::is_primitive;
use crate::lower::place::effects;
use crate::lower::place::operator::{applied, assign_marker, resolved};
use crate::lower::place::{Form, Place, PlaceContext, root};
use crate::lower::{Category, Lowerer, Value, grouped, peeled, slot_name, sugar, tapped};
use crate::position::{ours, standing_for};
use crate::rules;
use crate::signature::ParamKind;

impl Lowerer<'_> {
    /// `place = value`, `(a, b) = value`, `_ = value`
    pub(in crate::lower) fn assign(&mut self, assign: &ExprAssign) -> Value {
        let ExprAssign { left, eq_token, right, .. } = assign;
        if let Expr::Infer(underscore) = peeled(left) {
            let Value { id, cpu, category: _ } = self.expr(right);
            let dropped = cumbia_kernel_ir::Block { stmts: vec![cumbia_kernel_ir::Stmt::Expr(id)], tail: None };
            return self.value(ExprKind::Block(dropped), assign.span(), quote!(#underscore #eq_token #cpu));
        }
        if let Some(desugared) = sugar::destructuring(assign) {
            return self.expr(&desugared);
        }
        // Rust evaluates the value first. The IR lists the place after it for the same reason.
        let declared = self.variable(peeled(left)).and_then(|local| self.known[local.index()].ty.clone());
        let value = if let Some(ty) = declared {
            let mut right = (**right).clone();
            sugar::coerced_branches(&mut right, &Type::Reference(ty.clone()));
            let mut value = self.expr(&right);
            self.coerced(&ty, &mut value, right.span())
        } else {
            let mut value = self.expr(right);
            match value.category {
                Category::Reference { mutable } if self.is_slice(left) => {
                    self.coerced(&sugar::slice_type(mutable), &mut value, right.span())
                }
                _ => value,
            }
        };
        let Some(place) = self.assigned(left) else {
            return self.unassignable(left, assign.span(), matches!(peeled(left), Expr::Path(_)), &value);
        };
        let (left_cpu, value_cpu) = (place.cpu, value.cpu);
        let cpu = match (place.form, self.deferred(left)) {
            (Form::Handle, _) => {
                let new = Ident::new("__value", ours(right.span()));
                let stored = Extent::of(right);
                let value = stored.field(stored.opening(&new));
                let set = quote_spanned! {ours(left.span())=>
                    let mut #new = (#value_cpu,);
                    #left_cpu.set_to(|| #value);
                };
                grouped(Delimiter::Brace, ours(left.span()), set)
            }
            (Form::Variable | Form::Computed, Some(local)) => {
                self.known[local].category = value.category.clone().unless_unknown(&self.known[local].category);
                let slot = self.locals[local].slot;
                let learned = tapped(slot, right.span(), &value_cpu, Extent::of(right));
                quote!(#left_cpu #eq_token #learned)
            }
            (Form::Variable | Form::Computed, None) => quote!(#left_cpu #eq_token #value_cpu),
        };
        self.value(ExprKind::Assign { place: place.id, value: value.id }, assign.span(), cpu)
    }

    /// Returns whether the left side is a variable that holds a slice.
    fn is_slice(&self, left: &Expr) -> bool {
        self.variable(peeled(left)).is_some_and(|local| self.known[local.index()].category == Category::Slice)
    }

    /// Returns the index of the variable, if it was declared without an initializer.
    fn deferred(&self, left: &Expr) -> Option<usize> {
        let local = self.variable(peeled(left))?.index();
        self.known[local].deferred.then_some(local)
    }

    /// `place += value`
    ///
    /// Rust evaluates the value first for primitive operands, and the place first for overloaded operators, which
    /// includes generic code (the Rust reference, "Compound assignment expressions"). If the order is observable,
    /// [`Lowerer::ordered`] makes it explicit; otherwise the value comes first.
    pub(in crate::lower) fn assign_op(&mut self, binary: &ExprBinary, op: BinaryOp) -> Value {
        let ExprBinary { left, right, .. } = binary;
        // In a variable, rustc orders the bounds check of an element and the value.
        let observable = effects::order_is_observable(left, right)
            || effects::faults_before(left, right) && !self.is_in_variable(left);
        if observable && let Some(value) = self.ordered(binary, op) {
            return value;
        }
        self.assign_value_first(binary, op)
    }

    /// Returns whether a place is part of a variable, not of memory.
    fn is_in_variable(&self, place: &Expr) -> bool {
        let variable = self.variable(root(place));
        variable.is_some_and(|local| matches!(self.known[local.index()].category, Category::Owned | Category::Tuple(_)))
    }

    /// `place += value`, where the value is evaluated first, or rustc decides the order.
    fn assign_value_first(&mut self, binary: &ExprBinary, op: BinaryOp) -> Value {
        let ExprBinary { left, op: token, right, .. } = binary;
        let value = self.operand(right);
        let Some(place) = self.assigned(left) else {
            return self.unassignable(left, binary.span(), false, &value);
        };
        if matches!(place.category, Category::Reference { .. }) {
            return self.reject(left, &rules::CHANGED_REFERENCE);
        }
        let operator = self.slot();
        let (slot, marker) = (slot_name(operator, token.span()), assign_marker(op));
        let target = quote_spanned!(ours(token.span())=> #slot.target);
        let (shown, span) = (self.shown(left.span()), ours(left.span()));
        let [reference, new] = ["__place", "__value"].map(|name| Ident::new(name, span));
        let operand = Ident::new("__operand", ours(right.span()));
        let (left_cpu, value_cpu) = (&place.cpu, value.cpu);
        let statements = match place.form {
            Form::Handle => {
                let changed = standing_for(shown, quote!(*#new));
                let by = self.assigned_operand(op, operator, binary, quote!(#operand));
                let assign = quote_spanned!(span=> |#new, #operand| #changed #token #by);
                let assignment = quote_spanned!(slot.span()=> #slot.assignment(#reference, #operand, #assign));
                let change = resolved(&assignment, &marker, slot.span(), Extent::of_tokens(binary));
                quote_spanned! {span=>
                    let #operand = #value_cpu;
                    let #reference = #left_cpu;
                    #change;
                }
            }
            Form::Variable | Form::Computed => {
                let changed = standing_for(shown, left_cpu.clone());
                let by = self.assigned_operand(op, operator, binary, value_cpu);
                let change = applied(&slot, &marker, &quote!(#changed #token #by), Extent::of_tokens(binary), None);
                // The type is inferred from another element of the array, so that the index is evaluated exactly once,
                // in rustc's order.
                let alike = sugar::first_elements(left);
                quote_spanned!(span=> if false { #target(&#alike); } #change;)
            }
        };
        let cpu = grouped(Delimiter::Brace, span, statements);
        self.value(ExprKind::AssignOp { op, place: place.id, value: value.id, operator }, binary.span(), cpu)
    }

    /// `place += value` with an observable evaluation order: `if place_first { .. } else { .. }` with a constant
    /// condition.
    fn ordered(&mut self, binary: &ExprBinary, op: BinaryOp) -> Option<Value> {
        let place_first =
            if self.is_in_variable(&binary.left) { sugar::indices_first(binary)? } else { sugar::place_first(binary)? };
        let span = binary.span();
        match self.order_of(binary) {
            Some(Order::PlaceFirst) => return Some(self.expr(&place_first)),
            Some(Order::ValueFirst) => return None,
            None => {}
        }
        // A place of the same type, from which the slot infers its type; it is not part of the IR.
        let before = self.exprs.len();
        let alike: Expr = syn::parse2(sugar::first_elements(&binary.left)).ok()?;
        let alike = self.place(&alike, PlaceContext::Read).read(Extent::at(span)).cpu;
        self.exprs.truncate(before);
        let slot = self.slot();
        let (name, mixed) = (slot_name(slot, span), ours(span));
        let condition = self.push(ExprKind::Constant(slot), span);
        let mistakes = self.errors.count();
        let then = self.expr(&place_first);
        if self.errors.count() > mistakes {
            return Some(then); // avoids reporting the same errors twice
        }
        let otherwise = self.assign_value_first(binary, op);
        let (then_cpu, otherwise_cpu) = (&then.cpu, &otherwise.cpu);
        let cpu = quote_spanned! {mixed=>
            {
                if false { #name.place(&#alike); }
                if #name.place_first(#name.order()) #then_cpu else #otherwise_cpu
            }
        };
        let then = Block { stmts: Vec::new(), tail: Some(then.id) };
        let kind = ExprKind::If { condition, then, otherwise: Some(otherwise.id) };
        Some(self.value(kind, span, cpu))
    }

    /// Returns the evaluation order, if it follows from the tokens.
    fn order_of(&self, binary: &ExprBinary) -> Option<Order> {
        // An operator with a borrowed operand is overloaded.
        if let Expr::Reference(_) = peeled(&binary.right) {
            return Some(Order::PlaceFirst);
        }
        let Expr::Index(element) = peeled(&binary.left) else { return None };
        let param = self.signature.params.get(self.variable(peeled(&element.expr))?.index())?;
        let ty = match &param.kind {
            ParamKind::SliceMut(element) | ParamKind::View { element, dimensions: _, mutable: true } => element,
            ParamKind::Value(_)
            | ParamKind::Slice(_)
            | ParamKind::Ref(_)
            | ParamKind::RefMut(_)
            | ParamKind::View { .. }
            | ParamKind::Argument(_)
            | ParamKind::ArgumentRef(_)
            | ParamKind::Tuple(..)
            | ParamKind::Array(..)
            | ParamKind::Rejected => return None,
        };
        let Type::Path(path) = ty else { return None };
        let name = path.path.get_ident()?;
        if self.signature.types.contains(name) {
            Some(Order::PlaceFirst)
        } else {
            is_primitive(&name.to_string()).then_some(Order::ValueFirst)
        }
    }

    /// The left side of an assignment; `None` if it is no place, which is reported unless it is a path that is not a variable.
    fn assigned(&mut self, left: &Expr) -> Option<Place> {
        self.reject_read_only(left);
        let place = self.place(left, PlaceContext::Write);
        if place.form == Form::Computed {
            if place.category != Category::Never && !matches!(root(left), Expr::Path(_)) {
                self.errors.reject(left, &rules::ASSIGN_PLACE);
            }
            return None;
        }
        Some(place)
    }

    /// Returns what stands for an assignment whose left side is no place. A path that is not a variable is assigned, so that rustc
    /// says what is wrong with it: that it does not know the name, or that it is a constant.
    ///
    /// `may_declare` is whether a missing `let` is a likely cause.
    fn unassignable(&mut self, left: &Expr, span: Span, may_declare: bool, value: &Value) -> Value {
        let Expr::Path(path) = root(left) else { return self.placeholder(&left) };
        let (id, value) = (self.unit(span), &value.cpu);
        // rustc suggests `let`, unless the target is in parentheses.
        let target = if may_declare { quote!(#path) } else { quote!((#path)) };
        let cpu = quote_spanned!(ours(span)=> let _ = #value; #target = loop {};);
        Value { id, cpu: grouped(Delimiter::Brace, ours(span), cpu), category: Category::Never }
    }
}

/// The side of a compound assignment that is evaluated first.
enum Order {
    PlaceFirst,
    ValueFirst,
}
