"""The guide's state diagrams, drawn from the transition tables of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.console.terms import Terms
from lastro.core.machine import NOT_THERE
from lastro.ops.machines import MACHINES
from lastro.webhooks.states import CIRCUITS, DELIVERIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.core.machine import Machine

# These keep no history, so the law of allowed moves does not know them; people want to see them all the same.
DRAWN = (*MACHINES, DELIVERIES, CIRCUITS)
# Of each, the Portuguese title of its page, and the thing whose statuses it has in the console.
_PORTUGUESE = {
    "orders": ("cobrança", "order"), "pix_payments": ("recebimento", "payment"), "refunds": ("devolução", "refund"),
    "card_payments": ("pagamento com cartão", "cardPayment"),
    "foreign_payments": ("Pix não identificado", "foreignPayment"), "payouts": ("pagamento", "payout"),
    "payout_plans": ("plano de pagamento", "plan"), "subscriptions": ("assinatura", "subscription"),
    "subscription_cancellations": ("cancelamento de assinatura", "cancellation"),
    "subscription_payments": ("cobrança agendada", "scheduledPayment"),
    "payment_attempts": ("tentativa de cobrança", "chargeAttempt"), "statements": ("extrato de uma rede", "statement"),
    "statement_items": ("diferença de conciliação", "difference"), "pix_keys": ("chave Pix", "key"),
    "pix_key_validations": ("validação de chave", "keyValidation"), "key_claims": ("reivindicação de chave", "keyClaim"),
    "accounts": ("conta", "account"), "account_requests": ("pedido de conta", "accountRequest"),
    "account_close_requests": ("pedido de encerramento de conta", "accountCloseRequest"),
    "med_objects": ("contestação", "dispute"), "deliveries": ("entrega de evento", "delivery"),
    "webhook_circuits": ("destino de webhooks", "endpoint"),
}  # fmt: skip


def diagram(machine: Machine) -> list[str]:
    """Returns the lines of a machine's diagram, in Mermaid's words."""
    ends = [state for state in machine.states() if not any(before == state for before, _ in machine.moves)]
    arrows = [f"  {before or '[*]'} --> {after}: {trigger}" for (before, trigger), after in machine.moves.items()]
    arrows += [f"  {state} --> [*]" for state in ends]
    return ["```mermaid", "stateDiagram-v2", *arrows, "```"]


def page(machine: Machine) -> str:
    """Returns one object's diagram, and the same as a table."""
    rows = [
        f"| {'(not there)' if before == NOT_THERE else before} | {trigger} | {after} |"
        for (before, trigger), after in machine.moves.items()
    ]
    lines = [
        f"# {machine.name}",
        "",
        f"The states of `{machine.name}.{machine.state_column}`. Drawn from the code: any other move is impossible.",
        "",
        *diagram(machine),
        "",
        "| from | trigger | to |",
        "|---|---|---|",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def portuguese_page(machine: Machine) -> str:
    """Returns one object's table in Portuguese: words of the interface, and those of the console."""
    title, thing = _PORTUGUESE[machine.name]
    say = Terms("pt", thing)
    rows = [
        f"| {f'`{before}`: {say.state(before)}' if before != NOT_THERE else '(ainda não existe)'}"
        f" | `{trigger}`: {say.trigger(trigger)} | `{after}`: {say.state(after)} |"
        for (before, trigger), after in machine.moves.items()
    ]
    lines = [
        f"# Estados: {title}",
        "",
        f"Os estados de `{machine.name}.{machine.state_column}`, tirados do código: nenhum outro movimento é possível.",
        "",
        "| de | o que move | para |",
        "|---|---|---|",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def pages(machines: Iterable[Machine] = DRAWN) -> dict[str, str]:
    """Returns the pages: file name → text. Each is in English and in Portuguese."""
    return {
        name: text
        for machine in machines
        for name, text in ((f"{machine.name}.md", page(machine)), (f"{machine.name}.pt.md", portuguese_page(machine)))
    }
