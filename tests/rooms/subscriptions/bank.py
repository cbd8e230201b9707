"""The payer's bank: what it says comes as a message of the network, and is handled as a worker would."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from tests.cast import BENTO, PLACE

from lastro.app import inbox_handlers
from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.write import Row, Write
from lastro.rails import port

from .desk import Desk

VERBS = inbox_handlers.inbox_verbs(PLACE)
ANSWERED = """
SELECT kind, body FROM outbox WHERE company_id = tenant() AND kind IN ('authorization.answer', 'pix.answer') ORDER BY created_at DESC, id DESC LIMIT 1
"""


def money(value: str) -> Money:
    return Money.parse(value, "BRL")


@dataclass(frozen=True)
class Bank:
    """What it says of the subscriptions of one desk. Each thing that it says is a new message."""

    desk: Desk
    payer: port.Payer = BENTO

    async def says(self, kind: str, value: msgspec.Struct, subject: str, *, message_id: str | None = None) -> str:
        """A message of the network, stored and handled; what it was settled with."""
        company, cast, at = self.desk.ana.company_id, self.desk.cast, datetime.now(UTC)
        row_id, token = cast.id(), cast.id()
        network_id = message_id or str(row_id)
        values = {
            "id": row_id, "rail": "pix", "kind": kind, "network_id": network_id, "subject": subject,
            "body": port.encode(value), "received_at": at, "due_at": at, "lease_token": token,
            "leased_until": at + timedelta(hours=1),
        }  # fmt: skip
        await commit(cast.database, Write(company, rows=(Row("inbox", values),)))
        row = port.InboxRow(
            port.Claimed(row_id, token), company, "pix", kind, network_id, subject, None, port.encode(value), at, 1
        )  # fmt: skip
        await cast.runner.act(company, VERBS[kind](row))
        (outcome,) = await self.desk.column("SELECT outcome FROM inbox WHERE id = $1", row_id)
        return str(outcome)

    # ── journey 2 ──

    async def authorizes(self, made: dict[str, Any], maximum: str | None = None, **says: Any) -> str | None:
        """A payer's yes; the code of our answer, None for a yes."""
        recurrence_id = says.pop("recurrence_id", made["providerId"])
        asked = port.Authorization(
            **{
                "message_id": name(), "recurrence_id": recurrence_id, "payer": self.payer, "accepted_at": datetime.now(UTC),
                "maximum": None if maximum is None else money(maximum), **says,
            }
        )  # fmt: skip
        assert await self.says(port.AUTHORIZATION_ASK, asked, recurrence_id) == "answered"
        kind, body = await self._answer()
        answer = port.authorization_answer(body)
        assert (kind, answer.original_message_id, answer.recurrence_id) == (
            "authorization.answer", asked.message_id, recurrence_id,
        )  # fmt: skip
        assert answer.accept == (answer.code is None)
        return answer.code

    # ── journey 3 ──

    def paying(self, made: dict[str, Any], maximum: str | None = None, **says: Any) -> port.PixArrival:
        """The first payment, which authorizes."""
        ana = self.desk.ana
        most = None if maximum is None else money(maximum)
        values = {
            "message_id": name(), "end_to_end_id": f"E{self.payer.ispb}202601011200{os.urandom(6).hex()[:11]}",
            "txid": made["initialCharge"]["conciliationId"], "amount": money(made["initialCharge"]["amount"]["value"]),
            "accepted_at": datetime.now(UTC), "payer": self.payer, "receiver_branch": PLACE.institution.branch,
            "receiver_account": ana.account_number, "receiver_document": None, "key": ana.pix_key, "instrument": "QRDN",
            "authorizing": port.Authorizing(made["providerId"], most),
        }  # fmt: skip
        return port.PixArrival(**{**values, **says})

    async def asks(self, arrival: port.PixArrival) -> str | None:
        """The code of our answer, None for a yes."""
        assert await self.says(port.PIX_ASK, arrival, arrival.end_to_end_id) == "answered"
        _, body = await self._answer()
        answer = port.pix_answer(body)
        assert answer.end_to_end_id == arrival.end_to_end_id
        return answer.code

    async def settles(self, arrival: port.PixArrival) -> str:
        final = port.PixFinal(arrival.end_to_end_id, settled=True, settled_at=datetime.now(UTC))
        return await self.says(port.PIX_FINAL, final, arrival.end_to_end_id)

    async def drops(self, arrival: port.PixArrival) -> str:
        final = port.PixFinal(arrival.end_to_end_id, settled=False, code="AB03")
        return await self.says(port.PIX_FINAL, final, arrival.end_to_end_id)

    async def settles_unasked(self, arrival: port.PixArrival) -> str:
        told = msgspec.structs.replace(arrival, settled_at=datetime.now(UTC))
        return await self.says(port.PIX_SETTLED, told, arrival.end_to_end_id)

    async def pays(self, made: dict[str, Any], maximum: str | None = None) -> port.PixArrival:
        """Asked, accepted and settled."""
        arrival = self.paying(made, maximum)
        assert await self.asks(arrival) is None
        assert await self.settles(arrival) == "handled"
        return arrival

    # ── ending ──

    async def declines(self, made: dict[str, Any], code: str | None = "AP14") -> str:
        told = port.AuthorizationDeclined(name(), made["providerId"], self.payer, datetime.now(UTC), code)
        return await self.says(port.AUTHORIZATION_DECLINED, told, made["providerId"])

    async def network_refuses(self, recurrence_id: str, *, ago: timedelta = timedelta(0)) -> str:
        """A registration that the network took, and will not have."""
        told = port.RecurrenceRefused(name(), recurrence_id, "AP14", datetime.now(UTC) - ago)
        return await self.says(port.RECURRENCE_REFUSED, told, recurrence_id)

    async def cancels(self, made: dict[str, Any], code: str = "SLDB", **says: Any) -> str:
        """The payer takes it back."""
        by = port.Requester("USUARIO_PAGADOR", self.payer.document_type, self.payer.document_number, self.payer.name)
        values: dict[str, Any] = {
            "message_id": name(), "recurrence_id": made["providerId"], "code": code, "requester": by,
            "canceled_at": datetime.now(UTC), **says,
        }  # fmt: skip
        told = port.AuthorizationCanceled(**values)
        return await self.says(port.AUTHORIZATION_CANCELED, told, made["providerId"])

    async def decides(
        self, made: dict[str, Any], outcome: Any, code: str | None = None, *, message_id: str | None = None
    ) -> str:
        """About the newest cancellation that we asked for, or that of the message."""
        found = message_id or (await self.desk.column(
            "SELECT message_id FROM subscription_cancellations WHERE subscription_id = $1::text::uuid AND message_id IS NOT NULL"
            " ORDER BY created_at DESC LIMIT 1", made["id"],
        ) or ["M00000000000000000000000000000000"])[0]  # fmt: skip
        final = port.CancellationFinal(found, made["providerId"], outcome, code, datetime.now(UTC))
        return await self.says(port.CANCELLATION_FINAL, final, made["providerId"])

    async def _answer(self) -> tuple[str, bytes]:
        async with self.desk.cast.database.session(self.desk.ana.company_id) as session:
            row = await session.row(ANSWERED)
        assert row is not None
        return row["kind"], bytes(row["body"])


def name() -> str:
    """Of a message."""
    return f"M87654321{os.urandom(12).hex()[:23]}"
