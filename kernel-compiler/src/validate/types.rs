//! Validation of the types of parameters, variables and memory.

use crate::ir::{ExprId, LocalId, Span, StructType, Type};
use crate::{Diagnostic, LAUNCH_BYTES};

use super::{STATIC_SHARED_LIMIT, Validator};

/// The maximum size in bytes of a kernel's parameters on every device (CUDA C++ Programming Guide, "`__global__`
/// Function Parameters").
const PARAMETER_LIMIT: u64 = 4096;

/// A part of a type that is not supported in its context.
struct Unsupported<'t> {
    part: &'t Type,
    reason: Reason,
}

enum Reason {
    Reference,
    Tuple,
    Nothing,
    NoElements,
    NoSize,
    TooMany,
}

/// The maximum length of an array of slices or views, each of which is in registers.
const MOST_REFERENCES: u64 = 64;

impl Unsupported<'_> {
    fn why(&self) -> String {
        let Unsupported { part, reason } = self;
        match reason {
            Reason::Reference => {
                format!("`{part}` is a reference, which cannot be stored in arrays, structs or memory")
            }
            Reason::Tuple => format!("`{part}` is a tuple, whose layout is unspecified in Rust"),
            Reason::Nothing => format!("`{part}` has no size"),
            Reason::NoElements => format!("`{part}` has no elements, and CUDA C has no zero-length arrays"),
            Reason::NoSize => format!("`{part}` has size zero, and CUDA C has no zero-sized structs"),
            Reason::TooMany => {
                format!("`{part}` has more than {MOST_REFERENCES} elements, each of which is in registers")
            }
        }
    }

    fn help(&self) -> &'static str {
        match self.reason {
            Reason::Reference => "store an index instead of a reference",
            Reason::Tuple => "declare a struct with `#[derive(DeviceType)]` instead",
            Reason::Nothing => "remove it",
            Reason::NoElements => "give it at least one element, or remove it",
            Reason::NoSize => "remove it, or add a field",
            Reason::TooMany => "put the elements into one array, and pass it as a view of two dimensions",
        }
    }
}

impl Validator<'_, '_> {
    /// Validates the parameter types and the result type of the function.
    pub(super) fn signature(&mut self, kernel: bool) {
        let function = &self.function.instance.function;
        for param in &function.params {
            let ty = self.function.local_type(*param);
            if let Err((why, help)) = parameter(ty, kernel) {
                let message =
                    format!("the parameter `{}` has the unsupported type `{ty}`", function.local(*param).name);
                self.error(function.span, Diagnostic::new(message, why, help));
            }
        }
        if kernel {
            self.parameter_bytes();
        }
        let result = &self.function.signature.result;
        let what = if kernel {
            (*result != Type::Unit).then(|| {
                Diagnostic::new(
                    format!("a kernel cannot return `{result}`"),
                    "a launch runs many threads, and their results are not collected",
                    "write the result to a `&mut [T]` parameter",
                )
            })
        } else {
            result_of_device_function(result)
        };
        if let Some(what) = what {
            self.error(function.span, what);
        }
    }

    /// Validates the total size of a kernel's parameters.
    fn parameter_bytes(&mut self) {
        let function = &self.function.instance.function;
        let mut bytes = 0u64;
        for param in &function.params {
            append(&mut bytes, self.function.local_type(*param));
        }
        let limit = PARAMETER_LIMIT - LAUNCH_BYTES as u64;
        if bytes > limit {
            self.error(
                function.span,
                Diagnostic::new(
                    format!("the kernel's parameters occupy {bytes} bytes"),
                    format!(
                        "Cumbia limits parameters to {PARAMETER_LIMIT} bytes, the limit common to all supported CUDA versions and \
                         GPUs, and reserves {LAUNCH_BYTES} of them"
                    ),
                    "store the data in an array and pass a slice",
                ),
            );
        }
    }

    /// Validates the types of variables. Parameters are validated with the signature.
    pub(super) fn locals(&mut self) {
        let function = &self.function.instance.function;
        for (id, local) in (0u32..).map(LocalId).zip(&function.locals) {
            let ty = self.function.local_type(id);
            if self.function.is_declared(id)
                && !function.params.contains(&id)
                && let Some(unsupported) = value(ty)
            {
                self.reject(
                    &unsupported,
                    format!("the variable `{}` has the unsupported type `{ty}`", local.name),
                    function.span,
                );
            }
        }
    }

    /// Validates the type of an expression's value.
    pub(super) fn value_type(&mut self, id: ExprId) {
        let ty = self.ty(id);
        if let Some(unsupported) = value(ty) {
            self.reject(&unsupported, format!("a value of type `{ty}` is not supported"), self.span(id));
        }
    }

    /// Validates the type of an array expression. Only parameters are arrays of slices.
    pub(super) fn array_value(&mut self, id: ExprId) {
        let ty = self.ty(id);
        match ty {
            Type::Array(part, _) if part.has_references() => {
                let unsupported = Unsupported { part, reason: Reason::Reference };
                self.reject(&unsupported, format!("a value of type `{ty}` is not supported"), self.span(id));
            }
            _ => self.value_type(id),
        }
    }

    /// Validates the type of a struct expression. Only parameters are structs of slices.
    pub(super) fn struct_value(&mut self, id: ExprId) {
        let ty = self.ty(id);
        match ty {
            Type::Struct(_) if ty.has_references() => {
                let unsupported = Unsupported { part: ty, reason: Reason::Reference };
                self.reject(&unsupported, format!("a value of type `{ty}` is not supported"), self.span(id));
            }
            _ => self.value_type(id),
        }
    }

    /// Validates the type and the size of `shared::<T>()`.
    pub(super) fn shared_storage(&mut self, ty: &Type, span: Span) {
        if !self.memory(ty, "shared memory of type", span) {
            return;
        }
        let before = *self.shared;
        *self.shared = before.saturating_add(ty.size().unwrap_or(u64::MAX));
        if before <= STATIC_SHARED_LIMIT && *self.shared > STATIC_SHARED_LIMIT {
            let total = *self.shared;
            self.error(
                span,
                Diagnostic::new(
                    format!("the kernel declares {total} bytes of shared memory"),
                    format!("CUDA limits static shared memory to {STATIC_SHARED_LIMIT} bytes per block"),
                    "use `dynamic_shared::<T>()` and specify the size at launch with `.shared_bytes(n)`",
                ),
            );
        }
    }

    /// Reports types without a memory layout. Returns whether the type has one.
    pub(super) fn memory(&mut self, ty: &Type, what: &str, span: Span) -> bool {
        match element(ty) {
            Some(unsupported) => {
                self.reject(&unsupported, format!("{what} `{ty}` is not supported"), span);
                false
            }
            None => true,
        }
    }

    /// Validates the type of the target of a reference.
    pub(super) fn target(&mut self, ty: &Type, span: Span) {
        if let Some(unsupported) = place(ty) {
            self.reject(&unsupported, format!("a reference to a `{ty}` is not supported"), span);
        }
    }

    fn reject(&mut self, unsupported: &Unsupported<'_>, message: String, span: Span) {
        if !self.rejected.contains(unsupported.part) {
            self.rejected.push(unsupported.part.clone());
            self.error(span, Diagnostic::new(message, unsupported.why(), unsupported.help()));
        }
    }
}

/// Adds the size of a kernel's parameter of the type to `bytes`, with its alignment.
fn append(bytes: &mut u64, ty: &Type) {
    let (size, align) = match ty {
        // A pointer and a length.
        Type::Slice { .. } => (16, 8),
        // A pointer, and a length and a stride per dimension.
        Type::View { element: _, dimensions, mutable: _ } => (8 + 16 * u64::from(*dimensions), 8),
        Type::Tuple(parts) => return parts.iter().for_each(|part| append(bytes, part)),
        Type::Struct(structure) if ty.has_references() => {
            return structure.fields.iter().for_each(|field| append(bytes, &field.ty));
        }
        Type::Array(element, len) if ty.has_references() => {
            return (0..(*len).min(MOST_REFERENCES)).for_each(|_| append(bytes, element));
        }
        // An empty struct has a byte in CUDA C.
        other => (other.size().unwrap_or(0).max(1), other.align().unwrap_or(1)),
    };
    *bytes = bytes.next_multiple_of(align.max(1)).saturating_add(size);
}

/// Returns whether a function can take a value of the type; if not, the reason and the remedy.
fn parameter(ty: &Type, kernel: bool) -> Result<(), (String, &'static str)> {
    let unsupported = match ty {
        Type::Slice { element: inner, .. } | Type::View { element: inner, .. } => element(inner),
        // Several arguments, each passed as a parameter of its own.
        Type::Tuple(parts) if kernel => return parts.iter().try_for_each(|part| parameter(part, kernel)),
        Type::Struct(structure) if kernel && ty.has_references() => {
            return structure.fields.iter().try_for_each(|field| parameter(&field.ty, kernel));
        }
        Type::Array(inner, _) if kernel && ty.has_references() => match array_of_references(ty) {
            None => return parameter(inner, kernel),
            unsupported => unsupported,
        },
        Type::Ref { target, .. } if !kernel => place(target),
        Type::Unit | Type::Never => Some(Unsupported { part: ty, reason: Reason::Nothing }),
        Type::Ref { .. } => {
            let why = "kernel parameters are scalars, enums, structs, slices and views".to_owned();
            return Err((why, "pass a slice of one element, or pass the value"));
        }
        Type::Struct(_) if kernel => place(ty),
        Type::Scalar(_) | Type::Enum(_) | Type::Array(..) if kernel => element(ty),
        Type::Scalar(_) | Type::Tuple(_) | Type::Struct(_) | Type::Enum(_) | Type::Array(..) => value(ty),
    };
    unsupported.map_or(Ok(()), |unsupported| Err((unsupported.why(), unsupported.help())))
}

/// Returns the error of a device function's result type, if any.
fn result_of_device_function(result: &Type) -> Option<Diagnostic> {
    if matches!(result, Type::Unit | Type::Never) {
        return None;
    }
    let unsupported = data(result)?;
    let (why, help) = match unsupported.reason {
        Reason::Reference => (
            format!("`{}` is a reference, and device functions return only values", unsupported.part),
            "return an index, and access the element in the caller",
        ),
        Reason::Tuple | Reason::Nothing | Reason::NoElements | Reason::NoSize | Reason::TooMany => {
            (unsupported.why(), unsupported.help())
        }
    };
    Some(Diagnostic::new(format!("a device function cannot return `{result}`"), why, help))
}

/// Returns the part of a type that a variable cannot hold.
fn value(ty: &Type) -> Option<Unsupported<'_>> {
    match ty {
        Type::Unit | Type::Never => None,
        // An enum holds no references.
        Type::Tuple(_) if ty.tag().is_some() => data(ty),
        Type::Tuple(parts) => parts.iter().find_map(value),
        Type::Slice { element: inner, mutable: _ } | Type::View { element: inner, dimensions: _, mutable: _ } => {
            element(inner)
        }
        Type::Ref { target: inner, mutable: _ } => place(inner),
        Type::Struct(structure) if ty.has_references() => structure.fields.iter().find_map(|field| value(&field.ty)),
        Type::Array(inner, _) if ty.has_references() => array_of_references(ty).or_else(|| value(inner)),
        Type::Scalar(_) | Type::Struct(_) | Type::Enum(_) | Type::Array(..) => data(ty),
    }
}

/// Returns an array of slices or views, if its length is not supported.
fn array_of_references(ty: &Type) -> Option<Unsupported<'_>> {
    let unsupported = |reason| Some(Unsupported { part: ty, reason });
    match ty {
        Type::Array(_, 0) => unsupported(Reason::NoElements),
        Type::Array(_, len) if *len > MOST_REFERENCES => unsupported(Reason::TooMany),
        _ => None,
    }
}

/// Returns the part of a type that an array element in a variable, or a result, cannot hold.
fn data(ty: &Type) -> Option<Unsupported<'_>> {
    match ty {
        // `Result<(), E>`
        Type::Tuple(parts) if ty.tag().is_some() => parts.iter().filter(|part| **part != Type::Unit).find_map(data),
        Type::Tuple(parts) => parts.iter().find_map(data),
        // A zero-length array occupies no memory; only its element type matters.
        Type::Array(inner, 0) => data(inner),
        Type::Array(inner, _) if matches!(**inner, Type::Array(_, 0)) => element(inner),
        Type::Array(inner, _) => data(inner),
        _ => place(ty),
    }
}

/// Returns the part of a type that a reference's target, a field or a struct parameter cannot hold. Zero-length arrays and
/// zero-sized structs occupy no memory there.
fn place(ty: &Type) -> Option<Unsupported<'_>> {
    match ty {
        Type::Array(inner, 0) => element(inner),
        Type::Struct(StructType { size: 0, fields, .. }) => fields.iter().find_map(|field| place(&field.ty)),
        _ => element(ty),
    }
}

/// Returns the part of a type that has no memory layout.
fn element(ty: &Type) -> Option<Unsupported<'_>> {
    let unsupported = |reason| Some(Unsupported { part: ty, reason });
    match ty {
        Type::Scalar(_) | Type::Enum(_) => None,
        Type::Array(_, 0) => unsupported(Reason::NoElements),
        Type::Array(inner, _) => element(inner),
        Type::Struct(StructType { size: 0, .. }) => unsupported(Reason::NoSize),
        Type::Struct(StructType { fields, .. }) => fields.iter().find_map(|field| place(&field.ty)),
        Type::Tuple(_) => unsupported(Reason::Tuple),
        Type::Unit | Type::Never => unsupported(Reason::Nothing),
        Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => unsupported(Reason::Reference),
    }
}
