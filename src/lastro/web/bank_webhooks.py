"""Takes webhooks of banks that speak API Pix. A body is a bell: what it names is asked for at the bank."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import structlog

from lastro.api_kit import forms
from lastro.api_kit.http import Response, Upload, refusal
from lastro.core.errors import Kind, Problem, Refused
from lastro.rails.port import RECURRING_HINT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from litestar.types import HTTPScope

    from lastro.api_kit.http import Answer
    from lastro.core.rights import Peer
    from lastro.core.secrets import Secret

LARGEST_BODY = 1024 * 1024  # bytes
MOST_PAYMENTS = 1000
_PAYMENT_ID: Final = re.compile(r"E[0-9A-Za-z]{31}")  # API Pix 2.9.0, schema EndToEndId
_RECURRENCE_ID: Final = re.compile(r"R[RN][0-9A-Z]{8}[0-9]{8}[0-9A-Za-z]{11}")  # schema RecId
_TXID: Final = re.compile(r"[0-9A-Za-z]{26,35}")  # schema TxId
_CHARSET: Final = re.compile(r";\s*charset\s*=\s*\"?([^\s\";]*)", re.IGNORECASE)
_UTF_8: Final = frozenset({"utf-8", "utf8", "us-ascii"})  # RFC 8259 §8.1
_NOBODYS: Final = secrets.token_bytes(32)  # a digest that no secret has, compared where there is no connection
_LISTS: Final = ("pix", "recs", "cobsr")
# A charge of a recurrence names both: what has moved is the charge.
_NAMES: Final = (("endToEndId", _PAYMENT_ID, ""), ("txid", _TXID, RECURRING_HINT), ("idRec", _RECURRENCE_ID, RECURRING_HINT))
_TAKEN: Final = Response(200, b"{}")
_log = structlog.get_logger(__name__)


class NamedPayment(forms.Form):
    """A payment that a bank tells of. Its amount and time are not read."""

    end_to_end_id: Annotated[str, msgspec.Meta(pattern=r"^E[0-9A-Za-z]{31}$", examples=["E12345678202611231300abcDEF01234"])]


class NamedRecurrence(forms.Form):
    """A recurrence that a bank tells of. Its status is not read."""

    id_rec: Annotated[str, msgspec.Meta(pattern=_RECURRENCE_ID.pattern, examples=["RR1234567820240115abcdefghijk"])]


class NamedCharge(forms.Form):
    """The charge of a recurrence that a bank tells of. Its status is not read."""

    txid: Annotated[str, msgspec.Meta(pattern=_TXID.pattern, examples=["3136957d93134f2184b369e8f1c0729d"])]


class BankNotice(forms.Form):
    """A bank's body, as API Pix has it: one of the lists. Fields beside are ignored."""

    pix: Annotated[list[NamedPayment], msgspec.Meta(max_length=MOST_PAYMENTS)] | None = None
    recs: Annotated[list[NamedRecurrence], msgspec.Meta(max_length=MOST_PAYMENTS)] | None = None
    cobsr: Annotated[list[NamedCharge], msgspec.Meta(max_length=MOST_PAYMENTS)] | None = None


@dataclass(frozen=True, slots=True)
class WebhookReceiver:
    """Calls for one connection: who may make them, and where they go.

    secret: the end of its address. peers: SHA-256 of the bank's certificates (RFC 8705 §3.1); empty: none is looked at.
    hint: notes what is named, as `_named` writes it; False: there is too much, and polling finds it.
    """

    secret: Secret
    peers: frozenset[str]
    hint: Callable[[Sequence[str]], Awaitable[bool]]


class BankWebhooks:
    """The handlers of /rails/{connection}/{secret}, with `/pix`, `/rec`, `/cobr` or without. receivers: by connection."""

    def __init__(self, receivers: Mapping[str, WebhookReceiver]) -> None:
        self._receivers = receivers

    def paths(self) -> dict[str, Mapping[str, Answer]]:
        """Returns the handlers of its paths, by method. Most banks append a word to what they were given, some do not."""
        post = {"POST": Upload(self.ring, LARGEST_BODY, self.admit)}
        return {"/rails/{connection}/{secret}" + word: post for word in ("", "/pix", "/rec", "/cobr")}

    async def admit(self, scope: HTTPScope, headers: Mapping[bytes, bytes]) -> Response | None:
        """Refuses callers without the secret or the bank's certificate.

        No byte of the body is read before. A wrong connection and a wrong secret get the same answer after the same work.
        A charset other than UTF-8 is refused here too.
        """
        named = scope["path_params"]
        receiver = self._receivers.get(str(named["connection"]))
        expected = _NOBODYS if receiver is None else _digest(receiver.secret.reveal())
        if not secrets.compare_digest(_digest(str(named["secret"])), expected) or receiver is None:
            return refusal(Refused(Kind.NOT_FOUND))
        peer: Peer = scope["state"]["peer"]
        if not peer.shows(receiver.peers):
            return refusal(Refused(Kind.FORBIDDEN))
        charset = _CHARSET.search(headers.get(b"content-type", b"").decode("latin-1"))
        if charset is not None and charset[1].lower() not in _UTF_8:
            return _refused(Kind.INVALID, "content-type", "INVALID", "must be JSON in UTF-8")
        return None

    async def ring(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers POST /rails/{connection}/{secret}/pix with 200 once all it names is noted. DatabaseAway: it is not."""
        rail = str(scope["path_params"]["connection"])
        try:
            rows = _rows(raw)
        except forms.NotJson as wrong:
            return _refused(Kind.INVALID, "body", "INVALID", str(wrong))
        if len(rows) > MOST_PAYMENTS:
            return _refused(Kind.TOO_LARGE, "pix", "TOO_LONG", f"must have at most {MOST_PAYMENTS} items")
        found = [name for row in rows if (name := _named(row)) is not None]
        if len(found) < len(rows):
            _log.warning("bank.webhook_ignored", rail=rail, count=len(rows) - len(found))
        if found and not await self._receivers[rail].hint(list(dict.fromkeys(found))):
            _log.warning("bank.hints_dropped", rail=rail, count=len(found))
        return _TAKEN


def _rows(raw: bytes) -> list[Any]:
    """Returns the items of a body; none for a bank's test call. NotJson: it is no body of a webhook."""
    text = raw.strip()
    if not text:
        return []
    is_bare = text.startswith(b"[")  # Inter sends the list alone
    body = forms.parsed(b'{"pix":' + text + b"}" if is_bare else text)
    if is_bare and len(body) > 1:
        raise forms.NotJson("cannot be read as JSON in UTF-8")
    # None of them: Efí tests with {"evento": …}, others with {}.
    lists = [body[name] for name in _LISTS if body.get(name) is not None]
    if not all(isinstance(rows, list) for rows in lists):
        raise forms.NotJson("must have a list of payments, recurrences or charges")
    return [row for rows in lists for row in rows]


def _named(row: Any) -> str | None:
    """Returns what an item names: a payment; else a charge, or the recurrence itself. None: nothing that has the form."""
    if not isinstance(row, dict):
        return None
    for field, form, before in _NAMES:
        name = row.get(field)
        if name is not None:
            return before + name if isinstance(name, str) and form.fullmatch(name) is not None else None
    return None


def _digest(text: str) -> bytes:
    """Returns a digest of fixed length: neither place nor length of a difference shows in the time of comparing."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _refused(kind: Kind, field: str, issue: str, description: str) -> Response:
    return refusal(Refused(kind, (Problem(field, issue, description),)))
