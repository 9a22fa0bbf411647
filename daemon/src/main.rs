//! The `soulmem` program.

fn main() {}
