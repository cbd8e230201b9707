"""The overview: charts of volume, success and waiting rows, with their numbers beside them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.console import company_page, figures
from lastro.console.charts import Chart, Series
from lastro.console.terms import Terms
from lastro.core.money import Money
from lastro.rails.port import RAILS
from lastro.standards.calendar import BRASILIA

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.api_kit.http import Response
    from lastro.console.figures import Hour
    from lastro.console.shell import PageRequest, User
    from lastro.core.db import Session

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_DAYS = 7
_ACCOUNTS = 5  # in the picture of balances
_BUCKET_NAMES = ("bucket.10s", "bucket.1min", "bucket.5min", "bucket.30min", "bucket.2h", "bucket.more")
# Waiting rows, in the order of the page, and the page that shows each.
WAITING = {
    "payouts": "/console/payouts?status=ANALYSIS", "plans": "/console/plans?status=READY",
    "disputes": "/console/disputes?onlyPending=true", "differences": "/console/reconciliation", "held": "/console/eras",
    "failed": "/console/events?status=FAILED", "retrying": "/console/events?status=RETRYING",
}  # fmt: skip
_hours = figures.Hours()


@dataclass(frozen=True, slots=True)
class Period:
    """since: the first hour or day. steps: the beginning of each column. step: how long one is."""

    name: str
    since: datetime
    steps: tuple[datetime, ...]
    step: timedelta

    def label(self, at: datetime, say: Terms) -> str:
        """Returns a column's name."""
        return say.hour(at) if self.step == _HOUR else say.day(at)


@dataclass(frozen=True, slots=True)
class Rate:
    """The outcomes of a period's requests. since: of the oldest that was read. half, most: milliseconds or None."""

    request: int
    went_well: int
    open: int
    since: datetime | None
    half: int | None
    most: int | None

    @property
    def ended(self) -> int:
        """The requests with an outcome."""
        return self.request - self.open


def period_of(name: str, now: datetime) -> Period:
    """Returns the last 24 hours, or with `7d` a week by day. The week is the last seven days of Brasilia's calendar."""
    local = now.astimezone(BRASILIA)
    if name != "7d":
        first = local.replace(minute=0, second=0, microsecond=0) - 23 * _HOUR
        return Period("24h", first, tuple(first + n * _HOUR for n in range(24)), _HOUR)
    first = local.replace(hour=0, minute=0, second=0, microsecond=0) - (_DAYS - 1) * _DAY
    return Period("7d", first, tuple(first + n * _DAY for n in range(_DAYS)), _DAY)


async def show(user: User, request: PageRequest) -> Response:
    """GET /console: the charts of the page's company."""
    say, company = Terms(user.language), company_page.company_of(user)
    async with company_page.session_of(user) as session:
        now = await figures.business_now(session)
        period = period_of(request.query.get("period", ""), now)
        positions = [ledger.clearing(company, rail, currency).id for rail, currency in RAILS.items()]
        hours = await _hours.volume(session, company, positions, period.since, now)
        orders = await figures.orders(session, company, period.since)
        payouts = await figures.payouts(session, company, period.since)
        attempts = await figures.attempts(session, company, period.since)
        circuits = await figures.circuits(session, company)
        waiting = await figures.waiting(session, company)
        balances = await _balances(session, company, period, now, say)
    charts = [*volume(hours, period, say), to_payment(orders, say), webhooks(attempts, period, say), *balances]
    return company_page.render(
        user, "overview.html", "/console", period=period, charts=charts, circuits=circuits, now=now,
        rates=(("orders", rate_of(orders)), ("payouts", rate_of(payouts))), sums=sums(hours),
        waiting=[(name, link, waiting.get(name, 0)) for name, link in WAITING.items()], most=figures.COUNTED,
        sample=figures.SAMPLE,
        delivered=(sum(row["went_well"] for row in attempts), sum(row["failed"] for row in attempts)),
    )  # fmt: skip


def rate_of(row: Record | Mapping[str, object]) -> Rate:
    """Returns a row of figures as it is shown."""
    half, most = (None if row[name] is None else round(float(str(row[name])) * 1000) for name in ("half", "most"))
    request, well, still = (int(str(row[name])) for name in ("asked", "went_well", "open"))
    since = row["since"]
    return Rate(request, well, still, since if isinstance(since, datetime) else None, half, most)


def sums(hours: Sequence[Hour]) -> list[tuple[str, int, Money, int, Money]]:
    """Returns counts and sums of payments in and out, by currency."""
    found: dict[str, tuple[int, int, int, int]] = {}
    for one in hours:
        ins, in_minor, outs, out_minor = found.get(one.currency, (0, 0, 0, 0))
        found[one.currency] = (ins + one.ins, in_minor + one.in_minor, outs + one.outs, out_minor + one.out_minor)
    return [
        (currency, ins, Money(in_minor, currency), outs, Money(out_minor, currency))
        for currency, (ins, in_minor, outs, out_minor) in sorted(found.items())
    ]


def column_of(at: datetime, period: Period) -> int | None:
    """Returns the column of an instant; None: it is before the first."""
    place = (at - period.since) // period.step
    return place if 0 <= place < len(period.steps) else None


def _added(period: Period, found: Sequence[tuple[datetime, int]]) -> tuple[int, ...]:
    columns = [0] * len(period.steps)
    for at, value in found:
        place = column_of(at, period)
        if place is not None:
            columns[place] += value
    return tuple(columns)


def _amounts(currency: str, say: Terms) -> Callable[[int], str]:
    return lambda minor: say.money(Money(minor, currency))


def volume(hours: Sequence[Hour], period: Period, say: Terms) -> list[Chart]:
    """Charts the payments in and out of each column, by currency; reais always."""
    labels = tuple(period.label(at, say) for at in period.steps)
    charts = []
    for currency in sorted({"BRL", *(one.currency for one in hours)}):
        own = [one for one in hours if one.currency == currency]
        came = Series(say("chart.in"), _added(period, [(one.hour, one.in_minor) for one in own]))
        went = Series(say("chart.out"), _added(period, [(one.hour, one.out_minor) for one in own]))
        title, about = say("chart.volume", currency=currency), say("chart.volume.about")
        charts.append(Chart(f"volume-{currency}", title, about, "bars", labels, (came, went), _amounts(currency, say)))
    return charts


def to_payment(orders: Record | Mapping[str, object], say: Terms) -> Chart:
    """Charts the time from an order to its payment."""
    values = tuple(int(str(orders[f"bucket_{n}"])) for n in range(len(_BUCKET_NAMES)))
    labels = tuple(say(name) for name in _BUCKET_NAMES)
    series = (Series(say("chart.paid"), values),)
    return Chart("to-payment", say("chart.to-payment"), say("chart.to-payment.about"), "bars", labels, series, say.number)


def webhooks(attempts: Sequence[Record | Mapping[str, object]], period: Period, say: Terms) -> Chart:
    """Charts attempts to deliver events: acknowledged, and not."""
    rows = [(row["hour"], int(str(row["went_well"])), int(str(row["failed"]))) for row in attempts]
    timed = [(at, well, failed) for at, well, failed in rows if isinstance(at, datetime)]
    well = Series(say("chart.delivered"), _added(period, [(at, one) for at, one, _ in timed]))
    failed = Series(say("chart.failed"), _added(period, [(at, one) for at, _, one in timed]))
    labels = tuple(period.label(at, say) for at in period.steps)
    title, about = say("chart.webhooks"), say("chart.webhooks.about")
    return Chart("webhooks", title, about, "stack", labels, (well, failed), say.number, ("good", "bad"))


async def _balances(session: Session, company_id: UUID, period: Period, now: datetime, say: Terms) -> list[Chart]:
    """Charts the balances of the company's first accounts: each column's end, and now."""
    accounts = await figures.first_accounts(session, company_id, _ACCOUNTS)
    ids = {row["id"]: ledger.customer(company_id, row["id"], "BRL").id for row in accounts}
    ends = [at + period.step for at in period.steps[:-1]]
    had = await figures.past(session, company_id, list(ids.values()), ends)
    has = {one.account_id: one for one in await ledger.balances_of(session, company_id, ids, "BRL")}
    series = tuple(
        Series(
            row["full_name"],
            (*(had[end, ids[row["id"]]] for end in ends), (has[row["id"]].available + has[row["id"]].held).minor),
        )
        for row in accounts
    )
    if not series:
        return []
    labels = tuple(period.label(at, say) for at in period.steps)
    title, about = say("chart.balances"), say("chart.balances.about", most=_ACCOUNTS)
    return [Chart("balances", title, about, "line", labels, series, _amounts("BRL", say))]
