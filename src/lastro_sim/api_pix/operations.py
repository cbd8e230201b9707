"""The operations that the bank offers: method, path as the document writes it, scope, handler."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from . import charges, locations, received, returns, webhooks
from .calls import Answer, Call, Handler
from .dialects import DIALECTS
from .recurring import confirmations, recurrences, scheduled_charges
from .recurring import locations as recurrence_locations
from .recurring import webhooks as recurrence_webhooks

_VERSIONED = re.compile(r"(?:/[a-z_-]+)*/(?P<version>v[0-9])(?P<path>/.*)")
_NAMES = {"txid": "tx_id", "chave": "key", "idRec": "id_rec", "idSolicRec": "id_solic_rec", "data": "day"}


@dataclass(frozen=True)
class Operation:
    """An operation. path: its template."""

    method: str
    path: str
    scope: str
    does: Handler

    @property
    def route(self) -> str:
        """The name that faults match."""
        return f"{self.method} {self.path}"


class Matched(NamedTuple):
    """The operations at an address. path: their template; resource: the address behind its version; parameters: of it."""

    path: str
    version: str
    resource: str
    operations: dict[str, Operation]
    parameters: dict[str, str]


def _list_charges(call: Call, shift: int = 0) -> Answer:
    dialect = DIALECTS[call.customer.dialect]
    return charges.listed(call, most=dialect.most_items, milliseconds=dialect.milliseconds, shift=shift)


def _list_pix(call: Call, shift: int = 0) -> Answer:
    dialect = DIALECTS[call.customer.dialect]
    return received.listed(
        call, most=dialect.most_items, milliseconds=dialect.milliseconds, shift=shift, txid=dialect.tx_id_parameter
    )


def _list_recurrences(call: Call, shift: int = 0) -> Answer:
    dialect = DIALECTS[call.customer.dialect]
    return recurrences.listed(call, most=dialect.most_items, milliseconds=dialect.milliseconds, shift=shift)


def _list_scheduled_charges(call: Call, shift: int = 0) -> Answer:
    dialect = DIALECTS[call.customer.dialect]
    return scheduled_charges.listed(call, most=dialect.most_items, milliseconds=dialect.milliseconds, shift=shift)


OPERATIONS = (
    Operation("PUT", "/cob/{txid}", "cob.write", charges.put),
    Operation("PATCH", "/cob/{txid}", "cob.write", charges.revise),
    Operation("GET", "/cob/{txid}", "cob.read", charges.one),
    Operation("POST", "/cob", "cob.write", charges.create),
    Operation("GET", "/cob", "cob.read", _list_charges),
    Operation("GET", "/pix", "pix.read", _list_pix),
    Operation("GET", "/pix/{e2eid}", "pix.read", received.one),
    Operation("PUT", "/pix/{e2eid}/devolucao/{id}", "pix.write", returns.put),
    Operation("GET", "/pix/{e2eid}/devolucao/{id}", "pix.read", returns.one),
    Operation("PUT", "/webhook/{chave}", "webhook.write", webhooks.put),
    Operation("GET", "/webhook/{chave}", "webhook.read", webhooks.one),
    Operation("DELETE", "/webhook/{chave}", "webhook.write", webhooks.remove),
    Operation("GET", "/webhook", "webhook.read", webhooks.listed),
    Operation("POST", "/loc", "payloadlocation.write", locations.create),
    Operation("GET", "/loc", "payloadlocation.read", locations.listed),
    Operation("GET", "/loc/{id}", "payloadlocation.read", locations.one),
    Operation("DELETE", "/loc/{id}/txid", "payloadlocation.write", locations.unlink),
    Operation("POST", "/rec", "rec.write", recurrences.create),
    Operation("GET", "/rec", "rec.read", _list_recurrences),
    Operation("GET", "/rec/{idRec}", "rec.read", recurrences.one),
    Operation("PATCH", "/rec/{idRec}", "rec.write", recurrences.revise),
    Operation("POST", "/solicrec", "solicrec.write", confirmations.create),
    Operation("GET", "/solicrec/{idSolicRec}", "solicrec.read", confirmations.one),
    Operation("PATCH", "/solicrec/{idSolicRec}", "solicrec.write", confirmations.revise),
    Operation("POST", "/locrec", "payloadlocationrec.write", recurrence_locations.create),
    Operation("GET", "/locrec", "payloadlocationrec.read", recurrence_locations.listed),
    Operation("GET", "/locrec/{id}", "payloadlocationrec.read", recurrence_locations.one),
    Operation("DELETE", "/locrec/{id}/idRec", "payloadlocationrec.write", recurrence_locations.unlink),
    Operation("PUT", "/cobr/{txid}", "cobr.write", scheduled_charges.put),
    Operation("PATCH", "/cobr/{txid}", "cobr.write", scheduled_charges.revise),
    Operation("GET", "/cobr/{txid}", "cobr.read", scheduled_charges.one),
    Operation("POST", "/cobr", "cobr.write", scheduled_charges.create),
    Operation("GET", "/cobr", "cobr.read", _list_scheduled_charges),
    Operation("POST", "/cobr/{txid}/retentativa/{data}", "cobr.write", scheduled_charges.try_again),
    *(
        Operation(method, f"/webhook{kind}", f"webhook{kind}.{act}", made(kind))
        for kind in ("rec", "cobr")
        for method, act, made in (
            ("PUT", "write", recurrence_webhooks.put),
            ("GET", "read", recurrence_webhooks.one),
            ("DELETE", "write", recurrence_webhooks.remove),
        )
    ),
)
LISTS = {
    "GET /cob": _list_charges, "GET /pix": _list_pix, "GET /rec": _list_recurrences, "GET /cobr": _list_scheduled_charges,
}  # fmt: skip


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", lambda found: f"(?P<{_NAMES.get(found[1], found[1])}>[^/]+)", path))


_PATHS = {path: _pattern(path) for path in dict.fromkeys(one.path for one in OPERATIONS)}


def matched(address: str) -> Matched | None:
    """Returns the operations at an address, whatever stands before its version; None: nothing is there."""
    versioned = _VERSIONED.fullmatch(address)
    if versioned is None:
        return None
    for template, pattern in _PATHS.items():
        found = pattern.fullmatch(versioned["path"])
        if found is not None:
            known = {one.method: one for one in OPERATIONS if one.path == template}
            return Matched(template, versioned["version"], versioned["path"], known, found.groupdict())
    return None
