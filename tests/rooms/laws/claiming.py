"""Claims of keys: one by another bank that waits and one that has taken a key, one of Ana's that was won, and one that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from tests.rooms.keys.claiming import Claims, claim_news, told

from lastro.core.runner import Reply
from lastro.keys import Codes
from lastro.keys.actions.prove import ResendCode
from lastro.keys.claims.actions.decide import CancelClaim, ClaimDecision, Decide, RequestCode
from lastro.keys.claims.actions.open import ClaimedKey, ConfirmClaim, OpenClaim
from lastro.keys.model import FOR_ANSWER, FOR_CLAIM

if TYPE_CHECKING:
    from tests.rooms.laws.world import World

_EARLIER = "UPDATE pix_key_validations SET sent_at = sent_at - interval '61 s', expires_at = expires_at + interval '1 d'"


async def play(world: World) -> None:
    """Ana's proved key is claimed; hers of other keys are one in each status that matters to a law."""
    ana, claims, codes = world.ana, Claims(), Codes(world.cast.key_ring)

    async def run(verb: Any, operation: str, status: int = 200) -> dict[str, Any]:
        reply = await world.cast.run(
            ana.client, verb, operation=operation, key=str(world.cast.id()), permission="keys:write", status=status
        )
        assert isinstance(reply, Reply), reply
        said: dict[str, Any] = msgspec.json.decode(reply.body)
        return said

    async def again(validation_id: str, purpose: str, operation: str) -> str:
        """Another code is sent, and it is this one."""
        async with world.cast.database.session(ana.company_id) as session:
            await session.fetch(_EARLIER)
        await run(ResendCode(ana.account_id, UUID(validation_id), purpose), operation, 202)
        return codes.code(UUID(validation_id), 2, codes.sealed_by) or ""

    async def opened(name: str, kind: str) -> Any:
        key = f"+55119{world.cast.id().int % 10**8:08d}"
        asked = await run(OpenClaim(ana.account_id, ClaimedKey(kind, "PHONE", key), claims, codes), "create_key_claim", 202)
        token = await again(asked["validationId"], FOR_CLAIM, "resend_key_claim_code")
        verb = ConfirmClaim(ana.account_id, UUID(asked["validationId"]), token, claims, codes)
        made = await run(verb, "confirm_key_claim", 201)
        world.names[name], world.names[f"{name}_proof"] = UUID(made["id"]), UUID(asked["validationId"])
        return next(one for one in claims.made.values() if str(one.claim_id) == made["id"])

    async def says(news: Any, *statuses: str) -> None:
        for status in statuses:
            assert await told(world.cast, ana, msgspec.structs.replace(news, status=status)) == "handled"

    await says(await opened("ported", "PORTABILITY"), "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED")
    await says(await opened("owned", "CLAIM_OWNERSHIP"), "WAITING_RESOLUTION", "CONFIRMED")
    given_up = await opened("given_up", "PORTABILITY")
    await run(CancelClaim(ana.account_id, given_up.claim_id, claims), "cancel_key_claim")
    async with world.cast.database.session(ana.company_id) as session:
        key = await session.value("SELECT key FROM pix_keys WHERE id = $1", world.names["proved_key"])
        won = await session.value("SELECT key FROM pix_keys WHERE id = (SELECT key_id FROM key_claims WHERE id = $1)",
                                  world.names["ported"])  # fmt: skip
    news = claims.knows(claim_news(won, "PHONE"))
    world.names["lost"] = news.claim_id
    await says(news, "OPEN", "WAITING_RESOLUTION")
    asked = await run(RequestCode(ana.account_id, news.claim_id, codes, frozenset({"PHONE"})), "request_key_claim_code", 202)
    token = await again(asked["validationId"], FOR_ANSWER, "resend_key_claim_answer_code")
    answer = ClaimDecision(UUID(asked["validationId"]), token, "CONFIRM")
    await run(Decide(ana.account_id, news.claim_id, answer, claims, codes), "answer_key_claim")
    world.names["answer_proof"] = UUID(asked["validationId"])
    await says(news, "COMPLETED")
    waiting = claim_news(key, "EMAIL")
    world.names["claimed"] = waiting.claim_id
    await says(waiting, "OPEN", "WAITING_RESOLUTION")
