//! The forms of an expression: as an `int`, as the low-order 32 bits, and of the original type.

use std::rc::Rc;

use super::form::{Form, Narrow, is_comparison, is_ring, literal, shallow};
use super::{Rewriter, is_index};
use crate::ir::{FunctionId, Scalar};
use crate::lower::{CType, CallTarget, Expr, Helper, Op, Operator, Prefix, VarId};
use crate::prove::condition::Condition;
use crate::prove::rewrite;
use crate::prove::width::Fit;

impl<'m> Rewriter<'m> {
    pub(super) fn is_narrow(&self, var: VarId) -> bool {
        self.narrow[&std::ptr::from_ref(self.function)].contains(&var.0)
    }

    /// Returns what is known of an expression that has been evaluated.
    pub(super) fn fit(&self, expr: &Expr) -> Option<Fit> {
        if self.fits.opaque.contains(&std::ptr::from_ref(self.function)) {
            return None;
        }
        self.fits.exprs.get(&std::ptr::from_ref(expr)).copied()
    }

    /// Returns the 64-bit type of an expression, if it has one.
    pub(super) fn wide_type(&self, expr: &Expr) -> Option<Scalar> {
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
    pub(super) fn condition(&self, expr: &Expr) -> Option<Condition> {
        self.fit(expr).map(|fit| fit.condition).filter(|condition| *condition != Condition::FALSE)
    }

    /// Returns the 32-bit form of an expression, as an `int` of the same value.
    pub(super) fn narrow(&mut self, expr: &'m Expr) -> Option<Rc<Narrow>> {
        let key = std::ptr::from_ref(expr);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let narrow = self.narrowed(expr).map(Rc::new);
        self.known.insert(key, narrow.clone());
        narrow
    }

    pub(super) fn narrowed(&mut self, expr: &'m Expr) -> Option<Narrow> {
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
        if matches!(expr, Expr::Call(CallTarget::Helper(_, Some(_)), _)) {
            return None;
        }
        let condition = self.condition(expr)?;
        let form = self.plain(expr).under(condition).map(|expr| Expr::cast(Scalar::I32, expr));
        Some(Narrow { form, nonnegative: !scalar.is_signed(), natural: false })
    }

    /// Returns the form of a 64-bit expression that is computed in 32 bits.
    pub(super) fn computed(&mut self, expr: &'m Expr, scalar: Scalar) -> Option<Narrow> {
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
            Expr::Call(CallTarget::Helper(helper, site), args) if helper.scalar.bits() == 64 => {
                if site.is_some() {
                    return self.without_check(expr, *helper, args, scalar);
                }
                self.helper(expr, *helper, args, unsigned)
            }
            Expr::Call(CallTarget::Function(id, _), _) if self.results.contains(id) => {
                Some(Narrow { form: self.plain(expr), nonnegative: unsigned, natural: true })
            }
            _ => None,
        }
    }

    /// Returns the form of a check that is removed.
    pub(super) fn without_check(
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

    pub(super) fn helper(
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
            Op::Min | Op::Max | Op::ClampTo | Op::Step => Scalar::I32,
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
    pub(super) fn operation(
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
            // No bit of an odd number is lost before its lowest one: if the result fits, the amount is less than 31.
            (Operator::Shl, amount) if matches!(left, Expr::Literal(_, bits) if bits % 2 == 1) => {
                let (condition, left) = (self.condition(expr)?, self.narrow(left)?.form.clone().cast(Scalar::U32));
                let form = Form::binary(op, left, self.either(amount)).under(condition).cast(Scalar::I32);
                return natural(form, unsigned);
            }
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
            let Some(left) = self.narrow(left).filter(|left| left.natural) else {
                let form = self.low(left)?.map(|left| {
                    Expr::cast(Scalar::I32, Expr::binary(Operator::And, left, Expr::int(Scalar::U32, *mask)))
                });
                return natural(form, true);
            };
            let mask = Expr::Literal(Scalar::I32, *mask);
            return natural(left.form.clone().map(|left| Expr::binary(Operator::And, left, mask)), true);
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
    pub(super) fn low(&mut self, expr: &'m Expr) -> Option<Form> {
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
            Expr::Call(CallTarget::Helper(Helper { op, .. }, Some(_)), args) if (self.removed)(expr) => {
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

    pub(super) fn low_operation(&mut self, op: Operator, left: &'m Expr, right: &'m Expr) -> Option<Form> {
        if op == Operator::Shl {
            let Expr::Literal(_, amount @ 0..31) = right else { return None };
            let amount = Expr::int(Scalar::U32, *amount);
            return Some(self.low(left)?.map(|left| Expr::binary(op, left, amount)));
        }
        let (left, right) = (self.low(left)?, self.low(right)?);
        Some(Form::binary(op, left, right))
    }

    /// Returns an expression of the original type, computed in 32 bits where that needs no condition.
    pub(super) fn wide(&mut self, expr: &'m Expr) -> Form {
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
        let plain = self.plain(expr);
        match expr {
            // The call has another type than in the original.
            Expr::Call(CallTarget::Function(id, _), _) if self.results.contains(id) => match self.result_type(*id) {
                Some(scalar) => plain.map(|call| Expr::cast(scalar, call)),
                None => plain,
            },
            _ => plain,
        }
    }

    /// Returns the original type of the result of a function.
    fn result_type(&self, id: FunctionId) -> Option<Scalar> {
        is_index(self.module.functions.get(&id)?.result.as_ref()?)
    }

    /// Returns a 64-bit operand in 32 bits, where the type does not matter.
    pub(super) fn either(&mut self, expr: &'m Expr) -> Form {
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
    pub(super) fn fitting(&mut self, expr: &'m Expr) -> Form {
        match self.narrow(expr) {
            Some(narrow) => narrow.form.clone(),
            None => self.wide(expr).cast(Scalar::I32),
        }
    }

    /// Returns an expression with the same operation, of the original type.
    pub(super) fn plain(&mut self, expr: &'m Expr) -> Form {
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
            Expr::Call(CallTarget::Helper(helper, site), args) => {
                self.plain_helper(expr, *helper, site.is_some(), args)
            }
            Expr::Call(callee @ CallTarget::Function(id, _), args) => {
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
    pub(super) fn same(&mut self, expr: &'m Expr) -> Form {
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

    pub(super) fn plain_helper(&mut self, expr: &'m Expr, helper: Helper, is_check: bool, args: &'m [Expr]) -> Form {
        if let (Op::StepTo | Op::StepDown, [Expr::Var(var), last, step]) = (helper.op, args)
            && self.is_narrow(*var)
        {
            let (last, step) = (self.fitting(last), self.wide(step));
            let helper = Helper::new(helper.op, Scalar::I32);
            return Form::two(last, step, |last, step| Expr::helper(helper, vec![Expr::Var(*var), last, step]));
        }
        let mut form = self.same(expr);
        // The step of a narrow counter is removed with its condition: see `Rewriter::step`.
        let is_narrow_step = helper.op == Op::Step && matches!(args, [Expr::Var(var), ..] if self.is_narrow(*var));
        if (is_check || matches!(helper.op, Op::Within | Op::Step))
            && !is_narrow_step
            && (self.removed)(expr)
            && let Expr::Call(_, args) = &mut form.expr
            && let Some(result) = rewrite::result(helper, args)
        {
            form.expr = result;
        }
        form
    }

    /// Returns the comparison of two 64-bit operands that are narrow.
    pub(super) fn comparison(&mut self, op: Operator, left: &'m Expr, right: &'m Expr) -> Option<Form> {
        let types = (self.wide_type(left), self.wide_type(right));
        if types == (None, None) {
            return None;
        }
        let (left, right) = (self.narrow(left)?, self.narrow(right)?);
        let is_unsigned = |ty: Option<Scalar>| ty.is_some_and(|ty| !ty.is_signed());
        let same = (left.nonnegative && right.nonnegative) || !(is_unsigned(types.0) || is_unsigned(types.1));
        (same && (left.natural || right.natural)).then(|| Form::binary(op, left.form.clone(), right.form.clone()))
    }

    pub(super) fn is_pointer(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Var(var) => matches!(self.function.vars[var.index()].ty, CType::Pointer { .. }),
            Expr::Binary(Operator::Add | Operator::Sub, base, _) => self.is_pointer(base),
            Expr::AddressOf(_) | Expr::Cast(CType::Pointer { .. }, _) => true,
            _ => false,
        }
    }
}
