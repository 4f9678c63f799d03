"""`weigh rypt`: the verbs about labels of source constituents, each in the module `rypt_VERB`."""

from __future__ import annotations

SUBVERBS = {
    "align": "tell what the words of outputs translate, from a decoder's derivations",
    "infer": "tell what RYPT to expect where few nodes are labelled, and how sure that is",
    "score": "score systems by labels in three ways, and tell how many labels count",
    "explain": "show why an output has its score: its tree with the label of every node",
    "queries": "tell what to ask people and what that takes, and make the HITs for it",
    "labels": "keep what people said: show, import, export and merge labels",
}
