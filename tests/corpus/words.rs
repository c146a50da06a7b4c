//! Types, fields, variants, functions, methods and constants with names that are reserved in C++ or CUDA, or used by the
//! writer.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals, dead_code, reason = "the names are the point")]
#![allow(clippy::all, clippy::pedantic, reason = "as above")]

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![fields, types_and_variants, functions_and_methods, same_names, raw_names];

/// Fields with names that are C++ keywords.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct template {
    int: i32,
    float: f32,
    class: u8,
    union: bool,
    operator: [i16; 2],
    this: u64,
    new: i8,
    namespace: f64,
    signed: u32,
    unsigned: u32,
    register: u16,
    asm: u16,
    typename: u8,
    __device__: u8,
    threadIdx: u32,
    u32: u32,
    at: u32,
    rt: u32,
    types: u32,
    NULL: u8,
    alignas: u8,
}

#[kernel]
pub fn signed(class: template, x: &[template], y: &mut [template], float: &mut [f64]) {
    let long = grid(1);
    if long < y.len() {
        let template { this, operator, namespace, .. } = x[long];
        let mut register = x[long];
        register.int += class.int;
        register.float *= 2.0;
        register.union = !register.union;
        register.operator[1] = operator[0];
        register.u32 = register.at + register.rt + register.types;
        register.NULL = register.alignas;
        register.new = -register.new;
        y[long] = template { class: 7, threadIdx: long as u32, ..register };
        y[long].__device__ += 1;
        y[long].asm ^= y[long].register;
        float[long] = namespace + this as f64;
    }
}

fn fields(run: &mut Run<'_>) {
    let make = |i: u8| template {
        int: i32::from(i) * 5,
        float: f32::from(i) + 0.5,
        class: i,
        union: i % 2 == 0,
        operator: [i16::from(i), -1],
        this: u64::from(i) << 40,
        new: 5,
        namespace: 0.25,
        signed: 9,
        unsigned: 10,
        register: 0xff,
        asm: 0x0f0f,
        typename: 11,
        __device__: 12,
        threadIdx: 13,
        u32: 14,
        at: 15,
        rt: 16,
        types: 17,
        NULL: 18,
        alignas: 19,
    };
    let values = [make(1), make(2), make(3)];
    let (x, mut y, mut float) = (run.array(&values), run.zeros(3), run.zeros(3));
    run.launch(signed(make(100), &x, &mut y, &mut float).over(3));
    let expected: Vec<template> = values
        .iter()
        .enumerate()
        .map(|(i, x)| template {
            int: x.int + 500,
            float: x.float * 2.0,
            class: 7,
            union: !x.union,
            operator: [x.operator[0], x.operator[0]],
            u32: 48,
            NULL: 19,
            new: -5,
            threadIdx: i as u32,
            __device__: 13,
            asm: 0x0ff0,
            ..*x
        })
        .collect();
    run.expect("y", &y, &expected);
    run.expect("float", &float, &values.map(|x| 0.25 + x.this as f64));
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(i32)]
pub enum union_ {
    int,
    float = 7,
    class,
    NULL,
    EOF = -1,
    INFINITY = 40,
    NAN = 50,
    u8,
    __global__,
    threadIdx,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct int {
    long: i64,
    short: union_,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct Fault {
    flag: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct Launch_<Array: DeviceType> {
    fault: Array,
}

#[derive(Clone, Copy, Debug, DeviceType)]
#[device(PartialEq)]
pub enum rt {
    types,
    constants,
}

const NULL: int = int { long: 3, short: union_::NAN };
const c0: [u16; 3] = [7, 8, 9];
const gridDim_: [u16; 3] = [1, 2, 3];

#[kernel]
pub fn constants(x: &[int], y: &mut [int], types: &mut [i32], faults: &mut [Launch_<Fault>], arrays: &mut [rt]) {
    let c1 = grid(1);
    if c1 < x.len() {
        let int { long: float, short: double } = x[c1];
        let short = match double {
            union_::int => union_::float,
            union_::float | union_::class => union_::NULL,
            union_::EOF => NULL.short,
            union_::threadIdx => union_::__global__,
            other => other,
        };
        y[c1] = int { short, long: float + NULL.long };
        types[c1] = double as i32 + c0[c1 % 3] as i32 * 1000 + gridDim_[2 - c1 % 3] as i32 * 100_000;
        faults[c1].fault.flag += 1;
        arrays[c1] = if arrays[c1] == rt::types { rt::constants } else { rt::types };
    }
}

fn types_and_variants(run: &mut Run<'_>) {
    use union_::*;
    let all = [int, float, class, union_::NULL, EOF, INFINITY, NAN, u8, __global__, threadIdx];
    let values: Vec<self::int> =
        all.iter().enumerate().map(|(i, kind)| self::int { long: i as i64, short: *kind }).collect();
    let (x, mut y, mut numbers) = (run.array(&values), run.array(&values), run.zeros(10));
    let mut faults = run.array(&[Launch_ { fault: Fault { flag: 4 } }; 10]);
    let mut arrays = run.array(&[rt::types, rt::constants].repeat(5));
    run.launch(constants(&x, &mut y, &mut numbers, &mut faults, &mut arrays).over(10));
    let after = [float, union_::NULL, union_::NULL, union_::NULL, NAN, INFINITY, NAN, u8, __global__, __global__];
    let expected: Vec<self::int> =
        after.iter().enumerate().map(|(i, kind)| self::int { long: i as i64 + 3, short: *kind }).collect();
    run.expect("y", &y, &expected);
    let number = |(i, kind): (usize, &union_)| {
        *kind as i32 + i32::from(c0[i % 3]) * 1000 + i32::from(gridDim_[2 - i % 3]) * 100_000
    };
    run.expect("numbers", &numbers, &all.iter().enumerate().map(number).collect::<Vec<_>>());
    run.expect("faults", &faults, &[Launch_ { fault: Fault { flag: 5 } }; 10]);
    run.expect("arrays", &arrays, &[rt::constants, rt::types].repeat(5));
}

#[device]
pub fn double(short: i32) -> i32 {
    short * 2
}

#[device]
pub fn sizeof(long: &[i32], volatile: &mut [i32]) -> i32 {
    for auto in volatile.iter_mut() {
        *auto += 1;
    }
    long.len() as i32
}

#[device]
pub fn printf_(this: i32, that: i32) -> (i32, i32) {
    (that, this)
}

#[device]
impl template {
    pub fn delete(self, using: i32) -> i32 {
        self.int + using
    }

    pub fn operator(&mut self) {
        self.int -= 1;
    }

    pub fn float() -> f32 {
        2.5
    }

    pub fn at(&self, at: usize) -> i16 {
        self.operator[at]
    }
}

#[device]
pub trait virtual_ {
    fn explicit(&self) -> i32;

    fn friend(&self) -> i32 {
        self.explicit() + 1
    }
}

#[device]
impl virtual_ for template {
    fn explicit(&self) -> i32 {
        self.int * 10
    }
}

#[kernel]
pub fn goto(inline: &[i32], extern_: &mut [i32], mut_: template) {
    let mut export = mut_;
    export.operator();
    extern_[0] = double(inline[0]) + sizeof(inline, &mut extern_[1..3]);
    let (throw, catch) = printf_(inline[1], inline[2]);
    extern_[3] = throw * 10 + catch;
    extern_[4] = export.delete(100) + export.friend();
    extern_[5] = <template>::float() as i32 + export.at(1) as i32;
    let (char, bool_, void, wchar_t) = (1, 2, 3, 4);
    let nullptr = char + bool_ * 10 + void * 100 + wchar_t * 1000;
    let (max, min, abs, pow, isnan, memcpy) = (1, 2, 3, 4, 5, 6);
    let main = max + min + abs + pow + isnan + memcpy;
    let size_t = inline[0].max(main).min(nullptr).abs().pow(2);
    extern_[6] = nullptr + main + size_t;
}

fn functions_and_methods(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[5, 6, 7]), run.zeros(7));
    let value = template { int: 4, operator: [8, 9], ..template::default() };
    run.launch(goto(&x, &mut y, value).grid(1).block(1));
    run.expect("y", &y, &[13, 1, 1, 76, 103 + 31, 2 + 9, 4321 + 21 + 441]);
}

/// The same name for a type, its method, a field, a variable, a constant and functions of two modules.
pub mod same {
    use cumbia::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
    pub struct name {
        pub name: i32,
    }

    #[device]
    impl name {
        pub fn name(self) -> i32 {
            self.name * 2
        }
    }

    pub mod more {
        use cumbia::prelude::*;

        pub const name_: i32 = 1000;

        #[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
        pub struct name {
            pub other: [u8; 3],
        }

        #[device]
        impl name {
            pub fn name(self) -> i32 {
                self.other[1] as i32
            }
        }

        #[device]
        pub fn named(n: name) -> i32 {
            n.name() + name_
        }
    }

    #[device]
    pub fn named(n: name) -> i32 {
        let name = n.name();
        name + more::named(more::name { other: [1, 2, 3] })
    }
}

#[kernel]
pub fn name(x: &[same::name], y: &mut [same::more::name], z: &mut [i32]) {
    let name = x[0];
    z[0] = same::named(name) + same::more::named(y[0]) * 10_000;
    y[0].other[2] += name.name as u8;
    let y_0 = name.name();
    z[1] = y_0;
}

fn same_names(run: &mut Run<'_>) {
    let (x, mut y, mut z) =
        (run.array(&[same::name { name: 21 }]), run.array(&[same::more::name { other: [4, 5, 6] }]), run.zeros(2));
    run.launch(name(&x, &mut y, &mut z).grid(1).block(1));
    run.expect("z", &z, &[42 + 1002 + 10_050_000, 42]);
    run.expect("y", &y, &[same::more::name { other: [4, 5, 27] }]);
}

/// Raw identifiers, and names that differ only in characters that C lacks.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct r#struct {
    r#type: u32,
    r#match: u32,
    größe: u32,
    gro_e: u32,
}

#[device]
pub fn r#loop(r#in: r#struct) -> u32 {
    let r#fn = r#in.r#type;
    r#fn * 2 + r#in.r#match
}

#[kernel]
pub fn r#while(r#as: &[r#struct], r#mut: &mut [u32]) {
    let ä = r#loop(r#as[0]);
    let ö = r#as[0].größe;
    let _ = r#as[0].gro_e;
    r#mut[0] = ä * 100 + ö * 10 + r#as[0].gro_e;
}

fn raw_names(run: &mut Run<'_>) {
    let (x, mut y) = (run.array(&[r#struct { r#type: 1, r#match: 2, größe: 3, gro_e: 4 }]), run.zeros(1));
    run.launch(r#while(&x, &mut y).grid(1).block(1));
    run.expect("y", &y, &[434]);
}
