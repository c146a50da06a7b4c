//! A run of a case: the device of its kernels, the kernels that it launched, and the recorded results.

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::Location;

use cumbia::__private::inspect::Variant;
use cumbia::__private::{Checked, Emulation, RawFault, Unchecked, inspect};
use cumbia::checks::Checks;
use cumbia::{Device, DeviceArray, DeviceType, Error, FaultKind, Kernel, Launch};

use crate::record::{Agreement, Record, Tolerance};
use crate::report::says;
use crate::usage::Usage;

/// An emulator of a GPU: runs the emitted CUDA C of a kernel. The kernel is identified by the name of its type,
/// followed by the name of its form: see [`Look::others`].
pub type Emulator<'e> = dyn FnMut(&str, Emulation<'_>) -> Emulated + 'e;

/// The result of an emulated launch, apart from the contents of memory.
#[derive(Debug)]
pub struct Emulated {
    /// The first fault.
    pub fault: Option<RawFault>,
    /// The words of the print buffer.
    pub printed: Vec<u64>,
}

/// The executor of the kernels of a case.
enum Executor<'e> {
    /// A device.
    Device,
    /// An emulator, on arrays of the CPU device.
    Emulator(&'e mut Emulator<'e>),
    /// Nowhere: the kernels are collected and not run, so that there are no results.
    Nowhere,
}

/// The properties of a kernel that need no launch.
#[derive(Clone, Debug)]
pub struct Look {
    /// The name of the function.
    pub name: &'static str,
    /// Returns the CUDA C.
    pub cuda_source: fn() -> cumbia::Result<String>,
    /// Returns the PTX for an architecture.
    pub ptx: fn(&str) -> cumbia::Result<String>,
    /// Returns the machine code for an architecture.
    pub cubin: fn(&str) -> cumbia::Result<Vec<u8>>,
    /// Returns the methods, intrinsics and scalars in the IR of the kernel.
    pub usage: fn() -> Usage,
    /// Returns what is known of the checks.
    pub checks: fn() -> cumbia::Result<Checks>,
    /// The CUDA C of other forms of the kernel, by the name of the form: without the checks that a launch proves, coarsened,
    /// and for strided views if there was a launch with one.
    pub others: BTreeMap<&'static str, String>,
    /// The forms that launches choose, as far as that does not depend on the results of others; the form with all checks has an
    /// empty name.
    pub launched: BTreeSet<&'static str>,
}

/// Kernels by the name of their type, which contains the module path and the generic arguments.
pub type Kernels = BTreeMap<&'static str, Look>;

/// A run of one case.
pub struct Run<'e> {
    place: Executor<'e>,
    device: Device,
    kernels: Kernels,
    record: Record,
    /// The output of the last launch, if it ran in an emulator.
    printed: Option<String>,
    /// The fault of the last launch.
    fault: Option<FaultKind>,
}

impl<'e> Run<'e> {
    /// Returns a run on a device.
    pub fn on(device: &Device) -> Self {
        let (kernels, record) = (Kernels::new(), Record::default());
        Run { place: Executor::Device, device: device.clone(), kernels, record, printed: None, fault: None }
    }

    /// Returns a run in an emulator.
    pub fn emulated(emulator: &'e mut Emulator<'e>) -> Self {
        Run { place: Executor::Emulator(emulator), ..Run::on(&Device::cpu()) }
    }

    /// Returns a run that collects the kernels without running them.
    pub fn nowhere() -> Self {
        Run { place: Executor::Nowhere, ..Run::on(&Device::cpu()) }
    }

    /// Returns the kernels that were launched.
    pub fn into_kernels(self) -> Kernels {
        self.kernels
    }

    /// Returns the recorded results.
    pub fn into_record(self) -> Record {
        self.record
    }

    /// Returns the device of the arrays.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns an array with these values.
    pub fn array<T: DeviceType>(&self, values: &[T]) -> DeviceArray<T> {
        self.device.to_device(values).expect("a small array")
    }

    /// Returns an array of zeros.
    pub fn zeros<T: DeviceType>(&self, len: usize) -> DeviceArray<T> {
        self.device.zeros(len).expect("a small array")
    }

    /// Launches a kernel, synchronizes, and records its fault if there is one.
    #[track_caller]
    pub fn launch<K: Kernel>(&mut self, launch: Launch<'_, K, Checked>) {
        self.run(launch, Agreement::Exact, Launch::<K, Checked>::launch);
    }

    /// As [`Run::launch`], with the agreement that is demanded between the faults of two runs. Returns whether there
    /// was a fault.
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
        // SAFETY: the caller guarantees that all indices are in bounds.
        self.run(launch, Agreement::Exact, |launch| unsafe { launch.launch() });
    }

    /// Runs launches, at least one of which must fault.
    #[track_caller]
    pub fn expect_fault(&mut self, name: &str, launches: impl FnOnce(&mut Self)) {
        let before = self.record.faults();
        launches(self);
        if self.record.faults() == before && !matches!(self.place, Executor::Nowhere) {
            self.record.wrong_at(Location::caller(), &format!("{name}: Rust panics, but the kernel did not fault"));
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
            checks: K::checks,
            others: BTreeMap::new(),
            launched: BTreeSet::new(),
        });
        let form = |variant: Variant, is_strided: bool| match (variant, is_strided) {
            (Variant::Checked, false) => "",
            (Variant::Checked, true) => " strided",
            (Variant::Proven, false) => " proven",
            (Variant::Proven, true) => " proven strided",
            (Variant::Narrow, false) => " narrow",
            (Variant::Narrow, true) => " narrow strided",
        };
        let coarsened_form = |variant: Variant, is_strided: bool| match (variant, is_strided) {
            (Variant::Checked, false) => " coarsened",
            (Variant::Checked, true) => " strided coarsened",
            (Variant::Proven, false) => " proven coarsened",
            (Variant::Proven, true) => " proven strided coarsened",
            (Variant::Narrow, false) => " narrow coarsened",
            (Variant::Narrow, true) => " narrow strided coarsened",
        };
        let is_strided = |emulation: &Emulation<'_>| {
            let contiguous = if emulation.is_coarsened {
                inspect::coarsened_source_of::<K>(emulation.variant, false).map(Option::unwrap_or_default)
            } else {
                inspect::cuda_source_of::<K>(emulation.variant)
            };
            contiguous.is_ok_and(|contiguous| contiguous != emulation.source.text)
        };
        let result = match &mut self.place {
            Executor::Device => on_device(launch).and_then(|()| self.device.synchronize()),
            Executor::Emulator(emulator) => {
                let printed = &mut self.printed;
                launch.emulate(&mut |emulation| {
                    let form = if emulation.is_coarsened { coarsened_form } else { form };
                    let name = kernel.to_owned() + form(emulation.variant, is_strided(&emulation));
                    let Emulated { fault, printed: words } = emulator(&name, emulation);
                    *printed = Some(cumbia::__private::printed(&words));
                    fault
                })
            }
            Executor::Nowhere => {
                // A rejected launch is reported by the runs that execute it.
                let _ = launch.emulate(&mut |emulation| {
                    let chosen = if emulation.is_coarsened { coarsened_form } else { form };
                    look.launched.insert(chosen(emulation.variant, is_strided(&emulation)));
                    // All variants: later launches may depend on the results of this one.
                    for variant in Variant::ALL {
                        let checked = inspect::cuda_source::<K>().ok();
                        let text = inspect::cuda_source_of::<K>(variant).ok().filter(|_| variant != Variant::Checked);
                        let text = text.filter(|text| checked.as_ref() != Some(text));
                        look.others.extend(text.map(|text| (form(variant, false), text)));
                        let is_strided = is_strided(&emulation);
                        if is_strided {
                            let text = inspect::strided_source_of::<K>(variant).ok();
                            look.others.extend(text.map(|text| (form(variant, true), text)));
                        }
                        for is_strided in [false, is_strided] {
                            let text = inspect::coarsened_source_of::<K>(variant, is_strided).ok().flatten();
                            look.others.extend(text.map(|text| (coarsened_form(variant, is_strided), text)));
                        }
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

    /// Compares the output of the last launch with the expected output. Only an emulator makes it available: a device
    /// prints to the standard output, which `tests/printing.rs` checks.
    #[track_caller]
    pub fn expect_printed(&mut self, expected: &str) {
        if let Some(printed) = self.printed.take()
            && printed != expected
        {
            self.record.wrong_at(Location::caller(), &format!("printed {printed:?}, expected {expected:?}"));
        }
    }

    /// Compares the message of the last launch's fault with that of Rust's panic.
    #[track_caller]
    pub fn expect_words(&mut self, expected: &str) {
        if let Some(kind) = self.fault.take()
            && !says(&kind, expected)
        {
            self.record
                .wrong_at(Location::caller(), &format!("the fault is “{kind}”, but Rust panics with “{expected}”"));
        }
    }

    /// Returns whether the kernels are only collected, so that there are no results to check.
    pub fn is_nowhere(&self) -> bool {
        matches!(self.place, Executor::Nowhere)
    }

    /// Records a mismatch with the expected behaviour.
    #[track_caller]
    pub fn wrong(&mut self, what: &str) {
        self.record.wrong_at(Location::caller(), what);
    }

    /// Records an array as a result that must be bit-identical on every device.
    pub fn output<T: DeviceType>(&mut self, name: &str, array: &DeviceArray<T>) {
        self.output_within(name, array, Tolerance::Exact);
    }

    /// Records an array as a result that may differ by `tolerance` between devices.
    pub fn output_within<T: DeviceType>(&mut self, name: &str, array: &DeviceArray<T>, tolerance: Tolerance) {
        if !matches!(self.place, Executor::Nowhere) {
            self.record.output(
                name,
                &array.to_host().expect("each launch is followed by a synchronization that returns its fault"),
                tolerance,
            );
        }
    }

    /// As [`Run::output`], and compares with the result of plain Rust for the same inputs.
    #[track_caller]
    pub fn expect<T: DeviceType>(&mut self, name: &str, array: &DeviceArray<T>, expected: &[T]) {
        self.expect_within(name, array, expected, Tolerance::Exact);
    }

    /// As [`Run::expect`], with a tolerance.
    #[track_caller]
    pub fn expect_within<T: DeviceType>(
        &mut self,
        name: &str,
        array: &DeviceArray<T>,
        expected: &[T],
        tolerance: Tolerance,
    ) {
        if matches!(self.place, Executor::Nowhere) {
            return;
        }
        self.output_within(name, array, tolerance);
        self.record.expect(Location::caller(), expected);
    }
}
