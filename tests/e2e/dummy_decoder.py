"""A decoder for tests: of each sentence's candidates it lists those that its weights find best.

dummy_decoder.py file WEIGHTS NBEST SIZE SOURCE
dummy_decoder.py moses … -weight-overwrite 'lm= 1 tm= 2 3' -n-best-list FILE N distinct …
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

NAMES = ["lm_0", "tm_0", "tm_1"]
WORDS = "the a cat dog sat ran on under mat house and saw it".split()  # noqa: SIM905
SENTENCES, CANDIDATES = 12, 60


def references() -> list[str]:
    rng = random.Random(1)
    return [" ".join(rng.choices(WORDS, k=rng.randint(6, 10))) for _ in range(SENTENCES)]


def candidates() -> list[list[tuple[str, list[float]]]]:
    """Damaged references; features tell the damage, with noise, and one tells nothing."""
    rng = random.Random(2)
    made = []
    for reference in references():
        own = []
        for _ in range(CANDIDATES):
            words = reference.split()
            damage = rng.randint(0, 5)
            for _ in range(damage):
                words[rng.randrange(len(words))] = rng.choice(WORDS)
            features = [rng.gauss(-damage, 2), rng.gauss(damage, 3), rng.gauss(0, 1)]
            own.append((" ".join(words), [round(value, 3) for value in features]))
        made.append(own)
    return made


def lines(weights: list[float], size: int) -> list[str]:
    result = []
    for number, own in enumerate(candidates()):
        scored = [
            (sum(w * f for w, f in zip(weights, features, strict=True)), text, features)
            for text, features in own
        ]
        scored.sort(key=lambda each: -each[0])
        for total, text, (lm, tm0, tm1) in scored[:size]:
            values = f"lm= {lm} tm= {tm0} {tm1}"
            result.append(f"{number} ||| {text} ||| {values} ||| {total:.5f}")
    return result


def write(path: str, output: list[str]) -> None:
    """Write slowly, so that a test can kill in the middle."""
    half = len(output) // 2
    with Path(path).open("w") as stream:
        stream.write("\n".join(output[:half]) + "\n")
        stream.flush()
        time.sleep(float(os.environ.get("DUMMY_PAUSE", "0")))
        stream.write("\n".join(output[half:]) + "\n")


def main(arguments: list[str]) -> int:
    contract, *rest = arguments
    if os.environ.get("DUMMY_FAILS"):
        print("no model was found", file=sys.stderr)
        print("giving up", file=sys.stderr)
        return 3
    if contract == "file":
        weights_file, nbest, size, source = rest
        assert Path(source).is_file()
        pairs = dict(line.split() for line in Path(weights_file).read_text().strip().split("\n"))
        write(nbest, lines([float(pairs[name]) for name in NAMES], int(size)))
    else:
        assert contract == "moses"
        overwrite = rest[rest.index("-weight-overwrite") + 1].split()
        assert [overwrite[0], overwrite[2]] == ["lm=", "tm="]
        at = rest.index("-n-best-list")
        nbest, size, distinct = rest[at + 1 : at + 4]
        assert distinct == "distinct"
        assert Path(rest[rest.index("-input-file") + 1]).is_file()
        weights = [float(overwrite[place]) for place in (1, 3, 4)]
        write(nbest, lines(weights, int(size)))
        print("\n".join(references()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
