"""The words of acts: their names, what they will do, and what is chosen in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DEEDS: Mapping[str, tuple[str, str]] = {
    "deed.moves-money": (
        "Isto move dinheiro. Em produção o segundo fator é pedido antes.",
        "This moves money. In production the second factor is asked for first.",
    ),
    "deed.orders.cancel": ("Cancelar a cobrança", "Cancel the order"),
    "deed.orders.cancel.about": (
        "A cobrança {name} de {amount} é cancelada: ninguém mais a paga. Um Pix que já esteja a caminho é recusado.",
        "The order {name} of {amount} is canceled: nobody can pay it any more. A Pix that is on its way is refused.",
    ),
    "deed.orders.refund": ("Devolver", "Refund"),
    "deed.orders.refund.about": (
        "O valor sai agora da conta da cobrança {name} e volta a quem pagou. Não pode ser desfeito.",
        "The amount leaves the account of order {name} now and goes back to whoever paid. It cannot be undone.",
    ),
    "deed.payouts.cancel": ("Cancelar o pagamento", "Cancel the payout"),
    "deed.payouts.cancel.about": (
        "O pagamento {name} de {amount} não sai, e o valor reservado volta à conta. O que já foi enviado não volta.",
        "The payout {name} of {amount} does not go out, and what was held returns to the account. What was sent does not.",
    ),
    "deed.payouts.approve": ("Aprovar", "Approve"),
    "deed.payouts.approve.about": (
        "O pagamento {name} de {amount} sai da análise e é enviado agora, ou no seu dia. Depois de enviado não volta.",
        "The payout {name} of {amount} leaves the review and is sent now, or on its day. Once sent it does not come back.",
    ),
    "deed.payouts.refuse": ("Recusar", "Refuse"),
    "deed.payouts.refuse.about": (
        "O pagamento {name} de {amount} é recusado, e o valor reservado volta à conta.",
        "The payout {name} of {amount} is refused, and what was held returns to the account.",
    ),
    "deed.payouts.contest": ("Contestar (MED)", "Contest (MED)"),
    "deed.payouts.contest.about": (
        "O pagamento {name} de {amount} é contestado no diretório: o banco recebedor bloqueia e analisa. Só se faz uma vez.",
        "The payout {name} of {amount} is contested at the directory: the receiver's bank blocks it and looks. Once, ever.",
    ),
    "deed.plans.approve": ("Aprovar o plano", "Approve the plan"),
    "deed.plans.approve.about": (
        "Você assina o plano de {lines} linhas como está (pelo hash). Com as assinaturas exigidas pode ser aplicado.",
        "You sign the plan of {lines} lines as it is (by its hash). With the signatures that it needs it can be applied.",
    ),
    "deed.plans.apply": ("Aplicar o plano", "Apply the plan"),
    "deed.plans.apply.about": (
        "As {lines} linhas do plano viram pagamentos, que são enviados.",
        "The {lines} lines of the plan become payouts, which are sent.",
    ),
    "deed.plans.cancel": ("Cancelar o plano", "Cancel the plan"),
    "deed.plans.cancel.about": (
        "Nenhum outro pagamento do plano é feito. Os que já foram feitos continuam.",
        "No further payout of the plan is made. Those that were made go on.",
    ),
    "deed.subscriptions.cancel": ("Cancelar a assinatura", "Cancel the subscription"),
    "deed.subscriptions.cancel.about": (
        "A assinatura {name} termina: o banco do pagador é avisado e nenhum outro ciclo é cobrado.",
        "The subscription {name} ends: the payer's bank is told, and no further cycle is charged.",
    ),
    "deed.disputes.cancel": ("Retirar a contestação", "Withdraw the dispute"),
    "deed.disputes.cancel.about": (
        "A contestação de {amount} é retirada no diretório; o que estava bloqueado no recebedor é liberado.",
        "The dispute of {amount} is withdrawn at the directory; what was blocked at the receiver's is released.",
    ),
    "deed.disputes.answer": ("Concluir a análise", "Answer the dispute"),
    "deed.disputes.answer.about": (
        "O resultado vai ao diretório. Procedente: o bloqueado, até {amount}, volta ao pagador. Improcedente: é liberado.",
        "The verdict goes to the directory. Agreed: what is blocked, up to {amount}, goes back. Disagreed: it is released.",
    ),
    "deed.accounts.block": ("Bloquear a conta", "Block the account"),
    "deed.accounts.block.about": (
        "Nada novo entra nem sai da conta de {name} até que seja desbloqueada. O cliente é avisado.",
        "Nothing new comes in or goes out of the account of {name} until it is unblocked. The client is told.",
    ),
    "deed.accounts.unblock": ("Desbloquear a conta", "Unblock the account"),
    "deed.accounts.unblock.about": (
        "A conta de {name} volta a funcionar, e o que esperava segue.",
        "The account of {name} works again, and what waited goes on.",
    ),
    "deed.accounts.close": ("Encerrar a conta", "Close the account"),
    "deed.accounts.close.about": (
        "A conta de {name} se encerra para sempre, com chaves, cobranças e assinaturas, se não tiver saldo nem pendências.",
        "The account of {name} closes for ever, with its keys, orders and subscriptions, if it has and owes nothing.",
    ),
    "deed.keys.delete": ("Excluir a chave", "Delete the key"),
    "deed.keys.delete.about": (
        "A chave {name} sai do diretório: quem paga a ela não chega mais a esta conta.",
        "The key {name} leaves the directory: whoever pays to it does not reach this account any more.",
    ),
    "deed.claims.cancel": ("Cancelar a reivindicação", "Cancel the claim"),
    "deed.claims.cancel.about": (
        "A reivindicação da chave {name} é cancelada no diretório.",
        "The claim of the key {name} is canceled at the directory.",
    ),
    "deed.events.resend": ("Reenviar o evento", "Resend the event"),
    "deed.events.resend.about": (
        "O mesmo evento, com os mesmos bytes e o mesmo id, é enviado de novo ao seu destino.",
        "The same event, with the same bytes and the same id, is sent to its URL again.",
    ),
    "choice.MD06": ("MD06: a pedido do cliente", "MD06: asked for by the customer"),
    "choice.SL02": ("SL02: de saque ou troco", "SL02: of a withdrawal or change"),
    "choice.REQUESTED_BY_RECEIVER": ("a pedido do recebedor", "asked for by the receiver"),
    "choice.FRAUD_SUSPECTED": ("suspeita de fraude", "fraud suspected"),
    "choice.OTHER": ("outro", "other"),
    "choice.SCAM": ("golpe", "scam"),
    "choice.UNAUTHORIZED_TRANSACTION": ("transação não autorizada", "transaction not authorized"),
    "choice.CRIME_OF_COERCION": ("coação", "coercion"),
    "choice.FRAUDULENT_ACCESS_AND_AUTHORIZATION": ("acesso fraudulento", "fraudulent access"),
    "choice.OTHERS": ("outros (diga quais nos detalhes)", "others (say which in the details)"),
    "choice.AGREED": ("procedente", "agreed"),
    "choice.DISAGREED": ("improcedente", "disagreed"),
    "choice.APPLICATION_FRAUD": ("falsidade ideológica", "application fraud"),
    "choice.MULE_ACCOUNT": ("conta laranja", "mule account"),
    "choice.SCAMMER_ACCOUNT": ("conta do fraudador", "scammer's account"),
    "choice.COURT_ORDER": ("ordem judicial", "order of a court"),
    "choice.OPERATOR_DECISION": ("decisão da instituição", "decision of the institution"),
    "choice.FRAUD_CLEARED": ("não houve fraude", "there was no fraud"),
}
