#!/usr/bin/env python3
"""Learns what the channels of a plain line are worth, cross-validated over memories.

    tests/bench/tune_recall.py SOULMEM FOLDER [--kind turn|said|known] [--decay 10] [--apart CATEGORY]

FOLDER holds folders of messages.jsonl (or passages.jsonl) and queries.jsonl, as `soulmem eval recall` reads them. For each
of them SOULMEM, the program, fills memories, asks and writes what every channel said of all that was looked at. Sets of one
kind (turns of talks, things said outside of talks, notes) are learned from together: a set has no weights of its own.

Learned is a softmax over the candidates of each question: the weights under which what answers it is likeliest, with a
penalty on large ones (`--decay`, in questions). That is convex, so it has one answer, found by Newton's method. Held out is
one memory after the other (of sets with many, a fifth of them at a time; of one with a single memory, a fifth of its
questions), and what is printed first is what weights learned from the rest reach there, beside the defaults. The last line
is learned from all, in the scale of the defaults.

What stands around a text is judged by the weights of the text itself (`base`), which are not learned here: a change of those
needs a new run. Needs Python 3.9 and numpy.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np

# As in `recall/plain`: from this place on, what stands around a turn counts only so much.
HEAD = 5
BEHIND = 0.8
AROUND = ("before", "after", "talk", "talk_words")

FOLDS = 5
GAINS = 1 / np.log2(np.arange(2, 12))
MEASURES = ("R@5", "R@10", "nDCG@10", "A@10")


class Question:
    """One question: its candidates, what every channel says of them, and which of them answer it."""

    def __init__(self, line, names):
        self.memory = line["memory"]
        self.category = line["category"]
        self.gold = set(line["gold"])
        rows = [(line["rows"].get(hit["id"]), hit["channels"]) for hit in line["trace"]["utterances"]]
        for hit in line["trace"]["notes"]:
            plain = hit.get("plain")
            origins = [source["Import"]["id"] for source in hit["sources"] if "Import" in source]
            rows.extend((origin, plain["channels"]) for origin in origins if plain)
        rows = [(row, channels) for row, channels in rows if row is not None]
        self.ids = [row for row, _ in rows]
        self.values = np.array([[channels[name] for name in names] for _, channels in rows]).reshape(-1, len(names))
        self.answers = np.array([row in self.gold for row in self.ids], dtype=bool)

    def ranked(self, weights, around):
        """The best ten rows, each once, ranked as `recall/plain` does."""
        behind = np.where(around, weights * BEHIND, weights)
        best = []
        for number, each in ((HEAD, weights), (10, behind)):
            for place in np.argsort(-(self.values @ each), kind="stable"):
                if len(best) == number:
                    break
                if self.ids[place] not in best:
                    best.append(self.ids[place])
        return best

    def measures(self, weights, around):
        found = np.array([row in self.gold for row in self.ranked(weights, around)])
        gain = (GAINS[: len(found)] * found).sum() / GAINS[: min(10, len(self.gold))].sum()
        five, ten = found[:5].sum() / len(self.gold), found.sum() / len(self.gold)
        return np.array([five, ten, gain, float(ten >= 1)])


def ask(program, folder):
    """Asks one set, and gives its kind, the weights, the names of the channels and its questions."""
    messages = next(folder / name for name in ("messages.jsonl", "passages.jsonl") if (folder / name).exists())
    rows = [json.loads(line) for line in messages.read_text(encoding="utf-8").splitlines()]
    kind = "known" if "title" in rows[0] else "turn" if any(row.get("session") for row in rows) else "said"
    memories = {}
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        memories[query["id"]] = query.get("conv") or query["id"]
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as channels:
        command = [program, "eval", "recall", "--messages", messages, "--queries", folder / "queries.jsonl"]
        # Weights of turns are learned from turns: notes change nothing of how those rank.
        command += ["--unconsolidated", "--channels", channels.name]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        lines = [json.loads(line) for line in open(channels.name, encoding="utf-8")]
    for line in lines:
        line["memory"] = memories[line["id"]]
    weights = lines[0]["weights"]
    names = list(weights["turn"])
    return kind, weights, names, [Question(line, names) for line in lines if line["gold"]]


def likelihood(questions, weights):
    """Of what answers each question, with its gradient and curvature, all three without the penalty."""
    total, slope, bend = 0.0, np.zeros(len(weights)), np.zeros((len(weights), len(weights)))
    for question in questions:
        sums = question.values @ weights
        share = np.exp(sums - sums.max())
        share /= share.sum()
        mean = share @ question.values
        total += np.log(share[question.answers] + 1e-300).mean()
        slope += question.values[question.answers].mean(axis=0) - mean
        bend += (question.values * share[:, None]).T @ question.values - np.outer(mean, mean)
    return total, slope, bend


def learn(questions, decay):
    """The weights, by Newton's method with halved steps."""
    questions = [question for question in questions if question.answers.any() and not question.answers.all()]
    size = np.mean([np.square(question.values).mean(axis=0) for question in questions], axis=0)
    penalty = decay * (np.sqrt(size) + 1e-3) ** 2
    weights = np.zeros(len(penalty))
    objective = lambda weights: likelihood(questions, weights)[0] - 0.5 * (penalty * weights**2).sum()
    for _ in range(20):
        total, slope, bend = likelihood(questions, weights)
        total -= 0.5 * (penalty * weights**2).sum()
        step = np.linalg.solve(bend + np.diag(penalty), slope - penalty * weights)
        length = 1.0
        while objective(weights + length * step) < total and length > 1e-4:
            length /= 2
        weights = weights + length * step
        if objective(weights) - total < 1e-4:
            break
    return weights


def folds(questions):
    """For each question which part of its set it is in, by memory where there are several."""
    memories = sorted({question.memory for question in questions})
    if len(memories) == 1 or len(memories) == len(questions):
        return [place % FOLDS for place in range(len(questions))]
    parts = len(memories) if len(memories) <= 2 * FOLDS else FOLDS
    place = {memory: number % parts for number, memory in enumerate(memories)}
    return [place[question.memory] for question in questions]


def report(title, questions, weights_of, around):
    """Prints the means over all categories but those apart, and by category."""
    reached = [question.measures(weights, around) for question, weights in zip(questions, weights_of)]
    lines = [("all but those apart", [not question.apart for question in questions])]
    lines += [(category, [question.category == category for question in questions])
              for category in sorted({question.category for question in questions})]
    print(f"  {title}: {', '.join(MEASURES)}")
    for name, counted in lines:
        means = 100 * np.mean([each for each, is_counted in zip(reached, counted) if is_counted], axis=0)
        print(f"    {name:22}" + "".join(f"{mean:7.1f}" for mean in means))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kind", choices=("turn", "said", "known"))
    parser.add_argument("--decay", type=float, default=10.0)
    parser.add_argument("--apart", action="append", default=["adversarial"])
    args = parser.parse_args()
    kinds = {}
    for folder in sorted(path.parent for path in args.folder.glob("*/queries.jsonl")):
        kind, defaults, names, questions = ask(args.program, folder)
        for question, fold in zip(questions, folds(questions)):
            question.fold, question.apart = fold, question.category in args.apart
        kinds.setdefault(kind, []).append((folder.name, questions))
    around = np.array([name in AROUND for name in names])
    for kind, sets in kinds.items():
        if args.kind not in (None, kind):
            continue
        start = np.array([defaults[kind][name] for name in names])
        counted = [question for _, questions in sets for question in questions if not question.apart]
        learned = {fold: learn([question for question in counted if question.fold != fold], args.decay)
                   for fold in {question.fold for _, questions in sets for question in questions}}
        for name, questions in sets:
            print(f"{kind}: {name}")
            report("held out", questions, [learned[question.fold] for question in questions], around)
            report("with the defaults", questions, [start] * len(questions), around)
        found = learn(counted, args.decay)
        spread = lambda weights: np.mean([(question.values @ weights).std() for question in counted])
        found *= spread(start) / spread(found)
        print("  learned from all: " + json.dumps({name: round(float(weight), 2) for name, weight in zip(names, found)}))


if __name__ == "__main__":
    main()
