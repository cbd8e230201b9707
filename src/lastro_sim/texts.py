"""What the pages say, in Portuguese and English."""

from collections.abc import Mapping

LANGUAGES = ("pt", "en")

TEXTS: Mapping[str, tuple[str, str]] = {
    "network": ("Rede simulada", "Simulated network"),
    "network-about": (
        "O que fica fora da lastro: o sistema de pagamentos, o diretório de chaves, o banco de quem paga e uma loja.",
        "What stands outside lastro: the payment system, the directory of keys, the payer's bank and a merchant.",
    ),
    "phone": ("Celular", "Phone"),
    "phone-about": (
        "Leia um QR code, pague e autorize cobranças recorrentes.",
        "Read a QR code, pay it and authorize recurring charges.",
    ),
    "whose": ("De quem é o celular", "Whose phone it is"),
    "account-number": ("conta", "account"),
    "statement": ("Extrato", "Statement"),
    "contest": ("Contestar este pagamento", "Contest this payment"),
    "contest-why": ("O que aconteceu", "What happened"),
    "contested": ("Contestação (MED)", "Dispute (MED)"),
    "disputes": ("Contestações", "Disputes"),
    "withdraw": ("Retirar a contestação", "Take the dispute back"),
    "state": ("Situação", "State"),
    "situation-SCAM": ("Caí em um golpe", "I fell for a scam"),
    "situation-UNAUTHORIZED_TRANSACTION": ("Não fui eu que paguei", "It was not I who paid"),
    "situation-CRIME_OF_COERCION": ("Fui obrigado a pagar", "I was forced to pay"),
    "situation-FRAUDULENT_ACCESS_AND_AUTHORIZATION": ("Invadiram meu aplicativo", "Somebody got into my app"),
    "situation-OTHERS": ("Outro motivo", "Another reason"),
    "dispute-CREATED": ("Aberta", "Opened"),
    "dispute-OPEN": ("Aberta", "Opened"),
    "dispute-TRACED": ("Caminho do dinheiro encontrado", "Path of the money found"),
    "dispute-WAITING_ANALYSIS": ("Em análise", "Being looked at"),
    "dispute-RECEIVED": ("Recebida pelo banco de quem recebeu", "With the receiver's bank"),
    "dispute-ANALYSED": ("Analisada", "Looked at"),
    "dispute-WAITING_REFUND": ("Devolução pedida", "Refund asked for"),
    "dispute-COMPLETED": ("Encerrada", "Ended"),
    "dispute-CANCELLED": ("Retirada", "Taken back"),
    "dispute-CLOSED": ("Encerrada", "Ended"),
    "dispute-of-RECOVERY_VALUE": ("Recuperação", "Recovery"),
    "dispute-of-INFRINGEMENT_NOTIFICATION": ("Aviso ao banco de quem recebeu", "Notice to the receiver's bank"),
    "dispute-of-REFUND_REQUEST": ("Pedido de devolução", "Request for the money"),
    "FundsRecoveryForTransactionAlreadyExists": ("Este pagamento já foi contestado.", "It was contested before."),
    "FundsRecoveryTransactionNotIndexed": ("Só o que foi pago pode ser contestado.", "Only what was paid can be contested."),
    "FundsRecoveryTransactionNotEligible": ("Este pagamento não pode ser contestado.", "This payment cannot be contested."),
    "FundsRecoveryOperationInvalid": ("Tarde demais para isso.", "It is too late for that."),
    "NOT_CONTESTED": ("Este pagamento não foi contestado.", "This payment was not contested."),
    "merchant": ("Loja", "Merchant"),
    "merchant-about": ("Veja chegar os avisos da lastro.", "Watch lastro's notifications arrive."),
    "receiver": ("Banco de quem recebe", "Receiver's bank"),
    "receiver-about": (
        "Crie cobranças que a lastro paga, e devolva o que foi recebido.",
        "Make charges for lastro to pay, and give back what was received.",
    ),
    "new-charge": ("Nova cobrança", "New charge"),
    "charge": ("Cobrar", "Make the charge"),
    "charges": ("Cobranças", "Charges"),
    "received": ("Recebidos", "Received"),
    "give-back": ("Devolver", "Give back"),
    "amount-or-open": ("Valor em reais (vazio: quem paga escolhe)", "Amount in BRL (empty: the payer chooses)"),
    "ATIVA": ("Em aberto", "Open"),
    "CONCLUIDA": ("Paga", "Paid"),
    "REMOVIDA_PELO_USUARIO_RECEBEDOR": ("Cancelada", "Cancelled"),
    "REMOVIDA_PELO_PSP": ("Cancelada pelo banco", "Cancelled by the bank"),
    "lists": ("Listas em JSON", "Lists in JSON"),
    "play-money": ("Dinheiro de mentira. Nada daqui chega a um banco.", "Play money. Nothing here reaches a bank."),
    "paste": ("Pix copia e cola ou linha do boleto", "Text of the QR code, or the slip's line"),
    "paste-hint": ("Cole aqui o código", "Paste the code here"),
    "read": ("Ler código", "Read code"),
    "picture": ("Foto de um QR code ou das barras de um boleto", "A picture of a QR code or of a slip's bars"),
    "read-picture": ("Ler da foto", "Read the picture"),
    "scan": ("Usar a câmera", "Use the camera"),
    "no-camera": ("Sem acesso à câmera.", "There is no camera to use."),
    "unseen": ("Nenhum código foi encontrado nesta foto.", "No code was found in this picture."),
    "to": ("Para", "To"),
    "bank": ("Banco", "Bank"),
    "document": ("Documento", "Document"),
    "key": ("Chave", "Key"),
    "due": ("Vencimento", "Due"),
    "payable-until": ("Pagável até", "Payable until the end of"),
    "our-number": ("Nosso número", "Slip number"),
    "payment-id": ("Pagamento", "Payment"),
    "slips": ("Boletos pagos", "Slips paid"),
    "slip-ANNOUNCED": ("Pagamento recebido pelo banco", "Taken by the bank"),
    "slip-SETTLED": ("Pago", "Paid"),
    "slip-VOID": ("Não compensado", "Not settled"),
    "slip-REJECTED": ("Recusado", "Refused"),
    "reference": ("Referência", "Reference"),
    "till": ("Caixa", "Till"),
    "till-about": ("Fichas registradas, para pagar em dinheiro", "Registered vouchers, to be paid in cash"),
    "item-REGISTERED": ("A pagar", "To be paid"),
    "item-PAID": ("Pago", "Paid"),
    "item-CLOSED": ("Cancelado", "Canceled"),
    "item-EXPIRED": ("Vencido", "Expired"),
    "item-settles": ("Ainda não foi liquidado.", "It has not settled yet."),
    "items": ("Pago por referência", "Paid by reference"),
    "NOT_SETTLED": ("O valor não chegou.", "The money did not come."),
    "crypto-rate": ("Cotação", "Rate"),
    "CHARGE_NOT_OPEN": ("A cobrança ainda não foi aberta.", "The charge is not open yet."),
    "crypto-QUOTED": ("A cobrança ainda não foi aberta.", "The charge is not open yet."),
    "crypto-PAID": ("Esta cobrança já foi paga.", "This charge has been paid already."),
    "crypto-CLOSED": ("A cobrança foi encerrada.", "The charge is closed."),
    "crypto-EXPIRED": ("A cotação venceu.", "The rate is over."),
    "slip-settles": ("Compensa no próximo dia útil.", "It settles on the next business day."),
    "SLIP_NOT_FOUND": ("O boleto não está registrado.", "The slip is not registered."),
    "NOT_SETTLED_BY_PAYER_BANK": ("O banco de quem pagou não enviou o valor.", "The payer's bank did not bring the money."),
    "until": ("Vence em", "Payable until"),
    "description": ("Descrição", "Description"),
    "open-amount": ("Você escolhe o valor", "You choose the amount"),
    "amount": ("Valor em reais", "Amount in BRL"),
    "who-pays": ("Quem paga", "Who pays"),
    "pay": ("Pagar", "Pay"),
    "one-moment": ("Um momento…", "One moment…"),
    "paying": ("Pagando…", "Paying…"),
    "back": ("Ler outro código", "Read another code"),
    "recent": ("Pagamentos recentes", "Recent payments"),
    "letters": ("Mensagens", "Messages"),
    "recurrence": ("Pix Automático", "Pix Automático"),
    "authorizes-by-paying": (
        "Ao pagar, você também autoriza as próximas cobranças.",
        "By paying you also authorize the charges to come.",
    ),
    "charges-of": ("Cobranças", "Charges"),
    "every-fixed": ("sempre de", "always of"),
    "any-amount": ("de valor variável", "of varying amounts"),
    "frequency": ("Frequência", "How often"),
    "WEEKLY": ("semanal", "weekly"),
    "MONTHLY": ("mensal", "monthly"),
    "QUARTERLY": ("trimestral", "quarterly"),
    "SEMIANNUAL": ("semestral", "every six months"),
    "ANNUAL": ("anual", "yearly"),
    "starts": ("Começa em", "From"),
    "ends": ("Termina em", "Until"),
    "open-ended": ("sem data de término", "until you cancel it"),
    "contract": ("Contrato", "Contract"),
    "debtor": ("Em nome de", "In the name of"),
    "retries": ("Se faltar saldo", "If there is no money"),
    "retries-yes": ("até 3 novas tentativas em 7 dias", "up to 3 more tries in 7 days"),
    "retries-no": ("sem novas tentativas", "no more tries"),
    "maximum": ("Valor máximo por cobrança (opcional)", "Maximum for one charge (optional)"),
    "maximum-set": ("Valor máximo por cobrança", "Maximum for one charge"),
    "at-least": ("no mínimo", "at least"),
    "who-authorizes": ("Quem autoriza", "Who authorizes"),
    "authorize": ("Autorizar", "Authorize"),
    "decline": ("Recusar", "Decline"),
    "cancel-authorization": ("Cancelar autorização", "Cancel the authorization"),
    "authorizations": ("Autorizações", "Authorizations"),
    "authorization-PENDING": ("Aguardando confirmação", "Waiting to be confirmed"),
    "authorization-AUTHORIZED": ("Autorizada", "Authorized"),
    "authorization-REJECTED": ("Não autorizada", "Not authorized"),
    "authorization-DECLINED": ("Recusada", "Declined"),
    "authorization-CANCELED": ("Cancelada", "Cancelled"),
    "scheduled-charges": ("Cobranças agendadas", "Scheduled charges"),
    "charge-on": ("em", "on"),
    "charge-SCHEDULED": ("Agendada", "Scheduled"),
    "charge-BEING_PAID": ("Sendo paga", "Being paid"),
    "charge-SETTLED": ("Paga", "Paid"),
    "charge-REJECTED": ("Não paga", "Not paid"),
    "charge-CANCELED": ("Cancelada", "Cancelled"),
    "cancel-charge": ("Cancelar esta cobrança", "Cancel this charge"),
    "EXPR": ("Faltou saldo.", "There was no money."),
    "AM02": ("Acima do valor máximo ou do limite.", "Above the maximum or the limit."),
    "SLBD": ("Cancelada por quem paga.", "Cancelled by the payer."),
    "SLCR": ("Cancelada por quem recebe.", "Cancelled by the receiver."),
    "CCLD": ("A autorização foi cancelada.", "The authorization was cancelled."),
    "SLDB": ("Cancelada por quem paga.", "Cancelled by the payer."),
    "AB10": ("Houve um erro no banco de quem paga.", "There was an error at the payer's bank."),
    "AC05": ("A conta de quem paga foi encerrada.", "The payer's account is closed."),
    "AC06": ("A conta está bloqueada.", "The account is blocked."),
    "AM09": ("O valor não é o combinado.", "The amount is not the one that was agreed."),
    "AP13": ("Quem recebe não aceitou a autorização.", "The receiver did not accept the authorization."),
    "AP14": ("A autorização foi recusada.", "The authorization was declined."),
    "CRNC": ("Quem cobra não é quem foi autorizado.", "Who charges is not who was authorized."),
    "DENC": ("Quem seria cobrado não é quem autorizou.", "Who would be charged is not who authorized."),
    "DTED": ("A data não combina com a frequência.", "The date does not fit how often it is charged."),
    "DTNT": ("O prazo para tentar de novo terminou.", "The days for more tries are over."),
    "FCD1": ("A cobrança chegou cedo demais ao banco.", "The charge reached the bank too early."),
    "FCD2": ("A cobrança chegou tarde demais ao banco.", "The charge reached the bank too late."),
    "IRNT": ("A assinatura não permite tentar de novo.", "The subscription allows no more tries."),
    "MIDI": ("Quem recebe não conhece esta assinatura.", "The receiver does not know this subscription."),
    "MSUC": ("A assinatura não está autorizada.", "The subscription is not authorized."),
    "NIEC": ("Esta cobrança já está agendada.", "This charge is scheduled already."),
    "NIPA": ("Esta cobrança já foi paga.", "This charge has been paid already."),
    "NITX": ("A cobrança não corresponde à anterior.", "The charge does not match the one before."),
    "QUNT": ("Já houve três novas tentativas.", "There were three more tries already."),
    "RC09": ("O banco de quem paga não é este.", "The payer's bank is another one."),
    "none-yet": ("Nenhum ainda.", "None yet."),
    "returned": ("devolvido", "returned"),
    "SETTLED": ("Pago", "Paid"),
    "REJECTED": ("Recusado", "Refused"),
    "PENDING": ("Em processamento", "Being processed"),
    "unreadable": ("Não foi possível ler este código.", "This code cannot be read."),
    "wrong": ("Confira o que foi digitado.", "Check what was entered."),
    "deliveries": ("Avisos recebidos", "Deliveries received"),
    "signature-true": ("assinatura válida", "signature valid"),
    "signature-false": ("assinatura inválida", "signature invalid"),
    "signature-none": ("segredo desconhecido", "secret unknown"),
    "attempt": ("tentativa", "attempt"),
    "ALREADY_PAID": ("Esta cobrança já foi paga.", "This charge has been paid already."),
    "AMOUNT_INVALID": ("O código pede um valor de zero.", "The code asks for an amount of zero."),
    "WITHDRAWAL": ("Saque e troco não são pagos por aqui.", "Withdrawals and change are not paid from here."),
    "AMOUNT_NOT_ALLOWED": ("O código não permite outro valor.", "The code does not allow another amount."),
    "CHARGE_REMOVED": ("A cobrança foi cancelada.", "The charge was cancelled."),
    "EXPIRED": ("A cobrança venceu.", "The charge has expired."),
    "INSUFFICIENT_FUNDS": ("Saldo insuficiente.", "Not enough money."),
    "KEY_BLOCKED": ("A chave está bloqueada.", "The key is blocked."),
    "KEY_NOT_FOUND": ("Ninguém tem esta chave.", "Nobody owns this key."),
    "LOCATION_GONE": ("A cobrança não existe mais.", "The charge is no longer there."),
    "LOCATION_NOT_FOUND": ("A cobrança não foi encontrada.", "The charge was not found."),
    "LOCATION_NOT_TRUSTED": ("O endereço não é de um participante.", "The address is not a participant's."),
    "LOCATION_UNAVAILABLE": ("A cobrança não pôde ser consultada.", "The charge could not be fetched."),
    "ALREADY_AUTHORIZED": ("Você já autorizou esta assinatura.", "This has been authorized already."),
    "BEING_AUTHORIZED": ("Já foi autorizada, ou está sendo autorizada.", "An authorization is there or on its way."),
    "BELOW_FLOOR": ("O valor máximo é menor que o mínimo pedido.", "The maximum is lower than what is allowed."),
    "MAXIMUM_NOT_ALLOWED": ("O valor é fixo: não é preciso um máximo.", "The amount is fixed: there is no maximum to set."),
    "NOT_AUTHORIZED": ("Não há autorização para cancelar.", "There is no authorization to cancel."),
    "NOT_SCHEDULED": ("Esta cobrança já terminou ou está sendo paga.", "This charge is over or being paid."),
    "TOO_LATE": ("O prazo para cancelar esta cobrança terminou.", "It is too late to cancel this charge."),
    "NOT_A_RECURRENCE": ("Este código não pede uma autorização.", "This code asks for no authorization."),
    "NOTHING_TO_PAY": ("Este código só pede uma autorização.", "This code only asks for an authorization."),
    "PAYMENT_REQUIRED": ("Para autorizar, pague a primeira cobrança.", "It is authorized by paying the first charge."),
    "RECEIVER_DIFFERS": (
        "Quem recebe agora não é quem cobrará depois.",
        "Who is paid now is not who would charge later.",
    ),
    "RECURRENCE_ENDED": ("Esta assinatura já terminou.", "This recurrence is over."),
    "RECURRENCE_UNKNOWN": ("O banco não encontrou esta assinatura.", "The bank does not know this recurrence."),
    "PAYLOAD_INVALID": ("A cobrança está malformada.", "The charge is malformed."),
    "SIGNATURE_INVALID": ("A assinatura da cobrança não confere.", "The charge's signature is wrong."),
    "SUSPECTED_FRAUD": ("O banco reteve a conta por suspeita.", "The bank holds the account on suspicion."),
}


SIGNS = {"BRL": "R$", "MXN": "MX$"}


class Speech:
    """The texts in one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._column = LANGUAGES.index(language)

    @property
    def locale(self) -> str:
        """The language as HTML names it."""
        return "pt-BR" if self.language == "pt" else "en"

    def __call__(self, name: str) -> str:
        """The text of that name; an unknown name stands for itself."""
        return TEXTS[name][self._column] if name in TEXTS else name

    def money(self, amount: str, currency: str | None = None) -> str:
        """An amount as people write it. currency: BRL unless it is said."""
        whole, _, cents = amount.partition(".")
        grouped = f"{int(whole):,}"
        sign = SIGNS[currency or "BRL"]
        return f"{sign} {grouped.replace(',', '.')},{cents}" if self.language == "pt" else f"{sign} {grouped}.{cents}"


def spoken(accepted: str) -> Speech:
    """The language a browser prefers among ours; English when it wants neither."""
    best, language = 0.0, "en"
    for part in accepted[:500].split(","):
        name, _, parameters = part.strip().partition(";")
        weight = _weight(parameters.strip())
        primary = name.strip().lower().partition("-")[0]
        if primary in LANGUAGES and weight > best:
            best, language = weight, primary
    return Speech(language)


def _weight(parameters: str) -> float:
    if not parameters.startswith("q="):
        return 1.0
    try:
        return float(parameters[2:])
    except ValueError:
        return 0.0
