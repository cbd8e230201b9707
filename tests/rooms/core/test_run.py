"""How a request becomes an answer: who may ask, what is answered under a key, and what happens when the world moves."""

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import PLACE, Cast, Client, Seller
from tests.rooms.core.verbs import Already, Pay, Refuse, Tell, born_order, count

from lastro.core.commit import commit
from lastro.core.errors import InsufficientFunds, Kind, Refused, Stale
from lastro.core.money import Money
from lastro.core.retry import TRIES
from lastro.core.runner import Done, Reply, RequestContext
from lastro.core.write import Relied, Row, Write
from lastro.ledger import balances_of
from lastro.orders.actions.create import MakeOrder
from lastro.orders.actions.destinations import Destinations
from lastro.orders.forms import CreateOrder


def yes(answer: Reply | Refused) -> Reply:
    assert isinstance(answer, Reply), answer
    return answer


def no(answer: Reply | Refused) -> Refused:
    assert isinstance(answer, Refused), answer
    return answer


def issues(refused: Refused) -> list[tuple[str, str]]:
    return [(p.field, p.issue) for p in refused.problems]


def create(ana: Seller, external_id: str) -> MakeOrder:
    raw = {
        "order": {"externalId": external_id, "paymentMethod": "PIX", "description": "Flores", "notificationUrl": "https://ana.example/h"},
        "customer": {"name": "Bento", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "11144477735"}, "email": "b@example.com"},
    }  # fmt: skip
    form = msgspec.convert(raw, CreateOrder)
    return MakeOrder(ana.company_id, form, Money(1000, "BRL"), None, PLACE, Destinations())


# Who may ask.


@pytest.fixture
async def warm(cast: Cast, ana: Seller) -> Seller:
    """Ana, whose rights and whose clock the runner remembers: its next answer may come from memory."""
    yes(await cast.run(ana.client, Tell("remembered")))
    told = Tell("remembered")
    yes(await cast.run(ana.client, told))
    assert (told.reads, told.decided) == (0, ["remembered"]), "the answer came from memory"
    return ana


@pytest.mark.parametrize("raised", [1, 0])
async def test_a_revoked_client_is_refused_at_once(cast: Cast, warm: Seller, inside: Any, raised: int) -> None:
    """Also by a hand that forgot to raise the version: the write itself looks at the client."""
    revoke = "UPDATE clients SET revoked_at = machine_now(), version = version + $2 WHERE client_id = $1"
    await inside.execute(revoke, warm.client.client_id, raised)
    before = await count(cast, warm, "events")
    for remembered in ("remembered", None):
        assert no(await cast.run(warm.client, Tell(remembered))).kind is Kind.UNAUTHORIZED
    assert await count(cast, warm, "events") == before


async def test_a_client_revoked_while_the_verb_decides_writes_nothing(cast: Cast, ana: Seller, inside: Any) -> None:
    async def revoke() -> None:
        await inside.execute(
            "UPDATE clients SET revoked_at = machine_now(), version = version + 1 WHERE client_id = $1", ana.client.client_id
        )

    assert no(await cast.run(ana.client, Tell(meanwhile=revoke))).kind is Kind.UNAUTHORIZED
    assert await count(cast, ana, "events") == 0


async def test_a_token_older_than_the_company_allows_is_refused(cast: Cast, warm: Seller, inside: Any) -> None:
    await inside.execute(
        "UPDATE clients SET tokens_valid_after = machine_now(), version = version + 1 WHERE client_id = $1",
        warm.client.client_id,
    )
    for remembered in ("remembered", None):
        assert no(await cast.run(warm.client, Tell(remembered))).kind is Kind.UNAUTHORIZED
    yes(await cast.run(replace(warm.client, token_issued_at=time.time() + 1), Tell()))


async def test_a_right_that_was_taken_away_is_gone_at_once(cast: Cast, warm: Seller, inside: Any) -> None:
    await inside.execute(
        "UPDATE clients SET permissions = '{orders:read}', version = version + 1 WHERE client_id = $1", warm.client.client_id
    )
    assert no(await cast.run(warm.client, Tell("remembered"))).kind is Kind.FORBIDDEN
    yes(await cast.run(warm.client, Tell("remembered"), permission="orders:read"))


async def test_a_right_that_was_given_counts_at_once(cast: Cast, ana: Seller, inside: Any) -> None:
    caio = await cast.caio(ana)
    assert no(await cast.run(caio, Tell("remembered"))).kind is Kind.FORBIDDEN
    await inside.execute(
        "UPDATE clients SET permissions = '{orders:write}', version = version + 1 WHERE client_id = $1", caio.client_id
    )
    yes(await cast.run(caio, Tell("remembered")))


async def test_strangers_are_refused(cast: Cast, ana: Seller) -> None:
    dora = await cast.dora()
    strangers = (
        replace(ana.client, client_id="lc_nobody"),
        replace(dora.client, company_id=ana.company_id),
        replace(ana.client, company_id=UUID(int=404)),
    )
    for stranger in strangers:
        told = Tell("remembered")
        assert no(await cast.run(stranger, told, key="k")).kind is Kind.UNAUTHORIZED
        assert told.decided == []
    assert await count(cast, ana, "events") == 0


async def test_who_may_not_ask_learns_nothing_of_an_answer(cast: Cast, ana: Seller) -> None:
    caio = await cast.caio(ana)
    yes(await cast.run(ana.client, Tell(), key="k"))
    assert no(await cast.run(caio, Tell(), key="k")) == Refused(Kind.FORBIDDEN)


# Keys.


async def test_the_same_key_gives_the_same_answer(cast: Cast, ana: Seller) -> None:
    first = yes(await cast.run(ana.client, Tell(), key="k", status=201))
    for _ in range(2):
        told = Tell("remembered")
        again = yes(await cast.run(ana.client, told, key="k", status=201))
        assert (again.status, again.body, again.replayed) == (201, first.body, True)
    assert not first.replayed
    assert await count(cast, ana, "events") == 1


async def test_a_key_is_of_one_operation_and_one_company(cast: Cast, ana: Seller) -> None:
    dora = await cast.dora()
    answers = [
        yes(await cast.run(ana.client, Tell(), key="k")),
        yes(await cast.run(ana.client, Tell(), key="k", operation="other")),
        yes(await cast.run(dora.client, Tell(), key="k")),
        yes(await cast.run(ana.client, Tell())),
    ]
    assert len({a.body for a in answers}) == 4


async def test_another_request_under_a_key_is_a_conflict(cast: Cast, ana: Seller) -> None:
    yes(await cast.run(ana.client, Tell(), key="k"))
    for remembered in ("remembered", None):
        refused = no(await cast.run(ana.client, Tell(remembered), key="k", request=b"other"))
        assert (refused.kind, issues(refused)) == (Kind.CONFLICT, [("idempotency-key", "CONFLICT")])
    assert await count(cast, ana, "events") == 1


async def test_a_forgotten_answer_still_says_what_it_made(cast: Cast, ana: Seller) -> None:
    first = yes(await cast.run(ana.client, Tell(), key="k"))
    async with cast.database.session(ana.company_id) as session:
        await session.fetch("UPDATE answers SET body = NULL")
        refused = no(await cast.run(ana.client, Tell(), key="k"))
        await session.fetch("UPDATE answers SET body = ''")  # it was before its time
    assert (refused.kind, issues(refused)) == (Kind.CONFLICT, [("idempotency-key", "DUPLICATE")])
    assert msgspec.json.decode(first.body)["id"] in refused.problems[0].description


async def test_a_no_is_not_kept_under_its_key(cast: Cast, ana: Seller) -> None:
    no(await cast.run(ana.client, Refuse(), key="k"))
    yes(await cast.run(ana.client, Tell(), key="k"))


FIFTY = 50


@pytest.mark.parametrize("remembered", ["remembered", None], ids=["from memory", "read"])
async def test_fifty_equal_calls_at_once_make_one_object(cast: Cast, ana: Seller, remembered: str | None) -> None:
    yes(await cast.run(ana.client, Tell(), key="warm"))
    answers = await asyncio.gather(*(cast.run(ana.client, Tell(remembered), key="k") for _ in range(FIFTY)))
    assert len({yes(a).body for a in answers}) == 1
    assert sum(not yes(a).replayed for a in answers) == 1
    assert await count(cast, ana, "events WHERE type = 'TEST'") == 2


async def test_fifty_equal_orders_at_once_are_one_order(cast: Cast, ana: Seller) -> None:
    """They meet at the externalId before they meet at the key; what they hear is the answer, not that it is taken."""
    answers = await asyncio.gather(
        *(cast.run(ana.client, create(ana, "flowers"), operation="create_order", key="k") for _ in range(FIFTY))
    )
    assert len({yes(a).body for a in answers}) == 1
    assert await count(cast, ana, "orders") == 1
    refused = no(await cast.run(ana.client, create(ana, "flowers"), operation="create_order", key="another"))
    assert (refused.kind, issues(refused)) == (Kind.CONFLICT, [("order.externalId", "DUPLICATE")])


async def test_fifty_equal_draws_at_once_draw_once(cast: Cast, ana: Seller) -> None:
    """There is money for one of them; the others hear its answer, not that there is too little."""
    await cast.credit(ana, 100)
    answers = await asyncio.gather(*(cast.run(ana.client, Pay(cast, ana, 100), key="k") for _ in range(FIFTY)))
    assert len({yes(a).body for a in answers}) == 1
    async with cast.database.session(ana.company_id) as session:
        (balance,) = await balances_of(session, ana.company_id, [ana.account_id], "BRL")
    assert balance.available == Money(0, "BRL")


@pytest.mark.parametrize("found", [Refuse, Already])
async def test_what_an_equal_call_has_caused_is_told_in_its_words(cast: Cast, ana: Seller, found: type[Tell]) -> None:
    """The equal call commits after this one has looked for an answer and before it has decided."""
    first: list[Reply] = []

    async def equal_call() -> None:
        first.append(yes(await cast.run(ana.client, Tell(), key="k")))

    again = yes(await cast.run(ana.client, found(meanwhile=equal_call), key="k"))
    assert (again.body, again.replayed) == (first[0].body, True)


async def test_a_key_that_is_being_worked_on_is_busy(database: Any) -> None:
    cast = Cast.of(database.app, settings={"lock_timeout": "100ms"})
    ana = await cast.ana()
    other = await database.connect_to(ana.company_id)
    holding = other.transaction()
    await holding.start()
    await other.execute(
        "INSERT INTO answers (company_id, operation, key, fingerprint, status, body, object_id, keep, created_at)"
        " VALUES ($1, 'act', 'k', 'same', 200, '{}', $1, 'week', now())", ana.company_id
    )  # fmt: skip
    for remembered in (None, "remembered"):
        refused = no(await cast.run(ana.client, Tell(remembered), key="k"))
        assert (refused.kind, issues(refused), refused.retry_after_seconds) == (
            Kind.CONFLICT,
            [("idempotency-key", "CONFLICT")],
            1,
        )
    assert await count(cast, ana, "events") == 0
    await holding.rollback()
    yes(await cast.run(ana.client, Tell(), key="k"))
    await other.close()
    await cast.close()


async def test_a_lock_that_is_held_too_long_is_nobodys_key(database: Any) -> None:
    cast = Cast.of(database.app, settings={"lock_timeout": "50ms"})
    ana = await cast.ana()
    other = await database.connect_to(ana.company_id)
    await cast.credit(ana, 100)
    async with other.transaction():
        await other.execute("SELECT 1 FROM balances FOR UPDATE")
        with pytest.raises(Stale):
            await cast.run(ana.client, Pay(cast, ana, 100))
    yes(await cast.run(ana.client, Pay(cast, ana, 100)))
    await other.close()
    await cast.close()


# When the world moves.


async def test_what_moved_meanwhile_is_decided_again(cast: Cast, ana: Seller) -> None:
    moved: list[int] = []

    async def once() -> None:
        if not moved:
            moved.append(1)
            await cast.account_becomes(ana.company_id, "INACTIVE")

    def relies(context: RequestContext) -> Write:
        return Write(context.company_id, relies=(Relied("accounts", ana.account_id, 1 + len(told.decided[1:])),))

    told = Tell(meanwhile=once, with_parts=relies)
    yes(await cast.run(ana.client, told))
    assert (told.reads, len(told.decided)) == (2, 2)
    assert await count(cast, ana, "events") == 1 + len(moved), "one of the account, one of what was decided"


async def test_what_is_always_overtaken_is_left_to_the_client(cast: Cast, ana: Seller) -> None:
    told = Tell(with_parts=lambda context: Write(context.company_id, relies=(Relied("accounts", ana.account_id, 9),)))
    with pytest.raises(Stale):
        await cast.run(ana.client, told)
    assert len(told.decided) == TRIES
    with pytest.raises(Stale):
        await cast.runner.act(ana.company_id, told)
    assert await count(cast, ana, "events") == 0


async def test_a_taken_instant_is_decided_again_with_the_next(cast: Cast, ana: Seller) -> None:
    taken = datetime.now(UTC)
    await commit(cast.database, Write(ana.company_id, rows=born_order(ana, cast.id(), taken)))
    instants = [taken]

    def order(context: RequestContext) -> Write:
        return Write(context.company_id, rows=born_order(ana, cast.id(), instants.pop() if instants else context.now))

    told = Tell(with_parts=order)
    yes(await cast.run(ana.client, told))
    assert len(told.decided) == 2
    assert await count(cast, ana, "orders") == 2


async def test_a_step_of_the_clock_is_never_missed(cast: Cast, warm: Seller) -> None:
    instants: list[datetime] = []

    def note(context: RequestContext) -> Write:
        instants.append(context.now)
        return Write(context.company_id)

    async def step(days: int) -> None:
        async with cast.database.session() as session:
            sql = "UPDATE clock SET offset_us = offset_us + $1, version = version + sign($1)::int"
            await session.fetch(sql, days * 86_400_000_000)

    await step(1)
    try:
        told = Tell("remembered", with_parts=note)
        yes(await cast.run(warm.client, told))
        assert told.decided == ["remembered", "read"]
        assert instants[1] - instants[0] > timedelta(hours=23)
        told = Tell("remembered", with_parts=note)
        yes(await cast.run(warm.client, told))
        assert told.decided == ["remembered"], "the new time is remembered"
        assert abs(instants[2] - instants[1]) < timedelta(minutes=1)
    finally:  # other tests of this database look whether its clock was stepped
        await step(-1)


async def test_a_memory_that_says_no_is_looked_at_afresh(cast: Cast, warm: Seller) -> None:
    class Careful(Tell):
        def decide(self, known: str, context: RequestContext) -> Done | Refused:
            done = super().decide(known, context)
            return Refused(Kind.CONFLICT) if known == "remembered" else done

    told = Careful("remembered")
    yes(await cast.run(warm.client, told))
    assert told.decided == ["remembered", "read"]


async def test_what_fails_from_memory_is_looked_at_afresh(cast: Cast, warm: Seller) -> None:
    now = datetime.now(UTC)
    taken = {
        "id": cast.id(), "account_id": warm.account_id, "type": "RANDOM", "key": warm.pix_key, "status": "ACTIVE",
        "created_at": now, "updated_at": now, "possessed_at": now,
    }  # fmt: skip
    failures = (
        Write(warm.company_id, transfers=(cast.transfer(warm.customer, warm.clearing, 1),)),
        Write(warm.company_id, rows=(Row("pix_keys", taken),)),
    )
    for failure in failures:
        parts = [failure]

        def fails_once(context: RequestContext, parts: list[Write] = parts) -> Write:
            return parts.pop() if parts else Write(context.company_id)

        told = Tell("remembered", with_parts=fails_once)
        yes(await cast.run(warm.client, told))
        assert told.decided == ["remembered", "read"]


async def test_what_was_committed_is_told_to_who_listens(cast: Cast, ana: Seller) -> None:
    heard: list[Write] = []
    runner = cast.another_process()
    runner._on_commit = heard.append
    yes(await runner.run(ana.client.call(key="k"), Tell()))
    yes(await runner.run(ana.client.call(key="k"), Tell()))
    no(await runner.run(ana.client.call(), Refuse()))
    assert [len(w.events) for w in heard] == [1]
    await runner.act(ana.company_id, Tell())
    assert len(heard) == 2


async def test_too_little_money_is_a_problem_of_the_amount(cast: Cast, ana: Seller) -> None:
    await cast.credit(ana, 99)
    for answer in (
        await cast.run(ana.client, Pay(cast, ana, 100)),
        await cast.runner.act(ana.company_id, Pay(cast, ana, 100)),
    ):
        assert isinstance(answer, Refused)
        assert issues(answer) == [("amount", "INSUFFICIENT_FUNDS")]
    paid = Pay(cast, ana, 100).decide(None, RequestContext(ana.company_id, datetime.now(UTC), cast.chance))
    with pytest.raises(InsufficientFunds):
        await commit(cast.database, paid.write or Write(ana.company_id))


async def test_a_client_of_another_company_founded_here_stays_there(cast: Cast, ana: Seller) -> None:
    dora = await cast.dora()
    callers: list[Client] = [ana.client, dora.client]
    await asyncio.gather(*(cast.run(callers[n % 2], Tell()) for n in range(40)))
    assert (await count(cast, ana, "events"), await count(cast, dora, "events")) == (20, 20)
