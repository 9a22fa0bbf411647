#!/usr/bin/env python3
"""Tunes what the channels of a plain line are worth, by cross-validation.

    tests/bench/tune_recall.py SOULMEM FOLDER [--kind turn|said|known] [--folds 2] [--rounds 2]

FOLDER holds folders of messages.jsonl (or passages.jsonl) and queries.jsonl, as `soulmem eval recall` reads them. For each
of them SOULMEM, the program, fills memories, asks and writes what every channel said of what came up; then each kind of
memory (turns of talks, things said outside of talks, notes) has its weights raised and lowered one after the other, as long
as that helps. The objective is the mean, over the sets of that kind, of Recall@5, Recall@10 and nDCG@10. Weights that are
found on one part of the memories are measured on the other, and both are printed: a set has no weights of its own.

The channels around a text are judged by the weights of the text itself (`base`), which are not tuned here: a change of
those needs a new run. Needs Python 3.9 and numpy.
"""

import argparse
import json
import pathlib
import random
import subprocess
import tempfile

import numpy as np

STEPS = (-0.4, -0.2, -0.1, -0.05, 0.05, 0.1, 0.2, 0.4)
APART = {"adversarial"}


class Question:
    """One question: its candidates, what every channel says of them, and which of them answer it."""

    def __init__(self, line, names):
        self.memory = line["memory"]
        self.category = line["category"]
        self.gold = set(line["gold"])
        rows = {}
        for hit in line["trace"]["utterances"]:
            rows.setdefault(line["rows"].get(hit["id"]), []).append(hit["channels"])
        for hit in line["trace"]["notes"]:
            plain = hit.get("plain")
            for source in hit["sources"]:
                if plain and "Import" in source:
                    rows.setdefault(source["Import"]["id"], []).append(plain["channels"])
        rows.pop(None, None)
        self.ids = [row for row, said in rows.items() for _ in said]
        said = [channels for said in rows.values() for channels in said]
        self.values = np.array([[channels[name] for name in names] for channels in said]).reshape(-1, len(names))

    def measures(self, weights):
        order = np.argsort(-(self.values @ weights), kind="stable")
        ranked = list(dict.fromkeys(self.ids[place] for place in order))[:10]
        found = [row in self.gold for row in ranked]
        gains = 1 / np.log2(np.arange(2, 12))
        ideal = gains[: min(10, len(self.gold))].sum()
        ndcg = sum(gain for gain, is_found in zip(gains, found) if is_found) / ideal
        return np.array([sum(found[:5]) / len(self.gold), sum(found) / len(self.gold), ndcg])


def ask(program, folder):
    """Asks one set, and gives its kind, the weights, the names of the channels and its questions."""
    messages = next(folder / name for name in ("messages.jsonl", "passages.jsonl") if (folder / name).exists())
    first = json.loads(messages.read_text(encoding="utf-8").splitlines()[0])
    rows = [json.loads(line) for line in messages.read_text(encoding="utf-8").splitlines()]
    kind = "known" if "title" in first else "turn" if any(row.get("session") for row in rows) else "said"
    memories = {}
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        memories[query["id"]] = query.get("conv") or query["id"]
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as channels:
        command = [program, "eval", "recall", "--messages", messages, "--queries", folder / "queries.jsonl"]
        subprocess.run([*command, "--channels", channels.name], check=True, stdout=subprocess.DEVNULL)
        lines = [json.loads(line) for line in open(channels.name, encoding="utf-8")]
    for line in lines:
        line["memory"] = memories[line["id"]]
    weights = lines[0]["weights"]
    names = list(weights["turn"])
    return kind, weights, names, [Question(line, names) for line in lines if line["gold"]]


def objective(sets, weights):
    means = []
    for questions in sets:
        counted = [question for question in questions if question.category not in APART]
        if counted:
            means.append(np.mean([question.measures(weights) for question in counted], axis=0))
    return np.mean(means, axis=0)


def ascend(sets, weights, rounds):
    """Raises and lowers one weight after the other for as long as that helps."""
    best = objective(sets, weights).mean()
    for _ in range(rounds):
        before = best
        for place in range(len(weights)):
            for step in STEPS:
                tried = weights.copy()
                tried[place] = round(tried[place] + step, 3)
                reached = objective(sets, tried).mean()
                if reached > best + 1e-6:
                    best, weights = reached, tried
        if best == before:
            break
    return weights


def halves(sets, folds):
    """Parts of the memories: of a set with one memory, of its questions."""
    parts = [[] for _ in range(folds)]
    for questions in sets:
        memories = sorted({question.memory for question in questions})
        random.Random(1).shuffle(memories)
        place = {memory: number % folds for number, memory in enumerate(memories)}
        for number, part in enumerate(parts):
            part.append([question for question in questions if place[question.memory] == number])
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kind", choices=("turn", "said", "known"))
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    kinds = {}
    for folder in sorted(path.parent for path in args.folder.glob("*/queries.jsonl")):
        kind, defaults, names, questions = ask(args.program, folder)
        kinds.setdefault(kind, []).append(questions)
    for kind, sets in kinds.items():
        if args.kind not in (None, kind):
            continue
        start = np.array([defaults[kind][name] for name in names])
        print(f"{kind}: R@5, R@10, nDCG@10 with the defaults {np.round(100 * objective(sets, start), 1)}")
        parts = halves(sets, args.folds)
        for number, held in enumerate(parts):
            others = [sum((part[place] for part in parts if part is not held), []) for place in range(len(sets))]
            found = ascend(others, start, args.rounds)
            print(f"  fold {number}: held out {np.round(100 * objective(held, found), 1)}, with the defaults "
                  f"{np.round(100 * objective(held, start), 1)}")
        found = ascend(sets, start, args.rounds)
        print(f"  all: {np.round(100 * objective(sets, found), 1)}")
        print("  " + json.dumps({name: round(float(weight), 3) for name, weight in zip(names, found) if weight}))


if __name__ == "__main__":
    main()
