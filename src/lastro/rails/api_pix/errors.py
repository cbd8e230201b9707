"""The meaning of a bank's answer, as a table: by status, by its own word, and by what was asked.

A no is the bank's only where it has the bank's words: API Pix's problem (RFC 7807), Efí's `nome`, the `erros` of Banco do
Brasil. Anything else comes from a gateway on the way there, and says nothing of charge or refund. BankLine has
raised before for an answer that is about no object: silence, 5xx, a pause, a redirect, a mistake of set-up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import structlog

from lastro.rails.api_pix.wire import cut, read
from lastro.rails.messages import Malformed
from lastro.rails.port import Permanent, Transient

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkAnswer

LONGEST_REASON = 200
_MOST_VIOLATIONS = 20
_log = structlog.get_logger(__name__)
_TYPE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# API Pix 2.9.0, the types of errors: the general ones, and those of charges, payments and returns.
_KNOWN_TYPE = re.compile(
    r"RequisicaoInvalida|AcessoNegado|NaoEncontrado|PermanentementeRemovido|ErroInternoDoServidor|ServicoIndisponivel"
    r"|IndisponibilidadePorTempoEsgotado|(?:CobR?|Pix|PixDevolucao|Rec|PayloadLocationRec)(?:NaoEncontrad[oa]|(?:Operacao|Consulta)?Invalida)"
)
# Documents of people and companies, which may stand in a bank's reason, and are nobody's to read in a log. A CNPJ has
# letters too: twelve signs and two digits.
_DOCUMENT = re.compile(r"[0-9][0-9./-]{9,17}[0-9]|(?<![0-9A-Za-z])(?:[0-9A-Za-z][./-]?){12}[0-9][./-]?[0-9](?![0-9A-Za-z])")

# What was asked. A list is of payments or of charges.
Where = Literal[
    "PUT cob", "GET cob", "PATCH cob", "GET list", "GET pix", "PUT return", "GET return", "POST locrec", "POST rec",
    "GET rec", "PATCH rec", "PUT cobr", "GET cobr", "PATCH cobr", "POST retry",
]  # fmt: skip


class Meaning(Enum):
    """The consequence of an answer."""

    DONE = "done"
    LOOK = "look"  # it is there already, or was taken without being shown: it has to be read and compared
    UNKNOWN = "unknown"  # the bank itself does not know the object
    PERMANENT = "permanent"  # the bank itself will never take this
    TRANSIENT = "transient"  # it is not known, or not now


class _Row(NamedTuple):
    """A line of the table. words: in the bank's word; where, words: None fits any; is_worded: None fits both."""

    statuses: frozenset[int]
    meaning: Meaning
    words: re.Pattern[str] | None = None
    where: frozenset[Where] | None = None
    is_worded: bool | None = None
    alarms: bool = False


_NO, _TAKEN = frozenset({400, 422}), frozenset({202, 204})
_GETS: frozenset[Where] = frozenset({"GET cob", "GET pix", "GET return", "GET rec", "GET cobr"})
_PUTS: frozenset[Where] = frozenset({"PUT cob", "PUT return", "PUT cobr", "POST retry"})
_PATCH: frozenset[Where] = frozenset({"PATCH cob", "PATCH rec", "PATCH cobr"})
_LISTS: frozenset[Where] = frozenset({"GET list"})
_SET_UP = re.compile(
    r"acesso_?negado|insufficient_scope|invalid_(?:scope|client|token)|unauthorized|access_denied|\b(?:scope|escopo)s?\b",
    re.IGNORECASE,
)
_AWAY = re.compile(r"Servico_?Indisponivel|Erro_?Interno|Tempo_?Esgotado", re.IGNORECASE)
_NOT_FOUND = re.compile(r"n[aã]o[_ ]?(?:foi )?encontrad[oa]", re.IGNORECASE)

# The first row that fits decides (bank-rail.md §4.7).
_TABLE = (
    _Row(frozenset({200, 201}), Meaning.DONE),
    _Row(_TAKEN, Meaning.LOOK, where=_PUTS),
    _Row(_TAKEN, Meaning.DONE, where=_PATCH),
    _Row(_NO, Meaning.TRANSIENT, words=_AWAY),
    _Row(frozenset({404}), Meaning.UNKNOWN, words=_NOT_FOUND, where=_GETS | _PATCH, is_worded=True),
    _Row(frozenset({404}), Meaning.TRANSIENT, is_worded=False),  # a gateway's, which knows nothing of the bank's objects
    _Row(frozenset({404}), Meaning.TRANSIENT, alarms=True),
    _Row(frozenset({409}), Meaning.LOOK, where=_PUTS),
    _Row(_NO, Meaning.TRANSIENT, where=_LISTS, alarms=True),
    _Row(_NO, Meaning.PERMANENT, is_worded=True),
    _Row(frozenset({413, 415}), Meaning.PERMANENT, where=_PUTS, alarms=True),
    # Everything else is nothing that the document names: a no in no words or in unknown ones, a method that is not there.
    _Row(frozenset(range(100, 1000)), Meaning.TRANSIENT, alarms=True),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer, judged. code: the bank's word, or HTTP and the status. reason: its own, cut, without long numbers.

    violations: (property, reason) as the bank names them. alarms: an operator has to see it. is_worded: the bank itself has
    answered, in words that are known, so that no copy of what was asked is on its way.
    """

    meaning: Meaning
    code: str
    reason: str
    violations: tuple[tuple[str, str], ...] = ()
    alarms: bool = False
    is_worded: bool = False

    @property
    def transient(self) -> Transient:
        """The same as the port's exception."""
        return Transient(f"{self.code}: {self.reason}", is_on_its_way=not self.is_worded)

    @property
    def permanent(self) -> Permanent:
        """The same as the port's exception."""
        told = "; ".join(f"{name}: {reason}" for name, reason in self.violations)
        return Permanent(self.code, f"{self.reason} ({told})" if told else self.reason)


def judge(answer: NetworkAnswer, where: Where) -> Verdict:
    """Returns what an answer means. The body of a success is not looked at here."""
    said = _Said.of(answer.body) if answer.status >= 300 else _Said()
    row = next(row for row in _TABLE if _fits(row, answer.status, said, where))
    reason = said.reason or f"answered with HTTP status {answer.status}"
    return Verdict(row.meaning, said.word or f"HTTP{answer.status}", reason, said.violations, row.alarms, said.is_known)


def is_denial(raw: bytes) -> bool:
    """Tells whether the body of a no speaks of permissions: by its type, or in words, as some banks do by 400."""
    return _Said.of(raw).is_denial


def alarmed(verdict: Verdict, rail: str, where: Where, name: str) -> Verdict:
    """Logs a verdict that an operator has to see: a mistake of set-up, or of ours. Returns it."""
    if verdict.alarms:
        _log.critical(
            "bank.answer_alarming", rail=rail, kind=where, network_id=name, code=verdict.code, reason=verdict.reason
        )
    return verdict


def _fits(row: _Row, status: int, said: _Said, where: Where) -> bool:
    return (
        status in row.statuses
        and (row.where is None or where in row.where)
        and (row.is_worded is None or row.is_worded == said.is_known)
        and (row.words is None or row.words.search(said.searched) is not None)
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """The content of a no. word: its own, of whatever meaning; None: it has none.

    is_known: the bank's word, and no gateway's: a type of API Pix, or a form of one bank. is_denial: about permissions.
    """

    word: str | None = None
    is_known: bool = False
    is_denial: bool = False
    reason: str | None = None
    searched: str = ""
    violations: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, raw: bytes) -> _Said:
        """Reads the body of a no: JSON in any of the banks' forms, SOAP, HTML, or nothing."""
        try:
            body = read(raw, dict[str, Any])
        except Malformed:
            return cls(reason=private(raw[: 4 * LONGEST_REASON].decode("utf-8", "replace")))
        faults = [fault for fault in _rows(body, "erros") if _text(fault, "mensagem")]
        kind = _name(_text(body, "type"))
        word = kind or _name(_text(body, "nome")) or (_fault_code(faults[0]) if faults else None)
        is_known = word is not None if kind is None else _KNOWN_TYPE.fullmatch(kind) is not None
        gateway = _text(body, "error")
        details = [_text(body, name) for name in ("title", "detail", "mensagem", "message", "error_description")]
        texts = list(dict.fromkeys(text for text in (*details, *(_text(fault, "mensagem") for fault in faults)) if text))
        pairs = [(_text(row, "propriedade"), _text(row, "razao")) for row in _rows(body, "violacoes")]
        pairs += [(_text(row, "caminho").removeprefix(".body"), _text(row, "mensagem")) for row in faults]
        violations = tuple((private(name, 64) or "", private(why) or "") for name, why in pairs[:_MOST_VIOLATIONS])
        # The reason of a problem may speak of anything; that of Banco do Brasil's is its only word.
        searched = " ".join((word or "", gateway, *((_text(faults[0], "mensagem"),) if faults else ())))
        is_denial = _SET_UP.search(" ".join((searched, *texts))) is not None
        return cls(word, is_known, is_denial, private(": ".join(texts)), searched, violations)


def private(text: str, longest: int = LONGEST_REASON) -> str | None:
    """Returns a bank's text as it may be kept: on one line, cut, documents masked; None for an empty one."""
    return cut(_DOCUMENT.sub("***", text), longest)


def _name(text: str) -> str | None:
    """Returns a bank's own word: the last part of a problem's type, or what stands alone. None: it is none."""
    name = text.rsplit("/", 1)[-1]
    return name if name != "about:blank" and _TYPE.fullmatch(name) else None


def _fault_code(fault: dict[str, Any]) -> str:
    code = fault.get("codigo")
    return _name(str(code) if type(code) is int else _text(fault, "codigo")) or "erros"


def _text(body: dict[str, Any], name: str) -> str:
    """Returns a field's text; empty where it has none."""
    value = body.get(name)
    return value if isinstance(value, str) else ""


def _rows(body: dict[str, Any], name: str) -> list[dict[str, Any]]:
    rows = body.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
