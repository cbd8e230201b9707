"""Pix keys against their model: any acts in any order, two at once, and the laws at the end."""

import os
from collections.abc import Iterator
from datetime import time, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from tests.databases import Database
from tests.model.keys import ENDED, KINDS, WAY, Claimed, Confirm, Create, Delete, Keys, Later, Resend, path
from tests.model.machine import Walk, pick, rule, walk
from tests.model.stage import Stage

from lastro.accounts import Holder
from lastro.standards.calendar import brasilia_day, instant

WHICH = st.integers(0, 3)  # counted from the newest
KEYS = st.sampled_from([f"k{n}" for n in range(12)])
RIGHT = st.sampled_from((True, True, False))
TEXTS = st.sampled_from(list(KINDS))
# No sum of these is a little less than one, ten or eleven minutes, so that a slow machine changes nothing.
STEPS = st.sampled_from((61, 61, 605, 700))
WORDS = st.sampled_from((*WAY, "CANCELLED"))


class KeyWalk(Walk[Keys]):
    async def begin(self) -> Keys:
        stage = self.stage
        now = await stage.now()
        await stage.advance(instant(brasilia_day(now) + timedelta(days=1), time(12)) - now)
        await stage.begin(Holder("INDIVIDUAL", "Ana Flores", "CPF", cpf(), "ana@example.com", "+5511999990000"))
        (first,) = (await stage.ask("GET", path(stage))).json["data"]
        stage.names[first["id"]] = "first"
        return Keys()

    async def seen(self) -> dict[str, Any]:
        stage = self.stage
        keys = (await stage.ask("GET", f"{path(stage)}?limit=100")).json["data"]
        proofs = await stage.look(
            "SELECT id::text, status, number, tries FROM pix_key_validations WHERE company_id = $1", stage.ana.company_id
        )
        claims = await stage.look("SELECT id::text, status FROM key_claims WHERE company_id = $1", stage.ana.company_id)
        return {
            "newest first": tuple(stage.names[key["id"]] for key in keys),
            **{stage.names[p["id"]]: (p["status"], p["number"], p["tries"]) for p in proofs},
            **{stage.names[c["id"]]: c["status"] for c in claims},
        }

    @rule(often=3, text=TEXTS)
    async def create(self, text: str) -> None:
        await self.do(Create(self.name("key"), text))

    @rule(text=TEXTS, other=TEXTS)
    async def create_twice(self, text: str, other: str) -> None:
        await self.do(Create(self.name("key"), text), Create(self.name("key"), other))

    @rule(often=3, which=WHICH, right=RIGHT, key=KEYS)
    async def confirm(self, which: int, right: bool, key: str) -> None:
        await self.do(Confirm(self.name("key"), self.proof(which), right, key))

    @rule(which=WHICH, right=RIGHT, also=RIGHT, key=KEYS, other=KEYS)
    async def confirm_twice(self, which: int, right: bool, also: bool, key: str, other: str) -> None:
        proof = self.proof(which)
        await self.do(Confirm(self.name("key"), proof, right, key), Confirm(self.name("key"), proof, also, other))

    @rule(which=WHICH)
    async def resend(self, which: int) -> None:
        await self.do(Resend(self.proof(which)))

    @rule(which=WHICH)
    async def resend_twice(self, which: int) -> None:
        await self.do(Resend(self.proof(which)), Resend(self.proof(which)))

    @rule(which=WHICH)
    async def delete(self, which: int) -> None:
        await self.do(Delete(self.key(which)))

    @rule(which=WHICH, text=TEXTS)
    async def delete_while_created(self, which: int, text: str) -> None:
        await self.do(Delete(self.key(which)), Create(self.name("key"), text))

    @rule(which=WHICH)
    async def claimed(self, which: int) -> None:
        if free := self.claimable():
            await self.do(Claimed(self.name("claim"), pick(free, which), "OPEN"))

    @rule(which=WHICH)
    async def deleted_twice(self, which: int) -> None:
        await self.do(Delete(self.key(which)), Delete(self.key(which)))

    @rule(which=WHICH, status=WORDS)
    async def claim_moves(self, which: int, status: str) -> None:
        if names := list(self.model.claims):
            name = pick(names, which)
            await self.do(Claimed(name, self.model.claims[name].key, status))

    @rule(seconds=STEPS)
    async def later(self, seconds: int) -> None:
        await self.do(Later(seconds))

    def claimable(self) -> list[str]:
        held = [(name, key) for name, key in self.model.keys.items() if key.text in ("CPF", "ana@", "loja@")]
        # A key that was created anew is claimed only once the word of the end of the claim before it has come.
        open_ = {self.model.keys[claim.key].text for claim in self.model.claims.values() if claim.status not in ENDED}
        return [name for name, key in held if key.status == "ACTIVE" and key.text not in open_]

    def proof(self, which: int) -> str:
        return pick(list(self.model.proofs), which)

    def key(self, which: int) -> str:
        return pick(list(self.model.keys), which)


def cpf() -> str:
    """One that nobody has had: nine digits and the two that check them."""
    digits = [byte % 10 for byte in os.urandom(9)]
    for _ in range(2):
        rest = sum(digit * weight for digit, weight in zip(reversed(digits), range(2, 12), strict=False)) * 10 % 11
        digits.append(rest % 10)
    return "".join(map(str, digits))


@pytest.fixture
def stage(own_database: Database) -> Iterator[Stage]:
    made = Stage.open(own_database, ("codes",))
    yield made
    made.close()


def test_keys(stage: Stage) -> None:
    walk(KeyWalk, stage, examples=3, steps=36)
