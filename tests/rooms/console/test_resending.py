"""Many deliveries are sent again: the page counts them, names their addresses, and sends what it has counted."""

import os
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from tests.cast import Cast
from tests.databases import Database
from tests.journeys.stage import until
from tests.rooms.console.visiting import Building, hidden

from lastro.core.db import Database as Work
from lastro.people import Role
from lastro.webhooks import number

HERE = "/console/resend"
HOOKS = "/console/developers/webhooks"
_BORN = "SELECT id, reference_id FROM deliveries WHERE company_id = $1 AND url = $2 AND status = 'PENDING' AND attempts = 0"
_ATTEMPT = """
INSERT INTO delivery_attempts (company_id, event_id, number, status_code, message, requested_at, duration_ms, failure)
SELECT company_id, id, $4::integer, $5, '', created_at + $4::integer * interval '1 second', 7, $6 FROM deliveries
 WHERE company_id = $1 AND url = $2 AND id = ANY ($3)
"""
_STANDS = """
UPDATE deliveries SET status = $4::text, attempts = $5, plan_attempts = $5, updated_at = created_at, version = version + 1,
       due_at = CASE WHEN $4::text IN ('PENDING', 'RETRYING') THEN created_at + interval '1 hour' END
 WHERE company_id = $1 AND url = $2 AND id = ANY ($3)
"""
_PLANS = {"FAILED": [500] * 5, "RETRYING": [500], "DELIVERED": [200]}
_STATUSES = "SELECT status FROM deliveries WHERE company_id = $1 AND url = $2 ORDER BY sequence"
_ACTS = "SELECT status FROM console_acts WHERE company_id = $1 AND operation = 'resend_webhook_events'"
WRONG: tuple[dict[str, str], ...] = (
    {"status": "PENDING"}, {"status": "NONE"}, {"event": "NO.SUCH"}, {"from": "yesterday"}, {"to": "2026-13-45"},
    {"from": "-1"}, {"url": "u" * 3000}, {"url": "a b"}, {"referenceId": "9" * 300},
    {"event": "\N{MONEY WITH WINGS}", "from": "x", "to": "y"},
)  # fmt: skip


async def lost(
    house: Building, database: Database, url: str, count: int = 1, *, status: str = "FAILED", company: UUID | None = None
) -> UUID:
    """So many deliveries to this URL, as if they had been tried and stood so; the object of one of them."""
    company_id = company or house.ana.company_id
    visit, _ = await house.inside(Role.OPERATE, company=company)
    for _ in range(count):
        sent = await visit.send(HOOKS, f"{HOOKS}/test", event="ORDER-PAYIN.PAID", url=url)
        assert sent.status_code == 200, sent.text
    work = Work(database.work, size=1)

    async def born() -> Any:
        await number(house.cast.database, work, [company_id])  # nothing, while anybody writes who began before
        async with house.cast.database.session(company_id) as session:
            rows = await session.fetch(_BORN, company_id, url)
        return rows if len(rows) == count else None

    rows = await until(born, "the events' deliveries")
    await work.close()
    own, codes = [row["id"] for row in rows], _PLANS.get(status, [])
    admin = await database.connect_beside(company_id, database.admin)
    for place, code in enumerate(codes, 1):
        await admin.execute(_ATTEMPT, company_id, url, own, place, code, None if code == 200 else "BAD_STATUS")
    await admin.execute(_STANDS, company_id, url, own, status, len(codes))
    await admin.close()
    reference: UUID = rows[0]["reference_id"]
    return reference


async def statuses(house: Building, url: str) -> list[str]:
    """How the deliveries to this URL stand, oldest first."""
    async with house.cast.database.session(house.ana.company_id) as session:
        return [row["status"] for row in await session.fetch(_STATUSES, house.ana.company_id, url)]


def url_of(name: str) -> str:
    """An address that no other test has."""
    return f"https://{name}.example.com/{os.urandom(4).hex()}"


async def test_the_list_leads_to_a_page_that_counts_and_names_and_then_sends(house: Building, database: Database) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    company, failed, other, came = house.ana.company_id, url_of("failed"), url_of("other"), url_of("came")
    await lost(house, database, failed, 3)
    await lost(house, database, other, status="RETRYING")
    await lost(house, database, came, status="DELIVERED")
    listed = (await visit.get("/console/events")).text
    assert f'href="{HERE}?status=ALL"' in listed, "the list's own filter leads there"
    await lost(house, database, url_of("due"), status="PENDING")
    pending = (await visit.get("/console/events?status=PENDING")).text
    assert 'href="/console/events/' in pending
    assert f'href="{HERE}' not in pending, "what is about to be sent is not sent again"
    page = (await visit.get(f"{HERE}?status=ALL")).text
    assert "4 entregas seriam reenviadas agora" in page
    assert f"<code>{failed}</code> 3 entregas" in page
    assert f"<code>{other}</code> 1 entrega<" in page
    assert came not in page, "without a choice it is what did not arrive"
    one = (await visit.get(f"{HERE}?status=FAILED&url={failed}")).text
    assert "Reenviar 3 entregas</button>" in one
    assert await statuses(house, failed) == ["FAILED"] * 3, "to count sends nothing"
    await lost(house, database, failed)
    form = hidden(one)
    sent = await visit.post(HERE, form)
    assert sent.status_code == 200, sent.text
    assert "3 entregas na fila" in sent.text
    assert await statuses(house, failed) == [*["PENDING"] * 3, "FAILED"], (
        "what was made after the page was not counted on it"
    )
    assert await statuses(house, other) == ["RETRYING"], "what the filter leaves out stays"
    assert (await visit.post(HERE, form)).status_code == 409, "a form sent twice acts once"
    async with house.cast.database.session(company) as session:
        acts = await session.fetch(_ACTS, company)
    assert [act["status"] for act in acts] == [202]


async def test_a_wrong_filter_is_named_and_sends_nothing(house: Building, database: Database) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    url = url_of("still")
    await lost(house, database, url)
    for wrong in WRONG:
        page = await visit.get(f"{HERE}?{urlencode(wrong)}")
        assert page.status_code == 400, wrong
        assert page.text.count('<li><a href="#') == len(wrong), "all problems at once"
        assert 'name="sure"' not in page.text
        asked = await visit.send(HERE, HERE, sure="yes", **wrong)
        assert asked.status_code == 400, wrong
    assert await statuses(house, url) == ["FAILED"]


async def test_what_is_of_nobody_or_of_another_company_finds_nothing(
    house: Building, cast: Cast, database: Database
) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    dora = await cast.dora()
    hers = await lost(house, database, url_of("hers"), company=dora.company_id)
    for reference in (str(hers), str(cast.id()), "no id"):
        page = await visit.get(f"{HERE}?referenceId={reference}")
        assert page.status_code == 200
        assert "0 entregas seriam reenviadas agora" in page.text
        assert 'name="sure"' not in page.text
    reader, _ = await house.inside(Role.READ)
    assert HERE not in (await reader.get("/console/events")).text, "who may not send is not led there"
