"""Figures of bank accounts that are reached by API Pix: what a process knows of them, and what the database has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

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


class BankRecord(NamedTuple):
    """Figures of one connection, as the database has them.

    polled_seconds: for how long nothing is known of its payments. hints: payments that a webhook has named, and of which the
    bank is not asked yet. unknown_hints: those that it did not know, so far. foreign: payments that no order asked for and
    no person has decided about; at most 1,000. orphans_removed, orphans_left: of the last night; None: there was none yet.
    """

    rail: str
    polled_seconds: float
    hints: int
    unknown_hints: int
    foreign: int
    orphans_removed: int | None
    orphans_left: int | None


def of_records(records: Iterable[BankRecord], rails: Collection[str]) -> Iterator[Metric]:
    """Yields the metrics of these rails; a connection that has left the file is polled by nobody, and none of them."""
    polled = GaugeMetricFamily(
        "lastro_bank_poll_lag_seconds", "For how long nothing is known of a bank's payments.", labels=["rail"]
    )
    hints = GaugeMetricFamily(
        "lastro_bank_hints_waiting",
        "Payments that a webhook has named, and of which the bank is not asked yet.",
        labels=["rail"],
    )
    unknown = CounterMetricFamily(
        "lastro_bank_hints_unknown", "Payments that a webhook has named, and the bank did not know.", labels=["rail"]
    )
    foreign = GaugeMetricFamily(
        "lastro_bank_foreign_payments", "Payments that no order asked for and no person has decided about, at most 1,000.",
        labels=["rail"],
    )  # fmt: skip
    orphans = GaugeMetricFamily(
        "lastro_bank_orphans", "Charges without an order that the last night's sweep has removed, or left.",
        labels=["rail", "outcome"],
    )  # fmt: skip
    for one in records:
        if one.rail not in rails:
            continue
        polled.add_metric([one.rail], one.polled_seconds)
        hints.add_metric([one.rail], one.hints)
        unknown.add_metric([one.rail], one.unknown_hints)
        foreign.add_metric([one.rail], one.foreign)
        for outcome, count in (("removed", one.orphans_removed), ("left", one.orphans_left)):
            if count is not None:
                orphans.add_metric([one.rail, outcome], count)
    yield from (polled, hints, unknown, foreign, orphans)


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
