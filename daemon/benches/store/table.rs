//! Tables as they stand in the documentation.

/// Prints a heading, the names of the columns and the line under them.
pub fn head(title: &str, columns: &[&str]) {
    println!("\n{title}\n");
    row(columns.iter().map(|column| (*column).to_owned()));
    row(columns.iter().map(|_| "---".to_owned()));
}

/// Prints a row.
pub fn row(cells: impl IntoIterator<Item = String>) {
    let cells: Vec<String> = cells.into_iter().collect();
    println!("| {} |", cells.join(" | "));
}

/// A whole number with commas between thousands.
pub fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with about three digits that say something.
pub fn short(number: f64) -> String {
    match number {
        _ if number >= 100.0 => whole(number),
        _ if number >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

/// How many times the floor something is.
pub fn times(value: f64, floor: f64) -> String {
    format!("{}×", short(value / floor))
}

/// The value under which so many of a hundred sorted ones lie.
pub fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let place = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

/// Sorted by size.
pub fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values
}
