"""A validation under any sequence of acts: what its verbs decide is what the table of states.md allows, and no more."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from lastro.accounts import Account, Holder
from lastro.core.ids import Chance
from lastro.core.runner import RequestContext
from lastro.core.secrets import KeyRing
from lastro.keys import VALIDATIONS, Codes, ExpireValidation
from lastro.keys.actions.prove import ConfirmKey, ProveKeyContext, ResendCode
from lastro.keys.model import Room, Validation
from lastro.rails.port import Permanent

ID, KEY = UUID(int=7), "d@example.com"
BEGIN = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
HOLDER = Holder("INDIVIDUAL", "Dora", "CPF", "52998224725", "d", "1")
ACCOUNT = Account(ID, "ACTIVE", 1, "000000019", "0001", "SAO PAULO", HOLDER, BEGIN)
CODES = Codes(KeyRing.generate("k", os.urandom))
NEW = Validation(ID, "PENDING", 1, ID, "EMAIL", KEY, ID, 1, 0, "k", BEGIN, BEGIN + timedelta(minutes=10))
ELSEWHERE = Permanent("EntryKeyInCustodyOfDifferentParticipant", "elsewhere")
ACTS = ("wrong", "old", "right", "right silent", "right elsewhere", "resend", "expire")
# Mostly soon after one another, so that the fifth mistake and the fifth code come before the time is over.
SECONDS = st.sampled_from((0, 0, 1, 1, 20, 59, 60, 60, 599, 600, 660))
STEPS = st.lists(st.tuples(st.sampled_from((*ACTS, "wrong", "wrong", "wrong", "resend")), SECONDS), max_size=14)


def token(validation: Validation, act: str) -> str:
    number = validation.number - 1 if act == "old" else validation.number
    code = CODES.code(validation.id, number, "k")
    assert code is not None
    return f"{(int(code) + 1) % 10**6:06d}" if act == "wrong" else code


def decided(validation: Validation, act: str, now: datetime) -> Any:
    """What is decided, with the directory's answer where it would have been asked: not before the code is noted."""
    context = RequestContext(UUID(int=1), now, Chance(os.urandom))
    if act == "resend":
        return ResendCode(ID, ID).decide(ProveKeyContext(ACCOUNT, validation), context)
    if act == "expire":
        return ExpireValidation(ID).decide(validation, context)
    not_asked: Any = None
    verb: Any = ConfirmKey(ID, ID, token(validation, act), not_asked, CODES)
    known = ProveKeyContext(ACCOUNT, validation, Room(1, 0, False))
    refused = verb._refusal(known, context)
    if refused is None and validation.is_proved and act != "right silent":
        known = replace(known, said=ELSEWHERE if "elsewhere" in act else KEY)
    return refused or verb.decide(known, context)


def expected(v: Validation, act: str, now: datetime) -> tuple[str, int, int]:
    """State, number and tries afterwards, as the table has them."""
    stays = (v.state, v.number, v.tries)
    if v.state != "PENDING":
        return stays
    if act == "expire":
        return ("EXPIRED", v.number, v.tries) if now >= v.expires_at + timedelta(minutes=1) else stays
    if now >= v.expires_at and (act == "resend" or v.proved != v.number):
        return stays
    if act == "resend":
        return ("PENDING", v.number + 1, v.tries) if v.number < 5 and now - v.sent_at >= timedelta(seconds=60) else stays
    if token(v, act) != CODES.code(v.id, v.number, "k"):
        return ("EXPIRED" if v.tries == 4 else "PENDING", v.number, v.tries + 1)
    if v.proved != v.number or act == "right silent":
        return stays
    return ("CONFLICT" if "elsewhere" in act else "CONFIRMED", v.number, v.tries)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_whatever_happens_is_in_the_table(steps: list[tuple[str, int]]) -> None:
    validation, now, keys = NEW, BEGIN, 0
    for act, seconds in steps:
        now += timedelta(seconds=seconds)
        wanted = expected(validation, act, now)
        outcome = decided(validation, act, now)
        moves = () if outcome.write is None else outcome.write.moves
        for move in moves:
            assert VALIDATIONS.moves[move.from_state, move.trigger] == move.to_state
            sets = {name: value for name, value in move.sets.items() if name != "key_id"}
            validation = replace(validation, state=move.to_state, version=validation.version + 1, **sets)
        assert (validation.state, validation.number, validation.tries) == wanted, act
        assert len(moves) <= 1
        made = 0 if outcome.write is None else sum(row.table == "pix_keys" for row in outcome.write.rows)
        keys += made
        assert bool(made) == (validation.state == "CONFIRMED" and len(moves) == 1)
    assert keys <= 1
    assert (keys == 1) == (validation.state == "CONFIRMED")
