"""The common parts of all networks' messages: JSON, instants and errors."""

from __future__ import annotations

import hashlib
import re
from codecs import BOM_UTF8
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, TypeAlias, TypeVar

import msgspec

from lastro.core.money import Money, MoneyError
from lastro.rails.port import UNKNOWN, Facts, NetworkMessage, Side, Transient

Instant = Annotated[datetime, msgspec.Meta(tz=True)]
# Of a message's id, its bytes and our ISPB: what it tells. Malformed, MoneyError: it cannot be read.
Reader: TypeAlias = Callable[[str, bytes, str], NetworkMessage]
T = TypeVar("T")
_NO_TYPE = "about:blank"  # what says nothing of its own (RFC 9457 §4.2.1)
_CODE, _LONG_NUMBER = re.compile(r"[A-Za-z0-9_.-]{1,32}"), re.compile(r"[0-9]{8}")


class Malformed(ValueError):  # noqa: N818 it says what the message is
    """A message that breaks the catalogue; its text names the field."""


class _Number(msgspec.Struct, frozen=True):
    number: str


class Party(msgspec.Struct, frozen=True):
    """One side of the payment that a message is about."""

    ispb: str | None = None
    branch: str | None = None
    account: str | None = None
    document: _Number | None = None

    @property
    def side(self) -> Side:
        """The same as rooms see it."""
        return Side(self.ispb, self.branch, self.account, None if self.document is None else self.document.number)


class Original(msgspec.Struct, rename={"number": "txId"}):
    """The payment of a message, as it repeats it (ISO 20022: OrgnlTxRef). A missing field is not said."""

    amount: str | None = None
    debtor: Party = Party()
    creditor: Party = Party()
    number: str | None = None

    def facts(self, currency: str = "BRL") -> Facts:
        """Returns the facts as rooms see them. MoneyError: the amount is none."""
        amount = None if self.amount is None else Money.parse(self.amount, currency)
        return Facts(amount, self.debtor.side, self.creditor.side, self.number)


def facts_of(original: Original | None) -> Facts | None:
    """Returns the facts of a payment in reais; None where the message repeats nothing."""
    return None if original is None else original.facts()


class _Problem(msgspec.Struct):
    """The body of a no: of a message interface (error, message) or of the directory (type, title)."""

    error: str | None = None
    message: str | None = None
    type: str | None = None
    title: str | None = None


def decoded(raw: bytes, kind: type[T]) -> T:
    """Returns the value of a kind. Malformed for other bytes, and for those that the database could not hold."""
    if b"\\u0000" in raw:
        raise Malformed("a NUL character, which no text of the database can hold")
    try:
        return msgspec.json.decode(raw.removeprefix(BOM_UTF8), type=kind)
    except msgspec.DecodeError as error:
        raise Malformed(str(error)) from error


def unread(raw: bytes) -> NetworkMessage:
    """Keeps a message without a usable id. Its bytes are its id: the same bytes again are the same message."""
    name = "raw:" + hashlib.sha256(raw).hexdigest()
    return NetworkMessage(UNKNOWN, name, name, raw)


def understood(read: Callable[[str, bytes], T], subject: str, body: bytes) -> T:
    """Reads an answer about `subject`. Transient: it cannot be read, so that nothing is known."""
    try:
        return read(subject, body)
    except (Malformed, MoneyError) as malformed:
        raise Transient(f"the answer cannot be read: {malformed}") from malformed


def problem(status: int, body: bytes) -> tuple[str, str]:
    """Returns code and reason of an answer that is no success.

    Any form is read. Of a type that is an address (RFC 9457 §3.1.1), as the directory's are, the code is the last part.
    """
    told = _said(body)
    code = (told.type or "").rsplit("/", 1)[-1] or told.error or f"HTTP{status}"
    return code, told.title or told.message or f"answered with HTTP status {status}"


def is_its_own(body: bytes) -> bool:
    """Tells whether an error is the directory's own (DICT API 2.12.1, Problem).

    Other errors come from a proxy on the way there.
    """
    return _said(body).type not in (None, "", _NO_TYPE)


def is_worded(body: bytes) -> bool:
    """Tells whether an error is in the network's or the directory's words.

    Other errors come from a proxy on the way there. A word of theirs has no blanks, as the phrase of a status has ("Not
    Found").
    """
    return _CODE.fullmatch(_said(body).error or "") is not None or is_its_own(body)


def _said(body: bytes) -> _Problem:
    """Reads an error answer; empty where it cannot be read."""
    try:
        return decoded(body, _Problem)
    except Malformed:
        return _Problem()


def code_or(code: str, otherwise: str) -> str:
    """A partner's code as a client may be shown it: a short word without long numbers, which might be what we had sent."""
    return code if _CODE.fullmatch(code) is not None and _LONG_NUMBER.search(code) is None else otherwise


def instant(at: datetime | None) -> str:
    """Formats an instant as UTC with milliseconds. ValueError: the message has no time."""
    if at is None:
        raise ValueError("a message without its time")
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
