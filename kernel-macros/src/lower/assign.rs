//! Places: elements of slices and shared arrays, and assignments to them.

use cumbia_kernel_ir::ir::{BinaryOp, ExprId, ExprKind};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprAssign, ExprBinary, ExprIndex};

use super::{Lowerer, Value};
use crate::position::{ours, standing_for};
use crate::rules;
use crate::signature::ParamKind;

/// What can stand on the left of an assignment.
enum Place {
    /// A variable.
    Variable { id: ExprId, cpu: TokenStream },
    /// An element; the tokens give its place.
    Element { id: ExprId, cpu: TokenStream },
}

impl Lowerer<'_> {
    /// `x[i]` as a value.
    pub(super) fn element(&mut self, index: &ExprIndex) -> Value {
        let Value { id, cpu } = self.element_place(index);
        Value { id, cpu: standing_for(index.span(), quote_spanned!(ours(index.span())=> #cpu.get())) }
    }

    /// `x[i]` as a place.
    pub(super) fn element_place(&mut self, index: &ExprIndex) -> Value {
        let Value { id: base, cpu: base_cpu } = match &*index.expr {
            Expr::Index(inner) => self.element_place(inner),
            base => self.expr(base),
        };
        let Value { id: position, cpu: position_cpu } = self.expr(&index.index);
        let at = self.at(index.span());
        let cx = &self.cx;
        let cpu = quote_spanned!(ours(index.span())=> #base_cpu.at(#cx, #position_cpu, #at));
        self.value(ExprKind::Index { base, index: position }, index.span(), cpu)
    }

    /// `place = value`
    pub(super) fn assign(&mut self, assign: &ExprAssign) -> Value {
        let ExprAssign { left, right, .. } = assign;
        // Rust evaluates the value first. The IR lists the place after it for the same reason.
        let value = self.expr(right);
        let Some(place) = self.place(left) else {
            return self.nothing(assign);
        };
        let value_cpu = value.cpu;
        let (place, cpu) = match place {
            Place::Variable { id, cpu } => (id, quote!(#cpu = #value_cpu)),
            Place::Element { id, cpu } => {
                let new = Ident::new("value", ours(right.span()));
                (id, quote_spanned!(ours(left.span())=> { let #new = #value_cpu; #cpu.set(#new); }))
            }
        };
        self.value(ExprKind::Assign { place, value: value.id }, assign.span(), cpu)
    }

    /// `place += value`
    pub(super) fn assign_op(&mut self, binary: &ExprBinary, op: BinaryOp) -> Value {
        let ExprBinary { left, op: token, right, .. } = binary;
        let value = self.expr(right);
        let Some(place) = self.place(left) else {
            return self.nothing(binary);
        };
        let value_cpu = value.cpu;
        let (place, cpu) = match place {
            Place::Variable { id, cpu } => {
                let operand = self.operand_of(Some(op), binary.span(), value_cpu);
                (id, quote!(#cpu #token #operand))
            }
            Place::Element { id, cpu } => {
                let span = ours(left.span());
                let [place, new] = ["place", "value"].map(|name| Ident::new(name, span));
                let operand = Ident::new("operand", ours(right.span()));
                let changed = standing_for(left.span(), quote!(#new));
                let by = self.operand_of(Some(op), binary.span(), standing_for(right.span(), quote!(#operand)));
                let cpu = quote_spanned! {span=> {
                    let #operand = #value_cpu;
                    let #place = #cpu;
                    let mut #new = #place.get();
                    #changed #token #by;
                    #place.set(#new);
                }};
                (id, cpu)
            }
        };
        self.value(ExprKind::AssignOp { op, place, value: value.id }, binary.span(), cpu)
    }

    /// The left side of an assignment.
    fn place(&mut self, left: &Expr) -> Option<Place> {
        match left {
            Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.lookup(name).is_some()) => {
                let Value { id, cpu } = self.expr(left);
                Some(Place::Variable { id, cpu })
            }
            Expr::Index(index) => {
                self.refuse_read_only(index);
                let Value { id, cpu } = self.element_place(index);
                Some(Place::Element { id, cpu })
            }
            Expr::Paren(inner) => self.place(&inner.expr),
            Expr::Group(inner) => self.place(&inner.expr),
            _ => {
                self.errors.refuse(left, &rules::ASSIGN_PLACE);
                None
            }
        }
    }

    /// Refuses an element of a `&[_]` parameter, at the parameter's name. Where the slice has come another way, the trait
    /// bound on its place does.
    pub(super) fn refuse_read_only(&mut self, index: &ExprIndex) {
        let Expr::Path(path) = &*index.expr else {
            return;
        };
        let Some(local) = path.path.get_ident().and_then(|name| self.lookup(name)) else {
            return;
        };
        // The parameters are the first locals.
        if let Some(param) = self.signature.params.get(local.index())
            && matches!(param.kind, ParamKind::Slice(_))
        {
            self.errors.refuse_named(index, &rules::ASSIGN_TO_SLICE, &param.text());
        }
    }
}
