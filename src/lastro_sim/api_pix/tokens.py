"""OAuth of the bank: client credentials in four styles, and the check of bearers. Source: RFC 6749, RFC 6750, RFC 8705."""

import base64
import binascii
import hmac
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from lastro_sim import faults
from lastro_sim.clock import SECOND
from lastro_sim.network import Network

from . import customers
from .calls import Answer, Customer
from .dialects import DIALECTS
from .problems import ProblemError, denied, unauthorized

# Of the products that customers have here; those of others are not granted.
_PRODUCTS = (
    "cob", "pix", "webhook", "payloadlocation", "rec", "solicrec", "cobr", "payloadlocationrec", "webhookrec", "webhookcobr",
)  # fmt: skip
SCOPES = tuple(f"{name}.{act}" for name in _PRODUCTS for act in ("read", "write"))
OPERATION = "bank_token"
_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_TOKEN_LENGTH = 64


def grant(network: Network, headers: Mapping[str, str], body: bytes, fingerprint: str | None) -> Answer:
    """POST /oauth/token. fingerprint: of the client's certificate at the socket; None: no socket."""
    given = _fields(headers.get("content-type", ""), body)
    if given is None:
        return _error(400, "invalid_request")
    found = _client(network, headers, given, fingerprint)
    if found is None:
        return _error(401, "invalid_client", {"WWW-Authenticate": 'Basic realm="pix"'})
    customer, style = found
    if style not in DIALECTS[customer.dialect].token_styles:
        return _error(401, "invalid_client", {"WWW-Authenticate": 'Basic realm="pix"'})
    if given.get("grant_type") != "client_credentials":
        return _error(400, "unsupported_grant_type")
    asked = given.get("scope", "").split()
    scopes = [scope for scope in SCOPES if not asked or scope in asked]
    if not scopes:
        return _error(400, "invalid_scope")
    return _granted(network, customer, scopes)


def bearer(network: Network, authorization: str, fingerprint: str | None) -> tuple[Customer, frozenset[str]]:
    """Returns the customer of a bearer and the scopes of it. It is good with his certificate alone (RFC 8705)."""
    word, _, token = authorization.partition(" ")
    row = network.store.find("bank_token", token=token) if word.lower() == "bearer" else None
    if row is None or row["ends_at"] <= network.clock.machine():
        raise unauthorized("O token não é conhecido ou expirou.")
    customer = customers.find(network, row["client_id"])
    if customer is None:
        raise unauthorized("O token não é conhecido ou expirou.")
    owner = None if fingerprint is None else customers.by_certificate(network, fingerprint)
    if fingerprint is not None and (owner is None or owner.client_id != customer.client_id):
        raise denied("O certificado não é o do participante a quem o token foi concedido.")
    return customer, frozenset(row["scopes"].split())


def demand(customer: Customer, granted: frozenset[str], scope: str) -> None:
    """Refuses a call whose scope was not granted."""
    if scope in granted:
        return
    status = DIALECTS[customer.dialect].missing_scope
    detail = f"A requisição exige o escopo {scope}."
    raise denied(detail) if status == 403 else ProblemError(status, "RequisicaoInvalida", "Requisição inválida.", detail)


def _granted(network: Network, customer: Customer, scopes: list[str]) -> Answer:
    """Writes a token. Faults make it short-lived or grant fewer scopes, with the answer that promises the usual life."""
    about = {"clientId": customer.client_id}
    lasts = DIALECTS[customer.dialect].token_lasts
    fewer = faults.strike(network, OPERATION, about, {"fewer-scopes"})
    if fewer is not None:
        kept = (fewer.code or "cob.read").split()
        scopes = [scope for scope in scopes if scope in kept]
    early = faults.strike(network, OPERATION, about, {"dies-early"})
    ends_at = network.clock.machine() + (lasts * SECOND if early is None else early.delay)
    token = network.chance.letters(_TOKEN_LENGTH)
    network.store.run("DELETE FROM bank_token WHERE ends_at <= ?", network.clock.machine())
    granted = " ".join(scopes)
    network.store.insert("bank_token", token=token, client_id=customer.client_id, scopes=granted, ends_at=ends_at)
    said = {"access_token": token, "token_type": "Bearer", "expires_in": lasts, "scope": granted}
    return Answer(200, said, headers=_NO_STORE)


def _client(
    network: Network, headers: Mapping[str, str], given: Mapping[str, str], fingerprint: str | None
) -> tuple[Customer, str] | None:
    """Returns the customer who asks and his style; None: his credentials are wrong, or not those of his certificate."""
    word, _, text = headers.get("authorization", "").partition(" ")
    if word.lower() == "basic":
        style = "basic-json" if "json" in headers.get("content-type", "") else "basic-form"
        name, secret = _basic(text)
    else:
        name, secret = given.get("client_id", ""), given.get("client_secret", "")
        style = "body" if secret else "certificate"
    row = network.store.find("bank_customer", client_id=name)
    if row is None or (style != "certificate" and not hmac.compare_digest(secret.encode(), row["secret"].encode())):
        return None
    owner = None if fingerprint is None else customers.by_certificate(network, fingerprint)
    is_known = owner is not None and owner.client_id == name
    needs_certificate = style == "certificate" or fingerprint is not None
    return (customers.of_row(row), style) if is_known or not needs_certificate else None


def _basic(text: str) -> tuple[str, str]:
    try:
        name, _, secret = base64.b64decode(text, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return name, secret


def _fields(media_type: str, body: bytes) -> dict[str, str] | None:
    """Reads the fields of a form or of a JSON object; None for anything else."""
    if "json" in media_type:
        try:
            found: Any = msgspec.json.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        if not isinstance(found, dict):
            return None
        return {str(name): value for name, value in found.items() if isinstance(value, str)}
    try:
        return dict(parse_qsl(body.decode(), max_num_fields=50))
    except ValueError:
        return None


def _error(status: int, name: str, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(
        status, {"error": name, "error_description": name.replace("_", " ")}, headers=_NO_STORE | dict(headers or {})
    )
