"""Reads and writes the signed payload of an immediate charge.

Its location serves it. Source: API Pix 2.9.0 (CobPayload). The wire speaks Portuguese and text; the value speaks English and
types. Fields a reader does not know are ignored, except the one that changes what is paid (`valor.retirada`, cash back),
which is refused rather than overlooked. A member that is null is as good as absent.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeVar, get_args

import msgspec

from .documents import DocumentType, is_document
from .pix_ids import is_txid_dynamic

Status = Literal["ATIVA", "CONCLUIDA", "REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"]

_DOCUMENTS = {"CPF": re.compile(r"[0-9]{11}"), "CNPJ": re.compile(r"[0-9A-Z]{12}[0-9]{2}")}
AMOUNT = re.compile(r"[0-9]{1,10}\.[0-9]{2}")
_Wire = TypeVar("_Wire")
# Two thousand million seconds are 68 years, and what an integer of 32 bits holds.
_MAX_EXPIRATION = 2**31 - 1


class PayloadError(ValueError):
    """A payload that API Pix does not allow; `field` is the path of the first offending field, as on the wire."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field


class WithdrawalError(PayloadError):
    """A charge of Pix Saque or Pix Troco: who pays it is handed cash, in whole or in part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Debtor:
    """The debtor of a charge or a contract; the payer may be someone else.

    `name` has at most 200 characters, of a contract 140.
    """

    name: str
    document_type: DocumentType
    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargePayload:
    """An immediate charge as its location shows it.

    `amount` is text with two decimals; with `open_amount` the payer may change it, and then alone it may be `0.00`.
    `expiration` counts seconds from `created_at`. `presented_at` is when this very answer was made. Times are aware.
    """

    revision: int
    created_at: datetime
    presented_at: datetime
    expiration: int
    txid: str
    status: Status
    amount: str
    open_amount: bool = False
    key: str
    debtor: Debtor | None = None
    payer_request: str | None = None


_MISSING_EXPIRATION = 86_400


class _Calendar(msgspec.Struct):
    criacao: datetime
    apresentacao: datetime
    expiracao: int | None = None


class _Amount(msgspec.Struct):
    original: str
    modalidadeAlteracao: Literal[0, 1] | None = None  # noqa: N815 - the wire's own name
    retirada: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class WireDebtor(msgspec.Struct):
    """A debtor as the wire has him."""

    nome: str
    cpf: str | None = None
    cnpj: str | None = None


class _Charge(msgspec.Struct):
    revisao: int
    calendario: _Calendar
    txid: str
    status: Status
    valor: _Amount
    chave: str
    devedor: WireDebtor | None = None
    solicitacaoPagador: str | None = None  # noqa: N815 - the wire's own name


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Charge)


def encode(payload: ChargePayload) -> bytes:
    """`payload` as JSON (UTF-8, times in UTC with milliseconds). PayloadError if API Pix would not allow it."""
    _check(payload)
    debtor = payload.debtor
    if debtor is not None and not is_document(debtor.document_type, debtor.document):
        raise PayloadError(f"devedor.{debtor.document_type.lower()}", "is not a valid document")
    return _encoder.encode(
        {
            "revisao": payload.revision,
            "calendario": {
                "criacao": printed(payload.created_at),
                "apresentacao": printed(payload.presented_at),
                "expiracao": payload.expiration,
            },
            "txid": payload.txid,
            "status": payload.status,
            "valor": {"original": payload.amount, "modalidadeAlteracao": int(payload.open_amount)},
            "chave": payload.key,
        }
        | ({} if debtor is None else {"devedor": said_debtor(debtor)})
        | ({} if payload.payer_request is None else {"solicitacaoPagador": payload.payer_request})
    )


def decode(data: bytes) -> ChargePayload:
    """Returns the charge that `data` describes. PayloadError for anything API Pix does not allow, or that we would misread.

    `data` is trusted only after `jws.verify`; this checks the form, not who speaks.
    """
    wire = read(_decoder, data)
    if wire.valor.retirada is not msgspec.UNSET and bytes(wire.valor.retirada).strip() != b"null":
        raise WithdrawalError("valor.retirada", "withdrawal and change are not supported")
    payload = ChargePayload(
        revision=wire.revisao,
        created_at=utc(wire.calendario.criacao, "calendario.criacao"),
        presented_at=utc(wire.calendario.apresentacao, "calendario.apresentacao"),
        expiration=_MISSING_EXPIRATION if wire.calendario.expiracao is None else wire.calendario.expiracao,
        txid=wire.txid,
        status=wire.status,
        amount=wire.valor.original,
        open_amount=wire.valor.modalidadeAlteracao == 1,
        key=wire.chave,
        debtor=None if wire.devedor is None else read_debtor(wire.devedor, "devedor"),
        payer_request=wire.solicitacaoPagador,
    )
    _check(payload)
    return payload


def _check(payload: ChargePayload) -> None:
    utc(payload.created_at, "calendario.criacao")
    utc(payload.presented_at, "calendario.apresentacao")
    rules = (
        (payload.revision >= 0, "revisao", "is negative"),
        (0 < payload.expiration <= _MAX_EXPIRATION, "calendario.expiracao", "is not a positive number of seconds"),
        (is_txid_dynamic(payload.txid), "txid", "is not 26 to 35 letters and digits"),
        (payload.status in get_args(Status), "status", "is not known"),
        (AMOUNT.fullmatch(payload.amount) is not None, "valor.original", "is not an amount with two decimals"),
        (payload.open_amount or payload.amount.strip("0.") != "", "valor.original", "is zero but may not be changed"),
        (1 <= len(payload.key) <= 77, "chave", "has not 1 to 77 characters"),
        (payload.payer_request is None or len(payload.payer_request) <= 140, "solicitacaoPagador", "is over 140 long"),
    )
    for holds, field, message in rules:
        if not holds:
            raise PayloadError(field, message)
    _check_debtor(payload.debtor)


def _check_debtor(debtor: Debtor | None) -> None:
    """Reads documents by their form: whatever their check digits, the charge is somebody else's and asks the same."""
    if debtor is None:
        return
    if not 1 <= len(debtor.name) <= 200:
        raise PayloadError("devedor.nome", "has not 1 to 200 characters")
    if not has_form(debtor.document_type, debtor.document):
        raise PayloadError(f"devedor.{debtor.document_type.lower()}", "does not have the form of one")


def read(decoder: msgspec.json.Decoder[_Wire], data: bytes) -> _Wire:
    """Reads a payload's JSON. PayloadError names the field that has another type."""
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        message = str(problem)
        path = re.search(r"at `\$\.?(.*)`$", message)
        raise PayloadError(path[1] if path else "", message) from problem


def read_debtor(wire: WireDebtor, field: str) -> Debtor:
    """Reads the debtor at the path `field`. PayloadError: he has not exactly one document."""
    if wire.cpf is not None and wire.cnpj is None:
        return Debtor(name=wire.nome, document_type="CPF", document=wire.cpf)
    if wire.cnpj is not None and wire.cpf is None:
        return Debtor(name=wire.nome, document_type="CNPJ", document=wire.cnpj)
    raise PayloadError(field, "has not exactly one of cpf and cnpj")


def said_debtor(debtor: Debtor) -> dict[str, str]:
    """Returns a debtor as the wire has him."""
    return {debtor.document_type.lower(): debtor.document, "nome": debtor.name}


def has_form(document_type: DocumentType, document: str) -> bool:
    """Tells whether a document has the form of its type; check digits may be wrong."""
    return _DOCUMENTS[document_type].fullmatch(document) is not None


def utc(moment: datetime, field: str) -> datetime:
    """Returns an aware moment in UTC. PayloadError for a naive one at the path `field`."""
    if moment.tzinfo is None:
        raise PayloadError(field, "is a time without a zone")
    return moment.astimezone(UTC)


def printed(moment: datetime) -> str:
    """Returns a moment as the wire has it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
