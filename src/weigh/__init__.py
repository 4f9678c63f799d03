"""Weigh: is one text generation system really better than another?"""

from __future__ import annotations

__version__ = "0.2.0"

# Not from typing, which takes longer to import than all that is needed for `weigh --version`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from weigh.comparing.compare import compare
    from weigh.comparing.comparison import CompareResult, Comparison, Ranking
    from weigh.comparing.plan import Plan, ScorePlan
    from weigh.comparing.result import ScoreResult, SystemScore
    from weigh.comparing.score import score
    from weigh.errors import InputError, MissingExtraError, UsageError, WeighError, WeighWarning
    from weigh.human.agreement import agreement
    from weigh.human.campaign import plan_campaign
    from weigh.human.judgments import read_judgments
    from weigh.human.metrics import human_metrics
    from weigh.human.quality import quality
    from weigh.human.rank import rank
    from weigh.metrics.bleu import Bleu
    from weigh.metrics.chrf import Chrf
    from weigh.metrics.dependency import Dependency
    from weigh.metrics.edit_rates import Cder, Per, Wer
    from weigh.metrics.gtm import Gtm
    from weigh.metrics.meteor.metric import Meteor
    from weigh.metrics.nist import Nist
    from weigh.metrics.registry import parse_metric
    from weigh.metrics.ter import Ter
    from weigh.options import option
    from weigh.read import read_systems, read_test_set
    from weigh.report.view import load
    from weigh.result import Result
    from weigh.rypt.metric import Rypt
    from weigh.tuning.gather import read_nbest
    from weigh.tuning.held_out import HeldOut
    from weigh.tuning.loop import tune_decoder
    from weigh.tuning.model import train_reranker
    from weigh.tuning.oracle import oracle
    from weigh.tuning.plan import TrainPlan, TunePlan
    from weigh.tuning.rerank import rerank
    from weigh.tuning.search import tune
    from weigh.types import Metric, Outputs, ParsedText, ParsedWord, System, TestSet
    from weigh.validate.accuracy import accuracy
    from weigh.validate.judgment_power import judgment_power
    from weigh.validate.power import power
    from weigh.validate.preference import blind_pairs, preference
    from weigh.validate.samples import samples
    from weigh.validate.type1 import type1

# Where each public name lives; a name is imported when it is first used (PEP 562), so that
# `import weigh` costs nothing and `weigh --version` starts at once.
_HOMES = {
    "Bleu": "weigh.metrics.bleu",
    "Cder": "weigh.metrics.edit_rates",
    "Chrf": "weigh.metrics.chrf",
    "CompareResult": "weigh.comparing.comparison",
    "Comparison": "weigh.comparing.comparison",
    "Dependency": "weigh.metrics.dependency",
    "Gtm": "weigh.metrics.gtm",
    "HeldOut": "weigh.tuning.held_out",
    "InputError": "weigh.errors",
    "Meteor": "weigh.metrics.meteor.metric",
    "Metric": "weigh.types",
    "MissingExtraError": "weigh.errors",
    "Nist": "weigh.metrics.nist",
    "Outputs": "weigh.types",
    "ParsedText": "weigh.types",
    "ParsedWord": "weigh.types",
    "Per": "weigh.metrics.edit_rates",
    "Plan": "weigh.comparing.plan",
    "Ranking": "weigh.comparing.comparison",
    "Result": "weigh.result",
    "Rypt": "weigh.rypt.metric",
    "ScorePlan": "weigh.comparing.plan",
    "ScoreResult": "weigh.comparing.result",
    "System": "weigh.types",
    "SystemScore": "weigh.comparing.result",
    "Ter": "weigh.metrics.ter",
    "TestSet": "weigh.types",
    "TrainPlan": "weigh.tuning.plan",
    "TunePlan": "weigh.tuning.plan",
    "UsageError": "weigh.errors",
    "WeighError": "weigh.errors",
    "WeighWarning": "weigh.errors",
    "Wer": "weigh.metrics.edit_rates",
    "accuracy": "weigh.validate.accuracy",
    "agreement": "weigh.human.agreement",
    "blind_pairs": "weigh.validate.preference",
    "compare": "weigh.comparing.compare",
    "human_metrics": "weigh.human.metrics",
    "judgment_power": "weigh.validate.judgment_power",
    "load": "weigh.report.view",
    "option": "weigh.options",
    "oracle": "weigh.tuning.oracle",
    "parse_metric": "weigh.metrics.registry",
    "plan_campaign": "weigh.human.campaign",
    "power": "weigh.validate.power",
    "preference": "weigh.validate.preference",
    "quality": "weigh.human.quality",
    "rank": "weigh.human.rank",
    "read_judgments": "weigh.human.judgments",
    "read_nbest": "weigh.tuning.gather",
    "read_systems": "weigh.read",
    "read_test_set": "weigh.read",
    "rerank": "weigh.tuning.rerank",
    "samples": "weigh.validate.samples",
    "score": "weigh.comparing.score",
    "train_reranker": "weigh.tuning.model",
    "tune": "weigh.tuning.search",
    "tune_decoder": "weigh.tuning.loop",
    "type1": "weigh.validate.type1",
}

__all__ = [
    "Bleu",
    "Cder",
    "Chrf",
    "CompareResult",
    "Comparison",
    "Dependency",
    "Gtm",
    "HeldOut",
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
    "ScorePlan",
    "ScoreResult",
    "System",
    "SystemScore",
    "Ter",
    "TestSet",
    "TrainPlan",
    "TunePlan",
    "UsageError",
    "WeighError",
    "WeighWarning",
    "Wer",
    "__version__",
    "accuracy",
    "agreement",
    "blind_pairs",
    "compare",
    "human_metrics",
    "judgment_power",
    "load",
    "option",
    "oracle",
    "parse_metric",
    "plan_campaign",
    "power",
    "preference",
    "quality",
    "rank",
    "read_judgments",
    "read_nbest",
    "read_systems",
    "read_test_set",
    "rerank",
    "samples",
    "score",
    "train_reranker",
    "tune",
    "tune_decoder",
    "type1",
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
