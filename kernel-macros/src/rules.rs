//! What a kernel cannot do: what is refused, why, and what to write instead.

use std::fmt;

/// A rule. `{}` in its texts stands for the name of what is refused.
pub(crate) struct Rule {
    what: &'static str,
    why: &'static str,
    help: &'static str,
}

impl Rule {
    /// The message, with `name` for each `{}`.
    pub(crate) fn named(&self, name: &dyn fmt::Display) -> String {
        self.to_string().replace("{}", &name.to_string())
    }

    /// What, why and help as the formats of a diagnostic of rustc's, which knows what `{Self}` is; with `name` for each `{}`.
    pub(crate) fn formats(&self, name: &str) -> [String; 3] {
        let Rule { what, why, help } = self;
        [what, why, help].map(|text| {
            let text = text.replace("{}", name).replace('{', "{{").replace('}', "}}");
            text.replace("{{Self}}", "{Self}")
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { what, why, help } = self;
        write!(f, "{what}\nwhy: {why}\nhelp: {help}")
    }
}

/// Defines rules. A text before a rule begins a section of `docs/limits.md`, which lists them all.
macro_rules! rules {
    ($($($section:literal:)? $name:ident: $what:literal, why $why:literal, help $help:literal;)*) => {
        $(pub(crate) const $name: Rule = Rule { what: $what, why: $why, help: $help };)*

        /// All rules, each with the section that it begins.
        #[cfg(test)]
        const ALL: &[(Option<&str>, Rule)] = &[$((rules!(@section $($section)?), $name)),*];
    };
    (@section $section:literal) => { Some($section) };
    (@section) => { None };
}

rules! {
    "Expressions":
    CLOSURE: "closures are not supported in a kernel",
        why "a GPU thread cannot call through a captured environment",
        help "move the body into a `#[device]` function";
    ASYNC: "`async` is not supported in a kernel",
        why "a GPU thread runs from its start to its end, there is nobody to poll it",
        help "launch a second kernel for what comes after";
    AWAIT: "`.await` is not supported in a kernel",
        why "a GPU thread runs from its start to its end, there is nobody to poll it",
        help "launch a second kernel for what comes after";
    TRY: "`?` is not supported in a kernel",
        why "a GPU thread has no `Result` to return: a failure ends the thread and the launch reports it",
        help "use `assert!` or `panic!`, or write a status into an array";
    LET_AS_A_VALUE: "`let` is not supported here",
        why "it has no value: it is a condition of `if` or `while`, or one of several with `&&` between them",
        help "write `if let pattern = value { .. }`, or `matches!(value, pattern)` for a `bool`";
    STRING: "text is not supported in a kernel",
        why "a GPU thread has no strings",
        help "compute with numbers, and make text of the results on the host";
    CHAR: "`char` is not supported in a kernel",
        why "a GPU thread has no text",
        help "use a `u8` (`b'a'`) or a `u32`";
    HUGE_LITERAL: "this number has more than 128 bits",
        why "the largest integers of a kernel have 64",
        help "use a smaller number, or a float";
    UNDERSCORE: "`_` is not a value",
        why "it stands for what is not wanted: in a pattern, or on the left of an assignment",
        help "name the value";
    RAW_ADDRESS: "raw pointers are not supported in a kernel",
        why "an access through one could not be checked",
        help "index a slice: `x[i]`, or borrow: `&mut x[i]`";
    RANGE: "a range is only supported in a `for`, an index or a pattern",
        why "a kernel has no range values",
        help "write `for i in a..b { .. }`, `&x[a..b]` or `matches!(i, 0..=9)`";
    UNBOUNDED_RANGE: "a `for` in a kernel needs a range with a start and an end",
        why "a GPU thread has to end",
        help "write `for i in a..b { .. }`, or use `loop` with `break`";
    RANGE_ADAPTER: "`.{}()` is not supported on the range of a `for`",
        why "of the adapters of ranges `.rev()` and `.step_by(n)` are compiled",
        help "compute from the counter: `for i in a..b { .. }`";
    ITERATOR_ADAPTER: "`.{}()` is not supported here",
        why "a `for` in a kernel goes through `.iter()` or `.iter_mut()`, with `.enumerate()`, `.rev()` or `.copied()`",
        help "count through the indices: `for i in 0..x.len() { .. x[i] .. }`";
    ENUMERATED_BACKWARDS: "`.enumerate()` behind `.rev()` is not supported in a kernel",
        why "the positions would count up while the elements go back",
        help "write `.enumerate().rev()`, where each element has its own position";
    ITERATOR_METHOD: "`.{}()` is only supported in a `for` in a kernel",
        why "the adapters of iterators take closures, which a GPU thread cannot call",
        help "write a loop: `for v in x.iter() { .. }`, `for i in 0..x.len() { .. x[i] .. }`";
    HEAP: "`{}` is not supported in a kernel",
        why "a GPU thread cannot allocate memory",
        help "use an array (`[0.0; 16]`), a slice parameter (`&mut [f32]`) or shared memory (`shared::<[f32; 256]>()`)";
    CALLEE: "only a function's name can be called in a kernel",
        why "a GPU thread cannot call through a value",
        help "call a `#[device]` function by its name";
    RECURSION: "recursion is not supported in a kernel",
        why "the stack of a GPU thread is small and its size is fixed before the launch",
        help "write a loop, with an array for what the recursion would keep";
    GRID_DIMENSION: "`{}` takes 1, 2 or 3, as a literal",
        why "the number of dimensions decides the type of the result",
        help "write `grid(1)` for a number, `grid(2)` for `(x, y)`, `grid(3)` for `(x, y, z)`";
    UNSAFE: "`unsafe` is not supported in a kernel",
        why "there is nothing in a kernel that needs it",
        help "remove it; to leave out the checks of indices, use `#[kernel(unchecked)]`";
    UNKNOWN_EXPRESSION: "this expression is not supported in a kernel",
        why "the device compiler does not know it",
        help "write it with arithmetic, indexing, `if`, `match` and loops";
    "Methods":
    // rustc shows these, of the type that it calls `{Self}`
    METHOD: "method `{}` of `{Self}` is not supported in a kernel",
        why "a method runs on the device if it is in a `#[device] impl`, or one of a number, a slice or an array that the device has",
        help "put `#[device]` on the `impl` that it is in, or write it out";
    ASSOCIATED_FUNCTION: "function `{}` of `{Self}` is not supported in a kernel",
        why "a function runs on the device if it is in a `#[device] impl`, or one of a number that the device has",
        help "put `#[device]` on the `impl` that it is in, or write it out";
    CONVERSION: "method `{}` of `{Self}` is not supported in a kernel",
        why "a GPU thread has no `Option` and no `Result`, and `into` does not tell what it converts to",
        help "use `as`, which says the type: `x[i as usize]`";
    ITERATOR_METHOD_OF: "method `{}` of `{Self}` is not supported in a kernel",
        why "iterators are only supported in a `for`",
        help "write a loop: `for v in x.iter() { .. }`, `for i in 0..x.len() { .. x[i] .. }`";
    HEAP_METHOD: "method `{}` of `{Self}` is not supported in a kernel",
        why "a GPU thread cannot allocate memory",
        help "use an array of a fixed size: `[0.0; 16]`";
    POWER: "method `{}` of `{Self}` is not supported in a kernel",
        why "each kind of number has its own power: an integer's is `pow`, and a float's are `powi` and `powf`",
        help "write `x.powi(2)` or `x.powf(0.5)` of a float, `n.pow(2)` of an integer";
    CLONE: "method `{}` of `{Self}` is not supported in a kernel",
        why "the `Clone` of this type is compiled for the host only, and may be more than a copy",
        help "leave it out: a value of a device type is copied where it is used; of a reference `r` write `*r`";
    LENGTH: "method `{}` of `{Self}` is not supported in a kernel",
        why "a slice has one length",
        help "write `x.len()`; a view has `.shape()`, `.nrows()` and `.ncols()`";
    "Places":
    INDEX_TYPE: "an index is a `usize`, not a `{}`",
        why "an array can be larger than other integers can count",
        help "write `x[i as usize]`";
    SECOND_INDEX: "`{}` is a slice of numbers: it has one index",
        why "an element of it is a number, which cannot be indexed",
        help "compute the position: `x[row * width + column]`, or take an `ArrayView2<f32>`: `x[[row, column]]`";
    FIELD_OF_A_SLICE: "a slice has no field `{}`",
        why "it is a pointer and a length",
        help "write `x.len()` for its length, and `x[i]` for an element";
    ASSIGN_TO_SLICE: "`{}` is a `&[_]`: its elements cannot be assigned to",
        why "the function promises not to change what is behind a `&[_]` parameter",
        help "make the parameter a `&mut [_]`";
    ASSIGN_TO_REFERENCE: "`{}` is a `&` reference: what it leads to cannot be assigned to",
        why "the function promises not to change what is behind a `&` parameter",
        help "make the parameter a `&mut` one";
    ASSIGN_TO_VIEW: "`{}` is an `ArrayView`: its elements cannot be assigned to",
        why "the function promises not to change the array behind such a parameter",
        help "make the parameter an `ArrayViewMut` of as many dimensions";
    ASSIGN_PLACE: "cannot assign to this expression in a kernel",
        why "it is no place: those are variables, elements, what a `&mut` leads to, and fields of these",
        help "assign to a variable or to `y[i]`";
    CHANGED_REFERENCE: "a reference cannot be changed by an operator",
        why "what it leads to can",
        help "write `*` before it: `*r += 1.0`";
    "Statements and patterns":
    PATTERN: "this pattern is not supported in a kernel",
        why "the device compiler does not know it",
        help "use names, `_`, literals, ranges, constants, `|`, and tuples, structs and arrays of these";
    REF_BINDING: "`ref` is not supported in a kernel",
        why "a pattern takes copies of the parts of a value",
        help "leave it out, or borrow the part: `let r = &mut p.x;`";
    REFERENCE_PATTERN: "`&` in a pattern is only supported for what is a reference as a whole",
        why "the values of a kernel hold no references",
        help "leave it out, or match what the reference leads to: `match *r { .. }`";
    MATCHED_REFERENCE: "a reference cannot be taken apart in a kernel",
        why "in Rust the variables of this pattern would be references themselves",
        help "match what it leads to: `match *r { .. }`, `let Point { x, y } = *r;`";
    REST_IN_THE_MIDDLE: "`..` is only supported at the end of this pattern",
        why "how many parts it stands for is not known where the pattern is compiled",
        help "write `_` for each part that is left out";
    REST_OF_AN_ARRAY: "`..` is only supported at the end of the pattern of an array, and without a name",
        why "how many elements it stands for is not known where the pattern is compiled",
        help "write `_` for each element that is left out, or index the array";
    FOR_PATTERN: "a counter is a name in a kernel",
        why "a range counts through single numbers",
        help "write `for i in a..b { .. }`";
    FOR_REFERENCES: "the variable of this loop is a reference, which cannot be taken apart in a kernel",
        why "in Rust the variables of this pattern would be references themselves",
        help "take copies: `for &Point { x, y } in points.iter() { .. }`";
    FOR_PAIRS: "this loop gives one element at a time, and not pairs",
        why "no array of a kernel holds tuples",
        help "for the position beside it write `for (i, v) in x.iter().enumerate() { .. }`; for two arrays count: `for i in 0..n { .. }`";
    ENUMERATE_PATTERN: "`.enumerate()` gives a position and an element",
        why "a kernel has no variable that is both",
        help "write `for (i, v) in x.iter().enumerate() { .. }`";
    UNINITIALISED_PATTERN: "this pattern needs a value",
        why "only names can be declared without one",
        help "write `let x;` for each variable";
    ITEM: "items are not supported in a kernel",
        why "only `const`, `use` and `type` have a meaning there",
        help "move it out of the kernel; a function becomes a `#[device]` function";
    HIDDEN_VARIABLE: "the item `{}` has the name of a variable of the kernel",
        why "in Rust an item of a block hides the variables of the blocks around it, and only rustc knows whether it is a value",
        help "give it another name: `use limits::n as most;`";
    ATTRIBUTE: "attributes are not supported in a kernel's body",
        why "they would be lost on the device",
        help "remove it";
    UNROLL: "`#[unroll]` takes nothing, or a number of turns",
        why "the number is part of the loop, and known when it is compiled",
        help "write `#[unroll]` for all turns, `#[unroll(4)]` for four at a time, `#[unroll(1)]` for none";
    UNROLL_PLACE: "`#[unroll]` is only supported on a loop",
        why "it says how a loop is compiled",
        help "put it before `for`, `while` or `loop`";
    "Macros":
    MACRO: "macro `{}!` is not supported in a kernel",
        why "what it expands to is not known to the device compiler",
        help "write out what it does, or call a `#[device]` function";
    PRINT: "`{}!` is not supported in a kernel",
        why "what a kernel prints goes to the host's standard output",
        help "use `println!` or `print!`";
    MESSAGE: "a message in a kernel begins with a text literal",
        why "a GPU thread has no strings, so the text is part of the program",
        help "write `panic!(\"negative mass of {}\", m)`";
    FORMAT_BRACES: "a `{` or `}` of this text stands alone",
        why "braces enclose what is printed",
        help "write `{}` for an argument, `{{` and `}}` for the braces themselves";
    FORMAT_WIDTH: "a width or precision from an argument is not supported in a kernel",
        why "a number is formatted on the host, by what the text says",
        help "write the number into the text: `{:8.3}`";
    FORMAT_NAME: "`{}` is no name of a variable",
        why "a text takes variables and positions, and computes nothing",
        help "give the expression as an argument: `println!(\"{0}\", a + b)`";
    ASSERT: "`assert!` needs a condition",
        why "it is what is asserted",
        help "write `assert!(i < x.len())`";
    ASSERT_COMPARE: "this assertion compares two values",
        why "it says both where they differ",
        help "write `assert_eq!(a, b)`";
    "Signatures":
    KERNEL_RESULT: "a kernel cannot return a value",
        why "each of its threads would return one",
        help "write into a `&mut [_]` parameter";
    SELF: "`self` is not supported in a kernel",
        why "a kernel is not a method: there is no object on the device",
        help "for a device function put `#[device]` on the whole `impl`; a kernel takes the value as a parameter";
    PARAMETER_PATTERN: "a parameter of a kernel is a name",
        why "arguments are passed one by one",
        help "name the parameter, and take it apart with `let`";
    PARAMETER_TYPE: "a parameter of type `{}` is not supported",
        why "an argument is a value that both devices lay out alike, or the place of such values in an array",
        help "use a number, `bool`, a type with `#[derive(DeviceType)]`, an array of them, `&[T]`, `&mut [T]` or a view";
    REFERENCE_PARAMETER: "a kernel cannot take a reference to one value",
        why "an argument is copied to the device, which cannot follow references to the host",
        help "take the value itself: `{}`; what the kernel is to change is an element of a `&mut [_]`";
    VIEW_REFERENCE: "a reference to a view is not supported",
        why "a view is a reference already",
        help "take the view itself: `{}`";
    RESULT_TYPE: "a result of type `{}` is not supported",
        why "a device function gives a value: a number, `bool`, an enum, or a struct, array or tuple of them",
        help "return such a value, or write into a `&mut` parameter";
    UNBOUNDED_TYPE: "the type parameter `{}` has no bound",
        why "without one it could be a type that no device has",
        help "write `T: Float` or `T: Number` for arithmetic, `T: Element` for what is only copied";
    LIFETIME: "lifetimes have no meaning in a kernel",
        why "its slices live as long as the launch",
        help "leave the lifetime out";
    ASYNC_FN: "a kernel cannot be `async`",
        why "a GPU thread runs from its start to its end",
        help "remove `async`; a launch is asynchronous by itself";
    UNSAFE_FN: "a kernel is not declared `unsafe`",
        why "what can be unsafe is its launch",
        help "remove `unsafe`; `#[kernel(unchecked)]` makes `.launch()` unsafe";
    CONST_FN: "a kernel cannot be `const`",
        why "it runs on a device",
        help "remove `const`";
    EXTERN_FN: "a kernel cannot be `extern`",
        why "it is launched, not called",
        help "remove `extern`";
    VARIADIC: "a kernel cannot take a varying number of arguments",
        why "the device needs to know each of them",
        help "use a slice";
    RECEIVER: "this kind of `self` is not supported on a device",
        why "a method is given its value, or the place of it",
        help "write `self`, `&self` or `&mut self`";
    "Options":
    UNKNOWN_OPTION: "`{}` is not an option of `#[kernel]`",
        why "the options are `unchecked`, `fmad`, `fast_math`, `max_registers`, `launch_bounds`, `block` and `index`",
        help "remove it, or write one of them; the documentation of `#[kernel]` says what they do";
    DEVICE_OPTION: "`#[device]` has no such option",
        why "a device function is compiled with the options of the kernel that calls it",
        help "write `#[device]` and put the option on the kernel; the one option here is `unsafe(cuda = \"..\")`";
    OPTION_TWICE: "the option `{}` is given twice",
        why "one of the two would be lost",
        help "remove one";
    FLAG_OPTION: "the option `{}` has no value",
        why "it is on where it is named",
        help "write `#[kernel({})]`";
    BOOLEAN_OPTION: "the option `{}` is `true` or `false`",
        why "it turns something on or off",
        help "write `#[kernel({} = false)]`";
    MAX_REGISTERS: "`max_registers` is a number from 16 to 255",
        why "a thread has at most 255 registers, and a compiler needs a few",
        help "write a literal: `#[kernel(max_registers = 64)]`";
    LAUNCH_BOUNDS: "`launch_bounds` is `(threads)` or `(threads, min_blocks)`",
        why "a block has 1 to 1024 threads, and a multiprocessor holds 1 to 32 blocks",
        help "write literals: `#[kernel(launch_bounds(256, 2))]`";
    BLOCK: "`block` is one to three numbers whose product is at most 1024",
        why "a block has at most 1024 threads, and at most 64 along z",
        help "write literals: `#[kernel(block = 256)]`, `#[kernel(block = (16, 16))]`";
    BLOCK_ABOVE_BOUNDS: "the block has more threads than `launch_bounds` allows",
        why "such a kernel could never be launched",
        help "raise the bound, or leave it out: `block` says it already";
    INDEX: "`index` is `u32` or `usize`",
        why "these are the two widths that an index can have on a device",
        help "write `#[kernel(index = u32)]`, or leave it out";
    CUDA_IS_UNSAFE: "a body in CUDA C is `unsafe`",
        why "nobody checks that it keeps to its parameters and does what the body in Rust does",
        help "write `#[device(unsafe(cuda = \"..\"))]`, and vouch for it";
    "Items under `#[device]`":
    DEVICE_ITEM: "`#[device]` goes on a function, an `impl` or a `trait`",
        why "these are what a kernel can call",
        help "for a struct or an enum write `#[derive(Clone, Copy, DeviceType)]`; `#[device(PartialEq)]` derives its `==`";
    NOT_COMPARED: "`#[device(..)]` on a type derives `PartialEq` and `PartialOrd`, and not this",
        why "it derives what a kernel compares by, `==` and `<`, for the host and the device at once",
        help "write `#[device(PartialEq, PartialOrd)]`, and all other traits into `#[derive(..)]`";
    METHOD_ALONE: "a method is not compiled for devices on its own",
        why "it needs the types of its `impl`",
        help "put `#[device]` on the whole `impl`";
    FOREIGN_TRAIT: "`{}` cannot be implemented for devices",
        why "the trait is the standard library's, which has no place for the device's side of a method",
        help "implement it without `#[device]`, and give kernels a method of the type's own: `#[device] impl Type { .. }`";
    REFERENCE_IMPL: "functions of references are not compiled for devices",
        why "a type on a device is `Copy`: its value is at hand wherever a reference is",
        help "implement the trait for the type itself, with operands by value: `impl Add for Complex { .. }`";
    NE: "`ne` is not written for devices",
        why "`!=` is `==` the other way round there",
        help "remove it: `PartialEq` has it by itself";
    DEVICE_MACRO: "macros are not expanded in a `#[device]` `impl` or `trait`",
        why "what they expand to is not known yet, and would be missing on the device",
        help "write out the functions, or put them into an `impl` without `#[device]`";
    "`#[derive(DeviceType)]`":
    UNION: "a union cannot be on a device",
        why "which of its fields is the right one is not told, so that it could hold an invalid value",
        help "use a struct, and convert with `to_bits` and `from_bits`";
    VARIANT_FIELDS: "the variant `{}` has fields",
        why "an enum is an integer on a device, with no room for them",
        help "use a struct with an enum for the kind, and fields for what any kind needs";
    EMPTY_ENUM: "`{}` has no variants",
        why "there is no value of it that a device could hold",
        help "give it a variant";
    ENUM_OF_ONE: "`{}` has one variant, and so no size",
        why "memory of a device holds values of at least one byte",
        help "say which integer it is: `#[repr(u8)]`";
    EMPTY_STRUCT: "`{}` has no fields",
        why "memory of a device holds values of at least one byte",
        help "remove the derive: a type without fields can be a generic argument, and have `#[device]` functions";
    PACKED: "`#[repr(packed)]` is not supported on a device",
        why "a GPU can only access a number at a multiple of its size",
        help "remove it, or split the fields into bytes: `[u8; 4]`";
    BORROWED_FIELD: "a type on a device cannot borrow",
        why "memory of the host means nothing on a device, which gets a copy of the value",
        help "hold the values themselves, or pass a slice to the kernel beside it";
    HEAP_FIELD: "a type on a device cannot hold a `{}`",
        why "a device gets a copy of the value, and not of what it points to on the host",
        help "use an array of constant size, or pass a slice to the kernel beside it";
    POINTER_FIELD: "a type on a device cannot hold pointers",
        why "an access through one could not be checked, and memory of the host means nothing there",
        help "hold an index into a slice that the kernel takes";
    FUNCTION_FIELD: "a type on a device cannot hold functions",
        why "a GPU thread cannot call through a value",
        help "use an enum, and `match` on it; or a type parameter with a `#[device]` trait";
    TUPLE_FIELD: "a field cannot be a tuple on a device",
        why "the layout of a tuple is Rust's secret",
        help "use a field for each part, or a struct";
}

#[cfg(test)]
mod tests;
