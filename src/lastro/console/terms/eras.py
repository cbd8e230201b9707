"""The words of what waits after a restore, and of what people do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ERAS: Mapping[str, tuple[str, str]] = {
    "eras": ("Depois de um restore", "After a restore"),
    "eras.about": (
        (
            "Um restore põe os dados de volta como estavam num backup. O que houve desde então se perdeu aqui, e lá fora "
            "se sabe. Por isso começa uma era: os números seguem acima de todos que podem ter sido dados, e o que já "
            "vencia espera."
        ),
        (
            "A restore puts the data back as a backup had it. What happened since is lost here, and is known outside. So "
            "an era begins: numbers go on above all that may have been given out, and what was due by then waits."
        ),
    ),
    "eras.none": ("Nada foi posto de volta aqui: nada espera.", "Nothing was ever put back here: nothing waits."),
    "eras.released": (
        "O que venceu antes da última era segue desde {at}: nada espera.",
        "What was due before the last era goes on since {at}: nothing waits.",
    ),
    "eras.waits": (
        (
            "Uma era começou em {at}. O que se perdeu é de {lost} em diante. O que vencia até {until} pode ter sido feito "
            "nesse tempo, e espera."
        ),
        (
            "An era began at {at}. What is lost is of {lost} and later. What was due by {until} may have been done in "
            "that time, and waits."
        ),
    ),
    "eras.nothing": ("Desta empresa nada espera.", "Nothing of this company waits."),
    "eras.held": ("Retido desta empresa", "Held of this company"),
    "eras.more": (
        "Mostram-se os {count} que venceram primeiro de cada tipo; lastro era held lista todos.",
        "Of each kind the {count} longest due are shown; lastro era held lists all.",
    ),
    "eras.sum": ("{count} e {amount}", "{count} and {amount}"),
    "eras.sum.open": ("{count}, sem valor conhecido", "{count}, of no known amount"),
    "eras.kind.payout": ("Pagamentos agendados", "Scheduled payouts"),
    "eras.kind.plan": ("Planos de pagamento", "Payout plans"),
    "eras.kind.charge": ("Cobranças agendadas", "Scheduled charges"),
    "eras.kind.subscription": ("Assinaturas com cobrança a fazer", "Subscriptions to be charged"),
    "eras.lines": ("{count} linhas a fazer", "{count} lines to be made"),
    "eras.whom": ("A quem, ou de quem", "To whom, or from whom"),
    "eras.due": ("Vencia em", "Was due"),
    "eras.do": ("O que fazer", "What to do"),
    "eras.do.statements": (
        (
            "Tome os extratos do tempo perdido, na conciliação. Um pagamento que está lá com o próprio id é lançado como "
            "pago por si, e não espera mais."
        ),
        (
            "Take the statements of the lost time, at reconciliation. A payout that is there under its own id is booked "
            "as paid by itself, and waits no longer."
        ),
    ),
    "eras.do.late": (
        (
            "Um Pix que saiu tarde está lá como desconhecido: o seu id é o daqui, menos os caracteres 10 a 21. Cancele o "
            "que espera."
        ),
        (
            "A Pix that left late is there as unknown: its id is the one shown here but for characters 10 to 21. Cancel "
            "what waits."
        ),
    ),
    "eras.do.plans": (
        "De um plano, compare o extrato com as linhas que faltam; se alguma está lá, cancele o plano.",
        "Of a plan, compare the statement with the lines that are left; where any is there, cancel the plan.",
    ),
    "eras.do.charges": (
        "Das cobranças, veja o que os pagadores tiveram debitado; cancele cada uma que foi cobrada.",
        "Of charges, look for what their payers were debited; cancel each that was collected.",
    ),
    "eras.do.tell": (
        (
            "Diga à instituição quando a sua empresa terminou. Ela deixa seguir, de todas as empresas juntas, o que então "
            "espera."
        ),
        "Tell the institution when your company is done. It lets go on, of all companies together, what waits then.",
    ),
    "eras.do.release": (
        (
            "Quando todas as empresas terminaram, dê este comando com o login que migra: o que ainda espera começa, de "
            "todas as empresas de uma vez. O login do console não pode fazê-lo."
        ),
        (
            "When every company is done, say this command by the login that migrates: what still waits begins, of all "
            "companies at once. The console's own login may not do it."
        ),
    ),
    "eras.sent": (
        "O que esperava envio no backup não fica retido: pergunta-se primeiro à rede se já o tem.",
        "What waited to be sent in the backup is not held: its network is asked first whether it has it.",
    ),
    "eras.companies": ("Empresas em que algo espera", "Companies of which something waits"),
    "eras.companies.choose": ("Escolher a empresa", "Choose the company"),
    "eras.companies.more": (
        "Há mais empresas do que as que se olham aqui; lastro era held lista todas.",
        "There are more companies than are looked at here; lastro era held lists all.",
    ),
    "eras.all": ("Eras", "Eras"),
    "eras.began": ("Começou", "Began"),
    "eras.lost": ("Perdido desde", "Lost since"),
    "eras.until": ("Retém o que vencia até", "Holds what was due by"),
    "eras.gone-on": ("Segue desde", "Goes on since"),
    "eras.numbers": ("Números para redes desde", "Numbers for networks from"),
    "eras.account-numbers": ("Contas desde", "Accounts from"),
    "eras.first": ("a primeira", "the first"),
    "eras.still": ("espera", "waits"),
}
