//! A crate with `#![forbid(unsafe_code)]`: the expansion of the macros may contain `unsafe` there, and user code may
//! not. Every construct whose expansion contains `unsafe` is used here.
#![forbid(unsafe_code)]

use cumbia::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
struct Body {
    position: [f32; 3],
    speed: Speed,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
struct Speed(f32, f32);

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
enum Kind {
    Fixed,
    Free,
}

#[device]
impl Body {
    fn moved(self, by: f32) -> Body {
        Body { position: [self.position[0] + by, self.position[1], self.position[2]], ..self }
    }
}

#[device]
trait Heavy {
    fn mass(self) -> f32;
}

#[device]
impl Heavy for Body {
    fn mass(self) -> f32 {
        self.speed.0
    }
}

#[device]
impl std::ops::Add for Speed {
    type Output = Speed;

    fn add(self, other: Speed) -> Speed {
        Speed(self.0 + other.0, self.1 + other.1)
    }
}

#[device]
fn push(body: &mut Body, by: f32) {
    body.speed.1 += by;
    body.position[2] = by;
}

#[kernel(block = 64)]
fn moving<const N: usize>(by: f32, bodies: &mut [Body], lines: ArrayView2<f32>) {
    let mut tile = shared::<[Body; N]>();
    let mut own = [Speed(0.0, 0.0); N];
    let i = grid(1);
    if i >= bodies.len() {
        return;
    }
    tile[i % N] = bodies[i].moved(by);
    own[i % N].1 = lines[[0, i]];
    sync_threads();
    bodies[i].position[1] = tile[i % N].mass();
    bodies[i].position[0] = tile[i % N].position[0];
    bodies[i].speed = bodies[i].speed + own[i % N];
    bodies[i].kind = Kind::Fixed;
    push(&mut bodies[i], by);
}

#[test]
fn kernels_compile_under_forbid_unsafe_code() {
    let device = Device::cpu();
    let body = Body { position: [1.0; 3], speed: Speed(2.0, 3.0), kind: Kind::Free };
    let mut bodies = device.to_device(&[body; 5]).unwrap();
    let lines = device.to_device(&[10.0f32; 10]).unwrap();
    moving::<64>(0.5, &mut bodies, lines.reshape((2, 5)).unwrap()).grid(1).launch().unwrap();
    let expected = Body { position: [1.5, 2.0, 0.5], speed: Speed(2.0, 13.5), kind: Kind::Fixed };
    assert_eq!(bodies.to_host().unwrap(), [expected; 5]);
}
