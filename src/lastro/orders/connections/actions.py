"""The verb of connections: what the file says of one becomes rows, when a worker starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro import ledger
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Row, Touch, Write
from lastro.orders.connections import problems as refusals
from lastro.orders.connections.store import declared
from lastro.standards.pix_keys import key_type

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Problem
    from lastro.orders.connections.model import DeclaredConnection, DeclaredKey

_CURRENCY = "BRL"


@dataclass(frozen=True)
class DeclareConnection(Act["DeclaredConnection"]):
    """Writes a connection of the context's company: its rail, its position in the books, its keys.

    keys: number of the account here, by Pix key. The same file again changes nothing; a key that is left out ends. A key
    that stands in two connections is that one's which is issuing, whichever is declared first. is_check: nothing is written.
    """

    rail: str
    keys: Mapping[str, str]
    is_issuing: bool = True
    is_check: bool = False

    async def read(self, session: Session, context: RequestContext) -> DeclaredConnection:
        """Reads the connection, the named accounts, and our own directory's keys."""
        return await declared(session, context.company_id, self.rail, self.keys, set(self.keys.values()))

    def decide(self, known: DeclaredConnection, context: RequestContext) -> Done | Refused:
        """Adds and ends keys as the file says, or returns every problem."""
        problems = self._problems(known, context)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        if self.is_check:
            return Done(None, b"")
        write = self._opened(known, context) + self._keys(known, context)
        return Done(None if write.is_empty else write, b"")

    def _problems(self, known: DeclaredConnection, context: RequestContext) -> list[Problem]:
        if known.owner not in (None, context.company_id):
            return [refusals.RAIL_DUPLICATE.problem()]
        problems = [refusals.KEY_DUPLICATE.problem(f"keys.{key}") for key in self.keys if key in known.ours]
        lost = {key: number for key, number in self.keys.items() if number not in known.accounts}
        return problems + [refusals.ACCOUNT_INVALID.problem(f"keys.{key}", number=number) for key, number in lost.items()]

    def _opened(self, known: DeclaredConnection, context: RequestContext) -> Write:
        company_id, now = context.company_id, context.now
        if known.is_there:
            if known.is_issuing == self.is_issuing:
                return Write(company_id)
            sets = {"is_issuing": self.is_issuing, "updated_at": now, "version": known.version + 1}
            return Write(company_id, touches=(Touch("connections", self.rail, known.version, sets, key="rail"),))
        rail = {"rail": self.rail, "currency": _CURRENCY, "kind": "connection"}
        made = {"rail": self.rail, "is_issuing": self.is_issuing, "created_at": now, "updated_at": now}
        rows = (
            Row("rails", rail), ledger.clearing_row(company_id, self.rail, _CURRENCY), Row("connections", made),
        )  # fmt: skip
        return Write(company_id, rows=rows)

    def _keys(self, known: DeclaredConnection, context: RequestContext) -> Write:
        wanted = {key: known.accounts[number] for key, number in self.keys.items()}
        moved = {one.key: one for one in known.elsewhere}
        if not self.is_issuing:  # the other connection keeps them
            wanted, moved = {key: account_id for key, account_id in wanted.items() if key not in moved}, {}
        there = {one.key for one in known.keys}
        # An order that was decided while the connection was issuing relies on the version of its key.
        turns = known.is_there and known.is_issuing != self.is_issuing
        changes = [(one, {"ended_at": context.now}) for one in moved.values()]
        changes += [(one, _change(one, wanted.get(one.key), context)) for one in known.keys]
        touches = tuple(
            Touch("connection_keys", one.id, one.version, {**change, "version": one.version + 1})
            for one, change in changes
            if change or turns
        )
        rows = tuple(
            Row("connection_keys", {
                "id": context.chance.uuid(context.now), "rail": self.rail, "type": _type(key), "key": key,
                "account_id": account_id, "created_at": context.now,
            })
            for key, account_id in wanted.items()
            if key not in there
        )  # fmt: skip
        return Write(context.company_id, rows=rows, touches=touches)


def _change(known: DeclaredKey, account_id: UUID | None, context: RequestContext) -> dict[str, Any]:
    """Returns what changes of a declared key. account_id: that the file names for it; None: it is left out there."""
    if account_id is None:
        return {"ended_at": context.now}
    return {} if account_id == known.account_id else {"account_id": account_id}


def _type(key: str) -> str:
    """Returns a key's type, in the interface's word. key: in the directory's form, checked when the file was read."""
    kind = key_type(key)
    assert kind is not None
    return "RANDOM" if kind == "EVP" else kind
