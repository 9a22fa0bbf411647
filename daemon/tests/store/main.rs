//! The store as its callers see it: what is written stays written, whatever happens in between.

// Setting up a test is allowed to fail loudly, outside of the test functions too.
#![allow(clippy::unwrap_used)]

mod against_model;
mod backup;
mod basics;
mod cut_off;
mod damage;
mod disk;
mod doctor;
mod dump;
mod erasing;
mod model;
mod others;
mod power_cut;
mod sample;
mod support;
mod unsafe_vfs;
