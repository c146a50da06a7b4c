//! The narrow variant: numbers of type `usize` and `isize` in 32 bits.
//!
//! On a GPU, a 64-bit addition is two instructions and a multiplication four, and an index takes two registers. The
//! program is rewritten such that the values that fit (see [`width`](super::width)) are computed as `int`, under the
//! conditions that they do. Signed arithmetic, because it is proved not to overflow, and the compiler may assume that it
//! does not: it then replaces the index of an element by a pointer that advances, as in hand-written code. Divisions,
//! remainders and right shifts of numbers that are not negative stay unsigned, which is cheaper.
//!
//! **Soundness.** By induction over the steps of an execution, each narrow expression has the same mathematical value as
//! the original one. If both operands of a sum, a difference or a product are narrow, the exact result has less than 64
//! bits, so that it equals the original value, which fits: it does not overflow. Where an operand does not fit, but is a
//! sum, a difference or a product itself, the result is computed modulo 2³², which is exact because it fits. Operations whose
//! result depends on the width of the operands in any other way have their original type, and so do elements of arrays,
//! fields of structs and variables to which references exist: narrow operands are converted.

mod expr;
mod form;
mod stmt;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::condition::Condition;
use super::rewrite;
use super::width::{Fit, Widths};
use crate::ir::{FunctionId, Scalar};
use crate::lower::{
    Body, CType, CallTarget, Expr, Function, Header, Helper, Module, NameOrigin, Op, Stmt, StmtKind, VarId, Variable,
};
use crate::set::Set;
use form::Narrow;

/// The simplified conditions under which values fit.
pub(super) struct Fits {
    pub(super) exprs: HashMap<*const Expr, Fit>,
    pub(super) vars: HashMap<(*const Function, u32), Condition>,
    pub(super) results: HashMap<*const Function, Condition>,
    pub(super) steps: HashMap<*const Expr, Condition>,
    pub(super) opaque: HashSet<*const Function>,
}

impl Fits {
    /// Returns the conditions of a walk, and calls `simplify` with each.
    pub(super) fn new(widths: &Widths, mut simplify: impl FnMut(Condition) -> Condition) -> Fits {
        let fit = |Fit { scalar, condition }: &Fit, simplify: &mut dyn FnMut(Condition) -> Condition| Fit {
            scalar: *scalar,
            condition: simplify(*condition),
        };
        Fits {
            exprs: widths
                .exprs
                .iter()
                .filter(|(expr, _)| !widths.unknown.contains(*expr))
                .map(|(expr, of)| (*expr, fit(of, &mut simplify)))
                .collect(),
            vars: widths.vars().map(|((function, var), of)| ((function, var.0), simplify(of))).collect(),
            results: widths.results.iter().map(|(function, of)| (*function, simplify(*of))).collect(),
            steps: widths.steps.iter().map(|(call, of)| (*call, simplify(*of))).collect(),
            opaque: widths.opaque.clone(),
        }
    }
}

/// A program whose numbers are narrow where they fit.
pub(super) struct Narrowed {
    functions: Vec<(FunctionId, Rewritten)>,
    kernel: Rewritten,
    /// The conditions under which it is equivalent to the original.
    pub(super) conditions: Set<Condition>,
}

/// The parts of a function that change.
struct Rewritten {
    body: Vec<Stmt>,
    narrow: Set<u32>,
    has_narrow_result: bool,
}

/// Rewrites a program without the checks for which `removed` returns true. Returns `None` if nothing is narrow.
pub(super) fn rewrite(module: &Module, fits: &Fits, removed: &dyn Fn(&Expr) -> bool) -> Option<Narrowed> {
    let functions = rewrite::functions(module);
    let narrow: HashMap<_, _> =
        functions.iter().map(|(_, function)| (std::ptr::from_ref(*function), narrow_vars(function, fits))).collect();
    let results: Set<FunctionId> = functions
        .iter()
        .filter(|(_, function)| is_transparent(function, fits))
        .filter(|(_, function)| {
            let condition = fits.results.get(&std::ptr::from_ref(*function));
            condition.is_some_and(|condition| *condition != Condition::FALSE)
        })
        .filter_map(|(id, _)| *id)
        .collect();
    let mut conditions = Set::new();
    let mut rewritten = Vec::new();
    let mut is_narrow = false;
    for (id, function) in functions {
        let Body::Stmts(stmts) = &function.body else { continue };
        let key = std::ptr::from_ref(function);
        let has_narrow_result = id.is_some_and(|id| results.contains(&id));
        let mut rewriter = Rewriter {
            module,
            fits,
            removed,
            function,
            narrow: &narrow,
            results: &results,
            known: HashMap::new(),
            conditions: Set::new(),
            returns_narrow: has_narrow_result,
        };
        let body = rewriter.stmts(stmts);
        let of_function = rewriter.conditions;
        let used = variables(&body);
        let narrow: Set<u32> = narrow[&key].iter().copied().filter(|var| used.contains(var)).collect();
        for var in &narrow {
            conditions.insert(fits.vars[&(key, *var)]);
        }
        if has_narrow_result {
            conditions.insert(fits.results[&key]);
        }
        is_narrow = is_narrow || !narrow.is_empty() || has_narrow_result;
        conditions.extend(of_function);
        rewritten.push((id, Rewritten { body, narrow, has_narrow_result }));
    }
    let position = rewritten.iter().position(|(id, _)| id.is_none())?;
    let (_, kernel) = rewritten.remove(position);
    let functions = rewritten.into_iter().filter_map(|(id, rewritten)| Some((id?, rewritten))).collect();
    conditions.remove(&Condition::TRUE);
    is_narrow.then_some(Narrowed { functions, kernel, conditions })
}

impl Narrowed {
    /// Replaces the original program.
    pub(super) fn apply(self, module: &mut Module) {
        for (id, rewritten) in self.functions {
            if let Some(function) = module.functions.get_mut(&id) {
                rewritten.apply(function, false);
            }
        }
        self.kernel.apply(&mut module.kernel, true);
    }
}

impl Rewritten {
    fn apply(self, function: &mut Function, is_kernel: bool) {
        let Rewritten { mut body, narrow, has_narrow_result } = self;
        if is_kernel {
            // The parameters of all variants have the same types.
            let mut copies = Vec::new();
            for param in &mut function.params {
                if !narrow.contains(&param.0) {
                    continue;
                }
                let Variable { hint, ty, .. } = &function.vars[param.index()];
                let (hint, ty) = (format!("{hint}_wide"), ty.clone());
                let wide = VarId(function.vars.len() as u32);
                function.vars.push(Variable { hint, origin: NameOrigin::Compiler, ty, constant: true, stable: true });
                let init = Some(Expr::cast(Scalar::I32, Expr::Var(wide)));
                copies.push(Stmt { line: function.line, kind: StmtKind::Declare { var: *param, init } });
                *param = wide;
            }
            body.splice(0..0, copies);
        }
        for var in narrow {
            function.vars[VarId(var).index()].ty = CType::Scalar(Scalar::I32);
        }
        if has_narrow_result {
            function.result = Some(CType::Scalar(Scalar::I32));
        }
        function.body = Body::Stmts(body);
    }
}

/// Returns whether all calls of a function were walked.
fn is_transparent(function: &Function, fits: &Fits) -> bool {
    matches!(function.body, Body::Stmts(_)) && !fits.opaque.contains(&std::ptr::from_ref(function))
}

/// Returns the variables that are narrow.
fn narrow_vars(function: &Function, fits: &Fits) -> Set<u32> {
    if !is_transparent(function, fits) {
        return Set::new();
    }
    let mut outputs = Set::new();
    if let Body::Stmts(stmts) = &function.body {
        collect_outputs(stmts, &mut outputs);
    }
    let of = |var: &u32| {
        let condition = fits.vars.get(&(std::ptr::from_ref(function), *var));
        is_index(&function.vars[VarId(*var).index()].ty).is_some()
            && !outputs.contains(var)
            && condition.is_some_and(|condition| *condition != Condition::FALSE)
    };
    (0..function.vars.len() as u32).filter(of).collect()
}

/// Collects the variables that helpers with 64-bit operands assign through references, also where the walk does not come. The
/// counters of ranges are not among them: their helper is replaced.
fn collect_outputs(stmts: &[Stmt], found: &mut Set<u32>) {
    for stmt in stmts {
        stmt.for_each_expr(&mut |expr| {
            expr.for_each(&mut |expr| match expr {
                Expr::Call(CallTarget::Helper(Helper { op: Op::StepTo | Op::StepDown, .. }, _), _) => {}
                Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args) => {
                    if let Some(Expr::Var(var)) = op.output().and_then(|position| args.get(position)) {
                        found.insert(var.0);
                    }
                }
                _ => {}
            });
        });
        stmt.kind.for_each_block(&mut |block| collect_outputs(block, found));
    }
}

fn is_index(ty: &CType) -> Option<Scalar> {
    match ty {
        CType::Scalar(scalar @ (Scalar::Usize | Scalar::Isize)) => Some(*scalar),
        _ => None,
    }
}

/// Returns the variables that occur in statements.
fn variables(stmts: &[Stmt]) -> HashSet<u32> {
    fn collect(stmts: &[Stmt], found: &mut HashSet<u32>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Declare { var, .. } | StmtKind::Loop { header: Header::For { var, .. }, .. } => {
                    found.insert(var.0);
                }
                _ => {}
            }
            stmt.kind.for_each_block(&mut |block| collect(block, found));
        }
    }
    let mut found = HashSet::new();
    collect(stmts, &mut found);
    for stmt in stmts {
        stmt.for_each_expr(&mut |expr| {
            expr.for_each(&mut |expr| {
                if let Expr::Var(var) = expr {
                    found.insert(var.0);
                }
            });
        });
    }
    found
}

/// The pass over a function.
struct Rewriter<'m> {
    module: &'m Module,
    fits: &'m Fits,
    removed: &'m dyn Fn(&Expr) -> bool,
    function: &'m Function,
    narrow: &'m HashMap<*const Function, Set<u32>>,
    results: &'m Set<FunctionId>,
    known: HashMap<*const Expr, Option<Rc<Narrow>>>,
    /// The conditions of the statements so far.
    conditions: Set<Condition>,
    returns_narrow: bool,
}
