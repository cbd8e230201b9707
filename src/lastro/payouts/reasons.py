"""The networks' refusal codes: meaning, use of a new payout, next step.

Sources: message catalogue 5.13.1 of the SPI (every code of pacs.002), DICT API 2.12.1, messages of the STR. Their meanings
follow the names of ISO 20022 where the Central Bank gives none; a code that is not here is a refusal like any other.
/docs/guide/refusals is made of this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from lastro.rails.port import REFUSED_BY_NETWORK, Reasons

if TYPE_CHECKING:
    from lastro.rails.port import Reason, ReasonRow

Network = Literal["PIX", "DICT", "TED", "TED_RETURN"]

NETWORKS: Final[tuple[Network, ...]] = ("PIX", "DICT", "TED", "TED_RETURN")


def reason_of(code: str, network: Network) -> Reason:
    """Returns the meaning of a network's code. An unknown code is a refusal that is not to be retried unseen."""
    return REASONS[network].of(code)


_STEPS: Final = {
    "again": ("Make a new payout in a few minutes.", "Faça um novo pagamento daqui a alguns minutos."),
    "hours": ("Make a new payout when the STR is open.", "Faça um novo pagamento quando o STR estiver aberto."),
    "tomorrow": ("Make a new payout on the next business day.", "Faça um novo pagamento no próximo dia útil."),
    "wait": ("Wait a minute, then ask the directory again.", "Aguarde um minuto e consulte o diretório de novo."),
    "treasury": (
        "Whoever runs this lastro puts money into its settlement account; then make a new payout.",
        "A instituição precisa repor o saldo da sua conta de liquidação; depois faça um novo pagamento.",
    ),
    "account": (
        "Ask the receiver for the right branch, account and account type.",
        "Confirme com o recebedor a agência, a conta e o tipo de conta.",
    ),
    "holder": (
        "Ask the receiver whose account it is, and give that holder's document.",
        "Confirme com o recebedor quem é o titular da conta e informe o documento dele.",
    ),
    "other": ("Ask the receiver for another account or key.", "Peça ao recebedor outra conta ou outra chave."),
    "key": ("Compare the key with the receiver, letter by letter.", "Confira a chave com o recebedor, letra por letra."),
    "bank": (
        "The receiver asks his bank what stands in the way; until then use another account of his.",
        "O recebedor deve consultar o banco dele; até lá, use outra conta do recebedor.",
    ),
    "less": (
        "Pay less, or to another account of the receiver.",
        "Pague um valor menor ou use outra conta do recebedor.",
    ),
    "code": ("Ask the receiver for a new QR code.", "Peça ao recebedor um novo QR Code."),
    "paid": (
        "Compare with the receiver whether it was paid before, and do not pay it twice.",
        "Verifique com o recebedor se já foi pago e não pague duas vezes.",
    ),
    "operator": (
        "Tell whoever runs this lastro: what it sent has to be put right.",
        "Avise a instituição: a mensagem que ela enviou precisa ser corrigida.",
    ),
    "stop": ("Do not try again, and look at whom you pay.", "Não tente de novo e verifique a quem você está pagando."),
    "no return": (
        "Do not send the return again; settle it with the payer in another way.",
        "Não envie a devolução de novo; acerte o valor com o pagador de outra forma.",
    ),
    "bill": ("Compare the slip with whoever issued it.", "Confira o boleto com quem o emitiu."),
    "ask": (
        "Ask the receiver's bank, or whoever runs this lastro, before you make a new payout.",
        "Consulte o banco do recebedor ou a instituição antes de fazer um novo pagamento.",
    ),
}

_PIX: Final[tuple[ReasonRow, ...]] = (
    ("AB03", "later", "again", "the payment timed out inside the network", "O pagamento não foi concluído a tempo."),
    ("AB09", "later", "again", "an error at the receiver's bank", "Houve um erro no banco do recebedor."),
    ("AB11", "later", "again", "the payment timed out at the payer's bank", "O banco do pagador não respondeu a tempo."),
    ("AC03", "never", "account", "the receiver's branch or account does not exist",
     "A agência ou a conta do recebedor não existe."),
    ("AC06", "never", "other", "the receiver's account is blocked", "A conta do recebedor está bloqueada."),
    ("AC07", "never", "other", "the receiver's account is closed", "A conta do recebedor está encerrada."),
    ("AC14", "never", "account", "the receiver's account is of another type", "O tipo da conta do recebedor está errado."),
    ("AG03", "never", "other", "the receiver's account does not take this kind of payment",
     "A conta do recebedor não aceita este tipo de pagamento."),
    ("AG12", "never", "operator", "payer and receiver are at the same institution, which the network does not settle",
     "Pagador e recebedor estão na mesma instituição, e a rede não liquida esse pagamento."),
    ("AG13", "never", "no return", "a return cannot be returned", "Uma devolução não pode ser devolvida."),
    ("AGNT", "never", "operator", "the settlement agent is wrong", "O agente de liquidação está errado."),
    ("AM01", "never", "operator", "the amount is zero", "O valor é zero."),
    ("AM02", "never", "less", "the amount is above the limit of the receiver's account",
     "O valor ultrapassa o limite da conta do recebedor."),
    ("AM04", "later", "treasury", "the institution's settlement account has too little",
     "A conta de liquidação da instituição está sem saldo suficiente."),
    ("AM09", "never", "no return", "the return is more than was paid", "A devolução é maior que o valor pago."),
    ("AM12", "never", "operator", "the parts of the amount do not add up", "As partes do valor não somam o total."),
    ("AM18", "never", "operator", "the number of transactions is wrong", "A quantidade de transações está errada."),
    ("AM23", "never", "ask", REFUSED_BY_NETWORK, "A rede recusou o pagamento."),
    ("BE01", "never", "holder", "the document is not that of the account's holder",
     "O CPF ou CNPJ não é o do titular da conta."),
    ("BE05", "never", "operator", "the payment initiator is not known", "O iniciador do pagamento não é reconhecido."),
    ("BE15", "never", "code", "the receiver does not know the reference of the charge",
     "O recebedor não reconhece o identificador da cobrança."),
    ("BE17", "never", "code", "the receiver refuses the QR code", "O recebedor recusou o QR code."),
    ("CH11", "never", "holder", "the receiver's document is wrong", "O CPF ou CNPJ do recebedor está errado."),
    ("CH16", "never", "operator", "the message breaks a rule of its form", "A mensagem não segue as regras da rede."),
    ("CN01", "never", "ask", "the scheduled recurring payment was cancelled", "O pagamento recorrente foi cancelado."),
    ("DS02", "never", "ask", REFUSED_BY_NETWORK, "A rede recusou o pagamento."),
    ("DS04", "never", "bank", "the receiver's bank refuses the payment", "O banco do recebedor recusou o pagamento."),
    ("DS0G", "never", "operator", "who signed the message may not do so", "Quem assinou a mensagem não tem autorização."),
    ("DS27", "never", "operator", "the institution is not registered as a participant",
     "A instituição não está cadastrada como participante."),
    ("DT02", "never", "operator", "the date is not valid", "A data não é válida."),
    ("DT05", "never", "no return", "the time for a return is over", "O prazo para a devolução terminou."),
    ("DU03", "never", "ask", REFUSED_BY_NETWORK, "A rede recusou o pagamento."),
    ("DUPL", "never", "paid", "this charge has been paid already", "Esta cobrança já foi paga."),
    ("ED05", "later", "again", "the settlement failed", "A liquidação falhou."),
    ("FF07", "never", "operator", "the purpose does not fit the payment", "A finalidade não combina com o pagamento."),
    ("FF08", "never", "operator", "the payment's id is malformed, or its time is off",
     "O identificador do pagamento está malformado ou com o horário errado."),
    ("FRAD", "never", "stop", "there is a founded suspicion of fraud", "Há fundada suspeita de fraude."),
    ("INDT", "never", "ask", REFUSED_BY_NETWORK, "A rede recusou o pagamento."),
    ("MD01", "never", "operator", "the withdrawal has no facilitator", "O saque está sem o facilitador."),
    ("RC09", "never", "operator", "the payer's institution is not valid", "O ISPB do pagador não é válido."),
    ("RC10", "never", "account", "the receiver's institution is not valid", "O ISPB do recebedor não é válido."),
    ("RR04", "never", "stop", "a sanction of the UN Security Council forbids it",
     "Uma sanção do Conselho de Segurança da ONU impede o pagamento."),
    ("RR06", "never", "ask", REFUSED_BY_NETWORK, "A rede recusou o pagamento."),
    ("SL02", "never", "ask", "it is no withdrawal or change transaction", "Não é uma transação de Pix Saque ou Pix Troco."),
    ("UPAY", "never", "stop", "it is not due: there is no valid recurrence",
     "O pagamento não é devido: não há recorrência válida."),
)  # fmt: skip
_DICT: Final[tuple[ReasonRow, ...]] = (
    ("NotFound", "never", "key", "the key is not in the directory", "A chave não está cadastrada."),
    ("EntryBlocked", "never", "other", "the key is blocked by a court order", "A chave está bloqueada por ordem judicial."),
    ("EntryCannotBeQueriedForBookTransfer", "never", "operator", "the key is of the payer's own institution",
     "A chave é da própria instituição do pagador."),
    ("EntryWithFraudRelatedRestriction", "never", "stop", "the key is restricted because of fraud",
     "A chave tem restrição por fraude."),
    ("TaxIdNumberBlocked", "never", "other", "the owner's document is blocked",
     "O CPF ou CNPJ do dono da chave está bloqueado."),
    ("UserOrAccountWithFraudRelatedRestriction", "never", "stop", "the owner or the account is restricted because of fraud",
     "O dono da chave ou a conta tem restrição por fraude."),
    ("429", "later", "wait", "the payer has asked the directory too often",
     "O pagador consultou o diretório vezes demais."),
)  # fmt: skip
_TED: Final[tuple[ReasonRow, ...]] = (
    ("5", "later", "treasury", "rejected: the institution's account at the STR has too little",
     "Rejeitada: a conta da instituição no STR está sem saldo suficiente."),
    ("9", "later", "treasury", "rejected: the institution's account at the STR has too little",
     "Rejeitada: a conta da instituição no STR está sem saldo suficiente."),
    ("14", "later", "ask", "cancelled before it was settled", "Cancelada antes da liquidação."),
    ("15", "later", "ask", "cancelled before it was settled", "Cancelada antes da liquidação."),
    ("22", "never", "other", "rejected: a participant is excluded or suspended",
     "Rejeitada: um participante está excluído ou suspenso."),
    ("23", "never", "other", "rejected: a participant is excluded or suspended",
     "Rejeitada: um participante está excluído ou suspenso."),
    ("24", "later", "tomorrow", "rejected at closing time: the institution's account at the STR had too little",
     "Rejeitada no fechamento: a conta da instituição no STR estava sem saldo suficiente."),
    ("25", "later", "tomorrow", "rejected at closing time: the institution's account at the STR had too little",
     "Rejeitada no fechamento: a conta da instituição no STR estava sem saldo suficiente."),
)  # fmt: skip
_TED_RETURN: Final[tuple[ReasonRow, ...]] = (
    ("1", "never", "other", "the receiver's account is closed", "A conta do recebedor está encerrada."),
    ("2", "never", "account", "the receiver's branch or account is not valid", "A agência ou a conta é inválida."),
    ("3", "never", "holder", "the receiver's document is missing or differs", "O CPF ou CNPJ falta ou é diferente."),
    ("4", "never", "operator", "the message is wrong for the transaction", "A mensagem não serve para a transação."),
    ("5", "never", "holder", "the holder is not the receiver", "O titular da conta não é o recebedor."),
    ("6", "never", "ask", "the amount is too low for the purpose", "O valor é insuficiente para a finalidade."),
    ("7", "never", "ask", "more was sent than is due", "O valor é maior que o devido."),
    ("8", "never", "ask", "the transfer's reference is not valid", "O identificador da transferência é inválido."),
    ("9", "never", "stop", "fraud", "Fraude."),
    ("15", "never", "ask", "the judicial reference is not valid", "O identificador do depósito judicial é inválido."),
    ("16", "later", "hours", "it came outside the hours", "Chegou fora do horário."),
    ("17", "never", "ask", "the contract number is not valid", "O número do contrato é inválido."),
    ("18", "never", "paid", "it was sent twice", "Foi enviada em duplicidade."),
    ("19", "never", "stop", "suspicion of financing terrorism", "Suspeita de financiamento ao terrorismo."),
    ("23", "never", "operator", "the message is filled in wrongly", "A mensagem foi preenchida com erro."),
    ("24", "never", "operator", "the message is filled in wrongly", "A mensagem foi preenchida com erro."),
    ("25", "never", "operator", "the message is filled in wrongly", "A mensagem foi preenchida com erro."),
    ("28", "later", "ask", "the credit was not withdrawn in time", "O crédito não foi sacado a tempo."),
    ("31", "never", "holder", "the document is irregular at the Receita Federal",
     "O CPF ou CNPJ está irregular na Receita Federal."),
    ("61", "never", "less", "the amount is above the limit of the receiver's account",
     "O valor ultrapassa o limite da conta do recebedor."),
    ("68", "never", "bill", "the slip has been paid already", "O boleto já foi pago."),
    ("69", "never", "bill", "the slip was paid twice on that day", "O boleto foi pago duas vezes no mesmo dia."),
    ("70", "never", "ask", "the receiver asked for the return", "O recebedor pediu a devolução."),
    ("82", "never", "bill", "the slip differs from the central register", "O boleto difere do registro central."),
    ("83", "never", "bill", "the slip is not in the central register", "O boleto não está no registro central."),
    ("84", "never", "account", "the account's type does not fit the purpose",
     "O tipo da conta não serve para a finalidade."),
    ("85", "later", "ask", "the portability of Open Finance was not completed",
     "A portabilidade do Open Finance não foi concluída."),
)  # fmt: skip

# By network, each by code.
REASONS: Final[dict[Network, Reasons]] = {
    network: Reasons(rows, _STEPS, "A rede recusou o pagamento.")
    for network, rows in zip(NETWORKS, (_PIX, _DICT, _TED, _TED_RETURN), strict=True)
}
