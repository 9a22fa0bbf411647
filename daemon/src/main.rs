//! The `soulmem` program.

fn main() -> std::process::ExitCode {
    soulmem::cli::main()
}
