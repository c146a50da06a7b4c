//! Operators in the syntax of a closure, `device_fn!`, in the algorithms on arrays; and elements of an enum without a zero.

use cumbia::algorithm::{
    Function1, all, any, argsort, count, device_fn, exclusive_scan, exclusive_scan_by_key, histogram, inclusive_scan,
    inclusive_scan_by_key, partition, reduce, reduce_by_key, reduce_rows, run_length_encode, segmented_reduce, select,
    sort_by_key, transform, transform_reduce, transform_reduce2, transform2, transform3, unique,
};
use cumbia::prelude::*;

use crate::support::on_each_device;

/// More elements than a block has.
const LEN: usize = 10_000;

fn numbers() -> Vec<i32> {
    (0..LEN as i32).map(|i| i * 7919 % 1009 - 500).collect()
}

#[test]
fn operators_without_captures_in_each_algorithm() {
    on_each_device(|device| check_each_algorithm(device).unwrap());
}

fn check_each_algorithm(device: &Device) -> cumbia::Result<()> {
    let host = numbers();
    let x = device.to_device(&host)?;
    let (mut y, mut rest) = (device.zeros::<i32>(LEN)?, device.zeros::<i32>(LEN)?);

    transform(&x, &mut y, device_fn!(|a: i32| -> i32 { 2 * a + 1 })).launch()?;
    assert!(y.to_host()?.iter().zip(&host).all(|(y, x)| *y == 2 * x + 1));
    transform2(&x, &x, &mut y, device_fn!(|a: i32, b: i32| -> i32 { a * b })).launch()?;
    assert!(y.to_host()?.iter().zip(&host).all(|(y, x)| *y == x * x));
    transform3(&x, &x, &x, &mut y, device_fn!(|a: i32, b: i32, c: i32| -> i32 { a * b - c })).launch()?;
    assert!(y.to_host()?.iter().zip(&host).all(|(y, x)| *y == x * x - x));

    let greatest = reduce(&x, i32::MIN, device_fn!(|a: i32, b: i32| -> i32 { if a > b { a } else { b } }));
    assert_eq!(greatest.value()?, *host.iter().max().unwrap());
    let sum = reduce(&x, 0, device_fn!(commutative |a: i32, b: i32| -> i32 { a + b }));
    assert_eq!(sum.value()?, host.iter().sum::<i32>());
    // Two operators on one line, with the same name and path, of which one has a field.
    #[rustfmt::skip]
    let squares = transform_reduce(&x, device_fn!([by: i64 = 3] |a: i32| -> i64 { a as i64 * by }), 0, device_fn!(|a: i64, b: i64| -> i64 { a + b }));
    assert_eq!(squares.value()?, host.iter().map(|&a| i64::from(a) * 3).sum());
    let dot = transform_reduce2(
        &x,
        &x,
        device_fn!(|a: i32, b: i32| -> i64 { a as i64 * b as i64 }),
        0,
        device_fn!(commutative |a: i64, b: i64| -> i64 { a + b }),
    );
    assert_eq!(dot.value()?, host.iter().map(|&a| i64::from(a) * i64::from(a)).sum());

    let mut sums = Vec::new();
    let mut total = 0;
    for a in &host {
        total += a;
        sums.push(total);
    }
    inclusive_scan(&x, &mut y, device_fn!(|a: i32, b: i32| -> i32 { a + b })).launch()?;
    assert_eq!(y.to_host()?, sums);
    exclusive_scan(&x, &mut y, 5, device_fn!(|a: i32, b: i32| -> i32 { a + b })).launch()?;
    assert!(y.to_host()?.iter().zip(&host).zip(&sums).all(|((y, x), sum)| *y == sum - x + 5));

    let (positive, other): (Vec<i32>, Vec<i32>) = host.iter().partition(|a| **a > 0);
    let n = select(&x, &mut y, device_fn!(|a: i32| -> bool { a > 0 })).value()?;
    assert_eq!(y.slice(..n)?.to_host()?, positive);
    let n = partition(&x, &mut y, &mut rest, device_fn!(|a: i32| -> bool { a > 0 })).value()?;
    assert_eq!((n, rest.slice(..LEN - n)?.to_host()?), (positive.len(), other));
    assert_eq!(count(&x, device_fn!(|a: i32| -> bool { a > 0 })).value()?, positive.len() as u64);
    assert!(all(&x, device_fn!(|a: i32| -> bool { a >= -500 })).value()?);
    assert!(!any(&x, device_fn!(|a: i32| -> bool { a > 600 })).value()?);

    let mut bins = device.zeros::<u32>(2)?;
    histogram(&x, &mut bins, device_fn!(|a: i32| -> usize { (a > 0) as usize })).launch()?;
    assert_eq!(bins.to_host()?, [(LEN - positive.len()) as u32, positive.len() as u32]);

    let keys = device.to_device(&(0..LEN as u32).map(|i| i / 100).collect::<Vec<_>>())?;
    let (mut firsts, mut sums) = (device.zeros::<u32>(LEN)?, device.zeros::<i32>(LEN)?);
    let plus = || device_fn!(|a: i32, b: i32| -> i32 { a + b });
    assert_eq!(reduce_by_key(&keys, &x, &mut firsts, &mut sums, plus()).value()?, LEN / 100);
    let of_runs: Vec<i32> = host.chunks(100).map(|run| run.iter().sum()).collect();
    assert_eq!(sums.slice(..LEN / 100)?.to_host()?, of_runs);
    inclusive_scan_by_key(&keys, &x, &mut sums, plus()).launch()?;
    let up_to = sums.to_host()?;
    assert!(of_runs.iter().enumerate().all(|(run, sum)| up_to[100 * run + 99] == *sum));
    exclusive_scan_by_key(&keys, &x, &mut sums, 0, plus()).launch()?;
    assert!(sums.to_host()?.iter().zip(&host).zip(&up_to).all(|((before, x), sum)| before + x == *sum));
    reduce_rows(x.reshape((LEN / 100, 100))?, &mut sums.slice_mut(..LEN / 100)?, 0, plus()).launch()?;
    assert_eq!(sums.slice(..LEN / 100)?.to_host()?, of_runs);
    let offsets = device.to_device(&(0..=LEN as u32 / 100).map(|s| 100 * s).collect::<Vec<_>>())?;
    segmented_reduce(&x, &offsets, &mut sums.slice_mut(..LEN / 100)?, 0, plus()).launch()?;
    assert_eq!(sums.slice(..LEN / 100)?.to_host()?, of_runs);
    Ok(())
}

#[test]
fn captures_are_values_of_their_types() {
    #[derive(Clone, Copy, DeviceType)]
    struct Line {
        scale: f32,
        offset: f32,
    }

    struct Model {
        lines: Vec<Line>,
    }

    impl Model {
        fn apply(&self, x: &DeviceArray<f32>, y: &mut DeviceArray<f32>, limit: [f32; 1]) -> cumbia::Result<()> {
            let weights = [0.5f32, 0.25];
            transform(
                x,
                y,
                device_fn!([line: Line = self.lines[1], weights: [f32; 2], limit: f32 = limit[0]] |v: f32| -> f32 {
                    let mut value = line.scale * v + line.offset;
                    for k in 0..weights.len() {
                        value *= weights[k];
                    }
                    value.min(limit)
                }),
            )
            .launch()
        }
    }

    on_each_device(|device| {
        let model = Model { lines: vec![Line { scale: 0.0, offset: 0.0 }, Line { scale: 16.0, offset: 8.0 }] };
        let x = device.to_device(&[0.0, 1.0, 2.0, 100.0]).unwrap();
        let mut y = device.zeros(4).unwrap();
        model.apply(&x, &mut y, [50.0]).unwrap();
        assert_eq!(y.to_host().unwrap(), [1.0, 3.0, 5.0, 50.0]);
    });
}

/// An expression of a macro, whose operators are all written at one position.
macro_rules! scaled {
    ($by:expr) => {
        device_fn!([by: f32 = $by] |v: f32| -> f32 { v * by })
    };
}

#[test]
fn operators_are_values_that_are_kept_returned_and_called() {
    fn threshold(at: f32) -> impl Function1<f32, Output = bool> {
        device_fn!([at: f32] |v: f32| -> bool { v > at })
    }

    assert!(threshold(1.0).call(2.0) && !threshold(1.0).call(0.5));
    on_each_device(|device| {
        let x = device.to_device(&[1.0, 2.0, 3.0]).unwrap();
        let mut y = device.zeros(3).unwrap();
        for at in [0.5, 1.5, 2.5] {
            let expected = [1.0, 2.0, 3.0].iter().filter(|v| **v > at).count() as u64;
            assert_eq!(count(&x, threshold(at)).value().unwrap(), expected);
        }
        transform(&x, &mut y, scaled!(2.0)).launch().unwrap();
        let operator = scaled!(0.5);
        assert_eq!(operator.call(8.0), 4.0);
        transform(&y.slice(..).unwrap().as_slice(), &mut device.zeros(3).unwrap(), operator).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [2.0, 4.0, 6.0]);
    });
}

/// An enum without a variant of discriminant 0: memory of zeros has no value of it.
#[derive(Clone, Copy, Debug, DeviceType)]
#[device(PartialEq)]
enum Level {
    Low = 1,
    Middle = 2,
    High = 3,
}

fn levels(len: usize) -> Vec<Level> {
    (0..len).map(|i| [Level::Low, Level::Middle, Level::Low, Level::High, Level::High][i * i % 5]).collect()
}

#[test]
fn algorithms_need_no_zero_of_their_elements() {
    on_each_device(|device| check_levels(device).unwrap());
}

fn check_levels(device: &Device) -> cumbia::Result<()> {
    for len in [0, 1, 100, LEN] {
        let host = levels(len);
        let x = device.to_device(&host)?;
        let mut y = device.to_device(&vec![Level::Low; len])?;
        let higher = || {
            device_fn!(|a: Level, b: Level| -> Level {
                if a == Level::High || b == Level::Low {
                    a
                } else if a == Level::Low {
                    b
                } else {
                    b
                }
            })
        };
        let memory = reduce(&x, Level::Low, higher()).memory()?;
        memory.read()?; // any value
        let greatest = host.iter().map(|level| *level as u8).max().unwrap_or(1);
        assert_eq!(reduce(&x, Level::Low, higher()).value()? as u8, greatest);
        inclusive_scan(&x, &mut y, higher()).launch()?;
        let up_to: Vec<u8> = (0..len).map(|i| host[..=i].iter().map(|level| *level as u8).max().unwrap()).collect();
        if len < 1000 {
            assert_eq!(y.to_host()?.iter().map(|level| *level as u8).collect::<Vec<_>>(), up_to);
        }
        exclusive_scan(&x, &mut y, Level::Low, higher()).launch()?;
        assert!(y.to_host()?.iter().skip(1).zip(&up_to).all(|(level, before)| *level as u8 == *before));

        let high = device_fn!(|a: Level| -> bool { a == Level::High });
        let n = select(&x, &mut y, high).value()?;
        assert_eq!(n, host.iter().filter(|level| **level == Level::High).count());
        assert!(y.slice(..n)?.to_host()?.iter().all(|level| *level == Level::High));
        let mut rest = device.to_device(&vec![Level::Low; len])?;
        assert_eq!(partition(&x, &mut y, &mut rest, high).value()?, n);
        let mut deduplicated = host.clone();
        deduplicated.dedup();
        assert_eq!(unique(&x, &mut y).value()?, deduplicated.len());
        let mut lengths = device.zeros::<u32>(len)?;
        assert_eq!(run_length_encode(&x, &mut y, &mut lengths).value()?, deduplicated.len());

        let host_keys: Vec<u32> = (0..len as u32).map(|i| i * 7919 % 101).collect();
        let mut keys = device.to_device(&host_keys)?;
        let mut values = device.to_device(&host)?;
        let mut sorted: Vec<(u32, Level)> = host_keys.iter().copied().zip(host.iter().copied()).collect();
        sorted.sort_by_key(|pair| pair.0);
        sort_by_key(&mut keys, &mut values).launch()?;
        assert_eq!(values.to_host()?, sorted.iter().map(|pair| pair.1).collect::<Vec<_>>());
        let mut firsts = device.zeros::<u32>(len)?;
        reduce_by_key(&keys, &values, &mut firsts, &mut y, higher()).value()?;
        inclusive_scan_by_key(&keys, &values, &mut y, higher()).launch()?;

        let mut order = device.zeros::<u32>(len)?;
        argsort(&keys, &mut order).launch()?;
        let mut bins = device.zeros::<u32>(4)?;
        histogram(&x, &mut bins, device_fn!(|a: Level| -> usize { a as usize })).launch()?;
        assert_eq!(bins.to_host()?[3] as usize, n);
    }
    Ok(())
}
