"""A day is reconciled: what its statement has wrong is found, a later statement explains some, a new issue of it the rest."""

import asyncio
import json
from datetime import timedelta
from typing import Any

from lastro.cli import perform
from lastro.cli.reconcile import OPEN, RECONCILED, show
from lastro.config.settings import read
from lastro.standards.calendar import brasilia_day

from .play import Play

# What the network's statement has wrong, and how the books find it.
FOUND = {
    "missing": "MISSING", "twice": "TWICE", "wrong-amount": "AMOUNT", "late": "MISSING", "other-reference": "REFERENCE",
}  # fmt: skip
_STATES = "SELECT difference, state FROM statement_items WHERE network_id = ANY ($1::text[])"


async def paid(play: Play, behaviour: str) -> str:
    """The endToEndId of a paid order whose line the statement will have wrong."""
    made = await play.order()
    await play.pay(made)
    name = str((await play.becomes(made, "PAID"))["endToEndId"])
    await play.fault("statement", behaviour, match={"endToEndId": name})
    return name


async def run(play: Play, *words: str) -> tuple[int, str]:
    """What `lastro reconcile` says, and its status."""
    said: list[str] = []

    def settings() -> Any:
        return read(play.stage.environment)

    def act() -> int:
        if words[:1] == ("again",):
            perform(["reconcile", *words], settings, said.append)
            return 0
        return show(words, settings, said.append)

    return await asyncio.to_thread(act), "\n".join(said)


async def test_each_mistake_of_a_statement_is_found_and_explained(play: Play) -> None:
    names = {behaviour: await paid(play, behaviour) for behaviour in FOUND}
    ids = list(names.values())
    days = {
        brasilia_day(r["settled_at"])
        for r in await play.books.fetch("SELECT settled_at FROM pix_payments WHERE end_to_end_id = ANY ($1::text[])", ids)
    }
    await play.advance(advance="P1D")
    await play.wait_for("SELECT count(*) = 5 FROM statement_items WHERE network_id = ANY ($1::text[])", ids)
    shown: dict[str, Any] = {}
    for day in days:
        status, said = await run(play, "--day", str(day), "--rail", "pix", "--json")
        assert status == OPEN
        (rail,) = json.loads(said)["rails"]
        shown |= {item["networkId"]: item for item in rail["open"]}
        assert "reconcile again" in (await run(play, "--day", str(day), "--rail", "pix"))[1]
    assert {behaviour: shown[name]["difference"] for behaviour, name in names.items()} == FOUND
    assert (shown[names["wrong-amount"]]["theirs"], shown[names["wrong-amount"]]["ours"]) == ("11.50", "10.50")

    await play.advance(advance="P1D")
    late = "SELECT true FROM statement_items WHERE network_id = $1 AND state = 'EXPLAINED'"
    await play.wait_for(late, names["late"])

    await play.act("/statements/reissue")
    # The day after has what was late, and in its new issue has it no more.
    for day in sorted({day + timedelta(days=n) for day in days for n in (0, 1)}, reverse=True):
        await run(play, "again", "--rail", "pix", "--day", str(day), "--by", "bia")
    await play.wait_for(f"SELECT bool_and(state = 'EXPLAINED') FROM ({_STATES}) i", ids)
    assert {r["difference"] for r in await play.books.fetch(_STATES, ids)} >= set(FOUND.values())
    # The last line of a new issue may explain the last item a moment before the issue is taken.
    taken = "SELECT bool_and(state = 'TAKEN') FROM statements WHERE rail = 'pix' AND day = ANY ($1::date[])"
    await play.wait_for(taken, list(days))
    assert {(await run(play, "--day", str(day), "--rail", "pix"))[0] for day in days} == {RECONCILED}
