"""A client is revoked while a token, or a long answer, of it is under way."""

import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from tests.cast import Cast

from lastro.api_kit.http import Revoked
from lastro.companies import Login, Revoke, RevokeTokens
from lastro.companies.signing import SigningKeys
from lastro.companies.tokens import Verifier, new_signing_key, public_keys
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done, Reply
from lastro.web.operations import Operations

ISSUER = "https://lastro.test"
_AHEAD = """
CREATE OR REPLACE FUNCTION machine_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  'SELECT clock_timestamp() + interval ''{}'''
"""


class Anything(Act[None]):
    async def read(self, session: Any, context: Any) -> None:
        return None

    def decide(self, known: None, context: Any) -> Done:
        return Done(None, b"{}")


@pytest.mark.parametrize("clock", ["-3 minutes", "3 minutes"])
async def test_a_token_and_a_revocation_are_dated_by_one_clock(own_database: Any, clock: str) -> None:
    """The database's, which is not that of the API's machine."""
    admin = await own_database.connect()
    await admin.execute(_AHEAD.format(clock))
    await admin.close()
    cast = Cast.of(own_database.app)
    ana = await cast.ana()
    keys = SigningKeys((new_signing_key(cast.chance.bytes),), (), b"")
    login = Login(cast.database, lambda: keys, ISSUER, cast.chance.bytes)

    async def issued() -> float:
        token = await login.token(ana.client.client_id, ana.client.secret)
        return Verifier(public_keys(keys.tokens), ISSUER).verify(token or "", time.time()).issued_at

    async def told(issued_at: float) -> Kind | None:
        call = ana.client.call(permission="orders:write")
        outcome = await cast.runner.run(_of(call, issued_at), Anything())
        return outcome.kind if isinstance(outcome, Refused) else None

    before = await issued()
    assert await told(before) is None
    await cast.act(ana.company_id, RevokeTokens(ana.client.client_id))
    assert await told(before) is Kind.UNAUTHORIZED
    assert await told(await issued() + 0.001) is None
    await cast.close()


def _of(call: Any, issued_at: float) -> Any:
    return replace(call, token_issued_at=issued_at)


async def test_a_long_answer_ends_when_its_client_is_revoked(cast: Cast) -> None:
    ana = await cast.ana()
    closed: list[bool] = []

    async def file(_: Any) -> AsyncGenerator[bytes, None]:
        try:
            for n in range(100):
                yield b"%d" % n
        finally:
            closed.append(True)

    operations = Operations(cast.runner, Mock(), time.time, b"", Mock(), looks_again_seconds=0)
    response = operations._replied(Reply(200, b"", more=file), ana.client.call())
    assert response.more is not None
    assert [await anext(response.more) for _ in range(3)] == [b"0", b"1", b"2"]
    await cast.act(ana.company_id, Revoke(ana.client.client_id))
    with pytest.raises(Revoked):
        [part async for part in response.more]
    assert closed == [True]


async def test_a_long_answer_of_a_client_that_stays_is_whole(cast: Cast) -> None:
    ana = await cast.ana()

    async def file(_: Any) -> AsyncGenerator[bytes, None]:
        for n in range(5):
            yield b"%d" % n

    operations = Operations(cast.runner, Mock(), time.time, b"", Mock(), looks_again_seconds=0)
    response = operations._replied(Reply(200, b"", more=file), ana.client.call())
    assert response.more is not None
    assert b"".join([part async for part in response.more]) == b"01234"
