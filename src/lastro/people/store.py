"""All SQL of the people room. Each change of a person is one statement with the row that tells of it.

Companies' statements ask whether a person has ended, so each server knows it by `people_ended`. Its row comes first: if this
stops in between, somebody's approvals count no longer, and nobody's count who has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lastro.core.rows import RowMapper
from lastro.people.model import HALF_WAY, IDLE, LONGEST, PROVED, ConsoleAct, Person, PersonAct, Presence, Role, Stage

if TYPE_CHECKING:
    from datetime import datetime, timedelta
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database, Session

_COLUMNS = """p.id, p.email, p.name, p.only_company, p.roles, p.password_hash IS NOT NULL AS has_password,
  p.totp_secret IS NOT NULL AS has_factor, cardinality(p.recovery_hashes) AS recovery_codes, p.language, p.theme, p.ended_at,
  p.created_at, p.version"""
_PERSON = f"SELECT {_COLUMNS} FROM people p WHERE p.id = $1"  # noqa: S608 columns of our own
_BY_EMAIL = f"SELECT {_COLUMNS}, p.password_hash FROM people p WHERE p.email = $1"  # noqa: S608
_PEOPLE = f"""
SELECT {_COLUMNS} FROM people p WHERE $1::uuid IS NULL OR p.only_company = $1 ORDER BY p.ended_at IS NOT NULL, p.email
"""  # noqa: S608
_PROOF = "SELECT password_hash, totp_secret, totp_counter, recovery_hashes FROM people WHERE id = $1 AND ended_at IS NULL"
_SESSION = f"""
SELECT {_COLUMNS}, s.stage, s.chosen_company, coalesce(s.proved_at > machine_now() - $4::interval, false) AS is_proved,
       s.seen_at < machine_now() - interval '1 minute' AS is_to_be_noted
  FROM people_sessions s JOIN people p ON p.id = s.person_id
 WHERE s.hash = $1 AND s.ended_at IS NULL AND p.ended_at IS NULL AND s.version = p.version
   AND s.seen_at > machine_now() - $2::interval
   AND s.created_at > machine_now() - CASE s.stage WHEN 'WHOLE' THEN $3::interval ELSE $5::interval END
"""  # noqa: S608
_SEEN = "UPDATE people_sessions SET seen_at = machine_now() WHERE hash = $1 AND ended_at IS NULL"
# A person that was changed meanwhile does not come in ($9: the version whose password or factor was looked at), nor one
# that goes on from a session that is over ($10). A change that is not seen yet here leaves the session behind at its
# version.
_BEGIN = """
WITH over AS (DELETE FROM people_sessions WHERE person_id = $2 AND created_at < machine_now() - interval '30 days'),
before AS (
  UPDATE people_sessions SET ended_at = machine_now() WHERE hash = $5::bytea AND ended_at IS NULL RETURNING 1),
whom AS (
  SELECT id, version, only_company FROM people
   WHERE id = $2 AND ended_at IS NULL AND version = $9 AND (NOT $10 OR EXISTS (SELECT FROM before))),
told AS (
  INSERT INTO people_acts (id, person_id, by_person, act, address, created_at)
  SELECT $6, id, id, $7, $8, machine_now() FROM whom)
INSERT INTO people_sessions (hash, person_id, version, stage, chosen_company, proved_at, created_at, seen_at)
SELECT $1, id, version, $3, coalesce(only_company, (SELECT chosen_company FROM people_sessions WHERE hash = $5)),
       CASE WHEN $4 THEN machine_now() END, machine_now(), machine_now()
  FROM whom RETURNING 1
"""
_END = "UPDATE people_sessions SET ended_at = machine_now() WHERE hash = $1 AND ended_at IS NULL"
_CHOOSE = "UPDATE people_sessions SET chosen_company = $2 WHERE hash = $1 AND ended_at IS NULL"
_PROVED = "UPDATE people_sessions SET proved_at = machine_now() WHERE hash = $1 AND ended_at IS NULL"
_TRY = """
INSERT INTO sign_in_tries AS t (subject, tries, last_at, next_at)
VALUES ($1, 1, machine_now(), machine_now() + ($2::int[])[1] * interval '1 second')
ON CONFLICT (subject) DO UPDATE
   SET tries = CASE WHEN t.last_at < machine_now() - interval '1 day' THEN 1 ELSE t.tries + 1 END, last_at = machine_now(),
       next_at = machine_now() + interval '1 second' * ($2::int[])[
         CASE WHEN t.last_at < machine_now() - interval '1 day' THEN 1 ELSE least(t.tries + 1, cardinality($2)) END]
 WHERE t.next_at <= machine_now() RETURNING tries
"""
_WAIT = "SELECT greatest(1, ceil(extract(epoch FROM next_at - machine_now())))::int FROM sign_in_tries WHERE subject = $1"
_RIGHT = """
WITH over AS (
  DELETE FROM sign_in_tries
   WHERE last_at < machine_now() - interval '2 days' AND subject <> $1 AND subject IS DISTINCT FROM $2),
given_back AS (
  UPDATE sign_in_tries SET tries = greatest(tries - 1, 0), next_at = machine_now() WHERE subject = $2)
DELETE FROM sign_in_tries WHERE subject = $1
"""
_AGAIN = "UPDATE sign_in_tries SET tries = tries WHERE subject = $1"
_TELL = """
INSERT INTO people_acts (id, person_id, by_person, act, detail, address, created_at)
VALUES ($1, $2, $3, $4, $5, $6, machine_now())
"""
_REHASH = "UPDATE people SET password_hash = $3 WHERE id = $1 AND password_hash = $2"
_COUNTER = "UPDATE people SET totp_counter = $2 WHERE id = $1 AND totp_counter < $2 RETURNING 1"
_RECOVER = """
UPDATE people SET recovery_hashes = array_remove(recovery_hashes, $2)
 WHERE id = $1 AND $2 = ANY (recovery_hashes) RETURNING 1
"""
_ADD = """
WITH made AS (
  INSERT INTO people (id, email, name, only_company, roles, created_at) VALUES ($1, $2, $3, $4, $5, machine_now())
  ON CONFLICT (email) DO NOTHING RETURNING id)
INSERT INTO people_acts (id, person_id, by_person, act, version, detail, address, created_at)
SELECT $6, made.id, $7, 'INVITED', 1, $8, $9, machine_now() FROM made RETURNING 1
"""
_LINK = """
WITH over AS (DELETE FROM people_links WHERE expires_at < machine_now() - interval '1 day'),
older AS (UPDATE people_links SET used_at = machine_now() WHERE person_id = $2 AND kind = $3 AND used_at IS NULL)
INSERT INTO people_links (hash, person_id, kind, expires_at) VALUES ($1, $2, $3, machine_now() + $4::interval)
"""
_LINKED = f"""
SELECT {_COLUMNS}, l.kind FROM people_links l JOIN people p ON p.id = l.person_id
 WHERE l.hash = $1 AND l.used_at IS NULL AND l.expires_at > machine_now() AND p.ended_at IS NULL
"""  # noqa: S608
_USE = """
UPDATE people_links SET used_at = machine_now()
 WHERE hash = $1 AND used_at IS NULL AND expires_at > machine_now() RETURNING 1
"""
_PREFER = "UPDATE people SET language = coalesce($2, language), theme = coalesce($3, theme) WHERE id = $1"
# {sets}: of the person. Its sessions but for one end, since whoever else is in may be whom this keeps out.
_CHANGE = """
WITH moved AS (
  UPDATE people SET {sets}, version = version + 1 WHERE id = $1 AND version = $2 AND ended_at IS NULL RETURNING id, version),
ended AS (
  UPDATE people_sessions s SET ended_at = machine_now() FROM moved
   WHERE s.person_id = moved.id AND s.ended_at IS NULL AND s.hash IS DISTINCT FROM $3::bytea),
kept AS (
  UPDATE people_sessions s SET version = moved.version FROM moved WHERE s.person_id = moved.id AND s.hash = $3)
INSERT INTO people_acts (id, person_id, by_person, act, version, detail, address, created_at)
SELECT $4, moved.id, $5, $6, moved.version, $7, $8, machine_now() FROM moved RETURNING 1
"""
_ENDS = "INSERT INTO people_ended (act_id, person_id, ended_at) VALUES ($1, $2, $3)"
_ENDS_NOT = "DELETE FROM people_ended WHERE act_id = $1"
_NOT_ENDED = """
SELECT e.act_id FROM people_ended e WHERE e.ended_at < machine_now() - interval '1 hour'
   AND NOT EXISTS (SELECT FROM people p WHERE p.id = e.person_id AND p.ended_at IS NOT NULL)
"""
_PEOPLE_ACTS = """
SELECT a.id, p.email AS person, CASE WHEN $1::uuid IS NULL OR b.only_company = $1 THEN b.email END AS by,
       b.id IS NOT NULL AS is_by_person, a.act, a.detail,
       CASE WHEN $1::uuid IS NULL OR b.id IS NULL OR b.only_company = $1 THEN a.address END AS address, a.created_at
  FROM people_acts a JOIN people p ON p.id = a.person_id LEFT JOIN people b ON b.id = a.by_person
 WHERE ($1::uuid IS NULL OR p.only_company = $1) AND ($2::timestamptz IS NULL OR (a.created_at, a.id) < ($2, $3::uuid))
 ORDER BY a.created_at DESC, a.id DESC LIMIT $4
"""
_CONSOLE_ACTS = """
SELECT a.id, a.person_id, a.operation, a.path, a.status, a.issues, a.request_id, a.created_at, a.detail
  FROM console_acts a
 WHERE a.company_id = $1 AND ($2::timestamptz IS NULL OR (a.created_at, a.id) < ($2, $3::uuid))
 ORDER BY a.created_at DESC, a.id DESC LIMIT $4
"""
_NAMED = "SELECT id, email FROM people WHERE id = ANY ($1::uuid[]) AND ($2::uuid IS NULL OR only_company = $2)"
# The columns of a person that an act may set, whose values follow the statement's own eight parameters.
_SETS = {
    "password_hash": "text", "totp_secret": "bytea", "totp_counter": "bigint", "recovery_hashes": "bytea[]",
    "roles": "text[]",
}  # fmt: skip


_person = RowMapper(Person, parts={"roles": lambda row: frozenset(map(Role, row["roles"]))}).of


async def person(session: Session, person_id: UUID) -> Person | None:
    """Reads a person by id, ended or not."""
    row = await session.row(_PERSON, person_id)
    return None if row is None else _person(row)


async def by_email(session: Session, email: str) -> tuple[Person, str | None] | None:
    """Reads a person and its password hash by e-mail address. The person may have ended."""
    row = await session.row(_BY_EMAIL, email)
    return None if row is None else (_person(row), row["password_hash"])


async def people(session: Session, only_company: UUID | None) -> list[Person]:
    """Reads all people, or those of one company; ended ones come last."""
    return [_person(row) for row in await session.fetch(_PEOPLE, only_company)]


async def proof(session: Session, person_id: UUID) -> Record | None:
    """Reads the proofs of a person's identity."""
    return await session.row(_PROOF, person_id)


async def present(session: Session, digest: bytes) -> Presence | None:
    """Reads the session of a cookie's hash, and its person. Its use is noted once a minute."""
    row = await session.row(_SESSION, digest, IDLE, LONGEST, PROVED, HALF_WAY)
    if row is None:
        return None
    if row["is_to_be_noted"]:
        await session.fetch(_SEEN, digest)
    return Presence(_person(row), digest, Stage(row["stage"]), row["chosen_company"], row["is_proved"])


async def start(
    session: Session, digest: bytes, whom: Person, stage: Stage, *, proved: bool, before: bytes | None, goes_on: bool,
    act_id: UUID, act: str, address: str | None,
) -> bool:  # fmt: skip
    """Starts a session in place of `before`.

    False: the person has changed since it was read. goes_on: `before` is the first step of this one, and False too where
    it is over.
    """
    given = (digest, whom.id, stage.value, proved, before, act_id, act, address, whom.version, goes_on)
    return bool(await session.fetch(_BEGIN, *given))


async def end(session: Session, digest: bytes) -> None:
    """Ends a session."""
    await session.fetch(_END, digest)


async def choose(session: Session, digest: bytes, company_id: UUID) -> None:
    """Sets the company that a session looks at."""
    await session.fetch(_CHOOSE, digest, company_id)


async def prove(session: Session, digest: bytes) -> None:
    """Marks the second factor as shown in a session."""
    await session.fetch(_PROVED, digest)


async def try_counted(session: Session, subject: str, waits: tuple[int, ...]) -> int | None:
    """Counts a try before it is looked at. None: go on; else so many seconds are to be waited, and nothing is counted."""
    if await session.fetch(_TRY, subject, list(waits)):
        return None
    return int(await session.value(_WAIT, subject) or 1)


async def was_right(session: Session, subject: str, also: str | None = None) -> None:
    """Forgets the tries of a subject, and old ones; `also`, which others share, gets back the one that was right."""
    await session.fetch(_RIGHT, subject, also)


async def as_if_signed_in(session: Session, subject: str) -> None:
    """Writes as much as `tell` does, and says nothing: a try that is counted already is written once more."""
    await session.fetch(_AGAIN, subject)


async def tell(
    session: Session,
    act_id: UUID,
    person_id: UUID,
    by: UUID | None,
    act: str,
    address: str | None,
    detail: str | None = None,
) -> None:
    """Tells of what changed nothing of a person."""
    await session.fetch(_TELL, act_id, person_id, by, act, detail, address)


async def rehash(session: Session, person_id: UUID, before: str, now: str) -> None:
    """Replaces a password's hash by one with other parameters."""
    await session.fetch(_REHASH, person_id, before, now)


async def take_step(session: Session, person_id: UUID, step: int) -> bool:
    """Takes the code of a step; False: it, or a later one, was taken."""
    return bool(await session.fetch(_COUNTER, person_id, step))


async def take_recovery(session: Session, person_id: UUID, digest: bytes) -> bool:
    """Takes a recovery code; False: there is no such one, or it was taken."""
    return bool(await session.fetch(_RECOVER, person_id, digest))


async def add(
    session: Session, person_id: UUID, email: str, name: str, only_company: UUID | None, roles: list[str],
    act_id: UUID, by: UUID | None, address: str | None,
) -> bool:  # fmt: skip
    """Adds a person. False: the e-mail address is somebody's already."""
    told = ", ".join(roles)
    return bool(await session.fetch(_ADD, person_id, email, name, only_company, roles, act_id, by, told, address))


async def link(session: Session, digest: bytes, person_id: UUID, kind: str, lasts: timedelta) -> None:
    """Stores a link for a person, replacing older ones of its kind."""
    await session.fetch(_LINK, digest, person_id, kind, lasts)


async def linked(session: Session, digest: bytes) -> tuple[Person, str] | None:
    """Reads a link's person and kind; None: unknown, or expired."""
    row = await session.row(_LINKED, digest)
    return None if row is None else (_person(row), row["kind"])


async def use_link(session: Session, digest: bytes) -> bool:
    """Uses a link up; False: it was."""
    return bool(await session.fetch(_USE, digest))


async def prefer(session: Session, person_id: UUID, language: str | None, theme: str | None) -> None:
    """Sets a person's page language and theme; None: as before."""
    await session.fetch(_PREFER, person_id, language, theme)


async def change(
    session: Session, whom: Person, act: str, act_id: UUID, by: UUID | None, sets: dict[str, Any], *,
    ends: datetime | None = None, keeps: bytes | None = None, detail: str | None = None, address: str | None = None,
) -> bool:  # fmt: skip
    """Changes a person at the version read; False: it has changed meanwhile.

    It ends the person's sessions but `keeps`. sets: columns of _SETS. ends: it may not enter from this machine time on.
    """
    texts = [f"{column} = ${place}::{_SETS[column]}" for place, column in enumerate(sets, start=9)]
    if ends is not None:
        texts.append("ended_at = machine_now()")
        await session.fetch(_ENDS, act_id, whom.id, ends)
    sql = _CHANGE.format(sets=", ".join(texts) or "name = name")
    given = (whom.id, whom.version, keeps, act_id, by, act, detail, address, *sets.values())
    is_changed = bool(await session.fetch(sql, *given))
    if ends is not None and not is_changed:
        await session.fetch(_ENDS_NOT, act_id)
    return is_changed


async def forget_not_ended(session: Session) -> None:
    """Forgets acts that were to end somebody and did not. An hour ago they were begun, so none of them is under way."""
    for row in await session.fetch(_NOT_ENDED):
        await session.fetch(_ENDS_NOT, row["act_id"])


async def people_acts(
    session: Session, only_company: UUID | None, before: tuple[datetime, UUID] | None, most: int
) -> list[PersonAct]:
    """Reads the acts on people, newest first, behind `before`. only_company: on its people alone, for them to read."""
    at, act_id = before or (None, None)
    return [PersonAct(*row) for row in await session.search(_PEOPLE_ACTS, only_company, at, act_id, most)]


async def console_acts(
    database: Database, company_id: UUID, only_company: UUID | None, before: tuple[datetime, UUID] | None, most: int
) -> list[ConsoleAct]:
    """Reads people's acts for a company, newest first, behind `before`.

    only_company: the readers' company; people of others are not named to them.
    """
    at, act_id = before or (None, None)
    async with database.session(company_id) as session:
        rows = await session.search(_CONSOLE_ACTS, company_id, at, act_id, most)
    async with database.session() as session:
        found = await session.fetch(_NAMED, list({r["person_id"] for r in rows}), only_company)
    named = {r["id"]: r["email"] for r in found}
    return [
        ConsoleAct(r["id"], named.get(r["person_id"]), r["operation"], r["path"], r["status"], tuple(r["issues"]),
                   r["request_id"], r["created_at"], {} if r["detail"] is None else msgspec.json.decode(r["detail"]))
        for r in rows
    ]  # fmt: skip
