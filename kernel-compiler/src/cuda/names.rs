//! Naming of C entities: Rust's names as far as possible, without collisions.
//!
//! The text contains no shadowing: every variable of a function has a unique name, so that no block needs braces for
//! scoping. The user's variables have precedence over those that the compiler introduces.

use std::fmt::Write;

use crate::ir::{Foreign, FunctionId};
use crate::lower::{Body, Module, NameOrigin, TypeDef, TypeKind, Variable};
use litemap::LiteMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::reserved;

/// The C names of all functions.
pub(super) struct FunctionNames {
    /// The unqualified names of the device functions: those with a body in CUDA C, or that are linked, are in `namespace foreign`, the
    /// others in `namespace device`.
    pub(super) device: LiteMap<FunctionId, String>,
    /// The name of the entry point.
    pub(super) kernel: String,
}

/// The C names of types, in `namespace types`.
pub(super) struct TypeNames {
    /// The name of each type.
    pub(super) types: Vec<String>,
    /// For each struct, the names of its members in order; for each enum, the names of its variants.
    pub(super) inside: Vec<Vec<String>>,
}

/// The C names inside a function.
pub(super) struct Names {
    /// The names of the variables, in order.
    pub(super) vars: Vec<String>,
    /// The name of the optional launch parameter.
    pub(super) launch: String,
    /// The name of the optional site parameter.
    pub(super) site: String,
}

/// Names functions. Device functions are in namespaces and have to be distinct from each other; a kernel is
/// `extern "C"`, and has to be distinct from everything that CUDA declares in C.
///
/// Unqualified lookup in a user-written body of CUDA C searches `namespace foreign` before the global namespace, which
/// contains CUDA's declarations. So no function in `foreign` has a name that CUDA may declare (no name that ends with
/// an underscore is) or that occurs in any body of the program. The name of the function itself is the usual case:
/// `fn ldexp` with the body `return ldexp(x, n);`.
pub(super) fn functions(module: &Module) -> FunctionNames {
    let mut in_device = Taken::default();
    let mut in_foreign: Taken = module
        .functions
        .values()
        .filter_map(|function| match &function.body {
            Body::Foreign(Foreign::CudaC(cuda)) => Some(identifiers(&cuda.text)),
            Body::Foreign(Foreign::Linked(symbol)) => Some(identifiers(symbol)),
            Body::Stmts(_) => None,
        })
        .flatten()
        .map(str::to_owned)
        .collect();
    let device = module.functions.iter().map(|(id, function)| {
        let mut name = identifier(&function.name);
        let taken = match &function.body {
            Body::Foreign(_) => {
                if !name.ends_with('_') {
                    name.push('_');
                }
                &mut in_foreign
            }
            Body::Stmts(_) => &mut in_device,
        };
        (*id, taken.unique(name))
    });
    let device = device.collect();
    let is_linked = |name: &str| {
        let mut bodies = module.functions.values().map(|function| &function.body);
        bodies.any(|body| matches!(body, Body::Foreign(Foreign::Linked(symbol)) if symbol == name))
    };
    let mut kernel = identifier(&module.kernel.name);
    while reserved::is_global(&kernel) || is_linked(&kernel) {
        kernel.push('_');
    }
    FunctionNames { device, kernel }
}

/// Returns all identifiers in C++ text, including those in comments and literals.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Names types, members and variants. A variant is declared next to its enum, and its name includes the enum's.
pub(super) fn types(defs: &[TypeDef]) -> TypeNames {
    // In `types::rt::x`, C++ would look up `x` in a type named `rt`.
    let mut taken = Taken::from_iter(["rt", "types", "constants"].map(str::to_owned));
    let types: Vec<String> = defs.iter().map(|def| taken.unique(identifier(&def.hint))).collect();
    let inside = defs.iter().zip(&types).map(|(def, name)| match &def.kind {
        TypeKind::Struct { members, layout: _ } => {
            // A member must not have the name of its struct.
            let mut taken = Taken::from_iter([name.clone()]);
            members.iter().map(|member| taken.unique(member_identifier(&member.hint))).collect()
        }
        TypeKind::Enum { repr: _, variants } => {
            variants.iter().map(|(variant, _)| taken.unique(identifier(&format!("{name}_{variant}")))).collect()
        }
    });
    let inside = inside.collect();
    TypeNames { types, inside }
}

/// The fields of a tuple are numbered in Rust.
fn member_identifier(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else if reserved::is_function(name) {
        name.to_owned() // a member does not hide any other name
    } else {
        identifier(name)
    }
}

/// Names the variables of a function.
pub(super) fn variables(vars: &[Variable]) -> Names {
    assign(vars, identifier)
}

/// Names the parameters of a function with a user-written body of CUDA C, which refers to them by the user's names.
pub(super) fn parameters(vars: &[Variable]) -> Names {
    assign(vars, |name| {
        let valid = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let reserved = name.starts_with("__") || reserved::is_reserved_for_parameters(name);
        if valid && !reserved { name.to_owned() } else { identifier(name) }
    })
}

fn assign(vars: &[Variable], identifier: impl Fn(&str) -> String) -> Names {
    let mut taken = Taken::default();
    let mut names = vec![String::new(); vars.len()];
    let hints: Vec<String> = vars.iter().map(|var| identifier(&var.hint)).collect();
    // The first variable of each name keeps it, even if an earlier shadowed variable would be renamed to it, as in
    // `x_2`.
    for ((name, hint), var) in names.iter_mut().zip(&hints).zip(vars) {
        if var.origin == NameOrigin::User && taken.names.insert(hint.clone()) {
            name.clone_from(hint);
        }
    }
    for origin in [NameOrigin::User, NameOrigin::Compiler] {
        for ((name, hint), var) in names.iter_mut().zip(&hints).zip(vars) {
            if name.is_empty() && var.origin == origin {
                *name = taken.unique(hint.clone());
            }
        }
    }
    let launch = taken.unique("launch".to_owned());
    let site = taken.unique("site".to_owned());
    Names { vars: names, launch, site }
}

/// The names of a scope.
#[derive(Default)]
struct Taken {
    names: FxHashSet<String>,
    /// For each name that occurred repeatedly, the first numeric suffix that may be free.
    next: FxHashMap<String, u32>,
}

impl Taken {
    /// Takes the name, or the name with the first numeric suffix that makes it unique.
    fn unique(&mut self, name: String) -> String {
        if self.names.insert(name.clone()) {
            return name;
        }
        // Two consecutive underscores are reserved in C++.
        let separator = if name.ends_with('_') { "" } else { "_" };
        let mut number = self.next.get(&name).copied().unwrap_or(2);
        loop {
            let candidate = format!("{name}{separator}{number}");
            number += 1;
            if !reserved::is_reserved(&candidate) && self.names.insert(candidate.clone()) {
                self.next.insert(name, number);
                return candidate;
            }
        }
    }
}

impl FromIterator<String> for Taken {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Taken {
        Taken { names: names.into_iter().collect(), next: FxHashMap::default() }
    }
}

/// Converts a Rust name to an identifier that is not reserved in C++. Distinct names may collide.
fn identifier(name: &str) -> String {
    let mut identifier = String::new();
    for c in name.chars() {
        match c {
            // `__` is reserved for the implementation ([lex.name]), which has macros such as `__device__`.
            '_' if identifier.ends_with('_') => {}
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => identifier.push(c),
            _ => {
                let separator = if identifier.ends_with('_') { "" } else { "_" };
                let _ = write!(identifier, "{separator}x{:x}_", u32::from(c));
            }
        }
    }
    let mut chars = identifier.chars();
    let starts_badly = match (chars.next(), chars.next()) {
        (None | Some('0'..='9'), _) | (Some('_'), None | Some('A'..='Z' | '0'..='9')) => true,
        (Some(_), _) => false,
    };
    if starts_badly {
        identifier.insert(0, 'v');
    }
    if reserved::is_reserved(&identifier) {
        identifier.push('_');
    }
    identifier
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scalar;
    use crate::lower::CType;

    #[track_caller]
    fn check(hints: &[(&str, bool)], expected: &[&str]) {
        let vars: Vec<Variable> = hints
            .iter()
            .map(|(hint, user)| Variable {
                hint: (*hint).to_owned(),
                origin: NameOrigin::by_user(*user),
                ty: CType::Scalar(Scalar::F32),
                constant: true,
                stable: true,
            })
            .collect();
        assert_eq!(variables(&vars).vars, expected);
    }

    #[test]
    fn names_stay_as_written() {
        check(&[("i", true), ("kernel", true), ("rt", true), ("_x", true)], &["i", "kernel", "rt", "_x"]);
    }

    #[test]
    fn shadowed_variables_are_numbered() {
        check(&[("x", true), ("x", true), ("x", true)], &["x", "x_2", "x_3"]);
        check(&[("x", true), ("x", true), ("x_2", true)], &["x", "x_3", "x_2"]);
    }

    #[test]
    fn user_names_have_precedence() {
        check(&[("x", true), ("x_len", false), ("x_len", true)], &["x", "x_len_2", "x_len"]);
    }

    #[test]
    fn reserved_identifiers_are_renamed() {
        check(
            &[("float", true), ("int", true), ("threadIdx", true), ("u32", true), ("sqrtf", true), ("linux", true)],
            &["float_", "int_", "threadIdx_", "u32_", "sqrtf_", "linux_"],
        );
        check(&[("float", true), ("float_", true)], &["float_", "float_2"]);
        check(&[("a__b", true), ("_Foo", true), ("größe", true)], &["a_b", "v_Foo", "gr_xf6_xdf_e"]);
    }

    #[test]
    fn parameters_of_a_body_in_cuda_c_keep_their_names() {
        let names = ["exp", "threadIdx", "a__b", "float", "u32", "linux", "__x", "größe"];
        let vars = names.map(|hint| Variable {
            hint: hint.to_owned(),
            origin: NameOrigin::User,
            ty: CType::Scalar(Scalar::F32),
            constant: true,
            stable: true,
        });
        let expected = ["exp", "threadIdx", "a__b", "float_", "u32_", "linux_", "_x", "gr_xf6_xdf_e"];
        assert_eq!(parameters(&vars).vars, expected);
    }

    #[test]
    fn identifiers_of_a_text() {
        let found: Vec<&str> = identifiers("return ldexp(x, -2) /* y_1 */ + \"%d\";").collect();
        assert_eq!(found, ["return", "ldexp", "x", "2", "y_1", "d"]);
    }

    #[test]
    fn launch_parameter_avoids_collisions() {
        let vars = [Variable {
            hint: "launch".to_owned(),
            origin: NameOrigin::User,
            ty: CType::Scalar(Scalar::F32),
            constant: true,
            stable: true,
        }];
        assert_eq!(variables(&vars).launch, "launch_2");
    }
}
