"""How the studies of tests are made: all choices, with what the command line says of them."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.options import check_options, count, option, share
from weigh.stats.procedures import FLAWED_TESTS, TESTS
from weigh.validate.checks import check_names, check_trials

SIDES = ("two-sided", "doubled", "better", "worse")


@dataclass(frozen=True, slots=True)
class Type1Plan:
    """How equal systems are made and tested; `size` is how many units are drawn, None for all."""

    tests: tuple[str, ...] = option(
        TESTS,
        "randomization, bootstrap or paired-bootstrap; several with commas or by repeating it",
        flag="test",
        choices=TESTS,
    )
    compat: tuple[str, ...] = option(
        FLAWED_TESTS,
        "other tools' tests to show beside, known to reject too often; none for none",
        metavar="TEST",
        choices=(*FLAWED_TESTS, "none"),
    )
    alphas: tuple[float, ...] = share(
        (0.1, 0.05, 0.01),
        "significance level; several with commas or by repeating it",
        flag="alpha",
    )
    nulls: int = count(
        2000,
        "number of pairs of equal systems; each takes for every segment two of the outputs "
        "given, in random order",
    )
    size: int | None = count(
        None,
        "number of segments of each pair, drawn without replacement, or of documents",
        shown="all",
    )
    trials: int = count(1000, "number of random trials of each test")
    level: float = share(0.95, "confidence level of the intervals of shares")
    seed: int = 12345

    def __post_init__(self) -> None:
        check_options(self)
        if self.compat == ("none",):
            object.__setattr__(self, "compat", ())
        check_names("test", self.tests, TESTS)
        check_names("compat", self.compat or FLAWED_TESTS, FLAWED_TESTS)
        check_trials(self.trials, self.alphas, two_sided=True)

    @property
    def kinds(self) -> tuple[tuple[str, str], ...]:
        """Every test with each of its alternatives, and the flawed formulas."""
        sound = [(test, side) for test in self.tests for side in SIDES]
        return (*sound, *((test, "two-sided") for test in self.compat))
