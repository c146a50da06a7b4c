//! Rules for unsupported constructs: each states what is rejected, why, and what to write instead.

use std::fmt;

/// A rule. In its texts `{}` is a placeholder for the name of the rejected construct, and `{body}` for the function whose
/// body contains it.
pub(crate) struct Rule {
    what: &'static str,
    why: &'static str,
    help: &'static str,
}

/// The kind of the function whose body an error is about.
#[derive(Clone, Copy, Default)]
pub(crate) enum Body {
    #[default]
    Kernel,
    DeviceFunction,
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Body::Kernel => "a kernel",
            Body::DeviceFunction => "a device function",
        })
    }
}

impl Rule {
    /// Returns the message about a construct in `body`.
    pub(crate) fn text(&self, body: Body) -> String {
        let Rule { what, why, help } = self;
        format!("{what}\nwhy: {why}\nhelp: {help}").replace("{body}", &body.to_string())
    }

    /// Returns the message with each `{}` replaced by `name`.
    pub(crate) fn named(&self, body: Body, name: &dyn fmt::Display) -> String {
        self.text(body).replace("{}", &name.to_string())
    }

    /// Returns the three parts as format strings for `#[diagnostic::on_unimplemented]`, in which rustc substitutes
    /// `{Self}`, with each `{}` replaced by `name`.
    pub(crate) fn formats(&self, body: Body, name: &str) -> [String; 3] {
        let Rule { what, why, help } = self;
        [what, why, help].map(|text| {
            let text = text.replace("{body}", &body.to_string()).replace("{}", name);
            text.replace('{', "{{").replace('}', "}}").replace("{{Self}}", "{Self}")
        })
    }
}

/// Defines the rules. A string literal before a rule starts a section of `docs/limits.md`, which lists all rules.
macro_rules! rules {
    ($($($section:literal:)? $name:ident: $what:literal, why $why:literal, help $help:literal;)*) => {
        $(pub(crate) const $name: Rule = Rule { what: $what, why: $why, help: $help };)*

        /// All rules, each with the section that it starts, if any.
        #[cfg(test)]
        const ALL: &[(Option<&str>, Rule)] = &[$((rules!(@section $($section)?), $name)),*];
    };
    (@section $section:literal) => { Some($section) };
    (@section) => { None };
}

rules! {
    "Expressions":
    CLOSURE: "closures are not supported in {body}",
        why "device code has no closure types",
        help "write the body in place: a `match` for a method of `Option` or `Result`, a `for` loop for an iterator; or call a `#[device]` function";
    ASYNC: "`async` is not supported in {body}",
        why "a GPU thread runs to completion: there is no executor to poll a future",
        help "enqueue a second kernel for the work that follows";
    AWAIT: "`.await` is not supported in {body}",
        why "a GPU thread runs to completion: there is no executor to poll a future",
        help "enqueue a second kernel for the work that follows";
    TRY: "`?` is not supported here",
        why "it returns `None` or an `Err` from the function, which returns nothing",
        help "return an `Option` or a `Result`; in a kernel write `let Some(x) = value else { return };`, or call `unwrap`, which faults on `None` and on an `Err`";
    TRY_BLOCK: "a `try` block is not supported in {body}",
        why "the device compiler has no lowering for it",
        help "move its body into a `#[device]` function that returns an `Option` or a `Result`";
    REFERENCE_IN_OPTION: "a reference in an `Option` or a `Result` is not supported in {body}",
        why "the compiler must know which memory each reference points to, and does not track references inside values",
        help "hold a copy, as in `Some(*r)`, or an index";
    LET_AS_A_VALUE: "`let` is not supported here",
        why "a `let` expression is only allowed in the condition of an `if` or a `while`, alone or joined by `&&`",
        help "write `if let pattern = value { .. }`, or `matches!(value, pattern)` for a `bool`";
    STRING: "strings are not supported in {body}",
        why "device code has no string type",
        help "compute with numbers, and format the results on the host";
    CHAR: "`char` is not supported in {body}",
        why "device code has no character type",
        help "use a `u8` (`b'a'`) or a `u32`";
    HUGE_LITERAL: "this integer literal does not fit in 128 bits",
        why "the widest integer types of a device are `i64` and `u64`",
        help "use a smaller literal, or a floating-point literal";
    WIDE: "integers of 128 bits are not supported in {body}",
        why "the widest integer types of a device are `i64` and `u64`",
        help "compute with two `u64`, or in `f64`";
    UNDERSCORE: "`_` is not a value expression",
        why "it discards a value: it is only allowed in a pattern or on the left of an assignment",
        help "name the value";
    RAW_ADDRESS: "raw pointers are not supported in {body}",
        why "an access through a raw pointer cannot be bounds-checked",
        help "index a slice (`x[i]`), or borrow a place (`&mut x[i]`)";
    BREAK_OUTSIDE: "`{}` outside of a loop",
        why "it ends a loop, or an iteration of one",
        help "write `return`, which ends the thread in a kernel, and a device function with its value";
    RANGE: "a range is only supported in a `for`, an index or a pattern",
        why "ranges are not values in {body}",
        help "write `for i in a..b { .. }`, `&x[a..b]`, `a <= i && i < b`, or `matches!(i, 0..=9)` with constants";
    UNBOUNDED_RANGE: "a `for` in {body} needs a range with a start and an end",
        why "the loop counts from the start of the range to its end",
        help "write `for i in a..b { .. }`, or use `loop` with `break`";
    RANGE_ADAPTER: "`.{}()` is not supported on the range of a `for`",
        why "the supported range adapters are `.rev()` and `.step_by(n)`",
        help "compute from the loop variable: `for i in a..b { .. }`";
    ITERATOR_ADAPTER: "`.{}()` is not supported here",
        why "a `for` in {body} iterates over `.iter()`, `.iter_mut()`, `.windows(n)` or `.chunks(n)`, with `.zip(..)`, `.enumerate()`, `.rev()` or `.copied()`",
        help "loop over the indices: `for i in 0..x.len() { .. x[i] .. }`";
    ENUMERATED_BACKWARDS: "`.enumerate()` after `.rev()` is not supported in {body}",
        why "the count would ascend while the elements are visited in descending order",
        help "write `.enumerate().rev()`, which pairs each element with its own index";
    ITERATOR_METHOD: "`.{}()` is not supported here",
        why "iterators are not values in {body}, and most of their methods take closures, which are not supported on a device",
        help "write a `for` loop; `x.iter().sum::<T>()`, `.product::<T>()` and `.copied().min()`, `.max()` are supported";
    HEAP: "`{}` is not supported in {body}",
        why "a GPU thread cannot allocate heap memory",
        help "use an array (`[0.0; 16]`), a slice parameter (`&mut [f32]`) or shared memory (`shared::<[f32; 256]>()`)";
    CALLEE: "a call in {body} must name a function",
        why "indirect calls are not supported on a device",
        help "call a `#[device]` function by its name";
    RECURSION: "recursion is not supported in {body}",
        why "the stack of a GPU thread is small, and its size is fixed before the launch",
        help "write a loop, with a local array as an explicit stack";
    SHARED_TYPE: "the type of this shared memory is unknown",
        why "it is allocated for the block before the types of the body are inferred",
        help "write its type: `let s = shared::<[f32; 256]>();`, or `let s: &mut [f32; 256] = shared();`";
    SHARED_SLICE: "shared memory of the type of a slice has no size",
        why "it is allocated for the block before the kernel runs",
        help "write the length, `shared::<[f32; 256]>()`; for a length that the launch sets write `dynamic_shared::<f32>()`, and `.shared_bytes(n)` at the launch";
    UNSAFE: "`unsafe` is not supported in {body}",
        why "no operation of a kernel requires it",
        help "remove it; to omit the bounds checks, use `#[kernel(unchecked)]`";
    NESTING: "this expression is nested deeper than 300 levels in {body}",
        why "the compilers of kernels process nested expressions recursively",
        help "assign a part of it to a variable first: `let sum = a + b;`";
    UNKNOWN_EXPRESSION: "this expression is not supported in {body}",
        why "the device compiler has no lowering for it",
        help "express it with arithmetic, indexing, `if`, `match` and loops";
    "Methods":
    // Shown by rustc, which substitutes the receiver's type for `{Self}`.
    METHOD: "method `{}` of `{Self}` is not supported in {body}",
        why "a method exists on the device if its `impl` has `#[device]`, or if it is a supported method of a number, a slice or an array",
        help "add `#[device]` to the `impl` that defines it, or write out what it does; if the `impl` has it, check the spelling";
    ARGUMENT_METHOD: "method `{}` of `{Self}` is not supported in {body}",
        why "a method of a struct of arrays exists on the device if its `impl` has `#[device]`",
        help "add `#[device]` to the `impl` that defines it, with `self` or `&self`";
    ARGUMENT_BORROW_MUT: "a struct of arrays cannot be borrowed mutably in {body}",
        why "its fields are variables of the kernel, not places in memory",
        help "pass it by value: its arrays can be written; return new values of its fields";
    ARGUMENT_DEREF: "`*` of a struct of arrays is not supported in {body}",
        why "a reference to one is a copy of its slices and values, and not an address",
        help "leave out the `*`: the variable can be passed where the struct is expected";
    SLICE_OF_RANGES: "views and slices have no such method in {body}",
        why "ranges are not values on a device; a part of an array is an index expression",
        help "write `&x[a..b]` or `&mut x[a..b]`, for a slice or a view of one dimension; pass parts of other views as arguments: `a.slice(1..3, ..)?` on the host";
    PART_OF_A_VIEW: "this view has no method `{}`",
        why "`row` and `column` are parts of a view of two dimensions, `plane` of three and `volume` of four, each of one dimension less",
        help "take the parts one after another: `a.volume(i).plane(j).row(k)`";
    ASSOCIATED_FUNCTION: "associated function `{}` of `{Self}` is not supported in {body}",
        why "an associated function exists on the device if its `impl` has `#[device]`, or if it is a supported function of a number; one that is derived, as `default`, exists on the host only",
        help "add `#[device]` to the `impl` that defines it, or write out what it does; if the `impl` has it, check the spelling";
    CONVERSION: "method `{}` of `{Self}` is not supported in {body}",
        why "`into` and `try_into` convert between numbers, and the other conversions are methods of `Option` and `Result`; your own `From` is compiled for the host only",
        help "write the conversion as a function in a `#[device] impl`; between numbers write `as` with the target type: `x[i as usize]`";
    OPTION_PLACE: "method `{}` of `{Self}` is not supported in {body}",
        why "it refers to the place of an `Option`, whose layout is unspecified",
        help "read and assign the variable: `let before = x; x = None;`";
    SWIZZLE: "method `{}` of `{Self}` is not supported in {body}",
        why "vectors have `xy`, `zw`, `truncate`, `extend` and `concat`, and no other rearrangements of their components",
        help "write the vector of the components: `Float4::new(v.w, v.z, v.y, v.x)`";
    ELEMENT: "method `{}` is not supported in {body}",
        why "for slices and arrays it returns an `Option` of a reference, and values hold no references",
        help "copy the element: `x.get(i).copied()`, `x.first().copied()`, `x.last().copied()`; or borrow it under a condition: `if i < x.len() { let r = &mut x[i]; .. }`";
    SLICE_OF_A_VIEW: "method `{}` of `{Self}` is not supported in {body}",
        why "views have it, as in `ndarray`; it returns an `Option` of a slice, and values hold no references",
        help "write `view.as_slice().unwrap()` or `.expect(\"..\")`, which faults if the elements are not contiguous; `view.is_standard_layout()` tells whether they are";
    ITERATOR_METHOD_OF: "method `{}` of `{Self}` is not supported in {body}",
        why "iterators are not values in {body}, and most of their methods take closures, which are not supported on a device",
        help "write a `for` loop; `x.iter().sum::<T>()`, `.product::<T>()` and `.copied().min()`, `.max()` are supported";
    HEAP_METHOD: "method `{}` of `{Self}` is not supported in {body}",
        why "a GPU thread cannot allocate heap memory",
        help "use an array of constant size: `[0.0; 16]`";
    SLICE_METHOD: "method `{}` is not supported in {body}",
        why "the standard library's methods of slices and arrays are compiled for the host only",
        help "write a loop over the indices, or use `swap`, `fill`, `reverse`, `sort`, `contains` or `copy_from_slice`; to work on a whole slice, let each thread of a kernel handle one element";
    POWER: "method `{}` of `{Self}` is not supported in {body}",
        why "integers have `pow`, and floating-point numbers have `powi` and `powf`",
        help "write `x.powi(2)` or `x.powf(0.5)` for a float, `n.pow(2)` for an integer";
    CLONE: "method `{}` of `{Self}` is not supported in {body}",
        why "the `Clone` of this type is compiled for the host only, and may do more than copy",
        help "remove the call: a value of a device type is copied on use; to copy through a reference `r` write `*r`";
    LENGTH: "method `{}` of `{Self}` is not supported in {body}",
        why "a slice has one dimension",
        help "write `x.len()`; a view has `.shape()`, `.nrows()` and `.ncols()`";
    "Places":
    INDEX_TYPE: "an index must be a `usize`, not `{}`",
        why "slices and arrays are indexed by `usize`, as in Rust",
        help "write `x[i as usize]`";
    SECOND_INDEX: "`{}` is a slice of scalars and takes one index",
        why "its elements are scalars, which cannot be indexed",
        help "compute the linear index: `x[row * width + column]`, or take an `ArrayView2<f32>`: `x[[row, column]]`";
    FIELD_OF_A_SLICE: "a slice or a view has no field `{}`",
        why "its pointer and its lengths are not fields",
        help "write `x.len()` for the length, and `x[i]` for an element; a view has `.shape()`, `.nrows()` and `.ncols()`";
    ASSIGN_TO_SLICE: "cannot assign to an element of `{}`, which is a `&[_]` slice",
        why "the elements of a shared slice are read-only",
        help "declare the parameter as `&mut [_]`";
    ASSIGN_TO_REFERENCE: "cannot assign through `{}`, which is a `&` reference",
        why "the referent of a shared reference is read-only",
        help "declare the parameter as a `&mut` reference";
    ASSIGN_TO_ARGUMENT: "cannot assign through `{}`, which is a reference to a struct of arrays",
        why "the arrays of a struct behind a shared reference are read-only",
        help "take the struct by value, as in `particles: Particles<'_>`, in a method `self`";
    ASSIGN_TO_VIEW: "cannot assign to an element of `{}`, which is an `ArrayView`",
        why "the elements of an `ArrayView` are read-only",
        help "declare the parameter as an `ArrayViewMut` with as many dimensions";
    ASSIGN_TO_PART: "cannot assign to an element of `{}(..)`, which is an `ArrayView`",
        why "`{}` returns a read-only view, even of an `ArrayViewMut`",
        help "write `{}_mut(..)`, on an `ArrayViewMut`";
    ASSIGN_PLACE: "cannot assign to this expression in {body}",
        why "it is not a place expression: a variable, an element, a dereferenced `&mut`, or a field of one of these",
        help "assign to a variable or to `y[i]`";
    CHANGED_REFERENCE: "a compound assignment cannot be applied to a reference",
        why "it modifies the referent, not the reference, as in Rust",
        help "dereference it: `*r += 1.0`";
    "Statements and patterns":
    PATTERN: "this pattern is not supported in {body}",
        why "the device compiler has no lowering for it",
        help "use names, `_`, literals, ranges, constants, `|`, and tuples, structs and arrays of these";
    REF_BINDING: "`ref` bindings are not supported in {body}",
        why "a pattern binds copies of the parts of a value",
        help "remove `ref`, or borrow the part: `let r = &mut p.x;`";
    REFERENCE_PATTERN: "a `&` pattern is only supported where the whole matched value is a reference",
        why "device types contain no references",
        help "remove the `&`, or match the referent: `match *r { .. }`; copy an element: `x.get(i).copied()`, `for &v in view.iter()`";
    MATCHED_REFERENCE: "this pattern of a reference is not supported in {body}",
        why "its variables would become references to fields, and the macro runs before types are known",
        help "match the referent: `match *r { .. }`, `let Point { x, y } = *r;`";
    MUTABLE_PAYLOAD: "a part of a variant cannot be borrowed as `&mut` in {body}",
        why "a pattern copies the payload of a variant",
        help "assign the whole value: `*r = match *r { Shape::Circle(x) => Shape::Circle(2.0 * x), other => other };`";
    REST_IN_THE_MIDDLE: "`..` is only supported at the end of this pattern",
        why "the macro does not know the number of fields that it skips",
        help "write `_` for each field that is skipped";
    REST_OF_AN_ARRAY: "`..` is only supported at the end of an array pattern, and without a binding",
        why "the macro does not know the number of elements that it skips",
        help "write `_` for each element that is skipped, or index the array";
    FOR_PATTERN: "the variable of a loop over a range must be an identifier",
        why "a range yields single integers",
        help "write `for i in a..b { .. }`";
    FOR_REFERENCES: "this pattern of a reference is not supported in {body}",
        why "its variables would become references to fields, and the macro runs before types are known",
        help "destructure copies: `for &Point { x, y } in points.iter() { .. }`";
    FOR_PAIRS: "this loop yields one element at a time, not pairs",
        why "the layout of a tuple is unspecified, so that no array has tuples as elements",
        help "for the index as well write `for (i, v) in x.iter().enumerate() { .. }`; for two arrays `for (a, b) in x.iter().zip(y.iter()) { .. }`";
    ENUMERATE_PATTERN: "a loop over `.enumerate()` needs a variable for the index and one for the element",
        why "a single variable would be a tuple that holds a reference, which is not supported",
        help "write `for (i, v) in x.iter().enumerate() { .. }`";
    PAIR_PATTERN: "a loop over `.zip(..)` needs a variable for each of the two items",
        why "a single variable would be a tuple that holds references, which is not supported",
        help "write `for (a, b) in x.iter().zip(y.iter()) { .. }`";
    REVERSED_PART: "`.rev()` is only supported at the end of the chain here",
        why "all iterators of the loop share one counter, so that only the whole loop can be reversed",
        help "write `x.iter().zip(y.iter()).rev()`, or loop over the indices";
    UNINITIALISED_PATTERN: "a `let` without a value must declare a single variable",
        why "a pattern destructures a value, and there is none yet",
        help "declare each variable with `let x;`, or give the pattern a value: `let (a, b) = ..;`";
    ITEM: "items are not supported in {body}",
        why "the only items supported in a body are `const`, `use` and `type`",
        help "move it to the enclosing module; a function becomes a `#[device]` function, and the data of a `static` an argument of the kernel";
    HIDDEN_VARIABLE: "the item `{}` shadows a variable of the function",
        why "in Rust an item of a block shadows the variables of the enclosing blocks, and a macro cannot tell whether it is a value",
        help "rename it: `use limits::n as limit;`";
    ATTRIBUTE: "attributes are not supported in the body of {body}",
        why "they would have no effect in the device code",
        help "remove the attribute";
    UNROLL: "`#[unroll]` takes no argument, or an unroll factor of at least 1",
        why "the unroll factor must be known at compile time",
        help "write `#[unroll]` to unroll completely, `#[unroll(4)]` for a factor of 4, `#[unroll(1)]` to prevent unrolling";
    UNROLL_PLACE: "`#[unroll]` is only supported on a loop",
        why "it controls how a loop is compiled",
        help "put it before `for`, `while` or `loop`";
    "Macros":
    MACRO: "macro `{}!` is not supported in {body}",
        why "the attribute macro sees the body before other macros are expanded",
        help "write out what it does, or call a `#[device]` function";
    OPERATOR: "`device_fn!` is not supported in {body}",
        why "a value of `device_fn!` is created by the host",
        help "write a struct with `#[device] impl Function1<..>`, or take the operator as an argument of a generic kernel, `fn kernel<F: Function1<f32>>(f: F, ..)`, which the host calls with a `device_fn!`";
    PRINT: "`{}!` is not supported in {body}",
        why "device code prints to the standard output of the host only",
        help "use `println!` or `print!`";
    MESSAGE: "the first argument of a message must be a string literal",
        why "device code has no string type: the format string is compiled into the program",
        help "write `panic!(\"negative mass of {}\", m)`";
    FORMAT_BRACES: "unmatched `{` or `}` in the format string",
        why "braces delimit a format argument",
        help "write `{}` for an argument, `{{` and `}}` for literal braces";
    FORMAT_WIDTH: "a width or precision from an argument is not supported in {body}",
        why "values are formatted on the host, from the format string alone",
        help "write the number into the format string: `{:8.3}`";
    FORMAT_NAME: "`{}` is neither an identifier nor a position",
        why "a format string refers to variables and positions, not to expressions",
        help "pass the expression as an argument: `println!(\"{0}\", a + b)`";
    FORMAT_UNUSED: "the format string does not use this argument",
        why "each argument is printed where the format string has a `{}` for it",
        help "write `{}` into the format string, or remove the argument";
    ASSERT: "`assert!` needs a condition",
        why "its first argument is the condition to check",
        help "write `assert!(i < x.len())`";
    ASSERT_COMPARE: "this assertion takes two values",
        why "it compares them, and reports both if the assertion fails",
        help "write `assert_eq!(a, b)`";
    "Signatures":
    KERNEL_RESULT: "a kernel cannot return a value",
        why "each of its threads would return one",
        help "write the result to a `&mut [_]` parameter";
    SELF: "`self` is not supported here",
        why "a kernel is a free function, not a method",
        help "for a device function put `#[device]` on the whole `impl`; pass the value to a kernel as a parameter";
    PARAMETER_PATTERN: "a parameter of a kernel or device function must be an identifier",
        why "each parameter becomes a named parameter of the emitted function",
        help "name the parameter, and destructure it with `let`";
    PARAMETER_TYPE: "a parameter of type `{}` is not supported",
        why "a parameter is a value with the same layout on host and device, or refers to device memory that holds such values",
        help "use a number, `bool`, a type with `#[derive(DeviceType)]`, an array of them, `&[T]`, `&mut [T]` or a view";
    REFERENCES_IN_MEMORY: "a slice of references, `{}`, is not supported",
        why "its elements would be addresses of the host, which a device cannot dereference",
        help "take an array of slices, `[&[T]; N]`, or one slice with all elements and another with the index of each first one";
    SLICES_OF_SLICES: "a slice of slices, `{}`, is not supported",
        why "a slice has no size, so that there are no slices of them, in Rust as on a device",
        help "take an `ArrayView2<f32>`, which is indexed by `x[[row, column]]`, or rows of a constant length, `&[[f32; 3]]`";
    TRAIT_OBJECT: "a trait object, `{}`, is not supported",
        why "its methods would be called through a table of addresses on the host",
        help "write an enum with a variant for each type and match on it, or a type parameter with the trait as its bound";
    IMPL_PARAMETER: "a parameter of type `{}` is not supported",
        why "the emitted function names its type",
        help "declare a type parameter: `fn area<S: Shape>(s: S)`";
    CLOSURE_PARAMETER: "a closure parameter, `{}`, is not supported",
        why "device code has no closure types: a closure's captures have no defined layout, and its body is compiled for the host only",
        help "write a `#[device] trait` with the function, a type parameter with that bound, and a `#[device] impl` for a struct that holds the captures";
    REFERENCE_PARAMETER: "a kernel cannot take a reference to a single value",
        why "arguments are copied to the device, which cannot dereference host memory",
        help "take it by value: `{}`; to modify it, declare a `&mut [_]`, which a `DeviceArray` is passed to";
    ARRAY_PARAMETER: "a kernel cannot take `{}`",
        why "a kernel accesses memory through a slice; the array that owns the memory stays on the host",
        help "declare a slice: `&[T]` to read, `&mut [T]` to write; at the launch pass `&x` or `&mut x`";
    OPTION_IN_MEMORY: "`{}` has no layout in device memory",
        why "the layout of `Option` and `Result` is unspecified: they are values of variables, parameters and results only",
        help "in a device function take it by value; in memory use an enum of your own: `#[repr(u32)] enum Found { Nothing, At(u32) }`";
    VIEW_REFERENCE: "a reference to a view is not supported",
        why "a view is a reference already",
        help "take the view by value: `{}`";
    ARGUMENT_REFERENCE: "a kernel cannot take a reference to `{}`",
        why "the launch holds the borrows of its arrays, and the host's struct is not accessible on the device",
        help "take it by value: `{}`; to launch it again, pass `particles.reborrow()`";
    ARGUMENT_REFERENCE_MUT: "a mutable reference to `{}` is not supported",
        why "its fields are variables of the kernel, not places in memory; the arrays themselves can be written without one",
        help "take it by value: `{}`, and return new values of its fields";
    ARGUMENT_RECEIVER: "`&mut self` is not supported for `{}`",
        why "its fields are variables of the kernel, not places in memory; the arrays themselves can be written without it",
        help "take `self` to write the arrays, or `&self` to read them";
    RESULT_TYPE: "a result of type `{}` is not supported",
        why "a device function returns a value: a number, `bool`, an enum, or a struct, array or tuple of them",
        help "return such a value, or write to a `&mut` parameter";
    UNBOUNDED_TYPE: "the type parameter `{}` has no bound",
        why "an unbounded type parameter admits types that do not exist on a device",
        help "write `{}: Float` or `{}: Number` for arithmetic, `{}: DeviceType` for values that are only copied";
    LIFETIME: "lifetimes are not supported in a kernel or device function",
        why "all references are valid for the duration of the launch",
        help "remove the lifetime";
    LIFETIME_OF_ARGUMENT: "lifetimes are not supported in a kernel or device function",
        why "all arrays are borrowed for the duration of the launch",
        help "remove it here, and write `{}` for the type of the parameter";
    ASYNC_FN: "a kernel or device function cannot be `async`",
        why "a GPU thread runs to completion",
        help "remove `async`; a launch on a GPU is asynchronous anyway";
    UNSAFE_FN: "a kernel or device function cannot be declared `unsafe`",
        why "only the launch of a kernel can be unsafe",
        help "remove `unsafe`; `#[kernel(unchecked)]` makes `.launch()` unsafe";
    CONST_FN: "a kernel or device function cannot be `const`",
        why "it is executed on a device, not evaluated at compile time",
        help "remove `const`";
    EXTERN_FN: "a kernel or device function cannot be `extern`",
        why "no other language can call it",
        help "remove `extern`";
    VARIADIC: "a kernel or device function cannot be variadic",
        why "the number and the types of its parameters are fixed at compile time",
        help "take a slice";
    RECEIVER: "this kind of `self` is not supported on a device",
        why "a device method takes its receiver by value or by reference",
        help "write `self`, `&self` or `&mut self`";
    "`device_fn!`":
    OPERATOR_SYNTAX: "`device_fn!` takes a function in the syntax of a closure, with a block as its body",
        why "it expands to a struct that holds the captures, and a `#[device] impl` with the body",
        help "write `device_fn!(|a: f32| -> f32 { 2.0 * a })`, with captures `device_fn!([scale: f32] |a: f32| -> f32 { scale * a })`";
    OPERATOR_PARAMETER: "the parameter `{}` has no type",
        why "the function is compiled for the device before rustc infers types",
        help "write its type: `|{}: f32|`";
    OPERATOR_REFERENCE: "a parameter of `device_fn!` cannot be a reference",
        why "algorithms pass their elements by value",
        help "take the value: `|a: f32|`";
    OPERATOR_RESULT: "the function has no result type",
        why "it is compiled for the device before rustc infers types",
        help "write it after the parameters, and the body in braces: `|a: f32| -> f32 { 2.0 * a }`";
    OPERATOR_ARITY: "a function of `device_fn!` has one to three parameters",
        why "algorithms call it with an element of each of one to three arrays",
        help "write `|a: f32| -> f32 { .. }`, with a struct for more values";
    OPERATOR_COMMUTATIVE: "only a function of two parameters is `commutative`",
        why "commutativity concerns the order of two operands",
        help "remove `commutative`";
    OPERATOR_GENERICS: "a function of `device_fn!` has no type parameters",
        why "its value has one type, like that of a closure",
        help "write a struct with `#[derive(Clone, Copy, DeviceType)]`, and a generic `#[device] impl` of `Function1` for it";
    UNCAPTURED: "`{}` is not a parameter, a capture or a variable of this function",
        why "device code cannot read the variables of the function around it",
        help "list it before the parameters, with its type: `[{}: f32]`";
    CAPTURED_SELF: "`self` is not available in a function of `device_fn!`",
        why "device code cannot read the variables of the function around it",
        help "capture a part of it, with its type: `[scale: f32 = self.scale]`";
    CAPTURE_TYPE: "the capture `{}` has no type",
        why "it becomes a field of a struct",
        help "write its type: `[{}: f32]`";
    CAPTURED_REFERENCE: "the capture `{}` cannot be a reference",
        why "captures are copied to the device, which cannot dereference host memory",
        help "capture the value: `[{}: f32]`, or `[{}: f32 = *{}]` if the variable is a reference; an array is an input of the algorithm";
    "Options":
    UNKNOWN_OPTION: "`{}` is not an option of `#[kernel]`",
        why "the options are `unchecked`, `prove`, `fmad`, `fast_math`, `max_registers`, `launch_bounds`, `block`, `index` and `coarsen`",
        help "remove it, or use one of these; the documentation of `#[kernel]` describes them";
    DEVICE_OPTION: "`#[device]` has no such option",
        why "a device function is compiled with the options of the kernel that calls it",
        help "put the option on the kernel; the options of `#[device]` on a function are a body in CUDA C++, `unsafe(cuda = \"..\")`, and a linked file, `unsafe(link = \"..\")`";
    DEVICE_OPTION_OF_AN_ITEM: "`#[device]` on an `impl` or a `trait` takes no options",
        why "functions are compiled with the options of the kernel that calls them, and a body in CUDA C++ or a linked file belongs to a single function",
        help "write `#[device]`; put `#[device(unsafe(cuda = \"..\"))]` on the method, and other options on the kernel";
    OPTION_TWICE: "the option `{}` is given twice",
        why "the second would override the first",
        help "remove one of them";
    FLAG_OPTION: "the option `{}` takes no value",
        why "naming the option enables it",
        help "write `#[kernel({})]`";
    BOOLEAN_OPTION: "the option `{}` takes `true` or `false`",
        why "it enables or disables a feature",
        help "write `#[kernel({} = false)]`";
    MAX_REGISTERS: "`max_registers` takes an integer from 16 to 255",
        why "a thread has at most 255 registers, and the compiler needs at least 16",
        help "write a literal: `#[kernel(max_registers = 64)]`";
    LAUNCH_BOUNDS: "`launch_bounds` takes `(threads)` or `(threads, min_blocks)`",
        why "a block has 1 to 1024 threads, and a multiprocessor has 1 to 32 resident blocks",
        help "write literals: `#[kernel(launch_bounds(256, 2))]`";
    BLOCK: "`block` takes one to three integers: at most 1024 threads, and at most 64 along z",
        why "CUDA limits the size of a block",
        help "write literals or constants: `#[kernel(block = 256)]`, `#[kernel(block = (TILE, TILE))]`";
    BLOCK_ABOVE_BOUNDS: "the block has more threads than `launch_bounds` allows",
        why "such a kernel could never be launched",
        help "raise the bound, or remove it: `block` implies it";
    PROVE_UNCHECKED: "`prove` contradicts `unchecked`",
        why "an unchecked kernel has no bounds checks to prove",
        help "remove one of them";
    COARSEN: "`coarsen` takes `false`, or a coarsening factor from 1 to 16",
        why "the factor is the number of the kernel's threads that one CUDA thread executes, and each needs registers of its own",
        help "write `#[kernel(coarsen = 4)]` or `#[kernel(coarsen = false)]`; without the option, Cumbia picks the factor at each launch";
    INDEX: "`index` takes `u32` or `usize`",
        why "an index is 32 or 64 bits wide on a device",
        help "write `#[kernel(index = u32)]`, or remove the option";
    CUDA_TEXT: "a body in CUDA C++ must be a string literal",
        why "the macro reads the text before constants are evaluated and macros are expanded",
        help "write the text itself: `#[device(unsafe(cuda = \"return __brev(x);\"))]`, or `r#\"..\"#` for several lines";
    CUDA_IS_UNSAFE: "a body in CUDA C++ is `unsafe`",
        why "the compiler cannot verify that it accesses only its parameters and agrees with the Rust body",
        help "write `#[device(unsafe(cuda = \"..\"))]` to assert that it does";
    LINKED_FILE: "`link` takes the path of a file",
        why "the file becomes a part of the executable, as by `include_bytes!`",
        help "write a string literal, relative to this source file: `#[device(unsafe(link = \"filter.ptx\"))]`; `concat!(env!(\"OUT_DIR\"), \"/filter.ptx\")`; or several of these in brackets";
    LINKED_KIND: "`{}` is not the path of a file that can be linked",
        why "the extension states what the file contains",
        help "use the extension `cu` for CUDA C++, `ptx`, `cubin`, `fatbin`, `o` or `obj` for an object, `a` or `lib` for a library";
    LINKED_SYMBOL: "`symbol` takes the name of a function in the linked file",
        why "the function is found by its symbol, which with C linkage is its name",
        help "write an identifier, `symbol = \"filter_row\"`, and define `extern \"C\" __device__ float filter_row(..)` in the file; without the option, it is the name of the Rust function";
    LINKED_IS_UNSAFE: "a linked function is `unsafe`",
        why "the compiler cannot verify that it has this signature, accesses only its parameters and agrees with the Rust body",
        help "write `#[device(unsafe(link = \"..\"))]` to assert that it does";
    LINKED_GENERIC: "a linked function cannot be generic",
        why "the file defines the function for one choice of types",
        help "declare a function for each type, and call these in the methods of a `#[device]` trait";
    LINKED_OR_CUDA: "the option `{}` contradicts an earlier one",
        why "the function is defined in a linked file or has a body in CUDA C++",
        help "keep `cuda`, or `link` and `symbol`";
    "Items under `#[device]`":
    DEVICE_ITEM: "`#[device]` applies to a function, an `impl` or a `trait`",
        why "these define the functions that a kernel can call",
        help "for a function of a trait write it before the trait; for a struct or an enum write `#[derive(Clone, Copy, DeviceType)]`, and `#[device(PartialEq)]` for its `==`";
    NOT_COMPARED: "`#[device(..)]` on a type derives only `PartialEq` and `PartialOrd`",
        why "it derives the comparison operators for the host and the device together",
        help "write `#[device(PartialEq, PartialOrd)]`, and put other traits in `#[derive(..)]`";
    KERNEL_IN_IMPL: "a kernel cannot be defined in an `impl` or a trait",
        why "`#[kernel]` declares a type of the kernel's name, which these cannot contain",
        help "move the function out of it, and take what it needs of `Self` as parameters; an `impl` with `#[device]` defines functions that kernels call";
    METHOD_ALONE: "a method cannot be compiled for devices on its own",
        why "its signature depends on the enclosing `impl`",
        help "put `#[device]` on the whole `impl`";
    FOREIGN_TRAIT: "`{}` cannot be implemented for devices",
        why "it is a trait of the standard library, which cannot carry device implementations of its methods",
        help "implement it without `#[device]`, and add an inherent method for kernels: `#[device] impl Type { .. }`";
    REFERENCE_IMPL: "an `impl` for a reference type is not supported on devices",
        why "device types are `Copy`, and operators take their operands by value",
        help "implement the trait for the type itself, with operands by value: `impl Add for Complex { .. }`";
    ARGUMENT_TRAIT: "`{}` cannot implement a trait on devices",
        why "a struct of arrays has no layout in device memory, which the methods of a `#[device]` trait require",
        help "write the methods in an `impl` without a trait: `#[device] impl {} { .. }`";
    NE: "`ne` cannot be overridden on devices",
        why "`!=` is compiled as the negation of `==`",
        help "remove it: `PartialEq` provides it";
    DEVICE_MACRO: "macros are not expanded in a `#[device]` `impl` or `trait`",
        why "the attribute sees the item before they are expanded, and their functions would be missing on the device",
        help "write out the functions, or put them into an `impl` without `#[device]`";
    FOREIGN_ARGUMENT: "a function with a body in CUDA C++ cannot take `{}`",
        why "its Rust body takes the arrays of the host, and those of a struct, a tuple or an array have no such form",
        help "take each slice as a parameter of its own, and pass the parts: `f(p.x, p.y)`";
    ARGUMENT_LIFETIME: "the lifetime of a parameter's type has no name",
        why "all arrays are borrowed for the duration of the launch",
        help "write `{}`";
    "`#[derive(KernelArgument)]`":
    ARGUMENT_ITEM: "`KernelArgument` cannot be derived for `{}`, which is no struct",
        why "each field is passed to the kernel as a parameter",
        help "derive it for a struct; for an enum or a union of values derive `DeviceType`";
    ARGUMENT_OF_VALUES: "`{}` has no lifetime, so that it borrows no arrays",
        why "`KernelArgument` is for structs of arrays and views, which are borrowed from the host for a launch",
        help "derive `DeviceType` for a struct of values, with `Clone` and `Copy`; for arrays declare a lifetime: `struct Arrays<'a> { x: DeviceSlice<'a, f32> }`";
    ARGUMENT_LIFETIMES: "`{}` has a second lifetime",
        why "all arrays of an argument are borrowed until the launch",
        help "use one lifetime for all fields";
    ARGUMENT_HOST_SLICE: "a field of an argument cannot be a slice of the host",
        why "a kernel reads memory of its device",
        help "write `DeviceSlice<'a, {}>`, which is a `&[{}]` in the kernel";
    ARGUMENT_HOST_SLICE_MUT: "a field of an argument cannot be a slice of the host",
        why "a kernel writes memory of its device",
        help "write `DeviceSliceMut<'a, {}>`, which is a `&mut [{}]` in the kernel";
    ARGUMENT_HEAP: "a field of an argument cannot be of type `{}`",
        why "the device receives a copy of the value, without the heap memory that it owns",
        help "copy the elements to a `DeviceArray`, and use a `DeviceSlice` of it";
    ARGUMENT_OWNED_ARRAY: "a field of an argument cannot own an array",
        why "the host keeps the array, and the argument borrows it for a launch",
        help "write `DeviceSlice<'a, {}>` or `DeviceSliceMut<'a, {}>`, and pass `x.as_slice()` or `x.as_slice_mut()`";
    ARGUMENT_TUPLE: "a field of an argument cannot be a tuple",
        why "the layout of a tuple of values is unspecified, and the parts of one of arrays have no names for messages",
        help "use a field for each part";
    "`#[derive(DeviceType)]`":
    UNION: "a union cannot be a device type",
        why "its active field is unknown, so that a read could yield an invalid value",
        help "use a struct, and convert with `to_bits` and `from_bits`";
    ENUM_LAYOUT: "the enum `{}` has data, but no defined layout",
        why "the host and the device share its values, and without a `#[repr(..)]` the layout of such an enum is unspecified",
        help "write `#[repr(u32)]` or `#[repr(C)]` before it";
    EMPTY_ENUM: "`{}` has no variants",
        why "an uninhabited type has no values to store in device memory",
        help "add a variant";
    ENUM_OF_ONE: "`{}` has a single variant and is zero-sized",
        why "device memory holds values of at least one byte",
        help "specify an integer representation: `#[repr(u8)]`";
    PACKED: "`#[repr(packed)]` is not supported on a device",
        why "a GPU requires naturally aligned memory accesses",
        help "use `#[repr(C)]`, and `cumbia::unaligned::Unaligned<f32>` for each field that is not aligned: such a field has no padding";
    BORROWED_FIELD: "a device type cannot contain references",
        why "the device receives a copy of the value, and cannot dereference host memory",
        help "store the values themselves; for a struct of arrays as an argument of kernels derive `KernelArgument`";
    HEAP_FIELD: "a device type cannot contain `{}`",
        why "the device receives a copy of the value, without the heap memory that it owns",
        help "use an array of constant size, or pass a slice to the kernel as a separate parameter";
    POINTER_FIELD: "a device type cannot contain raw pointers",
        why "an access through one could not be checked, and host memory is not accessible on the device",
        help "store an index into a slice that the kernel takes";
    FUNCTION_FIELD: "a device type cannot contain function pointers",
        why "indirect calls are not supported on a device",
        help "use an enum, and `match` on it; or a type parameter with a `#[device]` trait";
    TUPLE_FIELD: "a device type cannot contain tuples",
        why "the layout of a tuple is unspecified",
        help "use a field for each part, or a struct";
}

#[cfg(test)]
mod tests;
