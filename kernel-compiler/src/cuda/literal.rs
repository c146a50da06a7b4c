//! Printing of numeric literals, string literals and type names.

use std::fmt::Write;

use crate::ir::Scalar;

/// Returns the name of a type in C. The short names are typedefs of the prelude.
pub(super) fn type_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::F16 => "rt::f16",
        Scalar::Bf16 => "rt::bf16",
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::Isize
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Usize => scalar.name(),
    }
}

/// Returns a literal of exactly this type, given its bits.
pub(super) fn number(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize => signed(scalar, bits),
        // Narrow types are promoted to `int` in every C expression.
        Scalar::U8 | Scalar::U16 => bits.to_string(),
        Scalar::U32 => format!("{bits}u"),
        Scalar::U64 | Scalar::Usize => format!("{bits}ull"),
        Scalar::F16 | Scalar::Bf16 => format!("{}{{0x{bits:04x}}}", type_name(scalar)),
        Scalar::F32 => single(f32::from_bits(bits as u32)),
        Scalar::F64 => double(f64::from_bits(bits)),
    }
}

/// Returns the minimum and the maximum of an integer type, as literals.
pub(super) fn limits(scalar: Scalar) -> (String, String) {
    let ones = u64::MAX >> (64 - scalar.bits());
    if scalar.is_signed() {
        let top = 1 << (scalar.bits() - 1);
        (number(scalar, top), number(scalar, ones ^ top))
    } else {
        (number(scalar, 0), number(scalar, ones))
    }
}

/// Returns a literal without suffix, for contexts in which C converts it without loss; `None` if the suffix is
/// required.
pub(super) fn bare(scalar: Scalar, bits: u64) -> Option<String> {
    if scalar.is_signed() {
        let value = i32::try_from(widened(scalar, bits)).ok()?;
        (value != i32::MIN).then(|| value.to_string())
    } else if scalar.is_integer() {
        i32::try_from(bits).ok().map(|value| value.to_string())
    } else {
        None
    }
}

/// Returns a literal for a context that requires a C++ constant expression and specifies the type. The functions that
/// construct infinities and NaNs are not constant expressions.
pub(super) fn constant(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::F32 if !f32::from_bits(bits as u32).is_finite() => format!("__builtin_bit_cast(float, 0x{bits:08x}u)"),
        Scalar::F64 if !f64::from_bits(bits).is_finite() => format!("__builtin_bit_cast(double, 0x{bits:016x}ull)"),
        _ => bare(scalar, bits).unwrap_or_else(|| number(scalar, bits)),
    }
}

/// Returns the value of a signed integer from its bits.
fn widened(scalar: Scalar, bits: u64) -> i64 {
    let unused = 64 - scalar.bits();
    (bits << unused).cast_signed() >> unused
}

fn signed(scalar: Scalar, bits: u64) -> String {
    let value = widened(scalar, bits);
    let suffix = if scalar.bits() == 64 { "ll" } else { "" };
    // `-2147483648` is a unary minus and a literal that exceeds `int`.
    if scalar.bits() >= 32 && value == i64::MIN >> (64 - scalar.bits()) {
        format!("({}{suffix} - 1)", value + 1)
    } else {
        format!("{value}{suffix}")
    }
}

fn single(value: f32) -> String {
    if !value.is_finite() {
        return format!("__int_as_float(0x{:08x})", value.to_bits());
    }
    // Rust prints the shortest digits that parse to this f32. A compiler that parses them as a double first could round
    // to an adjacent value; the digits of the double that equals this f32 cannot be misrounded.
    let digits = format!("{value:?}");
    let survives = digits.parse::<f64>().is_ok_and(|double| (double as f32).to_bits() == value.to_bits());
    if survives { format!("{digits}f") } else { format!("{:?}f", f64::from(value)) }
}

fn double(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { format!("__longlong_as_double(0x{:016x}ll)", value.to_bits()) }
}

/// Returns a string literal. Only file names are printed, so bytes that are not plain ASCII are escaped individually,
/// in octal: unlike `\x`, an octal escape ends after three digits.
pub(super) fn string(text: &str) -> String {
    let mut literal = String::from('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                literal.push('\\');
                literal.push(char::from(byte));
            }
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => {
                let _ = write!(literal, "\\{byte:03o}");
            }
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(scalar: Scalar, bits: u64, expected: &str) {
        assert_eq!(number(scalar, bits), expected);
    }

    #[test]
    fn integers_have_exactly_their_type() {
        check(Scalar::I32, 0x8000_0000, "(-2147483647 - 1)");
        check(Scalar::I64, 1 << 63, "(-9223372036854775807ll - 1)");
        check(Scalar::I8, 0x80, "-128");
        check(Scalar::U8, 255, "255");
        check(Scalar::U32, 7, "7u");
        check(Scalar::U64, u64::MAX, "18446744073709551615ull");
        check(Scalar::Isize, u64::MAX, "-1ll");
        check(Scalar::Bool, 1, "true");
    }

    #[test]
    fn bare_integers_fit_an_int() {
        assert_eq!(bare(Scalar::Usize, 16).as_deref(), Some("16"));
        assert_eq!(bare(Scalar::I64, u64::MAX).as_deref(), Some("-1"));
        assert_eq!(bare(Scalar::U32, 0x8000_0000), None);
        assert_eq!(bare(Scalar::I32, 0x8000_0000), None);
        assert_eq!(bare(Scalar::F32, 0), None);
    }

    #[test]
    fn floats_round_trip() {
        check(Scalar::F32, 0.1f32.to_bits().into(), "0.1f");
        check(Scalar::F32, 2.0f32.to_bits().into(), "2.0f");
        check(Scalar::F32, (-0.0f32).to_bits().into(), "-0.0f");
        check(Scalar::F32, f32::MAX.to_bits().into(), "3.4028235e38f");
        check(Scalar::F32, 1, "1e-45f");
        check(Scalar::F32, f32::INFINITY.to_bits().into(), "__int_as_float(0x7f800000)");
        check(Scalar::F64, f64::NAN.to_bits(), "__longlong_as_double(0x7ff8000000000000ll)");
        check(Scalar::F64, 1e300f64.to_bits(), "1e300");
        check(Scalar::F64, 0.1f64.to_bits(), "0.1");
    }

    /// Checks a sample of all f32, parsed by way of a double, which is the least accurate conforming way.
    #[test]
    fn every_single_survives_double_rounding() {
        let mut bits = 1u32;
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = f32::from_bits(bits);
            if value.is_finite() {
                let text = single(value);
                let digits = text.trim_end_matches('f');
                assert_eq!(digits.parse::<f32>().map(f32::to_bits), Ok(bits));
                assert_eq!(digits.parse::<f64>().map(|double| (double as f32).to_bits()), Ok(bits));
            }
        }
    }

    #[test]
    fn file_names_are_escaped() {
        assert_eq!(string(r#"C:\a"b/größe.rs"#), r#""C:\\a\"b/gr\303\266\303\237e.rs""#);
    }
}
