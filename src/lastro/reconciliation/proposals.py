"""The proposals for people about a difference, in English and Portuguese. They say also whom to call."""

from __future__ import annotations

from typing import NamedTuple

from lastro.rails.port import BOLETO, IN, OUT, PIX, RETURN_IN, RETURN_OUT, TED, is_connection
from lastro.reconciliation.model import (
    AMOUNT,
    CONTRADICTED,
    MISSING,
    REFERENCE,
    TWICE,
    UNHEARD,
    UNKNOWN,
    UNTOLD,
)


class Proposal(NamedTuple):
    """A proposal in English and Portuguese: one sentence or two."""

    en: str
    pt: str


PROPOSALS = {
    UNHEARD: Proposal(
        "lastro books it by itself from what the line says. If it stays open, look for its message with lastro timeline.",
        "O lastro registra sozinho a partir da linha. Se continuar aberto, procure a mensagem com lastro timeline.",
    ),
    UNTOLD: Proposal(
        "lastro ends it by itself from what the line says. If it stays open, look for its message with lastro timeline.",
        "O lastro conclui sozinho a partir da linha. Se continuar aberto, procure a mensagem com lastro timeline.",
    ),
    MISSING: Proposal(
        "Ask why the statement lacks it. A later statement closes it, or one issued anew: lastro reconcile again.",
        "Pergunte por que falta no extrato. Um extrato posterior encerra, ou um reemitido: lastro reconcile again.",
    ),
    TWICE: Proposal(
        "Have the second line taken back; the books have it once. Then lastro reconcile again, or accept.",
        "Peça o estorno da segunda linha; nos livros está uma vez. Depois lastro reconcile again, ou accept.",
    ),
    AMOUNT: Proposal(
        "Compare with the message in lastro timeline and have the wrong side corrected: the statement anew, or the money.",
        "Compare com a mensagem em lastro timeline e peça a correção: extrato reemitido, ou o valor.",
    ),
    REFERENCE: Proposal(
        "The money is right and the reference is not: have the statement corrected, or accept.",
        "O valor está certo e a referência não: peça a correção do extrato, ou accept.",
    ),
    CONTRADICTED: Proposal(
        "We were told that it failed, and it has left. Do not send it again; ask for a written confirmation.",
        "Fomos informados de falha, mas o dinheiro saiu. Não reenvie; peça confirmação por escrito.",
    ),
    UNKNOWN: Proposal(
        "Nothing of ours is this movement. Was a backup restored, it may have been made since: see operations, Backups. If"
        " not, stop and call at once: somebody else may be using our account.",
        "Nenhum registro nosso corresponde. Se um backup foi restaurado, pode ter sido feito desde então: veja operations,"
        " Backups. Se não, ligue imediatamente: outra pessoa pode estar usando a conta.",
    ),
}
# A Pix or TED of ours that has left is proven by its statement; there is a command for it.
_PROVED = Proposal(
    "We were told that it failed, and it has left: book it with lastro payout prove, with the time of the line.",
    "Fomos informados de falha, mas o dinheiro saiu: registre com lastro payout prove, com o horário da linha.",
)
_REFUND_PROVED = Proposal(
    "We were told that it failed, and it has left: book it with lastro payout prove, or what fitted no order with lastro"
    " stranded pay-out.",
    "Fomos informados de falha, mas o dinheiro saiu: registre com lastro payout prove, ou o que não cabia em pedido com"
    " lastro unmatched pay-out.",
)
# At a company's own bank a line may be of a Pix that an order's txid has, and that the order did not ask for.
_MAYBE_FOREIGN = Proposal(
    "lastro books it by itself from what the line says. If it stays open, its order did not ask for just this Pix: it is in"
    " lastro foreign list. Claim it there, or close it and accept this.",
    "O lastro registra sozinho a partir da linha. Se continuar aberto, a cobrança não pediu exatamente este Pix: está em"
    " lastro foreign list. Vincule-o lá, ou encerre-o e depois accept.",
)
_CALL = {
    PIX: Proposal("the Central Bank's SPI operations desk", "a central de operações do SPI no Banco Central"),
    TED: Proposal("the Central Bank's STR operations desk", "a central de operações do STR no Banco Central"),
    BOLETO: Proposal("the bank that collects the slips", "o banco cobrador dos boletos"),
}
_BANK = Proposal("the company's own bank", "o próprio banco da empresa")
_PARTNER = Proposal("the partner's settlement desk", "a área de liquidação do parceiro")


def proposal(rail: str, kind: str, difference: str) -> Proposal:
    """Returns the proposal for a difference of such a line."""
    if difference == CONTRADICTED and ((rail == TED and kind in (OUT, RETURN_IN)) or (rail == PIX and kind == OUT)):
        return _PROVED
    if difference == CONTRADICTED and (rail, kind) == (PIX, RETURN_OUT):
        return _REFUND_PROVED
    if (kind, difference) == (IN, UNHEARD) and is_connection(rail):
        return _MAYBE_FOREIGN
    return PROPOSALS[difference]


def whom_to_call(rail: str) -> Proposal:
    """Returns the contact for the statements of a rail."""
    return _BANK if is_connection(rail) else _CALL.get(rail, _PARTNER)
