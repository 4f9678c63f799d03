"""How often each test rejects a true null hypothesis: the tables of docs/validation.md.

    python scripts/calibrate.py --nulls 10000 --write

This takes about ten minutes on two cores, as does `--part runs` (runs as a sample) with 4,000
nulls. `--part powered` (few judgments and a metric) takes one minute, `--part intervals`,
`levels`, `margins` and `anytime` a few minutes each. Exits with 1 if a figure is out of bounds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from calibration import anytime, intervals, levels, margins, nulls, powered, runs  # noqa: E402

PAGE = ROOT / "docs" / "validation.md"
START, END = "<!-- table: scripts/calibrate.py -->\n", "<!-- end of table -->\n"
RUNS_START = "<!-- table: scripts/calibrate.py --part runs -->\n"
POWERED_START = "<!-- table: scripts/calibrate.py --part powered -->\n"
BOUNDS = {0.05: 0.01, 0.1: 0.012}
# How often a 95% interval must hold the truth; where a few scores are far below the others, the
# classical one does not do so either, and the docs say it.
POWERED = {"normal": 0.94, "skewed": 0.90, "long tail": 0.85}
# The same of whole documents, drawn from all of a test set, for both questions.
POWERED_DOCUMENTS = ((10, 40), (20, 40), (10, 100), (20, 100), (50, 100), (20, 400), (50, 400))
POWERED_SEGMENTS = ((20, 40), (20, 100), (50, 100), (20, 400), (50, 400))
POPULATIONS = {True: "test set", False: "like these"}
LEAST_BY_QUESTION, MOST_BY_QUESTION = 0.93, 0.97
POWERED_SIZES = ((20, 200), (20, 2000), (50, 200), (50, 2000), (200, 200), (200, 2000))
CORRELATIONS = (0.0, 0.5, 0.9, -0.7)
CHUNK = 250

Shares = dict[tuple[str, str, str, float], float]
Cell = tuple[str, str, int]  # metric, design, runs
PoweredCell = tuple[str, float, int, int]  # scores, correlation, segments judged and not judged


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


def _span(figures: Sequence[float], digits: int = 4) -> str:
    """Format the lowest and highest of some figures."""
    low, high = f"{min(figures):.{digits}f}", f"{max(figures):.{digits}f}"
    return low if low == high else f"{low}–{high}"


def table(total: dict[str, Shares], count: int, units: int, trials: int) -> str:
    """Format the shares of rejections as Markdown, lowest and highest over the metrics."""
    lines = [
        f"{count:,} null data sets of each kind, {units} segments, {trials} trials, a new seed "
        f"each. Monte Carlo error of a share: ±{2 * (0.05 * 0.95 / count) ** 0.5:.4f} at .05 and "
        f"±{2 * (0.09 / count) ** 0.5:.4f} at .10 (two standard errors). Lowest and highest share "
        f"over {len(nulls.METRICS)} metrics.",
        "",
        "| data | test | .05 | .10 | `better` .05 | `worse` .05 |",
        "|---|---|---|---|---|---|",
    ]
    columns = [("two-sided", alpha) for alpha in BOUNDS] + [("better", 0.05), ("worse", 0.05)]
    for kind, shares in total.items():
        for test in (*nulls.TESTS, *nulls.FLAWED):
            cells = []
            for side, alpha in columns:
                keys = [(metric, test, side, alpha) for metric in nulls.METRICS]
                cells.append(_span([shares[key] for key in keys]) if keys[0] in shares else "")
            name = f"*{test}*" if test in nulls.FLAWED else test
            lines.append(f"| {kind} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def outside(total: dict[str, Shares]) -> list[str]:
    """List the figures that lie outside their bounds."""
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
    total: dict[Cell, dict[str, float]] = {cell: {} for cell in cells}
    with get_context("spawn").Pool(processes) as pool:
        for done, (cell, found) in enumerate(pool.imap_unordered(_runs_chunk, jobs), 1):
            for side, rejected in found.items():
                total[cell][side] = total[cell].get(side, 0.0) + rejected / count
            print(f"\r{done}/{len(jobs)} ", end="", file=sys.stderr)
    print(file=sys.stderr)
    return total


def table_of_runs(total: dict[Cell, dict[str, float]], count: int, trials: int) -> str:
    """Format the shares of rejections at .05 as Markdown, one column per metric and side."""
    sides = ("two-sided", "better", "worse")
    lines = [
        f"{count:,} null data sets of each kind, {runs.UNITS} segments, variances from {trials} "
        f"trials. Monte Carlo error of a share: ±{2 * (0.05 * 0.95 / count) ** 0.5:.4f} at .05 "
        "(two standard errors).",
        "",
        "| runs | A's runs | at most | "
        + " | ".join(f"{metric}: {', '.join(sides)}" for metric in runs.METRICS)
        + " |",
        "|---|---|---|" + "---|" * len(runs.METRICS),
    ]
    for design in runs.DESIGNS:
        for k in runs.RUNS:
            cells = [
                ", ".join(f"{total[metric, design, k][side]:.3f}" for side in sides)
                for metric in runs.METRICS
            ]
            lines.append(f"| {design} | {k} | {runs.bound(design, k):g} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def outside_of_runs(total: dict[Cell, dict[str, float]]) -> list[str]:
    """List the figures that lie above their bounds."""
    return [
        f"runs-t, {metric}, {design}, {k} runs: {shares['two-sided']:.4f}"
        for (metric, design, k), shares in total.items()
        if shares["two-sided"] > runs.bound(design, k)
    ]


def _chance(share: float, count: int) -> float:
    """Return two standard errors of a share."""
    return float(2 * (share * (1 - share) / count) ** 0.5)


@dataclass(frozen=True)
class Row:
    """One row of a table: what is measured, by which function of how many data sets, and bounds.

    `bounds` hold for the first figure, None where it is only shown.
    """

    title: str
    units: int
    measure: Callable[..., dict[str, float] | float]
    arguments: tuple[object, ...]
    count: int
    options: tuple[tuple[str, object], ...] = ()
    bounds: tuple[float, float] | None = None

    def figures(self) -> list[float]:
        """Measure the figures of this row."""
        found = self.measure(*self.arguments, self.count, **dict(self.options))
        return list(found.values()) if isinstance(found, dict) else [found]

    def is_outside(self, figure: float) -> bool:
        """Tell whether a figure lies outside the bounds by more than chance."""
        if self.bounds is None:
            return False
        low, high = self.bounds
        return not low - _chance(low, self.count) <= figure <= high + _chance(high, self.count)


def _bleu_coverage(units: int, count: int) -> dict[str, float]:
    return intervals.bleu_coverage(_world(), units, count)


def _exact_coverage(units: int, share: float, count: int) -> float:
    del count  # all counts that may be seen, each with its chance
    return intervals.wilson_coverage(units, share)


def interval_rows(count: int) -> dict[str, list[Row]]:
    """Return the tables of coverage: columns, and rows below them."""
    means = [
        Row(kind, units, intervals.coverage, (kind, units), count, bounds=(low, 0.975))
        for kind, least in (("normal", 0.93), ("exponential", 0.88))
        for units, low in ((6, least), (10, least), (20, least), (50, least), (200, 0.93))
    ]
    slices = [
        Row(
            f"{kind}, slices of 10",
            10 * number,
            intervals.macro_coverage,
            (kind, number),
            count,
            bounds=(low, 0.97),
        )
        for kind, least in (("normal", 0.93), ("exponential", 0.88))
        for number, low in ((2, least), (5, least), (30, 0.93))
    ]
    bleu = [
        Row("BLEU", units, _bleu_coverage, (units,), max(CHUNK, count // 4), bounds=(0.93, 0.97))
        for units in (10, 20, 50, 200)
    ]
    passed = [
        Row(
            "pass/fail",
            units,
            intervals.pass_fail_coverage,
            (units,),
            max(CHUNK, count // 8),
            bounds=(0.96, 1.0),
        )
        for units in (10, 20, 50, 200)
    ]
    shares = [
        Row(f"{share:g} passed", units, _exact_coverage, (units, share), count, bounds=(0.91, 0.94))
        for units, share in intervals.WILSON
    ]
    documents = [
        Row(
            f"{share:g} passed, documents",
            units,
            intervals.document_coverage,
            (units, share),
            count,
            bounds=(0.92, 0.98),
        )
        for units, share in ((10, 0.7), (20, 0.9), (50, 0.5))
    ]
    return {
        "difference of means | units | halving | percentile | t": means,
        "difference of means over slices | items | halving": slices,
        "difference of BLEU | segments | halving | percentile": bleu,
        "difference of pass/fail | items | mean | least": passed,
        "score of pass/fail | units | Wilson": [*shares, *documents],
    }


def level_rows(count: int) -> dict[str, list[Row]]:
    """Return the tables of level and power on few units."""
    few = [
        Row("normal", units, levels.rejections, ("normal", units), count, bounds=(0.0, 0.06))
        for units in (3, 5, 10, 20, 50)
    ]
    passed = [
        Row(
            "pass/fail, 20% differ",
            units,
            levels.pass_fail_rejections,
            (units, 0.2),
            count,
            bounds=(0.0, 0.05),
        )
        for units in (20, 100, 400)
    ]
    shapes = [
        Row("equal means, unequal shapes", units, levels.unequal_shapes, (units,), count)
        for units in (20, 50, 100, 400)
    ]
    power = [
        Row(
            title,
            units,
            levels.power_at_detectable,
            (kind, units),
            count,
            options=(("sign", sign),),
            bounds=(least, 0.84),
        )
        for title, kind, sign, least in (
            ("normal", "normal", 1, 0.7),
            ("exponential, towards its tail", "exponential", 1, 0.7),
            ("exponential, away from it", "exponential", -1, 0.62),
        )
        for units in (8, 10, 20, 50, 200)
    ]
    return {
        "no difference | units | randomization | bootstrap | paired bootstrap": few,
        "no difference | units | randomization": [*passed, *shapes],
        "difference as stated | units | power": power,
        "15 pairs, no difference | items | false claim, exact p | drawn p | conclusions differ": [
            Row(
                "six systems",
                60,
                levels.families,
                (6, 60),
                max(CHUNK, count // 5),
                bounds=(0, 0.06),
            )
        ],
        "8,911 pairs, half differ | items | found, exact p | drawn p | 9,999 trials": [
            Row("134 systems", 500, levels.real_pairs_found, (134, 500), 1, bounds=(0.2, 0.8))
        ],
    }


def margin_rows(count: int) -> dict[str, list[Row]]:
    """Return the tables of margins and gates."""
    titles = {
        "failures": ("3% total failures, noise", (20, 50, 100, 200, 1000), 0.065),
        "pass/fail": ("3% no longer pass", (20, 50, 100, 200, 1000), 0.068),
        "lognormal": ("lognormal", (20, 50, 100, 200, 1000), 0.02),
    }
    held = [
        Row(title, units, margins.not_worse, (kind, units), count, bounds=(0.0, most))
        for kind, (title, sizes, most) in titles.items()
        for units in sizes
    ]
    texts = [
        Row(
            "BLEU",
            units,
            margins.bleu_not_worse,
            (units,),
            max(CHUNK, count // 4),
            bounds=(0, 0.04),
        )
        for units in (20, 50, 100)
    ]
    strict = [
        Row("`--strict`", units, margins.strict_not_worse, (units,), count, bounds=(0.0, 0.05))
        for units in (20, 100, 1000)
    ]
    gates = [
        Row(
            "an equal system" if margin is None else "worse by the margin on each",
            units,
            margins.gate_fails,
            (units,),
            count,
            options=(("margin", margin),),
            bounds=(0.0, 0.06),
        )
        for margin in (None, 0.5)
        for units in (10, 30, 100)
    ]
    return {
        "true loss = margin | units | called not worse | by Student's t": held,
        "the same, other bounds | units | called not worse": [*texts, *strict],
        "gate over three metrics | units | fails | if each metric were tested at α": gates,
    }


def anytime_rows(count: int) -> dict[str, list[Row]]:
    """Return the tables of comparisons that are looked at while items come in."""
    errors = [
        Row(
            "20 looks, six pairs, none differs",
            anytime.UNITS,
            anytime.familywise_error,
            (),
            count,
            bounds=(0.0, 0.05),
        ),
        Row(
            "20 looks, six pairs, one system is better",
            anytime.UNITS,
            anytime.familywise_error,
            (),
            count,
            options=(("better", 1),),
            bounds=(0.0, 0.05),
        ),
        *(
            Row(
                f"a look at every item, sd {deviation:g}",
                2000,
                anytime.continuous_error,
                (deviation,),
                count,
                bounds=(0.0, 0.05),
            )
            for deviation in (0.1, 0.3, 1.0)
        ),
        Row("20 looks, p for a single look", anytime.UNITS, anytime.naive_error, (), count),
    ]
    costs = [
        Row(
            f"{effect:g} sd, sd {deviation:g}",
            levels.fixed_units(effect),
            anytime.units_to_decide,
            (effect, deviation),
            count // 2,
        )
        for deviation in (0.3, 0.1)
        for effect in (0.1, 0.2, 0.5)
    ]
    return {
        "false claims | items | share": errors,
        "true difference | items for 80% power, fixed | items until decided": costs,
    }


STUDIES = {
    "intervals": interval_rows,
    "levels": level_rows,
    "margins": margin_rows,
    "anytime": anytime_rows,
}


def study_of_rows(part: str, count: int, processes: int) -> tuple[str, list[str]]:
    """Return the tables of a part as Markdown, and what is outside its bounds."""
    tables = STUDIES[part](count)
    rows = [row for own in tables.values() for row in own]
    with get_context("spawn").Pool(processes) as pool:
        found = dict(zip(map(id, rows), pool.map(Row.figures, rows, chunksize=1), strict=True))
    wrong, lines = [], [f"{count:,} data sets each, fewer where that takes long; α = .05.", ""]
    for head, own in tables.items():
        lines += [f"| {head} |", "|" + "---|" * (head.count("|") + 1)]
        for row in own:
            figures = found[id(row)]
            shown = [f"{each:.0f}" if each > 1 else f"{each:.4f}" for each in figures]
            lines.append(f"| {row.title} | {row.units:,} | {' | '.join(shown)} |")
            if row.is_outside(figures[0]):
                wrong.append(f"{head.partition(' |')[0]}, {row.title}, {row.units}: {shown[0]}")
        lines.append("")
    return "\n".join(lines[:-1]) + "\n", wrong


def coverage_rows(coverages: Mapping[PoweredCell, powered.Coverage]) -> list[str]:
    """Format coverage by scores and judged segments, and variance by correlation, as Markdown."""
    lines = [
        "| scores | judged | interval contains the truth | people alone | variance: "
        + " | ".join(f"r = {r:g}" for r in CORRELATIONS)
        + " |",
        "|---|---|---|---|" + "---|" * len(CORRELATIONS),
    ]
    for kind in POWERED:
        for judged in dict(POWERED_SIZES):
            row = {cell: each for cell, each in coverages.items() if cell[::2] == (kind, judged)}
            cells = [
                _span([each.powered for each in row.values()]),
                _span([each.classical for each in row.values()]),
                *(
                    _span([each.ratio for cell, each in row.items() if cell[1] == r], 2)
                    for r in CORRELATIONS
                ),
            ]
            lines.append(f"| {kind} | {judged} | {' | '.join(cells)} |")
    return lines


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
        *coverage_rows(dict(zip(cells, found, strict=True))),
    ]
    table, outside = _both_questions(count, processes)
    return "\n".join(lines) + "\n\n" + table, [*wrong, *outside]


def _both_questions(count: int, processes: int) -> tuple[str, list[str]]:
    """Coverage for the test set itself and for segments or documents like these."""
    cells = [
        (unit, finite, r, drawn, total)
        for unit in ("segments", *powered.SIZES)
        for r in (0.0, 0.5, 0.9)
        for drawn, total in (POWERED_SEGMENTS if unit == "segments" else POWERED_DOCUMENTS)
        for finite in POPULATIONS
    ]
    with get_context("spawn").Pool(processes) as pool:
        found = pool.starmap(_answered, [(*cell, count) for cell in cells], chunksize=1)
    groups: dict[tuple[str, bool], list[powered.Coverage]] = {}
    wrong = []
    slack = _chance(0.95, count)
    for (unit, finite, r, drawn, total), each in zip(cells, found, strict=True):
        groups.setdefault((unit, finite), []).append(each)
        if not LEAST_BY_QUESTION - slack <= each.powered <= MOST_BY_QUESTION + slack:
            cell = f"{unit}, correlation {r}, {drawn} of {total}"
            wrong.append(f"{cell}, {POPULATIONS[finite]}: {each.powered:.4f}")
    lines = [
        "| drawn | question | kinds | interval contains the truth | people alone |",
        "|---|---|---|---|---|",
    ]
    for (unit, finite), shares in groups.items():
        title = unit if unit == "segments" else f"documents, {unit} segments"
        spans = [
            f"{min(held):.4f} to {max(held):.4f}"
            for held in ([each.powered for each in shares], [each.classical for each in shares])
        ]
        lines.append(f"| {title} | {POPULATIONS[finite]} | {len(shares)} | {' | '.join(spans)} |")
    return "\n".join(lines) + "\n", wrong


def _answered(
    unit: str, finite: bool, correlation: float, drawn: int, total: int, count: int
) -> powered.Coverage:
    if unit == "segments":
        return powered.covered("normal", correlation, drawn, total - drawn, count, finite=finite)
    sizes = powered.SIZES[unit]
    return powered.covered_by_document(correlation, drawn, total, count, finite=finite, sizes=sizes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nulls", type=int, default=10_000, help=f"a multiple of {CHUNK}")
    parser.add_argument("--units", type=int, default=400, help="segments of each data set")
    parser.add_argument("--trials", type=int, default=999)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--part", choices=("tests", "runs", "powered", *STUDIES), default="tests")
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
    elif chosen.part in STUDIES:
        made, wrong = study_of_rows(chosen.part, chosen.nulls, chosen.processes)
        start = f"<!-- table: scripts/calibrate.py --part {chosen.part} -->\n"
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
