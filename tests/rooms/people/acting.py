"""Somebody who did something in the console."""

import os
from datetime import UTC, datetime
from functools import partial

from tests.cast import Cast, Seller

from lastro.core.commit import commit
from lastro.core.secrets import KeyRing
from lastro.core.write import Row, Write
from lastro.people import Entrance, Person, Register, Role


def register(cast: Cast) -> Register:
    """Who may enter; with keys of its own."""
    ring = KeyRing.generate("test", os.urandom)
    return Register(Entrance(cast.database, ring, cast.chance, partial(datetime.now, UTC)))


async def act_in_the_console(cast: Cast, seller: Seller) -> Person:
    """A person of the company, and one line of what it did."""
    made = await register(cast).invite(f"{os.urandom(6).hex()}@ana.example", "Rita", (Role.OPERATE,), seller.company_id)
    assert isinstance(made, tuple)
    line = {
        "id": cast.id(), "person_id": made[0].id, "operation": "cancel_order", "path": "/x", "status": 200, "issues": [],
        "created_at": datetime.now(UTC),
    }  # fmt: skip
    await commit(cast.database, Write(seller.company_id, rows=(Row("console_acts", line),)))
    return made[0]
