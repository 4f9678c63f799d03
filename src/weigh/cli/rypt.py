"""`weigh rypt`: the verbs about labels of source constituents, each in the module `rypt_VERB`."""

from __future__ import annotations

SUBVERBS = {
    "align": "tell what the words of outputs translate, from a decoder's derivations",
    "queries": "tell what to ask people and what that takes, and make the HITs for it",
    "labels": "keep what people said: show, import, export and merge labels",
    "score": "score systems by labels in three ways, and tell how many labels count",
    "explain": "show why an output has its score: its tree with the label of every node",
    "infer": "tell what score to expect where labels are few or wrong, and how sure that is",
    "diversity": "tell how far labels can be used again over iterations of tuning",
}
