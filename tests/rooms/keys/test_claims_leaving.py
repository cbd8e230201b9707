"""A key leaves when another bank's claim of it is confirmed: what names it is told, and its donor may still say fraud."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import ANA, PLACE, Cast

from lastro.accounts import OwnFirst
from lastro.core.errors import Kind
from lastro.keys.claims.actions.decide import ResendAnswerCode
from lastro.keys.claims.actions.read import ReadClaim
from lastro.keys.claims.model import MOST_NAMED
from lastro.orders.static_codes.actions import CreateCode, ReadCode
from lastro.orders.static_codes.forms import CreateStaticCode
from lastro.rails import port
from lastro.worker.messaging import Messages

from .claiming import Claims
from .test_claims import Desk, awaits
from .test_keys import company, no, said


@pytest.fixture
async def desk(cast: Cast) -> Desk:
    return Desk(cast, await cast.found("Ana", replace(ANA, document_number=company())))


class Outside:
    """The directory, as a payout asks it. asked: about which keys."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def entry(self, key: str, asking: port.Asking) -> port.KeyEntry | port.NoEntry:
        del asking
        self.asked.append(key)
        return port.NoEntry("EntryCannotBeQueriedForBookTransfer")


async def test_nobody_is_asked_about_a_key_of_ours_until_it_has_left(desk: Desk) -> None:
    """DICT API 2.12.1, EntryCannotBeQueriedForBookTransfer: also while it is claimed, when it still receives."""
    outside = Outside()
    directory = OwnFirst(desk.cast.database, PLACE.institution, outside)
    asking = port.Asking(desk.ana.company_id, desk.ana.holder.document_number, "E" * 32)
    await desk.key()
    news = await desk.claimed("PORTABILITY")
    found = await directory.entry(desk.phone, asking)
    assert isinstance(found, port.KeyEntry)
    assert (found.account, found.ispb, outside.asked) == (desk.ana.account_number, PLACE.institution.ispb, [])
    assert await desk.says(news, status="CONFIRMED") == "handled"
    assert isinstance(await directory.entry(desk.phone, asking), port.NoEntry)
    assert outside.asked == [desk.phone]


async def test_a_donor_says_fraud_of_an_ownership_that_was_confirmed(desk: Desk) -> None:
    """The key has left and does not come back: its holder creates it anew, once the claim has ended."""
    await desk.key()
    news = await desk.claimed("CLAIM_OWNERSHIP")
    await desk.rows("UPDATE key_claims SET due_at = now() RETURNING 1")
    assert await desk.fall(news)
    assert await desk.says(news, status="CONFIRMED", reason="DEFAULT_OPERATION") == "handled"
    assert (await desk.keys(), await awaits(desk, news)) == ([("DELETED", None)], [True] * 2)
    asked = said(await desk.run("request_key_claim_code", desk.request(news), 202))["validationId"]
    token = await desk.token(asked)
    assert said(await desk.answer(news, asked, token, "CANCEL"))["status"] == "CANCELLED"
    assert [(act, why) for act, _, why in desk.claims.asked] == [(port.CLAIM_CANCEL, "FRAUD")]
    assert await desk.keys() == [("DELETED", None)]
    del desk.registry.keys[desk.phone]  # the directory has no entry of it
    await desk.key()
    assert await desk.keys() == [("DELETED", None), ("ACTIVE", None)]


async def test_a_code_that_can_do_nothing_is_not_used_up(desk: Desk) -> None:
    """The key of an ownership that is CONFIRMED has left: there is nothing to confirm, and CANCEL is still possible."""
    await desk.key()
    news = await desk.claimed("CLAIM_OWNERSHIP")
    assert await desk.says(news, status="CONFIRMED", reason="DEFAULT_OPERATION") == "handled"
    asked = said(await desk.run("request_key_claim_code", desk.request(news), 202))["validationId"]
    token = await desk.token(asked)
    refused = await desk.answer(news, asked, token, "CONFIRM")
    assert no(refused) == (Kind.INVALID.value, ("decision", "NOT_ALLOWED"))
    assert desk.claims.asked == []
    assert said(await desk.answer(news, asked, token, "CANCEL"))["status"] == "CANCELLED"


async def test_the_answer_that_gives_a_key_up_names_what_names_it(desk: Desk) -> None:
    """The newest of each kind, so many at most; a claim that has ended has no time to be completed any more."""
    await desk.key()
    news = await desk.claimed("CLAIM_OWNERSHIP")
    for _ in range(MOST_NAMED + 1):
        code = CreateStaticCode(account_id=str(desk.ana.account_id), pix_key=desk.phone)
        verb = CreateCode(code, None, desk.ana.account_id)
        last = await desk.cast.run(
            desk.ana.client, verb, operation="create_static_qrcode", permission="orders:write", status=201
        )
    asked = said(await desk.run("request_key_claim_code", desk.request(news), 202))["validationId"]
    given = said(await desk.answer(news, asked, await desk.token(asked), "CONFIRM"))
    assert (given["status"], given["affected"]["staticQrcodes"]) == ("CONFIRMED", MOST_NAMED + 1)
    named = given["affected"]["staticQrcodeIds"]
    assert (len(named), named[0]) == (MOST_NAMED, said(last)["id"])
    reading = ReadClaim(desk.ana.account_id, news.claim_id)
    shown = said(await desk.cast.run(desk.ana.client, reading))
    assert ("affected" in shown, "completionFrom" in shown) == (False, True)
    assert await desk.says(news, status="CANCELLED", reason="FRAUD") == "handled"
    assert "completionFrom" not in said(await desk.cast.run(desk.ana.client, reading))


class Hasty(Claims):
    """A directory whose word of a claim arrives before its answer."""

    desk: Desk

    async def tell_claim(self, act: Any, task: port.ClaimTask) -> port.ClaimNews:
        news = await super().tell_claim(act, task)
        assert await self.desk.says(news) == "handled"
        return news


async def test_what_names_the_key_is_named_where_the_directory_was_quicker(desk: Desk) -> None:
    """The key has left by then; whoever gave it up is told all the same."""
    desk.claims = hasty = Hasty()
    hasty.desk = desk
    await desk.key()
    news = await desk.claimed("CLAIM_OWNERSHIP")
    code = CreateStaticCode(account_id=str(desk.ana.account_id), pix_key=desk.phone)
    verb = CreateCode(code, None, desk.ana.account_id)
    made = await desk.cast.run(
        desk.ana.client, verb, operation="create_static_qrcode", permission="orders:write", status=201
    )
    given = said(await desk.decide(news, "CONFIRM"))
    assert (given["status"], given["affected"]["staticQrcodeIds"]) == ("CONFIRMED", [said(made)["id"]])


class Letters:
    """What is carried: to, and the text."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    async def carry(self, *, message_id: str, to: str, subject: str, text: str) -> None:
        del message_id, subject
        self.sent.append((to, text))

    async def close(self) -> None:
        """Nothing is open."""


async def test_the_code_of_an_answer_names_the_claimed_key_wherever_it_goes(desk: Desk) -> None:
    await desk.key()
    news = await desk.claimed("CLAIM_OWNERSHIP")
    letters = Letters()
    carrying = Messages(desk.cast.database, desk.codes, {"EMAIL": letters, "PHONE": letters}, "en", "Lastro")

    async def letter() -> tuple[str, str]:
        asked = said(await desk.run("request_key_claim_code", desk.request(news), 202))["validationId"]
        order = port.encode(port.CodeOrder(asked, 1))
        await carrying.send(port.CODE_SEND, f"{asked}:1", order, desk.ana.company_id)
        return letters.sent.pop()

    to, text = await letter()
    assert (to, f"a claim of the Pix key {desk.phone}." in text) == (desk.phone, True)
    assert await desk.says(news, status="CONFIRMED", reason="DEFAULT_OPERATION") == "handled"
    to, text = await letter()
    assert to == desk.ana.holder.email
    assert f"a claim of the Pix key {desk.phone}." in text


async def test_what_names_a_key_that_has_left_is_told(desk: Desk) -> None:
    await desk.key()
    news = await desk.claimed("PORTABILITY")
    code = CreateStaticCode(account_id=str(desk.ana.account_id), pix_key=desk.phone)
    verb = CreateCode(code, None, desk.ana.account_id)
    made = await desk.cast.run(
        desk.ana.client, verb, operation="create_static_qrcode", permission="orders:write", status=201
    )
    assert said(made)["leadsHere"] is True
    assert await desk.says(news, status="CONFIRMED") == "handled"
    events = await desk.rows(
        "SELECT convert_from(body, 'UTF8')::json ->> 'status', convert_from(body, 'UTF8')::json ->> 'affected' FROM events"
        f" WHERE reference_id = '{news.claim_id}' ORDER BY id"
    )
    naming = {
        "orders": 0, "staticQrcodes": 1, "subscriptions": 0,
        "orderIds": [], "staticQrcodeIds": [said(made)["id"]], "subscriptionIds": [],
    }  # fmt: skip
    assert [(status, None if named is None else msgspec.json.decode(named)) for status, named in events] == [
        ("OPEN", None), ("WAITING_RESOLUTION", None), ("CONFIRMED", naming),
    ]  # fmt: skip
    shown = await desk.cast.run(desk.ana.client, ReadCode(UUID(said(made)["id"])), permission="orders:read")
    assert said(shown)["leadsHere"] is False


async def test_no_other_code_goes_to_a_key_that_has_left(desk: Desk) -> None:
    """Its next holder would get it; the holder of the account asks anew, and gets it at the own address."""
    await desk.key()
    news = await desk.claimed("CLAIM_OWNERSHIP")
    asked = UUID(said(await desk.run("request_key_claim_code", desk.request(news), 202))["validationId"])
    await desk.rows("UPDATE pix_key_validations SET sent_at = sent_at - interval '1 minute' RETURNING 1")
    again = ResendAnswerCode(desk.ana.account_id, news.claim_id, asked)
    assert said(await desk.run("resend_key_claim_answer_code", again, 202))["validationId"] == str(asked)
    await desk.rows("UPDATE pix_key_validations SET sent_at = sent_at - interval '1 minute' RETURNING 1")
    assert await desk.says(news, status="CONFIRMED", reason="DEFAULT_OPERATION") == "handled"
    assert no(await desk.run("resend_key_claim_answer_code", again, 202)) == ("INVALID", ("validationId", "EXPIRED"))
