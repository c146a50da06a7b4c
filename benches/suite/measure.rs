//! The measurement of a workload: the results of all variants are compared, then their times are taken alternately.

use std::time::{Duration, Instant};

use cumbia::__private::inspect::cubin_by_hand;
use cumbia::prelude::*;

use crate::hand::RawKernel;
use crate::workload::{Entry, Size, Variant, Work, Workload};

/// The times of a workload.
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) peer: &'static str,
    pub(crate) work: Work,
    /// Seconds per launch of each variant of Cumbia's kernel.
    pub(crate) variants: Vec<(Variant, f64)>,
    /// Seconds per launch of each hand-written kernel, with its name.
    pub(crate) by_hand: Vec<(&'static str, f64)>,
    /// Seconds of a launch of the safe kernel alone, if the workload has peers: see [`alone`].
    pub(crate) alone: Option<f64>,
}

impl Measured {
    /// Returns the time of the hand-written kernel of the same algorithm.
    pub(crate) fn reference(&self) -> f64 {
        self.by_hand[0].1
    }

    /// Returns the speed of a variant, relative to the hand-written kernel.
    pub(crate) fn ratio(&self, variant: Variant) -> f64 {
        let time = self.variants.iter().find(|(which, _)| *which == variant).map_or(f64::NAN, |(_, time)| *time);
        self.reference() / time
    }

    /// Returns the rate in the unit of the workload.
    pub(crate) fn rate(&self, seconds: f64) -> (f64, &'static str) {
        match self.work {
            Work::Bytes(bytes) => (bytes as f64 / seconds / 1e9, "GB/s"),
            Work::Flops(flops) => (flops / seconds / 1e12, "TFLOP/s"),
            Work::Items(items) => (items as f64 / seconds / 1e9, "G items/s"),
        }
    }
}

/// The time of a sample, which amortises the synchronization and the resolution of the clock.
const SAMPLE: Duration = Duration::from_millis(25);
/// The number of samples, of which the median is taken.
const SAMPLES: usize = 7;

/// One of the kernels that are compared.
enum Contestant {
    Cumbia(Variant),
    ByHand(usize),
}

/// Compares the results of all kernels of a workload, and measures them unless the size is small. The error of a wrong result is
/// its description.
pub(crate) fn measure(entry: &Entry, device: &Device, size: Size) -> Result<Measured, String> {
    let failed = |error: cumbia::Error| format!("{}: {error}", entry.name);
    let mut workload = (entry.new)(device, size).map_err(failed)?;
    // Nothing is launched by hand on the CPU device.
    let mut raw = Vec::new();
    if let Some((major, minor)) = device.compute_capability() {
        let suffix = if major >= 9 { "a" } else { "" };
        let architecture = format!("sm_{major}{minor}{suffix}");
        let cubin = cubin_by_hand(entry.name, entry.cuda_c, &architecture, entry.fast_math).map_err(failed)?;
        raw.extend(workload.by_hand().into_iter().map(|launch| RawKernel::new(&cubin, launch)));
    }

    let mut contestants: Vec<_> = Variant::ALL.map(Contestant::Cumbia).into();
    contestants.extend((0..raw.len()).map(Contestant::ByHand));
    compare(entry, device, size, &mut *workload, &mut raw, &contestants)?;
    let mut measured = Measured {
        name: entry.name,
        title: entry.title,
        peer: entry.peer,
        work: workload.work(),
        variants: Vec::new(),
        by_hand: Vec::new(),
        alone: None,
    };
    if size == Size::Full {
        if !entry.peer.is_empty() {
            measured.alone = Some(alone(device, &mut *workload).map_err(failed)?);
        }
        let times = times(device, &mut *workload, &mut raw, &contestants).map_err(failed)?;
        for (contestant, time) in contestants.iter().zip(times) {
            match contestant {
                Contestant::Cumbia(variant) => measured.variants.push((*variant, time)),
                Contestant::ByHand(k) => measured.by_hand.push((entry.entries[*k].1, time)),
            }
        }
    }
    Ok(measured)
}

/// Compares the results of all kernels with those of the first one, and at a small size with the reference.
fn compare(
    entry: &Entry,
    device: &Device,
    size: Size,
    workload: &mut dyn Workload,
    raw: &mut [RawKernel],
    contestants: &[Contestant],
) -> Result<(), String> {
    let failed = |error: cumbia::Error| format!("{}: {error}", entry.name);
    let mut expected = match size {
        Size::Full => None,
        Size::Small => Some(workload.expected().map_err(failed)?),
    };
    for contestant in contestants {
        workload.reset().and_then(|()| device.synchronize()).map_err(failed)?;
        run(device, workload, raw, contestant, 1).map_err(failed)?;
        let results = workload.results().map_err(failed)?;
        let label = match contestant {
            Contestant::Cumbia(variant) => variant.label(),
            Contestant::ByHand(k) => entry.entries[*k].1,
        };
        match &expected {
            None => expected = Some(results),
            Some(expected) => {
                if let Some(difference) = entry.tolerance.difference(&results, expected) {
                    return Err(format!("{}, {label}: {difference}", entry.name));
                }
            }
        }
    }
    Ok(())
}

/// Launches a kernel `count` times, and waits.
fn run(
    device: &Device,
    workload: &mut dyn Workload,
    raw: &mut [RawKernel],
    contestant: &Contestant,
    count: usize,
) -> cumbia::Result<()> {
    match contestant {
        Contestant::Cumbia(variant) => {
            for _ in 0..count {
                workload.launch(*variant)?;
            }
            device.synchronize()
        }
        Contestant::ByHand(k) => {
            for _ in 0..count {
                // SAFETY: the workload states the launch of its kernel, and holds the arrays.
                unsafe { raw[*k].launch() };
            }
            raw[*k].synchronize();
            Ok(())
        }
    }
}

/// Returns the median time of a launch of each kernel, in seconds. The kernels run alternately, so that changes of the clock rate
/// affect all of them, and each of them first in turn.
fn times(
    device: &Device,
    workload: &mut dyn Workload,
    raw: &mut [RawKernel],
    contestants: &[Contestant],
) -> cumbia::Result<Vec<f64>> {
    let mut counts = Vec::new();
    for contestant in contestants {
        run(device, workload, raw, contestant, 1)?; // warms up
        let start = Instant::now();
        run(device, workload, raw, contestant, 10)?;
        let once = start.elapsed().as_secs_f64() / 10.0;
        counts.push((SAMPLE.as_secs_f64() / once).ceil().clamp(1.0, 5000.0) as usize);
    }
    let mut samples = vec![Vec::new(); contestants.len()];
    for round in 0..SAMPLES {
        for k in 0..contestants.len() {
            let which = (k + round) % contestants.len();
            let (count, start) = (counts[which], Instant::now());
            run(device, workload, raw, &contestants[which], count)?;
            samples[which].push(start.elapsed().as_secs_f64() / count as f64);
        }
    }
    Ok(samples.into_iter().map(median).collect())
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// The size in bytes of the array that is written before each launch in [`alone`], which exceeds the L2 cache.
const FLUSHED: usize = 256 << 20;

/// Returns the median time of a launch of the safe kernel alone, in seconds: between two events, without its data in the L2
/// cache. Peers are measured so, by `triton.testing.do_bench`. For short kernels that is a few microseconds more than the time
/// per launch of launches back to back.
fn alone(device: &Device, workload: &mut dyn Workload) -> cumbia::Result<f64> {
    let mut flushed = device.zeros::<u32>(FLUSHED / size_of::<u32>())?;
    let stream = device.default_stream();
    let mut samples = Vec::new();
    let start = Instant::now();
    while samples.len() < 20 || (samples.len() < 300 && start.elapsed() < 10 * SAMPLE) {
        flushed.fill(0)?;
        let before = stream.record()?;
        workload.launch(Variant::Safe)?;
        let after = stream.record()?;
        after.synchronize()?;
        samples.push(after.duration_since(&before)?.as_secs_f64());
    }
    Ok(median(samples))
}
