"""A command's context: the database as the API sees it, the runner, and lookups of companies and accounts by name."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from lastro import accounts, companies
from lastro.api_kit.routes import as_id
from lastro.app import wiring
from lastro.config.settings import PRODUCTION
from lastro.core.clock import BusinessClock
from lastro.core.db import Database
from lastro.core.declined import CommandFailed, StartRefused
from lastro.core.errors import DatabaseAway, Kind, LoginRefused, Refused, Stale
from lastro.core.ids import Chance
from lastro.core.runner import Runner
from lastro.ops import key_proofs
from lastro.ops.keys_file import key_ring_of
from lastro.ops.rollback_check import Heart, Memory
from lastro.ops.start_checks import demand_ours
from lastro.standards.account_numbers import is_account_number

if TYPE_CHECKING:
    import argparse
    from collections.abc import Awaitable, Callable
    from typing import Self
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.companies import Client, Company, Keychain
    from lastro.config.settings import Settings
    from lastro.core.db import Session
    from lastro.core.runner import Verb
    from lastro.core.secrets import KeyRing


class Act(Protocol):
    """A command: from what was parsed to what is shown, a mapping or a list of mappings with the same names."""

    def __call__(self, context: CommandContext, given: argparse.Namespace, /) -> Awaitable[Any]:
        """Performs the command. Declined: it could not, and nothing was written."""


class CommandContext:
    """One command's connections. Declined on entering: no database, another mode's, or a login that is too mighty."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.chance = Chance(os.urandom)
        self.database = Database(settings.app, size=2)
        self._runner = Runner(self.database, BusinessClock(time.monotonic), self.chance)

    async def __aenter__(self) -> Self:
        try:
            await demand_ours(self.database, self.settings)
            await self.database.refuse_superuser(login_too=self.settings.mode == PRODUCTION)
            await Heart(self.database, Memory(self.settings.home), self.settings.mode).start()
        except LoginRefused as refused:
            raise CommandFailed(f"{refused}.") from refused
        except DatabaseAway as away:
            raise CommandFailed(f"The database cannot be reached: {_first_line(away)}.") from away
        except (StartRefused, PermissionError) as refused:
            await self.database.close()
            raise CommandFailed(str(refused)) from refused
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.database.close()

    async def act(self, company_id: UUID, verb: Verb[Any]) -> dict[str, Any]:
        """Performs a verb, and returns its answer. Declined: its refusal, in a sentence."""
        try:
            outcome = await self._runner.act(company_id, verb)
        except Stale as stale:
            raise CommandFailed("Somebody else changed the same thing at the same moment: try again.") from stale
        except DatabaseAway as away:
            raise CommandFailed(f"The database went away, look whether it was done: {_first_line(away)}.") from away
        if isinstance(outcome, Refused):
            raise CommandFailed(_sentence(outcome))
        said: dict[str, Any] = msgspec.json.decode(outcome.body)
        return said

    async def every_company(self) -> list[Company]:
        """Returns every company, lowest number first. They are read one by one, as row-level security has it."""
        found = []
        for company_id in await self._company_ids():
            async with self.database.session(company_id) as session:
                found.append(await companies.company(session, company_id))
        return [company for company in found if company is not None]

    async def _company_ids(self) -> list[UUID]:
        async with self.database.session() as session:
            return [company_id for _, company_id in await companies.numbers(session)]

    async def companies_of(self, text: str | None) -> list[Company]:
        """Returns the company of this number or id; None: every company."""
        return await self.every_company() if text is None else [await self.company(text)]

    async def change_company(self, text: str, verb: Verb[Any]) -> dict[str, Any]:
        """Performs a verb for the company of this number or id."""
        return await self.act((await self.company(text)).id, verb)

    async def find(self, text: str, look: Callable[[Session, UUID, UUID], Awaitable[Any]]) -> tuple[UUID, Any] | None:
        """Finds the company of an object, and what `look` reads of it.

        Row-level security has the companies read one by one.
        """
        own_id = as_id(text.lower())
        if own_id is None:
            return None
        for company_id in await self._company_ids():
            async with self.database.session(company_id) as session:
                if found := await look(session, company_id, own_id):
                    return company_id, found
        return None

    async def company(self, text: str) -> Company:
        """Returns the company of this number or id. Declined: there is none."""
        company_id = as_id(text.lower())
        if company_id is None and text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER:
            async with self.database.session() as session:
                company_id = await companies.company_of_number(session, int(text))
        if company_id is not None:
            async with self.database.session(company_id) as session:
                found = await companies.company(session, company_id)
            if found is not None:
                return found
        raise CommandFailed(
            f"There is no company {text[:60]!r}: give its number or its id, as lastro company list shows them."
        )

    async def client(self, client_id: str, company: str | None) -> tuple[UUID, Client]:
        """Returns the company and the client of this id.

        Declined: there is none, or its id alone does not say whose it is.
        """
        number = companies.company_of_client(client_id)
        if company is None and number is None:
            raise CommandFailed(
                "That is no client id of ours: name the company of an outside issuer's client with --company."
            )
        whose = await self.company(str(number) if company is None else company)
        async with self.database.session(whose.id) as session:
            found = await companies.client(session, whose.id, client_id)
        if found is None:
            raise CommandFailed(f"Company {whose.number} has no client {client_id[:80]!r}.")
        return whose.id, found

    async def account(self, text: str) -> tuple[UUID, Account]:
        """Returns the company and the account of this number or id. Declined: there is none."""
        plain = text.replace("-", "")
        number = plain if is_account_number(plain) else None
        async with self.database.session() as session:
            owner = await accounts.owner_of(session, number, as_id(text.lower()))
        if owner is not None:
            company_id, account_id = owner
            async with self.database.session(company_id) as session:
                (found,) = await accounts.accounts_of(session, company_id, [account_id])
            return company_id, found
        raise CommandFailed(f"There is no account {text[:60]!r}: give its nine digits or its id.")

    async def key_ring(self) -> KeyRing:
        """Returns the keys of the keys file, proved. StartRefused: the file cannot be used, or is another database's."""
        ring = key_ring_of(self.settings)
        await key_proofs.prove(self.database, ring, self.settings.keys_file)
        return ring

    async def keychain(self) -> Keychain:
        """Returns the institution's signing keys. StartRefused: the keys file cannot be used, or is another database's."""
        await self.key_ring()
        return wiring.keychain_of(self.settings, self.database)


_LONGEST_NUMBER = 9


def _sentence(refused: Refused) -> str:
    if refused.kind is Kind.UNAVAILABLE and not refused.problems:
        return "Nothing was done: a bank or partner gives no answer now. Try again; lastro bank check says what is wrong."
    if not refused.problems:
        return f"That was refused: {refused.kind.value.lower().replace('_', ' ')}."
    return "That was refused: " + "; ".join(f"{p.field} {p.description}" for p in refused.problems) + "."


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
