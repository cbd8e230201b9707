"""The defense to a notice names who has paid: it is found, handed out and, once its time is over, erased with the payer."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import BENTO, Cast
from tests.laws import broken, connected
from tests.rooms.accounts.openings import photo
from tests.rooms.med.court import Court
from tests.rooms.med.test_defense import noticed
from tests.rooms.med.test_defense_documents import attaches

from lastro.core.runner import Done
from lastro.med import Decide
from lastro.med.actions.defend import Defend
from lastro.ops import personal_data

WORDS = "Sold to Bento, who signed for it"
_SENT = "UPDATE outbox SET due_at = NULL, done_at = now(), outcome = 'sent', sends = 1 WHERE due_at IS NOT NULL"


async def defended(court: Court) -> UUID:
    name = await noticed(court)
    await court.cast.run(
        court.ana.client, Defend(name, WORDS), operation="defend_med", key="defend", permission="med:write", status=200
    )
    assert isinstance(await attaches(court, name, photo()), Done)
    await court.cast.runner.act(court.ana.company_id, Decide(name, "DISAGREED", court.stand, None))
    return name


async def test_a_defense_is_erased_with_its_payer(own_database: Any, tmp_path: Path) -> None:
    """Kept as long as the operation that it is about, ten years; then its words and its documents go."""
    cast = Cast.of(own_database.app, size=2)
    court = Court(cast, await cast.ana())
    company_id, admin = court.ana.company_id, await connected(own_database.admin)
    name = await defended(court)
    await admin.execute(_SENT)

    async def erases(number: int) -> dict[str, int]:
        done, _ = await personal_data.erase(
            cast.database, company_id, BENTO.document_number, 10, erasure_id=UUID(int=number), by="bia", reference="7"
        )
        return done

    rows = await personal_data.found(cast.database, company_id, BENTO.document_number, 10)
    assert [(r["role"], r["id"], r["ground"]) for r in rows if r["thing"] == "dispute"] == [("payer", name, "OPERATION")]
    assert (await erases(1))["defenseDocuments"] == 0
    holder = await admin.fetchval("SELECT document_number FROM accounts WHERE id = $1", court.ana.account_id)
    told = await personal_data.exported(cast.database, company_id, holder, 10)
    assert [one["defense"] for one in told["defenses"]] == [WORDS]
    assert [one["content_type"] for one in told["defenseDocuments"]] == ["image/png"]
    assert "sealed" not in told["defenseDocuments"][0]
    await admin.execute("UPDATE clock SET offset_us = $1", timedelta(days=12 * 366) // timedelta(microseconds=1))
    assert (await erases(2))["defenseDocuments"] == 1
    kept = await admin.fetchrow("SELECT defense, defense_documents FROM med_objects WHERE id = $1", name)
    assert tuple(kept or ()) == ("NAO IDENTIFICADO", 1)
    assert await admin.fetchval("SELECT sealed FROM med_documents WHERE object_id = $1", name) is None
    answer = await admin.fetchval("SELECT body FROM answers WHERE operation = 'defend_med'")
    assert msgspec.json.decode(answer)["defense"] == "NAO IDENTIFICADO"
    assert await broken(admin.fetch, at_rest=False) == {}
    await admin.close()
    await cast.close()
