//! Analysis of side effects: whether the evaluation order of two expressions is observable.

use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprAssign, ExprBinary, ExprCall, ExprIndex, ExprMethodCall, ExprPath, ExprReference};

use crate::lower::peeled;
use crate::lower::place::root;
use crate::position::Name;

/// Returns whether the evaluation order of the two sides of `place += value` is observable.
pub(in crate::lower) fn order_is_observable(place: &Expr, value: &Expr) -> bool {
    may_have_effects(value) && (may_have_effects(place) || changes_names_of(value, place))
}

/// Returns whether `place` contains an index, so that it may fault, before an effect of `value` or after it.
pub(in crate::lower) fn faults_before(place: &Expr, value: &Expr) -> bool {
    struct Indexed(bool);

    impl<'ast> Visit<'ast> for Indexed {
        fn visit_expr_index(&mut self, _: &'ast ExprIndex) {
            self.0 = true;
        }
    }

    let mut indexed = Indexed(false);
    indexed.visit_expr(place);
    indexed.0 && may_have_effects(value)
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

/// Returns whether `value` may modify a variable that an index in `place` reads.
fn changes_names_of(value: &Expr, place: &Expr) -> bool {
    /// The identifiers in the indices of a place.
    #[derive(Default)]
    struct InIndices(Names);

    impl<'ast> Visit<'ast> for InIndices {
        fn visit_expr_index(&mut self, index: &'ast ExprIndex) {
            self.visit_expr(&index.expr);
            self.0.visit_expr(&index.index);
        }
    }

    let mut read = InIndices::default();
    read.visit_expr(place);
    let mut changed = Names::default();
    Changed(&mut changed).visit_expr(value);
    changed.0.iter().any(|name| read.0.0.contains(name))
}

/// The identifiers in an expression.
#[derive(Default)]
struct Names(Vec<Name>);

impl<'ast> Visit<'ast> for Names {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.0.extend(path.path.get_ident().map(Name::of));
    }
}

/// Collects the variables that may be modified: by an assignment, through a mutable borrow, as the receiver of a method,
/// or through a reference that is passed to a function.
struct Changed<'n>(&'n mut Names);

impl<'ast> Visit<'ast> for Changed<'_> {
    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        self.0.visit_expr(&assign.left);
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        if is_assignment(&binary.op) {
            self.0.visit_expr(root(&binary.left));
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_reference(&mut self, reference: &'ast ExprReference) {
        if reference.mutability.is_some() {
            self.0.visit_expr(root(&reference.expr));
        }
        visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.0.visit_expr(root(peeled(&call.receiver)));
        self.passed(&call.args);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        self.passed(&call.args);
        visit::visit_expr_call(self, call);
    }
}

impl Changed<'_> {
    /// Notes the variables that are arguments: they may be references.
    fn passed<'a>(&mut self, args: impl IntoIterator<Item = &'a Expr>) {
        for arg in args {
            if let Expr::Path(path) = peeled(arg) {
                self.0.visit_expr_path(path);
            }
        }
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
        check(&parse_quote!(y[i]), &parse_quote!(i.step()), true);
        check(&parse_quote!(y[k[0]]), &parse_quote!(change(k)), true);
    }

    #[test]
    fn unobservable_orders() {
        check(&parse_quote!(y[i]), &parse_quote!(g(x[i], j)), false);
        check(&parse_quote!(y[i]), &parse_quote!(j.min(3)), false);
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
