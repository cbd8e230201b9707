"""What networks tell, stored for the company it concerns before the network hears that we have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.base.together import together
from lastro.rails import port
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from lastro.base.db import Database
    from lastro.base.ids import Chance
    from lastro.rails.port import Told

_INSTITUTION = 0
_COMPANIES_AT_ONCE = 4  # each waits for the disk, and what else the network has to tell waits for them all
# Whose messages are these? Answered for a whole batch in one round trip, by the role that sees ids alone. A payment's
# owner is who was told of it first.
_OWNERS = """
SELECT business_now() AS at, o.* FROM (
  SELECT 'number' AS by, number::text AS name, company_id FROM company_numbers WHERE number = ANY ($1::integer[])
  UNION ALL
  SELECT 'account', number, company_id FROM account_numbers WHERE number = ANY ($2::text[])
  UNION ALL
  SELECT 'instrument', i.rail || ' ' || i.reference, i.company_id
    FROM unnest($4::text[], $5::text[]) n(rail, reference) JOIN instruments i USING (rail, reference)
  UNION ALL
  SELECT * FROM (SELECT DISTINCT ON (subject) 'subject', subject, company_id FROM inbox
                  WHERE subject = ANY ($3::text[]) AND kind IN ('pix.ask', 'pix.settled') ORDER BY subject, id) s) o
"""
_STORE = """
INSERT INTO inbox (company_id, id, rail, kind, network_id, subject, txid, body, received_at, due_at)
SELECT $1, u.id, u.rail, u.kind, u.network_id, u.subject, u.txid, u.body, $2, $2
  FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bytea[])
    AS u(id, rail, kind, network_id, subject, txid, body)
ON CONFLICT (company_id, rail, network_id) DO NOTHING
"""


class NobodysMessage(Exception):  # noqa: N818 it says what the message is
    """Not even the institution's own company is there to take a message; nothing was stored."""


class Inbox:
    """The way in of one rail. ispb: ours; an id that carries it carries the number of one of our companies too."""

    def __init__(self, database: Database, work: Database, chance: Chance, ispb: str, rail: str = port.PIX) -> None:
        self._rail = rail
        self._database = database
        self._work = work
        self._chance = chance
        self._ispb = ispb

    async def keep(self, messages: Sequence[Told]) -> None:
        """Stores each message once, with the company it concerns; a second copy is dropped.

        A message that nobody owns goes to the institution's company, whose number is 0. DatabaseAway: some of them may be
        stored, and the same messages may be given again.
        """
        if not messages:
            return
        at, owners = await self.owners(messages)
        batches: dict[UUID, list[Told]] = {}
        for told in messages:
            batches.setdefault(owners[told.network_id], []).append(told)
        await together(batches.items(), lambda batch: self.store(*batch, at), _COMPANIES_AT_ONCE)

    async def store(self, company_id: UUID, messages: Sequence[Told], at: datetime | None = None) -> None:
        """Stores messages whose company is known. at: business time, read here when not given."""
        async with self._database.session(company_id) as session:
            if at is None:
                at = await session.value("SELECT business_now()")
            assert at is not None
            columns = [
                [self._chance.uuid(at) for _ in messages],
                [m.rail or self._rail for m in messages],
                [m.kind for m in messages],
                [m.network_id for m in messages],
                [m.subject for m in messages],
                [m.txid for m in messages],
                [m.body for m in messages],
            ]
            await session.fetch(_STORE, company_id, at, *columns)

    async def owners(self, messages: Sequence[Told]) -> tuple[datetime, dict[str, UUID]]:
        """Business time, and the company of each message by its network id. NobodysMessage: not even the institution's."""
        numbers = {told.network_id: self._number_inside(told) for told in messages}
        async with self._work.session() as session:
            rows = await session.fetch(
                _OWNERS,
                [_INSTITUTION, *{n for n in numbers.values() if n is not None}],
                [told.account for told in messages if told.account is not None],
                [told.subject for told in messages],
                [told.rail or self._rail for told in messages if told.instrument is not None],
                [told.instrument for told in messages if told.instrument is not None],
            )
        found = {(row["by"], row["name"]): row["company_id"] for row in rows}
        institution = found.get(("number", str(_INSTITUTION)))
        if institution is None:
            raise NobodysMessage("There is no company with number 0, the institution's own.")
        owners: dict[str, UUID] = {}
        for told in messages:
            owner = self._owner(told, numbers[told.network_id], found) or institution
            owners[told.network_id] = owner
            if told.kind in (port.PIX_ASK, port.PIX_SETTLED):
                # A final message in the same batch belongs to whom the question before it does.
                found.setdefault(("subject", told.subject), owner)
        return rows[0]["at"], owners

    def _owner(self, told: Told, number: int | None, found: dict[tuple[str, str], UUID]) -> UUID | None:
        if told.kind == port.UNKNOWN:
            return None
        if told.account is not None:
            return found.get(("account", told.account))
        if told.instrument is not None:
            return found.get(("instrument", f"{told.rail or self._rail} {told.instrument}"))
        if number is not None:
            return found.get(("number", str(number)))
        return found.get(("subject", told.subject))

    def _number_inside(self, told: Told) -> int | None:
        """The company number in an id that we made, None in anyone else's."""
        if told.company_number is not None:
            return told.company_number
        if told.subject[1:9] != self._ispb:
            return None
        return pix_ids.company_of_end_to_end_id(told.subject)
