//! The choice between the variants of a kernel at a launch.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Mutex;

use cumbia::precompile::Plan;
use cumbia::prelude::*;
use cumbia::{BlockLimit, CompileError, DeviceArray, Error, Graph, LaunchError};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::fake::{Build, Fake};
use crate::kernels::{scaled, scaled_proved, scaled_together, scaled_unchecked, scattered_proved, seventeen, together};
use crate::{allocations, scenarios};

fn zeros(device: &Device, len: usize) -> DeviceArray<f32> {
    device.zeros(len).unwrap()
}

/// Checks that a launch of a kernel with `prove` was rejected.
#[track_caller]
fn check_rejected(result: cumbia::Result<()>) {
    let error = result.expect_err("the launch was accepted");
    assert!(matches!(error, Error::Launch(LaunchError::Unproven { .. })), "{error}");
}

/// Returns the number of loaded modules, and the build of the last launch.
fn state(fake: &Fake) -> (i64, Build) {
    (fake.calls("cuModuleLoadDataEx"), fake.last_build())
}

/// The values of `variant` of the received launches.
static LAUNCHED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A subscriber that keeps the variants of launches.
struct VariantListener;

impl Visit for VariantListener {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "variant" {
            LAUNCHED.lock().unwrap().push(format!("{value:?}"));
        }
    }
}

impl Subscriber for VariantListener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "cumbia::launch"
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut VariantListener);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

scenarios! {
    fn lengths_and_grid_select_the_variant() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y, mut short) = (zeros(&device, 512), zeros(&device, 512), zeros(&device, 511));
        for _ in 0..3 {
            scaled(1.0, &x, &mut y).grid(2).block(256).launch().unwrap();
            assert_eq!(state(&fake), (1, Build::Proven));
        }
        scaled(1.0, &x, &mut short).grid(2).block(256).launch().unwrap();
        for _ in 0..3 {
            scaled(1.0, &x, &mut y).grid(3).block(256).launch().unwrap();
            assert_eq!((state(&fake), fake.last_checks()), ((3, Build::Checked), 2));
            // Only `y` may be too short.
            scaled(1.0, &x, &mut short).grid(2).block(256).launch().unwrap();
            assert_eq!((state(&fake), fake.last_checks()), ((3, Build::Checked), 1));
            scaled(1.0, &x, &mut y).grid(2).block(256).launch().unwrap();
            assert_eq!((state(&fake), fake.last_checks()), ((3, Build::Proven), 0));
            scaled(1.0, &x, &mut short).grid(1).block(511).launch().unwrap();
            assert_eq!(state(&fake), (3, Build::Proven));
        }
    }

    /// A launch for which there is no partial variant runs the best of those that there are, or the checked one.
    fn partial_variants_are_few() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let arrays: [DeviceArray<f32>; 16] = std::array::from_fn(|_| zeros(&device, 64));
        let (short, mut y) = (zeros(&device, 63), zeros(&device, 64));
        let mut launch = |first: &DeviceArray<f32>, second: &DeviceArray<f32>, third: &DeviceArray<f32>| {
            let [_, _, _, d, e, f, g, h, i, j, k, l, m, n, o, p] = &arrays;
            let launch = seventeen(1.0, first, second, third, d, e, f, g, h, i, j, k, l, m, n, o, p, &mut y);
            launch.grid(2).block(32).launch().unwrap();
            (fake.calls("cuModuleLoadDataEx"), fake.last_checks())
        };
        let x = &arrays[0];
        for _ in 0..2 {
            assert_eq!(launch(&short, &short, x), (1, 2));
        }
        assert_eq!(launch(x, &short, x), (2, 1));
        assert_eq!(launch(&short, &short, x), (2, 2));
        // The first of the two also checks this one.
        assert_eq!(launch(&short, x, x), (2, 2));
        assert_eq!(launch(x, &short, x), (2, 1));
        assert_eq!(launch(x, x, &short), (3, 17));
        assert_eq!(launch(x, x, x), (4, 0));
    }

    /// A program with precompiled kernels compiles nothing.
    fn partial_variants_are_not_compiled_beside_precompiled_ones(
        "CUMBIA_KERNELS" = concat!(env!("CARGO_TARGET_TMPDIR"), "/partial-kernels")
    ) {
        let folder = Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/partial-kernels"));
        let _ = std::fs::remove_dir_all(folder);
        Plan::new().instance::<scaled>().architectures(["sm_90"]).quiet().compile_into(folder).unwrap();
        let compilations = cumbia::cache::stats().compilations;
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut short) = (zeros(&device, 512), zeros(&device, 511));
        for _ in 0..2 {
            scaled(1.0, &x, &mut short).grid(2).block(256).launch().unwrap();
            assert_eq!((state(&fake), fake.last_checks()), ((1, Build::Checked), 2));
        }
        assert_eq!(cumbia::cache::stats().compilations, compilations);
    }

    /// The first launch compiles the variant that it runs.
    fn a_first_launch_out_of_bounds_compiles_once() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device, 250), zeros(&device, 250));
        scaled(1.0, &x, &mut y).over(250).launch().unwrap();
        assert_eq!(state(&fake), (1, Build::Checked));
        scaled(1.0, &x, &mut y).grid(1).block(250).launch().unwrap();
        assert_eq!(state(&fake), (2, Build::Proven));
    }

    fn a_first_launch_in_bounds_compiles_once() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device, 256), zeros(&device, 256));
        scaled(1.0, &x, &mut y).over(256).launch().unwrap();
        assert_eq!((state(&fake), fake.last_launch().block), ((1, Build::Proven), [64, 1, 1]));
        assert_eq!(scaled(1.0, &x, &mut y).over(256).occupancy().unwrap().blocks, 32);
        assert_eq!(scaled::attributes(&device).unwrap().registers, 32);
        assert_eq!(state(&fake).0, 1);
    }

    /// The predicate holds for the default block, and not for the block that occupancy picks.
    fn the_final_block_decides() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let len = (1 << 20) + 256;
        let (x, mut y) = (zeros(&device, len), zeros(&device, len));
        for _ in 0..2 {
            scaled(1.0, &x, &mut y).over(len).shared_bytes(150_000).launch().unwrap();
            assert_eq!((state(&fake), fake.last_launch().block), ((2, Build::Checked), [1024, 1, 1]));
        }
        scaled(1.0, &x, &mut y).over(len).launch().unwrap();
        assert_eq!((state(&fake), fake.last_launch().block), ((2, Build::Proven), [256, 1, 1]));
    }

    /// A launch on the slow path allocates.
    fn a_changed_verdict_leaves_the_fast_path() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let x: [DeviceArray<f32>; 16] = std::array::from_fn(|_| zeros(&device, 64));
        let launch = |factor: f32, last: &DeviceArray<f32>, y: &mut DeviceArray<f32>| {
            let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, _] = &x;
            let launch = seventeen(factor, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, last, y);
            let count = allocations::once(|| launch.grid(2).block(32).launch().unwrap());
            (count > 0, fake.last_build())
        };
        let [long, longer] = [64, 100].map(|len| zeros(&device, len));
        let [short, shorter] = [63, 7].map(|len| zeros(&device, len));
        let [mut y, mut short_y] = [64, 50].map(|len| zeros(&device, len));
        assert_eq!(launch(1.0, &long, &mut y), (true, Build::Proven));
        // Neither values that the predicate does not read nor other lengths in bounds lead to the slow path.
        for factor in [1.0, 2.0, 3.0] {
            for last in [&long, &longer, &long, &x[15]] {
                assert_eq!(launch(factor, last, &mut y), (false, Build::Proven));
            }
        }
        // The first launch of each variant that keeps some of the checks compiles it.
        for y in [&mut y, &mut short_y] {
            assert_eq!(launch(1.0, &short, y), (true, Build::Checked));
            for last in [&short, &shorter, &short] {
                assert_eq!(launch(2.0, last, y), (false, Build::Checked));
            }
        }
        // There are no further ones: this is the one that also checks `last`.
        assert_eq!(launch(1.0, &long, &mut short_y), (false, Build::Checked));
        assert_eq!(launch(1.0, &long, &mut y), (true, Build::Proven));
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 3);
    }

    /// The checked variant needs so many registers that the block is too large for it.
    fn a_launch_out_of_bounds_has_the_resources_of_one_in_bounds() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y, mut short) = (zeros(&device, 512), zeros(&device, 512), zeros(&device, 511));
        fake.registers(64);
        fake.checked_registers(255);
        for _ in 0..2 {
            scaled(1.0, &x, &mut short).grid(1).block(512).launch().unwrap();
            assert_eq!(state(&fake), (4, Build::Limited));
            scaled(1.0, &x, &mut y).grid(1).block(512).launch().unwrap();
            assert_eq!(state(&fake), (4, Build::Proven));
            scaled(1.0, &x, &mut short).grid(2).block(256).launch().unwrap();
            assert_eq!(state(&fake), (4, Build::Checked));
        }
        scaled(1.0, &x, &mut short).grid(1).block(512).prepare().unwrap().launch().unwrap();
        assert_eq!(state(&fake), (4, Build::Limited));
    }

    /// No variant can run the block.
    fn a_block_that_is_too_large_is_rejected() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y, mut short) = (zeros(&device, 512), zeros(&device, 512), zeros(&device, 511));
        fake.registers(255);
        for y in [&mut y, &mut short] {
            let error = scaled(1.0, &x, y).grid(1).block(512).launch().unwrap_err();
            let Error::Launch(LaunchError::BlockTooLarge { limit: 256, reason, .. }) = error else { panic!("{error}") };
            assert_eq!(reason, BlockLimit::Registers { per_thread: 255, per_block: 65_536 });
        }
        assert_eq!(fake.calls("cuLaunchKernel"), 0);
    }

    /// The proven variant can need more registers, too.
    fn the_checked_variant_runs_where_the_proven_one_cannot() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device, 512), zeros(&device, 512));
        fake.registers(255);
        fake.checked_registers(64);
        for _ in 0..2 {
            scaled(1.0, &x, &mut y).grid(1).block(512).launch().unwrap();
            assert_eq!(state(&fake), (2, Build::Checked));
        }
    }

    fn cooperative_blocks_fit_every_variant() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        fake.checked_registers(128);
        let mut x = zeros(&device, 132 * 8 * 256);
        let most = scaled_together(&mut x).block(256).cooperative_blocks().unwrap();
        assert_eq!(most, 132 * 2);
        scaled_together(&mut x).grid(most).block(256).cooperative().launch().unwrap();
        assert_eq!(state(&fake), (3, Build::Proven));
        scaled_together(&mut x).grid(132 * 8).block(256).cooperative().launch().unwrap();
        assert_eq!(state(&fake), (3, Build::Proven));
        let mut short = zeros(&device, 1000);
        scaled_together(&mut short).grid(most).block(256).cooperative().launch().unwrap();
        assert_eq!(state(&fake), (3, Build::Checked));
        scaled_together(&mut short).grid(132 * 8).block(256).cooperative().launch().unwrap();
        assert_eq!(state(&fake), (4, Build::Limited));
        let error = scaled_together(&mut short).grid(132 * 8 + 1).block(256).cooperative().launch().unwrap_err();
        assert!(matches!(error, Error::Launch(LaunchError::GridNotResident { .. })), "{error}");
    }

    fn a_prepared_launch_keeps_its_variant() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y, mut short) = (zeros(&device, 512), zeros(&device, 512), zeros(&device, 511));
        let proven = scaled(1.0, &x, &mut y).grid(2).block(256).prepare().unwrap();
        let checked = scaled(1.0, &x, &mut short).grid(2).block(256).prepare().unwrap();
        for _ in 0..2 {
            proven.launch().unwrap();
            assert_eq!(state(&fake), (2, Build::Proven));
            checked.launch().unwrap();
            assert_eq!(state(&fake), (2, Build::Checked));
        }
    }

    /// A step that runs another variant than in the run before is updated.
    fn a_graph_changes_the_variant_of_a_step() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y, mut short) = (zeros(&device, 512), zeros(&device, 512), zeros(&device, 511));
        let mut graph = Graph::new(&device.stream().unwrap());
        let mut run = |y: &mut DeviceArray<f32>, expected| {
            graph.run(|g| g.launch(scaled(1.0, &x, y).grid(2).block(256))).unwrap();
            assert_eq!((fake.last_build(), graph.builds()), expected);
        };
        run(&mut y, (Build::Proven, 1));
        run(&mut short, (Build::Checked, 1));
        run(&mut y, (Build::Proven, 1));
        assert_eq!(fake.calls("cuGraphExecKernelNodeSetParams"), 2);
        // A driver may reject another function.
        fake.reject("cuGraphExecKernelNodeSetParams", 801, 0, 1);
        run(&mut short, (Build::Checked, 2));
    }

    fn the_checks_can_be_kept("CUMBIA_VARIANT" = "checked") {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device, 512), zeros(&device, 512));
        scaled(1.0, &x, &mut y).grid(2).block(256).launch().unwrap();
        scaled(1.0, &x, &mut y).over(512).launch().unwrap();
        assert_eq!(state(&fake), (1, Build::Checked));
        assert_eq!(scaled_together(&mut y).block(256).cooperative_blocks().unwrap(), 132 * 8);
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 2);
    }

    /// The checked variant of a kernel with `prove` is not even compiled.
    fn a_launch_that_is_not_proved_is_rejected() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y, mut short) = (zeros(&device, 512), zeros(&device, 512), zeros(&device, 511));
        check_rejected(scaled_proved(1.0, &x, &mut y).grid(3).block(256).launch());
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 0);
        // The block of `.over(..)` depends on the registers.
        check_rejected(scaled_proved(1.0, &x, &mut short).over(511).launch());
        for _ in 0..3 {
            scaled_proved(1.0, &x, &mut y).grid(2).block(256).launch().unwrap();
            check_rejected(scaled_proved(1.0, &x, &mut short).grid(2).block(256).launch());
            check_rejected(scaled_proved(1.0, &x, &mut short).over(511).launch());
            check_rejected(scaled_proved(1.0, &x, &mut short).over(511).prepare().map(drop));
            scaled_proved(1.0, &x, &mut y).over(512).launch().unwrap();
            // One has picked the block of the launch that was rejected, the other has 32-bit indices.
            assert_eq!(state(&fake), (2, Build::Proven));
        }
        let mut graph = Graph::new(&device.stream().unwrap());
        check_rejected(graph.run(|g| g.launch(scaled_proved(1.0, &x, &mut short).grid(2).block(256))));
        assert_eq!(fake.calls("cuLaunchKernel"), 6);
    }

    /// A launch that is proved may need the checked variant, which does not make others valid.
    fn registers_do_not_change_what_is_rejected() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y, mut short) = (zeros(&device, 512), zeros(&device, 512), zeros(&device, 511));
        fake.registers(255);
        fake.checked_registers(64);
        for _ in 0..2 {
            scaled_proved(1.0, &x, &mut y).grid(1).block(512).launch().unwrap();
            assert_eq!(state(&fake), (2, Build::Checked));
            check_rejected(scaled_proved(1.0, &x, &mut short).grid(1).block(512).launch());
        }
    }

    fn kept_checks_do_not_change_what_is_rejected("CUMBIA_VARIANT" = "checked") {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y, mut short) = (zeros(&device, 512), zeros(&device, 512), zeros(&device, 511));
        for _ in 0..2 {
            scaled_proved(1.0, &x, &mut y).grid(2).block(256).launch().unwrap();
            assert_eq!(state(&fake), (1, Build::Checked));
            check_rejected(scaled_proved(1.0, &x, &mut short).grid(2).block(256).launch());
        }
    }

    fn a_kept_check_is_rejected_before_the_compilation() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (to, mut y) = (device.zeros::<u32>(1).unwrap(), zeros(&device, 512));
        for _ in 0..2 {
            let error = scattered_proved::<f32>(&to, &mut y).over(1).launch().unwrap_err();
            assert!(matches!(error, Error::Compile(CompileError::Unproven { .. })), "{error}");
        }
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 0);
    }

    /// A kernel without bounds checks runs the same variant whether an index is out of bounds or not.
    fn an_unchecked_kernel_has_no_variants() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device, 512), zeros(&device, 512));
        for blocks in [2, 3] {
            // SAFETY: the fake driver runs no kernels.
            unsafe { scaled_unchecked(1.0, &x, &mut y).grid(blocks).block(256).launch() }.unwrap();
        }
        assert_eq!(fake.calls("cuModuleLoadDataEx"), 1);
    }

    fn all_variants_are_precompiled("CUMBIA_KERNELS" = concat!(env!("CARGO_TARGET_TMPDIR"), "/variants-kernels")) {
        let folder = Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/variants-kernels"));
        let _ = std::fs::remove_dir_all(folder);
        let plan = Plan::new().instance::<scaled>().instance::<together>().architectures(["sm_90"]).quiet();
        let report = plan.compile_into(folder).unwrap();
        let of = |name: &str| report.kernels.iter().filter(|compiled| compiled.kernel.ends_with(name)).count();
        // With and without 32-bit indices, and with all checks; the first two also coarsened.
        assert_eq!((of("::scaled"), of("::together")), (5, 2));
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let (x, mut y) = (zeros(&device, 512), zeros(&device, 512));
        for (blocks, build) in [(2, Build::Proven), (3, Build::Checked)] {
            scaled(1.0, &x, &mut y).grid(blocks).block(256).launch().unwrap();
            assert_eq!(fake.last_build(), build);
        }
        together(&mut y).over(512).launch().unwrap();
        let stats = cumbia::cache::stats();
        assert_eq!((stats.precompiled, stats.compilations), (3, 7), "{stats:?}");
    }

    fn events_name_the_variant() {
        tracing::subscriber::set_global_default(VariantListener).unwrap();
        let (device, cpu) = (Device::cuda(0).unwrap(), Device::cpu());
        let (x, mut y) = (zeros(&device, 512), zeros(&device, 512));
        scaled(1.0, &x, &mut y).grid(2).block(256).launch().unwrap();
        scaled(1.0, &x, &mut y).grid(3).block(256).launch().unwrap();
        scaled(1.0, &zeros(&cpu, 32), &mut zeros(&cpu, 32)).grid(1).block(32).launch().unwrap();
        assert_eq!(*LAUNCHED.lock().unwrap(), ["narrow", "checked", "checked"]);
    }
}

/// The CPU device checks every index.
#[test]
fn the_cpu_device_has_no_variants() {
    let device = Device::cpu();
    let (x, mut y) = (device.to_device(&[1.0f32; 64]).unwrap(), zeros(&device, 64));
    scaled(2.0, &x, &mut y).grid(2).block(32).launch().unwrap();
    assert_eq!(y.to_host().unwrap(), [2.0; 64]);
    scaled(2.0, &x, &mut y).grid(3).block(32).launch().unwrap();
    assert!(matches!(device.synchronize(), Err(Error::Fault { .. })));
}
