"""What the DICT says of claims, and how we say it: its names on one side (DICT API 2.12.1), the interface's on the other.

What it calls OWNERSHIP is CLAIM_OWNERSHIP here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal
from uuid import UUID  # noqa: TC003 msgspec reads the annotations when it runs

import msgspec

from lastro.rails.messages import Instant, Malformed, decoded, instant
from lastro.rails.port import Told
from lastro.rails.port.claims import CLAIM_NEWS, CLAIMS, ClaimNews
from lastro.rails.port.codec import encode
from lastro.standards import pix_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.rails.port.claims import ClaimTask, ClaimType, ClaimWish

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


class _Claim(msgspec.Struct, rename="pascal"):
    id: UUID
    type: Literal["PORTABILITY", "OWNERSHIP"]
    key: str
    key_type: Literal["CPF", "CNPJ", "PHONE", "EMAIL"]
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


class _Claimer(msgspec.Struct, rename="pascal"):
    type: str
    tax_id_number: str
    name: str


class _WishedAccount(_Account):
    account_type: str
    opening_date: str


class _Wished(msgspec.Struct, rename="pascal"):
    request_id: str
    type: str
    key: str
    key_type: str
    claimer: _Claimer
    claimer_account: _WishedAccount


class _Task(msgspec.Struct, rename="pascal", omit_defaults=True):
    request_id: str
    reason: str | None = None
    cancelled_by: str | None = None


def told(movement_id: str, raw: bytes, ispb: str) -> Told:
    """An event of the directory's stream. ispb: ours, by which our role is known. Malformed: it cannot be read."""
    return _told(movement_id, _news(decoded(raw, _Event).claim, ispb))


def asked(raw: bytes, ispb: str) -> Told:
    """A claim as the directory answers about it, as if it were told now. Malformed: it is none."""
    return _told("", claim(raw, ispb))


def _told(movement_id: str, news: ClaimNews) -> Told:
    # As claimer it is about an account of ours; as donor about a key of ours, or what was one when we heard of it first.
    key = None if news.account is not None else news.key
    return Told(CLAIM_NEWS, movement_id, str(news.claim_id), encode(news), account=news.account, rail=CLAIMS, key=key)


def claim(raw: bytes, ispb: str) -> ClaimNews:
    """A claim as the directory answers about it. Malformed: it is none."""
    return _news(decoded(raw, _Claim), ispb)


def wished(wish: ClaimWish, ispb: str) -> bytes:
    """The body that opens a claim."""
    owner, account = wish.owner, wish.account
    person = "NATURAL_PERSON" if len(owner.document) == _CPF_DIGITS else "LEGAL_PERSON"
    place = _WishedAccount(ispb, account.branch, account.number, _ACCOUNT_TYPE, instant(account.opened_at))
    body = _Wished(
        str(wish.request_id), _THEIRS[wish.claim_type], wish.key, wish.key_type,
        _Claimer(person, owner.document, owner.name), place,
    )  # fmt: skip
    return msgspec.json.encode(body)


def told_task(task: ClaimTask) -> bytes:
    """The body of an act. Who cancels says as whom."""
    return msgspec.json.encode(_Task(str(task.request_id), task.reason, None if task.reason is None else task.role))


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
