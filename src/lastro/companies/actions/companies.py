"""Founds a company, and sets its account for orders that name none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from lastro import ledger
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.companies import problems as refusals
from lastro.companies import rules, store
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Relied, Row, Touch, Write
from lastro.webhooks import new_webhook_secret

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.companies.model import Company, Route
    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.core.secrets import KeyRing

SECRET_PLACE = ("companies", "webhook_secret")  # the table and column a webhook secret is sealed to


@dataclass(frozen=True)
class FoundCompany(Act[int]):
    """Founds a company with its ledger and webhook secret.

    It has the id that the context was opened for. rails: where it clears, and in which currency. number None: the next
    free one. The answer holds the webhook secret, which is shown this once.
    """

    name: str
    key_ring: KeyRing
    rails: Mapping[str, str]
    number: int | None = None
    customerless_partner: str | None = None

    async def read(self, session: Session, context: RequestContext) -> int:
        """Reads the next free number; two foundings at once meet at the unique number and one decides again."""
        if self.number is not None:
            return self.number
        return await store.next_number(session)

    def decide(self, known: int, context: RequestContext) -> Done | Refused:
        """Adds everything that a company starts with, in one write."""
        problems = rules.name_problems(self.name)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        secret = new_webhook_secret(context.chance.bytes)
        table, column = SECRET_PLACE
        sealed = self.key_ring.seal(
            secret.reveal().encode(), table=table, column=column, company_id=context.company_id, row_id=context.company_id
        )
        company = {
            "number": known, "name": self.name, "webhook_secret": sealed, "created_at": context.now,
            "customerless_partner": self.customerless_partner,
        }  # fmt: skip
        rows = (
            Row("company_numbers", {"number": known}),
            Row("companies", company),
            *ledger.company_rows(context.company_id, self.rails),
            Row("event_cursors", {"last_sequence": 0}),
        )
        body = render({"id": str(context.company_id), "number": known, "webhookSecret": secret.reveal()})
        return Done(Write(context.company_id, rows=rows), body, context.company_id)

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Takes the next number, where any will do. The number went to another company meanwhile."""
        if self.number is None:
            return None
        return refusals.NUMBER_DUPLICATE.refused(number=self.number)


@dataclass(frozen=True)
class ChooseAccount(Act["Company | None"]):
    """Chooses the account for orders that name neither account nor key.

    account_version: at which it was read and found active; the write relies on it.
    """

    account_id: UUID
    account_version: int

    async def read(self, session: Session, context: RequestContext) -> Company | None:
        """Reads the company."""
        return await store.company(session, context.company_id)

    def decide(self, known: Company | None, context: RequestContext) -> Done | Refused:
        """Changes the company's row alone."""
        if known is None:
            return NOT_FOUND
        sets = {"default_account_id": self.account_id, "version": known.version + 1}
        touch = Touch("companies", context.company_id, known.version, sets, key="company_id")
        relies = (Relied("accounts", self.account_id, self.account_version),)
        body = render({"id": str(context.company_id), "defaultAccountId": str(self.account_id)})
        return Done(Write(context.company_id, relies=relies, touches=(touch,)), body)


@dataclass(frozen=True)
class _Changed(Act["Company | None"]):
    """A change of one setting of a company. columns: of its row; told: the answer's fields beside its id."""

    columns: Mapping[str, Any]
    shown: Mapping[str, Any]

    async def read(self, session: Session, context: RequestContext) -> Company | None:
        """Reads the company."""
        return await store.company(session, context.company_id)

    def decide(self, known: Company | None, context: RequestContext) -> Done | Refused:
        """Changes the company's row alone, at its next version."""
        if known is None:
            return NOT_FOUND
        sets = {**self.columns, "version": known.version + 1}
        touch = Touch("companies", context.company_id, known.version, sets, key="company_id")
        return Done(Write(context.company_id, touches=(touch,)), render({"id": str(context.company_id), **self.shown}))


class RefuseDuplicates(_Changed):
    """Sets if duplicate payouts are refused (contract.md §4).

    Else they are made with a hint. A duplicate is like one made within ten minutes.
    """

    def __init__(self, *, refuses: bool) -> None:
        super().__init__({"refuses_duplicates": refuses}, {"refusesDuplicates": refuses})


class TakeUnauthenticatedCards(_Changed):
    """Allows or forbids charging cards whose issuer did not authenticate the payer.

    These are 3-D Secure U and I: their chargebacks are then the company's.
    """

    def __init__(self, *, takes: bool) -> None:
        super().__init__({"takes_unauthenticated_cards": takes}, {"takesUnauthenticatedCards": takes})


class ReviewAbove(_Changed):
    """Sets the amount above which payouts wait for approval (states.md 5).

    line None: no payout waits. A payout that is in review already stays there.
    """

    def __init__(self, line: Money | None) -> None:
        minor, above = (None, None) if line is None else (line.minor, str(line))
        super().__init__({"review_above_minor": minor}, {"reviewAbove": above})


class BearFees(_Changed):
    """Sets the bearer of order fees for new plans that name none.

    payer: RECEIVER or CUSTOMER. Existing plans keep theirs.
    """

    def __init__(self, payer: str) -> None:
        super().__init__({"fee_payer": payer}, {"feePayer": payer})


@dataclass(frozen=True)
class RouteOrders(Act["Company | None"]):
    """Sets the partner of a company's new orders of a method. route None: the usual one, and no other."""

    method: str
    route: Route | None

    async def read(self, session: Session, context: RequestContext) -> Company | None:
        """Reads the company."""
        return await store.company(session, context.company_id)

    def decide(self, known: Company | None, context: RequestContext) -> Done | Refused:
        """Changes the company's row alone, at its next version."""
        if known is None:
            return NOT_FOUND
        routes = {method: route for method, route in known.routes.items() if method != self.method}
        if self.route is not None:
            routes[self.method] = self.route
        sets = {"routes": msgspec.json.encode(routes).decode(), "version": known.version + 1}
        touch = Touch("companies", context.company_id, known.version, sets, key="company_id")
        return Done(
            Write(context.company_id, touches=(touch,)), render({"id": str(context.company_id), "method": self.method})
        )


class ApprovePlans(_Changed):
    """Sets the number of clients that approve a plan of payouts.

    It is 0 to 20 beside the client that made the plan; existing plans keep theirs.
    """

    def __init__(self, needed: int) -> None:
        super().__init__({"plan_approvals": needed}, {"planApprovals": needed})
