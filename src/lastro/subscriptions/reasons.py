"""The network's reasons for refusing a subscription or a charge: the meaning of each code, and if another try may help.

Sources: API Pix 2.9.0 (codes, and which of them end a charge); their meanings follow the public tables of institutions, and
for AP13, AP14 and FBRD none is known. A code that is not here is a refusal like any other and is kept as it came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from lastro.rails.port import NOT_TAKEN, OVER_BY_TIME, REFUSED_BY_NETWORK, Reasons

if TYPE_CHECKING:
    from lastro.rails.port import Reason, ReasonRow
    from lastro.subscriptions.model import CancelReason

# An authorization refused; an authorization cancelled; a charge or attempt refused; a scheduled charge cancelled.
Subject = Literal["AUTHORIZATION", "CANCELLATION", "CHARGE", "CHARGE_CANCELLATION"]

SUBJECTS: Final[tuple[Subject, ...]] = ("AUTHORIZATION", "CANCELLATION", "CHARGE", "CHARGE_CANCELLATION")
# An attempt refused with one of these ends its charge, whatever tries are left (API Pix 2.9.0, CobRTentativas).
KILLING: Final = frozenset(("AC05", "AM09", "DENC", "DS27", "DTED", "MIDI", "MSUC", "NITX", "RC09"))
# Something failed at a bank or on the way, and nobody said no: sent again under the same conditions, which is no retry
# (IN BCB 614/2025, art. 5 §4; FAIL is the code of a bank that drops a scheduled charge).
OPERATIONAL: Final = frozenset(("AB03", "AB09", "AB10", "AB11", "ED05", "FAIL"))
# It came too late for that day; another day may work.
TOO_LATE: Final = "FCD2"
# The network's cancellation of a charge by its payer: SLBD here, while that of an authorization is SLDB.
CANCELLED_BY_PAYER: Final = "SLBD"
CANCELLED_WITH_AUTHORIZATION: Final = "CCLD"
CANCELLED_BY_RECEIVER: Final = "SLCR"
# Somebody called it off, which has an event of its own; with any other code its bank ended it.
CANCELLATION_CODES: Final = (CANCELLED_BY_PAYER, CANCELLED_WITH_AUTHORIZATION, CANCELLED_BY_RECEIVER)
# The payer's bank had no funds until its last window was over: the day's end, and no refusal.
UNPAID_DAY: Final = "EXPR"
# The message by which the network says that it would not process one of ours; it need not say why.
NOT_PROCESSED: Final = "admi.002"


def reason_of(code: str, subject: Subject) -> Reason:
    """Returns the meaning of a code. An unknown code is a refusal that is not to be tried again unseen."""
    return REASONS[subject].of(code)


def reason_of_attempt(code: str, status: str) -> Reason:
    """Returns the meaning of an attempt's code. An attempt that its bank dropped is CANCELED by a code of cancellations."""
    return reason_of(code, "CHARGE_CANCELLATION" if status == "CANCELED" else "CHARGE")


def cure_of_attempt(code: str, status: str) -> str:
    """Returns the remedy for an attempt that ended so, in one sentence."""
    return reason_of_attempt(code, status).next_step


def kills(code: str) -> bool:
    """Tells whether an attempt refused so ends its charge. An unknown code does not."""
    return code in KILLING


def fails(code: str) -> bool:
    """Tells whether a code means an operational failure, not a refusal."""
    return code in OPERATIONAL


def heals(code: str) -> bool:
    """Tells whether the same instruction may pass another time. One with an unknown code may."""
    known = REASONS["CHARGE"].get(code)
    return known is None or known.retry == "later"


def cancel_reason_of(code: str) -> CancelReason:
    """Our reason for the network's code of a cancelled authorization; any code without one of its own is OTHER."""
    return _OF_CODE.get(code, "OTHER")


def code_of_cancel(reason: CancelReason) -> str | None:
    """Returns our cancellation code to the payer's bank. None: that bank knows the end by itself.

    The Central Bank has no code for OTHER: it counts as asked for by the receiver.
    """
    return _CODE_OF[reason]


_OF_CODE: Final[dict[str, CancelReason]] = {
    "SLDB": "REQUESTED_BY_PAYER", "SLCR": "REQUESTED_BY_RECEIVER", "ACCL": "ACCOUNT_CLOSED", "FRUD": "FRAUD_SUSPECTED",
    OVER_BY_TIME: "AUTHORIZATION_EXPIRED",
}  # fmt: skip
_CODE_OF: Final[dict[CancelReason, str | None]] = {
    "REQUESTED_BY_RECEIVER": "SLCR", "FRAUD_SUSPECTED": "FRUD", "OTHER": "SLCR", "REQUESTED_BY_PAYER": "SLDB",
    "ACCOUNT_CLOSED": "ACCL", "AUTHORIZATION_EXPIRED": None, "RECURRENCE_ENDED": None,
}  # fmt: skip

_STEPS: Final[dict[str, tuple[str, str]]] = {
    "wait": ("Nothing: where the policy allows it, it is tried again.",
             "Nada a fazer: se a política permitir, haverá nova tentativa."),
    "funds": ("Ask the payer to have the amount in his account on the day of the next try.",
              "Peça ao pagador que tenha saldo no dia da próxima tentativa."),
    "limit": ("Ask the payer to raise his maximum or his limit for Pix Automático, or schedule a smaller amount.",
              "Peça ao pagador que aumente o valor máximo ou o limite do Pix Automático, ou agende um valor menor."),
    "account": ("Ask the payer to talk to his bank.", "Peça ao pagador que fale com o banco dele."),
    "new": ("Offer the payer a new subscription, and charge this amount in another way.",
            "Ofereça uma nova assinatura ao pagador e cobre este valor de outra forma."),
    "other way": ("Charge the amount in another way.", "Cobre o valor de outra forma."),
    "amount": ("Schedule the payment anew with the amount that was agreed.", "Agende o pagamento com o valor combinado."),
    "date": ("Schedule the payment anew with a due date inside a free cycle.",
             "Agende o pagamento com vencimento dentro de um ciclo livre."),
    "earlier": ("Schedule the next payment at least three days ahead.",
                "Agende o próximo pagamento com pelo menos três dias de antecedência."),
    "paid": ("Compare with the payer what was paid, and do not charge it twice.",
             "Confira com o pagador o que foi pago e não cobre duas vezes."),
    "operator": ("Tell whoever runs this lastro: what it sent has to be put right.",
                 "Avise a instituição: a mensagem que ela enviou precisa ser corrigida."),
    "stop": ("Do not charge again before you know what happened.", "Não cobre de novo antes de saber o que aconteceu."),
    "over": ("Nothing: it is over. A new subscription may be offered.",
             "Nada a fazer: terminou. Uma nova assinatura pode ser oferecida."),
    "next": ("Nothing for this cycle; the next one can be charged.",
             "Nada a fazer neste ciclo; o próximo pode ser cobrado."),
    "again": ("Ask for it anew; if it ends so again, tell whoever runs this lastro.",
              "Peça de novo; se terminar assim outra vez, avise a instituição."),
    "ask": ("Ask the payer's bank, or whoever runs this lastro, before you try again.",
            "Consulte o banco do pagador ou a instituição antes de tentar de novo."),
}  # fmt: skip

_AUTHORIZATION: Final[tuple[ReasonRow, ...]] = (
    ("AP13", "never", "ask", REFUSED_BY_NETWORK, "A rede recusou o pedido."),
    ("AP14", "never", "ask", REFUSED_BY_NETWORK, "A rede recusou o pedido."),
    (NOT_TAKEN, "later", "again", "the network did not take it within a day", "A rede não recebeu o pedido em um dia."),
    (NOT_PROCESSED, "later", "again", "the network would not process it", "A rede não processou o pedido."),
)
_CANCELLATION: Final[tuple[ReasonRow, ...]] = (
    ("ACCL", "never", "over", "an account was closed", "Uma conta foi encerrada."),
    ("CPCL", "never", "over", "the receiver has ceased its activity", "O recebedor encerrou as atividades."),
    ("DCSD", "never", "over", "the payer has died", "O pagador faleceu."),
    ("ERSL", "never", "new", "the request for confirmation was wrong", "A solicitação de confirmação estava errada."),
    ("FRUD", "never", "stop", "there is a suspicion of fraud", "Há suspeita de fraude."),
    ("PCFD", "never", "over", "it was confirmed through another journey", "Foi confirmada por outra jornada."),
    ("SLCR", "never", "over", "the receiver asked for it", "O recebedor pediu o cancelamento."),
    ("SLDB", "never", "over", "the payer asked for it", "O pagador pediu o cancelamento."),
)
_CHARGE: Final[tuple[ReasonRow, ...]] = (
    ("AB03", "later", "wait", "the network had no answer in time", "A rede não teve resposta a tempo."),
    ("AB09", "later", "wait", "an error at the receiver's institution", "Houve um erro na instituição do recebedor."),
    ("AB10", "later", "wait", "an error at the payer's bank", "Houve um erro no banco do pagador."),
    ("AB11", "later", "wait", "the payer's bank did not answer in time", "O banco do pagador não respondeu a tempo."),
    ("AC05", "never", "new", "the payer's account is closed", "A conta do pagador está encerrada."),
    ("AC06", "later", "account", "the payer's account is blocked", "A conta do pagador está bloqueada."),
    ("AG12", "never", "operator", "payer and receiver are at the same institution, which the network does not settle",
     "Pagador e recebedor estão na mesma instituição, e a rede não liquida esse pagamento."),
    ("AM02", "never", "limit", "the amount is above the payer's maximum or limit",
     "O valor ultrapassa o máximo autorizado ou o limite do pagador."),
    ("AM09", "never", "amount", "the amount is not the one that was agreed", "O valor é diferente do valor fixo combinado."),
    ("CRNC", "never", "operator", "the receiver's CNPJ is not that of the authorization",
     "O CNPJ do recebedor é diferente do autorizado."),
    ("DENC", "never", "new", "the payer's document is not that of the authorization",
     "O CPF ou CNPJ do pagador é diferente do autorizado."),
    ("DS27", "never", "operator", "the institution is not registered as a participant",
     "A instituição não está cadastrada como participante."),
    ("DTED", "never", "date", "the due date does not fit the frequency", "O vencimento não combina com a periodicidade."),
    ("DTNT", "never", "other way", "the days for tries after the due date are over",
     "O prazo para novas tentativas após o vencimento terminou."),
    ("ED05", "later", "wait", "the settlement failed", "A liquidação falhou."),
    ("EXPR", "later", "funds", "the payer had too little in the account until the last window",
     "O pagador ficou sem saldo até a última janela."),
    ("FBRD", "later", "ask", REFUSED_BY_NETWORK, "A rede recusou o pedido."),
    ("FCD1", "later", "wait", "it came more than ten days ahead", "Chegou com mais de dez dias de antecedência."),
    ("FCD2", "never", "earlier", "it came less than two days ahead", "Chegou com menos de dois dias de antecedência."),
    ("GRER", "later", "ask", REFUSED_BY_NETWORK, "A rede recusou o pedido."),
    ("IRNT", "never", "other way", "the authorization allows no tries after the due date",
     "A autorização não permite novas tentativas após o vencimento."),
    ("MIDI", "never", "operator", "the subscription's id is missing or wrong",
     "O identificador da recorrência falta ou está errado."),
    ("MSUC", "never", "new", "the authorization is not confirmed", "A autorização não está confirmada."),
    ("NIEC", "later", "ask", "the payer's bank has an open order for it already",
     "Já existe uma ordem pendente no banco do pagador."),
    ("NIPA", "never", "paid", "it has been paid already", "A cobrança já foi paga."),
    ("NITX", "never", "operator", "the new instruction does not match the charge before",
     "A nova instrução não corresponde à cobrança anterior."),
    (NOT_TAKEN, "later", "wait", "the network did not take it until its day was over",
     "A rede não recebeu a cobrança até o fim do dia dela."),
    ("QUNT", "never", "other way", "there were three tries in seven days already", "Já houve três tentativas em sete dias."),
    ("RC09", "never", "operator", "the payer's institution is not valid", "O ISPB do pagador não é válido."),
    ("UDEI", "never", "operator", "the debtor's document is wrong", "O CPF ou CNPJ do devedor está errado."),
    (NOT_PROCESSED, "later", "wait", "the network would not process it", "A rede não processou a cobrança."),
)  # fmt: skip
_CHARGE_CANCELLATION: Final[tuple[ReasonRow, ...]] = (
    ("ACCT", "never", "new", "the account cannot be debited", "A conta não pode ser debitada."),
    ("BLCK", "never", "account", "the payer's account is blocked", "A conta do pagador está bloqueada."),
    ("CCLD", "never", "over", "the authorization was cancelled", "A autorização foi cancelada."),
    ("FAIL", "never", "ask", "something failed at the payer's bank", "Houve uma falha no banco do pagador."),
    (NOT_TAKEN, "later", "again", "the network did not take it in time", "A rede não recebeu o pedido a tempo."),
    ("OTHR", "never", "ask", "for another reason", "Cancelada por outro motivo."),
    ("SLBD", "never", "next", "the payer asked for it", "O pagador pediu o cancelamento."),
    ("SLCR", "never", "next", "the receiver asked for it", "O recebedor pediu o cancelamento."),
    (NOT_PROCESSED, "later", "again", "the network would not process it", "A rede não processou o pedido."),
)

# By subject, each by code.
REASONS: Final[dict[Subject, Reasons]] = {
    subject: Reasons(rows, _STEPS, "A rede recusou o pedido.")
    for subject, rows in zip(SUBJECTS, (_AUTHORIZATION, _CANCELLATION, _CHARGE, _CHARGE_CANCELLATION), strict=True)
}
