"""Stores answers under idempotency keys: successes byte for byte, and refusals that count, so that they count once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from lastro.core.errors import Kind, Problem, Refused
from lastro.core.write import Stored, Write

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.runner import Call, Done

REFUSED = 400  # the status of a row that keeps a no; which it is, its body says


class _No(msgspec.Struct):
    """A refusal as it is kept."""

    kind: Kind
    problems: tuple[Problem, ...]


def with_answer(outcome: Done | Refused, call: Call, at: datetime) -> Write:
    """Returns the outcome's Write, with any answer to store under its key. contract.md §1"""
    write = outcome.write
    assert write is not None
    if call.key is None:
        return write
    if isinstance(outcome, Refused):
        body, about = msgspec.json.encode(_No(outcome.kind, outcome.problems)), write.moves[0].id
        stored = Stored(call.operation, call.key, call.fingerprint, REFUSED, body, about, "week", at)
        return structs.replace(write, stored=(stored,))
    if outcome.object_id is None:
        return write
    stored = Stored(
        call.operation, call.key, call.fingerprint, outcome.status or call.success_status,
        outcome.body if outcome.sealed is None else outcome.sealed, outcome.object_id, outcome.keep, at,
    )  # fmt: skip
    return structs.replace(write, stored=(stored,))


def refusal(body: bytes) -> Refused:
    """Returns the stored refusal."""
    no = msgspec.json.decode(body, type=_No)
    return Refused(no.kind, no.problems)
