"""One whole exchange with a bank over its TLS: bounded in time and size, no redirect, no proxy, no cookie."""

from __future__ import annotations

import asyncio
import re
import ssl
from contextlib import suppress
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol
from urllib.parse import urlsplit

from lastro.http_client import DirectClient, NotThere
from lastro.rails.api_pix.tls import CertificateUnfit
from lastro.rails.network_client import NetworkAnswer
from lastro.rails.port import Transient
from lastro.rails.port.rail import LONGEST_PAUSE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lastro.rails.api_pix.tls import ClientTls

LONGEST_SECONDS = 10.0  # of any exchange, whatever its caller would wait
LARGEST_ANSWER_BYTES = 5_000_000  # no bank's page of 1,000 payments is larger
_KEEPALIVE_SECONDS = 4.0  # shorter than most servers', so that no message is written to a connection just closed
_HANDSHAKE_SECONDS = 2.0
_LOOKED_SECONDS = 30.0
_JUDGED_LATE = "TLSv1.3"  # earlier versions judge our certificate within the handshake
_WORD = re.compile(r"[A-Z0-9_]{1,60}")

# What the operator has to put right; each has its sentence in `trouble.py`.
Cause = Literal["certificate", "bank_certificate", "client", "token", "access", "address", "scopes", "clock"]


class Fault(NamedTuple):
    """A mistake in the set-up. detail: what the bank or the library says, short, with no secret."""

    cause: Cause
    detail: str


class SetUpWrongly(Transient):
    """A mistake of set-up, which no order or refund has made. detail: what the bank or the library says, short."""

    def __init__(self, cause: Cause, detail: str, *, is_on_its_way: bool = False) -> None:
        super().__init__(f"{cause}: {detail}", is_on_its_way=is_on_its_way)
        self.cause: Cause = cause
        self.detail = detail


class ClosedUnsaid(ConnectionError):  # noqa: N818 it says what happened
    """A connection that the bank closed after its handshake, saying nothing.

    TLS 1.3 has our certificate judged after our side of the handshake. Some servers then close, and send no alert.
    """


class Line(Protocol):
    """A line to a network, as an adapter uses it: `BankLine`, or `NetworkClient`."""

    async def ask(
        self,
        method: str,
        path: str,
        body: bytes | None,
        seconds: float,
        *,
        query: Mapping[str, str] | None = None,
        more: Mapping[str, str] | None = None,
    ) -> NetworkAnswer:
        """Makes one whole exchange within so many seconds. Transient: it is not known if it took effect."""

    async def close(self) -> None:
        """Ends its connections."""


class Exchanges:
    """Connections to the addresses of one bank. tls: what they are made under, each time as it is then."""

    def __init__(self, tls: ClientTls) -> None:
        self.tls = tls
        self._client = DirectClient(LARGEST_ANSWER_BYTES, _KEEPALIVE_SECONDS)
        self._looked_at: float | None = None
        self._found: Fault | None = None

    async def make(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, query: Mapping[str, str] | None = None
    ) -> NetworkAnswer:
        """Makes one exchange. SetUpWrongly: a certificate's fault; Transient: it is not known if it took effect."""
        try:
            context = self.tls.context()
        except CertificateUnfit as unfit:
            raise SetUpWrongly("certificate", f"{unfit.field} {unfit.reason}") from unfit
        try:
            answered = await self._client.ask(method, url, headers, body, query, context)
        except OSError as broken:
            found = fault_of(broken)
            is_broken_off = not isinstance(broken, NotThere)
            if found is None and is_broken_off and url.startswith("https:"):
                found = await self._looked_into(url, context)
            if found is not None:
                raise SetUpWrongly(*found, is_on_its_way=is_broken_off) from broken
            # No text of the system is passed on: it may repeat the address.
            raise Transient(type(broken.__cause__ or broken).__name__, is_on_its_way=is_broken_off) from broken
        if not answered.is_whole:
            raise Transient("the answer is larger than any that is expected")
        told = {"Retry-After": answered.retry_after, "Date": answered.date}
        return NetworkAnswer(answered.status, {name: text for name, text in told.items() if text is not None}, answered.body)

    async def _looked_into(self, url: str, context: ssl.SSLContext) -> Fault | None:
        """Finds the certificate's fault behind an exchange that broke off.

        It is looked for twice a minute. An alert may come before the request is written, and then the library tells of the
        writing alone.
        """
        now = asyncio.get_running_loop().time()
        if self._looked_at is None or now - self._looked_at >= _LOOKED_SECONDS:
            self._looked_at = now
            self._found = await shake_hands(url, context)
        return self._found

    async def close(self) -> None:
        """Ends its connections."""
        self._client.close()


async def shake_hands(url: str, context: ssl.SSLContext) -> Fault | None:
    """Returns what a certificate has against a connection; None: nothing, or the bank cannot be reached."""
    try:
        await connected(url, context)
    except OSError as broken:
        return fault_of(broken)
    return None


async def connected(url: str, context: ssl.SSLContext) -> str:
    """Makes a connection, and returns its version of TLS. OSError: it is refused, or nobody is there.

    TLS 1.3 tells of a refused certificate only after the handshake (RFC 8446 §4.4.2.4): by an alert, as the first answer, or
    by an end without one, which is ClosedUnsaid. An answer is asked for, since a bank has nothing to say unasked.
    """
    parts = urlsplit(url)
    writer = None
    version: str = ""
    first = b""
    try:
        async with asyncio.timeout(_HANDSHAKE_SECONDS):
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 443, ssl=context)
            version = writer.get_extra_info("ssl_object").version() or ""
            writer.write(f"HEAD / HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode())
            with suppress(ConnectionError):
                first = await reader.read(1)
    except TimeoutError:
        if not version:
            raise
        return version
    finally:
        if writer is not None:
            writer.transport.abort()
    if not first and version == _JUDGED_LATE:
        raise ClosedUnsaid(f"closed after the handshake of {version}")
    return version


def fault_of(broken: BaseException) -> Fault | None:
    """Returns the fault of a certificate that ended an exchange. None: it was something else."""
    if isinstance(broken, ClosedUnsaid):
        return Fault("certificate", "the connection is closed after the handshake, without a word")
    found = (one for one in _chain(broken) if isinstance(one, ssl.SSLError))
    for fault in found:
        if isinstance(fault, ssl.SSLCertVerificationError):
            return Fault("bank_certificate", fault.verify_message)
        word = fault.reason or ""
        if "ALERT" in word and _WORD.fullmatch(word) is not None:  # RFC 8446 §6.2, in the library's words
            return Fault("certificate", word)
    return None


def _chain(broken: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    seen: BaseException | None = broken
    while seen is not None and len(found) < 8:
        found.append(seen)
        seen = seen.__cause__ or seen.__context__
    return found


def retry_after(answer: NetworkAnswer, now: datetime) -> int | None:
    """Returns the pause that the bank asks for: seconds, an hour at most (RFC 9110 §10.2.3). None: it does not say."""
    text = answer.headers.get("Retry-After", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return min(int(text), LONGEST_PAUSE_SECONDS)
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    left = (at if at.tzinfo is not None else at.replace(tzinfo=UTC)) - now
    return min(max(0, -(-left // timedelta(seconds=1))), LONGEST_PAUSE_SECONDS)
