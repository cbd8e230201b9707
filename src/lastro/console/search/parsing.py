"""Search: one box for any id, code, document or amount. The text's form says what it may be; indexes find it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from lastro.api_kit.paging import read_date
from lastro.api_kit.routes import as_id
from lastro.console import choosing
from lastro.console.search import store
from lastro.console.timeline import PLACES
from lastro.core.money import Money
from lastro.standards.calendar import BRASILIA
from lastro.standards.pix_keys import canonical
from lastro.timeline import by_id

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from asyncpg import Record

    from lastro.console.terms import Terms
    from lastro.core.db import Session

LONGEST = 200  # characters
_DOCUMENT = re.compile(r"[0-9]{11}|[0-9A-Z]{12}[0-9]{2}")
_WRITTEN_DOCUMENT = re.compile(
    r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/[0-9A-Z]{4}-[0-9]{2}"
)
_PUNCTUATION = re.compile(r"[./-]")
_SIGN = re.compile(r"^(R\$|BRL)\s*")
_IN_PORTUGUESE = re.compile(r"(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]{1,13}),[0-9]{2}")
_IN_ENGLISH = re.compile(r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,13})\.[0-9]{2}")
_WITH_SIGN = re.compile(r"[0-9]{1,13}|[0-9]{1,3}(?:[.,][0-9]{3})+")
_DAY_IN_PORTUGUESE = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{4})")
_NUMBER = re.compile(r"[0-9]{8}-?[0-9]")
_KEY = re.compile(r"[^@\s]+@[^@\s]+|\+[0-9]{8,15}")
_NAME = re.compile(r"(?=(?:.*[^\W\d_]){3})[^\d@_/\\]+(?: [^@_/\\]+)*")  # three letters; a first word without digits
_PHONE = re.compile(r"[\s()-]")
_EVER = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
# The pages of objects without a timeline.
_OTHERS = {"account": "accounts", "event": "events", "transfer": "ledger/transfers"}


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The readings of a text: each is looked for. minor: an amount. name: a person's, or a part of it.

    period: of days, both ends inclusive.
    """

    text: str
    id: UUID | None = None
    document: str | None = None
    minor: int | None = None
    key: str | None = None
    name: str | None = None
    period: tuple[datetime, datetime] = _EVER

    @property
    def is_empty(self) -> bool:
        """True where nothing was given."""
        return not self.text


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit of a search. matched: the term of what of it was given. name: its code. at: when it was made."""

    thing: str
    id: UUID
    matched: str
    link: str
    name: str = ""
    state: str | None = None
    amount: Money | None = None
    at: datetime | None = None


def read(text: str) -> SearchTerms:
    """Parses a text: an id, a document, an amount, a key, any code. An amount with or without a day behind it."""
    given = " ".join(text.split())[:LONGEST]
    head, period = _parted(given)
    document = given.upper()
    if _WRITTEN_DOCUMENT.fullmatch(document):
        document = _PUNCTUATION.sub("", document)
    phone = _PHONE.sub("", given)
    key = phone if _KEY.fullmatch(phone) else document if _DOCUMENT.fullmatch(document) else given
    return SearchTerms(
        given, as_id(given.lower()), document if _DOCUMENT.fullmatch(document) else None, _minor(head),
        canonical(key), head if _NAME.fullmatch(head) else None, period,
    )  # fmt: skip


def _parted(text: str) -> tuple[str, tuple[datetime, datetime]]:
    """Parses an amount or a name, and the day behind it: `10,50 22/11/2026`."""
    head, _, tail = text.rpartition(" ")
    day = _day(tail)
    return (text, _EVER) if day is None or not head else (head, _whole(day))


def _day(text: str) -> date | None:
    found = _DAY_IN_PORTUGUESE.fullmatch(text)
    return read_date(f"{found[3]}-{found[2]}-{found[1]}" if found else text)


def _whole(day: date) -> tuple[datetime, datetime]:
    first = datetime.combine(day, time.min, BRASILIA)
    last = first + timedelta(days=1, microseconds=-1)
    return first, min(last, _EVER[1])  # the last of all days ends here when UTC has no more


def _minor(text: str) -> int | None:
    """Parses an amount in cents.

    `R$ 1.234,56`, `1,234.56`, `10.50`, `R$ 10`; a number without sign or cents is a code.
    """
    plain = _SIGN.sub("", text)
    if _IN_PORTUGUESE.fullmatch(plain):
        return int(plain.replace(".", "").replace(",", ""))
    if _IN_ENGLISH.fullmatch(plain):
        return int(plain.replace(",", "").replace(".", ""))
    if plain != text and _WITH_SIGN.fullmatch(plain):
        return int(re.sub(r"[.,]", "", plain)) * 100
    return None


async def find(session: Session, company_id: UUID, wanted: SearchTerms) -> list[Hit]:
    """Returns a company's hits, each once, the newest first. session: of the company."""
    found: dict[tuple[str, UUID], str] = {}

    def note(matched: str, things: Iterable[tuple[str, UUID]]) -> None:
        for thing in things:
            found.setdefault(thing, matched)

    by_name = "search.id" if wanted.id is not None else "search.code"
    roots = await by_id.beginnings(session, company_id, wanted.text if wanted.id is None else str(wanted.id))
    note(by_name, [(root.thing, root.id) for root in roots])
    number = wanted.text.replace("-", "") if _NUMBER.fullmatch(wanted.text) else wanted.text
    note(by_name, await store.others(session, company_id, number, wanted.id))
    if wanted.document is not None:
        note("search.document", await store.by_document(session, company_id, wanted.document))
    if wanted.key is not None:
        account_id = await store.by_key(session, company_id, wanted.key)
        note("search.key", [] if account_id is None else [("account", account_id)])
        note("search.key", await store.paid_to(session, company_id, wanted.key))
    if wanted.minor is not None:
        note("search.amount", await store.by_amount(session, company_id, wanted.minor, *wanted.period))
    if wanted.name is not None:
        note("search.name", [("account", one.id) for one in await choosing.named(session, company_id, wanted.name)])
        note("search.name", await store.by_name(session, company_id, wanted.name, *wanted.period))
    told = await store.described(session, company_id, [one for _, one in found])
    hits = [_hit(thing, one, matched) for (thing, one), matched in found.items()]
    full = [_described(hit, told) for hit in hits]
    return sorted(full, key=lambda hit: (hit.at or _EVER[0], hit.id.int), reverse=True)


def _hit(thing: str, own: UUID, matched: str) -> Hit:
    return Hit(thing, own, matched, f"/console/{PLACES.get(thing) or _OTHERS[thing]}/{own}")


def _described(hit: Hit, told: dict[UUID, Record]) -> Hit:
    row = told.get(hit.id)
    if row is None:
        return hit
    amount = None if row["minor"] is None else Money(row["minor"], row["currency"])
    return replace(hit, name=row["name"] or "", state=row["state"], amount=amount, at=row["created_at"])


def sentence(wanted: SearchTerms, say: Terms) -> str:
    """Says how the text was understood."""
    parts = [say("search.code")] if wanted.id is None else [say("search.id")]
    if wanted.document is not None:
        parts.append(say("search.document"))
    if wanted.key is not None:
        parts.append(say("search.key"))
    if wanted.name is not None:
        parts.append(say("search.name"))
    if wanted.minor is not None:
        parts.append(f"{say('search.amount')} {say.money(Money(wanted.minor, 'BRL'))}")
    return ", ".join(parts)
