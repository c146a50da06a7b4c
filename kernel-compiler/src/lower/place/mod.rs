//! Lowering of place expressions (variables, fields, elements, referents) and of references.

pub(in crate::lower) mod lvalue;
pub(in crate::lower) mod saved;

use crate::analyse::is_reference;
use crate::ir::{ExprId, ExprKind, Scalar, Span, Type};
use crate::source::SiteKind;

use crate::lower::function::Lowering;
use crate::lower::target::Target;
use crate::lower::types::is_empty;
use crate::lower::value::{Value, field_type, position};
use crate::lower::{CType, Expr, Helper, NameOrigin, Op, Operator, StmtKind, Template, Variable};

impl Lowering<'_, '_> {
    /// Returns the place that an expression denotes, without reading it: a user's variable, a referent, or a slice. For
    /// a value expression, returns the value. `operands` were evaluated before it, and are saved if it has side
    /// effects.
    pub(in crate::lower) fn place(&mut self, operands: &mut Vec<Value>, id: ExprId) -> Value {
        match &self.expr(id).kind {
            ExprKind::Local(local) => self.locals[local.index()].clone(),
            ExprKind::Field { .. } if let Some((ty, value)) = self.constant_field(id) => self.known(ty, value),
            ExprKind::Field { base, name } => {
                let ty = self.ty(*base).target();
                let whole = self.place(operands, *base);
                let position = position(ty, name);
                if let Value::Parts(parts) = &whole {
                    // `(x / y, z).1` evaluates all elements of the tuple.
                    let others = parts.iter().enumerate().filter(|(other, _)| *other != position);
                    others.for_each(|(_, other)| self.store(other.clone(), false, &Target::Discard));
                }
                self.project(whole, ty, position)
            }
            ExprKind::Index { base, index } => self.element(operands, *base, *index, id),
            ExprKind::Deref(reference) => self.place(operands, *reference),
            // A value expression yields a temporary: a copy of any variable that it consists of.
            _ => {
                let mark = self.out.len();
                let value = self.value(id);
                let value = if is_reference(self.ty(id)) { value } else { self.saved(value) };
                self.preserve(mark, operands);
                value
            }
        }
    }

    /// Returns whether an expression denotes a pre-existing place, not a part of a temporary such as `{ s }.x`.
    pub(in crate::lower) fn is_in_place(&self, id: ExprId) -> bool {
        match &self.expr(id).kind {
            ExprKind::Local(_) | ExprKind::Deref(_) => true,
            ExprKind::Field { base, name: _ }
            | ExprKind::Index { base, index: _ }
            | ExprKind::SubSlice { base, start: _, end: _, inclusive: _ } => {
                is_reference(self.ty(*base)) || self.is_in_place(*base)
            }
            _ => is_reference(self.ty(id)),
        }
    }

    /// Returns a reference to an expression: to the place that it denotes, or to a new temporary.
    pub(in crate::lower) fn materialise_expr(&mut self, id: ExprId, value: Value, ty: &Type, mutable: bool) -> Value {
        if mutable && !self.is_in_place(id) {
            let value = self.load(value);
            return if matches!(value, Value::Never) { value } else { self.store_in_temporary(value, ty, true) };
        }
        self.materialise(value, ty, mutable)
    }

    /// Returns a field of a struct or a tuple of type `ty`. It is a place if the aggregate is one.
    pub(in crate::lower) fn project(&mut self, whole: Value, ty: &Type, position: usize) -> Value {
        let field = field_type(ty, position);
        match whole {
            Value::Parts(mut parts) if position < parts.len() => parts.swap_remove(position),
            Value::Whole(..) | Value::Place { .. } if is_empty(&field) => self.empty(&field),
            Value::Whole(whole, _) | Value::Place { lvalue: whole, target: _ } => {
                let id = self.output.types.id(ty);
                Value::Place { lvalue: Expr::field(whole, id, position), target: field }
            }
            other @ (Value::Never
            | Value::Unit
            | Value::Scalar(..)
            | Value::Parts(_)
            | Value::Slice { .. }
            | Value::View { .. }) => self.unexpected(&other),
        }
    }

    /// Returns the value of an element of an array of zero-sized elements.
    fn empty_element(&mut self, element: &Type, len: u64) -> Option<Expr> {
        if len == 0 {
            return None;
        }
        let value = self.empty(element);
        self.member(value, element)
    }

    /// Returns the value of a zero-sized type.
    pub(in crate::lower) fn empty(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Never => Value::Never,
            Type::Array(element, len) => {
                self.output.types.arrays = true;
                let ctype = self.output.types.memory(element);
                let array = match (*len, self.empty_element(element, *len)) {
                    (0, _) | (_, None) => Expr::Array(ctype, Vec::new()),
                    (len, Some(value)) => {
                        self.output.templates.insert(Template::Filled);
                        Expr::Filled(ctype, len, Box::new(value))
                    }
                };
                Value::Whole(array, ty.clone())
            }
            Type::Struct(_) => Value::Whole(Expr::Struct(self.output.types.id(ty), Vec::new()), ty.clone()),
            _ => Value::Unit,
        }
    }

    /// Returns an array in a variable as a place, since it may be changed before it is read.
    fn unread(&self, value: Value) -> Value {
        match value {
            Value::Whole(lvalue, target) if self.is_lvalue(&lvalue) => Value::Place { lvalue, target },
            value => value,
        }
    }

    /// Returns the value at a place. A value is returned unchanged.
    pub(in crate::lower) fn load(&mut self, place: Value) -> Value {
        let Value::Place { lvalue, target } = place else { return place };
        self.summary.reads |= self.is_in_memory(&lvalue);
        match target {
            // Any non-zero byte is `true`, so that no invalid `bool` is created.
            Type::Scalar(Scalar::Bool) => Value::bool(Expr::binary(Operator::Ne, lvalue, Expr::int(Scalar::U8, 0))),
            Type::Scalar(scalar) => Value::Scalar(lvalue, scalar),
            Type::Enum(choice) => Value::Scalar(lvalue, choice.repr),
            Type::Struct(_) | Type::Tuple(_) | Type::Array(..) => Value::Whole(lvalue, target),
            // Places do not have these types.
            Type::Unit | Type::Never | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => {
                self.unexpected(&Value::Unit)
            }
        }
    }

    /// Returns a place that a reference can be bound to: a value is stored in a new constant, or in a new variable if
    /// the reference is mutable.
    pub(in crate::lower) fn materialise(&mut self, value: Value, ty: &Type, mutable: bool) -> Value {
        match value {
            Value::Place { .. } | Value::Slice { .. } | Value::View { .. } | Value::Never => value,
            Value::Scalar(lvalue, _) if *ty != Type::BOOL && self.is_lvalue(&lvalue) => {
                Value::Place { lvalue, target: ty.clone() }
            }
            Value::Whole(lvalue, target) if self.is_lvalue(&lvalue) => Value::Place { lvalue, target },
            value => self.store_in_temporary(value, ty, mutable),
        }
    }

    /// Stores a value in a new variable in memory.
    pub(in crate::lower) fn store_in_temporary(&mut self, value: Value, ty: &Type, mutable: bool) -> Value {
        let Some(init) = self.whole(value, ty) else { return Value::Never };
        let c = self.output.types.memory(ty);
        let hint = if mutable { "copy" } else { "value" };
        let var = self.var(Variable {
            hint: hint.to_owned(),
            origin: NameOrigin::Compiler,
            ty: c,
            constant: !mutable,
            stable: !mutable,
        });
        self.push(StmtKind::Declare { var, init: Some(init) });
        Value::Place { lvalue: Expr::Var(var), target: ty.clone() }
    }

    /// Returns a value as a single C expression with the in-memory type; `None` for a zero-sized type.
    pub(in crate::lower) fn whole(&mut self, value: Value, ty: &Type) -> Option<Expr> {
        match self.load(value) {
            Value::Scalar(expr, _) | Value::Whole(expr, _) => Some(expr),
            Value::Parts(parts) => {
                let id = self.output.types.id(ty);
                let positions: Vec<usize> =
                    self.output.types.members_of(id).iter().map(|member| member.position).collect();
                let mut members = Vec::with_capacity(positions.len());
                let mut parts: Vec<Option<Value>> = parts.into_iter().map(Some).collect();
                for position in positions {
                    let part = parts.get_mut(position).and_then(Option::take)?;
                    members.push(self.member(part, &field_type(ty, position))?);
                }
                Some(Expr::Struct(id, members))
            }
            Value::Never | Value::Unit => None,
            other @ (Value::Slice { .. } | Value::View { .. } | Value::Place { .. }) => {
                self.unexpected(&other);
                None
            }
        }
    }

    /// Returns a value for a braced initialiser, in which C++ rejects narrowing conversions.
    pub(in crate::lower) fn member(&mut self, value: Value, ty: &Type) -> Option<Expr> {
        let expr = self.whole(value, ty)?;
        let scalar = match ty {
            Type::Scalar(scalar) => *scalar,
            Type::Enum(choice) => choice.repr,
            _ => return Some(expr),
        };
        let computed = matches!(expr, Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..));
        Some(match scalar {
            // In C, `&`, `|` and `^` of two `bool`s yield an `int`.
            Scalar::Bool if is_int(&expr) => Expr::cast(scalar, expr),
            _ if computed => crate::lower::number::arithmetic::narrowed(expr, scalar),
            _ => expr,
        })
    }

    /// Returns an element of a slice, an array or a view.
    fn element(&mut self, operands: &mut Vec<Value>, base: ExprId, index: ExprId, id: ExprId) -> Value {
        let base = self.place(operands, base);
        if let Value::View { .. } = base {
            return self.view_element(operands, base, index, id);
        }
        let base = self.unread(base);
        operands.push(base);
        let mark = self.out.len();
        let index = self.value(index).expr();
        self.preserve(mark, operands);
        let (place, element, len) = match operands.pop() {
            Some(Value::Parts(parts)) => {
                let index = self.checked_index(index, Expr::int(Scalar::Usize, parts.len() as u64), id);
                return self.selected(parts, index);
            }
            Some(Value::Slice { pointer, len, element, mutable: _ }) => (pointer, element, len),
            Some(
                Value::Place { lvalue, target: Type::Array(element, len) }
                | Value::Whole(lvalue, Type::Array(element, len)),
            ) => (lvalue, *element, Expr::int(Scalar::Usize, len)),
            other => return self.unexpected(&other.unwrap_or(Value::Never)),
        };
        let index = self.checked_index(index, len, id);
        Value::Place { lvalue: Expr::index(place, index), target: element }
    }

    /// Returns an element of an array whose elements are slices or other values of several C variables. If the index is no
    /// literal, each of the variables is selected by it.
    pub(in crate::lower) fn selected(&mut self, mut parts: Vec<Value>, index: Expr) -> Value {
        if let Expr::Literal(_, at) = index {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            return if at < parts.len() { parts.swap_remove(at) } else { Value::Never };
        }
        let index = self.reusable_number("which", index);
        self.selected_by(parts, &index)
    }

    /// As [`Self::selected`], by an index that can be evaluated repeatedly.
    fn selected_by(&mut self, parts: Vec<Value>, index: &Expr) -> Value {
        // An index out of bounds, which is a fault or undefined behaviour of an unchecked kernel, selects the last one.
        let select = |exprs: Vec<Expr>| -> Option<Expr> {
            let mut exprs = exprs.into_iter().enumerate().rev();
            let (_, last) = exprs.next()?;
            Some(exprs.fold(last, |others, (at, expr)| {
                let is_this = Expr::binary(Operator::Eq, index.clone(), Expr::int(Scalar::Usize, at as u64));
                Expr::conditional(is_this, expr, others)
            }))
        };
        let Some(first) = parts.first().cloned() else { return Value::Never };
        match first {
            Value::Slice { pointer: _, len: _, element, mutable } => {
                let (mut pointers, mut lens) = (Vec::new(), Vec::new());
                for part in parts {
                    let Value::Slice { pointer, len, .. } = part else { return self.unexpected(&part) };
                    pointers.push(pointer);
                    lens.push(len);
                }
                let (Some(pointer), Some(len)) = (select(pointers), select(lens)) else { return Value::Never };
                let ty = CType::pointer(self.output.types.memory(&element), mutable);
                let (pointer, len) = (self.constant("part", ty, pointer), self.constant("part_len", CType::USIZE, len));
                Value::Slice { pointer, len, element, mutable }
            }
            Value::View { pointer: _, lens, strides: _, element, mutable } => {
                let dimensions = lens.len();
                let (mut pointers, mut numbers) = (Vec::new(), vec![Vec::new(); 2 * dimensions]);
                for part in parts {
                    let Value::View { pointer, lens, strides, .. } = part else { return self.unexpected(&part) };
                    pointers.push(pointer);
                    for (number, all) in lens.into_iter().chain(strides).zip(&mut numbers) {
                        all.push(number);
                    }
                }
                let Some(pointer) = select(pointers) else { return Value::Never };
                let ty = CType::pointer(self.output.types.memory(&element), mutable);
                let pointer = self.constant("part", ty, pointer);
                let mut lens = Vec::with_capacity(2 * dimensions);
                for (position, number) in numbers.into_iter().enumerate() {
                    let Some(number) = select(number) else { return Value::Never };
                    // Literals, such as the last stride of contiguous views, stay literals.
                    let hint = if position < dimensions { "part_len" } else { "part_stride" };
                    lens.push(self.constant(hint, CType::USIZE, number));
                }
                let strides = lens.split_off(dimensions);
                Value::View { pointer, lens, strides, element, mutable }
            }
            Value::Parts(inner) => {
                let mut columns = vec![Vec::new(); inner.len()];
                for part in parts {
                    let Value::Parts(part) = part else { return self.unexpected(&part) };
                    for (value, column) in part.into_iter().zip(&mut columns) {
                        column.push(value);
                    }
                }
                Value::Parts(columns.into_iter().map(|column| self.selected_by(column, index)).collect())
            }
            Value::Scalar(_, scalar) => {
                let mut exprs = Vec::new();
                for part in parts {
                    let Value::Scalar(expr, _) = part else { return self.unexpected(&part) };
                    exprs.push(expr);
                }
                let ty = CType::Scalar(scalar);
                select(exprs).map_or(Value::Never, |expr| Value::Scalar(self.constant("part", ty, expr), scalar))
            }
            Value::Whole(_, ty) => {
                let mut exprs = Vec::new();
                for part in parts {
                    let Value::Whole(expr, _) = part else { return self.unexpected(&part) };
                    exprs.push(expr);
                }
                let c = self.output.types.value(&ty);
                select(exprs).map_or(Value::Never, |expr| Value::Whole(self.constant("part", c, expr), ty))
            }
            other @ (Value::Never | Value::Unit | Value::Place { .. }) => self.unexpected(&other),
        }
    }

    /// Returns the element `a[[i, j]]`, or `a[i]` of a one-dimensional view.
    fn view_element(&mut self, operands: &mut Vec<Value>, base: Value, index: ExprId, id: ExprId) -> Value {
        let earlier = operands.len();
        operands.push(base);
        let case_values = match &self.expr(index).kind {
            ExprKind::Array(indices) => indices.as_slice(),
            _ => &[],
        };
        for index in case_values {
            let mark = self.out.len();
            let index = self.value(*index);
            self.preserve(mark, operands);
            operands.push(index);
        }
        if case_values.is_empty() {
            let mark = self.out.len();
            let index = self.value(index);
            let index = self.once(index);
            self.preserve(mark, operands);
            match index {
                Value::Whole(whole, Type::Array(_, len)) => {
                    let part = |position| Expr::index(whole.clone(), Expr::int(Scalar::Usize, position));
                    operands.extend((0..len).map(|position| Value::usize(part(position))));
                }
                index => operands.push(index),
            }
        }
        let indices = operands.split_off(earlier + 1);
        let view = match operands.pop() {
            Some(Value::View { pointer, lens, strides, element, mutable: _ }) if lens.len() == indices.len() => {
                (pointer, lens.into_iter().zip(strides), element)
            }
            other => return self.unexpected(&other.unwrap_or(Value::Never)),
        };
        let (pointer, dimensions, element) = view;
        let mut offset = None;
        for (index, (len, stride)) in indices.into_iter().zip(dimensions) {
            let index = self.checked_index(index.expr(), len, id);
            let term = times(index, stride);
            offset = Some(match offset {
                Some(offset) => Expr::binary(Operator::Add, offset, term),
                None => term,
            });
        }
        match offset {
            Some(offset) => Value::Place { lvalue: Expr::index(pointer, offset), target: element },
            // The only element of a view without dimensions.
            None => Value::Place { lvalue: Expr::index(pointer, Expr::int(Scalar::Usize, 0)), target: element },
        }
    }

    /// Returns the index, with a bounds check unless it is known to be in bounds.
    pub(in crate::lower) fn checked_index(&mut self, index: Expr, len: Expr, element: ExprId) -> Expr {
        let known = match (&index, &len) {
            (Expr::Literal(_, index), Expr::Literal(_, len)) => index < len,
            _ => false,
        };
        if known || !self.output.options.bounds_checks {
            return index;
        }
        let site = self.site(SiteKind::OutOfBounds, self.expr(element).span);
        Expr::faulting(Helper::new(Op::At, Scalar::Usize), site, vec![index, len])
    }

    /// `&place` and `&mut place`
    pub(in crate::lower) fn borrow(&mut self, place: ExprId, mutable: bool, id: ExprId) -> Value {
        if let ExprKind::SubSlice { base, start, end, inclusive } = &self.expr(place).kind {
            return self.sub_slice(*base, (*start, *end), *inclusive, self.expr(place).span, id);
        }
        let ty = self.ty(place).target();
        if matches!(ty, Type::Struct(_)) && ty.has_references() {
            return self.value(place);
        }
        let value = self.place(&mut Vec::new(), place);
        self.materialise_expr(place, value, ty, mutable)
    }

    /// `&x[a..b]`, of a one-dimensional view as well
    fn sub_slice(
        &mut self,
        base: ExprId,
        (start, end): (Option<ExprId>, Option<ExprId>),
        inclusive: bool,
        span: Span,
        id: ExprId,
    ) -> Value {
        let mut operands = Vec::new();
        let base = self.place(&mut operands, base);
        let base = self.unread(base);
        operands.push(base);
        for bound in [start, end].into_iter().flatten() {
            let mark = self.out.len();
            let bound = self.value(bound);
            self.preserve(mark, &mut operands);
            operands.push(bound);
        }
        let mut operands = operands.into_iter();
        let Some(base) = operands.next() else { return Value::Never };
        let (pointer, len, stride, element, mutable) = match base {
            Value::View { pointer, mut lens, mut strides, element, mutable } => {
                let (Some(len), stride @ Some(_)) = (lens.pop(), strides.pop()) else { return Value::Never };
                (pointer, len, stride, element, mutable)
            }
            base => match self.as_slice(base) {
                Value::Slice { pointer, len, element, mutable } => (pointer, len, None, element, mutable),
                _ => return Value::Never,
            },
        };
        let part = |pointer, len, stride: Option<Expr>| match stride {
            Some(stride) => Value::View { pointer, lens: vec![len], strides: vec![stride], element, mutable },
            None => Value::Slice { pointer, len, element, mutable },
        };
        let mut bound = |present: Option<ExprId>| present.and_then(|_| operands.next()).map(Value::expr);
        let (start, end) = (bound(start), bound(end));
        if start.is_none() && end.is_none() {
            return part(pointer, len, stride);
        }
        let (name, _) = self.name_of(id, "part");
        let start = start.map(|start| self.reusable_number("start", start));
        let end = end.map(|end| self.reusable_number("end", end));
        let checked = self.output.options.bounds_checks;
        let zero = || Expr::int(Scalar::Usize, 0);
        let one = || Expr::int(Scalar::Usize, 1);
        let part_len = match (start.clone(), end) {
            (start, Some(end)) if checked => {
                let site = self.site(SiteKind::RangeStartOutside, span);
                // The helper takes the first site; these are the following ones.
                self.site(SiteKind::RangeEndOutside, span);
                self.site(SiteKind::RangeReversed, span);
                let op = if inclusive { Op::PartToLen } else { Op::PartLen };
                Expr::faulting(Helper::new(op, Scalar::Usize), site, vec![start.unwrap_or_else(zero), end, len])
            }
            (Some(start), None) if checked => {
                let site = self.site(SiteKind::RangeStartOutside, span);
                Expr::faulting(Helper::new(Op::RestLen, Scalar::Usize), site, vec![start, len])
            }
            (start, Some(end)) => {
                let end = if inclusive { Expr::binary(Operator::Add, end, one()) } else { end };
                match start {
                    Some(start) => Expr::binary(Operator::Sub, end, start),
                    None => end,
                }
            }
            (Some(start), None) => Expr::binary(Operator::Sub, len, start),
            (None, None) => len,
        };
        // Checked here, whether or not the sub-slice is used.
        let part_len = self.constant(&format!("{name}_len"), CType::USIZE, part_len);
        let pointer = match start {
            None | Some(Expr::Literal(_, 0)) => pointer,
            Some(start) => {
                let offset = stride.iter().cloned().fold(start, times);
                Expr::binary(Operator::Add, pointer, offset)
            }
        };
        part(pointer, part_len, stride)
    }

    /// Returns a `usize` that can be evaluated repeatedly at no cost.
    fn reusable_number(&mut self, hint: &str, number: Expr) -> Expr {
        let simple = matches!(number, Expr::Literal(..) | Expr::Var(_)) && self.is_stable(&number);
        if simple { number } else { self.constant(hint, CType::USIZE, number) }
    }

    /// Returns a slice, or an array as a slice.
    pub(in crate::lower) fn as_slice(&mut self, value: Value) -> Value {
        match value {
            Value::Whole(_, Type::Array(..)) => {
                let Value::Whole(_, ty) = &value else { return Value::Never };
                let ty = ty.clone();
                match self.materialise(value, &ty, false) {
                    Value::Place { lvalue, target: Type::Array(element, len) } => {
                        self.all_elements(lvalue, *element, len)
                    }
                    _ => Value::Never,
                }
            }
            Value::Place { lvalue, target: Type::Array(element, len) } => self.all_elements(lvalue, *element, len),
            Value::Slice { .. } => value,
            Value::Never
            | Value::Unit
            | Value::Scalar(..)
            | Value::Whole(..)
            | Value::Parts(_)
            | Value::View { .. }
            | Value::Place { .. } => self.unexpected(&value),
        }
    }

    /// Converts a value to a required type: a reference to an array may be coerced to a slice, and a part of a compound
    /// value that is in memory is read.
    pub(in crate::lower) fn converted(&mut self, value: Value, ty: &Type) -> Value {
        match (&value, ty) {
            (Value::Place { target: Type::Array(..), lvalue: _ }, Type::Slice { .. }) => self.as_slice(value),
            (Value::Place { .. }, Type::Ref { .. }) => value,
            (Value::Place { .. }, _) => self.load(value),
            (Value::Parts(_), Type::Array(element, _)) => {
                let Value::Parts(parts) = value else { return Value::Never };
                Value::Parts(parts.into_iter().map(|part| self.converted(part, element)).collect())
            }
            (Value::Parts(_), Type::Struct(structure)) => {
                let Value::Parts(parts) = value else { return Value::Never };
                let fields = structure.fields.iter().map(|field| &field.ty);
                Value::Parts(parts.into_iter().zip(fields).map(|(part, ty)| self.converted(part, ty)).collect())
            }
            (Value::Parts(_), Type::Tuple(types)) => {
                let Value::Parts(parts) = value else { return Value::Never };
                Value::Parts(parts.into_iter().zip(types).map(|(part, ty)| self.converted(part, ty)).collect())
            }
            _ => value,
        }
    }

    /// Returns a struct, an array or a tuple that is evaluated once and can be destructured.
    pub(in crate::lower) fn once(&mut self, value: Value) -> Value {
        match value {
            Value::Whole(expr, ty) if !self.is_cheap(&expr) => {
                let c = self.output.types.value(&ty);
                Value::Whole(self.constant("value", c, expr), ty)
            }
            Value::Place { lvalue, target } => Value::Place { lvalue: self.preserved_place(lvalue), target },
            value => value,
        }
    }

    /// Returns whether an expression is a place in a variable, or a constant, so that evaluating it repeatedly costs
    /// nothing.
    fn is_cheap(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Var(_) | Expr::Constant(_) => true,
            Expr::Field(base, _, _) => self.is_cheap(base),
            Expr::Index(base, index) => {
                self.is_cheap(base) && matches!(**index, Expr::Var(_) | Expr::Literal(..)) && self.is_stable(index)
            }
            Expr::Deref(pointer) => matches!(**pointer, Expr::Var(_)),
            _ => false,
        }
    }

    /// Returns all elements of an array, as a slice.
    fn all_elements(&self, lvalue: Expr, element: Type, len: u64) -> Value {
        let mutable = self.is_writable(&lvalue);
        let first = Expr::index(lvalue, Expr::int(Scalar::Usize, 0));
        let len = Expr::int(Scalar::Usize, len);
        Value::Slice { pointer: Expr::AddressOf(Box::new(first)), len, element, mutable }
    }

    /// Returns whether a C expression is an lvalue.
    pub(in crate::lower) fn is_lvalue(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Var(_) | Expr::Deref(_) | Expr::Constant(_) => true,
            Expr::Index(base, _) => self.is_pointer(base) || self.is_lvalue(base),
            Expr::Field(base, _, _) => self.is_lvalue(base),
            _ => false,
        }
    }
}

/// Returns an index multiplied by its dimension's stride, as an element offset.
pub(in crate::lower) fn times(index: Expr, stride: Expr) -> Expr {
    match stride {
        Expr::Literal(_, 1) => index,
        stride => Expr::binary(Operator::Mul, index, stride),
    }
}

/// Returns whether a `bool` expression has type `int` in C.
fn is_int(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(Operator::And | Operator::Or | Operator::Xor, _, _) => true,
        Expr::Conditional(_, then, otherwise) => is_int(then) || is_int(otherwise),
        _ => false,
    }
}
