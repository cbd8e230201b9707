"""Accounts are opened: documents go out to the analyst, its verdicts come in, the account has its key and can be paid to."""

import io
import os
from typing import Any
from uuid import UUID

import msgspec
from PIL import Image

from lastro.accounts.opening.docs import CREATE
from lastro.standards.documents import is_cpf

from .play import Answer, Play
from .stage import until

ACCOUNTS = "/order/v1/banking/accounts"
FLAGGED = "70000050172"
BOUNDARY = "journey"


def photo(shade: int = 0) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (400, 300), (shade, 90, 120)).save(made, "JPEG")
    return made.getvalue()


def somebody() -> str:
    """The CPF of nobody in particular."""
    base = 100_000_000 + int.from_bytes(os.urandom(4), "big") % 600_000_000
    return next(cpf for end in range(100) if is_cpf(cpf := f"{base}{end:02d}"))


async def wish(play: Play, cpf: str) -> dict[str, Any]:
    """The body of a request."""
    version = (await play.call("GET", f"{ACCOUNTS}/terms?holderType=INDIVIDUAL")).json["version"]
    return {
        **(CREATE.request or {}), "externalId": f"{play.name}-{cpf}", "document": {"type": "CPF", "number": cpf},
        "termsAccepted": {"version": version, "acceptedAt": "2026-01-01T00:00:00Z", "ip": "203.0.113.7"},
    }  # fmt: skip


async def ask(play: Play, cpf: str) -> dict[str, Any]:
    answer = await play.call("POST", ACCOUNTS, await wish(play, cpf))
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


async def upload(
    play: Play, request: dict[str, Any], slot: str, content: bytes, path: str = ACCOUNTS, key: str | None = None, **more: str
) -> Answer:
    form = b""
    for name, value in {"documentType": slot, "accountRequestId": request["accountRequestId"], **more}.items():
        form += f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="../../me.jpg"\r\n\r\n'
    form += head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
    token = await play._token(play.stage.client(dora=False))
    headers = {"authorization": f"Bearer {token}", "content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    headers |= {} if key is None else {"idempotency-key": key}
    return await play.ask("POST", f"{play.stage.base_url}{path}/documents", form, headers)


async def becomes(play: Play, request: dict[str, Any], status: str) -> dict[str, Any]:
    async def look() -> dict[str, Any] | None:
        found = (await play.call("GET", f"{ACCOUNTS}/requests/{request['accountRequestId']}")).json
        return found if found["status"] == status else None

    return await until(look, status) or {}


async def events(play: Play, request: dict[str, Any]) -> list[Any]:
    rows = await play.books.fetch(
        "SELECT body FROM events WHERE reference_id = $1 ORDER BY created_at", UUID(request["accountRequestId"])
    )
    return [msgspec.json.decode(row["body"]) for row in rows]


async def test_an_account_is_opened_and_can_be_paid_to(play: Play) -> None:
    request = await ask(play, somebody())
    slots = (await becomes(play, request, "PENDING_DOCUMENTS"))["missingRequiredDocuments"]
    assert (await upload(play, request, slots[0], b"GIF89a")).problem == (400, "file", "NOT_SUPPORTED")
    for slot in slots:
        public = await upload(play, request, slot, photo(), "/public/v1/banking/accounts")
        assert public.status == 201, public.body
    assert public.json == {"documentType": slots[-1], "missingRequiredDocuments": []}
    await play.advance(advance="PT2M")
    shown = await becomes(play, request, "APPROVED")
    assert [one["event"] for one in await events(play, request)] == ["ACCOUNT.PENDING_DOCUMENTS", "ACCOUNT.CREATED"]
    account = (await play.call("GET", f"{ACCOUNTS}/{shown['accountId']}")).json
    assert (account["fullName"], account["status"]) == ("Bia Silva", "ACTIVE")

    async def has_key() -> bool:
        made = await play.call("PUT", "/order/v2/transparent", play.asking(accountId=shown["accountId"]))
        return made.status == 200

    await until(has_key, "a key of the new account")
    seen = (await play.act("/analyses", method="GET"))["data"]
    mine = next(one for one in seen if request["accountRequestId"].replace("-", "") in one["reference"])
    assert (mine["status"], mine["missingDocuments"], len(mine["request"]["documents"])) == ("JUDGED", [], len(slots))


async def test_what_was_refused_is_uploaded_again(play: Play) -> None:
    request = await ask(play, FLAGGED)
    for slot in (await becomes(play, request, "PENDING_DOCUMENTS"))["missingRequiredDocuments"]:
        await upload(play, request, slot, photo())
    await play.fault("analysis", "lost-answer")
    await play.advance(advance="PT2M")
    fields = (await becomes(play, request, "REPROVED"))["reprovedFields"]
    assert (await events(play, request))[-1]["rejectedFields"] == fields == ["documentHolder", "selfieHolder"]
    for slot in fields:
        assert (await upload(play, request, slot, photo(200))).status == 201
    await play.advance(advance="PT2M")
    await becomes(play, request, "APPROVED")
    await play.act("/faults", method="DELETE")
