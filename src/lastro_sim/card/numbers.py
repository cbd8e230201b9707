"""Magic card numbers, with their issuer's fixed answers.

Every other number is authenticated without a challenge and charged.
"""

from typing import NamedTuple


class Plays(NamedTuple):
    """The scenario of a card number.

    result: transStatus. decline: the issuer's code when it is charged; None: it is charged. is_told: True where the acquirer
    reports its charge without being asked. is_taken: True where the tokenizer accepts it.
    """

    result: str
    outcome: str
    decline: str | None = None
    is_told: bool = True
    is_taken: bool = True


GOOD = "good"
PLAYS: dict[str, Plays] = {
    GOOD: Plays("Y", "authenticated without a challenge: Y"),
    "attempted": Plays("A", "an authentication is attempted: A"),
    "challenge": Plays("C", "the issuer wants a challenge: C, then what is chosen on its page"),
    "decoupled": Plays("D", "the payer is asked by his bank elsewhere: D, and Y ten seconds later"),
    "not-authenticated": Plays("N", "the payer is not authenticated: N"),
    "unavailable": Plays("U", "the payer cannot be authenticated: U"),
    "rejected": Plays("R", "the issuer rejects the payment: R"),
    "informational": Plays("I", "for information alone: I"),
    "decline-51": Plays("Y", "Y, then declined with 51, reversible", decline="51"),
    "decline-57": Plays("Y", "Y, then declined with 57, irreversible", decline="57"),
    "decline-54": Plays("Y", "Y, then declined with 54, irreversible", decline="54"),
    "decline-05": Plays("Y", "Y, then declined with 05, reversible", decline="05"),
    "decline-59": Plays("Y", "Y, then declined with 59, reversible", decline="59"),
    "decline-91": Plays("Y", "Y, then declined with 91, reversible", decline="91"),
    "silent": Plays("Y", "Y and charged, which is told to who asks alone", is_told=False),
    "not-taken": Plays("Y", "the tokenizer takes no such card: CARD_NOT_TAKEN", is_taken=False),
}
BY_NUMBER: dict[str, str] = {
    "4000000000101008": GOOD,
    "4000000000102006": "attempted",
    "4000000000103004": "challenge",
    "4000000000104002": "decoupled",
    "4000000000105009": "not-authenticated",
    "4000000000106007": "unavailable",
    "4000000000107005": "rejected",
    "4000000000108003": "informational",
    "4000000000510000": "decline-51",
    "4000000000570004": "decline-57",
    "4000000000540007": "decline-54",
    "4000000000050007": "decline-05",
    "4000000000590002": "decline-59",
    "4000000000910002": "decline-91",
    "4000000000900003": "silent",
    "4000000000990004": "not-taken",
}
