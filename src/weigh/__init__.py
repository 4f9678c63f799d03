"""Weigh: is one text generation system really better than another?"""

from __future__ import annotations

__version__ = "0.3.0"

# Not from typing, which takes longer to import than all that is needed for `weigh --version`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from weigh.comparing.compare import compare as compare
    from weigh.comparing.compare_result import CompareResult as CompareResult
    from weigh.comparing.compare_result import Comparison as Comparison
    from weigh.comparing.compare_result import Ranking as Ranking
    from weigh.comparing.inputs import dataset as dataset
    from weigh.comparing.plan import Plan as Plan
    from weigh.comparing.plan import ScorePlan as ScorePlan
    from weigh.comparing.score import score as score
    from weigh.comparing.score_result import ScoreResult as ScoreResult
    from weigh.comparing.score_result import SystemScore as SystemScore
    from weigh.errors import InputError as InputError
    from weigh.errors import MissingExtraError as MissingExtraError
    from weigh.errors import UsageError as UsageError
    from weigh.errors import WeighError as WeighError
    from weigh.errors import WeighWarning as WeighWarning
    from weigh.human.agreement import agreement as agreement
    from weigh.human.campaign import plan_campaign as plan_campaign
    from weigh.human.deltas import known_deltas as known_deltas
    from weigh.human.judgments import read_judgments as read_judgments
    from weigh.human.metrics import human_metrics as human_metrics
    from weigh.human.payments import payments as payments
    from weigh.human.quality import quality as quality
    from weigh.human.rank import rank as rank
    from weigh.metrics.bleu import Bleu as Bleu
    from weigh.metrics.chrf import Chrf as Chrf
    from weigh.metrics.dependency import Dependency as Dependency
    from weigh.metrics.edit_rates import Cder as Cder
    from weigh.metrics.edit_rates import Per as Per
    from weigh.metrics.edit_rates import Wer as Wer
    from weigh.metrics.gtm import Gtm as Gtm
    from weigh.metrics.meteor.metric import Meteor as Meteor
    from weigh.metrics.nist import Nist as Nist
    from weigh.metrics.registry import parse_metric as parse_metric
    from weigh.metrics.ter import Ter as Ter
    from weigh.options import option as option
    from weigh.read import read_systems as read_systems
    from weigh.read import read_test_set as read_test_set
    from weigh.report.schema import json_schema as json_schema
    from weigh.report.view import load as load
    from weigh.result import Result as Result
    from weigh.rypt.metric import Rypt as Rypt
    from weigh.tuning.gather import read_nbest as read_nbest
    from weigh.tuning.held_out import HeldOut as HeldOut
    from weigh.tuning.loop import tune_decoder as tune_decoder
    from weigh.tuning.model import train_reranker as train_reranker
    from weigh.tuning.oracle import oracle as oracle
    from weigh.tuning.plan import TrainPlan as TrainPlan
    from weigh.tuning.plan import TunePlan as TunePlan
    from weigh.tuning.rerank import rerank as rerank
    from weigh.tuning.search import tune as tune
    from weigh.types import Metric as Metric
    from weigh.types import Outputs as Outputs
    from weigh.types import ParsedText as ParsedText
    from weigh.types import ParsedWord as ParsedWord
    from weigh.types import System as System
    from weigh.types import TestSet as TestSet
    from weigh.validate.accuracy import accuracy as accuracy
    from weigh.validate.blinding import blind_pairs as blind_pairs
    from weigh.validate.judgment_power import judgment_power as judgment_power
    from weigh.validate.power import power as power
    from weigh.validate.preference import preference as preference
    from weigh.validate.samples import samples as samples
    from weigh.validate.type1 import type1 as type1
    from weigh.web.serving import serve as serve

# Where each public name lives: all that users import, as above for type checkers. A name is
# imported when it is first used (PEP 562), so that `import weigh` costs nothing and
# `weigh --version` starts at once.
_HOMES = {
    "Bleu": "weigh.metrics.bleu",
    "Cder": "weigh.metrics.edit_rates",
    "Chrf": "weigh.metrics.chrf",
    "CompareResult": "weigh.comparing.compare_result",
    "Comparison": "weigh.comparing.compare_result",
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
    "Ranking": "weigh.comparing.compare_result",
    "Result": "weigh.result",
    "Rypt": "weigh.rypt.metric",
    "ScorePlan": "weigh.comparing.plan",
    "ScoreResult": "weigh.comparing.score_result",
    "System": "weigh.types",
    "SystemScore": "weigh.comparing.score_result",
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
    "blind_pairs": "weigh.validate.blinding",
    "compare": "weigh.comparing.compare",
    "dataset": "weigh.comparing.inputs",
    "human_metrics": "weigh.human.metrics",
    "json_schema": "weigh.report.schema",
    "judgment_power": "weigh.validate.judgment_power",
    "known_deltas": "weigh.human.deltas",
    "load": "weigh.report.view",
    "option": "weigh.options",
    "oracle": "weigh.tuning.oracle",
    "parse_metric": "weigh.metrics.registry",
    "plan_campaign": "weigh.human.campaign",
    "power": "weigh.validate.power",
    "preference": "weigh.validate.preference",
    "payments": "weigh.human.payments",
    "quality": "weigh.human.quality",
    "rank": "weigh.human.rank",
    "read_judgments": "weigh.human.judgments",
    "read_nbest": "weigh.tuning.gather",
    "read_systems": "weigh.read",
    "read_test_set": "weigh.read",
    "rerank": "weigh.tuning.rerank",
    "samples": "weigh.validate.samples",
    "score": "weigh.comparing.score",
    "serve": "weigh.web.serving",
    "train_reranker": "weigh.tuning.model",
    "tune": "weigh.tuning.search",
    "tune_decoder": "weigh.tuning.loop",
    "type1": "weigh.validate.type1",
}

if not TYPE_CHECKING:  # type checkers go by the imports above
    __all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        from weigh.removed import replacement

        raise AttributeError(
            replacement(f"weigh.{name}") or f"module 'weigh' has no attribute {name!r}"
        )
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*_HOMES, "__version__"]
