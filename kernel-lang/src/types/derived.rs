//! Functions and traits that the code of `#[derive(DeviceType)]` uses.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use cumbia_kernel_ir::{EnumType, Field, Scalar, StructType, Type, Variant};

/// `Copy`, as the bound of the implementations that `#[derive(DeviceType)]` writes. It implements this trait as well: that is the only error
/// if the type lacks `Copy`.
pub trait DeviceCopy: Copy {}

/// The name, type and byte offset of a field.
type Described<'a> = (&'a str, fn() -> Type, usize);

/// Returns the type of the struct `T` with its fields in declaration order.
pub fn structure<T>(name: &str, fields: &[Described<'_>]) -> Type {
    let field = |&(name, ty, offset): &Described<'_>| Field { name: name.to_owned(), ty: ty(), offset: offset as u64 };
    Type::Struct(StructType {
        name: name.to_owned(),
        path: std::any::type_name::<T>().to_owned(),
        fields: fields.iter().map(field).collect(),
        size: size_of::<T>() as u64,
        align: align_of::<T>() as u64,
    })
}

/// Returns the type of a struct with `#[derive(KernelArgument)]`: its name and path, and the name and the type of each
/// field. It is never in memory, so that its size and offsets are those of its parts.
pub fn argument_struct(name: &str, path: &str, fields: Vec<(&str, Type)>) -> Type {
    let mut size = 0;
    let field = |(name, ty): (&str, Type)| {
        let offset = size;
        size += ty.size().unwrap_or(8).next_multiple_of(8);
        Field { name: name.to_owned(), ty, offset }
    };
    let fields = fields.into_iter().map(field).collect();
    Type::Struct(StructType { name: name.to_owned(), path: path.to_owned(), fields, size, align: 8 })
}

/// Returns the type of the enum `T`, given the name and the discriminant of each variant in declaration order.
pub fn enumeration<T>(name: &str, variants: &[(&str, i128)]) -> Type {
    let signed = variants.iter().any(|&(_, discriminant)| discriminant < 0);
    let variant =
        |&(name, discriminant): &(&str, i128)| Variant { name: name.to_owned(), bits: bits_of::<T>(discriminant) };
    Type::Enum(EnumType {
        name: name.to_owned(),
        path: std::any::type_name::<T>().to_owned(),
        repr: integer(size_of::<T>(), signed),
        variants: variants.iter().map(variant).collect(),
        has_data: false,
    })
}

/// The name, the discriminant and the fields of a variant.
type DescribedVariant<'a> = (&'a str, i128, &'a [Described<'a>]);

/// Returns the type of the enum `T` with data, given its variants in declaration order. `Tag` is the enum of its tags.
pub fn data_enumeration<T, Tag>(name: &str, variants: &[DescribedVariant<'_>]) -> Type {
    let path = std::any::type_name::<T>();
    let tags: Vec<(&str, i128)> = variants.iter().map(|&(name, discriminant, _)| (name, discriminant)).collect();
    let Type::Enum(tag) = enumeration::<Tag>(name, &tags) else { return Type::Never };
    let tag = EnumType { path: path.to_owned(), has_data: true, ..tag };
    let (repr, align) = (tag.repr, align_of::<T>() as u64);
    let payload = |&(variant, _, fields): &DescribedVariant<'_>| {
        let field =
            |&(name, ty, offset): &Described<'_>| Field { name: name.to_owned(), ty: ty(), offset: offset as u64 };
        let begin = Field { name: "tag".to_owned(), ty: Type::Scalar(repr), offset: 0 };
        let fields: Vec<Field> = [begin].into_iter().chain(fields.iter().map(field)).collect();
        let end = fields.iter().map(|field| field.offset + field.ty.size().unwrap_or(0)).max();
        let ty = Type::Struct(StructType {
            name: format!("{name}_{variant}"),
            path: format!("{path}::{variant}"),
            fields,
            size: end.unwrap_or(0).next_multiple_of(align),
            align,
        });
        Field { name: variant.to_owned(), ty, offset: 0 }
    };
    let first = Field { name: "tag".to_owned(), ty: Type::Enum(tag), offset: 0 };
    Type::Struct(StructType {
        name: name.to_owned(),
        path: path.to_owned(),
        fields: [first].into_iter().chain(variants.iter().map(payload)).collect(),
        size: size_of::<T>() as u64,
        align,
    })
}

/// Returns the integer type of a size in bytes.
fn integer(size: usize, signed: bool) -> Scalar {
    match (size, signed) {
        (1, false) => Scalar::U8,
        (1, true) => Scalar::I8,
        (2, false) => Scalar::U16,
        (2, true) => Scalar::I16,
        (4, false) => Scalar::U32,
        (4, true) => Scalar::I32,
        (8, false) => Scalar::U64,
        (8, true) => Scalar::I64,
        _ => unreachable!("`is_tag` has rejected an enum of {size} bytes, in the derived `load`"),
    }
}

/// Returns the bits of a variant of the enum `T` with this discriminant, zero-extended.
pub const fn bits_of<T>(discriminant: i128) -> u64 {
    let (bits, size) = (discriminant as u64, size_of::<T>());
    if size < 8 { bits & ((1 << (size * 8)) - 1) } else { bits }
}

/// Returns whether the representation of a variant of a field-less enum is its discriminant. rustc guarantees it for
/// enums with a `repr`; for others, the derived code asserts it at compile time.
///
/// # Safety
///
/// `T` must be an enum whose variants have no fields.
pub const unsafe fn is_tag<T>(variant: &T, discriminant: i128) -> bool {
    let place = std::ptr::from_ref(variant);
    // SAFETY: a field-less enum has the representation of an integer of its size, without padding.
    let bits = unsafe {
        match size_of::<T>() {
            1 => place.cast::<u8>().read() as u64,
            2 => place.cast::<u16>().read() as u64,
            4 => place.cast::<u32>().read() as u64,
            8 => place.cast::<u64>().read(),
            // An enum of one variant has size 0.
            _ => return false,
        }
    };
    bits == bits_of::<T>(discriminant)
}

/// Loads the bits of an enum that other threads may be writing.
///
/// # Safety
///
/// As for [`DeviceType::__load`](super::DeviceType::__load), of an enum for which [`is_tag`] holds.
#[inline(always)]
pub unsafe fn load_bits<T>(place: *mut T) -> u64 {
    // SAFETY: the atomic has the size and alignment of the enum; the caller guarantees a live place that is only
    // written atomically meanwhile. It may be read-only, as for `DeviceType::__load` of a scalar.
    unsafe {
        match size_of::<T>() {
            1 => u64::from((*place.cast_const().cast::<AtomicU8>()).load(Relaxed)),
            2 => u64::from((*place.cast_const().cast::<AtomicU16>()).load(Relaxed)),
            4 => u64::from((*place.cast_const().cast::<AtomicU32>()).load(Relaxed)),
            _ => (*place.cast_const().cast::<AtomicU64>()).load(Relaxed),
        }
    }
}

/// Stores the bits of an enum that other threads may be reading or writing.
///
/// # Safety
///
/// As for [`DeviceType::__store`](super::DeviceType::__store), of an enum for which [`is_tag`] holds.
#[inline(always)]
pub unsafe fn store_bits<T>(place: *mut T, bits: u64) {
    // SAFETY: as in `load_bits`.
    unsafe {
        match size_of::<T>() {
            1 => AtomicU8::from_ptr(place.cast()).store(bits as u8, Relaxed),
            2 => AtomicU16::from_ptr(place.cast()).store(bits as u16, Relaxed),
            4 => AtomicU32::from_ptr(place.cast()).store(bits as u32, Relaxed),
            _ => AtomicU64::from_ptr(place.cast()).store(bits, Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    enum Plain {
        A = 3,
        B = 200,
    }

    #[derive(Clone, Copy)]
    enum Signed {
        A = -1,
        B = 300,
    }

    #[derive(Clone, Copy)]
    enum Single {
        A = 5,
    }

    #[test]
    fn a_field_less_enum_is_represented_by_its_discriminant() {
        // SAFETY: none of the enums has fields.
        unsafe {
            assert!(is_tag(&Plain::A, Plain::A as i128) && is_tag(&Plain::B, Plain::B as i128));
            assert!(is_tag(&Signed::A, Signed::A as i128) && is_tag(&Signed::B, Signed::B as i128));
            assert!(!is_tag(&Single::A, Single::A as i128));
        }
        let Type::Enum(plain) = enumeration::<Plain>("Plain", &[("A", 3), ("B", 200)]) else { panic!() };
        assert_eq!((plain.repr, plain.variants[1].bits), (Scalar::U8, 200));
        let Type::Enum(signed) = enumeration::<Signed>("Signed", &[("A", -1), ("B", 300)]) else { panic!() };
        assert_eq!((signed.repr, signed.variants[0].bits), (Scalar::I16, 0xffff));
        assert!(signed.path.ends_with("tests::Signed"));
    }

    #[test]
    fn stored_bits_are_loaded() {
        let mut place = Signed::A;
        // SAFETY: the place is a live variable, and 300 is the discriminant of a variant.
        unsafe {
            assert_eq!(load_bits(&raw mut place), 0xffff);
            store_bits(&raw mut place, 300);
        }
        assert!(matches!(place, Signed::B));
    }

    #[test]
    fn a_struct_has_the_layout_of_rustc() {
        #[repr(C)]
        struct Pair {
            a: u8,
            b: f64,
        }
        use crate::types::Repr;

        let fields: [Described<'_>; 2] =
            [("a", u8::ty, std::mem::offset_of!(Pair, a)), ("b", f64::ty, std::mem::offset_of!(Pair, b))];
        let Type::Struct(pair) = structure::<Pair>("Pair", &fields) else { panic!() };
        assert_eq!((pair.size, pair.align, pair.fields[1].offset), (16, 8, 8));
    }
}
