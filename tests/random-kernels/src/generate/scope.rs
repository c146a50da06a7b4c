//! What is in scope, and how to get from there to a value of some type.

use std::rc::Rc;

use super::tally::Tally;
use crate::types::{Range, Type};

/// Something with a name.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A variable. `range` is what it may be at any time.
    Value { ty: Type, range: Range, access: Access },
    /// A slice, or an array in shared memory.
    Slice { element: Type, writable: bool, bound: Bound },
    /// A view, and which indices a thread may use in each dimension.
    View { element: Type, writable: bool, bounds: Vec<Bound> },
    /// A `&T` or `&mut T`.
    Ref { ty: Type, writable: bool },
    /// It is borrowed, so that its name is not used.
    Hidden,
    /// A slice that all threads add to, by this atomic function, and none reads.
    Sums { element: Type, function: &'static str },
    /// An array of structs that all threads add to by their methods.
    Tallies(Rc<Tally>),
}

/// What may be done to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// Only small numbers are added to it, so that it never overflows.
    Sum,
    /// It counts the turns of a loop, and has its range whatever is made of the program.
    Count,
}

/// Which elements of a slice a thread may touch without meeting another thread or the end.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// Those below `least`, which is the length of the shortest array that the slice may be; the longest has `most`.
    Length { least: usize, most: usize },
    /// `size` of them from `base * size` on.
    Own { base: String, size: usize },
    /// `size` of them from `base` on.
    From { base: String, size: usize },
    /// Those below a variable.
    Below(String),
    /// One.
    At(String),
}

/// How a part of something is reached.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Deref,
    Field(String),
    /// An element of an array of this many.
    Element(usize),
    /// An element of a slice.
    Slice(Bound),
    /// An element of a view.
    View(Vec<Bound>),
}

/// A value that is reached from a variable.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) name: String,
    /// The type of the variable, or of a slice's elements.
    pub(crate) steps: Vec<Step>,
    pub(crate) ty: Type,
    pub(crate) range: Range,
    pub(crate) access: Access,
}

/// Everything with a name, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    bindings: Vec<Binding>,
}

impl Scope {
    pub(crate) fn push(&mut self, name: &str, kind: Kind) {
        self.bindings.push(Binding { name: name.to_owned(), kind });
    }

    pub(crate) fn value(&mut self, name: &str, ty: Type, range: Range, access: Access) {
        self.push(name, Kind::Value { ty, range, access });
    }

    /// How many bindings there are, to come back to with [`Scope::close`].
    pub(crate) fn open(&self) -> usize {
        self.bindings.len()
    }

    pub(crate) fn close(&mut self, open: usize) {
        self.bindings.truncate(open);
    }

    /// What is not shadowed, the innermost last.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &Binding> {
        let shadowed = |at: usize, name: &str| self.bindings[at + 1..].iter().any(|later| later.name == name);
        self.bindings
            .iter()
            .enumerate()
            .filter(move |(at, binding)| !shadowed(*at, &binding.name))
            .map(|(_, binding)| binding)
    }

    /// Whether a name may be given to something new: those that hold what must stay in sight may not.
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

    /// Changes how slices may be touched, as a barrier does.
    pub(crate) fn rebind(&mut self, mut change: impl FnMut(&mut Binding)) {
        self.bindings.iter_mut().for_each(&mut change);
    }

    /// Every way to a value of a type that `wanted` accepts.
    pub(crate) fn paths(&self, wanted: impl Fn(&Type) -> bool) -> Vec<Path> {
        let mut paths = Vec::new();
        for binding in self.visible() {
            let (ty, range, access, steps) = match &binding.kind {
                Kind::Value { ty, range, access } => (ty, *range, *access, vec![]),
                Kind::Slice { element, writable, bound } => {
                    let access = if *writable { Access::Write } else { Access::Read };
                    (element, element.range(), access, vec![Step::Slice(bound.clone())])
                }
                Kind::View { element, writable, bounds } => {
                    let access = if *writable { Access::Write } else { Access::Read };
                    (element, element.range(), access, vec![Step::View(bounds.clone())])
                }
                Kind::Ref { ty, writable } => {
                    let access = if *writable { Access::Write } else { Access::Read };
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

/// Adds the ways to what is wanted in what `path` leads to.
fn follow(path: Path, wanted: &impl Fn(&Type) -> bool, paths: &mut Vec<Path>) {
    let into = |step: Step, ty: &Type| {
        let mut path = path.clone();
        // `r.f` and `r[i]` see through a reference by themselves.
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
