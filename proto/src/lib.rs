//! The wire of SoulMem: envelope, operations, encoding rules, errors, limits and the frame codec.
