//! Whole-system tests of SoulMem: the daemon, BEAM nodes and kills, from outside.
