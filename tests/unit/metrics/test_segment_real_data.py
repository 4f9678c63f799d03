"""Human scores of a part of WMT 2024's English-Czech segments, beside the systems' texts."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import fmean

import pytest

from shared_data import SHARED, lines, needs_shared
from weigh import Chrf, score
from weigh.metrics.segment import Segment
from weigh.metrics.statistics import supplied
from weigh.read import read_inputs

EN_CS = SHARED / "data" / "wmt24" / "en-cs"
SYSTEMS = ("Claude-3.5", "IKUN-C", "CUNI-MH")


def human_scores() -> dict[str, dict[int, float]]:
    """Mean scores by system and segment, from 1."""
    header, *rows = (line.split("\t") for line in lines(EN_CS / "human-esa.tsv.gz"))
    found: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for cells in rows:
        row = dict(zip(header, cells, strict=True))
        if row["type"] == "TGT" and not row["flag"]:
            found[row["system"]][int(row["seg"])].append(float(row["score"]))
    return {
        system: {segment: fmean(values) for segment, values in segments.items()}
        for system, segments in found.items()
    }


@needs_shared
def test_only_segments_with_scores_of_all_systems_count(tmp_path: Path) -> None:
    scores = human_scores()
    file = tmp_path / "esa.tsv"
    file.write_text(
        "system\tsegment\tscore\n"
        + "".join(
            f"{system}\t{segment}\t{value!r}\n"
            for system, segments in scores.items()
            for segment, value in segments.items()
        )
    )
    test_set, systems = read_inputs(
        [f"{name}={EN_CS}/sys/{name}.cs.gz" for name in SYSTEMS], [f"{EN_CS}/refA.cs.gz"]
    )
    metric = Segment(str(file), "ESA")
    judged, part, missing = supplied(systems, test_set, [metric], allow_missing=True)
    common = sorted(set.intersection(*(set(scores[name]) for name in SYSTEMS)))
    assert 200 < len(part) == len(common) < len(test_set) == 998
    assert missing is not None
    assert missing.counts == {("ESA", name): 998 - len(scores[name]) for name in SYSTEMS}
    found = score(judged, part, [metric, Chrf()])
    expected = [fmean(scores[name][segment] for segment in common) for name in SYSTEMS]
    assert [one.score for one in found[:3]] == pytest.approx(expected)
    texts = lines(EN_CS / "sys" / "IKUN-C.cs.gz")
    assert list(judged[1].outputs.texts) == [texts[segment - 1] for segment in common]
