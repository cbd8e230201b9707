"""Keys on real rows: one proof makes one key, whatever comes at once, is lost on the way or is tried again."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from tests.cast import ANA, DORA, Cast, Seller

from lastro.api_kit.paging import Page
from lastro.core.errors import Refused
from lastro.core.runner import Reply, RequestContext, Verb
from lastro.keys import ACCOUNT_CLOSURE, Codes, EndKey, ExpireValidation
from lastro.keys.actions.create import CreateKey
from lastro.keys.actions.list import ListKeys
from lastro.keys.actions.prove import ConfirmKey, ProveKeyContext, ResendCode
from lastro.keys.model import USER_REQUESTED
from lastro.rails.port import CODE_SEND, Permanent, Transient

from .registry import Registry

SPENT = "UPDATE pix_key_validations SET sent_at = sent_at - interval '61 s'"


@dataclass
class Desk:
    """Ana's company, as it asks for keys."""

    cast: Cast
    ana: Seller
    registry: Registry = field(default_factory=Registry)
    mail: str = field(default_factory=lambda: f"{uuid4()}@example.com")

    @property
    def codes(self) -> Codes:
        return Codes(self.cast.key_ring)

    async def run(self, operation: str, verb: Verb[Any], key: str | None = None, status: int = 201) -> Reply | Refused:
        call = self.ana.client.call(operation, key=key, permission="keys:write", request=operation.encode(), status=status)
        return await self.cast.runner.run(call, verb)

    async def create(self, kind: str, key: str | None, under: str | None = None) -> Reply | Refused:
        verb = CreateKey(self.ana.account_id, kind, key, under, self.registry, self.codes)
        return await self.run("create_key", verb, under, 202)

    async def begin(self) -> UUID:
        return UUID(said(await self.create("EMAIL", self.mail))["validationId"])

    async def waited(self) -> UUID:
        """A validation whose next code may be sent."""
        validation_id = await self.begin()
        await self.rows(SPENT)
        return validation_id

    async def token(self, validation_id: UUID) -> str:
        (row,) = await self.rows(f"SELECT number, sealed_by FROM pix_key_validations WHERE id = '{validation_id}'")
        code = self.codes.code(validation_id, *row)
        assert code is not None
        return code

    async def confirm(self, validation_id: UUID | None, token: str, under: str | None = None) -> Reply | Refused:
        verb = ConfirmKey(self.ana.account_id, validation_id, token, self.registry, self.codes)
        return await self.run("confirm_key", verb, under or str(uuid4()))

    async def resend(self, validation_id: UUID) -> Reply | Refused:
        return await self.run("resend_key_code", ResendCode(self.ana.account_id, validation_id))

    async def delete(self, key_id: str) -> Reply | Refused:
        return await self.run("delete_key", EndKey(self.ana.account_id, UUID(key_id), USER_REQUESTED, self.registry))

    async def rows(self, sql: str) -> list[tuple[Any, ...]]:
        async with self.cast.database.session(self.ana.company_id) as session:
            return [tuple(row) for row in await session.fetch(sql)]

    async def stands(self) -> tuple[Any, ...]:
        (row,) = await self.rows("SELECT status, number, tries FROM pix_key_validations")
        return row


@dataclass(frozen=True)
class Overtaken(ConfirmKey):
    """After whose first reading other requests are answered."""

    meanwhile: list[Callable[[], Awaitable[Any]]] = field(default_factory=list)

    async def call_out(self, known: ProveKeyContext, context: RequestContext) -> ProveKeyContext | Refused:
        while self.meanwhile:
            await self.meanwhile.pop()()
        return await super().call_out(known, context)


@pytest.fixture
async def desk(cast: Cast) -> Desk:
    return Desk(cast, await cast.found("Ana", replace(ANA, document_number=company())))


def company() -> str:
    """A CNPJ that no other test has: a key leads to one account of all."""
    digits = [int(d) for d in f"{uuid4().int % 10**8:08d}0001"]
    for weights in ((5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2), (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)):
        rest = sum(w * d for w, d in zip(weights, digits, strict=True)) % 11
        digits.append(0 if rest < 2 else 11 - rest)
    return "".join(map(str, digits))


def said(outcome: Reply | Refused) -> dict[str, Any]:
    assert isinstance(outcome, Reply), outcome
    body: dict[str, Any] = msgspec.json.decode(outcome.body)
    return body


def no(outcome: Reply | Refused) -> tuple[Any, ...]:
    assert isinstance(outcome, Refused), outcome
    return outcome.kind.value, *((p.field, p.issue) for p in outcome.problems)


async def test_a_code_comes_back_and_makes_the_key(desk: Desk) -> None:
    sent = await desk.create("EMAIL", desk.mail)
    assert isinstance(sent, Reply)
    assert sent.status == 202
    validation_id = UUID(said(sent)["validationId"])
    ordered = await desk.rows(f"SELECT network_id, body FROM outbox WHERE kind = '{CODE_SEND}'")
    assert [name for name, _ in ordered] == [f"{validation_id}:1"]
    token = await desk.token(validation_id)
    assert not any(token.encode() in body or desk.mail.encode() in body for _, body in ordered)
    under = str(uuid4())
    first = await desk.confirm(validation_id, token, under)
    made = said(first)
    assert (made["type"], made["key"], desk.registry.keys[desk.mail]) == ("EMAIL", desk.mail, desk.ana.account_number)
    again = await desk.confirm(validation_id, token, under)
    assert isinstance(first, Reply)
    assert isinstance(again, Reply)
    assert (again.body, again.replayed) == (first.body, True)
    assert no(await desk.confirm(validation_id, token)) == ("INVALID", ("validationId", "EXPIRED"))
    assert no(await desk.create("EMAIL", desk.mail)) == ("CONFLICT", ("key", "DUPLICATE"))
    listed = said(await desk.run("list_keys", ListKeys(desk.ana.account_id, Page()), status=200))
    assert [one["key"] for one in listed["data"]] == [desk.mail, desk.ana.pix_key]


async def test_five_wrong_codes_end_it(desk: Desk) -> None:
    validation_id = await desk.begin()
    right = await desk.token(validation_id)
    wrong = f"{(int(right) + 1) % 10**6:06d}"
    for _ in range(4):
        assert no(await desk.confirm(validation_id, wrong)) == ("INVALID", ("token", "INVALID"))
    assert await desk.stands() == ("PENDING", 1, 4)
    assert no(await desk.confirm(validation_id, wrong)) == ("INVALID", ("token", "EXPIRED"))
    assert no(await desk.confirm(validation_id, right)) == ("INVALID", ("token", "EXPIRED"))
    assert (await desk.stands(), desk.registry.asked) == (("EXPIRED", 1, 5), [])


async def test_a_wrong_code_counts_once_under_its_key(desk: Desk) -> None:
    """Its answer may be lost on the way, and the holder has not typed it again."""
    validation_id, key = await desk.begin(), str(uuid4())
    right = await desk.token(validation_id)
    wrong = f"{(int(right) + 1) % 10**6:06d}"
    for _ in range(6):
        assert no(await desk.confirm(validation_id, wrong, under=key)) == ("INVALID", ("token", "INVALID"))
    assert await desk.stands() == ("PENDING", 1, 1)
    assert said(await desk.confirm(validation_id, right))["key"] == desk.mail


async def test_fifty_wrong_codes_at_once_are_counted_to_five(desk: Desk) -> None:
    validation_id = await desk.begin()
    wrong = f"{(int(await desk.token(validation_id)) + 1) % 10**6:06d}"
    ends = await asyncio.gather(*(desk.confirm(validation_id, wrong) for _ in range(50)), return_exceptions=True)
    told = Counter(no(one)[1] for one in ends if isinstance(one, Refused))
    assert told[("token", "INVALID")] <= 4
    while (await desk.stands())[2] < 5:  # those who lost every race were told to come back
        await desk.confirm(validation_id, wrong)
    assert await desk.stands() == ("EXPIRED", 1, 5)


async def test_a_right_code_among_many_guesses_counts_as_one_of_them(desk: Desk) -> None:
    validation_id = await desk.begin()
    right = await desk.token(validation_id)
    wrong = f"{(int(right) + 1) % 10**6:06d}"
    guesses = [wrong] * 25 + [right] + [wrong] * 24
    await asyncio.gather(*(desk.confirm(validation_id, guess) for guess in guesses), return_exceptions=True)
    said_of = "SELECT trigger FROM history WHERE machine = 'pix_key_validations' AND trigger <> 'create' ORDER BY version"
    judged = [trigger for (trigger,) in await desk.rows(said_of)]
    assert sum(trigger.startswith("mistake") for trigger in judged) <= 5
    assert bool(desk.registry.asked) is ("prove" in judged)


async def test_the_fifth_mistake_first_and_the_directory_is_not_asked(desk: Desk) -> None:
    """The right code is read before the mistakes are counted, and would be acted upon after them."""
    validation_id = await desk.begin()
    right = await desk.token(validation_id)
    wrong = f"{(int(right) + 1) % 10**6:06d}"
    verb = Overtaken(desk.ana.account_id, validation_id, right, desk.registry, desk.codes)
    verb.meanwhile.extend(partial(desk.confirm, validation_id, wrong) for _ in range(5))
    assert no(await desk.run("confirm_key", verb)) == ("INVALID", ("token", "EXPIRED"))
    assert (await desk.stands(), desk.registry.asked) == (("EXPIRED", 1, 5), [])


async def test_a_right_code_in_its_last_moment_is_in_time(desk: Desk) -> None:
    validation_id = await desk.begin()
    token = await desk.token(validation_id)
    desk.registry.is_lost = True
    assert no(await desk.confirm(validation_id, token)) == ("UNAVAILABLE",)
    await desk.rows("UPDATE pix_key_validations SET expires_at = business_now() - interval '30 seconds'")
    await desk.cast.runner.act(desk.ana.company_id, ExpireValidation(validation_id))
    desk.registry.is_lost = False
    assert said(await desk.confirm(validation_id, token))["key"] == desk.mail


async def test_fifty_right_codes_at_once_make_one_key(desk: Desk) -> None:
    validation_id = await desk.begin()
    token = await desk.token(validation_id)
    ends = await asyncio.gather(*(desk.confirm(validation_id, token) for _ in range(50)), return_exceptions=True)
    assert sum(isinstance(one, Reply) for one in ends) == 1
    # Not that the key is taken, as if somebody else were quicker.
    assert {no(one) for one in ends if isinstance(one, Refused)} == {("INVALID", ("validationId", "EXPIRED"))}
    assert (await desk.stands(), len(set(desk.registry.asked))) == (("CONFIRMED", 1, 0), 1)
    assert await desk.rows(f"SELECT count(*) FROM pix_keys WHERE key = '{desk.mail}'") == [(1,)]


async def test_another_code_kills_the_one_before_and_gives_no_tries_back(desk: Desk) -> None:
    validation_id = await desk.begin()
    old = await desk.token(validation_id)
    await desk.confirm(validation_id, f"{(int(old) + 1) % 10**6:06d}")
    assert no(await desk.resend(validation_id)) == ("CONFLICT", ("status", "CONFLICT"))
    await desk.rows(SPENT)
    assert said(await desk.resend(validation_id))["validationId"] == str(validation_id)
    new = await desk.token(validation_id)
    if old != new:  # of a million pairs, one is equal
        assert no(await desk.confirm(validation_id, old)) == ("INVALID", ("token", "INVALID"))
        assert await desk.stands() == ("PENDING", 2, 2)
    for _ in range(3):
        await desk.rows(SPENT)
        said(await desk.resend(validation_id))
    await desk.rows(SPENT)
    assert no(await desk.resend(validation_id)) == ("INVALID", ("validationId", "LIMIT_EXCEEDED"))
    said(await desk.confirm(validation_id, await desk.token(validation_id)))


async def test_five_codes_a_day_go_to_one_destination_whoever_asks(desk: Desk) -> None:
    said(await desk.resend(await desk.waited()))
    for _ in range(3):
        validation_id = await desk.waited()
    for outcome in (await desk.create("EMAIL", desk.mail), await desk.resend(validation_id)):
        assert no(outcome) == ("INVALID", ("key", "LIMIT_EXCEEDED"))
    assert await desk.rows("SELECT count(*) FROM outbox") == [(5,)]
    assert await desk.rows("SELECT kind, used_minor FROM quotas ORDER BY kind") == [("codes", 5), ("codes to", 5)]
    assert not any(desk.mail in str(row) for row in await desk.rows("SELECT owner_id, kind, period FROM quotas"))
    desk.mail = f"{uuid4()}@example.com"
    await desk.begin()
    await desk.rows("UPDATE quotas SET period = '2025-12-31'")
    said(await desk.resend(validation_id))


async def test_twenty_codes_a_day_for_an_account(desk: Desk) -> None:
    for _ in range(2):
        await desk.begin()
    await desk.rows("UPDATE quotas SET used_minor = 19 WHERE kind = 'codes'")
    sent = said(await desk.create("PHONE", "+5511987654321", "once"))
    assert said(await desk.create("PHONE", "+5511987654321", "once")) == sent
    for outcome in (await desk.create("EMAIL", f"{uuid4()}@example.com"), await desk.create("PHONE", "+5511987654322")):
        assert no(outcome) == ("INVALID", ("key", "LIMIT_EXCEEDED"))
    said(await desk.create("RANDOM", None))


async def test_a_key_that_is_decided_twice_is_registered_once(desk: Desk) -> None:
    """Without a key of idempotency, and with the client changed while the directory was asked."""

    class Slow(Registry):
        async def register_key(self, **asked: Any) -> str:
            made = await super().register_key(**asked)
            if len(self.asked) == 1:
                await desk.rows("UPDATE clients SET version = version + 1 RETURNING 1")
            return made

    desk.registry = Slow()
    first = said(await desk.create("RANDOM", None))["key"]
    assert (len(desk.registry.asked), list(desk.registry.keys)) == (2, [first])
    said(await desk.create("RANDOM", None))
    assert len(desk.registry.keys) == 2


async def test_a_code_that_is_too_old(desk: Desk) -> None:
    validation_id = await desk.begin()
    token = await desk.token(validation_id)
    await desk.cast.act(desk.ana.company_id, ListKeys(desk.ana.account_id, Page()))
    early = await desk.cast.runner.act(desk.ana.company_id, ExpireValidation(validation_id))
    assert (early.write if not isinstance(early, Refused) else early) is None
    await desk.rows("UPDATE pix_key_validations SET expires_at = business_now()")
    assert no(await desk.confirm(validation_id, token)) == ("INVALID", ("token", "EXPIRED"))
    assert no(await desk.resend(validation_id)) == ("INVALID", ("validationId", "EXPIRED"))
    await desk.rows("UPDATE pix_key_validations SET expires_at = business_now() - interval '1 minute'")
    await desk.cast.runner.act(desk.ana.company_id, ExpireValidation(validation_id))
    assert await desk.stands() == ("EXPIRED", 1, 0)
    assert no(await desk.confirm(validation_id, token)) == ("INVALID", ("token", "EXPIRED"))


async def test_a_silent_directory_is_asked_the_same_again(desk: Desk) -> None:
    validation_id = await desk.begin()
    desk.registry.is_lost = True
    token = await desk.token(validation_id)
    assert no(await desk.confirm(validation_id, token)) == ("UNAVAILABLE",)
    assert await desk.stands() == ("PENDING", 1, 0)
    desk.registry.is_lost = False
    assert said(await desk.confirm(validation_id, token))["key"] == desk.mail
    document = desk.ana.holder.document_number
    desk.registry.is_lost = True
    assert no(await desk.create("CNPJ", document)) == ("UNAVAILABLE",)
    assert no(await desk.create("RANDOM", None, "one")) == ("UNAVAILABLE",)
    desk.registry.is_lost = False
    assert said(await desk.create("CNPJ", document))["key"] == document
    said(await desk.create("RANDOM", None, "one"))
    said(await desk.create("RANDOM", None, "two"))
    times = Counter(desk.registry.asked)
    assert sorted(times.values()) == [1, 2, 2, 2]


async def test_a_key_that_is_held_elsewhere_leaves_its_proof(desk: Desk) -> None:
    validation_id = await desk.begin()
    desk.registry.says = Permanent("EntryKeyInCustodyOfDifferentParticipant", "elsewhere")
    token = await desk.token(validation_id)
    for _ in range(2):
        assert no(await desk.confirm(validation_id, token)) == ("INVALID", ("key", "CONFLICT"))
    assert (await desk.stands(), len(desk.registry.asked)) == (("CONFLICT", 1, 0), 1)


@pytest.mark.parametrize(
    ("code", "kind", "field", "issue"),
    [
        ("TaxIdNumberBlocked", "INVALID", "accountId", "NOT_ALLOWED"), ("EntryLockedByClaim", "CONFLICT", "key", "CONFLICT"),
        ("EntryLimitExceeded", "INVALID", "key", "LIMIT_EXCEEDED"), ("Whatever", "CONFLICT", "key", "CONFLICT"),
    ],
)  # fmt: skip
async def test_what_the_directory_refuses(desk: Desk, code: str, kind: str, field: str, issue: str) -> None:
    desk.registry.says = Permanent(code, "no")
    assert no(await desk.create("RANDOM", None)) == (kind, (field, issue))
    assert await desk.rows("SELECT count(*) FROM pix_keys") == [(1,)]


async def test_how_many_keys_there_may_be_and_whose(cast: Cast) -> None:
    desk = Desk(cast, await cast.found("Dora", DORA))
    assert no(await desk.create("CPF", "11144477735")) == ("INVALID", ("key", "MISMATCH"))
    for _ in range(4):
        said(await desk.create("RANDOM", None))
    assert no(await desk.create("RANDOM", None)) == ("INVALID", ("key", "LIMIT_EXCEEDED"))
    assert no(await desk.create("EMAIL", desk.mail)) == ("INVALID", ("key", "LIMIT_EXCEEDED"))


async def test_a_deleted_key_is_anybodys(desk: Desk) -> None:
    key = said(await desk.create("CNPJ", desk.ana.holder.document_number))
    desk.registry.says = Transient("silent")
    assert no(await desk.delete(key["id"])) == ("UNAVAILABLE",)
    desk.registry.says = None
    assert isinstance(await desk.delete(key["id"]), Reply)
    assert desk.registry.deleted == [(key["key"], USER_REQUESTED)] * 2
    assert no(await desk.delete(key["id"])) == ("CONFLICT", ("status", "CONFLICT"))
    assert no(await desk.delete(str(uuid4()))) == ("NOT_FOUND",)
    assert said(await desk.create("CNPJ", key["key"]))["id"] != key["id"]
    assert len(set(desk.registry.asked)) == 2


async def test_a_key_that_is_asked_for_stays_unless_its_account_is_closed(desk: Desk) -> None:
    (key_id,) = (await desk.rows("SELECT id FROM pix_keys"))[0]
    await desk.rows(
        "WITH made AS (INSERT INTO orders (company_id, id, account_id, external_id, origin, payment_method, status, currency,"
        " description, pix_key, expires_at, created_at, updated_at) SELECT tenant(), gen_random_uuid(), account_id, 'x',"
        " 'TRANSPARENT', 'PIX', 'INITIAL', 'BRL', 'Bread', key, now() + interval '1 h', now(), now() FROM pix_keys"
        " RETURNING *) INSERT INTO history (company_id, reference_id, version, machine, from_state, to_state, trigger,"
        " created_at) SELECT company_id, id, 1, 'orders', '', status, 'create', created_at FROM made"
    )
    assert no(await desk.delete(str(key_id))) == ("CONFLICT", ("status", "CONFLICT"))
    assert desk.registry.deleted == []
    closing = EndKey(desk.ana.account_id, key_id, ACCOUNT_CLOSURE, desk.registry)
    for _ in range(2):
        assert not isinstance(await desk.cast.runner.act(desk.ana.company_id, closing), Refused)
    assert await desk.rows("SELECT status FROM pix_keys") == [("DELETED",)]
    assert desk.registry.deleted == [(desk.ana.pix_key, ACCOUNT_CLOSURE)]


@pytest.mark.parametrize("kind", ["EMAIL", ANA.document_type])
async def test_a_key_at_a_companys_own_bank_is_not_registered_here(desk: Desk, kind: str) -> None:
    """A charge is made for it there: at the directory it leads to that bank."""
    key, rail = {"EMAIL": desk.mail, ANA.document_type: desk.ana.holder.document_number}[kind], f"bank{desk.ana.number}"
    await desk.cast.connect(desk.ana, rail, key)
    refused = await desk.create(kind, key)
    assert isinstance(refused, Refused)
    assert [(one.field, one.issue) for one in refused.problems] == [("key", "NOT_SUPPORTED")]
    assert await desk.rows("SELECT * FROM pix_key_validations") == []
    await desk.cast.connect(desk.ana, rail)
    assert isinstance(await desk.create(kind, key), Reply), "it has left the connection"
