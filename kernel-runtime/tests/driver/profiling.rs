//! Profiler ranges, and timing with device events.

use std::time::Duration;

use cumbia::prelude::*;
use cumbia::profile;

use crate::fake::Fake;
use crate::kernels::saxpy;
use crate::scenarios;

/// Returns the directory of the fake driver, which also contains the profiler's library.
fn folder() -> std::path::PathBuf {
    std::env::var_os("LD_LIBRARY_PATH").expect("the scenario's process has it").into()
}

scenarios! {
    fn a_profiler_receives_ranges() {
        // SAFETY: the scenario's process has one thread that reads the environment, this one.
        unsafe { std::env::set_var("NVTX_INJECTION64_PATH", folder().join("profiler.so")) };
        {
            let _outer = profile::range("outer");
            profile::mark("here");
            let _inner = profile::range("inner\0, and what C does not see");
        }
        let events = std::fs::read_to_string(std::env::var_os("FAKE_PROFILE").unwrap()).unwrap();
        assert_eq!(events, "push outer\nmark here\npush inner\npop \npop \n");
    }

    fn a_profiler_that_fails_is_not_called("FAKE_PROFILER_FAILS" = "1") {
        // SAFETY: as above.
        unsafe { std::env::set_var("NVTX_INJECTION64_PATH", folder().join("profiler.so")) };
        profile::mark("here");
        drop(profile::range("there"));
        assert!(!std::path::Path::new(&std::env::var_os("FAKE_PROFILE").unwrap()).exists());
    }

    fn a_profiler_is_started_and_stopped() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        profile::start(&device).unwrap();
        assert_eq!((fake.calls("cuProfilerStart"), fake.calls("cuProfilerStop")), (1, 0));
        profile::stop(&device).unwrap();
        assert_eq!((fake.calls("cuProfilerStart"), fake.calls("cuProfilerStop")), (1, 1));
    }

    fn a_closure_is_timed() {
        let device = Device::cuda(0).unwrap();
        let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
        let time = device.time(|| {
            std::thread::sleep(Duration::from_millis(20));
            saxpy(1.0, &x, &mut y).over(8).launch()
        });
        // The fake driver's events are reached when they are recorded.
        assert!(time.unwrap() >= Duration::from_millis(19));
        let rejected = device.time(|| saxpy(1.0, &x, &mut y).grid(0).block(1).launch());
        assert!(matches!(rejected, Err(cumbia::Error::Launch(_))));
    }
}

#[test]
fn timing_works_on_the_cpu() {
    let (device, pause) = (Device::cpu(), Duration::from_millis(5));
    let time = device.time(|| {
        std::thread::sleep(pause);
        Ok(())
    });
    assert!(time.unwrap() >= pause);
    profile::start(&device).unwrap();
    profile::stop(&device).unwrap();
}
