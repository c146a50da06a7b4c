//! Bindings and jump targets in scope, and the access paths from bindings to values of a given type.

use std::rc::Rc;

use crate::types::{Int, Range, Struct, Type};

/// A named entity.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A variable. `range` holds at every point of its lifetime.
    Value { ty: Type, range: Range, access: Permission },
    /// A slice, or an array in shared memory.
    Slice { element: Type, writable: bool, bound: Bound },
    /// A view, and the indices that a thread may use in each dimension.
    View { element: Type, writable: bool, bounds: Vec<Bound> },
    /// A `&T` or `&mut T`.
    Ref { ty: Type, writable: bool },
    /// A binding that is borrowed, so that its name is not used.
    Hidden,
    /// A slice that all threads add to with this atomic function, and none reads.
    Sums { element: Type, function: &'static str },
    /// An array of structs that all threads add to through methods.
    Tallies(Rc<Tally>),
}

/// The permitted uses of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    Read,
    Write,
    /// Adding small numbers only, so that it never overflows.
    Sum,
    /// Reading only: it counts the iterations of a loop, and keeps its range under every edit.
    Count,
}

/// The elements of a slice that a thread may access without a race or an index out of bounds.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// Those below `least`, the minimum length of the slice; its maximum length is `most`.
    Length { least: usize, most: usize },
    /// `size` elements from `base * size` on.
    Own { base: String, size: usize },
    /// `size` elements from `base` on.
    From { base: String, size: usize },
    /// Those below a variable.
    Below(String),
    /// One element.
    At(String),
}

/// A step of an access path.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Deref,
    Field(String),
    /// An element of an array of this length.
    Element(usize),
    /// An element of a slice.
    Slice(Bound),
    /// An element of a view.
    View(Vec<Bound>),
}

/// An access path: a value reached from a variable.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) name: String,
    /// The type of the variable, or the element type of a slice.
    pub(crate) steps: Vec<Step>,
    pub(crate) ty: Type,
    pub(crate) range: Range,
    pub(crate) access: Permission,
}

/// An enclosing loop or labelled block that a jump can leave.
#[derive(Clone, Debug)]
pub(super) struct JumpTarget {
    /// The label, assigned when a jump first names it.
    pub(super) label: Option<String>,
    /// The type of its value, which each `break` has to provide.
    pub(super) value: Option<Type>,
    /// The union of the ranges of its value so far.
    pub(super) range: Option<Range>,
    /// Whether it is a block, which only a `break` with its label leaves.
    pub(super) block: bool,
}

/// A struct of counters.
#[derive(Debug)]
pub(super) struct Tally {
    /// The kernel parameter, which is an array of them.
    pub(super) param: String,
    pub(super) name: String,
    /// The struct nested in it, if there is one.
    pub(super) inner: String,
    /// `count`, `inner.top`
    pub(super) fields: Vec<(String, Int)>,
    /// The methods of the type, of its traits and of the nested struct, with their parameters.
    pub(super) methods: Vec<(String, Int)>,
    /// `fn note<T: Tr + DeviceType>(all: &mut [T], at: usize, v: u32)`, with the type of `v`.
    pub(super) through: Vec<(String, Int)>,
    /// `fn note<T: Tr>(one: &mut T, v: u32)`, with the type of `v`.
    pub(super) by_ref: Vec<(String, Int)>,
}

impl Tally {
    /// Returns the type without fields: only methods access them.
    pub(super) fn ty(&self) -> Type {
        Type::Struct(Rc::new(Struct { name: self.name.clone(), fields: vec![] }))
    }
}

/// All bindings, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    bindings: Vec<Binding>,
}

impl Scope {
    pub(crate) fn push(&mut self, name: &str, kind: Kind) {
        self.bindings.push(Binding { name: name.to_owned(), kind });
    }

    pub(crate) fn value(&mut self, name: &str, ty: Type, range: Range, access: Permission) {
        self.push(name, Kind::Value { ty, range, access });
    }

    /// Returns the number of bindings, for [`Scope::close`].
    pub(crate) fn open(&self) -> usize {
        self.bindings.len()
    }

    pub(crate) fn close(&mut self, open: usize) {
        self.bindings.truncate(open);
    }

    /// Returns the bindings that are not shadowed, the innermost last.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &Binding> {
        let shadowed = |at: usize, name: &str| self.bindings[at + 1..].iter().any(|later| later.name == name);
        self.bindings
            .iter()
            .enumerate()
            .filter(move |(at, binding)| !shadowed(*at, &binding.name))
            .map(|(_, binding)| binding)
    }

    /// Returns whether a new binding may shadow a name: the counters and bounds that the program relies on must stay
    /// visible.
    pub(crate) fn may_shadow(&self, name: &str) -> bool {
        let fixed = name == "self" || name.starts_with(char::is_uppercase);
        !fixed
            && self.bindings.iter().all(|binding| {
                let is_a_bound = |bound: &Bound| match bound {
                    Bound::Length { .. } => false,
                    Bound::Own { base: it, .. } | Bound::From { base: it, .. } | Bound::Below(it) | Bound::At(it) => {
                        it == name
                    }
                };
                match &binding.kind {
                    Kind::Slice { bound, .. } => binding.name != name && !is_a_bound(bound),
                    Kind::View { bounds, .. } => binding.name != name && !bounds.iter().any(is_a_bound),
                    Kind::Sums { .. } | Kind::Tallies(_) => binding.name != name,
                    Kind::Value { .. } | Kind::Ref { .. } | Kind::Hidden => true,
                }
            })
    }

    /// Changes the permitted accesses of slices, as a barrier does.
    pub(crate) fn rebind(&mut self, mut change: impl FnMut(&mut Binding)) {
        self.bindings.iter_mut().for_each(&mut change);
    }

    /// Returns every access path to a value of a type that `wanted` accepts.
    pub(crate) fn paths(&self, wanted: impl Fn(&Type) -> bool) -> Vec<Path> {
        let mut paths = Vec::new();
        for binding in self.visible() {
            let (ty, range, access, steps) = match &binding.kind {
                Kind::Value { ty, range, access } => (ty, *range, *access, vec![]),
                Kind::Slice { element, writable, bound } => {
                    let access = if *writable { Permission::Write } else { Permission::Read };
                    (element, element.range(), access, vec![Step::Slice(bound.clone())])
                }
                Kind::View { element, writable, bounds } => {
                    let access = if *writable { Permission::Write } else { Permission::Read };
                    (element, element.range(), access, vec![Step::View(bounds.clone())])
                }
                Kind::Ref { ty, writable } => {
                    let access = if *writable { Permission::Write } else { Permission::Read };
                    (ty, ty.range(), access, vec![Step::Deref])
                }
                Kind::Sums { .. } | Kind::Tallies(_) | Kind::Hidden => continue,
            };
            let path = Path { name: binding.name.clone(), steps, ty: ty.clone(), range, access };
            follow(path, &wanted, &mut paths);
        }
        paths
    }
}

/// Appends the access paths below `path` to wanted values.
fn follow(path: Path, wanted: &impl Fn(&Type) -> bool, paths: &mut Vec<Path>) {
    let into = |step: Step, ty: &Type| {
        let mut path = path.clone();
        // `r.f` and `r[i]` dereference automatically.
        if matches!(path.steps.last(), Some(Step::Deref)) {
            path.steps.pop();
        }
        path.steps.push(step);
        Path { ty: ty.clone(), range: ty.range(), ..path }
    };
    match &path.ty {
        Type::Tuple(parts) => {
            for (i, part) in parts.iter().enumerate() {
                follow(into(Step::Field(i.to_string()), part), wanted, paths);
            }
        }
        Type::Struct(structure) => {
            for (name, ty) in &structure.fields {
                follow(into(Step::Field(name.clone()), ty), wanted, paths);
            }
        }
        Type::Array(element, len) => follow(into(Step::Element(*len), element), wanted, paths),
        Type::Unit
        | Type::Bool
        | Type::Int(_)
        | Type::Float(_)
        | Type::Enum(_)
        | Type::Slice(..)
        | Type::View(..)
        | Type::Ref(..)
        | Type::Param(_) => {}
    }
    if wanted(&path.ty) {
        paths.push(path);
    }
}
