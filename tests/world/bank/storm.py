"""The kind of storm in which a company's orders and subscriptions are made and paid by its own bank."""

from tests.world.bank import acts, recurring
from tests.world.bank.aftermath import BankAftermath
from tests.world.bank.town import BankTown
from tests.world.whole import buying, listening, paying_out
from tests.world.whole_storm import Kind

# Every third storm speaks the document alone.
_DIALECTS = (
    "standard", "itau", "sicoob", "standard", "bradesco", "sicredi", "standard", "efi", "santander", "standard", "inter", "bb",
)  # fmt: skip
BANK = Kind(
    lives={
        acts.buys: 12, acts.gives_back: 2, acts.pays_others: 3, acts.claims: 2, acts.takes_back: 2, acts.removes: 1, acts.is_called: 2,
        acts.misbehaves: 7, recurring.subscribes: 9, recurring.goes_on: 3, recurring.misbehaves: 4, buying.buys: 1, paying_out.pays_out: 1, listening.misbehaves: 1,
    },
    town=BankTown, aftermath=BankAftermath, outage=acts.befalls, dialects=_DIALECTS,
    # Another amount for a txid of ours, and what is given back at the bank: tests/world/bank/matching.py holds each such alarm
    # against what the bank has.
    least_kept=1 / 5,  # while its bank does not answer, no order is made; about 0.6 are usual
    # The clock goes on by days while the bank is away: by it, a cancellation has waited for half a day.
    explained=(
        "INBOX.CONTRADICTS collection.settled", "INBOX.CONTRADICTS collection.taken", "NETWORK.UNDECIDED cancellation.send",
    ),
)  # fmt: skip
