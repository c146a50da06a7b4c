//! Definitions of the user's types, and of stored constants.
//!
//! A struct has the layout that rustc chose: its members are ordered by offset, and the text asserts that the C++
//! compiler places them at the same offsets.

use std::fmt::Write;

use crate::ir::Scalar;
use crate::lower::{CType, Expr, Layout, Member, TypeDef, TypeId, TypeKind};

use super::{Context, literal};

/// The size in bytes of the constant memory that a program may use (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability": 64 KB). Further constants are stored in global memory.
const CONSTANT_BANK: u64 = 64 << 10;

/// `offset_of`. Neither spelling is universal: NVRTC 13.0 does not support GCC's, and there are no headers.
const OFFSET_OF: &str = "
#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif
";

/// Writes the types, if there are any.
pub(super) fn write(text: &mut String, context: &Context<'_>) {
    if context.module.types.is_empty() {
        return;
    }
    text.push_str(OFFSET_OF);
    text.push_str("\nnamespace types {\n");
    for (position, def) in context.module.types.iter().enumerate() {
        let TypeDef { hint: _, path, kind } = def;
        let name = &context.types.types[position];
        let inside = &context.types.inside[position];
        let _ = writeln!(text, "\n// {}", printable(path));
        match kind {
            TypeKind::Struct { members, layout: Some(layout) } if layout.is_union => {
                union(text, context, (name, inside), members, *layout);
            }
            TypeKind::Struct { members, layout } => structure(text, context, (name, inside), members, *layout),
            TypeKind::Enum { repr, variants } => enumeration(text, (name, inside), *repr, variants),
        }
    }
    text.push_str("\n}  // namespace types\n\n#undef offset_of\n");
}

fn structure(
    text: &mut String,
    context: &Context<'_>,
    (name, inside): (&str, &[String]),
    members: &[Member],
    layout: Option<Layout>,
) {
    match layout {
        Some(Layout { size: 1.., align, is_union: _ }) => {
            let _ = writeln!(text, "struct __align__({align}) {name} {{");
        }
        // C++ has no zero-sized types. The host passes a byte.
        Some(Layout { size: 0, .. }) | None => {
            let _ = writeln!(text, "struct {name} {{");
        }
    }
    for (member, inside) in members.iter().zip(inside) {
        let align = member.align.map(|align| format!("alignas({align}) ")).unwrap_or_default();
        let _ = writeln!(text, "    {align}{};", context.declaration(&member.ty, false, inside));
    }
    text.push_str("};\n");
    let Some(layout) = layout else { return };
    assert_layout(text, name, members, inside, layout);
}

/// An enum with data: a union of the tag and the structs of the variants, each of which begins with the tag.
fn union(
    text: &mut String,
    context: &Context<'_>,
    (name, inside): (&str, &[String]),
    members: &[Member],
    layout: Layout,
) {
    let _ = writeln!(text, "struct __align__({}) {name} {{\n    union {{", layout.align);
    for (member, inside) in members.iter().zip(inside) {
        let _ = writeln!(text, "        {};", context.declaration(&member.ty, false, inside));
    }
    // A constructor for each variant: C++17 has no designated initialisers.
    let _ = writeln!(text, "    }};\n    {name}() = default;");
    for (member, inside) in members.iter().zip(inside).skip(1) {
        let parameter = context.declaration(&member.ty, true, "value");
        let _ = writeln!(text, "    constexpr __device__ {name}({parameter}) : {inside}(value) {{}}");
    }
    text.push_str("};\n");
    assert_layout(text, name, members, inside, layout);
}

/// Writes assertions that the C++ compiler chose the layout.
fn assert_layout(text: &mut String, name: &str, members: &[Member], inside: &[String], layout: Layout) {
    let Layout { size, align: _, is_union: _ } = layout;
    // C++ has no zero-sized types.
    if size > 0 {
        let _ = writeln!(text, "static_assert(sizeof({name}) == {size}, \"the size of {name}\");");
    }
    for (member, inside) in members.iter().zip(inside) {
        let offset = member.offset;
        let message = format!("the offset of {name}::{inside}");
        let _ = writeln!(text, "static_assert(offset_of({name}, {inside}) == {offset}, \"{message}\");");
    }
}

/// The variants are integer constants, so that every bit pattern in memory is a valid value.
fn enumeration(text: &mut String, (name, inside): (&str, &[String]), repr: Scalar, variants: &[(String, u64)]) {
    let repr_name = literal::type_name(repr);
    let _ = writeln!(text, "typedef {repr_name} {name};");
    for ((_, bits), inside) in variants.iter().zip(inside) {
        let number = literal::bare(repr, *bits).unwrap_or_else(|| literal::number(repr, *bits));
        let _ = writeln!(text, "constexpr {name} {inside} = {number};");
    }
}

/// Writes the stored constants, if there are any.
pub(super) fn write_constants(text: &mut String, context: &Context<'_>) {
    let constants = &context.module.constants;
    if constants.is_empty() {
        return;
    }
    text.push_str("\nnamespace constants {\n\n");
    let mut bytes = 0u64;
    for (position, constant) in constants.iter().enumerate() {
        // Padding is at most as large as the data.
        bytes = bytes.saturating_add(constant.size.saturating_mul(2));
        let memory = if bytes <= CONSTANT_BANK { "__constant__" } else { "__device__" };
        let declaration = context.declaration(&constant.ty, true, &name(position));
        let _ = write!(text, "static {memory} {declaration} = ");
        value(text, context, &constant.value);
        text.push_str(";\n");
    }
    text.push_str("\n}  // namespace constants\n");
}

/// Writes the initialiser of a stored constant, whose type has been written.
fn value(text: &mut String, context: &Context<'_>, expr: &Expr) {
    let (values, open, close) = match expr {
        // The type of the variant selects the constructor.
        Expr::Struct(id, members) if is_union(context, *id) => {
            text.push_str(&context.ctype(&CType::Named(*id)));
            if let [payload @ Expr::Struct(variant, _)] = members.as_slice() {
                let _ = write!(text, "({}", context.ctype(&CType::Named(*variant)));
                value(text, context, payload);
                text.push(')');
            } else {
                text.push_str("{}");
            }
            return;
        }
        Expr::Struct(_, members) => (members, "{", "}"),
        Expr::Array(_, elements) => (elements, "{{", "}}"),
        // The payload of another variant.
        Expr::Filled(_, len, element) => {
            text.push_str("{{");
            for i in 0..*len {
                text.push_str(if i > 0 { ", " } else { "" });
                value(text, context, element);
            }
            return text.push_str("}}");
        }
        Expr::Literal(scalar, bits) => return text.push_str(&literal::constant(*scalar, *bits)),
        Expr::Variant(id, position) => return text.push_str(&context.variant(*id, *position)),
        // `lower` produces no other expressions for constants.
        _ => return,
    };
    text.push_str(open);
    for (i, inner) in values.iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        value(text, context, inner);
    }
    text.push_str(close);
}

/// Returns whether a type is an enum with data, which has a constructor for each variant.
pub(super) fn is_union(context: &Context<'_>, id: TypeId) -> bool {
    match &context.module.types[id.index()].kind {
        TypeKind::Struct { members: _, layout } => layout.is_some_and(|layout| layout.is_union),
        TypeKind::Enum { .. } => false,
    }
}

/// Returns the name of a stored constant. It is numbered, since Rust does not provide the origin of a constant.
pub(super) fn name(position: usize) -> String {
    format!("c{position}")
}

/// Returns a path as the text of a comment: on one line, and without backslashes, which would continue the comment.
fn printable(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_graphic() && c != '\\' || c == ' ' { c } else { '?' }).collect()
}
