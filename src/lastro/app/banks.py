"""The wiring of connections: companies' own accounts at banks, which are reached by API Pix."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from lastro.app.networks import business_now
from lastro.companies import company_of_number
from lastro.core.declined import StartRefused
from lastro.core.errors import Refused, Stale
from lastro.observability.bank_figures import BankFigures
from lastro.orders import DeclareConnection, ForeignPayments, left_out
from lastro.rails.api_pix import (
    PAYMENTS,
    Ambient,
    BankLine,
    InboxTakings,
    Stores,
    issuer_of,
    rail_of,
    recurrences_of,
    statements_of,
    sweeps_of,
)
from lastro.rails.cursors import RailCursor
from lastro.rails.inbox import Inbox
from lastro.web.bank_webhooks import WebhookReceiver

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from uuid import UUID

    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.core.ids import Chance
    from lastro.core.runner import Runner
    from lastro.rails import port
    from lastro.rails.api_pix import Connection, Nightly


def bank_lines(settings: Settings, chance: Chance) -> dict[str, BankLine]:
    """Returns a line to each bank account, by its connection's name. Operators are told of certificates that are over."""
    ambient = Ambient(time.monotonic, machine_now, lambda: str(chance.uuid(machine_now())))
    lines = {connection.name: BankLine(connection, ambient) for connection in settings.connections}
    for line in lines.values():
        line.look_at_certificate()
    return lines


def issuers_of(lines: Mapping[str, BankLine], database: Database, chance: Chance) -> dict[str, port.Issuer]:
    """Returns the bank of each connection, for orders; the lines stay theirs who gave them.

    A connection that makes no new codes still ends those that it has made.
    """
    token = chance.uuid(machine_now())  # of no lease: it only notes

    def opened(name: str, line: BankLine) -> port.Issuer:
        return issuer_of(line.connection, line, RailCursor(database, name, PAYMENTS, token).hint)

    return {name: opened(name, line) for name, line in lines.items()}


def makers_of(lines: Mapping[str, BankLine]) -> dict[str, port.Recurrences]:
    """Returns the bank of each connection that makes subscriptions; the lines stay theirs who gave them."""
    return {
        name: recurrences_of(line.connection, line, issuer_of(line.connection, line))
        for name, line in lines.items()
        if line.connection.makes_subscriptions
    }


@dataclass(frozen=True, slots=True)
class Banks:
    """The banks of connections, as a worker knows them: a line to each. work: the role that sees ids alone."""

    lines: Mapping[str, BankLine]
    runner: Runner
    work: Database
    token: UUID
    inbox: Inbox

    def rails(self) -> dict[str, port.Rail]:
        """Returns the rail of each connection."""
        return {name: rail_of(line.connection, line, self._stores(line)) for name, line in self.lines.items()}

    def statements(self) -> dict[str, port.Statements]:
        """Returns the source of each connection's statements."""
        now = partial(business_now, self.work)
        return {name: statements_of(line.connection, line, self._stores(line), now) for name, line in self.lines.items()}

    def nights(self, name: str) -> tuple[Nightly, ...]:
        """Returns the sweeps that are made at a connection once a night. Another rail has none."""
        line = self.lines.get(name)
        if line is None:
            return ()
        takings = InboxTakings(self.inbox.keep, line.connection.company)
        return sweeps_of(line.connection, line, self._stores(line), takings)

    def _stores(self, line: BankLine) -> Stores:
        foreign = ForeignOfCompany(line.connection.company, self.work, self.runner)
        return Stores(self.runner.database, self.work, foreign, self.token)


@dataclass
class ForeignOfCompany:
    """The list of foreign payments of the company with a number: a `port.Foreign`."""

    number: int
    work: Database
    runner: Runner
    company_id: UUID | None = field(default=None, init=False)

    async def keep(self, payments: Sequence[port.ForeignPayment]) -> None:
        """Stores the payments, each once. DatabaseAway: give the same ones again."""
        await (await self._listed()).keep(payments)

    async def claimed(self, rail: str, payment_ids: Collection[str]) -> frozenset[str]:
        """Returns the claimed ones of these payments. DatabaseAway: try again later."""
        return await (await self._listed()).claimed(rail, payment_ids)

    async def unclaimed(self, rail: str, payment_ids: Collection[str]) -> frozenset[str]:
        """Returns those of these payments that are listed and not claimed. DatabaseAway: try again later."""
        return await (await self._listed()).unclaimed(rail, payment_ids)

    async def _listed(self) -> ForeignPayments:
        if self.company_id is None:
            self.company_id = (await _companies(self.work, [self.number])).get(self.number)
        if self.company_id is None:
            raise LookupError(f"there is no company with number {self.number}, and a start has demanded it")
        return ForeignPayments(self.runner, self.company_id)


def receivers_of(connections: Iterable[Connection], database: Database, chance: Chance) -> dict[str, WebhookReceiver]:
    """Returns who may ring for each connection that has a webhook; a ring is noted for whoever polls it."""
    token = chance.uuid(machine_now())  # of no lease: it only notes
    return {
        one.name: WebhookReceiver(one.secret, one.peers, RailCursor(database, one.name, PAYMENTS, token).hint)
        for one in connections
        if one.webhook is not None and one.secret is not None
    }


def banks_of(settings: Settings, work: Database, runner: Runner, chance: Chance) -> Banks:
    """Returns the banks of a worker's connections. work: the role that sees ids alone."""
    inbox = Inbox(runner.database, work, chance, settings.ispb)
    return Banks(bank_lines(settings, chance), runner, work, chance.uuid(machine_now()), inbox)


async def declare_all(connections: Iterable[Connection], work: Database, runner: Runner) -> None:
    """Writes what the file says of connections; those that it lacks end. StartRefused: it names every mistake.

    A start that is refused by the file has changed nothing.
    """
    problems, acts = await _acts_of(connections, work, runner)
    for company_id, verb in () if problems else acts:
        problems += await _problems_of(runner, company_id, verb)
    _refuse(problems)


async def demand_declarable(connections: Iterable[Connection], work: Database, runner: Runner) -> None:
    """Raises StartRefused, with every mistake, where `declare_all` would refuse the file. It writes nothing."""
    problems, _ = await _acts_of(connections, work, runner)
    _refuse(problems)


async def _acts_of(
    connections: Iterable[Connection], work: Database, runner: Runner
) -> tuple[list[str], list[tuple[UUID, DeclareConnection]]]:
    """Returns the mistakes of a file, and its acts: connections that it lacks end first."""
    found = tuple(connections)
    companies = await _companies(work, [one.company for one in found])
    missing = await left_out(work, [one.name for one in found])
    problems = [
        f"{one.rail} is not in the file, and orders of the last 90 days are paid there: put it back with issuing = false"
        for one in missing
        if one.is_needed
    ]
    problems += [
        f"{one.name}.company is {one.company}, and no company has this number"
        for one in found
        if one.company not in companies
    ]
    declared = [
        (companies[one.company], DeclareConnection(one.name, one.keys, one.makes_orders))
        for one in found
        if one.company in companies
    ]
    for company_id, verb in declared:
        problems += await _problems_of(runner, company_id, replace(verb, is_check=True))
    return problems, [*((one.company_id, DeclareConnection(one.rail, {}, is_issuing=False)) for one in missing), *declared]


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        raise StartRefused("LASTRO_BANKS_FILE: " + "; ".join(problems) + ".")


async def _problems_of(runner: Runner, company_id: UUID, verb: DeclareConnection) -> list[str]:
    """Declares a connection, and returns what is wrong with it."""
    try:
        done = await runner.act(company_id, verb)
    except Stale:
        return [f"{verb.rail} cannot be declared while another process declares it or its keys: start again"]
    return [f"{verb.rail}.{one.field} {one.description}" for one in done.problems] if isinstance(done, Refused) else []


async def _companies(work: Database, numbers: Iterable[int]) -> dict[int, UUID]:
    async with work.session() as session:
        found = {number: await company_of_number(session, number) for number in set(numbers)}
    return {number: company_id for number, company_id in found.items() if company_id is not None}


def figures_of(lines: Iterable[BankLine], now: datetime) -> tuple[BankFigures, ...]:
    """Returns the figures of lines, for /metrics. Files of certificates that have changed are read."""
    return tuple(
        BankFigures(
            line.connection.name,
            None if (until := line.certificate_until) is None else (until - now).total_seconds(),
            line.tokens.age_seconds,
            line.troubles,
        )
        for line in lines
    )


class ConnectionSummary(NamedTuple):
    """A connection as the console shows it: dialect, pause between polls, webhook, end of our certificate, refunds."""

    dialect: str
    poll_seconds: int
    is_told: bool
    certificate_until: datetime | None
    gives_refunds: bool


def summaries_of(lines: Mapping[str, BankLine]) -> dict[str, ConnectionSummary]:
    """Returns the connections for the console, by name. Files of certificates that have changed are read."""
    return {
        name: ConnectionSummary(
            one.dialect.name, one.poll_seconds, one.webhook is not None, line.certificate_until, one.gives_refunds
        )
        for name, line in lines.items()
        for one in (line.connection,)
    }


def machine_now() -> datetime:
    """Returns the machine's time: banks and certificates know no other."""
    return datetime.now(UTC)
