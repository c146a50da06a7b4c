//! `#[kernel(index = u32)]`: conversion of a program to 32-bit indices.
//!
//! All occurrences of `usize` in a program are in its slots, so the conversion changes only those: `usize` becomes
//! `u32`, and the values that the device supplies (indices, lengths) become `u32`, too. A `usize` that the host passes
//! by value arrives as its low-order half; the launch has checked that the upper half is zero.
//!
//! On the CPU device `usize` stays 64 bits wide. The results are equal as long as every `usize` is less than 2³².
//! Operations whose result would differ even for smaller values are rejected here.

use std::sync::Arc;

use crate::ir::{
    Callee, Constant, ConstantValue, ExprKind, Filled, Foreign, Function, Instance, Intrinsic, Literal, Method,
    Program, Scalar, Type, dim3, variant_of,
};
use crate::{Diagnostic, Error, Errors, typify};

/// Returns the program with 32-bit indices.
///
/// # Errors
///
/// If the program requires a 64-bit `usize`: in memory that the host lays out, for a larger constant, or for a
/// method whose result depends on the width.
pub fn with_narrow_indices(mut program: Program) -> Result<Program, Errors> {
    check_params(&program.kernel)?;
    check_exprs(&program)?;
    program.index = Scalar::U32;
    for instance in program.functions.iter_mut().chain([&mut program.kernel]) {
        let Instance { function, slots, file, built_in, overflow_checks: _ } = Arc::make_mut(instance);
        check_linked(function, slots, file)?;
        for slot in slots {
            if *built_in {
                narrow_limit(slot);
            }
            narrow(slot).map_err(|what| error(function, file, &what))?;
        }
    }
    Ok(program)
}

fn error(function: &Function, file: &str, what: &str) -> Errors {
    let diagnostic = Diagnostic::new(
        format!("`{}` has {what}, in a kernel with `index = u32`", function.name),
        "`usize` is 32 bits wide in this kernel, but 64 in host memory",
        "use `u32` or `u64`, or remove the option",
    );
    Errors(vec![Error { function: function.name.clone(), file: file.to_owned(), span: function.span, diagnostic }])
}

/// Rejects kernel parameters whose memory layout contains a `usize`.
fn check_params(kernel: &Instance) -> Result<(), Errors> {
    for param in &kernel.function.params {
        let local = kernel.function.local(*param);
        // `check` reports unfilled slots.
        let Some(Filled::Type(ty)) = kernel.slots.get(local.slot.index()) else { continue };
        if has_usize_in_memory(ty) {
            return Err(error(&kernel.function, &kernel.file, &format!("a parameter `{}: {ty}`", local.name)));
        }
    }
    Ok(())
}

/// Rejects linked functions with a `usize` or a length in their signature: they are compiled with 64 bits.
fn check_linked(function: &Function, slots: &[Filled], file: &str) -> Result<(), Errors> {
    let Some(Foreign::Linked(_)) = function.foreign else { return Ok(()) };
    let params = function.params.iter().map(|param| function.local(*param).slot);
    for slot in params.chain(function.result) {
        if let Some(Filled::Type(ty)) = slots.get(slot.index())
            && has_index(ty)
        {
            return Err(error(function, file, &format!("a `{ty}` in its signature")));
        }
    }
    Ok(())
}

/// Returns whether values of the type contain a `usize` or are passed with a length.
fn has_index(ty: &Type) -> bool {
    match ty {
        Type::Slice { .. } | Type::View { .. } => true,
        Type::Ref { target, .. } => has_index(target),
        ty => contains_usize(ty),
    }
}

/// Rejects expressions whose value depends on the width: literals that are too large, methods of `usize` whose result
/// differs even if all values fit, and methods that combine `usize` with `isize`, which stays 64 bits wide.
fn check_exprs(program: &Program) -> Result<(), Errors> {
    // Type errors are independent of this option, and `check` reports them.
    let typed = typify::program(program, &mut Errors::default());
    let mut errors = Errors::default();
    for typed in &typed.functions {
        let Instance { function, slots, file, built_in, overflow_checks: _ } = &*typed.instance;
        // The definition of a built-in method applies to either width.
        if *built_in {
            continue;
        }
        for id in typed.reachable() {
            let expr = function.expr(id);
            let unsupported = match &expr.kind {
                ExprKind::Literal { value: Literal::Int { magnitude, negative: _ }, slot: _ }
                    if *typed.expr_type(id) == Type::USIZE =>
                {
                    unsupported_literal(*magnitude)
                }
                ExprKind::Call { callee, args } => match (&slots[callee.index()], args.first()) {
                    (Filled::Callee(Callee::Method(method)), Some(receiver)) => {
                        let receiver = typed.expr_type(*receiver).target().scalar();
                        receiver.and_then(|receiver| unsupported_method(*method, receiver))
                    }
                    _ => None,
                },
                _ => None,
            };
            if let Some(diagnostic) = unsupported {
                let (function, file) = (function.name.clone(), file.clone());
                errors.0.push(Error { function, file, span: expr.span, diagnostic });
            }
        }
    }
    errors.propagate()
}

fn unsupported_literal(number: u128) -> Option<Diagnostic> {
    let fits = u32::try_from(number).is_ok();
    (!fits).then(|| {
        Diagnostic::new(
            format!("the `usize` {number} is not supported in a kernel with `index = u32`"),
            "with this option a `usize` is 32 bits wide on the GPU",
            "use a `u64`, or remove the option",
        )
    })
}

fn unsupported_method(method: Method, receiver: Scalar) -> Option<Diagnostic> {
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
        ) => Some(Diagnostic::new(
            message,
            "the result depends on the width of `usize`: with this option, 32 bits on the GPU, but 64 on the CPU",
            format!("choose the width explicitly: `{name}` of `x as u32` or `x as u64`"),
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
        ) => Some(Diagnostic::new(
            message,
            "it combines `usize`, which has 32 bits on the GPU with this option, with `isize`, which has 64",
            "convert with `as`, or use `i32` and `u32`",
        )),
        _ => None,
    }
}

/// Returns whether the memory of a parameter of the type, or of the parts that it is passed as, contains a `usize`.
fn has_usize_in_memory(ty: &Type) -> bool {
    match ty {
        Type::Tuple(parts) => parts.iter().any(has_usize_in_memory),
        Type::Struct(structure) if ty.has_references() => {
            structure.fields.iter().any(|field| has_usize_in_memory(&field.ty))
        }
        Type::Array(element, _) if ty.has_references() => has_usize_in_memory(element),
        Type::Slice { element, .. } | Type::View { element, .. } | Type::Array(element, _) => contains_usize(element),
        _ => false,
    }
}

fn contains_usize(ty: &Type) -> bool {
    match ty {
        Type::Scalar(scalar) => *scalar == Scalar::Usize,
        Type::Array(element, _) => contains_usize(element),
        Type::Struct(structure) => structure.fields.iter().any(|field| contains_usize(&field.ty)),
        Type::Tuple(parts) => parts.iter().any(contains_usize),
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

/// Replaces `usize::MAX` by `u32::MAX` in the definition of a built-in method.
fn narrow_limit(slot: &mut Filled) {
    if let Filled::Constant(Constant { ty: Type::USIZE, value: ConstantValue::Bits(bits) }) = slot {
        *bits = (*bits).min(u64::from(u32::MAX));
    }
}

/// Replaces `usize` by `u32` in a type. Structs keep the memory layout that the host uses.
fn narrow_type(ty: &mut Type) -> Result<(), String> {
    match ty {
        Type::Scalar(scalar) => {
            if *scalar == Scalar::Usize {
                *scalar = Scalar::U32;
            }
            Ok(())
        }
        Type::Struct(_) if *ty == dim3() => {
            *ty = crate::ir::dim3_of(Scalar::U32);
            Ok(())
        }
        Type::Struct(structure) if structure.fields.iter().any(|field| field.ty.has_references()) => {
            structure.fields.iter_mut().try_for_each(|field| narrow_type(&mut field.ty))
        }
        Type::Struct(structure) => match structure.fields.iter().find(|field| contains_usize(&field.ty)) {
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

/// Verifies that the integers of a constant fit into 32 bits.
fn narrow_value(ty: &Type, value: &ConstantValue) -> Result<(), String> {
    match (ty, value) {
        (Type::Scalar(Scalar::Usize), ConstantValue::Bits(bits)) if u32::try_from(*bits).is_err() => {
            Err(format!("a constant of {bits}"))
        }
        (Type::Array(element, _), ConstantValue::Parts(parts)) => {
            parts.iter().try_for_each(|part| narrow_value(element, part))
        }
        (ty, ConstantValue::Parts(_)) if ty.tag().is_some() => {
            variant_of(ty, value).map_or(Ok(()), |(_, ty, payload)| narrow_value(ty, payload))
        }
        (Type::Tuple(types), ConstantValue::Parts(parts)) => {
            types.iter().zip(parts).try_for_each(|(ty, part)| narrow_value(ty, part))
        }
        _ => Ok(()),
    }
}
