"""Checks what is reached over the network: partners, the outgoing proxy, and the world's own way in."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from lastro.cli.doctor.model import failed, passed, skipped

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from lastro.cli.doctor.model import Finding
    from lastro.config.settings import Settings

_SECONDS = 5.0
_LEFT = timedelta(days=14)  # of the certificate that the world sees
_PORTS = {"https": 443, "http": 80}


class Reached(NamedTuple):
    """The answer of a server. not_after: the end of its certificate; None: plain http."""

    status: int
    not_after: datetime | None


async def ask(url: str, context: ssl.SSLContext | None = None) -> Reached:
    """Asks a server for a page, and reads its status. OSError, TimeoutError, ValueError: there is none."""
    parts = urlsplit(url)
    tls = (context or ssl.create_default_context()) if parts.scheme == "https" else None
    async with asyncio.timeout(_SECONDS):
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port or _PORTS[parts.scheme], ssl=tls)
        try:
            shown = writer.get_extra_info("peercert")
            writer.write(f"GET {parts.path or '/'} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode())
            line = await reader.readline()
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
    until = datetime.fromtimestamp(ssl.cert_time_to_seconds(shown["notAfter"]), UTC) if shown else None
    return Reached(int(line.split()[1]) if len(line.split()) > 1 else 0, until)


def words_of(error: Exception) -> str:
    """Returns why a server was not reached."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is refused: {error.verify_message}"
    if isinstance(error, TimeoutError):
        return f"no answer in {_SECONDS:.0f} s"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


async def of_partners(settings: Settings) -> AsyncIterator[Finding]:
    """Yields whether the network, each partner and the outgoing proxy are reached."""
    named = {"network": settings.network_url} | {f"partner {rail}": one.url for rail, one in settings.partners.items()}
    for url in dict.fromkeys(url for url in named.values() if url):
        check = next(name for name, one in named.items() if one == url)
        try:
            await ask(url)
        except (OSError, ValueError) as error:
            yield failed(
                check, f"{url} is not reached: {words_of(error)}", "let this machine out to it, or mend its address"
            )
        else:
            yield passed(check, f"{url} answers")
    proxy = settings.outgoing_proxy
    if proxy is None:
        yield skipped("outgoing proxy", "none is set")
        return
    try:
        async with asyncio.timeout(_SECONDS):
            _, writer = await asyncio.open_connection(proxy.host, proxy.port)
        writer.close()
    except OSError as error:
        said = f"{proxy.host}:{proxy.port} of LASTRO_OUTGOING_PROXY is not reached: {words_of(error)}"
        yield failed("outgoing proxy", said, "start it: no webhook leaves without it")
    else:
        yield passed("outgoing proxy", f"{proxy.host}:{proxy.port} is reached")


async def of_the_way_in(settings: Settings, now: datetime, context: ssl.SSLContext | None = None) -> AsyncIterator[Finding]:
    """Yields whether the world reaches us by each name. It must not reach our figures. context: in place of the system's."""
    scheme = urlsplit(settings.public_url).scheme
    for url in (settings.public_url, *(f"{scheme}://{host}" for host in settings.public_hosts)):
        try:
            health = await ask(f"{url}/health", context)
        except (OSError, ValueError) as error:
            yield failed("public URL", f"{url} is not reached: {words_of(error)}", "see DNS, the proxy and its certificate")
            continue
        if health.status != 200:
            cure = "see that lastro-api runs, and that the proxy hands on the Host header"
            yield failed("public URL", f"{url}/health answers {health.status}", cure)
        elif health.not_after is not None and health.not_after - now < _LEFT:
            days = (health.not_after - now).days
            yield failed("public URL", f"the certificate of {url} ends in {days} days", "renew it")
        else:
            yield passed(
                "public URL",
                f"{url} answers" + (f", certificate until {health.not_after:%Y-%m-%d}" if health.not_after else ""),
            )
        if not settings.is_sandbox and (await ask(f"{url}/metrics", context)).status == 200:
            yield failed(
                "public URL", f"{url}/metrics shows figures to the world", "answer 404 there: docs/proxy/nginx.conf"
            )
