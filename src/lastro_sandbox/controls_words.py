"""What the sandbox's controls say, in Portuguese and English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "nav.magic": ("Valores mágicos", "Magic values"),
    "nav.sandbox": ("Controles do sandbox", "Sandbox controls"),
    "sandbox.back": ("Voltar aos controles", "Back to the controls"),
    "sandbox.behaviour": ("Comportamento", "Behaviour"),
    "sandbox.business": ("Relógio no momento", "Its clock"),
    "sandbox.clock": ("Relógio", "Clock"),
    "sandbox.clock-about": (
        "O tempo de negócio, o das redes também. Anda de um vencimento ao próximo e nunca volta: só um instantâneo volta.",
        "Business time, that of the networks too. It walks from one due instant to the next; only a snapshot goes back.",
    ),
    "sandbox.code": ("Código da recusa (opcional)", "Code of the refusal (optional)"),
    "sandbox.DECLINED": ("Não deu certo", "It did not work"),
    "sandbox.DOING": (
        "O sandbox para por alguns segundos e volta sozinho; esta página espera por ele.",
        "The sandbox stops for a few seconds and comes back by itself; this page waits for it.",
    ),
    "sandbox.DONE": ("Pronto", "Done"),
    "sandbox.due": ("Próximo vencimento", "Next due"),
    "sandbox.event": ("Evento", "Event"),
    "sandbox.fault": ("Falha", "Fault"),
    "sandbox.fault-on": ("Ligar a falha", "Switch the fault on"),
    "sandbox.faults": ("Falhas", "Faults"),
    "sandbox.faults-about": (
        "O que as redes simuladas farão de errado, e quantas vezes.",
        "What the simulated networks will do wrong, and how often.",
    ),
    "sandbox.faults-none": ("Nenhuma falha ligada.", "No fault is on."),
    "sandbox.faults-off": ("Desligar todas", "Switch all off"),
    "sandbox.field": ("Campo", "Field"),
    "sandbox.forget": ("Esquecer", "Forget"),
    "sandbox.go": ("Ir", "Go"),
    "sandbox.made": ("Feito em", "Made"),
    "sandbox.magic-about": (
        "Valores com que as redes simuladas sempre fazem o mesmo, sem ligar falha alguma. A lista é a do simulador.",
        "Values with which the simulated networks always do the same, with no fault on. The list is the simulator's own.",
    ),
    "sandbox.match": ("Só quando (opcional)", "Only where (optional)"),
    "sandbox.match-value": ("tem o valor", "has the value"),
    "sandbox.name": ("Nome: letras minúsculas, algarismos, - e _", "Name: small letters, digits, - and _"),
    "sandbox.now": ("Agora", "Now"),
    "sandbox.nothing-due": ("nada", "nothing"),
    "sandbox.nothing-ran": ("Nenhum evento desta empresa nesse tempo.", "No event of this company in that time."),
    "sandbox.operation": ("Operação", "Operation"),
    "sandbox.outcome": ("O que acontece", "What happens"),
    "sandbox.pending": ("Vencido e por fazer", "Due and not done"),
    "sandbox.ran": ("O que aconteceu na caminhada", "What happened on the way"),
    "sandbox.restore": ("Voltar a este", "Go back to this"),
    "sandbox.restore-about": (
        "Saldos, objetos, webhooks à espera, redes simuladas e relógio voltam a ser o que eram. O que veio depois se perde.",
        "Balances, objects, waiting webhooks, simulated networks and clock become what they were. What came since is lost.",
    ),
    "sandbox.restore-keep": (
        "Para guardar o de agora, faça antes outro instantâneo. Os outros ficam, e quem está no console continua nele.",
        "To keep what is now, make another snapshot first. The others stay, and whoever is in the console stays in.",
    ),
    "sandbox.sim-away": ("As redes simuladas não respondem.", "The simulated networks do not answer."),
    "sandbox.size": ("Tamanho", "Size"),
    "sandbox.snapshot": ("Instantâneo", "Snapshot"),
    "sandbox.snapshot-make": ("Fazer um instantâneo", "Make a snapshot"),
    "sandbox.snapshots": ("Instantâneos", "Snapshots"),
    "sandbox.snapshots-about": (
        "O sandbox inteiro como é agora, o relógio junto: o único caminho de volta no tempo. No máximo {most}.",
        "The whole sandbox as it is now, its clock too: the only way back in time. At most {most}.",
    ),
    "sandbox.snapshots-none": ("Nenhum instantâneo.", "No snapshots."),
    "sandbox.step.P1D": ("+1 dia", "+1 day"),
    "sandbox.step.P1M": ("+1 mês", "+1 month"),
    "sandbox.step.PT1H": ("+1 hora", "+1 hour"),
    "sandbox.step.PT1M": ("+1 minuto", "+1 minute"),
    "sandbox.step.due": ("Até o próximo vencimento", "To the next due thing"),
    "sandbox.step.morning": ("Até as próximas 6h de Brasília", "To the next 06:00 in Brasilia"),
    "sandbox.times": ("Vezes", "Times"),
    "sandbox.typed": (
        "Duração ISO 8601 (P3DT2H) ou um instante (2027-01-31T09:00:00-03:00)",
        "ISO 8601 duration (P3DT2H) or an instant (2027-01-31T09:00:00-03:00)",
    ),
    "sandbox.value": ("Valor", "Value"),
}  # fmt: skip
