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

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::condition::Condition;
use super::rewrite;
use super::width::{Fit, Widths};
use crate::ir::{FunctionId, Scalar};
use crate::lower::{
    Body, CType, Callee, Case, Expr, Function, Header, Helper, Module, NameOrigin, Next, Op, Operator, Prefix, Stmt,
    StmtKind, VarId, Variable, defer,
};

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
            exprs: widths.exprs.iter().map(|(expr, of)| (*expr, fit(of, &mut simplify))).collect(),
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
    pub(super) conditions: BTreeSet<Condition>,
}

/// The parts of a function that change.
struct Rewritten {
    body: Vec<Stmt>,
    narrow: BTreeSet<u32>,
    has_narrow_result: bool,
}

/// Rewrites a program without the checks for which `removed` returns true. Returns `None` if nothing is narrow.
pub(super) fn rewrite(module: &Module, fits: &Fits, removed: &dyn Fn(&Expr) -> bool) -> Option<Narrowed> {
    let functions = rewrite::functions(module);
    let narrow: HashMap<_, _> =
        functions.iter().map(|(_, function)| (std::ptr::from_ref(*function), narrow_vars(function, fits))).collect();
    let results: BTreeSet<FunctionId> = functions
        .iter()
        .filter(|(_, function)| is_transparent(function, fits))
        .filter(|(_, function)| {
            let condition = fits.results.get(&std::ptr::from_ref(*function));
            condition.is_some_and(|condition| *condition != Condition::FALSE)
        })
        .filter_map(|(id, _)| *id)
        .collect();
    let mut conditions = BTreeSet::new();
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
            conditions: BTreeSet::new(),
            returns_narrow: has_narrow_result,
        };
        let body = rewriter.stmts(stmts);
        let of_function = rewriter.conditions;
        let used = variables(&body);
        let narrow: BTreeSet<u32> = narrow[&key].iter().copied().filter(|var| used.contains(var)).collect();
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
fn narrow_vars(function: &Function, fits: &Fits) -> BTreeSet<u32> {
    if !is_transparent(function, fits) {
        return BTreeSet::new();
    }
    let of = |var: &u32| {
        let condition = fits.vars.get(&(std::ptr::from_ref(function), *var));
        is_index(&function.vars[VarId(*var).index()].ty).is_some()
            && condition.is_some_and(|condition| *condition != Condition::FALSE)
    };
    (0..function.vars.len() as u32).filter(of).collect()
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
            super::walk::each(expr, &mut |expr| {
                if let Expr::Var(var) = expr {
                    found.insert(var.0);
                }
            });
        });
    }
    found
}

/// An expression, and the conditions under which it has the value of the original.
#[derive(Clone)]
struct Form {
    expr: Expr,
    conditions: Vec<Condition>,
}

/// A 32-bit form of an expression.
#[derive(Clone)]
struct Narrow {
    form: Form,
    /// Whether the original has a type that is not negative, or a value that is known not to be.
    nonnegative: bool,
    /// Whether it is computed in 32 bits, not converted from 64 bits.
    natural: bool,
}

struct Rewriter<'m> {
    module: &'m Module,
    fits: &'m Fits,
    removed: &'m dyn Fn(&Expr) -> bool,
    function: &'m Function,
    narrow: &'m HashMap<*const Function, BTreeSet<u32>>,
    results: &'m BTreeSet<FunctionId>,
    known: HashMap<*const Expr, Option<Rc<Narrow>>>,
    /// The conditions of the statements so far.
    conditions: BTreeSet<Condition>,
    returns_narrow: bool,
}

fn is_ring(op: Operator) -> bool {
    matches!(op, Operator::Add | Operator::Sub | Operator::Mul)
}

fn is_comparison(op: Operator) -> bool {
    matches!(op, Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge)
}

/// Returns the value of an integer literal.
fn literal(scalar: Scalar, bits: u64) -> i128 {
    let unused = 64 - scalar.bits();
    let bits = bits << unused;
    if scalar.is_signed() { i128::from(bits.cast_signed() >> unused) } else { i128::from(bits >> unused) }
}

impl Form {
    fn new(expr: Expr) -> Form {
        Form { expr, conditions: Vec::new() }
    }

    fn map(self, change: impl FnOnce(Expr) -> Expr) -> Form {
        Form { expr: change(self.expr), conditions: self.conditions }
    }

    fn cast(self, scalar: Scalar) -> Form {
        self.map(|expr| match expr {
            Expr::Literal(of, bits) if of.is_integer() && (of == Scalar::I32 || scalar.bits() <= of.bits()) => {
                // The bits of a literal are those of its type.
                let value = literal(of, bits) as u64;
                Expr::Literal(scalar, value & (u64::MAX >> (64 - scalar.bits())))
            }
            // CUDA's built-in variables are unsigned.
            Expr::Cast(CType::Scalar(Scalar::I32), special)
                if scalar == Scalar::U32 && matches!(*special, Expr::Special(_)) =>
            {
                *special
            }
            // The low-order bits.
            Expr::Cast(CType::Scalar(of), inner)
                if of.is_integer() && of.bits() >= scalar.bits() && scalar == Scalar::I32 && of != Scalar::Bool =>
            {
                Expr::cast(scalar, *inner)
            }
            expr => Expr::cast(scalar, expr),
        })
    }

    fn two(left: Form, right: Form, make: impl FnOnce(Expr, Expr) -> Expr) -> Form {
        let mut conditions = left.conditions;
        conditions.extend(right.conditions);
        Form { expr: make(left.expr, right.expr), conditions }
    }

    fn binary(op: Operator, left: Form, right: Form) -> Form {
        Form::two(left, right, |left, right| Expr::binary(op, left, right))
    }

    fn under(mut self, condition: Condition) -> Form {
        self.conditions.push(condition);
        self
    }
}

impl<'m> Rewriter<'m> {
    fn is_narrow(&self, var: VarId) -> bool {
        self.narrow[&std::ptr::from_ref(self.function)].contains(&var.0)
    }

    /// Returns what is known of an expression that has been evaluated.
    fn fit(&self, expr: &Expr) -> Option<Fit> {
        if self.fits.opaque.contains(&std::ptr::from_ref(self.function)) {
            return None;
        }
        self.fits.exprs.get(&std::ptr::from_ref(expr)).copied()
    }

    /// Returns the 64-bit type of an expression, if it has one.
    fn wide_type(&self, expr: &Expr) -> Option<Scalar> {
        let is_wide = |scalar: &Scalar| scalar.is_integer() && scalar.bits() == 64;
        match self.fit(expr) {
            Some(fit) => Some(fit.scalar).filter(is_wide),
            None => match expr {
                Expr::Var(var) => is_index(&self.function.vars[var.index()].ty),
                _ => None,
            },
        }
    }

    /// Returns the condition under which a 64-bit expression fits; `None` if it is not known to.
    fn condition(&self, expr: &Expr) -> Option<Condition> {
        self.fit(expr).map(|fit| fit.condition).filter(|condition| *condition != Condition::FALSE)
    }

    /// Returns the 32-bit form of an expression, as an `int` of the same value.
    fn narrow(&mut self, expr: &'m Expr) -> Option<Rc<Narrow>> {
        let key = std::ptr::from_ref(expr);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let narrow = self.narrowed(expr).map(Rc::new);
        self.known.insert(key, narrow.clone());
        narrow
    }

    fn narrowed(&mut self, expr: &'m Expr) -> Option<Narrow> {
        let natural = |form, nonnegative| Some(Narrow { form, nonnegative, natural: true });
        match expr {
            Expr::Literal(scalar, bits) if scalar.is_integer() => {
                let value = i32::try_from(literal(*scalar, *bits)).ok()?;
                return natural(Form::new(Expr::Literal(Scalar::I32, u64::from(value as u32))), value >= 0);
            }
            Expr::Var(var) if self.is_narrow(*var) => {
                let scalar = is_index(&self.function.vars[var.index()].ty)?;
                return natural(Form::new(expr.clone()), !scalar.is_signed());
            }
            // `blockIdx.x` and the others: less than 2³¹, the limit of the grid along x.
            Expr::Special(name) if name.contains('.') => {
                return natural(Form::new(Expr::cast(Scalar::I32, expr.clone())), true);
            }
            _ => {}
        }
        let Fit { scalar, .. } = self.fit(expr)?;
        if scalar.bits() < 64 {
            let condition = self.condition(expr)?;
            let form = self.plain(expr).under(condition);
            let form = if scalar == Scalar::I32 { form } else { form.cast(Scalar::I32) };
            return natural(form, !scalar.is_signed());
        }
        if let Some(found) = self.computed(expr, scalar) {
            return Some(found);
        }
        // A value that fits is converted. An integer variable of another type is not an index, and the condition that it
        // fits not worth a test.
        if matches!(expr, Expr::Var(var) if is_index(&self.function.vars[var.index()].ty).is_none()) {
            return None;
        }
        // An index whose fault is deferred does not fit: see `lower::defer`.
        if matches!(expr, Expr::Call(Callee::Helper(_, Some(_)), _)) {
            return None;
        }
        let condition = self.condition(expr)?;
        let form = self.plain(expr).under(condition).map(|expr| Expr::cast(Scalar::I32, expr));
        Some(Narrow { form, nonnegative: !scalar.is_signed(), natural: false })
    }

    /// Returns the form of a 64-bit expression that is computed in 32 bits.
    fn computed(&mut self, expr: &'m Expr, scalar: Scalar) -> Option<Narrow> {
        let unsigned = !scalar.is_signed();
        match expr {
            Expr::Unary(Prefix::Minus, operand) => {
                let condition = self.condition(expr)?;
                let operand = self.narrow(operand)?;
                let form = operand.form.clone().map(|operand| Expr::unary(Prefix::Minus, operand)).under(condition);
                Some(Narrow { form, nonnegative: unsigned, natural: true })
            }
            Expr::Binary(op, left, right) => self.operation(expr, *op, left, right, scalar),
            Expr::Cast(CType::Scalar(_), inner) => {
                if self.wide_type(inner).is_some() {
                    let inner = self.narrow(inner)?;
                    if inner.nonnegative || !unsigned {
                        return Some(Narrow::clone(&inner));
                    }
                    let condition = self.condition(expr)?;
                    let form = inner.form.clone().under(condition);
                    return Some(Narrow { form, nonnegative: true, natural: inner.natural });
                }
                // Of at most 32 bits.
                let condition = self.condition(expr)?;
                let form = self.plain(inner).under(condition).cast(Scalar::I32);
                Some(Narrow { form, nonnegative: unsigned, natural: true })
            }
            Expr::Conditional(condition, then, otherwise) => {
                let (then, otherwise) = (self.narrow(then)?, self.narrow(otherwise)?);
                if unsigned && !(then.nonnegative && otherwise.nonnegative) {
                    return None;
                }
                let condition = self.wide(condition);
                let values = Form::two(then.form.clone(), otherwise.form.clone(), |then, otherwise| {
                    Expr::conditional(Expr::Literal(Scalar::Bool, 0), then, otherwise)
                });
                let form = Form::two(condition, values, |condition, mut values| {
                    if let Expr::Conditional(place, _, _) = &mut values {
                        **place = condition;
                    }
                    values
                });
                let nonnegative = then.nonnegative && otherwise.nonnegative;
                Some(Narrow { form, nonnegative, natural: then.natural || otherwise.natural })
            }
            Expr::Call(Callee::Helper(helper, site), args) if helper.scalar.bits() == 64 => {
                if site.is_some() {
                    return self.without_check(expr, *helper, args, scalar);
                }
                self.helper(expr, *helper, args, unsigned)
            }
            Expr::Call(Callee::Function(id, _), _) if self.results.contains(id) => {
                Some(Narrow { form: self.plain(expr), nonnegative: unsigned, natural: true })
            }
            _ => None,
        }
    }

    /// Returns the form of a check that is removed.
    fn without_check(
        &mut self,
        expr: &'m Expr,
        Helper { op, .. }: Helper,
        args: &'m [Expr],
        scalar: Scalar,
    ) -> Option<Narrow> {
        if !(self.removed)(expr) {
            return None;
        }
        let operator = match (op, args) {
            (Op::At | Op::SplitAt, [index, _]) => return self.narrow(index).map(|narrow| Narrow::clone(&narrow)),
            (Op::RestLen, [start, len]) => return self.operation(expr, Operator::Sub, len, start, scalar),
            (Op::PartLen, [start, end, _]) => return self.operation(expr, Operator::Sub, end, start, scalar),
            (Op::Add, _) => Operator::Add,
            (Op::Sub, _) => Operator::Sub,
            (Op::Mul, _) => Operator::Mul,
            (Op::Div, _) => Operator::Div,
            (Op::Rem, _) => Operator::Rem,
            _ => return None,
        };
        let [left, right] = args else { return None };
        self.operation(expr, operator, left, right, scalar)
    }

    fn helper(
        &mut self,
        expr: &'m Expr,
        Helper { op, .. }: Helper,
        args: &'m [Expr],
        unsigned: bool,
    ) -> Option<Narrow> {
        let operator = match op {
            Op::WrappingAdd => Some(Operator::Add),
            Op::WrappingSub => Some(Operator::Sub),
            Op::WrappingMul => Some(Operator::Mul),
            _ => None,
        };
        if let (Some(operator), [left, right]) = (operator, args) {
            let scalar = if unsigned { Scalar::Usize } else { Scalar::Isize };
            return self.operation(expr, operator, left, right, scalar);
        }
        let scalar = match op {
            Op::Min | Op::Max | Op::ClampTo | Op::Opaque | Op::Step => Scalar::I32,
            Op::SaturatingSub if unsigned => Scalar::U32,
            _ => return None,
        };
        let condition = match op {
            Op::Step => self.condition(expr)?,
            // One of the operands, or at most the first.
            _ => Condition::TRUE,
        };
        let mut forms = Vec::new();
        for (position, arg) in args.iter().enumerate() {
            // The step has type `usize` in every helper.
            if op == Op::Step && position == 2 {
                forms.push(self.wide(arg));
                continue;
            }
            let arg = self.narrow(arg).filter(|arg| arg.nonnegative || !unsigned)?;
            forms.push(arg.form.clone());
        }
        let mut conditions: Vec<Condition> = forms.iter().flat_map(|form| form.conditions.clone()).collect();
        conditions.push(condition);
        let call = Expr::helper(Helper::new(op, scalar), forms.into_iter().map(|form| form.expr).collect());
        let form = Form { expr: call, conditions };
        let form = if scalar == Scalar::U32 { form.map(|expr| Expr::cast(Scalar::I32, expr)) } else { form };
        Some(Narrow { form, nonnegative: unsigned, natural: true })
    }

    /// Returns the form of an operation with a 64-bit result.
    fn operation(
        &mut self,
        expr: &'m Expr,
        op: Operator,
        left: &'m Expr,
        right: &'m Expr,
        scalar: Scalar,
    ) -> Option<Narrow> {
        let unsigned = !scalar.is_signed();
        let natural = |form, nonnegative| Some(Narrow { form, nonnegative, natural: true });
        let shift = match (op, right) {
            (Operator::Shl | Operator::Shr, Expr::Literal(_, amount @ 0..31)) => Some(*amount),
            (Operator::Shl | Operator::Shr, _) => return None,
            _ => None,
        };
        if is_ring(op) || op == Operator::Shl {
            let condition = self.condition(expr)?;
            let narrow = self.narrow(left);
            if let (Some(amount), Some(left)) = (shift, &narrow) {
                // Unlike that of a shift, the overflow of a product is undefined.
                let form = left.form.clone().under(condition);
                let factor = Expr::Literal(Scalar::I32, 1 << amount);
                return natural(form.map(|left| Expr::binary(Operator::Mul, left, factor)), unsigned);
            }
            if let (None, Some(left), Some(right)) = (shift, narrow, self.narrow(right)) {
                let form = Form::binary(op, left.form.clone(), right.form.clone()).under(condition);
                return natural(form, unsigned);
            }
            let form = self.low_operation(op, left, right)?.under(condition).cast(Scalar::I32);
            return natural(form, unsigned);
        }
        if let (Operator::And, Expr::Literal(_, mask @ 0..=0x7fff_ffff)) = (op, right) {
            let left = match self.narrow(left).filter(|left| left.natural) {
                Some(left) => left.form.clone(),
                None => {
                    let form = self.low(left)?.map(|left| {
                        Expr::cast(Scalar::I32, Expr::binary(Operator::And, left, Expr::int(Scalar::U32, *mask)))
                    });
                    return natural(form, true);
                }
            };
            let mask = Expr::Literal(Scalar::I32, *mask);
            return natural(left.map(|left| Expr::binary(Operator::And, left, mask)), true);
        }
        let left = self.narrow(left)?;
        if let Some(amount) = shift {
            if left.nonnegative {
                let form = left.form.clone().cast(Scalar::U32);
                let form = form.map(|left| Expr::binary(op, left, Expr::int(Scalar::U32, amount)));
                return natural(form.cast(Scalar::I32), true);
            }
            if unsigned {
                return None;
            }
            let amount = Expr::int(Scalar::I32, amount);
            return natural(left.form.clone().map(|left| Expr::binary(op, left, amount)), false);
        }
        let right = self.narrow(right)?;
        let nonnegative = left.nonnegative && right.nonnegative;
        if unsigned && !nonnegative {
            return None;
        }
        let (left, right) = (left.form.clone(), right.form.clone());
        match op {
            Operator::Div | Operator::Rem if nonnegative => {
                let form = Form::binary(op, left.cast(Scalar::U32), right.cast(Scalar::U32));
                natural(form.cast(Scalar::I32), true)
            }
            // The quotient may be 2³¹; its remainder overflows as well.
            Operator::Div => natural(Form::binary(op, left, right).under(self.condition(expr)?), false),
            Operator::And | Operator::Or | Operator::Xor => natural(Form::binary(op, left, right), nonnegative),
            _ => None,
        }
    }

    /// Returns the low-order 32 bits of an integer expression of type `u32`, if they need not be taken from a 64-bit
    /// result.
    fn low(&mut self, expr: &'m Expr) -> Option<Form> {
        if let Some(narrow) = self.narrow(expr)
            && narrow.natural
            && narrow.form.conditions.iter().all(|of| *of == Condition::TRUE)
        {
            return Some(narrow.form.clone().cast(Scalar::U32));
        }
        if let Expr::Literal(scalar, bits) = expr
            && scalar.is_integer()
        {
            return Some(Form::new(Expr::int(Scalar::U32, literal(*scalar, *bits) as u64 & 0xffff_ffff)));
        }
        let scalar = self.fit(expr)?.scalar;
        if scalar.bits() < 64 {
            return Some(self.plain(expr).cast(Scalar::U32));
        }
        match expr {
            Expr::Binary(op @ (Operator::Add | Operator::Sub | Operator::Mul | Operator::Shl), left, right) => {
                self.low_operation(*op, left, right)
            }
            Expr::Cast(CType::Scalar(_), inner) if self.wide_type(inner).is_some() => self.low(inner),
            Expr::Cast(CType::Scalar(_), inner) => Some(self.plain(inner).cast(Scalar::U32)),
            Expr::Call(Callee::Helper(Helper { op, .. }, Some(_)), args) if (self.removed)(expr) => {
                match (op, args.as_slice()) {
                    (Op::At | Op::SplitAt, [index, _]) => self.low(index),
                    (Op::Add, [left, right]) => self.low_operation(Operator::Add, left, right),
                    (Op::Sub, [left, right]) => self.low_operation(Operator::Sub, left, right),
                    (Op::Mul, [left, right]) => self.low_operation(Operator::Mul, left, right),
                    _ => Some(self.plain(expr).cast(Scalar::U32)),
                }
            }
            _ => Some(self.plain(expr).cast(Scalar::U32)),
        }
    }

    fn low_operation(&mut self, op: Operator, left: &'m Expr, right: &'m Expr) -> Option<Form> {
        if op == Operator::Shl {
            let Expr::Literal(_, amount @ 0..31) = right else { return None };
            let amount = Expr::int(Scalar::U32, *amount);
            return Some(self.low(left)?.map(|left| Expr::binary(op, left, amount)));
        }
        let (left, right) = (self.low(left)?, self.low(right)?);
        Some(Form::binary(op, left, right))
    }

    /// Returns an expression of the original type, computed in 32 bits where that needs no condition.
    fn wide(&mut self, expr: &'m Expr) -> Form {
        if matches!(expr, Expr::Literal(..) | Expr::Special(_)) {
            return Form::new(expr.clone());
        }
        if let Some(scalar) = self.wide_type(expr)
            && let Some(narrow) = self.narrow(expr)
            && narrow.natural
            && (matches!(expr, Expr::Var(_)) || narrow.form.conditions.iter().all(|of| *of == Condition::TRUE))
        {
            return narrow.form.clone().map(|narrow| Expr::cast(scalar, narrow));
        }
        self.plain(expr)
    }

    /// Returns a 64-bit operand in 32 bits, where the type does not matter.
    fn either(&mut self, expr: &'m Expr) -> Form {
        if !matches!(expr, Expr::Literal(..) | Expr::Special(_))
            && self.wide_type(expr).is_some()
            && let Some(narrow) = self.narrow(expr)
            && narrow.natural
        {
            return narrow.form.clone();
        }
        self.wide(expr)
    }

    /// Returns an expression as an `int`, whose value is known to fit.
    fn fitting(&mut self, expr: &'m Expr) -> Form {
        match self.narrow(expr) {
            Some(narrow) => narrow.form.clone(),
            None => self.wide(expr).cast(Scalar::I32),
        }
    }

    /// Returns an expression with the same operation, of the original type.
    fn plain(&mut self, expr: &'m Expr) -> Form {
        match expr {
            Expr::Binary(op, left, right) => {
                if is_comparison(*op)
                    && let Some(form) = self.comparison(*op, left, right)
                {
                    return form;
                }
                let is_shift = matches!(op, Operator::Shl | Operator::Shr);
                let left_form = self.wide(left);
                let right_form = if self.is_pointer(left) || is_shift { self.either(right) } else { self.wide(right) };
                Form::binary(*op, left_form, right_form)
            }
            Expr::Index(base, index) => {
                let (base, index) = (self.wide(base), self.either(index));
                Form::two(base, index, Expr::index)
            }
            Expr::Cast(ty @ CType::Scalar(scalar), inner) if !scalar.is_half() => {
                self.either(inner).map(|inner| Expr::Cast(ty.clone(), Box::new(inner)))
            }
            Expr::Call(Callee::Helper(helper, site), args) => self.plain_helper(expr, *helper, site.is_some(), args),
            Expr::Call(callee @ Callee::Function(id, _), args) => {
                let Some(function) = self.module.functions.get(id) else { return Form::new(expr.clone()) };
                let narrow = &self.narrow[&std::ptr::from_ref(function)];
                let mut conditions = Vec::new();
                let mut forms = Vec::new();
                for (position, arg) in args.iter().enumerate() {
                    let param = function.params.get(position);
                    let form = match param {
                        Some(param) if narrow.contains(&param.0) => self.fitting(arg),
                        _ => self.wide(arg),
                    };
                    conditions.extend(form.conditions);
                    forms.push(form.expr);
                }
                let call = Expr::Call(callee.clone(), forms);
                // A parameter may be narrow although it is not used.
                Form { expr: call, conditions }
            }
            _ => self.same(expr),
        }
    }

    /// Returns an expression whose children have their original types.
    fn same(&mut self, expr: &'m Expr) -> Form {
        let mut children = Vec::new();
        expr.for_each_child(&mut |child| children.push(child));
        let mut conditions = Vec::new();
        let mut forms = Vec::new();
        for child in children {
            let form = self.wide(child);
            conditions.extend(form.conditions);
            forms.push(form.expr);
        }
        let mut forms = forms.into_iter();
        let mut copy = shallow(expr);
        copy.for_each_child_mut(&mut |child| {
            if let Some(form) = forms.next() {
                *child = form;
            }
        });
        Form { expr: copy, conditions }
    }

    fn plain_helper(&mut self, expr: &'m Expr, helper: Helper, is_check: bool, args: &'m [Expr]) -> Form {
        if let (Op::StepTo | Op::StepDown, [Expr::Var(var), last, step]) = (helper.op, args)
            && self.is_narrow(*var)
        {
            let (last, step) = (self.fitting(last), self.wide(step));
            let helper = Helper::new(helper.op, Scalar::I32);
            return Form::two(last, step, |last, step| Expr::helper(helper, vec![Expr::Var(*var), last, step]));
        }
        let mut form = self.same(expr);
        if (is_check || helper.op == Op::Within)
            && (self.removed)(expr)
            && let Expr::Call(_, args) = &mut form.expr
            && let Some(result) = rewrite::result(helper, args)
        {
            form.expr = result;
        }
        form
    }

    /// Returns the comparison of two 64-bit operands that are narrow.
    fn comparison(&mut self, op: Operator, left: &'m Expr, right: &'m Expr) -> Option<Form> {
        let types = (self.wide_type(left), self.wide_type(right));
        if types == (None, None) {
            return None;
        }
        let (left, right) = (self.narrow(left)?, self.narrow(right)?);
        let is_unsigned = |ty: Option<Scalar>| ty.is_some_and(|ty| !ty.is_signed());
        let same = (left.nonnegative && right.nonnegative) || !(is_unsigned(types.0) || is_unsigned(types.1));
        (same && (left.natural || right.natural)).then(|| Form::binary(op, left.form.clone(), right.form.clone()))
    }

    fn is_pointer(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Var(var) => matches!(self.function.vars[var.index()].ty, CType::Pointer { .. }),
            Expr::AddressOf(_) => true,
            Expr::Binary(Operator::Add | Operator::Sub, base, _) => self.is_pointer(base),
            Expr::Cast(CType::Pointer { .. }, _) => true,
            _ => false,
        }
    }

    /// Takes a form into the program.
    fn take(&mut self, form: Form) -> Expr {
        self.conditions.extend(form.conditions);
        form.expr
    }

    fn whole(&mut self, expr: &'m Expr) -> Expr {
        let form = self.wide(expr);
        self.take(form)
    }

    /// Returns the value that a variable is set to.
    fn value_for(&mut self, var: VarId, value: &'m Expr) -> Expr {
        let form = if self.is_narrow(var) { self.fitting(value) } else { self.wide(value) };
        self.take(form)
    }

    /// Returns the place of an assignment.
    fn place(&mut self, place: &'m Expr) -> Expr {
        if let Expr::Var(_) = place {
            return place.clone();
        }
        let form = self.plain(place);
        self.take(form)
    }

    fn stmts(&mut self, stmts: &'m [Stmt]) -> Vec<Stmt> {
        let mut rewritten = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            match self.stmt(&stmt.kind) {
                // The loop whose checks are removed: see `lower::hoist`.
                StmtKind::If { condition: Expr::Literal(Scalar::Bool, 1), then, otherwise: _ } => {
                    rewritten.extend(then);
                }
                kind => rewritten.push(Stmt { line: stmt.line, kind }),
            }
        }
        rewritten
    }

    fn stmt(&mut self, kind: &'m StmtKind) -> StmtKind {
        match kind {
            StmtKind::Declare { var, init } => {
                let init = init.as_ref().map(|init| self.value_for(*var, init));
                StmtKind::Declare { var: *var, init }
            }
            StmtKind::Assign { place: Expr::Var(var), value } => {
                StmtKind::Assign { place: Expr::Var(*var), value: self.value_for(*var, value) }
            }
            StmtKind::Assign { place, value } => {
                StmtKind::Assign { place: self.place(place), value: self.whole(value) }
            }
            StmtKind::Update { op, place: place @ Expr::Var(var), value } if self.is_narrow(*var) => {
                self.update(*op, place, *var, value)
            }
            StmtKind::Update { op, place, value } => {
                StmtKind::Update { op: *op, place: self.place(place), value: self.whole(value) }
            }
            StmtKind::Expr(expr) => StmtKind::Expr(self.whole(expr)),
            StmtKind::If { condition, then, otherwise } => {
                let mut condition = self.whole(condition);
                rewrite::simplify(&mut condition);
                StmtKind::If { condition, then: self.stmts(then), otherwise: self.stmts(otherwise) }
            }
            StmtKind::Switch { on, cases, otherwise } => {
                let on = self.whole(on);
                let case = |this: &mut Self, Case { values, body }: &'m Case| Case {
                    values: values.clone(),
                    body: this.stmts(body),
                };
                let cases = cases.iter().map(|of| case(self, of)).collect();
                StmtKind::Switch { on, cases, otherwise: self.stmts(otherwise) }
            }
            StmtKind::Loop { header, body, next, end, unroll } => {
                let mut rewritten = self.header(header);
                let body = self.stmts(body);
                self.step(header, &mut rewritten, &body);
                let header = rewritten;
                StmtKind::Loop { header, body, next: *next, end: *end, unroll: *unroll }
            }
            StmtKind::Block { body, end } => StmtKind::Block { body: self.stmts(body), end: *end },
            StmtKind::Return(Some(value)) => {
                let form = if self.returns_narrow { self.fitting(value) } else { self.wide(value) };
                StmtKind::Return(Some(self.take(form)))
            }
            StmtKind::Fault { site, args } => {
                StmtKind::Fault { site: *site, args: args.iter().map(|arg| self.whole(arg)).collect() }
            }
            StmtKind::Print { site, args } => {
                StmtKind::Print { site: *site, args: args.iter().map(|arg| self.whole(arg)).collect() }
            }
            StmtKind::Shared { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Return(None)
            | StmtKind::InternalError(_) => kind.clone(),
        }
    }

    /// Returns the statement for `var op= value`. The result fits, since the variable is narrow.
    fn update(&mut self, op: Operator, place: &'m Expr, var: VarId, value: &'m Expr) -> StmtKind {
        let scalar = is_index(&self.function.vars[var.index()].ty).unwrap_or(Scalar::Usize);
        let unsigned = !scalar.is_signed();
        let narrow = self.narrow(value);
        if is_ring(op)
            && let Some(value) = &narrow
        {
            return StmtKind::Update { op, place: place.clone(), value: self.take(value.form.clone()) };
        }
        let var = Form::new(Expr::Var(var));
        let form = match (op, narrow) {
            (Operator::Div | Operator::Rem, Some(value)) if unsigned && value.nonnegative => {
                Form::binary(op, var.cast(Scalar::U32), value.form.clone().cast(Scalar::U32)).cast(Scalar::I32)
            }
            (Operator::Shr, _) if unsigned && matches!(value, Expr::Literal(_, 0..31)) => {
                let amount = Form::new(value.clone());
                Form::binary(op, var.cast(Scalar::U32), amount).cast(Scalar::I32)
            }
            _ => {
                let value = self.wide(value);
                Form::binary(op, var.map(|var| Expr::cast(scalar, var)), value).cast(Scalar::I32)
            }
        };
        StmtKind::Assign { place: place.clone(), value: self.take(form) }
    }

    /// Replaces the step of a narrow counter by an addition, if it does not overflow past the end. The counter of a loop
    /// whose faults may be deferred has to stay in the range.
    fn step(&mut self, original: &'m Header, header: &mut Header, body: &[Stmt]) {
        if let (Header::For { next: Next::Assign(call), .. }, Header::For { var, next: Next::Assign(next), .. }) =
            (original, header)
            && let Expr::Call(Callee::Helper(Helper { op: Op::Step, scalar: Scalar::I32 }, None), args) = next
            && let [Expr::Var(counter), _, by] = args.as_slice()
            && counter == var
            && let Some(condition) = self.fits.steps.get(&std::ptr::from_ref(call))
            && *condition != Condition::FALSE
            && !defer::has_check_in(body)
        {
            self.conditions.insert(*condition);
            let by = Form::new(by.clone()).cast(Scalar::I32);
            *next = Expr::binary(Operator::Add, Expr::Var(*var), by.expr);
        }
    }

    fn header(&mut self, header: &'m Header) -> Header {
        match header {
            Header::Open { test, progress } => Header::Open {
                test: test.as_ref().map(|test| self.whole(test)),
                progress: progress.as_ref().map(|progress| self.whole(progress)),
            },
            Header::For { var, init, test, next } => Header::For {
                var: *var,
                init: self.value_for(*var, init),
                test: self.whole(test),
                next: match next {
                    Next::Increment => Next::Increment,
                    Next::Decrement => Next::Decrement,
                    Next::Assign(value) => Next::Assign(self.value_for(*var, value)),
                },
            },
            // Introduced later.
            Header::Deferred(_) => header.clone(),
        }
    }
}

/// Returns a copy of an expression without its children.
fn shallow(expr: &Expr) -> Expr {
    let empty = || Box::new(Expr::Literal(Scalar::Bool, 0));
    let all = |parts: &[Expr]| vec![Expr::Literal(Scalar::Bool, 0); parts.len()];
    match expr {
        Expr::Unary(op, _) => Expr::Unary(*op, empty()),
        Expr::Binary(op, _, _) => Expr::Binary(*op, empty(), empty()),
        Expr::Cast(ty, _) => Expr::Cast(ty.clone(), empty()),
        Expr::Conditional(..) => Expr::Conditional(empty(), empty(), empty()),
        Expr::Index(..) => Expr::Index(empty(), empty()),
        Expr::Field(_, ty, position) => Expr::Field(empty(), *ty, *position),
        Expr::Deref(_) => Expr::Deref(empty()),
        Expr::AddressOf(_) => Expr::AddressOf(empty()),
        Expr::Struct(ty, parts) => Expr::Struct(*ty, all(parts)),
        Expr::Array(ty, parts) => Expr::Array(ty.clone(), all(parts)),
        Expr::Filled(ty, len, _) => Expr::Filled(ty.clone(), *len, empty()),
        Expr::Call(callee, parts) => Expr::Call(callee.clone(), all(parts)),
        Expr::Var(_) | Expr::Literal(..) | Expr::Special(_) | Expr::Variant(..) | Expr::Constant(_) => expr.clone(),
    }
}
