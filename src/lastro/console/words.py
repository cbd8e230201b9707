"""What the frame, the way in and the pages about people say, in Portuguese and English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES: Final = ("pt", "en")
WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "action": ("Ato", "Act"),
    "all-people": ("Pessoas", "People"),
    "api-answer": ("Resposta", "Answer"),
    "as-browser": ("como o navegador", "as the browser"),
    "at": ("Quando", "When"),
    "away": (
        "O banco de dados não responde. Tente de novo em instantes.",
        "The database does not answer. Try again in a moment."
    ),
    "away-title": ("Fora do ar por um momento", "Away for a moment"),
    "by": ("Por", "By"),
    "by-command": ("linha de comando", "command line"),
    "by-command-alone": ("Tem senha: um novo link e tirar o segundo fator, só pela linha de comando.",
                         "Has a password: a new link, and taking the second factor off, by the command line alone."),
    "by-institution": ("a instituição", "the institution"),
    "change": ("Alterar", "Change"),
    "choose": ("Escolher", "Choose"),
    "choose-company": ("Escolha a empresa", "Choose a company"),
    "choose-password": ("Escolha uma senha", "Choose a password"),
    "code": ("Código de seis dígitos, ou um código de recuperação", "Six-digit code, or a recovery code"),
    "code-title": ("Segundo fator", "Second factor"),
    "code-why": (
        "Abra seu aplicativo autenticador e digite o código de agora.",
        "Open your authenticator app and type the code of now."
    ),
    "companies": ("Empresas", "Companies"),
    "company": ("Empresa", "Company"),
    "continue": ("Continuar", "Continue"),
    "dark": ("escuro", "dark"),
    "decided": ("Decidido", "Decided"),
    "detail": ("Detalhe", "Detail"),
    "easy": ("Essa senha é das primeiras que se tentam. Use três ou quatro palavras sem relação entre si.",
        "That password is among the first that are tried. Use three or four words without a link between them."),
    "email": ("E-mail", "E-mail address"),
    "end-person": ("Encerrar o acesso", "End access"),
    "end-person-why": ("A pessoa sai agora e não entra mais. O que fez continua na auditoria.",
                       "The person is signed out now and cannot enter any more. What it did stays in the audit."),
    "ended": ("encerrado", "ended"),
    "enter": ("Entrar", "Sign in"),
    "enter-sandbox": ("Entrar no sandbox", "Enter the sandbox"),
    "enter-sandbox-why": (
        "Este link veio do início do sandbox e dispensa senha.",
        "This link was printed when the sandbox started and needs no password."
    ),
    "factor": ("Segundo fator", "Second factor"),
    "factor-add": ("Ativar o segundo fator", "Turn the second factor on"),
    "factor-before": ("Código do segundo fator de agora, ou um código de recuperação",
                      "Code of the second factor you have now, or a recovery code"),
    "factor-code": ("Código de seis dígitos da chave nova", "Six-digit code of the new key"),
    "factor-off": ("desligado", "off"),
    "factor-on": ("ligado", "on"),
    "factor-scan": ("Leia este código com um aplicativo autenticador, ou digite a chave nele.",
                    "Scan this with an authenticator app, or type the key into it."),
    "factor-secret": ("Chave", "Key"),
    "factor-wrong-before": ("O código do segundo fator de agora não confere.",
                            "The code of the second factor you have now does not match."),
    "factor-wrong-code": (
        "O código não é desta chave. Confira a hora do telefone.",
        "The code is not of this key. Check the phone's clock."
    ),
    "failed": (
        "Algo nosso falhou. Guarde o número do pedido e tente de novo.",
        "Something of ours failed. Keep the number of the request and try again."
    ),
    "failed-title": ("Não deu certo", "That did not work"),
    "forbidden": ("Seu papel não alcança esta página.", "Your role does not reach this page."),
    "forbidden-title": ("Sem permissão", "Not allowed"),
    "from": ("Origem", "From"),
    "invite": ("Convidar", "Invite"),
    "invite-why": ("O convite vale 15 minutos e uma vez. Convidar de novo quem já entra troca o link anterior.",
                   "An invitation holds for 15 minutes, once. To invite somebody again replaces the earlier link."),
    "invited": ("Convite criado. Envie este link por um canal seguro; ele aparece só agora.",
                "Invited. Send this link by a way you trust; it is shown this once."),
    "keys.help": ("Teclas", "Keys"),
    "language": ("Idioma", "Language"),
    "language.en": ("English", "English"),
    "language.pt": ("Português", "Português"),
    "light": ("claro", "light"),
    "link-dead": ("Este link não vale mais: passou o tempo dele, ou já foi usado. Peça outro a quem administra.",
                  "This link leads nowhere any more: its time is over, or it was used. Ask an administrator for another."),
    "link-title": ("Bem-vindo ao lastro", "Welcome to lastro"),
    "me": ("Minha conta", "My account"),
    "name": ("Nome", "Name"),
    "nav": ("Páginas", "Pages"),
    "nav.accounts": ("Contas", "Accounts"),
    "nav.audit": ("Auditoria", "Audit"),
    "nav.claims": ("Reivindicações", "Key claims"),
    "nav.developers": ("Desenvolvedores", "Developers"),
    "nav.disputes": ("Disputas", "Disputes"),
    "nav.eras": ("Depois de um restore", "After a restore"),
    "nav.events": ("Eventos", "Events"),
    "nav.keys": ("Chaves Pix", "Pix keys"),
    "nav.ledger": ("Razão", "Ledger"),
    "nav.orders": ("Cobranças", "Orders"),
    "nav.overview": ("Visão geral", "Overview"),
    "nav.payouts": ("Pagamentos", "Payouts"),
    "nav.people": ("Pessoas", "People"),
    "nav.plans": ("Planos", "Plans"),
    "nav.reconciliation": ("Conciliação", "Reconciliation"),
    "nav.refunds": ("Devoluções", "Refunds"),
    "nav.search": ("Busca", "Search"),
    "nav.subscriptions": ("Assinaturas", "Subscriptions"),
    "nav.verify": ("Verificação", "Verify"),
    "nav.webhooks": ("Webhooks", "Webhooks"),
    "new-password": ("Senha nova", "New password"),
    "no-factor": ("Este ato pede o segundo fator, e sua conta ainda não tem um. Ative-o em Minha conta.",
                  "This act needs the second factor, and your account has none yet. Turn it on in My account."),
    "no-factor-title": ("Falta o segundo fator", "A second factor is missing"),
    "none": ("nenhum", "none"),
    "not-found": ("Não existe, ou não é desta empresa.", "There is no such thing, or it is not this company's."),
    "not-found-title": ("Não encontrado", "Not found"),
    "nothing": ("Nada aqui ainda.", "Nothing here yet."),
    "object": ("Caminho", "Path"),
    "of-institution": ("da instituição: todas as empresas", "the institution's: every company"),
    "only-company": ("só a empresa escolhida", "the chosen company alone"),
    "older": ("Mais antigos", "Older"),
    "operation": ("Operação", "Operation"),
    "password": ("Senha", "Password"),
    "password-change": ("Trocar a senha", "Change the password"),
    "password-changed": ("Senha trocada. As outras sessões terminaram.", "Changed. Your other sessions have ended."),
    "password-now": ("Senha atual", "Present password"),
    "password-rule": ("Ao menos {shortest} caracteres, de qualquer tipo. Palavras longas valem mais que símbolos.",
                      "At least {shortest} characters, of any kind. Long words help more than symbols."),
    "person": ("Pessoa", "Person"),
    "prove": ("Confirmar com o segundo fator", "Confirm with the second factor"),
    "prove-why": ("Antes deste ato, mostre o segundo fator.", "Before this act, show your second factor."),
    "recovery": ("Guarde estes códigos de recuperação: cada um vale uma vez no lugar do segundo fator, e aparecem só agora.",
                 "Keep these recovery codes: each stands in for the second factor once, and they are shown this once."),
    "recovery-left": ("códigos de recuperação restantes", "recovery codes left"),
    "refused": ("A operação foi recusada. Nada mudou.", "The operation was refused. Nothing has changed."),
    "refused-title": ("Recusado", "Refused"),
    "remove-factor": ("Tirar o segundo fator", "Take the second factor off"),
    "reason": ("Motivo", "Reason"),
    "request": ("Pedido", "Request"),
    "role.ADMINISTER": ("Administrar", "Administer"),
    "role.APPROVE": ("Aprovar", "Approve"),
    "role.OPERATE": ("Operar", "Operate"),
    "role.READ": ("Ler", "Read"),
    "roles": ("Papéis", "Roles"),
    "roles-why": (
        ("Ler vê tudo da empresa. Operar cancela, devolve e reenvia. Aprovar decide o que espera por uma pessoa."
         " Administrar convida pessoas e não dá os outros papéis."),
        ("Read sees all of the company. Operate cancels, refunds and sends again. Approve decides what waits for a person."
         " Administer lets people in, and brings none of the others."),
    ),
    "sandbox": ("sandbox: o dinheiro é de mentira", "sandbox: no real money"),
    "sandbox-plain": ("Sandbox em http sem TLS: o cookie desta sessão vai sem o prefixo __Host-.",
                      "A sandbox on plain http: this session's cookie goes without the __Host- prefix."),
    "save": ("Salvar", "Save"),
    "sign-in": ("Entrar no console", "Sign in to the console"),
    "sign-out": ("Sair", "Sign out"),
    "sign-out-all": ("Encerrar todas as sessões", "End every session"),
    "sign-out-all-why": (
        "A pessoa sai em todo lugar e entra de novo com a senha.",
        "The person is signed out everywhere and comes in by the password again."
    ),
    "skip": ("Ir para o conteúdo", "Skip to the content"),
    "slow": ("Tentativas demais. Espere {seconds} segundos.", "Too many tries. Wait {seconds} seconds."),
    "stale": ("Outra pessoa mudou isto agora mesmo. Olhe de novo.", "Somebody else changed this just now. Look again."),
    "stale-form": ("O formulário é antigo ou não veio desta página. Volte, recarregue e tente de novo.",
                   "The form is old or was not made by this page. Go back, load it anew and try again."),
    "stale-form-title": ("Formulário vencido", "An old form"),
    "status": ("Resultado", "Result"),
    "theme": ("Cores", "Colours"),
    "too-long": ("A senha tem mais de {longest} caracteres.", "The password has more than {longest} characters."),
    "too-large": ("O arquivo é grande demais: no máximo 10 MB.", "The file is too large: at most 10 MB."),
    "too-large-title": ("Grande demais", "Too large"),
    "busy": ("Há envios demais ao mesmo tempo. Nada mudou: espere um pouco e envie de novo.",
             "Too many uploads at once. Nothing has changed: wait a little and send it again."),
    "busy-title": ("Um momento", "One moment"),
    "too-many": ("Pedidos demais em pouco tempo. Espere um pouco.", "Too many requests in a short time. Wait a little."),
    "too-many-title": ("Devagar", "Slow down"),
    "too-short": ("A senha tem menos de {shortest} caracteres.", "The password has fewer than {shortest} characters."),
    "was-done": ("feito", "done"),
    "was-refused": ("recusado", "refused"),
    "what-companies-did": ("Feito para a empresa", "Done for the company"),
    "what-people-did": ("Pessoas e acessos", "People and access"),
    "wrong": ("E-mail ou senha não conferem.", "E-mail address or password is not right."),
    "wrong-code": ("O código não confere, ou já foi usado.", "The code is not right, or was used already."),
    "wrong-password": ("A senha atual não confere.", "The present password is not right."),
    "you": ("você", "you"),
    **{f"act.{name}": said for name, said in {
        "CODE_REFUSED": ("código recusado", "code refused"),
        "ENDED": ("acesso encerrado", "access ended"),
        "FACTOR_ADDED": ("segundo fator ligado", "second factor turned on"),
        "FACTOR_REMOVED": ("segundo fator tirado", "second factor taken off"),
        "INVITATION_LINK": ("link de convite", "link of an invitation"),
        "INVITED": ("convidada", "invited"),
        "PASSWORD_CHANGED": ("senha trocada", "password changed"),
        "PASSWORD_CHOSEN": ("senha escolhida", "password chosen"),
        "PASSWORD_SHOWN": ("senha conferida", "password shown"),
        "ROLES": ("papéis", "roles"),
        "SANDBOX_LINK": ("link do sandbox", "link of the sandbox"),
        "SIGNED_IN": ("entrou", "signed in"),
        "SIGNED_OUT": ("sessões encerradas", "sessions ended"),
        "SIGN_IN_REFUSED": ("entrada recusada", "sign-in refused"),
    }.items()},
}  # fmt: skip


class Speech:
    """The words of one of LANGUAGES: say("name"), and what stands in braces by its name."""

    def __init__(self, language: str, more: Mapping[str, tuple[str, str]] | None = None) -> None:
        self.language = language
        self._more = more or {}
        self._place = LANGUAGES.index(language)

    def __call__(self, name: str, **values: object) -> str:
        """The text of that name. KeyError: there is none, which a test would have found."""
        text = (self._more.get(name) or WORDS[name])[self._place]
        return text.format(**values) if values else text


def words(language: str, more: Mapping[str, tuple[str, str]] | None = None) -> Speech:
    """What the pages say in this language. more: the words of an annex."""
    return Speech(language, more)
