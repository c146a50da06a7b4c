use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
enum Phase {
    Start,
    End,
}

impl From<Phase> for u32 {
    fn from(phase: Phase) -> u32 {
        match phase {
            Phase::Start => 100,
            Phase::End => 200,
        }
    }
}

#[kernel]
fn kernel(phases: &[Phase], out: &mut [u32]) {
    out[0] = u32::from(phases[0]);
}

fn main() {}
