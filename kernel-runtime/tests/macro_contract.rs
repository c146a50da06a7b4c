//! The contract between the macros and the runtime: hand-written expansions, compiled as in another crate.

#![allow(unused_parens, unused_mut, clippy::all, clippy::pedantic, reason = "written as the macros write it")]

use std::marker::PhantomData;
use std::mem::offset_of;
use std::ops::{Add, AddAssign, Mul, Neg};

use cumbia_kernel_runtime::__private as private;
use cumbia_kernel_runtime::{Device, Float, Integer, Number, bf16, f16};
use private::body::*;
use private::ir::{Constant, ConstantValue, Method, Scalar, Type};
use private::{
    BuiltIn, Call, CalleeKey, ConstantType, Content, Cx, Definition, DeviceType, FieldOf, HasDeviceLayout, IntoPlace,
    IntoPlaceMut, IntoSlice, IntoSliceMut, Location, Operator, PlaceRef, Read, Repr, Returned, Slice, Slot, Slots,
    VariableType, View, Write, bits_of, borrow, borrow_mut, contents_of, enumeration, is_tag, load_bits, op,
    store_bits, structure,
};

/// Declares slots, as the macro does.
macro_rules! slots {
    ($($slot:ident),*) => {
        $(let $slot = Slot { of: PhantomData };)*
    };
}

static AT: Location = Location { file: "kernel.rs", line: 3, column: 4, id: 0 };

// `#[derive(DeviceType)]` on a generic struct.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

impl<T> HasDeviceLayout for Complex<T> {
    type This = Self;
}

impl<T: DeviceType> VariableType for Complex<T> {
    type Repr = Complex<T>;
}

impl<T: DeviceType> Repr for Complex<T> {
    fn ty() -> Type {
        structure::<Self>(
            "Complex",
            &[
                ("re", <T::Held as Repr>::ty, offset_of!(Complex<T>, re)),
                ("im", <T::Held as Repr>::ty, offset_of!(Complex<T>, im)),
            ],
        )
    }
}

impl<T: DeviceType> ConstantType for Complex<T> {
    type Repr = Complex<T>;
    type Value = Complex<T>;

    fn value(self) -> Self {
        self
    }
}

// SAFETY: the fields are elements, accessed as themselves.
unsafe impl<T: DeviceType> DeviceType for Complex<T> {
    type Held = Complex<T>;
    const ANY_BITS: bool = T::ANY_BITS && T::ANY_BITS;

    unsafe fn __load(place: *mut Self) -> Self {
        // SAFETY: the fields are inside the place.
        unsafe { Complex { re: T::__load(&raw mut (*place).re), im: T::__load(&raw mut (*place).im) } }
    }

    unsafe fn __store(place: *mut Self, value: Self) {
        let Complex { re, im } = value;
        // SAFETY: the fields are inside of the place.
        unsafe {
            T::__store(&raw mut (*place).re, re);
            T::__store(&raw mut (*place).im, im);
        }
    }

    fn __placeholder() -> Self {
        Complex { re: T::__placeholder(), im: T::__placeholder() }
    }

    fn __constant(&self) -> ConstantValue {
        ConstantValue::Parts(vec![self.re.__constant(), self.im.__constant()])
    }
}

// ... on an enum.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Leaf = 3,
    Node = 7,
}

impl HasDeviceLayout for Kind {
    type This = Self;
}

impl VariableType for Kind {
    type Repr = Kind;
}

impl Repr for Kind {
    fn ty() -> Type {
        enumeration::<Kind>("Kind", &[("Leaf", Kind::Leaf as i128), ("Node", Kind::Node as i128)])
    }
}

impl ConstantType for Kind {
    type Repr = Kind;
    type Value = Kind;

    fn value(self) -> Self {
        self
    }
}

// SAFETY: an enum is represented by the integer that `load` reads.
unsafe impl DeviceType for Kind {
    type Held = Kind;

    unsafe fn __load(place: *mut Self) -> Self {
        const {
            // SAFETY: the variants have no fields.
            assert!(unsafe { is_tag(&Kind::Leaf, Kind::Leaf as i128) && is_tag(&Kind::Node, Kind::Node as i128) });
        }
        // SAFETY: the caller's promise.
        let bits = unsafe { load_bits(place) };
        if bits == bits_of::<Kind>(Kind::Node as i128) { Kind::Node } else { Kind::Leaf }
    }

    unsafe fn __store(place: *mut Self, value: Self) {
        // SAFETY: the caller's promise.
        unsafe { store_bits(place, bits_of::<Kind>(value as i128)) }
    }

    fn __placeholder() -> Self {
        Kind::Leaf
    }

    fn __constant(&self) -> ConstantValue {
        ConstantValue::Bits(bits_of::<Kind>(*self as i128))
    }
}

impl Operator<op::Eq, Kind> for Kind {
    type Key = BuiltIn;
}

// `#[device] impl Add for Complex<T>` and others.
struct Key;

impl CalleeKey for Key {
    fn content() -> Content {
        // SAFETY: the IR is empty and never compiled.
        Content::Function(unsafe {
            Definition::new(std::any::TypeId::of::<Key>(), "tests::add", "kernel.rs", &[], Vec::new, || true)
        })
    }
}

impl<T: Number> Add for Complex<T> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl<T: Number> AddAssign for Complex<T> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<Complex<f32>> for f32 {
    type Output = Complex<f32>;

    fn mul(self, z: Complex<f32>) -> Complex<f32> {
        Complex { re: self * z.re, im: self * z.im }
    }
}

impl<T: Float> Neg for Complex<T> {
    type Output = Self;

    fn neg(self) -> Self {
        Complex { re: -self.re, im: -self.im }
    }
}

impl<T: Number> Operator<op::Add, Complex<T>> for Complex<T> {
    type Key = Key;
}

impl<T: Number> Operator<op::AddAssign, Complex<T>> for Complex<T> {
    type Key = Key;
}

impl Operator<op::Mul, Complex<f32>> for f32 {
    type Key = Key;
}

impl<T: Float> Operator<op::Neg, ()> for Complex<T> {
    type Key = Key;
}

impl<T: Float> Complex<T> {
    fn __device_norm(&self, _call: Call<'_>, (): ()) -> Returned<Key, T> {
        Returned::new(self.re.hypot(self.im))
    }

    fn __device_conjugate<'k>(&'k mut self, call: Call<'k>, (): ()) -> Returned<Key, ()> {
        let this = PlaceRef::<Self, Write>::of_receiver_mut(self, call);
        // SAFETY: the field is inside of the place.
        let im = this.project(|place| unsafe { FieldOf::new(&raw mut (*place).im) });
        im.set(-im.get());
        Returned::new(())
    }
}

/// Renders the contents of a body's slots.
fn words<C, A, V, S: Slots>(body: fn(C, A) -> (V, S)) -> Vec<String> {
    let word = |content| match content {
        Content::Type(ty) => ty.to_string(),
        Content::Constant(Constant { ty, value }) => format!("{ty} {value:?}"),
        Content::Intrinsic(_) => String::from("intrinsic"),
        Content::Function(definition) => definition.path.to_owned(),
        Content::Method(method) => method.name().to_owned(),
        Content::Cast(scalar) => format!("cast to {scalar:?}"),
        Content::Variant(ty, name) => format!("{ty} {name:?}"),
        Content::Operator(None) => String::from("built in"),
        Content::Operator(Some(definition)) => format!("operator {}", definition.path),
        Content::Compound(_) => String::from("parts"),
    };
    // SAFETY: the closures of the bodies here capture nothing.
    unsafe { contents_of(|| body) }.into_iter().map(word).collect()
}

fn operators<'k, T: Float>(cx: Cx<'k>, (a, z): (T, Complex<T>)) -> (T, impl Slots) {
    slots!(s0, s1, s2, s3, s4, s5, s6);
    let z = s0.result(s0.left(z).0 + s0.right(z).0).of::<op::Add>();
    let mut w = s1.result(-s1.operand(z).0).of::<op::Neg>();
    s2.result({
        s2.target(&w);
        w += s2.right(z).0;
    })
    .of::<op::AddAssign>();
    let b = s3.result(s3.left(a).0 * s3.right(cx.calling(&AT, w.re)).0).of::<op::Mul>();
    let i = s4.result(s4.left(1).0 << s4.right(3u8).0).of::<op::Shl>();
    let index: usize = i;
    let same = s5.result(s5.left(Kind::Leaf).0 == s5.right(Kind::Node).0).equal();
    s6.is(&(same, index));
    (b, ((s0, (s1, s2)), ((s3, s4), (s5, s6))))
}

#[test]
fn operators_resolve_to_built_ins_or_functions() {
    assert_eq!(
        words(operators::<f32>),
        [
            "operator tests::add",
            "operator tests::add",
            "operator tests::add",
            "built in",
            "built in",
            "built in",
            "(bool, usize)",
        ]
    );
    let (value, _) = Cx::host(|cx| {
        let (value, _slots) = operators(cx, (2.0f64, Complex { re: 1.0, im: 2.0 }));
        (value, ())
    });
    assert_eq!(value, 0.0);
}

fn mixed_operands<'k>(_cx: Cx<'k>, (z,): (Complex<f32>,)) -> (Complex<f32>, impl Slots) {
    slots!(s0);
    let w = s0.result(s0.left(2.0).0 * s0.right(z).0).of::<op::Mul>();
    (w, s0)
}

#[test]
fn a_scalar_can_be_the_left_operand_of_a_struct() {
    assert_eq!(words(mixed_operands), ["operator tests::add"]);
}

fn methods<'k, T: Float, I: Integer>(
    cx: Cx<'k>,
    (x, out, n, z): (Slice<'k, T, Read>, Slice<'k, Complex<T>, Write>, I, Complex<T>),
) -> ((T, u32), impl Slots) {
    slots!(s0, s1, s2, s3, s4, s5, s6, s7);
    let len = s0.method(x.__device_len(cx.call(&AT), ()));
    let root = {
        let mut receiver = x.at(cx, 0, &AT).receiver();
        let call = receiver.called(cx.call(&AT));
        s1.method(receiver.__device_sqrt(call, ()))
    };
    let norm = s2.method(z.__device_norm(cx.call(&AT), ()));
    {
        let mut receiver = out.at(cx, 1, &AT).receiver();
        let call = receiver.called(cx.call(&AT));
        s3.method(receiver.__device_conjugate(call, ()))
    };
    let least = s4.method(root.__device_min(cx.call(&AT), (norm,)));
    let ones = s5.method(n.__device_count_ones(cx.call(&AT), ()));
    let bits = s6.method(<::core::primitive::f32>::__device_from_bits(0x3f80_0000, cx.call(&AT), ()));
    let three = s7.method((3usize).__device_max(cx.call(&AT), (len,)));
    let _ = (bits, three);
    ((least, ones), (((s0, s1), (s2, s3)), ((s4, s5), (s6, s7))))
}

#[test]
fn methods_resolve_by_their_result_types() {
    assert_eq!(
        words(methods::<f64, i16>),
        ["len", "sqrt", "tests::add", "tests::add", "min", "count_ones", "f32::from_bits", "max"]
    );
    let mut out = [Complex { re: 1.0, im: 2.0 }, Complex { re: 3.0, im: 4.0 }];
    let value = Cx::host(|cx| {
        let x = Slice::<f64, Read>::from_host(&[16.0]);
        let out = Slice::<Complex<f64>, Write>::from_host_mut(&mut out);
        methods(cx, (x, out, -1i16, Complex { re: 3.0, im: 4.0 })).0
    });
    assert_eq!(value, (4.0, 16));
    assert_eq!(out[1], Complex { re: 3.0, im: -4.0 });
}

const TABLE: [(u8, bool); 2] = [(1, true), (2, false)];
const ORIGIN: Complex<f32> = Complex { re: 0.5, im: -0.0 };

fn constants<'k, T: Number>(_cx: Cx<'k>, _: ()) -> ((), impl Slots) {
    slots!(s0, s1, s2, s3, s4);
    let one = s0.constant(|| T::ONE);
    let row = s1.constant(|| TABLE)[1];
    let origin = s2.constant(|| ORIGIN);
    let kind = s3.constant(|| Kind::Node);
    let nothing = s4.constant(|| [[0i16; 0]; 1]);
    let _: (T, (u8, bool), Complex<f32>, Kind, [[i16; 0]; 1]) = (one, row, origin, kind, nothing);
    ((), ((s0, s1), (s2, (s3, s4))))
}

#[test]
fn constants_are_captured() {
    let one = half::bf16::ONE.to_bits();
    let all = words(constants::<bf16>);
    assert_eq!(all[0], format!("bf16 Bits({one})"));
    assert_eq!(all[1], "[(u8, bool); 2] Parts([Parts([Bits(1), Bits(1)]), Parts([Bits(2), Bits(0)])])");
    assert!(all[2].ends_with("Complex<f32> Parts([Bits(1056964608), Bits(2147483648)])"), "{}", all[2]);
    assert!(all[3].ends_with("Kind Bits(7)"), "{}", all[3]);
    assert_eq!(all[4], "[[i16; 0]; 1] Parts([Parts([])])");
}

#[test]
fn types_have_rustcs_layout() {
    let Type::Struct(complex) = Complex::<f64>::ty() else { panic!() };
    assert_eq!((complex.size, complex.align, complex.fields[1].offset), (16, 8, 8));
    assert!(complex.path.ends_with("Complex<f64>"));
    let Type::Enum(kind) = Kind::ty() else { panic!() };
    assert_eq!((kind.repr, kind.variants[1].bits), (Scalar::U8, 7));
    assert_eq!(Method::ALL[Method::Sqrt as usize], Method::Sqrt);
}

fn handles<'k>(
    _cx: Cx<'k>,
    (a, b, c, d): (PlaceRef<'k, f32, Read>, PlaceRef<'k, [u8; 4], Write>, View<'k, f16, 3, Write>, [(i8, bool); 2]),
) -> ((), impl Slots) {
    slots!(s0, s1, s2, s3, s4, s5);
    s0.is(&a);
    s1.is(&b);
    s2.is(&c);
    s3.is(&d);
    let local = [1.0f64, 2.0];
    s4.is(&local.at(_cx, 0, &AT));
    s5.is(&b.read());
    ((), ((s0, (s1, s2)), (s3, (s4, s5))))
}

#[test]
fn handles_have_reference_types() {
    assert_eq!(words(handles), ["&f32", "&mut [u8; 4]", "ArrayViewMut3<f16>", "[(i8, bool); 2]", "&f64", "&[u8; 4]"]);
}

/// Stand-ins for device functions with reference parameters.
fn total<'k>(x: impl IntoSlice<'k, Element = f32>) -> f32 {
    x.into_slice().__values().sum()
}

fn clear<'k>(x: impl IntoSliceMut<'k, Element = f32>) {
    x.into_slice_mut().__elements_mut().for_each(|place| place.set(0.0));
}

fn read<'k, T: DeviceType>(x: impl IntoPlace<'k, T>) -> T {
    x.into_place().get()
}

fn write<'k, T: DeviceType>(x: impl IntoPlaceMut<'k, T>, value: T) {
    x.into_place_mut().set(value);
}

#[derive(Clone, Copy)]
struct Body {
    position: [f32; 3],
    alive: bool,
}

#[test]
fn local_arrays_are_place_expressions() {
    Cx::host(|cx| {
        let mut a = [[1.0f32, 2.0], [3.0, 4.0]];
        a.at_mut(cx, 1, &AT).at_mut(cx, 0, &AT).set(30.0);
        assert_eq!(a.at(cx, 1, &AT).at(cx, 0, &AT).get(), 30.0);
        assert_eq!(a[1], [30.0, 4.0]);
        assert_eq!(total(a.at(cx, 1, &AT)), 34.0);
        assert_eq!(total(borrow(&a[0])), 3.0);
        assert_eq!(total(a[1].part(cx, 1.., &AT)), 4.0);
        clear(a.at_mut(cx, 0, &AT));
        clear(borrow_mut(&mut a[1]));
        assert_eq!(a, [[0.0; 2]; 2]);

        for (i, place) in a[0].__elements_mut().enumerate().rev() {
            place.set(i as f32 + 1.0);
        }
        let reversed: Vec<f32> = a[0].__values().rev().collect();
        assert_eq!(reversed, [2.0, 1.0]);
        let sum: f32 = a[0].__elements().map(|place| place.get()).sum();
        assert_eq!(sum, 3.0);

        let mut bodies = [Body { position: [1.0; 3], alive: false }; 2];
        // SAFETY: `p` points to a body, and this is the address of a field of it.
        let field = |p: *mut Body| unsafe { FieldOf::new(&raw mut (*p).position) };
        bodies.at_mut(cx, 1, &AT).project(field).at_mut(cx, 2, &AT).set(9.0);
        assert_eq!((bodies[1].position, bodies[1].alive), ([1.0, 1.0, 9.0], false));
        assert_eq!(bodies.at(cx, 1, &AT).project(field).__device_len(cx.call(&AT), ()).value(), 3);
    });
}

#[test]
fn places_can_be_projected_borrowed_and_passed() {
    let mut z = [Complex { re: 1.0f32, im: 2.0 }; 3];
    Cx::host(|cx| {
        let x = Slice::<Complex<f32>, Write>::from_host_mut(&mut z);
        // SAFETY: `p` points to a number, and this is the address of a field of it.
        let im = |p: *mut Complex<f32>| unsafe { FieldOf::new(&raw mut (*p).im) };
        x.at_mut(cx, 1, &AT).project(im).set(5.0);
        assert_eq!(read(x.at(cx, 1, &AT).project(im)), 5.0);
        write(x.at_mut(cx, 2, &AT).project(im), 6.0);
        assert_eq!(read(borrow(&x.at(cx, 2, &AT))), Complex { re: 1.0, im: 6.0 });
        let mut local = 3.0f32;
        write(borrow_mut(&mut local), 4.0);
        assert_eq!(read(borrow(&local)) + read(&local), 8.0);
        write(&mut local, 5.0);
        assert_eq!(local, 5.0);
        // The receiver of a method that takes a reference is the place itself.
        write(&mut x.at(cx, 0, &AT).project(im).receiver(), 7.0);

        let (start, end) = x.__device_split_at_mut(cx.call(&AT), (1,)).value();
        assert_eq!((start.__device_len(cx.call(&AT), ()).value(), end.__device_len(cx.call(&AT), ()).value()), (1, 2));
        write(end.at_mut(cx, 0, &AT).project(im), 8.0);
    });
    assert_eq!(z.map(|z| z.im), [7.0, 8.0, 6.0]);
}

#[test]
#[should_panic(expected = "the field is not inside its struct")]
fn a_projection_outside_its_struct_panics() {
    let mut elsewhere = 1.0f32;
    let place = PlaceRef::<_, Read>::from_ref(&2.0f32);
    // SAFETY: the address is outside the struct on purpose, which is detected before any access.
    let _ = place.project(|_| unsafe { FieldOf::new(&raw mut elsewhere) });
}

#[test]
fn array_bits_are_converted_to_valid_values() {
    let device = Device::cpu();
    assert_eq!(device.zeros::<Kind>(2).unwrap().to_host().unwrap(), [Kind::Leaf; 2]);
    let kinds = [Kind::Node, Kind::Leaf];
    assert_eq!(device.to_device(&kinds).unwrap().to_host().unwrap(), kinds);
    let mut back = [Complex { re: f16::ONE, im: f16::ONE }; 2];
    device.zeros::<Complex<f16>>(2).unwrap().copy_to_host(&mut back).unwrap();
    assert_eq!(back[1].im, f16::ZERO);
}

#[test]
fn an_empty_slice_has_no_elements() {
    Cx::host(|cx| {
        let x = Slice::<f32, Read>::from_host(&[]);
        assert!(x.__device_is_empty(cx.call(&AT), ()).value());
        assert_eq!(x.part(cx, 0..0, &AT).__values().len(), 0);
        assert_eq!(total(x.part(cx, .., &AT)), 0.0);
    });
}

#[test]
#[should_panic(expected = "kernel.rs:3:4: range end index 4 out of range for slice of length 3")]
fn a_subslice_out_of_bounds_is_a_fault() {
    Cx::host(|cx| {
        let _ = Slice::<f32, Read>::from_host(&[1.0, 2.0, 3.0]).part(cx, 1..4, &AT);
    });
}
