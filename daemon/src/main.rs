//! The `soulmem` program.

// What comes from outside may end a request, never the program.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable
    )
)]

fn main() -> std::process::ExitCode {
    soulmem::cli::main()
}
