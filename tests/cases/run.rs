//! A run of a case: where its kernels run, which they were, and what came out.

use std::any::type_name;
use std::collections::BTreeMap;
use std::panic::Location;

use cumbia::__private::{Checked, Emulation, Kernel, RawFault, Unchecked, inspect};
use cumbia::{Device, DeviceArray, Element, Error, FaultKind, Launch};

use crate::record::{Agreement, Record, Tolerance};
use crate::report::says;
use crate::usage::Usage;

/// Stands in for a GPU: runs the emitted CUDA C of a kernel, which it knows by the name of the kernel's type, with
/// [`STRIDED`] behind it for the text that takes any views.
pub type Emulator<'e> = dyn FnMut(&str, Emulation<'_>) -> Emulated + 'e;

/// What marks the text of a kernel for views whose elements do not lie one behind the other.
pub const STRIDED: &str = " strided";

/// What came of a launch in an emulator, beside what is in memory.
#[derive(Debug)]
pub struct Emulated {
    /// The first fault.
    pub fault: Option<RawFault>,
    /// The words of what was printed.
    pub printed: Vec<u64>,
}

/// Where the kernels of a case run.
enum Place<'e> {
    /// On a device.
    Device,
    /// In an emulator, on arrays of the CPU device.
    Emulator(&'e mut Emulator<'e>),
    /// Nowhere: the kernels are collected, and nothing comes out.
    Nowhere,
}

/// What can be asked of a kernel without running it.
#[derive(Clone, Debug)]
pub struct Look {
    /// The name in the source.
    pub name: &'static str,
    /// The CUDA C.
    pub cuda_source: fn() -> cumbia::Result<String>,
    /// PTX for an architecture.
    pub ptx: fn(&str) -> cumbia::Result<String>,
    /// Machine code for an architecture.
    pub cubin: fn(&str) -> cumbia::Result<Vec<u8>>,
    /// What the kernel is made of.
    pub usage: fn() -> Usage,
    /// The CUDA C for views whose elements do not lie one behind the other, if there was a launch with such.
    pub strided: Option<String>,
}

/// Kernels by the name of their type, which holds the module and the generic arguments.
pub type Kernels = BTreeMap<&'static str, Look>;

/// A run of one case.
pub struct Run<'e> {
    place: Place<'e>,
    device: Device,
    kernels: Kernels,
    record: Record,
    /// What the last launch printed, where it can be seen.
    printed: Option<String>,
    /// The fault of the last launch.
    fault: Option<FaultKind>,
}

impl<'e> Run<'e> {
    /// A run on a device.
    pub fn on(device: &Device) -> Self {
        let (kernels, record) = (Kernels::new(), Record::default());
        Run { place: Place::Device, device: device.clone(), kernels, record, printed: None, fault: None }
    }

    /// A run in an emulator.
    pub fn emulated(emulator: &'e mut Emulator<'e>) -> Self {
        Run { place: Place::Emulator(emulator), ..Run::on(&Device::cpu()) }
    }

    /// A run that only collects the kernels.
    pub fn nowhere() -> Self {
        Run { place: Place::Nowhere, ..Run::on(&Device::cpu()) }
    }

    /// The kernels that were launched.
    pub fn into_kernels(self) -> Kernels {
        self.kernels
    }

    /// What came out.
    pub fn into_record(self) -> Record {
        self.record
    }

    /// The device that the arrays are on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// An array with these values.
    pub fn array<T: Element>(&self, values: &[T]) -> DeviceArray<T> {
        self.device.to_device(values).expect("a small array")
    }

    /// An array of zeros.
    pub fn zeros<T: Element>(&self, len: usize) -> DeviceArray<T> {
        self.device.zeros(len).expect("a small array")
    }

    /// Launches a kernel, waits for it, and notes its fault if it has one.
    #[track_caller]
    pub fn launch<K: Kernel>(&mut self, launch: Launch<'_, K, Checked>) {
        self.run(launch, Agreement::Exact, Launch::<K, Checked>::launch);
    }

    /// As [`Run::launch`], with what two runs have to have in common of a fault. Gives whether there was one.
    #[track_caller]
    pub fn launch_agreeing<K: Kernel>(&mut self, launch: Launch<'_, K, Checked>, agreement: Agreement) -> bool {
        self.run(launch, agreement, Launch::<K, Checked>::launch)
    }

    /// Launches a kernel without checks.
    ///
    /// # Safety
    ///
    /// No thread of the launch may index outside an array.
    #[track_caller]
    pub unsafe fn launch_unchecked<K: Kernel>(&mut self, launch: Launch<'_, K, Unchecked>) {
        // SAFETY: the caller's promise.
        self.run(launch, Agreement::Exact, |launch| unsafe { launch.launch() });
    }

    /// Runs launches of which one must fault.
    #[track_caller]
    pub fn expect_fault(&mut self, name: &str, launches: impl FnOnce(&mut Self)) {
        let before = self.record.faults();
        launches(self);
        if self.record.faults() == before && !matches!(self.place, Place::Nowhere) {
            self.record.wrong_at(Location::caller(), &format!("{name}: Rust panics, and the kernel did not fault"));
        }
    }

    #[track_caller]
    fn run<'a, K: Kernel, C>(
        &mut self,
        launch: Launch<'a, K, C>,
        agreement: Agreement,
        on_device: impl FnOnce(Launch<'a, K, C>) -> cumbia::Result<()>,
    ) -> bool {
        let kernel = type_name::<K>();
        let look = self.kernels.entry(kernel).or_insert(Look {
            name: K::INFO.name,
            cuda_source: inspect::cuda_source::<K>,
            ptx: inspect::ptx::<K>,
            cubin: inspect::cubin::<K>,
            usage: Usage::of::<K>,
            strided: None,
        });
        let is_strided = |emulation: &Emulation<'_>| {
            inspect::cuda_source::<K>().is_ok_and(|contiguous| contiguous != emulation.source.text)
        };
        let result = match &mut self.place {
            Place::Device => on_device(launch).and_then(|()| self.device.synchronize()),
            Place::Emulator(emulator) => {
                let printed = &mut self.printed;
                launch.emulate(&mut |emulation| {
                    let name = if is_strided(&emulation) { kernel.to_owned() + STRIDED } else { kernel.to_owned() };
                    let Emulated { fault, printed: words } = emulator(&name, emulation);
                    *printed = Some(cumbia::__private::printed(&words));
                    fault
                })
            }
            Place::Nowhere => {
                // A launch that is refused is told of where it is made in earnest.
                let _ = launch.emulate(&mut |emulation| {
                    if is_strided(&emulation) {
                        look.strided = Some(emulation.source.text.clone());
                    }
                    None
                });
                Ok(())
            }
        };
        self.fault = None;
        match result {
            Ok(()) => return false,
            Err(fault @ Error::Fault { .. }) => {
                self.record.fault(&fault, agreement);
                if let Error::Fault { kind, .. } = fault {
                    self.fault = Some(kind);
                }
            }
            Err(error) => self.record.wrong_at(Location::caller(), &format!("{kernel} did not run: {error}")),
        }
        true
    }

    /// Compares what the last launch printed with what it should have, where that can be seen: in an emulator. What a
    /// device prints goes to the standard output, which `tests/printing.rs` looks at.
    #[track_caller]
    pub fn expect_printed(&mut self, expected: &str) {
        if let Some(printed) = self.printed.take()
            && printed != expected
        {
            self.record.wrong_at(Location::caller(), &format!("{printed:?} was printed, and {expected:?} should be"));
        }
    }

    /// Compares the last launch's fault with what Rust's panic says.
    #[track_caller]
    pub fn expect_words(&mut self, expected: &str) {
        if let Some(kind) = self.fault.take()
            && !says(&kind, expected)
        {
            self.record.wrong_at(Location::caller(), &format!("the fault is “{kind}”, and Rust says “{expected}”"));
        }
    }

    /// Whether the kernels are only collected, so that nothing that is asked of results needs an answer.
    pub fn is_nowhere(&self) -> bool {
        matches!(self.place, Place::Nowhere)
    }

    /// Notes that something is not as it should be.
    #[track_caller]
    pub fn wrong(&mut self, what: &str) {
        self.record.wrong_at(Location::caller(), what);
    }

    /// Notes an array as a result that must agree to the last bit everywhere.
    pub fn output<T: Element>(&mut self, name: &str, array: &DeviceArray<T>) {
        self.output_within(name, array, Tolerance::Exact);
    }

    /// Notes an array as a result that may differ as `tolerance` says.
    pub fn output_within<T: Element>(&mut self, name: &str, array: &DeviceArray<T>, tolerance: Tolerance) {
        if !matches!(self.place, Place::Nowhere) {
            self.record.output(name, &array.to_host().expect("faults are taken after each launch"), tolerance);
        }
    }

    /// As [`Run::output`], and compares with what plain Rust made of the same inputs.
    #[track_caller]
    pub fn expect<T: Element>(&mut self, name: &str, array: &DeviceArray<T>, expected: &[T]) {
        self.expect_within(name, array, expected, Tolerance::Exact);
    }

    /// As [`Run::expect`], with a tolerance.
    #[track_caller]
    pub fn expect_within<T: Element>(
        &mut self,
        name: &str,
        array: &DeviceArray<T>,
        expected: &[T],
        tolerance: Tolerance,
    ) {
        if matches!(self.place, Place::Nowhere) {
            return;
        }
        self.output_within(name, array, tolerance);
        self.record.expect(Location::caller(), expected);
    }
}
