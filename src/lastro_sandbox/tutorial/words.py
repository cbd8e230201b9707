"""What the guide says, in Portuguese and English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro_sandbox import call_words

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES: Final = ("pt", "en")
WORDS: Final[Mapping[str, tuple[str, str]]] = {
    **call_words.WORDS,
    "title": ("Primeiro minuto", "First minute"),
    "sandbox": ("sandbox · nada aqui é dinheiro de verdade", "sandbox · nothing here is real money"),
    "skip": ("Ir para o conteúdo", "Skip to the content"),
    "language": ("Idioma", "Language"),
    "lead": (
        "Peça dinheiro, pague como cliente e veja o que aconteceu. Cada passo é uma chamada real da API e mostra qual.",
        "Ask for money, pay it as a customer, and see what happened. Each step is a real call of the API, and shows which.",
    ),
    "example.amount": ("10,50", "10.50"),
    "example.description": ("Um livro", "A book"),
    "problem": ("A API recusou, e diz por quê:", "The API said no, and says why:"),
    "call": ("A chamada, e o que respondeu", "The call, and what it answered"),
    "call.alone": ("O mesmo pelo terminal", "The same from a terminal"),
    "step.token": ("Um token", "A token"),
    "token.done": (
        "A API dá um token a quem mostra o segredo do seu cliente. Esta página já pegou um, que vale uma hora.",
        "The API gives a token to whoever shows its client's secret. This page has taken one, good for an hour.",
    ),
    "token.secret": ("Mostrar com o segredo", "Show it with the secret"),
    "token.shown": (
        "O segredo está na linha abaixo. Ele é só deste sandbox.",
        "The secret is in the line below. It is of this sandbox alone.",
    ),
    "step.order": ("Uma cobrança", "An order"),
    "amount": ("Valor em reais", "Amount in reais"),
    "description": ("Descrição", "Description"),
    "create": ("Criar a cobrança", "Create the order"),
    "order.curl": (
        "Ou cole isto no terminal em que está o token, e siga por aqui:",
        "Or paste this in the terminal that has the token, and go on from here:",
    ),
    "order.pasted": ("Já colei: continuar", "I have pasted it: go on"),
    "order.made": (
        "A cobrança está feita: {amount}, “{description}”. A resposta abaixo é a de agora.",
        "The order is made: {amount}, “{description}”. The answer below is that of now.",
    ),
    "order.read": ("Ler a cobrança", "Read the order"),
    "order.creating": ("Criar a cobrança", "Create the order"),
    "qr.picture": ("O QR code da cobrança", "The order's QR code"),
    "qr.text": ("O que ele diz", "What it says"),
    "step.pay": ("Pagar", "Pay it"),
    "pay.why": (
        "Abra o celular simulado ao lado desta janela: o código já está lido. Ou pague daqui mesmo.",
        "Open the simulated phone beside this window: the code is read already. Or pay right here.",
    ),
    "pay.phone": ("Abrir o celular (outra janela)", "Open the phone (another window)"),
    "pay.now": ("Pagar como Pessoa Pagadora", "Pay as Pessoa Pagadora"),
    "pay.refused": ("O banco do pagador recusou: {code}.", "The payer's bank said no: {code}."),
    "pay.done": ("Não há mais o que pagar nesta cobrança.", "There is nothing left to pay of this order."),
    "step.travel": ("O caminho", "Its way"),
    "travel.waits": ("Falta pagar. Esta parte se atualiza sozinha.", "It waits to be paid. This part renews itself."),
    "travel.goes": ("A caminho. Esta parte se atualiza sozinha.", "On its way. This part renews itself."),
    "travel.over": ("Chegou ao fim.", "It has arrived."),
    "travel.refresh": ("Atualizar", "Refresh"),
    "travel.story": ("A linha do tempo inteira, como no console", "The whole timeline, as the console has it"),
    "milestone.asked": ("A rede perguntou se aceitamos o pagamento", "The network asked whether we take the payment"),
    "milestone.settled": ("A rede liquidou", "The network settled it"),
    "milestone.booked": ("O dinheiro foi lançado no livro-razão", "The money was booked in the ledger"),
    "milestone.numbered": ("O evento ganhou seu número", "The event got its number"),
    "milestone.delivered": ("A loja recebeu o webhook", "The merchant received the webhook"),
    "not-yet": ("ainda não", "not yet"),
    "step.webhook": ("O webhook", "The webhook"),
    "webhook.none": ("Nada chegou à loja ainda.", "Nothing has arrived at the merchant yet."),
    "webhook.good": ("assinatura confere", "signature is good"),
    "webhook.bad": ("ASSINATURA NÃO CONFERE", "SIGNATURE IS WRONG"),
    "webhook.unchecked": ("assinatura não conferida", "signature not checked"),
    "webhook.attempt": ("tentativa {number}", "attempt {number}"),
    "webhook.headers": ("Cabeçalhos", "Headers"),
    "webhook.body": ("Corpo", "Body"),
    "step.ledger": ("O livro-razão", "The ledger"),
    "ledger.none": ("Nada lançado ainda.", "Nothing is booked yet."),
    "ledger.entries": ("Lançamentos desta cobrança", "What was booked for this order"),
    "ledger.from": ("De", "From"),
    "ledger.to": ("Para", "To"),
    "ledger.amount": ("Valor", "Amount"),
    "ledger.type": ("Tipo", "Type"),
    "ledger.balance": ("Saldo disponível: {amount}", "Available balance: {amount}"),
    "step.next": ("E agora?", "What next?"),
    "next.again": ("Outra cobrança", "Another order"),
    "next.refund": ("Devolver o dinheiro", "Give the money back"),
    "next.subscription": ("Cobrar todo mês (Pix Automático)", "Charge every month (Pix Automático)"),
    "next.payout": ("Enviar dinheiro", "Send money"),
    "next.webhook": ("Receber os webhooks na sua loja", "Receive the webhooks in your own shop"),
    "next.break": ("Fazer dar errado: falhas e valores mágicos", "Make it go wrong: faults and magic amounts"),
    "next.clock": ("Adiantar o relógio", "Step the clock"),
    "next.console": ("Abrir o console", "Open the console"),
    "next.guide": ("O guia inteiro, no terminal", "The whole guide, at the terminal"),
    "next.reference": ("A referência da API", "The reference of the API"),
    "next.merchant": ("A loja simulada", "The simulated merchant"),
    "back": ("Voltar ao começo", "Back to the start"),
    "word.away": ("Ainda não está tudo de pé", "Not everything is up yet"),
    "why.away": (
        "O sandbox ainda está sendo preparado, ou uma parte dele não responde. Recarregue em instantes.",
        "The sandbox is still being laid out, or a part of it does not answer. Reload in a moment.",
    ),
    "word.foreign": ("Não veio daqui", "That did not come from here"),
    "why.foreign": (
        "Só um formulário desta página pode fazer isso. Nada foi feito.",
        "Only a form of this page may do that. Nothing was done.",
    ),
    "word.far": ("Só nesta máquina", "On this machine alone"),
    "why.far": (
        "Segredos são mostrados só a quem está na máquina do sandbox. Eles estão em sandbox.json, na pasta dele.",
        "Secrets are shown only to whoever is at the sandbox's own machine. They are in sandbox.json, in its folder.",
    ),
    "word.stale": ("O formulário é de outra página", "The form is of another page"),
    "why.stale": ("Nada foi feito. Comece de novo.", "Nothing was done. Begin anew."),
    "word.not-made": ("Essa cobrança ainda não existe", "There is no such order yet"),
    "why.not-made": (
        "Cole a linha no terminal, espere a resposta e volte aqui. Se ela recusou, a resposta diz por quê.",
        "Paste the line in the terminal, wait for its answer and come back. If it said no, the answer says why.",
    ),
    "word.unknown": ("Não há essa cobrança no guia", "The guide has no such order"),
    "why.unknown": (
        "Aqui aparecem só as cobranças que o guia fez. As outras estão no console.",
        "Only orders that the guide made are shown here. The others are in the console.",
    ),
}  # fmt: skip


class Words:
    """The words in one of LANGUAGES."""

    def __init__(self, language: str) -> None:
        self._column = LANGUAGES.index(language)

    def __call__(self, name: str, /, **values: object) -> str:
        """The text of that name, with what stands in its braces. KeyError: there is none."""
        text = WORDS[name][self._column]
        return text.format(**values) if values else text
