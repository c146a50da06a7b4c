//! Bar charts as SVG: one horizontal bar per workload, with a line at the speed of hand-written CUDA C++.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A bar of a chart.
pub(crate) struct Bar {
    name: String,
    ratio: f64,
}

impl Bar {
    pub(crate) fn new(name: &str, ratio: f64) -> Self {
        Bar { name: name.to_owned(), ratio }
    }
}

const WIDTH: u32 = 860;
/// The heights of a bar with its gap, of the title, and of the axis.
const ROW: u32 = 24;
const TITLE: u32 = 44;
const AXIS: u32 = 30;
/// The horizontal positions of the bars' beginning and of the end of the scale.
const LEFT: i32 = 330;
const RIGHT: i32 = 800;

/// A colour that is legible on a light and on a dark page.
const TEXT: RGBColor = RGBColor(0x80, 0x80, 0x80);
const FAST: RGBColor = RGBColor(0x2e, 0x8b, 0x57);
const SLOW: RGBColor = RGBColor(0xd9, 0x8e, 0x32);
/// Bars of at least this relative speed have the colour of fast ones.
const THRESHOLD: f64 = 0.97;

/// Returns a chart.
pub(crate) fn bars(title: &str, bars: &[Bar]) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, title, bars).map_err(|error| error.to_string())?;
    Ok(svg)
}

fn draw(svg: &mut String, title: &str, bars: &[Bar]) -> Result<(), Box<dyn std::error::Error>> {
    let height = TITLE + ROW * bars.len() as u32 + AXIS;
    let area = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
    let text = |size: u32, h: HPos| ("sans-serif", size).into_font().color(&TEXT).pos(Pos::new(h, VPos::Center));
    area.draw(&Text::new(title, (WIDTH as i32 / 2, TITLE as i32 / 2), text(22, HPos::Center)))?;

    let greatest = bars.iter().map(|bar| bar.ratio).fold(1.0, f64::max);
    let scale = if greatest <= 1.2 { 1.2 } else { greatest.ceil() };
    let x = |ratio: f64| LEFT + (f64::from(RIGHT - LEFT) * ratio / scale) as i32;
    let bottom = (TITLE + ROW * bars.len() as u32) as i32;
    let step = if scale <= 1.2 { 0.2 } else { scale / 6.0 };
    for k in 0..=6 {
        let ratio = step * f64::from(k);
        let label = format!("{ratio:.1}");
        area.draw(&Text::new(label, (x(ratio), bottom + AXIS as i32 / 2), text(15, HPos::Center)))?;
        area.draw(&PathElement::new([(x(ratio), TITLE as i32), (x(ratio), bottom)], TEXT.mix(0.25)))?;
    }
    for (k, bar) in (0..).zip(bars) {
        let (top, middle) = (TITLE as i32 + k * ROW as i32, TITLE as i32 + k * ROW as i32 + ROW as i32 / 2);
        let color = if bar.ratio >= THRESHOLD { FAST } else { SLOW };
        area.draw(&Text::new(bar.name.as_str(), (LEFT - 8, middle), text(17, HPos::Right)))?;
        area.draw(&Rectangle::new([(LEFT, top + 4), (x(bar.ratio), top + ROW as i32 - 4)], color.filled()))?;
        let label = format!("{:.2}", bar.ratio);
        area.draw(&Text::new(label, (x(bar.ratio) + 6, middle), text(15, HPos::Left)))?;
    }
    area.draw(&PathElement::new([(x(1.0), TITLE as i32), (x(1.0), bottom)], TEXT.stroke_width(2)))?;
    area.present()?;
    Ok(())
}
