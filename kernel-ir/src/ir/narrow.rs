//! `#[kernel(index = u32)]`: the same program with a `usize` of 32 bits.
//!
//! All that a program says of `usize` is in its slots, so that they are all that changes: from there on a `usize` is a
//! `u32`, and what the device gives (positions, lengths) is one too. A `usize` that the host passes by itself arrives as
//! its lower half; the launch has seen that there is no upper one.
//!
//! On the CPU device a `usize` keeps its 64 bits. The two compute the same as long as no `usize` comes to 2³²: so what would
//! differ for smaller numbers too is refused here.

use super::{
    Callee, Constant, ConstantValue, ExprKind, Filled, Function, Instance, Intrinsic, Literal, Method, Program, Scalar,
    Type, dim3,
};
use crate::{Error, Errors, What, typify};

impl Program {
    /// The program with indices of 32 bits.
    ///
    /// # Errors
    ///
    /// Where it needs a `usize` of 64 bits: in memory that the host has laid out, for a constant that is larger, or for a
    /// method whose result depends on the width.
    pub fn with_narrow_indices(mut self) -> Result<Program, Errors> {
        check_params(&self.kernel)?;
        check_exprs(&self)?;
        self.index = Scalar::U32;
        for instance in self.functions.iter_mut().chain([&mut self.kernel]) {
            for slot in &mut instance.slots {
                narrow(slot).map_err(|what| refusal(&instance.function, &instance.file, &what))?;
            }
        }
        Ok(self)
    }
}

fn refusal(function: &Function, file: &str, what: &str) -> Errors {
    let what = What::new(
        format!("`{}` has {what}, in a kernel with `index = u32`", function.name),
        "a `usize` has 32 bits in this kernel, and 64 in the memory of the host",
        "use a `u32` or a `u64`, or leave the option out",
    );
    Errors(vec![Error { function: function.name.clone(), file: file.to_owned(), span: function.span, what }])
}

/// Refuses parameters of the kernel whose memory holds a `usize`.
fn check_params(kernel: &Instance) -> Result<(), Errors> {
    for param in &kernel.function.params {
        let local = kernel.function.local(*param);
        // `check` says where a slot is not filled.
        let Some(Filled::Type(ty)) = kernel.slots.get(local.slot.index()) else { continue };
        let in_memory = match ty {
            Type::Slice { element, .. } | Type::View { element, .. } | Type::Array(element, _) => Some(&**element),
            _ => None,
        };
        if in_memory.is_some_and(holds_usize) {
            return Err(refusal(&kernel.function, &kernel.file, &format!("a parameter `{}: {ty}`", local.name)));
        }
    }
    Ok(())
}

/// Refuses expressions whose value another width changes: numbers that are too large, methods of a `usize` that give another
/// result though the number fits into either, and those that pair `usize` with `isize`, which keeps its 64 bits.
fn check_exprs(program: &Program) -> Result<(), Errors> {
    // What is wrong with the types is wrong without the option too, and `check` reports it.
    let typed = typify::program(program, &mut Errors::default());
    let mut errors = Errors::default();
    for typed in &typed.functions {
        let Instance { function, slots, file, overflow_checks: _ } = typed.instance;
        for id in typed.alive() {
            let expr = function.expr(id);
            let refused = match &expr.kind {
                ExprKind::Literal { value: Literal::Int { magnitude, negative: _ }, slot: _ }
                    if *typed.expr_type(id) == Type::USIZE =>
                {
                    literal_refusal(*magnitude)
                }
                ExprKind::Call { callee, args } => match (&slots[callee.index()], args.first()) {
                    (Filled::Callee(Callee::Method(method)), Some(receiver)) => {
                        let receiver = typed.expr_type(*receiver).target().scalar();
                        receiver.and_then(|receiver| method_refusal(*method, receiver))
                    }
                    _ => None,
                },
                _ => None,
            };
            if let Some(what) = refused {
                let (function, file) = (function.name.clone(), file.clone());
                errors.0.push(Error { function, file, span: expr.span, what });
            }
        }
    }
    errors.propagate()
}

fn literal_refusal(number: u128) -> Option<What> {
    let fits = u32::try_from(number).is_ok();
    (!fits).then(|| {
        What::new(
            format!("the `usize` {number} is not supported in a kernel with `index = u32`"),
            "a `usize` has 32 bits on a GPU then",
            "use a `u64`, or leave the option out",
        )
    })
}

fn method_refusal(method: Method, receiver: Scalar) -> Option<What> {
    let name = method.name();
    let message = format!("`{name}` of `{receiver}` is not supported in a kernel with `index = u32`");
    match (receiver, method) {
        (
            Scalar::Usize,
            Method::CountZeros
            | Method::LeadingZeros
            | Method::LeadingOnes
            | Method::TrailingZeros
            | Method::RotateLeft
            | Method::RotateRight
            | Method::SwapBytes
            | Method::ReverseBits
            | Method::ToBe
            | Method::FromBe,
        ) => Some(What::new(
            message,
            "a `usize` has 32 bits on a GPU then, and 64 on the CPU device, and the result depends on it",
            format!("say which you mean: `{name}` of `x as u32` or `x as u64`"),
        )),
        (Scalar::Usize, Method::CastSigned | Method::WrappingAddSigned | Method::SaturatingAddSigned)
        | (
            Scalar::Isize,
            Method::AbsDiff
            | Method::UnsignedAbs
            | Method::CastUnsigned
            | Method::WrappingAddUnsigned
            | Method::WrappingSubUnsigned
            | Method::SaturatingAddUnsigned
            | Method::SaturatingSubUnsigned,
        ) => Some(What::new(
            message,
            "it pairs `usize`, which has 32 bits on a GPU then, with `isize`, which has 64",
            "convert with `as`, or use `i32` and `u32`",
        )),
        _ => None,
    }
}

fn holds_usize(ty: &Type) -> bool {
    match ty {
        Type::Scalar(scalar) => *scalar == Scalar::Usize,
        Type::Array(element, _) => holds_usize(element),
        Type::Struct(structure) => structure.fields.iter().any(|field| holds_usize(&field.ty)),
        Type::Tuple(parts) => parts.iter().any(holds_usize),
        Type::Unit | Type::Never | Type::Enum(_) | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => false,
    }
}

fn narrow(slot: &mut Filled) -> Result<(), String> {
    match slot {
        Filled::Type(ty) => narrow_type(ty),
        Filled::Constant(Constant { ty, value }) => {
            narrow_value(ty, value)?;
            narrow_type(ty)
        }
        Filled::Callee(Callee::Intrinsic(intrinsic)) => match intrinsic {
            Intrinsic::Shared(ty) | Intrinsic::DynamicShared(ty) | Intrinsic::DynamicSharedAt(ty) => narrow_type(ty),
            _ => Ok(()),
        },
        Filled::Callee(Callee::Function(_) | Callee::Method(_)) | Filled::Operator(_) => Ok(()),
    }
}

/// The type with `u32` for `usize`. Structs stay as the host has laid them out.
fn narrow_type(ty: &mut Type) -> Result<(), String> {
    match ty {
        Type::Scalar(scalar) => {
            if *scalar == Scalar::Usize {
                *scalar = Scalar::U32;
            }
            Ok(())
        }
        Type::Struct(_) if *ty == dim3() => {
            *ty = super::types::dim3_of(Scalar::U32);
            Ok(())
        }
        Type::Struct(structure) => match structure.fields.iter().find(|field| holds_usize(&field.ty)) {
            Some(field) => Err(format!("a struct `{}` with a field `{}: {}`", structure.path, field.name, field.ty)),
            None => Ok(()),
        },
        Type::Tuple(parts) => parts.iter_mut().try_for_each(narrow_type),
        Type::Array(element, _)
        | Type::Slice { element, .. }
        | Type::View { element, .. }
        | Type::Ref { target: element, .. } => narrow_type(element),
        Type::Unit | Type::Never | Type::Enum(_) => Ok(()),
    }
}

/// Sees that the numbers of a constant fit.
fn narrow_value(ty: &Type, value: &ConstantValue) -> Result<(), String> {
    match (ty, value) {
        (Type::Scalar(Scalar::Usize), ConstantValue::Bits(bits)) if u32::try_from(*bits).is_err() => {
            Err(format!("a constant of {bits}"))
        }
        (Type::Array(element, _), ConstantValue::Parts(parts)) => {
            parts.iter().try_for_each(|part| narrow_value(element, part))
        }
        (Type::Tuple(types), ConstantValue::Parts(parts)) => {
            types.iter().zip(parts).try_for_each(|(ty, part)| narrow_value(ty, part))
        }
        _ => Ok(()),
    }
}
