//! The output of a run: a table on the terminal, JSON, and `benchmarks.md` with charts.

use std::fmt::Write as _;
use std::path::Path;

use cumbia::Device;
use serde_json::{Value, json};

use crate::chart::{Bar, bars};
use crate::measure::Measured;
use crate::workload::{Variant, Work};

/// The titles of the charts.
const BY_HAND: &str = "Speed of safe kernels, relative to hand-written CUDA C++";
const OF_PEERS: &str = "Speed of other systems, relative to safe kernels of Cumbia";

/// The measurements, and the machine that they were made on.
pub(crate) struct Run {
    pub(crate) machine: Machine,
    pub(crate) measured: Vec<Measured>,
    pub(crate) peers: Vec<Peer>,
}

/// The device and the versions of NVIDIA's software.
pub(crate) struct Machine {
    device: String,
    driver: String,
    cuda: String,
    nvrtc: String,
}

impl Machine {
    pub(crate) fn of(device: &Device) -> Self {
        let report = cumbia::doctor();
        let unknown = || "unknown".to_owned();
        let (driver, cuda) = match report.driver {
            Ok(driver) => (
                driver.release.unwrap_or_else(unknown),
                driver.cuda.map_or_else(unknown, |version| version.to_string()),
            ),
            Err(_) => (unknown(), unknown()),
        };
        let nvrtc = report.nvrtc.map_or_else(|_| unknown(), |nvrtc| nvrtc.version.to_string());
        Machine { device: device.name().to_owned(), driver, cuda, nvrtc }
    }

    fn line(&self) -> String {
        let Machine { device, driver, cuda, nvrtc } = self;
        format!("{device}, driver {driver} (CUDA {cuda}), NVRTC {nvrtc}, Cumbia {}", env!("CARGO_PKG_VERSION"))
    }
}

/// A workload that another system has run on the same machine.
pub(crate) struct Peer {
    workload: String,
    name: String,
    seconds: f64,
}

/// Reads results of other systems: a list of objects with `workload`, `peer` and `ms`, of which others are ignored.
pub(crate) fn peers(path: &Path) -> Result<Vec<Peer>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let rows: Value = serde_json::from_str(&text).map_err(|error| failed(&error))?;
    let rows = rows.as_array().ok_or_else(|| failed(&"not a list"))?;
    let peer = |row: &Value| {
        let text = |key| Some(row.get(key)?.as_str()?.to_owned());
        Some(Peer { workload: text("workload")?, name: text("peer")?, seconds: row.get("ms")?.as_f64()? * 1e-3 })
    };
    Ok(rows.iter().filter_map(peer).collect())
}

impl Run {
    /// Returns the peers of a workload, each with its speed relative to the safe kernel.
    fn peers_of<'a>(&'a self, measured: &'a Measured) -> impl Iterator<Item = (&'a Peer, f64)> {
        let of_workload = |peer: &&Peer| !measured.peer.is_empty() && peer.workload == measured.peer;
        let alone = measured.alone.unwrap_or(f64::NAN);
        self.peers.iter().filter(of_workload).map(move |peer| (peer, alone / peer.seconds))
    }

    /// Returns the geometric mean of the ratios of a variant.
    fn mean(&self, variant: Variant) -> f64 {
        let logarithms: f64 = self.measured.iter().map(|measured| measured.ratio(variant).ln()).sum();
        (logarithms / self.measured.len() as f64).exp()
    }

    /// Prints the geometric means and the slowest workload.
    pub(crate) fn print_summary(&self) {
        let [safe, unchecked, narrow] = Variant::ALL.map(|variant| self.mean(variant));
        println!("{:<28} {:>10} {:>18} {safe:>8.3} {unchecked:>10.3} {narrow:>8.3}", "geometric mean", "", "");
        let slowest = self.measured.iter().min_by(|a, b| a.ratio(Variant::Safe).total_cmp(&b.ratio(Variant::Safe)));
        if let Some(slowest) = slowest {
            println!("the slowest: {}, {:.3}", slowest.title, slowest.ratio(Variant::Safe));
        }
    }

    /// Returns the results with absolute times.
    pub(crate) fn json(&self) -> String {
        let workload = |measured: &Measured| {
            let (work, unit) = match measured.work {
                Work::Bytes(bytes) => (bytes as f64, "bytes"),
                Work::Flops(flops) => (flops, "flops"),
                Work::Items(items) => (items as f64, "items"),
            };
            let variants = measured.variants.iter().map(|(variant, time)| {
                let (rate, unit) = measured.rate(*time);
                let ratio = measured.reference() / time;
                json!({ "variant": variant.label(), "seconds": time, "rate": rate, "unit": unit, "ratio": ratio })
            });
            let by_hand = measured.by_hand.iter().map(|(name, time)| {
                let (rate, unit) = measured.rate(*time);
                json!({ "name": name, "seconds": time, "rate": rate, "unit": unit })
            });
            let peers = self
                .peers_of(measured)
                .map(|(peer, ratio)| json!({ "name": peer.name, "seconds": peer.seconds, "ratio": ratio }));
            json!({
                "name": measured.name, "title": measured.title, "work": work, "of": unit,
                "cumbia": variants.collect::<Vec<_>>(), "by_hand": by_hand.collect::<Vec<_>>(),
                "peers": peers.collect::<Vec<_>>(), "alone": measured.alone,
            })
        };
        let Machine { device, driver, cuda, nvrtc } = &self.machine;
        let means = Variant::ALL.map(|variant| (variant.label().to_owned(), self.mean(variant).into()));
        let run = json!({
            "device": device, "driver": driver, "cuda": cuda, "nvrtc": nvrtc, "cumbia": env!("CARGO_PKG_VERSION"),
            "workloads": self.measured.iter().map(workload).collect::<Vec<_>>(),
            "geometric_mean": serde_json::Map::from_iter(means),
        });
        format!("{run:#}\n")
    }

    /// Writes `benchmarks.md` and its charts into a directory.
    pub(crate) fn write_report(&self, folder: &Path) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(folder).map_err(failed)?;
        let charts =
            [("benchmarks-by-hand.svg", self.chart_by_hand()), ("benchmarks-peers.svg", self.chart_of_peers())];
        for (name, chart) in charts {
            if let Some((title, bars_of_chart)) = chart {
                let svg = bars(&title, &bars_of_chart)?;
                std::fs::write(folder.join(name), svg).map_err(failed)?;
            }
        }
        std::fs::write(folder.join("benchmarks.md"), self.markdown()).map_err(failed)
    }

    /// The chart of the safe kernels against the hand-written ones.
    fn chart_by_hand(&self) -> Option<(String, Vec<Bar>)> {
        let bar = |measured: &Measured| Bar::new(measured.title, measured.ratio(Variant::Safe));
        let bars: Vec<_> = self.measured.iter().map(bar).collect();
        (!bars.is_empty()).then(|| (BY_HAND.to_owned(), bars))
    }

    /// The chart of the other systems, if there are any.
    fn chart_of_peers(&self) -> Option<(String, Vec<Bar>)> {
        let mut bars = Vec::new();
        for measured in &self.measured {
            for (peer, ratio) in self.peers_of(measured) {
                let name = format!("{}: {}", measured.title, peer.name);
                bars.push(Bar::new(&name, ratio));
            }
        }
        (!bars.is_empty()).then(|| (OF_PEERS.to_owned(), bars))
    }

    fn markdown(&self) -> String {
        let mut text = format!(
            "# Benchmarks\n\n\
             Each workload of `benches/suite` as a safe kernel that a user writes without tuning, against hand-written CUDA C++: the\n\
             same algorithm with the same elements per thread and 32-bit indices, and with vector loads only where the kernel has\n\
             them, compiled by the same NVRTC with the same options. The last column has versions with vector loads. The table has\n\
             relative speeds, since ratios are more reproducible than times: 1.05 is 5 % faster than the hand-written CUDA C++. All of\n\
             it is from one run of\n\n\
             ```sh\ncargo bench --bench suite -- --report docs\n```\n\n\
             on {}.\n\n\
             ![{BY_HAND}](benchmarks-by-hand.svg)\n\n\
             | workload | `#[kernel]` | `unchecked` | `index = u32` | tuned CUDA C++ |\n|---|---|---|---|---|\n",
            self.machine.line()
        );
        for measured in &self.measured {
            let [safe, unchecked, narrow] = Variant::ALL.map(|variant| measured.ratio(variant));
            let others = measured.by_hand[1..].iter().map(|(name, time)| {
                let kind = name.strip_prefix("CUDA C, ").unwrap_or(name);
                format!("{kind}: {:.3}", measured.reference() / time)
            });
            let others = others.collect::<Vec<_>>().join(", ");
            writeln!(text, "| {} | {safe:.3} | {unchecked:.3} | {narrow:.3} | {others} |", measured.title)
                .expect("writing into a string");
        }
        let [safe, unchecked, narrow] = Variant::ALL.map(|variant| self.mean(variant));
        writeln!(text, "| geometric mean | {safe:.3} | {unchecked:.3} | {narrow:.3} | |")
            .expect("writing into a string");
        let mut peers = String::new();
        for measured in &self.measured {
            for (peer, ratio) in self.peers_of(measured) {
                writeln!(peers, "| {} | {} | {ratio:.3} |", measured.title, peer.name).expect("writing into a string");
            }
        }
        if !peers.is_empty() {
            write!(
                text,
                "\n## Other systems\n\n\
                 Their speeds on the same machine, relative to the safe kernel of Cumbia. Both are measured as by Triton's\n\
                 `do_bench`: one launch between two events, without its data in the L2 cache; the times above are those of\n\
                 launches back to back. Libraries may use other algorithms.\n\n\
                 ![{OF_PEERS}](benchmarks-peers.svg)\n\n\
                 | workload | system | relative speed |\n|---|---|---|\n"
            )
            .expect("writing into a string");
            text.push_str(&peers);
        }
        text
    }
}

/// Prints the head of the table.
pub(crate) fn print_head(machine: &Machine) {
    println!("{}", machine.line());
    println!("speed relative to hand-written CUDA C++ (1.05: 5 % faster)");
    println!(
        "{:<28} {:>10} {:>18} {:>8} {:>10} {:>8}",
        "workload", "µs by hand", "rate by hand", "safe", "unchecked", "u32"
    );
}

/// Prints a row of the table.
pub(crate) fn print_row(run: &Run, measured: &Measured) {
    let [safe, unchecked, narrow] = Variant::ALL.map(|variant| measured.ratio(variant));
    let (rate, unit) = measured.rate(measured.reference());
    let (rate, time) = (format!("{rate:.1} {unit}"), 1e6 * measured.reference());
    print!("{:<28} {time:>10.1} {rate:>18} {safe:>8.3} {unchecked:>10.3} {narrow:>8.3}", measured.title);
    for (name, time) in &measured.by_hand[1..] {
        print!("  {name} {:.3}", measured.reference() / time);
    }
    for (peer, ratio) in run.peers_of(measured) {
        print!("  {} {ratio:.3} of safe", peer.name);
    }
    println!();
}
