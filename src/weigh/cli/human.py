"""`weigh human`: the verbs about people's judgments, each in the module `human_VERB`."""

from __future__ import annotations

SUBVERBS = {
    "quality": "tell which judges can be relied on, and why",
    "rank": "rank systems by judgments, with tests of every pair",
}
