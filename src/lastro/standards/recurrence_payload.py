"""Reads and writes the signed payload of a recurrence.

Its location serves it. Source: API Pix 2.9.0 (RecPayload, Rec schemas). The wire speaks Portuguese and text; the value
speaks English and types. Fields a reader does not know are ignored. The idRec and the policy of retries say one thing twice,
and a payload in which they disagree is refused.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, get_args

import msgspec

from .documents import is_cnpj, is_document
from .payload import AMOUNT, Debtor, PayloadError, WireDebtor, has_form, printed, read, read_debtor, said_debtor, utc
from .pix_ids import is_ispb
from .recurrence_ids import read_recurrence_id

Frequency = Literal["WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL"]
Status = Literal["CRIADA", "APROVADA", "REJEITADA", "EXPIRADA", "CANCELADA"]

MAX_CONTRACT = 35
MAX_PURPOSE = 35
MAX_NAME = 140

_PERIODS: dict[Frequency, str] = {
    "WEEKLY": "SEMANAL", "MONTHLY": "MENSAL", "QUARTERLY": "TRIMESTRAL", "SEMIANNUAL": "SEMESTRAL", "ANNUAL": "ANUAL",
}  # fmt: skip
_FREQUENCIES: dict[str, Frequency] = {period: frequency for frequency, period in _PERIODS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """The receiver of charges: always a legal person. ispb: of its institution."""

    name: str
    cnpj: str
    ispb: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One step of a recurrence's history: the status it took, and when. at: aware."""

    status: Status
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrencePayload:
    """A recurrence as its location shows it.

    contract: 1 to 35 characters; purpose: what the payer recognises, at most 35. ends_on None: open-ended. amount and
    floor are texts with two decimals: amount is what every charge is of, floor the least maximum that a payer may set; at
    most one is given, none means free amounts. retries: three more tries in seven days after the due date. updates: the
    history, oldest first.
    """

    recurrence_id: str
    contract: str
    purpose: str | None = None
    debtor: Debtor
    starts_on: date
    ends_on: date | None = None
    frequency: Frequency
    retries: bool
    amount: str | None = None
    floor: str | None = None
    receiver: Receiver
    updates: tuple[Update, ...]


class _Link(msgspec.Struct):
    contrato: str
    devedor: WireDebtor
    objeto: str | None = None


class _Calendar(msgspec.Struct):
    dataInicial: date  # noqa: N815 - the wire's own name
    periodicidade: str
    dataFinal: date | None = None  # noqa: N815 - the wire's own name


class _Amount(msgspec.Struct):
    valorRec: str | None = None  # noqa: N815 - the wire's own name
    valorMinimoRecebedor: str | None = None  # noqa: N815 - the wire's own name


class _Receiver(msgspec.Struct):
    cnpj: str
    nome: str
    ispbParticipante: str  # noqa: N815 - the wire's own name


class _Update(msgspec.Struct):
    status: Status
    data: datetime


class _Recurrence(msgspec.Struct):
    idRec: str  # noqa: N815 - the wire's own name
    vinculo: _Link
    calendario: _Calendar
    politicaRetentativa: Literal["NAO_PERMITE", "PERMITE_3R_7D"]  # noqa: N815 - the wire's own name
    recebedor: _Receiver
    atualizacao: list[_Update]
    valor: _Amount | None = None


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Recurrence)


def encode(payload: RecurrencePayload) -> bytes:
    """`payload` as JSON (UTF-8, times in UTC with milliseconds).

    PayloadError if API Pix would not allow it, or a document's check digits are wrong.
    """
    _check(payload)
    _check_documents(payload)
    link = {
        "contrato": payload.contract,
        "devedor": said_debtor(payload.debtor),
    } | ({} if payload.purpose is None else {"objeto": payload.purpose})
    calendar = {
        "dataInicial": payload.starts_on.isoformat(),
        "periodicidade": _PERIODS[payload.frequency],
    } | ({} if payload.ends_on is None else {"dataFinal": payload.ends_on.isoformat()})
    amounts = {"valorRec": payload.amount, "valorMinimoRecebedor": payload.floor}
    given = {name: amount for name, amount in amounts.items() if amount is not None}
    return _encoder.encode(
        {
            "idRec": payload.recurrence_id,
            "vinculo": link,
            "calendario": calendar,
            "politicaRetentativa": "PERMITE_3R_7D" if payload.retries else "NAO_PERMITE",
        }
        | ({"valor": given} if given else {})
        | {
            "recebedor": {
                "cnpj": payload.receiver.cnpj,
                "nome": payload.receiver.name,
                "ispbParticipante": payload.receiver.ispb,
            },
            "atualizacao": [{"status": one.status, "data": printed(one.at)} for one in payload.updates],
        }
    )


def decode(data: bytes) -> RecurrencePayload:
    """Returns the recurrence that `data` describes. PayloadError for anything that API Pix does not allow.

    `data` is trusted only after `jws.verify`; this checks the form, not who speaks. Documents are read by their form: the
    Central Bank's own example has check digits that are wrong.
    """
    wire = read(_decoder, data)
    if wire.calendario.periodicidade not in _FREQUENCIES:
        raise PayloadError("calendario.periodicidade", "is not known")
    amounts = wire.valor or _Amount()
    payload = RecurrencePayload(
        recurrence_id=wire.idRec,
        contract=wire.vinculo.contrato,
        purpose=wire.vinculo.objeto,
        debtor=read_debtor(wire.vinculo.devedor, "vinculo.devedor"),
        starts_on=wire.calendario.dataInicial,
        ends_on=wire.calendario.dataFinal,
        frequency=_FREQUENCIES[wire.calendario.periodicidade],
        retries=wire.politicaRetentativa == "PERMITE_3R_7D",
        amount=amounts.valorRec,
        floor=amounts.valorMinimoRecebedor,
        receiver=Receiver(name=wire.recebedor.nome, cnpj=wire.recebedor.cnpj, ispb=wire.recebedor.ispbParticipante),
        updates=tuple(Update(status=one.status, at=utc(one.data, "atualizacao.data")) for one in wire.atualizacao),
    )
    _check(payload)
    return payload


def _check(payload: RecurrencePayload) -> None:
    recurrence = read_recurrence_id(payload.recurrence_id)
    if recurrence is None:
        raise PayloadError("idRec", "is not an id of a recurrence")
    debtor, receiver = payload.debtor, payload.receiver
    document = f"vinculo.devedor.{debtor.document_type.lower()}"
    both = payload.amount is not None and payload.floor is not None
    rules = (
        (recurrence.retries == payload.retries, "politicaRetentativa", "is not what the idRec says"),
        (1 <= len(payload.contract) <= MAX_CONTRACT, "vinculo.contrato", "has not 1 to 35 characters"),
        (payload.purpose is None or len(payload.purpose) <= MAX_PURPOSE, "vinculo.objeto", "is over 35 long"),
        (1 <= len(debtor.name) <= MAX_NAME, "vinculo.devedor.nome", "has not 1 to 140 characters"),
        (has_form(debtor.document_type, debtor.document), document, "does not have the form of one"),
        (payload.ends_on is None or payload.ends_on >= payload.starts_on, "calendario.dataFinal", "is before the start"),
        (not both, "valor", "has both a fixed amount and a floor"),
        (_is_amount(payload.amount), "valor.valorRec", "is not a positive amount with two decimals"),
        (_is_amount(payload.floor), "valor.valorMinimoRecebedor", "is not a positive amount with two decimals"),
        (has_form("CNPJ", receiver.cnpj), "recebedor.cnpj", "does not have the form of one"),
        (1 <= len(receiver.name) <= MAX_NAME, "recebedor.nome", "has not 1 to 140 characters"),
        (is_ispb(receiver.ispb), "recebedor.ispbParticipante", "is not an ISPB"),
        (all(one.status in get_args(Status) for one in payload.updates), "atualizacao", "has a status that is not known"),
    )
    for holds, field, message in rules:
        if not holds:
            raise PayloadError(field, message)
    for one in payload.updates:
        utc(one.at, "atualizacao.data")


def _check_documents(payload: RecurrencePayload) -> None:
    debtor = payload.debtor
    if not is_document(debtor.document_type, debtor.document):
        raise PayloadError(f"vinculo.devedor.{debtor.document_type.lower()}", "has wrong check digits")
    if not is_cnpj(payload.receiver.cnpj):
        raise PayloadError("recebedor.cnpj", "has wrong check digits")


def _is_amount(text: str | None) -> bool:
    return text is None or (AMOUNT.fullmatch(text) is not None and text.strip("0.") != "")
