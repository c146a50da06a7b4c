//! Device functions in linked files: the declarations of their symbols, and the calls of them.
//!
//! A symbol is declared in the global namespace with C linkage. A function in `namespace foreign` calls it, so that the
//! rest of the text does not distinguish linked functions from those with a body in CUDA C.

use std::fmt::Write;

use super::{Context, literal, names, parameters};
use crate::ir::Foreign;
use crate::lower::{Body, Function};

/// Declares the symbols of all linked functions.
pub(super) fn write_declarations(text: &mut String, context: &Context<'_>) {
    for function in context.module.functions.values() {
        let Body::Foreign(Foreign::Linked(symbol)) = &function.body else { continue };
        let names = names::parameters(&function.vars);
        let params = parameters(context, function, &names).join(", ");
        let result = context.result(function);
        let _ = writeln!(text, "\n#line {} {}", function.line.max(1), literal::string(&function.file));
        let _ = writeln!(text, "{DECLARATION}{result} {symbol}({params});");
    }
}

/// The beginning of a declaration.
const DECLARATION: &str = "extern \"C\" __device__ ";

/// A symbol that a source declares: a result of [`crate::linked_symbols`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedSymbol {
    /// The symbol.
    pub name: String,
    /// The source file of the function, as NVRTC reports it.
    pub file: String,
    /// The line of the function in it.
    pub line: u32,
}

/// Returns the symbols that a text declares.
pub(crate) fn find(text: &str) -> Vec<LinkedSymbol> {
    let lines = text.lines().zip(text.lines().skip(1));
    lines
        .filter_map(|(directive, declaration)| {
            let (head, _) = declaration.strip_prefix(DECLARATION)?.split_once('(')?;
            let (line, file) = directive.strip_prefix("#line ")?.split_once(' ')?;
            let (_, name) = head.rsplit_once(' ')?;
            let file = file.trim_matches('"').replace("\\\\", "\\");
            Some(LinkedSymbol { name: name.to_owned(), file, line: line.parse().ok()? })
        })
        .collect()
}

/// Prints the body of a function that calls a symbol with its parameters.
pub(super) fn write_call(text: &mut String, symbol: &str, function: &Function, names: &names::Names) {
    let args: Vec<&str> = function.params.iter().map(|param| names.vars[param.index()].as_str()).collect();
    // C++ allows `return` with a call of type `void`.
    let _ = writeln!(text, "    return ::{symbol}({});", args.join(", "));
}
