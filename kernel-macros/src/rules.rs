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
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { what, why, help } = self;
        write!(f, "{what}\nwhy: {why}\nhelp: {help}")
    }
}

/// Defines rules.
macro_rules! rules {
    ($($name:ident: $what:literal, why $why:literal, help $help:literal;)*) => {
        $(pub(crate) const $name: Rule = Rule { what: $what, why: $why, help: $help };)*
    };
}

rules! {
    // expressions
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
    MATCH: "`match` is not supported in a kernel yet",
        why "only conditions are compiled so far",
        help "use `if`, `else if` and `else`";
    IF_LET: "`let` in a condition is not supported in a kernel",
        why "the types of a kernel have only one shape, so that there is nothing to match",
        help "compare the value: `if x == 0 { .. }`";
    STRING: "text is not supported in a kernel",
        why "a GPU thread has no strings",
        help "compute with numbers, and make text of the results on the host";
    CHAR: "`char` is not supported in a kernel",
        why "a GPU thread has no text",
        help "use a `u8` (`b'a'`) or a `u32`";
    REFERENCE: "references are not supported in a kernel",
        why "a thread's variables are registers, which have no address",
        help "use the value itself; an atomic takes its place as `&mut y[i]`";
    DEREFERENCE: "`*` is not supported in a kernel",
        why "there are no references in a kernel, so that nothing can be dereferenced",
        help "use the variable itself, or an element: `x[i]`";
    RAW_ADDRESS: "raw pointers are not supported in a kernel",
        why "an access through one could not be checked",
        help "index a slice: `x[i]`";
    ARRAY: "array values are not supported in a kernel yet",
        why "only arrays in shared memory are compiled so far",
        help "use `shared::<[f32; 4]>()`, or a variable for each element";
    STRUCT: "struct values are not supported in a kernel yet",
        why "only numbers, `bool` and tuples are compiled so far",
        help "use a variable for each field, or a tuple";
    RANGE: "a range is only supported as what a `for` counts through",
        why "a kernel has no range values",
        help "write `for i in a..b { .. }` or `for i in (a..b).step_by(n) { .. }`";
    UNBOUNDED_RANGE: "a `for` in a kernel needs a range with a start and an end",
        why "a GPU thread has to end",
        help "write `for i in a..b { .. }`, or use `loop` with `break`";
    ITERATOR: "iterators are not supported in a kernel",
        why "their adapters are closures, which a GPU thread cannot call",
        help "count through the indices: `for i in 0..x.len() { .. x[i] .. }`";
    REVERSED: "`.rev()` is not supported in a kernel yet",
        why "only ranges that count upwards are compiled so far",
        help "count upwards and subtract: `for k in 0..n { let i = n - 1 - k; .. }`";
    ITERATOR_METHOD: "`.{}()` is not supported in a kernel: iterators are not",
        why "their adapters are closures, which a GPU thread cannot call",
        help "count through the indices: `for i in 0..x.len() { .. x[i] .. }`";
    HEAP: "`{}` is not supported in a kernel",
        why "a GPU thread cannot allocate memory",
        help "use a slice parameter (`&mut [f32]`) or shared memory (`shared::<[f32; 256]>()`)";
    METHOD: "method `{}` is not supported in a kernel",
        why "only the methods of numbers and slices that the device has are compiled",
        help "write it out with the methods that there are (the documentation of `Float` lists those of floats)";
    CONVERSION: "method `{}` is not supported in a kernel",
        why "a GPU thread has no `Result`, and the type that it converts to is not told",
        help "use `as`, which says the type: `x[i as usize]`";
    METHOD_GENERICS: "generic arguments of a method are not supported in a kernel",
        why "the methods of numbers and slices have none",
        help "leave them out";
    CALLEE: "only a function's name can be called in a kernel",
        why "a GPU thread cannot call through a value",
        help "call a `#[device]` function by its name";
    ASSOCIATED_FUNCTION: "`{}` is not supported in a kernel",
        why "of the functions of a number type only its methods and `from` are compiled",
        help "write it out with the methods that there are";
    RECURSION: "recursion is not supported in a kernel",
        why "the stack of a GPU thread is small and its size is fixed before the launch",
        help "write a loop, with an array for what the recursion would keep";
    GRID_DIMENSION: "`{}` takes 1, 2 or 3, as a literal",
        why "the number of dimensions decides the type of the result",
        help "write `grid(1)` for a number, `grid(2)` for `(x, y)`, `grid(3)` for `(x, y, z)`";
    UNSAFE: "`unsafe` is not supported in a kernel",
        why "there is nothing in a kernel that needs it",
        help "remove it; to leave out the checks of indices, use `#[kernel(unchecked)]`";
    BLOCK_LABEL: "labels on blocks are not supported in a kernel yet",
        why "only loops can be left by their label",
        help "use `loop` with `break`, or `if`";
    CONST_BLOCK: "`const` blocks are not supported in a kernel",
        why "a constant needs a name to be copied into the device code",
        help "declare a `const` and use its name";
    UNKNOWN_EXPRESSION: "this expression is not supported in a kernel",
        why "the device compiler does not know it",
        help "write it with arithmetic, indexing, `if` and loops";
    // assignments
    ASSIGN_TO_SLICE: "`{}` is a `&[_]`: its elements cannot be assigned to",
        why "the kernel promises not to change the array behind a `&[_]` parameter",
        help "make the parameter a `&mut [_]`";
    ASSIGN_PLACE: "cannot assign to this expression in a kernel",
        why "only variables and elements of `&mut` slices and shared arrays can be assigned to",
        help "assign to a variable or to `y[i]`";
    // statements and patterns
    PATTERN: "this pattern is not supported in a kernel",
        why "a variable of a kernel is a number, or a tuple of them",
        help "use a name, `_`, or a tuple of them: `let (x, y) = grid(2);`";
    FOR_PATTERN: "the variable of a `for` is a name in a kernel",
        why "a range counts through single numbers",
        help "write `for i in a..b { .. }`";
    UNINITIALISED: "a variable without a value is not supported in a kernel yet",
        why "its type is taken from its value",
        help "give it a value: `let mut x = 0.0;`";
    LET_ELSE: "`let .. else` is not supported in a kernel",
        why "the patterns of a kernel always match",
        help "use `if`";
    SLICE_ANNOTATION: "a variable of a kernel cannot be declared as a reference",
        why "what a slice is on the device is not a Rust reference",
        help "leave the type out: `let part = dynamic_shared::<f32>();`";
    ITEM: "items are not supported in a kernel",
        why "only `const` and `use` have a meaning there",
        help "move it out of the kernel; a function becomes a `#[device]` function";
    ATTRIBUTE: "attributes are not supported in a kernel's body",
        why "they would be lost on the device",
        help "remove it";
    // macros
    MACRO: "macro `{}!` is not supported in a kernel",
        why "what it expands to is not known to the device compiler",
        help "write out what it does, or call a `#[device]` function";
    PRINT: "`{}!` is not supported in a kernel yet",
        why "text is not formatted on the device so far",
        help "write the numbers into an array, and print them on the host";
    MESSAGE: "a message in a kernel is a literal without `{}`",
        why "text is not formatted on the device",
        help "use a fixed message: `panic!(\"negative mass\")`";
    // signatures
    KERNEL_RESULT: "a kernel cannot return a value",
        why "each of its threads would return one",
        help "write into a `&mut [_]` parameter";
    SELF: "`self` is not supported in a kernel",
        why "a kernel is not a method: there is no object on the device",
        help "pass the fields that it uses as parameters";
    PARAMETER_PATTERN: "a parameter of a kernel is a name",
        why "arguments are passed one by one",
        help "name the parameter, and take it apart with `let`";
    PARAMETER_TYPE: "a parameter of type `{}` is not supported",
        why "an argument is a number in a register, or the place and length of an array",
        help "use a number, `bool`, `&[T]` or `&mut [T]`";
    RESULT_TYPE: "a result of type `{}` is not supported",
        why "a device function gives one value, which fits into a register",
        help "return a number or `bool`, or write into a `&mut [_]` parameter";
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
    // options
    UNKNOWN_OPTION: "`{}` is not an option of `#[kernel]`",
        why "the options are `unchecked` and `fmad = false`",
        help "remove it";
    DEVICE_OPTION: "`#[device]` has no options",
        why "a device function is compiled with the options of the kernel that calls it",
        help "write `#[device]`, and put the option on the kernel";
}
