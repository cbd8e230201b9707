"""What `/metrics` exports: every series of a process that has everything to tell, with its labels and their words."""

import re
from collections import defaultdict
from functools import cache
from types import SimpleNamespace
from typing import get_args
from uuid import UUID

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from lastro.api_kit.http import RequestNotes
from lastro.config.load import Bounds
from lastro.core.work_queue import Worked
from lastro.observability import gauges
from lastro.observability.bank_figures import BankFigures, BankRecord
from lastro.observability.gauges import Gauges
from lastro.observability.metrics import Metrics
from lastro.rails.api_pix.exchange import Cause
from lastro.rails.port import RAILS
from lastro.web.admission import Admission
from lastro.webhooks import Attempt
from lastro.webhooks.rules import FailureKind

from .tree import PRODUCT

_NOBODY = UUID(int=0)


@cache
def everything() -> Metrics:
    """The figures of a process in which each thing has happened, and whose database has each thing waiting."""
    metrics = Metrics(endpoints=1)
    metrics.in_flight = lambda: 0
    metrics.admission = Admission(Bounds(), lambda: 0.0)
    metrics.pools["app"] = SimpleNamespace(size=1, lent=0, waits=0)  # type: ignore[assignment]
    metrics.runner = SimpleNamespace(remembered={"create_order": 1})  # type: ignore[assignment]
    metrics.streams["pix"] = 0.0
    metrics.banks = lambda: (BankFigures("efi1", 0.0, 0.0, frozenset(get_args(Cause))),)
    metrics.tracer = SimpleNamespace(exported=0, dropped=0)  # type: ignore[assignment]
    metrics.watch = SimpleNamespace(last=_seen())  # type: ignore[assignment]
    for status in (200, 400, 500):
        metrics.request(RequestNotes("PUT", "/", "r", operation="create_order", issues=("REQUIRED",)), status, 0.1)
    for outcome in _outcomes():
        metrics.worked(Worked("inbox", "pix.ask", outcome, 0.1, _NOBODY))
    for failure in (None, *FailureKind):
        metrics.worked(Attempt("deliveries", "TEST", "failed", 0.1, _NOBODY, failure=failure))
    return metrics


def _seen() -> Gauges:
    lanes = [*re.findall(r"'([a-z ]+)' AS lane", gauges.DUE), "deliveries"]
    statuses = re.findall(r"'(\w+)' AS status", gauges.UNDELIVERED)
    return Gauges(
        due=dict.fromkeys(lanes, (0, 0.0)), undelivered={status.lower(): 0 for status in statuses},
        waiting=dict.fromkeys(gauges.WAITING, (0, 0.0)), partners=(("boleto", False),), tried=tuple((lane, rail, 0.0) for lane in ("outbox", "inbox") for rail in RAILS), laws=(("history_is_dense", 0, 0.0),),
        banks=(BankRecord("efi1", 0.0, 0, 0, 0, 0, 0),),
    )  # fmt: skip


def _outcomes() -> set[str]:
    """Words that the rails may say of a piece of work: more than they do, and none that stands nowhere."""
    said = (text for module in PRODUCT if module.name.startswith("src/lastro/rails/") for _, text in module.strings())
    return {text for text in said if re.fullmatch(r"[a-z_]+", text)}


@cache
def exported() -> dict[str, dict[str, set[str]]]:
    """By the name of each series, as it is scraped, its labels, and of each the words it has been seen with."""
    found: dict[str, dict[str, set[str]]] = {}
    for family in text_string_to_metric_families(generate_latest(everything().registry).decode()):
        for sample in family.samples:
            labels = found.setdefault(sample.name, defaultdict(set))
            for label, word in sample.labels.items():
                labels[label].add(word)
    return found
