"""`lastro timeline ID`: the timeline of any id, for the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from uuid import UUID

import msgspec

from lastro import accounts, keys, med, orders, payouts, plans, subscriptions
from lastro.core.db import Database
from lastro.timeline.reading import Root, tell
from lastro.timeline.shapes import AttemptEntry, EventEntry, MessageEntry, StateEntry, Timeline, TransferEntry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lastro.core.db import Dsn, Session
    from lastro.timeline.shapes import Entry, Thing

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WIDEST_MESSAGE = 60

# Companies one by one, each by the index that begins with it: an id alone would be looked for in every row there is.
_COMPANIES = "SELECT company_id FROM company_numbers ORDER BY number"
# Ids that stand in log lines and headers, and the object whose timeline they are part of.
_PART_OF = """
SELECT reference_id, NULL AS subject FROM events WHERE company_id = $1 AND id = $2
UNION ALL SELECT reference_id, NULL FROM outbox WHERE company_id = $1 AND id = $2
UNION ALL SELECT reference_id, NULL FROM transfers WHERE company_id = $1 AND id = $2
UNION ALL SELECT NULL, subject FROM inbox WHERE company_id = $1 AND id = $2
"""
# Orders that have had the same code: one that ended leaves it to another, and charges of subscriptions have their own.
_NAMESAKES = """
SELECT id FROM orders WHERE company_id = $1 AND external_id = $2 AND id <> $3 ORDER BY created_at DESC LIMIT $4
"""
_MOST = 20  # of them that are named
# Objects that have no name beside their id.
_BY_OWN_ID: dict[Thing, Callable[[Session, UUID, UUID], Awaitable[object]]] = {
    "plan": plans.related, "accountRequest": accounts.opening.related, "dispute": med.is_there, "key": keys.related,
    "account": accounts.related,
}  # fmt: skip


async def show(audit: Dsn, text: str, *, as_json: bool, say: Callable[[str], object]) -> int:
    """Prints the timeline; returns 1 where there is none, 2 for several.

    audit: the role that reads everything. text: id of an order, payment, refund, payout, plan, request for an account, Pix
    key or its proof, subscription, cancellation, scheduled payment, attempt at one, event, transfer or message; an
    endToEndId, control number, return id, txid, idRec or externalId.
    """
    database = Database(audit, size=1, reads=True)
    try:
        found = await find(database, text)
        if len(found) == 1:
            async with database.session_for(found[0][0]) as session:
                told = await tell(session, *found[0])
                assert told is not None, "what was found is there"
                if as_json:
                    say(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
                else:
                    say("\n".join((*lines(told), *await _namesakes(session, *found[0], text))))
            return 0
    finally:
        await database.close()
    if not found:
        say(f"Nothing here is known as {text}.")
        return 1
    say(f"{len(found)} things are known as {text}. Ask by id, the newest first:")
    for company_id, root in sorted(found, key=lambda one: str(one[1].id), reverse=True):  # ids go by time
        say(f"  {root.id}  {root.thing} of company {company_id}")
    return 2


async def _namesakes(session: Session, company_id: UUID, root: Root, text: str) -> list[str]:
    """Lists older orders of the same code, below the newest's timeline."""
    if root.thing != "order":
        return []
    rows = await session.fetch(_NAMESAKES, company_id, text, root.id, _MOST + 1)
    if not rows:
        return []
    many = f"{len(rows)} older" if len(rows) <= _MOST else f"More than {_MOST} older"
    head = f"This is the newest order known as {text}. {many}, the newest first:"
    return ["", head, *(f"  {row['id']}" for row in rows[:_MOST])]


async def find(audit: Database, text: str) -> list[tuple[UUID, Root]]:
    """Finds the company and the root of each timeline with this id.

    audit: as the role that reads every company, so that no session has to be set to one.
    """
    async with audit.session() as session:
        company_ids = [row["company_id"] for row in await session.fetch(_COMPANIES)]
    found = []
    for company_id in company_ids:
        async with audit.session_for(company_id) as session:
            found += [(company_id, root) for root in await _of_company(session, company_id, text)]
    return found


async def _of_company(session: Session, company_id: UUID, text: str) -> list[Root]:
    """Returns the roots of a text in a company, mostly one.

    A code may be an order's and a payout's, an endToEndId that of a payment between two accounts here.
    """
    roots = await beginnings(session, company_id, text)
    if roots or not _UUID.fullmatch(text):
        return roots
    part = await session.row(_PART_OF, company_id, UUID(text))
    return [] if part is None else await beginnings(session, company_id, str(part["reference_id"] or part["subject"]))


async def beginnings(session: Session, company_id: UUID, text: str) -> list[Root]:
    """Finds the timelines of the object with this id or name."""
    reference_id, name = (UUID(text), None) if _UUID.fullmatch(text) else (None, text)
    roots = []
    row = await orders.root_of(session, company_id, reference_id, name)
    if row is not None:
        roots.append(Root("order", row["order_id"]) if row["order_id"] is not None else Root("payment", row["payment_id"]))
    payout_id = await payouts.root_of(session, company_id, reference_id, name)
    if payout_id is not None:
        roots.append(Root("payout", payout_id))
    for thing, is_there in _BY_OWN_ID.items():
        if reference_id is not None and await is_there(session, company_id, reference_id):
            roots.append(Root(thing, reference_id))
    subscription = await subscriptions.root_of(session, company_id, reference_id, name)
    if subscription is not None:
        # Its first charge goes by its code, too, and is part of its timeline.
        roots = [root for root in roots if root != Root("order", subscription["order_id"])]
        roots.append(Root("subscription", subscription["id"]))
    return roots


def lines(told: Timeline) -> list[str]:
    """Formats a line for each entry: time, event and details, in columns."""
    parts = [(entry.at.replace("T", " "), *_said(entry)) for entry in told.entries]
    widths = [max((len(part[column]) for part in parts), default=0) for column in (0, 1)]
    head = f"{told.object} {told.id}"
    body = [f"{at:<{widths[0]}}  {what:<{widths[1]}}  {detail}".rstrip() for at, what, detail in parts]
    return [head, "", *body, *([] if told.is_whole else ["", "There is more than is shown here."])]


def _said(entry: Entry) -> tuple[str, str]:
    """Returns an entry's event, and its details."""
    match entry:
        case StateEntry():
            moved = entry.to if entry.from_state in (None, entry.to) else f"{entry.from_state} → {entry.to}"
            return f"{entry.object} {moved}", _joined(
                entry.trigger,
                entry.txid and f"txid {entry.txid}",
                entry.reason,
                entry.request_id and f"request {entry.request_id}",
                entry.id,
            )
        case TransferEntry():
            booked = f"{entry.debit} → {entry.credit}  {entry.amount.value} {entry.amount.currency}"
            return f"money {entry.movement}", _joined(booked, entry.entry)
        case MessageEntry():
            way = "from the network" if entry.direction == "in" else "to the network"
            times = f"{entry.sends} times" if entry.sends != 1 else None
            return f"{entry.message} {way}", _joined(entry.outcome or "open", times, entry.subject, entry.network_id)
        case EventEntry():
            number = "not numbered yet" if entry.sequence is None else f"number {entry.sequence}"
            status = waits = None
            if entry.delivery is not None:
                status, due = entry.delivery.status, entry.delivery.next_attempt_at
                waits = None if due is None else f"next attempt {due.replace('T', ' ')}"
            return f"event {entry.type}", _joined(number, status, waits, entry.id)
        case AttemptEntry():
            answered = str(entry.status_code) if entry.status_code else "no answer"
            return f"attempt {entry.number}", _joined(
                answered, f"{entry.duration_ms} ms", entry.message[:_WIDEST_MESSAGE], entry.event_id
            )


def _joined(*details: str | None) -> str:
    return ", ".join(detail for detail in details if detail)
