//! The contents of the slots of patterns.
//!
//! A pattern has the type of the value that it is matched against, whose own slot requires the type to be one of a device. A pattern
//! requires nothing: an error of each arm would repeat that of the value. So the expansion calls `content()`, which is a method of its own
//! if the type is one of a device, and that of a fallback trait otherwise.

use cumbia_kernel_ir as ir;

use crate::definition::Content;
use crate::slot::variant_content;
use crate::types::{ConstantType, Valued, VariableType};

/// The closure that matches a value of the type against the path of a variant or a struct.
pub struct MatchedVariant<'a, T>(pub &'a dyn Fn(&T) -> bool);

impl<T: VariableType> MatchedVariant<'_, T> {
    /// Returns the content of the pattern's slot.
    pub fn content(self) -> Content {
        variant_content(self.0)
    }
}

/// The constant of a pattern.
pub struct MatchedConstant<'a, T>(pub &'a T);

impl<T: ConstantType> MatchedConstant<'_, T> {
    /// Returns the content of the pattern's slot.
    pub fn content(self) -> Content {
        Content::Constant(ir::Constant { ty: T::Repr::ty(), value: T::Repr::of(self.0) })
    }
}

/// The fallback for a type that is not one of a device.
pub trait MatchedHostType: Sized {
    /// Is never called: the type of the matched value is an error.
    fn content(self) -> Content {
        unreachable!("a pattern is matched against a value of a device type")
    }
}

impl<T> MatchedHostType for MatchedVariant<'_, T> {}

impl<T> MatchedHostType for MatchedConstant<'_, T> {}
