//! Monte Carlo pricing of an option: each thread simulates prices with its own random number sequence, and a warp
//! reduction adds up the results.
//!
//! ```text
//! cargo run --release --example option_price
//! ```

use std::ops::AddAssign;
use std::time::Instant;

use cumbia::prelude::*;
use cumbia::random::Philox;

/// A European call option: the right to buy a share at the strike price on the expiry date.
#[derive(Clone, Copy, DeviceType)]
struct CallOption {
    /// The price of the share today.
    spot: f32,
    /// The price at which it may be bought.
    strike: f32,
    /// The risk-free interest rate per year.
    rate: f32,
    /// The standard deviation of the logarithmic return per year.
    volatility: f32,
    /// The time to expiry.
    years: f32,
}

#[device]
impl CallOption {
    /// Returns the discounted payoff at expiry, for a sample `z` of the standard normal distribution.
    fn payoff(&self, z: f32) -> f32 {
        let drift = (self.rate - 0.5 * self.volatility * self.volatility) * self.years;
        let price = self.spot * (drift + self.volatility * self.years.sqrt() * z).exp();
        (-self.rate * self.years).exp() * (price - self.strike).max(0.0)
    }
}

/// The sum of samples, and the sum of their squares.
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

/// Simulates `2 * pairs` prices, and adds their payoffs to `total[0]`.
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
    // Warp reduction: lane 0 obtains the sum over the warp.
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
    assert!(
        (price - exact).abs() < 4.0 * error,
        "{price} differs from {exact} by more than four standard errors of {error}"
    );
    println!("option_price on {device}: {price:.4} ± {error:.4} of {n} prices in {time:.1?}; exact is {exact:.4}");
    Ok(())
}

/// Returns the price in closed form (F. Black, M. Scholes, "The pricing of options and corporate liabilities", 1973).
fn black_scholes(option: CallOption) -> f64 {
    let CallOption { spot, strike, rate, volatility, years } = option;
    let [spot, strike, rate, volatility, years] = [spot, strike, rate, volatility, years].map(f64::from);
    let spread = volatility * years.sqrt();
    let d = ((spot / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / spread;
    spot * d.normcdf() - strike * (-rate * years).exp() * (d - spread).normcdf()
}
