//! The `soulmem` program.

fn main() -> sysexits::ExitCode {
    soulmem::cli::main()
}
