//! The macros that a kernel can use: assertions and panics.

use cumbia_kernel_ir::ir::{BinaryOp, Block, ExprId, ExprKind, UnaryOp};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, LitStr, Macro, Token};

use super::{Lowerer, Value, slot_name};
use crate::position::ours;
use crate::rules;

/// The arguments of a macro, separated by commas.
type Args = Punctuated<Expr, Token![,]>;

impl Lowerer<'_> {
    /// `name!(..)`
    pub(super) fn macro_call(&mut self, call: &Macro) -> Value {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        match name.as_str() {
            "assert" => self.assert(call, false),
            "debug_assert" => self.assert(call, true),
            "assert_eq" => self.assert_compare(call, BinaryOp::Eq, false),
            "assert_ne" => self.assert_compare(call, BinaryOp::Ne, false),
            "debug_assert_eq" => self.assert_compare(call, BinaryOp::Eq, true),
            "debug_assert_ne" => self.assert_compare(call, BinaryOp::Ne, true),
            "panic" => self.panic(call, "explicit panic", ""),
            "unreachable" => self.panic(call, "internal error: entered unreachable code", ": "),
            "todo" => self.panic(call, "not yet implemented", ": "),
            "unimplemented" => self.panic(call, "not implemented", ": "),
            "println" | "print" | "eprintln" | "eprint" | "dbg" => self.refuse_named(&call.path, &rules::PRINT, &name),
            "vec" | "format" => self.refuse_named(&call.path, &rules::HEAP, &format!("{name}!")),
            _ => self.refuse_named(&call.path, &rules::MACRO, &name),
        }
    }

    /// `assert!(condition)`, `assert!(condition, "message")`
    fn assert(&mut self, call: &Macro, debug: bool) -> Value {
        let Some(args) = self.args(call) else {
            return self.nothing(call);
        };
        let mut rest = args.iter();
        let Some(condition) = rest.next() else {
            self.errors.push(syn::Error::new_spanned(call, "`assert!` needs a condition"));
            return self.nothing(call);
        };
        let default = format!("assertion failed: {}", written(&quote!(#condition)));
        let Some(message) = self.message(rest.next(), rest.next(), default, "") else {
            return self.nothing(call);
        };
        let condition = self.expr(condition);
        self.check(call, condition, message, debug)
    }

    /// `assert_eq!(left, right)`, `assert_ne!(left, right, "message")`
    fn assert_compare(&mut self, call: &Macro, op: BinaryOp, debug: bool) -> Value {
        let Some(args) = self.args(call) else {
            return self.nothing(call);
        };
        let mut rest = args.iter();
        let (Some(left), Some(right)) = (rest.next(), rest.next()) else {
            self.errors.push(syn::Error::new_spanned(call, "this assertion compares two values"));
            return self.nothing(call);
        };
        let token = if op == BinaryOp::Eq { quote!(==) } else { quote!(!=) };
        let claim = format!("assertion `left {token} right` failed");
        let default =
            format!("{claim}: left is `{}`, right is `{}`", written(&quote!(#left)), written(&quote!(#right)));
        let Some(message) = self.message(rest.next(), rest.next(), default, &format!("{claim}: ")) else {
            return self.nothing(call);
        };
        let (left, right) = (self.expr(left), self.expr(right));
        let (left_cpu, right_cpu) = (&left.cpu, &right.cpu);
        let cpu = quote!((#left_cpu) #token (#right_cpu));
        let condition = self.value(ExprKind::Binary { op, left: left.id, right: right.id }, call.span(), cpu);
        self.check(call, condition, message, debug)
    }

    /// `if !condition { panic }`, where `debug` says only with `debug_assertions`.
    fn check(&mut self, call: &Macro, condition: Value, message: String, debug: bool) -> Value {
        let span = call.span();
        let panic = self.fault(span, message);
        let (condition_cpu, panic_cpu) = (condition.cpu, panic.cpu);
        let not = self.push(ExprKind::Unary { op: UnaryOp::Not, operand: condition.id }, span);
        let check = self.branch(not, panic.id, span);
        let cpu = quote_spanned!(ours(span)=> if !(#condition_cpu) { #panic_cpu });
        if !debug {
            return Value { id: check, cpu };
        }
        let slot = self.slot();
        let name = slot_name(slot, span);
        let enabled = self.push(ExprKind::Constant(slot), span);
        let id = self.branch(enabled, check, span);
        let cpu = quote_spanned!(ours(span)=> if #name.constant(|| ::core::cfg!(debug_assertions)) { #cpu });
        Value { id, cpu }
    }

    /// `if condition { then }`
    fn branch(&mut self, condition: ExprId, then: ExprId, span: Span) -> ExprId {
        let then = Block { stmts: vec![cumbia_kernel_ir::ir::Stmt::Expr(then)], tail: None };
        self.push(ExprKind::If { condition, then, otherwise: None }, span)
    }

    /// `panic!()`, `panic!("message")`; `prefix` comes before a message.
    fn panic(&mut self, call: &Macro, default: &str, prefix: &str) -> Value {
        let Some(args) = self.args(call) else {
            return self.nothing(call);
        };
        let prefix = if prefix.is_empty() { String::new() } else { format!("{default}{prefix}") };
        let mut rest = args.iter();
        match self.message(rest.next(), rest.next(), default.to_owned(), &prefix) {
            Some(message) => self.fault(call.span(), message),
            None => self.nothing(call),
        }
    }

    /// The end of a thread, with a message.
    fn fault(&mut self, span: Span, message: String) -> Value {
        let at = self.at(span);
        let cx = &self.cx;
        let cpu = quote_spanned!(ours(span)=> #cx.panic(#at, #message));
        self.value(ExprKind::Panic { message }, span, cpu)
    }

    /// The message of an assertion or a panic: `default` where the user gave none.
    fn message(
        &mut self,
        message: Option<&Expr>,
        more: Option<&Expr>,
        default: String,
        prefix: &str,
    ) -> Option<String> {
        match (message, more) {
            (None, _) => Some(default),
            (Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })), None) => {
                self.fixed(text).map(|text| format!("{prefix}{text}"))
            }
            (Some(message), _) => {
                self.errors.refuse(message, &rules::MESSAGE);
                None
            }
        }
    }

    /// A format string that formats nothing. `{{` and `}}` stand for braces, as in Rust.
    fn fixed(&mut self, text: &LitStr) -> Option<String> {
        let value = text.value();
        let bare = value.replace("{{", "").replace("}}", "");
        if bare.contains(['{', '}']) {
            self.errors.refuse(text, &rules::MESSAGE);
            return None;
        }
        Some(value.replace("{{", "{").replace("}}", "}"))
    }

    fn args(&mut self, call: &Macro) -> Option<Args> {
        let parse = |input: ParseStream<'_>| Punctuated::<Expr, Token![,]>::parse_terminated_with(input, Expr::parse);
        parse.parse2(call.tokens.clone()).map_err(|error| self.errors.push(error)).ok()
    }
}

/// Tokens as they would be written: without the spaces that the token printer puts around punctuation.
fn written(tokens: &TokenStream) -> String {
    let mut text = tokens.to_string();
    for (printed, usual) in [
        (" . ", "."),
        ("( ", "("),
        (" )", ")"),
        (" (", "("),
        ("[ ", "["),
        (" ]", "]"),
        (" [", "["),
        (" ,", ","),
        (" :: ", "::"),
        ("! ", "!"),
    ] {
        text = text.replace(printed, usual);
    }
    text
}
