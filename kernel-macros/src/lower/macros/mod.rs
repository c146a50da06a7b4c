//! Macro invocations in a kernel: assertions, panics and prints.

pub(in crate::lower) mod format;

use cumbia_kernel_ir::{Block, ExprKind, Message, Piece, Stmt};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, LitStr, Macro, Token};

use crate::identity::{self, Known};
use crate::lower::macros::format::{Mistake, Part, Which};
use crate::lower::{Category, Lowerer, Value, peeled, slot_name, sugar};
use crate::position::{self, Name, ours, standing_for};
use crate::rules;

/// An argument of a macro.
struct Argument {
    /// `name = value`
    name: Option<Ident>,
    value: Expr,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let named = input.peek(syn::Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        let name = if named {
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            Some(name)
        } else {
            None
        };
        Ok(Argument { name, value: input.parse()? })
    }
}

impl ToTokens for Argument {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Argument { name, value } = self;
        let name = name.as_ref().map(|name| quote!(#name =));
        tokens.extend(quote!(#name #value));
    }
}

/// A lowered message.
struct Formatted {
    ir: Message,
    /// The arguments of `format_args!`.
    cpu: TokenStream,
    /// The text, if it has no arguments.
    fixed: Option<String>,
}

impl Lowerer<'_> {
    /// `name!(..)`
    pub(in crate::lower) fn macro_call(&mut self, call: &Macro) -> Value {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let Some(Value { id, cpu, category }) = self.standard_macro(call, &name) else {
            return match name.as_str() {
                "eprintln" | "eprint" | "dbg" => self.reject_named(&call.path, &rules::PRINT, &name),
                "vec" | "format" => self.reject_named(&call.path, &rules::HEAP, &format!("{name}!")),
                "concat" | "stringify" | "file" | "module_path" => self.reject(call, &rules::STRING),
                // Whichever macro the path resolves to, it expands to a constant.
                "cfg" | "line" | "column" => self.constant(call.span(), &quote!(const { #call })),
                "device_fn" => self.reject(&call.path, &rules::OPERATOR),
                _ => self.reject_named(&call.path, &rules::MACRO, &name),
            };
        };
        if position::is_ours(call.path.span()) || cpu.is_empty() {
            return Value { id, cpu, category };
        }
        // Host and device run the lowering implemented here, so the path has to resolve to the standard macro.
        let check = identity::check(&call.path, Known::Macro);
        let cpu = quote_spanned!(ours(call.span())=> { #check #cpu });
        // A block in operand position needs parentheses.
        let cpu = if name == "matches" { standing_for(call.span(), cpu) } else { cpu };
        Value { id, cpu, category }
    }

    /// Lowers a macro of the standard library that is supported in kernels; returns `None` for any other.
    fn standard_macro(&mut self, call: &Macro, name: &str) -> Option<Value> {
        Some(match name {
            "assert" => self.assert(call, false),
            "debug_assert" => self.assert(call, true),
            "assert_eq" => self.assert_compare(call, &quote!(==), false),
            "assert_ne" => self.assert_compare(call, &quote!(!=), false),
            "debug_assert_eq" => self.assert_compare(call, &quote!(==), true),
            "debug_assert_ne" => self.assert_compare(call, &quote!(!=), true),
            "panic" => self.panic(call, "explicit panic", ""),
            "unreachable" => {
                let text = "internal error: entered unreachable code";
                self.panic(call, text, "internal error: entered unreachable code: ")
            }
            "todo" => self.panic(call, "not yet implemented", "not yet implemented: "),
            "unimplemented" => self.panic(call, "not implemented", "not implemented: "),
            "println" => self.print(call, true),
            "print" => self.print(call, false),
            "matches" => match call.parse_body::<sugar::Matches>().and_then(|matches| matches.desugared(call.span())) {
                Ok(desugared) => self.expr(&desugared),
                Err(error) => {
                    self.errors.push(error);
                    self.placeholder(call)
                }
            },
            _ => return None,
        })
    }

    /// `assert!(condition)`, `assert!(condition, "message {}", x)`
    fn assert(&mut self, call: &Macro, debug: bool) -> Value {
        let Some(args) = self.args(call) else {
            return self.placeholder(call);
        };
        let mut args = args.into_iter();
        let Some(Argument { name: _, value: condition }) = args.next() else {
            return self.reject(call, &rules::ASSERT);
        };
        let text = format!("assertion failed: {}", source_text(&condition.to_token_stream()));
        let rest: Vec<Argument> = args.collect();
        let message = if rest.is_empty() { quoted(&format::escaped(&text), call) } else { quote!(#(#rest),*) };
        let condition = sugar::scrutinee(&condition);
        self.desugared(call, quote_spanned!(ours(call.span())=> if #condition {} else { panic!(#message) }), debug)
    }

    /// `assert_eq!(left, right)`, `assert_ne!(left, right, "message {}", x)`
    fn assert_compare(&mut self, call: &Macro, operator: &TokenStream, debug: bool) -> Value {
        let Some(args) = self.args(call) else {
            return self.placeholder(call);
        };
        let mut args = args.into_iter();
        let (Some(left), Some(right)) = (args.next(), args.next()) else {
            return self.reject(call, &rules::ASSERT_COMPARE);
        };
        let mut rest: Vec<Argument> = args.collect();
        let claim = format!("assertion `left {operator} right` failed");
        let values = "\n  left: {left_value:?}\n right: {right_value:?}";
        let message = match take_message(&mut rest) {
            Ok(Some(message)) => LitStr::new(&format!("{claim}: {}{values}", message.value()), message.span()),
            Ok(None) => LitStr::new(&format!("{claim}{values}"), call.span()),
            Err(mistaken) => return self.reject(&mistaken, &rules::MESSAGE),
        };
        let (span, left, right) = (ours(call.span()), &left.value, &right.value);
        // rustc shows an error about the comparison at the operands.
        let [left_name, right_name] =
            [("__left", left), ("__right", right)].map(|(name, value)| Ident::new(name, ours(value.span())));
        let tokens = quote_spanned! {span=> {
            let #left_name = #left;
            let #right_name = #right;
            if #left_name #operator #right_name {} else {
                panic!(#message #(, #rest)*, left_value = #left_name, right_value = #right_name)
            }
        }};
        self.desugared(call, tokens, debug)
    }

    /// Lowers the expansion of a macro; if `debug`, under the condition `cfg!(debug_assertions)`.
    fn desugared(&mut self, call: &Macro, tokens: TokenStream, debug: bool) -> Value {
        let expr: Expr = match syn::parse2(tokens) {
            Ok(expr) => expr,
            Err(error) => {
                self.errors.push(error);
                return self.placeholder(call);
            }
        };
        let check = self.expr(&expr);
        if !debug {
            return check;
        }
        let span = call.span();
        let slot = self.slot();
        let name = slot_name(slot, span);
        let condition = self.push(ExprKind::Constant(slot), span);
        let then = Block { stmts: vec![Stmt::Expr(check.id)], tail: None };
        let cpu = check.cpu;
        let cpu = quote_spanned!(ours(span)=> if #name.constant(|| ::core::cfg!(debug_assertions)) { #cpu });
        self.value(ExprKind::If { condition, then, otherwise: None }, span, cpu)
    }

    /// `panic!()`, `panic!("message {}", x)`; `prefix` comes before a message.
    fn panic(&mut self, call: &Macro, default: &str, prefix: &str) -> Value {
        let Some(mut args) = self.args(call) else {
            return self.placeholder(call);
        };
        let message = match take_message(&mut args) {
            Ok(Some(message)) => LitStr::new(&format!("{prefix}{}", message.value()), message.span()),
            Ok(None) => LitStr::new(default, call.span()),
            Err(mistaken) => return self.reject(&mistaken, &rules::MESSAGE),
        };
        let Some(Formatted { ir, cpu, fixed }) = self.formatted(&message, &args) else {
            return self.placeholder(call);
        };
        let at = self.at(call.span());
        let (cx, span) = (&self.cx, ours(call.span()));
        let formatted = quote_spanned!(span=> ::core::format_args!(#cpu));
        let message = fixed.map_or(formatted, |text| quote!(#text));
        let cpu = quote_spanned!(span=> #cx.panic(#at, #message));
        self.with_category(ExprKind::Panic(ir), call.span(), cpu, Category::Never)
    }

    /// `println!("message {}", x)`, `print!(..)`
    fn print(&mut self, call: &Macro, line: bool) -> Value {
        let Some(mut args) = self.args(call) else {
            return self.placeholder(call);
        };
        let message = match take_message(&mut args) {
            Ok(message) => message.unwrap_or_else(|| LitStr::new("", call.span())),
            Err(mistaken) => return self.reject(&mistaken, &rules::MESSAGE),
        };
        let end = if line { "\n" } else { "" };
        let message = LitStr::new(&format!("{}{end}", message.value()), message.span());
        let Some(Formatted { ir, cpu, fixed: _ }) = self.formatted(&message, &args) else {
            return self.placeholder(call);
        };
        let cx = &self.cx;
        let cpu = quote_spanned!(ours(call.span())=> #cx.print(::core::format_args!(#cpu)));
        self.value(ExprKind::Print(ir), call.span(), cpu)
    }

    /// Lowers a format string and its arguments, which are evaluated in order; variables that are only named in the
    /// format string come last.
    fn formatted(&mut self, text: &LitStr, args: &[Argument]) -> Option<Formatted> {
        let parts = match format::parse(&text.value()) {
            Ok(parts) => parts,
            Err(mistake) => {
                match mistake {
                    Mistake::Unbalanced => self.errors.reject(text, &rules::FORMAT_BRACES),
                    Mistake::Dynamic => self.errors.reject(text, &rules::FORMAT_WIDTH),
                    Mistake::NoName(name) => self.errors.reject_named(text, &rules::FORMAT_NAME, &name),
                }
                return None;
            }
        };
        let fixed = match &parts[..] {
            _ if !args.is_empty() => None,
            [] => Some(String::new()),
            [Part::Text(text)] => Some(text.clone()),
            _ => None,
        };
        let mut names: Vec<Option<Name>> = args.iter().map(|arg| arg.name.as_ref().map(Name::of)).collect();
        let mut values: Vec<Value> = args.iter().map(|arg| self.operand(&arg.value)).collect();
        let (mut pieces, mut printed, mut next) = (Vec::new(), String::new(), 0);
        let mut unprinted = vec![true; args.len()];
        for part in parts {
            let (which, format) = match part {
                Part::Text(text) => {
                    printed.push_str(&format::escaped(&text));
                    pieces.push(Piece::Text(text));
                    continue;
                }
                Part::Argument { which, format } => (which, format),
            };
            let position = match which {
                Which::Next => {
                    next += 1;
                    next - 1
                }
                Which::Position(position) => position,
                Which::Name(name) => self.named_argument(&Ident::new(&name, text.span()), &mut names, &mut values),
            };
            if let Some(unprinted) = unprinted.get_mut(position) {
                *unprinted = false;
            }
            let colon = if format.is_empty() { "" } else { ":" };
            printed.extend(["{", &position.to_string(), colon, &format, "}"]);
            pieces.push(Piece::Number { position: position as u32, format });
        }
        if let Some((arg, _)) = args.iter().zip(unprinted).find(|(_, unprinted)| *unprinted) {
            self.errors.reject(&arg.value, &rules::FORMAT_UNUSED);
            return None;
        }
        let (ids, tokens): (Vec<_>, Vec<_>) = values.into_iter().map(|value| (value.id, value.cpu)).unzip();
        let printed = LitStr::new(&printed, ours(text.span()));
        Some(Formatted { ir: Message { pieces, args: ids }, cpu: quote!(#printed #(, #tokens)*), fixed })
    }

    /// Returns the position of the argument of this name. A variable is appended as another argument.
    fn named_argument(&mut self, name: &Ident, names: &mut Vec<Option<Name>>, values: &mut Vec<Value>) -> usize {
        // Names in a format string have no hygiene, so an argument is identified by its text.
        let known = names.iter().position(|known| known.as_ref().is_some_and(|known| *name == known.text()));
        known.unwrap_or_else(|| {
            names.push(Some(Name::of(name)));
            values.push(self.operand(&Expr::Path(syn::ExprPath {
                attrs: Vec::new(),
                qself: None,
                path: name.clone().into(),
            })));
            names.len() - 1
        })
    }

    fn args(&mut self, call: &Macro) -> Option<Vec<Argument>> {
        let parsed = call.parse_body_with(Punctuated::<Argument, Token![,]>::parse_terminated);
        parsed.map(|args| args.into_iter().collect()).map_err(|error| self.errors.push(error)).ok()
    }
}

/// Removes the format string from the front of the arguments, if there are any.
fn take_message(args: &mut Vec<Argument>) -> Result<Option<LitStr>, Box<Expr>> {
    if args.is_empty() {
        return Ok(None);
    }
    let Argument { name: _, value } = args.remove(0);
    match peeled(&value) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(Some(text.clone())),
        _ => Err(Box::new(value)),
    }
}

/// Returns a string literal with the span of a macro invocation.
fn quoted(text: &str, call: &Macro) -> TokenStream {
    LitStr::new(text, call.span()).to_token_stream()
}

/// Formats tokens as source text: without the spaces that the token printer inserts around punctuation.
fn source_text(tokens: &TokenStream) -> String {
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
