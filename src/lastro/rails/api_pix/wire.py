"""The JSON of API Pix 2.9.0, written strictly and read leniently: null is absent, unknown fields are ignored.

An amount is text of `[0-9]{1,10}.[0-9]{2}` and nothing else; it is never rounded. The items of a list are read one by
one, so that an item that cannot be read hides no other.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from lastro.core.money import Money, MoneyError
from lastro.rails.messages import Malformed
from lastro.standards.calendar import BRASILIA
from lastro.standards.pix_ids import is_txid_dynamic

if TYPE_CHECKING:
    from lastro.rails.api_pix.dialects import Clock

T = TypeVar("T")

ACTIVE, CONCLUDED = "ATIVA", "CONCLUIDA"
REMOVED_BY_US, REMOVED_BY_BANK = "REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"
RETURN_PENDING, RETURN_DONE, RETURN_FAILED = "EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO"

_AMOUNT = re.compile(r"[0-9]{1,10}\.[0-9]{2}")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?P<zone>[Zz]|[+-]\d\d:?\d\d)?", re.ASCII)
_PAYMENT_ID = re.compile(r"[a-zA-Z0-9]{32}")
_RETURN_ID = re.compile(r"[a-zA-Z0-9]{1,35}")
_SHOWN = re.compile(r"[!-~]{1,77}")
_FIRST_YEAR, _LAST_YEAR = 2015, 2200


class NotJson(Malformed):
    """An answer that is no JSON at all: a page of a gateway, or a part of an answer."""


class _Calendar(msgspec.Struct):
    criacao: str | None = None
    expiracao: int | str | None = None


class _Value(msgspec.Struct, rename="camel"):
    original: str | None = None
    modalidade_alteracao: int | str | None = None
    retirada: Any = None


class _Location(msgspec.Struct):
    id: int | str | None = None
    location: str | None = None


class BankCharge(msgspec.Struct, rename="camel"):
    """An immediate charge (cob) as a bank tells it. Nothing of it is checked yet, and anything may be missing."""

    txid: str | None = None
    status: str | None = None
    calendario: _Calendar | None = None
    valor: _Value | None = None
    chave: str | None = None
    loc: _Location | None = None
    location: str | None = None
    revisao: int | str | None = None
    pix_copia_e_cola: str | None = None
    brcode: str | None = None
    pix: list[msgspec.Raw] | None = None


class _Hours(msgspec.Struct):
    solicitacao: str | None = None
    liquidacao: str | None = None


class _ReturnBody(msgspec.Struct, rename="camel"):
    id: str
    valor: str
    status: str
    rtr_id: str | None = None
    natureza: str | None = None
    horario: _Hours | None = None
    motivo: str | None = None


class _PaymentBody(msgspec.Struct, rename="camel"):
    end_to_end_id: str
    valor: str
    horario: str
    txid: str | None = None
    chave: str | None = None
    devolucoes: msgspec.Raw = msgspec.Raw(b"")


class _Paging(msgspec.Struct, rename="camel"):
    pagina_atual: int | str | None = None
    itens_por_pagina: int | str | None = None
    quantidade_de_paginas: int | str | None = None
    quantidade_total_de_itens: int | str | None = None


class _Asked(msgspec.Struct):
    inicio: str | None = None
    fim: str | None = None
    paginacao: _Paging | None = None


class _Listed(msgspec.Struct):
    parametros: msgspec.Raw = msgspec.Raw(b"")
    pix: list[msgspec.Raw] | None = None
    cobs: list[msgspec.Raw] | None = None


@dataclass(frozen=True, slots=True)
class BankReturn:
    """Money that went back out of a payment (devolução). natureza: the bank's word, raw; None: it tells none.

    settled_at: when it settled, where the bank says it. reason: why it ended so, in the bank's words.
    """

    return_id: str
    amount: Money
    status: str
    nature: str | None = None
    settled_at: datetime | None = None
    network_id: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class BankPayment:
    """A Pix that came, as the bank lists it. at: when the money was there. returns: as they stand, for `return_rows`."""

    payment_id: str
    amount: Money
    at: datetime
    txid: str | None = None
    key: str | None = None
    returns: bytes = b""


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a list. since, until: the period that the bank has answered for; None: it tells none.

    pages, items: of the whole list; None: it tells none.
    """

    rows: tuple[bytes, ...]
    since: datetime | None
    until: datetime | None
    pages: int | None
    items: int | None


def read(raw: bytes, kind: type[T]) -> T:
    """Returns the value of a kind. Malformed for other bytes.

    Nothing that a payer has written keeps a payment from being read: texts are checked where they are kept.
    """
    try:
        return msgspec.json.decode(raw.removeprefix(BOM_UTF8), type=kind)
    except msgspec.ValidationError as error:
        raise Malformed(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotJson(str(error)) from error


def money(text: str | None, field: str) -> Money:
    """Returns an amount of reais. Malformed: it has another form, or is zero."""
    if text is None or _AMOUNT.fullmatch(text) is None:
        raise Malformed(field)
    try:
        return Money.parse(text, "BRL")
    except MoneyError as error:
        raise Malformed(field) from error


def instant(text: str | None, clock: Clock, field: str) -> datetime:
    """Returns an instant in UTC. Malformed: it has another form, or no zone where this bank's have one."""
    form = None if text is None else _INSTANT.fullmatch(text)
    if text is None or form is None:
        raise Malformed(field)
    try:
        at = datetime.fromisoformat(text.upper().replace(",", "."))
    except ValueError as error:
        raise Malformed(field) from error
    if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
        raise Malformed(field)
    if at.tzinfo is None:
        if clock == "utc":
            raise Malformed(field)
        at = at.replace(tzinfo=BRASILIA)
    elif clock == "local-marked-z" and form["zone"] in "Zz":
        at = at.replace(tzinfo=BRASILIA)
    return at.astimezone(UTC)


def asked_instant(at: datetime) -> str:
    """Formats an instant of a question: UTC, whole seconds. A bank refuses fractions of one."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def number(value: int | str | None) -> int | None:
    """Returns a count that some banks write as text; None for what is no count."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) <= 18 else None
    return value if value is not None and value >= 0 else None


def is_json(body: bytes) -> bool:
    """Tells whether an answer is JSON, whatever it says."""
    try:
        read(body, msgspec.Raw)
    except Malformed:
        return False
    return bool(body.strip())


def charge(body: bytes) -> BankCharge:
    """Reads a charge. Malformed: it is none."""
    return read(body, BankCharge)


def payment(raw: bytes, clock: Clock) -> BankPayment:
    """Reads a payment. Malformed: it cannot be read, and nothing may rest on it."""
    found = read(raw, _PaymentBody)
    if _PAYMENT_ID.fullmatch(found.end_to_end_id) is None:
        raise Malformed("endToEndId")
    amount = money(found.valor, "valor")
    at = instant(found.horario, clock, "horario")
    return BankPayment(found.end_to_end_id, amount, at, _shown(found.txid), _shown(found.chave), bytes(found.devolucoes))


def return_rows(raw: bytes) -> tuple[bytes, ...]:
    """Splits the returns of a payment, each for `return_`. Malformed: they are no list."""
    if not raw or raw == b"null":
        return ()
    return tuple(bytes(one) for one in read(raw, list[msgspec.Raw]))


def return_(raw: bytes, clock: Clock) -> BankReturn:
    """Reads one return. Malformed: it cannot be read, or is settled at no time."""
    found = read(raw, _ReturnBody)
    if _RETURN_ID.fullmatch(found.id) is None:
        raise Malformed("id")
    if found.status not in {RETURN_PENDING, RETURN_DONE, RETURN_FAILED}:
        raise Malformed("status")
    amount = money(found.valor, "valor")
    hours = found.horario or _Hours()
    at = None
    if found.status == RETURN_DONE:
        # Some banks tell the request's time alone.
        at = instant(hours.liquidacao or hours.solicitacao, clock, "horario.liquidacao")
    return BankReturn(found.id, amount, found.status, cut(found.natureza, 64), at, _shown(found.rtr_id), cut(found.motivo))


def listing(body: bytes, name: Literal["pix", "cobs"], clock: Clock) -> Listing:
    """Reads a page of payments or of charges. Malformed: it is none, so that it must not pass for an empty one."""
    listed = read(body, _Listed)
    asked = _asked(bytes(listed.parametros))
    paging = asked.paginacao or _Paging()
    items = number(paging.quantidade_total_de_itens)
    rows = listed.pix if name == "pix" else listed.cobs
    if rows is None:
        if items != 0:
            raise Malformed(name)
        rows = []
    since, until = _told(asked.inicio, clock), _told(asked.fim, clock)
    return Listing(tuple(bytes(row) for row in rows), since, until, number(paging.quantidade_de_paginas), items)


def cut(text: str | None, longest: int = 140) -> str | None:
    """Returns a text of the bank on one line, cut; None for an empty one."""
    if text is None:
        return None
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line[:longest].rstrip() or None


def new_charge(amount: Money, key: str, seconds: int, payer: dict[str, str] | None, text: str | None) -> bytes:
    """Returns the body of a new charge. The payer cannot change its amount: modalidadeAlteracao is never written."""
    body: dict[str, Any] = {"calendario": {"expiracao": seconds}}
    if payer is not None:
        body["devedor"] = payer
    body |= {"valor": {"original": str(amount)}, "chave": key}
    if text is not None:
        body["solicitacaoPagador"] = text
    return msgspec.json.encode(body)


def removal() -> bytes:
    """Returns the body that removes a charge. It must carry nothing else (API Pix 2.9.0, PATCH /cob)."""
    return msgspec.json.encode({"status": REMOVED_BY_US})


def new_return(amount: Money) -> bytes:
    """Returns the body of a return of what was bought; the same bytes for the same return."""
    return msgspec.json.encode({"valor": str(amount), "natureza": "ORIGINAL"})


def _asked(raw: bytes) -> _Asked:
    try:
        return read(raw, _Asked) if raw else _Asked()
    except Malformed:
        return _Asked()


def _told(text: str | None, clock: Clock) -> datetime | None:
    try:
        return instant(text, clock, "parametros")
    except Malformed:
        return None


def _shown(text: str | None) -> str | None:
    return text if text is not None and _SHOWN.fullmatch(text) else None


def charge_path(txid: str) -> str:
    """Returns where a charge is. ValueError: the txid has not the form of one."""
    if not is_txid_dynamic(txid):
        raise ValueError("a txid has 26 to 35 letters and digits")
    return f"/cob/{txid}"


def ends_at(charge: BankCharge, clock: Clock) -> datetime | None:
    """Returns the last instant at which a charge may be paid; None: the bank does not say. Malformed: its time is unread."""
    calendar = charge.calendario
    seconds = None if calendar is None else number(calendar.expiracao)
    if calendar is None or seconds is None or not 1 <= seconds < 2**31:
        return None
    return instant(calendar.criacao, clock, "calendario.criacao") + timedelta(seconds=seconds)
