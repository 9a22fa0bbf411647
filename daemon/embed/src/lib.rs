//! Embedding models of SoulMem.
