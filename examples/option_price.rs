//! The price of an option by simulation: each thread follows prices of its own stream of random numbers, and the threads
//! of a warp add up what they found.
//!
//! ```text
//! cargo run --release --example option_price
//! ```

use std::ops::AddAssign;
use std::time::Instant;

use cumbia::prelude::*;
use cumbia::random::Philox;

/// The right to buy a share at a price on a day.
#[derive(Clone, Copy, DeviceType)]
struct CallOption {
    /// What the share costs today.
    spot: f32,
    /// What it may be bought for.
    strike: f32,
    /// The interest of a year.
    rate: f32,
    /// How far the logarithm of the price strays in a year.
    volatility: f32,
    years: f32,
}

#[device]
impl CallOption {
    /// What the option is worth on its day, seen from today, where `z` of the normal distribution says how the price went.
    fn payoff(&self, z: f32) -> f32 {
        let drift = (self.rate - 0.5 * self.volatility * self.volatility) * self.years;
        let price = self.spot * (drift + self.volatility * self.years.sqrt() * z).exp();
        (-self.rate * self.years).exp() * (price - self.strike).max(0.0)
    }
}

/// What is known of many numbers: their sum, and that of their squares.
#[derive(Clone, Copy, DeviceType)]
struct Moments {
    sum: f64,
    squares: f64,
}

#[device]
impl AddAssign for Moments {
    fn add_assign(&mut self, other: Self) {
        self.sum += other.sum;
        self.squares += other.squares;
    }
}

/// Simulates `2 * pairs` prices, and adds what they pay to `total[0]`.
#[kernel]
fn simulate(option: CallOption, seed: u64, pairs: usize, total: &mut [Moments]) {
    let mut random = Philox::new(seed, grid(1) as u64, 0);
    let mut moments = Moments { sum: 0.0, squares: 0.0 };
    for _ in (grid(1)..pairs).step_by(grid_size(1)) {
        let (first, second) = random.normal_pair_f32();
        for z in [first, second] {
            let payoff = option.payoff(z) as f64;
            moments += Moments { sum: payoff, squares: payoff * payoff };
        }
    }
    // Each lane takes what another one has, until the first lane has the sum of the warp.
    for delta in [16, 8, 4, 2, 1] {
        moments += shfl_down_sync(u32::MAX, moments, delta);
    }
    if lane_id() == 0 {
        atomic_add(&mut total[0].sum, moments.sum);
        atomic_add(&mut total[0].squares, moments.squares);
    }
}

fn main() -> cumbia::Result<()> {
    let option = CallOption { spot: 100.0, strike: 105.0, rate: 0.03, volatility: 0.2, years: 1.0 };
    let pairs = 1 << 20;

    let device = Device::open()?;
    let mut total = device.zeros::<Moments>(1)?;
    let start = Instant::now();
    simulate(option, 2024, pairs, &mut total).grid(128).block(256).launch()?;
    device.synchronize()?;
    let time = start.elapsed();

    let Moments { sum, squares } = total.to_host()?[0];
    let n = 2.0 * pairs as f64;
    let price = sum / n;
    let error = ((squares / n - price * price) / n).sqrt();
    let exact = black_scholes(option);
    assert!((price - exact).abs() < 4.0 * error, "{price} is not within four errors of {error} of {exact}");
    println!("option_price on {device}: {price:.4} ± {error:.4} of {n} prices in {time:.1?}; exact is {exact:.4}");
    Ok(())
}

/// The price in closed form (F. Black, M. Scholes, "The pricing of options and corporate liabilities", 1973).
fn black_scholes(option: CallOption) -> f64 {
    let CallOption { spot, strike, rate, volatility, years } = option;
    let [spot, strike, rate, volatility, years] = [spot, strike, rate, volatility, years].map(f64::from);
    let spread = volatility * years.sqrt();
    let d = ((spot / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / spread;
    spot * d.normcdf() - strike * (-rate * years).exp() * (d - spread).normcdf()
}
