//! Prices of 2²⁵ European call and put options by the formula of Black and Scholes, one option per thread.

use cumbia::prelude::*;

use super::inputs::{random, sample};
use crate::workload::{
    ByHand, Entry, Parameter, Size, Tolerance, Variant, Work, Workload, enqueue, int, pointer, variants,
};

variants! {
    #[kernel]
    fn black_scholes(rate: f32, volatility: f32, price: &[f32], strike: &[f32], years: &[f32], call: &mut [f32], put: &mut [f32]) {
        let i = grid(1);
        if i < price.len() {
            let (s, k, t) = (price[i], strike[i], years[i]);
            let deviation = volatility * t.sqrt();
            let d1 = ((s / k).ln() + (rate + 0.5 * volatility * volatility) * t) / deviation;
            let d2 = d1 - deviation;
            let (n1, n2) = (d1.normcdf(), d2.normcdf());
            let discounted = k * (-rate * t).exp();
            call[i] = s * n1 - discounted * n2;
            put[i] = discounted * (1.0 - n2) - s * (1.0 - n1);
        }
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void black_scholes(float rate, float volatility, const float* __restrict__ price, const float* __restrict__ strike, const float* __restrict__ years, float* __restrict__ call, float* __restrict__ put, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = price[i], k = strike[i], t = years[i];
        float deviation = volatility * sqrtf(t);
        float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / deviation, d2 = d1 - deviation;
        float n1 = normcdff(d1), n2 = normcdff(d2);
        float discounted = k * expf(-rate * t);
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "black-scholes 2^25",
    // The difference of two prices up to 100.
    tolerance: Tolerance::relative(1e-4),
    ..Entry::new("black_scholes", "Black–Scholes, 2²⁵", CUDA_C, &[("black_scholes", "CUDA C")], new, cubins, inspected)
};

const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.3;

struct BlackScholes {
    price: DeviceArray<f32>,
    strike: DeviceArray<f32>,
    years: DeviceArray<f32>,
    call: DeviceArray<f32>,
    put: DeviceArray<f32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let n = size.pick(1 << 25, 1000);
    Ok(Box::new(BlackScholes {
        price: random(device, n, 1, [5.0, 30.0])?,
        strike: random(device, n, 2, [1.0, 100.0])?,
        years: random(device, n, 3, [0.25, 10.0])?,
        call: device.zeros(n)?,
        put: device.zeros(n)?,
    }))
}

impl Workload for BlackScholes {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let BlackScholes { price, strike, years, call, put } = self;
        let n = price.len();
        enqueue!(variant, black_scholes(RATE, VOLATILITY, &*price, &*strike, &*years, &mut *call, &mut *put).over(n))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let BlackScholes { price, strike, years, call, put } = self;
        let n = price.len();
        let [rate, volatility] = [RATE, VOLATILITY].map(Parameter::Float);
        let arrays = [price, strike, years, call, put].map(|array| pointer(array));
        vec![ByHand::over("black_scholes", n, &[&[rate, volatility][..], &arrays, &[int(n)]].concat())]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.call.fill(0.0)?;
        self.put.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        Ok([sample(&self.call)?, sample(&self.put)?].concat())
    }

    /// The distribution function by an integral with Simpson's rule.
    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let distribution = |x: f64| {
            let (steps, end) = (1000, x.clamp(-10.0, 10.0));
            let h = end / f64::from(steps);
            let weight = |k| if k == 0 || k == steps { 1.0 } else { f64::from(2 + 2 * (k % 2)) };
            0.5 + (0..=steps).map(|k| weight(k) * density(h * f64::from(k))).sum::<f64>() * h / 3.0
        };
        let (price, strike, years) = (self.price.to_host()?, self.strike.to_host()?, self.years.to_host()?);
        let (rate, volatility) = (f64::from(RATE), f64::from(VOLATILITY));
        let (mut calls, mut puts) = (Vec::new(), Vec::new());
        for ((s, k), t) in price.into_iter().zip(strike).zip(years) {
            let [s, k, t] = [s, k, t].map(f64::from);
            let deviation = volatility * t.sqrt();
            let d1 = ((s / k).ln() + (rate + 0.5 * volatility * volatility) * t) / deviation;
            let (n1, n2, discounted) = (distribution(d1), distribution(d1 - deviation), k * (-rate * t).exp());
            calls.push((s * n1 - discounted * n2) as f32);
            puts.push((discounted * (1.0 - n2) - s * (1.0 - n1)) as f32);
        }
        Ok([calls, puts].concat())
    }

    fn work(&self) -> Work {
        Work::Bytes(20 * self.price.len())
    }
}
