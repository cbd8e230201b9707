"""Secrets: how they are held, sealed for the database, made and compared.

Nothing here reads a clock, the environment or the machine's randomness: whoever opens the process passes
`random`, a function from a count of bytes to that many unpredictable bytes (`os.urandom` outside of tests).
"""

import base64
import binascii
import hashlib
import hmac
import os
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self, TypedDict
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

RandomBytes = Callable[[int], bytes]
RowName = UUID | str | int

_KEY_BYTES = 32
_NONCE_BYTES = 12  # NIST SP 800-38D §5.2.1.1: the length GCM is built for
_TAG_BYTES = 16
_KEY_ID = re.compile(r"[a-zA-Z0-9._-]{1,64}")
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PROOF = "sealing key"  # the purpose of a key's fingerprint
_MACHINE_SECRET_DIGITS = 43  # the fewest base-62 digits that hold 256 bits


UNREADABLE = "the keys file of this process lacks a key that another one seals with"  # the text of `keys.unreadable`


class _PlaceName(TypedDict):
    table: str
    column: str
    company_id: RowName | None
    row_id: RowName


class SecretUnreadable(Exception):  # noqa: N818 - reads as what happened
    """A sealed value cannot be opened: unknown key, another row's value, or changed bytes. It says no more."""


class KeyFileRefused(Exception):  # noqa: N818 - reads as what happened
    """The key file cannot be used; its text is one sentence for the operator and holds nothing of the file."""


class Secret:
    """A text that must not be printed, logged or encoded: only `reveal()` gives it out.

    It is no `str` on purpose, so that JSON encoders, string joins and log formatters cannot take it for one.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Returns the text itself. The call is what a reviewer searches for."""
        return self._text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._text.encode(), other._text.encode())

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__

    def __format__(self, format_spec: str) -> str:
        return "***"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __reduce__(self) -> str:
        raise TypeError("a Secret is not pickled")


class KeyRing:
    """AES-256-GCM keys by their id, one of them current: it seals, all of them open.

    A sealed value is `length of key id (1 byte) | key id | nonce (12) | ciphertext and tag`, so that a value says
    which key it needs and a ring can hold old keys until everything has been sealed anew.
    """

    __slots__ = ("_ciphers", "_current", "_keys", "_prefix", "_random")

    def __init__(self, keys: Mapping[str, bytes], current: str, random: RandomBytes) -> None:
        """Raises ValueError on a bad key id, key length or current id."""
        for key_id, key in keys.items():
            if not _KEY_ID.fullmatch(key_id):
                raise ValueError("a key id is 1 to 64 letters, digits, '.', '_' or '-'")
            if len(key) != _KEY_BYTES:
                raise ValueError(f"key {key_id} is not {_KEY_BYTES} bytes long")
        if current not in keys:
            raise ValueError("the current key is not in the ring")
        self._keys = dict(keys)
        self._ciphers = {key_id: AESGCM(key) for key_id, key in keys.items()}
        self._current = current
        self._prefix = bytes([len(current)]) + current.encode()
        self._random = random

    @classmethod
    def generate(cls, key_id: str, random: RandomBytes) -> Self:
        """Returns a ring with one new key."""
        return cls({key_id: random(_KEY_BYTES)}, key_id, random)

    @classmethod
    def parse(cls, text: str, random: RandomBytes) -> Self:
        """Reads a ring from lines `id base64 [current]`.

        Blank lines and lines that begin with `#` are skipped. Raises ValueError, with the number of the line and nothing of
        its content, if a line cannot be read.
        """
        keys: dict[str, bytes] = {}
        current: list[str] = []
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) not in (2, 3) or words[2:] not in ([], ["current"]):
                raise ValueError(f"line {number} is not 'id base64 [current]'")
            if words[0] in keys:
                raise ValueError(f"line {number} repeats a key id")
            try:
                keys[words[0]] = base64.b64decode(words[1], validate=True)
            except binascii.Error:
                raise ValueError(f"line {number} holds no base64") from None
            current += words[:1] if words[2:] else []
        if len(current) != 1:
            raise ValueError("exactly one key must be marked as current")
        return cls(keys, current[0], random)

    def with_new_key(self, key_id: str) -> "KeyRing":
        """This ring with a new key that is current from now on; the others go on opening what they sealed."""
        return self.with_waiting_key(key_id).sealing_with(key_id)

    def with_waiting_key(self, key_id: str) -> "KeyRing":
        """Returns this ring with a new key that seals nothing yet.

        All processes must know it before. ValueError: it is there.
        """
        if key_id in self._keys:
            raise ValueError("the ring has a key of this id already")
        return KeyRing({**self._keys, key_id: self._random(_KEY_BYTES)}, self._current, self._random)

    def sealing_with(self, key_id: str) -> "KeyRing":
        """This ring, whose current key is from now on this one. ValueError: the ring lacks it."""
        return KeyRing(self._keys, key_id, self._random)

    def without(self, key_id: str) -> "KeyRing":
        """This ring without a key: what it sealed is unreadable from now on. ValueError: it is the current one."""
        return KeyRing({name: key for name, key in self._keys.items() if name != key_id}, self._current, self._random)

    def text(self) -> Secret:
        """Returns the ring as `parse` reads it."""
        lines = (
            f"{key_id} {base64.b64encode(key).decode()}{' current' if key_id == self._current else ''}\n"
            for key_id, key in self._keys.items()
        )
        return Secret("".join(lines))

    @property
    def current(self) -> str:
        """The id of the key that seals."""
        return self._current

    @property
    def key_ids(self) -> tuple[str, ...]:
        """The ids of all keys, in the order they were added."""
        return tuple(self._keys)

    def seal(self, plaintext: bytes, *, table: str, column: str, company_id: RowName | None, row_id: RowName) -> bytes:
        """Seals a value for one table, column, company and row.

        `company_id` is None for what belongs to the platform itself. Sealing twice gives two different values.
        """
        nonce = self._random(_NONCE_BYTES)
        place = _place(table, column, company_id, row_id)
        return self._prefix + nonce + self._ciphers[self._current].encrypt(nonce, plaintext, place)

    def open(self, value: bytes, *, table: str, column: str, company_id: RowName | None, row_id: RowName) -> bytes:
        """Opens a value that was sealed for this place. Raises SecretUnreadable otherwise."""
        key_id, start = _key_id_of(value)
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise SecretUnreadable
        nonce, ciphertext = value[start : start + _NONCE_BYTES], value[start + _NONCE_BYTES :]
        try:
            return cipher.decrypt(nonce, ciphertext, _place(table, column, company_id, row_id))
        except InvalidTag:
            raise SecretUnreadable from None

    def needs_reseal(self, value: bytes) -> bool:
        """Tells whether another key than the current one sealed this value. Raises SecretUnreadable if it is no value."""
        return _key_id_of(value)[0] != self._current

    def derive(self, key_id: str, purpose: str, data: bytes) -> bytes:
        """Derives 32 bytes from the data by this key, for one purpose.

        HMAC-SHA256 twice (RFC 2104). SecretUnreadable: the ring has no such key.
        """
        key = self._keys.get(key_id)
        if key is None:
            raise SecretUnreadable
        return keyed_fingerprint(keyed_fingerprint(key, purpose.encode()), data)

    def proof(self, key_id: str) -> bytes:
        """Returns a sealed fingerprint of a key: only the same bytes under the same id open it and find their own in it."""
        return self.sealing_with(key_id).seal(self.derive(key_id, _PROOF, key_id.encode()), **_proved(key_id))

    def proves(self, key_id: str, proof: bytes) -> bool:
        """Tells whether the key of this id here made a proof."""
        try:
            # AES-GCM alone can be opened by two keys; the fingerprint within is one key's.
            return same(self.open(proof, **_proved(key_id)), self.derive(key_id, _PROOF, key_id.encode()))
        except SecretUnreadable:
            return False

    def __repr__(self) -> str:
        return f"KeyRing(current={self._current!r}, keys={len(self._keys)})"

    def __reduce__(self) -> str:
        raise TypeError("a KeyRing is not pickled")


def _proved(key_id: str) -> _PlaceName:
    return {"table": "sealing_keys", "column": "proof", "company_id": None, "row_id": key_id}


def _key_id_of(value: bytes) -> tuple[str, int]:
    """Returns a sealed value's key id and its nonce's position. Raises SecretUnreadable on anything else."""
    start = 1 + value[0] if value else 0
    if start <= 1 or len(value) < start + _NONCE_BYTES + _TAG_BYTES:
        raise SecretUnreadable
    try:
        return value[1:start].decode("ascii"), start
    except UnicodeDecodeError:
        raise SecretUnreadable from None


def _place(table: str, column: str, company_id: RowName | None, row_id: RowName) -> bytes:
    """Returns the associated data of a value. Each part carries its length, so that no two places write the same bytes."""
    names = (table, column, "" if company_id is None else str(company_id), str(row_id))
    if not table or not column or not names[3] or (company_id is not None and not names[2]):
        raise ValueError("a sealed value needs a table, a column, a company or None, and a row")
    parts = [name.encode() for name in names]
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def load_key_ring(path: Path, random: RandomBytes, *, credentials_directory: Path | None = None) -> KeyRing:
    """Reads the key ring from a file that only its owner reads.

    Its mode is 0600 or stricter. In `credentials_directory`, where systemd puts credentials, a file may also be readable for
    its group: systemd grants a service access by an ACL, which shows as that bit, in a directory of our own. Raises
    KeyFileRefused, one sentence, if the file is missing, open to others or unreadable as a ring.
    """
    forbidden = stat.S_IRWXG | stat.S_IRWXO
    if credentials_directory is not None and path.parent == credentials_directory:
        forbidden &= ~stat.S_IRGRP
    try:
        with path.open("rb") as file:
            # The open file is asked, not the path, so that nobody can swap it between the look and the read.
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise KeyFileRefused(f"The key file {path} is not a regular file.")
            if status.st_mode & forbidden:
                mode = stat.S_IMODE(status.st_mode)
                raise KeyFileRefused(f"The key file {path} has mode {mode:04o} and must have 0600: run chmod 600 on it.")
            text = file.read().decode()
    except OSError as error:
        raise KeyFileRefused(f"The key file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise KeyFileRefused(f"The key file {path} is not text.") from None
    try:
        return KeyRing.parse(text, random)
    except ValueError as error:
        raise KeyFileRefused(f"The key file {path} cannot be used: {error}.") from None


def new_machine_secret(prefix: str, random: RandomBytes) -> Secret:
    """Returns a secret for a machine: `prefix` (such as `lsk_`, for scanners to find) and 256 random bits in base 62."""
    number = int.from_bytes(random(_KEY_BYTES), "big")
    digits = []
    for _ in range(_MACHINE_SECRET_DIGITS):
        number, digit = divmod(number, 62)
        digits.append(_BASE62[digit])
    return Secret(prefix + "".join(reversed(digits)))


def hash_machine_secret(secret: Secret | str) -> bytes:
    """Returns the stored hash of a machine secret: SHA-256, 32 bytes.

    A slow hash protects secrets that can be guessed. 256 random bits cannot, and a request has no time for it.
    """
    text = secret.reveal() if isinstance(secret, Secret) else secret
    # A client may send anything, a lone surrogate too; it then merely matches nothing.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def same(a: bytes, b: bytes) -> bool:
    """Compares two values in constant time."""
    return hmac.compare_digest(a, b)


def keyed_fingerprint(key: bytes, data: bytes) -> bytes:
    """Returns the HMAC-SHA256 (RFC 2104) of data, 32 bytes. It lets holders of the key recognise data without storing it."""
    return hmac.digest(key, data, "sha256")
