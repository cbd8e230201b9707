"""Stores networks' messages for their company before they are confirmed."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING
from uuid import UUID

from lastro.core.concurrency import together
from lastro.core.work_queue import LEASE_SECONDS
from lastro.rails import port
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime
    from typing import TypeAlias

    from asyncpg import Record

    from lastro.core.db import Database
    from lastro.core.ids import Chance
    from lastro.core.queue_worker import QueueWorker, Reservation
    from lastro.rails.port import NetworkMessage

    _Name: TypeAlias = tuple[str, str]  # of what: account, number, instrument, subject or key; and which

_INSTITUTION = 0
_NOBODY = UUID(int=0)
_FIRST = frozenset({port.PIX_ASK, port.PIX_SETTLED, port.TED_ARRIVED, port.CLAIM_NEWS})  # by what a subject is told of
_LASTING = frozenset({"account", "number", "subject"})  # of one company for ever, as the tables have it
_REMEMBERED = 20_000
_COMPANIES_AT_ONCE = 10  # a pull brings ten: each waits for the disk, and what else the network has to tell waits for all
# Whose messages are these? Answered for a whole batch in one round trip, by the role that sees ids alone. Numbers and
# accounts are known wherever one asks.
_NAMED = """
SELECT business_now() AS at, o.* FROM (
  SELECT 'number' AS by, number::text AS name, company_id, NULL::uuid AS told
    FROM company_numbers WHERE number = ANY ($1::integer[])
  UNION ALL
  SELECT 'account', number, company_id, NULL FROM account_numbers WHERE number = ANY ($2::text[]){also}) o
"""
_BY_NUMBERS = _NAMED.format(also="")
# The rest is looked for among all companies' rows. The owner of a payment, or of a claim of a key that has left him, is who
# was told of it first.
_OWNERS = _NAMED.format(
    also="""
  UNION ALL
  SELECT 'instrument', i.rail || ' ' || i.reference, i.company_id, NULL
    FROM unnest($4::text[], $5::text[]) n(rail, reference) JOIN instruments i USING (rail, reference)
  UNION ALL
  SELECT 'key', key, company_id, NULL FROM own_keys WHERE key = ANY ($6::text[])
  UNION ALL
  SELECT * FROM (SELECT DISTINCT ON (subject) 'subject', subject, company_id, id FROM inbox
                  WHERE subject = ANY ($3::text[]) AND kind IN ('pix.ask', 'pix.settled', 'ted.arrived', 'claim.news')
                  ORDER BY subject, id) s"""
)
# A return of a payment makes no other message wait, nor does a dispute of it but for its own next word: they wait
# themselves, where the payment's end was told later or had to be asked for. {w}: the row that may have to wait for e.
HOLDS_UP = (
    f"e.kind NOT IN ('{port.PAYMENT_RETURNED}', '{port.CARD_CHARGEBACK}', '{port.COLLECTION_TAKEN}')"
    f" AND (e.kind <> '{port.MED_NEWS}' OR {{w}}.kind = '{port.MED_NEWS}')"
)
# The planner cannot look into these arrays: by their lengths it would plan the statement anew for each batch.
_TYPES = ("uuid", "text", "text", "text", "text", "text", "bytea", "boolean")
_UNSEEN = ", ".join(f"(SELECT ${n}::{kind}[])" for n, kind in enumerate(_TYPES, start=2))
# A message that its storer will handle is leased to it at once: this saves the statements that would find and claim it.
# A message behind an earlier one about the same subject is left to the queue, until the earlier one is done.
_STORE = f"""
INSERT INTO inbox (company_id, id, rail, kind, network_id, subject, txid, body, received_at, due_at,
                   lease_token, leased_until, sends)
SELECT $1, u.id, u.rail, u.kind, u.network_id, u.subject, u.txid, u.body, b.at, b.at,
       u.token, CASE WHEN u.token IS NOT NULL THEN machine_now() + interval '{LEASE_SECONDS} seconds' END,
       num_nonnulls(u.token)
  FROM (SELECT n.*, CASE WHEN n.is_taken AND NOT EXISTS (
                 SELECT 1 FROM inbox e WHERE e.company_id = $1 AND e.subject = n.subject AND e.due_at IS NOT NULL
                    AND {HOLDS_UP.format(w="n")} OFFSET 0) THEN $10::uuid END AS token
          FROM unnest({_UNSEEN}) AS n(id, rail, kind, network_id, subject, txid, body, is_taken)) u,
       (SELECT business_now() AS at OFFSET 0) b
ON CONFLICT (company_id, rail, network_id) DO NOTHING
RETURNING inbox.*
"""  # noqa: S608 names of ours


class NobodysMessage(Exception):  # noqa: N818 it says what the message is
    """No company takes the message, not even the institution's; nothing was stored."""


def _unread() -> datetime | None:
    """Returns None: business time is not known without asking."""


class Inbox:
    """The way in of one rail. ispb: ours; an id that carries it carries the number of one of our companies too.

    now: business time as far as the process knows it, for ids.
    """

    def __init__(
        self, database: Database, work: Database, chance: Chance, ispb: str, rail: str = port.PIX,
        now: Callable[[], datetime | None] = _unread,
    ) -> None:  # fmt: skip
        self._rail = rail
        self._now = now
        # The owner of an account or message never changes; the end of a payment follows its question at once.
        self._lately: dict[_Name | None, UUID] = {}
        self._database = database
        self._work = work
        self._chance = chance
        self._ispb = ispb

    async def keep(self, messages: Sequence[NetworkMessage]) -> None:
        """Stores each message once, with the company it concerns; a second copy is dropped.

        A message that nobody owns goes to the institution's company, whose number is 0. DatabaseAway: some of them may be
        stored, and the same messages may be given again.
        """
        await self._keep(messages, (), None)

    async def keep_and_take(self, messages: Sequence[NetworkMessage], queue: QueueWorker) -> bool:
        """Stores messages; the queue goes on at once with as many as it has room for.

        Tells whether there are some left that the queue must find.
        """
        firsts: dict[str, str] = {}
        for told in messages:
            firsts.setdefault(told.subject, told.network_id)
        # Before anything is waited for: the other networks of a burst are told of the same room.
        with queue.room(len(firsts)) as room:
            taken = frozenset(islice(firsts.values(), room.size))
            token = UUID(bytes=self._chance.bytes(16))
            return any(await self._keep(messages, taken, (token, room)))

    async def _keep(
        self, messages: Sequence[NetworkMessage], taken: Collection[str], lease: tuple[UUID, Reservation] | None
    ) -> list[bool]:
        """Stores messages; tells by company if unclaimed rows are left. taken: the network ids that the lease is for."""
        if not messages:
            return []
        at, owners = self._remembered(messages) or await self.owners(messages)
        batches: dict[UUID, list[NetworkMessage]] = {}
        for told in messages:
            batches.setdefault(owners[told.network_id], []).append(told)

        async def of_company(batch: tuple[UUID, list[NetworkMessage]]) -> bool:
            rows = await self._store(*batch, at, taken, None if lease is None else lease[0])
            ours = [row for row in rows if row["lease_token"] is not None]
            if lease is not None:
                lease[1].take(ours)
            company_id, stored = batch
            self._remember({("subject", told.subject): company_id for told in stored if told.kind in _FIRST})
            return len(ours) < len(rows)

        return await together(batches.items(), of_company, _COMPANIES_AT_ONCE)

    def _remembered(self, messages: Sequence[NetworkMessage]) -> tuple[datetime, dict[str, UUID]] | None:
        """Returns the result of `owners`, where the process remembers all of it."""
        owners: dict[str, UUID] = {}
        for told in messages:
            if (owner := self._lately.get(self._named(told))) is None:
                return None
            owners[told.network_id] = owner
        now = self._now()
        return None if now is None else (now, owners)

    def _remember(self, found: Mapping[_Name, UUID]) -> None:
        for name, owner in found.items():
            self._lately.setdefault(name, owner)
        for oldest in list(islice(self._lately, max(0, len(self._lately) - _REMEMBERED))):
            del self._lately[oldest]

    async def store(self, company_id: UUID, messages: Sequence[NetworkMessage]) -> None:
        """Stores messages whose company is known."""
        await self._store(company_id, messages, self._now(), (), None)

    async def _store(
        self,
        company_id: UUID,
        messages: Sequence[NetworkMessage],
        at: datetime | None,
        taken: Collection[str],
        token: UUID | None,
    ) -> list[Record]:
        """Stores messages, and returns the rows that were new."""
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
                [m.network_id in taken for m in messages],
            ]
            return await session.fetch(_STORE, company_id, *columns, token)

    async def owners(self, messages: Sequence[NetworkMessage]) -> tuple[datetime, dict[str, UUID]]:
        """Reads business time, and each message's company by its network id.

        NobodysMessage: not even the institution's.
        """
        names = {told.network_id: self._named(told) for told in messages}
        rows = await self._looked_up(messages, [name for name in names.values() if name is not None])
        found: dict[_Name, UUID] = {(row["by"], row["name"]): row["company_id"] for row in rows}
        self._remember({name: owner for name, owner in found.items() if name[0] in _LASTING})
        institution = found.get(("number", str(_INSTITUTION)))
        if institution is None:
            raise NobodysMessage("There is no company with number 0, the institution's own.")
        owners: dict[str, UUID] = {}
        for told in messages:
            owner = _owner(told, names[told.network_id], found) or institution
            owners[told.network_id] = owner
            if told.kind in _FIRST:
                # A final message in the same batch belongs to whom the question before it does.
                found.setdefault(("subject", told.subject), owner)
        return rows[0]["at"], owners

    async def _looked_up(self, messages: Sequence[NetworkMessage], names: Collection[_Name]) -> list[Record]:
        """Reads the companies of names; of a name with several, the one that was told first comes last."""
        numbers = [_INSTITUTION, *{int(name) for by, name in names if by == "number"}]
        accounts = [told.account for told in messages if told.account is not None]
        if {by for by, _ in names} <= {"number", "account"} and not any(told.kind in _FIRST for told in messages):
            async with self._work.session() as session:
                return await session.fetch(_BY_NUMBERS, numbers, accounts)
        rows = await self._work.everywhere(
            _OWNERS,
            numbers,
            accounts,
            [told.subject for told in messages],
            [told.rail or self._rail for told in messages if told.instrument is not None],
            [told.instrument for told in messages if told.instrument is not None],
            [told.key for told in messages if told.key is not None],
        )
        return sorted(rows, key=lambda row: row["told"] or _NOBODY, reverse=True)

    def _named(self, told: NetworkMessage) -> _Name | None:
        """Returns the name that finds a message's company; None: it is nobody's."""
        if told.kind == port.UNKNOWN:
            return None
        if told.kind == port.TED_ARRIVED:
            return ("subject", told.subject)
        if told.account is not None:
            return ("account", told.account)
        if told.instrument is not None:
            return ("instrument", f"{told.rail or self._rail} {told.instrument}")
        number = None if told.is_received else self._number_inside(told)
        return ("subject", told.subject) if number is None else ("number", str(number))

    def _number_inside(self, told: NetworkMessage) -> int | None:
        """Returns the company number in an id of ours, else None."""
        if told.company_number is not None:
            return told.company_number
        if told.subject[1:9] != self._ispb:
            return None
        return pix_ids.company_of_end_to_end_id(told.subject)


def _owner(told: NetworkMessage, name: _Name | None, found: Mapping[_Name, UUID]) -> UUID | None:
    if name is None:
        return None
    first = found.get(name)
    if first is not None or name[0] != "subject":
        return first
    # A TED, and what names a key, is of whom its subject was told of first, while that is known of any.
    return found.get(("account", told.account or "")) or found.get(("key", told.key or ""))
