//! Forgetting curves as a picture.

use std::path::Path;

use jiff::Timestamp;
use plotters::prelude::*;
use soulmem_engine::forget::curve::{MASK_FROM, MemoryTrace, REIMAGINE_FROM, Retention};
use soulmem_engine::forget::profile::ProfileName;
use sysexits::ExitCode;

use crate::cli::failure::Failure;

/// Pixels.
const SIZE: (u32, u32) = (960, 540);
/// Points of a curve.
const POINTS: u32 = 240;
/// How many half-lives are shown of what fades most slowly.
const HALF_LIVES: f64 = 3.0;
/// Days that are shown where nothing fades.
const YEAR: f64 = 365.0;
/// Numbers of recalls that a profile is drawn with.
const RECALLS: [u64; 4] = [0, 5, 20, 50];

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it is of.
    pub label: String,
    /// Hours after which half is left; infinite where nothing fades.
    pub half_life_hours: f64,
}

/// The curves of a profile, for an ordinary memory recalled never, and several times.
pub fn of_profile(name: ProfileName) -> Vec<Curve> {
    let profile = name.profile();
    let curve = |recalls| {
        let at = Timestamp::UNIX_EPOCH;
        let trace = MemoryTrace::of_utterance(at, at, recalls);
        Curve {
            label: format!("recalled {recalls} times"),
            half_life_hours: profile.half_life_hours(&trace),
        }
    };
    RECALLS.map(curve).to_vec()
}

/// Draws curves into an SVG file. One that is named otherwise would be taken for what it is not.
pub fn write(file: &Path, title: &str, curves: &[Curve]) -> Result<(), Failure> {
    let ending = file.extension().unwrap_or_default();
    if !ending.eq_ignore_ascii_case("svg") {
        return Err(Failure::usage(format!(
            "--plot draws SVG: give a file that ends in .svg, not {}",
            file.display()
        )));
    }
    let cannot = |error: &dyn std::fmt::Display| {
        Failure::new(ExitCode::CantCreat, format!("{}: {error}", file.display()))
    };
    let picture = svg(title, curves).map_err(|error| cannot(&error))?;
    std::fs::write(file, picture).map_err(|error| cannot(&error))
}

fn svg(title: &str, curves: &[Curve]) -> Result<String, Box<dyn std::error::Error>> {
    let mut picture = String::new();
    {
        let area = SVGBackend::with_string(&mut picture, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let days = days_shown(curves);
        let mut chart = ChartBuilder::on(&area)
            .caption(
                format!("What is left of a memory: {title}"),
                ("sans-serif", 20),
            )
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(48)
            .build_cartesian_2d(0.0..days, 0.0..1.0)?;
        chart
            .configure_mesh()
            .x_desc("days")
            .y_desc("retention")
            .draw()?;
        for from in [MASK_FROM, REIMAGINE_FROM] {
            let line = [(0.0, 1.0 - from), (days, 1.0 - from)];
            chart.draw_series(LineSeries::new(line, BLACK.mix(0.4)))?;
        }
        for (place, curve) in curves.iter().enumerate() {
            let color = Palette99::pick(place).mix(1.0);
            chart
                .draw_series(LineSeries::new(points(curve, days), color.stroke_width(2)))?
                .label(&curve.label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color));
        }
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        area.present()?;
    }
    Ok(picture)
}

fn days_shown(curves: &[Curve]) -> f64 {
    let fading = curves.iter().map(|curve| curve.half_life_hours);
    let slowest = fading.filter(|hours| hours.is_finite()).fold(0.0, f64::max);
    if slowest > 0.0 {
        HALF_LIVES * slowest / 24.0
    } else {
        YEAR
    }
}

fn points(curve: &Curve, days: f64) -> impl Iterator<Item = (f64, f64)> {
    let half_life = curve.half_life_hours;
    (0..=POINTS).map(move |step| {
        let day = days * f64::from(step) / f64::from(POINTS);
        (day, Retention::after(day * 24.0, half_life).share())
    })
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        reason = "a picture that cannot be drawn fails the test"
    )]

    use super::*;

    #[test]
    fn every_profile_is_drawn_with_its_legend() {
        for name in ProfileName::ALL {
            let picture = svg(name.as_str(), &of_profile(name)).unwrap();
            assert!(picture.starts_with("<svg"), "{name}");
            assert!(picture.contains("recalled 50 times"), "{name}");
        }
    }

    #[test]
    fn a_curve_halves_at_its_half_life() {
        let curve = Curve {
            label: String::new(),
            half_life_hours: 24.0,
        };
        assert!((days_shown(std::slice::from_ref(&curve)) - 3.0).abs() < 1e-12);
        let drawn: Vec<(f64, f64)> = points(&curve, 3.0).collect();
        let third = POINTS as usize / 3;
        assert_eq!(drawn[0], (0.0, 1.0));
        assert!((drawn[third].0 - 1.0).abs() < 1e-12 && (drawn[third].1 - 0.5).abs() < 1e-12);
    }
}
