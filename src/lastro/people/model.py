"""The people of the console, their roles and sessions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

IDLE = timedelta(minutes=30)  # security.md: so long a session lives without being used
LONGEST = timedelta(hours=12)  # and so long at most
HALF_WAY = timedelta(minutes=5)  # between the password and the second factor
PROVED = timedelta(minutes=10)  # so long a second factor counts for what needs it anew
INVITED = timedelta(minutes=15)


class Role(Enum):
    """The role of a person. No role includes another, but everybody who may enter may read."""

    READ = "READ"
    OPERATE = "OPERATE"
    APPROVE = "APPROVE"
    ADMINISTER = "ADMINISTER"


class Stage(Enum):
    """The progress of a sign-in."""

    PASSWORD = "PASSWORD"  # noqa: S105 a stage, no password: the second factor is still asked for
    WHOLE = "WHOLE"


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the console.

    only_company: the one that it sees; None: it is the institution's and chooses. Times are machine time. version: rises
    with each change of its rights or of its ways to sign in. has_factor: a second one, by time.
    """

    id: UUID
    email: str
    name: str
    only_company: UUID | None
    roles: frozenset[Role]
    has_password: bool
    has_factor: bool
    recovery_codes: int
    language: str | None
    theme: str
    ended_at: datetime | None
    created_at: datetime
    version: int


@dataclass(frozen=True, slots=True)
class Presence:
    """A signed-in person. hash: of its cookie. company_id: the one it looks at. is_proved: its second factor, just now."""

    person: Person
    hash: bytes
    stage: Stage
    company_id: UUID | None
    is_proved: bool


@dataclass(frozen=True, slots=True)
class PersonAct:
    """An act on or by people, as one line.

    by: the e-mail address of its author; None: the command line or, where is_by_person, a person of the institution,
    whose name and network are hidden from a company's own people.
    """

    id: UUID
    person: str
    by: str | None
    is_by_person: bool
    act: str
    detail: str | None
    address: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ConsoleAct:
    """An act of a person for a company, as one line.

    status: of the API's answer; issues: the reasons of a refusal. detail: the act by its name in the console, its object,
    the amount, and what was chosen; of older lines nothing.

    person: an e-mail address; None: a person of the institution, who is not named to a company's own people.
    """

    id: UUID
    person: str | None
    operation: str
    path: str
    status: int
    issues: tuple[str, ...]
    request_id: str | None
    created_at: datetime
    detail: Mapping[str, Any]
