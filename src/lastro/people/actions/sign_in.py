"""Signs people in by password, second factor or link. Each try is counted before it is looked at."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from lastro.core.concurrency_slot import without_slot
from lastro.core.secrets import Secret, hash_machine_secret, new_machine_secret
from lastro.people import passwords, rules, store
from lastro.people.model import Presence, Stage
from lastro.standards import totp

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.core.ids import Chance
    from lastro.core.secrets import KeyRing
    from lastro.people.model import Person

T = TypeVar("T")
SESSION_PREFIX = "lss_"  # a scanner finds it where it should not be
LINK_PREFIX = "lsl_"
SECRET_PLACE = ("people", "totp_secret")  # the table and column that a second factor is sealed to
INVITATION, SANDBOX = "INVITATION", "SANDBOX"


@dataclass(frozen=True, slots=True)
class Entered:
    """A sign-in, at least half-way. cookie: its proof from now on."""

    cookie: Secret
    person: Person
    stage: Stage


@dataclass(frozen=True, slots=True)
class Slow:
    """The rate limit of sign-ins: nothing was checked. Try again in so many seconds."""

    seconds: int


@dataclass(frozen=True)
class Entrance:
    """The sign-in of people.

    database: as lastro_app. machine_now: for codes of a second factor and for ids. apart: how many hash at a time.
    is_sandbox: money and networks are simulated, so links may let in without a password.
    """

    database: Database
    key_ring: KeyRing
    chance: Chance
    machine_now: Callable[[], datetime]
    apart: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    is_sandbox: bool = False

    async def present(self, cookie: str) -> Presence | None:
        """Returns the person of a cookie; None: nobody, or nobody any more."""
        async with self.database.session() as session:
            return await store.present(session, hash_machine_secret(cookie))

    async def by_password(self, email: str, password: str, network: str, before: str | None) -> Entered | Slow | None:
        """Signs a person in by e-mail address and password.

        None does not say the reason: nobody of that name, or a wrong password. network: tries from one network are
        counted together. before: a cookie that counts no longer.
        """
        address = rules.email_of(email)
        subject = "email " + sha256(address.encode("utf-8", "surrogatepass")).hexdigest()
        slow = await self._slow(((f"network {network}", rules.NETWORK_WAITS), (subject, rules.WAITS)))
        if slow is not None:
            return slow
        async with self.database.session() as session:
            found = await store.by_email(session, address)
        whom, kept = (None, None) if found is None or found[0].ended_at is not None else found
        given = password[: rules.LONGEST_PASSWORD + 1]
        if not await self.in_thread(lambda: passwords.is_right(given, kept)):
            async with self.database.session() as session:  # either way a commit, which takes as long as the disk does
                if whom is None:
                    await store.as_if_signed_in(session, subject)
                else:
                    await store.tell(session, self._id(), whom.id, None, "SIGN_IN_REFUSED", network)
            return None
        assert whom is not None
        assert kept is not None
        again = None  # hashed with no connection held: there are few, and two hash at a time
        if passwords.is_dated(kept):
            again = await self.in_thread(lambda: passwords.hashed(given, self.chance.bytes))
        async with self.database.session() as session:
            await store.was_right(session, subject, f"network {network}")
            if again is not None:
                await store.rehash(session, whom.id, kept, again)
        stage = Stage.PASSWORD if whom.has_factor else Stage.WHOLE
        return await self._begin(whom, stage, "SIGNED_IN" if stage is Stage.WHOLE else "PASSWORD_SHOWN", network, before)

    async def by_code(self, who: Presence, code: str, network: str, before: str) -> Entered | Slow | None:
        """Takes the second step of a sign-in. None: the code is wrong, or was used."""
        shown = await self.shows(who.person, code, network)
        if shown is not True:
            return shown or None
        return await self._begin(who.person, Stage.WHOLE, "SIGNED_IN", network, before, is_second=True)

    async def by_link(self, text: str, network: str, before: str | None) -> Entered | None:
        """Signs a person in by a link of the sandbox. None: it leads nowhere."""
        found = await self.invited(text)
        if found is None or found[1] != SANDBOX:
            return None
        return await self._begin(found[0], Stage.WHOLE, "SIGNED_IN", network, before)

    async def invited(self, text: str) -> tuple[Person, str] | None:
        """Returns a link's person and kind. A link of the sandbox leads nowhere elsewhere, no matter who made it."""
        async with self.database.session() as session:
            found = await store.linked(session, hash_machine_secret(text))
        return None if found is None or (found[1] == SANDBOX and not self.is_sandbox) else found

    async def by_invitation(self, text: str, password: str, network: str) -> Entered | str | None:
        """Chooses a password by an invitation and comes in; a word: why it is not taken; None: the link leads nowhere."""
        async with self.database.session() as session:
            found = await store.linked(session, hash_machine_secret(text))
        if found is None or found[1] != INVITATION:
            return None
        whom = found[0]
        if (problem := rules.password_problem(password, whom)) is not None:
            return problem
        made = await self.in_thread(lambda: passwords.hashed(password, self.chance.bytes))
        async with self.database.session() as session:
            if not await store.use_link(session, hash_machine_secret(text)):
                return None
            sets = {"password_hash": made}
            if not await store.change(session, whom, "PASSWORD_CHOSEN", self._id(), whom.id, sets, address=network):
                return None
        stage = Stage.PASSWORD if whom.has_factor else Stage.WHOLE
        whom = replace(whom, version=whom.version + 1)  # raised by its new password
        return await self._begin(whom, stage, "SIGNED_IN" if stage is Stage.WHOLE else "PASSWORD_SHOWN", network, None)

    async def shows(self, whom: Person, code: str, network: str) -> bool | Slow:
        """Tells whether a code proves the second factor. It is the code of now, or a recovery code. Each counts once."""
        slow = await self._slow(((f"code {whom.id}", rules.WAITS),))
        if slow is not None:
            return slow
        plain = "".join(code.split()).replace("-", "")
        async with self.database.session() as session:
            kept = await store.proof(session, whom.id)
            is_right = False
            if kept is not None and kept["totp_secret"] is not None:
                secret = self._opened(whom, kept["totp_secret"])
                step = totp.step_shown(secret, plain, self.machine_now().timestamp(), kept["totp_counter"])
                if step is not None:
                    is_right = await store.take_step(session, whom.id, step)
                else:
                    is_right = await store.take_recovery(session, whom.id, hash_machine_secret(plain.upper()))
            if is_right:
                await store.was_right(session, f"code {whom.id}")
            else:
                await store.tell(session, self._id(), whom.id, None, "CODE_REFUSED", network)
        return is_right

    async def knows_password(self, whom: Person, password: str) -> bool | Slow:
        """Tells whether a signed-in person knows the password. It is asked before a way of signing in is changed."""
        slow = await self._slow(((f"password {whom.id}", rules.WAITS),))
        if slow is not None:
            return slow
        async with self.database.session() as session:
            kept = await store.proof(session, whom.id)
        hashed = None if kept is None else kept["password_hash"]
        is_right = await self.in_thread(lambda: passwords.is_right(password[: rules.LONGEST_PASSWORD + 1], hashed))
        if is_right:
            async with self.database.session() as session:
                await store.was_right(session, f"password {whom.id}")
        return is_right

    async def in_thread(self, act: Callable[[], T]) -> T:
        """Runs an act in a thread, two at a time.

        A hash takes as long as a hundred requests. A request that waits for one keeps no slot.
        """
        async with without_slot(), self.apart:
            return await asyncio.to_thread(act)

    async def _slow(self, subjects: tuple[tuple[str, tuple[int, ...]], ...]) -> Slow | None:
        async with self.database.session() as session:
            for subject, waits in subjects:
                if (seconds := await store.try_counted(session, subject, waits)) is not None:
                    return Slow(seconds)
        return None

    async def _begin(
        self, whom: Person, stage: Stage, act: str, network: str, before: str | None, *, is_second: bool = False
    ) -> Entered | None:
        cookie = new_machine_secret(SESSION_PREFIX, self.chance.bytes)
        older = None if before is None else hash_machine_secret(before)
        async with self.database.session() as session:
            is_in = await store.start(
                session, hash_machine_secret(cookie), whom, stage, proved=is_second, before=older, goes_on=is_second,
                act_id=self._id(), act=act, address=network,
            )  # fmt: skip
        return Entered(cookie, whom, stage) if is_in else None

    def _opened(self, whom: Person, sealed: bytes) -> bytes:
        table, column = SECRET_PLACE
        return self.key_ring.open(bytes(sealed), table=table, column=column, company_id=None, row_id=whom.id)

    def _id(self) -> UUID:
        return self.chance.uuid(self.machine_now())
