//! Message macros: `panic!`, `assert!`, `println!` and `print!`.

use cumbia_kernel_ir::{ExprId, ExprKind, Message, Piece, Span};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;

use super::body::Builder;

/// `a, b, "text {}", c`
struct Arguments(Punctuated<syn::Expr, syn::Token![,]>);

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Arguments> {
        Punctuated::parse_terminated(input).map(Arguments)
    }
}

impl Builder<'_> {
    pub(super) fn macro_call(&mut self, call: &syn::Macro, at: Span) -> ExprId {
        let Arguments(args) = call.parse_body().expect("arguments");
        let args: Vec<&syn::Expr> = args.iter().collect();
        let name = call.path.get_ident().expect("a macro").to_string();
        match (name.as_str(), args.as_slice()) {
            ("panic", args) => {
                let message = self.message(args, "");
                self.push(ExprKind::Panic(message), at)
            }
            ("println", args) => {
                let message = self.message(args, "\n");
                self.push(ExprKind::Print(message), at)
            }
            ("print", args) => {
                let message = self.message(args, "");
                self.push(ExprKind::Print(message), at)
            }
            ("assert", [condition]) => self.assert(condition, Message::text("assertion failed"), at),
            ("assert", [condition, args @ ..]) => {
                let message = self.message(args, "");
                self.assert(condition, message, at)
            }
            _ => panic!("unsupported macro"),
        }
    }

    fn message(&mut self, args: &[&syn::Expr], end: &str) -> Message {
        let Some((syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }), args)) = args.split_first() else {
            return Message::text(end);
        };
        let mut args: Vec<ExprId> = args.iter().map(|arg| self.expr(arg)).collect();
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut next = 0;
        let text = format!("{}{end}", text.value());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            if let Some(brace) = ["{{", "}}"].into_iter().find(|brace| rest[at..].starts_with(brace)) {
                plain.push_str(&brace[1..]);
                rest = &rest[at + 2..];
                continue;
            }
            let close = at + rest[at..].find('}').expect("a closing brace");
            let (name, format) = rest[at + 1..close].split_once(':').unwrap_or((&rest[at + 1..close], ""));
            rest = &rest[close + 1..];
            let position = if name.is_empty() {
                next += 1;
                next - 1
            } else if let Ok(position) = name.parse() {
                position
            } else {
                let local = self.named(name).expect("a variable");
                let at = Span::default();
                args.push(self.push(ExprKind::Local(local), at));
                args.len() as u32 - 1
            };
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Number { position, format: format.to_owned() });
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Message { pieces, args }
    }
}
