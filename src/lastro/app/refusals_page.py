"""The guide's page of networks' refusals, made of the catalogues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.refunds.reasons import REASONS as REFUNDS
from lastro.payouts.reasons import NETWORKS, REASONS, Network
from lastro.subscriptions.reasons import REASONS as RECURRING
from lastro.subscriptions.reasons import SUBJECTS, Subject

if TYPE_CHECKING:
    from lastro.rails.port import Reasons

_TITLES: dict[Network, tuple[str, str]] = {
    "PIX": ("Pix", "Codes of pacs.002, by which the SPI and the receiver's bank say no. The Central Bank adds new ones."),
    "DICT": (
        "The directory",
        "What the DICT answers when a key is looked up. Nothing was made: the create is refused and says what it means.",
    ),
    "TED": ("TED, by the STR", "Settlement statuses that mean it was not settled."),
    "TED_RETURN": ("TED, by the receiver's bank", "Reasons of a TED that came back after it was paid."),
}  # fmt: skip
_RECURRING: dict[Subject, tuple[str, str]] = {
    "AUTHORIZATION": (
        "Pix Automático: authorizations",
        "Why an authorization, or its cancellation by its receiver, is refused. The Central Bank gives these no meaning.",
    ),
    "CANCELLATION": ("Pix Automático: cancellations", "Why an authorization was cancelled."),
    "CHARGE": ("Pix Automático: charges", "Why a charge was not scheduled, or an attempt to collect it has failed."),
    "CHARGE_CANCELLATION": (
        "Pix Automático: charges that were dropped", "Why a charge that had been scheduled was cancelled.",
    ),
}  # fmt: skip
_HEAD = ("| code | again? | means | significa | next step | próximo passo |", "|---|---|---|---|---|---|")
_BEGINNING = """# Refusals

Why a network said no to a payout, a refund, an authorization or a charge of Pix Automático, in its own codes.

- A payout or a refund in ERROR tells the code in `errorCode`, and code and English sentence in `errorMessage`: `AC07: the
  receiver's account is closed`. A code that does not stand here reads `<code>: refused by the network`.
- **never**: the same would be refused again; something must change first. **later**: a new payout may well pass.
- The record of a cancellation that is REJECTED or in ERROR, and an attempt to collect a charge, tell both in the same way.
- A new payout takes a new `idempotency-key`. By itself lastro asks and sends again only while the outcome is unknown,
  always under the same endToEndId; a refusal is final.

*Por que uma rede recusou um pagamento. «never»: algo precisa mudar antes; «later»: um novo pagamento pode passar.*

With which codes lastro itself refuses money that comes: [refusal codes](decisions/refusal-codes.md).
"""


def page() -> str:
    """Returns the whole page."""
    of_payouts = [_section(*_TITLES[network], REASONS[network]) for network in NETWORKS]
    returned = _section("Refunds", "Why what a client gives back of an order did not go back.", REFUNDS)
    recurring = [_section(*_RECURRING[subject], RECURRING[subject]) for subject in SUBJECTS]
    return "\n".join((_BEGINNING, *(line for lines in (*of_payouts, returned, *recurring) for line in lines)))


def _section(title: str, about: str, reasons: Reasons) -> list[str]:
    rows = [
        f"| `{r.code}` | {r.retry} | {r.english} | {r.portuguese} | {r.next_step} | {r.next_step_portuguese} |"
        for r in reasons.values()
    ]
    return [f"## {title}", "", about, "", *_HEAD, *rows, ""]
