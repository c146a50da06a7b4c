//! Strip-mining of grid-stride loops: the loads of several iterations before their sum.
//!
//! A loop `for i in (grid(1)..n).step_by(grid_size(1)) { sum += x[i]; }` reads one element per iteration. The compiler unrolls
//! it four times, so that a thread has 16 bytes of `f32` in flight, half of what saturates the memory
//! ([`BYTES_PER_THREAD`]): the sum of 2²⁸ elements took 1.056 times as long as that of `Float4` on an H200, and 1.026 times with
//! eight. So the iterations are divided into strips of constant length, which the compiler unrolls completely, and the rest:
//!
//! ```text
//! i32 i = ..;
//! const i64 whole = (i64)step > 0 ? (i64)n - (i64)step * 8 : ..;     a strip that begins before this ends before n
//! for (; (i64)i < whole;) {
//!     for (i32 copy = 0; copy < 8; ++copy) {
//!         sum += x[i];
//!         i += step;
//!     }
//! }
//! for (; i < n;) {
//!     sum += x[i];
//!     i += step;
//! }
//! ```
//!
//! The iterations and their order are the same. The rest is unrolled by the compiler as before, so that a loop of few iterations does
//! not become slower.

use crate::ir::{Scalar, Unroll};
use crate::lower::{
    Body, CType, CallTarget, Expr, Function, Header, Helper, Module, NameOrigin, Next, Op, Operator, Stmt, StmtKind,
    VarId, Variable,
};
use crate::set::Set;

use super::BYTES_PER_THREAD;
use super::legality::{self, size};

/// The factor by which the compiler unrolls a loop.
const UNROLLED: u64 = 4;

/// The maximum length of a strip.
const MAX_LENGTH: u64 = 8;

/// The maximum number of statements of an iteration.
const MAX_STMTS: usize = 4;

/// Divides the grid-stride loops of a kernel into strips, where more loads in flight are faster.
pub(crate) fn program(module: &mut Module) {
    let Body::Stmts(stmts) = &mut module.kernel.body else { return };
    let mut stmts = std::mem::take(stmts);
    let strides = strides(&stmts, &module.kernel);
    let mutated = legality::mutated(&stmts, &module.kernel, module);
    let mut mining = StripMining { module, strides, mutated, vars: Vec::new() };
    mining.stmts(&mut stmts);
    let vars = mining.vars;
    module.kernel.vars.extend(vars);
    module.kernel.body = Body::Stmts(stmts);
}

/// Returns the constants whose value is the number of threads of the grid along an axis.
fn strides(stmts: &[Stmt], kernel: &Function) -> Set<u32> {
    let mut found = Set::new();
    legality::each(stmts, &mut |stmt| {
        if let StmtKind::Declare { var, init: Some(init) } = &stmt.kind
            && kernel.vars[var.index()].constant
            && is_grid_size(init)
        {
            found.insert(var.0);
        }
    });
    found
}

/// Returns whether an expression is `gridDim.x * blockDim.x`, or that of another axis: positive, and less than 2⁴².
fn is_grid_size(expr: &Expr) -> bool {
    let Expr::Binary(Operator::Mul, left, right) = without_casts(expr) else { return false };
    let (Expr::Special(left), Expr::Special(right)) = (without_casts(left), without_casts(right)) else { return false };
    matches!((*left, *right), ("gridDim.x", "blockDim.x") | ("gridDim.y", "blockDim.y") | ("gridDim.z", "blockDim.z"))
}

fn without_casts(expr: &Expr) -> &Expr {
    match expr {
        Expr::Cast(_, inner) => without_casts(inner),
        other => other,
    }
}

struct StripMining<'m> {
    module: &'m Module,
    /// The constants that are grid sizes.
    strides: Set<u32>,
    /// The variables that the kernel assigns, other than as the counter of a loop.
    mutated: Set<u32>,
    /// The variables that are added to those of the kernel.
    vars: Vec<Variable>,
}

/// A loop that can be divided.
struct GridStride<'s> {
    counter: VarId,
    scalar: Scalar,
    init: &'s Expr,
    test: &'s Expr,
    end: &'s Expr,
    next: &'s Expr,
    step: &'s Expr,
    body: &'s [Stmt],
    length: u64,
}

impl StripMining<'_> {
    fn stmts(&mut self, stmts: &mut Vec<Stmt>) {
        let mut result = Vec::with_capacity(stmts.len());
        for mut stmt in std::mem::take(stmts) {
            if let Some(of) = self.grid_stride(&stmt) {
                result.extend(self.divided(&of, stmt.line));
            } else {
                stmt.kind.for_each_block_mut(&mut |block| self.stmts(block));
                result.push(stmt);
            }
        }
        *stmts = result;
    }

    /// Returns a statement as a grid-stride loop that is divided.
    fn grid_stride<'s>(&self, stmt: &'s Stmt) -> Option<GridStride<'s>> {
        let StmtKind::Loop { header, body, next: None, end: None, unroll: Unroll::Undecided } = &stmt.kind else {
            return None;
        };
        let Header::For { var, init, test, next: Next::Assign(next) } = header else { return None };
        let Expr::Binary(Operator::Lt, left, end) = test else { return None };
        let CType::Scalar(scalar @ (Scalar::I32 | Scalar::U32 | Scalar::Usize)) =
            self.module.kernel.vars[var.index()].ty
        else {
            return None;
        };
        let step = match next {
            // It differs from an addition only past the end, and a strip ends before it.
            Expr::Call(CallTarget::Helper(Helper { op: Op::Step, .. }, None), args) => args.get(2)?,
            sum => sum.addend(*var)?,
        };
        let is_stride = match without_casts(step) {
            Expr::Var(var) => self.strides.contains(&var.0),
            step => is_grid_size(step),
        };
        if !is_stride || !matches!(**left, Expr::Var(of) if of == *var) {
            return None;
        }
        let Expr::Var(bound) = without_casts(end) else { return None };
        let is_constant = |var: &VarId| {
            let is_param = self.module.kernel.params.contains(var);
            self.module.kernel.vars[var.index()].constant || (is_param && !self.mutated.contains(&var.0))
        };
        let is_simple = body.len() <= MAX_STMTS && body.iter().all(|stmt| self.is_simple(stmt));
        // The steps that are not tested require that nothing else changes the counter.
        let is_changed = self.mutated.contains(&var.0);
        if !is_simple || is_changed || !is_constant(bound) || legality::obstacle_in(body, self.module).is_some() {
            return None;
        }
        let bytes = self.loaded(body, *var);
        let length = BYTES_PER_THREAD.checked_div(bytes)?.min(MAX_LENGTH).checked_ilog2().map(|log| 1 << log)?;
        (length > UNROLLED).then_some(GridStride { counter: *var, scalar, init, test, end, next, step, body, length })
    }

    /// Returns whether a statement computes variables of the thread, without control flow.
    fn is_simple(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Declare { .. } => true,
            StmtKind::Assign { place, .. } | StmtKind::Update { place, .. } => {
                legality::root(place, &self.module.kernel).is_some()
            }
            _ => false,
        }
    }

    /// Returns the number of bytes that an iteration loads at its index.
    fn loaded(&self, body: &[Stmt], counter: VarId) -> u64 {
        let mut bytes = 0;
        let mut note = |expr: &Expr| {
            if let Expr::Index(base, index) = expr
                && let Expr::Var(array) = &**base
                && let CType::Pointer { target, .. } = &self.module.kernel.vars[array.index()].ty
                && matches!(without_casts(index), Expr::Var(of) if *of == counter)
            {
                bytes += size(target, self.module);
            }
        };
        for stmt in body {
            stmt.for_each_expr(&mut |expr| expr.for_each(&mut note));
        }
        bytes
    }

    /// Returns the statements that replace a loop.
    fn divided(&mut self, of: &GridStride<'_>, line: u32) -> Vec<Stmt> {
        let &GridStride { counter, scalar, init, test, end, next, step, body, length } = of;
        let statement = |kind| Stmt { line, kind };
        let stepped = |next: Expr| {
            let next = statement(StmtKind::Assign { place: Expr::Var(counter), value: next });
            body.iter().cloned().chain([next]).collect::<Vec<_>>()
        };
        let open = |test: Expr, body: Vec<Stmt>| {
            let header = Header::Open { test: Some(test), progress: None };
            statement(StmtKind::Loop { header, body, next: None, end: None, unroll: Unroll::Undecided })
        };
        // The step is less than 2^42, so that neither the product nor the signed difference overflows.
        let wide = if scalar.is_signed() { Scalar::I64 } else { Scalar::U64 };
        let widened = |expr: &Expr| Expr::cast(wide, expr.clone());
        let ahead = Expr::binary(Operator::Mul, widened(step), Expr::int(wide, length));
        let rest = Expr::binary(Operator::Sub, widened(end), ahead.clone());
        let bound = if scalar.is_signed() {
            // A grid size that has been cast to `i32` may be negative: there are no strips.
            let is_positive = Expr::binary(Operator::Gt, widened(step), Expr::int(wide, 0));
            Expr::conditional(is_positive, rest, Expr::int(wide, (-1_i64 << 62).cast_unsigned()))
        } else {
            let is_long = Expr::binary(Operator::Gt, widened(end), ahead);
            Expr::conditional(is_long, rest, Expr::int(wide, 0))
        };
        let whole = self.var("whole", wide, true);
        let copy = self.var("copy", Scalar::I32, false);
        let sum = Expr::binary(Operator::Add, Expr::Var(counter), Expr::cast(scalar, step.clone()));
        let strip = Header::For {
            var: copy,
            init: Expr::int(Scalar::I32, 0),
            test: Expr::binary(Operator::Lt, Expr::Var(copy), Expr::int(Scalar::I32, length)),
            next: Next::Increment,
        };
        let strip = StmtKind::Loop { header: strip, body: stepped(sum), next: None, end: None, unroll: Unroll::Full };
        let is_whole = Expr::binary(Operator::Lt, widened(&Expr::Var(counter)), Expr::Var(whole));
        vec![
            statement(StmtKind::Declare { var: counter, init: Some(init.clone()) }),
            statement(StmtKind::Declare { var: whole, init: Some(bound) }),
            open(is_whole, vec![statement(strip)]),
            open(test.clone(), stepped(next.clone())),
        ]
    }

    fn var(&mut self, name: &str, scalar: Scalar, constant: bool) -> VarId {
        let (hint, ty) = (name.to_owned(), CType::Scalar(scalar));
        let position = self.module.kernel.vars.len() + self.vars.len();
        self.vars.push(Variable { hint, origin: NameOrigin::Compiler, ty, constant, stable: true });
        VarId(position as u32)
    }
}
