//! Element-wise transformations of one to three arrays.

use cumbia::error::ArrayArgument;
use cumbia::intrinsics::grid;
use cumbia::{ArrayView1, DeviceSliceMut, DeviceType, Recorder, Result, Stream};
use cumbia_kernel_macros::kernel;

use crate::arrays::{Input, Output, require_same_length};
use crate::operator::{Function1, Function2, Function3};
use crate::queue::{Queue, Steps};

/// The inputs of a transformation.
type One<'a, A> = (ArrayView1<'a, A>,);
type Two<'a, A, B> = (ArrayView1<'a, A>, ArrayView1<'a, B>);
type Three<'a, A, B, C> = (ArrayView1<'a, A>, ArrayView1<'a, B>, ArrayView1<'a, C>);

/// `y[i] = operator(a[i])`
#[kernel]
pub fn transform_of_one<A: DeviceType, F: Function1<A>>(operator: F, a: ArrayView1<A>, y: &mut [F::Output]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = operator.call(a[i]);
    }
}

/// `y[i] = operator(a[i], b[i])`
#[kernel]
pub fn transform_of_two<A: DeviceType, B: DeviceType, F: Function2<A, B>>(
    operator: F,
    a: ArrayView1<A>,
    b: ArrayView1<B>,
    y: &mut [F::Output],
) {
    let i = grid(1);
    if i < y.len() {
        y[i] = operator.call(a[i], b[i]);
    }
}

/// `y[i] = operator(a[i], b[i], c[i])`
#[kernel]
pub fn transform_of_three<A: DeviceType, B: DeviceType, C: DeviceType, F: Function3<A, B, C>>(
    operator: F,
    a: ArrayView1<A>,
    b: ArrayView1<B>,
    c: ArrayView1<C>,
    y: &mut [F::Output],
) {
    let i = grid(1);
    if i < y.len() {
        y[i] = operator.call(a[i], b[i], c[i]);
    }
}

/// `y[i] = operator(y[i])`
#[kernel]
pub fn transform_itself<A: DeviceType, F: Function1<A, Output = A>>(operator: F, y: &mut [A]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = operator.call(y[i]);
    }
}

/// `y[i] = operator(y[i], b[i])`
#[kernel]
pub fn transform_itself_with<A: DeviceType, B: DeviceType, F: Function2<A, B, Output = A>>(
    operator: F,
    b: ArrayView1<B>,
    y: &mut [A],
) {
    let i = grid(1);
    if i < y.len() {
        y[i] = operator.call(y[i], b[i]);
    }
}

/// Computes `y[i] = operator(a[i])`.
///
/// ```
/// use cumbia::algorithm::{Function1, transform};
/// use cumbia::prelude::*;
///
/// /// `a * scale`
/// #[derive(Clone, Copy, DeviceType)]
/// struct Scaled {
///     scale: f32,
/// }
///
/// #[device]
/// impl Function1<f32> for Scaled {
///     type Output = f32;
///
///     fn call(self, a: f32) -> f32 {
///         a * self.scale
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1.0, 2.0, 3.0])?;
/// let mut y = device.zeros(3)?;
/// transform(&x, &mut y, Scaled { scale: 0.5 }).launch()?;
/// assert_eq!(y.to_host()?, [0.5, 1.0, 1.5]);
/// # Ok(())
/// # }
/// ```
pub fn transform<'a, A: DeviceType, R: DeviceType, F: Function1<A, Output = R>>(
    a: &'a (impl Input<Element = A> + ?Sized),
    y: &'a mut (impl Output<Element = R> + ?Sized),
    operator: F,
) -> Transform<'a, F, One<'a, A>, R> {
    Transform { operator, inputs: (a.elements(),), y: y.elements_mut(), stream: None, enqueue: enqueue_one }
}

/// Computes `y[i] = operator(a[i], b[i])`.
///
/// ```
/// use cumbia::algorithm::{Plus, transform2};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let (a, b) = (device.to_device(&[1, 2, 3])?, device.to_device(&[10, 20, 30])?);
/// let mut y = device.zeros(3)?;
/// transform2(&a, &b, &mut y, Plus).launch()?;
/// assert_eq!(y.to_host()?, [11, 22, 33]);
/// # Ok(())
/// # }
/// ```
pub fn transform2<'a, A: DeviceType, B: DeviceType, R: DeviceType, F: Function2<A, B, Output = R>>(
    a: &'a (impl Input<Element = A> + ?Sized),
    b: &'a (impl Input<Element = B> + ?Sized),
    y: &'a mut (impl Output<Element = R> + ?Sized),
    operator: F,
) -> Transform<'a, F, Two<'a, A, B>, R> {
    Transform {
        operator,
        inputs: (a.elements(), b.elements()),
        y: y.elements_mut(),
        stream: None,
        enqueue: enqueue_two,
    }
}

/// Computes `y[i] = operator(a[i], b[i], c[i])`.
pub fn transform3<'a, A: DeviceType, B: DeviceType, C: DeviceType, R: DeviceType, F: Function3<A, B, C, Output = R>>(
    a: &'a (impl Input<Element = A> + ?Sized),
    b: &'a (impl Input<Element = B> + ?Sized),
    c: &'a (impl Input<Element = C> + ?Sized),
    y: &'a mut (impl Output<Element = R> + ?Sized),
    operator: F,
) -> Transform<'a, F, Three<'a, A, B, C>, R> {
    Transform {
        operator,
        inputs: (a.elements(), b.elements(), c.elements()),
        y: y.elements_mut(),
        stream: None,
        enqueue: enqueue_three,
    }
}

/// Replaces each element by the result for it: `x[i] = operator(x[i])`.
///
/// ```
/// use cumbia::algorithm::{device_fn, transform_in_place};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::open()?.to_device(&[1.0f32, 4.0, 9.0])?;
/// transform_in_place(&mut x.slice_mut(1..)?, device_fn!(|v: f32| -> f32 { v.sqrt() })).launch()?;
/// assert_eq!(x.to_host()?, [1.0, 2.0, 3.0]);
/// # Ok(())
/// # }
/// ```
pub fn transform_in_place<A: DeviceType, F: Function1<A, Output = A>>(
    x: &mut (impl Output<Element = A> + ?Sized),
    operator: F,
) -> Transform<'_, F, (Itself,), A> {
    Transform { operator, inputs: (Itself,), y: x.elements_mut(), stream: None, enqueue: enqueue_itself }
}

/// Replaces each element by the result for it and that of another array: `x[i] = operator(x[i], b[i])`.
///
/// ```
/// use cumbia::algorithm::{device_fn, transform2_in_place};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let (mut x, b) = (device.to_device(&[1.0, 2.0, 3.0])?, device.to_device(&[10.0, 20.0, 30.0])?);
/// transform2_in_place(&mut x, &b, device_fn!(|x: f32, b: f32| -> f32 { x + 0.5 * b })).launch()?;
/// assert_eq!(x.to_host()?, [6.0, 12.0, 18.0]);
/// # Ok(())
/// # }
/// ```
pub fn transform2_in_place<'a, A: DeviceType, B: DeviceType, F: Function2<A, B, Output = A>>(
    x: &'a mut (impl Output<Element = A> + ?Sized),
    b: &'a (impl Input<Element = B> + ?Sized),
    operator: F,
) -> Transform<'a, F, (Itself, ArrayView1<'a, B>), A> {
    Transform {
        operator,
        inputs: (Itself, b.elements()),
        y: x.elements_mut(),
        stream: None,
        enqueue: enqueue_itself_with,
    }
}

/// The first input of a transformation in place, which is its output.
#[derive(Clone, Copy, Debug)]
pub struct Itself;

/// A transformation: [`transform`], [`transform2`], [`transform3`], [`transform_in_place`] or [`transform2_in_place`].
#[must_use = "a transformation does nothing until it is launched: `.launch()?`"]
pub struct Transform<'a, F, I, R> {
    operator: F,
    inputs: I,
    y: DeviceSliceMut<'a, R>,
    stream: Option<&'a Stream>,
    enqueue: Steps<Self>,
}

impl<'a, F, I, R: DeviceType> Transform<'a, F, I, R> {
    /// Enqueues the transformation on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the transformation. It can be launched again.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if the lengths of the arrays differ, and those of
    /// [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.y.device().default_stream();
        let stream = self.stream.unwrap_or(&default);
        (self.enqueue)(self, &mut Queue::Stream(stream))
    }

    /// Records the transformation as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of the launch, and of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.enqueue)(self, &mut Queue::Graph(graph))
    }
}

/// Defines the functions that enqueue a transformation, for the inputs of each.
macro_rules! steps {
    ($($name:ident $kernel:ident $algorithm:literal [$($type:ident),*] $function:path:
        ($($input:pat),*): $inputs:ty => $output:ty, $output_name:literal, [$($read:ident),*];)*
    ) => {$(
        fn $name<'a, $($type: DeviceType,)* F: $function>(
            transform: &mut Transform<'a, F, $inputs, $output>,
            queue: &mut Queue<'_, '_>,
        ) -> Result<()> {
            let ($($input,)*) = transform.inputs;
            let len = transform.y.len();
            $(
                let y = ArrayArgument::output($output_name, len);
                require_same_length($algorithm, ArrayArgument::input(stringify!($read), $read.len()), y)?;
            )*
            if len == 0 {
                return Ok(());
            }
            let launch = $kernel(transform.operator, $($read,)* &mut transform.y).over(len);
            queue.launch(launch)
        }
    )*};
}

steps! {
    enqueue_one transform_of_one "transform" [A] Function1<A>: (x): One<'a, A> => F::Output, "y", [x];
    enqueue_two transform_of_two "transform2" [A, B] Function2<A, B>: (a, b): Two<'a, A, B> => F::Output, "y", [a, b];
    enqueue_three transform_of_three "transform3" [A, B, C] Function3<A, B, C>:
        (a, b, c): Three<'a, A, B, C> => F::Output, "y", [a, b, c];
    enqueue_itself transform_itself "transform_in_place" [A] Function1<A, Output = A>: (Itself): (Itself,) => A, "x", [];
    enqueue_itself_with transform_itself_with "transform2_in_place" [A, B] Function2<A, B, Output = A>:
        (Itself, b): (Itself, ArrayView1<'a, B>) => A, "x", [b];
}
