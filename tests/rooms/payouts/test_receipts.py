"""Receipts of what the database has: for what has left alone, to its company alone, the same until something comes back."""

import io
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from pypdf import PdfReader
from tests.cast import Cast

from lastro.core.errors import Kind, Refused
from lastro.core.media import JSON, PDF
from lastro.core.runner import Reply
from lastro.payouts.actions.receipt import GiveReceipt

from .office import HERE, Office
from .test_batches import batch_of


async def ask(office: Office, payout_id: str | UUID | None, media: str = JSON, client: Any = None) -> Reply | Refused:
    verb = GiveReceipt(None if payout_id is None else UUID(str(payout_id)), media, HERE)
    client = client or office.ana.client
    return await office.cast.run(client, verb, operation="read_payout_receipt", permission="payouts:read")


async def receipt(office: Office, payout: dict[str, Any]) -> dict[str, Any]:
    reply = await ask(office, payout["id"])
    assert isinstance(reply, Reply), reply
    assert reply.media == JSON
    told: dict[str, Any] = msgspec.json.decode(reply.body)
    return told


async def pdf(office: Office, payout: dict[str, Any]) -> tuple[bytes, str]:
    """The file, and its text."""
    reply = await ask(office, payout["id"], PDF)
    assert isinstance(reply, Reply), reply
    assert (reply.media, reply.headers) == (
        PDF, (("content-disposition", f'attachment; filename="comprovante-{payout["id"]}.pdf"'),),
    )  # fmt: skip
    return reply.body, " ".join(" ".join(p.extract_text().split()) for p in PdfReader(io.BytesIO(reply.body)).pages)


async def test_of_a_payout_that_is_paid(office: Office) -> None:
    await office.fee(50)
    payout = await office.make(123456)
    at = await office.now()
    await office.settle(payout, at)
    told = await receipt(office, payout)
    assert (told["status"], told["amount"], told["paidAmount"], told["fee"]) == ("PAID", "1234.56", "1234.56", "0.50")
    number = await office.column("SELECT number FROM accounts WHERE id = $1", office.ana.account_id)
    assert (told["endToEndId"], [told["payer"]["bank"]["account"]]) == (payout["endToEndId"], number)
    assert told["receiver"]["document"]["number"] == "***.813.579-**"
    assert told["issuer"] == {"name": HERE.name, "ispb": HERE.ispb}
    drawn, text = await pdf(office, payout)
    assert f"ID da transação {payout['endToEndId']}" in text
    assert f"Código {told['authenticationCode']}" in text
    assert (await pdf(office, payout))[0] == drawn
    assert await receipt(office, payout) == told


async def test_what_comes_back_makes_another(office: Office) -> None:
    payout = await office.make(1000)
    await office.settle(payout)
    first = await receipt(office, payout)
    assert await office.give_back(payout, 400, "D999990302026013112000000000001a") == "handled"
    second = await receipt(office, payout)
    assert (second["status"], second["returnedAmount"]) == ("PARTIAL_REFUNDED", "4.00")
    (back,) = second["returns"]
    assert (back["returnId"], back["payoutId"], back["amount"]) == ("D999990302026013112000000000001a", payout["id"], "4.00")
    assert first["authenticationCode"] != second["authenticationCode"]
    assert first["issuedAt"] < second["issuedAt"]
    assert await office.give_back(payout, 600) == "handled"
    assert (await receipt(office, payout))["status"] == "REFUNDED"
    assert "Devolvido" in (await pdf(office, payout))[1]


async def test_more_than_was_left_is_not_told(office: Office) -> None:
    payout = await office.make(1000)
    await office.settle(payout)
    told = await receipt(office, payout)
    await office.give_back(payout, 1001)
    again = await receipt(office, payout)
    assert "returns" not in again
    assert again["authenticationCode"] == told["authenticationCode"]


async def test_of_a_batch(office: Office) -> None:
    batch, parts = await batch_of(office)
    await office.settle(parts[0])
    refused = await ask(office, batch["id"])
    assert isinstance(refused, Refused), "some of it is on its way"
    await office.refuse(parts[1])
    await office.settle(parts[2])
    await office.give_back(parts[2], 100)
    told = await receipt(office, batch)
    assert (told["amount"], told["paidAmount"], told["returnedAmount"]) == ("25.00", "15.00", "1.00")
    assert [(t["id"], t["status"], t["endToEndId"]) for t in told["transfers"]] == [
        (p["id"], status, p["endToEndId"]) for p, status in zip(parts, ("PAID", "ERROR", "PARTIAL_REFUNDED"), strict=True)
    ]
    assert [r["payoutId"] for r in told["returns"]] == [parts[2]["id"]]
    assert "endToEndId" not in told
    _, text = await pdf(office, batch)
    assert all(p["endToEndId"] in text for p in parts)
    assert await ask(office, parts[0]["id"]) == Refused(Kind.NOT_FOUND), "it has the batch's"


@pytest.mark.parametrize("media", [JSON, PDF])
@pytest.mark.parametrize("end", ["PENDING", "ERROR", "CANCELED"])
async def test_of_what_has_not_left_there_is_none(office: Office, media: str, end: str) -> None:
    payout = await office.make(1000)
    if end == "ERROR":
        await office.refuse(payout)
    elif end == "CANCELED":
        await office.cancel(payout["id"])
    refused = await ask(office, payout["id"], media)
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.CONFLICT
    assert [(p.field, p.issue, p.description) for p in refused.problems] == [
        ("status", "CONFLICT", f"the payout is {end}: no money of it has left")
    ]


@pytest.mark.parametrize("media", [JSON, PDF])
async def test_of_what_is_not_there_and_of_others(office: Office, cast: Cast, media: str) -> None:
    payout = await office.make(1000)
    await office.settle(payout)
    dora = await cast.found("Dora")
    for payout_id, client in ((uuid4(), None), (None, None), (payout["id"], dora.client)):
        assert await ask(office, payout_id, media, client) == Refused(Kind.NOT_FOUND)
