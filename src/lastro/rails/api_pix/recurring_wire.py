"""The JSON of recurrences and their charges: rec, locrec, cobr of API Pix 2.9.0. It is read leniently, as in `wire`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from lastro.rails.api_pix.wire import cut, instant, read
from lastro.rails.messages import Malformed
from lastro.standards.pix_ids import is_txid_dynamic
from lastro.standards.recurrence_ids import is_recurrence_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.port import ChargeInstruction
    from lastro.rails.port.bank_recurrences import RecurrenceRequest

CREATED, APPROVED, REJECTED = "CRIADA", "APROVADA", "REJEITADA"
EXPIRED, CANCELED = "EXPIRADA", "CANCELADA"
ACTIVE, CONCLUDED = "ATIVA", "CONCLUIDA"
REQUESTED, SCHEDULED, PAID = "SOLICITADA", "AGENDADA", "PAGA"
LONGEST_CODE = 4  # of the network's reasons
PERIODS: Final = {
    "WEEKLY": "SEMANAL", "MONTHLY": "MENSAL", "QUARTERLY": "TRIMESTRAL", "SEMIANNUAL": "SEMESTRAL", "ANNUAL": "ANUAL",
}  # fmt: skip
_POLICIES: Final = {True: "PERMITE_3R_7D", False: "NAO_PERMITE"}
_LONGEST_NAME = 140  # API Pix 2.9.0, vinculo.devedor.nome


class _Debtor(msgspec.Struct):
    cpf: str | None = None
    cnpj: str | None = None


class _Link(msgspec.Struct):
    contrato: str | None = None
    devedor: _Debtor | None = None


class _CycleCalendar(msgspec.Struct, rename="camel"):
    data_inicial: str | None = None
    data_final: str | None = None
    periodicidade: str | None = None


class _Value(msgspec.Struct, rename="camel"):
    valor_rec: str | None = None
    valor_minimo_recebedor: str | None = None


class _Location(msgspec.Struct):
    id: int | str | None = None
    location: str | None = None


class _Payer(msgspec.Struct, rename="camel"):
    cpf: str | None = None
    cnpj: str | None = None
    ispb_participante: str | None = None
    cod_mun: str | None = None


class _Update(msgspec.Struct):
    status: str | None = None
    nome: str | None = None  # as the official examples write it
    data: str | None = None


class _Reason(msgspec.Struct):
    codigo: str | None = None
    solicitante: str | None = None


class _Closing(msgspec.Struct):
    rejeicao: _Reason | None = None
    cancelamento: _Reason | None = None


class _Journey(msgspec.Struct):
    txid: str | None = None


class _Activation(msgspec.Struct, rename="camel"):
    dados_jornada: _Journey | None = None


class _Code(msgspec.Struct, rename="camel"):
    pix_copia_e_cola: str | None = None


class BankRecurrence(msgspec.Struct, rename="camel"):
    """A recurrence as a bank tells it. Nothing of it is checked yet, and anything may be missing."""

    id_rec: str | None = None
    status: str | None = None
    vinculo: _Link | None = None
    calendario: _CycleCalendar | None = None
    valor: _Value | None = None
    politica_retentativa: str | None = None
    loc: _Location | None = None
    pagador: _Payer | None = None
    atualizacao: list[_Update] | None = None
    encerramento: _Closing | None = None
    ativacao: _Activation | None = None
    dados_qr: _Code | None = msgspec.field(default=None, name="dadosQR")

    @property
    def first_txid(self) -> str | None:
        """The txid of the charge that is paid in the same act; None: none is."""
        return None if self.ativacao is None or self.ativacao.dados_jornada is None else self.ativacao.dados_jornada.txid

    def became_at(self, status: str, clock: Clock) -> datetime | None:
        """Returns when it took a status; None: the bank does not say, or not so that it can be read."""
        return became_at(self.atualizacao or (), status, clock)


class BankAttempt(msgspec.Struct, rename="camel"):
    """A try to collect a charge, as a bank tells it."""

    data_liquidacao: str | None = None
    tipo: str | None = None
    status: str | None = None
    end_to_end_id: str | None = None
    atualizacao: list[_Update] | None = None
    rejeicao: _Reason | None = None


class BankRecurringCharge(msgspec.Struct, rename="camel"):
    """The charge of a cycle (cobr) as a bank tells it."""

    id_rec: str | None = None
    txid: str | None = None
    status: str | None = None
    tentativas: list[BankAttempt] | None = None
    atualizacao: list[_Update] | None = None
    encerramento: _Closing | None = None
    pix: list[msgspec.Raw] | None = None

    def became_at(self, status: str, clock: Clock) -> datetime | None:
        """Returns when it took a status; None: the bank does not say, or not so that it can be read."""
        return became_at(self.atualizacao or (), status, clock)


class _Listed(msgspec.Struct):
    recs: list[msgspec.Raw] | None = None


def became_at(updates: Sequence[_Update], status: str, clock: Clock) -> datetime | None:
    """Returns the last time at which a status was taken; None: the history tells none that can be read."""
    for update in reversed(updates):
        if status in {update.status, update.nome}:
            try:
                return instant(update.data, clock, "atualizacao.data")
            except Malformed:
                return None
    return None


def recurrence(body: bytes) -> BankRecurrence:
    """Reads a recurrence. Malformed: it is none, or its idRec is none."""
    found = read(body, BankRecurrence)
    if found.id_rec is None or not is_recurrence_id(found.id_rec):
        raise Malformed("idRec")
    return found


def recurrences(body: bytes) -> tuple[BankRecurrence, ...]:
    """Reads a page of recurrences; one that cannot be read is left out. Malformed: it is no page."""
    rows = read(body, _Listed).recs
    if rows is None:
        raise Malformed("recs")
    found = []
    for row in rows:
        try:
            found.append(recurrence(bytes(row)))
        except Malformed:
            continue
    return tuple(found)


def location(body: bytes) -> tuple[int, str]:
    """Reads a location for a recurrence: its id and itself, without scheme. Malformed: it is none."""
    found = read(body, _Location)
    number = int(found.id) if isinstance(found.id, str) and found.id.isascii() and found.id.isdigit() else found.id
    if not isinstance(number, int) or not found.location:
        raise Malformed("id")
    return number, bare(found.location)


def bare(address: str) -> str:
    """Returns a location without scheme."""
    return address.removeprefix("https://").removeprefix("http://")


def recurring_charge(body: bytes) -> BankRecurringCharge:
    """Reads the charge of a cycle. Malformed: it is none."""
    return read(body, BankRecurringCharge)


def reason_code(reason: _Reason | None) -> str | None:
    """Returns the network's code of a reason; None: there is none."""
    return None if reason is None else cut(reason.codigo, 35)


def new_recurrence(request: RecurrenceRequest, location_id: int) -> bytes:
    """Returns the body of a new recurrence. The receiver is whose account the connection is."""
    debtor = {request.debtor.document_type.lower(): request.debtor.document_number, "nome": request.debtor.name}
    link: dict[str, Any] = {"contrato": request.contract, "devedor": debtor | {"nome": debtor["nome"][:_LONGEST_NAME]}}
    if request.purpose is not None:
        link["objeto"] = request.purpose
    calendar = {"dataInicial": request.starts_on.isoformat(), "periodicidade": PERIODS[request.frequency]}
    if request.ends_on is not None:
        calendar["dataFinal"] = request.ends_on.isoformat()
    body: dict[str, Any] = {
        "vinculo": link, "calendario": calendar, "politicaRetentativa": _POLICIES[request.retries], "loc": location_id,
    }  # fmt: skip
    if request.fixed is not None:
        body["valor"] = {"valorRec": str(request.fixed)}
    elif request.floor is not None:
        body["valor"] = {"valorMinimoRecebedor": str(request.floor)}
    if request.first is not None:
        body["ativacao"] = {"dadosJornada": {"txid": request.first.txid}}
    return msgspec.json.encode(body)


def difference(request: RecurrenceRequest, found: BankRecurrence) -> str | None:
    """Returns the first property that differs from what was asked; None: none does. Its status is not looked at."""
    link, calendar, value = found.vinculo or _Link(), found.calendario or _CycleCalendar(), found.valor or _Value()
    debtor = link.devedor or _Debtor()
    number = debtor.cpf if request.debtor.document_type == "CPF" else debtor.cnpj
    pairs = (
        ("vinculo.contrato", link.contrato, request.contract),
        ("vinculo.devedor", number, request.debtor.document_number),
        ("calendario.dataInicial", calendar.data_inicial, request.starts_on.isoformat()),
        ("calendario.dataFinal", calendar.data_final, None if request.ends_on is None else request.ends_on.isoformat()),
        ("calendario.periodicidade", calendar.periodicidade, PERIODS[request.frequency]),
        ("valor.valorRec", value.valor_rec, None if request.fixed is None else str(request.fixed)),
        ("valor.valorMinimoRecebedor", value.valor_minimo_recebedor, None if request.floor is None else str(request.floor)),
        ("politicaRetentativa", found.politica_retentativa, _POLICIES[request.retries]),
        ("ativacao.dadosJornada.txid", found.first_txid, None if request.first is None else request.first.txid),
    )
    return next((name for name, there, wanted in pairs if there != wanted), None)


def new_recurring_charge(told: ChargeInstruction, account: Mapping[str, str]) -> bytes:
    """Returns the body of a cycle's charge; the same bytes for the same charge. account: recebedor."""
    body: dict[str, Any] = {
        "idRec": told.recurrence_id, "calendario": {"dataDeVencimento": told.due_on.isoformat()},
        "valor": {"original": str(told.amount)}, "ajusteDiaUtil": told.adjusts, "recebedor": account,
    }  # fmt: skip
    if told.details:
        body["infoAdicional"] = told.details[:140]
    return msgspec.json.encode(body)


def cancellation() -> bytes:
    """Returns the body that cancels a recurrence or a cycle's charge."""
    return msgspec.json.encode({"status": CANCELED})


def recurrence_path(recurrence_id: str) -> str:
    """Returns where a recurrence is. ValueError: it is no idRec."""
    if not is_recurrence_id(recurrence_id):
        raise ValueError("an idRec has 29 letters and digits")
    return f"/rec/{recurrence_id}"


def recurring_charge_path(txid: str) -> str:
    """Returns where the charge of a cycle is. ValueError: the txid has not the form of one."""
    if not is_txid_dynamic(txid):
        raise ValueError("a txid has 26 to 35 letters and digits")
    return f"/cobr/{txid}"


Kind = Literal["AGND", "NTAG", "RIFL"]
