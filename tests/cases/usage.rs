//! The language features that a kernel uses, collected from its IR and slots: for the coverage tests of the corpus.

use std::any::TypeId;
use std::collections::HashSet;

use cumbia::__private::{Content, Definition};
use cumbia::Kernel;
use cumbia_kernel_ir::{Intrinsic, Method, Scalar, Type};

/// The methods, intrinsics and scalar types in the IR of a kernel and of every function that it calls.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// Primitive methods.
    pub methods: HashSet<Method>,
    /// The paths of the functions that define other built-in methods.
    pub defined: HashSet<&'static str>,
    /// Intrinsics.
    pub intrinsics: HashSet<Intrinsic>,
    /// Scalar types of variables, literals, casts, results and constants.
    pub scalars: HashSet<Scalar>,
    seen: HashSet<TypeId>,
}

impl Usage {
    /// Returns the usage of one instance of a kernel.
    pub fn of<K: Kernel>() -> Usage {
        let mut usage = Usage::default();
        usage.add(&K::definition());
        usage
    }

    /// Returns whether any value is an `f64`.
    pub fn has_f64(&self) -> bool {
        use Method::{Bf16FromF64, F16FromF64, F64FromBits, ToF64};
        let converts = [ToF64, F16FromF64, Bf16FromF64, F64FromBits].iter().any(|method| self.methods.contains(method));
        converts || self.scalars.contains(&Scalar::F64)
    }

    fn add(&mut self, definition: &Definition) {
        if !self.seen.insert(definition.id()) {
            return;
        }
        if definition.built_in {
            self.defined.insert(definition.path);
        }
        self.add_contents(definition.contents());
    }

    fn add_contents(&mut self, contents: Vec<Content>) {
        for content in contents {
            match content {
                Content::Type(ty) | Content::Variant(ty, _) => self.add_type(&ty),
                Content::Cast(scalar) => self.add_type(&Type::Scalar(scalar)),
                Content::Constant(constant) => self.add_type(&constant.ty),
                Content::Intrinsic(intrinsic) => {
                    if let Intrinsic::Shared(ty) | Intrinsic::DynamicShared(ty) | Intrinsic::DynamicSharedAt(ty) =
                        &intrinsic
                    {
                        self.add_type(ty);
                    }
                    self.intrinsics.insert(intrinsic);
                }
                Content::Method(method) => {
                    self.methods.insert(method);
                }
                Content::Function(definition) | Content::Operator(Some(definition)) => self.add(&definition),
                Content::Compound(compound) => self.add_contents(compound.function().1),
                Content::Operator(None) => {}
            }
        }
    }

    fn add_type(&mut self, ty: &Type) {
        match ty {
            Type::Unit | Type::Never => {}
            Type::Scalar(scalar) => {
                self.scalars.insert(*scalar);
            }
            Type::Enum(choice) => {
                self.scalars.insert(choice.repr);
            }
            Type::Tuple(parts) => parts.iter().for_each(|part| self.add_type(part)),
            Type::Struct(structure) => structure.fields.iter().for_each(|field| self.add_type(&field.ty)),
            Type::Array(element, _)
            | Type::Slice { element, .. }
            | Type::View { element, .. }
            | Type::Ref { target: element, .. } => self.add_type(element),
        }
    }
}
