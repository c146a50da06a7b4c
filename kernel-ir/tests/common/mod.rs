//! Rust text to IR, for tests: what `#[kernel]` and rustc do together, for programs that say all their types.
//!
//! `let` needs a type (`let x: f32 = ..`), except for `let (x, y) = grid(2)`; a literal without a suffix is a `usize` or
//! an `f32`. The last function of the text is the kernel.
#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod host;

use cumbia_kernel_ir::ir::{
    BinaryOp, Block, Callee, Expr, ExprId, ExprKind, Filled, Function, FunctionId, Instance, Intrinsic, Literal, Local,
    LocalId, LogicalOp, LoopId, Method, Pattern, Program, Range, Scalar, SlotId, Span, Stmt, Type, UnaryOp, dim3,
};
use syn::spanned::Spanned;

/// A program from its text.
pub(crate) fn program(text: &str, overflow_checks: bool) -> Program {
    let file = syn::parse_file(text).expect("the test's text is Rust");
    let mut instances: Vec<Instance> = Vec::new();
    for item in &file.items {
        let syn::Item::Fn(item) = item else { panic!("only functions") };
        let names: Vec<String> = instances.iter().map(|instance| instance.function.name.clone()).collect();
        let mut instance = function(item, &names);
        instance.overflow_checks = overflow_checks;
        instances.push(instance);
    }
    let kernel = instances.pop().expect("a kernel");
    Program { kernel, functions: instances }
}

fn span(node: &impl Spanned) -> Span {
    let start = node.span().start();
    Span { line: start.line as u32, column: start.column as u32 + 1 }
}

fn function(item: &syn::ItemFn, callees: &[String]) -> Instance {
    let mut builder = Builder { callees, ..Builder::default() };
    let mut params = Vec::new();
    for input in &item.sig.inputs {
        let syn::FnArg::Typed(input) = input else { panic!("self") };
        let syn::Pat::Ident(name) = &*input.pat else { panic!("a pattern as parameter") };
        params.push(builder.local(name, ty(&input.ty)));
    }
    let result = match &item.sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, result) => Some(builder.slot(Filled::Type(ty(result)))),
    };
    let body = builder.block(&item.block);
    let Builder { locals, exprs, slots, .. } = builder;
    let function = Function {
        name: item.sig.ident.to_string(),
        span: span(&item.sig.ident),
        params,
        result,
        locals,
        exprs,
        body,
        slots: slots.len() as u32,
    };
    Instance { function, slots, file: "src/kernels.rs".to_owned(), overflow_checks: false }
}

fn scalar(name: &str) -> Option<Scalar> {
    use Scalar::*;
    [Bool, I8, I16, I32, I64, Isize, U8, U16, U32, U64, Usize, F32, F64].into_iter().find(|s| s.name() == name)
}

pub(crate) fn ty(ty: &syn::Type) -> Type {
    match ty {
        syn::Type::Path(path) => {
            let name = path.path.segments.last().unwrap();
            match scalar(&name.ident.to_string()) {
                Some(scalar) => Type::Scalar(scalar),
                None if name.ident == "Dim3" => dim3(),
                None if name.ident == "Shared" => {
                    let syn::PathArguments::AngleBracketed(args) = &name.arguments else { panic!() };
                    let Some(syn::GenericArgument::Type(inner)) = args.args.first() else { panic!() };
                    Type::Shared(Box::new(self::ty(inner)))
                }
                None => panic!("type {}", name.ident),
            }
        }
        syn::Type::Reference(reference) => match &*reference.elem {
            syn::Type::Slice(slice) => {
                Type::Slice { element: Box::new(self::ty(&slice.elem)), mutable: reference.mutability.is_some() }
            }
            other => Type::Place(Box::new(self::ty(other))),
        },
        syn::Type::Array(array) => {
            let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(len), .. }) = &array.len else { panic!() };
            Type::Array(Box::new(self::ty(&array.elem)), len.base10_parse().unwrap())
        }
        syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Type::Unit,
        syn::Type::Tuple(tuple) => Type::Tuple(tuple.elems.iter().map(self::ty).collect()),
        syn::Type::Never(_) => Type::Never,
        _ => panic!("type"),
    }
}

#[derive(Default)]
struct Builder<'a> {
    callees: &'a [String],
    locals: Vec<Local>,
    exprs: Vec<Expr>,
    slots: Vec<Filled>,
    scope: Vec<(String, LocalId)>,
    loops: Vec<(Option<String>, LoopId)>,
    loop_count: u32,
}

impl Builder<'_> {
    fn slot(&mut self, filled: Filled) -> SlotId {
        self.slots.push(filled);
        SlotId(self.slots.len() as u32 - 1)
    }

    fn local(&mut self, name: &syn::PatIdent, ty: Type) -> LocalId {
        let slot = self.slot(Filled::Type(ty));
        let text = name.ident.to_string().trim_start_matches("r#").to_owned();
        self.locals.push(Local { name: text.clone(), mutable: name.mutability.is_some(), slot });
        let id = LocalId(self.locals.len() as u32 - 1);
        self.scope.push((text, id));
        id
    }

    fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, span });
        ExprId(self.exprs.len() as u32 - 1)
    }

    fn block(&mut self, block: &syn::Block) -> Block {
        let depth = self.scope.len();
        let mut result = Block::default();
        for (i, stmt) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            match stmt {
                syn::Stmt::Local(local) => {
                    let init = local.init.as_ref().map(|init| self.expr(&init.expr));
                    let pattern = self.pattern(&local.pat, None);
                    result.stmts.push(Stmt::Let { pattern, init, span: span(local) });
                }
                syn::Stmt::Expr(expr, semicolon) => {
                    let id = self.expr(expr);
                    if semicolon.is_none() && last {
                        result.tail = Some(id);
                    } else {
                        result.stmts.push(Stmt::Expr(id));
                    }
                }
                syn::Stmt::Macro(call) => {
                    let id = self.panic(&call.mac, span(call));
                    result.stmts.push(Stmt::Expr(id));
                }
                syn::Stmt::Item(_) => panic!("an item"),
            }
        }
        self.scope.truncate(depth);
        result
    }

    fn panic(&mut self, call: &syn::Macro, span: Span) -> ExprId {
        let message: syn::LitStr = call.parse_body().expect("panic! of a string");
        self.push(ExprKind::Panic { message: message.value() }, span)
    }

    fn pattern(&mut self, pattern: &syn::Pat, of: Option<Type>) -> Pattern {
        match pattern {
            syn::Pat::Type(typed) => self.pattern(&typed.pat, Some(ty(&typed.ty))),
            syn::Pat::Wild(_) => Pattern::Wild,
            syn::Pat::Ident(name) => Pattern::Local(self.local(name, of.unwrap_or(Type::USIZE))),
            syn::Pat::Tuple(parts) => {
                let types: Vec<Option<Type>> = match of {
                    Some(Type::Tuple(types)) => types.into_iter().map(Some).collect(),
                    _ => vec![None; parts.elems.len()],
                };
                Pattern::Tuple(parts.elems.iter().zip(types).map(|(part, of)| self.pattern(part, of)).collect())
            }
            _ => panic!("pattern"),
        }
    }

    fn named(&self, name: &str) -> Option<LocalId> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, id)| *id)
    }

    fn loop_id(&mut self, label: Option<&syn::Label>) -> LoopId {
        let id = LoopId(self.loop_count);
        self.loop_count += 1;
        self.loops.push((label.map(|label| label.name.ident.to_string()), id));
        id
    }

    fn target(&self, label: Option<&syn::Lifetime>) -> LoopId {
        let found = match label {
            None => self.loops.last(),
            Some(label) => self.loops.iter().rev().find(|(name, _)| name.as_deref() == Some(&label.ident.to_string())),
        };
        found.expect("a loop").1
    }

    fn lit(&mut self, lit: &syn::Lit, negative: bool, at: Span) -> ExprId {
        let (value, of) = match lit {
            syn::Lit::Int(int) if scalar(int.suffix()).is_some_and(Scalar::is_float) => {
                let digits = int.base10_digits();
                (Literal::Float(if negative { format!("-{digits}") } else { digits.to_owned() }), scalar(int.suffix()))
            }
            syn::Lit::Int(int) => {
                let magnitude = int.base10_parse().unwrap();
                (Literal::Int { magnitude, negative }, scalar(int.suffix()).or(Some(Scalar::Usize)))
            }
            syn::Lit::Float(float) => {
                let digits = float.base10_digits();
                let of = scalar(float.suffix()).or(Some(Scalar::F32));
                (Literal::Float(if negative { format!("-{digits}") } else { digits.to_owned() }), of)
            }
            syn::Lit::Bool(value) => (Literal::Bool(value.value), Some(Scalar::Bool)),
            _ => panic!("literal"),
        };
        let slot = self.slot(Filled::Type(Type::Scalar(of.unwrap())));
        self.push(ExprKind::Literal { value, slot }, at)
    }

    fn expr(&mut self, expr: &syn::Expr) -> ExprId {
        let at = span(expr);
        let kind = match expr {
            syn::Expr::Paren(inner) => return self.expr(&inner.expr),
            syn::Expr::Group(inner) => return self.expr(&inner.expr),
            syn::Expr::Lit(lit) => return self.lit(&lit.lit, false, at),
            syn::Expr::Macro(call) => return self.panic(&call.mac, at),
            syn::Expr::Path(path) => {
                let name: Vec<String> = path.path.segments.iter().map(|part| part.ident.to_string()).collect();
                match name.as_slice() {
                    [name] => ExprKind::Local(self.named(name.trim_start_matches("r#")).expect("a variable")),
                    [of, name] => self.constant(of, name),
                    _ => panic!("path"),
                }
            }
            syn::Expr::Unary(syn::ExprUnary { op, expr, .. }) => match (op, &**expr) {
                (syn::UnOp::Neg(_), syn::Expr::Lit(lit)) => return self.lit(&lit.lit, true, at),
                (syn::UnOp::Neg(_), operand) => ExprKind::Unary { op: UnaryOp::Neg, operand: self.expr(operand) },
                (syn::UnOp::Not(_), operand) => ExprKind::Unary { op: UnaryOp::Not, operand: self.expr(operand) },
                _ => panic!("unary"),
            },
            syn::Expr::Binary(binary) => return self.binary(binary, at),
            syn::Expr::Cast(cast) => {
                let operand = self.expr(&cast.expr);
                let slot = self.slot(Filled::Type(ty(&cast.ty)));
                ExprKind::Cast { operand, slot }
            }
            syn::Expr::Index(index) => ExprKind::Index { base: self.expr(&index.expr), index: self.expr(&index.index) },
            syn::Expr::Field(field) => {
                let base = self.expr(&field.base);
                let name = match &field.member {
                    syn::Member::Named(name) => name.to_string(),
                    syn::Member::Unnamed(position) => position.index.to_string(),
                };
                ExprKind::Field { base, name }
            }
            syn::Expr::Tuple(parts) => ExprKind::Tuple(parts.elems.iter().map(|part| self.expr(part)).collect()),
            syn::Expr::Call(call) => return self.call(call, at),
            syn::Expr::MethodCall(call) => {
                let receiver = self.expr(&call.receiver);
                let args = call.args.iter().map(|arg| self.expr(arg)).collect();
                let method = Method::from_name(&call.method.to_string()).expect("a method of the table");
                ExprKind::Method { receiver, method, args }
            }
            syn::Expr::Reference(reference) => ExprKind::Borrow(self.expr(&reference.expr)),
            syn::Expr::Block(block) => ExprKind::Block(self.block(&block.block)),
            syn::Expr::If(branch) => {
                let condition = self.expr(&branch.cond);
                let then = self.block(&branch.then_branch);
                let otherwise = branch.else_branch.as_ref().map(|(_, otherwise)| self.expr(otherwise));
                ExprKind::If { condition, then, otherwise }
            }
            syn::Expr::Loop(looped) => {
                let id = self.loop_id(looped.label.as_ref());
                let body = self.block(&looped.body);
                self.loops.pop();
                ExprKind::Loop { id, body }
            }
            syn::Expr::While(looped) => {
                let id = self.loop_id(looped.label.as_ref());
                let condition = self.expr(&looped.cond);
                let body = self.block(&looped.body);
                self.loops.pop();
                ExprKind::While { id, condition, body }
            }
            syn::Expr::ForLoop(looped) => return self.for_loop(looped, at),
            syn::Expr::Break(jump) => ExprKind::Break {
                target: self.target(jump.label.as_ref()),
                value: jump.expr.as_ref().map(|value| self.expr(value)),
            },
            syn::Expr::Continue(jump) => ExprKind::Continue { target: self.target(jump.label.as_ref()) },
            syn::Expr::Return(jump) => ExprKind::Return(jump.expr.as_ref().map(|value| self.expr(value))),
            syn::Expr::Assign(assign) => {
                ExprKind::Assign { place: self.expr(&assign.left), value: self.expr(&assign.right) }
            }
            _ => panic!("expression"),
        };
        self.push(kind, at)
    }

    fn constant(&mut self, of: &str, name: &str) -> ExprKind {
        let scalar = scalar(of).expect("a constant of a number");
        let bits = match (scalar, name) {
            (Scalar::F32, "NAN") => f32::NAN.to_bits().into(),
            (Scalar::F32, "INFINITY") => f32::INFINITY.to_bits().into(),
            (Scalar::F64, "NEG_INFINITY") => f64::NEG_INFINITY.to_bits(),
            (_, "MIN") if scalar.is_signed() => 1 << (scalar.bits() - 1),
            (_, "MIN") => 0,
            (_, "MAX") => u64::MAX >> (64 - scalar.bits() + u32::from(scalar.is_signed())),
            _ => panic!("constant {of}::{name}"),
        };
        let slot = self.slot(Filled::Constant(cumbia_kernel_ir::ir::Constant { scalar, bits }));
        ExprKind::Constant(slot)
    }

    fn binary(&mut self, binary: &syn::ExprBinary, at: Span) -> ExprId {
        use syn::BinOp as B;
        let (left, right) = (self.expr(&binary.left), self.expr(&binary.right));
        let (op, assigns) = match &binary.op {
            B::And(_) => return self.push(ExprKind::Logical { op: LogicalOp::And, left, right }, at),
            B::Or(_) => return self.push(ExprKind::Logical { op: LogicalOp::Or, left, right }, at),
            B::Add(_) => (BinaryOp::Add, false),
            B::Sub(_) => (BinaryOp::Sub, false),
            B::Mul(_) => (BinaryOp::Mul, false),
            B::Div(_) => (BinaryOp::Div, false),
            B::Rem(_) => (BinaryOp::Rem, false),
            B::BitAnd(_) => (BinaryOp::BitAnd, false),
            B::BitOr(_) => (BinaryOp::BitOr, false),
            B::BitXor(_) => (BinaryOp::BitXor, false),
            B::Shl(_) => (BinaryOp::Shl, false),
            B::Shr(_) => (BinaryOp::Shr, false),
            B::Eq(_) => (BinaryOp::Eq, false),
            B::Ne(_) => (BinaryOp::Ne, false),
            B::Lt(_) => (BinaryOp::Lt, false),
            B::Le(_) => (BinaryOp::Le, false),
            B::Gt(_) => (BinaryOp::Gt, false),
            B::Ge(_) => (BinaryOp::Ge, false),
            B::AddAssign(_) => (BinaryOp::Add, true),
            B::SubAssign(_) => (BinaryOp::Sub, true),
            B::MulAssign(_) => (BinaryOp::Mul, true),
            B::DivAssign(_) => (BinaryOp::Div, true),
            B::RemAssign(_) => (BinaryOp::Rem, true),
            B::BitAndAssign(_) => (BinaryOp::BitAnd, true),
            B::BitOrAssign(_) => (BinaryOp::BitOr, true),
            B::BitXorAssign(_) => (BinaryOp::BitXor, true),
            B::ShlAssign(_) => (BinaryOp::Shl, true),
            B::ShrAssign(_) => (BinaryOp::Shr, true),
            _ => panic!("operator"),
        };
        if assigns {
            self.push(ExprKind::AssignOp { op, place: left, value: right }, at)
        } else {
            self.push(ExprKind::Binary { op, left, right }, at)
        }
    }

    fn for_loop(&mut self, looped: &syn::ExprForLoop, at: Span) -> ExprId {
        let mut range = &*looped.expr;
        let mut step = None;
        if let syn::Expr::MethodCall(call) = range {
            range = &call.receiver;
            step = Some(self.expr(&call.args[0]));
        }
        while let syn::Expr::Paren(inner) = range {
            range = &inner.expr;
        }
        let syn::Expr::Range(bounds) = range else { panic!("a range") };
        let start = self.expr(bounds.start.as_ref().unwrap());
        let end = self.expr(bounds.end.as_ref().unwrap());
        let inclusive = matches!(bounds.limits, syn::RangeLimits::Closed(_));
        let of = [start, end].into_iter().find_map(|bound| match self.exprs[bound.index()].kind {
            ExprKind::Literal { slot, .. } | ExprKind::Cast { slot, .. } => Some(self.slots[slot.index()].clone()),
            ExprKind::Local(local) => Some(self.slots[self.locals[local.index()].slot.index()].clone()),
            _ => None,
        });
        let Filled::Type(of) = of.unwrap_or(Filled::Type(Type::USIZE)) else { panic!() };
        let depth = self.scope.len();
        let local = match &*looped.pat {
            syn::Pat::Wild(_) => None,
            syn::Pat::Ident(name) => Some(self.local(name, of)),
            _ => panic!("pattern of a for"),
        };
        let id = self.loop_id(looped.label.as_ref());
        let body = self.block(&looped.body);
        self.loops.pop();
        self.scope.truncate(depth);
        self.push(ExprKind::For { id, local, range: Range { start, end, inclusive, step }, body }, at)
    }

    fn call(&mut self, call: &syn::ExprCall, at: Span) -> ExprId {
        let syn::Expr::Path(path) = &*call.func else { panic!("callee") };
        let segment = path.path.segments.last().unwrap();
        let of = match &segment.arguments {
            syn::PathArguments::AngleBracketed(args) => match args.args.first() {
                Some(syn::GenericArgument::Type(of)) => Some(ty(of)),
                _ => None,
            },
            _ => None,
        };
        let name = segment.ident.to_string();
        let mut args: Vec<&syn::Expr> = call.args.iter().collect();
        let mut dimensions = || match args.pop() {
            Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. })) => n.base10_parse().unwrap(),
            _ => panic!("dimensions"),
        };
        let position = self.callees.iter().rposition(|callee| *callee == name);
        let callee = match (position, name.as_str()) {
            (Some(position), _) => Callee::Function(FunctionId(position as u32)),
            (None, "grid") => Callee::Intrinsic(Intrinsic::Grid(dimensions())),
            (None, "grid_size") => Callee::Intrinsic(Intrinsic::GridSize(dimensions())),
            (None, "thread_idx") => Callee::Intrinsic(Intrinsic::ThreadIdx),
            (None, "block_idx") => Callee::Intrinsic(Intrinsic::BlockIdx),
            (None, "block_dim") => Callee::Intrinsic(Intrinsic::BlockDim),
            (None, "grid_dim") => Callee::Intrinsic(Intrinsic::GridDim),
            (None, "shared") => Callee::Intrinsic(Intrinsic::Shared(of.unwrap())),
            (None, "dynamic_shared") => Callee::Intrinsic(Intrinsic::DynamicShared(of.unwrap())),
            (None, "dynamic_shared_at") => Callee::Intrinsic(Intrinsic::DynamicSharedAt(of.unwrap())),
            (None, "sync_threads") => Callee::Intrinsic(Intrinsic::SyncThreads),
            (None, "atomic_add") => Callee::Intrinsic(Intrinsic::AtomicAdd),
            (None, _) => Callee::Function(FunctionId(u32::MAX)),
        };
        let args = args.into_iter().map(|arg| self.expr(arg)).collect();
        let callee = self.slot(Filled::Callee(callee));
        self.push(ExprKind::Call { callee, args }, at)
    }
}
