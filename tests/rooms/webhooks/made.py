"""Deliveries that stand as a test wants them, without anything being sent."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tests.rooms.webhooks.conftest import Company, Scene

URL = "https://a.example/hook"


@dataclass(frozen=True)
class Made:
    """One event. at: None: now. reference: None: an object of its own."""

    status: str = "FAILED"
    event: str = "ORDER-PAYIN.PAID"
    url: str | None = URL
    reference: UUID | None = None
    at: datetime | None = None


async def make(scene: Scene, company: Company, many: Iterable[Made]) -> list[UUID]:
    """The ids of these events, in their order: numbered, and as if their attempts had been made."""
    now, rows = await scene.now(), list(many)
    ids = [scene.chance.uuid(now) for _ in rows]
    for event_id, one in zip(ids, rows, strict=True):  # one transaction each, so that they are numbered in this order
        await scene.admin.execute(
            "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at) VALUES ($1, $2, $3, $4, $5, '{}', $6)",
            company.id, event_id, one.event, one.reference or event_id, one.url, one.at or now,
        )  # fmt: skip
    await scene.number_all()
    for status, plan, codes in (("DELIVERED", 1, [200]), ("FAILED", 5, [500] * 5), ("RETRYING", 1, [500])):
        some = [i for i, one in zip(ids, rows, strict=True) if one.status == status]
        await scene.admin.execute(
            "INSERT INTO delivery_attempts SELECT company_id, id, n, code, 'said', created_at + n * interval '1 minute', 7"
            " FROM deliveries, unnest($3::integer[]) WITH ORDINALITY c(code, n) WHERE company_id = $1 AND id = ANY ($2)",
            company.id, some, codes,
        )  # fmt: skip
        await scene.admin.execute(
            "UPDATE deliveries SET status = $3, attempts = $4, plan_attempts = $5, updated_at = created_at,"
            " due_at = CASE WHEN $3 = 'RETRYING' THEN created_at + interval '1 hour' END"
            " WHERE company_id = $1 AND id = ANY ($2)",
            company.id, some, status, len(codes), plan,
        )  # fmt: skip
    return ids
