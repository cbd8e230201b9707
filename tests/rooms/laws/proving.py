"""Keys that were proved, were not, and are deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import msgspec
from tests.rooms.keys.registry import Registry

from lastro.core.errors import Refused
from lastro.core.runner import Reply
from lastro.keys import Codes, EndKey
from lastro.keys.actions.create import CreateKey
from lastro.keys.actions.prove import ConfirmKey, ResendCode
from lastro.keys.model import USER_REQUESTED

if TYPE_CHECKING:
    from tests.rooms.laws.world import World


async def play(world: World) -> None:
    """One proof makes its key after a mistake and another code, one is still asked for; a random key is deleted."""
    ana, registry, codes = world.ana, Registry(), Codes(world.cast.key_ring)

    async def run(verb: CreateKey | ConfirmKey | ResendCode, operation: str, key: str) -> Reply | Refused:
        return await world.cast.run(ana.client, verb, operation=operation, key=key, permission="keys:write", status=201)

    async def create(kind: str, text: str | None, key: str) -> dict[str, str]:
        reply = await run(CreateKey(ana.account_id, kind, text, key, registry, codes), "create_key", key)
        assert isinstance(reply, Reply), reply
        made: dict[str, str] = msgspec.json.decode(reply.body)
        return made

    for name in ("proved", "unproved"):
        made = await create("EMAIL", f"{world.cast.id()}@example.com", name)
        world.names[name] = UUID(made["validationId"])
    proved = world.names["proved"]
    async with world.cast.database.session(ana.company_id) as session:
        await session.fetch(
            "UPDATE pix_key_validations SET sent_at = sent_at - interval '61 s', expires_at = expires_at + interval '1 d'"
        )
    reply = await run(ResendCode(ana.account_id, proved), "resend_key_code", "again")
    assert isinstance(reply, Reply), reply
    token = codes.code(proved, 2, codes.sealed_by)
    assert token is not None
    wrong = f"{(int(token) + 1) % 10**6:06d}"
    for text, key in ((wrong, "wrong"), (token, "right")):
        reply = await run(ConfirmKey(ana.account_id, proved, text, registry, codes), "confirm_key", key)
    assert isinstance(reply, Reply), reply
    world.names["proved_key"] = UUID(msgspec.json.decode(reply.body)["id"])
    random = UUID((await create("RANDOM", None, "random"))["id"])
    assert not isinstance(
        await world.cast.runner.act(ana.company_id, EndKey(ana.account_id, random, USER_REQUESTED, registry)), Refused
    )
