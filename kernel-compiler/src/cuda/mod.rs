//! Code generation: prints the C tree as readable CUDA C.
//!
//! The runtime support of the text is in `namespace rt` and called as `rt::x`; device functions are in
//! `namespace device`, the user's types in `namespace types`, and stored constants in `namespace constants`. Device
//! functions whose body the user wrote in CUDA C, or that are linked, are in `namespace foreign`, before `device`: name lookup in their text
//! finds CUDA's global namespace, and no declaration of the program hides it (see [`names::functions`]). In `rt::x`,
//! C++ considers only namespaces and types when it looks up `rt` (\[basic.lookup.qual\]), so a user's variable cannot
//! capture it. There are no includes: NVRTC compiles a source without headers in a fraction of the time.

mod bounds;
mod expr;
mod linked;
mod literal;
mod names;
mod prelude;
mod stmt;
mod types;
mod user_text;

use std::fmt::Write;
use std::sync::Arc;

use crate::coarsen::{Coarsening, Obstacle};
use crate::ir::Foreign;
use crate::lower::{Body, CType, Function, Module, TypeId, VarId};
use crate::prove::Predicate;
use crate::source::{Options, Site, SiteKind};

use names::{FunctionNames, Names, TypeNames};
use stmt::Printer;

pub use linked::LinkedSymbol;
pub(crate) use linked::find as linked_symbols;
pub use user_text::UserText;
pub(crate) use user_text::find as user_texts;

/// A program as CUDA C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text. It includes no headers.
    pub text: String,
    /// The name of the kernel function in the text.
    pub entry: String,
    /// The source locations that can fault or print. Records refer to them by their index in this table.
    pub sites: Vec<Site>,
    /// Whether the kernel takes an `rt::Launch` after the user's parameters.
    pub takes_launch: bool,
    /// Whether the kernel can print, so that a launch needs a print buffer.
    pub prints: bool,
    /// The condition of [`Variant::Proven`] on a launch, in the source of the checked variant as well; `None` if the two are
    /// equal. In the source of [`Variant::Narrow`], the condition of that variant; `None` if there is none, because no
    /// number would be narrow.
    ///
    /// [`Variant::Proven`]: crate::Variant::Proven
    /// [`Variant::Narrow`]: crate::Variant::Narrow
    pub predicate: Option<Arc<Predicate>>,
    /// How CUDA threads can execute several logical threads, or why they cannot. It depends on the variant: a source with
    /// checks is never coarsened.
    pub coarsening: Result<Coarsening, Obstacle>,
}

/// Prints a program. `predicate` is the condition of its variant.
pub(crate) fn source(
    module: Module,
    options: Options,
    predicate: Option<Arc<Predicate>>,
    coarsening: Result<Coarsening, Obstacle>,
) -> Source {
    let own_faults = prelude::fault::own(&module);
    let (functions, types) = (names::functions(&module), names::types(&module.types));
    let context = Context { module: &module, functions, types, own_faults };
    let mut text = String::new();
    prelude::write(&mut text, &module, own_faults);
    types::write(&mut text, &context);
    types::write_constants(&mut text, &context);
    linked::write_declarations(&mut text, &context);
    // A body in CUDA C calls no function of the program, so these functions can precede all others.
    let is_foreign = |function: &Function| matches!(function.body, Body::Foreign(_));
    for (namespace, foreign) in [("foreign", true), ("device", false)] {
        let mut functions = module.functions.iter().filter(|(_, function)| is_foreign(function) == foreign).peekable();
        if functions.peek().is_none() {
            continue;
        }
        let _ = writeln!(text, "\nnamespace {namespace} {{");
        for (id, function) in functions {
            let result = context.result(function);
            let head = format!("static __device__ inline {result} {}", context.functions.device[id]);
            write_function(&mut text, &context, &head, function, function.takes_launch);
        }
        let _ = writeln!(text, "\n}}  // namespace {namespace}");
    }
    let entry = context.functions.kernel.clone();
    let takes_launch = module.takes_launch;
    let bounds = bounds::launch_bounds(&module, options);
    let head = format!("extern \"C\" __global__ void {bounds}{entry}");
    write_function(&mut text, &context, &head, &module.kernel, takes_launch);
    let prints = module.sites.iter().any(|site| matches!(site.kind, SiteKind::Print(_)));
    Source { text, entry, takes_launch, prints, sites: module.sites, predicate, coarsening }
}

/// The names that are in scope outside of functions.
struct Context<'m> {
    module: &'m Module,
    functions: FunctionNames,
    types: TypeNames,
    /// Whether each index check calls a function of its own.
    own_faults: bool,
}

/// Prints a function, preceded by an empty line.
fn write_function(text: &mut String, context: &Context<'_>, head: &str, function: &Function, takes_launch: bool) {
    let names = match &function.body {
        Body::Stmts(_) => names::variables(&function.vars),
        Body::Foreign(_) => names::parameters(&function.vars),
    };
    let mut params = parameters(context, function, &names);
    if function.takes_site {
        params.push(format!("u32 {}", names.site));
    }
    if takes_launch {
        params.push(format!("rt::Launch {}", names.launch));
    }
    let params = params.join(", ");
    let _ = writeln!(text, "\n#line {} {}", function.line.max(1), literal::string(&function.file));
    let _ = writeln!(text, "{head}({params}) {{");
    match &function.body {
        Body::Foreign(Foreign::Linked(symbol)) => linked::write_call(text, symbol, function, &names),
        Body::Stmts(stmts) => Printer::new(text, context, function, &names).stmts(stmts),
        Body::Foreign(Foreign::CudaC(cuda)) => user_text::write(text, &function.name, &function.file, cuda),
    }
    text.push_str("}\n");
}

/// Returns the declarations of the parameters.
fn parameters(context: &Context<'_>, function: &Function, names: &Names) -> Vec<String> {
    function.params.iter().map(|param| parameter(context, function, names, *param)).collect()
}

/// Returns the declaration of a parameter.
fn parameter(context: &Context<'_>, function: &Function, names: &Names, id: VarId) -> String {
    let var = &function.vars[id.index()];
    // A top-level `const` of a parameter is not part of the function's type, and would be on nearly every parameter.
    context.declaration(&var.ty, false, &names.vars[id.index()])
}

impl Context<'_> {
    /// Returns the result type of a function.
    fn result(&self, function: &Function) -> String {
        function.result.as_ref().map_or("void".to_owned(), |ty| self.ctype(ty))
    }

    /// Returns the declaration of a variable, without an initialiser.
    fn declaration(&self, ty: &CType, constant: bool, name: &str) -> String {
        let qualifier = if constant { "const " } else { "" };
        match ty {
            CType::Scalar(_) | CType::Named(_) | CType::Array(..) => format!("{qualifier}{} {name}", self.ctype(ty)),
            CType::Pointer { target: _, mutable: _, restrict } => {
                let itself = match (*restrict, constant) {
                    (true, _) => " __restrict__ ",
                    (false, true) => " const ",
                    (false, false) => " ",
                };
                format!("{}{itself}{name}", self.ctype(ty))
            }
            // References are implicitly constant.
            CType::Reference { .. } => format!("{} {name}", self.ctype(ty)),
        }
    }

    /// Returns the name of an enum's variant.
    fn variant(&self, id: TypeId, position: usize) -> String {
        format!("types::{}", self.types.inside[id.index()][position])
    }

    /// Returns the name of a type.
    fn ctype(&self, ty: &CType) -> String {
        match ty {
            CType::Scalar(scalar) => literal::type_name(*scalar).to_owned(),
            CType::Named(id) => format!("types::{}", self.types.types[id.index()]),
            CType::Array(element, len) => format!("rt::Array<{}, {len}>", self.ctype(element)),
            CType::Pointer { target, mutable, restrict: _ } => {
                format!("{}{}*", if *mutable { "" } else { "const " }, self.ctype(target))
            }
            CType::Reference { target, mutable } => {
                format!("{}{}&", if *mutable { "" } else { "const " }, self.ctype(target))
            }
        }
    }
}
