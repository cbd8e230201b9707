"""Passwords of people, as they are kept: argon2id, a hash that is slow and large on purpose. Never on the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

if TYPE_CHECKING:
    from collections.abc import Callable

# OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane at the least; RFC 9106 §3.1 names the parameters.
_ITERATIONS: Final = 2
_LANES: Final = 1
_MEMORY_KIB: Final = 19_456
_LENGTH: Final = 32
_SALT_BYTES: Final = 16
_PARAMETERS: Final = f"$argon2id$v=19$m={_MEMORY_KIB},t={_ITERATIONS},p={_LANES}$"
# The hash of no password: an unknown person is compared with it, so that it takes as long.
_NOBODYS: Final = _PARAMETERS + "bGFzdHJvLm5vYm9keS4uLg$" + 43 * "A"


def hashed(password: str, random: Callable[[int], bytes]) -> str:
    """Hashes a password to a PHC string. The string names its parameters and salt. Takes some 20 ms and 19 MiB."""
    made = Argon2id(salt=random(_SALT_BYTES), length=_LENGTH, iterations=_ITERATIONS, lanes=_LANES, memory_cost=_MEMORY_KIB)
    return made.derive_phc_encoded(password.encode("utf-8", "surrogatepass"))


def is_right(password: str, kept: str | None) -> bool:
    """Tells whether this is the hashed password. kept None: there is none, and that takes as long."""
    try:
        Argon2id.verify_phc_encoded(password.encode("utf-8", "surrogatepass"), kept or _NOBODYS)
    except InvalidKey:
        return False
    return kept is not None


def is_dated(kept: str) -> bool:
    """Tells whether a hash has other parameters than today's. Such a hash is made anew when its password is known."""
    return not kept.startswith(_PARAMETERS)
