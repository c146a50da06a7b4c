//! Mathematical functions of floats that CUDA has and the standard library lacks.

/// The functions of `f32`: computed in `f64` where that is simpler than a careful implementation.
pub(super) mod single {
    use super::double;

    pub(in super::super) fn rsqrt(x: f32) -> f32 {
        x.sqrt().recip()
    }

    pub(in super::super) fn erf(x: f32) -> f32 {
        libm::erff(x)
    }

    pub(in super::super) fn erfc(x: f32) -> f32 {
        libm::erfcf(x)
    }

    pub(in super::super) fn sinpi(x: f32) -> f32 {
        double::sinpi(f64::from(x)) as f32
    }

    pub(in super::super) fn cospi(x: f32) -> f32 {
        double::cospi(f64::from(x)) as f32
    }

    pub(in super::super) fn normcdf(x: f32) -> f32 {
        double::normcdf(f64::from(x)) as f32
    }
}

/// The functions of `f64`.
pub(super) mod double {
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

    pub(in super::super) fn rsqrt(x: f64) -> f64 {
        x.sqrt().recip()
    }

    pub(in super::super) fn erf(x: f64) -> f64 {
        libm::erf(x)
    }

    pub(in super::super) fn erfc(x: f64) -> f64 {
        libm::erfc(x)
    }

    /// sin(πx). A zero has the sign of `x`.
    pub(in super::super) fn sinpi(x: f64) -> f64 {
        let (quarter, rest) = quarters(x);
        let value = match quarter {
            0 => (PI * rest).sin(),
            1 => (PI * rest).cos(),
            2 => -(PI * rest).sin(),
            _ => -(PI * rest).cos(),
        };
        if value == 0.0 { value.copysign(x) } else { value }
    }

    /// cos(πx)
    pub(in super::super) fn cospi(x: f64) -> f64 {
        let (quarter, rest) = quarters(x);
        let value = match quarter {
            0 => (PI * rest).cos(),
            1 => -(PI * rest).sin(),
            2 => -(PI * rest).cos(),
            _ => (PI * rest).sin(),
        };
        // A zero is always positive.
        value + 0.0
    }

    /// Decomposes `x` exactly into a number of halves, modulo 4, and a remainder between −1/4 and 1/4. NaN if `x` is
    /// not finite.
    fn quarters(x: f64) -> (u8, f64) {
        let turn = x % 2.0;
        let halves = (2.0 * turn).round_ties_even();
        let quarter = (halves as i64).rem_euclid(4) as u8;
        (quarter, turn - 0.5 * halves)
    }

    /// The cumulative distribution function of the standard normal distribution.
    pub(in super::super) fn normcdf(x: f64) -> f64 {
        /// 1/√2 − `FRAC_1_SQRT_2`
        const REST: f64 = -4.833_646_656_726_457e-17;
        let t = -x * FRAC_1_SQRT_2;
        let value = libm::erfc(t);
        if !(t.is_finite() && value > 0.0 && t > 0.0) {
            return 0.5 * value;
        }
        // For large `t` the function is so steep that the rounding error of `t` matters.
        let error = (-x).mul_add(FRAC_1_SQRT_2, -t) + -x * REST;
        0.5 * (value - FRAC_2_SQRT_PI * (-t * t).exp() * error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: f64, expected: f64) {
        let error = ((value - expected) / expected).abs();
        assert!(error < 4.0 * f64::EPSILON, "{value} is not {expected}");
    }

    // The expected values are those of mpmath at 50 digits.
    #[test]
    fn values_agree_with_references() {
        check(double::sinpi(0.1), 0.309_016_994_374_947_4);
        check(double::sinpi(-0.75), -std::f64::consts::FRAC_1_SQRT_2);
        check(double::cospi(0.4), 0.309_016_994_374_947_4);
        check(double::cospi(1e15 + 0.125), 0.923_879_532_511_286_7);
        check(double::erf(0.5), 0.520_499_877_813_046_5);
        check(double::erfc(3.0), 2.209_049_699_858_544e-5);
        check(double::normcdf(1.0), 0.841_344_746_068_542_9);
        check(double::normcdf(-10.0), 7.619_853_024_160_526e-24);
        check(double::normcdf(-30.0), 4.906_713_927_148_187e-198);
        assert_eq!(double::rsqrt(4.0), 0.5);
        assert_eq!(single::rsqrt(0.0), f32::INFINITY);
    }

    #[test]
    fn special_values_are_correct() {
        assert_eq!(double::sinpi(2.0).to_bits(), 0.0f64.to_bits());
        assert_eq!(double::sinpi(-3.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(double::cospi(0.5).to_bits(), 0.0f64.to_bits());
        assert_eq!(double::cospi(-1.5).to_bits(), 0.0f64.to_bits());
        assert_eq!(double::cospi(1.0), -1.0);
        assert_eq!(double::cospi(1e300), 1.0);
        assert!(double::sinpi(f64::INFINITY).is_nan() && double::cospi(f64::NAN).is_nan());
        assert_eq!((double::normcdf(f64::INFINITY), double::normcdf(f64::NEG_INFINITY)), (1.0, 0.0));
        assert!(double::normcdf(f64::NAN).is_nan());
        assert_eq!((single::sinpi(0.5), single::cospi(1.0), single::normcdf(0.0)), (1.0, -1.0, 0.5));
    }
}
