"""The bank's calls of webhooks: it shows its certificate, and tries again as long as its dialect does.

Efí calls a new webhook twice before it takes it: without a certificate, which has to be refused, and with its own.
"""

import json
import logging
import ssl

import aiohttp

from lastro_sim.clock import SECOND
from lastro_sim.network import LOOKS_EVERY_SECONDS, Network

from . import authority, notices
from .calls import Call, Row
from .dialects import DIALECTS
from .problems import Violation, invalid
from .reading import Body
from .webhooks import OPERATION

LOG = logging.getLogger("lastro_sim")
ROUTES = frozenset({"PUT /webhook/{chave}", "PUT /webhookrec", "PUT /webhookcobr"})
LONGEST_WAIT = 60.0
SKIPS = "x-skip-mtls-checking"  # a header of Efí: its customer cannot ask for certificates
TEST = b'{"evento":"teste_webhook","data_criacao":"2026-01-01T00:00:00Z"}'


async def run(network: Network, client: aiohttp.ClientSession) -> None:
    """Sends the due notices and sleeps until the next, for ever."""
    while True:
        await network.store.committed()  # a call tells of what is kept
        for row in network.store.due("bank_notice", network.clock.business()):
            await _send(network, client, row)
        due = network.store.next_due("bank_notice")
        left = LOOKS_EVERY_SECONDS if due is None else (due - network.clock.business()) / SECOND
        await network.bells.wait(notices.BELL, min(max(left, 0.001), LOOKS_EVERY_SECONDS))


async def check(call: Call) -> None:
    """Calls a webhook before it is registered, where the dialect does so; raises ProblemError if it behaves otherwise."""
    if not DIALECTS[call.customer.dialect].tests_webhooks:
        return
    base = Body.of(call, OPERATION, "webhook").text("webhookUrl", 2000)
    if base is None or not base.startswith("https://"):
        return
    async with aiohttp.ClientSession(trust_env=False) as client:
        if call.headers.get(SKIPS) != "true" and _is_taken(await _post(call.network, client, base, TEST, shows=False)):
            raise invalid(OPERATION, Violation("A URL informada respondeu sem autenticação mTLS.", "webhook.webhookUrl"))
        answered = await _post(call.network, client, base, TEST, shows=True)
    if not _is_taken(answered):
        raise invalid(OPERATION, Violation("A autenticação de TLS mútuo não está configurada.", "webhook.webhookUrl"))


def tls(network: Network, *, shows: bool) -> ssl.SSLContext:
    """Returns the context of the bank's calls. shows: its certificate."""
    context = ssl.create_default_context()
    made = authority.files(network, authority.SERVER)
    if made.certificate.exists():
        context.load_verify_locations(authority.files(network, authority.AUTHORITY).certificate)
        if shows:
            context.load_cert_chain(made.certificate, made.key)
    return context


async def _send(network: Network, client: aiohttp.ClientSession, row: Row) -> None:
    """Calls a webhook once; a failure is tried again as long as the bank does so."""
    answered = await _post(network, client, row["url"], row["body"].encode(), shows=True)
    again: list[int] = json.loads(row["again"])
    wait = None if _is_taken(answered) or row["tries"] >= len(again) else again[row["tries"]] * SECOND
    due_at = None if wait is None else network.clock.business() + wait
    network.store.change("bank_notice", row, tries=row["tries"] + 1, answered=answered, due_at=due_at)


def _is_taken(status: int | None) -> bool:
    """Tells whether a webhook took a call."""
    return status is not None and 200 <= status < 300


async def _post(network: Network, client: aiohttp.ClientSession, url: str, body: bytes, *, shows: bool) -> int | None:
    """Posts JSON; returns the status, None where nobody answered."""
    context = tls(network, shows=shows) if url.startswith("https://") else True
    try:
        async with client.post(
            url, data=body, headers={"Content-Type": "application/json"}, allow_redirects=False,
            timeout=aiohttp.ClientTimeout(total=LONGEST_WAIT), ssl=context,
        ) as got:  # fmt: skip
            return got.status
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        LOG.info("a webhook of the bank could not be called: %s", type(error).__name__)
        return None
