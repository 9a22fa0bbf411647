//! Random moments that can be had again.

use std::env;
use std::thread;
use std::time::Duration;

use fastrand::Rng;

/// A source of randomness whose seed is printed; `SOULMEM_TEST_SEED` sets it.
pub fn seeded() -> Rng {
    let seed = number("SOULMEM_TEST_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("SOULMEM_TEST_SEED={seed}");
    Rng::with_seed(seed)
}

/// How many kills there are in each round of a test: the usual number once, or as many rounds of at most that many as
/// make up `SOULMEM_TEST_KILLS`. Each round begins with nothing, because a daemon takes the longer to open the more it
/// holds.
pub fn rounds(usual: u64) -> Vec<u64> {
    let all = number("SOULMEM_TEST_KILLS").unwrap_or(usual);
    let starts = (0..all).step_by(usual.try_into().unwrap());
    starts.map(|start| usual.min(all - start)).collect()
}

/// Lets a random moment pass, shorter than `most`. What is waited for is the moment itself, nothing else.
pub fn moment(random: &mut Rng, most: Duration) {
    thread::sleep(Duration::from_nanos(
        random.u64(0..most.as_nanos().try_into().unwrap()),
    ));
}

/// The number in an environment variable, where it is set.
pub fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{variable}={text} is no whole number")))
}
