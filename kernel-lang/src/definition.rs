//! Compiled forms of functions, and the interface of what a kernel can call.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::any::TypeId;
use std::marker::PhantomData;

use cumbia_kernel_ir::{self as ir, Method};

/// The compiled form of a kernel or a device function for one choice of its generic arguments.
#[derive(Clone, Copy)]
pub struct Definition {
    /// Identifies the instance.
    pub id: TypeId,
    /// The function's path, for messages.
    pub path: &'static str,
    /// The source file.
    pub file: &'static str,
    /// The encoded [`Function`](cumbia_kernel_ir::Function).
    pub ir: &'static [u8],
    /// Returns the contents that rustc inferred for the slots.
    pub slots: fn() -> Vec<Content>,
    /// Returns whether integer overflow is a fault where the function was compiled: a profile can set `overflow-checks`
    /// independently of `debug-assertions`.
    pub overflow_checks: fn() -> bool,
    /// Whether the function defines a built-in method, which has the overflow checks and the positions of its callers.
    pub built_in: bool,
    /// The files that define the function on a GPU.
    pub linked: &'static [LinkedFile],
}

/// A file that defines functions for a GPU. The executable contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkedFile {
    /// The path, as written.
    pub path: &'static str,
    /// The kind of the contents.
    pub kind: LinkedKind,
    /// The contents.
    pub bytes: &'static [u8],
}

/// The kind of a [`LinkedFile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkedKind {
    /// CUDA C++, which NVRTC compiles.
    CudaC,
    /// PTX.
    Ptx,
    /// Relocatable machine code for one architecture.
    Cubin,
    /// PTX and machine code for several architectures.
    Fatbin,
    /// An object file of the host with a fatbin.
    Object,
    /// An archive of such object files.
    Library,
}

impl LinkedKind {
    /// Returns the name of the kind, as a part of cache keys.
    pub fn name(self) -> &'static str {
        match self {
            LinkedKind::CudaC => "cu",
            LinkedKind::Ptx => "ptx",
            LinkedKind::Cubin => "cubin",
            LinkedKind::Fatbin => "fatbin",
            LinkedKind::Object => "object",
            LinkedKind::Library => "library",
        }
    }
}

impl Definition {
    /// Creates a definition of a user's function from its parts, in the order of the fields.
    ///
    /// # Safety
    ///
    /// The IR may contain statements in CUDA C, whose soundness the user asserts by `unsafe(cuda = "..")`. `slots` must
    /// return the slot contents of the function that the IR was made of.
    pub const unsafe fn new(
        id: TypeId,
        path: &'static str,
        file: &'static str,
        ir: &'static [u8],
        slots: fn() -> Vec<Content>,
        overflow_checks: fn() -> bool,
    ) -> Definition {
        Definition { id, path, file, ir, slots, overflow_checks, built_in: false, linked: &[] }
    }

    /// Returns the definition of a function that these files define on a GPU.
    ///
    /// # Safety
    ///
    /// The files define the symbol in the IR with the signature of the function, whose soundness the user asserts by
    /// `unsafe(link = "..")`.
    #[must_use]
    pub const unsafe fn linking(self, linked: &'static [LinkedFile]) -> Definition {
        Definition { linked, ..self }
    }

    /// Identifies the instance.
    pub fn id(&self) -> TypeId {
        self.id
    }

    /// Returns the contents that rustc inferred for the slots.
    pub fn contents(&self) -> Vec<Content> {
        (self.slots)()
    }
}

/// The content of a slot.
pub enum Content {
    Type(ir::Type),
    Constant(ir::Constant),
    /// The type of a value, and the name of the variant to which rustc resolved a path; `None` if the path names a struct.
    Variant(ir::Type, Option<String>),
    Intrinsic(ir::Intrinsic),
    Function(Definition),
    Method(ir::Method),
    /// A conversion of the only argument to this type, which is a cast to the compiler.
    Cast(ir::Scalar),
    Operator(Option<Definition>),
    /// `==` of a compound type with a part that has a function for it.
    Compound(Compound),
}

impl Content {
    /// Returns the content of an operator's slot with this key.
    #[must_use]
    pub fn of_operator(self) -> Content {
        match self {
            Content::Function(definition) => Content::Operator(Some(definition)),
            // Built-in operators, and keys that no operator has, which the compiler rejects.
            content @ (Content::Operator(_)
            | Content::Compound(_)
            | Content::Type(_)
            | Content::Constant(_)
            | Content::Variant(..)
            | Content::Intrinsic(_)
            | Content::Method(_)
            | Content::Cast(_)) => content,
        }
    }
}

/// The `==` of a compound type with a part that has a function for it.
pub struct Compound {
    /// Identifies the instance.
    pub id: TypeId,
    pub(crate) ty: ir::Type,
    pub(crate) parts: Parts,
}

/// The parts of a compound type, with the slot content of `==` of each.
pub enum Parts {
    /// The fields of a struct or a tuple in declaration order, by their names or positions.
    Fields(Vec<(String, Content)>),
    /// The elements of an array.
    Elements(Box<Content>),
    /// The variants of an enum with data, by their names.
    Variants(Vec<(String, Vec<VariantField>)>),
}

/// A field of a variant of an enum with data, with the slot content of its `==`.
pub struct VariantField {
    pub(crate) name: String,
    pub(crate) ty: ir::Type,
    pub(crate) equal: Content,
}

/// A function that can be called in a kernel: a `#[device]` function or an intrinsic. The implementing type has the
/// function's name, and each call creates a value of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be called on a device",
    label = "not a device function",
    note = "why: only functions that are compiled for the device can run there",
    note = "help: move the shared code into a `#[device]` function, and call that"
)]
pub trait DeviceFunction: Sized {
    /// The same type without lifetimes.
    type Key: CalleeKey;
    /// `Self`. If the trait is not implemented, this projection is an error type, so that rustc does not report the
    /// method call that follows as well.
    type This;

    /// Returns the callee itself.
    fn this(self) -> Self::This;
}

/// A type that identifies the target of a call, as the slot of the call holds it.
pub trait CalleeKey: 'static {
    /// Returns the content.
    fn content() -> Content;
}

/// The result of a device method: its value, with a type that identifies the method.
pub trait MethodResult {
    /// The key of the method.
    type Key: CalleeKey;
    /// The type of the value.
    type Value;

    /// Returns the value.
    fn value(self) -> Self::Value;
}

/// The result of type `R` of the method with the key `K`.
pub struct Returned<K, R> {
    value: R,
    key: PhantomData<fn() -> K>,
}

impl<K, R> Returned<K, R> {
    /// Wraps a result.
    #[inline(always)]
    pub fn new(value: R) -> Self {
        Returned { value, key: PhantomData }
    }
}

impl<K: CalleeKey, R> MethodResult for Returned<K, R> {
    type Key = K;
    type Value = R;

    #[inline(always)]
    fn value(self) -> R {
        self.value
    }
}

/// A method that is the one with the key `K`.
#[diagnostic::on_unimplemented(
    message = "two methods of this name apply to the array",
    label = "a trait's method, or the array's own",
    note = "why: a trait in scope and arrays both define it, so that the call is ambiguous",
    note = "help: name the trait: `Trait::method(&x[i])`"
)]
pub trait SameMethod<K> {}

impl<K> SameMethod<K> for K {}

/// Requires that two calls resolve to the same method, and returns the result of the first. The second is not executed.
#[inline(always)]
pub fn same_method<R: MethodResult, K: SameMethod<R::Key>>(result: R, _other: impl FnOnce() -> PhantomData<K>) -> R {
    result
}

/// Returns the key of the method that returned `_result`.
#[inline(always)]
pub fn key_of<R: MethodResult>(_result: R) -> PhantomData<R::Key> {
    PhantomData
}

/// The key of a built-in method: the position of a [`Method`] in [`Method::ALL`].
pub struct MethodKey<const METHOD: usize>;

impl<const METHOD: usize> CalleeKey for MethodKey<METHOD> {
    fn content() -> Content {
        Content::Method(Method::ALL[METHOD])
    }
}

/// The key of a built-in method that is defined in Rust, by the device function with the key `K` such as those in
/// `number::integer::definitions`.
pub struct DefinedMethod<K>(PhantomData<fn() -> K>);

impl<K: CalleeKey> CalleeKey for DefinedMethod<K> {
    fn content() -> Content {
        match K::content() {
            Content::Function(definition) => Content::Function(Definition { built_in: true, ..definition }),
            // A device function has no other content.
            content => content,
        }
    }
}

/// The key of a method that no type has. rustc rejects the macro's code for such a call, so that its content is never
/// requested.
pub struct NoKey;

impl CalleeKey for NoKey {
    fn content() -> Content {
        unreachable!("a kernel with an unknown method does not compile")
    }
}

/// The key of a built-in method of a type: `key!(f32, Sqrt)` if it is primitive, and `key!(u32, [definitions::isqrt])` if it
/// is defined by the device function `definitions::isqrt`. The first generic argument of the definition is the type.
macro_rules! key {
    ($this:ty, [$($defined:ident)::+ $(, $argument:ty)*]) => {
        $crate::definition::DefinedMethod<$($defined)::+<'static, $this $(, $argument)*>>
    };
    ($this:ty, $method:ident) => {
        $crate::definition::MethodKey<{ cumbia_kernel_ir::Method::$method as usize }>
    };
}

/// The primitive method of a key, as for `key!`.
#[cfg(test)]
macro_rules! primitive {
    ([$($defined:tt)*]) => {
        None
    };
    ($method:ident) => {
        Some(cumbia_kernel_ir::Method::$method)
    };
}

pub(crate) use key;
#[cfg(test)]
pub(crate) use primitive;
