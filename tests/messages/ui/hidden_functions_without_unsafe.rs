use cumbia::__private::{Content, Definition, FieldOf, LocalMut, Options, PlaceRef, Read, Slots, Visitor, Write, contents_of};
use cumbia::prelude::*;

/// The bits of one type need not be a valid value of another.
fn cast<'k>(place: PlaceRef<'k, u8, Read>) -> PlaceRef<'k, bool, Read> {
    place.project(|byte| byte.cast::<bool>())
}

fn cast_of_a_variable(place: LocalMut<'_, [u8; 8]>) -> LocalMut<'_, &'static str> {
    place.project(|bytes| FieldOf::new(bytes.cast()))
}

/// A place may refer to a variable, which is accessed without atomics.
fn elsewhere(place: PlaceRef<'_, u32, Write>) {
    sent(place);
}

fn sent<T: Send>(_: T) {}

/// A value that cannot exist, in a closure of size 0.
#[derive(Clone, Copy)]
enum Never {}

fn body(_: (), _: Never) -> ((), impl Slots) {
    ((), ())
}

fn closures() -> Vec<Content> {
    contents_of(|| body)
}

/// Statements in CUDA C without an `unsafe` promise.
fn definition() -> Definition {
    Definition::new(std::any::TypeId::of::<ByHand>(), "by_hand", file!(), &[], Vec::new, || true)
}

/// Arguments that do not match the IR.
struct ByHand;

impl cumbia::__private::KernelImpl for ByHand {
    type Args<'a> = ();
    const INFO: cumbia::KernelInfo = cumbia::KernelInfo::new("", "", "", 0, "");
    const OPTIONS: Options = <saxpy as cumbia::__private::KernelImpl>::OPTIONS;
    fn definition() -> Definition {
        <saxpy as cumbia::__private::KernelImpl>::definition()
    }
    fn visit<'a>(_: &'a (), _: &mut impl Visitor<'a>) {}
    type Views<'k> = ();
    fn views<'k>(_: &'k ()) {}
    fn run(_: cumbia::__private::Cx<'_>, _: ()) {}
}

#[kernel]
fn saxpy(a: f32, y: &mut [f32]) {
    y[grid(1)] *= a;
}

fn main() {}

// mistakes: 6
