//! The memory engine of SoulMem: model, text, indexes, graph, recall and forgetting, without I/O.
