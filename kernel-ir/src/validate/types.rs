//! Which types parameters, variables and memory can have.

use crate::What;
use crate::ir::{Span, Type};

use super::{Check, STATIC_SHARED_LIMIT};

impl Check<'_, '_> {
    /// What the function takes and gives.
    pub(super) fn signature(&mut self, kernel: bool) {
        let function = &self.function.instance.function;
        for param in &function.params {
            let ty = self.function.local_type(*param);
            let name = &function.local(*param).name;
            let accepted = match ty {
                Type::Scalar(_) => true,
                Type::Slice { element, mutable: _ } => element.scalar().is_some(),
                Type::Shared(inner) => !kernel && array_of_scalars(inner),
                Type::Unit | Type::Never | Type::Tuple(_) | Type::Struct(_) | Type::Array(..) | Type::Place(_) => false,
            };
            if !accepted {
                let (what, can) = if kernel {
                    ("kernel", "numbers, `bool`s and slices of them")
                } else {
                    ("device function", "numbers, `bool`s, slices of them and shared arrays")
                };
                self.error(
                    function.span,
                    What::new(
                        format!("the parameter `{name}` has type `{ty}`"),
                        format!("a {what} takes {can}"),
                        "pass the parts as parameters of their own",
                    ),
                );
            }
        }
        let result = &self.function.signature.result;
        let accepted = match result {
            Type::Unit => true,
            Type::Scalar(_) | Type::Never => !kernel,
            Type::Tuple(_)
            | Type::Struct(_)
            | Type::Array(..)
            | Type::Slice { .. }
            | Type::Shared(_)
            | Type::Place(_) => false,
        };
        if !accepted {
            let what = if kernel {
                What::new(
                    format!("the kernel returns `{result}`"),
                    "a launch runs many threads, and has no place for the result of each",
                    "write the result to a `&mut [T]` parameter",
                )
            } else {
                What::new(
                    format!("the device function returns `{result}`"),
                    "a device function gives one number or `bool`, or nothing",
                    "write one function for each part, or inline it",
                )
            };
            self.error(function.span, what);
        }
    }

    /// What variables hold.
    pub(super) fn locals(&mut self) {
        let function = &self.function.instance.function;
        for (local, ty) in function.locals.iter().zip(&self.function.locals) {
            let accepted = match ty {
                Type::Shared(inner) => array_of_scalars(inner),
                _ => splits(ty),
            };
            if !accepted {
                let name = &local.name;
                self.error(
                    function.span,
                    What::new(
                        format!("the variable `{name}` has type `{ty}`"),
                        "a variable of a kernel holds numbers, `bool`s, slices of them, or tuples of those",
                        match ty {
                            Type::Place(_) => "keep the index in the variable, not the reference",
                            _ => "use one variable for each element, or an array from `shared::<[T; N]>()`",
                        },
                    ),
                );
            }
        }
    }

    /// What `shared::<T>()` reserves.
    pub(super) fn shared_storage(&mut self, ty: &Type, span: Span) {
        let size = ty.size().filter(|_| array_of_scalars(ty));
        let Some(size) = size else {
            self.error(
                span,
                What::new(
                    format!("shared memory of type `{ty}`"),
                    "shared memory holds arrays of numbers or `bool`s, of at least one element",
                    "write `shared::<[f32; 256]>()`, or `shared::<[[f32; 16]; 16]>()`",
                ),
            );
            return;
        };
        let before = *self.shared;
        *self.shared = before.saturating_add(size);
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

    /// What a slice of memory consists of.
    pub(super) fn memory_element(&mut self, ty: &Type, memory: &str, span: Span) {
        if ty.scalar().is_none() {
            self.error(
                span,
                What::new(
                    format!("{memory} of type `{ty}`"),
                    "it is a slice of numbers or `bool`s",
                    "use the type of one number, and compute the index",
                ),
            );
        }
    }
}

/// Whether values of the type can be split into C variables, one for each number.
fn splits(ty: &Type) -> bool {
    match ty {
        Type::Unit | Type::Never | Type::Scalar(_) => true,
        Type::Tuple(parts) => parts.iter().all(splits),
        Type::Struct(structure) => structure.fields.iter().all(|field| splits(&field.ty)),
        Type::Slice { element, mutable: _ } => element.scalar().is_some(),
        Type::Array(..) | Type::Shared(_) | Type::Place(_) => false,
    }
}

/// `[T; N]`, `[[T; N]; M]` and so on, none of them empty: C has no arrays without elements.
fn array_of_scalars(ty: &Type) -> bool {
    match ty {
        Type::Array(element, len) => *len > 0 && (element.scalar().is_some() || array_of_scalars(element)),
        Type::Unit
        | Type::Never
        | Type::Scalar(_)
        | Type::Tuple(_)
        | Type::Struct(_)
        | Type::Slice { .. }
        | Type::Shared(_)
        | Type::Place(_) => false,
    }
}
