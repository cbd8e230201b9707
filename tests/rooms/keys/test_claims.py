"""Claims on real rows: a key comes or goes once, whatever is lost, said twice or asked at once, and time decides the rest."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from tests.cast import ANA, DORA, PLACE, Cast, Seller

from lastro.api_kit.paging import Page
from lastro.closing import Clear
from lastro.core.errors import Refused
from lastro.core.runner import Done, Reply, Verb
from lastro.keys import Codes
from lastro.keys.actions.create import CreateKey
from lastro.keys.actions.delete import EndKey
from lastro.keys.actions.prove import ConfirmKey, ResendCode
from lastro.keys.claims import Fall, ListClaims
from lastro.keys.claims.actions.decide import CancelClaim, ClaimDecision, Decide, RequestCode
from lastro.keys.claims.actions.open import ClaimedKey, ConfirmClaim, OpenClaim
from lastro.keys.claims.actions.read import ReadClaim
from lastro.keys.claims.store import proof_of
from lastro.keys.model import FOR_ANSWER, FOR_CLAIM, USER_REQUESTED
from lastro.rails import port
from lastro.rails.port import ClaimNews, Permanent, Transient

from .claiming import Claims, claim_news, told
from .registry import Registry
from .test_keys import company, no, said

ALL = frozenset({"EMAIL", "PHONE"})


@dataclass
class Desk:
    """Ana's company, as it claims keys and is asked for them."""

    cast: Cast
    ana: Seller
    claims: Claims = field(default_factory=Claims)
    registry: Registry = field(default_factory=Registry)
    phone: str = field(default_factory=lambda: f"+55119{uuid4().int % 10**8:08d}")

    @property
    def codes(self) -> Codes:
        return Codes(self.cast.key_ring)

    async def run(self, operation: str, verb: Verb[Any], status: int = 200) -> Reply | Refused:
        key, permission = str(uuid4()), "keys:write"
        return await self.cast.run(self.ana.client, verb, operation=operation, key=key, permission=permission, status=status)

    async def open(self, kind: str = "CLAIM_OWNERSHIP", key_type: str = "PHONE", key: str = "") -> Reply | Refused:
        wanted = ClaimedKey(kind, key_type, key or self.phone)
        return await self.run("create_key_claim", OpenClaim(self.ana.account_id, wanted, self.claims, self.codes), 202)

    async def confirm(self, validation_id: str, token: str) -> Reply | Refused:
        verb = ConfirmClaim(self.ana.account_id, UUID(validation_id), token, self.claims, self.codes)
        return await self.run("confirm_key_claim", verb, 201)

    async def opened(self, kind: str = "CLAIM_OWNERSHIP") -> ClaimNews:
        """A claim of the phone, proved by its code, as the directory has it."""
        validation_id = said(await self.open(kind))["validationId"]
        made = said(await self.confirm(validation_id, await self.token(validation_id)))
        return next(one for one in self.claims.made.values() if str(one.claim_id) == made["id"])

    async def token(self, validation_id: str) -> str:
        ((number, sealed_by),) = await self.rows(
            f"SELECT number, sealed_by FROM pix_key_validations WHERE id = '{validation_id}'"
        )
        return self.codes.code(UUID(validation_id), number, sealed_by) or ""

    async def key(self) -> str:
        """The phone as a key of Ana's; its id."""
        made = said(await self.run("create_key", self._create(), 202))
        validation_id = made["validationId"]
        verb = ConfirmKey(
            self.ana.account_id, UUID(validation_id), await self.token(validation_id), self.registry, self.codes
        )
        return str(said(await self.run("confirm_key", verb, 201))["id"])

    def _create(self) -> CreateKey:
        return CreateKey(self.ana.account_id, "PHONE", self.phone, None, self.registry, self.codes)

    async def claimed(self, kind: str) -> ClaimNews:
        """Another bank claims the phone, and has been told that we know."""
        news = self.claims.knows(claim_news(self.phone, "PHONE", claim_type=kind))
        assert await self.says(news) == "handled"
        assert await self.says(news, status="WAITING_RESOLUTION") == "handled"
        return news

    async def says(self, news: ClaimNews, **more: Any) -> str:
        return await told(self.cast, self.ana, msgspec.structs.replace(news, **more))

    async def decide(self, news: ClaimNews, decision: str) -> Reply | Refused:
        asked = said(await self.run("request_key_claim_code", self.request(news), 202))
        return await self.answer(news, asked["validationId"], await self.token(asked["validationId"]), decision)

    def request(self, news: ClaimNews) -> RequestCode:
        return RequestCode(self.ana.account_id, news.claim_id, self.codes, ALL)

    async def answer(self, news: ClaimNews, validation_id: str, token: str, decision: str) -> Reply | Refused:
        answer = ClaimDecision(UUID(validation_id), token, decision)
        return await self.run(
            "answer_key_claim", Decide(self.ana.account_id, news.claim_id, answer, self.claims, self.codes)
        )

    async def fall(self, news: ClaimNews) -> bool:
        """Its time is looked at; whether that did anything."""
        done = await self.cast.runner.act(self.ana.company_id, Fall(news.claim_id))
        return isinstance(done, Done) and done.write is not None

    async def stands(self, news: ClaimNews) -> str:
        ((status,),) = await self.rows(f"SELECT status FROM key_claims WHERE id = '{news.claim_id}'")
        return str(status)

    async def orders(self, news: ClaimNews) -> list[tuple[str, str | None]]:
        """What the directory is to be told by itself, in order."""
        rows = await self.rows(f"SELECT kind, body FROM outbox WHERE reference_id = '{news.claim_id}' ORDER BY id")
        return [(kind, port.claim_task(body).reason) for kind, body in rows]

    async def keys(self) -> list[tuple[Any, ...]]:
        return await self.rows(f"SELECT status, claim_id FROM pix_keys WHERE key = '{self.phone}' ORDER BY created_at")

    async def rows(self, sql: str) -> list[tuple[Any, ...]]:
        async with self.cast.database.session(self.ana.company_id) as session:
            return [tuple(row) for row in await session.fetch(sql)]


@pytest.fixture
async def desk(cast: Cast) -> Desk:
    return Desk(cast, await cast.found("Ana", replace(ANA, document_number=company())))


async def test_an_ownership_is_claimed_proved_twice_and_won(desk: Desk) -> None:
    news = await desk.opened()
    for status in ("WAITING_RESOLUTION", "CONFIRMED"):
        assert await desk.says(news, status=status, completion_at=datetime.now(UTC) + timedelta(days=7)) == "handled"
    assert await desk.says(news, status="CONFIRMED") == "known"
    # Seven days are left until its completion period ends: no code is sent, and nobody can complete it.
    assert no(await desk.run("request_key_claim_code", desk.request(news), 202)) == ("CONFLICT", ("status", "CONFLICT"))
    assert await awaits(desk, news) == [False] * 2
    await desk.rows("UPDATE key_claims SET completion_at = now() RETURNING 1")
    assert await awaits(desk, news) == [True] * 2
    desk.claims.is_lost = True
    asked = said(await desk.run("request_key_claim_code", desk.request(news), 202))["validationId"]
    token = await desk.token(asked)
    assert no(await desk.answer(news, asked, token, "CONFIRM")) == ("UNAVAILABLE",)
    assert (await desk.stands(news), await desk.keys()) == ("CONFIRMED", [])
    # The directory's word is quicker than the second request: that finds it done, and asks nothing more.
    assert await desk.says(news, status="COMPLETED") == "handled"
    desk.claims.is_lost = False
    won = said(await desk.answer(news, asked, token, "CONFIRM"))
    assert (won["status"], won["keyId"] is not None, await desk.keys()) == ("COMPLETED", True, [("ACTIVE", None)])
    assert [act for act, _, _ in desk.claims.asked] == ["open", port.CLAIM_COMPLETE]
    assert no(await desk.answer(news, asked, token, "CONFIRM")) == ("INVALID", ("validationId", "EXPIRED"))
    assert await desk.says(news, status="COMPLETED") == "known"


async def test_a_key_that_is_claimed_has_its_room(desk: Desk) -> None:
    """A person may have five: the one that may come by a claim is one of them."""
    desk.ana = await desk.cast.found("Dora", DORA)
    await desk.opened()

    async def another() -> Reply | Refused:
        random = CreateKey(desk.ana.account_id, "RANDOM", None, None, desk.registry, desk.codes)
        return await desk.run("create_key", random, 201)

    for _ in range(3):  # and the one that an account is founded with
        said(await another())
    assert no(await another()) == ("INVALID", ("key", "LIMIT_EXCEEDED"))


async def test_a_portability_completes_itself(desk: Desk) -> None:
    news = await desk.opened("PORTABILITY")
    for status in ("WAITING_RESOLUTION", "CONFIRMED", "CONFIRMED"):
        await desk.says(news, status=status)
    assert await desk.orders(news) == [(port.CLAIM_COMPLETE, None)]
    assert no(await desk.run("request_key_claim_code", desk.request(news), 202)) == ("CONFLICT", ("status", "CONFLICT"))
    assert await desk.says(news, status="COMPLETED") == "handled"
    assert await desk.keys() == [("ACTIVE", None)]


async def test_an_answer_that_was_lost_is_asked_again_under_the_same_id(desk: Desk) -> None:
    validation_id = said(await desk.open())["validationId"]
    token = await desk.token(validation_id)
    desk.claims.is_lost = True
    assert no(await desk.confirm(validation_id, token)) == ("UNAVAILABLE",)
    desk.claims.is_lost = False
    (news,) = desk.claims.made.values()
    # A crash in between: the stream tells of a claim that nobody here has written.
    assert await desk.says(news, status="WAITING_RESOLUTION") == "handled"
    made = said(await desk.confirm(validation_id, token))
    assert (made["id"], made["status"]) == (str(news.claim_id), "WAITING_RESOLUTION")
    assert len(desk.claims.asked) == 1
    assert said(await desk.open())["id"] == str(news.claim_id)  # the same, asked for again
    assert no(await desk.open("PORTABILITY")) == ("CONFLICT", ("key", "CONFLICT"))
    assert (
        said(await desk.run("cancel", CancelClaim(desk.ana.account_id, news.claim_id, desk.claims)))["status"] == "CANCELLED"
    )
    validation_id = said(await desk.open())["validationId"]
    await desk.confirm(validation_id, await desk.token(validation_id))
    (first, *_, last) = [asked for act, asked, _ in desk.claims.asked if act == "open"]
    assert first != last  # a claim that has ended is not asked for again


async def test_of_many_confirmations_one_opens(desk: Desk) -> None:
    validation_id = said(await desk.open())["validationId"]
    token = await desk.token(validation_id)
    outcomes = await asyncio.gather(*(desk.confirm(validation_id, token) for _ in range(5)))
    opened = [said(one)["id"] for one in outcomes if isinstance(one, Reply)]
    assert len({*opened}) == 1
    assert len(desk.claims.made) == 1
    assert await desk.rows("SELECT count(*) FROM key_claims") == [(1,)]


async def test_a_proof_of_a_key_held_elsewhere_opens_a_claim_for_half_an_hour(desk: Desk) -> None:
    desk.registry.says = Permanent("EntryKeyOwnedByDifferentPerson", "no")
    made = said(await desk.run("create_key", desk._create(), 202))["validationId"]
    verb = ConfirmKey(desk.ana.account_id, UUID(made), await desk.token(made), desk.registry, desk.codes)
    assert no(await desk.run("confirm_key", verb, 201)) == ("INVALID", ("key", "CONFLICT"))
    opened = await desk.open()
    assert isinstance(opened, Reply)
    assert (opened.status, said(opened)["status"]) == (201, "OPEN")
    now = datetime.now(UTC)
    async with desk.cast.database.session(desk.ana.company_id) as session:
        of = (session, desk.ana.company_id, desk.ana.account_id, desk.phone)
        assert await proof_of(*of, now + timedelta(minutes=29)) is not None
        assert await proof_of(*of, now + timedelta(minutes=31)) is None


@pytest.mark.parametrize(
    ("kind", "decision", "reason", "status"),
    [
        ("PORTABILITY", "CONFIRM", "USER_REQUESTED", "CONFIRMED"),
        ("PORTABILITY", "CANCEL", "USER_REQUESTED", "CANCELLED"),
        ("CLAIM_OWNERSHIP", "CONFIRM", "USER_REQUESTED", "CONFIRMED"),
        ("CLAIM_OWNERSHIP", "CANCEL", "FRAUD", "CANCELLED"),
    ],
)
async def test_the_donor_decides(desk: Desk, kind: str, decision: str, reason: str, status: str) -> None:
    key_id = await desk.key()
    news = await desk.claimed(kind)
    assert await desk.keys() == [("ACTIVE", news.claim_id)]
    delete = EndKey(desk.ana.account_id, UUID(key_id), USER_REQUESTED, desk.registry)
    assert no(await desk.run("delete_key", delete)) == ("CONFLICT", ("status", "CONFLICT"))
    assert desk.registry.deleted == []
    answered = said(await desk.decide(news, decision))
    assert (answered["status"], answered["reason"]) == (status, reason)
    assert [(act, why) for act, _, why in desk.claims.asked] == [
        (port.CLAIM_CONFIRM if decision == "CONFIRM" else port.CLAIM_CANCEL, reason)
    ]
    assert await desk.keys() == [("ACTIVE" if status == "CANCELLED" else "DELETED", None)]
    is_here = await desk.rows(f"SELECT 1 FROM own_keys WHERE key = '{desk.phone}'") != []
    assert is_here is (status == "CANCELLED")
    if status == "CONFIRMED":
        assert await desk.says(news, status="COMPLETED") == "handled"
        assert await desk.keys() == [("DELETED", None)]


@pytest.mark.parametrize(
    ("kind", "told_", "status", "key"),
    [
        ("PORTABILITY", (port.CLAIM_CANCEL, "DEFAULT_OPERATION"), "CANCELLED", "ACTIVE"),
        ("CLAIM_OWNERSHIP", (port.CLAIM_CONFIRM, "DEFAULT_OPERATION"), "CONFIRMED", "DELETED"),
    ],
)
async def test_a_donor_who_is_silent(desk: Desk, kind: str, told_: tuple[str, str], status: str, key: str) -> None:
    await desk.key()
    news = await desk.claimed(kind)
    assert not await desk.fall(news)
    await desk.rows(
        "UPDATE key_claims SET due_at = now() - interval '1 second', resolution_at = now() - interval '1 second'"
    )
    assert [await desk.fall(news) for _ in range(2)] == [True, False]
    assert await desk.orders(news) == [(port.CLAIM_ACKNOWLEDGE, None), told_]
    # Our word is on its way: nobody can say another one, and the status is the directory's to tell.
    assert no(await desk.run("request_key_claim_code", desk.request(news), 202)) == ("CONFLICT", ("status", "CONFLICT"))
    assert await desk.stands(news) == "WAITING_RESOLUTION"
    assert await desk.says(news, status=status, reason="DEFAULT_OPERATION") == "handled"
    assert [row[0] for row in await desk.keys()] == [key]


async def test_a_default_that_the_directory_refuses_leaves_the_decision_to_the_holder(desk: Desk) -> None:
    await desk.key()
    news = await desk.claimed("PORTABILITY")
    await desk.rows("UPDATE key_claims SET due_at = now()")
    assert await desk.fall(news)
    assert await awaits(desk, news) == [False] * 2
    await desk.rows("UPDATE outbox SET outcome = 'refused', due_at = NULL, done_at = now() WHERE kind = 'claim.cancel'")
    assert await awaits(desk, news) == [True] * 2
    assert said(await desk.decide(news, "CANCEL"))["status"] == "CANCELLED"


async def awaits(desk: Desk, news: ClaimNews) -> list[bool]:
    """Whether the claim awaits a decision, as it is read and listed."""
    account = desk.ana.account_id
    reads: list[Verb[Any]] = [ReadClaim(account, news.claim_id), ListClaims(account, None, Page())]
    bodies = [said(await desk.cast.run(desk.ana.client, verb)) for verb in reads]
    return [one["awaitsDecision"] for body in bodies for one in body.get("data", [body])]


async def test_nobody_decides_in_the_minute_before_the_default_is_told(desk: Desk) -> None:
    await desk.key()
    news = await desk.claimed("PORTABILITY")
    asked = said(await desk.run("request_key_claim_code", desk.request(news), 202))["validationId"]
    await desk.rows("UPDATE key_claims SET due_at = now() + interval '30 seconds'")
    assert not await desk.fall(news)
    late = await desk.answer(news, asked, await desk.token(asked), "CONFIRM")
    assert (no(late), desk.claims.asked) == (("CONFLICT", ("status", "CONFLICT")), [])


async def test_a_claimer_who_does_not_prove_possession_again(desk: Desk) -> None:
    news = await desk.opened()
    for status in ("WAITING_RESOLUTION", "CONFIRMED"):
        await desk.says(news, status=status, completion_at=datetime.now(UTC) - timedelta(days=14))
    assert not await desk.fall(news), "the end of the completion period cancels nothing: it begins the claimer's time"
    ((days,),) = await desk.rows("SELECT extract(epoch FROM due_at - resolution_at) / 86400 FROM key_claims")
    assert float(days) == pytest.approx(23 + 1 / 1440), "30 days after the opening, and a minute"
    await desk.rows("UPDATE key_claims SET due_at = now() RETURNING 1")
    assert await desk.fall(news)
    assert await desk.orders(news) == [(port.CLAIM_CANCEL, "DEFAULT_OPERATION")]


async def test_wrong_codes_are_counted_and_proofs_serve_one_purpose(desk: Desk) -> None:
    await desk.key()
    news = await desk.claimed("PORTABILITY")
    asked = said(await desk.run("request_key_claim_code", desk.request(news), 202))["validationId"]
    right = await desk.token(asked)
    wrong = f"{(int(right) + 1) % 10**6:06d}"
    assert no(await desk.confirm(asked, right)) == ("INVALID", ("validationId", "INVALID"))
    verb = ConfirmKey(desk.ana.account_id, UUID(asked), right, desk.registry, desk.codes)
    assert no(await desk.run("confirm_key", verb)) == ("INVALID", ("validationId", "INVALID"))
    for purpose, claim_id in ((FOR_CLAIM, None), (FOR_ANSWER, uuid4())):
        resend = ResendCode(desk.ana.account_id, UUID(asked), purpose, claim_id)
        assert no(await desk.run("resend", resend)) == ("INVALID", ("validationId", "INVALID"))
    answers = [no(await desk.answer(news, asked, wrong, "CONFIRM"))[1] for _ in range(5)]
    assert answers == [("token", "INVALID")] * 4 + [("token", "EXPIRED")]
    assert no(await desk.answer(news, asked, right, "CONFIRM")) == ("INVALID", ("token", "EXPIRED"))
    assert desk.claims.asked == []


@pytest.mark.parametrize(
    ("says", "answer"),
    [
        (Transient("silent"), ("UNAVAILABLE",)),
        (Permanent("ClaimOperationInvalid", "no"), ("CONFLICT", ("status", "CONFLICT"))),
    ],
)
async def test_a_directory_that_does_not_do_it(desk: Desk, says: Any, answer: tuple[Any, ...]) -> None:
    await desk.key()
    news = await desk.claimed("PORTABILITY")
    desk.claims.says = says
    assert no(await desk.decide(news, "CONFIRM")) == answer
    assert (await desk.stands(news), await desk.keys()) == ("WAITING_RESOLUTION", [("ACTIVE", news.claim_id)])


async def test_what_the_directory_says_that_cannot_be(desk: Desk) -> None:
    await desk.key()
    assert await desk.says(claim_news("+5511900000000", "PHONE")) == "alarmed"  # no key of ours
    assert await desk.says(claim_news("+5511900000000", "PHONE", account="none")) == "alarmed"
    news = await desk.claimed("PORTABILITY")
    assert await desk.says(news, status="OPEN") == "known"
    assert await desk.keys() == [("ACTIVE", news.claim_id)]


async def test_a_closed_account_lets_its_claims_go(desk: Desk) -> None:
    await desk.key()
    given = await desk.claimed("PORTABILITY")
    wanted = claim_news("+5511911111111", "PHONE", claim_type="CLAIM_OWNERSHIP", account=desk.ana.account_number)
    assert await desk.says(wanted) == "handled"
    await desk.cast.account_becomes(desk.ana.company_id, "CLOSED")
    ((request_id,),) = await desk.rows("SELECT id FROM account_close_requests")
    clear = Clear(request_id, PLACE, desk.registry)
    for _ in range(4):
        await desk.cast.runner.act(desk.ana.company_id, clear)
    assert (await desk.orders(given))[1:] == [(port.CLAIM_CONFIRM, "ACCOUNT_CLOSURE")]
    assert await desk.orders(wanted) == [(port.CLAIM_CANCEL, "ACCOUNT_CLOSURE")]
    state = "SELECT status FROM account_close_requests"
    assert await desk.rows(state) == [("REQUESTED",)]
    await desk.says(wanted, status="CANCELLED", reason="ACCOUNT_CLOSURE")
    for status in ("CONFIRMED", "COMPLETED"):
        await desk.says(given, status=status)
    for _ in range(2):
        await desk.cast.runner.act(desk.ana.company_id, clear)
    assert (await desk.rows(state), [row[0] for row in await desk.keys()]) == ([("COMPLETED",)], ["DELETED"])


async def test_claims_are_read_and_listed(desk: Desk) -> None:
    first = await desk.opened()
    page = said(await desk.cast.run(desk.ana.client, ListClaims(desk.ana.account_id, None, Page())))
    assert [one["id"] for one in page["data"]] == [str(first.claim_id)]
    none = said(await desk.cast.run(desk.ana.client, ListClaims(desk.ana.account_id, "COMPLETED", Page())))
    assert none["data"] == []
    shown = said(await desk.cast.run(desk.ana.client, ReadClaim(desk.ana.account_id, first.claim_id)))
    assert (shown["role"], shown["status"], shown["awaitsDecision"]) == ("CLAIMER", "OPEN", False)
    assert no(await desk.cast.run(desk.ana.client, ReadClaim(desk.ana.account_id, uuid4()))) == ("NOT_FOUND",)
