//! `value?` and `value.expect("..")`, which continue with the payload of `Some` or `Ok`.
//!
//! The macro does not know whether the value is an `Option` or a `Result`. In the IR its variants therefore have the names
//! [`SUCCESS`] and [`FAILURE`], and in the CPU body a trait separates them.

use cumbia_kernel_ir::{Arm, ExprId, ExprKind, FAILURE, LocalId, Pattern, SUCCESS};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprMethodCall, ExprTry, Lit, LitStr};

use super::{Category, Lowerer, Value, body_label, slot_name};
use crate::position::{ours, standing_for};
use crate::rules;

impl Lowerer<'_> {
    /// `value?`
    pub(super) fn try_expr(&mut self, call: &ExprTry) -> Value {
        if self.signature.result.is_none() {
            return self.reject(&call.question_token, &rules::TRY);
        }
        let value = self.expr(&call.expr);
        let (token, span) = (call.question_token.span(), ours(call.question_token.span()));
        let (failure, name) = self.payload("__failure", token);
        let learn = self.learn("is", failure, &name, token);
        let payload = self.push(ExprKind::Local(failure), token);
        let slot = self.slot();
        let fields = vec![("0".to_owned(), payload)];
        let returned = self.push(ExprKind::Struct { slot, name: FAILURE.to_owned(), fields, base: None }, token);
        let leave = self.push(ExprKind::Return(Some(returned)), token);
        let (label, slot) = (body_label(), slot_name(slot, token));
        let failed = quote_spanned! {span=>
            ::cumbia::__private::Branched::Failure(#name, __of) => {
                #learn
                break #label #slot.tap(::cumbia::__private::from_failure(#name, __of))
            }
        };
        let pattern =
            Pattern::Struct { name: Some(FAILURE.to_owned()), fields: vec![("0".to_owned(), local(failure))] };
        self.branched(value, (pattern, leave), &failed, token, call.span())
    }

    /// `value.expect("text")`; `None` if the argument is not a literal.
    pub(super) fn expect(&mut self, call: &ExprMethodCall) -> Option<Value> {
        let (Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })), 1) = (call.args.first(), call.args.len()) else {
            return None;
        };
        let value = self.expr(&call.receiver);
        let text = LitStr::new(&text.value().replace('{', "{{").replace('}', "}}"), text.span());
        let panic: Expr = syn::parse2(quote_spanned!(ours(call.receiver.span())=> panic!(#text))).ok()?;
        let Value { id, cpu, category: _ } = self.expr(&panic);
        let failed = quote_spanned!(ours(call.method.span())=> ::cumbia::__private::Branched::Failure(_, _) => #cpu);
        Some(self.branched(value, (Pattern::Wild, id), &failed, call.method.span(), call.span()))
    }

    /// `match value { success => payload, failure => .. }`. Errors about the value are shown at `shown`.
    fn branched(
        &mut self,
        value: Value,
        (pattern, failure): (Pattern, ExprId),
        failed: &TokenStream,
        shown: Span,
        span: Span,
    ) -> Value {
        let (success, name) = self.payload("__success", shown);
        let learn = self.learn("is", success, &name, shown);
        let body = self.push(ExprKind::Local(success), shown);
        let fields = vec![("0".to_owned(), local(success))];
        let arms = vec![
            Arm { pattern: Pattern::Struct { name: Some(SUCCESS.to_owned()), fields }, guard: None, body },
            Arm { pattern, guard: None, body: failure },
        ];
        let value_cpu = value.cpu;
        let cpu = quote_spanned! {ours(shown)=>
            match ::cumbia::__private::branch(#value_cpu) {
                ::cumbia::__private::Branched::Success(#name) => {
                    #learn
                    #name
                }
                #failed
            }
        };
        let cpu = standing_for(span, quote!(#cpu));
        self.with_category(ExprKind::Match { scrutinee: value.id, arms }, span, cpu, Category::Unknown)
    }

    /// Declares the variable of a payload.
    fn payload(&mut self, name: &str, span: Span) -> (LocalId, Ident) {
        let name = Ident::new(name, ours(span));
        let local = self.scoped(|lowerer| lowerer.declare(&name, false, Category::Unknown));
        (local, name)
    }
}

fn local(local: LocalId) -> Pattern {
    Pattern::Local(local)
}
