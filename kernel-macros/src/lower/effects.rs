//! Analysis of side effects: whether the evaluation order of two expressions is observable.

use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprAssign, ExprBinary, ExprField, ExprMethodCall, ExprPath, ExprReference};

use super::peeled;
use super::place::root;
use crate::position::Name;

/// Returns whether the evaluation order of the two sides of `place += value` is observable.
pub(super) fn order_is_observable(place: &Expr, value: &Expr) -> bool {
    may_have_effects(value) && (may_have_effects(place) || changes_names_of(value, place))
}

/// Returns whether evaluating an expression may have a side effect, or depend on when it is evaluated.
fn may_have_effects(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Path(_) | Expr::Const(_) => false,
        Expr::Paren(inner) => may_have_effects(&inner.expr),
        Expr::Group(inner) => may_have_effects(&inner.expr),
        Expr::Field(field) => may_have_effects(&field.base),
        Expr::Index(index) => may_have_effects(&index.expr) || may_have_effects(&index.index),
        Expr::Unary(unary) => may_have_effects(&unary.expr),
        Expr::Reference(reference) => may_have_effects(&reference.expr),
        Expr::Cast(cast) => may_have_effects(&cast.expr),
        Expr::Binary(binary) => may_have_effects(&binary.left) || may_have_effects(&binary.right),
        Expr::Tuple(tuple) => tuple.elems.iter().any(may_have_effects),
        Expr::Array(array) => array.elems.iter().any(may_have_effects),
        _ => true,
    }
}

/// Returns whether `value` may assign to a variable that `place` reads.
fn changes_names_of(value: &Expr, place: &Expr) -> bool {
    let mut read = Names::default();
    read.visit_expr(place);
    let mut bases = Bases::default();
    bases.visit_expr(place);
    let mut changed = Changed::default();
    changed.visit_expr(value);
    let Changed { assigned, receivers } = changed;
    assigned.0.iter().any(|name| read.0.contains(name)) || receivers.0.iter().any(|name| bases.0.0.contains(name))
}

/// The identifiers in an expression.
#[derive(Default)]
struct Names(Vec<Name>);

impl<'ast> Visit<'ast> for Names {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.0.extend(path.path.get_ident().map(Name::of));
    }
}

/// The variables whose fields are accessed.
#[derive(Default)]
struct Bases(Names);

impl<'ast> Visit<'ast> for Bases {
    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        self.0.visit_expr(root(&field.base));
        visit::visit_expr_field(self, field);
    }
}

/// The variables that may be modified.
#[derive(Default)]
struct Changed {
    /// The variables that are assigned to, or borrowed mutably.
    assigned: Names,
    /// The receivers of methods. A method of a number, such as an index, does not modify it.
    receivers: Names,
}

impl<'ast> Visit<'ast> for Changed {
    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        self.assigned.visit_expr(&assign.left);
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        if is_assignment(&binary.op) {
            self.assigned.visit_expr(root(&binary.left));
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_reference(&mut self, reference: &'ast ExprReference) {
        if reference.mutability.is_some() {
            self.assigned.visit_expr(root(&reference.expr));
        }
        visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.receivers.visit_expr(root(peeled(&call.receiver)));
        visit::visit_expr_method_call(self, call);
    }
}

fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[track_caller]
    fn check(place: &Expr, value: &Expr, expected: bool) {
        assert_eq!(order_is_observable(place, value), expected);
    }

    #[test]
    fn observable_orders() {
        check(&parse_quote!(y[f()]), &parse_quote!(g()), true);
        check(
            &parse_quote!(y[i]),
            &parse_quote!({
                i = 5;
                3
            }),
            true,
        );
        check(&parse_quote!(y[i].rows[j + 1]), &parse_quote!(next(&mut j)), true);
        check(
            &parse_quote!(y[i]),
            &parse_quote!({
                let k = 2;
                i += k;
                k
            }),
            true,
        );
        check(&parse_quote!(y[p.at]), &parse_quote!(p.advance()), true);
    }

    #[test]
    fn unobservable_orders() {
        check(&parse_quote!(y[i]), &parse_quote!(g(x[i], i)), false);
        check(&parse_quote!(y[i]), &parse_quote!(i.min(3)), false);
        check(&parse_quote!(y[f()]), &parse_quote!(a * x[i + 1]), false);
        check(&parse_quote!(y[i]), &parse_quote!(next(&mut j)), false);
        check(
            &parse_quote!(n),
            &parse_quote!({
                k = 2;
                k
            }),
            false,
        );
    }
}
