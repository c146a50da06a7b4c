//! `for` loops over several sequences at once, and over parts of a sequence: `x.iter().zip(y.iter())`, `x.windows(3)`,
//! `x.chunks_exact(4)`.
//!
//! They are desugared to a loop over the indices. `for (a, b) in x.iter_mut().zip(y.iter())` becomes
//!
//! ```text
//! {
//!     let items0 = &mut x[..];
//!     let items1 = &y[..];
//!     let __count = items0.len().min(items1.len());
//!     for index in 0..__count {
//!         let a = &mut items0[index];
//!         let b = &items1[index];
//!         ..
//!     }
//! }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, ExprMethodCall, Pat, Stmt};

use crate::lower::{Category, Lowerer, peeled};
use crate::position::ours;
use crate::rules;

/// The items of a loop.
enum Items<'e> {
    /// The elements of a slice or an array.
    Elements { of: &'e Expr, mutable: bool, by_copy: bool, by_value: bool },
    /// Sub-slices.
    Parts { of: &'e Expr, mutable: bool, kind: Parts, size: &'e Expr, method: &'e Ident },
    /// `.zip(..)`
    Zip(Box<Items<'e>>, Box<Items<'e>>),
    /// `.enumerate()`
    Enumerate(Box<Items<'e>>),
}

/// The sub-slices of a slice.
#[derive(Clone, Copy, PartialEq)]
enum Parts {
    /// `.windows(n)`
    Windows,
    /// `.chunks(n)`
    Chunks,
    /// `.chunks_exact(n)`
    ChunksExact,
}

impl Parts {
    /// Returns the parts that a method creates, and whether they are mutable.
    fn of(method: &Ident) -> Option<(Parts, bool)> {
        Some(match method.to_string().as_str() {
            "windows" => (Parts::Windows, false),
            "chunks" => (Parts::Chunks, false),
            "chunks_mut" => (Parts::Chunks, true),
            "chunks_exact" => (Parts::ChunksExact, false),
            "chunks_exact_mut" => (Parts::ChunksExact, true),
            _ => return None,
        })
    }
}

/// The desugared loop, as far as it is built.
#[derive(Default)]
struct Desugared {
    /// The declarations before the loop.
    before: TokenStream,
    /// The number of items of each sequence.
    counts: Vec<TokenStream>,
    /// The statements that bind the items in each iteration.
    bindings: TokenStream,
}

impl Lowerer<'_> {
    /// Desugars a loop over several sequences or over parts of a sequence; `None` for any other loop, or if it was
    /// rejected.
    pub(in crate::lower) fn zipped(&mut self, expr: &ExprForLoop) -> Option<Expr> {
        if !is_zipped(&expr.expr) {
            return None;
        }
        let (sequence, reversed) = match peeled(&expr.expr) {
            Expr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => (&*call.receiver, true),
            sequence => (sequence, false),
        };
        let items = self.items(sequence)?;
        let span = ours(expr.expr.span());
        let index = Ident::new("__index", span);
        let mut desugared = Desugared::default();
        self.bind_items(&items, &expr.pat, &index, &mut desugared)?;
        let Desugared { before, counts, bindings } = desugared;
        let (first, rest) = counts.split_first()?;
        let (range, body) = (quote_spanned!(span=> 0..__count), &expr.body);
        let range = if reversed { quote_spanned!(span=> (#range).rev()) } else { range };
        let block: syn::Block = syn::parse2(quote_spanned!(span=> { #bindings })).ok()?;
        let mut looped = expr.clone();
        *looped.pat = crate::lower::pattern::binding_modes::variable(&index);
        looped.expr = syn::parse2(range).ok()?;
        looped.body = body.clone();
        let stmts: Vec<Stmt> = block.stmts;
        looped.body.stmts.splice(..0, stmts);
        syn::parse2(quote_spanned!(span=> {
            #before
            let __count = #first #(.min(#rest))*;
            #looped
        }))
        .ok()
    }

    /// Parses the sequence of a loop.
    fn items<'e>(&mut self, expr: &'e Expr) -> Option<Items<'e>> {
        let Expr::MethodCall(call) = peeled(expr) else { return self.plain_items(expr) };
        let ExprMethodCall { receiver, method, args, .. } = call;
        let of = &**receiver;
        let items = match (method.to_string().as_str(), args.first()) {
            ("iter", None) => Items::Elements { of, mutable: false, by_copy: false, by_value: false },
            ("iter_mut", None) => Items::Elements { of, mutable: true, by_copy: false, by_value: false },
            ("copied", None) => match self.items(of)? {
                Items::Elements { of, mutable: false, by_copy: false, by_value: false } => {
                    Items::Elements { of, mutable: false, by_copy: true, by_value: false }
                }
                _ => return self.no_adapter(method),
            },
            ("enumerate", None) => Items::Enumerate(Box::new(self.items(of)?)),
            ("zip", Some(other)) if args.len() == 1 => {
                Items::Zip(Box::new(self.items(of)?), Box::new(self.items(other)?))
            }
            (_, Some(size))
                if args.len() == 1
                    && let Some((kind, mutable)) = Parts::of(method) =>
            {
                Items::Parts { of, mutable, kind, size, method }
            }
            ("rev", None) => {
                self.errors.reject(method, &rules::REVERSED_PART);
                return None;
            }
            _ => return self.no_adapter(method),
        };
        Some(items)
    }

    fn no_adapter<'e>(&mut self, method: &Ident) -> Option<Items<'e>> {
        self.errors.reject_named(method, &rules::ITERATOR_ADAPTER, method);
        None
    }

    /// Parses a sequence without methods: `x`, `&x`, `&mut x`.
    fn plain_items<'e>(&mut self, expr: &'e Expr) -> Option<Items<'e>> {
        match peeled(expr) {
            Expr::Reference(reference) => {
                let mutable = reference.mutability.is_some();
                Some(Items::Elements { of: &reference.expr, mutable, by_copy: false, by_value: false })
            }
            Expr::Range(range) => {
                self.errors.reject(range, &rules::RANGE);
                None
            }
            of => {
                let category = self.variable(of).map(|local| self.known[local.index()].category.clone());
                let (mutable, by_copy) = match category {
                    Some(Category::Slice) => (self.is_mutable_slice(of), false),
                    Some(Category::Reference { mutable }) => (mutable, false),
                    _ => (false, true),
                };
                // An array is evaluated once: the body may change the place that it is in.
                Some(Items::Elements { of, mutable, by_copy, by_value: by_copy })
            }
        }
    }

    /// Adds the declarations of the items, and the statements that bind item `index` to the pattern.
    fn bind_items(&mut self, items: &Items<'_>, pattern: &Pat, index: &Ident, into: &mut Desugared) -> Option<()> {
        if let Pat::Paren(inner) = pattern {
            return self.bind_items(items, &inner.pat, index, into);
        }
        let number = into.counts.len();
        match items {
            Items::Zip(first, second) => {
                let (left, right) = self.parts_of_pair(pattern)?;
                self.bind_items(first, &left, index, into)?;
                self.bind_items(second, &right, index, into)
            }
            Items::Enumerate(inner) => {
                let (count, item) = self.parts_of_pair(pattern)?;
                let span = ours(count.span());
                into.bindings.extend(quote_spanned!(span=> let #count = #index;));
                self.bind_items(inner, &item, index, into)
            }
            Items::Elements { of, mutable, by_copy, by_value } => {
                let span = ours(of.span());
                let name = format_ident!("__items{number}", span = span);
                let mutability = mutable.then(|| quote!(mut));
                into.before.extend(if *by_value {
                    quote_spanned!(span=> let #name = #of;)
                } else {
                    quote_spanned!(span=> let #name = &#mutability (#of)[..];)
                });
                into.counts.push(quote_spanned!(span=> #name.len()));
                let at = ours(pattern.span());
                into.bindings.extend(match pattern {
                    Pat::Wild(_) => TokenStream::new(),
                    Pat::Reference(reference) if !by_copy => {
                        let pattern = &reference.pat;
                        quote_spanned!(at=> let #pattern = #name[#index];)
                    }
                    pattern if *by_copy => quote_spanned!(at=> let #pattern = #name[#index];),
                    pattern => quote_spanned!(at=> let #pattern = &#mutability #name[#index];),
                });
                Some(())
            }
            Items::Parts { of, mutable, kind, size, method } => {
                let span = ours(method.span());
                let name = format_ident!("__items{number}", span = span);
                let of_size = format_ident!("__size{number}", span = span);
                let mutability = mutable.then(|| quote!(mut));
                let text = if *kind == Parts::Windows { "window" } else { "chunk" };
                let text = format!("{text} size must be non-zero");
                into.before.extend(quote_spanned! {span=>
                    let #name = &#mutability (#of)[..];
                    let #of_size: usize = #size;
                    if #of_size == 0 {
                        panic!(#text);
                    }
                });
                into.counts.push(match kind {
                    Parts::Windows => quote_spanned! {span=>
                        (if #of_size > #name.len() { 0 } else { #name.len() - #of_size + 1 })
                    },
                    Parts::Chunks => quote_spanned!(span=> #name.len().div_ceil(#of_size)),
                    Parts::ChunksExact => quote_spanned!(span=> (#name.len() / #of_size)),
                });
                let part = match kind {
                    Parts::Windows => quote_spanned!(span=> #index..#index + #of_size),
                    Parts::Chunks => quote_spanned! {span=>
                        #index * #of_size..(#index * #of_size).saturating_add(#of_size).min(#name.len())
                    },
                    Parts::ChunksExact => quote_spanned!(span=> #index * #of_size..#index * #of_size + #of_size),
                };
                let at = ours(pattern.span());
                if !matches!(pattern, Pat::Wild(_)) {
                    into.bindings.extend(quote_spanned!(at=> let #pattern = &#mutability #name[#part];));
                }
                Some(())
            }
        }
    }

    /// Returns the two parts of the pattern of a pair.
    fn parts_of_pair(&mut self, pattern: &Pat) -> Option<(Pat, Pat)> {
        match pattern {
            Pat::Tuple(tuple) if tuple.elems.len() == 2 => Some((tuple.elems[0].clone(), tuple.elems[1].clone())),
            Pat::Wild(_) => Some((pattern.clone(), pattern.clone())),
            pattern => {
                self.errors.reject(pattern, &rules::PAIR_PATTERN);
                None
            }
        }
    }
}

/// Returns whether a loop is over several sequences, or over parts of a sequence.
pub(in crate::lower) fn is_zipped(expr: &Expr) -> bool {
    match peeled(expr) {
        Expr::MethodCall(call) if call.method == "zip" && call.args.len() == 1 => !is_counted(&call.receiver),
        Expr::MethodCall(call) if call.args.len() == 1 && Parts::of(&call.method).is_some() => true,
        Expr::MethodCall(call) if call.args.is_empty() => {
            let adapts = ["rev", "enumerate", "copied", "cloned"].iter().any(|name| call.method == name);
            adapts && is_zipped(&call.receiver)
        }
        _ => false,
    }
}

/// Returns whether an expression is a range with adapters.
fn is_counted(expr: &Expr) -> bool {
    match peeled(expr) {
        Expr::Range(_) => true,
        Expr::MethodCall(call) => is_counted(&call.receiver),
        _ => false,
    }
}
