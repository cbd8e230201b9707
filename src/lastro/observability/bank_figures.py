"""Figures of bank accounts that are reached by API Pix: certificates, tokens, mistakes of set-up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from prometheus_client.core import GaugeMetricFamily

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from prometheus_client.metrics_core import Metric


class BankFigures(NamedTuple):
    """Figures of one connection, as a process knows them.

    rail: the connection's name. certificate_left_seconds: below zero once it is over; None: none is shown.
    token_age_seconds: None: there is none yet. troubles: kinds of mistakes of the set-up, met in the last ten minutes.
    """

    rail: str
    certificate_left_seconds: float | None
    token_age_seconds: float | None
    troubles: frozenset[str]


def of_banks(figures: Iterable[BankFigures]) -> Iterator[Metric]:
    """Yields the metrics of connections to banks."""
    left = GaugeMetricFamily(
        "lastro_bank_certificate_left_seconds", "Time until our certificate at a bank ends, below zero once it is over.",
        labels=["rail"],
    )  # fmt: skip
    age = GaugeMetricFamily("lastro_bank_token_age_seconds", "The age of the present token of a bank.", labels=["rail"])
    trouble = GaugeMetricFamily(
        "lastro_bank_trouble", "Whether a bank's set-up was found wrong in the last ten minutes, by kind.",
        labels=["rail", "kind"],
    )  # fmt: skip
    for one in figures:
        if one.certificate_left_seconds is not None:
            left.add_metric([one.rail], one.certificate_left_seconds)
        if one.token_age_seconds is not None:
            age.add_metric([one.rail], one.token_age_seconds)
        for kind in sorted(one.troubles):
            trouble.add_metric([one.rail, kind], 1)
    yield from (left, age, trouble)
