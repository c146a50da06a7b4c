//! Which types parameters, variables and memory can have.

use crate::ir::{ExprId, LocalId, Span, StructType, Type};
use crate::{LAUNCH_BYTES, What};

use super::{Check, STATIC_SHARED_LIMIT};

/// What CUDA passes to a kernel on every device (CUDA C++ Programming Guide, "`__global__` Function Parameters").
const PARAMETER_LIMIT: u64 = 4096;

/// A part of a type that cannot be where it is.
struct Refused<'t> {
    part: &'t Type,
    reason: Reason,
}

enum Reason {
    Reference,
    Tuple,
    Nothing,
    NoElements,
    NoSize,
}

impl Refused<'_> {
    fn why(&self) -> String {
        let Refused { part, reason } = self;
        match reason {
            Reason::Reference => format!("`{part}` is a reference, which no array, struct or memory of a kernel holds"),
            Reason::Tuple => format!("`{part}` is a tuple, for which Rust and CUDA have no common layout"),
            Reason::Nothing => format!("`{part}` has no bits"),
            Reason::NoElements => format!("`{part}` has no elements, and CUDA C has no such array"),
            Reason::NoSize => format!("`{part}` has no bytes, and CUDA C has no such struct"),
        }
    }

    fn help(&self) -> &'static str {
        match self.reason {
            Reason::Reference => "keep the position in it, and index when the element is needed",
            Reason::Tuple => "declare a struct with `#[derive(DeviceType)]` for it",
            Reason::Nothing => "leave it out",
            Reason::NoElements => "give it at least one element, or leave it out",
            Reason::NoSize => "leave it out, or give it a field",
        }
    }
}

impl Check<'_, '_> {
    /// What the function takes and gives.
    pub(super) fn signature(&mut self, kernel: bool) {
        let function = &self.function.instance.function;
        for param in &function.params {
            let ty = self.function.local_type(*param);
            if let Err((why, help)) = parameter(ty, kernel) {
                let message = format!("the parameter `{}` has type `{ty}`", function.local(*param).name);
                self.error(function.span, What::new(message, why, help));
            }
        }
        if kernel {
            self.parameter_bytes();
        }
        let result = &self.function.signature.result;
        let what = if kernel {
            (*result != Type::Unit).then(|| {
                What::new(
                    format!("the kernel returns `{result}`"),
                    "a launch runs many threads, and has no place for the result of each",
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

    /// The parameters of a kernel, together.
    fn parameter_bytes(&mut self) {
        let function = &self.function.instance.function;
        let mut bytes = 0u64;
        for param in &function.params {
            let (size, align) = match self.function.local_type(*param) {
                // A pointer and a length.
                Type::Slice { .. } => (16, 8),
                // A pointer, and a length and a stride for each dimension.
                Type::View { element: _, dimensions, mutable: _ } => (8 + 16 * u64::from(*dimensions), 8),
                other => (other.size().unwrap_or(0), other.align().unwrap_or(1)),
            };
            bytes = bytes.next_multiple_of(align.max(1)).saturating_add(size);
        }
        let limit = PARAMETER_LIMIT - LAUNCH_BYTES as u64;
        if bytes > limit {
            self.error(
                function.span,
                What::new(
                    format!("the parameters of the kernel take {bytes} bytes"),
                    format!("CUDA passes {PARAMETER_LIMIT} bytes to a kernel, and Cumbia needs {LAUNCH_BYTES} of them"),
                    "put the data into an array, and pass a slice of it",
                ),
            );
        }
    }

    /// What variables hold. The parameters are part of the signature.
    pub(super) fn locals(&mut self) {
        let function = &self.function.instance.function;
        for (id, local) in (0u32..).map(LocalId).zip(&function.locals) {
            let ty = self.function.local_type(id);
            if self.function.is_declared(id)
                && !function.params.contains(&id)
                && let Some(refused) = value(ty)
            {
                self.refuse(&refused, format!("the variable `{}` has type `{ty}`", local.name), function.span);
            }
        }
    }

    /// What an expression makes.
    pub(super) fn made(&mut self, id: ExprId) {
        let ty = self.ty(id);
        if let Some(refused) = value(ty) {
            self.refuse(&refused, format!("a value of type `{ty}`"), self.span(id));
        }
    }

    /// What `shared::<T>()` reserves.
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
                What::new(
                    format!("the kernel declares {total} bytes of shared memory"),
                    format!("CUDA gives a block at most {STATIC_SHARED_LIMIT} bytes that are declared in the source"),
                    "use `dynamic_shared::<T>()` and give the size at launch, with `.shared_bytes(n)`",
                ),
            );
        }
    }

    /// Whether memory can hold values of the type; if not, it is reported.
    pub(super) fn memory(&mut self, ty: &Type, what: &str, span: Span) -> bool {
        match element(ty) {
            Some(refused) => {
                self.refuse(&refused, format!("{what} `{ty}`"), span);
                false
            }
            None => true,
        }
    }

    fn refuse(&mut self, refused: &Refused<'_>, message: String, span: Span) {
        if !self.refused.contains(refused.part) {
            self.refused.push(refused.part.clone());
            self.error(span, What::new(message, refused.why(), refused.help()));
        }
    }
}

/// Whether a function can take a value of the type; if not, why, and what to do.
fn parameter(ty: &Type, kernel: bool) -> Result<(), (String, &'static str)> {
    let refused = match ty {
        Type::Slice { element: inner, .. } | Type::View { element: inner, .. } => element(inner),
        Type::Ref { target, .. } if !kernel => place(target),
        Type::Unit | Type::Never => Some(Refused { part: ty, reason: Reason::Nothing }),
        Type::Ref { .. } => {
            let why = "a kernel takes numbers, enums, structs, slices and views".to_owned();
            return Err((why, "take a slice of one element, or the value itself"));
        }
        Type::Scalar(_) | Type::Tuple(_) | Type::Struct(_) | Type::Enum(_) | Type::Array(..) if kernel => element(ty),
        Type::Scalar(_) | Type::Tuple(_) | Type::Struct(_) | Type::Enum(_) | Type::Array(..) => value(ty),
    };
    refused.map_or(Ok(()), |refused| Err((refused.why(), refused.help())))
}

/// What is wrong with the result of a device function, if anything is.
fn result_of_device_function(result: &Type) -> Option<What> {
    if matches!(result, Type::Unit | Type::Never) {
        return None;
    }
    let refused = data(result)?;
    let (why, help) = match refused.reason {
        Reason::Reference => (
            format!("`{}` leads to memory, and a device function gives values", refused.part),
            "return the position, and index in the caller",
        ),
        Reason::Tuple | Reason::Nothing | Reason::NoElements | Reason::NoSize => (refused.why(), refused.help()),
    };
    Some(What::new(format!("the device function returns `{result}`"), why, help))
}

/// What of a type a variable cannot hold.
fn value(ty: &Type) -> Option<Refused<'_>> {
    match ty {
        Type::Unit | Type::Never => None,
        Type::Tuple(parts) => parts.iter().find_map(value),
        Type::Slice { element: inner, mutable: _ } | Type::View { element: inner, dimensions: _, mutable: _ } => {
            element(inner)
        }
        Type::Ref { target: inner, mutable: _ } => place(inner),
        Type::Scalar(_) | Type::Struct(_) | Type::Enum(_) | Type::Array(..) => data(ty),
    }
}

/// What of a type cannot be an element of an array in a variable, or a result.
fn data(ty: &Type) -> Option<Refused<'_>> {
    match ty {
        Type::Tuple(parts) => parts.iter().find_map(data),
        // It is not there, but for what its elements are made of.
        Type::Array(inner, 0) => data(inner),
        Type::Array(inner, _) if matches!(**inner, Type::Array(_, 0)) => element(inner),
        Type::Array(inner, _) => data(inner),
        _ => element(ty),
    }
}

/// What of a type a reference cannot lead to, and a field cannot hold. An array without elements takes no room there.
fn place(ty: &Type) -> Option<Refused<'_>> {
    match ty {
        Type::Array(inner, 0) => element(inner),
        _ => element(ty),
    }
}

/// What of a type memory cannot hold.
fn element(ty: &Type) -> Option<Refused<'_>> {
    let refused = |reason| Some(Refused { part: ty, reason });
    match ty {
        Type::Scalar(_) | Type::Enum(_) => None,
        Type::Array(_, 0) => refused(Reason::NoElements),
        Type::Array(inner, _) => element(inner),
        Type::Struct(StructType { size: 0, .. }) => refused(Reason::NoSize),
        Type::Struct(StructType { fields, .. }) => fields.iter().find_map(|field| place(&field.ty)),
        Type::Tuple(_) => refused(Reason::Tuple),
        Type::Unit | Type::Never => refused(Reason::Nothing),
        Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => refused(Reason::Reference),
    }
}
