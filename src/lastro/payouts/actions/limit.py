"""What an account may send: shown to its company, set by administration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from lastro.base.api import NOT_FOUND, render
from lastro.base.money import Money
from lastro.base.run import Act, Done
from lastro.base.write import Row, Touch, Write
from lastro.payouts import rules, store
from lastro.payouts.keys_and_limits import limits_of
from lastro.payouts.model import Limits

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session
    from lastro.base.errors import Refused
    from lastro.base.run import Door

Known = dict[str, tuple[Limits, int, int]]
NONE: Literal["none"] = "none"


@dataclass(frozen=True)
class ReadLimits(Act["Known | None"]):
    """GET /order/v1/banking/accounts/{id}/limits."""

    account_id: UUID | None

    async def read(self, session: Session, door: Door) -> Known | None:
        """By method the limits and what is used of them, None where the account is not the company's."""
        if self.account_id is None or not await store.has_account(session, door.company_id, self.account_id):
            return None
        return await store.limits_of(session, door.company_id, self.account_id, rules.quota_period(door.now)[0])

    def decide(self, known: Known | None, door: Door) -> Done | Refused:
        """Shows them."""
        if known is None:
            return NOT_FOUND
        assert self.account_id is not None
        return Done(None, render(limits_of(self.account_id, rules.quota_period(door.now)[0], known)))


@dataclass(frozen=True, slots=True)
class Given:
    """What administration says of one method. None: it stays as it is; `none`: there is no such limit."""

    method: str
    transaction: Money | None
    day: Money | Literal["none"] | None
    night: Money | Literal["none"] | None


@dataclass(frozen=True)
class SetLimits(Act["tuple[Limits, int | None]"]):
    """Sets the limits of one method of an account; payouts that are made from then on keep to them."""

    account_id: UUID
    given: Given

    async def read(self, session: Session, door: Door) -> tuple[Limits, int | None]:
        """The limits, and their version; None: the account has the usual ones."""
        return await store.own_limits(session, door.company_id, self.account_id, self.given.method)

    def decide(self, known: tuple[Limits, int | None], door: Door) -> Done:
        """The account's row for the method."""
        g, (limits, version) = self.given, known
        if g.transaction is not None:
            limits = replace(limits, transaction=g.transaction.minor)
        if g.day is not None:
            limits = replace(limits, day=None if g.day == NONE else g.day.minor)
        if g.night is not None:
            limits = replace(limits, night=None if g.night == NONE else g.night.minor)
        sets = {"transaction_minor": limits.transaction, "day_minor": limits.day, "night_minor": limits.night}
        if version is None:
            row = {"account_id": self.account_id, "payment_method": g.method, **sets}
            write = Write(door.company_id, rows=(Row("account_limits", row),))
        else:
            sets["version"] = version + 1
            touch = Touch("account_limits", self.account_id, version, sets, "account_id", {"payment_method": g.method})
            write = Write(door.company_id, touches=(touch,))
        return Done(write, render(_shown(self.account_id, g.method, limits)))

    def taken(self, constraint: str) -> Refused | None:
        """Another command was first: decide again."""
        return None


def _shown(account_id: UUID, method: str, limits: Limits) -> dict[str, str]:
    return {"id": str(account_id), "paymentMethod": method, **shown_limits(limits)}


def shown_limits(limits: Limits) -> dict[str, str]:
    """The limits as a command prints them."""
    return {
        name: NONE if minor is None else str(Money(minor, "BRL"))
        for name, minor in (("transaction", limits.transaction), ("day", limits.day), ("night", limits.night))
    }
