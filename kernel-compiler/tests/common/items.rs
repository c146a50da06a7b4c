//! Types, constants and functions of a test program.

use cumbia_kernel_ir::{Constant, ConstantValue, EnumType, Field, FunctionId, Scalar, StructType, Type, Variant, dim3};

/// The items declared so far.
#[derive(Default)]
pub(super) struct Items {
    types: Vec<Type>,
    constants: Vec<(String, Constant)>,
    functions: Vec<Callable>,
    /// The type of the enclosing `impl`.
    pub(super) owner: Option<Type>,
    /// Whether that is an `impl Trait for Type`.
    pub(super) in_trait: bool,
}

/// A function that can be called.
struct Callable {
    /// The type of which it is a method.
    owner: Option<Type>,
    in_trait: bool,
    name: String,
    params: Vec<Type>,
    result: Type,
}

pub(super) fn scalar(name: &str) -> Option<Scalar> {
    use Scalar::*;
    [Bool, I8, I16, I32, I64, Isize, U8, U16, U32, U64, Usize, F16, Bf16, F32, F64]
        .into_iter()
        .find(|scalar| scalar.name() == name)
}

impl Items {
    /// Returns the struct or enum with this name.
    pub(super) fn named(&self, wanted: &str) -> Option<&Type> {
        if wanted == "Self" {
            return self.owner.as_ref();
        }
        self.types.iter().find(|ty| match ty {
            Type::Struct(StructType { name, .. }) | Type::Enum(EnumType { name, .. }) => name == wanted,
            _ => false,
        })
    }

    pub(super) fn ty(&self, ty: &syn::Type) -> Type {
        match ty {
            syn::Type::Path(path) => {
                let name = path.path.segments.last().unwrap();
                let argument = || {
                    let syn::PathArguments::AngleBracketed(args) = &name.arguments else {
                        panic!("expected an argument")
                    };
                    let Some(syn::GenericArgument::Type(inner)) = args.args.first() else { panic!("expected a type") };
                    Box::new(self.ty(inner))
                };
                let view = |dimensions, mutable| Type::View { element: argument(), dimensions, mutable };
                match name.ident.to_string().as_str() {
                    "Dim3" => dim3(),
                    "Shared" => Type::Ref { target: argument(), mutable: true },
                    "ArrayView1" => view(1, false),
                    "ArrayView2" => view(2, false),
                    "ArrayView3" => view(3, false),
                    "ArrayViewMut1" => view(1, true),
                    "ArrayViewMut2" => view(2, true),
                    "ArrayViewMut3" => view(3, true),
                    name => match scalar(name) {
                        Some(scalar) => Type::Scalar(scalar),
                        None => self.named(name).unwrap_or_else(|| panic!("unknown type `{name}`")).clone(),
                    },
                }
            }
            syn::Type::Reference(reference) => {
                let mutable = reference.mutability.is_some();
                match &*reference.elem {
                    syn::Type::Slice(slice) => Type::Slice { element: Box::new(self.ty(&slice.elem)), mutable },
                    other => Type::Ref { target: Box::new(self.ty(other)), mutable },
                }
            }
            syn::Type::Array(array) => Type::Array(Box::new(self.ty(&array.elem)), self.len(&array.len)),
            syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Type::Unit,
            syn::Type::Tuple(tuple) => Type::Tuple(tuple.elems.iter().map(|part| self.ty(part)).collect()),
            syn::Type::Never(_) => Type::Never,
            syn::Type::Paren(inner) => self.ty(&inner.elem),
            _ => panic!("unsupported type"),
        }
    }

    /// Evaluates the length of an array: a literal or a constant.
    pub(super) fn len(&self, len: &syn::Expr) -> u64 {
        match self.value(len, &Type::USIZE) {
            ConstantValue::Bits(bits) => bits,
            ConstantValue::Parts(_) => panic!("expected a length"),
        }
    }

    /// Declares a struct with C layout, honouring `#[repr(align(16))]`.
    pub(super) fn structure(&mut self, item: &syn::ItemStruct) {
        let (mut size, mut align) = (0u64, 1u64);
        let mut fields = Vec::new();
        for (i, field) in item.fields.iter().enumerate() {
            let name = field.ident.as_ref().map_or_else(|| i.to_string(), ToString::to_string);
            let ty = self.ty(&field.ty);
            let own = ty.align().unwrap_or(1);
            let offset = size.next_multiple_of(own);
            size = offset + ty.size().unwrap_or(0);
            align = align.max(own);
            fields.push(Field { name, ty, offset });
        }
        each_repr(&item.attrs, |meta| {
            if meta.path.is_ident("align") {
                let content;
                syn::parenthesized!(content in meta.input);
                align = align.max(content.parse::<syn::LitInt>()?.base10_parse()?);
            }
            Ok(())
        });
        let name = item.ident.to_string();
        let path = format!("kernels::{name}");
        self.types.push(Type::Struct(StructType { name, path, fields, size: size.next_multiple_of(align), align }));
    }

    /// Declares a fieldless enum, represented by `u8` or the type in `#[repr(i32)]`.
    pub(super) fn choice(&mut self, item: &syn::ItemEnum) {
        let mut repr = Scalar::U8;
        each_repr(&item.attrs, |meta| {
            repr = meta.path.get_ident().and_then(|name| scalar(&name.to_string())).expect("an integer");
            Ok(())
        });
        let mut next = 0;
        let mut variants = Vec::new();
        for variant in &item.variants {
            if let Some((_, discriminant)) = &variant.discriminant {
                let ConstantValue::Bits(bits) = self.value(discriminant, &Type::Scalar(repr)) else { panic!() };
                next = bits;
            }
            variants.push(Variant { name: variant.ident.to_string(), bits: next });
            next = next.wrapping_add(1) & (u64::MAX >> (64 - repr.bits()));
        }
        let name = item.ident.to_string();
        let path = format!("kernels::{name}");
        self.types.push(Type::Enum(EnumType { name, path, repr, variants, has_data: false }));
    }

    pub(super) fn constant(&mut self, item: &syn::ItemConst) {
        let ty = self.ty(&item.ty);
        let value = self.value(&item.expr, &ty);
        self.constants.push((item.ident.to_string(), Constant { ty, value }));
    }

    /// Returns a constant by its path: `LIMIT`, `Kind::Leaf`, `f32::MAX`.
    pub(super) fn constant_of(&self, path: &syn::Path) -> Option<Constant> {
        let name: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        match name.as_slice() {
            [name] => self.constants.iter().find(|(known, _)| known == name).map(|(_, constant)| constant.clone()),
            [of, name] => {
                let (ty, bits) = if let Some(ty @ Type::Enum(choice)) = self.named(of) {
                    (ty.clone(), choice.variants.iter().find(|variant| variant.name == *name)?.bits)
                } else {
                    let scalar = scalar(of)?;
                    (Type::Scalar(scalar), limit(scalar, name)?)
                };
                Some(Constant { ty, value: ConstantValue::Bits(bits) })
            }
            _ => None,
        }
    }

    /// Evaluates a constant of this type, as rustc would.
    fn value(&self, expr: &syn::Expr, ty: &Type) -> ConstantValue {
        match (expr, ty) {
            (syn::Expr::Path(path), _) => self.constant_of(&path.path).expect("a constant").value,
            (syn::Expr::Unary(negated), Type::Scalar(scalar)) => {
                let ConstantValue::Bits(bits) = self.value(&negated.expr, ty) else { panic!("expected a number") };
                let mask = u64::MAX >> (64 - scalar.bits());
                let bits = if scalar.is_float() { bits ^ 1 << (scalar.bits() - 1) } else { bits.wrapping_neg() & mask };
                ConstantValue::Bits(bits)
            }
            (syn::Expr::Lit(literal), Type::Scalar(scalar)) => ConstantValue::Bits(match (&literal.lit, scalar) {
                (syn::Lit::Bool(value), _) => value.value.into(),
                (syn::Lit::Int(int), _) => int.base10_parse().unwrap(),
                (syn::Lit::Float(float), Scalar::F32) => float.base10_parse::<f32>().unwrap().to_bits().into(),
                (syn::Lit::Float(float), Scalar::F64) => float.base10_parse::<f64>().unwrap().to_bits(),
                _ => panic!("unsupported constant"),
            }),
            (syn::Expr::Array(array), Type::Array(element, _)) => {
                ConstantValue::Parts(array.elems.iter().map(|part| self.value(part, element)).collect())
            }
            (syn::Expr::Repeat(repeat), Type::Array(element, len)) => {
                ConstantValue::Parts(vec![self.value(&repeat.expr, element); *len as usize])
            }
            (syn::Expr::Tuple(tuple), Type::Tuple(parts)) => {
                ConstantValue::Parts(tuple.elems.iter().zip(parts).map(|(part, ty)| self.value(part, ty)).collect())
            }
            (syn::Expr::Struct(literal), Type::Struct(structure)) => {
                let value = |field: &Field| {
                    let given = literal.fields.iter().find(|given| member(&given.member) == field.name);
                    self.value(&given.expect("a field").expr, &field.ty)
                };
                ConstantValue::Parts(structure.fields.iter().map(value).collect())
            }
            (syn::Expr::Paren(inner), _) => self.value(&inner.expr, ty),
            _ => panic!("unsupported constant"),
        }
    }

    /// Declares a function.
    pub(super) fn function(&mut self, name: &str, params: Vec<Type>, result: Option<Type>) {
        self.functions.push(Callable {
            owner: self.owner.clone(),
            in_trait: self.owner.is_some() && self.in_trait,
            name: name.to_owned(),
            params,
            result: result.unwrap_or(Type::Unit),
        });
    }

    /// Returns a function, or a method of a type, by its name.
    pub(super) fn callable(&self, owner: Option<&Type>, name: &str) -> Option<FunctionId> {
        self.find(|callable| callable.owner.as_ref() == owner && callable.name == name)
    }

    /// Returns the function that implements an operator, by its name in `std::ops`.
    pub(super) fn operator(&self, name: &str, operands: &[Option<&Type>]) -> Option<FunctionId> {
        self.find(|callable| {
            let mut pairs = callable.params.iter().zip(operands);
            callable.in_trait
                && callable.name == name
                && callable.params.len() == operands.len()
                && pairs.all(|(param, operand)| operand.is_none_or(|operand| param.target() == operand.target()))
        })
    }

    /// Returns the parameter types of a function; empty if the function does not exist.
    pub(super) fn params(&self, id: FunctionId) -> &[Type] {
        self.functions.get(id.index()).map_or(&[], |callable| &callable.params)
    }

    /// Returns the result type of a function.
    pub(super) fn result(&self, id: FunctionId) -> Option<&Type> {
        self.functions.get(id.index()).map(|callable| &callable.result)
    }

    fn find(&self, is_it: impl Fn(&Callable) -> bool) -> Option<FunctionId> {
        self.functions.iter().rposition(is_it).map(|position| FunctionId(position as u32))
    }
}

/// Returns the name of a field, or its index in decimal.
pub(super) fn member(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => name.to_string(),
        syn::Member::Unnamed(position) => position.index.to_string(),
    }
}

/// Visits the arguments of `#[repr(..)]`.
fn each_repr(attrs: &[syn::Attribute], mut visit: impl FnMut(syn::meta::ParseNestedMeta<'_>) -> syn::Result<()>) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        attr.parse_nested_meta(&mut visit).expect("a `repr`");
    }
}

/// Returns the bits of `f32::NAN`, `i32::MIN` and the other limits.
fn limit(scalar: Scalar, name: &str) -> Option<u64> {
    Some(match (scalar, name) {
        (Scalar::F32, "NAN") => f32::NAN.to_bits().into(),
        (Scalar::F32, "INFINITY") => f32::INFINITY.to_bits().into(),
        (Scalar::F64, "NEG_INFINITY") => f64::NEG_INFINITY.to_bits(),
        (_, "MIN") if scalar.is_signed() => 1 << (scalar.bits() - 1),
        (_, "MIN") if scalar.is_integer() => 0,
        (_, "MAX") if scalar.is_integer() => u64::MAX >> (64 - scalar.bits() + u32::from(scalar.is_signed())),
        _ => return None,
    })
}
