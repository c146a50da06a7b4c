//! Links by the real nvJitLink. Skipped silently if there is none, unless `CUMBIA_REQUIRE_NVRTC` is 1.

use super::*;
use crate::toolkit::nvrtc::SourceText;

fn toolchain() -> Option<(&'static Nvrtc, &'static NvJitLink)> {
    let required = std::env::var_os("CUMBIA_REQUIRE_NVRTC").is_some_and(|value| value == "1");
    let nvrtc = match Nvrtc::load(|_, _, _| {}) {
        Ok(nvrtc) => nvrtc,
        Err(error) => {
            assert!(!required, "{error:?}");
            return None;
        }
    };
    match NvJitLink::load(nvrtc, |_, _| {}) {
        Ok(linker) => Some((nvrtc, linker)),
        Err(error) => {
            assert!(!required, "{error}");
            None
        }
    }
}

fn compiled(nvrtc: &Nvrtc, text: &str, architecture: &str) -> crate::Image {
    let architecture = Architecture::parse(architecture).unwrap();
    nvrtc.compile(SourceText { name: "k.cu", text }, &["--relocatable-device-code=true"], &architecture).unwrap()
}

const KERNEL: &str = "extern \"C\" __device__ float half_of(float);\n\
                      extern \"C\" __global__ void k(float* y) { y[0] = half_of(y[0]); }";
const HALF: &str = "extern \"C\" __device__ float half_of(float x) { return x / 2; }";

#[test]
fn cubins_and_ptx_are_linked() {
    let Some((nvrtc, linker)) = toolchain() else { return };
    let architecture = Architecture::parse("sm_90a").unwrap();
    let kernel = compiled(nvrtc, KERNEL, "sm_90a").cubin.unwrap();
    let kernel = LinkInput { name: "k.cu", kind: LinkInputKind::Cubin, bytes: &kernel };
    let half = compiled(nvrtc, HALF, "sm_90").cubin.unwrap();
    let ptx = compiled(nvrtc, HALF, "compute_80").ptx;
    for (kind, bytes) in [(LinkInputKind::Cubin, half.as_slice()), (LinkInputKind::Ptx, ptx.as_bytes())] {
        let cubin = linker.link(&[kernel, LinkInput { name: "half", kind, bytes }], &[], &architecture).unwrap();
        assert!(cubin.starts_with(b"\x7fELF"));
        assert!(cubin.windows(8).any(|name| name == b".text.k\0"), "the kernel is not in the cubin");
    }
}

#[test]
fn a_failed_link_names_the_reason() {
    let Some((nvrtc, linker)) = toolchain() else { return };
    let architecture = Architecture::parse("sm_90").unwrap();
    let kernel = compiled(nvrtc, KERNEL, "sm_90").cubin.unwrap();
    let kernel = LinkInput { name: "k.cu", kind: LinkInputKind::Cubin, bytes: &kernel };
    let undefined = linker.link(&[kernel], &[], &architecture).unwrap_err().to_string();
    assert!(undefined.contains("Undefined reference to 'half_of' in 'k.cu'"), "{undefined}");
    let text = LinkInput { name: "half.cubin", kind: LinkInputKind::Cubin, bytes: b"text" };
    let mistyped = linker.link(&[kernel, text], &[], &architecture).unwrap_err().to_string();
    assert!(mistyped.contains("nvJitLinkAddData: the input is not of the stated type"), "{mistyped}");
    let cut = LinkInput { name: "half.ptx", kind: LinkInputKind::Ptx, bytes: b".version 8.0\0.target sm_90" };
    let cut = linker.link(&[kernel, cut], &[], &architecture).unwrap_err().to_string();
    assert!(cut.contains("nvJitLinkAddData: a name, an option or a file of PTX contains a NUL character"), "{cut}");
    let newer = Architecture::parse("sm_999").unwrap();
    let unknown = linker.link(&[kernel], &[], &newer).unwrap_err().to_string();
    assert!(unknown.contains("nvJitLinkCreate: unrecognized architecture"), "{unknown}");
}

#[test]
fn cut_cubins_are_errors() {
    let Some((nvrtc, linker)) = toolchain() else { return };
    let architecture = Architecture::parse("sm_90").unwrap();
    let half = compiled(nvrtc, HALF, "sm_90").cubin.unwrap();
    for len in (0..half.len()).step_by(97) {
        let bytes: Box<[u8]> = half[..len].into();
        let half = LinkInput { name: "half.cubin", kind: LinkInputKind::Cubin, bytes: &bytes };
        assert!(linker.link(&[half], &[], &architecture).is_err(), "{len} bytes");
    }
}
