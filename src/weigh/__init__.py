"""Weigh: is one text generation system really better than another?"""

from __future__ import annotations

__version__ = "0.2.0"

# Not from typing, which takes longer to import than all that is needed for `weigh --version`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from weigh.comparing.plan import Plan
    from weigh.comparing.procedure import compare
    from weigh.comparing.result import Result
    from weigh.errors import InputError, MissingExtraError, UsageError, WeighError
    from weigh.metrics.bleu import Bleu
    from weigh.metrics.cder import Cder
    from weigh.metrics.chrf import Chrf
    from weigh.metrics.dependency import Dependency
    from weigh.metrics.gtm import Gtm
    from weigh.metrics.meteor.metric import Meteor
    from weigh.metrics.nist import Nist
    from weigh.metrics.per import Per
    from weigh.metrics.registry import parse_metric
    from weigh.metrics.scoring import SystemScore, score
    from weigh.metrics.ter import Ter
    from weigh.metrics.wer import Wer
    from weigh.options import option
    from weigh.read import read_systems, read_test_set
    from weigh.report.view import load
    from weigh.rypt.metric import Rypt
    from weigh.types import (
        Comparison,
        Metric,
        Outputs,
        ParsedText,
        ParsedWord,
        Ranking,
        System,
        TestSet,
    )

# Where each public name lives; a name is imported when it is first used (PEP 562), so that
# `import weigh` costs nothing and `weigh --version` starts at once.
_HOMES = {
    "Bleu": "weigh.metrics.bleu",
    "Cder": "weigh.metrics.cder",
    "Chrf": "weigh.metrics.chrf",
    "Comparison": "weigh.types",
    "Dependency": "weigh.metrics.dependency",
    "Gtm": "weigh.metrics.gtm",
    "InputError": "weigh.errors",
    "Meteor": "weigh.metrics.meteor.metric",
    "Metric": "weigh.types",
    "MissingExtraError": "weigh.errors",
    "Nist": "weigh.metrics.nist",
    "Outputs": "weigh.types",
    "ParsedText": "weigh.types",
    "ParsedWord": "weigh.types",
    "Per": "weigh.metrics.per",
    "Plan": "weigh.comparing.plan",
    "Ranking": "weigh.types",
    "Result": "weigh.comparing.result",
    "Rypt": "weigh.rypt.metric",
    "System": "weigh.types",
    "SystemScore": "weigh.metrics.scoring",
    "Ter": "weigh.metrics.ter",
    "TestSet": "weigh.types",
    "UsageError": "weigh.errors",
    "WeighError": "weigh.errors",
    "Wer": "weigh.metrics.wer",
    "load": "weigh.report.view",
    "option": "weigh.options",
    "compare": "weigh.comparing.procedure",
    "parse_metric": "weigh.metrics.registry",
    "read_systems": "weigh.read",
    "read_test_set": "weigh.read",
    "score": "weigh.metrics.scoring",
}

__all__ = [
    "Bleu",
    "Cder",
    "Chrf",
    "Comparison",
    "Dependency",
    "Gtm",
    "InputError",
    "Meteor",
    "Metric",
    "MissingExtraError",
    "Nist",
    "Outputs",
    "ParsedText",
    "ParsedWord",
    "Per",
    "Plan",
    "Ranking",
    "Result",
    "Rypt",
    "System",
    "SystemScore",
    "Ter",
    "TestSet",
    "UsageError",
    "WeighError",
    "Wer",
    "__version__",
    "compare",
    "load",
    "option",
    "parse_metric",
    "read_systems",
    "read_test_set",
    "score",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'weigh' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
