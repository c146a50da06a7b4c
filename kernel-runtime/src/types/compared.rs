//! Comparisons of structs and enums that `#[derive(PartialEq)]` and `#[derive(PartialOrd)]` wrote.
//!
//! A device compares such a type field by field, as the derived code does; it needs no function for that. But Rust does not
//! tell whether an `impl` was derived or written by hand, and what is written by hand may leave out a field. So the type's
//! own operator is asked, once, about values that differ in one number at a time and about values with two numbers
//! exchanged; where it says something else than its fields, the kernel is refused, and nothing is computed differently in
//! silence.

use std::cmp::Ordering;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cumbia_kernel_ir::ir::{self, EnumType, StructType, Type};
use half::{bf16, f16};

use super::Element;
use crate::slot::Content;

/// What the comparisons of a type are to the compiler, where no `#[device] impl` says more: that has functions of the same
/// names, which Rust finds before these.
pub trait Compared: Element {
    /// What `==` and `!=` are.
    fn __device_operator_eq() -> Content
    where
        Self: PartialEq,
    {
        let alike = agrees::<Self>(|[a, b], expected| {
            let equal = expected == Some(Ordering::Equal);
            (a == b) == equal && (a != b) != equal
        });
        content::<Self>(alike, "==", "PartialEq")
    }

    /// What `<`, `<=`, `>` and `>=` are.
    fn __device_operator_order() -> Content
    where
        Self: PartialOrd,
    {
        let alike = agrees::<Self>(|[a, b], expected| {
            use Ordering::{Equal, Greater, Less};
            (a < b) == (expected == Some(Less))
                && (a <= b) == matches!(expected, Some(Less | Equal))
                && (a > b) == (expected == Some(Greater))
                && (a >= b) == matches!(expected, Some(Greater | Equal))
        });
        content::<Self>(alike, "<", "PartialOrd")
    }
}

impl<T: Element> Compared for T {}

fn content<T>(alike: bool, operator: &str, derived: &str) -> Content {
    if alike {
        return Content::Operator(None);
    }
    let name = std::any::type_name::<T>();
    let help = match derived {
        "PartialEq" => {
            "derive `PartialEq`, or write `#[device]` before the `impl PartialEq`, which has the bounds of the type"
        }
        _ => "derive `PartialOrd`, or write a `#[device]` method that compares",
    };
    Content::Refused(format!(
        "error: `{operator}` of `{name}` is not supported in a kernel: it does not compare field by field\n       \
         why: what a function of the host's compares is not known to the device\n       \
         help: {help}"
    ))
}

/// Whether `says` holds for pairs of values and what their fields say of them.
fn agrees<T: Element>(says: impl Fn([T; 2], Option<Ordering>) -> bool) -> bool {
    let mut leaves = Vec::new();
    collect(&T::ty(), 0, &mut leaves);
    let samples: Vec<Vec<u64>> = leaves.iter().map(Leaf::samples).collect();
    let check = |a: &[u64], b: &[u64]| {
        let expected = lexicographic(&leaves, a, b);
        let values = [value::<T>(&leaves, a), value::<T>(&leaves, b)];
        // What panics is nothing that was derived.
        catch_unwind(AssertUnwindSafe(|| says(values, expected))).unwrap_or(false)
    };
    [0, 1].into_iter().all(|sample| {
        let base: Vec<u64> = samples.iter().map(|samples| samples[sample.min(samples.len() - 1)]).collect();
        let with = |changes: &[(usize, u64)]| {
            let mut bits = base.clone();
            for &(leaf, value) in changes {
                bits[leaf] = value;
            }
            bits
        };
        (0..leaves.len()).all(|leaf| {
            let one_differs = samples[leaf]
                .iter()
                .all(|&a| samples[leaf].iter().all(|&b| check(&with(&[(leaf, a)]), &with(&[(leaf, b)]))));
            let p = samples[leaf][0];
            let other = samples[leaf].iter().find(|&&q| leaves[leaf].compare(p, q) != Some(Ordering::Equal));
            let alike = (leaf + 1..leaves.len()).filter(|&next| leaves[next].kind == leaves[leaf].kind).take(EXCHANGED);
            let exchanged = other.is_none_or(|&q| {
                alike.into_iter().all(|next| check(&with(&[(leaf, p), (next, q)]), &with(&[(leaf, q), (next, p)])))
            });
            one_differs && exchanged
        })
    })
}

/// A number in a type.
struct Leaf {
    /// In bytes, from the value's beginning.
    offset: usize,
    kind: Kind,
}

#[derive(Clone, PartialEq)]
enum Kind {
    Scalar(ir::Scalar),
    Enum(EnumType),
}

/// With how many others of its kind a number is exchanged.
const EXCHANGED: usize = 4;

/// Of a longer array so many elements are looked at, at each end.
const ENDS: u64 = 4;

/// The numbers in a type, in order of declaration.
fn collect(ty: &Type, offset: u64, leaves: &mut Vec<Leaf>) {
    match ty {
        Type::Scalar(scalar) => leaves.push(Leaf { offset: offset as usize, kind: Kind::Scalar(*scalar) }),
        Type::Enum(choice) => leaves.push(Leaf { offset: offset as usize, kind: Kind::Enum(choice.clone()) }),
        Type::Struct(StructType { fields, .. }) => {
            for field in fields {
                collect(&field.ty, offset + field.offset, leaves);
            }
        }
        Type::Array(element, len) => {
            let size = element.size().unwrap_or(0);
            let seen = (0..*len).filter(|at| *at < ENDS || len - at <= ENDS);
            seen.for_each(|at| collect(element, offset + at * size, leaves));
        }
        // No element has such parts.
        Type::Unit | Type::Never | Type::Tuple(_) | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => {}
    }
}

impl Leaf {
    /// Bits that are worth a look: of neighbours, of both signs, of what is not equal to itself.
    fn samples(&self) -> Vec<u64> {
        let scalar = match &self.kind {
            Kind::Enum(choice) => return choice.variants.iter().map(|variant| variant.bits).collect(),
            Kind::Scalar(scalar) => *scalar,
        };
        let mask = u64::MAX >> (64 - scalar.bits());
        match scalar {
            ir::Scalar::Bool => vec![0, 1],
            ir::Scalar::F16 => vec![0, 0x8000, 0x3c00, 0x3c01, 0xbc00, 0x7e00, 0x7c00],
            ir::Scalar::Bf16 => vec![0, 0x8000, 0x3f80, 0x3f81, 0xbf80, 0x7fc0, 0x7f80],
            ir::Scalar::F32 => {
                let floats = [0.0, -0.0, 1.0, 1.0f32.next_up(), -1.0, f32::NAN, f32::INFINITY];
                floats.map(|float| u64::from(float.to_bits())).to_vec()
            }
            ir::Scalar::F64 => {
                [0.0, -0.0, 1.0, 1.0f64.next_up(), -1.0, f64::NAN, f64::INFINITY].map(f64::to_bits).to_vec()
            }
            _ => vec![0, 1, 2, mask >> 1, (mask >> 1) + 1, mask],
        }
    }

    /// As Rust compares two numbers.
    fn compare(&self, a: u64, b: u64) -> Option<Ordering> {
        let integers = |scalar: ir::Scalar| {
            let extended = |bits: u64| {
                let unused = 64 - scalar.bits();
                if scalar.is_signed() { i128::from((bits << unused).cast_signed() >> unused) } else { i128::from(bits) }
            };
            Some(extended(a).cmp(&extended(b)))
        };
        match &self.kind {
            Kind::Enum(choice) => integers(choice.repr),
            Kind::Scalar(ir::Scalar::F16) => f16::from_bits(a as u16).partial_cmp(&f16::from_bits(b as u16)),
            Kind::Scalar(ir::Scalar::Bf16) => bf16::from_bits(a as u16).partial_cmp(&bf16::from_bits(b as u16)),
            Kind::Scalar(ir::Scalar::F32) => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
            Kind::Scalar(ir::Scalar::F64) => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
            Kind::Scalar(scalar) => integers(*scalar),
        }
    }

    /// In bytes.
    fn size(&self) -> usize {
        match &self.kind {
            Kind::Scalar(scalar) => scalar.size() as usize,
            Kind::Enum(choice) => choice.repr.size() as usize,
        }
    }
}

/// What the first numbers say that are not equal.
fn lexicographic(leaves: &[Leaf], a: &[u64], b: &[u64]) -> Option<Ordering> {
    let orders = leaves.iter().zip(a.iter().zip(b)).map(|(leaf, (&a, &b))| leaf.compare(a, b));
    orders.into_iter().find(|order| *order != Some(Ordering::Equal)).unwrap_or(Some(Ordering::Equal))
}

/// The value with these numbers; a number that is not among them is zero.
fn value<T: Element>(leaves: &[Leaf], bits: &[u64]) -> T {
    let mut place = MaybeUninit::<T>::zeroed();
    for (leaf, bits) in leaves.iter().zip(bits) {
        let bytes = bits.to_ne_bytes();
        let low = if cfg!(target_endian = "little") { &bytes[..leaf.size()] } else { &bytes[8 - leaf.size()..] };
        assert!(leaf.offset + low.len() <= size_of::<T>(), "a field is inside its type");
        // SAFETY: the bytes are inside of the place, as was just seen, and any bytes may be in it.
        unsafe { place.as_mut_ptr().cast::<u8>().add(leaf.offset).copy_from_nonoverlapping(low.as_ptr(), low.len()) };
    }
    // SAFETY: the place is a variable, aligned, and all of its bytes but padding, which `load` does not touch, are
    // initialised: it makes a value of any of them.
    unsafe { T::load(place.as_mut_ptr()) }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::super::{ConstantType, DeviceType, Repr, structure};
    use super::*;

    #[derive(Clone, Copy)]
    struct Plain {
        a: f32,
        b: [u8; 12],
        c: f32,
    }

    impl DeviceType for Plain {
        type Repr = Plain;
    }

    impl Repr for Plain {
        fn ty() -> Type {
            structure::<Plain>(
                "Plain",
                &[
                    ("a", f32::ty, offset_of!(Plain, a)),
                    ("b", <[u8; 12]>::ty, offset_of!(Plain, b)),
                    ("c", f32::ty, offset_of!(Plain, c)),
                ],
            )
        }
    }

    impl ConstantType for Plain {
        type Repr = Self;
        type Value = Self;

        fn value(self) -> Self {
            self
        }
    }

    // SAFETY: numbers of any bits, at the places that `ty` says.
    unsafe impl Element for Plain {
        type Held = Self;

        unsafe fn load(place: *mut Self) -> Self {
            // SAFETY: the caller gives a live place; in these tests nobody else has it.
            unsafe { place.read() }
        }

        unsafe fn store(place: *mut Self, value: Self) {
            // SAFETY: as above.
            unsafe { place.write(value) };
        }

        fn stand_in() -> Self {
            Plain { a: 0.0, b: [0; 12], c: 0.0 }
        }

        fn constant(&self) -> ir::ConstantValue {
            ir::ConstantValue::Parts(vec![self.a.constant(), self.b.constant(), self.c.constant()])
        }
    }

    /// Asks whether `equal` is the comparison of the fields.
    #[track_caller]
    fn check(equal: fn(&Plain, &Plain) -> bool, expected: bool) {
        assert_eq!(agrees::<Plain>(|[a, b], order| equal(&a, &b) == (order == Some(Ordering::Equal))), expected);
    }

    #[test]
    fn field_by_field() {
        check(|x, y| x.a == y.a && x.b == y.b && x.c == y.c, true);
        check(|x, y| x.c == y.c && x.b == y.b && x.a == y.a, true);
    }

    #[test]
    fn anything_else() {
        check(|x, y| x.a == y.a && x.b == y.b, false);
        check(|x, y| x.a.to_bits() == y.a.to_bits() && x.b == y.b && x.c.to_bits() == y.c.to_bits(), false);
        check(|x, y| (x.a - y.a).abs() < 1e-6 && x.b == y.b && x.c == y.c, false);
        check(|x, y| x.a + x.c == y.a + y.c && x.b == y.b, false);
        check(
            |x, y| {
                x.a == y.a
                    && x.c == y.c
                    && x.b.iter().map(|b| u32::from(*b)).sum::<u32>() == y.b.iter().map(|b| u32::from(*b)).sum()
            },
            false,
        );
        check(|_, _| panic!("nothing to compare"), false);
        check(|_, _| true, false);
    }
}
