"""The verbs of companies: founding one, and letting a client in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.base.api import render
from lastro.base.run import Act, Done, Door
from lastro.base.secrets import hash_machine_secret, new_machine_secret
from lastro.base.write import Row, Write
from lastro.companies import store
from lastro.companies.model import PERMISSIONS, new_client_id
from lastro.webhooks import new_webhook_secret

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from lastro.base.db import Session
    from lastro.base.errors import Refused
    from lastro.base.secrets import KeyRing

SECRET_PLACE = ("companies", "webhook_secret")  # the table and column a webhook secret is sealed to


@dataclass(frozen=True)
class FoundCompany(Act[int]):
    """A new company under the id the door was opened for, with its ledger and webhook secret.

    number None: the next free one. The answer holds the webhook secret, which is shown this once.
    """

    name: str
    key_ring: KeyRing
    rails: tuple[str, ...]
    number: int | None = None
    customerless_partner: str | None = None
    currency: str = "BRL"

    async def read(self, session: Session, door: Door) -> int:
        """The next free number; two foundings at once meet at the unique number and one decides again."""
        if self.number is not None:
            return self.number
        return await store.next_number(session)

    def decide(self, known: int, door: Door) -> Done:
        """Everything a company starts with, in one write."""
        secret = new_webhook_secret(door.chance.bytes)
        table, column = SECRET_PLACE
        sealed = self.key_ring.seal(
            secret.reveal().encode(), table=table, column=column, company_id=door.company_id, row_id=door.company_id
        )
        company = {
            "number": known, "name": self.name, "webhook_secret": sealed, "created_at": door.now,
            "customerless_partner": self.customerless_partner,
        }  # fmt: skip
        rows = (
            Row("company_numbers", {"number": known}),
            Row("companies", company),
            *ledger.company_rows(door.company_id, self.rails, self.currency),
            Row("event_cursors", {"last_sequence": 0}),
        )
        body = render({"id": str(door.company_id), "number": known, "webhookSecret": secret.reveal()})
        return Done(Write(door.company_id, rows=rows), body, door.company_id)

    def taken(self, constraint: str) -> Refused | None:
        """The number went to another company meanwhile: take the next."""
        if self.number is not None:
            raise ValueError(f"company number {self.number} is taken ({constraint})")
        return None


@dataclass(frozen=True)
class AddClient(Act[int]):
    """A new client of the company; the answer holds its secret, which is shown this once."""

    name: str
    machine_now: Callable[[], datetime]
    permissions: tuple[str, ...] = PERMISSIONS

    async def read(self, session: Session, door: Door) -> int:
        """The company's number."""
        return await store.number_of(session, door.company_id)

    def decide(self, known: int, door: Door) -> Done:
        """The client, with its secret's hash."""
        client_id = new_client_id(known, door.chance.bytes(24))
        secret = new_machine_secret("lsk_", door.chance.bytes)
        client = {
            "client_id": client_id, "name": self.name, "secret_hash": hash_machine_secret(secret),
            "permissions": list(self.permissions), "tokens_valid_after": self.machine_now(), "created_at": door.now,
        }  # fmt: skip
        body = render({"clientId": client_id, "clientSecret": secret.reveal()})
        return Done(Write(door.company_id, rows=(Row("clients", client),)), body)
