"""Scheme `flores200`: SentencePiece with the FLORES-200 model (spBLEU).

The model is not part of this package and never downloaded by it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from weigh.errors import MissingExtraError

# sacreBLEU's name for the file is the end of the address it has it from.
MODEL_ADDRESS = "https://tinyurl.com/flores200sacrebleuspm"
MODEL_NAME = "flores200sacrebleuspm"
MODEL_VARIABLE = "WEIGH_FLORES200_MODEL"


def _home() -> Path:
    return Path(os.path.expanduser("~"))  # noqa: PTH111 (Path.home fails without a home)


def find_model() -> str:
    """Return the path of the model, having made sure that it can be loaded.

    It is the file that the variable WEIGH_FLORES200_MODEL names, or else the one in weigh's
    cache directory, or else the one that sacreBLEU has downloaded.
    """
    _library()  # first: without it no model helps
    path = _model_path()
    _processor(path)
    return path


def _model_path() -> str:
    named = os.environ.get(MODEL_VARIABLE)
    if named:
        if not Path(named).is_file():
            raise MissingExtraError(
                f"{named}: no such file, but {MODEL_VARIABLE} names it as the model of "
                "tokeniser 'flores200'; correct the variable or remove it"
            )
        return named
    cached = Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache") / "weigh" / MODEL_NAME
    sacrebleu = os.environ.get("SACREBLEU") or _home() / ".sacrebleu"
    for path in (cached, Path(sacrebleu) / "models" / MODEL_NAME):
        if path.is_file():
            return str(path)
    raise MissingExtraError(
        f"tokeniser 'flores200' needs a SentencePiece model, but {cached} does not exist; "
        f"download it there from {MODEL_ADDRESS} or name the file in {MODEL_VARIABLE}"
    )


def _library() -> Any:
    try:
        import sentencepiece
    except ImportError as error:
        raise MissingExtraError(
            "tokeniser 'flores200' needs sentencepiece, which is not installed; "
            "pip install 'weigh[sentencepiece]'"
        ) from error
    return sentencepiece


@cache
def _processor(path: str) -> Any:
    try:
        return _library().SentencePieceProcessor(model_file=path)
    except (OSError, RuntimeError) as error:
        raise MissingExtraError(
            f"{path}: not a SentencePiece model, as tokeniser 'flores200' needs it; "
            f"download it again from {MODEL_ADDRESS}"
        ) from error


def spread(model: str, texts: Sequence[str]) -> list[str]:
    """Set the pieces apart that the model at that path finds."""
    processor = _processor(model)
    pieces = processor.encode([text.rstrip() for text in texts], out_type=str, num_threads=1)
    return list(map(" ".join, pieces))
