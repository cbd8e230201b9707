"""The rate limits of the directory: token buckets, and each company's share. Pure.

Source: DICT API 2.12.1, "Regras de contagem das políticas". A look-up takes a token of its payer and one of its
participant, more where there is no such key; a payment order that is sent gives the payer 1 or 2 back, and the
participant 1.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.standards import pix_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.rails.port import Asking

UNKNOWN_SECONDS = 300  # a key that is not there is not asked for again so long
_CPF_DIGITS = 11
_CONTACTS = frozenset({"EMAIL", "PHONE"})


@dataclass(frozen=True, slots=True)
class Policy:
    """The rates of a bucket.

    refill: tokens a minute. missing: the price of a look-up that finds nothing. back: the tokens that a payment gives
    back.
    """

    refill: float
    capacity: float
    missing: int
    back: int = 1


@dataclass(frozen=True, slots=True)
class Bucket:
    """A token bucket. name: its owner; no document can be read from it."""

    name: str
    policy: Policy


NATURAL_PERSON = Policy(2, 100, 20, 1)
LEGAL_PERSON = Policy(20, 1_000, 20, 2)
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


def payers(key: str, asking: Asking) -> Bucket:
    """Returns the payer's bucket for this key. E-mails and phones are guessed from lists, so they have one of their own."""
    kind = "contacts" if pix_keys.key_type(key) in _CONTACTS else "others"
    policy = NATURAL_PERSON if len(asking.document) == _CPF_DIGITS else LEGAL_PERSON
    return Bucket(f"payer:{kind}:{digest(asking.document)}", policy)


def buckets(key: str, asking: Asking, category: str, company_percent: int) -> tuple[Bucket, ...]:
    """Returns the buckets that a look-up takes from.

    They are in the order of their names; the last is the payer's. category: the participant's, A to H. company_percent:
    the share of the participant's bucket that one company may take.
    """
    whole = CATEGORIES[category]
    part = Policy(whole.refill * company_percent / 100, max(whole.capacity * company_percent / 100, 1.0), whole.missing)
    return (Bucket(f"company:{asking.company_id}", part), Bucket("participant", whole), payers(key, asking))


def digest(text: str) -> str:
    """Returns a name that hides its key or document."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
