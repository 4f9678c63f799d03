"""Heat maps of tested pairs of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.phrases import NO_EVIDENCE
from weigh.report.pictures.heat_map import HeatCell, LegendLine, heat_map
from weigh.report.pictures.picture import Caption, Picture
from weigh.wording import fixed, p_value, probability, share

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Comparison
    from weigh.human.conclusions import Conclusion

# The levels of Graham et al. (2014), figures 7 and 8, with the numbers of their shades.
LEVELS = ((0.001, "3"), (0.01, "2"), (0.05, "1"))
# Fewer systems need no map: a sentence is enough.
FEWEST_SYSTEMS = 3


@dataclass(frozen=True, slots=True)
class Contrast:
    """A tested pair of systems a and b.

    `ahead` is the system that a small p-value favours, or None if the p-value allows no conclusion.
    `beats` are the winner and the loser of a significant test. `difference` is a's score minus b's,
    in `unit`s, shown with `decimals`.
    """

    pair: Comparison | Conclusion
    ahead: str | None
    beats: tuple[str, str] | None
    difference: float
    unit: str
    decimals: int

    @property
    def is_adjusted(self) -> bool:
        """Whether the p-value is adjusted for several comparisons."""
        return self.pair.family_size > 1 and self.pair.adjust != "none"

    def reaches(self, level: float) -> bool:
        """Whether the adjusted p-value is at most `level`; False without a p-value."""
        return self.pair.p_adjusted is not None and self.pair.p_adjusted <= level

    def numbers(self, *, from_b: bool = False) -> tuple[str, str]:
        """The difference a − b (or b − a if `from_b`) and the p-values, as texts."""
        p, sign = "no p-value", -1 if from_b else 1
        if self.pair.p_value is not None:
            p = p_value(self.pair.p_value)
            p += f", adjusted {probability(self.pair.p_adjusted)}" if self.is_adjusted else ""
        return fixed(sign * self.difference, self.decimals, sign=True), p

    @property
    def shade(self) -> str:
        """The number of the shade; empty if no level is reached or no conclusion is possible."""
        if self.ahead is None:
            return ""
        return next((shade for level, shade in LEVELS if self.reaches(level)), "")

    @property
    def title(self) -> str:
        """The conclusion with its numbers; a winner's difference is its score minus the loser's."""
        a, b = visible(self.pair.a), visible(self.pair.b)
        if self.beats is not None:
            conclusion = f"{visible(self.beats[0])} better than {visible(self.beats[1])}"
        elif self.ahead is None and self.reaches(LEVELS[-1][0]):
            conclusion = (
                f"no conclusion on {a} and {b}, because the test and the scores contradict each "
                "other"
            )
        elif self.pair.alternative == "two-sided":
            conclusion = f"{NO_EVIDENCE} between {a} and {b}"
        else:
            conclusion = f"no evidence that {a} is {self.pair.alternative} than {b}"
        from_b = self.beats is not None and self.beats[0] == self.pair.b
        difference, p = self.numbers(from_b=from_b)
        return f"{conclusion}: difference {difference} {self.unit}, {p}"


def contrast_map(
    names: Sequence[str],
    contrasts: Sequence[Contrast],
    caption: Caption,
    baseline: str | None = None,
    out_of_reach: Mapping[float, str] = MappingProxyType({}),
) -> Picture:
    """Draw systems, best first, against each other or against a baseline.

    A cell is shaded if the row's system is better or worse than the column's by the adjusted
    p-value. For levels `out_of_reach`, the legend says what they need instead of showing a shade.
    """
    pairs = {(contrast.pair.a, contrast.pair.b): contrast for contrast in contrasts}
    columns, beside = names, []
    if baseline is not None:
        columns = [baseline]
        tested = [pairs.get((name, baseline)) for name in names]
        beside = ["" if contrast is None else ", ".join(contrast.numbers()) for contrast in tested]
    return heat_map(
        names,
        [[_cell(pairs, row, column) for column in columns] for row in names],
        caption,
        _legend(contrasts[0].is_adjusted, baseline is not None, out_of_reach),
        column=baseline,
        beside=beside,
    )


def _legend(
    is_adjusted: bool, has_baseline: bool, out_of_reach: Mapping[float, str]
) -> list[LegendLine]:
    other = "baseline" if has_baseline else "column"
    p = "adjusted p" if is_adjusted else "p"
    reached = [(level, shade) for level, shade in LEVELS[::-1] if level not in out_of_reach]
    lines = []
    if reached:
        lines = [
            LegendLine(
                f"Row {which} than {other}, {p} ≤",
                [(f"{colour}{shade}", share(level)) for level, shade in reached],
            )
            for colour, which in (("good", "better"), ("bad", "worse"))
        ]
    lines.append(LegendLine(f"Blank: {NO_EVIDENCE}"))
    for level, needed in sorted(out_of_reach.items(), reverse=True):
        lines.append(LegendLine(f"Not reachable here: {share(level)}, which needs {needed}"))
    return lines


def _cell(pairs: Mapping[tuple[str, str], Contrast], row: str, column: str) -> HeatCell:
    """The cell of a pair.

    If both directions were tested one-sided, the cell shows the test in favour of the row, or the
    other if only that one is significant.
    """
    if row == column:
        return HeatCell("self", visible(row))
    both = [_contrast_for(pairs, row, column), _contrast_for(pairs, column, row)]
    contrasts = [contrast for contrast in both if contrast is not None]
    for contrast in contrasts:
        if contrast.shade:
            colour = "good" if contrast.ahead == row else "bad"
            return HeatCell(f"{colour}{contrast.shade}", contrast.title)
    return HeatCell("", contrasts[0].title)


def _contrast_for(
    pairs: Mapping[tuple[str, str], Contrast], row: str, column: str
) -> Contrast | None:
    """The test that can show the row to be better, if there is one."""
    for a, b in ((row, column), (column, row)):
        contrast = pairs.get((a, b))
        wanted = "better" if a == row else "worse"
        if contrast is not None and contrast.pair.alternative in ("two-sided", wanted):
            return contrast
    return None
