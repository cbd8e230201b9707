"""A client's values, permissions and id, which names its company."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lastro.standards.pix_ids import base62, from_base62, location_token

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

INSTITUTION_NUMBER = 0  # the institution's own company: it owns what belongs to nobody else
_OBJECTS = ("subscriptions", "orders", "payouts", "accounts", "keys", "webhooks", "med")
PERMISSIONS = tuple(f"{o}:{act}" for o in _OBJECTS for act in ("read", "write"))
_PREFIX = "lc_"
_OUTSIDE = "outside:"  # before the subject of an outside issuer, so that no token of theirs can name a client of ours
_SUBJECT = re.compile(r"[\x21-\x7e]{1,255}\Z")  # OpenID Connect Core §2: at most 255 ASCII characters


@dataclass(frozen=True, slots=True)
class Route:
    """The route of a company's orders of a method.

    partner: the rail that is asked first; fallback: the rail where that one is down.
    """

    partner: str
    fallback: str | None = None


@dataclass(frozen=True, slots=True)
class Company:
    """A tenant as administration sees it. refuses_duplicates: a payout that is like one just made is refused.

    review_above_minor: in centavos; a payout above it waits until a person approves it. None: none does. plan_approvals:
    how many clients sign a plan of payouts. fee_payer: who bears a new plan of fees that does not say; RECEIVER, CUSTOMER.
    routes: by method of orders.
    takes_unauthenticated_cards: also those whose issuer did not say who pays.
    """

    id: UUID
    number: int
    name: str
    default_account_id: UUID | None
    customerless_partner: str | None
    refuses_duplicates: bool
    created_at: datetime
    version: int
    review_above_minor: int | None = None
    plan_approvals: int = 1
    fee_payer: str = "RECEIVER"
    takes_unauthenticated_cards: bool = False
    routes: Mapping[str, Route] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Client:
    """A machine that calls for a company. Times but created_at are machine time; read_at: when this was read.

    networks: where its requests may come from, none: anywhere. certificates: `x5t#S256` of those of which it must show one,
    none: it need not. requests_per_minute: None: what every client has.
    secret_hash: None where an outside issuer vouches for it. previous_until: until when its older secret admits too.
    """

    id: str
    name: str
    permissions: tuple[str, ...]
    networks: tuple[str, ...]
    certificates: tuple[str, ...]
    requests_per_minute: int | None
    secret_hash: bytes | None = field(repr=False)
    previous_until: datetime | None
    revoked_at: datetime | None
    tokens_valid_after: datetime
    created_at: datetime
    version: int
    read_at: datetime


def new_client_id(company_number: int, entropy: bytes) -> str:
    """Makes a client id, by which a login finds its company.

    It is `lc_`, five base-62 digits of the company's number, and 17 random ones: no index is needed.
    """
    return _PREFIX + base62(company_number, 5) + location_token(entropy)[:17]


def company_of_client(client_id: str) -> int | None:
    """Returns the company number in a client id; None: not that form."""
    if not client_id.startswith(_PREFIX) or len(client_id) != len(_PREFIX) + 22 or not client_id[3:].isalnum():
        return None
    try:
        return from_base62(client_id[3:8])
    except ValueError:
        return None


def outside_client_id(subject: str) -> str:
    """Returns the client id of an outside issuer's subject."""
    return _OUTSIDE + subject


def is_subject(text: str) -> bool:
    """Tells whether an outside issuer may use a text as a subject.

    It has 1 to 255 printable ASCII characters without blanks.
    """
    return _SUBJECT.match(text) is not None
