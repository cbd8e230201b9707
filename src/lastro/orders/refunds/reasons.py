"""The network's refusal codes of a refund. Each has its meaning, whether another refund may help, and the next step.

Sources: message catalogue 5.13.1 of the SPI, the codes of pacs.002 that answer a pacs.004. The guide's page of refusals is
made of this file, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.rails.port import NOT_TAKEN, Reasons

if TYPE_CHECKING:
    from lastro.rails.port import ReasonRow

_STEPS: Final = {
    "again": ("Make a new refund in a few minutes.", "Faça uma nova devolução daqui a alguns minutos."),
    "treasury": (
        "Whoever runs this lastro puts money into its settlement account; then make a new refund.",
        "A instituição precisa repor o saldo da sua conta de liquidação; depois faça uma nova devolução.",
    ),
    "otherwise": (
        "Settle it with the payer in another way: a payout to an account of his.",
        "Acerte o valor com o pagador de outra forma: um pagamento para uma conta dele.",
    ),
    "operator": (
        "Tell whoever runs this lastro: what it sent has to be put right.",
        "Avise a instituição: a mensagem que ela enviou precisa ser corrigida.",
    ),
    "ask": (
        "Ask whoever runs this lastro before you make a new refund.",
        "Consulte a instituição antes de fazer uma nova devolução.",
    ),
}  # fmt: skip
_ROWS: Final[tuple[ReasonRow, ...]] = (
    ("AB03", "later", "again", "the return timed out inside the network", "A devolução não foi concluída a tempo."),
    ("AB09", "later", "again", "an error at the payer's bank", "Houve um erro no banco do pagador."),
    ("AC03", "never", "otherwise", "the payer's account is not there any more", "A conta do pagador não existe mais."),
    ("AC06", "never", "otherwise", "the payer's account is blocked", "A conta do pagador está bloqueada."),
    ("AC07", "never", "otherwise", "the payer's account is closed", "A conta do pagador está encerrada."),
    ("AG13", "never", "operator", "a return cannot be returned", "Uma devolução não pode ser devolvida."),
    ("AM01", "never", "operator", "the amount is zero", "O valor é zero."),
    ("AM04", "later", "treasury", "the institution's settlement account has too little",
     "A conta de liquidação da instituição está sem saldo suficiente."),
    ("AM09", "never", "ask", "the return is more than is left of what was paid",
     "A devolução é maior que o valor que resta do pagamento."),
    ("DT05", "never", "otherwise", "the time for a return is over", "O prazo para a devolução terminou."),
    ("ED05", "later", "again", "the settlement failed", "A liquidação falhou."),
    (NOT_TAKEN, "later", "again", "the network did not take the return within a day",
     "A rede não recebeu a devolução em um dia."),
    ("admi.002", "never", "operator", "the network would not process it", "A rede não processou a mensagem da devolução."),
    ("SL02", "never", "ask", "it is no withdrawal or change transaction", "Não é uma transação de Pix Saque ou Pix Troco."),
)  # fmt: skip
REASONS: Final = Reasons(_ROWS, _STEPS, "A rede recusou a devolução.")


def message_of(code: str) -> str:
    """Returns the errorMessage of contract.md §10. An unknown code stays raw in it."""
    return REASONS.of(code).message


def may_help_later(code: str) -> bool:
    """Tells whether a later retry may succeed."""
    return REASONS.of(code).retry == "later"
