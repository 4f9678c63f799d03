"""`weigh validate`: the verbs about tests themselves, each in the module `validate_VERB`."""

from __future__ import annotations

SUBVERBS = {
    "accuracy": "tell how often tests conclude what people conclude",
    "samples": "tell how right the conclusions of small samples of a large test set are",
    "type1": "tell how often tests find a difference where there is none",
    "power": "tell how often differences are found, and how much data that takes",
    "preference": "let people choose between what two metrics choose from an n-best list",
}
