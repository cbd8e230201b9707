"""Checks of one connection: six questions to its bank by which no money moves."""

from __future__ import annotations

from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

from lastro.rails.api_pix.connection_config import RECURRING_WEBHOOKS
from lastro.rails.api_pix.exchange import Exchanges, SetUpWrongly, connected, fault_of
from lastro.rails.api_pix.line import BankLine
from lastro.rails.api_pix.tls import CertificateUnfit, ClientTls, identity
from lastro.rails.api_pix.trouble import CURES
from lastro.rails.api_pix.webhooks import BankWebhook, WebhookRefused, refusal
from lastro.rails.api_pix.wire import asked_instant
from lastro.rails.port import Transient

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from lastro.rails.api_pix.connection_config import Connection
    from lastro.rails.api_pix.exchange import Fault
    from lastro.rails.api_pix.line import Ambient
    from lastro.rails.network_client import NetworkAnswer

# passed: as it should be. noted: it works, and somebody should know. failed: payments stop, or will.
State = Literal["passed", "noted", "failed"]
_SECONDS = 10.0
_SOON_DAYS, _URGENT_DAYS = 30, 7
_LARGEST_CLOCK_SECONDS = 5.0
_NO_CERTIFICATE = frozenset({400, 403, 495, 496})  # of a gateway that wants one; 495 and 496 are nginx's own


class Finding(NamedTuple):
    """The outcome of one check. to_do: for the operator; None: nothing."""

    check: str
    state: State
    says: str
    to_do: str | None = None


async def check(connection: Connection, ambient: Ambient) -> list[Finding]:
    """Asks the bank of a connection. A check that needs one that failed is left out."""
    line = BankLine(connection, ambient, is_quiet=True)
    try:
        found = await _reached(connection, ambient.now)
        if any(one.state == "failed" for one in found):
            return [*found, certificate(connection, ambient.now())]
        found += await _token(line)
        if found[-1].state != "failed" or line.tokens.age_seconds is not None:
            listed, clock = await _payments(line, ambient.now)
            found.append(listed)
            if listed.state != "failed":
                found += [await _webhook(line, name) for name in connection.webhooks]
            found += clock
        return [*found, certificate(connection, ambient.now())]
    finally:
        await line.close()


async def _reached(connection: Connection, now: Callable[[], datetime]) -> list[Finding]:
    """Makes a connection with our certificate, then one without. The bank has to refuse that."""
    if urlsplit(connection.base_url).scheme != "https":
        return [Finding("tls", "noted", "the address begins with http://: nothing is encrypted, nor is anybody proved")]
    try:
        version = await connected(connection.base_url, _tls(connection, now, shows=True).context())
    except CertificateUnfit as unfit:
        return [Finding("tls", "failed", f"{unfit.field} {unfit.reason}", CURES["certificate"])]
    except OSError as broken:
        if (fault := fault_of(broken)) is not None:
            return [Finding("tls", "failed", _said(fault), CURES[fault.cause])]
        why = "no answer" if isinstance(broken, TimeoutError) else broken.strerror or type(broken).__name__
        return [Finding("tls", "failed", f"the bank is not reached: {why}", "Look at base_url, name service and firewall.")]
    found = [Finding("tls", "passed", f"{version}, the bank's certificate and name are as they should be")]
    if connection.certificate is None:
        return [*found, Finding("tls without certificate", "noted", "the connection has none, and the bank asks for none")]
    return [*found, await _without_certificate(connection, now)]


def _said(fault: Fault | SetUpWrongly) -> str:
    return f"the bank refuses our certificate: {fault.detail}" if fault.cause == "certificate" else fault.detail


async def _without_certificate(connection: Connection, now: Callable[[], datetime]) -> Finding:
    exchanges = Exchanges(_tls(connection, now, shows=False))
    try:
        answer = await exchanges.make("GET", f"{connection.base_url}/pix", {"User-Agent": "lastro"}, None)
    except SetUpWrongly:
        return Finding("tls without certificate", "passed", "the bank refuses who shows none")
    except Transient as broken:
        return Finding("tls without certificate", "passed", f"the bank does not serve who shows none: {broken.reason}")
    finally:
        await exchanges.close()
    if answer.status in _NO_CERTIFICATE:
        return Finding("tls without certificate", "passed", f"the bank refuses who shows none: HTTP status {answer.status}")
    return Finding(
        "tls without certificate", "noted", f"this bank asks for none: HTTP status {answer.status}",
        "Ask the bank whether that is meant: a stolen secret is then enough.",
    )  # fmt: skip


def _tls(connection: Connection, now: Callable[[], datetime], *, shows: bool) -> ClientTls:
    return ClientTls(connection.name, connection.certificate if shows else None, connection.ca_file, now)


async def _token(line: BankLine) -> list[Finding]:
    try:
        await line.tokens.token()
    except SetUpWrongly as wrong:
        return [Finding("token", "failed", _said(wrong), CURES[wrong.cause])]
    except Transient as away:
        return [Finding("token", "failed", away.reason, "Try again later; the bank gives no token now.")]
    if missing := line.tokens.missing():
        return [Finding("token", "failed", f"scopes that were not given: {' '.join(sorted(missing))}", CURES["scopes"])]
    given = line.tokens.scopes
    says = "given; the bank does not say for which scopes" if given is None else "given, with every scope"
    return [Finding("token", "passed", says)]


async def _payments(line: BankLine, now: Callable[[], datetime]) -> tuple[Finding, list[Finding]]:
    """Lists the payments of the last minute. The answer tells the bank's time too."""
    since = now() - timedelta(minutes=1)
    asked = {"inicio": asked_instant(since), "fim": asked_instant(now())}
    try:
        answer = await line.ask("GET", "/pix", None, _SECONDS, query=asked)
    except SetUpWrongly as wrong:
        return Finding("payments", "failed", _said(wrong), CURES[wrong.cause]), []
    except Transient as away:
        return Finding("payments", "failed", away.reason, "Try again later; look at base_url if it stays so."), []
    clocks = _clocks(answer, now())
    if answer.status != 200:
        return Finding("payments", "failed", refusal(answer), "Look at base_url and dialect."), clocks
    return Finding("payments", "passed", "those of the last minute are listed"), clocks


def _clocks(answer: NetworkAnswer, now: datetime) -> list[Finding]:
    try:
        told = parsedate_to_datetime(answer.headers.get("Date", ""))
    except (ValueError, OverflowError):
        return [Finding("clock", "noted", "the bank does not tell its time")]
    differ = abs((now - told.replace(tzinfo=told.tzinfo or UTC)).total_seconds())
    if differ <= _LARGEST_CLOCK_SECONDS:
        return [Finding("clock", "passed", "within 5 s of the bank's")]
    return [Finding("clock", "noted", f"{differ:.0f} s from the bank's", "Set this machine's clock by NTP.")]


async def _webhook(line: BankLine, of: str) -> Finding:
    """Compares the webhook that the bank has with ours. Its address is not shown: it holds a secret."""
    name, ours = of if of in RECURRING_WEBHOOKS else f"webhook {of}", line.connection.webhook_url
    state: State = "failed" if ours else "noted"
    try:
        found = await BankWebhook(line, ours).look(of)
    except SetUpWrongly as wrong:
        return Finding(name, state, wrong.detail, CURES[wrong.cause])
    except Transient as away:
        return Finding(name, state, away.reason, "Try again later.")
    except WebhookRefused as refused:
        return Finding(name, state, str(refused), "Look whether the key is one of this account.")
    if ours is None:
        is_told = found.whose != "none"
        says = "the bank tells another system of payments" if is_told else "none, and the bank is polled"
        return Finding(name, "noted" if is_told else "passed", says)
    if found.whose == "none":
        return Finding(
            name,
            "failed",
            "the bank has none",
            "Register it by lastro bank webhook: payments are seen poll_seconds later until then.",
        )
    if found.whose == "another":
        return Finding(name, "failed", "the bank has another than ours", "Register ours, unless others need that one.")
    return Finding(name, "passed", "the bank has ours")


def certificate(connection: Connection, now: datetime) -> Finding:
    """Returns how long our certificate is still good."""
    if connection.certificate is None:
        return Finding("certificate", "noted", "the connection has none")
    try:
        mine = identity(connection.certificate)
        mine.demand_in_time(now)
    except CertificateUnfit as unfit:
        return Finding("certificate", "failed", f"{unfit.field} {unfit.reason}", CURES["certificate"])
    days = (mine.not_after - now).days
    says = f"{days} days left, until {mine.not_after:%Y-%m-%d %H:%M} UTC"
    if days > _SOON_DAYS:
        return Finding("certificate", "passed", says)
    return Finding("certificate", "failed" if days <= _URGENT_DAYS else "noted", says, "Renew it at the bank in time.")
