"""RYPT's experiment with simulated judges in the real page: the figures of docs/preference.md.

    python scripts/experiment.py                            as large as in the paper
    python scripts/experiment.py --sentences 8 --judges 3   a small one
    python scripts/experiment.py --faithful 1               with a reference without errors

It starts `weigh serve` on free ports of this machine, and needs `weigh[web]` and httpx. Texts,
truth and errors of judges are seeded. Which judge gets which item depends on who comes first.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from rypt_experiment import MadeWorld, experiment
from visitors import Visit


def main() -> None:
    """Run the experiment and print the output of its commands."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    defaults = MadeWorld()
    parser.add_argument("--sentences", type=int, default=defaults.sentences, metavar="N")
    parser.add_argument("--candidates", type=int, default=defaults.candidates, metavar="N")
    parser.add_argument("--judges", type=int, default=20, metavar="N")
    parser.add_argument(
        "--faithful",
        type=float,
        default=defaults.world.faithful,
        metavar="SHARE",
        help="how many words of the reference are right for sure",
    )
    parser.add_argument("--seed", type=int, default=defaults.seed, metavar="N")
    parser.add_argument("--directory", type=Path, metavar="DIR", help="keep all files here")
    options = parser.parse_args()
    if options.directory is not None:
        options.directory.mkdir(parents=True)
        _run(options, options.directory)
    else:
        with tempfile.TemporaryDirectory() as directory:
            _run(options, Path(directory))


def _run(options: argparse.Namespace, directory: Path) -> None:
    began = time.perf_counter()

    def weigh(*arguments: str) -> str:
        print(f"[{time.perf_counter() - began:.0f} s] weigh {shlex.join(arguments)}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "weigh", *arguments],
            cwd=directory,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode:
            sys.exit(done.stderr)
        return done.stdout

    made = MadeWorld(
        sentences=options.sentences,
        candidates=options.candidates,
        world=replace(MadeWorld().world, faithful=options.faithful),
        seed=options.seed,
    )
    outcome = experiment(made, directory, options.judges, weigh)
    for printed in (outcome.queries, outcome.scores, outcome.made, outcome.tables):
        print(f"\n{printed}", end="")
    said = ", ".join(f"{name} {count}" for name, count in made.truth(directory).items())
    print(f"\nPairs by whose choice has fewer wrong words, as it is: {said}.")
    for what, visits in (("labels", outcome.labelling), ("choices", outcome.choosing)):
        print(_told(what, list(visits.values())))
    print(f"All of it took {time.perf_counter() - began:.0f} s.")


def _told(what: str, visits: list[Visit]) -> str:
    """Say how many answers were sent, and how long they took."""
    seconds = sorted(each for visit in visits for each in visit.seconds)
    if not seconds:
        return f"No answers with {what}."
    middle, high = (1000 * seconds[int(share * (len(seconds) - 1))] for share in (0.5, 0.95))
    return (
        f"{len(seconds):,} answers with {what} by {len(visits)} judges: saved and followed by the "
        f"next page in {middle:.0f} ms (median), {high:.0f} ms (95%)."
    )


if __name__ == "__main__":
    main()
