"""Rate limits of the directory: token buckets of payers and participants.

Source: DICT API 2.12.1, "Regras de contagem das políticas". A look-up costs a token of its payer and one of its participant,
and many more when there is no such key. A payment order that is sent gives its payer back 1 (a person) or 2 (a company), and
the participant 1. Real time fills the buckets: a rate limit is no business of the banks' calendar.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lastro.standards import pix_keys
from lastro_sim.clock import MINUTE, SECOND
from lastro_sim.network import Network

TOKEN = 1_000_000
PARTICIPANT = "PARTICIPANT"
CPF_DIGITS = 11
CONTACTS = frozenset({"EMAIL", "PHONE"})


@dataclass(frozen=True)
class Policy:
    """A rate limit.

    refill: tokens a minute. missing: the cost of a look-up that finds nothing. back: tokens that a payment gives back.
    """

    refill: int
    capacity: int
    missing: int
    back: int = 1


PAYERS: Mapping[str, Policy] = {
    "NATURAL_PERSON": Policy(2, 100, 20, 1),
    "LEGAL_PERSON": Policy(20, 1_000, 20, 2),
}
CATEGORIES: Mapping[str, Policy] = {
    "A": Policy(25_000, 50_000, 3),
    "B": Policy(20_000, 40_000, 3),
    "C": Policy(15_000, 30_000, 3),
    "D": Policy(8_000, 16_000, 3),
    "E": Policy(2_500, 5_000, 3),
    "F": Policy(250, 500, 3),
    "G": Policy(25, 250, 3),
    "H": Policy(2, 50, 3),
}
LETTERS = "".join(CATEGORIES)


@dataclass(frozen=True)
class LookUp:
    """A look-up of a key for a payer; endToEndId is its payment's."""

    participant: str
    payer: str
    key: str
    end_to_end_id: str

    @property
    def buckets(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """The payer's and the participant's bucket, as policy and owner."""
        person = "NATURAL_PERSON" if len(self.payer) == CPF_DIGITS else "LEGAL_PERSON"
        # E-mails and phones are guessed from lists, documents and random keys are not: each kind has a bucket.
        kind = "contacts" if pix_keys.key_type(pix_keys.canonical(self.key)) in CONTACTS else "others"
        return (person, f"{self.payer}:{kind}"), (PARTICIPANT, self.participant)


def category(network: Network) -> str:
    """Returns the participants' policy letter; A unless a test set another."""
    return LETTERS[network.store.number("directory-category")]


def enforced(network: Network) -> bool:
    """Tells whether the rate limits are enforced."""
    return network.store.number("directory-unlimited") == 0


def configure(network: Network, letter: str | None, enforce: bool | None) -> None:
    """Sets the participants' category and the enforcement; None leaves either."""
    if letter is not None:
        network.store.remember("directory-category", LETTERS.index(letter))
    if enforce is not None:
        network.store.remember("directory-unlimited", int(not enforce))


def seconds_to_wait(network: Network, asked: LookUp) -> int | None:
    """Returns the whole seconds until a look-up is allowed; None if it is."""
    if not enforced(network):
        return None
    waits = []
    for policy, whose in asked.buckets:
        lacking = TOKEN - _tokens(network, policy, whose)
        if lacking > 0:
            rate = _policy(network, policy).refill * TOKEN
            waits.append(-(-lacking * MINUTE // (rate * SECOND)))
    return max(waits, default=None)


def spend(network: Network, asked: LookUp, *, found: bool) -> None:
    """Takes the cost of a look-up, down to zero tokens."""
    if not enforced(network):
        return
    with network.store.writing():
        for policy, whose in asked.buckets:
            cost = 1 if found else _policy(network, policy).missing
            _set(network, policy, whose, _tokens(network, policy, whose) - cost * TOKEN)
        policy, whose = asked.buckets[0]
        network.store.put("look_up", end_to_end_id=asked.end_to_end_id, policy=policy, whose=whose)


def give_back(network: Network, end_to_end_id: str, participant: str) -> None:
    """Gives tokens back, once, for the payment of a look-up. Its payer and the participant get them."""
    known = network.store.find("look_up", end_to_end_id=end_to_end_id)
    if known is not None:
        for policy, whose in ((known["policy"], known["whose"]), (PARTICIPANT, participant)):
            _set(network, policy, whose, _tokens(network, policy, whose) + _policy(network, policy).back * TOKEN)
        network.store.run("DELETE FROM look_up WHERE end_to_end_id = ?", end_to_end_id)


def shown(network: Network) -> dict[str, Any]:
    """Returns the policy and every bucket not known full, in whole tokens."""
    rows = network.store.rows("SELECT policy, whose FROM bucket ORDER BY policy, whose")
    return {
        "category": category(network),
        "enforced": enforced(network),
        "data": [
            {
                "policy": row["policy"],
                "whose": row["whose"],
                "tokens": _tokens(network, row["policy"], row["whose"]) // TOKEN,
                "capacity": _policy(network, row["policy"]).capacity,
            }
            for row in rows
        ],
    }


def _policy(network: Network, name: str) -> Policy:
    return CATEGORIES[category(network)] if name == PARTICIPANT else PAYERS[name]


def _tokens(network: Network, policy: str, whose: str) -> int:
    """Returns the millionths of a token in a bucket; a new one is full."""
    terms = _policy(network, policy)
    known = network.store.find("bucket", policy=policy, whose=whose)
    if known is None:
        return terms.capacity * TOKEN
    passed = max(network.clock.machine() - known["at"], 0)
    held: int = known["tokens"] + passed * terms.refill * TOKEN // MINUTE
    return min(held, terms.capacity * TOKEN)


def _set(network: Network, policy: str, whose: str, tokens: int) -> None:
    held = min(max(tokens, 0), _policy(network, policy).capacity * TOKEN)
    network.store.put("bucket", policy=policy, whose=whose, tokens=held, at=network.clock.machine())
