"""How often each test rejects where nothing is to be found; the tables of docs/validation.md.

    python scripts/calibrate.py --nulls 10000 --write

takes about ten minutes on two cores, and `--part runs`, for runs as a sample, as many for 4,000
nulls; `--part margins`, for margins and gates, about five, and `--part powered`, for few judgments
and a metric, one. Exits with 1 if one of our tests is outside its bounds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from calibration import margins, nulls, powered, runs  # noqa: E402

PAGE = ROOT / "docs" / "validation.md"
START, END = "<!-- table: scripts/calibrate.py -->\n", "<!-- end of table -->\n"
RUNS_START = "<!-- table: scripts/calibrate.py --part runs -->\n"
MARGINS_START = "<!-- table: scripts/calibrate.py --part margins -->\n"
POWERED_START = "<!-- table: scripts/calibrate.py --part powered -->\n"
BOUNDS = {0.05: 0.01, 0.1: 0.012}
# What a system loses, on how many units, and how often that may be missed at most: at three
# normal ones, and where losses are skewed, it is missed more often, which the docs say.
MARGINS = {
    "normal": (None, {3: 0.12, 5: 0.06, 10: 0.06, 20: 0.06, 50: 0.06}),
    "0.03": ("3% of items", dict.fromkeys((10, 20, 50, 100, 200, 500), 0.075)),
    "0.1": ("10% of items", dict.fromkeys((5, 10, 20, 50, 100, 200, 500), 0.075)),
    "exponential": ("skewed (exponential)", dict.fromkeys((10, 20, 50, 200), 0.14)),
}
GATE_UNITS = (10, 30, 100)
GATE_MARGIN = 0.5
GATE_BOUNDS = {None: 0.05, GATE_MARGIN: 0.06}
# How often a 95% interval must hold the truth; where a few scores are far below the others, the
# classical one does not do so either, and the docs say it.
POWERED = {"normal": 0.94, "skewed": 0.90, "long tail": 0.85}
POWERED_SIZES = ((20, 200), (20, 2000), (50, 200), (50, 2000), (200, 200), (200, 2000))
CORRELATIONS = (0.0, 0.5, 0.9, -0.7)
CHUNK = 250

Shares = dict[tuple[str, str, str, float], float]
Cell = tuple[str, str, int]  # metric, design, runs


def _chunk(job: tuple[str, int, int, int, int]) -> tuple[str, Shares]:
    kind, number, count, units, trials = job
    shares = nulls.rejections(
        _world(),
        kind,
        list(nulls.METRICS),
        count,
        units=units,
        trials=trials,
        seed=1000 + number,
        multeval=True,
    )
    return kind, shares


_made: list[nulls.World] = []


def _world() -> nulls.World:
    """Return the systems, made once in every process."""
    if not _made:
        _made.append(nulls.make_world())
    return _made[0]


def study(count: int, units: int, trials: int, processes: int) -> dict[str, Shares]:
    """Return the shares of rejections for every kind of null."""
    chunks = count // CHUNK
    jobs = [
        (kind, number, CHUNK, units, trials) for number in range(chunks) for kind in nulls.KINDS
    ]
    total: dict[str, Shares] = {kind: {} for kind in nulls.KINDS}
    begin = time.monotonic()
    with get_context("spawn").Pool(processes) as pool:
        for done, (kind, shares) in enumerate(pool.imap_unordered(_chunk, jobs), 1):
            for key, share in shares.items():
                total[kind][key] = total[kind].get(key, 0.0) + share / chunks
            left = (time.monotonic() - begin) / done * (len(jobs) - done)
            print(f"\r{done}/{len(jobs)}, {left:.0f} s left ", end="", file=sys.stderr)
    print(file=sys.stderr)
    return total


def table(total: dict[str, Shares], count: int, units: int, trials: int) -> str:
    """Return the results as Markdown."""
    lines = [
        f"{count:,} null data sets of each kind, {units} segments, {trials} trials, a new seed "
        f"each. Monte Carlo error of a share: ±{2 * (0.05 * 0.95 / count) ** 0.5:.4f} at .05 and "
        f"±{2 * (0.09 / count) ** 0.5:.4f} at .10 (two standard errors).",
        "",
        "| nulls | metric | test | .05 | .10 | `better` .05 | `worse` .05 |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind, shares in total.items():
        for metric in nulls.METRICS:
            for test in (*nulls.TESTS, *nulls.FLAWED):
                cells = [f"{shares[metric, test, 'two-sided', alpha]:.4f}" for alpha in BOUNDS]
                for side in ("better", "worse"):
                    found = shares.get((metric, test, side, 0.05))
                    cells.append("" if found is None else f"{found:.4f}")
                name = f"*{test}*" if test in nulls.FLAWED else test
                lines.append(f"| {kind} | {metric} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def outside(total: dict[str, Shares]) -> list[str]:
    """Return what lies outside the bounds."""
    return [
        f"{kind}, {metric}, {test}: {shares[metric, test, 'two-sided', alpha]:.4f} at {alpha}"
        for kind, shares in total.items()
        for metric in nulls.METRICS
        for test in nulls.TESTS
        for alpha, bound in BOUNDS.items()
        if abs(shares[metric, test, "two-sided", alpha] - alpha) > bound
    ]


def _runs_chunk(job: tuple[Cell, int, int]) -> tuple[Cell, dict[str, int]]:
    (metric, design, count), number, trials = job
    found = runs.rejections(
        _world(), metric, design, count, CHUNK, trials=trials, seed=1000 + number
    )
    return (metric, design, count), found


def study_of_runs(count: int, trials: int, processes: int) -> dict[Cell, dict[str, float]]:
    """Return the shares of rejections by `runs-t` for every metric, design and number of runs."""
    cells = [(m, d, k) for m in runs.METRICS for d in runs.DESIGNS for k in runs.RUNS]
    jobs = [(cell, number, trials) for number in range(count // CHUNK) for cell in cells]
    total = {cell: dict.fromkeys(("two-sided", "better", "worse"), 0.0) for cell in cells}
    with get_context("spawn").Pool(processes) as pool:
        for done, (cell, found) in enumerate(pool.imap_unordered(_runs_chunk, jobs), 1):
            for side, rejected in found.items():
                total[cell][side] += rejected / count
            print(f"\r{done}/{len(jobs)} ", end="", file=sys.stderr)
    print(file=sys.stderr)
    return total


def table_of_runs(total: dict[Cell, dict[str, float]], count: int, trials: int) -> str:
    """Return the results as Markdown."""
    lines = [
        f"{count:,} null data sets of each kind, {runs.UNITS} segments, variances from {trials} "
        f"trials. Monte Carlo error of a share: ±{2 * (0.05 * 0.95 / count) ** 0.5:.4f} at .05 "
        "(two standard errors).",
        "",
        "| metric | runs | A's runs | two-sided .05 | at most | `better` .05 | `worse` .05 |",
        "|---|---|---|---|---|---|---|",
    ]
    for (metric, design, k), shares in total.items():
        cells = [f"{shares[side]:.4f}" for side in ("two-sided", "better", "worse")]
        most = f"{runs.bound(design, k):g}"
        lines.append(
            f"| {metric} | {design} | {k} | {cells[0]} | {most} | {' | '.join(cells[1:])} |"
        )
    return "\n".join(lines) + "\n"


def outside_of_runs(total: dict[Cell, dict[str, float]]) -> list[str]:
    """Return what lies above its bound."""
    return [
        f"runs-t, {metric}, {design}, {k} runs: {shares['two-sided']:.4f}"
        for (metric, design, k), shares in total.items()
        if shares["two-sided"] > runs.bound(design, k)
    ]


def _margin(job: tuple[str, int, int]) -> tuple[tuple[str, int], dict[str, float]]:
    kind, units, count = job
    return (kind, units), margins.not_worse(kind, units, count, seed=1000)


def _gate(job: tuple[float | None, int, int]) -> tuple[tuple[float | None, int], dict[str, float]]:
    margin, units, count = job
    return (margin, units), margins.gate_fails(units, count, margin=margin, seed=1000)


def _chance(share: float, count: int) -> float:
    """Return two standard errors of a share."""
    return float(2 * (share * (1 - share) / count) ** 0.5)


def study_of_margins(count: int, processes: int) -> tuple[str, list[str]]:
    """Return how often margins and gates are wrong as Markdown, and what is outside its bounds."""
    held = [(kind, units, count) for kind, (_, most) in MARGINS.items() for units in most]
    gated = [(margin, units, count) for margin in (None, GATE_MARGIN) for units in GATE_UNITS]
    with get_context("spawn").Pool(processes) as pool:
        missed = dict(pool.imap_unordered(_margin, held))
        failed = dict(pool.imap_unordered(_gate, gated))
    wrong = [
        f"{kind}, {units} units: {missed[kind, units]['margin']:.4f} above {bound}"
        for kind, (_, most) in MARGINS.items()
        for units, bound in most.items()
        if missed[kind, units]["margin"] > bound + _chance(bound, count)
    ]
    wrong += [
        f"gate with margin {margin}, {units} units: {found['together']:.4f} above {bound}"
        for (margin, units), found in failed.items()
        if found["together"] > (bound := GATE_BOUNDS[margin]) + _chance(bound, count)
    ]
    lines = [
        f"{count:,} data sets each, 2,000 trials, α = .05. Monte Carlo error of a share: "
        f"±{_chance(0.05, count):.4f} at .05 (two standard errors).",
        "",
        "| true loss, just the margin | units | called not worse | by plain percentiles |",
        "|---|---|---|---|",
    ]
    for kind, (title, most) in MARGINS.items():
        for units in most:
            cells = [f"{missed[kind, units][way]:.4f}" for way in ("margin", "percentile")]
            lines.append(f"| {title or kind} | {units} | {' | '.join(cells)} |")
    lines += [
        "",
        "| gate over three metrics | units | fails | if each metric were tested at α |",
        "|---|---|---|---|",
    ]
    for (margin, units), found in sorted(
        failed.items(), key=lambda one: (one[0][0] or 0, one[0][1])
    ):
        title = "an equal system" if margin is None else "worse by just the margin on each"
        lines.append(f"| {title} | {units} | {found['together']:.4f} | {found['alone']:.4f} |")
    return "\n".join(lines) + "\n", wrong


def study_of_powered(count: int, processes: int) -> tuple[str, list[str]]:
    """Return how often intervals hold the truth as Markdown, and what is below its bound."""
    cells = [
        (kind, r, n, others)
        for kind in POWERED
        for r in CORRELATIONS
        for n, others in POWERED_SIZES
    ]
    with get_context("spawn").Pool(processes) as pool:
        found = pool.starmap(powered.covered, [(*cell, count) for cell in cells])
    wrong = [
        f"{kind}, correlation {r}, {n} and {others}: {each.powered:.4f} below {POWERED[kind]}"
        for (kind, r, n, others), each in zip(cells, found, strict=True)
        if each.powered < POWERED[kind] - _chance(POWERED[kind], count)
    ]
    lines = [
        f"{count:,} data sets each. Monte Carlo error of a share: ±{_chance(0.95, count):.4f} at "
        ".95 (two standard errors).",
        "",
        "| scores | correlation | judged | not judged | holds | people alone | variance, people "
        "alone = 1 |",
        "|---|---|---|---|---|---|---|",
    ]
    for (kind, r, n, others), each in zip(cells, found, strict=True):
        lines.append(
            f"| {kind} | {r:g} | {n} | {others:,} | {each.powered:.4f} | {each.classical:.4f} | "
            f"{each.ratio:.2f} |"
        )
    return "\n".join(lines) + "\n", wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nulls", type=int, default=10_000, help=f"a multiple of {CHUNK}")
    parser.add_argument("--units", type=int, default=400, help="segments of each data set")
    parser.add_argument("--trials", type=int, default=999)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--part", choices=("tests", "runs", "margins", "powered"), default="tests")
    parser.add_argument("--write", action="store_true", help="put the table into the docs")
    chosen = parser.parse_args(arguments)
    if chosen.nulls < CHUNK or chosen.nulls % CHUNK:
        parser.error(f"--nulls {chosen.nulls}: give a multiple of {CHUNK}")
    if chosen.part == "tests":
        total = study(chosen.nulls, chosen.units, chosen.trials, chosen.processes)
        made = table(total, chosen.nulls, chosen.units, chosen.trials)
        start, wrong = START, outside(total)
    elif chosen.part == "runs":
        of_runs = study_of_runs(chosen.nulls, chosen.trials, chosen.processes)
        made = table_of_runs(of_runs, chosen.nulls, chosen.trials)
        start, wrong = RUNS_START, outside_of_runs(of_runs)
    elif chosen.part == "margins":
        made, wrong = study_of_margins(chosen.nulls, chosen.processes)
        start = MARGINS_START
    else:
        made, wrong = study_of_powered(chosen.nulls, chosen.processes)
        start = POWERED_START
    if chosen.write:
        page = PAGE.read_text(encoding="utf-8")
        before, _, rest = page.partition(start)
        _, _, after = rest.partition(END)
        PAGE.write_text(before + start + made + END + after, encoding="utf-8")
    else:
        print(made, end="")
    for line in wrong:
        print("outside the bounds:", line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
