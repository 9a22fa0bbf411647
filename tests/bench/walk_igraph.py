#!/usr/bin/env python3
"""Compares the engine's walk with python-igraph's exact personalized PageRank on the same memory.

    pip install igraph
    python3 tests/bench/walk_igraph.py [NOTES ...]

For each size (default 1000 10000 100000 1000000) the engine writes a random memory, queries and its own
answers (`daemon/engine/examples/walk_graph.rs`). igraph then answers the same queries. Printed are the medians of
both (each query at its fastest: eleven times for the walk, three for igraph), their ratio, and how the walk's ten
best agree with igraph's: ranked overlap (mean over k = 1..10 of what the first k have in common) and the largest
difference of a score, which may be no larger than the residues that the walk says it left.
Exits with 1 where an answer is further from igraph's than that.
"""

import array
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import igraph

ROOT = Path(__file__).resolve().parents[2]
QUERIES = {1_000: 100, 10_000: 50, 100_000: 20}
FEW_QUERIES = 5


def write_memory(notes, folder):
    command = ["cargo", "run", "--quiet", "--release", "-p", "soulmem-engine", "--example", "walk_graph", "--"]
    arguments = [str(notes), str(QUERIES.get(notes, FEW_QUERIES)), str(folder)]
    subprocess.run(command + arguments, cwd=ROOT, check=True)


def read_graph(notes, folder):
    """The graph with its weights; a link is 16 bytes: two u32 and one f64."""
    data = (folder / "links.bin").read_bytes()
    ends, weights = array.array("I", data), array.array("d", data)
    if sys.byteorder != "little":
        ends.byteswap()
        weights.byteswap()
    edges = zip(ends[0::4], ends[1::4])
    return igraph.Graph(notes, list(edges), directed=True), list(weights[1::2])


def exact(graph, weights, damping, sources):
    reset = [0.0] * graph.vcount()
    for note, weight in sources:
        reset[note] += weight
    fastest = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        scores = graph.personalized_pagerank(damping=damping, reset=reset, weights=weights, directed=True)
        fastest = min(fastest, time.perf_counter() - start)
    return scores, fastest * 1e6


def ranked_overlap(one, other):
    return statistics.fmean(len(set(one[:k]) & set(other[:k])) / k for k in range(1, len(one) + 1))


def compare(notes, folder):
    write_memory(notes, folder)
    graph, weights = read_graph(notes, folder)
    walk = json.loads((folder / "walk.json").read_text())
    ours, theirs, overlaps, worst, agree = [], [], [], 0.0, True
    for query in walk["queries"]:
        scores, micros = exact(graph, weights, walk["damping"], query["sources"])
        ours.append(query["micros"])
        theirs.append(micros)
        best = sorted(range(notes), key=lambda note: -scores[note])[:10]
        overlaps.append(ranked_overlap([note for note, _ in query["best"]], best))
        difference = max(abs(scores[note] - score) for note, score in query["best"])
        worst = max(worst, difference)
        # igraph's own solver stops at a relative precision of about 1e-7.
        agree &= difference <= query["left"] + 1e-6
    walk_time, igraph_time = statistics.median(ours), statistics.median(theirs)
    print(
        f"{notes} notes, median of {len(ours)} queries: walk {walk_time:.0f} µs, igraph {igraph_time:.0f} µs "
        f"({igraph_time / walk_time:.1f}×); ranked overlap {statistics.fmean(overlaps):.4f}, "
        f"largest difference of a score {worst:.1e}",
        flush=True,
    )
    return agree


def main():
    sizes = [int(size) for size in sys.argv[1:]] or [1_000, 10_000, 100_000, 1_000_000]
    agree = True
    for notes in sizes:
        with tempfile.TemporaryDirectory() as folder:
            agree &= compare(notes, Path(folder))
    sys.exit(0 if agree else 1)


if __name__ == "__main__":
    main()
