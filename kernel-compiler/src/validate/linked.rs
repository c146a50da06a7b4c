//! Validation of the symbols of linked functions, which share the global namespace of the emitted CUDA C with CUDA's own
//! declarations. The kernel, whose name there is free, avoids them.

use crate::ir::Foreign;
use crate::reserved;
use crate::typify::{Signature, Typed};
use crate::{Diagnostic, Error, Errors};

/// Validates the symbols of all reachable functions.
pub(super) fn symbols(typed: &Typed, errors: &mut Errors) {
    let mut declared: Vec<(&str, &Signature)> = Vec::new();
    for typed in typed.functions.iter().filter(|typed| typed.reached) {
        let function = &typed.instance.function;
        let Some(Foreign::Linked(symbol)) = &function.foreign else { continue };
        let diagnostic = if reserved::is_global(symbol) {
            let why = "it is a keyword, or CUDA declares a function of this name";
            let help = "rename it in the linked file, and name it by `symbol = \"..\"`";
            Some(Diagnostic::new(format!("the symbol `{symbol}` cannot be linked"), why, help))
        } else if declared.iter().any(|(other, types)| other == symbol && **types != typed.signature) {
            let why = "a function with C linkage has one signature";
            let help = "declare it with the same types, or name another function by `symbol = \"..\"`";
            Some(Diagnostic::new(
                format!("two device functions with different signatures have the symbol `{symbol}`"),
                why,
                help,
            ))
        } else {
            None
        };
        declared.push((symbol, &typed.signature));
        if let Some(diagnostic) = diagnostic {
            let (function, span) = (function.name.clone(), function.span);
            errors.0.push(Error { function, file: typed.instance.file.clone(), span, diagnostic });
        }
    }
}
