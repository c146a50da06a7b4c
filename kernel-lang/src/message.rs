//! Formatting of kernel messages and their arguments, on the host and by Rust's own rules.
//!
//! A GPU records the number of the message and the bits of its arguments. Rust takes formatting options from the source
//! only, so each combination of options that changes the digits is a separate format string here; fill and alignment,
//! which only pad the digits, are implemented by hand.

use std::fmt::{self, Binary, Debug, Display, LowerExp, LowerHex, Octal, UpperExp, UpperHex};
use std::iter::repeat_n;

use cumbia_kernel_ir::Text;
use cumbia_kernel_ir::{EnumType, Piece, Scalar, Type};
use half::{bf16, f16};

/// The text in place of a number that the record had no room for.
const NOT_KEPT: &str = "(not kept)";

/// Formats a message whose arguments have these words.
pub fn format(text: &Text, words: &[u64]) -> String {
    let Text { pieces, args } = text;
    let mut message = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => message.push_str(text),
            Piece::Number { position, format } => {
                let position = *position as usize;
                let before: usize = args.iter().take(position).filter_map(Type::words).sum();
                match args.get(position) {
                    Some(ty) => {
                        let words = words.get(before..).unwrap_or_default();
                        message.push_str(&argument(ty, words, FormatSpec::parse(format)));
                    }
                    None => message.push_str(NOT_KEPT),
                }
            }
        }
    }
    message
}

/// Formats an argument whose value begins with these words.
fn argument(ty: &Type, words: &[u64], spec: FormatSpec) -> String {
    let shown = Shown { ty, words, spec };
    if spec.alternate { format!("{shown:#?}") } else { format!("{shown:?}") }
}

/// A value that is formatted as by a derived `Debug`. The numbers in it have the specification of the argument.
#[derive(Clone, Copy)]
struct Shown<'a> {
    ty: &'a Type,
    /// The words of the value, and of what follows it.
    words: &'a [u64],
    spec: FormatSpec,
}

impl<'a> Shown<'a> {
    /// Returns a part of the value, which begins `before` words after it.
    fn part(self, ty: &'a Type, before: usize) -> Shown<'a> {
        Shown { ty, words: self.words.get(before..).unwrap_or_default(), ..self }
    }

    /// Returns parts of these types, the first of which begins `before` words after the value.
    fn parts(self, types: impl IntoIterator<Item = &'a Type>, mut before: usize) -> impl Iterator<Item = Shown<'a>> {
        types.into_iter().map(move |ty| {
            let part = self.part(ty, before);
            before += ty.words().unwrap_or(0);
            part
        })
    }

    /// Formats a struct or a variant. The fields of a tuple struct are named by numbers.
    fn fields(self, f: &mut fmt::Formatter<'_>, name: &str, fields: &[(&str, &'a Type)], before: usize) -> fmt::Result {
        let parts = self.parts(fields.iter().map(|(_, ty)| *ty), before);
        match fields {
            [] => f.write_str(name),
            [(first, _), ..] if first.starts_with(|c: char| c.is_ascii_digit()) => {
                let mut tuple = f.debug_tuple(name);
                parts.for_each(|part| {
                    tuple.field(&part);
                });
                tuple.finish()
            }
            _ => {
                let mut structure = f.debug_struct(name);
                fields.iter().zip(parts).for_each(|((name, _), part)| {
                    structure.field(name, &part);
                });
                structure.finish()
            }
        }
    }

    /// Formats an enum with data.
    fn variant(self, f: &mut fmt::Formatter<'_>, tag: &EnumType) -> fmt::Result {
        let Some(&bits) = self.words.first() else { return f.write_str(NOT_KEPT) };
        let bits = bits & (u64::MAX >> (64 - tag.repr.bits()));
        let Some(variant) = tag.variants.iter().position(|variant| variant.bits == bits) else {
            return f.write_str(&variant(tag, bits));
        };
        let before: usize = 1 + (0..variant).filter_map(|earlier| self.ty.words_of_variant(earlier)).sum::<usize>();
        let name = &tag.variants[variant].name;
        let mut fields: Vec<_> = self.ty.payload_fields(variant).into_iter().map(|(name, _, ty)| (name, ty)).collect();
        if name == "None" && matches!(self.ty.target(), Type::Tuple(_)) {
            fields.clear(); // `Option::None`, whose payload is `()`
        }
        self.fields(f, name, &fields, before)
    }
}

impl Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown { ty, words, spec } = *self;
        match ty.target() {
            Type::Scalar(scalar) => match words.first() {
                Some(&bits) => f.write_str(&number(*scalar, bits, spec)),
                None => f.write_str(NOT_KEPT),
            },
            Type::Enum(choice) => match words.first() {
                Some(&bits) => f.write_str(&variant(choice, bits)),
                None => f.write_str(NOT_KEPT),
            },
            Type::Unit => f.write_str(&spec.text("()")),
            ty if let Some(tag) = ty.tag() => self.variant(f, tag),
            Type::Tuple(parts) => {
                let mut tuple = f.debug_tuple("");
                self.parts(parts, 0).for_each(|part| {
                    tuple.field(&part);
                });
                tuple.finish()
            }
            Type::Struct(structure) => {
                let fields: Vec<_> = structure.fields.iter().map(|field| (field.name.as_str(), &field.ty)).collect();
                self.fields(f, &structure.name, &fields, 0)
            }
            Type::Array(element, len) => {
                let len = usize::try_from(*len).unwrap_or(usize::MAX);
                f.debug_list().entries(self.parts(std::iter::repeat_n(&**element, len), 0)).finish()
            }
            Type::Never | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => f.write_str(NOT_KEPT),
        }
    }
}

/// Returns the name of a variant, as a derived `Debug` formats it: ignoring the width. If no variant has these bits,
/// returns the number.
fn variant(choice: &EnumType, bits: u64) -> String {
    let bits = bits & (u64::MAX >> (64 - choice.repr.bits()));
    match choice.variants.iter().find(|variant| variant.bits == bits) {
        Some(variant) => variant.name.clone(),
        None => number(choice.repr, bits, FormatSpec::parse("")),
    }
}

/// Formats a number, given by the low bits of `bits`.
fn number(scalar: Scalar, bits: u64, spec: FormatSpec) -> String {
    match scalar {
        Scalar::Bool => spec.text(bits as u8 != 0),
        Scalar::I8 => spec.with_bits(&(bits as i8)),
        Scalar::I16 => spec.with_bits(&(bits as i16)),
        Scalar::I32 => spec.with_bits(&(bits as i32)),
        Scalar::I64 => spec.with_bits(&(bits as i64)),
        Scalar::Isize => spec.with_bits(&(bits as isize)),
        Scalar::U8 => spec.with_bits(&(bits as u8)),
        Scalar::U16 => spec.with_bits(&(bits as u16)),
        Scalar::U32 => spec.with_bits(&(bits as u32)),
        Scalar::U64 => spec.with_bits(&bits),
        Scalar::Usize => spec.with_bits(&(bits as usize)),
        Scalar::F16 => spec.with_bits(&f16::from_bits(bits as u16)),
        Scalar::Bf16 => spec.with_bits(&bf16::from_bits(bits as u16)),
        Scalar::F32 => spec.without_bits(&f32::from_bits(bits as u32)),
        Scalar::F64 => spec.without_bits(&f64::from_bits(bits)),
    }
}

/// A format specification: the text after the colon of `{:>+#08.3x}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FormatSpec {
    fill: char,
    align: Option<Align>,
    plus: bool,
    alternate: bool,
    /// Whether the number is padded with zeros between the sign and the digits, regardless of the alignment.
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Middle,
    Right,
}

/// The formatting traits of `std::fmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Display,
    Debug,
    DebugLowerHex,
    DebugUpperHex,
    LowerHex,
    UpperHex,
    Octal,
    Binary,
    LowerExp,
    UpperExp,
}

impl FormatSpec {
    /// Parses a specification. rustc has validated it, since the CPU body uses it as well.
    fn parse(text: &str) -> FormatSpec {
        let mut rest = text;
        let mut fill = ' ';
        let mut align = None;
        let mut chars = rest.chars();
        let (first, second) = (chars.next(), chars.next());
        if let (Some(first), Some(found)) = (first, second.and_then(Align::of)) {
            (fill, align) = (first, Some(found));
            rest = chars.as_str();
        } else if let Some(found) = first.and_then(Align::of) {
            align = Some(found);
            rest = &rest[1..];
        }
        let mut flag = |sign: char| {
            let stripped = rest.strip_prefix(sign);
            rest = stripped.unwrap_or(rest);
            stripped.is_some()
        };
        let plus = flag('+');
        flag('-'); // has no effect in Rust
        let alternate = flag('#');
        let zeros = flag('0');
        let width = take_number(&mut rest).unwrap_or(0);
        let precision = rest.strip_prefix('.').and_then(|mut behind| {
            let number = take_number(&mut behind);
            rest = behind;
            number
        });
        let form = match rest {
            "?" => Form::Debug,
            "x?" => Form::DebugLowerHex,
            "X?" => Form::DebugUpperHex,
            "x" => Form::LowerHex,
            "X" => Form::UpperHex,
            "o" => Form::Octal,
            "b" => Form::Binary,
            "e" => Form::LowerExp,
            "E" => Form::UpperExp,
            _ => Form::Display,
        };
        FormatSpec { fill, align, plus, alternate, zeros, width, precision, form }
    }

    /// Formats a value that is not a number: left-aligned, and truncated to the precision.
    fn text(self, value: impl Display) -> String {
        let text: String = value.to_string().chars().take(self.precision.unwrap_or(usize::MAX)).collect();
        self.pad(text, Align::Left)
    }
}

/// Removes the leading number of a text, and returns it.
fn take_number(text: &mut &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    *text = rest;
    number.parse().ok()
}

impl Align {
    fn of(sign: char) -> Option<Align> {
        match sign {
            '<' => Some(Align::Left),
            '^' => Some(Align::Middle),
            '>' => Some(Align::Right),
            _ => None,
        }
    }
}

/// Formats a value with the flags of a specification, and with its width if the padding is zeros.
macro_rules! digits {
    ($spec:ident, $value:ident, $form:literal) => {{
        let FormatSpec { plus, alternate, zeros, width, precision, .. } = $spec;
        let precision_or_0 = precision.unwrap_or(0);
        digits!(@ $value, $form, width, precision_or_0,
            (plus, alternate, zeros, precision.is_some()):
            false false false false "";
            false false false true ".p$";
            false false true false "0w$";
            false false true true "0w$.p$";
            false true false false "#";
            false true false true "#.p$";
            false true true false "#0w$";
            false true true true "#0w$.p$";
            true false false false "+";
            true false false true "+.p$";
            true false true false "+0w$";
            true false true true "+0w$.p$";
            true true false false "+#";
            true true false true "+#.p$";
            true true true false "+#0w$";
            true true true true "+#0w$.p$"
        )
    }};
    (@ $value:ident, $form:literal, $width:ident, $precision:ident, $flags:tt:
        $($plus:tt $alternate:tt $zeros:tt $precise:tt $text:literal);*
    ) => {
        match $flags {
            $(($plus, $alternate, $zeros, $precise) => {
                digits!(# $zeros $precise concat!("{:", $text, $form, "}"), $value, $width, $precision)
            })*
        }
    };
    (# false false $text:expr, $value:ident, $width:ident, $precision:ident) => { format!($text, $value) };
    (# false true $text:expr, $value:ident, $width:ident, $precision:ident) => { format!($text, $value, p = $precision) };
    (# true false $text:expr, $value:ident, $width:ident, $precision:ident) => { format!($text, $value, w = $width) };
    (# true true $text:expr, $value:ident, $width:ident, $precision:ident) => {
        format!($text, $value, w = $width, p = $precision)
    };
}

/// A number with decimal forms. As a trait object, so that the format strings are compiled once and not for each type.
trait Decimal: Display + Debug + LowerExp + UpperExp {}

impl<T: Display + Debug + LowerExp + UpperExp> Decimal for T {}

/// A number that implements all formatting traits: an integer, or an `f16` or `bf16`, which show their bits.
trait Bits: Decimal + LowerHex + UpperHex + Octal + Binary {}

impl<T: Decimal + LowerHex + UpperHex + Octal + Binary> Bits for T {}

impl FormatSpec {
    /// Formats a number that implements all formatting traits.
    fn with_bits(self, value: &dyn Bits) -> String {
        let digits = match self.form {
            Form::LowerHex => digits!(self, value, "x"),
            Form::UpperHex => digits!(self, value, "X"),
            Form::Octal => digits!(self, value, "o"),
            Form::Binary => digits!(self, value, "b"),
            Form::DebugLowerHex => digits!(self, value, "x?"),
            Form::DebugUpperHex => digits!(self, value, "X?"),
            Form::Display | Form::Debug | Form::LowerExp | Form::UpperExp => return self.without_bits(value),
        };
        self.pad(digits, Align::Right)
    }

    /// Formats a number without hexadecimal, octal or binary form.
    fn without_bits(self, value: &dyn Decimal) -> String {
        let digits = match self.form {
            Form::Debug => digits!(self, value, "?"),
            Form::LowerExp => digits!(self, value, "e"),
            Form::UpperExp => digits!(self, value, "E"),
            Form::DebugLowerHex => digits!(self, value, "x?"),
            Form::DebugUpperHex => digits!(self, value, "X?"),
            Form::Display | Form::LowerHex | Form::UpperHex | Form::Octal | Form::Binary => digits!(self, value, ""),
        };
        self.pad(digits, Align::Right)
    }

    /// Pads the text to the width. Text that is padded with zeros already has it.
    fn pad(self, text: String, usual: Align) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        if missing == 0 {
            return text;
        }
        let before = match self.align.unwrap_or(usual) {
            Align::Left => 0,
            Align::Middle => missing / 2,
            Align::Right => missing,
        };
        let fill = |count| repeat_n(self.fill, count);
        fill(before).chain(text.chars()).chain(fill(missing - before)).collect()
    }
}

#[cfg(test)]
mod tests {
    use cumbia_kernel_ir::{Field, StructType, Variant};

    use super::*;

    /// Compares the formatting of a number with that of `format!`.
    macro_rules! check {
        ($($scalar:ident $value:expr, $bits:expr => $($spec:literal)*;)*) => {$($({
            let expected = format!(concat!("{:", $spec, "}"), $value);
            let found = number(Scalar::$scalar, $bits, FormatSpec::parse($spec));
            assert_eq!(found, expected, "{:?} as {{:{}}}", $value, $spec);
        })*)*};
    }

    #[test]
    fn integers_are_formatted_as_in_rust() {
        check! {
            I32 -42i32, u64::from((-42i32) as u32) =>
                "" "?" "x" "X" "o" "b" "e" "E" "5" "<5" "^6" ">6" "*^7" "+" "+5" "05" "+06" "#x" "#010x" "#b" "#?" "x?" "#X?" "-<9"
                ".3" "08.3" "é>8" "<<8" "0" "-5" "#o";
            I32 42i32, 42 => "" "+" "+5" "+06" "06" "#06x" "<06" "^06" "+#010b" "5?" "#o" "02e" "10e" "010e" "+.2e";
            U8 200u8, 0xffff_ffc8 => "" "x" "#010b" "3" "x?";
            I64 i64::MIN, 1 << 63 => "" "x" "025" "#?" "?";
            U64 u64::MAX, u64::MAX => "" "#X" "e";
            Usize 7usize, 7 => "" "03";
            I8 -1i8, 0xff => "" "x" "b" "o";
            Isize -1isize, u64::MAX => "" "x";
            I16 -300i16, u64::from((-300i16) as u16) => "" "X";
            U16 300u16, 300 => "" "e";
        }
    }

    #[test]
    fn floats_are_formatted_as_in_rust() {
        let bits = |x: f32| u64::from(x.to_bits());
        for x in [0.0f32, -0.0, 1.0, -1.5, 0.1, 1e10, 1e-10, f32::MAX, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            check! {
                F32 x, bits(x) | 0xabcd << 32 =>
                    "" "?" ".3" ".0" "8" "<8" "^9" "*>12" "+" "+.2" "08.2" "+08.2" "e" ".2e" "E" "012.3e" "10.1?" "#?" "#"
                    "+010?" ".1?";
                F64 f64::from(x), f64::from(x).to_bits() => "" "?" ".3" "010" "e" ".12";
            }
        }
        let (half, brain) = (f16::from_f32(-1.5), bf16::from_f32(0.3));
        check! {
            F16 half, u64::from(half.to_bits()) => "" "?" ".3" "8.2" "e" "x" "#b" "06";
            Bf16 brain, u64::from(brain.to_bits()) => "" "?" ".3" "<8" "E" "X" "o";
        }
    }

    #[test]
    fn bools_are_formatted_as_text() {
        check! {
            Bool true, 1 => "" "?" "6" ">6" "^7" "*<7" "06" ".2" "8.1";
            Bool false, 0xff00 => "" "?";
        }
    }

    #[test]
    fn messages_consist_of_texts_and_numbers() {
        let number = |position, format: &str| Piece::Number { position, format: format.to_owned() };
        let text = |text: &str| Piece::Text(text.to_owned());
        let message = Text {
            pieces: vec![
                text("x["),
                number(0, ""),
                text("] = "),
                number(1, ".2"),
                text(", "),
                number(0, "#x"),
                number(2, ""),
            ],
            args: [Scalar::Usize, Scalar::F32, Scalar::Bool].map(Type::Scalar).into(),
        };
        let bits = [17, u64::from(0.125f32.to_bits())];
        assert_eq!(format(&message, &bits), "x[17] = 0.12, 0x11(not kept)");
    }

    /// Fields without offsets, which messages do not need.
    fn structure(name: &str, fields: &[(&str, Type)]) -> Type {
        let field = |(name, ty): &(&str, Type)| Field { name: (*name).to_owned(), ty: ty.clone(), offset: 0 };
        let fields = fields.iter().map(field).collect();
        Type::Struct(StructType { name: name.to_owned(), path: name.to_owned(), fields, size: 0, align: 1 })
    }

    #[track_caller]
    fn check_argument(ty: &Type, words: &[u64], format: &str, expected: &str) {
        assert_eq!(argument(ty, words, FormatSpec::parse(format)), expected, "{ty} as {{:{format}}}");
    }

    #[test]
    fn compound_values_are_formatted_as_by_derived_debug() {
        let (u8, f32) = (Type::Scalar(Scalar::U8), Type::Scalar(Scalar::F32));
        let bits = |x: f32| u64::from(x.to_bits());
        let point = structure("Point", &[("x", f32.clone()), ("on", Type::BOOL)]);
        check_argument(&point, &[bits(1.5), 1], "?", "Point { x: 1.5, on: true }");
        check_argument(&point, &[bits(1.5), 1], "#?", "Point {\n    x: 1.5,\n    on: true,\n}");
        check_argument(&point, &[bits(1.5)], "?", "Point { x: 1.5, on: (not kept) }");
        check_argument(&structure("Unit", &[]), &[], "#?", "Unit");
        let nested = structure("Pair", &[("0", point.clone()), ("1", Type::Array(Box::new(u8.clone()), 2))]);
        check_argument(&nested, &[0, 0, 7, 8], "?", "Pair(Point { x: 0.0, on: false }, [7, 8])");
        check_argument(&nested, &[0, 0, 7, 8], "#04x?", &{
            #[derive(Debug)]
            #[allow(dead_code, reason = "they are printed")]
            struct Point {
                x: f32,
                on: bool,
            }
            #[derive(Debug)]
            #[allow(dead_code, reason = "it is printed")]
            struct Pair(Point, [u8; 2]);
            format!("{:#04x?}", Pair(Point { x: 0.0, on: false }, [7, 8]))
        });
        for (parts, expected) in [(vec![u8.clone()], "(    7,)"), (vec![u8.clone(), Type::Unit], "(    7, ()   )")] {
            check_argument(&Type::Tuple(parts), &[7], "5?", expected);
        }
        check_argument(&Type::Array(Box::new(u8), 0), &[], "#?", "[]");
    }

    #[test]
    fn enums_with_data_are_formatted_as_by_derived_debug() {
        let tag = |names: &[&str]| {
            let variant = |(bits, name): (u64, &&str)| Variant { name: (*name).to_owned(), bits };
            let variants = (0..).zip(names).map(variant).collect();
            let (name, path) = (String::from("Tag"), String::from("Tag"));
            Type::Enum(EnumType { name, path, repr: Scalar::U32, variants, has_data: true })
        };
        let u8 = Type::Scalar(Scalar::U8);
        let option = Type::Tuple(vec![tag(&["None", "Some"]), Type::Unit, u8.clone()]);
        assert_eq!(option.words(), Some(2));
        check_argument(&option, &[0, 7], "?", "None");
        check_argument(&option, &[1, 7], "?", "Some(7)");
        check_argument(&option, &[5, 7], "?", "5");
        let result = Type::Tuple(vec![tag(&["Ok", "Err"]), Type::Unit, option]);
        check_argument(&result, &[0, 1, 7], "?", "Ok(())");
        check_argument(&result, &[1, 1, 7], "#?", "Err(\n    Some(\n        7,\n    ),\n)");
        let names = tag(&["Empty", "Circle", "Box"]);
        let payload = |fields: &[(&str, Type)]| structure("Payload", &[&[("tag", names.clone())], fields].concat());
        let shape = structure(
            "Shape",
            &[
                ("tag", names.clone()),
                ("Empty", payload(&[])),
                ("Circle", payload(&[("0", u8.clone())])),
                ("Box", payload(&[("a", u8.clone()), ("b", u8.clone())])),
            ],
        );
        assert_eq!(shape.words(), Some(4));
        check_argument(&shape, &[0, 1, 2, 3], "?", "Empty");
        check_argument(&shape, &[1, 1, 2, 3], "?", "Circle(1)");
        check_argument(&shape, &[2, 1, 2, 3], "3?", "Box { a:   2, b:   3 }");
    }
}
