"""Faults of the bank's HTTP: what a call suffers instead of its answer, or its answer's fields do.

A test orders them by POST /faults with the operation `bank`, where "code" is "after" for a failure whose call was carried
out, or the seconds of a Retry-After.
"""

from collections.abc import Mapping
from typing import Final

from lastro_sim import faults
from lastro_sim.network import Network

from . import disguises
from .calls import Answer
from .disguises import Change
from .problems import unauthorized, unavailable

OPERATION = "bank"
SOAP: Final = (
    b'<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>'
    b"<soapenv:Fault><faultcode>soapenv:Server</faultcode><faultstring>Internal Error</faultstring></soapenv:Fault>"
    b"</soapenv:Body></soapenv:Envelope>"
)
HTML: Final = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
GATEWAY: Final = b"<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1></body></html>"
LOST: Final = frozenset({"lost-before-effect", "lost-after-effect"})
SLOW: Final = frozenset({"slow"})
FAILURES: Final = frozenset({"soap-500", "html-502", "gateway-404", "not-json", "unavailable", "limited", "expired-token"})
PAGE_CHANGES: Final = frozenset({"page-changes"})
OK_FOR_CREATED: Final = frozenset({"ok-for-created"})
AFTER = "after"
CHANGES: Final[Mapping[str, Change]] = {
    "brcode": disguises.code_as("brcode"),
    "null-fields": disguises.nulls,
    "unknown-fields": disguises.unknown_fields,
    "local-marked-z": disguises.local_times,
    "no-chave": disguises.without("chave"),
    "no-txid": disguises.without("txid"),
}
BEHAVIOURS: Final = LOST | SLOW | FAILURES | PAGE_CHANGES | OK_FOR_CREATED | frozenset(CHANGES)


def failure(fault: faults.Fault) -> Answer:
    """Returns the answer of a failing bank; raises ProblemError where it fails in the document's words."""
    if fault.behaviour == "soap-500":
        return Answer(500, SOAP, "text/xml")
    if fault.behaviour == "html-502":
        return Answer(502, HTML, "text/html")
    if fault.behaviour == "gateway-404":
        return Answer(404, GATEWAY, "text/html")
    if fault.behaviour == "not-json":
        return Answer(200, b"OK", "text/plain")
    if fault.behaviour == "limited":
        after = {} if fault.code in {None, AFTER} else {"Retry-After": str(fault.code)}
        return Answer(429, b"", "text/plain", after)
    raise unauthorized("O token expirou.") if fault.behaviour == "expired-token" else unavailable()


def changed(network: Network, about: Mapping[str, str | None], answer: Answer) -> Answer:
    """Applies every ordered change of fields to an answer."""
    body, status = answer.body, answer.status
    if status == 201 and faults.strike(network, OPERATION, about, OK_FOR_CREATED) is not None:
        status = 200
    for name, change in CHANGES.items():
        if isinstance(body, dict) and status < 400 and faults.strike(network, OPERATION, about, {name}) is not None:
            body = change(body)
    return Answer(status, body, answer.media_type, answer.headers)
