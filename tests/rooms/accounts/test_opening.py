"""Requests for accounts on a real database: made, uploaded for, judged by a partner or by people, over in time."""

import asyncio
import io
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from PIL import Image
from tests.cast import INSTITUTION, Cast, Seller
from tests.rooms.accounts.openings import ALL, Desk, photo, refused

from lastro.accounts import opening
from lastro.accounts.opening.model import MOST_PAGES
from lastro.core.errors import Refused
from lastro.core.runner import Done
from lastro.rails import port


@pytest.fixture
async def desk(cast: Cast, ana: Seller) -> Desk:
    return Desk(cast, ana)


async def test_a_request_goes_from_its_documents_to_an_account(desk: Desk) -> None:
    request = await desk.ask()
    assert request["status"] == "PENDING_DOCUMENTS"
    assert (await desk.read(request))["missingRequiredDocuments"] == list(ALL)
    for place, slot in enumerate(ALL, start=1):
        assert await desk.upload(request, slot) == {"documentType": slot, "missingRequiredDocuments": list(ALL[place:])}
    assert (await desk.read(request))["step"] == "PENDING_ANALYSE"
    row = await desk.row(request)
    async with desk.cast.database.session(desk.seller.company_id) as session:
        sent = await session.row("SELECT * FROM outbox WHERE reference_id = $1", row["id"])
    assert sent is not None
    order = port.analysis_order(bytes(sent["body"]))
    assert (sent["rail"], sent["kind"], sent["network_id"]) == (port.ANALYSIS, port.ANALYSIS_SEND, order.reference)
    assert (order.reference, {d.slot for d in order.documents}) == (row["analysis_reference"], set(ALL))
    assert (order.holder.name, (order.holder.address or {})["city"]) == ("Bia Silva", "Sao Paulo")
    assert port.company_of_analysis(order.reference) == desk.seller.number
    assert port.request_of_analysis(order.reference) == row["id"]
    await desk.judge(request)
    shown = await desk.read(request)
    assert (shown["status"], shown["step"], shown["missingRequiredDocuments"]) == ("APPROVED", "PENDING_PIX_KEY", [])
    pending, created = await desk.events(request)
    assert (pending["event"], created["event"]) == ("ACCOUNT.PENDING_DOCUMENTS", "ACCOUNT.CREATED")
    assert pending["reason"] == {"code": "MISSING_DOCUMENTS", "description": f"{', '.join(ALL)} must be uploaded"}
    assert (created["accountId"], created["status"]) == (shown["accountId"], "ACTIVE")
    assert len(created["bankData"]["accountNumber"]) == 9
    assert (await desk.row(request))["key_due_at"] is not None


async def test_documents_are_kept_sealed_and_only_for_their_row(desk: Desk) -> None:
    request = await desk.ask()
    await desk.upload(request, ALL[0], photo(7))
    (page,) = await desk.pages(request)
    documents = opening.SealedDocuments(desk.cast.database, desk.cast.key_ring)
    content = await documents.content(desk.seller.company_id, page["id"])
    assert content is not None
    assert Image.open(io.BytesIO(content)).getpixel((1, 1)) == 7
    assert content not in bytes(page["sealed"])
    assert page["size"] == len(content)
    other = await desk.cast.dora()
    assert await documents.content(other.company_id, page["id"]) is None


async def test_the_same_file_again_changes_nothing_and_another_takes_its_place(desk: Desk) -> None:
    request = await desk.ask()
    first = await desk.upload(request, ALL[0])
    version = (await desk.row(request))["version"]
    assert await desk.upload(request, ALL[0]) == first
    assert await desk.upload(request, ALL[0], append=False) == first
    assert (await desk.row(request))["version"] == version
    await desk.upload(request, ALL[0], photo(1), append=False)
    await desk.upload(request, ALL[0], photo(2))
    pages = await desk.pages(request)
    assert [(p["page"], p["sealed"] is None, p["replaced_at"] is None) for p in pages] == [
        (1, True, False), (2, False, True), (3, False, True),
    ]  # fmt: skip


async def test_a_slot_has_at_most_so_many_files(desk: Desk) -> None:
    request = await desk.ask()
    for shade in range(MOST_PAGES):
        await desk.upload(request, ALL[0], photo(shade))
    assert refused(await desk.upload(request, ALL[0], photo(99))) == [("append", "LIMIT_EXCEEDED")]
    await desk.upload(request, ALL[0], photo(99), append=False)
    assert len([p for p in await desk.pages(request) if p["replaced_at"] is None]) == 1


async def test_what_is_not_taken_changes_nothing(desk: Desk) -> None:
    request = await desk.ask()
    stranger = {"accountRequestId": str(desk.cast.id())}
    other = await Desk(desk.cast, await desk.cast.dora()).ask()
    before = await desk.row(request)
    for made, slot, content, problem in (
        (stranger, ALL[0], photo(), ("accountRequestId", "INVALID")),
        (other, ALL[0], photo(), ("accountRequestId", "INVALID")),
        (request, "cnpjCard", photo(), ("documentType", "NOT_ALLOWED")),
        (request, ALL[0], photo()[:45], ("file", "INVALID")),
        (request, ALL[0], b"%PDF-1.7\nPK", ("file", "INVALID")),
    ):
        assert refused(await desk.upload(made, slot, content)) == [problem]
    assert (await desk.row(request), await desk.pages(request)) == (before, [])


async def test_nothing_is_taken_while_it_is_looked_at_nor_after_its_end(desk: Desk) -> None:
    request = await desk.handed_over()
    assert refused(await desk.upload(request, ALL[0], photo(9))) == [("status", "CONFLICT")]
    assert "documentType" in await desk.upload(request, ALL[0]), "what is there already"
    await desk.judge(request)
    assert refused(await desk.upload(request, ALL[0])) == [("status", "CONFLICT")]


async def test_one_request_of_a_holder_is_open_and_an_external_id_is_used_once(desk: Desk) -> None:
    first = await desk.ask()
    assert refused(await desk.ask()) == [("document.number", "DUPLICATE")]
    another = {"document": {"type": "CPF", "number": "52998224725"}}
    again = (await desk.read(first))["externalId"]
    assert refused(await desk.ask(externalId=again, **another)) == [("externalId", "DUPLICATE")]
    elsewhere = Desk(desk.cast, await desk.cast.dora())
    assert (await elsewhere.ask(externalId=again))["status"] == "PENDING_DOCUMENTS"
    made = await asyncio.gather(*(desk.ask(**another) for _ in range(4)))
    assert sum(not isinstance(one, Refused) for one in made) == 1


async def test_a_refused_request_is_taken_up_again_with_what_was_refused(desk: Desk) -> None:
    request = await desk.handed_over()
    await desk.judge(request, "REPROVED", code="DOCUMENT_ILLEGIBLE", fields=[ALL[1], ALL[0], "unheard of"])
    shown = await desk.read(request)
    assert (shown["status"], shown["reprovedFields"], shown["reprovedReason"]) == (
        "REPROVED", list(ALL[:2]), "DOCUMENT_ILLEGIBLE",
    )  # fmt: skip
    event = (await desk.events(request))[-1]
    assert (event["status"], event["rejectedFields"]) == ("REJECTED", list(ALL[:2]))
    assert event["reason"] == {"code": "DOCUMENT_ILLEGIBLE", "description": "DOCUMENT_ILLEGIBLE"}
    assert refused(await desk.upload(request, ALL[2], photo(5))) == [("documentType", "NOT_ALLOWED")]
    assert (await desk.upload(request, ALL[0]))["missingRequiredDocuments"] == [ALL[1]], "the very same file may come again"
    shown = await desk.read(request)
    assert (shown["status"], "reprovedFields" in shown) == ("PENDING_DOCUMENTS", False)
    await desk.upload(request, ALL[1], photo(6))
    slots = sorted(page["slot"] for page in await desk.pages(request) if page["replaced_at"] is None)
    assert slots == sorted(ALL), "the refused pages are gone, though nothing said so"
    row = await desk.row(request)
    assert (row["status"], row["submissions"], row["analysis_reference"][-2:]) == ("ANALYSIS", 2, "-2")
    late = row["analysis_reference"].removesuffix("2") + "1"
    await desk.judge(request, "REPROVED", code="LATE", reference=late)
    assert (await desk.read(request))["status"] == "ANALYSIS", "a verdict of the submission before says nothing any more"
    await desk.judge(request)
    assert (await desk.read(request))["status"] == "APPROVED"


async def test_a_definitive_no_is_the_end_and_frees_the_holder(desk: Desk) -> None:
    request = await desk.handed_over()
    await desk.judge(request, "REPROVED", code="HOLDER_NOT_ACCEPTED", description="no")
    assert refused(await desk.upload(request, ALL[0], photo(3))) == [("status", "CONFLICT")]
    assert (await desk.events(request))[-1]["rejectedFields"] == []
    assert (await desk.ask())["status"] == "PENDING_DOCUMENTS"


async def test_a_refused_request_cannot_come_back_beside_another_of_its_holder(desk: Desk) -> None:
    request = await desk.handed_over()
    await desk.judge(request, "REPROVED", code="DOCUMENT_ILLEGIBLE", fields=[ALL[0]])
    await desk.ask()
    assert refused(await desk.upload(request, ALL[0], photo(4))) == [("document.number", "DUPLICATE")]
    assert (await desk.read(request))["status"] == "REPROVED"


async def test_what_the_partner_would_not_look_at_is_left_to_people(desk: Desk) -> None:
    request = await desk.handed_over()
    await desk.judge(request, "NOT_TAKEN", code="MALFORMED")
    row = await desk.row(request)
    assert (row["status"], row["ask_at"], row["analysis_reference"]) == ("ANALYSIS", None, None)
    verb = opening.Judge(row["id"], opening.Verdict(is_approved=True), INSTITUTION)
    assert (await desk.cast.act(desk.seller.company_id, verb))["status"] == "APPROVED"


async def test_without_a_partner_people_judge(cast: Cast, ana: Seller) -> None:
    desk = Desk(cast, ana, is_analysed=False)
    request = await desk.handed_over()
    row = await desk.row(request)
    assert (row["status"], row["analysis_reference"], row["ask_at"]) == ("ANALYSIS", None, None)
    no = opening.Verdict(is_approved=False, code="ILLEGIBLE", fields=("cnpjCard",))
    wrong = await cast.runner.act(ana.company_id, opening.Judge(row["id"], no, INSTITUTION))
    assert refused(wrong) == [("fields", "INVALID")]
    no = opening.Verdict(is_approved=False, code="ILLEGIBLE", fields=(ALL[0],))
    assert (await cast.act(ana.company_id, opening.Judge(row["id"], no, INSTITUTION)))["reprovedFields"] == [ALL[0]]
    again = await cast.runner.act(ana.company_id, opening.Judge(row["id"], no, INSTITUTION))
    assert refused(again) == [("status", "CONFLICT")]


async def test_without_uploads_it_is_over_after_thirty_days(desk: Desk, inside: Any) -> None:
    request = await desk.ask()
    request_id = UUID(request["accountRequestId"])
    early = await desk.cast.runner.act(desk.seller.company_id, opening.Expire(request_id))
    assert isinstance(early, Done)
    assert early.write is None
    await inside.execute(
        "UPDATE account_requests SET expires_at = created_at - $2::interval WHERE id = $1", request_id, timedelta(days=1)
    )
    assert refused(await desk.upload(request, ALL[0])) == [("status", "CONFLICT")]
    await desk.cast.runner.act(desk.seller.company_id, opening.Expire(request_id))
    shown = await desk.read(request)
    assert (shown["status"], shown["reprovedReason"], shown["reprovedFields"]) == ("REPROVED", "EXPIRED", [])
    assert (await desk.events(request))[-1]["reason"]["code"] == "EXPIRED"


async def test_last_uploads_at_once_hand_it_over_once(desk: Desk) -> None:
    request = await desk.ask()
    await asyncio.gather(*(desk.upload(request, slot, photo(n)) for n, slot in enumerate(ALL)))
    row = await desk.row(request)
    assert (row["status"], row["submissions"]) == ("ANALYSIS", 1)
    assert [p["slot"] for p in await desk.pages(request)] == sorted(ALL)


async def test_other_requests_go_on_while_a_large_picture_is_drawn(desk: Desk) -> None:
    made = io.BytesIO()
    Image.effect_noise((1500, 1500), 60).save(made, "PNG", compress_level=1)
    request, stalls = await desk.ask(), []
    clock = asyncio.get_running_loop().time
    uploading = asyncio.ensure_future(desk.upload(request, ALL[0], made.getvalue()))
    while not uploading.done():
        begun = clock()
        await asyncio.sleep(0.001)
        stalls.append(clock() - begun)
    assert "documentType" in uploading.result()
    assert len(stalls) > 20, "the loop went on while the picture was drawn"
