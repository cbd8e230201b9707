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
        (
            "A cobrança {name} de {amount} a {payer} é cancelada: ninguém mais a paga. Um Pix que já esteja a caminho é "
            "recusado. Não tem tarifa e não se desfaz."
        ),
        (
            "The order {name} of {amount} to {payer} is canceled: nobody can pay it any more. A Pix that is on its way is "
            "refused. It costs nothing and cannot be undone."
        ),
    ),
    "deed.orders.refund": ("Devolver", "Refund"),
    "deed.orders.refund.about": (
        (
            "O valor sai agora da conta da cobrança {name} e volta a quem pagou, {payer}: no máximo {left}. A devolução "
            "não tem tarifa, e a tarifa da cobrança não volta. Não pode ser desfeito."
        ),
        (
            "The amount leaves the account of order {name} now and goes back to its payer, {payer}: {left} at most. The "
            "refund costs nothing, and the fee of the order does not come back. It cannot be undone."
        ),
    ),
    "deed.payouts.cancel": ("Cancelar o pagamento", "Cancel the payout"),
    "deed.payouts.cancel.about": (
        (
            "O pagamento {name} de {amount} a {to} não sai, e o valor e a tarifa reservados voltam à conta. O que já foi "
            "enviado não volta."
        ),
        (
            "The payout {name} of {amount} to {to} does not go out, and the amount and fee held return to the account. "
            "What was sent does not come back."
        ),
    ),
    "deed.payouts.approve": ("Aprovar", "Approve"),
    "deed.payouts.approve.about": (
        (
            "{amount} vão a {to}, mais {fee} de tarifa. O pagamento {name} sai da análise e é enviado agora, ou no seu "
            "dia. Depois de enviado não volta."
        ),
        (
            "{amount} go to {to}, and {fee} is its fee. The payout {name} leaves the review and is sent now, or on its "
            "day. Once sent it does not come back."
        ),
    ),
    "deed.payouts.refuse": ("Recusar", "Refuse"),
    "deed.payouts.refuse.about": (
        "O pagamento {name} de {amount} a {to} é recusado, e o valor e a tarifa reservados voltam à conta. Não se desfaz.",
        (
            "The payout {name} of {amount} to {to} is refused, and the amount and fee held return to the account. It "
            "cannot be undone."
        ),
    ),
    "deed.payouts.contest": ("Contestar (MED)", "Contest (MED)"),
    "deed.payouts.contest.about": (
        (
            "O pagamento {name} de {amount} a {to} é contestado no diretório: o banco recebedor bloqueia e analisa. Não "
            "tem tarifa. Só se faz uma vez."
        ),
        (
            "The payout {name} of {amount} to {to} is contested at the directory: the receiver's bank blocks it and "
            "looks. It costs nothing. Once, ever."
        ),
    ),
    "deed.plans.approve": ("Aprovar o plano", "Approve the plan"),
    "deed.plans.approve.about": (
        (
            "Você assina o plano como está (pelo hash): {amount}, mais {fee} de tarifas. Linhas: {lines}; recebedores: "
            "{receivers}. A maior linha, {largestLine}, paga {largest}. Com as assinaturas exigidas ele pode ser aplicado."
        ),
        (
            "You sign the plan as it is (by its hash): {amount}, and {fee} of fees. Lines: {lines}; receivers: {receivers}. "
            "The largest line, {largestLine}, pays {largest}. With the signatures that it needs it can be applied."
        ),
    ),
    "deed.plans.apply": ("Aplicar o plano", "Apply the plan"),
    "deed.plans.apply.about": (
        (
            "Cada linha do plano vira um pagamento, que é enviado: {amount} ao todo, mais {fee} de tarifas. "
            "Linhas: {lines}; recebedores: {receivers}. A maior linha, {largestLine}, paga {largest}. Depois não volta."
        ),
        (
            "Each line of the plan becomes a payout, which is sent: {amount} in all, and {fee} of fees. Lines: {lines}; "
            "receivers: {receivers}. The largest line, {largestLine}, pays {largest}. What was sent does not come back."
        ),
    ),
    "deed.plans.cancel": ("Cancelar o plano", "Cancel the plan"),
    "deed.plans.cancel.about": (
        "Nenhum outro pagamento do plano de {amount} é feito. Os que já foram feitos continuam. Não se desfaz.",
        "No further payout of the plan of {amount} is made. Those that were made go on. It cannot be undone.",
    ),
    "deed.subscriptions.cancel": ("Cancelar a assinatura", "Cancel the subscription"),
    "deed.subscriptions.cancel.about": (
        (
            "A assinatura {name} de {payer} termina: o banco do pagador é avisado e nenhum outro ciclo é cobrado. Não tem "
            "tarifa e não se desfaz."
        ),
        (
            "The subscription {name} of {payer} ends: the payer's bank is told, and no further cycle is charged. It costs "
            "nothing and cannot be undone."
        ),
    ),
    "deed.disputes.cancel": ("Retirar a contestação", "Withdraw the dispute"),
    "deed.disputes.cancel.about": (
        (
            "A contestação de {amount} pagos a {to} é retirada no diretório; o que estava bloqueado no recebedor é "
            "liberado. A transação não pode ser contestada de novo."
        ),
        (
            "The dispute of {amount} paid to {to} is withdrawn at the directory; what was blocked at the receiver's is "
            "released. The transaction cannot be contested again."
        ),
    ),
    "deed.disputes.defend": ("Dar a defesa", "Give a defense"),
    "deed.disputes.defend.about": (
        (
            "O que o titular da conta diz desta notificação. A instituição o lê antes de decidir; nenhum banco o recebe. "
            "Um novo texto toma o lugar do anterior."
        ),
        (
            "What the account's holder says to this notification. The institution reads it before it decides; no bank is "
            "told of it. Another text replaces the one before."
        ),
    ),
    "deed.disputes.attach": ("Anexar documento à defesa", "Add a document to the defense"),
    "deed.disputes.attach.about": (
        (
            "Um PDF, PNG ou JPEG de até 10 MB que apoia a defesa do titular, até dez por notificação. A instituição o lê "
            "antes de decidir; nenhum banco o recebe. O que foi anexado não pode ser retirado."
        ),
        (
            "A PDF, PNG or JPEG of at most 10 MB that supports the holder's defense, up to ten for a notification. The "
            "institution reads it before it decides; no bank is told of it. What was added cannot be taken back."
        ),
    ),
    "deed.disputes.answer": (
        "Responder à disputa",
        "Answer the dispute",
    ),
    "deed.disputes.answer.about": (
        (
            "{payer} contesta {amount} que vieram para a conta de {holder}; {blocked} estão bloqueados. A resposta vai ao "
            "diretório e não se desfaz. O motivo fica no histórico e, se procedente, vai também ao diretório."
        ),
        (
            "{payer} contests {amount} that came to the account of {holder}; {blocked} of it is blocked. The answer goes "
            "to the directory and cannot be undone. The reason stays in the history and, where agreed, goes to the "
            "directory too."
        ),
    ),
    "deed.disputes.reimburse": ("Reembolsar o banco do pagador", "Reimburse the payer's bank"),
    "deed.disputes.reimburse.about": (
        (
            "O banco {bank} já pagou o seu cliente {payer} e pede {amount} de uma cobrança de Pix Automático da conta de "
            "{holder}; {blocked} estão bloqueados. O valor sai da conta por um Pix ao próprio banco (REFU), nunca ao "
            "pagador, e não se desfaz. A conta do banco é a que ele informa: {details}"
        ),
        (
            "The bank {bank} has paid its customer {payer} already and asks {amount} of a Pix Automático charge of the "
            "account of {holder}; {blocked} of it is blocked. The amount leaves the account by a Pix to the bank itself "
            "(REFU), never to the payer, and cannot be undone. The bank's account is the one that it names: {details}"
        ),
    ),
    "deed.disputes.refuse": ("Recusar o reembolso", "Refuse the reimbursement"),
    "deed.disputes.refuse.about": (
        (
            "O banco {bank}, que pede {amount} de uma cobrança de Pix Automático paga por {payer}, recebe a recusa com o "
            "motivo. Os {blocked} bloqueados na conta de {holder} são liberados. Não se desfaz."
        ),
        (
            "The bank {bank}, which asks {amount} of a Pix Automático charge that {payer} has paid, is told no and why. "
            "The {blocked} blocked in the account of {holder} can be used again. It cannot be undone."
        ),
    ),
    "deed.accounts.block": ("Bloquear a conta", "Block the account"),
    "deed.accounts.block.about": (
        (
            "Nada novo entra nem sai da conta de {name} até que seja desbloqueada: {available} disponíveis e {held} "
            "reservados ficam parados. O cliente é avisado."
        ),
        (
            "Nothing new comes in or goes out of the account of {name} until it is unblocked: {available} available and "
            "{held} held stand still. The client is told."
        ),
    ),
    "deed.accounts.unblock": ("Desbloquear a conta", "Unblock the account"),
    "deed.accounts.unblock.about": (
        (
            "A conta de {name} volta a funcionar com {available} disponíveis, e os pagamentos que esperavam, {held} "
            "reservados, seguem."
        ),
        "The account of {name} works again with {available} available, and the payouts that waited, {held} held, go on.",
    ),
    "deed.accounts.close": ("Encerrar a conta", "Close the account"),
    "deed.accounts.close.about": (
        (
            "A conta de {name} se encerra para sempre, com chaves, cobranças e assinaturas, se não tiver saldo nem "
            "pendências. Agora tem {available} disponíveis e {held} reservados."
        ),
        (
            "The account of {name} closes for ever, with its keys, orders and subscriptions, if it has and owes nothing. "
            "It has {available} available and {held} held now."
        ),
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
    "choice.NO_BALANCE": ("sem saldo", "no balance"),
    "choice.ACCOUNT_CLOSURE": ("conta encerrada", "account closed"),
    "choice.CHECKING_ACCOUNT": ("conta corrente", "checking account"),
    "choice.SAVINGS_ACCOUNT": ("conta de poupança", "savings account"),
    "choice.PAYMENT_ACCOUNT": ("conta de pagamento", "payment account"),
    "choice.SCAM": ("golpe", "scam"),
    "choice.UNAUTHORIZED_TRANSACTION": ("transação não autorizada", "transaction not authorized"),
    "choice.CRIME_OF_COERCION": ("coação", "coercion"),
    "choice.FRAUDULENT_ACCESS_AND_AUTHORIZATION": ("acesso fraudulento", "fraudulent access"),
    "choice.OTHERS": ("outros (diga quais nos detalhes)", "others (say which in the details)"),
    "choice.AGREED": (
        "Procedente: houve fraude",
        "Agreed: there was a fraud",
    ),
    "choice.DISAGREED": (
        "Improcedente: não houve fraude",
        "Disagreed: there was no fraud",
    ),
    "choice.APPLICATION_FRAUD": ("falsidade ideológica", "application fraud"),
    "choice.MULE_ACCOUNT": ("conta laranja", "mule account"),
    "choice.SCAMMER_ACCOUNT": ("conta do fraudador", "scammer's account"),
    "choice.COURT_ORDER": ("ordem judicial", "order of a court"),
    "choice.OPERATOR_DECISION": ("decisão da instituição", "decision of the institution"),
    "choice.FRAUD_CLEARED": ("não houve fraude", "there was no fraud"),
    "choice.AGREED.about": (
        (
            "Custa {blocked} à conta de {holder}: o valor segue bloqueado e volta a {payer} quando o banco dele o pede. O "
            "diretório registra a fraude contra o titular."
        ),
        (
            "It costs the account of {holder} {blocked}: the amount stays blocked and goes back to {payer} when that bank "
            "asks for it. The directory records the fraud against the holder."
        ),
    ),
    "choice.DISAGREED.about": (
        "{blocked} são liberados agora para a conta de {holder}. {payer} não recebe nada de volta por esta disputa.",
        "{blocked} is released to the account of {holder} now. {payer} gets nothing back by this dispute.",
    ),
    "disputed": (
        "Em disputa: {amount} contestados, {blocked} bloqueados, prazo {until}.",
        "Disputed: {amount} contested, {blocked} blocked, due by {until}.",
    ),
    "disputed.over": (
        "Disputa decidida: {amount} foram contestados, e nada mais está bloqueado.",
        "Dispute decided: {amount} were contested, and nothing is blocked any more.",
    ),
    "disputed.page": (
        "Ver a disputa",
        "See the dispute",
    ),
    "nobody": (
        "alguém sem nome conhecido",
        "somebody whose name is not known",
    ),
    "party.first": (
        "Primeiro pagamento a este recebedor",
        "First payment to this receiver",
    ),
    "party.key": (
        "Chave Pix {key}",
        "Pix key {key}",
    ),
    "party.account": (
        "Agência {branch}, conta {account}",
        "Branch {branch}, account {account}",
    ),
    "choice.fraud.none": (
        "de que tipo foi: obrigatório com procedente, senão vazio",
        "required with agreed, not allowed otherwise",
    ),
}
