"""Ana's desk at a company's own bank: what a worker would send, ask and hear there, on real rows."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from tests.cast import PLACE, Cast, Seller
from tests.rooms.rails.api_pix_bank import serving
from tests.rooms.rails.api_pix_recurring import RecurringBank

from lastro import orders, subscriptions
from lastro.app import inbox_handlers
from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.write import Row, Write
from lastro.rails import port
from lastro.rails.api_pix.exchange import Line
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.api_pix.polling import settled
from lastro.rails.api_pix.recurrence_making import ApiPixRecurrences
from lastro.rails.api_pix.recurring import Recurring
from lastro.rails.api_pix.wire import BankPayment

from .charging import day
from .desk import Desk, brl

VERBS = inbox_handlers.inbox_verbs(PLACE)
PAYER = {"cpf": "75633122216", "ispbParticipante": "81102623", "codMun": "2673833"}


@dataclass
class AtBank:
    """Ana's desk, whose account has a key at a bank."""

    desk: Desk
    bank: RecurringBank
    rail: str
    recurring: Recurring
    line: Line

    async def sends(self) -> list[str]:
        """A worker tells the bank what waits to be told; the kinds."""
        company = self.desk.ana.company_id
        async with self.desk.cast.database.session(company) as session:
            rows = await session.fetch(
                "UPDATE outbox SET due_at = NULL, done_at = business_now(), outcome = 'sent', sends = sends + 1"
                " WHERE company_id = $1 AND rail = $2 AND due_at IS NOT NULL RETURNING kind, body",
                company, self.rail,
            )  # fmt: skip
        for row in rows:
            if row["kind"] != port.COLLECTION_CLOSE:
                await self.recurring.send(row["kind"], bytes(row["body"]))
        return sorted(row["kind"] for row in rows)

    async def asks(self, kind: str, name: str) -> str | None:
        """The bank is asked, and its word is handled; None: it has none."""
        said = await self.recurring.status_of(kind, name)
        return None if not isinstance(said, port.NetworkMessage) else await self.hears(said)

    async def hears(self, told: port.NetworkMessage) -> str:
        cast, company, at = self.desk.cast, self.desk.ana.company_id, datetime.now(UTC)
        row_id, token = cast.id(), cast.id()
        values = {
            "id": row_id, "rail": self.rail, "kind": told.kind, "network_id": str(row_id), "subject": told.subject,
            "txid": told.txid, "body": told.body, "received_at": at, "due_at": at, "lease_token": token,
            "leased_until": at + timedelta(hours=1),
        }  # fmt: skip
        await commit(cast.database, Write(company, rows=(Row("inbox", values),)))
        row = port.InboxRow(
            port.Claimed(row_id, token), company, self.rail, told.kind, str(row_id), told.subject, told.txid, told.body, at, 1
        )  # fmt: skip
        await cast.runner.act(company, VERBS[told.kind](row))
        (outcome,) = await self.desk.column("SELECT outcome FROM inbox WHERE id = $1", row_id)
        return str(outcome)

    async def accepted(self, **changes: Any) -> dict[str, Any]:
        """A monthly subscription of 29.90 that its payer has authorized at the bank."""
        made = await self.desk.make(fixedAmount=brl("29.90"), **changes)
        self.bank.became(made["providerId"], "APROVADA", pagador=PAYER)
        assert await self.asks(port.AUTHORIZATION_MADE, made["providerId"]) == "handled"
        return made

    async def charge(self, made: dict[str, Any], due: int = 5) -> tuple[dict[str, Any], str, str]:
        """A charge that the bank has; with its txid, and the name of its first attempt."""
        body = {"externalId": os.urandom(8).hex(), "dueDate": day(due).isoformat()}
        payment = await self.desk.done("create_subscription_payment", body, id=made["id"])
        assert await self.sends() == [port.CHARGE_SEND]
        (txid,) = await self.desk.column(
            "SELECT o.txid FROM orders o WHERE o.scheduled_payment_id = $1", UUID(payment["id"])
        )
        return payment, txid, f"{txid}.AGND"

    async def money(self, txid: str, end_to_end_id: str, minor: int = 2990) -> str:
        """Polling finds the Pix."""
        return await self.hears(settled(BankPayment(end_to_end_id, Money(minor, "BRL"), datetime.now(UTC), txid), txid))

    async def read(self, made: dict[str, Any]) -> dict[str, Any]:
        return await self.desk.read(made["id"])

    async def payment(self, payment: dict[str, Any]) -> dict[str, Any]:
        path = {"id": payment["subscriptionId"], "paymentId": payment["id"]}
        return await self.desk.done("read_subscription_payment", **path)


@asynccontextmanager
async def opened(cast: Cast, ana: Seller) -> AsyncIterator[AtBank]:
    """A desk at a bank of its own."""
    rail, bank = f"bank{ana.number}", RecurringBank(now=datetime.now(UTC))
    key = f"loja{ana.number}@example.com"
    opened = await cast.open_account(ana.company_id)  # no key of our own directory leads to it
    ana = replace(ana, account_id=UUID(opened["id"]), account_number=opened["number"], pix_key=key)
    await cast.connect(ana, rail, key)
    async with serving(bank) as line:
        here = replace(
            PLACE, connections=frozenset({rail}), at_banks={rail: orders.AtBank(ana.number, None)}, has_network=False
        )
        issuers: dict[str, port.Issuer] = {rail: ApiPixIssuer(rail, line, "utc")}
        makes: dict[str, port.Recurrences] = {rail: ApiPixRecurrences(rail, line, ApiPixIssuer(rail, line, "utc"))}
        routes = (*subscriptions.routes(here, recurrences=makes, issuers=issuers), *orders.routes(here))
        account = {"conta": "107262", "tipoConta": "CORRENTE"}
        desk = Desk(cast, ana, {route.operation: route for route in routes})
        yield AtBank(desk, bank, rail, Recurring(rail, line, "utc", ana.number, account), line)
    assert not [one for one in bank.wrong if " request " in one]
