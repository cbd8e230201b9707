"""Keys that change while a process runs: when they are looked at again, how often, and what stays meanwhile."""

import asyncio
import json
import os
from collections.abc import Awaitable
from typing import Any

import pytest

from lastro.companies import SCOPE, Callers, OutsideIssuer, OutsideKeys, OwnKeys, SigningKeys, TokenRefused, issue
from lastro.companies.tokens import SigningKey, jwks, new_signing_key, public_keys
from lastro.core.errors import DatabaseAway
from lastro.core.secrets import SecretUnreadable

ISSUER, OUTSIDE = "https://pay.example.com", "https://login.example.com"
COMPANY = "01890a5d-ac96-774b-bcce-b302099a8057"
NOW = 1_800_000_000
FIRST, SECOND, THIRD = (new_signing_key(os.urandom) for _ in range(3))


def keys(*tokens: SigningKey) -> SigningKeys:
    return SigningKeys(tokens, (), b"x" * 32)


def token(key: SigningKey, issuer: str = ISSUER) -> str:
    return issue(key, issuer=issuer, client_id="shop", company_id=COMPANY, now_machine=NOW, jti="j")


class World:
    """What the database and the outside issuer say, how often they were asked, and the machine's time."""

    def __init__(self, *tokens: SigningKey) -> None:
        self.now = 1000.0
        self.keys = keys(*tokens)
        self.set: bytes | None = None
        self.asked: list[str] = []
        self.failing: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def load(self) -> SigningKeys:
        self.asked.append("own")
        await self.gate.wait()
        if self.failing is not None:
            raise self.failing
        return self.keys

    async def fetch(self) -> bytes | None:
        self.asked.append("outside")
        await self.gate.wait()
        return self.set

    def own(self) -> OwnKeys:
        return OwnKeys(self.keys, self.load, ISSUER, lambda: self.now)

    def outside(self) -> OutsideKeys:
        return OutsideKeys(OutsideIssuer(OUTSIDE), self.fetch, lambda: self.now)

    def publish(self, *tokens: SigningKey) -> None:
        self.set = json.dumps(jwks(public_keys(tokens))).encode()


async def refused(asked: Awaitable[Any]) -> None:
    with pytest.raises(TokenRefused):
        await asked


async def test_a_new_key_is_looked_for_when_a_token_names_it() -> None:
    world = World(FIRST)
    own = world.own()
    callers = Callers(own)
    assert (await callers.claims(token(FIRST), NOW)).client_id == "shop"
    assert world.asked == []
    world.keys = keys(FIRST, SECOND)
    assert (await callers.claims(token(SECOND), NOW)).client_id == "shop"
    assert world.asked == ["own"]
    assert own.current().token is SECOND


async def test_strangers_keys_cost_the_same_however_many_they_are() -> None:
    world = World(FIRST)
    callers = Callers(world.own(), world.outside())
    for _ in range(100):
        await refused(callers.claims(token(new_signing_key(os.urandom)), NOW))
    assert world.asked == ["own", "outside"]
    world.now += 3.1
    for _ in range(100):
        await refused(callers.claims(token(new_signing_key(os.urandom)), NOW))
    assert world.asked == ["own", "outside", "own"]
    world.now += 60
    await refused(callers.claims(token(SECOND), NOW))
    assert world.asked == ["own", "outside", "own", "own", "outside"]


async def test_what_only_looks_like_a_token_is_not_looked_for() -> None:
    world = World(FIRST)
    callers = Callers(world.own(), world.outside())
    good = token(FIRST)
    for text in ("", "a.b.c", good[:-8] + "AAAAAAAA", token(FIRST, "https://evil.example"), good + "x" * 5000):
        await refused(callers.claims(text, NOW))
    await refused(callers.claims(good, NOW + 3600))
    assert world.asked == []


async def test_a_hundred_at_once_wait_for_one_look() -> None:
    world = World(FIRST)
    callers = Callers(world.own())
    world.keys = keys(FIRST, SECOND)
    world.gate.clear()
    tasks = [asyncio.ensure_future(callers.claims(token(SECOND), NOW)) for _ in range(100)]
    await asyncio.sleep(0)
    tasks[0].cancel()  # whoever began the look hangs up
    await asyncio.sleep(0)
    world.gate.set()
    done = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(done[0], asyncio.CancelledError)
    assert {getattr(d, "client_id", d) for d in done[1:]} == {"shop"}
    assert world.asked == ["own"]


@pytest.mark.parametrize("late", [True, False])
async def test_nobody_is_refused_because_another_has_looked(late: bool) -> None:
    """Both sources are waited for; when the second comes to its turn, the look that another began may be over."""
    world = World(FIRST)
    callers = Callers(world.own(), world.outside())
    world.publish(THIRD)
    world.gate.clear()
    tasks = [asyncio.ensure_future(callers.claims(token(THIRD, OUTSIDE), NOW)) for _ in range(10)]
    for _ in range(3):
        await asyncio.sleep(0)
    if late:
        tasks.append(asyncio.ensure_future(callers.claims(token(THIRD, OUTSIDE), NOW)))
    world.gate.set()
    done = await asyncio.gather(*tasks)
    assert {d.client_id for d in done} == {"outside:shop"}
    assert world.asked == ["own", "outside"]


async def test_while_the_database_is_away_known_keys_go_on() -> None:
    world = World(FIRST)
    own = world.own()
    callers = Callers(own)
    world.failing = DatabaseAway("away")
    with pytest.raises(DatabaseAway):
        await callers.claims(token(SECOND), NOW)
    with pytest.raises(DatabaseAway):
        await own.refresh()
    assert (await callers.claims(token(FIRST), NOW)).client_id == "shop"
    world.failing, world.keys = None, keys(FIRST, SECOND)
    world.now += 3.1
    assert (await callers.claims(token(SECOND), NOW)).client_id == "shop"


async def test_keys_that_this_process_cannot_open_change_nothing() -> None:
    world = World(FIRST)
    own = world.own()
    world.failing = SecretUnreadable()
    await own.refresh()
    assert own.current() == keys(FIRST)


async def test_a_withdrawn_key_is_forgotten_with_the_next_look() -> None:
    world = World(FIRST, SECOND)
    own = world.own()
    callers = Callers(own)
    await callers.claims(token(FIRST), NOW)
    kept = own.verifier
    await own.refresh()
    assert own.verifier is kept, "what is known of good tokens outlives a look that changed nothing"
    world.keys = keys(SECOND)
    await own.refresh()
    await refused(callers.claims(token(FIRST), NOW))
    assert (await callers.claims(token(SECOND), NOW)).client_id == "shop"


async def test_an_outside_issuers_keys_are_kept_while_it_is_silent() -> None:
    world = World(FIRST)
    outside = world.outside()
    callers = Callers(world.own(), outside)
    world.publish(SECOND)
    await outside.refresh_if_old()
    assert (await callers.claims(token(SECOND, OUTSIDE), NOW)).client_id == "outside:shop"
    for answer in (None, b"<html>", b"{}"):
        world.set = answer
        world.now += 700
        await outside.refresh_if_old()
        assert (await callers.claims(token(SECOND, OUTSIDE), NOW)).client_id == "outside:shop"
    world.publish(THIRD)
    world.now += 700
    await outside.refresh_if_old()
    await refused(callers.claims(token(SECOND, OUTSIDE), NOW))
    world.set = b'{"keys":[]}'  # an issuer that withdraws all its keys is obeyed
    world.now += 700
    await outside.refresh_if_old()
    await refused(callers.claims(token(THIRD, OUTSIDE), NOW))


async def test_how_often_an_outside_issuer_is_asked() -> None:
    world = World(FIRST)
    outside = world.outside()

    async def over(seconds: int, step: int = 10) -> int:
        before = len(world.asked)
        for _ in range(0, seconds, step):
            await outside.refresh_if_old()
            world.now += step
        return len(world.asked) - before

    assert await over(600) == 10  # without a good answer: once a minute
    world.publish(SECOND)
    assert await over(1200) == 2


async def test_neither_issuer_speaks_for_the_other() -> None:
    world = World(FIRST)
    outside = world.outside()
    world.publish(SECOND)
    await outside.refresh_if_old()
    callers = Callers(world.own(), outside)
    await refused(callers.claims(token(SECOND), NOW))
    await refused(callers.claims(token(FIRST, OUTSIDE), NOW))
    # A key that the outside issuer publishes under the name of ours does not replace ours.
    world.set = json.dumps(jwks({FIRST.kid: SECOND.public})).encode()
    world.now += 700
    await outside.refresh_if_old()
    assert (await callers.claims(token(FIRST), NOW)).client_id == "shop"
    await refused(callers.claims(token(SigningKey(FIRST.kid, SECOND.private)), NOW))
    await refused(callers.claims(token(SigningKey(FIRST.kid, SECOND.private), OUTSIDE), NOW))


def test_the_scope_is_the_audience() -> None:
    assert OutsideIssuer(OUTSIDE).audience == SCOPE
