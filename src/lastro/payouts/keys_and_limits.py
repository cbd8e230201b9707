"""The answers about a key and about limits, and their documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.accounts import NO_ACCOUNT
from lastro.api_kit.rendering import BrlMoney, Id, Timestamp, words
from lastro.api_kit.routes import Answer, Doc, stamp
from lastro.core.errors import Kind, Refusal, misread, not_found
from lastro.core.money import Money as Amount
from lastro.payouts import problems
from lastro.payouts.model import METHODS
from lastro.standards.documents import mask

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.payouts.model import Limits, Raise
    from lastro.rails.port import KeyEntry
    from lastro.standards.banks import Bank

_CURRENCY = "BRL"


class MaskedDocument(Answer, frozen=True, kw_only=True):
    """The document of a key's owner, with some digits hidden."""

    type: Annotated[str, words("CPF", "CNPJ")]
    number: Annotated[str, msgspec.Meta(description="With stars in place of some digits.", examples=["***.813.579-**"])]


class KeyOwner(Answer, frozen=True, kw_only=True):
    """The owner of the key, who would be paid."""

    name: str
    document: MaskedDocument


class KeyBank(Answer, frozen=True, kw_only=True):
    """The bank that would receive the money."""

    ispb: Annotated[str, msgspec.Meta(description="The institution's id of 8 characters.", examples=["99999030"])]
    name: Annotated[str | None, msgspec.Meta(description="As the bank list has it; left out where it does not.")] = None


class LookedUpKey(Answer, frozen=True, kw_only=True):
    """A key of the directory."""

    key: str
    type: Annotated[str, words("CPF", "CNPJ", "EMAIL", "PHONE", "RANDOM")]
    owner: KeyOwner
    bank: KeyBank


class Allowance(Answer, frozen=True, kw_only=True):
    """One limit and what has been used of it."""

    used: Annotated[BrlMoney, msgspec.Meta(description="Sent or held, without what has failed.")]
    limit: Annotated[BrlMoney | None, msgspec.Meta(description="Left out where there is none.")] = None
    left: Annotated[BrlMoney | None, msgspec.Meta(description="Left out where there is no limit.")] = None
    raised_to: Annotated[
        BrlMoney | None,
        msgspec.Meta(description="A higher limit that was asked for, from `raisedAt` on; left out: none at all."),
    ] = None
    raised_at: Annotated[
        Timestamp | None, msgspec.Meta(description="When a higher limit holds; left out where none was asked for.")
    ] = None


class MethodLimits(Answer, frozen=True, kw_only=True):
    """The limits of the account for one method."""

    payment_method: Annotated[str, words(*METHODS)]
    transaction: Annotated[BrlMoney, msgspec.Meta(description="Above it a payout is split into transfers.")]
    day: Annotated[Allowance, msgspec.Meta(description="From 06:00 to 06:00 of Brasilia.")]
    night: Annotated[Allowance, msgspec.Meta(description="From 20:00 to 06:00 of Brasilia; it counts for the day, too.")]


class AccountLimits(Answer, frozen=True, kw_only=True):
    """The limits of an account, and what is left of them now."""

    account_id: Id
    date: Annotated[
        str,
        msgspec.Meta(
            description="The day in which is counted now; before 06:00 it is the one before.", examples=["2026-01-31"],
            extra_json_schema={"format": "date"},
        ),
    ]  # fmt: skip
    data: list[MethodLimits]


def looked_up(entry: KeyEntry, bank: Bank | None) -> LookedUpKey:
    """Renders a key for its payer."""
    document = MaskedDocument(type=entry.document_type, number=mask(entry.document_number))
    return LookedUpKey(
        key=entry.key,
        type=entry.key_type,
        owner=KeyOwner(name=entry.name, document=document),
        bank=KeyBank(ispb=entry.ispb, name=None if bank is None else bank.short_name),
    )


def limits_shown(account_id: UUID, day: str, known: dict[str, tuple[Limits, int, int]]) -> AccountLimits:
    """Returns the limits by method, with day and night usage (minor units)."""
    data = [
        MethodLimits(
            payment_method=method,
            transaction=_money(limits.transaction),
            day=_allowance(limits.day, by_day, limits.day_raise),
            night=_allowance(limits.night, by_night, limits.night_raise),
        )
        for method, (limits, by_day, by_night) in known.items()
    ]
    return AccountLimits(account_id=str(account_id), date=day, data=data)


def _allowance(limit: int | None, used: int, raised: Raise | None) -> Allowance:
    if limit is None:
        return Allowance(used=_money(used))
    return Allowance(
        used=_money(used), limit=_money(limit), left=_money(max(limit - used, 0)),
        raised_to=None if raised is None or raised.limit is None else _money(raised.limit),
        raised_at=None if raised is None else stamp(raised.at),
    )  # fmt: skip


def _money(minor: int) -> BrlMoney:
    return BrlMoney.of(Amount(minor, _CURRENCY))


_ACCOUNT_ID = "0196a4ef-1d02-7e40-8b11-64c3f0de9a17"


def _reais(value: str) -> dict[str, str]:
    return {"currency": _CURRENCY, "value": value}


LOOK_UP = Doc(
    "Look a key up",
    "Whose key it is and at which bank, to be shown to a person before the payout is made. Of the owner's document only the"
    " middle is shown.\n\n"
    "It spends the same budget of the directory as a payout does: a key that is not there costs twenty times as much as one"
    " that is. Ask for keys that somebody is about to pay, and for none twice. In the query a `+` is written `%2B`.",
    None, LookedUpKey,
    (
        not_found("No account of your company has this id, or the directory gives no account for the"
                " key.", "Ask the receiver for the right key; do not ask for the same one again."),
        problems.KEY_REQUIRED,
        misread("key", "INVALID", "It is no key in its canonical form.",
                "Phones begin with `+55`, written `%2B55`; CPF and CNPJ have no punctuation."),
        misread("key", "TOO_LONG", "No key has more than 77 characters.", "Give one key."),
        Refusal(Kind.TOO_MANY, "", "", "Too many keys were looked up, most likely unknown ones.",
                "Wait as long as `Retry-After` says; look no key up that was not found."),
        Refusal(Kind.UNAVAILABLE, "", "", "The directory did not answer in time.", "Ask again in a few seconds."),
    ),
    None,
    {
        "key": "fabio@fora.example", "type": "EMAIL",
        "owner": {"name": "Fabio de Fora", "document": {"type": "CPF", "number": "***.813.579-**"}},
        "bank": {"ispb": "99999030", "name": "BANCO RECEBEDOR SIMULADO"},
    },
)  # fmt: skip
LIMITS = Doc(
    "Read an account's limits",
    "What the account may send by each method: in one transfer, in a day and in a night, and what is left of it. A payout"
    " above `transaction` is split; one above what is left is refused.\n\n"
    "A natural person may send 1,000.00 by Pix in a night, where nothing else was set. A higher limit of a person holds a"
    " day after it was asked for (`raisedTo`, `raisedAt`), a lower one at once; those of a firm hold at once.",
    None, AccountLimits, (NO_ACCOUNT,), None,
    {
        "accountId": _ACCOUNT_ID, "date": "2026-01-31",
        "data": [
            {
                "paymentMethod": "PIX", "transaction": _reais("15000.00"),
                "day": {"used": _reais("10.50"), "limit": _reais("1000000.00"), "left": _reais("999989.50")},
                "night": {"used": _reais("0.00")},
            },
        ],
    },
)  # fmt: skip
