"""An account's limits: shown to its company, set by administration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from lastro.accounts import ACCOUNTS, account_by_id
from lastro.api_kit.routes import NOT_FOUND, render, stamp
from lastro.core.money import Money
from lastro.core.runner import Act, Done
from lastro.core.write import Row, Touch, Write
from lastro.payouts import rules, store
from lastro.payouts.keys_and_limits import limits_shown
from lastro.payouts.limits import limits_of, own_limits
from lastro.payouts.model import Limits, OwnLimits
from lastro.payouts.problems import STATUS_CONFLICT

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext

LimitsByMethod = dict[str, tuple[Limits, int, int]]
NONE: Literal["none"] = "none"
RAISE_AFTER = timedelta(hours=24)


@dataclass(frozen=True)
class ReadLimits(Act["LimitsByMethod | None"]):
    """GET /order/v1/banking/accounts/{id}/limits."""

    account_id: UUID | None

    async def read(self, session: Session, context: RequestContext) -> LimitsByMethod | None:
        """Reads limits and usage by method. None: the account is not the company's."""
        if self.account_id is None or not await store.has_account(session, context.company_id, self.account_id):
            return None
        return await limits_of(session, context.company_id, self.account_id, rules.quota_period(context.now)[0])

    def decide(self, known: LimitsByMethod | None, context: RequestContext) -> Done | Refused:
        """Shows them."""
        if known is None:
            return NOT_FOUND
        assert self.account_id is not None
        held = {method: (limits.at(context.now), day, night) for method, (limits, day, night) in known.items()}
        return Done(None, render(limits_shown(self.account_id, rules.quota_period(context.now)[0], held)))


@dataclass(frozen=True, slots=True)
class Given:
    """New limits for one method. None: unchanged; `none`: no such limit."""

    method: str
    transaction: Money | None
    day: Money | Literal["none"] | None
    night: Money | Literal["none"] | None


@dataclass(frozen=True)
class SetLimits(Act["OwnLimits"]):
    """Sets the limits of one method of an account, for later payouts.

    raise_after: the delay of a raise of a person's day or night. by: who has decided, for the history.
    """

    account_id: UUID
    given: Given
    raise_after: timedelta = RAISE_AFTER
    by: str | None = None

    async def read(self, session: Session, context: RequestContext) -> OwnLimits:
        """Reads the account and its limits."""
        account = await account_by_id(session, context.company_id, self.account_id)
        own = await own_limits(session, context.company_id, self.account_id, self.given.method)
        return replace(own, account=account)

    def decide(self, known: OwnLimits, context: RequestContext) -> Done | Refused:
        """Sets the account's limits of the method.

        A person's raise is kept beside the limit in force until then. The account's history has each change.
        """
        if known.account is None:
            return NOT_FOUND
        if not ACCOUNTS.allows(known.account.state, "limit"):
            return STATUS_CONFLICT.refused(why=f"is {known.account.status}")
        before = known.limits.at(context.now)
        g, limits, version = self.given, before, known.version
        wait = self.raise_after if known.is_persons else None
        if g.transaction is not None:
            limits = replace(limits, transaction=g.transaction.minor)
        if g.day is not None:
            wanted = None if g.day == NONE else g.day.minor
            day, raised = rules.limit_set(limits.day, limits.day_raise, wanted, context.now, wait)
            limits = replace(limits, day=day, day_raise=raised)
        if g.night is not None:
            wanted = None if g.night == NONE else g.night.minor
            night, raised = rules.limit_set(limits.night, limits.night_raise, wanted, context.now, wait)
            limits = replace(limits, night=night, night_raise=raised)
        sets = _columns(limits)
        if version is None:
            row = {"account_id": self.account_id, "payment_method": g.method, **sets}
            write = Write(context.company_id, rows=(Row("account_limits", row),))
        else:
            sets["version"] = version + 1
            touch = Touch("account_limits", self.account_id, version, sets, "account_id", {"payment_method": g.method})
            write = Write(context.company_id, touches=(touch,))
        if (changed := changes(g.method, before, limits)) is not None:
            reason = changed if self.by is None else f"{changed} (by {self.by})"
            write += Write(context.company_id, moves=(ACCOUNTS.move(known.account, "limit", context.now, reason=reason),))
        return Done(write, render(_shown(self.account_id, g.method, limits)))

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Retries: another command was first."""
        return None


def changes(method: str, before: Limits, after: Limits) -> str | None:
    """Describes a change of limits for the account's history. None: no change."""
    changed = []
    if before.transaction != after.transaction:
        changed.append(f"transaction {_printed(before.transaction)} to {_printed(after.transaction)}")
    for name, was, held, waited, waits in (
        ("day", before.day, after.day, before.day_raise, after.day_raise),
        ("night", before.night, after.night, before.night_raise, after.night_raise),
    ):
        if was != held:
            changed.append(f"{name} {_printed(was)} to {_printed(held)}")
        if waits is not None and waits != waited:
            changed.append(f"{name} {_printed(held)} to {_printed(waits.limit)} from {stamp(waits.at)} on")
        elif waits is None and waited is not None and was == held:
            changed.append(f"{name} stays {_printed(held)}: the raise to {_printed(waited.limit)} is taken back")
    return f"{method} {'; '.join(changed)}" if changed else None


def _columns(limits: Limits) -> dict[str, Any]:
    sets: dict[str, Any] = {"transaction_minor": limits.transaction, "day_minor": limits.day, "night_minor": limits.night}
    for name, raised in (("day", limits.day_raise), ("night", limits.night_raise)):
        sets[f"raised_{name}_minor"] = None if raised is None else raised.limit
        sets[f"raised_{name}_at"] = None if raised is None else raised.at
    return sets


def _shown(account_id: UUID, method: str, limits: Limits) -> dict[str, str]:
    return {"id": str(account_id), "paymentMethod": method, **shown_limits(limits)}


def shown_limits(limits: Limits) -> dict[str, str]:
    """Renders the limits for a command, with pending raises and their times."""
    shown = {
        name: _printed(minor)
        for name, minor in (("transaction", limits.transaction), ("day", limits.day), ("night", limits.night))
    }
    for name, raised in (("raisedDay", limits.day_raise), ("raisedNight", limits.night_raise)):
        if raised is not None:
            shown |= {name: _printed(raised.limit), f"{name}At": stamp(raised.at)}
    return shown


def _printed(minor: int | None) -> str:
    return NONE if minor is None else str(Money(minor, "BRL"))
