"""Administers people: invitations, roles, and changes to themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND
from lastro.core.errors import Kind, Refused, Stale
from lastro.core.secrets import Secret, hash_machine_secret, new_machine_secret
from lastro.people import passwords, rules, store
from lastro.people.actions.sign_in import INVITATION, LINK_PREFIX, SANDBOX, SECRET_PLACE, Entrance, Slow
from lastro.people.model import INVITED, Role
from lastro.people.problems import BY_COMMAND_LINE, EMAIL_DUPLICATE, PERSON_CONFLICT, ROLES_REQUIRED
from lastro.standards import totp

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any
    from uuid import UUID

    from lastro.people.model import Person, Presence

_RECOVERY_CODES = 10
_RECOVERY_BYTES = 10  # 80 random bits each cannot be guessed
_SANDBOX_LINK = timedelta(days=30)
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # 32 letters and digits that look different


@dataclass(frozen=True, slots=True)
class By:
    """The author of a change, and its network. person None: the command line."""

    person: Person | None = None
    network: str | None = None

    @property
    def id(self) -> UUID | None:
        """Its id."""
        return None if self.person is None else self.person.id


_COMMAND_LINE = By()
_RETRIES = 5


@dataclass(frozen=True)
class Register:
    """The register of people. entrance: the connections and chance it works with."""

    entrance: Entrance

    async def invite(
        self, email: str, name: str, roles: Collection[Role], only_company: UUID | None, by: By = _COMMAND_LINE
    ) -> tuple[Person, Secret] | Refused:
        """Invites a person by a link for choosing a password. A known person gets another link."""
        address = rules.email_of(email)
        async with self.entrance.database.session() as session:
            found = await store.by_email(session, address)
            if found is None:
                if problems := rules.person_problems(address, name, roles):
                    return Refused(Kind.INVALID, tuple(problems))
                person_id, names = self._id(), [role.value for role in Role if role in roles]
                await store.add(session, person_id, address, name, only_company, names, self._id(), by.id, by.network)
                found = await store.by_email(session, address)
        if found is None:
            raise Stale("somebody has the address and has it no longer")
        whom = found[0]
        if (why := self._not_invited(whom, name, roles, only_company, by)) is not None:
            return EMAIL_DUPLICATE.refused(why=why)
        return whom, await self._link(whom, INVITATION, INVITED, by)

    def _not_invited(
        self, whom: Person, name: str, roles: Collection[Role], only_company: UUID | None, by: By
    ) -> str | None:
        """Returns the reason against a link for a known address; None: there is none."""
        if whom.ended_at is not None or (by.person is not None and not rules.may_administer(by.person, whom)):
            return "was somebody's who may not be let in here"
        if by.person is not None and whom.has_password:
            return BY_COMMAND_LINE.description
        if (whom.name, whom.roles, whom.only_company) != (name, frozenset(roles), only_company):
            return "is somebody's already, of another name, other roles or another company, which no link changes"
        return None

    async def let_in(self, email: str, name: str, only_company: UUID | None = None) -> Secret:
        """Returns a link that lets the sandbox's own person in. The person has every role; the link needs no password."""
        found = await self.of_email(email)
        if found is None:
            made = await self.invite(email, name, tuple(Role), only_company)
            assert not isinstance(made, Refused), "the sandbox names somebody that may be let in"
            found = made[0]
        return await self._link(found, SANDBOX, _SANDBOX_LINK, _COMMAND_LINE)

    async def _link(self, whom: Person, kind: str, lasts: timedelta, by: By) -> Secret:
        link = new_machine_secret(LINK_PREFIX, self.entrance.chance.bytes)
        async with self.entrance.database.session() as session:
            await store.link(session, hash_machine_secret(link), whom.id, kind, lasts)
            await store.tell(session, self._id(), whom.id, by.id, f"{kind}_LINK", by.network)
        return link

    async def everybody(self, only_company: UUID | None) -> list[Person]:
        """Reads people, ended ones too, of one company or all."""
        async with self.entrance.database.session() as session:
            return await store.people(session, only_company)

    async def one(self, person_id: UUID) -> Person | None:
        """Reads a person by id."""
        async with self.entrance.database.session() as session:
            return await store.person(session, person_id)

    async def of_email(self, email: str) -> Person | None:
        """Reads a person by e-mail address."""
        async with self.entrance.database.session() as session:
            found = await store.by_email(session, rules.email_of(email))
        return None if found is None else found[0]

    async def end(self, whom: Person, by: By = _COMMAND_LINE) -> Refused | None:
        """Ends a person's access, and all its sessions."""
        return await self._administer(whom, by, "ENDED", {}, ends=True)

    async def permit(self, whom: Person, roles: Collection[Role], by: By = _COMMAND_LINE) -> Refused | None:
        """Sets a person's roles, and ends its sessions: the old roles apply no more."""
        names = [role.value for role in Role if role in roles]
        if not names:
            return ROLES_REQUIRED.refused()
        return await self._administer(whom, by, "ROLES", {"roles": names}, detail=", ".join(names))

    async def take_factor(self, whom: Person, by: By = _COMMAND_LINE) -> Refused | None:
        """Removes a lost second factor; with a password, by the command line alone."""
        if by.person is not None and whom.has_password and rules.may_administer(by.person, whom):
            return BY_COMMAND_LINE.refused()
        return await self._administer(whom, by, "FACTOR_REMOVED", {"totp_secret": None, "recovery_hashes": []})

    async def sign_out(self, whom: Person, by: By = _COMMAND_LINE) -> Refused | None:
        """Ends every session of a person."""
        return await self._administer(whom, by, "SIGNED_OUT", {})

    async def leave(self, who: Presence, network: str) -> None:
        """Ends every session of a person.

        It retries where the person was changed since it was read. Stale: it changes all the time.
        """
        whom: Person | None = who.person
        for _ in range(_RETRIES):
            if whom is None or whom.ended_at is not None:
                return
            if await self._change(whom, By(who.person, network), "SIGNED_OUT", {}) is None:
                return
            whom = await self.one(who.person.id)
        raise Stale("somebody is changed again and again")

    async def _administer(
        self, whom: Person, by: By, act: str, sets: dict[str, Any], *, ends: bool = False, detail: str | None = None
    ) -> Refused | None:
        if by.person is not None and not rules.may_administer(by.person, whom):
            return NOT_FOUND if by.person.only_company not in (None, whom.only_company) else Refused(Kind.FORBIDDEN)
        return await self._change(whom, by, act, sets, ends=ends, detail=detail)

    async def change_password(self, who: Presence, now: str, then: str, network: str) -> Slow | str | None:
        """Changes one's own password, and ends every other session.

        Returns a word on failure: WRONG, or the problem of the new one.
        """
        knows = await self.entrance.knows_password(who.person, now)
        if knows is not True:
            return knows or "WRONG"
        if (problem := rules.password_problem(then, who.person)) is not None:
            return problem
        made = await self.entrance.in_thread(lambda: passwords.hashed(then, self.entrance.chance.bytes))
        refused = await self._change(
            who.person, By(who.person, network), "PASSWORD_CHANGED", {"password_hash": made}, keeps=who.hash
        )
        return None if refused is None else "STALE"

    def new_factor(self) -> bytes:
        """Returns a secret for a second factor, which counts once confirmed."""
        return self.entrance.chance.bytes(totp.SECRET_BYTES)

    async def add_factor(
        self, who: Presence, secret: bytes, code: str, password: str, network: str, before: str
    ) -> Slow | str | list[str]:
        """Adds a second factor to oneself, and returns the recovery codes.

        They are shown this once. before: a code of the factor that this one replaces. Returns a word on failure: WRONG
        password, CODE that is not of this secret, BEFORE where there is a factor and its code was not shown.
        """
        knows = await self.entrance.knows_password(who.person, password)
        if knows is not True:
            return knows or "WRONG"
        step = totp.step_shown(secret, "".join(code.split()), self.entrance.machine_now().timestamp(), 0)
        if step is None or len(secret) != totp.SECRET_BYTES:
            return "CODE"
        if who.person.has_factor and (shows := await self.entrance.shows(who.person, before, network)) is not True:
            return shows or "BEFORE"
        codes = [self._recovery_code() for _ in range(_RECOVERY_CODES)]
        table, column = SECRET_PLACE
        sealed = self.entrance.key_ring.seal(secret, table=table, column=column, company_id=None, row_id=who.person.id)
        sets = {
            "totp_secret": sealed, "totp_counter": step,
            "recovery_hashes": [hash_machine_secret(one.replace("-", "")) for one in codes],
        }  # fmt: skip
        refused = await self._change(who.person, By(who.person, network), "FACTOR_ADDED", sets, keeps=who.hash)
        if refused is not None:
            return "STALE"
        async with self.entrance.database.session() as session:
            await store.prove(session, who.hash)
        return codes

    def _recovery_code(self) -> str:
        drawn = int.from_bytes(self.entrance.chance.bytes(_RECOVERY_BYTES), "big")
        letters = "".join(_ALPHABET[drawn >> 5 * place & 31] for place in range(16))
        return "-".join(letters[place : place + 4] for place in range(0, 16, 4))

    async def _change(
        self, whom: Person, by: By, act: str, sets: dict[str, Any], *, ends: bool = False, keeps: bytes | None = None,
        detail: str | None = None,
    ) -> Refused | None:  # fmt: skip
        async with self.entrance.database.session() as session:
            done = await store.change(
                session, whom, act, self._id(), by.id, sets, ends=self.entrance.machine_now() if ends else None, keeps=keeps,
                detail=detail, address=by.network,
            )  # fmt: skip
        return None if done else PERSON_CONFLICT.refused()

    def _id(self) -> UUID:
        return self.entrance.chance.uuid(self.entrance.machine_now())
