"""The rules for people: names, permissions, passwords, and waits after failed tries."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from lastro.people.model import Role
from lastro.people.problems import EMAIL_INVALID, NAME_INVALID, ROLES_REQUIRED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lastro.core.errors import Problem
    from lastro.people.model import Person

SHORTEST_PASSWORD = 12
LONGEST_PASSWORD = 256  # a limit of the hashing that a request can cause
_LONGEST_NAME = 140
_LONGEST_EMAIL = 254  # RFC 5321 §4.5.3.1.3: a path of 256 octets, with its brackets
_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f]{1,64}@[a-z0-9.-]{1,188}\.[a-z0-9-]{2,63}\Z")
_FEWEST_KINDS = 5
# Common words that make short passwords long; without them a password must still have enough left.
_WORDS = (
    "password", "passw0rd", "p@ssw0rd", "senha", "lastro", "qwerty", "qwertz", "asdfgh", "admin", "welcome", "iloveyou",
    "letmein", "brasil", "mudar", "trocar", "123456", "abcdef", "dragon", "monkey", "football", "futebol", "flamengo",
    "corinthians", "palmeiras", "changeme", "console",
)  # fmt: skip
_ROWS = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890123456789",
    "qwertyuiopasdfghjklzxcvbnm",
    "1q2w3e4r5t6y7u8i9o0p",
    "qazwsxedcrfvtgbyhnujmikolp",
)
_FEWEST_LEFT = 8
_SEPARATORS = re.compile(r"[\W_]+")

# Seconds to wait after the first, second, … wrong one in a row; the last holds for every further one. A person errs a few
# times; a guesser has, from the tenth on, 96 tries a day.
WAITS = (0, 0, 0, 0, 5, 15, 30, 60, 300, 900)
# The same of a network, which many people may share.
NETWORK_WAITS = (0,) * 30 + (1, 2, 5, 15, 30, 60)


def email_of(text: str) -> str:
    """Normalizes an e-mail address.

    A text that is too long to be one is cut and left as it is, and is nobody's. To normalize takes the square of a text's
    length, where it is made for that: half a megabyte takes half a minute.
    """
    if len(text) > _LONGEST_EMAIL:
        return text[: _LONGEST_EMAIL + 1]
    return unicodedata.normalize("NFC", text).strip().lower()


def person_problems(email: str, name: str, roles: Collection[Role]) -> list[Problem]:
    """Returns the problems of an invited person. email: as email_of gives it."""
    problems = []
    if _EMAIL.match(email) is None or len(email) > _LONGEST_EMAIL:
        problems.append(EMAIL_INVALID.problem())
    if not name.strip() or len(name) > _LONGEST_NAME or any(unicodedata.category(c)[0] == "C" for c in name):
        problems.append(NAME_INVALID.problem(longest=_LONGEST_NAME))
    if not roles:
        problems.append(ROLES_REQUIRED.problem())
    return problems


def password_problem(password: str, person: Person) -> str | None:
    """Returns a password's problem: TOO_SHORT, TOO_LONG or EASY; None: it is good.

    As NIST SP 800-63B-4 §3.1.1.2 asks: long, of any characters, and nothing that is tried first. The list of common words
    is short, since of the passwords that are found in lists hardly one of twelve characters is without one of these
    words, a row of the keyboard, or few characters that come again.
    """
    if len(password) < SHORTEST_PASSWORD:
        return "TOO_SHORT"
    if len(password) > LONGEST_PASSWORD:
        return "TOO_LONG"
    plain = unicodedata.normalize("NFKC", password).lower()
    own = [part for part in re.split(r"[\W_]+", f"{person.email} {person.name}".lower()) if len(part) >= 4]
    left = plain
    for word in (*_WORDS, *own):
        left = left.replace(word, "")
    left = _without_rows(_SEPARATORS.sub("", left))
    return "EASY" if len(left) < _FEWEST_LEFT or len(set(plain)) < _FEWEST_KINDS or _repeats(plain) else None


def _without_rows(text: str) -> str:
    """Returns the text without keyboard rows of four and more. Rows count either way round."""
    rows = (*_ROWS, *(row[::-1] for row in _ROWS))
    kept, place = [], 0
    while place < len(text):
        length = 4
        while place + length <= len(text) and any(text[place : place + length] in row for row in rows):
            length += 1
        if length > 4:
            place += length - 1
        else:
            kept.append(text[place])
            place += 1
    return "".join(kept)


def _repeats(text: str) -> bool:
    """Tells whether the text is one part again and again."""
    return any(text == (text[:size] * len(text))[: len(text)] for size in range(1, len(text) // 2 + 1))


def roles_of(names: Sequence[str]) -> frozenset[Role]:
    """Returns the roles of these names, in any case. ValueError: there is no such role."""
    return frozenset(Role(name.upper()) for name in names)


def may(person: Person, role: Role) -> bool:
    """Tells whether a person has the rights of a role."""
    return role is Role.READ or role in person.roles


def may_administer(person: Person, other: Person) -> bool:
    """Tells whether a person may administer another.

    It may in its own company, or in any where it is the institution's; never itself.
    """
    is_within = person.only_company is None or person.only_company == other.only_company
    return Role.ADMINISTER in person.roles and is_within and person.id != other.id
