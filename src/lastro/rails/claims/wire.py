"""The wire forms of claims at the DICT.

The DICT's names (DICT API 2.12.1) are on one side, the interface's on the other. Its OWNERSHIP is CLAIM_OWNERSHIP here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal
from uuid import UUID  # noqa: TC003 msgspec reads the annotations when it runs

import msgspec

from lastro.rails.messages import Instant, Malformed, decoded, instant
from lastro.rails.port import NetworkMessage
from lastro.rails.port.claims import CLAIM_COMPLETE, CLAIM_NEWS, CLAIMS, ClaimNews
from lastro.rails.port.codec import encode
from lastro.standards import pix_keys

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lastro.rails.port.claims import ClaimAct, ClaimTask, ClaimType, ClaimWish

_OURS: Mapping[str, ClaimType] = {"PORTABILITY": "PORTABILITY", "OWNERSHIP": "CLAIM_OWNERSHIP"}
_THEIRS = {ours: theirs for theirs, ours in _OURS.items()}
_ACCOUNT_TYPE: Final = "TRAN"  # ours are payment accounts
_CPF_DIGITS: Final = 11
_LONGEST_REASON: Final = 64
_ISPB_LETTERS: Final = 8


class _Account(msgspec.Struct, rename="pascal"):
    participant: str
    branch: str
    account_number: str


class _Person(msgspec.Struct, rename="pascal"):
    tax_id_number: str


class _Claim(msgspec.Struct, rename="pascal"):
    id: UUID
    type: Literal["PORTABILITY", "OWNERSHIP"]
    key: str
    key_type: Literal["CPF", "CNPJ", "PHONE", "EMAIL"]
    claimer: _Person
    claimer_account: _Account
    donor_participant: str
    status: Literal["OPEN", "WAITING_RESOLUTION", "CONFIRMED", "CANCELLED", "COMPLETED"]
    resolution_period_end: Instant
    last_modified: Instant
    completion_period_end: Instant | None = None
    confirm_reason: str | None = None
    cancel_reason: str | None = None


class _Event(msgspec.Struct, rename="pascal"):
    claim: _Claim


class _List(msgspec.Struct, rename="pascal"):
    has_more_elements: bool
    claims: list[_Claim] = []


class _Claimer(msgspec.Struct, rename="pascal"):
    type: str
    tax_id_number: str
    name: str


class _WishedAccount(_Account):
    account_type: str
    opening_date: str


class _Wished(msgspec.Struct, rename="pascal"):
    type: str
    key: str
    key_type: str
    claimer: _Claimer
    claimer_account: _WishedAccount


class _Task(msgspec.Struct, rename="pascal", omit_defaults=True):
    claim_id: str
    participant: str
    reason: str | None = None
    request_id: str | None = None


def message_of(movement_id: str, raw: bytes, ispb: str) -> NetworkMessage:
    """Returns an event of the directory's stream. ispb: ours, by which our role is known. Malformed: it cannot be read."""
    return _message(movement_id, _news(decoded(raw, _Event).claim, ispb))


def asked(raw: bytes, ispb: str) -> NetworkMessage:
    """Reads a claim from the directory's answer, as if told now. Malformed: it is none."""
    return _message("", claim(raw, ispb))


def _message(movement_id: str, news: ClaimNews) -> NetworkMessage:
    # As claimer it is about an account of ours; as donor about a key of ours, or what was one when we heard of it first.
    key = None if news.account is not None else news.key
    return NetworkMessage(
        CLAIM_NEWS, movement_id, str(news.claim_id), encode(news), account=news.account, rail=CLAIMS, key=key
    )


def claim(raw: bytes, ispb: str) -> ClaimNews:
    """Returns a claim as the directory answers about it. Malformed: it is none."""
    return _news(decoded(raw, _Claim), ispb)


def wished(wish: ClaimWish, ispb: str) -> bytes:
    """Returns the body that opens a claim."""
    owner, account = wish.owner, wish.account
    person = "NATURAL_PERSON" if len(owner.document) == _CPF_DIGITS else "LEGAL_PERSON"
    place = _WishedAccount(ispb, account.branch, account.number, _ACCOUNT_TYPE, instant(account.opened_at))
    body = _Wished(
        _THEIRS[wish.claim_type], wish.key, wish.key_type, _Claimer(person, owner.document, owner.name), place,
    )  # fmt: skip
    return msgspec.json.encode(body)


def among(raw: bytes, wish: ClaimWish, ispb: str) -> tuple[ClaimNews | None, datetime | None]:
    """Returns the claim of this wish in a page of the list; and, where there is more, from when the next page is asked
    for.

    Malformed: it is no such page.
    """
    page = decoded(raw, _List)
    wanted = (_THEIRS[wish.claim_type], wish.key, ispb, wish.account.number, wish.owner.document)
    for one in page.claims:
        claimer = one.claimer_account
        if (one.type, one.key, claimer.participant, claimer.account_number, one.claimer.tax_id_number) == wanted:
            return _news(one, ispb), None
    return None, page.claims[-1].last_modified if page.has_more_elements and page.claims else None


def told_task(act: ClaimAct, task: ClaimTask, ispb: str) -> bytes:
    """Returns the body of an act.

    A completion, which makes an entry, has the id that makes it one however often it is said.
    """
    asked_under = str(task.request_id) if act == CLAIM_COMPLETE else None
    return msgspec.json.encode(_Task(str(task.claim_id), ispb, task.reason, asked_under))


def _news(one: _Claim, ispb: str) -> ClaimNews:
    is_claimer = one.claimer_account.participant == ispb
    other = one.donor_participant if is_claimer else one.claimer_account.participant
    reason = one.cancel_reason or one.confirm_reason
    if not (is_claimer or one.donor_participant == ispb):
        raise Malformed("DonorParticipant")
    if len(other) != _ISPB_LETTERS:
        raise Malformed("ClaimerAccount")
    if pix_keys.key_type(one.key) != one.key_type:
        raise Malformed("Key")
    if reason is not None and len(reason) > _LONGEST_REASON:
        raise Malformed("ConfirmReason")
    return ClaimNews(
        claim_id=one.id, claim_type=_OURS[one.type], key_type=one.key_type, key=one.key, status=one.status,
        role="CLAIMER" if is_claimer else "DONOR", other_bank=other, at=one.last_modified,
        resolution_at=one.resolution_period_end, completion_at=one.completion_period_end,
        account=one.claimer_account.account_number if is_claimer else None, reason=reason,
    )  # fmt: skip
