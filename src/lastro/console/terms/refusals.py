"""The words of refusals: the interface's issues, and its English sentences in Portuguese; operations that an audit names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ISSUES: Mapping[str, tuple[str, str]] = {
    "issue.CONFLICT": ("não cabe na situação atual", "does not fit the present state"),
    "issue.DUPLICATE": ("já existe ou já foi enviado", "is there or was sent already"),
    "issue.EXPIRED": ("o prazo passou", "its time is over"),
    "issue.INSUFFICIENT_FUNDS": ("saldo insuficiente", "too little balance"),
    "issue.INVALID": ("valor não aceito", "value not accepted"),
    "issue.LIMIT_EXCEEDED": ("passa do limite", "passes the limit"),
    "issue.MISMATCH": ("não confere", "does not match"),
    "issue.MUTUALLY_EXCLUSIVE": ("um exclui o outro", "one excludes the other"),
    "issue.NOT_ALLOWED": ("não é permitido", "is not allowed"),
    "issue.NOT_SUPPORTED": ("não é suportado", "is not supported"),
    "issue.OUT_OF_RANGE": ("fora dos limites", "out of range"),
    "issue.REQUIRED": ("falta preencher", "is required"),
    "issue.TOO_LONG": ("longo demais", "too long"),
    "operation.accept_difference": ("Aceitar a diferença", "Accept the difference"),
    "operation.add_client": ("Novo cliente da API", "New client of the API"),
    "operation.bind_client_certificates": ("Certificados do cliente da API", "Certificates of the API client"),
    "operation.bind_client_networks": ("Redes do cliente da API", "Networks of the API client"),
    "operation.set_webhook": ("Destino de webhooks", "Where webhooks go"),
    "operation.limit_client": ("Limite do cliente da API", "Limit of the API client"),
    "operation.permit_client": ("Permissões do cliente da API", "Permissions of the API client"),
    "operation.resend_webhook_events": ("Mandar webhooks de novo", "Send webhooks again"),
    "operation.revoke_client": ("Revogar o cliente da API", "Turn the API client away"),
    "operation.revoke_client_tokens": ("Invalidar tokens do cliente da API", "End tokens of the API client"),
    "operation.rotate_client_secret": ("Novo segredo do cliente da API", "New secret of the API client"),
    "operation.rotate_webhook_secret": ("Novo segredo de webhooks", "New secret of webhooks"),
    "operation.test_webhook": ("Webhook de teste", "A test webhook"),
}
# Each sentence that an act or a list of the console can be answered with; `{}` is any text.
REFUSALS: Mapping[str, str] = {
    "only a refund request of Pix Automático is decided so": "só um pedido de devolução de Pix Automático se decide assim",
    "is {}: only one that waits can be decided": "está como {0}: só se decide um que espera",
    "must be the CNPJ of the institution {} itself": "precisa ser o CNPJ da própria instituição {0}",
    "must have 1 to 4 digits": "precisa ter de 1 a 4 dígitos",
    "must have 1 to 20 digits or capital letters": "precisa ter de 1 a 20 dígitos ou letras maiúsculas",
    "must be from 0.01 to what is blocked for it, {}": "precisa ser de 0,01 até o que está bloqueado para ele, {0}",
    "is more than what is left of the payment, {}": "é mais do que resta do pagamento, {0}",
    "the money that it is about is not here any more": "o dinheiro de que trata já não está aqui",
    "a claim of the key by another bank is open": "há uma reivindicação da chave aberta por outro banco",
    "a payment for the order is under way": "há um recebimento da cobrança a caminho",
    "a refund of this code is there already": "já existe uma devolução com este código",
    "a validation ended: ask for the key anew": "a prova terminou: peça a chave de novo",
    "all of it has come back already": "tudo já voltou",
    "an order that can still be paid names the key": "uma cobrança que ainda pode ser paga usa a chave",
    "another request under this key is still being worked on": "outro pedido com esta chave ainda está em andamento",
    "goes with agreed alone: there was a fraud, and of which kind": "só vale com procedente: houve fraude, e de que tipo",
    "is no notification about money that came to an account of yours": (
        "não é notificação de dinheiro que entrou em uma conta sua"
    ),
    "is {}: it is decided, or was called off": "está {0}: já foi decidida ou cancelada",
    "the time for a defense is over": "o prazo da defesa acabou",
    "must say of which kind the fraud was": "deve dizer de que tipo foi a fraude",
    "must say in words what an OTHER fraud was": "deve dizer em palavras o que foi uma fraude OTHER",
    "the institution has set no contact for disputes: it opens none": (
        "a instituição não configurou um contato para contestações: não abre nenhuma"
    ),
    "has a character that is not allowed here": "tem um caractere que não é aceito aqui",
    "has decided its claim already": "já decidiu sua reivindicação",
    "bodies are taken as they are": "o conteúdo é aceito como é, sem compressão",
    "did not arrive whole: {}": "não chegou inteiro: envie de novo",
    "must arrive within {} s, and 100 KiB a second": "precisa chegar em {0} s, e a 100 KiB por segundo",
    "has more parts than a document of a few pages": "tem mais partes do que um documento de poucas páginas",
    "is no PDF with a page": "não é um PDF com página",
    "is no whole picture of its kind": "não é uma imagem completa do seu tipo",
    "is required, and must not be empty": "falta escolher o arquivo, ou está vazio",
    "must be a PDF, PNG or JPEG by what is in it": "tem de ser um PDF, PNG ou JPEG pelo que contém",
    "must have at most {} bytes": "pode ter no máximo {0} bytes",
    "takes more memory than a document of a few pages": "ocupa mais memória do que um documento de poucas páginas",
    "takes more work to read than a document of a few pages": "toma mais tempo do que um documento de poucas páginas",
    "the picture has more than {} million pixels": "a imagem tem mais de {0} milhões de pixels",
    "the picture has more than {} passes: save it anew, not progressive": (
        "a imagem tem mais de {0} passagens: salve-a de novo, sem o modo progressivo"
    ),
    "a notification has at most {} documents": "uma notificação tem no máximo {0} documentos",
    "unpacks to more than a document of a few pages": "descompacta em mais do que um documento de poucas páginas",
    "has the wrong type or form": "não tem o tipo ou a forma certa",
    "must be a decimal number with a dot and without sign, blanks or separators": (
        "deve ser um valor como 1234,56, sem sinal, espaços nem separador de milhar"
    ),
    "holds no certificate that can be read": "não tem certificado que se possa ler",
    "is more than what is left to give back, {}": "é mais do que resta devolver, {0}",
    "is more than one payment of this order has left, {}: what was paid in parts goes back in parts": (
        "é mais do que resta de um recebimento desta cobrança, {0}: o que foi pago em partes volta em partes"
    ),
    "is no account of this company": "não é conta desta empresa",
    "is no object of a dispute of this company": "não é objeto de disputa desta empresa",
    "is no order of this company": "não é cobrança desta empresa",
    "is no parameter of this": "não é parâmetro disto",
    "is no Pix that this account has sent": "não é um Pix que esta conta enviou",
    "is no recovery value: what belongs to one ends with it": "não é uma recuperação: o que é dela termina com ela",
    "is none of the choices": "não é uma das opções",
    "is none of the reasons": "não é um dos motivos",
    "is not a parameter of this": "não é parâmetro disto",
    "is not an event of this service": "não é um evento deste serviço",
    "is not the hash of the plan as it was checked": "não é o hash do plano como foi conferido",
    "closed a refund of an operational flaw: that is final": "encerrou uma devolução por falha operacional: é definitivo",
    "is required": "falta preencher",
    "is too large": "é grande demais",
    "is too long": "é longo demais",
    "is too short": "é curto demais",
    "is CONFIRMED: a portability is completed then, and cannot be given up": (
        "está confirmada: a portabilidade é concluída então, e não pode ser desfeita"
    ),
    "is {} and not ANALYSIS: there is nothing to decide": "está como {0} e não em análise: não há o que decidir",
    "is {} and not OPEN: there is nothing to accept": "está como {0} e não aberta: não há o que aceitar",
    "is {} already": "já está como {0}",
    "is {}: it cannot be canceled now": "está como {0}: não pode ser cancelado agora",
    "is {}: only what has settled can be contested": "está como {0}: só se contesta o que liquidou",
    "is {}: only what is RECEIVED waits to be decided": "está como {0}: só o recebido espera decisão",
    "it is being settled": "está sendo resolvida",
    "its account is closed": "a conta está encerrada",
    "its account owes: nothing goes out before its next credits have paid it": (
        "a conta deve: nada sai antes que os próximos créditos paguem a dívida"
    ),
    "its payment is contested: what is given back of it goes by the dispute": (
        "o recebimento está em disputa: o que volta dele vai pela disputa"
    ),
    "must be a list": "tem de ser uma lista",
    "must be a timestamp in ISO 8601 with its offset": "tem de ser data e hora em ISO 8601 com fuso",
    "must be a UUID": "tem de ser um UUID",
    "must be a whole number": "tem de ser um número inteiro",
    "must be AGREED or DISAGREED": "tem de ser procedente ou improcedente",
    "must be an http or https address": "tem de ser um endereço http ou https",
    "must be an object": "tem de ser um objeto",
    "must be an e-mail address": "tem de ser um e-mail",
    "must be asc or desc": "tem de ser asc ou desc",
    "must be at most {}": "no máximo {0}",
    "must be from 1 to {}": "tem de ser de 1 a {0}",
    "must be from {} to {}": "tem de ser de {0} a {1}",
    "must be one of {}": "tem de ser um destes: {0}",
    "must be true or false": "tem de ser verdadeiro ou falso",
    "must be {}, as the order is": "tem de ser {0}, como a cobrança",
    "must have 1 to {} characters": "tem de ter de 1 a {0} caracteres",
    "must have 1 to {} characters that can be seen": "tem de ter de 1 a {0} caracteres visíveis",
    "must have 1 to {} printable characters, not all blank": "tem de ter de 1 a {0} caracteres, não só espaços",
    "must have at most {} characters": "tem de ter no máximo {0} caracteres",
    "must have at most {} items": "tem de ter no máximo {0} itens",
    "must name at least one": "escolha ao menos um",
    "must name at least one; to take all away, revoke the client": (
        "escolha ao menos uma; para tirar todas, revogue o cliente"
    ),
    "must not be blank": "não pode ficar em branco",
    "must not be empty": "não pode ficar vazio",
    "must not be null; leave it out for an open amount": "não pode ser nulo; deixe de fora para valor aberto",
    "must say what happened, where no situationType does": "diga o que houve, onde nenhuma opção diz",
    "no URL is set for this event, so one must be given": "este evento não tem URL: dê uma",
    "only a notice about money that came to an account here is decided here": (
        "só se decide aqui uma notificação sobre dinheiro que veio para uma conta daqui"
    ),
    "settled more than {} days ago": "liquidou há mais de {0} dias",
    "the account is not active": "a conta não está ativa",
    "the account owes: nothing goes out before its next credits have paid it": (
        "a conta deve: nada sai antes que os próximos créditos paguem a dívida"
    ),
    "the account's available balance is too low": "o saldo disponível da conta não basta",
    "the claim has ended at the directory already": "a reivindicação já terminou no diretório",
    "the client is revoked": "o cliente foi revogado",
    "the client that made the plan does not approve it": "quem fez o plano não o aprova",
    "the company has such a client already": "a empresa já tem um cliente assim",
    "the directory refuses it: {}": "o diretório recusa: {0}",
    "the directory refuses: {}": "o diretório recusa: {0}",
    "the event is so old that its body is no longer kept": "o evento é tão antigo que seu corpo já não se guarda",
    "the key is deleted": "a chave foi excluída",
    "the order ends with its subscription, or with the payment of it that it collects": (
        "a cobrança termina com sua assinatura, ou com a parcela dela que cobra"
    ),
    "the order is {}": "a cobrança está como {0}",
    "the order is {}: nothing was paid for it": "a cobrança está como {0}: nada foi pago por ela",
    "the payout is on its way": "o pagamento já está a caminho",
    "the payout is {}": "o pagamento está como {0}",
    "the plan is {}: {}": "o plano está como {0}: {1}",
    "the plan is {}: it has ended": "o plano está como {0}: já terminou",
    "the plan is {}: it needs {} more approvals": "o plano está como {0}: faltam {1} aprovações",
    "the plan is {}: its time is over": "o plano está como {0}: o prazo passou",
    "the plan is {}: only a plan that is APPROVED is applied": "o plano está como {0}: só se aplica um aprovado",
    "the plan is {}: only a plan that is READY is approved": "o plano está como {0}: só se aprova um pronto",
    "this client has approved the plan already": "você já aprovou este plano",
    "was changed by somebody else just now: look again": "outra pessoa mudou isto agora: olhe de novo",
    "was contested before: a transaction has one recovery, ever": "já foi contestada: cada transação só uma vez",
    "was no Pix": "não foi um Pix",
    "was paid more than {} days ago": "foi pago há mais de {0} dias",
    "was sent before, and it was refused; as it stands here it can be sent": (
        "já foi enviado e recusado; como está aqui, pode ser enviado"
    ),
    "was sent twice: it was done the first time": "foi enviado duas vezes: valeu a primeira",
    "what was paid by this method cannot be given back": "o que foi pago por este meio não se devolve",
    "with it more would be given back than was paid: another refund is in its place": (
        "com ela voltaria mais do que foi pago: outra devolução está no lugar"
    ),
}
