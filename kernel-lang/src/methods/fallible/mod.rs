//! Methods of `Option` and `Result` that take no closure, by the definitions in [`option`] and [`result`].

mod option;
mod result;

use half::{bf16, f16};

use crate::cpu::Call;
use crate::definition::{CalleeKey, DefinedMethod, Returned};
use crate::types::{ConstantType, VariableType};

/// Declares a trait with methods of `Option<T>` or `Result<T, E>`, and implements each by its expression. A method marked
/// `may fault` records the call: the position of Rust's panic would be inside the library.
macro_rules! methods {
    (
        $(#[$doc:meta])* $trait:ident<$($param:ident),*> for $this:ty, in $module:ident;
        $(fn $device:ident$(<$other:ident>)? = $key:tt $(may $fault:ident)?
            ($value:ident $(, $arg:ident: $ty:ty)*) -> $result:ty $(where $($bounded:ident: $bound:path),*)? { $body:expr })*
    ) => {
        $(#[$doc])*
        #[allow(missing_docs, reason = "each is named after the method")]
        pub trait $trait<$($param: VariableType + ConstantType + 'static),*>: Sized {
            $(
                fn $device$(<$other: VariableType + ConstantType + 'static>)?(
                    self, call: Call<'_>, _: ($($ty,)*)
                ) -> Returned<methods!(@key $module $key), $result>
                $(where $($bounded: $bound),*)?;
            )*
        }

        impl<$($param: VariableType + ConstantType + 'static),*> $trait<$($param),*> for $this {
            $(
                #[inline(always)]
                fn $device$(<$other: VariableType + ConstantType + 'static>)?(
                    self, call: Call<'_>, ($($arg,)*): ($($ty,)*)
                ) -> Returned<methods!(@key $module $key), $result>
                $(where $($bounded: $bound),*)?
                {
                    methods!(@note call $($fault)?);
                    let $value = self;
                    Returned::new($body)
                }
            )*
        }
    };
    (@key $module:ident [key $key:ty]) => {
        $key
    };
    (@key $module:ident [$defined:ident $(, $argument:ty)*]) => {
        DefinedMethod<$module::$defined<'static $(, $argument)*>>
    };
    (@note $call:ident fault) => { $call.note() };
    (@note $call:ident) => { _ = $call };
}

methods! {
    /// Methods of an `Option`.
    OptionMethods<T> for Option<T>, in option;
    fn __device_is_some = [is_some, T](this) -> bool { this.is_some() }
    fn __device_is_none = [is_none, T](this) -> bool { this.is_none() }
    fn __device_unwrap = [unwrap, T] may fault(this) -> T { this.unwrap() }
    fn __device_unwrap_or = [unwrap_or, T](this, default: T) -> T { this.unwrap_or(default) }
    fn __device_unwrap_or_default = [key T::OfOption](this) -> T where T: DefaultValue { this.unwrap_or(T::DEFAULT) }
    fn __device_or = [or, T](this, other: Option<T>) -> Option<T> { this.or(other) }
    fn __device_xor = [xor, T](this, other: Option<T>) -> Option<T> { this.xor(other) }
    fn __device_and<U> = [and, T, U](this, other: Option<U>) -> Option<U> { this.and(other) }
    fn __device_zip<U> = [zip, T, U](this, other: Option<U>) -> Option<(T, U)> { this.zip(other) }
    fn __device_ok_or<E> = [ok_or, T, E](this, error: E) -> Result<T, E> { this.ok_or(error) }
}

methods! {
    /// Methods of a `Result`.
    ResultMethods<T, E> for Result<T, E>, in result;
    fn __device_is_ok = [is_ok, T, E](this) -> bool { this.is_ok() }
    fn __device_is_err = [is_err, T, E](this) -> bool { this.is_err() }
    fn __device_ok = [ok, T, E](this) -> Option<T> { this.ok() }
    fn __device_err = [err, T, E](this) -> Option<E> { this.err() }
    fn __device_unwrap = [unwrap, T, E] may fault(this) -> T {{
        // The standard library's message has the error, whose `Debug` is compiled for the host only.
        let Ok(value) = this else { panic!("called `Result::unwrap()` on an `Err` value") };
        value
    }}
    fn __device_unwrap_err = [unwrap_err, T, E] may fault(this) -> E {{
        let Err(error) = this else { panic!("called `Result::unwrap_err()` on an `Ok` value") };
        error
    }}
    fn __device_unwrap_or = [unwrap_or, T, E](this, default: T) -> T { this.unwrap_or(default) }
    fn __device_unwrap_or_default = [key T::OfResult<E>](this) -> T where T: DefaultValue {
        this.unwrap_or(T::DEFAULT)
    }
}

/// A type with a default value on a device: a number or `bool`. The `Default` of other types is compiled for the host
/// only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default value on a device",
    label = "not a number or `bool`",
    note = "why: the `Default` of other types is compiled for the host only",
    note = "help: name the value: `.unwrap_or(value)`"
)]
pub trait DefaultValue: VariableType + ConstantType<Value = Self> {
    /// The value.
    const DEFAULT: Self;
    /// The key of `unwrap_or_default` of an `Option`.
    type OfOption: CalleeKey;
    /// The key of `unwrap_or_default` of a `Result`.
    type OfResult<E: VariableType + 'static>: CalleeKey;
}

macro_rules! defaults {
    ($($scalar:ident $value:expr;)*) => {$(
        impl DefaultValue for $scalar {
            const DEFAULT: Self = $value;
            type OfOption = DefinedMethod<option::unwrap_or_default<'static, $scalar>>;
            type OfResult<E: VariableType + 'static> = DefinedMethod<result::unwrap_or_default<'static, $scalar, E>>;
        }
    )*};
}

defaults! {
    bool false; i8 0; i16 0; i32 0; i64 0; isize 0; u8 0; u16 0; u32 0; u64 0; usize 0; f16 f16::ZERO; bf16 bf16::ZERO;
    f32 0.0; f64 0.0;
}
