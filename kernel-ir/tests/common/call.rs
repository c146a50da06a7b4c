//! Calls: of functions, of methods, of the device's operations, and of the constructors of tuple structs.

use cumbia_kernel_ir::ir::{
    AtomicOp, Callee, Comparison, ExprId, ExprKind, Fast, Filled, FunctionId, Intrinsic, Method, Ordering, Predicate,
    Reduce, Scalar, Scope, Shuffle, Span, Type, Vote,
};

use super::body::Builder;
use super::items::scalar;

impl Builder<'_> {
    pub(super) fn call(&mut self, call: &syn::ExprCall, at: Span) -> ExprId {
        let syn::Expr::Path(path) = &*call.func else { panic!("a callee") };
        let segment = path.path.segments.last().unwrap();
        let name = segment.ident.to_string();
        if let (1, Some(Type::Struct(structure))) = (path.path.segments.len(), self.items.named(&name).cloned()) {
            let fields = call.args.iter().zip(&structure.fields);
            let fields = fields.map(|(arg, field)| (field.name.clone(), self.expr_as(arg, Some(&field.ty)))).collect();
            let slot = self.type_slot(Type::Struct(structure));
            return self.push(ExprKind::Struct { slot, fields, base: None }, at);
        }
        let of = match &segment.arguments {
            syn::PathArguments::AngleBracketed(args) => match args.args.first() {
                Some(syn::GenericArgument::Type(of)) => Some(self.items.ty(of)),
                _ => None,
            },
            _ => None,
        };
        let mut args: Vec<&syn::Expr> = call.args.iter().collect();
        let owner = path.path.segments.iter().rev().nth(1).map(|owner| owner.ident.to_string());
        // `<$T>::f(x)`, as a macro writes it.
        let owner = owner.or_else(|| match path.qself.as_ref().map(|qself| &*qself.ty) {
            Some(syn::Type::Path(path)) => path.path.segments.last().map(|owner| owner.ident.to_string()),
            _ => None,
        });
        if let (Some(to), "cast") = (owner.as_deref().and_then(scalar), name.as_str()) {
            let operand = self.expr(&call.args[0]);
            let slot = self.type_slot(Type::Scalar(to));
            return self.push(ExprKind::Cast { operand, slot }, at);
        }
        if let Some("fast") = owner.as_deref() {
            let fast = fast(&name);
            let args = call.args.iter().map(|arg| self.expr_as(arg, Some(&Type::Scalar(Scalar::F32)))).collect();
            let callee = self.slot(Filled::Callee(Callee::Intrinsic(Intrinsic::Fast(fast))));
            return self.push(ExprKind::Call { callee, args }, at);
        }
        let callee = if let Some(owner) = owner {
            let ty = scalar(&owner).map(Type::Scalar).or_else(|| self.items.named(&owner).cloned());
            let own = self.items.callable(ty.as_ref(), &name).map(Callee::Function);
            let method = || Method::from_name(&format!("{owner}::{name}")).or_else(|| Method::from_name(&name));
            own.or_else(|| method().map(Callee::Method)).expect("a method of the table")
        } else {
            let own = self.items.callable(None, &name).map(Callee::Function);
            let device = own.or_else(|| intrinsic(&name, of, &mut args).map(Callee::Intrinsic));
            device.unwrap_or(Callee::Function(FunctionId(u32::MAX)))
        };
        let params = match &callee {
            Callee::Function(id) => self.items.params(*id).to_vec(),
            Callee::Intrinsic(_) | Callee::Method(_) => Vec::new(),
        };
        let args = args.into_iter().enumerate().map(|(i, arg)| self.expr_as(arg, params.get(i))).collect();
        let callee = self.slot(Filled::Callee(callee));
        self.push(ExprKind::Call { callee, args }, at)
    }

    pub(super) fn method(&mut self, call: &syn::ExprMethodCall, at: Span) -> ExprId {
        let name = call.method.to_string();
        let receiver = self.expr(&call.receiver);
        let of = self.of(receiver).map(|ty| ty.target().clone());
        let (callee, params) = if let Some(id) = of.as_ref().and_then(|of| self.items.callable(Some(of), &name)) {
            (Callee::Function(id), self.items.params(id)[1..].to_vec())
        } else {
            let method = Method::from_name(&name).expect("a method of the table");
            let own = of.filter(|of| of.scalar().is_some() && !name.contains("sh") && !name.contains("pow"));
            (Callee::Method(method), own.into_iter().cycle().take(call.args.len()).collect())
        };
        let mut args = vec![receiver];
        args.extend(call.args.iter().enumerate().map(|(i, arg)| self.expr_as(arg, params.get(i))));
        let callee = self.slot(Filled::Callee(callee));
        self.push(ExprKind::Call { callee, args }, at)
    }
}

/// The approximation of this name.
fn fast(name: &str) -> Fast {
    use Fast::*;
    let all = [Sin, Cos, Tan, SinCos, Tanh, Exp, Exp2, Exp10, Ln, Log2, Log10, Pow, Div, Rcp, Sqrt, Rsqrt].into_iter();
    { all }.find(|fast| fast.name() == format!("fast::{name}")).expect("an approximation")
}

/// The operation of this name. `grid(1)` has its argument taken away, as `grid::<1>()` has none.
fn intrinsic(name: &str, of: Option<Type>, args: &mut Vec<&syn::Expr>) -> Option<Intrinsic> {
    let mut dimensions = || match args.pop() {
        Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. })) => n.base10_parse().unwrap(),
        _ => panic!("dimensions"),
    };
    // `atomic_add_acquire_block`, as the emitted text calls it.
    let (name, scope) = match (name.strip_suffix("_block"), name.strip_suffix("_system")) {
        (Some(name), _) if name.starts_with("atomic") => (name, Scope::Block),
        (_, Some(name)) if name.starts_with("atomic") => (name, Scope::System),
        _ => (name, Scope::Device),
    };
    let orderings = [
        ("_acquire", Ordering::Acquire),
        ("_release", Ordering::Release),
        ("_acq_rel", Ordering::AcqRel),
        ("_seq_cst", Ordering::SeqCst),
    ];
    let ordered = orderings.into_iter().find_map(|(suffix, ordering)| Some((name.strip_suffix(suffix)?, ordering)));
    let (name, ordering) = ordered.unwrap_or((name, Ordering::Relaxed));
    let atomic = |op| Intrinsic::Atomic { op, ordering, scope };
    Some(match name {
        "grid" => Intrinsic::Grid(dimensions()),
        "grid_size" => Intrinsic::GridSize(dimensions()),
        "thread_idx" => Intrinsic::ThreadIdx,
        "block_idx" => Intrinsic::BlockIdx,
        "block_dim" => Intrinsic::BlockDim,
        "grid_dim" => Intrinsic::GridDim,
        "shared" => Intrinsic::Shared(of.expect("a type")),
        "dynamic_shared" => Intrinsic::DynamicShared(of.expect("a type")),
        "dynamic_shared_at" => Intrinsic::DynamicSharedAt(of.expect("a type")),
        "sync_threads" => Intrinsic::SyncThreads,
        "sync_threads_count" => Intrinsic::SyncThreadsVote(Predicate::Count),
        "sync_threads_and" => Intrinsic::SyncThreadsVote(Predicate::And),
        "sync_threads_or" => Intrinsic::SyncThreadsVote(Predicate::Or),
        "sync_warp" => Intrinsic::SyncWarp,
        "sync_grid" => Intrinsic::SyncGrid,
        "thread_fence" => Intrinsic::Fence(Scope::Device),
        "thread_fence_block" => Intrinsic::Fence(Scope::Block),
        "thread_fence_system" => Intrinsic::Fence(Scope::System),
        "atomic_add" => atomic(AtomicOp::Add),
        "atomic_sub" => atomic(AtomicOp::Sub),
        "atomic_min" => atomic(AtomicOp::Min),
        "atomic_max" => atomic(AtomicOp::Max),
        "atomic_and" => atomic(AtomicOp::And),
        "atomic_or" => atomic(AtomicOp::Or),
        "atomic_xor" => atomic(AtomicOp::Xor),
        "atomic_exch" => atomic(AtomicOp::Exchange),
        "atomic_cas" => atomic(AtomicOp::CompareExchange),
        "atomic_inc" => atomic(AtomicOp::Inc),
        "atomic_dec" => atomic(AtomicOp::Dec),
        "atomic_load" => atomic(AtomicOp::Load),
        "atomic_store" => atomic(AtomicOp::Store),
        "shfl_sync" => Intrinsic::Shuffle(Shuffle::Index),
        "shfl_up_sync" => Intrinsic::Shuffle(Shuffle::Up),
        "shfl_down_sync" => Intrinsic::Shuffle(Shuffle::Down),
        "shfl_xor_sync" => Intrinsic::Shuffle(Shuffle::Xor),
        "all_sync" => Intrinsic::Vote(Vote::All),
        "any_sync" => Intrinsic::Vote(Vote::Any),
        "uni_sync" => Intrinsic::Vote(Vote::Uni),
        "ballot_sync" => Intrinsic::Vote(Vote::Ballot),
        "match_any_sync" => Intrinsic::MatchAny,
        "match_all_sync" => Intrinsic::MatchAll,
        "reduce_add_sync" => Intrinsic::Reduce(Reduce::Add),
        "reduce_min_sync" => Intrinsic::Reduce(Reduce::Min),
        "reduce_max_sync" => Intrinsic::Reduce(Reduce::Max),
        "reduce_and_sync" => Intrinsic::Reduce(Reduce::And),
        "reduce_or_sync" => Intrinsic::Reduce(Reduce::Or),
        "reduce_xor_sync" => Intrinsic::Reduce(Reduce::Xor),
        "active_mask" => Intrinsic::ActiveMask,
        "lane_id" => Intrinsic::LaneId,
        "lanemask_eq" => Intrinsic::LaneMask(Comparison::Eq),
        "lanemask_lt" => Intrinsic::LaneMask(Comparison::Lt),
        "lanemask_le" => Intrinsic::LaneMask(Comparison::Le),
        "lanemask_gt" => Intrinsic::LaneMask(Comparison::Gt),
        "lanemask_ge" => Intrinsic::LaneMask(Comparison::Ge),
        _ => return None,
    })
}
