"""Guesses of a claim's code, made while the right one is under way: mistakes that were first are counted first."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from tests.cast import ANA, Cast

from lastro.core.runner import RequestContext
from lastro.keys.claims.actions.decide import ClaimDecision, Decide
from lastro.keys.claims.actions.open import ConfirmClaim

from .test_claims import Desk
from .test_keys import company, no, said

Meanwhile = list[Callable[[], Awaitable[Any]]]


@pytest.fixture
async def ana(cast: Cast) -> Desk:
    return Desk(cast, await cast.found("Ana", replace(ANA, document_number=company())))


@dataclass(frozen=True)
class OvertakenClaim(ConfirmClaim):
    """After whose first reading other requests are answered."""

    meanwhile: Meanwhile = field(default_factory=list)

    async def call_out(self, known: Any, context: RequestContext) -> Any:
        while self.meanwhile:
            await self.meanwhile.pop()()
        return await super().call_out(known, context)


@dataclass(frozen=True)
class OvertakenAnswer(Decide):
    """Likewise."""

    meanwhile: Meanwhile = field(default_factory=list)

    async def call_out(self, known: Any, context: RequestContext) -> Any:
        while self.meanwhile:
            await self.meanwhile.pop()()
        return await super().call_out(known, context)


async def test_no_claim_is_opened_after_the_fifth_mistake(ana: Desk) -> None:
    opening = said(await ana.open())["validationId"]
    right = await ana.token(opening)
    verb = OvertakenClaim(ana.ana.account_id, UUID(opening), right, ana.claims, ana.codes)
    verb.meanwhile.extend(partial(ana.confirm, opening, wrong(right)) for _ in range(5))
    assert no(await ana.run("confirm_key_claim", verb)) == ("INVALID", ("token", "EXPIRED"))
    assert ana.claims.asked == []


async def test_no_decision_is_told_after_the_fifth_mistake(ana: Desk) -> None:
    await ana.key()
    news = await ana.claimed("PORTABILITY")
    asked = said(await ana.run("request_key_claim_code", ana.request(news), 202))["validationId"]
    right = await ana.token(asked)
    answer = ClaimDecision(UUID(asked), right, "CONFIRM")
    verb = OvertakenAnswer(ana.ana.account_id, news.claim_id, answer, ana.claims, ana.codes)
    verb.meanwhile.extend(partial(ana.answer, news, asked, wrong(right), "CONFIRM") for _ in range(5))
    assert no(await ana.run("answer_key_claim", verb)) == ("INVALID", ("token", "EXPIRED"))
    assert ana.claims.asked == []


def wrong(right: str) -> str:
    return f"{(int(right) + 1) % 10**6:06d}"
