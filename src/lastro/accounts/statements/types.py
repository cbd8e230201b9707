"""The types of transfers on an account: a sentence each, Portuguese and English.

The schema's view entry_types lists the accounts that each moves; a test holds that each type on an account has its words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.rails.port import COLLECTING, RAILS, TED

if TYPE_CHECKING:
    from collections.abc import Mapping

# The names of rails for payers; a second partner of one has a number behind its name.
_PORTUGUESE = {
    "PIX": "Pix", "BOLETO": "boleto", "DEPOSIT": "depósito identificado", "CRYPTO": "criptoativo", "CARD": "cartão",
    "SPEI": "SPEI", "OXXO": "OXXO", "OXXOPAY": "OXXO Pay", "PAYNET": "Paynet",
}  # fmt: skip
_ENGLISH = {"DEPOSIT": "identified deposit", "CRYPTO": "crypto", "CARD": "card", "BOLETO": "slip"}
_OF_ORDERS = tuple(rail.upper() for rail in RAILS if rail != TED)
_SETTLED = tuple(rail.upper() for rail, currency in RAILS.items() if currency != "BRL")


@dataclass(frozen=True, slots=True)
class EntryType:
    """title: up to 25 letters in Portuguese, as they stand in files. portuguese, english: what it means, a sentence each.

    ofx: TRNTYPE of OFX. cnab: the category of the published CNAB 240 table of entries of a statement (G/E 093).
    """

    title: str
    portuguese: str
    english: str
    ofx: str
    cnab: str


def _called(rail: str) -> tuple[str, str]:
    name = rail.rstrip("0123456789")
    return _PORTUGUESE[name], _ENGLISH.get(name, _PORTUGUESE[name])


def _short(how: str) -> str:
    return how.split(maxsplit=1)[0] if how.startswith("dep") else how


def _received(rail: str) -> EntryType:
    how, in_english = _called(rail)
    return EntryType(
        f"Recebido por {_short(how)}", f"Uma cobrança foi paga por {how}; o valor é o que fica depois das tarifas.",
        f"An order was paid by {in_english}; the amount is what is left after fees.", "CREDIT",
        "202" if rail == "BOLETO" else "201",
    )  # fmt: skip


def _refunded(rail: str) -> EntryType:
    how, in_english = _called(rail)
    return EntryType(
        f"Devolvido por {_short(how)}", f"Um valor recebido por {how} foi devolvido a quem pagou.",
        f"Money that came in by {in_english} was given back to who paid.", "DEBIT", "103",
    )  # fmt: skip


def _settled(rail: str) -> EntryType:
    how, in_english = _called(rail)
    return EntryType(
        f"Liquidação de {_short(how)}", f"O que entrou por {how} em pesos foi pago ao titular fora daqui.",
        f"Pesos that came in by {in_english} were paid out to the holder elsewhere.", "DEBIT", "117",
    )  # fmt: skip


TYPES: Mapping[str, EntryType] = {
    **{f"{rail}_IN": _received(rail) for rail in _OF_ORDERS},
    **{f"{rail}_REFUND": _refunded(rail) for rail in _OF_ORDERS},
    **{f"{rail}_SETTLEMENT": _settled(rail) for rail in _SETTLED},
    "PART_IN": EntryType(
        "Recebimento em partes", "A parte de uma cobrança que tinha chegado antes foi creditada quando o resto chegou.",
        "A part that had come in before was credited when the rest of its order was paid.", "CREDIT", "201",
    ),
    "STRANDED_IN": EntryType(
        "Crédito por decisão", "Um valor que não pôde ser devolvido a quem pagou foi creditado por decisão de pessoas.",
        "Money that could not be given back to who paid was credited, as people have decided.", "CREDIT", "213",
    ),
    "TED_IN": EntryType(
        "TED recebida", "Uma TED de outro banco chegou; o valor é o que fica depois das tarifas.",
        "A TED from another bank has come in; the amount is what is left after fees.", "CREDIT", "209",
    ),
    "BOOK_IN": EntryType(
        "Transferência recebida", "Outra conta desta instituição pagou uma cobrança.",
        "Another account of this institution paid an order.", "CREDIT", "213",
    ),
    "BOOK_REFUND": EntryType(
        "Devolução entre contas", "Um valor recebido de outra conta desta instituição foi devolvido.",
        "Money that came from another account of this institution was given back.", "DEBIT", "103",
    ),
    "PIX_OUT": EntryType(
        "Pix enviado", "Um pagamento foi enviado por Pix.", "A payout was sent by Pix.", "DEBIT", "120",
    ),
    "TED_OUT": EntryType(
        "TED enviada", "Um pagamento foi enviado por TED.", "A payout was sent by TED.", "DEBIT", "120",
    ),
    "BOOK_OUT": EntryType(
        "Transferência enviada", "Um pagamento foi enviado a outra conta desta instituição.",
        "A payout was sent to another account of this institution.", "DEBIT", "117",
    ),
    "PAYOUT_FEE": EntryType(
        "Tarifa de pagamento", "A tarifa de um pagamento enviado; de um pagamento dividido, uma só vez.",
        "The fee of a payout; of one that was split, charged once.", "FEE", "105",
    ),
    "PIX_RETURNED": EntryType(
        "Pix devolvido", "Quem recebeu um Pix devolveu o valor ou parte dele.",
        "The receiver of a payout by Pix has given it, or a part of it, back.", "CREDIT", "204",
    ),
    "TED_RETURNED": EntryType(
        "TED devolvida", "O banco de destino devolveu uma TED.", "The receiver's bank has sent a TED back.", "CREDIT", "204",
    ),
    "BOOK_RETURNED": EntryType(
        "Transferência devolvida", "Outra conta desta instituição devolveu um pagamento.",
        "Another account of this institution has given a payout back.", "CREDIT", "204",
    ),
    "RETURN_CREDITED": EntryType(
        "Devolução por decisão",
        "Um valor que voltou de um pagamento e não cabia nele foi creditado por decisão de pessoas.",
        "Money that came back of a payout and did not fit it was credited, as people have decided.", "CREDIT", "204",
    ),
    "PIX_PROVED": EntryType(
        "Pix confirmado", "Um Pix dado como não enviado saiu; o valor foi debitado agora.",
        "A Pix that was taken for failed has left; it is debited now.", "DEBIT", "120",
    ),
    "PIX_REFUND_PROVED": EntryType(
        "Devolução confirmada", "Uma devolução por Pix dada como não feita saiu; o valor foi debitado agora.",
        "A refund by Pix that was taken for failed has left; it is debited now.", "DEBIT", "103",
    ),
    "TED_PROVED": EntryType(
        "TED confirmada", "Uma TED dada como não enviada saiu; o valor foi debitado agora.",
        "A TED that was taken for failed has left; it is debited now.", "DEBIT", "120",
    ),
    "CARD_CHARGEBACK": EntryType(
        "Chargeback de cartão", "O emissor do cartão pegou de volta o valor de uma cobrança.",
        "The issuer of a card took the money of an order back.", "DEBIT", "103",
    ),
    "PIX_TAKEN": EntryType(
        "Pix devolvido pelo banco", "O seu banco devolveu um Pix a quem pagou, sem que isso fosse pedido aqui.",
        "Your bank gave a Pix back to its payer without being asked here.", "DEBIT", "103",
    ),
    "MED_BLOCK": EntryType(
        "Bloqueio MED", "Um valor recebido foi contestado pelo banco de quem pagou e está bloqueado.",
        "Money that came in was contested by the payer's bank and is blocked.", "DEBIT", "104",
    ),
    "MED_RELEASE": EntryType(
        "Desbloqueio MED", "Um valor que estava bloqueado foi liberado.", "Money that was blocked was released.", "CREDIT",
        "205",
    ),
    "LOSS_RECOVERED": EntryType(
        "Dívida compensada", "O que a conta devia foi pago com o que entrou.",
        "What the account owed was paid from what came in.", "DEBIT", "104",
    ),
}  # fmt: skip


def title_of(name: str) -> str:
    """Returns the title of a type in files."""
    known = TYPES.get(name)
    return name if known is None else known.title


# The bank's own code of an entry's history in CNAB 240, four digits: rail and act, or a number of its own. None changes.
_RAIL_CODES = {
    "PIX": "01", "TED": "02", "BOOK": "03", **{rail.name.upper(): rail.cnab_code for rail in COLLECTING.values()},
}  # fmt: skip
_ACT_CODES = {
    "IN": "01", "OUT": "02", "REFUND": "03", "RETURNED": "04", "PROVED": "05", "REFUND_PROVED": "06", "SETTLEMENT": "07",
    "CHARGEBACK": "08", "TAKEN": "09",
}  # fmt: skip
_OTHER_CODES = {
    "PAYOUT_FEE": "0001", "PART_IN": "0002", "STRANDED_IN": "0003", "RETURN_CREDITED": "0004", "MED_BLOCK": "0005",
    "MED_RELEASE": "0006", "LOSS_RECOVERED": "0007",
}  # fmt: skip
UNCODED = "9999"


def history_code(name: str) -> str:
    """Returns the code of an entry's history in CNAB 240. UNCODED for a type that this version does not know."""
    rail, _, act = name.partition("_")
    if rail in _RAIL_CODES and act in _ACT_CODES:
        return _RAIL_CODES[rail] + _ACT_CODES[act]
    return _OTHER_CODES.get(name, UNCODED)
