"""`weigh human`: the verbs about people's judgments, each in the module `human_VERB`."""

from __future__ import annotations

SUBVERBS = {
    "plan": "tell how many judgments are needed, and make the HITs for them",
    "quality": "tell which judges can be relied on, and why",
    "rank": "rank systems by judgments, with tests of every pair",
    "agreement": "tell how far judges agree, with each other and with themselves",
    "metrics": "hold metrics against judgments of people",
}
