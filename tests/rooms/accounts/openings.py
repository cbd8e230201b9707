"""A company that asks for accounts, and the partner's word about what it asked."""

import io
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec
from PIL import Image
from tests.cast import INSTITUTION, Cast, Client, Seller

from lastro.accounts import opening
from lastro.accounts.opening.actions.create import MakeRequest
from lastro.accounts.opening.actions.read import ReadRequest
from lastro.accounts.opening.actions.upload import Upload
from lastro.accounts.opening.docs import CREATE
from lastro.accounts.opening.forms import OpeningForm
from lastro.accounts.opening.model import SLOTS
from lastro.core.errors import Refused
from lastro.core.write import Row
from lastro.rails import port
from lastro.rails.inbox import Inbox

ALL = SLOTS["INDIVIDUAL"]


def photo(shade: int = 0) -> bytes:
    made = io.BytesIO()
    Image.new("L", (16, 16), shade).save(made, "PNG")
    return made.getvalue()


class Desk:
    """One company's requests."""

    def __init__(self, cast: Cast, seller: Seller, *, is_analysed: bool = True) -> None:
        self.cast, self.seller = cast, seller
        self.place = opening.OpeningPlace(INSTITUTION, cast.key_ring, is_analysed, "https://lastro.test")

    async def run(self, verb: Any, client: Client | None = None, **call: Any) -> Any:
        reply = await self.cast.run(client or self.seller.client, verb, permission="accounts:write", **call)
        return reply if isinstance(reply, Refused) else msgspec.json.decode(reply.body)

    async def ask(self, **change: Any) -> Any:
        made = {**(CREATE.request or {}), "externalId": str(self.cast.id()), **change}
        # What is accepted was accepted before now, whenever that is.
        made["termsAccepted"] = {**made["termsAccepted"], "acceptedAt": "2026-01-01T00:00:00Z"}
        return await self.run(MakeRequest(msgspec.json.decode(msgspec.json.encode(made), type=OpeningForm)))

    async def upload(self, request: Any, slot: str, content: bytes | None = None, *, append: bool = True) -> Any:
        made = UUID(request["accountRequestId"])
        sent = photo() if content is None else content
        return await self.run(Upload(made, slot, sent, sha256(sent).digest(), self.place, append))

    async def handed_over(self, **change: Any) -> Any:
        request = await self.ask(**change)
        for slot in ALL:
            await self.upload(request, slot)
        return request

    async def read(self, request: Any) -> Any:
        return await self.run(ReadRequest(UUID(request["accountRequestId"])))

    async def row(self, request: Any) -> Any:
        async with self.cast.database.session(self.seller.company_id) as session:
            return await session.row("SELECT * FROM account_requests WHERE id = $1", UUID(request["accountRequestId"]))

    async def judge(self, request: Any, outcome: str = "APPROVED", **said: Any) -> Any:
        """The partner's word, as the inbox brings it."""
        row = await self.row(request)
        final = port.AnalysisFinal(said.pop("reference", row["analysis_reference"]), outcome, **said)  # type: ignore[arg-type]
        claimed = await self.claimed(final)
        verb = opening.Judged(final, row["id"], claimed, INSTITUTION)
        return await self.cast.runner.act(self.seller.company_id, verb)

    async def claimed(self, final: port.AnalysisFinal) -> port.Claimed:
        name, lease = str(self.cast.id()), self.cast.id()
        inbox = Inbox(self.cast.database, self.cast.database, self.cast.chance, "12345678", port.ANALYSIS)
        told = port.NetworkMessage(port.ANALYSIS_FINAL, name, final.reference, port.encode(final))
        await inbox.store(self.seller.company_id, [told])
        async with self.cast.database.session(self.seller.company_id) as session:
            sql = "UPDATE inbox SET lease_token = $1 WHERE network_id = $2 RETURNING id"
            return port.Claimed(await session.value(sql, lease, name), lease)

    async def events(self, request: Any) -> list[Any]:
        async with self.cast.database.session(self.seller.company_id) as session:
            sql = "SELECT body FROM events WHERE reference_id = $1 ORDER BY id"
            return [msgspec.json.decode(r["body"]) for r in await session.fetch(sql, UUID(request["accountRequestId"]))]

    async def pages(self, request: Any) -> list[Any]:
        async with self.cast.database.session(self.seller.company_id) as session:
            sql = "SELECT * FROM account_documents WHERE request_id = $1 ORDER BY slot, page"
            return list(await session.fetch(sql, UUID(request["accountRequestId"])))


def refused(outcome: Any) -> list[tuple[str, str]]:
    assert isinstance(outcome, Refused), outcome
    return [(p.field, p.issue) for p in outcome.problems]


def born_opening(cast: Cast, holder: UUID, at: datetime) -> tuple[Row, ...]:
    """The rows of a request that has just come, and a page in a slot of it. holder: a row of parties."""
    request, digest = cast.id(), bytes(32)
    values = {
        "id": request, "external_id": str(request), "holder_type": "INDIVIDUAL", "party_id": holder, "terms_version": "x",
        "terms_accepted_at": at, "missing": ["selfieHolder"], "created_at": at, "updated_at": at,
    }  # fmt: skip
    page = {
        "id": cast.id(), "request_id": request, "slot": "selfieHolder", "page": 1, "content_type": "image/png", "size": 1,
        "digest": digest, "kept_digest": digest, "sealed": b"x", "created_at": at,
    }  # fmt: skip
    return (*opening.ACCOUNT_REQUESTS.born(values, at), Row("account_documents", page))
