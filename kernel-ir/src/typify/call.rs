//! The types of calls: device functions, intrinsics and methods.

use crate::What;
use crate::ir::{Callee, ExprId, Filled, Intrinsic, Method, SlotId, Span, Type, dim3};

use super::{Scope, method};

/// What a function takes and gives.
pub(crate) struct Signature {
    /// The types of the parameters.
    pub(crate) params: Vec<Type>,
    /// The type of the result.
    pub(crate) result: Type,
}

/// Whether a value of type `actual` can stand where `expected` is asked for: it never arrives, or it is of that type, or
/// it is a `&mut [T]` that is read as a `&[T]`.
pub(super) fn fits(actual: &Type, expected: &Type) -> bool {
    match (actual, expected) {
        (Type::Never, _) => true,
        (Type::Slice { element: actual, mutable: _ }, Type::Slice { element: expected, mutable: false }) => {
            actual == expected
        }
        _ => actual == expected,
    }
}

impl Scope<'_, '_> {
    /// The result of a call. `types` are those of the expressions so far.
    pub(super) fn call(&mut self, callee: SlotId, args: &[ExprId], types: &[Type], span: Span) -> Type {
        let instance = self.instance;
        let Filled::Callee(callee) = &instance.slots[callee.index()] else { return Type::Never };
        match callee {
            Callee::Intrinsic(intrinsic) => self.intrinsic(intrinsic, args, types, span),
            Callee::Function(id) => {
                let callees = self.callees;
                let Some(callee) = callees.get(id.index()) else {
                    self.error(
                        span,
                        What::new(
                            format!("the call reaches function {} of the program before it is complete", id.0),
                            "a function that calls itself, directly or through others, has no bound on its stack, \
                             which a GPU thread needs",
                            "write the recursion as a loop",
                        ),
                    );
                    return Type::Never;
                };
                // A function whose slots are broken has reported that itself.
                if callee.sound || callee.signature.params.len() == callee.instance.function.params.len() {
                    self.args(&callee.instance.function.name, &callee.signature.params, args, types, span);
                }
                callee.signature.result.clone()
            }
        }
    }

    /// The result of a method.
    pub(super) fn method(&mut self, ids: (ExprId, &[ExprId]), method: Method, types: &[Type], span: Span) -> Type {
        let (receiver, args) = ids;
        let receiver = &types[receiver.index()];
        if *receiver == Type::Never {
            return Type::Never;
        }
        let Some(Signature { params, result }) = method::signature(method, receiver) else {
            let name = method.name();
            self.error(
                span,
                What::new(
                    format!("`{receiver}` has no method `{name}` in a kernel"),
                    "kernels have the methods of numbers, slices and shared arrays that are in Cumbia's table",
                    format!("call a `#[device]` function that computes `{name}`"),
                ),
            );
            return Type::Never;
        };
        self.args(method.name(), &params, args, types, span);
        result
    }

    fn intrinsic(&mut self, intrinsic: &Intrinsic, args: &[ExprId], types: &[Type], span: Span) -> Type {
        let (name, params, result) = match intrinsic {
            Intrinsic::Grid(n) => ("grid", vec![], self.position(*n, span)),
            Intrinsic::GridSize(n) => ("grid_size", vec![], self.position(*n, span)),
            Intrinsic::ThreadIdx => ("thread_idx", vec![], dim3()),
            Intrinsic::BlockIdx => ("block_idx", vec![], dim3()),
            Intrinsic::BlockDim => ("block_dim", vec![], dim3()),
            Intrinsic::GridDim => ("grid_dim", vec![], dim3()),
            Intrinsic::Shared(ty) => ("shared", vec![], Type::Shared(Box::new(ty.clone()))),
            Intrinsic::DynamicShared(ty) => ("dynamic_shared", vec![], slice(ty)),
            Intrinsic::DynamicSharedAt(ty) => ("dynamic_shared_at", vec![Type::USIZE, Type::USIZE], slice(ty)),
            Intrinsic::SyncThreads => ("sync_threads", vec![], Type::Unit),
            Intrinsic::AtomicAdd => {
                let element = match args.first().map(|place| &types[place.index()]) {
                    Some(Type::Place(element)) => (**element).clone(),
                    Some(Type::Never) => return Type::Never,
                    Some(_) | None => {
                        self.inconsistent(span, "`atomic_add` takes a place and a value");
                        return Type::Never;
                    }
                };
                ("atomic_add", vec![Type::Place(Box::new(element.clone())), element.clone()], element)
            }
        };
        self.args(name, &params, args, types, span);
        result
    }

    /// The type of `grid::<N>()`.
    fn position(&mut self, dimensions: u8, span: Span) -> Type {
        match dimensions {
            1 => Type::USIZE,
            2 | 3 => Type::Tuple(vec![Type::USIZE; dimensions.into()]),
            _ => {
                self.inconsistent(span, format!("a grid of {dimensions} dimensions"));
                Type::Never
            }
        }
    }

    fn args(&mut self, name: &str, params: &[Type], args: &[ExprId], types: &[Type], span: Span) {
        if params.len() != args.len() {
            self.inconsistent(span, format!("`{name}` takes {} arguments, not {}", params.len(), args.len()));
            return;
        }
        for (param, arg) in params.iter().zip(args) {
            let actual = &types[arg.index()];
            if !fits(actual, param) {
                let span = self.instance.function.expr(*arg).span;
                self.inconsistent(span, format!("an argument of `{name}` is `{actual}`, not `{param}`"));
            }
        }
    }
}

fn slice(element: &Type) -> Type {
    Type::Slice { element: Box::new(element.clone()), mutable: true }
}
