//! Prints the tree of C as CUDA C that people can read.
//!
//! Everything of ours is in `namespace rt` and called as `rt::x`; the device functions are in `namespace device`. In
//! `rt::x`, C++ looks for nothing but a namespace named `rt` (\[basic.lookup.qual\]), so that no variable of the user's
//! can capture it. There are no includes: NVRTC compiles a source without headers in a fraction of the time.

mod expr;
mod float;
mod integer;
mod literal;
mod names;
mod prelude;
mod reserved;
mod stmt;

use std::fmt::Write;

use crate::lower::{CType, Function, Module, VarId};
use crate::source::Source;

use names::{FunctionNames, Names};
use stmt::Printer;

/// Prints a program.
pub(crate) fn source(module: Module) -> Source {
    let names = names::functions(&module.functions);
    let can_fault = !module.sites.is_empty();
    let mut text = String::new();
    prelude::write(&mut text, &module.helpers, can_fault);
    let (kernels, functions): (Vec<_>, Vec<_>) = module.functions.iter().enumerate().partition(|(_, f)| f.kernel);
    if !functions.is_empty() {
        text.push_str("\nnamespace device {\n");
        for (i, function) in functions {
            write_function(&mut text, &module, &names, i, function);
        }
        text.push_str("\n}  // namespace device\n");
    }
    let mut entry = String::new();
    for (i, function) in kernels {
        write_function(&mut text, &module, &names, i, function);
        entry.clone_from(&names.0[i]);
    }
    Source { text, entry, sites: module.sites, can_fault }
}

/// Prints a function after an empty line.
fn write_function(text: &mut String, module: &Module, functions: &FunctionNames, position: usize, function: &Function) {
    let names = names::variables(&function.vars);
    let faults = if function.kernel { !module.sites.is_empty() } else { function.faults };
    let mut params: Vec<String> = function.params.iter().map(|param| parameter(function, &names, *param)).collect();
    if faults {
        params.push(format!("rt::Launch {}", names.launch));
    }
    let name = &functions.0[position];
    let params = params.join(", ");
    let head = if function.kernel {
        format!("extern \"C\" __global__ void {name}({params}) {{")
    } else {
        let result = function.result.map_or("void", literal::type_name);
        format!("static __device__ inline {result} {name}({params}) {{")
    };
    let _ = writeln!(text, "\n#line {} {}", function.line.max(1), literal::string(&function.file));
    text.push_str(&head);
    text.push('\n');
    let mut printer = Printer::new(text, module, functions, function, &names);
    printer.stmts(&function.body);
    text.push_str("}\n");
}

/// A parameter's declaration.
fn parameter(function: &Function, names: &Names, id: VarId) -> String {
    let var = &function.vars[id.index()];
    // `const` of a parameter says nothing to the caller, and would be on nearly every one.
    declaration(&var.ty, false, &names.vars[id.index()])
}

/// The declaration of a variable, without its value.
fn declaration(ty: &CType, constant: bool, name: &str) -> String {
    let qualifier = if constant { "const " } else { "" };
    match ty {
        CType::Scalar(scalar) => format!("{qualifier}{} {name}", literal::type_name(*scalar)),
        CType::Pointer { element, mutable, restrict } => {
            let target = if *mutable { "" } else { "const " };
            let element = literal::memory_name(*element);
            let itself = match (*restrict, constant) {
                (true, _) => " __restrict__ ",
                (false, true) => " const ",
                (false, false) => " ",
            };
            format!("{target}{element}*{itself}{name}")
        }
        CType::Array { element, lens } => {
            format!("{} (&{name}){}", literal::memory_name(*element), literal::dimensions(lens))
        }
    }
}
